"""Invalid input: messages, and fitted models are left unchanged."""

import re
import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.sparse import csr_matrix
from sklearn.exceptions import NotFittedError
from sklearn.utils._param_validation import InvalidParameterError

from sklearn_online_svm import LASVC
from tests.support.samples import LAYOUTS, two_classes
from tests.support.unharmed import UnharmedModel

with_layouts = pytest.mark.parametrize("layout", LAYOUTS)


def model_of(**params):
    return LASVC(**{"gamma": 0.3, "C": 2.0, "random_state": 0, **params})


class Unharmed(UnharmedModel):
    attributes = (
        *("classes_", "class_weight_", "support_", "support_vectors_", "dual_coef_"),
        *("intercept_", "n_support_", "gamma_", "n_features_in_", "n_samples_seen_"),
        *("n_labels_used_", "n_iter_", "kkt_violation_", "dual_objective_"),
    )

    def __init__(self, layout="dense", dtype=np.float64, y=None, **params):
        X, labels = two_classes()
        rows = X @ X.T if params.get("kernel") == "precomputed" else X.astype(dtype)
        y = labels if y is None else y
        super().__init__(lambda: model_of(**params), LAYOUTS[layout](rows), y)


# -- before fit -------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["predict", "decision_function", "finish"])
def test_not_fitted(method):
    X, _ = two_classes()
    arguments = () if method == "finish" else (X,)
    with pytest.raises(NotFittedError, match="LASVC instance is not fitted"):
        getattr(LASVC(), method)(*arguments)


@pytest.mark.parametrize(
    "attribute",
    ["support_", "support_vectors_", "n_support_", "dual_coef_", "intercept_", "coef_"],
)
def test_attributes_do_not_exist_before_fit(attribute):
    assert not hasattr(LASVC(kernel="linear"), attribute)


def test_failed_first_fit_leaves_model_unfitted():
    X, y = two_classes()
    model = model_of()
    params = set(vars(model))
    for fit in (
        lambda: model.fit(X, y[:-1]),
        lambda: model.fit(np.full_like(X, np.nan), y),
        lambda: model.fit(X, np.full(200, "yes")),
        lambda: model.partial_fit(X, y),
        lambda: model.partial_fit(X, y, classes=["no"]),
        lambda: model.partial_fit(X, y, classes=["no", "maybe"]),
        lambda: model.partial_fit(np.full_like(X, np.inf), y, classes=["no", "yes"]),
    ):
        with pytest.raises(ValueError):
            fit()
        assert set(vars(model)) == params
    with pytest.raises(NotFittedError):
        model.predict(X)


# -- X and y ----------------------------------------------------------------------------


@with_layouts
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("value, said", [(np.nan, "NaN"), (np.inf, "infinity"), (-np.inf, "inf")])
def test_nan_and_infinity(layout, dtype, value, said):
    unharmed = Unharmed(layout=layout)
    X = two_classes()[0].astype(dtype)
    X[117, 2] = value
    unharmed.refuses(ValueError, f"Input X contains {said}", LAYOUTS[layout](X))
    X = LAYOUTS[layout](X)
    for method in ("predict", "decision_function"):
        unharmed.raises(
            ValueError, f"Input X contains {said}", lambda m, f=method: getattr(m, f)(X)
        )
    # Small chunks are validated on a path of their own.
    unharmed.refuses(ValueError, f"Input X contains {said}", X[117:118], ["yes"], ["partial_fit"])


def test_values_beyond_single_precision_are_rejected():
    X, y = two_classes()
    unharmed = Unharmed(dtype=np.float32)
    X[5, 1] = 1e300
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # of the cast
        unharmed.raises(ValueError, "X contains inf", lambda m: m.partial_fit(X, y))
        unharmed.raises(ValueError, "X contains inf", lambda m: m.predict(X))


@with_layouts
def test_finite_samples_whose_sum_overflows_are_accepted(layout):
    X = np.full((4, 3), 1e308)
    y = ["no", "yes", "no", "yes"]

    def kernel(A, B):  # those of the engine have no use for them: their squares overflow
        return np.ones((A.shape[0], B.shape[0]))

    model = model_of(kernel=kernel).fit(*two_classes(n_features=3))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        model.partial_fit(LAYOUTS[layout](X), y)
    with pytest.raises(ValueError, match="Row 0 of X has a squared norm that is too large"):
        model_of().fit(*two_classes(n_features=3)).partial_fit(LAYOUTS[layout](X), y)


@with_layouts
def test_wrong_number_of_features(layout):
    X, y = two_classes(n_features=6)
    X = LAYOUTS[layout](X)
    unharmed = Unharmed(layout=layout)
    match = "X has 6 features, but LASVC is expecting 4 features"
    unharmed.refuses(ValueError, match, X, y, methods=["partial_fit"])
    unharmed.raises(ValueError, match, lambda m: m.predict(X))
    unharmed.raises(ValueError, match, lambda m: m.predict(X[:1]))


def test_wrong_shapes():
    unharmed = Unharmed()
    X, y = two_classes()
    unharmed.refuses(ValueError, "inconsistent numbers of samples", X, y[:-1])
    unharmed.refuses(ValueError, "inconsistent numbers of samples", X[:5], y[:4])
    unharmed.refuses(ValueError, "Expected 2D array, got 1D array", X[:, 0], y)
    unharmed.refuses(ValueError, "y should be a 1d array", X, np.c_[y, y])
    unharmed.refuses(ValueError, "y should be a 1d array", X[:5], np.c_[y, y][:5])
    unharmed.refuses(ValueError, "0 sample", X[:0], y[:0])
    unharmed.refuses(ValueError, "0 feature", X[:, :0], y, methods=["fit"])


def test_non_numeric_samples_are_rejected():
    unharmed = Unharmed()
    X, y = two_classes()
    words = np.full(X.shape, "x", dtype=object)
    unharmed.refuses(ValueError, "could not convert string to float", words, y)
    unharmed.refuses(ValueError, "could not convert string to float", words[:1], y[:1])
    unharmed.refuses(ValueError, "Complex data not supported", X + 1j, y)


@pytest.mark.parametrize(
    "method",
    ["fit", "partial_fit"],
)
def test_y_is_missing(method):
    unharmed = Unharmed()
    match = "requires y to be passed, but the target y is None"
    unharmed.raises(ValueError, match, lambda m: getattr(m, method)(unharmed.X, None))


@pytest.mark.parametrize("n_rows", [1, 200])
@pytest.mark.parametrize(
    "label, said", [("maybe", "maybe"), ("", ""), ("zzz", "zzz"), ("no ", "no ")]
)
def test_unknown_label(label, said, n_rows):
    X, y = two_classes()
    y = y.astype(object)
    y[n_rows - 1] = label
    Unharmed().refuses(
        ValueError,
        rf"not among the classes \['no', 'yes'\]: \['{said}'\]",
        X[:n_rows],
        y[:n_rows],
        methods=["partial_fit"],
    )


def test_labels_of_another_type():
    X, y = two_classes()
    unharmed = Unharmed()
    unharmed.refuses(ValueError, None, X, np.arange(200) % 2, methods=["partial_fit"])
    unharmed.refuses(
        ValueError, "(?i)unknown label type", X, np.linspace(0, 1, 200), methods=["fit"]
    )
    numbers = Unharmed(y=(y == "yes") * 1)
    numbers.refuses(ValueError, r"\[2\]", X[:2], [0, 2], ["partial_fit"])
    numbers.refuses(ValueError, r"0\.5", X[:2], [0.0, 0.5], ["partial_fit"])
    numbers.refuses(ValueError, None, X[:2], [0.0, np.nan], ["partial_fit"])


def test_one_class_only():
    X, _ = two_classes()
    unharmed = Unharmed()
    match = "number of classes has to be greater than one; got 1 class"
    unharmed.refuses(ValueError, match, X, np.full(200, "yes"), methods=["fit"])
    with pytest.raises(ValueError, match=match):
        model_of().partial_fit(X, np.full(200, "yes"), classes=["yes"])


# -- weights ----------------------------------------------------------------------------


def test_sample_weights():
    X, y = two_classes()
    unharmed = Unharmed()
    weight = np.ones(200)

    def refuses(match, weight, methods=("fit", "partial_fit")):
        unharmed.refuses(ValueError, match, methods=methods, sample_weight=weight)

    refuses("(?i)sample.?weight.*(zero|non-zero)", np.zeros(200), ["fit"])
    refuses("one class|1 class with positive", np.where(y == "yes", 1.0, 0.0), ["fit"])
    weight[3] = -1.0
    refuses("Negative values in data passed to `sample_weight`", weight)
    weight[3] = np.nan
    refuses("sample_weight contains NaN", weight)
    weight[3] = np.inf
    refuses("sample_weight contains inf", weight)
    refuses("sample_weight.shape == .*expected", np.ones(199))
    refuses("Sample weights must be 1D", np.ones((200, 2)))


def test_class_weights():
    X, y = two_classes()
    unharmed = Unharmed()
    for value, match in [
        ("equal", "The 'class_weight' parameter of LASVC must be .* Got 'equal'"),
        (3.0, r"The 'class_weight' parameter of LASVC must be .* Got 3.0"),
        ({"maybe": 2.0}, r"classes, \['maybe'\], are not in class_weight"),
        ({"yes": -2.0}, r"class_weight\['yes'\] must be a finite number >= 0, got -2.0"),
        ({"yes": np.nan}, r"class_weight\['yes'\] must be a finite number >= 0, got nan"),
    ]:
        unharmed.model.set_params(class_weight=value)
        for method in ("fit", "partial_fit"):
            unharmed.raises(ValueError, match, lambda m, f=method: getattr(m, f)(X, y))


# -- parameters -------------------------------------------------------------------------

WRONG = [
    ("C", -1.0),
    ("C", 0.0),
    ("C", "big"),
    ("C", np.nan),
    ("kernel", "rbff"),
    ("kernel", 3),
    ("gamma", -0.5),
    ("gamma", "none"),
    ("gamma", np.inf),
    ("gamma", np.nan),
    ("degree", -1),
    ("degree", 2.5),
    ("coef0", np.inf),
    ("coef0", np.nan),
    ("coef0", "1"),
    ("algorithm", "smo"),
    ("max_iter", 0),
    ("max_iter", -2),
    ("max_iter", 1.5),
    ("delta_max", 0.0),
    ("delta_max", -1.0),
    ("finishing", "yes"),
    ("shrinking", 2),
    ("tol", 0.0),
    ("tol", -1e-3),
    ("cache_size", 0),
    ("cache_size", "500"),
    ("class_weight", "auto"),
    ("shuffle", None),
    ("n_jobs", 1.5),
    ("random_state", "seed"),
    ("verbose", -1),
    ("warm_start", "no"),
]


@pytest.mark.parametrize("name, value", WRONG)
def test_wrong_parameters(name, value):
    X, y = two_classes()
    match = f"The '{name}' parameter of LASVC must be .*{re.escape(repr(value))}"
    with pytest.raises(InvalidParameterError, match=match):
        model_of(**{name: value}).fit(X, y)
    with pytest.raises(InvalidParameterError, match=match):
        model_of(**{name: value}).partial_fit(X, y, classes=["no", "yes"])
    unharmed = Unharmed()
    unharmed.model.set_params(**{name: value})
    if name != "n_jobs":
        unharmed.raises(InvalidParameterError, match, lambda m: m.fit(X, y))


@pytest.mark.parametrize(
    "name, value", [("C", -1.0), ("C", np.nan), ("class_weight", "auto"), ("kernel", "rbff")]
)
def test_parameters_are_validated_again_in_partial_fit(name, value):
    X, y = two_classes()
    unharmed = Unharmed()
    unharmed.model.set_params(**{name: value})
    match = f"The '{name}' parameter of LASVC"
    unharmed.raises(InvalidParameterError, match, lambda m: m.partial_fit(X, y))
    unharmed.raises(InvalidParameterError, match, lambda m: m.partial_fit(X[:1], y[:1]))
    unharmed.model.set_params(C=2.0, class_weight=None, kernel="rbf")
    unharmed.model.partial_fit(X, y)


# -- streams ----------------------------------------------------------------------------


def test_classes_of_a_stream():
    X, y = two_classes()
    with pytest.raises(ValueError, match="classes must be passed on the first call"):
        model_of().partial_fit(X, y)
    unharmed = Unharmed()
    match = "is not the same as on last call to partial_fit, was: "
    for classes in (["no", "maybe"], ["no", "yes", "maybe"], ["yes"]):
        unharmed.raises(ValueError, match, lambda m, c=classes: m.partial_fit(X, y, classes=c))
    unharmed.model.partial_fit(X, y, classes=["yes", "no"])  # in another order: the same


def test_balanced_class_weight_is_rejected_by_partial_fit():
    X, y = two_classes()
    match = "class_weight='balanced' is not supported for partial_fit.*online_balanced"
    with pytest.raises(ValueError, match=match):
        model_of(class_weight="balanced").partial_fit(X, y, classes=["no", "yes"])
    Unharmed(class_weight="balanced").raises(ValueError, match, lambda m: m.partial_fit(X, y))


def test_precomputed_kernel_has_no_partial_fit():
    X, y = two_classes()
    model, match = model_of(kernel="precomputed"), "has no attribute 'partial_fit'"
    assert not hasattr(model, "partial_fit")
    with pytest.raises(AttributeError, match=match) as caught:
        model.partial_fit(X @ X.T, y, classes=["no", "yes"])
    assert "new samples have no kernel values with each other" in str(caught.value.__cause__)
    unharmed = Unharmed(kernel="precomputed")
    unharmed.raises(AttributeError, match, lambda m: m.partial_fit(X @ X.T, y))


def test_shape_of_a_precomputed_kernel():
    unharmed = Unharmed(kernel="precomputed")
    K, y = unharmed.X, unharmed.y
    match = "must be a square matrix. Input is a 200x199 matrix"
    unharmed.raises(ValueError, match, lambda m: m.fit(K[:, 1:], y))
    match = "X has 199 features, but LASVC is expecting 200 features"
    unharmed.raises(ValueError, match, lambda m: m.predict(K[:, 1:]))
    unharmed.raises(TypeError, "Sparse data was passed", lambda m: m.fit(csr_matrix(K), y))


# -- kernel functions -------------------------------------------------------------------


class Broken:
    """Kernel function that fails from its n-th call on once it is armed."""

    def __init__(self, failure):
        self.failure, self.calls_left = failure, np.inf

    def __call__(self, A, B):
        K = A @ B.T
        K = K.toarray() if hasattr(K, "toarray") else K
        self.calls_left -= 1
        return self.failure(K) if self.calls_left < 0 else K


def no_memory(K):
    raise MemoryError("from the kernel")


def division(K):
    raise ZeroDivisionError("from the kernel")


WRONG_SHAPE = r"kernel function must return an array of shape \(\d+, \d+\), got \("
FAILURES = {
    "raises": (division, ZeroDivisionError, "from the kernel"),
    "no memory": (no_memory, MemoryError, "from the kernel"),
    "too narrow": (lambda K: K[:, 1:], ValueError, WRONG_SHAPE),
    "too short": (lambda K: K[1:], ValueError, WRONG_SHAPE),
    "flat": (lambda K: K.ravel(), ValueError, WRONG_SHAPE),
    "no numbers": (lambda K: K.astype(str) + "x", ValueError, "must return real numbers"),
    "nothing": (lambda K: None, (TypeError, ValueError), None),
}


def failing(kernel, n_calls, action):
    """`action`, with a kernel that fails after so many calls."""

    def run(model):
        kernel.calls_left = n_calls
        try:
            action(model)
        finally:
            kernel.calls_left = np.inf

    return run


@with_layouts
@pytest.mark.parametrize("failure", FAILURES)
@pytest.mark.parametrize("n_calls", [0, 3])
@pytest.mark.parametrize("params", [{}, dict(max_iter=-1), dict(cache_size=1e-3)], ids=str)
def test_kernel_functions_that_fail_in_fit(layout, failure, n_calls, params):
    fail, error, match = FAILURES[failure]
    kernel = Broken(fail)
    unharmed = Unharmed(layout=layout, kernel=kernel, **params)
    X, y = unharmed.X, unharmed.y
    unharmed.raises(error, match, failing(kernel, n_calls, lambda m: m.fit(X, y)))
    if n_calls == 0:
        unharmed.raises(error, match, failing(kernel, n_calls, lambda m: m.decision_function(X)))
    unharmed.learn()


@with_layouts
@pytest.mark.parametrize("failure", FAILURES)
@pytest.mark.parametrize("n_calls", [0, 1])  # later, the blocks before have been learnt
def test_kernel_functions_that_fail_in_partial_fit(layout, failure, n_calls):
    fail, error, match = FAILURES[failure]
    kernel = Broken(fail)
    unharmed = Unharmed(layout=layout, kernel=kernel)
    X, y = unharmed.X, unharmed.y
    unharmed.raises(error, match, failing(kernel, n_calls, lambda m: m.partial_fit(X, y)))
    unharmed.learn()


def test_a_kernel_function_that_fails_in_the_first_chunk():
    X, y = two_classes()
    model = model_of(kernel=Broken(division))
    with pytest.raises(ZeroDivisionError):
        failing(model.kernel, 0, lambda m: m.partial_fit(X, y, classes=["no", "yes"]))(model)
    assert not hasattr(model, "dual_coef_")


@with_layouts
@pytest.mark.parametrize("method", ["partial_fit", "finish"])
def test_failing_kernel_function_leaves_gradients_consistent(layout, method):
    """With a tiny kernel cache the kernel function is called within steps."""
    X, y = two_classes(200, noise=2.0)
    X = LAYOUTS[layout](X)
    kernel = Broken(division)
    model = model_of(kernel=kernel, finishing=False, cache_size=1e-3)
    for n_calls in range(0, 40, 3):
        model.fit(X[:100], y[:100])
        learn = dict(partial_fit=lambda m: m.partial_fit(X[100:], y[100:]), finish=LASVC.finish)
        with pytest.raises(ZeroDivisionError, match="from the kernel"):
            failing(kernel, n_calls, learn[method])(model)
        problem = model._engine.problems[0]
        alive = problem.members["alive"] != 0
        g = problem.members["g"][alive]
        model._engine.refresh()
        assert_allclose(g, problem.members["g"][alive], rtol=0, atol=1e-10)
        assert_allclose(problem.members["alpha"].sum(), 0, atol=1e-10)


NOT_FINITE = {
    "nan": dict(kernel=lambda A, B: np.full((len(A), len(B)), np.nan)),
    "inf": dict(kernel=lambda A, B: np.full((len(A), len(B)), np.inf)),
    "powers": dict(kernel="poly", degree=20, gamma=1.0),
    "products": dict(kernel="linear"),
}


@pytest.mark.parametrize("params", NOT_FINITE.values(), ids=NOT_FINITE)
@pytest.mark.parametrize("method", ["fit", "partial_fit"])
def test_kernel_values_that_are_not_finite(method, params):
    """SVC says: the dual coefficients or intercepts are not finite."""
    X, y = two_classes()
    X *= 1e20
    model = model_of(**params)
    with pytest.raises(ValueError, match="not finite"):
        if method == "fit":
            model.fit(X, y)
        else:
            model.partial_fit(X, y, classes=["no", "yes"])
    assert not hasattr(model, "dual_coef_")
