"""Choosing parameters: ProgressiveSearch compared with the exhaustive choice and other searches.

``search_<set>``: a grid of 10 x 10 for LASVC, by our search and by others. ``curves_<set>``: all
pairs of the grid, for the exhaustive choice and random ones; they take minutes, and need not be
alone on the machine. ``search_linear``: sixty linear models.
"""

from functools import partial

from ..bench import harness
from .sets import LINEAR_SETS, SETS

# Of our search; the others take longer and have one.
N_SEEDS = 5
# Time limit of a peer in seconds.
LIMIT = 240
# Data sets on which all pairs are trained on five folds, too: minutes each.
SMALL = ("banana", "spambase", "satimage")


def _asked(step, task, settings, **fields):
    record = settings.call(task, **fields)
    harness.say(step, record, **fields)
    return {**fields, **record}


def measure_search(work, settings):
    """Our search with several seeds."""
    seeds = range(1 if settings.quick else N_SEEDS)
    fields = dict(work=work, search="progressive")
    return {
        "records": [
            _asked(f"search_{work}", "search_progressively", settings, seed=seed, **fields)
            for seed in seeds
        ]
    }


def measure_peers(work, settings):
    """The searches of others."""
    limits = {"halving": LIMIT, "optuna": LIMIT} | ({"grid": 4 * LIMIT} if work in SMALL else {})
    step, fields = f"peers_{work}", dict(work=work, seed=0)
    return {
        "records": [
            _asked(step, "search_as_peers", settings, search=search, limit=limit, **fields)
            for search, limit in limits.items()
        ]
    }


def measure_curves(work, settings):
    """All pairs, once."""
    return {"records": [_asked(f"curves_{work}", "record_curves", settings, work=work, seed=0)]}


def measure_linear(settings):
    """Sixty linear models on a generated data set and on three real ones."""
    seeds = range(settings.seeds)
    return {
        "records": [
            _asked("search_linear", "search_linear", settings, work=work, seed=seed)
            for work in ("", *LINEAR_SETS)
            for seed in seeds
        ]
    }


STEPS = {f"search_{work}": partial(measure_search, work) for work in SETS}
STEPS["search_linear"] = measure_linear
STEPS |= {f"peers_{work}": partial(measure_peers, work) for work in SETS}
STEPS |= {f"curves_{work}": partial(measure_curves, work) for work in SETS}
