"""Models of constant size on streams.

``unbounded_100``, ``unbounded_500``, ``unbounded_2000``: accuracy on stationary streams, by the
number of support vectors or components; ``unbounded_parameters``: how much the value of a
parameter matters; ``unbounded_gradual``, ``unbounded_abrupt``, ``unbounded_recurring``: a million
samples with concept drift.
"""

from functools import partial

import numpy as np

from ..bench import harness
from .models import DRIFT_MODELS, MODELS, RANGES
from .streams import DRIFTS, FEW, STREAMS

N_SEEDS, N_SLOW_SEEDS = 5, 2
SIZES = [100, 500, 2000]
# The size with the models that have none, and that of the parameters.
SIZE = 500


def _learn(settings, stream, model, size, n_seeds, choices):
    asked = {"stream": stream, "model": model, "size": size}
    record = settings.record(
        "learn_stream", asked, seeds=list(range(n_seeds)), choices=list(choices)
    )
    if "runs" in record:
        by_choice = {}
        for run in record["runs"]:
            by_choice.setdefault(str(run["choice"]), []).append(run)
        for choice, runs in by_choice.items():
            mean, time = (
                np.mean([run[name] for run in runs]) for name in ("mean", "sample_microseconds")
            )
            print(f"  {choice}: accuracy {mean:.2%}, {time:.3g} µs a sample", flush=True)
    return record


def measure_size(size, settings):
    """Few streams for the largest size, of two classes: each class has its own covariance."""
    streams = FEW if size == max(SIZES) else list(STREAMS)
    records = []
    for stream in streams[::6] if settings.quick else streams:
        for name, model in MODELS.items():
            if not model.sized and size != SIZE:
                continue
            n_seeds = N_SLOW_SEEDS if model.slow else N_SEEDS
            if settings.quick or size == max(SIZES):
                n_seeds = 1
            records.append(_learn(settings, stream, name, size, n_seeds, model.choices))
    return {"records": records}


def measure_parameters(settings):
    n_seeds = 1 if settings.quick else N_SLOW_SEEDS
    records = [
        _learn(settings, stream, name, SIZE, n_seeds, choices)
        for stream in list(STREAMS)[:: 6 if settings.quick else 1]
        for name, choices in RANGES.items()
    ]
    return {"records": records}


def measure_drift(stream, settings):
    return settings.records("follow_drift", harness.grid(stream=[stream], model=DRIFT_MODELS))


STEPS = {f"unbounded_{size}": partial(measure_size, size) for size in SIZES}
STEPS["unbounded_parameters"] = measure_parameters
STEPS |= {f"unbounded_{stream}": partial(measure_drift, stream) for stream in DRIFTS}
