"""Tables of `novelty`."""

from ..bench.rst import count, list_table, megabytes, percent, seconds
from ..bench.summary import stored_records
from .tasks import MAX_VECTORS, WINDOW

TITLES = {
    "lasvm": "OneClassLASVM",
    "svm": "OneClassSVM",
    "sgd": "Nystroem (300), SGDOneClassSVM",
    "forest": "IsolationForest",
    "neighbors": "LocalOutlierFactor",
}
STREAMS = {
    "budget": f"max_support_vectors={MAX_VECTORS}",
    "window": f"window_size={WINDOW}",
}


def models(results):
    """Times, share rejected and ROC AUC."""
    rows = [
        [
            count(record["n_train"]),
            TITLES[record["model"]],
            seconds(record["seconds_fit"]),
            seconds(record["seconds_predict"]),
            percent(record["rejected"]),
            f"{record['auc']:.4f}",
            count(record["n_support"]),
        ]
        for record in stored_records("novelty_models", results).ok().records
    ]
    header = ["samples", "model", "fit", "score 50 000", "rejected", "ROC AUC", "vectors"]
    return list_table(header, rows)


def streams(results):
    """Speed, memory and AUC of streams that drift."""
    rows = []
    for record in stored_records("novelty_streams", results).ok().records:
        auc, rejected, memory = record["auc"], record["rejected"], record["megabytes"]
        rows.append(
            [
                STREAMS[record["model"]],
                count(record["samples_per_second"]),
                f"{min(auc):.4f}",
                f"{sum(auc) / len(auc):.4f}",
                percent(sum(rejected) / len(rejected)),
                count(max(record["n_support"])),
                f"{megabytes(memory[1])}, {megabytes(memory[-1])}",
            ]
        )
    header = [
        *("model", "samples per second", "lowest AUC", "mean AUC", "rejected", "most vectors"),
        "memory after 10 %, at the end",
    ]
    return list_table(header, rows)


TABLES = {"novelty_models": models, "novelty_streams": streams}
