"""Which tests and examples are marked as slow, or need other packages and may be skipped."""

import doctest
import re
from collections import defaultdict
from functools import cache, partial
from importlib.util import find_spec
from zlib import crc32

import numpy as np
import pytest

# Modules of the packages of the extra `partners`.
PARTNERS = (
    *("asreview", "cleanlab", "crepes", "dask", "distributed", "fastapi", "h5py", "mapie"),
    *("mlflow", "modAL", "optuna", "polars", "pyarrow", "rich", "river", "skactiveml"),
    *("small_text", "venn_abers", "zarr"),
)
IMPORT = re.compile(
    rf"(?:^ *(?:>>> )?(?:import|from) |importorskip\(\")({'|'.join(PARTNERS)})\b", re.MULTILINE
)


@cache
def imports_partners(path):
    """Return whether the text of a file imports a package of the extra partners."""
    return IMPORT.search(path.read_text(encoding="utf-8")) is not None


def pytest_collection_modifyitems(items):
    """Mark tests of files that import other packages, and slow ones; let examples be skipped."""
    sampled = defaultdict(list)
    for item in items:
        if imports_partners(item.path):
            item.add_marker("partners")
        if isinstance(item, pytest.DoctestItem):
            item.runtest = partial(run_if_installed, item.runtest)
        if item.get_closest_marker("sampled") and not item.get_closest_marker("slow"):
            sampled[item.path, item.originalname].append(item)
    for cases in sampled.values():
        cases.sort(key=lambda item: crc32(item.name.encode()))
        for item in cases[-(-len(cases) // 3) :]:
            item.add_marker("slow")


def run_if_installed(run):
    """Run an example; skip it if a package that it imports is not installed.

    ``random_state=None`` draws from NumPy's global generator: the same numbers in each run.
    """
    np.random.seed(42)  # noqa: NPY002 - the generator of ``random_state=None``
    try:
        run()
    except doctest.UnexpectedException as failure:
        error = failure.exc_info[1]
        if isinstance(error, ImportError) and "sklearn_online_svm" not in (error.name or ""):
            pytest.skip(str(error))
        if getattr(error, "name", "") == "set_callbacks" and find_spec("sklearn.callback") is None:
            pytest.skip("set_callbacks: since scikit-learn 1.9")
        raise
