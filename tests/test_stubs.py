"""Type stubs: up to date, the same as at run time, of use to a type checker, and distributed."""

import ast
import inspect
import os
import re
import subprocess
import sys
import tarfile
import textwrap
import zipfile

import pytest

import sklearn_online_svm as package
from sklearn_online_svm._estimator_base import UnavailableAttribute
from tests.support import ROOT
from tests.support.docstrings import public_objects

pytest.importorskip("imblearn", reason="VirtualSampler has a stub")

from tests.support.stubs import stubs  # noqa: E402

# What stubs leave out: private modules, internal names, attributes that a class does not have.
LEFT_OUT = [
    r"sklearn_online_svm(\.\w+)*\._[a-z]\w*(\..*)?",
    r".*\.__(match_args|sklearn_\w+|copy)__",
    r"sklearn_online_svm\.kernel\.RampSVC\.shuffle",
    r"sklearn_online_svm\.asreview\.OnlineSVM\.(name|label)",
]
PROGRAM = """
    import numpy as np
    from numpy.typing import NDArray

    from sklearn_online_svm import LASVC, ActiveLASVC, AROWClassifier, LabelEfficientClassifier
    from sklearn_online_svm.calibration import OnlineCalibratedClassifier
    from sklearn_online_svm.datasets import make_banana_like
    from sklearn_online_svm.evaluation import progressive_validation
    from sklearn_online_svm.export import load_libsvm, save_libsvm
    from sklearn_online_svm.model_selection import ProgressiveSearch


    def train(model: LASVC, X: NDArray[np.float64], y: NDArray[np.int64]) -> LASVC:
        model = model.set_params(C=10, gamma="scale").fit(X, y, sample_weight=np.ones(len(y)))
        return model.partial_fit(X, y, classes=[-1, 1]).finish()


    X, y = make_banana_like(200, random_state=0)
    model = train(ActiveLASVC(kernel="rbf", random_state=0), X, y)
    labels: NDArray[np.int64] = model.predict(X)
    model = LASVC(probability=True).fit(X, y)
    probabilities: NDArray[np.float64] = model.predict_proba(X.tolist())
    n_support: int = int(model.n_support_.sum()) + len(model.classes_)
    score: float = model.score(X, y) + model.gamma_
    vectors = model.support_vectors_[0]
    save_libsvm(model, "model", label=1)
    load_libsvm("model", C=1.0).partial_fit(X, y)
    online = OnlineCalibratedClassifier(AROWClassifier(r=10)).set_params(estimator__r=1)
    LabelEfficientClassifier(online).fit(X, y)
    progressive_validation(AROWClassifier(), X, y)
    ProgressiveSearch(LASVC(), {"C": [1, 10]}, n_jobs=2).fit(X, y)
"""
MISTAKES = {
    "LASVC(c=1)": 'Unexpected keyword argument "c" for "LASVC"',
    'LASVC(C="1")': 'Argument "C" to "LASVC" has incompatible type "str"; expected "float"',
    'LASVC(kernel="rfb")': 'Argument "kernel" to "LASVC" has incompatible type',
    "model.set_params(gama=1)": 'Unexpected keyword argument "gama" for "set_params"',
    "model.set_params(max_iter=None)": 'Argument "max_iter" to "set_params"',
    "model.partial_fit(X)": 'Missing positional argument "y" in call to "partial_fit"',
    "AROWClassifier(r=[1])": 'Argument "r" to "AROWClassifier" has incompatible type',
    "model.n_support_()": '"ndarray[tuple[Any, ...], dtype[Any]]" not callable',
}


def mypy(folder, *arguments, module="mypy"):
    """Return the output of a program of mypy on the checkout."""
    # As in an installation, errors in the modules that a program imports are not shown.
    (folder / "mypy.ini").write_text("[mypy]\nfollow_imports = silent\n")
    environment = os.environ | {"MYPYPATH": str(ROOT), "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", module, *arguments]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def comparable(text):
    """Return the statements of a stub, whatever its layout."""
    return sorted(ast.dump(statement) for statement in ast.parse(text).body)


@pytest.mark.parametrize("path", sorted(stubs()), ids=lambda path: str(path.relative_to(ROOT)))
def test_stubs_are_up_to_date(path):
    """Otherwise, run ``make stubs``."""
    assert comparable(path.read_text()) == comparable(stubs()[path])


def test_there_are_no_other_stubs():
    folder = ROOT / "sklearn_online_svm"
    assert set(folder.rglob("*.pyi")) == set(stubs())
    assert (folder / "py.typed").exists()


@pytest.mark.slow
def test_programs_are_checked(tmp_path):
    pytest.importorskip("mypy", reason="mypy is not installed")
    program = textwrap.dedent(PROGRAM).lstrip()
    (tmp_path / "program.py").write_text(program)
    status, output = mypy(tmp_path, "--strict", "program.py")
    assert status == 0, output
    (tmp_path / "program.py").write_text(program + "\n".join(MISTAKES))
    status, output = mypy(tmp_path, "--strict", "program.py")
    errors = re.findall(r"program.py:(\d+): error: (.*)", output)
    first = program.count("\n") + 1
    assert [int(line) - first for line, _ in errors] == list(range(len(MISTAKES))), output
    for (_, error), expected in zip(errors, MISTAKES.values(), strict=True):
        assert expected in error


@pytest.mark.slow
def test_stubs_agree_with_run_time(tmp_path):
    pytest.importorskip("mypy", reason="mypy is not installed")
    missing = [
        rf"sklearn_online_svm(\.\w+)?\.{path.rpartition('.')[2]}\.{name}"
        for path, kind in public_objects().items()
        if isinstance(kind, type)
        for name in dir(kind)
        if isinstance(inspect.getattr_static(kind, name), UnavailableAttribute)
    ]
    (tmp_path / "left_out").write_text("\n".join(LEFT_OUT + missing))
    (tmp_path / "stubtest.ini").write_text(
        "[mypy]\nignore_missing_imports = True\nignore_errors = True\n"
    )
    status, output = mypy(
        tmp_path,
        *("--mypy-config-file", "stubtest.ini", "--allowlist", "left_out"),
        *("--ignore-unused-allowlist", package.__name__),
        module="mypy.stubtest",
    )
    assert status == 0, output
    # The stubs themselves; set_params of ActiveLASVC takes fewer parameters than that of LASVC.
    files = ("--ignore-missing-imports", "--disable-error-code=override", *map(str, stubs()))
    status, output = mypy(tmp_path, *files)
    assert status == 0, output


@pytest.mark.slow
def test_stubs_are_distributed(tmp_path):
    expected = {str(path.relative_to(ROOT)) for path in stubs()} | {"sklearn_online_svm/py.typed"}
    environment = os.environ | {"SOSVM_NO_EXTENSIONS": "1"}
    folders = ["--dist-dir", str(tmp_path)]
    build = ["build", "--build-base", str(tmp_path / "build")]
    egg = ["egg_info", "--egg-base", str(tmp_path)]
    for command in (["sdist", *folders, "--formats", "gztar"], ["bdist_wheel", *folders]):
        done = subprocess.run(
            [sys.executable, "setup.py", "--quiet", *egg, *build, *command],
            cwd=ROOT,
            env=environment,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
    with zipfile.ZipFile(next(tmp_path.glob("*.whl"))) as wheel:
        assert expected <= set(wheel.namelist())
    with tarfile.open(next(tmp_path.glob("*.tar.gz"))) as sdist:
        assert expected <= {name.partition("/")[2] for name in sdist.getnames()}
