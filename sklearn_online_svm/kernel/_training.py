"""Training calls of estimators that solve a dual problem: fit, partial_fit, finish, resume.

A call changes the estimator completely or not at all, with two exceptions: Ctrl-C leaves a model
that can be used and resumed, and an error of a kernel function in a later chunk of a stream leaves
one that has learned the blocks before it. The engine raises Ctrl-C where its state is consistent.
"""

import copy
from contextlib import contextmanager
from dataclasses import dataclass, replace

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from .. import _limits
from .._core.interrupts import DeferredInterrupts
from .._core.kernel.vectors.stores import BLOCK
from .._core.kernel.vectors.support_set import DATA, STREAM
from .._estimator import has_new_classes, is_current
from .._tasks import n_blocks, reporting, sample_tasks, unguarded
from .._threads import thread_pool
from .._transactions import Transaction
from .._validation import can_skip_validation, check_weights, restore_generator
from ._analysis._solution_view import are_rows_of
from ._checkpoint import checkpoint_of, note_interrupt, refuse_new_parameters, same_rows
from ._diagnosis import (
    BOUNDED,
    coarseness,
    diagnosed,
    most_steps,
    most_steps_of,
    recentred,
    warn_if_coarse,
    warn_if_cut_short,
    warn_unless_solved,
)
from ._epochs import ALL_AT_ONCE, Rows, Run, known_slots, next_order, procedure_of
from ._first_samples import (
    MIN_FIRST_CHUNK,
    fixed_kernel,
    refuse_other_than_square,
    warn_of_small_chunk,
)
from ._joint import Joint, consolidated, is_joint
from ._kept_samples import KeptSamples, stack
from ._machine import Machine
from ._optimum import keep_reserve
from ._progress import finish_with_progress
from ._targets import Targets
from ._virtual_pool import as_arrays, from_arrays

# Stages of ``finish``: the last two follow if the origin of the features has to be moved.
FINISH_STAGES = ("allow", "finish", "recentre", "again")

_NO_LIMIT = np.iinfo(np.int64).max


@contextmanager
def training(estimator, method, X, y, sample_weight, n_tasks=None):
    """Yield the :class:`Transaction` of a training call, with callbacks and deferred Ctrl-C."""
    with (
        estimator._guard,
        reporting(estimator, method, X, y, sample_weight, n_tasks),
        DeferredInterrupts(),
        Transaction(estimator) as change,
    ):
        yield change


# -------------------------------------------------------------------------------- fit


def fit(estimator, X, y, sample_weight):
    """Fit the estimator; an error leaves it unchanged."""
    plan, run, uncertain = estimator._plan(), None, 0.0
    n_tasks = 1 + plan.finishing if plan.most_passes == 1 else None
    with training(estimator, "fit", X, y, sample_weight, n_tasks) as change:
        run = begin_fit(change.draft, plan, X, y, sample_weight, vars(estimator).get("_machine"))
        change.is_usable = True
        uncertain = run_to_end(run)
    if uncertain:  # 0 if a callback has stopped the call
        warn_if_coarse(plan, run.machine.targets, uncertain)
    return estimator


def begin_fit(draft, plan, X, y, sample_weight, former):
    """Return the :class:`Run` of ``fit`` before the first epoch.

    ``former``: the machine of the previous ``fit``, for a warm start, or None.
    """
    for refuse in plan.refusals:
        refuse(plan, in_stream=False)
    X, y = plan.targets.validated(draft, X, y, reset=True, accept_sparse=plan.layouts)
    if not plan.layouts:
        refuse_other_than_square(X)
    targets, encoded = plan.targets.of_fit(plan, X, y)
    weights = check_weights(sample_weight, X, allow_all_zero=False)
    targets.check(encoded, weights)
    names = getattr(draft, "feature_names_in_", None)
    X, spec, targets = fixed_kernel(plan, targets, X, encoded, weights, names)
    n, random = X.shape[0], check_random_state(plan.params.random_state)
    order = next_order(random, plan.params.shuffle, n)
    cost, targets = targets.costs(plan, encoded, weights, order)
    rows = Rows(X, encoded, weights, cost, order)
    is_sparse = not isinstance(X, np.ndarray)
    machine = Machine(spec, None, targets, is_sparse, n_seen=n, next_id=n)
    procedure = procedure_of(plan, targets, encoded)
    at = procedure.begun(plan, machine, rows, random)
    if procedure is not ALL_AT_ONCE:
        machine.trained = spec.build(X)
        if plan.starts_warm and former is not None:
            begin_warm(plan, machine, former, rows)
        machine.engine.allow(most_steps_of(spec.n_problems_of_sample, n))
    machine.watched = draft._current_params()
    draft._machine = machine
    return Run(draft, plan, machine, rows, procedure, at, random)


def begin_warm(plan, machine, former, rows):
    """Start from the solution of the previous ``fit``, projected onto the present boxes."""
    engine, spec, targets = machine.engine, machine.spec, machine.targets
    engine.begin_pass(*known_slots(engine, rows.encoded))
    with former.engine.guard.reading():
        solution = former.engine.current_solution()
        ids = solution.row_ids
        same = np.array_equal(former.targets.classes, targets.classes)
        same = same and are_rows_of(spec, solution, rows.X)
        if same and former.spec.one_vs_one != spec.one_vs_one:
            raise ValueError(
                "warm_start=True continues from the solution of the same problems: multi_class "
                f"cannot be changed, got multi_class={plan.params.multi_class!r}. Use "
                "warm_start=False."
            )
        if not same or (rows.encoded[ids] != solution.labels).any():
            raise ValueError(
                "warm_start=True continues fit on the same samples, but X or y differ from those "
                "of the previous fit; use partial_fit for new samples, or warm_start=False."
            )
        shifted = None
        if spec.solver.algorithm == "lasvm-nc":
            shifted = np.zeros((spec.n_problems, len(rows.encoded)), dtype=np.int8)
            shifted[:, ids] = solution.beyond_ramp
        all_ids = np.arange(len(rows.encoded))
        given = targets.samples(rows.encoded, rows.cost, all_ids, DATA, shifted)
        engine.seed(rows.X, ids, given, engine.moved(given, ids, solution.alpha))


def run_to_end(run):
    """Run the rest of the epochs; return the uncertainty of decisions (see ``diagnosed``).

    After an interrupt the model can be used and resumed.
    """
    plan, machine = run.plan, run.machine
    if "_tasks" in vars(run.draft):
        run.draft._tasks.attributes = lambda: as_if_interrupted(run)
    try:
        run.procedure.run(run)
        uncertain = diagnosed(plan, machine)
    except KeyboardInterrupt as error:
        note_interrupt(plan, machine, error, "fit", run.rows, run.noted())
        end_fit(run, machine)
        raise
    end_fit(run, machine)
    return uncertain


def as_if_interrupted(run):
    """Return the attributes of a copy of the estimator as an interrupt would leave it."""
    attributes = _as_if_interrupted(run, run.draft, "fit")
    end_fit(run, attributes["_machine"])
    return attributes


def _as_if_interrupted(run, estimator, method):
    checkpoint = checkpoint_of(run.plan, run.machine, method, run.rows, run.noted())
    copied = estimator._copy_without_callbacks()
    copied._machine.checkpoint = copy.deepcopy(checkpoint)
    return vars(copied)


def end_fit(run, machine):
    """Keep samples for probabilities, and release what only the epochs need."""
    if run.plan.keeps_samples:
        rows, support = run.rows, machine.current_solution().row_ids
        machine.kept = KeptSamples.of_fit(
            rows.X, rows.encoded, rows.weights, run.procedure.visited(run), support
        )
    if machine.optimum is None:
        machine.engine.track(None)


# -------------------------------------------------------------------------------- partial_fit


@dataclass
class ChunkPosition:
    """Where ``partial_fit`` is in a chunk: what it needs to continue."""

    order: np.ndarray  # samples of the chunk, in the order of training
    choice: dict | None  # state of a sample selection
    first: int  # position of the first sample in the stream
    # Numbers of samples and labels before the chunk.
    n_seen: int
    n_labels: int
    # Targets before and after the chunk.
    targets_before: Targets
    targets_after: Targets
    # Samples of the stream that are visited again (see :meth:`Replay.visit`); ``order`` has their
    # positions after those of the chunk.
    replayed: dict | None = None
    stage: str = "begin"

    def as_dict(self):
        """Return plain values, to be stored."""
        before, after = self.targets_before.as_dict(), self.targets_after.as_dict()
        replayed = self.replayed
        if replayed is not None:
            X = replayed["X"]
            replayed = replayed | dict(X=as_arrays(X), n_features=X.shape[1])
        return vars(self) | dict(targets_before=before, targets_after=after, replayed=replayed)

    @classmethod
    def from_dict(cls, fields, kind):
        """Return the position that :meth:`as_dict` has stored; ``kind``: class of the targets."""
        of_kind = {
            name: kind.from_dict(fields[name]) for name in ("targets_before", "targets_after")
        }
        replayed = fields["replayed"]
        if replayed is not None:
            replayed = replayed.copy()
            replayed["X"] = from_arrays(replayed["X"], replayed.pop("n_features"))
        return cls(**fields | of_kind | dict(replayed=replayed))


def partial_fit(estimator, X, y, classes, sample_weight):
    """Train on the next chunk of a stream; invalid input leaves the estimator unchanged.

    The first chunk, and one with new classes, are processed by a draft. Other chunks are trained
    without one, as making a draft takes as long as training on a sample: the machine is changed
    only after all checks, and remains consistent if training is interrupted.
    """
    plan, uncertain = None, 0.0
    with (
        estimator._guard,
        reporting(estimator, "partial_fit", X, y, sample_weight, n_blocks),
        DeferredInterrupts(),
    ):
        machine = vars(estimator).get("_machine")
        adds_classes = classes is not None and has_new_classes(estimator, classes)
        if machine is not None and not adds_classes:
            plan, rows, at = begin_chunk(estimator, X, y, classes, sample_weight)
            uncertain = train_on_chunk(estimator, plan, rows, at)
        else:
            with Transaction(estimator) as change:
                draft = change.draft
                if machine is not None:
                    draft._add_classes(classes)
                plan, rows, at = begin_chunk(draft, X, y, classes, sample_weight)
                change.is_usable = True
                uncertain = train_on_chunk(draft, plan, rows, at)
        machine = estimator._machine
        warn_if_cut_short(plan, machine)
    if uncertain:
        warn_if_coarse(plan, machine.targets, uncertain)
    return estimator


def begin_chunk(estimator, X, y, classes, sample_weight):
    """Return the plan, validated samples, and the position in the chunk.

    The first chunk fixes targets and kernel.
    """
    machine = vars(estimator).get("_machine")
    is_first, plan, new = machine is None, None if machine is None else machine.plan, None
    if not is_current(plan, estimator):
        if is_first:
            estimator._validate_params()
        else:
            new = estimator._changed_params()
        plan = estimator._plan()
        for refuse in plan.refusals:
            refuse(plan, in_stream=True)
    kind, dtype = plan.targets, None if is_first else machine.dtype
    is_valid = not is_first and can_skip_validation(estimator, X, dtype)
    if is_valid and kind.has_y:  # labels are validated by the targets
        is_valid = y is not None and np.shape(y) == (X.shape[0],)
    if not is_valid:
        X, y = kind.validated(estimator, X, y, reset=is_first, dtype=dtype)
    elif kind.has_y:
        y = np.asarray(y)
    targets = kind.of_stream(plan, y, classes) if is_first else machine.targets
    encoded = targets.encode_chunk(X, y)
    weights = check_weights(sample_weight, X, allow_all_zero=True)
    if is_first:
        names = getattr(estimator, "feature_names_in_", None)
        X, machine = _begin_stream(plan, targets, X, encoded, weights, names)
        targets = machine.targets
    cost, after = targets.costs(plan, encoded, weights)
    rows, order = Rows(X, encoded, weights, cost), np.arange(len(cost))
    first, random = machine.next_id, plan.params.random_state
    at = ChunkPosition(
        first=first,
        n_seen=machine.n_seen,
        n_labels=machine.n_labels,
        targets_before=targets,
        targets_after=after if "_class_order" in vars(estimator) else after.after(plan, encoded),
        **plan.choice.begun(plan, machine, order, encoded, cost, random, first),
    )
    # Training checks each block before its first sample, which is too late here.
    if not is_first and (new is not None or machine.checkpoint is not None or len(order) > BLOCK):
        with machine.engine.guard:
            machine.engine.check(X)
    # All input is valid: only from here on is a fitted model changed.
    machine.checkpoint = None
    if is_first:
        machine.watched = estimator._current_params()
        estimator._machine = machine
    elif new is not None:
        configure(machine, plan)
        machine.watched = new
    machine.plan = plan  # last, so that an interrupted change is made again by the next call
    size = plan.replay_size if at.choice is None else 0
    if not size and machine.replay is None:
        return plan, rows, at
    with machine.engine.guard:  # other threads may be optimizing for their predictions
        if machine.replay is None or machine.replay.reservoir.size != size:
            machine.begin_replay(size, first)
        if size:
            at.order, at.replayed = machine.replay.visit(rows, first)
    return plan, rows, at


def configure(machine, plan):
    """Let the engine use changed parameters."""
    spec = replace(
        machine.spec,
        cache_size=float(plan.params.cache_size),
        solver=plan.solver(plan.params, machine.targets),
    )
    with machine.engine.guard:  # other threads may be optimizing for their predictions
        spec.configure(machine.engine)
        if machine.joint is not None:
            machine.joint.configure(spec)
    machine.spec = spec


def _begin_stream(plan, targets, X, encoded, weights, names):
    """Return samples in the dtype of the kernel, and a machine with an empty engine."""
    warn_of_small_chunk(plan.params, X)
    weighted = weights if weights.any() else np.ones(X.shape[0])
    X, spec, targets = fixed_kernel(
        plan, targets, X, encoded, weighted, names, fewest=MIN_FIRST_CHUNK
    )
    is_sparse = not isinstance(X, np.ndarray)
    return X, Machine(spec, spec.build(), targets, is_sparse, n_epochs=1)


class ChunkRun:
    """A call of ``partial_fit``: estimator, plan, validated samples, and how far it has come."""

    __slots__ = ("at", "choice", "estimator", "in_order", "is_whole", "machine", "plan", "rows")

    def __init__(self, estimator, plan, rows, at):
        self.estimator, self.plan, self.rows, self.at = estimator, plan, rows, at
        self.machine, self.is_whole = estimator._machine, False
        n_rows, replayed = len(rows.encoded), at.replayed
        self.in_order = at.choice is None and len(at.order) >= n_rows
        row_ids = np.arange(n_rows) if replayed is not None or not self.in_order else at.order
        row_ids = at.first + row_ids
        X, encoded, cost = rows.X, rows.encoded, rows.cost
        if replayed is not None:
            X = stack([X, replayed["X"]])
            encoded = np.concatenate([encoded, replayed["encoded"]])
            cost = np.concatenate([cost, replayed["cost"]])
            row_ids = np.concatenate([row_ids, replayed["row_ids"]])
        self.choice = plan.choice(
            plan, self.machine, at.order, at.choice, X, encoded, cost, row_ids, STREAM
        )
        if replayed is not None:
            self.choice.given.n_new = n_rows

    def n_new(self, n_visits):
        """Return the number of samples of the chunk among the first visits."""
        if self.at.replayed is None:
            return n_visits
        return int(np.sum(self.at.order[:n_visits] < len(self.rows.encoded)))

    def count(self, _=None):
        """Note the numbers of samples and labels so far; return that of samples of the chunk."""
        machine, at = self.machine, self.at
        n_processed = self.n_new(self.choice.n_labels) if at.stage == "learn" else 0
        # Selected samples may come from anywhere in the chunk: then the whole chunk counts.
        is_whole = self.is_whole or (n_processed > 0 and not self.in_order)
        n = len(self.rows.encoded) if is_whole else n_processed
        machine.n_seen, machine.next_id = at.n_seen + n, at.first + n
        machine.n_labels = at.n_labels + n_processed
        return n

    def count_all(self):
        """Note all that depends on the number of samples so far."""
        machine, rows, at, n = self.machine, self.rows, self.at, self.count()
        before, after = at.targets_before, at.targets_after
        machine.stopped = self.choice.stopped
        machine.targets = (
            after
            if n == len(rows.encoded)
            else before.after_part(after, rows.encoded[:n], rows.weights[:n])
        )
        if machine.replay is not None and machine.replay.end != at.first + n:
            with machine.engine.guard:
                machine.replay.end_at(rows, at.first, n)
        if self.plan.keeps_samples:
            kept = machine.kept or KeptSamples.of_stream(rows.X, rows.encoded, at.first)
            machine.kept = kept.after_chunk(rows, at.first, n)
        else:
            machine.kept = None

    def noted(self):
        """Return the position, also within the chunk."""
        return replace(self.at, **self.choice.state).as_dict()

    def as_if_interrupted(self):
        """Return the attributes of a copy of the estimator as an interrupt would leave it."""
        self.count_all()
        return _as_if_interrupted(self, self.estimator, "partial_fit")


def train_on_chunk(estimator, plan, rows, at):
    """Train on validated samples; return the uncertainty of decisions (see ``coarseness``).

    The counts of samples and labels are correct even after an exception.
    """
    run, n_rows = ChunkRun(estimator, plan, rows, at), len(rows.encoded)
    machine, choice, engine = run.machine, run.choice, run.machine.engine

    # Tasks are those of the samples of the chunk: visits of others are not counted.
    n_samples, order = len(at.order), choice.order
    if at.replayed is not None:
        n_samples, order = n_rows, None

    def position():
        return run.n_new(engine.n_processed)

    def of_visits(report):
        return lambda n_visits: report(run.n_new(n_visits))

    if "_tasks" in vars(estimator):
        estimator._tasks.attributes = run.as_if_interrupted
    progress = run.count if n_rows > BLOCK else None
    begin = 0 if at.stage == "begin" else position()
    try:
        with (
            sample_tasks(
                estimator, n_samples, position, progress, order=order, first=begin
            ) as report,
            engine.guard,
            thread_pool(plan.params.n_jobs, n_rows) as threads,
            choice,
        ):
            keep_reserve(machine.engine, machine.spec, _limits.RESERVE if plan.finishing else 0)
            if at.stage == "begin":
                if plan.counts_new_samples:
                    for problem in engine.problems:
                        problem.grows = True
                engine.begin_pass(None)
                engine.allow(_NO_LIMIT)  # steps per sample are limited by max_reprocess
                at.stage = "learn"
            if report is not progress:
                report = unguarded(of_visits(report), engine.guard)
            engine.learn(choice.X, choice.order, choice.given, threads, engine.n_processed, report)
            run.is_whole = True
            # Precision is checked only each time the number of samples has doubled.
            has_doubled = (at.first + n_rows).bit_length() != at.first.bit_length()
            if not has_doubled or machine.spec.kernel in BOUNDED:
                return 0.0
            moved = recentred(plan, machine)
            if moved is not None:
                # One assignment, because other threads may predict.
                estimator._machine = run.machine = moved
            return coarseness(plan, run.machine)
    except KeyboardInterrupt as error:
        if run.machine is machine:  # otherwise the origin was moved after the last sample
            note_interrupt(plan, machine, error, "partial_fit", rows, run.noted())
        raise
    finally:
        run.count_all()


def start_from(estimator, X, y, classes, alpha, bias, cost):
    """Return the estimator with these support vectors, which is not optimized over them.

    Signed ``alpha`` has shape (n_problems, n_SV). ``cost``: upper bounds of abs(alpha).
    """
    _, rows, at = begin_chunk(estimator, X, y, classes, None)
    machine, ids = estimator._machine, np.arange(len(rows.encoded))
    given = machine.targets.samples(rows.encoded, cost, ids, DATA)
    machine.engine.seed(rows.X, ids, given, machine.engine.moved(given, ids, alpha))
    machine.n_seen = machine.next_id = machine.n_labels = len(rows.encoded)
    machine.targets = at.targets_after
    machine.begin_replay(0)
    machine.engine.allow(0)  # no steps: finish only updates what follows from the solution
    machine.engine.finish()
    moved = machine.engine.current_solution().bias + (bias - estimator.intercept_)
    engine = machine.spec.build()
    engine.restore(machine.engine.state())
    for problem, b in zip(engine.problems, moved, strict=True):
        problem.set_bias(b)
    estimator._machine = replace(machine, trained=engine)
    return estimator


# -------------------------------------------------------------------------------- finish, resume


def finish(estimator):
    """Optimize over the support set."""
    with estimator._guard, DeferredInterrupts():
        check_is_fitted(estimator)
        new, plan = estimator._changed_params(), estimator._plan()
        if new is not None:
            configure(estimator._machine, plan)
            estimator._machine.watched = new
        estimator._machine.checkpoint = None
        uncertain = optimize_support_set(estimator, plan, FINISH_STAGES[0])
        machine = estimator._machine
        warn_unless_solved(plan, machine)
    warn_if_coarse(plan, machine.targets, uncertain)
    return estimator


def optimize_support_set(estimator, plan, first_stage):
    """Optimize over the support set, again if the origin of the features has been moved.

    Returns the uncertainty of decisions (see ``coarseness``).
    """
    machine, stage = estimator._machine, first_stage
    try:
        with thread_pool(plan.params.n_jobs) as threads:
            for stage in FINISH_STAGES[FINISH_STAGES.index(first_stage) :]:
                with machine.engine.guard:
                    if stage == "recentre":
                        moved = recentred(plan, machine)
                        if moved is None:
                            break
                        estimator._machine = machine = moved
                    if stage == "allow" and is_joint(machine):
                        trained = consolidated(machine, threads)
                        estimator._machine = machine = replace(machine, trained=trained)
                    if not plan.replay_size:  # it has been used for the last time
                        machine.begin_replay(0)
                    if stage in ("allow", "recentre"):
                        machine.engine.allow(most_steps(machine.engine))
                    else:
                        verbose, title = plan.params.verbose, f"[{plan.name}]"
                        finish_with_progress(machine.engine, threads, verbose, title)
            with machine.engine.guard:
                return coarseness(plan, machine)
    except KeyboardInterrupt as error:
        note_interrupt(plan, machine, error, "finish", None, dict(stage=stage))
        raise


def resume(estimator, X, y, sample_weight):
    """Continue the interrupted call; an error changes neither model nor checkpoint."""
    plan, uncertain = estimator._plan(), 0.0
    with training(estimator, "resume", X, y, sample_weight) as change:
        draft, former = change.draft, vars(estimator).get("_machine")
        checkpoint = None if former is None else former.checkpoint
        if checkpoint is None:
            raise ValueError(
                "There is nothing to resume: no call of this model was interrupted before its end."
            )
        refuse_new_parameters(plan, checkpoint)
        rows, method, at = None, checkpoint["method"], checkpoint["at"]
        if checkpoint["checksums"] is not None:
            rows = same_rows(draft, plan, former, X, y, sample_weight)
        trained = _continued(plan, former, rows)
        replay = None if former.replay is None else former.replay.copy()
        values = dict(trained=trained, replay=replay, checkpoint=None)
        draft._machine = machine = replace(former, **values)
        if former.joint is not None:  # other threads may predict from the former one
            with former.engine.guard.reading():
                machine.joint = Joint.from_state(former.joint.state(), machine.spec)
        change.is_usable = True
        if method == "fit":
            random = None if at["random"] is None else restore_generator(at["random"])
            procedure = procedure_of(plan, machine.targets, rows.encoded)
            position = procedure.position(**at)
            uncertain = run_to_end(Run(draft, plan, machine, rows, procedure, position, random))
        elif method == "partial_fit":
            position = ChunkPosition.from_dict(at, plan.targets)
            uncertain = train_on_chunk(draft, plan, rows, position)
        else:
            uncertain = optimize_support_set(draft, plan, at["stage"])
    machine = estimator._machine
    if method == "partial_fit":
        warn_if_cut_short(plan, machine)
    elif method == "finish":
        warn_unless_solved(plan, machine)
    warn_if_coarse(plan, machine.targets, uncertain)
    return estimator


def _continued(plan, machine, rows):
    """Return the engine in the state of a checkpoint, or the optimum so far."""
    checkpoint, state = machine.checkpoint, machine.checkpoint["engine"]
    if checkpoint["read_state"] is None:
        return machine.trained
    if state is None:
        with machine.engine.guard.reading():
            state = machine.engine.state()
    engine = machine.spec.build(None if rows is None else rows.X)
    engine.restore(state)
    if checkpoint["method"] == "fit" and not plan.is_single:
        engine.track(*known_slots(engine, rows.encoded))
    engine.restore_read_state(checkpoint["read_state"])  # there may have been predictions since
    return engine
