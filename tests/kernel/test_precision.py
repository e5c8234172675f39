"""Effect of single-precision kernel values, centering, and the warning."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_matrix
from sklearn.base import clone, is_classifier
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from sklearn_online_svm import (
    LASVC,
    LASVR,
    ActiveLASVC,
    KernelPerceptronClassifier,
    OneClassLASVM,
    RampSVC,
)
from tests.support.internals import engine_of, precision, trained_of
from tests.support.samples import (
    ALGORITHMS,
    LAYOUTS,
    banana,
    breast_cancer,
    three_classes,
    two_classes,
    waveform,
)

SHIFTS = (0.0, 1e3, 3e3, 1e5)
COARSE = "Kernel values are rounded to single precision"
with_layouts = pytest.mark.parametrize("layout", LAYOUTS)


def shifted(shift, n=600, layout="dense", dtype=np.float64):
    """Two linearly separable classes far from the origin; labels 0 and 1."""
    X = np.random.default_rng(0).normal(size=(n, 5))
    return LAYOUTS[layout]((X + shift).astype(dtype)), (X[:, 0] > 0).astype(int)


def in_chunks(model, X, y, size):
    for first in range(0, X.shape[0], size):
        model.partial_fit(X[first : first + size], y[first : first + size], classes=np.unique(y))
    return model


def as_array(X):
    return X if isinstance(X, np.ndarray) else X.toarray()


@pytest.fixture
def no_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


# -- decisions of linear models ---------------------------------------------------------


@with_layouts
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("sample", [two_classes, three_classes])
@pytest.mark.parametrize("shift", [0.0, 1e3])
@pytest.mark.parametrize("model", [LASVC(random_state=0), RampSVC(random_state=0)], ids=str)
def test_linear_decisions_are_products_with_coef(model, shift, sample, dtype, layout):
    X, y = sample()
    X = LAYOUTS[layout]((X + shift).astype(dtype))
    model = clone(model).set_params(kernel="linear", decision_function_shape="ovo").fit(X, y)
    scores = model.decision_function(X)
    expected = as_array(X).astype(float) @ model.coef_.T + model.intercept_
    assert_allclose(scores, expected.reshape(scores.shape), rtol=0, atol=1e-12 * (1 + shift))
    assert_array_equal(model.decision_function(X[:5]).shape, scores[:5].shape)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_linear_decisions_follow_every_change(algorithm):
    X, y = two_classes()
    params = dict(kernel="linear", algorithm=algorithm, finishing=False)
    model = LASVC(**params)
    alone = LASVC(**params)
    for first in range(0, 200, 20):
        for m in (model, alone):
            m.partial_fit(X[first : first + 20], y[first : first + 20], classes=["no", "yes"])
        model.decision_function(X)
    assert_array_equal(model.decision_function(X), alone.decision_function(X))
    before = model.decision_function(X)
    assert_array_equal(model.finish().decision_function(X), alone.finish().decision_function(X))
    assert abs(model.decision_function(X) - before).max() > 1e-4


def test_linear_decisions_of_a_model_without_support_vectors():
    X, y = two_classes(20)
    for layout in LAYOUTS.values():
        model = LASVC(kernel="linear").partial_fit(
            layout(X[:3]), ["yes"] * 3, classes=["no", "yes"]
        )
        assert_array_equal(model.decision_function(layout(X)), np.ones(20))


# -- features far from 0 ----------------------------------------------------------------


@pytest.mark.sampled
@with_layouts
@pytest.mark.parametrize("shift", SHIFTS)
@pytest.mark.parametrize("size", [None, 1, 7, 600])
def test_accuracy_far_from_zero_equals_svc_at_zero(size, shift, layout, no_warnings):
    """The first samples of a stream do not show that features are far from 0."""
    (X, y), (near, _) = shifted(shift, layout=layout), shifted(0.0)
    svc = SVC(kernel="linear").fit(near, y)
    model = LASVC(kernel="linear", random_state=0)
    model = in_chunks(model, X, y, size).finish() if size else model.fit(X, y)
    assert model.score(X, y) >= svc.score(near, y) - (0.01 if size else 0.002)
    assert np.mean(model.predict(X) == svc.predict(near)) > (0.98 if size else 0.99)


@with_layouts
@pytest.mark.parametrize("shift", SHIFTS)
def test_exact_far_from_zero(shift, layout, no_warnings):
    X, y = shifted(shift, layout=layout)
    svc = SVC(kernel="linear", tol=1e-6).fit(*shifted(0.0))
    model = LASVC(kernel="linear", max_iter=-1, tol=1e-6, random_state=0).fit(X, y)
    assert_allclose(model.coef_, svc.coef_, rtol=0, atol=2e-4)
    assert_allclose(
        model.decision_function(X), svc.decision_function(shifted(0.0)[0]), rtol=0, atol=2e-4
    )
    assert_array_equal(as_array(model.support_vectors_), as_array(X)[model.support_])


@pytest.mark.parametrize("shift", SHIFTS)
def test_ramp_svc_far_from_zero(shift, no_warnings):
    X, y = shifted(shift)
    model, near = (RampSVC(kernel="linear", tol=1e-5).fit(*shifted(s)) for s in (shift, 0.0))
    assert_allclose(model.coef_, near.coef_, rtol=0, atol=1e-3)
    assert model.score(X, y) > 0.99


def test_float32_samples_far_from_zero(no_warnings):
    """Products of float32 samples are computed in double."""
    X, y = shifted(3e3, dtype=np.float32)
    model = LASVC(kernel="linear", random_state=0).fit(X, y)
    same = LASVC(kernel="linear", random_state=0).fit(X.astype(float), y)
    assert_array_equal(model.decision_function(X), same.decision_function(X))
    assert in_chunks(LASVC(kernel="linear"), X, y, 7).score(X, y) > 0.97


@pytest.mark.parametrize("shift", [1e2, 1e3])
def test_a_stream_that_moves_away(shift):
    """Samples are centered; a warning is raised where that is not sufficient."""
    X, y = shifted(0.0, n=2000)
    X[100:, 1:] += shift
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        model = in_chunks(LASVC(kernel="linear"), X[:1000], y[:1000], 50)
        before = len(said)
        in_chunks(model, X[1000:], y[1000:], 50).finish()
    # Over orders of the samples it is 0.86 of the shift, with a standard deviation of 0.06.
    assert engine_of(model).store.offset[1:].min() > 0.6 * shift
    assert model.score(X, y) > 0.98
    assert (len(said) > before) == (shift == 1e3)
    assert all(COARSE in str(w.message) and w.filename == __file__ for w in said)


def test_the_origin_stays_where_moving_it_does_not_help():
    """A feature with large values of both signs is coarse, and no other origin is better."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 2))
    y = np.where(X[:, 1] + 0.3 * rng.normal(size=600) > 0, 1, -1)
    X[:, 0] = 1e3 * rng.choice([-1, 1], 600)
    with pytest.warns(UserWarning, match=COARSE):
        model = in_chunks(LASVC(kernel="linear"), X.astype(np.float32), y, 50)
    assert engine_of(model).store.offset is None


def test_warm_start_far_from_zero():
    X, y = shifted(1e3)
    params = dict(kernel="linear", max_iter=-1, tol=1e-6, random_state=0)
    model = LASVC(**params, C=0.1, warm_start=True).fit(X, y).set_params(C=1.0).fit(X, y)
    assert_allclose(model.coef_, LASVC(**params).fit(X, y).coef_, rtol=0, atol=1e-4)


def test_samples_near_zero_are_not_centered():
    """Their models are not affected by rounding of the mean."""
    X, y = shifted(2.0)
    model = LASVC(kernel="linear", random_state=0).fit(X, y)
    assert engine_of(model).store.offset is None
    X, y = shifted(1e3, n=60)
    for algorithm in ALGORITHMS[1:]:  # without a bias the model depends on the origin
        model = LASVC(kernel="linear", algorithm=algorithm, finishing=False)
        with pytest.warns(UserWarning, match=COARSE):
            model.fit(X, y)
        assert engine_of(model).store.offset is None


# -- warnings ---------------------------------------------------------------------------


@pytest.mark.parametrize("kernel, shift", [("poly", 1e3), ("poly", 3e3), ("sigmoid", 1e2)])
@pytest.mark.parametrize("method", ["fit", "partial_fit"])
def test_coarse_kernel_values_warn(method, kernel, shift):
    """A saturated sigmoid kernel has an uncertainty of 1."""
    X, y = shifted(shift)
    model = LASVC(kernel=kernel, finishing=kernel == "sigmoid", random_state=0)
    about = "about 1 " if kernel == "sigmoid" else "about"
    with pytest.warns(UserWarning, match=f"{COARSE}.*uncertain by {about}.*StandardScaler"):
        model.fit(X, y) if method == "fit" else in_chunks(model, X, y, 100)


@pytest.mark.sampled
@pytest.mark.parametrize("sample", [two_classes, banana, waveform])
@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf", "sigmoid"])
def test_no_warning_for_usual_features(sample, kernel, no_warnings):
    X, y = sample()
    for algorithm in ALGORITHMS:
        LASVC(kernel=kernel, C=10, algorithm=algorithm, random_state=0).fit(X, y)
    RampSVC(kernel=kernel, C=10, random_state=0).fit(X, y)


@pytest.mark.parametrize("max_iter", ["auto", 1])
@pytest.mark.parametrize("scales", [(1e6, 1.0), (1.0, 1e6)])
def test_rounding_is_compared_with_the_output_of_the_largest_scale(scales, max_iter, no_warnings):
    X, y = shifted(0.0)
    Y = np.outer(X[:, 0] + 0.1 * X[:, 1] ** 2, scales)
    model = LASVR(kernel="linear", C=1e6, epsilon=10.0, max_iter=max_iter, random_state=0)
    warnings.filterwarnings("ignore", "This LASVR is constant")
    model.fit(X, Y)
    assert precision(trained_of(model))[0] > 0.01 * np.ptp(Y[:, np.argmin(scales)])


@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf", "sigmoid"])
@pytest.mark.parametrize("shift", [0.0, 0.5, 2.0])
def test_uncertainty_is_close_to_the_error(kernel, shift):
    """Checks the user guide's statement on decision values."""
    X, y = shifted(shift)
    model = LASVC(kernel=kernel, finishing=False, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        model.set_params(algorithm="lasvm-g").fit(X, y)  # does not center
    params = dict(gamma=model.gamma_, degree=3, coef0=0.0)
    K = pairwise_kernels(X, model.support_vectors_, kernel, filter_params=True, **params)
    scores = np.empty((len(X), 1))
    engine_of(model).solution(False, 0).decide(X, scores)
    error = scores[:, 0] - (K @ model.dual_coef_[0] + model.intercept_)
    found, *_ = precision(engine_of(model))
    assert 1e-2 * found < np.sqrt(np.mean(error**2)) < found


@pytest.mark.parametrize("sample", [two_classes, banana, breast_cancer, three_classes])
@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf", "sigmoid"])
def test_rounding_is_well_below_tol_for_scaled_features(kernel, sample):
    X, y = sample()
    X = StandardScaler().fit_transform(X)
    for C in (1, 100):
        model = LASVC(kernel=kernel, C=C, max_iter=1, random_state=0).fit(X, y)
        assert precision(engine_of(model))[0] < 0.3 * model.tol


def test_csr_and_dense_samples_far_from_zero_are_bitwise_identical():
    X, y = shifted(3e3)
    dense = LASVC(kernel="linear", random_state=0).fit(X, y)
    sparse = LASVC(kernel="linear", random_state=0).fit(csr_matrix(X), y)
    assert_array_equal(dense.dual_coef_, sparse.dual_coef_)
    assert_array_equal(engine_of(dense).problems[0].b, engine_of(sparse).problems[0].b)


def _rational_of_sparse(A, B):
    A, B = A.toarray(), B.toarray()
    return 1.0 / (1.0 + ((A[:, None] - B[None]) ** 2).sum(axis=2))


@pytest.mark.parametrize("cache_size", [0.2, 0.3])
def test_callable_kernels_on_sparse_samples_recompute_evicted_values(cache_size):
    """Also if only some values of a cached kernel row are recomputed."""
    X, y = three_classes(260, distance=1.0)
    X = csr_matrix(np.where(abs(X) > 0.4, X, 0))
    small, large = (
        LASVC(C=10, kernel=_rational_of_sparse, cache_size=size, finishing=False, random_state=0)
        for size in (cache_size, 500)
    )
    assert_array_equal(small.fit(X, y).decision_function(X), large.fit(X, y).decision_function(X))
    assert small.n_kernel_evaluations_ > large.n_kernel_evaluations_


@pytest.mark.parametrize("kind", [LASVC, LASVR, ActiveLASVC, RampSVC])
@pytest.mark.parametrize("column", [1e5, 1.7e9])
def test_constant_decisions_are_reported(kind, column):
    """A large column beside others: with the default gamma all rbf kernel values are 1."""
    X, y = two_classes(200)
    y = X[:, 0] if kind is LASVR else y
    far = np.column_stack([X, column + np.linspace(0.0, 1.0, 200)])
    with pytest.warns(UserWarning, match=f"values of this {kind.__name__} are all the same"):
        kind(random_state=0).fit(far, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        kind(random_state=0).fit(X, y)
        warnings.filterwarnings("ignore", "The predictions of this LASVR vary much less")
        kind(random_state=0, C=1e-6).fit(X, y)


@pytest.mark.parametrize("learn", ["fit", "partial_fit"])
@pytest.mark.parametrize(
    "kind",
    [LASVC, LASVR, ActiveLASVC, RampSVC, OneClassLASVM, KernelPerceptronClassifier],
)
def test_gamma_of_0_is_reported(kind, learn):
    """The warning was that of features with large values, and none in a stream."""
    X, codes = two_classes(200)[0], np.arange(200) % 2
    if not hasattr(kind, learn):
        pytest.skip("not of this class")
    model = kind(gamma=0.0)
    options = {"classes": [0, 1]} if learn == "partial_fit" and is_classifier(model) else {}
    with pytest.warns(UserWarning, match="With gamma=0 all values of kernel='rbf'") as found:
        getattr(model, learn)(X, codes, **options)
    assert not any("large values" in str(warning.message) for warning in found)
    assert np.ptp(model.predict(X)) == 0


def test_one_class_of_equal_samples_is_constant_without_a_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        OneClassLASVM().fit(np.ones((50, 2)))
