"""What is measured: for most steps a list of cases, pairs of labels and fields of the job."""

import tempfile
from functools import partial
from pathlib import Path

import numpy as np

from ..sets.workloads import (
    CLUSTER_CLASSES,
    CLUSTER_FEATURES,
    COMPARED,
    SEVERAL,
    TABLE_3_2,
    TEXT_CLASSES,
    WORKLOADS,
    clusters_name,
    text_name,
)
from . import models, text_models

# MB, for LASVC and SVC.
CACHE_SIZE = 1000

# What takes minutes is fitted for one seed.
ONCE = {("mnist_8", "hgb")} | {
    ("mnist_ten", column) for column in ("svc", "hgb", "sklearnex_1", "sklearnex_2")
}
ONCE |= {(name, "svc") for name in SEVERAL}


def measure_comparison(workload, settings):
    """All columns alternate, so that a slow period of the machine affects all of them."""
    cases = [
        (
            dict(column=column.key, seed=seed),
            dict(
                workload=workload,
                model=column.model,
                threads=column.threads,
                dense=column.dense_only,
                limit=settings.limit if column.limited else None,
            ),
        )
        for seed in range(settings.seeds)
        for column in models.COLUMNS
        if _is_fitted(workload, column, seed)
    ]
    return settings.labelled("fit_and_predict", cases, cache_size=CACHE_SIZE)


def _is_fitted(workload, column, seed):
    # Trees have no use for 8000 words, and one of the two rows of Adult is enough for a peer
    # that gets the same arrays in both.
    needless = column.dense_only and workload in ("reuters", "adult_csr")
    other = workload in SEVERAL and column.model not in models.NAMES
    repeated = seed > 0 and (column.once or (workload, column.key) in ONCE)
    return not (needless or other or repeated)


SIZES = [2000, 4000, 8000, 16000, 32000]
QUICK_SIZES = [400, 800, 1500]
# LASVC once more on all samples with caches that are too small: does memory keep its bound?
SMALL_CACHES = [50, 200]


def measure_scaling(settings):
    """Fit time and memory against the number of samples, on Adult."""
    sizes = QUICK_SIZES if settings.quick else SIZES
    cases = [
        dict(model=model, seed=seed, n_train=n_train, cache_size=CACHE_SIZE)
        for n_train in sizes
        for seed in range(settings.seeds)
        for model in ("lasvc", "sklearnex", "svc")
        # The last sizes of SVC are most of the time of this step.
        if model != "svc" or seed == 0 or n_train <= 8000
    ]
    cases += [
        dict(model="lasvc", seed=0, n_train=sizes[-1], cache_size=size) for size in SMALL_CACHES
    ]
    return settings.records("fit_and_predict", cases, workload="adult_csr")


def measure_classes(settings):
    """Time against the number of classes, on as many generated samples for each number."""
    cases = [
        (dict(classes=n_classes, model=model), dict(workload=text_name(n_classes), model=model))
        for n_classes in (TEXT_CLASSES[:2] if settings.quick else TEXT_CLASSES)
        for model in ("lasvc", "svc", "sklearnex")
    ]
    return settings.labelled("fit_and_predict", cases, cache_size=CACHE_SIZE, limit=400)


def measure_how_long(settings):
    """Time of an epoch by samples, features, classes and threads: clusters that overlap."""
    cases = [
        (
            dict(classes=n_classes, features=n_features, threads=threads),
            dict(workload=clusters_name(n_features, n_classes), n_train=n_train, threads=threads),
        )
        for n_classes in CLUSTER_CLASSES
        for n_features in CLUSTER_FEATURES
        for n_train in ([400, 800] if settings.quick else [2000, 4000, 16_000])
        for threads in (1, 2)
    ]
    return settings.labelled("fit_and_predict", cases, cache_size=500, options=models.ONE_PASS)


# An easy digit and a hard one.
CACHE_DIGITS = [1, 8]
CACHE_SIZES = {"lasvc": [8, 32, 128, 256, 512, 1024], "svc": [8, 64, 1024]}
# SVC would take too long on all samples with 8 MB.
CACHE_SAMPLES = {"lasvc": [20_000, 60_000], "svc": [20_000]}


def measure_cache_size(settings):
    """Figure 3.6 of the thesis, which averages the ten digits over all samples."""
    cases = [
        (
            dict(digit=digit, model=model, n_train=n_train, cache_size=size),
            dict(workload=f"mnist_digit_{digit}", model=model, n_train=n_train, cache_size=size),
        )
        for digit in CACHE_DIGITS
        for model, sizes in CACHE_SIZES.items()
        for n_train in CACHE_SAMPLES[model]
        for size in sizes
        if not settings.quick or (digit == 1 and size in (8, 1024) and n_train == 20_000)
    ]
    return settings.labelled("fit_and_predict", cases, limit=150, options=models.ONE_PASS)


# SVC is deterministic but for ties; on the large sets one seed is enough.
SVC_ONCE = {"adult_csr", "covtype_3v4", "covtype_first20k"}


def measure_tables(settings):
    """Tables 3.2 and 3.3: LASVC before and after finishing, compared with SVC."""
    records = []
    for name in TABLE_3_2:
        cache_size = WORKLOADS[name].thesis_cache
        for seed in range(settings.seeds):
            asked = dict(workload=name, seed=seed, cache_size=cache_size)
            lasvc = settings.record("before_and_after_finishing", asked)
            records.append({"model": "lasvc", **lasvc})
            if seed == 0 or name not in SVC_ONCE:
                records.append(settings.record("fit_and_predict", asked | {"model": "svc"}))
    return {"records": records}


MNIST_WAYS = {
    "x1": dict(options=models.ONE_PASS),
    "x2": dict(options=models.TWO_PASSES),
    "exact": dict(options={"max_iter": -1}),
    "svc": dict(model="svc"),
}
QUICK_DIGITS = [1, 8]


def measure_mnist(prefix, ways, settings):
    """Section 3.2.2: ten binary tasks; one pass, two, and passes until nothing changes; SVC.

    The prefix "mnist_signed" has the pixels in [-1, 1], as the thesis may have had them.
    """
    digits = QUICK_DIGITS if settings.quick else range(10)
    records, multiclass = [], {}
    with tempfile.TemporaryDirectory() as folder:
        for way in ways:
            files = {digit: str(Path(folder) / f"{way}_{digit}.npy") for digit in digits}
            cases = [
                (
                    dict(digit=digit, way=way),
                    dict(workload=f"{prefix}_{digit}", decisions=file, **MNIST_WAYS[way]),
                )
                for digit, file in files.items()
            ]
            records += settings.labelled("fit_and_predict", cases, cache_size=256)["records"]
            multiclass[way] = _multiclass_error(files, settings)
    return {"records": records, "multiclass_error": multiclass}


def _multiclass_error(files, settings):
    """One against the rest: the digit with the largest decision value."""
    if not all(Path(file).exists() for file in files.values()):
        return None
    digits = np.array(list(files))
    decisions = np.column_stack([np.load(file) for file in files.values()])
    y_test = WORKLOADS["mnist_ten"].load(0, settings.quick).y_test
    known = np.isin(y_test, digits)
    said = digits[decisions[known].argmax(axis=1)]
    return float(np.mean(said != y_test[known]))


DELTA_MAX = [0.3, 1, 2, 3, 5, 10, 20, 50, 100, 300, 1000]


def measure_delta_max(settings):
    """Figure 3.7: banana, REPROCESS repeated until delta <= delta_max."""
    values = [1, 10, 1000] if settings.quick else DELTA_MAX
    records = []
    for seed in range(settings.seeds):
        asked = dict(workload="banana", seed=seed, cache_size=WORKLOADS["banana"].thesis_cache)
        lasvc = settings.record("delta_max_sweep", asked, values=values)
        svc = settings.record("fit_and_predict", asked | {"model": "svc"})
        records.append({"seed": seed, "lasvc": lasvc, "svc": svc})
    return {"records": records}


def measure_text(settings):
    """For the page on text: linear models and LASVC on 20 Newsgroups."""
    cases = [
        dict(model=model, seed=seed)
        for seed in range(settings.seeds)
        for model in text_models.TITLES
    ]
    return settings.records("fit_and_predict", cases, workload="newsgroups", cache_size=CACHE_SIZE)


# Samples of each stream; the whole of Adult and MNIST would only take longer.
STREAMS = {
    "waveform": None, "banana": None, "usps_noise": None, "adult_csr": 5000, "mnist_8": 5000,
}  # fmt: skip


def measure_prefixes(settings):
    """Predictions during a stream, and their cost."""
    cases = [dict(workload=name, n_train=n_train) for name, n_train in STREAMS.items()]
    return settings.records("prefixes", cases, options={"C": 1000.0})


# Training samples; the exact error is for the smaller number.
LEFT_OUT = {"banana": [1500, 4000], "adult_csr": [1500, 10_000], "mnist_8": [1500, 10_000]}


def measure_leave_one_out(settings):
    """Leave-one-out errors of LASVC, compared with cross-validation and with the test error."""
    cases = [
        dict(workload=name, n_train=n_train, seed=seed)
        for name, sizes in LEFT_OUT.items()
        for n_train in ([200] if settings.quick else sizes)
        for seed in settings.runs(3)
    ]
    return settings.records("leave_one_out_errors", cases)


STEPS = {
    "text": measure_text,
    "prefixes": measure_prefixes,
    "figure_3_7": measure_delta_max,
    "scaling": measure_scaling,
    "how_long": measure_how_long,
    "table_3_2": measure_tables,
    "classes": measure_classes,
    "mnist_digits": partial(measure_mnist, "mnist_digit", list(MNIST_WAYS)),
    # Without SVC: the optimum is the same.
    "mnist_signed": partial(measure_mnist, "mnist_signed", ["x1", "x2", "exact"]),
    "leave_one_out": measure_leave_one_out,
    "cache_size": measure_cache_size,
    **{name: partial(measure_comparison, name) for name in COMPARED + SEVERAL},
}
