"""Pools, classifiers and what they share, for the tests of choosing rows from a pool."""

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.feature_selection import RFE
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC

from sklearn_online_svm import (
    LASVC,
    LabelEfficientClassifier,
    PassiveAggressiveClassifier,
    RampSVC,
)
from tests.support.samples import three_classes, two_classes

X, Y = two_classes(600)
X3, Y3 = three_classes(600)
FIRST = slice(0, 200)
POOL = X[200:]
POOL3 = X3[200:]
SVM = LASVC(C=10.0, gamma=0.3, random_state=0).fit(X[FIRST], Y[FIRST])
SVM3 = LASVC(C=10.0, gamma=0.3, random_state=0).fit(X3[FIRST], Y3[FIRST])


class Plane(BaseEstimator):
    """A classifier whose decision value is the first column; it keeps what it is asked about."""

    coef_ = np.array([[1.0, 0.0]])

    def __init__(self):
        self.asked = []

    def decision_function(self, X):
        self.asked.append(X)
        return np.asarray(X)[:, 0]


class Learner:
    """Has a classifier, as modAL's ActiveLearner has."""

    def __init__(self, estimator):
        self.estimator = estimator


def gaps(model, rows):
    scores = model.decision_function(rows)
    if scores.ndim == 1:
        return np.abs(scores)
    if getattr(model, "multi_class", "ovr") == "ovo":
        return smallest_of_pairs(model, rows)
    ordered = np.sort(scores, axis=1)
    return ordered[:, -1] - ordered[:, -2]


def smallest_of_pairs(model, rows):
    """Return the smallest absolute decision value among the pairs of the predicted class."""
    shape = model.decision_function_shape
    values = np.abs(model.set_params(decision_function_shape="ovo").decision_function(rows))
    model.set_params(decision_function_shape=shape)
    codes = np.searchsorted(model.classes_, model.predict(rows))[:, np.newaxis]
    first, second = np.triu_indices(len(model.classes_), 1)
    return np.where((first == codes) | (second == codes), values, np.inf).min(axis=1)


def classifiers():
    pipeline = make_pipeline(StandardScaler(), LASVC(C=10.0, gamma=0.3, random_state=0))
    return {
        "lasvc": SVM,
        "lasvm-g": LASVC(gamma=0.3, algorithm="lasvm-g", random_state=0),
        "ramp": RampSVC(gamma=0.3),
        "svc": SVC(),
        "linear svc": LinearSVC(),
        "logistic": LogisticRegression(),
        "pa": PassiveAggressiveClassifier(random_state=0),
        "boosting": HistGradientBoostingClassifier(max_iter=5),
        "pipeline": pipeline,
        "search": GridSearchCV(pipeline, {"lasvc__C": [1.0, 10.0]}, cv=2),
        "few labels": LabelEfficientClassifier(LASVC(gamma=0.3), random_state=0),
        "rfe": RFE(LinearSVC(), n_features_to_select=2),
    }
