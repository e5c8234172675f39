"""A problem without a bias; the equations are in ``without_bias.pyx``."""
from .active_set cimport Front
from .problem cimport Problem


# A step on the coordinates i and j of a front; j = i: a step on one coordinate.
cdef struct Two:
    Py_ssize_t i
    Py_ssize_t j
    double by_i
    double by_j
    const float *k_i
    const float *k_j


cdef class WithoutBias(Problem):
    cdef int choose_two(self, Front *front, Two *step) noexcept nogil
    cdef void follow_valley(self, const Front *front, Two *step, double k_ii,
                            double k_jj) noexcept nogil
    cdef double pull(self, const Front *front, Py_ssize_t q, double wanted) noexcept nogil
