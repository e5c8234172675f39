"""Labels, missing labels and weights in all classifiers."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import clone, is_classifier
from sklearn.utils.fixes import parse_version

from sklearn_online_svm import (
    LASVC,
    LASVR,
    AROWClassifier,
    LabelEfficientClassifier,
    PassiveAggressiveClassifier,
    PassiveAggressiveRegressor,
    RampSVC,
)
from sklearn_online_svm.active import AllQuery, RandomQuery
from sklearn_online_svm.cells import CellClassifier
from sklearn_online_svm.evaluation import progressive_validation
from tests.support.cases import in_turn
from tests.support.samples import three_classes, two_classes
from tests.support.stream_models import COUNT_ALL_SAMPLES, DEPEND_ON_CHUNKS
from tests.support.stream_models import MODELS as STREAM_MODELS
from tests.support.trainable import MODELS, samples_of, seeded
from tests.support.trainable import STREAMS as STREAMS_AND_WRAPPERS

pandas = pytest.importorskip("pandas")

X, Y = two_classes(60)
CLASSES = ["no", "yes"]
STREAMS = [LASVC(gamma=0.3), PassiveAggressiveClassifier(), AROWClassifier()]
CLASSIFIERS = [*STREAMS, RampSVC(gamma=0.3)]

with_classifiers = pytest.mark.parametrize("model", CLASSIFIERS, ids=lambda m: type(m).__name__)
with_streams = pytest.mark.parametrize("model", STREAMS, ids=lambda m: type(m).__name__)


@pytest.mark.parametrize("weight", [np.inf, np.nan, -1.0, "5", None, 10**400], ids=str)
@with_classifiers
def test_invalid_class_weights(model, weight):
    model = type(model)(class_weight={"yes": weight})
    with pytest.raises(ValueError, match=r"class_weight\['yes'\] must be a finite number >= 0"):
        model.fit(X, Y)
    if hasattr(model, "partial_fit"):
        with pytest.raises(ValueError, match=r"class_weight\['yes'\] must be a finite number"):
            model.partial_fit(X, Y, classes=CLASSES)


@pytest.mark.sampled
@pytest.mark.parametrize("name", [name for name in MODELS if is_classifier(MODELS[name])])
def test_numbers_of_dtype_object_are_numbers(name):
    """A column of a data frame with other columns may have this dtype."""
    X, y = samples_of(name)
    of_objects = y.astype(object)
    for method in ("fit", "partial_fit"):
        if not hasattr(MODELS[name], method):
            continue
        classes = [{}, {}]
        if method == "partial_fit":
            classes = [{"classes": np.unique(labels)} for labels in (y, of_objects)]
        plain = getattr(seeded(name), method)(X, y, **classes[0])
        model = getattr(seeded(name), method)(X, of_objects, **classes[1])
        assert_array_equal(model.predict(X), plain.predict(X))
        if method == "partial_fit":
            model.partial_fit(X, of_objects[:, np.newaxis])
            plain.partial_fit(X, y)
            assert_array_equal(model.predict(X), plain.predict(X))
    invalid = of_objects.copy()
    invalid[3] = "ten"
    with pytest.raises((ValueError, TypeError)):
        seeded(name).fit(X, invalid)


@pytest.mark.sampled
@pytest.mark.parametrize(
    "name", [name for name in STREAMS_AND_WRAPPERS if is_classifier(MODELS[name])]
)
def test_columns_and_one_dimensional_labels_in_a_stream(name):
    X, y = samples_of(name)
    models = [seeded(name) for _ in "abc"]
    for k, part in enumerate((slice(10), slice(10, 20), slice(20, None))):
        columns = [y[part, np.newaxis], pandas.DataFrame({"y": y[part]})]
        for number, model in enumerate(models):
            labels = columns[number] if number < 2 and k != 1 else y[part]
            model.partial_fit(X[part], labels, classes=np.unique(y))
    for model in models[:2]:
        assert_array_equal(model.predict(X), models[2].predict(X))


def name_of_class_weight(name):
    """Return the name of the class weights of an estimator of the table, or None."""
    names = [key for key in MODELS[name].get_params() if key.endswith("class_weight")]
    return names[0] if names else None


@pytest.mark.sampled
@pytest.mark.parametrize("name", [name for name in MODELS if name_of_class_weight(name)])
def test_class_weights_of_labels_that_y_does_not_have(name):
    X, y = samples_of(name)
    parameter = name_of_class_weight(name)
    weights, found = {20: 0.0}, []
    for given in (weights, weights | {15: 2.0}):
        model = seeded(name).set_params(**{parameter: given})
        found.append(model.fit(X, y).decision_function(X))
    assert_array_equal(*found)
    unweighted = seeded(name).fit(X, y).decision_function(X)
    assert found[0].shape != unweighted.shape or (found[0] != unweighted).any()
    model.set_params(**{parameter: {15: 2.0, 25: 1.0}})
    # Other estimators of estimators may train the former copies on.
    methods = ("fit", "partial_fit") if parameter == "class_weight" else ("fit",)
    for method in set(methods) & set(dir(model)):
        with pytest.raises(ValueError, match="class_weight has no label .* for .15, 25."):
            getattr(model, method)(X, y)


def test_class_weights_of_classes_that_cells_do_not_have():
    X = np.random.default_rng(0).normal(size=(300, 2)) + np.repeat([0.0, 20.0, 40.0], 100)[:, None]
    y = np.repeat([0, 1, 2], 100) * 2 + (X[:, 0] % 1 > 0.5)
    model = CellClassifier(LASVC(class_weight={3: 5.0}), cell_size=100, overlap=0.0)
    cells = model.fit(X, y).estimators_
    assert any(3 not in cell.classes_ and len(cell.classes_) > 1 for cell in cells)
    plain = CellClassifier(LASVC(), cell_size=100, overlap=0.0).fit(X, y)
    assert np.mean(model.predict(X) == 3) > np.mean(plain.predict(X) == 3)
    with pytest.raises(ValueError, match=r"class_weight has no label .* weights for \[7\]"):
        model.set_params(estimator__class_weight={7: 5.0}).fit(X, y)


def without_labels(missing, kind):
    y = Y.astype(object)
    y[3] = missing
    return pandas.Series(y, dtype="string") if kind == "string" else kind(y)


with_comparable_na = pytest.mark.skipif(
    parse_version(np.__version__) < parse_version("1.25"),
    reason="NumPy < 1.25 does not compare arrays with pandas.NA by element",
)
MISSING = [
    pytest.param(pandas.NA, kind, marks=with_comparable_na)
    for kind in (np.asarray, list, pandas.Series, "string")
]


@pytest.mark.parametrize(("missing", "kind"), [*MISSING, (None, np.asarray)], ids=str)
@with_classifiers
def test_missing_labels_are_rejected(model, missing, kind):
    y = without_labels(missing, kind)
    refused = pytest.raises(ValueError, match="y contains missing labels")
    if missing is not None:  # else a type of labels of its own
        with refused:
            model.fit(X, y)
        with refused:
            model.fit(X, Y).suspect_labels(X, y)
    if not hasattr(model, "partial_fit"):
        return
    model = clone(model)
    with refused:
        model.partial_fit(X, y, classes=CLASSES)
    model.partial_fit(X, Y, classes=CLASSES)
    before = model.decision_function(X)
    for rows in (X, X.tolist()):
        with refused:
            model.partial_fit(rows, y)
    assert_array_equal(model.decision_function(X), before)


@pytest.mark.parametrize(("missing", "kind"), [*MISSING, (None, np.asarray)], ids=str)
def test_missing_labels_are_queried(missing, kind):
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


@pytest.mark.parametrize(
    "missing", [None, np.nan, pytest.param(pandas.NA, marks=with_comparable_na)], ids=str
)
@pytest.mark.parametrize("model", [PassiveAggressiveRegressor(), LASVR()], ids=str)
def test_missing_targets_are_rejected(model, missing):
    target = X[:, 0].astype(object)
    target[5] = missing
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
def test_invalid_classes(model, classes, match):
    for learner in (type(model)(), LabelEfficientClassifier(type(model)())):
        with pytest.raises(ValueError, match=match):
            learner.partial_fit(X, Y, classes=classes)
        learner.partial_fit(X, Y, classes=CLASSES)
        with pytest.raises(ValueError, match="not the same as on last call to partial_fit"):
            learner.partial_fit(X, Y, classes=["maybe", "yes"])
        learner.partial_fit(X, Y, classes=CLASSES[::-1])


# -- all classifiers -------------------------------------------------------------------------

ALL = {
    "ramp": RampSVC(gamma=0.3, multi_class="ovr"),
    "ramp, pairs": RampSVC(gamma=0.3, multi_class="ovo"),
    **STREAM_MODELS,
}
ALL = {name: model for name, model in ALL.items() if is_classifier(model) and "2 cl" not in name}
WEIGHTED = [name for name, model in ALL.items() if "class_weight" in model.get_params(deep=False)]
with_weighted = pytest.mark.parametrize("name", WEIGHTED)


def fitted(name, *data, **params):
    model = clone(ALL[name]).set_params(**params)
    if "random_state" in model.get_params(deep=False):
        model.set_params(random_state=0)
    return model.fit(*data)


def assert_same_decisions(model, other, X):
    expected = other.decision_function(X)
    scale = np.abs(expected).max()
    np.testing.assert_allclose(model.decision_function(X), expected, rtol=1e-9, atol=1e-9 * scale)


LABELS = [
    [False, True],
    [-7, -3],
    [2**62 + 1, 2**62 + 3],  # equal as float64
    np.array([2**63 + 5, 2**64 - 1], dtype=np.uint64),
    [-0.0, 1.0, 7.0],
    ["a", "b", "longer"],
    np.array(["a", "b", "c"], dtype=object),
    np.array([1, 2, 3], dtype=np.int8),
    pandas.Series(["a", "b", "c"], dtype="category"),
    pandas.Series(["a", "b", "c"], dtype="string"),
    pandas.Series([0, 1], dtype="Int64"),
]


@pytest.mark.sampled
@pytest.mark.parametrize(
    "name, labels", in_turn([name for name in ALL if "advice" not in name] * 3, LABELS), ids=repr
)
def test_labels_of_any_type(name, labels):
    X, y = three_classes(90)
    codes = y // 10 - 1
    X, codes = X[codes < len(labels)], codes[codes < len(labels)]
    y = labels.iloc[codes] if hasattr(labels, "iloc") else np.asarray(labels)[codes]
    classes = np.unique(np.asarray(y))
    model, plain = fitted(name, X, y), fitted(name, X, codes)
    np.testing.assert_array_equal(model.classes_, classes)
    assert_same_decisions(model, plain, X)
    np.testing.assert_array_equal(model.predict(X), np.asarray(classes)[plain.predict(X)])
    assert model.predict(X).dtype == model.classes_.dtype
    if hasattr(model, "partial_fit"):
        stream = clone(ALL[name]).partial_fit(X, y, classes=classes).partial_fit(X, y)
        plain = clone(ALL[name]).partial_fit(X, codes, classes=np.unique(codes))
        assert_same_decisions(stream, plain.partial_fit(X, codes), X)


@with_weighted
def test_class_weight_is_sample_weight_by_class(name):
    X, y = three_classes(120)
    weight = np.random.default_rng(0).uniform(0.5, 2, len(y))
    factors = {10: 0.5, 20: 3.0}  # other classes have weight 1
    by_sample = np.select([y == 10, y == 20], [0.5, 3.0], 1.0)
    weighted = fitted(name, X, y, weight, class_weight=factors)
    assert_same_decisions(weighted, fitted(name, X, y, weight * by_sample), X)
    if hasattr(weighted, "class_weight_"):
        np.testing.assert_array_equal(weighted.class_weight_, [0.5, 3.0, 1.0])
    if hasattr(weighted, "partial_fit"):
        stream = clone(ALL[name]).set_params(class_weight=factors)
        other = clone(ALL[name])
        for labels in (y, y.tolist()):
            stream.partial_fit(X, labels, classes=[10, 20, 30], sample_weight=weight)
            other.partial_fit(X, y, classes=[10, 20, 30], sample_weight=weight * by_sample)
        assert_same_decisions(stream, other, X)


@with_weighted
def test_balanced_weights_are_inverse_to_class_frequencies(name):
    X, y = three_classes(120)
    for weight in (np.ones(len(y)), np.where(np.arange(len(y)) % 3, 2.0, 0.0)):
        counts = np.bincount(y // 10 - 1, weights=weight)
        factors = weight.sum() / (3 * counts)
        balanced = fitted(name, X, y, weight, class_weight="balanced")
        assert_same_decisions(balanced, fitted(name, X, y, weight * factors[y // 10 - 1]), X)
        if hasattr(balanced, "class_weight_"):
            np.testing.assert_allclose(balanced.class_weight_, factors)
    if hasattr(balanced, "partial_fit"):
        unfitted = clone(ALL[name]).set_params(class_weight="balanced")
        for model, labels in ((unfitted, y), (balanced, y), (balanced, y.tolist())):
            with pytest.raises(ValueError, match="class_weight='balanced'"):
                model.partial_fit(X, labels, [10, 20, 30])


IN_ORDER = [n for n in ALL if n not in ("ramp", "ramp, pairs", *COUNT_ALL_SAMPLES)]


@pytest.mark.parametrize("name", [name for name in IN_ORDER if name not in DEPEND_ON_CHUNKS])
def test_samples_of_weight_zero_are_ignored(name):
    X, y = three_classes(120)
    weight = np.random.default_rng(0).choice([0.0, 1.0], len(y))
    kept = weight > 0
    model, other = clone(ALL[name]), clone(ALL[name])
    model.partial_fit(X, y, classes=[10, 20, 30], sample_weight=weight)
    assert_same_decisions(model, other.partial_fit(X[kept], y[kept], classes=[10, 20, 30]), X)
    if hasattr(model, "support_"):
        assert kept[fitted(name, X, y, weight).support_].all()
