"""What is measured of choosing examples."""

from . import pool, rare, selection

STEPS = {**pool.STEPS, **selection.STEPS, **rare.STEPS}
