"""Kernel passive-aggressive models and perceptrons.

``kernel_stream``: samples per second on a stream with a budget; ``kernel_pa_sets``: PA-I with all
labels, some labels and few vectors, compared with ``LASVC``; ``kernel_perceptrons``: the
perceptrons of the thesis and LASVM on the ten digits.
"""

from ..bench.harness import grid

POLICIES = ("margin", "projection", "merging")
SETS = ("magic04", "mushrooms", "pima_diabetes", "spambase", "splice", "svmguide1")


def measure_stream(settings):
    return settings.records("budget_stream", grid(seed=range(settings.seeds), policy=POLICIES))


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
