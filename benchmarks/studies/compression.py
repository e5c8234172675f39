"""Compressed kernel classifiers: size, error and time of predictions."""

from functools import partial
from unittest.mock import patch

from sklearn.metrics import zero_one_loss

from sklearn_online_svm import LASVC
from sklearn_online_svm.kernel._analysis import _compression

from ..bench.frames import frame, means, unnest
from ..bench.measure import processor_seconds
from ..bench.rst import count, list_table, number, percent, text_table, times
from ..bench.study import Study, grid, named, seeded, step
from ..sets.calibration import SETS, Set

SAMPLES = SETS | {"banana": Set("Banana", "banana", scale=1.0)}
# Parameters of LASVC; those of the papers where they have them.
PARAMS = {
    "adult": dict(C=100.0, gamma=0.005),
    "banana": dict(C=316.0, gamma=0.5),
    "letter": dict(C=10.0),
    "magic04": dict(C=10.0),
    "usps": dict(C=10.0, gamma=0.0078),
    "w8a": dict(C=10.0),
}
TITLES = {name: SAMPLES[name].title for name in PARAMS}
# Tolerances, and sizes as shares of the support vectors.
TOLERANCES, SHARES = [0.1, 0.01], [0.1, 0.05, 0.02]
# Share at which moved vectors are compared with selected ones.
COMPARED_SHARE = 0.05


def _fitted(name, seed, X, y):
    """Return a model that is optimized over its support set."""
    model = LASVC(**PARAMS[name], random_state=seed).fit(X, y)
    model.predict(X[:1])
    return model


def compress(set, seed=0, quick=False):
    """Fit a model and compress it to several tolerances and sizes."""
    X, y, X_test, y_test = SAMPLES[set].load(seed, quick)
    model, fit_seconds = processor_seconds(lambda: _fitted(set, seed, X, y))
    n = len(model.support_)
    requests = [{"tolerance": tolerance} for tolerance in TOLERANCES]
    requests += [{"max_support_vectors": max(1, round(share * n))} for share in SHARES]
    found = [processor_seconds(partial(model.compress, X=X_test, **asked)) for asked in requests]
    models = [model, *(small for small, _ in found)]
    # In turns, so that a slow moment of the machine does not affect one of them only.
    turns = [[processor_seconds(partial(m.predict, X_test))[1] for m in models] for _ in range(5)]
    batch = [min(seconds) for seconds in zip(*turns)]
    return {
        "n_support": n,
        "error": zero_one_loss(y_test, model.predict(X_test)),
        "seconds_fit": fit_seconds,
        "seconds_batch": batch[0],
        "compressed": [
            {
                "n_support": len(small.support_),
                "error": zero_one_loss(y_test, small.predict(X_test)),
                "sample_difference": small.sample_difference_,
                "seconds": seconds,
                "seconds_batch": of_batch,
            }
            for (small, seconds), of_batch in zip(found, batch[1:])
        ],
    }


def compare(set, seed=0, quick=False):
    """Compare moved with selected vectors."""
    X, y, X_test, y_test = SAMPLES[set].load(seed, quick)
    X_test, y_test = X_test[:2000], y_test[:2000]
    model, errors = _fitted(set, seed, X, y), []
    size = max(1, round(COMPARED_SHARE * len(model.support_)))
    for n_moves in (0, _compression.N_MOVES):
        with patch.object(_compression, "N_MOVES", n_moves):
            small = model.compress(max_support_vectors=size)
        errors.append(zero_one_loss(y_test, small.predict(X_test)))
    return {
        "error": zero_one_loss(y_test, model.predict(X_test)),
        "error_selected": errors[0],
        "error_moved": errors[1],
    }


def sizes(results, first, names):
    """Write size, error and time of models, and of those of some requests, from the first one."""
    found = frame("compression_sets", results)
    small = unnest(found, "compressed", "set", "seed")
    small["request"] = small.groupby(["set", "seed"]).cumcount()
    small = small.merge(found[["set", "seed", "seconds_batch"]], on=["set", "seed"])
    small["faster"] = small["seconds_batch_y"] / small["seconds_batch_x"]
    small, rows = means(small, "set", "request"), []
    for name, model in means(found, "set").iterrows():
        of_model = [count(model["n_support"]), number(model["error"], 100)]
        rows.append([TITLES[name], *of_model, "–", "1×"])
        for k, title in enumerate(names, start=first):
            of = small.loc[name, k]
            cells = [count(of["n_support"]), number(of["error"], 100)]
            rows.append([title, *cells, f"{of['sample_difference']:.3f}", times(of["faster"])])
    return list_table(["set", "vectors", "error (%)", "differs by", "faster"], rows)


def compression_methods(results):
    """Write errors with selected and with moved vectors."""
    found = means(frame("compression_methods", results), "set").rename(index=TITLES)
    columns = {
        "error": ("original", percent),
        "error_selected": (f"{percent(COMPARED_SHARE, 0)} selected", percent),
        "error_moved": ("moved", percent),
    }
    return text_table(found, columns, keys=["set"])


STUDY = Study(
    steps={
        "compression_methods": step(compare, seeded(grid(set=PARAMS), 3)),
        "compression_sets": step(compress, seeded(grid(set=PARAMS), 3)),
    },
    tables=named(compression_methods)
    | {
        "compression_tolerance": partial(sizes, first=0, names=[f"{t:g}" for t in TOLERANCES]),
        "compression_size": partial(
            sizes, first=len(TOLERANCES), names=[percent(share, 0) for share in SHARES]
        ),
    },
)
