"""Rows held out, and fits that go on: what `fit` of the linear learners visits and counts."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone, is_regressor
from sklearn.linear_model import SGDClassifier
from sklearn.model_selection import StratifiedShuffleSplit

from sklearn_online_svm.active import LabelEfficientClassifier
from sklearn_online_svm.linear import (
    AROWClassifier,
    CostSensitivePassiveAggressiveClassifier,
    PassiveAggressiveClassifier,
    PassiveAggressiveRegressor,
)

MODELS = [
    PassiveAggressiveClassifier(C=0.1),
    PassiveAggressiveClassifier(C=0.1, average=True),
    AROWClassifier(),
    CostSensitivePassiveAggressiveClassifier(),
    PassiveAggressiveRegressor(C=0.1),
]
for_models = pytest.mark.parametrize("model", MODELS, ids=str)


def rows(model, n=300, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    f = X[:, 0] - X[:, 1] + 0.5 * rng.normal(size=n)
    return X, f if is_regressor(model) else (f > 0.4).astype(int)


def chunk(model, X, y):
    return model.partial_fit(X, y, **({} if is_regressor(model) else {"classes": [0, 1]}))


# -- early stopping ---------------------------------------------------------------------


@for_models
def test_without_shuffling_the_rows_left_are_visited_in_their_order(model):
    X, y = rows(model)
    stopping = dict(early_stopping=True, validation_fraction=0.2, random_state=3)
    model = clone(model).set_params(max_iter=1, tol=None, shuffle=False, **stopping)
    held_out = model._splitter(test_size=0.2, random_state=np.random.RandomState(3))
    left = np.sort(next(held_out.split(X, y))[0])
    assert not np.array_equal(left, np.arange(len(left)))
    learnt = chunk(clone(model).set_params(early_stopping=False), X[left], y[left])
    assert_array_equal(model.fit(X, y).coef_, learnt.coef_)
    assert_array_equal(model.intercept_, learnt.intercept_)


@for_models
def test_rows_of_weight_0_are_neither_learnt_nor_held_out(model):
    X, y = rows(model)
    weight = np.random.default_rng(1).choice([0.0, 1.0, 2.0], size=len(y))
    there = weight > 0
    model = clone(model).set_params(early_stopping=True, max_iter=20, random_state=0)
    one = clone(model).fit(X, y, sample_weight=weight)
    other = clone(model).fit(X[there], y[there], sample_weight=weight[there])
    assert_array_equal(one.coef_, other.coef_)
    assert (one.n_iter_, one.t_) == (other.n_iter_, other.t_)


def test_a_class_of_weight_0_is_not_held_out():
    X, y = rows(MODELS[0])
    y[:100] = 2
    models = [
        PassiveAggressiveClassifier(early_stopping=True, max_iter=8, tol=None, random_state=0)
        for _ in range(2)
    ]
    models[0].set_params(class_weight={2: 0.0}).fit(X, y)
    weight = (y != 2).astype(float)
    models[1].fit(X, y, sample_weight=weight)
    assert_array_equal(models[0].coef_, models[1].coef_)
    # The split is that of the rows that count.
    split = StratifiedShuffleSplit(test_size=0.1, random_state=np.random.RandomState(0))
    left, _ = next(split.split(X[100:], y[100:]))
    assert models[0].t_ == 1 + 8 * len(left)


def test_too_few_rows_of_weight_to_hold_any_out():
    X, y = rows(MODELS[0])
    weight = np.zeros(len(y))
    weight[[np.argmin(y), np.argmax(y)]] = 1.0
    model = PassiveAggressiveClassifier(early_stopping=True)
    with pytest.raises(ValueError, match="least populated|test_size|members"):
        model.fit(X, y, sample_weight=weight)
    assert not hasattr(model, "coef_")


@for_models
def test_a_stream_holds_no_rows_out(model):
    X, y = rows(model)
    early = clone(model).set_params(early_stopping=True)
    with pytest.raises(ValueError, match="early_stopping should be False with partial_fit"):
        chunk(early, X, y)
    assert not hasattr(early, "coef_")
    with pytest.raises(ValueError, match="early_stopping should be False with partial_fit"):
        SGDClassifier(early_stopping=True).partial_fit(X, np.sign(X[:, 0]), [-1, 1])
    # On the short way, too; what was learnt stays.
    learnt = chunk(clone(model), X, y)
    before = learnt.coef_.copy()
    learnt.set_params(early_stopping=True)
    for data in (X, X.tolist()):
        with pytest.raises(ValueError, match="early_stopping should be False"):
            learnt.partial_fit(data, y)
    assert_array_equal(learnt.coef_, before)


def test_nor_does_one_whose_labels_are_bought():
    X, y = rows(MODELS[0])
    asking = LabelEfficientClassifier(PassiveAggressiveClassifier(early_stopping=True))
    with pytest.raises(ValueError, match="early_stopping should be False"):
        asking.partial_fit(X, y, classes=[0, 1])


# -- going on ---------------------------------------------------------------------------


@for_models
def test_a_warm_start_counts_anew(model):
    X, y = rows(model)
    model = clone(model).set_params(warm_start=True, max_iter=2, tol=None, random_state=0)
    t, n_updates = model.fit(X, y).t_, model.n_updates_
    assert t == 1 + 2 * len(y) and n_updates > 0
    model.fit(X, y)
    assert model.t_ == t
    assert 0 < model.n_updates_ <= 2 * len(y)
    if not is_regressor(model):
        theirs = SGDClassifier(warm_start=True, max_iter=2, tol=None)
        assert theirs.fit(X, y).t_ == theirs.fit(X, y).t_ == t
    # partial_fit counts on.
    model.partial_fit(X[:10], y[:10])
    assert model.t_ == t + 10


def test_the_mean_is_made_anew():
    X, y = rows(MODELS[0])
    options = dict(max_iter=1, tol=None, shuffle=False)
    model = PassiveAggressiveClassifier(C=0.1, average=True, warm_start=True, **options)
    newest = PassiveAggressiveClassifier(C=0.1).partial_fit(X, y, classes=[0, 1])
    model.fit(X, y).fit(X, y)
    states = []
    for i in range(len(y)):
        newest.partial_fit(X[i : i + 1], y[i : i + 1])
        states.append(newest.coef_.copy())
    assert_allclose(model.coef_, np.mean(states, axis=0), rtol=1e-9, atol=1e-12)


def test_the_counts_of_the_classes_go_on():
    X, y = rows(MODELS[0])
    options = dict(max_iter=1, tol=None, shuffle=False)
    model = CostSensitivePassiveAggressiveClassifier(average=False, warm_start=True, **options)
    stream = CostSensitivePassiveAggressiveClassifier(average=False)
    model.fit(X, y).fit(X[:50], y[:50])
    stream.partial_fit(X, y, classes=[0, 1]).partial_fit(X[:50], y[:50])
    assert_array_equal(model.coef_, stream.coef_)
