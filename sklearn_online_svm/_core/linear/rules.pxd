"""Update rules, from `rules.h`: they are C so that the passes of `leaves_linear.h` share them."""

cdef extern from "rules.h" nogil:
    ctypedef enum rule_kind:
        RULE_HINGE
        RULE_SQUARED_HINGE
        RULE_PREDICTION
        RULE_INSENSITIVE
        RULE_SQUARED_INSENSITIVE
        RULE_PERCEPTRON
        RULE_SECOND_ORDER
        RULE_CONFIDENCE
        RULE_SOFT_CONFIDENCE
        RULE_SQUARED_CONFIDENCE
        RULE_AROW

    ctypedef struct rule_numbers:
        rule_kind kind
        double C
        double phi
        double r
        double epsilon
        double largest
        double reach

    ctypedef struct rule_step:
        double along
        double shrink
        double loss
        bint taken

    bint rule_may_step(const rule_numbers *rule, double m, double demand, double norm)
    rule_step rule_step_of(const rule_numbers *rule, double y, double p, double quad,
                           double weight, double demand)
