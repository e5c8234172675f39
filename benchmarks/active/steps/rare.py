"""Rare classes (chapters 4 and 5 of the thesis): active selection, VIRTUAL and other methods.

``rare_sets``: the sets that are no text; ``rare_reuters``: the ten largest categories;
``rare_wide``: three of them with other parameters; ``rare_authors``: money-fx on the matrix of
the authors, ``rare_readings``: other readings of VIRTUAL there;
``rare_waveform``: fewer and fewer positive samples.
"""

from ...bench import harness
from ..rare_readings import READINGS
from ..rare_sets import MONEY_FX, REUTERS, WAVEFORM, WIDE
from ..rare_tasks import RIVALS

SETS = ["rare_breast", "rare_abalone", "rare_satimage", "rare_letter", "rare_usps"]
TEXT = [f"rare_{topic}" for topic in sorted(REUTERS)]
# As many as the graphs of chapter 4 and Figure 5.2 are averages of.
N_RUNS = 10
# Of text one run only, because the split is the same for all: these take most of the time.
ONCE = ["batch", "active_all", "virtual_all"]


def _measure(settings, step, workload, seed, rivals, task="learn_rare"):
    """A record for each method."""
    asked = dict(workload=workload, seed=seed)
    record = settings.call(task, rivals=rivals, **asked)
    harness.say(step, record, **asked)
    found = record.pop("rivals", {})
    return [{**asked, "rival": rival, **record, **found.get(rival, {})} for rival in rivals]


def measure_sets(settings):
    """All methods, on several splits."""
    records = []
    for seed in range(1 if settings.quick else N_RUNS):
        for workload in SETS:
            records += _measure(settings, "rare_sets", workload, seed, list(RIVALS))
    return {"records": records}


def measure_reuters(settings):
    """All methods on the published split."""
    records = []
    for seed in range(1 if settings.quick else N_RUNS):
        rivals = [rival for rival in RIVALS if seed == 0 or rival not in ONCE]
        for workload in TEXT:
            records += _measure(settings, "rare_reuters", workload, seed, rivals)
    return {"records": records}


def measure_wide(settings):
    """What Table 5.3 compares."""
    records = []
    for seed in range(settings.seeds):
        for workload in WIDE:
            rivals = ["active", "batch", "smote", "virtual"]
            records += _measure(settings, "rare_wide", workload, seed, rivals)
    return {"records": records}


N_READINGS_RUNS = 5


def measure_authors(settings):
    """All methods on money-fx as the authors have published it."""
    records = []
    for seed in range(1 if settings.quick else N_RUNS):
        rivals = [rival for rival in RIVALS if seed == 0 or rival not in ONCE]
        records += _measure(settings, "rare_authors", MONEY_FX, seed, rivals)
    return {"records": records}


def measure_readings(settings):
    """Ways in which the thesis might have made its virtual samples."""
    records = []
    for seed in range(1 if settings.quick else N_READINGS_RUNS):
        asked = "rare_readings", MONEY_FX, seed, list(READINGS)
        records += _measure(settings, *asked, task="read_virtual")
    return {"records": records}


def measure_waveform(settings):
    """All methods while positive samples become rarer."""
    records = []
    for seed in range(1 if settings.quick else N_RUNS):
        for workload in WAVEFORM:
            records += _measure(settings, "rare_waveform", workload, seed, list(RIVALS))
    return {"records": records}


STEPS = {
    "rare_sets": measure_sets,
    "rare_reuters": measure_reuters,
    "rare_wide": measure_wide,
    "rare_authors": measure_authors,
    "rare_readings": measure_readings,
    "rare_waveform": measure_waveform,
}
