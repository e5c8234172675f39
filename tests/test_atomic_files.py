"""Files that are complete at any time, with any number of writers."""

import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import joblib
import pytest

from tests.support.internals import ABANDONED, atomic_dump, atomic_file
from tests.support.programs import finished

fcntl = pytest.importorskip("fcntl")


@pytest.mark.slow
def test_concurrent_writers_of_a_path(tmp_path):
    path, errors = tmp_path / "model", []
    atomic_dump([0] * 5000, path)

    def repeat(action):
        try:
            for _ in range(60):
                action()
        except Exception as error:
            errors.append(error)

    def check():
        values = joblib.load(path)
        assert len(values) == 5000 and len(set(values)) == 1

    writers = [lambda k=k: atomic_dump([k] * 5000, path) for k in range(6)]
    threads = [threading.Thread(target=repeat, args=(do,)) for do in (*writers, check, check)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
    assert os.listdir(tmp_path) == ["model"]


def test_files_of_killed_processes_are_removed(tmp_path):
    path = tmp_path / "model[1]"
    others = {name: tmp_path / f"model[1].{name}.tmp" for name in ("old", "new", "busy")}
    unrelated = tmp_path / "model1.old.tmp"
    for other in (*others.values(), unrelated):
        other.write_bytes(b"unfinished")
        if other != others["new"]:
            then = time.time() - 2 * ABANDONED
            os.utime(other, (then, then))
    with open(others["busy"], "rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        atomic_dump(1, path)
    found = {path, others["new"], others["busy"], unrelated}
    assert set(tmp_path.iterdir()) == found


def test_an_error_removes_the_temporary_file(tmp_path):
    path = tmp_path / "model"
    atomic_dump(1, path)
    with pytest.raises(ZeroDivisionError), atomic_file(path):
        raise ZeroDivisionError
    assert joblib.load(path) == 1
    assert os.listdir(tmp_path) == ["model"]


def test_an_interrupt_after_the_file_is_in_its_place(tmp_path, monkeypatch):
    """Regression test: FileNotFoundError took the place of KeyboardInterrupt."""

    def interrupted(source, target, replace=os.replace):
        replace(source, target)
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        atomic_dump(1, tmp_path / "model")
    assert joblib.load(tmp_path / "model") == 1
    assert os.listdir(tmp_path) == ["model"]


def test_permissions_are_those_of_a_new_file(tmp_path):
    (tmp_path / "plain").write_bytes(b"")
    atomic_dump(1, tmp_path / "model")
    assert (tmp_path / "model").stat().st_mode == (tmp_path / "plain").stat().st_mode


# -- several processes, and killed ones ----------------------------------------------------------

# A few models of different sizes, and what they predict.
MODELS = """
import numpy as np
from sklearn_online_svm import LASVC
from sklearn_online_svm.datasets import make_banana_like
from sklearn_online_svm.export import load_model, save_model

X, y = make_banana_like(120, random_state=0)
models = [LASVC(gamma=1.0, random_state=0).fit(X[:n], y[:n]) for n in (20, 40, 80, 120)]
known = {model.decision_function(X[:20]).tobytes() for model in models}
"""

CONCURRENT = (
    MODELS
    + """
import os, sys, threading

path, n_calls, n_threads = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
errors = []

def work(number):
    try:
        for k in range(n_calls):
            save_model(models[(number + k) % len(models)], path)
            assert load_model(path).decision_function(X[:20]).tobytes() in known
    except BaseException as error:
        errors.append(error)
        raise

threads = [threading.Thread(target=work, args=(number,)) for number in range(n_threads)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert not errors
"""
)

KILLED = (
    MODELS
    + """
import os, random, signal, sys, time
import joblib
from tests.support.internals import atomic_dump

folder, n_kills = sys.argv[1], int(sys.argv[2])
path, random = os.path.join(folder, "model"), random.Random(0)
atomic_dump(models[0], path)
start = time.perf_counter()
for k in range(20):
    atomic_dump(models[k % len(models)], path)
seconds = (time.perf_counter() - start) / 20
n_unfinished = 0
for _ in range(n_kills):
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(writing, b"x")
        while True:
            for model in models:
                atomic_dump(model, path)
    os.read(reading, 1)
    time.sleep(random.uniform(0.0, 4 * seconds))
    os.kill(child, signal.SIGKILL)
    assert os.WTERMSIG(os.waitpid(child, 0)[1]) == signal.SIGKILL
    os.close(reading)
    os.close(writing)
    assert joblib.load(path).decision_function(X[:20]).tobytes() in known
    left = sorted(os.listdir(folder))
    left.remove("model")
    n_unfinished += bool(left)
    for name in left:  # as if it had been left some time ago
        os.utime(os.path.join(folder, name), (0, 0))
    atomic_dump(models[1], path)
    assert os.listdir(folder) == ["model"], os.listdir(folder)
print(n_unfinished)
"""
)


def check_concurrent_models(folder, n_processes, n_threads, n_calls):
    """Each thread saves and loads ``n_calls`` times."""
    arguments = [str(folder / "model"), str(n_calls), str(n_threads)]
    with ThreadPoolExecutor(n_processes) as executor:
        for process in executor.map(
            lambda _: finished(CONCURRENT, *arguments), range(n_processes)
        ):
            assert process.returncode == 0, process.stderr
    assert os.listdir(folder) == ["model"]


@pytest.mark.slow
def test_threads_and_processes_save_and_load_a_model(tmp_path):
    check_concurrent_models(tmp_path, n_processes=2, n_threads=2, n_calls=10)


@pytest.mark.slow
def test_many_threads_and_processes_save_and_load_a_model(tmp_path):
    check_concurrent_models(tmp_path, n_processes=4, n_threads=5, n_calls=50)


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork and SIGKILL")
def test_killed_processes_leave_a_complete_file(tmp_path):
    process = finished(KILLED, str(tmp_path), "20")
    assert process.returncode == 0, process.stderr
    # Most processes were killed while they were writing.
    assert int(process.stdout) > 5
