"""Time against the number of classes, and against the cache with many of them, on sparse text.

The samples are generated, as many for each number of classes.
"""

from ...bench import harness
from ..workloads import TEXT_CLASSES, text_name

QUICK_CLASSES = TEXT_CLASSES[:2]
CACHE_SIZE = 1000
MODELS = [("lasvc", 1), ("lasvc", 2), ("svc", 1), ("sklearnex", 1)]
# Once more with little memory: the row of that many classes, and the sizes in MB.
SMALL_CACHES = (60, [50, 100, 200, 8000])
QUICK_SMALL_CACHES = (QUICK_CLASSES[-1], [1, 100])
LIMIT = 400


def measure_classes(settings):
    records = []

    def record(n_classes, model, threads, cache_size):
        asked = dict(model=model, threads=threads, cache_size=cache_size)
        found = settings.call(
            "fit_and_predict", workload=text_name(n_classes), limit=LIMIT, **asked
        )
        harness.say("classes", found, classes=n_classes, **asked)
        records.append(dict(classes=n_classes) | asked | found)

    for n_classes in QUICK_CLASSES if settings.quick else TEXT_CLASSES:
        for model, threads in MODELS:
            record(n_classes, model, threads, CACHE_SIZE)
    n_classes, sizes = QUICK_SMALL_CACHES if settings.quick else SMALL_CACHES
    for cache_size in sizes:
        record(n_classes, "lasvc", 1, cache_size)
    return {"cache_size": CACHE_SIZE, "records": records}


STEPS = {"classes": measure_classes}
