"""Tables of the linear models: speed, calls, the second order, growth, memory bandwidth."""

import statistics

import numpy as np

from ..bench.rst import count, joined, list_table, percent, seconds, times
from ..bench.summary import ratio, stored_records
from .models import SPEED
from .steps import (
    AXES,
    CALLS_MODELS,
    CALLS_PAIRS,
    DIAGONAL,
    FIT_PAIRS,
    FULL,
    SECOND_ORDER_PAIRS,
    VARIANTS,
)

WORK_TITLES = {
    "dense_64": "200 000 × 100, dense, float64",
    "dense_32": "200 000 × 100, dense, float32",
    "text": "20 000 × 47 000, CSR, 1.5 million nonzeros",
    "newsgroups": "20 Newsgroups, 18 846 × 33 541, CSR, 20 classes",
    "small_dense": "20 000 × 100, dense",
}
CALL_TITLES = {
    "learn": "``partial_fit``, one sample",
    "predict": "``predict``, one sample",
    "chunk": "``partial_fit``, 100 samples",
}
PEER_TITLES = {
    "pa": "PA-I",
    "arow": "AROW",
    "sgd": "SGDClassifier",
    "river": "river, PAClassifier",
    "vw_parsed": "Vowpal Wabbit, parsed examples",
    "vw_text": "Vowpal Wabbit, lines of text",
}


def median_seconds(records, model):
    """The median of all fits of a model in these records, or None."""
    times_of_all = [
        time for record in records.records for time in record["seconds"].get(model, ())
    ]
    return statistics.median(times_of_all) if times_of_all else None


def median_error(records, model):
    errors = [record["errors"][model] for record in records.records if model in record["errors"]]
    return statistics.median(errors) if errors else None


def median_microseconds(records, task, model):
    found = [
        time for record in records.records for time in record["microseconds"][task].get(model, ())
    ]
    return statistics.median(found) if found else None


def _microseconds(value):
    if value is None:
        return "–"
    return f"{value:.3g} µs" if value < 1000 else f"{value / 1000:.3g} ms"


# ---------------------------------------------------------------------------
# Beside a peer each
# ---------------------------------------------------------------------------


def linear_speed(results):
    """Ours compared with the peer that has the same algorithm, or the nearest."""
    rows = [*_fit_rows(results), *_calls_rows(results), *_second_order_rows(results)]
    header = ["work", "model", "time", "peer", "time", "faster", "errors"]
    title = (
        "One thread, medians over fits that take turns in one process, three processes each. "
        "Errors, ours and the peer's: of a pass over four fifths of the samples, on the rest."
    )
    return list_table(header, rows, title)


def _fit_row(records, title, ours, peer):
    pair = [median_seconds(records, model) for model in (ours, peer)]
    measured = ratio(pair[1], pair[0])
    errors = " / ".join(percent(median_error(records, model)) for model in (ours, peer))
    return [
        title,
        SPEED[ours].title,
        seconds(pair[0]),
        SPEED[peer].title,
        seconds(pair[1]),
        times(measured),
        errors,
    ]


def _fit_rows(results):
    records = stored_records("linear_fit", results).ok()
    for work, ours, peer in FIT_PAIRS if records else ():
        here = records.where(work=work)
        title = f"``fit``: {WORK_TITLES[work]}"
        for variant in VARIANTS:
            yield _fit_row(here, title, ours + variant, peer + variant)


def _calls_rows(results):
    records = stored_records("linear_calls", results).ok()
    for task, peer in CALLS_PAIRS if records else ():
        pair = [median_microseconds(records, task, model) for model in ("pa", peer)]
        measured = ratio(pair[1], pair[0])
        yield [
            f"{CALL_TITLES[task]}, 100 features",
            PEER_TITLES["pa"],
            _microseconds(pair[0]),
            PEER_TITLES[peer],
            _microseconds(pair[1]),
            times(measured),
            "–",
        ]


def _second_order_rows(results):
    records = stored_records("linear_second_order", results).ok()
    for work, ours, peer in SECOND_ORDER_PAIRS if records else ():
        here = records.where(work=work)
        yield _fit_row(here, f"``fit``: {WORK_TITLES[work]}", ours, peer)


def linear_updates(results):
    """How many samples change the model, on which the time depends."""
    records = stored_records("linear_fit", results).ok()
    rows = []
    for work in dict.fromkeys(work for work, _, _ in FIT_PAIRS):
        here = records.where(work=work)
        if not here:
            continue
        row = [WORK_TITLES[work], count(here.median("n_rows")), count(here.median("n_values"))]
        rows.append([*row, percent(here.median("share_of_updates"))])
    header = ["work", "samples", "values", "samples with an update, PA-I"]
    return list_table(header, rows)


# ---------------------------------------------------------------------------
# Calls, second order
# ---------------------------------------------------------------------------


def linear_calls(results):
    """One sample and a hundred: all models; river and Vowpal Wabbit take a sample at a time."""
    records = stored_records("linear_calls", results).ok()
    rows = []
    for task, title in CALL_TITLES.items() if records else ():
        mine = median_microseconds(records, task, "pa")
        cells = []
        for model in CALLS_MODELS:
            time = median_microseconds(records, task, model)
            faster = "" if model == "pa" else f" ({times(ratio(time, mine))})"
            cells.append(_microseconds(time) + faster)
        rows.append([title, *cells])
    header = ["call, 100 features", *(PEER_TITLES[model] for model in CALLS_MODELS)]
    title = (
        "Medians. In brackets: how many times as long as PA-I. The dicts of river are made "
        "beforehand. Vowpal Wabbit has no passive-aggressive rule and uses its own, with the "
        "hinge loss; examples are parsed beforehand, or come as lines of text. Both get a chunk "
        "of 100 samples in a loop."
    )
    return list_table(header, rows, title)


def linear_second_order(results):
    """AROW, CW and SCW on sparse samples, and with the full covariance compared with olpy."""
    records = stored_records("linear_second_order", results).ok()
    tables = []
    works = ["text", "newsgroups", "small_dense"]
    for work in works if records else ():
        here = records.where(work=work)
        models = FULL if work == "small_dense" else DIAGONAL
        base = median_seconds(here, "arow_full" if work == "small_dense" else "pa")
        rows = []
        for model in models:
            time = median_seconds(here, model)
            error = percent(median_error(here, model))
            rows.append([SPEED[model].title, seconds(time), times(ratio(time, base)), error])
        first = SPEED[models[0]].title
        header = ["model", "one pass", f"time over that of {first}", "error"]
        note = _NO_SPARSE_PEER if work == "text" else _PEER if work == "small_dense" else ""
        tables.append(list_table(header, rows, WORK_TITLES[work] + note))
    return joined(tables)


_NO_SPARSE_PEER = (
    ". No Python package that installs here learns AROW, CW or SCW from sparse samples; "
    "``SGDClassifier``, which runs PA-I, is there for its time"
)
_PEER = (
    ". olpy 1.0.0.dev3 is the one package on PyPI with these algorithms that installs and runs "
    "(dense samples, full covariance, NumPy). multiarow 0.2 is for Python 2, scw 1.1.2 fails with "
    "NumPy 2, embedded-jubatus 1.1.1.post2 needs the headers of a C++ library and has no wheel, "
    "and SOL's Python module is not on PyPI"
)


# ---------------------------------------------------------------------------
# Growth, memory
# ---------------------------------------------------------------------------


def growth_points(records, axis, model):
    """Values on an axis and median seconds."""
    here = records.where(axis=axis)
    values = sorted(here.distinct("value"))
    points = [(value, median_seconds(here.where(value=value), model)) for value in values]
    return np.array([p for p in points if p[1] is not None], dtype=float).reshape(-1, 2)


def slope(points):
    """Least-squares slope of the logarithms, over the upper half of the values."""
    upper = points[len(points) // 2 - 1 :] if len(points) > 3 else points
    if len(upper) < 2:
        return float("nan")
    return np.polyfit(*np.log(upper).T, 1)[0]


def linear_growth(results):
    """Times at the first and the last value of each axis, and the exponent."""
    records = stored_records("linear_growth", results).ok()
    rows = []
    for axis, (title, _, models) in AXES.items():
        for model in models:
            points = growth_points(records, axis, model)
            if not len(points):
                continue
            (low, first), (high, last) = points[0], points[-1]
            spans = [f"{count(value)}: {seconds(t)}" for value, t in ((low, first), (high, last))]
            rows.append([title, SPEED[model].title, *spans, f"{slope(points):.2f}"])
    header = ["what grows", "model", "least", "most", "exponent, upper half"]
    return list_table(header, rows)


def linear_bandwidth(results):
    """Bytes per second of a dense pass, compared with NumPy's sum of a large array."""
    records = stored_records("linear_fit", results).ok()
    rows = []
    for work in ("dense_64", "dense_32"):
        here = records.where(work=work)
        time, read = median_seconds(here, "pa"), here.median("bytes")
        bandwidth, product = here.median("bandwidth"), here.median("product_seconds")
        peer = median_seconds(here, "sgd")
        if None in (time, peer, read, bandwidth, product):
            continue
        rows.append(
            [
                WORK_TITLES[work],
                f"{read / 1e6:.0f} MB",
                seconds(time),
                f"{read / time / 1e9:.1f} GB/s",
                f"{bandwidth / 1e9:.1f} GB/s",
                seconds(product),
                f"{read / product / 1e9:.1f} GB/s",
                times(ratio(peer, product)),
            ]
        )
    header = [
        "work", "read", "one pass of PA-I", "that is", "NumPy's sum", "X @ w", "that is",
        "SGDClassifier's time over that of X @ w",
    ]  # fmt: skip
    title = (
        "The samples are read once from memory (and once more from the cache, where one changes "
        "the model), so no pass takes less than the fastest way to read them. NumPy's sum of a "
        "large array, and the product of all samples with a vector by BLAS, in the same process. "
        "The last column is how much faster than SGDClassifier a pass at the speed of that "
        "product would be"
    )
    return list_table(header, rows, title)


TABLES = {
    table.__name__: table
    for table in (
        linear_speed,
        linear_updates,
        linear_calls,
        linear_second_order,
        linear_growth,
        linear_bandwidth,
    )
}
