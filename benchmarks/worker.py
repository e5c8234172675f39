"""Entry point of a fresh process, started by `bench.measure.call`: one task of a study."""

import json
import sys
from pathlib import Path

from .active import tasks as active
from .advice import tasks as advice
from .calibration import tasks as calibration
from .cells import tasks as cells
from .compression import tasks as compression
from .deployment import tasks as deployment
from .kernel_updates import tasks as kernel_updates
from .kernels import tasks as kernels
from .label_efficient import tasks as label_efficient
from .linear import tasks as linear
from .local import tasks as local
from .new_classes import tasks as new_classes
from .novelty import tasks as novelty
from .regression import tasks as regression
from .robust import tasks as robust
from .search import tasks as search
from .svc import tasks as svc
from .unbounded import tasks as unbounded

ROOMS = (
    svc, robust, unbounded, linear, local, kernel_updates, label_efficient, active, advice,
    calibration, compression, deployment, search, new_classes,
    novelty, regression, kernels, cells,
)  # fmt: skip


def main(task, fields, answer):
    for room in ROOMS:
        if task in room.TASKS:
            record = room.TASKS[task](room.JOB(**json.loads(fields)))
            Path(answer).write_text(json.dumps(record))
            return
    raise ValueError(f"there is no task {task!r}")


if __name__ == "__main__":
    main(*sys.argv[1:])
