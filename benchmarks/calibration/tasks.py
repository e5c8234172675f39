"""Tasks of `calibration`: one set, or one stream, in a fresh process."""

import time
from dataclasses import dataclass

import numpy as np
from sklearn.calibration import CalibratedClassifierCV
from sklearn.metrics import log_loss
from sklearn.model_selection import cross_val_predict

from sklearn_online_svm import LASVC
from sklearn_online_svm.calibration._maps import MultinomialMap, SplineMap

from ..bench.job import Job
from ..bench.measure import processor_seconds
from ..sets.calibration import SETS

N_FOLDS = 5
# Of streams: samples before the frozen map is fitted, samples of a chunk, and of the window.
N_BEGIN, CHUNK, WINDOW = 3000, 500, 3000


@dataclass(frozen=True)
class CalibrationJob(Job):
    """A set and C; for a stream, what happens to the labels."""

    set: str = ""
    C: float = 1.0
    drift: str = ""


def calibrate(job):
    """Log-loss and time of probabilities from one fit, and from further fits."""
    X, y, X_test, y_test = SETS[job.set].load(job.seed, job.quick)
    repeats = 1 if job.quick else 2

    def new(**params):
        return LASVC(C=job.C, random_state=job.seed, **params)

    def fit_ours():
        model = new(probability=True).fit(X, y)
        model.predict_proba(X[:1])
        return model

    _, plain = processor_seconds(lambda: new().fit(X, y), repeats)
    ours, seconds = processor_seconds(fit_ours, repeats)
    sigmoid, folded = processor_seconds(
        lambda: CalibratedClassifierCV(new(), ensemble=False, cv=N_FOLDS).fit(X, y), 1
    )
    codes = np.searchsorted(ours.classes_, y)
    kind = SplineMap if len(ours.classes_) == 2 else MultinomialMap
    scores = ours.decision_function(X_test)

    def with_map_of(values):
        fitted = kind().fit(values, codes, np.ones(len(codes)))
        return log_loss(y_test, np.exp(fitted.log_proba(scores)))

    return {
        "ours": log_loss(y_test, ours.predict_proba(X_test)),
        "folds": with_map_of(
            cross_val_predict(new(), X, y, cv=N_FOLDS, method="decision_function")
        ),
        "folds_sigmoid": log_loss(y_test, sigmoid.predict_proba(X_test)),
        "training": with_map_of(ours.decision_function(X)),
        "seconds_plain": plain,
        "seconds": seconds,
        "seconds_folds": folded,
    }


def flipped(y, drift, rng):
    """Return labels with noise that grows or appears in the second half."""
    at = np.arange(len(y)) / len(y)
    share = 0.3 * (at if drift == "gradual" else at > 0.5)
    return np.where(rng.uniform(size=len(y)) < share, -y, y)


def follow(job):
    """Prequential log-loss of a stream whose labels become noisy, and of a frozen map."""
    X, y, X_test, y_test = SETS[job.set].load(job.seed, job.quick)
    X, y = np.vstack([X, X_test]), np.concatenate([y, y_test])
    y = flipped(y, job.drift, np.random.default_rng(job.seed))
    begin, chunk = (N_BEGIN, CHUNK) if not job.quick else (200, 100)
    model = LASVC(C=job.C, probability=True, window_size=WINDOW)
    model.partial_fit(X[:begin], y[:begin], classes=[-1, 1])
    model.predict_proba(X[:1])
    frozen = model._probability_map()
    losses, frozen_losses, trained, asked = [], [], 0.0, 0.0
    for first in range(begin, len(y), chunk):
        rows = slice(first, first + chunk)
        begun = time.process_time()
        scores = model.decision_function(X[rows])
        decided = time.process_time()
        probabilities = model.predict_proba(X[rows])
        asked += time.process_time() - decided
        losses.append(log_loss(y[rows], probabilities, labels=[-1, 1]))
        known = np.exp(frozen.log_proba(scores))
        frozen_losses.append(log_loss(y[rows], known, labels=[-1, 1]))
        before = time.process_time()
        model.partial_fit(X[rows], y[rows])
        trained += time.process_time() - before + (decided - begun)
    half = len(losses) // 2
    return {
        "ours_second_half": float(np.mean(losses[half:])),
        "frozen_second_half": float(np.mean(frozen_losses[half:])),
        "seconds_trained": trained,
        "seconds_asked": asked,
    }


JOB = CalibrationJob
TASKS = {"calibrate": calibrate, "follow": follow}
