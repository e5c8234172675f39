"""Memory that arrays own and C reads: where it lies, how it grows."""


cdef inline Py_ssize_t round_up(Py_ssize_t n, Py_ssize_t unit) noexcept nogil:
    return (n + unit - 1) // unit * unit

cdef void *address(object array) except? NULL

cdef enum:
    CACHE_LINE = 64                 # bytes, and those of the widest vector

cdef object aligned_bytes(Py_ssize_t n_bytes, Py_ssize_t room)

cdef object grown(object array, Py_ssize_t n)

# realloc, for buffers that C owns.
cdef void *grown_buffer(void *buffer, size_t n_bytes) except NULL
