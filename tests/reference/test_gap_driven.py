"""Reference implementation of LASVM-G, -NC, -I and FULL: single steps, pruning, the optimum."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize

from tests.reference.gap_driven import ReferenceGapDriven
from tests.reference.lasvm import linear_kernel, poly_kernel, rbf_kernel, round_to_float32

KERNELS = {
    "linear": linear_kernel,
    "poly": lambda X, Y: poly_kernel(X, Y, gamma=0.5, coef0=1.0, degree=2),
    "rbf": lambda X, Y: rbf_kernel(X, Y, gamma=0.5),
}
NO_RAMP = -1e9


def noisy_clouds(seed, n, separation=2.0, n_features=3, flipped=0.15):
    """Overlapping normal clouds of equal size in mixed order, some labels wrong."""
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.where(np.arange(n) % 2, 1.0, -1.0))
    X = rng.normal(size=(n, n_features)) + 0.5 * separation * y[:, None]
    return X, np.where(rng.random(n) < flipped, -y, y)


class Watched(ReferenceGapDriven):
    """Calls `watch` after every step, and notes the gap before every REPROCESS."""

    def watch(self):
        pass

    def _step(self, k):
        super()._step(k)
        self.watch()

    def reprocess(self):
        self.gaps_before_reprocess.append(self.gap())
        return super().reprocess()

    def learn(self, k):
        self.gaps_before_reprocess = []
        return super().learn(k)

    def finish(self):
        self.gaps_before_reprocess = []
        super().finish()


def make_twin(seed=0, n=40, kernel="rbf", C=1.0, cls=ReferenceGapDriven, **params):
    X, y = noisy_clouds(seed, n)
    K = round_to_float32(KERNELS[kernel](X, X))
    # Bounds between C / 2 and 2 C.
    C_rows = C * 2.0 ** np.random.default_rng(seed + 1000).uniform(-1, 1, n)
    return cls(K, y, C_rows, C, **params)


def of_two_rows(K, y, C, **params):
    return ReferenceGapDriven(np.array(K, dtype=float), y, np.full(len(y), C), C, **params)


def optimum_by_scipy(K, y, A, B):
    """(alpha, dual objective) of the problem without a bias, by a general solver."""
    found = minimize(
        lambda a: (0.5 * a @ K @ a - a @ y, K @ a - y),
        np.zeros(len(y)),
        jac=True,
        method="L-BFGS-B",
        bounds=list(zip(A, B)),
        options=dict(maxiter=100_000, maxfun=100_000, maxcor=30, ftol=1e-16, gtol=1e-10),
    )
    return found.x, -found.fun


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


def test_equal_gradients_do_not_pass_for_solved():
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
def test_a_row_is_violating_when_its_gradient_exceeds_tol(y, tol, n_steps):
    twin = ReferenceGapDriven(np.eye(1), [y], [2.0], 0.0, tol=tol)
    assert twin.learn(0)
    assert twin.S == [0] and twin.n_steps == n_steps
    assert twin.gap() == (0 if n_steps else 2)  # tol ends the loop, not the gap


@pytest.mark.parametrize("y", [1.0, -1.0])
def test_a_row_that_can_only_go_the_other_way_enters_without_a_step(y):
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


def test_rows_without_a_bound_are_passed_over():
    twin = ReferenceGapDriven(np.eye(2), [1, -1], [0.0, 1.0], 1.0, clean_interval=1, max_non_sv=0)
    twin.S, twin.g = [1], np.array([np.nan, -1.0])  # something to REPROCESS and to CLEAN
    assert not twin.learn(0)
    assert twin.S == [1] and twin.n_steps == 0
    assert sum(twin.n_admitted) + sum(twin.n_cleaned) + sum(twin.n_skipped) == 0


def test_zero_curvature_goes_to_the_bound():
    twin = ReferenceGapDriven(np.zeros((1, 1)), [1.0], [3.0], 3.0)
    twin.learn(0)
    assert twin.alpha[0] == 3 and twin.g[0] == 1 and twin.gap() == 0


def test_alpha_within_rounding_of_a_bound_is_put_on_it():
    eps = np.finfo(np.float64).eps
    for shift, bound in [(0.0, 0.3), (0.3, -0.3)]:
        twin = ReferenceGapDriven(np.eye(1), [1.0], [0.3], 1.0)
        twin._set_shift(0, shift)
        for alpha, step, expected in [
            (bound - eps, 0.1, bound),
            (bound + eps, 0.1, bound),
            (bound - 5e-16, 0.1, bound - 5e-16),
            # 0 is a bound, too, but what is near to it depends on the step that led there.
            (eps, 0.3, 0.0),
            (-eps, -0.3, 0.0),
            (5e-16, 0.3, 5e-16),
            (eps, 0.2, eps),
        ]:
            twin.alpha[0] = alpha
            twin._snap(0, step)
            assert twin.alpha[0] == expected


@pytest.mark.parametrize("y", [1.0, -1.0])
def test_shifted_box(y):
    twin = ReferenceGapDriven(np.eye(1), [y], [0.7], 1.0)
    assert_array_equal([twin.A[0], twin.B[0]], sorted([0, 0.7 * y]))
    twin._set_shift(0, 0.7)
    assert_array_equal([twin.A[0], twin.B[0]], sorted([0, -0.7 * y]))


# -- invariants, after every step -------------------------------------------------------


def test_gap_target_is_the_spread_of_h():
    twin = make_twin(C=3.0)
    for k in range(40):
        twin.learn(k)
        h = (twin.C_rows * twin.y * twin.g)[twin.S]
        assert_allclose(twin.gap_target(), np.sqrt(len(h)) * np.std(h), rtol=1e-9, atol=1e-9)
    assert twin.gap_target() > 1


def test_target_and_floor_both_stop_the_loop():
    by_target, by_floor = 0, 0
    for seed in range(5):
        for C in (0.01, 1.0):
            twin = make_twin(seed, cls=Watched)
            twin.C = C
            for k in range(40):
                target = twin.gap_target()
                twin.learn(k)
                if twin.gaps_before_reprocess and twin.violation() > twin.tol:
                    assert twin.gap() <= max(C, target)
                    by_target += target > C
                    by_floor += target <= C
    assert by_target > 0 and by_floor > 0


# -- special cases collapse -------------------------------------------------------------


class Traced(Watched):
    """Writes down the row and the state of every step."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.trace = []

    def watch(self):
        self.trace.append((self.last_step, list(self.S), self.alpha.copy(), self.g.copy()))


def assert_same_path(a, b):
    assert len(a.trace) == len(b.trace) == a.n_steps == b.n_steps > 0
    for one, other in zip(a.trace, b.trace):
        assert one[:2] == other[:2]
        assert_array_equal(one[2], other[2])
        assert_array_equal(one[3], other[3])
    assert a.S == b.S
    assert_array_equal(a.region, b.region)
    assert (a.n_admitted, a.n_cleaned) == (b.n_admitted, b.n_cleaned)


def traced(algorithm, seed, **params):
    params = {"C": 10.0, "ramp_start": 5, "clean_interval": 7, "max_non_sv": 3} | params
    twin = make_twin(seed, n=60, cls=Traced, algorithm=algorithm, **params)
    twin.fit(range(60), n_passes=2)
    twin.finish()
    return twin


@pytest.mark.parametrize("seed", range(3))
def test_special_cases_are_lasvm_g_step_by_step(seed):
    g = traced("lasvm-g", seed, ramp_s=NO_RAMP)
    assert sum(g.n_cleaned) > 0
    assert_same_path(traced("lasvm-nc", seed, ramp_s=NO_RAMP), g)
    assert_same_path(traced("lasvm-i", seed, ramp_s=NO_RAMP, upper_filter=False), g)
    never_cleaned = traced("lasvm-g", seed, ramp_s=NO_RAMP, max_non_sv=60)
    assert_same_path(traced("lasvm-full", seed, ramp_s=NO_RAMP), never_cleaned)
    # Where the ramp lies is no matter to G, but for the counts.
    with_ramp = traced("lasvm-g", seed)
    assert_same_path(traced("lasvm-nc", seed, ramp_start=60), with_ramp)
    assert with_ramp.n_admitted[0] > 0 == g.n_admitted[0]
    assert_array_equal(with_ramp.alpha, g.alpha)


@pytest.mark.parametrize("seed", range(3))
def test_special_cases_are_special(seed):
    g = traced("lasvm-g", seed)
    for other in [
        traced("lasvm-nc", seed),
        traced("lasvm-i", seed, ramp_s=NO_RAMP),
        traced("lasvm-i", seed, upper_filter=False),
        traced("lasvm-full", seed),
    ]:
        with pytest.raises(AssertionError):
            assert_same_path(other, g)


# -- what the algorithms do with flat regions -------------------------------------------


def test_lasvm_i_skips_what_lies_off_the_ramp():
    twin = make_twin(n=60, C=10.0, algorithm="lasvm-i", ramp_s=-0.5, ramp_start=0)
    by_region = [0, 0, 0]
    for k in range(60):
        z = twin.y[k] * (twin.K[k] @ twin.alpha)
        region = 0 if z < -0.5 else 2 if z > 1 else 1
        by_region[region] += 1
        before = (list(twin.S), twin.alpha.copy(), twin.n_steps)
        assert twin.learn(k) == (region == 1)
        if region != 1:
            assert (twin.S, twin.n_steps) == (before[0], before[2])
            assert_array_equal(twin.alpha, before[1])
    assert by_region[0] > 0 and by_region[2] > 0
    assert_array_equal(np.add(twin.n_admitted, twin.n_skipped), by_region)
    assert twin.n_skipped == [by_region[0], 0, by_region[2]]
    # A row that is stored is not judged again.
    for k in list(twin.S):
        twin.learn(k)
    assert sum(twin.n_skipped) == by_region[0] + by_region[2]


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


def test_a_row_that_comes_back_gets_the_box_of_its_new_place():
    twin = make_twin(1, n=60, C=10.0, algorithm="lasvm-nc", ramp_s=-0.5, ramp_start=10)
    twin.fit(range(60))
    k = next(s for s in twin.S if twin.beta[s] > 0 and twin.alpha[s] == 0)
    twin._remove(k)
    assert twin.beta[k] == 0 and twin.region[k] == -1
    twin.ramp_start = 1000
    twin.learn(k)
    assert twin.beta[k] == 0 and twin.alpha[k] != 0


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


def test_clean_drops_those_farthest_from_moving():
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


def test_in_shifted_boxes_clean_turns_the_sign_round():
    # Rows 0 and 1 can only fall, 2 and 3 only rise: 3 (by y g: -3), 0.5, 2, -1.
    twin = with_idle_rows([1, 1, -1, -1], [3, 0.5, -2, 1], [0, 1, 2, 3], algorithm="lasvm-nc")
    for max_non_sv, left in [(3, [1, 2, 3]), (2, [1, 3]), (1, [3])]:
        twin.max_non_sv = max_non_sv
        twin.clean()
        assert_array_equal(twin.S, left)
    assert (twin.A[0], twin.B[0]) == (0, 1)  # out of S the box is the plain one


def test_clean_spares_support_vectors_and_full_spares_all():
    twin = with_idle_rows([1, 1, 1], [-1, -2, -3], algorithm="lasvm-i", max_non_sv=1)
    twin.alpha[2] = 0.5
    twin.clean()
    assert twin.S == [0, 2]
    full = with_idle_rows([1, 1, 1], [-1, -2, -3], algorithm="lasvm-full", max_non_sv=1)
    full.clean()
    assert full.S == [0, 1, 2]


def test_of_equally_far_rows_the_lowest_is_cleaned_and_ties_go_through_argmax():
    twin = with_idle_rows([1, -1, 1], [-1, 1, -1], max_non_sv=2)
    twin.clean()
    assert twin.S == [1, 2]

    class Last(ReferenceGapDriven):
        def _argmax(self, values):
            return int(np.flatnonzero(values == values.max())[-1])

    twin = with_idle_rows([1, -1, 1], [-1, 1, -1], max_non_sv=2)
    twin.__class__ = Last
    twin.clean()
    assert twin.S == [0, 1]
    twin.g[:2] = [0.5, -0.5]
    twin.reprocess()
    assert twin.last_step == 0  # -g_i > g_j is what turns to i
    twin.S, twin.g, twin.alpha[:] = [0, 2], np.array([0.5, np.nan, 0.5]), 0.0
    twin.reprocess()
    assert twin.last_step == 2


@pytest.mark.parametrize("algorithm", ["lasvm-g", "lasvm-nc", "lasvm-i"])
def test_clean_comes_after_so_many_admitted_rows(algorithm):
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


def test_a_stored_row_that_comes_again_does_not_set_off_clean():
    twin = make_twin(n=20, C=10.0, clean_interval=20, max_non_sv=20)
    twin.fit(range(20))
    twin.finish()
    assert sum(twin.n_admitted) == 20 and twin.n_non_sv() > 0
    twin.max_non_sv = 0
    twin.fit(range(20))
    assert len(twin.S) == 20 and sum(twin.n_cleaned) == 0


# -- the same optimum as others ---------------------------------------------------------


@pytest.mark.parametrize("algorithm", ["lasvm-full", "lasvm-g"])
@pytest.mark.parametrize("C", [0.1, 10.0])
@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf"])
def test_passes_to_rest_reach_the_optimum(kernel, C, algorithm):
    for seed in range(2):
        twin = make_twin(
            seed, 16, kernel, C, algorithm=algorithm, tol=1e-7, clean_interval=5, max_non_sv=2
        )
        assert twin.fit(range(16), n_passes=-1) < 20
        alpha, dual = optimum_by_scipy(twin.K, twin.y, twin.A, twin.B)
        assert_allclose(twin.objective(), dual, rtol=1e-8)
        assert_allclose(twin.decision_function(), twin.K @ alpha, rtol=0, atol=1e-4)
        assert twin.violation_all() <= 2 * twin.tol
        assert twin.gap() <= 1e-5 * dual


# -- passes -----------------------------------------------------------------------------


def test_large_kernel_values_with_large_bounds_still_learn():
    # alpha is of the order of 1 / K here, which is below the rounding of C.
    X = np.array([[1e6], [-1e6], [2e6], [-3e6]])
    K = round_to_float32(linear_kernel(X, X))
    twin = ReferenceGapDriven(K, np.sign(X[:, 0]), np.full(4, 1e6), 1e6)
    twin.fit(range(4))
    assert 0 < np.abs(twin.alpha).max() < 1e-11
