"""Tables and figures of the documentation and the README, from the stored results.

::

    python -m benchmarks.build            both
    python -m benchmarks.build figures    figures only, as `make doc` does

writes ``doc/benchmarks/*.inc`` and ``*.png`` and the lines of ``README.rst`` between the markers
``.. benchmark-table-start`` and ``.. benchmark-table-end``. Steps without results are left out.
"""

import contextlib
import sys
from functools import partial

from .active import along_figures, selection_figures
from .active import figures as active_figures
from .active import steps as active
from .active import tables as active_tables
from .advice import figures as advice_figures
from .advice import steps as advice
from .advice import tables as advice_tables
from .bench.measure import ROOT
from .bench.results import RESULTS, NoResults, load_those_stored
from .calibration import steps as calibration
from .calibration import tables as calibration_tables
from .cells import steps as cells
from .cells import tables as cells_tables
from .compression import steps as compression
from .compression import tables as compression_tables
from .coverage import tables as coverage_tables
from .deployment import steps as deployment
from .deployment import tables as deployment_tables
from .kernel_updates import steps as kernel_updates
from .kernel_updates import tables as kernel_updates_tables
from .kernels import steps as kernels
from .kernels import tables as kernels_tables
from .label_efficient import figures as label_efficient_figures
from .label_efficient import steps as label_efficient
from .label_efficient import tables as label_efficient_tables
from .linear import figures as linear_figures
from .linear import steps as linear
from .linear import tables as linear_tables
from .local import figures as local_figures
from .local import steps as local
from .local import tables as local_tables
from .new_classes import steps as new_classes
from .new_classes import tables as new_classes_tables
from .novelty import steps as novelty
from .novelty import tables as novelty_tables
from .regression import steps as regression
from .regression import tables as regression_tables
from .robust import figures as robust_figures
from .robust import steps as robust
from .robust import tables as robust_tables
from .search import figures as search_figures
from .search import steps as search
from .search import tables as search_tables
from .svc import figures as svc_figures
from .svc import steps as svc
from .svc import tables as svc_tables
from .unbounded import figures as unbounded_figures
from .unbounded import steps as unbounded
from .unbounded import tables as unbounded_tables

DOC = ROOT / "doc" / "benchmarks"
README = ROOT / "README.rst"
MARKERS = (".. benchmark-table-start", ".. benchmark-table-end")
# For the names of its tables: steps, tables, and modules whose functions draw_... are figures.
ROOMS = {
    "": (svc, svc_tables, svc_figures),
    "robust_": (robust, robust_tables, robust_figures),
    "unbounded_": (unbounded, unbounded_tables, unbounded_figures),
    "linear_": (linear, linear_tables, linear_figures),
    "local_": (local, local_tables, local_figures),
    "kernel_updates_": (kernel_updates, kernel_updates_tables),
    "kernels_": (kernels, kernels_tables),
    "label_efficient_": (label_efficient, label_efficient_tables, label_efficient_figures),
    "active_": (active, active_tables, active_figures, selection_figures, along_figures),
    "advice_": (advice, advice_tables, advice_figures),
    "calibration_": (calibration, calibration_tables),
    "cells_": (cells, cells_tables),
    "compression_": (compression, compression_tables),
    "deployment_": (deployment, deployment_tables),
    "new_classes_": (new_classes, new_classes_tables),
    "novelty_": (novelty, novelty_tables),
    "regression_": (regression, regression_tables),
    "search_": (search, search_tables, search_figures),
}


def environment(results, steps):
    """Date, versions and hardware of the steps; several where they differ."""
    lines = []
    for _, stored in sorted(load_those_stored(steps, results).items()):
        about = stored["environment"]
        versions = ", ".join(
            f"{name} {number}" for name, number in about["versions"].items() if number
        )
        simd = f", {about['simd']}" if about["simd"] else ""
        line = f"{about['date']}; {about['processor']}, {about['cores']} cores{simd}; {versions}."
        if line not in lines:
            lines.append(line)
    return "Measured on " + "\n\nand on ".join(lines) + "\n" if lines else None


def _folder(results):
    """Where tables and figures go; those of a quick run stay with its results."""
    folder = DOC if results == RESULTS else results
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def tables(results=RESULTS):
    """Write all tables."""
    folder = _folder(results)
    for name, (steps, room, *_) in ROOMS.items():
        about = {f"{name}environment": partial(environment, steps=steps.STEPS)}
        for table, make in (room.TABLES | about).items():
            with contextlib.suppress(NoResults):
                text = make(results)
                if text is not None:
                    (folder / f"{table}.inc").write_text(text)
    if results == RESULTS:
        for table, text in coverage_tables().items():
            (folder / f"{table}.inc").write_text(text)
        parts = svc_tables.headline(results), environment(results, svc_tables.COMPARED)
        _into_readme("\n".join(filter(None, parts)))
    print(f"tables are in {folder}")


def figures(results=RESULTS):
    """Draw every figure that has results."""
    folder = _folder(results)
    for _, _, *modules in ROOMS.values():
        for name, draw in [entry for module in modules for entry in vars(module).items()]:
            if name.startswith("draw_"):
                with contextlib.suppress(NoResults):
                    draw(results, folder)
    print(f"figures are in {folder}")


def _into_readme(text):
    start, end = MARKERS
    content = README.read_text() if README.exists() else ""
    if start not in content or end not in content:
        print(f"{README.name} has no markers {start} and {end}: left alone")
        return
    head, rest = content.split(start, 1)
    tail = rest.split(end, 1)[1]
    README.write_text(f"{head}{start}\n\n{text}\n{end}{tail}")


if __name__ == "__main__":
    if "figures" not in sys.argv[1:]:
        tables()
    figures()
