"""Kernels: by name and as functions, fingerprints of growing number, and a mixed table."""

from ..bench import harness
from .sets import CASES, TABLES

LIMIT = 900
SIZES = [3000, 9000, 27_000, 100_000]
# Above, the kernel matrix of SVC needs more than a few GB.
MOST_FOR_SVC = 9000
MIXED = ["product", "sum", "rbf"]
N_MIXED = 10_000


def _call(step, settings, task, **asked):
    record = settings.call(task, limit=LIMIT, **asked)
    harness.say(step, record, **asked)
    return {**asked, **record}


def sets(settings):
    """Compare every kernel on its sets."""
    return {
        "records": [_call("kernels_sets", settings, "compare_kernels", set=name) for name in CASES]
    }


def tanimoto(settings):
    """Measure the Tanimoto kernel on more and more fingerprints."""
    return {
        "records": [
            _call("kernels_tanimoto", settings, "fit_fingerprints", n_train=n, model=model)
            for n in (SIZES[:1] if settings.quick else SIZES)
            for model in ("lasvc", "svc")
            if model == "lasvc" or n <= MOST_FOR_SVC
        ]
    }


def mixed(settings):
    """Compare kernels on columns with one-hot columns."""
    return {
        "records": [
            _call("kernels_mixed", settings, "fit_mixed", set=name, n_train=N_MIXED, model=model)
            for name in TABLES
            for model in MIXED
        ]
    }


STEPS = {"kernels_sets": sets, "kernels_tanimoto": tanimoto, "kernels_mixed": mixed}
