"""Default models compared with SVC and SVR on problems with random samples and parameters.

``random_small``: 100 to 1000 samples, and streams in chunks of 100; ``random_large``: 3000 to
20 000 samples; ``random_regression``: 100 to 3000. ``random_epochs``: the default number of epochs
compared with the optimum, on problems of twelve kinds with more than 5000 samples, for which one
epoch may not be enough: heavy tails, offsets, discrete and one-hot columns, noise, two to eight
classes, and rare classes of one sample in 30 to 1000.
"""

import warnings

import numpy as np
import pandas as pd
from sklearn.metrics import (
    accuracy_score,
    average_precision_score,
    balanced_accuracy_score,
    r2_score,
)
from sklearn.svm import SVC, SVR
from sklearn.utils.class_weight import compute_sample_weight

from sklearn_online_svm import LASVC, LASVR
from tests.support.problems import random_classification, random_regression

from ..bench.data import chunks
from ..bench.frames import frame, points, where
from ..bench.measure import processor_seconds
from ..bench.rst import count, list_table, percent, times
from ..bench.study import Study, named, step

# Steps of the peers; problems on which they do not converge are left out.
MOST_STEPS = 1_000_000
CHUNK = 100
# Samples of a class to test that an average precision needs.
FEWEST_POSITIVES = 50


def heavy_tails(r, n, d, ratio):
    X = np.clip(r.standard_t(r.uniform(1.1, 2.5), (n, d)), -1e4, 1e4)
    f = X @ r.normal(size=d) + 0.2 * np.abs(X).sum(axis=1)
    return X, (f > np.median(f)) ^ (r.random(n) < 0.05)


def offsets(r, n, d, ratio):
    Z = r.normal(size=(n, d))
    y = Z @ r.normal(size=d) + Z[:, 0] * Z[:, -1] + 0.5 * r.normal(size=n) > 0
    return Z * np.exp(r.normal(size=d)) + 20.0 * r.normal(size=d), y


def one_hot(r, n, d, ratio):
    n_values, d = r.integers(3, 9), 2 + d // 2
    codes = r.integers(0, n_values, (n, d))
    f = r.normal(size=(d, n_values))[np.arange(d), codes].sum(axis=1) + 0.5 * r.normal(size=n)
    return np.eye(n_values)[codes].reshape(n, -1), f > np.median(f)


def rare_tail(r, n, d, ratio):
    X = r.normal(size=(n, d))
    f = X @ r.normal(size=d) + 0.3 * r.normal(size=n)
    return X, (f > np.quantile(f, 1 - 1 / ratio)) ^ (r.random(n) < 0.002)


def rare_and_heavy_tails(r, n, d, ratio):
    X = np.clip(r.standard_t(2, (n, d)), -1e3, 1e3)
    f = X[:, 0] - np.abs(X[:, 1]) + 0.3 * r.normal(size=n)
    return X, f > np.quantile(f, 1 - 1 / ratio)


def rare_cluster(r, n, d, ratio):
    X, y = r.normal(size=(n, d)), r.random(n) < 1 / ratio
    X[y] = 0.5 * X[y] + 1.5 * r.normal(size=d)
    return X, y


def classes(r, n, d, ratio, rare=False):
    k = r.integers(3, 9)
    shares = np.full(k, 1 / k)
    if rare:
        shares = np.append(np.full(k - 1, (1 - 1 / ratio) / (k - 1)), 1 / ratio)
    y = r.choice(k, n, p=shares)
    centers = r.uniform(0.7, 2.0) * r.normal(size=(k, d))
    return centers[y] + r.normal(size=(n, d)), y


def rare_class_of_several(r, n, d, ratio):
    return classes(r, n, d, ratio, rare=True)


def lognormal(r, n, d, ratio):
    Z = 1.5 * r.normal(size=(n, d))
    return np.exp(Z), Z @ r.normal(size=d) + 0.5 * r.normal(size=n) > 0


def whole_numbers(r, n, d, ratio):
    X = r.integers(0, 6, (n, d)).astype(float)
    f = np.sin(X) @ r.normal(size=d) + 0.3 * r.normal(size=n)
    return X, f > np.median(f)


def wrong_labels(r, n, d, ratio):
    X = r.normal(size=(n, d))
    return X, (X @ r.normal(size=d) > 0) ^ (r.random(n) < r.uniform(0.05, 0.25))


def checkerboard(r, n, d, ratio):
    X = r.uniform(-2, 2, (n, 2))
    y = (np.floor(X).sum(axis=1) % 2 > 0) ^ (r.random(n) < 0.05)
    return np.hstack([X, 0.1 * r.normal(size=(n, d))]), y


KINDS = [
    *(heavy_tails, offsets, one_hot, rare_tail, rare_and_heavy_tails, rare_cluster),
    *(classes, rare_class_of_several, lognormal, whole_numbers, wrong_labels, checkerboard),
]
# Kinds in which large values are part of the problem.
UNSCALED = (heavy_tails, lognormal)


def problem(seed):
    """Return samples to train and to test, and parameters."""
    r = np.random.default_rng(seed)
    kind = KINDS[seed % len(KINDS)]
    n = int(r.integers(5100, 20_001 if r.random() < 0.5 else 9000))
    d, ratio = int(r.integers(2, 12)), int(np.exp(r.uniform(np.log(30), np.log(1000))))
    is_rare = "rare" in kind.__name__
    # About 60 samples of the rare class to test.
    X, y = kind(r, n + (min(60_000, max(4000, 60 * ratio)) if is_rare else 4000), d, ratio)
    if kind not in UNSCALED and r.random() < 0.5:
        X = (X - X[:n].mean(axis=0)) / (X[:n].std(axis=0) + 1e-12)
    weight = "balanced" if r.random() < 0.3 else None
    largest = 3.0 if kind in (wrong_labels, checkerboard) or (is_rare and weight) else 30.0
    C = min(largest, float(10 ** r.uniform(-1.0, 1.5)))
    y = y.astype(int)
    return (X[:n], y[:n]), (X[n:], y[n:]), dict(C=C, class_weight=weight)


def fitted(model, *data):
    """The fitted model, and the processor time."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return processor_seconds(lambda: model.fit(*data))


def score_of(class_weight):
    """The accuracy, or the balanced accuracy if the classes are balanced."""
    return accuracy_score if class_weight is None else balanced_accuracy_score


def against_peer(seed, sizes, regression, streams):
    """Scores and times of LASVC and of SVC with the same weights, or of LASVR and of SVR."""
    make = random_regression if regression else random_classification
    (X, y), (X_new, y_new), params = make(seed, sizes)
    Peer, Ours = (SVR, LASVR) if regression else (SVC, LASVC)
    plain = {name: value for name, value in params.items() if name != "class_weight"}
    weight, score = None, r2_score
    if not regression:
        weight = compute_sample_weight(params["class_weight"], y)
        score = score_of(params["class_weight"])
    peer, peer_seconds = fitted(Peer(max_iter=MOST_STEPS, **plain), X, y, weight)
    if peer.fit_status_:
        return None
    model, seconds = fitted(Ours(random_state=0, **params), X, y)
    models = {"peer": peer, "fit": model}
    if streams:
        models["stream"] = Ours(random_state=0, **plain)
        for rows in chunks(len(y), CHUNK):
            more = () if regression else (np.unique(y), weight[rows])
            models["stream"].partial_fit(X[rows], y[rows], *more)
    return {
        "seed": seed,
        "n": len(y),
        "n_iter": int(model.n_iter_),
        "seconds": seconds,
        "peer_seconds": peer_seconds,
        **{name: score(y_new, each.predict(X_new)) for name, each in models.items()},
    }


def compare(first, n, sizes, regression=False, streams=False, quick=False):
    """Compare with the peer on the problems with the seeds from `first` on."""
    options = dict(sizes=(100,) if quick else tuple(sizes), regression=regression, streams=streams)
    found = [against_peer(seed, **options) for seed in range(first, first + n)]
    return {"problems": [scores for scores in found if scores is not None]}


def compare_epochs(first, n):
    """``max_iter="auto"`` and 1 compared with -1, the optimum."""
    return {"problems": [against_optimum(*problem(seed)) for seed in range(first, first + n)]}


def against_optimum(train, test, params):
    """Scores, average precisions of the rarest class, and times, by ``max_iter``."""
    score, counts = score_of(params["class_weight"]), np.bincount(test[1])
    rarest, found = int(counts.argmin()), {"n": len(train[1])}
    for max_iter in ("auto", 1, -1):
        model, seconds = fitted(LASVC(max_iter=max_iter, random_state=0, **params), *train)
        found[str(max_iter)] = of_model = {
            "score": score(test[1], model.predict(test[0])),
            "seconds": seconds,
            "n_iter": int(model.n_iter_),
        }
        if counts[rarest] >= FEWEST_POSITIVES:
            values = model.decision_function(test[0])
            values = values[:, rarest] if values.ndim > 1 else (2 * rarest - 1) * values
            of_model["precision"] = average_precision_score(test[1] == rarest, values)
    return found


def in_processes(first, n, n_each=50):
    """Cases of some problems each; `first`: a seed, and the tests have those below 1050."""

    def cases(settings):
        end = first + (3 if settings.quick else n)
        starts = range(first, end, n_each)
        return [dict(first=start, n=min(n_each, end - start)) for start in starts]

    return cases


TITLES = {
    "random_small": "classification, 100 to 1000 samples",
    "random_large": "classification, 3000 to 20 000",
    "random_regression": "regression, 100 to 3000",
}


def random_accuracy(results):
    """By how many points the default models are below and above their peers."""
    found = points(frame(TITLES, results), "problems", "step")
    rows = []
    for name, title in TITLES.items():
        here = where(found, step=name)
        for field, what in (("fit", "``fit``"), ("stream", "stream")):
            lost = (100 * (here.peer - here.get(field, np.nan))).dropna()
            if len(lost):
                below, above = percent((lost > 2).mean(), 1), percent((lost < -2).mean(), 1)
                worst = f"{lost.max():.1f}"
                rows.append([f"{title}, {what}", count(len(lost)), below, worst, above])
    header = ["problems", "number", "more than 2 points below", "worst", "more than 2 above"]
    return list_table(header, rows)


def random_speed(results):
    """Times divided by those of the peer, and the number of epochs."""
    found = points(frame(["random_small", "random_large"], results), "problems")
    found["ratio"] = found.seconds / found.peer_seconds
    rows = []
    sizes = pd.cut(found.n, [0, 100, 300, 1000, 5000, 20_000])
    for size, some in found.groupby(sizes, observed=True):
        title = count(size.right)
        if size.right > 1000:
            title = f"{count(size.left + 1)} to {title}"
        ratios = some.ratio.median(), some.ratio.quantile(0.9), some.ratio.max()
        several = percent((some.n_iter > 1).mean(), 0)
        rows.append([title, count(len(some)), *map(times, ratios), several])
    header = ["samples", "number", "median", "90 %", "largest", "several epochs"]
    return list_table(header, rows)


def random_epochs(results):
    """Points below the optimum, average precision and time as multiples of the optimum's."""
    found = points(frame("random_epochs", results), "problems")
    optimum, rows = pd.DataFrame([*found["-1"]]), []
    for name, title in (("auto", '``max_iter="auto"``'), ("1", "``max_iter=1``")):
        ours = pd.DataFrame([*found[name]])
        lost, multiples = 100 * (optimum.score - ours.score), ours / optimum
        rows.append([
            title, f"{lost.mean():.2f}", f"{lost.max():.1f}",
            f"{multiples.precision.mean():.3f}", f"{multiples.precision.min():.2f}",
            times(multiples.seconds.mean()), percent((ours.n_iter > 1).mean(), 0),
        ])  # fmt: skip
    header = [
        "", "points below: mean", "worst", "average precision: mean", "worst", "time",
        "several epochs",
    ]  # fmt: skip
    return list_table(header, rows)


STUDY = Study(
    steps={
        "random_small": step(
            compare, in_processes(2000, 300), sizes=[100, 300, 1000], streams=True
        ),
        "random_large": step(compare, in_processes(3000, 40), sizes=[3000, 6000, 10_000, 20_000]),
        "random_regression": step(
            compare,
            in_processes(4000, 100),
            sizes=[100, 300, 1000, 3000],
            regression=True,
            streams=True,
        ),
        "random_epochs": step(compare_epochs, in_processes(6000, 600)),
    },
    tables=named(random_accuracy, random_speed, random_epochs),
)
