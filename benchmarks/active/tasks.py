"""Tasks of `active`: what runs inside a fresh process."""

import time
from dataclasses import dataclass, field

import numpy as np
from scipy import sparse

from sklearn_online_svm import ActiveLASVC
from sklearn_online_svm.evaluation import geometric_mean_score
from sklearn_online_svm.kernel._choice import seeds_first

from ..bench.job import Job
from ..bench.measure import timed
from ..sets.workloads import QUICK_TEST, QUICK_TRAIN, WORKLOADS, Split, with_noise
from ..svc import models as svc_models
from . import pairs, stopping
from .models import LOOPS, Retrain

# Samples of a fit that is not measured: libraries are loaded, memory is there.
N_WARM = 200


@dataclass(frozen=True)
class PoolJob(Job):
    """Data, and what is trained on it."""

    # A name in `svc.workloads`, the share of wrong training labels, and whether training and
    # test samples are redrawn from the whole set.
    workload: str = ""
    noise: float = 0.0
    new_split: bool = False
    # Fields of loops: a name in LOOPS, the number of labels, and the step between points.
    loop: str = ""
    n_labels: int = 0
    every: int = 1
    # Of `learn_all` a name in `svc.models`; of `learn_chosen` dicts with parameters of
    # ActiveLASVC and the numbers of labels after which it is scored (None: all).
    model: str = ""
    variants: list = field(default_factory=list)
    cache_size: float = 1000
    # Of `retrain`.
    budgets: list = field(default_factory=list)
    pool_size: int | str = 50


# Labels of each class to begin with.
N_FIRST = 5


def learn_from_pool(job):
    """Query labels one after the other. Predicting the test samples is not in the times."""
    work = WORKLOADS[job.workload]
    split = work.load(job.seed, job.quick)
    X, y, X_test = split.X_train, split.y_train, split.X_test
    rng = np.random.default_rng([job.seed, 17])
    first = np.concatenate(
        [rng.choice(np.flatnonzero(y == label), N_FIRST, replace=False) for label in (-1, 1)]
    )
    loop = LOOPS[job.loop](work, X, y, first, job.seed)
    if job.loop == "scikit_activeml" and sparse.issparse(X_test):
        X_test = X_test.toarray()
    total, curve = 0.0, []
    for n_bought in range(1, job.n_labels + 1):
        start = time.perf_counter()
        loop.step()
        total += time.perf_counter() - start
        if n_bought % job.every == 0 or n_bought == job.n_labels:
            error = float(np.mean(loop.classifier().predict(X_test) != split.y_test))
            curve.append({"n_labels": len(first) + n_bought, "seconds": total, "error": error})
    error = curve[-1]["error"]
    return {"n_pool": X.shape[0], "seconds": total, "error": error, "curve": curve}


def learn_chosen(job):
    """Curves of LASVC with the parameters of each variant.

    It is refitted for each budget: the same samples are selected, so the fitted models are those
    of one run, and their times hold all that it took to get there.
    """
    split = data(job)
    chosen(job, split, {}, N_WARM)
    curves = []
    for variant in job.variants:
        budgets = variant["budgets"]
        points = [chosen(job, split, variant["options"], n_labels) for n_labels in budgets]
        curves.append({**variant["options"], "points": points})
    return {"n_train": split.X_train.shape[0], "curves": curves}


def chosen(job, split, options, n_labels):
    """One fit with a budget (None: no limit)."""
    work = WORKLOADS[job.workload]
    parameters = dict(C=work.C, gamma=work.gamma, cache_size=job.cache_size, random_state=job.seed)
    parameters |= svc_models.ONE_PASS | {"max_labels": n_labels}
    model = ActiveLASVC(**(parameters | options))
    _, seconds = timed(lambda: model.fit(split.X_train, split.y_train), max_repeats=1)
    return {"n_labels": int(model.n_labels_used_), **told(model, split, seconds[0])}


def learn_all(job):
    """Any model of `svc.models`, fitted on all samples."""
    work, split = WORKLOADS[job.workload], data(job)
    setting = svc_models.Setting(work.C, work.gamma, job.cache_size, job.threads, job.seed)
    svc_models.build(job.model, setting).fit(split.X_train[:N_WARM], split.y_train[:N_WARM])
    model = svc_models.build(job.model, setting)
    _, seconds = timed(lambda: model.fit(split.X_train, split.y_train), max_repeats=1)
    return {"n_train": split.X_train.shape[0], **told(model, split, seconds[0])}


def retrain(job):
    """Margin sampling with the optimum over all labelled samples after each label.

    The first samples are some of each class, as in ActiveLASVC.
    """
    split = data(job)
    y = split.y_train
    order = np.random.default_rng([job.seed, 71]).permutation(len(y))
    order, n_first = seeds_first(order, (y > 0).astype(int))
    start = time.perf_counter()
    first = order[:n_first]
    loop = Retrain(WORKLOADS[job.workload], split.X_train, y, first, job.seed, job.pool_size)
    seconds, points = time.perf_counter() - start, []
    for n_labels in range(n_first, max(job.budgets) + 1):
        if n_labels > n_first:
            start = time.perf_counter()
            loop.step()
            seconds += time.perf_counter() - start
        if n_labels in job.budgets:
            points.append({"n_labels": n_labels, **told(loop.model, split, seconds)})
    return {"n_train": len(y), "points": points}


def told(model, split, seconds):
    """What a fitted model took, and how good it is."""
    predicted = model.predict(split.X_test)
    return {
        "seconds": seconds,
        "n_support": svc_models.learnt(model)["n_support"],
        "error": float(np.mean(predicted != split.y_test)),
        "gmean": float(geometric_mean_score(split.y_test, predicted)),
    }


def data(job):
    """The samples of the job, with its noise."""
    split = WORKLOADS[job.workload].load(job.seed)
    if job.new_split:
        split = drawn_anew(split, job.seed)
    if job.quick:
        split = split.head(QUICK_TRAIN, QUICK_TEST)
    return with_noise(split, job.noise, job.seed)[0] if job.noise else split


def drawn_anew(split, seed):
    """As many training samples as before, drawn at random from all samples."""
    stack = sparse.vstack if split.sparse else np.concatenate
    X = stack([split.X_train, split.X_test])
    X = X.tocsr() if split.sparse else X
    y = np.concatenate([split.y_train, split.y_test])
    order = np.random.default_rng([seed, 65]).permutation(len(y))
    train, test = np.split(order, [len(split.y_train)])
    return Split(X[train], y[train], X[test], y[test])


JOB = PoolJob
TASKS = {
    task.__name__: task
    for task in (
        learn_from_pool,
        learn_chosen,
        learn_all,
        retrain,
        pairs.curves_of_pairs,
        stopping.stop_early,
    )
}
