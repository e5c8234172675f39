"""Locks of models, and work shared between threads.

A model is changed by one thread at a time; other threads wait (``Guard``). Pool threads that work
for another thread count as that thread: if a kernel function calls ``partial_fit`` of its own
model, the call is refused in every thread, instead of a deadlock.

``Guarded`` is the base class of the estimators. Attributes change all at once: training works on a
draft, and concurrent readers see the former attributes.

No Python code runs between reading the state of a guard and changing it: with the GIL held, each
change is atomic for other threads.
"""
import _signal
from _thread import allocate_lock
from concurrent.futures import wait
from time import sleep

cimport cython
from cpython.pythread cimport PyThread_get_thread_ident
from cpython.ref cimport PyObject
from libc.stdint cimport int64_t

import numpy as np

cdef extern from *:
    """
    static Py_ssize_t n_references(PyObject *object) { return Py_REFCNT(object); }
    static Py_ssize_t n_references_of_item(PyObject *tuple, Py_ssize_t k) {
        return Py_REFCNT(PyTuple_GET_ITEM(tuple, k));
    }
    """
    Py_ssize_t n_references(PyObject *)
    Py_ssize_t n_references_of_item(PyObject *, Py_ssize_t)

# Maps a thread to the thread for which it works.
cdef dict _acting_for = {}


cpdef unsigned long this_thread():
    cdef unsigned long me = PyThread_get_thread_ident()
    return _acting_for.get(me, me) if _acting_for else me


@cython.final
cdef class Guard:
    """A lock that is granted in order of arrival, readers first.

    ``with guard:`` is for training, ``with guard.reading():`` for reading a model. Readers need it
    only briefly, and get it between two blocks of samples.
    """

    def __cinit__(self):
        self.waiting = []

    cpdef bint is_mine(self):
        """Return whether this thread holds the guard."""
        return self.held and self.owner == this_thread()

    cdef int refuse(self) except -1:
        raise RuntimeError(
            "This model is being trained and was called by its own kernel function, or "
            "another function called during fit or partial_fit. It cannot be used there.")

    cdef int enter(self, bint reads) except -1:
        """Wait until this thread holds the guard."""
        cdef unsigned long me = this_thread()
        place = None
        while self.held:
            if self.owner == me:
                self.refuse()
            if place is None:
                # Creating objects may switch threads: check again afterwards.
                place = new_place(me)
                continue
            self.waiting.insert(self.n_reading if reads else len(self.waiting), place)
            self.n_reading += reads
            try:
                place[1].acquire()
            except BaseException:       # an interrupt
                if place in self.waiting:
                    self.n_reading -= self.waiting.index(place) < self.n_reading
                    self.waiting.remove(place)
                else:
                    self.leave()        # the guard was granted in the meantime
                raise
            return 0
        self.held, self.owner = True, me
        return 0

    cdef void leave(self):
        """Pass the guard to the next waiting thread."""
        if self.waiting:
            self.owner, lock = self.waiting.pop(0)
            self.n_reading -= self.n_reading > 0
            lock.release()
        else:
            self.held = False

    cdef int yield_to_readers(self) except -1:
        """Let waiting readers have the guard, if this thread holds it."""
        if self.n_reading == 0 or not self.is_mine():
            return 0
        place = new_place(self.owner)
        self.waiting.insert(self.n_reading, place)
        self.leave()
        interrupt = None
        while True:
            try:
                place[1].acquire()
                break
            except BaseException as error:
                interrupt = error       # but the guard is still to be granted
        if interrupt is not None:
            raise interrupt
        return 0

    def __enter__(self):
        self.enter(False)
        return self

    def __exit__(self, kind, value, traceback):
        self.leave()

    def reading(self):
        """Return a context manager that holds the guard for reading."""
        return Reading(self)


@cython.final
cdef class SharedArrays:
    """Arrays that some threads read while another thread changes them.

    A reader gets the arrays by ``read`` and keeps the reference while reading. During a write,
    readers get copies made beforehand, or try again later. If the arrays have readers when a write
    begins, these and all later readers keep them, and the writer continues with copies.

    Readers are detected by reference counts, because a user may hold a view of the weights
    (``coef_``) for any length of time. This is exact with a GIL: ``read`` takes a reference
    to the tuple, ``begin_write`` counts and begins, and neither runs Python code nor allocates in
    between, so each is atomic for other threads. On a free-threaded interpreter the modules of the
    engine do not declare support, so importing them enables the GIL.
    """

    def publish(self, tuple arrays, int64_t n_rows):
        """Set the arrays, and the number of samples processed."""
        # The base of a view of a view is the memory, not the first view.
        memories = tuple([
            array.base for array in arrays
            if isinstance(array, np.ndarray) and array.base is not None])
        self.memories = memories
        self.arrays = arrays
        self.n_rows = n_rows

    def read(self):
        """Return the arrays and the number of samples; the former ones during a write.

        None for the arrays: there are no former ones; try again after the write.
        """
        cdef tuple arrays
        cdef int64_t n_rows
        # Both before the tuple, as creating objects may switch threads.
        if self.closed:
            arrays, n_rows = self.former, self.n_former
        else:
            arrays, n_rows = self.arrays, self.n_rows
        return arrays, n_rows

    cdef bint begin_write(self, tuple meanwhile):
        """Begin a write; readers get the copies ``meanwhile``, or None.

        Returns False if the arrays have readers and remain with them; then call again with copies
        in place.
        """
        cdef bint held
        if self.closed:
            return True
        held = self.has_readers()
        self.former, self.n_former = self.arrays if held else meanwhile, self.n_rows
        self.closed = True
        return not held

    cpdef void end_write(self, int64_t n_rows):
        """End a write, after ``n_rows`` samples in total."""
        self.n_rows = n_rows
        self.closed = False
        self.former = None

    cdef bint has_readers(self):
        """Return whether the arrays, or views of them, have readers."""
        cdef Py_ssize_t k
        if n_references(<PyObject *>self.arrays) > 1:
            return True
        for k in range(len(self.arrays)):
            # References: here, in the state, and in the engine.
            if n_references_of_item(<PyObject *>self.arrays, k) > 3:
                return True
        for k in range(len(self.memories)):
            # References: here, and in the array.
            if n_references_of_item(<PyObject *>self.memories, k) > 2:
                return True
        return False


cdef object new_place(unsigned long thread):
    """Return an entry for ``waiting``: a lock that is released when the guard is granted."""
    lock = allocate_lock()
    lock.acquire()
    return thread, lock


@cython.final
cdef class Reading:
    cdef Guard guard

    def __cinit__(self, Guard guard):
        self.guard = guard

    def __enter__(self):
        self.guard.enter(True)

    def __exit__(self, kind, value, traceback):
        self.guard.leave()


@cython.auto_pickle(False)
cdef class Guarded:
    """Base class of estimators that several threads may use at the same time."""

    cdef readonly Guard _guard
    cdef dict origin                # of a draft: the attributes it started from
    cdef Guarded view               # the last view, and its attributes
    cdef dict viewed
    cdef bint is_view

    def __cinit__(self, *args, **kwargs):
        self._guard = Guard()

    def _draft(self):
        """Return a copy for training; the attribute values are not copied."""
        cdef Guarded draft = type(self).__new__(type(self))
        draft.origin = self.__dict__.copy()
        draft.__dict__ = draft.origin.copy()
        return draft

    def _take(self, Guarded draft):
        """Take over all attributes that a draft has changed, in one step."""
        cdef dict origin = draft.origin, changed = draft.__dict__, attributes
        # Parameters may have been set in the meantime.
        attributes = self.__dict__.copy()
        for name, value in changed.items():
            if name not in origin or origin[name] is not value:
                attributes[name] = value
        for name in origin:
            if name not in changed:
                attributes.pop(name, None)
        self.__dict__ = attributes
        self.view = self.viewed = None  # they show the former attributes

    def _view(self):
        """Return a view of the model as it is now; later training does not change it."""
        cdef dict attributes = self.__dict__
        cdef Guarded view = self.view
        if self.is_view:
            return self
        if view is None or self.viewed is not attributes:
            view = type(self).__new__(type(self))
            view.is_view, view._guard = True, self._guard
            view.__dict__ = attributes
            self.view, self.viewed = view, attributes
        return view


# ------------------------------------------------------------------------------ parallel work

@cython.final
cdef class Halt:
    """Stop flag of threads that work on parts of one call."""


def act_for(owner, function, arguments):
    """Call a function for another thread: in guards, this thread counts as that one."""
    me = PyThread_get_thread_ident()
    _acting_for[me] = owner
    try:
        return function(*arguments)
    finally:
        del _acting_for[me]


@cython.final
cdef class Calls:
    """Calls (function, argument, ...), of which each thread takes the next one until none is left.

    The next one is taken under the GIL, so that one thread runs it.
    """
    cdef list calls
    cdef list results
    cdef object error
    cdef Halt halt
    cdef Py_ssize_t n_begun

    def __init__(self, calls, halt):
        self.calls, self.results, self.error = calls, [None] * len(calls), None
        self.halt, self.n_begun = halt, 0

    def run(self):
        cdef Py_ssize_t k
        while self.n_begun < len(self.calls):
            k = self.n_begun
            self.n_begun += 1
            try:
                self.results[k] = self.calls[k][0](*self.calls[k][1:])
            except BaseException as error:
                # An exception of a kernel function in one thread leaves others without values,
                # which they report as MemoryError: the cause is raised.
                if self.error is None or isinstance(self.error, MemoryError):
                    self.error = error
                if not isinstance(error, Exception):
                    self.halt.now = True


cdef object share(list calls, object executor, Halt halt):
    """Run the calls (function, argument, ...) in this thread and others; return their results.

    They begin in the given order: the longest ones should come first.

    An interrupt is recorded, the threads are stopped by ``halt``, and it is raised after they have
    ended. If it were raised in the Python code that starts and awaits threads, some of them would
    continue unnoticed.
    """
    caught = []
    cdef Calls work = Calls(calls, halt)

    def note(number, frame):
        halt.now = True
        caught.append(number)

    handler = _signal.getsignal(_signal.SIGINT)
    noting, interrupt = False, None
    while callable(handler) and not noting:
        try:
            _signal.signal(_signal.SIGINT, note)
            noting = True
        except ValueError:
            break                   # not the main thread: signals are handled elsewhere
        except BaseException as error:
            # An interrupt before the handler was set: the threads are started, and stopped at
            # once.
            interrupt, halt.now = error, True
    try:
        me = this_thread()
        futures = [None] * (min(len(calls), executor._max_workers) - 1)
        try:
            for k in range(len(futures)):
                futures[k] = executor.submit(act_for, me, work.run, ())
            work.run()
            wait(futures)
        except BaseException:           # no memory: wait for the threads already started
            halt.now, work.n_begun = True, len(calls)
            for future in futures:
                while future is not None and not future.done():
                    sleep(0.001)
            raise
    finally:
        if noting:
            _signal.signal(_signal.SIGINT, handler)
        halt.now = False
    if caught:
        handler(_signal.SIGINT, None)
    if interrupt is not None:
        raise interrupt
    if work.error is not None:
        raise work.error
    return work.results
