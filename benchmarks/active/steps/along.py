"""Rare classes: models against the number of samples used (figures of chapters 4 and 5).

``along_reuters``: the ten largest categories (Figures 4.8, 4.9 and 5.5), ``along_sets``: sets that
are no text (4.9, 5.6), ``along_waveform``: fewer and fewer positive samples (4.5, 5.2 to 5.4),
``along_adult``: the same of Adult (4.6), ``along_folds``: cross-validation (4.4),
``along_pools``: small pools and full search (3.13, 4.3); for the tables ``along_mnist``: MNIST-8,
and ``along_rings``: Abalone with nine features; ``rare_roc``: ROC curves (4.7), ``rare_within``:
samples within the margin (4.2).
"""

from ...bench.harness import grid
from ..rare_sets import ADULT, FOLDS, MNIST, REUTERS, RINGS, WAVEFORM
from .rare import SETS, TEXT

QUICK_BUDGETS = [100, 300]


def variant(rival, budgets):
    """A method, and the numbers of samples after which it is evaluated; None: all."""
    return {"rival": rival, "budgets": budgets}


def measure_along(settings, workload, seed, variants):
    """A record for each method, measured in one process."""
    if settings.quick:
        variants = [variant(v["rival"], QUICK_BUDGETS) for v in variants]
    record = settings.record(
        "learn_rare_along", dict(workload=workload, seed=seed), variants=variants
    )
    curves = record.pop("rivals", {})
    rivals = [v["rival"] for v in variants]
    return [{**record, "rival": r, "points": curves.get(r, [])} for r in rivals]


def measure_runs(settings, workloads, n_runs, variants):
    """All sets, run after run."""
    records = []
    for seed in settings.runs(n_runs):
        for workload in workloads:
            records += measure_along(settings, workload, seed, variants)
    return {"records": records}


# Under-sampling needs the ratio of active's support vectors: after it.
RIVALS = ["one_pass", "active_all", "under_sampling", "smote", "costs", "virtual_all"]
TEXT_BUDGETS = [100, 200, 400, 700, 1000, 1500, 2000, 3000, None]
# Runs of text, where only the order of the samples changes; of the other sets.
N_TEXT_RUNS, N_RUNS = 2, 5


def measure_reuters(settings):
    """All methods on the ten categories."""
    variants = [variant(rival, TEXT_BUDGETS) for rival in RIVALS]
    return measure_runs(settings, TEXT, N_TEXT_RUNS, variants)


SET_BUDGETS = [20, 40, 60, 100, 150, 200, 300, 400, 700, 1000, 2000, 4000, 8000, None]


def measure_sets(settings):
    """All methods on the sets that are no text."""
    variants = [variant(rival, SET_BUDGETS) for rival in RIVALS]
    return measure_runs(settings, SETS, N_RUNS, variants)


WAVEFORM_BUDGETS = [50, 100, 150, 200, 300, 400, 500, 700, 1000, 1400, 2000, None]
# As many as Figure 5.2 is an average of.
N_WAVEFORM_RUNS = 10


def measure_waveform(settings):
    """One pass, active and VIRTUAL while positive samples become rarer."""
    variants = [variant(r, WAVEFORM_BUDGETS) for r in ("one_pass", "active_all", "virtual_all")]
    return measure_runs(settings, WAVEFORM, N_WAVEFORM_RUNS, variants)


ADULT_BUDGETS = [100, 200, 400, 700, 1000, 1500, 2000, 3000, 4500, 7000, 12000, None]
N_ADULT_RUNS = 3


def measure_adult(settings):
    """One pass and active while positive samples become rarer."""
    variants = [variant(rival, ADULT_BUDGETS) for rival in ("one_pass", "active_all")]
    return measure_runs(settings, ADULT, N_ADULT_RUNS, variants)


FOLD_BUDGETS = [100, 200, 300, 500, 700, 1000, 1300, 1600, 2000, 2500, 3500, None]


def measure_folds(settings):
    """Active selection on two thirds of the training samples, scored on the third."""
    variants = [variant("active_all", FOLD_BUDGETS)]
    return measure_runs(settings, FOLDS, 1, variants)


POOL_SETS = ["rare_grain", "rare_ship", "rare_money-fx", "rare_usps"]
POOL_BUDGETS = [50, 100, 200, 400, 700]
N_POOL_RUNS = 2


def measure_pools(settings):
    """Samples at random, small pools and full search."""
    variants = [
        variant("one_pass", [*POOL_BUDGETS, 1500, 3000, None]),
        variant("active_all", [*POOL_BUDGETS, 1500, 3000]),
        variant("active_full", POOL_BUDGETS),
    ]
    return measure_runs(settings, POOL_SETS, N_POOL_RUNS, variants)


# The thesis stops active selection after 11.7 % of the samples; SVC takes minutes: one run.
MNIST_BUDGETS = [500, 1000, 2000, 4000, 7000]
N_MNIST_RUNS = 2


def measure_mnist(settings):
    """MNIST-8, which has 60 000 samples."""
    variants = [
        variant("one_pass", [*MNIST_BUDGETS, None]),
        variant("active_all", MNIST_BUDGETS),
        variant("under_sampling", [None]),
        variant("smote", [None]),
        variant("costs", [None]),
    ]
    records = measure_runs(settings, [MNIST], N_MNIST_RUNS, variants)["records"]
    records += measure_along(settings, MNIST, 0, [variant("batch", [None])])
    return {"records": records}


# The thesis stops active selection after 24 % of the samples.
RINGS_BUDGET = 902


def measure_rings(settings):
    """Abalone with the rings among its features."""
    whole = ["batch", "active_all", "under_sampling", "smote", "costs", "virtual_all"]
    budgets = {"active_all": [RINGS_BUDGET], "virtual_all": [RINGS_BUDGET]}
    variants = [variant(rival, budgets.get(rival, [None])) for rival in whole]
    return measure_runs(settings, [RINGS], N_RUNS, variants)


# Samples after which active's number of support vectors has converged; it does not on Adult
# (None), where the number is chosen by PRBEP on folds of the training samples.
ROC_SETS = {"rare_interest": 2700, "rare_adult_3": None, "rare_satimage": 2000}
CHOICES = [500, 1000, 2000, 3000, 4500, 7000, 12000]


def measure_roc(settings):
    """Active, and samples in random order: as many of them, and all."""
    records = []
    for workload, n in ROC_SETS.items():
        asked = dict(workload=workload, seed=0)
        choice = {}
        if n is None:
            tried = variant("active_all", QUICK_BUDGETS if settings.quick else CHOICES)
            choice = settings.call("best_budget", variants=[tried], **asked)
            n = choice.get("budget", QUICK_BUDGETS[0])
        n = QUICK_BUDGETS[0] if settings.quick else n
        rivals = [("active_all", n), ("one_pass", n), ("one_pass", None)]
        variants = [variant(rival, [budget]) for rival, budget in rivals]
        records.append(choice | settings.record("roc_of", asked, variants=variants))
    return {"records": records}


def measure_within(settings):
    """Samples within the margin of a fitted model, on all sets."""
    topics = [f"rare_{topic}" for topic in sorted(REUTERS)]
    sets = [*topics, *SETS, MNIST, *ADULT, *WAVEFORM]
    return settings.records("rows_within", grid(workload=sets, seed=[0]))


STEPS = {
    "rare_within": measure_within,
    "rare_roc": measure_roc,
    "along_sets": measure_sets,
    "along_waveform": measure_waveform,
    "along_folds": measure_folds,
    "along_adult": measure_adult,
    "along_pools": measure_pools,
    "along_reuters": measure_reuters,
    "along_mnist": measure_mnist,
    "along_rings": measure_rings,
}
