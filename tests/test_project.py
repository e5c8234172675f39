"""Test the versions, the imports and the project files of the package."""

import ast
import inspect
import pickle
import re
import subprocess
import sys
import tomllib
from importlib import import_module
from itertools import chain

import pytest

import sklearn_online_svm
from doc.code_map import PACKAGE, code_map, summary
from sklearn_online_svm import show_versions
from tests.support import ROOT

# Names of the package of which a part begins with one underscore.
PRIVATE = re.compile(r"sklearn_online_svm\.(\w+\.)*_[a-z]")


def project():
    return tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def test_version_is_that_of_the_project():
    assert sklearn_online_svm.__version__ == project()["version"]


def test_citation_has_the_version_and_its_date():
    citation, version = (ROOT / "CITATION.cff").read_text(), project()["version"]
    assert f"version: {version}\n" in citation
    changelog = (ROOT / "CHANGELOG.rst").read_text()
    date = re.search(rf"^{re.escape(version)} \((.*)\)\n-+$", changelog, re.M)[1]
    released = re.findall(r"^date-released: (.*)$", citation, re.M)
    assert released == ([] if date == "unreleased" else [date])
    assert ("# Unreleased" in citation) == (date == "unreleased")


def test_citation_has_all_references():
    references = (ROOT / "doc" / "paper_names.rst").read_text()
    entries = re.findall(r"^\.\. \[\w+\] (.*?)\n\n", references, re.M | re.S)
    titles = re.findall(r'^    title: "(.*)"', (ROOT / "CITATION.cff").read_text(), re.M)
    assert len(titles) == len(entries) > 50
    for title, entry in zip(titles, entries, strict=True):
        assert title in " ".join(entry.split())


def test_conda_recipe_has_the_same_requirements():
    recipe = (ROOT / ".ci" / "conda" / "recipe.yaml").read_text()
    assert f'version: "{project()["version"]}"\n' in recipe
    config = tomllib.loads((ROOT / "pyproject.toml").read_text())
    for requirement in [*config["build-system"]["requires"], *project()["dependencies"]]:
        assert f"    - {requirement.lower().replace('>=', ' >=')}\n" in recipe


def test_pre_commit_pins_the_versions_of_make_lint():
    pinned = set(project()["optional-dependencies"]["lint"])
    config = (ROOT / ".pre-commit-config.yaml").read_text()
    assert set(re.findall(r'"([\w-]+==[\d.]+)"', config)) == pinned


def test_show_versions(capsys):
    show_versions()
    printed = capsys.readouterr().out
    version = sklearn_online_svm.__version__
    for pattern in (
        rf"sklearn-online-svm: {version}\n",
        r"SIMD level: \w+ \(available: \w+",
        r"sklearn: \d",
        "threadpoolctl info:",
    ):
        assert re.search(pattern, printed)


def test_engine_does_not_import_scikit_learn():
    """No source file of the engine, at any depth, imports scikit-learn."""
    sources = [
        path
        for path in (ROOT / "sklearn_online_svm" / "_core").rglob("*")
        if path.suffix in (".py", ".pyx", ".pxd")
    ]
    assert {path.suffix for path in sources} == {".py", ".pyx", ".pxd"}
    assert {path.parent.name for path in sources} >= {"_core", "kernel", "linear"}
    for path in sources:
        assert not re.search(r"^\s*(from|c?import)\s+sklearn\b", path.read_text(), re.M), path


PAGES_ABOUT_THE_CODE = {"architecture": 100, "how_a_call_works": 40, "extending": 30}


@pytest.mark.parametrize(("page", "least"), PAGES_ABOUT_THE_CODE.items())
def test_names_on_the_pages_about_the_code_exist(page, least):
    page = (ROOT / "doc" / f"{page}.rst").read_text()
    folders = ("sklearn_online_svm", "tests", "reliability", "benchmarks", "doc")
    endings = {".py", ".pyx", ".pxd", ".h", ".rst"}
    files = [
        file
        for file in chain(ROOT.iterdir(), *((ROOT / folder).rglob("*") for folder in folders))
        if file.suffix in endings and file.stem not in PAGES_ABOUT_THE_CODE
    ]
    words = set()
    for file in files:
        words.update(re.findall(r"\w+", file.read_text()))
    known = {part for file in files for part in file.relative_to(ROOT).parts}
    names = set(re.findall(r"``([A-Za-z_][\w./]*)``", page))
    assert len(names) > least
    for name in names:
        parts = (
            [name] if "." in name and name.rpartition(".")[2] in ("py", "pyx", "pxd", "h") else []
        )
        if parts or "/" in name:
            assert set(filter(None, name.split("/"))) <= known, name
        else:
            assert set(filter(None, name.split("."))) <= words | known, name


def test_map_of_the_code_has_a_line_for_each_module():
    modules = [path for path in PACKAGE.rglob("*.py") if path.name != "__init__.py"]
    named = re.findall(r"^ *(\w+\.py) +\S", "\n".join(code_map()), re.M)
    assert sorted(named) == sorted(path.name for path in modules)
    assert [path.name for path in PACKAGE.rglob("*.py") if not summary(path).endswith(".")] == []


def in_fresh_process(code):
    """Return what a program prints."""
    return subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout


def test_import_loads_no_optional_package():
    """Importing the package does not import matplotlib, imbalanced-learn or similar packages."""
    code = (
        "import sys, sklearn_online_svm.datasets; from sklearn_online_svm import *; "
        "optional = {'matplotlib', 'imblearn', 'rapidfuzz', 'tqdm', 'modAL', 'skactiveml'}; "
        "from sklearn_online_svm.active import SoftTFIDF; "
        "print(*optional & set(sys.modules))"
    )
    assert in_fresh_process(code).strip() == ""


def test_import_loads_no_module_before_its_names_are_used():
    code = """
import sys
import sklearn_online_svm

heavy = {"numpy", "scipy", "scipy.optimize", "scipy.stats", "sklearn", "sklearn.metrics"}
print(sorted(heavy & set(sys.modules)))
print(sorted(name for name in sys.modules if name.startswith("sklearn_online_svm.")))
sklearn_online_svm.AROWClassifier
print("sklearn_online_svm.linear" in sys.modules, "sklearn_online_svm.kernel" in sys.modules)
"""
    assert in_fresh_process(code).split("\n")[:-1] == [
        "[]",
        "['sklearn_online_svm._version']",
        "True False",
    ]


@pytest.mark.parametrize("name", sklearn_online_svm.__all__)
def test_names_of_the_package(name):
    assert name in dir(sklearn_online_svm)
    value = getattr(sklearn_online_svm, name)
    if inspect.isclass(value):
        assert value.__name__ == name
        assert pickle.loads(pickle.dumps(value)) is value


def test_star_import_gives_all_names():
    names = {}
    exec("from sklearn_online_svm import *", names)
    assert names.keys() - {"__builtins__"} == set(sklearn_online_svm.__all__)


def test_subpackages_are_attributes():
    names = sklearn_online_svm._MODULES
    code = f"import sklearn_online_svm as p; print(*[getattr(p, n).__name__ for n in {names}])"
    assert in_fresh_process(code).split() == [f"sklearn_online_svm.{name}" for name in names]


def test_unpickling_imports_the_class():
    stored = pickle.dumps(sklearn_online_svm.LASVC(C=2.0))
    code = f"import pickle; print(pickle.loads({stored!r}).C)"
    assert in_fresh_process(code) == "2.0\n"


def test_only_one_module_imports_private_names_of_scikit_learn():
    """Private names may change in any release, so ``_sklearn_compat`` imports all of them."""
    found = set()
    for path in (ROOT / "sklearn_online_svm").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            modules = [a.name for a in getattr(node, "names", ()) if isinstance(node, ast.Import)]
            if isinstance(node, ast.ImportFrom) and node.level == 0:
                modules = [f"{node.module}.{alias.name}" for alias in node.names]
            if any(re.match(r"sklearn\.(\w+\.)*_", module) for module in modules):
                found.add(path.name)
    assert found == {"_sklearn_compat.py"}


def test_only_support_and_core_import_private_modules():
    """The other tests read internals by``tests.support.internals``: code can move."""
    found = []
    for path in chain((ROOT / "tests").rglob("*.py"), (ROOT / "reliability").glob("*.py")):
        name = path.relative_to(ROOT)
        if name.parts[1] not in ("support", "core"):
            found += [f"{name}: {each}" for each in private_names(ast.parse(path.read_text()))]
    assert not found


def test_support_and_reliability_import_no_test_files():
    """What tests share with other programs is in ``tests.support``."""
    found = []
    for path in chain((ROOT / "tests/support").glob("*.py"), (ROOT / "reliability").glob("*.py")):
        lines = re.findall(r"^from tests\b.*\btest_.*", path.read_text(), re.M)
        found += [f"{path.name}: {line}" for line in lines]
    assert not found


def private_names(tree):
    """Yield the private modules and names of the package that are imported, or in strings."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            yield from filter(PRIVATE.match, (f"{node.module}.{a.name}" for a in node.names))
        elif isinstance(node, ast.Import):
            yield from filter(PRIVATE.match, (alias.name for alias in node.names))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            lines = re.findall(r"^ *from (sklearn_online_svm.* import .*)$", node.value, re.M)
            imported = [line.replace(" import ", ".") for line in lines]
            yield from filter(PRIVATE.match, [node.value, *imported])


def is_module(name):
    try:
        return bool(import_module(name))
    except ModuleNotFoundError:
        return False


@pytest.mark.parametrize("folder", ["benchmarks", "examples"])
def test_imported_names_exist(folder):
    """Also those of programs that only the slow tests run."""
    missing = []
    for path in (ROOT / folder).rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and str(node.module).startswith(PACKAGE.name):
                module = import_module(node.module)
                for alias in node.names:
                    name = f"{node.module}.{alias.name}"
                    if not hasattr(module, alias.name) and not is_module(name):
                        missing.append(f"{path.relative_to(ROOT)}: {name}")
    assert not missing
