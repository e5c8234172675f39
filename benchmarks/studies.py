"""The studies, in the order in which their steps run."""

from importlib import import_module

STUDIES = (
    "svc", "robust", "unbounded", "linear", "local", "kernel_updates", "kernels",
    "label_efficient", "active", "imbalance", "advice", "calibration", "cells", "compression",
    "cores", "deployment", "intervals", "multiclass", "new_classes", "novelty", "random_problems",
    "regression", "search", "small_sets", "stream_order", "tables", "thresholds",
)  # fmt: skip


def part(study, name):
    """Import a module of a study: its steps, tables, figures or tasks."""
    return import_module(f"benchmarks.{study}.{name}")
