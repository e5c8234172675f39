"""``train``: fit a model to data files."""

import logging

import numpy as np
from sklearn.base import is_classifier

from .._optional import import_optional
from ..export import save_model
from ..linear import __all__ as linear_models
from ..readers import fit_stream
from ._data import numbers_if_possible, some_chunks
from ._errors import Errors, ProgressiveModel
from ._options import (
    HelpFormatter,
    UsageError,
    add_data_options,
    add_model_options,
    check_outputs,
    data_for,
    data_of,
    positive,
    training_data,
)

__all__ = ["add_parser"]

_LOGGER = logging.getLogger(__package__)
_EPILOG = """\
With --stream the samples are read in chunks, in their order, and the memory does not depend on the
size of the files. The progressive error is that of predictions for each chunk before the model is
trained on it. The classes are found by reading the files once before, unless --classes is given.
Without --stream all samples are loaded, and the model is fitted as by its method fit.

The same command continues after a crash or Ctrl-C if it has --checkpoint. Delete the file to begin
again, and load only checkpoints that you trust: they are pickles.

examples:
  python -m sklearn_online_svm train a9a -o a9a.skops -p C=1 -p gamma=0.05 --test a9a.t
  python -m sklearn_online_svm train rcv1.svm.gz -o rcv1.skops --model AROWClassifier
  python -m sklearn_online_svm train day*.csv -o days.skops --target label --model SCWClassifier \\
      --scale --checkpoint days.checkpoint
  python -m sklearn_online_svm train big.parquet -o big.skops --target y --scale --cells 4000
"""


def add_parser(commands):
    """Add the command to the subparsers of ``commands``."""
    parser = commands.add_parser(
        "train",
        help="fit a model to data files",
        description="Fit a model to data files and store it.",
        epilog=_EPILOG,
        formatter_class=HelpFormatter,
    )
    parser.set_defaults(run=run, parser=parser)
    parser.add_argument(
        "data", nargs="+", metavar="DATA", help="data files, read one after another"
    )
    output = parser.add_argument_group("output")
    output.add_argument(
        "-o", "--output", required=True, metavar="FILE", help="model file to write"
    )
    output.add_argument(
        "--test", nargs="+", default=[], metavar="DATA", help="report the errors on these files"
    )
    output.add_argument("--quiet", action="store_true", help="report nothing but errors")
    model = add_model_options(parser)
    model.add_argument(
        "--cells", type=positive, metavar="N", help="one model for each cell of at most N samples"
    )
    add_data_options(parser, of_training=True)
    group = parser.add_argument_group("streams")
    group.add_argument(
        "--stream",
        action="store_const",
        const=True,
        help="train chunk by chunk; this is the default for linear models and with --checkpoint",
    )
    group.add_argument(
        "--no-stream",
        dest="stream",
        action="store_const",
        const=False,
        help="load all samples; this is the default for all other models",
    )
    group.add_argument(
        "--epochs", type=positive, default=1, metavar="N", help="number of passes over a stream"
    )
    group.add_argument(
        "--classes", metavar="LABEL,...", help="all classes; without it the files are read twice"
    )
    group.add_argument(
        "--checkpoint", metavar="FILE", help="store model and position, and continue from FILE"
    )
    group.add_argument(
        "--checkpoint-every",
        type=float,
        default=60.0,
        metavar="SECONDS",
        help="time between two writes of the checkpoint",
    )


def run(args):
    """Run the command."""
    outputs = [path for path in (args.output, args.checkpoint) if path is not None]
    check_outputs(outputs, [*args.data, *(args.test or ())])
    import_optional("skops.io", "train")  # not only after the training
    test = data_of(args, args.test) if args.test else None  # raises an error for missing files
    data, model = training_data(args)
    if test is not None and data.is_table and not test.is_table:
        raise UsageError("--test needs tables, like those of the training")
    if _streams(args, model):
        model = _fit_stream(args, model, data)
    else:
        model = _fit(model, data)
    save_model(model, args.output)
    if args.test:
        _report_test(args, model, data)


def _streams(args, model):
    """Return whether the model is trained in chunks."""
    stream = args.stream
    if stream is None:
        is_linear = args.model in linear_models and args.cells is None
        stream = is_linear or args.checkpoint is not None
    if stream and not hasattr(model, "partial_fit"):
        name = args.model if args.cells is None else "a model with --cells"
        raise UsageError(f"{name} cannot be trained on a stream")
    if args.classes is not None and not is_classifier(model):
        raise UsageError(f"{args.model} is a regressor, which has no --classes")
    of_streams = {
        "--checkpoint": args.checkpoint is not None,
        "--classes": args.classes is not None,
        "--epochs": args.epochs > 1,
    }
    given = [option for option, is_given in of_streams.items() if is_given]
    if given and not stream:
        raise UsageError(f"{given[0]} needs --stream")
    return stream


def _fit(model, data):
    """Load all samples and fit the model."""
    X, y = data.load(is_classification=is_classifier(model))
    _LOGGER.info("%d samples with %d features", *X.shape)
    return model.fit(X, y)


def _listed(labels, data):
    """Return the labels of --classes, in the type of the labels of the data."""
    labels = labels.split(",")
    if "" in labels or len(set(labels)) < 2:
        raise UsageError(f"--classes needs at least two labels and no empty one, got {labels}")
    if data.is_table:
        classes = numbers_if_possible(labels)
        data.dtype = classes.dtype
        return classes
    try:
        classes = np.unique(np.array(labels, dtype=np.float64))
    except ValueError:
        classes = np.array([np.nan])
    if not np.isfinite(classes).all():
        raise UsageError(f"svmlight files have finite numbers as labels, not {labels}")
    is_integer = (classes == np.floor(classes)) & (np.abs(classes) < 2**53)  # as in the reader
    return classes.astype(np.int64) if is_integer.all() else classes


def _fit_stream(args, model, data):
    """Train the model chunk by chunk."""
    classes = None
    if args.classes is not None:
        classes = _listed(args.classes, data)
    needs_labels = is_classifier(model) and classes is None
    if needs_labels or not (data.is_table or data.n_features):
        labels = data.scan(is_classification=needs_labels)
        classes = labels if needs_labels else classes
    progress = fit_stream(
        ProgressiveModel(model),
        data.chunks,
        epochs=args.epochs,
        classes=classes,
        checkpoint=args.checkpoint,
        checkpoint_every=args.checkpoint_every,
    )
    progress.report()
    return progress.model


def _report_test(args, model, data):
    dtype = data.dtype if data.is_table else None
    test = data_for(args, args.test, model, args.output, dtype=dtype)
    errors = Errors(model)
    for X, y in some_chunks(test):
        errors.add(model.predict(X), y)
    _LOGGER.info("test: %s", errors)
