"""Tables of `regression`."""

from ..bench.rst import count, list_table, seconds, times
from ..bench.summary import ratio, stored_records
from .sets import SETS, SIZES
from .steps import CURVE

TITLES = {
    "lasvr": "LASVR",
    "lasvr_budget": "LASVR, 1000 vectors",
    "svr": "SVR",
    "sklearnex": "scikit-learn-intelex",
    "boosting": "HistGradientBoostingRegressor",
    "nystroem_sgd": "Nystroem (500), SGDRegressor",
    "nystroem_ridge": "Nystroem (500), Ridge",
}


def sets(results):
    """R2, vectors and times of all models."""
    found, rows = stored_records("regression_sets", results), []
    for name, case in SETS.items():
        ours = found.where(set=name, model="lasvr")
        before = case.title
        for model, title in TITLES.items():
            records = found.where(set=name, model=model)
            if not records:
                continue
            fit, predict = records.median("seconds_fit"), records.median("seconds_predict")
            r2 = records.median("r2")
            rows.append(
                [
                    before,
                    title,
                    records.verdict() if r2 is None else f"{r2:.4f}",
                    count(records.median("n_support")),
                    seconds(fit),
                    times(ratio(fit, ours.median("seconds_fit"))),
                    seconds(predict),
                    times(ratio(predict, ours.median("seconds_predict"))),
                ]
            )
            before = ""
    header = [
        *("set", "model", "R2", "support vectors"),
        *("fit", "fit / LASVR", "predict", "predict / LASVR"),
    ]
    return list_table(header, rows)


def curve(results):
    """Times over the number of samples."""
    found, rows = stored_records("regression_curve", results), []
    for n in SIZES:
        here = found.where(n_train=n)
        if not here:
            continue
        row = [count(n)]
        ours = here.where(model="lasvr").median("seconds_fit")
        for model in CURVE:
            records = here.where(model=model)
            value = records.median("seconds_fit")
            row += [seconds(value) if value is not None else records.verdict()]
        row += [times(ratio(here.where(model=m).median("seconds_fit"), ours)) for m in CURVE[1:]]
        row += [f"{here.where(model=m).median('r2') or 0.0:.4f}" for m in CURVE[:2]]
        rows.append(row)
    header = [
        "samples",
        *(TITLES[m] for m in CURVE),
        *(f"{TITLES[m]} / LASVR" for m in CURVE[1:]),
        *(f"R2, {TITLES[m]}" for m in CURVE[:2]),
    ]
    return list_table(header, rows)


def prefixes(results):
    """R2 in the midst of a stream, beside the finished model."""
    found, rows = stored_records("regression_prefixes", results).ok(), []
    for record in found.records:
        now, finished = record["r2"], record["r2_finished"]
        most = max(abs(a - b) for a, b in zip(now, finished, strict=True))
        rows.append([SETS[record["set"]].title, f"{now[0]:.4f}", f"{now[-1]:.4f}", f"{most:.5f}"])
    header = ["set", "R2 after a tenth", "R2 at the end", "largest difference to the finished"]
    return list_table(header, rows)


TABLES = {
    "regression_sets": sets,
    "regression_curve": curve,
    "regression_prefixes": prefixes,
}
