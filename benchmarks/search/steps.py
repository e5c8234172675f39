"""Choosing parameters: ProgressiveSearch compared with the exhaustive choice and other searches.

``unseen_<table>``: tables that were not used to develop the search, beside grid searches with
three and five folds.

``search_<set>``: a grid of 10 x 10 for LASVC, by our search and by others. ``curves_<set>``: all
pairs of the grid, for the exhaustive choice and random ones; they take minutes, and need not be
alone on the machine.
"""

from functools import partial

from ..bench.harness import grid
from .sets import SETS
from .unseen import UNSEEN

# Of our search; the others take longer and have one.
N_SEEDS = 5
# Time limit of a peer in seconds.
LIMIT = 240
# Data sets on which all pairs are trained on five folds, too: minutes each.
SMALL = ("banana", "spambase", "satimage")


def measure_search(work, settings):
    """Our search with several seeds."""
    cases = grid(seed=settings.runs(N_SEEDS), work=[work], search=["progressive"])
    return settings.records("search_progressively", cases)


def measure_peers(work, settings):
    """The searches of others."""
    limits = {"halving": LIMIT, "optuna": LIMIT} | ({"grid": 4 * LIMIT} if work in SMALL else {})
    cases = [
        dict(search=search, limit=limit, work=work, seed=0) for search, limit in limits.items()
    ]
    return settings.records("search_as_peers", cases)


def measure_curves(work, settings):
    """All pairs, once."""
    return settings.records("record_curves", [dict(work=work, seed=0)])


def measure_unseen(work, settings):
    """Our search with several seeds, and grid searches on the samples of the first one."""
    cases = grid(seed=settings.runs(N_SEEDS), work=[work], search=["progressive"])
    cases += grid(seed=[0], work=[work], search=["grid3", "grid5"])
    return settings.records("search_unseen", cases)


STEPS = {f"search_{work}": partial(measure_search, work) for work in SETS}
STEPS |= {f"peers_{work}": partial(measure_peers, work) for work in SETS}
STEPS |= {f"curves_{work}": partial(measure_curves, work) for work in SETS}
STEPS |= {f"unseen_{work}": partial(measure_unseen, work) for work in UNSEEN}
