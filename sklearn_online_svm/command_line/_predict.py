"""``predict``: apply a model to data files."""

import logging
import sys
from contextlib import contextmanager

from .._atomic_dump import atomic_file
from ..export import load_model
from ._errors import Errors
from ._options import UsageError, add_data_options, check_outputs, data_for

_LOGGER = logging.getLogger(__package__)


def add_parser(commands):
    """Add the command to the subparsers of ``commands``."""
    parser = commands.add_parser(
        "predict",
        help="predict the targets of data files",
        description="Write the predictions of a model for data files, a line for each sample.",
    )
    parser.set_defaults(run=run)
    add_data_options(parser)
    parser.add_argument("model", metavar="MODEL", help="model file")
    parser.add_argument(
        "-o", "--output", metavar="FILE", help="file to write (default: the standard output)"
    )
    values = parser.add_mutually_exclusive_group()
    values.add_argument("--decision", action="store_true", help="write decision function values")
    values.add_argument("--probability", action="store_true", help="write class probabilities")


def run(args):
    """Run the command."""
    if args.output is not None:
        check_outputs([args.output], [args.model, *args.data])
    model = load_model(args.model)
    data = data_for(args, args.data, model)
    name = "decision_function" if args.decision else "predict"
    name = "predict_proba" if args.probability else name
    if not hasattr(model, name):
        advice = "; train it with -p probability=True, if it has this parameter"
        raise UsageError(
            f"the {type(model).__name__} in {args.model} has no {name}"
            f"{advice if args.probability else ''}"
        )
    errors = Errors(model)
    with data.named_in_errors(), _opened(args.output) as write:
        for X, y in data.chunks():
            if data.is_table and data.columns is None:
                X = X.to_numpy()
            values = getattr(model, name)(X)
            write("\n".join(map(_line, values.tolist())) + "\n")
            if y is not None:
                predicted = values if name == "predict" else model.predict(X)
                if predicted.ndim == 1:  # a file has the target of one output
                    errors.add(predicted, y)
    if errors.n:
        _LOGGER.info("%s", errors)


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
