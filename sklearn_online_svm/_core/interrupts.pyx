"""SIGINT (Ctrl-C) during training: recorded, and raised where the model is consistent."""
from _signal import SIGINT, getsignal, signal

cimport cython
from cpython.exc cimport PyErr_CheckSignals
from cpython.pythread cimport PyThread_get_thread_ident

# The outermost context that is active, in the main thread, or None.
cdef DeferredInterrupts _active = None
# Whether a function of the user is running, which may be interrupted anywhere.
cdef bint _in_function = False


@cython.final
cdef class DeferredInterrupts:
    """Context in which SIGINT is recorded instead of raised.

    ``check_interrupts`` raises it, and so does the end of the context if no other exception is
    raised there. Within a function of the user (``call_function``) it is raised at once. In
    threads other than the main thread, or if SIGINT has no Python handler, the context has no
    effect. An inner context has no effect either.
    """
    cdef object handler
    cdef bint is_active, is_pending
    cdef unsigned long thread

    def __enter__(self):
        global _active
        if _active is not None:
            return self
        handler = getsignal(SIGINT)
        if callable(handler):
            self.handler, self.thread = handler, PyThread_get_thread_ident()
            try:
                signal(SIGINT, self._record)
            except ValueError:
                return self             # not the main thread
            self.is_active, _active = True, self
        return self

    def __exit__(self, kind, value, traceback):
        global _active
        if self.is_active:
            self.is_active, _active = False, None
            signal(SIGINT, self.handler)
            if kind is None:
                self.raise_pending()
        return False

    def _record(self, number, frame):
        if _in_function:
            self.handler(number, frame)
        else:
            self.is_pending = True

    cdef int raise_pending(self) except -1:
        if self.is_pending:
            self.is_pending = False
            self.handler(SIGINT, None)
        return 0


cdef int check_interrupts() except -1:
    """Run pending signal handlers, and raise a recorded SIGINT of this thread."""
    PyErr_CheckSignals()
    if (_active is not None and _active.is_pending
            and _active.thread == PyThread_get_thread_ident()):
        _active.raise_pending()
    return 0


cdef object call_function(function, first, second):
    """Call a function of the user, such as a kernel; SIGINT is raised in it."""
    global _in_function
    if _active is None or _active.thread != PyThread_get_thread_ident():
        return function(first, second)
    _in_function = True
    try:
        return function(first, second)
    finally:
        _in_function = False
