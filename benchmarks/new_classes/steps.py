"""Classes that come late in a stream.

``new_classes``: errors on the letters, five of which come late, along the stream that follows,
of models that the classes are added to and of models that know them from the start.
"""

from ..bench.harness import grid
from .tasks import MODELS


def measure_new_classes(settings):
    return settings.records("late_letters", grid(model=MODELS, seed=range(settings.seeds)))


STEPS = {"new_classes": measure_new_classes}
