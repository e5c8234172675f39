"""Learning curves with advice and without.

``advice_pima``: diabetes, with rules from guidelines; ``advice_plane``: a noisy plane.
"""

from functools import partial

KINDS = ["none", "good", "partial", "wrong"]
WEIGHTS = [0.0, 0.001, 0.01, 0.1, 1.0]
# One that is heavy enough for refined advice to differ.
REFINED = 0.01


def measure(work, settings):
    cases = [("none", 0.0, False)]
    cases += [(kind, weight, False) for kind in KINDS[1:] for weight in WEIGHTS]
    cases += [(kind, REFINED, True) for kind in KINDS[1:]]
    names = ("advice", "weight", "refine")
    asked = [{"work": work, **dict(zip(names, case))} for case in cases]
    return settings.records("advice_curve", asked)


STEPS = {f"advice_{work}": partial(measure, work) for work in ("pima", "plane")}
