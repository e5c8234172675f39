"""AdaptiveConformalInference, and prediction sets in a prequential evaluation."""

import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import Perceptron, SGDClassifier
from sklearn.naive_bayes import GaussianNB

from sklearn_online_svm import LASVC, AROWClassifier, LabelEfficientClassifier
from sklearn_online_svm.calibration import OnlineCalibratedClassifier
from sklearn_online_svm.evaluation import (
    AdaptiveConformalInference,
    progressive_validation,
)
from tests.support.internals import conformity_scores, threshold_of
from tests.support.samples import three_classes, two_classes


class Scores:
    """Classifier whose probabilities or decision values are given as X."""

    def __init__(self, classes, method="predict_proba"):
        self.classes_ = np.asarray(classes)
        setattr(self, method, np.asarray)


def guarantee(sets, n):
    alpha = 1 - sets.confidence_level
    largest = max(alpha, 1 - alpha) + sets.step_size
    return largest / (sets.step_size * n)


params = st.fixed_dictionaries(
    {
        "confidence_level": st.floats(0.01, 0.99),
        "step_size": st.floats(1e-3, 2.0),
        "window_size": st.integers(1, 50),
    }
)
# Few values, so that there are ties, and values of any size.
values = st.one_of(st.sampled_from([0.0, 0.5, 1.0]), st.floats(-1e100, 1e100))


@given(
    params=params,
    stream=st.lists(
        st.tuples(st.tuples(values, values, values), st.integers(0, 2)), min_size=1, max_size=200
    ),
    size=st.sampled_from([1, 7, 200]),
)
@settings(max_examples=150, deadline=None)
def test_the_guarantee_holds_for_any_sequence(params, stream, size):
    sets = AdaptiveConformalInference(**params)
    X, y = (np.array(part) for part in zip(*stream, strict=True))
    found = []
    for first in range(0, len(y), size):
        chunk = slice(first, first + size)
        found.append(sets.update(Scores([0, 1, 2]), X[chunk], y[chunk]))
        assert -sets.step_size - 1e-9 <= sets.alpha_ <= 1 + sets.step_size + 1e-9
    errors = ~np.concatenate(found)[np.arange(len(y)), y]
    difference = abs(errors.mean() - (1 - sets.confidence_level))
    assert difference <= guarantee(sets, len(y)) * (1 + 1e-9)


@pytest.mark.slow
@given(params=params, seed=st.integers(0, 2**32 - 1))
@settings(max_examples=50, deadline=None)
def test_the_guarantee_holds_against_an_adversary(params, seed):
    """The label is one that is not in the set, if there is one, or for a while always in it."""
    rng = np.random.default_rng(seed)
    sets, model = AdaptiveConformalInference(**params), Scores(["a", "b"])
    n, n_wrong = 150, 0
    hostile = True
    for t in range(n):
        hostile ^= t % 40 == 39
        X = rng.normal(size=(1, 2)) * 10.0 ** rng.integers(-3, 4)
        (within,) = sets.predict_set(model, X)
        wanted = np.flatnonzero(within != hostile)
        code = wanted[0] if len(wanted) else 0
        assert_array_equal(sets.update(model, X, model.classes_[[code]]), [within])
        n_wrong += not within[code]
    assert abs(n_wrong / n - (1 - sets.confidence_level)) <= guarantee(sets, n) * (1 + 1e-9)


def test_sets_equal_those_of_a_naive_implementation():
    rng = np.random.default_rng(0)
    P = rng.dirichlet([1, 1, 1], size=400).round(2)
    y = np.array([rng.choice(3, p=p) for p in P / P.sum(axis=1, keepdims=True)])
    sets = AdaptiveConformalInference(confidence_level=0.8, step_size=0.05, window_size=30)
    found = sets.update(Scores([0, 1, 2]), P, y)
    alpha, own = 0.2, P[np.arange(400), y]
    for t in range(400):
        recent = np.sort(own[max(0, t - 30) : t])
        k = np.floor((len(recent) + 1) * alpha + 1e-9)
        limit = -np.inf if k < 1 else np.inf if k > len(recent) else recent[int(k) - 1]
        assert_array_equal(found[t], P[t] >= limit)
        alpha += 0.05 * (0.2 - (own[t] < limit))
    assert_allclose(sets.alpha_, alpha)
    assert sets.n_samples_seen_ == 400


def test_without_steps_sets_are_those_of_split_conformal_prediction():
    mapie = pytest.importorskip("mapie.classification")
    X, y = three_classes(600)
    model = GaussianNB().fit(X[:200], y[:200])
    sets = AdaptiveConformalInference(confidence_level=0.9, step_size=0, window_size=200)
    sets.update(model, X[200:400], y[200:400])
    split = mapie.SplitConformalClassifier(model, confidence_level=0.9, prefit=True)
    split.conformalize(X[200:400], y[200:400])
    _, expected = split.predict_set(X[400:])
    assert_array_equal(sets.predict_set(model, X[400:]), expected[:, :, 0])


def test_infinite_thresholds():
    assert threshold_of([], 0.1) == threshold_of([1.0, 2.0], -0.01) == -np.inf
    assert threshold_of([], 1.0) == threshold_of([1.0, 2.0], 1.0) == np.inf
    assert threshold_of([1.0, 2.0], 0.32) == -np.inf
    assert threshold_of([1.0, 2.0], 1 / 3) == 1.0
    assert threshold_of([1.0, 2.0], 0.99) == 2.0
    assert threshold_of(list(range(9)), 1 - 0.9) == 0  # the rank is 0.99999...


def test_empty_and_full_sets():
    model, tied = Scores([0, 1]), np.full((1, 2), 0.5)
    sets = AdaptiveConformalInference(confidence_level=0.9, step_size=2.0)
    assert sets.predict_set(model, tied).all()  # before the first sample
    seen = [sets.update(model, tied, [0])[0].tolist() for _ in range(30)]
    # A full set adds 0.2 to alpha, an empty one subtracts 1.8.
    assert seen.count([False, False]) == 3
    assert seen.count([True, True]) == 27


def test_decision_values():
    binary = conformity_scores(Scores([0, 1], "decision_function"), np.array([1.5, -2.0]))
    assert_array_equal(binary, [[-3, 3], [4, -4]])
    columns = np.array([[1.0, 3.0, 2.5], [2.0, 2.0, 0.0]])
    several = conformity_scores(Scores([0, 1, 2], "decision_function"), columns)
    assert_array_equal(several, [[-2, 0.5, -0.5], [0, 0, -2]])
    as_columns = np.array([[-1.5, 1.5]])
    two = conformity_scores(Scores([0, 1], "decision_function"), as_columns)
    assert_array_equal(two, [[-3, 3]])


@pytest.mark.parametrize("size", [1, 7, 300])
def test_chunks_and_layouts_agree(size):
    X, y = three_classes(300)
    names = np.array(["no", "perhaps", "yes"])[np.unique(y, return_inverse=True)[1]]
    model = AROWClassifier().fit(X[:50], names[:50])
    whole = AdaptiveConformalInference(step_size=0.05, window_size=60)
    expected = whole.update(model, X, names)
    sets = AdaptiveConformalInference(step_size=0.05, window_size=60)
    S = csr_matrix(X)
    found = [sets.update(model, S[i : i + size], names[i : i + size]) for i in range(0, 300, size)]
    assert_array_equal(np.concatenate(found), expected)
    assert sets.alpha_ == whole.alpha_
    assert_array_equal(sets.predict_set(model, S), whole.predict_set(model, X))


def test_changed_parameters_take_effect():
    X, y = two_classes(300)
    model = SGDClassifier(random_state=0).fit(X, y)
    sets = AdaptiveConformalInference()
    sets.update(model, X, y)
    alpha = sets.alpha_
    assert len(sets._recent) == 300
    sets.set_params(confidence_level=0.5, step_size=0.1, window_size=20).update(
        model, X[:1], y[:1]
    )
    assert len(sets._recent) == 20
    assert min(abs(sets.alpha_ - alpha - 0.1 * step) for step in (0.5, -0.5)) < 1e-12


# ------------------------------------------------------------------- in an evaluation

MODELS = {
    "decision values": SGDClassifier(random_state=0),
    "probabilities": GaussianNB(),
    "kernel": LASVC(random_state=0),
    "calibrated": OnlineCalibratedClassifier(AROWClassifier()),
}


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
@pytest.mark.parametrize("problem", [two_classes, three_classes])
@pytest.mark.parametrize("size", [20, 40])
def test_counts_equal_those_of_a_naive_evaluation(model, problem, size):
    X, y = problem(200)
    given = AdaptiveConformalInference(confidence_level=0.8, step_size=0.02, window_size=100)
    result = progressive_validation(model, X, y, chunk_size=size, prediction_sets=given)
    alone, sets, found = clone(model), clone(given), []
    for first in range(0, 200, size):
        chunk = slice(first, first + size)
        if first:
            found.append(sets.update(alone, X[chunk], y[chunk]))
        alone.partial_fit(X[chunk], y[chunk], classes=np.unique(y))
    found = np.concatenate(found)
    covered = found[np.arange(len(found)), np.searchsorted(np.unique(y), y[size:])]
    assert_array_equal(result.n_sets, result.n_scored)
    for counts, each in ((result.n_covered, covered), (result.set_sizes, found.sum(axis=1))):
        assert_array_equal(counts, np.append(0, each.cumsum())[result.n_sets])
    assert_allclose(result.coverage()[-1], covered.mean())
    assert_allclose(result.set_size()[-1], found.sum(axis=1).mean())
    assert result.prediction_sets.alpha_ == sets.alpha_
    assert not hasattr(given, "alpha_")
    rolling = result.rolling(80)
    assert_allclose(rolling.coverage()[-1], covered[-80:].mean())
    assert_allclose(rolling.set_size()[-1], found[-80:].sum(axis=1).mean())
    plain = progressive_validation(model, X, y, chunk_size=size)
    assert_array_equal(plain.mistakes, result.mistakes)


def test_a_fitted_model_and_its_sets_continue():
    X, y = two_classes(400)
    whole = progressive_validation(
        AROWClassifier(), X, y, chunk_size=50, prediction_sets=AdaptiveConformalInference()
    )
    first = progressive_validation(
        AROWClassifier(),
        X[:200],
        y[:200],
        chunk_size=50,
        prediction_sets=AdaptiveConformalInference(),
    )
    second = progressive_validation(
        first.estimator,
        X[200:],
        y[200:],
        chunk_size=50,
        prediction_sets=first.prediction_sets,
        in_place=True,
    )
    assert second.prediction_sets is first.prediction_sets
    assert second.n_sets[-1] == 200
    assert first.n_covered[-1] + second.n_covered[-1] == whole.n_covered[-1]
    assert second.prediction_sets.alpha_ == whole.prediction_sets.alpha_


class Labelled(SGDClassifier):
    """Is trained on the samples that have a label."""

    def partial_fit(self, X, y, classes=None):
        known = ~np.isnan(y)
        return super().partial_fit(X[known], y[known], classes=classes)


@pytest.mark.parametrize("frame", [False, True])
def test_samples_without_a_label_have_no_set(frame):
    X, y = two_classes(300)
    y = (y == "yes").astype(float)
    y[100:150] = np.nan
    X = pd.DataFrame(X).add_prefix("feature_") if frame else X
    result = progressive_validation(
        Labelled(random_state=0),
        X,
        y,
        chunk_size=60,
        prediction_sets=AdaptiveConformalInference(),
    )
    assert_array_equal(result.n_sets, [0, 40, 70, 130, 190])
    assert_array_equal(result.n_sets, result.n_scored)


def test_active_learners_have_sets_once_they_are_fitted():
    X, y = two_classes(300)
    result = progressive_validation(
        LabelEfficientClassifier(random_state=0),
        X,
        y,
        chunk_size=60,
        prediction_sets=AdaptiveConformalInference(),
    )
    assert_array_equal(result.n_scored, [60, 120, 180, 240, 300])
    assert_array_equal(result.n_sets, [0, 60, 120, 180, 240])


def test_coverage_under_drift():
    """The labels become noisy: fixed sets lose their coverage, adaptive ones do not."""
    X, y = two_classes(6000)
    rng = np.random.default_rng(0)
    flipped = rng.uniform(size=6000) < np.where(np.arange(6000) < 5000, 0.0, 0.4)
    y = np.where(flipped, np.where(y == "yes", "no", "yes"), y)
    found = {}
    for step in (0.0, 0.02):
        sets = AdaptiveConformalInference(step_size=step, window_size=3000)
        result = progressive_validation(AROWClassifier(r=10), X, y, prediction_sets=sets)
        found[step] = result.rolling(1000).coverage()[-1]
    assert found[0.0] < 0.87, found
    assert abs(found[0.02] - 0.9) <= 0.02


def test_frames_have_coverage_and_size():
    result = progressive_validation(
        GaussianNB(), *three_classes(200), prediction_sets=AdaptiveConformalInference()
    )
    frame = result.to_frame()
    assert_array_equal(frame["coverage"], result.coverage())
    assert_array_equal(frame["set_size"], result.set_size())
    again = pickle.loads(pickle.dumps(result))
    assert_array_equal(again.coverage(), result.coverage())


# ------------------------------------------------------------------------------ errors

X2, Y2 = two_classes(60)
FITTED = SGDClassifier(random_state=0).fit(X2, Y2)


class OnlyClasses:
    """Has no scores."""

    classes_ = np.unique(Y2)


class Infinite(SGDClassifier):
    def decision_function(self, X):
        return super().decision_function(X) * np.inf


@pytest.mark.parametrize(
    ("params", "model", "X", "y", "message"),
    [
        ({"confidence_level": 1.0}, FITTED, X2, Y2, r"'confidence_level' .* Got 1\.0"),
        ({"step_size": -1.0}, FITTED, X2, Y2, r"'step_size' .* Got -1\.0"),
        ({"window_size": 0}, FITTED, X2, Y2, r"'window_size' .* Got 0"),
        ({}, FITTED, X2, Y2[:-1], r"inconsistent numbers of samples: \[60, 59\]"),
        ({}, FITTED, X2, np.full(60, "b"), r"not among the classes \['no', 'yes'\]: \['b'\]"),
        ({}, FITTED, X2[:, :1], Y2, r"features"),
        ({}, Infinite().fit(X2, Y2), X2, Y2, r"decision_function of Infinite returned nan or"),
        ({}, OnlyClasses(), X2, Y2, r"must have predict_proba .*, got OnlyClasses"),
        ({}, Perceptron(), X2, Y2, r"not fitted"),
    ],
)
def test_errors_leave_the_sets_unchanged(params, model, X, y, message):
    sets = AdaptiveConformalInference()
    sets.update(FITTED, X2, Y2)
    before = pickle.dumps(sets.__dict__)
    sets.set_params(**params)
    with pytest.raises((ValueError, NotFittedError), match=message):
        sets.update(model, X, y)
    sets.set_params(**AdaptiveConformalInference().get_params())
    assert pickle.dumps(sets.__dict__) == before


def test_metrics_need_sets():
    result = progressive_validation(SGDClassifier(), X2, Y2)
    assert result.n_sets.tolist() == [0]
    for metric in ("coverage", "set_size"):
        with pytest.raises(ValueError, match=f"{metric} is not available: no prediction sets"):
            getattr(result, metric)()
    with pytest.raises(ValueError, match=r"'prediction_sets' parameter .* Got 0\.9"):
        progressive_validation(SGDClassifier(), X2, Y2, prediction_sets=0.9)
