"""Measure everything, or the steps named, the cheap first; then build tables and figures."""

from . import build
from .active import steps as active
from .advice import steps as advice
from .bench import harness
from .budget import steps as budget
from .kernel_updates import steps as kernel_updates
from .label_efficient import steps as label_efficient
from .linear import steps as linear
from .local import steps as local
from .robust import steps as robust
from .search import steps as search
from .svc import steps as svc

ROOMS = (
    svc, robust, budget, linear, local, kernel_updates, label_efficient, active, advice, search,
)  # fmt: skip
STEPS = {}
for room in ROOMS:
    STEPS |= room.STEPS


def main(argv=None):
    settings = harness.main(STEPS, __doc__, argv)
    build.tables(settings.results)
    build.figures(settings.results)


if __name__ == "__main__":
    main()
