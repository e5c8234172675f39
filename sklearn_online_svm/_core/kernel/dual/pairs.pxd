"""Decision values of pairs of classes, from the kernel values of the support vectors."""
from libc.stdint cimport int32_t, int64_t


# The support vectors of a one-vs-one solution, in groups of one class within a stretch of slots.
cdef class ByClass:
    cdef Py_ssize_t n_classes
    cdef Py_ssize_t width           # n_classes - 1 rows, padded for vector registers
    cdef Py_ssize_t min_block       # number of samples that are processed together
    cdef const int32_t[::1] places  # of the support vectors in their stretch
    cdef const double[:, ::1] coef  # (n_SV, width), rows as ``places``
    cdef const int64_t[::1] begins  # of each group among ``places``, and the end
    cdef const int32_t[::1] labels  # of each group
    cdef const int64_t[::1] first   # group of each stretch, and the end

    cdef PairSums new_sums(self, Py_ssize_t n_samples, Py_ssize_t ld)


# Sums over the support vectors, for a block of samples: those of a class for each of its pairs.
cdef class PairSums:
    cdef ByClass by_class
    cdef Py_ssize_t ld              # of the kernel values
    cdef float[::1] transposed      # kernel values of a stretch
    cdef double[::1] sums           # (n_classes, width, lanes), or without lanes for each sample

    cdef void clear(self, Py_ssize_t size) noexcept nogil
    cdef void add(self, const float *values, Py_ssize_t size, Py_ssize_t stretch,
                  Py_ssize_t n_slots) noexcept nogil
    cdef void write(self, Py_ssize_t size, const double *bias, double *out) noexcept nogil
