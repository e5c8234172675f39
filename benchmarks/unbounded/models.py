"""The models, each with the values of its parameter; the kernel models have one size for all."""

from collections.abc import Callable
from dataclasses import dataclass, field

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


@dataclass(frozen=True)
class Setting:
    """What a model is built for."""

    size: int
    gamma: float
    seed: int
    n_features: int


@dataclass(frozen=True)
class Model:
    """A column or a row of the tables: ``build`` takes a `Setting` and one of the ``choices``."""

    title: str
    build: Callable = field(repr=False)
    choices: tuple = ({},)


class Mapped:
    """A linear model on the features of Nystroem, which are fixed in advance."""

    def __init__(self, setting, model):
        self.map = Nystroem(
            gamma=setting.gamma, n_components=setting.size, random_state=setting.seed
        )
        self.model = model

    def prepare(self, X):
        """Choose the components among the first samples of the stream."""
        self.map.fit(X[: max(1000, self.map.n_components)])

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


def _kernel(estimator, **options):
    def build(s, **choice):
        return estimator(
            gamma=s.gamma, max_support_vectors=s.size, random_state=s.seed, **options, **choice
        )

    return build


def _lasvc(**options):
    return lambda s, **choice: LASVC(gamma=s.gamma, random_state=s.seed, **options, **choice)


def _nystroem_arow(s, **choice):
    return Mapped(s, AROWClassifier(covariance="full", random_state=s.seed, **choice))


def _local(s, **choice):
    return LocalOnlineClassifier(random_state=s.seed, **choice)


def _linear(s, **choice):
    covariance = "full" if s.n_features <= FULL else "diag"
    return AROWClassifier(covariance=covariance, random_state=s.seed, **choice)


def _tree(s):
    from river.tree import HoeffdingAdaptiveTreeClassifier

    return River(HoeffdingAdaptiveTreeClassifier(seed=s.seed))


def _forest(s):
    from river.forest import ARFClassifier

    return River(ARFClassifier(seed=s.seed))


def _values(name, *values):
    return tuple({name: value} for value in values)


MODELS = {
    "kernel_arow": Model("AROW", _kernel(KernelAROWClassifier)),
    "kernel_pa": Model(
        "PA", _kernel(KernelPassiveAggressiveClassifier), _values("C", 0.01, 0.1, 1.0)
    ),
    "nystroem_arow": Model("Nystroem", _nystroem_arow, _values("r", 0.01, 0.1, 1.0)),
    "lasvc": Model("LASVC", _lasvc(), _values("C", 0.1, 1.0, 10.0)),
    "local": Model("LOL", _local, _values("C", 0.01, 0.1, 1.0, 10.0)),
    "linear": Model("linear", _linear, _values("r", 0.1, 1.0, 10.0)),
}
DRIFT_MODELS = {
    "kernel_arow": Model("kernel AROW", _kernel(KernelAROWClassifier)),
    "kernel_arow_9999": Model(
        "kernel AROW, 0.9999", _kernel(KernelAROWClassifier, forgetting_factor=0.9999)
    ),
    "kernel_arow_1": Model(
        "kernel AROW, 1.0", _kernel(KernelAROWClassifier, forgetting_factor=1.0)
    ),
    "kernel_pa": Model("kernel PA", _kernel(KernelPassiveAggressiveClassifier, C=0.1)),
    "lasvc": Model("LASVC", _lasvc()),
    "lasvc_window": Model("LASVC, window", _lasvc(window_size=20_000)),
    "nystroem_arow": Model("Nystroem", _nystroem_arow),
    "tree": Model("adaptive tree", _tree),
    "forest": Model("adaptive forest", _forest),
}
