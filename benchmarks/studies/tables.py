"""Tables: a learned kernel metric compared with gradient boosting."""

import contextlib
from functools import partial

import numpy as np
import pandas as pd
from scipy.stats import loguniform, randint
from sklearn.base import BaseEstimator
from sklearn.compose import (
    TransformedTargetRegressor,
    make_column_selector,
    make_column_transformer,
)
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.model_selection import RandomizedSearchCV, ShuffleSplit, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC, SVR

from sklearn_online_svm import LASVC, LASVR, KernelMetric
from sklearn_online_svm.model_selection import ProgressiveSearch

from ..bench.frames import frame, means, unnest, values
from ..bench.measure import processor_seconds
from ..bench.plots import legend_below, panels, plain_log, save
from ..bench.results import NoResults
from ..bench.rst import count, joined, list_table, number, percent, points, text_table, times
from ..bench.study import Study, grid, named, seeded, step
from ..sets.tables import CHOSEN, CLASSES, HELD_BACK, N_QUICK, REGRESSION, TABLES
from ..sets.workloads import Split

# Seconds of a model, and of a search.
LIMIT, SEARCH_LIMIT = 1800, 14_400
# Suffixes of the names of steps.
HALVES = {"": "Tables to choose on", "_held": "Tables held back"}
OURS = ["metric", "without", "lasvm"]
PEERS = ["boosting", "lightgbm", "catboost", "xrfm"]
TITLES = {
    "svm": "SVM",
    "metric": "metric",
    "without": "without",
    "lasvm": "rbf",
    "boosting": "boosting",
    "lightgbm": "LightGBM",
    "catboost": "CatBoost",
    "xrfm": "xRFM",
}
LASVM = {CLASSES: LASVC, REGRESSION: LASVR}
BOOSTING = {CLASSES: HistGradientBoostingClassifier, REGRESSION: HistGradientBoostingRegressor}
# Parameters that are searched.
CS, GAMMAS = [1, 4, 16, 64], [0.25, 0.5, 1, 2]
OF_BOOSTING = {
    "learning_rate": loguniform(0.01, 0.3),
    "max_iter": randint(300, 1001),
    "max_leaf_nodes": randint(8, 64),
    "min_samples_leaf": randint(5, 61),
    "l2_regularization": loguniform(1e-3, 10),
}
# Generated tables: numbers of samples and of features, and the noise of targets of variance 1.
N_TRAIN, N_TEST = 2000, 4000
N_RELEVANT, N_FEATURES, NOISE = 5, 50, 0.3
FUNCTIONS = {
    "friedman": lambda U: (
        10 * np.sin(np.pi * U[0] * U[1]) + 20 * (U[2] - 0.5) ** 2 + 10 * U[3] + 5 * U[4]
    ),
    "smooth": lambda U: np.sin(4 * (U[0] + U[1])) + np.cos(4 * (U[2] - U[3])) + 2 * U[4],
    "steps": lambda U: (
        2 * (U[0] > 0.5) * (U[1] > 0.3) + (U[2] > 0.6) + 1.5 * (U[3] > 0.4) * (U[4] > 0.5)
    ),
}


def make_table(function, kind, n_features, seed, quick=False):
    """Return a `Split`, and the indices of the relevant features.

    The classes are values above the median and others.
    """
    rng = np.random.default_rng(seed)
    n, n_test = (N_QUICK, N_QUICK) if quick else (N_TRAIN, N_TEST)
    X = rng.uniform(size=(n + n_test, n_features))
    relevant = rng.choice(n_features, N_RELEVANT, replace=False)
    value = FUNCTIONS[function](X[:, relevant].T)
    if kind == CLASSES:
        y = (value > np.median(value)).astype(int)
    else:
        y = value / value.std() + NOISE * rng.normal(size=len(value))
    return Split(X[:n], y[:n], X[n:], y[n:]), relevant


class XRFM(BaseEstimator):
    """xRFM, which needs samples to choose its iteration on: a fifth of the training samples."""

    def __init__(self, seed=0):
        self.seed = seed

    def fit(self, X, y):
        from xrfm import xRFM

        X, X_held, y, y_held = train_test_split(X, y, test_size=0.2, random_state=self.seed)
        self.model_ = xRFM(n_threads=1, random_state=self.seed, verbose=False)
        self.model_.fit(X, y, X_held, y_held)
        return self

    def predict(self, X):
        return self.model_.predict(X)


def _encoded(model):
    """Return the model behind indicators of categories, and standardized numbers."""
    indicators = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    is_category = make_column_selector(dtype_include="category")
    columns = make_column_transformer((indicators, is_category), remainder=StandardScaler())
    return make_pipeline(columns, model)


def _with_metric(kind, seed, **options):
    machine = LASVM[kind](kernel="laplacian", gamma=1.0, C=8, random_state=seed)
    return make_pipeline(KernelMetric(random_state=seed, **options), machine)


def _scaled(model, kind):
    """Return the model, of regression for a standardized target."""
    if kind == CLASSES:
        return model
    return TransformedTargetRegressor(model, transformer=StandardScaler())


def make_model(name, kind, seed, X):
    """Return a model at its defaults, for tables like X."""
    is_classifier = kind == CLASSES
    match name:
        case "boosting":
            return BOOSTING[kind](categorical_features="from_dtype", random_state=seed)
        case "lightgbm":
            import lightgbm

            make = lightgbm.LGBMClassifier if is_classifier else lightgbm.LGBMRegressor
            return make(n_jobs=1, random_state=seed, verbosity=-1)
        case "catboost":
            import catboost

            make = catboost.CatBoostClassifier if is_classifier else catboost.CatBoostRegressor
            fixed = dict(thread_count=1, allow_writing_files=False, verbose=False)
            return make(cat_features=[*X.select_dtypes("category")], random_seed=seed, **fixed)
        case "xrfm":
            import xrfm  # noqa: F401 - the time of the import is not that of the fit

            return _scaled(_encoded(XRFM(seed)), kind)
        case "metric":
            return _scaled(_with_metric(kind, seed), kind)
        case "without":
            return _scaled(_with_metric(kind, seed, shrinkage=np.inf), kind)
        case "lasvm":
            return _scaled(_encoded(LASVM[kind](random_state=seed)), kind)
        case "svm":
            machine = SVC() if is_classifier else SVR()
            return _scaled(make_pipeline(StandardScaler(), machine), kind)


def make_search(name, kind, seed, quick):
    """Return a search for the parameters of a model."""
    if name == "metric":
        machine = LASVM[kind].__name__.lower()
        parameters = {f"{machine}__C": CS, f"{machine}__gamma": GAMMAS}
        search = ProgressiveSearch(_with_metric(kind, seed), parameters, random_state=seed)
        return _scaled(search, kind)
    model = make_model(name, kind, seed, None)
    search = dict(n_iter=2 if quick else 30, cv=ShuffleSplit(1, test_size=0.25, random_state=seed))
    return RandomizedSearchCV(model, OF_BOOSTING, **search, random_state=seed)


def error_of(kind, y, predicted):
    """Return the share of wrong predictions, or of the variance that is not explained."""
    if kind == CLASSES:
        return float(np.mean(np.ravel(predicted) != y))
    return float(np.mean((y - predicted) ** 2) / np.var(y))


def fit_table(table, model, seed=0, quick=False, in_order=False, tuned=False):
    """Fit a model to a table, with samples at random or in order of time; short fits three times.

    The first one loads modules.
    """
    kind, split = TABLES[table].kind, TABLES[table].load(seed, quick, in_order)
    if tuned:
        model = make_search(model, kind, seed, quick)
    else:
        model = make_model(model, kind, seed, split.X_train)
    fit_seconds = []
    while sum(fit_seconds) < 1 and len(fit_seconds) < 3:
        fit_seconds.append(processor_seconds(lambda: model.fit(split.X_train, split.y_train))[1])
    predicted, predict_seconds = processor_seconds(lambda: model.predict(split.X_test))
    return {
        "n_train": len(split.y_train),
        "n_test": len(split.y_test),
        "n_features": split.X_train.shape[1],
        "n_categorical": split.X_train.select_dtypes("category").shape[1],
        "fit_seconds": fit_seconds,
        "predict_seconds": [predict_seconds],
        "error": error_of(kind, split.y_test, predicted),
    }


def add_irrelevant(function, kind, seed=0, quick=False):
    """Return errors by the number of features, of which five are relevant."""
    points = []
    for n_features in (N_RELEVANT, N_FEATURES) if quick else (5, 10, 20, 50, 100):
        split, _ = make_table(function, kind, n_features, seed, quick)
        point = {"n_features": n_features}
        for name in ("metric", "without", "boosting", "svm"):
            model = make_model(name, kind, seed, split.X_train)
            model.fit(split.X_train, split.y_train)
            point[name] = error_of(kind, split.y_test, model.predict(split.X_test))
        points.append(point)
    return {"points": points}


def find_relevant(function, kind, quick=False):
    """Return the share of relevant features among those with the largest widths."""
    shares, seeds = [], range(1 if quick else 30)
    for seed in seeds:
        split, relevant = make_table(function, kind, N_FEATURES, seed, quick)
        metric = KernelMetric(random_state=seed).fit(split.X_train, split.y_train)
        largest = np.argsort(metric.widths_)[-N_RELEVANT:]
        shares.append(float(np.isin(largest, relevant).mean()))
    return {"seeds": [*seeds], "share": float(np.mean(shares)), "shares": shares}


def _frame(step, results, halves=HALVES):
    steps = [f"tables_{step}{half}{peers}" for half in halves for peers in ("", "_peers")]
    found = frame(steps, results)
    return found.assign(seconds=values(found, "fit_seconds"))


def _halves(step, results):
    """Yield the title of each half of the tables, and what was measured on it."""
    for half, title in HALVES.items():
        with contextlib.suppress(NoResults):
            yield title, _frame(step, results, [half])


def _by_model(found, field):
    """Return means by table and model, without those of which nothing was measured."""
    wide = means(found, "table", "model")[field].unstack("model")
    return wide.reindex(index=TABLES, columns=TITLES).dropna(how="all").dropna(axis=1, how="all")


def _percents(found):
    return found.map(partial(percent, digits=1), na_action="ignore")


def lines(results, step):
    """Write a line for each table: sizes, errors, times of fits."""
    tables = []
    for title, found in _halves(step, results):
        errors, seconds = _by_model(found, "error"), _by_model(found, "seconds")
        sizes = found.groupby("table")[["n_train", "n_features", "n_categorical"]].first()
        sizes = sizes.map(count).set_axis(["samples", "features", "categorical"], axis=1)
        sizes[""] = [TABLES[name].kind for name in sizes.index]
        seconds = seconds.map(number, na_action="ignore")
        cells = pd.concat([sizes.loc[errors.index], _percents(errors), seconds], axis=1)
        parts = {title: 4, f"{title}: errors": errors.shape[1]}
        parts[f"{title}: time of fit, seconds"] = seconds.shape[1]
        tables.append(text_table(cells.rename(columns=TITLES), parts=parts))
    return joined(tables)


def summary(results, step):
    """Write wins and losses of the metric, means over tables, and ratios of times of fits."""
    tables = []
    for title, found in _halves(step, results):
        errors, seconds = _by_model(found, "error"), _by_model(found, "seconds")
        rows = []
        for model in errors.columns.drop("metric"):
            above = 100 * (errors["metric"] - errors[model]).dropna()
            ratio = np.exp(np.log(seconds[model] / seconds["metric"]).mean())
            better = f"{(above < 0).sum()} : {(above > 0).sum()}"
            lost = points(above.mean()), points(above.max())
            rows.append([TITLES[model], better, *lost, times(ratio)])
        header = ["", "better : worse", "mean difference", "worst", "times as fast"]
        title = f"{title}: the metric compared with other models"
        tables.append(list_table(header, rows, title))
    return joined(tables)


def tables_time(results):
    """Write errors of a random split and of one in the order of time."""
    steps = ("untuned", "time")
    at_random, ordered = (_percents(_by_model(_frame(s, results), "error")) for s in steps)
    names = [name for name, table in TABLES.items() if table.time]
    cells = (at_random + " / " + ordered).reindex(index=names, columns=[*OURS, *PEERS])
    return text_table(
        cells.rename(columns=TITLES), parts="Errors: random split / in order of time"
    )


def _errors(results):
    """Return mean errors on generated tables, by function, kind and number of features."""
    found = unnest(frame("tables_irrelevant", results), "points", "function", "kind")
    return means(found, "function", "kind", "n_features")


def tables_irrelevant(results):
    """Write errors without and with irrelevant features, and shares of relevant features found."""
    errors, shares = _errors(results), frame("tables_relevant", results)
    few, many = (_percents(errors.xs(n, level=2)) for n in (N_RELEVANT, N_FEATURES))
    cells = few + " / " + many
    cells = cells[[name for name in TITLES if name in cells]].rename(columns=TITLES)
    cells["relevant found"] = [percent(share, 0) for share in shares["share"]]
    cells.index = [f"{function}, {kind}" for function, kind in cells.index]
    return text_table(cells, parts=f"Errors with {N_RELEVANT} / {N_FEATURES} features")


def draw_irrelevant(results, folder):
    """Draw errors of classes by the number of features, a panel for each function."""
    styles = {
        "svm": ("#8b949e", "s", "SVC"),
        "boosting": ("#d55e00", "^", "boosting"),
        "without": ("#56b4e9", "o", "laplacian, without the metric"),
        "metric": ("#0072b2", "o", "laplacian, with the metric"),
    }
    errors = _errors(results).xs(CLASSES, level="kind")
    functions = errors.index.unique("function")
    figure, (axes,) = panels(1, len(functions), width=3.4)
    for axis, function in zip(axes, functions):
        of = 100 * errors.loc[function]
        for model, (colour, marker, label) in styles.items():
            style = dict(color=colour, markersize=5, label=label)
            axis.plot(of.index, of[model], f"{marker}-", **style)
        axis.set_title(f"{function}, test error (%)", loc="left", fontsize=10)
        axis.set(xlabel=f"features, of which {N_RELEVANT} are relevant", ylim=(0, None))
        plain_log(axis.xaxis, (1, 2, 5))
    legend_below(figure, axes, len(styles))
    save(figure, folder / "tables_irrelevant.png")


def _fits(tables, models, limit=LIMIT, **fixed):
    cases = seeded(grid(table=tables, model=models))
    return step(fit_table, cases, n_quick=1, limit=limit, **fixed)


def _of_half(suffix, tables, to_tune):
    """Return the steps of a half of the tables."""
    ordered = [name for name in tables if TABLES[name].time]
    search = dict(tuned=True, limit=SEARCH_LIMIT)
    return {
        f"tables_untuned{suffix}": _fits(tables, OURS),
        f"tables_untuned{suffix}_peers": _fits(tables, PEERS),
        f"tables_time{suffix}": _fits(ordered, OURS + PEERS, in_order=True),
        f"tables_tuned{suffix}": _fits(to_tune, ["metric"], **search),
        f"tables_tuned{suffix}_peers": _fits(to_tune, ["boosting"], **search),
    }


GENERATED = grid(function=FUNCTIONS, kind=[CLASSES, REGRESSION])
STUDY = Study(
    steps={
        **_of_half("", CHOSEN, CHOSEN[::2]),
        **_of_half("_held", HELD_BACK, HELD_BACK[1::2]),
        "tables_irrelevant": step(add_irrelevant, seeded(GENERATED), n_quick=1),
        "tables_relevant": step(find_relevant, GENERATED, n_quick=1),
    },
    tables=named(tables_time, tables_irrelevant)
    | {
        "tables": partial(lines, step="untuned"),
        "tables_summary": partial(summary, step="untuned"),
        "tables_tuned": partial(lines, step="tuned"),
        "tables_tuned_summary": partial(summary, step="tuned"),
    },
    figures=[draw_irrelevant],
)
