"""Reference implementations of the linear models: diagonals, margins, averages."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from tests.reference.linear import (
    CostSensitivePassiveAggressive,
    LinearTwin,
    PassiveAggressive,
    Perceptron,
)
from tests.support.linear_twins import (
    FIRST_ORDER,
    REGRESSION,
    SECOND_ORDER,
    clouds,
    learn,
    name_of,
    random_twin,
)


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


# -- running counts ---------------------------------------------------------------------


@pytest.mark.parametrize(
    "params, rho",
    [
        (dict(eta_p=0.5), lambda t_p, t_n: t_n / t_p),
        (dict(eta_p=0.8), lambda t_p, t_n: 4 * t_n / t_p),
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
@pytest.mark.parametrize("multi_class", ["ovr", "crammer_singer"])
def test_empty_samples_cause_no_step(rule, multi_class):
    covariance = "diag" if rule in SECOND_ORDER else None
    if multi_class == "crammer_singer" and (
        covariance or getattr(rule, "rule", None) == "cost_sensitive"
    ):
        return  # no such model
    params = dict(covariance=covariance, multi_class=multi_class, fit_intercept=False)
    twin = LinearTwin(2, 3, rule, **params)
    record = twin.learn_row([0.0, 0.0], 1)
    assert not record.updated and not twin.W.any()
    assert record.loss > 0 or isinstance(rule, Perceptron)
    assert twin.n_rows == 1


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
