"""What every estimator of the package needs: input, labels, weights, threads.

All differences between versions of scikit-learn are bridged here and nowhere else.
"""

import inspect
import math
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from numbers import Integral, Real

import numpy as np
from joblib import effective_n_jobs
from scipy import sparse
from sklearn import get_config
from sklearn.utils.multiclass import check_classification_targets, unique_labels
from sklearn.utils.validation import validate_data

from ._sklearn_compat import _check_sample_weight

__all__ = [
    "balanced_weights",
    "callbacks",
    "check_integers",
    "check_labels",
    "check_rows",
    "check_weights",
    "class_factors",
    "classes_of_stream",
    "draw_seed",
    "encode_labels",
    "generator_from",
    "has_fast_path",
    "known_labels",
    "label_codes",
    "plain_rows",
    "refuse_not_finite",
    "routes_metadata",
    "running_balanced_weights",
    "thread_pool",
    "weighted_variance",
]

# scikit-learn 1.9 checks for weights that are all zero; older ones leave it to us.
_CHECKS_ALL_ZERO = "allow_all_zero_weights" in inspect.signature(_check_sample_weight).parameters

_CSR = (sparse.csr_matrix, sparse.csr_array)

# Rows above which ordinary validation costs nothing beside the learning.
_FAST_PATH_ROWS = 256

# Labels that are whole numbers in a range so small are counted instead of sorted.
_CLOSE_LABELS = 4096


def check_integers(estimator):
    """Refuse, by name, parameters that are integers beyond the numbers of the engine.

    These are doubles where a parameter may have a fraction, else integers of 64 bits.
    """
    for name, constraints in estimator._parameter_constraints.items():
        value = getattr(estimator, name)
        if not isinstance(value, Integral) or -(2**63) <= value < 2**63:
            continue
        n_bits = int(value).bit_length()
        if not any(getattr(constraint, "type", None) is Real for constraint in constraints):
            limit = "below 2**63"
        elif n_bits > sys.float_info.max_exp:
            limit = "a number that a double can hold"
        else:
            continue
        found = repr(value) if n_bits < 4096 else f"an integer of {n_bits} bits"
        raise ValueError(
            f"The {name!r} parameter of {type(estimator).__name__} must be {limit}. Got {found} "
            "instead."
        )


def check_rows(
    estimator, X, y="no_validation", *, reset, accept_sparse="csr", dtype=None, deep=True
):
    """Validate rows, and labels where given; CSR rows come back sorted and without duplicates.

    Parameters
    ----------
    estimator : estimator
        Its ``n_features_in_`` and ``feature_names_in_`` are set (``reset=True``) or checked.
    X : {array-like, sparse matrix} of shape (n_samples, n_features)
    y : array-like of shape (n_samples,), optional
        Left out: only rows are validated. None is refused, as labels are wanted then.
    reset : bool
        Whether this is the first data the estimator sees.
    accept_sparse : str or False, default="csr"
    dtype : dtype, optional
        Type to return; by default float32 and float64 stay as they are.
    deep : bool, default=True
        False leaves what needs a look at every number to the caller, who looks at them anyway:
        NaN and infinity in X, and the order of the columns of CSR rows.

    Returns
    -------
    X or (X, y)
    """
    alone = isinstance(y, str) and y == "no_validation"
    try:
        result = validate_data(
            estimator,
            X,
            y,
            reset=reset,
            accept_sparse=accept_sparse,
            accept_large_sparse=True,
            dtype=[np.float64, np.float32] if dtype is None else dtype,
            order="C",
            ensure_all_finite=deep,
        )
    except TypeError:
        if not alone:
            _refuse_missing(y)
        raise
    X, y = (result, None) if alone else result
    if sparse.issparse(X):
        if deep and not X.has_canonical_format:
            X = X.copy()
            X.sum_duplicates()
        if X.shape[1] > np.iinfo(np.int32).max:
            raise ValueError(f"X has {X.shape[1]} features; at most 2**31 - 1 are supported.")
    return X if alone else (X, y)


def has_fast_path(estimator, X, dtype):
    """Whether X is a small, plain, finite array that can be learnt from as it is.

    Validation by scikit-learn costs more than learning a row does. What it checks is checked
    here, too: type, shape, number of features, finiteness; anything unusual takes the long way
    and meets the ordinary messages there.
    """
    return (
        plain_rows(estimator, X, dtype)
        and X.shape[0] <= _FAST_PATH_ROWS
        # A sum of finite numbers may overflow: the long way then finds nothing wrong.
        and bool(np.isfinite(X.sum()))
    )


def plain_rows(estimator, X, dtype, *, accept_sparse=False):
    """Whether X is an array of rows as they were learnt; its numbers are not looked at.

    With ``accept_sparse=True`` CSR rows are as good; nor is the order of their columns looked at.
    """
    kind = type(X)
    return (
        (kind is np.ndarray or (accept_sparse and kind in _CSR))
        and X.ndim == 2
        and X.dtype == dtype
        and (kind is not np.ndarray or X.flags.c_contiguous)
        and X.shape[0] > 0
        and X.shape[1] == estimator.n_features_in_
        and not hasattr(estimator, "feature_names_in_")
    )


def refuse_not_finite(scores, why):
    """Raise an error where outputs (n_samples, n_problems) for finite rows are not finite."""
    # Cheaper than isfinite of each; a sum of finite numbers may overflow.
    if math.isfinite(scores.sum()):
        return
    rows = np.flatnonzero(~np.isfinite(scores).all(axis=1))
    if len(rows):
        raise ValueError(
            f"The output for row {rows[0]} of X is not finite, as it is {why}. Scale the "
            "features, as those that were learnt from."
        )


def draw_seed(random):
    """Draw a seed for the generators of the engine from a RandomState."""
    return int(random.randint(0, 2**63 - 1, dtype=np.int64))


def generator_from(state):
    """Return a RandomState that goes on from what its ``get_state(legacy=False)`` gave."""
    generator = np.random.RandomState(getattr(np.random, state["bit_generator"])())
    generator.set_state(state)
    return generator


def classes_of_stream(classes, known=None):
    """Return the sorted classes of a stream, from what a call of ``partial_fit`` was given.

    Parameters
    ----------
    classes : array-like or None
    known : ndarray or None
        The classes of the first call; None: this is the first.
    """
    if known is None:
        if classes is None:
            raise ValueError("classes must be passed on the first call to partial_fit.")
        unique_labels(classes)  # refuses a mix of types
        known = np.unique(classes)
        if len(known) < 2:
            raise ValueError(
                f"The number of classes has to be greater than one; got {len(known)} class"
            )
    elif classes is not None and not np.array_equal(np.unique(classes), known):
        raise ValueError(
            f"`classes={classes!r}` is not the same as on last call to partial_fit, was: {known!r}"
        )
    return known


def known_labels(y):
    """Which labels are there: neither None nor nan nor ``pandas.NA``."""
    if y.dtype.kind == "f":
        return ~np.isnan(y)
    if y.dtype == object:
        return np.array([not _is_missing(label) for label in y], dtype=bool)
    return np.ones(len(y), dtype=bool)


def _is_missing(label):
    try:
        return label is None or bool(label != label)
    except TypeError:  # pandas.NA is neither true nor false
        return True


def _refuse_missing(y):
    if not known_labels(np.ravel(np.asarray(y, dtype=object))).all():
        raise ValueError(
            "Input y contains missing labels (nan, None or pandas.NA). A LabelEfficientClassifier "
            "learns without them."
        ) from None


def check_labels(y):
    """Refuse what cannot be the labels of classes: missing ones, numbers with a fraction."""
    if y.dtype == object:
        _refuse_missing(y)
    check_classification_targets(y)


def encode_labels(y, classes):
    """Position of each label in the sorted ``classes``, as int32.

    Raises
    ------
    ValueError
        If a label is none of ``classes``, or missing.
    """
    try:
        codes = classes.searchsorted(y)
    except TypeError:
        _refuse_missing(y)
        raise
    found = classes.take(codes, mode="clip") == y
    if not found.all():
        _refuse_missing(y)
        unknown = np.unique(np.asarray(y)[~np.asarray(found)])
        raise ValueError(
            f"y contains labels that are not among the classes {classes.tolist()}: "
            f"{unknown[:5].tolist()}. All labels of a stream must be named in `classes` in the "
            "first call of partial_fit."
        )
    return codes.astype(np.int32)


def label_codes(y):
    """Sorted distinct labels, and the position of each label among them as int32.

    What ``np.unique(y, return_inverse=True)`` gives, without a sort where labels are whole
    numbers close to each other: of a linear model it would be a large part of the time.

    Raises
    ------
    ValueError
        If the labels are no classes: numbers with a fraction, or a mix of types.
    """
    check = y.dtype.kind not in "biuU"
    whole = y
    if y.dtype.kind == "f":
        with np.errstate(invalid="ignore"):
            whole = y.astype(np.int64)
        check = not (whole == y).all()
    if check:
        check_labels(y)
        unique_labels(y)  # refuses a mix of types
    elif whole.dtype.kind in "iu" and len(y):
        low, high = int(whole.min()), int(whole.max())
        if high - low < _CLOSE_LABELS and high < 2**62 and low > -(2**62):
            places = whole.astype(np.int64) - low
            present = np.bincount(places, minlength=high - low + 1) > 0
            codes = (np.cumsum(present) - 1).astype(np.int32)
            return (np.flatnonzero(present) + low).astype(y.dtype), codes[places]
    classes, codes = np.unique(y, return_inverse=True)
    return classes, codes.astype(np.int32)


def check_weights(sample_weight, X, *, allow_all_zero):
    """Sample weights as float64, ones when None; negative ones are refused.

    With ``allow_all_zero=False`` weights that are all zero are refused as well.
    """
    options = {"allow_all_zero_weights": True} if _CHECKS_ALL_ZERO else {}
    if _CHECKS_ALL_ZERO and not allow_all_zero:
        options["allow_all_zero_weights"] = False
    weights = _check_sample_weight(
        sample_weight, X, dtype=np.float64, ensure_non_negative=True, **options
    )
    if not allow_all_zero and not weights.any():
        raise ValueError("Sample weights must contain at least one non-zero number.")
    return weights


def class_factors(class_weight, classes):
    """Weight of each class by a dict of weights; classes that are not in it weigh 1."""
    factors = np.ones(len(classes))
    for label, factor in class_weight.items():
        known = classes == label
        if not known.any():
            raise ValueError(
                f"The classes, {[label]}, are not in class_weight's data: "
                f"classes are {classes.tolist()}."
            )
        if not (isinstance(factor, Real) and 0 <= factor <= sys.float_info.max):
            raise ValueError(
                f"class_weight[{label!r}] must be a finite number >= 0, got {factor!r}."
            )
        factors[known] = factor
    return factors


def balanced_weights(codes, n_classes, sample_weight):
    """Weight of each class, n / (n_classes * n_c), counted in sample weights."""
    counts = np.bincount(codes, weights=sample_weight, minlength=n_classes)
    return np.divide(counts.sum(), n_classes * counts, out=np.ones(n_classes), where=counts > 0)


def running_balanced_weights(codes, counts, sample_weight):
    """Weight of each row by the class counts at its turn, itself included.

    ``counts`` (in sample weights) is brought up to date in place.
    """
    weights = np.ones(len(codes))
    total = counts.sum() + np.cumsum(sample_weight)
    for c in range(len(counts)):
        of_class = codes == c
        running = counts[c] + np.cumsum(sample_weight[of_class])
        np.divide(total[of_class], len(counts) * running, out=running, where=running > 0)
        weights[of_class] = running
        counts[c] += sample_weight[of_class].sum()
    return weights


def weighted_variance(X, sample_weight):
    """Variance of all entries of X, rows weighted, without a copy of X.

    For weights 1 this is ``X.var()``; for integer weights that of X with rows repeated.
    """
    if sparse.issparse(X):
        row_weight = np.repeat(sample_weight, np.diff(X.indptr))
        data = X.data.astype(np.float64, copy=False)
        total = sample_weight.sum() * X.shape[1]
        mean = (row_weight @ data) / total
        return float(max(0.0, (row_weight @ data**2) / total - mean**2))
    total = sample_weight.sum() * X.shape[1]
    step = max(1, 1_000_000 // max(1, X.shape[1]))
    starts = range(0, X.shape[0], step)
    mean = sum(
        sample_weight[i : i + step] @ X[i : i + step].sum(axis=1, dtype=np.float64) for i in starts
    )
    mean /= total
    variance = 0.0
    for i in starts:
        centred = X[i : i + step] - np.float64(mean)
        variance += sample_weight[i : i + step] @ np.einsum("ij,ij->i", centred, centred)
    return float(variance / total)


def thread_pool(n_jobs, n_rows=None):
    """Context of a pool of threads, or of None when one thread is asked for.

    With so few rows that threads would not pay, joblib is not even asked how many there are.
    """
    if n_rows is not None and n_rows <= _FAST_PATH_ROWS:
        return nullcontext()
    n_threads = effective_n_jobs(n_jobs)
    return ThreadPoolExecutor(n_threads) if n_threads > 1 else nullcontext()


def routes_metadata():
    """Whether metadata routing is switched on."""
    return get_config()["enable_metadata_routing"]


@contextmanager
def callbacks(estimator, task_name, n_tasks, X, y):
    """Context of a call that tells the callbacks of scikit-learn 1.9 when a task is over.

    It gives a function to be called then, with one that returns attributes of a fitted estimator;
    True: a callback wants no further task.
    """
    if not hasattr(estimator, "_init_callback_context"):
        yield lambda attributes: False
        return
    root = estimator._init_callback_context(max_subtasks=n_tasks)
    root.call_on_fit_task_begin(estimator=estimator, X=X, y=y)

    def over(attributes):
        task = root.subcontext(task_name=task_name)
        task.call_on_fit_task_begin(estimator=estimator, X=X, y=y)
        return task.call_on_fit_task_end(
            estimator=estimator, X=X, y=y, reconstruction_attributes=attributes
        )

    yield over
    root.call_on_fit_task_end(estimator=estimator, X=X, y=y)
