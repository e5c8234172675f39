"""Intervals and sets: coverage, width and time, of ours and of other packages."""

from ..bench.harness import grid
from .methods import OURS, PEERS, SETS
from .sets import CLASSES
from .sets import SETS as TABLES

N_SEEDS, N_PEERS, N_FEW = 20, 2, 5
LIMIT = 1800


def _records(settings, task, cases, n_seeds):
    cases = cases[: 2 if settings.quick else None]
    return settings.records(task, cases, seeds=list(settings.runs(n_seeds)), limit=LIMIT)


def ours(settings):
    """Measure intervals that need no more models, or a part of the samples."""
    return _records(settings, "predict_intervals", grid(set=TABLES, method=OURS), N_SEEDS)


def peers(settings):
    """Measure intervals of MAPIE and crepes."""
    return _records(settings, "predict_intervals", grid(set=TABLES, method=PEERS), N_PEERS)


def parameters(settings):
    """Measure intervals with other parameters."""
    tables = [name for name in TABLES if name not in ("diabetes", "hundred")]
    cases = [
        *grid(set=tables, n_train=[50, 100, 300, 3000]),
        *grid(set=tables, C=[1.0, 100.0], epsilon=[0.1]),
        *grid(set=tables, C=[10.0], epsilon=[0.01, 0.5]),
    ]
    return _records(settings, "intervals_of_parameters", cases, N_FEW)


def sets(settings):
    """Measure prediction sets."""
    return _records(settings, "predict_sets", grid(set=CLASSES, method=SETS), N_FEW)


def stream(settings):
    """Measure coverage along streams that change."""
    cases = grid(set=["nothing", "noise", "function"])
    return _records(settings, "intervals_in_stream", cases, N_FEW)


STEPS = {
    "intervals": ours,
    "intervals_peers": peers,
    "intervals_parameters": parameters,
    "intervals_sets": sets,
    "intervals_stream": stream,
}
