"""SIGINT (Ctrl-C) at a chosen line of the package, or check of the engine."""

import ast
import copy
import pickle
import signal
import sys
from collections import defaultdict
from functools import cache, partial
from itertools import groupby
from pathlib import Path

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import sklearn_online_svm
from sklearn_online_svm import LabelEfficientClassifier, OneClassLASVM
from sklearn_online_svm.pipeline import OnlinePipeline
from tests.support.internals import DeferredInterrupts, engine_of, has_engine, spec_of
from tests.support.trainable import n_samples_seen

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


class AtLine:
    """Call a function, and ``action`` before the n-th line of the package that it executes.

    Attributes
    ----------
    n_lines : int
        Number of lines executed until then.
    raised : bool
        Whether the function raised KeyboardInterrupt.
    notes : str
        Notes of the exception.
    """

    def __init__(self, action, n, function, *args, **kwargs):
        self.action, self.n, self.n_lines, self.raised, self.notes = action, n, 0, False, ""
        former, handler = sys.gettrace(), signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            sys.settrace(self._trace)
            function(*args, **kwargs)
        except KeyboardInterrupt as error:
            self.raised, self.notes = True, " ".join(getattr(error, "__notes__", ()))
        finally:
            sys.settrace(former)
            left = signal.signal(signal.SIGINT, handler)
        assert left is signal.default_int_handler, "the handler of SIGINT is not restored"

    def _trace(self, frame, event, arg):
        if not frame.f_code.co_filename.startswith(PACKAGE):
            return None
        path, line = frame.f_code.co_filename, frame.f_lineno
        if event == "line" and line not in lines_without_signals(path):
            self.n_lines += 1
            if self.n_lines == self.n:
                sys.settrace(None)
                self.action()
        return self._trace


# Raise SIGINT before the n-th line.
Interrupt = partial(AtLine, partial(signal.raise_signal, signal.SIGINT))


def n_lines(function, *args, **kwargs):
    """Return the number of lines of the package that a function executes."""
    return Interrupt(0, function, *args, **kwargs).n_lines


class InterruptAtCheck:
    """Call a function and raise KeyboardInterrupt at some of the places where Ctrl-C may end it.

    These are the checks of the engine for signals, and the calls of a kernel function (see
    ``interruptible_rbf``), numbered from 1. There are no others, since ``DeferredInterrupts``
    records SIGINT. The handler is called at each check, because it raises the signal for the next
    one; nothing depends on the time.

    Attributes
    ----------
    places : list of str
        For each check, the function and line of the package from which the engine was called.
    raised : bool
        Whether the function raised KeyboardInterrupt.
    """

    is_running = False

    def __init__(self, numbers, function, *args, **kwargs):
        self.numbers, self.places, self.raised = numbers, [], False
        former = signal.signal(signal.SIGINT, self._check)
        try:
            with DeferredInterrupts():
                InterruptAtCheck.is_running = True
                signal.raise_signal(signal.SIGINT)
                function(*args, **kwargs)
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


def values_of(model, X):
    """Return what a copy of a model predicts, or None if the model is not fitted."""
    model = copy.deepcopy(model)
    try:
        values = getattr(model, "decision_function", model.predict)(X)
    except NotFittedError:
        return None
    assert np.isfinite(values).all(), "predictions are not finite"
    return values


def completed(model, before, method, data, notes, given):
    """Complete an interrupted call as documented; return the model.

    ``before``: the model before the call; ``notes``: those of the exception; ``given``: further
    arguments of ``partial_fit``.
    """
    if getattr(model, "interrupted_", False):
        return pickle.loads(pickle.dumps(model)).resume(*data)
    if "resume(X, y)" in notes and "_interrupted" in vars(model):
        return model.resume(*data)
    if "has taken" in notes:
        return model.resume() if vars(model).get("_is_behind") else model
    if method != "partial_fit":
        return getattr(model, method)(*data)
    X, y = data
    n = int(n_samples_seen(model) - n_samples_seen(before))
    expected = (0, len(y)) if has_engine(model) else range(len(y) + 1)
    assert n in expected, f"{n} of {len(y)} samples are counted, and the call cannot be resumed"
    if isinstance(model, OnlinePipeline):  # has learned all or nothing
        n = 0 if np.array_equal(values_of(model, X), values_of(before, X)) else len(y)
    if isinstance(model, LabelEfficientClassifier) and n % 2:
        n = 0  # either the rest is passed or the same samples again
    if "has not taken" in notes:
        n = 0
    return model.partial_fit(X[n:], y[n:], **given) if n < len(y) else model


def check_count(model, data, given):
    """Compare an interrupted call with one of as many samples, in order, also in later training.

    ``fit`` must not shuffle the samples, and ``partial_fit`` must be the first call.
    """
    X, y = data
    n = round(model.t_) - 1 if hasattr(model, "t_") else n_samples_seen(model)
    epochs, rest = divmod(n, len(y)) if n > len(y) else (0, n)
    assert n > 0 and getattr(model, "n_iter_", epochs) - epochs in (0, 1)
    other = clone(model)
    if epochs:
        other.set_params(max_iter=epochs).fit(X, y)
    if rest:
        other.partial_fit(X[:rest], y[:rest], **given)
    others = [copy.deepcopy(each).partial_fit(X[:50], y[:50]) for each in (model, other)]
    for one, another in ((model, other), others):
        # In later epochs, vectors have their slots already: sums have another order.
        assert_allclose(values_of(one, X[:99]), values_of(another, X[:99]), rtol=1e-6, atol=1e-9)
        for name in ("t_", "n_updates_", "queried_", "online_predictions_"):
            assert_array_equal(getattr(one, name, 0), getattr(another, name, 0), err_msg=name)


def check_gradients(model):
    """Check that alpha is in its bounds, and the gradients against recomputed ones."""
    problems = engine_of(model).problems
    before = [problem.members["g"][problem.slots()] for problem in problems]
    engine_of(model).refresh()
    for problem, g in zip(problems, before, strict=True):
        members, slots = problem.members, problem.slots()
        assert_allclose(members["g"][slots], g, rtol=0, atol=1e-6)
        assert (members["lower"] <= members["alpha"]).all()
        assert (members["alpha"] <= members["upper"]).all()
        if spec_of(model).solver.has_bias and not isinstance(model, OneClassLASVM):
            assert abs(members["alpha"].sum()) < 1e-6
