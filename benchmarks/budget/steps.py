"""LASVC of a fixed size.

``budget_adult``: error by the number of vectors; ``budget_gradual``, ``budget_abrupt``: a million
samples with concept drift.
"""

from functools import partial

from ..bench import harness
from .streams import MODELS

SIZES = [250, 500, 1000, 2000, 4000]
POLICIES = ["merging", "oldest"]
CS = [1.0, 100.0]
N_SEEDS = 3


def measure_adult(settings):
    cases = [{}]
    cases += [
        {"max_support_vectors": size, "budget_policy": policy}
        for size in SIZES
        for policy in POLICIES
    ]
    records = []
    for seed in range(1 if settings.quick else N_SEEDS):
        for C in CS:
            for options in cases:
                asked = dict(workload="adult_dense", seed=seed, C=C, options=options)
                record = settings.call("learn_set", **asked)
                harness.say("budget_adult", record, **asked)
                records.append({**asked, **record})
    return {"records": records}


def measure_stream(world, settings):
    records = []
    for model in MODELS:
        asked = {"world": world, "model": model}
        record = settings.call("learn_stream", **asked)
        harness.say(f"budget_{world}", record, **asked)
        records.append({**asked, **record})
    return {"records": records}


STEPS = {"budget_adult": measure_adult}
STEPS |= {f"budget_{world}": partial(measure_stream, world) for world in ("gradual", "abrupt")}
