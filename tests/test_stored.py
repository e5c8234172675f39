"""Pickles of fitted models: checksum, format, versions."""

import copy
import pickle
import warnings

import joblib
import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import InconsistentVersionWarning, NotFittedError

from sklearn_online_svm import (
    LASVC,
    AROWClassifier,
    LabelEfficientClassifier,
    PassiveAggressiveClassifier,
    RampSVC,
)
from sklearn_online_svm.active import MarginQuery, RandomQuery
from tests.support.fitted_models import models, use
from tests.support.internals import _estimator, engine_of, state_attribute

MODELS = models()
each_model = pytest.mark.parametrize("name", MODELS)


def loaded(kind, state):
    new = kind.__new__(kind)
    new.__setstate__(state)
    return new


def places(state):
    """Paths of the plain values and arrays in nested dicts and lists."""
    for key, value in state.items() if isinstance(state, dict) else enumerate(state):
        if isinstance(value, dict | list | tuple):
            for path in places(value):
                yield (key, *path)
        elif value is None or isinstance(value, bool | int | float | str | np.ndarray):
            yield (key,)


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
    """Copy of nested dicts and lists with ``change`` applied at ``path``."""
    state = list(state) if isinstance(state, tuple) else copy.copy(state)
    inner = changed(state[path[0]], path[1:], change) if path[1:] else change(state[path[0]])
    state[path[0]] = inner
    return state


# -- what is stored is restored ------------------------------------------------------------------


@pytest.mark.sampled
@each_model
def test_restored_models_predict_and_continue_alike(name):
    model, X, y = MODELS[name]
    # Twice, as using a model changes it.
    first, second = (pickle.loads(pickle.dumps(model)) for _ in range(2))
    use(first, X, y)
    use(second, X, y)
    state, other = ({**m.__getstate__()} for m in (first, second))
    assert state.get("checksum") == other.get("checksum")


def test_the_models_cover_what_is_stored():
    states = {name: model.__getstate__() for name, (model, _, _) in MODELS.items()}
    for name, state in states.items():
        machine = state.get("_machine", {})
        assert ("far" in name) == (machine.get("spec", {}).get("offset") is not None)
        fields = (machine.get("engine") or {}).get("problems", {}).get("fields", {})
        assert not ("predicting" in name and "optimized_g" not in fields)
        assert ("joint" in name) == (machine.get("joint") is not None)
        assert ("cut" in name) == (machine.get("checkpoint") is not None)
        assert ("interrupted" in name) == ("_unfinished" in state)


@pytest.mark.sampled
@each_model
def test_damage_anywhere_is_detected(name, global_random_seed):
    model = MODELS[name][0]
    parameters = model.get_params(deep=False)
    state = {key: value for key, value in model.__getstate__().items() if key not in parameters}
    skipped = ("_package_version", "_sklearn_version", "format")
    found = [path for path in places(state) if path[0] not in skipped]
    random = np.random.default_rng(global_random_seed)
    for k in random.choice(len(found), min(25, len(found)), replace=False):
        wrong = changed(state, found[k], damaged)
        with pytest.raises(ValueError, match="is damaged: its checksum differs"):
            loaded(type(model), parameters | wrong)
        missing = found[k][0]
        if missing != state_attribute(model):
            del wrong[missing]
            with pytest.raises(ValueError, match="is damaged: its checksum differs"):
                loaded(type(model), parameters | wrong)


@pytest.mark.parametrize("found", [None, 2, 999, "3"])
def test_another_format_is_named(found):
    model = MODELS["pa"][0]
    state = model.__getstate__() | {"format": found}
    with pytest.raises(ValueError, match=f"PassiveAggressiveClassifier has the format {found!r}"):
        loaded(type(model), state)


def test_a_rejected_state_leaves_the_model_unchanged():
    model, X, _ = MODELS["lasvm"]
    model = copy.deepcopy(model)
    before = model.decision_function(X)
    with pytest.raises(ValueError, match="damaged"):
        model.__setstate__(model.__getstate__() | {"checksum": 0})
    assert_array_equal(model.decision_function(X), before)


def test_model_without_state_is_not_fitted():
    model, X, _ = MODELS["pa"]
    state = model.__getstate__()
    del state["_state"], state["format"], state["checksum"]
    with pytest.raises(NotFittedError):
        loaded(type(model), state).predict(X)


def test_other_byte_orders_and_layouts_are_accepted():
    """As in pickles from other platforms."""
    model, X, y = MODELS["lasvm"]
    state = model.__getstate__()
    for field in ("alpha", "index", "row_id", "diag"):
        path = ("_machine", "engine", "problems", "fields", field, "values")
        swapped = changed(state, path, lambda a: a.astype(a.dtype.newbyteorder()))
        strided = changed(swapped, path, lambda a: np.repeat(a, 2)[::2])
        for other in (swapped, strided):
            again = loaded(LASVC, other)
            assert_array_equal(again.decision_function(X), model.decision_function(X))
            again.partial_fit(X, y)


@pytest.mark.parametrize("name", ["lasvm", "lasvm, sparse", "lasvm, callable"])
def test_vectors_of_a_memory_map_are_not_copied(name, tmp_path):
    model, X, y = MODELS[name]
    joblib.dump(model, tmp_path / "model.joblib")
    loaded = joblib.load(tmp_path / "model.joblib", mmap_mode="r")
    store = engine_of(loaded).store
    held = {"lasvm": "tiles_array", "lasvm, sparse": "data_array", "lasvm, callable": "rows_array"}
    array = getattr(store, held[name])
    assert not array.flags.writeable and not array.flags.owndata
    before = model.decision_function(X)
    assert_array_equal(loaded.decision_function(X), before)
    whole = copy.deepcopy(model).partial_fit(X, y)
    assert_array_equal(loaded.partial_fit(X, y).decision_function(X), whole.decision_function(X))
    again = joblib.load(tmp_path / "model.joblib")
    assert_array_equal(again.decision_function(X), before)


def test_failed_fit_is_repeated_after_loading():
    """A repeated fit uses the same random numbers."""
    X, y = np.random.RandomState(0).normal(size=(60, 2)), np.arange(60) % 2
    asked = []

    def oracle(i):
        asked.append(i)
        if len(asked) == 5:
            raise RuntimeError
        return y[i]

    model = LabelEfficientClassifier(query_strategy=RandomQuery(0.5))
    with pytest.raises(RuntimeError):
        model.fit(X, oracle=oracle, classes=[0, 1])
    loaded = pickle.loads(pickle.dumps(model))
    for repeated in (model, loaded):
        repeated.fit(X, oracle=lambda i: y[i], classes=[0, 1])
    assert_array_equal(loaded.queried_, model.queried_)
    assert_array_equal(loaded.estimator_.coef_, model.estimator_.coef_)


def test_sparse_coef_is_restored():
    X = sparse.random(50, 30, 0.2, format="csr", random_state=0)
    model = PassiveAggressiveClassifier().fit(X, np.arange(50) % 2).sparsify()
    loaded = pickle.loads(pickle.dumps(model))
    assert sparse.issparse(loaded.coef_) and loaded.coef_.shape == (1, 30)
    assert_array_equal(loaded.decision_function(X), model.decision_function(X))


# -- versions ------------------------------------------------------------------------------------


def estimators():
    """Fitted and not, of each kind."""
    X, y = np.random.RandomState(0).normal(size=(40, 2)), np.arange(40) % 2
    rule = RandomQuery(random_state=0)
    rule.update(X[:, 0], rule.query(X[:, 0]))
    return [
        LASVC(),
        LASVC().fit(X, y),
        RampSVC().fit(X, y),
        AROWClassifier().fit(X, y),
        PassiveAggressiveClassifier(),
        MarginQuery(),
        rule,
        LabelEfficientClassifier(random_state=0).fit(X, y),
    ]


@pytest.fixture(params=estimators(), ids=lambda model: type(model).__name__)
def model(request):
    return request.param


def test_the_same_versions_are_silent(model, tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for again in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model), copy.copy(model)):
            assert again.get_params().keys() == model.get_params().keys()
            assert not [name for name in vars(again) if "version" in name]
        clone(model)
        joblib.dump(model, tmp_path / "model")
        joblib.load(tmp_path / "model")


def stored_by(model, monkeypatch, package=None, sklearn=None):
    with monkeypatch.context() as patch:
        if package is not None:
            patch.setattr(_estimator, "__version__", package)
        if sklearn is not None:
            patch.setattr(_estimator.sklearn, "__version__", sklearn)
        return pickle.dumps(model)


def test_another_version_of_the_package_warns(model, monkeypatch):
    data = stored_by(model, monkeypatch, package="0.0.7")
    with pytest.warns(InconsistentVersionWarning, match=r"sklearn-online-svm 0\.0\.7") as caught:
        pickle.loads(data)
    warning = caught[-1].message
    assert warning.estimator_name == type(model).__name__
    assert warning.package == "sklearn-online-svm"
    assert warning.original_version == "0.0.7"
    assert warning.current_version == _estimator.__version__
    assert warning.original_sklearn_version == warning.current_sklearn_version
    assert warning.current_version in str(warning)


def test_another_version_of_scikit_learn_warns(model, monkeypatch):
    data = stored_by(model, monkeypatch, sklearn="1.2.99")
    with pytest.warns(InconsistentVersionWarning, match=r"scikit-learn 1\.2\.99") as caught:
        pickle.loads(data)
    warning = caught[-1].message
    assert warning.package == "scikit-learn" and warning.original_sklearn_version == "1.2.99"
    assert warning.current_sklearn_version == _estimator.sklearn.__version__


def test_a_model_without_a_version_warns_once(model):
    state = model.__getstate__()
    for name in ("_package_version", "_sklearn_version"):
        del state[name]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        again = loaded(type(model), state)
    assert [type(w.message) for w in caught] == [_estimator.InconsistentPackageWarning]
    assert "of unknown version" in str(caught[0].message)
    assert again.get_params().keys() == model.get_params().keys()
