"""Local online learning compared with others, on the sets of ``SETS``: ``local_banana``, ...

Each model chooses its C (and others) on 3000 training samples, then makes one pass over
all of them in several orders.
"""

from functools import partial

from ..sets.local import SETS
from .models import MODELS

ORDERS = [0, 1, 2]


def measure_set(name, settings):
    orders = ORDERS[:1] if settings.quick else ORDERS
    return settings.records("learn_streams", [{"set": name}], models=list(MODELS), orders=orders)


STEPS = {f"local_{name}": partial(measure_set, name) for name in SETS}
