"""Detection of streams that are sorted by class."""
from libc.math cimport log1p
from libc.stdint cimport int32_t, int64_t

from .memory cimport address

import numpy as np

# A random order has at least this many changes of class, and the stream less than this share of
# them. Of the 25 data sets of the papers, those sorted by class have at most 0.002, the others at
# least 0.14.
cdef enum:
    MIN_EXPECTED_CHANGES = 50
cdef double MAX_SHARE = 0.05
# A run of one class is at least so long, and in a random order its probability at most exp(-25).
cdef enum:
    MIN_RUN = 500
cdef double MIN_SURPRISE = 25.0


def add_to_class_order(before, int n_classes, codes):
    """Return the counts of a stream after a chunk with these class codes (int32).

    The counts are the number of changes of class, the class of the last sample plus ``n_classes``
    times the length of its run, and the number of samples of each class. ``before`` is None for
    the first chunk. Also returns what shows that the stream is sorted by class, or None: too few
    changes in the whole stream, or a run of a class that is not new, which ends in this chunk.
    """
    if before is not None and len(before) != n_classes + 2:
        raise ValueError(f"counts of {len(before) - 2} classes, expected {n_classes}")
    counts = np.zeros(n_classes + 2, dtype=np.int64) if before is None else before.copy()
    cdef:
        int64_t *changes = <int64_t *>address(counts)
        int64_t *of_class = changes + 2
        int32_t *code = <int32_t *>address(codes)
        Py_ssize_t i, n = len(codes)
        int64_t n_seen = 0, last = changes[1] % n_classes, run = changes[1] // n_classes
        bint is_long = False
    if n == 0:
        return counts, None
    for i in range(n_classes):
        n_seen += of_class[i]
    if before is None:
        last = code[0]
    for i in range(n):
        if code[i] != last:
            is_long |= is_surprising(run, of_class[last], n_seen + i)
            changes[0] += 1
            last = code[i]
            run = 0
        run += 1
        of_class[last] += 1
    changes[1] = last + n_classes * run
    is_long |= is_surprising(run, of_class[last], n_seen + n)
    reason = None
    if has_few_changes(changes, n_classes):
        reason = f"less than {MAX_SHARE:.0%} of the class changes expected in random order"
    elif is_long:
        reason = (f"{MIN_RUN} or more consecutive samples of one class, which is improbable in "
                  "random order")
    return counts, reason


cdef bint is_surprising(int64_t run, int64_t of_class, int64_t n_seen) noexcept:
    """Return whether the run is improbable in random order, given the samples before it.

    With m samples before it, k of them of other classes, and a uniform prior of their share, the
    probability of a run of length r is about (m / (m + r))^k.
    """
    cdef int64_t before = n_seen - run, others = n_seen - of_class
    if run < MIN_RUN or of_class == run:
        return False
    return others * log1p(<double>run / before) >= MIN_SURPRISE


cdef bint has_few_changes(const int64_t *changes, Py_ssize_t n_classes) noexcept:
    """Return whether the class has changed far less often than in a random order.

    The expected number of changes is n - sum of the squared class counts / n.
    """
    cdef:
        Py_ssize_t i
        double count, n = 0.0, squares = 0.0, expected
    for i in range(n_classes):
        count = changes[2 + i]
        n += count
        squares += count * count
    expected = n - squares / n
    return expected >= MIN_EXPECTED_CHANGES and changes[0] < MAX_SHARE * expected
