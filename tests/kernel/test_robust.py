"""LASVC without a bias, driven by the duality gap; label noise and the ramp."""

import pickle
import warnings
from functools import partial
from itertools import combinations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize
from sklearn.datasets import load_digits
from sklearn.metrics.pairwise import linear_kernel, rbf_kernel
from sklearn.svm import SVC

from sklearn_online_svm import LASVC
from sklearn_online_svm.datasets import flip_labels, make_banana_like, make_waveform
from tests.support.cases import together
from tests.support.internals import (
    GapDrivenSpec,
    changed_solver,
    engine_of,
    support_arrays,
)
from tests.support.robust import (
    BOTH,
    GAMMA,
    Busy,
    exact,
    machine_of,
    model_of,
    signs,
    with_algorithms,
    with_both,
    with_convex,
    with_gap_driven,
    with_machines,
)
from tests.support.samples import (
    ALGORITHMS,
    digits_pair,
    two_classes,
)

# -- the duality gap --------------------------------------------------------------------


def gap_and_target(model):
    """Duality gap and its target for the first problem, by definition."""
    members = support_arrays(model)
    alive = members["alive"] != 0
    names = ("alpha", "g", "lower", "upper", "y")
    alpha, g, lower, upper, y = (members[name][alive] for name in names)
    gap = np.maximum((upper - alpha) * g, (lower - alpha) * g).sum()
    h = (upper - lower) * y * g
    variance = (h * h).sum() - h.sum() ** 2 / max(len(h), 1)
    return gap, max(model.C, np.sqrt(max(0.0, variance)))


@pytest.mark.sampled
@with_gap_driven
@pytest.mark.parametrize("C", [0.1, 2.0, 100.0])
def test_gap_is_below_its_target_after_each_sample(algorithm, C):
    X, y = two_classes(250, noise=1.5)
    weight = np.random.default_rng(0).choice([0.5, 1.0, 2.0], 250)
    model = model_of(algorithm, Busy, C=C, tol=1e-4, finishing=False)
    model.partial_fit(X[:1], y[:1], classes=["no", "yes"], sample_weight=weight[:1])
    problem = engine_of(model).problems[0]
    n_reached = n_idle = 0
    for i in range(1, 250):
        # The target is that of the support set before the sample is added.
        target, n_admitted = gap_and_target(model)[1], model.n_admitted_.sum()
        model.partial_fit(X[i : i + 1], y[i : i + 1], sample_weight=weight[i : i + 1])
        if model.n_admitted_.sum() == n_admitted:
            continue
        gap, _ = gap_and_target(model)
        assert_allclose(model.duality_gap_[0], gap, rtol=1e-9, atol=1e-9)
        assert gap >= -1e-9 * C
        assert_allclose(problem.threshold, target, rtol=1e-6)
        if gap <= target * (1 + 1e-6):
            n_reached += 1
        else:
            assert problem.delta <= model.tol
            n_idle += 1
    assert n_reached > 50
    print(f"{algorithm}: {n_reached} at the target, {n_idle} without a step left")


# -- the optimum ------------------------------------------------------------------------


def quadratic_program(K, y, cost):
    """max alpha'y - 1/2 alpha'K alpha in the boxes, and alpha."""
    bounds = list(zip(np.minimum(0, cost * y), np.maximum(0, cost * y)))
    result = minimize(
        lambda alpha: 0.5 * alpha @ K @ alpha - alpha @ y,
        np.zeros(len(y)),
        jac=lambda alpha: K @ alpha - y,
        bounds=bounds,
        method="L-BFGS-B",
        options=dict(maxiter=20_000, maxfun=200_000, ftol=1e-15, gtol=1e-9),
    )
    return -result.fun, result.x


@with_convex
@pytest.mark.parametrize("kernel", ["rbf", "linear", "poly"])
@pytest.mark.parametrize("C", [0.1, 5.0])
@pytest.mark.parametrize("n", [5, 40])
def test_optimum_equals_a_quadratic_program(algorithm, kernel, C, n):
    X, y = two_classes(n, seed=6, noise=1.0)
    weight = np.random.default_rng(1).uniform(0.5, 2, n)
    model = exact(algorithm, kernel=kernel, degree=2, coef0=1.0, C=C).fit(X, y, weight)
    K = {
        "rbf": rbf_kernel(X, gamma=GAMMA),
        "linear": linear_kernel(X),
        "poly": (GAMMA * X @ X.T + 1) ** 2,
    }[kernel]
    best, alpha = quadratic_program(K, signs(y), C * weight)
    assert_allclose(model.dual_objective_[0], best, rtol=1e-6)
    assert_allclose(model.decision_function(X), K @ alpha, atol=1e-3)
    assert_allclose(model.duality_gap_[0], 0, atol=1e-5 * C * n)
    assert model.kkt_violation_ <= 2e-6


def test_lasvm_full_keeps_all_samples_and_lasvm_g_at_most_max_non_sv():
    X, y = two_classes(700)
    full, g = (
        model_of(name).partial_fit(X, y, ["no", "yes"]) for name in ("lasvm-full", "lasvm-g")
    )
    assert support_arrays(full).n_members == 700
    members = support_arrays(g)
    n_zeros = members.n_members - len(g.support_)
    assert n_zeros <= GapDrivenSpec.max_non_sv + 700 % GapDrivenSpec.clean_interval
    g.finish()
    assert members.n_members - len(g.support_) <= GapDrivenSpec.max_non_sv


# -- the ramp ---------------------------------------------------------------------------


def noisy(name, seed):
    rng = np.random.default_rng(seed)
    if name == "digits":
        X, y = load_digits(return_X_y=True)
        order = rng.permutation(len(y))
        X, y, n = X[order] / 16, (y[order] >= 5).astype(int), 600
    else:
        (X, y), n = make_waveform(1200, random_state=seed), 400
    return X[:n], y[:n], X[n:], y[n:]


def mean_results(name, C, flips, make_models):
    """Return support vectors and error of each model, of shape (n_models, 2), means of 3 draws."""
    results = []
    for seed in range(3):
        X, y, X_test, y_test = noisy(name, seed)
        y = flip_labels(y, random_state=seed, **flips)
        models = [make().set_params(C=C).fit(X, y) for make in make_models]
        results.append([(len(m.support_), 1 - m.score(X_test, y_test)) for m in models])
    return np.mean(results, axis=0)


def g_nc_svc():
    params = dict(random_state=0)
    return [
        partial(LASVC, algorithm="lasvm-g", **params),
        partial(LASVC, algorithm="lasvm-nc", **params),
        SVC,
    ]


@pytest.mark.parametrize("name", ["digits", "waveform"])
@pytest.mark.parametrize(
    "flips, share",
    [(dict(fraction=0.2), 0.85), (dict(fraction=0.3, from_label=1), 0.95)],
    ids=["both", "positives"],
)
def test_lasvm_nc_has_fewer_support_vectors_and_no_more_errors(name, flips, share):
    (n_g, error_g), (n_nc, error_nc), (n_svc, error_svc) = mean_results(
        name, 10.0, flips, g_nc_svc()
    )
    assert n_nc < share * min(n_g, n_svc)
    assert error_nc < min(error_g, error_svc) + 0.015


@pytest.mark.parametrize("name", ["digits", "waveform"])
def test_lasvm_nc_has_fewer_errors_with_label_noise(name):
    (_, error_g), (_, error_nc), (_, error_svc) = mean_results(
        name, 100.0, dict(fraction=0.2), g_nc_svc()
    )
    assert error_nc < min(error_g, error_svc) - 0.02


@pytest.mark.parametrize("fraction", [0.1, 0.3])
@pytest.mark.parametrize("flips", [{}, dict(from_label=1)], ids=["both", "positives"])
@with_gap_driven
def test_accuracy_with_noisy_labels(algorithm, fraction, flips):
    X, y = make_banana_like(1200, random_state=1)
    noisy_labels = flip_labels(y[:400], fraction, random_state=1, **flips)
    model = model_of(algorithm, C=10.0, gamma=1.0).fit(X[:400], noisy_labels)
    assert model.score(X[400:], y[400:]) > 0.8


class StartsAtOnce(LASVC):
    def _plan(self):
        return changed_solver(super()._plan(), ramp_start=0)


def test_lasvm_i_uses_only_samples_on_the_ramp():
    X, y = two_classes(400, noise=1.5)
    # The margin is that of the solution before finishing.
    model = model_of("lasvm-i", StartsAtOnce, ramp_s=-0.5, finishing=False)
    n_processed = 0
    for i in range(400):
        margin = signs(y)[i] * model.decision_function(X[i : i + 1])[0] if i else 0.0
        before = pickle.dumps(engine_of(model).problems[0].state()) if i else None
        model.partial_fit(X[i : i + 1], y[i : i + 1], ["no", "yes"])
        flow = [model.n_admitted_[0], model.n_skipped_[0]]
        if abs(margin + 0.5) < 1e-6 or abs(margin - 1) < 1e-6:
            continue
        region = 0 if margin < -0.5 else 1 if margin <= 1 else 2
        n_processed += region == 1
        assert flow[region != 1][region] >= 1
        if region != 1:
            # Only the count has changed.
            assert_array_equal(
                pickle.loads(before)["alpha"], engine_of(model).problems[0].state()["alpha"]
            )
    assert model.n_admitted_.sum() == model.n_admitted_[0, 1] == n_processed


@pytest.mark.parametrize("ramp_s", [-1.0, 0.5])
def test_lasvm_i_with_a_single_class_at_first(ramp_s):
    """Regression test: without ramp_start f was left of the ramp everywhere."""
    X, y = digits_pair()
    order = np.argsort(y, kind="stable")[50:]
    order = np.concatenate([order[:50], np.random.default_rng(0).permutation(order[50:])])
    params = dict(algorithm="lasvm-i", C=100, gamma=0.01, shuffle=False, ramp_s=ramp_s)
    assert LASVC(**params).fit(X[order], y[order]).score(X, y) > 0.95
    if ramp_s > 0:
        assert StartsAtOnce(**params).fit(X[order], y[order]).score(X, y) < 0.6


# -- counters ---------------------------------------------------------------------------


@with_gap_driven
@with_both
def test_counters_add_up(algorithm, problem):
    X, y = BOTH[problem](400)
    model = model_of(algorithm, Busy)
    pairs = list(combinations(np.unique(y), 2))
    seen = 0
    for size in (1, 30, 64, 105, 200):
        part = slice(seen, seen + size)
        model.partial_fit(X[part], y[part], np.unique(y) if seen == 0 else None)
        seen += size
        copied = pickle.loads(pickle.dumps(model))
        flows = {}
        for name in ("n_admitted_", "n_cleaned_", "n_skipped_"):
            flows[name] = getattr(model, name)
            assert flows[name].shape == (len(pairs), 3)
            assert flows[name].dtype.kind == "i"
            assert (flows[name] >= 0).all()
            assert_array_equal(getattr(copied, name), flows[name])
        admitted, cleaned, skipped = flows.values()
        classes, counts = np.unique(y[:seen], return_counts=True)
        of_class = dict(zip(classes, counts, strict=True))
        in_pairs = [of_class.get(a, 0) + of_class.get(b, 0) for a, b in pairs]
        assert_array_equal((admitted + skipped).sum(axis=1), in_pairs)
        assert (cleaned <= admitted).all()
        kept = [part.members.n_members for part in engine_of(model).problems]
        assert_array_equal((admitted - cleaned).sum(axis=1), kept)
        model = copied
    assert cleaned.any() == (algorithm != "lasvm-full")
    assert skipped.any() == (algorithm == "lasvm-i")
    assert not skipped[:, 1].any()
    if algorithm == "lasvm-i":
        assert not admitted[:, 2].any() and skipped[:, 2].any()
        assert (admitted[:, 0] < admitted[:, 1]).all() and skipped[:, 0].any()


@with_gap_driven
def test_samples_of_weight_zero_are_not_counted(algorithm):
    X, y = two_classes()
    weight = np.where(np.arange(200) % 3, 1.0, 0.0)
    model = model_of(algorithm).partial_fit(X, y, ["no", "yes"], sample_weight=weight)
    assert (model.n_admitted_ + model.n_skipped_).sum() == np.count_nonzero(weight)
    assert model.n_samples_seen_ == 200


@with_gap_driven
@pytest.mark.parametrize("former", ALGORITHMS)
def test_counters_after_a_warm_start(algorithm, former):
    """Vectors of the previous solution were not added by PROCESS."""
    X, y = two_classes(300, noise=1.5)
    model = model_of(former, warm_start=True).fit(X, y)
    model.set_params(algorithm=algorithm, C=20.0, max_iter=-1).fit(X, y)
    assert (model.n_cleaned_ <= model.n_admitted_).all()


def test_lasvm_has_no_counters():
    X, y = two_classes()
    model = model_of("lasvm").fit(X, y)
    for name in ("n_admitted_", "n_cleaned_", "n_skipped_"):
        assert not hasattr(model, name)
        with pytest.raises(AttributeError, match="lasvm-g, -nc, -i and -full"):
            getattr(model, name)
        with pytest.raises(AttributeError):
            getattr(LASVC(algorithm="lasvm-g"), name)


# -- warm starts ------------------------------------------------------------------------


@pytest.mark.sampled
@with_both
@with_algorithms
@pytest.mark.parametrize("former", ALGORITHMS)
@pytest.mark.parametrize("C", [0.2, 2.0, 20.0])
def test_warm_start_from_another_algorithm(former, algorithm, C, problem):
    X, y = BOTH[problem](200)
    model = model_of(former, Busy, warm_start=True).fit(X, y)
    model.set_params(algorithm=algorithm, C=C, max_iter=-1, tol=1e-6).fit(X, y)
    cold = exact(algorithm, make=Busy, C=C).fit(X, y)
    assert (algorithm == "lasvm") == bool(model.intercept_.any())
    for part in engine_of(model).problems:
        members = part.members
        assert (members["lower"] <= members["alpha"]).all()
        assert (members["alpha"] <= members["upper"]).all()
        assert part.delta <= part.tau
    if algorithm in ("lasvm-nc", "lasvm-i"):
        # The samples used depend on f, which starts from another solution.
        assert model.score(X, y) > cold.score(X, y) - 0.05
    else:
        assert_allclose(model.dual_objective_, cold.dual_objective_, rtol=1e-6)
        assert_allclose(model.decision_function(X), cold.decision_function(X), atol=1e-3)


# -- degenerate streams -----------------------------------------------------------------


@with_gap_driven
@pytest.mark.parametrize("label", ["no", "yes"])
def test_single_class_is_predicted(algorithm, label):
    X, y = two_classes()
    model = model_of(algorithm)
    model.partial_fit(X[:60], np.full(60, label), classes=["no", "yes"]).finish()
    assert_array_equal(model.predict(X[:60]), label)
    sign = 1 if label == "yes" else -1
    assert (sign * model.decision_function(X[:60]) > 0.8).all()
    # Then the other class appears.
    model.partial_fit(X[60:], y[60:])
    assert set(model.predict(X)) == {"no", "yes"}
    assert model.score(X[60:], y[60:]) > 0.7


@with_machines
@together(kernel=["rbf", "linear", "poly"], C=[1e-50, 0.01, 1.0, 100.0], max_iter=[1, -1])
def test_constant_features(name, kernel, C, max_iter):
    """All kernel values are equal: only the class weights matter."""
    X, y = np.full((60, 3), 0.5), np.where(np.arange(60) % 3, "yes", "no")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = machine_of(name, kernel=kernel, C=C, max_iter=max_iter).fit(X, y)
    decisions = model.decision_function(X)
    assert np.isfinite(decisions).all()
    assert_array_equal(decisions, decisions[0])
    if max_iter == -1 and C > 1e-50 and name in ("lasvm", "lasvm-g", "lasvm-full"):
        assert_array_equal(model.predict(X), "yes")


@with_machines
@pytest.mark.parametrize("C", [1.0, 1000.0])
@pytest.mark.parametrize("max_iter", [1, -1])
def test_repeated_samples(name, C, max_iter):
    """Repeated samples, some of them with the other label."""
    X, y = two_classes(20)
    X, y = np.tile(X, (15, 1)), np.tile(y, 15)
    y[:20] = np.where(y[:20] == "yes", "no", "yes")
    model = machine_of(name, C=C, max_iter=max_iter).fit(X, y)
    assert np.isfinite(model.decision_function(X)).all()
    # lasvm-i may skip samples left of the ramp for good.
    if name != "lasvm-i":
        assert model.score(X[20:], y[20:]) > 0.9


@with_machines
@pytest.mark.parametrize("n", [2, 3, 4])
@pytest.mark.parametrize("max_iter", [1, -1])
def test_very_few_samples(name, n, max_iter):
    X = np.random.default_rng(n).normal(size=(n, 3))
    y = np.arange(n) % 2
    model = machine_of(name, C=100.0, max_iter=max_iter, tol=1e-6).fit(X, y)
    if max_iter == -1 or name != "lasvm":
        assert model.score(X, y) == 1.0
    if name.startswith("RampSVC"):
        assert model.n_iter_ == 1
        return
    stream = model_of(name, C=100.0)
    for i in range(n):
        stream.partial_fit(X[i : i + 1], y[i : i + 1], classes=[0, 1])
    assert stream.finish().n_samples_seen_ == n
    assert np.isfinite(stream.decision_function(X)).all()


@with_gap_driven
@together(C=[1e-300, 1e-50, 1e-10, 1e10, 1e30, 1e100, 1e300], max_iter=[1, -1])
def test_tiny_and_huge_costs(algorithm, C, max_iter):
    X, y = np.random.default_rng(0).normal(size=(100, 3)), np.arange(100) % 2
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = model_of(algorithm, C=C, gamma=0.5, max_iter=max_iter).fit(X, y)
    decisions = model.decision_function(X)
    assert np.isfinite(decisions).all() and decisions.any()
    assert np.isfinite(model.duality_gap_).all() and np.isfinite(model.dual_objective_).all()
    if C < 1:  # all alpha are at their bounds
        assert_allclose(np.abs(model.dual_coef_), C)
        assert model.dual_coef_.shape == (1, 100)
        K = rbf_kernel(X, gamma=0.5)
        assert_allclose(decisions, C * K @ (2.0 * y - 1), rtol=1e-3, atol=1e-5 * C)
    elif algorithm != "lasvm-i":  # separable
        assert (signs(y) * decisions > 1 - 2e-3).all()


@with_gap_driven
def test_a_large_cost_in_a_stream(algorithm):
    """The target of the gap is as large as C: few steps per sample are taken."""
    X, y = two_classes(300, noise=1.0)
    model = model_of(algorithm, C=1e6).partial_fit(X, y, classes=["no", "yes"])
    assert np.isfinite(model.decision_function(X)).all()
    assert model.n_kernel_evaluations_ < 20 * 300**2
