"""``predict``: apply a model to data files."""

import logging
import sys
from contextlib import contextmanager

import numpy as np
from sklearn.base import is_classifier
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from .._atomic_dump import atomic_file
from ..export import load_model
from ._data import some_chunks
from ._errors import Errors
from ._options import HelpFormatter, UsageError, add_data_options, check_outputs, data_for

__all__ = ["add_parser"]

_LOGGER = logging.getLogger(__package__)
_EPILOG = """\
The output has a line for each sample. With --decision and --probability it has one value for each
class, in the order of the classes that 'inspect' shows; with two classes, --decision writes a
single value, which is positive for the second one. All digits are written.

Features of tables are found by their names; other columns are ignored. The errors are written to
the standard error output if the targets are known: always in svmlight format, and in tables with
--target.

examples:
  python -m sklearn_online_svm predict a9a.t a9a.skops -o a9a.predictions
  python -m sklearn_online_svm predict today.csv days.skops --target label --probability | head
"""


def add_parser(commands):
    """Add the command to the subparsers of ``commands``."""
    parser = commands.add_parser(
        "predict",
        help="predict the targets of data files",
        description="Write the predictions of a model for data files.",
        epilog=_EPILOG,
        formatter_class=HelpFormatter,
    )
    parser.set_defaults(run=run, parser=parser)
    parser.add_argument(
        "data", nargs="+", metavar="DATA", help="data files, read one after another"
    )
    parser.add_argument("model", metavar="MODEL", help="model file")
    output = parser.add_argument_group("output")
    output.add_argument(
        "-o", "--output", metavar="FILE", help="file to write (default: the standard output)"
    )
    values = output.add_mutually_exclusive_group()
    values.add_argument("--decision", action="store_true", help="write decision function values")
    values.add_argument("--probability", action="store_true", help="write class probabilities")
    output.add_argument("--quiet", action="store_true", help="do not report the errors")
    add_data_options(parser, of_training=False)


def run(args):
    """Run the command."""
    if args.output is not None:
        check_outputs([args.output], [args.model, *args.data])
    model = load_model(args.model)
    try:
        check_is_fitted(model)
    except NotFittedError:
        name = type(model).__name__
        raise ValueError(f"the {name} in {args.model} has not been fitted") from None
    method = _method(args, model)
    labels = np.asarray(model.classes_) if is_classifier(model) else np.zeros(1)
    data = data_for(args, args.data, model, args.model, dtype=labels.dtype)
    errors = Errors(model)
    with _opened(args.output) as write:
        for X, y in some_chunks(data):
            if data.is_table and data.columns is None:
                X = X.to_numpy()
            predicted = method(X)
            write("\n".join(map(_line, predicted.tolist())) + "\n")
            if y is not None:
                outputs = predicted if method == model.predict else model.predict(X)
                if outputs.ndim == 1:  # a file has the target of one output
                    errors.add(outputs, y)
    if errors.n:
        _LOGGER.info("%s", errors)


def _method(args, model):
    """Return the method whose result is written."""
    name = "predict"
    if args.decision or args.probability:
        name = "decision_function" if args.decision else "predict_proba"
    if not hasattr(model, name):
        advice = ". Train it with -p probability=True" if args.probability else ""
        raise UsageError(f"the {type(model).__name__} in {args.model} has no {name}{advice}")
    return getattr(model, name)


def _line(value):
    return " ".join(map(repr, value)) if isinstance(value, list) else str(value)


@contextmanager
def _opened(path):
    """Yield a function that writes text. A file is complete, or not there."""
    if path is None:
        yield sys.stdout.write
        return
    with atomic_file(path) as file:
        yield lambda text: file.write(text.encode())
