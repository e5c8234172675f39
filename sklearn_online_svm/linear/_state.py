"""The arrays of a linear model, and the update loop that changes them."""

from dataclasses import dataclass, field

import numpy as np
from scipy import sparse as sparse_matrices

from .._core.linear import UpdateLoop
from .._core.weights import DiagonalWeights, FullWeights, Weights, zeros


@dataclass(frozen=True)
class Method:
    """What an estimator is to the engine."""

    rule: dict
    demands: dict = field(default_factory=dict)
    fit_intercept: bool = True
    # The constant feature that makes the intercept, for dense and for sparse rows.
    intercept_scaling: tuple = (1.0, 1.0)
    covariance: str | None = None
    start_variance: float = 1.0
    crammer_singer: bool = False
    # Rows before the first that counts for the average; None: no average.
    average_from: int | None = None

    def structure(self):
        """Return what cannot change once something has been learnt."""
        return (
            self.fit_intercept,
            self.covariance,
            self.start_variance,
            self.crammer_singer,
            self.average_from,
        )


class LinearState:
    """Weights, covariance and sums of a model, with the loop that learns.

    Parameters
    ----------
    method : Method
    n_problems : int
    n_features : int
    dtype : dtype
        Of the rows: float32 or float64.
    sparse : bool
        Whether the rows are CSR: the arrays then lie in Fortran order.
    """

    def __init__(self, method, n_problems, n_features, dtype, sparse):
        self.method = method
        self.dtype = np.dtype(dtype)
        self.sparse = sparse
        full = method.covariance == "full"
        shape = (n_problems, n_features)
        order = "F" if sparse and not full else "C"
        kind = np.float64 if full else self.dtype
        if not method.start_variance <= np.finfo(kind).max:
            raise ValueError(
                f"1 / a = {method.start_variance:g}, the variance of the weights at first, is too "
                f"large for {np.dtype(kind)}: choose a larger a."
            )
        arrays = {
            "coef": zeros(shape, kind, order),
            "intercept": np.zeros(n_problems),
        }
        if method.average_from is not None:
            arrays["coef_sums"] = zeros(shape, kind, order)
            arrays["intercept_sums"] = np.zeros(n_problems)
        if method.covariance == "diag":
            arrays["variances"] = zeros(shape, kind, order)
            arrays["variances"] += kind.type(method.start_variance)
            arrays["intercept_variances"] = np.full(n_problems, method.start_variance)
        elif full:
            arrays["covariance"] = _covariances(method, n_problems, n_features)
        self.arrays = arrays
        self.shape = shape
        self.loop = self._moved = self._averaged = None
        # The weights of a model that was made sparse; "coef" is missing among the arrays then.
        self.thin = None
        self._build()

    @property
    def moved(self):
        """The counters of the loop."""
        return self._moved if self.loop is None else self.loop.state()

    @property
    def nbytes(self):
        return sum(array.nbytes for array in self.arrays.values())

    def _build(self):
        """Make the loop over these arrays."""
        method, arrays = self.method, self.arrays
        first = arrays["coef"], arrays["intercept"]
        if method.covariance == "full":
            single = self.dtype == np.float32
            weights = FullWeights(
                *first,
                arrays["covariance"],
                method.fit_intercept,
                self.sparse,
                single,
                method.start_variance,
            )
        elif method.covariance == "diag":
            weights = DiagonalWeights(
                *first,
                arrays["variances"],
                arrays["intercept_variances"],
                method.fit_intercept,
                self.sparse,
                method.start_variance,
            )
        else:
            sums = None
            if method.average_from is not None:
                sums = arrays["coef_sums"], arrays["intercept_sums"]
            scaling = method.intercept_scaling[self.sparse]
            weights = Weights(*first, method.fit_intercept, self.sparse, scaling, sums)
        moved = self.moved
        self.loop = UpdateLoop(
            weights,
            method.rule,
            method.demands,
            method.crammer_singer,
            method.average_from or 0,
        )
        if moved is not None:
            self.loop.restore(moved)

    def use(self, method):
        """Go on with other numbers in the rule."""
        self.method = method
        self._build()

    def expect(self, sparse):
        """Lay the arrays out for rows of the other kind."""
        if sparse == self.sparse:
            return
        self.sparse = sparse
        if self.method.covariance != "full":
            for name, array in self.arrays.items():
                if array.ndim == 2:
                    self.arrays[name] = _laid_out(array, "F" if sparse else "C")
        self._build()

    def solution(self):
        """Weights and intercepts that predict: averages, where these are kept."""
        start = self.method.average_from
        if start is None or self.loop.n_rows <= start:
            coef, intercept = self.arrays.get("coef"), self.arrays["intercept"]
        else:
            coef, intercept = self._average(start)
        return (coef if self.thin is None else self.thin), intercept

    def _average(self, start):
        """Return the mean of the states after each row from the ``start``-th on."""
        n_rows = self.loop.n_rows
        if self._averaged is None or self._averaged[0] != n_rows:
            averages = [
                array - sums / array.dtype.type(n_rows - start)
                for array, sums in (
                    (self.arrays["coef"], self.arrays["coef_sums"]),
                    (self.arrays["intercept"], self.arrays["intercept_sums"]),
                )
            ]
            self._averaged = n_rows, averages
        return self._averaged[1]

    def put(self, coef=None, intercept=None):
        """Go on from these weights."""
        given = {"coef": coef, "intercept": intercept}
        given = {name: values for name, values in given.items() if values is not None}
        if given and self.method.average_from is not None and self.loop.n_rows:
            raise ValueError("the weights of a model with average cannot be replaced")
        for name, values in given.items():
            self.arrays[name][...] = values

    def go_on_from(self, former):
        """Take over what another state has learnt; rows are counted, and averages made, anew."""
        former_arrays = dict(former.arrays)
        if "coef" not in former_arrays:
            former_arrays["coef"] = former.thin.toarray()
        shapes = [
            {name: array.shape for name, array in arrays.items()}
            for arrays in (former_arrays, self.arrays)
        ]
        if shapes[0] != shapes[1]:
            raise ValueError(
                "warm_start=True goes on from the former model, but X, y and the parameters ask "
                f"for arrays of the shapes {shapes[1]}, and it has {shapes[0]}."
            )
        for name, array in self.arrays.items():
            if name.endswith("_sums"):
                continue
            if self.method.fit_intercept or not name.startswith("intercept"):
                array[...] = former_arrays[name]
        self.loop.restore(self.moved | {"counts": former.moved["counts"]})

    def sparsify(self):
        """Predict with a sparse matrix; nothing can be learnt until ``densify``."""
        if self.thin is None:
            self.thin = sparse_matrices.csr_matrix(self.solution()[0])
            # Sums of an average cannot do without the weights they belong to.
            if self.method.average_from is None:
                self._moved, self.loop = self.loop.state(), None
                del self.arrays["coef"]

    def densify(self):
        """Make the weights an array again."""
        if self.thin is not None and self.loop is None:
            full = self.method.covariance == "full"
            kind = np.float64 if full else self.dtype
            coef = zeros(self.shape, kind, "F" if self.sparse and not full else "C")
            coef[...] = self.thin.toarray()
            self.arrays = {"coef": coef, **self.arrays}
            self._build()
        self.thin = None

    def copy(self):
        """Everything, to come back to with ``restore``."""
        return {name: array.copy(order="K") for name, array in self.arrays.items()}, (
            self.loop.state()
        )

    def restore(self, copied):
        """Back to what ``copy`` gave."""
        arrays, moved = copied
        for name, array in arrays.items():
            self.arrays[name][...] = array
        self.loop.restore(moved)
        self._averaged = None

    def as_dict(self):
        """Plain arrays and numbers, for pickles."""
        return {
            "method": vars(self.method),
            "dtype": self.dtype.name,
            "sparse": self.sparse,
            "shape": self.shape,
            "arrays": self.arrays,
            "thin": self.thin,
            "moved": self.moved,
        }

    @classmethod
    def from_dict(cls, state):
        """Rebuild a state from what ``as_dict`` gave."""
        self = cls.__new__(cls)
        self.method = Method(**state["method"])
        self.dtype = np.dtype(state["dtype"])
        self.sparse = state["sparse"]
        self.shape = tuple(state["shape"])
        order = "F" if self.sparse and self.method.covariance != "full" else "C"
        self.arrays = {
            # Copies: the arrays may be read-only, from a memory map.
            name: _laid_out(array, order) if array.ndim == 2 else array.copy()
            for name, array in state["arrays"].items()
        }
        self.thin = state["thin"]
        self.loop = self._averaged = None
        self._moved = state["moved"]
        if "coef" in self.arrays:
            self._build()
        return self


def _laid_out(array, order):
    """Return a copy that the engine can work on."""
    copied = zeros(array.shape, array.dtype, order)
    copied[...] = array
    return copied


def _covariances(method, n_problems, n_features):
    n = n_features + bool(method.fit_intercept)
    try:
        covariance = np.zeros((n_problems, n, n))
    except MemoryError:
        raise ValueError(
            f"covariance='full' keeps {n_problems} x {n} x {n} numbers for {n_features} features, "
            "more than there is memory for; use covariance='diag'."
        ) from None
    diagonal = np.arange(n)
    covariance[:, diagonal, diagonal] = method.start_variance
    return covariance
