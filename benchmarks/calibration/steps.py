"""Probabilities: log-loss and time.

``calibration_sets``: each set with two values of C and several splits; ``calibration_streams``:
streams whose labels become noisy, with a sliding window; ``calibration_online``: online models.
"""

from ..bench import harness
from .sets import SETS

N_SEEDS = 3
CS = [1.0, 10.0]
STREAMS = ["adult", "magic04", "mnist_8"]
DRIFTS = ["gradual", "abrupt"]
ONLINE_SETS = ["adult", "w8a", "magic04", "mnist_8", "letter", "satimage"]
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


STEPS = {
    "calibration_online": measure_online,
    "calibration_sets": measure_sets,
    "calibration_streams": measure_streams,
}
