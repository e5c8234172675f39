"""New environments, in which the installed package is tested with other versions of what it needs.

``python -m tests.support.environments FILE ...`` tests wheels and source distributions, each in an
environment with nothing else but its dependencies, pytest and what ``TOOLS`` names.
"""

import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path
from xml.etree import ElementTree

from tests.support import ROOT

# What the tests of MODULE_TESTS need; those of other packages are skipped.
TOOLS = ("pytest", "hypothesis", "pandas")
SHOWN = ("scikit-learn", "numpy", "scipy")
# The smallest program of a user.
TRAINED = """
import numpy as np, sklearn_online_svm as package
X = np.vstack([np.zeros((9, 2)), np.ones((9, 2))])
y = np.repeat([0, 1], 9)
assert package.LASVC().fit(X, y).score(X, y) == 1.0
package.show_versions()
"""


def run(*command, cwd=None, **environment):
    """Run a program; raise an error with its output if it fails."""
    process = subprocess.run(
        list(map(str, command)),
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": "", **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    if process.returncode:
        raise RuntimeError(f"{' '.join(map(str, command))}\n{process.stdout[-5000:]}")
    return process.stdout


def source_distribution(folder):
    """Build the source distribution of the checkout; return its path."""
    run(sys.executable, "setup.py", "--quiet", "sdist", "--dist-dir", folder, cwd=ROOT,
        SOSVM_NO_EXTENSIONS="1")  # fmt: skip
    return next(Path(folder).glob("*.tar.gz"))


def unpacked(sdist, folder):
    """Unpack a source distribution; return its folder."""
    with tarfile.open(sdist) as file:
        file.extractall(folder, filter="data")
    return next(Path(folder).glob("sklearn_online_svm-*"))


def tests_alone(sdist, folder):
    """Unpack a source distribution without the package: the tests import the installed one."""
    source = unpacked(sdist, folder)
    shutil.rmtree(source / "sklearn_online_svm")
    return source


def pip(python, *arguments):
    return run(python, "-m", "pip", "--disable-pip-version-check", "--quiet", *arguments)


def new_environment(folder, python):
    """Create an empty environment; return its interpreter."""
    run(python, "-m", "venv", "--clear", folder)
    return Path(folder) / "bin" / "python"


def install(python, *requirements):
    """Install packages, all but source distributions that are named from wheels."""
    pip(python, "install", "--only-binary=:all:", "--no-compile", *requirements)


def versions(python):
    """Return the versions of an environment, by name; "t" marks a free-threaded interpreter."""
    program = f"""
import sys, sysconfig
from importlib.metadata import version
free = "t" if sysconfig.get_config_var("Py_GIL_DISABLED") else ""
print("%d.%d.%d" % sys.version_info[:3] + free, *map(version, {SHOWN}))
"""
    return dict(zip(("python", *SHOWN), run(python, "-c", program).split(), strict=True))


def tests_of_every_module(python, source):
    """Run the tests that MODULE_TESTS (Makefile) names; return their number and the failures."""
    report = Path(python).parent / "report.xml"
    command = [python, "-m", "pytest", "-q", "-m", "not slow", "-p", "no:cacheprovider"]
    command += ["-c", "pyproject.toml", f"--junitxml={report}"]
    command += os.environ["MODULE_TESTS"].split()
    report.unlink(missing_ok=True)
    process = subprocess.run(
        list(map(str, command)),
        cwd=source,
        env={**os.environ, "PYTHONPATH": ""},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    if not report.exists():  # a crash
        return 1, [f"status {process.returncode}: {process.stdout[-500:]}"]
    cases = list(ElementTree.parse(report).iter("testcase"))
    run_cases = [case for case in cases if case.find("skipped") is None]
    failed = [case for case in cases if {"failure", "error"} & {part.tag for part in case}]
    return len(run_cases), [f"{case.get('classname')}::{case.get('name')}" for case in failed]


def check_distributions(paths):
    """Install each file in an empty environment, train a model with it, and run the tests."""
    paths = [Path(path).resolve() for path in paths]
    sdist = next(path for path in paths if path.name.endswith(".tar.gz"))
    n_failures = 0
    for path in paths:
        with tempfile.TemporaryDirectory() as folder:
            python = new_environment(f"{folder}/alone", sys.executable)
            install(python, path)
            print(path.name, run(python, "-c", TRAINED, cwd=folder), sep="\n")
            install(python, *TOOLS)
            n_tests, failures = tests_of_every_module(python, tests_alone(sdist, folder))
            print(f"{path.name}: {n_tests} tests, {len(failures)} failures", *failures, sep="\n")
            n_failures += len(failures)
    return n_failures


if __name__ == "__main__":
    sys.exit(bool(check_distributions(sys.argv[1:])))
