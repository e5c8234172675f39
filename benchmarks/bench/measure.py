"""Run a task in a fresh process, and time and memory inside of it."""

import json
import multiprocessing
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[2]

THREAD_VARIABLES = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "BLIS_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
)


def call(task, *, threads=1, limit=None, **fields):
    """Run a task in a process of its own (`benchmarks.worker`).

    A fresh process for each measurement: no measurement inherits a warm cache, a grown heap or a
    thread pool. Quick ones, whose numbers mean nothing, run in a copy of this process.

    Parameters
    ----------
    task : callable
        A function of a module.
    threads : int, default=1
        Threads that BLAS and OpenMP may use, also passed to the task.
    limit : float, default=None
        Seconds after which the process is stopped.
    **fields
        Its other keywords.

    Returns
    -------
    record : dict
        The answer of the task, with ``status`` "ok", "no result" (after `limit` seconds)
        or "failed" (with a ``message``).
    """
    task = f"{task.__module__}:{task.__qualname__}"
    if fields.get("quick") and hasattr(os, "fork"):
        return _call_in_fork(task, {"threads": threads, **fields}, limit)
    environment = os.environ | {name: str(threads) for name in THREAD_VARIABLES}
    with tempfile.TemporaryDirectory() as folder:
        answer = Path(folder) / "answer.json"
        job = json.dumps({"threads": threads, **fields})
        command = [sys.executable, "-m", "benchmarks.worker", task, job, str(answer)]
        try:
            done = subprocess.run(
                command, env=environment, cwd=ROOT, timeout=limit, capture_output=True, text=True
            )
        except subprocess.TimeoutExpired:
            return {"status": "no result", "limit": limit}
        if done.returncode != 0 or not answer.exists():
            last = (done.stderr.strip() or f"exit code {done.returncode}").splitlines()[-1]
            return {"status": "failed", "message": last}
        return {"status": "ok", **json.loads(answer.read_text())}


def _call_in_fork(task, fields, limit):
    """As `call`, in a copy of this process: importing the package takes longer than a quick task.

    Nothing that has started threads may have run in this process.
    """
    from .. import worker

    context = multiprocessing.get_context("fork")
    answers, answer = context.Pipe(duplex=False)
    process = context.Process(target=_answer, args=(answer, worker, task, fields))
    process.start()
    answer.close()
    try:
        if not answers.poll(limit):
            return {"status": "no result", "limit": limit}
        return answers.recv()
    except EOFError:
        process.join()
        return {"status": "failed", "message": f"exit code {process.exitcode}"}
    finally:
        process.kill()
        process.join()


def _answer(answer, worker, task, fields):
    """Send what a task returns, or the error that it raises."""
    try:
        record = {"status": "ok", **worker.run(task, fields)}
    except Exception as error:
        message = f"{type(error).__name__}: {error}".strip().splitlines()[-1]
        record = {"status": "failed", "message": message}
    # As from the file of a fresh process.
    answer.send(json.loads(json.dumps(record)))


def timed(function, min_seconds=0.5, max_repeats=7):
    """Call a function, again while it is too quick to be timed once.

    Returns
    -------
    value : object
        What the first call returned.
    seconds : list of float
        Of each call.
    """
    value, seconds = None, []
    while not seconds or (sum(seconds) < min_seconds and len(seconds) < max_repeats):
        start = time.perf_counter()
        result = function()
        seconds.append(time.perf_counter() - start)
        value = result if len(seconds) == 1 else value
    return value, seconds


def processor_seconds(function, repeats=1):
    """Return what a function returns, and its processor time: the shortest of several calls."""
    seconds = []
    for _ in range(repeats):
        start = time.process_time()
        value = function()
        seconds.append(time.process_time() - start)
    return value, min(seconds)


def fit_and_predict(model, X, y, X_test):
    """Return predictions, and processor times of the fit and of them."""
    # A model that is used for the first time optimizes over its support set.
    _, fitting = processor_seconds(lambda: model.fit(X, y).predict(X_test[:1]))
    predicted, predicting = processor_seconds(lambda: model.predict(X_test))
    return predicted, {"seconds_fit": fitting, "seconds_predict": predicting}


def microseconds_of_calls(function, items):
    """Time each of many short calls, one for each tuple of arguments."""
    clock = time.perf_counter_ns
    microseconds = []
    for item in items:
        start = clock()
        function(*item)
        microseconds.append((clock() - start) / 1000)
    return microseconds


class PeakMemory:
    """Growth of the resident memory of this process inside a ``with`` block.

    The kernel keeps the highest size of a process and forgets it on request, so nothing has
    to be sampled. `megabytes` is None where there is no ``/proc`` (outside Linux).
    """

    megabytes = None

    def __enter__(self):
        try:
            Path("/proc/self/clear_refs").write_text("5")
            self._before = resident("VmRSS")
        except OSError:
            self._before = None
        return self

    def __exit__(self, *exception):
        if self._before is not None:
            self.megabytes = max(0.0, resident("VmHWM") - self._before)


def resident(field="VmRSS"):
    """Memory of this process, a line of /proc/self/status, in MB."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(field):
            return int(line.split()[1]) / 1024
    raise OSError(f"/proc/self/status has no {field}")


class Stopwatch:
    """Seconds in all of its ``with`` blocks: of the wall clock, and of all processors together."""

    def __init__(self):
        self.seconds = self.cpu_seconds = 0.0

    def __enter__(self):
        self._start = time.perf_counter(), _all_processors()
        return self

    def __exit__(self, *exception):
        self.seconds += time.perf_counter() - self._start[0]
        self.cpu_seconds += _all_processors() - self._start[1]

    def read(self):
        """Return ``seconds`` and ``cpu_seconds``."""
        return {"seconds": self.seconds, "cpu_seconds": self.cpu_seconds}


def _all_processors():
    """Processor time of this process and of its children that have ended."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime
