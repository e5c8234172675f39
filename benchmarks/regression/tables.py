"""Tables of `regression`."""

from itertools import product

from ..bench.rst import count, list_table, seconds, times
from ..bench.summary import ratio, stored_records
from .sets import N_OUTPUTS, REAL_SETS, SETS, SIZES, WIDTHS
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


OUTPUT_TITLES = {
    "lasvr": "LASVR",
    "lasvr_separate": "MultiOutputRegressor(LASVR)",
}


def _models(found, cases):
    """R2, vectors and times of all models."""
    rows = []
    for name, case in cases.items():
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


def sets(results):
    """Models on generated sets."""
    return _models(stored_records("regression_sets", results), SETS)


def real(results):
    """Models on real sets."""
    return _models(stored_records("regression_real", results), REAL_SETS)


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
        r2 = [here.where(model=m).median("r2") for m in CURVE[:2]]
        row += ["–" if value is None else f"{value:.4f}" for value in r2]
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
    header = [
        "set",
        "R2 after a tenth",
        "R2 at the end",
        "largest difference in R2 from the finished copy",
    ]
    return list_table(header, rows)


def outputs(results):
    """Times of one output and of several, and their ratio."""
    found, rows = stored_records("regression_outputs", results).ok(), []
    for width, (model, title) in product(WIDTHS, OUTPUT_TITLES.items()):
        here = found.where(model=model, n_features=width)
        one, all_of_them = (here.where(n_outputs=n) for n in (1, N_OUTPUTS))
        if not all_of_them:
            continue
        row = [count(width), title]
        for field in ("seconds_fit", "seconds_predict"):
            few, many = one.median(field), all_of_them.median(field)
            row += [seconds(few), seconds(many), times(ratio(many, few))]
        row += [count(all_of_them.median("n_vectors")), f"{all_of_them.median('r2'):.4f}"]
        rows.append(row)
    header = ["features", "model"]
    for word in ("fit", "predict"):
        header += [f"{word}, one output", f"{N_OUTPUTS} outputs", "ratio"]
    return list_table([*header, f"stored vectors, {N_OUTPUTS} outputs", "R2"], rows)


TABLES = {
    "regression_sets": sets,
    "regression_curve": curve,
    "regression_prefixes": prefixes,
    "regression_real": real,
    "regression_outputs": outputs,
}
