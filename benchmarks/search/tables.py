"""Tables of `search`."""

from statistics import mean, median

import numpy as np

from ..bench.rst import joined, pivot, seconds
from ..bench.summary import stored_records
from .models import SEARCHES
from .sets import SETS

# Random pairs: how many, and how often they are drawn.
N_PAIRS, N_DRAWS = 50, 400


def _ok(step, results):
    return stored_records(step, results).ok()


def chosen(pairs):
    """Of some pairs the one with the smallest error on the held-out samples."""
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
    rows = {}
    for work, found in searched(results).items():
        ours = _ok(f"search_{work}", results)
        regret, cost = zip(*found["progressive"])
        rows[SETS[work].title] = {
            "error": mean(ours.values("error")),
            "regret": regret,
            "cost": cost,
            "seconds": ours.median("seconds"),
            "cheaper": times_cheaper(work, results),
        }
    errors = {
        "error": lambda row: f"{100 * row['error']:.2f}",
        "regret": lambda row: points(mean(row["regret"])),
        "worst": lambda row: points(max(row["regret"])),
    }
    costs = {
        "cost": lambda row: f"{median(row['cost']):.1f}",
        "time": lambda row: seconds(row["seconds"]),
        "cheaper": lambda row: f"{row['cheaper']:.0f}",
    }
    return joined([pivot(rows, errors, "Test errors"), pivot(rows, costs, "Cost")])


def peers_table(results):
    """Regret and cost of all searches, over the sets that each has finished."""
    rows = {}
    for search, title in SEARCHES.items():
        found = [each[search] for each in searched(results).values() if search in each]
        if found:
            rows[title] = [list(zip(*pairs)) for pairs in found]

    def worst(found):
        # Of many draws: what one in twenty exceeds on the worst set.
        return max(np.quantile(r, 0.95) if len(r) == N_DRAWS else max(r) for r, _ in found)

    columns = {
        "regret": lambda found: points(mean(mean(regret) for regret, _ in found)),
        "worst": lambda found: points(worst(found)),
        "cost": lambda found: f"{median(median(cost) for _, cost in found):.0f}",
        "most": lambda found: f"{max(median(cost) for _, cost in found):.0f}",
    }
    return pivot(rows, columns)


TABLES = {
    "search_regret": regret_table,
    "search_peers": peers_table,
}
