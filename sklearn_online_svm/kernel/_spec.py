"""Specifications that turn estimator parameters into an engine, and restore stored ones."""

import sys
from dataclasses import asdict, dataclass, fields, replace
from itertools import combinations
from typing import ClassVar

import numpy as np
from scipy import sparse

from .._core.kernel.dual import admission
from .._core.kernel.dual.engine import Engine
from .._core.kernel.dual.gap_driven import GapDriven
from .._core.kernel.dual.lasvm import Lasvm
from .._core.kernel.dual.one_class import RESERVE, OneClass
from .._core.kernel.vectors import python_stores, stores
from .._core.kernel.vectors.column_store import ColumnStore
from .._core.kernel.vectors.dense_store import DenseStore
from .._core.kernel.vectors.sparse_store import SparseStore
from .._pairs import n_classes_of
from ._column_kernel import ColumnKernel

ALGORITHMS = ("lasvm", "lasvm-g", "lasvm-nc", "lasvm-i", "lasvm-full")

# Names of the compiled kernels. A ColumnKernel also has "overlap", which needs dense vectors.
KERNELS = tuple(name for name in stores.KINDS if name != "overlap")

# Kernels exp(-gamma d) of a distance d that is proportional to X, not to its square.
EXPONENTIAL = ("laplacian", "chi2")

# Kernels of features that must not be negative.
NONNEGATIVE = ("chi2", "intersection")

# Largest degree of a polynomial kernel.
LARGEST_DEGREE = np.iinfo(np.int32).max


@dataclass(frozen=True, kw_only=True)
class SolverSpec:
    """Options of each binary problem that all solvers have; a subclass has those of one solver.

    A subclass sets ``kind``, the class of the problem, ``has_bias``, and ``algorithm`` unless it
    has no name.
    """

    tol: float = 1e-3
    shrinking: bool = True
    # Maximum number of REPROCESS steps after one sample, shared by its problems; typical problems
    # need a few.
    max_reprocess: int = 20_000
    # Number of samples after which a vector is evicted; None: no limit.
    window_size: int | None = None
    # Maximum number of vectors of each problem; 0: no limit.
    budget: int = 0

    # Whether the origin of a linear kernel changes nothing: the sum of alpha is 0.
    may_move_origin: ClassVar[bool] = False

    def options(self, n_problems=1, n_of_sample=1, cache_bytes=0):
        """Return the options of one of the problems; a sample belongs to ``n_of_sample``."""
        return vars(self) | {
            "cache_bytes": cache_bytes // n_problems,
            "max_reprocess": self.max_reprocess // n_of_sample,
        }

    def for_one_side(self, n):
        """Return the options with which ``n`` samples of one side begin a problem."""
        return replace(self, window_size=None)

    def batch_options(self):
        """Return the options of this solver for ``Batch``, if it can be used."""
        return {"epsilon": self.epsilon}

    def begin(self, engine, weight, alpha, g):
        """Prepare an empty engine for a solution over samples with weights of this sum."""


@dataclass(frozen=True, kw_only=True)
class LasvmSpec(SolverSpec):
    """LASVM: classification and regression with a bias."""

    # Bound of the violation after REPROCESS.
    delta_max: float = np.inf
    # Number of samples that are kept while all are of one class. The thesis of Ertekin (2009,
    # section 3.2) starts with "a few examples of each class", which a stream cannot guarantee.
    n_init: int = 5
    # Regression: half the width of the tube; None: classification.
    epsilon: float | None = None

    kind: ClassVar[type] = Lasvm
    algorithm: ClassVar[str] = "lasvm"
    has_bias: ClassVar[bool] = True
    may_move_origin: ClassVar[bool] = True

    def for_one_side(self, n):
        return replace(self, window_size=None, n_init=n)


@dataclass(frozen=True, kw_only=True)
class OneClassSpec(SolverSpec):
    """LASVM on the one-class problem."""

    nu: float  # the share of the samples outside

    kind: ClassVar[type] = OneClass
    has_bias: ClassVar[bool] = True

    def batch_options(self):
        return {"nu": self.nu, "max_non_sv": RESERVE}

    def begin(self, engine, weight, alpha, g):
        (problem,), free, idle = engine.problems, g[alpha > 0.0], g[alpha == 0.0]
        # So that all members at alpha = 0 stay.
        margin = np.nextafter(free.min() - idle.min(), np.inf) if len(idle) and len(free) else 0.0
        problem.begin_at(weight, max(margin, 0.0))


@dataclass(frozen=True, kw_only=True)
class GapDrivenSpec(SolverSpec):
    """LASVM-G and the algorithms that differ from it by an admission rule or by CLEAN.

    ``ramp_start``, ``single_steps``, ``clean_interval`` and ``max_non_sv`` are constants of the
    algorithms, not parameters of an estimator ("Constants" in the user guide).
    """

    algorithm: str  # one of ALGORITHMS but "lasvm"; "batch": RampSVC without a bias
    # REPROCESS until the gap is at most the larger of this and its target.
    gap_floor: float = 1.0
    ramp_s: float = -1.0
    # lasvm-nc, lasvm-i: number of support vectors above which the left end of the ramp is used.
    # The thesis uses the hinge loss "for the first few instances" (section 6.2.2, S, without a
    # value), because f is not yet meaningful.
    ramp_start: int = 100
    # REPROCESS steps on one vector after a sample, before steps on two vectors. The thesis has the
    # former only; see "Deviation: updates of two coordinates" in the user guide.
    single_steps: int = 10
    # Samples added between two runs of CLEAN (Ertekin 2009, section 6.5), and number of vectors
    # with alpha = 0 that CLEAN leaves (section 6.1.2, m, without a value).
    clean_interval: int = 300
    max_non_sv: int = 100
    # Regression: half the width of the tube; None: classification.
    epsilon: float | None = None

    kind: ClassVar[type] = GapDriven
    has_bias: ClassVar[bool] = False

    def options(self, n_problems=1, n_of_sample=1, cache_bytes=0):
        options = super().options(n_problems, n_of_sample, cache_bytes)
        options |= {"admission": self._admission()}
        if self.algorithm == "lasvm-full":
            options["max_non_sv"] = -1
        for name in ("algorithm", "ramp_s", "ramp_start"):
            del options[name]
        return options

    def batch_options(self):
        return {"epsilon": self.epsilon, "max_non_sv": self.options()["max_non_sv"]}

    def _admission(self):
        if self.algorithm == "lasvm-nc":
            return admission.RampLoss(self.ramp_s, self.ramp_start)
        if self.algorithm == "lasvm-i":
            return admission.RampFilter(self.ramp_s, self.ramp_start)
        if self.algorithm == "batch":
            return admission.Violators(self.ramp_s, self.tol)
        return admission.Admission(self.ramp_s)


def solver_from_state(state):
    """Rebuild the specification of a solver from its fields."""
    kinds = (LasvmSpec, OneClassSpec, GapDrivenSpec)
    names = [{field.name for field in fields(kind)} for kind in kinds]
    return kinds[names.index(set(state))](**state)


@dataclass(frozen=True)
class VectorSpec:
    """Storage of the support set, and its kernel; plain values, so that it can be pickled."""

    n_features: int
    n_problems: int
    dtype: str
    layout: str  # "dense", "sparse" or "precomputed"
    kernel: object
    degree: int
    gamma: float
    coef0: float

    # No offset by default; EngineSpec overrides this with a field.
    offset = None

    def store(self):
        """Return an empty store."""
        if self.layout == "precomputed":
            return python_stores.PrecomputedStore(self.n_features, self.dtype)
        if isinstance(self.kernel, ColumnKernel):
            return column_store(self)
        if callable(self.kernel):
            dense = self.layout == "dense"
            store = python_stores.CallableStore if dense else python_stores.CallableSparseStore
            return store(self.n_features, self.dtype, self.kernel)
        store = DenseStore if self.layout == "dense" else SparseStore
        return store(
            self.n_features,
            self.dtype,
            kernel=self.kernel,
            gamma=self.gamma,
            coef0=self.coef0,
            degree=self.degree,
            offset=self.offset,
        )

    def engine_of(self, vectors):
        """Return an engine for kernel values with the given vectors."""
        store = stores.filled(self.store(), vectors)
        return Engine(store, [Lasvm(store, True, **LasvmSpec().options())], 0)

    def as_dict(self):
        """Return the fields and their values, for pickling."""
        return asdict(self)


@dataclass(frozen=True)
class EngineSpec(VectorSpec):
    """Specification of an empty engine; plain values, so that it can be pickled."""

    cache_size: float
    solver: SolverSpec
    # Whether there is a problem for each pair of classes, instead of one for each class.
    one_vs_one: bool = False
    # Linear kernel, if the sum of alpha is 0: origin m of the samples in (x - m).(z - m), or None.
    offset: object = None

    def build(self, matrix=None):
        """Return an engine with an empty support set, of a precomputed kernel with its matrix."""
        store, n_bytes = self.store(), self.cache_bytes
        if self.layout == "precomputed" and matrix is not None:
            store.attach(matrix)
        # Pairs of classes share few vectors; a Python kernel has no store for copies.
        copies = self.one_vs_one and self.layout != "precomputed" and not is_function(self.kernel)
        options = self.options()
        kind, is_single = self.solver.kind, self.n_problems == 1
        problems = [kind(store, is_single, copies, **options) for _ in range(self.n_problems)]
        classes = pairs_of(self.n_problems) if self.one_vs_one else None
        return Engine(store, problems, n_bytes, classes)

    def configure(self, engine):
        """Apply the current options to an existing engine; its support set is not changed."""
        engine.set_cache_size(self.cache_bytes)
        for problem in engine.problems:
            problem.configure(**self.options())

    def options(self):
        """Return the options of each problem."""
        return self.solver.options(self.n_problems, self.n_problems_of_sample, self.cache_bytes)

    @property
    def n_problems_of_sample(self):
        """Number of problems that a sample belongs to."""
        return n_classes_of(self.n_problems) - 1 if self.one_vs_one else self.n_problems

    @property
    def cache_bytes(self):
        """Size of the kernel cache in bytes."""
        return int(min(self.cache_size * 2**20, sys.maxsize))

    @classmethod
    def from_state(cls, state):
        """Rebuild a spec from the result of ``as_dict``."""
        return cls(**{**state, "solver": solver_from_state(state["solver"])})


def pairs_of(n_pairs):
    """Return the pairs (a, b), a < b, of class codes: of the positive and the negative class."""
    return list(combinations(range(n_classes_of(n_pairs)), 2))


def column_store(spec):
    """Return an empty store for a :class:`ColumnKernel`, with a store for each group.

    A further group keeps the columns that are in none.
    """

    def group(kernel, columns, gamma=1.0):
        # 0 and 0 are equal categories: zeros must be stored.
        is_dense = spec.layout == "dense" or kernel == "overlap"
        store = DenseStore if is_dense else SparseStore
        return store(len(columns), spec.dtype, kernel=kernel, gamma=gamma), columns

    groups = [group(*arguments) for arguments in spec.kernel._groups(spec.n_features)]
    n_kernels = len(groups)
    used = np.concatenate([columns for _, columns in groups])
    unused = np.setdiff1d(np.arange(spec.n_features), used)
    if len(unused):
        groups.append(group("linear", unused))
    is_product = spec.kernel.combine == "product"
    return ColumnStore(
        spec.n_features, spec.dtype, groups, n_kernels, is_product, spec.kernel._n_unbounded
    )


def is_function(kernel):
    """Return whether kernel values are computed by a function in Python."""
    return callable(kernel) and not isinstance(kernel, ColumnKernel)


def linear_weights(solution):
    """Return weights and biases of the decision functions of a linear kernel, f(x) = w.x + b."""
    if solution.linear is not None:
        return solution.linear
    offset, coef, bias = solution.offset, solution.coef, solution.bias
    known = solution.kept.get("linear")
    # Slots are reassigned only together with another change, which n_changes or alpha shows.
    if (
        known is None
        or known["n_changes"] != solution.n_changes
        or not np.array_equal(known["alpha"], coef)
    ):
        weights = combined(solution.alpha, solution.vectors(), offset)
        known = {"n_changes": solution.n_changes, "alpha": coef, "coef": weights}
        solution.kept["linear"] = known
    if offset is not None:
        bias = bias - (known["coef"] * offset).sum(axis=1)
    solution.linear = known["coef"], bias
    return solution.linear


def combined(alpha, vectors, offset=None):
    """Return ``alpha @ (vectors - offset)``, with the same bits on every processor.

    Products of BLAS would depend on it; sums of NumPy do not.
    """
    if sparse.issparse(vectors):
        coef = np.asarray(alpha @ vectors, dtype=np.float64)
        return coef if offset is None else coef - np.outer(alpha.sum(axis=1), offset)
    coef, size = np.zeros((len(alpha), vectors.shape[1])), 256
    for first in range(0, len(vectors), size):
        block = vectors[first : first + size]
        if offset is not None:
            block = block - offset
        for c in range(len(alpha)):
            coef[c] += (alpha[c, first : first + size, None] * block).sum(axis=0)
    return coef
