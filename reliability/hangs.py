"""Hang sweep: random parameters and data for every estimator that is trained."""

import json
import subprocess
import sys
from itertools import chain, groupby
from queue import Empty, Queue
from threading import Thread

from tests.support import ROOT
from tests.support.fuzz import LIMIT, SLOW, TRAINED, call_of

PROMISE = (
    "With random parameters (but no cache below 1 MB and no cells of fewer than 10 samples), "
    "training on at most 200 samples ends within "
    f"{SLOW:g} seconds of processor time, or warns and ends within {LIMIT}; predictions are "
    "finite, or a ValueError says what to change."
)
N_CASES, N_QUICK = 20_000, 58
# Seconds without a sign of life, of a busy machine: a deadlock takes no processor time.
PATIENCE = 1800
# Calls that failed once.
KEPT = (
    "ActiveLASVC:353",
    "CompressedClassifier:18",
    "CompressedClassifier:43",
    "CompressedClassifier:213",
    "LASVC:508",
    "RampSVC:371",
    "VirtualSampler:2",
    "VirtualSampler:495",
)


def campaign(quick):
    """Yield a record for each estimator."""
    n_seeds = -(-(N_QUICK if quick else N_CASES) // len(TRAINED))
    cases = {f"{name}:{seed}" for name in TRAINED for seed in range(2, n_seeds + 2)} | {*KEPT}
    for name, reports in groupby(calls(sorted(cases)), estimator_of):
        reports = list(reports)
        yield {
            "what": name,
            "cases": len(reports),
            "failures": [report["failure"] for report in reports if report["failure"]],
            "refused": sum(report["outcome"].startswith("ValueError") for report in reports),
            "warned": sum(report["warned"] for report in reports),
            "slowest_seconds": max(report["seconds"] for report in reports),
        }


def estimator_of(report):
    return report["case"].partition(":")[0]


def calls(cases):
    """Make calls in another process, and yield their reports.

    A call that ends the process, or does not end, is followed by a new process.
    """
    cases = list(cases)
    while cases:
        command = [sys.executable, "-m", "tests.support.fuzz", *cases]
        with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
            lines = Queue()
            Thread(target=read, args=(process, lines), daemon=True).start()
            try:
                while cases:
                    case = cases.pop(0)
                    yield report_of(case, process, lines)
                    if process.poll():
                        break
            finally:
                process.kill()


def read(process, lines):
    for line in chain(process.stdout, [""]):
        lines.put(line)


def report_of(case, process, lines):
    """Return the report of a call, with the reason why it is a failure, if it is one."""
    report = {"case": case, "outcome": "", "warned": False, "seconds": 0.0}
    try:
        for _ in range(2):
            line = lines.get(timeout=PATIENCE)
            if not line:
                report["outcome"] = f"ended the process with the code {process.wait()}"
                break
            report |= json.loads(line)
    except Empty:
        process.kill()
        process.wait()
        report["outcome"] = "did not end"
    found = reason(**report)
    return report | {"failure": found and f"{case}, {call_of(case)}: {found}"}


def reason(outcome, warned, seconds, **others):
    """Return why a call is a failure; None if it is none."""
    if not outcome.startswith(("result", "ValueError")):
        return outcome
    if seconds > LIMIT or (seconds > SLOW and not warned):
        return f"took {seconds:.1f} s"
    return None
