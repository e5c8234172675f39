"""List how old the results of each study are.

::

    python -m benchmarks.outdated

prints the dates of the oldest and of the newest result, and the number of commits to the package
since the oldest one. These need not have changed any result: this is a list of what to measure
next, not a failure.
"""

import subprocess

from .bench.measure import ROOT
from .bench.results import load_those_stored
from .studies import STUDIES, study


def main():
    """Print the list, the oldest first."""
    dates = {}
    for name in STUDIES:
        stored = load_those_stored(study(name).steps).values()
        dates[name] = sorted(found["environment"]["date"] for found in stored)
    for name in sorted(STUDIES, key=dates.get):
        oldest, newest = dates[name][0], dates[name][-1]
        command = ["git", "rev-list", "--count", f"--since={oldest}", "HEAD", "sklearn_online_svm"]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
        print(f"{name}: measured {oldest} to {newest}, {done.stdout.strip()} commits since")


if __name__ == "__main__":
    main()
