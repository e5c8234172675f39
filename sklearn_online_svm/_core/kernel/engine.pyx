"""Problems over one vector store; the contract is in the ``.pxd``.

``state`` returns the complete state of an engine between two calls, except cached kernel rows,
which can be recomputed.
"""
from cpython.ref cimport PyObject

from ..guard cimport Guard, Halt
from ..simd.primitives cimport SIMD_BLOCK, SIMD_TILE
from .fresh_rows cimport Fresh, FreshRows
from .problem cimport Problem
from .slots cimport Slots
from .stores cimport Store

import time

import numpy as np

from ..stored import Stored

# Version of what ``state`` returns; to be incremented when its fields change.
_FORMAT = 4


cdef extern from *:
    """
    static inline Py_ssize_t n_references(PyObject *object) { return Py_REFCNT(object); }
    """
    Py_ssize_t n_references(PyObject *)


cdef places_of(running, bint shares):
    """Return the place of each sample of an interrupted block, -1: not loaded."""
    places = running.array("block", np.int32, (None,), low=-1)
    steps = np.diff(places[places >= 0], prepend=-1)
    counts = (steps == 1) | (steps == 0) if shares else steps == 1
    running.require(len(places) <= SIMD_BLOCK and counts.all() and 0 not in steps[:1],
                    "block", f"must number up to {SIMD_BLOCK} samples")
    return places


cdef class Engine:
    """Problems over one store.

    Parameters
    ----------
    store : Store
    problems : list of Problem
        One (binary), or one per class.
    row_bytes : int, default=0
        Size of the kernel caches of several problems: the shared one and one per problem.
    shares : bool, default=False
        Whether members of one problem may share a vector. Then targets need not equal labels, and
        the slots of the problems must differ from those of the store.
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
        """Set the size of the kernel caches of several problems."""
        self.slots.share_rows(row_bytes)

    # -------------------------------------------------------------------------- state

    def state(self):
        """Return copies of all arrays from which ``restore`` rebuilds the engine."""
        return {
            "format": _FORMAT,
            "store": self.store.state(),
            "n_slots": self.store.n_slots,
            "problems": [problem.state() for problem in self.problems],
            "n_evaluations": self.n_evaluations,
            **self.slots.state(),
        }

    def restore(self, state, bint same_kernel=True, running=None):
        """Restore a result of ``state()``, or a :class:`Stored` of it.

        After an error the engine must not be used. With ``same_kernel=False`` the state was
        computed with another kernel, and ``recompute`` must follow. ``running`` describes an
        interrupted call, which ``resume`` continues.
        """
        cdef Problem problem
        cdef Py_ssize_t n_loaded = 0, n_problems = len(self.problems)
        state = Stored.of(state)
        if running is not None and running.has("block"):
            n_loaded = places_of(running, self.shares).max(initial=-1) + 1
        state.expect_format(_FORMAT)
        n_slots = state.integer("n_slots", 0, 2**31 - SIMD_TILE)
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

    # -------------------------------------------------------------------------- end of a call

    @property
    def cut(self):
        """Whether the last call ended at a point from which it cannot be resumed."""
        return self.store.cut

    def was_interrupted(self, error):
        """Return whether training was ended from outside, not by an error of its own."""
        return isinstance(error, KeyboardInterrupt) or (
            not isinstance(error, Exception) and error is not self.store.raised)

    cdef int begin_alone(self, Problem problem) except -1:
        """Begin an empty block, to fit lengths and buffers to the support set."""
        cdef Fresh fresh
        fresh.values, fresh.gram, fresh.ld, fresh.gram_ld = NULL, NULL, 0, 0
        self.slots.divide_memory()
        return problem.begin_block(&fresh, 0)

    cdef int raise_interrupts(self) except -1:
        """Raise a pending KeyboardInterrupt; the state of the engine is consistent here."""
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
        """Return copies of all that training changes, for ``take_back``."""
        return [problem.state() for problem in self.problems]

    cdef int take_back(self, list saved) except -1:
        """Return to ``saved``; the kernel caches are cleared."""
        cdef Problem problem
        for problem, state in zip(self.problems, saved):
            problem.take_back(state)
        return 0

    # -------------------------------------------------------------------------- the store

    cdef bint is_read(self):
        """Return whether a prediction reads the vectors in place."""
        cdef Py_ssize_t n_known = 1          # the reference in the store
        if self.solution is not None and self.solution.store.lease is self.store.lease:
            if n_references(<PyObject *>self.solution) > 1:
                return True
            n_known = 2
        return n_references(<PyObject *>self.store.lease) > n_known

    cdef int write_store(self) except -1:
        """Write samples added in this block into the store; release unreferenced vectors.

        For other threads the store changes in one step.
        """
        while self.is_read():
            try:
                self.store.unshare()
            except MemoryError:
                time.sleep(0.001)       # no memory for a copy: wait for the readers
        self.solution = None
        return self.slots.write(self.fresh)

    # -------------------------------------------------------------------------- a call

    cdef int class_of(self, Py_ssize_t c) noexcept nogil:
        """Return the class whose label is +1 in problem ``c``."""
        return <int>c if self.several else 1

    def allow(self, steps):
        """Limit the steps of each problem until the next ``allow``."""
        for problem in self.problems:
            problem.allow(steps)

    @property
    def out_of_steps(self):
        """Whether a problem has reached the limit of steps."""
        cdef Problem problem
        for problem in self.problems:
            if problem.steps_left <= 0:
                return True
        return False

    @property
    def cut_short(self):
        """Whether REPROCESS reached a limit of steps.

        Creates no objects, as it is called after each chunk.
        """
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
        """Number of kernel values computed, including values computed again."""
        return self.n_evaluations + sum(p.n_evaluations for p in self.problems)

    @property
    def n_operations(self):
        """Number of array elements accessed by solver steps."""
        return sum(problem.n_operations for problem in self.problems)

    def violation_met(self):
        """Return the largest violation of the epoch, each found when the sample was visited."""
        return max(problem.violation_met for problem in self.problems)

    def violation_left(self):
        """Return the largest violation over all samples; exact if the epoch changed nothing."""
        return max(problem.violation_left for problem in self.problems)

    def touched(self):
        """Invalidate the solution after arrays of a problem were changed from outside."""
        self.solution = None
