"""Tests and examples that need other packages: marked, and skipped where a package is missing."""

import re
from functools import cache
from importlib.util import find_spec

import pytest
from _pytest.doctest import DoctestItem

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
    """Mark the tests of files that import another package."""
    for item in items:
        if imports_partners(item.path):
            item.add_marker("partners")


def pytest_runtest_setup(item):
    """Skip an example that imports a package which is not there."""
    if isinstance(item, DoctestItem):
        for example in item.dtest.examples:
            found = IMPORT.match(example.source)
            if found and find_spec(found[1]) is None:
                pytest.skip(f"the example needs {found[1]}")
