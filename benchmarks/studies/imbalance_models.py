"""Methods for imbalanced classes, with the parameters of the data set, and their scores."""

import numpy as np
from sklearn.base import clone
from sklearn.metrics import roc_curve
from sklearn.model_selection import TunedThresholdClassifierCV, train_test_split
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC

from sklearn_online_svm import LASVC, ActiveLASVC, VirtualLASVC, VirtualSampler
from sklearn_online_svm.datasets import make_waveform
from sklearn_online_svm.evaluation import geometric_mean_score, geometric_mean_scorer

from ..bench.measure import Stopwatch
from ..sets.imbalance import SETS
from .svc_models import scores_of

QUICK_BUDGETS = [100, 300]
# Samples of active selection.
ROC_SETS = {"rare_interest": 2700, "rare_adult_3": 7000, "rare_satimage": 2000}
# Shares of false alarms at which a ROC curve is read off.
FALSE_ALARMS = np.linspace(0, 1, 51) ** 2
# Bins of decision values; what lies beyond counts in the outermost.
EDGES = np.linspace(-4, 4, 65)


_RANDOM = dict(max_iter=1, selection="random")
_ACTIVE = dict(max_iter=1, pool_size=59)
# It runs a single epoch, too.
_VIRTUAL = dict(pool_size=59, minority_class=1)
_STOPPED = dict(stopping="n_support")
# The estimator of each method, and its parameters.
RIVALS = {
    "batch": (SVC, {}),
    "one_pass": (ActiveLASVC, _RANDOM),
    "under_sampling": (ActiveLASVC, _RANDOM),
    "smote": (ActiveLASVC, _RANDOM),
    "costs": (ActiveLASVC, _RANDOM),
    "active": (ActiveLASVC, _ACTIVE | _STOPPED),
    "active_all": (ActiveLASVC, _ACTIVE),
    "active_full": (ActiveLASVC, _ACTIVE | dict(pool_size="all")),
    "virtual": (VirtualLASVC, _VIRTUAL | _STOPPED),
    "virtual_all": (VirtualLASVC, _VIRTUAL),
}


def _resampled(rival, X, y, seed, ratio):
    """Return the samples on which a method is trained."""
    n_positive, n_negative = int(np.sum(y > 0)), int(np.sum(y < 0))
    if rival == "smote":
        from imblearn.over_sampling import SMOTE

        # As with VIRTUAL where all samples of the minority become support vectors.
        strategy = {1: 2 * n_positive}
        sampler = SMOTE(k_neighbors=5, random_state=seed, sampling_strategy=strategy)
    elif rival == "under_sampling":
        from imblearn.under_sampling import RandomUnderSampler

        # The ratio of active's support vectors.
        strategy = {-1: min(n_negative, max(1, round(ratio * n_positive)))}
        sampler = RandomUnderSampler(random_state=seed, sampling_strategy=strategy)
    else:
        return X, y
    return sampler.fit_resample(X, y)


def judged(rival, work, split, seed, budget=None, ratio=None):
    """Fit a method with so many samples (None: all); return its model and its scores.

    `ratio`: that of active's support vectors, for under-sampling.
    """
    X, y = split.X_train, split.y_train
    estimator, options = RIVALS[rival]
    options = options | dict(C=work.C, gamma=work.gamma, cache_size=1000, random_state=seed)
    if rival != "batch":
        options["max_labels"] = budget
    if rival == "costs":
        options["class_weight"] = {1: np.sum(y < 0) / np.sum(y > 0), -1: 1.0}
    watch = Stopwatch()
    with watch:
        X, y = _resampled(rival, X, y, seed, ratio)
        model = estimator(**options).fit(X, y)
    coefficients = model.dual_coef_
    coefficients = getattr(coefficients, "toarray", lambda: coefficients)().ravel()
    n_positive, n_negative = int(np.sum(coefficients > 0)), int(np.sum(coefficients < 0))
    n, n_learnt = len(split.y_train), int(getattr(model, "n_labels_used_", len(y)))
    found = {
        "n_learnt": n_learnt,
        **scores_of(model, split),
        "seconds": watch.seconds,
        "n_vectors": n_positive + n_negative,
        # A model that has seen few samples may have no positive one.
        "vector_ratio": n_negative / n_positive if n_positive else None,
        "n_labels": n if options.get("selection") == "random" else n_learnt,
    }
    if rival == "smote":
        n_virtual = len(y) - n
        share = int(np.sum(model.support_ >= n)) / n_virtual
        found |= {"n_virtual": n_virtual, "virtual_ratio": share}
    elif rival.startswith("virtual"):
        found |= {
            "n_virtual": int(model.n_virtual_points_),
            # Those that have been processed; early stopping leaves the others in the pool.
            "n_virtual_used": int(model._machine.engine.n_processed) - n_learnt,
            "virtual_ratio": float(model.virtual_ratio_),
        }
    return model, found


def learn_rare(workload, budgets, at_end=False, seed=0, quick=False):
    """Score methods after each number of samples of a list; None: all.

    Each is fitted again for each number: the same samples are selected, so the models are those
    of one run, and their times hold all that it took to get there.
    """
    work = SETS[workload]
    split = work.load(seed, quick)
    n_train, n_positive = len(split.y_train), int(np.sum(split.y_train > 0))
    ratio, curves = None, []
    for name, numbers in budgets.items():
        numbers = QUICK_BUDGETS if quick and numbers != [None] else numbers
        points = [
            judged(name, work, split, seed, n, ratio)[1]
            for n in numbers
            if n is None or n < n_train
        ]
        if name in ("active", "active_all"):
            ratio = points[-1]["vector_ratio"]
        curves.append({"rival": name, **(points[0] if at_end else {"points": points})})
    counts = {"n_positive": n_positive, "n_negative": n_train - n_positive, "n_train": n_train}
    return {**counts, "rivals": curves}


def roc_of(workload, seed=0, quick=False):
    """Return ROC curves of active, and of samples in random order: as many of them, and all."""
    work, n = SETS[workload], QUICK_BUDGETS[0] if quick else ROC_SETS[workload]
    split, curves = work.load(seed, quick), []
    for rival, budget in (("active_all", n), ("one_pass", n), ("one_pass", None)):
        model, found = judged(rival, work, split, seed, budget)
        wrong, right, _ = roc_curve(split.y_test, model.decision_function(split.X_test))
        told = {name: found[name] for name in ("n_learnt", "auc")}
        right = np.interp(FALSE_ALARMS, wrong, right).tolist()
        curves.append({"rival": rival, **told, "found": right})
    return {"false_alarms": FALSE_ALARMS.tolist(), "curves": curves}


def samples_within(workload, seed=0, quick=False):
    """Count the decision values of the training samples by class, and those within the margin."""
    split = SETS[workload].load(seed, quick)
    model, judgement = judged("one_pass", SETS[workload], split, seed)
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


def compare_imbalance(seed=0, quick=False):
    """Return the g-mean of each method of the guide, with LASVC and with nearest neighbors."""
    from imblearn.over_sampling import SMOTE, SVMSMOTE

    n_samples, n_train = (2640, 660) if quick else (13_200, 3300)
    X, y = make_waveform(n_samples, imbalance_ratio=32, random_state=seed)
    X, X_test, y, y_test = train_test_split(
        X, y, stratify=y, train_size=n_train, random_state=seed
    )
    lasvc, neighbors = LASVC(gamma=0.01, random_state=seed), KNeighborsClassifier(15)
    tuned = TunedThresholdClassifierCV(
        lasvc, scoring=geometric_mean_scorer, response_method="decision_function"
    )
    both = {"lasvc": lasvc, "neighbors": neighbors}
    # What changes the samples, and the models.
    methods = {
        "none": (None, both),
        "class_weight": (None, {"lasvc": clone(lasvc).set_params(class_weight="balanced")}),
        "threshold": (None, {"lasvc": tuned}),
        "virtual_lasvc": (None, {"lasvc": VirtualLASVC(gamma=0.01, random_state=seed)}),
        "virtual": (VirtualSampler(random_state=seed), both),
        "virtual_one": (VirtualSampler(n_virtual=1, random_state=seed), both),
        "smote": (SMOTE(random_state=seed), both),
        "svm_smote": (SVMSMOTE(random_state=seed), both),
    }
    gmeans = {}
    for method, (sampler, models) in methods.items():
        samples = (X, y) if sampler is None else sampler.fit_resample(X, y)
        gmeans[method] = {
            kind: geometric_mean_score(y_test, clone(model).fit(*samples).predict(X_test))
            for kind, model in models.items()
        }
    counts = {"n_train": len(y), "n_positive": int(np.sum(y == 1)), "n_test": len(y_test)}
    return {**counts, "gmeans": gmeans}
