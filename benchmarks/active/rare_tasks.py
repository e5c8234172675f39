"""Tasks about rare classes (chapters 4 and 5): what runs inside a fresh process."""

import time
from functools import partial

import numpy as np
from sklearn.metrics import roc_auc_score, roc_curve
from sklearn.model_selection import StratifiedKFold
from sklearn.svm import SVC

from sklearn_online_svm import ActiveLASVC, VirtualLASVC
from sklearn_online_svm.evaluation import geometric_mean_score, precision_recall_breakeven_score

from ..svc.workloads import Split
from .rare_sets import SETS

CACHE_SIZE = 1000
N_CANDIDATES = 59
# SMOTE doubles the minority, as VIRTUAL does where all its samples become support vectors.
OVERSAMPLING = 2


class Rival:
    """SVC on all samples; subclasses fit LASVC on up to `max_labels` of them."""

    def __init__(self, work, seed, max_labels=None):
        self.seed, self.max_labels = seed, max_labels
        self.shared = dict(C=work.C, gamma=work.gamma, cache_size=CACHE_SIZE)

    def fit(self, X, y):
        self.model = SVC(**self.shared).fit(X, y)

    def lasvc(self, selection="random", **options):
        limit = dict(max_labels=self.max_labels, random_state=self.seed, selection=selection)
        return ActiveLASVC(**limit, **self.shared, **options)

    def told(self, n_train):
        """Fields that only this method has."""
        return {"n_labels": n_train}


class OnePass(Rival):
    """LASVC on samples in random order."""

    def fit(self, X, y):
        self.model = self.lasvc().fit(X, y)


class DifferentCosts(Rival):
    """Class weights by the ratio of the classes."""

    def fit(self, X, y):
        ratio = np.sum(y < 0) / np.sum(y > 0)
        self.model = self.lasvc(class_weight={1: ratio, -1: 1.0}).fit(X, y)


class Smote(Rival):
    """SMOTE: as many synthetic positive samples as real ones."""

    def __init__(self, work, seed, max_labels=None):
        from imblearn.over_sampling import SMOTE

        super().__init__(work, seed, max_labels)
        self.sampler = SMOTE(k_neighbors=5, random_state=seed)

    def fit(self, X, y):
        self.sampler.set_params(sampling_strategy={1: OVERSAMPLING * int(np.sum(y > 0))})
        X_more, y_more = self.sampler.fit_resample(X, y)
        self.n_virtual = len(y_more) - len(y)
        self.model = self.lasvc().fit(X_more, y_more)

    def told(self, n_train):
        n_vectors = int(np.sum(self.model.support_ >= n_train))
        return {
            "n_labels": n_train,
            "n_virtual": self.n_virtual,
            "virtual_ratio": n_vectors / self.n_virtual,
        }


class UnderSampling(Rival):
    """Negative samples removed at random, down to the ratio of active's support vectors."""

    def __init__(self, ratio, work, seed, max_labels=None):
        from imblearn.under_sampling import RandomUnderSampler

        super().__init__(work, seed, max_labels)
        self.sampler = RandomUnderSampler(random_state=seed)
        self.ratio = ratio

    def fit(self, X, y):
        n_negative = min(int(np.sum(y < 0)), max(1, round(self.ratio * np.sum(y > 0))))
        self.sampler.set_params(sampling_strategy={-1: n_negative})
        self.model = self.lasvc().fit(*self.sampler.fit_resample(X, y))


class Active(Rival):
    """Margin sampling from a small pool until `stopping` ends it."""

    def __init__(self, stopping, work, seed, max_labels=None, *, pool_size=N_CANDIDATES):
        super().__init__(work, seed, max_labels)
        self.stopping, self.pool_size = stopping, pool_size

    def fit(self, X, y):
        options = dict(pool_size=self.pool_size, stopping=self.stopping)
        self.model = self.lasvc(selection="active", **options).fit(X, y)

    def told(self, n_train):
        return {"n_labels": int(self.model.n_labels_used_)}


class Virtual(Active):
    """VIRTUAL, a point for each support vector of the minority."""

    def fit(self, X, y):
        options = dict(pool_size=self.pool_size, stopping=self.stopping)
        options |= dict(max_labels=self.max_labels, random_state=self.seed)
        self.model = VirtualLASVC(**{"minority_class": 1, **options, **self.shared}).fit(X, y)

    def told(self, n_train):
        labels = super().told(n_train)
        return labels | {
            "n_virtual": int(self.model.n_virtual_points_),
            # Those that have been processed; early stopping leaves the others in the pool.
            "n_virtual_used": int(self.model._engine.n_processed) - labels["n_labels"],
            "virtual_ratio": float(self.model.virtual_ratio_),
        }


# Under-sampling needs the ratio of active's support vectors: after it.
RIVALS = {
    "active": partial(Active, "n_support"),
    "active_margin": partial(Active, "margin"),
    "active_all": partial(Active, None),
    "batch": Rival,
    "one_pass": OnePass,
    "under_sampling": UnderSampling,
    "smote": Smote,
    "costs": DifferentCosts,
    "virtual": partial(Virtual, "n_support"),
    "virtual_margin": partial(Virtual, "margin"),
    "virtual_all": partial(Virtual, None),
}
# Those of which there are curves, too: without a stop.
ALONG = RIVALS | {"active_full": partial(Active, None, pool_size="all")}


def learn_rare(job):
    """All methods on one split."""
    work = SETS[job.workload]
    split = work.load(job.seed, job.quick)
    y = split.y_train
    found = {}
    for name in job.rivals:
        given = [found["active"]["vector_ratio"]] if name == "under_sampling" else []
        found[name] = judged(RIVALS[name](*given, work, job.seed), split)
    return {
        "n_positive": int(np.sum(y > 0)),
        "n_negative": int(np.sum(y < 0)),
        "rivals": found,
    }


def learn_rare_along(job):
    """Curves of the methods against the samples used.

    Each is refitted for each budget: the same samples are selected, so the fitted models are those
    of one run, and their times hold all that it took to get there.
    """
    work = SETS[job.workload]
    split = work.load(job.seed, job.quick)
    n_train, curves = len(split.y_train), {}
    for variant in job.variants:
        name = variant["rival"]
        given = [curves["active_all"][-1]["vector_ratio"]] if name == "under_sampling" else []
        curves[name] = []
        for budget in variant["budgets"]:
            if budget is None or budget < n_train:
                rival = ALONG[name](*given, work, job.seed, budget)
                point = judged(rival, split)
                n_learnt = n_train if name == "batch" else int(rival.model.n_labels_used_)
                curves[name].append({"n_learnt": n_learnt, **point})
    return {"n_positive": int(np.sum(split.y_train > 0)), "n_train": n_train, "rivals": curves}


N_FOLDS = 3


def best_budget(job):
    """The budget with the best mean PRBEP on folds of the training samples."""
    work = SETS[job.workload]
    split = work.load(job.seed, job.quick)
    X, y = split.X_train, split.y_train
    ((rival, budgets),) = ((v["rival"], v["budgets"]) for v in job.variants)
    folds = StratifiedKFold(N_FOLDS, shuffle=True, random_state=job.seed).split(X, y)
    parts = [Split(X[train], y[train], X[test], y[test]) for train, test in folds]
    scores = [
        float(np.mean([judged(ALONG[rival](work, job.seed, n), part)["prbep"] for part in parts]))
        for n in budgets
    ]
    return {"budgets": budgets, "prbep": scores, "budget": budgets[int(np.argmax(scores))]}


# Shares of false alarms at which a ROC curve is read off.
FALSE_ALARMS = np.linspace(0, 1, 51) ** 2


def roc_of(job):
    """ROC curves of methods with a budget each (None: no limit)."""
    work = SETS[job.workload]
    split = work.load(job.seed, job.quick)
    curves = []
    for variant in job.variants:
        rival = ALONG[variant["rival"]](work, job.seed, variant["budgets"][0])
        rival.fit(split.X_train, split.y_train)
        scores = rival.model.decision_function(split.X_test)
        wrong, found, _ = roc_curve(split.y_test, scores)
        curves.append({
            "rival": variant["rival"],
            "n_learnt": int(rival.model.n_labels_used_),
            "auc": roc_auc_score(split.y_test, scores),
            "found": np.interp(FALSE_ALARMS, wrong, found).tolist(),
        })  # fmt: skip
    return {"false_alarms": FALSE_ALARMS.tolist(), "curves": curves}


# Bins of decision values; what lies beyond counts in the outermost.
EDGES = np.linspace(-4, 4, 65)


def rows_within(job):
    """Decision values of the training samples by class, and how many lie within the margin."""
    work = SETS[job.workload]
    split = work.load(job.seed, job.quick)
    rival = OnePass(work, job.seed)
    vector_ratio = judged(rival, split)["vector_ratio"]
    scores = rival.model.decision_function(split.X_train)
    found = {"edges": EDGES.tolist(), "vector_ratio": vector_ratio}
    for name, sign in (("positive", 1), ("negative", -1)):
        values = scores[split.y_train == sign]
        inside = np.clip(values, EDGES[0], EDGES[-1])
        found |= {
            f"n_{name}": len(values),
            f"{name}_within": int(np.sum(np.abs(values) < 1)),
            f"{name}_counts": np.histogram(inside, EDGES)[0].tolist(),
        }
    return found


def judged(rival, split):
    y_test = split.y_test
    start = time.perf_counter()
    rival.fit(split.X_train, split.y_train)
    seconds = time.perf_counter() - start
    scores = rival.model.decision_function(split.X_test)
    coefficients = rival.model.dual_coef_
    coefficients = getattr(coefficients, "toarray", lambda: coefficients)().ravel()
    n_positive, n_negative = int(np.sum(coefficients > 0)), int(np.sum(coefficients < 0))
    return {
        "gmean": geometric_mean_score(y_test, np.where(scores > 0, 1, -1)),
        "auc": roc_auc_score(y_test, scores),
        "prbep": precision_recall_breakeven_score(y_test, scores),
        "seconds": seconds,
        "n_vectors": n_positive + n_negative,
        # A model that has seen few samples may have no positive one.
        "vector_ratio": n_negative / n_positive if n_positive else None,
        **rival.told(len(split.y_train)),
    }


TASKS = {
    task.__name__: task
    for task in (learn_rare, learn_rare_along, best_budget, roc_of, rows_within)
}
