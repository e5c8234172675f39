"""Tables of `regression`."""

from ..bench.rst import count, joined, list_table, number, seconds
from ..bench.summary import Records, stored_records
from .sets import REAL_SETS, SETS, SIZES, WIDTHS
from .steps import CURVE

TITLES = {
    "lasvr": "LASVR",
    "lasvr_budget": "1000 vectors",
    "svr": "SVR",
    "sklearnex": "intelex",
    "boosting": "boosting",
    "nystroem_ridge": "Ridge",
}
# SVR has the R2 of LASVR, to 0.0002.
ACCURACY = ("lasvr", "lasvr_budget", "boosting", "nystroem_ridge")
SPEED = ("lasvr", "svr", "sklearnex", "boosting")


def _by_set(found, models, field, form, title):
    rows = [
        [case.title, *(form(found.where(set=name, model=m).median(field)) for m in models)]
        for name, case in (SETS | REAL_SETS).items()
        if found.where(set=name)
    ]
    return list_table(["set", *(TITLES[m] for m in models)], rows, title)


def sets(results):
    """R2 and times on generated sets and on a real one."""
    parts = (stored_records(f"regression_{kind}", results) for kind in ("sets", "real"))
    found = Records([record for part in parts for record in part.records])
    return joined(
        [
            _by_set(found, ACCURACY, "r2", "{:.3f}".format, "R2"),
            _by_set(found, SPEED, "seconds_fit", number, "Time of fit, seconds"),
            _by_set(found, SPEED, "seconds_predict", number, "Time of predictions, seconds"),
        ]
    )


def curve(results):
    """Times over the number of samples."""
    found, rows = stored_records("regression_curve", results), []
    for n in SIZES:
        of_size = [found.where(n_train=n, model=model) for model in CURVE]
        if any(of_size):
            times = [records.median("seconds_fit") for records in of_size]
            cells = [
                records.verdict() if time is None else seconds(time)
                for records, time in zip(of_size, times, strict=True)
            ]
            rows.append([count(n), *cells])
    return list_table(["samples", *(TITLES[model] for model in CURVE)], rows)


def outputs(results):
    """Times of one model of ten outputs and of ten models, and vectors that they store."""
    found, rows = stored_records("regression_outputs", results).ok(), []
    for width in WIDTHS:
        pair = [
            found.where(model=model, n_features=width) for model in ("lasvr", "lasvr_separate")
        ]
        if all(pair):
            rows.append([count(width)])
            for field, form in (
                ("seconds_fit", seconds), ("seconds_predict", seconds), ("n_vectors", count)
            ):  # fmt: skip
                rows[-1].append(" / ".join(form(records.median(field)) for records in pair))
    return list_table(["features", "fit", "predict", "stored vectors"], rows)


TABLES = {
    "regression_sets": sets,
    "regression_curve": curve,
    "regression_outputs": outputs,
}
