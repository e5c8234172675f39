"""LASVC compared with SVC and other peers, on sets of all kinds."""

import pickle
from functools import partial
from statistics import median as middle

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.svm import SVC

from sklearn_online_svm import LASVC

from ..bench import rst
from ..bench.frames import curve, frame, mean, median, ratio, verdict, where
from ..bench.measure import Stopwatch
from ..bench.plots import legend_below, panels, plain_log, save
from ..bench.study import Study, grid, named, seeded, step
from ..sets import workloads
from .svc_models import CACHE_SIZE, ONE_PASS, build, fit_and_predict, warm_up

COLUMNS = {
    "lasvc_1": dict(model="lasvc"),
    "svc": dict(model="svc"),
    "sklearnex_1": dict(model="sklearnex"),
    "lasvc_2": dict(model="lasvc", threads=2),
    "sklearnex_2": dict(model="sklearnex", threads=2),
    # The sparse path of its 0.3.3 hands integer labels to code that reads floats; it then
    # trains another model, or ends in a segmentation fault. So it gets dense arrays.
    "thundersvm": dict(model="thundersvm", threads=2, dense=True),
    "quarter_svc": dict(model="quarter_svc"),
    "nystroem_sgd": dict(model="nystroem_sgd"),
    "hgb": dict(model="hist_gradient_boosting", threads=2, dense=True),
}
# Peers that take no sparse arrays, and are stopped after some time.
DENSE = ("thundersvm", "hgb")
# The models of the same problem.
NAMES = {"lasvc": "LASVC", "svc": "SVC", "sklearnex": "scikit-learn-intelex"}
# The tables of the comparison, and their columns.
PARTS = {
    "one thread": dict(lasvc_1="LASVC", svc="SVC", sklearnex_1=NAMES["sklearnex"]),
    "two threads": dict(
        lasvc_2="LASVC", sklearnex_2=NAMES["sklearnex"], thundersvm="Thunder\N{SOFT HYPHEN}SVM"
    ),
    "other models": dict(
        quarter_svc="SVC, a quarter", nystroem_sgd="Nystroem + SGD", hgb="boosting"
    ),
}
# What takes minutes is fitted for one seed.
ONCE = {("mnist_8", "hgb"), *((name, "svc") for name in workloads.SEVERAL)}
ONCE |= {("mnist_ten", column) for column in ("svc", "hgb", "sklearnex_1", "sklearnex_2")}
ONCE |= {(name, "thundersvm") for name in workloads.COMPARED}

SIZES = [2000, 4000, 8000, 16000, 32000]
# LASVC once more on all samples with caches that are too small: does memory keep its bound?
SMALL_CACHES = [50, 200]
TEXT_MODELS = {
    "arow_once": "AROW, one pass",
    "cw_once": "CW, one pass",
    "pa_once": "PA, one pass",
    "arow": "AROW, until convergence",
    "linear_svc": "``LinearSVC``",
    "sgd": "``SGDClassifier``",
    "logistic": "``LogisticRegression``",
    "bayes": "``ComplementNB``",
    "lasvc": "``LASVC``",
}
# Samples of each stream; the whole of Adult and MNIST would only take longer.
STREAMS = dict(waveform=None, banana=None, usps_noise=None, adult_csr=5000, mnist_8=5000)
N_CHUNKS = 10
# Training samples; above the smaller number, leaving out one by one takes too long.
LEFT_OUT_UP_TO = 1500
LEFT_OUT = [
    dict(workload=name, n_train=n)
    for name, n_most in (("banana", 4000), ("adult_csr", 10_000), ("mnist_8", 10_000))
    for n in (LEFT_OUT_UP_TO, n_most)
]


def predict_along(workload, n_train, seed=0, threads=1, quick=False):
    """Errors after each chunk of a stream: by default, after `finish`, and without finishing.

    Times: of the stream alone, and with a prediction after each chunk.
    """
    split = workloads.WORKLOADS[workload].load(seed, quick, n_train)
    make = partial(build, workload, "lasvc", seed, threads, C=1000.0)
    warm_up(make(), split)
    X, y, classes = split.X_train, split.y_train, np.unique(split.y_train)
    ends = np.linspace(0, len(y), N_CHUNKS + 1).astype(int)
    chunks = [slice(*pair) for pair in zip(ends, ends[1:])]
    stream_seconds = []
    for _ in range(3):
        model = make()
        with Stopwatch() as stream:
            for chunk in chunks:
                model.partial_fit(X[chunk], y[chunk], classes=classes)
        stream_seconds.append(stream.seconds)

    model, watch, errors = make(), Stopwatch(), []
    for chunk in chunks:
        with watch:
            model.partial_fit(X[chunk], y[chunk], classes=classes)
            model.decision_function(split.X_test[:1])
        finished = pickle.loads(pickle.dumps(model)).finish()
        raw = pickle.loads(pickle.dumps(model)).set_params(finishing=False)
        errors.append([1 - m.score(split.X_test, split.y_test) for m in (model, finished, raw)])
    return {
        "n_train": len(y),
        "errors": errors,
        "stream_seconds": stream_seconds,
        "watched_seconds": watch.seconds,
    }


def leave_one_out_errors(workload, n_train, seed=0, threads=1, quick=False):
    """Compare leave-one-out estimates at the optimum with the exact error and other estimates."""
    split = workloads.WORKLOADS[workload].load(seed, quick, 200 if quick else n_train)
    X, y = split.X_train, split.y_train
    model = build(workload, "lasvc", seed, threads)
    once = clone(model).set_params(**ONE_PASS).fit(X, y)
    model.set_params(max_iter=-1)
    folds = StratifiedKFold(10, shuffle=True, random_state=seed)
    accuracies = cross_val_score(model, X, y, cv=folds)
    model.fit(X, y)
    exact = float(model.leave_one_out_errors(X, y).mean()) if len(y) <= LEFT_OUT_UP_TO else None
    return {
        "estimate": model.leave_one_out_estimate_,
        "estimate_after_one_pass": once.leave_one_out_estimate_,
        "exact": exact,
        "folds": float(1.0 - accuracies.mean()),
        "bound": float(model.leave_one_out_errors(X, y, method="xi-alpha").mean()),
        "test": float(1.0 - model.score(split.X_test, split.y_test)),
    }


def differences_from_optimum(C, quick=False):
    """Return the largest differences of decision values from the optimum, and between models."""
    split = workloads.WORKLOADS["banana"].load(0, quick)
    X, y, X_test = split.X_train, split.y_train, split.X_test
    models = [SVC(C=C, gamma=1.0, tol=1e-9), SVC(C=C, gamma=1.0), LASVC(C=C, gamma=1.0)]
    best, svc, ours = (model.fit(X, y).decision_function(X_test) for model in models)
    pairs = {"svc": svc - best, "lasvc": ours - best, "between": svc - ours}
    return {name: float(np.abs(values).max()) for name, values in pairs.items()}


def _is_measured(workload, column, seed):
    if seed > 0 and (workload, column) in ONCE:
        return False
    # Trees have no use for 8000 words, and one of the two rows of Adult is enough for a peer
    # that gets the same arrays in both.
    if column in DENSE and workload in ("reuters", "adult_csr"):
        return False
    return workload not in workloads.SEVERAL or COLUMNS[column]["model"] in NAMES


def _comparison(settings, workload):
    """All columns alternate, so that a slow period of the machine affects all of them."""
    limits = dict.fromkeys(DENSE, {"limit": 20 if settings.quick else 120})
    return [
        (dict(column=column, seed=seed), dict(seed=seed, **fields, **limits.get(column, {})))
        for seed in range(settings.seeds)
        for column, fields in COLUMNS.items()
        if _is_measured(workload, column, seed)
    ]


def fit_text(classes, model, **fixed):
    """Fit as many generated samples for each number of classes."""
    return fit_and_predict(f"text_{classes}", model, **fixed)


def fit_clusters(classes, features, **fixed):
    """Fit clusters that overlap."""
    return fit_and_predict(f"clusters_{features}_{classes}", **fixed)


def _scaling(settings):
    """Fit time and memory against the number of samples, on Adult."""
    cases = [
        dict(model=model, seed=seed, n_train=n_train, cache_size=CACHE_SIZE)
        for n_train in SIZES
        for seed in range(settings.seeds)
        for model in ("lasvc", "sklearnex", "svc")
        # The last sizes of SVC are most of the time of this step.
        if model != "svc" or seed == 0 or n_train <= 8000
    ]
    small = grid(model=["lasvc"], seed=[0], n_train=SIZES[-1:], cache_size=SMALL_CACHES)
    return cases + small


STEPS = {
    "text": step(fit_and_predict, seeded(grid(model=TEXT_MODELS)), workload="newsgroups"),
    "prefixes": step(predict_along, [dict(workload=w, n_train=n) for w, n in STREAMS.items()]),
    "scaling": step(fit_and_predict, _scaling, workload="adult_csr"),
    "how_long": step(
        fit_clusters,
        grid(
            classes=workloads.CLUSTER_CLASSES,
            features=workloads.CLUSTER_FEATURES,
            n_train=[2000, 4000, 16_000],
            threads=(1, 2),
        ),
        cache_size=500,
        **ONE_PASS,
    ),
    "classes": step(
        fit_text, grid(classes=workloads.TEXT_CLASSES, model=NAMES), n_quick=6, limit=400
    ),
    "optimum": step(differences_from_optimum, grid(C=[1.0, 10.0, 100.0, 1000.0])),
    "leave_one_out": step(leave_one_out_errors, seeded(LEFT_OUT, 3)),
    **{
        name: step(fit_and_predict, partial(_comparison, workload=name), workload=name)
        for name in workloads.COMPARED + workloads.SEVERAL
    },
}


def compared(results, names):
    """Return the records of the comparison on some sets, and the titles of those measured."""
    found = frame(names, results, failed=True)
    return found, {name: workloads.WORKLOADS[name].title for name in found.step.unique()}


def time_and_error(found, **wanted):
    """The time of fit with the test error, or why there is none."""
    time = median(found, "fit_seconds", **wanted)
    if time is None:
        return verdict(found, **wanted)
    return f"{rst.seconds(time)}, {rst.percent(median(found, 'error', **wanted))}"


def sets(results):
    """The data sets of the comparison."""
    found, titles = compared(results, [*workloads.COMPARED, *workloads.SEVERAL])
    rows = [
        {
            "data set": work.title,
            "training": rst.count(median(found, "n_train", step=work.name)),
            "test": rst.count(median(found, "n_test", step=work.name)),
            "features": rst.count(work.n_features),
            "not zero": rst.percent(work.density, 0 if work.density > 0.1 else 1),
            "``C``": f"{work.C:g}",
            "``gamma``": f"{work.gamma:g}" if work.kernel == "rbf" else "linear",
        }
        for work in map(workloads.WORKLOADS.get, titles)
    ]
    return rst.table(rows, {"Samples and features": 3, "Density and parameters": 3})


def _relative(found, field, column, **wanted):
    """The median of a field, divided by that of LASVC."""
    return ratio(*(median(found, field, column=c, **wanted) for c in (column, "lasvc_1")))


def headline(results):
    """For the README: time and error on one thread, and times relative to LASVC."""
    found, titles = compared(results, workloads.COMPARED)

    def cell(name, column):
        time, error = (
            median(found, field, step=name, column=column) for field in ("fit_seconds", "error")
        )
        relative = rst.times(_relative(found, "fit_seconds", column, step=name))
        relative = "" if column == "lasvc_1" else f" ({relative})"
        return f"{rst.seconds(time)}{relative}, {rst.percent(error)}"

    return rst.cross_table("data set", titles, PARTS["one thread"], cell)


def relative_times(results):
    """Times of the peers on one thread, divided by that of LASVC."""
    found, titles = compared(results, [*workloads.COMPARED, *workloads.SEVERAL])
    columns = {
        ("svc", "fit_seconds"): "SVC, fit",
        ("sklearnex_1", "fit_seconds"): "Intel, fit",
        ("svc", "predict_seconds"): "SVC, predict",
        ("sklearnex_1", "predict_seconds"): "Intel, predict",
    }

    def cell(name, column):
        return rst.times(_relative(found, column[1], column[0], step=name))

    return rst.cross_table("data set", titles, columns, cell)


def comparison(results, names, fits, predictions):
    """Times of fit with test errors, and times of predict, for some of PARTS."""
    found, titles = compared(results, names)

    def cell(name, column):
        return time_and_error(found, step=name, column=column)

    tables = [
        rst.cross_table("data set", titles, PARTS[part], cell, f"Fit time and test error, {part}")
        for part in fits
    ]
    for part in predictions:
        axes, title = (("step", titles), ("column", PARTS[part])), f"Prediction time, {part}"
        tables.append(
            rst.cross(found, *axes, "predict_seconds", rst.seconds, title, corner="data set")
        )
    return rst.joined(tables)


def memory(results):
    """Memory of fit with several cache sizes, on all samples of Adult."""
    found = where(frame("scaling", results), model="lasvc")
    found = where(found, n_train=found.n_train.max())
    sizes = {size: rst.megabytes(size) for size in sorted(found.cache_size)}
    fields = {"fit_peak_mb": ("memory", rst.megabytes), "fit_seconds": ("fit", rst.seconds)}
    return rst.cross_fields(found, ("cache_size", sizes), fields, corner="``cache_size``")


def classes(results):
    """Fit time and test error against the number of classes."""
    found = frame("classes", results, failed=True)

    def cell(n_classes, model):
        return time_and_error(found, classes=n_classes, model=model)

    return rst.cross_table(
        "classes", {n: rst.count(n) for n in workloads.TEXT_CLASSES}, NAMES, cell
    )


def text(results):
    """Test error and fit time of models for text."""
    fields = {"error": ("error", rst.percent), "fit_seconds": ("fit", rst.seconds)}
    return rst.cross_fields(frame("text", results), ("model", TEXT_MODELS), fields)


def exponent(found, field):
    """Slope of log(field) over log(samples)."""
    sizes, values = curve(found, "n_train", field)
    return np.polyfit(np.log(sizes), np.log(values), 1)[0] if len(sizes) > 1 else np.nan


def how_long(results):
    """Fit and predict by samples, features, classes and threads."""
    found = frame("how_long", results)
    found["kind"] = [f"{k}, {d}" for k, d in zip(found.classes, found.features)]
    found["thousand_seconds"] = found.predict_seconds.map(middle) * 1000 / found.n_test
    kinds = {kind: kind for kind in found.kind.unique()}
    sizes = {n: rst.count(n) for n in found.n_train.unique()}

    def table(title, field, form=rst.seconds, threads=1):
        here = where(found, threads=threads)
        return rst.cross(here, ("kind", kinds), ("n_train", sizes), field, form, title, corner="")

    def with_doubling(kind, n_train):
        here = where(found, kind=kind, threads=1)
        if n_train == "doubling":
            return rst.times(2 ** exponent(here, "fit_seconds"))
        return rst.seconds(median(here, "fit_seconds", n_train=n_train))

    columns = sizes | {"doubling": "×2"}
    return rst.joined([
        rst.cross_table("", kinds, columns, with_doubling, "Time of ``fit``, one thread"),
        table("Time of ``fit``, two threads", "fit_seconds", threads=2),
        table("Support vectors", "n_support", rst.count),
        table("Time of ``predict`` for 1000 samples", "thousand_seconds"),
    ])  # fmt: skip


def prefixes(results):
    """Predictions during a stream: errors and times."""
    found = frame("prefixes", results)
    # The first chunk may hold a single class.
    errors = np.mean([of_chunks[1:] for of_chunks in found.errors], axis=1)
    found["default"], _, found["raw"] = errors.T
    sets = {name: workloads.WORKLOADS[name].title for name in STREAMS}
    fields = {
        "default": ("default", rst.percent),
        "raw": ("``finishing=False``", rst.percent),
        "stream_seconds": ("alone", rst.seconds),
        "watched_seconds": ("with predictions", rst.seconds),
    }
    parts = {"Mean error": 2, "Time of the stream": 2}
    return rst.cross_fields(found, ("workload", sets), fields, parts, corner="data set")


def leave_one_out(results):
    """Leave-one-out errors compared with others, means over the seeds."""
    found = frame("leave_one_out", results)
    cases = zip(found.workload, found.n_train)
    found["case"] = [
        f"{workloads.WORKLOADS[name].title}, {rst.count(n)} samples" for name, n in cases
    ]
    titles = {
        "estimate": "estimate",
        "estimate_after_one_pass": "after one pass",
        "exact": "exact",
        "bound": "xi-alpha",
        "folds": "10 folds",
        "test": "test samples",
    }
    fields = {field: (title, rst.percent) for field, title in titles.items()}
    rows, parts = ("case", found.case.unique()), {"Leave-one-out errors": 3, "Other errors": 3}
    return rst.cross_fields(found, rows, fields, parts, corner="data set", middle=mean)


def optimum(results):
    """Differences of decision values from the optimum."""
    titles = {"svc": "SVC, optimum", "lasvc": "LASVC, optimum", "between": "LASVC, SVC"}
    columns = {name: (title, "{:.2g}".format) for name, title in titles.items()}
    return rst.text_table(frame("optimum", results).set_index("C"), columns, keys=["C"])


COLOURS = {"lasvc": "#1f6feb", "svc": "#d1702a", "sklearnex": "#2da44e"}
# The other models of the comparison.
OTHERS = {"quarter_svc": "#b35900", "nystroem_sgd": "#8250df", "hgb": "#bf3989"}


def draw_comparison(results, folder):
    """Fit time and test error of the models on each set, a point for each."""
    found, titles = compared(results, workloads.COMPARED)
    sets = [*reversed(titles)]
    columns = PARTS["one thread"] | PARTS["other models"]
    figure, axes = panels(2, 1, width=6.4, height=3.6)
    for axis, field, title, scale in (
        (axes[0, 0], "fit_seconds", "fit time (s)", 1),
        (axes[1, 0], "error", "test error (%)", 100),
    ):
        for k, (column, label) in enumerate(columns.items()):
            # Below each other: some have the same error.
            shift = 0.12 * ((len(columns) - 1) / 2 - k)
            medians = [median(found, field, step=name, column=column) for name in sets]
            shown = [(scale * value, i + shift) for i, value in enumerate(medians) if value]
            if not shown:  # a peer that is not installed
                continue
            colour = OTHERS.get(column) or COLOURS[COLUMNS[column]["model"]]
            marker, size = ("s", 5) if column in OTHERS else ("o", 6)
            axis.plot(*zip(*shown), marker, color=colour, markersize=size, label=label)
        plain_log(axis.xaxis)
        axis.set_yticks(range(len(sets)), [titles[name] for name in sets])
        axis.set_title(title, loc="left")
    legend_below(figure, axes, 3, 0.576)
    save(figure, folder / "comparison.png")


def _curves(axis, found, x, field, scale=1, slopes=False, **style):
    """A curve for each model that solves the problem of SVC."""
    for model, name in NAMES.items():
        mine = where(found, model=model)
        label = f"{name}, n^{exponent(mine, field):.2f}" if slopes else name
        xs, ys = curve(mine, x, field)
        axis.plot(xs, scale * ys, "o-", color=COLOURS[model], label=label, **style)
    plain_log(axis.xaxis, (1, 2, 5))


def _logarithmic(found, fields, path, x, xlabel, slopes=False):
    """A panel for each field, a dict from name to label."""
    figure, (axes,) = panels(1, len(fields), width=5.2, height=3.9)
    for axis, (field, label) in zip(axes, fields.items()):
        _curves(axis, found, x, field, slopes=slopes)
        plain_log(axis.yaxis)
        axis.set(xlabel=xlabel, ylabel=label)
        axis.legend(frameon=False)
    save(figure, path)


def draw_scaling(results, folder):
    found = where(frame("scaling", results), cache_size=CACHE_SIZE)
    labels = {"fit_seconds": "fit time (s)", "fit_peak_mb": "growth of memory during fit (MB)"}
    x = dict(x="n_train", xlabel="training samples (Adult, CSR)")
    _logarithmic(found, labels, folder / "scaling.png", slopes=True, **x)


def draw_classes(results, folder):
    labels = {"fit_seconds": "fit (s)", "predict_seconds": "predict (s)"}
    x = dict(x="classes", xlabel="classes")
    _logarithmic(frame("classes", results), labels, folder / "classes.png", **x)


def draw_start(results, folder):
    """Time and error against the number of samples, for the start page."""
    found = where(frame("scaling", results), cache_size=CACHE_SIZE)
    for name, field, scale, title in (
        ("start_time", "fit_seconds", 1, "training time (s)"),
        ("start_error", "error", 100, "test error (%)"),
    ):
        figure, ((axis,),) = panels(1, 1, width=4.4, height=3.2)
        _curves(axis, found, "n_train", field, scale, linewidth=2.2, markersize=6)
        if field == "error":
            axis.set_ylim(14, 17)
        else:
            plain_log(axis.yaxis)
        axis.set_title(title, loc="left")
        axis.set_xlabel("training samples")
        axis.legend(frameon=False)
        save(figure, folder / f"{name}.png")


EXACT = dict(fits=["one thread", "two threads"], predictions=["one thread"])
STUDY = Study(
    steps=STEPS,
    tables=named(
        sets, relative_times, memory, classes, how_long, optimum, leave_one_out, text, prefixes
    )
    | {
        "binary": partial(comparison, names=workloads.COMPARED[:-1], **EXACT),
        "several": partial(comparison, names=["mnist_ten", *workloads.SEVERAL], **EXACT),
        "other_models": partial(
            comparison,
            names=workloads.COMPARED,
            fits=["other models"],
            predictions=["other models"],
        ),
    },
    figures=[draw_comparison, draw_scaling, draw_classes, draw_start],
)
