"""LASVC, the models that it is compared with, and a task that measures any of them.

Other studies use them, too.
"""

from functools import partial

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.metrics import roc_auc_score
from sklearn.naive_bayes import ComplementNB
from sklearn.svm import SVC, LinearSVC

import sklearn_online_svm as ours
from sklearn_online_svm.evaluation import geometric_mean_score, precision_recall_breakeven_score

from ..bench.measure import PeakMemory, Stopwatch, timed
from ..bench.models import intelex, on_nystroem, prepared
from ..sets.workloads import WORKLOADS

# Options of LASVC for the papers' protocol: online passes, then `finish`, once.
ONE_PASS = {"max_iter": 1}
TWO_PASSES = {"max_iter": 2, "finishing": False}
# MB of the kernel cache.
CACHE_SIZE = 1000


class QuarterSVC(SVC):
    """SVC on a random quarter of the samples: cheap, and often accurate enough on large sets."""

    def fit(self, X, y):
        rows = np.random.default_rng(self.random_state).permutation(len(y))[: len(y) // 4]
        return super().fit(X[rows], y[rows])


def _thundersvm():
    # Only here: it loads a shared library, and nothing else needs it.
    from thundersvm import SVC as ThunderSVC

    return ThunderSVC()


# With the parameters of a set.
KERNEL_MODELS = {
    "lasvc": ours.LASVC,
    "ramp_svc": ours.RampSVC,
    "svc": SVC,
    "quarter_svc": QuarterSVC,
    "sklearnex": partial(intelex, "SVC"),
    "thundersvm": _thundersvm,
    "nystroem_sgd": lambda: on_nystroem(SGDClassifier()),
}
_ONCE = dict(max_iter=1, tol=None)
# With parameters of their own; all but boosting are for text.
OTHER_MODELS = {
    "hist_gradient_boosting": HistGradientBoostingClassifier,
    "arow_once": partial(ours.AROWClassifier, **_ONCE),
    "cw_once": partial(ours.ConfidenceWeightedClassifier, **_ONCE),
    "pa_once": partial(
        ours.PassiveAggressiveClassifier, multi_class="crammer_singer", average=True, **_ONCE
    ),
    "arow": partial(ours.AROWClassifier, max_iter=1000),
    "linear_svc": LinearSVC,
    "sgd": SGDClassifier,
    "logistic": partial(LogisticRegression, C=10),
    "bayes": ComplementNB,
}


def build(workload, model="lasvc", seed=0, threads=1, cache_size=CACHE_SIZE, **options):
    """Return an unfitted model with the parameters of a set, and with further options."""
    work, given = WORKLOADS[workload], dict(random_state=seed)
    if model in KERNEL_MODELS:
        given |= dict(C=work.C, gamma=work.gamma, kernel=work.kernel, cache_size=cache_size)
        given |= dict(n_jobs=threads)
    return prepared((KERNEL_MODELS | OTHER_MODELS)[model](), **given).set_params(**options)


def fit(model, split):
    """Return the fitted model, and the time."""
    with Stopwatch() as watch:
        model.fit(split.X_train, split.y_train)
        if all(getattr(model, name, None) == value for name, value in TWO_PASSES.items()):
            model.finish()
    return model, watch.seconds


def warm_up(model, split):
    """Load what is loaded on first use, on a hundred samples that have every class."""
    labels = np.unique(split.y_train)
    rows = np.concatenate(
        [np.flatnonzero(split.y_train == label)[: max(1, 100 // len(labels))] for label in labels]
    )
    model.fit(split.X_train[rows], split.y_train[rows]).predict(split.X_train[rows])


def fit_and_predict(
    workload,
    model="lasvc",
    seed=0,
    threads=1,
    quick=False,
    n_train=None,
    dense=False,
    scores=False,
    decisions=None,
    **options,
):
    """Fit and predict once each (more often if quick), with time, error and memory.

    ``dense``: sparse data as dense arrays. ``scores``: with PRBEP, AUC and g-means.
    ``decisions``: a file for the decision values of the test samples.
    """
    split = WORKLOADS[workload].load(seed, quick, n_train)
    if dense and split.sparse:
        split = split.map_rows(lambda X: X.toarray())
    make = partial(build, workload, model, seed, threads, **options)
    warm_up(make(), split)
    with PeakMemory() as memory:
        fitted, first_seconds = fit(make(), split)
    predicted, predict_seconds = timed(lambda: fitted.predict(split.X_test))
    if decisions is not None:
        np.save(decisions, fitted.decision_function(split.X_test))
    more_scores = scores_of(fitted, split) if scores else {}
    # Further fits of a fast model come last: their garbage is in no peak.
    again = timed(lambda: fit(make(), split), max_repeats=6)[1] if first_seconds <= 0.25 else []
    return {
        "fit_seconds": [first_seconds, *again],
        "predict_seconds": predict_seconds,
        "error": float(np.mean(predicted != split.y_test)),
        "fit_peak_mb": memory.megabytes,
        "n_train": split.X_train.shape[0],
        "n_test": split.X_test.shape[0],
        **learnt(fitted),
        **more_scores,
    }


def learnt(model):
    """Return fitted attributes of an estimator; None where it has none."""
    told = {"n_support": None, "n_kernel_evaluations": None, "n_iter": None}
    if hasattr(model, "support_"):
        told["n_support"] = len(model.support_)
    if hasattr(model, "n_kernel_evaluations_"):
        told["n_kernel_evaluations"] = int(model.n_kernel_evaluations_)
        # One number per class where there are several: the worst of them.
        told["n_iter"] = int(np.max(model.n_iter_))
        told["duality_gap"] = float(np.max(model.duality_gap_))
    return told


def scored(model, split):
    """Return the test error of a fitted model, and its fitted attributes."""
    error = np.mean(model.predict(split.X_test) != split.y_test)
    return {"error": float(error), **learnt(model)}


def scores_of(model, split):
    """Return what chapter 6 of the thesis reports, from one set of decision values."""
    values = model.decision_function(split.X_test)
    predicted = np.where(values > 0, 1, -1)
    return {
        "error": float(np.mean(predicted != split.y_test)),
        "prbep": precision_recall_breakeven_score(split.y_test, values),
        "auc": float(roc_auc_score(split.y_test, values)),
        "gmean": geometric_mean_score(split.y_test, predicted),
    }
