"""Small sets and many classes: time of fits, single calls, searches and label loops, memory."""

from copy import deepcopy
from functools import partial

import numpy as np
from sklearn.base import clone
from sklearn.metrics import accuracy_score, r2_score
from sklearn.model_selection import GridSearchCV
from sklearn.svm import SVC, SVR, OneClassSVM

from sklearn_online_svm import LASVC, LASVR, OneClassLASVM

from ..bench.data import chunks
from ..bench.frames import frame, points, where
from ..bench.measure import PeakMemory, processor_seconds
from ..bench.plots import BLUE, GREEN, GREY, ORANGE, panels, plain_log, save
from ..bench.rst import count, cross, cross_table, joined, number, percent, seconds, table, times
from ..bench.study import Study, grid, in_turn, named, seeded, step
from ..sets.small_sets import COMPARED, CURVE, FEW, GRID, N_CLASSES, N_PER_CLASS, SIZES, load
from ..sets.workloads import WORKLOADS
from .active_loops import Loop

LARGE, CALLS = "15000 x 64, 150", "20000 x 20, 2"
SEARCHED, LOOP = ("digits", "300 x 10, 5"), "waveform"
# The first of each kind is the peer.
MODELS = {
    "classes": {
        "svc": SVC(C=10),
        "lasvc": LASVC(C=10, random_state=0),
        "ovr": LASVC(C=10, multi_class="ovr", random_state=0),
    },
    "regression": {"SVR": SVR(C=10), "LASVR": LASVR(C=10, random_state=0)},
    "novelty": {
        "OneClassSVM": OneClassSVM(nu=0.1),
        "OneClassLASVM": OneClassLASVM(nu=0.1, random_state=0),
    },
}
CLASSIFIERS = MODELS["classes"]
SCORES = {"classes": accuracy_score, "regression": r2_score, "novelty": accuracy_score}
# Seconds after which a task is given up.
LIMIT = 300
# Samples of a chunk, calls with one sample, and support vectors before these.
CHUNK, N_CALLS, N_VECTORS = 500, 300, (550, 1770)
# A label loop: samples of each class to begin with, queries, and candidates of a query.
N_FIRST, N_QUERIES, POOL_SIZE = 10, 500, 59


def shortest(function, quick):
    """Return what the last call returns, and the shortest processor time of several calls.

    There are calls for 0.3 seconds, or five if these take longer, but none after 2 seconds.
    """
    spent = []
    while not spent or (not quick and sum(spent) < (2 if len(spent) < 5 else 0.3)):
        value, of_call = processor_seconds(function)
        spent.append(of_call)
    return value, min(spent)


def fit(kind, set, quick=False):
    """Times of `fit`, scores, and agreement with the predictions of the peer."""
    X, X_test, y, y_test = load(set, quick, kind)
    found, expected, score = [], None, SCORES[kind]
    for name, model in MODELS[kind].items():
        _, spent = shortest(partial(model.fit, X, y), quick)
        predicted = model.predict(X_test)
        expected = predicted if expected is None else expected
        scores = {"score": score(y_test, predicted), "agreement": score(expected, predicted)}
        found.append({"model": name, "seconds": spent, **scores})
    return {"models": found}


def _streamed(model, X, y):
    """Train a new model in chunks."""
    model, classes = clone(model), np.unique(y)
    for rows in chunks(len(y), CHUNK):
        model.partial_fit(X[rows], y[rows], classes=classes)
    return model


def memory(set, model, stream, quick=False):
    """Peak memory of a fit, or of a stream, beyond the data."""
    X, _, y, _ = load(set, quick)
    train = partial(_streamed, CLASSIFIERS[model]) if stream else CLASSIFIERS[model].fit
    train(X[:100], y[:100])
    with PeakMemory() as peak:
        train(X, y)
    return {"peak_mb": peak.megabytes}


def _timed(runs, score, quick):
    """Return times of functions, and scores of what they return, by the name of the model."""
    found = []
    for name, run in runs.items():
        fitted, spent = shortest(run, quick)
        found.append({"model": name, "seconds": spent, "score": score(fitted)})
    return {"models": found}


def single_calls(n_vectors, seed=0, quick=False):
    """Mean times of `partial_fit` with one sample, alone and with `predict` after each."""
    X, _, y, _ = load(CALLS)
    model, at = clone(CLASSIFIERS["lasvc"]), 0
    while not at or len(model.support_) < (50 if quick else n_vectors):
        model.partial_fit(X[at : at + 50], y[at : at + 50], classes=[0, 1])
        at += 50

    def run(model, predicting):
        for i in range(at, at + N_CALLS):
            model.partial_fit(X[i : i + 1], y[i : i + 1])
            if predicting:
                model.predict(X[i : i + 1])

    found = {}
    for name, predicting in (("alone", False), ("in_turn", True)):
        copies = [deepcopy(model) for _ in range(1 if quick else 5)]
        spent = [processor_seconds(partial(run, copy, predicting))[1] for copy in copies]
        found[f"{name}_microseconds"] = 1e6 * min(spent) / N_CALLS
    return found


def search(set, quick=False):
    """Times of a search over 25 candidates with three folds."""
    X, _, y, _ = load(set, quick)
    scales = np.logspace(-2, 2, 5)
    candidates = {"C": 10 * scales, "gamma": scales / (X.shape[1] * X.var())}
    searches = {n: GridSearchCV(CLASSIFIERS[n], candidates, cv=3) for n in ("svc", "lasvc")}
    runs = {name: partial(each.fit, X, y) for name, each in searches.items()}
    return _timed(runs, lambda fitted: fitted.best_score_, quick)


def label_loop(set, seed=0, quick=False):
    """Times of loops that query a label by margin sampling, and fit the model again."""
    work = WORKLOADS[set]
    split = work.load(seed, quick)
    X, y = split.X_train, split.y_train
    first = np.concatenate([np.flatnonzero(y == label)[:N_FIRST] for label in (-1, 1)])

    def run(make):
        model = make(C=work.C, gamma=work.gamma)
        loop = Loop(X, y, first, model, POOL_SIZE, refit=True, seed=seed)
        for _ in range(20 if quick else N_QUERIES):
            loop.step()
        return loop.classifier()

    runs = {"svc": partial(run, SVC), "lasvc": partial(run, LASVC)}
    return _timed(runs, lambda model: model.score(split.X_test, split.y_test), quick)


SHAPE = "samples x features, classes"
TITLES = {"svc": "SVC", "lasvc": "LASVC", "ovr": "ovr"}
tenths = partial(percent, digits=1)


def by_model(step, results, **wanted):
    """Return what was measured of each set, a row; a column for each field and model."""
    found = where(frame(step, results), **wanted)
    return points(found, "models", "set").pivot(index="set", columns="model").loc[found["set"]]


def small_sets(results):
    """Times, agreement and errors, with a row for each set."""
    found = by_model("small_sets", results, kind="classes")
    times_, errors = found["seconds"], 1 - found["score"]
    columns = {
        SHAPE: found.index,
        **{f"{title}, ms": (1000 * times_[model]).map(number) for model, title in TITLES.items()},
        "SVC / LASVC": (times_.svc / times_.lasvc).map(times),
        "LASVC / ovr": (times_.lasvc / times_.ovr).map(times),
        "error, SVC": errors.svc.map(tenths),
        "error, LASVC": errors.lasvc.map(tenths),
        "equal predictions": found["agreement", "lasvc"].map(percent),
    }
    return table(columns, {"Time of a fit": 5, "Predictions": 3})


def small_sets_grid(results):
    """Ratios of times, by classes and samples of each."""
    found = by_model("small_sets_grid", results)["seconds"]
    rows, columns = ({n: count(n) for n in numbers} for numbers in (N_CLASSES, N_PER_CLASS))
    tables = []
    for slow, fast, title in (
        ("svc", "lasvc", "Time of SVC divided by that of LASVC, by samples of a class"),
        ("lasvc", "ovr", "Time of LASVC divided by that of ovr, by samples of a class"),
    ):
        ratios = (found[slow] / found[fast]).to_dict()

        def cell(k, n, ratios=ratios):
            return times(ratios.get(GRID.get((k, n))))

        tables.append(cross_table("classes", rows, columns, cell, title))
    return joined(tables)


def small_sets_other_models(results):
    """Regression and novelty detection, by the number of samples."""
    tables = []
    for kind, agreement, form in (
        ("regression", "R2 to SVR", "{:.6f}".format),
        ("novelty", "equal predictions", percent),
    ):
        peer, ours = MODELS[kind]
        found = by_model("small_sets", results, kind=kind)
        of_peer, of_ours = found["seconds", peer], found["seconds", ours]
        columns = {
            "samples": found.index.astype(int).map(count),
            f"{peer}, ms": (1000 * of_peer).map(number),
            f"{ours}, ms": (1000 * of_ours).map(number),
            "ratio": (of_peer / of_ours).map(times),
            agreement: found["agreement", ours].map(form),
        }
        tables.append(table(columns))
    return joined(tables)


def small_sets_memory(results):
    """Peak memory beyond the data, in MB."""
    found = frame("small_sets_memory", results, failed=True)
    found["way"] = found.model + np.where(found.stream, ", stream", "")
    ways = TITLES | {"lasvc, stream": "LASVC, stream", "ovr, stream": "ovr, stream"}
    title = "Peak memory beyond the data, MB"
    sets = [*FEW.values(), LARGE]
    return cross(found, ("set", sets), ("way", ways), "peak_mb", parts=title, corner=SHAPE)


def _pair(found, slow, fast, title, scores):
    """Return columns of times of two models, their ratio, and scores or errors."""
    of_slow, of_fast = found["seconds", slow], found["seconds", fast]
    return {
        TITLES[slow]: of_slow.map(seconds),
        TITLES[fast]: of_fast.map(seconds),
        f"{TITLES[slow]} / {TITLES[fast]}": (of_slow / of_fast).map(times),
        **{f"{title}, {TITLES[model]}": scores[model].map(tenths) for model in (slow, fast)},
    }


def small_sets_loops(results):
    """Times of searches and of a label loop."""
    found = by_model("small_sets_loops", results)
    titles = ["label loop" if name == LOOP else f"search, {name}" for name in found.index]
    columns = _pair(found, "svc", "lasvc", "accuracy", found["score"])
    return table({"": titles, **columns})


def small_sets_calls(results):
    """Times of calls with one sample."""
    found = frame("small_sets_calls", results).groupby("n_vectors")
    columns = {
        "support vectors": map(count, found.groups),
        "partial_fit (µs)": found.alone_microseconds.median().map(number),
        "partial_fit and predict (µs)": found.in_turn_microseconds.median().map(number),
    }
    return table(columns)


STYLES = {
    "svc": (ORANGE, "s", "SVC"),
    "lasvc": (BLUE, "o", "LASVC"),
    "ovr": (GREEN, "^", "LASVC, one-vs-rest"),
}
SHADES = dict(zip(N_PER_CLASS, ("#a6c8e6", "#56a0d3", "#0072b2", "#003a5c"), strict=True))


def draw_classes(results, folder):
    """Times with 25 samples a class, and ratios with other numbers of samples."""
    found = by_model("small_sets", results, kind="classes")["seconds"]
    found = found.reindex(CURVE.values()).dropna()
    of_grid = by_model("small_sets_grid", results)["seconds"]
    ratios = (of_grid.svc / of_grid.lasvc).to_dict()
    figure, (axes,) = panels(1, 2)
    for model, (colour, marker, label) in STYLES.items():
        style = dict(color=colour, markersize=5, label=label)
        classes = [k for k, name in CURVE.items() if name in found.index]
        axes[0].plot(classes, 1000 * found[model], f"{marker}-", **style)
    for n, colour in SHADES.items():
        of_n = {k: ratios[GRID[k, n]] for k in N_CLASSES if GRID.get((k, n)) in ratios}
        style = dict(color=colour, markersize=5, label=f"{n} a class")
        axes[1].plot([*of_n], [*of_n.values()], "o-", **style)
    axes[1].axhline(1, color=GREY, linewidth=1)
    for axis, head in zip(
        axes, ("fit of 25 samples a class, ms", "time of SVC / time of LASVC"), strict=True
    ):
        axis.set_title(head, loc="left", fontsize=10)
        axis.set_xlabel("classes")
        plain_log(axis.xaxis, (1, 3))
        plain_log(axis.yaxis, (1, 2, 5))
        axis.legend(frameon=False, fontsize=8)
    save(figure, folder / "small_sets_classes.png")


FITS = grid(kind=["classes"], set=COMPARED) + grid(kind=["regression", "novelty"], set=SIZES)
# One-vs-rest takes minutes on the large set.
MEMORY = grid(set=FEW.values(), model=CLASSIFIERS, stream=[False])
MEMORY += grid(set=[LARGE], model=["svc", "lasvc"], stream=[False])
MEMORY += grid(set=[LARGE], model=["lasvc"], stream=[True])


LOOPS = in_turn(
    step(search, grid(set=SEARCHED), limit=LIMIT), step(label_loop, grid(set=[LOOP]), limit=LIMIT)
)
STUDY = Study(
    steps={
        "small_sets": step(fit, FITS, every=7, limit=LIMIT),
        "small_sets_grid": step(
            fit, grid(kind=["classes"], set=GRID.values()), every=7, limit=LIMIT
        ),
        "small_sets_memory": step(memory, MEMORY, every=4, limit=LIMIT),
        "small_sets_calls": step(single_calls, seeded(grid(n_vectors=N_VECTORS))),
        "small_sets_loops": LOOPS,
    },
    tables=named(
        small_sets,
        small_sets_grid,
        small_sets_other_models,
        small_sets_memory,
        small_sets_calls,
        small_sets_loops,
    ),
    figures=[draw_classes],
)
