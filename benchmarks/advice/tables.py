"""Tables of `advice`: test errors in per cent."""

from functools import partial

from ..bench.rst import pivot
from ..bench.summary import stored_records
from .sets import SETS
from .steps import KINDS, REFINED, WEIGHTS

# The default, which tables and figures of the kinds have.
WEIGHT = 0.001
SHOWN = (0, 20, 100, 500)


def curve_of(work, kind, results, weight=WEIGHT, refine=False):
    """Errors by samples used; empty without results."""
    weight = 0.0 if kind == "none" else weight
    records = stored_records(f"advice_{work}", results).ok()
    found = records.where(advice=kind, weight=weight, refine=refine).records
    return dict(zip(found[0]["rows"], found[0]["errors"])) if found else {}


def _at(curve, n):
    return f"{100 * curve[n]:.2f}"


def kinds(work, results):
    """Test errors by advice."""
    curves = {kind: curve_of(work, kind, results) for kind in KINDS}
    columns = [("advice", str)]
    columns += [(f"{n}", lambda kind, n=n: _at(curves[kind], n)) for n in SHOWN]
    title = f"{SETS[work].title}: test error (%) by training samples"
    return pivot([kind for kind in KINDS if curves[kind]], columns, title)


def weights(work, results):
    """Test errors of good and of wrong advice by its weight, after all samples."""
    cases = [(weight, False) for weight in WEIGHTS] + [(REFINED, True)]

    def cell(kind, case):
        return _at(curve_of(work, kind, results, *case), SHOWN[-1])

    columns = [("weight", lambda case: f"{case[0]:g}{', refined' * case[1]}")]
    columns += [(kind, partial(cell, kind)) for kind in ("good", "wrong")]
    title = f"{SETS[work].title}: test error (%) after {SHOWN[-1]} samples"
    return pivot(cases if curve_of(work, "good", results) else [], columns, title)


TABLES = {f"advice_{work}": partial(kinds, work) for work in SETS}
TABLES |= {f"advice_{work}_weights": partial(weights, work) for work in SETS}
