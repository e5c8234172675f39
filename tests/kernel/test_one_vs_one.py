"""One-vs-one: the problems, predictions and attributes of ``SVC`` with more than two classes."""

import tracemalloc

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_matrix
from sklearn.datasets import load_digits, make_blobs
from sklearn.metrics.pairwise import chi2_kernel
from sklearn.multiclass import OneVsOneClassifier
from sklearn.svm import SVC

from sklearn_online_svm import LASVC
from tests.support.pairs import noisy_classes
from tests.support.samples import LAYOUTS, three_classes

TIGHT = dict(max_iter=-1, tol=1e-6, random_state=0)


def pairwise(**params):
    return LASVC(multi_class="ovo", **params)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("kernel", ["rbf", "linear", "poly"])
def test_the_optimum_is_that_of_svc(kernel, layout):
    X, y = three_classes()
    X = LAYOUTS[layout](X)
    params = dict(kernel=kernel, C=2.0, gamma=0.3)
    svc = SVC(tol=1e-6, **params).fit(X, y)
    model = pairwise(**params, **TIGHT).fit(X, y)
    for shape in ("ovr", "ovo"):
        svc.decision_function_shape = model.decision_function_shape = shape
        assert_allclose(model.decision_function(X), svc.decision_function(X), atol=1e-4)
    assert_array_equal(model.predict(X), svc.predict(X))
    assert_array_equal(model.n_support_, svc.n_support_)
    assert_array_equal(model.support_, svc.support_)
    assert model.dual_coef_.shape == svc.dual_coef_.shape
    assert_allclose(model.intercept_, svc.intercept_, atol=1e-4)
    if kernel == "linear":
        assert_allclose(model.coef_, csr_matrix(svc.coef_).toarray(), atol=1e-4)


@pytest.mark.parametrize("max_iter", [-1, "auto"])
@pytest.mark.parametrize("n_classes", [3, 4, 7, 12])
def test_coefficients_have_the_layout_of_svc(n_classes, max_iter):
    X, y = make_blobs(40 * n_classes, centers=n_classes, cluster_std=3.0, random_state=n_classes)
    labels = np.array([f"class {c:02}" for c in range(n_classes)])
    svc = SVC(C=1.0, tol=1e-8).fit(X, labels[y])
    model = pairwise(max_iter=max_iter, tol=1e-8, random_state=0).fit(X, labels[y])
    assert_array_equal(model.support_, svc.support_)
    assert_array_equal(model.support_vectors_, svc.support_vectors_)
    # The coefficients of free vectors are less certain than decision values.
    assert_allclose(model.dual_coef_, svc.dual_coef_, atol=1e-3)
    assert_allclose(model.intercept_, svc.intercept_, atol=1e-6)
    assert_array_equal(model.predict(X), svc.predict(X))


@pytest.mark.parametrize("break_ties", [False, True])
def test_ties_are_broken_as_by_svc(break_ties):
    """Three classes around a point in the middle: each has one vote."""
    X, y = make_blobs([20, 100, 180], centers=None, cluster_std=6.0, random_state=1)
    grid = np.stack(np.meshgrid(*[np.linspace(-15, 15, 200)] * 2), axis=-1).reshape(-1, 2)
    params = dict(C=0.01, kernel="linear", break_ties=break_ties)
    svc = SVC(tol=1e-6, **params).fit(X, y)
    model = pairwise(**params, **TIGHT).fit(X, y)
    predicted = model.predict(grid)
    assert_array_equal(predicted, svc.predict(grid))
    by_value = model.decision_function(grid).argmax(axis=1)
    assert (predicted == by_value).all() == break_ties


@pytest.mark.parametrize("n_classes", [2, 3])
def test_ties_cannot_be_broken_by_values_of_pairs(n_classes):
    """As in SVC, whatever the number of classes, and before the samples are checked."""
    X, y = three_classes()
    few = y <= 10 * n_classes
    params = dict(break_ties=True, decision_function_shape="ovo")
    for model in (SVC(**params), pairwise(**params)):
        model.fit(X[few], y[few])
        for samples in (X, X[0]):
            with pytest.raises(ValueError, match="break_ties must be False when decision_functio"):
                model.predict(samples)
    # It has no effect without votes.
    LASVC(multi_class="ovr", **params).fit(X, y).predict(X)


@pytest.mark.parametrize("class_weight", [None, "balanced", {0: 3.0, 2: 0.5}])
def test_weights_are_those_of_svc(class_weight):
    X, y = noisy_classes()
    weights = np.random.default_rng(0).choice([0.0, 0.5, 1.0, 2.0], len(y))
    if class_weight == "balanced":  # of SVC it is computed without the weights
        weights[:] = 1.0
    params = dict(C=0.7, gamma=0.1, class_weight=class_weight)
    svc = SVC(tol=1e-7, **params).fit(X, y, weights)
    model = pairwise(**params, **TIGHT).fit(X, y, weights)
    assert_allclose(model.decision_function(X), svc.decision_function(X), atol=1e-4)


@pytest.mark.parametrize("algorithm", ["lasvm", "lasvm-g", "lasvm-full", "lasvm-nc", "lasvm-i"])
def test_a_pair_has_the_solution_of_its_samples_alone(algorithm):
    X, y = noisy_classes(300, 4)
    params = dict(algorithm=algorithm, gamma=0.1, shuffle=False, max_iter=1, tol=1e-6)
    together = pairwise(decision_function_shape="ovo", **params).fit(X, y)
    alone = OneVsOneClassifier(LASVC(**params)).fit(X, y)
    values = together.decision_function(X)
    for column, estimator in enumerate(alone.estimators_):
        # In a model of two classes f is positive for the second one.
        assert_allclose(values[:, column], -estimator.decision_function(X), atol=2e-5)


def test_threads_do_not_change_a_stream():
    X, y = load_digits(return_X_y=True)
    one, two = (pairwise(gamma=0.001, C=10, n_jobs=n_jobs) for n_jobs in (1, 2))
    for rows in np.split(np.arange(300), [1, 8, 40, 200]):
        for model in (one, two):
            model.partial_fit(X[rows], y[rows], classes=np.arange(10))
    assert_array_equal(one.decision_function(X), two.decision_function(X))
    assert_array_equal(one.dual_coef_, two.dual_coef_)


def two_large_classes():
    """Return samples of eight classes of which two have nine tenths; inner products are exact."""
    rng = np.random.default_rng(0)
    y = rng.choice(8, 600, p=[0.45, 0.45] + [0.1 / 6] * 6)
    return np.round(4 * (rng.normal(size=(600, 5)) + 0.3 * y[:, None])) / 4, y


@pytest.mark.sampled
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("algorithm", ["lasvm", "lasvm-g", "lasvm-nc"])
def test_a_pair_may_have_most_samples_of_a_block(algorithm, layout):
    X, y = two_large_classes()
    X = LAYOUTS[layout](X)
    whole = pairwise(algorithm=algorithm, gamma=0.2).partial_fit(X, y, classes=np.arange(8))
    single = pairwise(algorithm=algorithm, gamma=0.2)
    for i in range(len(y)):
        single.partial_fit(X[i : i + 1], y[i : i + 1], classes=np.arange(8))
    assert_array_equal(single.support_, whole.support_)
    # Sums over vectors in another order.
    assert_allclose(single.decision_function(X), whole.decision_function(X), rtol=1e-12)
    assert_allclose(single.dual_coef_, whole.dual_coef_, rtol=1e-12)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_copies_of_vectors_that_do_not_fit_are_made_again(layout):
    X, y = load_digits(return_X_y=True)
    X, models = LAYOUTS[layout](X[:600] / 16.0), []
    for cache_size in (500.0, 0.01):
        model = pairwise(C=10.0, gamma=0.1, cache_size=cache_size, random_state=0)
        for first in range(0, 600, 150):
            rows = slice(first, first + 150)
            model.partial_fit(X[rows], y[rows], range(10))
        models.append(model.finish())
    for name in ("support_", "dual_coef_", "intercept_"):
        assert_array_equal(*(getattr(model, name) for model in models))
    assert models[1].n_kernel_evaluations_ > models[0].n_kernel_evaluations_


def test_memory_grows_with_vectors_times_classes():
    n_classes, n_features = 30, 200
    rng = np.random.default_rng(0)
    y = np.tile(np.arange(n_classes), 12)
    X = rng.normal(size=(n_classes, n_features))[y] + rng.normal(size=(len(y), n_features))
    tracemalloc.start()
    model = pairwise(C=10.0, gamma=0.005, random_state=0)
    model.partial_fit(X[:60], y[:60], np.arange(n_classes))
    for first in range(60, len(y), 60):
        model.partial_fit(X[first : first + 60], y[first : first + 60])
    n_bytes, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    # Arrays without kernel rows, of which each vector belongs to all pairs of its class.
    assert n_bytes < 8 * X.nbytes + 300 * len(y) * (n_classes - 1)


@pytest.mark.parametrize("kernel", ["linear", "chi2"])
def test_the_optimum_of_unequal_classes(kernel):
    X, y = two_large_classes()
    X = np.abs(X)
    model = pairwise(kernel=kernel, gamma=0.5, **TIGHT).fit(X, y)
    K = X @ X.T if kernel == "linear" else chi2_kernel(X, gamma=0.5)
    svc = SVC(kernel="precomputed", tol=1e-6).fit(K, y)
    assert_allclose(model.decision_function(X), svc.decision_function(K), atol=1e-4)


def test_a_class_without_samples_is_not_predicted():
    X, y = load_digits(return_X_y=True)
    few = np.isin(y, [2, 5, 7])
    model = pairwise(gamma=0.001).partial_fit(X[few], y[few], classes=np.arange(10))
    assert set(model.predict(X)) == {2, 5, 7}


def test_a_class_of_weight_zero_is_not_predicted():
    """SVC drops the class as well, but then raises an IndexError in decision_function."""
    X, y = noisy_classes()
    model = pairwise(gamma=0.1, **TIGHT).fit(X, y, np.where(y == 2, 0.0, 1.0))
    others = SVC(gamma=0.1, tol=1e-6).fit(X[y != 2], y[y != 2])
    assert_array_equal(model.predict(X), others.predict(X))
    assert_array_equal(model.n_support_[[0, 1, 3, 4]], others.n_support_)
    assert model.n_support_[2] == 0
    scores = model.decision_function(X)[:, [0, 1, 3, 4]]
    assert_array_equal(scores.argmax(axis=1), others.decision_function(X).argmax(axis=1))


def test_parameters_are_checked():
    X, y = three_classes()
    for name, value in (("multi_class", "all"), ("decision_function_shape", 1), ("break_ties", 2)):
        with pytest.raises(ValueError, match=f"The '{name}' parameter of LASVC must be"):
            LASVC(**{name: value}).fit(X, y)
    model = pairwise(gamma=1.0).partial_fit(X, y, classes=np.unique(y))
    with pytest.raises(ValueError, match="multi_class"):
        model.set_params(multi_class="ovr").partial_fit(X, y)


# -- warm starts ------------------------------------------------------------------------


@pytest.mark.parametrize("n_classes", [3, 4])
@pytest.mark.parametrize("former", ["ovr", "ovo"])
def test_a_warm_start_needs_the_same_problems(former, n_classes):
    X, y = noisy_classes(200, n_classes)
    other = "ovo" if former == "ovr" else "ovr"
    model = LASVC(multi_class=former, warm_start=True, random_state=0).fit(X, y)
    before = model.decision_function(X)
    with pytest.raises(ValueError, match=f"multi_class cannot be changed, got .*={other!r}"):
        model.set_params(multi_class=other).fit(X, y)
    model.set_params(multi_class=former)
    assert_array_equal(model.decision_function(X), before)
    model.set_params(multi_class=other, warm_start=False).fit(X, y)
    alone = LASVC(multi_class=other, random_state=0).fit(X, y)
    assert_array_equal(model.decision_function(X), alone.decision_function(X))
