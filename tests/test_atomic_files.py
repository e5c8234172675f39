"""Files that are complete at any time, with any number of writers."""

import os
import threading
import time

import joblib
import pytest

from sklearn_online_svm._atomic_dump import ABANDONED, atomic_dump, atomic_file

fcntl = pytest.importorskip("fcntl")


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


def test_permissions_are_those_of_a_new_file(tmp_path):
    (tmp_path / "plain").write_bytes(b"")
    atomic_dump(1, tmp_path / "model")
    assert (tmp_path / "model").stat().st_mode == (tmp_path / "plain").stat().st_mode
