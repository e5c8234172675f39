"""LabelEfficientClassifier: invalid input and errors during training."""

import copy

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.naive_bayes import GaussianNB
from sklearn.preprocessing import StandardScaler
from sklearn.utils._param_validation import InvalidParameterError

from sklearn_online_svm import (
    LASVC,
    LabelEfficientClassifier,
    PassiveAggressiveClassifier,
    PassiveAggressiveRegressor,
)
from sklearn_online_svm.active import AllQuery, MarginQuery, RandomQuery
from tests.support.samples import three_classes
from tests.support.selective_sampling import (
    LINEAR,
    OTHERS,
    OracleError,
    Wrapped,
    assert_same,
    make_samples,
)

# -- failures ----------------------------------------------------------------------------


@pytest.mark.sampled
@pytest.mark.parametrize("estimator", [LINEAR["pa"], Wrapped(LINEAR["scw"]), OTHERS["sgd"]])
@pytest.mark.parametrize("failure", ["missing", "oracle"])
@pytest.mark.parametrize("row", [0, 25])
def test_samples_before_an_error_are_kept(estimator, failure, row):
    X, y = make_samples(n=60)
    labels = y.astype(object)
    labels[row] = None

    def oracle(i):
        raise OracleError(i)

    model = LabelEfficientClassifier(estimator, AllQuery())
    # In the first and in the second chunk.
    for n_before in (0, 60):
        expected = copy.deepcopy(model)
        if row:
            expected.partial_fit(X[:row], y[:row], classes=["no", "yes"])
        if failure == "missing":
            with pytest.raises(ValueError, match=f"label of sample {row} is queried"):
                model.partial_fit(X, labels, classes=["no", "yes"])
        else:
            with pytest.raises(OracleError):
                model.partial_fit(X, labels, classes=["no", "yes"], oracle=oracle)
        assert len(model.queried_) == len(model.online_predictions_) == n_before + row
        assert model.n_queries_ == n_before + row
        if row or n_before:
            assert_same(model, expected, X)
        # The stream continues with the failed sample.
        model.partial_fit(X[row:], y[row:])
        assert len(model.queried_) == n_before + 60
    twice = LabelEfficientClassifier(estimator, AllQuery())
    twice.partial_fit(X, y, classes=["no", "yes"]).partial_fit(X, y)
    assert_same(model, twice, X)


@pytest.mark.parametrize("estimator", [LINEAR["pa"], Wrapped(LINEAR["pa"]), OTHERS["sgd"]])
def test_rejected_fit_leaves_the_model_unchanged(estimator):
    X, y = make_samples()
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
    assert_same(model.fit(X, y), former, X)
    assert_same(empty.fit(X, y), former, X)


def test_invalid_parameters():
    X, y = make_samples()
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
    unsure = MarginQuery(confidence="second_order")
    for estimator in (LINEAR["pa"], LINEAR["pa-average"], OTHERS["sgd"]):
        model = LabelEfficientClassifier(estimator, unsure)
        with pytest.raises(
            ValueError, match="requires an estimator with the method decision_variance, got"
        ):
            model.fit(X, y)
    with pytest.raises(ValueError, match="class_weight='balanced' is not supported"):
        LabelEfficientClassifier(PassiveAggressiveClassifier(class_weight="balanced")).fit(X, y)
    with pytest.raises(ValueError, match="classes must be passed on the first call"):
        LabelEfficientClassifier().partial_fit(X, y)


@pytest.mark.parametrize("call", ["fit", "partial_fit"])
def test_without_a_label(call):
    """The error was that of the base estimator: call 'fit' before using it."""
    X, y = make_samples()
    model = LabelEfficientClassifier(LASVC(), RandomQuery(rate=0.0))
    getattr(model, call)(X, y, **({} if call == "fit" else {"classes": np.unique(y)}))
    for method in ("predict", "decision_function"):
        with pytest.raises(NotFittedError, match="No label has been queried yet, so that LASVC h"):
            getattr(model, method)(X)
