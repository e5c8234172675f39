"""Linear learners online: chunks of any size, parameters that change, copies, two at once."""

import copy
import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.sparse import csr_array, csr_matrix
from sklearn.base import clone, is_regressor

from sklearn_online_svm import (
    AROWClassifier,
    ConfidenceWeightedClassifier,
    CostSensitivePassiveAggressiveClassifier,
    PassiveAggressiveClassifier,
    PassiveAggressiveRegressor,
    PerceptronClassifier,
    SCWClassifier,
    SecondOrderPerceptronClassifier,
)
from tests.support.linear_models import (
    arrays_of,
    assert_same,
    learn,
    line,
    model_of,
    once,
    rows_of,
    with_both,
    with_classifiers,
    with_dtypes,
    with_layouts,
    with_states,
)
from tests.support.samples import LAYOUTS

# -- chunks -----------------------------------------------------------------------------


@with_classifiers
@with_both
@with_dtypes
def test_dense_rows_and_csr_rows_give_the_same_model(name, problem, dtype):
    X, y = rows_of(problem, dtype=dtype)
    rounding = dict(rtol=1e-3, atol=1e-4) if dtype == np.float32 else dict(rtol=1e-9, atol=1e-9)
    assert_same(learn(model_of(name), X, y), learn(model_of(name), csr_matrix(X), y), **rounding)
    model = model_of(name, max_iter=3, tol=None).fit(X, y)
    for dtype_of_rows in (np.float32, np.float64):
        rows = X.astype(dtype_of_rows)
        for other in (csr_matrix(rows), csr_array(rows), sparse.csc_matrix(rows), rows.tolist()):
            assert_allclose(
                model.decision_function(other), model.decision_function(rows), atol=1e-5
            )


@with_states
@with_both
def test_dense_and_csr_chunks_in_turn(name, problem):
    X, y = rows_of(problem)
    expected = learn(model_of(name), X, y)
    model = model_of(name)
    for i, first in enumerate(range(0, 200, 20)):
        part = slice(first, first + 20)
        kind = (np.asarray, csr_matrix, csr_array, np.asfortranarray)[i % 4]
        model.partial_fit(kind(X[part]), y[part], classes=np.unique(y))
        assert_allclose(model.decision_function(csr_matrix(X)), model.decision_function(X))
    assert_same(model, expected, rtol=1e-9, atol=1e-9)
    # From fit on, too.
    for first, second in (LAYOUTS.values(), reversed(LAYOUTS.values())):
        model = once(name, shuffle=False).fit(first(X), y).partial_fit(second(X), y)
        assert_same(model, learn(learn(model_of(name), X, y), X, y), rtol=1e-9, atol=1e-9)


@with_states
@with_layouts
def test_chunks_of_another_precision_are_cast(name, layout):
    X, y = rows_of("binary", layout)
    single = X.astype(np.float32)
    model = learn(model_of(name), single[:100], y[:100]).partial_fit(X[100:], y[100:])
    assert_same(model, learn(model_of(name), single, y))
    model = learn(model_of(name), X[:100], y[:100]).partial_fit(single[100:], y[100:])
    expected = learn(model_of(name), X[:100], y[:100])
    assert_same(model, expected.partial_fit(single[100:].astype(np.float64), y[100:]))
    assert model.coef_.dtype == np.float64
    assert_allclose(model.decision_function(single), model.decision_function(X), atol=1e-5)


@with_states
@pytest.mark.parametrize("n", [1, 90])
def test_the_short_way_into_partial_fit_gives_what_the_long_one_gives(name, n):
    """Plain arrays like those learnt before are not validated at length."""
    X, y = rows_of("multiclass", n=200)
    fitted = once(name, max_iter=3).fit(X, y)
    before = pickle.dumps(fitted)
    expected = fitted.partial_fit(X[:n], y[:n])
    decisions = expected.decision_function(X)
    for rows, labels in [
        (X[:n].tolist(), y[:n]),
        (X[:n], y[:n].tolist()),
        (np.asfortranarray(X[:n]), y[:n]),
        (np.repeat(X, 2, axis=0)[::2][:n], y[:n]),
        (np.ma.array(X[:n]), y[:n]),
        (X[:n].astype(object), y[:n]),
    ]:
        model = pickle.loads(before).partial_fit(rows, labels)
        assert_same(model, expected)
        assert vars(model).keys() == vars(expected).keys()
        assert model.n_iter_ == expected.n_iter_
    for keywords in (dict(classes=[30, 10, 20]), dict(sample_weight=np.ones(n))):
        assert_same(pickle.loads(before).partial_fit(X[:n], y[:n], **keywords), expected)
    for rows in (X.tolist(), np.asfortranarray(X), np.repeat(X, 2, axis=0)[::2], np.ma.array(X)):
        assert_allclose(expected.decision_function(rows), decisions, rtol=1e-12, atol=1e-12)
    assert_array_equal(expected.predict(X[:1].tolist()), expected.predict(X[:1]))


def test_rows_of_whole_numbers():
    X, y = rows_of("binary")
    whole = np.round(3 * X).astype(np.int64)
    model = learn(model_of("pa"), whole.astype(np.float64), y)
    for kind in (np.int64, np.int8, np.float16):
        assert_same(learn(model_of("pa"), whole.astype(kind), y, 50), model)


@with_states
def test_rows_of_zeros(name):
    """An empty row of a CSR matrix; without an intercept it teaches nothing."""
    X, y = rows_of("multiclass")
    X[::3] = 0.0
    stored = csr_matrix(X)
    stored.data[::5] = 0.0  # zeros that are stored
    X = stored.toarray()
    rounding = dict(rtol=1e-9, atol=1e-9)
    assert_same(learn(model_of(name), stored, y), learn(model_of(name), X, y), **rounding)
    bare = learn(model_of(name, fit_intercept=False), stored, y)
    taught = learn(model_of(name, fit_intercept=False), X[X.any(axis=1)], y[X.any(axis=1)])
    if name != "pa-average":
        assert_allclose(bare.coef_, taught.coef_, **rounding)
    assert bare.n_updates_ == taught.n_updates_
    nothing = once(name, fit_intercept=False).fit(csr_matrix((200, 4)), y)
    assert_array_equal(nothing.coef_, 0.0)
    assert nothing.n_updates_ == 0


@with_states
@with_both
def test_csr_rows_of_any_form(name, problem):
    """Unsorted columns, columns given twice, 64-bit indices, read-only memory."""
    X, y = rows_of(problem)
    sorted_rows = csr_matrix(X)
    expected = learn(model_of(name), sorted_rows, y)

    unsorted = sorted_rows.copy()
    for i in range(200):
        part = slice(*unsorted.indptr[i : i + 2])
        unsorted.indices[part] = unsorted.indices[part][::-1].copy()
        unsorted.data[part] = unsorted.data[part][::-1].copy()
    twice = csr_matrix(
        (np.repeat(sorted_rows.data, 2), np.repeat(sorted_rows.indices, 2), sorted_rows.indptr * 2)
    )
    twice.data[::2] *= 0.25
    twice.data[1::2] *= 0.75
    long = csr_array(X)
    long.indices, long.indptr = long.indices.astype(np.int64), long.indptr.astype(np.int64)
    given = [unsorted, twice, long]
    kept = [[array.copy() for array in (M.data, M.indices, M.indptr)] for M in given]
    for M, arrays in zip(given, kept, strict=True):
        for array in (M.data, M.indices, M.indptr):
            array.flags.writeable = False
        assert_same(learn(model_of(name), M, y), expected, rtol=1e-12, atol=1e-12)
        model = model_of(name, max_iter=2, tol=None).fit(M, y)
        decisions = model_of(name, max_iter=2, tol=None).fit(sorted_rows, y).decision_function(X)
        assert_allclose(model.decision_function(M), decisions, rtol=1e-9, atol=1e-9)
        assert not hasattr(model, "decision_variance") or len(model.decision_variance(M)) == 200
        for array, before in zip((M.data, M.indices, M.indptr), arrays, strict=True):
            assert_array_equal(array, before)
    assert long.indices.dtype == np.int64


# -- changes between chunks -------------------------------------------------------------

TUNED = [
    (PassiveAggressiveClassifier(), dict(C=0.01)),
    (PassiveAggressiveClassifier(), dict(loss="squared_hinge")),
    (PassiveAggressiveClassifier(multi_class="crammer_singer"), dict(C=0.01)),
    (PerceptronClassifier(), dict(positive_margin=2.0)),
    (PerceptronClassifier(), dict(negative_margin=2.0)),
    (ConfidenceWeightedClassifier(), dict(eta=0.95)),
    (AROWClassifier(), dict(r=50.0)),
    (AROWClassifier(covariance="full"), dict(r=50.0)),
    (SCWClassifier(), dict(C=1e-3)),
    (SCWClassifier(), dict(eta=0.95)),
    (SCWClassifier(), dict(loss="squared_hinge")),
    (CostSensitivePassiveAggressiveClassifier(average=False), dict(C=0.01)),
    (CostSensitivePassiveAggressiveClassifier(average=False), dict(rho=5.0)),
    (CostSensitivePassiveAggressiveClassifier(average=False), dict(eta_p=0.9)),
    (CostSensitivePassiveAggressiveClassifier(average=False), dict(rule="prediction")),
    (CostSensitivePassiveAggressiveClassifier(average=False, eta_p=0.9), dict(objective="cost")),
    (
        CostSensitivePassiveAggressiveClassifier(average=False, objective="cost"),
        dict(cost_p=9.0, cost_n=1.0),
    ),
    (PassiveAggressiveRegressor(), dict(C=0.01)),
    (PassiveAggressiveRegressor(), dict(epsilon=0.8)),
    (PassiveAggressiveRegressor(), dict(loss="squared_epsilon_insensitive")),
    (CostSensitivePassiveAggressiveClassifier(average=False, C=0.1), dict(C=None)),
    (PassiveAggressiveClassifier(), dict(intercept_scaling=0.1)),
    (PerceptronClassifier(), dict(intercept_scaling=0.1)),
]


@pytest.mark.parametrize("model, change", TUNED, ids=str)
def test_another_number_in_the_rule_takes_effect(model, change):
    """As it does in a fit that goes on from the weights so far."""
    X, y = line() if is_regressor(model) else rows_of("multiclass")
    model = learn(clone(model), X[:100], y[:100])
    unchanged, changed, warm = (copy.deepcopy(model) for _ in range(3))
    unchanged.partial_fit(X[100:], y[100:])
    changed.set_params(**change).partial_fit(X[100:], y[100:])
    warm.set_params(**change, warm_start=True, max_iter=1, tol=None, shuffle=False)
    warm.fit(X[100:], y[100:])
    assert (changed.t_, warm.t_) == (201.0, 101.0)
    for key, array in arrays_of(changed).items():
        assert_array_equal(array, arrays_of(warm)[key])
    assert (changed.coef_ != unchanged.coef_).any()
    # And back again.
    changed.set_params(**model.get_params()).partial_fit(X[:50], y[:50])
    warm.set_params(**model.get_params()).partial_fit(X[:50].tolist(), y[:50])
    for key, array in arrays_of(changed).items():
        assert_array_equal(array, arrays_of(warm)[key])


def test_a_class_weight_takes_effect_at_once():
    X, y = rows_of("binary")
    model = learn(model_of("pa", C=0.1), X[:100], y[:100])
    other = copy.deepcopy(model)
    model.set_params(class_weight={"yes": 5.0}).partial_fit(X[100:], y[100:])
    weight = np.where(y[100:] == "yes", 5.0, 1.0)
    assert_same(model, other.partial_fit(X[100:], y[100:], sample_weight=weight))


@pytest.mark.parametrize(
    "model, change",
    [
        (PassiveAggressiveClassifier(), dict(fit_intercept=False)),
        (PassiveAggressiveClassifier(), dict(average=True)),
        (PassiveAggressiveClassifier(average=True), dict(average=False)),
        (PassiveAggressiveClassifier(average=True), dict(average=50)),
        (PassiveAggressiveClassifier(average=10), dict(average=20)),
        (PassiveAggressiveClassifier(), dict(multi_class="crammer_singer")),
        (PerceptronClassifier(), dict(average=10)),
        (SecondOrderPerceptronClassifier(), dict(a=2.0)),
        (SecondOrderPerceptronClassifier(), dict(covariance="diag")),
        (AROWClassifier(), dict(covariance="full")),
        (CostSensitivePassiveAggressiveClassifier(), dict(fit_intercept=False)),
        (CostSensitivePassiveAggressiveClassifier(), dict(average=False)),
        (PassiveAggressiveRegressor(), dict(average=True)),
        (PassiveAggressiveRegressor(), dict(fit_intercept=False)),
    ],
    ids=str,
)
@pytest.mark.parametrize("way", ["short", "long"])
def test_what_the_model_is_made_of_cannot_change(model, change, way):
    X, y = line() if is_regressor(model) else rows_of("multiclass")
    model = learn(clone(model), X[:100], y[:100])
    other = copy.deepcopy(model)
    former = model.get_params()
    model.set_params(**change)
    with pytest.raises(ValueError, match=f"{next(iter(change))} cannot change once"):
        model.partial_fit(X[100:] if way == "short" else X[100:].tolist(), y[100:])
    assert_same(model, other)
    assert_array_equal(model.predict(X), other.predict(X))
    model.set_params(**former).partial_fit(X[100:], y[100:])
    assert_same(model, other.partial_fit(X[100:], y[100:]))
    # fit starts again.
    model.set_params(**change, random_state=0).fit(X, y)
    assert_same(model, clone(model).fit(X, y))


# -- copies -----------------------------------------------------------------------------


def test_a_pickle_holds_plain_values():
    """Arrays, numbers and names, nothing of the engine."""
    model = learn(model_of("arow"), *rows_of("binary"))
    state = model.__getstate__()["_state"]
    assert isinstance(state, dict)
    text = pickle.dumps(model)
    assert b"sklearn_online_svm._core" not in text and b"UpdateLoop" not in text
