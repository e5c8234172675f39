"""Models of constant size on streams, with and without concept drift.

``unbounded_sets``: accuracy on data sets and generated samples; ``unbounded_gradual``,
``unbounded_abrupt``, ``unbounded_recurring``: a million samples with concept drift.
"""

import time
import warnings
from functools import partial
from importlib import import_module

import numpy as np
from sklearn.kernel_approximation import Nystroem

import sklearn_online_svm as ours

from ..bench import plots, rst
from ..bench.data import chunks
from ..bench.frames import frame, mean, points, where
from ..bench.measure import resident
from ..bench.study import Study, grid, named, step
from ..sets.streams import DRIFT_GAMMA, DRIFTS, STREAMS, WRONG, drifting

# Support vectors or components, and the number of seeds.
SIZE, N_SEEDS = 500, 5
CHUNK, DRIFT_CHUNK, N_POINTS = 200, 500, 20
# The features of a stream have mean 0 and a squared length of about 1: gamma="scale".
GAMMA = 1.0
# After so many seconds a model need not go on.
LIMIT = 30.0


class Mapped:
    """A linear model on the features of Nystroem, with components among the first samples."""

    def __init__(self, X, gamma, random_state, **choice):
        self.map = Nystroem(gamma=gamma, n_components=SIZE, random_state=random_state)
        self.map.fit(X[:1000])
        self.model = ours.AROWClassifier(covariance="full", random_state=random_state, **choice)

    def predict(self, X):
        return self.model.predict(self.map.transform(X))

    def partial_fit(self, X, y, classes):
        self.model.partial_fit(self.map.transform(X), y, classes)


class River:
    """A model of river, which takes samples one by one as dicts."""

    def __init__(self, module, name, seed):
        self.model = getattr(import_module(f"river.{module}"), name)(seed=seed)

    def predict(self, X):
        rows = (dict(enumerate(row)) for row in X.tolist())
        return np.array([self.model.predict_one(row) or 0 for row in rows])

    def partial_fit(self, X, y, classes):
        for row, label in zip(X.tolist(), y.tolist(), strict=True):
            self.model.learn_one(dict(enumerate(row)), label)


# Functions of the stream, of which a model may see the first samples beforehand, of gamma,
# random_state and further parameters.
MAKE = {
    "kernel_arow": lambda X, **given: ours.KernelAROWClassifier(max_support_vectors=SIZE, **given),
    "kernel_pa": lambda X, **given: ours.KernelPassiveAggressiveClassifier(
        max_support_vectors=SIZE, **given
    ),
    "nystroem_arow": Mapped,
    "lasvc": lambda X, **given: ours.LASVC(**given),
    "local": lambda X, gamma, **given: ours.LocalOnlineClassifier(**given),
    "linear": lambda X, gamma, **given: ours.AROWClassifier(
        covariance="full" if X.shape[1] <= 256 else "diag", **given
    ),
    "tree": lambda X, gamma, random_state: River(
        "tree", "HoeffdingAdaptiveTreeClassifier", random_state
    ),
    "forest": lambda X, gamma, random_state: River("forest", "ARFClassifier", random_state),
}


# Title, and a parameter with the values that it is chosen from.
MODELS = {
    "kernel_arow": ("AROW", [{}]),
    "kernel_pa": ("PA", grid(C=[0.01, 0.1, 1.0])),
    "nystroem_arow": ("Nystroem", grid(r=[0.01, 0.1, 1.0])),
    "lasvc": ("LASVC", grid(C=[0.1, 1.0, 10.0])),
    "local": ("LOL", grid(C=[0.01, 0.1, 1.0, 10.0])),
    "linear": ("linear", grid(r=[0.1, 1.0, 10.0])),
}
# Title, colour and line, key of MAKE, and parameters.
DRIFT_MODELS = {
    "kernel_arow": ("kernel AROW", "#0072b2", "-", "kernel_arow", {}),
    "kernel_arow_9999": (
        "kernel AROW, 0.9999", "#56b4e9", "-", "kernel_arow", dict(forgetting_factor=0.9999),
    ),
    "kernel_arow_1": (
        "kernel AROW, 1.0", "#56b4e9", ":", "kernel_arow", dict(forgetting_factor=1.0),
    ),
    "kernel_pa": ("kernel PA", "#cc79a7", "-", "kernel_pa", dict(C=0.1)),
    "lasvc": ("LASVC", "#000000", ":", "lasvc", {}),
    "lasvc_window": ("LASVC, window", "#009e73", "-", "lasvc", dict(window_size=20_000)),
    "nystroem_arow": ("Nystroem", "#888888", "--", "nystroem_arow", {}),
    "tree": ("adaptive tree", "#e69f00", "-", "tree", {}),
    "forest": ("adaptive forest", "#d55e00", "-", "forest", {}),
}  # fmt: skip


def test_then_train(model, X, y, classes):
    """Return whether each sample was predicted correctly before the model was trained on it."""
    correct = np.zeros(len(y), dtype=bool)
    for rows in chunks(len(y), CHUNK):
        if rows.start:
            correct[rows] = model.predict(X[rows]) == y[rows]
        model.partial_fit(X[rows], y[rows], classes)
    return correct


def learn_stream(stream, model, quick=False):
    """Measure each choice of the parameter, on each seed."""
    choices = MODELS[model][1]
    runs = []
    for seed in range(1 if quick else N_SEEDS):
        X, y, classes = STREAMS[stream].load(seed, quick)
        for choice in choices:
            fitted = MAKE[model](X, gamma=GAMMA, random_state=seed, **choice)
            start = time.process_time()
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                correct = test_then_train(fitted, X, y, classes)
            seconds = time.process_time() - start
            run = {"seed": seed, "choice": choice, "mean": float(correct[CHUNK:].mean())}
            runs.append(run | {"sample_microseconds": seconds / len(y) * 1e6})
    return {"n_samples": len(y), "n_classes": len(classes), "runs": runs}


def follow_drift(stream, model, seed=0, quick=False):
    """Measure test-then-train errors in equal windows, with time and memory at their ends."""
    X, y = drifting(stream, seed, quick)
    *_, make, options = DRIFT_MODELS[model]
    fitted = MAKE[make](X, gamma=DRIFT_GAMMA, random_state=seed, **options)
    n, windows, wrong = len(y), [], []
    before, begun = resident(), time.process_time()
    for rows in chunks(n, DRIFT_CHUNK):
        if rows.start:
            wrong.append(float(np.mean(fitted.predict(X[rows]) != y[rows])))
        fitted.partial_fit(X[rows], y[rows], classes=[0, 1])
        seconds = time.process_time() - begun
        over = seconds > LIMIT or rows.stop == n
        if over or rows.stop % (n // N_POINTS) == 0:
            point = {"rows": rows.stop, "error": float(np.mean(wrong)), "seconds": seconds}
            windows.append(point | {"megabytes": resident() - before})
            wrong = []
        if over:
            break
    return {"points": windows}


def best_choices(results):
    """Return accuracy and microseconds of each stream and model, and its gap.

    Those for the value of the parameter with the highest accuracy; the gap is the difference from
    the best model of constant size (all but LASVC).
    """
    runs = points(frame("unbounded_sets", results), "runs", "stream", "model")
    cases = [runs["stream"], runs["model"], runs["choice"].astype(str)]
    means = runs.groupby(cases)[["mean", "sample_microseconds"]].mean()
    means = means.sort_values(["mean", "sample_microseconds"])
    best = means.groupby(["stream", "model"]).last().reset_index()
    highest = best[best["model"] != "lasvc"].groupby("stream")["mean"].max()
    return best.assign(gap=best["stream"].map(highest) - best["mean"])


def accuracies(models, title, results):
    """Accuracies, the differences from the best, and the time of a sample."""
    best = best_choices(results)
    columns = {model: MODELS[model][0] for model in models}
    rows = {name: stream.title for name, stream in STREAMS.items()}
    rows |= {"mean": "mean loss", "max": "largest loss", "time": "µs"}

    def cell(row, model):
        here = where(best, model=model)
        if row == "time":
            return f"{here['sample_microseconds'].median():.2g}"
        if row in ("mean", "max"):
            return f"{100 * here['gap'].agg(row):.2f}"
        here = where(here, stream=row)
        if here.empty:
            return "–"
        text = f"{100 * here['mean'].item():.2f}"
        return text if here["gap"].item() else f"**{text}**"

    return rst.cross_table("", rows, columns, cell, title)


# A narrow column breaks at a soft hyphen.
DRIFT_TITLES = {name: name for name in DRIFTS} | {"recurring": "recur\N{SOFT HYPHEN}ring"}


def drift_points(results):
    """Return a row for each window of each stream with concept drift and model."""
    found = frame([f"unbounded_{name}" for name in DRIFTS], results)
    return points(found, "points", "stream", "model")


def unbounded_errors(results):
    """Mean errors over the windows."""
    rows = ("model", {model: title for model, (title, *_) in DRIFT_MODELS.items()})
    columns = ("stream", DRIFT_TITLES)
    form, title = (lambda error: f"{100 * error:.2f}"), "Error (%)"
    found = drift_points(results)
    return rst.cross(found, rows, columns, "error", form, title, corner="", middle=mean)


def _rate(windows):
    """Return thousand samples per second between the first and the last of three windows."""
    if len(windows) < 3:
        return "–"
    begin, end = windows.iloc[0], windows.iloc[-1]
    return f"{(end['rows'] - begin['rows']) / (end['seconds'] - begin['seconds']) / 1000:.1f}"


def unbounded_costs(results):
    """Samples, speed and memory in half a minute."""
    rows = []
    for model, found in where(drift_points(results), stream="abrupt").groupby("model", sort=False):
        rows.append([
            DRIFT_MODELS[model][0],
            f"{found['rows'].max() / 1000:.0f}",
            _rate(found[:3]),
            _rate(found[-3:]),
            f"{found['megabytes'].iloc[-1]:.0f}",
        ])  # fmt: skip
    header = ["", "samples (1000)", "first", "last", "MB"]
    return rst.list_table(header, rows, "Abrupt drift: cost")


def draw_streams(results, folder):
    """Draw the error along the streams with concept drift, a curve for each model."""
    found = drift_points(results)
    figure, axes = plots.panels(1, len(DRIFTS), width=4.2, height=3.4)
    for axis, name in zip(axes.flat, DRIFTS):
        for model, (label, colour, line, *_) in DRIFT_MODELS.items():
            here = where(found, stream=name, model=model)
            style = dict(color=colour, marker="o" if len(here) == 1 else None, label=label)
            axis.plot(here["rows"] / 1000, 100 * here["error"], line, **style)
        axis.axhline(100 * WRONG, color="#bbbbbb", linewidth=0.8)
        axis.set(title=f"{name} drift", xlabel="thousand samples", ylim=(4, 30))
    axes.flat[0].set_ylabel("error (%)")
    axes.flat[0].legend(frameon=False, fontsize=7, ncols=2)
    plots.save(figure, folder / "unbounded_streams.png")


STUDY = Study(
    steps={"unbounded_sets": step(learn_stream, grid(stream=STREAMS, model=MODELS), every=7)}
    | {
        f"unbounded_{name}": step(follow_drift, grid(stream=[name], model=DRIFT_MODELS))
        for name in DRIFTS
    },
    tables=named(unbounded_errors, unbounded_costs)
    | {
        "unbounded_kernels": partial(
            accuracies,
            ["kernel_arow", "kernel_pa", "nystroem_arow"],
            "Accuracy (%), 500 support vectors",
        ),
        "unbounded_others": partial(
            accuracies, ["lasvc", "local", "linear"], "Accuracy (%), other models"
        ),
    },
    figures=[draw_streams],
)
