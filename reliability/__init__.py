"""Long tests of what the package promises: the numbers of the page on reliability.

``python -m reliability`` runs all campaigns, ``--only NAME ...`` those named; ``--quick`` is
their size in the tests (``tests/test_reliability.py``). What they find is stored in
``results``, from which ``tables.py`` makes the tables of the page.

A campaign is a module of this folder with

- ``PROMISE``: a sentence that it would show to be wrong;
- ``campaign(quick)``: yields records, dicts with ``what`` was tested, the number of ``cases``, a
  list of ``failures`` (strings that name the case, so that it can be repeated), and figures;
- cases that failed once, which are part of both sizes;
- ``TESTED_IN``, if the quick size is a test file of its own.
"""

from importlib import import_module

# In the order of the page.
CAMPAIGNS = (
    "calls",
    "differential",
    "determinism",
    "allocations",
    "raising",
    "storage",
    "signals",
    "soak",
    "fuzz_files",
    "fuzz_arrays",
    "fuzz_primitives",
    "hangs",
    "mutation",
    "versions",
)


def part(name):
    """Import a campaign."""
    return import_module(f"reliability.{name}")
