"""Arrays of several types over the same slots, in one piece of memory.

With many problems, an array of its own for each of them would take more memory than its values.
"""

cdef enum:
    MOST_FIELDS = 12


cdef class SlotArrays:
    cdef tuple names
    cdef tuple dtypes
    cdef Py_ssize_t n_fields
    cdef Py_ssize_t itemsize[MOST_FIELDS]
    cdef Py_ssize_t capacity
    cdef object memory              # a bytearray; views keep it alive
    cdef char *base                 # aligned to a cache line

    cdef SlotArrays like(self)
    # Addresses of the arrays change.
    cdef int reserve(self, Py_ssize_t capacity, Py_ssize_t n) except -1
    cdef void *at(self, Py_ssize_t k) noexcept nogil
    cdef object view(self, str name, Py_ssize_t n)
    cdef SlotArrays copy(self, Py_ssize_t n)
