"""LASVC with sample selection (sections 3.3 and 4.2 of the thesis).

``selection_adult``: the four selections (Figures 3.8 and 3.9); ``selection_adult_peers``: models
fitted on all samples, and the stopping rules; ``selection_boosting``: boosting at equal time;
``selection_noise``: label noise (Figures 3.10 to 3.12), ``selection_noise_epoch``: up to all
samples, with the optimum; ``selection_pools``: small pools and full search (Figures 3.13 and 4.3);
``selection_warm``: retraining from the solution before; ``selection_cold``: retraining from
nothing; ``selection_search``: small pools and full search on more and more samples;
``selection_stops``: the stopping rules on several sets.
"""

from ...bench.harness import grid

SELECTIONS = ["random", "gradient", "active", "autoactive"]
QUICK_BUDGETS = [100, 300]


def variant(budgets, **options):
    """Parameters of LASVC, and after how many labels the model is evaluated."""
    return {"options": options, "budgets": budgets}


def measure_curves(settings, variants, **asked):
    """Records of all variants, measured in one process."""
    if settings.quick:
        variants = [v | {"budgets": QUICK_BUDGETS[: len(v["budgets"])]} for v in variants]
    record = settings.record("learn_chosen", asked, variants=variants)
    return [record | curve for curve in record.pop("curves", [{}])]


def measure_runs(settings, variants, cases, models=()):
    """Records of models fitted on all samples, then of all variants, case after case."""
    records = []
    for asked in cases:
        records += [settings.record("learn_all", dict(model=m, **asked)) for m in models]
        records += measure_curves(settings, variants, **asked)
    return {"records": records}


# ---------------------------------------------------------------------------
# Adult
# ---------------------------------------------------------------------------

ADULT = dict(workload="adult_dense", new_split=True)
# None: all samples, with random selection only.
ADULT_BUDGETS = [500, 1000, 2000, 3000, 4000, 6000, 8000, 12000]
# Splits, of which the thesis has 65; of what takes minutes; of boosting.
N_SPLITS, N_SPLITS_PEERS, N_SPLITS_BOOSTING = 10, 2, 3
# The budget that is compared with the peers: an eighth of the samples.
ADULT_LABELS = 4000
PEERS = ["svc", "sklearnex", "nystroem_sgd", "hist_gradient_boosting"]
RULES = [
    variant([None], selection=selection, stopping=stopping)
    for selection in ("active", "autoactive")
    for stopping in ("margin", "n_support")
]


def measure_adult(settings):
    """Curves of all selections, and the optimum over all samples, by the faster solver."""
    variants = [
        variant(ADULT_BUDGETS + [None] * (selection == "random"), selection=selection)
        for selection in SELECTIONS
    ]
    cases = [dict(ADULT, seed=seed) for seed in settings.runs(N_SPLITS)]
    return measure_runs(settings, variants, cases, ["sklearnex"])


def measure_adult_peers(settings):
    """Models fitted on all samples, a budget, and the rules of stopping."""
    variants = [variant([ADULT_LABELS], selection="autoactive"), *RULES]
    cases = [dict(ADULT, seed=seed) for seed in settings.runs(N_SPLITS_PEERS)]
    return measure_runs(settings, variants, cases, PEERS)


# Iterations of boosting, which takes its time from them.
ITERATIONS = [10, 20, 40, 100]


def measure_boosting(settings):
    """The budget compared with boosting with several numbers of iterations."""
    records = []
    for seed in settings.runs(N_SPLITS_BOOSTING):
        asked = dict(ADULT, seed=seed)
        variants = [variant([ADULT_LABELS], selection="autoactive")]
        records += measure_curves(settings, variants, **asked)
        for n in ITERATIONS:
            asked |= dict(model="hist_gradient_boosting", options={"max_iter": n})
            records.append(settings.record("learn_all", asked))
    return {"records": records}


# ---------------------------------------------------------------------------
# Wrong labels
# ---------------------------------------------------------------------------

NOISE_SET = "mnist_signed_8"
SHARES = [0.0, 0.05, 0.1]
NOISE_BUDGETS = [500, 1000, 2000, 4000]
# Parameters of LASVC, and how many of the budgets: gradient takes long once labels are wrong.
NOISE_VARIANTS = [
    ({"selection": "random"}, 4),
    ({"selection": "gradient"}, 3),
    ({"selection": "active"}, 4),
    ({"selection": "active", "C": 1.0}, 4),
]
N_NOISE_SEEDS = 5


def measure_noise(settings):
    """Curves on MNIST with wrong labels, which test samples do not have."""
    variants = [
        variant(NOISE_BUDGETS[:n_budgets], **options) for options, n_budgets in NOISE_VARIANTS
    ]
    seeds = settings.runs(N_NOISE_SEEDS)
    return measure_runs(settings, variants, grid(seed=seeds, workload=[NOISE_SET], noise=SHARES))


# Samples of a pass (None: all of them), in a process each: the last ones take minutes.
EPOCH_SHARES = [0.0, 0.1]
EPOCH_BUDGETS = [8000, 16_000, 32_000, None]
EPOCH_CACHE, EPOCH_LIMIT = 8000, 540


def measure_noise_epoch(settings):
    """A pass in random order over more and more samples, selected samples, and the optimum; one
    order of the samples.
    """
    records = []
    fits = [("active", 8000), *(("random", n) for n in EPOCH_BUDGETS)]
    for noise in EPOCH_SHARES[:1] if settings.quick else EPOCH_SHARES:
        asked = dict(
            workload=NOISE_SET, noise=noise, seed=0, cache_size=EPOCH_CACHE, limit=EPOCH_LIMIT
        )
        for selection, n_labels in fits:
            variants = [variant([n_labels], selection=selection)]
            records += measure_curves(settings, variants, **asked)
        records.append(settings.record("learn_all", dict(model="sklearnex", **asked)))
    return {"records": records}


# ---------------------------------------------------------------------------
# Small pools, full search, retraining
# ---------------------------------------------------------------------------

POOL_SETS = ["usps", "reuters"]
POOL_BUDGETS = [20, 50, 100, 200, 500]
N_POOL_SPLITS = 10
# Splits for which SVC is refitted from nothing, which takes minutes.
N_COLD_SPLITS = 3


def measure_pools(settings):
    """LASVC with small pools and full search, compared with random samples."""
    variants = [
        variant(POOL_BUDGETS, selection="random"),
        variant(POOL_BUDGETS, selection="active", pool_size=50),
        variant(POOL_BUDGETS, selection="active", pool_size="all"),
    ]
    cases = grid(seed=settings.runs(N_POOL_SPLITS), workload=POOL_SETS, new_split=[True])
    return measure_runs(settings, variants, cases)


def _measure_retraining(settings, selection, cases):
    budgets = QUICK_BUDGETS[:1] if settings.quick else POOL_BUDGETS
    found = settings.records("retrain", cases, budgets=budgets, new_split=True)["records"]
    return {"records": [{"selection": selection, **record} for record in found]}


def measure_cold(settings):
    """SVC refitted for each label: it has no warm start."""
    cases = grid(seed=settings.runs(N_COLD_SPLITS), workload=POOL_SETS, pool_size=[50])
    return _measure_retraining(settings, "retrain", cases)


def measure_warm(settings):
    """Retraining with a warm start, as in the thesis: all labels for all splits."""
    seeds = settings.runs(N_POOL_SPLITS)
    cases = grid(seed=seeds, workload=POOL_SETS, pool_size=(50, "all"), warm=[True])
    return _measure_retraining(settings, "warm", cases)


SEARCH_SET, SEARCH_ROWS, SEARCH_BUDGET = "clusters_10_2", [2000, 4000, 8000, 16_000], 300


def measure_search(settings):
    """Small pools and full search on more and more samples."""
    variants = [variant([SEARCH_BUDGET], selection="active", pool_size=n) for n in (50, "all")]
    cases = grid(seed=range(settings.seeds), workload=[SEARCH_SET], n_train=SEARCH_ROWS)
    return measure_runs(settings, variants, cases)


# ---------------------------------------------------------------------------
# Where the rules of stopping stop
# ---------------------------------------------------------------------------

# The thesis stops at the first sample outside the margin.
FIRST = [
    variant([None], selection=selection, stopping="margin", stopping_window=1)
    for selection in ("active", "autoactive")
]
STOP_SETS = ["banana", "waveform", "usps", "usps_noise", "reuters", "covtype_3v4"]


def measure_stops(settings):
    """Samples used by each rule, compared with SVC and LASVC over all samples."""
    cases = grid(seed=range(settings.seeds), workload=STOP_SETS)
    return measure_runs(settings, RULES + FIRST, cases, ("svc", "lasvc"))


STEPS = {
    "selection_pools": measure_pools,
    "selection_warm": measure_warm,
    "selection_cold": measure_cold,
    "selection_search": measure_search,
    "selection_stops": measure_stops,
    "selection_adult": measure_adult,
    "selection_adult_peers": measure_adult_peers,
    "selection_boosting": measure_boosting,
    "selection_noise": measure_noise,
    "selection_noise_epoch": measure_noise_epoch,
}
