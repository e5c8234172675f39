"""Novelty detection: models on 20 000 samples, a large set, and drifting streams."""

from ..bench.harness import grid
from .tasks import MODELS

LARGE, STREAM = 278_000, 1_000_000


def models(settings):
    """Measure every model; ours also on the large set."""
    asked = [dict(model=name, n_train=20_000) for name in MODELS]
    asked += [dict(model=name, n_train=LARGE) for name in ("lasvm", "forest")]
    return settings.records("detect", asked)


def streams(settings):
    """Measure streams with a budget and with a window."""
    return settings.records("detect_in_stream", grid(model=("budget", "window"), n_train=[STREAM]))


STEPS = {"novelty_models": models, "novelty_streams": streams}
