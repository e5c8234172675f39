"""Tasks of `kernels`: models with one kernel on one set, in a fresh process."""

from dataclasses import dataclass
from functools import partial

import numpy as np
from sklearn.base import clone
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.metrics import zero_one_loss
from sklearn.preprocessing import OneHotEncoder
from sklearn.svm import SVC

from sklearn_online_svm import LASVC, AROWClassifier, ColumnKernel

from ..bench.job import Job
from ..bench.measure import processor_seconds
from .functions import FUNCTIONS, WITH_GAMMA
from .sets import CASES, CATEGORIES, N_NUMERIC, fingerprints, mixed_table

N_TEST = 5000
# Values that are tried on the table of mixed types.
CS, GAMMAS, RS = [1.0, 3.0, 10.0], [0.03, 0.1, 0.3, 1.0], [0.1, 1.0, 10.0]


@dataclass(frozen=True)
class KernelJob(Job):
    """A set, or a model and a number of samples of a generated set."""

    set: str = ""
    model: str = "lasvc"
    n_train: int = 3000

    @property
    def sizes(self):
        """Numbers of training and of test samples."""
        return (500, 500) if self.quick else (self.n_train, N_TEST)


def measured(model, X, y, X_test, y_test):
    """Fit and predict; return the times and the error."""
    # A model that is used for the first time optimizes over its support set.
    _, fit_seconds = processor_seconds(lambda: model.fit(X, y).predict(X_test[:1]))
    predicted, predict_seconds = processor_seconds(lambda: model.predict(X_test))
    return {
        "seconds_fit": fit_seconds,
        "seconds_predict": predict_seconds,
        "error": zero_one_loss(y_test, predicted),
    }


def compare(job):
    """Compare a kernel by its name with SVC and the same kernel as a function."""
    case = CASES[job.set]
    X, y, X_test, y_test = case.load(job.seed, job.quick)
    gamma = {"gamma": case.gamma} if case.kernel in WITH_GAMMA else {}
    named = LASVC(C=case.C, kernel=case.kernel, **gamma, random_state=job.seed)
    function = SVC(C=case.C, kernel=partial(FUNCTIONS[case.kernel], **gamma))
    exact = LASVC(C=case.C, kernel=case.kernel, **gamma, max_iter=-1, random_state=job.seed)
    models = {"lasvc": named, "svc": function, "converged": exact}
    parts = {name: measured(model, X, y, X_test, y_test) for name, model in models.items()}
    scores = function.decision_function(X_test)
    for name in ("lasvc", "converged"):
        difference = models[name].decision_function(X_test) - scores
        parts[name]["difference"] = float(np.abs(difference).max())
    return {"n_train": len(y), **parts}


def fit_fingerprints(job):
    """Fit one model on fingerprints."""
    n_train, n_test = job.sizes
    X, y = fingerprints(n_train + n_test, np.random.default_rng(job.seed + 1))
    model = {
        "lasvc": LASVC(kernel="tanimoto", random_state=job.seed),
        "svc": SVC(kernel=FUNCTIONS["tanimoto"]),
    }[job.model]
    return measured(model, X[:n_train], y[:n_train], X[n_train:], y[n_train:])


NUMBERS = list(range(N_NUMERIC))
CODES = list(range(N_NUMERIC, N_NUMERIC + len(CATEGORIES)))
ONE_HOT = ("rbf", "arow")


def _mixed_models(name, seed):
    """Return the models among which held-out samples of the mixed table select one."""
    if name == "boosting":
        return [HistGradientBoostingClassifier(categorical_features=CODES, random_state=seed)]
    if name == "arow":
        return [AROWClassifier(r=r, random_state=seed) for r in RS]
    kernels = [
        dict(kernel="rbf", gamma=gamma)
        if name == "rbf"
        else dict(kernel=ColumnKernel([("rbf", NUMBERS, gamma), ("overlap", CODES)], combine=name))
        for gamma in GAMMAS
    ]
    return [LASVC(C=C, **kernel, random_state=seed) for C in CS for kernel in kernels]


def fit_mixed(job):
    """Fit the model on a table of mixed types that a fifth of it selects."""
    n_train, n_test = job.sizes
    random = np.random.default_rng(job.seed + 1)
    X, codes, y = mixed_table(job.set, n_train + n_test, random)
    if job.model in ONE_HOT:
        encoder = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
        codes = encoder.fit(codes[:n_train]).transform(codes)
    X = np.hstack([X, codes]).astype(np.float32)
    held_out = n_train * 4 // 5
    models = _mixed_models(job.model, job.seed)
    scores = [
        clone(model)
        .fit(X[:held_out], y[:held_out])
        .score(X[held_out:n_train], y[held_out:n_train])
        for model in models
    ]
    best = models[int(np.argmax(scores))]
    return measured(best, X[:n_train], y[:n_train], X[n_train:], y[n_train:])


JOB = KernelJob
TASKS = {
    "compare_kernels": compare,
    "fit_fingerprints": fit_fingerprints,
    "fit_mixed": fit_mixed,
}
