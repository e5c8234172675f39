"""Random calls of the C primitives, with memory that must not be accessed behind each array.

The quick size compares the portable loops with plain ones. The full size compares all SIMD levels
and, if there is clang, also runs the portable loops under libFuzzer, with the sanitizers of
addresses and of undefined behaviour.
"""

import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

from tests.support import ROOT

PROMISE = (
    "Each C primitive has the results of plain loops, the same bits at each SIMD level, and "
    "accesses no memory outside of its arrays."
)
BUILD = ROOT / "build"
CORE = ROOT / "sklearn_online_svm" / "_core"
SOURCE = Path(__file__).with_name("fuzz_primitives.c")
FLAGS = [
    *("-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math", "-w"),
    *(f"-I{CORE / room}" for room in ("simd", "linear")),
]
SANITIZERS = "-fsanitize=fuzzer,address,undefined"


def campaign(quick):
    gcc = shutil.which("gcc") or shutil.which("cc")
    clang = next(filter(None, map(shutil.which, ("clang", "clang-16", "clang-14"))), None)
    if sys.platform != "linux" or not gcc:
        # The driver needs the memory maps of POSIX.
        yield {"what": "no compiler", "cases": 1, "failures": [], "seconds": 0.0}
        return
    yield from driven(gcc, quick)
    if clang and not quick:
        yield from fuzzed(clang)


def driven(gcc, quick):
    """Run random cases, compiled without optimization, which would remove useless accesses."""
    only = ["-DONLY_PORTABLE"] if quick else []
    name = "portable" if quick else "driver"
    driver = compiled(gcc, name, "-O0", "-DPLAIN_DRIVER", *only)
    # Cases that failed once are among the first hundred.
    n = 700 if quick else 10_000
    yield from finished([driver, 0, n], "random", f"cases 0 to {n}")


def fuzzed(clang, seconds=180):
    flags = [SANITIZERS, "-fno-sanitize-recover=undefined", "-DONLY_PORTABLE"]
    fuzzer = compiled(clang, "fuzzer", "-O0", "-g1", *flags)
    options = [f"-max_total_time={seconds}", "-max_len=64"]
    options.append(f"-artifact_prefix={BUILD}/fuzz_primitives-")
    yield from finished([fuzzer, *options], "libFuzzer", "see build/")


def compiled(compiler, name, *flags):
    """Return the program; it is compiled if it is older than its sources."""
    program = BUILD / f"fuzz_primitives-{name}"
    changed = max(path.stat().st_mtime for path in (SOURCE, *CORE.rglob("*.h")))
    if not program.exists() or program.stat().st_mtime < changed:
        BUILD.mkdir(exist_ok=True)
        subprocess.run([compiler, *flags, *FLAGS, SOURCE, "-o", program, "-lm"], check=True)
    return program


def finished(command, way, cases):
    """Run a program, and yield a record for each primitive."""
    begin = time.perf_counter()
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    seconds = time.perf_counter() - begin
    counts = re.findall(r"^cases (\d+) (.*)$", done.stdout, re.MULTILINE)
    wrong = re.findall(r"^.*mismatch: (.*?), (level.*)$", done.stderr, re.MULTILINE)
    total = sum(int(count) for count, _ in counts) or 1
    for count, name in counts:
        if int(count):
            failures = [f"{way} {cases}: {text}" for of, text in wrong if of == name]
            share = seconds * int(count) / total
            what = f"{name}, {way}"
            yield {"what": what, "cases": int(count), "failures": failures, "seconds": share}
    if done.returncode:
        failure = f"{cases} ended with {done.returncode}: {done.stderr[-300:]}"
        yield {"what": way, "cases": 1, "failures": [failure], "seconds": seconds}
