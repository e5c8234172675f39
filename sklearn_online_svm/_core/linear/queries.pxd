"""Selective sampling: whether to query the label of a sample.

Margin-based sampling queries with probability ``delta / (delta + offset + |p|)``, p the decision
value (Cesa-Bianchi, Gentile and Zaniboni 2006; Lu, Zhao and Hoi 2016), or a function of it and of
its variance v (Dredze and Crammer 2008). With a target ``rate``, delta is controlled: an estimate
of the delta that queries half of the labels, times the odds of the rate, corrected by a
proportional and an integral term of the number of labels due.
"""
from libc.math cimport INFINITY, exp, fabs, log, sqrt
from libc.stdint cimport int32_t, int64_t, uint64_t

from ..random cimport next_state, uniform

cdef enum QueryKind:
    QUERY_ALL
    QUERY_AT_RANDOM
    QUERY_BY_MARGIN

cdef enum Confidence:
    MARGIN                  # |p|
    SECOND_ORDER            # |r| + r^2 (1 + v) / 2, r = p / (1 + v)
    STANDARDIZED            # |p| / sqrt(v)

cdef enum Schedule:
    CONSTANT                # delta
    ADAPTIVE                # delta / t
    BY_MISTAKES             # delta * X^2 * sqrt(1 + updates)

# Control of the rate: smallest and initial gain of the estimated scale, gain of the labels due,
# and bound of this term and of its integral.
cdef extern from *:
    """
    #define QUERY_SCALE_GAIN 0.1
    #define QUERY_START_GAIN 2.0
    #define QUERY_COUNT_GAIN 0.25
    #define QUERY_BOUND 4.0
    """
    double QUERY_SCALE_GAIN
    double QUERY_START_GAIN
    double QUERY_COUNT_GAIN
    double QUERY_BOUND


cdef struct Query:
    QueryKind kind
    Schedule schedule
    double delta
    double offset
    double rate
    Confidence confidence
    bint controlled         # delta is adapted to the rate
    # State.
    uint64_t random
    int64_t n_rows
    int64_t n_asked
    int64_t n_updates
    double largest_squared_norm     # of the samples with an update
    double log_half         # log of the delta that queries half of the labels
    int64_t n_scaled        # samples that changed it
    double credit           # labels due minus labels queried
    double trend            # integral of credit


cdef inline double log_odds(const Query *query) noexcept nogil:
    """Return log(delta / delta that queries half of the labels)."""
    return (log(query.rate / (1.0 - query.rate))
            + QUERY_COUNT_GAIN * (1.0 - query.rate) * query.credit + query.trend)


cdef inline double current_delta(const Query *query, double squared_norm) noexcept nogil:
    cdef double delta = query.delta
    if query.controlled:
        delta = exp(query.log_half + log_odds(query))
    if query.schedule == ADAPTIVE:
        delta /= <double>(query.n_rows + 1)
    elif query.schedule == BY_MISTAKES:
        if not squared_norm > query.largest_squared_norm:
            squared_norm = query.largest_squared_norm
        delta *= squared_norm * sqrt(1.0 + <double>query.n_updates)
    return delta


cdef inline double query_probability(const Query *query, double confidence, double squared_norm,
                                     double variance) noexcept nogil:
    """Return P(query); confidence is |p|, or the gap between the two largest class scores."""
    cdef double delta, r
    if query.kind == QUERY_ALL:
        return 1.0
    if query.kind == QUERY_AT_RANDOM:
        return query.rate
    delta = current_delta(query, squared_norm)
    if query.confidence == SECOND_ORDER:
        # Cesa-Bianchi, Gentile and Zaniboni 2006: A includes the sample that is predicted.
        r = confidence / (1.0 + variance)
        confidence = r + 0.5 * r * r * (1.0 + variance)
    elif query.confidence == STANDARDIZED and confidence > 0.0:
        confidence = confidence / sqrt(variance) if variance > 0.0 else INFINITY
    if query.offset + confidence <= 0.0:
        return 1.0
    return delta / (delta + query.offset + confidence)


cdef inline bint is_queried(const Query *query, double probability) noexcept nogil:
    """Decide on the next sample, without changing the state."""
    if query.kind == QUERY_ALL:
        return True
    return uniform(next_state(query.random)) < probability


cdef inline void update_query(Query *query, double probability, bint asked, bint updated,
                              double squared_norm) noexcept nogil:
    """Update the state after a sample with this ``query_probability``."""
    if query.controlled:
        _control_rate(query, probability, asked)
    query.n_rows += 1
    query.n_asked += asked
    if query.kind != QUERY_ALL:
        query.random = next_state(query.random)
    if updated:
        query.n_updates += 1
        if squared_norm > query.largest_squared_norm:
            query.largest_squared_norm = squared_norm


cdef inline void _control_rate(Query *query, double probability, bint asked) noexcept nogil:
    """Adapt the estimated scale, which all samples change, queried or not, and the credit."""
    cdef double kappa = QUERY_COUNT_GAIN * (1.0 - query.rate)
    cdef double bound = QUERY_BOUND / kappa
    cdef double complement
    if probability < 1.0:
        # P(no query) at the delta of one half, times the same factor as P(query).
        complement = (1.0 - probability) * exp(log_odds(query))
        query.n_scaled += 1
        query.log_half += (max(QUERY_SCALE_GAIN, QUERY_START_GAIN / <double>query.n_scaled)
                           * (complement - probability) / (complement + probability))
    query.credit = min(max(query.credit + query.rate - asked, -bound), bound)
    # kappa^2 / 4: critical damping.
    query.trend += 0.25 * kappa * kappa * query.rate * query.credit
    query.trend = min(max(query.trend, -QUERY_BOUND), QUERY_BOUND)


cdef class SelectiveSampler:
    cdef Query query


cdef class LabelQueries:
    cdef object arrays              # owns the arrays
    cdef readonly SelectiveSampler sampler
    cdef int32_t *predicted
    cdef unsigned char *owned
    cdef const double *class_weights    # or NULL
    cdef int64_t *left              # number of labels that may still be bought
