"""How far a pass over the rows is, for those who wait."""

import sys
import time

# Seconds between two lines; the first comes as late.
_BETWEEN = 2.0


def progress_of(engine, n_rows, verbose, title):
    """Return a function to be called with the number of rows learnt, or None.

    With ``verbose=1`` it shows something on a terminal only, from 2 on also where the output goes
    to a file or a pipe: a bar where tqdm is installed, else a line every few seconds.
    """
    if not verbose or not (verbose > 1 or sys.stderr.isatty()):
        return None
    try:
        from tqdm import tqdm
    except ImportError:
        return Lines(engine, n_rows, title)
    return Bar(engine, n_rows, title, tqdm)


class Lines:
    """Prints rows done, rows per second, vectors kept and the time left at this pace."""

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
            f"{self.title} {n_learnt:,} of {self.n_rows:,} rows, {rate:,.0f} rows/s, "
            f"{self.engine.store.n_slots:,} vectors kept, "
            f"{(self.n_rows - n_learnt) / rate:,.0f} s left",
            file=sys.stderr,
            flush=True,
        )

    def close(self):
        """End the output."""


class Bar:
    """The same as a bar of tqdm."""

    def __init__(self, engine, n_rows, title, tqdm):
        self.engine = engine
        self.bar = tqdm(
            total=n_rows,
            initial=engine.n_learnt,
            desc=title,
            unit=" rows",
            unit_scale=True,
            leave=False,
        )

    def __call__(self, n_learnt):
        self.bar.set_postfix_str(f"{self.engine.store.n_slots:,} vectors kept", refresh=False)
        self.bar.update(n_learnt - self.bar.n)

    def close(self):
        self.bar.close()
