"""Tables of `novelty`."""

from ..bench.rst import count, joined, list_table, megabytes, percent, seconds
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
    tables = []
    for n in found.distinct("n_train"):
        rows = [
            [
                TITLES[record["model"]],
                seconds(record["seconds_fit"]),
                seconds(record["seconds_predict"]),
                f"{record['auc']:.4f}",
            ]
            for record in found.where(n_train=n).records
        ]
        header = ["model", "fit", "score", "AUC"]
        tables.append(list_table(header, rows, f"{count(n)} training samples"))
    return joined(tables)


def streams(results):
    """Speed, memory and AUC of streams that drift; a column for each model."""
    found = stored_records("novelty_streams", results).ok().records

    def row(title, cell):
        return [title, *(cell(record) for record in found)]

    rows = [
        row("samples per second", lambda r: count(r["samples_per_second"])),
        row("AUC, lowest", lambda r: f"{min(r['auc']):.4f}"),
        row("AUC, mean", lambda r: f"{sum(r['auc']) / len(r['auc']):.4f}"),
        row("rejected", lambda r: percent(sum(r["rejected"]) / len(r["rejected"]))),
        row("most vectors", lambda r: count(max(r["n_support"]))),
        row("memory of the process, after 10 %", lambda r: megabytes(r["megabytes"][1])),
        row("memory at the end", lambda r: megabytes(r["megabytes"][-1])),
    ]
    return list_table(["", *(STREAMS[r["model"]] for r in found)], rows) if found else None


TABLES = {"novelty_models": models, "novelty_streams": streams}
