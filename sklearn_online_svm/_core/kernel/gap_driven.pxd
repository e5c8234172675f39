"""LASVM-G, -NC, -I and FULL on one binary problem; the equations are in ``gap_driven.pyx``."""
from libc.stdint cimport int64_t

from .admission cimport Admission
from .members cimport Example
from .without_bias cimport WithoutBias


# A member at alpha = 0 and how far it is from ever moving.
cdef struct Idle:
    double distance
    Py_ssize_t slot


cdef class GapDriven(WithoutBias):
    cdef readonly Admission admission
    cdef double gap_floor            # REPROCESS until gap <= max(gap_floor, target)
    cdef Py_ssize_t single_steps     # of REPROCESS after one row, before steps on two take over
    cdef Py_ssize_t clean_interval   # CLEAN after so many rows admitted; 0: never
    cdef Py_ssize_t max_non_sv       # members with alpha = 0 that CLEAN leaves; < 0: all
    cdef readonly double threshold   # max(gap_floor, target) of the newest row
    cdef readonly double loss        # sum max(0, bound g) over the members
    cdef double alpha_g              # sum alpha g
    cdef double h                    # sums of h = C y g and of h^2
    cdef double h_squared
    cdef bint stale                  # a step has been made since the last three were summed
    cdef Py_ssize_t n_steps          # of REPROCESS after the newest row
    cdef bint entered                # the newest row is a new member
    cdef readonly double violation   # largest met by PROCESS since begin_pass
    # Rows by region of the ramp when they were met: admitted, cleaned away, passed over.
    cdef int64_t admitted[3]
    cdef int64_t cleaned[3]
    cdef int64_t skipped[3]
    cdef Idle *idle                  # room for CLEAN
    cdef Py_ssize_t idle_capacity

    cdef int process(self, Example *row) noexcept nogil
    cdef int step(self, Py_ssize_t slot, const float *k) noexcept nogil
    cdef int reprocess(self) noexcept nogil
    cdef int step_on_two(self) noexcept nogil
    cdef int clean(self) noexcept nogil
    cdef void sum_up(self) noexcept nogil
    cdef void set_target(self) noexcept nogil
    cdef double gap_now(self) noexcept nogil
