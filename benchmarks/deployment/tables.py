"""Tables of `deployment`."""

from ..bench.rst import grouped, joined, list_table
from ..bench.summary import stored_records
from ..sets.calibration import SETS as TITLES
from .steps import MODELS, SETS

MODEL_TITLES = {"lasvc": "LASVC", "kernel_arow": "kernel AROW", "pa": "PA"}
WAYS = {"ours": "model itself", "float32": "ONNX float32", "float64": "ONNX float64"}


def title_of(name):
    """Title of a set."""
    return TITLES[name].title if name in TITLES else "Banana"


def _table(title, cell, models, results):
    """Return a table with a row for each set and model, and a column for each way to predict."""
    found = stored_records("deployment_onnx", results).ok()
    rows = [
        [title_of(name), MODEL_TITLES[model], *(cell(record[way]) for way in WAYS)]
        for name in SETS
        for model in models
        for record in found.where(set=name, model=model).records
    ]
    return list_table(["set", "model", *WAYS.values()], grouped(rows), title)


def durations(results):
    """Time of a batch in milliseconds, and of a single sample in microseconds."""
    parts = {
        "All test samples, milliseconds": lambda way: f"{1000 * way['seconds']:.3g}",
        "One sample, microseconds": lambda way: f"{way['microseconds']:.3g}",
    }
    return joined([_table(title, cell, MODELS, results) for title, cell in parts.items()])


def errors(results):
    """Largest errors of scores."""
    models = ["lasvc", "kernel_arow"]
    return _table(None, lambda way: f"{way['error']:.1e}".replace("-", "−"), models, results)


TABLES = {"deployment_errors": errors, "deployment_times": durations}
