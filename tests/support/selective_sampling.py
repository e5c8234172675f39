"""Data, models, strategies and a reference implementation for tests of selective sampling."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.linear_model import SGDClassifier

from sklearn_online_svm import (
    LASVC,
    CostSensitivePassiveAggressiveClassifier,
    PassiveAggressiveClassifier,
    PerceptronClassifier,
    SCWClassifier,
    SecondOrderPerceptronClassifier,
)
from sklearn_online_svm.active import AllQuery, MarginQuery, RandomQuery
from tests.support.pools import smallest_of_pairs
from tests.support.samples import LAYOUTS, three_classes, two_classes

BOTH = {"binary": two_classes, "multiclass": three_classes}
with_both = pytest.mark.parametrize("problem", BOTH)
with_layouts = pytest.mark.parametrize("layout", LAYOUTS)


def make_samples(problem="binary", n=200, layout="dense", dtype=np.float64):
    X, y = BOTH[problem](n)
    X[np.abs(X) < 0.3] = 0.0
    return LAYOUTS[layout](X.astype(dtype)), y


class Wrapped(ClassifierMixin, BaseEstimator):
    """A linear model without a query adapter, which is run in the Python loop."""

    def __init__(self, inner=None):
        self.inner = inner

    def partial_fit(self, X, y, classes=None, sample_weight=None):
        if not hasattr(self, "inner_"):
            self.inner_ = clone(self.inner)
        self.inner_.partial_fit(X, y, classes=classes, sample_weight=sample_weight)
        self.classes_ = self.inner_.classes_
        return self

    def decision_function(self, X):
        return self.inner_.decision_function(X)

    def predict(self, X):
        return self.inner_.predict(X)

    @property
    def n_updates_(self):
        return self.inner_.n_updates_

    @property
    def decision_variance(self):
        return (self.inner_ if hasattr(self, "inner_") else self.inner).decision_variance


def reference_run(estimator, strategy, X, y, *, n_epochs=1, weight=None, max_labels=None):
    """Selective sampling as in the paper, one sample at a time. ``max_labels`` is a share.

    Returns the model, the strategy, which labels were queried, and the online predictions.
    """
    estimator, strategy = clone(estimator), clone(strategy)
    params, classes, n = strategy.get_params(), np.unique(y), X.shape[0]
    queried, is_trained = np.zeros(n, dtype=bool), False
    predictions = np.empty(n, dtype=classes.dtype)

    def train(i, predicted):
        nonlocal is_trained
        counts_updates = hasattr(type(estimator), "n_updates_")
        before = estimator.n_updates_ if is_trained and counts_updates else 0
        weights = {} if weight is None else {"sample_weight": weight[i : i + 1]}
        estimator.partial_fit(X[i : i + 1], y[i : i + 1], classes=classes, **weights)
        is_trained = True
        return estimator.n_updates_ > before if counts_updates else predicted != y[i]

    for epoch in range(n_epochs):
        for i in range(n):
            if queried[i]:
                train(i, None)
                continue
            x = X[i : i + 1]
            if is_trained:
                score = estimator.decision_function(x)
            else:
                score = np.zeros(1) if len(classes) == 2 else np.zeros((1, len(classes)))
            if is_trained and score.ndim == 2 and getattr(estimator, "multi_class", "") == "ovo":
                # The margin is that of the pairs of the predicted class.
                is_predicted = classes == estimator.predict(x)
                score = np.where(is_predicted, 0.0, -smallest_of_pairs(estimator, x))[np.newaxis]
            predicted = classes[score.argmax() if score.ndim == 2 else int(score[0] > 0)]
            if epoch == 0:
                predictions[i] = predicted
            if weight is not None and weight[i] == 0:
                continue
            if max_labels is not None and queried.sum() >= max_labels * (n if epoch else i + 1):
                continue
            numbers = {}
            if params.get("schedule") == "mistakes":
                numbers["norms"] = [np.linalg.norm(x.toarray() if sparse.issparse(x) else x)]
            if params.get("confidence", "margin") != "margin":
                variance = estimator.decision_variance(x) if is_trained else np.zeros(1)
                variance = np.ravel(variance)
                if params["confidence"] == "standardized" and len(variance) > 1:
                    variance = [variance[np.argsort(score[0])[-2:]].sum()]
                numbers["variances"] = variance[:1]
            queried[i] = strategy.query(score, **numbers)[0]
            updated = train(i, predicted) if queried[i] else False
            strategy.update(score, [queried[i]], [updated], **numbers)
    return estimator, strategy, queried, predictions


def assert_same(model, other, X, rtol=1e-10):
    assert_array_equal(model.queried_, other.queried_)
    assert_array_equal(model.online_predictions_, other.online_predictions_)
    assert model.n_queries_ == other.n_queries_ == model.queried_.sum()
    decisions = other.decision_function(X)
    assert_allclose(model.decision_function(X), decisions, rtol=rtol, atol=rtol)


LINEAR = {
    "pa": PassiveAggressiveClassifier(C=0.5),
    "pa2-joint": PassiveAggressiveClassifier(loss="squared_hinge", multi_class="crammer_singer"),
    "pa-average": PassiveAggressiveClassifier(average=True),
    "perceptron": PerceptronClassifier(positive_margin=0.2, pos_label="yes"),
    "cost": CostSensitivePassiveAggressiveClassifier(C=1.0, average=False),
    "sop": SecondOrderPerceptronClassifier(),
    "scw": SCWClassifier(),
}
STRATEGIES = {
    "all": AllQuery(),
    "random": RandomQuery(rate=0.4, random_state=1),
    "margin": MarginQuery(delta=0.5, random_state=2),
    "offset": MarginQuery(delta=1.0, offset=1.0, random_state=3),
    "adaptive": MarginQuery(delta=20.0, schedule="adaptive", random_state=4),
    "mistakes": MarginQuery(delta=0.01, schedule="mistakes", random_state=5),
    "rate": MarginQuery(rate=0.3, random_state=6),
    "second_order": MarginQuery(confidence="second_order", random_state=7),
    "standardized": MarginQuery(0.2, offset=-0.1, confidence="standardized", random_state=9),
    "all at once": MarginQuery(
        0.01, offset=0.1, schedule="mistakes", rate=0.4, confidence="second_order", random_state=8
    ),
}
SECOND_ORDER = ("sop", "scw")
WITH_VARIANCE = ("second_order", "standardized", "all at once")
PAIRS = [
    (name, strategy)
    for name in LINEAR
    for strategy in STRATEGIES
    if name in SECOND_ORDER or strategy not in WITH_VARIANCE
]


OTHERS = {
    "sgd": SGDClassifier(random_state=0),
    "sgd-log": SGDClassifier(loss="log_loss", random_state=0),
    "lasvc": LASVC(gamma=0.3, random_state=0),
    "lasvc, rest": LASVC(gamma=0.3, multi_class="ovr", random_state=0),
    "lasvc-g": LASVC(gamma=0.3, algorithm="lasvm-g", random_state=0),
}


class Memory(ClassifierMixin, BaseEstimator):
    """Predicts the labels of training samples, and the first class for other samples."""

    def partial_fit(self, X, y, classes=None, sample_weight=None):
        self.classes_ = np.asarray(classes)
        self.known_ = getattr(self, "known_", {})
        for x, label in zip(X, y, strict=True):
            self.known_[x.tobytes()] = label
        return self

    def decision_function(self, X):
        return np.array([1.0 if self._label(x) == self.classes_[1] else -1.0 for x in X])

    def predict(self, X):
        return np.array([self._label(x) for x in X])

    def _label(self, x):
        return self.known_.get(x.tobytes(), self.classes_[0])


class FixedQueries(BaseEstimator):
    """Queries the samples given by a mask."""

    def __init__(self, wanted=None):
        self.wanted = wanted

    def query(self, scores):
        return np.array([self.wanted[getattr(self, "n_seen_", 0)]])

    def update(self, scores, queried, updated=None):
        self.n_seen_ = getattr(self, "n_seen_", 0) + len(queried)
        return self


class OracleError(RuntimeError):
    """Error raised by an oracle."""
