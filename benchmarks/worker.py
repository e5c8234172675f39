"""Entry point of a fresh process, started by `bench.measure.call`: one task of a study."""

import inspect
import json
import sys
from importlib import import_module
from pathlib import Path

# Keywords that a task has only if it needs them.
GENERAL = {"seed", "threads", "quick"}


def run(task, fields):
    """Return the record of a task, whose name is ``module:function``."""
    module, name = task.split(":")
    function = getattr(import_module(module), name)
    parameters = inspect.signature(function).parameters
    if not any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values()):
        needless = GENERAL - parameters.keys()
        fields = {key: value for key, value in fields.items() if key not in needless}
    return function(**fields)


def main(task, fields, answer):
    Path(answer).write_text(json.dumps(run(task, json.loads(fields))))


if __name__ == "__main__":
    main(*sys.argv[1:])
