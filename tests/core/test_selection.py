"""Sample selection compared with the reference implementation."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from sklearn_online_svm._core.kernel.dual.selection import (
    Active,
    AutoActive,
    FewErrors,
    Gradient,
    MarginExhausted,
    Selection,
    SupportStable,
)
from sklearn_online_svm._core.kernel.vectors.block import Samples
from sklearn_online_svm._core.kernel.vectors.support_set import DATA
from tests.reference.lasvm import ForkedTwin
from tests.reference.selection import Chooser, closeness, has_few_errors, is_outside_margin
from tests.support.engine import kernel_values, make_loop, make_store

KINDS = {"random": Selection, "gradient": Gradient, "active": Active, "autoactive": AutoActive}
SEED = 12345


def samples(n, n_classes=2, seed=0):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, n_classes, n)
    X = rng.normal(size=(n, 4)) + 1.2 * rng.normal(size=(n_classes, 4))[labels]
    return X, labels.astype(np.int32)


def new_selection(name, pool_size, **options):
    if name == "random":
        selection = Selection(**options)
    else:
        n = -1 if pool_size == "all" else pool_size * (1 + (name == "autoactive"))
        selection = KINDS[name](n, **options)
    selection.restore(SEED)
    return selection


class Run:
    """An engine that learns rows of its choice; what it was after each of them."""

    def __init__(self, X, labels, selection, n_problems=1, costs=2.0, executor=None, **params):
        n = len(labels)
        self.costs = np.full(n, costs) if np.isscalar(costs) else costs
        self.loop = make_loop(make_store(X, gamma=0.3), n_problems, **params)
        self.loop.stream.selection = selection
        self.order = np.arange(n)
        self.states = []
        self.loop.learn(
            X, self.order, Samples(labels, self.costs, np.arange(n)), executor, 0, self.note
        )

    def note(self, _):
        self.states.append([self.coefficients(problem) for problem in self.loop.problems])

    def coefficients(self, problem):
        slots = problem.slots()
        rows, alpha = problem.members["row_id"][slots], problem.members["alpha"][slots]
        return dict(zip(rows.tolist(), alpha.tolist(), strict=True)), problem.b, problem.delta

    @property
    def rows(self):
        """Identifiers of the samples in training order."""
        return self.order[: self.loop.n_processed]


class Twin:
    """One plain LASVM per problem, and the plain choice."""

    def __init__(self, X, labels, costs, n_problems):
        self.labels = labels
        self.K = kernel_values(make_store(X, gamma=0.3), X, X).astype(np.float64)
        positive = [1] if n_problems == 1 else range(n_problems)
        self.problems = [
            ForkedTwin(self.K, np.where(labels == c, 1.0, -1.0), costs) for c in positive
        ]

    def decide(self, row):
        return np.array([p.alpha @ self.K[:, row] + p.b for p in self.problems])

    @property
    def delta(self):
        both = [p.delta for p in self.problems if np.isfinite(p.delta)]
        return max(both, default=np.inf)

    def learn(self, row, state):
        """In the way, of those that rounding leaves open, that leads to the engine's state."""
        for c, (alpha, b, _) in enumerate(state):
            ways = list(self.problems[c].ways_to_learn(row))
            for twin in ways:
                if set(alpha) == set(twin.S) and np.allclose(
                    [b, *(alpha[s] for s in twin.S)], [twin.b, *twin.alpha[twin.S]], atol=1e-9
                ):
                    self.problems[c] = twin
                    break
            else:
                raise AssertionError(f"none of {len(ways)} ways to learn row {row}")


@pytest.mark.sampled
@pytest.mark.parametrize("n_problems", [1, 3])
@pytest.mark.parametrize("pool_size", [1, 7, 20, 100, "all"])
@pytest.mark.parametrize("name", ["gradient", "active", "autoactive"])
def test_selected_samples_equal_the_reference(name, pool_size, n_problems):
    n = 100
    X, labels = samples(n, max(2, n_problems))
    costs = 2.0 * np.random.default_rng(1).uniform(0.9, 1.1, n)
    run = Run(X, labels, new_selection(name, pool_size), n_problems, costs)
    twin, chooser = Twin(X, labels, costs, n_problems), Chooser(name, pool_size, SEED)
    left = list(range(n))
    for t, state in enumerate(run.states):
        place = chooser.choose(left, twin.decide, labels, twin.delta)
        assert left[place] == run.rows[t], t
        left[0], left[place] = left[place], left[0]
        twin.learn(left.pop(0), state)
    assert t == n - 1 and sorted(run.rows) == list(range(n))


@pytest.mark.parametrize("algorithm", ["lasvm", "lasvm-g", "lasvm-nc", "lasvm-i", "lasvm-full"])
@pytest.mark.parametrize("n_problems", [1, 3])
def test_one_candidate_keeps_the_order(algorithm, n_problems):
    X, labels = samples(200, max(2, n_problems))
    runs = [
        Run(X, labels, selection, n_problems, algorithm=algorithm)
        for selection in (
            None,
            *(new_selection(name, 1) for name in KINDS if name != "autoactive"),
        )
    ]
    for run in runs[1:]:
        assert_array_equal(run.rows, np.arange(200))
        assert run.states[-1] == runs[0].states[-1]


@pytest.mark.parametrize("algorithm", ["lasvm", "lasvm-g", "lasvm-i"])
@pytest.mark.parametrize("name", list(KINDS))
def test_model_equals_training_on_the_selected_samples(name, algorithm):
    """Whatever has been scored on the way: the same bits."""
    X, labels = samples(300, 3)
    run = Run(X, labels, new_selection(name, 20, most=120), 3, algorithm=algorithm)
    assert len(run.rows) == 120
    loop = make_loop(make_store(X, gamma=0.3), 3, algorithm=algorithm)
    loop.learn(X, run.rows.copy(), Samples(labels, run.costs, np.arange(300)))
    assert [run.coefficients(problem) for problem in loop.problems] == run.states[-1]


@pytest.mark.parametrize("n_rows", [1, 3])
@pytest.mark.parametrize("n_problems", [1, 3])
def test_margin_exhausted_equals_the_reference(n_problems, n_rows):
    # On such samples n is 80 to 220, whatever the last bits: its standard deviation is 10.
    X, labels = samples(400, max(2, n_problems), seed=7)
    stopping = MarginExhausted(n_rows)
    selection = new_selection("active", 40, stopping=stopping)
    run = Run(X, labels, selection, n_problems)
    n = len(run.rows)
    assert selection.stopped and 20 < n < 350
    # Which samples were outside the margin, and the next one, according to another model.
    loop = make_loop(make_store(X, gamma=0.3), n_problems)
    given = Samples(labels, run.costs, np.arange(400))
    outside = []
    for t in range(n):
        scores = np.empty((1, n_problems))
        loop.solution(False, 0).decide(X[run.rows[t : t + 1]], scores)
        outside.append(is_outside_margin(scores[0], [free_scores(p) for p in loop.problems]))
        loop.learn(X, run.rows[t : t + 1].copy(), given)
    # The last ones, and never as many before.
    assert all(outside[n - n_rows + 1 :])
    in_a_row = [all(outside[t - n_rows + 1 : t + 1]) for t in range(n_rows - 1, n)]
    assert not any(in_a_row)
    assert_array_equal(stopping.history(), [n_rows - 1])
    scores = np.empty((400 - n, n_problems))
    loop.solution(False, 0).decide(X[run.order[n:]], scores)
    nearest = scores[np.argsort([closeness(f) for f in scores])]
    margins = [free_scores(p) for p in loop.problems]
    assert any(is_outside_margin(f, margins) for f in nearest)


def free_scores(problem):
    members = problem.members
    slots = problem.slots()
    alpha = members["alpha"][slots]
    free = (alpha > members["lower"][slots]) & (alpha < members["upper"][slots])
    return (members["target"][slots] - members["g"][slots] + problem.b)[free]


def test_margin_is_not_exhausted_without_free_support_vectors():
    """All alpha at their bounds: C is that small."""
    X, labels = samples(100)
    selection = new_selection("active", 20, stopping=MarginExhausted(1))
    run = Run(X, labels, selection, costs=1e-5)
    assert len(run.rows) == 100 and not selection.stopped


def test_selection_stops_if_the_number_of_support_vectors_is_stable():
    # On these samples n is 145 to 180, whatever the last bits; on others more than 500.
    X, labels = samples(600, seed=4)
    stopping = SupportStable(50, 0.2)
    selection = new_selection("active", 20, stopping=stopping)
    run = Run(X, labels, selection, costs=100.0)
    counts = [0] + [sum(a != 0 for a in state[0][0].values()) for state in run.states]
    n = len(run.rows)
    assert selection.stopped and 50 <= n < 600
    growth = [counts[t] - counts[t - 50] for t in range(50, n + 1)]
    assert growth[-1] < 10 and all(g >= 10 for g in growth[:-1])
    # A restored state continues identically.
    again = SupportStable(50, 0.2)
    again.restore(stopping.history())
    assert_array_equal(again.history(), counts[n - 50 : n])


# Few support vectors are what stops last with the first pair, few errors with the second one.
@pytest.mark.sampled
@pytest.mark.parametrize(("share", "error"), [(0.4, 0.08), (1.1, 0.02)])
@pytest.mark.parametrize("n_problems", [1, 3])
@pytest.mark.parametrize("name", ["gradient", "active", "autoactive"])
def test_few_errors_equals_the_reference(name, n_problems, share, error):
    n_rows = 30
    X, labels = samples(500, max(2, n_problems), seed=4)
    X += 2 * np.eye(max(2, n_problems), 4)[labels]
    stopping = FewErrors(n_rows, share, error, max(2, n_problems))
    selection = new_selection(name, 20, stopping=stopping)
    run = Run(X, labels, selection, n_problems, costs=100.0)
    n = len(run.rows)
    assert selection.stopped and n_rows <= n < 500
    loop = make_loop(make_store(X, gamma=0.3), n_problems)
    given = Samples(labels, run.costs, np.arange(500))
    chooser, left, window, met = Chooser(name, 20, SEED), list(range(500)), [], []

    def decide(row):
        scores = np.empty((1, n_problems))
        loop.solution(False, 0).decide(X[[row]], scores)
        return scores[0]

    for t in range(n):
        deltas = [problem.delta for problem in loop.problems if problem.both_seen]
        place = chooser.choose(left, decide, labels, max(deltas, default=np.inf))
        assert left[place] == run.rows[t], t
        left[0], left[place] = left[place], left[0]
        row = left.pop(0)
        # The criterion starts when each problem has support vectors of both classes.
        signs = [set(np.sign(list(state[0].values()))) for state in run.states[t - 1] if t]
        if not signs or not all({-1.0, 1.0} <= some for some in signs):
            window = []
        met.append(len(window) >= n_rows and has_few_errors(window[-n_rows:], share, error))
        loop.learn(X, np.array([row]), given)
        entered = any(p.members.alpha_of(row, DATA) for p in loop.problems)
        window.append((entered, chooser.seen))
    assert not any(met) and has_few_errors(window[-n_rows:], share, error)
    history = stopping.history()
    assert_array_equal(history[:, -1], [entered for entered, _ in window[-n_rows:]])
    classes = range(max(2, n_problems))
    for counts, (_, seen) in zip(history, window[-n_rows:], strict=True):
        drawn = [sum(label == c for label, _ in seen) for c in classes]
        wrong = [sum(label == c and margin < 0 for label, margin in seen) for c in classes]
        assert_array_equal(counts[:-1], drawn + wrong)
    # A restored state continues identically.
    again = FewErrors(n_rows, share, error, max(2, n_problems))
    again.restore(history)
    assert_array_equal(again.history(), history)


def test_seeds_are_processed_first_and_leave_the_generator_alone():
    X, labels = samples(200)
    selection = new_selection("active", 20, most=60)
    selection.restore(SEED, n_seeds=15)
    seeded = Run(X, labels, selection)
    assert_array_equal(seeded.rows[:15], np.arange(15))
    assert len(np.unique(seeded.rows)) == 60
    only_seeds = new_selection("active", 20, most=15)
    only_seeds.restore(SEED, n_seeds=15)
    Run(X, labels, only_seeds)
    assert only_seeds.state() == {"random": SEED, "history": None, "n_seeds": 15}


def test_error_restores_the_state_of_the_selection():
    """A kernel function that fails while candidates are scored."""
    X, labels = samples(200)
    whole = Run(X, labels, new_selection("active", 20, most=60))
    selection = new_selection("active", 20, most=30)
    half = Run(X, labels, selection)
    state = selection.state()
    assert state["random"] != SEED and state["history"] is None
    longer = Active(20, most=60)
    longer.restore(**state)
    half.loop.stream.selection = longer
    given = Samples(labels, half.costs, np.arange(200))
    with pytest.raises(ValueError, match="float64"):
        half.loop.learn(X.astype(np.float32), half.order, given, None, 30)
    half.loop.learn(X, half.order, given, None, 30)
    assert_array_equal(half.rows, whole.rows)
    assert half.coefficients(half.loop.problems[0]) == whole.states[-1][0]


def test_members_come_last_in_later_epochs():
    """In a later pass members need no values, and there are none to choose them by."""
    X, labels = samples(80)
    run = Run(X, labels, None)
    problem = run.loop.problems[0]
    members = problem.members["row_id"][problem.slots()]
    known = np.full(80, -1, dtype=np.int32)
    known[members] = problem.slots()
    run.loop.begin_pass([known])
    run.loop.stream.selection = new_selection("active", "all")
    order = np.arange(80)
    run.loop.learn(X, order, Samples(labels, run.costs, np.arange(80)))
    assert 0 < len(members) < 80 and order[0] not in members
    assert run.loop.n_processed == 80 and sorted(order) == list(range(80))


def test_few_errors_does_not_count_members_in_later_epochs():
    X, labels = samples(80)
    run = Run(X, labels, None)
    problem = run.loop.problems[0]

    def members():
        return problem.members["row_id"][problem.slots()]

    inside = [members()]
    known = np.full(80, -1, dtype=np.int32)
    known[inside[0]] = problem.slots()
    run.loop.begin_pass([known])
    stopping = FewErrors(80, 0.0, 0.0, 2)
    run.loop.stream.selection = new_selection("active", "all", stopping=stopping)
    order, given = np.arange(80), Samples(labels, run.costs, np.arange(80))
    run.loop.learn(X, order, given, None, 0, lambda _: inside.append(members()))
    drawn = [np.setdiff1d(order[t:], inside[t]) for t in range(80)]
    counts = stopping.history()[:, :2]
    assert_array_equal(counts, [np.bincount(labels[rows], minlength=2) for rows in drawn])
    assert counts[0].sum() < 80


def test_read_only_order_is_rejected():
    X, labels = samples(20)
    order = np.arange(20)
    order.flags.writeable = False
    loop = make_loop(make_store(X))
    loop.stream.selection = new_selection("active", 5)
    with pytest.raises(ValueError, match="read-only"):
        loop.learn(X, order, Samples(labels, np.ones(20), np.arange(20)))
