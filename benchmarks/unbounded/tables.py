"""Tables of `unbounded`."""

from functools import partial
from statistics import mean, median

from ..bench.rst import list_table, pivot
from ..bench.summary import stored_records
from ..sets.streams import DRIFTS, STREAMS
from .models import DRIFT_MODELS, MODELS

# Columns of the two tables of accuracies.
KERNELS = ["kernel_arow", "kernel_pa", "nystroem_arow"]
OTHERS = ["lasvc", "local", "linear"]


def best_choice(record):
    """Accuracy and microseconds for the value of the parameter with the highest accuracy."""
    by_choice = {}
    for run in record["runs"]:
        by_choice.setdefault(str(run["choice"]), []).append(run)
    return max(
        [mean(run[field] for run in runs) for field in ("mean", "sample_microseconds")]
        for runs in by_choice.values()
    )


def measured(results):
    """What `best_choice` returns, by stream and model."""
    table = {stream: {} for stream in STREAMS}
    for record in stored_records("unbounded_sets", results).ok().records:
        table[record["stream"]][record["model"]] = best_choice(record)
    return {stream: found for stream, found in table.items() if found}


def gaps(table):
    """How far each model is behind the best of constant size (all but LASVC), by stream."""
    found = {model: {} for models in table.values() for model in models}
    for stream, models in table.items():
        best = max(accuracy for model, (accuracy, _) in models.items() if model != "lasvc")
        for model, (accuracy, _) in models.items():
            found[model][stream] = best - accuracy
    return found


def accuracies(models, title, results):
    """Accuracies, the differences from the best, and the time of a sample."""
    table = measured(results)
    behind = gaps(table)

    def accuracy(stream, model):
        text = f"{100 * table[stream][model][0]:.2f}"
        return text if behind[model][stream] else f"**{text}**"

    rows = [[STREAMS[s].title, *(accuracy(s, model) for model in models)] for s in table]
    if rows:
        losses = [behind[model].values() for model in models]
        times = [median(found[model][1] for found in table.values()) for model in models]
        rows.append(["mean loss", *(f"{100 * mean(loss):.2f}" for loss in losses)])
        rows.append(["largest loss", *(f"{100 * max(loss):.2f}" for loss in losses)])
        rows.append(["µs", *(f"{time:.2g}" for time in times)])
    return list_table(["", *(MODELS[model].title for model in models)], rows, title)


def drift_records(results):
    """The points of each model on each stream with concept drift."""
    found = {name: stored_records(f"unbounded_{name}", results).ok() for name in DRIFTS}
    return {
        name: {record["model"]: record["points"] for record in of_stream.records}
        for name, of_stream in found.items()
        if of_stream
    }


def _title(model):
    return DRIFT_MODELS[model].title


# A narrow column breaks at a soft hyphen.
SHORT = {"recurring": "recur\N{SOFT HYPHEN}ring"}


def drift_errors(results):
    found = drift_records(results)

    def cell(stream, model):
        return f"{100 * mean(point['error'] for point in found[stream][model]):.2f}"

    models = [m for m in DRIFT_MODELS if found and all(m in of for of in found.values())]
    columns = [(SHORT.get(name, name), partial(cell, name)) for name in found]
    return pivot(models, [("", _title), *columns], "Error (%)")


def _rate(points):
    """Thousand samples per second between the first and the last of some points."""
    if len(points) < 3:
        return "–"
    first, last = points[0], points[-1]
    return f"{(last['rows'] - first['rows']) / (last['seconds'] - first['seconds']) / 1000:.1f}"


def drift_costs(results):
    """Samples, speed and memory in half a minute."""
    found = drift_records(results).get("abrupt", {})
    columns = [
        ("", _title),
        ("samples (1000)", lambda model: f"{found[model][-1]['rows'] / 1000:.0f}"),
        ("first", lambda model: _rate(found[model][:3])),
        ("last", lambda model: _rate(found[model][-3:])),
        ("MB", lambda model: f"{found[model][-1]['megabytes']:.0f}"),
    ]
    return pivot(found, columns, "Abrupt drift: cost")


TABLES = {
    "unbounded_kernels": partial(accuracies, KERNELS, "Accuracy (%), 500 support vectors"),
    "unbounded_others": partial(accuracies, OTHERS, "Accuracy (%), other models"),
    "unbounded_errors": drift_errors,
    "unbounded_costs": drift_costs,
}
