"""Invalid input to the kernel models: messages, and fitted models are left unchanged."""

import re
import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_matrix
from sklearn.exceptions import NotFittedError
from sklearn.utils._param_validation import InvalidParameterError

from sklearn_online_svm import (
    LASVC,
    ActiveLASVC,
    KernelAROWClassifier,
    KernelPassiveAggressiveClassifier,
    KernelPerceptronClassifier,
    RampSVC,
    VirtualLASVC,
)
from tests.support.internals import engine_of, targets_of
from tests.support.samples import LAYOUTS, two_classes
from tests.support.unharmed import UnharmedModel

KINDS = [
    *(LASVC, ActiveLASVC, VirtualLASVC, RampSVC),
    *(KernelAROWClassifier, KernelPassiveAggressiveClassifier, KernelPerceptronClassifier),
]
STREAMS = [kind for kind in KINDS if hasattr(kind(), "partial_fit")]
with_kinds = pytest.mark.parametrize("kind", KINDS)
with_layouts = pytest.mark.parametrize("layout", LAYOUTS)
ATTRIBUTES = (
    *("classes_", "class_weight_", "support_", "support_vectors_", "dual_coef_", "intercept_"),
    *("n_support_", "gamma_", "n_features_in_", "n_samples_seen_", "n_labels_used_", "n_iter_"),
    *("kkt_violation_", "dual_objective_", "objective_history_", "n_updates_", "t_"),
)


def model_of(kind=LASVC, **params):
    return kind(**{"gamma": 0.3, "random_state": 0, **params})


class Unharmed(UnharmedModel):
    def __init__(self, kind=LASVC, layout="dense", dtype=np.float64, y=None, **params):
        X, labels = two_classes()
        rows = X @ X.T if params.get("kernel") == "precomputed" else X.astype(dtype)
        y = labels if y is None else y
        super().__init__(lambda: model_of(kind, **params), LAYOUTS[layout](rows), y)
        self.attributes = [name for name in ATTRIBUTES if hasattr(self.other, name)]


# -- before fit -------------------------------------------------------------------------


@with_kinds
def test_not_fitted(kind):
    X, y = two_classes()
    model = kind(kernel="linear")
    for method in {"predict", "decision_function", "finish"} & set(dir(model)):
        arguments = () if method == "finish" else (X,)
        with pytest.raises(NotFittedError, match=f"{kind.__name__} instance is not fitted"):
            getattr(model, method)(*arguments)
    for name in ("support_", "support_vectors_", "n_support_", "dual_coef_", "coef_", "n_iter_"):
        assert not hasattr(model, name)


@with_kinds
def test_failed_first_fit_leaves_model_unfitted(kind):
    X, y = two_classes()
    model = model_of(kind)
    params = set(vars(model))
    cases = [("fit", (X, y[:-1])), ("fit", (X * np.nan, y)), ("fit", (X, np.full(200, "yes")))]
    if kind in STREAMS:
        cases += [("partial_fit", (X, y, classes)) for classes in (None, ["no"], ["no", "maybe"])]
        cases += [("partial_fit", (np.full_like(X, np.inf), y, ["no", "yes"]))]
    for method, arguments in cases:
        with pytest.raises(ValueError):
            getattr(model, method)(*arguments)
        assert set(vars(model)) == params


# -- X and y ----------------------------------------------------------------------------


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

    def kernel(A, B):  # the kernels of the engine refuse them: their squares overflow
        return np.ones((A.shape[0], B.shape[0]))

    model = model_of(kernel=kernel).fit(*two_classes(n_features=3))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        model.partial_fit(LAYOUTS[layout](X), y)
    with pytest.raises(ValueError, match="Row 0 of X has a squared norm that is too large"):
        model_of().fit(*two_classes(n_features=3)).partial_fit(LAYOUTS[layout](X), y)


@with_kinds
def test_wrong_shapes(kind):
    unharmed = Unharmed(kind)
    X, y = two_classes()
    wide = two_classes(n_features=6)[0]
    match = f"X has 6 features, but {kind.__name__} is expecting 4 features"
    for rows in (wide, wide[:1], csr_matrix(wide)):
        unharmed.refuses(ValueError, match, rows, y[: rows.shape[0]], methods=["partial_fit"])
        unharmed.raises(ValueError, match, lambda m, X=rows: m.predict(X))
    unharmed.refuses(ValueError, "inconsistent numbers of samples", X, y[:-1])
    unharmed.refuses(ValueError, "Expected 2D array, got 1D array", X[:, 0], y)
    unharmed.refuses(ValueError, "y should be a 1d array", X, np.c_[y, y])
    unharmed.refuses(ValueError, "y should be a 1d array", X[:5], np.c_[y, y][:5])
    unharmed.refuses(ValueError, "0 sample", X[:0], y[:0])
    match = "requires y to be passed, but the target y is None"
    for method in ("fit", "partial_fit") if kind in STREAMS else ("fit",):
        unharmed.raises(ValueError, match, lambda m, f=method: getattr(m, f)(X, None))


@with_kinds
def test_non_numeric_samples_are_rejected(kind):
    unharmed = Unharmed(kind)
    X, y = two_classes()
    words = np.full(X.shape, "x", dtype=object)
    unharmed.refuses(ValueError, "could not convert string to float", words, y)
    unharmed.refuses(ValueError, "could not convert string to float", words[:1], y[:1])
    unharmed.refuses(ValueError, "Complex data not supported", X + 1j, y)


@with_kinds
def test_labels_of_another_type(kind):
    X, y = two_classes()
    unharmed = Unharmed(kind)
    unharmed.refuses(ValueError, None, X, np.arange(200) % 2, methods=["partial_fit"])
    match = "(?i)unknown label type"
    unharmed.refuses(ValueError, match, X, np.linspace(0, 1, 200), methods=["fit"])
    numbers = Unharmed(kind, y=(y == "yes") * 1)
    numbers.refuses(ValueError, r"\[2\]", X[:2], [0, 2], ["partial_fit"])
    numbers.refuses(ValueError, r"0\.5|continuous", X[:2], [0.0, 0.5], ["partial_fit"])
    numbers.refuses(ValueError, None, X[:2], [0.0, np.nan], ["partial_fit"])


@with_kinds
def test_one_class_only(kind):
    X, _ = two_classes()
    match = "number of classes has to be greater than one; got 1 class"
    Unharmed(kind).refuses(ValueError, match, X, np.full(200, "yes"), methods=["fit"])


# -- weights ----------------------------------------------------------------------------


@with_kinds
def test_sample_weights(kind):
    _, y = two_classes()
    unharmed = Unharmed(kind)
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


@with_kinds
def test_class_weights_of_unknown_labels(kind):
    unharmed = Unharmed(kind)
    unharmed.model.set_params(class_weight={"maybe": 2.0})
    match = r"class_weight has no label .* classes .* got weights for \['maybe'\]"
    for method in ("fit", "partial_fit") if kind in STREAMS else ("fit",):
        action = lambda m, f=method: getattr(m, f)(unharmed.X, unharmed.y)  # noqa: E731
        unharmed.raises(ValueError, match, action)


# -- parameters -------------------------------------------------------------------------

OF_KERNELS = {
    "kernel": ["rbff", 3],
    "gamma": [-0.5, "none", np.inf, np.nan],
    "degree": [-1, 2.5],
    "coef0": [np.inf, np.nan, "1"],
    "class_weight": ["auto", 3.0],
    "n_jobs": [1.5],
    "random_state": ["seed"],
    "verbose": [-1],
}
OF_BUDGETS = {"max_support_vectors": [0, 2.5], "budget_policy": ["newest"]}
OF_MACHINES = OF_KERNELS | {
    "C": [-1.0, 0.0, "big", np.nan],
    "ramp_s": [1.0, 3, np.nan, np.inf, -np.inf, "-1", None],
    "shrinking": [2],
    "tol": [0.0, -1e-3],
    "cache_size": [0, "500"],
}
OF_LASVC = OF_MACHINES | {
    "algorithm": ["smo", "LASVM-G", "", None],
    "delta_max": [0.0, -1.0],
    "finishing": ["yes"],
    "shuffle": [None],
}
OF_EPOCHS = {
    "window_size": [0],
    "max_iter": [0, -2, 1.5, "foo", None],
    "warm_start": ["no"],
}
OF_SELECTION = {
    "pool_size": [0, "some"],
    "max_labels": [0],
    "stopping": ["now"],
    "class_weight": ["auto", "online_balanced"],
}
OF_UPDATES = OF_KERNELS | OF_BUDGETS | {"multi_class": ["ovo"], "max_iter": [0]}
WRONG = {
    LASVC: OF_LASVC | OF_EPOCHS,
    ActiveLASVC: OF_LASVC | OF_EPOCHS | OF_SELECTION | {"selection": ["nearest", None]},
    VirtualLASVC: OF_LASVC | OF_SELECTION | {"n_neighbors": [0], "n_virtual": [-1]},
    RampSVC: OF_MACHINES
    | {
        "fit_intercept": ["yes", 2],
        "init_size": [0, -3, 0.0, 1.5, "all"],
        "max_iter": [0, -1, 2.5],
        "class_weight": ["online_balanced"],
    },
    KernelPassiveAggressiveClassifier: OF_UPDATES | {"C": [0.0], "loss": ["hinges"]},
    KernelPerceptronClassifier: OF_UPDATES | {"average": [True]},
    KernelAROWClassifier: OF_KERNELS
    | {"r": [0.0], "forgetting_factor": [0.0], "max_support_vectors": [0, None]},
}


@pytest.mark.sampled
@pytest.mark.parametrize(
    "kind, name, value",
    [(k, name, value) for k in WRONG for name, values in WRONG[k].items() for value in values],
)
def test_wrong_parameters(kind, name, value):
    X, y = two_classes(60)
    match = f"The '{name}' parameter of {kind.__name__} must be .*{re.escape(repr(value))}"
    model = model_of(kind).fit(X, y)
    before, learnt = model.predict(X), set(vars(model))
    with pytest.raises(InvalidParameterError, match=match):
        model.set_params(**{name: value}).fit(X, y)
    if kind in STREAMS:
        with pytest.raises(InvalidParameterError, match=match):
            model_of(kind, **{name: value}).partial_fit(X, y, classes=["no", "yes"])
    if name != "n_jobs":
        assert set(vars(model)) == learnt
        np.testing.assert_array_equal(model.predict(X), before)


# -- precomputed kernels ----------------------------------------------------------------


@pytest.mark.parametrize("kind", [k for k in STREAMS if k is not VirtualLASVC])
def test_precomputed_kernel_has_no_partial_fit(kind):
    X, y = two_classes()
    unharmed = Unharmed(kind, kernel="precomputed")
    assert not hasattr(unharmed.model, "partial_fit")
    for rows in (X @ X.T, X):
        match = "has no attribute 'partial_fit'"
        unharmed.raises(AttributeError, match, lambda m, K=rows: m.partial_fit(K, y))
    cause = str(unharmed.raised.value.__cause__)
    assert "new samples have no kernel values with each other" in cause


@pytest.mark.parametrize("kind", [k for k in KINDS if k is not VirtualLASVC])
def test_shape_of_a_precomputed_kernel(kind):
    unharmed = Unharmed(kind, kernel="precomputed")
    K, y = unharmed.X, unharmed.y
    match = "must be a square matrix. Input is a 200x199 matrix"
    unharmed.raises(ValueError, match, lambda m: m.fit(K[:, 1:], y))
    match = f"X has 199 features, but {kind.__name__} is expecting 200 features"
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
    "no numbers": (
        lambda K: np.char.add(K.astype(str), "x"),
        ValueError,
        "must return real numbers",
    ),
    "numbers as text": (lambda K: K.astype(str), ValueError, "must return real numbers"),
    "complex": (lambda K: K * (1 + 1j), ValueError, "must return real numbers"),
    "objects": (lambda K: K.astype(object), ValueError, "must return real numbers"),
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


@pytest.mark.sampled
@pytest.mark.parametrize("failure", FAILURES)
@pytest.mark.parametrize("layout, n_calls", [("dense", 0), ("csr", 3)])
@pytest.mark.parametrize(
    "kind, params",
    [
        *((LASVC, {}), (LASVC, dict(max_iter=1)), (RampSVC, {})),
        (LASVC, dict(max_iter=2, cache_size=1e-3)),
        (KernelPassiveAggressiveClassifier, {}),
    ],
    ids=str,
)
def test_kernel_functions_that_fail_in_fit(layout, failure, n_calls, kind, params):
    fail, error, match = FAILURES[failure]
    kernel = Broken(fail)
    unharmed = Unharmed(kind, layout, kernel=kernel, **params)
    X, y = unharmed.X, unharmed.y
    if kind is LASVC and not params:
        n_calls = 0  # all kernel values are computed at once
    unharmed.raises(error, match, failing(kernel, n_calls, lambda m: m.fit(X, y)))
    if n_calls == 0:
        unharmed.raises(error, match, failing(kernel, n_calls, lambda m: m.decision_function(X)))
    unharmed.learn()


@pytest.mark.sampled
@with_layouts
@pytest.mark.parametrize("failure", FAILURES)
@pytest.mark.parametrize(
    "kind, params, n_calls",
    [
        *((LASVC, {}, n_calls) for n_calls in (0, 1)),  # later, it keeps the blocks before
        *((KernelPassiveAggressiveClassifier, {}, n_calls) for n_calls in (0, 1, 3)),
        (KernelPassiveAggressiveClassifier, dict(max_support_vectors=20), 3),
    ],
    ids=str,
)
def test_kernel_functions_that_fail_in_partial_fit(layout, failure, kind, params, n_calls):
    fail, error, match = FAILURES[failure]
    kernel = Broken(fail)
    unharmed = Unharmed(kind, layout, kernel=kernel, **params)
    X, y = unharmed.X, unharmed.y
    unharmed.raises(error, match, failing(kernel, n_calls, lambda m: m.partial_fit(X, y)))
    unharmed.learn()


def test_the_order_of_classes_is_that_of_the_samples_processed():
    X, y = two_classes(200)
    model = model_of(kernel=Broken(division)).partial_fit(X[:20], y[:20], classes=["no", "yes"])
    with pytest.raises(ZeroDivisionError):
        failing(model.kernel, 3, lambda m: m.partial_fit(X[20:], y[20:]))(model)
    n = model.n_samples_seen_
    assert 20 < n < 200
    alone = model_of(kernel=Broken(division)).partial_fit(X[:n], y[:n], classes=["no", "yes"])
    assert_array_equal(targets_of(model).order, targets_of(alone).order)
    model.partial_fit(X[n:], y[n:])
    alone.partial_fit(X[n:], y[n:])
    assert_array_equal(targets_of(model).order, targets_of(alone).order)


def test_kernel_function_that_fails_in_the_first_chunk():
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
        problem = engine_of(model).problems[0]
        alive = problem.members["alive"] != 0
        g = problem.members["g"][alive]
        engine_of(model).refresh()
        assert_allclose(g, problem.members["g"][alive], rtol=0, atol=1e-10)
        assert_allclose(problem.members["alpha"].sum(), 0, atol=1e-10)


NOT_FINITE = {
    "nan": dict(kernel=lambda A, B: np.full((len(A), len(B)), np.nan)),
    "inf": dict(kernel=lambda A, B: np.full((len(A), len(B)), np.inf)),
    "powers": dict(kernel="poly", degree=20, gamma=1.0),
    "products": dict(kernel="linear"),
}


@pytest.mark.parametrize("params", NOT_FINITE.values(), ids=NOT_FINITE)
@pytest.mark.parametrize(
    "kind, method", [(LASVC, "fit"), (LASVC, "partial_fit"), (RampSVC, "fit")]
)
def test_kernel_values_that_are_not_finite(kind, method, params):
    """SVC says: the dual coefficients or intercepts are not finite."""
    X, y = two_classes()
    X *= 1e20
    model = model_of(kind, **params)
    with pytest.raises(ValueError, match="not finite"):
        if method == "fit":
            model.fit(X, y)
        else:
            model.partial_fit(X, y, classes=["no", "yes"])
    assert not hasattr(model, "dual_coef_")
