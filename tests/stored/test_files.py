"""Files of skops: what is stored is loaded, and nothing else is; models of former versions."""

import io
import json
import os
import pickle
import subprocess
import sys
import warnings
import zipfile
from importlib import import_module

import numpy as np
import pytest
import skops.io
from numpy.testing import assert_array_equal
from sklearn.compose import ColumnTransformer
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler

import sklearn_online_svm as package
from sklearn_online_svm import LASVC, AROWClassifier
from sklearn_online_svm.active import EntityResolver
from sklearn_online_svm.callback import TimeLimit
from sklearn_online_svm.cells import CellClassifier
from sklearn_online_svm.datasets import make_banana_like
from sklearn_online_svm.export import load_model, save_model, trusted_types
from sklearn_online_svm.model_selection import ProgressiveSearch
from sklearn_online_svm.pipeline import make_online_pipeline
from tests.support import ROOT
from tests.support.internals import InconsistentPackageWarning, _estimator
from tests.support.stored_models import FILES, assert_continues, estimators, stored_models

X, Y = make_banana_like(200, random_state=0)


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "model.skops"
    save_model(LASVC(gamma=1.0, random_state=0).fit(X, Y), path)
    return path


def refused(path, reason):
    with pytest.raises(ValueError, match=rf"model.skops cannot be loaded: {reason}"):
        load_model(path)


# -- what is loaded -----------------------------------------------------------------------------


def reloaded(model, *names):
    return skops.io.loads(skops.io.dumps(model), trusted=[*trusted_types(), *names])


def test_kernels_of_columns():
    kernel = package.ColumnKernel([("rbf", [0]), ("linear", [1])])
    model = LASVC(kernel=kernel, random_state=0).fit(X, Y)
    assert_array_equal(reloaded(model).decision_function(X), model.decision_function(X))


def test_samplers():
    pytest.importorskip("imblearn")
    sampler = package.VirtualSampler(random_state=0)
    found, expected = reloaded(sampler).fit_resample(X, Y), sampler.fit_resample(X, Y)
    assert_array_equal(found[0], expected[0])


@pytest.mark.filterwarnings("ignore:gamma='scale' is fixed:UserWarning")
def test_the_best_estimator_of_a_search():
    search = ProgressiveSearch(CellClassifier(cell_size=60), {"overlap": [0.1, 0.3]})
    best = search.fit(X, Y).best_estimator_
    assert_array_equal(reloaded(best).predict(X), search.predict(X))


def test_pipelines_of_texts(tmp_path):
    texts = ["good fine", "bad poor", "fine good", "poor bad"] * 10
    model = make_pipeline(TfidfVectorizer(), AROWClassifier()).fit(texts, [1, 0, 1, 0] * 10)
    save_model(model, tmp_path / "model.skops")
    loaded = load_model(tmp_path / "model.skops")
    assert_array_equal(loaded.decision_function(texts), model.decision_function(texts))


def test_files_are_loaded_in_a_new_process(path):
    code = (
        "import sys; from sklearn_online_svm.export import load_model; "
        "model = load_model(sys.argv[1]); print(model.predict([[0.0, 0.0]])[0])"
    )
    done = subprocess.run([sys.executable, "-c", code, path], capture_output=True, text=True)
    assert done.stdout.strip() == str(load_model(path).predict([[0.0, 0.0]])[0]), done.stderr


def similarity(a, b):
    return float(a == b)


def test_functions_are_trusted_by_name():
    records, name = [1, 1, 2, 2, 3], f"{__name__}.similarity"
    model = EntityResolver([similarity]).fit(records, records)
    with pytest.raises(skops.io.exceptions.UntrustedTypesFoundException) as error:
        reloaded(model)
    assert str(error.value).endswith(f"['{name}'].")
    assert_array_equal(reloaded(model, name).predict(records), model.predict(records))


def test_the_trusted_types_exist():
    for name in trusted_types():
        module, _, kind = name.rpartition(".")
        try:
            found = import_module(module)
        except ImportError:
            assert kind in package._OPTIONAL
        else:
            # SciPy 1.10 has the class in another module.
            assert isinstance(getattr(found, kind, None), type) or kind == "csr_array"


# -- models of former versions -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "name"), list(stored_models()), ids=lambda part: getattr(part, "stem", part)
)
@pytest.mark.filterwarnings("ignore:gamma='scale' is fixed:UserWarning")
def test_models_of_former_versions(path, name):
    assert_continues(path, name)


def test_models_of_every_class_are_stored():
    """``make store-models`` writes the file; classes of a version to come may be missing."""
    with zipfile.ZipFile(FILES / f"{package.__version__}.zip") as file:
        stored = {name.rsplit(".", 1)[0] for name in file.namelist()} - {"responses"}
    offered = set(estimators())
    assert stored <= offered
    unreleased = f"{package.__version__} (unreleased)" in (ROOT / "CHANGELOG.rst").read_text()
    assert unreleased or stored == offered
    assert all(path.stat().st_size < 200_000 for path in FILES.glob("*.zip"))


# -- what is not stored --------------------------------------------------------------------------

NOT_STORED = {
    "a kernel": LASVC(kernel=np.inner),
    "a lambda": LASVC(kernel=lambda X, Y: X @ Y.T),
    "a transformer": make_pipeline(FunctionTransformer(print), LASVC()),
    "a search": ProgressiveSearch(LASVC(), {"C": [1.0, 2.0]}).fit(X, Y),
    "no estimator": {"C": 1.0},
}
if hasattr(LASVC, "set_callbacks"):  # since scikit-learn 1.9
    NOT_STORED["callbacks"] = LASVC().set_callbacks(TimeLimit(100))


@pytest.mark.parametrize("name", NOT_STORED)
def test_refused_objects(name, path):
    before = path.read_bytes()
    with pytest.raises(ValueError, match=r"cannot be stored in .*model.skops: .*Store it with"):
        save_model(NOT_STORED[name], path)
    assert path.read_bytes() == before
    assert [file.name for file in path.parent.iterdir()] == ["model.skops"]


def test_a_failed_write_leaves_the_former_file(path, monkeypatch):
    before = path.read_bytes()

    def fail(*args):
        raise OSError("the disk is full")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="the disk is full"):
        save_model(AROWClassifier().fit(X, Y), path)
    assert path.read_bytes() == before
    assert [file.name for file in path.parent.iterdir()] == ["model.skops"]


# -- damaged and hostile files -------------------------------------------------------------------


def changed(path, change=None, **members):
    """Write the file again with another schema or other members."""
    with zipfile.ZipFile(path) as archive:
        content = {name: archive.read(name) for name in archive.namelist()}
    schema = json.loads(content["schema.json"])
    if change is not None:
        change(schema)
    content["schema.json"] = json.dumps(schema).encode()
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in (content | members).items():
            archive.writestr(name, data)


def test_damage_anywhere_is_detected(path, global_random_seed):
    """A changed byte is detected, or in a field that is not used, such as the date."""
    data, expected = path.read_bytes(), load_model(path).decision_function(X)
    random, n_refused = np.random.default_rng(global_random_seed), 0
    for position in random.integers(len(data), size=150):
        wrong = bytearray(data)
        wrong[position] ^= 1 << random.integers(8)
        path.write_bytes(wrong)
        try:
            assert_array_equal(load_model(path).decision_function(X), expected)
        except ValueError as error:
            assert str(path) in str(error)
            n_refused += 1
    assert n_refused > 75


def test_truncated_files(path):
    data = path.read_bytes()
    for size in (0, 1, 10, 100, len(data) // 2, len(data) - 1):
        path.write_bytes(data[:size])
        refused(path, "")


def test_other_files(path):
    np.savez(path.open("wb"), a=np.ones(3))
    refused(path, "")
    path.write_bytes(pickle.dumps(LASVC()))
    refused(path, "")
    with pytest.raises(FileNotFoundError, match=r"missing\.skops"):
        load_model(path.parent / "missing.skops")


def test_other_values(path):
    path.write_bytes(skops.io.dumps({"C": 1.0}))
    refused(path, "it contains no estimator")


@pytest.mark.parametrize(
    "name", ["os.system", "builtins.eval", "sklearn_online_svm.export.load_model"]
)
def test_other_types_are_refused(path, name):
    module, _, kind = name.rpartition(".")
    changed(path, lambda schema: schema.update({"__module__": module, "__class__": kind}))
    refused(path, f".*{kind}")


def test_modules_named_in_the_file_are_not_imported(path, monkeypatch):
    (path.parent / "named_in_file.py").write_text("raise SystemExit('imported')")
    monkeypatch.syspath_prepend(path.parent)
    changed(path, lambda s: s.update({"__module__": "named_in_file", "__class__": "Model"}))
    refused(path, ".*named_in_file.Model")
    assert "named_in_file" not in sys.modules


def test_pickled_arrays_are_not_loaded(path):
    file = io.BytesIO()
    np.save(file, np.array([print], dtype=object), allow_pickle=True)
    with zipfile.ZipFile(path) as archive:
        arrays = [name for name in archive.namelist() if name.endswith(".npy")]
    changed(path, **{arrays[0]: file.getvalue()})
    refused(path, ".*Object arrays cannot be loaded when allow_pickle=False")


# What a schema may contain in place of any value.
WRONG_VALUES = [
    *(None, True, -1, 3, 10**30, 1e300, "", "x", "\ud800", [], [1], {}, {"a": 1}),
    *("NdArrayNode", "ObjectNode", "JsonNode", "TypeNode", "builtins", "numpy", "dict"),
]


def places(code):
    """Yield the containers and keys of all values in a document."""
    if isinstance(code, (dict, list)):
        for key in code if isinstance(code, dict) else range(len(code)):
            yield code, key
            yield from places(code[key])


def models_to_change():
    kernel = package.ColumnKernel([("rbf", [0]), ("linear", slice(1, 2))])
    generator = np.random.RandomState(0)
    labels = np.where(Y > 0, "a", "b").astype(object)
    rule = package.Advice.from_conditions({0: (">=", 1.0)}, range(2), 1)
    table = ColumnTransformer([("a", OneHotEncoder(), [0]), ("b", StandardScaler(), slice(1, 2))])
    yield LASVC(kernel=kernel, random_state=generator).fit(X, Y)
    yield AROWClassifier(random_state=generator).fit(X, labels)
    yield make_online_pipeline(StandardScaler(), LASVC()).partial_fit(X, Y, classes=[-1, 1])
    yield CellClassifier(LASVC(), cell_size=60, random_state=0).partial_fit(X, Y, classes=[-1, 1])
    yield package.AdvicePassiveAggressiveClassifier([rule]).fit(X, Y)
    yield package.LabelEfficientClassifier().partial_fit(X, Y, classes=[-1, 1])
    yield make_pipeline(table, LASVC()).fit(X.round(), Y)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("model", list(models_to_change()), ids=lambda model: type(model).__name__)
def test_changed_schemas_are_refused_or_loaded(model, tmp_path, global_random_seed):
    """Only a ValueError that names the file is raised, whatever the file contains."""
    path, random = tmp_path / "model.skops", np.random.default_rng(global_random_seed)
    save_model(model, path)
    original, n_refused = path.read_bytes(), 0

    def change(schema):
        found = list(places(schema))
        container, key = found[random.integers(len(found))]
        if random.random() < 0.2:
            del container[key]
        else:
            container[key] = WRONG_VALUES[random.integers(len(WRONG_VALUES))]

    for _ in range(100):
        path.write_bytes(original)
        changed(path, change)
        try:
            loaded = load_model(path)
        except ValueError as error:
            assert str(error).startswith(f"{path} cannot be loaded: ")
            n_refused += 1
        else:
            assert hasattr(loaded, "fit")
    # Many fields are not used: of CellClassifier between 21 and 24 of 100 changes are refused.
    assert n_refused > 12


# -- versions ------------------------------------------------------------------------------------


def test_another_version_warns_and_is_not_damage(path, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(_estimator, "__version__", "0.0.7")
        save_model(LASVC(), path)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(InconsistentPackageWarning, match=r"0\.0\.7"):
            load_model(path)


def test_the_same_versions_are_silent(path):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert isinstance(load_model(path), LASVC)
