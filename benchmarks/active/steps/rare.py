"""Rare classes (chapters 4 and 5 of the thesis): active selection, VIRTUAL and other methods.

``rare_sets``: the sets that are no text; ``rare_reuters``: the ten largest categories;
``rare_wide``: three of them with other parameters; ``rare_authors``: money-fx on the matrix of
the authors, ``rare_readings``: other readings of VIRTUAL there;
``rare_waveform``: fewer and fewer positive samples.
"""

from ..rare_readings import READINGS
from ..rare_sets import MONEY_FX, REUTERS, WAVEFORM, WIDE
from ..rare_tasks import RIVALS

SETS = ["rare_breast", "rare_abalone", "rare_satimage", "rare_letter", "rare_usps"]
TEXT = [f"rare_{topic}" for topic in sorted(REUTERS)]
# As many as the graphs of chapter 4 and Figure 5.2 are averages of.
N_RUNS = 10
# Of text one run only, because the split is the same for all: these take most of the time.
ONCE = ["batch", "active_all", "virtual_all"]


def _runs(settings, workloads, seeds, rivals, once=(), task="learn_rare"):
    """A record for each method on all sets, run after run; some methods in the first only."""
    records = []
    for seed in seeds:
        here = [rival for rival in rivals if seed == 0 or rival not in once]
        for workload in workloads:
            record = settings.record(task, dict(workload=workload, seed=seed), rivals=here)
            found = record.pop("rivals", {})
            records += [{"rival": rival, **record, **found.get(rival, {})} for rival in here]
    return {"records": records}


def measure_sets(settings):
    """All methods, on several splits."""
    return _runs(settings, SETS, settings.runs(N_RUNS), RIVALS)


def measure_reuters(settings):
    """All methods on the published split."""
    return _runs(settings, TEXT, settings.runs(N_RUNS), RIVALS, ONCE)


def measure_wide(settings):
    """What Table 5.3 compares."""
    rivals = ["active", "batch", "smote", "virtual"]
    return _runs(settings, WIDE, range(settings.seeds), rivals)


N_READINGS_RUNS = 5


def measure_authors(settings):
    """All methods on money-fx as the authors have published it."""
    return _runs(settings, [MONEY_FX], settings.runs(N_RUNS), RIVALS, ONCE)


def measure_readings(settings):
    """Ways in which the thesis might have made its virtual samples."""
    seeds = settings.runs(N_READINGS_RUNS)
    return _runs(settings, [MONEY_FX], seeds, READINGS, task="read_virtual")


def measure_waveform(settings):
    """All methods while positive samples become rarer."""
    return _runs(settings, WAVEFORM, settings.runs(N_RUNS), RIVALS)


STEPS = {
    "rare_sets": measure_sets,
    "rare_reuters": measure_reuters,
    "rare_wide": measure_wide,
    "rare_authors": measure_authors,
    "rare_readings": measure_readings,
    "rare_waveform": measure_waveform,
}
