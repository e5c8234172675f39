"""Progress output of an epoch."""

import sys
import time

# Seconds between two lines, and before the first one.
_BETWEEN = 2.0


def progress_of(engine, n_rows, verbose, title):
    """Return a progress callback that takes the number of samples processed, or None.

    ``verbose=1`` shows progress only on a terminal; from 2 on it is also shown if standard error
    is a file or a pipe. The output is a progress bar if tqdm is installed, otherwise a line every
    few seconds.
    """
    if not verbose or not (verbose > 1 or sys.stderr.isatty()):
        return None
    try:
        from tqdm import tqdm
    except ImportError:
        return Lines(engine, n_rows, title)
    return Bar(engine, n_rows, title, tqdm)


class Lines:
    """Print samples processed, samples per second, support vectors and the remaining time."""

    def __init__(self, engine, n_rows, title):
        self.engine, self.n_rows, self.title = engine, n_rows, title
        self.at, self.since = engine.n_learnt, time.perf_counter()

    def __call__(self, n_learnt):
        now = time.perf_counter()
        if now - self.since < _BETWEEN:
            return
        rate = (n_learnt - self.at) / (now - self.since)
        self.at, self.since = n_learnt, now
        print(
            f"{self.title} {n_learnt:,} of {self.n_rows:,} samples, {rate:,.0f} samples/s, "
            f"{self.engine.store.n_slots:,} vectors in the support set, "
            f"{(self.n_rows - n_learnt) / rate:,.0f} s left",
            file=sys.stderr,
            flush=True,
        )

    def close(self):
        """Do nothing: lines need no closing."""


class Bar:
    """Show the progress as a tqdm bar."""

    def __init__(self, engine, n_rows, title, tqdm):
        self.engine = engine
        self.bar = tqdm(
            total=n_rows,
            initial=engine.n_learnt,
            desc=title,
            unit=" samples",
            unit_scale=True,
            leave=False,
        )

    def __call__(self, n_learnt):
        n_vectors = f"{self.engine.store.n_slots:,} vectors in the support set"
        self.bar.set_postfix_str(n_vectors, refresh=False)
        self.bar.update(n_learnt - self.bar.n)

    def close(self):
        self.bar.close()
