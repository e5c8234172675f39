"""Linear models inside the meta-estimators of scikit-learn and imbalanced-learn."""

import warnings

import joblib
import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.base import clone, is_regressor
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import BaggingClassifier, BaggingRegressor, VotingClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import SGDClassifier
from sklearn.model_selection import (
    learning_curve,
)
from sklearn.multiclass import OneVsRestClassifier
from sklearn.multioutput import MultiOutputClassifier

from sklearn_online_svm import (
    PassiveAggressiveClassifier,
)
from tests.support.linear_models import (
    OF_NUMBERS,
    assert_same,
    model_of,
    once,
    regressor,
    samples_of,
    train,
)
from tests.support.samples import breast_cancer

META_ESTIMATORS = {
    "calibration": CalibratedClassifierCV(model_of("pa", C=0.1, average=True), cv=3),
    "calibration of one model": CalibratedClassifierCV(
        model_of("pa", C=0.1, average=True), ensemble=False, cv=3
    ),
    "bagging": BaggingClassifier(model_of("pa", C=0.1, average=True), 5, random_state=0),
    "bagging of regressors": BaggingRegressor(regressor(C=0.01), 5, random_state=0),
    "voting": VotingClassifier([("pa", model_of("pa", C=0.1)), ("arow", model_of("arow"))]),
}


@pytest.mark.parametrize("name", META_ESTIMATORS)
def test_meta_estimators(name):
    X, y = breast_cancer()
    with joblib.parallel_backend("threading"):
        model = clone(META_ESTIMATORS[name])
        if "bagging" in name:
            model.fit(X, y, sample_weight=np.random.default_rng(0).uniform(0.5, 2, len(y)))
        else:
            model.fit(X, y)
    assert model.score(X, y) > (0.6 if is_regressor(model) else 0.94)


def test_meta_estimators_of_streams():
    X, y = breast_cancer()
    _, _, scores = learning_curve(
        model_of("pa", C=0.1), X, y, cv=3, exploit_incremental_learning=True, train_sizes=[50, 300]
    )
    # The standard deviation over divisions into folds is 0.01, the mean 0.89; 63 % of the samples
    # are of one class.
    assert scores.min() > 0.8
    Y = np.c_[y, X[:, 2] > 0].astype(int)
    model = MultiOutputClassifier(model_of("pa"))
    for start in range(0, len(X), 50):
        chunk = slice(start, start + 50)
        model.partial_fit(X[chunk], Y[chunk], classes=[[0, 1], [0, 1]])
    assert_same(model.estimators_[1], train(model_of("pa"), X, Y[:, 1]))


def test_imbalanced_learn():
    pipeline = pytest.importorskip("imblearn.pipeline")
    under_sampling = pytest.importorskip("imblearn.under_sampling")
    X, y = breast_cancer()
    kept = np.sort(np.r_[np.flatnonzero(y == 1), np.flatnonzero(y == 0)[:40]])
    sampler = under_sampling.RandomUnderSampler(random_state=0)
    model = pipeline.make_pipeline(sampler, model_of("cost")).fit(X[kept], y[kept])
    assert_same(model[-1], model_of("cost").fit(*sampler.fit_resample(X[kept], y[kept])))


@pytest.mark.parametrize("name", ["pa", "pa-average", "arow", "perceptron", "cost", "scw"])
def test_one_vs_rest_equals_OneVsRestClassifier(name):
    X, y = samples_of("multiclass")
    more = OF_NUMBERS.get(name, {})
    ovr, own = OneVsRestClassifier(once(name, **more)).fit(X, y), once(name, **more).fit(X, y)
    assert_allclose(ovr.decision_function(X), own.decision_function(X), rtol=1e-9, atol=1e-9)
    stream = OneVsRestClassifier(model_of(name, **more))
    for first in range(0, 200, 50):
        part = slice(first, first + 50)
        stream.partial_fit(X[part], y[part], classes=[10, 20, 30])
    own = train(model_of(name), X, y)
    assert_allclose(stream.decision_function(X), own.decision_function(X), rtol=1e-9, atol=1e-9)


def test_calls_of_sgd_classifier():
    """Calls and common parameters of SGDClassifier work alike."""
    X, y = breast_cancer()
    shared = dict(
        fit_intercept=True,
        max_iter=20,
        tol=1e-3,
        shuffle=True,
        verbose=0,
        random_state=0,
        early_stopping=True,
        validation_fraction=0.2,
        n_iter_no_change=3,
        class_weight={0: 2.0},
        warm_start=True,
        average=10,
        n_jobs=1,
    )
    scores = []
    for make in (SGDClassifier, PassiveAggressiveClassifier):
        model = make(**shared)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model.fit(X, y, coef_init=np.zeros((1, 30)), intercept_init=np.zeros(1))
        model.set_params(early_stopping=False)
        model.partial_fit(X, y, sample_weight=np.ones(len(y)))
        assert model.coef_.shape == (1, 30) and model.intercept_.shape == (1,)
        assert type(model.t_) is float and type(model.n_iter_) is int
        model.sparsify().densify()
        scores.append(model.score(X, y))
    assert scores[1] > scores[0] - 0.03
