"""How many kernel values and steps a second LASVC makes, compared with a product of BLAS."""

from ...bench import harness
from ..workloads import COMPARED


def measure_roof(settings):
    records = []
    for workload in COMPARED:
        for seed in range(settings.seeds):
            found = settings.call("kernel_rates", workload=workload, model="lasvc", seed=seed)
            harness.say("roof", found, workload=workload, seed=seed)
            records.append(dict(workload=workload, seed=seed) | found)
    return {"records": records}


STEPS = {"roof": measure_roof}
