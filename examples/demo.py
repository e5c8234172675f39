"""Compare LASVC with SVC and SGDClassifier on real data; write ``demo-report/index.html``.

::

    make demo                 all available data sets, about a minute on two cores
    make demo DATA=mnist      one data set, every model on all samples

or, in an environment with the package, matplotlib and tqdm::

    python examples/demo.py [--data NAME] [--output FOLDER]
"""

import argparse
import json
import threading
import time
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path

import numpy as np
from _demo_data import DEMO_SETS
from _report import environment, write_report
from sklearn.linear_model import SGDClassifier
from sklearn.svm import SVC
from tqdm import tqdm

from sklearn_online_svm import LASVC

N_CHUNKS = 20
# Number of test samples for the error during the stream, which is computed 20 times.
N_CURVE_ROWS = 2000
CACHE_SIZE = 1000


@dataclass
class Score:
    """Time and error of one model."""

    model: str
    rows: int
    fit_seconds: float
    predict_seconds: float
    error: float
    # Error on the test samples that the curves use.
    curve_error: float
    n_support: int | None = None
    n_kernel_evaluations: int | None = None


@dataclass
class Curve:
    """Test error during training with `partial_fit`."""

    model: str
    rows: list = field(default_factory=list)
    errors: list = field(default_factory=list)
    # Training time in seconds, excluding the computation of the error.
    seconds: list = field(default_factory=list)
    # LASVC only: the error after a final `finish()`.
    finished_error: float | None = None


@dataclass
class Outcome:
    """Results on one data set."""

    name: str
    title: str
    n_train: int
    n_test: int
    n_features: int
    n_classes: int
    C: float
    gamma: float
    # All models with the same samples, and those that also take more of them.
    scores: list
    larger: list
    curves: list


@dataclass
class Data:
    """The four arrays of a data set, and the test samples that the curves use."""

    X_train: object
    X_test: object
    y_train: np.ndarray
    y_test: np.ndarray

    @property
    def n_train(self):
        return self.X_train.shape[0]

    @property
    def curve_rows(self):
        return slice(None, None, max(1, self.X_test.shape[0] // N_CURVE_ROWS))


def make_lasvc(demo_set):
    return LASVC(
        C=demo_set.C, gamma=demo_set.gamma, cache_size=CACHE_SIZE, n_jobs=-1, random_state=0
    )


def make_svc(demo_set):
    return SVC(C=demo_set.C, gamma=demo_set.gamma, cache_size=CACHE_SIZE)


def make_sgd(demo_set):
    # A linear SVM, the usual choice for training with `partial_fit`.
    return SGDClassifier(n_jobs=-1, random_state=0)


def score(model, data, rows):
    """Fit on the first ``rows`` samples and predict the test set."""
    start = time.perf_counter()
    model.fit(data.X_train[:rows], data.y_train[:rows])
    fitted = time.perf_counter()
    predicted = model.predict(data.X_test)
    done = time.perf_counter()
    wrong = predicted != data.y_test
    evaluations = getattr(model, "n_kernel_evaluations_", None)
    return Score(
        model=type(model).__name__,
        rows=rows,
        fit_seconds=fitted - start,
        predict_seconds=done - fitted,
        error=float(np.mean(wrong)),
        curve_error=float(np.mean(wrong[data.curve_rows])),
        n_support=len(model.support_) if hasattr(model, "support_") else None,
        n_kernel_evaluations=None if evaluations is None else int(evaluations),
    )


def stream(model, data, progress):
    """Train on the training samples in chunks, as on a stream."""
    curve = Curve(type(model).__name__)
    classes = np.unique(data.y_train)
    X_curve, y_curve = data.X_test[data.curve_rows], data.y_test[data.curve_rows]
    spent = 0.0
    for rows in np.array_split(np.arange(data.n_train), N_CHUNKS):
        chunk = slice(rows[0], rows[-1] + 1)
        start = time.perf_counter()
        model.partial_fit(data.X_train[chunk], data.y_train[chunk], classes=classes)
        spent += time.perf_counter() - start
        curve.rows.append(int(chunk.stop))
        curve.seconds.append(spent)
        curve.errors.append(float(np.mean(model.predict(X_curve) != y_curve)))
        progress.update()
    if hasattr(model, "finish"):
        model.finish()
        curve.finished_error = float(np.mean(model.predict(X_curve) != y_curve))
    return curve


def run_set(name, demo_set, progress, in_full):
    """Train and score all models on one data set."""
    X_train, X_test, y_train, y_test = demo_set.load()
    n_train, n_svc = (None, None) if in_full else (demo_set.rows, demo_set.svc_rows)
    data = Data(X_train[:n_train], X_test, y_train[:n_train], y_test)
    n_svc = min(n_svc or data.n_train, data.n_train)

    def scored(make, rows):
        model = make(demo_set)
        progress.set_description(f"{name}: {type(model).__name__}, {rows:,} samples")
        result = score(model, data, rows)
        progress.update()
        return result

    scores = [scored(make, n_svc) for make in (make_lasvc, make_svc, make_sgd)]
    larger = []
    if n_svc < data.n_train:
        larger = [scored(make, data.n_train) for make in (make_lasvc, make_sgd)]
    else:
        progress.update(2)
    curves = []
    for make in (make_lasvc, make_sgd):
        model = make(demo_set)
        progress.set_description(f"{name}: {type(model).__name__}, stream of {N_CHUNKS} chunks")
        curves.append(stream(model, data, progress))
    return Outcome(
        name=name,
        title=demo_set.title,
        n_train=data.n_train,
        n_test=data.X_test.shape[0],
        n_features=data.X_train.shape[1],
        n_classes=len(np.unique(data.y_train)),
        C=demo_set.C,
        gamma=demo_set.gamma,
        scores=scores,
        larger=larger,
        curves=curves,
    )


@contextmanager
def progress_bar(n_sets):
    """Progress bar over all steps, whose clock also runs during a long fit."""
    steps = n_sets * (5 + 2 * N_CHUNKS)
    stop = threading.Event()
    with tqdm(total=steps, unit="step", bar_format="{desc:<52} {bar} {elapsed}") as bar:

        def tick():
            while not stop.wait(1):
                bar.refresh()

        ticker = threading.Thread(target=tick, daemon=True)
        ticker.start()
        try:
            yield bar
        finally:
            stop.set()
            ticker.join()


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.partition(";")[0])
    parser.add_argument("--data", choices=list(DEMO_SETS), help="one data set, with all samples")
    parser.add_argument("--output", type=Path, default=Path("demo-report"))
    return parser.parse_args()


def main():
    arguments = parse_arguments()
    if arguments.data:
        chosen, missing = [arguments.data], []
    else:
        chosen = [name for name, demo_set in DEMO_SETS.items() if demo_set.found]
        missing = [name for name in DEMO_SETS if name not in chosen]

    start = time.perf_counter()
    with progress_bar(len(chosen)) as progress:
        outcomes = [
            run_set(name, DEMO_SETS[name], progress, in_full=arguments.data is not None)
            for name in chosen
        ]
        progress.set_description("report")
    about = environment() | {
        "seconds": time.perf_counter() - start,
        "missing": missing,
        "cache_size": CACHE_SIZE,
    }

    arguments.output.mkdir(parents=True, exist_ok=True)
    results = {"about": about, "outcomes": [asdict(outcome) for outcome in outcomes]}
    (arguments.output / "results.json").write_text(json.dumps(results, indent=1) + "\n")
    page = write_report(outcomes, about, arguments.output)
    print(f"Open {page.resolve()}")


if __name__ == "__main__":
    main()
