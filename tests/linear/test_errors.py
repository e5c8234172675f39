"""Invalid input of linear models: the message names the fault, and the model is unchanged."""

import re

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.sparse import csr_array, csr_matrix
from sklearn.base import clone, is_regressor
from sklearn.utils._param_validation import InvalidParameterError

from sklearn_online_svm import (
    Advice,
    AdvicePassiveAggressiveClassifier,
    AROWClassifier,
    ConfidenceWeightedClassifier,
    CostSensitivePassiveAggressiveClassifier,
    LocalOnlineClassifier,
    PassiveAggressiveClassifier,
    PassiveAggressiveRegressor,
    PerceptronClassifier,
    SCWClassifier,
    SecondOrderPerceptronClassifier,
)
from tests.support.samples import LAYOUTS, three_classes, two_classes
from tests.support.unharmed import UnharmedModel, as_array

# One of each kind of state.
MODELS = {
    "pa": PassiveAggressiveClassifier(),
    "pa-average": PassiveAggressiveClassifier(average=True),
    "pa-joint": PassiveAggressiveClassifier(multi_class="crammer_singer"),
    "cost": CostSensitivePassiveAggressiveClassifier(average=False),
    "arow": AROWClassifier(),
    "arow-full": AROWClassifier(covariance="full"),
}
# Also models without coef_, or without classes.
ALL_MODELS = {
    **MODELS,
    "local": LocalOnlineClassifier(5, n_neighbors=2),
    "scw": SCWClassifier(loss="squared_hinge"),
    "sop": SecondOrderPerceptronClassifier(covariance="diag"),
    "perceptron": PerceptronClassifier(average=True),
    "advice": AdvicePassiveAggressiveClassifier(
        [Advice.from_conditions({0: (">=", 1)}, range(4), "yes")], refine=True
    ),
}

with_models = pytest.mark.parametrize("name", MODELS)
with_all_models = pytest.mark.parametrize("name", ALL_MODELS)
with_layouts = pytest.mark.parametrize("layout", LAYOUTS)
with_dtypes = pytest.mark.parametrize("dtype", [np.float32, np.float64])
with_methods = pytest.mark.parametrize("method", ["fit", "partial_fit"])


def targets(y):
    return np.where(y == "yes", 1.5, -1.5)


def arrays_of(model):
    """Attributes that training changes."""
    names = ["coef_", "intercept_", "t_", "n_updates_", "n_iter_", "n_features_in_"]
    names += [name for name in ("covariance_", "classes_") if hasattr(model, name)]
    values = {name: getattr(model, name) for name in names}
    return {name: np.array(as_array(value)) for name, value in values.items()}


class Unharmed(UnharmedModel):
    @staticmethod
    def learnt(model):
        if isinstance(model, LocalOnlineClassifier):
            names = ("common_coef_", "local_coef_", "local_intercept_", "prototypes_")
            return {name: getattr(model, name) for name in names}
        return arrays_of(model)

    def __init__(self, model="pa", *, layout="dense", dtype=np.float64, X=None, y=None, **params):
        X, labels = (two_classes()[0] if X is None else X), two_classes()[1]
        model = ALL_MODELS[model] if isinstance(model, str) else model
        model = clone(model).set_params(random_state=0, max_iter=2, tol=None, **params)
        y = labels if y is None else y
        y = targets(y) if is_regressor(model) else y
        super().__init__(lambda: clone(model), LAYOUTS[layout](X.astype(dtype)), y)


# -- before fit -------------------------------------------------------------------------


@with_models
def test_failed_first_fit_leaves_no_attributes(name):
    X, y = two_classes()
    model = clone(MODELS[name])
    params = dict(vars(model))
    for fit in (
        lambda: model.fit(X, y[:-1]),
        lambda: model.fit(np.full_like(X, np.nan), y),
        lambda: model.fit(np.full_like(X, 1e200), y),
        lambda: model.fit(X, np.full(200, "yes")),
        lambda: model.fit(X, y, np.zeros(200)),
        lambda: model.fit(X, y, coef_init=np.zeros(7)),
        lambda: model.partial_fit(X, y),
        lambda: model.partial_fit(X, y, classes=["no"]),
        lambda: model.partial_fit(X, y, classes=["no", 1]),
        lambda: model.partial_fit(X, y, classes=["no", "maybe"]),
        lambda: model.partial_fit(np.full_like(X, np.inf), y, classes=["no", "yes"]),
        lambda: model.partial_fit(np.full_like(X, 1e200), y, classes=["no", "yes"]),
        lambda: model.partial_fit(X[:1] * np.nan, y[:1], classes=["no", "yes"]),
    ):
        with pytest.raises((ValueError, TypeError)):
            fit()
        assert vars(model) == params
    other = clone(model).partial_fit(X, y, classes=["no", "yes"])
    assert_array_equal(model.partial_fit(X, y, classes=["no", "yes"]).coef_, other.coef_)
    # Regression.
    model, t = PassiveAggressiveRegressor(), targets(y)
    for samples, values in ((X * np.nan, t), (X, np.where(y == "yes", np.inf, -1.0)), (X, y)):
        for method in (model.fit, model.partial_fit):
            with pytest.raises(ValueError):
                method(samples, values)
            assert vars(model) == vars(PassiveAggressiveRegressor())


# -- X and y ----------------------------------------------------------------------------


@pytest.mark.sampled
@with_all_models
@with_layouts
@with_dtypes
def test_single_samples(name, layout, dtype):
    unharmed = Unharmed(name, layout=layout, dtype=dtype)
    X, y = two_classes()[0][:1].astype(dtype), unharmed.y[:1]

    def refuses(match, X):
        X = LAYOUTS[layout](X)
        unharmed.refuses(ValueError, match, X, y, ["partial_fit"])
        for method in {"predict", "decision_function", "decision_variance"} & set(
            dir(unharmed.model)
        ):
            unharmed.raises(ValueError, match, lambda m, f=method: getattr(m, f)(X))

    for value, said in ((np.nan, "NaN"), (np.inf, "infinity"), (-np.inf, "inf")):
        wrong = X.copy()
        wrong[0, 2] = value
        refuses(f"Input X contains {said}", wrong)
    class_name = type(unharmed.model).__name__
    for width in (3, 6):
        match = f"X has {width} features, but {class_name} is expecting 4 features"
        refuses(match, np.ones((1, width), dtype))
    match = r"not among the classes \['no', 'yes'\]: \['no '\]"
    unharmed.refuses(ValueError, match, LAYOUTS[layout](X), np.array(["no "]), ["partial_fit"])


@with_layouts
@pytest.mark.parametrize("way", ["whole", "sparsified"])
def test_nan_in_a_column_of_weight_zero(layout, way):
    """The scores do not show it."""
    X, y = two_classes()
    X[:, 2] = 0.0
    model = PassiveAggressiveClassifier(random_state=0).fit(LAYOUTS[layout](X), y)
    assert model.coef_[0, 2] == 0
    if way == "sparsified":
        model.sparsify()
    for samples in (X, X[:1]):
        samples = samples.copy()
        samples[0, 2] = np.nan
        with pytest.raises(ValueError, match="Input X contains NaN"):
            model.predict(LAYOUTS[layout](samples))


@with_layouts
@with_all_models
@with_dtypes
def test_samples_whose_squared_norm_overflows(name, layout, dtype):
    unharmed = Unharmed(name, layout=layout, dtype=dtype)
    X = two_classes()[0].astype(dtype)
    huge = 1e30 if dtype == np.float32 else 1e200
    X[42] = huge
    if name == "arow-full" and dtype == np.float32:  # which computes in float64
        for samples in (LAYOUTS[layout](X), LAYOUTS[layout](X[42:43])):
            unharmed.model.partial_fit(samples, unharmed.y[: samples.shape[0]])
        assert np.isfinite(unharmed.model.coef_).all()
        return
    kind = np.dtype(dtype).name
    match = f"Row 42 of X has a squared norm that is too large for {kind}; scale the features"
    unharmed.refuses(ValueError, match, LAYOUTS[layout](X), unharmed.y)
    match = match.replace("42", "0")
    one = LAYOUTS[layout](X[42:43])
    unharmed.refuses(ValueError, match, one, unharmed.y[42:43], ["partial_fit"])
    # Their decision values are finite, except those of local models.
    assert name == "local" or len(unharmed.model.predict(one)) == 1


@with_models
def test_invalid_validation_samples(name):
    """Validation samples are checked too."""
    unharmed = Unharmed(name, early_stopping=True, validation_fraction=0.5)
    X, _ = two_classes()
    for i in range(0, 200, 40):
        wrong = X.copy()
        wrong[i, 1] = np.nan
        unharmed.raises(ValueError, "X contains NaN", lambda m, Z=wrong: m.fit(Z, unharmed.y))


@pytest.mark.parametrize("model", [PassiveAggressiveClassifier(), PassiveAggressiveRegressor()])
def test_wrong_shapes(model):
    unharmed = Unharmed(model)
    X, y = unharmed.X, unharmed.y
    unharmed.refuses(ValueError, "inconsistent numbers of samples", X, y[:-1])
    unharmed.refuses(ValueError, "inconsistent numbers of samples", X[:5], y[:4])
    unharmed.refuses(ValueError, "inconsistent numbers of samples", X[:1], y[:2])
    unharmed.refuses(ValueError, "Expected 2D array, got 1D array", X[:, 0], y)
    unharmed.refuses(ValueError, "y should be a 1d array", X, np.c_[y, y])
    unharmed.refuses(ValueError, "y should be a 1d array", X[:1], np.c_[y, y][:1])
    unharmed.refuses(ValueError, "0 sample", X[:0], y[:0])
    unharmed.refuses(ValueError, "0 feature", X[:, :0], y, methods=["fit"])
    match = "requires y to be passed, but the target y is None"
    for method in ("fit", "partial_fit"):
        unharmed.raises(ValueError, match, lambda m, f=method: getattr(m, f)(X, None))
    unharmed.raises(ValueError, "Expected 2D array, got 1D", lambda m: m.predict(X[0]))
    unharmed.raises(ValueError, "0 sample", lambda m: m.predict(X[:0]))


@with_models
@with_methods
def test_csr_indices_out_of_range(name, method):
    """Reading the weights there would be reading beyond the end of the memory."""
    X, y = two_classes()
    unharmed = Unharmed(name, layout="csr")
    for wrong in (4, 1000, -1, 2**31 - 1, 2**31 + 1, 2**32):
        if wrong > np.iinfo(np.int32).max:
            broken = csr_array(X)
            broken.indices = broken.indices.astype(np.int64)
            broken.indptr = broken.indptr.astype(np.int64)
        else:
            broken = csr_matrix(X)
        first = 12 if wrong > np.iinfo(np.int32).max else 15  # of the four columns of a row
        for at in (13, first):
            columns = broken.indices.copy()
            broken.indices[at] = wrong
            with pytest.raises(ValueError, match="indices|indptr|column|index"):
                getattr(unharmed.model, method)(broken, y)
            unharmed.check()
            broken.indices[:] = columns
    unharmed.learn()


def test_inconsistent_csr_matrices():
    X, y = two_classes()
    unharmed = Unharmed(layout="csr")
    for change in (
        lambda M: M.indptr.__setitem__(3, 10**6),
        lambda M: M.indptr.__setitem__(slice(3, 5), [12, 9]),
        lambda M: M.indptr.__setitem__(0, 2),
        lambda M: setattr(M, "data", M.data[:100]),
        lambda M: setattr(M, "indices", M.indices[:100]),
    ):
        for method in ("fit", "partial_fit"):
            broken = csr_matrix(X)
            change(broken)
            with pytest.raises(ValueError):
                getattr(unharmed.model, method)(broken, y)
            unharmed.check()
    unharmed.learn()


# -- labels -----------------------------------------------------------------------------


def test_unknown_labels():
    X, y = two_classes()
    words = Unharmed()
    words.refuses(
        ValueError,
        r"classes \['no', 'yes'\]: \[0, 1\]",
        X,
        np.arange(200) % 2,
        methods=["partial_fit"],
    )
    for label in ("maybe", "", "zzz", "no "):
        labels = y.astype("U5")
        labels[199] = label
        match = rf"not among the classes \['no', 'yes'\]: \['{label}'\]"
        words.refuses(ValueError, match, X, labels, ["partial_fit"])
        words.refuses(ValueError, match, X, labels.tolist(), ["partial_fit"])
    numbers = Unharmed(y=(y == "yes") * 1)
    numbers.refuses(ValueError, "'no'|no", X, y, ["partial_fit"])
    numbers.refuses(ValueError, r"\[2\]", X[:2], np.array([0, 2]), ["partial_fit"])
    numbers.refuses(ValueError, r"\[-1\]", X[:2], np.array([0, -1]), ["partial_fit"])
    numbers.refuses(ValueError, r"0\.5", X[:2], np.array([0.0, 0.5]), ["partial_fit"])
    numbers.refuses(ValueError, r"0\.5|continuous", X[:2], [0.0, 0.5], ["partial_fit"])
    numbers.refuses(ValueError, None, X[:2], np.array([0.0, np.nan]), ["partial_fit"])
    numbers.refuses(ValueError, None, X[:2], [0.0, np.nan], ["partial_fit"])
    numbers.refuses(ValueError, None, X[:2], [0, None], ["partial_fit"])


@with_models
def test_single_class(name):
    X, y = two_classes()
    unharmed = Unharmed(name)
    match = "number of classes has to be greater than one; got 1 class"
    for labels in (np.full(200, "yes"), np.ones(200, dtype=int), np.ones(200, dtype=bool)):
        unharmed.refuses(ValueError, match, X, labels, methods=["fit"])
    with pytest.raises(ValueError, match=match):
        clone(MODELS[name]).partial_fit(X, np.full(200, "yes"), classes=["yes"])
    weight = np.where(y == "yes", 1.0, 0.0)
    unharmed.refuses(
        ValueError, "got 1 class with positive sample weight", X, y, ["fit"], sample_weight=weight
    )


# -- weights ----------------------------------------------------------------------------


@pytest.mark.parametrize("model", ["pa", PassiveAggressiveRegressor()], ids=str)
def test_sample_weights(model):
    unharmed = Unharmed(model)
    weight = np.ones(200)

    def refuses(match, weight, methods=("fit", "partial_fit")):
        unharmed.refuses(ValueError, match, methods=methods, sample_weight=weight)

    refuses("(?i)sample.?weight.*(zero|non-zero)", np.zeros(200), ["fit"])
    weight[3] = -1.0
    refuses("Negative values in data passed to `sample_weight`", weight)
    weight[3] = np.nan
    refuses("sample_weight contains NaN", weight)
    weight[3] = np.inf
    refuses("sample_weight contains inf", weight)
    refuses("sample_weight.shape == .*expected", np.ones(199))
    refuses("Sample weights must be 1D", np.ones((200, 2)))


# -- initial weights --------------------------------------------------------------------


@pytest.mark.parametrize("n_classes", [2, 3])
@with_models
def test_initial_weights(name, n_classes):
    X, y = two_classes() if n_classes == 2 else three_classes(200)
    K = 1 if n_classes == 2 else 3
    model, other = (clone(MODELS[name]).set_params(random_state=0).fit(X, y) for _ in range(2))
    for wrong in (np.zeros(7), np.zeros((K, 5)), np.zeros((K + 1, 4)), np.zeros((4, 3)), 0.0):
        match = (
            rf"coef_init must have shape \({K}, 4\), got \({re.escape(str(np.shape(wrong))[1:])}"
        )
        with pytest.raises(ValueError, match=match):
            model.fit(X, y, coef_init=wrong)
    for wrong in (np.zeros(K + 1), np.zeros((K, 2))):
        with pytest.raises(ValueError, match=rf"intercept_init must have shape \({K},\), got"):
            model.fit(X, y, intercept_init=wrong)
    for value in (np.nan, np.inf):
        with pytest.raises(ValueError, match="coef_init must be finite"):
            model.fit(X, y, coef_init=np.full((K, 4), value))
        with pytest.raises(ValueError, match="intercept_init must be finite"):
            model.fit(X, y, intercept_init=np.full(K, value))
    with pytest.raises(ValueError, match="could not convert"):
        model.fit(X, y, coef_init=np.full((K, 4), "x"))
    for key, array in arrays_of(model).items():
        assert_array_equal(array, arrays_of(other)[key])
    assert_array_equal(model.partial_fit(X, y).coef_, other.partial_fit(X, y).coef_)


@with_models
def test_initial_intercept_without_fit_intercept(name):
    unharmed = Unharmed(name, fit_intercept=False)
    match = "intercept_init=.* fit_intercept=False"
    for value in (0.5, [0.5]):
        unharmed.refuses(ValueError, match, methods=["fit"], intercept_init=value)


@with_models
def test_warm_start_with_another_shape(name):
    unharmed = Unharmed(name, warm_start=True)
    match = "warm_start=True needs weights of the same shape"
    X, y = two_classes(n_features=5)
    unharmed.refuses(ValueError, match, X, y, ["fit"])
    X, y = three_classes(200)
    unharmed.refuses(ValueError, match, X, y, ["fit"])


# -- parameters -------------------------------------------------------------------------

# Values outside the allowed sets and ranges, for every estimator that has the parameter.
INVALID = {
    "C": [0.0, -1.0, np.nan, "big", None],
    "a": [0.0, -1.0, np.nan],
    "advice": ["glucose >= 126"],
    "advice_weight": [-1.0, np.nan, None],
    "average": [-1, 2.5, "yes", None],
    "class_weight": ["auto", [1.0, 2.0]],
    "costs": [2.0, "balanced"],
    "covariance": ["low-rank", None],
    "early_stopping": [3],
    "epsilon": [-0.1, np.nan, None],
    "eta": [0.5, 1.0, 0.2, np.nan, "0.7"],
    "fit_intercept": ["yes", None],
    "intercept_scaling": ["none", 0.0, -1.0, np.inf, np.nan, 1e200, None],
    "lam": [0.0, -1.0, np.nan, None],
    "loss": ["log", None],
    "max_iter": [0, -1, 1.5],
    "multi_class": ["ovo", None],
    "n_iter_no_change": [0, 2.5],
    "n_jobs": [1.5],
    "n_neighbors": [0, 1.5, None],
    "n_prototypes": [0, -1, 2.5, None, 2**31],
    "negative_margin": [np.inf, "0", None],
    "initial_weights": ["rules", None, 0.0],
    "positive_margin": [np.inf, np.nan, "wide"],
    "r": [0.0, -1.0, np.nan, None],
    "random_state": ["seed"],
    "refine": [-1, 1001, 2.5, None],
    "rule": ["maxloss"],
    "sensitivity_weight": [0.0, 1.0, np.nan, None],
    "shuffle": [None],
    "tol": [-1e-3, np.nan, "small"],
    "validation_fraction": [0.0, 1.0, 50],
    "variant": ["cw"],
    "verbose": [-1, "much"],
    "warm_start": ["no"],
}
ESTIMATORS = [
    AROWClassifier,
    AdvicePassiveAggressiveClassifier,
    ConfidenceWeightedClassifier,
    CostSensitivePassiveAggressiveClassifier,
    LocalOnlineClassifier,
    PassiveAggressiveClassifier,
    PassiveAggressiveRegressor,
    PerceptronClassifier,
    SCWClassifier,
    SecondOrderPerceptronClassifier,
]
PARAMETERS = [
    (make, name) for make in ESTIMATORS for name in make().get_params() if name != "pos_label"
]


@pytest.mark.sampled
@pytest.mark.parametrize("make, name", PARAMETERS)
def test_invalid_parameters(make, name):
    """Values are validated by fit and partial_fit, and again when they change in a stream."""
    default = make().get_params()[name]
    unharmed = Unharmed(make())
    X, y = unharmed.X, unharmed.y
    former = unharmed.model.get_params()
    first_call = {} if make is PassiveAggressiveRegressor else dict(classes=["no", "yes"])
    for value in INVALID[name]:
        if value is default:
            continue
        match = f"The '{name}' parameter of {make.__name__} must be .*{re.escape(repr(value))}"
        for train in (lambda m: m.fit(X, y), lambda m: m.partial_fit(X, y, **first_call)):
            model = make(**{name: value})
            with pytest.raises(InvalidParameterError, match=match):
                train(model)
            assert vars(model).keys() == vars(make()).keys()
        unharmed.model.set_params(**{name: value})
        unharmed.raises(InvalidParameterError, match, lambda m: m.fit(X, y))
        if name in (*make._fixed_params, *make._adjustable_params):
            for samples in (X, X[:1], X.tolist()):
                labels = y[: len(samples)]
                unharmed.raises(
                    InvalidParameterError,
                    match,
                    lambda m, r=samples, t=labels: m.partial_fit(r, t),
                )
        unharmed.model.set_params(**former)
        unharmed.learn()


def test_inconsistent_costs():
    """Parameters of the cost-sensitive classifier that contradict each other or the classes."""
    data = {2: two_classes(), 3: three_classes(200)}
    costs = np.array([[0.0, 2.0, 1.0], [1.0, 0.0, 1.0], [5.0, 1.0, 0.0]])
    with_zero = costs * (costs != 2.0)
    joint = dict(multi_class="crammer_singer", rule="max_loss")
    invalid = r"costs must be 0 on the diagonal and finite and positive elsewhere, got \[\["
    needs_joint = "costs .* need multi_class='crammer_singer'.*got multi_class='ovr'"
    for n_classes, params, match in [
        (2, dict(pos_label="maybe"), r"pos_label='maybe' is not one of the classes \['no', 'yes"),
        (2, dict(sensitivity_weight=0.6), r"pos_label=None means 1, .* \['no', 'yes'\]\. Set"),
        (2, dict(costs={"maybe": 2.0}), r"label 'maybe', which .* classes \['no', 'yes'\]"),
        (2, dict(costs={1: 2.0}), r"costs has the label 1, which is not"),
        (2, dict(costs={"yes": 0.0}), r"costs\['yes'\] must be a finite number > 0, got 0\.0"),
        (2, dict(costs={"no": -1, "yes": 1}), r"costs\['no'\] .* got -1"),
        (2, dict(costs={"yes": np.inf}), r"costs\['yes'\] .* got inf"),
        (2, dict(costs={"yes": "high"}), r"costs\['yes'\] .* got 'high'"),
        (2, dict(costs=costs), r"costs must be a dict or have shape \(2, 2\), got shape \(3, 3\)"),
        (2, dict(costs=[1.0, 2.0]), r"costs must .* shape \(2, 2\), got shape \(2,\)"),
        (2, dict(costs=[[0.0, 1.0], [2.0]]), "costs must be a dict or an array of numbers, got"),
        (3, dict(costs=costs), needs_joint),
        (3, dict(costs={0: 2.0}), needs_joint),
        (3, dict(multi_class="crammer_singer"), "got rule='cost_sensitive'"),
        (3, dict(costs={7: 2.0}, **joint), "costs has the label 7, which is not"),
        (3, dict(costs=costs[:2, :2], **joint), r"shape \(3, 3\), got shape \(2, 2\)"),
        (3, dict(costs=with_zero, **joint), invalid),
        (3, dict(costs=-costs, **joint), invalid),
        (3, dict(costs=costs + np.eye(3), **joint), invalid),
        (3, dict(costs=costs * np.nan, **joint), invalid),
        (3, dict(costs=costs / (costs < 5), **joint), invalid),
        (3, dict(costs=[["a"] * 3] * 3, **joint), r"costs .* array of numbers, got \[\['a'"),
    ]:
        X, y = data[n_classes]
        for method, more in (("fit", {}), ("partial_fit", dict(classes=np.unique(y)))):
            model = CostSensitivePassiveAggressiveClassifier(**params)
            with pytest.raises(ValueError, match=match):
                getattr(model, method)(X, y, **more)
            assert not hasattr(model, "coef_")
        fitted = CostSensitivePassiveAggressiveClassifier(
            multi_class=params.get("multi_class", "ovr"), rule=params.get("rule", "prediction")
        )
        unharmed = Unharmed(fitted, X=X, y=y)
        former = unharmed.model.get_params()
        unharmed.model.set_params(**{"rule": "cost_sensitive", **params})
        for samples in (X, X.tolist()):
            with pytest.raises(ValueError, match=match):
                unharmed.model.partial_fit(samples, y)
        unharmed.model.set_params(**former)
        unharmed.learn()


def test_early_stopping_needs_training_and_validation_samples():
    X, y = two_classes()
    unharmed = Unharmed()
    for params, samples, match in [
        (dict(validation_fraction=0.999), slice(None), "test_size|train_size|validation_fraction"),
        (dict(validation_fraction=0.001), slice(None), "test_size|validation_fraction|classes"),
        (dict(), slice(0, 3), "least populated|test_size|classes"),
    ]:
        unharmed.model.set_params(early_stopping=True, **params)
        unharmed.raises(
            ValueError, match, lambda m, part=samples: m.fit(X[part], unharmed.y[part])
        )
        unharmed.model.set_params(early_stopping=False, validation_fraction=0.1)
