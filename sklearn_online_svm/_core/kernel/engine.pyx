"""Problems over one store; the contract is in the ``.pxd``.

What ``state`` gives is all there is to know of an engine between two calls; kernel rows, which can
be computed again, are left out.
"""
from cpython.ref cimport PyObject

from ..guard cimport Guard, Halt
from ..simd.leaves cimport LEAVES_BLOCK, LEAVES_TILE
from .fresh_rows cimport Fresh, FreshRows
from .problem cimport Problem
from .slots cimport Slots
from .stores cimport Store

import time

import numpy as np

from ..stored import Stored

# Of what ``state`` gives; another number for each change of its fields.
_FORMAT = 4


cdef extern from *:
    """
    static inline Py_ssize_t n_references(PyObject *object) { return Py_REFCNT(object); }
    """
    Py_ssize_t n_references(PyObject *)


cdef places_of(running, bint shares):
    """The rows of the block that was interrupted: which of them had been loaded, as what."""
    places = running.array("block", np.int32, (None,), low=-1)
    steps = np.diff(places[places >= 0], prepend=-1)
    counts = (steps == 1) | (steps == 0) if shares else steps == 1
    running.require(len(places) <= LEAVES_BLOCK and counts.all() and 0 not in steps[:1],
                    "block", f"must number up to {LEAVES_BLOCK} rows")
    return places


cdef class Engine:
    """Problems over one store.

    Parameters
    ----------
    store : Store
    problems : list of Problem
        One (binary), or one per class.
    row_bytes : int, default=0
        Memory for the kernel rows of several problems: those that they share, and those that each
        keeps for itself.
    shares : bool, default=False
        Whether members of one problem may have a vector in common. Labels say nothing of targets
        then. The slots of the problems must not be those of the store.
    """
    def __init__(self, Store store, list problems, Py_ssize_t row_bytes=0, *,
                 bint shares=False):
        self.store = store
        self.shares = shares
        self.problems = problems
        self.several = len(problems) > 1
        self.kept = {}
        self.guard = Guard()
        self.halt = Halt()
        self.slots = Slots(store, problems, shares)
        self.fresh = FreshRows(store)
        self.share_rows(row_bytes)

    def share_rows(self, Py_ssize_t row_bytes):
        """Another budget for kernel rows that the problems share."""
        self.slots.share_rows(row_bytes)

    # -------------------------------------------------------------------------- state

    def state(self):
        """Arrays, copies all of them, from which ``restore`` rebuilds everything but the kernel
        rows."""
        return {
            "format": _FORMAT,
            "store": self.store.state(),
            "n_slots": self.store.n_slots,
            "problems": [problem.state() for problem in self.problems],
            "n_evaluations": self.n_evaluations,
            **self.slots.state(),
        }

    def restore(self, state, bint same_kernel=True, running=None):
        """Take what ``state()`` gave, or a :class:`Stored` of it. An engine whose state is refused
        is of no use; one with values of another kernel (``same_kernel=False``) wants to
        ``recompute``; one that was interrupted, which ``running`` tells of, to ``resume``."""
        cdef Problem problem
        cdef Py_ssize_t n_loaded = 0, n_problems = len(self.problems)
        state = Stored.of(state)
        if running is not None and running.has("block"):
            n_loaded = places_of(running, self.shares).max(initial=-1) + 1
        state.expect_format(_FORMAT)
        n_slots = state.integer("n_slots", 0, 2**31 - LEAVES_TILE)
        self.store.restore(state.part("store"), n_slots)
        self.n_evaluations = state.integer("n_evaluations")
        parts = state.parts("problems", n_problems)
        for problem, part in zip(self.problems, parts):
            problem.restore(part, same_kernel, n_loaded)
            part.end()
        self.slots.restore(
            state, parts, None if running is None else running.parts("problems", n_problems))
        state.end()
        self.solution = None

    # -------------------------------------------------------------------------- how calls end

    @property
    def cut(self):
        """Whether the last call was ended where none can go on."""
        return self.store.cut

    def was_interrupted(self, error):
        """Whether learning was ended from outside, not by what it met itself."""
        return isinstance(error, KeyboardInterrupt) or (
            not isinstance(error, Exception) and error is not self.store.raised)

    cdef int begin_alone(self, Problem problem) except -1:
        """A block without rows: lengths and buffers fit the members as they are."""
        cdef Fresh fresh
        fresh.values, fresh.gram, fresh.ld, fresh.gram_ld = NULL, NULL, 0, 0
        self.slots.divide_memory()
        return problem.begin_block(&fresh, 0)

    cdef int raise_interrupts(self) except -1:
        """Ctrl-C: seen earlier, in a Python kernel, or now. The engine is whole here."""
        if self.interrupt is not None:
            interrupt, self.interrupt, self.store.interrupt = self.interrupt, None, None
            raise interrupt
        self.store.raise_interrupt()
        return 0

    cdef int raise_errors(self, Py_ssize_t code) except -1:
        if self.store.failed:
            self.interrupt = None
        return self.store.raise_errors(code)

    cdef list saved(self):
        """All that learning changes, to come back to with ``take_back``."""
        return [problem.state() for problem in self.problems]

    cdef int take_back(self, list saved) except -1:
        """Back to ``saved``; kernel rows are computed again."""
        cdef Problem problem
        for problem, state in zip(self.problems, saved):
            problem.take_back(state)
        return 0

    # -------------------------------------------------------------------------- the store

    cdef bint is_read(self):
        """Whether a prediction is at work on the vectors where they lie."""
        cdef Py_ssize_t n_known = 1          # that in the store
        if self.solution is not None and self.solution.store.lease is self.store.lease:
            if n_references(<PyObject *>self.solution) > 1:
                return True
            n_known = 2
        return n_references(<PyObject *>self.store.lease) > n_known

    cdef int write_store(self) except -1:
        """Write rows kept in this block into the store, and give up vectors nobody refers to: in
        one step, as other threads see it."""
        while self.is_read():
            try:
                self.store.unshare()
            except MemoryError:
                time.sleep(0.001)       # no copy then: wait until they have read
        self.solution = None
        return self.slots.write(self.fresh)

    # -------------------------------------------------------------------------- a call

    cdef int class_of(self, Py_ssize_t c) noexcept nogil:
        """The class that problem ``c`` takes for +1."""
        return <int>c if self.several else 1

    def allow(self, steps):
        """Steps of each problem until the next ``allow``; without it there is no end to them."""
        for problem in self.problems:
            problem.allow(steps)

    @property
    def out_of_steps(self):
        """Whether a problem has none left."""
        cdef Problem problem
        for problem in self.problems:
            if problem.steps_left <= 0:
                return True
        return False

    @property
    def cut_short(self):
        """Whether REPROCESS had to leave off before it was content. Makes no objects: it is asked
        when a chunk has been learnt."""
        cdef Problem problem
        for problem in self.problems:
            if problem.cut_short:
                return True
        return False

    @property
    def n_changes(self):
        return sum(problem.n_changes for problem in self.problems)

    @property
    def n_kernel_evaluations(self):
        """Kernel values computed so far, those of dropped rows included."""
        return self.n_evaluations + sum(p.n_evaluations for p in self.problems)

    @property
    def n_operations(self):
        """Values touched by finishing so far."""
        return sum(problem.n_operations for problem in self.problems)

    def violation_met(self):
        """Largest violation met during the pass, when each row was visited."""
        return max(problem.violation_met for problem in self.problems)

    def violation_left(self):
        """Largest violation over all rows; exact when the pass changed nothing."""
        return max(problem.violation_left for problem in self.problems)

    def touched(self):
        """The arrays of a problem have been changed from outside: note it."""
        self.solution = None
