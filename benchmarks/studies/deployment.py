"""ONNX graphs compared with the models: time and precision."""

from itertools import combinations
from statistics import median

import numpy as np
from scipy.spatial.distance import cdist

from sklearn_online_svm import LASVC, KernelAROWClassifier, PassiveAggressiveClassifier

from ..bench.data import chunks
from ..bench.frames import frame, unnest, where
from ..bench.measure import microseconds_of_calls, timed
from ..bench.plots import panels, plain_log, save
from ..bench.rst import joined, text_table
from ..bench.study import Study, grid, named, step
from ..sets.calibration import BANANA, SETS

N_SINGLE = 300
# Samples of a batch: graphs store the kernel values of a whole batch.
BATCH = 500
SAMPLES = {name: SETS[name] for name in ("adult", "usps", "letter")}
SAMPLES |= {"banana": BANANA, "magic04": SETS["magic04"]}
MODELS = {
    # The values of pairs: those of classes count votes, which a rounding error can change.
    "lasvc": lambda: LASVC(decision_function_shape="ovo", random_state=0),
    "kernel_arow": lambda: KernelAROWClassifier(max_support_vectors=500, random_state=0),
    "pa": lambda: PassiveAggressiveClassifier(C=0.01, average=True, random_state=0),
}
TITLES = {"lasvc": "LASVC", "kernel_arow": "kernel AROW", "pa": "PA"}
WAYS = {"ours": "model itself", "float32": "ONNX float32", "float64": "ONNX float64"}


def problem_coefficients(model):
    """Return the coefficients of the support vectors, one column per binary problem."""
    coef, n_classes = model.dual_coef_, len(model.classes_)
    if n_classes == 2 or getattr(model, "decision_function_shape", "ovr") == "ovr":
        return coef.T
    codes = np.repeat(np.arange(n_classes), model.n_support_)
    pairs = combinations(range(n_classes), 2)
    return np.column_stack(
        [np.where(codes == a, coef[b - 1], np.where(codes == b, coef[a], 0.0)) for a, b in pairs]
    )


def exact_scores(model, X):
    """Return decision values in double precision, and the sum of absolute terms."""
    X = X.astype(np.float64)
    if not hasattr(model, "dual_coef_"):
        coef = np.atleast_2d(model.coef_).astype(np.float64)
        return X @ coef.T + model.intercept_, (np.abs(X) @ np.abs(coef).T).max()
    vectors, coef = model.support_vectors_.astype(np.float64), problem_coefficients(model)
    scores = np.empty((len(X), coef.shape[1]))
    for rows in chunks(len(X), BATCH):
        squares = cdist(X[rows], vectors, "sqeuclidean")
        scores[rows] = np.exp(-model.gamma_ * squares) @ coef + model.intercept_
    return scores, np.abs(coef).sum(axis=0).max()


def deploy(set, model, threads=1, seed=0, quick=False):
    """Return times and errors of the model, and of graphs for float32 and float64 input."""
    import onnxruntime
    from skl2onnx import to_onnx

    import sklearn_online_svm.onnx  # noqa: F401

    X, y, X_test, _ = SAMPLES[set].load(seed, quick)
    X, X_test = X.astype(np.float32), X_test.astype(np.float32)
    model = MODELS[model]()
    if "n_jobs" in model.get_params():
        model.set_params(n_jobs=threads)
    exact, scale = exact_scores(model.fit(X, y), X_test)
    expected = model.predict(X_test)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads

    def measure(scores_of, labels_of, dtype):
        Z = X_test.astype(dtype)
        batches = [Z[rows] for rows in chunks(len(Z), BATCH)]
        scores, seconds = timed(
            lambda: np.concatenate([scores_of(batch) for batch in batches]), 1.0, max_repeats=15
        )
        error = np.abs(scores.reshape(exact.shape) - exact).max() / scale
        singles = [(Z[i : i + 1],) for i in range(min(N_SINGLE, len(Z)))]
        return {
            "seconds": min(seconds),
            "microseconds": median(microseconds_of_calls(scores_of, singles)),
            "error": float(error),
            "n_differ": int((labels_of(Z) != expected).sum()),
        }

    def measure_graph(dtype):
        graph = to_onnx(model, X[:1].astype(dtype)).SerializeToString()
        run = onnxruntime.InferenceSession(graph, options).run
        scores, labels = (
            lambda Z, name=name: run([name], {"X": Z})[0] for name in ("scores", "label")
        )
        return measure(scores, labels, dtype)

    return {
        "n_test": len(X_test),
        "ours": measure(model.decision_function, model.predict, np.float32),
        "float32": measure_graph(np.float32),
        "float64": measure_graph(np.float64),
    }


def _table(results, field, form, title="", models=TITLES):
    """Return a table with a row for each set and model, and a column for each way to predict."""
    found = unnest(frame("deployment_onnx", results), None)
    found = found[found["model"].isin([*models])].set_index(["set", "model"])
    found = found.rename(index={name: each.title for name, each in SAMPLES.items()} | TITLES)
    columns = {f"{way}.{field}": (name, form) for way, name in WAYS.items()}
    return text_table(found, columns, title, keys=["set", "model"])


def deployment_times(results):
    """Write the time of a batch in milliseconds, and of a single sample in microseconds."""
    forms = {
        "seconds": (lambda value: f"{1000 * value:.3g}", "All test samples, milliseconds"),
        "microseconds": ("{:.3g}".format, "One sample, microseconds"),
    }
    return joined(_table(results, field, *form) for field, form in forms.items())


def _scientific(value):
    return f"{value:.1e}".replace("-", "\N{MINUS SIGN}")


def deployment_errors(results):
    """Write the largest errors of scores."""
    return _table(results, "error", _scientific, models=["lasvc", "kernel_arow"])


def draw_times(results, folder):
    """Draw the time per sample of LASVC and its graphs, in batches and alone."""
    colours = {"ours": "#d1702a", "float32": "#1f6feb", "float64": "#8b949e"}
    found = where(unnest(frame("deployment_onnx", results), None), model="lasvc")
    figure, axes = panels(1, 2, width=3.9, height=3.4)
    for axis, title in zip(axes[0], ("in batches of 500", "one sample")):
        for way, name in WAYS.items():
            heights = found[f"{way}.microseconds"]
            if title != "one sample":
                heights = 1e6 * found[f"{way}.seconds"] / found["n_test"]
            axis.plot(heights.to_numpy(), "o", markersize=9, color=colours[way], label=name)
        titles = [SAMPLES[name].title for name in found["set"]]
        axis.set_xticks(range(len(found)), titles, fontsize=9)
        axis.set(yscale="log", ylim=(0.5, 500), title=title)
        plain_log(axis.yaxis)
    axes[0, 0].set_ylabel("µs per sample")
    axes[0, 1].legend(frameon=False, fontsize=9)
    save(figure, folder / "deployment_times.png")


STUDY = Study(
    steps={"deployment_onnx": step(deploy, grid(set=SAMPLES, model=MODELS))},
    tables=named(deployment_errors, deployment_times),
    figures=[draw_times],
)
