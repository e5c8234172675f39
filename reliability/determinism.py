"""The same bits from the same samples and seed, whatever the threads, chunks, caches and copies.

``python -m reliability.determinism NAME ...`` prints what models of the table have found,
for processes with another environment.
"""

import hashlib
import json
import os
import pickle
import subprocess
import sys
import threading
import warnings

import numpy as np
from sklearn.base import BaseEstimator, clone, is_classifier

from sklearn_online_svm import LASVC, LASVR, OneClassLASVM, RampSVC
from tests.support import ROOT
from tests.support.programs import FUSED_LEVELS
from tests.support.stream_models import DEPEND_ON_CHUNKS
from tests.support.trainable import (
    FINISHING,
    FITTED_AT_ONCE,
    MODELS,
    REPRESENTATION,
    STREAMS,
    samples_of,
    seeded,
    state_of,
)

from .calls import COPIES, PREDICTIONS

PROMISE = (
    "The same samples, parameters and seed give the same model, bit for bit, for any number of "
    "threads, cache size, chunk size, copy and hash seed, and on each instruction set with FMA."
)
# Times, and numbers of kernel evaluations, which depend on the cache.
OF_COST = ("n_kernel_evaluations_", "cost_", "cv_results_")
# Samples are scaled, or predicted for calibration, before the model is trained on their chunk.
DEPENDENT = (*DEPEND_ON_CHUNKS, "calibrated", "calibrated, finishing", "pipeline")
# With other chunks, the support vectors are summed in another order, and products of BLAS have
# other shapes.
ROUNDING, OF_BLAS = 1e-12, 1e-9
# Share of the samples with another prediction; of regressors, the mean difference in standard
# deviations.
MOST_OTHERS = 0.02
AT_OPTIMUM = (*FINISHING, *FITTED_AT_ONCE)


# -- models and what they have found ----------------------------------------------------------


def predictions(model, X):
    return {
        name: np.ascontiguousarray(getattr(model, name)(X))
        for name in PREDICTIONS
        if hasattr(model, name)
    }


def attributes(model, path=""):
    """Return the public attributes of a fitted model and of those within it, as bits."""
    found = {}
    for name in dir(model):
        if not name.endswith("_") or name.startswith("_") or name in OF_COST:
            continue
        try:
            value = getattr(model, name)
        except (AttributeError, ValueError):  # not with this kernel, algorithm or interface
            continue
        parts = value if isinstance(value, list | tuple) else [value]
        for k, part in enumerate(parts):
            key = f"{path}{name}.{k}"
            is_model = isinstance(part, BaseEstimator)
            found |= attributes(part, f"{key}.") if is_model else state_of(part, key)
    return {key: v for key, v in found.items() if not any(part in key for part in REPRESENTATION)}


def with_params(name, **params):
    """Return a seeded model of the table; the parameters also change in models within it."""
    model = seeded(name)
    names = {key: key.split("__")[-1] for key in model.get_params()}
    return model.set_params(**{k: params[last] for k, last in names.items() if last in params})


def fit(name, n, **params):
    X, y = samples_of(name, n)
    return with_params(name, **params).fit(X, y)


def partial_fit(name, n, size=None, start=0, model=None, **params):
    X, y = samples_of(name, n)
    model = with_params(name, **params) if model is None else model
    given = {"classes": np.unique(y)} if is_classifier(model) else {}
    for first in range(start, n, size or n):
        chunk = slice(first, first + (size or n))
        model.partial_fit(X[chunk], y[chunk], **given)
    return model


def trainings(name):
    return [fit] if name in FITTED_AT_ONCE else [fit, partial_fit]


class Findings:
    """The comparisons of a property, and those that failed."""

    def __init__(self, what):
        self.what, self.n, self.failures = what, 0, []
        self.largest = 0.0

    def compare(self, case, model, other, X, rtol=0.0):
        """Compare two models; ``rtol``: of predictions, if they may differ by rounding."""
        self.n += 1
        found, expected = attributes(model), attributes(other)
        different = [n for n in found.keys() | expected.keys() if found.get(n) != expected.get(n)]
        if rtol == OF_BLAS:
            different.clear()
        ours, theirs = predictions(model, X), predictions(other, X)
        for name in ours.keys() | theirs.keys():
            a, b = (values.get(name, np.zeros(0)) for values in (ours, theirs))
            if a.tobytes() == b.tobytes():
                continue
            relative = np.inf
            if a.shape == b.shape and a.dtype == b.dtype == np.float64:
                relative = np.abs(a - b).max() / np.abs(b).max()
            if relative > rtol:
                different.append(f"{name} by {relative:.3g}")
            else:
                self.largest = max(self.largest, float(relative))
        if different:
            self.failures.append(f"{self.what}, {case}: {', '.join(sorted(different)[:5])}")

    def record(self):
        return {
            "what": self.what,
            "cases": self.n,
            "failures": self.failures,
            "largest relative difference": self.largest,
        }


# -- properties -------------------------------------------------------------------------------


def with_other_params(what, parameter, values):
    """Return a property: models with these values equal those with the default."""

    def compare(names, n):
        findings = Findings(what)
        for name in names:
            params = {key.split("__")[-1] for key in MODELS[name].get_params()}
            for train in trainings(name) if parameter in params else ():
                expected = train(name, n)
                for value in values:
                    model = train(name, n, **{parameter: value})
                    case = f"{name}, {train.__name__}, {parameter}={value}"
                    findings.compare(case, model, expected, samples_of(name, n)[0])
        return findings.record()

    return compare


def large(names, n):
    """Threads share the steps of a problem from about 3000 support vectors on."""
    findings, rng = (
        Findings("n_jobs of 2, 3 and 5, 4000 samples"),
        np.random.default_rng(0),
    )
    X, y = rng.normal(size=(4000, 6)), rng.integers(0, 2, 4000)
    params = dict(gamma=1.0, random_state=0)
    models = {
        "LASVC": LASVC(max_iter=2, **params),
        "LASVC, lasvm-g": LASVC(algorithm="lasvm-g", max_iter=1, **params),
        "LASVR": LASVR(epsilon=0.01, max_iter=2, **params),
        "OneClassLASVM": OneClassLASVM(nu=0.95, max_iter=2, **params),
        "RampSVC": RampSVC(ramp_s=-5.0, **params),
    }
    for name, model in models.items():
        expected = clone(model).fit(X, y)
        for k in (2, 3, 5):
            found = clone(model).set_params(n_jobs=k).fit(X, y)
            findings.compare(f"{name}, n_jobs={k}", found, expected, X[:500])
    return findings.record()


def chunks(names, n):
    findings = Findings("chunks of 1, 7 and all samples")
    for name in names:
        if name in STREAMS and name not in DEPENDENT:
            rtol = OF_BLAS if name == "kernel arow" else ROUNDING
            expected = partial_fit(name, n)
            for size in (1, 7):
                case, model = f"{name}, chunks of {size}", partial_fit(name, n, size)
                findings.compare(case, model, expected, samples_of(name, n)[0], rtol)
    return findings.record()


def replicas(names, n):
    """Copies of a model that has seen half of a stream continue as the model itself."""
    findings = Findings("copies, pickles and clones")
    for name in names:
        X = samples_of(name, n)[0]
        for train in trainings(name):
            findings.compare(f"{name}, {train.__name__}, again", train(name, n), train(name, n), X)
        for kind, make in COPIES.items():
            if name in FITTED_AT_ONCE:
                expected = fit(name, n)
                copied = make(expected)
            else:
                half, expected = partial_fit(name, n // 2), partial_fit(name, n // 2)
                copied = partial_fit(name, n, start=n // 2, model=make(half))
                partial_fit(name, n, start=n // 2, model=expected)
            findings.compare(f"{name}, {kind}", copied, expected, X)
        cloned = clone(fit(name, n)).fit(*samples_of(name, n))
        findings.compare(f"{name}, clone", cloned, fit(name, n), X)
    return findings.record()


def orders(names, n):
    """The order of a dict, and of the classes in the first call, does not matter."""
    findings = Findings("order of classes and of class_weight")
    for name in names:
        X, y = samples_of(name, n)
        if not is_classifier(MODELS[name]):
            continue
        classes, weights = (
            np.unique(y),
            {label: 0.5 + label / 20 for label in np.unique(y).tolist()},
        )
        models = []
        for step in (1, -1):
            class_weight = dict([*weights.items()][::step])
            model = with_params(name, class_weight=class_weight)
            if name in FITTED_AT_ONCE:
                model.fit(X, y)
            else:
                model.partial_fit(X, y, classes=classes[::step].tolist())
            models.append(model)
        findings.compare(name, *models, X)
    return findings.record()


def run_in_threads(works):
    """Run all at the same time; raise the first error."""
    errors, begin = [], threading.Barrier(len(works))

    def guarded(work):
        try:
            begin.wait(120)
            work()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=guarded, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


def threads(names, n):
    """Each of 4 threads trains and reads all models, beginning with different ones.

    Two of them have threads of their own, with n_jobs=2.
    """
    findings, found = Findings("models trained in 4 threads at the same time"), {}
    interval = sys.getswitchinterval()

    def train_all(k):
        start = k * len(names) // 4
        for name in [*names[start:], *names[:start]]:
            for train in trainings(name):
                model = train(name, n, n_jobs=1 + k % 2)
                model.predict(samples_of(name, n)[0])
                found[name, train, k] = pickle.loads(pickle.dumps(model))

    sys.setswitchinterval(1e-4)
    try:
        run_in_threads([lambda k=k: train_all(k) for k in range(4)])
    finally:
        sys.setswitchinterval(interval)
    for name in names:
        for train in trainings(name):
            expected, X = train(name, n), samples_of(name, n)[0]
            expected.predict(X)  # optimizes over the support set, if it has not been
            for k in range(4):
                case = f"{name}, {train.__name__}, thread {k}"
                findings.compare(case, found[name, train, k], expected, X)
    return findings.record()


def readers(names, n):
    """4 threads that predict with one model."""
    findings = Findings("predictions of one model in 4 threads")
    for name in names:
        X = samples_of(name, n)[0]
        model, alone = (trainings(name)[-1](name, n) for _ in range(2))
        found = [None] * 4

        def read(k, model=model, X=X, found=found):
            for _ in range(3):
                found[k] = predictions(model, X)

        run_in_threads([lambda k=k: read(k) for k in range(4)])
        expected = predictions(alone, X)
        for k, values in enumerate(found):
            findings.n += 1
            wrong = [m for m in expected if values[m].tobytes() != expected[m].tobytes()]
            if wrong:
                findings.failures.append(f"{findings.what}, {name}, thread {k}: {wrong}")
    return findings.record()


# -- other processes --------------------------------------------------------------------------


def results(names, n):
    """Return a digest and the predictions of each model and training."""
    found = {}
    for name in names:
        for train in trainings(name):
            model = train(name, n)
            values = predictions(model, samples_of(name, n)[0])
            bits = attributes(model) | {key: value.tobytes() for key, value in values.items()}
            text = repr(sorted(bits.items())).encode()
            predicted = values["predict"].astype(float).tolist()
            found[f"{name}, {train.__name__}"] = [hashlib.sha256(text).hexdigest(), predicted]
    return found


def in_process(environment, names, n):
    process = subprocess.run(
        [sys.executable, "-W", "ignore", "-m", "reliability.determinism", str(n), *names],
        cwd=ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        check=True,
        text=True,
    )
    return json.loads(process.stdout)


def in_other_processes(what, environments):
    """Return a property: processes with these environments find the same models."""

    def compare(names, n):
        findings, expected = Findings(what), results(names, n)
        for environment in environments:
            found = in_process(environment, names, n)
            findings.n += len(expected)
            for case in expected.keys() | found.keys():
                if found[case][0] != expected[case][0]:
                    findings.failures.append(f"{what}, {case}, {environment}")
        return findings.record()

    return compare


def unfused(names, n):
    """Another rounding: the same predictions at an optimum and by linear models, but for a few.

    A single pass of a kernel model may end with other support vectors.
    """
    findings = Findings("without FMA: predictions")
    names = [name for name in names if name in AT_OPTIMUM or hasattr(fit(name, n), "coef_")]
    expected = results(names, n)
    found = in_process({LEVEL: "unfused"}, names, n)
    for case, (_, predicted) in expected.items():
        if case.split(", partial")[0] in AT_OPTIMUM and "partial_fit" in case:
            continue
        findings.n += 1
        a, b = np.array(found[case][1]), np.array(predicted)
        if is_classifier(MODELS[case.rsplit(", ", 1)[0]]) or "one class" in case:
            difference = float(np.mean(a != b))
        else:
            difference = float(np.abs(a - b).mean() / b.std())
        findings.largest = max(findings.largest, difference)
        if difference > MOST_OTHERS:
            findings.failures.append(f"{findings.what}, {case}: {difference:.3g}")
    return findings.record()


HASH_SEED, LEVEL = "PYTHONHASHSEED", "SOSVM_SIMD"
# What is tested, and whether it is part of the quick size.
PROPERTIES = [
    with_other_params("n_jobs of 2, 3 and 5", "n_jobs", (2, 3, 5)),
    with_other_params("cache_size of 1 kB and of 1 MB", "cache_size", (1e-3, 1.0)),
    chunks,
    replicas,
    orders,
    threads,
    readers,
]
FULL = [
    large,
    in_other_processes("hash seeds", [{HASH_SEED: seed} for seed in ("0", "4242")]),
    in_other_processes("instruction sets", [{LEVEL: level} for level in FUSED_LEVELS]),
    unfused,
]
QUICK_PROCESS = in_other_processes(
    "hash seed and instruction set", [{HASH_SEED: "1", LEVEL: FUSED_LEVELS[-1]}]
)


def campaign(quick):
    names = [*MODELS]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for k, compare in enumerate([*PROPERTIES, QUICK_PROCESS] if quick else PROPERTIES + FULL):
            # Other models for each property.
            yield compare(names[k::20], 40) if quick else compare(names, 60)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    print(json.dumps(results(sys.argv[2:], int(sys.argv[1]))))
