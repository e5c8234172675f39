"""Steps of `cores`, for as many threads as there are cores.

``cores``: fits by number of threads. ``cores_pass``: the time of a pass over the gradient, by
number of slots and threads.
"""

import os

from .sets import CASES

MODELS = ("ovo", "ovr", "intelex")
N_SLOTS = [1024, 2048, 4096, 8192, 16_384, 32_768, 65_536]


def numbers_of_threads():
    """1, 2, 4, ... up to the cores of this process."""
    n_cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return [n for n in (1, 2, 4, 8, 16, 32, 64) if n <= n_cores]


def measure_fits(settings):
    cases = [
        {"set": name, "model": model, "threads": threads}
        for name, case in CASES.items()
        for model in MODELS
        if case.several or model != "ovr"
        for threads in numbers_of_threads()
    ]
    return settings.records("fit_on_cores", cases, limit=900)


def measure_passes(settings):
    cases = [
        {"n_slots": n_slots, "threads": threads}
        for n_slots in N_SLOTS
        for threads in numbers_of_threads()
    ]
    return settings.records("shared_pass", cases)


STEPS = {"cores": measure_fits, "cores_pass": measure_passes}
