"""The studies, in the order in which their steps run."""

from importlib import import_module
from pathlib import Path

from ..bench.study import Study

# Folders of several modules become modules of this package.
STUDIES = (
    "svc", "robust", "unbounded", "linear", "local", "kernel_updates", "kernels",
    "label_efficient", "active", "imbalance", "advice", "calibration", "cells", "compression",
    "cores", "deployment", "intervals", "multiclass", "new_classes", "novelty", "random_problems",
    "regression", "search", "small_sets", "stream_order", "tables", "thresholds",
)  # fmt: skip


def study(name):
    """Return a study."""
    if Path(__file__).with_name(f"{name}.py").exists():
        return import_module(f"benchmarks.studies.{name}").STUDY
    steps, tables = (import_module(f"benchmarks.{name}.{part}") for part in ("steps", "tables"))
    return Study(steps.STEPS, tables.TABLES, [*_drawn(name)])


def _drawn(name):
    folder = Path(__file__).parents[1] / name
    for path in sorted(folder.glob("*figures.py")):
        # A copy, since a warning in a figure adds a name to its module.
        module = import_module(f"benchmarks.{name}.{path.stem}")
        for function_name, function in [*vars(module).items()]:
            if function_name.startswith("draw_"):
                yield function
