"""What SECURITY.md promises of the source: no code from data, no pickles but documented ones."""

import ast
import re

import pytest

from tests.support import ROOT

PACKAGE = ROOT / "sklearn_online_svm"
RUN_CODE = {
    f"{module}{name}"
    for module in ("", "builtins.")
    for name in ("eval", "exec", "compile", "__import__")
}
# Functions that read pickles, with their modules.
UNPICKLE = {
    f"{module}.{name}"
    for module in ("pickle", "cloudpickle", "joblib", "marshal", "shelve", "dill")
    for name in ("load", "loads", "Unpickler", "open")
} | {"numpy.load", "np.load", "pandas.read_pickle", "pd.read_pickle"}
# Checkpoints of fit_stream, which its docstring says are pickles; models that the workers of a
# dask cluster have fitted and return, by which dask itself runs code.
DOCUMENTED = {
    "readers/_fit_stream.py": {"joblib.load"},
    "distributed/_cells.py": {"pickle.loads"},
}


def names_in(tree):
    """Yield the names of a module, ``a.b`` for attributes, and imports in their full form."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            yield f"{node.value.id}.{node.attr}"
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def sources(*endings):
    found = [path for path in PACKAGE.rglob("*") if path.suffix in endings]
    return {path.relative_to(PACKAGE).as_posix(): path.read_text() for path in found}


def test_source_runs_no_code_from_data():
    python, cython = sources(".py"), sources(".pyx", ".pxd")
    assert len(python) > 100
    assert len(cython) > 60
    for path, text in python.items():
        assert not RUN_CODE & set(names_in(ast.parse(text))), path
    for path, text in cython.items():
        assert not re.search(r"\b(eval|exec|compile|__import__)\s*\(|\bpickle\b.*\bload", text), (
            path
        )


def test_only_documented_functions_read_pickles():
    found = {path: UNPICKLE & set(names_in(ast.parse(t))) for path, t in sources(".py").items()}
    assert {path: names for path, names in found.items() if names} == DOCUMENTED


@pytest.mark.parametrize(
    "text",
    ["eval(x)", "f = exec", "from builtins import eval as e", "pickle.load(f)", "np.load(p)"]
    + ["from joblib import load"],
)
def test_such_names_are_found(text):
    assert len((RUN_CODE | UNPICKLE) & set(names_in(ast.parse(text)))) == 1


def test_actions_are_pinned_by_hash():
    """A tag can be moved to other code, a hash cannot; the comment is read by dependabot."""
    workflows = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
    used = [line for path in workflows for line in re.findall(r"uses: *(.*)", path.read_text())]
    assert len(used) > 10
    for line in used:
        assert re.fullmatch(r"[\w-]+/[\w/-]+@[0-9a-f]{40}  # v\d+\.\d+\.\d+", line), line
