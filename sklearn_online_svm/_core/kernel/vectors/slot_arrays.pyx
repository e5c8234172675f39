"""Arrays over slots, in one piece of memory; the contract is in the ``.pxd``."""
cimport cython
from libc.string cimport memcpy

from ...memory cimport address, aligned_bytes

import numpy as np


@cython.final
cdef class SlotArrays:
    """Arrays without slots; ``fields``: dict of the types by name, the largest items first."""
    def __init__(self, dict fields):
        cdef Py_ssize_t k
        self.names = tuple(fields)
        self.dtypes = tuple([np.dtype(kind) for kind in fields.values()])
        self.n_fields = len(self.names)
        for k in range(self.n_fields):
            self.itemsize[k] = self.dtypes[k].itemsize

    cdef int reserve(self, Py_ssize_t capacity, Py_ssize_t n) except -1:
        """Allocate ``capacity`` slots, a multiple of the tile size, and copy the first ``n``.

        Others are zero. After an error nothing has changed.
        """
        cdef Py_ssize_t k, n_bytes = 0, former = 0
        cdef char *base
        for k in range(self.n_fields):
            n_bytes += self.itemsize[k] * capacity
        memory = aligned_bytes(n_bytes, 0)
        base = <char *>address(memory)
        n_bytes = 0
        for k in range(self.n_fields):
            if n:
                memcpy(base + n_bytes, self.base + former, n * self.itemsize[k])
            n_bytes += self.itemsize[k] * capacity
            former += self.itemsize[k] * self.capacity
        self.memory, self.base, self.capacity = memory, base, capacity
        return 0

    cdef void *at(self, Py_ssize_t k) noexcept nogil:
        """Return the address of the k-th array."""
        cdef Py_ssize_t j, n_bytes = 0
        for j in range(k):
            n_bytes += self.itemsize[j]
        return self.base + n_bytes * self.capacity

    cdef object view(self, str name, Py_ssize_t n):
        """Return an array over the first ``n`` slots, which is valid until ``reserve``."""
        cdef Py_ssize_t k = self.names.index(name), j, first = 0
        if self.memory is None:
            return np.zeros(0, dtype=self.dtypes[k])
        for j in range(k):
            first += self.itemsize[j]
        first *= self.capacity
        return self.memory[first:first + n * self.itemsize[k]].view(self.dtypes[k])

    cdef SlotArrays copy(self, Py_ssize_t n):
        """Return arrays of the same length with copies of the first ``n`` slots."""
        cdef SlotArrays copy = SlotArrays.__new__(SlotArrays)
        copy.names, copy.dtypes, copy.n_fields = self.names, self.dtypes, self.n_fields
        copy.itemsize, copy.capacity, copy.base = self.itemsize, self.capacity, self.base
        copy.reserve(self.capacity, n)
        return copy
