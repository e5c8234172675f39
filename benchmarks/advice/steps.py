"""Learning curves with advice and without.

``advice_pima``: diabetes, with rules from guidelines; ``advice_plane``: a noisy plane.
"""

from functools import partial

from ..bench import harness

KINDS = ["none", "good", "partial", "wrong"]
WEIGHTS = [0.0, 0.001, 0.01, 0.1, 1.0]
# One that is heavy enough for refined advice to differ.
REFINED = 0.01


def measure(work, settings):
    cases = [("none", 0.0, False)]
    cases += [(kind, weight, False) for kind in KINDS[1:] for weight in WEIGHTS]
    cases += [(kind, REFINED, True) for kind in KINDS[1:]]
    records = []
    for kind, weight, refine in cases:
        asked = {"work": work, "advice": kind, "weight": weight, "refine": refine}
        record = settings.call("advice_curve", **asked)
        harness.say(f"advice_{work}", record, **asked)
        records.append({**asked, **record})
    return {"records": records}


STEPS = {f"advice_{work}": partial(measure, work) for work in ("pima", "plane")}
