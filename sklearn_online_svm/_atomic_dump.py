"""Files that are complete at any time."""

import os
from contextlib import contextmanager

import joblib

__all__ = ["atomic_dump", "atomic_file"]


@contextmanager
def atomic_file(path):
    """Yield a temporary file, opened for writing bytes, which replaces ``path`` at the end.

    After an error the temporary file is removed, and ``path`` is what it was.
    """
    path = os.fspath(path)
    unfinished = f"{path}.{os.getpid()}.tmp"
    try:
        with open(unfinished, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(unfinished, path)
    except BaseException:
        if os.path.exists(unfinished):
            os.remove(unfinished)
        raise


def atomic_dump(value, path):
    """Write an object with joblib to a temporary file, which then replaces ``path``."""
    with atomic_file(path) as file:
        joblib.dump(value, file)
