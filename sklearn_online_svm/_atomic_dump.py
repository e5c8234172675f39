"""Files that are complete at any time."""

import glob
import os
import secrets
import time
from contextlib import contextmanager, suppress

import joblib

try:
    import fcntl
except ModuleNotFoundError:  # Windows, where a file that is open cannot be removed
    fcntl = None

__all__ = ["atomic_dump", "atomic_file"]

# Age in seconds from which a temporary file that no process has locked is removed.
ABANDONED = 60.0


@contextmanager
def atomic_file(path):
    """Yield a temporary file, opened for writing bytes, which replaces ``path`` at the end.

    After an error the temporary file is removed, and ``path`` is what it was; after Ctrl-C it may
    also be the new file. Each call has a file of its own, so any number of threads and processes
    can write to the same path. Files that killed processes have left behind are removed.
    """
    path = os.fspath(path)
    remove_abandoned(path)
    unfinished = f"{path}.{secrets.token_hex(8)}.tmp"
    try:  # before the file is created: Ctrl-C may come at any time
        with open(unfinished, "xb") as file:
            with suppress(OSError):  # some network file systems have no locks
                lock(file)
            yield file
            file.flush()
            os.fsync(file.fileno())
            if os.name != "nt":
                os.replace(unfinished, path)
        if os.name == "nt":  # an open file cannot be renamed
            os.replace(unfinished, path)
    except BaseException:
        with suppress(FileNotFoundError):  # it may be in its place already
            os.remove(unfinished)
        raise


def remove_abandoned(path):
    """Remove old temporary files of ``path`` that no process is writing."""
    for name in glob.glob(f"{glob.escape(path)}.*.tmp"):
        # Another process is writing it, or has removed it.
        with suppress(OSError), open(name, "rb") as file:
            if time.time() - os.fstat(file.fileno()).st_mtime > ABANDONED:
                lock(file)
                os.remove(name)


def lock(file):
    """Lock an open file; raise OSError if another process has locked it."""
    if fcntl is not None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def atomic_dump(value, path):
    """Write an object with joblib to a temporary file, which then replaces ``path``."""
    with atomic_file(path) as file:
        joblib.dump(value, file)
