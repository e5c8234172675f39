"""Pools of threads, and warnings that refer to the caller of this package."""

import sys
import warnings
import weakref
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from functools import cache

from joblib import effective_n_jobs
from sklearn import get_config, set_config
from threadpoolctl import ThreadpoolController

# Modules whose functions decorate those of this package: their frames are between a function and
# its caller.
_DECORATING = (
    *("sklearn.base", "sklearn.utils._param_validation", "sklearn.utils._set_output"),
    *("contextlib", "functools"),
)

# A weak reference to those of the present call, or None: an interrupt may leave it behind.
_ISSUED = ContextVar("_ISSUED", default=None)

# With more samples, the time of the full validation is negligible, and threads are worthwhile.
FEW_SAMPLES = 256


class _Issued(set):
    """Warnings that have been issued in a call of an estimator of estimators."""


def warn(message, category=UserWarning, *, of_part=True):
    """Issue a warning that refers to the calling line; ``of_part``: also for a cell's model."""
    issued = _present_warnings()
    if issued is not None:
        if not of_part or (message, category) in issued:
            return
        issued.add((message, category))
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and _is_internal(frame):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)


@contextmanager
def equal_warnings_once():
    """Issue each warning once, although several models give it.

    Python would suppress the others only if no code between them used ``catch_warnings``.
    """
    issued = _present_warnings()
    issued = _Issued() if issued is None else issued
    token = _ISSUED.set(weakref.ref(issued))
    try:
        yield
    finally:
        _ISSUED.reset(token)


def _present_warnings():
    reference = _ISSUED.get()
    return None if reference is None else reference()


def _is_internal(frame):
    name = frame.f_globals.get("__name__", "")
    return name.split(".")[0] == __package__ or name in _DECORATING


def thread_pool(n_jobs, n_rows=None):
    """Return a context of a thread pool, or of None if a single thread is used.

    With few samples threads are not worthwhile, and ``n_jobs`` is not evaluated.
    """
    if n_rows is not None and n_rows <= FEW_SAMPLES:
        return nullcontext()
    n_threads = effective_n_jobs(n_jobs)
    return started_threads(n_threads) if n_threads > 1 else nullcontext()


def started_threads(n_threads):
    """Return a pool of threads with the configuration and the issued warnings of this one."""
    given = get_config(), _ISSUED.get()
    return ThreadPoolExecutor(n_threads, initializer=_begin_thread, initargs=given)


def _begin_thread(config, issued):
    set_config(**config)
    _ISSUED.set(issued)


def blas_threads(n_threads):
    """Return a context in which BLAS uses this number of threads."""
    return _blas().limit(limits=n_threads)


@cache
def _blas():
    return ThreadpoolController().select(user_api="blas")
