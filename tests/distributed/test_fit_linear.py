"""Linear models mixed from those of partitions."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone

from sklearn_online_svm.distributed import fit_linear
from sklearn_online_svm.linear import (
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

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")
dd = pytest.importorskip("dask.dataframe")
pandas = pytest.importorskip("pandas")

FIRST_ORDER = [
    PerceptronClassifier(),
    PassiveAggressiveClassifier(C=0.1),
    PassiveAggressiveClassifier(fit_intercept=False, multi_class="crammer_singer"),
    PassiveAggressiveRegressor(),
]
SECOND_ORDER = [
    kind(covariance=covariance, fit_intercept=intercept)
    for kind in (
        AROWClassifier,
        ConfidenceWeightedClassifier,
        SCWClassifier,
        SecondOrderPerceptronClassifier,
    )
    for covariance, intercept in (("diag", True), ("full", True), ("diag", False), ("full", False))
]


@pytest.fixture(autouse=True)
def one_thread():
    with dask.config.set(scheduler="synchronous"):
        yield


def problem(estimator, make=three_classes, n=240):
    X, y = make(n)
    return X, X[:, 0] - 2 * X[:, 1] if isinstance(estimator, PassiveAggressiveRegressor) else y


def partitions(X, y, sizes):
    cuts = np.cumsum(sizes)[:-1]
    rows = np.split(np.arange(len(y)), cuts)
    return [dask.delayed((X[part], y[part])) for part in rows]


def trained(estimator, *chunks, classes):
    model = clone(estimator)
    options = {} if isinstance(model, PassiveAggressiveRegressor) else {"classes": classes}
    for X, y in chunks:
        model.partial_fit(X, y, **options)
    return model


def gaussian(model):
    """Return mean and covariance matrix of each problem, with the intercept as last weight."""
    mean, covariance = np.array(model.coef_, float), np.array(model.covariance_, float)
    if covariance.shape[1] > mean.shape[1]:
        mean = np.column_stack([mean, model.intercept_])
    if covariance.ndim == 2:
        covariance = np.array([np.diag(variances) for variances in covariance])
    return mean, covariance


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("estimator", FIRST_ORDER + SECOND_ORDER, ids=repr)
def test_one_partition_is_partial_fit(estimator, layout):
    X, y = problem(estimator)
    given = LAYOUTS[layout](X)
    found = fit_linear(estimator, partitions(given, y, [240]), epochs=2)
    expected = trained(estimator, (given, y), (given, y), classes=[10, 20, 30])
    assert_array_equal(found.coef_, expected.coef_)
    assert_array_equal(found.intercept_, expected.intercept_)
    assert (found.t_, found.n_updates_, found.n_iter_) == (481, expected.n_updates_, 2)
    assert not hasattr(estimator, "coef_")


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("estimator", FIRST_ORDER, ids=repr)
def test_weights_are_means(estimator, dtype):
    X, y = problem(estimator)
    X, sizes = X.astype(dtype), [30, 90, 120]
    found = fit_linear(estimator, partitions(X, y, sizes))
    models = [
        trained(estimator, part.compute(), classes=[10, 20, 30])
        for part in partitions(X, y, sizes)
    ]
    for name in ("coef_", "intercept_"):
        parts = np.array([getattr(model, name) for model in models], dtype=float)
        expected = np.average(parts, axis=0, weights=sizes)
        assert_allclose(getattr(found, name), expected, rtol=1e-5, atol=1e-6)
    assert found.coef_.dtype == dtype
    assert found.t_ == 241
    assert found.n_updates_ == sum(model.n_updates_ for model in models)


@pytest.mark.parametrize("make", [two_classes, three_classes])
@pytest.mark.parametrize("estimator", SECOND_ORDER, ids=repr)
def test_gaussians_are_multiplied(estimator, make):
    X, y = problem(estimator, make)
    sizes = [30, 90, 120]
    parts = [part.compute() for part in partitions(X, y, sizes)]
    given = dict(classes=np.unique(y))
    models = [gaussian(trained(estimator, part, **given)) for part in parts]
    start = 1.0 / getattr(estimator, "a", 1.0) * np.eye(models[0][1].shape[-1])
    found = gaussian(fit_linear(estimator, partitions(X, y, sizes)))
    for c in range(len(models[0][0])):
        precisions = [np.linalg.inv(covariance[c]) for _, covariance in models]
        precision = sum(precisions) - 2 * np.linalg.inv(start)
        mean = np.linalg.solve(precision, sum(P @ m[c] for P, (m, _) in zip(precisions, models)))
        assert_allclose(found[1][c], np.linalg.inv(precision), rtol=1e-6, atol=1e-8)
        assert_allclose(found[0][c], mean, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("estimator", SECOND_ORDER, ids=repr)
def test_the_second_epoch_takes_the_mean_weighted_with_precisions(estimator):
    X, y = problem(estimator)
    sizes = [30, 90, 120]
    first = fit_linear(estimator, partitions(X, y, sizes))
    start = gaussian(first)
    parts = [part.compute() for part in partitions(X, y, sizes)]
    models = []
    for part in parts:
        model = fit_linear(estimator, partitions(X, y, sizes)).partial_fit(*part)
        models.append(gaussian(model))
    found = gaussian(fit_linear(estimator, partitions(X, y, sizes), epochs=2))
    for c in range(3):
        precisions = [np.linalg.inv(covariance[c]) for _, covariance in models]
        total = sum(precisions)
        mean = np.linalg.solve(total, sum(P @ m[c] for P, (m, _) in zip(precisions, models)))
        assert_allclose(found[0][c], mean, rtol=1e-5, atol=1e-7)
        precision = total - 2 * np.linalg.inv(start[1][c])
        assert_allclose(found[1][c], np.linalg.inv(precision), rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize(
    "estimator",
    [*FIRST_ORDER, *SECOND_ORDER[::5], CostSensitivePassiveAggressiveClassifier(average=False)],
)
def test_the_result_is_a_model_that_continues(estimator):
    make = two_classes if "Cost" in type(estimator).__name__ else three_classes
    X, y = problem(estimator, make)
    if make is two_classes:
        y = np.where(y == "yes", 1, 0)
    found = fit_linear(estimator, partitions(X, y, [80] * 3), epochs=3)
    before = found.score(X, y)
    assert before > 0.4
    assert type(found) is type(estimator)
    assert found.t_ == 721
    found.partial_fit(X[:50], y[:50])
    assert found.t_ == 771
    assert found.n_features_in_ == 4


def test_partitions_of_all_kinds():
    X, y = two_classes(240)
    parts = partitions(X, y, [100, 100, 40])
    expected = fit_linear(AROWClassifier(), parts)
    X_array, y_array = da.from_array(X, chunks=(100, 4)), da.from_array(y, chunks=100)
    table = pandas.DataFrame(X, columns=list("abcd")).assign(label=y)
    frame = dd.concat([dd.from_pandas(table[i : i + 100], npartitions=1) for i in (0, 100, 200)])
    for given in (
        ([parts[0], dask.delayed((X[:0], y[:0])), *parts[1:]],),
        (X_array, y_array),
        (frame, "label"),
    ):
        found = fit_linear(AROWClassifier(), *given)
        assert_array_equal(found.coef_, expected.coef_)
        assert_array_equal(found.classes_, ["no", "yes"])
    assert list(found.feature_names_in_) == list("abcd")
    csr = fit_linear(AROWClassifier(), partitions(sparse.csr_matrix(X), y, [100, 100, 40]))
    assert csr.score(sparse.csr_matrix(X), y) > 0.6


def test_weights_of_samples():
    X, y = two_classes(240)
    weights = np.arange(240) % 3 / 2.0
    X_array, y_array = da.from_array(X, chunks=(120, 4)), da.from_array(y, chunks=120)
    model = PassiveAggressiveClassifier(C=0.1)
    found = fit_linear(model, X_array, y_array, sample_weight=da.from_array(weights, chunks=120))
    halves = [
        clone(model).partial_fit(X[i], y[i], ["no", "yes"], weights[i])
        for i in (slice(120), slice(120, 240))
    ]
    assert_allclose(found.coef_, (halves[0].coef_ + halves[1].coef_) / 2)


def test_classes_that_a_partition_does_not_have():
    X, y = three_classes(300)
    order = np.argsort(y != 10, kind="stable")
    X, y = X[order], y[order]
    n = int(np.sum(y == 10)) + 5
    found = fit_linear(PassiveAggressiveClassifier(), partitions(X, y, [n - 10, 20, 290 - n]))
    assert_array_equal(found.classes_, [10, 20, 30])
    more = fit_linear(
        PassiveAggressiveClassifier(), partitions(X, y, [150, 150]), classes=[10, 20, 30, 40]
    )
    assert more.coef_.shape == (4, 4)


def test_errors():
    X, y = two_classes(90)
    parts = partitions(X, y, [50, 40])
    for estimator in (
        LocalOnlineClassifier(),
        AdvicePassiveAggressiveClassifier(),
        pytest,
    ):
        with pytest.raises(TypeError, match="without advice or local models, got"):
            fit_linear(estimator, parts)
    with pytest.raises(ValueError, match="average must be False, got True"):
        fit_linear(PassiveAggressiveClassifier(average=True), parts)
    with pytest.raises(ValueError, match="The 'r' parameter of"):
        fit_linear(AROWClassifier(r=-1.0), parts)
    with pytest.raises(ValueError, match="'epochs' parameter"):
        fit_linear(AROWClassifier(), parts, epochs=0)
    with pytest.raises(ValueError, match="Found 0 samples in all partitions"):
        fit_linear(AROWClassifier(), partitions(X[:0], y[:0], [0, 0]), classes=["no", "yes"])
    with pytest.raises(ValueError, match="Found 0 samples in all partitions"):
        fit_linear(AROWClassifier(), partitions(X[:0], y[:0], [0, 0]))
    with pytest.raises(ValueError, match="labels that are not among the classes"):
        fit_linear(AROWClassifier(), parts, classes=["no", "maybe"])
    with pytest.raises(ValueError, match="different numbers of features: 4 and 3"):
        fit_linear(AROWClassifier(), [*parts, dask.delayed((X[:, :3], y))])
