"""Measure everything, or the steps named, the cheapest first; then build tables and figures."""

from . import build
from .bench import harness

STEPS = {}
for room, *_ in build.ROOMS.values():
    STEPS |= room.STEPS


def main(argv=None):
    settings = harness.main(STEPS, __doc__, argv)
    build.tables(settings.results)
    build.figures(settings.results)


if __name__ == "__main__":
    main()
