"""Training on samples in memory: ``all_at_once`` and ``epochs``, functions that can be resumed.

A :class:`Run` is what they work on, and its position ``at`` says where they are. **The rule of
interrupts: every call of the engine that Ctrl-C may end is a stage of its own, and the position
changes before and after it, never within.** The engine raises Ctrl-C only between two blocks of
samples or two steps of ``finish``, or in a slow block, which is then taken back. So the position
and the state of the engine are a complete checkpoint: a resumed call has the bits of an
uninterrupted one. (``partial_fit`` does not pass here; its position is a :class:`ChunkPosition`.)
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from .. import _limits
from .._core.kernel.vectors.support_set import DATA
from .._tasks import epoch, optimization
from .._threads import thread_pool, warn
from ._diagnosis import advice, most_steps_of, violation_in, warn_if_cut_short, warn_unless_solved
from ._optimum import Optimum, batch_of, keep_reserve
from ._progress import finish_with_progress, optimization_progress, progress

# max_iter="auto": part of the samples whose violations are estimated, which are compared with
# ``_limits.AUTO_EXCESS``, and the smallest and largest size of that part. If few samples are
# support vectors, scoring costs little: so many are scored that SUPPORT_SCORED of them are support
# vectors, by their share.
SCORED_SHARE, LEAST_SCORED, MOST_SCORED = 0.02, 500, 1000
SUPPORT_SCORED = 25

# Share of the steps left that ``finish`` may make between two epochs. A slow optimization over the
# support set would otherwise leave no steps for the samples outside of it.
FINISH_SHARE = 0.1
# Stop after so many rounds without an increase of the dual objective if no violation exceeds tol:
# samples with equal gradients, such as duplicates, may replace each other in every epoch.
IDLE_ROUNDS_WITHIN_TOL = 3


@dataclass
class Rows:
    """Validated samples of a call, encoded targets, weights, and upper bounds of alpha.

    ``order`` is that of the first epoch of ``fit``.
    """

    X: object
    encoded: np.ndarray
    weights: np.ndarray
    cost: np.ndarray | None = None
    order: np.ndarray | None = None

    def part(self, rows):
        """Return those of a slice."""
        return Rows(self.X[rows], self.encoded[rows], self.weights[rows], self.cost[rows])


@dataclass
class Position:
    """Where a run of epochs is: what it needs to continue."""

    order: np.ndarray  # samples of the current epoch, in their order
    choice: dict | None = None  # state of a sample selection
    random: dict | None = None  # state of the generator of later orders
    # The next stage. In ``epochs``: begin, learn, finish (again after refresh), assess, next, and
    # begin again, or over at the end. In ``all_at_once``: begin, finish, over. See also
    # ``kernel/_convex.py``.
    stage: str = "begin"
    n_pass: int = 1  # number of the current epoch, from 1
    n_changes: int = 0  # count of the engine at the beginning of the epoch
    n_finishes: int = 0  # number of optimizations over the support set in this epoch
    # Largest dual objective, number of rounds, and of the last ones without an increase.
    best: float | None = None
    n_rounds: int = 0
    idle: int = 0
    batch: dict | None = None  # in ``all_at_once``: state of the batch after an interrupt

    def as_dict(self):
        """Return the fields, to be stored."""
        return vars(self).copy()

    def count_round(self, engine):
        """Count a round of training, which raises the dual objective, except for rounding."""
        objective = float(sum(problem.objective for problem in engine.problems))
        gained = self.best is None or objective > self.best + 1e-13 * abs(self.best)
        self.best = objective if gained else self.best
        self.n_rounds, self.idle = self.n_rounds + 1, 0 if gained else self.idle + 1


@dataclass(frozen=True)
class Procedure:
    """How ``fit`` trains: functions of a :class:`Run`."""

    position: type  # class of the positions
    begun: Callable  # returns the first position, given a plan, a machine, samples and a generator
    run: Callable  # trains from the position of a run to the end
    visited: Callable  # returns the samples that the machine has been trained on, in their order


@dataclass
class Run:
    """A call of ``fit``, or its continuation: a draft of the estimator, plan, machine, samples."""

    draft: object  # the estimator of which ``machine`` is the state, for callbacks
    plan: object  # Plan
    machine: object  # Machine
    rows: Rows
    procedure: Procedure
    at: Position
    random: object = None  # RandomState or None: generator of later orders
    selecting: object = None  # AllSamples or None: the selection of samples, within an epoch
    # Tuple of (Batch, order of the samples) or None: the problems, within an optimization over all
    # samples.
    batch: object = None
    start: float = field(default_factory=time.perf_counter)

    def noted(self):
        """Return the position, also within an epoch, whose counts are noted in the machine.

        Within an optimization over all samples, the machine gets the solution so far.
        """
        if self.batch is not None:
            batch, order = self.batch
            machine, n = self.machine, len(self.rows.encoded)
            machine.trained = Optimum.of(batch, machine.spec, self.rows, order)
            machine.n_seen = machine.n_labels = n if batch.n_kernel_evaluations else 0
            self.at.batch = batch.state()
        fields = self.at.as_dict()
        if self.selecting is not None:
            fields |= self.selecting.state
            self.note_counts()
        return fields

    def note_counts(self, n_seen=None):
        """Note the numbers of samples and labels of the first epoch so far."""
        machine, selecting = self.machine, self.selecting
        if self.at.n_pass == 1:
            machine.n_labels = selecting.n_labels
            machine.n_seen = selecting.n_labels if n_seen is None else n_seen
            machine.stopped = selecting.stopped

    def report(self):
        """Print a line about the epoch if the model is verbose."""
        if not self.plan.params.verbose:
            return
        machine, (n_vectors, n_evaluations) = self.machine, self.machine.counts()
        print(
            f"[{self.plan.name}] epoch {self.at.n_pass}: {n_vectors} vectors in the support set, "
            f"largest violation {machine.violation:.3g}, {n_evaluations:,} kernel values, "
            f"{time.perf_counter() - self.start:.1f} s"
        )


def procedure_of(plan, targets, encoded):
    """Return how ``fit`` trains on these samples."""
    if not plan.in_batch or plan.most_passes != "auto" or plan.starts_warm:
        return plan.procedure
    if not (len(encoded) <= _limits.SMALL_SET or has_small_pairs(plan, targets, encoded)):
        return plan.procedure
    # Where gradients are rounded by more than tol, epochs come closer to the optimum.
    return ALL_AT_ONCE if plan.params.tol >= targets.rounding(encoded) else plan.procedure


def has_small_pairs(plan, targets, encoded):
    """Return whether the pairs of classes of a larger set have few samples each."""
    if not targets.one_vs_one or not plan.layouts or len(encoded) > _limits.MANY_SMALL_PAIRS:
        return False
    return np.sort(np.bincount(encoded))[-2:].sum() <= _limits.SMALL_PAIR


def learn(run, threads, given, X, order):
    """Process the rest of the current epoch."""
    engine, begin, n = run.machine.engine, run.machine.engine.n_processed, len(order)

    def position():
        return engine.n_processed

    with (
        progress(engine, n, run.plan.params.verbose, f"[{run.plan.name}]") as report,
        epoch(run.draft, n, position, report, order=order, first=begin) as report,
    ):
        engine.learn(X, order, given, threads, begin, report)


def optimize(run, threads, exactly, share, after):
    """Optimize over the support set: the stages "finish" and "refresh".

    ``exactly``: returns whether it is optimized again if recomputed gradients reveal violations;
    None: always. ``share``: share of the steps left that may be used. ``after``: the next stage.
    """
    engine, at = run.machine.engine, run.at
    while at.stage in ("finish", "refresh"):
        if at.stage == "finish":
            with optimization(run.draft) as report:
                verbose, title = run.plan.params.verbose, f"[{run.plan.name}]"
                finish_with_progress(engine, threads, verbose, title, share, report)
            at.n_finishes += 1
            again = (exactly is None or exactly()) and at.n_finishes <= _limits.MAX_REFRESHES
            at.stage = "refresh" if again else after
        else:
            engine.refresh()
            at.stage = after if violation_in(engine)[1] or engine.out_of_share else "finish"


def begin_orders(plan, machine, rows, random):
    """Return the position before the first epoch."""
    begun = plan.choice.begun(plan, machine, rows.order, rows.encoded, rows.cost, random)
    state = None if plan.most_passes == 1 else random.get_state(legacy=False)
    return Position(**begun, random=state)


def visited_in_order(run):
    """Return the samples that the machine has been trained on, in their order."""
    return run.at.order[: run.machine.n_seen if run.at.n_pass == 1 else None]


# -------------------------------------------------------------------------------- all at once


def begin_batch(plan, machine, rows, random):
    """Return the position before the first step."""
    return Position(rows.order)


def all_at_once(run):
    """Optimize over all samples at once, with all kernel values in memory."""
    plan, machine, rows, at = run.plan, run.machine, run.rows, run.at
    params, targets, spec = plan.params, machine.targets, machine.spec
    order = by_class(targets, rows.encoded, np.flatnonzero(rows.cost > 0.0))
    steps = most_steps_of(spec.n_problems_of_sample, len(rows.encoded))
    batch = batch_of(spec, targets, rows.encoded[order], rows.cost[order], steps)
    batch.attach(spec.store, rows.X, order)
    if at.batch is not None:
        batch.restore(at.batch)
    run.batch, machine.n_epochs, at.stage = (batch, order), 1, "finish"
    title = f"[{plan.name}] optimizing over {len(order):,} samples"
    with (
        thread_pool(params.n_jobs) as threads,
        optimization(run.draft) as report,
        optimization_progress(lambda: batch.distances, params.verbose, title, report) as update,
    ):
        batch.solve(threads, update)
    with epoch(run.draft, len(rows.encoded)):
        pass  # callbacks get the solution
    optimum = Optimum.of(batch, spec, rows, order)
    machine.n_seen = machine.n_labels = len(rows.encoded)
    is_matrix = spec.layout == "precomputed"  # which is not kept
    machine.trained = optimum.engine(spec, targets, rows) if is_matrix else optimum
    at.stage, run.batch = "over", None
    machine.violation = optimum.violation()[0]
    run.report()
    warn_unless_solved(plan, machine)


ALL_AT_ONCE = Procedure(Position, begin_batch, all_at_once, visited_in_order)


# -------------------------------------------------------------------------------- epochs


def epochs(run):
    """``max_iter`` epochs of LASVM; if several, the support set is optimized after each.

    Training stops after an epoch that changes nothing, and with ``max_iter="auto"`` when another
    one would change little (see ``has_converged``).
    """
    plan, machine, at, n = run.plan, run.machine, run.at, len(run.rows.encoded)
    until_converged, is_auto = plan.most_passes == -1, plan.most_passes == "auto"
    engine = machine.engine
    most = _limits.MAX_EPOCHS if until_converged or is_auto else plan.most_passes
    finishing = until_converged or plan.finishing
    with thread_pool(plan.params.n_jobs) as threads:
        while at.stage != "over":
            if at.stage == "begin":
                begin_epoch(run)
            if at.stage == "learn":
                run_epoch(run, threads)
                unchanged = engine.n_changes == at.n_changes
                done = most > 1 and unchanged and (violation_in(engine)[1] or not finishing)
                machine.violation = engine.violation_left() if done else engine.violation_met()
                at.stage = "end" if done else "finish" if finishing else "next"
                if done:
                    run.report()
            if at.stage in ("finish", "refresh"):
                is_first, is_last = is_auto and at.n_pass == 1, not is_auto and at.n_pass == most
                share = 1.0 if is_last or (is_first and n > _limits.SMALL_SET) else FINISH_SHARE
                exactly = (lambda: is_cheap(run)) if is_first else (lambda: most > 1)
                optimize(run, threads, exactly, share, after="assess" if is_auto else "next")
            if at.stage == "assess":
                at.stage = "end" if not is_cheap(run) and has_converged(run, threads) else "next"
            if at.stage == "next":
                begin_next(run, most, finishing, until_converged)
            if at.stage == "end":
                (warn_unless_solved if finishing else warn_if_cut_short)(plan, machine)
                at.stage = "over"


def begin_epoch(run):
    """Begin an epoch: the stage "begin"."""
    plan, machine, at = run.plan, run.machine, run.at
    engine, machine.n_epochs = machine.engine, at.n_pass
    reserve = 0
    if plan.finishing and plan.most_passes != 1 and at.n_pass == 1:
        mean_size = len(run.rows.encoded) * engine.n_problems_of_sample / len(engine.problems)
        reserve = min(_limits.RESERVE, int(_limits.RESERVE_SHARE * mean_size))
    keep_reserve(machine.engine, machine.spec, reserve)
    if plan.counts_new_samples:
        for problem in engine.problems:
            problem.grows = at.n_pass == 1  # later epochs repeat samples that were counted
    engine.begin_pass(*() if plan.is_single else known_slots(engine, run.rows.encoded))
    run.start = time.perf_counter()
    at.stage, at.n_changes, at.n_finishes = "learn", engine.n_changes, 0


def run_epoch(run, threads):
    """Process the rest of the current epoch, by the selection of samples."""
    plan, machine, rows, at = run.plan, run.machine, run.rows, run.at
    row_ids, n_seen = np.arange(len(rows.encoded)), None
    selecting = plan.choice(
        plan, machine, at.order, at.choice, rows.X, rows.encoded, rows.cost, row_ids, DATA
    )
    run.selecting = selecting
    try:
        with selecting:
            learn(run, threads, selecting.given, selecting.X, selecting.order)
        n_seen = len(rows.encoded)
    finally:
        run.note_counts(n_seen)
        vars(at).update(selecting.state)
        run.selecting = None
    if at.n_pass == 1 and selecting.leaves_out:
        warn_of_unused_classes(run, selecting.order[: machine.engine.n_processed])


def begin_next(run, most, finishing, until_converged):
    """Begin another epoch if one is due and may improve the model: the stage "next"."""
    plan, machine, at = run.plan, run.machine, run.at
    run.report()
    if finishing and machine.engine.out_of_steps:
        at.stage = "end"
        return
    tol = machine.targets.tolerance(plan.params.tol)
    within_tol = violation_in(machine.engine)[1] and machine.violation <= tol
    if at.n_pass < most:
        at.count_round(machine.engine)
        idle = IDLE_ROUNDS_WITHIN_TOL if within_tol else _limits.IDLE_ROUNDS
        if not finishing or at.idle < idle:
            # An order over the samples whose label has been used.
            used = plan.choice.used(plan, machine, at.order)
            at.order = used[next_order(run.random, plan.params.shuffle, len(used))]
            at.choice, at.random = None, run.random.get_state(legacy=False)
            at.stage, at.n_pass, at.n_changes, at.n_finishes = "begin", at.n_pass + 1, 0, 0
            return
    if until_converged and not within_tol:
        warn(
            f"{plan.name} did not converge within {at.n_pass} epochs: the largest violation of "
            f"the last epoch was {machine.violation:.3g}, tol is {plan.params.tol:.3g}. "
            f"{advice(plan, machine)}",
            ConvergenceWarning,
        )
    at.stage = "end"


def is_cheap(run):
    """Return whether the optimum over all samples costs little."""
    n, X = len(run.rows.encoded), run.rows.X
    if n > _limits.SMALL_SET:
        return False
    n_values = np.count_nonzero(X if isinstance(X, np.ndarray) else X.data)
    return sum(run.machine.estimated_cost(n_values / n, run.at.n_pass * n)) < _limits.SHORT_TIME


def has_converged(run, threads):
    """Estimate whether another epoch would change little.

    The samples are drawn with a probability proportional to C, one from each of n strata.
    """
    plan, machine, rows, at = run.plan, run.machine, run.rows, run.at
    engine, targets, cost = machine.engine, machine.targets, rows.cost
    used = plan.choice.used(plan, machine, at.order)
    weights = np.where(np.isinf(cost[used]), 1.0, cost[used])
    total = np.cumsum(weights)
    n_support = np.array([np.count_nonzero(problem.view().alpha) for problem in engine.problems])
    n = min(max(LEAST_SCORED, int(SCORED_SHARE * len(used))), MOST_SCORED)
    n = min(max(n, SUPPORT_SCORED * len(used) // max(1, n_support.max())), len(used))
    places = np.arange(n) + np.random.default_rng(at.n_pass).random(n)
    drawn = np.searchsorted(total, places * (total[-1] / n)).clip(max=len(used) - 1)
    some = used[drawn]
    scores = np.empty((n, len(engine.problems)))
    engine.current_solution().decide(rows.X[some], scores, threads)
    encoded = rows.encoded[some]
    violation = engine.violations(targets.samples(encoded, cost[some], some, DATA), scores)
    violation[violation <= targets.tolerance(plan.params.tol)] = 0.0
    scale = targets.scale(scores, encoded, engine)
    # Each sample drawn stands for total / (n C) samples of its kind.
    is_member = ~np.isnan(violation)
    stands_for = np.where(is_member, total[-1] / n / weights[drawn], np.nan)
    n_violators = stands_for * (violation > 0.0) * is_member.sum(axis=1, keepdims=True)
    is_over = bool(
        n_support.max() < _limits.AUTO_SUPPORT_SHARE * len(used)
        and not is_above(_limits.AUTO_EXCESS * scale, violation)
        and not is_above(_limits.AUTO_VIOLATORS * n_support, n_violators)
    )
    if not is_over and at.n_pass < _limits.MAX_AUTO_EPOCHS:
        return False
    run.report()
    if not is_over:
        loss = np.nanmean(violation, axis=1).max()
        warn(
            f"{plan.name} stopped after {_limits.MAX_AUTO_EPOCHS} epochs: the mean loss that "
            f"further ones could remove is about {loss:.2g}. {advice(plan, machine)}",
            ConvergenceWarning,
        )
    return True


def warn_of_unused_classes(run, used):
    """Warn if the samples used leave out a class; indices beyond X are virtual samples."""
    rows, classes = run.rows, run.machine.targets.classes
    given = np.bincount(rows.encoded[rows.cost > 0.0], minlength=len(classes)) > 0
    known = np.bincount(rows.encoded[used[used < len(rows.encoded)]], minlength=len(classes)) > 0
    unused = classes[given & ~known].tolist()
    if unused:
        warn(
            f"No sample of the classes {unused} was selected for training, so they are never "
            f"predicted. Increase max_labels (got {run.plan.params.max_labels})."
        )


EPOCHS = Procedure(Position, begin_orders, epochs, visited_in_order)


def next_order(random, shuffle, n_rows):
    """Return the order of an epoch over so many samples."""
    order = random.permutation(n_rows) if shuffle else np.arange(n_rows)
    return order.astype(np.int64, copy=False)


def is_above(bounds, values):
    """Return whether a mean over samples is above its limit, by more than chance explains.

    ``values`` (n_problems, n_samples) are NaN for samples that do not belong to a problem.
    """
    n_problems, n = len(values), np.maximum(1, (~np.isnan(values)).sum(axis=1))
    means = np.nansum(values, axis=1) / n
    errors = np.sqrt(np.nansum((values - means[:, None]) ** 2, axis=1)) / n
    # The largest of several estimates is above its true value by more than one standard error.
    n_errors = np.sqrt(max(1.0, 2.0 * np.log(n_problems)))
    return bool((means - n_errors * errors > bounds).any())


def by_class(targets, encoded, rows):
    """Return rows by class if problems are pairs: a block of them then belongs to few pairs."""
    if not targets.one_vs_one:
        return rows
    return rows[np.argsort(encoded[rows], kind="stable")]


def known_slots(engine, encoded):
    """Return the slot of each sample in each problem, or -1, and the order of samples by class.

    With a problem for each pair of classes, it has the samples of the two classes only, by class;
    otherwise the order is None. See ``Engine.begin_pass``.
    """
    n_rows, order = len(encoded), None
    one_vs_one = len(engine.problems) > 1 and engine.problems[0].classes[1] >= 0
    if one_vs_one:
        places = np.empty(n_rows, dtype=np.int32)
        places[np.argsort(encoded, kind="stable")] = np.arange(n_rows)
        n_classes = engine.problems[-1].classes[1] + 1
        counts = np.bincount(encoded, minlength=n_classes)
        order = places, np.concatenate([[0], np.cumsum(counts)]).tolist()
    known = []
    for problem in engine.problems:
        members, n = problem.view(), n_rows
        of_data = members.origin == DATA
        slots, rows = members.slots[of_data], members.row_id[of_data]
        if one_vs_one:
            first, second = problem.classes
            n = counts[first] + counts[second]
            begins = np.where(encoded[rows] == first, order[1][first], order[1][second])
            rows = places[rows] - begins + counts[first] * (encoded[rows] == second)
        known.append(np.full(n, -1, dtype=np.int32))
        known[-1][rows] = slots
    return known, order
