"""Cases of tests with several parameters, and many cases in one test."""

from functools import wraps
from inspect import signature
from itertools import cycle, islice, product


def in_turn(values, *others):
    """Return a case for each value, in which the combinations of the others take turns."""
    values = [*values]
    combinations = islice(cycle(product(*others)), len(values))
    return [(value, *given) for value, given in zip(values, combinations)]


def together(**values):
    """Return a decorator: one test runs all combinations of the values of these arguments.

    With pytest.mark.parametrize, thousands of small tests take longer than their code.
    """

    def decorate(test):
        @wraps(test)
        def run(**given):
            for combination in product(*values.values()):
                case = dict(zip(values, combination))
                try:
                    test(**given, **case)
                except BaseException as error:
                    error.add_note(f"{test.__name__}: {case}")
                    raise

        parameters = signature(test).parameters
        others = [parameter for name, parameter in parameters.items() if name not in values]
        run.__signature__ = signature(test).replace(parameters=others)
        return run

    return decorate
