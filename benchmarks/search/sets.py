"""The sets on which parameters are chosen, each with its grid.

A grid has ten values of C and ten of gamma, evenly spaced on a logarithmic scale: C over the four
decades from 0.1 (CoverType-like: three, since a fit with the last takes minutes), gamma over four
decades around one that suits the scale of the features.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from ..svc.workloads import QUICK_TEST, QUICK_TRAIN, WORKLOADS, Split
from .generators import make_covtype_like, make_ijcnn_like, make_uneven_plane

N_VALUES = 10
QUICK_VALUES = 3


@dataclass(frozen=True)
class SearchSet:
    """Rows and a grid; `load` takes a seed, which orders the training rows, and `quick`."""

    title: str
    load: Callable = field(repr=False)
    # Powers of ten: the lowest gamma, the highest C.
    gamma_from: float
    C_to: float = 3.0
    # The quicker of two exact solvers, a name in `svc.models`.
    solver: str = "sklearnex"
    # On which the exhaustive choice is made: five hundred fits of all rows would take hours.
    grid_rows: int = 5000
    # On which HalvingGridSearchCV chooses, where all would take it minutes.
    halving_rows: int | None = None

    def grid(self, quick=False):
        """Values of C and gamma, as `param_grid` has them."""
        n = QUICK_VALUES if quick else N_VALUES
        C = np.logspace(-1.0, self.C_to, n)
        gamma = np.logspace(self.gamma_from, self.gamma_from + 4.0, n)
        return {"C": C.round(8).tolist(), "gamma": gamma.round(8).tolist()}


def _generated(make, n_train, n_test):
    """The same rows for every seed, in its order; what is tested is never learnt."""

    def load(seed, quick=False):
        X, y = make(n_train + n_test, 0)
        order = np.random.default_rng(seed).permutation(n_train)
        split = Split(X[order], y[order], X[n_train:], y[n_train:])
        return split.head(QUICK_TRAIN, QUICK_TEST) if quick else split

    return load


SETS = {
    "adult": SearchSet("Adult", WORKLOADS["adult_dense"].load, gamma_from=-4.0, grid_rows=8000),
    "mnist_8": SearchSet(
        "MNIST, 8 against the rest", WORKLOADS["mnist_8"].load, gamma_from=-4.0,
        grid_rows=8000, halving_rows=20_000,
    ),
    "ijcnn_like": SearchSet(
        "IJCNN-like", _generated(make_ijcnn_like, 50_000, 20_000), gamma_from=-3.0
    ),
    "letter": SearchSet("Letter", WORKLOADS["letter"].load, gamma_from=-2.0, solver="svc"),
    "covtype_like": SearchSet(
        "CoverType-like", _generated(make_covtype_like, 50_000, 10_000), gamma_from=-2.0, C_to=2.0,
        halving_rows=20_000,
    ),
}  # fmt: skip

LINEAR_ROWS, LINEAR_TEST = 1_000_000, 100_000


def uneven_plane(seed, quick=False):
    """Rows for the linear models."""
    n_train, n_test = (20_000, 2000) if quick else (LINEAR_ROWS, LINEAR_TEST)
    X, y = make_uneven_plane(n_train + n_test, seed)
    return Split(X[:n_train], y[:n_train], X[n_train:], y[n_train:])
