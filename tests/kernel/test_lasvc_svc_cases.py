"""Typical uses of SVC with LASVC: the same result, or an error that says what to do."""

import inspect

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csc_array, csr_array, csr_matrix
from sklearn.base import clone
from sklearn.svm import SVC

from sklearn_online_svm import LASVC, LASVR, ActiveLASVC, OneClassLASVM, RampSVC, VirtualLASVC
from tests.support.samples import LAYOUTS, three_classes, two_classes

# Six points; the margin is determined by one pair, with alpha = 1/4 each.
POINTS = np.array([[-2.0, -1], [-1, -1], [-1, -2], [1, 1], [1, 2], [2, 1]])
SIDES = np.array([1, 1, 1, 2, 2, 2])
FAR = np.array([[-1.0, -1], [2, 2], [3, 2]])


def exact(**params):
    return LASVC(**{"max_iter": -1, "tol": 1e-8, "random_state": 0, **params})


def inner(A, B):
    return A @ B.T


KERNELS = {
    "linear": (POINTS, FAR, "linear"),
    "function": (POINTS, FAR, inner),
    "function, sparse": (csr_matrix(POINTS), csr_matrix(FAR), inner),
    "function, sparse arrays": (csr_array(POINTS), csr_array(FAR), inner),
    "function, sparse values": (POINTS, FAR, lambda A, B: csr_array(inner(A, B))),
    "matrix": (inner(POINTS, POINTS), inner(FAR, POINTS), "precomputed"),
}


@pytest.mark.parametrize("name", KERNELS)
def test_the_margin_of_six_points(name):
    """With sparse samples ``inner`` returns a sparse matrix."""
    X, far, kernel = KERNELS[name]
    model = exact(kernel=kernel).fit(X, SIDES)
    assert_allclose(model.dual_coef_, [[-0.25, 0.25]], rtol=1e-7)
    assert_array_equal(model.support_, [1, 3])
    assert_allclose(model.intercept_, [0.0], atol=1e-8)
    assert_array_equal(model.predict(X), SIDES)
    assert_array_equal(model.predict(far), [1, 2, 2])
    if kernel != "precomputed":
        stream = LASVC(kernel=kernel).partial_fit(X, SIDES, classes=[1, 2])
        assert_array_equal(stream.predict(far), [1, 2, 2])


def test_predictions_use_kernel_columns_of_support_vectors_only():
    model = exact(kernel="precomputed").fit(inner(POINTS, POINTS), SIDES)
    values = inner(FAR, POINTS)
    others = np.setdiff1d(np.arange(6), model.support_)
    values[:, others] = 0.0
    assert_array_equal(model.predict(values), [1, 2, 2])
    with pytest.raises(ValueError, match="X has 3 features, but LASVC is expecting 6"):
        model.predict(values.T)


def test_callable_kernels_with_samples_of_another_layout():
    """SVC rejects sparse samples after a dense fit; LASVC converts them."""
    for first, second in ((POINTS, csc_array(POINTS)), (csr_matrix(POINTS), POINTS)):
        assert_array_equal(exact(kernel=inner).fit(first, SIDES).predict(second), SIDES)


@pytest.mark.parametrize("kind", [LASVC, RampSVC, LASVR, OneClassLASVM])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_computed_attributes_are_read_only(kind, layout):
    """Assigning to a copy would silently change nothing."""
    X, y = three_classes()
    model = kind(kernel="linear").fit(LAYOUTS[layout](X), y)
    for name in ("coef_", "dual_coef_", "intercept_"):
        value = getattr(model, name)
        with pytest.raises(ValueError, match="read-only"):
            value[...] = 0.0
        with pytest.raises(AttributeError):
            setattr(model, name, value)
        with pytest.raises(AttributeError):
            delattr(model, name)


@pytest.mark.parametrize("kind", [ActiveLASVC, VirtualLASVC])
@pytest.mark.parametrize(
    "name, advice",
    [
        ("probability", "decision_function, or CalibratedClassifierCV"),
        ("decision_function_shape", "OneVsOneClassifier"),
        ("break_ties", "largest decision value"),
    ],
)
def test_unsupported_parameters_of_svc_name_the_alternative(kind, name, advice):
    with pytest.raises(TypeError, match=f"{kind.__name__} got .*'{name}': .*{advice}"):
        kind(**{name: True})
    with pytest.raises(TypeError, match="unexpected keyword argument 'nonsense'$"):
        kind(nonsense=True)


@pytest.mark.parametrize("kind", [LASVC, RampSVC])
def test_parameters_of_svc_are_accepted(kind):
    for given in (
        dict(C=3.0, cache_size=100, break_ties=True),
        dict(decision_function_shape="ovo", probability=True),
    ):
        params = SVC(**given).get_params()
        for model in (kind(**params), kind().set_params(**params)):
            assert given.items() <= model.get_params().items()
    assert kind(**SVC().get_params()).probability is False
    assert kind(probability=True).set_params(probability="deprecated").probability is True
    with pytest.raises(ValueError, match=f"'probability' parameter of {kind.__name__}"):
        kind(probability="yes").fit(POINTS, SIDES)


def test_parameters_of_svc_are_accepted_at_their_defaults():
    params = SVC(C=3.0, cache_size=100).get_params()
    for model in (ActiveLASVC(**params), ActiveLASVC().set_params(**params)):
        assert model.C == 3.0 and model.cache_size == 100 and model.max_iter == -1
    with pytest.raises(TypeError, match="'break_ties'"):
        ActiveLASVC(**SVC(break_ties=True).get_params())
    with pytest.raises(TypeError, match="'probability'"):
        ActiveLASVC(probability=np.zeros(2))


@pytest.mark.parametrize("kind", [ActiveLASVC, VirtualLASVC])
def test_the_signature_is_that_of_the_parameters(kind):
    """Rejected parameters of SVC are not part of the signature."""
    names = list(inspect.signature(kind).parameters)
    assert set(names) == set(kind().get_params())
    assert names[0] == "C" and "kwargs" not in names and "break_ties" not in names
    assert clone(kind(C=3.0)).C == kind(3.0).C == 3.0
    with pytest.raises(ValueError, match="Invalid parameter 'break_ties'"):
        kind().set_params(break_ties=True)


@pytest.mark.parametrize("kind", [LASVC, RampSVC])
@pytest.mark.parametrize("name", ["predict_proba", "predict_log_proba"])
def test_probabilities_name_what_to_use(kind, name):
    model = kind().fit(POINTS, SIDES)
    assert not hasattr(model, name)
    with pytest.raises(AttributeError) as raised:
        getattr(model, name)
    reasons = str(raised.value) + str(raised.value.__cause__)
    assert f"{kind.__name__} has" in reasons and "Calibrated" in reasons


@pytest.mark.parametrize("C", [10.0, 316.0])
def test_tol_bounds_the_distance_from_the_optimum_as_in_svc(C):
    """``tol`` bounds the violation; the error of decision values grows with C, in SVC as well.

    With a smaller tol the difference is that of float32 kernel values.
    """
    X, y = two_classes(400, 2)
    optimum = SVC(C=C, gamma=1.0, tol=1e-10).fit(X, y).decision_function(X)

    def distance(model):
        return np.abs(model.fit(X, y).decision_function(X) - optimum).max()

    loose = [distance(make(C=C, gamma=1.0, tol=1e-3)) for make in (SVC, exact)]
    assert loose[1] < 3 * max(loose[0], 1e-3)
    assert distance(exact(C=C, gamma=1.0, tol=1e-7)) < 2e-6 * max(C, 10.0) < loose[1]
