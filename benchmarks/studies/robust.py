"""Label noise: the algorithms with a ramp compared with SVC, and the search for wrong labels."""

from functools import partial
from itertools import product

import numpy as np
from scipy.special import expit
from sklearn.datasets import make_classification
from sklearn.metrics import average_precision_score
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.preprocessing import scale

from sklearn_online_svm import LASVC, RampSVC
from sklearn_online_svm.datasets import flip_labels

from ..bench.frames import frame, mean, median, points, ratio, where
from ..bench.measure import Stopwatch
from ..bench.plots import legend_below, panels, plain_log, save
from ..bench.rst import cross, cross_table, joined, percent, times
from ..bench.study import Study, grid, named, seeded, step
from ..sets.calibration import BANANA, SETS
from ..sets.workloads import CHAPTER_6
from .robust_thesis import ALGORITHMS, style, titled
from .svc_models import ONE_PASS, fit_and_predict

COLUMNS = {
    "svc": {"model": "svc"},
    **{name: {"algorithm": name} | ONE_PASS for name in ALGORITHMS},
    "ramp": {"model": "ramp_svc"},
    "ramp_0": {"model": "ramp_svc", "ramp_s": 0.0},
}
# Sets on which all columns are measured; on the others SVC.
TRADE_OFF = ["adult_dense", "usps_noise"]
# One seed for models shown for comparison only.
ONCE = {"lasvm-full", "ramp", "ramp_0"}
# Seeds of what takes minutes.
SEEDS = {("adult_dense", "svc"): 2, ("mnist_8_c100", "svc"): 1}

NOISE_KINDS = {"flipped": "20 % of the labels flipped", "overlapping": "overlapping classes"}
NOISE_FEATURES, NOISE_C = (8, 20, 50), (1, 10, 100)
NOISE_ALGORITHMS = ("lasvm", "lasvm-nc", "lasvm-i")

SUSPECT_SETS = {"banana": BANANA} | {
    name: SETS[name] for name in ("magic04", "spambase", "adult", "satimage", "usps")
}
SUSPECT_KINDS = ("uniform", "by class", "near the boundary")
SUSPECT_SHARES, SUSPECT_C = (0.05, 0.15, 0.3), (1, 10)
SUSPECT_TRAIN = 1500
# Largest share of the labels of a class that become those of another one.
MOST_OF_CLASS = 0.4


def flipped_labels(n_train, n_features, seed):
    """Separable classes, and wrong labels of a fifth of the training samples."""
    X, y = make_classification(
        n_train + 4000,
        n_features,
        n_informative=n_features // 2,
        n_redundant=0,
        n_clusters_per_class=4,
        flip_y=0,
        random_state=seed,
    )
    y = 2 * y - 1
    return scale(X), np.append(flip_labels(y[:n_train], 0.2, random_state=seed), y[n_train:])


def overlapping_classes(n_train, n_features, seed):
    """The log-odds are twice a sum of 30 random waves, with standard deviation 1."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_train + 4000, n_features))
    phases = X @ rng.normal(size=(n_features, 30)) / n_features**0.5
    waves = np.cos(phases + rng.uniform(0, 2 * np.pi, 30))
    odds = 2 * scale(waves @ rng.normal(size=30))
    return X, np.where(rng.random(len(X)) < expit(odds), 1, -1)


def compare_losses(kind, n_features, C, seed=0, quick=False):
    """Compare the hinge and the ramp loss with flipped labels and with overlapping classes."""
    n = 500 if quick else 4000
    make = flipped_labels if kind == "flipped" else overlapping_classes
    X, y = make(n, n_features, seed)
    sweep = []
    for algorithm in NOISE_ALGORITHMS:
        model = LASVC(C, algorithm=algorithm, cache_size=1000, random_state=seed, **ONE_PASS)
        with Stopwatch() as watch:
            model.fit(X[:n], y[:n])
        sweep.append({
            "algorithm": algorithm,
            "seconds": watch.seconds,
            "error": 1 - model.score(X[n:], y[n:]),
            "n_vectors": len(model.support_),
        })  # fmt: skip
    return {"sweep": sweep}


def with_wrong_labels(X, y, kind, share, rng):
    """Return labels of which a share is wrong, and which of them are.

    ``uniform``: any other class. ``by class``: samples of a class get the label of another one;
    as many classes as the share needs. ``near the boundary``: the class that a model finds most
    likely besides the true one, for samples of small margins above all.
    """
    classes, codes = np.unique(y, return_inverse=True)
    n, wrong = len(y), codes.copy()
    n_wrong = int(share * n)
    if kind == "uniform":
        rows = rng.choice(n, n_wrong, replace=False)
        wrong[rows] = (codes[rows] + rng.integers(1, len(classes), n_wrong)) % len(classes)
    elif kind == "by class":
        order = rng.permutation(len(classes))
        for code, other in zip(order, np.roll(order, -1), strict=True):
            of_class = rng.permutation(np.flatnonzero(codes == code))
            most = min(int(MOST_OF_CLASS * len(of_class)), n_wrong)
            wrong[of_class[:most]] = other
            n_wrong -= most
    else:
        scores = LASVC(multi_class="ovr", random_state=0).fit(X, y).decision_function(X)
        scores = np.column_stack([-scores, scores]) if scores.ndim == 1 else scores
        own = scores[np.arange(n), codes].copy()
        scores[np.arange(n), codes] = -np.inf
        distances = np.abs(own - scores.max(axis=1))
        chances = np.exp(-2.0 * distances / np.median(distances))
        rows = rng.choice(n, n_wrong, replace=False, p=chances / chances.sum())
        wrong[rows] = scores.argmax(axis=1)[rows]
    return classes[wrong], wrong != codes


def margins(model, X, y):
    """Return the margins of samples; those of training samples, each of a model without it."""
    options = dict(n_suspects=len(y), return_margins=True)
    suspects, found = model.suspect_labels(X, y, **options)
    return found[np.argsort(suspects)]


def margins_of_training(model, X, y):
    """Return the margins of training samples of the model that was trained on them."""
    # With a row more, these are not the training samples.
    return margins(model.fit(X, y), np.vstack([X, X[:1]]), np.append(y, y[:1]))[:-1]


def margins_of_folds(model, X, y, folds):
    """Return the margins of samples of models that were not trained on them."""
    found = np.empty(len(y))
    for train, test in folds.split(X, y):
        found[test] = margins(model.fit(X[train], y[train]), X[test], y[test])
    return found


def probabilities_of_folds(model, X, y, folds):
    """Return the probabilities of the labels by models that were not trained on them."""
    P = cross_val_predict(model, X, y, cv=folds, method="predict_proba")
    return P[np.arange(len(y)), np.searchsorted(np.unique(y), y)]


def find_wrong_labels(set, kind, share, C, seed=0, quick=False):
    """Average precision of the wrong labels in the order of each method, and its time."""
    X, y, _, _ = SUSPECT_SETS[set].load(seed, quick)
    X, y = X[:SUSPECT_TRAIN], y[:SUSPECT_TRAIN]
    y, is_wrong = with_wrong_labels(X, y, kind, share, np.random.default_rng(seed))
    make = partial(LASVC, C=C, random_state=seed)
    folds = StratifiedKFold(5, shuffle=True, random_state=seed)
    methods = {
        "left_out": lambda: margins(make().fit(X, y), X, y),
        "training": lambda: margins_of_training(make(), X, y),
        "nc": lambda: margins(make(algorithm="lasvm-nc").fit(X, y), X, y),
        "ramp": lambda: margins(RampSVC(C=C, random_state=seed).fit(X, y), X, y),
        "folds": lambda: margins_of_folds(make(), X, y, folds),
        "probabilities": lambda: probabilities_of_folds(make(probability=True), X, y, folds),
    }
    sweep = []
    for name, method in methods.items():
        with Stopwatch() as watch:
            order = method()
        sweep.append({
            "method": name,
            "seconds": watch.seconds,
            "precision": float(average_precision_score(is_wrong, -order)),
        })  # fmt: skip
    return {"sweep": sweep}


def _robust(settings, workload):
    """The columns alternate, so that a slow period of the machine affects all of them."""
    cases = []
    for seed, column in product(range(settings.seeds), COLUMNS):
        n_seeds = 1 if column in ONCE else SEEDS.get((workload, column), settings.seeds)
        if seed < n_seeds and (column == "svc" or workload in TRADE_OFF):
            # SVC is in the tables of chapter 6, too; it is the same in all orders.
            options = dict(seed=seed, scores=column == "svc" and seed == 0)
            cases.append((dict(column=column, seed=seed), options | COLUMNS[column]))
    return cases


SUSPECT_CASES = grid(set=SUSPECT_SETS, kind=SUSPECT_KINDS, share=SUSPECT_SHARES, C=SUSPECT_C)


def suspect_methods(results):
    """Average precision of each method: means by kind, share, set and C."""
    found = points(frame("suspect_methods", results), "sweep", "set", "kind", "share", "C")
    methods = {
        "left_out": "leave-one-out",
        "folds": "five folds",
        "training": "training",
        "nc": "NC",
        "ramp": "RampSVC",
        "probabilities": "five folds, probabilities",
    }
    rows = {("C", C): f"C={C:g}" for C in SUSPECT_C}
    rows |= {("kind", kind): kind for kind in SUSPECT_KINDS}
    rows |= {("share", share): f"{100 * share:g} % wrong" for share in SUSPECT_SHARES}
    rows |= {("set", name): of.title for name, of in SUSPECT_SETS.items()}

    def cell(row, method):
        value = mean(found, "precision", method=method, **dict([row]))
        return "–" if value is None else f"{value:.3f}"

    return cross_table("mean over", rows, methods, cell, "Average precision")


def noise_kinds(results):
    """Test errors; support vectors and times as multiples of those of LASVM."""
    found = points(frame("noise_kinds", results), "sweep", "kind", "n_features", "C")
    found["case"] = [f"{n}, {C}" for n, C in zip(found.n_features, found.C)]
    cases = {case: case for case in found.case.unique()}
    names = {name: ALGORITHMS[name] for name in NOISE_ALGORITHMS}
    ramps = {name: ALGORITHMS[name] for name in NOISE_ALGORITHMS if name != "lasvm"}
    tables, corner = [], "features, C"
    for kind, title in NOISE_KINDS.items():
        here = where(found, kind=kind)

        def multiples(case, algorithm, here=here):
            both = [where(here, case=case, algorithm=a) for a in (algorithm, "lasvm")]
            fields = ("n_vectors", "seconds")
            return ", ".join(times(ratio(*(median(of, field) for of in both))) for field in fields)

        axes = ("case", cases), ("algorithm", names)
        tables += [
            cross(here, *axes, "error", percent, f"Test error, {title}", corner=corner),
            cross_table(corner, cases, ramps, multiples, f"Support vectors and fit time, {title}"),
        ]
    return joined(tables)


def draw_trade_off(results, folder):
    """Test error against support vectors and against fit time."""
    figure, axes = panels(len(TRADE_OFF), 2, width=5.4, height=4.0)
    for row, name in zip(axes, TRADE_OFF):
        found = frame(f"robust_{name}", results)
        for axis, field, label in zip(
            row, ("n_support", "fit_seconds"), ("support vectors", "fit time (s)")
        ):
            for key in COLUMNS:
                x, y = (median(found, f, column=key) for f in (field, "error"))
                if x is None:
                    continue
                # SVC and FULL SVM often lie upon each other: the larger one below.
                order = dict(zorder=2, markersize=12) if key == "lasvm-full" else {"zorder": 3}
                shape = dict(linestyle="", markersize=9) | order
                axis.plot([x], [100 * y], **style(key, **shape))
            axis.set(xlabel=label, ylabel="test error (%)", title=titled(name))
            axis.margins(0.12)
            if field == "fit_seconds":
                plain_log(axis.xaxis, subs=(1, 2, 5))
            else:
                axis.set_xlim(left=0)
    legend_below(figure, axes, 4, 0.64)
    save(figure, folder / "trade_off.png")


STUDY = Study(
    steps={
        **{
            f"robust_{name}": step(fit_and_predict, partial(_robust, workload=name), workload=name)
            for name in CHAPTER_6
        },
        "noise_kinds": step(
            compare_losses, seeded(grid(kind=NOISE_KINDS, n_features=NOISE_FEATURES, C=NOISE_C))
        ),
        "suspect_methods": step(find_wrong_labels, SUSPECT_CASES, n_quick=1),
    },
    tables=named(suspect_methods, noise_kinds),
    figures=[draw_trade_off],
)
