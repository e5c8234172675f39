"""Advice vectors that follow the weights, row by row."""
cimport cython


@cython.final
cdef class Refinement:
    cdef object arrays              # kept alive
    cdef Py_ssize_t n_problems
    cdef Py_ssize_t n_rules
    cdef Py_ssize_t n_conditions    # of all rules
    cdef Py_ssize_t n_columns       # features that they speak of; the last is the intercept
    cdef readonly bint intercept
    cdef double weight              # mu
    cdef const double *rows         # (n_conditions, n_columns)
    cdef const double *bounds       # (n_conditions,)
    cdef const Py_ssize_t *starts   # first condition of each rule, and their number
    cdef const double *signs        # (n_problems, n_rules)
    cdef const Py_ssize_t *columns  # where they lie among the features, without the intercept
    cdef double *vectors            # (n_problems, n_conditions): u
    # Products of the conditions of each rule, from products[product_starts[i]] on.
    cdef const double *products
    cdef const Py_ssize_t *product_starts
    # Of the problem at hand: its weights, and then its advice, at the columns.
    cdef double *values
    cdef double *linear             # (n_conditions,): D u and D z w; u as it was
    cdef double *targets
    cdef double *former
    cdef double *newton             # a step, and the matrix that it solves, of one rule

    cdef void refine(self, Py_ssize_t c) noexcept nogil
    cdef void _solve(self, Py_ssize_t c, Py_ssize_t i) noexcept nogil
    cdef double _step_together(self, Py_ssize_t i, double *u, double lack) noexcept nogil
