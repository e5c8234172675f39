"""Time of a fit by samples, features, classes and threads: generated clusters that overlap."""

from ...bench import harness
from ..workloads import CLUSTER_CLASSES, CLUSTER_FEATURES, clusters_name

SIZES = [2000, 4000, 16_000]
QUICK_SIZES = [400, 800]
CACHE_SIZE = 500


def measure_how_long(settings):
    records = []
    for n_classes in CLUSTER_CLASSES:
        for n_features in CLUSTER_FEATURES:
            for rows in QUICK_SIZES if settings.quick else SIZES:
                for threads in (1, 2):
                    asked = dict(threads=threads, n_train=rows)
                    found = settings.call(
                        "fit_and_predict",
                        workload=clusters_name(n_features, n_classes),
                        cache_size=CACHE_SIZE,
                        **asked,
                    )
                    where = dict(classes=n_classes, features=n_features, rows=rows)
                    harness.say("how_long", found, **where, threads=threads)
                    records.append(where | asked | found)
    return {"cache_size": CACHE_SIZE, "records": records}


STEPS = {"how_long": measure_how_long}
