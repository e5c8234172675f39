"""What the first samples fix: gamma, the precision, the layout and the origin of the features."""

from dataclasses import replace

import numpy as np
from scipy import sparse
from sklearn.base import clone
from sklearn.utils.sparsefuncs import mean_variance_axis

from .._core.kernel.vectors import stores
from .._threads import warn
from ._column_kernel import ColumnKernel
from ._spec import EXPONENTIAL, KERNELS, EngineSpec

# A variance that is a smaller share of the squared mean is not computed as a difference of means.
_LEAST_SHARE = 1e-6

# Kernels with a coefficient gamma.
WITH_GAMMA = ("rbf", "poly", "sigmoid", *EXPONENTIAL)

# Warn if gamma="scale" is computed from a first chunk with fewer samples.
MIN_FIRST_CHUNK = 30

# Warn if a single feature has more than this share of the total variance (or of the sum of the
# standard deviations), and more than this multiple of the range of every other feature: a rare
# category has a small variance, but the range of other categories.
SINGLE_SHARE, SINGLE_RANGE = 0.99, 10.0
# This is computed from at most about so many samples, and at least MIN_FIRST_CHUNK.
MOST_LOOKED_AT = 2000

# Dense samples with a smaller fraction of nonzeros are stored as sparse vectors: the kernel values
# are bitwise identical and cost less (measured break-even on MNIST-like data: about a third).
SPARSE_BELOW = 0.3

# Limit of the ratio of the squared norm of a sample to its squared distance from the mean. Beyond
# it, kernel values of the linear kernel lose too much when rounded to single precision, and the
# samples are centered. With a bias, this changes nothing but the bias.
FAR = 100.0


def fixed_kernel(plan, targets, X, encoded, weights, names, fewest=2):
    """Return X in the dtype of the kernel, the specification of the engine, and targets.

    ``names`` are those of the features, if known. Fewer samples than ``fewest`` are not enough to
    tell whether features are far from 0.
    """
    params, solver, offset = plan.params, plan.solver(plan.params, targets), None
    kernel, gamma, X = fixed_values(params, X, weights, names)
    is_linear = isinstance(kernel, str) and kernel == "linear"
    if is_linear and solver.may_move_origin and X.shape[0] >= fewest:
        offset = far_centre(X if weights.all() else X[weights > 0])
        X = X if offset is None else X.astype(np.float64, copy=False)
    spec = EngineSpec(
        n_features=X.shape[1],
        n_problems=targets.n_problems,
        one_vs_one=targets.one_vs_one,
        dtype=X.dtype.name,
        layout=choose_layout(X, params.kernel),
        kernel=kernel,
        degree=int(params.degree),
        gamma=gamma,
        coef0=float(params.coef0),
        cache_size=float(params.cache_size),
        solver=solver,
        offset=offset,
    )
    # An estimate of epsilon needs kernel values.
    fixed = targets.fixed(plan, spec, X, encoded, weights)
    if fixed is not targets:
        targets, spec = fixed, replace(spec, solver=plan.solver(params, fixed))
    return X, spec, targets


def refuse_other_than_square(X):
    """Raise ValueError if a kernel matrix is not square."""
    if X.shape[0] != X.shape[1]:
        raise ValueError(
            "Precomputed matrix must be a square matrix. "
            f"Input is a {X.shape[0]}x{X.shape[1]} matrix."
        )


# -------------------------------------------------------------------------------- gamma


def warn_of_small_chunk(params, X):
    """Warn if the first chunk of a stream has few samples to compute gamma from."""
    has_scale = params.gamma == "scale" and isinstance(params.kernel, str)
    if has_scale and params.kernel in WITH_GAMMA and X.shape[0] < MIN_FIRST_CHUNK:
        warn(
            f"gamma='scale' is fixed by the first chunk, which has only {X.shape[0]} "
            "samples; give gamma a number, or begin with a larger chunk."
        )


def fixed_values(params, X, weights, names):
    """Return the kernel and gamma in use, and X in the dtype that they require."""
    kernel = params.kernel
    if isinstance(kernel, str):
        kernel = str(kernel)  # a grid may hold strings of NumPy
    elif isinstance(kernel, ColumnKernel):
        kernel = clone(kernel)  # changes of its parameters do not affect the model
    if params.gamma == "scale" and isinstance(kernel, str) and kernel in WITH_GAMMA:
        gamma = scale_gamma(X, weights, kernel in EXPONENTIAL)
    else:
        gamma = 1.0 / X.shape[1] if isinstance(params.gamma, str) else float(params.gamma)
    if params.gamma == 0 and isinstance(kernel, str) and kernel in WITH_GAMMA:
        warn(
            f"With gamma=0 all values of kernel={kernel!r} are the same, so that the model is "
            "constant: use a gamma above 0, or gamma='scale'."
        )
    elif isinstance(kernel, str) and kernel in ("rbf", *EXPONENTIAL):
        warn_of_single_feature(X, weights, names, is_exponential=kernel != "rbf")
    if X.dtype == np.float32 and needs_double(X, kernel, gamma):
        X = X.astype(np.float64)
    return kernel, gamma, X


def warn_of_single_feature(X, weights, names, *, is_exponential):
    """Warn if distances between samples are nearly those of one feature, because of its scale.

    The parts of features are their variances in squared distances, and their standard deviations
    in the exponent of ``EXPONENTIAL`` kernels.
    """
    n_weighted = np.count_nonzero(weights)
    if n_weighted < MIN_FIRST_CHUNK or X.shape[1] < 2:
        return
    if n_weighted < len(weights) or n_weighted > MOST_LOOKED_AT:
        X = X[np.flatnonzero(weights)[:: -(-n_weighted // MOST_LOOKED_AT)]]
    is_sparse = sparse.issparse(X)
    ends = X.min(axis=0), X.max(axis=0)
    lower, upper = (end.toarray().ravel() if is_sparse else end for end in ends)
    with np.errstate(over="ignore"):
        ranges = upper - lower
    first, second = np.argsort(ranges)[[-1, -2]]
    # Most data end here. If all other features are constant, there is nothing to scale.
    if not 0.0 < SINGLE_RANGE * ranges[second] < ranges[first] < np.inf:
        return
    X = X.astype(np.float64) / ranges[first]  # no square overflows
    spreads = mean_variance_axis(X, axis=0)[1] if is_sparse else X.var(axis=0)
    total = "total variance of X"
    if is_exponential:
        spreads, total = np.sqrt(spreads), "sum of the standard deviations of X"
    if spreads[first] > SINGLE_SHARE * spreads.sum():
        # Without numbers that differ between models, see ``equal_warnings_once``.
        feature = f"Feature {first}" if names is None else f"The feature {names[first]!r}"
        warn(
            f"{feature} has more than {SINGLE_SHARE:.0%} of the {total}, so the kernel hardly "
            "depends on the other features. Scale the features, for example with "
            "sklearn.preprocessing.StandardScaler."
        )


def scale_gamma(X, weights, is_exponential=False):
    """Compute gamma="scale": 1 / (n_features * variance), or 1.0 if all entries are equal.

    With the standard deviation for kernels whose exponent is proportional to X.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        variance = weighted_variance(X, weights)
    if variance == 0 and is_constant(X[weights > 0]):
        return 1.0
    if is_exponential:
        variance = np.sqrt(variance)
    with np.errstate(divide="ignore", over="ignore"):
        gamma = float(np.float64(1.0) / (X.shape[1] * np.float64(variance)))
    if not 0 < gamma < np.inf:
        raise ValueError(
            f"gamma='scale' is {gamma} for these features: their variance is beyond the range of "
            "a double. Scale the features, or give gamma a number."
        )
    return gamma


def is_constant(X):
    """Return whether all entries of X are equal."""
    return not X.size or X.max() == X.min()


# -------------------------------------------------------------------------------- precision


def choose_layout(X, kernel):
    """Return the storage layout for the support set of a stream that begins with X."""
    if isinstance(kernel, str) and kernel == "precomputed":
        return "precomputed"
    if sparse.issparse(X):
        return "sparse"
    if callable(kernel):
        return "dense"
    sample = X[:: max(1, X.shape[0] // 1000)]
    few = X.shape[1] >= 32 and np.count_nonzero(sample) < SPARSE_BELOW * sample.size
    return "sparse" if few else "dense"


def needs_double(X, kernel, gamma):
    """Return whether float32 products of float32 samples are too coarse or out of range."""
    if isinstance(kernel, ColumnKernel):
        groups = kernel._groups(X.shape[1])
        return any(needs_double(X[:, columns], name, gamma) for name, columns, gamma in groups)
    if (
        not isinstance(kernel, str)
        or kernel not in KERNELS
        or kernel in ("linear", "intersection")
    ):
        return False
    if kernel in EXPONENTIAL:
        norms = np.asarray(abs(X).sum(axis=1, dtype=np.float64))
    else:
        norms = squared_norms(X)
    largest = norms.max(initial=0.0)
    if kernel in ("rbf", *EXPONENTIAL) and gamma * largest > stores.FAR_IN_SINGLE:
        return True
    least, most = float(np.finfo(np.float32).tiny), 0.25 * float(np.finfo(np.float32).max)
    values = [largest]
    if kernel == "cosine":  # a norm that underflows makes it 0
        values.append(norms[norms > 0].min(initial=largest))
    elif kernel != "tanimoto":
        values.append(gamma)
    return any(v != 0 and not least <= v <= most for v in values)


def squared_norms(X):
    """Return the squared norm of each sample, in double."""
    if sparse.issparse(X):
        rows = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
        with np.errstate(over="ignore"):
            squares = np.square(X.data, dtype=np.float64)
        return np.bincount(rows, weights=squares, minlength=X.shape[0])
    return np.einsum("ij,ij->i", X, X, dtype=np.float64)


def far_centre(X):
    """Return the mean of the samples if it is large compared with their spread, else None."""
    squares = squared_norms(X)
    mean = np.asarray(X.mean(axis=0, dtype=np.float64)).ravel()
    largest = squares.max()
    with np.errstate(over="ignore", invalid="ignore"):
        spread = max(0.0, squares.mean() - mean @ mean)
    return short(mean) if FAR * spread < largest < np.finfo(np.float32).max else None


def short(offset):
    """Round an offset to single precision: the last bits of a mean depend on the layout."""
    return offset.astype(np.float32).astype(np.float64)


def weighted_variance(X, sample_weight):
    """Return the weighted variance of all entries of X without copying X.

    With weights 1 this is ``X.var()``; integer weights are equivalent to repeating samples. gamma
    depends on it, and with gamma the whole model: sums of NumPy have the same bits on every
    processor, products of BLAS have not.
    """
    if sparse.issparse(X):
        row_weight = np.repeat(sample_weight, np.diff(X.indptr))
        data = X.data.astype(np.float64, copy=False)
        total = sample_weight.sum() * X.shape[1]
        mean = (row_weight * data).sum() / total
        variance = (row_weight * data**2).sum() / total - mean**2
        if variance < _LEAST_SHARE * mean**2:
            of_zeros = (total - row_weight.sum()) * mean**2
            variance = ((row_weight * (data - mean) ** 2).sum() + of_zeros) / total
        return float(max(0.0, variance))
    total = sample_weight.sum() * X.shape[1]
    step = max(1, 1_000_000 // max(1, X.shape[1]))
    starts = range(0, X.shape[0], step)
    mean = 0.0
    for i in starts:
        sums = X[i : i + step].sum(axis=1, dtype=np.float64)
        mean += (sample_weight[i : i + step] * sums).sum()
    mean /= total
    variance = 0.0
    for i in starts:
        centred = np.subtract(X[i : i + step], mean, dtype=np.float64)
        np.square(centred, out=centred)
        variance += (sample_weight[i : i + step] * centred.sum(axis=1)).sum()
    return float(variance / total)
