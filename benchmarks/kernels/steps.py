"""Kernels: by name and as functions, fingerprints of growing number, and a mixed table."""

from ..bench.harness import grid
from .sets import CASES, TABLES

LIMIT = 900
SIZES = [3000, 9000, 27_000, 100_000]
# Above, the kernel matrix of SVC needs more than a few GB.
MOST_FOR_SVC = 9000
MIXED = ["product", "sum", "rbf", "boosting", "arow"]
N_MIXED = 10_000


def sets(settings):
    """Compare every kernel on its sets."""
    return settings.records("compare_kernels", grid(set=CASES), limit=LIMIT)


def tanimoto(settings):
    """Measure the Tanimoto kernel on more and more fingerprints."""
    cases = [
        asked
        for asked in grid(n_train=SIZES[:1] if settings.quick else SIZES, model=("lasvc", "svc"))
        if asked["model"] == "lasvc" or asked["n_train"] <= MOST_FOR_SVC
    ]
    return settings.records("fit_fingerprints", cases, limit=LIMIT)


def mixed(settings):
    """Compare kernels on columns with one-hot columns and with gradient boosting."""
    cases = grid(seed=settings.runs(3), set=TABLES, n_train=[N_MIXED], model=MIXED)
    return settings.records("fit_mixed", cases, limit=LIMIT)


STEPS = {"kernels_sets": sets, "kernels_tanimoto": tanimoto, "kernels_mixed": mixed}
