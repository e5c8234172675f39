"""Label noise and the algorithms of chapter 6 of the thesis: LASVM-G, -NC, -I and FULL SVM.

``robust_*``: all of them compared with SVC; ``chapter_6_*``: the runs behind Tables 6.1, 6.3, 6.4
and the curves of the figures, ``single_steps_*``: the same with REPROCESS as it is printed;
``memory_traffic``, ``ramp_s`` (Figure 6.5), ``label_noise``.
"""

from functools import partial
from itertools import product

from ..bench import harness
from ..svc import models
from ..svc.workloads import CHAPTER_6, ROBUST

CACHE_SIZE = 1000


# ---------------------------------------------------------------------------
# robust_*: all algorithms compared with SVC
# ---------------------------------------------------------------------------

# One seed for models shown for comparison only.
ONCE = {"lasvm-full", "ramp", "ramp_0"}
# Seeds of what takes minutes; 0: left out (FULL SVM on MNIST is in the tables of chapter 6).
SEEDS = {
    ("adult_dense", "svc"): 2,
    ("mnist_8_c100", "svc"): 1,
    ("mnist_8_c100", "lasvm-full"): 0,
    ("mnist_8_c100", "ramp"): 0,
    ("mnist_8_c100", "ramp_0"): 0,
}


def measure_robust(workload, settings):
    """Measure all columns for all seeds; the columns alternate, so that a slow period of the
    machine affects all of them.
    """
    records = []
    for seed in range(settings.seeds):
        for column in models.ROBUST_COLUMNS.values():
            n_seeds = 1 if column.key in ONCE else settings.seeds
            if seed >= SEEDS.get((workload, column.key), n_seeds):
                continue
            record = settings.call(
                "fit_and_predict",
                workload=workload,
                model=column.model,
                options=column.options,
                seed=seed,
                cache_size=CACHE_SIZE,
                # SVC is in the tables of chapter 6, too; it is the same in all orders.
                scores=column.key == "svc" and seed == 0,
            )
            harness.say(f"robust_{workload}", record, seed=seed, column=column.key)
            records.append({"column": column.key, "seed": seed, **record})
    return {"workload": workload, "cache_size": CACHE_SIZE, "records": records}


def measure_memory_traffic(settings):
    """What reading kernel rows costs LASVM-G on Adult, if they come from memory."""
    asked = dict(workload="adult_dense", cache_size=CACHE_SIZE)
    options = {"algorithm": "lasvm-g"}
    return asked | settings.records("memory_traffic", [{}], options=options, **asked)


# ---------------------------------------------------------------------------
# chapter_6_*, ramp_s: the thesis
# ---------------------------------------------------------------------------

N_RUNS, N_RUNS_LARGE = 10, 5
LARGE = {"adult_dense", "mnist_8_c100"}
# Runs of what takes minutes.
RUNS = {("adult_dense", "lasvm-full"): 2, ("mnist_8_c100", "lasvm-full"): 1}
# Runs that give a curve; the median is drawn.
CURVES, CURVES_LARGE = 3, 1

RAMP_S = [-2, -1.5, -1, -0.75, -0.5, -0.25, 0, 0.25, 0.5]
RAMP_S_MNIST = [-2, -1, -0.5, 0, 0.5]


def measure_chapter_6(workload, settings):
    """Runs of each algorithm over the same samples in other orders, without finishing."""
    records = []
    many = N_RUNS_LARGE if workload in LARGE else N_RUNS
    for algorithm in models.ALGORITHMS:
        n_runs = 2 if settings.quick else RUNS.get((workload, algorithm), many)
        record = settings.call(
            "learn_in_chunks",
            workload=workload,
            options={"algorithm": algorithm},
            orders=list(range(n_runs)),
            n_curves=CURVES_LARGE if workload in LARGE else CURVES,
            cache_size=CACHE_SIZE,
        )
        harness.say(f"chapter_6_{workload}", record, algorithm=algorithm, runs=n_runs)
        records.append({"algorithm": algorithm, **record})
    return {"workload": workload, "cache_size": CACHE_SIZE, "records": records}


# Steps on single vectors can take long where kernel values are alike.
SINGLE_LIMIT = 900


def measure_single_steps(workload, settings):
    """Chapter 6 as printed, over the same orders; FULL SVM on the small sets only."""
    records = []
    many = N_RUNS_LARGE if workload in LARGE else N_RUNS
    n_runs = 2 if settings.quick else many
    for algorithm in models.ALGORITHMS:
        if algorithm == "lasvm" or (algorithm == "lasvm-full" and workload in LARGE):
            continue
        record = settings.call(
            "learn_in_chunks",
            workload=workload,
            model="lasvc_single_steps",
            options={"algorithm": algorithm},
            orders=list(range(n_runs)),
            cache_size=CACHE_SIZE,
            limit=SINGLE_LIMIT,
        )
        harness.say(f"single_steps_{workload}", record, algorithm=algorithm, runs=n_runs)
        records.append({"algorithm": algorithm, **record})
    return {"workload": workload, "cache_size": CACHE_SIZE, "records": records}


def measure_ramp_s(settings):
    """Figure 6.5: where the ramp begins."""
    records = []
    for workload in CHAPTER_6:
        coarse = settings.quick or workload == "mnist_8_c100"
        record = settings.record(
            "ramp_sweep",
            dict(workload=workload),
            values=RAMP_S_MNIST if coarse else RAMP_S,
            orders=[0] if workload in LARGE else [0, 1, 2],
            cache_size=CACHE_SIZE,
        )
        records.append(record)
    return {"cache_size": CACHE_SIZE, "records": records}


# ---------------------------------------------------------------------------
# label_noise
# ---------------------------------------------------------------------------

SHARES = [0, 0.05, 0.1, 0.2, 0.3]
# Share of wrong labels at which `suspect_labels` is evaluated.
SUSPECT_SHARE = 0.1
# The batch solver of the ramp loss takes most of the time: once.
NOISE_COLUMNS = ["svc", "lasvm-nc", "lasvm-i", "ramp", "ramp_0"]
# Of Adult only the first (shuffled) samples.
NOISE = [
    ("usps_c1", None, SHARES, False),
    ("usps_c1", None, SHARES, True),
    ("usps_c10", None, SHARES, False),
    ("usps_c10", None, SHARES, True),
    ("adult_dense", 10000, [SUSPECT_SHARE], False),
]


def measure_label_noise(settings):
    """Error against the share of wrong labels, and how many of them are found."""
    records = []
    for seed in range(settings.seeds):
        for workload, n_train, shares, one_sided in NOISE:
            asked = dict(workload=workload, n_train=n_train, one_sided=one_sided, seed=seed)
            record = settings.record(
                "noise_sweep",
                asked,
                values=[0, SUSPECT_SHARE] if settings.quick else shares,
                suspect_share=SUSPECT_SHARE,
                columns=[name for name in NOISE_COLUMNS if seed == 0 or name not in ONCE],
                cache_size=CACHE_SIZE,
            )
            records.append(record)
    return {"cache_size": CACHE_SIZE, "records": records}


# ---------------------------------------------------------------------------
# noise_kinds
# ---------------------------------------------------------------------------

NOISE_KINDS = ("flipped", "overlapping")
NOISE_FEATURES = (8, 20, 50)
NOISE_C = (1, 10, 100)
NOISE_ALGORITHMS = ("lasvm", "lasvm-nc", "lasvm-i")


def measure_noise_kinds(settings):
    """Compare the hinge and the ramp loss with flipped labels and with overlapping classes."""
    records = []
    for seed in range(settings.seeds):
        for kind, n_features, C in product(NOISE_KINDS, NOISE_FEATURES, NOISE_C):
            options = dict(kind=kind, n_features=n_features, C=C)
            record = settings.call(
                "noise_kinds",
                options=options,
                values=NOISE_ALGORITHMS,
                seed=seed,
                cache_size=CACHE_SIZE,
            )
            harness.say("noise_kinds", record, seed=seed, **options)
            records.append({**options, "seed": seed, **record})
    return {"cache_size": CACHE_SIZE, "records": records}


STEPS = {
    **{f"robust_{name}": partial(measure_robust, name) for name in ROBUST},
    "memory_traffic": measure_memory_traffic,
    **{f"chapter_6_{name}": partial(measure_chapter_6, name) for name in CHAPTER_6},
    **{f"single_steps_{name}": partial(measure_single_steps, name) for name in CHAPTER_6},
    "ramp_s": measure_ramp_s,
    "label_noise": measure_label_noise,
    "noise_kinds": measure_noise_kinds,
}
