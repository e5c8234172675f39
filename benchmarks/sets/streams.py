"""Streams of labelled samples: of data sets, generated, and with concept drift."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

import numpy as np
from sklearn.datasets import make_classification

from sklearn_online_svm.datasets import flip_labels, make_waveform

from .local import SETS

N_QUICK = 1500
# Numbers of generated samples: in the stream, and for the scale of the features.
N_GENERATED, N_DRAWN = 20_000, 24_000
FLIPPED = 0.1

# Of the streams with concept drift.
N_DRIFT, N_DRIFT_QUICK = 1_000_000, 20_000
N_FEATURES, WRONG = 4, 0.05
DRIFT_GAMMA = 0.5


@dataclass(frozen=True)
class Stream:
    """``make`` returns samples and labels in the order of a seed."""

    title: str
    make: Callable = field(repr=False)
    n_samples: int = N_GENERATED

    def load(self, seed, quick=False):
        """Samples, labels, and all classes."""
        X, y = self.make(seed)
        n = N_QUICK if quick else self.n_samples
        return X[:n], y[:n], np.unique(y)


def _of_set(name, change=lambda y: y):
    def make(seed):
        X, y, _, _ = SETS[name].load()
        order = np.random.default_rng(seed).permutation(len(y))
        return X[order], change(y[order])

    return make


def _generated(generate):
    """Standardised features, divided as those of the data sets."""

    def make(seed):
        X, y = generate(N_DRAWN, random_state=seed)
        return (X - X.mean(axis=0)) / (X.std(axis=0) * np.sqrt(X.shape[1])), y

    return make


_clusters = partial(
    make_classification, n_features=20, n_informative=10, n_clusters_per_class=4, flip_y=0.2
)


def _seasonal(n_samples, random_state):
    """The plane between the classes swings back and forth, five times."""
    rng = np.random.default_rng(random_state)
    X = rng.normal(size=(n_samples, 10))
    season = np.sin(10 * np.pi * np.arange(n_samples) / N_GENERATED)
    level = np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + season * X[:, 3]
    return X, np.where(level + 0.3 * rng.normal(size=n_samples) > 0, 1, -1)


def _noisy_usps(seed):
    X, y = _of_set("usps")(seed)
    # Not the seed of the order.
    return X, flip_labels(y, FLIPPED, random_state=1000 + seed)


STREAMS = {
    "clusters": Stream("clusters", _generated(_clusters)),
    "seasonal": Stream("seasonal", _generated(_seasonal)),
    "waveform": Stream("waveform", _generated(make_waveform)),
    "banana": Stream("banana", _of_set("banana")),
    "magic04": Stream("magic04", _of_set("magic04")),
    "adult": Stream("adult", _of_set("adult")),
    "svmguide1": Stream("svmguide1", _of_set("svmguide1")),
    "codrna": Stream("cod-rna", _of_set("codrna")),
    "spambase": Stream("spambase", _of_set("spambase")),
    "mnist_8": Stream("mnist, 8", _of_set("mnist", lambda y: np.where(y == 8, 1, -1)), 10_000),
    "covtype": Stream("covtype", _of_set("covtype"), 10_000),
    "poker": Stream("poker", _of_set("poker"), 10_000),
    "shuttle": Stream("shuttle", _of_set("shuttle"), 10_000),
    "letter": Stream("letter", _of_set("letter"), 10_000),
    "usps": Stream("usps, 10 % flipped", _noisy_usps),
}

# Angle of the boundary at a share of the stream.
DRIFTS = {
    "gradual": lambda at: 4.0 * np.pi * at,
    "abrupt": lambda at: 2.0 * np.floor(10.0 * at),
    "recurring": lambda at: 2.0 * (np.floor(10.0 * at) % 2),
}


def drifting(name, seed, quick=False):
    """Samples with a curved boundary that rotates; one label in twenty is wrong.

    ``gradual``: two turns from the first sample to the last; ``abrupt``: ten positions, one after
    the other; ``recurring``: two positions, which alternate.
    """
    rng, n = np.random.default_rng(seed), N_DRIFT_QUICK if quick else N_DRIFT
    X = rng.normal(size=(n, N_FEATURES)).astype(np.float32)
    angle = DRIFTS[name](np.arange(n) / n)
    return X, curved_boundary(X, angle, rng).astype(np.int32)


def curved_boundary(X, angle, rng):
    """Return for each sample whether it is inside; one label in twenty is wrong."""
    across = X[:, 0] * np.cos(angle) + X[:, 1] * np.sin(angle)
    along = X[:, 1] * np.cos(angle) - X[:, 0] * np.sin(angle)
    return (across + along**2 > 1.0) ^ (rng.random(len(X)) < WRONG)
