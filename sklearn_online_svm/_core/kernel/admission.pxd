"""Which rows enter the set, and with which box: small objects that see scalars only.

``z = y f(x)`` is the margin of a fresh row; the ramp loss is flat for z < s (left) and for z > 1
(right).
"""
from .members cimport Example

cdef enum:
    LEFT = 0
    RAMP = 1
    RIGHT = 2


cdef class Admission:
    """Every row enters, as it is (LASVM-G, FULL)."""
    cdef readonly double ramp_s

    cdef bint admit(self, Example *row, double z, Py_ssize_t n_support) noexcept nogil


cdef class RampLoss(Admission):
    """Every row enters; beyond the ramp its box is shifted (LASVM-NC)."""
    cdef readonly Py_ssize_t ramp_start


cdef class RampFilter(Admission):
    """Only rows on the ramp enter (LASVM-I)."""
    cdef readonly Py_ssize_t ramp_start
    cdef readonly bint upper


cdef class Violators(Admission):
    """Only rows enter that can step (RampSVC)."""
    cdef readonly double tol
