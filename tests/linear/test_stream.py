"""Streams: validation of chunks, input that is unusual or shared, copies, threads."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from tests.support.linear_models import (
    assert_same,
    model_of,
    once,
    samples_of,
    train,
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


# -- two at once ------------------------------------------------------------------------
