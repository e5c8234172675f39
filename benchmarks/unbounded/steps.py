"""Models of constant size on streams.

``unbounded_sets``: accuracy on data sets and generated samples; ``unbounded_gradual``,
``unbounded_abrupt``, ``unbounded_recurring``: a million samples with concept drift.
"""

from functools import partial

from ..bench.harness import grid
from ..sets.streams import DRIFTS, STREAMS
from .models import DRIFT_MODELS, MODELS

N_SEEDS = 5


def measure_sets(settings):
    cases = grid(stream=list(STREAMS)[:: 6 if settings.quick else 1], model=MODELS)
    return settings.records("learn_stream", cases, seeds=list(settings.runs(N_SEEDS)))


def measure_drift(stream, settings):
    return settings.records("follow_drift", grid(stream=[stream], model=DRIFT_MODELS))


STEPS = {"unbounded_sets": measure_sets}
STEPS |= {f"unbounded_{stream}": partial(measure_drift, stream) for stream in DRIFTS}
