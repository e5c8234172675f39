"""Model files without pickles: what is stored is loaded, and nothing else is."""

import io
import json
import pickle
import subprocess
import sys
import warnings
import zipfile

import numpy as np
import pytest
from joblib import Memory
from scipy import sparse
from sklearn.compose import ColumnTransformer
from sklearn.decomposition import PCA, IncrementalPCA, TruncatedSVD
from sklearn.feature_extraction.text import HashingVectorizer, TfidfTransformer
from sklearn.impute import SimpleImputer
from sklearn.kernel_approximation import Nystroem, RBFSampler
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.preprocessing import (
    LabelBinarizer,
    LabelEncoder,
    MaxAbsScaler,
    MinMaxScaler,
    Normalizer,
    OneHotEncoder,
    OrdinalEncoder,
    PolynomialFeatures,
    PowerTransformer,
    QuantileTransformer,
    RobustScaler,
    StandardScaler,
)

import sklearn_online_svm as package
from sklearn_online_svm import LASVC, AROWClassifier, _model_file
from sklearn_online_svm._model_file import read_header
from sklearn_online_svm._persistent import InconsistentPackageWarning
from sklearn_online_svm._plain_values import CLASSES, Decoder, Encoder, class_name
from sklearn_online_svm.active import MarginQuery
from sklearn_online_svm.callbacks import TimeLimit
from sklearn_online_svm.datasets import make_banana_like
from sklearn_online_svm.export import load_model, save_model
from sklearn_online_svm.model_selection import ProgressiveSearch
from sklearn_online_svm.partitioned import CellClassifier
from sklearn_online_svm.pipeline import make_online_pipeline
from tests.support import ROOT
from tests.support.docstrings import public_objects
from tests.support.fitted_models import models, use

MODELS = models()
# They contain functions, or classes that no model file has.
NOT_STORED = {"model_selection.ProgressiveSearch", "active.EntityResolver", "VirtualSampler"}
X, Y = make_banana_like(200, random_state=0)


def stored(model, path):
    save_model(model, path)
    return load_model(path)


def same(found, expected):
    """Assert that nested values are identical, to the last bit."""
    assert type(found) is type(expected)
    if isinstance(expected, np.ndarray):
        assert found.dtype == expected.dtype and found.shape == expected.shape
        if expected.dtype.hasobject or expected.dtype.kind == "T":
            same(found.tolist(), expected.tolist())
        else:
            assert found.tobytes() == expected.tobytes()
            assert found.flags.f_contiguous == expected.flags.f_contiguous
    elif isinstance(expected, dict):
        assert list(found) == list(expected)
        same(list(found.values()), list(expected.values()))
    elif isinstance(expected, (list, tuple)):
        assert len(found) == len(expected)
        for a, b in zip(found, expected, strict=True):
            same(a, b)
    elif sparse.issparse(expected):
        assert found.shape == expected.shape
        for name in ("data", "indices", "indptr"):
            same(getattr(found, name), getattr(expected, name))
    elif isinstance(expected, type):
        assert found is expected
    elif hasattr(expected, "__getstate__") and (state := expected.__getstate__()) is not None:
        same(found.__getstate__(), state)
    else:
        assert repr(found) == repr(expected)


# -- models --------------------------------------------------------------------------------------


def is_function(model):
    return callable(getattr(model, "kernel", None))


@pytest.mark.parametrize("name", [name for name in MODELS if not is_function(MODELS[name][0])])
def test_loaded_models_predict_and_continue_alike(name, tmp_path):
    model, X, y = MODELS[name]
    loaded = stored(model, tmp_path / "model.npz")
    again = pickle.loads(pickle.dumps(model))
    same(loaded.__getstate__(), again.__getstate__())
    use(loaded, X, y)
    use(again, X, y)
    same(loaded.__getstate__(), again.__getstate__())


@pytest.mark.parametrize("name", [name for name in MODELS if is_function(MODELS[name][0])])
def test_callable_kernels_are_refused(name, tmp_path):
    path = tmp_path / "model.npz"
    with pytest.raises(ValueError, match=r"cannot be stored in .*model.npz: kernel is <"):
        save_model(MODELS[name][0], path)
    assert not list(tmp_path.iterdir())


def estimators():
    support = pytest.importorskip("tests.support.stored_models", reason="skops is not installed")
    return support, support.estimators()


def test_estimators_of_every_class(tmp_path):
    support, offered = estimators()
    for path in sorted(offered.keys() - NOT_STORED):
        model = offered[path]
        same(stored(model, tmp_path / "unfitted.npz").__getstate__(), model.__getstate__())
        support.train(model, support.X_FIRST, support.Y_FIRST, "fit")
        loaded = stored(model, tmp_path / "fitted.npz")
        expected = list(support.responses_of(model))
        assert list(support.responses_of(loaded)) == expected, path


def test_the_classes_are_those_of_the_package():
    _, offered = estimators()
    kinds = {type(model).__name__ for path, model in offered.items() if path not in NOT_STORED}
    listed = {
        name
        for module, names in CLASSES.items()
        if "sklearn_online_svm" in module
        for name in names
    }
    # These are parts of estimators.
    parts = {"Advice", "CellStream", "CellTree", "ColumnKernel", "StoredSamples", "_SingleClass"}
    assert listed == kinds | parts
    assert {path.rpartition(".")[2] for path in public_objects()} >= kinds


def test_cells_with_a_single_class(tmp_path):
    y = np.where(X[:, 0] > np.quantile(X[:, 0], 0.9), "far", "near")
    model = CellClassifier(LASVC(random_state=0), cell_size=30, random_state=0).fit(X, y)
    assert any(len(cell.classes_) == 1 for cell in model.estimators_)
    loaded = stored(model, tmp_path / "model.npz")
    same(loaded.decision_function(X), model.decision_function(X))
    same(loaded.predict(X), model.predict(X))


def test_cells_of_a_stream_continue(tmp_path):
    cells = CellClassifier(LASVC(random_state=0), cell_size=60, random_state=0)
    cells.partial_fit(X[:100], Y[:100], classes=[-1, 1])
    loaded = stored(cells, tmp_path / "model.npz")
    for model in (cells, loaded):
        model.partial_fit(X[100:], Y[100:])
    assert loaded.n_cells_ == cells.n_cells_ > 2
    same(loaded.decision_function(X), cells.decision_function(X))


def test_a_cell_with_a_search_is_refused(tmp_path):
    search = ProgressiveSearch(LASVC(random_state=0), {"C": [0.1, 1.0]}, random_state=0)
    model = CellClassifier(search, cell_size=150, random_state=0)
    with pytest.raises(
        ValueError, match=r"estimator is ProgressiveSearch\(.*, of type sklearn_on"
    ):
        save_model(model, tmp_path / "model.npz")
    with pytest.raises(ValueError, match="ProgressiveSearch cannot be stored in .*: the model is"):
        save_model(search, tmp_path / "model.npz")
    with pytest.raises(ValueError, match="list cannot be stored in .*: it is not an estimator"):
        save_model([AROWClassifier()], tmp_path / "model.npz")


def test_kernels_of_columns(tmp_path):
    kernel = package.ColumnKernel([("rbf", [0]), ("linear", [1])])
    model = LASVC(kernel=kernel, random_state=0).fit(X[:100], Y[:100])
    loaded = stored(model, tmp_path / "model.npz")
    loaded.partial_fit(X[100:], Y[100:])
    model.partial_fit(X[100:], Y[100:])
    same(loaded.decision_function(X), model.decision_function(X))


@pytest.mark.parametrize(
    "transformer",
    [
        *(StandardScaler(), MinMaxScaler(), MaxAbsScaler(), RobustScaler(), Normalizer()),
        *(PCA(1, random_state=0), IncrementalPCA(1), TruncatedSVD(1, random_state=0)),
        *(
            PolynomialFeatures(),
            PowerTransformer(),
            QuantileTransformer(n_quantiles=20),
            SimpleImputer(),
        ),
        *(Nystroem(n_components=9, random_state=0), RBFSampler(n_components=9, random_state=0)),
        *(OneHotEncoder(handle_unknown="ignore"), OrdinalEncoder()),
        FeatureUnion([("a", StandardScaler()), ("b", MinMaxScaler())]),
        ColumnTransformer([("a", OneHotEncoder(), [0])], remainder=StandardScaler()),
        ColumnTransformer([("a", StandardScaler(), slice(1)), ("b", "drop", [1])]),
    ],
    ids=lambda transformer: type(transformer).__name__,
)
def test_pipelines_of_scikit_learn(transformer, tmp_path):
    X = make_banana_like(200, random_state=0)[0].round(1)
    model = make_pipeline(transformer, LASVC(random_state=0)).fit(X, Y)
    loaded = stored(model, tmp_path / "model.npz")
    same(loaded.decision_function(X), model.decision_function(X))
    assert repr(loaded) == repr(model)


def test_pipelines_of_texts(tmp_path):
    texts = ["one two", "two three", "three four", "one four"] * 5
    model = make_pipeline(HashingVectorizer(n_features=64), TfidfTransformer(), AROWClassifier())
    model.fit(texts, ["a", "b"] * 10)
    same(
        stored(model, tmp_path / "model.npz").decision_function(texts),
        model.decision_function(texts),
    )


@pytest.mark.parametrize("encoder", [LabelEncoder(), LabelBinarizer()])
def test_encoders_of_labels(encoder, tmp_path):
    encoder.fit(["x", "y", "z"])
    loaded = stored(encoder, tmp_path / "encoder.npz")
    same(loaded.transform(["z", "x"]), encoder.transform(["z", "x"]))


def test_a_pipeline_in_its_warm_up(tmp_path):
    pipeline = make_online_pipeline(StandardScaler(), LASVC(random_state=0))
    pipeline.partial_fit(X[:100], Y[:100], classes=[-1, 1])
    loaded = stored(pipeline, tmp_path / "model.npz")
    for model in (pipeline, loaded):
        model.partial_fit(X[100:], Y[100:])
    same(loaded.decision_function(X), pipeline.decision_function(X))


@pytest.mark.parametrize("dtype", ["int64", "bool", "U5", object, "float64", "int8"])
def test_labels_of_any_type(dtype, tmp_path):
    y = np.where(Y > 0, "a", "b").astype(object) if dtype is object else (Y > 0).astype(dtype)
    model = AROWClassifier(random_state=0).fit(X, y)
    loaded = stored(model, tmp_path / "model.npz")
    same(loaded.classes_, model.classes_)
    same(loaded.predict(X), model.predict(X))


# -- values --------------------------------------------------------------------------------------


def recoded(value):
    encoder = Encoder()
    code = json.loads(json.dumps(encoder.encode(value, ""), allow_nan=False))
    return Decoder(lambda k: encoder.arrays[k]).decode(code)


@pytest.mark.parametrize(
    "value",
    [
        *(None, True, 3, 2**200, -0.0, 0.1, 5e-324, float("inf"), -float("inf"), float("nan")),
        *("", "ä\ud800\n", (), (1, (2.5, [None])), {}, {"a": {"b": ()}}, {1: "x", (2, "b"): 3}),
        *(np.float64(0.1), np.float32(np.inf), np.int8(3), np.str_("x"), np.bool_(True)),
        *(np.dtype("<f4"), np.dtype("U3"), np.float64, np.int32, float, object, LASVC, slice(1)),
        *(np.arange(6.0).reshape(2, 3).T, np.zeros((0, 3)), np.array(1.5), np.array(["a", "bcd"])),
        np.array([[1, "x"], [None, (2.0,)]], dtype=object),
        np.array([(1, 2.5)], dtype=[("a", "i4"), ("b", "f8")]),
        *(np.array([1.5, 2], dtype=">f8"), np.array(["2020-01-01"], dtype="M8[D]")),
    ],
    ids=repr,
)
def test_values_are_identical(value):
    same(recoded(value), value)


def test_strings_of_variable_width():
    if not hasattr(np.dtypes, "StringDType"):
        pytest.skip("NumPy 1 has no StringDType")
    value = np.array(["a", "bcd"], dtype=np.dtypes.StringDType())
    same(recoded(value), value)


@pytest.mark.parametrize("kind", ["csr_matrix", "csc_matrix", "csr_array", "csc_array"])
def test_sparse_matrices(kind):
    value = getattr(sparse, kind)(np.eye(3)[:2])
    found = recoded(value)
    assert type(found) is type(value) and found.shape == (2, 3)
    same(found.toarray(), value.toarray())


@pytest.mark.parametrize("name", ["MT19937", "PCG64", "PCG64DXSM", "Philox", "SFC64"])
def test_random_number_generators(name):
    for kind in (np.random.RandomState, np.random.Generator):
        generator = kind(getattr(np.random, name)(3))
        generator.standard_normal(5)
        found = recoded(generator)
        assert type(found) is kind
        same(found.standard_normal(5), generator.standard_normal(5))


def test_shared_objects_remain_shared():
    array, generator = np.arange(3.0), np.random.RandomState(0)
    found = recoded([array, {"a": array}, generator, (generator,)])
    assert found[0] is found[1]["a"] and found[2] is found[3][0]


@pytest.mark.parametrize("value", [len, {1, 2}, b"bytes", 1j, LogisticRegression(), np.ma.ones(2)])
def test_other_values_are_refused(value, tmp_path):
    model = AROWClassifier(class_weight={"a": [0, value]})
    message = (
        r"(?s)AROWClassifier cannot be stored in .*m.npz: class_weight\['a'\]\[1\] is .* of type"
    )
    with pytest.raises(ValueError, match=message):
        save_model(model, tmp_path / "m.npz")


@pytest.mark.skipif(not hasattr(LASVC, "set_callbacks"), reason="scikit-learn before 1.9")
def test_callbacks_are_refused(tmp_path):
    model = LASVC().set_callbacks(TimeLimit(100)).fit(X, Y)
    with pytest.raises(ValueError, match=r"m.npz: it has callbacks: remove them with set_callb"):
        save_model(model, tmp_path / "m.npz")
    same(stored(model.set_callbacks(), tmp_path / "m.npz").predict(X), model.predict(X))


# -- files ---------------------------------------------------------------------------------------


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "model.npz"
    save_model(LASVC(gamma=1.0, random_state=0).fit(X, Y), path)
    return path


def changed(path, change=None, **members):
    """Write the file again with another document or other members."""
    with zipfile.ZipFile(path) as archive:
        content = {name: archive.read(name) for name in archive.namelist()}
    document = json.loads(content["model.json"])
    if change is not None:
        change(document)
    content["model.json"] = json.dumps(document).encode()
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in (content | members).items():
            if data is not None:
                archive.writestr(name, data)


def refused(path, reason):
    with pytest.raises(ValueError, match=rf"model.npz cannot be loaded: {reason}"):
        load_model(path)


def test_equal_models_give_equal_files(path, tmp_path):
    save_model(load_model(path), tmp_path / "again.npz")
    assert (tmp_path / "again.npz").read_bytes() == path.read_bytes()


def test_the_arrays_are_read_by_numpy(path):
    with np.load(path, allow_pickle=False) as file:
        assert all(isinstance(file[name], np.ndarray) for name in file if name != "model.json")
        assert json.loads(file["model.json"])["class"] == "LASVC"


def test_header(path):
    assert read_header(path) == {
        "format": 1,
        "sklearn_online_svm": package.__version__,
        "sklearn": sys.modules["sklearn"].__version__,
        "class": "LASVC",
    }


def test_damage_anywhere_is_detected(path, global_random_seed):
    """A changed byte is detected, or in a field that is not used, such as the date."""
    data, expected = path.read_bytes(), load_model(path).decision_function(X)
    random, n_refused = np.random.default_rng(global_random_seed), 0
    for position in random.integers(len(data), size=150):
        wrong = bytearray(data)
        wrong[position] ^= 1 << random.integers(8)
        path.write_bytes(wrong)
        try:
            same(load_model(path).decision_function(X), expected)
        except ValueError as error:
            assert str(path) in str(error)
            n_refused += 1
    assert n_refused > 75


def test_truncated_files(path):
    data = path.read_bytes()
    for size in (0, 1, 10, 100, len(data) // 2, len(data) - 1):
        path.write_bytes(data[:size])
        refused(path, "it is damaged, incomplete, or not a model file")


def test_checksum_of_the_estimator(path):
    """The estimator has a checksum, too: those of the archive fit the changed content."""

    def change(document):
        document["model"]["state"]["n_features_in_"] = 3

    changed(path, change)
    refused(path, "The stored LASVC is damaged: its checksum differs")


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (
            lambda d: d.update(format=2),
            "it has the format 2 of sklearn-online-svm .*reads format 1",
        ),
        (lambda d: d.pop("format"), "it is not a model file, as it has no format number"),
        (lambda d: d.pop("model"), "it is damaged"),
        (lambda d: d.update(model={"array": 999}), r"it is damaged.*999\.npy"),
        (lambda d: d.update(model={"__init__": 1}), "it is damaged"),
        (lambda d: d.update(model={"float": "x"}), "it is damaged.*could not convert"),
        (lambda d: d.pop("sklearn"), "it is damaged: model.json has no 'sklearn'"),
        (lambda d: d.update(format=True), "it is not a model file, as it has no format number"),
        (lambda d: d.update(model=5), "it contains 5, which is not an estimator"),
        (lambda d: d.update(model={}), "it is damaged"),
        (lambda d: d.update(model={"array": 0}), r"it contains array\(.*, which is not an est"),
        (lambda d: d.update(model={"class": d["model"]["class"]}), "it contains .*LASVC.*, which"),
        (lambda d: d.update(model={"objects": [1], "shape": [10**30], "dtype": "O"}), "it is dam"),
        (lambda d: d["model"]["state"].pop("_engine"), "The stored LASVC is damaged"),
        (lambda d: d["model"]["state"].pop("checksum"), "The stored LASVC is damaged"),
        (lambda d: d.update(model={"numpy_type": "load"}), "it is damaged"),
        (lambda d: d.update(model={"object": 0}), "it is damaged"),
    ],
)
def test_other_documents(path, change, reason):
    changed(path, change)
    refused(path, reason)


@pytest.mark.parametrize(
    "name",
    [
        "os.system",
        "builtins.eval",
        "sklearn_online_svm.export.load_model",
        "LASVC",
        "sklearn_online_svm.kernel.LASVC.fit",
        "sklearn.ensemble.RandomForestClassifier",
    ],
)
def test_other_classes_are_not_created(path, name):
    def change(document):
        document["model"].update({"class": name})

    changed(path, change)
    refused(path, f"it contains an object of class '{name}', which this version does not create")


def test_modules_named_in_the_file_are_not_imported(path, tmp_path, monkeypatch):
    (tmp_path / "named_in_file.py").write_text("raise SystemExit('imported')")
    monkeypatch.syspath_prepend(tmp_path)
    changed(path, lambda document: document["model"].update({"class": "named_in_file.Model"}))
    refused(path, "it contains an object of class 'named_in_file.Model'")
    assert "named_in_file" not in sys.modules


def test_pickled_arrays_are_not_loaded(path):
    file = io.BytesIO()
    np.save(file, np.array([print], dtype=object), allow_pickle=True)
    changed(path, **{"0.npy": file.getvalue()})
    refused(path, "it is damaged.*Object arrays cannot be loaded when allow_pickle=False")


@pytest.mark.parametrize(
    "header",
    [
        "{'descr': '<f8', 'fortran_order': False, 'shape': (3,",
        f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({10**30},)}}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (-1, -3)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (4294967296, 4294967296)}",
        "{'descr': '<f8', 'fortran_order': False}",
        "{'descr': 'x', 'fortran_order': False, 'shape': (3,)}",
        "(" * 9000,
        "__import__('os')",
    ],
    ids=lambda header: header[:80],
)
def test_damaged_arrays(path, header):
    data = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode() + bytes(24)
    changed(path, **{"0.npy": data})
    refused(path, "it is damaged, incomplete, or not a model file")


def test_nested_documents(path):
    depth = 100_000
    changed(path, **{"model.json": b'{"format": 1, "model": ' + b"[" * depth + b"]" * depth})
    refused(path, "it is damaged, incomplete, or not a model file .*RecursionError")


@pytest.mark.parametrize("method", ["deflate64", "lzma"])
def test_other_compressions(path, method):
    """Members that zipfile cannot decompress."""
    data = path.read_bytes()
    number = {"deflate64": 9, "lzma": 14}[method].to_bytes(2, "little")
    at = data.rindex(b"PK\x01\x02")
    path.write_bytes(data[: at + 10] + number + data[at + 12 :])
    refused(path, "it is damaged, incomplete, or not a model file")


# What a document may contain in place of any value.
WRONG_VALUES = [
    *(None, True, -1, 3, 10**30, 1e300, float("nan"), "", "x", "\ud800", [], [1], {}, {"a": 1}),
    *({"array": 0}, {"array": -1}, {"array": [0]}, {"object": 0}, {"object": []}, {"object": 9}),
    *({"dtype": "O"}, {"dtype": 5}, {"float": []}, {"slice": [1]}, {"slice": 4 * [1]}),
    *({"tuple": 5}, {"items": [[1]]}, {"items": [[[], 1]]}, {"scalar": 0}, {"class": 5}),
    *({"objects": [1], "shape": [-1, -1], "dtype": "T"}, {"numpy_type": 7}, {"python_type": "x"}),
    {"object": 99, "class": "sklearn.pipeline.Pipeline", "state": {}},
    {"object": 99, "class": "RandomState", "state": {}},
    {"object": 99, "class": "csr_matrix", "state": {"data": 1, "indices": 2, "indptr": 3}},
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
    rule = package.Advice.from_rules({0: (">=", 1.0)}, range(2), 1)
    table = ColumnTransformer([("a", OneHotEncoder(), [0]), ("b", StandardScaler(), slice(1, 2))])
    yield LASVC(kernel=kernel, random_state=generator).fit(X, Y)
    yield AROWClassifier(random_state=generator).fit(X, labels)
    yield make_online_pipeline(StandardScaler(), LASVC()).partial_fit(X, Y, classes=[-1, 1])
    yield CellClassifier(LASVC(), cell_size=60, random_state=0).partial_fit(X, Y, classes=[-1, 1])
    yield package.AdvicePassiveAggressiveClassifier([rule]).fit(X, Y)
    yield package.LabelEfficientClassifier().partial_fit(X, Y, classes=[-1, 1])
    yield make_pipeline(table, LASVC()).fit(X.round(), Y)


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("model", list(models_to_change()), ids=lambda model: type(model).__name__)
def test_changed_documents_are_refused_or_loaded(model, tmp_path, global_random_seed):
    """Only a ValueError that names the file is raised, whatever the document contains."""
    path, random = tmp_path / "model.npz", np.random.default_rng(global_random_seed)
    save_model(model, path)
    original, n_refused = path.read_bytes(), 0

    def change(document):
        found = list(places(document))
        container, key = found[random.integers(len(found))]
        if random.random() < 0.2:
            del container[key]
        else:
            container[key] = WRONG_VALUES[random.integers(len(WRONG_VALUES))]

    for _ in range(60):
        path.write_bytes(original)
        changed(path, change)
        try:
            loaded = load_model(path)
        except ValueError as error:
            assert str(error).startswith(f"{path} cannot be loaded: ")
            n_refused += 1
        else:
            assert class_name(type(loaded)) is not None
    assert n_refused > 20


def test_checksum_of_the_columns_of_a_kernel(path):
    """Compiled code would read stores that do not exist."""
    kernel = package.ColumnKernel([("rbf", [0]), ("linear", slice(1, 2))])
    for terms in ({"tuple": ["rbf", [1]]}, {"tuple": ["linear", {"slice": [0, 2, None]}]}):
        save_model(LASVC(kernel=kernel, random_state=0).fit(X, Y), path)

        def change(document, terms=terms):
            spec = document["model"]["state"]["_spec"]["dict"]
            spec["kernel"]["state"]["terms"][0] = terms

        changed(path, change)
        refused(path, "The stored LASVC is damaged: its checksum differs")


def test_a_warning_as_an_error_is_not_damage(path, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr("sklearn_online_svm._persistent.__version__", "0.0.7")
        save_model(LASVC(), path)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(InconsistentPackageWarning, match=r"0\.0\.7"):
            load_model(path)


@pytest.mark.parametrize("make", [make_pipeline, make_online_pipeline])
def test_the_cache_of_a_pipeline_is_not_stored(make, path, tmp_path):
    """A cache contains pickles: files name no folder from which they would be read."""
    folder = tmp_path / "cache"
    for memory in (str(folder), Memory(tmp_path / "object", verbose=0)):
        save_model(make(StandardScaler(), LASVC(), memory=memory), path)

        def change(document):
            state = document["model"]["state"]
            assert state["memory"] is None
            state["memory"] = str(folder)

        changed(path, change)
        assert load_model(path).memory is None
    assert load_model(path).fit(X, Y).memory is None
    assert not folder.exists()


def test_other_files(tmp_path):
    path = tmp_path / "model.npz"
    np.savez(path, a=np.ones(3))
    refused(path, "it is not a model file, as it has no model.json")
    path.write_bytes(pickle.dumps(LASVC()))
    refused(path, "it is damaged, incomplete, or not a model file")
    with pytest.raises(FileNotFoundError, match="missing.npz"):
        load_model(tmp_path / "missing.npz")


def test_another_version_warns(path, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr("sklearn_online_svm._persistent.__version__", "0.0.7")
        save_model(LASVC(), path)
    with pytest.warns(InconsistentPackageWarning, match=r"0\.0\.7"):
        load_model(path)


def test_the_same_versions_are_silent(path):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        load_model(path)


def test_a_failed_write_leaves_the_former_file(path, monkeypatch):
    before = path.read_bytes()

    def fail(*args, **kwargs):
        raise OSError("the disk is full")

    monkeypatch.setattr(_model_file.np.lib.format, "write_array", fail)
    with pytest.raises(OSError, match="the disk is full"):
        save_model(AROWClassifier().fit(X, Y), path)
    assert path.read_bytes() == before
    assert [file.name for file in path.parent.iterdir()] == ["model.npz"]


def test_files_are_loaded_in_a_new_process(path):
    """The classes are imported when they are needed."""
    code = (
        "import sys; from sklearn_online_svm.export import load_model; "
        "model = load_model(sys.argv[1]); print(model.predict([[0.0, 0.0]])[0])"
    )
    pipeline = make_online_pipeline(StandardScaler(), LASVC(random_state=0)).fit(X, Y)
    save_model(pipeline, path)
    result = subprocess.run(
        [sys.executable, "-c", code, str(path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert result.stdout.strip() == str(pipeline.predict([[0.0, 0.0]])[0])


def test_query_strategies_with_generators(tmp_path):
    query = MarginQuery(random_state=np.random.RandomState(3))
    query.update(X[:50, 0], query.query(X[:50, 0]))
    loaded = stored(query, tmp_path / "query.npz")
    same(loaded.query(X[50:, 0]), query.query(X[50:, 0]))
