"""What happens during a prequential evaluation when a drift detector raises an alarm."""

from array import array

from .._chunks import copied, stacked
from .._sklearn_compat import _safe_indexing


class DriftReaction:
    """Alarms of a drift detector, and the latest samples, for a new model."""

    def __init__(self, detector, window):
        self.detector, self.window = detector, window
        self.alarms = array("q")
        self.chunks, self.n_kept = [], 0

    def is_alarmed(self, errors, places):
        """Pass errors to the detector; return whether it has raised an alarm."""
        n_before = len(self.alarms)
        for error, place in zip(errors.tolist(), places.tolist(), strict=True):
            estimate = getattr(self.detector, "estimation", 0.0)
            self.detector.update(error)
            # ADWIN also detects that the errors have become fewer.
            has_increased = getattr(self.detector, "estimation", 1.0) >= estimate
            if self.detector.drift_detected and has_increased:
                self.alarms.append(place)
        return len(self.alarms) > n_before

    def keep(self, X, y):
        """Keep a chunk, and release those before the window."""
        if self.window is None:
            return
        self.chunks.append((copied(X), copied(y)))
        self.n_kept += len(y)
        while self.n_kept - len(self.chunks[0][1]) >= self.window:
            self.n_kept -= len(self.chunks.pop(0)[1])

    def latest(self):
        """Return the samples and the labels in the window."""
        X, y = (stacked(parts) for parts in zip(*self.chunks, strict=True))
        window = slice(max(0, self.n_kept - self.window), None)
        return _safe_indexing(X, window), _safe_indexing(y, window)
