"""Mutation tests; ``.ci/mutate.py`` describes them.

The quick size tests no mutant: it checks that the files of the tables exist, and that the mutants
which are explained still do.
"""

import json
import subprocess
import sys

from tests.support import ROOT

PROMISE = "A test fails if an operator, a constant or a statement of the package is changed."


def campaign(quick):
    """Yield a record for each file; Python and compiled files are tested at the same time."""
    sizes = [[]] if quick else [["--seed=1", "--n=150"], ["--seed=1", "--compiled=40"]]
    command = [sys.executable, ROOT / ".ci" / "mutate.py"]
    runs = [
        subprocess.Popen([*command, *size], stdout=subprocess.PIPE, text=True) for size in sizes
    ]
    try:
        for run in runs:
            output, _ = run.communicate()
            if run.returncode:
                raise subprocess.CalledProcessError(run.returncode, command, output)
            yield from json.loads(output)
    finally:
        for run in runs:
            run.terminate()
