"""Problems that are optimized over all samples at once, and the matrix of their kernel values."""

from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_matrix

from sklearn_online_svm._core.kernel.dual.batch import Batch
from sklearn_online_svm._core.kernel.vectors.python_stores import CallableStore, PrecomputedStore
from tests.reference.batch import ReferenceBatch
from tests.support.engine import kernel_values, make_store

OTHERS = -1  # code of all classes but one
KERNELS = {
    "linear": {},
    "poly": dict(gamma=0.5, coef0=1.0, degree=2),
    "rbf": dict(gamma=0.3),
    "laplacian": dict(gamma=0.3),
}
# Codes of the classes of each problem.
CODES = {
    "two classes": [(1, OTHERS)],
    "classes": [(0, OTHERS), (1, OTHERS), (2, OTHERS), (3, OTHERS)],
    "pairs": [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)],
    "outputs": [(0, OTHERS), (0, OTHERS)],
    "one class": [(0, OTHERS)],
}
KINDS = {
    "two classes": ("two classes", {}),
    "classes": ("classes", {}),
    "pairs": ("pairs", {}),
    "regression": ("outputs", dict(epsilon=0.1)),
    "regression, epsilon=0": ("outputs", dict(epsilon=0.0)),
    "regression, wide": ("outputs", dict(epsilon=0.8)),
    "one class": ("one class", dict(nu=0.3)),
    "one class, nu=0.02": ("one class", dict(nu=0.02)),
    "one class, nu=1": ("one class", dict(nu=1.0)),
    "two classes, no bias": ("two classes", dict(has_bias=False)),
    "pairs, no bias": ("pairs", dict(has_bias=False)),
    "regression, no bias": ("outputs", dict(epsilon=0.1, has_bias=False)),
}
with_kinds = pytest.mark.parametrize("kind", KINDS)
SIZES = (1, 2, 15, 16, 17, 63, 64, 65, 129, 300)


class Case:
    """Random samples, and their problems; costs differ, so that few steps are ties."""

    def __init__(self, kind, seed=0, n=60, *, kernel="rbf", C=2.0, tol=1e-3):
        rng = np.random.default_rng(seed)
        name, self.options = KINDS[kind]
        n_classes = 2 if name == "two classes" else 4
        self.labels = np.sort(
            np.r_[np.arange(n_classes), rng.integers(0, n_classes, n - n_classes)]
        )
        self.X = rng.normal(size=(n, 3)) + 0.7 * self.labels[:, None]
        self.codes, self.targets = np.array(CODES[name], dtype=np.int32), None
        if name == "outputs":
            self.targets = np.sin(self.X[:, :2]).T + 0.3 * rng.normal(size=(2, n))
        if name == "one class":
            self.targets = np.zeros((1, n))
        self.labels = (self.labels * (self.targets is None)).astype(np.int32)
        self.cost = C * rng.uniform(0.9, 1.1, n) ** (name != "one class")
        self.tol, self.kernel = tol, kernel

    def batch(self, *, work_limit=None, most_steps=10**6, shrinking=True, executor=None):
        arguments = self.labels, self.cost, self.codes, self.targets
        options = dict(tol=self.tol, shrinking=shrinking, most_steps=most_steps)
        batch = Batch(*arguments, **options, **self.options)
        if work_limit is not None:
            batch.work_limit = work_limit
        store = make_store(self.X, self.kernel, **KERNELS[self.kernel])
        batch.attach(lambda: store, self.X, np.arange(len(self.X)))
        return batch

    def places(self, p):
        """Return the samples of a problem, and the row of each in the coefficients."""
        first, second = self.codes[p]
        if second == OTHERS:
            return np.arange(len(self.labels)), np.full(len(self.labels), p)
        samples = np.flatnonzero((self.labels == first) | (self.labels == second))
        return samples, np.where(self.labels[samples] == first, second - 1, first)

    def twin(self, p, K):
        samples, _ = self.places(p)
        is_own = self.labels[samples] == self.codes[p, 0]
        y = np.where(is_own | (self.targets is not None), 1.0, -1.0)
        target = None if self.targets is None else self.targets[p]
        options = {name: v for name, v in self.options.items() if name != "nu"}
        if "nu" in self.options:
            options["total"] = self.options["nu"] * self.cost.sum()
        K, cost = K[np.ix_(samples, samples)], self.cost[samples]
        return ReferenceBatch(K, y, cost, target, tol=self.tol, **options)


def results(batch):
    """Return the arrays that a solution consists of."""
    return [
        batch.coef,
        batch.is_member,
        *(batch.numbers[name] for name in batch.numbers.dtype.names),
    ]


def assert_same(batch, other):
    for found, expected in zip(results(batch), results(other), strict=True):
        assert_array_equal(found, expected)


def solve_in_steps(batch):
    """Solve the problems; return the alpha of each after each step, turn or recomputation."""
    noted, batch.work_limit = defaultdict(list), 1.0

    def note():
        for work in batch.state()["works"]:
            noted[int(work["counts"][0])].append(work["alpha"])

    batch.solve(progress=note)
    return noted


def follow(twin, noted, **close):
    """Let the reference make the same steps."""
    last = twin.alpha.copy()
    for alpha in noted:
        if not np.array_equal(alpha, last):
            assert twin.step(np.flatnonzero(alpha != last))
            assert_allclose(alpha, twin.alpha, **close)
        last = alpha


# -- steps --------------------------------------------------------------------------------


@pytest.mark.sampled
@pytest.mark.parametrize("C", [0.05, 2.0, 20.0])
@pytest.mark.parametrize("kernel", ["poly", "rbf"])
@with_kinds
def test_each_step_is_that_of_the_reference(kind, kernel, C):
    if kind.startswith("one class"):
        C = 1.0 if C > 1.0 else 0.05
    case = Case(kind, 1, n=44, kernel=kernel, C=C)
    batch = case.batch(shrinking=False, most_steps=600)
    noted = solve_in_steps(batch)
    K = kernel_values(make_store(case.X, kernel, **KERNELS[kernel]), case.X, case.X)
    n_steps, close = 0, dict(rtol=1e-9, atol=1e-11 * max(1.0, C))
    for p in range(len(case.codes)):
        twin, (samples, rows) = case.twin(p, K), case.places(p)
        follow(twin, noted[p], **close)
        assert batch.numbers["steps_left"][p] == 0 or not twin.step()
        n_steps += twin.n_steps
        assert batch.numbers["n_changes"][p] == twin.n_steps
        assert_allclose(batch.coef[rows, samples], twin.alpha, **close)
        assert_allclose(batch.numbers["b"][p], twin.b(), rtol=1e-7, atol=1e-9 * max(1.0, C))
    assert n_steps > (-1 if "nu=1" in kind else 5)


# In the first ones, two rows at alpha = 0 violate with each other on their other sides.
@pytest.mark.parametrize("seed", [113, 208, 259, 286, 407, 485, *range(40)])
def test_each_step_of_regressions_of_few_samples(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(3, 9))
    X = rng.normal(size=(n, 1))
    K = np.exp(-rng.choice([0.1, 1.0, 10.0]) * (X - X.T) ** 2).astype(np.float32)
    y, C, epsilon = rng.normal(size=n), 10.0 ** rng.uniform(-2, 1), rng.choice([0.01, 0.1, 0.5])
    cost, options = C * rng.choice([0.1, 1.0, 1.0], size=n), dict(epsilon=epsilon, tol=1e-3)
    codes = np.array([(0, OTHERS)], dtype=np.int32)
    arguments = np.zeros(n, dtype=np.int32), cost, codes, y[None, :].copy()
    batch = Batch(*arguments, **options, shrinking=False, most_steps=300)
    batch.attach(lambda: PrecomputedStore(n, K.dtype), K, np.arange(n))
    noted, twin = solve_in_steps(batch), ReferenceBatch(K, np.ones(n), cost, y, **options)
    follow(twin, noted[0], rtol=1e-9, atol=1e-12)
    assert batch.numbers["steps_left"][0] == 0 or not twin.step()
    assert batch.numbers["n_changes"][0] == twin.n_steps


@with_kinds
def test_limit_of_steps(kind):
    """The alpha after n steps; none is left, and the problem counts as unsolved."""
    case = Case(kind)
    noted = solve_in_steps(case.batch(shrinking=False))
    if "nu=1" in kind:
        return
    after_steps = [
        alpha
        for alpha, last in zip(noted[0], [0.0, *noted[0]], strict=False)
        if not np.array_equal(alpha, np.broadcast_to(last, alpha.shape))
    ]
    for n in (0, 1, 7):
        batch = case.batch(shrinking=False, most_steps=n)
        batch.solve()
        assert batch.is_solved
        samples, rows = case.places(0)
        assert_array_equal(batch.numbers["n_changes"][0], n)
        if n:
            assert_array_equal(batch.coef[rows, samples], after_steps[n - 1])
        assert (batch.numbers["steps_left"] == 0).all()
        assert (batch.numbers["delta"] > batch.numbers["tau"]).all()


@pytest.mark.parametrize("kind", ["two classes", "classes", "pairs", "regression"])
def test_bias_of_samples_at_their_bounds(kind):
    """Any bias in an interval is optimal; that of the reference is seldom its middle."""
    case = Case(kind, 8, n=48, C=1e-3)
    n_classes = len(np.unique(case.labels))
    case.labels = np.repeat(np.arange(n_classes), 48 // n_classes).astype(np.int32)
    case.cost = np.full(48, 1e-3)
    if case.targets is not None:
        case.targets = np.where(np.arange(48) % 2, 1.0, -1.5) + 0.3 * case.targets
    batch = case.batch()
    batch.solve()
    K = kernel_values(make_store(case.X, "rbf", **KERNELS["rbf"]), case.X, case.X)
    n_inside = 0
    for p in range(len(case.codes)):
        twin, (samples, rows) = case.twin(p, K), case.places(p)
        twin.alpha = batch.coef[rows, samples]
        if twin.two_sided:
            twin.side = np.where(twin.alpha < 0.0, -1.0, 1.0)
        assert_allclose(batch.numbers["b"][p], twin.b(), atol=1e-9)
        _, g_max, _, g_min = twin.extremes()
        n_inside += g_max < g_min and abs(twin.b() - 0.5 * (g_max + g_min)) > 1e-6
    assert n_inside > (-1 if kind == "classes" else 0)


@pytest.mark.parametrize("seed", range(20))
def test_one_class_of_all_samples_has_no_free_one(seed):
    """The sum of the costs is rounded: the last alpha is its cost all the same."""
    case = Case("one class, nu=1", n=50)
    case.cost = np.random.default_rng(seed).uniform(0.1, 3.0, 50)
    # The last one has the least g: no step would take a remainder from it.
    f = kernel_values(make_store(case.X, "rbf", gamma=0.3), case.X, case.X) @ case.cost
    case.X, case.cost = case.X[np.argsort(f)], case.cost[np.argsort(f)]
    batch = case.batch()
    batch.solve()
    assert_array_equal(batch.coef[0], case.cost)
    assert batch.numbers["b"][0] == batch.gradients(batch.coef).min()


@pytest.mark.parametrize("most", [-1, 0, 7, 60])
@pytest.mark.parametrize(
    "kind", ["one class", "one class, nu=0.02", "two classes, no bias", "regression, no bias"]
)
def test_samples_kept_at_zero(kind, most):
    """Those closest to a step; of one class at least as many as there are support vectors."""
    case = Case(kind, 9, n=200, C=1.0 if kind.startswith("one class") else 5.0)
    case.options = {**case.options, "max_non_sv": most}
    batch = case.batch()
    batch.solve()
    for p in range(len(case.codes)):
        alpha, is_member = batch.coef[p], batch.is_member[p] != 0
        assert is_member[alpha != 0.0].all()
        zero, n_support = alpha == 0.0, np.count_nonzero(alpha)
        n = max(most, n_support) if kind.startswith("one class") else most
        n = zero.sum() if most < 0 else min(n, zero.sum())
        assert np.count_nonzero(is_member & zero) == n
        if 0 < n < zero.sum() and kind.startswith("one class"):
            g = batch.gradients(batch.coef)[p]
            assert g[is_member & zero].min() > g[~is_member].max()


# -- ways to the same optimum -------------------------------------------------------------


@pytest.mark.parametrize("kernel", ["rbf", "laplacian", "linear"])
@with_kinds
def test_shrinking_leads_to_the_same_optimum(kind, kernel):
    C = 1.0 if kind.startswith("one class") else 0.05 if kernel == "linear" else 10.0
    case = Case(kind, 2, n=400, kernel=kernel, C=C, tol=1e-4)
    batch, whole = case.batch(), case.batch(shrinking=False)
    has_shrunk = []
    batch.work_limit = 1e5
    batch.solve(progress=lambda: has_shrunk.extend(w["counts"][2] for w in batch.state()["works"]))
    whole.solve()
    if kernel == "rbf" and "class" in kind and not kind.startswith("one class"):
        assert any(has_shrunk)
    for found in (batch, whole):
        assert (found.numbers["delta"] <= found.numbers["tau"]).all()
    # See tests/support/duals.py: |D|_1 times the violation.
    moved = np.abs(batch.coef - whole.coef).sum()
    tau = max(batch.numbers["tau"].max(), whole.numbers["tau"].max())
    objectives = [(found.numbers["objective"] / found.scale**2).sum() for found in (batch, whole)]
    rounding = 1e-10 * np.abs(objectives).max()
    assert abs(np.diff(objectives)[0]) <= tau * moved + rounding


@pytest.mark.parametrize("work_limit", [None, 3e3])
@pytest.mark.parametrize("n_threads", [2, 3])
@with_kinds
def test_threads_do_not_change_bits(kind, n_threads, work_limit):
    case = Case(kind, 3, n=200)
    expected = case.batch()
    expected.solve()
    with ThreadPoolExecutor(n_threads) as threads:
        batch = case.batch(work_limit=work_limit, executor=threads)
        batch.solve(threads)
    assert_same(batch, expected)


@pytest.mark.parametrize(
    "kind", ["two classes", "regression", "one class", "two classes, no bias"]
)
def test_threads_that_share_a_problem_do_not_change_bits(kind):
    """Loops are shared from 1536 samples on for each thread."""
    case = Case(kind, 4, n=3500, C=1.0)
    if "epsilon" in case.options:
        case.targets, case.codes = case.targets[:1].copy(), case.codes[:1].copy()
    expected = case.batch(most_steps=400)
    expected.solve()
    with ThreadPoolExecutor(2) as threads:
        batch = case.batch(most_steps=400, executor=threads)
        batch.solve(threads)
    assert_same(batch, expected)


@with_kinds
def test_a_restored_state_continues_to_the_same_bits(kind):
    case = Case(kind, 5, n=120)
    expected = case.batch()
    expected.solve()
    states, batch = [], case.batch(work_limit=2e3)
    batch.solve(progress=lambda: states.append(batch.state()))
    assert_same(batch, expected)
    assert len(states) > (0 if "nu=1" in kind else 5)
    for state in states[:: max(1, len(states) // 40)]:
        batch = case.batch()
        batch.restore(state)
        batch.solve()
        assert_same(batch, expected)


@with_kinds
def test_state_of_several_threads_continues_in_one(kind):
    case = Case(kind, 5, n=120)
    expected = case.batch()
    expected.solve()
    states, batch = [], case.batch(work_limit=2e3)
    with ThreadPoolExecutor(3) as threads:
        batch.solve(threads, progress=lambda: states.append(batch.state()))
    if len(case.codes) > 2:
        assert any(len(state["works"]) > 1 for state in states)
    for state in states[:: max(1, len(states) // 20)]:
        batch = case.batch()
        batch.restore(state)
        assert_array_equal(batch.coef, state["coef"])
        batch.solve()
        assert_same(batch, expected)


@with_kinds
def test_an_exception_between_rounds_can_be_followed_by_another_call(kind):
    case = Case(kind, 6, n=120)
    expected = case.batch()
    expected.solve()
    batch, n_calls = case.batch(work_limit=2e3), 0

    def stop():
        raise InterruptedError

    while not batch.is_solved:
        n_calls += 1
        batch.write_unsolved()  # which changes nothing
        with pytest.raises(InterruptedError):
            batch.solve(progress=stop)
    assert n_calls > (0 if "nu=1" in kind else 5)
    assert_same(batch, expected)


@with_kinds
def test_g_of_a_solution(kind):
    """g is the target minus f, and violates within the tolerance."""
    case = Case(kind, 7, n=100)
    batch = case.batch()
    batch.solve()
    g = batch.gradients(batch.coef)
    K = kernel_values(make_store(case.X, "rbf", **KERNELS["rbf"]), case.X, case.X).astype(float)
    for p in range(len(case.codes)):
        twin, (samples, rows) = case.twin(p, K), case.places(p)
        twin.alpha = batch.coef[rows, samples]
        if twin.two_sided:
            twin.side = np.where(twin.alpha < 0.0, -1.0, 1.0)
        assert_allclose(g[rows, samples], twin.g(), atol=1e-10)
        assert_allclose(batch.numbers["b"][p], twin.b(), atol=1e-9)


# -- kernel values ------------------------------------------------------------------------


def gram(store, X, rows=None, executor=None):
    """Return the matrix of kernel values: -g of targets 0 where one alpha is 1."""
    rows = np.arange(X.shape[0]) if rows is None else rows
    n = len(rows)
    codes = np.array([(0, OTHERS)] * n, dtype=np.int32)
    options = dict(epsilon=0.0, tol=1e-3, shrinking=False)
    batch = Batch(np.zeros(n, dtype=np.int32), np.ones(n), codes, np.zeros((n, n)), **options)
    batch.attach(lambda: store, X, rows)
    return -batch.gradients(np.eye(n), executor)


STORES = {
    **{
        f"{kernel}, {layout}": (kernel, layout)
        for kernel in KERNELS
        for layout in ("dense", "sparse")
    },
    "chi2": ("chi2", "dense"),
    "sigmoid": ("sigmoid", "sparse"),
}


@pytest.mark.sampled
@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("store", STORES)
def test_kernel_values_are_those_of_an_engine(store, dtype, n):
    rng, (kernel, layout) = np.random.default_rng(n), STORES[store]
    X = np.abs(rng.normal(size=(n, 21))).astype(dtype)
    X[rng.random(X.shape) < 0.4] = 0.0
    X = csr_matrix(X) if layout == "sparse" else X
    options = dict(layout=layout, **KERNELS.get(kernel, {}))
    values = gram(make_store(X, kernel, **options), X)
    assert_array_equal(values, values.T)
    assert_array_equal(values, kernel_values(make_store(X, kernel, **options), X, X))
    # They depend neither on the other samples, nor on their order.
    some = rng.permutation(n)[: max(1, n // 2)]
    part = gram(make_store(X, kernel, **options), X, some)
    assert_array_equal(part, values[np.ix_(some, some)])
    with ThreadPoolExecutor(3) as threads:
        assert_array_equal(gram(make_store(X, kernel, **options), X, executor=threads), values)


@pytest.mark.parametrize("n", SIZES)
def test_kernel_values_of_functions_and_matrices(n):
    rng = np.random.default_rng(n)
    X = rng.normal(size=(n, 4))
    K = (1.0 + X @ X.T) ** 2
    some = rng.permutation(n)[: max(1, n - 1)]
    for rows in (np.arange(n), some):
        part = K[np.ix_(rows, rows)].astype(np.float32)
        assert_array_equal(gram(PrecomputedStore(n, K.dtype), K, rows), part)
        store = CallableStore(4, X.dtype, lambda A, B: (1.0 + A @ B.T) ** 2)
        assert_allclose(gram(store, X, rows), part, rtol=1e-6)


def test_number_of_kernel_values():
    batch = Case("pairs", n=50).batch()
    batch.solve()
    assert batch.n_kernel_evaluations == 50 * 51 / 2
