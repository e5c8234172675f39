"""`partial_fit` with one sample: LASVC with 500 stored vectors against SGDClassifier."""

from ...bench.harness import grid


def measure_one_row(settings):
    return settings.records("one_row_updates", grid(seed=range(settings.seeds)))


STEPS = {"one_row": measure_one_row}
