"""Probabilities: log-loss and time.

``calibration_sets``: each set with two values of C and several splits; ``calibration_streams``:
streams whose labels become noisy, with a sliding window; ``calibration_online``: online models;
``calibration_maps``: maps fitted to the same values; ``calibration_robust``: with the ramp loss.
"""

from ..bench import harness
from .sets import SETS

N_SEEDS = 3
CS = [1.0, 10.0]
STREAMS = ["adult", "magic04", "mnist_8"]
DRIFTS = ["gradual", "abrupt"]
ONLINE_SETS = ["adult", "w8a", "magic04", "mnist_8", "letter", "satimage"]
ROBUST_SETS = ["adult", "magic04", "spambase", "banana_20"]
ROBUST = ["lasvm-nc", "lasvm-i"]
ONLINE_MODELS = ["arow", "pa", "perceptron", "sgd"]


def measure_sets(settings):
    records = []
    for name in SETS:
        for C in CS:
            for seed in range(1 if settings.quick else N_SEEDS):
                asked = dict(set=name, C=C, seed=seed)
                record = settings.call("calibrate", **asked)
                harness.say("calibration_sets", record, **asked)
                records.append({**asked, **record})
    return {"records": records}


def measure_streams(settings):
    records = []
    for name in STREAMS:
        for drift in DRIFTS:
            for seed in range(1 if settings.quick else N_SEEDS):
                asked = dict(set=name, drift=drift, seed=seed)
                record = settings.call("follow", **asked)
                harness.say("calibration_streams", record, **asked)
                records.append({**asked, **record})
    return {"records": records}


def measure_online(settings):
    records = []
    for name in ONLINE_SETS:
        for model in ONLINE_MODELS:
            for seed in range(1 if settings.quick else N_SEEDS):
                asked = dict(set=name, model=model, seed=seed)
                record = settings.call("calibrate_online", **asked)
                harness.say("calibration_online", record, **asked)
                records.append({**asked, **record})
    return {"records": records}


def measure_maps(settings):
    records = []
    for name in SETS:
        for C in CS:
            for seed in range(1 if settings.quick else N_SEEDS):
                asked = dict(set=name, C=C, seed=seed)
                record = settings.call("compare_maps", **asked)
                harness.say("calibration_maps", record, **asked)
                records.append({**asked, **record})
    return {"records": records}


def measure_robust(settings):
    records = []
    for name in ROBUST_SETS:
        for algorithm in ROBUST:
            for seed in range(1 if settings.quick else N_SEEDS):
                asked = dict(set=name, algorithm=algorithm, C=1.0, seed=seed)
                record = settings.call("calibrate_robust", **asked)
                harness.say("calibration_robust", record, **asked)
                records.append({**asked, **record})
    return {"records": records}


STEPS = {
    "calibration_maps": measure_maps,
    "calibration_online": measure_online,
    "calibration_robust": measure_robust,
    "calibration_sets": measure_sets,
    "calibration_streams": measure_streams,
}
