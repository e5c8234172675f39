"""Selective sampling for Python, and the label queries of one run of the update loop."""
cimport cython
from libc.math cimport log

from ..memory cimport address

import numpy as np

ALL = QUERY_ALL
AT_RANDOM = QUERY_AT_RANDOM
BY_MARGIN = QUERY_BY_MARGIN

CONFIDENCES = {
    "margin": MARGIN, "second_order": SECOND_ORDER, "standardized": STANDARDIZED,
}
SCHEDULES = {"constant": CONSTANT, "adaptive": ADAPTIVE, "mistakes": BY_MISTAKES}


@cython.final
cdef class SelectiveSampler:
    """Query rule with its state.

    ``kind``: ALL, AT_RANDOM or BY_MARGIN.
    ``seed``: 64-bit state of the random generator.
    ``schedule``: a key of SCHEDULES.
    ``rate``: fraction of labels to query; with BY_MARGIN delta is adapted to it.
    ``confidence``: a key of CONFIDENCES.
    """

    def __init__(self, QueryKind kind, uint64_t seed=0, schedule="constant", double delta=1.0,
                 double offset=0.0, rate=None, confidence="margin"):
        self.query = Query(
            kind=kind, schedule=SCHEDULES[schedule], delta=delta, offset=offset,
            rate=1.0 if rate is None else rate, confidence=CONFIDENCES[confidence],
            controlled=kind == QUERY_BY_MARGIN and rate is not None, random=seed, n_rows=0,
            n_asked=0, n_updates=0, largest_squared_norm=0.0, log_half=0.0, n_scaled=0,
            credit=0.0, trend=0.0,
        )
        if self.query.controlled:
            self.query.log_half = log(delta * (1.0 - self.query.rate) / self.query.rate)

    @property
    def n_asked(self):
        return self.query.n_asked

    @property
    def wants_variance(self):
        return self.query.confidence != MARGIN

    @property
    def wants_norm(self):
        return self.query.schedule == BY_MISTAKES

    @property
    def delta(self):
        """Delta of the next sample, computed with a norm of 0."""
        return current_delta(&self.query, 0.0)

    def use(self, SelectiveSampler other):
        """Take over the parameters of another sampler; the state is kept."""
        cdef Query query = other.query
        query.random, query.n_rows = self.query.random, self.query.n_rows
        query.n_asked, query.n_updates = self.query.n_asked, self.query.n_updates
        query.largest_squared_norm = self.query.largest_squared_norm
        if self.query.controlled:
            query.log_half, query.n_scaled = self.query.log_half, self.query.n_scaled
            query.credit, query.trend = self.query.credit, self.query.trend
        self.query = query

    def as_dict(self):
        """Return parameters and state as plain values."""
        return self.query

    @classmethod
    def from_dict(cls, state):
        """Rebuild a result of ``as_dict``."""
        cdef SelectiveSampler sampler = cls.__new__(cls)
        sampler.query = state
        return sampler

    def probabilities(self, const double[::1] confidence, const double[::1] squared_norms,
                      const double[::1] variances):
        """Return P(query) of each sample if it were the next one."""
        cdef Py_ssize_t i
        out = np.empty(confidence.shape[0])
        cdef double[::1] values = out
        for i in range(confidence.shape[0]):
            values[i] = query_probability(&self.query, confidence[i], squared_norms[i],
                                          variances[i])
        return out

    def would_ask(self, const double[::1] confidence, const double[::1] squared_norms,
                  const double[::1] variances):
        """Decide on samples in this order, without changing the state."""
        cdef Query query = self.query
        cdef Py_ssize_t i
        cdef double probability
        out = np.empty(confidence.shape[0], dtype=np.uint8)
        cdef unsigned char[::1] asked = out
        for i in range(confidence.shape[0]):
            probability = query_probability(&query, confidence[i], squared_norms[i], variances[i])
            asked[i] = is_queried(&query, probability)
            update_query(&query, probability, asked[i], False, squared_norms[i])
        return out.view(np.bool_)

    def move(self, const double[::1] confidence, const unsigned char[::1] asked,
             const unsigned char[::1] updated, const double[::1] squared_norms,
             const double[::1] variances):
        """Update the state after these samples."""
        cdef Py_ssize_t i
        cdef double probability
        for i in range(confidence.shape[0]):
            probability = query_probability(&self.query, confidence[i], squared_norms[i],
                                            variances[i])
            update_query(&self.query, probability, asked[i], updated[i], squared_norms[i])


@cython.final
cdef class LabelQueries:
    """Label queries of one run of the update loop: the sampler and the state of each label.

    ``sampler``: SelectiveSampler.
    ``predicted`` (n_samples,), int32: set to the class that is predicted before the update on the
        sample.
    ``owned`` (n_samples,), uint8: 1 if the label is known and is used without a query, 0 if not.
        Set to 1 when the label is queried, or to 2 if the oracle abstained; the sample is then not
        queried again.
    ``class_weights`` (n_classes,), float64: factors of the sample weights, applied when the label
        is known, or None.
    ``left`` (1,), int64: number of labels that may still be queried, counted down.
    """

    def __init__(self, SelectiveSampler sampler, predicted, owned, class_weights, left):
        self.arrays = predicted, owned, class_weights, left
        self.sampler = sampler
        self.predicted = <int32_t *>address(predicted)
        self.owned = <unsigned char *>address(owned)
        self.class_weights = NULL
        if class_weights is not None:
            self.class_weights = <const double *>address(class_weights)
        self.left = <int64_t *>address(left)
