"""Copies and stored models of every kind predict and continue with the same bits."""

import copy

import joblib
import numpy as np
import pytest
import skops.io

from sklearn_online_svm.export import trusted_types
from tests.support.fitted_models import CUT, TABLES, cut, new, proceed, responses
from tests.support.stored_models import estimators
from tests.support.trainable import REPRESENTATION, assert_same_state, state_of

# Functions and estimators of the tests.
OWN_TYPES = [
    *("tests.support.fitted_models.CutKernel", "tests.support.fitted_models.rbf"),
    *("tests.support.robust.Busy", "tests.support.selective_sampling.Wrapped"),
]

# A copy has no kernel cache.
IGNORED = (*REPRESENTATION, "n_kernel_evaluations_")


def with_copies(model, tmp_path):
    """Return a model and copies of it by the way in which they were made, some before it."""
    joblib.dump(model, tmp_path / "model")
    found = {
        "pickle, memory map": joblib.load(tmp_path / "model", mmap_mode="r"),
        "original": model,
        "deepcopy": copy.deepcopy(model),
    }
    if "Search" not in type(model).__name__:  # it has private classes, as that of scikit-learn
        trusted = [*trusted_types(), *OWN_TYPES]
        found["skops"] = skops.io.loads(skops.io.dumps(model), trusted=trusted)
    return found.items()


def seen(model, X):
    """Return the bits of the state, the attributes and the responses of a model."""
    names = [name for name in dir(model) if name.endswith("_") and name[0] != "_"]
    attributes = {name: getattr(model, name, None) for name in names}
    return state_of([model, attributes, responses(model, X)])


def cases():
    """Yield a model of each class, and samples of the other tables."""
    classes = estimators()
    for name in TABLES:
        if name not in CUT:
            yield pytest.param(name, marks=() if name in classes else pytest.mark.sampled)


def used(model, X, y):
    """Return what is seen of a model before and after further training."""
    before = seen(model, X)
    proceed(model, X, y)
    return before, seen(model, X)


@pytest.mark.parametrize("name", list(cases()))
def test_copies_continue_as_the_uninterrupted_model(name, tmp_path):
    """So do the copies that are used after the original, and the original between copies."""
    expected = used(*new(name))
    model, X, y = new(name)
    for way, copied in with_copies(model, tmp_path):
        for found, other in zip(used(copied, X, y), expected, strict=True):
            assert_same_state(found, other, IGNORED, way)


@pytest.mark.parametrize("name", CUT)
def test_copies_are_resumed(name, tmp_path):
    """With the bits of a model that was not interrupted."""
    whole, X, y = cut(name, 0)
    expected = seen(whole, X)
    model, _, _ = cut(name)
    assert model.interrupted_
    for way, copied in with_copies(model, tmp_path):
        with pytest.raises(ValueError, match="X"):
            copied.resume(X[:5], y[:5])
        assert np.isfinite(copied.predict(X)).all()
        copied.resume(X, y)
        assert not copied.interrupted_
        assert_same_state(seen(copied, X), expected, IGNORED, way)


@pytest.mark.parametrize("path", estimators())
def test_copies_that_are_not_fitted(path, tmp_path):
    model = estimators()[path]
    for way, copied in with_copies(model, tmp_path):
        assert repr(copied) == repr(model)
        assert_same_state(state_of(copied), state_of(model), way=way)
