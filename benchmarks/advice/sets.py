"""Samples, and rules about them."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from benchmarks.bench.data import load_paper_dataset
from sklearn_online_svm import Advice

PIMA_NAMES = [
    "pregnancies", "glucose", "pressure", "skin", "insulin", "bmi", "pedigree", "age",
]  # fmt: skip
PLANE_NAMES = [f"x{k}" for k in range(10)]
# Of the informative features of the synthetic set, the others have none.
PLANE = np.array([1.0, 0.8, 0.6])


def pima(seed):
    """The samples of the set, in an order of the seed; 500 of them are for training."""
    bunch = load_paper_dataset("pima_diabetes")
    order = np.random.default_rng(seed).permutation(len(bunch.y_train))
    X, y = bunch.X_train[order].astype(np.float64), bunch.y_train[order]
    return X[:500], y[:500], X[500:], y[500:]


def plane(seed):
    """Ten normal features, three of them relevant; one training label in ten is wrong."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(3000, 10))
    y = np.where(X[:, :3] @ PLANE > 0, 1, -1)
    learnt = y[:500] * np.where(rng.random(500) < 0.1, -1, 1)
    return X[:500], learnt, X[500:], y[500:]


@dataclass(frozen=True)
class AdvisedSet:
    """Samples and, by name, rules; `load` takes a seed."""

    title: str
    load: Callable
    advice: dict


def _rules(names, pair, labels=(1, -1)):
    return [Advice.from_rules(rules, names, label) for rules, label in zip(pair, labels)]


def _advised(title, load, names, good, partial):
    """Rules come in pairs, for the positive and for the negative class."""
    wrong = _rules(names, good, labels=(-1, 1))
    advice = {"good": _rules(names, good), "partial": _rules(names, partial), "wrong": wrong}
    return AdvisedSet(title, load, {"none": []} | advice)


SETS = {
    "pima": _advised(
        "Pima diabetes",
        pima,
        PIMA_NAMES,
        good=(
            {"glucose": (">=", 140), "bmi": (">=", 30)},
            {"glucose": ("<=", 140), "bmi": (18.5, 25)},
        ),
        partial=({"bmi": (">=", 30)}, {"bmi": (18.5, 25)}),
    ),
    "plane": _advised(
        "Hyperplane",
        plane,
        PLANE_NAMES,
        good=(
            {"x0": (">=", 0.5), "x1": (">=", 0.5), "x2": (">=", 0)},
            {"x0": ("<=", -0.5), "x1": ("<=", -0.5), "x2": ("<=", 0)},
        ),
        partial=({"x2": (">=", 1)}, {"x2": ("<=", -1)}),
    ),
}
