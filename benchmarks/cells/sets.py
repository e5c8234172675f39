"""Real sets with parameters, and generated tables of any size."""

from dataclasses import dataclass

import numpy as np
from sklearn.preprocessing import StandardScaler

from ..bench.data import load_paper_dataset
from ..sets.workloads import WORKLOADS

N_TEST = 20_000


@dataclass(frozen=True)
class Case:
    """A set and its parameters; a function of the seed returns training and test samples."""

    title: str
    load: object
    C: float
    gamma: float

    @property
    def grid(self):
        """Values that a search tries: four of C, five of gamma around that of this set."""
        return {
            "C": [0.1, 1.0, 10.0, 100.0],
            "gamma": [self.gamma * 4.0**power for power in range(-2, 3)],
        }


def _workload(name, C=None):
    def load(seed):
        split = WORKLOADS[name].load(seed)
        return split.X_train, split.y_train, split.X_test, split.y_test

    workload = WORKLOADS[name]
    return Case(workload.title, load, C or workload.C, workload.gamma)


def _standardized(name):
    """Return a set without a test part; three tenths of the samples are for tests."""

    def load(seed):
        data = load_paper_dataset(name)
        order = np.random.default_rng(seed).permutation(len(data.y_train))
        X, y = data.X_train[order].astype(np.float64), data.y_train[order]
        n = len(y) * 7 // 10
        X = StandardScaler().fit(X[:n]).transform(X).astype(np.float32)
        return X[:n], y[:n], X[n:], y[n:]

    return load


CASES = {
    "codrna": Case("cod-rna", _standardized("codrna"), 10.0, 0.125),
    "magic04": Case("MAGIC", _standardized("magic04"), 10.0, 0.1),
    "poker": Case("Poker hand", _standardized("poker_train25010"), 1.0, 0.1),
    "shuttle": Case("Shuttle", _standardized("shuttle"), 10.0, 0.5),
    "covtype_3v4": _workload("covtype_3v4"),
    "letter": _workload("letter"),
    "adult": _workload("adult_dense", C=10.0),
    "usps": _workload("usps_ten"),
    "mnist": _workload("mnist_ten", C=10.0),
}

# A case of any number of samples, for its parameters; `forest` makes the samples.
FOREST = Case("forest", None, 10.0, 0.5)


def forest(n_samples, seed, n_classes=2):
    """Return samples of 10 numbers and 44 indicators, with as much detail as Forest CoverType.

    As there, one of 4 and one of 40 indicators are 1. A sample belongs to the class of the nearest
    of 800 points; 3 % of the labels are random.
    """
    fixed, random = np.random.default_rng(0), np.random.default_rng(seed + 1)
    n_points = 800
    points = fixed.normal(size=(n_points, 10)) * np.linspace(2.0, 0.2, 10)
    kinds = fixed.integers(0, 40, n_points)
    X = np.zeros((n_samples, 54), dtype=np.float32)
    y = np.empty(n_samples, dtype=np.int64)
    squares = (points**2).sum(axis=1) / 2
    for first in range(0, n_samples, 50_000):
        part = slice(first, min(first + 50_000, n_samples))
        n = part.stop - part.start
        numbers = random.normal(size=(n, 10)) * np.linspace(2.0, 0.2, 10)
        # In small blocks: a worker with little memory generates samples, too.
        blocks = np.array_split(numbers, -(-n // 2000))
        nearest = np.concatenate([(b @ points.T - squares).argmax(axis=1) for b in blocks])
        X[part, :10] = numbers
        X[np.arange(part.start, part.stop), 10 + kinds[nearest] % 4] = 1
        soils = np.where(random.random(n) < 0.7, kinds[nearest], random.integers(0, 40, n))
        X[np.arange(part.start, part.stop), 14 + soils] = 1
        noise = random.random(n) < 0.03
        y[part] = np.where(noise, random.integers(0, n_classes, n), nearest % n_classes)
    return X, y
