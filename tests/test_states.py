"""Stored models consist of numbers, strings, arrays and a format number."""

import builtins

import numpy as np
import pytest
from sklearn.base import clone

import sklearn_online_svm as package
from sklearn_online_svm import LASVC, LabelEfficientClassifier, active
from sklearn_online_svm.active import AllQuery
from tests.support.fitted_models import models as fitted_models
from tests.support.samples import two_classes

# Paths of parameters, which may be functions or estimators.
PARAMETERS = {
    "_fitted_params",
    "_machine.checkpoint.parameters",
    "_machine.spec.kernel",
    "_machine.watched",
    "_state.spec.kernel",
    "_unfinished.chance.given",
}


def other_objects(value, path=""):
    """Yield the paths of values in a state that are not plain."""
    if path in PARAMETERS or value is None or isinstance(value, str | int | float | np.generic):
        return
    if isinstance(value, dict):
        for name, part in value.items():
            if not isinstance(name, str):
                yield f"{path}: key {name!r}"
            yield from other_objects(part, f"{path}.{name}" if path else name)
    elif isinstance(value, list | tuple):
        for part in value:
            yield from other_objects(part, path)
    elif type(value) is np.ndarray:
        if value.dtype.kind not in "biufSU" and not all(isinstance(v, str) for v in value.flat):
            yield f"{path}: {value.dtype}"
    else:
        yield f"{path}: {type(value).__name__}"


def states(model, path=""):
    """Yield the states of an estimator and of its fitted estimators, without parameters."""
    state = model.__getstate__()
    for name in model.get_params(deep=False):
        del state[name]
    # Estimators of scikit-learn.
    state.pop("scaler_", None)
    for name in ("estimator_", "query_strategy_"):
        if name in state:
            yield from states(state.pop(name), f"{path}{name}.")
    yield path, model, state


def interrupted_fit(monkeypatch):
    """Return a model whose fit was interrupted between two epochs."""

    def stop(*_):
        raise KeyboardInterrupt

    X, y = two_classes(100)
    model = LASVC(gamma=0.3, max_iter=5, verbose=1, random_state=0)
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(builtins, "print", stop)
        model.fit(X, y)
    assert model.interrupted_
    return model


def interrupted_by_oracle():
    """Return a model whose oracle raised an error."""

    def oracle(i):
        if i == 50:
            raise RuntimeError
        return y[i]

    X, y = two_classes(100)
    model = LabelEfficientClassifier(
        query_strategy=AllQuery(), shuffle=False, random_state=np.random.RandomState(0)
    )
    with pytest.raises(RuntimeError):
        model.fit(X, oracle=oracle, classes=["no", "yes"])
    assert "_unfinished" in vars(model)
    return model


def test_states_hold_numbers_strings_and_arrays(monkeypatch):
    models = [model for model, _, _ in fitted_models().values()]
    models += [interrupted_fit(monkeypatch), interrupted_by_oracle()]
    seen = set()
    for model in models:
        for path, part, state in states(model):
            seen.add(type(part).__name__)
            assert not [*other_objects(state)], f"{model!r}: {path}"
            assert type(state["format"]) is int
    kinds = {name for name in package.__all__ if hasattr(getattr(package, name), "fit")}
    kinds |= {name for name in active.__all__ if name.endswith("Query")}
    # AllQuery has the state of the other strategies, KernelMetric encoders of scikit-learn.
    assert kinds - seen <= {"AllQuery", "KernelMetric"}


def test_other_objects_are_found():
    state = {"a": 1.0, "b": [np.zeros(2), {"c": np.dtype(float)}], "d": np.array([object()])}
    assert [*other_objects(state)] == [f"b.c: {type(np.dtype(float)).__name__}", "d: object"]


def test_fitted_attributes_of_unfitted_models_name_no_private_attribute():
    for model, *_ in fitted_models().values():
        unfitted = clone(model)
        names = [name for name in dir(type(model)) if name.endswith("_") and name[0] != "_"]
        for name in names:
            if isinstance(model, active.RandomQuery | active.MarginQuery):
                continue  # these need no fit
            with pytest.raises(AttributeError) as caught:
                getattr(unfitted, name)
            assert "attribute '_" not in str(caught.value), (type(model).__name__, name)
