"""Tables of `local`: errors and times of one pass, set by set."""

import statistics
from functools import partial

import numpy as np

from ..bench.rst import count, pivot
from ..bench.summary import stored_records
from ..sets.local import SETS
from .models import LINEAR, MODELS

LINEAR_MODELS = [name for name, model in MODELS.items() if model.family == LINEAR]
# Columns, each the best of some models; narrow ones break at a soft hyphen.
AGAINST_LINEAR = {
    "lin\N{SOFT HYPHEN}ear": LINEAR_MODELS,
    "LOL": ["lol_newest"],
    "aver\N{SOFT HYPHEN}aged": ["lol"],
    "SCW-I": ["lol_scw"],
}
KERNELS = {"Nys\N{SOFT HYPHEN}troem": ["nystroem"], "LASVC": ["lasvc"]}
AGAINST_KERNELS = {"SCW-I": ["lol_scw"]} | KERNELS
TIMED = {"PA-I": ["pa_mean"], "LOL": ["lol"]} | KERNELS


def records(results):
    """What has been measured, by set."""
    found = {name: stored_records(f"local_{name}", results).ok().records for name in SETS}
    return {name: found_here[0] for name, found_here in found.items() if found_here}


def error(record, model):
    """Mean error of a model in per cent."""
    return 100 * float(np.mean(record["models"][model]["errors"]))


def microseconds(record, model):
    """Median time of a sample."""
    return statistics.median(record["models"][model]["learn_microseconds"])


def by_sets(value, columns, title, results):
    """A row for each set."""
    found = records(results)

    def cell(models, name):
        lowest = min(value(found[name], model) for model in models)
        return f"{lowest:.2f}" if lowest < 100 else f"{lowest:.0f}"

    cells = [(header, partial(cell, models)) for header, models in columns.items()]
    return pivot(found, [("", lambda name: SETS[name].title), *cells], title)


def sets_table(results):
    found = records(results)
    columns = [
        ("", lambda name: SETS[name].title + " \\*" * SETS[name].for_defaults),
        ("samples", lambda name: count(found[name]["n_train"])),
        ("fea\N{SOFT HYPHEN}tures", lambda name: count(found[name]["n_features"])),
        ("classes", lambda name: count(found[name]["n_classes"])),
    ]
    return pivot(found, columns, "")


TABLES = {
    "local_sets": sets_table,
    "local_linear": partial(
        by_sets, error, AGAINST_LINEAR, "Test error (%), local and linear models"
    ),
    "local_kernels": partial(
        by_sets, error, AGAINST_KERNELS, "Test error (%), local models and kernels"
    ),
    "local_times": partial(by_sets, microseconds, TIMED, "Microseconds per sample"),
}
