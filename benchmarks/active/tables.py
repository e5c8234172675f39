"""Tables of sample selection; means over the splits, as in the thesis."""

from functools import partial
from statistics import fmean

from ..bench.results import NoResults, load
from ..bench.rst import count, joined, list_table, percent, pivot, seconds, times
from ..bench.summary import Records, flat, mean, mean_curve, measured, ratio, stored_records
from ..sets.workloads import WORKLOADS
from .pairs import SCALE, TRAINING
from .steps import SELECTIONS
from .tasks import N_FIRST

LOOPS = {
    "partial_fit": "``LASVC.partial_fit``, 59 samples drawn",
    "partial_fit_all": "``LASVC.partial_fit``, all samples scored",
    "partial_fit_random": "``LASVC.partial_fit``, a sample at random",
    "refit": "``SVC`` refitted, 59 samples drawn",
    "refit_all": "``SVC`` refitted, all samples scored",
    "scikit_activeml": "scikit-activeml, ``SVC(probability=True)``",
}


def pool_loops(results):
    """Time of a loop, and the error after it, for each set."""
    found = stored_records("pool_loops", results)
    tables = []
    for workload in found.distinct("workload"):
        here = found.where(workload=workload)
        loops = {loop: here.where(loop=loop) for loop in LOOPS}
        fitted = {loop: mine.median("seconds") for loop, mine in loops.items()}
        rows = []
        for loop, mine in loops.items():
            cells = [mine.verdict(), "", ""]
            if fitted[loop] is not None:
                relative = times(ratio(fitted[loop], fitted["partial_fit"]))
                cells = [seconds(fitted[loop]), relative, percent(mine.median("error"))]
            rows.append([LOOPS[loop], *cells])
        title = (
            f"{WORKLOADS[workload].title}, {count(here.median('n_pool'))} samples: "
            f"{load('pool_loops', results)['n_labels']} labels after {N_FIRST} of each class"
        )
        tables.append(list_table(["", "time", "relative to the first", "error"], rows, title))
    return joined(tables)


# How near to SVC is near enough.
NEAR = 0.001


def n_seeds(records):
    return len(records.distinct("seed"))


def selection_adult(results):
    """SVC, and where each selection first comes near to its error."""
    records = measured("selection_adult", results)
    svc = {f: mean(records, f, model="sklearnex") for f in ("error", "n_support", "seconds")}
    if svc["error"] is None:
        raise NoResults("SVC was not measured in selection_adult.")
    found = {"``SVC``": svc | {"n_labels": mean(records, "n_train", model="sklearnex")}}
    for name in SELECTIONS:
        points = mean_curve(records, selection=name)
        near = (p for p in points if p["error"] <= svc["error"] + NEAR)
        found[name] = next(near, None)

    def column(field, written, missing=""):
        return lambda name: written(found[name][field]) if found[name] else missing

    columns = [
        ("", str),
        ("samples", column("n_labels", count, "not reached")),
        ("support vectors", column("n_support", count)),
        ("time", column("seconds", seconds)),
    ]
    title = (
        "``SVC``, and the first point of each curve within 0.1 percentage points of its error, "
        f"{percent(svc['error'])}; means over {n_seeds(records)} splits"
    )
    return pivot(found, columns, title)


# Title, selection and C (None: that of the set).
NOISY = {
    "random": ("random", None),
    "gradient": ("gradient", None),
    "active": ("active", None),
    "active, C = 1": ("active", 1.0),
}


def selection_noise(results):
    """Error with wrong labels."""
    records = measured("selection_noise", results)
    shares = sorted(records.distinct("noise"))
    curves = {
        (title, noise): mean_curve(records, selection=selection, C=C, noise=noise)
        for title, (selection, C) in NOISY.items()
        for noise in shares
    }
    rows = [
        [title, count(point["n_labels"])]
        + [f"{100 * curves[title, noise][i]['error']:.2f}" for noise in shares]
        for title in NOISY
        for i, point in enumerate(curves[title, shares[0]])
    ]
    header = ["", "samples", *(percent(noise, 0) for noise in shares)]
    n = n_seeds(records)
    title = f"Test error in per cent, by the share of wrong labels; means over {n} seeds"
    return list_table(header, rows, title)


def epoch_points(records, selection, noise):
    """Points of `selection_noise_epoch`, in the order of their budgets."""
    found = flat(records.where(selection=selection, noise=noise), "points").records
    return sorted(found, key=lambda point: point["n_labels"])


WAYS = {
    ("active", 50): "``LASVC``, 50 samples drawn",
    ("active", "all"): "``LASVC``, all samples scored",
    ("random", None): "``LASVC``, a sample at random",
    ("warm", 50): "retrained, 50 samples drawn",
    ("warm", "all"): "retrained, all samples scored",
}


def pool_records(results):
    """Records of all WAYS."""
    steps = ("selection_pools", "selection_warm")
    return Records(r for step in steps for r in stored_records(step, results).records)


def pool_curve(records, way, **wanted):
    """The curve of one of WAYS."""
    return mean_curve(records, selection=way[0], pool_size=way[1], **wanted)


def selection_pools(results):
    """g-means and time of each method after all labels, for each set."""
    records = pool_records(results)
    tables = []
    for workload in records.distinct("workload"):
        last = {way: pool_curve(records, way, workload=workload)[-1] for way in WAYS}
        first = last["active", 50]
        rows = [
            [
                title,
                percent(last[way]["gmean"]),
                seconds(last[way]["seconds"]),
                times(ratio(last[way]["seconds"], first["seconds"])),
            ]
            for way, title in WAYS.items()
        ]
        title = (
            f"{WORKLOADS[workload].title}: {first['n_labels']:.0f} labels, means over "
            f"{n_seeds(records)} splits"
        )
        tables.append(list_table(["", "g-mean", "time", "relative to the first"], rows, title))
    return joined(tables)


# The test names of Figure 3.15.
SHOWN = ("C. Chen", "J. Robinson", "M. Miller")


def pair_points(records, model, names):
    """Mean points of a model of `pairs_curves` over these names and all sets of records."""
    here = Records(record for record in records.records if record["name"] in names)
    points = flat(here, "points").where(model=model)
    sizes = [{"n_labels": n} for n in sorted(points.distinct("n_labels"))]
    return [
        {"n_labels": None} | size | {f: mean(points, f, **size) for f in ("error", "n_vectors")}
        for size in (sizes if model != "svc" else [{}])
    ]


# Labels of Table 3.5's models.
N_FEW = 2000


def pairs_models(results):
    """Error on each test name, as in Table 3.5: all labels, few chosen ones, few random ones."""
    found = measured("pairs_curves", results)
    tested = [name for name in found.distinct("name") if name not in TRAINING]
    models = ("svc", "active", "random")

    def points(names):
        curves = [pair_points(found, model, names) for model in models]
        return [p for curve in curves for p in curve if p["n_labels"] in (None, N_FEW)]

    # "A. Gupta" would be an item of a list.
    rows = [
        [name.replace(".", "\\."), *(percent(p["error"]) for p in points([name]))]
        for name in tested
    ]
    rows.append(["mean", *(percent(p["error"]) for p in points(tested))])
    rows.append(["support vectors", *(count(p["n_vectors"]) for p in points(tested))])
    header = ["", "``SVC``, all", f"active, {count(N_FEW)}", f"random, {count(N_FEW)}"]
    title = f"Test error; means over {n_seeds(found)} generated sets of records"
    return list_table(header, rows, title)


def pairs_names(results):
    """Records and authors of each name, and in parentheses those of Table 3.4."""
    from examples.few_labels import _author_records as generator

    def cell(which, name):
        printed = generator.BLOCKS[name][which]
        return f"{count(generator.size_of(name, SCALE)[which])} ({count(printed)})"

    columns = [
        ("", lambda name: name.replace(".", "\\.")),
        ("records", partial(cell, 0)),
        ("authors", partial(cell, 1)),
        ("used for", lambda name: "training" if name in TRAINING else "testing"),
    ]
    measured("pairs_curves", results)
    return pivot(generator.BLOCKS, columns)


GROUPS = {
    "tables": "UCI sets, USPS",
    "waveform": "Waveform, 2 to 32 to 1",
    "large": "Adult and MNIST, 3000 samples",
    "reuters": "Reuters, ten topics",
    "letters": "letters, every third",
    "costs": "other values of C",
    "hidden": "hidden cluster",
    "noise": "wrong labels",
    "classes": "ten classes (accuracy)",
}
CRITERIA = ("margin", "n_support", "errors")


def loss_of(record, criterion):
    """The larger loss of g-mean and PRBEP, or the loss of accuracy."""
    whole, stopped = (record["criteria"][name] for name in ("all", criterion))
    scores = [name for name in ("gmean", "prbep", "accuracy") if name in whole]
    return max(whole[name] - stopped[name] for name in scores)


def stopping_criteria(results):
    """Share of the samples used and the largest loss, for each group and criterion."""
    records = measured("stopping_criteria", results)
    rows = []
    for group, title in GROUPS.items():
        here = records.where(group=group).records
        if not here:
            continue
        row = [title, count(len(here))]
        for criterion in CRITERIA:
            used = [r["criteria"][criterion]["n_labels"] / r["n_train"] for r in here]
            worst = max(0.0, *(loss_of(record, criterion) for record in here))
            row += [percent(fmean(used), 0), f"{100 * worst:.1f}"]
        rows.append(row)
    header = ["", "fits"]
    for criterion in CRITERIA:
        header += [f"``{criterion}``: samples", "largest loss"]
    title = (
        "Mean share of the samples used, and the largest loss of a fit, in percentage points, "
        "compared with all samples: of g-mean or PRBEP, whichever is larger"
    )
    return list_table(header, rows, title)


TABLES = {
    table.__name__: table
    for table in (
        pool_loops, selection_adult, selection_noise, selection_pools, stopping_criteria,
        pairs_models, pairs_names,
    )
}  # fmt: skip
