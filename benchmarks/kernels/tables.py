"""Tables of `kernels`."""

from ..bench.rst import count, grouped, list_table, number, percent, seconds, split_table, times
from ..bench.summary import ratio, stored_records
from .sets import CASES
from .steps import MIXED, SIZES

TITLES = {
    "product": "product of kernels",
    "sum": "sum of kernels",
    "rbf": "one-hot columns, rbf",
    "boosting": "gradient boosting",
    "arow": "one-hot columns, AROW",
}
INTERACTIONS = {"one": "one category", "pair": "two categories"}


def sets(results):
    """Times and errors of a name and of a function."""
    rows = []
    for record in stored_records("kernels_sets", results).ok().records:
        case, ours, svc = CASES[record["set"]], record["lasvc"], record["svc"]
        rows.append(
            [
                f"{case.kernel}, {case.title}",
                number(ours["seconds_fit"], 1000),
                times(ratio(svc["seconds_fit"], ours["seconds_fit"])),
                number(ours["seconds_predict"], 1000),
                times(ratio(svc["seconds_predict"], ours["seconds_predict"])),
                count(record["n_train"]),
                percent(ours["error"]),
                percent(svc["error"]),
            ]
        )
    header = ["kernel, set", "fit", "SVC / LASVC", "predict", "SVC / LASVC"]
    header += ["samples", "LASVC", "SVC"]
    return split_table(header, rows, {"Time of LASVC, milliseconds": 4, "Test error": 3})


def tanimoto(results):
    """Times on fingerprints."""
    found, rows = stored_records("kernels_tanimoto", results), []
    for n in SIZES:
        pair = [found.where(n_train=n, model=model) for model in ("lasvc", "svc")]
        if any(pair):
            fields = ("seconds_fit", "seconds_predict")
            cells = [seconds(records.median(field)) for field in fields for records in pair]
            rows.append([count(n), *cells])
    return list_table(
        ["samples", "LASVC, fit", "SVC, fit", "LASVC, predict", "SVC, predict"], rows
    )


def mixed(results):
    """Error and time of models on tables of mixed types."""
    found = stored_records("kernels_mixed", results).ok()
    rows = [
        [title, TITLES[model], percent(of.median("error")), seconds(of.median("seconds_fit"))]
        for name, title in INTERACTIONS.items()
        for model in MIXED
        if (of := found.where(set=name, model=model))
    ]
    return list_table(["sign depends on", "model", "error", "fit"], grouped(rows))


TABLES = {"kernels_sets": sets, "kernels_tanimoto": tanimoto, "kernels_mixed": mixed}
