"""The update loop: rows, one after the other, through the problems of a linear model.

For each row: its margins and its squared norm in one pass over it (``Weights.look``); is its label
worth asking for (``queries.pxd``); what does it teach each problem (``rules.h``); the steps. The
rows are checked for NaN and infinity by their norms, which are computed anyway.
"""
from libc.float cimport DBL_MAX, FLT_MAX
from libc.math cimport INFINITY, fabs
from libc.stdint cimport int32_t, int64_t

from ..memory cimport address
from ..guard cimport Shelf
from ..simd.primitives cimport simd_pass, simd_tally
from .target_margins cimport TargetMargins
from .queries cimport Purchases, Query, asking_probability, asks, move_on
from .rows cimport Dataset, Row, visited
from .rules cimport rule_from, rule_idle_loss, rule_may_step, rule_step, rule_step_of
from .weights cimport Weights

import numpy as np


cdef class UpdateLoop:
    """A model that learns row by row.

    Parameters
    ----------
    weights : Weights
        Its state, changed in place.
    shelf : Shelf or None
        From which others read the weights.
    rule : dict
        ``name``, one of RULES, and the numbers of the rule: C, eta as phi, r, epsilon.
    demands : dict
        Of TargetMargins.
    crammer_singer : bool
        Classes compete, instead of each standing against the rest.
    average_from : int
        Rows before the first that counts for the average.
    """

    def __init__(self, Weights weights, Shelf shelf, dict rule, dict demands,
                 bint crammer_singer=False, int64_t average_from=0):
        cdef Py_ssize_t n_classes = max(2, weights.n_problems)
        self.weights = weights
        self.shelf = shelf
        self.rule = rule_from(rule)
        self._set_limits()
        self.demands = TargetMargins(demands, n_classes)
        self.crammer_singer = crammer_singer and weights.n_problems > 1
        self.average_from = average_from
        self.is_leaf = not (
            weights.n_problems > 1 or weights.averaged or weights.follows or self.demands.counted
            or self.rule.traits.needs_covariance or self.rule.traits.is_regression
        )
        self.buffers = np.zeros((2, n_classes))
        self.along = <double *>address(self.buffers)
        self.shrink = self.along + n_classes

    cdef _set_limits(self):
        """How far a step may lead, so that a thousand million of them stay finite."""
        cdef bint single = self.weights.single and not self.weights.is_full
        self.rule.largest = FLT_MAX if single else DBL_MAX
        if self.weights.averaged:
            # Sums take each step times the rows that came before it.
            self.rule.largest *= 1e-12
        if self.weights.r != NULL:
            self.rule.largest *= self.weights.least
        self.rule.reach = min(DBL_MAX, (1e40 if single else 1e280) / self.weights.start_variance)

    @property
    def counts(self):
        """Rows of each class."""
        return self.demands.counts

    def state(self):
        """What moves, beside the arrays of the weights."""
        return {
            "n_rows": self.n_rows, "n_updates": self.n_updates,
            "counts": self.demands.counts.copy(),
        }

    def restore(self, state):
        self.n_rows = state["n_rows"]
        self.n_updates = state["n_updates"]
        self.demands.counts[:] = state["counts"]

    def reset_loss(self):
        self.loss = 0.0

    # -------------------------------------------------------------------------- rows

    cdef int run(self, Dataset dataset, Purchases purchases, Py_ssize_t *position,
                 Py_ssize_t stop) noexcept nogil:
        if purchases is not None:
            return self._run_asking(dataset, purchases, position, stop)
        if self.is_leaf:
            return self._run_primitive(dataset, position, stop)
        return self._run(dataset, position, stop)

    cdef int _run_primitive(self, Dataset dataset, Py_ssize_t *position,
                            Py_ssize_t stop) noexcept nogil:
        """One problem of first order."""
        cdef simd_pass rows
        cdef simd_tally tally
        cdef Py_ssize_t start = position[0]
        rows.values = dataset.rows.values
        rows.columns = dataset.rows.columns
        rows.starts = dataset.rows.starts
        rows.n_features = self.weights.n_features
        rows.n_rows = dataset.n
        rows.order = dataset.order
        rows.labels = dataset.labels
        rows.weights = dataset.weights
        rows.rule = &self.rule
        rows.negative = self.demands.negative
        rows.positive = self.demands.positive
        rows.w = self.weights.w
        rows.bias = self.weights.b if self.weights.intercept else NULL
        rows.constant = self.weights.constant
        rows.advice = self.weights.r
        if rows.advice != NULL:
            rows.advice_bias = self.weights.r_b[0]
            rows.keep = self.weights.keep
            rows.least = self.weights.least
            rows.scale = self.weights.scale
        tally.loss = self.loss
        tally.n_updates = self.n_updates
        position[0] = self.weights.leaf.run(&rows, start, stop, &tally)
        self.loss = tally.loss
        self.n_updates = tally.n_updates
        self.n_rows += position[0] - start
        return RUN_DONE if position[0] == stop else RUN_NOT_FINITE

    cdef int _run(self, Dataset dataset, Py_ssize_t *position, Py_ssize_t stop) noexcept nogil:
        cdef Row row
        cdef Py_ssize_t i, at
        cdef double weight
        for at in range(position[0], stop):
            position[0] = at
            i = visited(dataset, at, &row)
            weight = dataset.weights[i] if dataset.weights != NULL else 1.0
            if weight == 0.0:
                self.n_rows += 1
                continue
            if not self._look(&row):
                return RUN_NOT_FINITE
            self.n_rows += 1
            if dataset.targets != NULL:
                self._teach_target(&row, dataset.targets[i], weight)
            else:
                self._teach(&row, dataset.labels[i], weight)
        position[0] = stop
        return RUN_DONE

    cdef int _run_asking(self, Dataset dataset, Purchases purchases, Py_ssize_t *position,
                         Py_ssize_t stop) noexcept nogil:
        """Labels have a price; rows not asked about leave no trace in the model."""
        cdef Query *query = &purchases.asker.query
        cdef Row row
        cdef Py_ssize_t i, at
        cdef double weight, probability = 1.0
        cdef bint updated, asked, known, bought
        for at in range(position[0], stop):
            position[0] = at
            i = visited(dataset, at, &row)
            weight = dataset.weights[i] if dataset.weights != NULL else 1.0
            if not self._look(&row):
                return RUN_NOT_FINITE
            asked = False
            known = purchases.owned[i] == 1
            if weight == 0.0 or (not known and (purchases.owned[i] or purchases.left[0] == 0)):
                # Nothing would be learnt from its label, or nobody knows or pays for it.
                if not known:
                    purchases.predicted[i] = self._predicted()
                continue
            if not known:
                probability = self._probability(query, &row)
                asked = asks(query, probability)
                if asked and dataset.labels[i] == -1:
                    return RUN_LABEL_WANTED
                purchases.predicted[i] = self._predicted()
            updated = False
            bought = asked and dataset.labels[i] >= 0
            if known or bought:
                if purchases.factors != NULL:
                    weight *= purchases.factors[dataset.labels[i]]
                self.n_rows += 1
                updated = weight != 0.0 and self._teach(&row, dataset.labels[i], weight)
            if not known:
                move_on(query, probability, asked, updated, self.weights.squared_norm)
                if asked:
                    purchases.owned[i] = 1 if bought else 2
                    purchases.left[0] -= bought
        position[0] = stop
        return RUN_DONE

    cdef bint _look(self, const Row *row) noexcept nogil:
        """Whether the row can be worked with."""
        self.weights.look(row)
        if not self.weights.squared_norm <= self.weights.largest_squared_norm:
            return False
        if self.average_from < self.n_rows:
            self.weights.lag = <double>(self.n_rows - self.average_from)
        else:
            self.weights.lag = 0.0
        return True

    # -------------------------------------------------------------------------- learning

    cdef bint _teach_target(self, const Row *row, double target, double weight) noexcept nogil:
        cdef rule_step step = rule_step_of(
            &self.rule, target, self.weights.margins[0], self.weights.extended_squared_norm,
            weight, 0.0,
        )
        self.loss += step.loss
        if step.taken:
            self.n_updates += 1
            self.weights.step(row, 0, step.along, 0.0)
        return step.taken

    cdef bint _teach(self, const Row *row, int32_t label, double weight) noexcept nogil:
        cdef double *seen = self.demands.seen
        cdef bint taken
        seen[label] += 1.0
        if self.crammer_singer:
            taken = self._teach_classes(row, label, weight)
        else:
            taken = self._teach_problems(row, label, weight)
        if self.weights.follows:
            self.weights.follow(row)
        return taken

    cdef bint _teach_problems(self, const Row *row, int32_t label, double weight) noexcept nogil:
        """Each problem by itself: its class against the rest."""
        cdef Py_ssize_t c, n_taken = 0
        cdef int32_t positive
        cdef double y, m, demand, heavy, squared_norm = self.weights.extended_squared_norm
        cdef rule_step step
        # All steps at once serve sparse rows; S x of a full covariance is there but once.
        cdef bint later = self.weights.n_problems > 1 and not self.weights.is_full
        self.weights.prepare()
        for c in range(self.weights.n_problems):
            positive = 1 if self.weights.n_problems == 1 else <int32_t>c
            y = 1.0 if label == positive else -1.0
            m = y * self.weights.margins[c]
            demand = self.demands.of_sign(y, positive)
            self.along[c] = self.shrink[c] = 0.0
            if not rule_may_step(&self.rule, m, demand, squared_norm):
                self.loss += rule_idle_loss(&self.rule, m)
                continue
            heavy = weight * demand / squared_norm if self.demands.relative else weight
            step = rule_step_of(
                &self.rule, y, self.weights.margins[c], self.weights.variance_of(row, c), heavy,
                demand,
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

    cdef bint _teach_classes(self, const Row *row, int32_t label, double weight) noexcept nogil:
        """Crammer and Singer: the class of the row against the strongest of the others."""
        cdef Py_ssize_t r, other = -1
        cdef double squared_norm = self.weights.extended_squared_norm
        cdef double variance, score, best = -INFINITY, demand = self.demands.positive
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
            weight *= demand / (2.0 * squared_norm)
        score = self.weights.margins[label] - self.weights.margins[other]
        variance = self.weights.variance_of(row, label) + self.weights.variance_of(row, other)
        step = rule_step_of(&self.rule, 1.0, score, variance, weight, demand)
        self.loss += step.loss
        if step.taken:
            self.n_updates += 1
            self.weights.step(row, label, step.along, step.shrink)
            self.weights.step(row, other, -step.along, step.shrink)
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

    cdef double _probability(self, const Query *query, const Row *row) noexcept nogil:
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
        if query.second_order:
            variance = self.weights.variance_of(row, 0)
        return asking_probability(query, confidence, self.weights.squared_norm, variance)
