"""Errors and times of whole fits of linear models, with parameters chosen on held-out samples."""

import statistics
import time
import warnings
from functools import partial
from itertools import product

import numpy as np
import pandas as pd
from scipy.sparse import issparse
from sklearn.linear_model import SGDClassifier
from sklearn.model_selection import train_test_split

from sklearn_online_svm import AROWClassifier, PassiveAggressiveClassifier

from ..bench import rst
from ..bench.data import load_paper_dataset, scaled
from ..bench.frames import frame, median, values, where
from ..bench.measure import processor_seconds
from ..bench.study import Study, grid, named, seeded, step

# Samples on which a parameter is chosen, at most: so many to fit, and half as many to score.
N_CHOICE = 8000
# A fast set is fitted again until this time has passed, or so many times.
MIN_SECONDS, MAX_ROUNDS = 2.0, 7
# Maximum number of epochs with chosen parameters: some values of r and C need more to stop.
MAX_ITER = 100
_AVERAGE = dict(average=True)
# From the default outwards: of equally good values, the first is taken.
_ALPHAS = (1e-4, 1e-5, 1e-3, 1e-6, 1e-2)
# Title, estimator, parameters, and values of the one that is chosen.
TUNED = {
    "sgd": ("SGD", SGDClassifier, {}, "alpha", _ALPHAS),
    "sgd_average": ("SGD, average", SGDClassifier, _AVERAGE, "alpha", _ALPHAS),
    "arow": ("AROW", AROWClassifier, {}, "r", (1.0, 0.1, 10.0, 0.01, 100.0)),
    "pa_average": (
        "PA, average", PassiveAggressiveClassifier, _AVERAGE, "C", (1.0, 0.1, 0.01, 1e-3, 1e-4),
    ),
}  # fmt: skip
SETS = {
    "newsgroups20": "20 News\N{SOFT HYPHEN}groups", "reuters": "Reuters money-fx", "w8a": "w8a",
    "adult": "Adult", "mushrooms": "mush\N{SOFT HYPHEN}rooms", "spambase": "spambase",
    "codrna": "cod-rna", "magic04": "magic04", "covtype_3v4": "covtype, 3 against 4",
    "svmguide1": "svm\N{SOFT HYPHEN}guide1", "splice": "splice", "dna": "dna",
    "satimage": "satimage", "shuttle": "shuttle", "letter": "letter",
}  # fmt: skip
# Sets on which numbers of epochs are compared, and the numbers.
EPOCH_SETS = [name for name in SETS if name not in ("mushrooms", "shuttle", "svmguide1")]
EPOCHS = {"one pass": {"max_iter": 1, "tol": None}, "auto": {}, "1000": {"max_iter": 1000}}
FILES = {"reuters": "reuters_moneyfx_lasvm", "adult": "adult_a9a"}


def _load(name, quick):
    """Return training samples, test samples, and the labels of both; the same in each call.

    Dense features have mean 0 and deviation 1 over the training samples; sparse ones are binary,
    or tf-idf values of unit length.
    """
    data = load_paper_dataset(FILES.get(name, name))
    X, X_test, y, y_test = data.X_train, data.X_test, data.y_train, data.y_test
    if X_test is None:
        X, X_test, y, y_test = train_test_split(X, y, test_size=0.3, random_state=0)
    # Some sets are sorted by class.
    order = np.random.default_rng(0).permutation(len(y))[: 400 if quick else None]
    X, X_test, y = X[order].astype(np.float64), X_test.astype(np.float64), y[order]
    if not issparse(X):
        X, X_test = scaled(X, X_test)
    return X, X_test, y, y_test


def _tuned(name, value, seed):
    """Return a model with a value of its parameter, or with all defaults."""
    _, estimator, options, parameter, _ = TUNED[name]
    chosen = {} if value is None else {parameter: value, "max_iter": MAX_ITER}
    return estimator(**options, **chosen, random_state=seed)


def _choice(name, X, y, seed):
    """Return the value with the fewest errors on held-out training samples."""
    rows = np.random.default_rng(seed).permutation(len(y))
    n = min(N_CHOICE, len(y) * 2 // 3)
    fit, score = rows[:n], rows[n : n + n // 2]
    errors = {
        value: np.mean(_tuned(name, value, seed).fit(X[fit], y[fit]).predict(X[score]) != y[score])
        for value in TUNED[name][-1]
    }
    return min(errors, key=errors.get)


def choose_and_fit(set, models, seed=0, quick=False):
    """Measure errors and times of models, with defaults and with the best of five values.

    The models are fitted in turns on all training samples.
    """
    warnings.simplefilter("ignore")
    X, X_test, y, y_test = _load(set, quick)
    found = {}
    for name in models:
        choice = _choice(name, X, y, seed)
        found[name] = {"choice": choice, "default": {"seconds": []}, "chosen": {"seconds": []}}
    start = time.perf_counter()
    for _ in range(MAX_ROUNDS):
        for name, variant in product(models, ("default", "chosen")):
            model = _tuned(name, found[name]["choice"] if variant == "chosen" else None, seed)
            begin = time.perf_counter()
            model.fit(X, y)
            found[name][variant]["seconds"].append(time.perf_counter() - begin)
            found[name][variant]["error"] = float(np.mean(model.predict(X_test) != y_test))
            found[name][variant]["n_iter"] = int(model.n_iter_)
        if time.perf_counter() - start > MIN_SECONDS:
            break
    shape = dict(n_train=len(y), n_test=len(y_test), n_features=X.shape[1])
    return {**shape, "n_classes": len(np.unique(y)), "models": found}


def compare_epochs(set, seed=0, quick=False):
    """Measure AROW after one pass, with its default, and until convergence."""
    X, X_test, y, y_test = _load(set, quick)
    runs = []
    for name, options in EPOCHS.items():
        model = AROWClassifier(**options, random_state=seed)
        _, spent = processor_seconds(lambda model=model: model.fit(X, y), 3)
        error = float(np.mean(model.predict(X_test) != y_test))
        runs.append({"epochs": name, "error": error, "seconds": spent, "n_iter": model.n_iter_})
    return {"runs": runs}


def linear_epochs(results):
    """Errors by number of epochs, and times divided by that of one pass."""
    found = frame("linear_epochs", results)
    rows = []
    for name in filter(set(found["set"]).__contains__, EPOCH_SETS):
        runs = {epochs: where(found, set=name, epochs=epochs) for epochs in EPOCHS}
        one, auto, until = (run.mean(numeric_only=True) for run in runs.values())
        passes = sorted({runs["auto"].n_iter.min(), runs["auto"].n_iter.max()})
        rows.append(
            {
                "": SETS[name],
                "one pass": f"{100 * one.error:.2f}",
                "auto": f"{100 * auto.error:.2f}",
                "max_iter=1000": f"{100 * until.error:.2f}",
                "passes, auto": " to ".join(map(str, passes)),
                "time, auto": rst.times(auto.seconds / one.seconds),
                "time, 1000": rst.times(until.seconds / one.seconds),
            }
        )
    return rst.table(rows, {"Test error in %": 3, "Passes, and time in passes": 3})


def linear_sgd(results):
    """Errors and times of whole fits, compared with SGDClassifier."""
    found = pd.DataFrame(
        {"set": row["set"], "model": model, "variant": variant, **of_model[variant]}
        for row in frame("linear_sgd", results).to_dict("records")
        for model, of_model in row["models"].items()
        for variant in ("chosen", "default")
    )

    def error(variant, name, model):
        errors = values(found, "error", set=name, model=model, variant=variant)
        errors = [100 * error for error in errors]
        spread = statistics.stdev(errors) if len(errors) > 1 else 0.0
        return f"{statistics.fmean(errors):.2f} ± {spread:.2f}"

    def compared(variant, name, model):
        own, sgd = (
            median(found, "seconds", set=name, model=m, variant=variant) for m in (model, "sgd")
        )
        return rst.seconds(own) if model == "sgd" else rst.times(own / sgd)

    rows = {name: title for name, title in SETS.items() if name in set(found["set"])}
    columns = {model: title for model, (title, *_) in TUNED.items()}
    parts = {
        "Test error in %, parameters chosen": partial(error, "chosen"),
        "Test error in %, default parameters": partial(error, "default"),
        "Time of a fit, parameters chosen": partial(compared, "chosen"),
        "Time of a fit, default parameters": partial(compared, "default"),
    }
    return rst.joined(
        rst.cross_table("set", rows, columns, cell, title) for title, cell in parts.items()
    )


STUDY = Study(
    steps={
        "linear_sgd": step(choose_and_fit, seeded(grid(set=SETS)), 3, models=[*TUNED]),
        "linear_epochs": step(compare_epochs, seeded(grid(set=EPOCH_SETS)), 3, split="runs"),
    },
    tables=named(linear_sgd, linear_epochs),
)
