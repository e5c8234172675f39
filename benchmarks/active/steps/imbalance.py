"""Methods for imbalanced classes compared: the table of the guide."""

from ...bench import harness

N_RUNS = 10


def measure_imbalance(settings):
    """All methods on several draws of one data set."""
    records = []
    for seed in range(1 if settings.quick else N_RUNS):
        record = settings.call("compare_imbalance", seed=seed)
        harness.say("imbalance_methods", record, seed=seed)
        records.append({"seed": seed, **record})
    return {"records": records}


STEPS = {"imbalance_methods": measure_imbalance}
