"""Tables of `random_problems`."""

import numpy as np

from ..bench.rst import count, list_table, percent, times
from ..bench.summary import stored_records

TITLES = {
    "random_small": "classification, 100 to 1000 samples",
    "random_large": "classification, 3000 to 20 000",
    "random_regression": "regression, 100 to 3000",
}
# Classes of the number of samples.
ENDS = (100, 300, 1000, 5000, 20_000)


def problems(step, results):
    """The problems of a step, one after the other."""
    records = stored_records(step, results).ok().records
    return [problem for record in records for problem in record["problems"]]


def accuracy(results):
    """By how many points the default models are below and above their peers."""
    rows = []
    for step, title in TITLES.items():
        found = problems(step, results)
        for name, what in (("fit", "``fit``"), ("stream", "stream")):
            lost = np.array([100 * (p["peer"] - p[name]) for p in found if name in p])
            if len(lost):
                rows.append([
                    f"{title}, {what}", count(len(lost)), percent(np.mean(lost > 2), 1),
                    f"{lost.max():.1f}", percent(np.mean(lost < -2), 1),
                ])  # fmt: skip
    header = ["problems", "number", "more than 2 points below", "worst", "more than 2 above"]
    return list_table(header, rows)


def speed(results):
    """Times divided by those of the peer, and the number of epochs."""
    rows, begin = [], 0
    found = [p for step in TITLES if "regression" not in step for p in problems(step, results)]
    for end in ENDS:
        some = [p for p in found if begin < p["n"] <= end]
        if some:
            ratios = np.array([p["seconds"] / p["peer_seconds"] for p in some])
            several = np.mean([p["n_iter"] > 1 for p in some])
            title = count(end) if end <= 1000 else f"{count(begin + 1)} to {count(end)}"
            rows.append([
                title, count(len(some)), times(np.median(ratios)),
                times(np.quantile(ratios, 0.9)), times(ratios.max()), percent(several, 0),
            ])  # fmt: skip
        begin = end
    header = ["samples", "number", "median", "90 %", "largest", "several epochs"]
    return list_table(header, rows)


def epochs(results):
    """Points below the optimum, average precision and time as multiples of the optimum's."""
    found, rows = problems("random_epochs", results), []
    for name, title in (("auto", '``max_iter="auto"``'), ("1", "``max_iter=1``")):
        if not found:
            continue
        lost = [100 * (p["-1"]["score"] - p[name]["score"]) for p in found]
        precision = [
            p[name]["precision"] / p["-1"]["precision"] for p in found if "precision" in p["-1"]
        ]
        seconds = [p[name]["seconds"] / p["-1"]["seconds"] for p in found]
        several = np.mean([p[name]["n_iter"] > 1 for p in found])
        rows.append([
            title, f"{np.mean(lost):.2f}", f"{max(lost):.1f}", f"{np.mean(precision):.3f}",
            f"{min(precision):.2f}", times(np.mean(seconds)), percent(several, 0),
        ])  # fmt: skip
    header = [
        *("", "points below: mean", "worst", "average precision: mean", "worst"),
        *("time", "several epochs"),
    ]
    return list_table(header, rows)


TABLES = {"random_accuracy": accuracy, "random_speed": speed, "random_epochs": epochs}
