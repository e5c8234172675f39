"""What is measured of imbalanced classes.

Tables 4.3 to 5.3: ``rare_sets`` (data sets other than text), ``rare_reuters`` (the ten largest
categories), ``rare_printed`` (three of them with other parameters), ``along_mnist`` (MNIST-8);
``rare_positions``: where the points of VIRTUAL lie.
Figures: ``rare_within`` (4.2), ``along_pools`` (4.3), ``along_folds`` (4.4), ``along_waveform``
(4.5, 5.2 to 5.4), ``along_adult`` (4.6), ``rare_roc`` (4.7), ``along_reuters`` (4.8, 4.9, 5.5) and
``along_sets`` (4.9, 5.6). ``imbalance_methods``: the table of the guide.
"""

from ..bench.harness import grid
from .sets import ADULT, FOLDS, GENERAL, MNIST, PRINTED_TEXT, TEXT, WAVEFORM

QUICK_BUDGETS = [100, 300]
# As many as Figures 4.9 and 5.2 are averages of.
N_RUNS = 10


def measure(settings, workloads, n_runs, budgets, once=()):
    """A record for each method and set, run after run; some methods in the first run only.

    `budgets` maps each method to the numbers of samples after which it is scored; None: all.
    """
    records = []
    for asked in grid(seed=settings.runs(n_runs), workload=workloads):
        variants = [
            (rival, QUICK_BUDGETS if settings.quick and numbers != [None] else numbers)
            for rival, numbers in budgets.items()
            if asked["seed"] == 0 or rival not in once
        ]
        record = settings.record("learn_rare", asked, variants=variants)
        curves = record.pop("rivals", {})
        records += [{**record, "rival": r, "points": curves.get(r, [])} for r, _ in variants]
    return {"records": records}


# Under-sampling needs the ratio of active's support vectors: after it.
RIVALS = ["active", "batch", "under_sampling", "smote", "costs", "virtual"]
# Where the points of VIRTUAL lie, and no points but twice the C of the minority.
POSITIONS = ["virtual_all", "virtual_nearby", "virtual_ends", "twice"]


def measure_table(settings, workloads, once=(), rivals=RIVALS):
    """All methods of the tables with all samples."""
    found = measure(settings, workloads, N_RUNS, dict.fromkeys(rivals, [None]), once)
    for record in found["records"]:
        record.update(*record.pop("points"))
    return found


# The thesis stops active selection after 11.7 % of the samples; SVC takes minutes: one run.
MNIST_BUDGETS = {
    "active_all": [7000], "under_sampling": [None], "smote": [None], "costs": [None],
    "batch": [None],
}  # fmt: skip

ALL = ["one_pass", "active_all", "under_sampling", "smote", "costs", "virtual_all"]
VIRTUAL = ["one_pass", "active_all", "virtual_all"]
TEXT_BUDGETS = [100, 200, 400, 700, 1000, 1500, 2000, 3000, None]
SET_BUDGETS = [20, 40, 60, 100, 150, 200, 300, 400, 700, 1000, 2000, 4000, 8000, None]
WAVEFORM_BUDGETS = [50, 100, 150, 200, 300, 400, 500, 700, 1000, 1400, 2000, None]
ADULT_BUDGETS = [100, 200, 400, 700, 1000, 1500, 2000, 3000, 4500, 7000, 12000, None]
FOLD_BUDGETS = [100, 200, 300, 500, 700, 1000, 1300, 1600, 2000, 2500, 3500, None]
POOL_SETS = ["rare_grain", "rare_ship", "rare_money-fx", "rare_usps"]
POOL_BUDGETS = [50, 100, 200, 400, 700]
POOLS = {
    "one_pass": [*POOL_BUDGETS, 1500, 3000, None],
    "active_all": [*POOL_BUDGETS, 1500, 3000],
    "active_full": POOL_BUDGETS,
}


def curves(workloads, n_runs, rivals, budgets):
    """A step with the same budgets for several methods."""
    return lambda settings: measure(settings, workloads, n_runs, dict.fromkeys(rivals, budgets))


# Samples of active selection.
ROC_SETS = {"rare_interest": 2700, "rare_adult_3": 7000, "rare_satimage": 2000}


def measure_roc(settings):
    """Active, and samples in random order: as many of them, and all."""
    records = []
    for asked in grid(seed=settings.runs(N_RUNS), workload=ROC_SETS):
        n = QUICK_BUDGETS[0] if settings.quick else ROC_SETS[asked["workload"]]
        variants = [("active_all", [n]), ("one_pass", [n]), ("one_pass", [None])]
        records.append(settings.record("roc_of", asked, variants=variants))
    return {"records": records}


def measure_within(settings):
    """Samples within the margin of a fitted model, on all sets."""
    sets = [*TEXT, *GENERAL, MNIST, *ADULT, *WAVEFORM]
    return settings.records("samples_within", grid(workload=sets, seed=[0]))


STEPS = {
    "imbalance_methods": lambda settings: settings.records(
        "compare_imbalance", grid(seed=settings.runs(10))
    ),
    "rare_sets": lambda settings: measure_table(settings, GENERAL),
    # The split is the same in all runs, so that batch is, too.
    "rare_reuters": lambda settings: measure_table(settings, TEXT, ["batch"]),
    "rare_printed": lambda settings: measure_table(settings, PRINTED_TEXT, ["batch"]),
    "rare_positions": lambda settings: measure_table(settings, TEXT, rivals=POSITIONS),
    "rare_within": measure_within,
    "rare_roc": measure_roc,
    "along_sets": curves(GENERAL, N_RUNS, ALL, SET_BUDGETS),
    "along_waveform": curves(WAVEFORM, N_RUNS, VIRTUAL, WAVEFORM_BUDGETS),
    "along_folds": curves(FOLDS, 1, ["active_all"], FOLD_BUDGETS),
    "along_adult": curves(ADULT, 3, ["one_pass", "active_all"], ADULT_BUDGETS),
    "along_pools": lambda settings: measure(settings, POOL_SETS, 3, POOLS),
    "along_reuters": curves(TEXT, N_RUNS, ALL, TEXT_BUDGETS),
    "along_mnist": lambda settings: measure(settings, [MNIST], 2, MNIST_BUDGETS, ["batch"]),
}
