"""What is measured of choosing examples."""

from . import pool, selection

STEPS = {**pool.STEPS, **selection.STEPS}
