"""Small tables of the guide: a parameter of a model, and what it changes."""

from functools import partial

import numpy as np
from sklearn.base import clone
from sklearn.datasets import make_friedman1
from sklearn.preprocessing import StandardScaler

from sklearn_online_svm import LASVC, LASVR, OneClassLASVM

from ..bench.data import load_all_samples
from ..bench.frames import frame
from ..bench.measure import processor_seconds
from ..bench.rst import count, cross, list_table, number, percent, times
from ..bench.study import Study, grid, named, step

EPSILONS = [0.1, 0.5, 1.0, 2.0, "auto"]
# A stream without outliers, and limits of the number of support vectors.
N_STREAM, N_NEW = 20_000, 20_000
LIMITS, NUS = [30, 100, 200, 300, None], [0.01, 0.05]
# Values of C of a path.
CS = np.logspace(-1, 2, 20)


def _table(name, n, scale=None, positive=None):
    """Return the first samples at random; features are divided or standardized."""
    X, y, n_train = load_all_samples(name, dense=True)
    rows = np.random.default_rng(0).permutation(n_train)[:n]
    X = X[rows] / scale if scale else StandardScaler().fit_transform(X[rows])
    return X, y[rows] if positive is None else (y[rows] == positive).astype(int)


def _friedman(n):
    X, y = make_friedman1(n, noise=1.0, random_state=0)
    return StandardScaler().fit_transform(X), (y - y.mean()) / y.std()


# Title, samples of a number, and a model.
ADULT = dict(load=partial(_table, "adult_a9a", scale=1), model=LASVC(gamma=0.005))
MNIST = dict(load=partial(_table, "mnist", scale=255, positive=8), model=LASVC(gamma=0.02))
PATHS = {
    "Adult, 3000": dict(n=3000, **ADULT),
    "Adult, 32 561": dict(n=32_561, **ADULT),
    "MNIST, 8 or not, 3000": dict(n=3000, **MNIST),
    "MNIST, 8 or not, 15 000": dict(n=15_000, **MNIST),
    "Letter, 26 classes, 3000": dict(n=3000, load=partial(_table, "letter"), model=LASVC()),
    "Letter, 26 classes, 15 000": dict(n=15_000, load=partial(_table, "letter"), model=LASVC()),
    "Friedman 1, 3000": dict(n=3000, load=_friedman, model=LASVR()),
    "Friedman 1, 15 000": dict(n=15_000, load=_friedman, model=LASVR()),
}


def fit_epsilon(epsilon):
    """Return R2 and the support vectors, with the samples of the page."""
    X, y = make_friedman1(5000, noise=1.0, random_state=0)
    model = LASVR(C=10, epsilon=epsilon, random_state=0).fit(X[:3000], y[:3000])
    found = {"n_support": len(model.support_), "score": model.score(X[3000:], y[3000:])}
    return found | ({"value": float(model.epsilon_)} if epsilon == "auto" else {})


def limit_vectors(max_support_vectors, nu, seed=0, quick=False):
    """Return the share of new samples that are rejected after a stream."""
    n = 2000 if quick else N_STREAM
    X = np.random.default_rng(seed).normal(size=(n + N_NEW, 10))
    model = OneClassLASVM(nu=nu, max_support_vectors=max_support_vectors, random_state=seed)
    for part in np.array_split(X[:n], 20):
        model.partial_fit(part)
    return {"rejected": float(np.mean(model.predict(X[n:]) == -1))}


def fit_path(set, quick=False):
    """Return times of a path, of separate fits, and of the fit of the largest C."""
    case = PATHS[set]
    X, y = case["load"](300 if quick else case["n"])
    models = [clone(case["model"]).set_params(C=C, random_state=0) for C in CS]
    _, path = processor_seconds(lambda: clone(case["model"]).fit_path(X, y, CS))
    fits = [processor_seconds(partial(model.fit, X, y))[1] for model in models]
    return {"path_seconds": path, "fits_seconds": sum(fits), "largest_seconds": fits[-1]}


def guide_epsilon(results):
    """Write R2 and support vectors by epsilon."""
    rows = [
        [
            f"{run.epsilon} ({run.value:.2f})" if run.epsilon == "auto" else f"{run.epsilon}",
            f"{run.score:.3f}",
            count(run.n_support),
        ]
        for run in frame("guide_epsilon", results).itertuples()
    ]
    return list_table(["``epsilon``", "R2", "support vectors"], rows)


def guide_limits(results):
    """Write the shares of rejected samples, by limit and nu."""
    found = frame("guide_limits", results).fillna({"max_support_vectors": 0})
    limits = {limit or 0: str(limit) for limit in LIMITS}
    nus = {nu: f"``nu={nu}``" for nu in NUS}
    rows = ("max_support_vectors", limits)
    return cross(found, rows, ("nu", nus), "rejected", partial(percent, digits=1))


def guide_paths(results):
    """Write times of paths, and their ratios to those of fits."""
    rows = [
        [
            run.set,
            number(run.path_seconds),
            times(run.path_seconds / run.largest_seconds),
            percent(run.path_seconds / run.fits_seconds, digits=0),
        ]
        for run in frame("guide_paths", results).itertuples()
    ]
    return list_table(["samples", "path (s)", "of one fit", f"of {len(CS)} fits"], rows)


STUDY = Study(
    steps={
        "guide_epsilon": step(fit_epsilon, grid(epsilon=EPSILONS)),
        "guide_limits": step(limit_vectors, grid(max_support_vectors=LIMITS, nu=NUS), every=3),
        "guide_paths": step(fit_path, grid(set=PATHS), n_quick=2),
    },
    tables=named(guide_epsilon, guide_limits, guide_paths),
)
