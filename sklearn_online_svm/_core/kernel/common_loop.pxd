"""Several models that learn the same rows, over one store."""
from libc.stdint cimport int64_t

from .finishing cimport Finishing
from .stream cimport DualLoop


cdef class Tenant(Finishing):
    """What one of the models has for an engine: its problems, to read from.

    Who changes one of the models holds ``guard``, which is the same for all. ``state`` describes
    the model as if it were alone. When the problems have moved to an engine of their own, ``home``
    is that, and who still holds the tenant finds there what is asked of it."""
    cdef CommonLoop loop
    cdef readonly Finishing home    # or None
    cdef Py_ssize_t row_bytes
    cdef int64_t n_before           # n_evaluations of the loop when this one came


cdef class CommonLoop(DualLoop):
    cdef readonly list tenants
    cdef Py_ssize_t n_each          # problems of each model
    # Values that problems computed which have left, less those computed before they came.
    cdef int64_t n_gone
