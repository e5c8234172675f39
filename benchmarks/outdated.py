"""List results that are older than the code that they measure.

::

    python -m benchmarks.outdated

prints a line for each study: the oldest of its results, and the newest commit to the folders of
the package from which the study imports, and to the engine below them. A later commit need not
have changed any result: this is a list of what to measure next, not a failure.
"""

import ast
import subprocess
from importlib.util import resolve_name

from .bench.measure import ROOT
from .bench.results import load_those_stored
from .studies import STUDIES, modules, study

PACKAGE = "sklearn_online_svm"
# Parts of the engine, by the folder of the package that uses it.
ENGINE = {"linear": "_core/linear", "kernel": "_core/kernel", "partitioned": "_core/kernel"}


def imported(module):
    """Return names that a module imports from the package, also by modules of the benchmarks."""
    found, todo = set(), [module]
    for module in todo:
        for node in ast.walk(ast.parse((ROOT / f"{module.replace('.', '/')}.py").read_text())):
            if isinstance(node, ast.ImportFrom):
                name = "." * node.level + (node.module or "")
                name = resolve_name(name, module.rpartition(".")[0]) if node.level else name
                if name.startswith(PACKAGE):
                    found |= {f"{name}.{alias.name}" for alias in node.names}
                elif name.startswith(("benchmarks.studies.", "benchmarks.sets.")):
                    todo += {name}.difference(todo)
    return found


def folders(names):
    """Return the folders of the package that define these names, and their parts of the engine."""
    found = set()
    for name in names:
        module, _, attribute = name.rpartition(".")
        value = getattr(__import__(module, fromlist=[attribute]), attribute)
        parts = getattr(value, "__module__", module).split(".")[1:]
        if parts and (ROOT / PACKAGE / parts[0]).is_dir():
            found.add(f"{PACKAGE}/{parts[0]}")
            if parts[0] in ENGINE:
                found.add(f"{PACKAGE}/{ENGINE[parts[0]]}")
    return sorted(found)


def last_commit(paths):
    """Return the date of the newest commit to some paths, and its subject."""
    command = ["git", "log", "-1", "--no-merges", "--format=%as %s", "--", *paths]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    date, _, subject = done.stdout.strip().partition(" ")
    return date, subject


def main():
    """Print the list."""
    for name in STUDIES:
        stored = load_those_stored(study(name).steps)
        dates = {step: found["environment"]["date"] for step, found in stored.items()}
        changed, subject = last_commit(folders(set().union(*map(imported, modules(name)))))
        old = sorted(step for step, date in dates.items() if date < changed)
        if old:
            oldest = min(dates.values())
            print(f"{name}: measured {oldest}, changed {changed} ({subject}): {' '.join(old)}")


if __name__ == "__main__":
    main()
