"""Tasks of `calibration`: one set, or one stream, in a fresh process."""

import time
from dataclasses import dataclass

import numpy as np
from sklearn.calibration import CalibratedClassifierCV
from sklearn.linear_model import SGDClassifier
from sklearn.metrics import accuracy_score, log_loss
from sklearn.model_selection import cross_val_predict

from sklearn_online_svm import (
    LASVC,
    AROWClassifier,
    PassiveAggressiveClassifier,
    PerceptronClassifier,
)
from sklearn_online_svm.calibration import OnlineCalibratedClassifier
from sklearn_online_svm.calibration._maps import MultinomialMap, SplineMap
from sklearn_online_svm.kernel import _leave_one_out
from sklearn_online_svm.kernel._probabilities import fitted_map

from ..bench.job import Job
from ..bench.measure import processor_seconds
from .maps import BINARY, MULTICLASS
from .sets import SETS

N_FOLDS = 5
# Of streams: samples before the frozen map is fitted, samples of a chunk, and of the window.
N_BEGIN, CHUNK, WINDOW = 3000, 500, 3000


@dataclass(frozen=True)
class CalibrationJob(Job):
    """A set and C; for a stream, what happens to the labels."""

    set: str = ""
    C: float = 1.0
    drift: str = ""
    model: str = ""
    algorithm: str = ""


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
        "n_train": len(y),
        "n_classes": len(ours.classes_),
        "n_support": len(ours.support_),
        "ours": log_loss(y_test, ours.predict_proba(X_test)),
        "folds": with_map_of(
            cross_val_predict(new(), X, y, cv=N_FOLDS, method="decision_function")
        ),
        "folds_sigmoid": log_loss(y_test, sigmoid.predict_proba(X_test)),
        "training": with_map_of(ours.decision_function(X)),
        "accuracy": accuracy_score(y_test, ours.predict(X_test)),
        "accuracy_by_probability": accuracy_score(
            y_test, ours.classes_[ours.predict_proba(X_test).argmax(axis=1)]
        ),
        "seconds_plain": plain,
        "seconds": seconds,
        "seconds_folds": folded,
    }


def compare_maps(job):
    """Log-loss of maps fitted to the same leave-one-out values.

    ``not_joined`` is that of the first map if samples within the margin do not take part in the
    replacement of support vectors.
    """
    X, y, X_test, y_test = SETS[job.set].load(job.seed, job.quick)
    model = LASVC(C=job.C, random_state=job.seed).fit(X, y)
    codes = np.searchsorted(model.classes_, y)
    maps = BINARY if len(model.classes_) == 2 else MULTICLASS
    new = model.decision_function(X_test).reshape(len(y_test), -1)

    def values():
        return model.leave_one_out_decision_function(X, y).reshape(len(y), -1)

    scores = values()
    found = {name: log_loss(y_test, fit(scores, codes)(new)) for name, fit in maps.items()}
    joining, _leave_one_out.N_JOINING = _leave_one_out.N_JOINING, 0
    own = next(iter(maps.values()))
    found["not_joined"] = log_loss(y_test, own(values(), codes)(new))
    _leave_one_out.N_JOINING = joining
    return found


def calibrate_robust(job):
    """Log-loss of probabilities with the ramp loss, and of the same map fitted to five folds."""
    X, y, X_test, y_test = SETS[job.set].load(job.seed, job.quick)
    params = dict(C=job.C, algorithm=job.algorithm, random_state=job.seed)
    model = LASVC(probability=True, **params).fit(X, y)
    codes = np.searchsorted(model.classes_, y)
    folds = cross_val_predict(LASVC(**params), X, y, cv=N_FOLDS, method="decision_function")
    fitted = SplineMap().fit(folds, codes, np.ones(len(codes)))
    of_folds = np.exp(fitted.log_proba(model.decision_function(X_test)))
    return {
        "ours": log_loss(y_test, model.predict_proba(X_test)),
        "folds": log_loss(y_test, of_folds),
    }


ONLINE = {
    "arow": lambda: AROWClassifier(r=10),
    "pa": lambda: PassiveAggressiveClassifier(C=0.01, average=True),
    "perceptron": lambda: PerceptronClassifier(average=True),
    "sgd": lambda: SGDClassifier(average=True, random_state=0),
}


def calibrate_online(job):
    """Log-loss of one pass of an online model, with logistic regression as a reference."""
    X, y, X_test, y_test = SETS[job.set].load(job.seed, job.quick)
    base = ONLINE[job.model]
    model = OnlineCalibratedClassifier(base(), random_state=job.seed)
    _, seconds = processor_seconds(lambda: model.fit(X, y), 1)
    order = np.random.default_rng(job.seed).permutation(len(y))
    classes = model.classes_
    _, alone = processor_seconds(
        lambda: base().partial_fit(X[order], y[order], classes=classes), 1
    )
    scores = model.decision_function(X_test)
    codes = np.searchsorted(classes, y_test)
    spline = SplineMap(float(np.abs(scores).mean())) if len(classes) == 2 else MultinomialMap()
    best = spline.fit(scores, codes, np.ones(len(codes)))
    return {
        "ours": log_loss(y_test, model.predict_proba(X_test)),
        "known": log_loss(y_test, np.exp(best.log_proba(scores))),
        "seconds": seconds,
        "seconds_alone": alone,
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
    frozen = fitted_map(model, model._samples)
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
        "n": len(y),
        "ours": float(np.mean(losses)),
        "frozen": float(np.mean(frozen_losses)),
        "ours_second_half": float(np.mean(losses[half:])),
        "frozen_second_half": float(np.mean(frozen_losses[half:])),
        "seconds_trained": trained,
        "seconds_asked": asked,
    }


JOB = CalibrationJob
TASKS = {
    "calibrate": calibrate,
    "calibrate_online": calibrate_online,
    "calibrate_robust": calibrate_robust,
    "compare_maps": compare_maps,
    "follow": follow,
}
