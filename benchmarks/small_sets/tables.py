"""Tables of `small_sets`."""

from ..bench.rst import (
    count,
    cross_table,
    grouped,
    joined,
    list_table,
    number,
    percent,
    seconds,
    split_table,
    times,
)
from ..bench.summary import measured, stored_records
from .sets import FEW, GRID, LARGE, N_CLASSES, N_PER_CLASS, title
from .steps import LOOP

SHAPE = "samples x features, classes"


def points(step, results, kind="classes"):
    """Return what was measured: for each set, by model."""
    return {
        record["set"]: {point["model"]: point for point in record["models"]}
        for record in measured(step, results).records
        if record.get("kind", kind) == kind
    }


def ratio(models, slow, fast):
    return models[slow]["seconds"] / models[fast]["seconds"]


def _times(models, *names):
    return [number(models[name]["seconds"], 1000) for name in names]


def classification(results):
    """Times, agreement and errors, with a row for each set."""
    rows = []
    for name, models in points("small_sets", results).items():
        svc, lasvc = models["svc"], models["lasvc"]
        rows.append(
            [
                name,
                *_times(models, "svc", "lasvc", "ovr"),
                times(ratio(models, "svc", "lasvc")),
                times(ratio(models, "lasvc", "ovr")),
                *(percent(1 - model["score"], 1) for model in (svc, lasvc)),
                percent(lasvc["agreement"]),
            ]
        )
    header = ["SVC, ms", "LASVC, ms", "ovr, ms", "SVC / LASVC", "LASVC / ovr"]
    header = [SHAPE, *header, "error, SVC", "error, LASVC", "equal predictions"]
    return split_table(header, rows, {"Time of a fit": 5, "Predictions": 3})


def by_classes(results):
    """Ratios of times, by classes and samples of each."""
    found = points("small_sets_grid", results)

    def table(slow, fast, head):
        def cell(k, n):
            models = found.get(GRID.get((k, n)))
            return times(ratio(models, slow, fast)) if models else "–"

        rows, columns = ({n: count(n) for n in numbers} for numbers in (N_CLASSES, N_PER_CLASS))
        return cross_table("classes", rows, columns, cell, head)

    return joined(
        [
            table("svc", "lasvc", "Time of SVC divided by that of LASVC, by samples of a class"),
            table("lasvc", "ovr", "Time of LASVC divided by that of ovr, by samples of a class"),
        ]
    )


def other_models(results):
    """Regression and novelty detection, by the number of samples."""
    tables = []
    for kind, (peer, ours), agreement, form in (
        ("regression", ("SVR", "LASVR"), "R2 to SVR", "{:.6f}".format),
        ("novelty", ("OneClassSVM", "OneClassLASVM"), "equal predictions", percent),
    ):
        rows = [
            [
                count(int(name)),
                *_times(models, peer, ours),
                times(ratio(models, peer, ours)),
                form(models[ours]["agreement"]),
            ]
            for name, models in points("small_sets", results, kind).items()
        ]
        header = ["samples", f"{peer}, ms", f"{ours}, ms", "ratio", agreement]
        tables.append(list_table(header, rows))
    return joined(tables)


def memory(results):
    """Peak memory beyond the data, in MB."""
    found = stored_records("small_sets_memory", results)

    def cell(name, way):
        records = found.where(set=name, model=way[0], stream=way[1])
        return number(records.median("peak_mb")) if records.ok() else records.verdict()

    sets = {name: name for name in (*FEW.values(), title(*LARGE))}
    ways = {
        ("svc", False): "SVC",
        ("lasvc", False): "LASVC",
        ("ovr", False): "ovr",
        ("lasvc", True): "LASVC, stream",
        ("ovr", True): "ovr, stream",
    }
    return cross_table(SHAPE, sets, ways, cell, "Peak memory beyond the data, MB")


def streams(results):
    """Times of streams of several classes, and of single samples."""
    rows = [
        [
            name,
            *(seconds(models[model]["seconds"]) for model in ("lasvc", "ovr")),
            times(ratio(models, "lasvc", "ovr")),
            *(percent(1 - models[model]["score"], 1) for model in ("lasvc", "ovr")),
        ]
        for name, models in points("small_sets_streams", results).items()
    ]
    header = [SHAPE, "LASVC", "ovr", "LASVC / ovr", "error, LASVC", "error, ovr"]
    return list_table(header, rows)


def single_calls(results):
    """Times of calls with one sample."""
    found = measured("small_sets_calls", results)
    fields = {
        "alone_microseconds": "partial_fit (µs)",
        "in_turn_microseconds": "partial_fit and predict (µs)",
    }

    def cell(n, field):
        return number(found.where(n_vectors=n).median(field))

    rows = {n: count(n) for n in found.distinct("n_vectors")}
    return cross_table("support vectors", rows, fields, cell)


def loops(results):
    """Times of searches and of a label loop."""
    rows = [
        [
            "label loop" if name == LOOP else f"search, {name}",
            *(seconds(models[model]["seconds"]) for model in ("svc", "lasvc")),
            times(ratio(models, "svc", "lasvc")),
            *(percent(models[model]["score"], 1) for model in ("svc", "lasvc")),
        ]
        for name, models in points("small_sets_loops", results).items()
    ]
    header = ["", "SVC", "LASVC", "SVC / LASVC", "accuracy, SVC", "accuracy, LASVC"]
    return list_table(header, rows)


def threads(results):
    """Time of a fit with one thread and with two."""
    found = measured("small_sets_threads", results)
    one, two = (found.where(threads=n).median("seconds") for n in (1, 2))
    rows = [[name, seconds(one), seconds(two), times(one / two)] for name in found.distinct("set")]
    return list_table([SHAPE, "1 thread", "2 threads", "speed-up"], rows)


def files(results):
    """Sizes of files, and times to write and read them."""
    rows = [
        [
            f"{record['set']}; {count(record['n_vectors'])} support vectors",
            point["format"],
            f"{point['mb']:.2f}",
            seconds(point["write_seconds"]),
            seconds(point["read_seconds"]),
        ]
        for record in measured("small_sets_files", results).records
        for point in record["files"]
    ]
    return list_table(["model", "", "MB", "write", "read"], grouped(rows))


TABLES = {
    "small_sets": classification,
    "small_sets_grid": by_classes,
    "small_sets_other_models": other_models,
    "small_sets_memory": memory,
    "small_sets_streams": streams,
    "small_sets_calls": single_calls,
    "small_sets_loops": loops,
    "small_sets_threads": threads,
    "small_sets_files": files,
}
