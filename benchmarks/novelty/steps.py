"""Novelty detection: models on 20 000 samples, a large set, and drifting streams."""

from ..bench import harness
from .tasks import MODELS

LARGE, STREAM = 278_000, 1_000_000


def _call(step, settings, task, **asked):
    record = settings.call(task, **asked)
    harness.say(step, record, **asked)
    return {**asked, **record}


def models(settings):
    """Measure every model; ours also on the large set."""
    asked = [dict(model=name, n_train=20_000) for name in MODELS]
    asked += [dict(model=name, n_train=LARGE) for name in ("lasvm", "forest")]
    return {"records": [_call("novelty_models", settings, "detect", **a) for a in asked]}


def streams(settings):
    """Measure streams with a budget and with a window."""
    return {
        "records": [
            _call("novelty_streams", settings, "detect_in_stream", model=name, n_train=STREAM)
            for name in ("budget", "window")
        ]
    }


STEPS = {"novelty_models": models, "novelty_streams": streams}
