"""Kernel passive-aggressive models and perceptrons.

``kernel_stream``: samples per second and memory on a stream with a budget, compared with the same
algorithm in NumPy; ``kernel_pa_sets``: PA, PA-I, PA-II with all labels, some labels and few
vectors, compared with ``LASVC`` and ``SVC``; ``kernel_perceptrons``: the perceptrons of the
thesis and LASVM on the ten digits.
"""

from ..bench import harness

POLICIES = ("margin", "smallest", "projection", "merging")
RIVALS = ("margin", "smallest")
SETS = ("magic04", "mushrooms", "pima_diabetes", "spambase", "splice", "svmguide1")


def measure_stream(settings):
    records = []
    for seed in range(settings.seeds):
        for policy in POLICIES:
            for rival in (False, True)[: 1 + (policy in RIVALS)]:
                record = settings.call("budget_stream", policy=policy, rival=rival, seed=seed)
                harness.say("kernel_stream", record, policy=policy, rival=rival, seed=seed)
                records.append({"policy": policy, "rival": rival, "seed": seed, **record})
    return {"records": records}


def measure_sets(settings):
    records = []
    for name in SETS:
        for seed in range(settings.seeds):
            record = settings.call("kernel_pa_sets", name=name, seed=seed)
            harness.say("kernel_pa_sets", record, name=name, seed=seed)
            records.append({"name": name, "seed": seed, **record})
    return {"records": records}


def measure_perceptrons(settings):
    """One order of the samples: ten passes over each of ten digits take their time."""
    records = []
    for digit in range(10):
        record = settings.call("perceptrons_of_digits", digit=digit)
        harness.say("kernel_perceptrons", record, digit=digit)
        records.append({"digit": digit, "seed": 0, **record})
    return {"records": records}


STEPS = {
    "kernel_stream": measure_stream,
    "kernel_pa_sets": measure_sets,
    "kernel_perceptrons": measure_perceptrons,
}
