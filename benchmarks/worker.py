"""Entry point of a fresh process, started by `bench.measure.call`: one task of a study."""

import inspect
import json
import sys
from functools import cache
from importlib import import_module
from pathlib import Path

from .studies import STUDIES


@cache
def tasks():
    """Return a dict from the name of each task to the module that has it."""
    folders = [name for name in STUDIES if (Path(__file__).parent / name / "tasks.py").exists()]
    modules = [import_module(f"benchmarks.{name}.tasks") for name in folders]
    return {name: module for module in reversed(modules) for name in module.TASKS}


def run(task, fields):
    """Return the record of a task, whose name is ``module:function``."""
    if ":" not in task:
        module = tasks()[task]
        return module.TASKS[task](module.JOB(**fields))
    module, name = task.split(":")
    function = getattr(import_module(module), name)
    known = inspect.signature(function).parameters
    every = any(parameter.kind is parameter.VAR_KEYWORD for parameter in known.values())
    general = {"seed", "threads", "quick"} if not every else set()
    return function(**{k: v for k, v in fields.items() if k in known or k not in general})


def main(task, fields, answer):
    Path(answer).write_text(json.dumps(run(task, json.loads(fields))))


if __name__ == "__main__":
    main(*sys.argv[1:])
