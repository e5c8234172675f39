"""Thresholds for a recall, a precision, a share of alarms or costs, and their intervals."""

import copy
import pickle
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_matrix
from scipy.special import betaln, comb
from scipy.stats import beta, binomtest
from sklearn.base import BaseEstimator, ClassifierMixin, OutlierMixin, clone
from sklearn.ensemble import IsolationForest
from sklearn.exceptions import NotFittedError
from sklearn.feature_selection import SelectKBest
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LinearRegression, Ridge, SGDClassifier
from sklearn.model_selection import FixedThresholdClassifier, StratifiedKFold, cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline

from sklearn_online_svm import LASVC, ActiveLASVC, AROWClassifier, OneClassLASVM
from sklearn_online_svm.datasets import make_waveform
from sklearn_online_svm.evaluation import (
    AdaptiveConformalInference,
    AdaptiveThreshold,
    ThresholdDisplay,
    misclassification_cost,
    select_threshold,
)
from tests.support.internals import limits

X, y = make_waveform(440, imbalance_ratio=10, random_state=0)
MODEL = LASVC(gamma=0.01, random_state=0).fit(X, y)
TARGETS = (
    {"recall": 0.8},
    {"precision": 0.6},
    {"alarm_rate": 0.1},
    {"costs": {1: 10, -1: 1}},
)


class Scores(ClassifierMixin, BaseEstimator):
    """Fitted classifier whose decision values are the only feature."""

    def __init__(self, classes=(0, 1)):
        self.classes = classes

    @property
    def classes_(self):
        return np.asarray(self.classes)

    def fit(self, X, y):
        return self

    def decision_function(self, X):
        return np.asarray(X, dtype=float)[:, 0]

    def __sklearn_is_fitted__(self):
        return True


class OutlierScores(OutlierMixin, BaseEstimator):
    """Fitted outlier detector whose decision values are the only feature."""

    def fit(self, X, y=None):
        return self

    def decision_function(self, X):
        return np.asarray(X, dtype=float)[:, 0]

    def __sklearn_is_fitted__(self):
        return True


def of_scores(scores, labels, **target):
    frozen = FrozenEstimator(Scores())
    return select_threshold(frozen, np.reshape(scores, (-1, 1)), labels, **target)


def rates(choice, threshold):
    """Recall, precision and alarm rate of left-out scores, computed one by one."""
    alarms = [score >= threshold for score in choice.scores]
    hits = sum(a and b for a, b in zip(alarms, choice.labels, strict=True))
    return hits / sum(choice.labels), hits / max(1, sum(alarms)), sum(alarms) / len(alarms)


# -------------------------------------------------------------------------- the threshold


@pytest.mark.sampled
@pytest.mark.parametrize("guarantee", [False, True])
@pytest.mark.parametrize("target", TARGETS[:3], ids=str)
def test_thresholds_are_those_of_a_search_over_all_scores(target, guarantee):
    choice = select_threshold(MODEL, X, y, guarantee=guarantee, confidence_level=0.8, **target)
    ((name, value),) = target.items()
    n, n_positive = len(y), int(np.sum(y == 1))
    tested = {int(1.25**k) for k in range(1 + int(np.log(n) / np.log(1.25)))}
    found = []
    for threshold in choice.scores:
        hits = np.sum(choice.labels & (choice.scores >= threshold))
        alarms = np.sum(choice.scores >= threshold)
        count, of = dict(
            recall=(hits, n_positive), precision=(hits, alarms), alarm_rate=(alarms, n)
        )[name]
        if guarantee:
            error = 0.2 / len(tested) if name == "precision" else 0.2
            low, high = binomtest(int(count), int(of)).proportion_ci(1 - 2 * error)
            estimate = high if name == "alarm_rate" else low
            if name == "precision" and alarms not in tested:
                continue
        else:
            estimate = count / (of + 1)
        if estimate <= value if name == "alarm_rate" else estimate >= value:
            found.append(threshold)
    assert choice.threshold == (max(found) if name == "recall" else min(found))
    assert_allclose(
        [choice.recall, choice.precision, choice.alarm_rate], rates(choice, choice.threshold)
    )


def test_costs_are_the_smallest():
    choice = select_threshold(MODEL, X, y, costs={1: 10, -1: 3})

    def cost(threshold):
        predicted = np.where(choice.scores >= threshold, 1, -1)
        return misclassification_cost(y, predicted, costs={1: 10, -1: 3}, normalize=True)

    assert_allclose(choice.cost, min(cost(t) for t in [*choice.scores, np.inf]))
    assert_allclose(choice.cost, cost(choice.threshold))
    low, high = choice.cost_interval
    assert 0 < low < choice.cost < high
    free = select_threshold(MODEL, X, y, costs={1: 0, -1: 1})
    assert (free.threshold, free.alarm_rate, free.cost) == (np.inf, 0, 0)
    assert free.alarms_interval(30)[0] == 0
    assert_array_equal(free.predict(MODEL, X), -np.ones(len(y)))


scores = st.lists(st.integers(-1000, 1000), min_size=40, max_size=80, unique=True)


@given(scores=scores, seed=st.integers(0, 1000), shift=st.integers(-8, 8))
@settings(max_examples=30, deadline=None)
def test_order_and_shift_of_the_scores(scores, seed, shift):
    rng = np.random.default_rng(seed)
    scores, labels = np.array(scores), rng.integers(0, 2, len(scores))
    labels[:20] = 1
    order = rng.permutation(len(scores))
    for target in ({"recall": 0.9}, {"alarm_rate": 0.2}, {"costs": {0: 1, 1: 2}}):
        choice = of_scores(scores, labels, **target)
        other = of_scores(scores[order] + shift, labels[order], **target)
        assert other.threshold == choice.threshold + shift
        assert repr(other).partition(",")[2] == repr(choice).partition(",")[2]


@given(scores=scores, seed=st.integers(0, 1000))
@settings(max_examples=30, deadline=None)
def test_thresholds_are_monotone_in_the_target(scores, seed):
    labels = np.random.default_rng(seed).integers(0, 2, len(scores))
    labels[:20] = 1
    for name in ("recall", "alarm_rate"):
        found = [of_scores(scores, labels, **{name: value}).threshold for value in (0.3, 0.6, 0.9)]
        assert found == sorted(found, reverse=True)
    for name, sign in (("recall", -1), ("alarm_rate", 1)):
        found = [
            of_scores(scores, labels, **{name: 0.5}, guarantee=g, confidence_level=level).threshold
            for g, level in ((False, 0.9), (True, 0.9), (True, 0.99))
        ]
        assert found == sorted(found, reverse=sign < 0)


# ------------------------------------------------------------------------------ intervals


def test_limits_are_those_of_clopper_and_pearson():
    for count, n in ((0, 10), (3, 10), (10, 10), (50, 1000)):
        expected = binomtest(count, n).proportion_ci(0.9)
        assert_allclose(limits(count, n, 0.9), [expected.low, expected.high])
    assert limits(0, 0, 0.9) == (0, 1)


@pytest.mark.parametrize("level", [0.5, 0.9])
@pytest.mark.parametrize("target", TARGETS, ids=str)
def test_intervals_of_the_rates(target, level):
    """Half of the error is for the selection of the smallest cost."""
    choice = select_threshold(MODEL, X, y, confidence_level=level, **target)
    alarms, positive = choice.scores >= choice.threshold, y == 1
    used = 0.5 * (1 + level) if "costs" in target else level

    def interval(counted, among):
        test = binomtest(int(np.sum(counted & among)), int(np.sum(among)))
        return test.proportion_ci(used)

    recall, false_alarms = interval(alarms, positive), interval(alarms, ~positive)
    assert_allclose(choice.recall_interval, recall)
    assert_allclose(choice.precision_interval, interval(positive, alarms))
    assert_allclose(choice.alarm_rate_interval, interval(alarms, np.full(len(y), True)))
    if "costs" not in target:
        assert np.isnan([choice.cost, *choice.cost_interval]).all()
        return
    missed, wrong = 10 * np.mean(positive), np.mean(~positive)
    rate = np.mean(alarms[~positive])
    below = np.hypot(missed * (recall.high - choice.recall), wrong * (rate - false_alarms.low))
    above = np.hypot(missed * (choice.recall - recall.low), wrong * (false_alarms.high - rate))
    assert_allclose(choice.cost_interval, [choice.cost - below, choice.cost + above])


@pytest.mark.parametrize("distribution", ["normal", "exponential"])
def test_the_recall_has_a_beta_distribution(distribution):
    """Its expected value, its lower limit and the guarantee are exact for any scores."""
    rng = np.random.default_rng(0)
    n, level, n_draws = 25, 0.9, 500
    attained, covered, reached = [], [], []
    for _ in range(n_draws):
        positive, negative, new = (getattr(rng, distribution)(size=size) for size in (n, 60, 4000))
        samples = np.concatenate([positive + 1, negative]), np.repeat([1, 0], [n, 60])
        options = dict(recall=0.8, confidence_level=level)
        choice, sure = (of_scores(*samples, guarantee=g, **options) for g in (False, True))
        attained.append(np.mean(new + 1 >= choice.threshold))
        low, high = choice.recall_interval
        covered.append(low <= attained[-1] <= high)
        reached.append(np.mean(new + 1 >= sure.threshold) >= 0.8)
    k = int(np.ceil(0.8 * (n + 1)))
    # Four standard errors.
    assert abs(np.mean(attained) - k / (n + 1)) < 4 * np.std(attained) / np.sqrt(n_draws)
    assert abs(np.std(attained) - beta(k, n + 1 - k).std()) < 0.006
    assert np.mean(covered) > level - 4 * np.sqrt(level * (1 - level) / n_draws)
    k = next(k for k in range(1, n + 1) if beta.ppf(1 - level, k, n + 1 - k) >= 0.8)
    expected = beta.sf(0.8, k, n + 1 - k)
    assert abs(np.mean(reached) - expected) < 4 * np.sqrt(expected * (1 - expected) / n_draws)


@pytest.mark.parametrize("count", [1, 3, 20])
def test_interval_of_the_number_of_alarms(count, n=20, n_new=30):
    """Among new samples whose alarm rate has the distributions of its Clopper-Pearson limits."""
    choice = of_scores(np.arange(n), None, alarm_rate=count / (n + 1), confidence_level=0.8)
    assert np.sum(choice.scores >= choice.threshold) == count
    numbers = np.arange(n_new + 1)

    def distribution(a, b):
        """Return the distribution function of the number, if that of the rate is Beta(a, b)."""
        rates = betaln(numbers + a, n_new - numbers + b) - betaln(a, b)
        return np.cumsum(comb(n_new, numbers) * np.exp(rates))

    low, high = choice.alarms_interval(n_new)
    assert low == np.argmax(distribution(count, n - count + 1) >= 0.1)
    if count == n:
        assert high == n_new
    else:
        assert high == np.argmax(distribution(count + 1, n - count) >= 0.9)


def test_numbers_of_alarms_of_folds():
    folds = select_threshold(MODEL, X, y, alarm_rate=0.1, cv=5)
    left_out = select_threshold(MODEL, X, y, alarm_rate=0.1)
    # The interval is longer than that of leave-one-out values.
    lengths = [np.ptp(choice.alarms_interval(1000)) for choice in (folds, left_out)]
    assert lengths[0] > lengths[1]
    assert folds.alarms_interval(0) == (0, 0)
    for n_samples in (-1, 2.5):
        with pytest.raises(
            ValueError, match=f"n_samples must be an integer >= 0, got {n_samples}"
        ):
            folds.alarms_interval(n_samples)


# --------------------------------------------------------------------------------- scores


def test_leave_one_out_values_are_used():
    choice = select_threshold(MODEL, X, y, recall=0.8)
    assert choice.origin == "leave-one-out"
    assert_array_equal(choice.scores, MODEL.leave_one_out_decision_function(X, y))
    assert_array_equal(choice.labels, y == 1)
    active = ActiveLASVC(gamma=0.01, random_state=0).fit(X, y)
    assert select_threshold(active, X, y, recall=0.8).origin == "leave-one-out"


@pytest.mark.parametrize(
    "model",
    [
        LASVC(gamma=0.01),
        LASVC(gamma=0.01, algorithm="lasvm-nc", random_state=0).fit(X, y),
        make_pipeline(SelectKBest(k=15), LASVC(gamma=0.01)).fit(X, y),
        SGDClassifier(random_state=0),
    ],
    ids=["unfitted", "ramp loss", "pipeline", "sgd"],
)
def test_otherwise_folds_are_used(model):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        choice = select_threshold(model, X, y, recall=0.8)
    assert choice.origin == "cross-validation"
    assert "origin='cross-validation'" in repr(choice)
    expected = cross_val_predict(model, X, y, cv=StratifiedKFold(10), method="decision_function")
    assert_array_equal(choice.scores, expected)


@pytest.mark.parametrize(
    "model",
    [clone(MODEL).fit(X[:-1], y[:-1]), clone(MODEL).fit(-X, y), clone(MODEL).fit(X, y == 1)],
    ids=["fewer samples", "other samples", "other labels"],
)
def test_a_model_of_other_samples_is_cloned_with_a_warning(model):
    with pytest.warns(UserWarning, match="LASVC was fitted on other samples .* FrozenEstimator"):
        choice = select_threshold(model, X, y, recall=0.8)
    assert repr(choice) == repr(select_threshold(clone(model), X, y, recall=0.8))


def test_a_frozen_model_of_these_samples_is_noticed():
    """The scores were those of training, for which any threshold looks good."""
    model = clone(MODEL).fit(X, y)
    choice = select_threshold(FrozenEstimator(model), X, y, recall=0.8, cv=5)
    assert choice.origin == "leave-one-out"
    assert repr(choice) == repr(select_threshold(model, X, y, recall=0.8))


def test_folds_and_probabilities():
    choice = select_threshold(MODEL, X, y, recall=0.8, cv=StratifiedKFold(5))
    assert_array_equal(
        choice.scores, cross_val_predict(MODEL, X, y, cv=5, method="decision_function")
    )
    splits = list(StratifiedKFold(5).split(X, y))
    again = select_threshold(MODEL, X, y, recall=0.8, cv=iter(splits))
    assert repr(again) == repr(choice)
    probable = select_threshold(GaussianNB(), X, y, recall=0.8, cv=4)
    expected = cross_val_predict(GaussianNB(), X, y, cv=4, method="predict_proba")
    assert_array_equal(probable.scores, expected[:, 1])
    assert probable.response_method == "predict_proba"


def test_intervals_of_folds_are_extended_by_their_trend():
    choice = select_threshold(MODEL, X, y, recall=0.8, cv=5)
    splits = list(StratifiedKFold(5).split(X, y))
    halves = [np.concatenate([test for _, test in splits[first::2]]) for first in (0, 1)]
    halved = cross_val_predict(MODEL, X, y, cv=[halves, halves[::-1]], method="decision_function")
    n_alarms = np.sum(choice.scores >= choice.threshold)
    change = choice.alarm_rate - np.mean(halved >= choice.threshold)
    low, high = binomtest(int(n_alarms), len(y)).proportion_ci(0.95)
    expected = low + min(0, change), high + max(0, change)  # 1 / (sqrt(5 - 1) - 1) = 1
    assert_allclose(choice.alarm_rate_interval, expected)


def test_held_out_samples_and_missing_labels():
    X_new, y_new = make_waveform(300, imbalance_ratio=10, random_state=1)
    frozen = FrozenEstimator(MODEL)
    choice = select_threshold(frozen, X_new, y_new, alarm_rate=0.1)
    assert choice.origin == "held-out samples"
    assert_array_equal(choice.scores, MODEL.decision_function(X_new))
    unlabelled = select_threshold(frozen, csr_matrix(X_new), alarm_rate=0.1)
    assert unlabelled.threshold == pytest.approx(choice.threshold)
    assert unlabelled.labels is None
    assert np.isnan([unlabelled.recall, *unlabelled.precision_interval]).all()
    assert "recall" not in repr(unlabelled)


@pytest.mark.parametrize("pos_label", ["fraud", "regular"])
def test_labels_may_be_strings(pos_label):
    names = np.where(y == 1, "fraud", "regular")
    model = LASVC(gamma=0.01, random_state=0).fit(X, names)
    choice = select_threshold(model, X, names, recall=0.8, pos_label=pos_label)
    sign = 1 if pos_label == "regular" else -1
    assert_array_equal(choice.scores, sign * model.leave_one_out_decision_function(X, names))
    assert_array_equal(choice.labels, names == pos_label)
    fixed = choice.classifier(model)
    assert_array_equal(fixed.predict(X), choice.predict(model, X))
    assert_array_equal(fixed.fit(X, names).predict(X), choice.predict(model, X))
    costs = {"fraud": 10, "regular": 1}
    other = select_threshold(model, X, names, costs=costs, pos_label=pos_label)
    mirrored = select_threshold(
        model, X, names, costs=costs, pos_label=({*costs} - {pos_label}).pop()
    )
    assert other.cost == pytest.approx(mirrored.cost)


@pytest.mark.parametrize(
    "model", [OneClassLASVM(nu=0.1), IsolationForest(n_estimators=20, random_state=0)]
)
def test_outlier_detectors(model):
    choice = select_threshold(model, X, alarm_rate=0.05)
    assert_array_equal(
        choice.scores, -cross_val_predict(model, X, cv=10, method="decision_function")
    )
    assert (choice.pos_label, choice.labels) == (-1, None)
    assert choice.alarm_rate <= 0.05
    fitted = clone(model).fit(X)
    expected = np.where(fitted.decision_function(X) <= -choice.threshold, -1, 1)
    assert_array_equal(choice.predict(fitted, X), expected)
    labelled = select_threshold(FrozenEstimator(fitted), X, -y, recall=0.8)
    found = labelled.predict(fitted, X)
    assert np.mean(found[y == 1] == -1) >= 0.8


# --------------------------------------------------------------------------------- errors

REGRESSOR, FROZEN = LinearRegression(), FrozenEstimator(MODEL)
THREE = np.arange(len(y)) % 3


@pytest.mark.parametrize(
    ("model", "labels", "params", "message"),
    [
        (MODEL, y, {}, r"Exactly one of recall, precision, alarm_rate, costs must .* got \[\]"),
        (MODEL, y, {"recall": 0.9, "precision": 0.5}, r"got \['recall', 'precision'\]"),
        (MODEL, y, {"recall": 1.0}, r"'recall' parameter .* Got 1\.0"),
        (MODEL, y, {"costs": 10}, r"'costs' parameter .* Got 10"),
        (MODEL, y, {"costs": {1: 10}}, r"costs must be a dict .* \[-1, 1\].* got {1: 10}"),
        (MODEL, y, {"costs": {1: 10, 0: 1}}, r"costs must .* got {1: 10, 0: 1}"),
        (MODEL, y, {"costs": {1: 2, 0: 1, -1: 1}}, r"costs must .* got {1: 2, 0: 1, -1: 1}"),
        (MODEL, y, {"costs": {1: 0, -1: 0}}, r"not both 0"),
        *(
            (MODEL, y, {"costs": {1: cost, -1: 1}}, f"costs must .* got {{1: {cost!r}, -1: 1}}")
            for cost in (-1, np.nan, np.inf, 10**400, "high", None)
        ),
        (MODEL, y, {"costs": {1: 1, -1: 1}, "guarantee": True}, "guarantee=True is not available"),
        (MODEL, y, {"recall": 0.99}, r"recall=0\.99 requires at least 99 positive .* got 40"),
        (MODEL, y, {"precision": 0.999}, r"precision=0\.999 cannot .* largest value .* is 0\."),
        (MODEL, y, {"alarm_rate": 1e-4}, r"smallest value with these 440 samples is 0\.00227"),
        (MODEL, y, {"recall": 0.95, "guarantee": True}, r"guarantee=True .* least 59 positive"),
        (MODEL, y, {"recall": 0.5, "cv": 2}, "cv must have at least 3 folds, got 2"),
        (MODEL, y, {"recall": 0.5, "confidence_level": 1.5}, "'confidence_level' parameter"),
        (MODEL, y, {"recall": 0.5, "pos_label": 2}, r"pos_label=2 is not one of \[-1, 1\]"),
        (MODEL, y[:-1], {"recall": 0.5}, r"inconsistent numbers of samples"),
        (MODEL, THREE, {"recall": 0.5}, r"two classes, got \[0, 1, 2\]"),
        (MODEL, np.ones(440), {"recall": 0.5}, r"requires two classes, got \[1\.0\]"),
        (FROZEN, np.ones(440), {"alarm_rate": 0.5}, r"both classes, \[-1, 1\], got only \[1\.0\]"),
        (OneClassLASVM(), -np.ones(440), {"recall": 0.5}, r"both classes, .* got only \[-1\.0\]"),
        (MODEL, None, {"alarm_rate": 0.1}, "y=None requires alarm_rate and an outlier detector"),
        (FROZEN, None, {"recall": 0.1}, "y=None requires alarm_rate .* got recall"),
        (FROZEN, THREE, {"recall": 0.1}, r"classes of the estimator, \[-1, 1\]: \[0, 2\]\.$"),
        (FROZEN, THREE.astype(str), {"recall": 0.1}, r"\[-1, 1\]: \['0', '1', '2'\]\.$"),
        (FrozenEstimator(LASVC()), y, {"recall": 0.1}, "not fitted"),
        (REGRESSOR, y, {"recall": 0.1}, "must be a classifier or an outlier detector, got Linear"),
        (OneClassLASVM(), THREE, {"recall": 0.1}, r"-1 \(outliers\) and 1 .* got \[0, 2\]"),
        (Scores(), y == 1, {"recall": 0.1}, None),
        (MODEL, np.where(y == 1, "a", "b"), {"recall": 0.1}, r"pos_label must be one of"),
    ],
)  # fmt: skip
def test_errors(model, labels, params, message):
    if message is None:
        assert select_threshold(model, X, labels, **params).recall >= 0.1
        return
    with pytest.raises((ValueError, NotFittedError), match=message):
        select_threshold(model, X, labels, **params)


def test_classifiers_with_the_threshold():
    """The threshold is one of decision values, although the model has probabilities."""
    model = LASVC(gamma=0.01, probability=True, random_state=0).fit(X, y)
    choice = select_threshold(model, X, y, recall=0.8)
    classifier = choice.classifier(model)
    assert isinstance(classifier, FixedThresholdClassifier)
    assert_array_equal(classifier.predict(X), choice.predict(model, X))
    for other, message in (
        (OutlierScores(), r"must be a classifier, got OutlierScores\(\)\. For outlier detectors"),
        (Ridge().fit(X, y), "must be a classifier or an outlier detector, got Ridge"),
        (LASVC(), "not fitted"),
        (Scores([2, 3]), r"pos_label=1 is not one of \[2, 3\]"),
    ):
        with pytest.raises((ValueError, NotFittedError), match=message):
            choice.classifier(other)


def test_only_choices_are_plotted():
    with pytest.raises(TypeError, match=r"must be a ThresholdChoice, .* got 0\.5"):
        ThresholdDisplay.from_choice(0.5)


def test_labels_must_be_finite():
    with pytest.raises(ValueError, match="Input y contains NaN"):
        select_threshold(LASVC(), np.ones((4, 1)), [0.0, 1.0, np.nan, 1.0], recall=0.5)


def test_scores_must_be_finite():
    X_bad = np.array([[1.0], [np.inf], [0.0]])
    with pytest.raises(ValueError, match="scores of estimator must be finite"):
        select_threshold(FrozenEstimator(Scores()), X_bad, [1, 0, 0], recall=0.5)
    with pytest.raises(ValueError, match="scores of estimator must be finite"):
        AdaptiveThreshold(recall=0.5).update(Scores(), X_bad, [1, 0, 0])


def test_choices_can_be_pickled():
    choice = select_threshold(MODEL, X, y, recall=0.8)
    again = pickle.loads(pickle.dumps(choice))
    assert repr(again) == repr(choice)
    assert_array_equal(again.predict(MODEL, X), choice.predict(MODEL, X))
    with pytest.raises(AttributeError):
        choice.threshold = 0.0


# -------------------------------------------------------------------------------- display


@pytest.mark.parametrize("labels", [y, None])
def test_display(labels):
    pytest.importorskip("matplotlib").use("agg")
    choice = select_threshold(FROZEN, X, labels, alarm_rate=0.1)
    display = ThresholdDisplay.from_choice(choice, name="alarms")
    assert set(display.lines_) == {"alarm_rate"} | (
        {"recall", "precision"} if labels is y else set()
    )
    for rate, line in display.lines_.items():
        thresholds, values = line.get_data()
        assert values[thresholds == choice.threshold] == getattr(choice, rate)
    assert set(display.errorbars_) == set(display.lines_)
    assert display.threshold_line_.get_xdata()[0] == choice.threshold
    assert display.ax_.get_title() == "alarms"
    assert display.plot(ax=display.ax_) is display
    none = ThresholdDisplay.from_choice(select_threshold(MODEL, X, y, costs={1: 0, -1: 1}))
    assert none.threshold_line_ is None and none.ax_.get_title() == ""


# -------------------------------------------------------------------------------- streams


def stream(n, seed=0):
    """Scores whose level drifts, and labels."""
    rng = np.random.default_rng(seed)
    labels = (rng.random(n) < 0.2).astype(int)
    return (rng.normal(size=n) + labels + np.linspace(0, 3, n)).reshape(-1, 1), labels


target_of_streams = st.one_of(
    st.fixed_dictionaries({"recall": st.floats(0.01, 0.99)}),
    st.fixed_dictionaries({"alarm_rate": st.floats(0.01, 0.99)}),
)
values = st.one_of(st.sampled_from([0.0, 0.5, 1.0]), st.floats(-1e100, 1e100))


@given(
    target=target_of_streams,
    step_size=st.floats(1e-3, 2.0),
    window_size=st.integers(1, 50),
    samples=st.lists(st.tuples(values, st.integers(0, 1)), min_size=1, max_size=200),
    size=st.sampled_from([1, 7, 200]),
)
@settings(max_examples=75, deadline=None)
def test_the_guarantee_holds_for_any_sequence(target, step_size, window_size, samples, size):
    threshold = AdaptiveThreshold(**target, step_size=step_size, window_size=window_size)
    S, labels = (np.array(part) for part in zip(*samples, strict=True))
    found = np.concatenate(
        [
            threshold.update(Scores(), S[i : i + size, None], labels[i : i + size])
            for i in range(0, len(S), size)
        ]
    )
    is_recall = "recall" in target
    errors = found[labels == 1] == 0 if is_recall else found == 1
    alpha = 1 - target["recall"] if is_recall else target["alarm_rate"]
    if len(errors):
        bound = (max(alpha, 1 - alpha) + step_size) / (step_size * len(errors))
        assert abs(errors.mean() - alpha) <= bound * (1 + 1e-9)


def test_a_recall_is_that_of_prediction_sets():
    """The class is in the set if the sample reaches the threshold, among positive samples."""
    S, _ = stream(400)
    threshold = AdaptiveThreshold(recall=0.8, step_size=0.02, window_size=50)
    found = threshold.update(Scores(), S, np.ones(400, int))
    sets = AdaptiveConformalInference(confidence_level=0.8, step_size=0.02, window_size=50)
    within = sets.update(Scores(), S, np.ones(400, int))
    assert_array_equal(found == 1, within[:, 1])
    assert threshold.alpha_ == sets.alpha_


@pytest.mark.parametrize("target", TARGETS[1::2], ids=str)
def test_precision_and_costs_are_those_of_the_window(target):
    S, labels = stream(300)
    target = {"costs": {0: 1, 1: 10}} if "costs" in target else target
    threshold = AdaptiveThreshold(**target, window_size=60)
    found = threshold.update(Scores(), S, labels)
    for t in (60, 100, 299):
        window = slice(t - 60, t)
        try:
            choice = of_scores(S[window], labels[window], **target).threshold
        except ValueError:
            choice = np.inf
        assert found[t] == (S[t, 0] >= choice)


@pytest.mark.sampled
@pytest.mark.parametrize("target", TARGETS, ids=str)
@pytest.mark.parametrize("size", [1, 7, 300])
def test_chunks_layouts_and_copies_agree(target, size):
    model = AROWClassifier().fit(X, y)
    whole = AdaptiveThreshold(**target, window_size=50, step_size=0.05)
    expected = whole.update(model, X[:300], y[:300])
    threshold = AdaptiveThreshold(**target, window_size=50, step_size=0.05)
    found = []
    for first in range(0, 300, size):
        chunk = slice(first, min(300, first + size))
        found.append(threshold.update(model, csr_matrix(X)[chunk], y[chunk]))
        threshold = [copy.deepcopy, lambda t: pickle.loads(pickle.dumps(t))][first % 2](threshold)
    assert_array_equal(np.concatenate(found), expected)
    assert_allclose(threshold.threshold_, whole.threshold_)
    assert threshold.n_samples_seen_ == 300
    # The threshold is the score of a sample in the window, up to rounding errors.
    assert_array_equal(threshold.predict(model, X[300:]), whole.predict(model, X[300:]))
    assert set(expected) <= {-1, 1}


def test_before_the_first_sample():
    for target, expected in zip(TARGETS, (1, -1, -1, -1), strict=True):
        threshold = AdaptiveThreshold(**target)
        assert set(threshold.predict(MODEL, X)) == {expected}
        assert not hasattr(threshold, "threshold_")
        assert_array_equal(threshold.update(MODEL, X[:1], y[:1]), [expected])
    with pytest.raises(NotFittedError):
        AdaptiveThreshold(recall=0.5).update(LASVC(), X, y)


def test_labels_of_one_class_only():
    S = np.arange(40.0)[:, None]
    for target in ({"recall": 0.8}, {"precision": 0.6}, {"costs": {0: 1, 1: 10}}):
        for label in (0, 1):
            threshold = AdaptiveThreshold(**target)
            threshold.update(Scores(), S, np.full(40, label))
            found = threshold.predict(Scores(), [[20.0]])
            assert found == (1 if label or "recall" in target else 0)


def test_outlier_detectors_in_streams():
    rng = np.random.default_rng(0)
    S = rng.normal(size=(2000, 1))
    threshold = AdaptiveThreshold(alarm_rate=0.05, step_size=0.01)
    found = threshold.update(OutlierScores(), S)
    assert abs(np.mean(found == -1) - 0.05) < 0.01
    assert set(found) == {-1, 1}
    assert S[found == -1].mean() < -1.5
    labels = np.where(S[:, 0] + rng.normal(size=2000) < -1.5, -1, 1)
    recall = AdaptiveThreshold(recall=0.8)
    found = recall.update(OutlierScores(), S, labels)
    assert abs(np.mean(found[labels == -1] == -1) - 0.8) < 0.03


@pytest.mark.parametrize(
    ("params", "model", "X", "y", "message"),
    [
        ({"recall": None}, MODEL, X, y, r"Exactly one of .* got \[\]"),
        ({"alarm_rate": 0.1}, MODEL, X, y, r"Exactly one of .* got \['recall', 'alarm_rate'\]"),
        ({"recall": None, "precision": 0.1}, MODEL, X, y, "must remain recall, got precision"),
        ({"step_size": -1.0}, MODEL, X, y, r"'step_size' .* Got -1\.0"),
        ({"window_size": 0}, MODEL, X, y, r"'window_size' .* Got 0"),
        ({}, MODEL, X, y[:-1], r"inconsistent numbers of samples: \[440, 439\]"),
        ({}, MODEL, X, None, r"y=None is only valid with alarm_rate, got recall=0\.8"),
        ({}, MODEL, X, np.full(440, 7), r"classes of the estimator, \[-1, 1\]: \[7\]\.$"),
        ({}, OutlierScores(), X, y, r"must remain \[-1, 1\], got \[1, -1\]"),
        ({}, Scores(), X, y == 1, r"must remain \[-1, 1\], got \[0, 1\]"),
        ({"pos_label": -1}, MODEL, X, y, r"must remain \[-1, 1\], got \[1, -1\]"),
        ({}, MODEL, X[:, :1], y, r"features"),
        ({}, Scores(["a", "b"]), X, y, r"pos_label must be one of the classes \['a', 'b'\]"),
        ({}, Scores([1]), X, y, r"two classes, got \[1\]"),
        ({}, Ridge(), X, y, r"must be a classifier or an outlier detector, got Ridge\(\)"),
        ({}, Ridge().fit(X, y), X, y, "must be a classifier or an outlier detector, got Ridge"),
    ],
)
def test_errors_leave_the_threshold_unchanged(params, model, X, y, message):
    start = {"recall": 0.8}
    threshold = AdaptiveThreshold(**start)
    threshold.update(MODEL, *make_waveform(440, imbalance_ratio=10, random_state=0))
    before = pickle.dumps(threshold.__dict__)
    threshold.set_params(**params)
    with pytest.raises((ValueError, NotFittedError), match=message):
        threshold.update(model, X, y)
    threshold.set_params(**AdaptiveThreshold(**start).get_params())
    assert pickle.dumps(threshold.__dict__) == before


def test_changed_parameters_take_effect():
    S, labels = stream(500)
    threshold = AdaptiveThreshold(precision=0.5)
    threshold.update(Scores(), S, labels)
    assert len(threshold._recent) == 500
    threshold.set_params(window_size=20, precision=0.9).update(Scores(), S[:1], labels[:1])
    assert len(threshold._recent) == 20
