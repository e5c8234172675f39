"""Orders of a stream, and streams with drift."""

import numpy as np
from scipy.sparse import issparse
from sklearn.feature_selection import f_classif

from ..sets.streams import N_FEATURES, curved_boundary

BURSTS = (20, 200, 1000)
SHUFFLED, BY_CLASS, BY_FEATURE = "shuffled", "by class", "by a feature"
ORDERS = (
    SHUFFLED, BY_CLASS, "reverse", *(f"bursts of {n}" for n in BURSTS), "two first", BY_FEATURE,
)  # fmt: skip


def order_of(name, X, y, seed):
    """Return the order of samples that are shuffled; None if there is none of this name.

    ``"two first"``: two classes, then the other ones. ``"by a feature"``: the one that
    distinguishes the classes best.
    """
    classes = np.unique(y)
    if name == SHUFFLED:
        return np.arange(len(y))
    if name == BY_CLASS:
        return np.argsort(y, kind="stable")
    if name == "reverse":
        return np.argsort(-y, kind="stable")
    if name == "two first":
        is_late = ~np.isin(y, classes[:2])
        return np.argsort(is_late, kind="stable") if len(classes) > 2 else None
    if name == BY_FEATURE:
        return np.argsort(_best_feature(X, y), kind="stable")
    return bursts(y, int(name.removeprefix("bursts of ")), seed)


def bursts(y, size, seed):
    """Return an order in which so many samples of one class follow each other."""
    found = []
    for label in np.unique(y):
        of_class = np.flatnonzero(y == label)
        found += np.split(of_class, range(size, len(of_class), size))
    return np.concatenate([found[k] for k in np.random.default_rng(seed).permutation(len(found))])


def _best_feature(X, y):
    with np.errstate(all="ignore"):  # constant features
        column = X[:, [int(np.nanargmax(f_classif(X, y)[0]))]]
    return (column.toarray() if issparse(column) else column).ravel()


# The angle by which the boundary turns at half of the stream.
ANGLE = 2.0


def turning(n, seed):
    """Return a stream of two classes whose boundary turns at half of the stream."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, N_FEATURES))
    angle = np.where(np.arange(n) < n // 2, 0.0, ANGLE)
    return X, curved_boundary(X, angle, rng).astype(np.int32)


def vanishing(y, seed):
    """Return the order of a shuffled stream in whose second half one class is missing."""
    gone = np.random.default_rng(seed).choice(np.unique(y))
    half = len(y) // 2
    late = half + np.flatnonzero(y[half:] != gone)
    return np.concatenate([np.arange(half), late])
