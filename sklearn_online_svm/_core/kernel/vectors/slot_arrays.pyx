"""Arrays over slots, in one piece of memory; the contract is in the ``.pxd``."""
cimport cython
from cpython.bytearray cimport PyByteArray_AS_STRING, PyByteArray_FromStringAndSize
from libc.string cimport memcpy, memset

from ...memory cimport CACHE_LINE

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

    cdef SlotArrays like(self):
        """Return arrays of the same types without slots."""
        cdef SlotArrays other = SlotArrays.__new__(SlotArrays)
        other.names, other.dtypes, other.n_fields = self.names, self.dtypes, self.n_fields
        other.itemsize = self.itemsize
        return other

    cdef int reserve(self, Py_ssize_t capacity, Py_ssize_t n) except -1:
        """Allocate ``capacity`` slots, a multiple of the tile size, and copy the first ``n``.

        Others are zero. After an error nothing has changed.
        """
        cdef Py_ssize_t k, n_bytes = 0, former = 0, size
        cdef char *base
        for k in range(self.n_fields):
            n_bytes += self.itemsize[k] * capacity
        memory = PyByteArray_FromStringAndSize(NULL, n_bytes + CACHE_LINE)
        base = PyByteArray_AS_STRING(memory)
        base += (CACHE_LINE - <size_t>base % CACHE_LINE) % CACHE_LINE
        n_bytes = 0
        for k in range(self.n_fields):
            size = self.itemsize[k]
            if n:
                memcpy(base + n_bytes, self.base + former, n * size)
            memset(base + n_bytes + n * size, 0, (capacity - n) * size)
            n_bytes += size * capacity
            former += size * self.capacity
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
        cdef Py_ssize_t k = self.names.index(name)
        if not n:
            return np.zeros(0, dtype=self.dtypes[k])
        return np.frombuffer(self.memory, self.dtypes[k], n,
                             <char *>self.at(k) - PyByteArray_AS_STRING(self.memory))

    cdef SlotArrays copy(self, Py_ssize_t n):
        """Return arrays of the same length with copies of the first ``n`` slots."""
        cdef SlotArrays copy = self.like()
        copy.capacity, copy.base = self.capacity, self.base
        copy.reserve(self.capacity, n)
        return copy
