"""Choosing parameters: ProgressiveSearch beside searches that fit again and again.

``search_adult``, ``search_mnist_8``, ``search_ijcnn_like``, ``search_letter``,
``search_covtype_like``: a grid of 10 x 10 for LASVC, and peers; ``search_linear``: sixty linear
models and a million rows. ``grid_*``: all pairs of a grid on five folds of some rows, for their
errors only: they take minutes and need not be alone on the machine.
"""

from functools import partial
from statistics import median

from ..bench import harness
from .models import SEARCHES
from .sets import SETS

# Of our search; of boosting, which is quick. Other peers have one: they take minutes.
N_SEEDS, N_BOOSTING = 5, 3
# SGDClassifier has as long as our search, and ten times as long.
SGD_FACTORS = (1, 10)
# Seconds for a peer.
LIMIT = 120
# Rows on which a peer chooses where all would take it beyond that.
RANDOM_ROWS = 5000


def measure_search(work, settings):
    """Our search, one fit by others with what it has found, and the searches of others."""
    step, about = f"search_{work}", SETS[work]

    def ask(task, search, seed, **fields):
        record = settings.call(task, work=work, seed=seed, **fields)
        harness.say(step, record, search=search, seed=seed)
        return {"search": search, "seed": seed, **fields, **record}

    seeds = range(1 if settings.quick else N_SEEDS)
    records = [ask("search_progressively", "progressive", seed) for seed in seeds]
    ok = [record for record in records if record["status"] == "ok"]
    # Each choice once.
    found = {(record["C"], record["gamma"]): record["seed"] for record in reversed(ok)}
    for (C, gamma), seed in found.items():
        for threads in (1, 2) if seed == 0 else (1,):
            fields = dict(model="sklearnex", threads=threads, limit=LIMIT, C=C, gamma=gamma)
            records.append(ask("fit_once", "one_fit", seed, **fields))
    if ok:
        seconds = median(record["seconds"] for record in ok)
        for seed in range(1 if settings.quick else N_BOOSTING):
            fields = dict(given_seconds=seconds, limit=LIMIT)
            records.append(ask("search_boosting", "boosting", seed, **fields))
            # Where the defaults alone take longer, nothing is drawn.
            if records[-1].get("seconds", LIMIT) > 2 * seconds:
                break
    for search in ("halving_lasvc", "halving", "random"):
        model = SEARCHES[search].model or about.solver
        rows = RANDOM_ROWS if search == "random" else about.halving_rows
        fields = dict(model=model, n_chosen_on=rows, limit=LIMIT)
        records.append(ask("search_as_peers", search, 0, **fields))
    return {"records": records}


def measure_linear(settings):
    """Sixty candidates, and SGDClassifier in the same time and in ten times as much."""
    records = []
    for seed in range(settings.seeds):
        record = settings.call("search_linear", seed=seed)
        harness.say("search_linear", record, search="progressive", seed=seed)
        records.append({"search": "progressive", "seed": seed, **record})
        if record["status"] != "ok":
            continue
        for factor in SGD_FACTORS:
            asked = dict(search="sgd", seed=seed, factor=factor)
            given = factor * record["seconds"]
            found = settings.call("search_sgd", seed=seed, given_seconds=given)
            harness.say("search_linear", found, **asked)
            records.append({**asked, **found})
    return {"records": records}


def measure_grid(work, settings):
    """Once: nothing but errors is taken from it."""
    asked = {"work": work, "model": "sklearnex", "seed": 0}
    record = settings.call("choose_exhaustively", **asked)
    harness.say(f"grid_{work}", record, **asked)
    return {"records": [{**asked, **record}]}


STEPS = {f"search_{work}": partial(measure_search, work) for work in SETS}
STEPS["search_linear"] = measure_linear
STEPS |= {f"grid_{work}": partial(measure_grid, work) for work in SETS}

if __name__ == "__main__":
    harness.main(STEPS, __doc__)
