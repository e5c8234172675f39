"""Streams: the model does not depend on chunks, pickling, copies and layouts."""

import pickle
import re
import sys
from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_matrix

from sklearn_online_svm import LASVC
from sklearn_online_svm.kernel._lasvc import N_INIT
from tests.support.copies import with_copies
from tests.support.robust import BOTH, Busy, with_both, with_layouts
from tests.support.samples import ALGORITHMS, LAYOUTS, two_classes

with_dtypes = pytest.mark.parametrize("dtype", [np.float32, np.float64])


def samples_of(problem, layout="dense", dtype=np.float64, n=300):
    X, y = BOTH[problem](n)
    X[np.abs(X) < 0.3] = 0.0  # some zeros
    return LAYOUTS[layout](X.astype(dtype)), y


def new_model(algorithm="lasvm", **params):
    return Busy(**{"gamma": 0.3, "C": 2.0, "random_state": 0, "algorithm": algorithm, **params})


@pytest.fixture(params=ALGORITHMS)
def model_of(request):
    """Make models of one algorithm."""
    return partial(new_model, request.param)


def train(model, X, y, size=None, begin=0):
    """Call partial_fit with chunks, from sample ``begin`` on."""
    n = X.shape[0]
    for first in range(begin, n, size or n):
        part = slice(first, first + (size or n))
        model.partial_fit(X[part], y[part], classes=np.unique(y) if first == 0 else None)
    return model


def assert_same(model, other, X):
    """Check that two models are bitwise identical.

    Decision values of several classes agree only to rounding: sums run over the stored vectors in
    another order.
    """
    if len(model.classes_) == 2:
        assert_array_equal(model.decision_function(X), other.decision_function(X))
    else:
        decisions = other.decision_function(X)
        assert_allclose(model.decision_function(X), decisions, rtol=1e-12, atol=1e-12)
    assert_array_equal(model.support_, other.support_)
    assert_array_equal(model.dual_coef_, other.dual_coef_)
    assert_array_equal(model.intercept_, other.intercept_)
    assert model.n_samples_seen_ == other.n_samples_seen_
    assert model.n_labels_used_ == other.n_labels_used_
    if model.algorithm != "lasvm":
        for name in ("n_admitted_", "n_cleaned_", "n_skipped_", "duality_gap_"):
            assert_array_equal(getattr(model, name), getattr(other, name))


# -- chunks -----------------------------------------------------------------------------


@with_both
@with_layouts
@with_dtypes
@pytest.mark.parametrize("size", [1, 7, 100])
def test_chunks_of_any_size_give_the_same_model(model_of, problem, layout, dtype, size):
    X, y = samples_of(problem, layout, dtype)
    whole, chunks = train(model_of(), X, y), train(model_of(), X, y, size)
    assert_same(whole, chunks, X)
    assert_same(whole.finish(), chunks.finish(), X)


@with_both
@pytest.mark.parametrize(
    "params", [dict(delta_max=0.1), dict(kernel="poly", C=0.1), dict(C=100.0)], ids=str
)
def test_chunks_with_other_parameters(model_of, problem, params):
    X, y = samples_of(problem)
    assert_same(train(model_of(**params), X, y), train(model_of(**params), X, y, 7), X)


@with_both
def test_chunks_after_fit(model_of, problem):
    X, y = samples_of(problem)
    models = []
    for size in (None, 9):
        model = model_of().fit(X[:100], y[:100])
        models.append(train(model, X, y, size, begin=100))
    assert_same(*models, X)
    assert models[0].n_samples_seen_ == 300
    # Positions in the stream, which begins with the samples of fit.
    vectors = models[0].support_vectors_
    assert_array_equal(vectors, X[models[0].support_])
    assert models[0].support_.max() >= 100


def test_repeated_samples_of_a_stream_are_new_samples():
    X, y = samples_of("binary")
    model = train(new_model(), X, y)
    model.partial_fit(X, y)
    assert model.n_samples_seen_ == 600
    assert model.support_.max() >= 300


@with_both
@with_dtypes
@pytest.mark.parametrize("size", [1, 64, None])
def test_dense_and_csr_input_give_the_same_model(model_of, problem, dtype, size):
    models = []
    for layout in LAYOUTS:
        X, y = samples_of(problem, layout, dtype)
        models.append(train(model_of(), X, y, size).finish())
    dense, _ = samples_of(problem, "dense", dtype)
    sparse = csr_matrix(dense)
    assert_same(*models, dense)
    assert_same(*models, sparse)
    assert_array_equal(models[0].decision_function(sparse), models[1].decision_function(dense))
    fitted = [model_of(max_iter=2).fit(X, y) for X in (dense, sparse)]
    assert_same(*fitted, dense)


@with_both
def test_layouts_may_change_between_chunks(model_of, problem):
    dense, y = samples_of(problem)
    sparse = csr_matrix(dense)
    expected = train(model_of(), dense, y)
    for first, second in [(dense, sparse), (sparse, dense)]:
        model = model_of().partial_fit(first[:100], y[:100], classes=np.unique(y))
        model.partial_fit(second[100:], y[100:])
        assert_same(model, expected, dense)


@with_both
def test_mostly_zero_dense_samples_give_the_same_model(model_of, problem):
    """Dense samples with few nonzeros are stored as sparse vectors, and so are later samples."""
    X, y = BOTH[problem](300, 40)
    X[np.random.default_rng(0).random(X.shape) < 0.9] = 0.0
    X[200:] += 1.0  # no zeros any more
    assert_same(train(model_of(), X, y), train(model_of(), X, y, 7), X)
    assert_same(train(model_of(), X, y), train(model_of(), csr_matrix(X), y), X)


@with_both
def test_float32_and_float64_give_similar_models(model_of, problem):
    X, y = samples_of(problem)
    double = model_of(max_iter=-1, tol=1e-6).fit(X, y)
    single = model_of(max_iter=-1, tol=1e-6).fit(X.astype(np.float32), y)
    assert_allclose(single.decision_function(X), double.decision_function(X), atol=1e-3)


def test_later_chunks_are_converted_to_the_dtype_of_the_first(model_of):
    X, y = samples_of("binary", dtype=np.float32)
    model = model_of().partial_fit(X[:100], y[:100], classes=["no", "yes"])
    model.partial_fit(X[100:].astype(np.float64), y[100:])
    assert_same(model, train(model_of(), X, y), X)
    assert model.support_vectors_.dtype == np.float32


# -- copies -----------------------------------------------------------------------------


@with_copies
@with_both
@with_layouts
@pytest.mark.parametrize("n_before", [3, 150])
def test_copy_during_a_stream_continues_identically(
    model_of, make_copy, problem, layout, n_before, tmp_path
):
    X, y = samples_of(problem, layout)
    uninterrupted = train(model_of(finishing=False), X, y)
    original = model_of(finishing=False).partial_fit(
        X[:n_before], y[:n_before], classes=np.unique(y)
    )
    halfway = original.decision_function(X)
    copied = make_copy(original, tmp_path)
    assert_array_equal(copied.decision_function(X), halfway)
    assert copied.n_kernel_evaluations_ == original.n_kernel_evaluations_

    train(copied, X, y, size=40, begin=n_before)
    assert_same(copied, uninterrupted, X)
    # The original is unchanged and can be trained further.
    assert_array_equal(original.decision_function(X), halfway)
    train(original, X, y, begin=n_before)
    assert_same(original, uninterrupted, X)
    assert_same(original.finish(), uninterrupted.finish(), X)
    # A copy recomputes its kernel rows, with bitwise identical results.
    assert_same(copied.finish(), original, X)


@with_copies
def test_copies_of_models_with_python_kernels(model_of, make_copy, tmp_path):
    X, y = samples_of("binary")
    K = X @ X.T
    model = model_of(kernel="precomputed").fit(K, y)
    copied = make_copy(model, tmp_path)
    assert_array_equal(copied.decision_function(K), model.decision_function(K))
    model = train(model_of(kernel=linear), X[:150], y[:150])
    copied = make_copy(model, tmp_path)
    assert_same(train(copied, X, y, begin=150), train(model, X, y, begin=150), X)


def linear(A, B):
    return A @ B.T


def test_pickles_contain_no_kernel_rows():
    X, y = two_classes(2000, noise=2.0)
    model = train(new_model(), X, y)
    n_vectors = len(model.support_)
    assert n_vectors > 1000
    # A kernel row would be 4 n_vectors bytes for each vector.
    assert len(pickle.dumps(model)) < 300 * n_vectors
    assert sys.getsizeof(model) < 10_000


# -- input ------------------------------------------------------------------------------


def frozen(X):
    """Copies of the arrays of X, and X made read-only."""
    arrays = [X.data, X.indices, X.indptr] if hasattr(X, "indptr") else [X]
    for array in arrays:
        array.flags.writeable = False
    return [(array, array.copy()) for array in arrays]


@with_both
@with_layouts
@with_dtypes
def test_input_is_not_changed_and_may_be_read_only(model_of, problem, layout, dtype):
    X, y = samples_of(problem, layout, dtype)
    weight = np.random.default_rng(0).uniform(0, 2, 300)
    before = [*frozen(X), *frozen(y), *frozen(weight)]
    model = model_of(class_weight="balanced", max_iter=-1).fit(X, y, weight)
    model.set_params(class_weight="online_balanced").partial_fit(X, y, sample_weight=weight)
    model.finish()
    model.decision_function(X)
    model.predict(X)
    for array, copied in before:
        assert_array_equal(array, copied)


@with_layouts
def test_samples_may_be_modified_after_training(model_of, layout):
    """The model stores copies of the samples."""
    X, y = samples_of("binary", layout)
    expected = train(model_of(), X, y).decision_function(X)
    given = X.copy()
    model = train(model_of(), given, y)
    (given.data if layout == "csr" else given)[:] = -1.0
    assert_array_equal(model.decision_function(X), expected)
    vectors = model.support_vectors_
    (vectors.data if layout == "csr" else vectors)[:] = -1.0
    with pytest.raises(ValueError, match="read-only"):
        model.dual_coef_[:] = 0.0
    assert_array_equal(model.decision_function(X), expected)


@pytest.mark.parametrize("change", [np.asfortranarray, lambda X: np.repeat(X, 2, 0)[::2], list])
def test_memory_order_does_not_matter(model_of, change):
    X, y = samples_of("binary")
    other = change(X)
    assert_same(model_of().fit(other, y), model_of().fit(X, y), X)
    assert_same(train(model_of(), np.asfortranarray(X), y), train(model_of(), X, y), X)


# -- classes that appear late -----------------------------------------------------------


@with_both
def test_chunks_of_a_single_class(model_of, problem):
    X, y = samples_of(problem)
    order = np.argsort(y, kind="stable")
    X, y = X[order], y[order]
    classes = np.unique(y)
    model = model_of()
    for label in classes:
        model.partial_fit(X[y == label], y[y == label], classes=classes)
    assert_same(model, train(model_of(), X, y), X)
    assert model.n_support_.min() > 0


def test_the_first_class_is_predicted_until_another_is_seen():
    X, y = samples_of("binary")
    yes = X[y == "yes"]
    model = new_model().partial_fit(yes, np.full(len(yes), "yes"), classes=["no", "yes"])
    assert_array_equal(model.predict(X), "yes")
    assert len(model.support_) == 0
    assert model._engine.problems[0].members.n_members == N_INIT
    model.finish()
    model.partial_fit(X[y == "no"], np.full((y == "no").sum(), "no"))
    assert set(model.predict(X)) == {"no", "yes"}


def test_class_that_appears_late(model_of):
    X, y = samples_of("multiclass")
    early = y != 30
    model = model_of().partial_fit(X[early], y[early], classes=[10, 20, 30])
    assert set(model.predict(X)) == {10, 20}
    model.partial_fit(X[~early], y[~early])
    assert set(model.predict(X)) == {10, 20, 30}
    assert model.score(X, y) > 0.7


def test_class_that_never_appears(model_of):
    X, y = samples_of("binary")
    model = model_of().partial_fit(X, y, classes=["maybe", "no", "yes"])
    assert set(model.predict(X)) == {"no", "yes"}
    assert model.n_support_[0] == 0
    assert model.score(X, y) > 0.8


# -- weights of zero --------------------------------------------------------------------


@with_both
def test_a_chunk_of_weight_zero_changes_nothing(model_of, problem):
    X, y = samples_of(problem)
    model = train(model_of(), X[:200], y[:200])
    before = pickle.loads(pickle.dumps(model))
    model.partial_fit(X[200:], y[200:], sample_weight=np.zeros(100))
    assert_array_equal(model.decision_function(X), before.decision_function(X))
    assert_array_equal(model.dual_coef_, before.dual_coef_)
    assert_array_equal(model.support_, before.support_)
    assert model.n_samples_seen_ == 300


def test_a_first_chunk_of_weight_zero(model_of):
    X, y = samples_of("binary")
    model = model_of(gamma="scale")
    model.partial_fit(X[:50], y[:50], classes=["no", "yes"], sample_weight=np.zeros(50))
    assert len(model.support_) == 0
    assert_array_equal(model.decision_function(X), 0)
    model.partial_fit(X[50:], y[50:])
    assert model.score(X, y) > 0.8


# -- parameters that change during a stream (see tests/test_parameters.py) --------------


def test_a_small_cache_frees_memory():
    X, y = two_classes(300, noise=1.0)
    model = train(LASVC(gamma=0.3, C=100.0), X[:150], y[:150])
    rows = model._engine.problems[0].matrix.rows
    assert rows.max_bytes == 375 * 2**20 and rows.n_rows > 10
    model.set_params(cache_size=0.01).partial_fit(X[150:], y[150:])
    rows = model._engine.problems[0].matrix.rows
    assert rows.max_bytes < 2**14 and rows.n_rows < 10


@pytest.mark.parametrize("new", [dict(C=100.0), dict(tol=0.3), dict(ramp_s=0.5)], ids=str)
def test_changed_parameters_take_effect_at_the_next_chunk(model_of, new):
    X, y = two_classes(300, noise=1.0)
    models = [train(model_of(finishing=False), X[:150], y[:150]).set_params(**new) for _ in "ab"]
    assert_same(*(train(m, X, y, size, begin=150) for m, size in zip(models, (7, 150))), X)


def test_finish_uses_a_new_tol():
    model = train(LASVC(gamma=0.3, C=100.0), *two_classes(300, noise=1.0)).finish()
    assert 1e-6 < model._engine.problems[0].delta <= 1e-3
    model.set_params(tol=1e-6).finish()
    assert model._engine.problems[0].delta <= 1e-6
    with pytest.raises(ValueError, match="'tol' parameter of LASVC must be"):
        model.set_params(tol=-1.0).finish()


@pytest.mark.parametrize(
    "name, old, new",
    [
        *[("kernel", "rbf", new) for new in ("linear", linear, "precomputed")],
        *[("kernel", linear, "rbf"), ("gamma", 0.3, "scale"), ("gamma", "scale", 0.3)],
        *[("degree", 3, 2), ("coef0", 0.0, 1.0), ("algorithm", "lasvm-g", "lasvm-full")],
    ],
    ids=lambda value: getattr(value, "__name__", str(value)),
)
@pytest.mark.parametrize("method", ["fit", "partial_fit"])
def test_finish_rejects_changed_fixed_parameters(name, old, new, method):
    X, y = two_classes(150, noise=1.0)
    params = {"gamma": 0.3, "random_state": 0, name: old}
    model = LASVC(**params)
    model = model.fit(X, y) if method == "fit" else train(model, X, y)
    loaded = pickle.loads(pickle.dumps(model))
    message = f"{name} cannot change .*: it was {re.escape(repr(old))} and is now "
    with pytest.raises(ValueError, match=message + re.escape(repr(new))):
        model.set_params(C=7.0, **{name: new}).finish()
    model.set_params(C=1.0, **{name: old})
    assert_same(model.partial_fit(X, y), loaded.partial_fit(X, y), X)
    if new != "precomputed":
        model.set_params(**{name: new}).fit(X, y)
        assert_same(model, LASVC(**params | {name: new}).fit(X, y), X)
