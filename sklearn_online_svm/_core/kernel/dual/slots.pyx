"""Slots of the store; the contract is in the ``.pxd``.

A single problem has the same slots as the store, and references are not counted. Of several
problems each refers to the vectors of its support set, and a vector without references releases
its slot.
"""
cimport cython
from libc.math cimport fmax
from libc.stdint cimport int32_t, int64_t

from ...memory cimport address, grown
from ..vectors.block cimport SampleBlock
from ..vectors.support_set cimport MADE_UP, OF_DATA
from .problem cimport Problem
from ..rows.kernel_matrix cimport CopiesMemory
from ..rows.kernel_row cimport RowComputer
from ..rows.shared_kernel_cache cimport SharedKernelCache
from ..vectors.stores cimport Store

import time

import numpy as np

# Kernel caches of problems with copies of their vectors: growth of the memory that all rows would
# need after which it is divided again, and the least size.
cdef double GROWTH = 1.5
cdef double LEAST_BYTES = 1 << 16

# Memory for copies of vectors, as a part of that for kernel rows.
cdef double COPIES = 0.125

# State of a sample of the block that has no slot in the store.
cdef enum:
    NOT_STORED = -1
    NOT_WANTED = -2


@cython.final
cdef class WorkSpace:
    def __init__(self, Store store):
        self.computer = RowComputer(store)


cdef class Slots:
    def __init__(self, Store store, list problems):
        cdef Problem first = problems[0]
        cdef WorkSpace space
        if first.matrix.identity and not first.matrix.copies and len(problems) > 1:
            raise ValueError("shared vectors need slots that differ from those of the problem")
        self.store = store
        self.problems = problems
        self.copied = first.matrix.copies
        self.counted = self.copied or not first.matrix.identity
        self.references = np.zeros(0, dtype=np.int32)
        self.free = np.zeros(0, dtype=np.int32)
        self.labels = np.zeros(0, dtype=np.int32)
        self.row_of_slot = np.zeros(0, dtype=np.int64)
        self.work_spaces = []
        if self.counted:
            self.memory = CopiesMemory()
            self.work_spaces.append(WorkSpace(store))
            for problem in problems:
                space = <WorkSpace>self.work_spaces[0]
                (<Problem>problem).matrix.computer = space.computer
                (<Problem>problem).matrix.memory = self.memory

    def state(self):
        """Return copies of all arrays."""
        n = self.store.n_slots
        return {
            "references": self.references[:n].copy(),
            "slot_labels": self.labels[:n].copy(),
            "free_slots": self.free[:self.n_free].astype(np.int64),
        }

    def restore(self, state):
        """Restore a result of ``state()``."""
        free = state["free_slots"]
        self.references, self.labels = state["references"].copy(), state["slot_labels"].copy()
        self.free, self.n_free = free.astype(np.int32), len(free)
        self.row_of_slot = np.zeros(0, dtype=np.int64)
        self.capacity = self.n_rows = 0         # until ``track``
        self.is_noted = False
        if self.rows is not None:
            self.rows.clear(self.store.n_slots - self.n_free)

    cdef int begin_from(self, Slots former, places) except -1:
        """Use the slots of an engine of fewer classes; store and problems come first.

        ``places``: indices of its classes among all classes.
        """
        cdef Problem problem = former.problems[0]
        cdef Py_ssize_t n = self.store.n_slots
        references = np.zeros(n, dtype=np.int32)
        free = (former.free[:former.n_free] if former.counted
                else problem.members["free_slots"][:problem.members.n_free])
        for problem in self.problems:
            references[problem.members["index"][problem.slots()]] += 1
        self.restore({
            "references": references,
            "slot_labels": places[former.labels[:n]].astype(np.int32),
            "free_slots": free,
        })
        return 0

    cdef int set_cache_size(self, Py_ssize_t max_bytes) except -1:
        """Set the size of the kernel caches, shared and per problem, to ``max_bytes`` in total."""
        cdef Problem problem
        cdef bint shares = self.counted and not self.copied
        self.max_bytes, self.planned = max_bytes, 0.0
        if self.copied:
            self.memory.most = COPIES * max_bytes
        if shares and (self.rows is None or self.rows.max_bytes != max_bytes):
            self.rows = SharedKernelCache(self.store, max_bytes)
            self.rows.clear(self.store.n_slots - self.n_free)
            for problem in self.problems:
                problem.matrix.shared, problem.matrix.n_problems = self.rows, len(self.problems)
        return 0

    cdef void divide_memory(self) noexcept:
        """Give each problem its part of the memory that the shared cache leaves."""
        cdef Problem problem
        cdef bint planned
        cdef double n_members = 0.0, n_evicted = 0.0, wanted = 0.0, share
        if self.copied:
            for problem in self.problems:
                wanted += <double>problem.members.n * problem.members.n
            if wanted > GROWTH * self.planned:
                self.planned = wanted
                share = self.max_bytes / wanted
                for problem in self.problems:
                    problem.matrix.take_memory(<Py_ssize_t>fmax(
                        LEAST_BYTES, share * problem.members.n * problem.members.n))
            return
        if not self.counted:
            return
        planned = self.rows.plan()
        for problem in self.problems:
            if planned:
                problem.matrix.take_memory(self.rows.left // len(self.problems))
            n_members += problem.members.n
            n_evicted += problem.matrix.rows.n_evicted
        # If the problems share most vectors, one shared row replaces one row in each.
        self.rows.is_wanted = n_evicted > 0 or (
            2.0 * n_members >= len(self.problems) * <double>self.store.n_slots)

    cdef int make_room(self) except -1:
        """Allocate memory for all that ``write`` may write, so that it cannot fail."""
        cdef Py_ssize_t capacity = self.store.capacity
        cdef void *references_at
        cdef void *free_at
        cdef void *rows_at
        if self.capacity < capacity:
            references = grown(self.references, capacity)
            free = grown(self.free, capacity)
            labels = grown(self.labels, capacity)
            rows = grown(self.row_of_slot, capacity)
            rows[len(self.row_of_slot):] = -1
            # Get all addresses before the first assignment, as each may fail.
            references_at, free_at = address(references), address(free)
            rows_at = address(rows)
            self.labels_at = <int32_t *>address(labels)
            self.row_of_slot, self.row_of_slot_at = rows, <int64_t *>rows_at
            self.references_at, self.free_at = <int32_t *>references_at, <int32_t *>free_at
            self.references, self.free, self.labels = references, free, labels
            self.capacity = capacity
        return 0

    cdef int reserve_work_spaces(self, executor) except -1:
        """Allocate memory for each thread to work on a problem."""
        cdef WorkSpace space
        cdef Problem problem
        cdef Py_ssize_t most = 0, n_threads = 1 if executor is None else executor._max_workers
        while len(self.work_spaces) < n_threads:
            self.work_spaces.append(WorkSpace(self.store))
        for problem in self.problems:
            most = max(most, problem.members.capacity)
        for space in self.work_spaces:
            space.computer.store = self.store
            space.computer.reserve()
            space.computer.reserve_gathered(most)
        return 0

    cdef WorkSpace borrow(self):
        """Return a work space for this thread, without allocating memory: this cannot fail."""
        cdef Py_ssize_t k
        cdef WorkSpace space
        for k in range(len(self.work_spaces)):
            space = <WorkSpace>self.work_spaces[k]
            if space is not None:
                self.work_spaces[k] = None
                return space
        raise AssertionError("more threads than work spaces")

    cdef int give_back(self, WorkSpace space) except -1:
        """Give back a result of ``borrow``."""
        cdef Py_ssize_t k = 0
        while self.work_spaces[k] is not None:
            k += 1
        self.work_spaces[k] = space
        return 0

    cdef list saved(self):
        """Return copies of all that training changes in the problems, for ``take_back``."""
        return [problem.state() for problem in self.problems]

    cdef int take_back(self, list saved) except -1:
        """Return to ``saved``; the kernel caches are cleared."""
        for problem, state in zip(self.problems, saved):
            problem.restore(state)
        return 0

    cdef int write(self, SampleBlock fresh) except -1:
        """Write samples added by some problem into the store; release unreferenced vectors.

        For other threads the store changes in one step. Solutions that are still in use keep the
        present arrays, and the store continues with copies.
        """
        self.solution = None
        while self.store.lease.n_views:
            try:
                self.store.unshare()
            except MemoryError:
                time.sleep(0.001)       # no memory for a copy: wait for the readers
        return self.write_block(fresh)

    cdef int write_block(self, SampleBlock fresh) except -1:
        cdef Problem problem
        cdef Py_ssize_t p, slot, row, n_slots = self.store.n_slots
        cdef int32_t index
        cdef int32_t *stored = fresh.stored
        cdef int64_t *row_ids = fresh.stored_ids
        if not self.counted:
            return self.write_those_of(self.problems[0], fresh)
        for problem in self.problems:
            for p in range(problem.matrix.n_released):
                index = problem.matrix.released[p]
                self.references_at[index] -= 1
                if self.references_at[index] == 0:
                    self.free_at[self.n_free] = index
                    self.n_free += 1
                    self.note(index, -1)
                    if self.rows is not None:
                        self.rows.remove(index)
            problem.matrix.n_released = 0
        for row in range(fresh.n):
            stored[row] = NOT_WANTED
        for problem in self.problems:
            for p in range(problem.matrix.n_pending):
                slot = problem.matrix.pending[p]
                row = problem.matrix.row_in_block(slot)
                # A slot may have been freed within the block.
                if row >= 0 and problem.members.alive[slot] and stored[row] == NOT_WANTED:
                    row_ids[row] = -1
                    if (problem.members.origin[slot] == OF_DATA
                            or not self.n_rows and problem.members.origin[slot] != MADE_UP):
                        row_ids[row] = problem.members.row_id[slot]
                    stored[row] = self.stored_before(row_ids[row])
        # In the order of the block, so that problems and store have the same order.
        for row in range(fresh.n):
            if stored[row] == NOT_STORED and fresh.rows[row] >= fresh.n_new:
                stored[row] = self.slot_of_repeated(row_ids[row])
            if stored[row] == NOT_STORED:
                stored[row] = self.take()
                self.store.put(stored[row], fresh.block, row)
                self.labels_at[stored[row]] = fresh.labels[row]
                self.note(stored[row], row_ids[row])
                if self.rows is not None:
                    self.rows.add(stored[row], row)
        for problem in self.problems:
            for p in range(problem.matrix.n_pending):
                slot = problem.matrix.pending[p]
                row = problem.matrix.row_in_block(slot)
                # A slot that was filled, freed and filled again occurs twice.
                if row >= 0 and problem.members.alive[slot]:
                    self.references_at[stored[row]] += 1
                    problem.members.index[slot] = stored[row]
                    problem.matrix.is_loaded = False
            problem.matrix.n_pending = 0
        if self.rows is not None:
            self.rows.cache(fresh, n_slots)
        return 0

    cdef int write_those_of(self, Problem problem, SampleBlock fresh) except -1:
        """Do the same for a single problem, whose slots are those of the store."""
        cdef Py_ssize_t p, slot
        cdef int32_t index
        for p in range(problem.matrix.n_pending):
            slot = problem.matrix.pending[p]
            index = problem.members.index[slot]
            if index < 0:
                self.store.put(slot, fresh.block, -index - 1)
                self.labels_at[slot] = fresh.labels[-index - 1]
                problem.members.index[slot] = <int32_t>slot
        problem.matrix.n_pending = 0
        self.store.n_slots = problem.members.n
        return 0

    cdef int32_t take(self) noexcept:
        """Return a free slot of the store."""
        if self.n_free == 0:
            return <int32_t>self.store.n_slots
        self.n_free -= 1
        return self.free_at[self.n_free]

    cdef int track(self, Py_ssize_t n_rows) except -1:
        """Keep track of the slots of ``n_rows`` samples of X; 0: do not."""
        cdef Problem problem
        cdef int32_t slot
        self.n_rows = 0
        if not n_rows or not self.counted:
            return 0
        self.slot_of_row = np.full(n_rows, -1, dtype=np.int32)
        self.slot_of_row_at = <int32_t *>address(self.slot_of_row)
        self.row_of_slot[:] = -1
        self.make_room()
        self.n_rows = n_rows
        for problem in self.problems:
            for slot in problem.slots():
                if problem.members.origin[slot] == OF_DATA:
                    self.note(problem.members.index[slot], problem.members.row_id[slot])
        return 0

    cdef int32_t stored_before(self, int64_t row_id) noexcept:
        """Return the store slot of a sample that is in the support set of another problem."""
        return self.slot_of_row_at[row_id] if 0 <= row_id < self.n_rows else NOT_STORED

    cdef int32_t slot_of_repeated(self, int64_t row_id) except -2:
        """Return the store slot of a sample that a problem has been given before."""
        cdef int32_t slot
        if not self.is_noted:
            self.note_all()
        for slot in range(self.store.n_slots):
            if self.row_of_slot_at[slot] == row_id:
                return slot
        return NOT_STORED

    cdef int note_all(self) except -1:
        """Record which samples the slots hold, after ``restore``."""
        cdef Problem problem
        for problem in self.problems:
            slots = problem.slots()
            slots = slots[problem.members["origin"][slots] != MADE_UP]
            places = problem.members["index"][slots]
            # Others are samples of the present block, which are not in the store yet.
            is_stored = places >= 0
            self.row_of_slot[places[is_stored]] = problem.members["row_id"][slots[is_stored]]
        self.is_noted = True
        return 0

    cdef void note(self, int32_t slot, int64_t row_id) noexcept:
        """Record that a slot holds a sample, or none that may be visited again (-1)."""
        if 0 <= self.row_of_slot_at[slot] < self.n_rows:
            self.slot_of_row_at[self.row_of_slot_at[slot]] = NOT_STORED
        self.row_of_slot_at[slot] = row_id
        if 0 <= row_id < self.n_rows:
            self.slot_of_row_at[row_id] = slot
