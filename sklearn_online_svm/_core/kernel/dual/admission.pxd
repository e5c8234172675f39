"""Admission rules: which samples enter the support set, and with which box.

A rule is a small object that sees scalars only. ``z = y f(x)`` is the margin of a new sample; the
ramp loss is constant for z < s (left) and for z > 1 (right).
"""
from ..vectors.support_set cimport Example

cdef enum:
    LEFT = 0
    RAMP = 1
    RIGHT = 2


cdef class Admission:
    """Every sample is admitted, with its box unchanged (LASVM-G, FULL)."""
    cdef readonly double ramp_s

    cdef bint admit(self, Example *row, double z, Py_ssize_t n_support) noexcept nogil


cdef class RampLoss(Admission):
    """Every sample is admitted; left of the ramp its box is shifted (LASVM-NC)."""
    cdef readonly Py_ssize_t ramp_start


cdef class RampFilter(Admission):
    """Only samples on the ramp are admitted (LASVM-I)."""
    cdef readonly Py_ssize_t ramp_start
    cdef readonly bint upper


cdef class Violators(Admission):
    """Only samples that violate are admitted (RampSVC)."""
    cdef readonly double tol
