"""Reference implementation of LASVM: single steps worked out by hand, and the optimum of SVC."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.svm import SVC

from tests.reference.lasvm import (
    ReferenceLasvm,
    linear_kernel,
    poly_kernel,
    rbf_kernel,
    round_to_float32,
    sigmoid_kernel,
)

KERNELS = {
    "linear": linear_kernel,
    "poly": lambda X, Y: poly_kernel(X, Y, gamma=0.5, coef0=1.0, degree=2),
    "rbf": lambda X, Y: rbf_kernel(X, Y, gamma=0.5),
    "sigmoid": lambda X, Y: sigmoid_kernel(X, Y, gamma=0.5, coef0=-0.5),
}


def two_clouds(seed, n, separation=1.0, n_features=3):
    """Overlapping normal clouds, both labels present in equal numbers, in mixed order."""
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.where(np.arange(n) % 2, 1.0, -1.0))
    X = rng.normal(size=(n, n_features)) + 0.5 * separation * y[:, None]
    return X, y


def make_twin(seed=0, n=40, kernel="rbf", C=1.0, **params):
    X, y = two_clouds(seed, n)
    K = round_to_float32(KERNELS[kernel](X, X))
    return ReferenceLasvm(K, y, np.full(n, C), **params)


def fitted_svc(K, y, C):
    """(model, dual objective) of libsvm for the bounds C; rows with bound 0 are left out by it."""
    svc = SVC(kernel="precomputed", C=1.0, tol=1e-8).fit(K, y, sample_weight=C)
    alpha = np.zeros(len(y))
    alpha[svc.support_] = svc.dual_coef_[0]
    return svc, alpha @ y - 0.5 * alpha @ K @ alpha


def converge(twin):
    twin.fit(range(len(twin.y)), n_passes=-1)
    twin.finish()
    return twin


# -- small cases worked out by hand -----------------------------------------------------


def test_two_points_by_hand():
    # x = 1 and -1 on a line: w = 1, b = 0, both alpha = 1/2, dual objective 1/2.
    K = linear_kernel([[1.0], [-1.0]], [[1.0], [-1.0]])
    twin = ReferenceLasvm(K, [1, -1], [10.0, 10.0])
    assert twin.process(0) and twin.process(1)
    assert twin.last_pair == (0, 1)
    assert_array_equal(twin.alpha, [0.5, -0.5])
    assert_array_equal(twin.g, [0.0, 0.0])
    assert not twin.reprocess()
    assert twin.b == 0 and twin.delta == 0
    assert_array_equal(twin.decision_function(), [1.0, -1.0])
    assert_array_equal(twin.decision_function(linear_kernel([[3.0]], [[1.0], [-1.0]])), [3.0])
    assert twin.objective() == 0.5
    assert twin.duality_gap() == 0
    assert twin.kkt_violation_all() == 0


@pytest.mark.parametrize("tol, n_steps", [(2.0, 0), (1.999, 1)])
def test_pair_violates_if_it_differs_by_more_than_tol(tol, n_steps):
    twin = ReferenceLasvm(np.eye(2), [1, -1], [1.0, 1.0], tol=tol)  # g = 1 and -1
    twin.process(0)
    twin.process(1)
    assert twin.n_steps == n_steps


def test_nonviolating_sample_is_kept_if_it_is_extreme():
    X = [[1.0], [-1.0], [2.0], [-2.0]]
    twin = ReferenceLasvm(linear_kernel(X, X), [1, -1, 1, -1], [0.1, 0.1, 1.0, 1.0])
    twin.learn(0)
    twin.learn(1)
    assert_array_equal(twin.alpha, [0.1, -0.1, 0, 0])
    assert_allclose(twin.g[:2], [0.8, -0.8])
    assert_allclose(twin.delta, -1.6)  # both at their bound
    # g = 0.6: below g_min = 0.8, so there is no partner, but above g_max = -0.8.
    twin.learn(2)
    assert twin.S == [0, 1, 2] and twin.n_steps == 1
    # g = -0.6: the partner is row 2.
    twin.learn(3)
    assert twin.S == [0, 1, 2, 3] and twin.last_pair == (2, 3)
    assert_allclose(twin.alpha, [0.1, -0.1, 0.075, -0.075])


def test_step_is_cut_at_the_box():
    K = linear_kernel([[1.0], [-1.0]], [[1.0], [-1.0]])
    twin = ReferenceLasvm(K, [-1, 1], [0.25, 10.0])  # x = 1 is the negative one here
    twin.learn(0)
    twin.learn(1)
    assert_array_equal(twin.alpha, [-0.25, 0.25])
    # f without bias is -x/2; g = y - f
    assert_array_equal(twin.g, [-0.5, 0.5])
    # alpha_0 is at its bound, so g_max = g_min = g_1.
    assert twin.b == 0.5 and twin.delta == 0


def test_n_init_samples_are_kept_until_both_classes_are_seen():
    twin = make_twin(n=30, n_init=4)
    positive, negative = np.flatnonzero(twin.y > 0), np.flatnonzero(twin.y < 0)
    kept = [twin.process(k) for k in positive]
    assert kept == [True] * 4 + [False] * (len(positive) - 4)
    assert not twin.reprocess()
    assert_array_equal(twin.S, positive[:4])
    assert not twin.process(positive[0])  # already stored
    twin.finish()
    assert twin.n_steps == 0 and not twin.alpha.any()
    assert twin.b == 1 and twin.delta == np.inf
    assert twin.process(negative[0])
    assert twin.n_steps == 1


def test_nonviolating_sample_is_not_kept():
    twin = converge(make_twin(C=10.0))
    outside = np.setdiff1d(np.arange(40), twin.S)
    assert len(outside) > 0
    before = (list(twin.S), twin.alpha.copy(), twin.g.copy(), twin.n_steps)
    for k in outside:
        assert not twin.process(k)
    for k in list(twin.S):  # and stored rows are recognised
        assert not twin.process(k)
    assert (twin.S, twin.n_steps) == (before[0], before[3])
    assert_array_equal(twin.alpha, before[1])
    assert_array_equal(twin.g, before[2])


def test_first_order_takes_the_extremes_and_second_order_the_largest_gain():
    differed = False
    for seed in range(10):
        twin = make_twin(seed, C=10.0)
        twin.fit(range(40))
        i, g_max, j, g_min = twin.extremes()
        if g_max - g_min <= twin.tol:
            continue
        up = [s for s in twin.S if twin.alpha[s] < twin.B[s]]
        down = [s for s in twin.S if twin.alpha[s] > twin.A[s]]
        assert (i, j) == (max(up, key=lambda s: twin.g[s]), min(down, key=lambda s: twin.g[s]))

        K, g = twin.K, twin.g
        gain = {
            s: (g[i] - g[s]) ** 2 / (K[i, i] + K[s, s] - 2 * K[i, s]) for s in down if g[s] < g[i]
        }
        best = max(gain, key=gain.get)
        differed |= best != j
        assert twin.reprocess(second_order=True)
        assert twin.last_pair == (i, best)
    assert differed


# -- where the method as printed would stop short ---------------------------------------


@pytest.mark.parametrize("C", [1e-3, 1e-1])
def test_passes_to_convergence_agree_with_svc_when_all_support_vectors_are_bounded(C):
    # g_max < g_min then: rows whose gradients lie between the two must meet all the same.
    for seed in range(12):
        twin = converge(make_twin(seed, C=C))
        assert_allclose(twin.objective(), fitted_svc(twin.K, twin.y, twin.C)[1], rtol=1e-4)
