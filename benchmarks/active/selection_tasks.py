"""Tasks about LASVC with sample selection: what runs inside a fresh process.

They take a `PoolJob`.
"""

import time

import numpy as np
from scipy import sparse
from sklearn.svm import SVC

from sklearn_online_svm import LASVC, ActiveLASVC
from sklearn_online_svm.active import MarginSampling
from sklearn_online_svm.evaluation import geometric_mean_score
from sklearn_online_svm.kernel._sample_selection import seeds_first

from ..bench.measure import timed
from ..svc import models
from ..svc.workloads import QUICK_TEST, QUICK_TRAIN, WORKLOADS, Split, with_noise

# Samples of a fit that is not measured: libraries are loaded, memory is there.
N_WARM = 200


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
    model = ActiveLASVC(**(parameters | {"max_labels": n_labels} | options))
    _, seconds = timed(lambda: model.fit(split.X_train, split.y_train), max_repeats=1)
    return {"n_labels": int(model.n_labels_used_), **told(model, split, seconds[0])}


def learn_all(job):
    """Any model of `svc.models`, fitted on all samples."""
    work, split = WORKLOADS[job.workload], data(job)
    setting = models.Setting(
        work.C, work.gamma, job.cache_size, job.threads, job.seed, options=job.options
    )
    models.build(job.model, setting).fit(split.X_train[:N_WARM], split.y_train[:N_WARM])
    model = models.build(job.model, setting)
    _, seconds = timed(lambda: model.fit(split.X_train, split.y_train), max_repeats=1)
    return {"n_train": split.X_train.shape[0], **told(model, split, seconds[0])}


def retrain(job):
    """Active selection by refitting a model after each label: SVC, which starts from nothing, or
    `WarmStarted`. The first samples are some of each class, as in ActiveLASVC.
    """
    work, split = WORKLOADS[job.workload], data(job)
    X, y = split.X_train, split.y_train
    order = np.random.default_rng([job.seed, 71]).permutation(len(y))
    order, n_first = seeds_first(order, (y > 0).astype(int), ActiveLASVC().n_init)
    known, free = list(order[:n_first]), np.ones(len(y), dtype=bool)
    free[known] = False
    strategy = MarginSampling(job.pool_size, random_state=job.seed)
    model = (WarmStarted if job.warm else SVC)(C=work.C, gamma=work.gamma)
    points, seconds = [], 0.0
    for n_labels in range(n_first, max(job.budgets) + 1):
        start = time.perf_counter()
        if n_labels > n_first:
            chosen = strategy.query(model, X, candidates=free)
            free[chosen] = False
            known.extend(chosen)
        model.fit(X[known], y[known])
        seconds += time.perf_counter() - start
        if n_labels in job.budgets:
            points.append({"n_labels": n_labels, **told(model, split, seconds)})
    return {"n_train": len(y), "points": points}


class WarmStarted(LASVC):
    """The optimum of SVC, where `fit` starts from the optimum over the first of its samples.

    It learns the samples that it does not know, then those outside the support set that violate
    their constraint, until there are none.
    """

    def fit(self, X, y):
        if not hasattr(self, "stream_"):
            self.stream_ = []
        violating = np.arange(len(set(self.stream_)), len(y))
        while len(violating):
            self.partial_fit(X[violating], y[violating], classes=np.unique(y)).finish()
            self.stream_.extend(violating)
            outside = np.setdiff1d(np.arange(len(y)), np.take(self.stream_, self.support_))
            if not len(outside):
                break
            margins = y[outside] * self.decision_function(X[outside])
            violating = outside[margins < 1 - self.tol]
        return self


def told(model, split, seconds):
    """What a fitted model took, and how good it is."""
    predicted = model.predict(split.X_test)
    return {
        "seconds": seconds,
        "n_support": models.learnt(model)["n_support"],
        "error": float(np.mean(predicted != split.y_test)),
        "gmean": float(geometric_mean_score(split.y_test, predicted)),
    }


# ---------------------------------------------------------------------------
# Data
# ---------------------------------------------------------------------------


def data(job):
    """The samples of the job, with its noise."""
    split = WORKLOADS[job.workload].load(job.seed)
    if job.new_split:
        split = drawn_anew(split, job.seed)
    if job.quick:
        split = split.head(QUICK_TRAIN, QUICK_TEST)
    elif job.n_train:
        split = split.head(job.n_train)
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


TASKS = {task.__name__: task for task in (learn_chosen, learn_all, retrain)}
