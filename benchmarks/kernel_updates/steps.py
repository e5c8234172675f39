"""Kernel passive-aggressive models and perceptrons.

``kernel_stream``: samples per second and memory on a stream with a budget, compared with the same
algorithm in NumPy; ``kernel_pa_sets``: PA, PA-I, PA-II with all labels, some labels and few
vectors, compared with ``LASVC`` and ``SVC``; ``kernel_perceptrons``: the perceptrons of the
thesis and LASVM on the ten digits.
"""

from ..bench.harness import grid

POLICIES = ("margin", "smallest", "projection", "merging")
RIVALS = ("margin", "smallest")
SETS = ("magic04", "mushrooms", "pima_diabetes", "spambase", "splice", "svmguide1")


def measure_stream(settings):
    cases = [
        dict(policy=policy, rival=rival, seed=seed)
        for seed in range(settings.seeds)
        for policy in POLICIES
        for rival in (False, True)[: 1 + (policy in RIVALS)]
    ]
    return settings.records("budget_stream", cases)


def measure_sets(settings):
    return settings.records("kernel_pa_sets", grid(name=SETS, seed=range(settings.seeds)))


def measure_perceptrons(settings):
    """One order of the samples: ten passes over each of ten digits take their time."""
    return settings.records("perceptrons_of_digits", grid(digit=range(10), seed=[0]))


STEPS = {
    "kernel_stream": measure_stream,
    "kernel_pa_sets": measure_sets,
    "kernel_perceptrons": measure_perceptrons,
}
