"""Typical uses of SVC with LASVC: the same result, or an error that says what to do."""

import inspect

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csc_array, csr_array, csr_matrix, lil_matrix
from sklearn.base import clone
from sklearn.svm import SVC

from sklearn_online_svm import LASVC, ActiveLASVC, RampSVC, VirtualLASVC
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


def test_predictions_use_kernel_columns_of_support_vectors_only():
    model = exact(kernel="precomputed").fit(inner(POINTS, POINTS), SIDES)
    values = inner(FAR, POINTS)
    others = np.setdiff1d(np.arange(6), model.support_)
    values[:, others] = 0.0
    assert_array_equal(model.predict(values), [1, 2, 2])
    with pytest.raises(ValueError, match="X has 3 features, but LASVC is expecting 6"):
        model.predict(values.T)


@pytest.mark.parametrize("learn", ["fit", "partial_fit"])
@pytest.mark.parametrize("make", [csr_matrix, csr_array])
def test_callable_kernels_may_return_sparse_matrices(learn, make):
    """Kernel functions of sparse or dense samples may return sparse matrices."""
    X, y = three_classes()

    def values(A, B):
        return make(np.exp(-0.2 * ((A[:, None] - B[None]) ** 2).sum(axis=2)))

    def dense(A, B):
        return values(A, B).toarray()

    models = [LASVC(kernel=kernel, random_state=0) for kernel in (values, dense)]
    for model in models:
        model.fit(X, y) if learn == "fit" else model.partial_fit(X, y, classes=np.unique(y))
    one, other = (model.decision_function(X) for model in models)
    assert_array_equal(one, other)


@pytest.mark.parametrize(
    "kernel",
    ["linear", "rbf", "poly", "sigmoid", inner],
    ids=["linear", "rbf", "poly", "sigmoid", "function"],
)
@pytest.mark.parametrize("make", [csr_matrix, csr_array, csc_array, lil_matrix])
@pytest.mark.parametrize("problem", [two_classes, three_classes])
def test_dense_and_sparse_samples_may_be_mixed(kernel, make, problem):
    """SVC rejects sparse samples after a dense fit; LASVC gives the same decision values."""
    X, y = problem(120)
    X[np.abs(X) < 0.4] = 0.0
    params = dict(kernel=kernel, gamma=0.2, random_state=0)
    for learnt in (X, make(X)):
        model = LASVC(**params).fit(learnt[:80], y[:80])
        dense, sparse = model.decision_function(X[80:]), model.decision_function(make(X)[80:])
        assert_allclose(sparse, dense, rtol=0, atol=1e-5 * np.abs(dense).max())
        assert_array_equal(model.predict(make(X)[80:]), model.predict(X[80:]))


@pytest.mark.parametrize("kind", [LASVC, RampSVC])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_computed_attributes_are_read_only(kind, layout):
    """Assigning to a copy would silently change nothing."""
    X, y = three_classes()
    model = kind(kernel="linear", random_state=0).fit(LAYOUTS[layout](X), y)
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


@pytest.mark.parametrize("kind", [LASVC, ActiveLASVC])
def test_parameters_of_svc_are_accepted_at_their_defaults(kind):
    params = SVC(C=3.0, cache_size=100).get_params()
    for model in (kind(**params), kind().set_params(**params)):
        assert model.C == 3.0 and model.cache_size == 100 and model.max_iter == -1
        assert not getattr(model, "probability", False)
    if kind is not LASVC:
        with pytest.raises(ValueError, match="Invalid parameter 'decision_function_shape'"):
            kind().set_params(decision_function_shape="ovo")
        with pytest.raises(TypeError, match="'break_ties'"):
            kind(**SVC(break_ties=True).get_params())
        with pytest.raises(TypeError, match="'probability'"):
            kind(probability=np.zeros(2))


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


def test_samples_must_be_numeric_for_callable_kernels():
    """SVC passes samples of any type to a callable kernel; LASVC stores numbers.

    Objects can be represented by their indices.
    """
    words = np.array([["A", "A A"], ["B B", "B"]])
    with pytest.raises(ValueError, match="could not convert string to float"):
        LASVC(kernel=lambda A, B: np.ones((len(A), len(B)))).fit(words, [1, 2])
    texts = ["A A", "A", "B", "B B"]

    def count(A, B):
        rows, columns = ([texts[int(i)] for i in M[:, 0]] for M in (A, B))
        counts = [[[text.count(c) for c in "AB"] for text in side] for side in (rows, columns)]
        return inner(*(np.array(side) for side in counts))

    numbers = np.arange(4.0)[:, None]
    model = exact(kernel=count).fit(numbers, [1, 1, 2, 2])
    assert_array_equal(model.predict(numbers), [1, 1, 2, 2])


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
