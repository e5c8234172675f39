"""Labels and class weights mean the same to all estimators."""

import numpy as np
import pytest

from sklearn_online_svm import (
    LASVC,
    AROWClassifier,
    LabelEfficientClassifier,
    PassiveAggressiveClassifier,
    PassiveAggressiveRegressor,
    RampSVC,
)
from sklearn_online_svm.active import AllQuery, RandomQuery
from sklearn_online_svm.evaluation import progressive_validation
from tests.support.samples import two_classes

pandas = pytest.importorskip("pandas")

X, Y = two_classes(60)
CLASSES = ["no", "yes"]
CLASSIFIERS = [LASVC(gamma=0.3), RampSVC(gamma=0.3), PassiveAggressiveClassifier()]
STREAMS = [LASVC(gamma=0.3), PassiveAggressiveClassifier(), AROWClassifier()]

with_classifiers = pytest.mark.parametrize("model", CLASSIFIERS, ids=lambda m: type(m).__name__)
with_streams = pytest.mark.parametrize("model", STREAMS, ids=lambda m: type(m).__name__)


@pytest.mark.parametrize("weight", [np.inf, np.nan, -1.0, "5", None, 10**400], ids=str)
@with_classifiers
def test_one_reading_of_class_weights(model, weight):
    model = type(model)(class_weight={"yes": weight})
    with pytest.raises(ValueError, match=r"class_weight\['yes'\] must be a finite number >= 0"):
        model.fit(X, Y)
    if hasattr(model, "partial_fit"):
        with pytest.raises(ValueError, match=r"class_weight\['yes'\] must be a finite number"):
            model.partial_fit(X, Y, classes=CLASSES)


def without_labels(missing, kind):
    y = Y.astype(object)
    y[3] = missing
    return pandas.Series(y, dtype="string") if kind == "string" else kind(y)


MISSING = [
    (pandas.NA, np.asarray),
    (pandas.NA, list),
    (pandas.NA, pandas.Series),
    (pandas.NA, "string"),
]


@pytest.mark.parametrize(("missing", "kind"), MISSING, ids=str)
@with_classifiers
def test_a_missing_label_of_pandas_is_refused_where_labels_are_wanted(model, missing, kind):
    y = without_labels(missing, kind)
    with pytest.raises(ValueError, match="y contains missing labels|Input contains NaN"):
        model.fit(X, y)
    model.fit(X, Y)
    with pytest.raises(ValueError, match="y contains missing labels|Input contains NaN"):
        model.suspect_labels(X, y)


@pytest.mark.parametrize(("missing", "kind"), [*MISSING, (None, np.asarray)], ids=str)
@with_streams
def test_a_missing_label_in_a_stream_is_refused(model, missing, kind):
    y = without_labels(missing, kind)
    refused = pytest.raises(ValueError, match="y contains missing labels|Input contains NaN")
    with refused:
        model.partial_fit(X, y, classes=CLASSES)
    model.partial_fit(X, Y, classes=CLASSES)
    before = model.decision_function(X)
    for rows in (X, X.tolist()):
        with refused:
            model.partial_fit(rows, y)
    np.testing.assert_array_equal(model.decision_function(X), before)


@pytest.mark.parametrize(("missing", "kind"), [*MISSING, (None, np.asarray)], ids=str)
def test_a_missing_label_is_known_where_labels_may_be_missing(missing, kind):
    y = without_labels(missing, kind)
    answers = []

    def oracle(i):
        answers.append(i)
        return Y[i]

    model = LabelEfficientClassifier(query_strategy=AllQuery()).fit(X, y, oracle=oracle)
    assert answers == [3] and model.queried_[3]
    nobody_asks = LabelEfficientClassifier(query_strategy=RandomQuery(0.0))
    result = progressive_validation(nobody_asks, X, y, classes=CLASSES)
    assert result.true_counts[-1].sum() == len(X) - 1


@pytest.mark.parametrize("missing", [None, np.nan, pandas.NA], ids=str)
def test_a_target_that_is_missing_is_no_number(missing):
    target = X[:, 0].astype(object)
    target[5] = missing
    model = PassiveAggressiveRegressor()
    for learn in (model.fit, model.partial_fit):
        with pytest.raises(ValueError, match="contains NaN|missing"):
            learn(X, target)


@with_streams
@pytest.mark.parametrize(
    ("classes", "match"),
    [
        (None, "classes must be passed on the first call to partial_fit"),
        (["yes"], "number of classes has to be greater than one; got 1 class"),
        (["yes", 1], "Mix of label input types"),
    ],
)
def test_one_reading_of_the_classes_of_a_stream(model, classes, match):
    for learner in (type(model)(), LabelEfficientClassifier(type(model)())):
        with pytest.raises(ValueError, match=match):
            learner.partial_fit(X, Y, classes=classes)
        learner.partial_fit(X, Y, classes=CLASSES)
        with pytest.raises(ValueError, match="not the same as on last call to partial_fit"):
            learner.partial_fit(X, Y, classes=["maybe", "no", "yes"])
        learner.partial_fit(X, Y, classes=CLASSES[::-1])
