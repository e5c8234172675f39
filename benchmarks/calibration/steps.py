"""Probabilities: log-loss and time.

``calibration_sets``: each set with two values of C and several splits; ``calibration_streams``:
streams whose labels become noisy, with a sliding window.
"""

from ..bench.harness import grid
from ..sets.calibration import SETS

N_SEEDS = 3
CS = [1.0, 10.0]
STREAMS = ["adult", "magic04", "mnist_8"]
DRIFTS = ["gradual", "abrupt"]


def measure_sets(settings):
    return settings.records("calibrate", grid(set=SETS, C=CS, seed=settings.runs(N_SEEDS)))


def measure_streams(settings):
    return settings.records("follow", grid(set=STREAMS, drift=DRIFTS, seed=settings.runs(N_SEEDS)))


STEPS = {"calibration_sets": measure_sets, "calibration_streams": measure_streams}
