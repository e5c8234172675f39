"""Fit time against the size of the kernel cache, on MNIST digits (Figure 3.6 of the thesis).

The thesis averages the ten digits over all 60 000 samples. With 8 MB, SVC would take too long:
here both learn the first 20 000 (shuffled) samples of two digits, an easy and a hard one, and SVC
is stopped after a limit. LASVC is also fitted on all samples.
"""

from ...bench import harness

DIGITS = [1, 8]
CACHE_SIZES = [8, 32, 128, 256, 512, 1024]
# SVC at fewer sizes, for the time it takes.
SVC_CACHE_SIZES = [8, 64, 1024]
ROWS = 20000
LIMIT = 150


def measure_cache_sizes(settings):
    rows = 1000 if settings.quick else ROWS
    records = []
    for digit in DIGITS[:1] if settings.quick else DIGITS:
        for model, n_train, size in _runs(settings.quick):
            record = settings.call(
                "fit_and_predict",
                workload=f"mnist_digit_{digit}",
                model=model,
                n_train=n_train,
                cache_size=size,
                limit=LIMIT,
            )
            harness.say("cache_size", record, digit=digit, model=model, rows=n_train, MB=size)
            asked = dict(digit=digit, model=model, rows=n_train, cache_size=size)
            records.append(asked | record)
    return {"digits": DIGITS, "rows": rows, "limit": LIMIT, "records": records}


def _runs(quick):
    if quick:
        return [(model, 1000, size) for model in ("lasvc", "svc") for size in (8, 1024)]
    runs = [("lasvc", ROWS, size) for size in CACHE_SIZES]
    runs += [("svc", ROWS, size) for size in SVC_CACHE_SIZES]
    return runs + [("lasvc", 60000, size) for size in CACHE_SIZES]


STEPS = {"cache_size": measure_cache_sizes}
