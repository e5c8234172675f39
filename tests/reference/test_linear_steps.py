"""Each step of the reference implementations of the linear models solves its problem."""

import itertools

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize

from tests.reference.linear import (
    Arow,
    ConfidenceWeighted,
    CostSensitivePassiveAggressive,
    LinearTwin,
    PassiveAggressive,
    PassiveAggressiveRegression,
    SecondOrderPerceptron,
    SoftConfidenceWeighted,
)
from tests.support.linear_twins import (
    clouds,
    name_of,
    random_twin,
)


def nearest_weights(W0, C, squared, *constraints):
    """min 1/2 |W - W0|^2 + C xi (or xi^2)  s.t.  A . W >= b - xi for all (A, b),  xi >= 0.

    C = inf: xi = 0.
    """
    n, hard = W0.size, np.isinf(C)

    def objective(z):
        xi = 0.0 if hard else z[n]
        penalty = 0.0 if hard else C * (xi**2 if squared else xi)
        return 0.5 * np.sum((z[:n] - W0.ravel()) ** 2) + penalty

    def condition(A, b):
        A = np.broadcast_to(A, W0.shape).ravel()
        return {"type": "ineq", "fun": lambda z: A @ z[:n] - b + (0.0 if hard else z[n])}

    conditions = [condition(*c) for c in constraints]
    z = W0.ravel()
    if not hard:
        z = np.append(z, 1.0)
        conditions.append({"type": "ineq", "fun": lambda z: z[n]})
    return solve(objective, z, conditions)[:n].reshape(W0.shape)


def solve(objective, start, conditions=()):
    options = {"ftol": 1e-14, "maxiter": 500}
    result = minimize(objective, start, method="SLSQP", constraints=conditions, options=options)
    # 8: no further descent along the search direction.
    assert result.status in (0, 8), result.message
    return result.x


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
@pytest.mark.parametrize("C", [0.05, 1.0, np.inf])
def test_passive_aggressive_solves_its_problem(C, loss):
    n_steps = 0
    for seed, weight in itertools.product(range(6), (1.0, 0.3)):
        twin, x, rng = random_twin(seed, PassiveAggressive(C, loss))
        label = seed % 2
        y, x1, W = 2 * label - 1, np.append(x, 1.0), twin.W.copy()
        record = twin.learn_row(x, label, weight)
        wanted = nearest_weights(W, C * weight, loss != "hinge", (y * x1, 1))
        assert_allclose(twin.W, wanted, atol=2e-5)
        assert record.updated == (np.abs(twin.W - W).max() > 0)
        assert_allclose(record.loss, max(0, 1 - y * (W[0] @ x1)))
        assert_array_equal(record.scores, W @ x1)
        n_steps += record.updated
    assert 0 < n_steps < 12


@pytest.mark.parametrize("loss", ["epsilon_insensitive", "squared_epsilon_insensitive"])
@pytest.mark.parametrize("C", [0.05, 1.0, np.inf])
def test_regression_solves_its_problem(C, loss):
    signs = set()
    for seed in range(8):
        twin, x, rng = random_twin(seed, PassiveAggressiveRegression(C, loss, 0.5))
        target, weight = 2 * rng.normal(), (1.0, 0.3)[seed % 2]
        x1, W = np.append(x, 1.0), twin.W.copy()
        record = twin.learn_row(x, target, weight)
        wanted = nearest_weights(
            W,
            C * weight,
            loss != "epsilon_insensitive",
            (x1, target - 0.5),
            (-x1, -target - 0.5),
        )
        assert_allclose(twin.W, wanted, atol=2e-5)
        assert_allclose(record.loss, max(0, abs(target - W[0] @ x1) - 0.5))
        signs.add(np.sign((twin.W - W)[0, -1]))
    assert signs >= {-1.0, 1.0}


@pytest.mark.parametrize("rule", ["cost_sensitive", "prediction", "max_loss"])
def test_cost_sensitive_solves_its_problem(rule):
    n_steps, n_idle = 0, 0
    for seed, C in itertools.product(range(8), (0.1, 10.0)):
        # The cost of a false negative compared with a false positive, or a matrix of both.
        cost = (3.0, [[0.0, 1.0], [3.0, 0.0]])[seed // 2 % 2]
        twin, x, rng = random_twin(seed, CostSensitivePassiveAggressive(C, rule, rho=cost))
        label = seed % 2
        y, x1, W = 2 * label - 1, np.append(x, 1.0), twin.W.copy()
        rho = 3.0 if label else 1.0
        demand = rho if rule == "cost_sensitive" else np.sqrt(rho)
        record = twin.learn_row(x, label)
        if rule == "prediction" and y * (W[0] @ x1) > 0:
            assert record.loss == 0 and not record.updated
            assert_array_equal(twin.W, W)
            n_idle += 1
            continue
        wanted = nearest_weights(W, C, False, (y * x1, demand))
        assert_allclose(twin.W, wanted, atol=2e-5)
        assert_allclose(record.loss, max(0, demand - y * (W[0] @ x1)))
        n_steps += record.updated
    assert n_steps > 0
    assert (n_idle > 0) == (rule == "prediction")


@pytest.mark.parametrize(
    "rule",
    [
        PassiveAggressive(np.inf),
        PassiveAggressive(0.1),
        PassiveAggressive(0.1, "squared_hinge"),
        CostSensitivePassiveAggressive(
            0.1, "prediction", rho=[[0, 1, 4], [2, 0, 3], [1, 0.25, 0]]
        ),
        CostSensitivePassiveAggressive(0.1, "max_loss", rho=[[0, 1, 4], [2, 0, 3], [1, 0.25, 0]]),
        CostSensitivePassiveAggressive(0.1, "max_loss"),
    ],
    ids=name_of,
)
def test_crammer_singer_solves_its_problem_for_the_rival(rule):
    rivals = set()
    for seed in range(8):
        twin, x, rng = random_twin(seed, rule, 2, 3, multi_class="crammer_singer")
        y = seed % 3
        x1, W = np.append(x, 1.0), twin.W.copy()
        scores = W @ x1
        others = [r for r in range(3) if r != y]
        cost = np.ones((3, 3)) if getattr(rule, "rho", None) is None else np.array(rule.rho)
        if getattr(rule, "rule", None) == "max_loss":
            s = max(others, key=lambda r: scores[r] - scores[y] + np.sqrt(cost[y, r]))
        else:
            s = max(others, key=lambda r: scores[r])
        demand, gap = np.sqrt(cost[y, s]), scores[y] - scores[s]
        record = twin.learn_row(x, y, 0.7)
        if getattr(rule, "rule", None) == "prediction" and gap > 0:
            assert not record.updated and record.loss == 0
            assert_array_equal(twin.W, W)
            continue
        A = np.zeros((3, 3))
        A[y], A[s] = x1, -x1
        squared = getattr(rule, "squared", False)
        wanted = nearest_weights(W, rule.C * 0.7, squared, (A, demand))
        assert_allclose(twin.W, wanted, atol=2e-5)
        assert_allclose(record.loss, max(0, demand - gap))
        rivals.add((y, s))
    assert len(rivals) > 3


def kl(mu, L, mu0, S0):
    """KL(N(mu, L L') || N(mu0, S0)) but for a constant."""
    inverse = np.linalg.inv(S0)
    return 0.5 * (
        np.trace(inverse @ L @ L.T)
        - np.log(np.linalg.det(L) ** 2)
        + (mu - mu0) @ inverse @ (mu - mu0)
    )


def pack(mu, S):
    return np.concatenate([mu, np.linalg.cholesky(S)[np.tril_indices(len(mu))]])


def unpack(z, d=2):
    L = np.zeros((d, d))
    lower = np.tril_indices(d)
    L[lower] = z[d : d + len(lower[0])]
    return z[:d], L


def nearest_gaussian(mu0, S0, x, y, phi, C, squared):
    """min KL(new || old) + C H (or H^2), H = max(0, phi sqrt(x'Sx) - y mu.x); inf: H = 0."""
    hard = np.isinf(C)

    def objective(z):
        xi = 0.0 if hard else z[-1]
        return kl(*unpack(z), mu0, S0) + (0.0 if hard else C * (xi**2 if squared else xi))

    def margin(z):
        mu, L = unpack(z)
        return y * (mu @ x) - phi * np.linalg.norm(L.T @ x) + (0.0 if hard else z[-1])

    conditions = [{"type": "ineq", "fun": margin}]
    start = pack(mu0, S0)
    if not hard:
        start = np.append(start, 0.5)
        conditions.append({"type": "ineq", "fun": lambda z: z[-1]})
    mu, L = unpack(solve(objective, start, conditions))
    return mu, L @ L.T


def arow_gaussian(mu0, S0, x, y, r):
    """min KL(new || old) + 1/(2r) H^2 + 1/(2r) x'Sx, H = max(0, 1 - y mu.x)."""

    def objective(z):
        mu, L = unpack(z)
        hinge = max(0, 1 - y * (mu @ x))
        return kl(mu, L, mu0, S0) + (hinge**2 + np.sum((L.T @ x) ** 2)) / (2 * r)

    mu, L = unpack(solve(objective, pack(mu0, S0)))
    return mu, L @ L.T


@pytest.mark.sampled
@pytest.mark.parametrize("eta", [0.55, 0.9])
@pytest.mark.parametrize(
    "make",
    [
        lambda eta: ConfidenceWeighted(eta),
        lambda eta: SoftConfidenceWeighted(0.2, eta),
        lambda eta: SoftConfidenceWeighted(2.0, eta),
        lambda eta: SoftConfidenceWeighted(0.2, eta, "squared_hinge"),
        lambda eta: SoftConfidenceWeighted(2.0, eta, "squared_hinge"),
    ],
    ids=["cw", "scw1-0.2", "scw1-2", "scw2-0.2", "scw2-2"],
)
def test_confidence_weighted_rules_solve_their_problems(make, eta):
    n_steps = 0
    for seed in range(6):
        rule = make(eta)
        twin, x, _ = random_twin(seed, rule, 2, covariance="full", fit_intercept=False)
        y, weight = 2 * (seed % 2) - 1, (1.0, 0.4)[seed // 3]
        mu0, S0 = twin.W[0].copy(), twin.covariance[0].copy()
        record = twin.learn_row(x, seed % 2, weight)
        C = getattr(rule, "C", np.inf) * weight
        mu, S = nearest_gaussian(mu0, S0, x, y, rule.phi, C, getattr(rule, "squared", False))
        assert_allclose(twin.W[0], mu, atol=1e-4)
        assert_allclose(twin.covariance[0], S, atol=1e-4)
        assert_allclose(record.loss, max(0, 1 - y * (mu0 @ x)))
        n_steps += record.updated
        if record.updated and type(rule) is ConfidenceWeighted:
            deviation = np.sqrt(x @ twin.covariance[0] @ x)
            assert_allclose(y * (twin.W[0] @ x), rule.phi * deviation)
    assert n_steps > 1


def test_arow_solves_its_problem():
    n_steps = 0
    for seed in range(8):
        r, weight = (0.5, 3.0)[seed % 2], (1.0, 0.4)[seed // 4]
        twin, x, _ = random_twin(seed, Arow(r), 2, covariance="full", fit_intercept=False)
        y = 2 * (seed % 3 % 2) - 1
        mu0, S0 = twin.W[0].copy(), twin.covariance[0].copy()
        if not twin.learn_row(x, int(y > 0), weight).updated:
            assert y * (mu0 @ x) >= 1
            assert_array_equal(twin.covariance[0], S0)
            continue
        mu, S = arow_gaussian(mu0, S0, x, y, r / weight)
        assert_allclose(twin.W[0], mu, atol=1e-4)
        assert_allclose(twin.covariance[0], S, atol=1e-4)
        n_steps += 1
    assert n_steps > 2


@pytest.mark.parametrize("weighted", [False, True])
def test_second_order_perceptron_solves_its_linear_system(weighted):
    X, labels = clouds(1, 40)
    weights = np.random.default_rng(0).uniform(0.2, 3, 40) if weighted else np.ones(40)
    a = 0.7
    twin = LinearTwin(3, 2, SecondOrderPerceptron(), covariance="full", start_variance=1 / a)
    A, v = a * np.eye(4), np.zeros(4)
    n_mistakes = 0
    for x, label, c in zip(X, labels, weights):
        x1, y = np.append(x, 1.0), 2 * label - 1
        # The paper adds the sample to A before it predicts: the sign is the same.
        assert np.sign(np.linalg.solve(A + c * np.outer(x1, x1), v) @ x1) == np.sign(
            np.round(twin.scores(x)[0], 12)
        )
        if twin.learn_row(x, label, c).updated:
            A += c * np.outer(x1, x1)
            v += c * y * x1
            n_mistakes += 1
        assert_allclose(twin.W[0], np.linalg.solve(A, v), atol=1e-12)
        assert_allclose(twin.covariance[0], np.linalg.inv(A), atol=1e-12)
    assert 3 < n_mistakes < 40
