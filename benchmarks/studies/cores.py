"""What more threads gain: fits of one problem and of several, and the cost of sharing a loop."""

import hashlib
import os
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from itertools import product

import numpy as np
import pandas as pd
from sklearn.datasets import make_friedman1
from sklearn.preprocessing import StandardScaler

from sklearn_online_svm import LASVC, LASVR
from sklearn_online_svm._core.threads import slices

from ..bench.data import load_all_samples
from ..bench.frames import frame, values
from ..bench.models import intelex
from ..bench.rst import count, percent, seconds, text_table, times
from ..bench.study import Study, grid, named, step

MODELS = {"ovo": "LASVC", "ovr": "LASVC, one-vs-rest", "intelex": "scikit-learn-intelex"}
N_SLOTS = [1024, 2048, 4096, 8192, 16_384, 32_768, 65_536]
PREDICTED = (4, 8, 16, 32)


@dataclass(frozen=True)
class Case:
    """Samples, and parameters of all models: with ``epsilon``, those of a regression."""

    title: str
    load: Callable
    params: dict
    several: bool = False


def _real(name, n=None, scale=None):
    """Return samples at random or the training samples; features are divided or standardized."""
    X, y, n_train = load_all_samples(name, dense=True)
    rows = slice(n_train) if n is None else np.random.default_rng(0).permutation(len(y))[:n]
    X = X[rows] / scale if scale else StandardScaler().fit_transform(X[rows])
    return X, y[rows]


def _chessboard(n):
    """Return sixteen fields: two of eight features matter, 10 % of the labels are wrong."""
    rng = np.random.default_rng(0)
    X = rng.uniform(0, 4, size=(n, 8))
    X[:, 2:] /= 8
    y = (np.floor(X[:, 0]) + np.floor(X[:, 1])).astype(int) % 2
    return X, np.where(rng.random(n) < 0.1, 1 - y, y)


def _friedman(n):
    X, y = make_friedman1(n, noise=1.0, random_state=0)
    return X, (y - y.mean()) / y.std()


CASES = {
    "adult": Case("Adult, dense", lambda: _real("adult_a9a", scale=1), dict(C=100, gamma=0.005)),
    "chessboard": Case(
        "Chessboard, 30 000, 10 % noise", lambda: _chessboard(30_000), dict(C=10, gamma=1.0)
    ),
    "friedman": Case(
        "Friedman 1, 25 000, regression",
        lambda: _friedman(25_000),
        dict(C=10, gamma=0.1, epsilon=0.1),
    ),
    "mnist": Case(
        "MNIST, ten classes, 20 000",
        lambda: _real("mnist", 20_000, scale=255),
        dict(C=10, gamma=0.02),
        several=True,
    ),
    "covtype": Case(
        "CoverType, seven classes, 20 000",
        lambda: _real("covtype_first20k", 20_000),
        dict(C=10),
        several=True,
    ),
    "letter": Case("Letter, 26 classes", lambda: _real("letter", 20_000), dict(C=10), True),
    "small": Case("Chessboard, 1500", lambda: _chessboard(1500), dict(C=10, gamma=1.0)),
}


def make_model(name, params, threads, seed):
    """Return a classifier, or a regressor if the parameters have ``epsilon``."""
    params = dict(cache_size=1000, n_jobs=threads, **params)
    if name == "intelex":
        return intelex("SVR" if "epsilon" in params else "SVC", **params)
    if "epsilon" in params:
        return LASVR(random_state=seed, **params)
    return LASVC(multi_class=name, random_state=seed, **params)


def fit(set, model, threads=1, seed=0, quick=False):
    """Return times of several fits, and a digest of the last model."""
    X, y = CASES[set].load()
    if quick:
        X, y = X[:500], y[:500]
    fitted, spent = make_model(model, CASES[set].params, threads, seed), []
    for _ in range(1 if quick else 3 if model == "intelex" else 5):
        start = time.perf_counter()
        fitted.fit(X, y)
        spent.append(time.perf_counter() - start)
    digest = hashlib.sha256(fitted.dual_coef_.tobytes()).hexdigest()[:16]
    return {"seconds": spent, "n_support": len(fitted.support_), "digest": digest}


def shared_pass(n_slots, threads=1):
    """Return the time of a pass over the gradient, as each step makes one."""
    with ThreadPoolExecutor(threads) if threads > 1 else nullcontext() as executor:
        return {"nanoseconds": slices.time_of_pass(n_slots, executor)}


def _fits(results, sets):
    """Return median times: a row for each set and model, a column for each number of threads."""
    found = frame("cores", results)
    found["seconds"] = values(found, "seconds")
    found = found.pivot(index=["set", "model"], columns="threads", values="seconds")
    found = found.loc[[key for key in product(sets, MODELS) if key in found.index]]
    found.index = [_title(*key) for key in found.index]
    return found


def _title(name, model):
    title = MODELS[model].replace("C", "R" if "epsilon" in CASES[name].params else "C")
    return f"{CASES[name].title}: {title}"


def _threads(n):
    return f"{count(n)} thread{'s' * (n > 1)}"


def cores(results):
    """Write times by number of threads, and their ratio."""
    found = _fits(results, CASES)
    cells = found.map(seconds).rename(columns=_threads)
    most = found.columns[-1]
    cells[f"speed-up with {most} threads"] = (found[1] / found[most]).map(times)
    return text_table(cells)


def cores_predicted(results):
    """Write times by Amdahl's law: a model, not a measurement."""
    found = _fits(results, [name for name in CASES if name != "small"])
    most = found.columns[-1]
    if most == 1:
        return None
    # The share that is not divided, from the times with one thread and with the most.
    shares = ((most * found[most] / found[1] - 1) / (most - 1)).clip(0, 1)
    cells = {"serial share": shares.map(partial(percent, digits=0))}
    for n in PREDICTED:
        cells[f"{n} cores"] = (found[1] * (shares + (1 - shares) / n)).map(seconds)
    return text_table(pd.DataFrame(cells))


def cores_pass(results):
    """Write the time of a pass over the gradient, and its gain."""
    found = frame("cores_pass", results)
    found = found.pivot(index="n_slots", columns="threads", values="nanoseconds")
    cells = (found / 1000).map("{:.2f}".format).rename(columns=lambda n: f"{_threads(n)} (µs)")
    most = found.columns[-1]
    cells[f"speed-up with {most} threads"] = (found[1] / found[most]).map(times)
    return text_table(cells.rename(index=count), keys=["support vectors"])


def numbers_of_threads():
    """Return 1, 2, 4, ... up to the cores of this process."""
    n_cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return [n for n in (1, 2, 4, 8, 16, 32, 64) if n <= n_cores]


FITS = [
    case
    for case in grid(set=CASES, model=MODELS, threads=numbers_of_threads())
    if CASES[case["set"]].several or case["model"] != "ovr"
]
STUDY = Study(
    steps={
        "cores": step(fit, FITS, limit=900),
        "cores_pass": step(shared_pass, grid(n_slots=N_SLOTS, threads=numbers_of_threads())),
    },
    tables=named(cores, cores_predicted, cores_pass),
)
