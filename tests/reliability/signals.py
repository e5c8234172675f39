"""SIGINT (Ctrl-C) at any moment of a call, and SIGKILL while files are written.

A timer of the kernel sends SIGINT, one or a few in a burst, at a random moment of a call: in
Python code, in compiled loops, and while threads work. Each model runs in a process of its own.

After ``KeyboardInterrupt`` the model must predict finite values and continue as documented, to the
same bits as a model that has not been interrupted: with ``resume`` if the call can be resumed,
otherwise with the samples from the one on at which it stopped. Calls that do not train must leave
the model unchanged. ``delay`` is the median, and ``longest`` the maximum, of the times
from the first signal of a burst to the exception, in seconds on a machine that is busy.
"""

import copy
import ctypes
import json
import os
import pickle
import random
import signal
import subprocess
import sys
import tempfile
import time
import warnings
from contextlib import suppress
from functools import partial
from pathlib import Path

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.datasets import dump_svmlight_file

from sklearn_online_svm import LASVC, AROWClassifier
from sklearn_online_svm.export import load_model, save_model
from sklearn_online_svm.readers import fit_stream, read_arrays
from tests.support import ROOT
from tests.support.internals import main
from tests.support.interrupts import check_count, completed, values_of
from tests.support.programs import in_fork
from tests.support.trainable import (
    FINISHING,
    FITTED_AT_ONCE,
    MODELS,
    samples_of,
    seeded,
)

PROMISE = (
    "Ctrl-C ends a call within half a second and leaves a usable model, whose training can be "
    "continued to the same result; a process that is killed leaves the complete old or new file."
)

# Seconds. Half a second is promised, but other programs may use the processor.
LIMIT = 30.0
SECONDS = 300  # of a process, before it counts as hanging

# Numbers of samples, and of signals for each model and method.
SIZES = [(120, 2), (500, 1)]

CALLS = ("fit", "partial_fit", "finish", "predict", "decision_function", "score", "pickle", "save")
QUICK = ("arow", "kernel pa, merging, 2 classes", "labels, mistakes", "search")
QUICK_CALLS = ("fit", "partial_fit")


def campaign(quick):
    """Run ``records`` in a process of its own, which forks."""
    command = [sys.executable, "-m", __name__, *(["quick"] if quick else [])]
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=ROOT, text=True) as process:
        yield from map(json.loads, process.stdout)
    assert process.returncode == 0


def records(quick):
    for call in QUICK_CALLS if quick else CALLS:
        yield interrupts(call, QUICK if quick else MODELS, [(120, 1)] if quick else SIZES)
    for what, files in FILES.items():
        yield kills(what, files, 3 if quick else 167)
    yield interrupted_commands(3 if quick else 100)


# ------------------------------------------------------------------------------------ SIGINT


def interrupts(call, names, sizes):
    """Return the record of a method of all models."""
    failures, delays, n_signals = [], [], 0
    for name in names:
        for n, n_wanted in sizes:
            found = in_fork(partial(attempts, name, call, n_wanted, n), SECONDS)
            if isinstance(found, str) or found[0] == -1:  # a crash, or an error of the test
                found = [n_wanted, [f"{name}, {call}, n={n}: {found}"], []]
            n_signals += found[0]
            failures += found[1]
            delays += found[2]
    return record(f"SIGINT in {call}", n_signals, failures, delays)


def record(what, n_signals, failures, delays=()):
    """Return a record; delays of signals that end a process are not known."""
    return {
        "what": what,
        "cases": n_signals,
        "failures": failures,
        "delay": float(np.median(delays)) if delays else "",
        "longest": max(delays, default=""),
    }


class Timer:
    """A timer of the kernel that sends SIGINT to this process."""

    class _Event(ctypes.Structure):
        _fields_ = [
            ("value", ctypes.c_void_p),
            ("signal", ctypes.c_int),
            ("notify", ctypes.c_int),
            ("rest", ctypes.c_char * 48),
        ]

    def __init__(self):
        self.library, self.number = ctypes.CDLL(None, use_errno=True), ctypes.c_void_p()
        event = self._Event(signal=signal.SIGINT, notify=0)
        found = self.library.timer_create(
            time.CLOCK_MONOTONIC, ctypes.byref(event), ctypes.byref(self.number)
        )
        assert found == 0, os.strerror(ctypes.get_errno())

    def start(self, delay, interval=0.0):
        """Send the first signal after ``delay`` seconds, and others at intervals; 0: stop."""
        values = [int(part * 1e9) for part in (interval, delay)]
        parts = [part for value in values for part in divmod(value, 10**9)]
        self.library.timer_settime(self.number, 0, (ctypes.c_long * 4)(*parts), None)


class Burst:
    """Call functions until one is interrupted."""

    def __init__(self):
        self.timer, self.is_inside, self.n_signals = Timer(), False, 0
        signal.signal(signal.SIGINT, self._handle)

    def _handle(self, number, frame):
        self.n_signals += 1
        if self.is_inside:
            raise KeyboardInterrupt

    def interrupt(self, call, delay, interval):
        """Return the exception, None if the call was over before, and seconds since the signal."""
        error, before = None, self.n_signals
        self.timer.start(delay, interval)
        due = time.monotonic() + delay
        try:
            self.is_inside = True
            call()
            self.is_inside = False
        except BaseException as raised:
            self.is_inside = False
            error = raised
        end = time.monotonic()
        self.timer.start(0.0)
        if error is None and end > due + 0.001 and self.n_signals == before:
            error = AssertionError("SIGINT was lost")
        return error, end - due


class Model:
    """An estimator of the table before a call, with its data and the samples that follow."""

    def __init__(self, name, call, n):
        self.name, self.call = name, call
        X, y = samples_of(name, n + 80)
        self.first, self.data = X[:40], (X[40 : n + 40], y[40 : n + 40])
        self.following = X[n + 40 :], y[n + 40 :]
        model = seeded(name)
        self.is_in_order = hasattr(type(model), "t_") and hasattr(model, "shuffle")
        if self.is_in_order:
            model.set_params(shuffle=False, tol=None, max_iter=3)
        self.given = {"classes": np.unique(y)} if is_classifier(model) else {}
        if name in FITTED_AT_ONCE:
            self.before = model.fit(X[:40], y[:40])
        else:
            self.before = model.partial_fit(X[:40], y[:40], **self.given)

    def run(self, model, path):
        if self.call == "pickle":
            pickle.dumps(model)
        elif self.call == "save":
            save_model(model, path)
        else:
            n_arguments = {"finish": 0, "predict": 1, "decision_function": 1}.get(self.call, 2)
            getattr(model, self.call)(*self.data[:n_arguments])
        return model

    def is_possible(self, path):
        """Return whether the model has the method; store it where ``save`` is tested."""
        if self.call == "save":
            with suppress(ValueError):  # of a class of the tests
                save_model(self.before, path)
            return path.exists()
        if self.call == "partial_fit" and self.name in FITTED_AT_ONCE:
            return False
        return self.call == "pickle" or hasattr(self.before, self.call)

    def continued(self, model):
        """Return predictions after more samples, which show what the model has become."""
        if hasattr(model, "partial_fit"):
            model.partial_fit(*self.following)
        return values_of(model, self.first)

    def completed(self, model, error, path):
        """Complete an interrupted call as documented; return the model."""
        if self.call not in ("fit", "partial_fit", "finish"):
            unchanged = values_of(self.before, self.first)
            assert np.array_equal(values_of(model, self.first), unchanged), "changed"
            return self.run(model, path)
        if self.call == "fit" and self.is_in_order and model.t_ != self.before.t_:
            check_count(model, self.data, self.given)
        data = () if self.call == "finish" else self.data
        notes = " ".join(getattr(error, "__notes__", ()))
        return completed(model, self.before, self.call, data, notes, self.given)


def removed_later(left, write):
    """Assert that temporary files are removed by a later call."""
    for path in left:
        os.utime(path, (0, 0))
    write()
    assert not any(path.exists() for path in left), f"{left} is not removed later"


def attempts(name, call, n_signals, n):
    """Interrupt a call n_signals times; return [signals, failures, delays]."""
    warnings.simplefilter("ignore")
    model, choice = Model(name, call, n), random.Random(f"{name} {call}")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "model.skops")
        if not model.is_possible(path):
            return [0, [], []]
        start = time.perf_counter()
        reference = model.run(copy.deepcopy(model.before), path)
        seconds = time.perf_counter() - start
        if call == "fit":
            reference = clone(reference).fit(*model.data)
        expected = values_of(reference, model.first), model.continued(reference)
        burst, delays, failures, n_sent = Burst(), [], [], 0
        while n_sent < n_signals:
            interrupted = copy.deepcopy(model.before)
            delay = choice.uniform(0.0, 1.1 * seconds)
            interval = choice.choice([0.0, 0.0, 2e-4, 2e-3])
            error, since = burst.interrupt(partial(model.run, interrupted, path), delay, interval)
            if error is None:
                continue
            n_sent += 1
            try:
                assert type(error) is KeyboardInterrupt, repr(error)
                delays.append(since)
                assert since < LIMIT, f"it took {since:.1f} s"
                values_of(interrupted, model.first)
                after = model.completed(interrupted, error, path)
                found = values_of(after, model.first), model.continued(after)
                # Predictions optimize from the last solution on, until an error of tol.
                error = 0.05 if name in FINISHING else 0.0
                for ours, theirs in zip(found, expected, strict=True):
                    assert np.abs(ours - theirs).max() <= error, "continues with other numbers"
                if call == "save":
                    stored = values_of(load_model(path), model.first)
                    assert np.abs(stored - expected[0]).max() <= error, "another model is stored"
                    left = {*Path(folder).iterdir()} - {path}
                    # A second signal may end the removal; the next call removes it later on.
                    assert not left or interval, f"{left} has not been removed"
                    if left:
                        removed_later(left, partial(save_model, model.before, path))
            except Exception as wrong:
                case = f"{name}, {call}, n={n}, signal {n_sent}"
                failures.append(f"{case}: {type(wrong).__name__}: {wrong}")
    return [n_sent, failures, delays]


# ----------------------------------------------------------------------------------- SIGKILL


class Saved:
    """Models that ``save_model`` stores, one after the other, in the same file."""

    def __init__(self, folder):
        X, self.y = samples_of("lasvm", 120)
        self.X, self.path = X, folder / "model.skops"
        self.models = [LASVC(gamma=0.3, random_state=0).fit(X[:n], self.y[:n]) for n in (40, 120)]
        self.known = {model.decision_function(X).tobytes() for model in self.models}
        save_model(self.models[0], self.path)

    def write(self):
        for model in self.models:
            save_model(model, self.path)

    def check(self):
        assert load_model(self.path).decision_function(self.X).tobytes() in self.known


class Stream:
    """A stream with checkpoints, which the next call continues."""

    def __init__(self, folder):
        self.X, self.y = samples_of("lasvm", 400)
        self.path = folder / "checkpoint"
        self.expected = self.train(None)

    def train(self, path):
        chunks = partial(read_arrays, self.X, self.y, chunk_size=40)
        model = AROWClassifier(random_state=0)
        classes = np.unique(self.y)
        model = fit_stream(
            model, chunks, classes=classes, checkpoint=path, checkpoint_every=0, epochs=3
        )
        return model.coef_.tobytes()

    def write(self):
        self.path.unlink(missing_ok=True)
        self.train(self.path)

    def check(self):
        assert self.train(self.path) == self.expected
        assert self.train(self.path) == self.expected  # all epochs are in the file


class Command:
    """Commands whose output is a file: the former one, a complete one, or none."""

    def __init__(self, folder):
        X, y = samples_of("lasvm", 400)
        self.data, self.path = folder / "data.svm", folder / "model.skops"
        self.checkpoint = folder / "checkpoint"
        dump_svmlight_file(X, y, str(self.data), zero_based=False)
        self.write()
        self.expected = load_model(self.path)
        self.path.unlink()

    def write(self):
        options = "--model AROWClassifier --seed 0 --quiet --chunk-size 40 --epochs 3"
        given = f"train {self.data} {options} -o {self.path} --checkpoint {self.checkpoint}"
        self.checkpoint.unlink(missing_ok=True)
        return main([*given.split(), "--checkpoint-every", "1"])

    def check(self):
        if self.path.exists():
            assert np.array_equal(load_model(self.path).coef_, self.expected.coef_)
            self.path.unlink()


FILES = {"save_model": Saved, "fit_stream": Stream, "command line": Command}


def sent(number, work, delay):
    """Send a signal to a fork that works; return its status."""
    child = os.fork()
    if not child:
        status = 1
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # "interrupted"
        try:
            signal.signal(signal.SIGINT, signal.default_int_handler)
            status = work() or 0
        except KeyboardInterrupt:  # before the command, or after it
            status = 130
        finally:
            os._exit(status)
    time.sleep(delay)
    os.kill(child, number)
    return os.waitpid(child, 0)[1]


def signalled(number, kind, n):
    """Yield the files and the status after each of n signals at a random moment of ``write``."""
    with tempfile.TemporaryDirectory() as folder:
        files, choice = kind(Path(folder)), random.Random(0)
        start = time.perf_counter()
        files.write()
        seconds = time.perf_counter() - start
        for _ in range(n):
            yield files, sent(number, files.write, choice.uniform(0.0, 1.2 * seconds))


def kills(what, kind, n):
    """Return the record of SIGKILL while files are written."""
    failures = []
    for k, (files, _) in enumerate(signalled(signal.SIGKILL, kind, n)):
        try:
            files.check()
            if left := [*files.path.parent.glob("*.tmp")]:
                removed_later(left, files.write)
        except Exception as error:
            failures.append(f"{what}, signal {k}: {type(error).__name__}: {error}")
    return record(f"SIGKILL in {what}", n, failures)


def interrupted_commands(n):
    """Return the record of SIGINT during commands: exit code 130, and no incomplete file."""
    failures = []
    for k, (files, status) in enumerate(signalled(signal.SIGINT, Command, n)):
        try:
            assert os.waitstatus_to_exitcode(status) in (0, 130), status
            files.check()
            left = [*files.path.parent.glob("*.tmp")]
            assert not left, f"{left} has not been removed"
        except Exception as error:
            failures.append(f"command line, SIGINT {k}: {type(error).__name__}: {error}")
    return record("SIGINT in command line", n, failures)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    for found in records("quick" in sys.argv):
        print(json.dumps(found), flush=True)
