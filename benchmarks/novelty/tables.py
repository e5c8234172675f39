"""Tables of `novelty`."""

from statistics import mean

from ..bench.rst import count, joined, list_table, megabytes, percent, pivot, seconds
from ..bench.summary import stored_records
from .tasks import MAX_VECTORS, WINDOW

TITLES = {
    "lasvm": "OneClassLASVM",
    "svm": "OneClassSVM",
    "sgd": "Nystroem, SGDOneClassSVM",
    "forest": "IsolationForest",
    "neighbors": "Local Outlier Factor",
}
STREAMS = {
    "budget": f"{MAX_VECTORS} vectors",
    "window": f"window of {count(WINDOW)}",
}


def models(results):
    """Times and ROC AUC, a table for each number of samples."""
    found = stored_records("novelty_models", results).ok()
    columns = [
        ("model", lambda record: TITLES[record["model"]]),
        ("fit", lambda record: seconds(record["seconds_fit"])),
        ("score", lambda record: seconds(record["seconds_predict"])),
        ("AUC", lambda record: f"{record['auc']:.4f}"),
    ]
    return joined(
        pivot(found.where(n_train=n).records, columns, f"{count(n)} training samples")
        for n in found.distinct("n_train")
    )


def streams(results):
    """Speed, memory and AUC of streams that drift; a column for each model."""
    found = stored_records("novelty_streams", results).ok().records
    cells = {
        "samples per second": lambda r: count(r["samples_per_second"]),
        "AUC, lowest": lambda r: f"{min(r['auc']):.4f}",
        "AUC, mean": lambda r: f"{mean(r['auc']):.4f}",
        "rejected": lambda r: percent(mean(r["rejected"])),
        "most vectors": lambda r: count(max(r["n_support"])),
        "memory of the process, after 10 %": lambda r: megabytes(r["megabytes"][1]),
        "memory at the end": lambda r: megabytes(r["megabytes"][-1]),
    }
    rows = [[title, *map(cell, found)] for title, cell in cells.items()]
    return list_table(["", *(STREAMS[r["model"]] for r in found)], rows) if found else None


TABLES = {"novelty_models": models, "novelty_streams": streams}
