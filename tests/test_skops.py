"""Files of skops: with trusted_types(), every estimator is loaded, predicts and continues."""

import copy
from importlib import import_module

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import is_classifier
from sklearn.impute import SimpleImputer
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import sklearn_online_svm as package
from sklearn_online_svm.active import EntityResolver, MarginQuery
from sklearn_online_svm.calibration import OnlineCalibratedClassifier
from sklearn_online_svm.datasets import make_banana_like
from sklearn_online_svm.export import trusted_types
from sklearn_online_svm.model_selection import ProgressiveSearch
from sklearn_online_svm.partitioned import CellClassifier, CellRegressor
from sklearn_online_svm.pipeline import make_online_pipeline
from tests.support.fitted_models import models, use

skops_io = pytest.importorskip("skops.io", reason="skops is not installed")

from tests.support.stored_models import (  # noqa: E402
    NOT_SKOPS,
    X_FIRST,
    Y_FIRST,
    estimators,
    responses_of,
    train,
)

MODELS = models()
X, Y = make_banana_like(160, random_state=0)
RULE = package.Advice.from_rules({0: (">=", 1.0)}, range(2), 1)
# Kernel functions of the models in tests.
KERNELS = [f"tests.support.fitted_models.{name}" for name in ("CutKernel", "rbf")]


def reloaded(model, *names):
    return skops_io.loads(skops_io.dumps(model), trusted=[*trusted_types(), *names])


def outputs(model, X):
    """Return what a model predicts."""
    if hasattr(model, "probabilities"):
        return model.probabilities(X[:, 0].copy())
    return getattr(model, "decision_function", model.predict)(X)


@pytest.mark.sampled
@pytest.mark.parametrize("name", MODELS)
def test_models_of_every_kind(name):
    model, X, y = MODELS[name]
    loaded, again = reloaded(model, *KERNELS), copy.deepcopy(model)
    for _ in range(2):
        np.testing.assert_array_equal(outputs(loaded, X), outputs(again, X))
        use(loaded, X, y)
        use(again, X, y)


def of_every_class():
    for path, model in estimators().items():
        if path not in NOT_SKOPS:
            methods = ["partial_fit"] if hasattr(model, "partial_fit") else []
            yield from ((path, method) for method in ("unfitted", "fit", *methods))


@pytest.mark.sampled
@pytest.mark.parametrize(("path", "method"), list(of_every_class()))
def test_estimators_of_every_class(path, method):
    model = estimators()[path]
    if method == "unfitted":
        assert repr(reloaded(model)) == repr(model)
        return
    if method == "fit" or not is_classifier(model):
        train(model, X_FIRST, Y_FIRST, method)
    else:
        model.partial_fit(X_FIRST, Y_FIRST, classes=np.unique(Y_FIRST))
    assert list(responses_of(reloaded(model))) == list(responses_of(model))


def test_kernels_of_columns():
    kernel = package.ColumnKernel([("rbf", [0]), ("linear", [1])])
    model = package.LASVC(kernel=kernel, random_state=0).fit(X, Y)
    np.testing.assert_array_equal(reloaded(model).decision_function(X), model.decision_function(X))


def test_samplers():
    pytest.importorskip("imblearn")
    sampler = package.VirtualSampler(random_state=0)
    found, expected = reloaded(sampler).fit_resample(X, Y), sampler.fit_resample(X, Y)
    np.testing.assert_array_equal(found[0], expected[0])


def similarity(a, b):
    return float(a == b)


def test_functions_are_trusted_by_name():
    records, name = [1, 1, 2, 2, 3], f"{__name__}.similarity"
    model = EntityResolver([similarity]).fit(records, records)
    with pytest.raises(skops_io.exceptions.UntrustedTypesFoundException) as error:
        reloaded(model)
    assert str(error.value).endswith(f"['{name}'].")
    np.testing.assert_array_equal(reloaded(model, name).predict(records), model.predict(records))


def of_one_class(X):
    return np.where(X[:, 0] > np.quantile(X[:, 0], 0.9), "far", "near")


COMPOSED = {
    "cells of one class": (CellClassifier(package.LASVC(), cell_size=30), of_one_class(X)),
    "cells, outputs": (CellRegressor(package.LASVR(), cell_size=60), np.column_stack([Y, X])),
    "calibrated advice": (
        OnlineCalibratedClassifier(package.AdvicePassiveAggressiveClassifier([RULE])),
        Y,
    ),
    "labels, advice": (
        package.LabelEfficientClassifier(
            package.AdvicePassiveAggressiveClassifier([RULE]), MarginQuery(random_state=0)
        ),
        Y,
    ),
    "pipeline of advice": (
        make_online_pipeline(StandardScaler(), package.AdvicePassiveAggressiveClassifier([RULE])),
        Y,
    ),
    "pipeline of cells": (
        make_online_pipeline(StandardScaler(), CellClassifier(cell_size=60, random_state=0)),
        Y,
    ),
    "pipeline of categories": (
        make_online_pipeline(OneHotEncoder(handle_unknown="ignore"), package.LASVC()),
        Y,
    ),
    "pipeline of missing values": (make_online_pipeline(SimpleImputer(), package.LASVC()), Y),
}


def cases():
    for name in COMPOSED:
        yield name, np.asarray
        if "pipeline" not in name:  # their transformers take or return dense samples
            yield from ((name, form) for form in (sparse.csr_matrix, sparse.csr_array))


@pytest.mark.sampled
@pytest.mark.parametrize("method", ["fit", "partial_fit"])
@pytest.mark.parametrize(("name", "form"), list(cases()))
@pytest.mark.filterwarnings("ignore:gamma='scale' is fixed:UserWarning")
def test_composed_models(name, form, method):
    model, y = copy.deepcopy(COMPOSED[name])
    samples = form(X.round(1))
    if method == "fit":
        model.fit(samples, y)
    else:
        options = {} if y.ndim == 2 else {"classes": np.unique(y)}
        model.partial_fit(samples[:120], y[:120], **options)
    loaded = reloaded(model)
    np.testing.assert_array_equal(outputs(loaded, samples), outputs(model, samples))
    for each in (loaded, model):
        each.partial_fit(samples[120:], y[120:])
    np.testing.assert_array_equal(outputs(loaded, samples), outputs(model, samples))


@pytest.mark.filterwarnings("ignore:gamma='scale' is fixed:UserWarning")
def test_the_best_estimator_of_a_search():
    search = ProgressiveSearch(CellClassifier(cell_size=60), {"overlap": [0.1, 0.3]})
    best = search.fit(X, Y).best_estimator_
    np.testing.assert_array_equal(reloaded(best).predict(X), search.predict(X))


def test_the_types_exist():
    for name in trusted_types():
        module, _, kind = name.rpartition(".")
        try:
            found = import_module(module)
        except ImportError:
            assert kind in package._OPTIONAL
        else:
            assert isinstance(getattr(found, kind), type)
