"""Pools of unlabelled samples.

``pool_query``: one query compared with scoring the whole pool; ``pool_loops``: querying and
training in turns, as different libraries do it.
"""

from ...bench import harness
from ..tasks import LOOPS

# Samples of the pool, their features, samples used: of these about 1000 become support vectors.
SIZE = dict(n_pool=100_000, n_features=100, n_train=1020)
QUICK_SIZE = dict(n_pool=2000, n_features=20, n_train=60)
LAYOUTS = ["dense", "csr"]


def measure_query(settings):
    """One query, of either model, compared with `SVC.decision_function` of all samples."""
    size = QUICK_SIZE if settings.quick else SIZE
    records = []
    for seed in range(settings.seeds):
        for layout in LAYOUTS:
            record = settings.call("query_pool", layout=layout, seed=seed, **size)
            harness.say("pool_query", record, layout=layout, seed=seed)
            records.append({"layout": layout, "seed": seed, **record})
    return {"size": size, "records": records}


# Names in `svc.workloads`; how many labels are queried, and after how many a curve has a point.
WORKLOADS = ["banana", "usps", "reuters"]
N_LABELS, EVERY = 300, 20
QUICK_N_LABELS = 20
# Seconds for a loop, and loops that are measured for one seed only: they take minutes.
LIMIT = 400
ONCE = {("reuters", "refit_all"), ("reuters", "scikit_activeml")}


def measure_loops(settings):
    """All loops on the same pools; they take turns, seed after seed."""
    n_labels = QUICK_N_LABELS if settings.quick else N_LABELS
    records = []
    for seed in range(settings.seeds):
        for workload in WORKLOADS:
            for loop in LOOPS:
                if seed > 0 and (workload, loop) in ONCE:
                    continue
                asked = dict(workload=workload, loop=loop, seed=seed)
                record = settings.call(
                    "learn_from_pool", n_labels=n_labels, every=EVERY, limit=LIMIT, **asked
                )
                harness.say("pool_loops", record, **asked)
                records.append({**asked, **record})
    return {"n_labels": n_labels, "records": records}


STEPS = {"pool_query": measure_query, "pool_loops": measure_loops}
