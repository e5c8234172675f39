"""Choosing parameters: ProgressiveSearch compared with the exhaustive choice and other searches.

``unseen_<table>``: tables that were not used to develop the search, beside grid searches with
three and five folds.

``exhaustive_<table>``: the exhaustive choice on tables that are newer than the rules of the
search. ``fresh_<table>``: our search, compared with it. ``fresh_peers_<table>``: the searches of
others, in the time that ours took. Each needs the stored results of the one before.

``search_<set>``: a grid of 10 x 10 for LASVC, by our search and by others. ``curves_<set>``: all
pairs of the grid, for the exhaustive choice and random ones; they take minutes, and need not be
alone on the machine.
"""

from functools import partial

from ..bench.harness import grid
from ..bench.summary import stored_records
from .fresh import FRESH
from .sets import SETS
from .unseen import UNSEEN

# Seeds of our search. The other searches take longer and have one seed, except on `fresh`.
N_SEEDS = 3
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


def measure_exhaustive(work, settings):
    """The exhaustive choice, which does not depend on our search."""
    cases = grid(seed=settings.runs(N_SEEDS), work=[work])
    return settings.records("search_exhaustively", cases)


def measure_fresh(work, settings):
    """Our search, and the standard error of its difference to the exhaustive choice."""
    chosen = _by_seed(f"exhaustive_{work}", settings)
    records = []
    for asked in grid(seed=settings.runs(N_SEEDS), work=[work], search=["progressive"]):
        best = chosen.get(asked["seed"], {})
        limits = dict(exhaustive_C=best.get("C"), exhaustive_gamma=best.get("gamma"))
        records.append(settings.record("search_fresh", asked, **limits))
    return {"records": records}


def measure_fresh_peers(work, settings):
    """The searches of others; Optuna has the time of our search with the same seed."""
    ours, records = _by_seed(f"fresh_{work}", settings), []
    for asked in grid(seed=settings.runs(N_SEEDS), work=[work], search=["halving", "optuna"]):
        seconds = ours.get(asked["seed"], {}).get("seconds")
        if asked["search"] == "halving" or seconds:
            records.append(settings.record("search_fresh_as_peers", asked, seconds=seconds))
    return {"records": records}


def _by_seed(step, settings):
    stored = stored_records(step, settings.results).ok()
    return {record["seed"]: record for record in stored.records}


STEPS = {f"search_{work}": partial(measure_search, work) for work in SETS}
STEPS |= {f"peers_{work}": partial(measure_peers, work) for work in SETS}
STEPS |= {f"curves_{work}": partial(measure_curves, work) for work in SETS}
STEPS |= {f"unseen_{work}": partial(measure_unseen, work) for work in UNSEEN}
STEPS |= {f"exhaustive_{work}": partial(measure_exhaustive, work) for work in FRESH}
STEPS |= {f"fresh_{work}": partial(measure_fresh, work) for work in FRESH}
STEPS |= {f"fresh_peers_{work}": partial(measure_fresh_peers, work) for work in FRESH}
