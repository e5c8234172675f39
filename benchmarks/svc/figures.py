"""The figures, drawn from the stored results."""

import numpy as np

from ..bench.plots import legend_below, panels, plain_log, save
from ..bench.summary import Records, flat, measured, stored_records
from ..sets.workloads import COMPARED, WORKLOADS
from . import paper
from .models import COLUMNS, NAMES, PARTS

COLOURS = {"lasvc": "#1f6feb", "svc": "#d1702a", "sklearnex": "#2da44e"}
GREY = "#8b949e"
# The other models of the comparison.
OTHERS = {"quarter_svc": "#b35900", "nystroem_sgd": "#8250df", "hgb": "#bf3989"}


def _points(records, x, field):
    """Medians of a field against x, without those that were not measured."""
    xs = sorted({record[x] for record in records.ok().records})
    points = [(value, records.where(**{x: value}).median(field)) for value in xs]
    return np.array([point for point in points if point[1]], dtype=float).reshape(-1, 2)


def exponent(records, field):
    """Slope of log(field) over log(samples)."""
    points = _points(records, "n_train", field)
    if len(points) < 2:
        return float("nan")
    return np.polyfit(np.log(points[:, 0]), np.log(points[:, 1]), 1)[0]


def draw_comparison(results, folder):
    """Fit time and test error of the models on each set, a point for each."""
    sets = {name: stored_records(name, results) for name in reversed(COMPARED)}
    sets = {name: records for name, records in sets.items() if records}
    if not sets:
        return
    shown = [*PARTS["one thread"], *PARTS["other models"]]
    columns = [column for column in COLUMNS if column.key in shown]
    figure, axes = panels(2, 1, width=6.4, height=3.6)
    for axis, field, title, scale in (
        (axes[0, 0], "fit_seconds", "fit time (s)", 1),
        (axes[1, 0], "error", "test error (%)", 100),
    ):
        for k, column in enumerate(columns):
            # Below each other: some have the same error.
            shift = 0.12 * ((len(columns) - 1) / 2 - k)
            medians = [r.where(column=column.key).median(field) for r in sets.values()]
            points = [(scale * value, i + shift) for i, value in enumerate(medians) if value]
            if not points:  # a peer that is not installed
                continue
            x, y = zip(*points)
            colour = COLOURS.get(column.model) or OTHERS[column.key]
            marker, size = ("o", 6) if column.model in NAMES else ("s", 5)
            axis.plot(x, y, marker, color=colour, markersize=size, label=column.title)
        plain_log(axis.xaxis)
        axis.set_yticks(range(len(sets)), [WORKLOADS[name].title for name in sets])
        axis.set_title(title, loc="left")
    legend_below(figure, axes[0, 0], 3, 0.576)
    save(figure, folder / "comparison.png", tight=False)


def _curves(axis, records, x, field, scale=1, slopes=False, **style):
    """A curve for each model that solves the problem of SVC."""
    for model, name in NAMES.items():
        mine = records.where(model=model)
        label = f"{name}, n^{exponent(mine, field):.2f}" if slopes else name
        xs, ys = _points(mine, x, field).T
        axis.plot(xs, scale * ys, "o-", color=COLOURS[model], label=label, **style)
    plain_log(axis.xaxis, (1, 2, 5))


def _scaling(results):
    """Records of `scaling` with the cache of the other steps."""
    records = measured("scaling", results)
    return records.where(cache_size=max(records.distinct("cache_size")))


def draw_scaling(results, folder):
    labels = {"fit_seconds": "fit time (s)", "fit_peak_mb": "growth of memory during fit (MB)"}
    x = dict(x="n_train", xlabel="training samples (Adult, CSR)")
    _loglog(_scaling(results), labels, folder / "scaling.png", slopes=True, **x)


def draw_classes(results, folder):
    labels = {"fit_seconds": "fit (s)", "predict_seconds": "predict (s)"}
    x = dict(x="classes", xlabel="classes")
    _loglog(measured("classes", results), labels, folder / "classes.png", **x)


def _loglog(records, fields, path, x, xlabel, slopes=False):
    """A panel for each field, a dict from name to label."""
    figure, (axes,) = panels(1, len(fields), width=5.2, height=3.9)
    for axis, (field, label) in zip(axes, fields.items()):
        _curves(axis, records, x, field, slopes=slopes)
        plain_log(axis.yaxis)
        axis.set(xlabel=xlabel, ylabel=label)
        axis.legend(frameon=False)
    save(figure, path)


def draw_start(results, folder):
    """Time and error against the number of samples, for the start page."""
    records = _scaling(results)
    for name, field, scale, title in (
        ("start_time", "fit_seconds", 1, "training time (s)"),
        ("start_error", "error", 100, "test error (%)"),
    ):
        figure, ((axis,),) = panels(1, 1, width=4.4, height=3.2)
        _curves(axis, records, "n_train", field, scale, linewidth=2.2, markersize=6)
        if field == "error":
            axis.set_ylim(14, 17)
        else:
            plain_log(axis.yaxis)
        axis.set_title(title, loc="left")
        axis.set_xlabel("training samples")
        axis.legend(frameon=False)
        save(figure, folder / f"{name}.png")


def draw_cache_size(results, folder):
    """Times relative to SVC with the largest cache, averaged over the digits, as in 3.6."""
    records = measured("cache_size", results)
    n_train = min(records.values("n_train"))
    records = records.where(n_train=n_train)
    digits = sorted(records.distinct("digit"))
    figure, ((axis,),) = panels(1, 1, width=6.4, height=3.9)
    for model in ("lasvc", "svc"):
        relative = [_relative_times(records, model, digit) for digit in digits]
        sizes = sorted(set.intersection(*(set(times) for times in relative)))
        mean = [np.mean([times[size] for times in relative]) for size in sizes]
        axis.plot(sizes, mean, "o-", color=COLOURS[model], label=NAMES[model])
    axis.axhline(1, color=GREY, linewidth=1, linestyle="--")
    plain_log(axis.xaxis)
    plain_log(axis.yaxis)
    axis.set_xticks([8, 32, 128, 512, 1024], [8, 32, 128, 512, 1024])
    axis.set(
        xlabel="kernel cache (MB)",
        ylabel="fit time / that of SVC with 1 GB",
        title=f"MNIST, {n_train} samples, mean of the digits {', '.join(map(str, digits))}",
    )
    axis.legend(frameon=False)
    save(figure, folder / "cache_size.png")


def _relative_times(records, model, digit):
    """Time by cache size, over that of SVC with the largest cache."""
    svc = dict(_points(records.where(model="svc", digit=digit), "cache_size", "fit_seconds"))
    if not svc:
        return {}
    own = _points(records.where(model=model, digit=digit), "cache_size", "fit_seconds")
    return {size: time / svc[max(svc)] for size, time in own}


# Models of `kernel_perceptrons`, which are lines among the bars of the other models.
AVERAGED = {
    "averaged, 1 pass": ("averaged perceptron, one pass", dict(linestyle="--", marker="s")),
    "averaged, 10 passes": ("averaged perceptron, ten passes", dict(linestyle="-", marker="o")),
}


def draw_mnist_digits(results, folder):
    """Figures 3.1, 3.2 and 3.5 of the thesis in one: error, time and vectors per digit."""
    records = measured("mnist_digits", results)
    ways = {
        "x1": ("LASVC, one pass", COLOURS["lasvc"]),
        "x2": ("LASVC, two passes", "#79b8ff"),
        "exact": ("LASVC, until nothing changes", GREY),
        "svc": ("SVC", COLOURS["svc"]),
    }
    fields = {
        "error": ("error", "test error (%)"),
        "fit_seconds": ("fit_seconds", "fit time (s)"),
        "n_support": ("n_vectors", "vectors"),
    }
    digits = sorted(records.distinct("digit"))
    perceptrons = stored_records("kernel_perceptrons", results).ok().records
    figure, (axes,) = panels(1, 3, width=4.6, height=4.1)
    for axis, (field, (averaged_field, label)) in zip(axes, fields.items()):
        scale = 100 if field == "error" else 1
        for offset, (way, (name, colour)) in enumerate(ways.items()):
            points = _points(records.where(way=way), "digit", field)
            places = np.searchsorted(digits, points[:, 0]) + 0.2 * (offset - 1.5)
            axis.bar(places, scale * points[:, 1], 0.2, color=colour, label=name)
        for model, (name, style) in AVERAGED.items():
            averaged = Records(record | record["models"][model] for record in perceptrons)
            points = _points(averaged, "digit", averaged_field)
            places = np.searchsorted(digits, points[:, 0])
            style = dict(color=COLOURS["sklearnex"], markersize=4, linewidth=1.4) | style
            axis.plot(places, scale * points[:, 1], label=name, **style)
        axis.set_xticks(range(len(digits)), digits)
        axis.set(xlabel="digit against the rest", ylabel=label)
    plain_log(axes[1].yaxis)
    legend_below(figure, axes[0], 3, 0.451)
    save(figure, folder / "mnist_digits.png", tight=False)


def draw_figure_3_3(results, folder):
    """Training time against the number of support vectors, a point for each digit."""
    records = measured("mnist_digits", results)
    figure, ((axis,),) = panels(1, 1, width=6.4, height=3.9)
    ways = {"x1": ("LASVC, one pass", COLOURS["lasvc"]), "svc": ("SVC", COLOURS["svc"])}
    for way, (name, colour) in ways.items():
        mine = records.where(way=way).ok()
        if not mine:
            continue
        time, vectors = (_points(mine, "digit", field) for field in ("fit_seconds", "n_support"))
        axis.plot(vectors[:, 1], time[:, 1], "o", color=colour, label=name)
        for (digit, seconds), n_support in zip(time, vectors[:, 1]):
            axis.annotate(
                f"{digit:.0f}",
                (n_support, seconds),
                xytext=(5, 3),
                textcoords="offset points",
                fontsize=8,
                color=colour,
            )
    plain_log(axis.yaxis)
    axis.set(xlabel="support vectors", ylabel="fit time (s)", xlim=(0, None))
    axis.legend(frameon=False)
    save(figure, folder / "figure_3_3.png")


def draw_figure_3_7(results, folder):
    records = stored_records("figure_3_7", results).records
    sweep = flat(Records(record["lasvc"] for record in records), "sweep")
    if not sweep:
        return
    svc = Records(record["svc"] for record in records)
    plots = (
        ("error", "error", "test error (%)", 100),
        ("seconds", "fit_seconds", "fit time (s)", 1),
        ("n_support", "n_support", "support vectors", 1),
    )
    figure, (axes,) = panels(1, 3, width=4.6, height=3.9)
    colours = dict(zip(("one pass", "one pass, finished", "two passes, finished"),
                       (GREY, COLOURS["lasvc"], "#0b3d91")))  # fmt: skip
    for axis, (field, svc_field, label, scale) in zip(axes, plots):
        for way, colour in colours.items():
            x, y = _points(sweep.where(way=way), "delta_max", field).T
            axis.plot(x, scale * y, "o-", markersize=4, color=colour, label=way)
        level = svc.median(svc_field)
        if level is not None:
            axis.axhline(scale * level, color=COLOURS["svc"], linestyle="--", label="SVC")
        axis.axvline(paper.SWEET_SPOT, color="#d0d7de", linewidth=1)
        axis.set(xscale="log", xlabel="delta_max", ylabel=label)
    plain_log(axes[1].yaxis)
    axes[2].legend(frameon=False)
    save(figure, folder / "figure_3_7.png")
