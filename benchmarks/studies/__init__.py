"""The studies, in the order in which their steps run."""

from functools import reduce
from importlib import import_module
from operator import or_

STUDIES = (
    "svc", "robust", "unbounded", "linear", "local", "kernel_updates", "kernels",
    "label_efficient", "active", "imbalance", "advice", "calibration", "cells", "compression",
    "cores", "deployment", "guide", "intervals", "multiclass", "new_classes", "novelty",
    "random_problems", "regression", "search", "small_sets", "stream_order", "tables",
    "thresholds",
)  # fmt: skip
# Further modules of studies with several subjects.
SUBJECTS = {
    "svc": ["svc_thesis"],
    "robust": ["robust_thesis"],
    "linear": ["linear_sgd"],
    "active": ["active_loops", "active_pairs"],
    "cells": ["cells_files", "cells_distributed"],
}


def modules(name):
    """Return the names of the modules of a study."""
    return [f"benchmarks.studies.{each}" for each in (name, *SUBJECTS.get(name, ()))]


def study(name):
    """Return a study, with all of its subjects."""
    return reduce(or_, (import_module(module).STUDY for module in modules(name)))
