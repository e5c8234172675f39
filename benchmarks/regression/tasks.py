"""Tasks of `regression`: one model on one set, in a fresh process."""

from dataclasses import dataclass

import numpy as np
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import Ridge
from sklearn.metrics import r2_score
from sklearn.multioutput import MultiOutputRegressor
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVR

from sklearn_online_svm import LASVR

from ..bench.job import Job
from ..bench.measure import processor_seconds
from .sets import REAL_SETS, SETS, outputs

MAX_VECTORS = 1000
# Samples of the table with several outputs.
N_TRAIN, N_TEST = 5000, 2000


@dataclass(frozen=True)
class RegressionJob(Job):
    """A model and a set, or the number of features of generated samples."""

    model: str = "lasvr"
    set: str = "friedman1"
    n_train: int | None = None
    n_features: int = 10


def _sklearnex(params, seed):
    from sklearnex.svm import SVR as IntelSVR

    return IntelSVR(**params)


def _nystroem(params, seed):
    features = Nystroem(gamma=params["gamma"], n_components=500, random_state=seed)
    return make_pipeline(features, Ridge(alpha=0.1))


MODELS = {
    "lasvr": lambda params, seed: LASVR(**params, random_state=seed),
    "lasvr_budget": lambda params, seed: LASVR(
        **params, max_support_vectors=MAX_VECTORS, random_state=seed
    ),
    "svr": lambda params, seed: SVR(**params),
    "sklearnex": _sklearnex,
    "boosting": lambda params, seed: HistGradientBoostingRegressor(random_state=seed),
    "nystroem_ridge": _nystroem,
}


def regress(job):
    """Fit a model and predict."""
    case = (SETS | REAL_SETS)[job.set]
    X, y, X_test, y_test = case.load(job.seed, job.quick, job.n_train)
    # All features have variance 1.
    params = dict(C=case.C, epsilon=case.epsilon, gamma=1.0 / X.shape[1])
    model = MODELS[job.model](params, job.seed)
    _, fit_seconds = processor_seconds(lambda: model.fit(X, y))
    predicted, predict_seconds = processor_seconds(lambda: model.predict(X_test))
    return {
        "n_train": len(y),
        "r2": r2_score(y_test, predicted),
        "seconds_fit": fit_seconds,
        "seconds_predict": predict_seconds,
    }


OUTPUT_MODELS = {
    "lasvr": MODELS["lasvr"],
    "lasvr_separate": lambda *given: MultiOutputRegressor(MODELS["lasvr"](*given)),
}


def regress_outputs(job):
    """Fit a model to several outputs, and predict them."""
    n_train, n_test = (500, 500) if job.quick else (N_TRAIN, N_TEST)
    X, Y = outputs(n_train + n_test, job.n_features, np.random.default_rng(job.seed + 1))
    params = dict(C=10.0, epsilon=0.3, gamma=1.0 / X.shape[1])
    model = OUTPUT_MODELS[job.model](params, job.seed)
    _, fit_seconds = processor_seconds(lambda: model.fit(X[:n_train], Y[:n_train]))
    _, predict_seconds = processor_seconds(lambda: model.predict(X[n_train:]))
    return {
        "seconds_fit": fit_seconds,
        "seconds_predict": predict_seconds,
        "n_vectors": sum(len(m.support_) for m in getattr(model, "estimators_", [model])),
    }


JOB = RegressionJob
TASKS = {
    "regress": regress,
    "regress_outputs": regress_outputs,
}
