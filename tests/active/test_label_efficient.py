"""Labels that have a price: which are bought, when they are seen, and what is learnt from them."""

import tracemalloc

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_matrix
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.linear_model import SGDClassifier
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sklearn_online_svm import (
    LASVC,
    AROWClassifier,
    LabelEfficientClassifier,
    PassiveAggressiveClassifier,
)
from sklearn_online_svm.active import AllQuery, MarginQuery, RandomQuery
from tests.support.asking import (
    LEARNERS,
    OTHERS,
    PAIRS,
    RULES,
    Memory,
    Wrapped,
    assert_same,
    naive,
    rows_of,
    with_both,
    with_layouts,
)
from tests.support.samples import two_classes

# -- one loop or the other ---------------------------------------------------------------


@pytest.mark.parametrize("learner, rule", PAIRS)
@with_both
@pytest.mark.parametrize("layout, max_iter", [("dense", 3), ("csr", 1)])
def test_compiled_loop_equals_the_python_loop(learner, rule, problem, layout, max_iter):
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
def test_compiled_loop_equals_the_reference(learner, rule, problem):
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


@pytest.mark.parametrize("name", OTHERS)
@pytest.mark.parametrize("rule", ["all", "random", "margin", "adaptive", "mistakes", "rate"])
@with_both
@with_layouts
def test_python_loop_equals_the_reference(name, rule, problem, layout):
    X, y = rows_of(problem, 40, layout)
    estimator, _, owned, predictions = naive(OTHERS[name], RULES[rule], X, y)
    model = LabelEfficientClassifier(OTHERS[name], RULES[rule], shuffle=False).fit(X, y)
    assert_array_equal(model.queried_, owned)
    assert_array_equal(model.online_predictions_, predictions)
    assert_allclose(model.decision_function(X), estimator.decision_function(X), rtol=1e-12)
    assert_array_equal(model.predict(X), estimator.predict(X))
    assert model.n_queries_ == owned.sum() > 0


def test_multiclass_variance_is_that_of_the_first_class():
    X, y = rows_of("multiclass", 100)
    model = LabelEfficientClassifier(AROWClassifier(), RULES["second-order"], shuffle=False)
    _, _, owned, _ = naive(AROWClassifier(), RULES["second-order"], X, y)
    assert_array_equal(model.fit(X, y).queried_, owned)
    assert 0 < owned.sum() < 100


def test_estimator_without_fit_and_sample_weight():
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


# -- what is seen, and when --------------------------------------------------------------


@pytest.mark.parametrize("max_iter", [1, 3])
def test_online_predictions_precede_the_labels(max_iter):
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
def test_label_does_not_influence_its_own_prediction(learner):
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
def test_labels_that_are_not_queried_are_not_used(learner):
    X, y = rows_of("multiclass")
    model = LabelEfficientClassifier(LEARNERS[learner], RULES["margin"], random_state=0)
    former = clone(model).fit(X, y)
    assert 20 < former.n_queries_ < 180
    labels = y.astype(object)
    labels[~former.queried_] = None
    assert_same(model.fit(X, labels), former, X)
    labels[~former.queried_] = 10
    assert_same(model.fit(X, labels.astype(int)), former, X)


def test_attributes_are_indexed_as_X():
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


# -- several passes ----------------------------------------------------------------------


@pytest.mark.parametrize("learner", ["pa", "pa-average", "sop", "wrapped", "memory"])
@pytest.mark.parametrize("shuffle", [True, False])
def test_no_label_is_queried_twice(learner, shuffle):
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


def test_queried_labels_are_used_in_later_epochs():
    X, y = rows_of()
    plain = PassiveAggressiveClassifier(max_iter=3, tol=None, shuffle=False).fit(X, y)
    model = LabelEfficientClassifier(
        PassiveAggressiveClassifier(), AllQuery(), max_iter=3, shuffle=False
    ).fit(X, y)
    assert_array_equal(model.estimator_.coef_, plain.coef_)
    assert model.estimator_.t_ == plain.t_ == 601


# -- chunks ------------------------------------------------------------------------------


@pytest.mark.parametrize("learner", ["pa", "pa-average", "sop", "wrapped", "lasvc"])
@pytest.mark.parametrize("rule", ["all", "random", "margin", "adaptive", "mistakes", "rate"])
@with_both
def test_model_is_independent_of_the_chunk_size(learner, rule, problem):
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


def test_partial_fit_after_fit():
    X, y = rows_of()
    model = LabelEfficientClassifier(LEARNERS["pa"], RULES["margin"], shuffle=False)
    whole = clone(model).fit(X, y)
    model.fit(X[:120], y[:120])
    for first in range(120, 200, 16):
        part = slice(first, first + 16)
        model.partial_fit(X[part], y[part], classes=["no", "yes"])
    assert_same(model, whole, X)


def test_alternating_dense_and_sparse_chunks():
    X, y = rows_of()
    learner = clone(LEARNERS["pa"]).set_params(intercept_scaling=1.0)
    whole = LabelEfficientClassifier(learner, RULES["margin"], shuffle=False).fit(X, y)
    model = LabelEfficientClassifier(learner, RULES["margin"])
    for i, first in enumerate(range(0, 200, 20)):
        part = slice(first, first + 20)
        kind = (np.asarray, csr_matrix, np.asfortranarray)[i % 3]
        model.partial_fit(kind(X[part]), y[part], classes=["no", "yes"])
    assert_same(model, whole, X, rtol=1e-9)


def test_samples_of_weight_zero_are_not_queried():
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


# -- weights -----------------------------------------------------------------------------


@pytest.mark.parametrize("rule", ["all", "margin", "mistakes", "rate"])
@pytest.mark.parametrize("learner", ["pa", "perceptron", "scw"])
def test_sample_weights(learner, rule):
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


# -- chance ------------------------------------------------------------------------------


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


def test_each_epoch_has_its_own_order():
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


def test_rate_is_reached():
    X, y = two_classes(3000)
    for rate in (0.05, 0.3):
        rule = MarginQuery(rate=rate, random_state=0)
        for learner in ("pa", "scw"):
            model = LabelEfficientClassifier(LEARNERS[learner], rule, random_state=0).fit(X, y)
            assert abs(model.n_queries_ / 3000 - rate) < 0.05 * rate
    for rate in (0.0, 1.0):
        model = LabelEfficientClassifier(LEARNERS["pa"], RandomQuery(rate=rate)).fit(X, y)
        assert model.n_queries_ == 3000 * rate


# -- rules of one's own ------------------------------------------------------------------


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
def test_query_strategy_with_two_methods(name, problem):
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
    if isinstance(plain, LASVC):
        # Decisions in a stream come from a solution on the side, which depends, within tol, on
        # when one was asked for before; the state of the stream does not.
        for model in (again.estimator_, plain):
            model.finish()
    assert_allclose(again.decision_function(X), plain.decision_function(X), rtol=1e-12)


def test_strategy_without_queries():
    X, y = rows_of()
    for estimator in (LEARNERS["pa"], SGDClassifier(), OTHERS["lasvc"]):
        for rule in (RandomQuery(rate=0.0), Every(10**9)):
            model = LabelEfficientClassifier(estimator, rule, shuffle=False)
            model.fit(X, y)
            assert model.n_queries_ == (0 if isinstance(rule, RandomQuery) else 1)
            assert len(model.queried_) == 200 and model.queried_.sum() == model.n_queries_
    model = LabelEfficientClassifier(LEARNERS["pa"], RandomQuery(rate=0.0)).fit(X, y)
    assert_array_equal(model.online_predictions_, "no")


# -- company -----------------------------------------------------------------------------


def test_defaults_and_attributes():
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


def test_predict_proba():
    X, y = rows_of()
    model = LabelEfficientClassifier(OTHERS["sgd-log"], RULES["margin"]).fit(X, y)
    assert_array_equal(model.predict_proba(X), model.estimator_.predict_proba(X))


def test_grid_search():
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
def test_first_chunk_after_invalid_parameters(wrong, right):
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
def test_memory_of_wide_sparse_samples(learner):
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
