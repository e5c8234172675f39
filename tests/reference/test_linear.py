"""Reference implementations of the linear models: special cases, weights, averages."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.linear_model import Perceptron as SklearnPerceptron

from tests.reference.linear import (
    Arow,
    ConfidenceWeighted,
    CostSensitivePassiveAggressive,
    LinearTwin,
    PassiveAggressive,
    PassiveAggressiveRegression,
    Perceptron,
    SoftConfidenceWeighted,
)
from tests.support.linear_twins import (
    FIRST_ORDER,
    REGRESSION,
    SECOND_ORDER,
    assert_close,
    clouds,
    learn,
    name_of,
    random_twin,
)

# -- special cases collapse -------------------------------------------------------------


def assert_same_path(a, b, X, labels, weights=None, **tolerance):
    tolerance = {"rtol": 1e-9, "atol": 1e-12} | tolerance
    weights = np.ones(len(X)) if weights is None else weights
    n_updates = 0
    for x, label, c in zip(X, labels, weights):
        one, other = a.learn_row(x, label, c), b.learn_row(x, label, c)
        assert_allclose(one.scores, other.scores, **tolerance)
        assert_allclose(one.loss, other.loss, **tolerance)
        assert one.updated == other.updated
        assert_allclose(a.coef, b.coef, **tolerance)
        assert_allclose(a.intercept, b.intercept, **tolerance)
        n_updates += one.updated
    assert n_updates > 3


def test_hard_margin_is_exact_and_the_limit_of_large_C():
    X, labels = clouds(2)
    twin = LinearTwin(3, 2, PassiveAggressive(np.inf))
    for x, label in zip(X, labels):
        if twin.learn_row(x, label).updated:
            assert_allclose((2 * label - 1) * twin.scores(x)[0], 1.0, rtol=1e-12)
    for loss, C in [("squared_hinge", np.inf), ("hinge", 1e12), ("squared_hinge", 1e12)]:
        a, b = (
            LinearTwin(3, 2, r) for r in (PassiveAggressive(np.inf), PassiveAggressive(C, loss))
        )
        assert_same_path(a, b, X, labels, atol=1e-8)
    a, b = (
        LinearTwin(3, 1, PassiveAggressiveRegression(np.inf, loss))
        for loss in ("epsilon_insensitive", "squared_epsilon_insensitive")
    )
    assert_same_path(a, b, X, X[:, 0] ** 2)


@pytest.mark.parametrize("covariance", ["diag", "full"])
def test_SCW_with_infinite_C_is_CW(covariance):
    X, labels = clouds(3)
    for loss in ("hinge", "squared_hinge"):
        a = LinearTwin(3, 2, ConfidenceWeighted(0.8), covariance=covariance)
        b = LinearTwin(3, 2, SoftConfidenceWeighted(np.inf, 0.8, loss), covariance=covariance)
        assert_same_path(a, b, X, labels)
        assert_allclose(a.covariance, b.covariance)


def test_eta_of_05_gives_no_updates():
    # phi = 0: mu = 0 meets `y mu.x >= 0`. Hence eta > 0.5.
    X, labels = clouds(3, 20)
    for rule in (
        ConfidenceWeighted(0.5),
        SoftConfidenceWeighted(1.0, 0.5),
        SoftConfidenceWeighted(1.0, 0.5, "squared_hinge"),
    ):
        twin = LinearTwin(3, 2, rule, covariance="full")
        assert not any(record.updated for record in learn(twin, X, labels))


@pytest.mark.parametrize("rule", SECOND_ORDER, ids=name_of)
def test_diagonal_is_full_in_one_dimension(rule):
    X, labels = clouds(4, n_features=1)
    a, b = (LinearTwin(1, 2, rule, covariance=c, fit_intercept=False) for c in ("diag", "full"))
    assert_same_path(a, b, X, labels)
    assert_allclose(a.covariance, b.covariance[:, 0])
    assert a.covariance[0, 0] < 1


@pytest.mark.parametrize("rule", SECOND_ORDER, ids=name_of)
def test_a_diagonal_step_is_the_diagonal_of_the_full_one(rule):
    n_steps = 0
    for seed in range(6):
        a, x, _ = random_twin(seed, rule, covariance="diag")
        b = LinearTwin(3, 2, rule, covariance="full")
        b.W[:] = a.W
        b.covariance[0] = np.diag(a.covariance[0])
        n_steps += a.learn_row(x, 1).updated
        b.learn_row(x, 1)
        assert_allclose(a.W, b.W)
        assert_allclose(a.covariance[0], np.diag(b.covariance[0]))
    assert n_steps > 1


@pytest.mark.parametrize("rule", SECOND_ORDER, ids=name_of)
def test_covariances_stay_symmetric_positive_and_shrink(rule):
    X, labels = clouds(5, 100)
    full = LinearTwin(3, 2, rule, covariance="full")
    diag = LinearTwin(3, 2, rule, covariance="diag")
    for x, label in zip(X, labels):
        before = full.covariance[0].copy()
        full.learn_row(x, label)
        diag.learn_row(x, label)
        assert_array_equal(full.covariance[0], full.covariance[0].T)
        assert np.linalg.eigvalsh(full.covariance[0])[0] > 0
        assert np.linalg.eigvalsh(before - full.covariance[0])[0] > -1e-12
        assert (diag.covariance > 0).all() and (diag.covariance <= 1).all()


def test_equal_costs_are_passive_aggressive():
    X, labels = clouds(6)
    plain = PassiveAggressive(0.3)
    for rule in ("cost-sensitive", "max_loss"):
        other = CostSensitivePassiveAggressive(0.3, rule, rho=1.0)
        assert_same_path(LinearTwin(3, 2, plain), LinearTwin(3, 2, other), X, labels)
    X, labels = clouds(6, n_classes=4)
    a, b = (
        LinearTwin(3, 4, r, multi_class="crammer_singer")
        for r in (plain, CostSensitivePassiveAggressive(0.3, "max_loss"))
    )
    assert_same_path(a, b, X, labels)


def test_max_loss_is_cost_sensitive_with_the_root():
    X, labels = clouds(7)
    a, b = (
        LinearTwin(3, 2, CostSensitivePassiveAggressive(0.3, rule, rho=rho))
        for rule, rho in (("cost-sensitive", 3.0), ("max_loss", 9.0))
    )
    assert_same_path(a, b, X, labels)
    # Two classes with a matrix: rho[1, 0] is for positives, rho[0, 1] for negatives.
    c, d = (
        LinearTwin(3, 2, CostSensitivePassiveAggressive(0.3, rho=rho))
        for rho in (3.0, np.array([[0.0, 1.0], [3.0, 0.0]]))
    )
    assert_same_path(c, d, X, labels)
    with pytest.raises(ValueError, match="matrix"):
        LinearTwin(3, 3, CostSensitivePassiveAggressive(rho=np.ones((3, 3))))


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
@pytest.mark.parametrize("C", [0.2, np.inf])
def test_crammer_singer_of_two_classes_is_binary_with_twice_the_C(C, loss):
    # w = w_1 - w_0 moves by 2 tau.
    X, labels = clouds(8)
    joint = LinearTwin(3, 2, PassiveAggressive(C, loss), multi_class="crammer_singer")
    joint.W, joint.joint = np.zeros((2, 4)), True
    binary = LinearTwin(3, 2, PassiveAggressive(2 * C, loss))
    for x, label in zip(X, labels):
        joint.learn_row(x, label)
        binary.learn_row(x, label)
        assert_allclose(joint.W[1] - joint.W[0], binary.W[0], atol=1e-12)
        assert_allclose(joint.W[1], -joint.W[0])


def test_two_classes_are_one_problem_for_both_strategies():
    X, labels = clouds(9)
    for rule in FIRST_ORDER:
        a, b = (LinearTwin(3, 2, rule, multi_class=m) for m in ("ovr", "crammer_singer"))
        assert_same_path(a, b, X, labels)
        assert a.coef.shape == (1, 3) and a.intercept.shape == (1,)


def test_crammer_singer_pushes_the_lowest_of_tied_rivals():
    twin = LinearTwin(2, 4, PassiveAggressive(), multi_class="crammer_singer", fit_intercept=False)
    twin.learn_row([1.0, 0.0], 0)
    assert_array_equal(twin.W[:, 0], [0.5, -0.5, 0, 0])
    twin.learn_row([0.0, 1.0], 2)
    assert_array_equal(twin.W[:, 1], [-0.5, 0, 0.5, 0])


def test_multiclass_perceptron_steps_on_mistakes_only():
    X, labels = clouds(10, n_classes=3)
    for margin in (0.0, 2.0):
        twin = LinearTwin(3, 3, Perceptron(margin), multi_class="crammer_singer")
        W, n_updates = np.zeros((3, 4)), 0
        for x, y in zip(X, labels):
            x1 = np.append(x, 1.0)
            scores = W @ x1
            s = max((r for r in range(3) if r != y), key=lambda r: scores[r])
            if scores[y] - scores[s] <= margin:
                W[y] += x1
                W[s] -= x1
                n_updates += 1
            record = twin.learn_row(x, y)
            assert_allclose(record.loss, max(0, margin - scores[y] + scores[s]), atol=1e-12)
            assert_allclose(twin.W, W, atol=1e-12)
        assert 3 < n_updates < 60


def test_perceptron_is_that_of_sklearn():
    X, labels = clouds(11)
    twin = LinearTwin(3, 2, Perceptron())
    learn(twin, X, labels)
    model = SklearnPerceptron(max_iter=1, tol=None, shuffle=False).fit(X, labels)
    assert_allclose(twin.coef, model.coef_)
    assert_allclose(twin.intercept, model.intercept_)


def test_perceptron_margins_are_uneven():
    twin = LinearTwin(1, 2, Perceptron(2.0, 0.5), fit_intercept=False)
    # On the margin is still a mistake.
    assert [twin.learn_row([1.0], 1).updated for _ in range(4)] == [True, True, True, False]
    twin.W[:] = -0.5
    assert twin.learn_row([1.0], 0).updated
    assert not twin.learn_row([1.0], 0).updated
    twin.W[:] = 0.25
    assert twin.learn_row([1.0], 0).loss == 0.75
    twin.W[:] = 0.25
    assert twin.learn_row([1.0], 1).loss == 1.75


# -- one-vs-rest ------------------------------------------------------------------------


@pytest.mark.parametrize("rule", FIRST_ORDER + SECOND_ORDER, ids=name_of)
def test_one_vs_rest_equals_binary_problems(rule):
    X, labels = clouds(12, n_classes=3)
    weights = np.random.default_rng(0).choice([0.0, 0.5, 1.0, 2.0], len(X))
    params = dict(covariance="diag" if rule in SECOND_ORDER else None, average=5)
    twin = LinearTwin(3, 3, rule, **params)
    parts = [LinearTwin(3, 2, rule, **params) for _ in range(3)]
    for x, label, c in zip(X, labels, weights):
        record = twin.learn_row(x, label, c)
        its = [part.learn_row(x, int(label == k), c) for k, part in enumerate(parts)]
        assert_close(record.loss, sum(r.loss for r in its))
        assert record.updated == any(r.updated for r in its)
        assert_close(record.scores, np.concatenate([r.scores for r in its]))
    assert_close(twin.coef, np.concatenate([part.coef for part in parts]))
    assert_close(twin.intercept, np.concatenate([part.intercept for part in parts]))
    assert_close(twin.averaged_coef, np.concatenate([p.averaged_coef for p in parts]))
    if rule in SECOND_ORDER:
        assert_close(twin.covariance, np.concatenate([p.covariance for p in parts]))


# -- running counts ---------------------------------------------------------------------


@pytest.mark.parametrize(
    "params, rho",
    [
        (dict(eta_p=0.5), lambda t_p, t_n: t_n / t_p),
        (dict(eta_p=0.8), lambda t_p, t_n: 4 * t_n / t_p),
        (dict(objective="cost"), lambda t_p, t_n: t_n / t_p),
        (dict(objective="cost", cost_p=0.9, cost_n=0.3), lambda t_p, t_n: 3.0),
        (dict(rho=5.0), lambda t_p, t_n: 5.0),
    ],
)
def test_costs_by_running_counts(params, rho):
    X, labels = clouds(13, n_classes=2)
    weights = np.random.default_rng(0).choice([0.0, 2.0], len(X))
    twin = LinearTwin(3, 2, CostSensitivePassiveAggressive(np.inf, **params))
    t_p, t_n, n_steps = 1, 1, 0
    for x, label, c in zip(X, labels, weights):
        if c > 0:
            t_p, t_n = t_p + label, t_n + 1 - label
        if twin.learn_row(x, label, c).updated:
            demand = rho(t_p, t_n) if label else 1.0
            assert_allclose((2 * label - 1) * twin.scores(x)[0], demand)
            n_steps += 1
    assert n_steps > 5 and (twin.counts == [t_n - 1, t_p - 1]).all()


# -- weights, empty samples, averages ---------------------------------------------------


@pytest.mark.parametrize("rule", FIRST_ORDER + SECOND_ORDER + REGRESSION, ids=name_of)
def test_samples_of_weight_0_are_ignored(rule):
    X, labels = clouds(14, n_classes=2)
    covariance = "full" if rule in SECOND_ORDER else None
    a, b = (LinearTwin(3, 2, rule, covariance=covariance) for _ in range(2))
    weights = np.arange(len(X)) % 3.0
    assert [r.updated for r in learn(a, X, labels, weights)[::3]] == [False] * 20
    learn(b, X[weights > 0], labels[weights > 0], weights[weights > 0])
    assert_array_equal(a.W, b.W)
    assert_array_equal(a.counts, b.counts)
    assert (a.n_rows, b.n_rows) == (60, 40)
    if covariance:
        assert_array_equal(a.covariance, b.covariance)


@pytest.mark.parametrize(
    "rule, scaled",
    [
        (PassiveAggressive(0.1), PassiveAggressive(0.3)),
        (PassiveAggressive(0.1, "squared_hinge"), PassiveAggressive(0.3, "squared_hinge")),
        (CostSensitivePassiveAggressive(0.1), CostSensitivePassiveAggressive(0.3)),
        (SoftConfidenceWeighted(0.1), SoftConfidenceWeighted(0.3)),
        (
            SoftConfidenceWeighted(0.1, 0.7, "squared_hinge"),
            SoftConfidenceWeighted(0.3, 0.7, "squared_hinge"),
        ),
        (Arow(3.0), Arow(1.0)),
        (PassiveAggressiveRegression(0.1), PassiveAggressiveRegression(0.3)),
    ],
)
def test_weights_multiply_C_and_divide_r(rule, scaled):
    X, labels = clouds(15)
    covariance = "full" if isinstance(rule, (ConfidenceWeighted, Arow)) else None
    a, b = (LinearTwin(3, 2, r, covariance=covariance) for r in (rule, scaled))
    learn(a, X, labels, np.full(60, 3.0))
    learn(b, X, labels)
    assert_allclose(a.W, b.W)
    assert np.abs(a.W).max() > 0.01


def test_weights_of_rules_without_C():
    X, labels = clouds(16)
    for rule, covariance in ((PassiveAggressive(np.inf), None), (ConfidenceWeighted(), "full")):
        a, b = (LinearTwin(3, 2, rule, covariance=covariance) for _ in range(2))
        learn(a, X, labels, np.full(60, 0.3))
        learn(b, X, labels)
        assert_array_equal(a.W, b.W)
    # The perceptron multiplies its step, so equal weights change the scale only.
    a, b = (LinearTwin(3, 2, Perceptron()) for _ in range(2))
    learn(a, X, labels, np.full(60, 4.0))
    learn(b, X, labels)
    assert_array_equal(a.W, 4 * b.W)


@pytest.mark.parametrize("rule", FIRST_ORDER + SECOND_ORDER + REGRESSION, ids=name_of)
@pytest.mark.parametrize("multi_class", ["ovr", "crammer_singer"])
def test_empty_samples_cause_no_step(rule, multi_class):
    if multi_class == "crammer_singer" and (
        rule in SECOND_ORDER or getattr(rule, "rule", None) == "cost-sensitive"
    ):
        with pytest.raises(ValueError, match="Crammer-Singer"):
            covariance = "full" if rule in SECOND_ORDER else None
            twin = LinearTwin(2, 3, rule, covariance=covariance, multi_class=multi_class)
            twin.learn_row([1.0, 0.0], 1)
        return
    twin = LinearTwin(
        2,
        3,
        rule,
        covariance="diag" if rule in SECOND_ORDER else None,
        multi_class=multi_class,
        fit_intercept=False,
    )
    record = twin.learn_row([0.0, 0.0], 1)
    assert not record.updated and not twin.W.any()
    assert record.loss > 0 or isinstance(rule, Perceptron)
    assert twin.n_rows == 1
    assert_array_equal(twin.intercept, np.zeros(len(twin.W)))


@pytest.mark.parametrize("average", [0, 7, 59, 60])
def test_average_is_the_mean_of_the_states(average):
    X, labels = clouds(17, n_classes=3)
    weights = np.arange(60) % 4.0
    for multi_class in ("ovr", "crammer_singer"):
        twin = LinearTwin(3, 3, PassiveAggressive(), multi_class=multi_class, average=average)
        states = []
        for x, label, c in zip(X, labels, weights):
            twin.learn_row(x, label, c)
            states.append(np.c_[twin.coef, twin.intercept])
        late = states[average:] or states[-1:]
        mean = np.mean(late, axis=0)
        assert_allclose(np.c_[twin.averaged_coef, twin.averaged_intercept], mean)
    plain = LinearTwin(3, 3, PassiveAggressive())
    learn(plain, X, labels)
    assert_array_equal(plain.averaged_coef, plain.coef)
