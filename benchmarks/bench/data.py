"""Data sets of the papers: npz files in a folder, or OpenML where it has the same set.

A file ``<name>.npz`` has the arrays ``X_train`` and ``y_train`` and may have ``X_test``,
``y_test`` and others. A sparse ``X_train`` is stored as ``X_train_data``, ``X_train_indices``,
``X_train_indptr`` and ``X_train_shape``. Features are not scaled, and some sets are sorted by
class. The folder is the one named by the environment variable ``SOSVM_DATA``; by default it is
``../shared/data`` next to the checkout.
"""

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.sparse import csr_matrix, issparse, vstack
from sklearn.datasets import fetch_openml
from sklearn.preprocessing import StandardScaler
from sklearn.utils import Bunch


@dataclass(frozen=True)
class _OpenMLSet:
    """A data set on OpenML, and what identifies it as the one of the papers."""

    name: str
    shape: tuple[int, int]
    labels: Callable  # from the class labels, which OpenML stores as strings
    n_last: int | None = None  # training samples of the last class
    n_train: int | None = None  # the test part follows; None: there is none
    dtype: type = np.float32


def _binary(positive):
    return lambda y: np.where(y == positive, 1, -1)


# Only sets that have the same form on OpenML as in the papers. The samples of "banana" and
# "letter" come in another order, so the test part of "letter" is another one, too. "adult" on
# OpenML has the 14 raw columns instead of the 123 binary ones; "a9a" is used instead.
_OPENML = {
    "adult_a9a": _OpenMLSet(
        "a9a", (48842, 123), lambda y: _binary(1)(y.astype(float)), 7841, 32561
    ),
    "banana": _OpenMLSet("banana", (5300, 2), _binary("2"), 2376, dtype=np.float64),
    "breast_wisconsin": _OpenMLSet(
        "breast-w", (699, 9), lambda y: np.where(y == "malignant", 4, 2), 241
    ),
    "letter": _OpenMLSet(
        "letter", (20000, 16), lambda y: np.unique(y, return_inverse=True)[1] + 1, None, 15000
    ),
    "mnist": _OpenMLSet("mnist_784", (70000, 784), lambda y: y.astype(np.int64), None, 60000),
    "pima_diabetes": _OpenMLSet("diabetes", (768, 8), _binary("tested_positive"), 268),
    "spambase": _OpenMLSet("spambase", (4601, 57), _binary("1"), 1813),
}


def find_npz(name):
    """Path of the npz file of a data set, or None."""
    default = Path(__file__).resolve().parents[3] / "shared" / "data"
    path = Path(os.environ.get("SOSVM_DATA") or default).expanduser() / f"{name}.npz"
    return path if path.is_file() else None


def load_paper_dataset(name):
    """Load a data set by the name of its file.

    Returns
    -------
    dataset : Bunch
        ``X_train``, ``y_train``, ``X_test`` and ``y_test`` (None if there is no test part), and
        the other arrays of the file. Real features keep their precision, integers become float32.
        The labels of a multi-label set are an indicator matrix.
    """
    path = find_npz(name)
    if path is not None:
        arrays = _read_npz(path)
    elif name in _OPENML:
        arrays = _fetch(_OPENML[name])
    else:
        raise FileNotFoundError(
            f"{name}.npz was not found. Put it into a folder and set the environment variable "
            "SOSVM_DATA to that folder."
        )
    return Bunch(**{"X_test": None, "y_test": None} | arrays)


def imbalanced(X, y, ratio, seed=0):
    """As many samples as give `ratio` negative ones for each positive one, drawn once.

    All negative samples and a part of the positive ones; where there are too few of these, all of
    them and a part of the negative ones.
    """
    rng = np.random.default_rng(seed)
    positive, negative = (rng.permutation(np.flatnonzero(y == label)) for label in (1, -1))
    n_positive = min(len(positive), len(negative) // ratio)
    rows = np.concatenate([positive[:n_positive], negative[: ratio * n_positive]])
    return X[rows], y[rows]


def load_all_samples(name, dense=False):
    """Samples and labels of both parts, and how many of them are from the training part."""
    data = load_paper_dataset(name)
    X, y = data.X_train, data.y_train
    if data.X_test is not None:
        X = (vstack if issparse(X) else np.vstack)([X, data.X_test])
        y = np.concatenate([y, data.y_test])
    return X.toarray() if dense and issparse(X) else X, y, len(data.y_train)


def load_abalone():
    """Three indicators of the sex, then sizes and weights; the numbers of rings."""
    data = load_paper_dataset("abalone")
    sex, sizes = data.X_train[:, :1], data.X_train[:, 1:]
    return np.hstack([sex == np.arange(3), sizes]), data.y_train


def scaled(X_train, X_test, scale=None):
    """Both parts, divided by a number or, without one, standardized like the training part."""
    if scale is not None:
        return X_train / scale, X_test / scale
    scaler = StandardScaler().fit(X_train)
    return scaler.transform(X_train), scaler.transform(X_test)


def _as_floats(X):
    return X if X.dtype in (np.float32, np.float64) else X.astype(np.float32)


def _read_npz(path):
    arrays = {}
    with np.load(path, allow_pickle=False) as stored:
        for key in stored.files:
            part, _, field = key.removeprefix("X_").partition("_")
            if key.startswith("X_") and field == "data":
                fields = ("data", "indices", "indptr", "shape")
                data, indices, indptr, shape = (stored[f"X_{part}_{name}"] for name in fields)
                arrays[f"X_{part}"] = csr_matrix(
                    (_as_floats(data), indices, indptr), shape=tuple(shape)
                )
            elif key.startswith("X_") and not field:
                arrays[key] = _as_floats(stored[key])
            elif key.startswith(("y_", "Y_")):
                # Arithmetic on small integer types would overflow silently.
                arrays[key.lower()] = stored[key].astype(np.int64)
            elif not key.startswith("X_"):
                arrays[key] = stored[key]
    return arrays


def _fetch(openml_set):
    bunch = fetch_openml(openml_set.name, version=1, as_frame=False)
    X = csr_matrix(bunch.data) if issparse(bunch.data) else np.asarray(bunch.data)
    y = openml_set.labels(np.asarray(bunch.target).astype(str))
    n_train = openml_set.n_train or len(y)
    n_last = int((y[:n_train] == y.max()).sum())
    if X.shape != openml_set.shape or openml_set.n_last not in (None, n_last):
        raise ValueError(
            f"{openml_set.name!r} on OpenML is not the data set of the papers: got shape "
            f"{X.shape} and {n_last} samples of class {y.max()}."
        )
    X = X.astype(openml_set.dtype, copy=False)
    arrays = {"X_train": X[:n_train], "y_train": y[:n_train]}
    if n_train < len(y):
        arrays |= {"X_test": X[n_train:], "y_test": y[n_train:]}
    return arrays


def drawn(X, y, n_train, n_test, seed):
    """Return training samples and labels, and those of the test, at most so many, at random."""
    order = np.random.default_rng(seed).permutation(len(y))
    train, test = order[:n_train], order[n_train : n_train + n_test]
    return X[train], y[train], X[test], y[test]


def chunks(n, size):
    """Return the slices of so many samples, each of a size but the last."""
    return [slice(first, min(first + size, n)) for first in range(0, n, size)]
