"""Tasks of `random_problems`: several problems, one after the other."""

import time
import warnings
from dataclasses import dataclass, field

import numpy as np
from sklearn.metrics import (
    accuracy_score,
    average_precision_score,
    balanced_accuracy_score,
    r2_score,
)
from sklearn.svm import SVC, SVR
from sklearn.utils.class_weight import compute_sample_weight

from sklearn_online_svm import LASVC, LASVR
from tests.support.problems import random_classification, random_regression

from ..bench.job import Job
from . import kinds

# Steps of the peers; problems on which they do not converge are left out.
MOST_STEPS = 1_000_000
CHUNK = 100
# Samples of a class to test that an average precision needs.
FEWEST_POSITIVES = 50


@dataclass(frozen=True)
class RandomJob(Job):
    """The problems with the seeds from `first` on."""

    first: int = 0
    n: int = 1
    sizes: list = field(default_factory=list)
    streams: bool = False

    def seeds(self):
        return range(self.first, self.first + self.n)


def fitted(model, *data):
    """The fitted model, and the processor time."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        start = time.process_time()
        return model.fit(*data), time.process_time() - start


def compare_classifiers(job):
    return {"problems": [found for s in job.seeds() if (found := compared_with_svc(job, s))]}


def compared_with_svc(job, seed):
    """Scores and times of LASVC and of SVC with the same weights.

    The score is the accuracy, or the balanced accuracy if the classes are balanced.
    """
    (X, y), (X_new, y_new), params = random_classification(seed, tuple(job.sizes))
    weight = compute_sample_weight(params["class_weight"], y)
    plain = {name: value for name, value in params.items() if name != "class_weight"}
    peer, peer_seconds = fitted(SVC(max_iter=MOST_STEPS, **plain), X, y, weight)
    if peer.fit_status_:
        return None
    score = accuracy_score if params["class_weight"] is None else balanced_accuracy_score
    model, seconds = fitted(LASVC(random_state=job.seed, **params), X, y)
    found = {
        "seed": seed,
        "n": len(y),
        "peer": score(y_new, peer.predict(X_new)),
        "fit": score(y_new, model.predict(X_new)),
        "n_iter": int(model.n_iter_),
        "seconds": seconds,
        "peer_seconds": peer_seconds,
    }
    if job.streams:
        stream = LASVC(**plain)
        for start in range(0, len(y), CHUNK):
            rows = slice(start, start + CHUNK)
            stream.partial_fit(X[rows], y[rows], np.unique(y), weight[rows])
        found["stream"] = score(y_new, stream.predict(X_new))
    return found


def compare_regressors(job):
    return {"problems": [found for s in job.seeds() if (found := compared_with_svr(job, s))]}


def compared_with_svr(job, seed):
    (X, y), (X_new, y_new), params = random_regression(seed, tuple(job.sizes))
    peer, peer_seconds = fitted(SVR(max_iter=MOST_STEPS, **params), X, y)
    if peer.fit_status_:
        return None
    model, seconds = fitted(LASVR(random_state=job.seed, **params), X, y)
    stream = LASVR(random_state=job.seed, **params)
    for start in range(0, len(y), CHUNK):
        stream.partial_fit(X[start : start + CHUNK], y[start : start + CHUNK])
    return {
        "seed": seed,
        "n": len(y),
        "n_iter": int(model.n_iter_),
        "seconds": seconds,
        "peer_seconds": peer_seconds,
        **{
            name: r2_score(y_new, each.predict(X_new))
            for name, each in (("peer", peer), ("fit", model), ("stream", stream))
        },
    }


def compare_epochs(job):
    """``max_iter="auto"`` and 1 beside -1, the optimum, on the kinds of `kinds`."""
    return {"problems": [compared_with_optimum(job, *kinds.problem(s)) for s in job.seeds()]}


def compared_with_optimum(job, train, test, params):
    """Scores, average precisions of the rarest class, and times, by ``max_iter``."""
    score = accuracy_score if params["class_weight"] is None else balanced_accuracy_score
    counts, found = np.bincount(test[1]), {"n": len(train[1])}
    rarest = int(counts.argmin())
    for max_iter in ("auto", 1, -1):
        model = LASVC(max_iter=max_iter, random_state=job.seed, **params)
        model, seconds = fitted(model, *train)
        found[str(max_iter)] = {
            "score": score(test[1], model.predict(test[0])),
            "seconds": seconds,
            "n_iter": int(model.n_iter_),
        }
        if counts[rarest] >= FEWEST_POSITIVES:
            values = model.decision_function(test[0])
            of_rarest = values[:, rarest] if values.ndim > 1 else (2 * rarest - 1) * values
            found[str(max_iter)]["precision"] = average_precision_score(
                test[1] == rarest, of_rarest
            )
    return found


def compare_sizes(job):
    """Just below and just above the number of samples up to which the optimum is found."""
    problems = []
    for seed in job.seeds():
        train, test, params = kinds.problem(seed, max(job.sizes))
        score = accuracy_score if params["class_weight"] is None else balanced_accuracy_score
        scores = []
        for n in job.sizes:
            model, _ = fitted(LASVC(random_state=job.seed, **params), train[0][:n], train[1][:n])
            scores.append(score(test[1], model.predict(test[0])))
        problems.append({"scores": scores})
    return {"problems": problems}


JOB = RandomJob
TASKS = {
    "compare_classifiers": compare_classifiers,
    "compare_regressors": compare_regressors,
    "compare_epochs": compare_epochs,
    "compare_sizes": compare_sizes,
}
