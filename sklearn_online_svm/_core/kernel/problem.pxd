"""One binary problem: members, their kernel rows, and what every algorithm does alike.

The loop drives a problem by ``begin_block``, then ``learn`` for each row, each followed by
``improve`` until that has nothing left to do; and by ``begin_finish``, ``finish`` until done.
A subclass decides which rows enter and which steps are made.
"""
from libc.stdint cimport int8_t, int32_t, int64_t

from .active_set cimport ActiveSet, Front
from .fresh_rows cimport Fresh
from .stores cimport Block, Store
from ..simd.leaves cimport leaves_extremes
from .settled cimport Settled
from .kernel_rows cimport KernelRows
from .members cimport Example, Members

# Values touched by one problem before signals are looked at: some 20 ms.
cdef enum:
    PATIENCE = 50_000_000


cdef class Problem:
    cdef readonly Members members
    cdef readonly KernelRows rows
    cdef Store store
    cdef Block scratch
    cdef bint identity               # slot numbers are those of the store (a single problem)
    cdef Py_ssize_t cache_bytes
    cdef double tol
    cdef bint shrinking
    cdef readonly double b
    cdef readonly double delta       # largest violation among the members
    cdef readonly bint both_seen     # steps are possible; finishing makes sense
    cdef readonly double tau         # tol, or the rounding of g where that is larger
    cdef readonly int64_t n_evaluations
    cdef readonly int64_t n_changes  # what a pass has to be free of to be the last one
    cdef readonly Settled settled    # the optimum on the side, where decisions were asked for
    cdef bint settling               # the members hold that solution, not the stream's
    cdef int64_t solved_at           # n_changes when the solution of the stream was finished
    cdef public double patience      # PATIENCE; tests have less
    cdef double work                 # values touched, for returning in time to the caller
    cdef bint hurry                  # improve no more: someone wants to stop
    # Steps that may still be made by REPROCESS and finishing; REPROCESS leaves `steps_kept` of
    # them, and makes at most `row_limit` after one row.
    cdef readonly int64_t steps_left
    cdef int64_t steps_kept
    cdef int64_t row_limit
    cdef int64_t row_steps
    cdef readonly bint cut_short     # REPROCESS has been, since `allow`
    # Where the running block or finishing is, and what it was when an interrupt came.
    cdef Py_ssize_t at               # row of the block
    cdef bint improving              # ... which has been learnt, and is to be improved
    cdef bint finishing              # begin_finish has been called, and ...
    cdef bint is_finished            # ... finish has nothing left to do
    cdef dict suspended
    cdef Fresh fresh
    cdef float *gathered             # block row over this problem's slots
    cdef float *wide                 # row over the store's slots
    cdef int32_t *tiles              # tiles of the store wanted, and the place of each in the list
    cdef int32_t *tile_place
    cdef Py_ssize_t wide_capacity
    cdef int32_t *missing            # slots whose values a row lacks
    # Block rows kept as members, in order of entry; store slots given up since begin_block.
    cdef int32_t *pending
    cdef Py_ssize_t n_pending
    cdef int32_t *released
    cdef Py_ssize_t n_released
    cdef Py_ssize_t slots_capacity
    # Slot of each row of X, or -1; only while passes over X are made.
    cdef object known
    cdef int32_t *slot_of_row
    cdef Py_ssize_t n_known
    cdef ActiveSet active
    cdef Py_ssize_t steps_to_shrink

    # What a subclass defines (``met`` and ``meet`` included: all that ``learn`` and ``improve``
    # remember and ``state`` does not hold). What is missing raises NotImplementedError.
    cdef int learn(self, Example *row) except -2 nogil
    cdef int improve(self) except -2 nogil
    cdef int finish_step(self, Front *front) except -2 nogil
    cdef double violation_of(self, const leaves_extremes *e) except? -1.0 nogil
    cdef double low_of(self, const leaves_extremes *e) noexcept nogil
    cdef double high_of(self, const leaves_extremes *e) noexcept nogil
    cdef int finished(self) noexcept nogil
    cdef int refresh(self) except -2 nogil
    cdef int balance(self, double total) noexcept nogil
    cdef void exchange(self) noexcept nogil

    # What all share.
    cdef bint may_reprocess(self) noexcept nogil
    cdef int take_back(self, dict state) except -1
    cdef bint shows_settled(self) noexcept nogil
    cdef int suspend(self) except -1
    cdef int resume_midst(self, running) except -1
    cdef int begin_block(self, Fresh *fresh, Py_ssize_t n_rows) except -1
    cdef bint knows(self, int64_t row_id) noexcept nogil
    cdef void note(self, Py_ssize_t slot, int32_t at) noexcept nogil
    cdef float *block_row(self, Py_ssize_t r) noexcept nogil
    cdef void gather(self, const float *stored, float *out) noexcept nogil
    cdef Py_ssize_t keep(self, const Example *row, float *k, double g) noexcept nogil
    cdef Py_ssize_t seed(self, const Example *row, double alpha) noexcept nogil
    cdef Py_ssize_t enter(self, const Example *row, double g) noexcept nogil
    cdef double decision(self, Py_ssize_t r) noexcept nogil
    cdef int drop(self, Py_ssize_t slot) noexcept nogil
    cdef void let_go(self, Py_ssize_t slot) noexcept nogil
    cdef const float *kernel_row(self, Py_ssize_t slot, Py_ssize_t pinned) noexcept nogil
    cdef int compute_row(self, Py_ssize_t slot, float *out) noexcept nogil
    cdef void computed(self, Py_ssize_t n) noexcept nogil
    cdef void grant_memory(self) noexcept nogil
    cdef bint settle(self, int32_t index, Py_ssize_t entered, float *row) noexcept nogil
    cdef int complete_row(self, Py_ssize_t slot) noexcept nogil
    cdef int compute_values(self, Py_ssize_t slot, Py_ssize_t n_missing) noexcept nogil
    cdef void begin_finish(self) noexcept nogil
    cdef int finish(self, double work) except -2 nogil
    cdef const float *front_row(self, const Front *front, Py_ssize_t q,
                                Py_ssize_t pinned) noexcept nogil
    cdef bint move(self, Front *front, Py_ssize_t q, double by) noexcept nogil
    cdef int unshrink(self) except -2 nogil
    cdef int begin_settling(self) except -1
    cdef int end_settling(self, bint done, Settled former) except -1
