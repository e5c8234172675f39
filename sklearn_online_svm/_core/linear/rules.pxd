"""Update rules, from `rules.h`: they are C so that the passes of `simd_linear.h` share them."""

cdef extern from "rules.h" nogil:
    # The traits that the loops, and Python, ask for.
    ctypedef struct rule_traits:
        const char *name
        bint needs_covariance
        bint is_regression

    const rule_traits *RULE_TABLE
    enum:
        N_RULES

    ctypedef struct rule_numbers:
        rule_traits traits
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

    bint rule_may_step(const rule_numbers *rule, double m, double demand, double squared_norm)
    double rule_idle_loss(const rule_numbers *rule, double m)
    rule_step rule_step_of(const rule_numbers *rule, double y, double p, double variance,
                           double weight, double demand)

# The rule of a name, with its numbers; its limits are still to be set.
cdef rule_numbers rule_from(dict rule) except *
