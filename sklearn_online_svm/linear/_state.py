"""The arrays of a linear model and the update loop that changes them."""

import copy
import math

import numpy as np
from scipy import sparse as sparse_matrices

from .._core.guard import Shelf
from .._core.linear.local import LocalWeights
from .._core.linear.online_kmeans import OnlineKMeans
from .._core.linear.update_loop import WEIGHTS_IN_USE, UpdateLoop
from .._core.linear.weights import FullWeights, Weights, zeros
from .._rows import arrays_of
from ._columns import Columns
from ._update_spec import Method

# Arrays that other threads may read during training.
_NAMES = (
    *("coef", "intercept", "coef_sums", "intercept_sums"),
    *("variances", "intercept_variances", "covariance"),
    *("local_coef", "local_intercept", "local_coef_sums", "local_intercept_sums"),
    *("local_variances", "local_intercept_variances"),
    *("prototypes", "prototype_scales", "prototype_squares", "prototype_counts"),
    *("advice", "intercept_advice", "scale"),
)
# Size limit in bytes of the local components, checked before memory is allocated.
LARGEST_LOCAL = 8 << 30

# Arrays whose last axis is that of the features; their memory order depends on the samples.
BY_FEATURE = {
    *("coef", "coef_sums", "variances", "advice"),
    *("local_coef", "local_coef_sums", "local_variances", "prototypes"),
}


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
        kind = np.float64 if method.covariance == "full" else self.dtype
        if not method.start_variance <= np.finfo(kind).max:
            raise ValueError(
                f"1 / a = {method.start_variance:g}, the variance of the weights at first, is too "
                f"large for {np.dtype(kind)}: choose a larger a."
            )
        order = self._order()
        # Where there are many vectors, sparse rows have memory for the columns that occur.
        self.columns = None
        if method.local is not None:
            self.columns = Columns(n_features, np.zeros(0, dtype=np.int32) if sparse else None)
        self.shape = (n_problems, n_features)
        self.width = n_features if self.columns is None else self.columns.n_places
        self._refuse_width(self.width)
        arrays = {}
        for name, (kind, shape) in _layout(method, self.dtype, n_problems, self.width).items():
            if name == "covariance":
                arrays[name] = _covariances(method, n_problems, n_features)
            else:
                by_feature = name in BY_FEATURE
                arrays[name] = zeros(shape, kind, order) if by_feature else np.zeros(shape, kind)
            if name.endswith("variances"):
                arrays[name] += arrays[name].dtype.type(method.start_variance)
        self.arrays = arrays
        self.loop = self._moved = self._averaged = None
        self._shelf = Shelf()
        # The weights of a model that was made sparse; "coef" is missing among the arrays then.
        self.thin = None
        self._build()

    @property
    def moved(self):
        """The counters of the loop."""
        return self._moved if self.loop is None else self.loop.state()

    def _build(self):
        """Make the loop over these arrays."""
        method = self.method
        weights = self._weights(self.arrays)
        if method.local is not None:
            local = {
                name.removeprefix("local_"): array
                for name, array in self.arrays.items()
                if name.startswith("local_")
            }
            weights = LocalWeights(
                weights,
                self._weights(local),
                self.centres(self.arrays, self.sparse),
                1.0 / method.local["lam"],
            )
        moved = self.moved
        loop = UpdateLoop(
            weights,
            self._shelf,
            method.rule,
            method.demands,
            method.crammer_singer,
            method.average_from or 0,
        )
        if moved is not None:
            loop.restore(moved)
        self._show(loop.n_rows)
        self.loop = loop

    def _weights(self, arrays):
        """Return the engine's view of weights, and of what belongs to them."""
        method = self.method
        first = arrays["coef"], arrays["intercept"]
        if method.covariance == "full":
            return FullWeights(
                *first,
                arrays["covariance"],
                method.fit_intercept,
                self.sparse,
                self.dtype == np.float32,
                method.start_variance,
            )
        sums = None
        if method.average_from is not None:
            sums = arrays["coef_sums"], arrays["intercept_sums"]
        variances = None
        if method.covariance == "diag":
            variances = arrays["variances"], arrays["intercept_variances"]
        scaling = method.intercept_scaling[self.sparse]
        return Weights(
            *first,
            method.fit_intercept,
            self.sparse,
            scaling,
            sums,
            variances,
            method.start_variance,
        )

    def centres(self, arrays, sparse):
        """Return the engine's view of the prototypes for rows of a kind.

        Each view has memory of its own beside the arrays.
        """
        vectors = arrays["prototypes"]
        # The arrays may be of before they were laid out for other rows.
        flags = vectors.flags
        if not (flags.f_contiguous if sparse else flags.c_contiguous):
            vectors = _laid_out(vectors, "F" if sparse else "C")
        numbers = (arrays[f"prototype_{name}"] for name in ("scales", "squares", "counts"))
        return OnlineKMeans(vectors, *numbers, self.method.local["n_neighbors"], sparse)

    def _show(self, n_rows):
        """Let others read the arrays that decisions come from."""
        arrays = self.arrays if self.thin is None else {**self.arrays, "coef": self.thin}
        self.nbytes = sum(array.nbytes for array in self.arrays.values())
        self._on_shelf = [name for name in _NAMES if name in arrays]
        shown = self.on_shelf(arrays)
        if self.thin is not None and self.method.derived:
            # The average itself: nothing is learnt before ``densify``.
            _, intercept = self._average(self.on_shelf(self.arrays), n_rows)
            shown = self.thin, intercept
        self._shelf.put(shown, n_rows)

    def rows(self, X):
        """Rows as the update loop takes them, with memory for their columns."""
        rows = arrays_of(X)
        if self.columns is None or self.columns.met is None:
            return rows
        values, indices, starts = rows
        new = self.columns.unmet(indices)
        if len(new):
            width = self.columns.n_places + len(new)
            if width > self.width:
                self._widen(min(max(64, width + width // 2), 1 + self.shape[1]), width)
            self.columns.admit(new)
        return values, self.columns.place[indices], starts

    def _widen(self, width, needed):
        """Memory for more columns; for those needed at least."""
        try:
            self._refuse_width(width)
        except ValueError:
            self._refuse_width(needed)
            width = needed
        self._lay_out("F", width, slice(self.width), slice(self.width))

    def _spread(self):
        """Memory for all columns, each at its own place, and as dense rows want it."""
        n_features = self.shape[1]
        self._refuse_width(n_features)
        met, columns = self.columns.met, Columns(n_features)
        self._lay_out("C", n_features, met, slice(1, 1 + len(met)), columns)

    def _lay_out(self, order, width, places, former, columns=None):
        """Put the columns `former` of the arrays to places of arrays that are so wide."""
        arrays = dict(self.arrays)
        for name in BY_FEATURE.intersection(arrays):
            array = arrays[name]
            arrays[name] = wider = zeros((*array.shape[:-1], width), array.dtype, order)
            if name.endswith("variances"):
                wider += wider.dtype.type(self.method.start_variance)
            wider[..., places] = array[..., former]
        # Others may be at work with those that there are.
        self.arrays, self.width, self.sparse = arrays, width, order == "F"
        self.columns = columns or self.columns
        self._averaged = None
        self._build()

    def _refuse_width(self, width):
        """Refuse arrays of regions that are too large for so many columns."""
        local = self.method.local
        if local is None:
            return
        layout = _layout(self.method, self.dtype, self.shape[0], width)
        n_bytes = sum(kind.itemsize * math.prod(shape) for kind, shape in layout.values())
        if n_bytes > LARGEST_LOCAL:
            raise ValueError(
                f"n_prototypes={local['n_prototypes']} takes {n_bytes / 2**30:.3g} GiB for "
                f"{width} columns and {max(2, self.shape[0])} classes; at most "
                f"{LARGEST_LOCAL / 2**30:.3g} GiB are allowed. Choose fewer prototypes, or hash "
                "the columns to fewer ones (HashingVectorizer, FeatureHasher)."
            )

    def use(self, method):
        """Go on with other numbers in the rule."""
        self.method = method
        self._build()

    def expect(self, sparse):
        """Change the memory order of the arrays for dense or sparse samples."""
        if sparse == self.sparse:
            return
        if self.columns is not None and self.columns.met is not None:
            self._spread()
            return
        self.sparse = sparse
        if self.method.covariance != "full":
            self.arrays = self._copies(self.arrays)
        self._build()

    def expect_rows(self, n_rows, again):
        """Rows to come need not be known one by one."""

    def look(self, guard):
        """Weights and intercepts that predict; nobody writes to them while they are held.

        While another thread, which holds the guard, learns, they are those of before, or this
        waits for the end.
        """
        arrays, n_rows = self._shelf.look()
        if arrays is None:
            arrays, n_rows = self._wait(guard)
        if len(arrays) == 2:
            return arrays
        if self.method.average_from is None:
            return arrays[:2]
        return self._average(arrays, n_rows)

    def on_shelf(self, arrays):
        """Return what others may read, in the order of the shelf."""
        shown = tuple(arrays[name] for name in self._on_shelf)
        return shown if self.columns is None else (*shown, self.columns)

    def _share_columns(self, former):
        """Have the columns of another state; returns its arrays with these columns."""
        if self.columns.met is not None and former.columns.met is not None:
            columns = copy.deepcopy(former.columns)
            self._lay_out("F", former.width, slice(0), slice(0), columns)
            return former.arrays
        if self.columns.met is not None:
            # What was learnt from dense rows has all columns.
            self._spread()
            self.expect(True)
        spread = {
            name: former.columns.spread(array)
            for name, array in former.arrays.items()
            if name in BY_FEATURE
        }
        return former.arrays | spread

    def look_around(self, guard):
        """All arrays that predict, by their names; as ``look`` does."""
        arrays, n_rows = self._shelf.look()
        if arrays is None:
            arrays, n_rows = self._wait(guard)
        names = [name for name in _NAMES if name in self.arrays]
        named = dict(zip([*names, "columns"], arrays, strict=True))
        if self.method.average_from is not None:
            names = "coef", "intercept", "local_coef", "local_intercept"
            sums = [named.pop(f"{name}_sums") for name in names]
            averages = self._average([*(named[name] for name in names), *sums], n_rows)
            named.update(zip(names, averages, strict=True))
        return named

    def covariance(self, guard):
        """Variances, or covariances, of the weights, and of the intercepts, as ``look`` does."""
        arrays, _ = self._shelf.look()
        if arrays is None:
            arrays, _ = self._wait(guard)
        return arrays[2:]

    def _wait(self, guard):
        with guard.reading():
            return self._shelf.look()

    def _average(self, arrays, n_rows):
        """Return the averages, once they have begun; the sums come behind what they are of."""
        start, n = self.method.average_from, len(arrays) // 2
        if n_rows <= start:
            return arrays[:n]
        averaged = self._averaged
        if averaged is None or averaged[0] != n_rows:
            averages = tuple(
                array - total / array.dtype.type(n_rows - start)
                for array, total in zip(arrays[:n], arrays[n:], strict=True)
            )
            averaged = self._averaged = n_rows, averages
        return averaged[1]

    def learn(self, dataset, start=0, purchases=None, meanwhile=None):
        """Learn by the loop."""
        end, position = self.loop.train(dataset, start, purchases, meanwhile)
        if end == WEIGHTS_IN_USE:
            self._leave()
            end, position = self.loop.train(dataset, start, purchases, meanwhile)
        return end, position

    def _leave(self):
        """Leave the arrays to those who hold them, and go on with copies."""
        held = self.arrays
        try:
            self.arrays = self._copies(held)
            self._build()
        except BaseException:
            self.arrays = held
            self.keep()
            raise

    def keep(self):
        """Let others read what was learnt before ``learn`` met a row that is no number."""
        self._shelf.open(self.loop.n_rows)

    def _copies(self, arrays):
        """Return copies that the engine can work on."""
        order = self._order()
        return {
            name: _laid_out(array, order) if name in BY_FEATURE else array.copy()
            for name, array in arrays.items()
        }

    def _order(self):
        return "F" if self.sparse and self.method.covariance != "full" else "C"

    def put(self, coef=None, intercept=None):
        """Go on from these weights."""
        given = {"coef": coef, "intercept": intercept}
        given = {name: values for name, values in given.items() if values is not None}
        if not given:
            return
        if self.method.average_from is not None and self.loop.n_rows:
            raise ValueError("the weights of a model with average cannot be replaced")
        for name, values in given.items():
            given[name] = values.astype(self.arrays[name].dtype)
        # Others may be at work with the arrays that there are.
        self.arrays = self.arrays | self._copies(given)
        if self.loop is None:
            self._show(self._moved["n_rows"])
        else:
            self._build()

    def go_on_from(self, former):
        """Take over what another state has learnt; rows are counted, and averages made, anew."""
        former_arrays = dict(former.arrays)
        if self.columns is not None and former.shape == self.shape:
            former_arrays = self._share_columns(former)
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
            self.thin = sparse_matrices.csr_matrix(self.look(None)[0])
            # What is derived cannot do without the weights it comes from.
            if not self.method.derived:
                self._moved, self.loop = self.loop.state(), None
                del self.arrays["coef"]
            self._show(self.moved["n_rows"])

    def densify(self):
        """Make the weights an array again."""
        if self.thin is None:
            return
        thin, self.thin = self.thin, None
        if self.loop is None:
            kind = np.float64 if self.method.covariance == "full" else self.dtype
            coef = _laid_out(thin.toarray().astype(kind, copy=False), self._order())
            self.arrays = {"coef": coef, **self.arrays}
        self._build()

    def copy(self):
        """Return copies of the arrays and counters, for ``restore``."""
        return {name: array.copy(order="K") for name, array in self.arrays.items()}, (
            self.loop.state()
        )

    def restore(self, copied):
        """Restore the state returned by ``copy``."""
        arrays, moved = copied
        for name, array in arrays.items():
            self.arrays[name][...] = array
        self.loop.restore(moved)
        self._averaged = None
        self.keep()

    def as_dict(self):
        """Plain arrays, copies all of them, and numbers, for pickles."""
        thin = self.thin
        if thin is not None:
            thin = {name: getattr(thin, name).copy() for name in ("data", "indices", "indptr")}
        return {
            "method": vars(self.method),
            "dtype": self.dtype.name,
            "sparse": self.sparse,
            "shape": self.shape,
            **self._columns_as_dict(),
            "arrays": {name: array.copy(order="K") for name, array in self.arrays.items()},
            "thin": thin,
            "moved": self.moved,
        }

    def _columns_as_dict(self):
        if self.columns is None:
            return {}
        return {"columns": self.columns.met, "width": self.width}

    @classmethod
    def from_state(cls, state):
        """Rebuild a result of ``as_dict``."""
        self = cls.__new__(cls)
        self.method = Method(**state["method"])
        self.dtype, self.sparse = np.dtype(state["dtype"]), state["sparse"]
        self.shape = tuple(state["shape"])
        n_features = self.shape[1]
        self.columns, self.width = None, state.get("width", n_features)
        if self.method.local is not None:
            self.columns = Columns(n_features, state["columns"])
        self.thin = state["thin"]
        if self.thin is not None:
            parts = tuple(self.thin[name] for name in ("data", "indices", "indptr"))
            self.thin = sparse_matrices.csr_matrix(parts, shape=self.shape)
        self._moved = state["moved"]
        # Copies: the arrays may be read-only, from a memory map.
        order = self._order()
        self.arrays = {
            name: _laid_out(array, order) if name in BY_FEATURE else array.copy()
            for name, array in state["arrays"].items()
        }
        self.loop = self._averaged = None
        self._shelf = Shelf()
        if "coef" in self.arrays:
            self._build()
        else:
            self._show(self._moved["n_rows"])
        return self


def _layout(method, dtype, n_problems, n_features):
    """Return type and shape of each array of a model."""
    full = method.covariance == "full"
    weights = np.dtype(np.float64) if full else dtype, (n_problems, n_features)
    numbers = np.dtype(np.float64), (n_problems,)
    layout = {"coef": weights, "intercept": numbers}
    if method.average_from is not None:
        layout.update(coef_sums=weights, intercept_sums=numbers)
    if method.covariance == "diag":
        layout.update(variances=weights, intercept_variances=numbers)
    elif full:
        n = n_features + bool(method.fit_intercept)
        layout["covariance"] = np.dtype(np.float64), (n_problems, n, n)
    if method.local is not None:
        n = method.local["n_prototypes"]
        local = {f"local_{name}": (kind, (n, *shape)) for name, (kind, shape) in layout.items()}
        layout |= local | {
            "prototypes": (dtype, (n, n_features)),
            "prototype_scales": (np.dtype(np.float64), (n,)),
            "prototype_squares": (np.dtype(np.float64), (n,)),
            "prototype_counts": (np.dtype(np.int64), (n,)),
        }
    if method.advice is not None:
        layout |= {"advice": weights, "intercept_advice": numbers}
        layout["scale"] = np.dtype(np.float64), (1,)
        if method.advice["refine"]:
            layout["advice_vectors"] = np.dtype(np.float64), (method.advice["vectors"].size,)
    return layout


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
