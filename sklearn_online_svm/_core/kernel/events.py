"""What has become of the rows of a model in a block: for those who want to follow it."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Events:
    """Lasting numbers of rows, of one problem, by what has happened to them in a block.

    Parameters
    ----------
    became : ndarray of int64
        Have become support vectors.
    ceased : ndarray of int64
        Are support vectors no longer, and still kept.
    dropped : ndarray of int64
        Were kept and are no longer.
    """

    became: np.ndarray
    ceased: np.ndarray
    dropped: np.ndarray


def census(problem):
    """Return the numbers of the rows that a problem keeps, and of its support vectors."""
    slots = problem.slots()
    rows = problem.members["row_id"][slots]
    return rows, rows[problem.members["alpha"][slots] != 0.0]


def events_between(before, after):
    """Return the :class:`Events` that lead from one census to the next."""
    (kept_before, support_before), (kept, support) = before, after
    dropped = np.setdiff1d(kept_before, kept)
    return Events(
        became=np.setdiff1d(support, support_before),
        ceased=np.setdiff1d(np.setdiff1d(support_before, support), dropped),
        dropped=dropped,
    )
