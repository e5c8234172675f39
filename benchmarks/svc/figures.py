"""The figures, drawn from the stored results."""

import numpy as np

from ..bench.plots import panels, plain_log, save
from ..bench.results import load
from ..bench.summary import Records, stored_records
from . import paper

COLOURS = {"lasvc": "#1f6feb", "svc": "#d1702a"}
NAMES = {"lasvc": "LASVC", "svc": "SVC", "sklearnex": "scikit-learn-intelex"}
GREY, GREEN = "#8b949e", "#2da44e"
ALL_COLOURS = {**COLOURS, "sklearnex": GREEN}


def _points(records, x, field):
    """Medians of a field against x, without those that were not measured."""
    xs = sorted({record[x] for record in records.ok().records})
    points = [(value, records.where(**{x: value}).median(field)) for value in xs]
    return np.array([point for point in points if point[1]], dtype=float).reshape(-1, 2)


def exponent(records, field):
    """Slope of log(field) over log(samples)."""
    points = _points(records, "rows", field)
    if len(points) < 2:
        return float("nan")
    return np.polyfit(np.log(points[:, 0]), np.log(points[:, 1]), 1)[0]


def draw_scaling(results, folder):
    stored = load("scaling", results)
    records = Records(stored["records"]).where(cache_size=stored["cache_size"])
    figure, ((time, memory),) = panels(1, 2, width=5.2, height=3.9)
    for axis, field, label in (
        (time, "fit_seconds", "fit time (s)"),
        (memory, "fit_peak_mb", "growth of memory during fit (MB)"),
    ):
        for model, colour in ALL_COLOURS.items():
            mine = records.where(model=model)
            points = _points(mine, "rows", field)
            slope = exponent(mine, field)
            label_model = f"{NAMES[model]}, n^{slope:.2f}"
            axis.loglog(*points.T, "o-", color=colour, label=label_model)
        plain_log(axis.xaxis, (1, 2, 5))
        plain_log(axis.yaxis)
        axis.set(xlabel="training samples (Adult, CSR)", ylabel=label)
        axis.legend(frameon=False)
    save(figure, folder / "scaling.png")


def draw_start(results, folder):
    """Time and error against the number of samples, for the start page."""
    stored = load("scaling", results)
    records = Records(stored["records"]).where(cache_size=stored["cache_size"])
    for name, field, scale, title in (
        ("start_time", "fit_seconds", 1, "training time (s)"),
        ("start_error", "error", 100, "test error (%)"),
    ):
        figure, ((axis,),) = panels(1, 1, width=4.4, height=3.2)
        for model, colour in ALL_COLOURS.items():
            x, y = _points(records.where(model=model), "rows", field).T
            style = dict(color=colour, linewidth=2.2, markersize=6)
            axis.plot(x, scale * y, "o-", label=NAMES[model], **style)
        axis.set_xscale("log")
        plain_log(axis.xaxis, (1, 2, 5))
        axis.set_ylim(0, 1.2 * axis.dataLim.y1)
        axis.set_title(title, loc="left")
        axis.set_xlabel("training samples")
        axis.legend(frameon=False, loc="upper left" if name == "start_time" else "lower left")
        save(figure, folder / f"{name}.png")


def draw_classes(results, folder):
    """Times against the number of classes."""
    stored = load("classes", results)
    records = Records(stored["records"]).where(cache_size=stored["cache_size"], threads=1)
    figure, (axes,) = panels(1, 2, width=5.2, height=3.9)
    for axis, field, label in zip(axes, ("fit_seconds", "predict_seconds"), ("fit", "predict")):
        for model, colour in ALL_COLOURS.items():
            points = _points(records.where(model=model), "classes", field)
            axis.loglog(*points.T, "o-", color=colour, label=NAMES[model])
        plain_log(axis.xaxis, (1, 2, 5))
        plain_log(axis.yaxis)
        axis.set(xlabel="classes", ylabel=f"{label} (s)")
        axis.legend(frameon=False)
    save(figure, folder / "classes.png")


def draw_cache_size(results, folder):
    """Times relative to SVC with the largest cache, averaged over the digits, as in 3.6."""
    stored = load("cache_size", results)
    records = Records(stored["records"]).where(rows=stored["rows"])
    digits = sorted(records.distinct("digit"))
    figure, ((axis,),) = panels(1, 1, width=6.4, height=3.9)
    for model, colour in COLOURS.items():
        relative = [_relative_times(records, model, digit) for digit in digits]
        sizes = sorted(set.intersection(*(set(times) for times in relative)))
        mean = [np.mean([times[size] for times in relative]) for size in sizes]
        axis.loglog(sizes, mean, "o-", color=colour, label=NAMES[model])
    axis.axhline(1, color=GREY, linewidth=1, linestyle="--")
    axis.set_xticks([8, 32, 128, 512, 1024], [8, 32, 128, 512, 1024])
    axis.minorticks_off()
    plain_log(axis.yaxis)
    axis.set(
        xlabel="kernel cache (MB)",
        ylabel="fit time / that of SVC with 1 GB",
        title=f"MNIST, {stored['rows']} samples, mean of the digits "
        + ", ".join(map(str, digits)),
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


def _averaged(results, model):
    """Records of one of AVERAGED, one for each digit."""
    records = stored_records("kernel_perceptrons", results).ok().records
    return Records({**record, **record["models"][model]} for record in records)


def draw_mnist_digits(results, folder):
    """Figures 3.1, 3.2 and 3.5 of the thesis in one: error, time and vectors per digit."""
    stored = load("mnist_digits", results)
    records = Records(stored["records"])
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
    figure, (axes,) = panels(1, 3, width=4.6, height=4.1)
    for axis, (field, (averaged_field, label)) in zip(axes, fields.items()):
        scale = 100 if field == "error" else 1
        for offset, (way, (name, colour)) in enumerate(ways.items()):
            points = _points(records.where(way=way), "digit", field)
            places = np.searchsorted(digits, points[:, 0]) + 0.2 * (offset - 1.5)
            axis.bar(places, scale * points[:, 1], 0.2, color=colour, label=name)
        for model, (name, style) in AVERAGED.items():
            points = _points(_averaged(results, model), "digit", averaged_field)
            places = np.searchsorted(digits, points[:, 0])
            style = style | dict(color=GREEN, markersize=4, linewidth=1.4, label=name)
            axis.plot(places, scale * points[:, 1], **style)
        axis.set_xticks(range(len(digits)), digits)
        axis.set(xlabel="digit against the rest", ylabel=label)
    axes[1].set_yscale("log")
    plain_log(axes[1].yaxis)
    figure.legend(*axes[0].get_legend_handles_labels(), loc="lower center", ncols=3, frameon=False)
    figure.tight_layout(rect=(0, 0.11, 1, 1))
    save(figure, folder / "mnist_digits.png", tight=False)


def draw_figure_3_3(results, folder):
    """Training time against the number of support vectors, a point for each digit."""
    stored = load("mnist_digits", results)
    records = Records(stored["records"])
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
    axis.set_yscale("log")
    plain_log(axis.yaxis)
    axis.set(xlabel="support vectors", ylabel="fit time (s)", xlim=(0, None))
    axis.legend(frameon=False)
    save(figure, folder / "figure_3_3.png")


def sweep_records(stored):
    """The points of the delta_max sweep of all seeds."""
    return Records(
        {"status": "ok", **point}
        for record in stored["records"]
        if record["lasvc"]["status"] == "ok"
        for point in record["lasvc"]["sweep"]
    )


def draw_figure_3_7(results, folder):
    stored = load("figure_3_7", results)
    sweep = sweep_records(stored)
    if not sweep:
        return
    svc = Records(record["svc"] for record in stored["records"])
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
        axis.set_xscale("log")
        axis.set(xlabel="delta_max", ylabel=label)
    axes[1].set_yscale("log")
    plain_log(axes[1].yaxis)
    axes[2].legend(frameon=False)
    save(figure, folder / "figure_3_7.png")
