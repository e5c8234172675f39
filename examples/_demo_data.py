"""Data sets of the demo and the parameters of their kernel SVMs."""

import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from sklearn_online_svm.datasets import make_banana_like, make_waveform

sys.path.append(str(Path(__file__).resolve().parents[1]))  # `benchmarks` is not installed

from benchmarks.bench.data import find_npz, load_paper_dataset


@dataclass(frozen=True)
class DemoSet:
    """One data set: `load` returns X_train, X_test, y_train, y_test."""

    title: str
    load: Callable = field(repr=False)
    C: float
    gamma: float
    # Name of the npz file; None for data sets that need no file.
    npz: str | None = None
    # Numbers of training samples, and of those for SVC, unless the data set is selected by name.
    rows: int | None = None
    svc_rows: int | None = None

    @property
    def found(self):
        """Whether the data set is available without a download."""
        return self.npz is None or find_npz(self.npz) is not None


def _float32(X):
    return X.astype(np.float32)


def _shuffled(X, y):
    # Some data sets are stored sorted by class.
    order = np.random.default_rng(0).permutation(len(y))
    return X[order], y[order]


def _paper_set(name):
    data = load_paper_dataset(name)
    X, y = _shuffled(_float32(data.X_train), data.y_train)
    return X, _float32(data.X_test), y, data.y_test


def digits():
    X, y = load_digits(return_X_y=True)
    return train_test_split(_float32(X / 16), y, test_size=0.3, random_state=0)


def waveform():
    X, y = make_waveform(5000, random_state=0)
    return train_test_split(_float32(X), y, test_size=1000, random_state=0)


def banana():
    X, y = make_banana_like(5300, random_state=0)
    return train_test_split(_float32(X), y, test_size=1300, random_state=0)


def usps():
    X, X_test, y, y_test = _paper_set("usps")
    # Digit 0 against the rest, the task of the papers.
    return X, X_test, np.where(y == 0, 1, -1), np.where(y_test == 0, 1, -1)


def reuters():
    return _paper_set("reuters_moneyfx_lasvm")


def adult():
    return _paper_set("adult_a9a")


def mnist():
    X, X_test, y, y_test = _paper_set("mnist")
    return X / np.float32(255), X_test / np.float32(255), y, y_test


# Parameters as in the papers; for digits, those of scikit-learn's examples on this scale.
DEMO_SETS = {
    "digits": DemoSet("Digits (scikit-learn), ten classes", digits, C=10, gamma=0.25),
    "waveform": DemoSet("Waveform (generated)", waveform, C=1, gamma=0.05),
    "banana": DemoSet("Banana (generated)", banana, C=316, gamma=0.5),
    "usps": DemoSet("USPS, digit 0 against the rest", usps, 1000, 0.0078, npz="usps"),
    "reuters_moneyfx_lasvm": DemoSet(
        "Reuters, topic money-fx", reuters, C=1, gamma=1, npz="reuters_moneyfx_lasvm"
    ),
    "adult_a9a": DemoSet(
        "Adult, census income", adult, C=100, gamma=0.005, npz="adult_a9a", svc_rows=10_000
    ),
    "mnist": DemoSet(
        "MNIST, ten classes", mnist, 1000, 0.005, npz="mnist", rows=30_000, svc_rows=5_000
    ),
}
