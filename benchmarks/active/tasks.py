"""Tasks of `active`: what runs inside a fresh process."""

import time
import warnings
from dataclasses import dataclass, field

import numpy as np
from scipy import sparse
from sklearn.datasets import make_classification
from sklearn.svm import SVC

from sklearn_online_svm import LASVC
from sklearn_online_svm.active import MarginSampling

from ..bench.job import Job
from ..bench.measure import timed
from ..svc.workloads import WORKLOADS, Split, with_noise
from . import imbalance_tasks, pairs_tasks, rare_readings, rare_tasks, selection_tasks

# Nonzeros per sparse sample, out of a hundred features.
PER_ROW = 10


@dataclass(frozen=True)
class PoolJob(Job):
    """A pool, and how to query it."""

    # Of `query_pool`: "dense" or "csr", samples of the pool, features, samples used.
    layout: str = "dense"
    n_pool: int = 0
    n_features: int = 0
    n_train: int = 0
    # Of `learn_from_pool`: a name in `svc.workloads`, and one in LOOPS.
    workload: str = ""
    loop: str = ""
    # Number of labels to query, and after how many the curve has a point.
    n_labels: int = 0
    every: int = 1
    # Of `selection_tasks`: a name in `svc.models`, with parameters; for each variant parameters of
    # LASVC, and budgets of labels (None: no limit); the share of wrong training labels.
    model: str = ""
    options: dict = field(default_factory=dict)
    variants: list = field(default_factory=list)
    noise: float = 0.0
    cache_size: float = 1000
    # Of `retrain`.
    budgets: list = field(default_factory=list)
    pool_size: int | str = 50
    warm: bool = False
    # Whether training and test samples are redrawn from the whole set.
    new_split: bool = False
    # Of `rare_tasks`: names in its RIVALS; workload is a name in `rare_sets`.
    rivals: list = field(default_factory=list)


# ---------------------------------------------------------------------------
# One query
# ---------------------------------------------------------------------------

# Share of the pool that counts as close to the boundary, and number of queries checked.
BEST, N_TRIALS = 0.05, 1000


def query_pool(job):
    """Time one query and the decision values of the whole pool, and check what queries find.

    Labels at random: nearly all samples used become support vectors.
    """
    rng = np.random.default_rng([job.seed, 59])
    X, pool = (_rows(rng, n, job) for n in (job.n_train, job.n_pool))
    y = rng.permutation(np.arange(job.n_train) % 2)
    svc, lasvc = SVC().fit(X, y), LASVC().fit(X, y)
    _, score_seconds = timed(lambda: svc.decision_function(pool))
    lasvc_scores, lasvc_score_seconds = timed(lambda: lasvc.decision_function(pool))
    drawn = MarginSampling(random_state=job.seed)
    diverse = MarginSampling(diversity=0.5, random_state=job.seed)
    whole = MarginSampling("all")
    often = dict(max_repeats=15)
    distances = np.abs(lasvc_scores)
    limit = np.quantile(distances, BEST)
    found = [distances[drawn.query(lasvc, pool)[0]] <= limit for _ in range(N_TRIALS)]
    return {
        "n_svc_vectors": len(svc.support_),
        "n_lasvc_vectors": len(lasvc.support_),
        "score_seconds": score_seconds,
        "lasvc_score_seconds": lasvc_score_seconds,
        "svc_query_seconds": timed(lambda: drawn.query(svc, pool), **often)[1],
        "lasvc_query_seconds": timed(lambda: drawn.query(lasvc, pool), **often)[1],
        "diverse_query_seconds": timed(lambda: diverse.query(lasvc, pool, 10), **often)[1],
        "whole_query_seconds": timed(lambda: whole.query(lasvc, pool))[1],
        "found": float(np.mean(found)),
    }


def _rows(rng, n, job):
    rows = rng.normal(size=(n, job.n_features))
    if job.layout == "dense":
        return rows
    rows[rng.random(size=rows.shape) > PER_ROW / 100] = 0.0
    return sparse.csr_array(rows)


# ---------------------------------------------------------------------------
# Querying and training in turns
# ---------------------------------------------------------------------------

# Labels of each class to begin with.
N_FIRST = 5


class PartialFit:
    """LASVC and MarginSampling: each label is used once."""

    def __init__(self, work, X, y, first, seed, pool_size):
        self.X, self.y = X, y
        self.free = np.ones(len(y), dtype=bool)
        self.free[first] = False
        self.strategy = MarginSampling(pool_size, random_state=seed)
        self.model = self.begin(work, first, seed)

    def begin(self, work, first, seed):
        model = LASVC(C=work.C, gamma=work.gamma, random_state=seed)
        return model.partial_fit(self.X[first], self.y[first], classes=[-1, 1])

    def step(self):
        chosen = self.strategy.query(self.model, self.X, candidates=self.free)
        self.free[chosen] = False
        self.learn(chosen)

    def learn(self, chosen):
        self.model.partial_fit(self.X[chosen], self.y[chosen])

    def classifier(self):
        return self.model


class Refit(PartialFit):
    """SVC is refitted for each label, as modAL's ``teach`` does."""

    def begin(self, work, first, seed):
        self.known = list(first)
        return SVC(C=work.C, gamma=work.gamma).fit(self.X[first], self.y[first])

    def learn(self, chosen):
        self.known.extend(chosen)
        self.model.fit(self.X[self.known], self.y[self.known])


class ScikitActiveml:
    """Its own strategy, which needs probabilities and fits the model itself."""

    def __init__(self, work, X, y, first, seed):
        from skactiveml.classifier import SklearnClassifier
        from skactiveml.pool import UncertaintySampling

        # Probabilities of SVC will be gone with scikit-learn 1.11.
        warnings.simplefilter("ignore", FutureWarning)
        # It takes no sparse arrays.
        self.X, self.y = X.toarray() if sparse.issparse(X) else X, y
        self.labels = np.full(len(y), np.nan)
        self.labels[first] = y[first]
        svc = SVC(C=work.C, gamma=work.gamma, probability=True, random_state=seed)
        self.model = SklearnClassifier(svc, classes=[-1, 1], random_state=seed)
        self.strategy = UncertaintySampling(method="margin_sampling", random_state=seed)

    def step(self):
        chosen = self.strategy.query(self.X, self.labels, self.model)
        self.labels[chosen] = self.y[chosen]

    def classifier(self):
        return self.model.fit(self.X, self.labels)


LOOPS = {
    "partial_fit": lambda *given: PartialFit(*given, 59),
    "partial_fit_all": lambda *given: PartialFit(*given, "all"),
    "partial_fit_random": lambda *given: PartialFit(*given, 1),
    "refit": lambda *given: Refit(*given, 59),
    "refit_all": lambda *given: Refit(*given, "all"),
    "scikit_activeml": ScikitActiveml,
}


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
    return {
        "n_pool": X.shape[0],
        "seconds": total,
        "error": curve[-1]["error"],
        "curve": curve,
    }


# Batch size and parameters of MarginSampling; random samples are a pool of 1.
NOISY_QUERIES = {
    "random": (10, dict(pool_size=1)),
    "single": (1, {}),
    "batch": (10, {}),
    "diverse": (10, dict(diversity=0.5)),
}


def noisy_pool(job):
    """Query labels of which a share is wrong, singly and in batches."""
    if job.workload == "clusters":
        X, y = make_classification(
            24_000,
            20,
            n_informative=10,
            n_clusters_per_class=4,
            flip_y=0,
            random_state=job.seed,
        )
        clean = Split(X[4000:], 2 * y[4000:] - 1, X[:4000], 2 * y[:4000] - 1)
        setting = dict(C=1, gamma=1 / 20 / X.var())
    else:
        work = WORKLOADS[job.workload]
        clean = work.load(job.seed, job.quick)
        setting = dict(C=work.C, gamma=work.gamma)
    split, _ = with_noise(clean, job.noise, job.seed)
    X, y = split.X_train, split.y_train
    rng = np.random.default_rng([job.seed, 17])
    first = np.concatenate(
        [rng.choice(np.flatnonzero(y == label), N_FIRST, replace=False) for label in (-1, 1)]
    )
    errors = {}
    for name, (batch_size, options) in NOISY_QUERIES.items():
        model = LASVC(**setting, random_state=job.seed)
        model.partial_fit(X[first], y[first], classes=[-1, 1])
        strategy = MarginSampling(**options, random_state=job.seed)
        without_label = np.ones(len(y), dtype=bool)
        without_label[first] = False
        for _ in range(0, job.n_labels, batch_size):
            chosen = strategy.query(model, X, candidates=without_label, batch_size=batch_size)
            model.partial_fit(X[chosen], y[chosen])
            without_label[chosen] = False
        errors[name] = float(np.mean(model.predict(split.X_test) != split.y_test))
    return {"n_pool": X.shape[0], "errors": errors}


JOB = PoolJob
TASKS = {task.__name__: task for task in (query_pool, learn_from_pool, noisy_pool)}
TASKS |= selection_tasks.TASKS | rare_tasks.TASKS | rare_readings.TASKS
TASKS |= pairs_tasks.TASKS | imbalance_tasks.TASKS
