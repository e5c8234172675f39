"""Tables of `tables`: errors are shares of wrong predictions, or of the variance not explained."""

from functools import partial
from statistics import fmean, geometric_mean

from ..bench.harness import grid
from ..bench.rst import count, cross_table, joined, list_table, number, percent, pivot, times
from ..bench.summary import Records, mean, mean_curve, stored_records
from ..sets.tables import CLASSES, REGRESSION
from ..sets.tables import TABLES as SETS
from .generated import FUNCTIONS, N_FEATURES, N_RELEVANT

TITLES = {
    "metric": "metric",
    "without": "without",
    "lasvm": "rbf",
    "boosting": "boosting",
    "lightgbm": "LightGBM",
    "catboost": "CatBoost",
    "xrfm": "xRFM",
}
# Suffixes of the names of steps.
HALVES = {"": "Tables to choose on", "_held": "Tables held back"}


def of_half(results, step, half):
    """Return the records of a step and of its peers that went well."""
    steps = (f"tables_{step}{half}{peers}" for peers in ("", "_peers"))
    return Records(r for name in steps for r in stored_records(name, results).ok().records)


def _lines(found, title):
    models = {m: TITLES[m] for m in TITLES if found.where(model=m)}

    def first(name, field):
        return found.where(table=name).records[0][field]

    def column(model, field, form):
        return models[model], lambda name: form(mean(found, field, table=name, model=model))

    sizes = [
        ("samples", lambda name: count(first(name, "n_train"))),
        ("features", lambda name: count(first(name, "n_features"))),
        ("categorical", lambda name: count(first(name, "n_categorical"))),
        ("", lambda name: SETS[name].kind),
    ]
    errors = [column(m, "error", partial(percent, digits=1)) for m in models]
    seconds = [column(m, "fit_seconds", number) for m in models]
    names = [name for name in SETS if found.where(table=name)]
    parts = {title: 4, f"{title}: errors": len(models)}
    parts[f"{title}: time of fit, seconds"] = len(models)
    return pivot(names, [("", str), *sizes, *errors, *seconds], parts)


def lines(results, step):
    """A line for each table: sizes, errors, times of fits."""
    return joined(_lines(of_half(results, step, half), title) for half, title in HALVES.items())


def compared(found, model):
    """Pairs of errors, and of times of fits, of the metric and of another model."""
    pairs = []
    for name in SETS:
        both = [found.where(table=name, model=m) for m in ("metric", model)]
        if all(both):
            pairs.append([[mean(each, f) for each in both] for f in ("error", "fit_seconds")])
    return zip(*pairs, strict=True) if pairs else ((), ())


def _summary(found, title):
    rows = []
    for model in [m for m in TITLES if m != "metric"]:
        errors, seconds = compared(found, model)
        above = [100 * (ours - theirs) for ours, theirs in errors]
        if above:
            wins = f"{sum(d < 0 for d in above)} : {sum(d > 0 for d in above)}"
            ratio = geometric_mean(theirs / ours for ours, theirs in seconds)
            points = [f"{value + 0.0:+.2f}" for value in (fmean(above), max(above))]
            rows.append([TITLES[model], wins, *points, times(ratio)])
    header = ["", "better : worse", "mean difference", "worst", "times as fast"]
    return list_table(header, rows, f"{title}: the metric compared with other models")


def summary(results, step):
    """Wins and losses of the metric, means over tables, and ratios of times of fits."""
    return joined(_summary(of_half(results, step, half), title) for half, title in HALVES.items())


def in_order(results):
    """Errors of a random split and of one in the order of time."""

    def records(step):
        return Records(r for half in HALVES for r in of_half(results, step, half).records)

    untuned, ordered = (records(step) for step in ("untuned", "time"))

    def cell(name, model):
        errors = [mean(each, "error", table=name, model=model) for each in (untuned, ordered)]
        return "–" if errors[1] is None else " / ".join(percent(value, 1) for value in errors)

    names = {name: name for name, table in SETS.items() if table.time}
    return cross_table("", names, TITLES, cell, "Errors: random split / in order of time")


def irrelevant(results):
    """Errors without and with irrelevant features, and shares of relevant features found."""
    errors, found = (
        stored_records(f"tables_{s}", results).ok() for s in ("irrelevant", "relevant")
    )
    cases = grid(function=FUNCTIONS, kind=[CLASSES, REGRESSION])

    def error(case, model):
        points = {point["n_features"]: point for point in mean_curve(errors, **case)}
        few, many = (points.get(n, {}).get(model) for n in (N_RELEVANT, N_FEATURES))
        return f"{percent(few, 1)} / {percent(many, 1)}"

    columns = [("", lambda case: f"{case['function']}, {case['kind']}")]
    for model, title in {"svm": "SVM", **TITLES}.items():
        if any(model in point for point in mean_curve(errors)):
            columns.append((title, partial(error, model=model)))
    columns.append(("relevant found", lambda case: percent(mean(found, "share", **case), 0)))
    title = f"Errors with {N_RELEVANT} / {N_FEATURES} features"
    return pivot(cases, columns, title) if errors else None


TABLES = {
    "tables": partial(lines, step="untuned"),
    "tables_summary": partial(summary, step="untuned"),
    "tables_time": in_order,
    "tables_tuned": partial(lines, step="tuned"),
    "tables_tuned_summary": partial(summary, step="tuned"),
    "tables_irrelevant": irrelevant,
}
