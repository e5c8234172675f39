"""Passes over rows: what Python calls.

Signals are looked at every few milliseconds, between rows: the model is consistent then. Others
read from the shelf meanwhile.
"""
from cpython.exc cimport PyErr_CheckSignals

from ..simd.primitives cimport simd_linear
from .queries cimport Purchases
from .rows cimport Dataset, Row, Rows, row_of, rows_of
from .update_loop cimport (
    RUN_DONE, RUN_HELD, RUN_LABEL_WANTED, RUN_NOT_FINITE, UpdateLoop,
)
from .weights cimport Weights

# How `learn` ends.
DONE = RUN_DONE
NOT_FINITE = RUN_NOT_FINITE
LABEL_WANTED = RUN_LABEL_WANTED
HELD = RUN_HELD

# Multiplications between two looks at the signals: a few milliseconds.
cdef double PATIENCE = 5e6


def learn(UpdateLoop loop, Dataset dataset, Py_ssize_t start=0, Purchases purchases=None,
          tuple meanwhile=None):
    """Learn the rows in their order, from the `start`-th on.

    Parameters
    ----------
    loop : UpdateLoop
        The model.
    dataset : Dataset
    start : int
    purchases : Purchases, optional
        Labels are asked for; all are taken without it.
    meanwhile : tuple of ndarray, optional
        Copies of the arrays on the shelf, for others to read.

    Returns
    -------
    end : int
        DONE, NOT_FINITE (the row is not learnt from; the shelf stays closed), LABEL_WANTED
        (the label of the row is asked for and -1; go on from this row when it is known), or
        HELD (nothing is learnt, as somebody reads the weights where they lie; the shelf is
        closed).
    position : int
        How many rows have been gone through, counted in their order.
    """
    cdef Weights weights = loop.weights
    cdef Py_ssize_t n, stop, stride, position = start
    cdef int end = RUN_DONE
    dataset.lay_out(weights.n_features, weights.single, loop.rule.traits.is_regression)
    n = dataset.n
    stride = max(1, <Py_ssize_t>(PATIENCE / _work(weights, &dataset.rows)))
    loop.position = start
    if loop.shelf is not None and not loop.shelf.close(meanwhile):
        return HELD, position
    try:
        while position < n and end == RUN_DONE:
            stop = weights.begin(dataset, position, min(n, position + stride))
            with nogil:
                end = loop.run(dataset, purchases, &position, stop)
            loop.position = position
            weights.end(position)
            if position < n or n - start > stride:
                PyErr_CheckSignals()
    finally:
        # What has been learnt before such a row may have to be taken back.
        if end != RUN_NOT_FINITE and loop.shelf is not None:
            loop.shelf.open(loop.n_rows)
    return end, position


cdef double _work(Weights weights, const Rows *rows) noexcept nogil:
    """Multiplications for a row."""
    cdef double n = weights.n_features
    if weights.is_full:
        return (1.0 + n) * (1.0 + n) * weights.n_problems
    if rows.starts != NULL:
        n = rows.starts[rows.n] / max(1.0, <double>rows.n)
    return (1.0 + n) * weights.n_vectors


def first_not_finite(X, Weights weights):
    """The first row of X with a squared norm that cannot be worked with, -1 if there is none."""
    cdef Rows rows = rows_of(X, weights.n_features, weights.single)
    cdef Row row
    cdef Py_ssize_t i, found = -1
    cdef const simd_linear *leaf = weights.leaf
    cdef double squared_norm, largest = weights.largest_squared_norm
    # A full covariance makes float64 of float32 rows.
    cdef bint wide = weights.single and weights.is_full
    with nogil:
        for i in range(rows.n):
            row_of(&rows, i, &row)
            squared_norm = _squared_norm(&row) if wide else leaf.squared_norm(row.values, row.n)
            if not squared_norm <= largest:
                found = i
                break
    return found


cdef double _squared_norm(const Row *row) noexcept nogil:
    """Of a float32 row, in float64."""
    cdef Py_ssize_t k
    cdef double value, total = 0.0
    for k in range(row.n):
        value = (<const float *>row.values)[k]
        total += value * value
    return total
