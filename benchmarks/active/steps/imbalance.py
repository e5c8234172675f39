"""Methods for imbalanced classes compared: the table of the guide."""

from ...bench.harness import grid

N_RUNS = 10


def measure_imbalance(settings):
    """All methods on several draws of one data set."""
    return settings.records("compare_imbalance", grid(seed=settings.runs(N_RUNS)))


STEPS = {"imbalance_methods": measure_imbalance}
