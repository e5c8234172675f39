"""A function as a kernel expansion, ``f_c(x) = sum_s coef[c, s] K(v_s, x)``: what the update loop
moves where there are no weights.

Vectors lie in the slots of a store, once for all problems. A row that makes a step takes a free
slot (one that has kept its slot since an earlier pass gets what it adds there); a slot that is
given up is the next to be taken. Rows come in blocks, whose kernel values with the store, and with
each other, are computed at once; what enters within a block is written into the store at its end.
Slots are given in the order of the steps, so the size of blocks does not show in the result.

A *budget* limits the vectors. It is told of each step, and chooses who goes.
"""
from libc.stdint cimport int8_t, int32_t, int64_t

from ..guard cimport Guard
from ..linear.weights cimport Weights
from ..simd.leaves cimport LEAVES_BLOCK
from .fresh_rows cimport FreshRows
from .solution cimport Solution
from .stores cimport Block, Store
from .votes cimport Votes


cdef class Budget


cdef class KernelExpansion(Weights):
    cdef readonly Store store
    cdef readonly Guard guard
    cdef readonly Budget budget         # or None
    cdef readonly Votes votes           # or None
    cdef bint limited                   # by a budget
    cdef bint voted
    cdef FreshRows fresh
    cdef Solution solution
    cdef dict kept
    cdef bint busy                      # a block is being learnt
    cdef int64_t n_steps_before         # it
    cdef int code                       # of what went wrong where nothing can be raised
    # Slots [0, n_slots) are taken or free; those above were never used.
    cdef readonly Py_ssize_t n_slots
    cdef readonly Py_ssize_t n_kept
    cdef Py_ssize_t ld                  # slots there is room for
    cdef int64_t n_entered
    cdef readonly int64_t n_steps       # that moved something, on known rows, too
    cdef readonly int64_t n_evaluations
    cdef readonly int64_t n_seen        # rows that have been announced
    cdef object coef_array              # (n_problems, ld)
    cdef object sums_array              # the same of steps times the rows that came before them
    cdef object diag_array              # (ld,) K(v, v)
    cdef object labels_array
    cdef object ids_array               # lasting numbers of rows, -1: no row
    cdef object since_array             # how many had entered before
    cdef object alive_array
    cdef object free_array
    cdef object pending_array           # the row of the block that is in the slot, or -1
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
    # Rows of this call: the lasting number of the first, and where each is kept (NULL: all are
    # new).
    cdef int64_t first_id
    cdef object slots_of_rows
    cdef int32_t *slot_of_row
    # The block: its first place in the order, which of its rows have entered, and where they are.
    cdef Py_ssize_t first
    cdef Py_ssize_t size                # rows to be loaded next
    cdef object source                  # the rows it is made of
    cdef const int32_t *row_labels
    cdef int32_t entered[LEAVES_BLOCK]
    cdef Py_ssize_t n_here
    cdef int32_t slot_of[LEAVES_BLOCK]
    # Of the row looked at last: whether it has made steps, and how far in each problem.
    cdef bint stepped
    cdef object step_array
    cdef double *along
    # A kernel row of its own.
    cdef Block lone
    cdef object row_array
    cdef float *row

    cdef int make_room(self) except -1
    cdef float *values_of(self, Py_ssize_t r) noexcept nogil
    cdef int32_t known(self, Py_ssize_t r) noexcept nogil
    cdef int32_t enter(self, Py_ssize_t r) noexcept nogil
    cdef void leave(self, int32_t slot) noexcept nogil
    cdef const float *kernel_row(self, int32_t slot) noexcept nogil
    # For budgets: sum_c coef[c, s]^2 K(v_s, v_s), and where it is smallest.
    cdef double size_of(self, Py_ssize_t slot) noexcept nogil
    cdef int32_t smallest(self) noexcept nogil
    # Put h v + (1 - h) v' in place of v', `partner`; `row` are its kernel values then, and the
    # coefficients are still those of v'. Whether there was memory for it.
    cdef bint merge(self, int32_t slot, int32_t partner, double h) noexcept nogil
    cdef int replace(self, int32_t slot, int32_t partner, double h) except -1
    cdef object vector_in(self, int32_t slot)
    # coef[partner] = first coef[slot] + second coef[partner], in one problem.
    cdef void unite(self, Py_ssize_t c, int32_t slot, int32_t partner, double first,
                    double second) noexcept nogil
    cdef bint is_read(self)
    cdef int unshare(self) except -1
    cdef int take_state(self, state) except -1


cdef class Budget:
    cdef readonly Py_ssize_t most       # vectors

    # Before a block: room for what the expansion may take, with the GIL.
    cdef int prepare(self, KernelExpansion held) except -1
    # The coefficients of a slot have moved by ``held.along``; ``k`` are its kernel values with all
    # slots, its own among them. Newly entered or not.
    cdef void moved(self, KernelExpansion held, int32_t slot, const float *k,
                    bint entered) noexcept nogil
    # Who goes, and what becomes of its coefficients, which are still there.
    cdef int32_t choose(self, KernelExpansion held) noexcept nogil
    cdef void give_up(self, KernelExpansion held, int32_t slot) noexcept nogil
