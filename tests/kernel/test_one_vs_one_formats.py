"""One-vs-one models that are stored, exchanged, converted, compressed or part of other objects."""

import pickle
import shutil
import subprocess
from itertools import combinations
from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.datasets import dump_svmlight_file, make_blobs
from sklearn.model_selection import GridSearchCV
from sklearn.svm import SVC

from sklearn_online_svm import LASVC, CompressedClassifier, KernelPerceptronClassifier, RampSVC
from sklearn_online_svm.calibration import OnlineCalibratedClassifier
from sklearn_online_svm.export import load_libsvm, save_libsvm
from sklearn_online_svm.model_selection import ProgressiveSearch
from tests.support.internals import (
    compares_pairs,
    decide,
    margin_scores,
    probability_map,
    solution_of,
)
from tests.support.samples import LAYOUTS

KERNELS = {
    "linear": dict(kernel="linear"),
    "poly": dict(kernel="poly", degree=2, gamma=0.1, coef0=1.0),
    "rbf": dict(gamma=0.1),
    "sigmoid": dict(kernel="sigmoid", gamma=0.01, coef0=-0.1),
}
LABELS = np.array([30, -7, 100, 0, 12, 5, 1, 2, 3, 4])


def clouds(n_classes=5, n_samples=300, seed=0, n_features=4):
    """Overlapping classes, with codes as labels."""
    return make_blobs(n_samples, n_features, centers=n_classes, cluster_std=4.0, random_state=seed)


def pairwise(**params):
    return LASVC(multi_class="ovo", random_state=0, **params)


def values_of_pairs(model, X):
    """Return the decision values of the pairs, whatever the shape of decision_function."""
    return clone_fitted(model, decision_function_shape="ovo").decision_function(X)


def clone_fitted(model, **params):
    return pickle.loads(pickle.dumps(model)).set_params(**params)


# --------------------------------------------------------------------------------------- LIBSVM


@pytest.mark.sampled
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("n_classes", [3, 5])
@pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS)
def test_libsvm_files_are_read(kernel, n_classes, layout, tmp_path):
    X, y = clouds(n_classes)
    X, y = LAYOUTS[layout](X), LABELS[y]
    model = pairwise(**kernel).fit(X[:200], y[:200])
    save_libsvm(model, tmp_path / "model")
    read = load_libsvm(tmp_path / "model")
    assert read.multi_class == "ovo" and read.C == model.C
    assert_array_equal(read.classes_, model.classes_)
    scale = np.abs(model.dual_coef_).sum()
    assert_allclose(
        values_of_pairs(read, X), values_of_pairs(model, X), rtol=0, atol=1e-10 * scale
    )
    assert_array_equal(read.predict(X), model.predict(X))
    assert_array_equal(read.n_support_, model.n_support_)
    n_read = read.n_support_.sum()
    read.partial_fit(X[200:], y[200:])
    assert read.n_samples_seen_ == n_read + 100
    assert abs(read.score(X, y) - model.partial_fit(X[200:], y[200:]).score(X, y)) < 0.05


def write_svc(svc, labels, path):
    """Store an SVC that was fitted to class codes, with the labels of these codes."""
    vectors = svc.support_vectors_
    lines = ["svm_type c_svc", "kernel_type rbf", f"gamma {svc._gamma!r}"]
    lines += [f"nr_class {len(labels)}", f"total_sv {len(vectors)}"]
    lines += ["rho " + " ".join(repr(-float(b)) for b in svc.intercept_)]
    lines += ["label " + " ".join(map(str, labels))]
    lines += ["probA 1 2 3", "nr_sv " + " ".join(map(str, svc.n_support_)), "SV"]
    for coef, vector in zip(svc.dual_coef_.T.tolist(), vectors.tolist(), strict=True):
        terms = [f"{i + 1}:{value!r}" for i, value in enumerate(vector)]
        lines.append(" ".join([*map(repr, coef), *terms]))
    path.write_text("\n".join(lines) + "\n")


@pytest.mark.parametrize("repeats", [1, 3])
@pytest.mark.parametrize("n_classes", [3, 4, 10])
def test_models_of_svc_with_labels_in_any_order(n_classes, repeats, tmp_path):
    """With repeats each sample is several support vectors."""
    X, codes = clouds(n_classes, seed=n_classes)
    X, codes = np.repeat(X, repeats, axis=0), np.repeat(codes, repeats)
    labels = LABELS[:n_classes]
    svc = SVC(C=2.0, gamma=0.05, tol=1e-6).fit(X, codes)
    write_svc(svc, labels, tmp_path / "model")
    read = load_libsvm(tmp_path / "model")
    assert read.C == 2.0 and read.n_support_.sum() == len(svc.support_)
    fitted = SVC(C=2.0, gamma=0.05, tol=1e-6, decision_function_shape="ovo").fit(X, labels[codes])
    assert_array_equal(read.classes_, fitted.classes_)
    assert_allclose(values_of_pairs(read, X), fitted.decision_function(X), atol=2e-5)
    assert_array_equal(read.predict(X), fitted.predict(X))
    read.partial_fit(X, labels[codes])
    assert np.mean(read.predict(X) == fitted.predict(X)) > 0.9


@pytest.mark.parametrize("model", [pairwise(gamma=0.1), RampSVC(multi_class="ovo", gamma=0.1)])
def test_coefficients_of_a_class_are_in_the_order_of_libsvm(model, tmp_path):
    """Decision values of the file as ``svm_predict_values`` of LIBSVM computes them."""
    X, y = clouds(4)
    model = clone(model).set_params(decision_function_shape="ovo").fit(X, y)
    save_libsvm(model, tmp_path / "model")
    head, body = (tmp_path / "model").read_text().split("SV\n")
    fields = dict(line.split(" ", 1) for line in head.splitlines())
    counts = list(map(int, fields["nr_sv"].split()))
    rows = [line.split() for line in body.splitlines()]
    coef = np.array([row[:3] for row in rows], dtype=float).T
    vectors = np.array([[term.split(":")[1] for term in row[3:]] for row in rows], dtype=float)
    K = np.exp(-0.1 * ((X[:, None] - vectors) ** 2).sum(axis=2))
    ends = np.cumsum(counts)
    of_class = [slice(end - n, end) for end, n in zip(ends, counts, strict=True)]
    rho = map(float, fields["rho"].split())
    values = model.decision_function(X)
    for (a, b), constant, found in zip(combinations(range(4), 2), rho, values.T, strict=True):
        first, second = of_class[a], of_class[b]
        assert (coef[b - 1, first] >= 0).all() and (coef[a, second] <= 0).all()
        expected = K[:, first] @ coef[b - 1, first] + K[:, second] @ coef[a, second] - constant
        assert_allclose(found, expected, atol=1e-5)
    read = load_libsvm(tmp_path / "model", C=float(np.abs(coef).max()))
    assert_allclose(values_of_pairs(read, X), values, atol=1e-4)


FILE = """svm_type c_svc
kernel_type rbf
gamma 0.5
nr_class 3
total_sv 3
rho 0 0 0
label 4 1 9
nr_sv 1 1 1
SV
0.5 0.25 1:1
-0.5 0.125 2:1
-0.25 -0.125 3:1
"""


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("label 4 1 9", "label 4 1", "no valid label: '4 1'"),
        ("label 4 1 9", "label 4 1 4", "no valid label: '4 1 4'"),
        ("nr_sv 1 1 1\n", "", "no valid nr_sv: None"),
        ("nr_sv 1 1 1", "nr_sv 1 1", "no valid nr_sv: '1 1'"),
        ("nr_sv 1 1 1", "nr_sv 2 2 -1", "no valid nr_sv: '2 2 -1'"),
        ("nr_sv 1 1 1", "nr_sv 1 1 2", "has 3 support vectors and nr_sv 1 1 2"),
        ("nr_class 3", "nr_class 1", "nr_class '1'"),
        ("nr_class 3", "nr_class three", "nr_class 'three'"),
        ("-0.5 0.125 2:1", "-0.5 2:1", "line 11, is not"),
        ("-0.5 0.125 2:1", "-0.5", "line 11, is not"),
        ("-0.5 0.125 2:1", "-0.25 0.125 2:1", "sum to 0.25, not to 0"),
        ("0.125 2:1\n-0.25 -0.125", "0 2:1\n-0.25 0", "no coefficients for the labels 1 and 9"),
    ],
)
def test_libsvm_files_that_are_refused(old, new, message, tmp_path):
    path = tmp_path / "model"
    path.write_text(FILE)
    assert load_libsvm(path).predict(np.eye(3)).tolist() == [4, 1, 9]
    assert old in FILE
    path.write_text(FILE.replace(old, new, 1))
    with pytest.raises(ValueError, match=message):
        load_libsvm(path)


@pytest.mark.parametrize("weights", [{3: 0.0}, {0: 0.0}, {0: 0.0, 2: 0.0}, "no samples"])
def test_a_class_without_samples_in_a_libsvm_file(weights, tmp_path):
    X, y = clouds(3 if weights == "no samples" else 4)
    if weights == "no samples":
        model = pairwise(gamma=0.1).partial_fit(X, y, classes=range(4))
    else:
        model = pairwise(gamma=0.1, class_weight=weights).fit(X, y)
    save_libsvm(model, tmp_path / "model")
    loaded = load_libsvm(tmp_path / "model", C=1.0)
    assert 0 in loaded.n_support_
    assert_allclose(values_of_pairs(loaded, X), values_of_pairs(model, X), atol=0.02)
    loaded.partial_fit(X, y)
    assert np.mean(loaded.predict(X) == y) > 0.9


def test_models_that_libsvm_cannot_hold(tmp_path):
    X, y = clouds(3)
    path = tmp_path / "model"
    with pytest.raises(ValueError, match=r"each of 3 classes.* LASVC\(multi_class='ovo'\)"):
        save_libsvm(KernelPerceptronClassifier().fit(X, y), path)
    with pytest.raises(ValueError, match=r"integers of 32 bits, got \['0', "):
        save_libsvm(pairwise().fit(X, y.astype(str)), path)
    with pytest.raises(ValueError, match="label=1, but a model with multi_class='ovo' has no"):
        save_libsvm(pairwise().fit(X, y), path, label=1)
    assert not path.exists()


needs_libsvm = pytest.mark.skipif(shutil.which("svm-predict") is None, reason="no LIBSVM")


def labels_of_libsvm(folder, X):
    """Return the labels that svm-predict gives."""
    dump_svmlight_file(X, np.zeros(len(X)), str(folder / "samples"), zero_based=False)
    command = ["svm-predict", "-q", "samples", "model", "labels"]
    subprocess.run(command, cwd=folder, check=True)
    return np.loadtxt(folder / "labels")


@needs_libsvm
@pytest.mark.parametrize("model", ["lasvm", "lasvm-nc", "ramp", "compressed"])
def test_svm_predict_agrees(model, tmp_path):
    X, y = clouds()
    y, params = LABELS[y], dict(gamma=0.02, C=3.0)
    fitted = {
        "lasvm": pairwise(**params),
        "lasvm-nc": pairwise(algorithm="lasvm-nc", **params),
        "ramp": RampSVC(multi_class="ovo", **params),
        "compressed": CompressedClassifier(pairwise(**params), max_support_vectors=30),
    }[model].fit(X, y)
    save_libsvm(fitted, tmp_path / "model")
    clear = np.abs(decide(fitted, X)).min(axis=1) > 1e-4
    assert clear.mean() > 0.9
    assert_array_equal(labels_of_libsvm(tmp_path, X)[clear], fitted.predict(X)[clear])


@needs_libsvm
@pytest.mark.parametrize("kernel", range(4), ids=KERNELS)
@pytest.mark.parametrize("probability", ["0", "1"])
def test_models_of_svm_train_are_read(kernel, probability, tmp_path):
    X, y = clouds(4)
    y = LABELS[y]
    dump_svmlight_file(X, y, str(tmp_path / "train"), zero_based=False)
    options = ["-t", str(kernel), "-d", "2", "-g", "0.02", "-r", "0.1", "-c", "2", "-q"]
    options += ["-b", probability, "-e", "1e-5"]
    subprocess.run(["svm-train", *options, "train", "model"], cwd=tmp_path, check=True)
    read = load_libsvm(tmp_path / "model", C=2)
    clear = np.abs(decide(read, X)).min(axis=1) > 1e-3
    # LIBSVM breaks ties of votes by the order of the labels in the file.
    votes = np.sort(read.decision_function(X).round(), axis=1)
    clear &= votes[:, -1] > votes[:, -2]
    assert clear.mean() > 0.8
    labels = labels_of_libsvm(tmp_path, X)
    assert_array_equal(read.predict(X)[clear], labels[clear])
    assert np.mean(read.partial_fit(X, y).predict(X) == labels) > 0.9


# ----------------------------------------------------------------------------------------- ONNX


def graph_of(model, X):
    skl2onnx = pytest.importorskip("skl2onnx", reason="the converters extend skl2onnx")
    import sklearn_online_svm.onnx  # noqa: F401

    return skl2onnx.to_onnx(model, X[:1]).SerializeToString()


def run(model, X):
    """Return what the graph of a model computes."""
    onnxruntime = pytest.importorskip("onnxruntime", reason="graphs are run by onnxruntime")
    return onnxruntime.InferenceSession(graph_of(model, X)).run(None, {"X": X})


SHAPES = {
    "votes": {},
    "break_ties": dict(break_ties=True),
    "pairs": dict(decision_function_shape="ovo"),
}


@pytest.mark.sampled
@pytest.mark.parametrize("compressed", [False, True])
@pytest.mark.parametrize("params", SHAPES.values(), ids=SHAPES)
@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf"])
@pytest.mark.parametrize(
    ("n_classes", "dtype", "names"),
    [(3, np.float32, False), (3, np.float64, True), (10, np.float32, True)],
)
def test_onnx_graph(n_classes, dtype, names, kernel, params, compressed):
    X, y = clouds(n_classes)
    X = X.astype(dtype)
    y = np.array([f"class {c}" for c in range(n_classes)])[y] if names else LABELS[y]
    model = pairwise(**KERNELS[kernel], **params).fit(X, y)
    if compressed:
        model = model.compress(tolerance=0.05)
    labels, scores = run(model, X)
    expected = model.decision_function(X)
    assert scores.shape == expected.shape and scores.dtype == dtype
    largest = (1.0 + 0.1 * (X**2).sum(axis=1).max()) ** 2 if kernel == "poly" else 1.0
    atol = 1e-6 * np.abs(model.dual_coef_).sum() * largest
    assert_allclose(scores, expected, rtol=0, atol=atol)
    assert_array_equal(labels, model.predict(X))


@pytest.fixture
def converted_in_place(monkeypatch):
    """Convert models without a copy, which would not have a solution that a test has changed."""
    converters = pytest.importorskip("sklearn_online_svm.onnx", reason="skl2onnx is missing")
    monkeypatch.setattr(converters, "copy", SimpleNamespace(deepcopy=lambda model: model))


def test_onnx_ties_and_zeros_are_those_of_the_model(converted_in_place):
    """All decision values are 0 in the middle, and the votes are equal on one side."""
    X = np.array([[1.0, 0.0], [-0.5, 0.75**0.5], [-0.5, -(0.75**0.5)]])
    grid = np.vstack([np.zeros((1, 2)), np.random.default_rng(0).normal(size=(300, 2))])
    for params in SHAPES.values():
        model = pairwise(kernel="linear", C=100.0, tol=1e-9, **params).fit(X, [2, 0, 1])
        solution_of(model).bias[:] = [0.0, 1.0, 0.0]  # so that there are cycles of votes
        labels, scores = run(model, grid)
        assert_array_equal(labels, model.predict(grid))
        assert_allclose(scores, model.decision_function(grid), atol=1e-12)


def test_onnx_graph_of_a_class_without_samples():
    X, y = clouds(4)
    seen = y != 1
    for classes in (range(4), [-1, *range(5)]):
        model = pairwise(gamma=0.1).partial_fit(X[seen], y[seen], classes=classes)
        labels, scores = run(model, X)
        assert_array_equal(labels, model.predict(X))
        assert_allclose(scores, model.decision_function(X), atol=1e-6)


def test_onnx_graph_is_small():
    """The pairs of a class share its vectors, as in SVC."""
    X, y = clouds(10)
    model = pairwise(gamma=0.1).fit(X, y)
    most = 8 * (model.dual_coef_.size + model.support_vectors_.size) + 10_000
    assert len(graph_of(model, X)) < most


@pytest.mark.slow
def test_onnx_graph_of_many_classes():
    """The graph grows with the number of pairs, not with its square."""
    X, y = clouds(30, 900)
    model = pairwise(gamma=0.1, probability=True).fit(X, y)
    assert_allclose(run(model, X)[2], model.predict_proba(X), rtol=0, atol=1e-5)
    plain = pairwise(gamma=0.1).fit(X, y)
    assert len(graph_of(model, X)) - len(graph_of(plain, X)) < 160_000


@pytest.mark.slow
@pytest.mark.parametrize("compressed", [False, True])
@pytest.mark.parametrize(
    ("n_classes", "dtype", "params"),
    [
        (3, np.float64, dict(decision_function_shape="ovo")),
        (5, np.float32, {}),
        (12, np.float64, dict(break_ties=True)),
    ],
)
def test_onnx_probabilities(n_classes, dtype, params, compressed):
    X, y = clouds(n_classes, 60 * n_classes)
    X = X.astype(dtype)
    model = pairwise(gamma=0.1, probability=True, **params).fit(X, y)
    if compressed:
        model = model.compress(tolerance=0.05)
    X = np.vstack([X, 10 * X[:20]])
    labels, scores, probabilities = run(model, X)
    assert_array_equal(labels, model.predict(X))
    assert scores.shape == model.decision_function(X).shape
    assert probabilities.dtype == dtype
    assert_allclose(probabilities, model.predict_proba(X), rtol=0, atol=1e-5)


@pytest.mark.parametrize("kind", ["ramp", "stream", "rare"])
def test_onnx_probabilities_of_other_models(kind):
    X, y = clouds(4, 600)
    if kind == "ramp":
        model = RampSVC(multi_class="ovo", probability=True, gamma=0.1).fit(X, y)
    elif kind == "stream":
        model = OnlineCalibratedClassifier(pairwise(gamma=0.1))
        model.partial_fit(X, y, classes=range(4))
    else:  # the splines of two pairs of classes without samples are constant
        model = pairwise(gamma=0.1, probability=True)
        model.partial_fit(X, y, classes=range(6))
    labels, _, probabilities = run(model, X)
    assert_array_equal(labels, model.predict(X))
    assert_allclose(probabilities, model.predict_proba(X), rtol=0, atol=1e-5)


def test_onnx_probabilities_of_certain_and_contradictory_pairs(converted_in_place):
    """Log-odds beyond their bounds, and cycles: each class is preferred to the next one."""
    X, y = clouds(3)
    model = pairwise(kernel="linear", probability=True).fit(X, y)
    fitted = probability_map(model)
    fitted.pair_slopes_[:] = 10.0
    fitted.pair_intercepts_[:] = 0.0
    for bias in ([50.0, 50.0, 0.0], [50.0, -50.0, 50.0], [1e6, 1e6, 1e6], [0.0, 0.0, 0.0]):
        solution_of(model).bias[:] = bias
        found = run(model, 1e-3 * X)[2]
        assert_allclose(found, model.predict_proba(1e-3 * X), rtol=0, atol=1e-6)


# ---------------------------------------------------------------------------------- compression


@pytest.mark.parametrize("request_", [dict(tolerance=0.05), dict(max_support_vectors=40)])
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("kernel", ["poly", "rbf"])
def test_compressed_models_vote(kernel, layout, request_):
    X, y = clouds()
    X, y = LAYOUTS[layout](X), np.array(list("abcde"))[y]
    params = KERNELS["poly"] if kernel == "poly" else dict(gamma=0.01)
    model = pairwise(C=3.0, **params).fit(X, y)
    small = model.compress(**request_, X=X)
    values, expected = decide(small, X), decide(model, X)
    assert values.shape == (300, 10) and small.dual_coef_.shape == (10, len(small.support_))
    assert small.sample_difference_ == np.abs(values - expected).max()
    agrees = small.predict(X) == model.predict(X)
    assert agrees[np.abs(expected).min(axis=1) > small.sample_difference_].all()
    assert agrees.mean() > 0.9
    assert small.decision_function(X).shape == (300, 5)
    assert small.n_support_.shape == (5,)
    for params in SHAPES.values():
        for each in (small.estimator, model):
            each.set_params(decision_function_shape="ovr", break_ties=False).set_params(**params)
        assert small.decision_function(X).shape == model.decision_function(X).shape
        assert np.mean(small.predict(X) == model.predict(X)) > 0.9
    small.set_params(estimator__break_ties=True)
    with pytest.raises(ValueError, match="break_ties must be False"):
        small.predict(X)


@pytest.mark.parametrize("params", SHAPES.values(), ids=SHAPES)
def test_compressed_models_have_probabilities(params):
    X, y = clouds()
    model = pairwise(C=3.0, gamma=0.01, probability=True, **params).fit(X, y)
    small = model.compress(tolerance=0.01)
    expected = model.predict_proba(X)
    found = small.predict_proba(X)
    assert_allclose(found, np.exp(small.predict_log_proba(X)))
    assert_allclose(found, expected, atol=0.02)
    assert_array_equal(clone_fitted(small).predict_proba(X), found)
    assert_allclose(small.compress(tolerance=0.01).predict_proba(X), expected, atol=0.04)
    fitted = CompressedClassifier(model, tolerance=0.01).fit(X, y)
    assert_array_equal(fitted.predict_proba(X), found)


def test_margins_of_compressed_models_are_those_of_pairs():
    X, y = clouds()
    model = pairwise(C=3.0, gamma=0.01).fit(X, y)
    small = model.compress(tolerance=0.01)
    assert compares_pairs(small) and not compares_pairs(CompressedClassifier(model))
    rest = LASVC(multi_class="ovr", gamma=0.01).fit(X, y)
    assert not compares_pairs(rest.compress(tolerance=0.01))
    assert_allclose(margin_scores(small, X), margin_scores(model, X), atol=0.05)
    # In another order than that of fit, for which the model would leave each sample out.
    _, margins = small.suspect_labels(X[::-1], y[::-1], n_suspects=9, return_margins=True)
    _, expected = model.suspect_labels(X[::-1], y[::-1], n_suspects=9, return_margins=True)
    assert_allclose(margins, expected, atol=0.05)


# --------------------------------------------------------------------------------- other objects


@pytest.mark.parametrize("search", [GridSearchCV, ProgressiveSearch])
def test_problems_are_selected_by_a_search(search):
    X, y = clouds(n_samples=400)
    grid = {"multi_class": ["ovr", "ovo"], "break_ties": [False, True]}
    found = search(LASVC(gamma=0.1, random_state=0), grid).fit(X, y)
    best = found.best_estimator_
    assert_array_equal(best.predict(X), clone(best).fit(X, y).predict(X))
    if search is GridSearchCV:
        assert len(set(found.cv_results_["mean_test_score"])) > 1
