"""One-vs-rest and one-vs-one: errors, times and streams.

``multiclass_real``: parameters of both forms, found by the same search, and errors.
``multiclass_times``: times with the stored parameters, so that they can be measured again without
a search. ``multiclass_forest``: many samples, by number of threads. ``multiclass_stream``: letters
in chunks.
"""

import time
from functools import partial
from statistics import mean, median

import numpy as np
import pandas as pd
from scipy.sparse import issparse
from sklearn.model_selection import GridSearchCV, ParameterGrid, StratifiedKFold

from sklearn_online_svm import LASVC

from ..bench import frames
from ..bench.data import chunks, drawn, load_all_samples, scaled
from ..bench.frames import frame, where
from ..bench.rst import count, cross, list_table, number, points, table, times
from ..bench.study import Study, grid, named, seeded, step
from ..sets.multiclass import SETS
from .cells import fit_forest

FORMS = ("ovr", "ovo")
N_FOLDS, N_SEARCH = 3, 2000
CHOICES = {"tuned": "tuned", "defaults": "with the defaults"}
# Splits whose times are measured, at most, and how often.
N_TIMED, REPEATS = 3, 3
# Numbers of generated samples, and of threads.
FOREST = [(20_000, 1), (20_000, 2), (100_000, 2)]
FOREST_MODELS = {"lasvc": "LASVC", "intelex": "intelex"}
FOREST_RUNS = [dict(n_train=n, threads=t, model=m) for n, t in FOREST for m in FOREST_MODELS]
# Parameters of the streams, and numbers of samples: of a chunk, of the stream, for the test.
STREAM = dict(C=10.0, gamma=0.2)
CHUNK, N_STREAM, N_TEST = 500, 15_000, 5000
# Samples of the stream after which the table has an error.
SHOWN = (CHUNK, 1000, 2000, 4000, 8000, N_STREAM)


def scale_of(X):
    """Return the value of gamma="scale"."""
    variance = X.multiply(X).mean() - X.mean() ** 2 if issparse(X) else X.var()
    return 1.0 / (X.shape[1] * float(variance))


def both(case, params, X):
    """Return a model of each form with its parameters, gamma as a multiple of "scale"."""
    models = {}
    for form in FORMS:
        found = dict(params[form])
        if "gamma" in found:
            found["gamma"] *= scale_of(X)
        models[form] = LASVC(kernel=case.kernel, multi_class=form, random_state=0, **found)
    return models


# gamma="scale" is the default.
DEFAULTS = {form: {} for form in FORMS}


def compared(models, X, y, X_test, y_test):
    """Fit both forms; return errors, and the samples that only one of them misclassifies."""
    answers, wrong = {}, {}
    for form, model in models.items():
        wrong[form] = model.fit(X, y).predict(X_test) != y_test
        answers[form] = {"error": wrong[form].mean(), "n_vectors": len(model.support_)}
    ties = models["ovo"].set_params(break_ties=True).predict(X_test) != y_test
    answers["ovo"]["error_break_ties"] = ties.mean()
    answers["ovr"]["n_only"] = int((wrong["ovr"] & ~wrong["ovo"]).sum())
    answers["ovo"]["n_only"] = int((wrong["ovo"] & ~wrong["ovr"]).sum())
    return answers


def tune(set, quick=False):
    """Tune both forms on the same folds; errors with these parameters and without a search."""
    seeds = range(1 if quick else SETS[set].seeds)
    return {"runs": [{"seed": seed, **_tune(SETS[set], seed, quick)} for seed in seeds]}


def _tune(case, seed, quick):
    X, y, X_test, y_test = case.load(seed, quick)
    folds = StratifiedKFold(N_FOLDS, shuffle=True, random_state=seed)
    params, searches = {}, {}
    for form in FORMS:
        start = time.process_time()
        model = LASVC(kernel=case.kernel, multi_class=form, random_state=0)
        search = GridSearchCV(model, case.grid(scale_of(X[:N_SEARCH])), cv=folds, refit=False)
        search.fit(X[:N_SEARCH], y[:N_SEARCH])
        params[form] = list(ParameterGrid(case.grid()))[search.best_index_]
        searches[form] = {
            "search_seconds": time.process_time() - start,
            "search_error": 1 - search.best_score_,
            "params": params[form],
        }
    tuned = compared(both(case, params, X), X, y, X_test, y_test)
    return {
        "n_train": len(y),
        "n_test": len(y_test),
        "n_classes": len(np.unique(y)),
        "tuned": {form: searches[form] | tuned[form] for form in FORMS},
        "defaults": compared(both(case, DEFAULTS, X), X, y, X_test, y_test),
    }


def measure_times(set, tuned, quick=False):
    """Time fits and predictions of both forms, which alternate: tuned, and with the defaults."""
    return {"runs": [_times(SETS[set], seed, params, quick) for seed, params in enumerate(tuned)]}


def _times(case, seed, tuned, quick):
    X, y, X_test, _ = case.load(seed, quick)
    answers = {"seed": seed}
    for name, params in {"tuned": tuned, "defaults": DEFAULTS}.items():
        answers[name] = {form: {"fit_seconds": [], "predict_seconds": []} for form in FORMS}
        for _ in range(1 if quick else REPEATS):
            for form, model in both(case, params, X).items():
                start = time.process_time()
                # A model that is used for the first time optimizes over its support set.
                model.fit(X, y).predict(X[:1])
                fitted = time.process_time()
                model.predict(X_test)
                answers[name][form]["fit_seconds"].append(fitted - start)
                answers[name][form]["predict_seconds"].append(time.process_time() - fitted)
    return answers


def stream(form, seed=0, quick=False):
    """Train on chunks of letters; test error and cumulated time after each of them."""
    sizes = (1000, 500) if quick else (N_STREAM, N_TEST)
    X, y, X_test, y_test = drawn(*load_all_samples("letter")[:2], *sizes, seed)
    X, X_test = scaled(X, X_test)
    model = LASVC(multi_class=form, random_state=seed, **STREAM)
    found, seconds = [], 0.0
    for rows in chunks(len(y), CHUNK):
        start = time.process_time()
        model.partial_fit(X[rows], y[rows], classes=np.unique(y)).predict(X_test[:1])
        seconds += time.process_time() - start
        found.append(
            {
                "n_seen": model.n_samples_seen_,
                "error": (model.predict(X_test) != y_test).mean(),
                "n_vectors": len(model.support_),
                "seconds": seconds,
            }
        )
    return {"points": found}


def runs_of(choice, results, name="multiclass_real"):
    """Return a row for each split of a set; its fields have names such as ``ovo.error``."""
    runs = frames.points(frame(name, results), "runs", "set")
    return runs.join(pd.json_normalize([*runs[choice]]))


def comparisons(choice, results):
    """Return errors of both forms on each set in percent, their difference and its error.

    The standard error is the larger one of two estimates, as splits are few and have samples in
    common: from the differences of the splits, and from the number of test samples that only one
    of the forms misclassifies.
    """
    runs = runs_of(choice, results)
    runs = runs.assign(ovr=100 * runs["ovr.error"], ovo=100 * runs["ovo.error"])
    runs["difference"] = runs.ovo - runs.ovr
    runs["n_only"] = runs["ovr.n_only"] + runs["ovo.n_only"]
    of_set = runs.groupby("set", sort=False)
    splits = of_set.difference.std() / np.sqrt(of_set.size())
    samples = 100 * np.sqrt(of_set.n_only.sum()) / of_set.n_test.sum()
    found = of_set[[*FORMS]].agg(mean)
    found = found.assign(difference=found.ovo - found.ovr, error=np.fmax(splits, samples))
    return found.assign(is_clear=found.difference.abs() > 2 * found.error)


def titles(found):
    return [SETS[name].title for name in found.index]


def errors_table(choice, results):
    """A row for each set: both errors, and their difference."""
    found = comparisons(choice, results)
    difference = found.difference.map(points) + " ± " + found.error.map("{:.2f}".format)
    columns = {
        "set": titles(found),
        "ovr": found.ovr.map("{:.2f}".format),
        "ovo": found.ovo.map("{:.2f}".format),
        "difference": difference.mask(found.is_clear, "**" + difference + "**"),
    }
    return table(columns, f"Test error in percent, {CHOICES[choice]}")


def multiclass_summary(results):
    """A row for each choice of parameters: differences over all sets."""
    rows = []
    for choice, title in CHOICES.items():
        found = comparisons(choice, results)
        difference, clear = found.difference, found.difference[found.is_clear]
        ends = difference.idxmin(), difference.idxmax()
        lowest, highest = (f"{points(difference[n])} ({SETS[n].title})" for n in ends)
        middle = f"{points(difference.mean())}, {points(difference.median())}"
        better = count((clear < 0).sum()), count((clear > 0).sum())
        rows.append([title, middle, *better, lowest, highest])
    header = ["parameters", "mean, median", "ovo better", "ovr better", "lowest", "highest"]
    title = f"Error of ovo minus error of ovr, in points, {len(found)} sets"
    return list_table(header, rows, title)


def _most_frequent(form, tuned):
    """Return the parameters that were found most often."""
    chosen = [run[form]["params"] for run in tuned]
    return ", ".join(f"{value:g}" for value in max(chosen, key=chosen.count).values())


def multiclass_sets(results):
    """A row for each set: its size and the parameters that were found most often."""
    of_set = runs_of("tuned", results).groupby("set", sort=False)
    columns = {
        "set": titles(of_set.size()),
        "classes": of_set.n_classes.first().map(count),
        "samples": of_set.n_train.first().map(count),
        "splits": of_set.size().map(count),
        **{form: of_set.tuned.agg(partial(_most_frequent, form)) for form in FORMS},
    }
    return table(columns, {"Training samples": 3, "C and gamma": 2})


def multiclass_times(results):
    """A row for each set: times of ovr, and of ovo divided by those of ovr."""
    timed = {}
    for choice in CHOICES:
        runs = runs_of(choice, results, "multiclass_times")
        for field in ("fit_seconds", "predict_seconds"):
            ovr, ovo = (runs[f"{form}.{field}"].map(median) for form in FORMS)
            timed.setdefault("ovr", ovr.groupby(runs["set"]).median())
            timed[f"{choice}_{field}"] = (ovo / ovr).groupby(runs["set"]).median()
    vectors = runs_of("tuned", results).groupby("set", sort=False)
    vectors = vectors[["ovr.n_vectors", "ovo.n_vectors"]].median()
    found = vectors.join(pd.DataFrame(timed), how="inner")
    rows = []
    for title, (_, of_set) in zip(titles(found), found.iterrows()):
        n_ovr, n_ovo, ovr, *ratios = of_set
        rows.append([title, number(ovr, 1000), *map(times, ratios), count(n_ovr), count(n_ovo)])
    parts = {
        "Time of ovo divided by that of ovr, tuned": 3,
        "Time of ovo divided by that of ovr, defaults": 2,
        "Support vectors, tuned": 2,
    }
    header = ["set", "fit, ovr, ms", "fit", "predict", "fit", "predict", *FORMS]
    return list_table(header, rows, parts)


def multiclass_forest(results):
    """A row for each number of samples and threads: times and errors of LASVC and its peer."""
    found, rows = frame("multiclass_forest", results), []
    shown = {"fit (s)": "fit_seconds", "predict (s)": "predict_seconds", "error (%)": "error"}
    for n_train, threads in FOREST:
        of = where(found, n_train=n_train, threads=threads)
        row = {"samples": count(n_train), "threads": count(threads)}
        for title, field in shown.items():
            for model, name in FOREST_MODELS.items():
                value = frames.median(of, field, model=model)
                row[f"{title}, {name}"] = number(value, 100 if field == "error" else 1)
        rows.append(row)
    return table(rows)


def multiclass_stream(results):
    """Errors along a stream of letters."""
    return cross(
        frames.points(frame("multiclass_stream", results), "points", "form"),
        ("form", FORMS),
        ("n_seen", {n: count(n) for n in SHOWN}),
        "error",
        lambda error: f"{100 * error:.1f}",
        "Test error in percent after so many letters",
        middle=frames.mean,
    )


def _stored(settings):
    """Cases for the sets that were tuned, with the parameters of their first splits."""
    runs = runs_of("tuned", settings.results).groupby("set", sort=False)
    cases = []
    for name, of in runs:
        tuned = [{form: run[form]["params"] for form in FORMS} for run in of.tuned[:N_TIMED]]
        cases.append(({"set": name}, {"set": name, "tuned": tuned}))
    return cases


STUDY = Study(
    steps={
        "multiclass_real": step(tune, grid(set=SETS), n_quick=4),
        "multiclass_times": step(measure_times, _stored),
        "multiclass_forest": step(fit_forest, FOREST_RUNS, n_classes=7, limit=1800),
        "multiclass_stream": step(stream, seeded(grid(form=FORMS), 3)),
    },
    tables=named(
        multiclass_summary,
        multiclass_sets,
        multiclass_times,
        multiclass_forest,
        multiclass_stream,
    )
    | {
        **{f"multiclass_errors_{choice}": partial(errors_table, choice) for choice in CHOICES},
    },
)
