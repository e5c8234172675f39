"""Entry point of a fresh process, started by `bench.measure.call`: one task of a study."""

import json
import sys
from functools import cache
from pathlib import Path

from .studies import STUDIES, part


@cache
def tasks():
    """Return a dict from the name of each task to the module that has it."""
    modules = [part(study, "tasks") for study in STUDIES]
    return {name: module for module in reversed(modules) for name in module.TASKS}


def run(task, fields):
    """Return the record of a task."""
    module = tasks().get(task)
    if module is None:
        raise ValueError(f"there is no task {task!r}")
    return module.TASKS[task](module.JOB(**fields))


def main(task, fields, answer):
    Path(answer).write_text(json.dumps(run(task, json.loads(fields))))


if __name__ == "__main__":
    main(*sys.argv[1:])
