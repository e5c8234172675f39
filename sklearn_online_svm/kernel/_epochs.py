"""Training on samples in memory, as a sequence of stages.

The state of a run of epochs is a :class:`Position`. Each stage returns the next one. An interrupt
is raised only by the engine: between two blocks of samples or two steps of ``finish``, or in a
slow block, which is then taken back. So the position and the state of the engine are a complete
checkpoint. (``partial_fit`` does not pass here.)
"""

import time
from dataclasses import dataclass, replace

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from .. import _limits
from .._core.kernel.vectors.support_set import DATA
from .._tasks import epoch, optimization
from .._validation import thread_pool, warn
from ._diagnostics import (
    advice,
    is_solved,
    violation_among_members,
    warn_if_cut_short,
    warn_unless_solved,
)
from ._progress import finish_with_progress, progress

# Part of the samples, and its smallest and largest size, from which the excess is estimated.
SCORED_SHARE, LEAST_SCORED, MOST_SCORED = 0.02, 250, 1000

# Share of the steps left that ``finish`` may make between two epochs. A slow optimization over the
# support set would otherwise leave no steps for the samples outside of it.
FINISH_SHARE = 0.1


@dataclass(frozen=True)
class Position:
    """Where a run of epochs is, in plain values: what it needs to continue.

    Parameters
    ----------
    order : ndarray of int64
        Samples of the current epoch, in their order.
    choice : dict or None
        State of a sample selection.
    random : dict or None
        State of the generator of later orders.
    stage : str
        Name of the next stage; ``"over"`` at the end.
    n_pass : int
        Number of the current epoch, from 1.
    n_changes : int
        Count of the engine at the beginning of the epoch.
    n_rounds : int
        Number of optimizations over the support set in this epoch.
    patience : dict or None
        Result of :meth:`Passes.count_round`.
    """

    order: np.ndarray
    choice: dict | None = None
    random: dict | None = None
    stage: str = "begin"
    n_pass: int = 1
    n_changes: int = 0
    n_rounds: int = 0
    patience: dict | None = None

    def as_dict(self):
        """Return plain values, to be stored."""
        return dict(vars(self))


@dataclass(frozen=True)
class Schedule:
    """How often ``fit`` visits the samples.

    Parameters
    ----------
    passes : type
        Class of the stages, a subclass of :class:`Passes`.
    most_passes : int or "auto"
        ``max_iter``, but 1 for "auto" where a single epoch is possible only.
    tol : float
    finishing : bool
        Whether each epoch ends with an optimization over the support set.
    starts_warm : bool
    in_batch : bool
        Whether all samples can be optimized at once.
    """

    passes: type
    most_passes: int | str
    tol: float
    finishing: bool = True
    starts_warm: bool = False
    in_batch: bool = False

    def kind(self, targets, encoded):
        """Return the class of the stages for these samples."""
        small = self.most_passes == "auto" and is_small(len(encoded))
        if small and self.in_batch and not self.starts_warm:
            # Where gradients are rounded by more than tol, epochs come closer to the optimum.
            return BatchPasses if self.tol >= targets.rounding(encoded) else self.passes
        return self.passes

    def is_exact(self, n_rows):
        """Return whether the result is the optimum; "auto" is mostly an epoch of large sets."""
        return is_small(n_rows) if self.most_passes == "auto" else self.most_passes != 1

    @property
    def is_single(self):
        """Whether each sample is visited once."""
        return self.most_passes == 1 and not self.starts_warm

    @property
    def n_tasks(self):
        """Number of tasks, if it is known: epochs and optimizations."""
        return 1 + self.finishing if self.most_passes == 1 else None


class Passes:
    """Epochs over samples in memory; a subclass defines the stages after ``learn``.

    Parameters
    ----------
    model : KernelMachine
        Its ``_engine`` is trained.
    schedule : Schedule
    X, encoded, cost : samples, what is learned of them, upper bounds of alpha
    at : Position
    """

    Position = Position

    # Stop after so many rounds without an increase if no violation exceeds tol, and otherwise
    # after _limits.IDLE_ROUNDS. Samples with equal gradients, such as duplicates, may replace
    # each other in the support set in every epoch.
    idle_rounds_within_tol = 3

    def __init__(self, model, schedule, X, encoded, cost, at):
        self.model, self.engine, self.schedule = model, model._engine, schedule
        self.X, self.encoded, self.cost = X, encoded, cost
        self.at = at
        self.row_ids = np.arange(X.shape[0])
        self.title = f"[{type(model).__name__}]"
        self.start = time.perf_counter()

    @staticmethod
    def needs_known(schedule):
        """Return whether the engine needs the slots of all samples: not for a single epoch."""
        return True

    @classmethod
    def first_position(cls, model, schedule, encoded, cost):
        """Return the position before the first epoch."""
        model.n_labels_used_, model._stopped_early = 0, False
        begun = model._choice.begun(model, model._order, encoded, cost, model._random)
        random = None if schedule.most_passes == 1 else model._random.get_state(legacy=False)
        return Position(**begun, random=random)

    def run(self):
        stages = self.stages()
        with thread_pool(self.model.n_jobs) as self.threads:
            while self.at.stage != "over":
                self.at = stages[self.at.stage]()

    def stages(self):
        """Return the function of each stage by its name."""
        return dict(begin=self.begin, learn=self.learn, finish=self.finish, refresh=self.refresh)

    def go_to(self, stage, **changes):
        """Return the position at a stage, with further changes."""
        return replace(self.at, stage=stage, **changes)

    @property
    def visited(self):
        """The samples that the model has been trained on, in their order."""
        return self.at.order[: self.model.n_samples_seen_ if self.at.n_pass == 1 else None]

    def begin(self):
        needs_known = self.needs_known(self.schedule)
        self.engine.begin_pass(*known_slots(self.engine, self.encoded) if needs_known else ())
        self.start = time.perf_counter()
        return self.go_to("learn", n_changes=self.engine.n_changes, n_rounds=0)

    def learn_rows(self, given, X=None, order=None):
        """Process the rest of the current epoch, or the given samples in the given order."""
        order = self.at.order if order is None else order
        engine, begin, n = self.engine, self.engine.n_processed, len(order)
        X = self.X if X is None else X

        def position():
            return engine.n_processed

        with (
            progress(engine, n, self.model.verbose, self.title) as report,
            epoch(self.model, n, position, report, order=order, first=begin) as report,
        ):
            engine.learn(X, order, given, self.threads, begin, report)

    def finish(self):
        """Optimize over the support set."""
        share = 1.0 if self.is_last_epoch() else FINISH_SHARE
        with optimization(self.model) as report:
            verbose = self.model.verbose
            finish_with_progress(self.engine, self.threads, verbose, self.title, share, report)
        n_rounds = self.at.n_rounds + 1
        exactly = self.is_exact and n_rounds <= _limits.MAX_REFRESHES
        return self.go_to("refresh" if exactly else self.after_finishing, n_rounds=n_rounds)

    def refresh(self):
        """Recompute all gradients, and finish again if that reveals violations."""
        self.engine.refresh()
        over = is_solved(self.engine) or self.engine.out_of_share
        return self.go_to(self.after_finishing if over else "finish")

    @property
    def now(self):
        """The state of the run, also within a stage."""
        return self.at

    def note_progress(self):
        """Set the attributes of the model that depend on the progress within a stage."""

    def is_last_epoch(self):
        """Return whether no other samples are processed after the next ``finish``."""
        return False

    def report(self):
        if not self.model.verbose:
            return
        members = sum(problem.members.n_members for problem in self.engine.problems)
        print(
            f"{self.title} epoch {self.at.n_pass}: {members} vectors in the support set, "
            f"largest violation {self.model.kkt_violation_:.3g}, "
            f"{self.engine.n_kernel_evaluations:,} kernel values, "
            f"{time.perf_counter() - self.start:.1f} s"
        )

    def count_round(self, patience):
        """Count the rounds, and those without an increase; ``patience``: the counts, or None."""
        objective = float(sum(problem.objective for problem in self.engine.problems))
        if patience is None:
            return dict(best=objective, n_rounds=1, idle=0)
        best, gained = (
            patience["best"],
            objective > patience["best"] + 1e-13 * abs(patience["best"]),
        )
        return dict(
            best=objective if gained else best,
            n_rounds=patience["n_rounds"] + 1,
            idle=0 if gained else patience["idle"] + 1,
        )


class OnlinePasses(Passes):
    """``max_iter`` epochs of LASVM; if several, the support set is optimized after each.

    Training stops after an epoch that changes nothing, and with ``max_iter="auto"`` when another
    one would change little (see ``assess``).
    """

    @staticmethod
    def needs_known(schedule):
        return not schedule.is_single

    def stages(self):
        return super().stages() | dict(assess=self.assess, next=self.next, end=self.end)

    def __init__(self, model, schedule, X, encoded, cost, at):
        super().__init__(model, schedule, X, encoded, cost, at)
        most = schedule.most_passes
        self.until_converged, self.is_auto = most == -1, most == "auto"
        self.n_passes = _limits.MAX_EPOCHS if self.until_converged or self.is_auto else most
        self.finishing = self.until_converged or schedule.finishing
        self.after_finishing = "assess" if self.is_auto else "next"

    @property
    def is_exact(self):
        """Whether gradients are recomputed before the support set counts as optimal."""
        if self.is_auto and self.at.n_pass == 1:
            return self.is_cheap()
        return self.n_passes > 1

    def is_last_epoch(self):
        if self.is_auto:
            return self.at.n_pass == 1 and not is_small(self.X.shape[0])
        return self.at.n_pass == self.n_passes

    def is_cheap(self):
        """Return whether the optimum over all samples costs little."""
        n_rows = self.X.shape[0]
        if not is_small(n_rows):
            return False
        n_values = np.count_nonzero(self.X if isinstance(self.X, np.ndarray) else self.X.data)
        n_visits = self.at.n_pass * n_rows
        return sum(self.model._estimated_cost(n_values / n_rows, n_visits)) < _limits.SHORT_TIME

    def begin(self):
        self.model.n_iter_ = self.at.n_pass
        return super().begin()

    def learn(self):
        model, engine, at = self.model, self.engine, self.at
        rows = self.X, self.encoded, self.cost, self.row_ids
        choice = model._choice(model, at.order, at.choice, *rows, DATA)
        self.choice, n_seen = choice, None
        try:
            with choice:
                self.learn_rows(choice.given, choice.X, choice.order)
            n_seen = len(self.encoded)
        finally:
            self.note_progress(n_seen)
            self.at = self.now
        if self.at.n_pass == 1 and choice.leaves_out:
            self.warn_of_unused_classes(choice.order[: engine.n_processed])
        unchanged = engine.n_changes == self.at.n_changes
        done = self.n_passes > 1 and unchanged and (is_solved(engine) or not self.finishing)
        model.kkt_violation_ = engine.violation_left() if done else engine.violation_met()
        if done:
            self.report()
            return self.go_to("end")
        return self.go_to("finish" if self.finishing else "next")

    @property
    def now(self):
        return replace(self.at, **self.choice.state) if self.at.stage == "learn" else self.at

    def note_progress(self, n_seen=None):
        if self.at.n_pass == 1 and self.at.stage == "learn":
            model, choice = self.model, self.choice
            model.n_labels_used_ = choice.n_labels
            model.n_samples_seen_ = choice.n_labels if n_seen is None else n_seen
            model._stopped_early = choice.stopped

    def warn_of_unused_classes(self, used):
        """Warn if the samples used leave out a class; others than those of X are virtual."""
        n_classes = len(self.model.classes_)
        given = np.bincount(self.encoded[self.cost > 0.0], minlength=n_classes) > 0
        known = np.bincount(self.encoded[used[used < len(self.encoded)]], minlength=n_classes) > 0
        unused = self.model.classes_[given & ~known].tolist()
        if unused:
            warn(
                f"No sample of the classes {unused} was selected for training, so they are never "
                f"predicted. Increase max_labels (got {self.model.max_labels}).",
            )

    def assess(self):
        """Estimate what another epoch would change; end if that is little and not cheap.

        The samples are drawn with a probability proportional to C, one from each of n strata.
        """
        if self.is_cheap():
            return self.go_to("next")
        model, used = self.model, self.model._choice.used(self.model, self.at.order)
        targets = model._targets
        total = np.cumsum(np.where(np.isinf(self.cost[used]), 1.0, self.cost[used]))
        n = min(max(LEAST_SCORED, int(SCORED_SHARE * len(used))), MOST_SCORED)
        places = np.arange(n) + np.random.default_rng(self.at.n_pass).random(n)
        rows = used[np.searchsorted(total, places * (total[-1] / n)).clip(max=len(used) - 1)]
        scores = np.empty((n, len(self.engine.problems)))
        self.engine.current_solution().decide(self.X[rows], scores, self.threads)
        encoded = self.encoded[rows]
        given = targets.samples(encoded, self.cost[rows], self.row_ids[rows], DATA)
        violation = self.engine.violations(given, scores)
        violation[violation <= targets.tolerance(model.tol)] = 0.0
        scale = targets.scale(scores, encoded, self.engine)
        n_support = max(
            np.count_nonzero(p.members["alpha"][p.slots()]) for p in self.engine.problems
        )
        over = n_support < _limits.AUTO_SUPPORT_SHARE * len(used)
        over = over and not is_above(_limits.AUTO_EXCESS * scale, violation)
        if not over and self.at.n_pass < _limits.MAX_AUTO_EPOCHS:
            return self.go_to("next")
        self.report()
        if not over:
            loss = np.nanmean(violation, axis=1).max()
            warn(
                f"{type(model).__name__} stopped after {_limits.MAX_AUTO_EPOCHS} epochs: the mean "
                f"loss that further ones could remove is about {loss:.2g}. "
                f"{advice(model)}",
                ConvergenceWarning,
            )
        return self.go_to("end")

    def next(self):
        """Start another epoch if one is due and may improve the model."""
        model, n_pass, patience = self.model, self.at.n_pass, self.at.patience
        self.report()
        if self.finishing and self.engine.out_of_steps:
            return self.go_to("end")
        tol = model._targets.tolerance(model.tol)
        within_tol = is_solved(self.engine) and model.kkt_violation_ <= tol
        if n_pass < self.n_passes:
            patience = self.count_round(patience)
            most = self.idle_rounds_within_tol if within_tol else _limits.IDLE_ROUNDS
            if not self.finishing or patience["idle"] < most:
                order = self.next_order()
                random = model._random.get_state(legacy=False)
                return Position(order, None, random, n_pass=n_pass + 1, patience=patience)
        if self.until_converged and not within_tol:
            warn(
                f"{type(model).__name__} did not converge within {n_pass} epochs: the largest "
                f"violation of the last epoch was {model.kkt_violation_:.3g}, tol is "
                f"{model.tol:.3g}. "
                f"{advice(model)}",
                ConvergenceWarning,
            )
        return self.go_to("end")

    def next_order(self):
        """Return the order of another epoch, over samples whose label has been used."""
        used = self.model._choice.used(self.model, self.at.order)
        return used[next_order(self.model, len(used))]

    def end(self):
        """Warn if the problem is not solved."""
        if self.finishing:
            warn_unless_solved(self.model)
        else:
            warn_if_cut_short(self.model)
        return self.go_to("over")


class BatchPasses(Passes):
    """A single optimization over all samples, in memory that grows with their number.

    All samples are added to the support set with alpha = 0. After ``finish`` the engine is
    replaced by one with the vectors that remain.
    """

    @staticmethod
    def needs_known(schedule):
        return False

    def run(self):
        model, engine, n_rows = self.model, self.engine, len(self.encoded)
        given = model._targets.samples(self.encoded, self.cost, self.row_ids, DATA)
        with thread_pool(model.n_jobs) as threads:
            if self.at.stage == "begin":
                model.n_iter_, model.n_samples_seen_ = 1, 0
                engine.begin_pass()
                with epoch(model, n_rows):
                    self.add_all(given, threads)
                    model.n_samples_seen_ = model.n_labels_used_ = n_rows
                    self.at = self.go_to("finish")  # a callback may store the model now
            while self.at.stage != "over":  # each of the two may be interrupted
                if self.at.stage == "finish":
                    with optimization(model) as report:
                        finish_with_progress(
                            engine, threads, model.verbose, self.title, report=report
                        )
                    n_rounds = self.at.n_rounds + 1
                    exactly = n_rounds <= _limits.MAX_REFRESHES
                    self.at = self.go_to("refresh" if exactly else "over", n_rounds=n_rounds)
                else:
                    engine.refresh()  # recomputed gradients may reveal violations
                    over = is_solved(engine) or engine.out_of_share
                    self.at = self.go_to("over" if over else "finish")
        model.kkt_violation_ = violation_among_members(engine)
        self.report()
        warn_unless_solved(model)
        self.keep_needed(given)

    def add_all(self, given, threads):
        """Add all samples to the support set, with alpha = 0."""
        rows = by_class(self.model, self.encoded, np.flatnonzero(self.cost > 0.0))
        g, empty = self.model._targets.linear_terms(self.encoded)[:, rows], self.engine.state()
        fits = 8 * len(rows) ** 2 < self.model.cache_size * 2**20
        try:
            self.engine.seed(self.X, rows, given, np.zeros(g.shape), g, fits, threads)
        except BaseException:  # as Ctrl-C within a kernel function
            self.engine.restore(empty)
            raise

    def keep_needed(self, given):
        """Replace the engine by one with the vectors that remain."""
        alpha = np.zeros((len(self.engine.problems), len(self.encoded)))
        g = np.full(alpha.shape, np.nan)
        for problem, alpha_of, g_of in zip(self.engine.problems, alpha, g, strict=True):
            slots, members = problem.slots(), problem.members
            ids = members["row_id"][slots]
            alpha_of[ids], g_of[ids] = members["alpha"][slots], lower_gradients(problem, slots)
        n_evaluations = self.engine.n_kernel_evaluations
        kept = engine_with(self.model, self.X, self.encoded, given, alpha, g, n_evaluations)
        for problem, former in zip(kept.problems, self.engine.problems, strict=True):
            problem.allow(former.steps_left)
        self.model._engine = kept


def built_engine(spec, X):
    """Return an empty engine for the epochs of ``fit``."""
    engine = spec.build()
    if spec.layout == "precomputed":
        engine.store.attach(X)
    return engine


def next_order(model, n_rows):
    """Return the order of an epoch over so many samples."""
    order = model._random.permutation(n_rows) if model.shuffle else np.arange(n_rows)
    return order.astype(np.int64, copy=False)


def is_small(n_rows):
    """Return whether max_iter="auto" optimizes over all of so many samples if that is possible."""
    return n_rows <= _limits.SMALL_SET


def is_above(limits, values):
    """Return whether a mean over samples is above its limit, by more than chance explains.

    Parameters
    ----------
    limits : ndarray of shape (n_problems,)
    values : ndarray of shape (n_problems, n_samples)
        NaN for samples that do not belong to a problem.
    """
    n_problems, n = len(values), np.maximum(1, (~np.isnan(values)).sum(axis=1))
    means = np.nansum(values, axis=1) / n
    errors = np.sqrt(np.nansum((values - means[:, None]) ** 2, axis=1)) / n
    # The largest of several estimates is above its true value by more than one standard error.
    n_errors = np.sqrt(max(1.0, 2.0 * np.log(n_problems)))
    return bool((means - n_errors * errors > limits).any())


def lower_gradients(problem, slots):
    """Return g of the members in ``slots``, in regression that of the lower side of the tube."""
    members = problem.members
    return members["g"][slots] - members.width * (members["y"][slots] < 0)


def engine_with(model, X, encoded, given, alpha, g, n_evaluations):
    """Return an engine with a solution over the samples of X, and only the vectors it needs.

    Parameters
    ----------
    model : KernelMachine
    X, encoded, given : samples
    alpha, g : ndarray of shape (n_problems, n_samples)
        g is NaN outside of the support set; in regression it is that of the lower side.
    n_evaluations : int
        Number of kernel values computed for the solution.
    """
    rows = by_class(model, encoded, np.flatnonzero(~np.isnan(g).all(axis=0)))
    engine = built_engine(model._spec, X)
    engine.seed(X, rows, given, alpha[:, rows].copy(), g[:, rows])
    engine.allow(0)  # no steps: finish only updates what follows from the solution
    engine.finish()
    engine.count(n_evaluations)
    return engine


def by_class(model, encoded, rows):
    """Return the rows in an order by class, if there is a problem for each pair of classes.

    A block of them then has samples of few classes, and so belongs to few pairs.
    """
    if not model._targets.one_vs_one:
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
        slots = problem.slots()
        slots = slots[problem.members["origin"][slots] == DATA]
        rows, n = problem.members["row_id"][slots], n_rows
        if one_vs_one:
            first, second = problem.classes
            n = counts[first] + counts[second]
            begins = np.where(encoded[rows] == first, order[1][first], order[1][second])
            rows = places[rows] - begins + counts[first] * (encoded[rows] == second)
        known.append(np.full(n, -1, dtype=np.int32))
        known[-1][rows] = slots
    return known, order
