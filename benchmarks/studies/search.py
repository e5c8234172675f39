"""Choosing parameters: ProgressiveSearch compared with the exhaustive choice and other searches.

``search_<set>``: a grid of 10 x 10 for LASVC, by our search; ``peers_<set>``: by others.
``curves_<set>``: all pairs of the grid, for the exhaustive choice and random ones (minutes).
``exhaustive_<table>``: the exhaustive choice on tables that are newer than the rules of the
search. ``fresh_<table>``: our search, compared with it. ``fresh_peers_<table>``: the searches of
others, in the time that ours took. Each needs the stored results of the one before.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, clone, is_classifier, is_regressor
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.metrics import get_scorer, zero_one_loss
from sklearn.model_selection import GridSearchCV, HalvingGridSearchCV, ParameterGrid, check_cv

from sklearn_online_svm import LASVC
from sklearn_online_svm.model_selection import ProgressiveSearch

from ..bench.frames import frame, where
from ..bench.measure import processor_seconds
from ..bench.plots import panels, plain_log, save
from ..bench.rst import count, points, seconds, table
from ..bench.study import Study, grid, named, seeded, step
from ..sets.search import FRESH, METRICS, SETS

# Seeds of our search. The searches of others take longer and have one seed, except on `FRESH`.
N_SEEDS = 3
# Seconds that a search of others may take, and the sets on which all pairs have five folds, too.
LIMIT, SMALL = 240, ("banana", "spambase", "satimage")
# Title, colour and marker.
SEARCHES = {
    "progressive": ("progressive", "#d55e00", "o"),
    "grid": ("grid, 5 folds", "#cc79a7", "D"),
    "halving": ("halving", "#0072b2", "s"),
    "optuna": ("Optuna", "#009e73", "^"),
    "random": ("50 random pairs", "#555555", "+"),
}
TITLES = {name: title for name, (title, _, _) in SEARCHES.items()}
FRESH_SEARCHES = ("progressive", "halving", "optuna")
FIRST_RUNG, N_TRIALS = 120, 50
# The exhaustive choice gives up a pair after so many seconds, and trains so many of the best pairs
# on all samples.
STOPPED_AFTER, N_FINISHED = 15.0, 25
# Random pairs: how many, and how often they are drawn.
N_PAIRS, N_DRAWS = 50, 400
WHOLE, TENTHS, HUNDREDTHS = "{:.0f}".format, "{:.1f}".format, "{:.2f}".format


def rungs(model, X, y):
    """Train a model on numbers of samples that double, up to all of them; yield it each time."""
    n_doublings = int(np.log2(max(1, len(y) / FIRST_RUNG)))
    begin, classes = 0, np.unique(y)
    for k in range(n_doublings, -1, -1):
        end = round(len(y) / 2**k)
        yield model.partial_fit(X[begin:end], y[begin:end], classes=classes)
        begin = end


def held_out(X, y):
    """Return training samples and labels, and a quarter that is held out."""
    n = len(y) - len(y) // 4
    return X[:n], y[:n], X[n:], y[n:]


def rung_scores(model, X, y):
    """Yield scores on held-out samples."""
    X, y, X_held, y_held = held_out(X, y)
    for trained in rungs(model, X, y):
        yield trained.score(X_held, y_held)


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
    limits: dict

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
        study.optimize(objective, **self.limits)
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


def search_set(work, search, seed=0, quick=False):
    """Fit a search on a set."""
    split, grid = SETS[work].load(seed, quick), SETS[work].grid(quick)
    model = LASVC(random_state=seed)
    searching = {
        "progressive": ProgressiveSearch(model, grid, random_state=seed),
        "grid": GridSearchCV(model, grid, cv=5),
        "halving": HalvingGridSearchCV(model, grid, cv=5, random_state=seed),
        "optuna": OptunaSearch(model, grid, rung_scores, seed, {"n_trials": N_TRIALS}),
    }[search]
    found = measured(searching, model, split)
    if search == "progressive":
        found["one_fit_seconds"] = one_fit(model, found, split)
    predicted = searching.best_estimator_.predict(split.X_test)
    return found | {"error": zero_one_loss(split.y_test, predicted)}


def record_curves(work, seed=0, quick=False):
    """All pairs: errors on a held-out quarter, and the best ones on all samples."""
    split, pairs, best = SETS[work].load(seed, quick), [], []
    X, y, X_held, y_held = held_out(split.X_train, split.y_train)
    for number, params in enumerate(ParameterGrid(SETS[work].grid(quick))):
        model, start = LASVC(**params), time.process_time()
        for _ in rungs(model, X, y):
            trained = time.process_time() - start
            if trained > STOPPED_AFTER:
                break
        error = zero_one_loss(y_held, model.predict(X_held))
        pairs.append({**params, "seconds": time.process_time() - start})
        if model.n_samples_seen_ == len(y):
            pairs[-1]["held_out_error"] = round(error, 6)
            best = sorted([*best, (error, number, model, trained)], key=lambda b: b[:2])
            del best[N_FINISHED:]
    for _, number, model, trained in best:
        start = time.process_time()
        model.partial_fit(X_held, y_held).finish()
        pairs[number]["fit_seconds"] = trained + time.process_time() - start
        pairs[number]["error"] = zero_one_loss(split.y_test, model.predict(split.X_test))
    return {"seconds": sum(pair["seconds"] for pair in pairs), "pairs": pairs}


def search_table(work, search="grid", before=None, seed=0, quick=False):
    """Fit a search on a table; `before`: fields of what was measured before."""
    case = FRESH[work]
    split, model = case.load(seed, quick), case.model()
    y, grid, scoring = split.y_train, case.grid(quick), case.scoring
    if search == "progressive":
        searching = ProgressiveSearch(model, grid, scoring=scoring, random_state=seed)
    elif search == "halving":
        options = dict(cv=3, min_resources=first_rung(model, y), random_state=seed)
        searching = HalvingGridSearchCV(model, grid, scoring=scoring, **options)
    elif search == "optuna":
        scores = partial(fold_scores, scoring)
        searching = OptunaSearch(model, grid, scores, seed, {"timeout": before["seconds"]})
    else:
        searching = GridSearchCV(model, grid, scoring=scoring, cv=3)
    found = measured(searching, model, split)
    best = searching.best_estimator_
    found["score"] = float(get_scorer(scoring)(best, split.X_test, split.y_test))
    if search == "progressive":
        found["cost"] = float(searching.cost_)
        found["one_fit_seconds"] = one_fit(model, found, split)
        exhaustive = clone(model).set_params(**before).fit(split.X_train, y)
        found["standard_error"] = case.standard_error(best, exhaustive, split)
    elif search == "grid":
        # A score for each pair; gamma changes first.
        found["mean_test_scores"] = searching.cv_results_["mean_test_score"].round(6).tolist()
    return found


def chosen(pairs):
    """Return the pair with the smallest error on the held-out samples."""
    ended = [pair for pair in pairs if "error" in pair]
    return min(ended, key=lambda pair: pair["held_out_error"]) if ended else None


def _random(work, pairs):
    """Return a row for the best one of random pairs, for many draws."""
    rng, found = np.random.default_rng(0), []
    for _ in range(N_DRAWS if len(pairs) >= N_PAIRS else 0):
        drawn = [pairs[k] for k in rng.choice(len(pairs), N_PAIRS, replace=False)]
        winner = chosen(drawn)
        if winner is not None:
            cost = sum(pair["seconds"] for pair in drawn) / winner["fit_seconds"] + 1
            found.append(dict(work=work, search="random", error=winner["error"], cost=cost))
    return found


def regrets(results):
    """Return a row for each set and run of a search: its regret in points, its cost in fits.

    The regret is the test error minus that of the exhaustive choice, whose time the row has, too.
    """
    runs = frame([f"{of}_{name}" for name in SETS for of in ("search", "peers")], results)
    curves = frame([f"curves_{name}" for name in SETS], results)
    random = [row for case in curves.itertuples() for row in _random(case.work, case.pairs)]
    best = pd.DataFrame([chosen(pairs) for pairs in curves.pairs])
    curves = curves.assign(lowest=best.error, exhaustive=curves.seconds + best.fit_seconds)
    ours = where(runs, search="progressive").groupby("work", sort=False)
    ours = ours.agg(one_fit=("one_fit_seconds", "median"), time=("seconds", "median"))
    found = pd.concat([runs, pd.DataFrame(random, columns=["work", "search", "error", "cost"])])
    found = found.merge(curves[["work", "lowest", "exhaustive"]], on="work").merge(ours, on="work")
    in_fits = found.seconds / found.one_fit_seconds.fillna(found.one_fit)
    return found.assign(regret=100 * (found.error - found.lowest), cost=found.cost.fillna(in_fits))


def search_regret(results):
    """Regret and cost of our search."""
    of_set = where(regrets(results), search="progressive").groupby("work", sort=False)
    time, exhaustive = of_set.time.first(), of_set.exhaustive.first()
    columns = {
        "": [SETS[work].title for work in time.index],
        "error": (100 * of_set.error.mean()).map(HUNDREDTHS),
        "regret": of_set.regret.mean().map(points),
        "worst": of_set.regret.max().map(points),
        "cost": of_set.cost.median().map(TENTHS),
        "time": time.map(seconds),
        "times cheaper": (exhaustive / time).map(WHOLE),
    }
    return table(columns, {"Test errors of ProgressiveSearch": 3, "Cost": 3})


def _means(runs, searches, **columns):
    """Return a table of searches: means over the runs on each set, then over the sets."""
    reduce = {field: middle for field, (middle, _) in columns.items()}
    found = runs.groupby(["search", "work"]).agg(reduce).groupby("search").agg(reduce)
    rows = found.reindex(searches).dropna().to_dict("index").items()
    forms = {field: form for field, (_, form) in columns.items()}
    return table([{"": TITLES[s], **{f: forms[f](v) for f, v in row.items()}} for s, row in rows])


def _worst(regret):
    """Return the largest regret; of random pairs, the one that 5 % of the draws exceed."""
    return regret.quantile(0.95 if len(regret) == N_DRAWS else 1.0)


def search_peers(results):
    """Regret and cost of all searches, over the sets that each has finished."""
    runs = regrets(results).assign(worst=lambda runs: runs.regret)
    return _means(
        runs, TITLES, regret=("mean", points), worst=(_worst, points), cost=("median", WHOLE)
    )


def fresh_runs(results):
    """Return a row for each run of a search on a table of `FRESH`, beside the exhaustive choice.

    The regret, in hundredths of the score, is negative where the search has the higher score.
    `fits`: the time in fits of the choice of our search.
    """
    case = ["work", "seed"]
    exhaustive = frame([f"exhaustive_{name}" for name in FRESH], results)
    found = frame([f"fresh_{of}{name}" for name in FRESH for of in ("", "peers_")], results)
    one_fit = where(found, search="progressive")[[*case, "one_fit_seconds"]]
    found = found.drop(columns="one_fit_seconds").merge(one_fit, on=case)
    found = found.merge(exhaustive, on=case, suffixes=("", "_exhaustive"))
    return found.assign(
        regret=100 * (found.score_exhaustive - found.score),
        fits=found.seconds / found.one_fit_seconds,
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
    for name in FRESH_SEARCHES:
        regret = where(found, search=name).groupby("work").regret
        columns[TITLES[name]] = regret.mean().reindex(works).map(points)
        columns[f"{TITLES[name]}, worst"] = regret.max().reindex(works).map(points)
    return table(columns, {"Scores": 6, "Cost": 5, "Regret of each search": 6})


def search_fresh_means(results):
    """Means over the tables of `FRESH` of the regret on each, and medians of the cost."""
    runs = fresh_runs(results).assign(worst=lambda runs: runs.regret)
    columns = dict(regret=("mean", points), worst=("max", points), fits=("median", WHOLE))
    columns["part of the grid search"] = ("median", HUNDREDTHS)
    return _means(runs.rename(columns={"part": [*columns][-1]}), FRESH_SEARCHES, **columns)


def draw_regret(results, folder):
    """Regret by cost: each point is a data set, the mean over its seeds or draws."""
    means = regrets(results).groupby(["search", "work"], sort=False)[["cost", "regret"]].mean()
    figure, ((panel,),) = panels(1, 1, width=8.0, height=4.6)
    for search, (title, colour, marker) in SEARCHES.items():
        if search in means.index:
            of, style = means.loc[search], dict(color=colour, markersize=7, alpha=0.85)
            panel.plot(of.cost, of.regret, marker, label=title, **style)
    panel.axhline(0, color="#555555", linewidth=1, linestyle="--", label="exhaustive choice")
    plain_log(panel.xaxis, subs=(1, 2, 5))
    panel.set_yscale("symlog", linthresh=0.5)
    ticks = (-0.5, 0, 0.5, 1, 2, 5, 10)
    panel.set_yticks(ticks, [f"{tick:g}" for tick in ticks])
    panel.minorticks_off()
    panel.set(xlabel="cost in fits of the winner", ylabel="regret in points of test error")
    panel.legend(frameon=False, fontsize=9)
    save(figure, folder / "search_regret.png")


def _steps_of_set(work):
    limits = {"halving": LIMIT, "optuna": LIMIT} | ({"grid": 4 * LIMIT} if work in SMALL else {})
    peers = [dict(search=name, limit=limit, work=work, seed=0) for name, limit in limits.items()]
    ours = seeded([dict(work=work, search="progressive")], N_SEEDS)
    return {
        f"search_{work}": step(search_set, ours),
        f"peers_{work}": step(search_set, peers),
        f"curves_{work}": step(record_curves, [dict(work=work, seed=0)]),
    }


def _steps_of_fresh(work):
    def after(before, fields, searches):
        """Cases that are given some fields of a step before, of the same seed."""
        cases = seeded(grid(work=[work], search=searches), N_SEEDS)

        def with_fields(settings):
            stored = frame(f"{before}_{work}", settings.results).set_index("seed")[fields]
            stored = stored.to_dict("index")
            asked = [case for case in cases(settings) if case["seed"] in stored]
            return [(case, case | {"before": stored[case["seed"]]}) for case in asked]

        return with_fields

    ours = after("exhaustive", ["C", "gamma"], ["progressive"])
    peers = after("fresh", ["seconds"], ["halving", "optuna"])
    return {
        f"exhaustive_{work}": step(search_table, seeded([dict(work=work)], N_SEEDS)),
        f"fresh_{work}": step(search_table, ours),
        f"fresh_peers_{work}": step(search_table, peers),
    }


STUDY = Study(
    steps={
        **{name: s for work in SETS for name, s in _steps_of_set(work).items()},
        **{name: s for work in FRESH for name, s in _steps_of_fresh(work).items()},
    },
    tables=named(search_fresh, search_fresh_means, search_regret, search_peers),
    figures=[draw_regret],
)
