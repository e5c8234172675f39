"""Solution of a binary problem as arrays over samples, with the kernel values of the samples.

Analysis (spans, leave-one-out values, probabilities) is functions of a :class:`SolutionView`.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..._feature_space import Kernel

# Jitter of a kernel matrix before inversion, relative to the mean of its diagonal; the second one
# for float32 values. It is needed for support vectors that are combinations of others, such as
# duplicates, whose span is about 0.
JITTER, COARSE_JITTER = 1e-10, 1e-6


class KernelValues:
    """Kernel values between samples that are given by their indices.

    ``rows``: the samples; with the layout "precomputed" the kernel matrix.
    ``single``: whether values are computed as in training, in single precision, which takes less
        time. Kernels of scikit-learn are computed in double precision otherwise.
    ``jitter``: added to the diagonal of a matrix of these values before it is inverted, relative
        to its mean. None: according to the precision of the values.
    """

    def __init__(self, spec, rows, *, single=False, jitter=None):
        self._spec, self._rows, self._single = spec, rows, single
        self._kernel = None if spec.layout == "precomputed" else Kernel.of(spec)
        is_coarse = self._samples(slice(0)).dtype == np.float32
        self.jitter = jitter or (COARSE_JITTER if is_coarse else JITTER)

    def __call__(self, i, j):
        return self.with_samples(i)(j)

    def with_samples(self, i):
        """Return a function of indices j: the kernel values of samples i and j."""
        if self._kernel is None:
            return lambda j: self._rows[np.ix_(i, j)].astype(np.float64, copy=False)
        first = self._samples(i)
        if self._single:
            engine = self._spec.engine_of(first)
            return lambda j: engine.kernel_values(self._rows, j).T
        return lambda j: self._kernel(first, self._samples(j))

    def diagonal(self, i):
        """Return K(x, x) of each sample."""
        if self._kernel is None:
            return self._rows[i, i].astype(np.float64, copy=False)
        return self._kernel.diagonal(self._samples(i)) if len(i) else np.zeros(0)

    def _samples(self, i):
        rows = self._rows[i]
        return rows if self._single or self._kernel is None else self._kernel.in_double(rows)


@dataclass(frozen=True)
class SolutionView:
    """Solution of one binary problem over n samples; those not stored have empty boxes.

    ``ridge`` is what a squared loss adds to K(x, x). ``samples`` are the indices of those that
    belong to the problem, None: all.
    """

    alpha: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    g: np.ndarray
    ridge: np.ndarray
    b: float
    tol: float
    has_bias: bool
    kernel: KernelValues
    samples: np.ndarray | None = None

    @classmethod
    def of(cls, problem, numbering, n, has_bias, kernel, samples=None):
        """Return the solution of a problem; ``numbering`` of samples: "index" or "row_id"."""
        members = problem.view(used=True)
        arrays = np.zeros((5, n))
        for by_row, name in zip(arrays, ("alpha", "lower", "upper", "g", "ridge"), strict=True):
            by_row[getattr(members, numbering)] = getattr(members, name)
        return cls(*arrays, members.b, problem.tau, has_bias, kernel, samples)

    def on(self, rows, n_more, kernel):
        """Return the solution over some of the samples, and ``n_more`` with empty boxes."""
        arrays = [
            np.concatenate([values[rows], np.zeros(n_more)])
            for values in (self.alpha, self.lower, self.upper, self.g, self.ridge)
        ]
        return SolutionView(*arrays, self.b, self.tol, self.has_bias, kernel)

    @cached_property
    def support(self):
        """Indices of the support vectors."""
        return np.flatnonzero(self.alpha)

    @cached_property
    def free(self):
        """Indices of the free support vectors, those not at a bound."""
        within = (self.lower < self.alpha) & (self.alpha < self.upper)
        return np.flatnonzero(within & (self.alpha != 0))

    def values_with(self, i):
        """Return a function of indices j: the kernel values, with ridge, of samples i and j."""
        values = self.kernel.with_samples(i)
        if not self.ridge.any():
            return values
        return lambda j: values(j) + np.where(i[:, None] == j, self.ridge[j], 0.0)

    def diagonal(self, i):
        """Return K(x, x) of each sample, with its ridge."""
        squares = self.kernel.diagonal(i)
        return squares + self.ridge[i] if self.ridge.any() else squares

    def squared_distances(self, i, j):
        """Return squared distances of samples in kernel space, of shape (len(i), len(j))."""
        squares = self.diagonal(i)[:, None] + self.diagonal(j) - 2.0 * self.values_with(i)(j)
        return np.maximum(squares, 0.0)


def solution_views(engine, spec, rows, numbering, samples=None):
    """Return a view of each problem over ``rows``: the vectors of the store, or all samples.

    ``numbering`` of the rows is "index", the order in the store, or "row_id", that of training.
    ``samples``: those of each problem, a list of indices of rows; None: all.
    """
    kernel, has_bias = KernelValues(spec, rows), spec.solver.has_bias
    samples = [None] * len(engine.problems) if samples is None else samples
    return [
        SolutionView.of(problem, numbering, rows.shape[0], has_bias, kernel, of_problem)
        for problem, of_problem in zip(engine.problems, samples, strict=True)
    ]


def are_rows_of(spec, solution, X):
    """Return whether the support vectors are samples of X, in their places."""
    rows = solution.row_ids
    same = not len(rows) or rows.max() < X.shape[0]
    if same and len(rows) and spec.layout != "precomputed":
        return not abs(solution.vectors() - X[rows]).max()
    return same
