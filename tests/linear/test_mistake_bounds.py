"""Mistake bounds of Lu, Zhao and Hoi (2016)."""

import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.svm import LinearSVC

from sklearn_online_svm.active import (
    LabelEfficientClassifier,
    MarginQuery,
)
from sklearn_online_svm.linear import (
    CostSensitivePassiveAggressiveClassifier,
    PassiveAggressiveClassifier,
)
from tests.support.linear_kinds import JOINT, cspa

N_SEEDS = 60


def found(measure, model, X, y, classes=None, **query):
    """Mean of a measure of the predictions made on the way, over many seeds, and its error."""
    values = []
    for seed in range(N_SEEDS):
        rule = MarginQuery(random_state=seed, **query)
        asking = LabelEfficientClassifier(model, rule, shuffle=False)
        asking.fit(X, y, classes=classes)
        values.append(measure(asking.online_predictions_))
    return np.mean(values), np.std(values, ddof=1) / np.sqrt(N_SEEDS)


def assert_bounded(mean, error, bound, factor):
    """The bound holds beyond doubt, and is larger by no more than this factor."""
    assert mean + 3 * error <= bound * (1 + 1e-9)
    assert bound <= factor * mean


def spheres(n, n_features, noise, seed, margin=0.1, share=0.5):
    """Rows of norm 1, labels -1 and 1 by a hyperplane through 0; some are wrong."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(20 * n, n_features))
    X /= np.linalg.norm(X, axis=1)[:, None]
    X = X[np.abs(X[:, 0]) > margin]
    y = np.where(X[:, 0] > 0, 1, -1)
    n_positive = int(share * n)
    positive, negative = np.flatnonzero(y > 0), np.flatnonzero(y < 0)
    samples = np.concatenate([positive[:n_positive], negative[: n - n_positive]])
    samples = rng.permutation(samples)
    X, y = X[samples], y[samples]
    y[rng.random(n) < noise] *= -1
    return X, y


def axes(n_features=20, n_rounds=8):
    """The worst case: all samples of the first round are orthogonal, and so mistakes.

    Later rounds repeat these samples, some with the opposite sign and label.
    """
    signs = np.random.default_rng(0).choice([1, -1], (n_rounds, n_features))
    signs[0] = 1
    X = np.concatenate([np.diag(row) for row in signs]).astype(np.float64)
    return X, signs.ravel()


def three_sectors(n=300):
    """Rows of norm 1, their classes, and vectors that separate these with a large margin."""
    X = np.random.default_rng(0).normal(size=(3000, 4))
    X /= np.linalg.norm(X, axis=1)[:, None]
    scores = np.sort(X[:, :3], axis=1)
    X = X[scores[:, 2] - scores[:, 1] > 0.3][:n]
    y = X[:, :3].argmax(axis=1)
    hard = dict(C=1e4, fit_intercept=False, tol=1e-6, max_iter=100_000, random_state=0)
    return X, y, LinearSVC(multi_class="crammer_singer", **hard).fit(X, y).coef_


def contradictions(n=200):
    """The same sample with alternating labels."""
    return np.ones((n, 1)), np.where(np.arange(n) % 2, -1, 1)


def mistakes(y):
    return lambda predicted: np.sum(predicted != y)


def hinge(w, X, y, demand=1.0):
    return np.maximum(0.0, demand - y * (X @ w))


def largest_square(X):
    return (X**2).sum(axis=1).max()


def best_vector(X, y, C, loss="hinge", demand=None):
    """min 1/2 |w|^2 + C sum of losses below the demanded margins; any w gives a bound."""
    demand = np.ones(len(y)) if demand is None else demand
    svm = LinearSVC(C=C, loss=loss, fit_intercept=False, tol=1e-8, max_iter=50_000, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        # max(0, rho - y w.x) = rho max(0, 1 - y w.(x / rho))
        svm.fit(X / demand[:, None], y, sample_weight=demand)
    return svm.coef_[0]


def separating_vector(X, y):
    w = best_vector(X, y, 1e4)
    smallest = (y * (X @ w)).min()
    assert smallest > 0
    return w / smallest


def plain(C, **params):
    return PassiveAggressiveClassifier(C=C, fit_intercept=False, **params)


def theorem_1(X, y, delta):
    """(mean number of mistakes, its error, the bound), as from all that follow."""
    w = separating_vector(X, y)
    bound = largest_square(X) / 4 * (delta + 1 / delta + 2) * (w @ w)
    return *found(mistakes(y), plain(np.inf), X, y, delta=delta), bound


def theorem_2(X, y, C, delta):
    if delta == "best":
        w = best_vector(X, y, C)
        square = max(w @ w, 1e-12)
        delta = np.sqrt(1 + 4 * C * hinge(w, X, y).sum() / square)
    else:
        w = best_vector(X, y, 2 * C / (delta + 1))
    beta = max(1 / C, largest_square(X)) / delta
    loss = hinge(w, X, y).sum()
    bound = beta * (((delta + 1) / 2) ** 2 * (w @ w) + (delta + 1) * C * loss)
    return *found(mistakes(y), plain(C), X, y, delta=delta), bound


def theorem_3(X, y, C, delta):
    w = best_vector(X, y, C, "squared_hinge")
    squares = (hinge(w, X, y) ** 2).sum()
    factor = (largest_square(X) + 1 / (2 * C)) / delta
    bound = factor * ((delta + 1) / 2) ** 2 * (w @ w + 2 * C * squares)
    model = plain(C, loss="squared_hinge")
    return *found(mistakes(y), model, X, y, delta=delta), bound


def theorem_4(X, y, delta):
    w = separating_vector(X, y)
    bound = largest_square(X) * (delta / 4 + 1 / delta + 1) * (w @ w)
    return *found(mistakes(y), plain(np.inf), X, y, delta=delta, offset=1.0), bound


def theorem_5(X, y, w, delta):
    """The paper has delta <= 1; its proof needs delta >= 1, as that of Theorem 1 does."""
    scores, own = X @ w.T, np.arange(len(y))
    others = np.where(np.arange(3) == y[:, None], -np.inf, scores)
    w = w / (scores[own, y] - others.max(axis=1)).min()
    bound = largest_square(X) / 2 * (delta + 1 / delta + 2) * (w**2).sum()
    model = plain(np.inf, **JOINT)
    return *found(mistakes(y), model, X, y, np.arange(3), delta=delta), bound


def theorem_6(X, y, rho, delta, C=None):
    """(of the weighted number of mistakes)."""
    C = rho if C is None else C
    demand = np.where(y > 0, rho, 1.0)
    w = best_vector(X, y, 2 * C / (1 + delta), demand=demand)
    loss = hinge(w, X, y, demand).sum()
    bound = (((1 + delta) / 2) ** 2 * (w @ w) + (1 + delta) * C * loss) / delta
    model = CostSensitivePassiveAggressiveClassifier(
        average=False, C=C, costs={1: rho}, fit_intercept=False
    )

    def weighted(predicted):
        return demand[predicted != y].sum()

    return *found(weighted, model, X, y, delta=delta), bound


# How many times the number of mistakes the bounds may be.
SEPARABLE = {"spheres": (spheres(300, 5, 0.0, 0), 15.0), "axes": (axes(), 2.1)}
NOISY = {
    "spheres": (spheres(300, 5, 0.1, 1), 12.0),
    "very noisy": (spheres(300, 8, 0.3, 2), 9.0),
    "axes": (axes(), 7.0),
    "contradictions": (contradictions(), 5.0),
}
# With the cost of a mistake on a positive sample.
COSTLY = {
    "spheres": (spheres(400, 3, 0.05, 3, 0.3, 0.2), 2.0, 10.0),
    "axes": (axes(), 2.0, 2.7),
}


THEOREMS = {
    theorem_1: (SEPARABLE, [{}], [1.0, 3.0]),
    theorem_2: (NOISY, [dict(C=0.2), dict(C=1.0)], [1.0, 3.0, "best"]),
    theorem_3: (NOISY, [dict(C=0.2), dict(C=1.0)], [1.0, 3.0]),
    theorem_4: (SEPARABLE, [{}], [0.3, 2.0]),
}
CASES = [
    (theorem, streams[name], params | dict(delta=delta))
    for theorem, (streams, numbers, deltas) in THEOREMS.items()
    for name in streams
    for params in numbers
    for delta in deltas
]


@pytest.mark.sampled
@pytest.mark.parametrize("theorem, stream, params", CASES, ids=map(str, range(len(CASES))))
def test_theorems_1_to_4(theorem, stream, params):
    (X, y), factor = stream
    assert_bounded(*theorem(X, y, **params), factor)


# Three classes: by the largest of three coordinates, with many similar samples; and orthogonal
# samples, with the best vectors for them.
AXIS_CLASSES = np.arange(21) % 3
JOINTLY_SEPARABLE = {
    "spheres": (*three_sectors(), 10.2),
    "axes": (
        np.tile(np.eye(21), (4, 1)),
        np.tile(AXIS_CLASSES, 4),
        np.where(np.arange(3)[:, None] == AXIS_CLASSES, 2 / 3, -1 / 3),
        2.7,
    ),
}


@pytest.mark.parametrize("stream", JOINTLY_SEPARABLE)
@pytest.mark.parametrize("delta", [1.0, 3.0])
def test_theorem_5(stream, delta):
    X, y, w, factor = JOINTLY_SEPARABLE[stream]
    assert_bounded(*theorem_5(X, y, w, delta), factor)


@pytest.mark.slow
@pytest.mark.parametrize("stream", COSTLY)
@pytest.mark.parametrize("delta", [1.0, 3.0])
def test_theorems_6_to_8(stream, delta):
    (X, y), rho, factor = COSTLY[stream]
    mean, error, bound = theorem_6(X, y, rho, delta)
    assert_bounded(mean, error, bound, factor)
    share_of_negatives = np.mean(y < 0)
    model = cspa(C=rho, fit_intercept=False)

    # Theorem 7: of 1 - sum, with rho = eta_p T_n / (eta_n T_p).
    n_p, n_n = np.sum(y > 0), np.sum(y < 0)
    eta_p = rho * n_p / (rho * n_p + n_n)

    def lost(predicted):
        wrong = predicted != y
        return eta_p * np.mean(wrong[y > 0]) + (1 - eta_p) * np.mean(wrong[y < 0])

    by_sum = clone(model).set_params(costs={1: eta_p * n_n / ((1 - eta_p) * n_p)})
    assert_bounded(
        *found(lost, by_sum, X, y, delta=delta), (1 - eta_p) / n_n * bound, factor * 1.001
    )

    # Theorem 8: of the cost, with rho = c_p / c_n and c_p + c_n = 1.
    cost_p = rho / (1 + rho)

    def cost(predicted):
        return np.where(y > 0, cost_p, 1 - cost_p)[predicted != y].sum()

    by_cost = clone(model).set_params(costs={1: cost_p / (1 - cost_p)})
    assert_bounded(*found(cost, by_cost, X, y, delta=delta), (1 - cost_p) * bound, factor * 1.001)
    assert share_of_negatives > 0.3


def test_tight_bounds():
    """No smaller bound would hold."""
    X, y = axes()
    labels = 1 + np.arange(20) % 2
    w = np.where(np.arange(3)[:, None] == labels, 2 / 3, -1 / 3)
    same, classes = np.tile(np.eye(20), (8, 1)), np.tile(labels, 8)
    for (mean, error, bound), ratio in (
        (theorem_1(X, y, 1.0), 1.0),
        (theorem_2(X, y, 1.0, 1.0), 1.0),
        (theorem_2(*contradictions(), 1.0, "best"), 1.0),
        (theorem_3(X, y, 100.0, 1.0), 1.005),
        (theorem_5(same, classes, w, 1.0), 4 / 3),
        (theorem_6(X, y, 1.0, 1.0), 1.0),
    ):
        assert_bounded(mean, error, bound, 1.0001 * ratio)


@pytest.mark.parametrize("delta", [1.0, 3.0])
def test_bounds_with_an_intercept(delta):
    """It is the weight of a feature 1, in the norm as elsewhere."""
    X, y = spheres(300, 5, 0.1, 4)
    X[:, 0] += 0.2
    extended = np.c_[X, np.ones(300)]
    C = 1 / largest_square(extended)
    mean, error, bound = theorem_2(extended, y, C, delta)
    model = PassiveAggressiveClassifier(C=C)
    assert found(mistakes(y), model, X, y, delta=delta) == (mean, error)
    assert_bounded(mean, error, bound, 12.0)
