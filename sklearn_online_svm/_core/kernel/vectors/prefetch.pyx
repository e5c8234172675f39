"""Prefetch of the next block of samples; the contract is in the ``.pxd``.

All counters change under the GIL, which is released while values are computed.
"""
cimport cython
from cpython.pythread cimport (
    PyThread_acquire_lock, PyThread_allocate_lock, PyThread_free_lock, PyThread_release_lock,
    WAIT_LOCK,
)
from libc.stdint cimport int32_t

from ...memory cimport round_up
from ...simd.primitives cimport SIMD_TILE
from .block cimport SampleBlock
from .stores cimport Store

# Cost of a block, in ns, from which threads are started, and cost of a part of it.
cdef double WORTH_STARTING = 1e6
cdef double PART = 4e5


@cython.final
cdef class Prefetch:
    def __cinit__(self, Store store):
        self.begin = -1
        self.done = PyThread_allocate_lock()
        if self.done == NULL:
            raise MemoryError()
        PyThread_acquire_lock(self.done, WAIT_LOCK)
        self.fresh = SampleBlock(store)

    def __dealloc__(self):
        if self.done != NULL:
            PyThread_release_lock(self.done)
            PyThread_free_lock(self.done)

    cdef int start(self, executor) except -1:
        """Start prefetching in all threads of the executor but one."""
        cdef Store store = self.fresh.store
        cdef double cost = store.cost * self.fresh.n
        self.next_slot, self.last_slot = 0, round_up(store.n_slots, SIMD_TILE)
        self.part = self.last_slot
        if cost > 0.0:
            self.part = round_up(<Py_ssize_t>(PART / cost) + 1, SIMD_TILE)
        self.turn += 1
        self.is_open = True
        if cost * store.n_slots > WORTH_STARTING:
            for _ in range(executor._max_workers - 1):
                executor.submit(self.work, self.turn)
        return 0

    def work(self, turn):
        """Compute parts until none is left; return at once if the block is no longer current."""
        if not self.is_open or turn != self.turn:
            return
        self.n_working += 1
        self.score_parts()
        self.n_working -= 1
        if self.is_awaited and not self.n_working:
            self.is_awaited = False
            PyThread_release_lock(self.done)

    cdef void score_parts(self) noexcept:
        cdef SampleBlock fresh = self.fresh
        cdef Py_ssize_t first, last
        while self.next_slot < self.last_slot:
            first = self.next_slot
            last = self.next_slot = min(first + self.part, self.last_slot)
            with nogil:
                fresh.store.values(fresh.block, first, last, fresh.scored.values, fresh.scored.ld)

    cdef void stop(self, bint whole) noexcept:
        """Wait until all threads have stopped.

        If ``whole``, take part in computing what is left first. Signals are not checked here, so
        no KeyboardInterrupt can be raised.
        """
        if not self.is_open:
            return
        if not whole:
            self.next_slot, self.begin = self.last_slot, -1
        self.score_parts()
        self.is_open = False
        if self.n_working:
            self.is_awaited = True
            with nogil:
                PyThread_acquire_lock(self.done, WAIT_LOCK)

    cdef int fill_in(self, const int32_t *slots, Py_ssize_t n) except -1:
        """Compute the values for ``slots`` filled since the start, and the Gram matrix."""
        cdef SampleBlock fresh = self.fresh
        cdef Py_ssize_t p, tile, done = -1
        if not fresh.n:
            return 0
        with nogil:
            for p in range(n):
                tile = slots[p] // SIMD_TILE
                if tile != done:
                    fresh.store.values(fresh.block, tile * SIMD_TILE, (tile + 1) * SIMD_TILE,
                                       fresh.scored.values, fresh.scored.ld)
                done = tile
        fresh.score_themselves()
        fresh.is_scored = True
        return 0
