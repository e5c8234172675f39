"""Tables of `advice`."""

from functools import partial

from ..bench.rst import list_table, percent
from ..bench.summary import stored_records
from .sets import SETS
from .steps import KINDS, REFINED, WEIGHTS

# The default, which tables and figures of the kinds have.
WEIGHT = 0.001
SHOWN = (0, 5, 20, 100, 500)


def stored_curves(work, results):
    """Records of a set; empty without results."""
    return stored_records(f"advice_{work}", results).ok()


def curve_of(records, kind, weight=WEIGHT, refine=False):
    """Errors by samples used, and their labels; {} where they are missing."""
    weight = 0.0 if kind == "none" else weight
    found = records.where(advice=kind, weight=weight, refine=refine).records
    return dict(zip(found[0]["rows"], found[0]["errors"])) if found else {}


def _row(title, curve):
    return [title, *(percent(curve[n]) for n in SHOWN)]


def kinds(work, results):
    """Test errors by advice."""
    records = stored_curves(work, results)
    if not records:
        return None
    rows = [_row(kind, curve_of(records, kind)) for kind in KINDS]
    header = ["advice", "0 samples", *(f"{n} samples" for n in SHOWN[1:])]
    return list_table(header, rows)


def weights(results):
    """Test errors of good and of wrong advice by its weight."""
    rows = []
    for work, about in SETS.items():
        records = stored_curves(work, results)
        for kind in ("good", "wrong") if records else ():
            for weight in WEIGHTS:
                title = f"{about.title}, {kind}, {weight:g}"
                rows.append(_row(title, curve_of(records, kind, weight)))
                if weight == REFINED:
                    curve = curve_of(records, kind, weight, refine=True)
                    rows.append(_row(f"{title}, ``refine=True``", curve))
    header = ["set, advice, ``advice_weight``", "0 samples", *(f"{n} samples" for n in SHOWN[1:])]
    return list_table(header, rows)


TABLES = {f"advice_{work}": partial(kinds, work) for work in SETS} | {"advice_weights": weights}
