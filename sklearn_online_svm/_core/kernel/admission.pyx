"""Which rows enter the set, and with which box; the contract is in the ``.pxd``."""
cimport cython

from .members cimport Example


cdef class Admission:
    def __init__(self, double ramp_s=-1.0):
        self.ramp_s = ramp_s

    cdef bint admit(self, Example *row, double z, Py_ssize_t n_support) noexcept nogil:
        """Whether a row of margin ``z`` enters, when there are ``n_support`` support vectors;
        its box may change."""
        return True


@cython.final
cdef class RampLoss(Admission):
    """The box of a row on the left is shifted by -beta y, beta = C: it may only push f further
    the way f goes already. The first rows come as they are, lest f were settled by chance."""

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
    """Deviation: the left end of the ramp acts only once there are some support vectors, as in
    LASVM-NC. Else a few rows of one class at first can make f < s everywhere: every row of the
    other class is passed over, and nothing is ever learnt."""

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
        # z = y (target - g); a row can step that way in which its box lies.
        cdef double g = row.target - row.y * z
        return g > self.tol if row.upper > 0.0 else g < -self.tol
