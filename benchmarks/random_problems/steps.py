"""Default models beside SVC and SVR on problems with random samples and parameters.

``random_small``: 100 to 1000 samples, and streams in chunks of 100; ``random_large``: 3000 to
20 000 samples; ``random_regression``: 100 to 3000. ``random_epochs`` and ``random_sizes``: the
default number of epochs beside the optimum, and 4900 beside 5100 samples.
"""

from functools import partial

# Problems of a process.
N_EACH = 50
SIZES = {
    "small": (100, 300, 1000),
    "large": (3000, 6000, 10_000, 20_000),
    "regression": (100, 300, 1000, 3000),
    "epochs": (),
    "sizes": (4900, 5100),
}
# The first seed of each step, and the number of problems; the tests have the seeds below 1050.
SEEDS = {
    "small": (2000, 300),
    "large": (3000, 40),
    "regression": (4000, 100),
    "epochs": (6000, 600),
    "sizes": (7000, 24),
}
TASKS = {
    "small": "compare_classifiers",
    "large": "compare_classifiers",
    "regression": "compare_regressors",
    "epochs": "compare_epochs",
    "sizes": "compare_sizes",
}


def measure(name, settings):
    first, n = SEEDS[name]
    n = 3 if settings.quick else n
    sizes = [100] if settings.quick else SIZES[name]
    cases = [
        dict(first=start, n=min(N_EACH, first + n - start))
        for start in range(first, first + n, N_EACH)
    ]
    return settings.records(TASKS[name], cases, sizes=list(sizes), streams=name == "small")


STEPS = {f"random_{name}": partial(measure, name) for name in SEEDS}
