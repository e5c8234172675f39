"""Prequential evaluation of regressors compared with a naive implementation."""

import pickle

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_matrix
from sklearn.base import BaseEstimator, RegressorMixin, clone
from sklearn.datasets import make_friedman1
from sklearn.linear_model import SGDRegressor
from sklearn.metrics import r2_score, root_mean_squared_error
from sklearn.multioutput import MultiOutputRegressor
from sklearn.preprocessing import StandardScaler

from sklearn_online_svm import (
    LASVR,
    OneClassLASVM,
    PassiveAggressiveRegressor,
)
from sklearn_online_svm.evaluation import (
    AdaptiveConformalInference,
    ProgressiveRegressionResult,
    progressive_validation,
)
from sklearn_online_svm.pipeline import make_online_pipeline
from tests.evaluation.test_drift import AlarmAt

X, Y = make_friedman1(250, noise=1.0, random_state=0)
TWO = np.column_stack([Y, 100 + 20 * X[:, 0]])
LASVR_ = LASVR(C=10, gamma=1.2, epsilon=1.0, random_state=0)
CASES = {
    "lasvr": (LASVR_, Y),
    "lasvr, two outputs": (LASVR_, TWO),
    "lasvr, column": (LASVR_, Y[:, None]),
    "PA": (PassiveAggressiveRegressor(), Y),
    "sgd": (SGDRegressor(random_state=0), Y),
    "sgd, two outputs": (MultiOutputRegressor(SGDRegressor(random_state=0)), TWO),
    "pipeline": (make_online_pipeline(StandardScaler(), SGDRegressor(random_state=0)), Y),
}
with_cases = pytest.mark.parametrize("model, y", CASES.values(), ids=CASES)
METRICS = ["mean_absolute_error", "mean_squared_error", "root_mean_squared_error", "r2"]


def naive_metrics(true, predicted):
    """Return the metrics of some samples from sums over samples, nan where undefined."""
    n = len(true)
    if not n:
        return [np.nan] * 4
    true, predicted = (np.reshape(values, (n, -1)) for values in (true, predicted))
    absolute = squares = deviations = 0.0
    means = sum(true) / n
    for target, prediction in zip(true, predicted, strict=True):
        absolute = absolute + abs(prediction - target)
        squares = squares + (prediction - target) ** 2
        deviations = deviations + (target - means) ** 2
    r2 = 1 - squares / deviations if n > 1 else np.nan
    return [
        np.mean(absolute / n),
        np.mean(squares / n),
        np.mean(np.sqrt(squares / n)),
        np.mean(r2),
    ]


def assert_metrics(result, y, predictions, starts):
    """Compare all curves with those of the scored samples from each start on."""
    first = result.n_unpredicted
    slices = [
        slice(max(start, first), max(end, first))
        for start, end in zip(starts, result.n_samples, strict=True)
    ]
    expected = [
        naive_metrics(y[scored], predictions[scored.start - first : scored.stop - first])
        for scored in slices
    ]
    assert_array_equal(result.n_scored, [scored.stop - scored.start for scored in slices])
    found = np.column_stack([getattr(result, metric)() for metric in METRICS])
    assert_allclose(found, expected, rtol=1e-9)


@pytest.mark.sampled
@with_cases
@pytest.mark.parametrize("size", [1, 7, 100, 1000])
def test_metrics_equal_those_of_a_naive_evaluation(model, y, size):
    result = progressive_validation(model, X, y, chunk_size=size, return_predictions=True)
    assert type(result) is ProgressiveRegressionResult
    twin, predictions = clone(model), []
    for start in range(0, len(y), size):
        chunk = slice(start, start + size)
        if start:
            predictions.extend(twin.predict(X[chunk]))
        twin.partial_fit(X[chunk], y[chunk])
    n_first = min(size, len(y))
    assert_array_equal(result.n_samples, np.minimum(np.arange(size, len(y) + size, size), len(y)))
    assert result.n_unpredicted == n_first
    assert_array_equal(result.predictions, np.reshape(predictions, y[n_first:].shape))
    assert_metrics(result, y, result.predictions, [0] * len(result.n_samples))
    for window in (1, 30, 10**20):
        rolling = result.rolling(window)
        ends = np.r_[0, result.n_samples]
        starts = [ends[ends <= max(0, end - window)].max() for end in result.n_samples.tolist()]
        assert_metrics(rolling, y, result.predictions, starts)
        assert_array_equal(rolling.n_samples, result.n_samples)
    if hasattr(twin, "n_support_"):
        assert result.n_support[-1] == np.sum(twin.n_support_)
    else:
        assert result.n_support is None


def test_metrics_equal_those_of_scikit_learn():
    result = progressive_validation(LASVR_, X, TWO, return_predictions=True)
    scored = TWO[100:], result.predictions
    assert_allclose(result.r2()[-1], r2_score(*scored))
    assert_allclose(result.root_mean_squared_error()[-1], root_mean_squared_error(*scored))


class Recorded(RegressorMixin, BaseEstimator):
    """Regressor with the given errors, whatever the chunks are: y is the row number."""

    def __init__(self, errors=None):
        self.errors = errors

    def partial_fit(self, X, y):
        self.is_fitted_ = True
        return self

    def predict(self, X):
        return X[:, 0] + self.errors[X[:, 1].astype(int)]


def recorded(errors, y=None, **params):
    numbers = np.arange(len(errors))
    y = numbers.astype(float) if y is None else y
    model = Recorded(np.asarray(errors, dtype=float))
    return progressive_validation(model, np.column_stack([y, numbers]), y, **params)


def test_the_metrics_do_not_depend_on_the_chunks():
    errors = np.random.RandomState(0).normal(size=120)
    results = [recorded(errors, chunk_size=size, in_place=True) for size in (1, 5, 30)]
    for metric in METRICS:
        every, fifth, thirtieth = (getattr(result, metric)() for result in results)
        assert_allclose(every[4::5], fifth)
        assert_allclose(every[29::30], thirtieth)
    for result in results:
        assert result.n_unpredicted == 0
        assert_allclose(result.rolling(60).r2()[-1], results[0].rolling(60).r2()[-1])


def test_huge_errors_leave_no_trace_in_later_windows():
    errors = np.random.RandomState(0).normal(size=400)
    y = np.arange(400.0)
    huge = errors.copy()
    huge[50], y_huge = 1e12, np.where(np.arange(400) == 60, 1e12, y)
    same = recorded(errors, y, chunk_size=10).rolling(100)
    other = recorded(huge, y_huge, chunk_size=10).rolling(100)
    assert other.mean_squared_error()[14] > 1e20
    for metric in METRICS:
        assert_allclose(getattr(other, metric)()[16:], getattr(same, metric)()[16:], rtol=1e-12)


def test_equal_targets_have_no_r2():
    y = np.full(60, 0.1)
    y[40:] = 0.2
    result = recorded(np.full(60, 1e-3), y, chunk_size=7)
    with np.errstate(all="raise"):
        assert np.isnan(result.r2()[:5]).all()
        assert np.isfinite(result.r2()[5:]).all()
        assert np.isnan(result.rolling(7).r2()[-1])


def test_a_fitted_estimator_continues():
    first = progressive_validation(LASVR_, X[:150], Y[:150], chunk_size=50)
    second = progressive_validation(
        first.estimator, X[150:], Y[150:], chunk_size=50, in_place=True, return_predictions=True
    )
    whole = progressive_validation(LASVR_, X, Y, chunk_size=50, return_predictions=True)
    assert second.estimator is first.estimator
    assert_array_equal(second.n_scored, [50, 100])
    assert_array_equal(second.predictions, whole.predictions[100:])


def test_samples_of_any_kind():
    plain = progressive_validation(LASVR_, X, TWO)
    frame = pd.DataFrame(X, columns=list("abcdefghij"))
    chunks = ((X[i : i + 100], TWO[i : i + 100]) for i in (0, 100, 200))
    for samples, y in [
        (csr_matrix(X), TWO.tolist()),
        (frame, pd.DataFrame(TWO, columns=["u", "v"])),
        (chunks, None),
    ]:
        result = progressive_validation(LASVR_, samples, y)
        for metric in METRICS:
            assert_allclose(getattr(result, metric)(), getattr(plain, metric)(), rtol=1e-9)


def test_the_detector_receives_absolute_errors():
    model = clone(LASVR_)
    detector = AlarmAt(120)
    result = progressive_validation(
        model,
        X,
        TWO,
        chunk_size=50,
        in_place=True,
        return_predictions=True,
        drift_detector=detector,
        retrain_window=60,
    )
    assert_allclose(detector.received, np.abs(result.predictions - TWO[50:]).mean(axis=1))
    assert_array_equal(result.drift_alarms, [170])
    assert result.estimator is not model
    expected = clone(LASVR_).partial_fit(X[140:200], TWO[140:200])
    assert_array_equal(result.predictions[150:], expected.predict(X[200:]))


@pytest.mark.parametrize("name", ["ADWIN", "KSWIN", "PageHinkley"])
def test_detectors_of_river(name):
    """A change of the function is detected, and a new model is better."""
    drift = pytest.importorskip("river.drift")
    params = {"KSWIN": dict(alpha=1e-4, seed=0), "PageHinkley": dict(mode="up")}.get(name, {})
    X, y = make_friedman1(2000, noise=1.0, random_state=0)
    y[1000:] = 20 - y[1000:]
    watched = progressive_validation(
        LASVR_, X, y, drift_detector=getattr(drift, name)(**params), retrain_window=100
    )
    alone = progressive_validation(LASVR_, X, y)
    late = watched.drift_alarms[watched.drift_alarms > 1000]
    assert len(late) and late[0] < 1300
    assert watched.mean_absolute_error()[-1] < 0.9 * alone.mean_absolute_error()[-1]
    assert alone.drift_alarms is None


def test_regressors_of_river():
    # The regressors of earlier versions have no tags of scikit-learn.
    pytest.importorskip("river", minversion="0.22")
    from river import compat
    from river.linear_model import LinearRegression

    model = compat.convert_river_to_sklearn(LinearRegression())
    result = progressive_validation(model, X, Y, return_predictions=True)
    assert_metrics(result, Y, result.predictions, [0, 0, 0])


def test_result():
    result = progressive_validation(LASVR_, X, Y, chunk_size=50, drift_detector=AlarmAt(10))
    error = result.mean_absolute_error()[-1]
    assert repr(result) == (
        "<ProgressiveRegressionResult of LASVR: 250 samples in 5 chunks, mean absolute error "
        f"{error:.4g} in 200 predictions, 1 drift alarms>"
    )
    rolling = result.rolling(100)
    assert type(rolling) is ProgressiveRegressionResult and rolling.window == 100
    assert "in the latest 100 predictions" in repr(rolling)
    with pytest.raises(ValueError, match="needs a cumulative result, got one with window=100"):
        rolling.rolling(20)
    with pytest.raises(ValueError, match="'window' parameter"):
        result.rolling(0)
    copy = pickle.loads(pickle.dumps(rolling))
    frame = rolling.to_frame()
    pd.testing.assert_frame_equal(copy.to_frame(), frame)
    counts = ["n_samples", "n_scored", "n_support", "seconds", "fit_seconds", "predict_seconds"]
    assert list(frame.columns) == [*counts, *METRICS]
    assert_array_equal(frame["r2"], rolling.r2())
    assert_array_equal(result.seconds, result.fit_seconds + result.predict_seconds)
    linear = progressive_validation(CASES["sgd"][0], X, Y)
    assert "n_support" not in linear.to_frame()
    assert linear.predictions is None


class ReturnsShape(Recorded):
    """Regressor with predictions of another shape."""

    def predict(self, X):
        return np.zeros(self.errors)


@pytest.mark.parametrize(
    "estimator, y, params, message",
    [
        (LASVR_, Y, {"classes": [0, 1]}, r"classes must be None for the regressor LASVR, got"),
        (
            LASVR_,
            Y,
            {"prediction_sets": AdaptiveConformalInference()},
            r"prediction_sets must be None for the regressor LASVR, got prediction_sets=Adaptive",
        ),
        (
            OneClassLASVM(),
            Y,
            {},
            r"a classifier or a regressor, got OneClassLASVM\(\), an outlier",
        ),
        (LASVR_, np.where(Y > 5, Y, np.nan), {}, "Input y contains NaN"),
        (LASVR_, ["a"] * 250, {}, "could not convert string to float"),
        (LASVR_, np.zeros((250, 1, 1)), {}, "array with dim 3"),
        (
            ReturnsShape((100, 2)),
            Y,
            {"in_place": True},
            r"The predictions of 100 samples must be of shape \(100,\), got \(100, 2\)",
        ),
        (ReturnsShape((50, 2)), TWO, {"in_place": True}, r"shape \(100, 2\), got \(50, 2\)"),
    ],
)
def test_errors(estimator, y, params, message):
    with pytest.raises(ValueError, match=message):
        progressive_validation(estimator, X, y, **params)


def test_chunks_must_have_the_same_outputs():
    with pytest.raises(ValueError, match=r"same number of outputs in all chunks.* \(250,\)\."):
        progressive_validation(LASVR_, [(X, TWO), (X, Y)])
