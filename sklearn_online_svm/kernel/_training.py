"""Training calls of kernel machines: fit, partial_fit, finish, resume.

A call changes the model completely or not at all, except after Ctrl-C, which leaves a model that
can be used and resumed. The engine raises Ctrl-C where its state is consistent.
"""

import copy
from contextlib import contextmanager
from dataclasses import dataclass, replace

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from .._core.interrupts import DeferredInterrupts
from .._core.kernel.vectors.stores import BLOCK
from .._core.kernel.vectors.support_set import DATA, STREAM
from .._estimator import Transaction
from .._tasks import n_blocks, reporting, sample_tasks, unguarded
from .._validation import (
    can_skip_validation,
    check_weights,
    restore_generator,
    thread_pool,
)
from ._checkpoint import (
    checkpoint_of,
    note_interrupt,
    refuse_new_parameters,
    same_rows,
)
from ._diagnostics import (
    coarseness,
    has_constant_kernel,
    most_steps,
    recentre_if_coarse,
    refuse_overflow,
    warn_if_coarse,
    warn_if_cut_short,
    warn_unless_solved,
)
from ._engine import EngineSpec, choose_layout, far_centre
from ._epochs import built_engine, known_slots, next_order
from ._kept_samples import KeptSamples
from ._model import MIN_FIRST_CHUNK
from ._progress import finish_with_progress
from ._solution_view import are_rows_of
from ._targets import Targets

# Number of vectors with alpha = 0 that a stream keeps in each support set, those closest to the
# margin: support vectors of the optimum that did not violate when they were visited.
RESERVE = 50

# Stages of ``finish``: the last two follow if the origin of the features has to be moved.
FINISH_STAGES = ("allow", "finish", "recentre", "again")

_NO_LIMIT = np.iinfo(np.int64).max


@contextmanager
def training(model, method, X, y, sample_weight, n_tasks=None):
    """Yield the :class:`Transaction` of a training call.

    Callbacks get reports, and Ctrl-C is raised by the engine only.
    """
    with (
        model._guard,
        reporting(model, method, X, y, sample_weight, n_tasks),
        DeferredInterrupts(),
        Transaction(model) as change,
    ):
        yield change


# -------------------------------------------------------------------------------- fit


def fit(model, X, y, sample_weight):
    """Fit the model; an error leaves it unchanged."""
    uncertain = 0.0  # if a callback stops the training: ``reporting`` ends the block then
    schedule = model._schedule()
    with training(model, "fit", X, y, sample_weight, schedule.n_tasks) as change:
        passes, rows = begin_fit(change.draft, schedule, X, y, sample_weight, vars(model))
        change.is_usable = True
        uncertain = run(change.draft, passes, rows)
    warn_if_coarse(model, uncertain)
    return model


def begin_fit(model, schedule, X, y, sample_weight, before):
    """Return the epochs of ``fit`` before the first one, and the validated samples.

    ``before``: attributes of the former model, for a warm start.
    """
    vars(model).pop("_checkpoint", None)
    refuse(model, schedule)
    kind, layout = model._kind_of_targets, False if model._is_precomputed() else "csr"
    X, y = kind.validated(model, X, y, reset=True, accept_sparse=layout)
    model._refuse_other_than_square(X)
    model._targets, encoded = kind.of_fit(model, schedule, X, y)
    weights = check_weights(sample_weight, X, allow_all_zero=False)
    model._targets.check(encoded, weights)
    X = fix_kernel(model, X, encoded, weights)
    model.n_samples_seen_ = model._next_row_id = X.shape[0]
    model.n_iter_ = 0
    model.kkt_violation_ = np.inf
    model._random = check_random_state(model.random_state)
    model._order = next_order(model, X.shape[0])
    cost, model._targets = model._targets.costs(model, encoded, weights, model._order)
    kind = schedule.kind(model._targets, encoded)
    at = kind.first_position(model, schedule, encoded, cost)
    engine = built_engine(model._spec, X)
    if schedule.starts_warm:
        begin_warm(model, engine, X, encoded, cost, before)
    model._engine = engine
    engine.allow(most_steps(engine, X.shape[0]))
    return kind(model, schedule, X, encoded, cost, at), (X, encoded, weights)


def refuse(model, schedule):
    """Raise ValueError for parameters that cannot be combined, or not in a stream."""
    for refusal in model._refusals:
        refusal(model, schedule)


def fix_kernel(model, X, encoded, weights, fewest=2):
    """Set ``gamma_``, the dtype and the layout; return X in that dtype.

    Fewer samples than ``fewest`` are not enough to tell whether features are far from 0.
    """
    X = model._fix_gamma(X, weights)
    model._fitted_params = model._current_params()
    solver, offset = model._solver(), None
    linear = isinstance(model.kernel, str) and model.kernel == "linear"
    if linear and solver.may_move_origin and X.shape[0] >= fewest:
        offset = far_centre(X if weights.all() else X[weights > 0])
        X = X if offset is None else X.astype(np.float64, copy=False)
    model._dtype = X.dtype
    model._sparse = not isinstance(X, np.ndarray)
    model._spec = EngineSpec(
        n_features=X.shape[1],
        n_problems=model._targets.n_problems,
        one_vs_one=model._targets.one_vs_one,
        dtype=X.dtype.name,
        layout=choose_layout(X, model.kernel),
        kernel=model._kernel_of_spec(),
        degree=int(model.degree),
        gamma=model.gamma_,
        coef0=float(model.coef0),
        cache_size=float(model.cache_size),
        solver=solver,
        offset=offset,
    )
    # An estimate of epsilon needs kernel values.
    fixed = model._targets.fixed(model, X, encoded, weights)
    if fixed is not model._targets:
        model._targets = fixed
        model._spec = replace(model._spec, solver=model._solver())
    return X


def begin_warm(model, engine, X, encoded, cost, before):
    """Start from the solution of the previous ``fit``, projected onto the present boxes."""
    former = before.get("_engine")
    if former is None:
        return
    engine.begin_pass(*known_slots(engine, encoded))
    with former.guard.reading():
        solution = former.current_solution()
        rows = solution.row_ids
        former_spec, spec = before["_spec"], model._spec
        same = np.array_equal(before["_targets"].classes, model._targets.classes)
        same = same and are_rows_of(spec, solution, X)
        if same and former_spec.one_vs_one != spec.one_vs_one:
            raise ValueError(
                "warm_start=True continues from the solution of the same problems: multi_class "
                f"cannot be changed, got multi_class={model.multi_class!r}. Use "
                "warm_start=False."
            )
        if not same or (encoded[rows] != solution.labels).any():
            raise ValueError(
                "warm_start=True continues fit on the same samples, but X or y differ from those "
                "of the previous fit; use partial_fit for new samples, or warm_start=False."
            )
        shifted = None
        if spec.solver.algorithm == "lasvm-nc":
            shifted = np.zeros((spec.n_problems, X.shape[0]), dtype=np.int8)
            shifted[:, rows] = solution.beyond_ramp
        given = model._targets.samples(encoded, cost, np.arange(X.shape[0]), DATA, shifted)
        engine.seed(X, rows, given, engine.moved(given, rows, solution.alpha))


def run(model, passes, rows):
    """Run the rest of the epochs; return the uncertainty of decisions, infinite if all are equal.

    After an interrupt the model can be used and resumed.
    """
    if "_tasks" in vars(model):
        model._tasks.attributes = lambda: _as_if_interrupted(model, passes, rows)
    try:
        passes.run()
        refuse_overflow(model)
    except KeyboardInterrupt as error:
        note_interrupt(model, error, "fit", rows, passes.cost, passes.at)
        end_fit(model, passes, rows)
        raise
    end_fit(model, passes, rows)
    return np.inf if has_constant_kernel(model) else coarseness(model)


def _as_if_interrupted(model, passes, rows):
    """Return the attributes of a copy of the model as an interrupt would leave it."""
    passes.note_progress()
    checkpoint = checkpoint_of(model, "fit", rows, passes.cost, passes.now)
    copied = model._copy_without_callbacks()
    copied._checkpoint = copy.deepcopy(checkpoint)
    end_fit(copied, passes, rows)
    return vars(copied)


def end_fit(model, passes, rows):
    """Release what only the epochs need."""
    if model._keeps_samples or model._samples is not None:
        keep(model, KeptSamples.after_fit(model, rows, passes.visited))
    for name in ("_order", "_random"):
        vars(model).pop(name, None)
    model._engine.track(None)


def keep(model, samples):
    """Keep samples beside the support vectors, or None."""
    if samples is None:
        vars(model).pop("_samples", None)
    else:  # one assignment, because other threads may predict
        model._samples = samples


# -------------------------------------------------------------------------------- partial_fit


@dataclass
class ChunkPosition:
    """Where ``partial_fit`` is in a chunk: what it needs to continue.

    Parameters
    ----------
    order : ndarray of int64
        Samples of the chunk, in the order of training.
    choice : dict or None
        State of a sample selection.
    first : int
        Position of the first sample in the stream.
    n_seen, n_labels : int
        Numbers of samples and labels before the chunk.
    targets_before, targets_after : Targets
        Targets before and after the chunk.
    stage : {"begin", "learn"}
    """

    order: np.ndarray
    choice: dict | None
    first: int
    n_seen: int
    n_labels: int
    targets_before: Targets
    targets_after: Targets
    stage: str = "begin"

    def as_dict(self):
        """Return plain values, to be stored."""
        before, after = self.targets_before.as_dict(), self.targets_after.as_dict()
        return vars(self) | dict(targets_before=before, targets_after=after)

    @classmethod
    def from_dict(cls, fields, kind):
        """Return the position that :meth:`as_dict` has stored; ``kind``: class of the targets."""
        of_kind = {
            name: kind.from_dict(fields[name]) for name in ("targets_before", "targets_after")
        }
        return cls(**fields | of_kind)


def partial_fit(model, X, y, classes, sample_weight):
    """Train the model on the next chunk of a stream; invalid input leaves it unchanged."""
    uncertain = 0.0  # if a callback stops the training: ``reporting`` ends the block then
    with (
        model._guard,
        reporting(model, "partial_fit", X, y, sample_weight, n_blocks),
        DeferredInterrupts(),
    ):
        uncertain = model._train_on_next_chunk(X, y, classes, sample_weight)
        warn_if_cut_short(model)
    warn_if_coarse(model, uncertain)
    return model


def begin_chunk(model, X, y, classes, sample_weight):
    """Return validated samples, upper bounds of alpha, and the position in the chunk.

    The first chunk fixes targets and kernel.
    """
    first, new = "_engine" not in vars(model), None
    if first:
        model._validate_params()
    else:
        new = model._changed_params()
    refuse(model, None)
    kind = model._kind_of_targets
    if first or not _is_valid(model, X, y):
        dtype = None if first else model._dtype
        X, y = kind.validated(model, X, y, reset=first, dtype=dtype)
    elif kind.has_y:
        y = np.asarray(y)
    if first:
        model._targets = kind.of_stream(model, y, classes)
    encoded = model._targets.encode_chunk(X, y)
    if sample_weight is None:
        weights = np.ones(X.shape[0])
    else:
        weights = check_weights(sample_weight, X, allow_all_zero=True)
    if first:
        X = _begin_stream(model, X, encoded, weights)
    cost, after = model._targets.costs(model, encoded, weights)
    order, first_id = np.arange(len(cost)), model._next_row_id
    at = ChunkPosition(
        first=first_id,
        n_seen=model.n_samples_seen_,
        n_labels=vars(model).get("n_labels_used_", 0),
        targets_before=model._targets,
        targets_after=after.after(model, encoded),
        **model._choice.begun(model, order, encoded, cost, model.random_state, first_id),
    )
    if new is not None:
        with model._engine.guard:
            model._engine.check(X)  # training would find the same errors, but too late
    # All input is valid: only from here on is a fitted model changed.
    vars(model).pop("_checkpoint", None)
    if new is not None:
        model._apply_params(new)
    return (X, encoded, weights), cost, at


def _is_valid(model, X, y):
    """Return whether a chunk needs no validation; its labels are validated by the targets."""
    if not can_skip_validation(model, X, model._dtype):
        return False
    return not model._kind_of_targets.has_y or y is not None and np.shape(y) == (X.shape[0],)


def _begin_stream(model, X, encoded, weights):
    """Set the kernel and an empty engine; return X in the dtype of the kernel."""
    model._warn_of_small_chunk(X)
    weighted = weights if weights.any() else np.ones(X.shape[0])
    X = fix_kernel(model, X, encoded, weighted, fewest=MIN_FIRST_CHUNK)
    model._engine = model._spec.build()
    model.n_samples_seen_ = model._next_row_id = 0
    model.n_iter_ = 1
    model.kkt_violation_ = np.inf
    return X


def train_on_chunk(model, rows, cost, at):
    """Train on validated samples; return the uncertainty of decisions (see ``coarseness``).

    The counts of samples and labels are correct even after an exception.
    """
    X, encoded, weights = rows
    engine, first, n_rows, whole = model._engine, at.first, X.shape[0], False
    order, stage = at.order, at.stage
    in_order = at.choice is None and len(order) == n_rows
    row_ids = first + (order if in_order else np.arange(n_rows))
    choice = model._choice(model, order, at.choice, X, encoded, cost, row_ids, STREAM)
    before, after = at.targets_before, at.targets_after

    def count(_=None):
        # Selected samples may come from anywhere in the chunk: then the whole chunk counts.
        n_processed = choice.n_labels if stage == "learn" else 0
        all_count = whole or (n_processed > 0 and not in_order)
        n = n_rows if all_count else n_processed
        model.n_samples_seen_, model._next_row_id = at.n_seen + n, first + n
        model.n_labels_used_ = at.n_labels + n_processed
        return n

    def count_all():
        n = count()
        model._stopped_early = choice.stopped
        part = encoded[:n], weights[:n]
        model._targets = after if n == n_rows else before.after_part(after, *part)
        if model._keeps_samples or model._samples is not None:
            keep(model, KeptSamples.after_chunk(model, rows, first, n))

    def attributes():
        count_all()
        now = replace(at, stage=stage, **choice.state)
        checkpoint = checkpoint_of(model, "partial_fit", rows, cost, now)
        return {**model._attributes_of_copy(), "_checkpoint": copy.deepcopy(checkpoint)}

    def position():
        return engine.n_processed

    if "_tasks" in vars(model):
        model._tasks.attributes = attributes
    progress = count if n_rows > BLOCK else None
    begin = 0 if stage == "begin" else position()
    try:
        with (
            sample_tasks(
                model, len(order), position, progress, order=choice.order, first=begin
            ) as report,
            engine.guard,
            thread_pool(model.n_jobs, n_rows) as threads,
            choice,
        ):
            reserve, outdated = _reserve(model)
            if stage == "begin":
                engine.begin_pass(None)
                engine.allow(_NO_LIMIT)  # steps per sample are limited by max_reprocess
                # Otherwise training finds invalid samples before it changes anything.
                if n_rows > BLOCK or outdated:
                    engine.check(X)
                stage = "learn"
            for problem in outdated:
                problem.reserve = reserve
            if report is not progress:
                report = unguarded(report, engine.guard)
            engine.learn(choice.X, choice.order, choice.given, threads, engine.n_processed, report)
            whole = True
            return _uncertainty_if_due(model, first, n_rows)
    except KeyboardInterrupt as error:
        if model._engine is engine:  # otherwise the origin has been moved after the last sample
            at = replace(at, stage=stage, **choice.state)
            note_interrupt(model, error, "partial_fit", rows, cost, at)
        raise
    finally:
        count_all()


def _uncertainty_if_due(model, first, n_rows):
    """Return the uncertainty of decisions after a chunk, or 0 below the warning threshold."""
    # Checked only each time the number of samples has doubled.
    if (first + n_rows).bit_length() == first.bit_length():
        return 0.0
    recentre_if_coarse(model)
    return coarseness(model)


def _reserve(model):
    """Return the reserve of problems with a bias, and the problems that have another one.

    It is 0 within a budget, and with ``finishing=False``.
    """
    solver = model._spec.solver
    reserve = RESERVE if model.finishing and solver.budget == 0 else 0
    problems = model._engine.problems if solver.has_bias else ()
    return reserve, [problem for problem in problems if problem.reserve != reserve]


def start_from(model, X, y, classes, alpha, bias):
    """Return the model with these support vectors, optimized over them.

    Signed ``alpha`` has shape (n_problems, n_SV). Where the optimum leaves an interval for the
    bias, it is the given one.
    """
    (X, codes, _), cost, at = begin_chunk(model, X, y, classes, None)
    rows, engine = np.arange(len(codes)), model._engine
    given = model._targets.samples(codes, cost, rows, DATA)
    engine.seed(X, rows, given, engine.moved(given, rows, alpha))
    model.n_samples_seen_ = model._next_row_id = model.n_labels_used_ = len(codes)
    model._targets = at.targets_after
    _finish(model, FinishPosition())
    moved = model._engine.current_solution().bias + (bias - model.intercept_)
    state = model._engine.state()
    for problem, b in zip(state["problems"], moved, strict=True):
        scalars = problem["scalars"]  # b, and from 3 on the ends of its interval
        scalars[0] = np.clip(b, *np.sort(scalars[3:]))
    model._engine = model._spec.build()
    model._engine.restore(state)
    return model


# -------------------------------------------------------------------------------- finish, resume


@dataclass(frozen=True)
class FinishPosition:
    """Where ``finish`` is."""

    stage: str = FINISH_STAGES[0]

    def as_dict(self):
        """Return plain values, to be stored."""
        return dict(vars(self))


def finish(model):
    """Optimize over the support set."""
    with model._guard, DeferredInterrupts():
        check_is_fitted(model)
        new = model._changed_params()
        if new is not None:
            model._apply_params(new)
        vars(model).pop("_checkpoint", None)
        uncertain = _finish(model, FinishPosition())
        warn_unless_solved(model)
    warn_if_coarse(model, uncertain)
    return model


def _finish(model, at):
    """Optimize over the support set, again if the origin of the features has been moved.

    Returns the uncertainty of decisions (see ``coarseness``).
    """
    title = f"[{type(model).__name__}]"
    try:
        with thread_pool(model.n_jobs) as threads:
            for stage in FINISH_STAGES[FINISH_STAGES.index(at.stage) :]:
                at = FinishPosition(stage)
                with model._engine.guard:
                    if stage == "recentre" and not recentre_if_coarse(model):
                        break
                    if stage in ("allow", "recentre"):
                        model._engine.allow(most_steps(model._engine))
                    else:
                        finish_with_progress(model._engine, threads, model.verbose, title)
            with model._engine.guard:
                return coarseness(model)
    except KeyboardInterrupt as error:
        note_interrupt(model, error, "finish", None, None, at)
        raise


def resume(model, X, y, sample_weight):
    """Continue the interrupted call; an error changes neither model nor checkpoint."""
    uncertain = 0.0  # if a callback stops the training: ``reporting`` ends the block then
    with training(model, "resume", X, y, sample_weight) as change:
        draft, checkpoint = change.draft, vars(model).get("_checkpoint")
        if checkpoint is None:
            raise ValueError("There is nothing to resume: no call of this model was interrupted.")
        refuse_new_parameters(model, checkpoint)
        rows = None
        if checkpoint["checksums"] is not None:
            rows = same_rows(model, checkpoint, X, y, sample_weight)
        draft._engine = _engine_of(model, checkpoint, rows)
        del draft._checkpoint
        change.is_usable = True
        uncertain = _continued(draft, checkpoint, rows)
    warn_if_coarse(model, uncertain)
    return model


def _continued(model, checkpoint, rows):
    """Continue from a checkpoint; return the uncertainty of decisions."""
    method, cost, at = checkpoint["method"], checkpoint["cost"], checkpoint["at"]
    if method == "fit":
        model._random = None if at["random"] is None else restore_generator(at["random"])
        schedule = model._schedule()
        kind = schedule.kind(model._targets, rows[1])
        return run(model, kind(model, schedule, *rows[:2], cost, kind.Position(**at)), rows)
    if method == "partial_fit":
        uncertain = train_on_chunk(
            model, rows, cost, ChunkPosition.from_dict(at, model._kind_of_targets)
        )
        warn_if_cut_short(model)
        return uncertain
    uncertain = _finish(model, FinishPosition(**at))
    warn_unless_solved(model)
    return uncertain


def _engine_of(model, checkpoint, rows):
    """Return an engine in the state of a checkpoint."""
    state = checkpoint["engine"]
    if state is None:
        with model._engine.guard.reading():
            state = model._engine.state()
    engine = built_engine(model._spec, None if rows is None else rows[0])
    engine.restore(state)
    if checkpoint["method"] == "fit":
        schedule = model._schedule()
        if schedule.kind(model._targets, rows[1]).needs_known(schedule):
            engine.track(*known_slots(engine, rows[1]))
    for problem, read_state in zip(engine.problems, checkpoint["read_states"], strict=True):
        problem.restore_read_state(read_state)  # there may have been predictions since
    return engine
