"""Admission rules; the contract is in the ``.pxd``."""
cimport cython

from ..vectors.support_set cimport Example


cdef class Admission:
    def __init__(self, double ramp_s=-1.0):
        self.ramp_s = ramp_s

    cdef bint admit(self, Example *row, double z, Py_ssize_t n_support) noexcept nogil:
        """Return whether to admit a sample with margin ``z``; may change its box.

        ``n_support`` is the present number of support vectors.
        """
        return True


@cython.final
cdef class RampLoss(Admission):
    """Ramp loss: the box of a sample left of the ramp is shifted by -beta y, beta = C.

    The rule applies only once there are more than ``ramp_start`` support vectors, so that the
    first few samples do not determine which samples are outliers.
    """

    def __init__(self, double ramp_s, Py_ssize_t ramp_start):
        Admission.__init__(self, ramp_s)
        self.ramp_start = ramp_start

    cdef bint admit(self, Example *row, double z, Py_ssize_t n_support) noexcept nogil:
        cdef double bound
        if z < self.ramp_s and n_support > self.ramp_start:
            bound = row.lower + row.upper
            row.lower, row.upper = row.lower - bound, row.upper - bound
        return True


@cython.final
cdef class RampFilter(Admission):
    """Ramp filter: samples off the ramp are not admitted.

    Deviation: the left end of the ramp is used only once there are more than ``ramp_start``
    support vectors, as in LASVM-NC. Otherwise a few first samples of one class can make f < s for
    all samples of the other class, none of which would ever be admitted.
    """

    def __init__(self, double ramp_s, Py_ssize_t ramp_start, bint upper=True):
        Admission.__init__(self, ramp_s)
        self.ramp_start = ramp_start
        self.upper = upper

    cdef bint admit(self, Example *row, double z, Py_ssize_t n_support) noexcept nogil:
        if z < self.ramp_s:
            return n_support <= self.ramp_start
        return not (self.upper and z > 1.0)


@cython.final
cdef class Violators(Admission):
    def __init__(self, double ramp_s, double tol):
        Admission.__init__(self, ramp_s)
        self.tol = tol

    cdef bint admit(self, Example *row, double z, Py_ssize_t n_support) noexcept nogil:
        # As z = y (target - g). A sample can step only in the direction of its box.
        cdef double g = row.target - row.y * z
        return g > self.tol if row.upper > 0.0 else g < -self.tol
