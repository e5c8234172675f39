"""How many kernel values and steps a second LASVC makes, compared with a product of BLAS."""

from ...bench.harness import grid
from ..workloads import COMPARED


def measure_roof(settings):
    cases = grid(workload=COMPARED, seed=range(settings.seeds))
    return settings.records("kernel_rates", cases, model="lasvc")


STEPS = {"roof": measure_roof}
