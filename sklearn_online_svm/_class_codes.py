"""Class codes: their weights, and their order in a stream."""

import sys
from numbers import Real

import numpy as np

from ._core.class_order import add_to_class_order
from ._threads import warn


def class_factors(class_weight, classes):
    """Return the weight of each class from a dict; the default weight is 1.

    Labels that are not among the classes are ignored: a fold or the beginning of a stream may not
    contain all of them.
    """
    factors = np.ones(len(classes))
    codes = {label: code_of(label, classes) for label in class_weight}
    if codes and all(code is None for code in codes.values()):
        raise ValueError(
            f"class_weight has no label that is among the classes {classes.tolist()}, got weights "
            f"for {list(codes)[:5]}. Use labels of y as keys; other classes have the weight 1."
        )
    for label, factor in class_weight.items():
        if not (isinstance(factor, Real) and 0 <= factor <= sys.float_info.max):
            raise ValueError(
                f"class_weight[{label!r}] must be a finite number >= 0, got {factor!r}."
            )
        if codes[label] is not None:
            factors[codes[label]] = factor
    return factors


def balanced_weights(codes, n_classes, sample_weight):
    """Return the balanced weight of each class, n / (n_classes * n_c), with weighted counts."""
    return weights_of_counts(np.bincount(codes, weights=sample_weight, minlength=n_classes))


def weights_of_counts(counts):
    """Return the balanced weight of each class from the counts; 1 where there are none."""
    n = len(counts)
    return np.divide(counts.sum(), n * counts, out=np.ones(n), where=counts > 0)


def running_balanced_weights(codes, counts, sample_weight):
    """Return the balanced weight of each sample from the class counts up to and including it.

    ``counts`` (sums of sample weights) is updated in place.
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


def class_order_among(counts, places, n_classes):
    """Return ``_class_order`` for more classes; ``places`` are those of the former classes."""
    if counts is None or not len(counts):
        return counts
    changes, last, *of_class = counts
    run, last = divmod(last, len(of_class))
    extended = np.zeros(2 + n_classes, dtype=np.int64)
    extended[0], extended[1] = changes, places[last] + n_classes * run
    extended[2 + places] = of_class
    return extended


def class_order_after(name, n_classes, order, codes):
    """Return the counts of ``add_to_class_order`` after a chunk; warn if the stream is sorted.

    They are empty after the warning. To be called before training, as a warning may be an error.
    """
    if order is not None and not len(order):
        return order  # warned before
    order, reason = add_to_class_order(order, n_classes, codes)
    if reason is None:
        return order
    # Without numbers that differ between models, see ``equal_warnings_once``.
    warn(
        f"The stream is sorted by class: it has {reason}. {name} is trained on one sample after "
        "the other and adapts to the classes seen last; shuffle the samples before training "
        "(sklearn.utils.shuffle), or use fit."
    )
    return order[:0]


def code_of(label, classes):
    """Return the code of a label, or None if it is not among the classes."""
    if np.ndim(label):
        return None
    # NumPy 1.24 warns if it compares an array of strings with a number.
    return next((code for code, known in enumerate(classes) if known == label), None)


def signs(codes, c, n_problems):
    """Return 1 for samples of the positive class of binary problem c, -1 for the others."""
    positive = c if n_problems > 1 else 1
    return np.where(codes == positive, 1.0, -1.0)
