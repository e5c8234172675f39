"""Contract of the refinement of advice."""
cimport cython


@cython.final
cdef class Refinement:
    cdef object arrays              # owns the arrays
    cdef Py_ssize_t n_problems
    cdef Py_ssize_t n_rules
    cdef Py_ssize_t n_conditions    # of all rules
    cdef Py_ssize_t n_columns       # features that occur in them, and the constant one
    cdef readonly bint intercept
    cdef double weight              # mu
    cdef Py_ssize_t n_alternations  # per sample
    cdef Py_ssize_t alternation     # index of the current one
    cdef double cost                # multiplications for one of them, roughly
    cdef const double *rows         # (n_conditions, n_columns)
    cdef const double *bounds       # (n_conditions,)
    cdef const Py_ssize_t *starts   # (n_rules + 1,)
    cdef const double *signs        # (n_problems, n_rules)
    cdef const Py_ssize_t *columns  # features, without the constant one
    cdef double *vectors            # (n_problems, n_conditions): u
    # D D' of rule i starts at products[product_starts[i]].
    cdef const double *products
    cdef const Py_ssize_t *product_starts
    # Of the current problem: its weights, then its advice, of each column.
    cdef double *values
    cdef double *linear             # (n_conditions,): D D'u, D z w; u before the sample
    cdef double *targets
    cdef double *former             # (n_problems, n_conditions)
    cdef double *newton             # Newton step and Cholesky factor of one rule

    cdef void refine(self, Py_ssize_t c) noexcept nogil
    cdef void _solve(self, Py_ssize_t c, Py_ssize_t i) noexcept nogil
    cdef double _newton_step(self, Py_ssize_t i, double *u, const double *former,
                             double hinge) noexcept nogil
