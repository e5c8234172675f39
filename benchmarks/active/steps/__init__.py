"""What is measured of choosing examples."""

from . import pool

STEPS = {**pool.STEPS}
