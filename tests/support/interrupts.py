"""SIGINT (Ctrl-C) at a chosen line of the package."""

import ast
import signal
import sys
from functools import cache
from pathlib import Path

import sklearn_online_svm

PACKAGE = str(Path(sklearn_online_svm.__file__).parent)


@cache
def lines_without_signals(path):
    """Lines of ``try`` and of the heads of ``with`` statements.

    A trace function is called there also where ``__exit__`` would not be called after an error,
    and Python handles no signals.
    """
    nodes = [*ast.walk(ast.parse(Path(path).read_text()))]
    heads = [node for node in nodes if isinstance(node, ast.With | ast.Try)]
    return {line for node in heads for line in range(node.lineno, node.body[0].lineno)}


class Interrupt:
    """Call a function and raise SIGINT before the n-th line of the package that it executes.

    Attributes
    ----------
    n_lines : int
        Number of lines executed until then.
    raised : bool
        Whether the function raised KeyboardInterrupt.
    notes : str
        Notes of the exception.
    """

    def __init__(self, n, function, *args, **kwargs):
        self.n, self.n_lines, self.raised, self.notes = n, 0, False, ""
        former, handler = sys.gettrace(), signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            sys.settrace(self._trace)
            function(*args, **kwargs)
        except KeyboardInterrupt as error:
            self.raised, self.notes = True, " ".join(getattr(error, "__notes__", ()))
        finally:
            sys.settrace(former)
            signal.signal(signal.SIGINT, handler)

    def _trace(self, frame, event, arg):
        if not frame.f_code.co_filename.startswith(PACKAGE):
            return None
        path, line = frame.f_code.co_filename, frame.f_lineno
        if event == "line" and line not in lines_without_signals(path):
            self.n_lines += 1
            if self.n_lines == self.n:
                signal.raise_signal(signal.SIGINT)
        return self._trace


def n_lines(function, *args, **kwargs):
    """Return the number of lines of the package that a function executes."""
    return Interrupt(0, function, *args, **kwargs).n_lines
