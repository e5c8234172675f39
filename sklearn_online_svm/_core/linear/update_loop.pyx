"""The update loop: rows, one after the other, through the problems of a linear model.

For each row: its margins and its norm in one pass over it (``Weights.look``); is its label worth
asking for (``queries.pxd``); what does it teach each problem (``rules.pxd``); the steps. The rows
are checked for NaN and infinity by their norms, which are computed anyway.

Signals are looked at every few milliseconds, between rows: the model is consistent then.
"""
cimport cython
from cpython.exc cimport PyErr_CheckSignals
from libc.float cimport DBL_MAX, FLT_MAX
from libc.math cimport INFINITY, fabs, sqrt
from libc.stdint cimport int32_t, int64_t

from ..memory cimport address
from ..guard cimport Shelf
from ..simd.leaves cimport LEAVES_AHEAD, LEAVES_PREFETCH, leaves_pass, leaves_tally
from .queries cimport Asker, asking_probability, asks, move_on
from .rules cimport (
    RULE_AROW, RULE_CONFIDENCE, RULE_HINGE, RULE_INSENSITIVE, RULE_PERCEPTRON, RULE_PREDICTION,
    RULE_SECOND_ORDER, RULE_SOFT_CONFIDENCE, RULE_SQUARED_CONFIDENCE, RULE_SQUARED_HINGE,
    RULE_SQUARED_INSENSITIVE, rule_kind, rule_may_step, rule_numbers, rule_step, rule_step_of,
)
from .weights cimport FullWeights, Row, Weights

import numpy as np

RULES = {
    "hinge": RULE_HINGE,
    "squared_hinge": RULE_SQUARED_HINGE,
    "insensitive": RULE_INSENSITIVE,
    "squared_insensitive": RULE_SQUARED_INSENSITIVE,
    "prediction": RULE_PREDICTION,
    "perceptron": RULE_PERCEPTRON,
    "second_order": RULE_SECOND_ORDER,
    "confidence": RULE_CONFIDENCE,
    "soft_confidence": RULE_SOFT_CONFIDENCE,
    "squared_confidence": RULE_SQUARED_CONFIDENCE,
    "arow": RULE_AROW,
}

# How `learn` ended.
cdef enum:
    _DONE
    _NOT_FINITE
    _LABEL_WANTED
    _HELD

DONE = _DONE
NOT_FINITE = _NOT_FINITE
LABEL_WANTED = _LABEL_WANTED
HELD = _HELD

# Multiplications between two looks at the signals: a few milliseconds.
cdef double PATIENCE = 5e6


cdef struct Demands:
    # The margin a row is to have, by its sign: -1 and +1.
    double negative
    double positive
    # Cost-sensitive: of the positive rows eta_ratio * T_n / T_p, T counted so far.
    bint running
    double eta_ratio
    bint root               # of that its square root
    double sign             # which sign is the positive class
    bint relative           # C is in units of the margin demanded over the norm of the row
    # Crammer-Singer: what is demanded of (label, other), or NULL; whether the other class is the
    # one with the largest loss.
    const double *pairs
    bint max_loss


# The arrays that `learn` was given.
cdef struct Source:
    const char *values
    const int32_t *columns          # NULL: dense
    const int64_t *starts
    Py_ssize_t n_rows
    Py_ssize_t itemsize
    const int64_t *order
    const int32_t *labels
    const double *targets
    const double *weights
    # Asking: what was predicted, which labels are owned.
    int32_t *predicted
    unsigned char *owned
    const double *factors           # of the classes
    int64_t *left                   # labels that may still be bought


@cython.final
cdef class UpdateLoop:
    """A model that learns row by row.

    Parameters
    ----------
    weights : Weights
        Its state, changed in place.
    shelf : Shelf
        From which others read the weights.
    rule : dict
        ``name``, one of RULES, and the numbers of the rule: C, eta as phi, r, epsilon.
    demands : dict
        ``negative``, ``positive``; ``running``, ``eta_ratio``, ``root``, ``sign``, ``relative``;
        ``pairs``, ``max_loss``; see Demands. ``counted``: whether the rows of each class are
        counted.
    crammer_singer : bool
        Classes compete, instead of each standing against the rest.
    average_from : int
        Rows before the first that counts for the average.
    """
    cdef readonly Weights weights
    cdef Shelf shelf
    cdef readonly int64_t n_rows        # learnt from, those of weight 0 included
    cdef readonly int64_t n_updates
    cdef public Py_ssize_t position     # rows of this call gone through
    cdef readonly double loss           # since the last reset
    cdef readonly object counts         # rows of each class
    cdef rule_numbers rule
    cdef Demands demands
    cdef bint regression
    cdef bint crammer_singer
    cdef bint full
    cdef bint plain
    cdef int64_t average_from
    cdef object buffers
    cdef double *along
    cdef double *shrink
    cdef double *seen
    cdef Py_ssize_t n_classes
    cdef object pairs
    cdef Asker asker

    def __init__(self, Weights weights, Shelf shelf, dict rule, dict demands,
                 bint crammer_singer=False, int64_t average_from=0):
        self.weights = weights
        self.shelf = shelf
        self.rule.kind = <rule_kind><int>RULES[rule["name"]]
        self.rule.C = rule.get("C", INFINITY)
        self.rule.phi = rule.get("phi", 0.0)
        self.rule.r = rule.get("r", 1.0)
        self.rule.epsilon = rule.get("epsilon", 0.0)
        self.regression = self.rule.kind in (RULE_INSENSITIVE, RULE_SQUARED_INSENSITIVE)
        self.full = isinstance(weights, FullWeights)
        self._set_limits()
        self.crammer_singer = crammer_singer and weights.n_problems > 1
        self.plain = (weights.n_problems == 1 and self.rule.kind <= RULE_PERCEPTRON
                      and not self.regression and not weights.averaged
                      and not demands.get("counted", False))
        self.average_from = average_from
        self.n_classes = max(2, weights.n_problems)
        self.counts = np.zeros(self.n_classes)
        self.buffers = np.zeros((2, self.n_classes))
        self.along = <double *>address(self.buffers)
        self.shrink = self.along + self.n_classes
        self.seen = <double *>address(self.counts)
        self.demands = Demands(
            negative=demands.get("negative", 1.0), positive=demands.get("positive", 1.0),
            running=demands.get("running", False), eta_ratio=demands.get("eta_ratio", 1.0),
            root=demands.get("root", False), sign=demands.get("sign", 1.0),
            relative=demands.get("relative", False),
            pairs=NULL, max_loss=demands.get("max_loss", False),
        )
        cdef const double[:, ::1] pairs
        if demands.get("pairs") is not None:
            self.pairs = pairs = np.ascontiguousarray(demands["pairs"], dtype=np.float64)
            self.demands.pairs = &pairs[0, 0]

    cdef _set_limits(self):
        """How far a step may lead, so that a thousand million of them stay finite."""
        cdef bint single = self.weights.single and not self.full
        self.rule.largest = FLT_MAX if single else DBL_MAX
        if self.weights.averaged:
            # Sums take each step times the rows that came before it.
            self.rule.largest *= 1e-12
        self.rule.reach = min(DBL_MAX, (1e40 if single else 1e280) / self.weights.start_variance)

    def state(self):
        """What moves, beside the arrays of the weights."""
        return {"n_rows": self.n_rows, "n_updates": self.n_updates, "counts": self.counts.copy()}

    def restore(self, state):
        self.n_rows = state["n_rows"]
        self.n_updates = state["n_updates"]
        self.counts[:] = state["counts"]

    def reset_loss(self):
        self.loss = 0.0

    # -------------------------------------------------------------------------- learning

    def learn(self, X, labels, row_weights=None, order=None, Py_ssize_t start=0,
              Asker asker=None, marks=None, tuple meanwhile=None):
        """Learn the rows in their order, from the `start`-th on.

        Parameters
        ----------
        X : ndarray of shape (n_rows, n_features), or tuple (data, indices, indptr)
            Float32 or float64 as the weights want it; indices int32, indptr int64.
        labels : ndarray of int32, or of float64 for regression
            Class of each row, -1: not known, -2: nobody knows.
        row_weights : ndarray of float64, optional
        order : ndarray of int64, optional
            Rows to visit, in this order.
        asker : Asker, optional
            Asks for labels; all are taken without it.
        marks : tuple (predicted, owned, factors, left), optional
            int32 and uint8 per row: the class predicted before learning is written; a label that
            is owned (1) is learnt from without asking, one that is asked for is owned from then
            on, or 2: nobody knows it, and it is not asked for again. float64 per class, or None:
            the weight of a row is multiplied with that of its label, once this is known. An array
            with one int64: the labels that may still be bought.
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
            How many rows have been gone through, counted in `order`.
        """
        cdef Source source
        cdef Py_ssize_t n, stop, stride, position = start
        cdef int end = _DONE
        cdef double work
        source.order = NULL
        source.weights = NULL
        source.labels = NULL
        source.targets = NULL
        source.columns = source.starts = NULL
        source.predicted = NULL
        source.owned = NULL
        source.factors = NULL
        source.left = NULL
        source.itemsize = 4 if self.weights.single else 8
        if isinstance(X, tuple):
            data, indices, indptr = X
            source.values = <const char *>address(data)
            source.columns = <const int32_t *>address(indices)
            source.starts = <const int64_t *>address(indptr)
            n = len(indptr) - 1
            work = (1.0 + len(data) / max(1.0, <double>n)) * self.weights.n_problems
        else:
            source.values = <const char *>address(X)
            n = X.shape[0]
            work = (1.0 + self.weights.n_features) * self.weights.n_problems
        if self.full:
            work = (1.0 + self.weights.n_features) * (1.0 + self.weights.n_features)
            work *= self.weights.n_problems
        if self.regression:
            source.targets = <const double *>address(labels)
        else:
            source.labels = <const int32_t *>address(labels)
        if row_weights is not None:
            source.weights = <const double *>address(row_weights)
        if order is not None:
            source.order = <const int64_t *>address(order)
            n = len(order)
        if marks is not None:
            predicted, owned, factors, left = marks
            source.predicted = <int32_t *>address(predicted)
            source.owned = <unsigned char *>address(owned)
            source.left = <int64_t *>address(left)
            if factors is not None:
                source.factors = <const double *>address(factors)
        source.n_rows = n
        self.asker = asker
        self.position = start
        stride = max(1, <Py_ssize_t>(PATIENCE / work))
        if not self.shelf.close(meanwhile):
            return _HELD, position
        try:
            while position < n and end == _DONE:
                stop = min(n, position + stride)
                with nogil:
                    end = self._run(&source, &position, stop)
                self.position = position
                if position < n or n - start > stride:
                    PyErr_CheckSignals()
        finally:
            # What has been learnt before such a row may have to be taken back.
            if end != _NOT_FINITE:
                self.shelf.open(self.n_rows)
        return end, position

    cdef int _run(self, const Source *source, Py_ssize_t *position,
                  Py_ssize_t stop) noexcept nogil:
        """Rows until `stop`, or until one needs the attention of the caller."""
        if self.plain and source.predicted == NULL:
            return self._run_plain(source, position, stop)
        cdef Row row
        cdef Py_ssize_t i, at, ahead, bytes_per_row = self.weights.n_features * source.itemsize
        cdef double weight, probability = 1.0
        cdef bint updated, asked, known, bought
        row.columns = NULL
        row.n = self.weights.n_features
        for at in range(position[0], stop):
            position[0] = at
            i = source.order[at] if source.order != NULL else at
            weight = source.weights[i] if source.weights != NULL else 1.0
            if weight == 0.0 and source.predicted == NULL:
                self.n_rows += 1
                continue
            if source.columns == NULL:
                row.values = source.values + i * bytes_per_row
                if source.order != NULL and at + LEAVES_AHEAD < source.n_rows:
                    ahead = source.order[at + LEAVES_AHEAD] * bytes_per_row
                    _prefetch(source.values + ahead, bytes_per_row)
            else:
                row.values = source.values + source.starts[i] * source.itemsize
                row.columns = source.columns + source.starts[i]
                row.n = source.starts[i + 1] - source.starts[i]
                if source.order != NULL and at + LEAVES_AHEAD < source.n_rows:
                    ahead = source.starts[source.order[at + LEAVES_AHEAD]]
                    _prefetch(source.values + ahead * source.itemsize, row.n * source.itemsize)
                    _prefetch(<const char *>(source.columns + ahead), row.n * 4)
            self.weights.look(&row)
            if not self.weights.norm <= self.weights.largest_norm:
                return _NOT_FINITE
            if self.average_from < self.n_rows:
                self.weights.lag = <double>(self.n_rows - self.average_from)
            else:
                self.weights.lag = 0.0
            if source.predicted == NULL:
                self.n_rows += 1
                if self.regression:
                    self._fit_target(&row, source.targets[i], weight)
                else:
                    self._teach(&row, source.labels[i], weight)
                continue
            # Labels have a price; rows not asked about leave no trace in the model.
            asked = False
            known = source.owned[i] == 1
            if weight == 0.0 or (not known and (source.owned[i] or source.left[0] == 0)):
                # Nothing would be learnt from its label, or nobody knows or pays for it.
                if not known:
                    source.predicted[i] = self._predicted()
                continue
            if not known:
                probability = self._probability(&row)
                asked = asks(&self.asker.query, probability)
                if asked and source.labels[i] == -1:
                    return _LABEL_WANTED
                source.predicted[i] = self._predicted()
            updated = False
            bought = asked and source.labels[i] >= 0
            if known or bought:
                if source.factors != NULL:
                    weight *= source.factors[source.labels[i]]
                self.n_rows += 1
                updated = weight != 0.0 and self._teach(&row, source.labels[i], weight)
            if not known:
                move_on(&self.asker.query, probability, asked, updated, self.weights.norm)
                if asked:
                    source.owned[i] = 1 if bought else 2
                    source.left[0] -= bought
        position[0] = stop
        return _DONE

    cdef int _run_plain(self, const Source *source, Py_ssize_t *position,
                        Py_ssize_t stop) noexcept nogil:
        """One problem of first order: the whole pass is one leaf."""
        cdef leaves_pass rows
        cdef leaves_tally tally
        cdef Py_ssize_t start = position[0]
        rows.values = source.values
        rows.columns = source.columns
        rows.starts = source.starts
        rows.n_features = self.weights.n_features
        rows.n_rows = source.n_rows
        rows.order = source.order
        rows.labels = source.labels
        rows.weights = source.weights
        rows.rule = &self.rule
        rows.negative = self.demands.negative
        rows.positive = self.demands.positive
        rows.w = self.weights.w
        rows.bias = self.weights.b if self.weights.intercept else NULL
        rows.constant = self.weights.constant
        tally.loss = self.loss
        tally.n_updates = self.n_updates
        position[0] = self.weights.leaf.run(&rows, start, stop, &tally)
        self.loss = tally.loss
        self.n_updates = tally.n_updates
        self.n_rows += position[0] - start
        return _DONE if position[0] == stop else _NOT_FINITE

    cdef bint _fit_target(self, const Row *row, double target, double weight) noexcept nogil:
        cdef rule_step step = rule_step_of(
            &self.rule, target, self.weights.margins[0], self.weights.square, weight, 0.0
        )
        self.loss += step.loss
        if step.taken:
            self.n_updates += 1
            self.weights.step(row, 0, step.along, 0.0)
        return step.taken

    cdef bint _teach(self, const Row *row, int32_t label, double weight) noexcept nogil:
        self.seen[label] += 1.0
        if self.crammer_singer:
            return self._teach_classes(row, label, weight)
        return self._teach_problems(row, label, weight)

    cdef bint _teach_problems(self, const Row *row, int32_t label, double weight) noexcept nogil:
        """Each problem by itself: its class against the rest."""
        cdef Py_ssize_t c, n_taken = 0
        cdef int32_t positive
        cdef double y, m, demand, heavy
        cdef rule_step step
        # All steps at once serve sparse rows; S x of a full covariance is there but once.
        cdef bint later = self.weights.n_problems > 1 and not self.full
        for c in range(self.weights.n_problems):
            positive = 1 if self.weights.n_problems == 1 else <int32_t>c
            y = 1.0 if label == positive else -1.0
            m = y * self.weights.margins[c]
            demand = self._demand(y, positive)
            self.along[c] = self.shrink[c] = 0.0
            if not rule_may_step(&self.rule, m, demand, self.weights.square):
                self.loss += 1.0 - m if m < 1.0 and self.rule.kind > RULE_PERCEPTRON else 0.0
                continue
            heavy = weight * demand / self.weights.square if self.demands.relative else weight
            step = rule_step_of(
                &self.rule, y, self.weights.margins[c], self.weights.quad(row, c), heavy, demand
            )
            self.loss += step.loss
            if step.taken:
                n_taken += 1
                if later:
                    self.along[c] = step.along
                    self.shrink[c] = step.shrink
                else:
                    self.weights.step(row, c, step.along, step.shrink)
        if later and n_taken:
            self.weights.steps(row, self.along, self.shrink, n_taken)
        self.n_updates += n_taken > 0
        return n_taken > 0

    cdef double _demand(self, double y, int32_t positive) noexcept nogil:
        """The margin that a row of sign y is to have."""
        cdef double rho, t_p, t_n
        cdef Py_ssize_t r
        if y != self.demands.sign or not self.demands.running:
            return self.demands.positive if y == self.demands.sign else self.demands.negative
        # With two classes the positive one may be the first.
        if self.demands.sign < 0.0:
            positive = 0
        t_p = 1.0 + self.seen[positive]
        t_n = 1.0
        for r in range(self.n_classes):
            if r != positive:
                t_n += self.seen[r]
        rho = self.demands.eta_ratio * t_n / t_p
        return sqrt(rho) if self.demands.root else rho

    cdef bint _teach_classes(self, const Row *row, int32_t label, double weight) noexcept nogil:
        """Crammer and Singer: the class of the row against the strongest of the others."""
        cdef Py_ssize_t r, other = -1
        cdef double score, best = -INFINITY, demand = self.demands.positive
        cdef const double *demanded = NULL
        cdef rule_step step
        if self.demands.pairs != NULL:
            demanded = self.demands.pairs + label * self.weights.n_problems
        for r in range(self.weights.n_problems):
            score = self.weights.margins[r]
            if demanded != NULL and self.demands.max_loss:
                score += demanded[r]
            if r != label and score > best:
                best, other = score, r
        # Scores beyond every number.
        if other < 0:
            return False
        if demanded != NULL:
            demand = demanded[other]
        if self.demands.relative:
            weight *= demand / (2.0 * self.weights.square)
        score = self.weights.margins[label] - self.weights.margins[other]
        step = rule_step_of(&self.rule, 1.0, score, 2.0 * self.weights.square, weight, demand)
        self.loss += step.loss
        if step.taken:
            self.n_updates += 1
            self.weights.step(row, label, step.along, 0.0)
            self.weights.step(row, other, -step.along, 0.0)
        return step.taken

    # -------------------------------------------------------------------------- asking

    cdef int32_t _predicted(self) noexcept nogil:
        cdef const double *margins = self.weights.margins
        cdef int32_t c, best = 0
        if self.weights.n_problems == 1:
            return margins[0] > 0.0
        for c in range(1, <int32_t>self.weights.n_problems):
            if margins[c] > margins[best]:
                best = c
        return best

    cdef double _probability(self, const Row *row) noexcept nogil:
        cdef const double *margins = self.weights.margins
        cdef double confidence, second = -INFINITY, variance = 0.0
        cdef Py_ssize_t c
        cdef int32_t best
        if self.weights.n_problems == 1:
            confidence = fabs(margins[0])
        else:
            best = self._predicted()
            for c in range(self.weights.n_problems):
                if c != best and margins[c] > second:
                    second = margins[c]
            confidence = margins[best] - second
        if self.asker.query.second_order:
            variance = self.weights.quad(row, 0)
        return asking_probability(&self.asker.query, confidence, self.weights.norm, variance)


cdef inline void _prefetch(const char *data, Py_ssize_t n_bytes) noexcept nogil:
    cdef Py_ssize_t k
    for k in range(0, min(n_bytes, 4096), 64):
        LEAVES_PREFETCH(data + k)
