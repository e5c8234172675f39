"""Chapter 6 of Ertekin (2009): LASVM-G, -NC, -I and FULL SVM.

``chapter_6_*``: the runs behind Tables 6.1, 6.3 and 6.4 and the curves of the figures; ``ramp_s``:
Figure 6.5.
"""

import textwrap
from collections import Counter
from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd
from matplotlib.ticker import MaxNLocator

from ..bench.frames import curve, frame, mean, median, points, where
from ..bench.measure import Stopwatch
from ..bench.plots import labels_of, note, panels, plain_log, save
from ..bench.results import printed
from ..bench.rst import NBSP, count, cross_table, joined, list_table, seconds
from ..bench.study import Study, grid, step
from ..sets.workloads import CHAPTER_6, WORKLOADS
from .svc_models import ONE_PASS, build, fit, learnt, scored, scores_of, warm_up

# The algorithms, by the name that LASVC has for them.
ALGORITHMS = {
    "lasvm-full": "FULL SVM",
    "lasvm-g": "LASVM-G",
    "lasvm-nc": "LASVM-NC",
    "lasvm-i": "LASVM-I",
    "lasvm": "LASVM",
}
# SVC compared with all of them, and the batch solver of the ramp loss.
TITLES = {"svc": "SVC", **ALGORITHMS, "ramp": "RampSVC", "ramp_0": "RampSVC, s = 0"}
N_RUNS = 10
# A run with its curve takes five minutes.
FEWER_RUNS = {("mnist_8_c100", "lasvm-full"): 3}
# Chunks of a stream: points of its curve.
N_POINTS = 18
# What is stored of each point, and of the last one of each run.
CURVE_FIELDS = ("n_seen", "n_support", "n_kernel_evaluations", "duality_gap", "error", "prbep")
FINAL_FIELDS = (
    "seconds", "n_support", "n_kernel_evaluations", "n_kept", "error", "prbep", "auc", "gmean",
)  # fmt: skip
RAMP_S = [-2, -1.5, -1, -0.75, -0.5, -0.25, 0, 0.25, 0.5]


def in_orders(split, n_orders):
    """The same samples in several orders, in which the runs of chapter 6 differ."""
    for order in range(n_orders):
        rows = np.random.default_rng([order, 6]).permutation(len(split.y_train))
        yield replace(split, X_train=split.X_train[rows], y_train=split.y_train[rows])


def learn_in_chunks(workload, algorithm, seed=0, threads=1, quick=False):
    """One pass of `partial_fit` over the same samples in several orders.

    The curve is scored after each chunk; scoring is not in the times. LASVM, which has a
    finishing step, is scored again after it.
    """
    split = WORKLOADS[workload].load(seed, quick)
    make = partial(build, workload, "lasvc", seed, threads, algorithm=algorithm)
    warm_up(make(), split)
    runs = []
    n_orders = 2 if quick else FEWER_RUNS.get((workload, algorithm), N_RUNS)
    for rows in in_orders(split, n_orders):
        # Scored as the papers do: with the vectors as they are.
        model, watch, snapshots = make(finishing=False), Stopwatch(), []
        ends = np.linspace(0, len(rows.y_train), N_POINTS + 1).astype(int)
        for chunk in (slice(*pair) for pair in zip(ends, ends[1:])):
            with watch:
                model.partial_fit(rows.X_train[chunk], rows.y_train[chunk], classes=[-1, 1])
            snapshots.append(_snapshot(model, rows, watch.seconds))
        flow = {}
        if algorithm == "lasvm":
            with watch:
                model.finish()
            snapshots.append(_snapshot(model, rows, watch.seconds))
        else:
            # Numbers of samples first seen left of the ramp, on it and right of it.
            kinds = ("admitted", "cleaned", "skipped")
            flow = {kind: getattr(model, f"n_{kind}_")[0].tolist() for kind in kinds}
        runs.append({
            "curve": [{name: shot[name] for name in CURVE_FIELDS} for shot in snapshots],
            "final": {name: snapshots[-1][name] for name in FINAL_FIELDS},
            **flow,
        })  # fmt: skip
    return {"runs": runs, "n_train": split.X_train.shape[0]}


def _snapshot(model, split, passed):
    (problem,) = model._machine.engine.problems
    return {
        **learnt(model),
        **scores_of(model, split),
        "n_seen": int(model.n_samples_seen_),
        "seconds": passed,
        # Support vectors and those at alpha = 0.
        "n_kept": int(problem.members.n_members),
    }


def ramp_sweep(workload, seed=0, threads=1, quick=False):
    """LASVM-NC and LASVM-I for several places where the ramp begins (Figure 6.5)."""
    split = WORKLOADS[workload].load(seed, quick)
    fixed = dict(seed=seed, threads=threads, finishing=False, shuffle=False, **ONE_PASS)
    sweep = []
    for order, rows in enumerate(in_orders(split, 2 if quick else N_RUNS)):
        for case in grid(algorithm=["lasvm-nc", "lasvm-i"], ramp_s=RAMP_S):
            model, passed = fit(build(workload, **case, **fixed), rows)
            sweep.append({"order": order, **case, "seconds": passed, **scored(model, rows)})
    return {"sweep": sweep}


def titled(name):
    """The title of a set with its C: some appear with two."""
    work = WORKLOADS[name]
    return f"{work.title}, C={work.C:g}"


def runs_of(results, sets=CHAPTER_6):
    """A row for each run, with its set, its algorithm, its curve and what it ends with."""
    found = frame([f"chapter_6_{name}" for name in sets], results)
    found["workload"] = found.step.str.removeprefix("chapter_6_")
    found = points(found, "runs", "workload", "algorithm")
    return found.join(pd.DataFrame([*found.final]))


def ends_of(results, **of_svc):
    """As `runs_of`, in the units of the thesis, and the records of SVC."""
    svc = frame([f"robust_{name}" for name in CHAPTER_6], results)
    svc["workload"] = svc.step.str.removeprefix("robust_")
    svc = where(svc, column="svc", **of_svc)
    svc = svc.assign(algorithm="svc", seconds=svc.fit_seconds)
    found = pd.concat([runs_of(results), svc], ignore_index=True)
    found["accuracy"] = 100 * (1 - found.error)
    found[["prbep", "gmean"]] *= 100
    found["n_kernel_evaluations"] *= 1e-6
    return found


def thesis():
    """What Tables 6.3 and 6.4 of the thesis print; the 98.43 % on USPS+N is printed so."""
    return pd.DataFrame(printed("ertekin2009_chapter_6")["tables_6_3_and_6_4"])


def table_6_1(results):
    """Where on the ramp samples of Adult were first seen, and how many CLEAN removed."""
    found = runs_of(results, ["adult_dense"])
    theirs = printed("ertekin2009_chapter_6")["table_6_1"]
    theirs = {row["algorithm"]: row["values"] for row in theirs}
    rows = []
    for algorithm, runs in found[found.algorithm != "lasvm"].groupby("algorithm", sort=False):
        title = ALGORITHMS[algorithm]
        vectors = runs.n_support.mean(), (runs.n_kept - runs.n_support).mean()
        admitted, cleaned, skipped = (
            np.mean([*runs[kind]], axis=0) for kind in ("admitted", "cleaned", "skipped")
        )
        rows.append([title, *map(count, [*vectors, *admitted, *cleaned, *skipped[[0, 2]]])])
        if algorithm in theirs:
            rows.append([f"{title}, thesis", *map(count, theirs[algorithm])])
    header = [
        "", "support vectors", "others", *["left", "on the ramp", "right"] * 2, "left", "right",
    ]  # fmt: skip
    parts = {"Kept": 2, "Admitted": 3, "Removed by CLEAN": 3, "Skipped": 2}
    return list_table(header, rows, parts)


# Title, and how a value is written.
FIELDS = {
    "accuracy": ("accuracy", "{:.2f}".format),
    "n_support": ("vectors", count),
    "seconds": ("time", lambda value: seconds(value) if value < 100 else f"{value:.0f}{NBSP}s"),
    "prbep": ("PRBEP", "{:.2f}".format),
    "auc": ("AUC", "{:.3f}".format),
    "gmean": ("g-means", "{:.2f}".format),
    "n_kernel_evaluations": ("kernel values (M)", "{:.4g}".format),
}


def compared_with_thesis(fields, results):
    """For each set a row for each algorithm; the values of the thesis in brackets."""
    found = ends_of(results, seed=0)

    def table(name, ours):
        def cell(algorithm, field):
            form, middle = FIELDS[field][1], median if field == "seconds" else mean
            value = middle(ours, field, algorithm=algorithm)
            text = "–" if value is None else form(value)
            value = median(thesis(), field, algorithm=algorithm, workload=name)
            return text if value is None else f"{text} ({form(value)})"

        runs = Counter(ours.algorithm[ours.algorithm != "svc"].map(ALGORITHMS))
        most = max(runs.values(), default=0)
        fewer = "; ".join(f"{title}: {n}" for title, n in runs.items() if n < most)
        title = f"{titled(name)}: {most} runs" + (f" ({fewer})" if fewer else "")
        columns = {field: FIELDS[field][0] for field in fields}
        return cross_table("", ALGORITHMS | {"svc": "SVC / LIBSVM"}, columns, cell, title)

    return joined(table(*of_set) for of_set in found.groupby("workload", sort=False))


# Okabe and Ito's colours, which the colour-blind can tell apart; the convex ones are blue or grey.
STYLES = {
    "lasvm-full": ("#8b949e", "s"),
    "lasvm-g": ("#0072b2", "o"),
    "lasvm-nc": ("#009e73", "^"),
    "lasvm-i": ("#e69f00", "v"),
    "lasvm": ("#56b4e9", "D"),
    "svc": ("#000000", "X"),
    "ramp": ("#cc79a7", "P"),
    "ramp_0": ("#d55e00", "p"),
}
CURVES = ["lasvm-full", "lasvm", "lasvm-g", "lasvm-i", "lasvm-nc"]


def style(key, **changed):
    colour, marker = STYLES[key]
    return dict(color=colour, marker=marker, label=TITLES[key]) | changed


def one_per_set(sets):
    """Return a figure with an axis for each set, four in a row, and one more for the legend."""
    n_columns = min(4, len(sets) + 1)
    figure, axes = panels(-(-(len(sets) + 1) // n_columns), n_columns)
    for axis, name in zip(axes.flat, sets):
        axis.set_title(titled(name), fontsize=10)
    for axis in axes.flat[len(sets) :]:
        axis.set_axis_off()
    return figure, axes.flat[: len(sets)], axes.flat[len(sets)]


def common_legend(axis, axes):
    """Draw one legend, in its own axis, of what any of the axes shows."""
    axis.legend(*labels_of(axes), loc="center", frameon=False, fontsize=10)


def learning_curve(runs, field):
    """Samples seen and the mean of a field over the runs that were scored on the way.

    The last point of LASVM, after finishing, is at the same number of samples.
    """
    curves = [pd.DataFrame(snapshots) for snapshots in runs.curve if snapshots]
    return curves[0].n_seen, np.mean([snapshots[field] for snapshots in curves], axis=0)


def draw_figure_6_1(results, folder):
    """The duality gap of LASVM-G, divided by the samples seen."""
    runs = where(runs_of(results, ["adult_dense"]), algorithm="lasvm-g")
    figure, ((axis,),) = panels(1, 1, width=6.0, height=3.8)
    seen, gap = learning_curve(runs, "duality_gap")
    axis.plot(seen, gap / seen, **style("lasvm-g", markersize=4))
    axis.set(xlabel="samples seen", ylabel="duality gap / samples", ylim=(0, None))
    axis.set_title(f"LASVM-G, {titled('adult_dense')}", fontsize=10)
    save(figure, folder / "figure_6_1.png")


def draw_figure_6_2(results, folder):
    """LASVM against LASVM-G on Adult; at the end LASVM finishes."""
    runs = runs_of(results, ["adult_dense"])
    figure, (axes,) = panels(1, 2, width=5.2, height=3.9)
    shown = ("error", "test error (%)", 100), ("n_support", "support vectors", 1)
    for axis, (field, label, scale) in zip(axes, shown):
        for key in ("lasvm", "lasvm-g"):
            seen, values = learning_curve(where(runs, algorithm=key), field)
            axis.plot(seen, scale * values, **style(key, markersize=4))
            if key == "lasvm":
                point = seen.max(), scale * values[-2:].mean()
                look = dict(va="center", fontsize=9, color=STYLES[key][0])
                note(axis, "finishing", point, (6, 0), **look)
        axis.set(xlabel="samples seen", ylabel=label, xlim=(0, 1.16 * seen.max()))
    axes[1].legend(frameon=False)
    figure.suptitle(titled("adult_dense"), fontsize=10)
    save(figure, folder / "figure_6_2.png")


def draw_learning_curves(results, folder):
    runs, ends = runs_of(results), ends_of(results, seed=0)
    for figure_name, field, label, scale in (
        ("figure_6_4", "prbep", "PRBEP (%)", 100),
        ("figure_6_6", "n_kernel_evaluations", "kernel values (millions)", 1e-6),
        ("figure_6_7", "n_support", "support vectors", 1),
    ):
        figure, axes, last = one_per_set(runs.workload.unique())
        for axis, (name, of_set) in zip(axes, runs.groupby("workload", sort=False)):
            svc = median(ends, field, workload=name, algorithm="svc")
            if svc is not None:
                axis.axhline(svc, color=STYLES["svc"][0], linestyle="--", label="SVC")
            drawn = []
            for key in CURVES:
                seen, values = learning_curve(where(of_set, algorithm=key), field)
                drawn.append(scale * values)
                axis.plot(seen, drawn[-1], **style(key, markersize=3.5, linewidth=1.4))
            # A run that begins with a low score must not compress the others.
            low = np.median([values[1:].min() for values in drawn])
            high = max(map(np.max, drawn))
            axis.set_ylim(bottom=low - 0.3 * (high - low) if field == "prbep" else 0)
            axis.xaxis.set_major_locator(MaxNLocator(5))
            axis.set(xlabel="samples seen", ylabel=label)
        common_legend(last, axes)
        save(figure, folder / f"{figure_name}.png")


def draw_figure_6_8(results, folder):
    """Training times."""
    ends = ends_of(results)
    sets = ends.workload.unique()
    figure, ((axis,),) = panels(1, 1, width=11.0, height=4.2)
    keys = [*CURVES, "svc"]
    for offset, key in enumerate(keys):
        found = [median(ends, "seconds", workload=name, algorithm=key) for name in sets]
        places = np.arange(len(sets)) + 0.13 * (offset - (len(keys) - 1) / 2)
        heights = np.array(found, dtype=float)
        axis.bar(places, heights, 0.13, color=STYLES[key][0], label=TITLES[key])
    plain_log(axis.yaxis, subs=(1, 2, 5))
    axis.grid(False, axis="x")
    axis.set_xticks(range(len(sets)), [textwrap.fill(titled(name), 17) for name in sets])
    axis.tick_params(axis="x", length=0, labelsize=9)
    axis.set(ylabel="training time (s)")
    axis.legend(frameon=False, ncols=6, loc="upper center", bbox_to_anchor=(0.5, 1.14))
    save(figure, folder / "figure_6_8.png")


def draw_figure_6_5(results, folder):
    """Errors and support vectors by the place where the ramp begins."""
    sweep = points(frame("ramp_s", results), "sweep", "workload")
    ends = ends_of(results, seed=0)
    figure, axes, last = one_per_set(sweep.workload.unique())
    for axis, (name, of_set) in zip(axes, sweep.groupby("workload", sort=False)):
        for key in ("lasvm-nc", "lasvm-i"):
            _draw_sweep(axis, key, where(of_set, algorithm=key))
        highest = np.median(100 * of_set.error)
        for key in ("lasvm-full", "lasvm-g", "svc"):
            x, y = (mean(ends, f, workload=name, algorithm=key) for f in ("n_support", "error"))
            if x is None:
                continue
            size = 10 if key == "lasvm-full" else 7
            axis.plot([x], [100 * y], linestyle="", **style(key, markersize=size))
            highest = max(highest, 100 * y)
        axis.margins(0.1)
        # Points far above must not compress the rest.
        axis.set_ylim(top=min(1.3 * highest, axis.get_ylim()[1]))
        axis.set(xlabel="support vectors", ylabel="test error (%)")
    common_legend(last, axes)
    last.set_title("numbers next to the points: ramp_s", fontsize=9, y=0.02)
    save(figure, folder / "figure_6_5.png")


def _draw_sweep(axis, key, found):
    """The points of an algorithm; the first, the last and those at -1 and 0 have their value."""
    places, x = curve(found, "ramp_s", "n_support", mean)
    _, y = curve(found, "ramp_s", "error", mean)
    axis.plot(x, 100 * y, **style(key, markersize=4, linewidth=1.2))
    offset = (3, 4) if key == "lasvm-i" else (3, -9)
    for place, *point in zip(places, x, 100 * y):
        if place in (places[0], -1, 0, places[-1]):
            look = dict(fontsize=7, color=STYLES[key][0], annotation_clip=True)
            note(axis, f"{place:g}", point, offset, **look)


STUDY = Study(
    steps={
        **{
            f"chapter_6_{name}": step(learn_in_chunks, grid(algorithm=ALGORITHMS), workload=name)
            for name in CHAPTER_6
        },
        "ramp_s": step(ramp_sweep, grid(workload=CHAPTER_6)),
    },
    tables={
        "table_6_1": table_6_1,
        "table_6_3": partial(compared_with_thesis, ["accuracy", "n_support", "seconds"]),
        "table_6_4": partial(
            compared_with_thesis, ["prbep", "auc", "gmean", "n_kernel_evaluations"]
        ),
    },
    figures=[
        draw_figure_6_1,
        draw_figure_6_2,
        draw_learning_curves,
        draw_figure_6_8,
        draw_figure_6_5,
    ],
)
