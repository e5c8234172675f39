"""Tasks of `stream_order`: models on streams in several orders, in a fresh process."""

import pickle
import warnings
from dataclasses import dataclass, field
from functools import partial

import numpy as np
from sklearn.linear_model import SGDClassifier
from sklearn.metrics import balanced_accuracy_score, r2_score

from sklearn_online_svm import LASVC, LASVR, KernelAROWClassifier

from ..bench.job import Job
from ..bench.measure import processor_seconds
from ..sets.streams import DRIFT_GAMMA
from .orders import BY_CLASS, ORDERS, SHUFFLED, bursts, order_of, turning, vanishing
from .sets import N_REGRESSION, REGRESSION_SETS, SETS, for_linear

CHUNK = 100
# Parameters of kernel models, unless a set has others: gamma is "scale" for the whole sets.
GAMMA = 1.0
MODELS = {
    "lasvc": {},
    "off": {"replay_size": 0},
    "4000": {"replay_size": 4000},
    "scale": {"gamma": "scale"},
}
ALONG = {
    "lasvc": BY_CLASS, "off": BY_CLASS, "sgd": BY_CLASS, "arow": BY_CLASS, "shuffled": SHUFFLED,
}  # fmt: skip
N_POINTS = 30
REGRESSION_ORDERS = {"shuffled": None, "ascending": 1, "descending": -1}
LATE = {"covtype": 3, "letter": 5}
# Length of a stream that changes, and the samples after the change that are counted apart.
DRIFT_SAMPLES, SETTLED = 8000, 2000


@dataclass(frozen=True)
class OrderJob(Job):
    """A set or a stream, and models."""

    set: str = ""
    models: list = field(default_factory=list)
    seeds: list = field(default_factory=list)
    order: str = ""
    orders: list = field(default_factory=lambda: list(ORDERS))
    # Of LASVR.
    C: float = 1.0
    # Kind of drift.
    drift: str = ""
    predicting: bool = False


def for_each_seed(measure):
    """Return a task that measures with each seed."""
    return lambda job: {"runs": [{"seed": seed, **measure(job, seed)} for seed in job.seeds]}


def make(name, params, seed):
    """Return a model without training."""
    if name == "sgd":
        return SGDClassifier(loss="log_loss", random_state=seed)
    if name == "arow":
        return KernelAROWClassifier(gamma=GAMMA, random_state=seed)
    return LASVC(**{"gamma": GAMMA, **params, **MODELS[name]})


def stream(model, X, y, classes=None, chunk=CHUNK):
    """Train a model in chunks; after each, yield the number of samples so far."""
    arguments = {} if classes is None else {"classes": classes}
    for at in range(0, len(y), chunk):
        model.partial_fit(X[at : at + chunk], y[at : at + chunk], **arguments)
        yield min(at + chunk, len(y))


def trained(model, X, y, classes=None):
    """Return a model after a whole stream."""
    for _ in stream(model, X, y, classes):
        pass
    return model


def features(key, *parts):
    """Return samples as a model gets them."""
    return map(for_linear, parts) if key == "sgd" else parts


def learn_in_orders(job, seed):
    """Test errors of models after the stream, in each order."""
    work = SETS[job.set]
    X, y, X_test, y_test = work.load(seed, job.quick)
    orders = {name: order_of(name, X, y, seed) for name in job.orders}
    found = [
        {"order": name, "errors": {}, "balanced": {}}
        for name, order in orders.items()
        if order is not None
    ]
    for key in job.models:
        X_of, X_test_of = features(key, X, X_test)
        for entry in found:
            order, model = orders[entry["order"]], make(key, work.params, seed)
            predicted = trained(model, X_of[order], y[order], np.unique(y)).predict(X_test_of)
            entry["errors"][key] = float(np.mean(predicted != y_test))
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # classes that are not among the test samples
                score = balanced_accuracy_score(y_test, predicted)
            entry["balanced"][key] = float(1 - score)
    return {"n_train": len(y), "n_classes": len(np.unique(y)), "orders": found}


def errors_along(job, seed):
    """Test error of each model along the stream."""
    work = SETS[job.set]
    X, y, X_test, y_test = work.load(seed, job.quick)
    every = max(CHUNK, len(y) // N_POINTS // CHUNK * CHUNK)
    curves = {}
    for key, name in ALONG.items():
        order = order_of(name, X, y, seed)
        X_of, X_test_of = features(key, X, X_test)
        model = make("lasvc" if key == "shuffled" else key, work.params, seed)
        curves[key] = [
            [n, float(np.mean(model.predict(X_test_of) != y_test))]
            for n in stream(model, X_of[order], y[order], np.unique(y))
            if n % every == 0 or n == len(y)
        ]
    return {"curves": curves}


def regress_in_orders(job, seed):
    """R2 on test samples of streams that are sorted by the target."""
    X, y, X_test, y_test = REGRESSION_SETS[job.set].load(
        seed, job.quick, None if job.set == "abalone" or job.quick else N_REGRESSION
    )
    found = []
    for name, sign in REGRESSION_ORDERS.items():
        order = np.arange(len(y)) if sign is None else np.argsort(sign * y, kind="stable")
        scores = {}
        for key in job.models:
            model = trained(LASVR(C=job.C, **MODELS[key]), X[order], y[order])
            scores[key] = float(r2_score(y_test, model.predict(X_test)))
        found.append({"order": name, "scores": scores})
    return {"n_train": len(y), "orders": found}


def add_late_classes(job, seed):
    """Test errors after a stream at whose end come classes that are added then."""
    work = SETS[job.set]
    X, y, X_test, y_test = work.load(seed, job.quick)
    classes = np.unique(y)
    late = np.random.default_rng(seed).choice(classes, LATE[job.set], replace=False)
    is_late = np.isin(y, late)
    errors = {}
    for key in job.models:
        model = make(key, work.params, seed)
        trained(model, X[~is_late], y[~is_late], np.setdiff1d(classes, late))
        trained(model, X[is_late], y[is_late], classes)
        errors[key] = float(np.mean(model.predict(X_test) != y_test))
    for key, whole in (
        ("shuffled", trained(make("lasvc", work.params, seed), X, y, classes)),
        ("fit", make("lasvc", work.params, seed).fit(X, y)),
    ):
        errors[key] = float(np.mean(whole.predict(X_test) != y_test))
    return {"errors": errors, "late": late.tolist()}


def _drifting(job, seed):
    """Return a stream that changes at half, where that is, and parameters of LASVC."""
    if job.drift == "a class":
        work = SETS[job.set]
        X, y, _, _ = work.load(seed, job.quick)
        half, order = len(y) // 2, vanishing(y, seed)
        return X[order], y[order], half, work.params
    half = (2000 if job.quick else DRIFT_SAMPLES) // 2
    X, y = turning(2 * half, seed)
    if job.drift.endswith("bursts"):
        order = np.concatenate([bursts(y[:half], 200, seed), half + bursts(y[half:], 200, seed)])
        X, y = X[order], y[order]
    return X, y, half, {"gamma": DRIFT_GAMMA}


def follow_drift(job, seed):
    """Test-then-train errors of the first samples after the change, and of those that follow."""
    X, y, half, params = _drifting(job, seed)
    errors = {}
    for key in job.models:
        model, wrong = make(key, params, seed), []
        for n in stream(model, X, y, np.unique(y)):
            rows = slice(n, n + CHUNK)
            if half <= n < len(y):
                wrong.extend(model.predict(X[rows]) != y[rows])
        settled = min(SETTLED, len(wrong) // 2)
        parts = {"first": wrong[:settled], "later": wrong[settled:]}
        errors[key] = {name: float(np.mean(part)) for name, part in parts.items()}
    return {"errors": errors}


def size_of_models(job):
    """Sizes of the pickled model after a stream, and after a prediction."""
    work = SETS[job.set]
    X, y, X_test, _ = work.load(job.seed, job.quick)
    X, X_test = X.astype(np.float32), X_test[:1].astype(np.float32)
    order = order_of(job.order, X, y, job.seed)
    found = {"shape": list(X.shape), "models": []}
    for key in job.models:
        model = make(key, work.params, job.seed)
        trained(model, X[order], y[order], np.unique(y))
        sizes = {"model": key, "stream_mb": len(pickle.dumps(model)) / 1e6}
        model.predict(X_test)
        sizes["predicted_mb"] = len(pickle.dumps(model)) / 1e6
        found["models"].append(sizes | {"n_vectors": len(model.support_)})
    return found


def time_in_orders(job):
    """Shortest processor times of a stream, by order and model."""
    work = SETS[job.set]
    X, y, X_test, _ = work.load(job.seed, job.quick)
    orders = {name: order_of(name, X, y, job.seed) for name in TIMED}

    def run(key, order):
        model = make(key, work.params, job.seed)
        for _ in stream(model, X[order], y[order], np.unique(y)):
            if job.predicting:
                model.predict(X_test[:1])

    found = {name: {key: [] for key in ("off", "lasvc")} for name in orders}
    # In turn, so that a slow moment of the machine does not affect one of them only.
    for _ in range(1 if job.quick else N_REPEATS):
        for name, of_model in found.items():
            for key, seconds in of_model.items():
                seconds.append(processor_seconds(partial(run, key, orders[name]))[1])
    return {"orders": [
        {"order": name, "seconds": {key: min(seconds) for key, seconds in of_model.items()}}
        for name, of_model in found.items()
    ]}  # fmt: skip


TIMED, N_REPEATS = (SHUFFLED, BY_CLASS, "bursts of 200"), 5

JOB = OrderJob
TASKS = {
    "learn_in_orders": for_each_seed(learn_in_orders),
    "errors_along_order": for_each_seed(errors_along),
    "regress_in_orders": for_each_seed(regress_in_orders),
    "add_late_classes": for_each_seed(add_late_classes),
    "follow_change": for_each_seed(follow_drift),
    "size_of_models": size_of_models,
    "time_in_orders": time_in_orders,
}
