"""Detection of streams that are sorted by class."""
from libc.stdint cimport int32_t, int64_t

from .memory cimport address

import numpy as np

# A random order has at least this many changes of class, and the stream less than this share of
# them. Of the 25 data sets of the papers, those sorted by class have at most 0.002, the others at
# least 0.14.
cdef enum:
    MIN_EXPECTED_CHANGES = 50
cdef double MAX_SHARE = 0.05


def add_to_class_order(before, int n_classes, codes):
    """Return the counts of a stream after a chunk with these class codes (int32).

    The counts are the number of changes of class, the class of the last sample, and the number of
    samples of each class. ``before`` is None for the first chunk.
    """
    if before is not None and len(before) != n_classes + 2:
        raise ValueError(f"counts of {len(before) - 2} classes, expected {n_classes}")
    counts = np.zeros(n_classes + 2, dtype=np.int64) if before is None else before.copy()
    cdef:
        int64_t *changes = <int64_t *>address(counts)
        int64_t *of_class = changes + 2
        int32_t *code = <int32_t *>address(codes)
        Py_ssize_t i, n = len(codes)
        int64_t last = changes[1]
    if n == 0:
        return counts
    if before is None:
        last = code[0]
    for i in range(n):
        changes[0] += code[i] != last
        last = code[i]
        of_class[last] += 1
    changes[1] = last
    return counts


def is_sorted_by_class(counts):
    """Return whether the class has changed far less often than in a random order.

    The expected number of changes is n - sum of the squared class counts / n.
    """
    cdef:
        int64_t *changes = <int64_t *>address(counts)
        Py_ssize_t i, n_classes = len(counts) - 2
        double count, n = 0.0, squares = 0.0, expected
    for i in range(n_classes):
        count = changes[2 + i]
        n += count
        squares += count * count
    expected = n - squares / n if n > 0 else 0.0
    return expected >= MIN_EXPECTED_CHANGES and changes[0] < MAX_SHARE * expected
