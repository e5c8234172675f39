"""Streams in any order: sorted by class, in bursts, by a feature; late classes, drift."""

import warnings
from functools import partial
from itertools import product

import numpy as np
import pandas as pd
from scipy.sparse import issparse
from sklearn.linear_model import SGDClassifier
from sklearn.metrics import balanced_accuracy_score, r2_score

from sklearn_online_svm import LASVC, LASVR, KernelAROWClassifier

from ..bench.data import chunks
from ..bench.frames import frame, means, unnest
from ..bench.measure import processor_seconds
from ..bench.plots import legend_below, panels, save
from ..bench.rst import joined, list_table, points, text_table, times
from ..bench.study import Study, each_seed, grid, named, step
from ..sets.orders import (
    BURSTS,
    BY_CLASS,
    BY_FEATURE,
    ORDERS,
    OTHERS,
    REGRESSION_SETS,
    SETS,
    SHUFFLED,
    drifting,
    order_of,
)

# Samples of a call of `partial_fit`.
CHUNK = 100
# gamma="scale" is 1 on the whole sets; some have other parameters.
GAMMA = 1.0
MODELS = {"lasvc": {}, "off": {"replay_size": 0}}
TITLES = {
    "lasvc": "LASVC",
    "off": "LASVC, replay_size=0",
    "sgd": "SGDClassifier",
    "arow": "kernel AROW",
}
REGRESSION_ORDERS = {SHUFFLED: 0, "ascending": 1, "descending": -1}
# Samples after a change that are counted apart.
N_FIRST = 2000
_points = partial(points, digits=1)


def _make(name, params, seed):
    """Return a model without training."""
    if name == "sgd":
        return SGDClassifier(loss="log_loss", random_state=seed)
    if name == "arow":
        return KernelAROWClassifier(gamma=GAMMA, random_state=seed)
    return LASVC(**{"gamma": GAMMA, **params, **MODELS[name]})


def _stream(model, X, y, **classes):
    """Train a model in chunks; after each, yield the number of samples so far."""
    for rows in chunks(len(y), CHUNK):
        model.partial_fit(X[rows], y[rows], **classes)
        yield rows.stop


def _trained(model, X, y, **classes):
    for _ in _stream(model, X, y, **classes):
        pass
    return model


def _scale(name, X):
    """Return by what features are multiplied: SGDClassifier needs standardized ones."""
    return np.sqrt(X.shape[1]) if name == "sgd" and not issparse(X) else 1


def _error(model, X, y):
    return float(np.mean(model.predict(X) != y))


@each_seed(5)
def learn_in_orders(set, models, seed, quick, orders=ORDERS):
    """Return test errors of models after the stream, in each order."""
    X, y, X_test, y_test = SETS[set].load(seed, quick)
    found = []
    for name in orders:
        order = order_of(name, X, y, seed)
        if order is None:
            continue
        entry = {"order": name, "errors": {}, "balanced": {}}
        for key in models:
            model, scale = _make(key, SETS[set].params, seed), _scale(key, X)
            _trained(model, scale * X[order], y[order], classes=np.unique(y))
            entry["errors"][key] = _error(model, scale * X_test, y_test)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # classes that are not among the test samples
                score = balanced_accuracy_score(y_test, model.predict(scale * X_test))
            entry["balanced"][key] = float(1 - score)
        found.append(entry)
    return {"n_train": len(y), "n_classes": len(np.unique(y)), "orders": found}


@each_seed(1)
def errors_along(set, seed, quick):
    """Return test errors along a stream that is sorted by class, and along a shuffled one."""
    X, y, X_test, y_test = SETS[set].load(seed, quick)
    every = max(CHUNK, len(y) // 30 // CHUNK * CHUNK)
    curves = {}
    for key in ("lasvc", "off", "sgd", "arow", SHUFFLED):
        order = order_of(SHUFFLED if key == SHUFFLED else BY_CLASS, X, y, seed)
        model = _make("lasvc" if key == SHUFFLED else key, SETS[set].params, seed)
        scale = _scale(key, X)
        curves[key] = [
            [n, _error(model, scale * X_test, y_test)]
            for n in _stream(model, scale * X[order], y[order], classes=np.unique(y))
            if n % every == 0 or n == len(y)
        ]
    return {"curves": curves}


@each_seed(3)
def regress_in_orders(set, C, seed, quick):
    """Return R2 on test samples of streams that are sorted by the target."""
    n_train = None if set == "abalone" or quick else 5000
    X, y, X_test, y_test = REGRESSION_SETS[set].load(seed, quick, n_train)
    found = []
    for name, sign in REGRESSION_ORDERS.items():
        order = np.argsort(sign * y, kind="stable")
        models = {key: _trained(LASVR(C=C, **MODELS[key]), X[order], y[order]) for key in MODELS}
        scores = {key: float(r2_score(y_test, m.predict(X_test))) for key, m in models.items()}
        found.append({"order": name, "scores": scores})
    return {"n_train": len(y), "orders": found}


@each_seed(5)
def follow_drift(drift, set, seed, quick):
    """Return prequential errors of the first samples after the change, and of later ones."""
    X, y, half, params = drifting(drift, set, seed, quick)
    errors = {}
    for key in MODELS:
        model, wrong = _make(key, params, seed), []
        for n in _stream(model, X, y, classes=np.unique(y)):
            if half <= n < len(y):
                wrong.extend(model.predict(X[n : n + CHUNK]) != y[n : n + CHUNK])
        first, later = np.split(wrong, [min(N_FIRST, len(wrong) // 2)])
        errors[key] = {"first": float(first.mean()), "later": float(later.mean())}
    return {"errors": errors}


def time_in_orders(set, predicting, seed=0, quick=False):
    """Return the shortest processor times of a stream, by order and model."""
    X, y, X_test, _ = SETS[set].load(seed, quick)
    names = [SHUFFLED, BY_CLASS, "bursts of 200"]
    orders = {name: order_of(name, X, y, seed) for name in names}

    def run(key, order):
        model = _make(key, SETS[set].params, seed)
        for _ in _stream(model, X[order], y[order], classes=np.unique(y)):
            if predicting:
                model.predict(X_test[:1])

    seconds = {name: {} for name in orders}
    # In turn, so that a slow moment of the machine does not affect one of them only.
    for _, name, key in product(range(1 if quick else 5), orders, ["off", "lasvc"]):
        _, spent = processor_seconds(partial(run, key, orders[name]))
        seconds[name][key] = min(spent, seconds[name].get(key, spent))
    return {"orders": [{"order": name, "seconds": spent} for name, spent in seconds.items()]}


def _parts(step, results, path, *labels):
    """Return a row for each part of the records, with the title of the set."""
    found = unnest(frame(step, results), path, "set", *labels)
    return found.assign(set=[(SETS | REGRESSION_SETS)[s].title if s else "" for s in found["set"]])


def errors(step, results):
    """Return mean test errors in percent: by set and order, a column for each model."""
    parts = _parts(step, results, ["runs", "orders"])
    percents = 100 * parts.filter(like="errors.").rename(columns=lambda name: name[7:])
    return means(percents.assign(set=parts["set"], order=parts["order"]), "set", "order")


def excesses(of_model):
    """Return errors of shuffled streams, and by how much those of other orders are above."""
    by_order = of_model.unstack("order", sort=False)
    shuffled = by_order.pop(SHUFFLED)
    return shuffled, by_order.sub(shuffled, axis=0)


def _pairs(found, field, form):
    """Return texts of a field of both models."""
    ours, off = (found[field.format(model)].map(form) for model in MODELS)
    return ours + " / " + off


def stream_order(results):
    """Write the error of the shuffled stream, and what each order adds to it."""
    tables = []
    for model, of_model in errors("stream_order", results).items():
        shuffled, above = excesses(of_model)
        above.loc["mean"], above.loc["largest"] = above.mean(), above.max()
        cells = above.reindex(columns=[*OTHERS, *BURSTS]).map(_points)
        cells.insert(0, SHUFFLED, shuffled.map("{:.1f}".format))
        parts = {TITLES[model]: 1 + len(OTHERS), f"{TITLES[model]}: bursts": len(BURSTS)}
        tables.append(text_table(cells.fillna({SHUFFLED: ""}), parts=parts))
    return joined(tables)


def stream_order_summary(results):
    """Write mean errors and excesses; the order by a feature differs from set to set."""
    rows = []
    for model, of_model in errors("stream_order", results).items():
        shuffled, above = excesses(of_model)
        counted = above.drop(columns=BY_FEATURE).stack()
        means = shuffled.mean(), (shuffled + above[BY_CLASS]).mean()
        most = map(_points, (counted.mean(), counted.max()))
        rows.append([TITLES[model], *map("{:.1f}".format, means), *most])
    return list_table(["", SHUFFLED, BY_CLASS, "mean excess", "largest excess"], rows)


def stream_order_peers(results):
    """Write errors of shuffled streams and of those sorted by class."""
    found = errors("stream_order", results).join(errors("stream_order_peers", results))
    found = found.map("{:.1f}".format).rename(columns=TITLES)
    shuffled, by_class = (found.xs(order, level="order") for order in (SHUFFLED, BY_CLASS))
    return text_table(shuffled + " / " + by_class)


def stream_order_regression(results):
    """Write R2 of streams sorted by the target."""
    parts = _parts("stream_order_regression", results, ["runs", "orders"], "C")
    found = means(parts, "set", "C", "order")
    cells = _pairs(found, "scores.{}", "{:.3f}".format).unstack("order", sort=False)
    return text_table(cells.rename("{:g}".format, level="C"), keys=["", "C"])


def stream_order_drift(results):
    """Write errors of the first samples since a change, and of later ones."""
    found = 100 * means(_parts("stream_order_drift", results, "runs", "drift"), "drift", "set")
    found.index = [", ".join(filter(None, key)) for key in found.index]
    difference = found["errors.lasvc.later"] - found["errors.off.later"]
    cells = {
        f"first {N_FIRST}": _pairs(found, "errors.{}.first", "{:.1f}".format),
        "later": _pairs(found, "errors.{}.later", "{:.1f}".format),
        "later, difference": difference.map(_points),
    }
    return text_table(pd.DataFrame(cells))


def stream_order_costs(results):
    """Write times, divided by that of the shuffled stream without replay."""
    found = _parts("stream_order_times", results, "orders", "predicting")
    found["predicting"] = found["predicting"].map({True: "yes", False: "no"})
    found = found.set_index(["set", "predicting", "order"])[["seconds.lasvc", "seconds.off"]]
    # The shuffled stream is the first one.
    base = found.groupby(level=[0, 1])["seconds.off"].transform("first")
    cells = _pairs(found.div(base, axis=0), "seconds.{}", times).unstack("order", sort=False)
    return text_table(cells, keys=["", "predictions"])


def draw_along(results, folder):
    """Draw test errors along streams that are sorted by class, a panel for each set."""
    styles = {
        SHUFFLED: ("#8b949e", "--", "LASVC, shuffled"),
        "lasvc": ("#0072b2", "-", "LASVC"),
        "off": ("#56b4e9", "-", "LASVC, replay_size=0"),
        "sgd": ("#d55e00", "-", "SGDClassifier"),
        "arow": ("#009e73", "-", "KernelAROWClassifier"),
    }
    found = frame("stream_order_along", results)
    figure, (axes,) = panels(1, len(found), width=3.6)
    for axis, name, (run, *_) in zip(axes, found["set"], found["runs"]):
        for key, (colour, line, label) in styles.items():
            seen, error = np.transpose(run["curves"][key])
            axis.plot(seen, 100 * error, line, color=colour, label=label)
        axis.set_title(f"{SETS[name].title}, test error (%)", loc="left", fontsize=10)
        axis.set(xlabel="samples", ylim=(0, None))
    legend_below(figure, axes, 5)
    save(figure, folder / "stream_order_along.png")


DRIFTS = [
    *grid(drift=["boundary", "boundary, bursts"], set=[""]),
    *grid(drift=["a class"], set=["covtype", "letter", "usps"]),
]
TIMED = grid(set=["covtype", "adult", "letter", "usps", "magic04"], predicting=[False, True])
CS = [0.1, 1.0, 10.0]
STUDY = Study(
    steps={
        "stream_order": step(learn_in_orders, grid(set=SETS), every=6, models=[*MODELS]),
        "stream_order_peers": step(
            learn_in_orders,
            grid(set=SETS),
            every=6,
            models=["sgd", "arow"],
            orders=[SHUFFLED, BY_CLASS],
            n_seeds=1,
        ),
        "stream_order_along": step(errors_along, grid(set=["covtype", "letter", "adult"])),
        "stream_order_regression": step(
            regress_in_orders, grid(set=REGRESSION_SETS, C=CS), n_quick=2
        ),
        "stream_order_drift": step(follow_drift, DRIFTS),
        "stream_order_times": step(time_in_orders, TIMED, n_quick=2),
    },
    tables=named(
        stream_order,
        stream_order_summary,
        stream_order_peers,
        stream_order_regression,
        stream_order_drift,
        stream_order_costs,
    ),
    figures=[draw_along],
)
