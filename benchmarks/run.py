"""Measure everything, or the steps named; then build tables and figures."""

from . import build
from .bench import harness
from .studies import STUDIES, study

STEPS = {name: step for each in STUDIES for name, step in study(each).steps.items()}


def main(argv=None):
    settings = harness.main(STEPS, __doc__, argv)
    build.tables(settings.results)
    build.figures(settings.results)


if __name__ == "__main__":
    main()
