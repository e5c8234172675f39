"""CalibratedClassifierCV of scikit-learn with every classifier of the package."""

import warnings

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone, is_classifier
from sklearn.calibration import CalibratedClassifierCV
from sklearn.frozen import FrozenEstimator
from sklearn.metrics import log_loss

import sklearn_online_svm as package
from sklearn_online_svm import calibration, model_selection
from sklearn_online_svm.active import MarginQuery
from tests.support.samples import three_classes

RULE = package.Advice.from_conditions({"x0": (">=", 1.0)}, [f"x{i}" for i in range(4)], 0)
# Parameters without a default, or with one that does not suit sparse samples.
PARAMS = {
    "AdvicePassiveAggressiveClassifier": dict(advice=[RULE]),
    "CompressedClassifier": dict(estimator=package.LASVC(), tolerance=0.1),
    "LabelEfficientClassifier": dict(query_strategy=MarginQuery()),
    "LocalOnlineClassifier": dict(n_prototypes=4),
    "ProgressiveSearch": dict(estimator=package.AROWClassifier(), param_grid={"r": [1.0, 10.0]}),
}


def all_classifiers():
    for module in (package, calibration, model_selection):
        for name in module.__all__:
            kind = getattr(module, name)
            if isinstance(kind, type) and hasattr(kind, "fit") and hasattr(kind, "predict"):
                model = kind(**PARAMS.get(name, {}))
                if is_classifier(model):
                    seeds = [key for key in model.get_params() if key.endswith("random_state")]
                    model.set_params(**dict.fromkeys(seeds, 0))
                    yield pytest.param(model, id=name)


CLASSIFIERS = [*all_classifiers()]


def test_every_classifier_is_tested():
    names = {case.id for case in CLASSIFIERS}
    assert len(names) > 15
    assert {"LASVC", "AROWClassifier", "OnlineCalibratedClassifier", "ProgressiveSearch"} <= names


def clouds(n_classes):
    X, y = three_classes(250)
    X, y = X[y <= 10 * n_classes], y[y <= 10 * n_classes]
    return X[:180], y[:180] // 10 - 1


def probabilities(calibrated, X, y):
    """Fit to the first 120 samples, and return probabilities of the others."""
    rows = X.iloc if isinstance(X, pd.DataFrame) else X
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)  # of feature names
        found = calibrated.fit(rows[:120], y[:120]).predict_proba(rows[120:])
    assert_allclose(found.sum(axis=1), 1.0)
    classes, counts = np.unique(y[:120], return_counts=True)
    assert_array_equal(calibrated.classes_, classes)
    frequencies = np.tile(counts / 120, (len(y) - 120, 1))
    assert log_loss(y[120:], found) < log_loss(y[120:], frequencies)
    return found


def thinned(X):
    return sparse.csr_matrix(np.where(np.abs(X) > 0.3, X, 0.0))


@pytest.mark.parametrize("model", CLASSIFIERS)
def test_sparse_samples(model):
    X, y = clouds(2)
    probabilities(CalibratedClassifierCV(model, cv=2), thinned(X), y)


@pytest.mark.parametrize("model", CLASSIFIERS)
def test_frozen_models(model):
    X, y = clouds(3)
    X = thinned(X)
    frozen = FrozenEstimator(clone(model).fit(X[:60], y[:60]))
    probabilities(CalibratedClassifierCV(frozen), X, y)


@pytest.mark.sampled
@pytest.mark.parametrize("model", CLASSIFIERS)
def test_frames(model):
    X, y = clouds(2)
    frame = pd.DataFrame(X).add_prefix("x")
    calibrated = CalibratedClassifierCV(model, cv=2, ensemble=False)
    assert_array_equal(probabilities(calibrated, frame, y), probabilities(calibrated, X, y))
