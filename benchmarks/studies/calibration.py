"""Probabilities of LASVC compared with cross-validation, and in streams."""

from functools import partial
from itertools import product

import numpy as np
import pandas as pd
from sklearn.calibration import CalibratedClassifierCV
from sklearn.metrics import log_loss
from sklearn.model_selection import cross_val_predict

from sklearn_online_svm import LASVC
from sklearn_online_svm.calibration._maps import SplineMap

from ..bench.frames import frame, means, where
from ..bench.measure import processor_seconds
from ..bench.rst import text_table, times
from ..bench.study import Study, grid, named, seeded, step
from ..sets.calibration import SETS

N_FOLDS = 5
CS = [1.0, 10.0]
# Streams of C = 1: samples before the frozen map is fitted, of a chunk, and of the window.
STREAMS = ["adult", "magic04", "mnist_8"]
N_BEGIN, CHUNK, WINDOW = 3000, 500, 3000
TITLES = {name: each.title for name, each in SETS.items()}


def calibrate(set, C, seed=0, quick=False):
    """Return log-loss and time of probabilities from one fit, and from further fits."""
    X, y, X_test, y_test = SETS[set].load(seed, quick)
    new, repeats = partial(LASVC, C=C, random_state=seed), 1 if quick else 2

    def fit_ours():
        model = new(probability=True).fit(X, y)
        model.predict_proba(X[:1])
        return model

    _, plain = processor_seconds(lambda: new().fit(X, y), repeats)
    ours, seconds = processor_seconds(fit_ours, repeats)
    sigmoid = CalibratedClassifierCV(new(), ensemble=False, cv=N_FOLDS)
    _, folded = processor_seconds(lambda: sigmoid.fit(X, y))
    found = {
        "ours": log_loss(y_test, ours.predict_proba(X_test)),
        "folds_sigmoid": log_loss(y_test, sigmoid.predict_proba(X_test)),
        "seconds_plain": plain,
        "seconds": seconds,
        "seconds_folds": folded,
    }
    # More classes have a map for each pair.
    if len(ours.classes_) == 2:
        codes, scores = np.searchsorted(ours.classes_, y), ours.decision_function(X_test)
        held_out = cross_val_predict(new(), X, y, cv=N_FOLDS, method="decision_function")
        for name, values in {"folds": held_out, "training": ours.decision_function(X)}.items():
            fitted = SplineMap().fit(values, codes, np.ones(len(codes)))
            found[name] = log_loss(y_test, np.exp(fitted.log_proba(scores)))
    return found


def follow(set, drift, seed=0, quick=False):
    """Return the prequential log-loss of a stream whose labels become noisy, and of a frozen map.

    The share of wrong labels grows, or jumps to 30 % in the second half.
    """
    X, y, X_test, y_test = SETS[set].load(seed, quick)
    X, y = np.vstack([X, X_test]), np.concatenate([y, y_test])
    at = np.arange(len(y)) / len(y)
    wrong = 0.3 * (at if drift == "gradual" else at > 0.5)
    y = np.where(np.random.default_rng(seed).uniform(size=len(y)) < wrong, -y, y)
    begin, chunk = (200, 100) if quick else (N_BEGIN, CHUNK)
    model = LASVC(probability=True, window_size=WINDOW)
    model.partial_fit(X[:begin], y[:begin], classes=[-1, 1])
    model.predict_proba(X[:1])
    _, (frozen, _) = model._fitted.fitted_to_kept(True, None)
    losses, trained, asked = [], 0.0, 0.0
    for first in range(begin, len(y), chunk):
        rows = slice(first, first + chunk)
        scores, deciding = processor_seconds(partial(model.decision_function, X[rows]))
        probabilities, predicting = processor_seconds(partial(model.predict_proba, X[rows]))
        known = np.exp(frozen.log_proba(scores))
        losses.append([log_loss(y[rows], p, labels=[-1, 1]) for p in (probabilities, known)])
        _, training = processor_seconds(partial(model.partial_fit, X[rows], y[rows]))
        trained += training + deciding
        asked += predicting
    ours, of_frozen = np.mean(losses[len(losses) // 2 :], axis=0)
    return {
        "ours_second_half": float(ours),
        "frozen_second_half": float(of_frozen),
        "seconds_trained": trained,
        "seconds_asked": asked,
    }


def losses(results, C):
    """Write the log-loss, and ratios of others to it."""
    found = where(frame("calibration_sets", results), C=C)
    for name in ("folds_sigmoid", "training"):
        found[name] = found[name] / found["ours"]
    columns = {
        "ours": ("LASVC", "{:.4f}".format),
        # Narrow columns break at a soft hyphen.
        "folds_sigmoid": ("sig\N{SOFT HYPHEN}moid", "{:.3f}".format),
        "training": ("train\N{SOFT HYPHEN}ing", "{:.3f}".format),
    }
    found = means(found, "set").rename(index=TITLES)
    return text_table(found, columns, f"Log-loss with C = {C:g}")


def calibration_time(results):
    """Write times relative to a fit without probabilities."""
    found, cells = frame("calibration_sets", results), {}
    for C, (name, title) in product(CS, {"seconds": "", "seconds_folds": ", CV"}.items()):
        ratios = found.assign(ratio=found[name] / found["seconds_plain"])
        cells[f"C = {C:g}{title}"] = means(where(ratios, C=C), "set")["ratio"]
    cells = pd.DataFrame(cells).map("{:.2f}".format).rename(index=TITLES)
    return text_table(cells, parts="Time relative to a fit without probabilities")


def calibration_streams(results):
    """Write the log-loss of the second half of a stream."""
    found = frame("calibration_streams", results)
    found["time"] = found["seconds_asked"] / found["seconds_trained"]
    found = means(found, "set", "drift")
    found.index = [f"{TITLES[name]}, {drift}" for name, drift in found.index]
    columns = {
        "ours_second_half": ("LASVC", "{:.4f}".format),
        "frozen_second_half": ("first map", "{:.4f}".format),
        "time": ("time", times),
    }
    return text_table(found, columns, "Log-loss on streams")


DRIFTS = ["gradual", "abrupt"]
STUDY = Study(
    steps={
        "calibration_sets": step(calibrate, seeded(grid(set=SETS, C=CS), 3)),
        "calibration_streams": step(follow, seeded(grid(set=STREAMS, drift=DRIFTS), 3)),
    },
    tables=named(calibration_time, calibration_streams)
    | {
        "calibration_c1": partial(losses, C=1.0),
        "calibration_c10": partial(losses, C=10.0),
    },
)
