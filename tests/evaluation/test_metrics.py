"""Metrics compared with hand calculation and other packages, and as scorers in searches."""

import copy
import pickle
import warnings
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from sklearn import config_context
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score, f1_score, make_scorer, precision_recall_curve
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC

from sklearn_online_svm import LASVC
from sklearn_online_svm.evaluation import (
    geometric_mean_score,
    geometric_mean_scorer,
    misclassification_cost,
    misclassification_cost_scorer,
    precision_recall_breakeven_score,
    precision_recall_breakeven_scorer,
    sensitivity_specificity_score,
    sensitivity_specificity_scorer,
)

# Three of eight samples are positive; there are one false negative and one false positive.
Y_TRUE = np.array([1, 1, 1, 0, 0, 0, 0, 0])
Y_PRED = np.array([1, 1, 0, 1, 0, 0, 0, 0])

ON_PREDICTIONS = [geometric_mean_score, sensitivity_specificity_score, misclassification_cost]
WITH_POS_LABEL = [precision_recall_breakeven_score, sensitivity_specificity_score]
METRICS = [*ON_PREDICTIONS, precision_recall_breakeven_score]
SCORERS = [
    geometric_mean_scorer,
    precision_recall_breakeven_scorer,
    sensitivity_specificity_scorer,
    misclassification_cost_scorer,
]


@st.composite
def labels_and_scores(draw, max_size=25):
    """Labels with at least one of each class, and integer scores, many of them tied."""
    pairs = st.tuples(st.integers(0, 1), st.integers(-3, 3))
    samples = draw(st.lists(pairs, min_size=2, max_size=max_size))
    y, score = np.array(samples).T
    y[:2] = 0, 1
    return y, score.astype(float)


def test_metrics_of_predictions_by_hand():
    assert_allclose(geometric_mean_score(Y_TRUE, Y_PRED), np.sqrt(2 / 3 * 4 / 5))
    assert_allclose(sensitivity_specificity_score(Y_TRUE, Y_PRED), (2 / 3 + 4 / 5) / 2)
    score = sensitivity_specificity_score(Y_TRUE, Y_PRED, sensitivity_weight=0.9)
    assert_allclose(score, 0.9 * 2 / 3 + 0.1 * 4 / 5)
    assert_allclose(misclassification_cost(Y_TRUE, Y_PRED), 5 / 8 + 3 / 8)
    assert misclassification_cost(Y_TRUE, Y_PRED, costs={1: 7, 0: 0}) == 7
    assert misclassification_cost(Y_TRUE, Y_PRED, costs={1: 7, 0: 2}, normalize=True) == 9 / 8


def test_pos_label_swaps_the_classes():
    score = sensitivity_specificity_score(Y_TRUE, Y_PRED, sensitivity_weight=0.9, pos_label=0)
    assert_allclose(score, 0.9 * 4 / 5 + 0.1 * 2 / 3)
    assert precision_recall_breakeven_score([0, 0, 1], [0.0, 1.0, 2.0], pos_label=0) == 0.5
    assert precision_recall_breakeven_score(list("nny"), [0.0, 1.0, 2.0], pos_label="y") == 1


def test_prbep_by_hand():
    # Of the three samples ranked first, those of scores 9, 8 and 7, two are positive.
    y_score = [9, 7, 5, 8, 4, 3, 2, 1]
    assert_allclose(precision_recall_breakeven_score(Y_TRUE, y_score), 2 / 3)
    # Score 9 is positive; two of the four samples of score 5 take the other two places.
    y_score = [9, 5, 5, 5, 5, 3, 2, 1]
    assert_allclose(precision_recall_breakeven_score(Y_TRUE, y_score), (1 + 2 * 2 / 4) / 3)


@settings(deadline=None, max_examples=50)
@given(labels_and_scores(), st.data())
def test_the_order_of_samples_does_not_matter(samples, data):
    y, score = samples
    weights = np.linspace(0.5, 2, len(y))
    order = data.draw(st.permutations(range(len(y))))
    for metric in METRICS:
        other = score if metric is precision_recall_breakeven_score else (score > 0).astype(int)
        expected = metric(y, other, sample_weight=weights)
        assert_allclose(
            metric(y[order], other[order], sample_weight=weights[order]), expected, atol=1e-12
        )


@pytest.mark.parametrize(
    "labels", [(0, 1), (-1, 1), (False, True), (0.0, 1.0), (2, 1), (1,), (0,)]
)
def test_the_positive_class_is_1_by_default(labels):
    y = np.repeat(labels, 4)
    y_pred = y[[0, 1, -1, 2, -3, 0, -2, -1][: len(y)]]
    for metric in WITH_POS_LABEL:
        y_other = np.arange(len(y)) if metric is precision_recall_breakeven_score else y_pred
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UndefinedMetricWarning)
            expected = metric(
                y == 1, y_other if metric is precision_recall_breakeven_score else y_other == 1
            )
            assert metric(y, y_other) == expected


@pytest.mark.parametrize("labels", [("legit", "fraud"), ("0", "1"), (0, 2), (False, 2)])
def test_other_labels_need_pos_label(labels):
    y = np.array(labels)[[0, 0, 0, 1, 1]]
    y_pred = np.array(labels)[[0, 0, 1, 1, 0]]
    with pytest.raises(ValueError, match="pos_label=1 is not a valid label"):
        f1_score(y, y_pred)
    for metric in WITH_POS_LABEL:
        y_other = np.arange(5.0) if metric is precision_recall_breakeven_score else y_pred
        with pytest.raises(ValueError, match=r"pos_label=1 is not a valid label: .* Pass the pos"):
            metric(y, y_other)
        for label in labels:
            as_flags = y_other if metric is precision_recall_breakeven_score else y_other == label
            assert metric(y, y_other, pos_label=label) == metric(y == label, as_flags)


def test_gmean_of_three_classes():
    y_true, y_pred = list("aabbbcc"), list("aabbcca")
    assert_allclose(geometric_mean_score(y_true, y_pred), (1 * 2 / 3 * 1 / 2) ** (1 / 3))
    assert_allclose(
        geometric_mean_score(y_true, y_pred, labels=["c", "b"]), (2 / 3 * 1 / 2) ** 0.5
    )
    assert geometric_mean_score(y_true, list("aabbbaa")) == 0


def test_gmean_of_many_classes_does_not_underflow():
    y_true = np.repeat(np.arange(2000), 2)
    y_pred = np.where(np.arange(4000) % 2, y_true, (y_true + 1) % 2000)
    assert_allclose(geometric_mean_score(y_true, y_pred), 0.5)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n_classes", [2, 3, 6])
def test_gmean_equals_that_of_imblearn(n_classes, weighted, global_random_seed):
    theirs = pytest.importorskip("imblearn.metrics").geometric_mean_score
    rng = np.random.RandomState(global_random_seed)
    y_true = rng.randint(n_classes, size=200)
    y_pred = np.where(rng.uniform(size=200) < 0.6, y_true, rng.randint(n_classes, size=200))
    weights = rng.uniform(0.1, 3, size=200) if weighted else None
    ours = geometric_mean_score(y_true, y_pred, sample_weight=weights)
    assert ours > 0
    assert_allclose(ours, theirs(y_true, y_pred, sample_weight=weights))
    labels = [n_classes - 1, 0]
    assert_allclose(
        geometric_mean_score(y_true, y_pred, labels=labels, sample_weight=weights),
        theirs(y_true, y_pred, labels=labels, sample_weight=weights),
    )
    if n_classes == 2:
        # Its true negatives are not weighted (imbalanced-learn #1180).
        mean_one = None if weights is None else weights / weights.mean()
        assert_allclose(ours, theirs(y_true, y_pred, average="binary", sample_weight=mean_one))


@settings(deadline=None, max_examples=50)
@given(labels_and_scores())
def test_defaults_are_equivalent_to_balanced_accuracy(samples):
    y, score = samples
    y_pred = (score > 0).astype(int)
    balanced = balanced_accuracy_score(y, y_pred)
    assert_allclose(sensitivity_specificity_score(y, y_pred), balanced, atol=1e-12)
    # See the Notes of misclassification_cost.
    expected = 2 * (1 - balanced) * y.sum() * (1 - y).sum() / len(y)
    assert_allclose(misclassification_cost(y, y_pred), expected, atol=1e-12)


def test_prbep_is_the_crossing_of_precision_and_recall(global_random_seed):
    rng = np.random.RandomState(global_random_seed)
    for _ in range(20):
        y = rng.permutation(np.repeat([0, 1], [30, rng.randint(1, 30)]))
        score = y * rng.uniform(0, 3) + rng.normal(size=len(y))
        precision, recall, thresholds = precision_recall_curve(y, score)
        crossing = np.flatnonzero(np.isclose(precision, recall) & (precision > 0))
        ours = precision_recall_breakeven_score(y, score)
        if ours == 0:
            assert len(crossing) == 0
        else:
            assert_allclose(precision[crossing], [ours])
            assert (score >= thresholds[crossing]).sum() == y.sum()


@settings(deadline=None, max_examples=40)
@given(labels_and_scores(max_size=6))
def test_prbep_is_the_mean_over_orders_of_tied_samples(samples):
    y, score = samples
    precisions = []
    for order in map(list, permutations(range(len(y)))):
        ranked = np.array(order)[np.argsort(-score[order], kind="stable")]
        precisions.append(y[ranked[: y.sum()]].mean())
    assert_allclose(precision_recall_breakeven_score(y, score), np.mean(precisions), atol=1e-12)


@settings(deadline=None, max_examples=50)
@given(labels_and_scores())
def test_prbep_depends_on_the_order_of_scores_only(samples):
    y, score = samples
    ours = precision_recall_breakeven_score(y, score)
    assert 0 <= ours <= 1
    for same in (np.exp(score), score**3, 1e9 + score, score.astype(np.float32)):
        assert precision_recall_breakeven_score(y, same) == ours


@settings(deadline=None, max_examples=50)
@given(labels_and_scores(), st.permutations(["x", "y"]))
def test_names_of_the_labels_do_not_matter(samples, names):
    y, score = samples
    names = np.array(names)
    y_pred = (score > 0).astype(int)
    assert_allclose(geometric_mean_score(names[y], names[y_pred]), geometric_mean_score(y, y_pred))
    assert precision_recall_breakeven_score(
        names[y], score, pos_label=names[1]
    ) == precision_recall_breakeven_score(y, score)
    named = sensitivity_specificity_score(names[y], names[y_pred], pos_label=names[1])
    assert named == sensitivity_specificity_score(y, y_pred)
    assert misclassification_cost(names[y], names[y_pred]) == misclassification_cost(y, y_pred)


@pytest.mark.parametrize("names", [["ham", "spam"], ["spam", "ham"], [3, 1], [False, True]])
@pytest.mark.parametrize("keys", [np.array, np.ndarray.tolist], ids=["scalars", "objects"])
def test_costs_by_label(names, keys):
    """The keys may be scalars of NumPy; a class need not occur."""
    names = np.array(names)
    costs = dict(zip(keys(names), (2, 7)))
    assert misclassification_cost(names[Y_TRUE], names[1 - Y_TRUE], costs=costs) == 31
    assert misclassification_cost(names[[1, 1]], names[[1, 1]], costs=costs) == 0


@settings(deadline=None, max_examples=50)
@given(labels_and_scores(), st.data())
def test_weight_is_repetition(samples, data):
    y, score = samples
    n = len(y)
    weights = np.array(data.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n)))
    weights[:2] = 1, 2
    y_many, score_many = np.repeat(y, weights), np.repeat(score, weights)
    ours = precision_recall_breakeven_score(y, score, sample_weight=weights)
    assert_allclose(ours, precision_recall_breakeven_score(y_many, score_many), atol=1e-12)
    assert_allclose(
        ours, precision_recall_breakeven_score(y, score, sample_weight=weights / 7), atol=1e-12
    )
    for metric in ON_PREDICTIONS:
        ours = metric(y, score > 0, sample_weight=weights)
        assert_allclose(ours, metric(y_many, score_many > 0), atol=1e-12)


@pytest.mark.parametrize(
    ("call", "message", "expected"),
    [
        (
            lambda: precision_recall_breakeven_score([0, 0], [1, 2], pos_label=1),
            "positive samples .pos_label=1",
            0,
        ),
        (
            lambda: precision_recall_breakeven_score([0, 1], [1, 2], sample_weight=[1, 0]),
            "positive samples",
            0,
        ),
        (lambda: geometric_mean_score([0, 0], [0, 1]), r"recall of \[1\]", 0),
        (lambda: geometric_mean_score([0, 1], [0, 1], labels=[0, 1, 2]), r"recall of \[2\]", 0),
        (lambda: sensitivity_specificity_score([0, 0], [0, 1]), "sensitivity", 0.25),
        (lambda: sensitivity_specificity_score([1, 1], [0, 1]), "specificity", 0.25),
        (lambda: sensitivity_specificity_score([0, 0], [0, 0], pos_label=1), "sensitivity", 0.5),
        (lambda: misclassification_cost([0, 0], [0, 1]), "one class only", 0),
        (lambda: misclassification_cost([1, 1], [1, 1]), "one class only", 0),
    ],
)
def test_undefined_metrics_warn(call, message, expected):
    with pytest.warns(UndefinedMetricWarning, match=message) as record:
        assert call() == expected
    assert len(record) == 1
    assert record[0].filename == __file__


def test_degenerate_cases_that_are_defined():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert precision_recall_breakeven_score([1, 1], [0.3, 0.3], pos_label=1) == 1
        assert precision_recall_breakeven_score([1, 0], [0.3, 0.3], sample_weight=[1, 0]) == 1
        assert geometric_mean_score([0, 0], [0, 0]) == 1
        assert misclassification_cost([0, 1], [1, 1]) == 0.5
        assert misclassification_cost([0, 0], [0, 1], costs={1: 2, 0: 3}) == 3


@pytest.mark.parametrize("metric", WITH_POS_LABEL)
@pytest.mark.parametrize(
    ("y", "pos_label", "message"),
    [
        ([0, 1, 2], 1, r"at most two classes, got \[0, 1, 2\]"),
        ([1, 1, 1], None, "'pos_label' parameter of .* Got None"),
        ([0, 1, 1], 2, r"pos_label=2 is not a valid label: .* one of the classes \[0, 1\]"),
        ([0, 1, 1], "1", r"pos_label='1' is not a valid label: .* one of the classes \[0, 1\]"),
        (["a", "a", "a"], 1, r"pos_label=1 is not a valid label: .* one of the classes \['a'\]"),
        ([0.5, 1.5, 2.5], 1, "y_true must contain one class label per sample, got continuous"),
        ([[0, 1], [1, 0], [1, 1]], 1, "y_true must contain .* got multilabel-indicator"),
    ],
)
def test_binary_metrics_refuse_labels(metric, y, pos_label, message):
    y_other = [0.1, 0.2, 0.3] if metric is precision_recall_breakeven_score else y
    with pytest.raises(ValueError, match=message):
        metric(y, y_other, pos_label=pos_label)


@pytest.mark.parametrize("metric", METRICS)
def test_invalid_samples_are_refused(metric):
    with pytest.raises(ValueError, match="must contain at least one sample"):
        metric([], [])
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        metric([0, 1], [0, 1, 1])
    with pytest.raises(ValueError, match="(?i)negative"):
        metric([0, 1], [0, 1], sample_weight=[1, -1])
    with pytest.raises(ValueError, match="(?i)non-zero"):
        metric([0, 1], [0, 1], sample_weight=[0, 0])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: sensitivity_specificity_score(Y_TRUE, Y_PRED, sensitivity_weight=1.5),
            "'sensitivity_weight' .* Got 1.5",
        ),
        (lambda: misclassification_cost([0.5, 1.5], [0.5, 1.5]), "y_true must .* got continuous"),
        (lambda: misclassification_cost(Y_TRUE, Y_PRED, costs=2), "'costs' parameter .* Got 2"),
        (
            lambda: misclassification_cost(Y_TRUE, Y_PRED, costs={1: 2}),
            r"costs must .* each of the classes \[0, 1\], .* got {1: 2}",
        ),
        (lambda: geometric_mean_score(Y_TRUE, Y_PRED, labels=[]), "labels must name at least one"),
        (
            lambda: precision_recall_breakeven_score([0, 1], [[0.1, 0.9], [0.2, 0.8]]),
            r"y_score .* shape \(2, 2\)",
        ),
        (lambda: precision_recall_breakeven_score([0, 1], [0.1, np.nan]), "y_score contains NaN"),
    ],
)
def test_invalid_parameters_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.fixture(scope="module")
def data():
    return make_classification(150, weights=[0.8], class_sep=0.7, flip_y=0.1, random_state=0)


def test_scorers_return_the_metrics(data):
    X, y = data
    model = SVC(class_weight="balanced").fit(X[:100], y[:100])
    X, y = X[100:], y[100:]
    y_pred = model.predict(X)
    assert geometric_mean_scorer(model, X, y) == geometric_mean_score(y, y_pred)
    assert precision_recall_breakeven_scorer(model, X, y) == precision_recall_breakeven_score(
        y, model.decision_function(X)
    )
    assert sensitivity_specificity_scorer(model, X, y) == sensitivity_specificity_score(y, y_pred)
    cost = misclassification_cost(y, y_pred, normalize=True)
    assert cost > 0
    assert misclassification_cost_scorer(model, X, y) == -cost


def test_prbep_scorer_without_decision_function_and_with_pos_label(data):
    X, y = data
    neighbors = KNeighborsClassifier().fit(X, y)
    expected = precision_recall_breakeven_score(y, neighbors.predict_proba(X)[:, 1])
    assert precision_recall_breakeven_scorer(neighbors, X, y) == expected
    scorer = make_scorer(
        precision_recall_breakeven_score, response_method="decision_function", pos_label=0
    )
    logistic = LogisticRegression().fit(X, y)
    expected = precision_recall_breakeven_score(y, -logistic.decision_function(X), pos_label=0)
    assert scorer(logistic, X, y) == expected


@pytest.mark.parametrize("model", [SVC, LASVC])
@pytest.mark.parametrize("scorer", SCORERS, ids=lambda s: s._score_func.__name__)
def test_scorers_in_searches(scorer, model, data):
    X, y = data
    estimator = model(random_state=0)
    # With gamma=1000 all test samples get the same score.
    grid = {"gamma": [1000.0, 0.02]}
    search = GridSearchCV(estimator, grid, scoring=scorer, cv=3, error_score="raise")
    means = clone(search).fit(X, y).cv_results_["mean_test_score"]
    assert means[1] > means[0]
    scores = cross_val_score(estimator.set_params(gamma=0.02), X, y, scoring=scorer, cv=3)
    assert_allclose(scores.mean(), means[1])
    assert scorer._score_func.__name__ in repr(scorer)
    assert repr(pickle.loads(pickle.dumps(scorer))) == repr(scorer)
    same = pickle.loads(pickle.dumps(search)).fit(X, y)
    assert_allclose(same.cv_results_["mean_test_score"], means)


@pytest.mark.parametrize("model", [SVC, LASVC])
@pytest.mark.parametrize("scorer", SCORERS[1:3], ids=lambda s: s._score_func.__name__)
def test_scorers_of_string_labels_need_pos_label(scorer, model, data):
    X, y = data
    names = np.where(y == 1, "fraud", "legit")
    # The positive class is the first one here, but the second one with the labels 0 and 1. Only
    # the optimum does not depend on the order of the classes.
    estimator = model(gamma=0.02, max_iter=-1, tol=1e-6, random_state=0)
    for scoring in ("f1", scorer):
        with pytest.raises(ValueError, match="pos_label=1 is not a valid label"):
            cross_val_score(estimator, X, names, scoring=scoring, cv=3, error_score="raise")
        with pytest.warns(
            UserWarning, match="(?s)Scoring failed.*pos_label=1 is not a valid label"
        ):
            assert np.isnan(cross_val_score(estimator, X, names, scoring=scoring, cv=3)).all()
    named = make_scorer(
        scorer._score_func,
        greater_is_better=scorer._sign > 0,
        response_method=scorer._response_method,
        pos_label="fraud",
        **scorer._kwargs,
    )
    scores = cross_val_score(estimator, X, names, scoring=named, cv=3, error_score="raise")
    assert_allclose(scores, cross_val_score(estimator, X, y, scoring=scorer, cv=3))


@pytest.mark.parametrize("scorer", SCORERS, ids=lambda s: s._score_func.__name__)
def test_scorers_take_routed_sample_weights(scorer, data):
    X, y = data
    with config_context(enable_metadata_routing=True):
        model = SVC().set_fit_request(sample_weight=False)
        routed = copy.deepcopy(scorer).set_score_request(sample_weight=True)
        params = {"sample_weight": y + np.arange(len(y)) % 2}
        weighted = cross_val_score(model, X, y, scoring=routed, params=params)
    assert not np.allclose(weighted, cross_val_score(SVC(), X, y, scoring=scorer))


def test_scorers_of_three_classes():
    X, y = make_classification(120, n_classes=3, n_informative=4, random_state=0)
    model = SVC().fit(X, y)
    assert geometric_mean_scorer(model, X, y) == geometric_mean_score(y, model.predict(X)) > 0
    for scorer in SCORERS[1:]:
        with pytest.raises(ValueError, match="at most two classes"):
            scorer(model, X, y)
