"""LASVC(multi_class="ovo", max_iter=-1) and SVC on random problems, with the same tol.

Let two solutions of a pair both violate the optimality conditions by at most tol, and let D be the
difference of their coefficients. Then |w - w'|^2 = D'KD <= tol |D|_1, because each solution
allows no ascent of more than tol per unit of a feasible change. Where a vector is free in both,
their values differ by at most tol there, which bounds the difference of the biases. Hence, for
each sample, |f - f'| <= tol + 2 sqrt(tol |D|_1 max K(x, x)).

With an rbf kernel, D is small. With kernels of low rank, and the more so the larger C is, many
coefficients give the same w, and |D|_1 says little; the differences are then those that SVC has
from its own optimum, up to about 100 tol.
"""

import warnings
from itertools import combinations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_matrix
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC

from sklearn_online_svm import LASVC
from sklearn_online_svm._feature_space import Kernel

TOL = 1e-4
# Maximum differences of decision values.
LIMITS = {"rbf": 50 * TOL, "poly": 300 * TOL, "linear": 300 * TOL}
# SVC needs tens of millions of steps on a few problems with a linear kernel.
MOST_STEPS = 2_000_000


def random_problem(seed):
    """Return X, y, weights and parameters of a problem of 3 to 12 classes."""
    rng = np.random.default_rng([seed, 12])
    n_classes, n, d = (int(rng.integers(*ends)) for ends in ((3, 13), (60, 401), (2, 11)))
    shares = rng.dirichlet(np.full(n_classes, rng.choice([0.5, 2.0, 100.0])))
    every = np.tile(np.arange(n_classes), 2)
    codes = np.append(every, rng.choice(n_classes, n - len(every), p=shares))
    centres = rng.choice([0.7, 1.5, 3.0]) * rng.normal(size=(n_classes, d))
    X = centres[codes] + rng.normal(size=(n, d))
    wrong = rng.random(n) < rng.choice([0.0, 0.05, 0.2])
    wrong[: len(every)] = False
    codes[wrong] = rng.integers(0, n_classes, wrong.sum())
    if rng.random() < 0.3:
        X = np.round(X)
    if rng.random() < 0.3:  # duplicates
        rows = rng.integers(0, n, n)
        rows[: len(every)] = np.arange(len(every))
        X, codes = X[rows], codes[rows]
    order = rng.permutation(n)
    letters = np.array(list("abcdefghijkl"))[rng.permutation(n_classes)]
    labels = letters if rng.random() < 0.5 else 7 - 3 * np.arange(n_classes)
    some = {label: float(rng.uniform(0.3, 3.0)) for label in labels[::2].tolist()}
    class_weight = [None, "balanced", some][rng.integers(3)]
    # SVC before scikit-learn 1.9 balances the classes without the weights of samples.
    is_weighted = class_weight != "balanced" and rng.random() < 0.5
    weights = rng.uniform(0.2, 3.0, n) if is_weighted else None
    kernel = str(rng.choice(["linear", "poly", "rbf"]))
    gamma = 10.0 ** rng.uniform(-1, 0) / (d if kernel == "poly" else 1)
    params = dict(
        kernel=kernel,
        C=float(10.0 ** rng.uniform(-1, 2)),
        gamma=float(gamma),
        coef0=1.0,
        degree=2,
        class_weight=class_weight,
    )
    return X[order], labels[codes[order]], weights, params


def coefficients(model, y):
    """Return the coefficients of all samples, (n_pairs, n_samples)."""
    pairs = list(combinations(range(len(model.classes_)), 2))
    codes = np.searchsorted(model.classes_, y)
    dual_coef, support = np.asarray(model.dual_coef_), model.support_
    found = np.zeros((len(pairs), len(y)))
    for of_pair, (a, b) in zip(found, pairs, strict=True):
        for own, row in ((a, b - 1), (b, a)):
            is_own = codes[support] == own
            of_pair[support[is_own]] = dual_coef[row, is_own]
    return found


def is_free(alpha, upper):
    """Return for each pair whether a coefficient lies between 0 and its bound."""
    margin = 1e-9 * upper
    return ((np.abs(alpha) > margin) & (np.abs(alpha) < upper - margin)).any(axis=1)


def fitted(seed, layout=np.asarray):
    """Return LASVC, SVC and the samples, or None if one of them does not converge."""
    X, y, weights, params = random_problem(seed)
    svc = SVC(tol=TOL, max_iter=MOST_STEPS, **params)
    model = LASVC(multi_class="ovo", max_iter=-1, tol=TOL, random_state=0, **params)
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        try:
            return model.fit(layout(X), y, weights), svc.fit(X, y, weights), X, y, weights
        except ConvergenceWarning:
            return None


def check(seed, layout=np.asarray):
    """Compare both models; return the share of equal predictions, or None."""
    found = fitted(seed, layout)
    if found is None:
        return None
    model, svc, X, y, weights = found
    alpha, expected = coefficients(model, y), coefficients(svc, y)
    factors = model.class_weight_[np.searchsorted(svc.classes_, y)]
    assert_array_equal(model.classes_, svc.classes_)
    assert_allclose(model.class_weight_, svc.class_weight_)
    upper = svc.C * factors * (1.0 if weights is None else weights)
    assert (np.abs(alpha) <= upper * (1 + 1e-9)).all()

    values = {}
    for shape in ("ovo", "ovr"):
        model.decision_function_shape = svc.decision_function_shape = shape
        values[shape] = model.decision_function(X), svc.decision_function(X)
    of_pairs, theirs = values["ovo"]
    # If all vectors are at their bounds, any bias within an interval is optimal.
    free = is_free(alpha, upper) & is_free(expected, upper)
    shift = np.where(free, 0.0, np.median(of_pairs - theirs, axis=0))
    difference = np.abs(of_pairs - theirs - shift).max(axis=0)
    largest = Kernel.of(model._spec).diagonal(X).max()
    change = np.abs(alpha - expected).sum(axis=1)
    rounding = 1e-6 * largest * np.abs(alpha).sum(axis=1)
    assert (difference <= TOL + 2.0 * np.sqrt(TOL * change * largest) + rounding).all()
    assert difference.max() <= LIMITS[svc.kernel]

    # Votes are the same where all pairs have the same sign; a value may be 0 up to rounding.
    same = (np.sign(of_pairs) == np.sign(theirs)).all(axis=1)
    predicted, expected = model.predict(X), svc.predict(X)
    assert_array_equal(predicted[same], expected[same])
    # A class value changes by at most a third of the change of its sum.
    most = np.abs(of_pairs - theirs).max() * (len(svc.classes_) - 1) / 3.0
    ours, theirs = (each[same] for each in values["ovr"])
    assert_allclose(ours, theirs, rtol=0, atol=max(most, 1e-12))
    return np.mean(predicted == expected) if free.all() else np.nan


def check_all(seeds):
    """Compare the models on many problems; return the shares of equal predictions."""
    shares = [check(seed) for seed in seeds]
    converged = [share for share in shares if share is not None]
    assert len(converged) >= 0.97 * len(seeds)
    assert np.nanmean(converged) > 0.998
    return converged


def test_random_problems():
    check_all(range(20))


@pytest.mark.parametrize("seed", range(20, 24))
def test_random_problems_of_sparse_samples(seed):
    assert check(seed, csr_matrix) is not None


@pytest.mark.slow
def test_many_random_problems():
    check_all(range(100, 400))
