"""The models fitted in one pass over the same samples, with their parameter grids."""

from collections.abc import Callable
from dataclasses import dataclass

from sklearn.kernel_approximation import Nystroem
from sklearn.model_selection import ParameterGrid

import sklearn_online_svm as ours

LINEAR, LOCAL, MAPPED, KERNEL = "linear", "local", "mapped", "kernel"
# Full covariances up to so many features.
FULL = 256
# Nystroem: number of components, and of samples from which they are drawn.
N_COMPONENTS, N_BASIS = 200, 1000

_C = {"C": [0.01, 0.1, 1.0, 10.0]}
# In units of 1 over the variance of a sample, which is about 1.
_GAMMA = {"gamma": [0.1, 0.5, 2.0]}


@dataclass(frozen=True)
class Model:
    """What a model is built by, from a choice and the number of features."""

    family: str
    build: Callable
    grid: dict
    # A map of the features, built from a choice and a seed and fitted to the first samples.
    features: Callable | None = None
    # Orders of the samples; None: all.
    n_orders: int | None = None

    @property
    def choices(self):
        return list(ParameterGrid(self.grid))


def _pa(**options):
    return lambda choice, d: ours.PassiveAggressiveClassifier(
        C=choice["C"], multi_class="crammer_singer", intercept_scaling=1.0, **options
    )


def _second_order(estimator):
    return lambda choice, d: estimator(covariance="full" if d <= FULL else "diag", **choice)


def _local(**options):
    return lambda choice, d: ours.LocalOnlineClassifier(20, C=choice["C"], **options)


def _nystroem(choice, seed):
    return Nystroem(gamma=choice["gamma"], n_components=N_COMPONENTS, random_state=seed)


MODELS = {
    "pa": Model(LINEAR, _pa(), _C),
    "pa_mean": Model(LINEAR, _pa(average=True), _C),
    "cw": Model(
        LINEAR, _second_order(ours.ConfidenceWeightedClassifier), {"eta": [0.55, 0.7, 0.9]}
    ),
    "arow": Model(LINEAR, _second_order(ours.AROWClassifier), {"r": [0.1, 1.0, 10.0]}),
    "scw": Model(LINEAR, _second_order(ours.SCWClassifier), _C),
    "lol_newest": Model(LOCAL, _local(average=False), _C),
    "lol": Model(LOCAL, _local(), _C),
    "lol_scw": Model(LOCAL, _local(variant="scw"), _C),
    "nystroem": Model(MAPPED, _pa(average=True), _C | _GAMMA, _nystroem),
    "lasvc": Model(
        KERNEL, lambda choice, d: ours.LASVC(**choice), {"C": [1.0, 10.0]} | _GAMMA, n_orders=1
    ),
}
