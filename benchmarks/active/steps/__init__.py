"""What is measured of choosing examples."""

from . import along, imbalance, pairs, pool, rare, selection

STEPS = {**pool.STEPS, **imbalance.STEPS, **pairs.STEPS}
STEPS |= {**selection.STEPS, **rare.STEPS, **along.STEPS}
