"""max_iter="auto": the optimum of small sets, and further epochs of large ones if useful."""

import copy
import pickle
import warnings
from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import make_blobs
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import average_precision_score
from sklearn.metrics.pairwise import rbf_kernel

from sklearn_online_svm import LASVC, LASVR, ActiveLASVC, OneClassLASVM
from tests.support.fitted_models import CutKernel
from tests.support.internals import (
    Position,
    engine_of,
    estimated_cost,
    is_above,
    repeat_epochs,
    support_arrays,
    targets_of,
)
from tests.support.limits import set_limits
from tests.support.samples import (
    ALGORITHMS,
    LAYOUTS,
    banana,
    targets,
    three_classes,
    two_classes,
)
from tests.support.timed_interrupts import (  # noqa: F401
    assert_same,
    check_interrupts,
    ctrl_c,
    frequent_checks,
    noise,
)

KERNEL = dict(gamma=0.3, random_state=0)
MODELS = {name: partial(LASVC, C=10.0, algorithm=name, **KERNEL) for name in ALGORITHMS} | {
    "active": partial(ActiveLASVC, C=10.0, selection="active", max_labels=100, **KERNEL),
    "regression": partial(LASVR, C=10.0, **KERNEL),
    "regression, lasvm-g": partial(LASVR, C=10.0, algorithm="lasvm-g", **KERNEL),
    "one class": partial(OneClassLASVM, nu=0.2, **KERNEL),
}
LIMITED = ("regression", "regression, lasvm-g", "one class")
RAMP_LOSS = ("lasvm-nc", "lasvm-i")
with_convex_models = pytest.mark.parametrize("name", [n for n in MODELS if n not in RAMP_LOSS])
with_layouts = pytest.mark.parametrize("layout", LAYOUTS)


def data(name, n=240, *, several=False):
    """Samples and labels or targets, those of several classes or outputs if wanted."""
    if "regression" in name:
        X, y = targets(n)
        return X, np.column_stack([y, X[:, 2] ** 2]) if several else y
    return (three_classes if several else two_classes)(n)


def decisions(model, X):
    return model.predict(X) if isinstance(model, LASVR) else model.decision_function(X)


def assert_same_fit(model, other):
    """The same to the last bit, after as many epochs."""
    for name in ("n_iter_", "support_", "dual_coef_", "intercept_", "kkt_violation_"):
        assert_array_equal(getattr(model, name), getattr(other, name), err_msg=name)


@pytest.fixture
def large_sets(monkeypatch):
    """Treat all sets as large ones, whose optimum is not cheap, and keep no reserve."""
    set_limits(monkeypatch, SMALL_SET=0, SMALL_PAIR=0, RESERVE=0)


@pytest.fixture
def epochs_on_small_sets(monkeypatch):
    """Repeat epochs on small sets, too, as ActiveLASVC does."""
    repeat_epochs(monkeypatch)


# -- small sets -------------------------------------------------------------------------


@with_convex_models
@with_layouts
@pytest.mark.parametrize("several", [False, True], ids=["one", "several"])
def test_small_sets_are_optimized_over_all_samples(name, layout, several):
    X, y = data(name, several=several)
    X = LAYOUTS[layout](X)
    auto, exact = MODELS[name]().fit(X, y), MODELS[name](max_iter=-1).fit(X, y)
    assert auto.kkt_violation_ <= auto.tol
    if name == "active":
        assert_same_fit(auto, exact)
        assert auto.n_iter_ > 1
        return
    assert auto.n_iter_ == 1
    assert_allclose(auto.dual_objective_, exact.dual_objective_, rtol=1e-4)
    # Decision values of two solutions within tol differ by a few tol.
    assert_allclose(decisions(auto, X), decisions(exact, X), atol=1e-2)
    if isinstance(auto, LASVC):
        # No sample violates, whether it has become a support vector or not.
        again = copy.deepcopy(auto).set_params(warm_start=True, max_iter=1).fit(X, y)
        assert again.kkt_violation_ < 2 * auto.tol


@pytest.mark.parametrize("name", ["lasvm", "lasvm-g", "lasvm-full", "regression"])
def test_small_sets_are_solved_at_once(name):
    """Only vectors that may be needed later remain, and samples of weight 0 take no part."""
    X, y = data(name, 400)
    weight = np.where(np.arange(400) % 4, 1.0, 0.0)
    model = MODELS[name]().fit(X, y, weight)
    assert_same_fit(model, MODELS[name]().fit(X, np.where(weight, y, y[::-1]), weight))
    assert not (weight[model.support_] == 0).any()
    n_members = support_arrays(model).n_members
    assert engine_of(model).store.n_slots == n_members
    assert n_members == 300 if name == "lasvm-full" else len(model.support_) <= n_members < 300
    assert_allclose(
        decisions(model, X),
        decisions(MODELS[name]().fit(X[weight > 0], y[weight > 0]), X),
        atol=1e-2,
    )
    # Training goes on.
    model.partial_fit(X, y)
    assert model.n_samples_seen_ == 800


@pytest.mark.parametrize(
    "name, params",
    [
        *((name, {}) for name in RAMP_LOSS),
        *((name, dict(finishing=False)) for name in MODELS),
        *((name, dict(window_size=100)) for name in MODELS),
        *((name, dict(max_support_vectors=30)) for name in LIMITED),
    ],
    ids=str,
)
def test_a_single_epoch_where_more_would_be_of_no_use(name, params):
    X, y = data(name)
    auto, one = (MODELS[name](**params, **given).fit(X, y) for given in ({}, {"max_iter": 1}))
    assert_same_fit(auto, one)
    assert auto.n_iter_ == 1


# -- large sets -------------------------------------------------------------------------


@pytest.mark.parametrize("name", [name for name in MODELS if name != "active"])
def test_an_easy_set_takes_one_epoch(name, large_sets):
    X, y = data(name, 600)
    if name in ALGORITHMS:
        X, y = make_blobs(600, centers=2, cluster_std=0.5, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = MODELS[name]().fit(X, y)
    assert_same_fit(model, MODELS[name](max_iter=1).fit(X, y))
    assert model.n_iter_ == 1


def rare_class():
    X, y = np.random.default_rng(0).normal(size=(1500, 4)), np.arange(1500) % 10 == 0
    X[y] += 1.0
    return X, y


# After one epoch the intercept is wrong: with a small C most alpha are at their bounds, and a
# polynomial kernel has large values.
HARD = {
    "balanced": (three_classes, dict(C=0.01, class_weight="balanced")),
    "noise": (
        partial(two_classes, noise=2.0),
        dict(kernel="linear", C=0.01, class_weight="balanced"),
    ),
    "rare": (rare_class, dict(C=0.01, class_weight="balanced")),
    "poly": (banana, dict(kernel="poly")),
}


def hard_fit(case, **params):
    """Return samples and the model of the case."""
    make, given = HARD[case]
    X, y = make() if case in ("rare", "poly") else make(800)
    return X, LASVC(random_state=0, **given, **params).fit(X, y)


@pytest.mark.parametrize("case", HARD)
def test_epochs_are_repeated_until_they_change_little(case, large_sets):
    X, auto = hard_fit(case)
    one, exact = (hard_fit(case, max_iter=n)[1] for n in (1, -1))
    assert 1 < auto.n_iter_ < exact.n_iter_
    assert np.mean(one.predict(X) == exact.predict(X)) < 0.9
    assert np.mean(auto.predict(X) == exact.predict(X)) > 0.98
    error, error_of_one = (
        np.abs(model.intercept_ - exact.intercept_).max() for model in (auto, one)
    )
    assert error < 0.1 * error_of_one


@pytest.mark.parametrize("C", [0.01, 10.0, 1000.0])
def test_the_loss_that_is_left_is_compared_with_decision_values(C, large_sets, monkeypatch):
    """It is at most 1 % of the margin 1, or of their standard deviation if that is less."""
    set_limits(monkeypatch, AUTO_VIOLATORS=np.inf, AUTO_SUPPORT_SHARE=1.1)
    X, y = two_classes(800, noise=0.5)
    model = LASVC(C=C, random_state=0).fit(X, y)
    decided = model.decision_function(X)
    losses = np.maximum(0.0, 1.0 - np.where(y == model.classes_[1], decided, -decided))
    losses[model.support_] = 0.0  # optimized over already
    assert losses.mean() < 0.01 * min(1.0, decided.std())


def test_epochs_of_regression_are_repeated_until_they_change_little(large_sets):
    X, y = targets(800)
    auto, one, exact = (
        LASVR(C=0.01, random_state=0, **params).fit(X, y).predict(X)
        for params in ({}, {"max_iter": 1}, {"max_iter": -1})
    )
    assert np.abs(auto - exact).max() < 0.3 * np.abs(one - exact).max()


def test_a_few_missing_vectors_decide_the_bias_where_all_are_at_bounds(large_sets):
    """It is about 0 with all of them, and 1 or -1 with 597 of 600."""
    for seed in range(3):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(600, 20))
        y = X[:, 0] + rng.normal(size=600) > 0
        model = LASVC(C=1e-3, gamma=0.05, class_weight="balanced", random_state=0).fit(X, y)
        assert len(model.support_) == 600
        assert_allclose(model.intercept_, 0.0, atol=0.01)


def test_the_problem_with_most_support_vectors_decides(large_sets, monkeypatch):
    # The losses and the numbers of violating samples never do.
    set_limits(monkeypatch, AUTO_EXCESS=np.inf, AUTO_VIOLATORS=np.inf, AUTO_SUPPORT_SHARE=0.5)
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(600, 5)), rng.integers(2, size=600)
    X[:100, 0] += 30.0
    y[:100] = 2
    params = dict(multi_class="ovr", C=1.0, gamma=0.1, random_state=0)
    model = LASVC(**params).fit(X, y)
    n_support = np.count_nonzero(model.dual_coef_, axis=1)
    assert n_support.max() > 400 and n_support.min() < 200
    assert model.n_iter_ > 1
    set_limits(monkeypatch, AUTO_SUPPORT_SHARE=1.0)
    assert LASVC(**params).fit(X, y).n_iter_ == 1


@pytest.mark.parametrize("case", HARD)
def test_the_rule_depends_on_the_cost_and_not_on_the_number_of_samples(
    case, epochs_on_small_sets, monkeypatch
):
    with monkeypatch.context() as patch:
        set_limits(patch, SMALL_SET=0, SMALL_PAIR=0, RESERVE=0)
        _, large = hard_fit(case)
    set_limits(monkeypatch, SHORT_TIME=0.0, RESERVE=0)
    _, costly = hard_fit(case)
    assert_same_fit(costly, large)


def heavy_tails(seed, n):
    """Samples with heavy tails, and labels of which 5 % are wrong."""
    rng = np.random.default_rng(seed)
    X = np.clip(rng.standard_t(1.2, (n, 6)), -1e4, 1e4)
    f = X @ rng.normal(size=6) + 0.2 * np.abs(X).sum(axis=1)
    return X, (f > np.median(f)) ^ (rng.random(n) < 0.05)


@pytest.mark.parametrize("seed", [13, 26])
def test_a_reserve_finds_the_bias_where_tails_are_heavy(seed, monkeypatch):
    X, y = heavy_tails(seed, 7600)
    auto, exact = (LASVC(random_state=0, max_iter=n).fit(X[:5600], y[:5600]) for n in ("auto", -1))
    assert auto.n_iter_ == 1
    assert auto.score(X[5600:], y[5600:]) > exact.score(X[5600:], y[5600:]) - 0.005
    set_limits(monkeypatch, RESERVE=0, AUTO_VIOLATORS=np.inf)
    plain = LASVC(random_state=0).fit(X[:5600], y[:5600])
    assert plain.score(X[5600:], y[5600:]) < exact.score(X[5600:], y[5600:]) - 0.05


def test_another_epoch_where_few_samples_outside_of_the_support_set_violate(monkeypatch):
    """One of 150 samples is positive: the mean loss of all is small."""
    rng = np.random.default_rng(5)
    y = rng.random(26_000) < 1 / 150
    X = rng.normal(size=(26_000, 4))
    X[y] = 0.5 * X[y] + 1.2

    def precision(max_iter="auto"):
        model = LASVC(C=10.0, random_state=0, max_iter=max_iter).fit(X[:6000], y[:6000])
        decided = model.decision_function(X[6000:])
        return average_precision_score(y[6000:], decided), model.n_iter_

    (found, n_epochs), (optimum, most) = precision(), precision(-1)
    assert 1 < n_epochs < most and found > 0.95 * optimum
    set_limits(monkeypatch, AUTO_VIOLATORS=np.inf)
    assert precision()[0] < 0.8 * optimum


@pytest.mark.parametrize("n_problems", [1, 5, 20])
def test_means_below_their_limits_seldom_seem_to_be_above(n_problems):
    rng, limits = np.random.default_rng(0), np.full(n_problems, 1.0)
    shape = (400, n_problems, 250)
    below, above = 0.95 * rng.exponential(size=shape), rng.exponential(size=shape)
    above[:, -1] *= 1.4
    # At most as often as a mean exceeds its limit by one standard error: 16 %.
    assert np.mean([is_above(limits, values) for values in below]) < 0.16
    assert np.mean([is_above(limits, values) for values in above]) > 0.9


@pytest.mark.parametrize("case", HARD)
def test_maximum_number_of_epochs_warns(case, epochs_on_small_sets, monkeypatch):
    set_limits(monkeypatch, SMALL_SET=0, SMALL_PAIR=0, MAX_AUTO_EPOCHS=1, RESERVE=0)
    message = r"LASVC stopped after 1 epochs: the mean loss .* is about [\d.e-]+\."
    with pytest.warns(ConvergenceWarning, match=message) as caught:
        _, model = hard_fit(case)
    assert {w.filename for w in caught} == {__file__}
    assert model.n_iter_ == 1
    # An optimum that is cheap takes as many epochs as it needs.
    set_limits(monkeypatch, SMALL_SET=5000)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert hard_fit(case)[1].n_iter_ > 2


def test_epochs_end_after_rounds_without_an_increase(monkeypatch):
    counted = []

    def idle(position, engine):
        position.n_rounds, position.idle = position.n_rounds + 1, len(counted)
        counted.append(position.idle)

    monkeypatch.setattr(Position, "count_round", idle)
    set_limits(monkeypatch, IDLE_ROUNDS=3)
    X, y = two_classes(200, noise=1.0)
    params = dict(kernel="sigmoid", gamma=0.5, C=100.0, tol=1e-6, max_iter=-1, random_state=0)
    with pytest.warns(ConvergenceWarning):
        LASVC(**params).fit(X, y)
    assert counted == [0, 1, 2, 3]


def test_layouts_threads_and_caches_do_not_matter(large_sets):
    X, y = three_classes(900)
    X[np.abs(X) < 0.5] = 0.0
    params = dict(C=0.01, class_weight="balanced", random_state=0)
    model = LASVC(**params).fit(X, y)
    assert model.n_iter_ > 1
    assert_same_fit(LASVC(**params).fit(LAYOUTS["csr"](X), y), model)
    assert_same_fit(LASVC(n_jobs=2, **params).fit(X, y), model)
    assert_same_fit(LASVC(cache_size=1e-2, **params).fit(X, y), model)


def test_kernel_functions_and_matrices(large_sets):
    X, y = two_classes(600, noise=2.0)
    params = dict(C=0.01, class_weight="balanced", random_state=0)
    function = LASVC(kernel=partial(rbf_kernel, gamma=0.25), **params).fit(X, y)
    matrix = LASVC(kernel="precomputed", **params).fit(rbf_kernel(X, gamma=0.25), y)
    assert function.n_iter_ > 1
    assert_same_fit(function, matrix)


def test_samples_of_weight_zero_are_not_scored(large_sets, monkeypatch):
    X, y = make_blobs(900, centers=2, cluster_std=0.5, random_state=0)
    weight = np.where(np.arange(900) % 3, 1.0, 0.0)
    wrong = np.where(weight > 0, y, 1 - y)
    models = [LASVC(random_state=0).fit(X, labels, weight) for labels in (y, wrong)]
    assert_same_fit(*models)
    set_limits(monkeypatch, AUTO_VIOLATORS=np.inf)
    assert LASVC(random_state=0).fit(X, wrong, weight).n_iter_ == 1


@pytest.mark.parametrize("at", [0, -1])
def test_samples_are_scored_in_proportion_to_their_cost(at, large_sets, monkeypatch):
    X, y = three_classes(200)
    y = np.unique(y, return_inverse=True)[1]
    y[y == 2], y[at] = 0, 2
    weights = np.where(y == 2, 1.0, 1e-9)
    targets, scored = type(targets_of(LASVC().fit(X, y))), []
    scale = targets.scale

    def noted(self, scores, codes, engine):
        scored.extend(codes)
        return scale(self, scores, codes, engine)

    monkeypatch.setattr(targets, "scale", noted)
    LASVC(shuffle=False, random_state=0).fit(X, y, sample_weight=weights)
    assert len(scored) > 100 and set(scored) == {2}


@pytest.mark.parametrize("selection", ["random", "active", "autoactive"])
def test_labels_that_have_not_been_used_are_not_scored(selection, large_sets, monkeypatch):
    set_limits(monkeypatch, SAMPLES_OF_EACH_CLASS=0)
    X, y = make_blobs(900, centers=2, cluster_std=0.5, random_state=0)
    params = dict(selection=selection, max_labels=100, random_state=0)
    # lasvm-full keeps all samples whose label has been used.
    params["algorithm"] = "lasvm-full"
    model = ActiveLASVC(**params).fit(X, y)
    problem = engine_of(model).problems[0]
    used = problem.members["row_id"][problem.slots()]
    assert len(used) == 100
    wrong = 1 - y
    wrong[used] = y[used]
    assert_same_fit(ActiveLASVC(**params).fit(X, wrong), model)


CONSTANT = {
    "targets": lambda: LASVR(random_state=0).fit(two_classes(300)[0], np.ones(300)),
    "samples": lambda: LASVC(random_state=0).fit(np.ones((300, 2)), np.arange(300) % 3 == 0),
    "one class": lambda: OneClassLASVM(random_state=0).fit(np.ones((300, 2))),
}


@pytest.mark.parametrize("case", CONSTANT)
def test_constant_decisions(case, large_sets):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert CONSTANT[case]().n_iter_ < 10


# -- interrupts -------------------------------------------------------------------------


def test_interrupts_of_threads(large_sets, ctrl_c, frequent_checks):  # noqa: F811
    """Bitwise the same model, also if it is pickled in between."""
    X, y = noise(400, 3)
    model = LASVC(C=3.0, gamma=0.05, tol=1e-4, n_jobs=2, random_state=0)
    assert check_interrupts(model, [("fit", X, y)], X).n_iter_ > 1


@pytest.mark.parametrize("share", [0.3, 0.6, 0.9])
def test_a_limit_of_the_cost_that_is_reached_halfway(share, epochs_on_small_sets, monkeypatch):
    """The model does not depend on kernel values that are computed again, or on the layout."""
    X, y = noise(300, 2)
    params = dict(C=3.0, random_state=0)
    exact = LASVC(max_iter=-1, **params).fit(X, y)
    set_limits(monkeypatch, SHORT_TIME=share * sum(estimated_cost(exact, X.shape[1])))
    model = LASVC(**params).fit(X, y)
    assert_same_fit(LASVC(cache_size=1e-3, **params).fit(X, y), model)
    assert_same_fit(LASVC(**params).fit(LAYOUTS["csr"](X), y), model)
    assert_allclose(model.decision_function(X), exact.decision_function(X), atol=0.5)
    kernel = CutKernel()
    reference = LASVC(kernel=kernel, **params).fit(X, y)
    for n in np.unique(np.linspace(1, -kernel.calls_left, 15).astype(int)):
        kernel.calls_left = n
        model = LASVC(kernel=kernel, **params)
        with pytest.raises(KeyboardInterrupt):
            model.fit(X, y)
        assert_same(pickle.loads(pickle.dumps(model)).resume(X, y), reference, X)
