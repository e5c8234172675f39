"""Random calls of the kernel estimators, each of which has to come to an end.

``python -m tests.support.fuzz FIRST LAST`` runs the calls of these seeds in this process and
prints, for each, a line before it begins and one with what became of it when it is over. The test
reads them from outside: a call that never returns cannot report itself.
"""

import json
import sys
import time
import warnings

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import rbf_kernel

from sklearn_online_svm import LASVC, RampSVC
from tests.support.samples import ALGORITHMS

MAX_ROWS = 200


def asymmetric(A, B):
    return np.sin(A[:, :1] + 2 * B[:, :1].T) + A[:, -1:]


def negative(A, B):
    return -rbf_kernel(A, B)


def constant(A, B):
    return np.full((len(A), len(B)), 1.0)


def huge(A, B):
    return 1e30 * rbf_kernel(A, B, gamma=1e-3)


CALLABLES = (asymmetric, negative, constant, huge)


def rows(rng):
    """Data that are easy, hard, or without sense; at most 200 rows."""
    n = int(rng.choice([4, 20, 60, MAX_ROWS], p=[0.1, 0.2, 0.35, 0.35]))
    n_classes = int(rng.choice([2, 2, 2, 3, 10]))
    kind = rng.choice(["clouds", "noise", "duplicates", "equal", "integers", "scales", "line"])
    y = rng.permutation(np.arange(n) % min(n_classes, n))
    n_features = int(rng.choice([1, 2, 5, 20]))
    X = rng.normal(size=(n, n_features))
    if kind == "clouds":
        X += 2.0 * rng.normal(size=(n_classes, n_features))[y]
    elif kind == "duplicates":
        X = X[np.arange(n) % max(2, n // 4)]
    elif kind == "equal":
        X[:] = X[0]
    elif kind == "integers":
        X = rng.integers(0, 3, size=X.shape).astype(float)
    elif kind == "scales":
        X *= 10.0 ** rng.uniform(-4, 4, size=n_features)
    elif kind == "line":
        X[:] = np.sort(X[:, :1], axis=0)
    X = X + rng.choice([0.0, 0.0, 10.0, 1000.0])
    if rng.random() < 0.15:
        X = csr_matrix(X)
    return kind, X, y


def kernel_of(rng, X):
    """A kernel with its parameters, and the rows that it takes."""
    name = rng.choice(["rbf", "linear", "poly", "sigmoid", "precomputed", "callable"])
    n = X.shape[0]
    gamma = rng.choice([*("scale", "auto"), *10.0 ** rng.uniform([-12, -3, -1], [-3, 3, 8])])
    params = dict(
        gamma=gamma if gamma in ("scale", "auto") else float(gamma),
        coef0=float(rng.choice([0.0, 0.0, 1.0, -1.0, 1e3, -1e6, 1e8])),
        degree=int(rng.choice([0, 1, 2, 3, 3, 7])),
    )
    if name == "precomputed":
        K = rng.normal(size=(n, n)) * 10.0 ** rng.integers(-3, 4)
        way = rng.choice(["random", "symmetric", "definite", "low rank", "zero"])
        if way == "symmetric":
            K = K + K.T
        elif way == "definite":
            K = K @ K.T
        elif way == "low rank":
            K = K[:, :1] @ K[:, :1].T
        elif way == "zero":
            K[:] = 0.0
        return f"precomputed {way}", dict(kernel="precomputed"), K
    if name == "callable":
        function = CALLABLES[rng.integers(len(CALLABLES))]
        X = X.toarray() if hasattr(X, "toarray") else X
        return function.__name__, dict(kernel=function), X
    return name, dict(kernel=str(name), **params), X


def call_of(seed):
    """Name, model, and function that makes the call of this seed."""
    rng = np.random.default_rng(seed)
    data, X, y = rows(rng)
    kernel, params, X = kernel_of(rng, X)
    params |= dict(
        C=float(rng.choice([*10.0 ** rng.uniform([-2, 1, 4, 8, 12], [1, 4, 8, 12, 300]), np.inf])),
        tol=float(rng.choice([1e-3, 1e-3, 1e-3, 1e-6, 1e-10, 0.1])),
        ramp_s=float(rng.choice([-1.0, -1.0, 0.0, 0.9, -100.0])),
        shrinking=bool(rng.random() < 0.8),
        cache_size=float(rng.choice([500.0, 500.0, 1.0])),
        random_state=int(rng.integers(100)),
    )
    if rng.random() < 0.2:
        params["class_weight"] = {0: float(10.0 ** rng.uniform(-3, 12))}
    weight = None
    if rng.random() < 0.3:
        weight = 10.0 ** rng.uniform(-3, rng.choice([1, 10]), size=len(y))
        weight[rng.random(len(y)) < 0.1] = 0.0
    algorithm = str(rng.choice([*ALGORITHMS, "ramp", "ramp"]))
    if algorithm == "ramp":
        model = RampSVC(fit_intercept=bool(rng.random() < 0.5), **params)
        algorithm = f"RampSVC {model.fit_intercept}"
        way = "fit"
    else:
        params["delta_max"] = rng.choice([None, None, 0.01, 1.0, 10.0])
        params["max_iter"] = (1, 1, 2, 1000, -1, "auto")[rng.integers(6)]
        model = LASVC(algorithm=algorithm, **params)
        way = rng.choice(["fit", "fit", "chunks", "chunks, finished"])
        way = "fit" if params["kernel"] == "precomputed" else way

    def call():
        if way == "fit":
            model.fit(X, y, sample_weight=weight)
        else:
            for first in range(0, len(y), 50):
                chunk = slice(first, first + 50)
                given = None if weight is None else weight[chunk]
                model.partial_fit(X[chunk], y[chunk], classes=np.unique(y), sample_weight=given)
            if "finished" in way:
                model.finish()
        return model.decision_function(X)

    name = f"{seed}: {algorithm} {way}, {kernel}, {data} {X.shape}, {len(set(y))} classes"
    return name, call


def run(seed):
    """Make the call of this seed; what became of it, and the processor time it took."""
    name, call = call_of(seed)
    print(json.dumps({"seed": seed, "name": name}), flush=True)
    start = time.process_time()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            call()
            outcome = "result"
        except ValueError as error:
            outcome = f"ValueError: {error}"
    seconds = time.process_time() - start
    said = [str(w.message) for w in caught if issubclass(w.category, ConvergenceWarning)]
    print(json.dumps({"outcome": outcome, "warnings": said, "seconds": seconds}), flush=True)


if __name__ == "__main__":
    for seed in range(int(sys.argv[1]), int(sys.argv[2])):
        run(seed)
