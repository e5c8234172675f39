"""Who may change a model, and work shared between threads.

A model is changed by one thread at a time, the others wait for their turn (``Guard``). Threads of
a pool at work for another thread count as that one: a kernel function that calls ``partial_fit``
of the model it belongs to is refused in whichever thread it is called, instead of waiting for
itself.

``Guarded`` is the base of the estimators. Attributes change all at once: learning works on a
draft, and whoever reads meanwhile sees the attributes as they were.

Nothing here runs Python code between a look at the state of a guard and its change: with the GIL
held, each change is one step for all other threads.
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

# Threads at work for another one.
cdef dict _acting_for = {}


cdef unsigned long _this_thread():
    cdef unsigned long me = PyThread_get_thread_ident()
    return _acting_for.get(me, me) if _acting_for else me


@cython.final
cdef class Guard:
    """A lock whose waiting threads have their turns in order of arrival, readers first.

    ``with guard:`` for those who learn, ``with guard.reading():`` for those who look at what has
    been learnt: they need it for a moment only, and have it between two blocks of rows.
    """

    def __cinit__(self):
        self.waiting = []

    cdef bint is_mine(self):
        """Whether this thread holds it."""
        return self.held and self.owner == _this_thread()

    cdef int refuse(self) except -1:
        raise RuntimeError(
            "This model is in the midst of learning and was called by its own kernel function, or "
            "another function that learning calls; nothing can be asked of it there.")

    cdef int enter(self, bint reads) except -1:
        """Wait for the turn of this thread."""
        cdef unsigned long me = _this_thread()
        place = None
        while self.held:
            if self.owner == me:
                self.refuse()
            if place is None:
                # New objects may be a reason to run other threads: look again afterwards.
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
                    self.leave()        # its turn has come in the meantime
                raise
            return 0
        self.held, self.owner = True, me
        return 0

    cdef void leave(self):
        """Give the turn to the thread that is next."""
        if self.waiting:
            self.owner, lock = self.waiting.pop(0)
            self.n_reading -= self.n_reading > 0
            lock.release()
        else:
            self.held = False

    cdef int give_way(self) except -1:
        """Let those who wait to read have their turns, if this thread holds the guard."""
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
                interrupt = error       # but the turn is still to come
        if interrupt is not None:
            raise interrupt
        return 0

    def __enter__(self):
        self.enter(False)
        return self

    def __exit__(self, kind, value, traceback):
        self.leave()

    def reading(self):
        """Context in which the guard is held to read."""
        return Reading(self)


@cython.final
cdef class Shelf:
    """Arrays that some threads read while another one wants to write to them.

    Whoever reads takes them with ``look`` and holds them while he reads. Whoever writes closes the
    shelf until he has done: who comes meanwhile sees copies made beforehand, or comes back later.
    If the arrays are held when the shelf is to be closed, they are left to those who hold them and
    to all who come meanwhile; the writer goes on with copies.

    Who holds an array is told by reference counts. That is exact as long as there is a GIL:
    ``look`` takes a reference to the tuple, ``close`` counts and closes, and neither runs Python
    code nor allocates in between, so each is one step for all other threads. Where an interpreter
    can do without the GIL, the modules of the engine do not say that they can, and it comes back
    when they are imported.
    """

    def put(self, tuple arrays, int64_t n_rows):
        """From now on these are the arrays, and so many rows have been learnt."""
        # A view of a view knows the memory of the first, not the first.
        memories = tuple([
            array.base for array in arrays
            if isinstance(array, np.ndarray) and array.base is not None])
        self.memories = memories
        self.arrays = arrays
        self.n_rows = n_rows

    def look(self):
        """Return the arrays and the number of rows, those of before while somebody writes.

        None for the arrays: there are none of before, come back when the writer has done.
        """
        cdef tuple arrays
        cdef int64_t n_rows
        # Both first, then the tuple: new objects may let other threads run.
        if self.closed:
            arrays, n_rows = self.former, self.n_former
        else:
            arrays, n_rows = self.arrays, self.n_rows
        return arrays, n_rows

    cdef bint close(self, tuple meanwhile):
        """Begin to write, while others see these copies, or nothing if None.

        False: the arrays are held, and others go on seeing them. Call again with copies in place.
        """
        cdef bint held
        if self.closed:
            return True
        held = self.is_held()
        self.former, self.n_former = self.arrays if held else meanwhile, self.n_rows
        self.closed = True
        return not held

    cpdef void open(self, int64_t n_rows):
        """Show what was written: after so many rows."""
        self.n_rows = n_rows
        self.closed = False
        self.former = None

    cdef bint is_held(self):
        """Whether somebody holds the arrays, one of them, or a view of one."""
        cdef Py_ssize_t k
        if n_references(<PyObject *>self.arrays) > 1:
            return True
        for k in range(len(self.arrays)):
            # Known here, to the state, and to the engine.
            if n_references_of_item(<PyObject *>self.arrays, k) > 3:
                return True
        for k in range(len(self.memories)):
            # Known here, and to the array.
            if n_references_of_item(<PyObject *>self.memories, k) > 2:
                return True
        return False


cdef object new_place(unsigned long thread):
    """A place in the line: a lock that is released when the turn of the thread has come."""
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
    """Base of estimators that may be used by several threads at once."""

    cdef readonly Guard _guard
    cdef dict origin                # of a draft: the attributes it started from
    cdef Guarded view               # the last view, and its attributes
    cdef dict viewed
    cdef bint is_view

    def __cinit__(self, *args, **kwargs):
        self._guard = Guard()

    def _draft(self):
        """Return a copy to learn with; the attributes themselves are not copied."""
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
        self.view = self.viewed = None  # which have what was learnt before

    def _view(self):
        """Return the model as it is now; what is learnt from now on does not change the view."""
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


# ------------------------------------------------------------------------------ sharing

@cython.final
cdef class Halt:
    """Whether threads that share some work should come back."""


def _act_for(owner, function, arguments):
    me = PyThread_get_thread_ident()
    _acting_for[me] = owner
    try:
        return function(*arguments)
    finally:
        del _acting_for[me]


cdef object share(list calls, object executor, Halt halt):
    """Run the calls (function, argument, ...) in threads.

    An interrupt is noted; the threads are told to stop by ``halt``, and it is raised when they
    have. An exception in the midst of the Python code that starts and awaits threads would leave
    some of them running, unknown to all.
    """
    caught = []

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
            break                   # not the main thread: no signal is handled here
        except BaseException as error:
            # One that came before: threads are told to stop, not left out.
            interrupt, halt.now = error, True
    try:
        me = _this_thread()
        futures = [None] * len(calls)
        try:
            for k, call in enumerate(calls):
                futures[k] = executor.submit(_act_for, me, call[0], call[1:])
            wait(futures)
        except BaseException:           # no memory: those that have begun come back first
            halt.now = True
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
    # What a kernel function raises in one thread leaves others without values, which they take for
    # want of memory: the cause comes first.
    for future in futures:
        error = future.exception()
        if error is not None and not isinstance(error, MemoryError):
            raise error
    return [future.result() for future in futures]
