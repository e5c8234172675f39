"""The margin that a row is to have: data, where the rules are formulas."""
from libc.math cimport sqrt
from libc.stdint cimport int32_t

cimport cython


@cython.final
cdef class TargetMargins:
    # By the sign of the row: -1 and +1.
    cdef double negative
    cdef double positive
    # Cost-sensitive: of the positive rows eta_ratio * T_n / T_p, T counted so far.
    cdef bint running
    cdef double eta_ratio
    cdef bint root                  # of that its square root
    cdef double sign                # which sign is the positive class
    cdef bint relative              # C is in units of the demand over the squared norm of the row
    # Crammer-Singer: what is demanded of (label, other), or NULL; whether the other class is the
    # one with the largest loss.
    cdef const double *pairs
    cdef bint max_loss
    cdef bint counted               # somebody wants to know the counts
    # Rows of each class so far.
    cdef readonly object counts
    cdef double *seen
    cdef Py_ssize_t n_classes
    cdef object arrays              # kept alive

    cdef inline double of_sign(self, double y, int32_t positive) noexcept nogil:
        """Demanded of a row of sign y, in the problem of the class `positive`."""
        if y != self.sign:
            return self.negative
        return self.by_counts(positive) if self.running else self.positive

    cdef double by_counts(self, int32_t positive) noexcept nogil
