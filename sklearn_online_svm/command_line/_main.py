"""The commands, their exit codes and messages."""

import argparse
import logging
import os
import sys
import warnings

from .._sklearn_compat import InvalidParameterError
from .._version import __version__
from . import _inspect, _predict, _train, _tune
from ._options import UsageError

_LOGGER = logging.getLogger(__package__)
_BROKEN_PIPE = 141
_INTERRUPTED = 130
# Errors in a file or its content, or of options. Others are faults of the program and have a
# traceback.
_ERRORS = (EOFError, ImportError, MemoryError, OSError, ValueError)


def main(argv=None):
    """Run a command, as ``python -m sklearn_online_svm`` does.

    Read more in the :ref:`user guide <command_line>`.

    Parameters
    ----------
    argv : list of str, default=None
        The arguments: the name of a command and its options. None: those of the process.

    Returns
    -------
    code : int
        The exit code: 0 after success, 1 if a file or its content is invalid, 2 if the arguments
        are, 130 after an interrupt, 141 if the reader of the output has closed it. Messages are
        written to ``sys.stderr``.

    Examples
    --------
    >>> from sklearn_online_svm.command_line import main
    >>> main(["--version"])
    sklearn_online_svm 0.1.0
    0
    """
    try:
        args = _parser().parse_args(argv)
    except SystemExit as end:
        return end.code
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _show_warning
            _configure(args)
            args.run(args)
            sys.stdout.flush()
    except BrokenPipeError:
        # Python would write the rest at its end, and fail again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _BROKEN_PIPE
    except KeyboardInterrupt:
        checkpoint = getattr(args, "checkpoint", None)
        is_there = checkpoint is not None and os.path.exists(checkpoint)
        advice = f"; the same command continues from {checkpoint}" if is_there else ""
        print(f"interrupted{advice}", file=sys.stderr)
        return _INTERRUPTED
    except _ERRORS as error:
        print(f"error: {str(error) or type(error).__name__}", file=sys.stderr)
        return 2 if isinstance(error, (InvalidParameterError, UsageError)) else 1
    return 0


def _parser():
    parser = argparse.ArgumentParser(
        prog="python -m sklearn_online_svm",
        description="Train, tune, apply and inspect support vector machines and online models.",
    )
    version = f"sklearn_online_svm {__version__}"
    parser.add_argument("--version", action="version", version=version)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for command in (_train, _tune, _predict, _inspect):
        command.add_parser(commands)
    return parser


def _show_warning(message, category, filename, lineno, file=None, line=None):
    _LOGGER.warning("warning: %s", message)


def _configure(args):
    """Send the messages of this call to the present ``sys.stderr``."""
    _LOGGER.handlers = [logging.StreamHandler(sys.stderr)]
    _LOGGER.propagate = False
    _LOGGER.setLevel(logging.ERROR if getattr(args, "quiet", False) else logging.INFO)
