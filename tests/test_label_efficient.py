"""Labels that have a price: which are bought, when they are seen, and what is learnt from them."""

import copy
import pickle
import re
import tracemalloc
from pathlib import Path

import joblib
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.sparse import csr_matrix
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import SGDClassifier
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils._param_validation import InvalidParameterError

import sklearn_online_svm
from sklearn_online_svm import (
    LASVC,
    AROWClassifier,
    CostSensitivePassiveAggressiveClassifier,
    LabelEfficientClassifier,
    PassiveAggressiveClassifier,
    PassiveAggressiveRegressor,
    PerceptronClassifier,
    SCWClassifier,
    SecondOrderPerceptronClassifier,
    active,
)
from sklearn_online_svm.active import AllQuery, MarginQuery, RandomQuery
from tests.samples import LAYOUTS, three_classes, two_classes

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
    "cost": CostSensitivePassiveAggressiveClassifier(class_weight=None),
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


# -- one loop or the other --------------------------------------------------------------


@pytest.mark.parametrize("learner, rule", PAIRS)
@with_both
@pytest.mark.parametrize("layout, max_iter", [("dense", 3), ("csr", 1)])
def test_the_compiled_loop_does_what_the_other_one_does(learner, rule, problem, layout, max_iter):
    X, y = rows_of(problem, 50, layout)
    params = dict(max_iter=max_iter, random_state=0)
    compiled, other = (
        LabelEfficientClassifier(estimator, RULES[rule], **params).fit(X, y)
        for estimator in (LEARNERS[learner], Wrapped(LEARNERS[learner]))
    )
    assert_same(compiled, other, X)
    assert 0 < compiled.n_queries_ <= 50 and (rule != "all" or compiled.n_queries_ == 50)
    ours, theirs = compiled.query_strategy_, other.query_strategy_
    assert ours.n_queries_ == theirs.n_queries_ == compiled.n_queries_
    if hasattr(ours, "delta_"):
        assert_allclose(ours.delta_, theirs.delta_)
    assert compiled.estimator_.n_updates_ == other.estimator_.n_updates_
    assert_array_equal(compiled.predict(X), other.predict(X))


@pytest.mark.parametrize("learner, rule", PAIRS)
@with_both
def test_both_do_what_is_written(learner, rule, problem):
    X, y = rows_of(problem, 70)
    estimator, its_rule, owned, predictions = naive(
        LEARNERS[learner], RULES[rule], X, y, n_passes=2
    )
    model = LabelEfficientClassifier(
        LEARNERS[learner], RULES[rule], max_iter=2, shuffle=False
    ).fit(X, y)
    assert_array_equal(model.queried_, owned)
    assert_array_equal(model.online_predictions_, predictions)
    assert_allclose(model.estimator_.coef_, estimator.coef_, rtol=1e-10, atol=1e-12)
    assert model.query_strategy_.n_queries_ == its_rule.n_queries_ == owned.sum()


OTHERS = {
    "sgd": SGDClassifier(random_state=0),
    "sgd-log": SGDClassifier(loss="log_loss", random_state=0),
    "lasvc": LASVC(gamma=0.3, random_state=0),
    "lasvc-g": LASVC(gamma=0.3, algorithm="lasvm-g", random_state=0),
}


@pytest.mark.parametrize("name", OTHERS)
@pytest.mark.parametrize("rule", ["all", "random", "margin", "adaptive", "mistakes", "rate"])
@with_both
@with_layouts
def test_any_estimator_that_learns_in_part(name, rule, problem, layout):
    X, y = rows_of(problem, 40, layout)
    estimator, _, owned, predictions = naive(OTHERS[name], RULES[rule], X, y)
    model = LabelEfficientClassifier(OTHERS[name], RULES[rule], shuffle=False).fit(X, y)
    assert_array_equal(model.queried_, owned)
    assert_array_equal(model.online_predictions_, predictions)
    assert_allclose(model.decision_function(X), estimator.decision_function(X), rtol=1e-12)
    assert_array_equal(model.predict(X), estimator.predict(X))
    assert model.n_queries_ == owned.sum() > 0


def test_the_variance_of_a_multiclass_model_is_that_of_its_first_class():
    X, y = rows_of("multiclass", 100)
    model = LabelEfficientClassifier(AROWClassifier(), RULES["second-order"], shuffle=False)
    _, _, owned, _ = naive(AROWClassifier(), RULES["second-order"], X, y)
    assert_array_equal(model.fit(X, y).queried_, owned)
    assert 0 < owned.sum() < 100


def test_an_estimator_without_fit_and_without_weights():
    class Centre(ClassifierMixin, BaseEstimator):
        """The least that is wanted."""

        def partial_fit(self, X, y, classes=None):
            self.classes_ = np.asarray(classes)
            self.last_ = X.mean(axis=0) * (1 if y[-1] == self.classes_[1] else -1)
            return self

        def decision_function(self, X):
            return X @ self.last_

        def predict(self, X):
            return self.classes_[(self.decision_function(X) > 0).astype(int)]

    X, y = rows_of()
    model = LabelEfficientClassifier(Centre(), RULES["margin"], shuffle=False).fit(X, y)
    assert_array_equal(model.queried_, naive(Centre(), RULES["margin"], X, y)[2])
    with pytest.raises(TypeError, match="sample_weight"):
        model.fit(X, y, np.full(200, 2.0))


# -- what is seen, and when -------------------------------------------------------------


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


@pytest.mark.parametrize("max_iter", [1, 3])
def test_predictions_come_before_the_label(max_iter):
    X, y = rows_of(n=100)
    model = LabelEfficientClassifier(Memory(), AllQuery(), max_iter=max_iter, random_state=0)
    model.fit(X, y)
    # It knows all rows by heart in the end, and knew none when it was asked first.
    assert model.score(X, y) == 1.0
    assert_array_equal(model.online_predictions_, "no")
    # A row that comes again is known.
    model.partial_fit(X, y)
    assert_array_equal(model.online_predictions_[100:], y)
    # Within a chunk, too.
    twice = np.repeat(np.arange(100), 2)
    stream = LabelEfficientClassifier(Memory(), AllQuery())
    stream.partial_fit(X[twice], y[twice], classes=["no", "yes"])
    assert_array_equal(stream.online_predictions_[::2], "no")
    assert_array_equal(stream.online_predictions_[1::2], y)


@pytest.mark.parametrize("learner", ["pa", "pa-average", "scw"])
def test_a_label_says_nothing_about_its_own_prediction(learner):
    """Another label for a row changes no prediction up to this row."""
    X, y = rows_of()
    model = LabelEfficientClassifier(LEARNERS[learner], RULES["margin"], shuffle=False)
    former = clone(model).fit(X, y)
    changed = 0
    for i in np.flatnonzero(former.queried_)[::7]:
        other = y.copy()
        other[i] = "no" if y[i] == "yes" else "yes"
        model.fit(X, other)
        until = slice(0, i + 1)
        assert_array_equal(model.online_predictions_[until], former.online_predictions_[until])
        assert_array_equal(model.queried_[until], former.queried_[until])
        changed += (model.online_predictions_ != former.online_predictions_).any()
    assert changed > 0


@pytest.mark.parametrize("learner", ["pa", "pa-average", "sop"])
def test_labels_not_asked_for_make_no_difference(learner):
    X, y = rows_of("multiclass")
    model = LabelEfficientClassifier(LEARNERS[learner], RULES["margin"], random_state=0)
    former = clone(model).fit(X, y)
    assert 20 < former.n_queries_ < 180
    labels = y.astype(object)
    labels[~former.queried_] = None
    assert_same(model.fit(X, labels), former, X)
    labels[~former.queried_] = 10
    assert_same(model.fit(X, labels.astype(int)), former, X)


def test_online_predictions_and_the_mask_have_their_places_in_x():
    X, y = rows_of("multiclass")
    model = LabelEfficientClassifier(LEARNERS["pa"], RULES["random"], random_state=3).fit(X, y)
    # The order is unknown, but not which predictions came at once: all scores are 0 until a
    # label has been bought, and the first class is said.
    assert model.queried_.shape == model.online_predictions_.shape == (200,)
    assert model.queried_.dtype == bool and model.online_predictions_.dtype == y.dtype
    bought = []
    LabelEfficientClassifier(LEARNERS["pa"], RULES["random"], random_state=3).fit(
        X, oracle=lambda i: bought.append(i) or y[i], classes=[10, 20, 30]
    )
    assert_array_equal(np.flatnonzero(model.queried_), np.sort(bought))
    assert bought != sorted(bought)
    # Learnt one after the other in this order, the model is the same.
    again = clone(LEARNERS["pa"])
    for i in bought:
        again.partial_fit(X[i : i + 1], y[i : i + 1], classes=[10, 20, 30])
    assert_array_equal(again.coef_, model.estimator_.coef_)


# -- several passes ---------------------------------------------------------------------


@pytest.mark.parametrize("learner", ["pa", "pa-average", "sop", "wrapped", "memory"])
@pytest.mark.parametrize("shuffle", [True, False])
def test_no_label_is_bought_twice(learner, shuffle):
    X, y = rows_of()
    estimator = {"wrapped": Wrapped(LEARNERS["pa"]), "memory": Memory()}.get(learner)
    estimator = LEARNERS[learner] if estimator is None else estimator
    calls = np.zeros(200, dtype=int)

    def oracle(i):
        calls[i] += 1
        return y[i]

    model = LabelEfficientClassifier(
        estimator, RULES["random"], max_iter=6, shuffle=shuffle, random_state=0
    ).fit(X, oracle=oracle, classes=["no", "yes"])
    assert calls.max() == 1
    assert calls.sum() == model.n_queries_ == model.query_strategy_.n_queries_
    assert_array_equal(model.queried_, calls > 0)
    # Six times a chance of 0.4 leave one row in twenty.
    assert 170 < model.n_queries_ < 200
    once = clone(model).set_params(max_iter=1).fit(X, y)
    assert 50 < once.n_queries_ < 110
    assert (once.queried_ <= model.queried_).all()
    assert_array_equal(once.online_predictions_, model.online_predictions_)
    assert model.n_iter_ == 6 and once.n_iter_ == 1


def test_labels_that_were_bought_are_learnt_from_again():
    X, y = rows_of()
    plain = PassiveAggressiveClassifier(max_iter=3, tol=None, shuffle=False).fit(X, y)
    model = LabelEfficientClassifier(
        PassiveAggressiveClassifier(), AllQuery(), max_iter=3, shuffle=False
    ).fit(X, y)
    assert_array_equal(model.estimator_.coef_, plain.coef_)
    assert model.estimator_.t_ == plain.t_ == 601


# -- labels that are missing ------------------------------------------------------------


def missing(kind, y, known):
    """Labels of which some are missing, in one of the many ways of Python."""
    if kind == "None":
        return np.where(known, y, None)
    if kind == "nan among objects":
        return np.where(known, y.astype(object), np.nan)
    if kind == "list":
        return [label if k else None for label, k in zip(y.tolist(), known)]
    if kind == "list with nan":
        return [label if k else float("nan") for label, k in zip(y.tolist(), known)]
    if kind == "numbers":
        return np.where(known, (y == "yes").astype(float), np.nan)
    if kind == "list of int":
        return [int(label == "yes") if k else None for label, k in zip(y.tolist(), known)]
    if kind == "list of bool":
        return [label == "yes" if k else None for label, k in zip(y.tolist(), known)]
    pandas = pytest.importorskip("pandas")
    if kind in ("Int64", "boolean"):
        series = pandas.Series(y == "yes").astype(kind)
    else:
        series = pandas.Series(y).astype(kind)
    return series.mask(~known)


@pytest.mark.parametrize(
    "kind",
    [
        "None",
        "nan among objects",
        "list",
        "list with nan",
        "numbers",
        "list of int",
        "list of bool",
        "Int64",
        "boolean",
        "string",
        "category",
        "object",
    ],
)
def test_missing_labels(kind):
    X, y = rows_of()
    known = np.random.default_rng(0).random(200) < 0.5
    labels = missing(kind, y, known)
    calls = []

    def oracle(i):
        calls.append(i)
        return y[i] if model.classes_.dtype.kind in "UO" else int(y[i] == "yes")

    model = LabelEfficientClassifier(LEARNERS["pa"], AllQuery(), random_state=0)
    plain = clone(model).fit(X, y)
    model.fit(X, labels, oracle=oracle)
    assert len(model.classes_) == 2
    assert sorted(calls) == np.flatnonzero(~known).tolist()
    assert_array_equal(model.queried_, True)
    assert_array_equal(model.estimator_.coef_, plain.estimator_.coef_)
    assert_array_equal(model.predict(X) == model.classes_[1], plain.predict(X) == "yes")
    # Without an oracle: the row is named.
    with pytest.raises(ValueError, match=r"label of row \d+ is asked for, but it is missing in y"):
        clone(model).fit(X, labels)
    with pytest.raises(ValueError, match=f"label of row {np.argmin(known)} is asked"):
        clone(model).set_params(shuffle=False).fit(X, labels)
    # Or it is not asked for.
    bought = np.random.default_rng(1).random(200) < 0.5
    rule = Fixed(bought & known)
    model = LabelEfficientClassifier(LEARNERS["pa"], rule, shuffle=False).fit(X, labels)
    assert_array_equal(model.queried_, bought & known)


class Fixed(BaseEstimator):
    """Asks about the rows it was told, in order."""

    def __init__(self, wanted=None):
        self.wanted = wanted

    def query(self, scores):
        return np.array([self.wanted[getattr(self, "n_seen_", 0)]])

    def update(self, scores, queried, updated=None):
        self.n_seen_ = getattr(self, "n_seen_", 0) + len(queried)
        return self


def test_the_oracle_is_asked_only_for_what_is_missing():
    X, y = rows_of()
    calls = []
    labels = y.astype(object)
    labels[[3, 77]] = None
    model = LabelEfficientClassifier(LEARNERS["pa"], AllQuery(), shuffle=False)
    model.fit(X, labels, oracle=lambda i: calls.append((i, type(i))) or y[i])
    assert calls == [(3, int), (77, int)]
    calls.clear()
    model.partial_fit(X[:5], labels[:5], oracle=lambda i: calls.append((i, type(i))) or y[i])
    assert calls == [(3, int)]
    model.partial_fit(X[:5], oracle=lambda i: y[i])
    assert model.n_queries_ == 210


@pytest.mark.parametrize("estimator", [LEARNERS["pa"], Wrapped(LEARNERS["pa"])], ids=str)
@pytest.mark.parametrize("answer", ["maybe", None, np.nan, 3])
def test_an_oracle_that_says_what_is_no_class(estimator, answer):
    X, y = rows_of()
    model = LabelEfficientClassifier(estimator, AllQuery(), shuffle=False)
    said = re.escape(repr(answer))
    with pytest.raises(ValueError, match=f"oracle gave the label {said} for row 7, which is none"):
        model.fit(X, oracle=lambda i: answer if i == 7 else y[i], classes=["no", "yes"])


def test_classes_that_y_does_not_hold():
    X, y = rows_of()
    model = LabelEfficientClassifier(LEARNERS["pa"], AllQuery(), random_state=0)
    model.fit(X, y, classes=["yes", "maybe", "no"])
    assert_array_equal(model.classes_, ["maybe", "no", "yes"])
    assert model.estimator_.coef_.shape == (3, 4)
    with pytest.raises(ValueError, match="classes must be passed where y holds no label"):
        model.fit(X, oracle=lambda i: y[i])
    with pytest.raises(ValueError, match="requires y to be passed.* or an oracle"):
        model.fit(X)
    assert_array_equal(model.classes_, ["maybe", "no", "yes"])


# -- chunks -----------------------------------------------------------------------------


@pytest.mark.parametrize("learner", ["pa", "pa-average", "sop", "wrapped", "lasvc"])
@pytest.mark.parametrize("rule", ["all", "random", "margin", "adaptive", "mistakes", "rate"])
@with_both
def test_chunks_of_any_size_give_the_same_model(learner, rule, problem):
    X, y = rows_of(problem, 80)
    estimator = {"wrapped": Wrapped(LEARNERS["scw"]), "lasvc": OTHERS["lasvc"]}.get(learner)
    estimator = LEARNERS[learner] if estimator is None else estimator
    whole = LabelEfficientClassifier(estimator, RULES[rule])
    whole.partial_fit(X, y, classes=np.unique(y))
    for size in (1, 7, 50):
        model = LabelEfficientClassifier(estimator, RULES[rule])
        for first in range(0, 80, size):
            part = slice(first, first + size)
            model.partial_fit(X[part], y[part], classes=np.unique(y) if first == 0 else None)
            assert len(model.queried_) == min(first + size, 80)
        assert_same(model, whole, X, rtol=1e-12)
    fitted = LabelEfficientClassifier(estimator, RULES[rule], shuffle=False).fit(X, y)
    assert_same(fitted, whole, X, rtol=1e-12)


def test_a_stream_after_fit():
    X, y = rows_of()
    model = LabelEfficientClassifier(LEARNERS["pa"], RULES["margin"], shuffle=False)
    whole = clone(model).fit(X, y)
    model.fit(X[:120], y[:120])
    for first in range(120, 200, 16):
        part = slice(first, first + 16)
        model.partial_fit(X[part], y[part], classes=["no", "yes"])
    assert_same(model, whole, X)


def test_dense_and_csr_chunks_in_turn():
    X, y = rows_of()
    whole = LabelEfficientClassifier(LEARNERS["pa"], RULES["margin"], shuffle=False).fit(X, y)
    model = LabelEfficientClassifier(LEARNERS["pa"], RULES["margin"])
    for i, first in enumerate(range(0, 200, 20)):
        part = slice(first, first + 20)
        kind = (np.asarray, csr_matrix, np.asfortranarray)[i % 3]
        model.partial_fit(kind(X[part]), y[part], classes=["no", "yes"])
    assert_same(model, whole, X, rtol=1e-9)


def test_labels_of_weight_zero_are_not_bought():
    X, y = rows_of()
    weight = np.random.default_rng(0).choice([0.0, 1.0, 2.0], 200)
    bought = []
    LabelEfficientClassifier(LEARNERS["pa"], AllQuery()).fit(
        X, None, weight, oracle=lambda i: bought.append(i) or y[i], classes=["no", "yes"]
    )
    assert sorted(bought) == np.flatnonzero(weight).tolist()
    for estimator in (LEARNERS["pa"], Wrapped(LEARNERS["pa"])):
        whole = LabelEfficientClassifier(estimator, RULES["margin"], shuffle=False)
        whole.fit(X, y, weight)
        model = clone(whole)
        for i in range(200):
            part = slice(i, i + 1)
            model.partial_fit(X[part], y[part], ["no", "yes"], weight[part])
        assert_same(model, whole, X)


# -- weights ----------------------------------------------------------------------------


@pytest.mark.parametrize("rule", ["all", "margin", "mistakes", "rate"])
@pytest.mark.parametrize("learner", ["pa", "perceptron", "scw"])
def test_weights_of_rows(learner, rule):
    X, y = rows_of(n=100)
    weight = np.random.default_rng(0).choice([0.0, 0.5, 1.0, 3.0], 100)
    model = LabelEfficientClassifier(LEARNERS[learner], RULES[rule], shuffle=False, max_iter=2)
    estimator, _, owned, predictions = naive(
        LEARNERS[learner], RULES[rule], X, y, weight=weight, n_passes=2
    )
    model.fit(X, y, weight)
    assert_array_equal(model.queried_, owned)
    assert_array_equal(model.online_predictions_, predictions)
    assert_allclose(model.estimator_.coef_, estimator.coef_, rtol=1e-10, atol=1e-12)
    other = LabelEfficientClassifier(
        Wrapped(LEARNERS[learner]), RULES[rule], shuffle=False, max_iter=2
    )
    assert_same(other.fit(X, y, weight), model, X)
    unweighted = clone(model).fit(X, y)
    assert (unweighted.decision_function(X) != model.decision_function(X)).any()


@pytest.mark.parametrize("factor", [5.0, 0.0])
@pytest.mark.parametrize("rule", ["all", "margin", "mistakes"])
def test_class_weights_of_the_estimator(factor, rule):
    X, y = rows_of()
    estimator = PassiveAggressiveClassifier(C=0.1, class_weight={"yes": factor})
    model = LabelEfficientClassifier(estimator, RULES[rule], shuffle=False).fit(X, y)
    other = LabelEfficientClassifier(Wrapped(estimator), RULES[rule], shuffle=False).fit(X, y)
    assert_same(model, other, X)
    # They are known when the label is; which rows are asked about does not depend on them.
    told = clone(model).fit(X, oracle=lambda i: y[i], classes=["no", "yes"])
    assert_same(told, model, X)
    if factor:
        weighted = LabelEfficientClassifier(
            PassiveAggressiveClassifier(C=0.1), RULES[rule], shuffle=False
        )
        assert_same(weighted.fit(X, y, np.where(y == "yes", factor, 1.0)), model, X)
    elif rule == "all":
        assert model.n_queries_ == 200


# -- chance -----------------------------------------------------------------------------


def test_shuffle_and_random_state():
    X, y = rows_of()

    def new(**params):
        rule = MarginQuery(delta=0.5, random_state=params.pop("rule_state", None))
        return LabelEfficientClassifier(LEARNERS["pa"], rule, **params).fit(X, y)

    first = new(random_state=3)
    assert_same(new(random_state=3), first, X)
    assert_same(new(random_state=np.random.RandomState(3)), first, X)
    # Another order; another rule.
    for other in (new(random_state=4), new(random_state=3, shuffle=False)):
        assert (other.queried_ != first.queried_).any()
    # The rule's own seed is its own.
    assert_same(
        new(rule_state=1, shuffle=False, random_state=3),
        new(rule_state=1, shuffle=False, random_state=4),
        X,
    )
    assert (
        new(rule_state=1, shuffle=False).queried_ != new(rule_state=2, shuffle=False).queried_
    ).any()
    one, two = (new(shuffle=False, random_state=seed) for seed in (5, 6))
    assert (one.queried_ != two.queried_).any()
    # Streams know no shuffle.
    stream = LabelEfficientClassifier(
        LEARNERS["pa"], MarginQuery(delta=0.5, random_state=1), random_state=9
    )
    stream.partial_fit(X, y, classes=["no", "yes"])
    assert_same(stream, new(rule_state=1, shuffle=False), X)


def test_every_pass_has_its_own_order():
    X, y = rows_of()
    order = []

    class Listening(AllQuery):
        def update(self, scores, queried, updated=None, **numbers):
            order.append(float(scores[0]))
            return super().update(scores, queried, updated, **numbers)

    def said(max_iter, rule):
        calls = []
        LabelEfficientClassifier(
            Wrapped(LEARNERS["pa"]), rule, max_iter=max_iter, random_state=0
        ).fit(X, oracle=lambda i: calls.append(i) or y[i], classes=["no", "yes"])
        return calls

    first = said(1, Listening())
    assert len(order) == 200 and sorted(first) == list(range(200)) and first != sorted(first)
    # Labels of the second pass come in another order than in the first.
    half = said(2, RandomQuery(rate=0.5, random_state=0))
    place = np.argsort(first)
    n_first = next(k for k in range(1, len(half)) if place[half[k]] < place[half[k - 1]])
    second = half[n_first:]
    assert len(second) > 20
    assert [place[i] for i in second] != sorted(place[i] for i in second)


def test_a_rate_is_kept():
    X, y = two_classes(3000)
    for rate in (0.05, 0.3):
        rule = MarginQuery(rate=rate, random_state=0)
        for learner in ("pa", "scw"):
            model = LabelEfficientClassifier(LEARNERS[learner], rule, random_state=0).fit(X, y)
            assert abs(model.n_queries_ / 3000 - rate) < 0.05 * rate
    for rate in (0.0, 1.0):
        model = LabelEfficientClassifier(LEARNERS["pa"], RandomQuery(rate=rate)).fit(X, y)
        assert model.n_queries_ == 3000 * rate


# -- rules of one's own -----------------------------------------------------------------


class Every:
    """Asks about every n-th row; just two methods, no estimator."""

    def __init__(self, n):
        self.n, self.n_seen, self.calls = n, 0, []

    def query(self, scores):
        assert np.shape(scores)[0] == 1
        return [self.n_seen % self.n == 0]

    def update(self, scores, queried, updated):
        self.calls.append((np.shape(scores), list(queried), list(updated)))
        self.n_seen += len(queried)


@pytest.mark.parametrize("name", ["pa", "wrapped", "sgd", "lasvc"])
@with_both
def test_an_object_with_two_methods_is_a_rule(name, problem):
    X, y = rows_of(problem, 60)
    estimator = {"pa": LEARNERS["pa"], "wrapped": Wrapped(LEARNERS["pa"]), **OTHERS}[name]
    rule = Every(3)
    model = LabelEfficientClassifier(estimator, rule, shuffle=False).fit(X, y)
    assert_array_equal(model.queried_, np.arange(60) % 3 == 0)
    # That given is left alone: a fit is not to depend on another.
    assert rule.n_seen == 0 and rule.calls == []
    used = model.query_strategy_
    assert used is not rule and used.n_seen == 60
    shapes, queried, updated = zip(*used.calls)
    assert set(shapes) == {(1,) if problem == "binary" else (1, 3)}
    assert_array_equal(np.concatenate(queried), model.queried_)
    assert not (np.concatenate(updated) & ~model.queried_).any()
    assert np.concatenate(updated).any()
    model.partial_fit(X, y)
    assert_array_equal(model.queried_, np.arange(120) % 3 == 0)
    # Another one learns from these rows only.
    plain = clone(estimator)
    for i in range(0, 60, 3):
        plain.partial_fit(X[i : i + 1], y[i : i + 1], classes=np.unique(y))
    again = LabelEfficientClassifier(estimator, rule, shuffle=False).fit(X, y)
    assert_allclose(again.decision_function(X), plain.decision_function(X), rtol=1e-12)


def test_a_rule_that_never_asks():
    X, y = rows_of()
    for estimator in (LEARNERS["pa"], SGDClassifier(), OTHERS["lasvc"]):
        for rule in (RandomQuery(rate=0.0), Every(10**9)):
            model = LabelEfficientClassifier(estimator, rule, shuffle=False)
            model.fit(X, y)
            assert model.n_queries_ == (0 if isinstance(rule, RandomQuery) else 1)
            assert len(model.queried_) == 200 and model.queried_.sum() == model.n_queries_
    model = LabelEfficientClassifier(LEARNERS["pa"], RandomQuery(rate=0.0)).fit(X, y)
    assert_array_equal(model.online_predictions_, "no")


# -- failures ---------------------------------------------------------------------------


class PhoneIsDown(RuntimeError):
    pass


@pytest.mark.parametrize("estimator", [LEARNERS["pa"], Wrapped(LEARNERS["scw"]), OTHERS["sgd"]])
@pytest.mark.parametrize("failure", ["missing", "oracle"])
@pytest.mark.parametrize("row", [0, 25])
def test_a_failure_halfway_keeps_what_was_learnt(estimator, failure, row):
    X, y = rows_of(n=60)
    labels = y.astype(object)
    labels[row] = None

    def oracle(i):
        raise PhoneIsDown(i)

    model = LabelEfficientClassifier(estimator, AllQuery())
    # Once at the beginning of a stream, once later on.
    for n_before in (0, 60):
        expected = copy.deepcopy(model)
        if row:
            expected.partial_fit(X[:row], y[:row], classes=["no", "yes"])
        if failure == "missing":
            with pytest.raises(ValueError, match=f"label of row {row} is asked"):
                model.partial_fit(X, labels, classes=["no", "yes"])
        else:
            with pytest.raises(PhoneIsDown):
                model.partial_fit(X, labels, classes=["no", "yes"], oracle=oracle)
        assert len(model.queried_) == len(model.online_predictions_) == n_before + row
        assert model.n_queries_ == n_before + row
        if row or n_before:
            assert_same(model, expected, X)
        # The stream goes on with the row that failed.
        model.partial_fit(X[row:], y[row:])
        assert len(model.queried_) == n_before + 60
    twice = LabelEfficientClassifier(estimator, AllQuery())
    twice.partial_fit(X, y, classes=["no", "yes"]).partial_fit(X, y)
    assert_same(model, twice, X)


@pytest.mark.parametrize("estimator", [LEARNERS["pa"], Wrapped(LEARNERS["pa"]), OTHERS["sgd"]])
def test_a_fit_that_fails_leaves_the_model_as_it_was(estimator):
    X, y = rows_of()
    X3, y3 = three_classes(n_features=5)
    labels = y3.astype(object)
    labels[50] = None
    model = LabelEfficientClassifier(estimator, AllQuery(), random_state=0)
    empty = clone(model)
    model.fit(X, y)
    before, former = dict(vars(model)), copy.deepcopy(model)
    for fail in (
        lambda m: m.fit(X3, labels),
        lambda m: m.fit(X3, y3[:-1]),
        lambda m: m.fit(X3 * np.nan, y3),
        lambda m: m.fit(X3, np.ones(240)),
        lambda m: m.fit(X3),
        lambda m: m.fit(X3, y3, -np.ones(240)),
        lambda m: m.fit(X3, oracle=lambda i: 1 / 0, classes=[10, 20, 30]),
        lambda m: m.fit(X3, y3, classes=[10, 20]),
    ):
        for each in (model, empty):
            with pytest.raises((ValueError, ZeroDivisionError)):
                fail(each)
        assert vars(model) == before
        assert set(vars(empty)) == set(empty.get_params(deep=False))
    assert_same(model, former, X)
    # And it can be fitted.
    assert_same(model.fit(X, y), former, X)
    assert_same(empty.fit(X, y), former, X)


def test_wrong_chunks_leave_the_model_as_it_was():
    X, y = rows_of()
    for estimator in (LEARNERS["pa"], Wrapped(LEARNERS["pa"])):
        model, other = (
            LabelEfficientClassifier(estimator, RULES["margin"], shuffle=False).fit(X, y)
            for _ in range(2)
        )
        wrong = X.copy()
        wrong[7, 1] = np.nan
        for match, fail in [
            ("contains NaN", lambda m, Z=wrong: m.partial_fit(Z, y)),
            ("X has 3 features", lambda m: m.partial_fit(X[:, :3], y)),
            ("inconsistent numbers", lambda m: m.partial_fit(X, y[1:])),
            (
                r"not among the classes \['no', 'yes'\]: \['No'\]",
                lambda m: m.partial_fit(X[:2], ["No", "yes"]),
            ),
            ("is not the same as on last call", lambda m: m.partial_fit(X, y, ["yes", "maybe"])),
            ("Negative values", lambda m: m.partial_fit(X, y, sample_weight=-np.ones(200))),
            ("sample_weight.shape", lambda m: m.partial_fit(X, y, sample_weight=np.ones(3))),
        ]:
            with pytest.raises(ValueError, match=match):
                fail(model)
            assert_same(model, other, X)
        assert_same(model.partial_fit(X, y), other.partial_fit(X, y), X)


@pytest.mark.parametrize("estimator", [LEARNERS["pa"], Wrapped(LEARNERS["pa"])], ids=str)
@with_layouts
def test_rows_whose_squares_overflow(estimator, layout):
    X, y = rows_of()
    X[100] = 1e200
    model = LabelEfficientClassifier(estimator, AllQuery(), shuffle=False)
    match = r"Row \d+ of X has a squared norm that is too large for float64"
    with pytest.raises(ValueError, match=match) as raised:
        model.fit(LAYOUTS[layout](X), y)
    if not isinstance(estimator, Wrapped):
        assert "Row 100 of X" in str(raised.value)
    assert not hasattr(model, "estimator_")


def test_wrong_parameters_and_pairs():
    X, y = rows_of()
    for params, match in [
        (dict(max_iter=0), "'max_iter' parameter of LabelEfficientClassifier must be .* Got 0"),
        (dict(shuffle="yes"), "'shuffle' parameter of LabelEfficientClassifier"),
        (dict(random_state="x"), "'random_state' parameter of LabelEfficientClassifier"),
        (dict(estimator=StandardScaler()), "'estimator' parameter of LabelEfficientClassifier"),
        (dict(estimator=GaussianNB()), "'estimator' parameter of LabelEfficientClassifier"),
        (dict(estimator="pa"), "'estimator' parameter of LabelEfficientClassifier"),
        (dict(estimator=PassiveAggressiveRegressor()), "'estimator' parameter"),
        (dict(query_strategy="margin"), "'query_strategy' parameter of LabelEfficientClassifier"),
        (dict(query_strategy=MarginQuery(delta=-1)), "'delta' parameter of MarginQuery .* Got -1"),
        (dict(query_strategy=RandomQuery(rate=2.0)), "'rate' parameter of RandomQuery .*2.0"),
        (dict(estimator=PassiveAggressiveClassifier(C=-1.0)), "'C' parameter of Passive.*-1.0"),
    ]:
        model = LabelEfficientClassifier(**params)
        for learn in (model.fit, model.partial_fit):
            keyword = {"classes": ["no", "yes"]}
            with pytest.raises(InvalidParameterError, match=match):
                learn(X, y, **keyword)
            assert set(vars(model)) == set(model.get_params(deep=False))
    unsure = MarginQuery(confidence="second-order")
    for estimator in (LEARNERS["pa"], LEARNERS["pa-average"], OTHERS["sgd"]):
        model = LabelEfficientClassifier(estimator, unsure)
        with pytest.raises(ValueError, match="needs an estimator that tells the variance .*got"):
            model.fit(X, y)
    with pytest.raises(ValueError, match="class_weight='balanced' is not supported"):
        LabelEfficientClassifier(PassiveAggressiveClassifier(class_weight="balanced")).fit(X, y)
    with pytest.raises(ValueError, match="classes must be passed on the first call"):
        LabelEfficientClassifier().partial_fit(X, y)


@pytest.mark.parametrize("attribute", ["queried_", "n_queries_", "online_predictions_"])
def test_not_fitted(attribute):
    X, _ = rows_of()
    model = LabelEfficientClassifier()
    with pytest.raises(NotFittedError):
        getattr(model, attribute)
    for method in ("predict", "decision_function"):
        with pytest.raises(NotFittedError, match="LabelEfficientClassifier instance is not"):
            getattr(model, method)(X)


# -- copies -----------------------------------------------------------------------------


def dumped(model, tmp_path, mmap_mode=None):
    joblib.dump(model, tmp_path / "model.joblib")
    return joblib.load(tmp_path / "model.joblib", mmap_mode=mmap_mode)


COPIES = {
    "pickle": lambda model, _: pickle.loads(pickle.dumps(model)),
    "deepcopy": lambda model, _: copy.deepcopy(model),
    "joblib": dumped,
    "joblib, memory-mapped": lambda model, path: dumped(model, path, "r"),
}


@pytest.mark.parametrize("make_copy", COPIES.values(), ids=COPIES)
@pytest.mark.parametrize("learner", ["pa", "pa-average", "sop", "lasvc"])
@pytest.mark.parametrize("rule", ["all", "random", "margin", "mistakes", "rate"])
def test_a_copy_halfway_goes_on_as_if_uninterrupted(make_copy, learner, rule, tmp_path):
    X, y = rows_of("multiclass", 100)
    estimator = {**LEARNERS, **OTHERS}[learner]
    model = LabelEfficientClassifier(estimator, RULES[rule])
    whole = clone(model).partial_fit(X, y, classes=[10, 20, 30])
    model.partial_fit(X[:50], y[:50], classes=[10, 20, 30])
    copied = make_copy(model, tmp_path)
    assert_same(copied, model, X)
    assert_same(copied.partial_fit(X[50:], y[50:]), whole, X)
    assert len(model.queried_) == 50
    assert_same(model.partial_fit(X[50:], y[50:]), whole, X)


# -- company ----------------------------------------------------------------------------


def test_defaults_attributes_and_what_is_given_stays_as_it_is():
    X, y = rows_of("multiclass")
    model = LabelEfficientClassifier(random_state=0).fit(X, y)
    assert type(model.estimator_) is PassiveAggressiveClassifier
    assert type(model.query_strategy_) is MarginQuery
    assert model.n_features_in_ == 4 and model.n_iter_ == 1
    assert_array_equal(model.classes_, [10, 20, 30])
    assert_array_equal(model.decision_function(X), model.estimator_.decision_function(X))
    assert_array_equal(model.predict(X), model.estimator_.predict(X))
    assert model.score(X, y) > 0.6
    assert (model.online_predictions_ == y).mean() > 0.5
    assert not hasattr(model, "predict_proba")

    estimator, rule = PassiveAggressiveClassifier(C=0.3), MarginQuery(delta=2.0)
    kept = [dict(vars(estimator)), dict(vars(rule))]
    model = LabelEfficientClassifier(estimator, rule, random_state=0).fit(X, y)
    model.partial_fit(X, y)
    assert [vars(estimator), vars(rule)] == kept
    assert model.estimator is estimator and model.estimator_ is not estimator
    assert clone(model).get_params()["estimator__C"] == 0.3


def test_probabilities_where_the_estimator_has_them():
    X, y = rows_of()
    model = LabelEfficientClassifier(OTHERS["sgd-log"], RULES["margin"]).fit(X, y)
    assert_array_equal(model.predict_proba(X), model.estimator_.predict_proba(X))


def test_grid_search_over_model_and_rule():
    X, y = rows_of("binary", 300)
    model = LabelEfficientClassifier(
        PassiveAggressiveClassifier(), MarginQuery(random_state=0), random_state=0
    )
    grid = {"query_strategy__delta": [0.01, 1.0, 100.0], "estimator__C": [0.01, 1.0]}
    search = GridSearchCV(model, grid, cv=3).fit(X, y)
    results = search.cv_results_
    assert len(np.unique(results["mean_test_score"])) > 3
    best = search.best_estimator_
    chosen = {
        "estimator__C": best.estimator_.C,
        "query_strategy__delta": best.query_strategy_.delta,
    }
    assert search.best_params_ == chosen
    n_queries = [
        clone(model).set_params(query_strategy__delta=delta).fit(X, y).n_queries_
        for delta in grid["query_strategy__delta"]
    ]
    assert n_queries == sorted(n_queries) and n_queries[0] < 0.2 * n_queries[2]
    grid = {"query_strategy": [AllQuery(), RandomQuery(rate=0.01)], "estimator": [OTHERS["sgd"]]}
    assert GridSearchCV(model, grid, cv=3).fit(X, y).best_score_ > 0.55
    pipeline = make_pipeline(StandardScaler(), model)
    assert cross_val_score(pipeline, X, y, cv=3).min() > 0.5


@pytest.mark.parametrize(
    "wrong, right",
    [
        (dict(estimator__C=-1.0), dict(estimator__C=1.0)),
        (dict(estimator__class_weight={"maybe": 2.0}), dict(estimator__class_weight=None)),
        (dict(estimator__class_weight="balanced"), dict(estimator__class_weight={"no": 1.0})),
        (dict(query_strategy__delta=0.0), dict(query_strategy__delta=1.0)),
        (
            dict(query_strategy__confidence="second-order"),
            dict(query_strategy__confidence="margin"),
        ),
    ],
    ids=str,
)
def test_a_stream_can_begin_after_its_parameters_have_been_mended(wrong, right):
    X, y = rows_of()
    model = LabelEfficientClassifier(PassiveAggressiveClassifier(), MarginQuery(random_state=0))
    whole = clone(model).partial_fit(X, y, classes=["no", "yes"])
    model.set_params(**wrong)
    with pytest.raises(ValueError):
        model.partial_fit(X, y, classes=["no", "yes"])
    assert set(vars(model)) == set(model.get_params(deep=False))
    model.set_params(**right).partial_fit(X, y, classes=["no", "yes"])
    assert_same(model, whole, X)


@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
def test_feature_names():
    pandas = pytest.importorskip("pandas")
    X, y = rows_of()
    frame = pandas.DataFrame(X, columns=list("abcd"))
    for estimator in (LEARNERS["pa"], OTHERS["sgd"]):
        model = LabelEfficientClassifier(estimator, RULES["margin"], random_state=0)
        plain = clone(model).fit(X, y)
        assert_same(model.fit(frame, y), plain, X)
        assert_array_equal(model.feature_names_in_, list("abcd"))
        assert_array_equal(model.predict(frame), plain.predict(X))
        with pytest.raises(ValueError, match="feature names"):
            model.partial_fit(frame[list("abdc")], y)


@pytest.mark.parametrize("learner", ["pa", "scw"])
def test_very_wide_rows(learner):
    rng = np.random.default_rng(0)
    width, n = 3_000_000, 200
    columns = np.sort(rng.integers(0, width, (n, 30)), axis=1).ravel()
    X = csr_matrix((rng.normal(size=30 * n), columns, np.arange(0, 30 * n + 1, 30)), (n, width))
    y = rng.integers(0, 2, n)
    model = LabelEfficientClassifier(LEARNERS[learner], RULES["margin"])
    model.partial_fit(X[:1], y[:1], classes=[0, 1])
    tracemalloc.start()
    model.partial_fit(X[1:], y[1:])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    # The weights are there already; nothing so wide is made for the rows.
    assert peak < 2e6
    touched = set(X[model.queried_].indices)
    assert set(np.flatnonzero(model.estimator_.coef_[0])) <= touched
    assert model.n_queries_ > 20


# -- names of the papers ----------------------------------------------------------------

PA, ACTIVE = PassiveAggressiveClassifier, LabelEfficientClassifier
JOINT = dict(multi_class="crammer_singer")
HARD = dict(C=np.inf, loss="hinge")
SOFT = dict(C=1.0, loss="hinge")
SQUARED = dict(C=1.0, loss="squared_hinge")
PLAIN_MARGIN = dict(offset=0.0, schedule="constant", confidence="margin", rate=None)
COST = CostSensitivePassiveAggressiveClassifier
SUM = dict(objective="sum", rule="cost-sensitive", rho=None)


def passive(where=ACTIVE, rule=MarginQuery, joint=False):
    """What the three variants of a passive-aggressive algorithm are."""
    kind = JOINT if joint else dict(multi_class="ovr")
    rule_params = PLAIN_MARGIN if rule is MarginQuery else {}
    variants = ({**HARD, **kind}, {**SOFT, **kind}, {**SQUARED, **kind})
    if where is PA:
        return [(PA, params) for params in variants]
    return [(PA, params, rule, rule_params) for params in variants]


def named(name, variants):
    return dict(zip((name, f"{name}-I", f"{name}-II"), variants, strict=True))


# Of each name the learner, its parameters, the rule, its parameters: what makes it what it is.
PAPER_NAMES = {
    "PE": (PerceptronClassifier, dict(positive_margin=0.0, negative_margin=0.0)),
    **named("PA", passive(PA)),
    **named("PAA", passive()),
    **named("RPA", passive(rule=RandomQuery)),
    **named("MPA", passive(PA, joint=True)),
    **named("MPAA", passive(joint=True)),
    **named("MRPA", passive(rule=RandomQuery, joint=True)),
    "MPE": (PerceptronClassifier, JOINT),
    "MPEA": (PerceptronClassifier, JOINT, MarginQuery, PLAIN_MARGIN),
    "MRPE": (PerceptronClassifier, JOINT, RandomQuery, {}),
    "PEA": (PerceptronClassifier, {}, MarginQuery, PLAIN_MARGIN),
    "LEPE": (PerceptronClassifier, {}, MarginQuery, PLAIN_MARGIN),
    "RPE": (PerceptronClassifier, {}, RandomQuery, {}),
    "SEL-ada": (PerceptronClassifier, {}, MarginQuery, {**PLAIN_MARGIN, "schedule": "mistakes"}),
    "SEL-2nd": (SecondOrderPerceptronClassifier, {}, MarginQuery, PLAIN_MARGIN),
    "SEL-2nd, exact": (
        SecondOrderPerceptronClassifier,
        dict(covariance="full"),
        MarginQuery,
        {**PLAIN_MARGIN, "confidence": "second-order"},
    ),
    "SOP": (SecondOrderPerceptronClassifier, dict(covariance="full")),
    "PAUM": (PerceptronClassifier, dict(multi_class="ovr")),
    "CW-diag": (sklearn_online_svm.ConfidenceWeightedClassifier, dict(covariance="diag")),
    "CW-full": (sklearn_online_svm.ConfidenceWeightedClassifier, dict(covariance="full")),
    "SCW-I": (SCWClassifier, dict(loss="hinge")),
    "SCW-II": (SCWClassifier, dict(loss="squared_hinge")),
    "AROW": (AROWClassifier, {}),
    "CPA (prediction)": (COST, dict(rule="prediction")),
    "CPA (max loss)": (COST, dict(rule="max_loss")),
    "CSPA (sum)": (COST, SUM),
    "CSPA (cost)": (COST, dict(objective="cost", rule="cost-sensitive")),
    "CSPAA": (COST, SUM, MarginQuery, PLAIN_MARGIN),
    "CSPAA(a)": (COST, SUM, MarginQuery, {**PLAIN_MARGIN, "schedule": "adaptive"}),
    "CSRND": (COST, SUM, RandomQuery, {}),
    "PA regression": (PassiveAggressiveRegressor, dict(C=np.inf, loss="epsilon_insensitive")),
    "PA-I regression": (PassiveAggressiveRegressor, dict(C=1.0, loss="epsilon_insensitive")),
    "PA-II regression": (
        PassiveAggressiveRegressor,
        dict(C=1.0, loss="squared_epsilon_insensitive"),
    ),
}

PAGE = Path(__file__).resolve().parents[1] / "doc" / "paper_names.rst"


def lines_of_the_page():
    """Name and code of each row of the tables."""
    rows = re.findall(r"^   \* - (.+)\n     - ``(.+)``$", PAGE.read_text(), re.M)
    assert len({name for name, _ in rows}) == len(rows) > 20
    return dict(rows)


def run(model, n_classes):
    """Learn a small set in one pass, and predict."""
    rng = np.random.default_rng(0)
    y = rng.choice(n_classes, 240, p=[0.7, 0.3] if n_classes == 2 else [0.5, 0.3, 0.2])
    X = 4 * np.eye(3, 4)[y] + rng.normal(size=(240, 4))
    if isinstance(model, PassiveAggressiveRegressor):
        y = X @ [1.0, 2.0, 0.0, -1.0]
        model.partial_fit(X, y)
        assert model.score(X, y) > 0.9
        return
    model.partial_fit(X, y, classes=np.unique(y))
    assert model.score(X, y) > 0.85
    if isinstance(model, LabelEfficientClassifier):
        assert 0 < model.n_queries_ < 240
        assert model.online_predictions_.shape == (240,)
    # The parameters hold in fit, too.
    assert clone(model).fit(X, y).score(X, y) > 0.85


@pytest.mark.parametrize("name", PAPER_NAMES)
def test_paper_names(name):
    """Each is made by a line of code, and it is what the page of the documentation says."""
    learner, params, *asking = PAPER_NAMES[name]
    n_classes = 3 if params.get("multi_class") == "crammer_singer" else 2
    if asking:
        rule, rule_params = asking
        if rule is RandomQuery:
            rule_params = dict(rule_params, rate=0.2)
        if rule_params.get("schedule") == "adaptive":
            rule_params = dict(rule_params, delta=1000.0)
        rule = rule(**rule_params, random_state=0)
        run(LabelEfficientClassifier(learner(**params), rule, random_state=0), n_classes)
    else:
        run(learner(**params), n_classes)

    if not PAGE.exists():
        pytest.skip("there is no doc/paper_names.rst here")
    model = eval(lines_of_the_page()[name], namespace())
    if asking:
        assert type(model) is LabelEfficientClassifier
        assert model.max_iter == 1
        query, model = model.query_strategy, model.estimator
        assert type(query) is asking[0]
        assert asking[1].items() <= query.get_params().items()
    assert type(model) is learner
    assert params.items() <= model.get_params().items()


def namespace():
    public = {"np": np}
    for module in (sklearn_online_svm, active):
        public |= {name: getattr(module, name) for name in module.__all__}
    return public


@pytest.mark.skipif(not PAGE.exists(), reason="there is no doc/paper_names.rst here")
def test_every_line_of_the_page_of_names_learns():
    for name, code in lines_of_the_page().items():
        model = eval(code, namespace())
        if "random_state" in model.get_params():
            model.set_params(random_state=0)
        print(name)
        run(model, 3 if "crammer_singer" in code else 2)
