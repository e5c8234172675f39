"""Reference implementation of LASVM-G, -NC, -I and FULL: single steps, pruning, the optimum."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from tests.reference.gap_driven import ReferenceGapDriven
from tests.reference.lasvm import linear_kernel, poly_kernel, rbf_kernel, round_to_float32

KERNELS = {
    "linear": linear_kernel,
    "poly": lambda X, Y: poly_kernel(X, Y, gamma=0.5, coef0=1.0, degree=2),
    "rbf": lambda X, Y: rbf_kernel(X, Y, gamma=0.5),
}


def noisy_clouds(seed, n, separation=2.0, n_features=3, flipped=0.15):
    """Overlapping normal clouds of equal size in mixed order, some labels wrong."""
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.where(np.arange(n) % 2, 1.0, -1.0))
    X = rng.normal(size=(n, n_features)) + 0.5 * separation * y[:, None]
    return X, np.where(rng.random(n) < flipped, -y, y)


def make_twin(seed=0, n=40, kernel="rbf", C=1.0, cls=ReferenceGapDriven, **params):
    X, y = noisy_clouds(seed, n)
    K = round_to_float32(KERNELS[kernel](X, X))
    # Bounds between C / 2 and 2 C.
    C_rows = C * 2.0 ** np.random.default_rng(seed + 1000).uniform(-1, 1, n)
    return cls(K, y, C_rows, C, **params)


def of_two_rows(K, y, C, **params):
    return ReferenceGapDriven(np.array(K, dtype=float), y, np.full(len(y), C), C, **params)


# -- small cases worked out by hand -----------------------------------------------------


def test_process_and_reprocess_by_hand():
    twin = of_two_rows([[2.0, -1.0], [-1.0, 2.0]], [1, -1], 10.0, algorithm="lasvm-g")
    assert twin.gap() == 0 and twin.gap_target() == 0
    assert twin.process(0)  # g = 1, curvature 2
    assert_array_equal(twin.alpha, [0.5, 0])
    assert twin.last_step == 0 and twin.n_steps == 1
    assert twin.process(1)  # f = -1/2, g = -1/2
    assert_array_equal(twin.alpha, [0.5, -0.25])
    assert_array_equal(twin.g, [-0.25, 0])
    assert_array_equal(twin.decision_function(), [1.25, -1.0])
    assert_array_equal(twin.decision_function(np.array([[4.0, 8.0]])), [0.0])
    # alpha_0 may fall by 1/2, with g = -1/4.
    assert twin.gap() == twin.primal_minus_dual() == 0.125
    assert twin.violation() == twin.violation_all() == 0.25
    assert twin.reprocess()
    assert twin.last_step == 0 and twin.alpha[0] == 0.375
    assert_array_equal(twin.g, [0.0, -0.125])
    assert twin.objective() == 0.625 - 0.5 * (2 * 0.375**2 + 2 * 0.25**2 + 2 * 0.375 * 0.25)
    assert_array_equal(twin.region[[0, 1]], [1, 1])


@pytest.mark.parametrize("y", [1.0, -1.0])
def test_steps_are_cut_at_the_box(y):
    # The thesis prints max for both signs of g, which would take the upward step past the bound.
    twin = ReferenceGapDriven(np.eye(1), [y], [0.25], 0.25)
    twin.learn(0)
    assert_array_equal(twin.alpha, [0.25 * y])
    assert_array_equal(twin.g, [0.75 * y])
    assert twin.gap() == twin.violation_all() == 0 and not twin.reprocess()
    # Down to 0 and not beyond.
    twin.g[0] = -2 * y
    assert twin.reprocess()
    assert_array_equal(twin.alpha, [0])


def test_equal_gradients_are_not_optimal_without_a_bias():
    # With a bias, g_max - g_min = 0 would be the end.
    twin = of_two_rows(np.eye(2), [1, 1], 10.0)
    twin.S, twin.g, twin.alpha = [0, 1], np.array([0.5, 0.5]), np.array([0.5, 0.5])
    assert twin.reprocess() and twin.reprocess() and not twin.reprocess()
    assert_array_equal(twin.alpha, [1, 1])


@pytest.mark.parametrize("g, expected", [([-0.5, 0.5], 1), ([-0.5001, 0.5], 0), ([0.3, 0.5], 1)])
def test_the_larger_of_both_extremes_is_stepped_on(g, expected):
    twin = of_two_rows(np.eye(2), [1, 1], 10.0)
    twin.S, twin.g, twin.alpha = [0, 1], np.array(g), np.array([1.0, 1.0])
    assert twin.reprocess()
    assert twin.last_step == expected


@pytest.mark.parametrize("tol, n_steps", [(1.0, 0), (0.999, 1)])
@pytest.mark.parametrize("y", [1.0, -1.0])
def test_sample_violates_if_its_gradient_exceeds_tol(y, tol, n_steps):
    twin = ReferenceGapDriven(np.eye(1), [y], [2.0], 0.0, tol=tol)
    assert twin.learn(0)
    assert twin.S == [0] and twin.n_steps == n_steps
    assert twin.gap() == (0 if n_steps else 2)  # tol ends the loop, not the gap


@pytest.mark.parametrize("y", [1.0, -1.0])
def test_nonviolating_sample_is_added_without_a_step(y):
    # The second row has f = 2 y_1: it would have to go below 0.
    twin = of_two_rows([[1.0, 2.0], [2.0, 8.0]], [y, y], 10.0)
    assert twin.learn(0) and twin.learn(1)
    assert_array_equal(twin.alpha, [y, 0])
    assert_array_equal(twin.g, [0, -y])
    assert twin.n_steps == 1 and twin.last_step == 0
    assert_array_equal(twin.region, [1, 2])
    assert twin.n_admitted == [0, 1, 1]


def test_the_ends_of_the_ramp_belong_to_it():
    twin = of_two_rows(np.eye(2), [1, -1], 1.0, ramp_s=-0.5)
    regions = [twin.region_of(z) for z in (-0.51, -0.5, 0.0, 1.0, 1.01)]
    assert regions == [0, 1, 1, 1, 2]


# -- what the algorithms do with flat regions -------------------------------------------


def test_lasvm_nc_shifts_outliers_once_there_are_enough_support_vectors():
    twin = make_twin(1, n=60, C=10.0, algorithm="lasvm-nc", ramp_s=-0.5, ramp_start=10)
    n_shifted, n_early = 0, 0
    for k in range(60):
        outlier = twin.y[k] * (twin.K[k] @ twin.alpha) < -0.5
        enough = np.count_nonzero(twin.alpha) > 10
        n_steps = twin.n_steps
        assert twin.process(k)
        assert twin.region[k] == 0 if outlier else twin.region[k] > 0
        assert twin.beta[k] == (twin.C_rows[k] if outlier and enough else 0)
        if outlier and enough:
            assert twin.n_steps == n_steps and twin.alpha[k] == 0
        n_shifted += outlier and enough
        n_early += outlier and not enough
        while twin.reprocess():
            pass
    assert n_shifted > 0 and n_early > 0


# -- CLEAN ------------------------------------------------------------------------------


def with_idle_rows(y, g, shifted=(), **params):
    """All rows stored at alpha = 0 with the given gradients."""
    n = len(y)
    twin = ReferenceGapDriven(np.eye(n), y, np.ones(n), 1.0, **params)
    twin.S, twin.g = list(range(n)), np.array(g, dtype=float)
    twin.region = np.arange(n) % 3
    for s in shifted:
        twin._set_shift(s, 1.0)
    return twin


def test_clean_removes_members_farthest_from_violation():
    # How far each is from moving: 3, 5, -4 (it violates), 1, -0.5, 2.
    twin = with_idle_rows(
        [1, -1, 1, -1, -1, 1], [-3, 5, 4, 1, -0.5, -2], algorithm="lasvm-g", max_non_sv=4
    )
    twin.clean()
    # Violators stay, although |g| = 4 is the second largest.
    assert twin.S == [2, 3, 4, 5]
    assert twin.n_cleaned == [1, 1, 0]
    assert np.isnan(twin.g[[0, 1]]).all() and (twin.region[[0, 1]] == -1).all()
    twin.clean()
    assert twin.S == [2, 3, 4, 5]
    twin.max_non_sv = 1
    twin.clean()
    assert twin.S == [2]
    twin.max_non_sv = 0
    twin.clean()
    assert twin.S == []
    assert twin.n_cleaned == [2, 2, 2]


def test_clean_in_shifted_boxes():
    # Rows 0 and 1 can only fall, 2 and 3 only rise: 3 (by y g: -3), 0.5, 2, -1.
    twin = with_idle_rows([1, 1, -1, -1], [3, 0.5, -2, 1], [0, 1, 2, 3], algorithm="lasvm-nc")
    for max_non_sv, left in [(3, [1, 2, 3]), (2, [1, 3]), (1, [3])]:
        twin.max_non_sv = max_non_sv
        twin.clean()
        assert_array_equal(twin.S, left)
    assert (twin.A[0], twin.B[0]) == (0, 1)  # out of S the box is the plain one


def test_clean_keeps_support_vectors_and_full_keeps_all_samples():
    twin = with_idle_rows([1, 1, 1], [-1, -2, -3], algorithm="lasvm-i", max_non_sv=1)
    twin.alpha[2] = 0.5
    twin.clean()
    assert twin.S == [0, 2]
    full = with_idle_rows([1, 1, 1], [-1, -2, -3], algorithm="lasvm-full", max_non_sv=1)
    full.clean()
    assert full.S == [0, 1, 2]


@pytest.mark.parametrize("algorithm", ["lasvm-g", "lasvm-nc", "lasvm-i"])
def test_clean_interval_counts_admitted_samples(algorithm):
    # The rows skipped by LASVM-I do not count.
    twin = make_twin(
        2, n=80, C=10.0, algorithm=algorithm, ramp_start=5, clean_interval=9, max_non_sv=2
    )
    n_drops = 0
    for k in range(80):
        before = sum(twin.n_cleaned)
        admitted = twin.learn(k)
        due = admitted and sum(twin.n_admitted) % 9 == 0
        n_dropped = sum(twin.n_cleaned) - before
        if due:
            assert twin.n_non_sv() <= 2
            # Not more than had to go.
            assert n_dropped == 0 or twin.n_non_sv() == 2
            n_drops += n_dropped > 0
        else:
            assert n_dropped == 0
    assert n_drops > 1


# -- passes -----------------------------------------------------------------------------
