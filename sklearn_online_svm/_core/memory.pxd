"""Memory owned by arrays and accessed from C: addresses, alignment, growth."""


cdef inline Py_ssize_t round_up(Py_ssize_t n, Py_ssize_t unit) noexcept nogil:
    return (n + unit - 1) // unit * unit

cdef void *address(object array) except? NULL

cdef enum:
    CACHE_LINE = 64                 # bytes; also the size of the widest vector register

cdef object aligned_bytes(Py_ssize_t n_bytes, Py_ssize_t room)

cdef object grown(object array, Py_ssize_t n)

# realloc for buffers owned by C code.
cdef void *grown_buffer(void *buffer, size_t n_bytes) except NULL
