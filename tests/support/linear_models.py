"""Linear learners of every kind, rows for them, and how to compare what they have learnt."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse
from sklearn.base import clone, is_regressor

from sklearn_online_svm import (
    AROWClassifier,
    ConfidenceWeightedClassifier,
    CostSensitivePassiveAggressiveClassifier,
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
# One of each kind of state.
STATES = ("pa", "pa-average", "pa-joint", "arow", "arow-full")
CLASSIFIERS["pa-average"] = PassiveAggressiveClassifier(average=True)
# Alike for dense and for sparse rows; by default it depends on the rows.
for _model in (*FIRST_ORDER.values(), CLASSIFIERS["pa-average"]):
    _model.set_params(intercept_scaling=1.0)
# Those that can average.
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


def model_of(name, **params):
    return clone(CLASSIFIERS[name]).set_params(**{"random_state": 0, **params})


# What else a model needs where the labels are 0 and 1, not "no" and "yes".
OF_NUMBERS = {"perceptron": {"pos_label": None}}


def once(name, **params):
    """A model that makes a single pass."""
    return model_of(name, **{"max_iter": 1, "tol": None, **params})


def regressor(**params):
    return PassiveAggressiveRegressor(**{"random_state": 0, "intercept_scaling": 1.0, **params})


def rows_of(problem, layout="dense", dtype=np.float64, n=200):
    X, y = BOTH[problem](n)
    X[np.abs(X) < 0.3] = 0.0  # so that there is something sparse about it
    return LAYOUTS[layout](X.astype(dtype)), y


def line(n=200, *, noise=0.1, seed=0, dtype=np.float64, layout="dense"):
    """Rows and targets for regression."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    X[np.abs(X) < 0.3] = 0.0
    y = X @ [1.0, -2.0, 0.5, 0.0] + 0.7 + noise * rng.normal(size=n)
    return LAYOUTS[layout](X.astype(dtype)), y


def learn(model, X, y, size=None, begin=0, classes=None):
    """`partial_fit` from row `begin` on, in chunks."""
    first_call = {} if is_regressor(model) else {"classes": np.unique(y)}
    if classes is not None:
        first_call = {"classes": classes}
    n = X.shape[0]
    for first in range(begin, n, size or n):
        part = slice(first, first + (size or n))
        model.partial_fit(X[part], y[part], **(first_call if first == 0 else {}))
    return model


def dense(array):
    return array.toarray() if sparse.issparse(array) else np.asarray(array)


def arrays_of(model):
    names = ["coef_", "intercept_"]
    if hasattr(model, "covariance_"):
        names.append("covariance_")
    return {name: dense(getattr(model, name)).copy() for name in names}


def assert_same(model, other, rtol=0.0, atol=0.0):
    ours, theirs = arrays_of(model), arrays_of(other)
    assert set(ours) == set(theirs)
    for name, array in ours.items():
        assert_allclose(array, theirs[name], rtol=rtol, atol=atol, err_msg=name)
    assert model.t_ == other.t_
    # Rounded differently, a margin may be met or missed by a hair.
    n_updates = other.n_updates_
    assert abs(model.n_updates_ - n_updates) <= (0.05 * n_updates if rtol else 0)
