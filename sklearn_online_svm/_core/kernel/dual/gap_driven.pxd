"""LASVM-G, -NC, -I and FULL on one binary problem; the equations are in ``gap_driven.pyx``."""
from libc.stdint cimport int64_t

from .admission cimport Admission
from ..vectors.support_set cimport Example
from ..rows.active_set cimport Front
from .problem cimport Problem


# A member at alpha = 0 and how far its gradient is from allowing a step.
cdef struct Idle:
    double distance
    Py_ssize_t slot


# Two coordinates: gradients, kernel values, and how far their alpha may move; the step on the
# first one alone, and that on both.
cdef struct Coordinates:
    double g_i, g_j
    double k_ii, k_jj, k_ij
    double low_i, high_i, low_j, high_j
    double alone
    double by_i, by_j


cdef void best_of_two(Coordinates *two) noexcept nogil


# A step on the coordinates i and j of a front; j = i: a step on one coordinate.
cdef struct Two:
    Py_ssize_t i
    Py_ssize_t j
    double by_i
    double by_j
    const float *k_i
    const float *k_j


cdef class GapDriven(Problem):
    cdef readonly Admission admission
    cdef double gap_floor            # REPROCESS until gap <= max(gap_floor, target)
    # REPROCESS steps on one coordinate per sample, before steps on two
    cdef Py_ssize_t single_steps
    cdef Py_ssize_t clean_interval   # CLEAN after so many admitted samples; 0: never
    cdef Py_ssize_t max_non_sv       # members with alpha = 0 that CLEAN keeps; < 0: all
    cdef readonly double threshold   # max(gap_floor, target) for the current sample
    cdef readonly double loss        # sum max(0, bound g) over the support set
    cdef double alpha_g              # sum alpha g
    cdef double h                    # sums of h = C y g and of h^2
    cdef double h_squared
    cdef bint stale                  # whether a step was made since the last three were computed
    cdef Py_ssize_t n_steps          # REPROCESS steps for the current sample
    cdef bint added                # the current sample was added to the support set
    cdef readonly double violation   # largest violation found by PROCESS since begin_pass
    # Number of samples, by region of the ramp at arrival: admitted, removed by CLEAN, not
    # admitted.
    cdef int64_t admitted[3]
    cdef int64_t cleaned[3]
    cdef int64_t skipped[3]
    cdef Idle *idle                  # work array of CLEAN
    cdef Py_ssize_t idle_capacity

    cdef int process(self, Example *row) noexcept nogil
    cdef int step(self, Py_ssize_t slot, const float *k) noexcept nogil
    cdef int reprocess(self) noexcept nogil
    cdef int step_on_two(self) noexcept nogil
    cdef int clean(self) noexcept nogil
    cdef void sum_up(self) noexcept nogil
    cdef void set_target(self) noexcept nogil
    cdef double gap_now(self) noexcept nogil
    cdef int choose_two(self, Front *front, Two *step) noexcept nogil
    cdef double pull(self, const Front *front, Py_ssize_t q, double wanted) noexcept nogil
