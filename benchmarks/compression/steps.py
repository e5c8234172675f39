"""Compressed models of six sets: size, error, differences and times."""

from functools import partial

from ..bench.harness import grid
from .sets import CASES

N_SEEDS = 3


def _measured(task, settings):
    return settings.records(task, grid(set=CASES, seed=settings.runs(N_SEEDS)))


STEPS = {
    "compression_methods": partial(_measured, "compare_compressed"),
    "compression_sets": partial(_measured, "compress"),
}
