"""``train``: fit a model to data files."""

import argparse
import logging

import numpy as np
from sklearn.base import is_classifier

from ..export import save_model
from ..linear import __all__ as linear_models
from ..readers import fit_stream
from ..readers._reader_chunks import ReaderChunks
from ._data import DataFiles
from ._errors import Errors, ProgressiveModel
from ._options import (
    UsageError,
    add_data_options,
    add_model_options,
    check_outputs,
    data_for,
    literal,
    loaded,
    positive,
    training_data,
)

_LOGGER = logging.getLogger(__package__)


def add_parser(commands):
    """Add the command to the subparsers of ``commands``."""
    parser = commands.add_parser(
        "train",
        help="fit a model to data files",
        description="Fit a model to data files and store it. The same command continues after a "
        "crash or Ctrl-C if it has --checkpoint.",
    )
    parser.set_defaults(run=run)
    add_data_options(parser)
    add_model_options(parser)
    parser.add_argument(
        "--cells", type=positive, metavar="N", help="one model for each cell of at most N samples"
    )
    parser.add_argument(
        "-o", "--output", required=True, metavar="FILE", help="model file to write"
    )
    parser.add_argument(
        "--test", nargs="+", default=[], metavar="DATA", help="report the errors on these files"
    )
    group = parser.add_argument_group("streams")
    group.add_argument(
        "--stream",
        action=argparse.BooleanOptionalAction,
        help="train chunk by chunk, or load all samples (default: --stream for linear models and "
        "with --checkpoint, --no-stream for all others)",
    )
    group.add_argument(
        "--epochs", type=positive, default=1, metavar="N", help="number of passes over a stream"
    )
    group.add_argument(
        "--classes", metavar="LABEL,...", help="all classes; without it the files are read twice"
    )
    group.add_argument(
        "--checkpoint",
        metavar="FILE",
        help="store model and position in this file, a pickle, and continue from it",
    )
    group.add_argument(
        "--checkpoint-every",
        type=float,
        default=60.0,
        metavar="SECONDS",
        help="time between two writes of the checkpoint (default: %(default)s)",
    )


def run(args):
    """Run the command."""
    outputs = [path for path in (args.output, args.checkpoint) if path is not None]
    check_outputs(outputs, [*args.data, *args.test])
    DataFiles([*args.data, *args.test], args)  # raises an error if --test has another format
    data, model = training_data(args)
    if _streams(args, model):
        model = _fit_stream(args, model, data)
    else:
        X, y = loaded(data, model)
        with data.named_in_errors():
            model.fit(X, y)
    save_model(model, args.output)
    if args.test:
        errors = Errors(model)
        data = data_for(args, args.test, model)
        with data.named_in_errors():
            for X, y in data.chunks():
                errors.add(model.predict(X), y)
        _LOGGER.info("test: %s", errors)


def _streams(args, model):
    """Return whether the model is trained in chunks."""
    stream = args.stream
    if stream is None:
        is_linear = args.model in linear_models and args.cells is None
        stream = is_linear or args.checkpoint is not None
    if stream and not hasattr(model, "partial_fit"):
        raise UsageError(f"{args.model} cannot be trained on a stream with these options")
    if not stream and (args.checkpoint or args.classes or args.epochs > 1):
        raise UsageError("--checkpoint, --classes and --epochs need --stream")
    if args.classes is not None and not is_classifier(model):
        raise UsageError(f"{args.model} is a regressor, which has no --classes")
    return stream


def _fit_stream(args, model, data):
    """Train the model chunk by chunk."""
    if args.classes is None:
        classes = data.scan(is_classification=is_classifier(model))
    else:
        data.scan(is_classification=False)  # sets the number of features
        labels = args.classes.split(",")
        classes = data.set_labels(labels) if data.is_table else np.unique([*map(literal, labels)])
    options = {
        "--target": data.target,
        "--zero-based": data.zero_based,
        "--n-features": data.n_features,
        "--chunk-size": data.chunk_size,
    }
    with data.named_in_errors():
        progress = fit_stream(
            ProgressiveModel(model),
            lambda: ReaderChunks(data.chunks(), **options),
            epochs=args.epochs,
            classes=classes,
            checkpoint=args.checkpoint,
            checkpoint_every=args.checkpoint_every,
        )
    progress.report()
    return progress.model
