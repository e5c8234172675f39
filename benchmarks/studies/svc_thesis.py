"""Chapter 3 of Ertekin (2009), where LASVM is compared with LIBSVM."""

import statistics
import tempfile
from functools import partial
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd

from ..bench import rst
from ..bench.frames import curve, entries, frame, mean, median, points, values, where
from ..bench.measure import Stopwatch
from ..bench.plots import GREY, legend_below, note, panels, plain_log, save
from ..bench.results import load, printed
from ..bench.study import Study, grid, named, step
from ..sets.workloads import TABLE_3_2, WORKLOADS
from .svc_models import ONE_PASS, TWO_PASSES, build, fit, fit_and_predict, scored, warm_up

# SVC is deterministic but for ties; on the large sets one seed is enough.
SVC_ONCE = {"adult_csr", "covtype_3v4", "covtype_first20k"}
# An easy digit and a hard one, of ten in the thesis.
CACHE_DIGITS = [1, 8]
CACHE_SIZES = {"lasvc": [8, 32, 128, 256, 512, 1024], "svc": [8, 64, 1024]}
# SVC would take too long on all samples with 8 MB.
CACHE_SAMPLES = {"lasvc": [20_000, 60_000], "svc": [20_000]}
MNIST_WAYS = {
    "x1": ONE_PASS,
    "x2": TWO_PASSES,
    "exact": {"max_iter": -1},
    "svc": {"model": "svc"},
}
BLUE, ORANGE, GREEN = "#1f6feb", "#d1702a", "#2da44e"
WAYS = {
    "x1": ("LASVC, one pass", BLUE),
    "x2": ("LASVC, two passes", "#79b8ff"),
    "exact": ("LASVC, until nothing changes", GREY),
    "svc": ("SVC", ORANGE),
}
DELTA_MAX = [0.3, 1, 2, 3, 5, 10, 20, 50, 100, 300, 1000]
DELTA_WAYS = {
    "one pass": {"finishing": False} | ONE_PASS,
    "one pass, finished": ONE_PASS,
    "two passes, finished": TWO_PASSES,
}


def before_and_after_finishing(workload, cache_size, seed=0, threads=1, quick=False):
    """One pass of LASVC, and the same model after `finish` (Table 3.3)."""
    split = WORKLOADS[workload].load(seed, quick)
    make = partial(build, workload, "lasvc", seed, threads, cache_size, **ONE_PASS)
    warm_up(make(), split)
    model, online_seconds = fit(make(finishing=False), split)
    before = scored(model, split) | {"seconds": online_seconds}
    with Stopwatch() as finishing:
        model.finish()
    after = scored(model, split) | {"seconds": online_seconds + finishing.seconds}
    return {"before": before, "after": after, "n_train": len(split.y_train)}


def delta_max_sweep(workload, cache_size, delta_max, seed=0, threads=1, quick=False):
    """LASVC with REPROCESS repeated until delta <= delta_max, three ways (Figure 3.7)."""
    split = WORKLOADS[workload].load(seed, quick)
    make = partial(build, workload, "lasvc", seed, threads, cache_size)
    warm_up(make(), split)
    sweep = []
    for case in grid(delta_max=delta_max, way=DELTA_WAYS):
        options = DELTA_WAYS[case["way"]] | {"delta_max": case["delta_max"]}
        model, fit_seconds = fit(make(**options), split)
        sweep.append({**case, "seconds": fit_seconds, **scored(model, split)})
    return {"sweep": sweep}


def measure_table_3_2(settings):
    """Tables 3.2 and 3.3: LASVC before and after finishing, compared with SVC."""
    records = []
    for asked in grid(workload=TABLE_3_2, seed=range(settings.seeds)):
        name = asked["workload"]
        asked["cache_size"] = WORKLOADS[name].thesis_cache
        lasvc = settings.record(before_and_after_finishing, asked)
        records.append({"model": "lasvc", **lasvc})
        if asked["seed"] == 0 or name not in SVC_ONCE:
            records.append(settings.record(fit_and_predict, asked | {"model": "svc"}))
    return {"records": records}


def measure_delta_max(settings):
    """Figure 3.7: banana, REPROCESS repeated until delta <= delta_max."""
    delta_max = [1, 10, 1000] if settings.quick else DELTA_MAX
    records = []
    for seed in range(settings.seeds):
        asked = dict(workload="banana", seed=seed, cache_size=WORKLOADS["banana"].thesis_cache)
        lasvc = settings.call(delta_max_sweep, delta_max=delta_max, **asked)
        svc = settings.call(fit_and_predict, model="svc", **asked)
        records.append({"seed": seed, "lasvc": lasvc, "svc": svc})
    return {"records": records}


def measure_mnist(settings, sets, ways):
    """Section 3.2.2: ten binary tasks; one pass, two, and passes until nothing changes; SVC."""
    digits = [1, 8] if settings.quick else range(10)
    records, multiclass = [], {}
    with tempfile.TemporaryDirectory() as folder:
        for way in ways:
            files = {digit: f"{folder}/{way}_{digit}.npy" for digit in digits}
            cases = [
                (dict(digit=digit, way=way), dict(workload=f"{sets}_{digit}", decisions=file))
                for digit, file in files.items()
            ]
            fixed = dict(cache_size=256, **MNIST_WAYS[way])
            records += settings.records(fit_and_predict, cases, **fixed)["records"]
            multiclass[way] = _multiclass_error(files, settings)
    return {"records": records, "multiclass_error": multiclass}


def _multiclass_error(files, settings):
    """One against the rest: the digit with the largest decision value."""
    if not all(Path(file).exists() for file in files.values()):
        return None
    digits = np.array(list(files))
    decisions = np.column_stack([np.load(file) for file in files.values()])
    y_test = WORKLOADS["mnist_ten"].load(0, settings.quick).y_test
    known = np.isin(y_test, digits)
    predicted = digits[decisions[known].argmax(axis=1)]
    return float(np.mean(predicted != y_test[known]))


def _cache_sizes(settings):
    """Figure 3.6, which averages the ten digits over all samples."""
    cases = []
    for digit, model in product(CACHE_DIGITS, CACHE_SIZES):
        options = ONE_PASS if model == "lasvc" else {}
        for n_train, size in product(CACHE_SAMPLES[model], CACHE_SIZES[model]):
            if not settings.quick or (digit == 1 and size in (8, 1024)):
                asked = dict(model=model, n_train=n_train, cache_size=size)
                work = dict(workload=f"mnist_digit_{digit}")
                cases.append(({"digit": digit, **asked}, asked | work | options))
    return cases


def solutions(results, side="after"):
    """The records of SVC, and those of LASVC "before" or "after" finishing."""
    records = frame("table_3_2", results).to_dict("records")
    return pd.DataFrame(
        record
        | (record[side] if record["model"] == "lasvc" else {"seconds": record["fit_seconds"]})
        for record in records
    )


def table_3_1(results):
    """The data sets of Table 3.2 and their parameters."""
    found = solutions(results)
    return rst.table([
        {
            "data set": work.title,
            "training": rst.count(median(found, "n_train", workload=work.name)),
            "test": rst.count(median(found, "n_test", workload=work.name)),
            "``gamma``": f"{work.gamma:.4g}",
            "``C``": f"{work.C:g}",
            "cache": rst.megabytes(work.thesis_cache),
        }
        for work in map(WORKLOADS.get, TABLE_3_2)
    ])  # fmt: skip


OURS = dict(
    error=rst.percent, n_support=rst.count, seconds=rst.seconds, n_kernel_evaluations=rst.millions
)
THESIS = OURS | dict(
    seconds=lambda value: f"{value:g}{rst.NBSP}s",
    n_kernel_evaluations=lambda value: f"{value / 1e6:g}{rst.NBSP}M",
)


def table_3_2(results):
    """Errors, support vectors, time and kernel values, compared with those of the thesis."""
    thesis = pd.DataFrame(printed("ertekin2009_chapter_3")["table_3_2"])
    rows = []
    for name in TABLE_3_2:
        title = WORKLOADS[name].title
        # The full Forest (100 000 samples of CoverType) is not available.
        short = "Forest (100k)" if "covtype" in name else title.split(",")[0]
        for found, forms, shown in (
            (solutions(results), OURS, title),
            (thesis, THESIS, f"{short}, thesis"),
        ):
            svc, lasvc = (
                [form(median(found, f, workload=name, model=m)) for f, form in forms.items()]
                for m in ("svc", "lasvc")
            )
            rows.append([shown, *svc[:3], *lasvc[:3], svc[3], lasvc[3]])
    header = ["data set", *["error", "vectors", "time"] * 2, "LIBSVM", "LASVM×1"]
    return rst.list_table(header, rows, {"LIBSVM": 3, "LASVM×1": 3, "Kernel values": 2})


def table_3_3(results):
    """Change by finishing, in brackets that of the thesis."""
    sides = [where(solutions(results, side), model="lasvc") for side in ("before", "after")]
    thesis = pd.DataFrame(printed("ertekin2009_chapter_3")["table_3_3"])

    def cell(name, field):
        ours = rst.change(*(median(found, field, workload=name) for found in sides))
        return f"{ours} ({median(thesis, field, workload=name):+.0f}{rst.NBSP}%)"

    fields = {"error": "error", "n_support": "vectors", "seconds": "time"}
    titles = {name: WORKLOADS[name].title for name in TABLE_3_2}
    return rst.cross_table("data set", titles, fields, cell)


def mnist_multiclass(results):
    """Figure 3.4: ten digits against the rest, joined."""
    found = frame("mnist_digits", results)
    joint = [load(step, results)["multiclass_error"] for step in ("mnist_digits", "mnist_signed")]
    thesis = pd.DataFrame(printed("ertekin2009_chapter_3")["figure_3_4"])
    rows = []
    for way, (title, _) in WAYS.items():
        times = values(found, "fit_seconds", way=way)
        # The time of fewer than ten digits is not that of the ten-class problem.
        ours = rst.seconds(sum(times) if len(times) == 10 else None)
        errors = [rst.percent(of_set.get(way)) for of_set in joint]
        error, time = (median(thesis, field, way=way) for field in ("error", "seconds"))
        theirs = THESIS["seconds"](time) if time else "–"
        title = "SVC / LIBSVM" if way == "svc" else title
        rows.append([title, *errors, rst.percent(error), ours, theirs])
    header = ["", "pixels in [0, 1]", "pixels in [-1, 1]", "thesis", "ours", "thesis"]
    return rst.list_table(header, rows, {"Error": 3, "Time of ten tasks": 2})


def cache_size(results):
    """Fit time against the cache, for each digit."""
    found = frame("cache_size", results, failed=True).sort_values(["model", "n_train"])
    titles = {"lasvc": "LASVC", "svc": "SVC"}
    found["model"] = [
        f"{titles[model]}, {rst.count(n)} samples" for model, n in zip(found.model, found.n_train)
    ]
    sizes = {size: rst.megabytes(size) for size in sorted(found.cache_size.unique())}
    axes = ("cache_size", sizes), ("model", found.model.unique())
    return rst.joined(
        rst.cross(of_digit, *axes, "fit_seconds", rst.seconds, f"Digit {digit}", corner="cache")
        for digit, of_digit in found.groupby("digit")
    )


def draw_cache_size(results, folder):
    """Times relative to SVC with the largest cache, averaged over the digits, as in 3.6."""
    found = frame("cache_size", results)
    found = where(found, n_train=found.n_train.min())
    found["seconds"] = [statistics.median(s) for s in found.fit_seconds]
    svc = where(found, model="svc", cache_size=max(CACHE_SIZES["svc"]))
    found["relative"] = found.seconds / found.digit.map(svc.set_index("digit").seconds)
    figure, ((axis,),) = panels(1, 1, width=6.4, height=3.9)
    for model, title, colour in (("lasvc", "LASVC", BLUE), ("svc", "SVC", ORANGE)):
        sizes, relative = curve(where(found, model=model), "cache_size", "relative", mean)
        axis.plot(sizes, relative, "o-", color=colour, label=title)
    axis.axhline(1, color=GREY, linewidth=1, linestyle="--")
    plain_log(axis.xaxis)
    plain_log(axis.yaxis)
    axis.set_xticks([8, 32, 128, 512, 1024], [8, 32, 128, 512, 1024])
    digits = ", ".join(map(str, found.digit.unique()))
    axis.set_title(f"MNIST, {found.n_train.max()} samples, mean of the digits {digits}")
    axis.set(xlabel="kernel cache (MB)", ylabel="fit time / that of SVC with 1 GB")
    axis.legend(frameon=False)
    save(figure, folder / "cache_size.png")


def draw_mnist_digits(results, folder):
    """Figures 3.1, 3.2 and 3.5 in one: error, time and vectors per digit."""
    found = frame("mnist_digits", results)
    perceptrons = entries(frame("kernel_perceptrons", results), "models", "model", "digit")
    averaged = {
        "averaged, 1 pass": dict(
            label="averaged perceptron, one pass", marker="s", linestyle="--"
        ),
        "averaged, 10 passes": dict(label="averaged perceptron, ten passes", marker="o"),
    }
    fields = {
        "error": ("error", "test error (%)"),
        "fit_seconds": ("fit_seconds", "fit time (s)"),
        "n_support": ("n_vectors", "vectors"),
    }
    digits = sorted(found.digit.unique())
    figure, (axes,) = panels(1, 3, width=4.6, height=4.1)
    for axis, (field, (averaged_field, label)) in zip(axes, fields.items()):
        scale = 100 if field == "error" else 1
        for offset, (way, (name, colour)) in enumerate(WAYS.items()):
            of_way, heights = curve(where(found, way=way), "digit", field)
            places = np.searchsorted(digits, of_way) + 0.2 * (offset - 1.5)
            axis.bar(places, scale * heights, 0.2, color=colour, label=name)
        for model, style in averaged.items():
            of_way, heights = curve(where(perceptrons, model=model), "digit", averaged_field)
            style = dict(color=GREEN, markersize=4, linewidth=1.4) | style
            axis.plot(np.searchsorted(digits, of_way), scale * heights, **style)
        axis.set_xticks(range(len(digits)), digits)
        axis.set(xlabel="digit against the rest", ylabel=label)
    plain_log(axes[1].yaxis)
    legend_below(figure, axes, 3, 0.451)
    save(figure, folder / "mnist_digits.png")


def draw_figure_3_3(results, folder):
    """Training time against the number of support vectors, a point for each digit."""
    found = frame("mnist_digits", results)
    figure, ((axis,),) = panels(1, 1, width=6.4, height=3.9)
    for way in ("x1", "svc"):
        (name, colour), mine = WAYS[way], where(found, way=way)
        digits, times = curve(mine, "digit", "fit_seconds")
        _, vectors = curve(mine, "digit", "n_support")
        axis.plot(vectors, times, "o", color=colour, label=name)
        for digit, *point in zip(digits, vectors, times):
            note(axis, f"{digit:.0f}", point, fontsize=8, color=colour)
    plain_log(axis.yaxis)
    axis.set(xlabel="support vectors", ylabel="fit time (s)", xlim=(0, None))
    axis.legend(frameon=False)
    save(figure, folder / "figure_3_3.png")


def draw_figure_3_7(results, folder):
    found = frame("figure_3_7", results)
    sweep, svc = points(pd.DataFrame([*found.lasvc]), "sweep"), pd.DataFrame([*found.svc])
    shown = (
        ("error", "error", "test error (%)", 100),
        ("seconds", "fit_seconds", "fit time (s)", 1),
        ("n_support", "n_support", "support vectors", 1),
    )
    figure, (axes,) = panels(1, 3, width=4.6, height=3.9)
    for axis, (field, svc_field, label, scale) in zip(axes, shown):
        for way, colour in zip(DELTA_WAYS, (GREY, BLUE, "#0b3d91")):
            x, y = curve(where(sweep, way=way), "delta_max", field)
            axis.plot(x, scale * y, "o-", markersize=4, color=colour, label=way)
        level = scale * median(svc, svc_field)
        axis.axhline(level, color=ORANGE, linestyle="--", label="SVC")
        # Section 3.2.4.1: here, one pass without finishing nearly matches the SVM.
        axis.axvline(3, color="#d0d7de", linewidth=1)
        axis.set(xscale="log", xlabel="delta_max", ylabel=label)
    plain_log(axes[1].yaxis)
    axes[2].legend(frameon=False)
    save(figure, folder / "figure_3_7.png")


STUDY = Study(
    steps={
        "figure_3_7": measure_delta_max,
        "table_3_2": measure_table_3_2,
        "mnist_digits": partial(measure_mnist, sets="mnist_digit", ways=MNIST_WAYS),
        # Pixels in [-1, 1], as the thesis may have had them. Without SVC: the optimum is the same.
        "mnist_signed": partial(measure_mnist, sets="mnist_signed", ways=["x1", "x2", "exact"]),
        "cache_size": step(fit_and_predict, _cache_sizes, limit=150),
    },
    tables=named(table_3_1, table_3_2, table_3_3, mnist_multiclass, cache_size),
    figures=[draw_cache_size, draw_mnist_digits, draw_figure_3_3, draw_figure_3_7],
)
