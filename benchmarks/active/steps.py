"""What is measured of sample selection.

``pool_loops``: querying and training in turns, as different libraries do it.

Section 3.3 of the thesis: ``selection_adult`` (Figures 3.8 and 3.9), ``selection_noise``
(3.10 to 3.12), ``selection_noise_epoch`` (up to all samples, with the optimum),
``selection_pools`` (small pools and full search, 3.13) and ``selection_warm`` (retraining).

``stopping_criteria``: early stopping, on the sets of chapter 4 and others.

Section 3.4: ``pairs_curves``, pairs of author records (Figures 3.14 and 3.15, Table 3.5).
"""

from ..bench.harness import grid
from .models import LOOPS
from .stopping import GROUPS

QUICK_BUDGETS = [100, 300]
QUICK_N_LABELS = 20

# Names in `svc.workloads`; how many labels are queried, and after how many a curve has a point.
WORKLOADS = ["banana", "usps", "reuters"]
N_LABELS, EVERY = 300, 20
# Seconds for a loop, and loops that are measured for one seed only: they take minutes.
LIMIT = 400
ONCE = {("reuters", "refit_all"), ("reuters", "scikit_activeml")}


def measure_loops(settings):
    """All loops on the same pools; they take turns, seed after seed."""
    n_labels = QUICK_N_LABELS if settings.quick else N_LABELS
    cases = [
        asked
        for asked in grid(seed=range(settings.seeds), workload=WORKLOADS, loop=LOOPS)
        if asked["seed"] == 0 or (asked["workload"], asked["loop"]) not in ONCE
    ]
    fixed = dict(n_labels=n_labels, every=EVERY, limit=LIMIT)
    return {"n_labels": n_labels} | settings.records("learn_from_pool", cases, **fixed)


def variant(budgets, **options):
    """Parameters of ActiveLASVC, and after how many labels it is scored (None: all)."""
    return {"options": options, "budgets": budgets}


def measure_curves(settings, variants, cases, models=()):
    """Records of models fitted on all samples, then of all variants, case after case.

    The variants are measured in one process.
    """
    if settings.quick:
        variants = [v | {"budgets": QUICK_BUDGETS[: len(v["budgets"])]} for v in variants]
    records = []
    for asked in cases:
        records += [settings.record("learn_all", dict(model=m, **asked)) for m in models]
        record = settings.record("learn_chosen", asked, variants=variants)
        records += [record | curve for curve in record.pop("curves", [{}])]
    return {"records": records}


SELECTIONS = ["random", "gradient", "active", "autoactive"]
ADULT_BUDGETS = [500, 1000, 2000, 3000, 4000, 6000, 8000, 12000]
# Splits; the thesis has 65.
N_SPLITS = 10


def measure_adult(settings):
    """Curves of all selections, random up to all samples, and the optimum."""
    variants = [
        variant(ADULT_BUDGETS + [None] * (selection == "random"), selection=selection)
        for selection in SELECTIONS
    ]
    cases = grid(workload=["adult_dense"], new_split=[True], seed=settings.runs(N_SPLITS))
    return measure_curves(settings, variants, cases, ["sklearnex"])


NOISE_SET = "mnist_signed_8"
NOISE_BUDGETS = [500, 1000, 2000, 4000]
NOISE_VARIANTS = [
    variant(NOISE_BUDGETS, selection="random"),
    # It takes long once labels are wrong.
    variant(NOISE_BUDGETS[:3], selection="gradient"),
    variant(NOISE_BUDGETS, selection="active"),
    variant(NOISE_BUDGETS, selection="active", C=1.0),
]


def measure_noise(settings):
    """Curves on MNIST with wrong labels, which test samples do not have."""
    cases = grid(seed=settings.runs(5), workload=[NOISE_SET], noise=[0.0, 0.05, 0.1])
    return measure_curves(settings, NOISE_VARIANTS, cases)


# In a process each: the last ones take minutes.
EPOCH_FITS = [("active", 8000), *(("random", n) for n in (8000, 16_000, 32_000, None))]
EPOCH_OPTIONS = dict(cache_size=8000, limit=540)


def measure_noise_epoch(settings):
    """A pass in random order over more and more samples, selected samples, and the optimum; one
    order of the samples.
    """
    records = []
    for noise in [0.0] if settings.quick else [0.0, 0.1]:
        asked = dict(workload=NOISE_SET, noise=noise, seed=0, **EPOCH_OPTIONS)
        for selection, n_labels in EPOCH_FITS:
            variants = [variant([n_labels], selection=selection)]
            records += measure_curves(settings, variants, [asked])["records"]
        records.append(settings.record("learn_all", dict(model="sklearnex", **asked)))
    return {"records": records}


POOL_SETS = ["usps", "reuters"]
POOL_BUDGETS = [20, 50, 100, 200, 500]


def measure_pools(settings):
    """LASVC with small pools and full search, compared with random samples."""
    variants = [
        variant(POOL_BUDGETS, selection="random"),
        variant(POOL_BUDGETS, selection="active", pool_size=50),
        variant(POOL_BUDGETS, selection="active", pool_size="all"),
    ]
    cases = grid(seed=settings.runs(N_SPLITS), workload=POOL_SETS, new_split=[True])
    return measure_curves(settings, variants, cases)


def measure_warm(settings):
    """Retraining after each label, as in the thesis."""
    budgets = QUICK_BUDGETS[:1] if settings.quick else POOL_BUDGETS
    cases = grid(seed=settings.runs(N_SPLITS), workload=POOL_SETS, pool_size=(50, "all"))
    found = settings.records("retrain", cases, budgets=budgets, new_split=True)["records"]
    return {"records": [{"selection": "warm", **record} for record in found]}


def measure_pairs(settings):
    """Error on pairs of records of each name, of each generated set of records."""
    records = []
    for seed in settings.runs(5):
        record = settings.record("curves_of_pairs", dict(seed=seed))
        records += [record | part for part in record.pop("curves", [{}])]
    return {"records": records}


def measure_stopping(settings):
    """Training until each criterion is met, group after group."""
    records = []
    for group, (n_runs, works) in GROUPS.items():
        names = [work.name for work in works]
        cases = grid(workload=names, seed=settings.runs(n_runs))
        found = settings.records("stop_early", cases, limit=LIMIT)["records"]
        records += [{"group": group, **record} for record in found]
    return {"records": records}


STEPS = {
    "pool_loops": measure_loops,
    "pairs_curves": measure_pairs,
    "stopping_criteria": measure_stopping,
    "selection_pools": measure_pools,
    "selection_warm": measure_warm,
    "selection_adult": measure_adult,
    "selection_noise": measure_noise,
    "selection_noise_epoch": measure_noise_epoch,
}
