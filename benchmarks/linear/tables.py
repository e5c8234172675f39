"""Tables of the linear models: one pass, few samples, second-order models, whole fits."""

import statistics
from functools import partial

from ..bench.rst import NBSP, cross_table, joined, percent, pivot, seconds, times
from ..bench.summary import ratio, stored_records
from .models import SPEED, TUNED
from .sets import SETS
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


def _median(measured, model):
    """The median of all times of a model, or None."""
    found = [time for times_of in measured for time in times_of.get(model, ())]
    return statistics.median(found) if found else None


def median_seconds(records, model):
    return _median(records.values("seconds"), model)


def _fit(records, model):
    """Time and error of a model."""
    errors = [errors[model] for errors in records.values("errors") if model in errors]
    time = seconds(median_seconds(records, model))
    return f"{time}, {percent(statistics.median(errors))}" if errors else "–"


def linear_fit(results):
    """One pass of PA-I, compared with SGDClassifier."""
    records = stored_records("linear_fit", results)
    works = {work: records.where(work=work) for work in WORKS if records.where(work=work).ok()}

    def table(title, pa, sgd):
        columns = [
            ("samples", WORK_TITLES.get),
            ("PA-I", lambda work: _fit(works[work], pa)),
            ("SGD", lambda work: _fit(works[work], sgd)),
            (
                "SGD / PA-I",
                lambda w: times(ratio(*(median_seconds(works[w], m) for m in (sgd, pa)))),
            ),
        ]
        return pivot(works, columns, title)

    in_order = table("Samples in their order", "pa", "sgd")
    return joined([in_order, table("Shuffled", "pa_shuffled", "sgd_shuffled")])


def _microseconds(value):
    if value is None:
        return "–"
    return f"{value:.3g}{NBSP}µs" if value < 1000 else f"{value / 1000:.3g}{NBSP}ms"


def linear_calls(results):
    """One sample and a hundred; river and Vowpal Wabbit take a sample at a time."""
    measured = stored_records("linear_calls", results).values("microseconds")

    def cell(task, model):
        return _microseconds(_median([found[task] for found in measured], model))

    return joined(
        cross_table("call, 100 features", CALL_TITLES, columns, cell, title)
        for title, columns in CALL_PARTS.items()
    )


def linear_second_order(results):
    """AROW, CW and SCW on sparse samples, and with the full covariance compared with olpy."""
    records = stored_records("linear_second_order", results)
    dense = records.where(work="small_dense")
    sparse = cross_table(
        "model",
        {model: SPEED[model].title for model in DIAGONAL},
        {work: WORK_TITLES[work] for work in ("text", "newsgroups")},
        lambda model, work: _fit(records.where(work=work), model),
    )
    full = cross_table(
        "model",
        {model: SPEED[model].title for model in OLPY},
        {"ours": "here", "peer": "olpy"},
        lambda model, side: _fit(dense, model if side == "ours" else OLPY[model]),
        "20 000 × 100, dense, full covariance",
    )
    return joined([sparse, full])


def _fits_of(records, model, variant):
    """What was measured of a model on one set: a dict for each seed."""
    return [models[model][variant] for models in records.values("models")]


def linear_sgd(results):
    """Errors and times of whole fits, compared with SGDClassifier."""
    records = stored_records("linear_sgd", results).ok()
    names = {model: TUNED[model].title for model in TUNED}
    sets = {name: s.title for name, s in SETS.items() if records.where(set=name)}

    def error(variant, name, model):
        errors = [100 * fit["error"] for fit in _fits_of(records.where(set=name), model, variant)]
        spread = statistics.stdev(errors) if len(errors) > 1 else 0.0
        return f"{statistics.fmean(errors):.2f} ± {spread:.2f}"

    def fit_seconds(variant, name, model):
        fits = _fits_of(records.where(set=name), model, variant)
        return statistics.median(statistics.median(fit["seconds"]) for fit in fits)

    def compared(variant, name, model):
        own = fit_seconds(variant, name, model)
        return seconds(own) if model == "sgd" else times(own / fit_seconds(variant, name, "sgd"))

    parts = {
        "Test error in %, parameters chosen": partial(error, "chosen"),
        "Test error in %, default parameters": partial(error, "default"),
        "Time of a fit, parameters chosen": partial(compared, "chosen"),
        "Time of a fit, default parameters": partial(compared, "default"),
    }
    return joined(cross_table("set", sets, names, cell, title) for title, cell in parts.items())


TABLES = {
    table.__name__: table for table in (linear_fit, linear_calls, linear_second_order, linear_sgd)
}
