"""The arrays of a linear model and the update loop that changes them."""

import copy
import math
from functools import wraps

import numpy as np
from scipy import sparse as sparse_matrices

from .. import _limits
from .._core.guard import SharedArrays
from .._core.linear.local import LocalWeights
from .._core.linear.online_kmeans import OnlineKMeans
from .._core.linear.rows import Dataset
from .._core.linear.update_loop import NOT_FINITE, WEIGHTS_IN_USE, UpdateLoop, first_not_finite
from .._core.linear.weights import FullWeights, Weights, zeros
from .._sample_arrays import canonical_csr, check_norms, sample_arrays
from .._transactions import PostponedInterrupts
from .._updates import UpdateSpec
from .._validation import check_samples, matches_fitted_format
from ._feature_map import FeatureMap

# Arrays that other threads may read during training.
_NAMES = (
    *("coef", "intercept", "coef_sums", "intercept_sums"),
    *("variances", "intercept_variances", "covariance"),
    *("local_coef", "local_intercept", "local_coef_sums", "local_intercept_sums"),
    *("local_variances", "local_intercept_variances"),
    *("prototypes", "prototype_scales", "prototype_squares", "prototype_counts"),
    *("advice", "intercept_advice", "scale"),
)

# Arrays whose last axis is that of the features; their memory order depends on the samples.
BY_FEATURE = {
    *("coef", "coef_sums", "variances", "advice"),
    *("local_coef", "local_coef_sums", "local_variances", "prototypes"),
}


def _completely(method):
    """Return a method that Ctrl-C does not interrupt, and that an error leaves without effect.

    The update loop belongs to arrays in one memory order. The method assigns attributes, but does
    not change their values.
    """

    @wraps(method)
    def call(self, *arguments, **keywords):
        before = dict(vars(self))
        with PostponedInterrupts():
            try:
                method(self, *arguments, **keywords)
            except BaseException:
                vars(self).update(before)
                raise

    return call


class LinearState:
    """Weights, covariances and sums of a model, with the update loop that changes them.

    If the samples are CSR (``sparse``), arrays with one column per feature are Fortran-ordered.
    """

    # The plan of the next chunk, unless parameters have changed. It is not stored.
    plan = None

    @staticmethod
    def validated(estimator, plan, state, X, y, fewest=1):
        """Return validated samples and targets; values that are not finite are found later."""
        # scikit-learn's validation takes longer than training on a small chunk.
        if (
            state is None
            or not matches_fitted_format(estimator, X, state.dtype, accept_sparse=True)
            or type(y) is not np.ndarray
            or y.shape != X.shape[:1]
        ):
            dtype = None if state is None else state.dtype
            options = dict(reset=state is None, deep=False, dtype=dtype, min_samples=fewest)
            X, y = check_samples(estimator, X, y, **options)
        return (X if isinstance(X, np.ndarray) else canonical_csr(X)), y

    @classmethod
    def begun(cls, plan, schema, X, weights, start=(None, None, None)):
        """Return samples and a state before the first of them.

        ``start``, in ``fit`` only: the state of the former fit, and given weights and intercepts.
        """
        spec, is_sparse = plan.spec_for(schema), not isinstance(X, np.ndarray)
        state = cls(spec, schema.n_problems, X.shape[1], X.dtype, is_sparse)
        former, coef, intercept = start
        if former is not None and plan.params.warm_start:
            state.copy_from(former)
        if intercept is not None and not plan.params.fit_intercept:
            raise ValueError(
                f"intercept_init={intercept!r} cannot be used with fit_intercept=False."
            )
        coef = checked_weights(coef, "coef_init", state.shape)
        state.set_weights(coef, checked_weights(intercept, "intercept_init", state.shape[:1]))
        return X, state

    def continued(self, estimator, X, spec):
        """Prepare for samples, and for another specification of the updates if it is not None."""
        is_sparse = not isinstance(X, np.ndarray)
        if self.sparse_coef is not None or self.sparse != is_sparse:
            # A chunk that is refused later would leave weights in another form, whose decision
            # values differ in the last bit.
            check_norms(estimator, X, np.finfo(self.dtype).max)
        if self.sparse_coef is not None:
            self.densify()
        if spec is not None:
            self.set_update_spec(spec)
        if self.sparse != is_sparse:
            self.set_layout(is_sparse)

    def __init__(self, spec, n_problems, n_features, dtype, sparse):
        self.update_spec = spec
        self.dtype = np.dtype(dtype)
        self.sparse = sparse
        kind = np.float64 if spec.covariance == "full" else self.dtype
        largest = float(np.finfo(kind).max)
        if spec.covariance == "full":
            largest **= 0.5  # S x x'S has the squares of variances
        if not spec.start_variance <= largest:
            raise ValueError(
                f"1 / a = {spec.start_variance:g}, the initial variance of the weights, is too "
                f"large for {np.dtype(kind)}: choose a larger a."
            )
        # Local models with sparse samples allocate columns only for features that have occurred.
        self.feature_map = None
        if spec.local is not None:
            self.feature_map = FeatureMap(
                n_features, np.zeros(0, dtype=np.int32) if sparse else None
            )
        self.shape = (n_problems, n_features)
        self.width = n_features if self.feature_map is None else self.feature_map.n_columns
        self._check_width(self.width)
        self.arrays = {
            name: (
                _covariances(spec, n_problems, n_features)
                if name == "covariance"
                else self._initial(name, kind, shape, self._order())
            )
            for name, (kind, shape) in self._layout(self.width, _limits.LEAST_REGIONS).items()
        }
        self.loop = self._counters = self._averaged = None
        self._shared = SharedArrays()
        # The sparse weights after ``sparsify``; the arrays then have no "coef".
        self.sparse_coef = None
        self._build()

    @property
    def counters(self):
        """The counters of the loop."""
        return self._counters if self.loop is None else self.loop.state()

    # ---------------------------------------------------------------------------- the engine

    def _build(self):
        """Create the update loop over the arrays."""
        spec = self.update_spec
        weights = self._weights(self.arrays)
        if spec.local is not None:
            local = {
                name.removeprefix("local_"): array
                for name, array in self.arrays.items()
                if name.startswith("local_")
            }
            weights = LocalWeights(
                weights,
                self._weights(local),
                self.kmeans(self.arrays, self.sparse),
                1.0 / spec.local["lam"],
            )
        counters = self.counters
        loop = UpdateLoop(
            weights,
            self._shared,
            spec.rule,
            spec.target_margins,
            spec.crammer_singer,
            spec.average_from or 0,
        )
        if counters is not None:
            loop.restore(counters)
        self._show(loop.n_rows)
        self.loop = loop

    def _weights(self, arrays):
        """Return the engine's view of weights, their variances and their sums."""
        spec = self.update_spec
        first = arrays["coef"], arrays["intercept"]
        if spec.covariance == "full":
            return FullWeights(
                *first,
                arrays["covariance"],
                spec.fit_intercept,
                self.sparse,
                self.dtype == np.float32,
                spec.start_variance,
            )
        sums = None
        if spec.average_from is not None:
            sums = arrays["coef_sums"], arrays["intercept_sums"]
        variances = None
        if spec.covariance == "diag":
            variances = arrays["variances"], arrays["intercept_variances"]
        return Weights(
            *first,
            spec.fit_intercept,
            self.sparse,
            spec.intercept_scaling[self.sparse],
            sums,
            variances,
            spec.start_variance,
        )

    def kmeans(self, arrays, sparse):
        """Return a view of the prototypes, with own buffers, for dense or for sparse samples."""
        vectors = arrays["prototypes"]
        # A reader may hold arrays from before the memory order was changed.
        flags = vectors.flags
        if not (flags.f_contiguous if sparse else flags.c_contiguous):
            vectors = _laid_out(vectors, "F" if sparse else "C")
        numbers = (arrays[f"prototype_{name}"] for name in ("scales", "squares", "counts"))
        return OnlineKMeans(vectors, *numbers, self.update_spec.local["n_neighbors"], sparse)

    # ---------------------------------------------------------------------------- memory layout

    def samples(self, X):
        """Return samples in the form that the loop takes; allocate columns for new features."""
        if isinstance(X, np.ndarray):
            return X
        values, indices, starts = sample_arrays(X)
        if self.feature_map is None or self.feature_map.seen is None:
            return values, indices, starts
        new = self.feature_map.new_features(indices)
        if len(new):
            width = self.feature_map.n_columns + len(new)
            if width > self.width:
                self._widen(min(max(64, width + width // 2), 1 + self.shape[1]), width)
            self.feature_map.add(new)
        return values, self.feature_map.column_of[indices], starts

    def _layout(self, n_features, n_regions):
        """Return type and shape of each array; local ones for at most so many regions."""
        spec, dtype, n_problems = self.update_spec, self.dtype, self.shape[0]
        full = spec.covariance == "full"
        weights = np.dtype(np.float64) if full else dtype, (n_problems, n_features)
        numbers = np.dtype(np.float64), (n_problems,)
        layout = {"coef": weights, "intercept": numbers}
        if spec.average_from is not None:
            layout.update(coef_sums=weights, intercept_sums=numbers)
        if spec.covariance == "diag":
            layout.update(variances=weights, intercept_variances=numbers)
        elif full:
            n = n_features + bool(spec.fit_intercept)
            layout["covariance"] = np.dtype(np.float64), (n_problems, n, n)
        if spec.local is not None:
            n = min(spec.local["n_prototypes"], n_regions)
            local = {
                f"local_{name}": (kind, (n, *shape)) for name, (kind, shape) in layout.items()
            }
            layout |= local | {
                "prototypes": (dtype, (n, n_features)),
                "prototype_scales": (np.dtype(np.float64), (n,)),
                "prototype_squares": (np.dtype(np.float64), (n,)),
                "prototype_counts": (np.dtype(np.int64), (n,)),
            }
        if spec.advice is not None:
            layout |= {"advice": weights, "intercept_advice": numbers}
            layout["scale"] = np.dtype(np.float64), (1,)
            if spec.advice["refine"]:
                layout["advice_vectors"] = np.dtype(np.float64), (spec.advice["vectors"].size,)
        return layout

    def _initial(self, name, kind, shape, order):
        """Return an array of a model that has seen no sample."""
        array = zeros(shape, kind, order) if name in BY_FEATURE else np.zeros(shape, kind)
        if name.endswith("variances"):
            array += array.dtype.type(self.update_spec.start_variance)
        return array

    def _reserve_regions(self, n_samples):
        """Allocate regions, so that each of the next samples may become a prototype."""
        local, counts = self.update_spec.local, self.arrays["prototype_counts"]
        # With one more than there are prototypes, the next sample may still become one.
        needed = min(np.count_nonzero(counts) + n_samples + 1, local["n_prototypes"])
        if needed > len(counts):
            self._extend_regions(max(needed, 2 * len(counts)))

    @_completely
    def _extend_regions(self, n_regions):
        """Copy the regions to arrays for more of them."""
        arrays, order = dict(self.arrays), self._order()
        for name, (kind, shape) in self._layout(self.width, n_regions).items():
            if name.startswith(("local_", "prototype")):
                former, arrays[name] = arrays[name], self._initial(name, kind, shape, order)
                n = min(len(former), len(arrays[name]))
                arrays[name][:n] = former[:n]
        self.arrays, self._averaged = arrays, None
        self._build()

    def _widen(self, width, needed):
        """Allocate ``width`` columns, or only as many as needed if these are too many."""
        try:
            self._check_width(width)
        except ValueError:
            self._check_width(needed)
            width = needed
        self._lay_out("F", width, slice(self.width), slice(self.width))

    def _expand(self):
        """Allocate one column per feature, in the memory order of dense samples."""
        n_features = self.shape[1]
        self._check_width(n_features)
        seen, feature_map = self.feature_map.seen, FeatureMap(n_features)
        self._lay_out("C", n_features, seen, slice(1, 1 + len(seen)), feature_map)

    @_completely
    def _lay_out(self, order, width, columns, former, feature_map=None):
        """Copy the columns ``former`` of the arrays to ``columns`` of arrays of a new width."""
        arrays = dict(self.arrays)
        for name in BY_FEATURE.intersection(arrays):
            array = arrays[name]
            shape = *array.shape[:-1], width
            arrays[name] = self._initial(name, array.dtype, shape, order)
            arrays[name][..., columns] = array[..., former]
        # Other threads may be reading the former arrays.
        self.arrays, self.width, self.sparse = arrays, width, order == "F"
        self.feature_map = feature_map or self.feature_map
        self._averaged = None
        self._build()

    def _check_width(self, width):
        """Raise an error if the local components would be too large with so many columns."""
        local = self.update_spec.local
        if local is None:
            return
        layout = self._layout(width, local["n_prototypes"])
        n_bytes = sum(kind.itemsize * math.prod(shape) for kind, shape in layout.values())
        if n_bytes > _limits.MAX_LOCAL_BYTES:
            raise ValueError(
                f"n_prototypes={local['n_prototypes']} takes {n_bytes / 2**30:.3g} GiB for "
                f"{width} features and {max(2, self.shape[0])} classes; at most "
                f"{_limits.MAX_LOCAL_BYTES / 2**30:.3g} GiB are allowed. Choose fewer prototypes, "
                "or hash the features to fewer ones (HashingVectorizer, FeatureHasher)."
            )

    @_completely
    def set_update_spec(self, spec):
        """Continue with other parameters of the update rule."""
        self.update_spec = spec
        self._build()

    @_completely
    def set_layout(self, sparse):
        """Change the memory order of the arrays for dense or sparse samples."""
        if self.feature_map is not None and self.feature_map.seen is not None:
            self._expand()
            return
        self.sparse = sparse
        if self.update_spec.covariance != "full":
            self.arrays = self._copies(self.arrays)
        self._build()

    def _copies(self, arrays):
        """Return copies that the engine can work on."""
        order = self._order()
        return {
            name: _laid_out(array, order) if name in BY_FEATURE else array.copy()
            for name, array in arrays.items()
        }

    def _order(self):
        return "F" if self.sparse and self.update_spec.covariance != "full" else "C"

    # ---------------------------------------------------------------------------- reading

    def _show(self, n_rows):
        """Let readers have the arrays that predictions come from."""
        arrays = self.arrays
        if self.sparse_coef is not None:
            arrays = {**arrays, "coef": self.sparse_coef}
        self.nbytes = sum(array.nbytes for array in self.arrays.values())
        self._shared_names = [name for name in _NAMES if name in arrays]
        shown = self._readable(arrays)
        if self.sparse_coef is not None and self.update_spec.derived:
            # The average itself, which is constant until ``densify``.
            _, intercept = self._average(self._readable(self.arrays), n_rows)
            shown = self.sparse_coef, intercept
        self._shared.publish(shown, n_rows)

    def _readable(self, arrays):
        """Return the arrays that readers may have, in the order of ``_shared_names``."""
        shown = tuple(map(arrays.__getitem__, self._shared_names))
        return shown if self.feature_map is None else (*shown, self.feature_map)

    def _read(self, guard):
        """Return the shared arrays, and the number of samples processed by then.

        Training does not change them while the caller holds them. During training by another
        thread they are the former ones, or this waits for the end of the training.
        """
        arrays, n_rows = self._shared.read()
        if arrays is None:
            with guard.reading():
                return self._shared.read()
        return arrays, n_rows

    def weights(self, guard):
        """Return the weights and intercepts that predict."""
        arrays, n_rows = self._shared.read()
        if arrays is None:
            arrays, n_rows = self._read(guard)
        if len(arrays) == 2:
            return arrays
        if self.update_spec.average_from is None:
            return arrays[:2]
        return self._average(arrays, n_rows)

    def named_weights(self, guard):
        """Return a dict of all arrays that predict."""
        arrays, n_rows = self._read(guard)
        names = [name for name in _NAMES if name in self.arrays]
        named = dict(zip([*names, "feature_map"], arrays, strict=True))
        if self.update_spec.average_from is not None:
            names = "coef", "intercept", "local_coef", "local_intercept"
            sums = [named.pop(f"{name}_sums") for name in names]
            averages = self._average([*(named[name] for name in names), *sums], n_rows)
            named.update(zip(names, averages, strict=True))
        return named

    def covariance(self, guard):
        """Return the variances or covariances of the weights, and those of the intercepts."""
        return self._read(guard)[0][2:]

    def scores(self, X, guard):
        """Return the decision values of validated samples, ``X w + b``."""
        coef, intercept = self.weights(guard)
        scores = X @ coef.T
        return (scores.toarray() if sparse_matrices.issparse(scores) else scores) + intercept

    def _average(self, arrays, n_rows):
        """Return averages: ``arrays`` are the newest values, followed by their sums."""
        start, n = self.update_spec.average_from, len(arrays) // 2
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

    # ---------------------------------------------------------------------------- training

    def train_chunk(self, X, targets, weights, progress=None):
        """Train on all samples of a chunk, in order, or on none if one is invalid.

        Returns the index of the first sample with a norm that is not finite, or too large, or -1.
        """
        samples = self.samples(X)
        if self.update_spec.local is not None:
            self._reserve_regions(X.shape[0])  # before the copy that ``restore`` writes back
        n_bytes = samples.nbytes if X is samples else samples[0].nbytes + samples[1].nbytes
        backup = readable = None
        # Either look for invalid samples first, or be able to restore: the cheaper of the two.
        if n_bytes <= self.nbytes:
            invalid = first_not_finite(samples, self.loop.weights)
            if invalid >= 0:
                return invalid
        else:
            backup = self.copy()
            readable = self._readable(backup[0])
        dataset = Dataset(samples, targets, weights)
        end, position = self.train(dataset, meanwhile=readable, progress=progress)
        if end == NOT_FINITE:
            self.restore(backup)
            return position
        return -1

    def train(self, dataset, start=0, purchases=None, meanwhile=None, progress=None):
        """Run the update loop; return how it ended, and its position."""
        if self.update_spec.local is not None:
            self._reserve_regions(dataset.n_samples)
        end, position = self.loop.train(dataset, start, purchases, meanwhile, progress)
        if end == WEIGHTS_IN_USE:
            self._detach()
            end, position = self.loop.train(dataset, start, purchases, meanwhile, progress)
        return end, position

    def _detach(self):
        """Leave the arrays to their readers and continue with copies."""
        held = self.arrays
        try:
            self.arrays = self._copies(held)
            self._build()
        except BaseException:
            self.arrays = held
            self.publish()
            raise

    def publish(self):
        """Let readers have the updates made before training stopped at an invalid sample."""
        self._shared.end_write(self.loop.n_rows)

    def expect(self, X, again=False):
        """Do nothing: kernel models number their samples here."""

    def copy(self):
        """Return copies of the arrays and counters, for ``restore``."""
        return {name: array.copy(order="K") for name, array in self.arrays.items()}, (
            self.loop.state()
        )

    def restore(self, copied):
        """Restore the state returned by ``copy``."""
        arrays, counters = copied
        for name, array in arrays.items():
            self.arrays[name][...] = array
        self.loop.restore(counters)
        self._averaged = None
        self.publish()

    # ---------------------------------------------------------------------------- new classes

    def extended(self, plan, schema, places):
        """Return a copy with functions for new classes; the other functions do not change.

        The new functions are constant: -1 in one-vs-rest, where all former samples are negative,
        and 0 in a joint problem or without an intercept.

        Two classes have one function f. The functions of the two are then -f and f, or half of
        these in a joint problem, whose margin is their difference.

        ``places``: indices of the former classes among all classes.
        """
        spec, n_classes = plan.spec_for(schema), len(schema.classes)
        stored = self.as_dict()
        if stored["thin"] is not None:
            thick = self.from_dict(stored)
            thick.densify()
            stored = thick.as_dict()
        single = len(places) > self.shape[0]
        scale = (0.5 if spec.crammer_singer else 1.0) * np.array([-1.0, 1.0])
        arrays = {}
        for name, array in stored["arrays"].items():
            if name.startswith("prototype"):
                arrays[name] = array
                continue
            axis = int(name.startswith("local_"))
            former = np.moveaxis(array, axis, 0)
            if single:
                former = np.repeat(former, 2, axis=0)
                if not name.endswith(("variances", "covariance")):
                    former *= scale.astype(former.dtype).reshape(2, *[1] * (former.ndim - 1))
            wider = np.zeros((n_classes, *former.shape[1:]), former.dtype)
            if name.endswith("variances"):
                wider += wider.dtype.type(spec.start_variance)
            elif name == "intercept" and spec.fit_intercept and not spec.crammer_singer:
                # The target of all samples so far. A function of zeros would be the highest one
                # wherever those of the other classes are negative.
                wider -= 1.0
            elif name == "covariance":
                diagonal = np.arange(wider.shape[-1])
                wider[:, diagonal, diagonal] = spec.start_variance
            wider[places] = former
            arrays[name] = np.moveaxis(wider, 0, axis)
        counts = np.zeros(n_classes)
        counts[places] = stored["moved"]["counts"]
        moved = stored["moved"] | {"counts": counts}
        shape = n_classes, self.shape[1]
        stored |= {"method": vars(spec), "arrays": arrays, "moved": moved, "shape": shape}
        state = self.from_dict(stored)
        state._check_width(state.width)
        return state

    # ---------------------------------------------------------------------------- given weights

    def set_weights(self, coef=None, intercept=None):
        """Continue from these weights; None keeps the present ones."""
        given = {"coef": coef, "intercept": intercept}
        given = {name: values for name, values in given.items() if values is not None}
        if not given:
            return
        if self.update_spec.average_from is not None and self.loop.n_rows:
            raise ValueError("the weights of a model with average cannot be replaced")
        for name, values in given.items():
            given[name] = values.astype(self.arrays[name].dtype)
        # Other threads may be reading the former arrays.
        self.arrays = self.arrays | self._copies(given)
        if self.loop is None:
            self._show(self._counters["n_rows"])
        else:
            self._build()

    def copy_from(self, former):
        """Continue from another state; counts of samples, and averages, start again."""
        if self.update_spec.local is not None:
            n, given = (state.update_spec.local["n_prototypes"] for state in (former, self))
            if n != given:
                raise ValueError(
                    f"warm_start=True needs n_prototypes of the former model, {n}, got {given}."
                )
            self._extend_regions(len(former.arrays["prototype_counts"]))
        former_arrays = dict(former.arrays)
        if self.feature_map is not None and former.shape == self.shape:
            former_arrays = self._match_features(former)
        if "coef" not in former_arrays:
            former_arrays["coef"] = former.sparse_coef.toarray()
        shapes = [
            {name: array.shape for name, array in arrays.items()}
            for arrays in (former_arrays, self.arrays)
        ]
        if shapes[0] != shapes[1]:
            raise ValueError(
                "warm_start=True needs weights of the same shapes as those of the former model, "
                f"{shapes[0]}; X, y and the parameters require {shapes[1]}."
            )
        for name, array in self.arrays.items():
            if name.endswith("_sums"):
                continue
            if self.update_spec.fit_intercept or not name.startswith("intercept"):
                array[...] = former_arrays[name]
        self.loop.restore(self.counters | {"counts": former.counters["counts"]})

    def _match_features(self, former):
        """Adopt the feature map of another state; return its arrays with the columns of this."""
        if self.feature_map.seen is not None and former.feature_map.seen is not None:
            feature_map = copy.deepcopy(former.feature_map)
            self._lay_out("F", former.width, slice(0), slice(0), feature_map)
            return former.arrays
        if self.feature_map.seen is not None:
            # A model trained on dense samples has a column for each feature.
            self._expand()
            self.set_layout(sparse=True)
        expanded = {
            name: former.feature_map.expand(array)
            for name, array in former.arrays.items()
            if name in BY_FEATURE
        }
        return former.arrays | expanded

    def sparsify(self):
        """Predict with a sparse matrix; training is possible after ``densify``."""
        self.sparse_coef = sparse_matrices.csr_matrix(self.weights(None)[0])
        # Averages and advised weights are computed from the weights, which are still needed.
        if not self.update_spec.derived:
            self._counters, self.loop = self.loop.state(), None
            del self.arrays["coef"]
        self._show(self.counters["n_rows"])

    @_completely
    def densify(self):
        """Convert the weights back to an array."""
        coef, self.sparse_coef = self.sparse_coef, None
        if self.loop is None:
            kind = np.float64 if self.update_spec.covariance == "full" else self.dtype
            coef = _laid_out(coef.toarray().astype(kind, copy=False), self._order())
            self.arrays = {"coef": coef, **self.arrays}
        self._build()

    # ---------------------------------------------------------------------------- pickling

    def as_dict(self):
        """Return copies of the arrays, and numbers, for pickling."""
        thin = self.sparse_coef
        if thin is not None:
            thin = {name: getattr(thin, name).copy() for name in ("data", "indices", "indptr")}
        columns = {}
        if self.feature_map is not None:
            columns = {"columns": self.feature_map.seen, "width": self.width}
        return {
            "method": vars(self.update_spec),
            "dtype": self.dtype.name,
            "sparse": self.sparse,
            "shape": self.shape,
            **columns,
            "arrays": {name: array.copy(order="K") for name, array in self.arrays.items()},
            "thin": thin,
            "moved": self.counters,
        }

    @classmethod
    def from_dict(cls, state):
        """Rebuild a result of ``as_dict``."""
        self = cls.__new__(cls)
        self.update_spec = UpdateSpec(**state["method"])
        self.dtype, self.sparse = np.dtype(state["dtype"]), state["sparse"]
        self.shape = tuple(state["shape"])
        n_features = self.shape[1]
        self.feature_map, self.width = None, state.get("width", n_features)
        if self.update_spec.local is not None:
            self.feature_map = FeatureMap(n_features, state["columns"])
        self.sparse_coef = state["thin"]
        if self.sparse_coef is not None:
            parts = tuple(self.sparse_coef[name] for name in ("data", "indices", "indptr"))
            self.sparse_coef = sparse_matrices.csr_matrix(parts, shape=self.shape)
        self._counters = state["moved"]
        # Copies: the arrays may be read-only, from a memory map.
        order = self._order()
        self.arrays = {
            name: _laid_out(array, order) if name in BY_FEATURE else array.copy()
            for name, array in state["arrays"].items()
        }
        self.loop = self._averaged = None
        self._shared = SharedArrays()
        if "coef" in self.arrays:
            self._build()
        else:
            self._show(self._counters["n_rows"])
        return self


def checked_weights(values, name, shape):
    """Return given weights as float64, in this shape; None remains None."""
    if values is None:
        return None
    values = np.asarray(values, dtype=np.float64)
    if values.shape != shape and (1, *values.shape) != shape and (*values.shape, 1) != shape:
        raise ValueError(f"{name} must have shape {shape}, got {values.shape}.")
    if not np.isfinite(values).all():
        raise ValueError(f"{name} must be finite.")
    return values.reshape(shape)


def _laid_out(array, order):
    """Return a copy that the engine can work on."""
    copied = zeros(array.shape, array.dtype, order)
    copied[...] = array
    return copied


def _covariances(spec, n_problems, n_features):
    n = n_features + bool(spec.fit_intercept)
    try:
        covariance = np.zeros((n_problems, n, n))
    except MemoryError:
        raise ValueError(
            f"covariance='full' keeps {n_problems} x {n} x {n} numbers for {n_features} features, "
            "more than there is memory for; use covariance='diag'."
        ) from None
    diagonal = np.arange(n)
    covariance[:, diagonal, diagonal] = spec.start_variance
    return covariance
