"""Options that several commands have, and the objects that they describe."""

import argparse
import ast
import os
import sys

import numpy as np
from sklearn.base import is_classifier
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler

from .. import kernel, linear
from ..partitioned import CellClassifier, CellRegressor
from ..pipeline import OnlinePipeline
from ._data import data_files, shortened

__all__ = [
    "HelpFormatter",
    "UsageError",
    "add_data_options",
    "add_model_options",
    "assignment",
    "check_outputs",
    "data_for",
    "data_of",
    "positive",
    "set_params",
    "training_data",
    "values",
]

_MODELS = {
    **{
        name: getattr(kernel, name)
        for name in (
            *("LASVC", "ActiveLASVC", "VirtualLASVC", "RampSVC", "KernelAROWClassifier"),
            *("KernelPassiveAggressiveClassifier", "KernelPerceptronClassifier", "LASVR"),
            "KernelPassiveAggressiveRegressor",
        )
    },
    **{
        name: getattr(linear, name)
        for name in (
            *("AROWClassifier", "SCWClassifier", "ConfidenceWeightedClassifier"),
            *("PassiveAggressiveClassifier", "CostSensitivePassiveAggressiveClassifier"),
            *("PerceptronClassifier", "SecondOrderPerceptronClassifier", "LocalOnlineClassifier"),
            "PassiveAggressiveRegressor",
        )
    },
}


class UsageError(Exception):
    """Options that are invalid together, or for a model."""


class HelpFormatter(argparse.ArgumentDefaultsHelpFormatter, argparse.RawDescriptionHelpFormatter):
    """Show defaults, and keep the line breaks of examples."""

    def _get_help_string(self, action):
        # A default of None or False means that the option is not given, which needs no mention.
        return super()._get_help_string(action) if action.default else action.help


def add_data_options(parser, *, of_training):
    """Add the options of data files; ``of_training`` those that a fitted model has."""
    group = parser.add_argument_group("data")
    group.add_argument(
        "--target",
        metavar="COLUMN",
        help="column of a table with the labels or targets; all others are features",
    )
    group.add_argument(
        "--zero-based",
        action="store_true",
        help="the first feature of svmlight files has the index 0 instead of 1",
    )
    if of_training:
        group.add_argument(
            "--n-features",
            type=positive,
            metavar="N",
            help="number of features of svmlight files (default: the largest index)",
        )
    group.add_argument(
        "--chunk-size",
        type=positive,
        default=1000,
        metavar="N",
        help="number of samples that are read at a time",
    )


def add_model_options(parser):
    """Add the options that describe a model that is not fitted."""
    group = parser.add_argument_group("model")
    group.add_argument(
        "--model",
        choices=_MODELS,
        default="LASVC",
        metavar="CLASS",
        help=f"class of the model, one of {', '.join(_MODELS)}",
    )
    group.add_argument(
        "-p",
        dest="params",
        action="append",
        type=assignment,
        default=[],
        metavar="NAME=VALUE",
        help="parameter of the model, such as C=10 or kernel=poly; may be repeated",
    )
    group.add_argument(
        "--scale",
        action="store_true",
        help="divide each feature by its standard deviation; features of tables are centered, too",
    )
    group.add_argument("--seed", type=int, metavar="N", help="random_state of the model")
    return group


def positive(text):
    """Return a positive integer."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is not positive")
    if number > sys.maxsize:
        raise argparse.ArgumentTypeError(f"{text} is larger than {sys.maxsize}")
    return number


def assignment(text):
    """Return the name and the value of ``NAME=VALUE``."""
    name, equals, value = text.partition("=")
    if not name or not equals:
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=VALUE")
    return name, _value(value)


def values(text):
    """Return the name and the values of ``NAME=VALUE,VALUE,...``."""
    name, equals, listed = text.partition("=")
    if not name or not equals:
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=VALUE,VALUE,...")
    return name, [_value(value) for value in listed.split(",")]


def _value(text):
    """Return a Python literal or a float such as "inf", otherwise the text itself."""
    for read in (ast.literal_eval, float):
        try:
            return read(text)
        except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
            continue  # all of these are documented for literal_eval
    return text


def data_of(args, paths, *, n_features=None, columns=None, dtype=None):
    """Return the data files of a command."""
    return data_files(
        paths,
        target=args.target,
        zero_based=args.zero_based,
        chunk_size=args.chunk_size,
        n_features=n_features,
        columns=columns,
        dtype=dtype,
    )


def data_for(args, paths, model, name, *, dtype):
    """Return data files for the predictions of a model, which is in the file ``name``."""
    named = getattr(model, "feature_names_in_", None)
    n_features = getattr(model, "n_features_in_", None)
    if n_features is None:
        raise ValueError(
            f"the {type(model).__name__} in {name} has no number of features: its first step "
            "takes no table of numbers, or has not been fitted"
        )
    data = data_of(args, paths, columns=named, n_features=n_features, dtype=dtype)
    if not data.is_table:
        if named is not None:
            raise ValueError(
                f"{paths[0]} is in svmlight format, but the model in {name} needs a table with "
                f"its {len(named)} named features: {shortened(named)}"
            )
        _refuse_kernel_values(model)
    return data


def training_data(args):
    """Return the data files of ``train`` and ``tune``, and the model that the options describe."""
    data = data_of(args, args.data, n_features=args.n_features)
    if data.is_table and args.target is None:
        raise UsageError("tables need --target, the column with the labels or targets")
    model = _estimator_of(args, is_table=data.is_table)
    if data.is_table and not is_classifier(model):
        data.dtype = np.dtype(np.float64)
    return data, model


def _estimator_of(args, *, is_table):
    """Return the model that the options describe, with its scaler and cells."""
    model = _MODELS[args.model]()
    given = dict(args.params)
    if args.seed is not None and "random_state" in model.get_params():
        given.setdefault("random_state", args.seed)
    set_params(model, given)
    if not is_table or args.scale or getattr(args, "cells", None) is not None:
        _refuse_kernel_values(model)
    if getattr(args, "cells", None) is not None:
        kind = CellClassifier if hasattr(model, "decision_function") else CellRegressor
        model = kind(model, random_state=args.seed)
        set_params(model, {"cell_size": args.cells})
    if args.scale:
        # Sparse samples that are centered would no longer be sparse.
        scaler = StandardScaler(with_mean=is_table)
        model = OnlinePipeline([("scale", scaler), ("model", model)])
    return model


def set_params(model, params):
    """Set parameters of a model that is not fitted; raise UsageError if one is invalid."""
    known = model.get_params()
    for name in params:
        if name not in known:
            raise UsageError(
                f"{type(model).__name__} has no parameter {name!r}; it has {', '.join(known)}"
            )
    try:
        model.set_params(**params)._validate_params()
    except ValueError as error:
        raise UsageError(error) from None


def _refuse_kernel_values(model):
    """Raise UsageError if the samples of a model are kernel values, and not features."""
    final = model.steps[-1][1] if isinstance(model, Pipeline) else model
    if getattr(final, "kernel", None) == "precomputed":
        raise UsageError(
            "kernel='precomputed' needs the matrix of kernel values, which only a table can hold, "
            "without --scale and --cells"
        )


def check_outputs(paths, inputs):
    """Raise an error before a long computation if a result cannot, or must not, be written."""
    for k, path in enumerate(paths):
        if os.path.isdir(path):
            raise IsADirectoryError(f"{path} is a directory")
        folder = os.path.dirname(os.path.abspath(path))
        if not os.path.isdir(folder):
            raise FileNotFoundError(f"{path}: there is no directory {folder}")
        for other in (*inputs, *paths[:k]):
            if _is_same_file(path, other):
                raise UsageError(f"the output {path} would replace {other}; choose another name")


def _is_same_file(path, other):
    try:
        return os.path.samefile(path, other)
    except FileNotFoundError:  # one of them, or neither, exists
        return os.path.realpath(path) == os.path.realpath(other)
