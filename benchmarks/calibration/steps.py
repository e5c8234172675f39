"""Probabilities: log-loss and time.

``calibration_sets``: each set with two values of C and several splits; ``calibration_streams``:
streams whose labels become noisy, with a sliding window; ``calibration_online``: online models;
``calibration_maps``: maps fitted to the same values; ``calibration_robust``: with the ramp loss.
"""

from functools import partial

from ..bench.harness import grid
from .sets import SETS

N_SEEDS = 3
CS = [1.0, 10.0]
STREAMS = ["adult", "magic04", "mnist_8"]
DRIFTS = ["gradual", "abrupt"]
ONLINE_SETS = ["adult", "w8a", "magic04", "mnist_8", "letter", "satimage"]
ROBUST_SETS = ["adult", "magic04", "spambase", "banana_20"]
ROBUST = ["lasvm-nc", "lasvm-i"]
ONLINE_MODELS = ["arow", "pa", "perceptron", "sgd"]


def measure_sets(settings, task):
    return settings.records(task, grid(set=SETS, C=CS, seed=settings.runs(N_SEEDS)))


def measure_streams(settings):
    return settings.records("follow", grid(set=STREAMS, drift=DRIFTS, seed=settings.runs(N_SEEDS)))


def measure_online(settings):
    cases = grid(set=ONLINE_SETS, model=ONLINE_MODELS, seed=settings.runs(N_SEEDS))
    return settings.records("calibrate_online", cases)


def measure_robust(settings):
    cases = grid(set=ROBUST_SETS, algorithm=ROBUST, C=[1.0], seed=settings.runs(N_SEEDS))
    return settings.records("calibrate_robust", cases)


STEPS = {
    "calibration_maps": partial(measure_sets, task="compare_maps"),
    "calibration_online": measure_online,
    "calibration_robust": measure_robust,
    "calibration_sets": partial(measure_sets, task="calibrate"),
    "calibration_streams": measure_streams,
}
