"""``inspect``: describe a model file."""

import os

import numpy as np
from sklearn.pipeline import Pipeline

from ..export import load_model
from ._options import HelpFormatter

__all__ = ["add_parser"]

_EPILOG = """\
example:
  python -m sklearn_online_svm inspect a9a.skops
"""


def add_parser(commands):
    """Add the command to the subparsers of ``commands``."""
    parser = commands.add_parser(
        "inspect",
        help="describe a model file",
        description="Describe a model file: class, parameters and size.",
        epilog=_EPILOG,
        formatter_class=HelpFormatter,
    )
    parser.set_defaults(run=run, parser=parser)
    parser.add_argument("model", metavar="MODEL", help="model file")


def run(args):
    """Run the command."""
    found = description(load_model(args.model))
    found["file size"] = os.path.getsize(args.model)
    width = max(map(len, found)) + 1
    for name, value in found.items():
        print(f"{name + ':':{width}} {_text(value)}")


def description(model):
    """Return what is known of a model: dict from names to plain values."""
    steps = [step for _, step in model.steps] if isinstance(model, Pipeline) else [model]
    final = steps[-1]
    # A sample in the overlap of two cells is in both.
    parts, is_cells = getattr(final, "estimators_", [final]), hasattr(final, "estimators_")
    found = {
        "class": type(final).__name__,
        "transformers": [repr(step) for step in steps[:-1]],
        "parameters": final.get_params(),
        "samples in cells" if is_cells else "samples": _total(parts, "n_samples_seen_"),
        "samples in all epochs": _total(parts, "t_", -1),
        "support vectors": sum(len(part.support_) for part in parts if hasattr(part, "support_")),
        "cells": getattr(final, "n_cells_", None),
        "features": getattr(model, "n_features_in_", None),
        "feature names": np.ravel(getattr(model, "feature_names_in_", [])).tolist(),
        "classes": np.ravel(getattr(model, "classes_", [])).tolist(),
    }
    return {name: value for name, value in found.items() if value not in (None, [], {}, 0)}


def _total(parts, name, offset=0):
    return int(sum(getattr(part, name) + offset for part in parts if hasattr(part, name)))


def _text(value):
    if isinstance(value, dict):
        return ", ".join(f"{name}={item!r}" for name, item in value.items())
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
