"""Compressed models of six sets: size, error, differences and times."""

from functools import partial

from ..bench import harness
from .sets import CASES

N_SEEDS = 3


def _measured(step, task, settings):
    records = []
    for name in CASES:
        for seed in range(1 if settings.quick else N_SEEDS):
            asked = dict(set=name, seed=seed)
            record = settings.call(task, **asked)
            harness.say(step, record, **asked)
            records.append({**asked, **record})
    return {"records": records}


STEPS = {
    "compression_methods": partial(_measured, "compression_methods", "compare_compressed"),
    "compression_sets": partial(_measured, "compression_sets", "compress"),
}
