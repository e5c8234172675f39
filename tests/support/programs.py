"""Python programs and functions in processes of their own: crashes and Ctrl-C do no harm."""

import json
import os
import signal
import subprocess
import sys
import time

from sklearn_online_svm._core.simd import primitives
from tests.support import ROOT

# The levels that round a product and its sum once: their results are the same to the last bit.
FUSED_LEVELS = [level for level in primitives.simd_levels() if level != "unfused"]


def finished(program, *arguments, seconds=None, **environment):
    """The process, once it is over."""
    return subprocess.run(
        [sys.executable, "-X", "faulthandler", "-c", program, *arguments],
        cwd=ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=seconds,
    )


def at_level(level, program, *arguments):
    """The process, once it is over, that is made to use this SIMD level."""
    return finished(program, *arguments, **{primitives.ENVIRONMENT_VARIABLE: level})


def interrupted(program, *arguments, after):
    """Report of a process interrupted so long after its work has begun, and the delay.

    The program prints "begins"; then, as JSON, its report with the time it was ``back``.
    """
    process = subprocess.Popen(
        [sys.executable, "-c", program, *arguments],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout.readline() == "begins\n", process.stderr.read()
        time.sleep(after)
        sent = time.monotonic()
        os.kill(process.pid, signal.SIGINT)
        output, errors = process.communicate(timeout=300)
    finally:
        process.kill()
    assert process.returncode == 0, errors
    report = json.loads(output)
    return report, report["back"] - sent


def in_fork(work, seconds=60):
    """What ``work()`` returns in a fork; a string if it crashes or hangs."""
    read, write = os.pipe()
    child = os.fork()
    if not child:
        signal.alarm(seconds)
        os.close(read)
        try:
            answer = json.dumps(work())
        except BaseException as error:
            answer = json.dumps([-1, "fails", f"{type(error).__name__}: {error}"])
        os.write(write, answer.encode())
        os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        answer = pipe.read()
    status = os.waitpid(child, 0)[1]
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        return "hangs" if number == signal.SIGALRM else f"crash {number}"
    return json.loads(answer)
