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
    size = [] if quick else ["--seed=1", "--n=150", "--compiled=40"]
    command = [sys.executable, ROOT / ".ci" / "mutate.py", *size]
    yield from json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)
