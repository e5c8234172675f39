"""``predict``: apply a model to data files."""

import logging
import sys
from argparse import ArgumentTypeError
from contextlib import contextmanager

from sklearn.base import is_classifier

from .._atomic_dump import atomic_file
from ..export import load_model
from ..pipeline import final_estimator
from ._errors import Errors
from ._options import UsageError, add_data_options, check_outputs, data_for

_LOGGER = logging.getLogger(__package__)
# Parameters without which models do not have a method.
_NEEDED = {
    "predict_proba": "probability",
    "predict_set": "probability",
    "predict_interval": "intervals",
}


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
    values.add_argument(
        "--confidence",
        type=_level,
        metavar="LEVEL",
        help="write intervals or sets that contain the target with this frequency, such as 0.9: "
        "the lower and the upper end, or 1 for each class in the set and 0 for the others",
    )


def _level(text):
    level = float(text)
    if not 0.0 < level < 1.0:
        raise ArgumentTypeError(f"must be between 0 and 1, got {text}")
    return level


def run(args):
    """Run the command."""
    if args.output is not None:
        check_outputs([args.output], [args.model, *args.data])
    model = load_model(args.model)
    data = data_for(args, args.data, model)
    name = "decision_function" if args.decision else "predict"
    name = "predict_proba" if args.probability else name
    if args.confidence is not None:
        name = "predict_set" if is_classifier(model) else "predict_interval"
    # Pipelines have no methods for sets and intervals.
    final = model if args.confidence is None else final_estimator(model)
    if not hasattr(final, name):
        final, needed = final_estimator(final), _NEEDED.get(name)
        has_parameter = needed in final.get_params(deep=False)
        advice = f"; train it with -p {needed}=True" if has_parameter else ""
        raise UsageError(f"the {type(final).__name__} in {args.model} has no {name}{advice}")
    errors = Errors(model)
    with data.named_in_errors(), _opened(args.output) as write:
        for X, y in data.chunks():
            if data.is_table and data.columns is None:
                X = X.to_numpy()
            if args.confidence is None:
                values = getattr(model, name)(X)
            else:
                transformed = X if final is model else model[:-1].transform(X)
                values = getattr(final, name)(transformed, args.confidence)
                values = values.astype(int if name == "predict_set" else float)
                values = values.reshape(len(values), -1)  # the intervals of all outputs
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
