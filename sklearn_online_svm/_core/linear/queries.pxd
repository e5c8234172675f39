"""Query rules: whether the label of a row is worth its price."""
from libc.math cimport exp, fabs, log, sqrt
from libc.stdint cimport int32_t, int64_t, uint64_t

from ..random cimport next_state, uniform

cdef enum QueryKind:
    ASK_ALL
    ASK_AT_RANDOM
    ASK_BY_MARGIN

cdef enum Schedule:
    CONSTANT                # delta
    ADAPTIVE                # delta / t
    BY_MISTAKES             # delta * X^2 * sqrt(1 + updates)

# Steering. How quickly the scale of the margins is followed, at least and at first; how strongly
# labels due but not asked for count; the bound of that, and of its integral.
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
    bint second_order
    bint steered            # delta follows the rate
    # What moves.
    uint64_t random
    int64_t n_rows
    int64_t n_asked
    int64_t n_updates
    double largest_squared_norm     # of the rows that were updated on
    double log_half         # log of the delta that would ask for half of the labels
    int64_t n_scaled        # rows that had a say in it
    double credit           # labels due but not asked for
    double trend


cdef inline double log_odds(const Query *query) noexcept nogil:
    """log(delta / that which would ask for half of the labels)."""
    return (log(query.rate / (1.0 - query.rate))
            + QUERY_COUNT_GAIN * (1.0 - query.rate) * query.credit + query.trend)


cdef inline double current_delta(const Query *query, double squared_norm) noexcept nogil:
    cdef double delta = query.delta
    if query.steered:
        delta = exp(query.log_half + log_odds(query))
    if query.schedule == ADAPTIVE:
        delta /= <double>(query.n_rows + 1)
    elif query.schedule == BY_MISTAKES:
        if not squared_norm > query.largest_squared_norm:
            squared_norm = query.largest_squared_norm
        delta *= squared_norm * sqrt(1.0 + <double>query.n_updates)
    return delta


cdef inline double asking_probability(const Query *query, double confidence, double squared_norm,
                                      double variance) noexcept nogil:
    """P(ask) for a row: `confidence` is |p|, or the gap between the two best classes."""
    cdef double delta, r
    if query.kind == ASK_ALL:
        return 1.0
    if query.kind == ASK_AT_RANDOM:
        return query.rate
    delta = current_delta(query, squared_norm)
    if query.second_order:
        # Cesa-Bianchi, Gentile and Zaniboni 2006: the row is in A before it is predicted.
        r = confidence / (1.0 + variance)
        confidence = r + 0.5 * r * r * (1.0 + variance)
    if delta + query.offset + confidence == 0.0:
        return 1.0
    return delta / (delta + query.offset + confidence)


cdef inline bint asks(const Query *query, double probability) noexcept nogil:
    """The decision on the next row; nothing moves."""
    if query.kind == ASK_ALL:
        return True
    return uniform(next_state(query.random)) < probability


cdef inline void move_on(Query *query, double probability, bint asked, bint updated,
                         double squared_norm) noexcept nogil:
    """After a row; `probability` is what `asking_probability` gave for it."""
    if query.steered:
        _steer(query, probability, asked)
    query.n_rows += 1
    query.n_asked += asked
    if query.kind != ASK_ALL:
        query.random = next_state(query.random)
    if updated:
        query.n_updates += 1
        if squared_norm > query.largest_squared_norm:
            query.largest_squared_norm = squared_norm


cdef inline void _steer(Query *query, double probability, bint asked) noexcept nogil:
    """Let all rows, asked about or not, say how large their margins are; keep the count."""
    cdef double kappa = QUERY_COUNT_GAIN * (1.0 - query.rate)
    cdef double most = QUERY_BOUND / kappa
    cdef double against
    if probability < 1.0:
        # Against asking, had delta been that of one half: its odds are exp(log_odds) longer.
        against = (1.0 - probability) * exp(log_odds(query))
        query.n_scaled += 1
        query.log_half += (max(QUERY_SCALE_GAIN, QUERY_START_GAIN / <double>query.n_scaled)
                           * (against - probability) / (against + probability))
    query.credit = min(max(query.credit + query.rate - asked, -most), most)
    # A quarter of kappa^2 per label due: critical damping.
    query.trend += 0.25 * kappa * kappa * query.rate * query.credit
    query.trend = min(max(query.trend, -QUERY_BOUND), QUERY_BOUND)


cdef class Asker:
    cdef Query query


cdef class Purchases:
    cdef object arrays              # kept alive
    cdef readonly Asker asker
    cdef int32_t *predicted
    cdef unsigned char *owned
    cdef const double *factors      # of the classes, or NULL
    cdef int64_t *left              # labels that may still be bought
