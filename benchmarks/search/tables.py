"""Tables of `search`."""

from statistics import mean, median

import numpy as np

from ..bench.rst import count, pivot, seconds
from ..bench.summary import Records, stored_records
from .fresh import FRESH
from .models import SEARCHES
from .sets import SETS
from .unseen import UNSEEN

# Random pairs: how many, and how often they are drawn.
N_PAIRS, N_DRAWS = 50, 400
METRICS = {
    "accuracy": "accuracy",
    "f1": "f1",
    "roc_auc": "AUC",
    "neg_log_loss": "log-loss",
    "r2": "R²",
}


def _ok(step, results):
    return stored_records(step, results).ok()


def chosen(pairs):
    """The pair with the smallest error on the held-out samples."""
    ended = [pair for pair in pairs if "error" in pair]
    return min(ended, key=lambda pair: pair["held_out_error"]) if ended else None


def regrets(work, results):
    """Regret in points and cost in fits of the winner, as lists by name of the search.

    The regret is the test error minus that of the exhaustive choice.
    """
    curves = _ok(f"curves_{work}", results).records
    if not curves:
        return {}
    pairs = curves[0]["pairs"]
    lowest, found = chosen(pairs)["error"], {}
    ours = _ok(f"search_{work}", results)
    one_fit = ours.median("one_fit_seconds") or float("nan")
    for record in [*ours.records, *_ok(f"peers_{work}", results).records]:
        cost = record["seconds"] / record.get("one_fit_seconds", one_fit)
        regret = 100 * (record["error"] - lowest)
        found.setdefault(record["search"], []).append((regret, cost))
    rng = np.random.default_rng(0)
    for _ in range(N_DRAWS if len(pairs) >= N_PAIRS else 0):
        drawn = [pairs[k] for k in rng.choice(len(pairs), N_PAIRS, replace=False)]
        winner = chosen(drawn)
        if winner is not None:
            cost = sum(pair["seconds"] for pair in drawn) / winner["fit_seconds"] + 1
            found.setdefault("random", []).append((100 * (winner["error"] - lowest), cost))
    return found


def times_cheaper(work, results):
    """Time of the exhaustive choice, its last fit included, by that of our search."""
    curves = _ok(f"curves_{work}", results).records[0]
    exhaustive = curves["seconds"] + chosen(curves["pairs"])["fit_seconds"]
    return exhaustive / _ok(f"search_{work}", results).median("seconds")


def searched(results):
    """Regrets by set, for the sets with results of our search and of the exhaustive choice."""
    found = {work: regrets(work, results) for work in SETS}
    return {work: each for work, each in found.items() if "progressive" in each}


def points(value):
    return f"{value + 0.0:+.2f}"


def regret_table(results):
    """Regret and cost of our search."""
    found = {work: list(zip(*each["progressive"])) for work, each in searched(results).items()}
    ours = {work: _ok(f"search_{work}", results) for work in found}
    name = ("", lambda work: SETS[work].title)
    errors = [
        ("error", lambda work: f"{100 * mean(ours[work].values('error')):.2f}"),
        ("regret", lambda work: points(mean(found[work][0]))),
        ("worst", lambda work: points(max(found[work][0]))),
    ]
    costs = [
        ("cost", lambda work: f"{median(found[work][1]):.1f}"),
        ("time", lambda work: seconds(ours[work].median("seconds"))),
        ("times cheaper", lambda work: f"{times_cheaper(work, results):.0f}"),
    ]
    return pivot(
        found, [name, *errors, *costs], {"Test errors of ProgressiveSearch": 3, "Cost": 3}
    )


def peers_table(results):
    """Regret and cost of all searches, over the sets that each has finished."""
    works = searched(results).values()
    found = {s: [list(zip(*each[s])) for each in works if s in each] for s in SEARCHES}

    def worst(regrets):
        # The 95th percentile over many draws, on the worst set.
        return max(np.quantile(r, 0.95) if len(r) == N_DRAWS else max(r) for r, _ in regrets)

    columns = [
        ("", SEARCHES.get),
        ("regret", lambda s: points(mean(mean(regret) for regret, _ in found[s]))),
        ("worst", lambda s: points(worst(found[s]))),
        ("cost", lambda s: f"{median(median(cost) for _, cost in found[s]):.0f}"),
    ]
    return pivot([search for search in SEARCHES if found[search]], columns, "")


def unseen_table(results):
    """Scores, regrets and costs on the tables that were not used to develop the search.

    The regret is the score of the grid search with five folds on the same samples, minus ours; of
    the other seeds, which draw other samples, only scores and costs count.
    """
    found = {work: _ok(f"unseen_{work}", results) for work in UNSEEN}
    found = {work: records for work, records in found.items() if records.where(search="grid5")}
    ours = {work: records.where(search="progressive") for work, records in found.items()}

    def of(work, search, field="score"):
        return found[work].where(search=search).values(field)[0]

    def score(value):
        return f"{100 * value:.1f}"

    def costs(work):
        pairs = zip(ours[work].values("seconds"), ours[work].values("one_fit_seconds"))
        return [seconds / one_fit for seconds, one_fit in pairs]

    scores = [
        ("five folds", lambda work: score(of(work, "grid5"))),
        ("search", lambda work: score(ours[work].where(seed=0).values("score")[0])),
        ("all seeds", lambda work: score(mean(ours[work].values("score")))),
        ("worst", lambda work: score(min(ours[work].values("score")))),
    ]
    times_ = [
        ("fits", lambda work: f"{median(costs(work)):.1f}"),
        ("largest", lambda work: f"{max(costs(work)):.1f}"),
        ("one fit", lambda work: seconds(ours[work].median("one_fit_seconds"))),
        (
            "part of grid",
            lambda work: f"{ours[work].median('seconds') / of(work, 'grid3', 'seconds'):.2f}",
        ),
    ]
    name = ("", lambda work: UNSEEN[work].title)
    return pivot(found, [name, *scores, *times_], {"Scores": 4, "Cost of the search": 4})


class FreshResults:
    """Results on a table of `fresh`: regrets in points, or hundredths of the score."""

    def __init__(self, work, results):
        self.exhaustive = _ok(f"exhaustive_{work}", results)
        self._found = Records(
            [*_ok(f"fresh_{work}", results).records, *_ok(f"fresh_peers_{work}", results).records]
        )

    def of(self, search):
        return self._found.where(search=search)

    def scores(self):
        """Return the scores of the exhaustive choice, a log-loss without its sign."""
        return [100 * abs(score) for score in self.exhaustive.values("score")]

    def standard_errors(self):
        return [100 * error for error in self.of("progressive").values("standard_error")]

    def regrets(self, search):
        """For each seed; negative where the search has the higher score."""
        best = {record["seed"]: record["score"] for record in self.exhaustive.records}
        return [100 * (best[r["seed"]] - r["score"]) for r in self.of(search).records]

    def fits(self, search):
        """Time in fits of the choice of our search."""
        one_fit = {r["seed"]: r["one_fit_seconds"] for r in self.of("progressive").records}
        return [r["seconds"] / one_fit[r["seed"]] for r in self.of(search).records]

    def part(self, search):
        """Time as a part of that of the exhaustive choice."""
        seconds = {record["seed"]: record["seconds"] for record in self.exhaustive.records}
        return [r["seconds"] / seconds[r["seed"]] for r in self.of(search).records]


FRESH_SEARCHES = ("progressive", "halving", "optuna")


def _cell(reduce, values, form="{:.1f}"):
    return form.format(reduce(values) + 0.0) if values else "–"


def fresh_results(results):
    found = {work: FreshResults(work, results) for work in FRESH}
    return {work: each for work, each in found.items() if each.exhaustive}


def fresh_table(results):
    """Scores, regrets and costs on the newest tables, and the regrets of other searches."""
    found = fresh_results(results)
    signed = "{:+.2f}"

    def title(work):
        return FRESH[work].title

    def size(work):
        return f"{count(FRESH[work].n_train)} × {FRESH[work].n_features}"

    def regret(search, reduce):
        return lambda work: _cell(reduce, found[work].regrets(search), signed)

    scores = [
        ("metric", lambda work: METRICS[FRESH[work].scoring]),
        ("size", size),
        ("exhaustive", lambda work: _cell(mean, found[work].scores())),
        ("regret", regret("progressive", mean)),
        ("worst", regret("progressive", max)),
        ("±", lambda work: _cell(mean, found[work].standard_errors(), "{:.2f}")),
    ]
    costs = [
        ("fits", lambda work: _cell(median, found[work].fits("progressive"))),
        ("largest", lambda work: _cell(max, found[work].fits("progressive"))),
        ("one fit", lambda work: seconds(found[work].of("progressive").median("one_fit_seconds"))),
        ("grid search", lambda work: seconds(found[work].exhaustive.median("seconds"))),
        ("part of it", lambda work: _cell(median, found[work].part("progressive"), "{:.2f}")),
    ]
    others = [
        (f"{SEARCHES[search]}{label}", regret(search, reduce))
        for search in FRESH_SEARCHES
        for label, reduce in (("", mean), (", worst", max))
    ]
    parts = {"Scores": len(scores), "Cost": len(costs), "Regret of each search": len(others)}
    return pivot(found, [("", title), *scores, *costs, *others], parts)


def fresh_means(results):
    """Means over the newest tables: of the regret on each, and medians of the cost."""
    found = fresh_results(results).values()

    def over(reduce, values, form, outer=mean):
        return lambda search: _cell(
            outer, [reduce(v) for each in found if (v := values(each, search))], form
        )

    columns = [
        ("", SEARCHES.get),
        ("regret", over(mean, FreshResults.regrets, "{:+.2f}")),
        ("worst", over(max, FreshResults.regrets, "{:+.2f}", max)),
        ("fits", over(median, FreshResults.fits, "{:.0f}", median)),
        ("part of the grid search", over(median, FreshResults.part, "{:.2f}", median)),
    ]
    return pivot(FRESH_SEARCHES, columns, "") if found else None


TABLES = {
    "search_fresh": fresh_table,
    "search_fresh_means": fresh_means,
    "search_unseen": unseen_table,
    "search_regret": regret_table,
    "search_peers": peers_table,
}
