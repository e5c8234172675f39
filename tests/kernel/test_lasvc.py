"""LASVC: parameters, attributes, weights, kernels, warm starts and use with scikit-learn."""

import gc
import tracemalloc
import warnings
from functools import partial
from itertools import combinations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.sparse import issparse
from sklearn.metrics.pairwise import linear_kernel, pairwise_kernels, rbf_kernel
from sklearn.model_selection import GridSearchCV
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from sklearn_online_svm import LASVC, RampSVC
from tests.support.internals import (
    balanced_weights,
    engine_of,
    weighted_variance,
)
from tests.support.limits import set_limits
from tests.support.robust import BOTH, assert_same_model, with_both, with_layouts
from tests.support.samples import ALGORITHMS, LAYOUTS, breast_cancer, three_classes, two_classes

# Algorithms with a convex problem: max_iter=-1 reaches the optimum over all samples, in any order.
# The others skip samples, or shift their boxes, depending on f when they are visited.
CONVEX = ("lasvm", "lasvm-g", "lasvm-full")
with_convex = pytest.mark.parametrize("algorithm", CONVEX)


def model_of(**params):
    return LASVC(**{"gamma": 0.3, "C": 2.0, "random_state": 0, **params})


def exact(**params):
    return model_of(**{"max_iter": -1, "tol": 1e-6, **params})


MACHINES = {name: partial(model_of, algorithm=name) for name in ALGORITHMS} | {
    "RampSVC": partial(RampSVC, gamma=0.3, C=2.0, random_state=0),
    "RampSVC, no bias": partial(RampSVC, gamma=0.3, C=2.0, random_state=0, fit_intercept=False),
}
with_machines = pytest.mark.parametrize("make", MACHINES.values(), ids=MACHINES)


@pytest.fixture(params=ALGORITHMS)
def algorithm(request):
    return request.param


@pytest.fixture
def any_model(algorithm):
    return partial(model_of, algorithm=algorithm)


@pytest.fixture
def any_exact(algorithm):
    return partial(exact, algorithm=algorithm)


# -- the solution as attributes ---------------------------------------------------------


def signs_of_pair(model, y, a, b):
    """Return which support vectors are positive in the problem of a pair, and their alpha.

    Those of other classes have alpha = 0. Two classes: the second one is positive.
    """
    labels = y[model.support_]
    of_a, of_b = labels == model.classes_[a], labels == model.classes_[b]
    alpha = np.where(of_a, model.dual_coef_[b - 1], np.where(of_b, model.dual_coef_[a], 0.0))
    return (of_b if len(model.classes_) == 2 else of_a), alpha


@with_both
@with_layouts
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", MACHINES)
def test_attributes_describe_the_decision_function(name, problem, layout, dtype):
    X, y = BOTH[problem]()
    X = LAYOUTS[layout](X.astype(dtype))
    model = MACHINES[name]().fit(X, y)
    n, n_classes = X.shape[0], len(np.unique(y))
    pairs = list(combinations(range(n_classes), 2))
    n_problems = len(pairs)
    n_sv, has_bias = len(model.support_), name in ("lasvm", "RampSVC")
    assert_array_equal(model.classes_, np.unique(y))
    assert 0 < n_sv < n
    assert model.support_.dtype == model.n_support_.dtype == np.int32
    assert model.n_support_.shape == model.class_weight_.shape == (n_classes,)
    assert model.dual_coef_.shape == (n_classes - 1, n_sv)
    assert model.intercept_.shape == (n_problems,)
    assert model.dual_objective_.shape == model.duality_gap_.shape == (n_problems,)
    assert model.n_features_in_ == X.shape[1]
    assert model.n_samples_seen_ == n
    assert model.gamma_ == 0.3
    assert model.n_kernel_evaluations_ > n
    assert model.kkt_violation_ > 0
    if name.startswith("RampSVC"):
        assert model.objective_history_.shape == (model.n_iter_, n_problems)
    else:
        assert model.n_iter_ == 1

    # Grouped by class, in each class in the order of the samples.
    assert_array_equal(y[model.support_], np.repeat(model.classes_, model.n_support_))
    for label in model.classes_:
        assert (np.diff(model.support_[y[model.support_] == label]) > 0).all()

    vectors = model.support_vectors_
    assert vectors.dtype == dtype
    assert issparse(vectors) == (layout == "csr")
    assert abs(vectors - X[model.support_]).max() == 0

    decisions = model.decision_function(X)
    assert decisions.shape == ((n,) if n_classes == 2 else (n, n_classes))
    K = rbf_kernel(X.astype(np.float64), vectors.astype(np.float64), gamma=0.3)
    signs_and_alpha = [signs_of_pair(model, y, a, b) for a, b in pairs]
    expected = K @ np.transpose([alpha for _, alpha in signs_and_alpha]) + model.intercept_
    if n_classes == 2:
        assert_allclose(decisions, expected[:, 0], atol=1e-4)
    else:
        model.decision_function_shape = "ovo"
        assert_allclose(model.decision_function(X), expected, atol=1e-4)

    # alpha is within its bounds; with a bias it sums to 0; the ramp loss may shift the bounds.
    for positive, alpha in signs_and_alpha:
        if name.startswith("lasvm") and name != "lasvm-nc":
            assert (np.where(positive, alpha, -alpha) >= 0).all()
        assert np.abs(alpha).max() <= 2.0
        if has_bias:
            assert_allclose(alpha.sum(), 0, atol=1e-10)
    assert model.intercept_.any() == has_bias


@with_both
@pytest.mark.parametrize("multi_class", ["ovo", "ovr"])
def test_predict_is_the_class_with_the_largest_decision(any_model, problem, multi_class):
    X, y = BOTH[problem]()
    # Votes that are tied go to the largest decision value.
    model = any_model(multi_class=multi_class, break_ties=True).fit(X, y)
    decisions = model.decision_function(X)
    codes = decisions > 0 if decisions.ndim == 1 else decisions.argmax(axis=1)
    assert_array_equal(model.predict(X), model.classes_[codes.astype(int)])
    assert model.score(X, y) > 0.8


@pytest.mark.parametrize("problem, shape", [("binary", (1, 4)), ("multiclass", (3, 4))])
@with_layouts
@with_machines
def test_coef_requires_the_linear_kernel(make, problem, shape, layout):
    X, y = BOTH[problem]()
    X = LAYOUTS[layout](X)
    model = make(kernel="linear", decision_function_shape="ovo").fit(X, y)
    assert model.coef_.shape == shape
    assert type(model.coef_) is np.ndarray
    decisions = (X @ model.coef_.T + model.intercept_).reshape(-1, shape[0])
    assert_allclose(model.decision_function(X).reshape(-1, shape[0]), decisions, atol=1e-5)
    assert not hasattr(make().fit(X, y), "coef_")


def test_support_vectors_of_dense_input_are_dense(any_model):
    """Samples stored as sparse vectors are returned as dense arrays."""
    X = np.kron(np.eye(20), np.ones((3, 2)))
    X *= np.random.default_rng(0).uniform(0.5, 1.5, X.shape)
    y = np.arange(60) % 2
    model = any_model().fit(X, y)
    assert type(model.support_vectors_) is np.ndarray
    assert_array_equal(model.support_vectors_, X[model.support_])
    linear = any_model(kernel="linear").fit(X, y)
    assert type(linear.coef_) is np.ndarray


@with_both
def test_a_sample_is_a_support_vector_once(any_model, problem):
    """Regression test: samples added by two classes in different epochs were stored twice."""
    X, y = BOTH[problem]()
    y[::5] = np.unique(y)[0]
    model = any_model(max_iter=2, multi_class="ovr").fit(X, y)
    assert len(np.unique(model.support_)) == len(model.support_)


# -- epochs, finishing ------------------------------------------------------------------


@with_convex
def test_more_epochs_are_closer_to_the_optimum(any_model, any_exact, algorithm):
    X, y = two_classes(400, noise=1.0)
    best = any_exact().fit(X, y).dual_objective_[0]
    one, three = (any_model(max_iter=n).fit(X, y) for n in (1, 3))
    assert one.n_iter_ == 1 < three.n_iter_ <= 3
    # lasvm-full keeps every sample: after one epoch it is at the optimum, except for rounding.
    assert one.dual_objective_[0] * (1 - 1e-12) <= three.dual_objective_[0] <= best * (1 + 1e-6)
    # The others keep more samples, so that finishing gets closer to the optimum.
    assert algorithm != "lasvm" or one.dual_objective_[0] < three.dual_objective_[0]
    assert one.dual_objective_[0] > 0.9 * best


def test_finish_optimizes_over_the_support_set(any_model):
    X, y = two_classes(300, noise=1.0)
    model = any_model(finishing=False).fit(X, y)
    before, gap = model.dual_objective_[0], model.duality_gap_[0]
    assert model.finish() is model
    assert model.dual_objective_[0] > before
    assert 0 <= model.duality_gap_[0] < gap
    finished = any_model(max_iter=1).fit(X, y)
    assert_same_model(model, finished)
    decisions = model.decision_function(X)
    model.finish()
    assert_array_equal(model.decision_function(X), decisions)


def test_delta_max_bounds_the_violation_in_the_support_set():
    X, y = two_classes(300, noise=1.0)
    once = model_of(finishing=False).partial_fit(X, y, classes=["no", "yes"])
    often = model_of(delta_max=0.01, finishing=False).partial_fit(X, y, classes=["no", "yes"])
    assert often.duality_gap_[0] < 0.2 * once.duality_gap_[0]
    assert engine_of(often).problems[0].delta <= 0.01


def test_shuffle_and_random_state(any_model):
    X, y = two_classes(300, noise=1.0)
    make = partial(any_model, max_iter=1)
    # With finishing, a stream keeps a reserve that fit does not need.
    plain = partial(make, finishing=False)
    stream = plain().partial_fit(X, y, classes=["no", "yes"]).finish()
    assert_same_model(plain(shuffle=False).fit(X, y).finish(), stream)
    assert_same_model(plain(shuffle=False, random_state=1).fit(X, y).finish(), stream)
    assert_same_model(make(random_state=5).fit(X, y), make(random_state=5).fit(X, y))
    assert_same_model(
        make(random_state=np.random.RandomState(5)).fit(X, y),
        make(random_state=5).fit(X, y),
    )
    other = make(random_state=6).fit(X, y)
    assert not np.array_equal(
        other.decision_function(X),
        make(random_state=5).fit(X, y).decision_function(X),
    )


def test_reaching_the_maximum_number_of_epochs_warns(monkeypatch):
    set_limits(monkeypatch, MAX_EPOCHS=1)
    X, y = two_classes(300, noise=1.0)
    with pytest.warns(UserWarning, match="did not converge within 1 epochs.*tol is 1e-08"):
        LASVC(max_iter=-1, tol=1e-8).fit(X, y)


@pytest.mark.parametrize(
    "params", [dict(max_iter=3), dict(max_iter=-1), {}, dict(C=0.01)], ids=str
)
def test_verbose_prints_a_line_for_each_epoch(params, monkeypatch, capsys):
    if "C" in params:  # otherwise the set is solved at once
        set_limits(monkeypatch, SMALL_SET=0, SMALL_PAIR=0, RESERVE=0)
    X, y = two_classes(600)
    model = model_of(verbose=1, **params).fit(X, y)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == model.n_iter_
    for i, line in enumerate(lines, 1):
        assert line.startswith(f"[LASVC] epoch {i}: ")
    model.set_params(verbose=0).fit(X, y)
    assert not capsys.readouterr().out


# -- weights ----------------------------------------------------------------------------


@with_convex
def test_sample_weight_multiplies_C(any_model, any_exact, algorithm):
    X, y = two_classes(noise=1.5)
    plain = any_model(C=1.0).fit(X, y)
    doubled = any_model(C=1.0).fit(X, y, np.full(200, 2.0))
    # The target of the duality gap is at least the parameter C, for any weights.
    if algorithm == "lasvm":
        assert_same_model(doubled, model_of(C=2.0).fit(X, y))
    else:
        other = any_model(C=2.0).fit(X, y)
        assert_allclose(doubled.decision_function(X), other.decision_function(X), atol=5e-3)
    assert_same_model(any_model(C=1.0).fit(X, y, np.ones(200)), plain)

    weight = np.ones(200)
    weight[::5] = 2.0
    model = any_exact(C=1.0).fit(X, y, weight)
    alpha = np.zeros(200)
    alpha[model.support_] = np.abs(model.dual_coef_[0])
    assert alpha[::5].max() == 2.0
    assert np.delete(alpha, np.s_[::5]).max() == 1.0


def test_balanced_weight_of_a_missing_class_is_one():
    assert_array_equal(balanced_weights(np.array([0, 0, 1]), 3, np.ones(3)), [0.5, 1.0, 1.0])


def running_balance(y, weight, classes):
    """Return running class weights, computed by a plain loop."""
    total, of_class, factors = 0.0, dict.fromkeys(classes, 0.0), []
    for label, w in zip(y.tolist(), weight):
        total += w
        of_class[label] += w
        factors.append(total / (len(classes) * of_class[label]) if of_class[label] else 1.0)
    return np.array(factors), of_class


@pytest.mark.sampled
@with_both
@pytest.mark.parametrize("size", [1, 13, 1000])
def test_online_balanced_uses_the_counts_up_to_each_sample(any_model, problem, size):
    X, y = BOTH[problem]()
    classes = np.unique(y).tolist()
    weight = np.random.default_rng(1).choice([0.0, 1.0, 1.0, 2.5], len(y))
    factors, counts = running_balance(y, weight, classes)
    model = any_model(class_weight="online_balanced")
    for first in range(0, len(y), size):
        part = slice(first, first + size)
        model.partial_fit(X[part], y[part], classes=classes, sample_weight=weight[part])
    expected = any_model().partial_fit(X, y, classes=classes, sample_weight=factors * weight)
    assert_array_equal(model.support_, expected.support_)
    assert_allclose(model.dual_coef_, expected.dual_coef_, rtol=1e-9)
    total = sum(counts.values())
    assert_allclose(model.class_weight_, [total / (len(classes) * counts[c]) for c in classes])


def test_online_balanced_in_fit_counts_in_training_order(any_model):
    X, y = two_classes()
    model = any_model(class_weight="online_balanced", random_state=3).fit(X, y)
    order = np.random.RandomState(3).permutation(200)
    factors = np.empty(200)
    factors[order] = running_balance(y[order], np.ones(200), ["no", "yes"])[0]
    assert_same_model(model, any_model(random_state=3).fit(X, y, factors))


# -- gamma ------------------------------------------------------------------------------


@with_layouts
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("kernel", ["rbf", "poly", "sigmoid"])
def test_gamma_scale_and_auto(layout, dtype, kernel):
    X, y = two_classes()
    X = np.where(X > 0, 3 * X, 0).astype(dtype)
    data = LAYOUTS[layout](X)
    scale = model_of(kernel=kernel, gamma="scale").fit(data, y).gamma_
    assert_allclose(scale, 1 / (4 * X.astype(np.float64).var()), rtol=1e-9)
    assert model_of(kernel=kernel, gamma="auto").fit(data, y).gamma_ == 0.25


@with_layouts
def test_gamma_scale_takes_the_weighted_variance(layout):
    X, y = two_classes(60)
    weight = np.random.default_rng(0).integers(0, 4, 60)
    repeated = np.repeat(X, weight, axis=0)
    model = model_of(gamma="scale").fit(LAYOUTS[layout](X), y, weight)
    assert_allclose(model.gamma_, 1 / (4 * repeated.var()), rtol=1e-9)
    variance = weighted_variance(LAYOUTS[layout](X), weight.astype(float))
    assert_allclose(variance, repeated.var(), rtol=1e-12)


@with_layouts
def test_gamma_scale_of_constant_features_is_one(layout):
    X, y = np.full((40, 3), 2.0), np.arange(40) % 2
    assert model_of(gamma="scale").fit(LAYOUTS[layout](X), y).gamma_ == 1.0


def test_variance_of_samples_far_from_zero():
    X = np.random.default_rng(0).normal(size=(5000, 300)) + 1e6
    assert_allclose(weighted_variance(X, np.ones(5000)), X.var(), rtol=1e-9)


def test_gamma_scale_of_a_stream_is_fixed_by_its_first_chunk():
    X, y = two_classes()
    model = model_of(gamma="scale")
    with pytest.warns(UserWarning, match="has only 10 samples"):
        model.partial_fit(X[:10], y[:10], classes=["no", "yes"])
    gamma = model.gamma_
    assert_allclose(gamma, 1 / (4 * X[:10].var()))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.partial_fit(10 * X[10:], y[10:])
        assert model.gamma_ == gamma
        model_of(gamma="scale").partial_fit(X[:30], y[:30], classes=["no", "yes"])
        model_of(gamma=0.1).partial_fit(X[:1], y[:1], classes=["no", "yes"])


# -- kernels ----------------------------------------------------------------------------


@pytest.mark.sampled
@with_both
@with_layouts
def test_kernel_function_is_the_named_kernel(any_model, any_exact, problem, layout):
    X, y = BOTH[problem]()
    X = LAYOUTS[layout](X)
    named = any_exact().fit(X, y)
    function = any_exact(kernel=lambda A, B: rbf_kernel(A, B, gamma=0.3)).fit(X, y)
    assert_allclose(function.decision_function(X), named.decision_function(X), atol=1e-4)
    assert_allclose(function.dual_objective_, named.dual_objective_, rtol=1e-6)
    assert abs(function.support_vectors_ - X[function.support_]).max() == 0
    stream = any_model(kernel=lambda A, B: rbf_kernel(A, B, gamma=0.3))
    stream.partial_fit(X[:100], y[:100], classes=np.unique(y)).partial_fit(X[100:], y[100:])
    assert stream.score(X, y) > 0.8


@with_both
def test_precomputed_kernel_is_the_named_kernel(any_exact, problem):
    X, y = BOTH[problem]()
    X_test, _ = BOTH[problem](seed=1)
    named = any_exact().fit(X, y)
    model = any_exact(kernel="precomputed").fit(rbf_kernel(X, gamma=0.3), y)
    K_test = rbf_kernel(X_test, X, gamma=0.3)
    assert_allclose(model.decision_function(K_test), named.decision_function(X_test), atol=1e-4)
    assert_array_equal(model.n_support_, named.n_support_)
    assert model.support_vectors_.shape == (0, len(y))
    # Also if evicted kernel rows are read again from the matrix.
    small = any_exact(kernel="precomputed", cache_size=1e-3).fit(rbf_kernel(X, gamma=0.3), y)
    assert_same_model(small, model)


@pytest.mark.parametrize("kernel", ["linear", "poly", "sigmoid"])
def test_parameters_of_the_kernels(kernel):
    X, y = two_classes()
    model = model_of(kernel=kernel, gamma=0.2, coef0=0.7, degree=2).fit(X, y)
    params = {
        "linear": {},
        "poly": dict(gamma=0.2, coef0=0.7, degree=2),
        "sigmoid": dict(gamma=0.2, coef0=0.7),
    }[kernel]
    K = pairwise_kernels(X, model.support_vectors_, metric=kernel, **params)
    expected = K @ model.dual_coef_[0] + model.intercept_
    assert_allclose(model.decision_function(X), expected, atol=1e-5 * np.abs(K).max())


# -- memory -----------------------------------------------------------------------------


def peak_of(action):
    """Bytes that Python and NumPy held at most, beyond those held before."""
    gc.collect()
    tracemalloc.start()
    try:
        action()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_csr_input_is_not_converted_to_dense():
    X = sparse.random(2000, 20_000, 1e-3, "csr", None, np.random.default_rng(0))
    y = np.arange(2000) % 2
    n_bytes = X.data.nbytes + X.indices.nbytes
    dense = 8 * X.shape[0] * X.shape[1]
    model = model_of(gamma=1.0)
    assert peak_of(lambda: model.fit(X, y)) < 10 * n_bytes < dense / 20
    assert peak_of(lambda: model.decision_function(X)) < 10 * n_bytes
    # A stream also stores up to ``replay_size`` samples, here all of them.
    assert peak_of(lambda: model.partial_fit(X, y)) < 12 * n_bytes


def test_predictions_do_not_store_kernel_values():
    X, y = two_classes(1000, noise=2.0)
    model = model_of().fit(X, y)
    many = np.tile(X, (40, 1))
    # Kernel values of 40 000 samples with some 600 vectors would be 100 MB.
    assert peak_of(lambda: model.decision_function(many)) < 4e6
    # Those of one sample are 2.4 kB, of a block of 64 samples 150 kB.
    assert peak_of(lambda: model.decision_function(X[:1])) < 3e4


def test_dense_input_is_not_copied_for_shuffling():
    X = np.random.default_rng(0).normal(size=(20_000, 100))
    y = X[:, 0] > 0
    X[:, 0] += np.where(y, 10, -10)  # for a small support set
    model = model_of(kernel="linear")
    assert peak_of(lambda: model.fit(X, y)) < 0.5 * X.nbytes


# -- warm starts ------------------------------------------------------------------------


@with_convex
@with_both
@with_layouts
def test_warm_start_continues_with_more_epochs(any_model, any_exact, problem, layout):
    X, y = BOTH[problem](300)
    X = LAYOUTS[layout](X)
    cold = any_exact().fit(X, y)
    model = any_model(max_iter=1, warm_start=True).fit(X, y)
    first = model.dual_objective_
    model.set_params(max_iter=-1, tol=1e-6).fit(X, y)
    assert (model.dual_objective_ >= first * (1 - 1e-12)).all()
    assert_allclose(model.dual_objective_, cold.dual_objective_, rtol=1e-6)
    assert_allclose(model.decision_function(X), cold.decision_function(X), atol=1e-4)
    # No changes from the optimum.
    model.fit(X, y)
    assert model.n_iter_ <= 2
    assert_allclose(model.dual_objective_, cold.dual_objective_, rtol=1e-6)


@with_convex
@with_both
def test_warm_start_with_other_weights_and_kernel(any_exact, problem):
    X, y = BOTH[problem](200)
    weight = np.random.default_rng(0).choice([0.0, 1.0, 3.0], 200)
    model = any_exact(warm_start=True).fit(X, y).fit(X, y, weight)
    cold = any_exact().fit(X, y, weight)
    assert_allclose(model.dual_objective_, cold.dual_objective_, rtol=1e-6)
    assert_allclose(model.decision_function(X), cold.decision_function(X), atol=1e-3)
    model.set_params(gamma=1.0).fit(X, y)
    cold = any_exact(gamma=1.0).fit(X, y)
    assert_allclose(model.decision_function(X), cold.decision_function(X), atol=1e-3)


@with_convex
def test_warm_start_of_a_precomputed_kernel(any_model, any_exact):
    X, y = two_classes()
    K = rbf_kernel(X, gamma=0.3)
    model = any_model(kernel="precomputed", max_iter=1, warm_start=True).fit(K, y)
    model.set_params(max_iter=-1, tol=1e-6).fit(K, y)
    assert_allclose(model.dual_objective_, any_exact().fit(X, y).dual_objective_, rtol=1e-6)


@pytest.mark.parametrize("change", ["rows", "fewer", "order", "labels", "classes"])
def test_warm_start_rejects_other_samples(change):
    X, y = two_classes()
    model = model_of(warm_start=True).fit(X, y)
    before = model.decision_function(X)
    X_new, y_new = {
        "rows": (X + 1, y),
        "fewer": (X[:50], y[:50]),
        "order": (X[::-1], y[::-1]),
        "labels": (X, np.where(y == "no", "yes", "no")),
        "classes": (X, np.where(y == "no", "No", "Yes")),
    }[change]
    with pytest.raises(ValueError, match="warm_start=True"):
        model.fit(X_new, y_new)
    assert_array_equal(model.decision_function(X), before)


# -- with other packages ----------------------------------------------------------------


def test_pipeline_and_grid_search():
    X, y = breast_cancer()
    pipeline = make_pipeline(StandardScaler(), LASVC(random_state=0))
    grid = {"lasvc__C": [0.01, 1.0], "lasvc__gamma": ["scale", 0.1]}
    search = GridSearchCV(pipeline, grid, cv=3)
    search.fit(X, y)
    assert search.best_params_["lasvc__C"] == 1.0
    assert search.score(X, y) > 0.97
    search = GridSearchCV(LASVC(kernel="precomputed"), {"C": [0.01, 1.0]}, cv=3)
    assert search.fit(linear_kernel(X), y).best_score_ > 0.9


def test_one_vs_rest_stream(any_model):
    X, y = three_classes()
    ovr = OneVsRestClassifier(any_model())
    for first in range(0, 240, 60):
        part = slice(first, first + 60)
        ovr.partial_fit(X[part], y[part], classes=[10, 20, 30])
    own = any_model(multi_class="ovr").partial_fit(X, y, classes=[10, 20, 30])
    assert_allclose(ovr.decision_function(X), own.decision_function(X), rtol=1e-9, atol=1e-9)


def test_svm_smote():
    """SVMSMOTE reads support_; at the optimum it gives the same samples as with SVC."""
    over_sampling = pytest.importorskip("imblearn.over_sampling")
    X, y = two_classes(400)
    rare = np.flatnonzero(y == "yes")[:40]
    rows = np.sort(np.r_[np.flatnonzero(y == "no"), rare])
    default, with_lasvc, with_svc = (
        over_sampling.SVMSMOTE(svm_estimator=svm, random_state=0).fit_resample(X[rows], y[rows])
        for svm in (LASVC(random_state=0), exact(gamma="scale"), SVC(C=2.0, tol=1e-6))
    )
    assert_array_equal(with_lasvc[0], with_svc[0])
    assert_array_equal(with_lasvc[1], with_svc[1])
    assert (default[1] == "yes").sum() > 2 * len(rare)
