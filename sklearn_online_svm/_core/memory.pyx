"""Memory owned by arrays and accessed from C: addresses, alignment, growth."""
import math

from cpython.buffer cimport PyBUF_SIMPLE, PyBuffer_Release, PyObject_GetBuffer
from libc.stdlib cimport realloc

import numpy as np


cdef void *address(object array) except? NULL:
    """Return the address of the data of a C-contiguous array, which must be kept alive."""
    cdef Py_buffer view
    PyObject_GetBuffer(array, &view, PyBUF_SIMPLE)
    cdef void *data = view.buf
    PyBuffer_Release(&view)
    return data


cdef object aligned_bytes(Py_ssize_t n_bytes, Py_ssize_t room):
    """Return ``n_bytes`` zeros, aligned to a cache line, with ``room`` more bytes behind.

    Vectors that straddle two cache lines take twice the time to load.
    """
    memory = np.zeros(n_bytes + room + CACHE_LINE, dtype=np.uint8)
    # Not memory.ctypes, which runs Python code: signals would be handled within a block.
    offset = CACHE_LINE - <size_t>address(memory) % CACHE_LINE
    return memory[offset:offset + n_bytes]


cdef object grown(object array, Py_ssize_t n):
    """Return a writable copy with ``n`` entries on axis 0, zero beyond the old ones."""
    shape = (n,) + array.shape[1:]
    n_bytes = math.prod(shape) * array.itemsize
    copy = aligned_bytes(n_bytes, 0).view(array.dtype).reshape(shape)
    copy[:array.shape[0]] = array
    return copy


cdef void *grown_buffer(void *buffer, size_t n_bytes) except NULL:
    cdef void *grown = realloc(buffer, n_bytes)
    if grown == NULL:
        raise MemoryError()
    return grown
