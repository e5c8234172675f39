"""Update rules (``rules.h``) and their target margins.

The rules are in C because the pass of ``primitives_linear.h`` uses them, too.
"""
from libc.math cimport sqrt
from libc.stdint cimport int32_t

cimport cython

cdef extern from "rules.h" nogil:
    ctypedef struct rule_traits:
        const char *name
        bint needs_covariance
        bint is_regression

    const rule_traits *RULE_TABLE
    enum:
        N_RULES

    ctypedef struct rule_parameters:
        rule_traits traits
        double C
        double phi
        double r
        double epsilon
        double max_coefficient
        double max_length

    ctypedef struct rule_step:
        double alpha
        double beta
        double loss
        bint taken

    bint rule_may_step(const rule_parameters *rule, double m, double target_margin,
                       double squared_norm)
    double rule_loss_without_step(const rule_parameters *rule, double m)
    rule_step rule_step_of(const rule_parameters *rule, double y, double p, double v,
                           double weight, double target_margin)

# Return the named rule with its parameters; the limits of its steps are infinite.
cdef rule_parameters rule_from(dict rule) except *


@cython.final
cdef class TargetMargins:
    # By the sign of the sample: -1 and +1.
    cdef double negative
    cdef double positive
    # Cost-sensitive: rho = eta_ratio * T_n / T_p for positive samples, T the counts so far, or
    # its square root.
    cdef bint running
    cdef double eta_ratio
    cdef bint root
    cdef double sign                # of the positive class
    cdef bint relative              # C is multiplied by target margin / |x|^2
    # Crammer-Singer: target margins by (label, other class), or NULL; whether the other class is
    # the one with the largest loss instead of the largest score.
    cdef const double *pairs
    cdef bint max_loss
    cdef bint counted               # whether `counts` are needed although `running` is False
    cdef readonly object counts     # of the samples of each class so far
    cdef double *class_counts       # its data
    cdef Py_ssize_t n_classes
    cdef object arrays              # owns `pairs`

    # Target margin of a sample with sign y, in the problem of the class `positive`.
    cdef inline double of_sign(self, double y, int32_t positive) noexcept nogil:
        if y != self.sign:
            return self.negative
        return self.by_counts(positive) if self.running else self.positive

    cdef double by_counts(self, int32_t positive) noexcept nogil
