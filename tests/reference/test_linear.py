"""The oracle has to be right first: the twins of the linear learners and of the query rules."""

import itertools

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize
from sklearn.linear_model import Perceptron as SklearnPerceptron

from tests.reference.linear import (
    Arow,
    ConfidenceWeighted,
    CostSensitivePassiveAggressive,
    LinearTwin,
    PassiveAggressive,
    PassiveAggressiveRegression,
    Perceptron,
    SecondOrderPerceptron,
    SoftConfidenceWeighted,
)
from tests.reference.queries import (
    AllQuery,
    MarginQuery,
    RandomQuery,
    SplitMix64,
    confidence_of,
)

FIRST_ORDER = [
    PassiveAggressive(np.inf),
    PassiveAggressive(0.5),
    PassiveAggressive(0.5, "squared_hinge"),
    Perceptron(0.2, 0.1),
    CostSensitivePassiveAggressive(0.5),
    CostSensitivePassiveAggressive(0.5, "prediction"),
    CostSensitivePassiveAggressive(0.5, "max_loss"),
]
SECOND_ORDER = [
    SecondOrderPerceptron(),
    ConfidenceWeighted(0.8),
    SoftConfidenceWeighted(0.5, 0.8),
    SoftConfidenceWeighted(0.5, 0.8, "squared_hinge"),
    Arow(2.0),
]
REGRESSION = [
    PassiveAggressiveRegression(0.5),
    PassiveAggressiveRegression(0.5, "squared_epsilon_insensitive", 0.2),
]


def name_of(rule):
    return f"{type(rule).__name__}-{'-'.join(str(v) for v in vars(rule).values())}"


def assert_close(a, b):
    assert_allclose(a, b, rtol=1e-9, atol=1e-12)


def clouds(seed=0, n=60, n_features=3, n_classes=2, flipped=0.1):
    rng = np.random.default_rng(seed)
    labels = rng.integers(n_classes, size=n)
    X = rng.normal(size=(n, n_features)) + 1.5 * rng.normal(size=(n_classes, n_features))[labels]
    wrong = rng.random(n) < flipped
    labels[wrong] = rng.integers(n_classes, size=wrong.sum())
    return X, labels


def learn(twin, X, labels, weights=None):
    weights = np.ones(len(X)) if weights is None else weights
    return [twin.learn_row(x, label, c) for x, label, c in zip(X, labels, weights)]


def random_twin(seed, rule, n_features=3, n_classes=2, **params):
    """A twin in a state such as learning might have left it in."""
    rng = np.random.default_rng(seed)
    twin = LinearTwin(n_features, n_classes, rule, **params)
    twin.W[:] = rng.normal(size=twin.W.shape)
    if twin.covariance is not None and twin.covariance.ndim == 2:
        twin.covariance[:] = rng.uniform(0.2, 1.5, twin.covariance.shape)
    elif twin.covariance is not None:
        for S in twin.covariance:
            A = rng.normal(size=S.shape)
            S[:] = np.linalg.inv(np.eye(len(S)) + A @ A.T)
    return twin, rng.normal(size=n_features), rng


# -- each update solves its problem -----------------------------------------------------


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
    # 8: it finds nothing better along its direction.
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


@pytest.mark.parametrize("rule", ["cost-sensitive", "prediction", "max_loss"])
def test_cost_sensitive_solves_its_problem(rule):
    n_steps, n_idle = 0, 0
    for seed, C in itertools.product(range(8), (0.1, 10.0)):
        twin, x, rng = random_twin(seed, CostSensitivePassiveAggressive(C, rule, rho=3.0))
        label = seed % 2
        y, x1, W = 2 * label - 1, np.append(x, 1.0), twin.W.copy()
        rho = 3.0 if label else 1.0
        demand = rho if rule == "cost-sensitive" else np.sqrt(rho)
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
def test_second_order_perceptron_is_a_solve(weighted):
    X, labels = clouds(1, 40)
    weights = np.random.default_rng(0).uniform(0.2, 3, 40) if weighted else np.ones(40)
    a = 0.7
    twin = LinearTwin(3, 2, SecondOrderPerceptron(), covariance="full", start_variance=1 / a)
    A, v = a * np.eye(4), np.zeros(4)
    n_mistakes = 0
    for x, label, c in zip(X, labels, weights):
        x1, y = np.append(x, 1.0), 2 * label - 1
        # The paper puts the row into A before it predicts: the sign is the same.
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


def test_hard_margin_is_met_exactly_and_is_the_limit_of_large_C():
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
def test_soft_confidence_without_softness_is_confidence_weighted(covariance):
    X, labels = clouds(3)
    for loss in ("hinge", "squared_hinge"):
        a = LinearTwin(3, 2, ConfidenceWeighted(0.8), covariance=covariance)
        b = LinearTwin(3, 2, SoftConfidenceWeighted(np.inf, 0.8, loss), covariance=covariance)
        assert_same_path(a, b, X, labels)
        assert_allclose(a.covariance, b.covariance)


def test_at_eta_of_a_half_nothing_is_ever_learnt():
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


def test_two_classes_are_one_problem_under_either_multi_class():
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
def test_one_vs_rest_is_so_many_binary_problems(rule):
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


# -- weights, empty rows, means ---------------------------------------------------------


@pytest.mark.parametrize("rule", FIRST_ORDER + SECOND_ORDER + REGRESSION, ids=name_of)
def test_weight_zero_is_the_row_left_out(rule):
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


def test_rules_without_a_C_know_weights_as_zero_or_one():
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
def test_an_empty_row_is_no_step(rule, multi_class):
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
def test_the_mean_is_over_the_states_after_the_rows(average):
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


# -- random numbers and queries ---------------------------------------------------------


def test_splitmix64_gives_the_known_numbers():
    random = SplitMix64(0)
    known = [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F]
    assert [random.next() for _ in range(3)] == known
    random = SplitMix64(0)
    assert [random.uniform() for _ in range(3)] == [(k >> 11) / 2**53 for k in known]
    random = SplitMix64(2**64 - 1)
    u = np.array([random.uniform() for _ in range(20000)])
    assert (u >= 0).all() and (u < 1).all()
    assert abs(u.mean() - 0.5) < 4 / np.sqrt(12 * len(u))
    assert abs(np.corrcoef(u[1:], u[:-1])[0, 1]) < 4 / np.sqrt(len(u))


def test_all_and_random():
    query = AllQuery()
    assert query.probability(3.0) == 1.0 and query.asks(1.0)
    query = RandomQuery(0.3, seed=5)
    asked = [query.asks(query.probability(c)) for c in np.linspace(-9, 9, 20000)]
    assert abs(np.mean(asked) - 0.3) < 4 * np.sqrt(0.21 / 20000)
    twin = SplitMix64(5)
    assert asked == [twin.uniform() < 0.3 for _ in range(20000)]


def test_confidence():
    assert confidence_of([-2.5]) == -2.5
    assert confidence_of([1.0, 4.0, 3.5]) == 0.5
    assert confidence_of([4.0, 4.0, 3.5]) == 0.0


def test_probabilities():
    assert MarginQuery(2.0).probability(-3.0) == 2 / 5
    assert MarginQuery(2.0, offset=1.0).probability(3.0) == 2 / 6
    assert MarginQuery(2.0).probability(0.0) == 1.0
    assert MarginQuery(0.0).probability(0.0) == 1.0
    assert MarginQuery(0.0).probability(1.0) == 0.0
    query = MarginQuery(2.0, schedule="adaptive")
    for t in range(1, 5):
        assert query.probability(1.0) == 2 / t / (2 / t + 1)
        query.update(0.5, False)
    query = MarginQuery(2.0, schedule="mistakes")
    assert_allclose(query.probability(1.0, norm=3.0), 18 / 19)
    query.update(0.5, asked=True, updated=False, norm=3.0)
    assert_allclose(query.probability(1.0, norm=1.0), 2 / 3)
    query.update(0.5, asked=True, updated=True, norm=3.0)
    d = 18 * np.sqrt(2)
    assert_allclose(query.probability(1.0, norm=1.0), d / (d + 1))
    query = MarginQuery(2.0, confidence="second-order")
    # r = 4 / (1 + 1) = 2.
    assert_allclose(query.probability(-4.0, variance=1.0), 2 / (2 + 2 + 4))


def run_query(query, confidences):
    """Probabilities, answers and log delta at each row."""
    probabilities, asked, log_deltas = [], [], []
    for c in confidences:
        p = query.probability(c)
        probabilities.append(p)
        log_deltas.append(np.log(query.delta))
        asked.append(query.asks(p))
        query.update(p, asked[-1])
    return np.array(probabilities), np.array(asked), np.array(log_deltas)


@pytest.mark.parametrize("rate", [None, 0.1])
def test_the_share_asked_is_the_mean_probability(rate):
    confidences = np.random.default_rng(0).normal(size=10000)
    probabilities, asked, _ = run_query(MarginQuery(0.2, rate=rate, seed=1), confidences)
    deviation = np.sqrt(np.sum(probabilities * (1 - probabilities))) / len(asked)
    assert abs(asked.mean() - probabilities.mean()) < 3 * deviation
    # Within bins, too.
    for low, high in [(0.0, 0.05), (0.05, 0.2), (0.2, 0.6), (0.6, 1.0)]:
        inside = (probabilities > low) & (probabilities <= high)
        p = probabilities[inside]
        assert abs(asked[inside].mean() - p.mean()) < 4 * np.sqrt(np.sum(p * (1 - p))) / len(p)


def margins(kind, n, seed):
    rng = np.random.default_rng(seed)
    t, N = np.arange(n) / n, np.abs(rng.normal(size=n))
    return {
        "level": N,
        "small": 1e-3 * N,
        "rising": N * 10 ** (4 * t - 2),
        "falling": N * 10 ** (2 - 4 * t),
        "waves": N * 10 ** (2 * np.sin(4 * np.pi * t)),
        "broad": np.exp(2 * rng.normal(size=n)),
        "clear": np.abs(rng.normal(3, 1, size=n)),
        "changing": np.where(t < 0.5, N, np.abs(rng.normal(5, 0.5, size=n))),
        "equal": np.ones(n),
    }[kind]


KINDS = ["level", "small", "rising", "falling", "waves", "broad", "clear", "changing", "equal"]


@pytest.mark.parametrize("rate", [0.02, 0.1, 0.5])
@pytest.mark.parametrize("kind", KINDS)
def test_steering_keeps_the_rate(kind, rate):
    for n, seed in [(2000, 0), (2000, 1), (8000, 2)]:
        query = MarginQuery(rate=rate, seed=seed)
        confidences = margins(kind, n, seed)
        probabilities, asked, log_deltas = run_query(query, confidences)
        assert abs(asked.mean() - rate) < 0.003 + 0.05 * rate
    # delta does not jump about (the waves themselves move it), and it is the margins that decide.
    parts = np.split(log_deltas, 20)[4:]
    time = np.arange(len(parts[0]))
    residuals = [part - np.polyval(np.polyfit(time, part, 2), time) for part in parts]
    assert np.sqrt(np.mean(np.square(residuals))) < 0.5
    assert np.corrcoef(np.log(confidences + 1e-12), probabilities)[0, 1] < -0.2 or kind == "equal"


def test_steering_survives_confidences_of_zero():
    rng = np.random.default_rng(3)
    confidences = np.abs(rng.normal(size=6000))
    confidences[:500] = 0.0
    confidences[1000:1500][rng.random(500) < 0.3] = 0.0
    probabilities, asked, log_deltas = run_query(MarginQuery(rate=0.1, seed=0), confidences)
    assert (probabilities[:500] == 1).all() and asked[:500].all()
    assert np.isfinite(log_deltas).all()
    # What was asked too much is forgotten, not paid back to the end.
    assert abs(asked[3000:].mean() - 0.1) < 0.008
    for n_rows in (0, 1, 100):
        query = MarginQuery(rate=0.1)
        run_query(query, np.zeros(n_rows))
        assert 0 < query.probability(1.0) < 1


def test_the_steering_starts_at_delta():
    for rate in (0.01, 0.5, 0.9):
        assert_allclose(MarginQuery(0.3, rate=rate).delta, 0.3)
    with pytest.raises(ValueError, match="rate"):
        MarginQuery(rate=1.0)
