"""Options that several commands have, and the objects that they describe."""

import argparse
import ast
import logging
import os
from contextlib import suppress

import numpy as np
from sklearn.base import is_classifier
from sklearn.preprocessing import StandardScaler
from sklearn.utils import get_tags

from .. import kernel, linear
from .._chunks import stacked
from ..cells import CellClassifier, CellRegressor
from ..pipeline import OnlinePipeline, final_estimator
from ._data import DataFiles

_LOGGER = logging.getLogger(__package__)
_MODELS = {
    **{
        name: getattr(kernel, name)
        for name in (
            *("LASVC", "ActiveLASVC", "VirtualLASVC", "RampSVC", "KernelAROWClassifier"),
            *("KernelPassiveAggressiveClassifier", "KernelPerceptronClassifier", "LASVR"),
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


class UsageError(ValueError):
    """Options that are invalid together, or for a model."""


def add_data_options(parser):
    """Add the data files and the options of their formats."""
    parser.add_argument(
        "data",
        nargs="+",
        metavar="DATA",
        help="data files, read one after another: CSV (.csv), Parquet (.parquet), otherwise "
        "svmlight, the format of LIBSVM. CSV and svmlight files may be compressed",
    )
    parser.add_argument("--quiet", action="store_true", help="report nothing but errors")
    parser.add_argument(
        "--target",
        metavar="COLUMN",
        help="column of a table with the labels or targets; all others are features",
    )
    parser.add_argument(
        "--zero-based",
        action="store_true",
        help="the first feature of svmlight files has the index 0 instead of 1",
    )
    parser.add_argument(
        "--chunk-size",
        type=positive,
        default=1000,
        metavar="N",
        help="number of samples that are read at a time (default: %(default)s)",
    )


def add_model_options(parser):
    """Add the options that describe a model that is not fitted."""
    parser.add_argument(
        "--n-features",
        type=positive,
        metavar="N",
        help="number of features of svmlight files (default: the largest index)",
    )
    parser.add_argument(
        "--model",
        choices=_MODELS,
        default="LASVC",
        metavar="CLASS",
        help=f"class of the model, one of {', '.join(_MODELS)} (default: %(default)s)",
    )
    parser.add_argument(
        "-p",
        dest="params",
        action="append",
        type=assignment,
        default=[],
        metavar="NAME=VALUE",
        help="parameter of the model, such as C=10 or kernel=poly; may be repeated",
    )
    parser.add_argument(
        "--scale",
        action="store_true",
        help="divide each feature by its standard deviation; features of tables are centered, too",
    )
    parser.add_argument("--seed", type=int, metavar="N", help="random_state of the model")


def positive(text):
    """Return a positive integer."""
    number = int(text)
    if number < 1:
        raise ValueError(text)
    return number


def assignment(text):
    """Return the name and the text of the value of ``NAME=VALUE``."""
    name, equals, value = text.partition("=")
    if not equals:
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=VALUE")
    return name, value


def literal(text):
    """Return a Python literal or a float such as "inf", otherwise the text itself."""
    for read in (ast.literal_eval, float):
        # All of these are documented for literal_eval.
        with suppress(ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
            return read(text)
    return text


def training_data(args):
    """Return the data files of ``train`` and ``tune``, and the model that the options describe."""
    data = DataFiles(args.data, args, n_features=args.n_features)
    if data.is_table and args.target is None:
        raise UsageError("tables need --target, the column with the labels or targets")
    model = model_of(args, data)
    if not is_classifier(model):
        data.dtype = np.dtype(np.float64)
    return data, model


def model_of(args, data, params=None):
    """Return the model that the options describe, with its scaler and cells."""
    kind = _MODELS[args.model]
    given = {name: literal(value) for name, value in args.params} | (params or {})
    names = kind().get_params()
    for name in given:
        if name not in names:
            raise UsageError(f"{kind.__name__} has no parameter {name!r}")
    if args.seed is not None and "random_state" in names:
        given.setdefault("random_state", args.seed)
    try:
        model = kind(**given)
        model._validate_params()
    except (TypeError, ValueError) as error:
        raise UsageError(error) from None
    cells = getattr(args, "cells", None)
    if needs_kernel_values(model) and (cells or args.scale or not data.is_table):
        raise UsageError(
            "kernel='precomputed' needs the matrix of kernel values, which only a table can hold, "
            "without --scale and --cells"
        )
    if cells is not None:
        kind = CellClassifier if is_classifier(model) else CellRegressor
        model = kind(model, cell_size=cells, random_state=args.seed)
    if args.scale:
        # Sparse samples that are centered would no longer be sparse.
        scaler = StandardScaler(with_mean=data.is_table)
        model = OnlinePipeline([("scale", scaler), ("model", model)])
    return model


def loaded(data, model):
    """Return all samples and targets of data files."""
    data.scan(is_classification=is_classifier(model))
    chunks = []
    with data.named_in_errors():
        for X, y in data.chunks():
            if data.is_table and chunks and (differing := set(X) ^ set(chunks[0][0])):
                names = ", ".join(sorted(map(str, differing)))
                raise ValueError(f"the columns differ from those of {data.paths[0]}: {names}")
            chunks.append((X, y))
    X, y = map(stacked, zip(*chunks, strict=True))
    _LOGGER.info("%d samples with %d features", *X.shape)
    return X, y


def data_for(args, paths, model):
    """Return data files for the predictions of a fitted model."""
    n_features = getattr(model, "n_features_in_", None)
    if n_features is None:
        raise ValueError(
            f"the {type(model).__name__} in {args.model} has no number of features: it has not "
            "been fitted, or its first step takes no table of numbers"
        )
    names = getattr(model, "feature_names_in_", None)
    dtype = np.asarray(model.classes_).dtype if is_classifier(model) else np.dtype(np.float64)
    data = DataFiles(paths, args, n_features=n_features, columns=names, dtype=dtype)
    if not data.is_table and (names is not None or needs_kernel_values(model)):
        raise ValueError(f"{paths[0]} is in svmlight format, but the model needs a table")
    return data


def needs_kernel_values(model):
    """Return whether the features must be a matrix of kernel values."""
    return get_tags(final_estimator(model)).input_tags.pairwise


def check_outputs(paths, inputs):
    """Raise an error before a long computation if a result cannot, or must not, be written."""
    for k, path in enumerate(paths):
        folder = os.path.dirname(os.path.abspath(path))
        if os.path.isdir(path):
            raise IsADirectoryError(f"{path} is a directory")
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
