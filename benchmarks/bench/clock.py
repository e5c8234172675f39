"""Wall-clock and processor time."""

import resource
import time

__all__ = ["Clock"]


def _processor_seconds():
    """Return the processor time of this process and of its children that have ended."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


class Clock:
    """Seconds since it was made: of the wall clock, and of all processors together."""

    def __init__(self):
        self._wall, self._processor = time.perf_counter(), _processor_seconds()

    def read(self):
        """Return ``seconds`` and ``cpu_seconds``."""
        return {
            "seconds": time.perf_counter() - self._wall,
            "cpu_seconds": _processor_seconds() - self._processor,
        }
