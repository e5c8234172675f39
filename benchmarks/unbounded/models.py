"""The models, each with the values of its parameter; the kernel models have one size for all."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

import numpy as np
from sklearn.kernel_approximation import Nystroem

from sklearn_online_svm import (
    LASVC,
    AROWClassifier,
    KernelAROWClassifier,
    KernelPassiveAggressiveClassifier,
    LocalOnlineClassifier,
)

# Full covariances of linear models up to so many features.
FULL = 256
# Support vectors or components.
SIZE = 500


@dataclass(frozen=True)
class Setting:
    """Parameters that the stream gives its models."""

    gamma: float
    random_state: int
    # The stream, of which a model may see the first samples beforehand.
    X: np.ndarray = field(repr=False)
    max_support_vectors: int = SIZE

    @property
    def covariance(self):
        return "full" if self.X.shape[1] <= FULL else "diag"


@dataclass(frozen=True)
class Model:
    """A column or a row of the tables: ``build`` takes a `Setting` and one of the ``choices``."""

    title: str
    build: Callable = field(repr=False)
    choices: tuple = ({},)


class Mapped:
    """A linear model on the features of Nystroem, with components among the first samples."""

    def __init__(self, setting, model):
        self.map = Nystroem(
            gamma=setting.gamma, n_components=SIZE, random_state=setting.random_state
        ).fit(setting.X[:1000])
        self.model = model

    def predict(self, X):
        return self.model.predict(self.map.transform(X))

    def partial_fit(self, X, y, classes):
        self.model.partial_fit(self.map.transform(X), y, classes)


class River:
    """A model of river, which takes samples one by one as dicts."""

    def __init__(self, model):
        self.model = model

    def predict(self, X):
        return np.array([self.model.predict_one(row) or 0 for row in _dicts(X)])

    def partial_fit(self, X, y, classes):
        for row, label in zip(_dicts(X), y.tolist(), strict=True):
            self.model.learn_one(row, label)


def _dicts(X):
    return (dict(enumerate(row)) for row in X.tolist())


def _build(estimator, *names, **options):
    """A function of a setting, which gives the parameters `names`, and of a choice."""

    def build(setting, **choice):
        given = {name: getattr(setting, name) for name in (*names, "random_state")}
        return estimator(**given, **options, **choice)

    return build


def _nystroem(setting, **choice):
    arow = AROWClassifier(covariance="full", random_state=setting.random_state, **choice)
    return Mapped(setting, arow)


def _tree(setting):
    from river.tree import HoeffdingAdaptiveTreeClassifier

    return River(HoeffdingAdaptiveTreeClassifier(seed=setting.random_state))


def _forest(setting):
    from river.forest import ARFClassifier

    return River(ARFClassifier(seed=setting.random_state))


def _values(name, *values):
    return tuple({name: value} for value in values)


_SIZED = ("gamma", "max_support_vectors")
_AROW = partial(_build, KernelAROWClassifier, *_SIZED)
_PA = partial(_build, KernelPassiveAggressiveClassifier, *_SIZED)
MODELS = {
    "kernel_arow": Model("AROW", _AROW()),
    "kernel_pa": Model("PA", _PA(), _values("C", 0.01, 0.1, 1.0)),
    "nystroem_arow": Model("Nystroem", _nystroem, _values("r", 0.01, 0.1, 1.0)),
    "lasvc": Model("LASVC", _build(LASVC, "gamma"), _values("C", 0.1, 1.0, 10.0)),
    "local": Model("LOL", _build(LocalOnlineClassifier), _values("C", 0.01, 0.1, 1.0, 10.0)),
    "linear": Model("linear", _build(AROWClassifier, "covariance"), _values("r", 0.1, 1.0, 10.0)),
}
DRIFT_MODELS = {
    "kernel_arow": Model("kernel AROW", _AROW()),
    "kernel_arow_9999": Model("kernel AROW, 0.9999", _AROW(forgetting_factor=0.9999)),
    "kernel_arow_1": Model("kernel AROW, 1.0", _AROW(forgetting_factor=1.0)),
    "kernel_pa": Model("kernel PA", _PA(C=0.1)),
    "lasvc": Model("LASVC", _build(LASVC, "gamma")),
    "lasvc_window": Model("LASVC, window", _build(LASVC, "gamma", window_size=20_000)),
    "nystroem_arow": Model("Nystroem", _nystroem),
    "tree": Model("adaptive tree", _tree),
    "forest": Model("adaptive forest", _forest),
}
