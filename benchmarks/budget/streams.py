"""Streams with concept drift, and their models."""

import numpy as np
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import SGDClassifier

from sklearn_online_svm import LASVC, KernelAROWClassifier, KernelPassiveAggressiveClassifier

GAMMA = 0.5
N_FEATURES = 4
N_VECTORS = 500
MAX_AGE = 20_000
WRONG = 0.05


def make_stream(world, n, seed):
    """Samples with a curved boundary that turns, and labels of which one in twenty is wrong.

    ``gradual``: two turns from the first sample to the last; ``abrupt``: ten positions, one
    after the other.
    """
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, N_FEATURES)).astype(np.float32)
    at = np.arange(n) / n
    angle = 4.0 * np.pi * at if world == "gradual" else 2.0 * np.floor(10.0 * at)
    across = X[:, 0] * np.cos(angle) + X[:, 1] * np.sin(angle)
    along = X[:, 1] * np.cos(angle) - X[:, 0] * np.sin(angle)
    y = (across + along**2 > 1.0) ^ (rng.random(n) < WRONG)
    return X, y.astype(np.int32)


class Approximated:
    """SGD on the features of Nystroem, which are fixed by the first chunk."""

    def __init__(self, seed):
        self.map = Nystroem(gamma=GAMMA, n_components=N_VECTORS, random_state=seed)
        self.model = SGDClassifier(random_state=seed)

    def predict(self, X):
        return self.model.predict(self.map.transform(X))

    def partial_fit(self, X, y, classes):
        if not hasattr(self.map, "components_"):
            self.map.fit(X)
        self.model.partial_fit(self.map.transform(X), y, classes)


class River:
    """A model of river, which takes samples one by one as dicts."""

    def __init__(self, model):
        self.model = model

    def predict(self, X):
        return np.array([self.model.predict_one(row) or 0 for row in _dicts(X)])

    def partial_fit(self, X, y, classes):
        for row, label in zip(_dicts(X), y.tolist()):
            self.model.learn_one(row, label)


def _dicts(X):
    return (dict(enumerate(row)) for row in X.tolist())


def _alma(seed):
    from river.linear_model import ALMAClassifier

    return River(ALMAClassifier())


def _forest(seed):
    from river.forest import ARFClassifier

    return River(ARFClassifier(seed=seed))


def _lasvc(**options):
    return lambda seed: LASVC(gamma=GAMMA, random_state=seed, **options)


def _updates(seed):
    return KernelPassiveAggressiveClassifier(
        C=0.1, gamma=GAMMA, max_support_vectors=N_VECTORS, random_state=seed
    )


def _arow(**options):
    return lambda seed: KernelAROWClassifier(
        gamma=GAMMA, max_support_vectors=N_VECTORS, random_state=seed, **options
    )


MODELS = {
    "kernel_arow": _arow(),
    "kernel_arow_stationary": _arow(forgetting_factor=1.0),
    "merging": _lasvc(max_support_vectors=N_VECTORS),
    "oldest": _lasvc(max_support_vectors=N_VECTORS, budget_policy="oldest"),
    "aged": _lasvc(max_support_vectors=4 * N_VECTORS, window_size=MAX_AGE),
    "unlimited": _lasvc(),
    "kernel_pa": _updates,
    "nystroem_sgd": Approximated,
    "alma": _alma,
    "forest": _forest,
}
TITLES = {
    "kernel_arow": f"``KernelAROWClassifier(max_support_vectors={N_VECTORS})``",
    "kernel_arow_stationary": "... ``forgetting_factor=1.0``",
    "merging": f"``LASVC(max_support_vectors={N_VECTORS})``",
    "oldest": '... ``budget_policy="oldest"``',
    "aged": f"``LASVC(max_support_vectors={4 * N_VECTORS}, window_size={MAX_AGE})``",
    "unlimited": "``LASVC()``",
    "kernel_pa": f"``KernelPassiveAggressiveClassifier(max_support_vectors={N_VECTORS})``",
    "nystroem_sgd": f"``Nystroem({N_VECTORS})`` and ``SGDClassifier``",
    "alma": "river ``ALMAClassifier``",
    "forest": "river ``ARFClassifier``",
}
