"""Tables of `regression`."""

from ..bench.rst import count, cross_table, joined, number, seconds
from ..bench.summary import Records, stored_records
from .sets import REAL_SETS, SETS, SIZES
from .steps import CURVE

TITLES = {
    "lasvr": "LASVR",
    "lasvr_budget": "1000 support vectors",
    "svr": "SVR",
    "sklearnex": "intelex",
    "boosting": "boosting",
    "nystroem_ridge": "Ridge",
}
OUTPUTS = ("fit", "predict", "stored vectors")
# SVR has the R2 of LASVR, to 0.0002.
ACCURACY = ("lasvr", "lasvr_budget", "boosting", "nystroem_ridge")
SPEED = ("lasvr", "svr", "sklearnex", "boosting")


def _by_set(found, models, field, form, title):
    def cell(name, model):
        value = found.where(set=name, model=model).median(field)
        return "–" if value is None else form(value)

    sets = {name: case.title for name, case in (SETS | REAL_SETS).items()}
    return cross_table("set", sets, {model: TITLES[model] for model in models}, cell, title)


def sets(results):
    """R2 and times on generated sets and on a real one."""
    parts = (stored_records(f"regression_{kind}", results) for kind in ("sets", "real"))
    found = Records(record for part in parts for record in part.records)
    return joined(
        [
            _by_set(found, ACCURACY, "r2", "{:.3f}".format, "R2"),
            _by_set(found, SPEED, "seconds_fit", number, "Time of fit, seconds"),
            _by_set(found, SPEED, "seconds_predict", number, "Time of predictions, seconds"),
        ]
    )


def curve(results):
    """Times over the number of samples."""
    found = stored_records("regression_curve", results)

    def cell(n, model):
        records = found.where(n_train=n, model=model)
        return seconds(records.median("seconds_fit")) if records.ok() else records.verdict()

    sizes = {n: count(n) for n in SIZES}
    return cross_table("samples", sizes, {model: TITLES[model] for model in CURVE}, cell)


def outputs(results):
    """Times of one model of ten outputs and of ten models, and vectors that they store."""
    found = stored_records("regression_outputs", results).ok()
    forms = {"seconds_fit": seconds, "seconds_predict": seconds, "n_vectors": count}

    def cell(width, field):
        pair = (found.where(model=m, n_features=width) for m in ("lasvr", "lasvr_separate"))
        return " / ".join(forms[field](records.median(field)) for records in pair)

    widths = {width: count(width) for width in found.distinct("n_features")}
    return cross_table("features", widths, dict(zip(forms, OUTPUTS, strict=True)), cell)


TABLES = {
    "regression_sets": sets,
    "regression_curve": curve,
    "regression_outputs": outputs,
}
