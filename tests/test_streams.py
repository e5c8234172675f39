"""Promises of every estimator with ``partial_fit``: chunks, layouts, copies, invalid input."""

import copy
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone, is_classifier, is_regressor

import sklearn_online_svm as package
from sklearn_online_svm.cells import CellClassifier, CellRegressor
from tests.support.cases import in_turn
from tests.support.robust import Busy
from tests.support.samples import LAYOUTS, three_classes
from tests.support.stream_models import COUNT_ALL_SAMPLES, DEPEND_ON_CHUNKS, MODELS

N = 120
CLASSES = [10, 20, 30]

CLASSIFIERS = [name for name, model in MODELS.items() if is_classifier(model)]
DTYPES = (np.float32, np.float64)
with_models = pytest.mark.parametrize("name", MODELS)
# tests/test_state_machine.py draws the layout of each call.
with_layouts = pytest.mark.parametrize("name, layout", in_turn(MODELS, LAYOUTS))

ATTRIBUTES = (
    *("coef_", "intercept_", "covariance_", "common_coef_", "local_coef_", "prototypes_"),
    *("support_", "dual_coef_", "n_samples_seen_", "n_updates_", "t_"),
    *("queried_", "online_predictions_", "n_labels_used_"),
    *("n_admitted_", "n_cleaned_", "n_skipped_", "duality_gap_"),
)


def samples(name="lasvm", layout="dense", dtype=np.float64):
    X, y = three_classes(N)
    X[np.abs(X) < 0.3] = 0.0
    return LAYOUTS[layout](X.astype(dtype)), targets(name, y)


def targets(name, y):
    if "2 classes" in name:
        y = np.where(y == 10, 10, 20)
    return y / 10.0 if is_regressor(MODELS[name]) else y


def partial_fit(model, X, y, size=None, start=0, **params):
    n = X.shape[0]
    for first in range(start, n, size or n):
        chunk = slice(first, first + (size or n))
        given = {} if first or not is_classifier(model) else {"classes": np.unique(y)}
        weights = {key: values[chunk] for key, values in params.items()}
        model.partial_fit(X[chunk], y[chunk], **given, **weights)
    return model


def trained(name, *data, **params):
    return partial_fit(clone(MODELS[name]), *data, **params)


def outputs(model, X):
    outputs = getattr(model, "decision_function", model.predict)(X)
    if hasattr(model, "predict_proba"):
        outputs = np.column_stack([outputs, model.predict_proba(X)])
    return outputs


def assert_same(model, other, X, rtol=1e-12, n_updates=True):
    """Check attributes and decision values; equal to the last bit if rtol is the default."""
    expected = outputs(other, X)
    assert_allclose(outputs(model, X), expected, rtol=rtol, atol=rtol * np.abs(expected).max())
    for name in ATTRIBUTES:
        if not hasattr(other, name) or (name == "n_updates_" and not n_updates):
            continue
        ours, theirs = (getattr(m, name) for m in (model, other))
        if sparse.issparse(theirs):
            ours, theirs = ours.toarray(), theirs.toarray()
        if rtol == 1e-12:
            assert_array_equal(ours, theirs, err_msg=name)
        else:
            scale = rtol * max(1.0, np.abs(np.asarray(theirs, dtype=float)).max(initial=0.0))
            assert_allclose(ours, theirs, rtol=rtol, atol=scale, err_msg=name)


def test_every_estimator_with_partial_fit_is_in_the_table():
    kinds = {getattr(package, name) for name in package.__all__ if name[0].isupper()}
    assert {k for k in kinds if hasattr(k, "partial_fit")} == {
        type(m) for m in MODELS.values()
    } - {Busy, CellClassifier, CellRegressor}


@pytest.mark.sampled
@pytest.mark.parametrize(
    "name, layout, dtype",
    in_turn([name for name in MODELS if name not in DEPEND_ON_CHUNKS], LAYOUTS, DTYPES),
)
def test_model_is_independent_of_the_chunk_size(name, layout, dtype):
    X, y = samples(name, layout, dtype)
    whole = trained(name, X, y)
    models = [trained(name, X, y, size=size) for size in (1, 7, 50)]
    rtol = 1e-9 if name == "kernel arow" else 1e-12  # its blocks end with the chunks
    for model in models:
        assert_same(model, whole, X, rtol=rtol)
    if hasattr(whole, "finish"):
        whole.finish()
        for model in models:
            assert_same(model.finish(), whole, X)


@pytest.mark.sampled
@pytest.mark.parametrize("name, dtype", in_turn(MODELS, DTYPES))
def test_dense_and_sparse_samples_give_the_same_model(name, dtype):
    X, y = samples(name, dtype=dtype)
    dense = trained(name, X, y, size=40)
    rounding = 1e-9 if dtype == np.float64 else 1e-2
    for kind in (sparse.csr_matrix, sparse.csr_array):
        model = trained(name, kind(X), y, size=40)
        if hasattr(model, "dual_coef_"):  # kernel values are the same to the last bit
            assert_same(model, dense, X)
        elif dtype == np.float64:
            assert_same(model, dense, X, rtol=1e-9, n_updates=False)
    for other in (sparse.csr_matrix(X), sparse.csc_array(X), X.tolist()):
        assert_allclose(outputs(dense, other), outputs(dense, X), rtol=rounding, atol=rounding)


@pytest.mark.sampled
@with_models
def test_model_is_independent_of_the_memory_layout(name):
    X, y = samples(name)
    model = trained(name, X[:60], y[:60])
    others = [copy.deepcopy(model) for _ in range(5)]
    model.partial_fit(X[60:], y[60:])
    new = X[60:]
    strided = np.repeat(new, 2, axis=0)[::2]
    converted = np.asfortranarray(new), strided, new.astype(object), np.ma.array(new), new.tolist()
    for other, values in zip(others, converted, strict=True):
        assert_same(other.partial_fit(values, y[60:].tolist()), model, X)


@pytest.mark.sampled
@with_layouts
def test_fit_resets_the_model(name, layout):
    X, y = samples(name, layout)
    once = clone(MODELS[name]).set_params(**seeded(name)).fit(X, y)
    other = trained(name, X[::2, :3], y[::2]) if "advice" not in name else trained(name, X, y)
    other.set_params(**seeded(name))
    for _ in range(2):
        assert_same(other.fit(X, y), once, X)


def seeded(name):
    params = MODELS[name].get_params(deep=False)
    return {"random_state": 0} if "random_state" in params else {}


def read_only(array):
    arrays = [array.data, array.indices, array.indptr] if sparse.issparse(array) else [array]
    for part in arrays:
        part.flags.writeable = False
    return [(part, part.copy()) for part in arrays]


@pytest.mark.sampled
@with_layouts
def test_read_only_input_is_not_changed(name, layout):
    X, y = samples(name, layout)
    expected = trained(name, X.copy(), y.copy())
    equal = name == "one class, window"  # takes no weights
    weight = np.ones(N) if equal else np.random.default_rng(0).uniform(0.5, 2, N)
    before = [*read_only(X), *read_only(y), *read_only(weight)]
    assert_same(trained(name, X, y), expected, X)
    model = clone(MODELS[name]).fit(X, y, weight)
    outputs(model.partial_fit(X, y, sample_weight=weight), X)
    for array, original in before:
        assert_array_equal(array, original)


@pytest.mark.sampled
@with_models
def test_memory_mapped_samples(name, tmp_path):
    X, y = samples(name)
    np.save(tmp_path / "X.npy", X)
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    assert_same(trained(name, mapped, y, size=40), trained(name, X, y, size=40), mapped)


@pytest.mark.sampled
@with_layouts
def test_samples_may_be_modified_after_training(name, layout):
    X, y = samples(name, layout)
    given, labels = X.copy(), y.copy()
    model, expected = trained(name, given, labels), trained(name, X, y)
    (given.data if layout == "csr" else given)[:] = -1.0
    labels[:] = labels[0]
    assert_same(model, expected, X)


@pytest.mark.parametrize("name", [name for name in MODELS if name not in COUNT_ALL_SAMPLES])
def test_chunk_of_weight_zero_changes_nothing(name):
    X, y = samples(name)
    model = trained(name, X[:60], y[:60])
    before = outputs(model, X)
    model.partial_fit(X[60:], y[60:], sample_weight=np.zeros(60))
    assert_array_equal(outputs(model, X), before)


@pytest.mark.sampled
@pytest.mark.parametrize("name", [n for n in CLASSIFIERS if "2 cl" not in n])
def test_classes_may_appear_late_or_never(name):
    X, y = samples(name)
    early = np.flatnonzero(y != 30)
    model = clone(MODELS[name])
    for label in (10, 20):  # each chunk contains a single class
        model.partial_fit(X[y == label], y[y == label], classes=CLASSES)
    model.partial_fit(X[early], y[early])
    assert not np.isin(model.predict(X), 30).all()
    for _ in range(3):
        model.partial_fit(X, y)
    assert set(model.predict(X)) == set(CLASSES)


@pytest.mark.sampled
@with_models
def test_two_models_in_two_threads(name):
    X, y = samples(name)
    expected = trained(name, X, y, size=10)
    with ThreadPoolExecutor(2) as executor:
        for model in executor.map(lambda _: trained(name, X, y, size=10), range(4)):
            assert_same(model, expected, X)
        for found in executor.map(lambda _: outputs(expected, X), range(8)):
            assert_array_equal(found, outputs(expected, X))


def invalid(name, X, y, rng):
    """Yield error messages and arguments of ``partial_fit`` that it must reject."""
    is_sparse = sparse.issparse(X)
    for value, message in ((np.nan, "NaN"), (np.inf, "infinity")):
        for i in (0, X.shape[0] - 1):
            wrong = X.toarray() if is_sparse else X.copy()
            wrong[i, rng.integers(4)] = value
            yield f"contains {message}", type(X)(wrong) if is_sparse else wrong, y, {}
    yield "X has 3 features", X[:, :3], y, {}
    if not name.startswith("one class"):  # y is ignored
        yield "inconsistent numbers", X, y[1:], {}
    yield "Negative values", X, y, {"sample_weight": -np.ones(len(y))}
    yield "sample_weight.shape", X, y, {"sample_weight": np.ones(3)}
    if name in CLASSIFIERS:
        unknown = np.where(np.arange(len(y)) == 1, 99, y)
        yield r"not among the classes \[10, 20(, 30)?\]: \[99\]", X, unknown, {}
        yield "is not the same as on last call", X, y, {"classes": [10, 99]}


@pytest.mark.sampled
@with_layouts
def test_rejected_chunk_leaves_the_model_unchanged(name, layout):
    X, y = samples(name, layout)
    model, other = (trained(name, X[:60], y[:60]) for _ in range(2))
    attributes = set(vars(model))
    large = (
        (sparse.vstack([X] * 20, format="csr"), np.tile(y, 20))
        if layout == "csr"
        else (np.tile(X, (20, 1)), np.tile(y, 20))
    )  # larger than the model, which may check such a chunk during training
    rng = np.random.default_rng(0)
    for given in ((X[60:], y[60:]), large):
        for message, wrong, labels, params in invalid(name, *given, rng):
            with pytest.raises(ValueError, match=message):
                model.partial_fit(wrong, labels, **params)
            if "contains" in message or "features" in message:
                with pytest.raises(ValueError, match=message):
                    outputs(model, wrong)
            assert_same(model, other, X)
            assert set(vars(model)) == attributes
    assert_same(model.partial_fit(X[60:], y[60:]), other.partial_fit(X[60:], y[60:]), X)


@pytest.mark.sampled
@with_layouts
def test_rejected_fit_leaves_the_model_unchanged(name, layout):
    X, y = samples(name, layout)
    unfitted, rng = clone(MODELS[name]), np.random.default_rng(0)
    params = set(vars(unfitted))
    model = clone(unfitted).set_params(**seeded(name)).fit(X, y)
    expected = copy.deepcopy(model)
    for message, wrong, labels, weights in invalid(name, X, y, rng):
        if "classes" in message or "features" in message or "last call" in message:
            continue
        for each in (model, unfitted):
            with pytest.raises(ValueError, match=message):
                each.fit(wrong, labels, **weights)
        assert_same(model, expected, X)
        assert set(vars(unfitted)) == params
    assert_same(unfitted.set_params(**seeded(name)).fit(X, y), expected, X)
