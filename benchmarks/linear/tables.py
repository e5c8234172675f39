"""Tables of the linear models: one pass, calls with a few samples, second-order models."""

import statistics

from ..bench.rst import NBSP, cross_table, joined, percent, seconds, times
from ..bench.summary import ratio, stored_records
from .models import SPEED
from .steps import DIAGONAL, OLPY, WORKS

WORK_TITLES = {
    "dense_64": "200 000 × 100, dense, float64",
    "dense_32": "200 000 × 100, dense, float32",
    "text": "20 000 × 47 000, CSR",
    "newsgroups": "News20, CSR",
}
CALL_TITLES = {
    "learn": "``partial_fit``, one sample",
    "predict": "``predict``, one sample",
    "chunk": "``partial_fit``, 100 samples",
}
CALL_PARTS = {
    "Arrays": {"pa": "PA-I", "sgd": "SGD"},
    "One sample per call": {
        "river": "river",
        "vw_parsed": "Vowpal Wabbit, parsed",
        "vw_text": "Vowpal Wabbit, text",
    },
}


def median_seconds(records, model):
    """The median of all fits of a model in these records, or None."""
    found = [time for record in records.records for time in record["seconds"].get(model, ())]
    return statistics.median(found) if found else None


def _fit(records, model):
    """Time and error of a model."""
    time = median_seconds(records, model)
    errors = [record["errors"][model] for record in records.records if model in record["errors"]]
    return f"{seconds(time)}, {percent(statistics.median(errors))}" if errors else "–"


def linear_fit(results):
    """One pass of PA-I, compared with SGDClassifier."""
    records = stored_records("linear_fit", results).ok()
    works = {work: WORK_TITLES[work] for work in WORKS}

    def cell(work, model):
        here = records.where(work=work)
        if model.startswith("faster"):
            pair = (median_seconds(here, f"{side}{model[6:]}") for side in ("sgd", "pa"))
            return times(ratio(*pair))
        return _fit(here, model)

    return joined(
        cross_table(
            "samples",
            works,
            {f"pa{order}": "PA-I", f"sgd{order}": "SGD", f"faster{order}": "faster"},
            cell,
            title,
        )
        for order, title in {"": "Samples in their order", "_shuffled": "Shuffled"}.items()
    )


def _microseconds(value):
    if value is None:
        return "–"
    return f"{value:.3g}{NBSP}µs" if value < 1000 else f"{value / 1000:.3g}{NBSP}ms"


def linear_calls(results):
    """One sample and a hundred; river and Vowpal Wabbit take a sample at a time."""
    records = stored_records("linear_calls", results).ok().records

    def cell(task, model):
        found = [
            time for record in records for time in record["microseconds"][task].get(model, ())
        ]
        return _microseconds(statistics.median(found) if found else None)

    return joined(
        cross_table("call, 100 features", CALL_TITLES, columns, cell, title)
        for title, columns in CALL_PARTS.items()
    )


def linear_second_order(results):
    """AROW, CW and SCW on sparse samples, and with the full covariance compared with olpy."""
    records = stored_records("linear_second_order", results).ok()
    sparse = cross_table(
        "model",
        {model: SPEED[model].title for model in DIAGONAL},
        {work: WORK_TITLES[work] for work in ("text", "newsgroups")},
        lambda model, work: _fit(records.where(work=work), model),
    )
    dense = records.where(work="small_dense")
    full = cross_table(
        "model",
        {model: SPEED[model].title for model in OLPY},
        {"ours": "here", "peer": "olpy"},
        lambda model, side: _fit(dense, model if side == "ours" else OLPY[model]),
        "20 000 × 100, dense, full covariance",
    )
    return joined([sparse, full])


TABLES = {table.__name__: table for table in (linear_fit, linear_calls, linear_second_order)}
