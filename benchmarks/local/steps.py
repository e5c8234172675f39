"""Local online learning compared with others, on the sets of ``SETS``: ``local_banana``, ...

Each model chooses its C (and others) on 3000 training samples, then makes one pass over
all of them in several orders. ``local_speed``: time of a sample, by features and prototypes.
``unbounded_banana``, ...: kernel models of a fixed size, for unbounded streams.
"""

from functools import partial

import numpy as np

from ..bench import harness
from .models import FIXED, MODELS
from .sets import SETS

ORDERS = [0, 1, 2]
# Of `unbounded_*`: models of a fixed size, linear and local ones, and LASVC without a limit.
UNBOUNDED = [name for name, model in MODELS.items() if model.family == FIXED]
UNBOUNDED += ["lasvc_500", "arow", "lol", "lasvc"]
# Features, prototypes.
SPEED = [(100, 10), (100, 20), (100, 80), (10, 10), (1000, 10)]


def _available():
    """All models but those of `unbounded`."""
    return [name for name, model in MODELS.items() if model.family != FIXED]


def measure_set(name, study, settings):
    record = settings.call(
        "learn_streams",
        set=name,
        models=UNBOUNDED if study == "unbounded" else _available(),
        orders=ORDERS[:1] if settings.quick else ORDERS,
    )
    harness.say(f"{study}_{name}", record)
    for model, found in record.get("models", {}).items():
        error, time = np.mean(found["errors"]), np.median(found["learn_microseconds"])
        print(
            f"  {model}, {found['choice']}: error {error:.2%}, {time:.3g} µs a sample", flush=True
        )
    return {"set": name, "records": [record]}


def measure_speed(settings):
    records = []
    for n_features, n_prototypes in SPEED:
        asked = dict(n_features=n_features, n_prototypes=n_prototypes)
        record = settings.call("local_speed", **asked)
        harness.say("local_speed", record, **asked)
        records.append({**asked, **record})
    return {"records": records}


STEPS = {
    **{f"local_{name}": partial(measure_set, name, "local") for name in SETS},
    **{f"unbounded_{name}": partial(measure_set, name, "unbounded") for name in SETS},
    "local_speed": measure_speed,
}
