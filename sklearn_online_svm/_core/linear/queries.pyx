"""A query rule with its state, for Python; the update loop uses the rule as it is."""
cimport cython
from libc.math cimport log

from ..memory cimport address

import numpy as np


ALL = ASK_ALL
AT_RANDOM = ASK_AT_RANDOM
BY_MARGIN = ASK_BY_MARGIN


SCHEDULES = {"constant": CONSTANT, "adaptive": ADAPTIVE, "mistakes": BY_MISTAKES}


@cython.final
cdef class Asker:
    """Who decides about labels.

    Parameters
    ----------
    kind : int
        ALL, AT_RANDOM or BY_MARGIN.
    seed : int
        State of the generator, 64 bits.
    schedule : str
        A key of SCHEDULES.
    delta, offset : float
    rate : float, optional
        Share of labels: of AT_RANDOM, or what delta is steered to.
    second_order : bool
    """

    def __init__(self, QueryKind kind, uint64_t seed=0, schedule="constant", double delta=1.0,
                 double offset=0.0, rate=None, bint second_order=False):
        self.query = Query(
            kind=kind, schedule=SCHEDULES[schedule], delta=delta, offset=offset,
            rate=1.0 if rate is None else rate, second_order=second_order,
            steered=kind == ASK_BY_MARGIN and rate is not None, random=seed, n_rows=0, n_asked=0,
            n_updates=0, largest_squared_norm=0.0, log_half=0.0, n_scaled=0, credit=0.0, trend=0.0,
        )
        if self.query.steered:
            self.query.log_half = log(delta * (1.0 - self.query.rate) / self.query.rate)

    @property
    def n_asked(self):
        return self.query.n_asked

    @property
    def second_order(self):
        return self.query.second_order

    @property
    def wants_norm(self):
        return self.query.schedule == BY_MISTAKES

    @property
    def delta(self):
        """delta for the next row."""
        return current_delta(&self.query, 0.0)

    def use(self, Asker other):
        """Go on by the parameters of another one; what has moved stays."""
        cdef Query query = other.query
        query.random, query.n_rows = self.query.random, self.query.n_rows
        query.n_asked, query.n_updates = self.query.n_asked, self.query.n_updates
        query.largest_squared_norm = self.query.largest_squared_norm
        if self.query.steered:
            query.log_half, query.n_scaled = self.query.log_half, self.query.n_scaled
            query.credit, query.trend = self.query.credit, self.query.trend
        self.query = query

    def state(self):
        """What moves."""
        return {
            "random": self.query.random, "n_rows": self.query.n_rows,
            "n_asked": self.query.n_asked, "n_updates": self.query.n_updates,
            "largest_norm": self.query.largest_squared_norm, "log_half": self.query.log_half,
            "n_scaled": self.query.n_scaled, "credit": self.query.credit,
            "trend": self.query.trend,
        }

    def restore(self, state):
        """Restore a result of ``state``."""
        cdef Query query = self.query
        query.random, query.n_rows = state["random"], state["n_rows"]
        query.n_asked, query.n_updates = state["n_asked"], state["n_updates"]
        query.largest_squared_norm, query.log_half = state["largest_norm"], state["log_half"]
        query.n_scaled, query.credit, query.trend = (
            state["n_scaled"], state["credit"], state["trend"])
        self.query = query

    def probabilities(self, const double[::1] confidence, const double[::1] squared_norms,
                      const double[::1] variances):
        """P(ask) of each row, were it the next."""
        cdef Py_ssize_t i
        out = np.empty(confidence.shape[0])
        cdef double[::1] values = out
        for i in range(confidence.shape[0]):
            values[i] = asking_probability(&self.query, confidence[i], squared_norms[i],
                                           variances[i])
        return out

    def would_ask(self, const double[::1] confidence, const double[::1] squared_norms,
                  const double[::1] variances):
        """Which of the rows, coming in this order, are asked about; nothing moves."""
        cdef Query query = self.query
        cdef Py_ssize_t i
        cdef double probability
        out = np.empty(confidence.shape[0], dtype=np.uint8)
        cdef unsigned char[::1] asked = out
        for i in range(confidence.shape[0]):
            probability = asking_probability(&query, confidence[i], squared_norms[i], variances[i])
            asked[i] = asks(&query, probability)
            move_on(&query, probability, asked[i], False, squared_norms[i])
        return out.view(np.bool_)

    def move(self, const double[::1] confidence, const unsigned char[::1] asked,
             const unsigned char[::1] updated, const double[::1] squared_norms,
             const double[::1] variances):
        """After these rows."""
        cdef Py_ssize_t i
        cdef double probability
        for i in range(confidence.shape[0]):
            probability = asking_probability(&self.query, confidence[i], squared_norms[i],
                                             variances[i])
            move_on(&self.query, probability, asked[i], updated[i], squared_norms[i])


@cython.final
cdef class Purchases:
    """Labels that have a price: who decides about them, and what has become of each.

    Parameters
    ----------
    asker : Asker
    predicted : ndarray of int32, one per row
        The class predicted before the row is learnt is written.
    owned : ndarray of uint8, one per row
        A label that is owned (1) is learnt from without asking; one that is asked for is owned
        from then on, or 2: nobody knows it, and it is not asked for again.
    factors : ndarray of float64, one per class, or None
        The weight of a row is multiplied with that of its label, once this is known.
    left : ndarray of int64, one number
        The labels that may still be bought.
    """

    def __init__(self, Asker asker, predicted, owned, factors, left):
        self.arrays = predicted, owned, factors, left
        self.asker = asker
        self.predicted = <int32_t *>address(predicted)
        self.owned = <unsigned char *>address(owned)
        self.factors = NULL
        if factors is not None:
            self.factors = <const double *>address(factors)
        self.left = <int64_t *>address(left)
