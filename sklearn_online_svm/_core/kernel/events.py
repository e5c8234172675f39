"""Changes of the support set of a model in a block, for listeners."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Events:
    """Identifiers of samples whose state changed in a block, for one problem.

    Parameters
    ----------
    became : ndarray of int64
        Samples that became support vectors.
    ceased : ndarray of int64
        Samples that ceased to be support vectors and are still in the support set.
    dropped : ndarray of int64
        Samples that were removed from the support set.
    """

    became: np.ndarray
    ceased: np.ndarray
    dropped: np.ndarray


def census(problem):
    """Return the identifiers of the samples in the support set, and of the support vectors."""
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
