"""Optimization of binary problems over samples whose kernel values are in one matrix."""
from libc.stdint cimport int8_t, int32_t, int64_t

from ...guard cimport Halt
from ...simd.primitives cimport simd_extremes
from ...threads.team cimport Team
from ..rows.gram_matrix cimport GramMatrix


# What is known of a problem.
cdef struct Numbers:
    double b
    double delta            # largest violation
    double tau              # the tolerance in use
    double objective
    double gap
    double uncertainty      # of decision values, by the rounding of kernel values
    double spread           # standard deviation of the decision values of members
    double squares          # sum of alpha^2
    int64_t steps_left
    int64_t n_changes
    int64_t n_operations


# The problem that a thread works on. A *member* is a sample of it; a *place* is the number of a
# member among the active ones, to which g, diag, up, down, and the kernel rows are restricted.
cdef class Work:
    cdef Team team
    cdef Py_ssize_t problem         # number of the problem, -1: none
    cdef Py_ssize_t m               # number of members: of the first and the second range
    cdef Py_ssize_t first, n_first, second, n_second
    cdef Py_ssize_t gram_first, gram_second         # their first rows in the Gram matrix
    cdef Py_ssize_t n               # number of active members
    cdef bint shrunk                # whether there are others
    cdef bint is_fresh              # whether g was recomputed after the last step
    cdef int64_t n_steps, turned_at, n_refreshes, steps_to_shrink
    cdef simd_extremes extremes
    cdef double tau
    cdef double elements            # array elements accessed in this round
    cdef Numbers *numbers
    # Arrays over the members.
    cdef double *alpha
    cdef double *target
    cdef double *lower
    cdef double *upper
    cdef int8_t *y
    # Arrays over the places.
    cdef int32_t *active            # the member
    cdef double *g
    cdef float *diag
    cdef int8_t *up
    cdef int8_t *down
    cdef float **rows               # kernel rows over the places, or NULL
    cdef float *pool
    cdef Py_ssize_t row_length

    cdef int reserve(self, Py_ssize_t m, size_t pool_bytes) except -1


cdef class Batch:
    cdef readonly GramMatrix gram
    cdef readonly Py_ssize_t n, n_problems
    cdef bint one_vs_one, has_bias, is_one_class, has_targets, two_sided, shrinking
    cdef double total                       # required sum of alpha
    cdef readonly double weight             # sum of `cost`
    cdef readonly double scale              # factor of alpha and b in the decision function
    cdef Py_ssize_t max_non_sv
    cdef double width, epsilon, tol
    cdef readonly object labels, codes
    cdef const int32_t[::1] labels_at
    cdef const double[::1] cost
    cdef const double[:, ::1] targets       # or None: the labels
    cdef const int64_t[::1] starts          # of the samples of each class, one-vs-one
    cdef const int32_t[:, ::1] codes_at     # of the classes of each problem
    cdef const int64_t[::1] order           # of the problems, by tile
    cdef object samples                     # see `attach`
    cdef list tiles                         # of each one, its two groups of classes
    cdef readonly Py_ssize_t tile           # the present one
    cdef const int64_t[::1] tile_ends       # of each tile in `order`
    cdef const int64_t[::1] shifts          # of each class, from samples to rows of the matrix
    cdef readonly int64_t n_kernel_evaluations
    cdef Py_ssize_t most_refreshes
    cdef public double work_limit           # array elements accessed between checks for signals
    cdef Py_ssize_t next_problem            # in this order
    cdef readonly object coef, is_member, numbers
    cdef double[:, ::1] coef_at
    cdef int8_t[:, ::1] is_member_at
    cdef Numbers *numbers_at
    cdef list works                         # of each thread; they keep a problem between rounds
    cdef list suspended                     # states of works, to be continued
    cdef Halt halt
    cdef Team team

    cdef int begin(self, Work w) noexcept nogil
    cdef void describe(self, Work w, Py_ssize_t problem) noexcept nogil
    cdef const float *row(self, Work w, Py_ssize_t q) noexcept nogil
    cdef double violation_of(self, const simd_extremes *e) noexcept nogil
    cdef bint step(self, Work w) noexcept nogil
    cdef bint step_on_two(self, Work w) noexcept nogil
    cdef bint move_and_turn(self, Work w, Py_ssize_t q, double by) noexcept nogil
    cdef Py_ssize_t partner(self, Work w, const float *k_i) noexcept nogil
    cdef void update_g(self, Work w, const float *k_i, const float *k_j, double lam) noexcept nogil
    cdef void turn_member(self, Work w, Py_ssize_t s) noexcept nogil
    cdef double target_of(self, Work w, Py_ssize_t s) noexcept nogil
    cdef void turn(self, Work w, Py_ssize_t q) noexcept nogil
    cdef void subtract(self, Work w, double alpha, const float *row, double *g,
                       Py_ssize_t n) noexcept nogil
    cdef bint move(self, Work w, Py_ssize_t q, double by) noexcept nogil
    cdef simd_extremes ends(self, Work w) noexcept nogil
    cdef bint turn_violating(self, Work w, simd_extremes e) noexcept nogil
    cdef bint turn_zeros(self, Work w) noexcept nogil
    cdef void shrink(self, Work w) noexcept nogil
    cdef void add_rows(self, Work w) noexcept nogil
    cdef void refresh(self, Work w) noexcept nogil
    cdef void scan(self, Work w) noexcept nogil
    cdef void work(self, Work w) noexcept nogil
    cdef void end(self, Work w) noexcept nogil
    cdef bint may_be_needed(self, Work w, Py_ssize_t s, const simd_extremes *e) noexcept nogil
    cdef double idle_residual(self, Work w, Py_ssize_t s) noexcept nogil
    cdef double least_residual(self, Work w) noexcept nogil
    cdef Py_ssize_t row_of(self, Work w, Py_ssize_t s) noexcept nogil
    cdef void write(self, Work w) noexcept nogil
