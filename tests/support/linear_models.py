"""Named linear models, samples for them, and comparisons of trained models."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone, is_regressor

from sklearn_online_svm import (
    AROWClassifier,
    ConfidenceWeightedClassifier,
    CostSensitivePassiveAggressiveClassifier,
    LocalOnlineClassifier,
    PassiveAggressiveClassifier,
    PassiveAggressiveRegressor,
    PerceptronClassifier,
    SCWClassifier,
    SecondOrderPerceptronClassifier,
)
from tests.support.samples import LAYOUTS, three_classes, two_classes

FIRST_ORDER = {
    "pa": PassiveAggressiveClassifier(),
    "pa2": PassiveAggressiveClassifier(loss="squared_hinge", C=0.5),
    "pa-joint": PassiveAggressiveClassifier(multi_class="crammer_singer"),
    "perceptron": PerceptronClassifier(positive_margin=0.4, negative_margin=0.1, pos_label="yes"),
    "perceptron-joint": PerceptronClassifier(multi_class="crammer_singer"),
    "cost": CostSensitivePassiveAggressiveClassifier(average=False),
    "cost-joint": CostSensitivePassiveAggressiveClassifier(
        rule="max_loss", multi_class="crammer_singer", average=False
    ),
}
SECOND_ORDER = {
    "sop": SecondOrderPerceptronClassifier(),
    "sop-diag": SecondOrderPerceptronClassifier(covariance="diag"),
    "cw": ConfidenceWeightedClassifier(),
    "cw-full": ConfidenceWeightedClassifier(covariance="full"),
    "arow": AROWClassifier(),
    "arow-full": AROWClassifier(covariance="full"),
    "scw": SCWClassifier(),
    "scw2-full": SCWClassifier(loss="squared_hinge", covariance="full"),
}
CLASSIFIERS = {**FIRST_ORDER, **SECOND_ORDER}
# One for each memory layout of the weights.
STATES = ("pa", "pa-average", "pa-joint", "arow", "arow-full")
CLASSIFIERS["pa-average"] = PassiveAggressiveClassifier(average=True)
# The same for dense and for sparse samples; the default differs.
for _model in (*FIRST_ORDER.values(), CLASSIFIERS["pa-average"]):
    _model.set_params(intercept_scaling=1.0)
# Models with the parameter average.
AVERAGING = {
    name: CLASSIFIERS[name] for name in ("pa", "pa2", "pa-joint", "perceptron", "perceptron-joint")
}

BOTH = {"binary": two_classes, "multiclass": three_classes}
with_both = pytest.mark.parametrize("problem", BOTH)
with_layouts = pytest.mark.parametrize("layout", LAYOUTS)
with_dtypes = pytest.mark.parametrize("dtype", [np.float32, np.float64])
with_classifiers = pytest.mark.parametrize("name", CLASSIFIERS)
with_states = pytest.mark.parametrize("name", STATES)
with_averaging = pytest.mark.parametrize("name", AVERAGING)


LOCAL = {
    "local": LocalOnlineClassifier(5, C=0.3, n_neighbors=2),
    "local-scw": LocalOnlineClassifier(5, C=0.3, variant="scw", average=False),
    "local-ovr": LocalOnlineClassifier(4, C=0.3, multi_class="ovr", average=7),
}
with_all_classifiers = pytest.mark.parametrize("name", [*CLASSIFIERS, *LOCAL])


def model_of(name, **params):
    return clone({**CLASSIFIERS, **LOCAL}[name]).set_params(**{"random_state": 0, **params})


# Parameters for the labels 0 and 1, instead of "no" and "yes".
OF_NUMBERS = {"perceptron": {"pos_label": None}}


def once(name, **params):
    """A model that is trained for one epoch."""
    return model_of(name, **{"max_iter": 1, "tol": None, **params})


def regressor(**params):
    return PassiveAggressiveRegressor(**{"random_state": 0, "intercept_scaling": 1.0, **params})


def samples_of(problem, layout="dense", dtype=np.float64, n=200):
    X, y = BOTH[problem](n)
    X[np.abs(X) < 0.3] = 0.0  # for CSR
    return LAYOUTS[layout](X.astype(dtype)), y


def line(n=200, *, noise=0.1, seed=0, dtype=np.float64, layout="dense"):
    """Samples and targets of a linear function."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    X[np.abs(X) < 0.3] = 0.0
    y = X @ [1.0, -2.0, 0.5, 0.0] + 0.7 + noise * rng.normal(size=n)
    return LAYOUTS[layout](X.astype(dtype)), y


def train(model, X, y, size=None, begin=0, classes=None, sample_weight=None):
    """Call `partial_fit` with chunks of this size, from sample `begin` on."""
    first_call = {}
    if not is_regressor(model):
        first_call = {"classes": np.unique(y) if classes is None else classes}
    n = X.shape[0]
    for first in range(begin, n, size or n):
        part = slice(first, first + (size or n))
        more = {} if sample_weight is None else {"sample_weight": sample_weight[part]}
        model.partial_fit(X[part], y[part], **more, **(first_call if first == 0 else {}))
    return model


def dense(array):
    return array.toarray() if sparse.issparse(array) else np.asarray(array)


ARRAYS = (
    *("coef_", "intercept_", "covariance_", "common_coef_", "common_intercept_"),
    *("local_coef_", "local_intercept_", "prototypes_", "prototype_counts_"),
)


def arrays_of(model):
    """Copies of the arrays that are attributes of a model."""
    return {name: dense(getattr(model, name)).copy() for name in ARRAYS if hasattr(model, name)}


def state_of(model):
    """Copies of all numbers that are attributes of a model."""
    return {**arrays_of(model), "n_updates_": model.n_updates_, "t_": model.t_}


def assert_same(model, *others, rtol=0.0, atol=0.0):
    """Compare all attributes, bit by bit unless there is a tolerance."""
    for other in others:
        ours, theirs = arrays_of(model), arrays_of(other)
        assert set(ours) == set(theirs)
        for name, array in ours.items():
            assert_allclose(array, theirs[name], rtol=rtol, atol=atol, err_msg=name)
        assert model.t_ == other.t_
        # Rounding decides whether a margin is met exactly.
        n_updates = other.n_updates_
        assert abs(model.n_updates_ - n_updates) <= (0.05 * n_updates if rtol else 0)


def assert_unchanged(model, before):
    """Compare a model with its earlier `state_of`, bit by bit."""
    for name, value in state_of(model).items():
        assert_array_equal(value, before[name], err_msg=name)
