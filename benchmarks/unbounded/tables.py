"""Tables of `unbounded`."""

from functools import partial
from statistics import mean

from ..bench.rst import count, list_table, megabytes, percent
from ..bench.summary import stored_records
from .models import DRIFT_MODELS, MODELS, RANGES
from .steps import SIZE, SIZES
from .streams import DRIFTS, STREAMS


def of_choices(record, field):
    """Mean of a field for each value of the parameter."""
    found = {}
    for run in record["runs"]:
        # Models without choices have the value None.
        (value,) = run["choice"].values() or [None]
        found.setdefault(value, []).append(run[field])
    return {value: mean(values) for value, values in found.items()}


def best_choice(record):
    """The value of the parameter with the highest mean accuracy."""
    accuracies = of_choices(record, "mean")
    return max(accuracies, key=accuracies.get)


def cells(size, results, field="mean"):
    """A field by stream and model, for the best value of the parameter."""
    records = stored_records(f"unbounded_{size}", results).ok().records
    table = {stream: {} for stream in STREAMS}
    for record in records:
        table[record["stream"]][record["model"]] = of_choices(record, field)[best_choice(record)]
    return {stream: found for stream, found in table.items() if found}


def _models(table):
    return [name for name in MODELS if any(name in found for found in table.values())]


def _limited(found):
    """Without the model that has no limit."""
    return {name: value for name, value in found.items() if name != "lasvc"}


def gaps(table):
    """How far each model is behind the best of those of constant size, by stream."""
    behind = {}
    for stream, found in table.items():
        best = max(_limited(found).values())
        for name, value in found.items():
            behind.setdefault(name, {})[stream] = best - value
    return behind


def accuracy(field, results):
    """Accuracies with `SIZE` support vectors, and the differences from the best."""
    table = cells(SIZE, results, field)
    if not table:
        return None
    names = _models(table)
    rows = []
    for stream, found in table.items():
        best = max(_limited(found).values())
        row = [STREAMS[stream].title]
        for name in names:
            text = percent(found[name]) if name in found else "–"
            row.append(f"**{text}**" if found.get(name) == best else text)
        rows.append(row)
    behind = gaps(table)
    rows.append(["mean difference", *(percent(mean(behind[name].values())) for name in names)])
    rows.append(["largest difference", *(percent(max(behind[name].values())) for name in names)])
    return list_table(["", *(MODELS[name].title for name in names)], rows)


def sizes(results):
    """Differences from the best by the number of support vectors."""
    rows = []
    for size in SIZES:
        behind = gaps(cells(size, results))
        for name in (name for name in MODELS if MODELS[name].sized and name in behind):
            values = list(behind[name].values())
            within = sum(value <= 0.01 for value in values)
            rows.append([count(size), MODELS[name].title, percent(mean(values))])
            rows[-1] += [percent(max(values)), f"{within} of {len(values)}"]
    header = ["B", "", "mean difference", "largest difference", "within one point of the best"]
    return list_table(header, rows)


def times(results):
    """Processor time of a sample."""
    table = cells(SIZE, results, "sample_microseconds")
    if not table:
        return None
    names = _models(table)
    rows = [
        [
            STREAMS[stream].title,
            *(f"{found[name]:.3g}" if name in found else "–" for name in names),
        ]
        for stream, found in table.items()
    ]
    return list_table(["", *(MODELS[name].title for name in names)], rows)


def parameters(results):
    """How much accuracy a value of a parameter loses, compared with the best value."""
    records = stored_records("unbounded_parameters", results).ok()
    rows = []
    for name, choices in RANGES.items():
        lost = {}
        for record in records.where(model=name).records:
            accuracies = of_choices(record, "mean")
            for value, found in accuracies.items():
                lost.setdefault(value, {})[record["stream"]] = max(accuracies.values()) - found
        for value, of_streams in lost.items():
            worst = max(of_streams, key=of_streams.get)
            (parameter,) = choices[0]
            rows.append([MODELS[name].title, f"{parameter}={value:g}"])
            rows[-1] += [percent(mean(of_streams.values())), percent(of_streams[worst])]
            rows[-1].append(STREAMS[worst].title)
    return list_table(["", "", "mean loss", "largest loss", "on"], rows)


def _rate(points):
    """Samples per second between the first and the last of some points."""
    return (points[-1]["rows"] - points[0]["rows"]) / (
        points[-1]["seconds"] - points[0]["seconds"]
    )


def drift(stream, results):
    """What each model came to in half a minute."""
    records = stored_records(f"unbounded_{stream}", results).ok()
    rows = []
    for model, about in DRIFT_MODELS.items():
        for record in records.where(model=model).records:
            points = record["points"]
            error = percent(mean(point["error"] for point in points))
            rows.append([about.title, count(points[-1]["rows"]), error])
            few = len(points) < 4
            rows[-1] += (
                ["–", "–"] if few else [count(_rate(points[:3])), count(_rate(points[-3:]))]
            )
            middle = points[len(points) // 2]
            rows[-1] += [megabytes(middle["megabytes"]), megabytes(points[-1]["megabytes"])]
    header = [
        "", "samples", "error", "samples/s, first tenth", "last tenth", "memory, halfway", "end",
    ]  # fmt: skip
    return list_table(header, rows)


TABLES = {
    "unbounded_accuracy": partial(accuracy, "mean"),
    "unbounded_test": partial(accuracy, "test"),
    "unbounded_sizes": sizes,
    "unbounded_times": times,
    "unbounded_parameters": parameters,
}
TABLES |= {f"unbounded_{stream}": partial(drift, stream) for stream in DRIFTS}
