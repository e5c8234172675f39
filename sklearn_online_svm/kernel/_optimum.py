"""The optimum of problems over samples in memory that were solved at once (``dual/batch.pyx``).

It is what predictions need, and what an engine continues from. As most models only predict, the
engine is built when training continues.
"""

from dataclasses import dataclass, field
from threading import Lock

import numpy as np

from .._core.kernel.dual.batch import NUMBERS, Batch
from .._core.kernel.dual.solution import optimum_of
from .._core.kernel.vectors import stores
from .._core.kernel.vectors.support_set import DATA


def batch_of(spec, targets, encoded, cost, most_steps=0):
    """Return the problems over samples, which have alpha = 0."""
    solver = spec.solver
    return Batch(
        *targets.batch_arguments(encoded, cost),
        **solver.batch_options(),
        tol=solver.tol,
        shrinking=solver.shrinking,
        has_bias=solver.has_bias,
        most_steps=most_steps,
    )


def keep_reserve(engine, spec, n):
    """Set the number of vectors with alpha = 0 kept in each support set; 0 within a budget."""
    for problem in engine.problems if spec.solver.has_bias else ():
        problem.reserve = n if spec.solver.budget == 0 else 0


@dataclass(frozen=True)
class Optimum:
    """The solution of all problems."""

    solution: object  # Solution: the vectors that some problem needs, and their coefficients
    # Shaped as ``solution.coef``, from which it differs by a factor in the one-class problem.
    alpha: np.ndarray
    # Encoded targets of the vectors, and upper bounds of abs(alpha), (n_vectors, ...).
    encoded: np.ndarray
    cost: np.ndarray
    # Vectors that each problem needs when training continues; bool, shaped as ``solution.coef``.
    is_member: np.ndarray
    numbers: np.ndarray  # what is known of each problem, see :class:`Batch`, (n_problems,)
    # Sum of ``cost`` over all samples, and the factor of the coefficients.
    weight: float
    scale: float
    n_kernel_evaluations: int  # number of kernel values computed
    is_solved: bool  # False after an interrupt
    lock: Lock = field(default_factory=Lock, repr=False)  # while the engine is built

    @classmethod
    def of(cls, batch, spec, rows, order, row_ids=None):
        """Return the present solution of a batch over the samples ``order`` of X.

        ``row_ids``: numbers of the samples of X, by default their positions.
        """
        batch.write_unsolved()
        kept = np.flatnonzero(batch.is_member.any(axis=0))
        ids = order[kept]
        labels = np.asarray(batch.labels)[kept]
        store = stores.filled(spec.store(), rows.X, ids)
        alpha, numbers = np.ascontiguousarray(batch.coef[:, kept]), batch.numbers.copy()
        is_member = batch.is_member[:, kept].astype(bool)
        bias = batch.scale * numbers["b"]
        numbers_of = ids if row_ids is None else row_ids[ids]
        solution = optimum_of(store, batch.scale * alpha, bias, numbers_of, labels, batch.codes)
        arrays = alpha, rows.encoded[ids], rows.cost[ids], is_member, numbers
        values = batch.weight, batch.scale, batch.n_kernel_evaluations, batch.is_solved
        return cls(solution, *arrays, *values)

    # ---------------------------------------------------------------------------- numbers

    @property
    def n_vectors(self):
        """Number of vectors."""
        return self.solution.n_vectors

    @property
    def n_changes(self):
        """Number of steps."""
        return int(self.numbers["n_changes"].sum())

    @property
    def n_operations(self):
        """Number of array elements accessed by solver steps."""
        return int(self.numbers["n_operations"].sum())

    @property
    def out_of_steps(self):
        """Whether a problem has reached the limit of steps."""
        return bool((self.numbers["steps_left"] <= 0).any())

    def violation(self):
        """Return the largest violation, and whether none exceeds the tolerance."""
        delta = self.numbers["delta"]
        return float(delta.max()), bool((delta <= self.numbers["tau"]).all())

    def precision(self):
        """Return what rounding does to decision values (see ``_diagnosis.precision``)."""
        found, offset = self.numbers["uncertainty"].max(), self.solution.offset
        if offset is not None:
            # Rounding errors of doubles of the size of the squared offset.
            largest = np.sqrt(self.numbers["squares"].max())
            found = max(found, 2.0**-52 * (offset @ offset) * largest)
        values = self.alpha, self.numbers["b"], self.numbers["spread"]
        is_finite = all(np.isfinite(of_problems).all() for of_problems in values)
        return float(found), float(self.numbers["spread"].max()), is_finite

    # ---------------------------------------------------------------------------- the engine

    def engine(self, spec, targets, rows=None, reserve=0):
        """Return an engine with this solution.

        ``rows``: those of fit, for a kernel matrix; ``reserve``: number of members at alpha = 0
        that it keeps.
        """
        solution, n = self.solution, self.n_vectors
        if rows is None:
            X, at, ids = solution.all_vectors(), np.arange(n), solution.row_id_of_slot[:n]
            given = targets.samples(self.encoded, self.cost, ids, DATA)
        else:
            X, at = rows.X, solution.row_id_of_slot[:n]
            given = targets.samples(rows.encoded, rows.cost, np.arange(len(rows.encoded)), DATA)
        batch = batch_of(spec, targets, self.encoded, self.cost)
        batch.attach(spec.store, X, at)
        g = batch.gradients(self.alpha)[self.is_member]
        problems, members = self.members()
        order = np.lexsort((members, problems))
        problems, members, g = problems[order], members[order], g[order]
        alpha = self.alpha[self.is_member][order]
        engine = spec.build(None if rows is None else X)
        keep_reserve(engine, spec, reserve)
        spec.solver.begin(engine, self.weight, alpha, g)
        g = targets.from_own_side(alpha, g)
        engine.seed_members(X, at, given, problems, members, alpha, g)
        engine.conclude(self.n_kernel_evaluations)
        for problem, b in zip(engine.problems, self.numbers["b"], strict=True):
            problem.set_bias(b)
        return engine

    def members(self):
        """Return the problem and the vector of each member, in the order of ``is_member``."""
        rows, vectors = np.nonzero(self.is_member)
        if not self.solution.one_vs_one:
            return rows, vectors
        labels, n_classes = self.solution.label_of_slot[vectors], len(self.is_member) + 1
        others = rows + (rows >= labels)
        first, second = np.minimum(labels, others), np.maximum(labels, others)
        # Pairs (0, 1), (0, 2), ... in this order.
        return first * (2 * n_classes - first - 1) // 2 + second - first - 1, vectors

    # ---------------------------------------------------------------------------- pickles

    def as_dict(self):
        """Return arrays and numbers; alpha is stored for the members of each problem only."""
        solution, n = self.solution, self.n_vectors
        store, _ = solution.store_state()
        return {
            "store": store,
            "alpha": self.alpha[self.is_member],
            "scale": self.scale,
            "is_member": np.packbits(self.is_member),
            "row_ids": solution.row_id_of_slot[:n],
            "labels": solution.label_of_slot,
            "classes": solution.classes,
            "encoded": self.encoded,
            "cost": self.cost,
            "numbers": {name: self.numbers[name].copy() for name in self.numbers.dtype.names},
            "weight": self.weight,
            "n_kernel_evaluations": self.n_kernel_evaluations,
            "is_solved": self.is_solved,
        }

    @classmethod
    def from_dict(cls, state, spec):
        """Return the optimum that :meth:`as_dict` has stored."""
        numbers, n = np.empty(len(state["classes"]), dtype=NUMBERS), len(state["cost"])
        for name, values in state["numbers"].items():
            numbers[name] = values
        store = spec.store()
        store.restore(state["store"], n)
        classes = state["classes"]
        n_rows = len(classes)
        if n_rows > 1 and classes[0, 1] >= 0:
            n_rows = classes[:, 1].max()
        is_member = np.unpackbits(state["is_member"], count=n_rows * n).reshape(n_rows, n) > 0
        alpha, scale = np.zeros((n_rows, n)), state["scale"]
        alpha[is_member] = state["alpha"]
        solution = optimum_of(
            store, scale * alpha, scale * numbers["b"], state["row_ids"], state["labels"], classes
        )
        arrays = alpha, state["encoded"], state["cost"], is_member, numbers
        names = "weight", "scale", "n_kernel_evaluations", "is_solved"
        return cls(solution, *arrays, *(state[name] for name in names))
