"""Tasks of `compression`: one set, in a fresh process."""

from dataclasses import dataclass

from sklearn.metrics import zero_one_loss

from sklearn_online_svm import LASVC
from sklearn_online_svm.kernel._analysis import _compression

from ..bench.job import Job
from ..bench.measure import processor_seconds
from .sets import CASES, COMPARED_SHARE, SHARES, TOLERANCES

REPEATS = 5


@dataclass(frozen=True)
class CompressionJob(Job):
    """A set."""

    set: str = ""


def prediction_times(models, X):
    """Return the shortest times of models for all samples, measured in turns."""
    turns = [
        [processor_seconds(lambda model=model: model.predict(X))[1] for model in models]
        for _ in range(REPEATS)
    ]
    return [min(seconds) for seconds in zip(*turns)]


def fitted(job, X, y):
    """Return a model that is optimized over its support set."""
    case = CASES[job.set]
    model = LASVC(C=case.C, gamma=case.gamma, random_state=job.seed).fit(X, y)
    model.predict(X[:1])
    return model


def compress(job):
    """Fit a model and compress it to several tolerances and sizes."""
    X, y, X_test, y_test = CASES[job.set].samples.load(job.seed, job.quick)
    model, fit_seconds = processor_seconds(lambda: fitted(job, X, y))
    n = len(model.support_)
    requests = [{"tolerance": tolerance} for tolerance in TOLERANCES]
    requests += [{"max_support_vectors": max(1, round(share * n))} for share in SHARES]
    found = [
        processor_seconds(lambda asked=asked: model.compress(X=X_test, **asked))
        for asked in requests
    ]
    batch = prediction_times([model, *(small for small, _ in found)], X_test)
    return {
        "n_support": n,
        "error": zero_one_loss(y_test, model.predict(X_test)),
        "seconds_fit": fit_seconds,
        "seconds_batch": batch[0],
        "compressed": [
            {
                "n_support": len(small.support_),
                "error": zero_one_loss(y_test, small.predict(X_test)),
                "sample_difference": small.sample_difference_,
                "seconds": seconds,
                "seconds_batch": batch[k],
            }
            for k, (small, seconds) in enumerate(found, start=1)
        ],
    }


def compare(job):
    """Compare moved with selected vectors."""
    X, y, X_test, y_test = CASES[job.set].samples.load(job.seed, job.quick)
    model = fitted(job, X, y)
    X_test, y_test = X_test[:2000], y_test[:2000]
    size = max(1, round(COMPARED_SHARE * len(model.support_)))
    n_moves, errors = _compression.N_MOVES, []
    for _compression.N_MOVES in (0, n_moves):
        small = model.compress(max_support_vectors=size)
        errors.append(zero_one_loss(y_test, small.predict(X_test)))
    return {
        "error": zero_one_loss(y_test, model.predict(X_test)),
        "error_selected": errors[0],
        "error_moved": errors[1],
    }


JOB = CompressionJob
TASKS = {"compress": compress, "compare_compressed": compare}
