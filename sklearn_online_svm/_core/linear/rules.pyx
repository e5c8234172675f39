"""Table of the update rules for Python, and the target margins of a model.

The perceptron with uneven margins, CSPA and CPA use the same rules with other target margins.
"""
from libc.math cimport INFINITY

from typing import NamedTuple

from ..memory cimport address

import numpy as np


class Rule(NamedTuple):
    """Properties of a rule of ``rules.h``."""

    index: int
    needs_covariance: bool
    is_regression: bool


RULES = {
    RULE_TABLE[i].name.decode(): Rule(
        i, bool(RULE_TABLE[i].needs_covariance), bool(RULE_TABLE[i].is_regression)
    )
    for i in range(N_RULES)
}


cdef rule_parameters rule_from(dict rule) except *:
    cdef rule_parameters parameters
    parameters.traits = RULE_TABLE[<int>RULES[rule["name"]].index]
    parameters.C = rule.get("C", INFINITY)
    parameters.phi = rule.get("phi", 0.0)
    parameters.r = rule.get("r", 1.0)
    parameters.epsilon = rule.get("epsilon", 0.0)
    parameters.max_coefficient = parameters.max_length = INFINITY
    return parameters


cdef class TargetMargins:
    """Target margins of the samples: by sign, by running class counts, or by a cost matrix.

    ``options``: the attributes of the contract that differ from their defaults.
    """

    def __init__(self, dict options, Py_ssize_t n_classes):
        self.negative = options.get("negative", 1.0)
        self.positive = options.get("positive", 1.0)
        self.running = options.get("running", False)
        self.eta_ratio = options.get("eta_ratio", 1.0)
        self.root = options.get("root", False)
        self.sign = options.get("sign", 1.0)
        self.relative = options.get("relative", False)
        self.max_loss = options.get("max_loss", False)
        self.counted = options.get("counted", False)
        self.n_classes = n_classes
        self.counts = np.zeros(n_classes)
        self.class_counts = <double *>address(self.counts)
        self.pairs = NULL
        if options.get("pairs") is not None:
            self.arrays = np.ascontiguousarray(options["pairs"], dtype=np.float64)
            self.pairs = <const double *>address(self.arrays)

    cdef double by_counts(self, int32_t positive) noexcept nogil:
        cdef double rho, t_p, t_n
        cdef Py_ssize_t r
        # With two classes the positive one may be the first.
        if self.sign < 0.0:
            positive = 0
        t_p = 1.0 + self.class_counts[positive]
        t_n = 1.0
        for r in range(self.n_classes):
            if r != positive:
                t_n += self.class_counts[r]
        rho = self.eta_ratio * t_n / t_p
        return sqrt(rho) if self.root else rho
