"""Smaller kernel expansions that are close to a given one.

Support vectors are selected one after the other, each time the one at which the difference of the
functions is largest, and the functions are projected onto the span of the selected vectors in the
feature space. For an rbf kernel the vectors can then be moved, which reduces the distance further.
"""

from dataclasses import dataclass, fields, replace

import numpy as np
from joblib import effective_n_jobs
from scipy import linalg, sparse
from scipy.optimize import minimize
from sklearn import config_context

from ..._core.kernel.vectors import stores
from ..._feature_space import Kernel
from ..._threads import blas_threads
from ...calibration._maps import CouplingMap, MultinomialMap, SplineMap
from .._kernel_estimator import decision_values
from .._spec import VectorSpec, linear_weights, pairs_of
from .._updates._expansion import ExpansionSpec
from .._virtual_pool import as_arrays, from_arrays

# Number of samples whose kernel values are computed at a time.
BLOCK = 512
# A vector with a squared distance below this share of K(x, x) from the span of the selected ones
# is not selected; also the ridge of the kernel matrix of moved vectors. Otherwise coefficients
# become so large that the rounding of kernel values to single precision matters in predictions.
LEAST_DISTANCE = 1e-6
# Number of iterations in which vectors are moved, and largest difference that is not worth it.
N_MOVES, NEGLIGIBLE = 30, 1e-3

_MAPS = {"spline": SplineMap, "multinomial": MultinomialMap, "coupling": CouplingMap}


def _with_fields_of(spec):
    names = (field.name for field in fields(VectorSpec))
    return ExpansionSpec(**{name: getattr(spec, name) for name in (*names, "one_vs_one")})


class CompressedState:
    """Functions f_c(x) = sum_s alpha[c, s] K(v_s, x) + bias[c], and the solution that predicts.

    ``spec``: ExpansionSpec.
    ``vectors`` (n_vectors, n_features).
    ``alpha`` (n_problems, n_vectors).
    ``bias`` (n_problems,).
    ``labels`` (n_vectors,): class codes.
    ``row_ids`` (n_vectors,): positions in the training set; -1 for vectors that are not samples.
    ``probability_map``: SplineMap, MultinomialMap, CouplingMap or None.
    """

    # Map from decision values to probabilities; whether samples were sparse, and their number.
    fitted_map, is_sparse, n_seen = None, False, 0

    def __init__(self, spec, vectors, alpha, bias, labels, row_ids):
        self.spec, self.vectors, self.alpha, self.bias = spec, vectors, alpha, bias
        self.labels, self.row_ids, self.dtype = labels, row_ids, np.dtype(spec.dtype)
        n, expansion = len(labels), spec.build()
        nothing = np.zeros(0, dtype=np.int32)
        expansion.restore(
            dict(
                store=stores.filled(spec.store(), vectors).state(),
                n_stored=n,
                n_slots=n,
                coef=alpha,
                diag=np.zeros(n, dtype=np.float32),
                labels=labels,
                ids=row_ids,
                since=np.arange(n),
                free=nothing,
                n_entered=n,
                n_steps=0,
                n_evaluations=0,
                n_seen=0,
            )
        )
        self.shown = expansion.show(0)
        self.shown.bias[:] = bias  # an expansion has none

    @classmethod
    def of_vectors(cls, spec, vectors, alpha, bias):
        """Return functions over other vectors than those of a solution, with its kernel."""
        spec = replace(_with_fields_of(spec), n_problems=len(alpha), one_vs_one=False)
        n = len(alpha.T)
        return cls(spec, vectors, alpha, bias, np.zeros(n, dtype=np.int32), np.full(n, -1))

    @classmethod
    def of(cls, spec, solution, is_sparse):
        """Return the functions of a solution, with each vector once.

        ``is_sparse``: whether the weight vectors of a linear kernel become a CSR matrix.
        """
        spec = _with_fields_of(spec)
        if spec.kernel == "linear":
            coef, bias = linear_weights(solution)
            spec = replace(spec, dtype="float64", layout="sparse" if is_sparse else "dense")
            vectors = sparse.csr_matrix(coef) if is_sparse else coef
            k = len(coef)
            labels = np.arange(k) if k > 1 else np.ones(1)
            if spec.one_vs_one:  # the weights of a pair: its first class
                labels = np.array(pairs_of(k))[:, 0]
            return cls(spec, vectors, np.eye(k), bias, labels.astype(np.int32), np.full(k, -1))
        vectors = solution.vectors()
        first, place = distinct(vectors)
        alpha = np.zeros((spec.n_problems, len(first)))
        np.add.at(alpha.T, place, solution.alpha.T)
        labels, row_ids = solution.labels[first], solution.row_ids[first]
        return cls(spec, vectors[first], alpha, solution.bias.copy(), labels, row_ids)

    def reduced(self, vectors, alpha, chosen, row_ids):
        """Return functions with the same bias; the vectors take the place of the chosen ones."""
        return CompressedState(self.spec, vectors, alpha, self.bias, self.labels[chosen], row_ids)

    def completed(self, fitted_map, is_sparse, n_seen):
        """Return these functions, with values of the original model."""
        self.fitted_map, self.is_sparse, self.n_seen = fitted_map, is_sparse, n_seen
        return self

    def solution(self, finishing, n_jobs):
        """Return the solution that predicts, whatever the arguments."""
        return self.shown

    def solution_and_map(self, finishing, n_jobs):
        """Return the solution, and the map from decision values to probabilities or None."""
        return self.shown, self.fitted_map

    def as_dict(self):
        """Return arrays and numbers, for pickling."""
        fitted = self.fitted_map
        names = {kind: name for name, kind in _MAPS.items()}
        return dict(
            spec=self.spec.as_dict(),
            vectors=as_arrays(self.vectors),
            alpha=self.alpha,
            bias=self.bias,
            labels=self.labels,
            row_ids=self.row_ids,
            is_sparse=self.is_sparse,
            n_seen=self.n_seen,
            map=None if fitted is None else {"name": names[type(fitted)], **vars(fitted)},
        )

    @classmethod
    def from_dict(cls, state):
        """Rebuild a result of ``as_dict``."""
        spec, fitted = ExpansionSpec(**state["spec"]), None
        if state["map"] is not None:
            values = dict(state["map"])
            fitted = _MAPS[values.pop("name")]()
            vars(fitted).update(values)
        vectors = from_arrays(state["vectors"], spec.n_features)
        parts = (state[name] for name in ("alpha", "bias", "labels", "row_ids"))
        restored = cls(spec, vectors, *parts)
        return restored.completed(fitted, state["is_sparse"], state["n_seen"])


@dataclass(frozen=True)
class Compression:
    """Smaller functions, and how much they differ from the original ones.

    ``differences`` are those of decision values at the support vectors, as they are computed in
    predictions; ``distance`` that of the weight vectors in the feature space, in double precision.
    """

    state: CompressedState
    differences: np.ndarray
    distance: np.ndarray

    @property
    def max_difference(self):
        return float(np.abs(self.differences).max(initial=0.0))

    @property
    def mean_square(self):
        return np.square(self.differences).mean() if self.differences.size else 0.0


def compress_solution(spec, solution, max_support_vectors, tolerance, *, is_sparse, n_jobs):
    """Return the :class:`Compression` with at most so many vectors, or within a tolerance."""
    compressor = Compressor(spec, solution, is_sparse, n_jobs)
    n = len(compressor.original.labels)
    if spec.kernel == "linear":
        if max_support_vectors is not None and max_support_vectors < n:
            raise ValueError(
                f"max_support_vectors={max_support_vectors}, but a linear kernel needs one vector "
                f"for each of the {n} binary problems."
            )
        return compressor.exact()
    # The samples have been validated.
    with config_context(assume_finite=True), blas_threads(effective_n_jobs(n_jobs)):
        if max_support_vectors is None:
            return compressor.within(tolerance)
        if max_support_vectors < n:
            return compressor.of_size(max_support_vectors)
        return compressor.exact()


class Compressor:
    """Compressions of one solution."""

    def __init__(self, spec, solution, is_sparse, n_jobs):
        self.original, self.n_jobs = CompressedState.of(spec, solution, is_sparse), n_jobs
        self.vectors = solution.vectors()
        self.expected = decision_values(spec, solution, self.vectors, n_jobs)

    def exact(self):
        """Return the original functions, with each vector once."""
        return self._compared(self.original, np.zeros(self.original.spec.n_problems))

    def within(self, tolerance):
        """Return the first functions in the order of selection that meet a tolerance."""
        selection, target = Selection(self.original), tolerance
        # The residual is that of exact kernel values; those of predictions are verified.
        while selection.extend(len(self.original.labels), target):
            found = self._projected(selection)
            if found.max_difference <= tolerance:
                return found
            target = 0.5 * min(target, selection.largest)
            if target == 0.0:  # the difference is one of rounding
                break
        return self.exact()

    def of_size(self, size):
        """Return functions with at most so many vectors, the closest that are found."""
        selection = Selection(self.original)
        selection.extend(size, 0.0)
        if not selection.chosen:  # the functions are constant
            return self.exact()
        found = self._projected(selection)
        if self.original.spec.kernel != "rbf" or found.max_difference <= NEGLIGIBLE:
            return found
        selection.basis = None  # as large as the arrays that follow
        vectors, alpha = moved(selection)
        synthetic = np.full(len(selection.chosen), -1)
        state = self.original.reduced(vectors, alpha, selection.chosen, synthetic)
        other = self._compared(state, selection.distance(vectors, alpha))
        return other if other.mean_square < found.mean_square else found

    def _projected(self, selection):
        chosen, alpha = selection.chosen, selection.coefficients()
        vectors = self.original.vectors[chosen]
        state = self.original.reduced(vectors, alpha, chosen, self.original.row_ids[chosen])
        return self._compared(state, selection.distance(vectors, alpha))

    def _compared(self, state, distance):
        values = decision_values(state.spec, state.shown, self.vectors, self.n_jobs)
        return Compression(state, values - self.expected, distance)


class Selection:
    r"""Support vectors selected so far, and the projection of the functions onto their span.

    With the Newton basis :math:`v_1, v_2, \ldots` of the selected vectors (orthonormal in the
    feature space) a vector that is selected needs its kernel values with all others, and adds

    .. math::

        v_m(x) = \frac{K(x, x_m) - \sum_{j < m} v_j(x) v_j(x_m)}{\sqrt{p(x_m)}}, \qquad
        r_c \leftarrow r_c - \frac{r_c(x_m)}{\sqrt{p(x_m)}} v_m, \qquad
        p \leftarrow p - v_m^2 .

    r are the residuals, :math:`p(x)` the squared distance of x from the span, at first K(x, x).
    Reference: Wirtz and Haasdonk 2013.
    """

    def __init__(self, original):
        spec = original.spec
        self.kernel = Kernel.of(spec)
        self.original, self.dtype, vectors = original, spec.dtype, original.vectors
        self.vectors = self.kernel.in_double(vectors)
        n = len(original.labels)
        self.values = np.empty((n, spec.n_problems))
        for first in range(0, n, BLOCK):
            block = slice(first, first + BLOCK)
            self.values[block] = self.kernel(self.vectors[block], self.vectors) @ original.alpha.T
        self.residual = self.values.copy()
        self.pivots = self.kernel.diagonal(self.vectors)
        self.floor = LEAST_DISTANCE * self.pivots
        self.basis = np.zeros((0, n))
        self.coordinates = np.zeros((0, spec.n_problems))
        self.chosen = []

    @property
    def largest(self):
        """The largest residual."""
        return np.abs(self.residual).max(initial=0.0)

    def extend(self, size, target):
        """Select vectors, one or more, until there are ``size`` or no residual exceeds ``target``.

        Return whether no residual does.
        """
        while True:
            residuals = np.abs(self.residual).max(axis=1, initial=0.0)
            if self.chosen and residuals.max() <= target:
                return True
            residuals[self.pivots <= self.floor] = 0.0
            if len(self.chosen) == size or not residuals.any():
                return False
            self._select(int(residuals.argmax()))

    def _select(self, i):
        m = len(self.chosen)
        if m == len(self.basis):
            self._grow(max(64, m // 2))
        known = self.basis[:m]
        root = np.sqrt(self.pivots[i])
        column = self.kernel(self.vectors, self.vectors[i : i + 1])[:, 0]
        column = (column - known.T @ known[:, i]) / root
        column[i] = root  # but for rounding, which must not make it 0
        self.basis[m] = column
        self.coordinates[m] = self.residual[i] / root
        self.residual -= np.outer(column, self.coordinates[m])
        self.pivots -= column**2
        self.pivots[i] = 0.0
        self.chosen.append(i)

    def _grow(self, n_more):
        n_more = min(n_more, len(self.pivots) - len(self.basis))
        self.basis, self.coordinates = (
            np.concatenate([array, np.zeros((n_more, array.shape[1]))])
            for array in (self.basis, self.coordinates)
        )

    def coefficients(self):
        """Return the coefficients of the selected vectors, of shape (n_problems, n_chosen)."""
        m = len(self.chosen)
        return linalg.solve_triangular(self.basis[:m, self.chosen], self.coordinates[:m]).T

    def distance(self, vectors, alpha):
        r"""Return the distances of the weight vectors from those with other vectors.

        .. math::

            \lVert w - \tilde w \rVert^2
            = \sum_i \alpha_i f(x_i) - 2 \sum_j \tilde\alpha_j f(z_j)
            + \sum_{jk} \tilde\alpha_j \tilde\alpha_k K(z_j, z_k)

        f without the bias.
        """
        vectors = self.kernel.in_double(vectors)
        squares = np.einsum("ci,ic->c", self.original.alpha, self.values)
        for first in range(0, alpha.shape[1], BLOCK):
            block = slice(first, first + BLOCK)
            own = self.kernel(vectors[block], vectors) @ alpha.T
            other = self.kernel(vectors[block], self.vectors) @ self.original.alpha.T
            squares += np.einsum("cj,jc->c", alpha[:, block], own - 2.0 * other)
        return np.sqrt(np.maximum(squares, 0.0))


def moved(selection):
    r"""Move the selected vectors of an rbf kernel; return them and their coefficients.

    The squared distance :math:`\sum_c \lVert w_c - \tilde w_c \rVert^2` is decreased by L-BFGS,
    with the coefficients at their optimum for given vectors. Values of the vectors that are 0
    remain 0, so sparse vectors remain sparse.
    """
    S, alpha, gamma = selection.vectors, selection.original.alpha, selection.original.spec.gamma
    start = S[selection.chosen]
    rows, columns = start.nonzero()
    values = np.asarray(start[rows, columns]).ravel()
    ends = np.searchsorted(rows, np.arange(start.shape[0] + 1))

    def filled(values):
        if sparse.issparse(start):
            return sparse.csr_matrix((values, columns, ends), shape=start.shape)
        Z = np.zeros(start.shape)
        Z[rows, columns] = values
        return Z

    def solved(Z):
        """Return kernel values with S and with each other, and the best coefficients."""
        to_others, own = selection.kernel(Z, S), selection.kernel(Z, Z)
        H = to_others @ alpha.T
        return to_others, own, H, linalg.cho_solve(factor_of(own), H)

    def distance(values):
        """Return the squared distance less a constant, and its gradient."""
        Z = filled(values)
        to_others, own, H, beta = solved(Z)
        own *= beta @ beta.T
        to_others *= beta @ alpha
        gradient = (to_others.sum(axis=1) - own.sum(axis=1))[rows] * values
        for first in range(0, len(beta), BLOCK):
            block = slice(first, min(first + BLOCK, len(beta)))
            pull = own[block] @ Z - to_others[block] @ S
            part = slice(ends[block.start], ends[block.stop])
            gradient[part] += pull[rows[part] - first, columns[part]]
        return -np.sum(H * beta), 4.0 * gamma * gradient

    best = minimize(distance, values, jac=True, method="L-BFGS-B", options=dict(maxiter=N_MOVES))
    vectors = filled(best.x).astype(selection.dtype)
    return vectors, solved(vectors.astype(np.float64))[3].T.copy()


def factor_of(K):
    """Return the Cholesky factor of a kernel matrix with the smallest sufficient jitter."""
    jitter = LEAST_DISTANCE
    while True:
        regular = K.copy()
        regular[np.diag_indices_from(K)] += jitter
        try:
            return linalg.cho_factor(regular)
        except linalg.LinAlgError:  # rounding errors of samples far from the origin
            jitter *= 10.0


def distinct(vectors):
    """Return the first index of each distinct row, and the place of each row among them."""
    if sparse.issparse(vectors):
        ends = vectors.indptr
        keys = (
            (vectors.indices[a:b].tobytes(), vectors.data[a:b].tobytes())
            for a, b in zip(ends[:-1], ends[1:], strict=True)
        )
    else:
        keys = (row.tobytes() for row in vectors)
    places, first = {}, []
    place = np.empty(vectors.shape[0], dtype=np.intp)
    for i, key in enumerate(keys):
        place[i] = places.setdefault(key, len(places))
        if place[i] == len(first):
            first.append(i)
    return np.array(first, dtype=np.intp), place
