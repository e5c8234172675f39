"""ONNX graphs, skops files and model files of LIBSVM give the predictions of the model."""

import inspect
import io
import pickle
import shutil
import subprocess
import zipfile

import numpy as np
import pytest
from scipy.sparse import csr_matrix, issparse
from scipy.spatial.distance import cdist
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import (
    dump_svmlight_file,
    load_breast_cancer,
    load_digits,
    load_iris,
    load_wine,
    make_friedman1,
)
from sklearn.ensemble import BaggingClassifier
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.model_selection import GridSearchCV
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import sklearn_online_svm as ours
from sklearn_online_svm import export
from sklearn_online_svm.calibration import OnlineCalibratedClassifier
from sklearn_online_svm.datasets import make_banana_like
from sklearn_online_svm.export import load_libsvm, save_libsvm

skl2onnx = pytest.importorskip("skl2onnx", reason="the converters extend skl2onnx")
onnxruntime = pytest.importorskip("onnxruntime", reason="graphs are run by onnxruntime")
skops_io = pytest.importorskip("skops.io", reason="skops is not installed")

import sklearn_online_svm.onnx  # noqa: E402, F401

CLASSIFIERS = [
    ours.LASVC(random_state=0),
    ours.LASVC(kernel="linear"),
    ours.LASVC(kernel="poly", degree=2, coef0=1.0),
    ours.LASVC(algorithm="lasvm-nc", random_state=0),
    ours.ActiveLASVC(random_state=0),
    ours.VirtualLASVC(random_state=0),
    ours.RampSVC(),
    ours.LASVC(multi_class="ovr", random_state=0),
    ours.RampSVC(multi_class="ovr"),
    ours.KernelAROWClassifier(random_state=0),
    ours.KernelPassiveAggressiveClassifier(max_support_vectors=50, budget_policy="merging"),
    ours.KernelPassiveAggressiveClassifier(multi_class="crammer_singer"),
    ours.KernelPerceptronClassifier(average="mean", random_state=0),
    ours.CompressedClassifier(ours.LASVC(random_state=0), tolerance=0.1),
    ours.CompressedClassifier(ours.LASVC(random_state=0), max_support_vectors=20),
    ours.CompressedClassifier(ours.LASVC(kernel="linear"), tolerance=0.1),
    ours.AROWClassifier(random_state=0),
    ours.ConfidenceWeightedClassifier(random_state=0),
    ours.CostSensitivePassiveAggressiveClassifier(random_state=0),
    ours.LocalOnlineClassifier(random_state=0),
    ours.LocalOnlineClassifier(n_neighbors=3, random_state=0),
    ours.PassiveAggressiveClassifier(average=True, random_state=0),
    ours.PerceptronClassifier(random_state=0),
    ours.SCWClassifier(random_state=0),
    ours.SecondOrderPerceptronClassifier(random_state=0),
    ours.AdvicePassiveAggressiveClassifier(random_state=0),
    ours.LabelEfficientClassifier(ours.PassiveAggressiveClassifier(), random_state=0),
    OnlineCalibratedClassifier(random_state=0),
    ours.LASVC(probability=True, random_state=0),
    ours.LASVC(probability=True, multi_class="ovr", random_state=0),
]
SETS = {
    "banana": lambda: make_banana_like(600, random_state=0),
    "breast cancer": lambda: load_breast_cancer(return_X_y=True),
    "digits": lambda: load_digits(return_X_y=True),
    "iris": lambda: load_iris(return_X_y=True),
    "wine": lambda: load_wine(return_X_y=True),
}


def samples(name, dtype=np.float32):
    X, y = SETS[name]()
    return StandardScaler().fit_transform(X).astype(dtype), y


def run(model, X, **options):
    """Return what the graph of a model computes."""
    graph = skl2onnx.to_onnx(model, X[:1], **options)
    session = onnxruntime.InferenceSession(graph.SerializeToString())
    return session.run(None, {"X": X})


def scale_of(model, X):
    """Return the size of the sum of which the scores consist."""
    model = getattr(model, "estimator_", model)
    if hasattr(model, "dual_coef_") and model.kernel != "linear":
        product = model.gamma_ * (X**2).sum(axis=1).max()
        largest = 1.0 if model.kernel == "rbf" else (model.coef0 + product) ** model.degree
        return np.abs(model.dual_coef_).sum(axis=1).max() * largest
    coef = model.local_coef_ if hasattr(model, "local_coef_") else model.coef_
    return np.abs(coef).max() * (1 + np.abs(X).sum(axis=1).max())


# Each model on two sets, and the first one on all.
CASES = [(model, list(SETS)[(i + k) % 5]) for i, model in enumerate(CLASSIFIERS) for k in (0, 1)]
CASES += [(CLASSIFIERS[0], name) for name in list(SETS)[2:]]


@pytest.mark.sampled
@pytest.mark.parametrize(("model", "name"), CASES, ids=str)
def test_onnx_graph_of_a_classifier(model, name):
    X, y = samples(name)
    model = ours_fitted(model, X, y)
    labels, scores = run(model, X)[:2]
    expected = model.decision_function(X)
    assert scores.shape == (len(X), 1 if expected.ndim == 1 else expected.shape[1])
    assert scores.dtype == np.float32
    bound = 1e-6 * scale_of(model, X)
    difference = scores - expected.reshape(scores.shape)
    assert np.abs(difference).max() <= bound
    two = np.sort(np.abs(scores) if scores.shape[1] == 1 else scores, axis=1)
    margin = two[:, -1] - (0 if scores.shape[1] == 1 else two[:, -2])
    clear = margin > 2 * bound
    assert clear.mean() > 0.9
    assert np.array_equal(labels[clear], model.predict(X)[clear])


@pytest.mark.sampled
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("far", [False, True])
@pytest.mark.parametrize("name", ["banana", "digits"])
def test_scores_of_a_graph_are_as_exact_as_its_input(name, far, dtype):
    """Compared with sums in NumPy in double precision."""
    X, y = samples(name)
    if far:
        # Distances to the mean that single precision would round too much.
        X[: len(X) // 2] += np.float32(300)
    model = ours.LASVC(gamma=0.3, multi_class="ovr", random_state=0).fit(X, y)
    scores = run(model, X.astype(dtype))[1]
    K = np.exp(-model.gamma_ * cdist(X, model.support_vectors_, "sqeuclidean"))
    exact = (K @ model.dual_coef_.T + model.intercept_).reshape(scores.shape)
    bound = 1e-6 if dtype == np.float32 else 1e-10
    assert scores.dtype == dtype
    scale = np.abs(model.dual_coef_).sum(axis=1).max()
    np.testing.assert_allclose(scores, exact, rtol=0, atol=bound * scale)


def test_precision_of_kernel_values():
    """Single precision if it suffices, and if the samples have no more."""
    X, y = samples("banana")
    for scale, dtype, single in (
        (1, np.float32, True),
        (1, np.float64, False),
        (300, np.float32, False),
    ):
        Z = (scale * X).astype(dtype)
        graph = skl2onnx.to_onnx(ours.LASVC(gamma=1.0).fit(Z, y), Z[:1]).graph
        vectors = next(t for t in graph.initializer if len(t.dims) == 2 and t.dims[0] == 2)
        assert (vectors.data_type == 1) == single


@pytest.mark.sampled
@pytest.mark.parametrize("name", ["breast cancer", "iris"])
@pytest.mark.parametrize(
    "model",
    [ours.LASVC(random_state=0), ours.PassiveAggressiveClassifier(random_state=0)],
    ids=str,
)
@pytest.mark.parametrize(
    ("wrap", "options"),
    [
        (CalibratedClassifierCV, {}),
        (OneVsRestClassifier, {"raw_scores": True}),
        (OneVsOneClassifier, {}),
        (lambda model: make_pipeline(StandardScaler(), CalibratedClassifierCV(model)), {}),
        (lambda model: GridSearchCV(model, {"C": [0.1, 1.0]}, cv=2), {}),
        (
            lambda model: GridSearchCV(
                make_pipeline(StandardScaler(), model), {model_step(model) + "__C": [0.1, 1]}, cv=2
            ),
            {},
        ),
    ],
    ids=["sigmoid", "rest", "one", "pipeline", "search", "search of a pipeline"],
)
def test_onnx_graph_of_an_estimator_around_the_model(name, model, wrap, options):
    X, y = samples(name)
    model = wrap(model).fit(X, y)
    options = {id(model): {"zipmap": False} | options}
    graph = skl2onnx.to_onnx(model, X[:1], options=options)
    session = onnxruntime.InferenceSession(graph.SerializeToString())
    labels, values, *_ = session.run(None, {"X": X})
    assert np.mean(labels.ravel() == model.predict(X)) > 0.99
    if hasattr(model, "predict_proba"):
        np.testing.assert_allclose(values, model.predict_proba(X), atol=1e-4)


def model_step(model):
    return type(model).__name__.lower()


def test_outputs_are_arrays():
    """ZipMap, the default of skl2onnx for its own classifiers, is not used."""
    X, y = samples("iris")
    model = make_pipeline(StandardScaler(), ours.LASVC(probability=True)).fit(X, y)
    for options in (None, {"zipmap": False}, {id(model): {"zipmap": False}}):
        graph = skl2onnx.to_onnx(model, X[:1], options=options).graph
        assert [output.name for output in graph.output] == ["label", "scores", "probabilities"]
        assert "ZipMap" not in {node.op_type for node in graph.node}


@pytest.mark.parametrize("wrap", [OneVsRestClassifier, BaggingClassifier])
def test_estimators_that_use_probabilities_are_refused(wrap):
    X, y = samples("iris")
    model = wrap(ours.LASVC(probability=True, random_state=0)).fit(X, y)
    with pytest.raises(ValueError, match="LASVC cannot be converted to ONNX within an estimator"):
        skl2onnx.to_onnx(model, X[:1], options={id(model): {"zipmap": False}})


def ours_fitted(model, X, y):
    """Fit a clone; models for two classes get two of them."""
    if len(np.unique(y)) > 2 and "Advice" in type(model).__name__:
        y = y == y[0]
    if len(np.unique(y)) > 2 and "CostSensitive" in type(model).__name__:
        y = y == y[0]
    return clone(model).fit(X, y)


@pytest.mark.sampled
@pytest.mark.parametrize("name", ["banana", "digits"])
@pytest.mark.parametrize(
    "model",
    [
        ours.LASVC(probability=True, random_state=0),
        ours.LASVC(kernel="linear", probability=True, random_state=0),
        ours.CompressedClassifier(ours.LASVC(probability=True, random_state=0), tolerance=0.1),
        ours.LASVC(probability=True, multi_class="ovr", random_state=0),
        OnlineCalibratedClassifier(ours.AROWClassifier(), random_state=0),
        OnlineCalibratedClassifier(ours.LASVC(random_state=0), random_state=0),
    ],
    ids=str,
)
def test_onnx_graph_of_probabilities(model, name):
    X, y = samples(name)
    model = make_pipeline(StandardScaler(), clone(model)).fit(X, y)
    labels, _, probabilities = run(model, X)
    assert np.mean(labels == model.predict(X)) > 0.99
    np.testing.assert_allclose(probabilities, model.predict_proba(X), atol=1e-4)


@pytest.mark.sampled
@pytest.mark.parametrize("kernel", ["rbf", "linear", "poly", "laplacian"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_onnx_graph_of_intervals(kernel, dtype):
    X, y = make_friedman1(500, noise=1.0, random_state=0)
    X, y = X.astype(dtype), np.column_stack([y, 2.0 * y + X[:, 0]])
    model = ours.LASVR(kernel=kernel, intervals=True, random_state=0).fit(X[:300], y[:300])
    width = np.ptp(model.predict_interval(X), axis=-1).mean()
    with pytest.raises(ValueError, match="The 'confidence_level' parameter of to_onnx must be"):
        run(model, X, options={id(model): {"confidence_level": 90}})
    for options, coverage in ((None, 0.9), ({"confidence_level": 0.6}, 0.6)):
        options = options and {id(model): options}
        predicted, lower, upper = run(model, X, options=options)
        found = np.stack([lower, upper], axis=-1)
        ends = model.predict_interval(X, coverage)
        np.testing.assert_allclose(found, ends, atol=3e-3 * width)
        np.testing.assert_allclose(predicted, model.predict(X), atol=3e-3)
    pipeline = make_pipeline(StandardScaler(), ours.LASVR(intervals=True)).fit(X, y[:, 0])
    _, lower, upper = run(pipeline, X)
    ends = pipeline[-1].predict_interval(pipeline[:-1].transform(X))
    np.testing.assert_allclose(np.hstack([lower, upper]), ends, atol=3e-3)


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64])
def test_onnx_graph_of_a_pipeline(dtype):
    X, y = load_wine(return_X_y=True)
    X = np.round(X).astype(dtype)
    names = np.array(["barbera", "grignolino", "barolo"])[y]
    model = make_pipeline(StandardScaler(), ours.LASVC(random_state=0)).fit(X, names)
    labels, scores = run(model, X)
    assert np.array_equal(labels, model.predict(X))
    np.testing.assert_allclose(scores, model.decision_function(X), atol=1e-3)


@pytest.mark.parametrize(
    "model",
    [
        ours.PassiveAggressiveRegressor(random_state=0),
        ours.LASVR(random_state=0),
        ours.LASVR(kernel="linear", algorithm="lasvm-g", random_state=0),
        ours.LASVR(kernel="poly", coef0=1.0, random_state=0),
    ],
    ids=str,
)
def test_onnx_graph_of_a_regressor(model):
    X, y = samples("iris")
    model = clone(model).fit(X, y)
    (values,) = run(model, X)
    np.testing.assert_allclose(values.ravel(), model.predict(X), atol=2e-5)


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_onnx_graph_of_several_outputs(kernel):
    X, y = samples("iris", np.float64)
    model = ours.LASVR(kernel=kernel, random_state=0).fit(X, np.column_stack([y, X[:, 0], -y]))
    (values,) = run(model, X)
    assert values.shape == (150, 3)
    np.testing.assert_allclose(values, model.predict(X), rtol=0, atol=1e-6)


@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf"])
def test_onnx_graph_of_an_outlier_detector(kernel):
    X, _ = samples("iris")
    model = ours.OneClassLASVM(nu=0.2, kernel=kernel, coef0=1.0, random_state=0).fit(X)
    labels, scores = run(model, X)
    expected = model.decision_function(X)
    assert labels.shape == (150,) and scores.shape == (150, 1)
    np.testing.assert_allclose(scores[:, 0], expected, rtol=0, atol=1e-6 * np.ptp(expected))
    clear = np.abs(expected) > 1e-5 * np.ptp(expected)
    assert clear.mean() > 0.8
    assert np.array_equal(labels[clear], model.predict(X)[clear])


def test_onnx_graph_of_sparse_support_vectors():
    X, y = samples("banana")
    model = ours.LASVC(random_state=0).fit(csr_matrix(X), y)
    assert np.array_equal(run(model, X)[0], model.predict(X))


def test_onnx_labels_are_booleans_or_integers():
    X, y = samples("banana")
    labels, _ = run(ours.LASVC(random_state=0).fit(X, y > 0), X)
    assert labels.dtype == np.int64
    assert set(labels.tolist()) == {0, 1}


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (ours.LASVC(kernel="sigmoid", gamma=0.01), "kernel='sigmoid' cannot be converted"),
        (ours.LASVC(kernel=lambda X, Z: X @ Z.T), "kernel=<function"),
        (ours.KernelPerceptronClassifier(average="vote"), "average='vote' cannot be converted"),
    ],
)
def test_models_that_onnx_cannot_hold(model, message):
    X, y = samples("banana")
    model.fit(X, y)
    with pytest.raises(ValueError, match=message):
        run(model, X)


def test_labels_that_files_cannot_hold(tmp_path):
    X, y = samples("banana")
    with pytest.raises(ValueError, match=r"got \[-2.0, 2.0\]"):
        run(ours.LASVC().fit(X, 2.0 * y), X)
    large = np.where(y > 0, 2**63, 5).astype(np.uint64)
    with pytest.raises(ValueError, match=r"below 2\*\*63, .* got \[5, 9223372036854775808\]"):
        run(ours.LASVC().fit(X, large), X)
    with pytest.raises(ValueError, match="integers of 32 bits, got"):
        save_libsvm(ours.LASVC().fit(X, large // 2**32), tmp_path / "model")
    labels = run(ours.LASVC().fit(X, large - np.uint64(1)), X)[0]
    assert set(labels) == {4, 2**63 - 1}


def read_libsvm(path):
    """Return header fields, coefficients and support vectors of a model file, as LIBSVM does."""
    head, body = path.read_text().split("SV\n", 1)
    fields = dict(line.split(" ", 1) for line in head.splitlines())
    rows = [line.split() for line in body.splitlines()]
    coef = np.array([float(row[0]) for row in rows])
    terms = [[term.split(":") for term in row[1:]] for row in rows]
    vectors = np.zeros((len(rows), max(int(i) for row in terms for i, _ in row)))
    for vector, row in zip(vectors, terms, strict=True):
        for i, value in row:
            vector[int(i) - 1] = float(value)
    return fields, coef, vectors


@pytest.mark.parametrize(
    "model",
    [
        ours.LASVC(gamma=0.7, random_state=0),
        ours.LASVC(kernel="linear"),
        ours.LASVC(kernel="poly", degree=2, gamma=0.5, coef0=1.0),
        ours.LASVC(kernel="sigmoid", gamma=0.1, coef0=-0.5),
        ours.RampSVC(gamma=0.7),
        ours.LASVC(gamma=0.7, multi_class="ovr", random_state=0),
        ours.KernelPassiveAggressiveClassifier(gamma=0.7),
    ],
    ids=str,
)
@pytest.mark.parametrize("form", [np.asarray, csr_matrix])
def test_libsvm_files(model, form, tmp_path):
    X, y = samples("banana", np.float64)
    y = np.where(y > 0, 7, 3)
    model.fit(form(X), y)
    save_libsvm(model, tmp_path / "model")
    fields, coef, vectors = read_libsvm(tmp_path / "model")
    options = {
        name: float(fields[name]) for name in ("gamma", "degree", "coef0") if name in fields
    }
    K = pairwise_kernels(X, vectors, metric=fields["kernel_type"], **options)
    scores = K @ coef - float(fields["rho"])
    np.testing.assert_allclose(scores, model.decision_function(X), atol=1e-4)
    assert fields["label"] == "7 3"
    n_positive, n_negative = map(int, fields["nr_sv"].split())
    assert n_positive + n_negative == int(fields["total_sv"]) == len(coef)
    assert (coef[:n_positive] >= 0).all()
    assert (coef[n_positive:] < 0).all()


@pytest.mark.parametrize(
    "kernel",
    [
        dict(gamma=0.7),
        dict(kernel="linear"),
        dict(kernel="poly", degree=2, gamma=0.5, coef0=1.0),
        dict(kernel="sigmoid", gamma=0.1, coef0=-0.5),
    ],
    ids=str,
)
def test_libsvm_files_are_read(kernel, tmp_path):
    X, y = samples("banana", np.float64)
    model = ours.LASVC(**kernel, random_state=1).fit(X[:400], y[:400])
    save_libsvm(model, tmp_path / "model")
    read = load_libsvm(tmp_path / "model")
    np.testing.assert_allclose(read.decision_function(X), model.decision_function(X), atol=1e-9)
    assert read.C == model.C
    assert read.n_support_.tolist() == model.n_support_.tolist()
    n_read = len(read.support_)
    read.partial_fit(X[400:], y[400:])
    assert abs(read.score(X, y) - model.partial_fit(X[400:], y[400:]).score(X, y)) < 0.02
    assert read.n_samples_seen_ == n_read + 200


FILE = """svm_type c_svc
kernel_type rbf
gamma 0.5
nr_class 2
total_sv 2
rho 0.25
label 1 4
nr_sv 1 1
SV
0.5 1:1 3:2
-0.5 2:1
"""


def test_labels_of_a_libsvm_file_in_any_order(tmp_path):
    """Positive values of LIBSVM belong to its first label, here the smaller one."""
    path = tmp_path / "model"
    path.write_text(FILE)
    read = load_libsvm(path, n_features=4)
    assert read.n_features_in_ == 4
    X = np.array([[1.0, 0, 2, 0], [0, 1.0, 0, 0]])
    assert read.predict(X).tolist() == [1, 4]
    assert sorted(read.dual_coef_.ravel()) == [-0.5, 0.5]


@pytest.mark.parametrize(
    ("old", "new", "options", "message"),
    [
        ("c_svc", "one_class", {}, "svm_type is 'one_class'"),
        ("c_svc", "nu_svc", {}, "svm_type is 'nu_svc'"),
        ("c_svc", "epsilon_svr", {}, "svm_type is 'epsilon_svr'"),
        ("nr_class 2", "nr_class 1", {}, "nr_class '1'"),
        ("nr_class 2", "nr_class 3", {}, "no valid label: '1 4'"),
        ("rho 0.25\n", "", {}, "no valid rho: None"),
        ("rho 0.25", "rho 0.25 1", {}, "no valid rho: '0.25 1'"),
        ("kernel_type rbf", "kernel_type precomputed", {}, "kernel_type 'precomputed'; only lin"),
        ("gamma 0.5", "gamma half", {}, "no valid gamma: 'half'"),
        ("gamma 0.5", "gamma nan", {}, "no valid gamma: 'nan'"),
        ("label 1 4", "label 1", {}, "no valid label: '1'"),
        ("label 1 4\n", "", {}, "no valid label: None"),
        ("total_sv 2\n", "", {}, "no valid total_sv: None"),
        ("-0.5 2:1\n", "", {}, "has 1 support vectors and total_sv 2"),
        ("3:2", "3:", {}, "line 10, is not a coefficient .*: '0.5 1:1 3:'"),
        ("3:2", "0:2", {}, "line 10, is not"),
        ("3:2", "3 2", {}, "line 10, is not"),
        ("3:2", "1:2", {}, "line 10, is not"),
        ("3:2", f"{2**31}:2", {}, "line 10, is not"),
        ("3:2", "3:2\u00e9", {}, "line 10, is not"),
        ("label 1 4", f"label 1 {10**30}", {}, "no valid label"),
        ("", "", dict(n_features=2.5), "'n_features' parameter of load_libsvm must be an int"),
        ("", "", dict(C="3"), "'C' parameter of load_libsvm must be a float"),
        ("2:1", "2:nan", {}, "line 11, is not"),
        ("-0.5 2:1", "", {}, "line 11, is not"),
        ("-0.5 2:1", "0.5 2:1", {}, "sum to 1, not to 0"),
        ("SV\n0", "0", {}, "has no line 'SV'"),
        ("", "", dict(n_features=2), "n_features=2, but .* feature 3. Pass at least 3, or None."),
        ("", "", dict(C=0.1), r"C=0.1 is smaller than the largest coefficient in .*, 0.5"),
    ],
)
def test_libsvm_files_that_are_refused(old, new, options, message, tmp_path):
    path = tmp_path / "model"
    path.write_text(FILE.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(ValueError, match=message):
        load_libsvm(path, **options)


WEIGHTED = {
    "dict": (dict(class_weight={3: 0.2, 7: 10.0}), None),
    "balanced": (dict(class_weight="balanced", C=0.1), None),
    "samples": ({}, "samples"),
    "both": (dict(class_weight={7: 3.0}), "samples"),
}


@pytest.mark.sampled
@pytest.mark.parametrize("name", WEIGHTED)
@pytest.mark.parametrize(
    "model",
    [
        ours.LASVC(gamma=0.7, random_state=0),
        ours.LASVC(kernel="linear", random_state=0),
        ours.LASVC(gamma=0.7, finishing=False, max_iter=1, random_state=0),
        ours.LASVC(gamma=0.7, multi_class="ovo", random_state=0),
        ours.LASVC(gamma=0.7, multi_class="ovr", random_state=0),
        ours.RampSVC(gamma=0.7, random_state=0),
        ours.RampSVC(gamma=0.7, multi_class="ovo", random_state=0),
        ours.ActiveLASVC(gamma=0.7, random_state=0),
        ours.VirtualLASVC(gamma=0.7, random_state=0),
    ],
    ids=str,
)
def test_libsvm_files_of_weighted_models_predict_the_same(model, name, tmp_path):
    """Coefficients were optimized again, with the largest one as C of all samples."""
    params, weights = WEIGHTED[name]
    X, y = samples("banana", np.float64)
    y = np.where(X[:, 0] + y > 1.5, 7, 3)
    labels = [None]
    if getattr(model, "multi_class", None) in ("ovo", "ovr"):
        y[np.flatnonzero(y == 3)[::2]] = 5
        labels = [3, 5, 7] if model.multi_class == "ovr" else [None]
    if not params.keys() <= model.get_params().keys():
        params = {}
    weights = np.random.default_rng(0).uniform(0.1, 3.0, len(y)) if weights else None
    model = clone(model).set_params(**params)
    if "sample_weight" in inspect.signature(model.fit).parameters:
        model.fit(X, y, sample_weight=weights)
    else:
        model.fit(X, y)
    for k, label in enumerate(labels):
        save_libsvm(model, tmp_path / "model", label=label)
        read = load_libsvm(tmp_path / "model")
        expected = model.decision_function(X)
        expected = expected if label is None else expected[:, k]
        np.testing.assert_allclose(read.decision_function(X), expected, atol=1e-9)
        read = pickle.loads(pickle.dumps(read))
        np.testing.assert_allclose(read.decision_function(X), expected, atol=1e-9)
        if type(model) is ours.LASVC and model.finishing:
            np.testing.assert_allclose(read.finish().decision_function(X), expected, atol=0.1)


def test_libsvm_files_of_weighted_models_continue(tmp_path):
    X, y = samples("banana", np.float64)
    y = (X[:, 0] + y > 1.5).astype(int)
    model = ours.LASVC(C=0.1, class_weight={1: 10.0}, random_state=0).fit(X[:400], y[:400])
    save_libsvm(model, tmp_path / "model")
    read = load_libsvm(tmp_path / "model")
    assert read.C * read.class_weight[1] == pytest.approx(1.0)
    assert read.C * read.class_weight[0] == pytest.approx(0.1)
    for each in (model, read):
        each.partial_fit(X[400:], y[400:])
    difference = np.abs(read.decision_function(X) - model.decision_function(X))
    assert difference.max() < 0.1


def test_models_of_svc_with_class_weights(tmp_path):
    X, y = samples("banana", np.float64)
    y = (X[:, 0] + y > 1.5).astype(int)
    svc = SVC(C=1.0, gamma=0.7, class_weight={1: 10.0}).fit(X, y)
    coef, vectors = svc.dual_coef_[0], svc.support_vectors_
    lines = ["svm_type c_svc", "kernel_type rbf", "gamma 0.7", "nr_class 2"]
    lines += [f"total_sv {len(coef)}", f"rho {float(svc.intercept_[0])!r}", "label 0 1", "nr_sv "]
    lines[-1] += " ".join(map(str, svc.n_support_))
    rows = [
        f"{-a!r} 1:{u!r} 2:{v!r}"
        for a, (u, v) in zip(coef.tolist(), vectors.tolist(), strict=True)
    ]
    (tmp_path / "model").write_text("\n".join([*lines, "SV", *rows]) + "\n")
    read = load_libsvm(tmp_path / "model")
    np.testing.assert_allclose(read.decision_function(X), svc.decision_function(X), atol=1e-5)
    assert read.class_weight == {0: pytest.approx(0.1), 1: 1.0}


def test_the_bias_of_a_libsvm_file_is_kept(tmp_path):
    """All coefficients equal C, so that the optimum leaves an interval for the bias."""
    path = tmp_path / "model"
    for rho in (0.25, -0.3, 5.0):
        path.write_text(FILE.replace("rho 0.25", f"rho {rho}"))
        read = load_libsvm(path)
        np.testing.assert_allclose(read.intercept_, rho, atol=1e-6)
        read = pickle.loads(pickle.dumps(read))
        np.testing.assert_allclose(read.decision_function([[0.0, 9.0, 9.0]]), rho, atol=1e-6)


def test_a_libsvm_file_with_many_features(tmp_path):
    path = tmp_path / "model"
    path.write_text(FILE.replace("3:2", "30000000:2"))
    read = load_libsvm(path)
    assert read.n_features_in_ == 30_000_000 and issparse(read.support_vectors_)
    X = csr_matrix(([1.0, 2.0, 1.0], [0, 29_999_999, 1], [0, 2, 3]), shape=(2, 30_000_000))
    assert read.predict(X).tolist() == [1, 4]
    read.partial_fit(X, [4, 1])


needs_libsvm = pytest.mark.skipif(shutil.which("svm-predict") is None, reason="no LIBSVM")


def libsvm_labels(folder, X, model="model"):
    """Return the labels that svm-predict gives."""
    dump_svmlight_file(X, np.zeros(len(X)), str(folder / "samples"), zero_based=False)
    command = ["svm-predict", "-q", "samples", model, "labels"]
    subprocess.run(command, cwd=folder, check=True)
    return np.loadtxt(folder / "labels")


KERNELS = {
    "linear": dict(kernel="linear"),
    "poly": dict(kernel="poly", degree=2, gamma=0.5, coef0=1.0),
    "rbf": dict(gamma=0.7),
    "sigmoid": dict(kernel="sigmoid", gamma=0.1, coef0=-0.5),
}


@needs_libsvm
@pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS)
def test_svm_predict_agrees(kernel, tmp_path):
    X, y = samples("banana", np.float64)
    X[:3] = 0
    model = ours.LASVC(**kernel, random_state=0).fit(X, np.where(y > 0, 7, -3))
    save_libsvm(model, tmp_path / "model")
    clear = np.abs(model.decision_function(X)) > 1e-3
    assert clear.mean() > 0.95
    assert np.array_equal(libsvm_labels(tmp_path, X)[clear], model.predict(X)[clear])


@needs_libsvm
def test_svm_predict_agrees_with_one_vs_rest(tmp_path):
    """One file for each class: the sign of its decision value."""
    X, y = samples("iris", np.float64)
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    model = ours.LASVC(gamma=0.7, random_state=0).fit(X, names)
    scores = model.decision_function(X)
    for k, name in enumerate(names[[0, 50, 100]]):
        save_libsvm(model, tmp_path / "model", label=name)
        clear = np.abs(scores[:, k]) > 1e-3
        labels = libsvm_labels(tmp_path, X)
        assert np.array_equal(labels[clear], np.sign(scores[clear, k]))
        read = load_libsvm(tmp_path / "model")
        np.testing.assert_allclose(read.decision_function(X), scores[:, k], atol=1e-6)


@needs_libsvm
@pytest.mark.parametrize("kernel", range(4), ids=KERNELS)
@pytest.mark.parametrize("probability", ["0", "1"])
def test_models_of_svm_train_are_read(kernel, probability, tmp_path):
    X, y = samples("banana", np.float64)
    dump_svmlight_file(X, np.where(y > 0, 1, -1), str(tmp_path / "train"), zero_based=False)
    options = ["-t", str(kernel), "-d", "2", "-g", "0.5", "-r", "0.3", "-c", "5", "-q"]
    options += ["-b", probability, "-e", "1e-6"]
    subprocess.run(["svm-train", *options, "train", "model"], cwd=tmp_path, check=True)
    text = (tmp_path / "model").read_text()
    assert ("probA" in text) == (probability == "1")
    read = load_libsvm(tmp_path / "model", C=5)
    scores = read.decision_function(X)
    clear = np.abs(scores) > 1e-2
    assert clear.mean() > 0.95
    assert np.array_equal(read.predict(X)[clear], libsvm_labels(tmp_path, X)[clear])
    rho = float(text.split("rho ")[1].split()[0])
    assert abs(read.intercept_[0] + rho) < 1e-2
    assert read.partial_fit(X, np.where(y > 0, 1, -1)).score(X, np.sign(scores)) > 0.95


def test_libsvm_file_of_one_class(tmp_path):
    """Two classes: the values of the first class are those of the second one, negated."""
    X, y = samples("banana", np.float64)
    model = ours.LASVC(random_state=0).fit(X, np.where(y > 0, "yes", "no"))
    for label, sign in (("yes", 1), ("no", -1)):
        save_libsvm(model, tmp_path / "model", label=label)
        read = load_libsvm(tmp_path / "model")
        assert read.classes_.tolist() == [-1, 1]
        scores = sign * model.decision_function(X)
        np.testing.assert_allclose(read.decision_function(X), scores, atol=1e-9)
    with pytest.raises(ValueError, match=r"label=1 is not a class of the model: \['no', 'yes'\]"):
        save_libsvm(model, tmp_path / "model", label=1)


def test_libsvm_file_without_a_bias(tmp_path):
    """LASVC cannot continue from coefficients that do not sum to 0."""
    X, y = samples("banana", np.float64)
    save_libsvm(ours.LASVC(algorithm="lasvm-g").fit(X, y.astype(int)), tmp_path / "model")
    with pytest.raises(ValueError, match="not to 0: it is not the model"):
        load_libsvm(tmp_path / "model")


@pytest.mark.parametrize(
    ("model", "labels", "message"),
    [
        (ours.LASVC(), ["a", "b"], r"labels that are integers of 32 bits, got \['a', 'b'\]"),
        (ours.LASVC(multi_class="ovr"), [1, 2, 3], "LASVC has a problem for each of 3 classes"),
        (ours.LASVC(kernel=lambda X, Z: X @ Z.T), [0, 1], "kernel=<function"),
        (ours.LASVR(), [0, 1], "save_libsvm stores classifiers, and LASVR is none"),
        (ours.OneClassLASVM(), [0, 1], "stores classifiers, and OneClassLASVM is none"),
        (ours.AROWClassifier(), [0, 1], "AROWClassifier is not a single kernel expansion"),
        (ours.KernelPerceptronClassifier(average="vote"), [0, 1], "not a single kernel expansion"),
    ],
)
def test_models_that_libsvm_cannot_hold(model, labels, message, tmp_path):
    X, y = samples("banana")
    model.fit(X, np.take(labels, np.arange(len(y)) % len(labels)))
    with pytest.raises(ValueError, match=message):
        save_libsvm(model, tmp_path / "model")
    assert not (tmp_path / "model").exists()


def test_ctrl_c_while_a_model_is_stored(tmp_path, monkeypatch):
    """Regression test: the error was that the model cannot be stored."""

    def interrupted(model):
        with zipfile.ZipFile(io.BytesIO(), "w") as archive:
            archive.open("part", "w")
            raise KeyboardInterrupt

    monkeypatch.setattr(skops_io, "dumps", interrupted)
    with pytest.raises(KeyboardInterrupt):
        export.save_model(ours.LASVC(), tmp_path / "model.skops")
    assert not [*tmp_path.iterdir()]
