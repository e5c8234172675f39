"""Label noise and the algorithms of chapter 6 of the thesis: LASVM-G, -NC, -I and FULL SVM.

``robust_*``: all of them compared with SVC; ``chapter_6_*``: the runs behind Tables 6.1, 6.3, 6.4
and the curves of the figures, and other values of the constants; ``ramp_s`` (Figure 6.5),
``label_noise``, ``noise_kinds``, ``suspect_methods``.
"""

from functools import partial
from itertools import product

from ..bench.harness import grid
from ..sets.workloads import CHAPTER_6
from ..svc import models
from .suspects import KINDS, SETS

CACHE_SIZE = 1000

TRADE_OFF = ["adult_dense", "usps_noise"]
# One seed for models shown for comparison only.
ONCE = {"lasvm-full", "ramp", "ramp_0"}
# Seeds of what takes minutes.
SEEDS = {("adult_dense", "svc"): 2, ("mnist_8_c100", "svc"): 1}


def measure_robust(workload, settings):
    """The columns alternate, so that a slow period of the machine affects all of them."""
    cases = []
    for seed in range(settings.seeds):
        for column in models.ROBUST_COLUMNS.values():
            n_seeds = 1 if column.key in ONCE else settings.seeds
            shown = column.key == "svc" or workload in TRADE_OFF
            if shown and seed < SEEDS.get((workload, column.key), n_seeds):
                fields = dict(model=column.model, options=column.options, seed=seed)
                # SVC is in the tables of chapter 6, too; it is the same in all orders.
                fields["scores"] = column.key == "svc" and seed == 0
                cases.append((dict(column=column.key, seed=seed), fields))
    fixed = dict(workload=workload, cache_size=CACHE_SIZE)
    return settings.labelled("fit_and_predict", cases, **fixed)


N_RUNS = 10
# A run with its curve takes five minutes.
FEWER_RUNS = {("mnist_8_c100", "lasvm-full"): 3}


def _orders(settings):
    """The orders of the samples in which the runs of chapter 6 differ."""
    return list(range(2 if settings.quick else N_RUNS))


def measure_chapter_6(workload, settings):
    """Runs of each algorithm over the same samples in other orders, without finishing."""
    cases = [
        (
            dict(algorithm=algorithm),
            dict(
                options={"algorithm": algorithm},
                orders=_orders(settings)[: FEWER_RUNS.get((workload, algorithm))],
            ),
        )
        for algorithm in models.ALGORITHMS
    ]
    fixed = dict(workload=workload, cache_size=CACHE_SIZE)
    return settings.labelled("learn_in_chunks", cases, **fixed)


# Fields of `GapDrivenSpec` other than those of the package, by title.
ONE_COORDINATE = "one coordinate"
SINGLE_STEPS = {"single_steps": 10**9}
CONSTANTS = {
    "default": {},
    ONE_COORDINATE: SINGLE_STEPS,
    "CLEAN every 100": {"clean_interval": 100},
    "CLEAN every 1000": {"clean_interval": 1000},
    "m = 0": {"max_non_sv": 0},
    "m = 1000": {"max_non_sv": 1000},
}
# Those of the algorithms with a ramp only.
CONSTANTS_OF_RAMP = {
    "S = 0": {"ramp_start": 0},
    "S = 50": {"ramp_start": 50},
    "S = 200": {"ramp_start": 200},
    "S = 500": {"ramp_start": 500},
    f"S = 0, {ONE_COORDINATE}": {"ramp_start": 0} | SINGLE_STEPS,
    f"S = 0, {ONE_COORDINATE}, m = 0": {"ramp_start": 0, "max_non_sv": 0} | SINGLE_STEPS,
}
CONSTANTS_ALGORITHMS = ("lasvm-g", "lasvm-nc", "lasvm-i")
CONSTANTS_SETS = ("banana_c10", "reuters_wide", "usps_noise_c1", "usps_noise")
# On large sets only what depends on their size: steps with a large C, and the first samples.
CONSTANTS_LARGE = {
    **{("adult_dense", name): ("default", ONE_COORDINATE) for name in CONSTANTS_ALGORITHMS},
    ("mnist_8_c100", "lasvm-i"): ("default", "S = 0"),
}


def measure_chapter_6_constants(settings):
    """Other values of the constants that the thesis does not state, or has otherwise."""
    every = CONSTANTS | CONSTANTS_OF_RAMP
    measured = {
        (workload, algorithm): CONSTANTS if algorithm == "lasvm-g" else every
        for workload, algorithm in product(CONSTANTS_SETS, CONSTANTS_ALGORITHMS)
    }
    cases = []
    for (workload, algorithm), titles in (measured | CONSTANTS_LARGE).items():
        labels = dict(workload=workload, algorithm=algorithm)
        values = [(title, every[title]) for title in titles]
        fields = dict(workload=workload, options={"algorithm": algorithm}, values=values)
        cases.append((labels, fields))
    fixed = dict(orders=_orders(settings), cache_size=CACHE_SIZE)
    return settings.labelled("other_constants", cases, **fixed)


RAMP_S = [-2, -1.5, -1, -0.75, -0.5, -0.25, 0, 0.25, 0.5]


def measure_ramp_s(settings):
    """Figure 6.5: where the ramp begins."""
    cases = [(dict(workload=name), dict(workload=name)) for name in CHAPTER_6]
    fixed = dict(values=RAMP_S, orders=_orders(settings), cache_size=CACHE_SIZE)
    return settings.labelled("ramp_sweep", cases, **fixed)


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
    cases = []
    for seed, (workload, n_train, shares, one_sided) in product(range(settings.seeds), NOISE):
        labels = dict(workload=workload, n_train=n_train, one_sided=one_sided, seed=seed)
        values = [0, SUSPECT_SHARE] if settings.quick else shares
        columns = [name for name in NOISE_COLUMNS if seed == 0 or name not in ONCE]
        cases.append((labels, labels | dict(values=values, columns=columns)))
    fixed = dict(suspect_share=SUSPECT_SHARE, cache_size=CACHE_SIZE)
    return settings.labelled("noise_sweep", cases, **fixed)


NOISE_KINDS = {"flipped": "20 % of the labels flipped", "overlapping": "overlapping classes"}
NOISE_FEATURES = (8, 20, 50)
NOISE_C = (1, 10, 100)
NOISE_ALGORITHMS = ("lasvm", "lasvm-nc", "lasvm-i")


def measure_noise_kinds(settings):
    """Compare the hinge and the ramp loss with flipped labels and with overlapping classes."""
    cases = [
        (options | {"seed": seed}, dict(options=options, seed=seed))
        for seed in range(settings.seeds)
        for options in grid(kind=NOISE_KINDS, n_features=NOISE_FEATURES, C=NOISE_C)
    ]
    fixed = dict(values=NOISE_ALGORITHMS, cache_size=CACHE_SIZE)
    return settings.labelled("noise_kinds", cases, **fixed)


SUSPECT_SHARES = (0.05, 0.15, 0.3)
SUSPECT_C = (1, 10)


def measure_suspect_methods(settings):
    """Ways to rank training samples by how wrong their labels look."""
    cases = [
        (options, dict(options=options))
        for options in grid(set=SETS, kind=KINDS, share=SUSPECT_SHARES, C=SUSPECT_C)
    ]
    return settings.labelled("suspect_methods", cases[:1] if settings.quick else cases)


STEPS = {
    **{f"robust_{name}": partial(measure_robust, name) for name in CHAPTER_6},
    **{f"chapter_6_{name}": partial(measure_chapter_6, name) for name in CHAPTER_6},
    "chapter_6_constants": measure_chapter_6_constants,
    "ramp_s": measure_ramp_s,
    "label_noise": measure_label_noise,
    "noise_kinds": measure_noise_kinds,
    "suspect_methods": measure_suspect_methods,
}
