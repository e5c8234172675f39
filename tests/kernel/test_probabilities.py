"""Kernel machines with probability=True: leave-one-out values, maps and streams."""

import copy
import pickle
import warnings
from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.metrics import log_loss

from sklearn_online_svm import LASVC, RampSVC
from sklearn_online_svm.cells import CellClassifier
from sklearn_online_svm.datasets import make_banana_like, make_waveform
from tests.support.fitted_models import CutKernel
from tests.support.internals import (
    Basis,
    Optimum,
    SplineMap,
    _kept_values,
    _probabilities,
    machine_of,
    probability_map,
    replacement_shifts,
    solution_of,
    span_shifts,
)
from tests.support.limits import set_limits
from tests.support.samples import ALGORITHMS, three_classes, two_classes


def banana(n, seed=0, flips=0.1):
    X, y = make_banana_like(n, random_state=seed)
    flipped = np.random.RandomState(seed).uniform(size=n) < flips
    return X, np.where(flipped, y[::-1], y)


def optimum(kernel="rbf", algorithm="lasvm", n=150):
    X, y = banana(n)
    model = LASVC(C=3.0, kernel=kernel, algorithm=algorithm, max_iter=-1, random_state=0)
    return Optimum(model.fit(X, y), X, y, None)


@pytest.mark.parametrize("easy", range(3))
def test_the_jitter_of_spans_depends_on_the_largest_coefficient(easy, monkeypatch):
    """The class ``easy`` is far from the others: its pairs have small coefficients."""
    jitters = []

    class Watched(_kept_values.KernelValues):
        def __init__(self, *arguments, jitter, **options):
            jitters.append(jitter)
            super().__init__(*arguments, jitter=jitter, **options)

    monkeypatch.setattr(_kept_values, "KernelValues", Watched)
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(size=(60, 2)), rng.normal(20.0, size=(30, 2))])
    y = np.append(rng.permutation(np.repeat(np.delete(range(3), easy), 30)), np.full(30, easy))
    model = LASVC(C=1000.0, probability=True, random_state=0).fit(X, y)
    model.predict_proba(X)
    assert_allclose(jitters, [5e-4 / np.abs(model.dual_coef_).max()])
    assert np.abs(model.dual_coef_).max() > 100.0


@pytest.mark.parametrize("kernel", ["rbf", "linear", "poly"])
@pytest.mark.parametrize("algorithm", ["lasvm", "lasvm-g"])
def test_spans_are_those_of_the_inverse(kernel, algorithm):
    """From one inverse of the kernel matrix, with a bias bordered by ones."""
    found = optimum(kernel, algorithm)
    (problem,) = found.problems
    free, bounded = problem.free, np.setdiff1d(problem.support, problem.free)
    n, K = len(free), problem.values_with(free)(np.arange(len(found.codes)))
    bordered = K[:, free] + 1e-10 * K[:, free].diagonal().mean() * np.eye(n)
    if problem.has_bias:
        bordered = np.block([[bordered, np.ones((n, 1))], [np.ones((1, n)), np.zeros((1, 1))]])
        K = np.vstack([K, np.ones(K.shape[1])])
    inverse, V = np.linalg.inv(bordered), K[:, bounded]
    expected = problem.diagonal(np.arange(len(found.codes)))
    expected[free] = 1.0 / inverse.diagonal()[:n]
    expected[bounded] -= (V * (inverse @ V)).sum(axis=0)
    basis = Basis(problem, free)
    assert basis.root is not None
    squares = basis.squared_spans(problem.support)
    assert_allclose(
        squares, expected[problem.support], atol=1e-5 * problem.diagonal(problem.support).max()
    )


def test_spans_of_an_indefinite_kernel():
    X, y = banana(60)
    model = LASVC(kernel="sigmoid", gamma=1.0, coef0=-2.0, C=1.0, random_state=0).fit(X, y)
    found = Optimum(model, X, y, None)
    (problem,) = found.problems
    rows = np.arange(40)
    basis = Basis(problem, rows)
    assert basis.inverse is not None
    squares = basis.squared_spans(np.arange(60))
    assert np.isfinite(squares).all() and (squares >= 0.0).all()
    assert_allclose(model.set_params(probability=True).fit(X, y).predict_proba(X).sum(axis=1), 1.0)


def test_shifts_without_joining_samples_are_those_of_the_span_rule():
    found = optimum()
    (problem,) = found.problems
    nothing = np.zeros(0, dtype=int)
    shifts = replacement_shifts(problem, problem.support, nothing)
    assert_allclose(shifts, span_shifts(problem), atol=1e-5)


def test_joining_samples_reduce_the_shifts():
    found = optimum()
    (problem,) = found.problems
    apart = np.flatnonzero(problem.alpha == 0.0)[:20]
    fewer = replacement_shifts(problem, problem.support, apart)
    more = replacement_shifts(problem, problem.support, apart[:5])
    assert (np.abs(fewer) <= np.abs(more) + 1e-6).all() and np.abs(fewer).sum() < np.abs(
        more
    ).sum()


def values_of(model, kind=SplineMap):
    """Return the arguments with which the map of a model, of this kind, is fitted."""
    seen = []

    class Recorder(kind):
        def fit(self, *arguments):
            seen.append(arguments)
            return super().fit(*arguments)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_probabilities, kind.__name__, Recorder)
        solution_of(model).kept.pop("fitted", None)
        model.predict_proba(np.zeros((1, model.n_features_in_)))
    return seen[0]


def test_the_map_is_fitted_to_leave_one_out_values():
    X, y = banana(120)
    model = LASVC(C=2.0, max_iter=-1, tol=1e-6, probability=True, random_state=0).fit(X, y)
    scores, codes, weights = values_of(model)
    assert len(scores) == len(y) and (weights == 1.0).all()
    exact = []
    for i in range(len(y)):
        without = np.arange(len(y)) != i
        other = LASVC(C=2.0, gamma=model.gamma_, max_iter=-1, tol=1e-6, random_state=0)
        exact.append(other.fit(X[without], y[without]).decision_function(X[i : i + 1])[0])
    # Compared class by class, as the order differs.
    for code, label in enumerate(model.classes_):
        expected, found = np.sort(np.array(exact)[y == label]), np.sort(scores[codes == code])
        assert np.abs(expected - found).mean() < 0.06
        assert np.corrcoef(expected, found)[0, 1] > 0.99


def compare_with_cross_validation(model, X, y):
    """Return a model with probabilities, whose loss on fresh samples is not larger."""
    train, fresh = (X[:600], y[:600]), (X[600:], y[600:])
    ours = clone(model).set_params(probability=True).fit(*train)
    theirs = CalibratedClassifierCV(model, ensemble=False).fit(*train)
    found, expected = (log_loss(fresh[1], m.predict_proba(fresh[0])) for m in (ours, theirs))
    assert found < 1.03 * expected
    return ours


@pytest.mark.sampled
@pytest.mark.parametrize("C", [0.1, 1.0, 10.0, 100.0])
@pytest.mark.parametrize(
    "make",
    [banana, partial(make_waveform, random_state=0), three_classes],
    ids=["banana", "waveform", "three"],
)
def test_probabilities_are_as_good_as_those_of_cross_validation(C, make):
    compare_with_cross_validation(LASVC(C=C, random_state=0), *make(2600))


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_algorithms(algorithm):
    model = LASVC(C=5.0, algorithm=algorithm, random_state=0)
    compare_with_cross_validation(model, *banana(2600, flips=0.2))


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("C", [1.0, 10.0])
def test_the_ramp_loss(C, fit_intercept):
    model = RampSVC(C=C, fit_intercept=fit_intercept, random_state=0)
    model = compare_with_cross_validation(model, *banana(2600, flips=0.2))
    scores, _, weights = values_of(model)
    assert len(scores) == 600 and (weights == 1.0).all()


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_a_ramp_that_is_never_reached_is_the_hinge_loss(fit_intercept):
    X, y = banana(300)
    options = dict(C=2.0, tol=1e-6, probability=True, random_state=0)
    algorithm = "lasvm" if fit_intercept else "lasvm-g"
    hinge = LASVC(algorithm=algorithm, max_iter=-1, **options).fit(X, y)
    ramp = RampSVC(ramp_s=-100.0, fit_intercept=fit_intercept, **options).fit(X, y)
    assert_allclose(ramp.predict_proba(X), hinge.predict_proba(X), atol=1e-4)


@pytest.mark.parametrize("kind", [LASVC, RampSVC])
@pytest.mark.parametrize("layout", [np.asarray, sparse.csr_matrix, np.float32])
@pytest.mark.parametrize("make", [two_classes, three_classes])
def test_shapes_and_sums(make, layout, kind):
    X, y = make(200)
    X = layout(X)
    model = kind(probability=True, random_state=0).fit(X, y)
    probabilities = model.predict_proba(X)
    assert probabilities.shape == (200, len(model.classes_))
    assert_allclose(probabilities.sum(axis=1), 1.0)
    assert_allclose(np.log(probabilities), model.predict_log_proba(X), atol=1e-9)


def test_predict_follows_the_decision_function():
    X, y = two_classes(200, noise=1.0)
    plain, model = (LASVC(random_state=0, probability=p).fit(X, y) for p in (False, True))
    assert_array_equal(plain.predict(X), model.predict(X))
    assert_array_equal(plain.decision_function(X), model.decision_function(X))


def test_weights_are_repetitions_in_the_map():
    """Weights change the map, not only the solution."""
    X, y = banana(300)
    weights = np.where(y == y.max(), 5.0, 1.0)
    # C is divided by the weights, so that the solution is the same.
    plain = LASVC(C=1.0, probability=True, random_state=0).fit(X, y)
    factors = {y.max(): 0.2}
    model = LASVC(
        C=1.0, gamma=plain.gamma_, class_weight=factors, probability=True, random_state=0
    )
    model.fit(X, y, weights)
    assert_allclose(model.decision_function(X), plain.decision_function(X), atol=1e-6)
    mean = plain.predict_proba(X)[:, 1].mean()
    assert_allclose(mean, (y == y.max()).mean(), atol=0.02)
    odds = 5.0 * mean / (1.0 - mean)
    weighted = np.average(model.predict_proba(X)[:, 1], weights=weights)
    assert_allclose(weighted, odds / (1.0 + odds), atol=0.02)


@pytest.mark.parametrize("make", [banana, three_classes])
def test_samples_of_weight_zero_do_not_count(make):
    X, y = make(300)
    weights = np.ones(300)
    weights[250:] = 0.0
    # Given gamma, as gamma="scale" is weighted, too.
    options = dict(gamma=1.0, probability=True, shuffle=False)
    whole = LASVC(**options).fit(X, y, weights)
    part = LASVC(**options).fit(X[:250], y[:250])
    assert_allclose(whole.predict_proba(X), part.predict_proba(X), atol=1e-9)


def test_large_sets_are_represented_by_a_part(monkeypatch):
    X, y = banana(3000, flips=0.0)
    whole = LASVC(probability=True, random_state=0).fit(X, y)
    expected = whole.predict_proba(X)
    set_limits(monkeypatch, N_OTHERS=300, N_MAP_VALUES=(200, 300))
    part = LASVC(probability=True, random_state=0).fit(X, y)
    scores, codes, weights = values_of(part)
    assert len(scores) <= 500
    assert_allclose(weights.sum(), 3000)
    # The mean difference is 0.010, with a standard deviation over seeds of 0.004.
    assert np.abs(part.predict_proba(X) - expected).mean() < 0.03


# ------------------------------------------------------------------------------ streams


def streamed(X, y, size, **params):
    model = LASVC(gamma=0.5, finishing=False, probability=True, **params)
    for first in range(0, len(y), size):
        chunk = slice(first, first + size)
        model.partial_fit(X[chunk], y[chunk], classes=np.unique(y))
    return model


@pytest.mark.parametrize("window_size", [None, 150])
def test_chunks_do_not_matter(window_size, monkeypatch):
    set_limits(monkeypatch, N_RECENT=100)
    X, y = banana(330)
    models = [streamed(X, y, size, window_size=window_size) for size in (1, 7, 110, 330)]
    for model in models[1:]:
        assert_array_equal(model.predict_proba(X), models[0].predict_proba(X))


@pytest.mark.parametrize("size", [1, 50, 110])
def test_a_stream_counts_its_last_samples(size, monkeypatch):
    set_limits(monkeypatch, N_RECENT=100)
    X, y = banana(330)
    model = streamed(X, y, size)
    sizes = [len(codes) for _, codes, _ in machine_of(model).kept.chunks]
    assert sum(sizes) >= 100 > sum(sizes[1:])  # no more chunks than necessary
    scores, codes, weights = values_of(model)
    assert len(scores) == 100 and (weights == 1.0).all()
    assert_array_equal(np.bincount(codes), np.bincount(np.searchsorted(model.classes_, y[-100:])))


def test_samples_of_fit_count_until_the_stream_is_long(monkeypatch):
    set_limits(monkeypatch, N_RECENT=100)
    X, y = banana(400)
    model = LASVC(probability=True, random_state=0).fit(X[:200], y[:200])
    model.partial_fit(X[200:250], y[200:250])
    assert_allclose(values_of(model)[2].sum(), 250)
    model.partial_fit(X[250:350], y[250:350])
    assert_allclose(values_of(model)[2].sum(), 100)


def test_the_data_of_the_caller_are_copied():
    X, y = banana(200)
    model = LASVC(gamma=0.5, probability=True).partial_fit(X, y, classes=np.unique(y))
    points = X.copy()
    expected = copy.deepcopy(model).predict_proba(points)
    X[:] = 7.0
    assert_array_equal(model.predict_proba(points), expected)


def test_probabilities_follow_a_drift():
    """The labels of the second half are noisy: the probabilities become less extreme."""
    X, y = banana(9000, flips=0.0)
    noisy = np.random.RandomState(1).uniform(size=9000) < 0.3
    noisy[:4500] = False
    y = np.where(noisy, np.where(y == y.max(), y.min(), y.max()), y)
    model = LASVC(gamma=0.5, probability=True, window_size=1000)
    model.partial_fit(X[:4000], y[:4000], classes=np.unique(y))
    frozen = copy.deepcopy(model)
    before = model.predict_proba(X[:500]).max(axis=1).mean()
    model.partial_fit(X[4000:8800], y[4000:8800])
    after = model.predict_proba(X[:500]).max(axis=1).mean()
    assert before > 0.85 and after < 0.75
    assert log_loss(y[8800:], model.predict_proba(X[8800:])) < log_loss(
        y[8800:], frozen.predict_proba(X[8800:])
    )


def test_snapshot_and_finish():
    X, y = banana(300)
    model = streamed(X, y, 50)
    snapshot = model.snapshot()
    assert_allclose(snapshot.predict_proba(X).sum(axis=1), 1.0)
    model.finish()
    assert_array_equal(model.predict_proba(X), snapshot.predict_proba(X))


def test_models_of_a_path():
    X, y = banana(300)
    # At the optimum the models are the same; after a single pass they would differ by 0.2.
    params = dict(gamma=0.5, max_iter=-1, tol=1e-6, probability=True, random_state=0)
    largest = LASVC(**params)
    path = largest.fit_path(X, y, [0.1, 1.0, 10.0])
    for model in path:
        alone = LASVC(C=model.C, **params).fit(X, y)
        assert_allclose(model.predict_proba(X), alone.predict_proba(X), rtol=0, atol=1e-3)
        assert_allclose(values_of(model)[2].sum(), 300)
    assert_array_equal(largest.predict_proba(X), path[-1].predict_proba(X))


def test_dense_and_sparse_chunks_of_a_stream():
    X, y = banana(200)
    dense, mixed = (LASVC(gamma=0.5, probability=True) for _ in range(2))
    for first in range(0, 200, 50):
        rows = slice(first, first + 50)
        dense.partial_fit(X[rows], y[rows], classes=np.unique(y))
        chunk = sparse.csr_matrix(X[rows]) if first % 100 else X[rows]
        mixed.partial_fit(chunk, y[rows], classes=np.unique(y))
    assert_allclose(dense.predict_proba(X), mixed.predict_proba(X), atol=1e-9)


@pytest.mark.parametrize(
    ("model", "method", "n_calls"),
    [
        (LASVC(max_iter=1), "fit", 8),
        (LASVC(max_iter=1), "partial_fit", 8),
        (RampSVC(), "fit", 5),
    ],
)
def test_an_interrupted_call_is_resumed(model, method, n_calls):
    X, y = banana(400)
    given = {"classes": np.unique(y)} if method == "partial_fit" else {}
    whole, model = (
        clone(model).set_params(probability=True, kernel=CutKernel(), random_state=0)
        for _ in range(2)
    )
    getattr(whole, method)(X, y, **given)
    model.kernel.calls_left = n_calls
    with pytest.raises(KeyboardInterrupt):
        getattr(model, method)(X, y, **given)
    if isinstance(model, LASVC):
        assert 0 < model.n_samples_seen_ < 400
        assert_allclose(values_of(model)[2].sum(), model.n_samples_seen_)
    assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)
    model.resume(X, y)
    assert_allclose(values_of(model)[2].sum(), 400)
    assert_allclose(model.predict_proba(X), whole.predict_proba(X), atol=1e-6)


# ------------------------------------------------------------------------------ errors


@pytest.mark.parametrize("kind", [LASVC, RampSVC])
def test_a_precomputed_kernel_is_refused(kind):
    X, y = two_classes(30)
    model = kind(kernel="precomputed").fit(X @ X.T, y)
    before = pickle.dumps(model)
    model.set_params(probability=True)
    words = "probability=True is not possible with kernel='precomputed'"
    with pytest.raises(ValueError, match=words):
        model.fit(X @ X.T, y)
    assert pickle.dumps(model.set_params(probability=False)) == before


def test_probability_is_set_before_training():
    X, y = two_classes(100)
    model = LASVC(gamma=0.5).fit(X, y)
    with pytest.raises(AttributeError) as raised:
        model.predict_proba(X)
    assert "probability=True, set before it is fitted" in str(raised.value.__cause__)
    model.set_params(probability=True)
    with pytest.raises(ValueError, match=r"was set after training.*Call fit or partial_fit"):
        model.predict_proba(X)
    model.partial_fit(X, y)
    assert model.predict_proba(X).shape == (100, 2)
    model.set_params(probability=False).fit(X, y)
    assert "_samples" not in vars(model)


# -- states between two calls -----------------------------------------------------------


@pytest.mark.parametrize("kind", [LASVC, RampSVC])
def test_parameters_that_are_set_after_training_do_not_matter(kind):
    X, y = banana(200)
    model = kind(probability=True, gamma=2.0, random_state=0).fit(X, y)
    copied = pickle.loads(pickle.dumps(model))
    model.set_params(kernel="linear", gamma=7.0, C=0.1)
    assert_array_equal(model.predict_proba(X), copied.predict_proba(X))


@pytest.mark.parametrize("make", [two_classes, three_classes])
def test_before_any_sample_with_a_weight_all_classes_are_equally_likely(make):
    X, y = make(20)
    classes = np.unique(y)
    model = LASVC(probability=True).partial_fit(X, y, classes, np.zeros(20))
    assert_allclose(model.predict_proba(X), 1.0 / len(classes))
    model.partial_fit(X, y)
    assert model.predict_proba(X).std() > 0.0


@pytest.mark.parametrize("multi_class", ["ovo", "ovr"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_former_predictions_do_not_change_the_map(n_classes, multi_class):
    """The optimal alpha of duplicates depends on where an optimization begins."""
    rng = np.random.default_rng(1)
    distinct, labels = rng.normal(size=(30, 3)), rng.integers(0, n_classes, 30)
    drawn = rng.integers(0, 30, 240)
    X, y = distinct[drawn], (labels[drawn] + (rng.random(240) < 0.1)) % n_classes
    params = dict(probability=True, C=100.0, gamma=0.5, multi_class=multi_class)
    silent, read = LASVC(**params), LASVC(**params)
    for first in range(0, 240, 40):
        for model in (silent, read):
            model.partial_fit(X[first : first + 40], y[first : first + 40], range(n_classes))
        read.predict(X)
        values = read.decision_function(X)
        read.predict_proba(X)
        assert_array_equal(read.decision_function(X), values)
    grid = rng.normal(size=(50, 1 if n_classes == 2 else 3))
    grid = grid[:, 0] if n_classes == 2 else grid
    maps = [probability_map(model).log_proba(grid) for model in (silent, read)]
    assert_array_equal(*maps)
    # The decision values of each model are within its tolerance for predictions.
    assert_allclose(silent.predict_proba(X), read.predict_proba(X), atol=0.01)


@pytest.mark.parametrize("multi_class", ["ovo", "ovr"])
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("kind", [LASVC, RampSVC])
def test_a_class_whose_map_has_no_values_is_reported(kind, n_classes, multi_class):
    """Without its only sample, a class has no support vector, and so no decision value."""
    X, y = make_waveform(200, random_state=0)
    y = np.where(y == -1, 0, n_classes - 2)
    model = kind(probability=True, multi_class=multi_class, random_state=0)
    y[0] = 7
    model.fit(X, y)
    with pytest.warns(UserWarning, match=r"Probabilities of the classes \[7\] are not reliable"):
        model.predict_proba(X)
    y[:10] = 7
    model.fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.predict_proba(X)


def test_a_cell_whose_map_has_no_values_is_reported():
    X, y = make_waveform(200, random_state=0)
    y[np.argmax(X[:, 0])] = 7
    model = CellClassifier(LASVC(probability=True), cell_size=100).fit(X, y)
    with pytest.warns(UserWarning, match=r"Probabilities of the classes \[7\] are not reliable"):
        model.predict_proba(X)
