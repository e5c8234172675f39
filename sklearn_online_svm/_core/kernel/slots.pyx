"""Slots of the store; the contract is in the ``.pxd``.

A single problem has the same slots as the store, and references are not counted. Of several
problems each refers to the vectors of its support set, and a vector without references releases
its slot.
"""
from libc.stdint cimport int8_t, int32_t, int64_t

from ..memory cimport address, grown
from ..simd.primitives cimport SIMD_BLOCK
from .fresh_rows cimport FreshRows
from .members cimport OF_DATA
from .problem cimport Problem
from .shared_rows cimport SharedRows
from .stores cimport Store

import numpy as np

# State of a sample of the block that has no slot in the store.
cdef enum:
    NOT_STORED = -1
    NOT_WANTED = -2


cdef class Slots:
    def __init__(self, Store store, list problems, bint shares):
        cdef Problem first = problems[0]
        if first.identity and (shares or len(problems) > 1):
            raise ValueError("shared vectors need slots that differ from those of the problem")
        self.store = store
        self.problems = problems
        self.counted, self.shares = not first.identity, shares
        self.references = np.zeros(0, dtype=np.int32)
        self.free = np.zeros(0, dtype=np.int32)
        self.labels = np.zeros(0, dtype=np.int32)

    def state(self):
        """Return copies of all arrays."""
        n = self.store.n_slots
        return {
            "references": self.references[:n].copy(),
            "slot_labels": self.labels[:n].copy(),
            "free_slots": self.free[:self.n_free].astype(np.int64),
        }

    def restore(self, state, parts, running):
        """Restore a result of ``state()``.

        ``parts`` are the states of the problems, which have been restored, and ``running`` those
        of an interrupted block, or None.
        """
        cdef Problem problem
        cdef int32_t[::1] uses
        cdef Py_ssize_t c, n_slots = self.store.n_slots
        labels = state.array("slot_labels", np.int32, (n_slots,), low=0,
                             high=max(1, len(self.problems) - 1))
        references = state.array("references", np.int32, (n_slots,))
        free = state.array("free_slots", np.int64, (None,))
        uses = expected = np.zeros(n_slots, dtype=np.int32)
        for c in range(len(self.problems)):
            problem = self.problems[c]
            self.check_vectors(parts[c], problem, 1 if len(self.problems) == 1 else c, labels,
                               uses)
        # Vectors released in the interrupted block are counted until it ends.
        for part in running or ():
            released = part.array("released", np.int32, (None,), low=0, high=n_slots - 1)
            np.add.at(expected, released, 1)
        unused = np.flatnonzero(expected == 0)
        if not self.counted:
            expected, unused = np.zeros_like(references), []
        state.require(np.array_equal(references, expected), "references",
                      "must count the problems that keep each vector")
        state.require(np.array_equal(np.sort(free), unused), "free_slots",
                      "must be the slots that no problem refers to")
        self.references, self.labels = np.array(references), np.array(labels)
        self.free, self.n_free = free.astype(np.int32), len(free)
        self.capacity = 0
        if self.counted:
            self.rows.clear(n_slots - self.n_free)

    cdef int share_rows(self, Py_ssize_t max_bytes) except -1:
        """Set the size of the kernel caches, shared and per problem, to ``max_bytes`` in total."""
        cdef Problem problem
        if self.counted and (self.rows is None or self.rows.max_bytes != max_bytes):
            self.rows = SharedRows(self.store, max_bytes)
            self.rows.clear(self.store.n_slots - self.n_free)
            for problem in self.problems:
                problem.shared, problem.n_problems = self.rows, len(self.problems)
        return 0

    cdef void divide_memory(self) noexcept:
        """Give each problem its part of the memory that the shared cache leaves."""
        cdef Problem problem
        cdef bint planned
        cdef double n_members = 0.0, n_evicted = 0.0
        if not self.counted:
            return
        planned = self.rows.plan()
        for problem in self.problems:
            if planned:
                problem.take_memory(self.rows.left // len(self.problems))
            n_members += problem.members.n
            n_evicted += problem.rows.n_evicted
        # If the problems share most vectors, one shared row replaces one row in each.
        self.rows.is_wanted = n_evicted > 0 or (
            2.0 * n_members >= len(self.problems) * <double>self.store.n_slots)

    cdef int check_vectors(self, state, Problem problem, int32_t positive,
                           const int32_t[::1] labels, int32_t[::1] uses) except -1:
        """Raise an error if a problem has a vector twice, or for the wrong class.

        Counts the references in ``uses``.
        """
        cdef Py_ssize_t s, slot
        cdef int8_t y, side
        cdef int8_t[::1] kept = np.zeros(labels.shape[0], dtype=np.int8)
        for s in range(problem.members.n):
            slot = problem.members.index[s]
            if not problem.members.alive[s] or slot < 0:
                continue
            y = 1 if labels[slot] == positive else -1
            side = 1
            if self.shares:
                side = 1 if problem.members.y[s] > 0 else 2
            elif problem.members.y[s] != y:
                state.refuse("y", f"must be 1 for the vectors of the class, else -1; slot {s} "
                                  "violates this")
            elif problem.members.target[s] != y:
                state.refuse("target", f"must be y; slot {s} violates this")
            if kept[slot] & side:
                state.refuse("index", f"must name no slot twice, and names {slot}")
            kept[slot] |= side
            uses[slot] += 1
        return 0

    cdef int make_room(self) except -1:
        """Allocate memory for all that ``write`` may write, so that it cannot fail."""
        cdef Py_ssize_t capacity = self.store.capacity
        cdef void *references_at
        cdef void *free_at
        if self.capacity < capacity:
            references = grown(self.references, capacity)
            free = grown(self.free, capacity)
            labels = grown(self.labels, capacity)
            # Get all addresses before the first assignment, as each may fail.
            references_at, free_at = address(references), address(free)
            self.labels_at = <int32_t *>address(labels)
            self.references_at, self.free_at = <int32_t *>references_at, <int32_t *>free_at
            self.references, self.free, self.labels = references, free, labels
            self.capacity = capacity
        return 0

    cdef int write(self, FreshRows fresh) except -1:
        """Write samples added by some problem into the store; release unreferenced vectors."""
        cdef Problem problem
        cdef Py_ssize_t p, slot, row, n_slots = self.store.n_slots
        cdef int32_t index
        cdef int32_t stored[SIMD_BLOCK]
        self.n_written = 0
        if not self.counted:
            return self.write_those_of(self.problems[0], fresh)
        for problem in self.problems:
            for p in range(problem.n_released):
                index = problem.released[p]
                self.references_at[index] -= 1
                if self.references_at[index] == 0:
                    self.free_at[self.n_free] = index
                    self.n_free += 1
                    self.rows.leave(index)
            problem.n_released = 0
        for row in range(fresh.n):
            stored[row] = NOT_WANTED
        for problem in self.problems:
            for p in range(problem.n_pending):
                slot = problem.pending[p]
                row = -problem.members.index[slot] - 1
                # A slot may have been freed within the block.
                if row >= 0 and problem.members.alive[slot] and stored[row] < 0:
                    stored[row] = (self.stored_before(problem.members.row_id[slot])
                                   if problem.members.origin[slot] == OF_DATA else NOT_STORED)
        # In the order of the block, so that problems and store have the same order.
        for row in range(fresh.n):
            if stored[row] == NOT_STORED:
                stored[row] = self.take()
                self.store.put(stored[row], fresh.block, row)
                self.labels_at[stored[row]] = fresh.labels[row]
                self.rows.enter(stored[row], row)
                self.note(stored[row])
        for problem in self.problems:
            for p in range(problem.n_pending):
                slot = problem.pending[p]
                index = problem.members.index[slot]
                # A slot that was filled, freed and filled again occurs twice.
                if index < 0 and problem.members.alive[slot]:
                    self.references_at[stored[-index - 1]] += 1
                    problem.members.index[slot] = stored[-index - 1]
            problem.n_pending = 0
        self.rows.keep(fresh, n_slots)
        return 0

    cdef int write_those_of(self, Problem problem, FreshRows fresh) except -1:
        """Do the same for a single problem, whose slots are those of the store."""
        cdef Py_ssize_t p, slot
        cdef int32_t index
        for p in range(problem.n_pending):
            slot = problem.pending[p]
            index = problem.members.index[slot]
            if index < 0:
                self.store.put(slot, fresh.block, -index - 1)
                self.labels_at[slot] = fresh.labels[-index - 1]
                problem.members.index[slot] = <int32_t>slot
                self.note(<int32_t>slot)
        problem.n_pending = 0
        self.store.n_slots = problem.members.n
        return 0

    cdef void note(self, int32_t slot) noexcept:
        """Record that a slot has been filled: at most one per sample."""
        self.written[self.n_written] = slot
        self.n_written += 1

    cdef int32_t take(self) noexcept:
        """Return a free slot of the store."""
        if self.n_free == 0:
            return <int32_t>self.store.n_slots
        self.n_free -= 1
        return self.free_at[self.n_free]

    cdef int32_t stored_before(self, int64_t row_id) noexcept:
        """Return the store slot of a sample that is in the support set of another problem."""
        cdef Problem problem
        cdef int32_t index
        for problem in self.problems:
            if problem.knows(row_id):
                index = problem.members.index[problem.slot_of_row[row_id]]
                if index >= 0:
                    return index
        return NOT_STORED
