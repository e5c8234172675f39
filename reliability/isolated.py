"""Cases in a process of their own, which a crash, a hang or too much memory ends.

A campaign has ``cases(quick)``, which yields triples: what is tested, the name of the case, and a
function that returns None or a description of what is wrong. The same call yields the same cases,
so that the process after a crash continues behind it.
"""

import faulthandler
import json
import os
import subprocess
import sys
import tempfile
import time
import warnings

from tests.support import ROOT

from . import part

# Limit of the time of a case, in seconds: generous, as the machine may be busy.
LONGEST = 120
# Memory that the cases may allocate beyond that of the imported packages.
MEMORY = 1 << 30


def records(name, quick):
    """Run the cases of a campaign and yield a record for each thing that is tested."""
    found, start = {}, 0
    while start is not None:
        start = _run(name, quick, start, found)
    yield from found.values()


def _run(name, quick, start, found):
    """Run the cases from ``start`` on; return the number of the one after a crash, or None."""
    command = [sys.executable, "-m", __name__, name, str(int(quick)), str(start)]
    current = None
    with tempfile.TemporaryFile("w+") as errors:
        with subprocess.Popen(
            command, cwd=ROOT, stdout=subprocess.PIPE, stderr=errors, text=True
        ) as process:
            for line in process.stdout:
                if current is None:
                    current = json.loads(line)
                    continue
                _add(found, current, *json.loads(line))
                current = None
        if process.returncode == 0:
            return None
        errors.seek(0)
        text = errors.read()
    if current is None:
        raise RuntimeError(f"{name} ended with {process.returncode} between two cases: {text}")
    reason = next((line for line in text.splitlines() if "rror" in line or "imeout" in line), "")
    _add(found, current, f"the process ended with {process.returncode}: {reason}", 0.0)
    return current[0] + 1


def _add(found, current, failure, seconds):
    _, what, case = current
    empty = {"what": what, "cases": 0, "failures": [], "seconds": 0.0}
    record = found.setdefault(what, empty)
    record["cases"] += 1
    record["seconds"] += seconds
    if failure is not None:
        record["failures"].append(f"{case}: {failure}")


def main(name, quick, start):
    """Run the cases in this process; print a line before and after each."""
    faulthandler.enable()
    warnings.simplefilter("ignore")
    cases = part(name).cases(bool(int(quick)))
    limit_memory()
    for index, (what, case, call) in enumerate(cases):
        if index < int(start):
            continue
        print(json.dumps([index, what, case]), flush=True)
        faulthandler.dump_traceback_later(LONGEST, exit=True)
        begin = time.process_time()
        try:
            failure = call()
        except Exception as error:
            failure = f"{type(error).__name__}: {error}"
        faulthandler.cancel_dump_traceback_later()
        print(json.dumps([failure, time.process_time() - begin]), flush=True)


def limit_memory():
    """Let the process have only little more memory, where the system can; not with a sanitizer."""
    statm = "/proc/self/statm"
    if os.path.exists(statm) and "libasan" not in os.environ.get("LD_PRELOAD", ""):
        import resource

        with open(statm, encoding="ascii") as file:
            present = int(file.read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (present + MEMORY, resource.RLIM_INFINITY))


if __name__ == "__main__":
    main(*sys.argv[1:])
