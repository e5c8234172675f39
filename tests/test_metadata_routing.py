"""Sample weights reach the estimator within another one if, and only if, it requests them."""

import inspect

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import config_context
from sklearn.base import MetaEstimatorMixin, clone
from sklearn.exceptions import UnsetMetadataPassedError
from sklearn.model_selection import cross_validate
from sklearn.preprocessing import StandardScaler

from sklearn_online_svm import LASVC, LASVR, CompressedClassifier, LabelEfficientClassifier
from sklearn_online_svm.calibration import OnlineCalibratedClassifier
from sklearn_online_svm.cells import CellClassifier, CellRegressor
from sklearn_online_svm.model_selection import ProgressiveSearch
from sklearn_online_svm.pipeline import OnlinePipeline
from tests.support.docstrings import public_objects
from tests.support.samples import three_classes

X, Y = three_classes(600)
X, Y = X[Y != 30], Y[Y != 30]
WEIGHTS = np.where(Y == 10, 1.0, 0.25)
GIVEN = []  # the weights of each call that has trained a recording estimator


class Recording(LASVC):
    """Estimator that records the weights which it gets."""

    def fit(self, X, y, sample_weight=None):
        GIVEN.append(sample_weight)
        return super().fit(X, y, sample_weight)

    def partial_fit(self, X, y, classes=None, sample_weight=None):
        GIVEN.append(sample_weight)
        return super().partial_fit(X, y, classes, sample_weight)


class RecordingRegressor(LASVR):
    """The same for regression."""

    def fit(self, X, y, sample_weight=None):
        GIVEN.append(sample_weight)
        return super().fit(X, y, sample_weight)

    def partial_fit(self, X, y, sample_weight=None):
        GIVEN.append(sample_weight)
        return super().partial_fit(X, y, sample_weight)


def pipeline_of(estimator):
    scaler = StandardScaler()
    with config_context(enable_metadata_routing=True):
        scaler.set_fit_request(sample_weight=False)
    return OnlinePipeline([("scaler", scaler), ("model", estimator)])


def search_of(estimator):
    return ProgressiveSearch(estimator, {"C": [0.5, 5.0]}, cv=2, random_state=0)


KINDS = {
    "pipeline": pipeline_of,
    "search": search_of,
    "calibrated": OnlineCalibratedClassifier,
    "labels": lambda estimator: LabelEfficientClassifier(estimator, random_state=0),
    "cells": lambda estimator: CellClassifier(estimator, cell_size=150, random_state=0),
    "regressor": lambda estimator: CellRegressor(estimator, cell_size=150, random_state=0),
    "compressed": lambda estimator: CompressedClassifier(estimator, max_support_vectors=15),
}
# Use weights themselves, or have them as their own parameter.
CONSUMERS = KINDS.keys() - {"pipeline", "search"}
with_kinds = pytest.mark.parametrize("kind", KINDS)
with_methods = pytest.mark.parametrize("method", ["fit", "partial_fit"])


def recording(kind, request=None):
    """Return a recording estimator with this request for all methods."""
    of_kind = RecordingRegressor if kind == "regressor" else Recording
    estimator = of_kind(gamma=0.3, random_state=0)
    if request is not None:
        for method in ("fit", "partial_fit", "score"):
            getattr(estimator, f"set_{method}_request")(sample_weight=request)
    return estimator


def weights_given(model, kind, method, **weights):
    """Train a model with weights, and return those that its estimator got."""
    GIVEN.clear()
    if not hasattr(model, method):
        pytest.skip(f"{kind} has no {method}")
    classes = {"classes": [10, 20]} if method == "partial_fit" and kind != "regressor" else {}
    getattr(model, method)(X, Y / 10.0 if kind == "regressor" else Y, **classes, **weights)
    assert GIVEN
    return GIVEN


def assert_weighted(given):
    assert set(np.concatenate(given)) == {0.25, 1.0}


def test_all_estimators_of_estimators_are_here():
    tested = {type(make(recording(kind))) for kind, make in KINDS.items()}
    public = {
        kind
        for kind in public_objects().values()
        if inspect.isclass(kind) and issubclass(kind, MetaEstimatorMixin) and hasattr(kind, "fit")
    }
    assert public == tested - {OnlinePipeline} | {ProgressiveSearch}


@with_kinds
@with_methods
def test_a_request_passes_weights(kind, method):
    with config_context(enable_metadata_routing=True):
        model = KINDS[kind](recording(kind, True))
        assert_weighted(weights_given(model, kind, method, sample_weight=WEIGHTS))


@with_kinds
@with_methods
def test_an_alias_passes_weights(kind, method):
    with config_context(enable_metadata_routing=True):
        model = KINDS[kind](recording(kind, "costs"))
        assert_weighted(weights_given(model, kind, method, costs=WEIGHTS))


@with_kinds
@with_methods
def test_without_routing_weights_are_passed(kind, method):
    model = KINDS[kind](recording(kind))
    name = "model__sample_weight" if kind == "pipeline" else "sample_weight"
    assert_weighted(weights_given(model, kind, method, **{name: WEIGHTS}))


@with_kinds
@with_methods
def test_declined_weights_are_not_passed(kind, method):
    with config_context(enable_metadata_routing=True):
        model = KINDS[kind](recording(kind, False))
        if kind in CONSUMERS:
            given = weights_given(model, kind, method, sample_weight=WEIGHTS)
            assert all(weights is None for weights in given)
            return
        with pytest.raises(TypeError, match="sample_weight.*not routed to any object"):
            weights_given(model, kind, method, sample_weight=WEIGHTS)


@with_kinds
@with_methods
def test_unset_requests_are_an_error(kind, method):
    with config_context(enable_metadata_routing=True):
        model = KINDS[kind](recording(kind))
        with pytest.raises(UnsetMetadataPassedError, match="sample_weight"):
            weights_given(model, kind, method, sample_weight=WEIGHTS)
        assert all(weights is None for weights in weights_given(model, kind, method))


@pytest.mark.parametrize("kind", sorted(CONSUMERS))
def test_a_default_estimator_gets_weights(kind):
    y, model = Y / 10.0 if kind == "regressor" else Y, KINDS[kind](None)
    if "random_state" in model.get_params():
        model.set_params(random_state=0)
    plain = clone(model).fit(X, y, sample_weight=WEIGHTS)
    with config_context(enable_metadata_routing=True):
        model.fit(X, y, sample_weight=WEIGHTS)
    assert_array_equal(model.predict(X), plain.predict(X))


@pytest.mark.parametrize("kind", sorted(CONSUMERS - {"regressor"}))
def test_weights_of_scores(kind):
    with config_context(enable_metadata_routing=True):
        model = KINDS[kind](recording(kind, True)).set_fit_request(sample_weight=False)
        scores = {
            request: cross_validate(
                model.set_score_request(sample_weight=request),
                X,
                np.where(np.arange(len(Y)) % 5 == 0, 30 - Y, Y),
                params={"sample_weight": WEIGHTS} if request else {},
                error_score="raise",
            )["test_score"]
            for request in (True, False)
        }
    assert (scores[True] != scores[False]).any()


def test_weights_of_the_scorer_of_a_search_alone():
    with config_context(enable_metadata_routing=True):
        estimator = recording("search", True).set_partial_fit_request(sample_weight=False)
        estimator.set_fit_request(sample_weight=False)
        for method in ("fit", "partial_fit"):
            given = weights_given(search_of(estimator), "search", method, sample_weight=WEIGHTS)
            assert all(weights is None for weights in given)


def test_nested_estimators_and_threads():
    with config_context(enable_metadata_routing=True):
        for request in (True, False):
            inner = OnlineCalibratedClassifier(recording("calibrated", request))
            for method in ("fit", "partial_fit"):
                getattr(inner, f"set_{method}_request")(sample_weight=True)
            cells = CellClassifier(inner, cell_size=150, n_jobs=2)
            for kind, model in (("pipeline", pipeline_of(inner)), ("cells", cells)):
                for method in ("fit", "partial_fit"):
                    given = weights_given(clone(model), kind, method, sample_weight=WEIGHTS)
                    if request:
                        assert_weighted(given)
                    else:
                        assert all(weights is None for weights in given)


def test_own_weights_of_the_map_of_probabilities():
    plain = OnlineCalibratedClassifier(LASVC(), random_state=0).fit(X, Y)
    with config_context(enable_metadata_routing=True):
        base = LASVC().set_partial_fit_request(sample_weight=False)
        model = OnlineCalibratedClassifier(base, random_state=0).fit(X, Y, WEIGHTS)
    assert_array_equal(model.decision_function(X), plain.decision_function(X))
    assert model.predict_proba(X)[:, 0].mean() > plain.predict_proba(X)[:, 0].mean() + 0.01


def test_other_metadata_are_an_error():
    with config_context(enable_metadata_routing=True):
        inner = OnlineCalibratedClassifier(recording("calibrated", "costs"))
        inner.set_partial_fit_request(sample_weight=True)
        with pytest.raises(ValueError, match=r"\['costs'\].*partial_fit_request\(costs=False"):
            pipeline_of(inner).partial_fit(X, Y, classes=[10, 20], costs=WEIGHTS)
    for kind in sorted(CONSUMERS):
        with pytest.raises(ValueError, match="enable_metadata_routing=True"):
            KINDS[kind](recording(kind)).fit(X, Y, costs=WEIGHTS)
    with pytest.raises(ValueError, match=r"unexpected parameters \['costs'\]"):
        pipeline_of(recording("pipeline")).partial_fit(X, Y, classes=[10, 20], costs=WEIGHTS)


@with_methods
def test_both_names_of_the_weights_of_a_pipeline(method):
    classes = {"classes": [10, 20]} if method == "partial_fit" else {}
    found = []
    for name in ("sample_weight", "model__sample_weight"):
        model = pipeline_of(recording("pipeline"))
        getattr(model, method)(X, Y, **classes, **{name: WEIGHTS})
        found.append(model.decision_function(X))
    assert_allclose(*found, rtol=0, atol=0)
    with pytest.raises(ValueError, match="Got both sample_weight and model__sample_weight"):
        getattr(model, method)(
            X, Y, **classes, sample_weight=WEIGHTS, model__sample_weight=WEIGHTS
        )
