"""Weights with a common component, and a local one for each region."""
cimport cython

from .online_kmeans cimport OnlineKMeans
from .weights cimport Weights


@cython.final
cdef class LocalWeights(Weights):
    cdef Weights common
    cdef Weights local              # of the selected region
    cdef OnlineKMeans centers
    cdef double mobility            # 1 / lam
    cdef object step_buffers
    cdef double *alphas             # of a component, for all problems
    cdef double *betas
