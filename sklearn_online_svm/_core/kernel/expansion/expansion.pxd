"""Kernel expansions ``f_c(x) = sum_s coef[c, s] K(v_s, x)``: the kernel counterpart of weights.

They are the state of the update loop in place of weight vectors. Vectors lie in the slots of a
store, once for all problems. A sample on which a step is made takes a free slot (if it still has
one from an earlier epoch, the step is added there); a released slot is the next to be taken.
Samples come in blocks, whose kernel values against the store and against each other are computed
at once; samples added within a block are written into the store at its end. Slots are assigned in
the order of the steps, so the result does not depend on the block size.

A *budget* limits the number of vectors. It is notified of each step, and chooses the vector to
remove.
"""
from libc.stdint cimport int8_t, int32_t, int64_t

from ...guard cimport Guard
from ...linear.rows cimport Dataset
from ...linear.weights cimport Weights
from ...simd.primitives cimport SIMD_BLOCK
from ...threads.team cimport Team
from ..vectors.block cimport SampleBlock
from ..dual.solution cimport Solution
from ..vectors.stores cimport Block, Store
from ..dual.votes cimport Votes


cdef class Budget


cdef class KernelExpansion(Weights):
    cdef readonly Store store
    cdef readonly Guard guard
    cdef readonly Budget budget         # or None
    cdef readonly Votes votes           # or None
    cdef bint limited                   # whether there is a budget
    cdef bint voted
    cdef SampleBlock block
    cdef Team team                  # of one thread
    cdef Solution solution
    cdef dict kept
    cdef bint busy                      # a block is being processed
    cdef int64_t n_steps_before         # n_steps at the beginning of the block
    # Slots [0, n_slots) are in use or free; those above were never used.
    cdef readonly Py_ssize_t n_slots
    cdef readonly Py_ssize_t n_kept
    cdef Py_ssize_t ld                  # number of allocated slots
    cdef int64_t n_entered
    cdef readonly int64_t n_steps       # steps made, including those on samples that have a slot
    cdef readonly int64_t n_evaluations
    cdef readonly int64_t n_seen        # samples announced by `expect`
    cdef object coef_array              # (n_problems, ld)
    cdef object sums_array              # sums of steps times the number of samples before them
    cdef object diag_array              # (ld,) K(v, v)
    cdef object labels_array
    cdef object ids_array               # identifiers of samples, -1: none
    cdef object since_array             # number of vectors added before
    cdef object alive_array
    cdef object free_array
    cdef object pending_array           # the sample of the block in the slot, or -1
    cdef double *coef
    cdef double *sums
    cdef float *diag
    cdef int32_t *labels
    cdef int64_t *ids
    cdef int64_t *since
    cdef int8_t *alive
    cdef int32_t *free
    cdef Py_ssize_t n_free
    cdef int32_t *pending
    # Samples of this call: the identifier of the first, and the slot of each (NULL: all are new).
    cdef int64_t first_id
    cdef object slots_of_rows
    cdef int32_t *slot_of_row
    # Rows from `n_new` on are samples of the stream that are visited again (NULL: there are none).
    cdef object replayed_array
    cdef const int64_t *replayed        # their identifiers
    cdef Py_ssize_t n_new
    # The block: its first position in the order, the samples added, and the slot of each.
    cdef Py_ssize_t first
    cdef Py_ssize_t size                # number of samples to load next
    cdef object source                  # the data that contains the block
    cdef const int32_t *row_labels
    cdef int32_t entered[SIMD_BLOCK]
    cdef Py_ssize_t n_here
    cdef int32_t slot_of[SIMD_BLOCK]
    # For the sample processed last: whether steps were made, and their lengths per problem.
    cdef bint stepped
    cdef object step_array
    cdef double *along
    # Work arrays for one kernel row.
    cdef Block lone
    cdef object row_array
    cdef float *row

    cdef int make_room(self) except -1
    cdef float *values_of(self, Py_ssize_t r) noexcept nogil
    cdef Py_ssize_t with_replays(self, Dataset dataset, Py_ssize_t position,
                                 Py_ssize_t n) noexcept nogil
    cdef int64_t id_of(self, int64_t row) noexcept nogil
    cdef int32_t known(self, Py_ssize_t r) noexcept nogil
    cdef int32_t enter(self, Py_ssize_t r) noexcept nogil
    cdef void leave(self, int32_t slot) noexcept nogil
    cdef const float *kernel_row(self, int32_t slot) noexcept nogil
    # For budgets: sum_c coef[c, s]^2 K(v_s, v_s).
    cdef double size_of(self, Py_ssize_t slot) noexcept nogil
    # Replace v', the vector of `partner`, by h v + (1 - h) v'; `row` then holds its kernel values,
    # and the coefficients are unchanged. Returns False if out of memory.
    cdef bint merge(self, int32_t slot, int32_t partner, double h) noexcept nogil
    cdef int replace(self, int32_t slot, int32_t partner, double h) except -1
    cdef object vector_in(self, int32_t slot)
    # coef[partner] = first coef[slot] + second coef[partner], in one problem.
    cdef void unite(self, Py_ssize_t c, int32_t slot, int32_t partner, double first,
                    double second) noexcept nogil
    # Remove the vector that the budget chooses.
    cdef void shrink(self) noexcept nogil
    # Raise the error that `code` stands for.
    cdef int raise_error(self) except -1
    cdef bint is_read(self)
    cdef int unshare(self) except -1


cdef class Budget:
    cdef readonly Py_ssize_t most       # largest number of vectors

    # Before a block, with the GIL: allocate memory for the vectors it may add.
    cdef int prepare(self, KernelExpansion expansion) except -1
    # Called after ``expansion.along`` was added to the coefficients of a slot; ``k``: its kernel
    # row over all slots; ``entered``: it is a new vector.
    cdef void moved(self, KernelExpansion expansion, int32_t slot, const float *k,
                    bint entered) noexcept nogil
    # Choose the vector to remove, and redistribute its coefficients, which are still present.
    # Without memory nothing changes, ``expansion.code`` is set, and False returned.
    cdef int32_t choose(self, KernelExpansion expansion) noexcept nogil
    cdef bint give_up(self, KernelExpansion expansion, int32_t slot) noexcept nogil
