"""Progress output of an epoch and of the optimization over the support set."""

import sys
import time
from contextlib import contextmanager, nullcontext

import numpy as np

from .. import _limits

# Largest exponent with which the time per sample may grow with the number of samples.
_MOST_GROWTH = 3.0


class RemainingTime:
    """Estimate of the rest of an epoch.

    The time per sample grows with the support set. It is extrapolated as a power of the number of
    samples processed, fitted to the later half of the measurements.
    """

    def __init__(self, n_processed):
        self.n, self.since = n_processed, time.perf_counter()
        self._middles, self._costs = [], []

    def is_due(self, now):
        """Return whether enough time has passed for a measurement."""
        return now - self.since >= _limits.PROGRESS_SECONDS

    def measure(self, n_processed, now):
        """Note the speed since the last measurement, and return it in samples per second."""
        cost = (now - self.since) / max(1, n_processed - self.n)
        self._middles.append(0.5 * (self.n + n_processed))
        self._costs.append(cost)
        self.n, self.since = n_processed, now
        return 1.0 / cost

    def seconds(self, n_samples):
        """Return the estimated time of the remaining samples; None after one measurement."""
        if len(self._costs) < 2:
            return None
        half = len(self._costs) // 2 - (len(self._costs) < 4)
        middles, costs = np.log(self._middles[half:]), np.log(self._costs[half:])
        growth = min(max(np.polyfit(middles, costs, 1)[0], 0.0), _MOST_GROWTH)
        level = costs.mean() - growth * middles.mean()
        ends = np.array([self.n, n_samples], dtype=float) ** (growth + 1.0)
        return float(np.exp(level) * (ends[1] - ends[0]) / (growth + 1.0))


class RemainingFinish:
    """Estimate of the rest of the optimization over the support sets.

    The logarithm of the violation decreases about linearly with time. ``distances`` returns its
    distance from the logarithm of the tolerance for each problem, NaN before the first step. The
    sum is extrapolated from the measurements in the second half of the elapsed time. A problem
    that has not begun is assigned the mean initial distance of the others.
    """

    def __init__(self, distances):
        self.distances, self.begin = distances, time.perf_counter()
        self._first = {}
        self._times, self._distances = [], []

    def measure(self, now):
        """Note the present distance."""
        distances = self.distances()
        for number in np.flatnonzero(~np.isnan(distances)):
            self._first.setdefault(number, distances[number])
        if self._first:
            mean = np.mean(list(self._first.values()))
            self._times.append(now - self.begin)
            self._distances.append(np.where(np.isnan(distances), mean, distances).sum())

    def seconds(self):
        """Return the estimated time; None after few measurements, or if nothing has decreased."""
        half = np.searchsorted(self._times, self._times[-1] / 2) if self._times else 0
        if len(self._times) - half < 3:
            return None
        slope = np.polyfit(self._times[half:], self._distances[half:], 1)[0]
        return self._distances[-1] / -slope if slope < 0 else None


def is_shown(verbose):
    """Return whether to show progress: 1 on a terminal or in a notebook, from 2 on always."""
    return verbose > 1 or bool(verbose) and (sys.stderr.isatty() or "ipykernel" in sys.modules)


@contextmanager
def progress(engine, n_samples, verbose, title):
    """Yield a callback that takes the number of samples processed, or None.

    The output is a progress bar if tqdm is installed, otherwise a line every few seconds.
    """
    if not is_shown(verbose):
        yield None
        return
    remaining, text = RemainingTime(engine.n_processed), ""
    bar_or_none = _bar(
        desc=title,
        total=n_samples,
        initial=engine.n_processed,
        unit=" samples",
        unit_scale=True,
        bar_format="{desc} {percentage:3.0f}%|{bar}| {n_fmt}/{total_fmt} [{elapsed}{postfix}]",
    )

    def update(n_processed):
        nonlocal text
        now = time.perf_counter()
        if measured := remaining.is_due(now):
            rate = remaining.measure(n_processed, now)
            seconds = remaining.seconds(n_samples)
            left = "" if seconds is None else f", about {seconds:,.0f} s left of the epoch"
            text = f"{rate:,.0f} samples/s{left}"
        if bar is not None:
            vectors = f"{engine.store.n_slots:,} vectors in the support set"
            bar.set_postfix_str(f"{vectors}, {text}" if text else vectors, refresh=False)
            bar.update(n_processed - bar.n)
        elif measured:
            _print(
                f"{title} {n_processed:,} of {n_samples:,} samples, {engine.store.n_slots:,} "
                f"vectors in the support set, {text}"
            )

    with bar_or_none as bar:
        yield update


def finish_with_progress(engine, threads, verbose, title, share=1.0, report=None):
    """Optimize over the support set by a share of the steps left, with progress output."""

    def distances():
        return np.array([problem.finish_distance for problem in engine.problems])

    title = f"{title} optimizing over {engine.n_vectors:,} vectors"
    with optimization_progress(distances, verbose, title, report) as update:
        engine.finish(threads, update, share)


@contextmanager
def optimization_progress(distances, verbose, title, report=None):
    """Yield the function that an optimization calls now and then, or None.

    It shows the progress, and calls ``report``; for ``distances`` see :class:`RemainingFinish`.
    """
    if not is_shown(verbose):
        yield report
        return
    remaining = RemainingFinish(distances)
    shown = remaining.begin
    bar_or_none = _bar(desc=title, bar_format="{desc} [{elapsed}{postfix}]")

    def update():
        nonlocal shown
        now = time.perf_counter()
        remaining.measure(now)
        if now - shown >= _limits.PROGRESS_SECONDS:
            shown, seconds = now, remaining.seconds()
            left = "" if seconds is None else f", about {seconds:,.0f} s left"
            if bar is None:
                _print(f"{title}, {now - remaining.begin:,.0f} s{left}")
            else:
                bar.set_postfix_str(left.removeprefix(", "), refresh=False)
        if bar is not None:
            bar.update()
        if report is not None:
            report()

    with bar_or_none as bar:
        yield update


def _bar(**options):
    """Return the context of a progress bar, or of None if tqdm is not installed."""
    try:
        from tqdm import tqdm
    except ImportError:
        return nullcontext()
    return tqdm(leave=False, **options)


def _print(line):
    print(line, file=sys.stderr, flush=True)
