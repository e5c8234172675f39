"""Tasks of `imbalance`: what runs inside a fresh process."""

import time
from dataclasses import dataclass, field

import numpy as np
from sklearn.base import clone
from sklearn.metrics import roc_curve
from sklearn.model_selection import TunedThresholdClassifierCV, train_test_split
from sklearn.neighbors import KNeighborsClassifier

from sklearn_online_svm import LASVC, VirtualLASVC, VirtualSampler
from sklearn_online_svm.datasets import make_waveform
from sklearn_online_svm.evaluation import geometric_mean_score, geometric_mean_scorer

from ..bench.job import Job
from ..studies.svc_models import scores_of
from .models import RIVALS, Setting
from .sets import SETS


@dataclass(frozen=True)
class ImbalanceJob(Job):
    """A name in SETS, and what is trained on it."""

    workload: str = ""
    # Pairs of a name in RIVALS and the numbers of samples after which it is scored (None: all).
    variants: list = field(default_factory=list)


def judged(fit, setting, split):
    """Fit a method; return its model with its scores, and what its support vectors are."""
    X, y = split.X_train, split.y_train
    start = time.perf_counter()
    model, told = fit(setting, X, y)
    seconds = time.perf_counter() - start
    coefficients = model.dual_coef_
    coefficients = getattr(coefficients, "toarray", lambda: coefficients)().ravel()
    n_positive, n_negative = int(np.sum(coefficients > 0)), int(np.sum(coefficients < 0))
    return model, {
        "n_learnt": int(getattr(model, "n_labels_used_", len(y))),
        **scores_of(model, split),
        "seconds": seconds,
        "n_vectors": n_positive + n_negative,
        # A model that has seen few samples may have no positive one.
        "vector_ratio": n_negative / n_positive if n_positive else None,
        "n_labels": len(y),
        **told,
    }


def learn_rare(job):
    """Scores of the methods after each number of samples.

    Each is fitted again for each number: the same samples are selected, so the models are those
    of one run, and their times hold all that it took to get there.
    """
    work = SETS[job.workload]
    split = work.load(job.seed, job.quick)
    n_train, n_positive = len(split.y_train), int(np.sum(split.y_train > 0))
    ratio, curves = None, {}
    for name, budgets in job.variants:
        curves[name] = []
        for budget in budgets:
            if budget is None or budget < n_train:
                setting = Setting(work.C, work.gamma, job.seed, budget, ratio)
                curves[name].append(judged(RIVALS[name], setting, split)[1])
        if name in ("active", "active_all"):
            ratio = curves[name][-1]["vector_ratio"]
    counts = {"n_positive": n_positive, "n_negative": n_train - n_positive, "n_train": n_train}
    return {**counts, "rivals": curves}


# Shares of false alarms at which a ROC curve is read off.
FALSE_ALARMS = np.linspace(0, 1, 51) ** 2


def roc_of(job):
    """ROC curves of methods with a budget each."""
    work = SETS[job.workload]
    split = work.load(job.seed, job.quick)
    curves = []
    for rival, (budget,) in job.variants:
        setting = Setting(work.C, work.gamma, job.seed, budget)
        model, found = judged(RIVALS[rival], setting, split)
        wrong, right, _ = roc_curve(split.y_test, model.decision_function(split.X_test))
        told = {name: found[name] for name in ("n_learnt", "auc")}
        right = np.interp(FALSE_ALARMS, wrong, right).tolist()
        curves.append({"rival": rival, **told, "found": right})
    return {"false_alarms": FALSE_ALARMS.tolist(), "curves": curves}


# Bins of decision values; what lies beyond counts in the outermost.
EDGES = np.linspace(-4, 4, 65)


def samples_within(job):
    """Decision values of the training samples by class, and how many lie within the margin."""
    work = SETS[job.workload]
    split = work.load(job.seed, job.quick)
    setting = Setting(work.C, work.gamma, job.seed)
    model, judgement = judged(RIVALS["one_pass"], setting, split)
    scores = model.decision_function(split.X_train)
    found = {"edges": EDGES.tolist(), "vector_ratio": judgement["vector_ratio"]}
    for name, sign in (("positive", 1), ("negative", -1)):
        values = scores[split.y_train == sign]
        inside = np.clip(values, EDGES[0], EDGES[-1])
        found |= {
            f"n_{name}": len(values),
            f"{name}_within": int(np.sum(np.abs(values) < 1)),
            f"{name}_counts": np.histogram(inside, EDGES)[0].tolist(),
        }
    return found


# Samples of the comparison in the guide.
N_SAMPLES, N_TRAIN, QUICK_SAMPLES, QUICK_TRAIN = 13_200, 3300, 2640, 660


def compare_imbalance(job):
    """G-mean of each method of the guide, with LASVC and with nearest neighbors."""
    from imblearn.over_sampling import SMOTE, SVMSMOTE

    n_samples, n_train = (QUICK_SAMPLES, QUICK_TRAIN) if job.quick else (N_SAMPLES, N_TRAIN)
    X, y = make_waveform(n_samples, imbalance_ratio=32, random_state=job.seed)
    X, X_test, y, y_test = train_test_split(
        X, y, stratify=y, train_size=n_train, random_state=job.seed
    )
    lasvc, neighbors = LASVC(gamma=0.01, random_state=job.seed), KNeighborsClassifier(15)
    tuned = TunedThresholdClassifierCV(
        lasvc, scoring=geometric_mean_scorer, response_method="decision_function"
    )
    models = {
        "none": {"lasvc": clone(lasvc), "neighbors": clone(neighbors)},
        "class_weight": {"lasvc": clone(lasvc).set_params(class_weight="balanced")},
        "threshold": {"lasvc": tuned},
        "virtual_lasvc": {"lasvc": VirtualLASVC(gamma=0.01, random_state=job.seed)},
    }
    samplers = {
        "virtual": VirtualSampler(random_state=job.seed),
        "virtual_one": VirtualSampler(n_virtual=1, random_state=job.seed),
        "smote": SMOTE(random_state=job.seed),
        "svm_smote": SVMSMOTE(random_state=job.seed),
    }
    gmeans = {}
    for method in [*models, *samplers]:
        samples = samplers[method].fit_resample(X, y) if method in samplers else (X, y)
        gmeans[method] = {
            kind: geometric_mean_score(y_test, clone(model).fit(*samples).predict(X_test))
            for kind, model in models.get(method, models["none"]).items()
        }
    counts = {"n_train": len(y), "n_positive": int(np.sum(y == 1)), "n_test": len(y_test)}
    return {**counts, "gmeans": gmeans}


JOB = ImbalanceJob
TASKS = {task.__name__: task for task in (learn_rare, roc_of, samples_within, compare_imbalance)}
