"""The table of update rules, for Python; the update loop and the leaves use it as it is."""
from libc.math cimport INFINITY

from typing import NamedTuple


class Rule(NamedTuple):
    """What a rule of ``rules.h`` is like."""

    index: int
    needs_covariance: bool
    is_regression: bool


RULES = {
    RULE_TABLE[i].name.decode(): Rule(
        i, bool(RULE_TABLE[i].needs_covariance), bool(RULE_TABLE[i].is_regression)
    )
    for i in range(N_RULES)
}


cdef rule_numbers rule_from(dict rule) except *:
    cdef rule_numbers numbers
    numbers.traits = RULE_TABLE[<int>RULES[rule["name"]].index]
    numbers.C = rule.get("C", INFINITY)
    numbers.phi = rule.get("phi", 0.0)
    numbers.r = rule.get("r", 1.0)
    numbers.epsilon = rule.get("epsilon", 0.0)
    numbers.largest = numbers.reach = INFINITY
    return numbers
