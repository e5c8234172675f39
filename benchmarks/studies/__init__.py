"""The studies, in the order in which their steps run."""

from importlib import import_module

# A study with several subjects takes in those of further modules.
STUDIES = (
    "svc", "robust", "unbounded", "linear", "local", "kernel_updates", "kernels",
    "label_efficient", "active", "imbalance", "advice", "calibration", "cells", "compression",
    "cores", "deployment", "intervals", "multiclass", "new_classes", "novelty", "random_problems",
    "regression", "search", "small_sets", "stream_order", "tables", "thresholds",
)  # fmt: skip


def study(name):
    """Return a study."""
    return import_module(f"benchmarks.studies.{name}").STUDY
