"""``inspect``: describe a model file."""

import os

import numpy as np

from ..export import load_model
from ..pipeline import final_estimator

_ATTRIBUTES = {
    "samples": "n_samples_seen_",
    "cells": "n_cells_",
    "features": "n_features_in_",
    "feature names": "feature_names_in_",
    "classes": "classes_",
}


def add_parser(commands):
    """Add the command to the subparsers of ``commands``."""
    parser = commands.add_parser(
        "inspect",
        help="describe a model file",
        description="Describe a model file: class, parameters and size.",
    )
    parser.set_defaults(run=run)
    parser.add_argument("model", metavar="MODEL", help="model file")


def run(args):
    """Run the command."""
    model = load_model(args.model)
    final = final_estimator(model)
    found = {"model": " ".join(repr(model).split())}
    for name, attribute in _ATTRIBUTES.items():
        value = getattr(model, attribute, getattr(final, attribute, None))
        if value is not None:
            found[name] = ", ".join(map(str, np.ravel(value)))
    if hasattr(final, "support_"):
        found["support vectors"] = len(final.support_)
    found["file size"] = os.path.getsize(args.model)
    for name, value in found.items():
        print(f"{name + ':':17}{value}")
