"""SIGINT (Ctrl-C) at a chosen line of the package, or check of the engine."""

import ast
import signal
import sys
from collections import defaultdict
from functools import cache
from itertools import groupby
from pathlib import Path

import numpy as np
from scipy.spatial.distance import cdist

import sklearn_online_svm
from tests.support.internals import DeferredInterrupts

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


class InterruptAtCheck:
    """Call a function and raise KeyboardInterrupt at some of the places where Ctrl-C may end it.

    These are the checks of the engine for signals, and the calls of a kernel function (see
    ``interruptible_rbf``). There are no others, since ``DeferredInterrupts`` records SIGINT: not
    before the first check of a call of the engine, nor after the last one. The handler is called
    at each check, because it raises the signal for the next one; nothing depends on the time.

    Parameters
    ----------
    numbers : tuple of int
        Numbers of the checks at which KeyboardInterrupt is raised, from 1.
    function, *args : callable and its arguments

    Attributes
    ----------
    places : list of str
        For each check, the function and line of the package from which the engine was called.
    raised : bool
        Whether the function raised KeyboardInterrupt.
    """

    is_running = False

    def __init__(self, numbers, function, *args):
        self.numbers, self.places, self.raised = numbers, [], False
        former = signal.signal(signal.SIGINT, self._check)
        try:
            with DeferredInterrupts():
                InterruptAtCheck.is_running = True
                signal.raise_signal(signal.SIGINT)
                function(*args)
                InterruptAtCheck.is_running = False
        except KeyboardInterrupt:
            self.raised = True
        finally:
            InterruptAtCheck.is_running = False
            signal.signal(signal.SIGINT, former)

    def _check(self, number, frame):
        if not self.is_running:
            return
        caller = sys._getframe(1)
        while not caller.f_code.co_filename.startswith(PACKAGE):
            caller = caller.f_back
        self.places.append(f"{caller.f_code.co_name}, line {caller.f_lineno}")
        if frame is None:  # not within a kernel function
            signal.raise_signal(signal.SIGINT)
        if len(self.places) in self.numbers:
            raise KeyboardInterrupt


def some_checks(places, most):
    """Return numbers of checks, at most so many of each place: the first, the last, and between.

    If there are calls of the engine from several places, these are those of each call.
    """
    of_place, end = defaultdict(set), 0
    for place, run in groupby(places):
        begin, end = end + 1, end + len([*run])
        of_place[place].update(np.linspace(begin, end, most).astype(int))
    numbers = [np.sort([*found]) for found in of_place.values()]
    some = [found[np.linspace(0, len(found) - 1, most).astype(int)] for found in numbers]
    return np.unique(some).tolist()


def interruptible_rbf(A, B):
    """Compute values of an rbf kernel; KeyboardInterrupt may be raised in it."""
    if InterruptAtCheck.is_running:
        signal.raise_signal(signal.SIGINT)
    return np.exp(-0.05 * cdist(A, B, "sqeuclidean"))
