"""A complete state of the problems, as predictions take it."""
from .stores cimport Store


cdef class Solution:
    cdef Store store                # a view of the vectors
    cdef bint settling              # whether it was asked for an optimum
    cdef public object weights      # of a linear kernel, for the caller
    cdef object coef_array          # (n_problems, n_slots): alpha over the slots of the store
    cdef object b_array
    cdef double *coef
    cdef double *b
    cdef Py_ssize_t n_problems
    cdef Py_ssize_t n_slots         # in whole tiles

    cdef void write_down(self, list problems)


cdef Solution blank_solution(Store store, list problems)
