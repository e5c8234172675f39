"""How many members a problem keeps, how long, and which one gives way.

A member is idle (alpha = 0), or it stands for itself and, with its box, for those that have been
merged into it. Who decides needs the *neighbour* of each member: the nearest one in kernel space
on the same side. Neighbours follow from the members alone; ``meet`` brings one up to date, and
nothing of them is stored.
"""
from libc.stdint cimport int32_t, int64_t

from .members cimport Members


cdef class Budget:
    cdef readonly Py_ssize_t most       # members
    cdef readonly int64_t window_size       # rows that a member may be kept for
    cdef readonly double closest        # cosine from which two may be merged
    cdef readonly int64_t now           # rows learnt
    cdef int64_t *born                  # the row with which a member came
    cdef int64_t least_born             # no member came before
    cdef int32_t *neighbour             # UNKNOWN, NOBODY or a slot
    cdef double *distance               # to it, squared
    cdef double *cosine
    cdef Py_ssize_t capacity

    cdef int reserve(self, Py_ssize_t n) except -1
    cdef void enter(self, Py_ssize_t slot) noexcept nogil
    cdef void leave(self, Py_ssize_t slot, Py_ssize_t n) noexcept nogil
    cdef void meet(self, Members members, Py_ssize_t slot, const float *k) noexcept nogil
    # Slots, or -1: one that is to be met; those that give way.
    cdef Py_ssize_t stranger(self, Members members, Py_ssize_t first) noexcept nogil
    cdef Py_ssize_t outdated(self, Members members) noexcept nogil
    cdef Py_ssize_t idle(self, Members members, double b) noexcept nogil
    cdef Py_ssize_t mergeable(self, Members members) noexcept nogil
    cdef Py_ssize_t oldest(self, Members members) noexcept nogil
