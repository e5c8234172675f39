"""State of a kernel model with one update per sample: the expansion and its update loop."""

from contextlib import nullcontext
from dataclasses import dataclass

import numpy as np

from ..._core.interrupts import DeferredInterrupts
from ..._core.kernel.dual.votes import Votes
from ..._core.kernel.expansion import expansion_budgets
from ..._core.kernel.expansion.dictionary import DictionaryExpansion
from ..._core.kernel.expansion.expansion import KernelExpansion
from ..._core.linear.rows import Dataset
from ..._core.linear.update_loop import UpdateLoop
from ..._sample_arrays import sample_arrays
from ..._tasks import unguarded
from ..._threads import blas_threads
from ..._updates import UpdateSpec, class_weights
from ..._validation import can_skip_validation, check_samples
from .._epochs import Rows
from .._first_samples import (
    choose_layout,
    fixed_values,
    refuse_other_than_square,
    warn_of_small_chunk,
)
from .._kept_samples import stack
from .._new_classes import extended_expansion
from .._replay import Replay
from .._spec import VectorSpec, is_function

# Budget maintenance strategies.
POLICIES = {
    "margin": expansion_budgets.Margin,
    "projection": expansion_budgets.Projection,
    "merging": expansion_budgets.Merging,
}

# A sample with a squared distance below this share of K(x, x) from the span of the dictionary does
# not join it. Kernel values are rounded to single precision.
LEAST_DISTANCE = 1e-4
# Number of vectors whose covariance no machine can store.
MOST_VECTORS = 2**24


@dataclass(frozen=True)
class ExpansionSpec(VectorSpec):
    """Specification of an empty expansion; plain values, so that it can be pickled."""

    budget: int | None = None
    policy: str = "projection"  # or "dictionary"
    average: str | None = None
    joint: bool = False  # multi_class="crammer_singer"
    decay: float = 1.0  # of a dictionary
    # Whether there is a problem for each pair of classes: the compression of such a model.
    one_vs_one: bool = False

    def build(self):
        """Return an expansion without vectors."""
        if self.policy == "dictionary":
            most = min(self.budget, MOST_VECTORS)
            return DictionaryExpansion(
                self.store(), self.n_problems, most, LEAST_DISTANCE, self.decay
            )
        budget = votes = None
        if self.budget is not None:
            budget = POLICIES[self.policy](self.budget, self.n_problems)
        if self.average == "vote":
            votes = Votes(self.n_problems, self.joint and self.n_problems > 1)
        averaged = self.average == "mean"
        return KernelExpansion(self.store(), self.n_problems, budget, averaged, votes)


class Chunk:
    """A chunk of a stream from position ``first`` on, then the samples visited again with it."""

    def __init__(self, X, targets, weights, first):
        cost = np.ones(len(targets)) if weights is None else weights
        self.rows, self.first = Rows(X, targets, cost, cost), first
        # Visits in their order, and numbers of new samples before them; None: those of the chunk.
        self.order = self.n_before = None
        self.X, self.targets, self.weights = X, targets, weights

    def visit_again(self, order, replayed):
        """Add samples that are visited again; see :meth:`Replay.visit`."""
        self.order = order
        self.n_before = np.append(0, np.cumsum(order < len(self.targets)))
        self.X = stack([self.X, replayed["X"]])
        self.targets = np.concatenate([self.targets, replayed["encoded"]])
        self.weights = np.concatenate([self.rows.cost, replayed["cost"]])

    def n_new(self, position):
        """Return how many samples of the chunk come before a position in the order."""
        return position if self.order is None else int(self.n_before[position])


class ExpansionState:
    """Support vectors and coefficients with their update loop; interface of ``LinearState``."""

    # Column subset of the samples: a kernel expansion has none.
    feature_map = None
    # The plan of the next chunk, unless parameters have changed. It is not stored.
    plan = None
    # Samples of a stream that are visited again, or None; and the chunk being learned, or None.
    replay = chunk = None

    @staticmethod
    def validated(estimator, plan, state, X, y, fewest=1):
        """Return validated samples and labels."""
        dtype, is_valid = None if state is None else state.dtype, False
        if state is not None and y is not None and can_skip_validation(estimator, X, dtype):
            y = np.asarray(y)
            is_valid = y.shape == (X.shape[0],)
        if not is_valid:
            layouts = False if plan.params.kernel == "precomputed" else "csr"
            options = dict(reset=state is None, dtype=dtype, accept_sparse=layouts)
            X, y = check_samples(estimator, X, y, **options)
            if not layouts:
                refuse_other_than_square(X)
        if state is not None:
            state.expansion.check(X)
        return X, y

    @classmethod
    def begun(cls, plan, schema, X, weights, start=None):
        """Return samples in the dtype of the kernel, and a state before the first of them.

        ``start`` is given in ``fit`` only.
        """
        params = plan.params
        if start is None:
            warn_of_small_chunk(params, X)
        if weights is None or not weights.any():
            weights = np.ones(X.shape[0])
        kernel, gamma, X = fixed_values(params, X, weights, schema.feature_names)
        spec = plan.expansion(
            n_features=X.shape[1],
            n_problems=schema.n_problems,
            dtype=X.dtype.name,
            layout=choose_layout(X, params.kernel),
            kernel=kernel,
            degree=int(params.degree),
            gamma=gamma,
            coef0=float(params.coef0),
        )
        state = cls(spec, plan.spec_for(schema), not isinstance(X, np.ndarray))
        if start is None:
            state.expansion.check(X)
        return X, state

    def continued(self, estimator, X, spec):
        """Continue training with another specification of the updates, if it is not None."""
        if spec is not None:
            self.loop = self._built(spec, self.counters)
            self.update_spec = spec

    def extended(self, plan, schema, places):
        """Return a copy with functions for new classes, whose negative samples are the vectors."""
        factors = class_weights(plan.params.class_weight, schema.classes)
        if factors is not None:
            factors = factors[places]
        extended = extended_expansion(self, places, len(schema.classes), factors)
        if self.replay is not None:
            extended.replay = self.replay.recoded(places, len(schema.classes))
        return extended

    def __init__(self, spec, update_spec, is_sparse):
        self.spec, self.update_spec, self.is_sparse = spec, update_spec, is_sparse
        self.dtype = np.dtype(spec.dtype)
        self.expansion = spec.build()
        self.loop = self._built(update_spec, None)

    @property
    def counters(self):
        """The counters of the loop."""
        return self.loop.state()

    def _built(self, update_spec, moved):
        loop = UpdateLoop(
            self.expansion,
            None,
            update_spec.rule,
            update_spec.target_margins,
            update_spec.crammer_singer,
        )
        if moved is not None:
            loop.restore(moved)
        return loop

    def samples(self, X):
        """Return samples in the form that the loop takes."""
        return X if isinstance(X, np.ndarray) else sample_arrays(X)

    def expect(self, X, again=False):
        """Assign numbers to the coming samples, None at their end.

        ``again``: they are visited more than once.
        """
        self.loop.position = 0
        self.expansion.expect(0 if X is None else X.shape[0], again)
        if self.spec.layout == "precomputed":
            self.expansion.store.attach(X)

    def saved(self):
        """Return a copy to restore after an error of a callable kernel, else None."""
        if not is_function(self.spec.kernel):
            return None
        saved = type(self)(self.spec, self.update_spec, self.is_sparse)
        saved.loop.restore(self.counters)
        saved.expansion.restore(self.expansion.state())
        saved.replay = None if self.replay is None else self.replay.copy()
        return saved

    def train_chunk(self, X, targets, weights, progress=None):
        """Train on all samples of a chunk, in order.

        Returns -1, as no sample is invalid after ``check``.
        """
        chunk = Chunk(X, targets, weights, self.expansion.n_seen)
        # The position is still that of the call before, which must not be counted again.
        self.loop.position = 0
        with DeferredInterrupts():  # until the update loop checks for them between two blocks
            try:
                with self.expansion.guard:
                    self._begin_chunk(chunk)
                if progress is not None and chunk.order is not None:
                    report = progress

                    def progress(position):
                        report(chunk.n_new(position))

                samples = self.samples(chunk.X)
                dataset = Dataset(samples, chunk.targets, chunk.weights, chunk.order, chunk.X)
                self.train(dataset, progress=progress)
            finally:
                with self.expansion.guard:
                    self._count_chunk(chunk)
                    self.chunk = None
        return -1

    def _begin_chunk(self, chunk):
        """Take in the samples of a chunk; add those that are visited again."""
        size, spec = self.plan.params.replay_size, self.spec
        self.expect(chunk.X)
        self.chunk = chunk
        if not size:
            self.replay = None
            return
        if self.replay is None or self.replay.reservoir.size != size:
            self.replay = Replay.of_stream(size, spec, max(2, spec.n_problems), chunk.first)
        # The rule of a dictionary takes a weight u as u samples; the others, as a longer step.
        is_counted = spec.policy == "dictionary"
        order, replayed = self.replay.visit(chunk.rows, chunk.first, is_counted)
        if replayed is not None:
            chunk.visit_again(order, replayed)
            self.expansion.expect_replayed(replayed["row_ids"])

    def _count_chunk(self, chunk):
        """Let the state have the samples of the chunk that have been learned, and no others."""
        n = chunk.n_new(self.loop.position)
        self.expansion.expect_no_more(chunk.first + n)
        if self.replay is not None:
            self.replay.end_at(chunk.rows, chunk.first, n)

    def train(self, dataset, start=0, purchases=None, progress=None):
        """Run the update loop; Ctrl-C is raised between two blocks of samples."""
        is_dictionary = self.spec.policy == "dictionary"
        with (
            DeferredInterrupts(),
            self.expansion.guard,
            # The matrix products of a dictionary are small.
            blas_threads(1) if is_dictionary else nullcontext(),
        ):
            progress = unguarded(progress, self.expansion.guard)
            return self.loop.train(dataset, start, purchases, None, progress)

    def publish(self):
        """Do nothing: other threads can always read the state."""

    @property
    def n_seen(self):
        """Number of samples seen, each counted once."""
        return self.expansion.n_seen

    def solution(self, finishing, n_jobs):
        """Return the decision function as it was between two blocks of samples."""
        expansion = self.expansion
        solution = expansion.shown()
        if solution is None:
            with expansion.guard.reading():
                solution = expansion.show(self.loop.n_rows)
        return solution

    def solution_and_map(self, finishing, n_jobs):
        """Return the solution, and None: there is no map to probabilities."""
        return self.solution(finishing, n_jobs), None

    def as_dict(self):
        """Return copies of arrays, and numbers, for pickling."""
        with self.expansion.guard.reading():
            if self.chunk is not None:
                self._count_chunk(self.chunk)
            return {
                "spec": self.spec.as_dict(),
                "is_sparse": self.is_sparse,
                "method": vars(self.update_spec),
                "moved": self.counters,
                "expansion": self.expansion.state(),
                "replay": None if self.replay is None else self.replay.state(),
            }

    @classmethod
    def from_dict(cls, state):
        """Rebuild a result of ``as_dict``."""
        specs = ExpansionSpec(**state["spec"]), UpdateSpec(**state["method"])
        self = cls(*specs, state["is_sparse"])
        self.loop.restore(state["moved"])
        self.expansion.restore(state["expansion"])
        if state["replay"] is not None:
            self.replay = Replay.from_state(state["replay"], self.spec.n_features)
        return self
