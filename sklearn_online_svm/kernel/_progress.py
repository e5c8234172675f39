"""Progress output of an epoch."""

import sys
import time
from contextlib import contextmanager

# Seconds between two lines, and before the first one.
_BETWEEN = 2.0


@contextmanager
def progress(engine, n_samples, verbose, title):
    """Yield a callback that takes the number of samples processed, or None.

    ``verbose=1`` shows progress only on a terminal; from 2 on it is also shown if standard error
    is a file or a pipe. The output is a progress bar if tqdm is installed, otherwise a line every
    few seconds.
    """
    if not verbose or not (verbose > 1 or sys.stderr.isatty()):
        yield None
        return
    try:
        from tqdm import tqdm
    except ImportError:
        yield _lines(engine, n_samples, title)
        return
    options = dict(unit=" samples", unit_scale=True, leave=False)
    with tqdm(total=n_samples, initial=engine.n_processed, desc=title, **options) as bar:

        def update(n_processed):
            n_vectors = f"{engine.store.n_slots:,} vectors in the support set"
            bar.set_postfix_str(n_vectors, refresh=False)
            bar.update(n_processed - bar.n)

        yield update


def _lines(engine, n_samples, title):
    """Return a callback that prints speed, size of the support set and remaining time."""
    last, since = engine.n_processed, time.perf_counter()

    def update(n_processed):
        nonlocal last, since
        now = time.perf_counter()
        if now - since < _BETWEEN:
            return
        rate = (n_processed - last) / (now - since)
        last, since = n_processed, now
        print(
            f"{title} {n_processed:,} of {n_samples:,} samples, {rate:,.0f} samples/s, "
            f"{engine.store.n_slots:,} vectors in the support set, "
            f"{(n_samples - n_processed) / rate:,.0f} s left",
            file=sys.stderr,
            flush=True,
        )

    return update
