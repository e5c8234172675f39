"""Files that are complete at any time."""

import glob
import os
import secrets
import time
from contextlib import contextmanager, suppress
from io import BufferedWriter, FileIO

import joblib

try:
    import fcntl
except ModuleNotFoundError:  # Windows, where a file that is open cannot be removed
    fcntl = None

# Age in seconds from which a temporary file that no process has locked is removed.
ABANDONED = 60.0


@contextmanager
def atomic_file(path):
    """Yield a temporary file, opened for writing bytes, which replaces ``path`` at the end.

    After an error the temporary file is removed, and ``path`` is what it was; an OSError names
    the temporary file. After Ctrl-C, ``path`` may also be the new file. Each call has a file of
    its own, so any number of threads and processes can write to the same path. Files that killed
    processes have left behind are removed.
    """
    path = os.fspath(path)
    remove_abandoned(path)
    unfinished = f"{path}.{secrets.token_hex(8)}.tmp"
    try:  # before the file is created: Ctrl-C may come at any time
        with BufferedWriter(NamedFile(unfinished, "xb")) as file:
            try:
                with suppress(OSError):  # some network file systems have no locks
                    lock(file)
                yield file
                file.flush()
                with named_errors(unfinished):
                    os.fsync(file.fileno())
                if os.name != "nt":
                    os.replace(unfinished, path)
            except BaseException:
                with suppress(OSError):  # on a full disk, as it writes what is left in the buffer
                    file.close()
                raise
        if os.name == "nt":  # an open file cannot be renamed
            os.replace(unfinished, path)
    except BaseException:
        with suppress(FileNotFoundError):  # it may be in its place already
            os.remove(unfinished)
        raise


class NamedFile(FileIO):
    """File whose errors name it: that the disk is full says little if there are several."""

    def write(self, content):
        """Write bytes."""
        with named_errors(self.name):
            return super().write(content)


@contextmanager
def named_errors(path):
    """Add the path to errors of the operating system."""
    try:
        yield
    except OSError as error:
        if error.errno is not None:
            error.filename = path
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
