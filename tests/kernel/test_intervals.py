"""Prediction intervals of LASVR and prediction sets of LASVC."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import make_friedman1
from sklearn.exceptions import NotFittedError
from sklearn.metrics.pairwise import linear_kernel

from sklearn_online_svm import LASVC, LASVR, RampSVC
from sklearn_online_svm.datasets import make_waveform
from tests.reference import intervals as plain
from tests.support.internals import ConformalQuantiles, _intervals, fitted_scale
from tests.support.limits import set_limits
from tests.support.samples import three_classes

X, Y = make_friedman1(1400, n_features=5, random_state=0)
NOISE = np.random.default_rng(1).normal(size=len(X)) * (0.2 + 2.0 * X[:, 3])
Y = Y + NOISE
TRAIN, TEST = slice(400), slice(400, None)
# Precise solutions: differences of intervals are not those of the tolerance.
EXACT = dict(tol=1e-9, max_iter=-1)


def machine(**params):
    return LASVR(**{"C": 10.0, "epsilon": 0.3, "gamma": 0.5, "intervals": True, **params})


def coverage_of(ends, y):
    return np.mean((ends[..., 0] <= y) & (y <= ends[..., 1]))


def in_chunks(model, X, y, size):
    for first in range(0, len(X), size):
        model.partial_fit(X[first : first + size], y[first : first + size])
    return model


# ------------------------------------------------------------------------------ the mathematics


def scale_problem(n, seed, n_outside=0):
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(n + n_outside, 2))
    values = np.exp(-((points[:, None] - points[None, :n]) ** 2).sum(axis=-1))
    predictions, weights = rng.normal(size=n + n_outside), rng.uniform(0.5, 2.0, n + n_outside)
    sizes = np.abs(rng.normal(size=n + n_outside)) * np.exp(points[:, 0])
    knots = np.unique(np.quantile(predictions[:n], np.linspace(0, 1, 9)))
    return values, predictions, sizes, weights, np.arange(n), knots


@pytest.mark.parametrize("penalty", [0.1, 3.0, 1000.0])
@pytest.mark.parametrize("n", [5, 30])
def test_scales_without_each_sample_are_those_of_separate_regressions(n, penalty, monkeypatch):
    monkeypatch.setattr(_intervals, "PENALTIES", (penalty,))
    values, predictions, sizes, weights, _, knots = problem = scale_problem(n, seed=n)
    scale, without = fitted_scale(*problem)
    assert_array_equal(scale.knots, knots)
    gram = plain.gram_of(values, predictions, scale.knots)
    logs = np.log(sizes + 0.1 * np.average(sizes, weights=weights))
    expected = plain.logs_without_each(gram, logs, weights, penalty)
    assert_allclose(np.log(without), expected, atol=1e-9)
    assert_allclose(scale.limits, (expected.min(), expected.max()), atol=1e-9)


def test_the_scale_is_the_regression_over_the_basis(monkeypatch):
    monkeypatch.setattr(_intervals, "PENALTIES", (0.5,))
    problem = scale_problem(40, seed=3, n_outside=25)
    values, predictions, sizes, weights, basis, _ = problem
    scale, without = fitted_scale(*problem)
    gram = plain.gram_of(values[basis], predictions[basis], scale.knots)
    logs = np.log(sizes[basis] + 0.1 * np.average(sizes, weights=weights))
    share = weights[basis] / weights[basis].mean()
    mean = np.average(logs, weights=share)
    dual = plain.regression(gram, logs - mean, share, 0.5)
    for i in range(40, 65):
        rises = [plain.ramps(p, scale.knots) for p in predictions[basis]]
        row = values[i] + np.array(rises) @ plain.ramps(predictions[i], scale.knots)
        expected = np.clip(mean + row @ dual, *scale.limits)
        assert np.log(without[i]) == pytest.approx(expected, abs=1e-9)


def test_the_penalty_has_the_smallest_error_without_each_sample(monkeypatch):
    arguments = scale_problem(60, seed=4)
    _, _, sizes, weights, *_ = arguments
    logs = np.log(sizes + 0.1 * np.average(sizes, weights=weights))

    def error(penalties):
        monkeypatch.setattr(_intervals, "PENALTIES", penalties)
        _, without = fitted_scale(*arguments)
        return np.sum(weights * (np.log(without) - logs) ** 2)

    penalties = _intervals.PENALTIES
    errors = [error((penalty,)) for penalty in penalties]
    assert error(penalties) == min(errors) < 0.95 * max(errors)
    # Without a local scale, the logarithms have one mean for all samples.
    monkeypatch.setattr(_intervals, "PENALTIES", (np.inf,))
    assert np.ptp(fitted_scale(*arguments)[1]) == 0.0


@given(
    st.lists(st.integers(0, 50), min_size=1, max_size=40),
    st.sampled_from([0.05, 0.1, 0.5, 0.75, 0.8, 0.9, 0.95]),
)
def test_quantiles_are_those_of_the_definition(scores, coverage):
    found = ConformalQuantiles(np.array(scores, dtype=float), np.full(len(scores), 0.3))
    assert found.at(coverage) == plain.quantile(scores, coverage)


def test_quantiles_of_weights():
    found = ConformalQuantiles(np.array([3.0, 1.0, 2.0]), np.array([1.0, 1.0, 4.0]))
    # The new sample has a weight of 2, so that 8 is the sum of all.
    assert [found.at(c) for c in (0.12, 0.13, 0.62, 0.63, 0.75, 0.76)] == [1, 2, 2, 3, 3, np.inf]
    assert ConformalQuantiles(np.zeros(0), np.zeros(0)).at(0.5) == np.inf


# ------------------------------------------------------------------------------ intervals


@pytest.mark.parametrize(
    "params", [{}, {"algorithm": "lasvm-g"}, {"kernel": "laplacian"}], ids=str
)
def test_coverage_and_widths_follow_the_noise(params):
    model = machine(**params).fit(X[TRAIN], Y[TRAIN])
    for coverage in (0.5, 0.9):
        ends = model.predict_interval(X[TEST], coverage)
        assert abs(coverage_of(ends, Y[TEST]) - coverage) < 0.06
    width, noise = ends[:, 1] - ends[:, 0], X[TEST, 3]
    assert width[noise > 0.75].mean() > 1.3 * width[noise < 0.25].mean()
    quiet, loud = (coverage_of(ends[part], Y[TEST][part]) for part in (noise < 0.25, noise > 0.75))
    assert quiet < 0.99
    assert loud > 0.75


@pytest.mark.parametrize(
    "params", [{}, {"C": 100.0, "epsilon": 0.05}, {"kernel": "linear"}], ids=str
)
def test_with_a_constant_scale_intervals_are_those_of_the_jackknife(params, monkeypatch):
    monkeypatch.setattr(_intervals, "PENALTIES", (np.inf,))
    model = machine(**params).fit(X[:150], Y[:150])
    residuals = np.sort(np.abs(Y[:150] - model.leave_one_out_predict(X[:150], Y[:150])))
    half = 0.5 * np.diff(model.predict_interval(X[TEST], 0.9), axis=1)
    assert_allclose(half, residuals[135], rtol=1e-2)  # the 136-th of 150


def test_the_middle_is_the_prediction_and_intervals_are_nested():
    model = machine().fit(X[TRAIN], Y[TRAIN])
    inner, outer = (model.predict_interval(X[TEST], coverage) for coverage in (0.6, 0.95))
    assert_allclose(inner.mean(axis=1), model.predict(X[TEST]), atol=1e-12)
    assert (outer[:, 0] < inner[:, 0]).all()
    assert (inner[:, 1] < outer[:, 1]).all()


def test_units_of_y():
    ends = machine(**EXACT).fit(X[TRAIN], Y[TRAIN]).predict_interval(X[TEST])
    scaled = machine(C=10e3, epsilon=0.3e3, **EXACT | {"tol": 1e-6})
    scaled = scaled.fit(X[TRAIN], 1e3 * Y[TRAIN] - 50.0).predict_interval(X[TEST])
    assert_allclose(scaled, 1e3 * ends - 50.0, atol=10.0)


def test_dense_and_sparse_samples():
    thin = np.where(X < 0.3, 0.0, X)
    dense = machine().fit(thin[TRAIN], Y[TRAIN]).predict_interval(thin[TEST])
    csr = sparse.csr_matrix(thin)
    model = machine().fit(csr[TRAIN], Y[TRAIN])
    assert_allclose(model.predict_interval(csr[TEST]), dense, rtol=1e-6)
    assert_allclose(model.predict_interval(thin[TEST]), dense, rtol=1e-6)


def test_single_precision():
    ends = machine(**EXACT).fit(X[TRAIN], Y[TRAIN]).predict_interval(X[TEST])
    single = X.astype(np.float32)
    found = machine(**EXACT).fit(single[TRAIN], Y[TRAIN]).predict_interval(single[TEST])
    assert_allclose(found, ends, atol=0.01 * np.ptp(ends, axis=1).mean())


def test_several_outputs_are_separate():
    both = np.column_stack([Y, 3.0 * X[:, 0] + 0.1 * NOISE])
    ends = machine(**EXACT).fit(X[TRAIN], both[TRAIN]).predict_interval(X[TEST])
    assert ends.shape == (1000, 2, 2)
    for c in range(2):
        alone = machine(**EXACT).fit(X[TRAIN], both[TRAIN, c]).predict_interval(X[TEST])
        width = np.ptp(alone, axis=1).mean()
        # The samples to which the scale is fitted may differ.
        assert np.abs(alone - ends[:, c]).mean() < 0.1 * width
        assert abs(coverage_of(ends[:, c], both[TEST, c]) - 0.9) < 0.06


def test_samples_of_weight_0_are_not_there():
    weights = np.ones(400)
    weights[::4] = 0.0
    ends = machine(**EXACT).fit(X[TRAIN], Y[TRAIN], weights).predict_interval(X[TEST])
    some = weights > 0.0
    expected = machine(**EXACT).fit(X[TRAIN][some], Y[TRAIN][some]).predict_interval(X[TEST])
    assert_allclose(ends, expected, atol=0.02 * np.ptp(expected, axis=1).mean())


@pytest.mark.parametrize(("n", "coverage"), [(1, 0.5), (1, 0.9), (5, 0.9), (8, 0.9), (9, 0.9)])
def test_too_few_samples_have_infinite_intervals(n, coverage):
    ends = machine().fit(X[:n], Y[:n]).predict_interval(X[TEST], coverage)
    assert (np.isfinite(ends) if n == 9 else np.isinf(ends)).all()


def test_no_noise_and_equal_targets():
    ends = machine(epsilon=0.0).fit(X[TRAIN], np.full(400, 2.5)).predict_interval(X[TEST])
    assert_array_equal(ends, 2.5)


@pytest.mark.parametrize(
    "kernel", ["linear", "poly", linear_kernel], ids=["linear", "poly", "function"]
)
def test_kernels(kernel):
    """The scale has limits, so that a polynomial cannot make intervals of any width."""
    model = machine(kernel=kernel, C=1.0).fit(X[TRAIN], Y[TRAIN])
    assert abs(coverage_of(model.predict_interval(X[TEST]), Y[TEST]) - 0.9) < 0.07
    far = model.predict_interval(100.0 * X[TEST])
    near = model.predict_interval(X[TRAIN])
    assert np.ptp(far, axis=1).max() < 1.01 * np.ptp(near, axis=1).max() * np.e


@pytest.mark.parametrize("scale", [1.0, 1e2, 1e4, 1e6])
def test_targets_that_are_large_compared_with_C(scale):
    """f_i(x_i) shows then on which side of f the target is."""
    X, y = make_friedman1(2300, noise=1.0, random_state=0)
    model = LASVR(intervals=True).fit(X[:300], scale * y[:300])
    assert abs(coverage_of(model.predict_interval(X[300:]), scale * y[300:]) - 0.9) < 0.05


@pytest.mark.parametrize("coef0", [-5.0, -1.0])
def test_a_kernel_with_negative_values_of_K_x_x(coef0):
    model = machine(kernel="sigmoid", coef0=coef0, gamma=1.0).fit(X[TRAIN], Y[TRAIN])
    assert np.isfinite(model.predict_interval(X[TEST])).all()


def test_samples_without_variance():
    model = machine(kernel="linear").fit(np.zeros((100, 2)), Y[:100])
    ends = model.predict_interval(np.zeros((3, 2)))
    assert abs(coverage_of(ends[:1], Y[100:]) - 0.9) < 0.08


def test_with_more_samples_than_are_used(monkeypatch):
    set_limits(monkeypatch, N_SCALE=50, N_OTHERS=60)
    model = machine(epsilon=1.5).fit(X[TRAIN], Y[TRAIN])
    assert abs(coverage_of(model.predict_interval(X[TEST]), Y[TEST]) - 0.9) < 0.07


# ------------------------------------------------------------------------------ streams, states


@pytest.mark.parametrize("params", [{}, {"algorithm": "lasvm-g"}, {"window_size": 150}], ids=str)
def test_streams(params):
    whole = in_chunks(machine(**params), X[TRAIN], Y[TRAIN], 400)
    ends = whole.predict_interval(X[TEST])
    assert abs(coverage_of(ends, Y[TEST]) - 0.9) < 0.06
    for size in (7, 1):
        found = in_chunks(machine(**params), X[TRAIN], Y[TRAIN], size).predict_interval(X[TEST])
        assert_array_equal(found, ends)


def test_intervals_at_every_moment_of_a_stream():
    """Also before the first nine samples, and of samples of a shorter and shorter past."""
    model, covered = machine(C=1.0), []
    for first in range(0, 300, 20):
        if first:
            ends = model.predict_interval(X[first : first + 20])
            assert not np.isnan(ends).any()
            covered.append(coverage_of(ends, Y[first : first + 20]))
        model.partial_fit(X[first : first + 20], Y[first : first + 20])
    assert 0.84 < np.mean(covered) < 0.97


def test_a_stream_after_fit(monkeypatch):
    set_limits(monkeypatch, N_RECENT=200)
    model = machine().fit(X[:100], Y[:100])
    loud = Y + 8.0 * np.random.default_rng(2).normal(size=len(Y))
    before = np.ptp(model.predict_interval(X[TEST]), axis=1).mean()
    in_chunks(model, X[100:400], loud[100:400], 50)
    # The first samples are not kept any more.
    after = model.predict_interval(X[TEST])
    assert np.ptp(after, axis=1).mean() > 2.0 * before
    assert abs(coverage_of(after, loud[TEST]) - 0.9) < 0.07


def test_predictions_and_snapshots_in_a_stream():
    model = in_chunks(machine(), X[:200], Y[:200], 50)
    model.predict_interval(X[TEST])
    ends = in_chunks(model, X[200:400], Y[200:400], 50).predict_interval(X[TEST])
    whole = in_chunks(machine(), X[TRAIN], Y[TRAIN], 50).predict_interval(X[TEST])
    assert_array_equal(ends, whole)
    # A snapshot is optimized to a smaller tolerance.
    width = np.ptp(ends, axis=1).mean()
    assert_allclose(model.snapshot().predict_interval(X[TEST]), ends, atol=0.2 * width)


def test_predictions_do_not_depend_on_intervals():
    model = in_chunks(machine(), X[TRAIN], Y[TRAIN], 50)
    other = in_chunks(machine(intervals=False), X[TRAIN], Y[TRAIN], 50)
    model.predict_interval(X[TEST])
    assert_array_equal(model.predict(X[TEST]), other.predict(X[TEST]))
    for each in (model, other):
        each.finish()
    assert_array_equal(model.predict(X[TEST]), other.predict(X[TEST]))


def test_threads():
    ends = machine().fit(X[TRAIN], Y[TRAIN]).predict_interval(X[TEST])
    assert_allclose(machine(n_jobs=2).fit(X[TRAIN], Y[TRAIN]).predict_interval(X[TEST]), ends)


def test_models_of_a_path():
    path = machine().fit_path(X[TRAIN], Y[TRAIN], [0.5, 20.0])
    for model in path:
        assert abs(coverage_of(model.predict_interval(X[TEST]), Y[TEST]) - 0.9) < 0.06


def test_a_new_fit_has_new_intervals():
    model = machine().fit(X[TRAIN], Y[TRAIN])
    model.predict_interval(X[TEST])
    again = model.fit(X[TRAIN], 2.0 * Y[TRAIN]).predict_interval(X[TEST])
    fresh = machine().fit(X[TRAIN], 2.0 * Y[TRAIN]).predict_interval(X[TEST])
    assert_array_equal(again, fresh)


# ------------------------------------------------------------------------------ errors


@pytest.mark.parametrize("coverage", [0, 1, -0.1, 1.5, np.nan, "0.9", None])
def test_invalid_coverage(coverage):
    message = "The 'confidence_level' parameter of predict_.* must be a float in the range .* Got "
    with pytest.raises(ValueError, match=message):
        machine().fit(X[:50], Y[:50]).predict_interval(X, coverage)
    model = LASVC(probability=True).fit(X[:50], X[:50, 0] > 0.5)
    with pytest.raises(ValueError, match=message):
        model.predict_set(X, coverage)


def test_before_training():
    with pytest.raises(NotFittedError):
        machine().predict_interval(X)
    with pytest.raises(NotFittedError):
        LASVC(probability=True).predict_set(X)


def test_intervals_that_were_set_after_training():
    model = machine(intervals=False).fit(X[:50], Y[:50]).set_params(intervals=True)
    with pytest.raises(ValueError, match="intervals=True was set after training"):
        model.predict_interval(X)
    # From here on samples are kept.
    model.partial_fit(X[50:200], Y[50:200])
    assert np.isfinite(model.predict_interval(X)).all()


def test_without_the_optimization_over_the_support_set():
    model = in_chunks(machine(finishing=False), X[TRAIN], Y[TRAIN], 50)
    with pytest.raises(ValueError, match="predict_interval requires finishing=True, got "):
        model.predict_interval(X)
    ends = model.set_params(finishing=True).predict_interval(X[TEST])
    assert abs(coverage_of(ends, Y[TEST]) - 0.9) < 0.06
    classifier = LASVC(probability=True, finishing=False).fit(X[:50], X[:50, 0] > 0.5)
    with pytest.raises(ValueError, match="predict_set requires finishing=True, got "):
        classifier.predict_set(X)


def test_a_precomputed_kernel_is_refused():
    with pytest.raises(ValueError, match="intervals=True is not possible with kernel='precomp"):
        machine(kernel="precomputed").fit(X[:50] @ X[:50].T, Y[:50])


def test_invalid_samples():
    model = machine().fit(X[:50], Y[:50])
    with pytest.raises(ValueError, match="NaN"):
        model.predict_interval(np.full((2, 5), np.nan))
    with pytest.raises(ValueError, match="features"):
        model.predict_interval(X[:, :3])


# ------------------------------------------------------------------------------ sets of classes


@pytest.mark.parametrize(
    "model",
    [
        LASVC(probability=True),
        LASVC(probability=True, multi_class="ovr", algorithm="lasvm-g"),
        RampSVC(probability=True),
    ],
    ids=str,
)
def test_prediction_sets(model):
    samples, y = three_classes(1200)
    labels = np.array(["one", "two", "three"])[y // 10 - 1]
    model = clone(model).fit(samples[:500], labels[:500])
    proba = model.predict_proba(samples[500:])
    own = model.classes_ == labels[500:, None]
    sizes = []
    for coverage in (0.6, 0.9, 0.99):
        sets = model.predict_set(samples[500:], coverage)
        assert sets.shape == (700, 3)
        assert sets.dtype == bool
        assert abs(sets[own].mean() - coverage) < (0.06 if coverage > 0.8 else 0.1)
        # Classes are in the set if their probability reaches a threshold.
        assert proba[sets].min() > proba[~sets].max()
        sizes.append(sets.sum(axis=1))
    assert (sizes[0] <= sizes[1]).all()
    assert (sizes[1] <= sizes[2]).all()


def test_prediction_sets_of_two_classes_and_streams():
    samples, y = make_waveform(1500, random_state=0)
    model = LASVC(probability=True)
    for first in range(0, 500, 50):
        chunk = slice(first, first + 50)
        model.partial_fit(samples[chunk], y[chunk], classes=[-1, 1])
    sets = model.predict_set(samples[500:])
    own = model.classes_ == y[500:, None]
    assert abs(sets[own].mean() - 0.9) < 0.05
    copied = pickle.loads(pickle.dumps(model))
    assert_array_equal(copied.predict_set(samples[500:]), sets)


def test_too_few_samples_have_sets_of_all_classes():
    samples, y = make_waveform(40, random_state=0)
    model = LASVC(probability=True).fit(samples[:8], y[:8])
    assert model.predict_set(samples, 0.9).all()
