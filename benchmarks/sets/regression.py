"""Generated and real data sets for regression, with parameters for support vector models."""

from dataclasses import dataclass
from functools import partial

import numpy as np
from sklearn.datasets import make_friedman1, make_friedman2, make_friedman3
from sklearn.preprocessing import StandardScaler

from ..bench.data import load_abalone


def _energy(n_samples, noise, random_state):
    """Load of a building by hour, day, temperature and six slow signals."""
    rng = np.random.default_rng(random_state)
    hour, day = rng.uniform(0, 24, n_samples), rng.uniform(0, 365, n_samples)
    temperature = 12 - 10 * np.cos(2 * np.pi * day / 365) + 5 * rng.normal(size=n_samples)
    signals = rng.normal(size=(n_samples, 6))
    load = 3 * np.exp(-((hour - 13) ** 2) / 20) + 0.02 * (temperature - 18) ** 2
    y = load + 0.5 * np.tanh(signals[:, 0] * signals[:, 1]) + noise * rng.normal(size=n_samples)
    return np.column_stack([hour, day, temperature, signals]), y


def _housing(n_samples, noise, random_state):
    """Prices by place, income and six features of houses, with heavy-tailed noise."""
    rng = np.random.default_rng(random_state)
    place, income = rng.uniform(-2, 2, (n_samples, 2)), rng.gamma(3.0, 1.0, n_samples)
    houses = rng.lognormal(0.0, 0.5, (n_samples, 5))
    near = sum(np.exp(-4 * ((place - c) ** 2).sum(axis=1)) for c in ([1, 1], [-1, 0], [0, -1]))
    y = 2 * near + np.sqrt(income) + 0.3 * houses[:, 0] / houses[:, 1]
    y += noise * rng.standard_t(4, n_samples)
    return np.column_stack([place, income, houses]), y


def _wide(n_samples, noise, random_state):
    """A hundred features, of which ten have an influence."""
    rng = np.random.default_rng(random_state)
    X = rng.normal(size=(n_samples, 100))
    y = np.sin(X[:, 0]) + X[:, 1] * X[:, 2] + np.abs(X[:, 3]) + X[:, 4:10].sum(axis=1) / 3
    return X, y + noise * rng.normal(size=n_samples)


@dataclass(frozen=True)
class Set:
    """A function that returns samples; targets are divided by their standard deviation."""

    title: str
    make: object
    noise: float
    n_train: int = 25_000
    C: float = 10.0
    epsilon: float = 0.1
    n_test: int = 10_000

    def load(self, seed, quick, n_train=None):
        n = (2000 if quick else self.n_train) if n_train is None else n_train
        n_test = 1000 if quick else self.n_test
        X, y = self.make(n_samples=n + n_test, noise=self.noise, random_state=seed)
        X = StandardScaler().fit(X[:n]).transform(X).astype(np.float32)
        y = (y - y[:n].mean()) / y[:n].std()
        return X[:n], y[:n], X[n:], y[n:]


SETS = {
    "friedman1": Set("Friedman 1", partial(make_friedman1, n_features=10), 1.0),
    "friedman2": Set("Friedman 2", make_friedman2, 125.0),
    "friedman3": Set("Friedman 3", make_friedman3, 0.1),
    "energy": Set("Energy", _energy, 0.3),
    "housing": Set("Housing", _housing, 0.3),
    "wide": Set("100 features", _wide, 0.5, n_train=20_000),
}


def _abalone(n_samples, noise, random_state):
    """Rings of shells, by sex, sizes and weights; the samples in random order."""
    X, y = load_abalone()
    order = np.random.default_rng(random_state).permutation(len(y))[:n_samples]
    return X[order], y[order].astype(np.float64)


REAL_SETS = {"abalone": Set("Abalone", _abalone, 0.0, n_train=3133, n_test=1044)}
