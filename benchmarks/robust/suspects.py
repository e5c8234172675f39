"""Wrong labels of several kinds, and methods that rank samples by how wrong their labels look."""

import time

import numpy as np
from sklearn.metrics import average_precision_score
from sklearn.model_selection import StratifiedKFold, cross_val_predict

from sklearn_online_svm import LASVC, RampSVC

from ..sets.calibration import Set

N_TRAIN = 1500
SETS = {
    "banana": Set("Banana", "banana"),
    "magic04": Set("MAGIC", "magic04"),
    "spambase": Set("Spambase", "spambase"),
    "adult": Set("Adult", "adult_a9a", scale=1.0),
    "satimage": Set("Satimage", "satimage"),
    "usps": Set("USPS", "usps", scale=1.0),
}
KINDS = ("uniform", "by class", "near the boundary")
# Largest share of the labels of a class that become those of another one.
MOST_OF_CLASS = 0.4


def with_wrong_labels(X, y, kind, share, rng):
    """Return labels of which a share is wrong, and which of them are.

    ``uniform``: any other class. ``by class``: samples of a class get the label of another one;
    as many classes as the share needs. ``near the boundary``: the class that a model finds most
    likely besides the true one, for samples of small margins above all.
    """
    classes, codes = np.unique(y, return_inverse=True)
    n, wrong = len(y), codes.copy()
    n_wrong = int(share * n)
    if kind == "uniform":
        rows = rng.choice(n, n_wrong, replace=False)
        wrong[rows] = (codes[rows] + rng.integers(1, len(classes), n_wrong)) % len(classes)
    elif kind == "by class":
        order = rng.permutation(len(classes))
        for code, other in zip(order, np.roll(order, -1), strict=True):
            of_class = rng.permutation(np.flatnonzero(codes == code))
            most = min(int(MOST_OF_CLASS * len(of_class)), n_wrong)
            wrong[of_class[:most]] = other
            n_wrong -= most
    else:
        scores = LASVC(multi_class="ovr", random_state=0).fit(X, y).decision_function(X)
        scores = np.column_stack([-scores, scores]) if scores.ndim == 1 else scores
        own = scores[np.arange(n), codes].copy()
        scores[np.arange(n), codes] = -np.inf
        distances = np.abs(own - scores.max(axis=1))
        chances = np.exp(-2.0 * distances / np.median(distances))
        rows = rng.choice(n, n_wrong, replace=False, p=chances / chances.sum())
        wrong[rows] = scores.argmax(axis=1)[rows]
    return classes[wrong], wrong != codes


def margins_of_training(model, X, y):
    """Return the margins of training samples of the model that was trained on them."""
    suspects, margins = model.fit(X, y).suspect_labels(
        # With a row more, these are not the training samples.
        np.vstack([X, X[:1]]),
        np.append(y, y[:1]),
        n_suspects=len(y) + 1,
        return_margins=True,
    )
    return margins[np.argsort(suspects)][:-1]


def margins_of_folds(model, X, y, folds):
    """Return the margins of samples of models that were not trained on them."""
    margins = np.empty(len(y))
    for train, test in folds.split(X, y):
        suspects, found = model.fit(X[train], y[train]).suspect_labels(
            X[test], y[test], n_suspects=len(test), return_margins=True
        )
        margins[test[suspects]] = found
    return margins


def probabilities_of_folds(model, X, y, folds):
    """Return the probabilities of the labels by models that were not trained on them."""
    P = cross_val_predict(model, X, y, cv=folds, method="predict_proba")
    return P[np.arange(len(y)), np.searchsorted(np.unique(y), y)]


def left_out_margins(model, X, y):
    """Return the margins of training samples, each of a model without it."""
    suspects, margins = model.fit(X, y).suspect_labels(
        X, y, n_suspects=len(y), return_margins=True
    )
    return margins[np.argsort(suspects)]


def suspect_methods(job):
    """Average precision of the wrong labels in the order of each method, and its time."""
    kind, share, C = (job.options[name] for name in ("kind", "share", "C"))
    X, y, _, _ = SETS[job.options["set"]].load(job.seed, job.quick)
    X, y = X[:N_TRAIN], y[:N_TRAIN]
    y, is_wrong = with_wrong_labels(X, y, kind, share, np.random.default_rng(job.seed))
    fixed = dict(C=C, random_state=job.seed)
    hinge, folds = LASVC(**fixed), StratifiedKFold(5, shuffle=True, random_state=job.seed)
    methods = {
        "left_out": lambda: left_out_margins(hinge, X, y),
        "training": lambda: margins_of_training(hinge, X, y),
        "nc": lambda: left_out_margins(LASVC(algorithm="lasvm-nc", **fixed), X, y),
        "ramp": lambda: left_out_margins(RampSVC(**fixed), X, y),
        "folds": lambda: margins_of_folds(hinge, X, y, folds),
        "probabilities": lambda: probabilities_of_folds(
            LASVC(probability=True, **fixed), X, y, folds
        ),
    }
    points = []
    for name, method in methods.items():
        began = time.perf_counter()
        order = method()
        points.append({
            "method": name,
            "seconds": time.perf_counter() - began,
            "precision": float(average_precision_score(is_wrong, -order)),
        })  # fmt: skip
    return {"sweep": points}
