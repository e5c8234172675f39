"""Run the campaigns, or those named, and store what they find."""

import argparse
import sys
import time
from pathlib import Path

from benchmarks.bench import results
from benchmarks.bench.harness import environment
from benchmarks.bench.measure import ROOT

from . import CAMPAIGNS, part
from .tables import RESULTS


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="+", metavar="NAME", choices=CAMPAIGNS, default=CAMPAIGNS)
    parser.add_argument("--quick", action="store_true", help="the size of make test")
    arguments = parser.parse_args(argv)
    # Quick numbers are kept apart, so that they cannot end up on the page.
    folder = ROOT / "build" / "reliability-quick" if arguments.quick else RESULTS
    n_failures = sum(run(name, arguments.quick, folder) for name in arguments.only)
    sys.exit(f"{n_failures} failures" if n_failures else 0)


def run(name, quick, folder):
    """Run a campaign and store its records; return the number of failures."""
    start, records = time.perf_counter(), []
    for record in part(name).campaign(quick):
        records.append(record)
        print(name, *(f"{key} {value}" for key, value in record.items()), sep=", ", flush=True)
    seconds = time.perf_counter() - start
    payload = {"campaign": name, "environment": environment(), "seconds": seconds}
    results.store(name, payload | {"records": records}, Path(folder))
    return sum(len(record["failures"]) for record in records)


if __name__ == "__main__":
    main()
