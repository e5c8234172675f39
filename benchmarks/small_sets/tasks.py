"""Tasks of `small_sets`: the models of one kind on one set, in a fresh process."""

import tempfile
from copy import deepcopy
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import joblib
import numpy as np
from sklearn.base import clone
from sklearn.metrics import accuracy_score, r2_score
from sklearn.model_selection import GridSearchCV
from sklearn.svm import SVC, SVR, OneClassSVM

from sklearn_online_svm import LASVC, LASVR, OneClassLASVM
from sklearn_online_svm.export import load_model, save_model

from ..bench.job import Job
from ..bench.measure import PeakMemory, processor_seconds, timed
from ..sets.workloads import WORKLOADS
from ..studies.active_loops import Loop
from .sets import TURNS, load, title

# The first of each kind is the peer.
MODELS = {
    "classes": {
        "svc": SVC(C=10),
        "lasvc": LASVC(C=10, random_state=0),
        "ovr": LASVC(C=10, multi_class="ovr", random_state=0),
    },
    "regression": {"SVR": SVR(C=10), "LASVR": LASVR(C=10, random_state=0)},
    "novelty": {
        "OneClassSVM": OneClassSVM(nu=0.1),
        "OneClassLASVM": OneClassLASVM(nu=0.1, random_state=0),
    },
}
SCORES = {"classes": accuracy_score, "regression": r2_score, "novelty": accuracy_score}
CHUNK = 500
N_CALLS = 300
# A label loop: samples of each class to begin with, queries, and candidates of a query.
N_FIRST, N_QUERIES, POOL_SIZE = 10, 500, 59


@dataclass(frozen=True)
class SmallJob(Job):
    """A set, its kind and training samples; a model, and how it is trained."""

    kind: str = "classes"
    set: str = ""
    n_train: int | None = None
    model: str = "lasvc"
    stream: bool = False
    # Support vectors of a stream of single samples.
    n_vectors: int = 0


def shortest(function, quick):
    """Return what the last call returns, and the shortest processor time of several calls.

    There are calls for 0.3 seconds, or five if these take longer, but none after 2 seconds.
    """
    seconds = []
    while not seconds or (not quick and sum(seconds) < (2 if len(seconds) < 5 else 0.3)):
        value, time = processor_seconds(function)
        seconds.append(time)
    return value, min(seconds)


def fit(job):
    """Times of `fit`, scores, and agreement with the predictions of the peer."""
    X, X_test, y, y_test = load(job.kind, job.set, job.quick)
    found, expected, score = [], None, SCORES[job.kind]
    for name, model in MODELS[job.kind].items():
        _, seconds = shortest(partial(model.fit, X, y), job.quick)
        predicted = model.predict(X_test)
        expected = predicted if expected is None else expected
        found.append(
            {
                "model": name,
                "seconds": seconds,
                "score": score(y_test, predicted),
                "agreement": score(expected, predicted),
            }
        )
    return {"models": found}


def _streamed(model, X, y):
    """Train a new model in chunks."""
    model, classes = clone(model), np.unique(y)
    for at in range(0, len(y), CHUNK):
        model.partial_fit(X[at : at + CHUNK], y[at : at + CHUNK], classes=classes)
    return model


def memory(job):
    """Peak memory of a fit, or of a stream, beyond the data."""
    X, _, y, _ = load(job.kind, job.set, job.quick)
    model = MODELS[job.kind][job.model]
    train = partial(_streamed, model) if job.stream else model.fit
    train(X[:100], y[:100])
    with PeakMemory() as peak:
        train(X, y)
    return {"peak_mb": peak.megabytes}


def stream(job):
    """Times of streams in chunks."""
    X, X_test, y, y_test = load(job.kind, job.set, job.quick)
    found = []
    for name in ("lasvc", "ovr"):
        train = partial(_streamed, MODELS[job.kind][name], X, y)
        model, seconds = shortest(train, job.quick)
        found.append({"model": name, "seconds": seconds, "score": model.score(X_test, y_test)})
    return {"models": found}


def turns(job):
    """Mean times of `partial_fit` with one sample, alone and with `predict` after each."""
    X, _, y, _ = load("classes", title(*TURNS), quick=False)
    model, at = clone(MODELS["classes"]["lasvc"]), 0
    while not at or len(model.support_) < (50 if job.quick else job.n_vectors):
        model.partial_fit(X[at : at + 50], y[at : at + 50], classes=[0, 1])
        at += 50

    def run(model, predicting):
        for i in range(at, at + N_CALLS):
            model.partial_fit(X[i : i + 1], y[i : i + 1])
            if predicting:
                model.predict(X[i : i + 1])

    found = {}
    for name, predicting in (("alone", False), ("in_turn", True)):
        copies = [deepcopy(model) for _ in range(1 if job.quick else 5)]
        seconds = [processor_seconds(partial(run, copy, predicting))[1] for copy in copies]
        found[f"{name}_microseconds"] = 1e6 * min(seconds) / N_CALLS
    return found


def search(job):
    """Times of a search over 25 candidates with three folds."""
    X, _, y, _ = load(job.kind, job.set, job.quick)
    scales = np.logspace(-2, 2, 5)
    candidates = {"C": 10 * scales, "gamma": scales / (X.shape[1] * X.var())}
    found = []
    for name in ("svc", "lasvc"):
        searching = GridSearchCV(MODELS[job.kind][name], candidates, cv=3)
        _, seconds = shortest(partial(searching.fit, X, y), job.quick)
        found.append({"model": name, "seconds": seconds, "score": searching.best_score_})
    return {"models": found}


def label_loop(job):
    """Times of loops that query a label by margin sampling, and fit the model again."""
    work = WORKLOADS[job.set]
    split = work.load(job.seed, job.quick)
    X, y = split.X_train, split.y_train
    first = np.concatenate([np.flatnonzero(y == label)[:N_FIRST] for label in (-1, 1)])

    def run(make):
        model = make(C=work.C, gamma=work.gamma)
        loop = Loop(X, y, first, model, POOL_SIZE, refit=True, seed=job.seed)
        for _ in range(20 if job.quick else N_QUERIES):
            loop.step()
        return loop.classifier()

    found = []
    for name, make in (("svc", SVC), ("lasvc", LASVC)):
        model, seconds = shortest(partial(run, make), job.quick)
        score = model.score(split.X_test, split.y_test)
        found.append({"model": name, "seconds": seconds, "score": score})
    return {"models": found}


def fit_on_threads(job):
    """The shortest wall-clock time of a fit."""
    X, _, y, _ = load(job.kind, job.set, job.quick)
    model = clone(MODELS[job.kind][job.model]).set_params(n_jobs=job.threads)
    return {"seconds": min(timed(lambda: model.fit(X, y), max_repeats=7)[1])}


def files(job):
    """Sizes of files, and times to write and to read them."""
    if job.set in WORKLOADS:
        work = WORKLOADS[job.set]
        split = work.load(job.seed, job.quick)
        model = LASVC(C=work.C, gamma=work.gamma, random_state=job.seed)
        model.fit(split.X_train[: job.n_train], split.y_train[: job.n_train])
    else:
        X, _, y, _ = load(job.kind, job.set, job.quick)
        model = MODELS[job.kind][job.model].fit(X, y)
    found = []
    for name, dump, read in (
        ("save_model", save_model, load_model),
        ("joblib", joblib.dump, joblib.load),
    ):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "model"
            _, written = shortest(partial(dump, model, path), job.quick)
            _, loaded = shortest(partial(read, path), job.quick)
            size = path.stat().st_size / 1e6
        found.append(
            {"format": name, "mb": size, "write_seconds": written, "read_seconds": loaded}
        )
    return {"n_vectors": len(model.support_), "files": found}


JOB = SmallJob
TASKS = {
    "fit_small_set": fit,
    "memory_of_small_set": memory,
    "stream_of_classes": stream,
    "single_calls": turns,
    "search_small_set": search,
    "refit_for_labels": label_loop,
    "fit_small_set_on_threads": fit_on_threads,
    "files_of_models": files,
}
