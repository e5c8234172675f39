"""Termination: training stops when an epoch changes nothing, and steps are limited."""

import re
import signal
import warnings
from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone, is_classifier
from sklearn.datasets import load_breast_cancer, load_digits, make_blobs
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC

from sklearn_online_svm import LASVC, LASVR, RampSVC
from sklearn_online_svm.datasets import make_banana_like
from tests.support.internals import _epochs, engine_of, is_above, limit_reprocessing, steps_left
from tests.support.limits import set_limits
from tests.support.robust import assert_same_model
from tests.support.samples import (
    ALGORITHMS,
    GAP_DRIVEN,
    banana,
    breast_cancer,
    digits_pair,
    targets,
    three_classes,
    two_classes,
    waveform,
)

with_algorithms = pytest.mark.parametrize("algorithm", ALGORITHMS)
# Maximum processor time for 200 samples, in seconds. All steps of one call take 4 s; training
# without a limit would take hours.
LIMIT = 60.0


@pytest.fixture
def in_time(request):
    """Fail if the test takes more than LIMIT seconds of processor time."""
    if not hasattr(signal, "setitimer"):
        yield  # Windows
        return

    def fail(number, frame):
        pytest.fail(f"{request.node.name} did not end within {LIMIT} s")

    before = signal.signal(signal.SIGPROF, fail)
    signal.setitimer(signal.ITIMER_PROF, LIMIT)
    yield
    signal.setitimer(signal.ITIMER_PROF, 0.0)
    signal.signal(signal.SIGPROF, before)


# -- epochs -----------------------------------------------------------------------------


@with_algorithms
def test_training_stops_after_an_epoch_without_changes(algorithm):
    X, y = (values[:700] for values in load_digits(return_X_y=True))
    model = LASVC(algorithm=algorithm, max_iter=1000, random_state=0).fit(X, y)
    assert 1 < model.n_iter_ < 20
    exact = LASVC(algorithm=algorithm, max_iter=-1, random_state=0).fit(X, y)
    assert model.n_iter_ == exact.n_iter_
    assert_same_model(model, exact)
    assert model.kkt_violation_ == exact.kkt_violation_ <= 1e-3


def test_samples_that_replace_each_other_do_not_delay_the_end():
    """Equal samples with alpha = 0 must not replace each other in each epoch, by rounding."""
    rng = np.random.default_rng(4369)
    X, y = rng.normal(size=(6, 2))[rng.integers(0, 6, 24)], rng.integers(0, 2, 24)
    weight, params = rng.uniform(0.2, 3.0, 24), dict(kernel="poly", gamma=0.3, coef0=1.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        model = LASVC(max_iter=-1, random_state=0, **params).fit(X, y, weight)
    assert model.n_iter_ < 10
    assert model.kkt_violation_ <= 1e-3
    svc = SVC(**params).fit(X, y, weight)
    assert_allclose(model.decision_function(X), svc.decision_function(X), atol=1e-3)


@pytest.mark.parametrize("C", [1.0, 1000.0])
def test_max_iter_runs_the_first_epochs_of_training_to_convergence(C):
    X, y = make_banana_like(800, random_state=0)
    params = dict(C=C, gamma=1.0, random_state=0)
    exact = LASVC(max_iter=-1, **params).fit(X, y)
    assert 2 < exact.n_iter_ < 10
    gaps = []
    for k in range(1, exact.n_iter_ + 2):
        model = LASVC(max_iter=k, **params).fit(X, y)
        assert model.n_iter_ == min(k, exact.n_iter_)
        gaps.append(exact.dual_objective_[0] - model.dual_objective_[0])
    # The last pass of all changes nothing.
    assert gaps[0] > gaps[-1] == gaps[-2] == 0
    assert_same_model(model, exact)


@with_algorithms
def test_epochs_without_finishing_stop_when_nothing_changes(algorithm):
    X, y = two_classes(300)
    params = dict(algorithm=algorithm, gamma=0.3, finishing=False, random_state=0)
    model = LASVC(max_iter=1000, **params).fit(X, y)
    assert 1 < model.n_iter_ < 100
    assert_same_model(model, LASVC(max_iter=model.n_iter_, **params).fit(X, y))
    assert_same_model(model, LASVC(max_iter=model.n_iter_ - 1, **params).fit(X, y))


# -- steps ------------------------------------------------------------------------------


def contradictory(n=60):
    """Each sample twice, once with each label."""
    X = np.random.default_rng(0).normal(size=(n // 2, 3))
    y = np.arange(n // 2) % 2
    return np.vstack([X, X]), np.concatenate([y, 1 - y])


def equal(n=60):
    """Identical samples, two thirds of them with label 1."""
    return np.ones((n, 3)), np.where(np.arange(n) % 3, 1, 0)


HARD = {"contradictory": contradictory, "equal": equal}
WITHOUT_BIAS = {name: partial(LASVC, algorithm=name) for name in GAP_DRIVEN} | {
    "RampSVC": partial(RampSVC, fit_intercept=False)
}


@pytest.mark.sampled
@pytest.mark.usefixtures("in_time")
@pytest.mark.parametrize("C", [1e4, 1e8, 1e10])
@pytest.mark.parametrize("data", HARD)
@pytest.mark.parametrize("gamma", [1.0, 1e-12])
@pytest.mark.parametrize("name", WITHOUT_BIAS)
def test_contradictory_samples_with_large_C(name, gamma, data, C):
    """The curvature between two equal samples is 0: alpha has to reach C."""
    X, y = HARD[data]()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", ".* are all the same")  # with the small gamma
        model = WITHOUT_BIAS[name](C=C, gamma=gamma, random_state=0).fit(X, y)
    assert max(problem.delta for problem in engine_of(model).problems) <= 1e-3
    decisions = model.decision_function(X)
    assert np.isfinite(decisions).all()
    if data == "equal":
        assert_allclose(decisions, decisions[0])
        if name in ("lasvm-g", "lasvm-full"):
            assert_allclose(decisions, 1.0, atol=2e-3)


@pytest.mark.usefixtures("in_time")
@pytest.mark.parametrize("name", ["lasvm-g", "lasvm-full", "RampSVC"])
def test_one_feature_with_large_C(name):
    """With a linear kernel of one feature the curvature of all pairs is minimal."""
    X = np.arange(-16.0, 24.0)[:, None]  # products are exact in float32
    y = np.where(np.arange(40) % 4 == 0, X[:, 0] < 0, X[:, 0] > 0)
    model = WITHOUT_BIAS[name](C=1e8, kernel="linear", random_state=0, ramp_s=-1e12)
    if name != "RampSVC":
        model.set_params(max_iter=-1)
    w = model.fit(X, y).coef_[0, 0]
    margins = np.where(y, 1, -1) * X[:, 0]
    loss = np.maximum(0, 1 - margins * w).sum()
    others = np.maximum(0, 1 - margins * np.linspace(-1, 1, 20001)[:, None]).sum(axis=1)
    assert loss <= others.min() * (1 + 1e-6)


@pytest.mark.slow
@pytest.mark.usefixtures("in_time")
@pytest.mark.parametrize("max_iter", [1, 1000, -1, "auto"])
def test_step_limit_warns(max_iter):
    X, y = make_blobs(80, centers=10, random_state=0)
    # The pairs of these classes are separable; a class and all others are not.
    params = dict(kernel="poly", gamma=1, max_iter=max_iter, multi_class="ovr")
    with pytest.warns(ConvergenceWarning) as caught:
        model = LASVC(**params, random_state=0).fit(X, y)
    caught = [w for w in caught if w.category is ConvergenceWarning]  # precision warns, too
    (message,) = {str(w.message) for w in caught}
    for part in (
        "LASVC stopped at the maximum number of steps",
        r"largest violation is [\d.e+]+, tol is 0.001",
        r"Scale the features .*, or use a smaller C, gamma or coef0, a larger tol",
    ):
        assert re.search(part, message)
    # It points to the line that calls fit.
    assert {w.filename for w in caught} == {__file__}
    # The first optimization over the support set does not use all steps, unless it is the last.
    assert (model.n_iter_ == 1) == (max_iter in (1, "auto"))
    assert np.isfinite(model.decision_function(X)).all()
    # The advised remedy works.
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        LASVC(**params).fit((X - X.mean(0)) / X.std(0), y)


def test_slow_optimization_leaves_steps_for_the_other_samples(monkeypatch):
    """Regression test: the steps were used up after one epoch, far from the optimum."""
    # Kernel values are rounded to single precision: a tol of 1e-8 is not reached, one of 1e-6 is
    # reached in some 5 000 000 steps. The violation left is 1e-5 at most.
    set_limits(monkeypatch, MAX_STEPS=500_000)
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 3)), rng.integers(0, 2, 60)
    params = dict(kernel="linear", C=2.5)  # SVC needs many seconds if C is larger
    with pytest.warns(ConvergenceWarning, match="maximum number of steps"):
        model = LASVC(max_iter=-1, tol=1e-8, random_state=0, **params).fit(X, y)
    assert model.kkt_violation_ < 1e-4
    svc = SVC(**params, tol=1e-6).fit(X, y)
    assert_allclose(model.decision_function(X), svc.decision_function(X), rtol=0, atol=1e-3)


@pytest.mark.slow
@pytest.mark.usefixtures("in_time")
@pytest.mark.parametrize("C", [1e4, 1e8])
@pytest.mark.parametrize("fit_intercept", [False, True])
def test_ramp_svc_with_linear_kernel_and_large_C(fit_intercept, C):
    X, y = contradictory(200)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = RampSVC(kernel="linear", C=C, fit_intercept=fit_intercept, random_state=0)
        model.fit(X, y)
    assert np.isfinite(model.decision_function(X)).all()
    solved = max(problem.delta for problem in engine_of(model).problems) <= 1e-3
    assert solved or any("RampSVC stopped at the maximum number" in str(w.message) for w in caught)
    assert all(w.filename == __file__ for w in caught if w.category is ConvergenceWarning)


@pytest.fixture
def few_steps(monkeypatch):
    set_limits(monkeypatch, MAX_STEPS=200, MAX_STEPS_PER_SAMPLE=1)
    limit_reprocessing(monkeypatch, 3)


def test_finishing_is_limited_in_fit_and_in_finish(few_steps):
    X, y = two_classes(200, noise=1.0)
    model = LASVC(C=1000.0, random_state=0)
    with pytest.warns(ConvergenceWarning, match="LASVC stopped at the maximum number") as caught:
        model.fit(X, y)
    assert caught[0].filename == __file__
    with pytest.warns(ConvergenceWarning, match="largest violation is") as caught:
        model.finish()
    assert caught[0].filename == __file__
    # Each call continues where the previous one stopped.
    before = model.dual_objective_[0]
    with pytest.warns(ConvergenceWarning):
        model.finish()
    assert model.dual_objective_[0] > before
    for _ in range(1000):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.finish()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.finish()


@pytest.mark.parametrize("model", [LASVC(C=1e4, gamma=1.0), LASVR(C=1e4, gamma=1.0)])
def test_the_bias_far_from_the_optimum_has_the_least_training_loss(model, few_steps):
    X, y = two_classes(200, noise=1.0)
    y = y if is_classifier(model) else X[:, 0] ** 2 + X[:, 1]
    with pytest.warns(ConvergenceWarning, match="maximum number of steps"):
        values = getattr(model.fit(X, y), "decision_function", model.predict)(X)
    assert model.kkt_violation_ > 0.3

    def loss(shift):
        if is_classifier(model):
            return np.maximum(0, 1 - np.where(y == model.classes_[1], 1, -1) * (values + shift))
        return np.maximum(0, np.abs(y - values - shift) - model.epsilon)

    least = loss(0.0).mean()
    for shift in np.geomspace(1e-4, 10.0, 30):
        assert least <= min(loss(shift).mean(), loss(-shift).mean()) + 1e-12


@pytest.mark.parametrize("limits", [{}, {"SMALL_SET": 0}])
def test_unsolved_models_are_better_than_the_majority(limits, monkeypatch):
    """Regression test: an accuracy of 43 %, where 63 % of the samples are of one class."""
    set_limits(monkeypatch, **limits)
    X, y = load_breast_cancer(return_X_y=True)
    with pytest.warns(ConvergenceWarning, match="maximum number of steps"):
        model = LASVC(C=1e8, random_state=0).fit(X, y)
    assert model.score(X, y) > 0.9


@pytest.mark.parametrize(
    "max_iter, tol, n_steps",
    [(1, 1e-3, 200), ("auto", 1e-3, 200), (1, 1e-6, 1000), ("auto", 1e-6, 3100)],
)
@pytest.mark.parametrize("easy", range(3))
def test_the_pair_that_needs_most_steps_decides(easy, max_iter, tol, n_steps, monkeypatch):
    """The pairs with class ``easy`` are solved in a few steps."""
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(size=(60, 2)), rng.normal(20.0, size=(30, 2))])
    y = np.append(rng.permutation(np.repeat(np.delete(range(3), easy), 30)), np.full(30, easy))
    set_limits(monkeypatch, MAX_STEPS=2 * n_steps, MAX_STEPS_PER_SAMPLE=0)
    params = dict(C=100.0, gamma=0.5, multi_class="ovo", tol=tol, random_state=0)
    model = LASVC(max_iter=max_iter, **params)
    with pytest.warns(ConvergenceWarning, match="stopped at the maximum number") as caught:
        model.fit(X, y)
    *of_easy, largest = sorted(problem.delta for problem in engine_of(model).problems)
    assert max(of_easy) <= tol < largest
    assert f"the largest violation is {largest:.3g}," in str(caught[0].message)
    # The number of steps of finish is that of the largest support set.
    set_limits(monkeypatch, MAX_STEPS=0, MAX_STEPS_PER_SAMPLE=30)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.finish()


@pytest.mark.parametrize("order", [1, -1])
def test_an_output_without_support_vectors_changes_neither_samples_nor_loss(order, monkeypatch):
    """Of those that are scored to decide on another epoch."""
    large_sets = dict(SMALL_SET=0, SMALL_PAIR=0, RESERVE=0)
    set_limits(monkeypatch, MAX_AUTO_EPOCHS=1, AUTO_EXCESS=0.0, **large_sets)
    n_scored = []

    def watched(bounds, values):
        n_scored.append(values.shape[1])
        return is_above(bounds, values)

    monkeypatch.setattr(_epochs, "is_above", watched)
    monkeypatch.setattr(_epochs, "LEAST_SCORED", 10)
    X, y = targets(600, noise=0.1)
    model = LASVR(C=0.1, gamma=0.3, epsilon=0.3, random_state=0)
    message = r"mean loss that further ones could remove is about [\d.e-]*[1-9]"
    for given in (y, np.column_stack([y, np.zeros(600)])[:, ::order]):
        with pytest.warns(ConvergenceWarning, match=message):
            model.fit(X, given)
    assert len(set(n_scored)) == 1 and n_scored[0] < 600


@pytest.mark.parametrize("params", [dict(algorithm="lasvm-g"), dict(delta_max=0.01)], ids=str)
def test_reprocess_steps_per_sample_are_limited(params, few_steps, monkeypatch):
    X, y = two_classes(200, noise=1.0)
    models = [LASVC(C=1000.0, gamma=0.3, **params) for _ in range(2)]
    for model, size in zip(models, (200, 7), strict=True):
        with pytest.warns(ConvergenceWarning, match="after a sample and left") as caught:
            for first in range(0, 200, size):
                chunk = slice(first, first + size)
                model.partial_fit(X[chunk], y[chunk], classes=["no", "yes"])
        assert caught[0].filename == __file__
    # For any division into chunks.
    assert_same_model(*models)

    # No warning if finish solves the problem.
    set_limits(monkeypatch, MAX_STEPS=5_000_000)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        LASVC(C=1000.0, gamma=0.3, **params).fit(X, y)


@pytest.mark.sampled
@with_algorithms
@pytest.mark.parametrize("C", [1.0, 100.0, 1000.0])
@pytest.mark.parametrize("load", [banana, waveform, digits_pair, breast_cancer, three_classes])
def test_step_limit_is_not_reached_on_ordinary_problems(algorithm, C, load):
    X, y = load()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = LASVC(C=C, algorithm=algorithm, random_state=0).fit(X, y)
    # The problems that a sample belongs to share the steps.
    share = 4_000_000 // (len(model.classes_) - 1)
    assert (steps_left(model) > share).all()


# -- C = inf ----------------------------------------------------------------------------


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_hard_margin_equals_that_of_svc(kernel):
    X, y = make_blobs(200, centers=2, random_state=3)
    params = dict(C=np.inf, kernel=kernel, tol=1e-6)
    model = LASVC(**params, max_iter=-1, random_state=0).fit(X, y)
    svc = SVC(**params).fit(X, y)
    assert_allclose(model.decision_function(X), svc.decision_function(X), atol=1e-4)
    assert_array_equal(model.support_, svc.support_)
    assert (np.where(y, 1, -1) * model.decision_function(X)).min() == pytest.approx(1, abs=1e-5)
    assert not np.isnan(model.duality_gap_).any() and np.isfinite(model.dual_objective_).all()


@pytest.mark.parametrize("algorithm", ["lasvm", "lasvm-g", "lasvm-full"])
def test_hard_margin_is_the_limit_of_large_C(algorithm):
    X, y = digits_pair()
    params = dict(algorithm=algorithm, max_iter=-1, tol=1e-6, random_state=0)
    hard, large = (LASVC(C=C, **params).fit(X, y) for C in (np.inf, 1e6))
    assert_allclose(hard.decision_function(X), large.decision_function(X), atol=1e-4)
    if algorithm == "lasvm-g":
        stream = LASVC(C=np.inf, algorithm=algorithm, gamma=hard.gamma_, tol=1e-6)
        stream.partial_fit(X[:100], y[:100], classes=np.unique(y)).partial_fit(X[100:], y[100:])
        assert stream.finish().score(X, y) > 0.99


@pytest.mark.usefixtures("in_time")
@pytest.mark.parametrize(
    "algorithm, max_iter", [("lasvm", 1), ("lasvm", -1), ("lasvm-g", 1), ("lasvm-full", -1)]
)
def test_hard_margin_of_inseparable_classes_warns(algorithm, max_iter, monkeypatch):
    # There is no optimum: more steps would only take longer.
    set_limits(monkeypatch, MAX_STEPS=500_000)
    X, y = two_classes(200, noise=1.0)
    model = LASVC(C=np.inf, kernel="linear", algorithm=algorithm, max_iter=max_iter)
    with pytest.warns(
        ConvergenceWarning, match="C=inf .* the classes are not separable, or barel"
    ):
        model.fit(X, y)


@pytest.mark.parametrize("algorithm", ["lasvm", "lasvm-g"])
def test_infinite_C_with_sample_and_class_weights(algorithm):
    X, y = make_blobs(100, centers=2, random_state=3)
    params = dict(C=np.inf, kernel="linear", algorithm=algorithm, shuffle=False)
    weight = np.ones(100)
    weight[::3] = 0.0
    wrong = y.copy()
    wrong[::3] = 1 - wrong[::3]
    model = LASVC(**params).fit(X, wrong, sample_weight=weight)
    assert_same_coefficients(model, LASVC(**params).fit(X[weight > 0], y[weight > 0]))
    # A huge C for one class only: none of its samples lies within the margin.
    X, y = two_classes(200, noise=1.0)
    model = LASVC(class_weight={"yes": 1e300}, gamma=0.3, max_iter=-1, tol=1e-6).fit(X, y)
    assert model.decision_function(X)[y == "yes"].min() > 1 - 1e-5


def assert_same_coefficients(one, other):
    assert_allclose(one.dual_coef_, other.dual_coef_)
    assert_allclose(one.intercept_, other.intercept_)


@pytest.mark.parametrize(
    "model",
    [LASVC(algorithm="lasvm-nc"), LASVC(algorithm="lasvm-i"), RampSVC()],
    ids=["nc", "i", "ramp"],
)
def test_ramp_loss_requires_finite_C(model):
    X, y = two_classes(60)
    for params in (dict(C=np.inf), dict(C=1e300, class_weight={"yes": 1e300})):
        with pytest.raises(ValueError, match="C must be finite here.* Got C="):
            clone(model).set_params(**params).fit(X, y)
    if isinstance(model, LASVC):
        with pytest.raises(ValueError, match="C must be finite here"):
            clone(model).set_params(C=np.inf).partial_fit(X, y, classes=["no", "yes"])
