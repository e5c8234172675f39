"""Parameters changed between two chunks of a stream: applied, or rejected by name."""

import pickle
import re

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import clone
from sklearn.metrics.pairwise import rbf_kernel

from sklearn_online_svm import LASVC
from sklearn_online_svm.kernel import _lasvc
from tests.support.samples import ALGORITHMS, two_classes

X, Y = two_classes(300, noise=1.0)
CLASSES = ["no", "yes"]


def streamed(model, n=150):
    return model.partial_fit(X[:n], Y[:n], classes=CLASSES)


def goes_on(model, n=150):
    return model.partial_fit(X[n:], Y[n:])


def assert_same(one, other):
    assert_array_equal(one.support_, other.support_)
    assert_array_equal(one.dual_coef_, other.dual_coef_)
    assert_array_equal(one.intercept_, other.intercept_)


def assert_differ(one, other):
    a, b = one.decision_function(X), other.decision_function(X)
    assert not np.array_equal(a, b)


# What is new after half of the rows shows in the model.
TAKEN_UP = [
    ("lasvm", dict(C=100.0)),
    ("lasvm", dict(tol=0.3)),
    ("lasvm", dict(delta_max=0.1)),
    ("lasvm", dict(class_weight={"yes": 5.0})),
    ("lasvm", dict(class_weight="online_balanced")),
    ("lasvm-g", dict(C=100.0)),
    ("lasvm-g", dict(tol=0.3)),
    ("lasvm-full", dict(tol=0.3)),
    ("lasvm-nc", dict(ramp_s=0.5)),
    ("lasvm-i", dict(ramp_s=0.5)),
]


@pytest.mark.parametrize("algorithm, new", TAKEN_UP, ids=str)
def test_new_values_act_from_the_next_chunk_on(algorithm, new, monkeypatch):
    monkeypatch.setattr(_lasvc, "RAMP_START", 5)
    # Without finishing: optimized decision values depend, within tol, on when they are computed.
    model = LASVC(algorithm=algorithm, C=10.0, gamma=0.3, finishing=False)
    model = streamed(model)
    at_half = model.decision_function(X)
    unchanged = goes_on(pickle_of(model))
    model.set_params(**new)
    assert_array_equal(model.decision_function(X), at_half)
    by_chunks = pickle_of(model)
    for start in range(150, 300, 7):
        by_chunks.partial_fit(X[start : start + 7], Y[start : start + 7])
    goes_on(model)
    assert_differ(model, unchanged)
    assert_same(model, by_chunks)
    # Set back again, it is as if nothing had been.
    again = streamed(LASVC(algorithm=algorithm, C=10.0, gamma=0.3, finishing=False))
    old = {name: again.get_params()[name] for name in new}
    again.set_params(**new).set_params(**old)
    assert_same(goes_on(again), unchanged)


def pickle_of(model):
    """Copy a model whose class is local to a test."""
    other = clone(model)
    state = pickle.loads(pickle.dumps(model.__getstate__()))
    other.__setstate__(state)
    return other


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("new", [dict(cache_size=1e-3), dict(shrinking=False), dict(n_jobs=2)])
def test_performance_parameters_do_not_change_the_model(algorithm, new):
    model = streamed(LASVC(algorithm=algorithm, gamma=0.3, C=100.0, finishing=False))
    expected = pickle.loads(pickle.dumps(model))
    goes_on(model.set_params(**new))
    assert_same(model, goes_on(expected))
    assert abs(
        model.finish().decision_function(X) - expected.finish().decision_function(X)
    ).max() < (2e-2 if "shrinking" in new else 1e-12)


def test_a_small_cache_frees_memory():
    model = streamed(LASVC(gamma=0.3, C=100.0))
    rows = model._engine.problems[0].rows
    assert rows.max_bytes == 375 * 2**20 and rows.n_rows > 10
    goes_on(model.set_params(cache_size=0.01))
    rows = model._engine.problems[0].rows
    assert rows.max_bytes < 2**14 and rows.n_rows < 10


def test_finish_takes_up_a_new_tol():
    model = streamed(LASVC(gamma=0.3, C=100.0), 300).finish()
    assert 1e-6 < model._engine.problems[0].delta <= 1e-3
    model.set_params(tol=1e-6).finish()
    assert model._engine.problems[0].delta <= 1e-6
    with pytest.raises(ValueError, match="'tol' parameter of LASVC must be"):
        model.set_params(tol=-1.0).finish()


REFUSED = [
    ("kernel", "rbf", "linear"),
    ("kernel", "rbf", rbf_kernel),
    ("kernel", "rbf", "precomputed"),
    ("gamma", 0.3, "scale"),
    ("gamma", 0.3, 0.4),
    ("gamma", "scale", 0.3),
    ("degree", 3, 2),
    ("coef0", 0.0, 1.0),
    ("algorithm", "lasvm", "lasvm-g"),
    ("algorithm", "lasvm-g", "lasvm-full"),
]


@pytest.mark.parametrize("name, old, new", REFUSED, ids=lambda v: getattr(v, "__name__", str(v)))
@pytest.mark.parametrize("begin", ["fit", "partial_fit"])
def test_changed_fixed_parameters_are_rejected_by_name(name, old, new, begin):
    params = {"gamma": 0.3, name: old}
    model = LASVC(**params, random_state=0)
    model = model.fit(X[:150], Y[:150]) if begin == "fit" else streamed(model)
    expected = pickle.loads(pickle.dumps(model))
    message = f"{name} cannot change .*: it was {re.escape(repr(old))} and is now "
    # With kernel="precomputed" there is no partial_fit.
    for learn in (LASVC.finish,) if new == "precomputed" else (goes_on, LASVC.finish):
        model.set_params(C=7.0, **{name: new})
        with pytest.raises(ValueError, match=message + re.escape(repr(new))):
            learn(model)
        model.set_params(C=1.0, **{name: old})
    assert_same(model, expected)
    assert_same(goes_on(model), goes_on(expected))
    # Learning anew it is taken up.
    if new != "precomputed":
        model.set_params(**{name: new}).fit(X, Y)
        assert_same(model, LASVC(**params | {name: new}, random_state=0).fit(X, Y))


@pytest.mark.parametrize(
    "new", [dict(C=-1.0), dict(tol="small"), dict(delta_max=0.0), dict(cache_size=0)], ids=str
)
def test_invalid_values_leave_the_model_unchanged(new):
    model = streamed(LASVC(gamma=0.3))
    expected = pickle.loads(pickle.dumps(model))
    old = {name: model.get_params()[name] for name in new}
    for _ in range(2):
        with pytest.raises(ValueError, match=f"'{next(iter(new))}' parameter of LASVC must be"):
            goes_on(model.set_params(**new))
    assert_same(goes_on(model.set_params(**old)), goes_on(expected))
    assert model.n_samples_seen_ == 300


def test_a_kernel_function_stays_the_same_through_a_pickle():
    model = streamed(LASVC(kernel=rbf_kernel, gamma=0.3))
    expected = pickle.loads(pickle.dumps(model))
    assert_same(goes_on(pickle.loads(pickle.dumps(model))), goes_on(expected))
    with pytest.raises(ValueError, match="kernel cannot change once something has been learnt"):
        goes_on(model.set_params(kernel="rbf"))
