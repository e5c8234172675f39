"""Tables of `deployment`."""

from functools import partial

from ..bench.rst import count, list_table
from ..bench.summary import stored_records
from ..calibration.sets import SETS as TITLES
from .steps import MODELS, SETS, THREADS

MODEL_TITLES = {
    "lasvc": "``LASVC``",
    "kernel_arow": "``KernelAROWClassifier``",
    "pa": "``PassiveAggressiveClassifier``",
}
WAYS = {"ours": "the model", "float32": "graph, float32", "float64": "graph, float64"}


def _records(results, threads, models=MODELS):
    """Yield titles of set and model, and the record, of each pair that was measured."""
    found = stored_records("deployment_onnx", results).ok().where(threads=threads)
    for name in SETS:
        for model in models:
            for record in found.where(set=name, model=model).records:
                title = TITLES[name].title if name in TITLES else "Banana"
                yield [title, MODEL_TITLES[model]], record


def durations(threads, results):
    """Time of a batch in milliseconds, and of a single sample in microseconds."""
    rows = []
    for titles, record in _records(results, threads):
        cells = [count(record["n_support"]), count(record["n_test"])]
        cells += [f"{1000 * record[way]['seconds']:.3g}" for way in WAYS]
        cells += [f"{record[way]['microseconds']:.3g}" for way in WAYS]
        rows.append(titles + cells)
    header = ["set", "model", "support vectors", "samples"]
    header += [f"{title}, ms" for title in WAYS.values()]
    header += [f"{title}, µs" for title in WAYS.values()]
    return list_table(header, rows)


def errors(results):
    """Largest errors of scores, and labels that differ from those of the model."""
    rows = []
    for titles, record in _records(results, 1, ["lasvc", "kernel_arow"]):
        cells = [f"{record[way]['error']:.1e}" for way in WAYS]
        differing = (record[way]["n_differ"] for way in ("float32", "float64"))
        rows.append([*titles, *cells, " / ".join(map(str, differing))])
    header = ["set", "model", *WAYS.values(), "labels that differ, float32 / float64"]
    return list_table(header, rows)


TABLES = {
    "deployment_errors": errors,
    **{f"deployment_times_{n}": partial(durations, n) for n in THREADS},
}
