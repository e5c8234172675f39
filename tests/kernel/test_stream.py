"""Streams: the model does not depend on chunks, pickling, copies and layouts."""

import pickle
import sys
from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_matrix

from sklearn_online_svm import LASVC
from tests.support.copies import with_copies
from tests.support.samples import ALGORITHMS, LAYOUTS, three_classes, two_classes

PROBLEMS = {"binary": two_classes, "multiclass": three_classes}
with_problems = pytest.mark.parametrize("problem", PROBLEMS)
with_layouts = pytest.mark.parametrize("layout", LAYOUTS)
with_dtypes = pytest.mark.parametrize("dtype", [np.float32, np.float64])


def rows_of(problem, layout="dense", dtype=np.float64, n=300):
    X, y = PROBLEMS[problem](n)
    X[np.abs(X) < 0.3] = 0.0  # so that there is something sparse about it
    return LAYOUTS[layout](X.astype(dtype)), y


class Busy(LASVC):
    """LASVC with small constants, so that the ramp and CLEAN act often."""

    ramp_start = 20
    clean_interval = 25
    max_non_sv = 10


def new_model(algorithm="lasvm", **params):
    return Busy(**{"gamma": 0.3, "C": 2.0, "random_state": 0, "algorithm": algorithm, **params})


@pytest.fixture(params=ALGORITHMS)
def model_of(request):
    """Make models of one algorithm."""
    return partial(new_model, request.param)


def learn(model, X, y, size=None, begin=0):
    """`partial_fit` from row `begin` on, in chunks."""
    n = X.shape[0]
    for first in range(begin, n, size or n):
        part = slice(first, first + (size or n))
        model.partial_fit(X[part], y[part], classes=np.unique(y) if first == 0 else None)
    return model


def assert_same(model, other, X):
    """Check that two models are bitwise identical.

    Decision values of several classes agree only to rounding (see the test of that name)."""
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


@with_problems
@pytest.mark.parametrize(
    "params", [dict(delta_max=0.1), dict(kernel="poly", C=0.1), dict(C=100.0)], ids=str
)
def test_chunks_with_other_parameters(model_of, problem, params):
    X, y = rows_of(problem)
    assert_same(learn(model_of(**params), X, y), learn(model_of(**params), X, y, 7), X)


@with_problems
def test_chunks_with_weights(model_of, problem):
    X, y = rows_of(problem)
    weight = np.random.default_rng(0).choice([0.0, 1.0, 3.0], 300)
    classes, models = np.unique(y), []
    for size in (300, 11):
        model = model_of(class_weight="online_balanced")
        for first in range(0, 300, size):
            part = slice(first, first + size)
            model.partial_fit(X[part], y[part], classes=classes, sample_weight=weight[part])
        models.append(model)
    assert_array_equal(models[0].support_, models[1].support_)
    # Running sums of weights are rounded differently.
    assert_allclose(models[0].dual_coef_, models[1].dual_coef_, rtol=1e-9)


@with_problems
def test_chunks_after_fit(model_of, problem):
    X, y = rows_of(problem)
    models = []
    for size in (None, 9):
        model = model_of().fit(X[:100], y[:100])
        models.append(learn(model, X, y, size, begin=100))
    assert_same(*models, X)
    assert models[0].n_samples_seen_ == 300
    # Positions in the stream: rows of fit come first.
    vectors = models[0].support_vectors_
    assert_array_equal(vectors, X[models[0].support_])
    assert models[0].support_.max() >= 100


def test_every_row_given_is_a_new_row():
    X, y = rows_of("binary")
    model = learn(new_model(), X, y)
    model.partial_fit(X, y)
    assert model.n_samples_seen_ == 600
    assert model.support_.max() >= 300


def test_decisions_between_several_classes_agree_to_rounding(model_of):
    """Sums run over the stored vectors in another order; alpha is the same."""
    X, y = rows_of("multiclass")
    whole, chunks = learn(model_of(), X, y), learn(model_of(), X, y, 7)
    assert_array_equal(whole.dual_coef_, chunks.dual_coef_)
    assert_allclose(whole.decision_function(X), chunks.decision_function(X), rtol=0, atol=1e-12)


@with_problems
def test_layouts_may_change_between_chunks(model_of, problem):
    dense, y = rows_of(problem)
    sparse = csr_matrix(dense)
    expected = learn(model_of(), dense, y)
    for first, second in [(dense, sparse), (sparse, dense)]:
        model = model_of().partial_fit(first[:100], y[:100], classes=np.unique(y))
        model.partial_fit(second[100:], y[100:])
        assert_same(model, expected, dense)


@with_problems
def test_mostly_zero_dense_rows_are_learnt_as_any_others(model_of, problem):
    """Dense samples with few nonzeros are stored as sparse vectors, and so are later samples."""
    X, y = PROBLEMS[problem](300, 40)
    X[np.random.default_rng(0).random(X.shape) < 0.9] = 0.0
    X[200:] += 1.0  # no zeros any more
    assert_same(learn(model_of(), X, y), learn(model_of(), X, y, 7), X)
    assert_same(learn(model_of(), X, y), learn(model_of(), csr_matrix(X), y), X)


@with_problems
def test_float32_and_float64_rows_give_similar_models(model_of, problem):
    X, y = rows_of(problem)
    double = model_of(max_iter=-1, tol=1e-6).fit(X, y)
    single = model_of(max_iter=-1, tol=1e-6).fit(X.astype(np.float32), y)
    assert_allclose(single.decision_function(X), double.decision_function(X), atol=1e-3)


def test_later_chunks_are_taken_in_the_type_of_the_first(model_of):
    X, y = rows_of("binary", dtype=np.float32)
    model = model_of().partial_fit(X[:100], y[:100], classes=["no", "yes"])
    model.partial_fit(X[100:].astype(np.float64), y[100:])
    assert_same(model, learn(model_of(), X, y), X)
    assert model.support_vectors_.dtype == np.float32


# -- pauses and copies ------------------------------------------------------------------


@with_copies
def test_original_may_be_trained_before_its_copy(model_of, make_copy, tmp_path):
    X, y = rows_of("multiclass")
    original = model_of().partial_fit(X[:150], y[:150], classes=np.unique(y))
    copied = make_copy(original, tmp_path)
    halfway = copied.decision_function(X)
    learn(original, X, y, begin=150).finish()
    assert_array_equal(copied.decision_function(X), halfway)
    learn(copied, X, y, begin=150)
    assert_same(copied.finish(), original, X)


@with_copies
def test_copies_of_models_with_python_kernels(model_of, make_copy, tmp_path):
    X, y = rows_of("binary")
    K = X @ X.T
    model = model_of(kernel="precomputed").fit(K, y)
    copied = make_copy(model, tmp_path)
    assert_array_equal(copied.decision_function(K), model.decision_function(K))
    model = learn(model_of(kernel=linear), X[:150], y[:150])
    copied = make_copy(model, tmp_path)
    assert_same(learn(copied, X, y, begin=150), learn(model, X, y, begin=150), X)


def linear(A, B):
    return A @ B.T


def test_a_pickle_holds_vectors_but_no_kernel_rows():
    X, y = two_classes(2000, noise=2.0)
    model = learn(new_model(), X, y)
    n_vectors = len(model.support_)
    assert n_vectors > 1000
    # A kernel row would be 4 n_vectors bytes for each vector.
    assert len(pickle.dumps(model)) < 300 * n_vectors
    assert sys.getsizeof(model) < 10_000


# -- what is given stays as it is -------------------------------------------------------


@with_layouts
def test_samples_may_be_modified_after_training(model_of, layout):
    """The model stores copies of the samples."""
    X, y = rows_of("binary", layout)
    expected = learn(model_of(), X, y).decision_function(X)
    given = X.copy()
    model = learn(model_of(), given, y)
    (given.data if layout == "csr" else given)[:] = -1.0
    assert_array_equal(model.decision_function(X), expected)
    vectors = model.support_vectors_
    (vectors.data if layout == "csr" else vectors)[:] = -1.0
    with pytest.raises(ValueError, match="read-only"):
        model.dual_coef_[:] = 0.0
    assert_array_equal(model.decision_function(X), expected)


# -- classes that come late -------------------------------------------------------------


def test_the_first_class_is_predicted_until_another_is_seen():
    X, y = rows_of("binary")
    yes = X[y == "yes"]
    model = new_model().partial_fit(yes, np.full(len(yes), "yes"), classes=["no", "yes"])
    assert_array_equal(model.predict(X), "yes")
    assert len(model.support_) == 0
    assert model._engine.problems[0].members.n_members == LASVC.n_init
    model.finish()
    model.partial_fit(X[y == "no"], np.full((y == "no").sum(), "no"))
    assert set(model.predict(X)) == {"no", "yes"}


# -- weights of zero --------------------------------------------------------------------


def test_a_first_chunk_of_weight_zero(model_of):
    X, y = rows_of("binary")
    model = model_of(gamma="scale")
    model.partial_fit(X[:50], y[:50], classes=["no", "yes"], sample_weight=np.zeros(50))
    assert len(model.support_) == 0
    assert_array_equal(model.decision_function(X), 0)
    model.partial_fit(X[50:], y[50:])
    assert model.score(X, y) > 0.8
