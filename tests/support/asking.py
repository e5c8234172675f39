"""What the tests of learning from few labels share: rows, learners, rules, the plain protocol."""

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
from tests.support.samples import LAYOUTS, three_classes, two_classes

BOTH = {"binary": two_classes, "multiclass": three_classes}
with_both = pytest.mark.parametrize("problem", BOTH)
with_layouts = pytest.mark.parametrize("layout", LAYOUTS)


def rows_of(problem="binary", n=200, layout="dense", dtype=np.float64):
    X, y = BOTH[problem](n)
    X[np.abs(X) < 0.3] = 0.0  # so that there is something sparse about it
    return LAYOUTS[layout](X.astype(dtype)), y


class Wrapped(ClassifierMixin, BaseEstimator):
    """A linear model that does not look like one: it takes the way of all other estimators."""

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


def naive(estimator, rule, X, y, *, n_passes=1, order=None, weight=None):
    """The protocol as it is written: model, rule, which labels were bought, first predictions."""
    estimator, rule = clone(estimator), clone(rule)
    params = rule.get_params()
    classes, n = np.unique(y), X.shape[0]
    order = range(n) if order is None else order
    owned, predictions, taught = np.zeros(n, dtype=bool), np.empty(n, dtype=classes.dtype), False
    weight = np.ones(n) if weight is None else weight

    def teach(i, score):
        nonlocal taught
        n_updates = estimator.n_updates_ if taught and hasattr(estimator, "n_updates_") else 0
        keyword = {"sample_weight": weight[i : i + 1]} if (weight != 1).any() else {}
        estimator.partial_fit(X[i : i + 1], y[i : i + 1], classes=classes, **keyword)
        taught = True
        if hasattr(estimator, "n_updates_"):
            return estimator.n_updates_ > n_updates
        return said(score) != y[i]

    def said(score):
        return classes[score.argmax() if score.ndim == 2 else int(score[0] > 0)]

    for n_pass in range(n_passes):
        for i in order:
            if owned[i]:
                teach(i, None)
                continue
            x = X[i : i + 1]
            if taught:
                score = estimator.decision_function(x)
            else:
                score = np.zeros(1) if len(classes) == 2 else np.zeros((1, len(classes)))
            if n_pass == 0:
                predictions[i] = said(score)
            if weight[i] == 0:
                continue  # its label would teach nothing
            numbers = {}
            if params.get("schedule") == "mistakes":
                dense = x.toarray() if sparse.issparse(x) else x
                numbers["norms"] = [np.linalg.norm(dense)]
            if params.get("confidence") == "second-order":
                variance = estimator.decision_variance(x) if taught else np.zeros(1)
                numbers["variances"] = np.reshape(variance, (1, -1))[:, 0]
            asked = bool(rule.query(score, **numbers)[0])
            updated = teach(i, score) if asked else False
            owned[i] = asked
            rule.update(score, [asked], [updated], **numbers)
    return estimator, rule, owned, predictions


def assert_same(model, other, X, rtol=1e-10):
    assert_array_equal(model.queried_, other.queried_)
    assert_array_equal(model.online_predictions_, other.online_predictions_)
    assert model.n_queries_ == other.n_queries_ == model.queried_.sum()
    decisions = other.decision_function(X)
    assert_allclose(model.decision_function(X), decisions, rtol=rtol, atol=rtol)


LEARNERS = {
    "pa": PassiveAggressiveClassifier(C=0.5),
    "pa2-joint": PassiveAggressiveClassifier(loss="squared_hinge", multi_class="crammer_singer"),
    "pa-average": PassiveAggressiveClassifier(average=True),
    "perceptron": PerceptronClassifier(positive_margin=0.2, pos_label="yes"),
    "cost": CostSensitivePassiveAggressiveClassifier(C=1.0, average=False),
    "sop": SecondOrderPerceptronClassifier(),
    "scw": SCWClassifier(),
}
RULES = {
    "all": AllQuery(),
    "random": RandomQuery(rate=0.4, random_state=1),
    "margin": MarginQuery(delta=0.5, random_state=2),
    "offset": MarginQuery(delta=1.0, offset=1.0, random_state=3),
    "adaptive": MarginQuery(delta=20.0, schedule="adaptive", random_state=4),
    "mistakes": MarginQuery(delta=0.01, schedule="mistakes", random_state=5),
    "rate": MarginQuery(rate=0.3, random_state=6),
    "second-order": MarginQuery(confidence="second-order", random_state=7),
    "all at once": MarginQuery(
        0.01, offset=0.1, schedule="mistakes", rate=0.4, confidence="second-order", random_state=8
    ),
}
SECOND_ORDER = ("sop", "scw")
PAIRS = [
    (learner, rule)
    for learner in LEARNERS
    for rule in RULES
    if learner in SECOND_ORDER or rule not in ("second-order", "all at once")
]


OTHERS = {
    "sgd": SGDClassifier(random_state=0),
    "sgd-log": SGDClassifier(loss="log_loss", random_state=0),
    "lasvc": LASVC(gamma=0.3, random_state=0),
    "lasvc-g": LASVC(gamma=0.3, algorithm="lasvm-g", random_state=0),
}


class Memory(ClassifierMixin, BaseEstimator):
    """Knows each row it was taught, and says the first class otherwise."""

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


class Fixed(BaseEstimator):
    """Asks about the rows it was told, in order."""

    def __init__(self, wanted=None):
        self.wanted = wanted

    def query(self, scores):
        return np.array([self.wanted[getattr(self, "n_seen_", 0)]])

    def update(self, scores, queried, updated=None):
        self.n_seen_ = getattr(self, "n_seen_", 0) + len(queried)
        return self


class OracleError(RuntimeError):
    """What an oracle may say."""
