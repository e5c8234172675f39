"""Memory that arrays own and C reads: where it lies, how it grows."""
import math

from cpython.buffer cimport PyBUF_SIMPLE, PyBuffer_Release, PyObject_GetBuffer
from libc.stdlib cimport realloc

import numpy as np


cdef void *address(object array) except? NULL:
    """Where the data of a C-contiguous array lies; the array must be kept alive."""
    cdef Py_buffer view
    PyObject_GetBuffer(array, &view, PyBUF_SIMPLE)
    cdef void *data = view.buf
    PyBuffer_Release(&view)
    return data


cdef object aligned_bytes(Py_ssize_t n_bytes, Py_ssize_t room):
    """Zeros, with ``room`` more of them behind their end.

    They begin at a cache line: vectors that straddle two take twice the time to load."""
    memory = np.zeros(n_bytes + room + CACHE_LINE, dtype=np.uint8)
    # No Python code, which memory.ctypes is: a signal would be handled in the midst of a block.
    offset = CACHE_LINE - <size_t>address(memory) % CACHE_LINE
    return memory[offset:offset + n_bytes]


cdef object grown(object array, Py_ssize_t n):
    """Writable copy of ``array`` with ``n`` entries on axis 0, zero beyond the old ones."""
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
