"""Tables of `local`: errors and times of one pass, set by set; time of a sample by size."""

import statistics

import numpy as np

from ..bench.results import load
from ..bench.rst import joined, list_table, percent, times
from ..bench.summary import stored_records
from .models import LINEAR, LOCAL, MAPPED, MODELS
from .sets import SETS

SETS_OF_A_TABLE = 5


def records(results):
    """What has been measured, by set."""
    found = {name: stored_records(f"local_{name}", results).ok().records for name in SETS}
    return {name: found_here[0] for name, found_here in found.items() if found_here}


def errors(record):
    """Mean error of each model."""
    return {name: float(np.mean(found["errors"])) for name, found in record["models"].items()}


def _models(found):
    return [name for name in MODELS if any(name in record["models"] for record in found.values())]


def _by_sets(found, cell):
    """Tables of a few sets each: a row for each model."""
    names, tables = list(found), []
    for start in range(0, len(names), SETS_OF_A_TABLE):
        some = names[start : start + SETS_OF_A_TABLE]
        rows = [
            [MODELS[model].title, *(cell(found[name], model) for name in some)]
            for model in _models(found)
        ]
        tables.append(list_table(["", *(SETS[name].title for name in some)], rows))
    return joined(tables)


def _error(record, model):
    of_all = errors(record)
    if model not in of_all:
        return "–"
    text = percent(of_all[model])
    return f"**{text}**" if of_all[model] == min(of_all.values()) else text


def _microseconds(record, model):
    if model not in record["models"]:
        return "–"
    return f"{statistics.median(record['models'][model]['learn_microseconds']):.3g}"


def error_table(results):
    return _by_sets(records(results), _error)


def time_table(results):
    return _by_sets(records(results), _microseconds)


def sets_table(results):
    rows = [
        [
            SETS[name].title,
            *(str(record[n]) for n in ("n_train", "n_test", "n_features", "n_classes")),
            "yes" if SETS[name].for_defaults else "",
        ]
        for name, record in records(results).items()
    ]
    header = ["set", "samples", "test samples", "features", "classes", "defaults chosen on it"]
    return list_table(header, rows)


def _better(found, model, family):
    """Titles of the sets on which a model has a lower error than all of a family."""
    better = []
    for name, record in found.items():
        of_all = errors(record)
        others = [of_all[other] for other in of_all if MODELS[other].family == family]
        if of_all[model] < min(others):
            better.append(SETS[name].title)
    return better


def summary(results):
    """On how many sets a model has the smaller error, and on which it has not."""
    found = records(results)
    if not found:
        return None
    lines = []
    for model in (name for name in _models(found) if MODELS[name].family == LOCAL):
        better = {family: _better(found, model, family) for family in (LINEAR, MAPPED)}
        behind = [SETS[name].title for name in found if SETS[name].title not in better[LINEAR]]
        lines.append(
            [
                MODELS[model].title,
                f"{len(better[LINEAR])} of {len(found)}",
                ", ".join(behind) or "–",
                f"{len(better[MAPPED])} of {len(found)}",
            ]
        )
    header = [
        "",
        "smaller error than all linear models",
        "exceptions",
        "smaller error than both approximated kernels",
    ]
    return list_table(header, lines)


def speed_table(results):
    stored = load("local_speed", results)
    rows = []
    for record in stored["records"]:
        if record["status"] != "ok":
            continue
        size = [str(record["n_features"]), str(record["n_prototypes"])]
        for dtype in ("float64", "float32"):
            found = {
                model: statistics.median(record["nanoseconds"][f"{model}_{dtype}"])
                for model in ("pa", "lol_newest", "lol", "lol_scw")
            }
            cells = [f"{value:.0f} ns, {times(value / found['pa'])}" for value in found.values()]
            rows.append([*size, dtype, f"{found['pa']:.0f} ns", *cells[1:]])
    header = ["features", "prototypes", "", "PA-I", "LOL, newest weights", "LOL", "LOL, SCW-I"]
    return list_table(header, rows)


TABLES = {
    "local_sets": sets_table,
    "local_errors": error_table,
    "local_times": time_table,
    "local_summary": summary,
    "local_speed": speed_table,
}
