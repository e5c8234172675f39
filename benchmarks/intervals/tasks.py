"""Tasks of `intervals`: coverage, width and time of methods."""

from dataclasses import dataclass, field

import numpy as np
from sklearn.decomposition import PCA

from sklearn_online_svm import LASVR
from sklearn_online_svm.evaluation import AdaptiveConformalInference

from ..bench.job import Job
from ..bench.measure import processor_seconds
from . import methods
from .sets import load, load_classes

N_QUICK = 60
# Length of a stream and of its chunks, and step sizes of adaptive conformal inference.
N_STREAM, CHUNK, STEPS = 8000, 100, (0.005, 0.02)
# Test samples of the peers: the jackknife+ predicts each of them with each of its models.
N_TEST_OF_PEERS = 1000


@dataclass(frozen=True)
class IntervalJob(Job):
    """A set, seeds, and a method."""

    set: str = ""
    method: str = ""
    seeds: list = field(default_factory=list)
    n_train: int = 1000
    C: float = methods.C
    epsilon: float = methods.EPSILON


def _quarters(covered, values):
    """Return the coverage in each quarter of the samples, in the order of some values."""
    edges = np.quantile(values, [0, 0.25, 0.5, 0.75, 1])
    parts = zip(edges[:-1], edges[1:], strict=True)
    return [float(covered[(low <= values) & (values <= high)].mean()) for low, high in parts]


def _run(job, seed, method, **params):
    n, n_test = job.n_train, 4000 if job.method in methods.OURS else N_TEST_OF_PEERS
    if job.quick:
        n, n_test = N_QUICK, N_QUICK
    split = load(job.set, seed, n, n_test)
    given = split.X_train, split.y_train, split.X_test, seed
    ends, seconds = processor_seconds(lambda: method(*given, **params))
    covered = (ends[:, 0] <= split.y_test) & (split.y_test <= ends[:, 1])
    component = PCA(1).fit(split.X_train).transform(split.X_test)[:, 0]
    return {
        "seed": seed,
        "n_train": len(split.y_train),
        "coverage": float(covered.mean()),
        "quarters": _quarters(covered, ends.mean(axis=1)) + _quarters(covered, component),
        "width": float(np.minimum(ends[:, 1] - ends[:, 0], 1e3).mean()),
        "seconds": seconds,
    }


def intervals(job):
    """One method on one set."""
    method = {**methods.OURS, **methods.PEERS}[job.method]
    return {"runs": [_run(job, seed, method) for seed in job.seeds]}


def parameters(job):
    """Our intervals with other parameters and numbers of samples."""
    params = dict(C=job.C, epsilon=job.epsilon)
    return {"runs": [_run(job, seed, methods.ours, **params) for seed in job.seeds]}


def sets(job):
    """Prediction sets of one method on one set of classes."""
    runs = []
    for seed in job.seeds:
        split = load_classes(job.set, seed, job.quick)
        given = split.X_train, split.y_train, split.X_test, seed
        found, seconds = processor_seconds(lambda given=given: methods.SETS[job.method](*given))
        own = found[np.arange(len(found)), np.searchsorted(np.unique(split.y_train), split.y_test)]
        size = float(found.sum(axis=1).mean())
        run = {"coverage": float(own.mean()), "size": size, "seconds": seconds}
        runs.append({"seed": seed, "n_train": len(split.y_train), **run})
    return {"runs": runs}


def _stream(kind, seed, n):
    """Return samples of a stream that changes in its middle."""
    split = load("friedman", seed, n, 1)
    X, y = split.X_train, split.y_train
    rng, is_late = np.random.default_rng(seed), np.arange(n) >= n // 2
    if kind == "noise":
        return X, y + np.where(is_late, 0.8, 0.1) * rng.normal(size=n)
    if kind == "function":
        return X, np.where(is_late, -y, y)
    return X, y


def in_stream(job):
    """Coverage in a stream: of intervals of the model, and with adaptive conformal inference."""
    n, runs = 400 if job.quick else N_STREAM, []
    for seed in job.seeds:
        X, y = _stream(job.set, seed, n)
        model = LASVR(C=methods.C, epsilon=methods.EPSILON, gamma=0.1, intervals=True)
        adaptive = {
            f"adaptive, {step}": AdaptiveConformalInference(step_size=step) for step in STEPS
        }
        ends = {name: [] for name in ("intervals", *adaptive)}
        for first in range(0, n, CHUNK):
            chunk = X[first : first + CHUNK], y[first : first + CHUNK]
            if first:
                ends["intervals"].append(model.predict_interval(chunk[0], methods.COVERAGE))
                for name, inference in adaptive.items():
                    ends[name].append(inference.update(model, *chunk))
            model.partial_fit(*chunk)
        for name, parts in ends.items():
            lower, upper = np.concatenate(parts).T
            covered, last = (lower <= y[CHUNK:]) & (y[CHUNK:] <= upper), len(lower) - n // 2
            widths = np.minimum(upper - lower, 1e3)
            runs.append(
                {
                    "seed": seed,
                    "way": name,
                    "before": float(covered[:last].mean()),
                    "changed": float(covered[last : last + n // 8].mean()),
                    "after": float(covered[last + n // 8 :].mean()),
                    "width": float(widths[last + n // 8 :].mean()),
                }
            )
    return {"runs": runs}


JOB = IntervalJob
TASKS = {
    "predict_intervals": intervals,
    "intervals_of_parameters": parameters,
    "predict_sets": sets,
    "intervals_in_stream": in_stream,
}
