"""What is measured of choosing examples."""

from . import along, pool, rare, selection

STEPS = {**pool.STEPS, **selection.STEPS, **rare.STEPS, **along.STEPS}
