"""Real sets with parameters, and generated tables of any size, for models with many samples."""

from dataclasses import dataclass

import numpy as np

from ..bench.data import drawn, load_paper_dataset, scaled
from .workloads import WORKLOADS

N_TEST = 20_000


@dataclass(frozen=True)
class Case:
    """A set, a name of `WORKLOADS` or of a file without a test part, and its parameters."""

    title: str
    source: str
    C: float
    gamma: float

    @property
    def grid(self):
        """Values that a search tries: four of C, five of gamma around that of this set."""
        gammas = [self.gamma * 4.0**power for power in range(-2, 3)]
        return {"C": [0.1, 1.0, 10.0, 100.0], "gamma": gammas}

    def load(self, seed):
        """Return training samples and labels, test samples and labels."""
        if self.source in WORKLOADS:
            split = WORKLOADS[self.source].load(seed)
            return split.X_train, split.y_train, split.X_test, split.y_test
        data = load_paper_dataset(self.source)
        n = len(data.y_train)
        X, y, X_test, y_test = drawn(data.X_train, data.y_train, n * 7 // 10, n, seed)
        X, X_test = scaled(X.astype(np.float64), X_test.astype(np.float64))
        return X.astype(np.float32), y, X_test.astype(np.float32), y_test


CASES = {
    "codrna": Case("cod-rna", "codrna", 10.0, 0.125),
    "magic04": Case("MAGIC", "magic04", 10.0, 0.1),
    "poker": Case("Poker hand", "poker_train25010", 1.0, 0.1),
    "shuttle": Case("Shuttle", "shuttle", 10.0, 0.5),
    "covtype_3v4": Case("CoverType, 4 against 3", "covtype_3v4", 3, 1),
    "letter": Case("Letter, 26 classes", "letter", 10, 10),
    "adult": Case("Adult, dense", "adult_dense", 10.0, 0.005),
    "usps": Case("USPS, ten classes", "usps_ten", 10, 0.0078),
    "mnist": Case("MNIST, ten classes", "mnist_ten", 10.0, 0.005),
}

# Parameters for `forest`.
FOREST = Case("forest", "", 10.0, 0.5)


def forest(n_samples, seed, n_classes=2):
    """Return samples of 10 numbers and 44 indicators, with as much detail as Forest CoverType.

    As there, one of 4 and one of 40 indicators are 1. A sample belongs to the class of the nearest
    of 800 points; 3 % of the labels are random.
    """
    fixed, random = np.random.default_rng(0), np.random.default_rng(seed + 1)
    scale = np.linspace(2.0, 0.2, 10)
    points = fixed.normal(size=(800, 10)) * scale
    kinds = fixed.integers(0, 40, 800)
    X = np.zeros((n_samples, 54), dtype=np.float32)
    y = np.empty(n_samples, dtype=np.int64)
    squares = (points**2).sum(axis=1) / 2
    for first in range(0, n_samples, 50_000):
        part = X[first : first + 50_000]
        n = len(part)
        numbers = random.normal(size=(n, 10)) * scale
        # In small blocks: a worker with little memory generates samples, too.
        blocks = np.array_split(numbers, -(-n // 2000))
        nearest = np.concatenate([(b @ points.T - squares).argmax(axis=1) for b in blocks])
        part[:, :10] = numbers
        part[np.arange(n), 10 + kinds[nearest] % 4] = 1
        soils = np.where(random.random(n) < 0.7, kinds[nearest], random.integers(0, 40, n))
        part[np.arange(n), 14 + soils] = 1
        noise = random.random(n) < 0.03
        y[first : first + n] = np.where(
            noise, random.integers(0, n_classes, n), nearest % n_classes
        )
    return X, y
