"""Tables: models at their defaults and tuned, in order of time, and with irrelevant features."""

from functools import partial

from ..bench.harness import grid
from ..sets.tables import CHOSEN, CLASSES, HELD_BACK, REGRESSION, TABLES
from .generated import FUNCTIONS
from .models import OURS, PEERS

# Seconds of a model, and of a search.
LIMIT, SEARCH_LIMIT = 1800, 14_400
N_SEEDS = 30


def _records(settings, task, tables, models, limit=LIMIT, **fixed):
    if settings.quick:
        tables, models = tables[:1], models[:1]
    cases = grid(table=tables, seed=range(settings.seeds), model=models)
    return settings.records(task, cases, limit=limit, **fixed)


def fits(settings, tables, models):
    """Measure models at their defaults."""
    return _records(settings, "fit_table", tables, models)


def in_order(settings, tables):
    """Measure models that are trained on the first samples and predict the last ones."""
    tables = [name for name in tables if TABLES[name].time]
    return _records(settings, "fit_table", tables, OURS + PEERS, in_order=True)


def searches(settings, tables, models):
    """Measure tuned models, on every second table."""
    tables = tables if settings.quick else tables[1::2]
    return _records(settings, "tune_on_table", tables, models, SEARCH_LIMIT)


def _generated(settings, task, **axes):
    cases = grid(function=FUNCTIONS, kind=[CLASSES, REGRESSION], **axes)
    return settings.records(task, cases[: 1 if settings.quick else None])


def irrelevant(settings):
    """Measure errors by the number of irrelevant features."""
    return _generated(settings, "add_irrelevant_features", seed=range(settings.seeds))


def relevant(settings):
    """Measure how many relevant features have the largest widths."""
    seeds = list(settings.runs(N_SEEDS))
    return _generated(settings, "find_relevant_features", seeds=[seeds])


def _of_half(suffix, tables):
    return {
        f"tables_untuned{suffix}": partial(fits, tables=tables, models=OURS),
        f"tables_untuned{suffix}_peers": partial(fits, tables=tables, models=PEERS),
        f"tables_time{suffix}": partial(in_order, tables=tables),
        f"tables_tuned{suffix}": partial(searches, tables=tables, models=("metric",)),
        f"tables_tuned{suffix}_peers": partial(
            searches, tables=tables, models=("boosting", "catboost")
        ),
    }


STEPS = {
    **_of_half("", CHOSEN),
    **_of_half("_held", HELD_BACK),
    "tables_irrelevant": irrelevant,
    "tables_relevant": relevant,
}
