"""One pass of local online learning, linear models, approximated kernels and kernels.

``local_banana``, ...: the sets of `SETS`. Each model chooses its C (and others) on 3000 training
samples, then makes one pass over all of them in several orders.
"""

import time
import warnings
from functools import partial

import numpy as np
from sklearn.kernel_approximation import Nystroem
from sklearn.model_selection import ParameterGrid

import sklearn_online_svm as ours

from ..bench import rst
from ..bench.frames import entries, frame, where
from ..bench.models import prepared
from ..bench.study import Study, named, step
from ..sets.local import SETS

ORDERS = [0, 1, 2]
# Training samples on which C and gamma are chosen: so many to fit, and half as many to score.
N_CHOICE = 3000
# Full covariances up to so many features.
FULL = 256
# Nystroem: number of components, and of samples from which they are drawn.
N_COMPONENTS, N_BASIS = 200, 1000


_C = {"C": [0.01, 0.1, 1.0, 10.0]}
# In units of 1 over the variance of a sample, which is about 1.
_GAMMA = {"gamma": [0.1, 0.5, 2.0]}
_PA = partial(
    ours.PassiveAggressiveClassifier, multi_class="crammer_singer", intercept_scaling=1.0
)
_LOL = partial(ours.LocalOnlineClassifier, 20)
# Estimator, and the grid of choices. "nystroem" gets the features of Nystroem; "lasvc" has one
# order only.
MODELS = {
    "pa": (_PA, _C),
    "pa_mean": (partial(_PA, average=True), _C),
    "cw": (ours.ConfidenceWeightedClassifier, {"eta": [0.55, 0.7, 0.9]}),
    "arow": (ours.AROWClassifier, {"r": [0.1, 1.0, 10.0]}),
    "scw": (ours.SCWClassifier, _C),
    "lol_newest": (partial(_LOL, average=False), _C),
    "lol": (_LOL, _C),
    "lol_scw": (partial(_LOL, variant="scw"), _C),
    "nystroem": (partial(_PA, average=True), _C | _GAMMA),
    "lasvc": (ours.LASVC, {"C": [1.0, 10.0]} | _GAMMA),
}


def one_pass(name, choice, X, y, X_test, y_test, classes, seed=0):
    """Return error and processor time of one pass over the samples."""
    covariance = "full" if X.shape[1] <= FULL else "diag"
    learner = prepared(MODELS[name][0](), covariance=covariance, **choice)
    start = time.process_time()
    if name == "nystroem":
        features = Nystroem(gamma=choice["gamma"], n_components=N_COMPONENTS, random_state=seed)
        X = features.fit(X[:N_BASIS]).transform(X)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        learner.partial_fit(X, y, classes)
        seconds = time.process_time() - start
        X_test = features.transform(X_test) if name == "nystroem" else X_test
        error = float(np.mean(learner.predict(X_test) != y_test))
    return error, seconds / len(y) * 1e6


def learn_streams(set, quick=False):
    """Measure all models on a set."""
    X, y, X_test, y_test = SETS[set].load(quick)
    classes, n = np.unique(y), min(N_CHOICE, len(y) * 2 // 3)
    # The orders that are reported are others.
    rows = np.random.default_rng(99).permutation(len(y))
    few, judges = rows[:n], rows[n : n + n // 2]
    found = {}
    for name, (_, grid) in MODELS.items():
        choices = [*ParameterGrid(grid)]
        errors = [
            one_pass(name, choice, X[few], y[few], X[judges], y[judges], classes)[0]
            for choice in choices
        ]
        choice = choices[int(np.argmin(errors))]
        runs = []
        for seed in ORDERS[: 1 if quick or name == "lasvc" else None]:
            order = np.random.default_rng(seed).permutation(len(y))
            runs.append(one_pass(name, choice, X[order], y[order], X_test, y_test, classes, seed))
        errors, microseconds = map(list, zip(*runs))
        found[name] = {"choice": choice, "errors": errors, "learn_microseconds": microseconds}
    return {
        "n_train": len(y),
        "n_test": len(y_test),
        "n_features": X.shape[1],
        "n_classes": len(classes),
        "models": found,
    }


# Columns, each the best of some models; narrow ones break at a soft hyphen.
_KERNELS = {("nystroem",): "Nys\N{SOFT HYPHEN}troem", ("lasvc",): "LASVC"}
AGAINST_LINEAR = {
    ("pa", "pa_mean", "cw", "arow", "scw"): "lin\N{SOFT HYPHEN}ear",
    ("lol_newest",): "LOL",
    ("lol",): "aver\N{SOFT HYPHEN}aged",
    ("lol_scw",): "SCW-I",
}
AGAINST_KERNELS = {("lol_scw",): "SCW-I"} | _KERNELS
TIMED = {("pa_mean",): "PA-I", ("lol",): "LOL"} | _KERNELS


def by_sets(field, columns, title, results):
    """Mean error in per cent or median time, with a row for each set."""
    found = entries(frame([f"local_{name}" for name in SETS], results), "models", "model", "set")
    found["error"] = 100 * found["errors"].map(np.mean)
    found["microseconds"] = found["learn_microseconds"].map(np.median)

    def cell(name, models):
        here = where(found, set=name)
        lowest = here[here["model"].isin(models)][field].min()
        return "–" if np.isnan(lowest) else f"{lowest:.2f}" if lowest < 100 else f"{lowest:.0f}"

    rows = {name: case.title for name, case in SETS.items()}
    return rst.cross_table("", rows, columns, cell, title)


def local_sets(results):
    """Numbers of samples, features and classes."""
    found = frame([f"local_{name}" for name in SETS], results)
    columns = {
        "": [SETS[name].title + " \\*" * SETS[name].for_defaults for name in found["set"]],
        "samples": found["n_train"].map(rst.count),
        "fea\N{SOFT HYPHEN}tures": found["n_features"].map(rst.count),
        "classes": found["n_classes"].map(rst.count),
    }
    return rst.table(columns)


STUDY = Study(
    steps={f"local_{name}": step(learn_streams, [dict(set=name)]) for name in SETS},
    tables=named(local_sets)
    | {
        "local_linear": partial(
            by_sets, "error", AGAINST_LINEAR, "Test error (%), local and linear models"
        ),
        "local_kernels": partial(
            by_sets, "error", AGAINST_KERNELS, "Test error (%), local models and kernels"
        ),
        "local_times": partial(by_sets, "microseconds", TIMED, "Microseconds per sample"),
    },
)
