"""Tables of `search`."""

from statistics import mean, median

import numpy as np

from ..bench.rst import count, list_table, percent, seconds
from ..bench.summary import stored_records
from .models import SEARCHES
from .sets import LINEAR_TITLES, SETS

# Draws of random pairs.
N_DRAWS = 400


def curves_of(work, results):
    """The learning curves of all pairs; None if they were not recorded."""
    found = stored_records(f"curves_{work}", results).ok().records
    return found[0] if found else None


def chosen(pairs):
    """Of some pairs the one with the smallest error on the held-out samples at the end."""
    ended = [pair for pair in pairs if "error" in pair]
    return min(ended, key=lambda pair: pair["errors"][-1]) if ended else None


def regrets(work, results):
    """Regret in points and cost in fits of the winner, as lists by name of the search.

    The regret is the test error minus that of the exhaustive choice.
    """
    curves = curves_of(work, results)
    if curves is None:
        return {}
    best, found = chosen(curves["pairs"]), {}
    for record in stored_records(f"search_{work}", results).ok().records:
        regret = 100 * (record["error"] - best["error"])
        cost = record["seconds"] / record["one_fit_seconds"]
        found.setdefault("progressive", []).append((regret, cost))
    ours = stored_records(f"search_{work}", results).ok().median("one_fit_seconds")
    for record in stored_records(f"peers_{work}", results).ok().records:
        regret = 100 * (record["error"] - best["error"])
        cost = record["seconds"] / ours if ours else float("nan")
        found.setdefault(record["search"], []).append((regret, cost))
    rng = np.random.default_rng(0)
    for n in (20, 50):
        if n > len(curves["pairs"]):
            continue
        drawn = []
        for _ in range(N_DRAWS):
            pairs = [
                curves["pairs"][k] for k in rng.choice(len(curves["pairs"]), n, replace=False)
            ]
            winner = chosen(pairs)
            if winner is not None:
                cost = sum(pair["seconds"] for pair in pairs) / winner["fit_seconds"] + 1
                drawn.append((100 * (winner["error"] - best["error"]), cost))
        found[f"random_{n}"] = drawn
    return found


def times_cheaper(work, results):
    """Time of the exhaustive choice, its last fit included, by that of our search."""
    curves, ours = curves_of(work, results), stored_records(f"search_{work}", results).ok()
    exhaustive = curves["seconds"] + chosen(curves["pairs"])["fit_seconds"]
    return exhaustive / ours.median("seconds")


def searched(results):
    """Names of the sets with results of our search and of the exhaustive choice."""
    return [work for work in SETS if "progressive" in regrets(work, results)]


def points(value):
    return f"{value + 0.0:+.2f}"


def regret_table(results):
    """Regret and cost of our search."""
    rows, everything, costs, ratios = [], [], [], []
    for work in searched(results):
        found = regrets(work, results)["progressive"]
        regret, cost = zip(*found)
        best = chosen(curves_of(work, results)["pairs"])
        times = times_cheaper(work, results)
        everything += regret
        costs += cost
        ratios.append(times)
        ours = stored_records(f"search_{work}", results).ok()
        rows.append(
            [
                SETS[work].title, percent(best["error"]), percent(mean(ours.values("error"))),
                points(mean(regret)), points(max(regret)), f"{median(cost):.1f}",
                f"{max(cost):.1f}", seconds(ours.median("seconds")), f"{times:.0f}",
            ]
        )  # fmt: skip
    if not rows:
        return None
    rows.append(
        [
            "**all**", "", "", points(mean(everything)), points(max(everything)),
            f"{median(costs):.1f}", f"{max(costs):.1f}", "",
            f"{min(ratios):.0f} to {max(ratios):.0f}",
        ]
    )  # fmt: skip
    header = [
        "", "error, exhaustive choice", "error, search", "regret, mean", "regret, largest",
        "cost, median", "cost, largest", "time", "times cheaper than the exhaustive choice",
    ]  # fmt: skip
    return list_table(header, rows)


def peers_table(results):
    """Regret and cost of all searches, over the sets that each has finished."""
    rows = []
    works = searched(results)
    for search, about in SEARCHES.items():
        found = [regrets(work, results).get(search, []) for work in works]
        done = [pairs for pairs in found if pairs]
        if not done:
            continue
        means = [mean(regret for regret, _ in pairs) for pairs in done]
        worst = max(regret for pairs in done for regret, _ in pairs)
        if search.startswith("random"):
            # Of many draws: what one in twenty exceeds on the worst set.
            worst = max(float(np.quantile([r for r, _ in pairs], 0.95)) for pairs in done)
        cost = [median(cost for _, cost in pairs) for pairs in done]
        rows.append(
            [
                about.title, f"{len(done)} of {len(works)}", points(mean(means)), points(worst),
                f"{median(cost):.0f}", f"{max(cost):.0f}",
            ]
        )  # fmt: skip
    header = [
        "", "data sets", "regret, mean", "regret, largest", "cost, median", "cost, largest",
    ]  # fmt: skip
    return list_table(header, rows)


def linear_table(results):
    """Sixty linear models."""
    records, rows = stored_records("search_linear", results), []
    for work, title in LINEAR_TITLES.items():
        ours = records.where(work=work).ok().records
        if not ours:
            continue
        regret = [100 * (r["error"] - r["exhaustive_error"]) for r in ours]
        cost = [r["seconds"] / r["one_fit_seconds"] for r in ours]
        all_of_them = [r["exhaustive_seconds"] / r["one_fit_seconds"] for r in ours]
        rows.append(
            [
                title, percent(mean(r["exhaustive_error"] for r in ours)),
                percent(mean(r["error"] for r in ours)), points(mean(regret)),
                points(max(regret)), seconds(median(r["seconds"] for r in ours)),
                count(median(cost)), count(median(all_of_them)),
            ]
        )  # fmt: skip
    header = [
        "", "error, exhaustive choice", "error, search", "regret, mean", "regret, largest",
        "time of the search", "in passes of its choice", "exhaustive choice, in such passes",
    ]  # fmt: skip
    return list_table(header, rows)


TABLES = {
    "search_regret": regret_table,
    "search_peers": peers_table,
    "search_linear": linear_table,
}
