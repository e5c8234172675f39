"""Streams: validation of chunks, input that is unusual or shared, copies, threads."""

import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from tests.support.linear_models import (
    STATES,
    arrays_of,
    assert_same,
    model_of,
    once,
    samples_of,
    train,
    with_dtypes,
    with_layouts,
    with_states,
)

# -- chunks -----------------------------------------------------------------------------


@with_states
@with_layouts
def test_chunks_of_another_dtype_are_cast(name, layout):
    X, y = samples_of("binary", layout)
    single = X.astype(np.float32)
    model = train(model_of(name), single[:100], y[:100]).partial_fit(X[100:], y[100:])
    assert_same(model, train(model_of(name), single, y))
    model = train(model_of(name), X[:100], y[:100]).partial_fit(single[100:], y[100:])
    expected = train(model_of(name), X[:100], y[:100])
    assert_same(model, expected.partial_fit(single[100:].astype(np.float64), y[100:]))
    assert model.coef_.dtype == np.float64
    assert_allclose(model.decision_function(single), model.decision_function(X), atol=1e-5)


@with_states
@pytest.mark.parametrize("n", [1, 90])
def test_fast_and_full_validation_give_the_same_model(name, n):
    """Plain arrays with the dtype of the model are not validated by scikit-learn."""
    X, y = samples_of("multiclass", n=200)
    fitted = once(name, max_iter=3).fit(X, y)
    before = pickle.dumps(fitted)
    expected = fitted.partial_fit(X[:n], y[:n])
    decisions = expected.decision_function(X)
    for samples, labels in [
        (X[:n].tolist(), y[:n]),
        (X[:n], y[:n].tolist()),
        (np.asfortranarray(X[:n]), y[:n]),
        (np.repeat(X, 2, axis=0)[::2][:n], y[:n]),
        (np.ma.array(X[:n]), y[:n]),
        (X[:n].astype(object), y[:n]),
    ]:
        model = pickle.loads(before).partial_fit(samples, labels)
        assert_same(model, expected)
        assert vars(model).keys() == vars(expected).keys()
        assert model.n_iter_ == expected.n_iter_
    for keywords in (dict(classes=[30, 10, 20]), dict(sample_weight=np.ones(n))):
        assert_same(pickle.loads(before).partial_fit(X[:n], y[:n], **keywords), expected)
    for samples in (
        X.tolist(),
        np.asfortranarray(X),
        np.repeat(X, 2, axis=0)[::2],
        np.ma.array(X),
    ):
        assert_allclose(expected.decision_function(samples), decisions, rtol=1e-12, atol=1e-12)
    assert_array_equal(expected.predict(X[:1].tolist()), expected.predict(X[:1]))


def test_integer_samples():
    X, y = samples_of("binary")
    whole = np.round(3 * X).astype(np.int64)
    model = train(model_of("pa"), whole.astype(np.float64), y)
    for kind in (np.int64, np.int8, np.float16):
        assert_same(train(model_of("pa"), whole.astype(kind), y, 50), model)


def test_classes_that_occur_late_or_never():
    X, y = samples_of("multiclass")
    early = y != 30
    for name in ("pa", "pa-joint", "arow"):
        model = train(model_of(name), X[early], y[early], classes=[10, 20, 30])
        assert 30 not in model.predict(X)
        model.partial_fit(X[~early], y[~early]).partial_fit(X, y)
        assert set(model.predict(X)) == {10, 20, 30}
        assert model.coef_.shape == (3, 4)


@with_layouts
@with_dtypes
def test_input_is_not_changed_and_may_be_read_only(layout, dtype):
    X, y = samples_of("multiclass", layout, dtype)
    weight = np.random.default_rng(0).uniform(0, 2, 200)
    arrays = [X.data, X.indices, X.indptr] if layout == "csr" else [X]
    arrays += [y, weight]
    before = [array.copy() for array in arrays]
    for array in arrays:
        array.flags.writeable = False
    for name in STATES:
        model = model_of(name, class_weight="balanced", max_iter=3, tol=None).fit(X, y, weight)
        model.set_params(class_weight=None).partial_fit(X, y, sample_weight=weight)
        model.partial_fit(X, y).predict(X)
    for array, former in zip(arrays, before, strict=True):
        assert_array_equal(array, former)


@with_states
def test_input_may_change_after_training(name):
    X, y = samples_of("binary")
    model = train(model_of(name), X, y)
    before = arrays_of(model)
    X[:] = -1.0
    y[:] = "yes"
    for key, array in arrays_of(model).items():
        assert_array_equal(array, before[key])


def test_memory_mapped_rows(tmp_path):
    X, y = samples_of("multiclass")
    np.save(tmp_path / "X.npy", X)
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    for name in STATES:
        assert_same(train(model_of(name), mapped, y, 7), train(model_of(name), X, y))
        assert_same(model_of(name).fit(mapped, y), model_of(name).fit(X, y))


# -- two at once ------------------------------------------------------------------------


@with_states
@with_layouts
def test_two_models_in_two_threads(name, layout):
    """The loop releases the GIL."""
    X, y = samples_of("multiclass", layout, n=600)
    seeds = range(6)

    def work(seed):
        model = once(name, random_state=seed, max_iter=20).fit(X, y)
        return train(model, X, y, 50, classes=[10, 20, 30])

    expected = [work(seed) for seed in seeds]
    with ThreadPoolExecutor(3) as executor:
        for model, other in zip(executor.map(work, seeds), expected, strict=True):
            assert_same(model, other)
        decisions = expected[0].decision_function(X)
        for others in executor.map(expected[0].decision_function, [X] * 10):
            assert_array_equal(others, decisions)
