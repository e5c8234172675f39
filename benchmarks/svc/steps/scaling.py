"""Fit time and memory against the number of samples, on Adult."""

from ...bench import harness

WORKLOAD = "adult_csr"
SIZES = [2000, 4000, 8000, 16000, 32000]
QUICK_SIZES = [400, 800, 1500]
CACHE_SIZE = 1000
# LASVC once more on all samples with caches that are too small: does memory keep its bound?
SMALL_CACHES = [50, 200]


def measure_scaling(settings):
    records = []

    def record(model, n_train, cache_size, seed):
        found = settings.call(
            "fit_and_predict",
            workload=WORKLOAD,
            model=model,
            seed=seed,
            n_train=n_train,
            cache_size=cache_size,
        )
        harness.say("scaling", found, model=model, rows=n_train, cache=cache_size, seed=seed)
        asked = dict(model=model, seed=seed, cache_size=cache_size, rows=n_train)
        records.append(asked | found)

    sizes = QUICK_SIZES if settings.quick else SIZES
    for n_train in sizes:
        for seed in range(settings.seeds):
            record("lasvc", n_train, CACHE_SIZE, seed)
            record("sklearnex", n_train, CACHE_SIZE, seed)
            # The last sizes of SVC are most of the time of this step.
            if seed == 0 or n_train <= 8000:
                record("svc", n_train, CACHE_SIZE, seed)
    for cache_size in SMALL_CACHES:
        record("lasvc", sizes[-1], cache_size, 0)
    return {"workload": WORKLOAD, "cache_size": CACHE_SIZE, "records": records}


STEPS = {"scaling": measure_scaling}
