"""Tables of LASVC with sample selection; means over the splits, as in the thesis."""

import statistics

from ..bench.rst import count, list_table, percent, seconds, times
from ..bench.summary import Records, ratio, stored_records
from ..svc.workloads import WORKLOADS

SELECTIONS = ["random", "gradient", "active", "autoactive"]
# How near to SVC is near enough.
NEAR = 0.001


def curve(records, **wanted):
    """Mean points over the records of one variant: dicts in the order of the budgets."""
    curves = [record["points"] for record in records.ok().where(**wanted).records]
    return [_mean(points) for points in zip(*curves)]


def _mean(points):
    found = {name: [point[name] for point in points] for name in points[0]}
    return {n: statistics.fmean(values) for n, values in found.items() if None not in values}


def mean(records, field, **wanted):
    """Mean of a field over the splits; None without records."""
    values = records.where(**wanted).values(field)
    return statistics.fmean(values) if values else None


def n_seeds(records):
    return len(records.distinct("seed"))


def selection_adult(results):
    """Error of each selection, vectors and time of the best of them, against samples used."""
    records = stored_records("selection_adult", results)
    if not records:
        return None
    curves = {name: curve(records, selection=name) for name in SELECTIONS}
    rows = []
    for i, point in enumerate(curves["random"]):
        cells = [count(point["n_labels"])]
        for name in SELECTIONS:
            found = curves[name][i : i + 1]
            cells += [percent(p["error"]) for p in found] or ["–"]
        for name in ("active", "autoactive"):
            found = curves[name][i : i + 1]
            cells += [count(p["n_support"]) for p in found] or ["–"]
            cells += [seconds(p["seconds"]) for p in found] or ["–"]
        rows.append(cells)
    header = ["samples used", *SELECTIONS]
    for name in ("active", "autoactive"):
        header += [f"vectors, {name}", "time"]
    svc = dict(model="sklearnex")
    title = (
        f"Adult, test error; means over {n_seeds(records)} splits. SVC over all samples: "
        f"{percent(mean(records, 'error', **svc))}, "
        f"{count(mean(records, 'n_support', **svc))} support vectors"
    )
    return list_table(header, rows, title)


def selection_near(results):
    """Where each selection first comes near to SVC, and what it has taken then."""
    records = stored_records("selection_adult", results)
    if not records:
        return None
    svc = {field: mean(records, field, model="sklearnex") for field in ("error", "n_support")}
    rows = []
    for name in SELECTIONS:
        near = [p for p in curve(records, selection=name) if p["error"] <= svc["error"] + NEAR]
        if not near:
            rows.append([f'``"{name}"``', "not reached", "", "", ""])
            continue
        first = near[0]
        share = percent(first["n_support"] / svc["n_support"], 0)
        cells = [f'``"{name}"``', count(first["n_labels"]), percent(first["error"])]
        cells += [f"{count(first['n_support'])} ({share})", seconds(first["seconds"])]
        rows.append(cells)
    header = ["selection", "samples used", "error", "vectors (share of SVC's)", "time"]
    return list_table(header, rows, "The first point within 0.1 percentage points of SVC's error")


PEERS = {
    "svc": "``SVC``, all samples",
    "sklearnex": "scikit-learn-intelex ``SVC``, all samples",
    "nystroem_sgd": "Nystroem(500) + SGD, all samples",
    "hist_gradient_boosting": "HistGradientBoosting, all samples",
}
STOPPED = {
    "margin": '``stopping="margin"``',
    "n_support": '``stopping="n_support"``',
    None: "``max_labels``",
}


def selection_adult_peers(results):
    """Time, vectors and error compared with models fitted on all samples."""
    records = stored_records("selection_adult_peers", results)
    if not records:
        return None
    (budget,) = curve(records, selection="autoactive", stopping=None)
    found = [(f"autoactive, ``max_labels={budget['n_labels']:.0f}``", budget)]
    for name in ("active", "autoactive"):
        for rule in ("margin", "n_support"):
            (point,) = curve(records, selection=name, stopping=rule)
            found.append((f"{name}, {STOPPED[rule]}", point))
    fields = ("seconds", "n_support", "error")
    for model, title in PEERS.items():
        point = {field: mean(records, field, model=model) for field in fields}
        found.append((title, point | {"n_labels": mean(records, "n_train", model=model)}))
    rows = [
        [
            title,
            count(point["n_labels"]),
            seconds(point["seconds"]),
            times(ratio(point["seconds"], budget["seconds"])),
            count(point["n_support"]),
            percent(point["error"]),
        ]
        for title, point in found
    ]
    header = ["", "samples used", "time of fit", "relative to the first", "vectors", "test error"]
    title = f"Adult, dense, one thread; means over {n_seeds(records)} splits"
    return list_table(header, rows, title)


def selection_boosting(results):
    """Boosting of more and more iterations compared with a budget."""
    records = stored_records("selection_boosting", results)
    if not records:
        return None
    (budget,) = curve(records, selection="autoactive")
    found = [(f"autoactive, ``max_labels={budget['n_labels']:.0f}``", budget)]
    iterations = [r["options"]["max_iter"] for r in records.records if "options" in r]
    for n in dict.fromkeys(iterations):
        options = {"max_iter": n}
        point = {f: mean(records, f, options=options) for f in ("seconds", "error")}
        found.append((f"HistGradientBoosting, {n} iterations", point))
    rows = [[title, seconds(p["seconds"]), percent(p["error"])] for title, p in found]
    title = f"Adult, dense, one thread; means over {n_seeds(records)} splits"
    return list_table(["", "time of fit", "test error"], rows, title)


def selection_stops(results):
    """Samples used, vectors and error of each rule of stopping."""
    records = stored_records("selection_stops", results)
    sets = records.distinct("workload")
    if not sets:
        return None
    rules = [
        (selection, rule, window)
        for selection in ("active", "autoactive")
        for rule, window in (("margin", 1), ("margin", None), ("n_support", None))
    ]
    rows = []
    for workload in sets:
        here = records.where(workload=workload)
        svc = {f: mean(here, f, model="svc") for f in ("n_train", "n_support", "error")}
        points = [svc | {"n_labels": svc["n_train"]}]
        for selection, rule, window in rules:
            points += curve(here, selection=selection, stopping=rule, stopping_window=window)
        cells = [WORKLOADS[workload].title]
        for point in points:
            counts = f"{count(point['n_labels'])} / {count(point['n_support'])}"
            cells.append(f"{counts} / {percent(point['error'])}")
        rows.append(cells)
    header = ["", "``SVC``"]
    for selection, rule, window in rules:
        header.append(f'{selection}, ``"{rule}"``' + (", first sample" if window else ""))
    title = f"Samples used / support vectors / test error; means over {n_seeds(records)} seeds"
    return list_table(header, rows, title)


# Title, selection and C (None: that of the set).
NOISY = {
    "random": ("random", None),
    "gradient": ("gradient", None),
    "active": ("active", None),
    "active, C = 1": ("active", 1.0),
}


def selection_noise(results):
    """Error and vectors with wrong labels."""
    records = stored_records("selection_noise", results)
    if not records:
        return None
    shares = sorted(records.distinct("noise"))
    rows = []
    for title, (selection, C) in NOISY.items():
        curves = {n: curve(records, selection=selection, C=C, noise=n) for n in shares}
        for i, point in enumerate(curves[shares[0]]):
            cells = [title if i == 0 else "", count(point["n_labels"])]
            for noise in shares:
                now = curves[noise][i]
                cells += [percent(now["error"]), count(now["n_support"])]
            rows.append(cells)
    header = ["selection", "samples used"]
    for noise in shares:
        header += [f"error, {percent(noise, 0)} wrong", "vectors"]
    title = f"{WORKLOADS['mnist_signed_8'].title}; means over {n_seeds(records)} seeds"
    return list_table(header, rows, title)


def epoch_points(records, selection, noise):
    """Points of `selection_noise_epoch`, in the order of their budgets."""
    found = records.ok().where(selection=selection, noise=noise).records
    return sorted((p for r in found for p in r["points"]), key=lambda p: p["n_labels"])


def selection_noise_epoch(results):
    """Up to a whole pass, and the optimum over all samples."""
    records = stored_records("selection_noise_epoch", results)
    if not records:
        return None
    shares = sorted(records.distinct("noise"))
    cells = {}
    for noise in shares:
        for selection in ("random", "active"):
            for point in epoch_points(records, selection, noise):
                cells[selection, point["n_labels"], noise] = point
        for svc in records.ok().where(model="sklearnex", noise=noise).records:
            cells["``SVC``", svc["n_train"], noise] = svc
    rows = []
    for title, n_labels in dict.fromkeys(key[:2] for key in cells):
        points = [cells.get((title, n_labels, noise), {}) for noise in shares]
        fields = (("error", percent), ("n_support", count), ("seconds", seconds))
        parts = [[written(p.get(field)) for field, written in fields] for p in points]
        rows.append([title, count(n_labels), *(cell for part in parts for cell in part)])
    header = ["selection", "samples used"]
    for noise in shares:
        header += [f"error, {percent(noise, 0)} wrong", "vectors", "time"]
    return list_table(header, rows, "One order of the samples")


WAYS = {
    ("active", 50): "``LASVC``, 50 samples drawn",
    ("active", "all"): "``LASVC``, all samples scored",
    ("random", None): "``LASVC``, a sample at random",
    ("retrain", 50): "``SVC`` refitted, 50 samples drawn",
    ("warm", 50): "optimum from a warm start, 50 samples drawn",
    ("warm", "all"): "optimum from a warm start, all samples scored",
}


def pool_records(results):
    """Records of all WAYS."""
    steps = ("selection_pools", "selection_warm", "selection_cold")
    return Records(r for step in steps for r in stored_records(step, results).records)


def pool_curve(records, way, **wanted):
    """The curve of one of WAYS."""
    return curve(records, selection=way[0], pool_size=way[1], **wanted)


def selection_pools(results):
    """g-means and time of each method, after two numbers of labels."""
    records = pool_records(results)
    sets = records.distinct("workload")
    if not sets:
        return None
    rows = []
    for way, title in WAYS.items():
        for n_labels in N_SHOWN:
            cells = [title, str(n_labels)]
            for workload in sets:
                here = records.where(workload=workload)
                now, beside = (
                    {p["n_labels"]: p for p in pool_curve(here, w)}.get(n_labels)
                    for w in (way, ("active", 50))
                )
                if now is None or beside is None:
                    cells += ["–", "–", "–"]
                    continue
                slower = ratio(now["seconds"], beside["seconds"])
                cells += [percent(now["gmean"]), seconds(now["seconds"]), times(slower)]
            rows.append(cells)
            title = ""
    header = ["", "labels"]
    for workload in sets:
        header += [f"{WORKLOADS[workload].title}: g-means", "time", "relative to the first"]
    cold = WAYS["retrain", 50]
    n_cold = n_seeds(records.where(selection="retrain"))
    title = f"Means over {n_seeds(records)} splits ({cold}: {n_cold})"
    return list_table(header, rows, title)


N_SHOWN = (200, 500)


def selection_search(results):
    """Time of small pools and of full search against the samples."""
    records = stored_records("selection_search", results)
    rows = []
    for n_train in sorted(records.ok().distinct("n_train")):
        here = records.where(n_train=n_train)
        small, whole = (pool_curve(here, ("active", n))[-1] for n in (50, "all"))
        cells = [count(n_train), *(percent(p["gmean"]) for p in (small, whole))]
        cells += [*(seconds(p["seconds"]) for p in (small, whole))]
        rows.append([*cells, times(ratio(whole["seconds"], small["seconds"]))])
    if not rows:
        return None
    header = [
        "samples",
        "g-means, 50 drawn",
        "all scored",
        "time, 50 drawn",
        "all scored",
        "ratio",
    ]
    (n_labels,) = {p["n_labels"] for r in records.ok().records for p in r["points"]}
    title = f"{n_labels} samples used of so many; means over {n_seeds(records)} seeds"
    return list_table(header, rows, title)


TABLES = {
    table.__name__: table
    for table in (
        selection_adult,
        selection_near,
        selection_adult_peers,
        selection_boosting,
        selection_stops,
        selection_noise,
        selection_noise_epoch,
        selection_pools,
        selection_search,
    )
}
