"""Budgets that remove the vector with the smallest or largest value of a criterion."""
from libc.stdint cimport int32_t

from .expansion cimport Budget, KernelExpansion


# The kernel matrix over the slots; not kept for very large budgets.
cdef class SlotKernel:
    cdef Py_ssize_t ld              # number of allocated slots
    cdef bint always
    cdef bint is_kept
    cdef bint is_known              # whether it holds the values of all vectors
    cdef object values_array
    cdef float *values

    cdef int prepare(self, KernelExpansion expansion, Py_ssize_t most) except -1
    cdef int compute(self, KernelExpansion expansion) except -1
    cdef void enter(self, int32_t slot, const float *k, Py_ssize_t n_slots) noexcept nogil
    cdef const float *row(self, KernelExpansion expansion, int32_t slot) noexcept nogil


cdef class Margin(Budget):
    cdef SlotKernel kernel
    cdef Py_ssize_t ld
    cdef object f_array             # (n_problems, ld) decision values of the vectors
    cdef double *f

    cdef double margin_without(self, KernelExpansion expansion, Py_ssize_t s) noexcept nogil
