"""Advice: how rules are made, what they say in words, and what is refused."""

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.preprocessing import (
    MaxAbsScaler,
    MinMaxScaler,
    PowerTransformer,
    RobustScaler,
    StandardScaler,
)
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from sklearn_online_svm import Advice, AdvicePassiveAggressiveClassifier
from tests.support.linear_kinds import quickly

NAMES = ["glucose", "bmi", "age"]


@pytest.mark.parametrize(
    "condition, words, bounds",
    [
        ((">=", 126), "glucose >= 126", (126, np.inf)),
        ((">", 126.5), "glucose >= 126.5", (126.5, np.inf)),
        (("<=", -3), "glucose <= -3", (-np.inf, -3)),
        (("<", 0), "glucose <= 0", (-np.inf, 0)),
        (("==", 2), "glucose == 2", (2, 2)),
        ((25, 30), "25 <= glucose <= 30", (25, 30)),
        ([None, 30], "glucose <= 30", (-np.inf, 30)),
        ((np.float32(25), None), "glucose >= 25", (25, np.inf)),
        ((-np.inf, np.int64(3)), "glucose <= 3", (-np.inf, 3)),
    ],
)
def test_conditions(condition, words, bounds):
    advice = Advice.from_conditions({"glucose": condition}, NAMES, 1)
    assert advice.name == words and str(advice) == f"{words} => 1"
    values = np.array([-1e3, -3, 0, 1, 2, 25, 27, 30, 126, 126.5, 1e3])
    X = np.column_stack([values, np.zeros((11, 2))])
    assert_array_equal(advice.contains(X), (values >= bounds[0]) & (values <= bounds[1]))
    assert_array_equal(advice.contains(sparse.csr_matrix(X)), advice.contains(X))


def test_text_of_rules():
    rules = {"bmi": (25, 30), "age": (">=", 40)}
    advice = Advice.from_conditions(rules, NAMES, "ill")
    assert repr(advice) == "Advice(\"25 <= bmi <= 30 and age >= 40 => 'ill'\")"
    assert str(Advice.from_conditions(rules, NAMES, np.str_("ill"), name="old")) == "old => 'ill'"
    assert Advice.from_conditions({1: (">=", 2)}, range(3), 0).name == "x1 >= 2"
    assert Advice([[0.5, -2.0, 0.0]], [3.0], 0).name == "0.5 x0 - 2 x1 <= 3"
    assert Advice([[-1.0, 1.0, 1.0]], [0.0], 0).name == "-x0 + x1 + x2 <= 0"
    # Conditions with different coefficients, and one that is implied by another.
    assert Advice([[2.0], [-4.0], [1.0]], [6.0, -4.0, 5.0], 0).name == "1 <= x0 <= 3"


@pytest.mark.parametrize(
    "rules, message",
    [
        ({"glukose": (">=", 1)}, "'glukose' is not one of the features"),
        ({}, "conditions must be a dict that is not empty"),
        ([("glucose", 1)], "conditions must be a dict"),
        ({"glucose": ("=>", 1)}, "The condition of 'glucose' must be a comparison"),
        ({"glucose": (">=", "high")}, "The condition of 'glucose' must be a comparison"),
        ({"glucose": 126}, "The condition of 'glucose' must be a comparison"),
        ({"glucose": None}, "The condition of 'glucose' must be a comparison"),
        ({"glucose": (1, 2, 3)}, "The condition of 'glucose' must be a comparison"),
        ({"glucose": (">=", np.nan)}, "The condition of 'glucose', .* must not be NaN"),
        ({"glucose": (None, None)}, "The condition of 'glucose', .* has no bound"),
        ({"glucose": (30, 25)}, "No sample can meet the condition of 'glucose', \\(30, 25\\)"),
    ],
)
def test_invalid_conditions(rules, message):
    with pytest.raises(ValueError, match=message):
        Advice.from_conditions(rules, NAMES, 1)


@pytest.mark.parametrize(
    "D, d, more, message",
    [
        ([1.0, 2.0], [1.0], {}, r"D must have shape \(n_conditions, n_features\).*\(2,\)"),
        (np.zeros((0, 3)), [], {}, "at least 1 of each"),
        ([[1.0]], [1.0, 2.0], {}, r"d must have shape \(1,\).*got \(2,\)"),
        ([[np.nan]], [1.0], {}, "D and d must be finite"),
        ([[1.0]], [np.inf], {}, "D and d must be finite"),
        ([[1.0, 2.0]], [1.0], {"feature_names": ["a"]}, "feature_names must have 2 names"),
        ([[1.0], [-1.0]], [1.0, -2.0], {}, "No sample can meet all conditions of .*x0"),
        ([[0.0, 0.0]], [-1.0], {}, "No sample can meet all conditions"),
        # Empty, although each pair of conditions can be satisfied.
        ([[1.0, 1], [-1, 0], [0, -1]], [1.0, -1, -1], {"name": "no"}, "of the advice 'no'"),
    ],
)
def test_invalid_advice(D, d, more, message):
    with pytest.raises(ValueError, match=message):
        Advice(D, d, 1, **more)


def test_equality_copies_and_pickles():
    D, d = np.array([[1.0, 0.0], [2.0, 1.0]]), np.array([1.0, 2.0])
    advice = Advice(D, d, 1, feature_names=["a", "b"])
    D[:], d[:] = 9.0, 9.0
    assert advice == Advice([[1.0, 0.0], [2.0, 1.0]], [1.0, 2.0], 1, feature_names=["a", "b"])
    assert len({advice, copy.deepcopy(advice), pickle.loads(pickle.dumps(advice))}) == 1
    for other in ([[1.0, 0.0]], [1.0]), ([[1.0, 0.0], [2.0, 1.5]], [1.0, 2.0]):
        assert advice != Advice(*other, 1)
    assert advice != Advice(advice.D, advice.d, 0) and advice != "advice"
    with pytest.raises(ValueError, match="read-only"):
        advice.d[0] = 3.0
    model = AdvicePassiveAggressiveClassifier([advice])
    assert clone(model).advice == [advice]


# -------------------------------------------------------------------------------- trees


def test_rules_from_a_tree():
    X, y = load_iris(return_X_y=True)
    tree = DecisionTreeClassifier(max_depth=4, random_state=0).fit(X, y)
    rules = Advice.from_tree(tree, min_purity=0.0, min_samples=1)
    assert len(rules) == tree.get_n_leaves()
    inside = np.array([rule.contains(X) for rule in rules])
    # Each sample is in the region of its leaf only.
    assert (inside.sum(axis=0) == 1).all()
    labels = np.array([rule.label for rule in rules])
    assert_array_equal(labels[inside.argmax(axis=0)], tree.predict(X))
    assert not any(a.overlaps(b) for i, a in enumerate(rules) for b in rules[:i])
    purity = [np.mean(y[row] == rule.label) for row, rule in zip(inside, rules, strict=True)]
    assert purity == sorted(purity, reverse=True)
    for k in (0.9, 1.0):
        pure = Advice.from_tree(tree, min_purity=k, min_samples=3)
        assert pure == [
            rule
            for rule, share, row in zip(rules, purity, inside, strict=True)
            if share >= k and row.sum() >= 3
        ]
        assert 0 < len(pure) < len(rules)


def test_feature_names_of_a_tree():
    X, y = load_iris(return_X_y=True, as_frame=True)
    tree = DecisionTreeClassifier(max_depth=1).fit(X, np.array(["a", "b", "c"])[y])
    (rule,) = Advice.from_tree(tree)
    assert rule.label == "a" and rule.feature_names == (*X.columns,)
    assert "petal" in rule.name
    assert Advice.from_tree(tree, "pqrs")[0].name[0] in "pqrs"


def test_invalid_trees():
    X, y = load_iris(return_X_y=True)
    for tree in (
        DecisionTreeClassifier(),
        DecisionTreeRegressor().fit(X, y),
        DecisionTreeClassifier().fit(X, np.column_stack([y, y])),
        None,
    ):
        with pytest.raises(ValueError, match="tree must be a fitted decision tree"):
            Advice.from_tree(tree)
    with pytest.raises(ValueError, match="The tree has no splits"):
        Advice.from_tree(DecisionTreeClassifier(min_samples_split=200).fit(X, y))
    with pytest.raises(ValueError, match="feature_names must have 4 names.* got 2"):
        Advice.from_tree(DecisionTreeClassifier().fit(X, y), ["a", "b"])


# -------------------------------------------------------------------------------- scalers


@pytest.mark.parametrize(
    "scaler",
    [
        StandardScaler(),
        StandardScaler(with_mean=False),
        StandardScaler(with_std=False),
        MinMaxScaler((-1, 3)),
        MaxAbsScaler(),
        RobustScaler(),
        RobustScaler(with_centering=False, with_scaling=False),
    ],
    ids=str,
)
def test_scaled_rules_hold_for_scaled_samples(scaler):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 3)) * [20, 5, 1] + [120, 30, 0]
    X[:, 2] = 7.0  # a constant feature
    scaler.fit(X)
    rules = [
        Advice.from_conditions({"glucose": (">=", 126.3), "bmi": (25.1, 33.7)}, NAMES, 1),
        Advice([[1.0, -2.0, 0.0], [0.0, 1.0, 3.0]], [55.5, 52.3], 0, feature_names=NAMES),
    ]
    for rule in rules:
        scaled = rule.transformed_by(scaler)
        assert scaled.name == rule.name and scaled.feature_names == rule.feature_names
        assert_array_equal(scaled.contains(scaler.transform(X)), rule.contains(X))
        assert 50 < rule.contains(X).sum() < 450


def test_invalid_scalers():
    rule, X = Advice.from_conditions({"bmi": (">=", 30)}, NAMES, 1), np.eye(3)
    with pytest.raises(TypeError, match="transformed_by takes a StandardScaler"):
        rule.transformed_by(PowerTransformer().fit(X))
    with pytest.raises(ValueError, match="clips"):
        rule.transformed_by(MinMaxScaler(clip=True).fit(X))
    with pytest.raises(ValueError, match="StandardScaler is for 2 features, the advice for 3"):
        rule.transformed_by(StandardScaler().fit(X[:, :2]))
    with pytest.raises(ValueError, match="not fitted"):
        rule.transformed_by(StandardScaler())


# -------------------------------------------------------------------------------- overlaps


@pytest.mark.slow
@quickly
@given(st.lists(st.tuples(*[st.integers(-3, 3)] * 4), min_size=2, max_size=2))
def test_overlap_of_boxes(sides):
    boxes = [(sorted(s[:2]), sorted(s[2:])) for s in sides]
    one, other = (Advice.from_conditions({0: a, 1: b}, range(2), 0) for a, b in boxes)
    shared = [min(p[1], q[1]) - max(p[0], q[0]) for p, q in zip(boxes[0], boxes[1], strict=True)]
    assert one.overlaps(other) == (min(shared) > 0) == other.overlaps(one)
    # Rotated by 45 degrees they are general polyhedra.
    turn = np.array([[1.0, 1.0], [-1.0, 1.0]])
    turned = [Advice(box.D @ turn, box.d, 0) for box in (one, other)]
    assert turned[0].overlaps(turned[1]) == (min(shared) > 0)


def test_overlap_of_unbounded_regions():
    one = Advice.from_conditions({"glucose": (">=", 126)}, NAMES, 1)
    assert one.overlaps(Advice.from_conditions({"bmi": ("<=", 25)}, NAMES, 0))
    assert not one.overlaps(Advice.from_conditions({"glucose": ("<=", 126)}, NAMES, 0))
    assert not one.overlaps(Advice([[1.0, 1.0, 0.0], [0, -1, 0]], [125.0, 0.0], 0))
    assert one.overlaps(Advice([[1.0, 1.0, 0.0]], [125.0], 0))
    assert_allclose(one.d, [-126.0])
