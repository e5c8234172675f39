"""Tables of `stream_order`."""

from statistics import mean

from ..bench.rst import count, cross_table, grouped, joined, list_table, number, split_table, times
from ..bench.summary import measured, stored_records
from .orders import BY_CLASS, BY_FEATURE, ORDERS, SHUFFLED
from .sets import REGRESSION_SETS, SETS
from .steps import BOTH
from .tasks import LATE, MODELS, REGRESSION_ORDERS, SETTLED

TITLES = {
    "lasvc": "LASVC",
    "off": "LASVC, replay_size=0",
    "4000": "LASVC, replay_size=4000",
    "scale": 'LASVC, gamma="scale"',
    "sgd": "SGDClassifier",
    "arow": "kernel AROW",
}
# Orders that the means are taken over. The one by a feature differs from set to set.
COUNTED = [order for order in ORDERS if order not in (SHUFFLED, BY_FEATURE)]


def errors(results, model, field="errors"):
    """Return the mean error of a model, by set and order, in percent."""
    found = {}
    for step in ("stream_order", "stream_order_variants", "stream_order_peers"):
        for record in stored_records(step, results).ok().records:
            by_order = {}
            for run in record["runs"]:
                for entry in run["orders"]:
                    if model in entry[field]:
                        value = 100 * entry[field][model]
                        by_order.setdefault(entry["order"], []).append(value)
            if by_order:
                found[record["set"]] = {name: mean(each) for name, each in by_order.items()}
    return {name: found[name] for name in SETS if name in found}


def excesses(by_order):
    """Return by how much the error is above that of the shuffled stream, by order."""
    return {name: error - by_order[SHUFFLED] for name, error in by_order.items()}


def counted(found):
    """Return the excesses of all sets and orders of which means are taken."""
    return [
        excess[name] for excess in map(excesses, found.values()) for name in COUNTED
        if name in excess
    ]  # fmt: skip


def _points(value):
    return "–" if value is None else f"{round(value, 1) + 0.0:+.1f}"


def _in_orders(model, results):
    found = errors(results, model)
    if not found:
        return None
    long = [name for name in ORDERS if name.startswith("bursts")]
    short = [name for name in ORDERS if name not in (SHUFFLED, *long)]
    columns = [*short, *long]
    rows = []
    for name, by_order in found.items():
        excess = excesses(by_order)
        cells = [_points(excess.get(order)) for order in columns]
        rows.append([SETS[name].title, f"{by_order[SHUFFLED]:.1f}", *cells])
    for title, reduce in (("mean", mean), ("largest", max)):
        each = [[e[o] for e in map(excesses, found.values()) if o in e] for o in columns]
        rows.append([title, "", *(_points(reduce(values)) for values in each)])
    title = TITLES[model]
    parts = {title: 1 + len(short), f"{title}: bursts": len(long)}
    return split_table(["", SHUFFLED, *columns], rows, parts)


def in_orders(results):
    """Error of the shuffled stream, and what each order adds to it."""
    return joined([_in_orders(model, results) for model in BOTH])


def summary(results):
    """Mean and largest excess of each model, and the errors of shuffled streams."""
    rows = []
    for model in MODELS:
        found, title = errors(results, model), TITLES[model]
        if found:
            above, shuffled = counted(found), [e[SHUFFLED] for e in found.values()]
            by_class = [e[BY_CLASS] for e in found.values()]
            cells = [f"{mean(shuffled):.1f}", f"{mean(by_class):.1f}"]
            rows.append([title, *cells, _points(mean(above)), _points(max(above))])
    header = ["", SHUFFLED, BY_CLASS, "mean excess", "largest excess"]
    return list_table(header, rows)


def peers(results):
    """Errors of shuffled streams and of those sorted by class."""
    models = ("lasvc", "off", "sgd", "arow")
    found = {model: errors(results, model) for model in models}

    def cell(name, model):
        by_order = found[model].get(name)
        return f"{by_order[SHUFFLED]:.1f} / {by_order[BY_CLASS]:.1f}" if by_order else "–"

    sets = {name: SETS[name].title for name in SETS}
    return cross_table("", sets, {model: TITLES[model] for model in models}, cell)


def regression(results):
    """R2 of streams sorted by the target."""
    rows = []
    for record in measured("stream_order_regression", results).records:
        scores = {}
        for run in record["runs"]:
            for entry in run["orders"]:
                for model, score in entry["scores"].items():
                    scores.setdefault((entry["order"], model), []).append(score)
        cells = [
            " / ".join(f"{mean(scores[order, model]):.3f}" for model in BOTH)
            for order in REGRESSION_ORDERS
        ]
        rows.append([REGRESSION_SETS[record["set"]].title, f"{record['C']:g}", *cells])
    return list_table(["", "C", *REGRESSION_ORDERS], grouped(rows))


def _means(record):
    """Return the mean error of each model over the runs, in percent."""
    runs = [run["errors"] for run in record["runs"]]
    return {model: 100 * mean(run[model] for run in runs) for model in runs[0]}


def late(results):
    """Errors of streams at whose end classes are added."""
    columns = {
        "fit": "fit", "shuffled": "shuffled", "lasvc": "late", "4000": "late, replay_size=4000",
        "off": "late, replay_size=0",
    }  # fmt: skip
    rows = []
    for record in measured("stream_order_late", results).records:
        found, name = _means(record), record["set"]
        title = f"{SETS[name].title}, {LATE[name]} late"
        rows.append([title, *(f"{found[model]:.1f}" for model in columns)])
    return list_table(["", *columns.values()], rows)


def drift(results):
    """Errors of the first samples since a change, and of later ones."""
    rows = []
    for record in measured("stream_order_drift", results).records:
        runs = [run["errors"] for run in record["runs"]]
        parts = [
            [100 * mean(run[model][part] for run in runs) for model in BOTH]
            for part in ("first", "later")
        ]
        of = [record["drift"], *(SETS[name].title for name in [record["set"]] if name)]
        pairs = (" / ".join(f"{error:.1f}" for error in pair) for pair in parts)
        rows.append([", ".join(of), *pairs, _points(parts[1][0] - parts[1][1])])
    return list_table(["", f"first {SETTLED}", "later", "later, difference"], rows)


def sizes(results):
    """Sizes of pickled models, in MB."""
    rows = [
        [record["order"], TITLES[model["model"]], count(model["n_vectors"])]
        + [number(model[f"{when}_mb"]) for when in ("stream", "predicted")]
        for record in measured("stream_order_sizes", results).records
        for model in record["models"]
    ]
    header = ["", "", "support vectors", "after the stream", "after a prediction"]
    return list_table(header, grouped(rows))


def costs(results):
    """Times, divided by that of the shuffled stream without replay."""
    rows, orders = [], []
    for record in measured("stream_order_times", results).records:
        found = {entry["order"]: entry["seconds"] for entry in record["orders"]}
        orders, base = list(found), found[SHUFFLED]["off"]
        cells = (
            " / ".join(times(of_model[model] / base) for model in BOTH)
            for of_model in found.values()
        )
        rows.append([SETS[record["set"]].title, "yes" if record["predicting"] else "no", *cells])
    return list_table(["", "predictions", *orders], grouped(rows))


TABLES = {
    "stream_order": in_orders,
    "stream_order_summary": summary,
    "stream_order_peers": peers,
    "stream_order_regression": regression,
    "stream_order_late": late,
    "stream_order_drift": drift,
    "stream_order_sizes": sizes,
    "stream_order_costs": costs,
}
