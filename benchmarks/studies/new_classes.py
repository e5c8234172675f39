"""Letters of which five come late in a stream.

Errors along the stream that follows, of models that the classes are added to and of models that
know them from the start.
"""

from statistics import mean

import numpy as np
from sklearn.base import clone
from sklearn.preprocessing import StandardScaler

import sklearn_online_svm as ours

from ..bench.data import load_all_samples
from ..bench.frames import frame
from ..bench.models import prepared
from ..bench.rst import table
from ..bench.study import Study, grid, named, seeded, step

N_LATE, N_EARLY, N_TEST = 5, 6000, 5000
# Further samples, of all classes, after which errors are computed.
AFTER = [0, 500, 1000, 3000]
RBF = dict(gamma=0.2)
PA = dict(C=0.01, average=True)
MODELS = {
    "LASVC": ours.LASVC(C=10.0, **RBF),
    "LASVC, ovr": ours.LASVC(C=10.0, multi_class="ovr", **RBF),
    "LASVC, lasvm-g": ours.LASVC(C=10.0, algorithm="lasvm-g", **RBF),
    "kernel PA": ours.KernelPassiveAggressiveClassifier(**RBF),
    "kernel PA, crammer_singer": ours.KernelPassiveAggressiveClassifier(
        multi_class="crammer_singer", **RBF
    ),
    "kernel perceptron": ours.KernelPerceptronClassifier(**RBF),
    "kernel AROW, 500 vectors": ours.KernelAROWClassifier(max_support_vectors=500, **RBF),
    "kernel AROW, 1000 vectors": ours.KernelAROWClassifier(max_support_vectors=1000, **RBF),
    "PA": ours.PassiveAggressiveClassifier(**PA),
    "PA, crammer_singer": ours.PassiveAggressiveClassifier(multi_class="crammer_singer", **PA),
    "AROW": ours.AROWClassifier(),
    "perceptron": ours.PerceptronClassifier(),
}


def late_letters(model, seed=0, quick=False):
    """Return errors on former and new classes, added to a model or known from the start."""
    estimator = prepared(MODELS[model], random_state=seed)
    rng = np.random.default_rng(seed)
    X, y, _ = load_all_samples("letter")
    classes = np.unique(y)
    late = rng.choice(classes, N_LATE, replace=False)
    order = rng.permutation(len(y))
    n_early, n_test = (600, 500) if quick else (N_EARLY, N_TEST)
    test, stream = order[:n_test], order[n_test:]
    early = np.flatnonzero(~np.isin(y[stream], late))[:n_early]
    later = stream[early[-1] + 1 :]
    early = stream[early]
    X = StandardScaler().fit(X[early]).transform(X)
    is_new = np.isin(y[test], late)
    found = {}
    for way in ("added", "known"):
        model = clone(estimator)
        first = classes if way == "known" else np.setdiff1d(classes, late)
        model.partial_fit(X[early], y[early], classes=first)
        # A sample of weight 0 makes no step.
        model.partial_fit(X[early[:1]], y[early[:1]], classes=classes, sample_weight=[0.0])
        found[way] = []
        for begin, end in zip([0, *AFTER[:-1]], AFTER, strict=True):
            rows = later[begin:end]
            if len(rows):
                model.partial_fit(X[rows], y[rows])
            predicted = model.predict(X[test])
            wrong = predicted != y[test]
            found[way].append(
                {
                    "former": wrong[~is_new].mean(),
                    "new": wrong[is_new].mean(),
                    "taken": np.isin(predicted[~is_new], late).mean(),
                }
            )
    return found


def _by_model(results, columns):
    """Return a table of titles with a field and the place of its time in `AFTER`.

    Means in percent, of models that the classes were added to / that were given all of them in
    the first call.
    """
    found = frame("new_classes", results).groupby("model")
    rows = []
    for model in filter(found.groups.__contains__, MODELS):
        here = found.get_group(model)
        row = {"model": model}
        for title, (field, k) in columns.items():
            pair = (mean(run[k][field] for run in here[way]) for way in ("added", "known"))
            row[title] = " / ".join(f"{100 * error:.1f}" for error in pair)
        rows.append(row)
    return table(rows)


def new_classes_former(results):
    """Errors on former classes, and samples of them that are predicted as late ones."""
    columns = {
        "error at once": ("former", 0),
        f"after {AFTER[-1]}": ("former", -1),
        "predicted as late, at once": ("taken", 0),
    }
    return _by_model(results, columns)


def new_classes_new(results):
    """Errors on late classes."""
    return _by_model(results, {f"after {n}": ("new", k) for k, n in enumerate(AFTER) if n})


STUDY = Study(
    steps={"new_classes": step(late_letters, seeded(grid(model=MODELS)))},
    tables=named(new_classes_former, new_classes_new),
)
