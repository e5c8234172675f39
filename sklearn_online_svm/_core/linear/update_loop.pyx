"""The update loop of the online linear and kernel models.

Problem: minimize the cumulative loss of a stream by one update per sample x with label y:

    1. margins p_c = w_c.x + b_c and the squared norm of x       (``Weights.look``)
    2. with selective sampling: is the label queried?            (``queries.pxd``)
    3. alpha and beta of each problem from y, p_c and x'S_c x    (``rules.h``)
    4. w_c <- w_c + alpha S_c x, S_c <- S_c - beta S_c x x'S_c   (``Weights.step``)

The problems are one for two classes, one per class against the rest, or all classes jointly, where
the label r and the other class s with the largest score are updated with alpha and -alpha
(Crammer and Singer 2003; Crammer et al. 2006, section 7). Averages are over all samples.

Samples with NaN or infinity are detected by their norms. Signals are handled between samples,
every few milliseconds; other threads read the former weights meanwhile.
"""
from libc.float cimport DBL_MAX, FLT_MAX
from libc.math cimport INFINITY, fabs
from libc.stdint cimport int32_t, int64_t

from ..guard cimport SharedArrays
from ..interrupts cimport check_interrupts
from ..memory cimport address
from ..simd.primitives cimport simd_linear, simd_pass, simd_totals
from .queries cimport (
    MARGIN, SECOND_ORDER, LabelQueries, Query, is_queried, query_probability, update_query,
)
from .rows cimport Dataset, Row, Rows, row_at, row_of, rows_of, value_of
from .rules cimport (
    TargetMargins, rule_from, rule_loss_without_step, rule_may_step, rule_step, rule_step_of,
)
from .weights cimport Weights

import numpy as np

cdef enum:
    _DONE
    _NOT_FINITE
    _LABEL_NEEDED
    _WEIGHTS_IN_USE

# Status returned by ``UpdateLoop.train``.
DONE = _DONE
NOT_FINITE = _NOT_FINITE            # the norm of the next sample is not finite or too large
LABEL_NEEDED = _LABEL_NEEDED        # the label of the next sample is queried, but not known
WEIGHTS_IN_USE = _WEIGHTS_IN_USE    # other threads read the arrays: nothing was changed

# Multiplications between two checks for signals: a few milliseconds.
cdef double CHECK_INTERVAL = 5e6


cdef class UpdateLoop:
    """An online model: its weights, its update rule and its counters.

    ``weights``: changed in place.
    ``shared``: from which other threads read the weights, or None.
    ``rule``: ``name``, a key of RULES, and the parameters of the rule: C, phi, r, epsilon.
    ``demands``: options of TargetMargins.
    ``crammer_singer``: whether all classes are trained jointly, instead of each against the rest.
    ``average_from``: number of samples before averaging begins.
    """

    def __init__(self, Weights weights, SharedArrays shared, dict rule, dict demands,
                 bint crammer_singer=False, int64_t average_from=0):
        cdef Py_ssize_t n_classes = max(2, weights.n_problems)
        self.weights = weights
        self.shared = shared
        self.rule = rule_from(rule)
        self._set_limits()
        self.demands = TargetMargins(demands, n_classes)
        self.crammer_singer = crammer_singer and weights.n_problems > 1
        self.average_from = average_from
        self.is_primitive = not (
            weights.n_problems > 1 or weights.averaged or weights.follows or self.demands.counted
            or self.rule.traits.needs_covariance or self.rule.traits.is_regression
        )
        self.buffers = np.zeros((2, n_classes))
        self.alphas = <double *>address(self.buffers)
        self.betas = self.alphas + n_classes

    cdef _set_limits(self):
        """Limit the steps so that 10^9 of the longest ones stay finite."""
        cdef bint single = self.weights.single and not self.weights.is_full
        self.rule.max_coefficient = FLT_MAX if single else DBL_MAX
        if self.weights.averaged:
            # Sums contain each step times the number of samples before it.
            self.rule.max_coefficient *= 1e-12
        if self.weights.r != NULL:
            self.rule.max_coefficient *= self.weights.min_scale
        self.rule.max_length = min(
            DBL_MAX, (1e40 if single else 1e280) / self.weights.start_variance)

    @property
    def counts(self):
        """Number of training samples of each class."""
        return self.demands.counts

    def state(self):
        """Return the state that is not in the arrays of the weights."""
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

    def train(self, Dataset dataset, Py_ssize_t start=0, LabelQueries queries=None,
              tuple copies=None, progress=None):
        """Train on the samples of a dataset in its order, from position ``start`` on.

        ``queries``: labels are queried; without it all labels are used.
        ``copies``: copies of the shared arrays, for other threads to read during training.
        ``progress``: called with the position of the next sample wherever signals are handled.

        Returns ``status``: DONE, NOT_FINITE (the write is not ended), LABEL_NEEDED (continue from
        this position when the label is known) or WEIGHTS_IN_USE (the write has begun).
        ``position``: position of the next sample.
        """
        cdef Weights weights = self.weights
        cdef Py_ssize_t n, stop, stride, position = start
        cdef int status = _DONE
        dataset.set_pointers(weights.n_features, weights.single, self.rule.traits.is_regression)
        n = dataset.n
        stride = max(1, <Py_ssize_t>(CHECK_INTERVAL / self._cost(dataset)))
        self.position = start
        if self.shared is not None and not self.shared.begin_write(copies):
            return WEIGHTS_IN_USE, position
        try:
            while position < n and status == _DONE:
                stop = weights.begin(dataset, position, min(n, position + stride))
                with nogil:
                    if queries is not None:
                        status = self._run_with_queries(dataset, queries, &position, stop)
                    elif self.is_primitive:
                        status = self._run_primitive(dataset, &position, stop)
                    else:
                        status = self._run(dataset, &position, stop)
                self.position = position
                weights.end(position)
                if position < n or n - start > stride:
                    if progress is not None and status == _DONE:
                        progress(position)
                    check_interrupts()
        finally:
            # After NOT_FINITE the caller may undo the updates before the sample.
            if status != _NOT_FINITE and self.shared is not None:
                self.shared.end_write(self.n_rows)
        return status, position

    cdef double _cost(self, Dataset dataset):
        """Return the number of multiplications for one sample."""
        cdef double n = self.weights.n_features
        cdef const Rows *rows = &dataset.rows
        if self.weights.is_full:
            return (1.0 + n) * (1.0 + n) * self.weights.n_problems
        if rows.starts != NULL:
            n = rows.starts[rows.n] / max(1.0, <double>rows.n)
        return (1.0 + n) * self.weights.n_vectors + self.weights.extra_cost

    # -------------------------------------------------------------------------- samples

    cdef int _run_primitive(self, Dataset dataset, Py_ssize_t *position,
                            Py_ssize_t stop) noexcept nogil:
        """Train one problem without covariance."""
        cdef simd_pass samples
        cdef simd_totals totals
        cdef Py_ssize_t start = position[0]
        samples.values = dataset.rows.values
        samples.columns = dataset.rows.columns
        samples.starts = dataset.rows.starts
        samples.n_features = self.weights.n_features
        samples.n_samples = dataset.n
        samples.order = dataset.order
        samples.labels = dataset.labels
        samples.weights = dataset.weights
        samples.rule = &self.rule
        samples.target_margins[0] = self.demands.negative
        samples.target_margins[1] = self.demands.positive
        samples.w = self.weights.w
        samples.bias = self.weights.b if self.weights.intercept else NULL
        samples.constant = self.weights.constant
        samples.advice = self.weights.r
        if samples.advice != NULL:
            samples.advice_bias = self.weights.r_b[0]
            samples.decay = self.weights.decay
            samples.min_scale = self.weights.min_scale
            samples.scale = self.weights.scale
        totals.loss = self.loss
        totals.n_updates = self.n_updates
        position[0] = self.weights.primitives.train(&samples, start, stop, &totals)
        self.loss = totals.loss
        self.n_updates = totals.n_updates
        self.n_rows += position[0] - start
        return _DONE if position[0] == stop else _NOT_FINITE

    cdef int _run(self, Dataset dataset, Py_ssize_t *position, Py_ssize_t stop) noexcept nogil:
        cdef Row row
        cdef Py_ssize_t i, at
        cdef double weight
        for at in range(position[0], stop):
            position[0] = at
            i = row_at(dataset, at, &row)
            weight = dataset.weights[i] if dataset.weights != NULL else 1.0
            if weight == 0.0:
                self.n_rows += 1
                continue
            if not self._look(&row):
                return _NOT_FINITE
            self.n_rows += 1
            if dataset.targets != NULL:
                self._update_regression(&row, dataset.targets[i], weight)
            else:
                self._update(&row, dataset.labels[i], weight)
            if self.weights.code:
                position[0] = at + 1
                return _DONE
        position[0] = stop
        return _DONE

    cdef int _run_with_queries(self, Dataset dataset, LabelQueries queries, Py_ssize_t *position,
                               Py_ssize_t stop) noexcept nogil:
        """Train with selective sampling; samples that are not queried do not change the model."""
        cdef Query *query = &queries.sampler.query
        cdef Row row
        cdef Py_ssize_t i, at
        cdef double weight, probability = 1.0
        cdef bint updated, asked, known, bought
        for at in range(position[0], stop):
            position[0] = at
            i = row_at(dataset, at, &row)
            weight = dataset.weights[i] if dataset.weights != NULL else 1.0
            if not self._look(&row):
                return _NOT_FINITE
            asked = False
            known = queries.owned[i] == 1
            if weight == 0.0 or (not known and (queries.owned[i] or queries.left[0] == 0)):
                # The label would have no effect, is not available, or exceeds the budget.
                if not known:
                    queries.predicted[i] = self._predicted()
                continue
            if not known:
                probability = self._query_probability(query, &row)
                asked = is_queried(query, probability)
                if asked and dataset.labels[i] == -1:
                    return _LABEL_NEEDED
                queries.predicted[i] = self._predicted()
            updated = False
            bought = asked and dataset.labels[i] >= 0
            if known or bought:
                if queries.class_weights != NULL:
                    weight *= queries.class_weights[dataset.labels[i]]
                self.n_rows += 1
                updated = weight != 0.0 and self._update(&row, dataset.labels[i], weight)
            if not known:
                update_query(query, probability, asked, updated, self.weights.squared_norm)
                if asked:
                    queries.owned[i] = 1 if bought else 2
                    queries.left[0] -= bought
            if self.weights.code:
                position[0] = at + 1
                return _DONE
        position[0] = stop
        return _DONE

    cdef bint _look(self, const Row *row) noexcept nogil:
        self.weights.look(row)
        if not self.weights.squared_norm <= self.weights.largest_squared_norm:
            return False
        self.weights.lag = max(0.0, <double>(self.n_rows - self.average_from))
        return True

    # -------------------------------------------------------------------------- updates

    cdef bint _update_regression(self, const Row *row, double target,
                                 double weight) noexcept nogil:
        cdef rule_step step = rule_step_of(
            &self.rule, target, self.weights.margins[0], self.weights.extended_squared_norm,
            weight, 0.0,
        )
        self.loss += step.loss
        if step.taken:
            self.n_updates += 1
            self.weights.step(row, 0, step.alpha, 0.0)
        return step.taken

    cdef bint _update(self, const Row *row, int32_t label, double weight) noexcept nogil:
        cdef double *counts = self.demands.class_counts
        cdef bint taken
        counts[label] += 1.0
        self.weights.prepare()
        if self.crammer_singer:
            taken = self._update_crammer_singer(row, label, weight)
        else:
            taken = self._update_one_vs_rest(row, label, weight)
        if self.weights.follows:
            self.weights.follow(row)
        if self.weights.n_repeats:
            self._repeat_update(row, label, weight)
        return taken

    cdef void _repeat_update(self, const Row *row, int32_t label, double weight) noexcept nogil:
        """Make the steps again, with margins that ``follow`` has changed; counts do not change."""
        cdef double loss = self.loss
        cdef int64_t n_updates = self.n_updates
        cdef Py_ssize_t _
        for _ in range(self.weights.n_repeats):
            self._update_one_vs_rest(row, label, weight)
            self.weights.follow(row)
        self.loss, self.n_updates = loss, n_updates

    cdef bint _update_one_vs_rest(self, const Row *row, int32_t label,
                                  double weight) noexcept nogil:
        cdef Py_ssize_t c, n_taken = 0
        cdef int32_t positive
        cdef double y, m, target, weight_c, squared_norm = self.weights.extended_squared_norm
        cdef rule_step step
        # Steps of all problems together are faster for sparse samples. With a full covariance,
        # S x is stored for one problem only.
        cdef bint together = self.weights.n_problems > 1 and not self.weights.is_full
        for c in range(self.weights.n_problems):
            positive = 1 if self.weights.n_problems == 1 else <int32_t>c
            y = 1.0 if label == positive else -1.0
            m = y * self.weights.margins[c]
            target = self.demands.of_sign(y, positive)
            self.alphas[c] = self.betas[c] = 0.0
            if not rule_may_step(&self.rule, m, target, squared_norm):
                self.loss += rule_loss_without_step(&self.rule, m)
                continue
            weight_c = weight * target / squared_norm if self.demands.relative else weight
            step = rule_step_of(
                &self.rule, y, self.weights.margins[c], self.weights.variance_of(row, c),
                weight_c, target,
            )
            self.loss += step.loss
            if step.taken:
                n_taken += 1
                if together:
                    self.alphas[c] = step.alpha
                    self.betas[c] = step.beta
                else:
                    self.weights.step(row, c, step.alpha, step.beta)
        if together and n_taken:
            self.weights.steps(row, self.alphas, self.betas, n_taken)
        self.n_updates += n_taken > 0
        return n_taken > 0

    cdef bint _update_crammer_singer(self, const Row *row, int32_t label,
                                     double weight) noexcept nogil:
        cdef Py_ssize_t r, other = -1
        cdef double squared_norm = self.weights.extended_squared_norm
        cdef double variance, score, best = -INFINITY, target = self.demands.positive
        cdef const double *targets = NULL
        cdef rule_step step
        if self.demands.pairs != NULL:
            targets = self.demands.pairs + label * self.weights.n_problems
        for r in range(self.weights.n_problems):
            score = self.weights.margins[r]
            if targets != NULL and self.demands.max_loss:
                score += targets[r]
            if r != label and score > best:
                best, other = score, r
        # All scores are -inf or NaN.
        if other < 0:
            return False
        if targets != NULL:
            target = targets[other]
        if self.demands.relative:
            weight *= target / (2.0 * squared_norm)
        score = self.weights.margins[label] - self.weights.margins[other]
        variance = self.weights.variance_of(row, label) + self.weights.variance_of(row, other)
        step = rule_step_of(&self.rule, 1.0, score, variance, weight, target)
        self.loss += step.loss
        if step.taken:
            self.n_updates += 1
            self.weights.step(row, label, step.alpha, step.beta)
            self.weights.step(row, other, -step.alpha, step.beta)
        return step.taken

    # -------------------------------------------------------------------------- queries

    cdef int32_t _predicted(self) noexcept nogil:
        cdef const double *margins = self.weights.margins
        cdef int32_t c, best = 0
        if self.weights.n_problems == 1:
            return margins[0] > 0.0
        for c in range(1, <int32_t>self.weights.n_problems):
            if margins[c] > margins[best]:
                best = c
        return best

    cdef double _query_probability(self, const Query *query, const Row *row) noexcept nogil:
        cdef const double *margins = self.weights.margins
        cdef double confidence, second = -INFINITY, variance = 0.0
        cdef Py_ssize_t c, runner_up = -1
        cdef int32_t best = 0
        if self.weights.n_problems == 1:
            confidence = fabs(margins[0])
        else:
            best = self._predicted()
            for c in range(self.weights.n_problems):
                if c != best and margins[c] > second:
                    runner_up, second = c, margins[c]
            confidence = margins[best] - second
        if query.confidence == SECOND_ORDER:
            variance = self.weights.variance_of(row, 0)
        elif query.confidence != MARGIN:
            variance = self.weights.variance_of(row, best)
            if runner_up >= 0:
                variance += self.weights.variance_of(row, runner_up)
        return query_probability(query, confidence, self.weights.squared_norm, variance)


def first_not_finite(X, Weights weights):
    """Return the index of the first sample on which ``train`` would stop, -1 if there is none."""
    cdef Rows rows = rows_of(X, weights.n_features, weights.single)
    cdef Row row
    cdef Py_ssize_t i, found = -1
    cdef const simd_linear *primitives = weights.primitives
    cdef double squared_norm, largest = weights.largest_squared_norm
    # With a full covariance, float32 samples are converted to float64.
    cdef bint widen = weights.single and weights.is_full
    with nogil:
        for i in range(rows.n):
            row_of(&rows, i, &row)
            if widen:
                squared_norm = _squared_norm_f64(&row)
            else:
                squared_norm = primitives.squared_norm(row.values, row.n)
            if not squared_norm <= largest:
                found = i
                break
    return found


cdef double _squared_norm_f64(const Row *row) noexcept nogil:
    """Return the squared norm of a float32 sample in float64."""
    cdef Py_ssize_t k
    cdef double total = 0.0
    for k in range(row.n):
        total += value_of(row, k, True) * value_of(row, k, True)
    return total
