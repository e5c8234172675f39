"""Tables of `kernel_updates`."""

import statistics

from ..bench import rst
from ..bench.summary import stored_records
from .steps import POLICIES

SET_TITLES = {
    "magic04": "MAGIC",
    "mushrooms": "Mushroom",
    "pima_diabetes": "Pima",
    "spambase": "Spambase",
    "splice": "Splice",
    "svmguide1": "svmguide1",
}


def kernel_stream(results):
    """Speed and error of the policies."""
    found, rows = stored_records("kernel_stream", results).ok(), []
    for policy in POLICIES:
        records = found.where(policy=policy)
        if records:
            rates = [r["rows"] / r["pass_seconds"] for r in records.records]
            cells = [
                rst.count(statistics.median(rates)),
                rst.percent(records.median("error")),
                f"{records.median('row_seconds') * 1e6:.0f}{rst.NBSP}µs",
            ]
            rows.append([policy, *cells])
    header = ["policy", "samples per second", "error", "one sample"]
    return rst.list_table(header, rows)


def _of_models(records, field):
    """Median of a field for each model, over records with several models."""
    models = records[0]["models"] if records else ()
    return [statistics.median(r["models"][model][field] for r in records) for model in models]


def kernel_pa_sets(results):
    """Errors and support vectors, with a row for each set."""
    found = stored_records("kernel_pa_sets", results).ok()
    tables = []
    for title, field, form in (
        ("Test error, percent", "error", lambda error: rst.number(error, 100)),
        ("Support vectors", "n_vectors", rst.count),
    ):
        rows = []
        for name in found.distinct("name"):
            cells = _of_models(found.where(name=name).records, field)
            rows.append([SET_TITLES[name], *map(form, cells)])
        models = found.records[0]["models"] if found else ()
        tables.append(rst.list_table(["set", *models], rows, title))
    return rst.joined(tables)


def kernel_perceptrons(results):
    """Errors of models on digits, with the medians of support vectors and time."""
    found = stored_records("kernel_perceptrons", results).ok().records
    rows = [
        [str(r["digit"]), *(rst.percent(model["error"]) for model in r["models"].values())]
        for r in found
    ]
    rows.append(["vectors", *map(rst.count, _of_models(found, "n_vectors"))])
    rows.append(["time", *map(rst.seconds, _of_models(found, "fit_seconds"))])
    if not found:
        return None
    header = ["digit", *found[0]["models"]]
    return rst.split_table(header, rows, {"Perceptrons": 3, "Budget perceptron and LASVM": 3})


TABLES = {table.__name__: table for table in (kernel_stream, kernel_pa_sets, kernel_perceptrons)}
