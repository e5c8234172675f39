"""Learning curves with advice and without.

``advice_pima``: diabetes, with rules from guidelines; ``advice_plane``: a noisy plane.
"""

from functools import partial

from ..bench.harness import grid
from .sets import SETS

KINDS = ["none", "good", "partial", "wrong"]
WEIGHTS = [0.0, 0.001, 0.01, 0.1, 1.0]
# One that is heavy enough for refined advice to differ.
REFINED = 0.01


def measure(work, settings):
    cases = grid(work=[work], advice=["none"], weight=[0.0], refine=[False])
    cases += grid(work=[work], advice=KINDS[1:], weight=WEIGHTS, refine=[False])
    cases += grid(work=[work], advice=KINDS[1:], weight=[REFINED], refine=[True])
    return settings.records("advice_curve", cases)


STEPS = {f"advice_{work}": partial(measure, work) for work in SETS}
