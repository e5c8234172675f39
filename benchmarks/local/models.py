"""The models fitted in one pass over the same samples, with their parameter grids."""

from collections.abc import Callable
from dataclasses import dataclass

from sklearn.kernel_approximation import Nystroem, RBFSampler
from sklearn.model_selection import ParameterGrid

import sklearn_online_svm as ours

LINEAR, LOCAL, MAPPED, KERNEL = "linear", "local", "mapped", "kernel"
# Full covariances up to so many features.
FULL = 256
# Of approximated kernels: components, and the samples that Nystroem may draw them from.
N_COMPONENTS, N_BASIS = 200, 1000
# Of the kernel perceptron.
N_SUPPORT = 500

_C = [0.01, 0.1, 1.0, 10.0]
# In units of 1 over the variance of a sample, which is about 1.
_GAMMA = [0.1, 0.5, 2.0]


@dataclass(frozen=True)
class Model:
    """A row of the table: what it is built by, from a choice and the number of features."""

    title: str
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


def _pa(choice, d, **options):
    return ours.PassiveAggressiveClassifier(
        C=choice["C"], multi_class="crammer_singer", intercept_scaling=1.0, **options
    )


def _averaged(choice, d):
    return _pa(choice, d, average=True)


def _covariance(d):
    return "full" if d <= FULL else "diag"


def _local(n_prototypes=20, **options):
    return lambda choice, d: ours.LocalOnlineClassifier(n_prototypes, C=choice["C"], **options)


def _kernel_perceptron(choice, d):
    return ours.KernelPerceptronClassifier(
        kernel="rbf", gamma=choice["gamma"], max_support_vectors=N_SUPPORT
    )


MODELS = {
    "pa": Model("PA-I", LINEAR, _pa, {"C": _C}),
    "pa_mean": Model("PA-I, averaged", LINEAR, _averaged, {"C": _C}),
    "cw": Model(
        "CW",
        LINEAR,
        lambda choice, d: ours.ConfidenceWeightedClassifier(covariance=_covariance(d), **choice),
        {"eta": [0.55, 0.7, 0.9]},
    ),
    "arow": Model(
        "AROW",
        LINEAR,
        lambda choice, d: ours.AROWClassifier(covariance=_covariance(d), **choice),
        {"r": [0.1, 1.0, 10.0]},
    ),
    "scw": Model(
        "SCW-I",
        LINEAR,
        lambda choice, d: ours.SCWClassifier(covariance=_covariance(d), **choice),
        {"C": _C},
    ),
    "lol_newest": Model("LOL, as in the paper", LOCAL, _local(average=False), {"C": _C}),
    "lol": Model("LOL, averaged", LOCAL, _local(), {"C": _C}),
    "lol_80": Model("LOL, averaged, 80 prototypes", LOCAL, _local(80), {"C": _C}),
    "lol_3": Model("LOL, averaged, 3 neighbours", LOCAL, _local(n_neighbors=3), {"C": _C}),
    "lol_scw": Model("LOL, SCW-I, averaged", LOCAL, _local(variant="scw"), {"C": _C}),
    "nystroem": Model(
        "Nystroem + PA-I, averaged",
        MAPPED,
        _averaged,
        {"C": _C, "gamma": _GAMMA},
        lambda choice, seed: Nystroem(
            gamma=choice["gamma"], n_components=N_COMPONENTS, random_state=seed
        ),
    ),
    "fourier": Model(
        "RBFSampler + PA-I, averaged",
        MAPPED,
        _averaged,
        {"C": _C, "gamma": _GAMMA},
        lambda choice, seed: RBFSampler(
            gamma=choice["gamma"], n_components=N_COMPONENTS, random_state=seed
        ),
    ),
    "perceptron": Model(
        f"kernel perceptron, {N_SUPPORT} support vectors",
        KERNEL,
        _kernel_perceptron,
        {"gamma": _GAMMA},
    ),
    "lasvc": Model(
        "LASVC",
        KERNEL,
        lambda choice, d: ours.LASVC(**choice),
        {"C": [1.0, 10.0], "gamma": _GAMMA},
        n_orders=1,
    ),
}
