"""Choosing parameters: ProgressiveSearch compared with the exhaustive choice and other searches.

``exhaustive_<table>``: all pairs of a grid. ``fresh_<table>``: our search, compared with them;
``fresh_peers_<table>``: the searches of others, in the time that ours took. Each needs the stored
results of the one before. ``larger_<set>`` and ``larger_peers_<set>``: the same on larger sets,
without the exhaustive choice.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from sklearn.base import BaseEstimator, clone, is_classifier, is_regressor
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.metrics import get_scorer
from sklearn.model_selection import GridSearchCV, HalvingGridSearchCV, check_cv

from sklearn_online_svm.model_selection import ProgressiveSearch

from ..bench.frames import frame, where
from ..bench.measure import processor_seconds
from ..bench.rst import count, points, seconds, table
from ..bench.study import Study, grid, named, seeded, step
from ..sets.search import FRESH, LARGER, METRICS

N_SEEDS = 3
TABLES = FRESH | LARGER
TITLES = {"progressive": "progressive", "halving": "halving", "optuna": "Optuna"}
WHOLE, TENTHS, HUNDREDTHS = "{:.0f}".format, "{:.1f}".format, "{:.2f}".format


def fold_scores(scoring, model, X, y):
    """Yield the mean score of the first fold, of the first two, and of all three."""
    scorer, found = get_scorer(scoring), []
    for train, test in check_cv(3, y, classifier=is_classifier(model)).split(X, y):
        found.append(scorer(clone(model).fit(X[train], y[train]), X[test], y[test]))
        yield np.mean(found)


@dataclass
class OptunaSearch:
    """Parameters that Optuna finds within the grid's limits: TPE and median pruning.

    `scores` yields estimates of the score of a model; a trial may be pruned after each of them.
    """

    model: BaseEstimator
    grid: dict
    scores: Callable
    seed: int
    timeout: float

    def fit(self, X, y):
        import optuna

        def objective(trial):
            params = {
                name: trial.suggest_float(name, min(values), max(values), log=True)
                for name, values in self.grid.items()
            }
            model = clone(self.model).set_params(**params)
            for number, score in enumerate(self.scores(model, X, y)):
                trial.report(score, number)
                if trial.should_prune():
                    raise optuna.TrialPruned
            return score

        optuna.logging.set_verbosity(optuna.logging.ERROR)
        sampler, pruner = optuna.samplers.TPESampler(seed=self.seed), optuna.pruners.MedianPruner()
        study = optuna.create_study(direction="maximize", sampler=sampler, pruner=pruner)
        study.optimize(objective, timeout=self.timeout)
        self.best_params_ = study.best_params
        self.best_estimator_ = clone(self.model).set_params(**self.best_params_).fit(X, y)
        return self


def first_rung(model, y):
    """Return the samples of the first of four rungs, a 27th part; they cost about as many fits as
    our search may. There are fewer rungs if it would have less than ten of the rarest class."""
    rarest = np.unique(y, return_counts=True)[1].min() if is_classifier(model) else len(y)
    return len(y) // 3 ** max((k for k in range(1, 4) if rarest / 3**k >= 10), default=0)


def measured(searching, model, split):
    """Fit a search; return its parameters and processor time."""
    # What is loaded on first use is no part of the time.
    model.fit(split.X_train[:60], np.arange(60) / 60 if is_regressor(model) else np.arange(60) % 2)
    _, spent = processor_seconds(lambda: searching.fit(split.X_train, split.y_train))
    best = {name: float(value) for name, value in searching.best_params_.items()}
    return best | {"seconds": spent}


def one_fit(model, found, split):
    """Return the processor time of a fit, the shortest of three."""
    model = clone(model).set_params(C=found["C"], gamma=found["gamma"])
    return processor_seconds(lambda: model.fit(split.X_train, split.y_train), 3)[1]


def search_table(work, search="grid", before=None, seed=0, quick=False):
    """Fit a search on a table; `before`: fields of what was measured before."""
    case = TABLES[work]
    split, model = case.load(seed, quick), case.model()
    y, grid, scoring = split.y_train, case.grid(quick), case.scoring
    if search == "progressive":
        searching = ProgressiveSearch(model, grid, scoring=scoring, random_state=seed)
    elif search == "halving":
        options = dict(cv=3, min_resources=first_rung(model, y), random_state=seed)
        searching = HalvingGridSearchCV(model, grid, scoring=scoring, **options)
    elif search == "optuna":
        scores = partial(fold_scores, scoring)
        searching = OptunaSearch(model, grid, scores, seed, before["seconds"])
    else:
        searching = GridSearchCV(model, grid, scoring=scoring, cv=3)
    found = measured(searching, model, split)
    best = searching.best_estimator_
    found["score"] = float(get_scorer(scoring)(best, split.X_test, split.y_test))
    if search == "progressive":
        found["cost"] = float(searching.cost_)
        found["one_fit_seconds"] = one_fit(model, found, split)
        if before is not None:
            exhaustive = clone(model).set_params(**before).fit(split.X_train, y)
            found["standard_error"] = case.standard_error(best, exhaustive, split)
    elif search == "grid":
        # A score for each pair; gamma changes first.
        found["mean_test_scores"] = searching.cv_results_["mean_test_score"].round(6).tolist()
    return found


def _in_fits(runs):
    """Add the time of runs in fits of the choice of our search."""
    one_fit = where(runs, search="progressive")[["work", "seed", "one_fit_seconds"]]
    runs = runs.drop(columns="one_fit_seconds").merge(one_fit, on=["work", "seed"])
    return runs.assign(fits=runs.seconds / runs.one_fit_seconds)


def fresh_runs(results):
    """Return a row for each run of a search on a table of `FRESH`, beside the exhaustive choice.

    The regret, in hundredths of the score, is negative where the search has the higher score.
    """
    exhaustive = frame([f"exhaustive_{name}" for name in FRESH], results)
    runs = frame([f"fresh_{of}{name}" for name in FRESH for of in ("", "peers_")], results)
    found = _in_fits(runs)
    found = found.merge(exhaustive, on=["work", "seed"], suffixes=("", "_exhaustive"))
    return found.assign(
        regret=100 * (found.score_exhaustive - found.score),
        part=found.seconds / found.seconds_exhaustive,
    )


def search_fresh(results):
    """Scores, regrets and costs on the tables of `FRESH`, and the regrets of other searches."""
    found = fresh_runs(results)
    ours = where(found, search="progressive").groupby("work", sort=False)
    works = ours.size().index
    tables = [FRESH[work] for work in works]
    columns = {
        "": [table.title for table in tables],
        "metric": [METRICS[table.scoring][0] for table in tables],
        "size": [f"{count(table.n_train)} × {table.n_features}" for table in tables],
        "exhaustive": (100 * ours.score_exhaustive.mean().abs()).map(TENTHS),
        "regret": ours.regret.mean().map(points),
        "worst": ours.regret.max().map(points),
        "±": (100 * ours.standard_error.mean()).map(HUNDREDTHS),
        "fits": ours.fits.median().map(TENTHS),
        "largest": ours.fits.max().map(TENTHS),
        "one fit": ours.one_fit_seconds.median().map(seconds),
        "grid search": ours.seconds_exhaustive.median().map(seconds),
        "part of it": ours.part.median().map(HUNDREDTHS),
    }
    for name in TITLES:
        regret = where(found, search=name).groupby("work").regret
        columns[TITLES[name]] = regret.mean().reindex(works).map(points)
        columns[f"{TITLES[name]}, worst"] = regret.max().reindex(works).map(points)
    return table(columns, {"Scores": 6, "Cost": 5, "Regret of each search": 6})


def search_fresh_means(results):
    """Means over the tables of `FRESH` of the regret on each, and medians of the cost."""
    runs = fresh_runs(results).assign(worst=lambda runs: runs.regret)
    columns = dict(regret=("mean", points), worst=("max", points), fits=("median", WHOLE))
    columns["part"] = ("median", HUNDREDTHS)
    reduce = {field: middle for field, (middle, _) in columns.items()}
    means = runs.groupby(["search", "work"]).agg(reduce).groupby("search").agg(reduce)
    means = means.reindex(TITLES).dropna()
    found = {"": [TITLES[search] for search in means.index]}
    found |= {field: means[field].map(form) for field, (_, form) in columns.items()}
    found["part of the grid search"] = found.pop("part")
    return table(found)


def search_larger(results):
    """Test errors and times of each search on `LARGER`."""
    found = frame([f"larger_{of}{name}" for name in LARGER for of in ("", "peers_")], results)
    found = _in_fits(found)
    ours = where(found, search="progressive").groupby("work", sort=False)
    works = ours.size().index
    columns = {
        "": [LARGER[work].title for work in works],
        "size": [f"{count(LARGER[w].n_train)} × {LARGER[w].n_features}" for w in works],
        "one fit": ours.one_fit_seconds.median().map(seconds),
    }
    for search, title in TITLES.items():
        of_set = where(found, search=search).groupby("work")
        columns[title] = (100 * (1 - of_set.score.mean())).reindex(works).map(HUNDREDTHS)
    for search, title in TITLES.items():
        fits = where(found, search=search).groupby("work").fits.median()
        columns[f"{title}, fits"] = fits.reindex(works).map(WHOLE)
    return table(columns, {"Data": 2, "Test error in %": 3, "Time in fits": 3})


def _after(before, work, searches, fields):
    """Return cases that are given some fields of a step before, of the same seed."""
    cases = seeded(grid(work=[work], search=searches), N_SEEDS)

    def with_fields(settings):
        stored = frame(f"{before}_{work}", settings.results).set_index("seed")[fields]
        stored = stored.to_dict("index")
        asked = [case for case in cases(settings) if case["seed"] in stored]
        return [(case, case | {"before": stored[case["seed"]]}) for case in asked]

    return with_fields


def _steps_of_fresh(work):
    ours = _after("exhaustive", work, ["progressive"], ["C", "gamma"])
    peers = _after("fresh", work, ["halving", "optuna"], ["seconds"])
    return {
        f"exhaustive_{work}": step(search_table, seeded([dict(work=work)], N_SEEDS)),
        f"fresh_{work}": step(search_table, ours),
        f"fresh_peers_{work}": step(search_table, peers),
    }


def _steps_of_larger(work):
    ours = seeded([dict(work=work, search="progressive")], N_SEEDS)
    peers = _after("larger", work, ["halving", "optuna"], ["seconds"])
    return {
        f"larger_{work}": step(search_table, ours),
        f"larger_peers_{work}": step(search_table, peers),
    }


STUDY = Study(
    steps={
        **{name: s for work in FRESH for name, s in _steps_of_fresh(work).items()},
        **{name: s for work in LARGER for name, s in _steps_of_larger(work).items()},
    },
    tables=named(search_fresh, search_fresh_means, search_larger),
)
