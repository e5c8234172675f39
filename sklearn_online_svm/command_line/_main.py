"""The commands, their exit codes and messages."""

import argparse
import logging
import os
import sys
import warnings

from .._sklearn_compat import InvalidParameterError
from .._version import __version__
from . import _inspect, _predict, _train, _tune
from ._options import HelpFormatter, UsageError

__all__ = ["main"]

_EPILOG = """\
exit codes:
  0    success
  1    a file cannot be read or written, or its content is invalid
  2    invalid options
  130  interrupted (Ctrl-C)
  141  the reader of the output has closed it (as in "| head")

'COMMAND --help' describes the options of a command, with examples.
"""
_LOGGER = logging.getLogger(__package__)
_BROKEN_PIPE = 141
_INTERRUPTED = 130
# Errors in a file or its content. Others are faults of the program and have a traceback.
_DATA_ERRORS = (EOFError, ImportError, OSError, ValueError)


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
    parser = _parser()
    try:
        args = parser.parse_args(argv)
    except SystemExit as end:
        return end.code
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _show_warning
            _configure(args)
            args.run(args)
            sys.stdout.flush()
    except (InvalidParameterError, UsageError) as error:
        print(_usage_error(args.parser, error), file=sys.stderr)
        return 2
    except BrokenPipeError:
        # Python would write the rest at its end, and fail again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _BROKEN_PIPE
    except KeyboardInterrupt:
        checkpoint = getattr(args, "checkpoint", None)
        advice = f"; the same command continues from {checkpoint}" if checkpoint else ""
        print(f"interrupted{advice}", file=sys.stderr)
        return _INTERRUPTED
    except MemoryError as error:
        reason = f": {error}" if str(error) else ""
        print(f"error: there is not enough memory{reason}", file=sys.stderr)
        return 1
    except _DATA_ERRORS as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


class _Parser(argparse.ArgumentParser):
    """Errors are a line, without the usage of all options."""

    def error(self, message):
        self.exit(2, _usage_error(self, message) + "\n")


def _usage_error(parser, message):
    return f"error: {message} ('{parser.prog} --help' lists the options)"


def _parser():
    parser = _Parser(
        prog="python -m sklearn_online_svm",
        description="Train, tune, apply and inspect support vector machines and online models.",
        epilog=_EPILOG,
        formatter_class=HelpFormatter,
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
