"""Cases of tests with several parameters, of which not all combinations can fail apart."""

from itertools import cycle, islice, product


def in_turn(values, *others):
    """Return a case for each value, in which the combinations of the others take turns."""
    values = [*values]
    combinations = islice(cycle(product(*others)), len(values))
    return [(value, *given) for value, given in zip(values, combinations)]
