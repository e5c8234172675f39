"""Classes that come late in a stream.

``new_classes``: errors on the letters, five of which come late, along the stream that follows,
of models that the classes are added to and of models that know them from the start.
"""

from ..bench import harness
from .tasks import MODELS


def measure_new_classes(settings):
    records = []
    for model in MODELS:
        for seed in range(settings.seeds):
            asked = dict(model=model, seed=seed)
            record = settings.call("late_letters", **asked)
            harness.say("new_classes", record, **asked)
            records.append({**asked, **record})
    return {"records": records}


STEPS = {"new_classes": measure_new_classes}
