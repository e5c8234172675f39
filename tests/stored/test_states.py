"""The state of a pickle: plain values, a checksum, a format, versions."""

import copy
import pickle
import warnings

import joblib
import numpy as np
import pytest
import sklearn
from numpy.testing import assert_array_equal
from sklearn.base import clone
from sklearn.exceptions import InconsistentVersionWarning, NotFittedError

import sklearn_online_svm as package
from sklearn_online_svm import LASVC, active
from tests.support.fitted_models import CUT, TABLES, fitted, proceed, responses
from tests.support.internals import (
    InconsistentPackageWarning,
    _estimator,
    engine_of,
    state_attribute,
)
from tests.support.trainable import assert_same_state, state_of

# Parameters, which may be functions or estimators.
PARAMETERS = {
    *("_fitted_params", "_machine.checkpoint.parameters", "_machine.spec.kernel"),
    *("_machine.watched", "_state.spec.kernel", "_unfinished.chance.given"),
}
# Estimators of which scikit-learn stores the parts, with states of their own.
COMPOSED = ("cells", "pipeline", "search", "model_selection", "KernelMetric")
NAMES = [name for name in TABLES if not name.startswith(COMPOSED)]


def loaded(model, state):
    """Return an estimator of the same class with this state."""
    new = type(model).__new__(type(model))
    new.__setstate__(state)
    return new


def split_state(model):
    """Return the parameters in the state of a model, and the rest of it."""
    state, parameters = model.__getstate__(), model.get_params(deep=False)
    return parameters, {name: state[name] for name in state.keys() - parameters.keys()}


def values_in(state):
    """Yield the paths of the plain values and arrays in nested dicts and lists, and the values."""
    for key, value in state.items() if isinstance(state, dict) else enumerate(state):
        if isinstance(value, dict | list | tuple):
            yield from (((key, *path), inner) for path, inner in values_in(value))
        elif value is None or isinstance(value, bool | int | float | str | np.ndarray):
            yield (key,), value


# -- plain values ------------------------------------------------------------------------------


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


def states(model):
    """Yield an estimator and the fitted estimators in it with their states."""
    _, state = split_state(model)
    state.pop("scaler_", None)  # of scikit-learn
    for name in {"estimator_", "query_strategy_"} & state.keys():
        if hasattr(part := state.pop(name), "_fixed_params"):
            yield from states(part)
    yield model, state


def test_states_hold_numbers_strings_and_arrays():
    seen = set()
    for name in NAMES:
        for part, state in states(fitted(name)[0]):
            seen.add(type(part).__name__)
            assert not [*other_objects(state)], name
            assert type(state["format"]) is int
    kinds = {name for name in package.__all__ if hasattr(getattr(package, name), "fit")}
    kinds |= {name for name in active.__all__ if name.endswith("Query")}
    assert kinds - seen == {"KernelMetric"}  # which has encoders of scikit-learn


def test_other_objects_are_found():
    state = {"a": 1.0, "b": [np.zeros(2), {"c": np.dtype(float)}], "d": np.array([object()])}
    assert [*other_objects(state)] == [f"b.c: {type(np.dtype(float)).__name__}", "d: object"]


def test_the_models_have_all_parts_of_a_state():
    found = set()
    for name in NAMES:
        values = values_in(fitted(name)[0].__getstate__())
        found |= {".".join(map(str, path)) for path, value in values if value is not None}
    parts = "checkpoint.method joint.scale kept.rows optimum.alpha replay.begin spec.offset"
    others = {
        "_machine.engine.problems.fields.optimized_g.values",
        "_state.replay.begin",
        "_unfinished.n_done",
    }
    assert {f"_machine.{part}" for part in parts.split()} | others <= found


# -- damage ------------------------------------------------------------------------------------


def damaged(value):
    """Return another value, with a single bit flipped in an array."""
    if isinstance(value, np.ndarray) and value.dtype != object:
        value = np.array(value, order="C")
        if not value.size:
            return np.zeros(1)
        value.reshape(-1).view(np.uint8)[-1] ^= 1
        return value
    if isinstance(value, str):
        return value + "x"
    if isinstance(value, bool):
        return not value
    return value + 1 if isinstance(value, int) else None if value is not None else 0


def changed(state, path, change):
    """Copy nested dicts and lists, with a change of the value at a path."""
    state = list(state) if isinstance(state, tuple) else copy.copy(state)
    inner = changed(state[path[0]], path[1:], change) if path[1:] else change(state[path[0]])
    state[path[0]] = inner
    return state


@pytest.mark.sampled
@pytest.mark.parametrize("name", NAMES)
def test_damage_anywhere_is_detected(name, global_random_seed):
    model = fitted(name)[0]
    parameters, state = split_state(model)
    not_checked = ("_package_version", "_sklearn_version", "format")
    found = [path for path, _ in values_in(state) if path[0] not in not_checked]
    random = np.random.default_rng(global_random_seed)
    for k in random.choice(len(found), min(25, len(found)), replace=False):
        wrong = changed(state, found[k], damaged)
        with pytest.raises(ValueError, match="is damaged: its checksum differs"):
            loaded(model, parameters | wrong)
        if found[k][0] != state_attribute(model):
            del wrong[found[k][0]]
            with pytest.raises(ValueError, match="is damaged: its checksum differs"):
                loaded(model, parameters | wrong)


@pytest.mark.parametrize("found", [None, 2, 999, "3"])
def test_another_format_is_named(found):
    model = fitted("pa")[0]
    with pytest.raises(ValueError, match=f"PassiveAggressiveClassifier has the format {found!r}"):
        loaded(model, model.__getstate__() | {"format": found})


def test_a_rejected_state_leaves_the_model_unchanged():
    model = copy.deepcopy(fitted("lasvm")[0])
    before = state_of(model)
    with pytest.raises(ValueError, match="damaged"):
        model.__setstate__(model.__getstate__() | {"checksum": 0})
    assert_same_state(state_of(model), before, ignored=())


def test_a_model_without_a_state_is_not_fitted():
    model, X, _ = fitted("pa")
    state = model.__getstate__()
    del state["_state"], state["format"], state["checksum"]
    with pytest.raises(NotFittedError):
        loaded(model, state).predict(X)


# -- arrays ------------------------------------------------------------------------------------


def of_another_platform(value):
    """Return nested values whose arrays have the other byte order and gaps between values."""
    if isinstance(value, dict):
        return {name: of_another_platform(part) for name, part in value.items()}
    if isinstance(value, list):
        return [of_another_platform(part) for part in value]
    if isinstance(value, np.ndarray) and value.dtype.kind in "biuf":
        return np.repeat(value.astype(value.dtype.newbyteorder()), 2, axis=-1)[..., ::2]
    return value


@pytest.mark.sampled
@pytest.mark.parametrize("name", [name for name in NAMES if name not in CUT])
def test_other_byte_orders_and_layouts_are_accepted(name):
    model, X, y = fitted(name)
    expected, again = (
        copy.deepcopy(model),
        loaded(model, of_another_platform(model.__getstate__())),
    )
    for each in (expected, again):
        proceed(each, X, y)
    for found, values in zip(responses(again, X), responses(expected, X), strict=True):
        assert_array_equal(found, values)


@pytest.mark.parametrize(
    ("name", "array"),
    [("lasvm", "tiles_array"), ("far, sparse", "data_array"), ("callable", "rows_array")],
)
def test_vectors_of_a_memory_map_are_not_copied(name, array, tmp_path):
    joblib.dump(fitted(name)[0], tmp_path / "model.joblib")
    model = joblib.load(tmp_path / "model.joblib", mmap_mode="r")
    vectors = getattr(engine_of(model).store, array)
    assert not vectors.flags.writeable and not vectors.flags.owndata
    model.partial_fit(*fitted(name)[1:])
    again = joblib.load(tmp_path / "model.joblib")
    assert_same_state(state_of(again), state_of(fitted(name)[0]))


# -- versions ----------------------------------------------------------------------------------


@pytest.fixture(params=["not fitted", "lasvm", "arow", "labels", "active.MarginQuery"])
def model(request):
    return LASVC() if request.param == "not fitted" else fitted(request.param)[0]


def test_the_same_versions_are_silent(model, tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for again in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model), copy.copy(model)):
            assert again.get_params().keys() == model.get_params().keys()
            assert not [name for name in vars(again) if "version" in name]
        clone(model)
        joblib.dump(model, tmp_path / "model")
        joblib.load(tmp_path / "model")


@pytest.mark.parametrize(
    ("package", "part", "module"),
    [
        ("sklearn-online-svm", "original_version", _estimator),
        ("scikit-learn", "original_sklearn_version", _estimator.sklearn),
    ],
)
def test_another_version_warns(model, package, part, module, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(module, "__version__", "0.0.7")
        data = pickle.dumps(model)
    with pytest.warns(InconsistentVersionWarning, match=rf"{package} 0\.0\.7") as caught:
        pickle.loads(data)
    warning = caught[-1].message
    assert warning.estimator_name == type(model).__name__
    assert warning.package == package
    assert getattr(warning, part) == warning.original_version == "0.0.7"
    assert warning.current_version == module.__version__ in str(warning)
    assert warning.current_sklearn_version == sklearn.__version__
    is_same = warning.original_sklearn_version == sklearn.__version__
    assert is_same == (package != "scikit-learn")


def test_a_model_without_a_version_warns_once(model):
    state = model.__getstate__()
    for name in ("_package_version", "_sklearn_version"):
        del state[name]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        again = loaded(model, state)
    assert [type(w.message) for w in caught] == [InconsistentPackageWarning]
    assert "of unknown version" in str(caught[0].message)
    assert again.get_params().keys() == model.get_params().keys()
