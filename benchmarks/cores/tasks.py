"""Tasks of `cores`: fits of one model, and the time of a shared pass, in a fresh process."""

import hashlib
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass

from sklearn_online_svm import LASVC, LASVR
from sklearn_online_svm._core.threads import slices

from ..bench.job import Job
from .sets import CASES

REPEATS = {"ovo": 5, "ovr": 5, "intelex": 3}
QUICK_ROWS = 500


@dataclass(frozen=True)
class CoresJob(Job):
    """A set and a model; or the number of slots of a pass."""

    set: str = ""
    model: str = ""
    n_slots: int = 0


def make_model(job, case):
    params = dict(C=case.C, gamma=case.gamma, cache_size=1000)
    if case.epsilon is not None:
        params["epsilon"] = case.epsilon
    if job.model == "intelex":
        # Only here: it loads oneDAL, and there is not a wheel for each machine.
        from sklearnex.svm import SVC, SVR

        return (SVC if case.epsilon is None else SVR)(n_jobs=job.threads, **params)
    params |= dict(n_jobs=job.threads, random_state=job.seed)
    if case.epsilon is not None:
        return LASVR(**params)
    return LASVC(multi_class=job.model, **params)


def fit(job):
    """Times of several fits, and a digest of the last model."""
    case = CASES[job.set]
    X, y = case.load()
    if job.quick:
        X, y = X[:QUICK_ROWS], y[:QUICK_ROWS]
    model, seconds = make_model(job, case), []
    for _ in range(1 if job.quick else REPEATS[job.model]):
        start = time.perf_counter()
        model.fit(X, y)
        seconds.append(time.perf_counter() - start)
    return {
        "seconds": seconds,
        "n_support": len(model.support_),
        "digest": hashlib.sha256(model.dual_coef_.tobytes()).hexdigest()[:16],
    }


def shared_pass(job):
    """Time of a pass over the gradient, as each step makes one."""
    with ThreadPoolExecutor(job.threads) if job.threads > 1 else nullcontext() as executor:
        return {"nanoseconds": slices.time_of_pass(job.n_slots, executor)}


JOB = CoresJob
TASKS = {"fit_on_cores": fit, "shared_pass": shared_pass}
