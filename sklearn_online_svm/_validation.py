"""Validation of samples, labels and weights; seeds."""

import inspect
import math
import sys
from numbers import Integral, Real

import numpy as np
from scipy import sparse
from sklearn import get_config
from sklearn.utils.multiclass import check_classification_targets, unique_labels
from sklearn.utils.validation import validate_data

from ._sample_arrays import with_valid_indices
from ._sklearn_compat import _check_sample_weight, validate_parameter_constraints
from ._threads import FEW_SAMPLES

# scikit-learn 1.9 refuses weights that are all zero; older versions accept them.
_CHECKS_ALL_ZERO = "allow_all_zero_weights" in inspect.signature(_check_sample_weight).parameters

_CSR = (sparse.csr_matrix, sparse.csr_array)

# Types of samples that are not converted.
_FLOATS = np.dtype(np.float64), np.dtype(np.float32)


# Largest absolute value of a target. The squared length of the longest step of an update rule is
# limited to 1e280, with float32 samples to 1e40: longer steps would be omitted.
_LARGEST_TARGET = {np.dtype(np.float64): 1e130, np.dtype(np.float32): 1e19}

# Kinds of labels whose comparison warns in NumPy 1.
_NOT_COMPARABLE = [{"U", kind} for kind in "biuf"]

# Integer labels within a smaller range are counted instead of sorted.
_MAX_LABEL_RANGE = 4096


def check_params(kind, values):
    """Refuse invalid values of parameters, and integers that the engine cannot represent.

    Parameters that may have a fraction are converted to double, others to 64-bit integers.
    """
    validate_parameter_constraints(kind._parameter_constraints, values, kind.__name__)
    for name, constraints in kind._parameter_constraints.items():
        value = values.get(name)
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
            f"The {name!r} parameter of {kind.__name__} must be {limit}. Got {found} instead."
        )


def check_samples(
    estimator,
    X,
    y="no_validation",
    *,
    reset,
    accept_sparse="csr",
    dtype=None,
    deep=True,
    min_samples=1,
    multi_output=False,
):
    """Validate samples and, if given, labels or, with ``multi_output``, targets.

    ``reset=True`` sets the number and names of the features of the estimator, otherwise they are
    checked. By default, float32 and float64 are kept and other types become float64. CSR matrices
    are sorted and have no duplicates, unless ``deep=False``, which leaves the checks that read all
    values to the caller: finite values and the order of columns. y=None is an error.
    """
    without_y = isinstance(y, str) and y == "no_validation"
    options = dict(reset=reset, deep=deep, min_samples=min_samples)
    if can_skip_validation(estimator, X, dtype, **options) and (without_y or _is_valid_y(y, X)):
        if reset:
            estimator.n_features_in_ = X.shape[1]
        return X if without_y else (X, y)
    X = with_valid_indices(X) if sparse.issparse(X) else X
    refuse_dates(X)
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
            ensure_min_samples=min_samples,
            **({"multi_output": True} if multi_output else {}),
        )
    except TypeError:
        if not without_y:
            refuse_missing(y)
        raise
    except ValueError as error:
        if str(error) == "Input contains NaN":  # scikit-learn does not say that this is y
            refuse_missing(y)
        kernel = getattr(getattr(estimator, "estimator", estimator), "kernel", None)
        if callable(kernel) and "could not convert string to float" in str(error):
            raise ValueError(
                f"{error}. Samples must be numbers, also with a callable kernel. For a kernel of "
                "strings, pass kernel='precomputed' and the matrix of kernel values, or the "
                "indices of the strings in a list as X, of shape (n_samples, 1), which the kernel "
                "looks up; for categories, encode them (sklearn.preprocessing.OrdinalEncoder)."
            ) from None
        if "could not convert string to float" in str(error) and _has_text(X):
            raise ValueError(
                f"{error}. The samples in X must be numbers: convert texts, for example with "
                "sklearn.feature_extraction.text.TfidfVectorizer, and categories with "
                "sklearn.preprocessing.OneHotEncoder."
            ) from None
        raise
    X, y = (result, None) if without_y else (result[0], plain_labels(result[1]))
    if sparse.issparse(X):
        if deep and not X.has_canonical_format:
            X = X.copy()
            X.sum_duplicates()
        if X.shape[1] > np.iinfo(np.int32).max:
            raise ValueError(f"X has {X.shape[1]} features; at most 2**31 - 1 are supported.")
    if has_negative_values(estimator, X):
        raise ValueError(
            f"Negative values in data passed to {type(estimator).__name__} with "
            f"kernel={estimator.kernel!r}."
        )
    return X if without_y else (X, y)


def has_negative_values(estimator, X):
    """Return whether features of X are negative that must not be, for the estimator's kernel."""
    part = estimator._nonnegative_part(X) if hasattr(estimator, "_nonnegative_part") else None
    return part is not None and bool(part.min() < 0)


def can_skip_validation(estimator, X, dtype, *, reset=False, deep=True, min_samples=1):
    """Return whether X is a small, finite array that needs no conversion.

    The validation by scikit-learn takes longer than training on one sample. Here the same
    properties are checked; if one is violated, the full validation raises the usual error.
    Parameters are those of :func:`check_samples`.
    """
    return (
        matches_fitted_format(estimator, X, dtype, reset=reset)
        and min_samples <= X.shape[0] <= FEW_SAMPLES
        and (not deep or bool(np.isfinite(X).all()))
        and not has_negative_values(estimator, X)
    )


def matches_fitted_format(estimator, X, dtype, *, accept_sparse=False, reset=False):
    """Return whether X has the type, shape and dtype of the data the estimator was fitted on.

    Values are not checked. With ``accept_sparse=True`` CSR matrices are accepted as well, and the
    order of their columns is not checked. ``reset``, ``dtype``: as in :func:`check_samples`.
    """
    kind = type(X)
    return (
        (kind is np.ndarray or (accept_sparse and kind in _CSR))
        and X.ndim == 2
        and (X.dtype in _FLOATS if dtype is None else X.dtype == dtype)
        and (kind is not np.ndarray or X.flags.c_contiguous)
        and X.shape[0] > 0
        and (X.shape[1] > 0 if reset else X.shape[1] == getattr(estimator, "n_features_in_", None))
        and not hasattr(estimator, "feature_names_in_")
    )


def _is_valid_y(y, X):
    """Return whether y is an array of labels or targets of X that needs no conversion."""
    return (
        type(y) is np.ndarray
        and y.shape == (len(X),)
        and y.flags.c_contiguous
        and (y.dtype.kind in "biuU" or (y.dtype.kind == "f" and bool(np.isfinite(y).all())))
    )


def check_finite_output(scores, why):
    """Raise an error if outputs (n_samples, n_problems) for finite samples are not finite."""
    # Faster than isfinite of all values, which follows only if the sum is not finite.
    if math.isfinite(scores.sum()):
        return
    rows = np.flatnonzero(~np.isfinite(scores).all(axis=1))
    if len(rows):
        raise ValueError(
            f"The output for row {rows[0]} of X is not finite because it is {why}. Scale the "
            "features like those of the training samples."
        )


def draw_seed(random):
    """Draw a seed for the random generators of the engine."""
    return int(random.randint(0, 2**63 - 1, dtype=np.int64))


def restore_generator(state):
    """Return a RandomState with the state that ``get_state(legacy=False)`` returned."""
    generator = np.random.RandomState(getattr(np.random, state["bit_generator"])())
    generator.set_state(state)
    return generator


def classes_of_stream(classes, known=None, *, extendable=False):
    """Return the sorted classes of a stream from an argument of ``partial_fit``.

    ``known`` are the classes of the calls before; None in the first call. With
    ``extendable=True`` more classes than the known ones are accepted and returned.
    """
    if known is None:
        if classes is None:
            raise ValueError("classes must be passed on the first call to partial_fit.")
        classes = plain_labels(classes)
        refuse_mixed_types(classes)
        known = np.unique(classes)
        require_two_classes(len(known))
    elif classes is not None:
        classes = plain_labels(classes)
        given = np.unique(classes)
        if not np.array_equal(given, known):
            if extendable and np.isin(known, given).all():
                refuse_mixed_types(classes)
                return given
            raise ValueError(
                f"`classes={classes!r}` is not the same as on last call to partial_fit, was: "
                f"{known!r}"
            )
    return known


def require_two_classes(n_classes, note=""):
    """Raise ValueError if there are fewer than two classes; ``note`` ends the message."""
    if n_classes < 2:
        raise ValueError(
            f"The number of classes has to be greater than one; got {n_classes} class{note}"
        )


def is_labelled(y):
    """Return a mask of the labels that are not missing (None, nan or ``pandas.NA``)."""
    if y.dtype.kind == "f":
        return ~np.isnan(y)
    if y.dtype == object:
        return np.array([not _is_missing(label) for label in y], dtype=bool)
    return np.ones(len(y), dtype=bool)


def refuse_large_targets(y, dtype=np.float64):
    """Raise an error for targets whose squared errors would overflow.

    ``dtype`` is the type in which coefficients are stored, that of the samples or float64.
    """
    limit = _LARGEST_TARGET[np.dtype(dtype)]
    largest = max(np.max(y, initial=0.0), -np.min(y, initial=0.0))
    if largest > limit:
        advice = ", or pass X as float64" if dtype == np.float32 else ""
        raise ValueError(
            f"y contains {largest:.3g} in absolute value, but targets must not exceed {limit:.0e} "
            f"with {np.dtype(dtype)} coefficients. Scale the targets, for example with "
            f"sklearn.compose.TransformedTargetRegressor{advice}."
        )


def _is_missing(label):
    try:
        return label is None or bool(label != label)
    except TypeError:  # pandas.NA is neither true nor false
        return True


def refuse_missing(y):
    """Raise an error if labels are missing."""
    if is_labelled(np.ravel(np.asarray(y, dtype=object))).all():
        return
    column, advice = "", ""
    if getattr(y, "name", None) is not None:  # a pandas Series
        column = f" (column {y.name!r})"
        advice = " pandas reads the texts NA and None as missing unless keep_default_na=False."
    raise ValueError(
        f"Input y{column} contains missing labels (nan, None or pandas.NA). Remove them, or use "
        f"LabelEfficientClassifier, which accepts them.{advice}"
    ) from None


def plain_labels(y):
    """Return labels; numbers of dtype object, as in a row of a data frame, by their own type."""
    of_objects = getattr(getattr(y, "dtype", None), "kind", None) == "O"
    if not of_objects or not all(isinstance(label, Real) for label in y):
        return y
    numbers = np.array(list(y))
    is_exact = numbers.dtype.kind in "biuf" and (numbers == np.asarray(y)).all()
    return numbers if is_exact else y  # nan is not equal to itself


def refuse_dates(X):
    """Raise an error for dates, which NumPy would convert to nanoseconds, or not at all."""
    dtypes = [X.dtype] if hasattr(X, "dtype") else getattr(X, "dtypes", ())  # of a DataFrame
    dates = [k for k, dtype in enumerate(dtypes) if getattr(dtype, "kind", None) in ("M", "m")]
    if dates:
        columns = ""
        if hasattr(X, "columns"):
            columns = f" in the columns {[X.columns[k] for k in dates]}"
        raise ValueError(
            f"X contains dates or times{columns}. Convert them to numbers, for example to the "
            "days since a date, or to the hour and the day of the week."
        )


def _has_text(X):
    """Return whether strings are among the samples, and not only in y."""
    return any(isinstance(value, str) for value in np.ravel(np.asarray(X, dtype=object)))


def refuse_mixed_types(labels):
    """Raise an error for labels that are strings and numbers."""
    try:
        unique_labels(labels)
    except ValueError as error:
        if "Mix of label input types" not in str(error):
            raise
        raise ValueError(f"{error} Convert all labels to one type, for example to str.") from None


def check_labels(y):
    """Raise an error if y has missing labels, labels of several types, or is continuous."""
    if y.dtype == object:
        refuse_missing(y)
        types = {type(label) for label in np.ravel(y).tolist()}
        if str in types and len(types) > 1:
            names = sorted(kind.__name__ for kind in types)
            raise ValueError(
                f"y contains labels of the types {names}. Convert all of them to one type, for "
                "example with np.asarray(y).astype(str)."
            )
    check_classification_targets(y)


def encode_labels(y, classes, name="y", *, extendable=False):
    """Return the index of each label in the sorted ``classes``, as int32."""
    try:
        kind = np.asarray(y).dtype.kind
        if not len(y):  # an empty list has the kind of numbers
            return np.empty(0, np.int32)
        if kind != classes.dtype.kind and {kind, classes.dtype.kind} in _NOT_COMPARABLE:
            raise TypeError
        codes = classes.searchsorted(y)
        # Faster than ``all`` for few samples.
        if np.count_nonzero(classes.take(codes, mode="clip") == y) == len(y):
            return codes.astype(np.int32)
    except (TypeError, AttributeError):  # y and classes cannot be compared
        pass
    labels = np.asarray(y).tolist()
    refuse_missing(labels)
    unknown = sorted(set(labels) - set(classes.tolist()), key=str)
    advice = "The classes are those of the training samples, or `classes` of the first call."
    if extendable:
        advice = "Pass `classes` with the known and the new classes to partial_fit to add them."
    raise ValueError(
        f"{name} contains labels that are not among the classes {classes.tolist()}: "
        f"{unknown[:5]}. {advice}"
    )


def unique_labels_and_codes(y):
    """Return the sorted distinct labels, and the index of each label among them as int32.

    Like ``np.unique(y, return_inverse=True)``, but integer labels within a small range are not
    sorted: for linear models sorting would take a considerable part of the time of ``fit``.
    """
    check = y.dtype.kind not in "biuU"
    whole = y
    if y.dtype.kind == "f":
        with np.errstate(invalid="ignore"):
            whole = y.astype(np.int64)
        check = not (whole == y).all()
    if check:
        check_labels(y)
        unique_labels(y)  # raises an error for mixed types
    elif whole.dtype.kind in "iu" and len(y):
        low, high = int(whole.min()), int(whole.max())
        if high - low < _MAX_LABEL_RANGE and high < 2**62 and low > -(2**62):
            offsets = whole.astype(np.int64) - low
            present = np.bincount(offsets) > 0
            codes = (present.cumsum() - 1).astype(np.int32)
            return (present.nonzero()[0] + low).astype(y.dtype), codes[offsets]
    classes, codes = np.unique(y, return_inverse=True)
    return classes, codes.astype(np.int32)


def check_weights(sample_weight, X, *, allow_all_zero):
    """Return sample weights as float64, ones if None.

    Negative weights raise an error and, with ``allow_all_zero=False``, weights that are all zero.
    """
    if sample_weight is None:
        return np.ones(X.shape[0])
    if X.shape[0] == 0 and np.asarray(sample_weight).shape == (0,):
        return np.zeros(0)
    options = {"allow_all_zero_weights": allow_all_zero} if _CHECKS_ALL_ZERO else {}
    weights = _check_sample_weight(
        sample_weight, X, dtype=np.float64, ensure_non_negative=True, **options
    )
    if not allow_all_zero and not weights.any():
        raise ValueError("Sample weights must contain at least one non-zero number.")
    return weights


def check_given_weights(sample_weight, X, *, allow_all_zero):
    """Return sample weights as :func:`check_weights` does, but None if there are none."""
    if sample_weight is None:
        return None
    return check_weights(sample_weight, X, allow_all_zero=allow_all_zero)


def routes_metadata():
    """Return whether metadata routing is enabled."""
    return get_config()["enable_metadata_routing"]
