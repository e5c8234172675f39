"""Tables of `kernels`."""

from ..bench.rst import count, list_table, percent, seconds, times
from ..bench.summary import ratio, stored_records
from .sets import CASES
from .steps import MIXED, SIZES

TITLES = {
    "product": 'ColumnKernel, "product"',
    "sum": 'ColumnKernel, "sum"',
    "rbf": 'one-hot columns, "rbf"',
}
INTERACTIONS = {"one": "one category", "pair": "two categories"}


def sets(results):
    """Times and errors of a name and of a function, and how far they agree."""
    rows = []
    for record in stored_records("kernels_sets", results).ok().records:
        case, ours, svc = CASES[record["set"]], record["lasvc"], record["svc"]
        rows.append(
            [
                case.kernel,
                f"{case.title} ({count(record['n_train'])})",
                seconds(ours["seconds_fit"]),
                times(ratio(svc["seconds_fit"], ours["seconds_fit"])),
                seconds(ours["seconds_predict"]),
                times(ratio(svc["seconds_predict"], ours["seconds_predict"])),
                f"{percent(ours['error'])}, {percent(svc['error'])}",
                f"{count(ours['n_support'])}, {count(svc['n_support'])}",
                percent(ours["equal"]),
                f"{ours['difference']:.2g}",
                f"{record['converged']['difference']:.2g}",
            ]
        )
    header = [
        *("kernel", "set (samples)", "fit", "SVC / LASVC", "predict", "SVC / LASVC"),
        *("error: LASVC, SVC", "support vectors", "equal predictions", "largest difference"),
        "with ``max_iter=-1``",
    ]
    return list_table(header, rows)


def tanimoto(results):
    """Times and errors on fingerprints."""
    found, rows = stored_records("kernels_tanimoto", results), []
    for n in SIZES:
        ours, svc = (found.where(n_train=n, model=model) for model in ("lasvc", "svc"))
        if not ours:
            continue
        cells = [count(n)]
        for field, form in (
            ("seconds_fit", seconds),
            ("seconds_predict", seconds),
            ("error", percent),
            ("n_support", count),
        ):
            for records in (ours, svc):
                value = records.median(field)
                cells.append(form(value) if value is not None else records.verdict())
        rows.append(cells)
    header = ["samples"]
    for title in ("fit", "predict", "error", "support vectors"):
        header += [f"{title}, LASVC", "SVC"]
    return list_table(header, rows)


def mixed(results):
    """Error, time and features of kernels on tables of mixed types."""
    found, rows = stored_records("kernels_mixed", results).ok(), []
    for name, title in INTERACTIONS.items():
        before = title
        for model in MIXED:
            records = found.where(set=name, model=model)
            if not records:
                continue
            rows.append(
                [
                    before,
                    TITLES[model],
                    count(records.median("n_features")),
                    f"{records.median('C'):g}, {records.median('gamma'):g}",
                    seconds(records.median("seconds_fit")),
                    seconds(records.median("seconds_predict")),
                    percent(records.median("error")),
                    count(records.median("n_support")),
                ]
            )
            before = ""
    header = [
        *("sign of the effect", "kernel", "columns", "C, gamma"),
        *("fit", "predict", "error", "support vectors"),
    ]
    return list_table(header, rows)


TABLES = {"kernels_sets": sets, "kernels_tanimoto": tanimoto, "kernels_mixed": mixed}
