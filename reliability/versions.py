"""Other versions of Python, scikit-learn and NumPy: the tests of every module, and stored models.

The source distribution is built into a wheel for each Python, which is installed with the
versions of ``RUNS``. Interpreters that are not on the path are left out. ``python3.13t`` is
free-threaded, and enables the GIL when the extensions are imported.
"""

import platform
import shutil
from importlib.metadata import version
from pathlib import Path

from tests.support import ROOT, environments
from tests.support.stored_models import assert_continues, stored_models

PROMISE = (
    "The package works with the versions of Python, scikit-learn and NumPy of the table, and "
    "loads and continues stored models."
)
# Python: pairs of versions of scikit-learn and NumPy, of which the newest patch is installed.
RUNS = {
    "3.11": [("1.6", "1.24"), ("1.7", "1.25"), ("1.8", "1.26"), ("1.9", "2.0")],
    "3.12": [("1.6", "2.0"), ("1.7", "1.26"), ("1.8", "2.1"), ("1.9", "2.5")],
    "3.13": [("1.6", "2.1"), ("1.7", "2.2"), ("1.8", "2.3"), ("1.9", "2.4")],
    "3.13t": [("1.7", "2.2"), ("1.8", "2.3")],
    "3.14": [("1.7", "2.3"), ("1.8", "2.4"), ("1.9", "2.5")],
}


def campaign(quick):
    if quick:
        yield loaded_models()
        return
    folder = ROOT / "build" / "versions"
    shutil.rmtree(folder, ignore_errors=True)
    sdist = environments.source_distribution(folder)
    # Not isolated from each other: the C sources are generated once.
    source = environments.unpacked(sdist, folder / "source")
    tests = environments.tests_alone(sdist, folder / "tests")
    for number, runs in RUNS.items():
        interpreter = shutil.which(f"python{number}")
        if interpreter is None:
            print(f"python{number} is not on the path", flush=True)
            continue
        wheel = wheel_of(source, interpreter, folder / number)
        for pins in runs:
            yield tested(tests, interpreter, wheel, pins, folder / number)


def wheel_of(source, interpreter, folder):
    """Build a wheel for an interpreter, with the newest versions of what the build needs."""
    python = environments.new_environment(folder / "environment", interpreter)
    # The newest versions of NumPy and SciPy that have wheels for the interpreter.
    options = ["--no-deps", "--only-binary", "numpy,scipy", "--wheel-dir", folder]
    environments.pip(python, "wheel", *options, source)
    return next(Path(folder).glob("*.whl"))


def tested(tests, interpreter, wheel, pins, folder):
    """Run the tests with a wheel and these versions of scikit-learn and NumPy."""
    python = environments.new_environment(folder / "environment", interpreter)
    newest = [
        f"{name}=={pin}.*" for name, pin in zip(("scikit-learn", "numpy"), pins, strict=True)
    ]
    environments.install(python, wheel, *newest, *environments.TOOLS)
    n_tests, failures = environments.tests_of_every_module(python, tests)
    return record(environments.versions(python), n_tests, failures)


def loaded_models():
    """Load the stored models with the versions of this environment."""
    failures = []
    found = [case for case in stored_models() if case[1].endswith(".skops")]
    for path, name in found:
        try:
            assert_continues(path, name)
        except Exception as error:
            failures.append(f"{path.name} {name}: {error!r}")
    here = {"python": platform.python_version()}
    return record(here | {name: version(name) for name in environments.SHOWN},
                  len(found), failures)  # fmt: skip


def record(of, n_cases, failures):
    what = "Python {python}, scikit-learn {scikit-learn}, NumPy {numpy}, SciPy {scipy}"
    return {"what": what.format_map(of), "cases": n_cases, "failures": failures}
