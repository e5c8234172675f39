"""Entry point of a fresh process, started by `bench.measure.call`: one task of a study."""

import json
import sys
from pathlib import Path

from .studies import STUDIES, part


def main(task, fields, answer):
    for tasks in (part(study, "tasks") for study in STUDIES):
        if task in tasks.TASKS:
            record = tasks.TASKS[task](tasks.JOB(**json.loads(fields)))
            Path(answer).write_text(json.dumps(record))
            return
    raise ValueError(f"there is no task {task!r}")


if __name__ == "__main__":
    main(*sys.argv[1:])
