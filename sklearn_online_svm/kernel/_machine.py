"""The fitted state of an estimator that solves a dual problem: values, and how they are stored."""

from contextlib import contextmanager
from dataclasses import dataclass, field, replace

import numpy as np

from .._threads import thread_pool
from ._analysis._intervals import fitted_intervals
from ._analysis._probabilities import fitted_map
from ._diagnosis import most_steps
from ._joint import Joint, is_joint, joint_of
from ._kept_samples import KeptSamples
from ._new_classes import extended_engine
from ._optimum import Optimum
from ._replay import Replay
from ._spec import EngineSpec
from ._targets import KINDS, ValueTargets

# Fields that are stored as they are.
_PLAIN = (
    *("is_sparse", "n_seen", "n_labels", "next_id", "n_epochs", "violation", "stopped"),
    *("watched", "checkpoint", "memory"),
)

# Steps for predictions after an interrupt, in multiples of those of the training before.
STEPS_AFTER_STOP = 4


@dataclass
class Machine:
    """Engine of an estimator, and what is known of its training.

    Several threads may read a machine while another one trains it. Values that must change
    together are those of a new machine (``replace``).
    """

    spec: EngineSpec  # what the engine was built from
    # Engine or Optimum: support vectors and their alpha. An optimum becomes an engine when
    # training continues.
    trained: object
    targets: object  # Targets: meaning and encoding of y
    is_sparse: bool  # whether the first samples were sparse
    n_seen: int = 0  # number of samples of ``fit`` and of the stream, each counted once
    n_labels: int = 0  # number of those whose label was used
    # Identifier of the next sample. ``n_seen`` is less after an interrupted first epoch.
    next_id: int = 0
    n_epochs: int = 0  # number of epochs of ``fit``
    violation: float = np.inf  # largest violation of the optimality conditions in the last epoch
    stopped: bool = False  # whether a stopping criterion ended the last ``fit`` or chunk
    watched: tuple = ()  # values of the fixed and adjustable parameters, as the engine uses them
    kept: KeptSamples | None = None  # samples kept for probabilities or intervals
    replay: Replay | None = None  # samples of the stream that may be visited again
    checkpoint: dict | None = None  # what ``resume`` continues from, after an interrupt
    # Values of the selection of samples, and of the sequence of convex problems.
    memory: dict = field(default_factory=dict)
    # Plan or None: the plan of the last chunk of a stream, which the next one uses unless
    # parameters have changed. It is not stored.
    plan: object = None
    # The solution over support vectors and replayed samples, after predictions.
    joint: Joint | None = field(default=None, init=False)

    @property
    def dtype(self):
        """The type of the samples."""
        return np.dtype(self.spec.dtype)

    @property
    def optimum(self):
        """What ``fit`` has solved at once, as long as no engine was needed, or None."""
        trained = self.trained
        return trained if isinstance(trained, Optimum) else None

    @property
    def engine(self):
        """The engine; if there is none, it is built from the optimum."""
        optimum = self.optimum
        if optimum is not None:
            with optimum.lock:
                if self.trained is optimum:
                    self.trained = optimum.engine(self.spec, self.targets)
        return self.trained

    # ---------------------------------------------------------------------------- the solution

    def current_solution(self):
        """Return the current solution, not optimized for this call."""
        optimum = self.optimum
        return self.engine.current_solution() if optimum is None else optimum.solution

    def solution(self, finishing, n_jobs):
        """Return the last complete solution; ``finishing``: optimized over the support set."""
        if (optimum := self.optimum) is not None:
            return optimum.solution
        if finishing and is_joint(self):
            self.engine.cached_solution(True)  # refuses calls within training
            with self.engine.guard.reading(), thread_pool(n_jobs) as threads:
                joint = joint_of(self, threads)
                if joint is not None:
                    return joint.solution
        # With a precomputed kernel nothing can be optimized: its matrix is not kept.
        engine, optimized = self.engine, finishing and self.spec.layout != "precomputed"
        solution = engine.cached_solution(optimized)
        if solution is None:
            with thread_pool(n_jobs) as threads:
                solution = engine.solution(optimized, self.most_steps(), threads)
        return solution

    def most_steps(self):
        """Return the maximum number of steps for predictions.

        After a call that was interrupted, or stopped by a callback, predictions must not take
        much longer than it.
        """
        steps = most_steps(self.engine)
        if self.checkpoint is None:
            return steps
        return min(steps, STEPS_AFTER_STOP * max(p.n_changes for p in self.engine.problems))

    @contextmanager
    def reading(self, finishing, n_jobs, *, anew=False):
        """Yield the engine, with the solution that predictions use.

        No other thread can change it inside the context. The solution is optimized from that of
        the last prediction, or with ``anew`` from the online one, which predictions do not change:
        alpha of duplicates, for example, can have many values at the optimum.
        """
        engine, optimized = self.engine, finishing and self.spec.layout != "precomputed"
        with engine.guard.reading():
            if optimized and is_joint(self):
                with thread_pool(n_jobs) as threads:
                    joint = joint_of(self, threads)
                if joint is not None:
                    yield joint.engine(self)
                    return
            state = engine.read_state() if anew else None
            try:
                if anew:
                    engine.discard_optimized()
                if not optimized or engine.is_optimized:
                    engine.prepare(optimized, 0)
                else:
                    with thread_pool(n_jobs) as threads:
                        engine.prepare(optimized, self.most_steps(), threads)
                yield engine
            finally:
                if anew:
                    engine.restore_read_state(state)

    def fitted_to_kept(self, finishing, n_jobs):
        """Return the solution that predictions use and what is fitted to kept samples, or None.

        It is fitted to decision values of the samples, each without it in training. For classes:
        the map to probabilities and the quantiles of prediction sets. For values:
        :class:`Intervals`.
        """
        if self.kept is None:
            return None
        fit = fitted_intervals if isinstance(self.targets, ValueTargets) else fitted_map
        return fit(self, finishing, n_jobs)

    def solution_and_map(self, finishing, n_jobs):
        """Return the solution that predictions use, and its map to probabilities or None."""
        if self.kept is None:
            return self.solution(finishing, n_jobs), None
        solution, (probability_map, _) = self.fitted_to_kept(finishing, n_jobs)
        return solution, probability_map

    def counts(self):
        """Return the numbers of vectors and of kernel values computed."""
        trained = self.trained
        return (0, 0) if trained is None else (trained.n_vectors, trained.n_kernel_evaluations)

    def estimated_cost(self, n_values, n_visits=None):
        """Estimate the time of training, and of the optimization for predictions, in nanoseconds.

        The estimate is based on counts that do not depend on the machine, on the layout of X, on
        threads or on the cache, nor on interrupts but for those of a prediction. Few kernel values
        are needed twice: those of the support set are mostly cached.

        ``n_values``: average number of nonzero values per sample. ``n_visits``: number of samples
        visited, counting each epoch; by default ``n_seen``.

        Returns ``steps``: part that does not depend on the number of support vectors.
        ``by_support``: remaining part: kernel values and gradient updates.
        """
        trained, n_visits = self.trained, self.n_seen if n_visits is None else n_visits
        if self.optimum is not None:
            by_pair = 2.5 + 0.02 * n_values
            steps, n_pairs = 200.0 * trained.n_changes, trained.n_kernel_evaluations
            return steps + 400.0 * n_visits, by_pair * n_pairs + 0.3 * trained.n_operations
        by_pair = 0.2 + 0.015 * n_values
        by_support = by_pair * n_visits * trained.n_vectors + 0.8 * trained.n_operations
        return 800.0 * trained.n_changes, by_support

    # ---------------------------------------------------------------------------- replay

    def begin_replay(self, size, first=0):
        """Begin a reservoir of so many samples, with that in this position; 0: have none."""
        self.replay = self.joint = None
        if size:
            self.replay = Replay.of_stream(size, self.spec, self.targets.n_classes, first)

    # ---------------------------------------------------------------------------- new classes

    def extended(self, classes):
        """Return a machine with problems for new classes.

        The negative samples of these problems are the vectors of the engine.
        """
        targets, places = self.targets.extended(classes)
        numbers = dict(n_problems=targets.n_problems, one_vs_one=targets.one_vs_one)
        spec = replace(self.spec, **numbers)
        engine = extended_engine(self.engine, spec, places)
        memory = self.memory
        if "class_rows" in memory:
            class_rows = np.zeros(len(targets.classes), np.int64)
            class_rows[places] = memory["class_rows"]
            minority = int(places[memory["minority"]])
            memory = memory | dict(class_rows=class_rows, minority=minority)
        kept = None if self.kept is None else self.kept.recoded(places)
        replay = None
        if self.replay is not None:
            replay = self.replay.recoded(places, len(targets.classes))
        values = dict(trained=engine, targets=targets, kept=kept, replay=replay, memory=memory)
        return replace(self, spec=spec, plan=None, **values)

    # ---------------------------------------------------------------------------- pickles

    def as_dict(self):
        """Return arrays and numbers, without the kernel cache."""
        optimum, engine, replay, joint = self.optimum, None, None, None
        if optimum is None:
            with self.engine.guard.reading():
                engine = self.engine.state()
                if self.replay is not None:
                    self.replay.begin_at(self.next_id)  # a call may have failed before training
                    replay = self.replay.state()
                joint = None if self.joint is None else self.joint.state()
        else:
            optimum = optimum.as_dict()
        state = {name: getattr(self, name) for name in _PLAIN}
        targets = {"kind": type(self.targets).__name__} | self.targets.as_dict()
        state |= dict(spec=self.spec.as_dict(), targets=targets, engine=engine, optimum=optimum)
        state["kept"] = None if self.kept is None else self.kept.state()
        return state | dict(replay=replay, joint=joint)

    @classmethod
    def from_dict(cls, state):
        """Return the machine that :meth:`as_dict` has stored."""
        spec = EngineSpec.from_state(state["spec"])
        if state["optimum"] is not None:
            trained = Optimum.from_dict(state["optimum"], spec)
        else:
            trained = spec.build()
            trained.restore(state["engine"])
        kept = state["kept"]
        if kept is not None:
            kept = KeptSamples.from_state(kept, spec.n_features)
        replay, joint = state["replay"], state["joint"]
        if replay is not None:
            replay = Replay.from_state(replay, spec.n_features)
        fields = dict(state["targets"])
        targets = KINDS[fields.pop("kind")].from_dict(fields)
        values = dict(spec=spec, trained=trained, targets=targets)
        values |= {name: state[name] for name in _PLAIN}
        machine = cls(**values, kept=kept, replay=replay)
        if joint is not None:
            machine.joint = Joint.from_state(joint, spec)
        return machine
