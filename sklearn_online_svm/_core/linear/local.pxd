"""Weights with a common component, and one for each region of the rows."""
cimport cython

from .online_kmeans cimport OnlineKMeans
from .weights cimport Weights


@cython.final
cdef class LocalWeights(Weights):
    cdef Weights common
    cdef Weights local              # of the region that it is turned to
    cdef OnlineKMeans centres
    cdef double mobility            # 1 / lam
    cdef bint second_order
    cdef object more_buffers
    cdef double *along              # of a component: steps for all problems
    cdef double *shrink
