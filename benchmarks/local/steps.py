"""Local online learning compared with others, on the sets of ``SETS``: ``local_banana``, ...

Each model chooses its C (and others) on 3000 training samples, then makes one pass over
all of them in several orders. ``local_speed``: time of a sample, by features and prototypes.
"""

from functools import partial

import numpy as np

from ..bench import harness
from .models import MODELS
from .sets import SETS

ORDERS = [0, 1, 2]
# Features, prototypes.
SPEED = [(100, 10), (100, 20), (100, 80), (10, 10), (1000, 10)]


def measure_set(name, settings):
    record = settings.call(
        "learn_streams",
        set=name,
        models=list(MODELS),
        orders=ORDERS[:1] if settings.quick else ORDERS,
    )
    harness.say(f"local_{name}", record)
    for model, found in record.get("models", {}).items():
        error, time = np.mean(found["errors"]), np.median(found["learn_microseconds"])
        print(
            f"  {model}, {found['choice']}: error {error:.2%}, {time:.3g} µs a sample", flush=True
        )
    return {"set": name, "records": [record]}


def measure_speed(settings):
    cases = [dict(n_features=features, n_prototypes=prototypes) for features, prototypes in SPEED]
    return settings.records("local_speed", cases)


STEPS = {
    **{f"local_{name}": partial(measure_set, name) for name in SETS},
    "local_speed": measure_speed,
}
