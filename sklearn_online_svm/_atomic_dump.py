"""Files that are complete at any time."""

import os

import joblib

__all__ = ["atomic_dump"]


def atomic_dump(value, path):
    """Write an object with joblib to a temporary file, which then replaces ``path``."""
    path = os.fspath(path)
    unfinished = f"{path}.{os.getpid()}.tmp"
    try:
        with open(unfinished, "wb") as file:
            joblib.dump(value, file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(unfinished, path)
    except BaseException:
        if os.path.exists(unfinished):
            os.remove(unfinished)
        raise
