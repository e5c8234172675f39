"""LASVC compared with SVC and other peers on one set each: time, error, vectors and memory."""

from functools import partial

from ...bench import harness
from .. import models
from ..workloads import COMPARED, SEVERAL, WORKLOADS

# LASVC and SVC have the same cache (MB).
CACHE_SIZE = 1000
# What takes minutes is fitted for one seed.
ONCE = {("mnist_8", "hgb")} | {
    ("mnist_ten", column) for column in ("svc", "hgb", "sklearnex_1", "sklearnex_2")
}
ONCE |= {(name, "svc") for name in SEVERAL}


def compare(workload, settings):
    """Measure all columns for all seeds; the columns alternate, so that a slow period of the
    machine affects all of them.
    """
    work = WORKLOADS[workload]
    records = []
    for seed in range(settings.seeds):
        for column in _columns(work, seed):
            record = settings.call(
                "fit_and_predict",
                workload=workload,
                model=column.model,
                seed=seed,
                threads=column.threads,
                cache_size=CACHE_SIZE,
                dense=column.dense_only,
                limit=settings.limit if column.limited else None,
            )
            harness.say(workload, record, seed=seed, column=column.key)
            records.append({"column": column.key, "seed": seed, **record})
    return {"workload": workload, "cache_size": CACHE_SIZE, "records": records}


def _columns(work, seed):
    for column in models.COLUMNS:
        once = column.once or (work.name, column.key) in ONCE
        # Trees have no use for 8000 words: dense-only peers sit out what was sparse.
        sparse_words = work.name == "reuters" and column.dense_only
        # One of the two rows of Adult is enough for a peer that gets the same arrays in both.
        twice = work.name == "adult_csr" and column.dense_only
        other = work.name in SEVERAL and column not in models.EXACT
        if not (once and seed > 0) and not sparse_words and not twice and not other:
            yield column


STEPS = {name: partial(compare, name) for name in COMPARED + SEVERAL}
