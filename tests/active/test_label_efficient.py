"""LabelEfficientClassifier: queries, online predictions, epochs, weights, query strategies."""

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
from tests.support.internals import draw_seed, shuffled
from tests.support.selective_sampling import (
    LINEAR,
    OTHERS,
    PAIRS,
    STRATEGIES,
    Memory,
    Wrapped,
    assert_same,
    make_samples,
    reference_run,
    with_both,
)

# -- reference ----------------------------------------------------------------------------


@pytest.mark.sampled
@pytest.mark.parametrize("name, strategy", PAIRS)
@with_both
@pytest.mark.parametrize("weighted, max_labels", [(False, 0.2), (True, None)])
def test_compiled_loop_equals_the_reference(name, strategy, problem, weighted, max_labels):
    X, y = make_samples(problem, 70)
    weight = np.random.default_rng(0).choice([0.0, 0.5, 1.0, 3.0], 70) if weighted else None
    estimator, reference_strategy, queried, predictions = reference_run(
        LINEAR[name], STRATEGIES[strategy], X, y, n_epochs=2, weight=weight, max_labels=max_labels
    )
    model = LabelEfficientClassifier(
        LINEAR[name], STRATEGIES[strategy], max_iter=2, shuffle=False, max_labels=max_labels
    ).fit(X, y, weight)
    assert_array_equal(model.queried_, queried)
    assert_array_equal(model.online_predictions_, predictions)
    assert_allclose(model.estimator_.coef_, estimator.coef_, rtol=1e-10, atol=1e-12)
    assert model.estimator_.n_updates_ == estimator.n_updates_
    assert model.query_strategy_.n_queries_ == reference_strategy.n_queries_ == queried.sum()


@pytest.mark.sampled
@pytest.mark.parametrize("name", OTHERS)
@pytest.mark.parametrize("strategy", ["all", "random", "margin", "adaptive", "mistakes", "rate"])
@pytest.mark.parametrize("problem, layout", [("binary", "csr"), ("multiclass", "dense")])
def test_python_loop_equals_the_reference(name, strategy, problem, layout):
    X, y = make_samples(problem, 40, layout)
    estimator, _, queried, predictions = reference_run(OTHERS[name], STRATEGIES[strategy], X, y)
    model = LabelEfficientClassifier(OTHERS[name], STRATEGIES[strategy], shuffle=False).fit(X, y)
    assert_array_equal(model.queried_, queried)
    assert_array_equal(model.online_predictions_, predictions)
    assert_allclose(model.decision_function(X), estimator.decision_function(X), rtol=1e-12)
    assert_array_equal(model.predict(X), estimator.predict(X))
    assert model.n_queries_ == queried.sum() > 0


@pytest.mark.parametrize("wrap", [False, True])
@pytest.mark.parametrize("covariance", ["diag", "full"])
@pytest.mark.parametrize("strategy", ["second_order", "standardized"])
def test_multiclass_variance(strategy, covariance, wrap):
    """It is that of the first class, or of the gap between the two largest scores."""
    X, y = make_samples("multiclass", 100)
    estimator = AROWClassifier(covariance=covariance)
    _, _, queried, _ = reference_run(estimator, STRATEGIES[strategy], X, y)
    estimator = Wrapped(estimator) if wrap else estimator
    model = LabelEfficientClassifier(estimator, STRATEGIES[strategy], shuffle=False)
    assert_array_equal(model.fit(X, y).queried_, queried)
    assert 0 < queried.sum() < 100


def test_estimator_without_fit_and_sample_weight():
    class Centre(ClassifierMixin, BaseEstimator):
        """Classifier with the required methods only."""

        def partial_fit(self, X, y, classes=None):
            self.classes_ = np.asarray(classes)
            self.last_ = X.mean(axis=0) * (1 if y[-1] == self.classes_[1] else -1)
            return self

        def decision_function(self, X):
            return X @ self.last_

        def predict(self, X):
            return self.classes_[(self.decision_function(X) > 0).astype(int)]

    X, y = make_samples()
    model = LabelEfficientClassifier(Centre(), STRATEGIES["margin"], shuffle=False).fit(X, y)
    assert_array_equal(model.queried_, reference_run(Centre(), STRATEGIES["margin"], X, y)[2])
    with pytest.raises(TypeError, match="sample_weight"):
        model.fit(X, y, np.full(200, 2.0))


# -- online predictions -----------------------------------------------------------------


@pytest.mark.parametrize("max_iter", [1, 3])
def test_online_predictions_precede_the_labels(max_iter):
    X, y = make_samples(n=100)
    model = LabelEfficientClassifier(Memory(), AllQuery(), max_iter=max_iter, random_state=0)
    model.fit(X, y)
    assert model.score(X, y) == 1.0
    assert_array_equal(model.online_predictions_, "no")
    model.partial_fit(X, y)
    assert_array_equal(model.online_predictions_[100:], y)
    # Also for duplicates in one chunk.
    twice = np.repeat(np.arange(100), 2)
    stream = LabelEfficientClassifier(Memory(), AllQuery())
    stream.partial_fit(X[twice], y[twice], classes=["no", "yes"])
    assert_array_equal(stream.online_predictions_[::2], "no")
    assert_array_equal(stream.online_predictions_[1::2], y)


def test_attributes_are_indexed_as_X():
    X, y = make_samples("multiclass")
    model = LabelEfficientClassifier(LINEAR["pa"], STRATEGIES["random"], random_state=3).fit(X, y)
    assert model.queried_.shape == model.online_predictions_.shape == (200,)
    assert model.queried_.dtype == bool and model.online_predictions_.dtype == y.dtype
    queried = []
    LabelEfficientClassifier(LINEAR["pa"], STRATEGIES["random"], random_state=3).fit(
        X, oracle=lambda i: queried.append(i) or y[i], classes=[10, 20, 30]
    )
    assert_array_equal(np.flatnonzero(model.queried_), np.sort(queried))
    assert queried != sorted(queried)
    # The same model is obtained by training on the queried samples in this order.
    again = clone(LINEAR["pa"])
    for i in queried:
        again.partial_fit(X[i : i + 1], y[i : i + 1], classes=[10, 20, 30])
    assert_array_equal(again.coef_, model.estimator_.coef_)


# -- epochs ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["pa", "pa-average", "sop", "wrapped", "memory"])
@pytest.mark.parametrize("shuffle", [True, False])
def test_no_label_is_queried_twice(name, shuffle):
    X, y = make_samples()
    estimator = {"wrapped": Wrapped(LINEAR["pa"]), "memory": Memory()}.get(name)
    estimator = LINEAR[name] if estimator is None else estimator
    calls = np.zeros(200, dtype=int)

    def oracle(i):
        calls[i] += 1
        return y[i]

    model = LabelEfficientClassifier(
        estimator, STRATEGIES["random"], max_iter=6, shuffle=shuffle, random_state=0
    ).fit(X, oracle=oracle, classes=["no", "yes"])
    assert calls.max() == 1
    assert calls.sum() == model.n_queries_ == model.query_strategy_.n_queries_
    assert_array_equal(model.queried_, calls > 0)
    # Six epochs with a rate of 0.4 leave one sample in twenty.
    assert 170 < model.n_queries_ < 200
    once = clone(model).set_params(max_iter=1).fit(X, y)
    assert 50 < once.n_queries_ < 110
    assert (once.queried_ <= model.queried_).all()
    assert_array_equal(once.online_predictions_, model.online_predictions_)
    assert model.n_iter_ == 6 and once.n_iter_ == 1


# -- weights -----------------------------------------------------------------------------


@pytest.mark.parametrize("factor", [5.0, 0.0])
@pytest.mark.parametrize("strategy", ["all", "margin", "mistakes"])
def test_class_weights_of_the_estimator(factor, strategy):
    X, y = make_samples()
    estimator = PassiveAggressiveClassifier(C=0.1, class_weight={"yes": factor})
    model = LabelEfficientClassifier(estimator, STRATEGIES[strategy], shuffle=False).fit(X, y)
    other = LabelEfficientClassifier(Wrapped(estimator), STRATEGIES[strategy], shuffle=False).fit(
        X, y
    )
    assert_same(model, other, X)
    # Class weights do not influence the queries.
    answered = clone(model).fit(X, oracle=lambda i: y[i], classes=["no", "yes"])
    assert_same(answered, model, X)
    if factor:
        weighted = LabelEfficientClassifier(
            PassiveAggressiveClassifier(C=0.1), STRATEGIES[strategy], shuffle=False
        )
        assert_same(weighted.fit(X, y, np.where(y == "yes", factor, 1.0)), model, X)
    elif strategy == "all":
        assert model.n_queries_ == 200


# -- random state------------------------------------------------------------------------


def test_shuffle_and_random_state():
    X, y = make_samples()

    def new(strategy_state=None, **params):
        strategy = MarginQuery(delta=0.5, random_state=strategy_state)
        return LabelEfficientClassifier(LINEAR["pa"], strategy, **params).fit(X, y)

    first = new(random_state=3)
    assert_same(new(random_state=np.random.RandomState(3)), first, X)
    fixed_order = [new(shuffle=False, random_state=seed) for seed in (3, 4)]
    for other in (new(random_state=4), *fixed_order):
        assert (other.queried_ != first.queried_).any()
    assert (fixed_order[0].queried_ != fixed_order[1].queried_).any()
    # random_state of the query strategy takes precedence.
    one, other = (new(1, shuffle=False, random_state=seed) for seed in (3, 4))
    assert_same(one, other, X)
    assert (one.queried_ != new(2, shuffle=False).queried_).any()
    # partial_fit does not shuffle.
    stream = LabelEfficientClassifier(LINEAR["pa"], MarginQuery(delta=0.5, random_state=1))
    assert_same(stream.partial_fit(X, y, classes=["no", "yes"]), one, X)


@pytest.mark.parametrize("estimator", [LINEAR["pa"], Wrapped(LINEAR["pa"])], ids=str)
def test_each_epoch_has_its_own_order(estimator):
    X, y = make_samples()
    calls = []
    LabelEfficientClassifier(
        estimator, RandomQuery(rate=0.5, random_state=0), max_iter=2, random_state=0
    ).fit(X, oracle=lambda i: calls.append(i) or y[i], classes=["no", "yes"])
    first = shuffled(200, draw_seed(np.random.RandomState(0)))
    position = np.argsort(first)[calls]
    n_first = np.flatnonzero(np.diff(position) < 0)[0] + 1
    assert 70 < n_first < 130 and len(calls) - n_first > 20
    assert (np.diff(position[n_first:]) < 0).any()


# -- other query strategies --------------------------------------------------------------------


class Every:
    """Queries every n-th sample; not an estimator."""

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
    X, y = make_samples(problem, 60)
    estimator = {
        "pa": LINEAR["pa"],
        "wrapped": Wrapped(LINEAR["pa"]),
        **OTHERS,
    }[name]
    strategy = Every(3)
    model = LabelEfficientClassifier(estimator, strategy, shuffle=False).fit(X, y)
    assert_array_equal(model.queried_, np.arange(60) % 3 == 0)
    # The parameter is copied.
    assert strategy.n_seen == 0 and strategy.calls == []
    used = model.query_strategy_
    assert used is not strategy and used.n_seen == 60
    shapes, queried, updated = zip(*used.calls)
    assert set(shapes) == {(1,) if problem == "binary" else (1, 3)}
    assert_array_equal(np.concatenate(queried), model.queried_)
    assert not (np.concatenate(updated) & ~model.queried_).any()
    assert np.concatenate(updated).any()
    model.partial_fit(X, y)
    assert_array_equal(model.queried_, np.arange(120) % 3 == 0)
    plain = clone(estimator)
    for i in range(0, 60, 3):
        plain.partial_fit(X[i : i + 1], y[i : i + 1], classes=np.unique(y))
    again = LabelEfficientClassifier(estimator, strategy, shuffle=False).fit(X, y)
    if isinstance(plain, LASVC):
        # Decision values during a stream depend within tol on when they were computed before.
        for model in (again.estimator_, plain):
            model.finish()
    assert_allclose(again.decision_function(X), plain.decision_function(X), rtol=1e-12)


def test_strategy_without_queries():
    X, y = make_samples()
    for estimator in (LINEAR["pa"], SGDClassifier(), OTHERS["lasvc"]):
        for strategy in (RandomQuery(rate=0.0), Every(10**9)):
            model = LabelEfficientClassifier(estimator, strategy, shuffle=False)
            model.fit(X, y)
            assert model.n_queries_ == (0 if isinstance(strategy, RandomQuery) else 1)
            assert len(model.queried_) == 200 and model.queried_.sum() == model.n_queries_
    model = LabelEfficientClassifier(LINEAR["pa"], RandomQuery(rate=0.0)).fit(X, y)
    assert_array_equal(model.online_predictions_, "no")


# -- scikit-learn ------------------------------------------------------------------------


def test_defaults_and_attributes():
    X, y = make_samples("multiclass")
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

    estimator, strategy = PassiveAggressiveClassifier(C=0.3), MarginQuery(delta=2.0)
    kept = [dict(vars(estimator)), dict(vars(strategy))]
    model = LabelEfficientClassifier(estimator, strategy, random_state=0).fit(X, y)
    model.partial_fit(X, y)
    assert [vars(estimator), vars(strategy)] == kept
    assert model.estimator is estimator and model.estimator_ is not estimator
    assert clone(model).get_params()["estimator__C"] == 0.3


def test_predict_proba():
    X, y = make_samples()
    model = LabelEfficientClassifier(OTHERS["sgd-log"], STRATEGIES["margin"]).fit(X, y)
    assert_array_equal(model.predict_proba(X), model.estimator_.predict_proba(X))


def test_grid_search():
    X, y = make_samples("binary", 300)
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
    grid = {
        "query_strategy": [AllQuery(), RandomQuery(rate=0.01)],
        "estimator": [OTHERS["sgd"]],
    }
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
            dict(query_strategy__confidence="second_order"),
            dict(query_strategy__confidence="margin"),
        ),
    ],
    ids=str,
)
def test_first_chunk_after_invalid_parameters(wrong, right):
    X, y = make_samples()
    model = LabelEfficientClassifier(PassiveAggressiveClassifier(), MarginQuery(random_state=0))
    whole = clone(model).partial_fit(X, y, classes=["no", "yes"])
    model.set_params(**wrong)
    with pytest.raises(ValueError):
        model.partial_fit(X, y, classes=["no", "yes"])
    assert set(vars(model)) == set(model.get_params(deep=False))
    model.set_params(**right).partial_fit(X, y, classes=["no", "yes"])
    assert_same(model, whole, X)


@pytest.mark.parametrize("name", ["pa", "scw"])
def test_memory_of_wide_sparse_samples(name):
    rng = np.random.default_rng(0)
    width, n = 3_000_000, 200
    columns = np.sort(rng.integers(0, width, (n, 30)), axis=1).ravel()
    X = csr_matrix((rng.normal(size=30 * n), columns, np.arange(0, 30 * n + 1, 30)), (n, width))
    y = rng.integers(0, 2, n)
    model = LabelEfficientClassifier(LINEAR[name], STRATEGIES["margin"])
    model.partial_fit(X[:1], y[:1], classes=[0, 1])
    tracemalloc.start()
    model.partial_fit(X[1:], y[1:])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    # No further array has the width of the samples.
    assert peak < 2e6
    touched = set(X[model.queried_].indices)
    assert set(np.flatnonzero(model.estimator_.coef_[0])) <= touched
    assert model.n_queries_ > 20
