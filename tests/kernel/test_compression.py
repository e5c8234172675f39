"""Compressed kernel classifiers: bounds, special cases, formats and errors."""

import pickle
import warnings
from threading import Thread

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.optimize import check_grad, minimize
from sklearn.datasets import make_blobs
from sklearn.exceptions import NotFittedError
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sklearn_online_svm import (
    LASVC,
    ActiveLASVC,
    CompressedClassifier,
    KernelAROWClassifier,
    KernelPassiveAggressiveClassifier,
    KernelPerceptronClassifier,
    RampSVC,
    VirtualLASVC,
)
from sklearn_online_svm.datasets import make_banana_like
from tests.support.internals import (
    CompressedState,
    Selection,
    _compression,
    distinct,
    dtype_of,
    solution_of,
    spec_of,
)
from tests.support.pairs import coefficients_of_pairs

X, y = make_banana_like(500, random_state=0)
X3, y3 = make_blobs(400, centers=6, n_features=4, cluster_std=4.0, random_state=0)
y3 = y3 % 3
KIND = dict(gamma=0.5, random_state=0)
# With a decision value for each problem, which is what tolerance and bounds are about.
PAIRS = dict(decision_function_shape="ovo", gamma=0.05, random_state=0)


def rbf(A, B):
    return rbf_kernel(A, B, gamma=0.5)


MODELS = {
    "lasvm": (LASVC(C=10.0, **KIND), X, y),
    "3 classes": (LASVC(**PAIRS), X3, y3),
    "3 classes, sparse": (
        LASVC(**PAIRS),
        sparse.csr_matrix(np.where(abs(X3) > 3.0, X3, 0.0)),
        y3,
    ),
    "3 classes, one-vs-rest": (LASVC(multi_class="ovr", gamma=0.05, random_state=0), X3, y3),
    "float32": (LASVC(C=10.0, **KIND), X.astype(np.float32), y),
    "poly": (LASVC(kernel="poly", coef0=1.0, **KIND), X, y),
    "callable": (LASVC(kernel=rbf, random_state=0), X, y),
    "callable, sparse": (LASVC(kernel=rbf, random_state=0), sparse.csr_matrix(X), y),
    "lasvm-nc": (LASVC(algorithm="lasvm-nc", **KIND), X, y),
    "active": (ActiveLASVC(**KIND), X, y),
    "virtual": (VirtualLASVC(**KIND), X, y),
    "ramp": (RampSVC(**KIND), X, y),
    "kernel arow": (KernelAROWClassifier(max_support_vectors=60, **KIND), X, y),
    "kernel pa, mean": (KernelPassiveAggressiveClassifier(average="mean", **KIND), X3, y3),
    "kernel perceptron": (KernelPerceptronClassifier(max_support_vectors=80, **KIND), X, y),
}


@pytest.fixture(scope="module", params=list(MODELS))
def fitted(request):
    """Return a fitted model and its samples."""
    model, X, y = MODELS[request.param]
    return model.fit(X, y), X


def scores(model, X):
    return model.decision_function(X).reshape(X.shape[0], -1)


def differences(small, model, X):
    return np.abs(scores(small, X) - scores(model, X))


# ------------------------------------------------------------------------------ what is promised


@pytest.mark.sampled
@pytest.mark.parametrize("tolerance", [0.5, 0.05, 1e-3])
def test_tolerance_is_met_at_the_support_vectors(fitted, tolerance):
    model, _ = fitted
    before = pickle.dumps(model)
    small = model.compress(tolerance=tolerance)
    found = differences(small, model, model.support_vectors_).max()
    assert small.max_difference_ == found <= tolerance
    assert small.n_support_vectors_before_ == len(model.support_)
    assert small.support_vectors_.shape[0] <= len(model.support_)
    assert_array_equal(small.intercept_, model.intercept_)
    assert pickle.dumps(model) == before


def test_tolerance_is_met_where_predictions_are_rounded(monkeypatch):
    """By further vectors, and not by all of them."""
    compute, error = _compression.decision_values, 1e-3

    def rounded(spec, solution, vectors, n_jobs):
        values = compute(spec, solution, vectors, n_jobs)
        return values + error if len(solution.labels) < len(model.support_) else values

    model = LASVC(C=10.0, **KIND).fit(X, y)
    smaller = model.compress(tolerance=1.2 * error)
    monkeypatch.setattr(_compression, "decision_values", rounded)
    small = model.compress(tolerance=1.2 * error)
    sizes = [len(one.support_vectors_) for one in (smaller, small, model)]
    assert sizes == sorted(set(sizes))
    assert small.max_difference_ <= 1.2 * error
    # An error that no number of vectors corrects.
    assert len(model.compress(tolerance=0.9 * error).support_vectors_) == sizes[2]


@pytest.mark.sampled
def test_size_decreases_with_the_tolerance(fitted):
    model, _ = fitted
    sizes = [
        len(model.compress(tolerance=tolerance).support_) for tolerance in (1e-3, 0.03, 0.3, 2.0)
    ]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-1] < sizes[0]


def test_size_is_kept(fitted):
    model, _ = fitted
    small = model.compress(max_support_vectors=7)
    assert small.support_vectors_.shape[0] <= 7
    vectors = small.support_vectors_
    assert type(vectors) is type(model.support_vectors_)
    assert small.dual_coef_.shape == (len(model.intercept_), vectors.shape[0])
    assert small.n_support_.sum() == vectors.shape[0]
    assert small.max_difference_ == differences(small, model, model.support_vectors_).max()


def test_all_vectors_are_the_original(fitted):
    model, X = fitted
    small = model.compress(max_support_vectors=10_000)
    assert_allclose(scores(small, X), scores(model, X), rtol=1e-6, atol=1e-6)
    assert_array_equal(small.rkhs_distance_, 0.0)
    assert len(small.support_) == len(distinct(model.support_vectors_)[0])


@pytest.mark.sampled
@pytest.mark.parametrize("request_", [dict(tolerance=0.2), dict(max_support_vectors=9)])
def test_bound_holds_everywhere(fitted, request_):
    model, X = fitted
    small = model.compress(**request_)
    rng = np.random.default_rng(0)
    points = 3.0 * rng.normal(size=(2000, X.shape[1])).astype(dtype_of(model))
    if model.kernel == "poly":
        norms = (0.5 * (points.astype(float) ** 2).sum(axis=1) + 1.0) ** 1.5
    else:
        norms = np.ones(len(points))
    # Rounding of kernel values to single precision.
    slack = 1e-6 * np.abs(model.dual_coef_).sum() * norms.max() ** 2
    slack += 1e-6 * np.abs(small.dual_coef_).sum() * norms.max() ** 2
    bound = norms[:, None] * small.rkhs_distance_ + slack
    assert (differences(small, model, points) <= bound).all()


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 1000),
    size=st.integers(1, 12),
    k=st.sampled_from([2, 3]),
    gamma=st.sampled_from([0.01, 0.5, 20.0]),
)
def test_bound_and_distance_of_random_models(seed, size, k, gamma):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(40, 3))
    labels = np.arange(40) % k
    model = LASVC(decision_function_shape="ovo", gamma=gamma, C=5.0).fit(X, labels)
    small = model.compress(max_support_vectors=size)
    S, A = model.support_vectors_, model.dual_coef_
    if k > 2:
        A = coefficients_of_pairs(model, labels)
    Z, B = small.support_vectors_, small.dual_coef_
    both = np.vstack([S, Z])
    weights = np.hstack([A, -B])
    expected = np.einsum("ci,ij,cj->c", weights, rbf_kernel(both, gamma=gamma), weights)
    # The square of the largest rounding error.
    atol = 1e-7 * (1.0 + np.abs(weights).sum())
    assert_allclose(small.rkhs_distance_, np.sqrt(np.maximum(expected, 0.0)), atol=atol)
    points = rng.normal(size=(200, 3))
    slack = 1e-6 * (1.0 + np.abs(weights).sum())
    assert (differences(small, model, points) <= small.rkhs_distance_ + slack).all()


def test_projection_is_the_best_for_its_vectors():
    model = LASVC(C=10.0, **KIND).fit(X, y)
    small = model.compress(tolerance=0.3)
    S, Z = model.support_vectors_, small.support_vectors_
    best = np.linalg.solve(rbf_kernel(Z, gamma=0.5), rbf_kernel(Z, S, gamma=0.5))
    assert_allclose(small.dual_coef_.T, best @ model.dual_coef_.T, rtol=1e-4, atol=1e-3)
    assert np.isin(small.support_, model.support_).all()
    assert_array_equal(Z, X[small.support_])


def test_selection_follows_a_plain_implementation():
    model = LASVC(gamma=0.05, random_state=0).fit(X3, y3)
    small = model.compress(tolerance=0.5)
    S, A, chosen = model.support_vectors_, coefficients_of_pairs(model, y3), []
    K = rbf_kernel(S, gamma=0.05)
    while True:
        beta = np.zeros((3, 0))
        if chosen:
            beta = np.linalg.solve(K[np.ix_(chosen, chosen)], K[chosen] @ A.T).T
        residual = np.abs(A @ K - beta @ K[chosen]).max(axis=0)
        if residual.max() <= 0.5:
            break
        chosen.append(int(residual.argmax()))
    assert set(model.support_[chosen]) == set(small.support_)


def test_moved_vectors_are_closer_than_selected_ones():
    model = LASVC(gamma=0.01, C=10.0, random_state=0).fit(X3, y3)
    small = model.compress(max_support_vectors=20)
    assert (small.support_ == -1).all()
    selection = Selection(CompressedState.of(spec_of(model), solution_of(model), is_sparse=False))
    selection.extend(20, 0.0)
    selected = selection.distance(selection.vectors[selection.chosen], selection.coefficients())
    assert np.linalg.norm(small.rkhs_distance_) < 0.8 * np.linalg.norm(selected)


# ------------------------------------------------------------------------------ special cases


@pytest.mark.parametrize("request_", [dict(tolerance=0.1), dict(max_support_vectors=15)])
def test_dense_is_csr(request_):
    samples = np.where(abs(X3) > 3.0, X3, 0.0)
    found = []
    for form in (samples, sparse.csr_matrix(samples)):
        model = LASVC(gamma=0.05, random_state=0).fit(form, y3)
        found.append(model.compress(**request_))
    dense, csr = found
    assert sparse.issparse(csr.support_vectors_)
    assert_allclose(csr.support_vectors_.toarray(), dense.support_vectors_, atol=1e-5)
    assert_allclose(scores(csr, samples), scores(dense, samples), atol=1e-4)
    assert_array_equal(csr.predict(sparse.csr_matrix(samples)), csr.predict(samples))


@pytest.mark.parametrize("n_classes", [2, 3])
def test_gradient_of_the_distance(n_classes, monkeypatch):
    given = []

    def record(function, start, **options):
        given.append((function, start))
        return minimize(function, start, **options)

    monkeypatch.setattr(_compression, "minimize", record)
    X, y = make_blobs(200, centers=n_classes, cluster_std=3.0, random_state=0)
    LASVC(gamma=0.1, random_state=0).fit(X, y).compress(max_support_vectors=5)
    (function, start), *_ = given
    gradient = function(start)[1]
    error = check_grad(lambda v: function(v)[0], lambda v: function(v)[1], start)
    assert error < 1e-5 * np.linalg.norm(gradient)


def test_moved_vectors_keep_zeros():
    samples = np.where(abs(X3) > 3.0, X3, 0.0)
    model = LASVC(gamma=0.05, random_state=0).fit(sparse.csr_matrix(samples), y3)
    small = model.compress(max_support_vectors=15)
    assert (small.support_ == -1).all()
    patterns = {tuple(row) for row in (model.support_vectors_.toarray() != 0).tolist()}
    assert {tuple(row) for row in (small.support_vectors_.toarray() != 0).tolist()} <= patterns


def test_float32_is_nearly_float64():
    models = [LASVC(C=10.0, **KIND).fit(X.astype(kind), y) for kind in (np.float32, np.float64)]
    single, double = (model.compress(tolerance=1e-3) for model in models)
    assert single.support_vectors_.dtype == np.float32
    assert abs(len(single.support_) - len(double.support_)) <= 5
    before = np.abs(models[0].decision_function(X) - models[1].decision_function(X)).max()
    after = np.abs(single.decision_function(X) - double.decision_function(X)).max()
    assert after < before + 0.02


def test_duplicates_collapse_to_one():
    rng = np.random.default_rng(0)
    samples = rng.normal(size=(30, 2))
    labels = (samples[:, 0] > 0).astype(int)
    labels[:4] = 1 - labels[:4]
    model = LASVC(gamma=0.5, C=3.0, shuffle=False, max_iter=-1, random_state=0)
    model.fit(np.repeat(samples, 4, axis=0), np.repeat(labels, 4))
    before = model.support_vectors_
    n_distinct = len(np.unique(before, axis=0))
    assert n_distinct < len(before)
    for small in (
        model.compress(max_support_vectors=len(before)),
        model.compress(tolerance=1e-9),
    ):
        assert len(small.support_) <= n_distinct
        assert len(np.unique(small.support_vectors_, axis=0)) == len(small.support_)
        assert small.max_difference_ < 1e-6


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
def test_distinct_rows(form):
    rows = np.array([[1.0, 0.0], [0.0, 2.0], [1.0, 0.0], [0.0, 1.0], [0.0, 2.0]])
    first, place = distinct(form(rows))
    assert_array_equal(first, [0, 1, 3])
    assert_array_equal(place, [0, 1, 0, 2, 1])


def test_two_classes_have_one_problem():
    model = LASVC(C=10.0, **KIND).fit(X, y)
    small = model.compress(tolerance=0.1)
    assert small.decision_function(X).ndim == 1
    assert_array_equal(small.predict(X), model.classes_[(small.decision_function(X) > 0) * 1])
    assert small.rkhs_distance_.shape == small.intercept_.shape == (1,)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("shift", [0.0, 1e3])
@pytest.mark.parametrize(("X", "y", "k"), [(X, y, 1), (X3, y3, 3)], ids=["2", "3"])
def test_linear_kernel_needs_its_weights_only(X, y, k, form, shift):
    model = LASVC(kernel="linear", C=0.1, random_state=0).fit(form(X + shift), y)
    small = model.compress(tolerance=1e-3)
    assert small.support_vectors_.shape == (k, X.shape[1])
    assert_array_equal(small.coef_, model.coef_)
    assert_array_equal(small.decision_function(X + shift), model.decision_function(X + shift))
    assert small.max_difference_ == 0.0
    again = model.compress(max_support_vectors=k)
    assert_array_equal(again.coef_, model.coef_)
    assert_array_equal(again.predict(X + shift), model.predict(X + shift))
    if k > 1:
        with pytest.raises(ValueError, match="one vector for each of the 3 binary problems"):
            model.compress(max_support_vectors=2)


def test_one_vector_is_left():
    model = LASVC(C=10.0, **KIND).fit(X, y)
    assert len(model.compress(tolerance=1e3).support_vectors_) == 1
    # Opposite coefficients of equal samples: a constant function.
    same = np.ones((2, 2))
    constant = KernelPerceptronClassifier(gamma=1.0, margin=10.0).partial_fit(
        same, [0, 1], classes=[0, 1]
    )
    assert_array_equal(constant.dual_coef_, [[-1.0, 1.0]])
    for small in (constant.compress(tolerance=0.1), constant.compress(max_support_vectors=1)):
        assert_array_equal(small.decision_function(same), [0.0, 0.0])


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
def test_a_compressed_model_with_slower_predictions_warns(form):
    """With 20 classes a vector has 190 coefficients, and before 19."""
    r = np.random.default_rng(0)
    y = np.repeat(np.arange(20), 10)
    X = form(r.normal(size=(20, 4))[y] + r.normal(size=(200, 4)))
    model = LASVC(random_state=0).fit(X, y)
    n = len(model.support_)
    assert n * (4 + 19) * 1.5 > (n // 8) * (4 + 190)
    with pytest.warns(
        UserWarning, match=rf"Predictions with the {n // 4} vectors .* of the original"
    ):
        model.compress(max_support_vectors=n // 4)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.compress(max_support_vectors=n // 8)
        LASVC(multi_class="ovr", random_state=0).fit(X, y).compress(max_support_vectors=n // 4)


@pytest.mark.parametrize("name", ["3 classes", "3 classes, one-vs-rest"])
def test_compressing_twice(name):
    model, X, y = MODELS[name]
    once = CompressedClassifier(model, tolerance=0.01).fit(X, y)
    twice = once.compress(tolerance=0.1)
    assert len(twice.support_) < len(once.support_)
    assert twice.n_support_vectors_before_ == len(once.support_)
    assert differences(twice, once, once.support_vectors_).max() <= 0.1
    assert twice.multi_class == once.multi_class == model.multi_class


# --------------------------------------------------------------------------- streams and threads


def test_model_in_the_course_of_a_stream_is_compressed_as_it_predicts():
    model = LASVC(C=10.0, **KIND).partial_fit(X[:300], y[:300], classes=[-1, 1])
    small = model.compress(tolerance=1e-3)
    expected = model.decision_function(X)
    assert differences(small, model, model.support_vectors_).max() <= 1e-3
    values = small.decision_function(X)
    other = LASVC(C=10.0, **KIND).partial_fit(X[:300], y[:300], classes=[-1, 1])
    model.partial_fit(X[300:], y[300:])
    other.partial_fit(X[300:], y[300:])
    assert_array_equal(small.decision_function(X), values)
    assert_array_equal(model.decision_function(X), other.decision_function(X))
    assert np.abs(model.decision_function(X) - expected).max() > 1e-3
    with pytest.raises(AttributeError, match="no attribute 'partial_fit'"):
        small.partial_fit(X, y)


def test_compression_while_another_thread_trains():
    model = LASVC(C=10.0, **KIND).partial_fit(X[:100], y[:100], classes=[-1, 1])

    def train():
        for first in range(100, 500, 10):
            model.partial_fit(X[first : first + 10], y[first : first + 10])

    thread = Thread(target=train)
    thread.start()
    found = [model.compress(tolerance=0.01) for _ in range(5)]
    thread.join()
    assert all(small.max_difference_ <= 0.01 for small in found)


def test_threads_give_the_same_predictions():
    model = LASVC(gamma=0.05, n_jobs=2, random_state=0).fit(X3, y3)
    small = model.compress(tolerance=0.1)
    assert small.n_jobs == 2
    many = np.tile(X3, (5, 1))
    one = LASVC(gamma=0.05, n_jobs=1, random_state=0).fit(X3, y3).compress(tolerance=0.1)
    assert_array_equal(small.support_, one.support_)
    assert_allclose(small.decision_function(many), one.decision_function(many), atol=1e-6)


# ------------------------------------------------------------------------------ as an estimator


def test_fit_is_fit_and_compress():
    model = LASVC(C=10.0, **KIND)
    whole = CompressedClassifier(model, tolerance=0.05).fit(X, y)
    parts = model.fit(X, y).compress(tolerance=0.05)
    assert_array_equal(whole.decision_function(X), parts.decision_function(X))
    assert parts.get_params()["tolerance"] == 0.05
    again = parts.fit(X, y)
    assert_array_equal(again.decision_function(X), whole.decision_function(X))


def test_within_a_pipeline_and_a_search():
    search = GridSearchCV(
        make_pipeline(StandardScaler(), CompressedClassifier(LASVC(), max_support_vectors=20)),
        {
            "compressedclassifier__max_support_vectors": [3, 30],
            "compressedclassifier__estimator__C": [1.0, 10.0],
        },
        cv=2,
    ).fit(X, y)
    assert search.best_score_ > 0.85
    best = search.best_params_["compressedclassifier__max_support_vectors"]
    assert len(search.best_estimator_[-1].support_vectors_) == best == 30


def test_sample_weight_is_passed_on():
    weights = np.random.default_rng(0).uniform(size=len(y))
    small = CompressedClassifier(LASVC(**KIND), tolerance=0.05).fit(X, y, weights)
    model = LASVC(**KIND).fit(X, y, weights)
    assert_array_equal(small.dual_coef_, model.compress(tolerance=0.05).dual_coef_)


@pytest.mark.parametrize(("X", "y"), [(X, y), (X3, y3)], ids=["2", "3"])
def test_probabilities_are_those_of_the_original(X, y):
    model = LASVC(probability=True, gamma=0.1, random_state=0).fit(X, y)
    small = model.compress(tolerance=1e-4)
    assert_allclose(small.predict_proba(X), model.predict_proba(X), atol=2e-3)
    assert hasattr(CompressedClassifier(LASVC(probability=True), tolerance=1.0), "predict_proba")
    other = LASVC().fit(X, y).compress(tolerance=0.1)
    assert not hasattr(other, "predict_proba")
    with pytest.raises(AttributeError) as caught:
        other.predict_proba(X)
    assert "Compress a LASVC(probability=True)" in str(caught.value.__cause__)


@pytest.mark.sampled
def test_difference_at_samples_is_measured(fitted):
    model, X = fitted
    small = model.compress(tolerance=0.2, X=X)
    assert small.sample_difference_ == differences(small, model, X).max()
    assert not hasattr(model.compress(tolerance=0.2), "sample_difference_")


# ------------------------------------------------------------------------------ errors


@pytest.mark.parametrize("request_", [{}, dict(max_support_vectors=3, tolerance=0.1)])
def test_exactly_one_number(request_):
    model = LASVC(**KIND).fit(X, y)
    with pytest.raises(ValueError, match="Exactly one of max_support_vectors and tolerance"):
        model.compress(**request_)
    with pytest.raises(ValueError, match="Exactly one of max_support_vectors and tolerance"):
        CompressedClassifier(model, **request_).fit(X, y)


@pytest.mark.parametrize(
    "request_", [dict(max_support_vectors=0), dict(tolerance=0.0), dict(tolerance="small")]
)
def test_invalid_numbers(request_):
    model = LASVC(**KIND).fit(X, y)
    with pytest.raises(ValueError, match=f"'{next(iter(request_))}' parameter"):
        model.compress(**request_)


def test_models_that_cannot_be_compressed():
    vote = KernelPerceptronClassifier(average="vote", gamma=0.5)
    for model, data, message in (
        (LASVC(kernel="precomputed"), rbf(X, X), "kernel='precomputed' cannot be compressed"),
        (LASVC(kernel="sigmoid", gamma=0.1), X, "kernel='sigmoid' cannot be compressed"),
        (vote, X, "average='vote' cannot be compressed"),
    ):
        with pytest.raises(ValueError, match=message):
            model.fit(data, y).compress(tolerance=0.1)
        with pytest.raises(ValueError, match=message):
            CompressedClassifier(model, tolerance=0.1).fit(data, y)
    with pytest.raises(NotFittedError):
        LASVC().compress(tolerance=0.1)
    with pytest.raises(ValueError, match="X has 3 features"):
        LASVC().fit(X, y).compress(tolerance=0.1, X=np.zeros((2, 3)))
