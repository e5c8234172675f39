"""Linear models compared with SGDClassifier and other online learners.

``linear_fit``: one pass, compared with scikit-learn; ``linear_calls``: one sample and chunks,
compared with scikit-learn, river and Vowpal Wabbit; ``linear_second_order``: AROW, CW and SCW;
``linear_growth``: samples, features, nonzeros, classes and the full covariance.
"""

import statistics
import sys
import time
from functools import partial
from itertools import islice
from types import ModuleType

import numpy as np
import pandas as pd
from sklearn.linear_model import SGDClassifier

import sklearn_online_svm as ours

from ..bench import plots, rst
from ..bench.data import load_all_samples
from ..bench.frames import frame, median, ratio, where
from ..bench.measure import microseconds_of_calls
from ..bench.study import Study, grid, named, seeded, step
from ..sets.linear import csr_text, noisy_plane

# ---------------------------------------------------------------------------
# Data, and models that make one pass
# ---------------------------------------------------------------------------


def _newsgroups(parts, seed):
    X, y, _ = load_all_samples("newsgroups20")
    rows = np.random.default_rng(seed).permutation(len(y))[: len(y) // parts]
    return X.tocsr()[rows].astype(np.float64), y[rows]


# Samples of the tables: all of them, or one of so many parts.
WORK = {
    "dense_64": lambda parts, seed: noisy_plane(200_000 // parts, 100, seed),
    "dense_32": lambda parts, seed: noisy_plane(200_000 // parts, 100, seed, dtype=np.float32),
    "text": lambda parts, seed: csr_text(20_000 // parts, 47_000, 75, seed),
    "newsgroups": _newsgroups,
    "small_dense": lambda parts, seed: noisy_plane(20_000 // parts, 100, seed),
}
# Panels of the figure: title, values, and samples for a value.
CLASSES = [2, 5, 10, 20, 50, 100, 200]
AXES = {
    "rows": (
        "samples (100 features)",
        [5_000, 10_000, 20_000, 50_000, 100_000, 200_000, 500_000],
        lambda n, parts, seed: noisy_plane(n // parts, 100, seed),
    ),
    "features": (
        "features (8 million values in all)",
        [4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048],
        lambda d, parts, seed: noisy_plane(8_000_000 // d // parts, d, seed),
    ),
    "nonzeros": (
        "nonzeros per sample (20 000 samples, 47 000 features)",
        [10, 20, 40, 80, 160, 320, 640],
        lambda n, parts, seed: csr_text(20_000 // parts, 47_000, n, seed),
    ),
    "dense_classes": (
        "classes (20 000 samples, 100 features)",
        CLASSES,
        lambda k, parts, seed: noisy_plane(20_000 // parts, 100, seed, n_classes=k),
    ),
    "sparse_classes": (
        "classes (5000 samples, 47 000 features, 75 nonzeros)",
        CLASSES,
        lambda k, parts, seed: csr_text(5_000 // parts, 47_000, 75, seed, n_classes=k),
    ),
    "covariance": (
        "features (4000 samples)",
        [8, 16, 32, 64, 128, 256, 512, 1024],
        lambda d, parts, seed: noisy_plane(4_000 // parts, d, seed),
    ),
}


def growing(axis):
    """Return the models of a panel."""
    return ["arow_full", "arow", "olpy_arow"] if axis == "covariance" else ["pa", "arow", "sgd"]


def _olpy(name):
    # It imports a module that setuptools no longer has, and needs it for its data sets only.
    sys.modules.setdefault("pkg_resources", ModuleType("pkg_resources"))
    from olpy import classifiers

    return getattr(classifiers, name)(num_iterations=1, random_state=0)


# C of the passive-aggressive models on both sides.
C = 1.0
_ONCE = dict(max_iter=1, tol=None, shuffle=False)
# The textbook's intercept, also on sparse samples: what has been measured.
_PA = dict(C=C, intercept_scaling=1.0) | _ONCE
# PA-I, as scikit-learn has it.
_SGD = dict(loss="hinge", penalty=None, learning_rate="pa1", eta0=C) | _ONCE
_SHUFFLED = dict(shuffle=True, random_state=0)
_DIAGONAL, _FULL = dict(covariance="diag") | _ONCE, dict(covariance="full") | _ONCE
# Title, estimator and parameters.
SPEED = {
    "pa": ("PA-I", ours.PassiveAggressiveClassifier, _PA),
    "sgd": ("SGDClassifier", SGDClassifier, _SGD),
    "pa_shuffled": ("PA-I, shuffled", ours.PassiveAggressiveClassifier, _PA | _SHUFFLED),
    "sgd_shuffled": ("SGDClassifier, shuffled", SGDClassifier, _SGD | _SHUFFLED),
    "arow": ("AROW, diagonal", ours.AROWClassifier, _DIAGONAL),
    "cw": ("CW, diagonal", ours.ConfidenceWeightedClassifier, _DIAGONAL),
    "scw1": ("SCW-I, diagonal", ours.SCWClassifier, _DIAGONAL),
    "scw2": ("SCW-II, diagonal", ours.SCWClassifier, _DIAGONAL | dict(loss="squared_hinge")),
    "arow_full": ("AROW, full", ours.AROWClassifier, _FULL),
    "cw_full": ("CW, full", ours.ConfidenceWeightedClassifier, _FULL),
    "scw1_full": ("SCW-I, full", ours.SCWClassifier, _FULL),
    "olpy_arow": ("olpy, AROW", _olpy, dict(name="AROW")),
    "olpy_cw": ("olpy, CW", _olpy, dict(name="CW")),
    "olpy_scw": ("olpy, SCW", _olpy, dict(name="SCW")),
}
DIAGONAL = ["pa", "arow", "cw", "scw1", "scw2", "sgd"]
# Ours, and the peer that has the same algorithm.
OLPY = {"arow_full": "olpy_arow", "cw_full": "olpy_cw", "scw1_full": "olpy_scw"}
SECOND_ORDER = {
    "text": dict(models=DIAGONAL, repeats=12),
    "newsgroups": dict(models=DIAGONAL, repeats=12),
    # The peer takes half a second.
    "small_dense": dict(models=[*OLPY, *OLPY.values()], repeats=6),
}


def _build(name):
    _, estimator, options = SPEED[name]
    return estimator(**options)


def fit_in_turns(models, repeats, work="", axis="", value=0, seed=0, quick=False):
    """Fit all models again and again, one after the other, on the same arrays."""
    make = partial(AXES[axis][2], value) if axis else WORK[work]
    X, y = make(40 if quick else 1, seed)
    for name in models:
        _build(name).fit(X[:500], y[:500])
    seconds = {name: [] for name in models}
    for repeat in range(1 if quick else repeats):
        # Each of them comes after each other one.
        turn = repeat % len(models)
        for name in models[turn:] + models[:turn]:
            model = _build(name)
            start = time.perf_counter()
            model.fit(X, y)
            seconds[name].append(time.perf_counter() - start)
    n_learnt, errors = 4 * len(y) // 5, {}
    for name in models:
        predicted = _build(name).fit(X[:n_learnt], y[:n_learnt]).predict(X[n_learnt:])
        errors[name] = float(np.mean(predicted != y[n_learnt:]))
    return {"seconds": seconds, "errors": errors}


# ---------------------------------------------------------------------------
# One sample, and a hundred of them
# ---------------------------------------------------------------------------

N_FEATURES, CHUNK = 100, 100


def _arrays(name, X, y):
    """Return calls of a scikit-learn estimator, with samples of an array."""
    model = _build(name).partial_fit(X[:1], y[:1], classes=[-1, 1])

    def rows(size):
        return ((X[i : i + size], y[i : i + size]) for i in range(0, len(y), size))

    return {
        "learn": (model.partial_fit, rows(1)),
        "chunk": (model.partial_fit, rows(CHUNK)),
        "predict": (model.predict, ((x,) for x, _ in rows(1))),
    }


def _one_by_one(learn, predict, rows):
    """Return calls of a model that takes a sample at a time; they are there beforehand."""

    def learn_chunk(*chunk):
        for row in chunk:
            learn(*row)

    return {
        "learn": (learn, iter(rows)),
        "chunk": (learn_chunk, (rows[i : i + CHUNK] for i in range(0, len(rows), CHUNK))),
        "predict": (predict, (row[:1] for row in rows)),
    }


def _river(X, y):
    from river.linear_model import PAClassifier

    model = PAClassifier(C=C, mode=1)
    rows = [(dict(enumerate(row)), label > 0) for row, label in zip(X.tolist(), y)]
    return _one_by_one(model.learn_one, model.predict_one, rows)


def _vowpal_wabbit(parsed, X, y):
    """Return calls with examples that were parsed beforehand, or with lines of text.

    It has no passive-aggressive rule; this is its own, with the hinge loss.
    """
    from vowpalwabbit import Workspace

    model, rows = Workspace("--quiet --loss_function hinge"), []
    for x, label in zip(X.tolist(), y):
        line = f"{label} | " + " ".join(f"{k}:{value:.6g}" for k, value in enumerate(x))
        rows.append((model.example(line) if parsed else line,))
    return _one_by_one(model.learn, model.predict, rows)


PEERS = {
    "pa": partial(_arrays, "pa"),
    "sgd": partial(_arrays, "sgd"),
    "river": _river,
    "vw_parsed": partial(_vowpal_wabbit, True),
    "vw_text": partial(_vowpal_wabbit, False),
}
# Calls in a turn.
CALLS = {"learn": 200, "chunk": 20, "predict": 200}


def calls_in_turns(models, seed=0, quick=False):
    """Measure calls with one sample, and training on a hundred samples at once.

    All models take turns on the same samples; of each turn the median call counts.
    """
    n_turns = 2 if quick else 20
    X, y = noisy_plane(n_turns * CALLS["chunk"] * CHUNK, N_FEATURES, seed)
    peers = {name: PEERS[name](X, y) for name in models}
    microseconds = {task: {name: [] for name in peers} for task in CALLS}
    for task, n_calls in CALLS.items():
        for _ in range(n_turns):
            for name, calls in peers.items():
                function, items = calls[task]
                times = microseconds_of_calls(function, islice(items, n_calls))
                microseconds[task][name].append(float(np.median(times)))
    return {"microseconds": microseconds, "n_features": N_FEATURES, "chunk": CHUNK}


# ---------------------------------------------------------------------------
# Tables and figure
# ---------------------------------------------------------------------------

WORK_TITLES = {
    "dense_64": "200 000 × 100, dense, float64",
    "dense_32": "200 000 × 100, dense, float32",
    "text": "20 000 × 47 000, CSR",
    "newsgroups": "News20, CSR",
}


def fits(measured, results):
    """Return a row for each fit: its labels, model and seconds, and the error of the model."""
    return pd.DataFrame(
        {**row, "model": model, "seconds": seconds, "error": row["errors"][model]}
        for row in frame(measured, results).to_dict("records")
        for model, times in row["seconds"].items()
        for seconds in times
    )


def _fit(found, **wanted):
    """Write the time and the error of a model."""
    error = median(found, "error", **wanted)
    time = rst.seconds(median(found, "seconds", **wanted))
    return "–" if error is None else f"{time}, {rst.percent(error)}"


def linear_fit(results):
    """One pass of PA-I, compared with SGDClassifier."""
    found = fits("linear_fit", results)

    def table(title, pa, sgd):
        def cell(work, column):
            if column != "ratio":
                return _fit(found, work=work, model=column)
            both = (median(found, "seconds", work=work, model=model) for model in (sgd, pa))
            return rst.times(ratio(*both))

        columns = {pa: "PA-I", sgd: "SGD", "ratio": "SGD / PA-I"}
        return rst.cross_table("samples", WORK_TITLES, columns, cell, title)

    in_order = table("Samples in their order", "pa", "sgd")
    return rst.joined([in_order, table("Shuffled", "pa_shuffled", "sgd_shuffled")])


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


def linear_calls(results):
    """One sample and a hundred; river and Vowpal Wabbit take a sample at a time."""
    found = frame("linear_calls", results)["microseconds"]

    def cell(task, model):
        times = [time for of_seed in found for time in of_seed[task].get(model, ())]
        if not times:
            return "–"
        value = statistics.median(times)
        return f"{value:.3g}{rst.NBSP}µs" if value < 1000 else f"{value / 1000:.3g}{rst.NBSP}ms"

    return rst.joined(
        rst.cross_table("call, 100 features", CALL_TITLES, columns, cell, title)
        for title, columns in CALL_PARTS.items()
    )


def linear_second_order(results):
    """AROW, CW and SCW on sparse samples, and with the full covariance compared with olpy."""
    found = fits("linear_second_order", results)
    sparse = rst.cross_table(
        "model",
        {model: SPEED[model][0] for model in DIAGONAL},
        {work: WORK_TITLES[work] for work in ("text", "newsgroups")},
        lambda model, work: _fit(found, work=work, model=model),
    )
    rows = [
        [SPEED[model][0], *(_fit(found, work="small_dense", model=m) for m in (model, olpy))]
        for model, olpy in OLPY.items()
    ]
    title = "20 000 × 100, dense, full covariance"
    return rst.joined([sparse, rst.list_table(["model", "here", "olpy"], rows, title)])


STYLES = {
    "pa": ("#0072b2", "o"),
    "arow": ("#009e73", "^"),
    "sgd": ("#d55e00", "s"),
    "arow_full": ("#cc79a7", "D"),
    "olpy_arow": ("#8b949e", "X"),
}


def _slope(points):
    """Return the slope of the logarithms, over the upper half of the values."""
    upper = points[len(points) // 2 - 1 :] if len(points) > 3 else points
    return np.polyfit(*np.log(upper).T, 1)[0] if len(upper) > 1 else float("nan")


def draw_growth(results, folder):
    """Draw how the cost of one pass grows: one panel for each thing that grows."""
    found = fits("linear_growth", results)
    figure, axes = plots.panels(2, 3, width=4.6, height=3.6)
    for panel, (name, (title, *_)) in zip(axes.flat, AXES.items()):
        for model in growing(name):
            here = where(found, axis=name, model=model)
            if here.empty:
                continue
            points = here.groupby("value")["seconds"].median().reset_index().to_numpy(float)
            colour, marker = STYLES[model]
            label = f"{SPEED[model][0]}, ^{_slope(points):.2f}"
            panel.loglog(*points.T, marker=marker, markersize=4, color=colour, label=label)
        panel.set(xlabel=title, ylabel="one pass (s)")
        plots.plain_log(panel.yaxis)
        plots.plain_log(panel.xaxis)
        panel.legend(frameon=False, fontsize=8)
    plots.save(figure, folder / "linear_growth.png")


def _second_order(settings):
    cases = seeded(grid(work=SECOND_ORDER))(settings)
    return [(case, case | SECOND_ORDER[case["work"]]) for case in cases]


def _growth(settings):
    """Return a case for each point."""
    cases = []
    for axis, (_, numbers, _) in AXES.items():
        for value in numbers[: 3 if settings.quick else None]:
            case = dict(axis=axis, value=value)
            # olpy takes minutes with more features.
            models = [m for m in growing(axis) if m != "olpy_arow" or value <= 256]
            cases.append((case, case | dict(models=models)))
    return cases


STUDY = Study(
    steps={
        "linear_calls": step(calls_in_turns, seeded([{}]), models=[*PEERS]),
        # In the order of the samples, then with the default shuffle=True.
        "linear_fit": step(
            fit_in_turns,
            seeded(grid(work=WORK_TITLES)),
            models=["pa", "sgd", "pa_shuffled", "sgd_shuffled"],
            repeats=12,
        ),
        "linear_second_order": step(fit_in_turns, _second_order),
        "linear_growth": step(fit_in_turns, _growth, repeats=5),
    },
    tables=named(linear_fit, linear_calls, linear_second_order),
    figures=[draw_growth],
)
