"""Tasks of the kernel models compared with SVC: what runs inside a fresh process."""

import pickle
import time
from dataclasses import dataclass, field

import numpy as np
from sklearn.base import clone
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold, cross_val_score

from sklearn_online_svm.evaluation import geometric_mean_score, precision_recall_breakeven_score

from ..bench.job import Job
from ..bench.measure import PeakMemory, timed
from ..sets.workloads import WORKLOADS
from . import models


@dataclass(frozen=True)
class KernelJob(Job):
    """Kernel models on one set."""

    # Names in `workloads` and `models`.
    workload: str = ""
    model: str = "lasvc"
    cache_size: float = 1000
    # Only so many training samples.
    n_train: int | None = None
    # Sparse data as dense arrays.
    dense: bool = False
    # File for the decision values of the test samples.
    decisions: str | None = None
    # Further parameters of LASVC.
    options: dict = field(default_factory=dict)
    # What a sweep goes through.
    values: list = field(default_factory=list)
    # Seeds of the orders in which the same samples are fitted.
    orders: list = field(default_factory=lambda: [0])
    # Names in `models.ROBUST_COLUMNS`, for a task that compares several.
    columns: list = field(default_factory=list)
    # Label noise in the positive samples only.
    one_sided: bool = False
    # Wrong labels are looked for at this share of them.
    suspect_share: float | None = None
    # PRBEP, AUC and g-means in addition to the error.
    scores: bool = False

    def data(self):
        split = WORKLOADS[self.workload].load(self.seed, self.quick).head(self.n_train)
        if self.dense and split.sparse:
            return split.map_rows(lambda X: X.toarray())
        return split

    def build(self, column=None, **options):
        """The model of the job, or of a column, with further options."""
        work, chosen = WORKLOADS[self.workload], column or self
        options = chosen.options | options
        setting = models.Setting(
            work.C, work.gamma, self.cache_size, self.threads, self.seed, options, work.kernel
        )
        return models.build(chosen.model, setting)


def fit_and_predict(job):
    """Fit and predict once each (more often if quick), with time, error and memory."""
    split = job.data()
    warm_up(job, split)
    with PeakMemory() as memory:
        fitted, first_seconds = fit(job.build(), split)
    predicted, predict_seconds = timed(lambda: fitted.predict(split.X_test))
    if job.decisions is not None:
        np.save(job.decisions, fitted.decision_function(split.X_test))
    scores = scores_of(fitted, split) if job.scores else {}
    return {
        # Further fits of a fast model come last: their garbage is in no peak.
        "fit_seconds": [first_seconds, *_more_fits(job, split, first_seconds)],
        "predict_seconds": predict_seconds,
        "error": float(np.mean(predicted != split.y_test)),
        "fit_peak_mb": memory.megabytes,
        "n_train": split.X_train.shape[0],
        "n_test": split.X_test.shape[0],
        **models.learnt(fitted),
        **scores,
    }


def fit(model, split):
    start = time.perf_counter()
    model.fit(split.X_train, split.y_train)
    if all(getattr(model, name, None) == value for name, value in models.TWO_PASSES.items()):
        model.finish()
    return model, time.perf_counter() - start


def _more_fits(job, split, first_seconds):
    if first_seconds > 0.25:
        return []
    return timed(lambda: fit(job.build(), split), max_repeats=6)[1]


def warm_up(job, split):
    """Load what is loaded on first use, on a hundred samples that have every class."""
    labels = np.unique(split.y_train)
    rows = np.concatenate(
        [np.flatnonzero(split.y_train == label)[: max(1, 100 // len(labels))] for label in labels]
    )
    warm = job.build().fit(split.X_train[rows], split.y_train[rows])
    warm.predict(split.X_train[rows])


def scores_of(model, split):
    """What chapter 6 reports, from one set of decision values."""
    values = model.decision_function(split.X_test)
    predicted = np.where(values > 0, 1, -1)
    return {
        "error": float(np.mean(predicted != split.y_test)),
        "prbep": precision_recall_breakeven_score(split.y_test, values),
        "auc": float(roc_auc_score(split.y_test, values)),
        "gmean": geometric_mean_score(split.y_test, predicted),
    }


def before_and_after_finishing(job):
    """One pass of LASVC, and the same model after `finish` (Table 3.3)."""
    split = job.data()
    warm_up(job, split)
    model, online_seconds = fit(job.build(finishing=False, **models.ONE_PASS), split)
    before = scored(model, split) | {"seconds": online_seconds}
    start = time.perf_counter()
    model.finish()
    finish_seconds = time.perf_counter() - start
    after = scored(model, split) | {"seconds": online_seconds + finish_seconds}
    return {"before": before, "after": after, "n_train": split.X_train.shape[0]}


def scored(model, split):
    error = np.mean(model.predict(split.X_test) != split.y_test)
    return {"error": float(error), **models.learnt(model)}


def delta_max_sweep(job):
    """LASVC with REPROCESS repeated until delta <= delta_max, three ways (Figure 3.7)."""
    ways = {
        "one pass": {"finishing": False} | models.ONE_PASS,
        "one pass, finished": models.ONE_PASS,
        "two passes, finished": models.TWO_PASSES,
    }
    split = job.data()
    warm_up(job, split)
    points = []
    for delta_max in job.values:
        for way, options in ways.items():
            model, seconds = fit(job.build(delta_max=delta_max, **options), split)
            point = {"way": way, "delta_max": delta_max, "seconds": seconds}
            points.append(point | scored(model, split))
    return {"sweep": points}


N_PREFIXES = 10


def prefixes(job):
    """Errors after each chunk of a stream: by default, after `finish`, and without finishing.

    Times: of the stream alone, and with a prediction after each chunk.
    """
    split = job.data()
    warm_up(job, split)
    X, y, classes = split.X_train, split.y_train, np.unique(split.y_train)
    ends = np.linspace(0, len(y), N_PREFIXES + 1).astype(int)
    chunks = [slice(*pair) for pair in zip(ends, ends[1:])]
    seconds = []
    for _ in range(3):
        model, began = job.build(), time.perf_counter()
        for chunk in chunks:
            model.partial_fit(X[chunk], y[chunk], classes=classes)
        seconds.append(time.perf_counter() - began)

    model, watched, errors = job.build(), 0.0, []
    for chunk in chunks:
        began = time.perf_counter()
        model.partial_fit(X[chunk], y[chunk], classes=classes)
        model.decision_function(split.X_test[:1])
        watched += time.perf_counter() - began
        finished = pickle.loads(pickle.dumps(model)).finish()
        raw = pickle.loads(pickle.dumps(model)).set_params(finishing=False)
        errors.append([1 - m.score(split.X_test, split.y_test) for m in (model, finished, raw)])
    return {
        "n_train": len(y),
        "errors": errors,
        "stream_seconds": seconds,
        "watched_seconds": watched,
    }


# Above this, leaving out one by one takes too long.
LEFT_OUT_UP_TO = 1500


def leave_one_out_errors(job):
    """Of the optimum: the estimate from its solution, the exact error, and those of others."""
    split, model = job.data(), job.build()
    X, y = split.X_train, split.y_train
    exactly = len(y) <= LEFT_OUT_UP_TO
    once = clone(model).set_params(**models.ONE_PASS).fit(X, y)
    model.set_params(max_iter=-1)
    folds = StratifiedKFold(10, shuffle=True, random_state=job.seed)
    accuracies = cross_val_score(model, X, y, cv=folds)
    model.fit(X, y)
    return {
        "estimate": model.leave_one_out_estimate_,
        "estimate_after_one_pass": once.leave_one_out_estimate_,
        "exact": float(model.leave_one_out(X, y).mean()) if exactly else None,
        "folds": float(1.0 - accuracies.mean()),
        "bound": float(model.leave_one_out(X, y, method="xi-alpha").mean()),
        "test": float(1.0 - model.score(split.X_test, split.y_test)),
    }


JOB = KernelJob
TASKS = {
    task.__name__: task
    for task in (
        fit_and_predict, before_and_after_finishing, delta_max_sweep, prefixes,
        leave_one_out_errors,
    )
}  # fmt: skip
