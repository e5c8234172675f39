"""Default models beside SVC and SVR on problems with random samples and parameters.

``random_small``: 100 to 1000 samples, and streams in chunks of 100; ``random_large``: 3000 to
20 000 samples; ``random_regression``: 100 to 3000.
"""

from functools import partial

# Problems of a process.
N_EACH = 50
SIZES = {"small": (100, 300, 1000), "large": (3000, 6000, 10_000, 20_000)}
REGRESSION_SIZES = (100, 300, 1000, 3000)
# The first seed of each step, and the number of problems; the tests have the seeds below 1050.
SEEDS = {"small": (2000, 300), "large": (3000, 40), "regression": (4000, 100)}


def measure(name, settings):
    first, n = SEEDS[name]
    n = 3 if settings.quick else n
    sizes = [100] if settings.quick else SIZES.get(name, REGRESSION_SIZES)
    cases = [
        dict(first=start, n=min(N_EACH, first + n - start))
        for start in range(first, first + n, N_EACH)
    ]
    task = "compare_regressors" if name == "regression" else "compare_classifiers"
    return settings.records(task, cases, sizes=list(sizes), streams=name == "small")


STEPS = {f"random_{name}": partial(measure, name) for name in SEEDS}
