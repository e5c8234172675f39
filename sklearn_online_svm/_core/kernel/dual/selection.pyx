"""Sample selection; the contract is in the ``.pxd``."""
from libc.math cimport INFINITY, fabs, fmax
from libc.stdint cimport int8_t, int32_t, int64_t
from libc.stdlib cimport free
from libc.string cimport memcpy

from ...memory cimport address, grown_buffer
from ...random cimport next_state, uniform
from ...simd.primitives cimport SIMD_BLOCK
from .problem cimport Problem

import numpy as np

# Number of candidates that "autoactive" scores at once.
cdef enum:
    FEW = 16


cdef class Selection:
    """Selection of the next sample, common to all problems.

    ``pool_size``: number of candidates drawn at random; 1: the next sample, -1: all remaining
        samples.
    ``most``: largest number of samples to process.
    ``stopping``: early stopping, checked before each sample.
    """
    def __init__(self, pool_size=1, *, most=None, Stopping stopping=None):
        self.pool_size = pool_size
        self.most = np.iinfo(np.intp).max if most is None else most
        self.stopping = stopping

    def __dealloc__(self):
        free(self.drawn)
        free(self.best_scores)

    def state(self):
        """Return the state for ``restore``."""
        history = None if self.stopping is None else self.stopping.history()
        return {"random": int(self.random), "history": history, "n_seeds": self.n_seeds}

    def restore(self, random, history=None, n_seeds=0):
        """Restore a result of ``state``, or set the seed of the generator."""
        self.random, self.n_seeds = random, n_seeds
        self.stopped = False
        if self.stopping is not None:
            self.stopping.restore(history)

    # -------------------------------------------------------------------------- candidates

    cdef Py_ssize_t draw(self, Py_ssize_t n_processed, Py_ssize_t n_left) except -1:
        cdef Py_ssize_t n = n_left if self.pool_size == ALL else min(self.pool_size, n_left)
        self.is_seed = n_processed < self.n_seeds
        if self.is_seed:
            n = 1
        if n > self.capacity:
            self.drawn = <int64_t *>grown_buffer(self.drawn, n * sizeof(int64_t))
            self.capacity = n
        self.next_random = self.random
        self.draw_some(n, n_left)
        return n

    cdef void draw_some(self, Py_ssize_t n, Py_ssize_t n_left) noexcept nogil:
        """Draw ``n`` distinct numbers below ``n_left``; n = 1 takes the first, without chance."""
        cdef Py_ssize_t k, before, place, n_drawn = 0
        if n == n_left or n == 1:
            for k in range(n):
                self.drawn[k] = k
        elif n > n_left // 4:
            # Sequential sampling: each is included with the right conditional probability.
            for place in range(n_left):
                if self.next_uniform() * (n_left - place) < n - n_drawn:
                    self.drawn[n_drawn] = place
                    n_drawn += 1
        else:
            while n_drawn < n:
                place = <Py_ssize_t>(self.next_uniform() * n_left)
                before = 0
                while before < n_drawn and self.drawn[before] != place:
                    before += 1
                if before == n_drawn:
                    self.drawn[n_drawn] = place
                    n_drawn += 1

    cdef double next_uniform(self) noexcept nogil:
        """Return the next random number in [0, 1)."""
        self.next_random = next_state(self.next_random)
        return uniform(self.next_random)

    # -------------------------------------------------------------------------- selection

    cdef int begin(self, Py_ssize_t n_problems, double delta) except -1:
        if n_problems > self.n_problems:
            self.best_scores = <double *>grown_buffer(
                self.best_scores, n_problems * sizeof(double))
        self.n_problems = n_problems
        self.best, self.best_key = -1, INFINITY
        if self.stopping is not None:
            self.stopping.begin()
        return 0

    cdef Py_ssize_t n_next(self, Py_ssize_t n_done, Py_ssize_t n) noexcept nogil:
        return min(SIMD_BLOCK, n - n_done)

    cdef bint look(self, Py_ssize_t candidate, const double *scores,
                   int32_t label) noexcept nogil:
        cdef double key = self.key(scores, label)
        if self.best < 0 or key < self.best_key:
            self.best, self.best_key = candidate, key
            memcpy(self.best_scores, scores, self.n_problems * sizeof(double))
        # Members of the support set have infinite scores.
        if self.stopping is not None and scores[0] < INFINITY:
            self.stopping.look(margin_of(scores, label, self.n_problems), label)
        return False

    cdef double key(self, const double *scores, int32_t label) noexcept nogil:
        return 0.0

    cdef bint is_over(self, list problems):
        if self.stopping is None:
            return False
        # One class says nothing about the other: the criterion starts with the second one.
        cdef bint starts = not have_two_classes(problems)
        if starts:
            self.stopping.restore(None)
        self.stopped = (self.stopping.is_over(problems, self.best_scores)
                        and not starts and not self.is_seed)
        return self.stopped

    cdef int commit(self, int64_t *left, list problems, int64_t row_id, int8_t origin) except -1:
        cdef int64_t place = self.drawn[self.best]
        left[0], left[place] = left[place], left[0]
        self.random = self.next_random
        if self.stopping is not None:
            self.stopping.commit(problems, row_id, origin)
        return 0


cdef class Gradient(Selection):
    """Select the candidate with the smallest margin y f(x).

    With several classes the margin is f of its class minus the largest f of the others.
    """

    cdef double key(self, const double *scores, int32_t label) noexcept nogil:
        return margin_of(scores, label, self.n_problems)


cdef double margin_of(const double *scores, int32_t label, Py_ssize_t n_problems) noexcept nogil:
    """Return y f(x), or f of the class minus the largest f of the others."""
    cdef Py_ssize_t c
    cdef double other = -INFINITY
    if n_problems == 1:
        return scores[0] if label == 1 else -scores[0]
    for c in range(n_problems):
        if c != label:
            other = fmax(other, scores[c])
    return scores[label] - other


cdef class Active(Selection):
    """Select the candidate nearest to the decision boundary, without using labels.

    The criterion is \\|f(x)\\| or, with several classes, the difference between the two largest f.
    """

    cdef double key(self, const double *scores, int32_t label) noexcept nogil:
        cdef Py_ssize_t c
        cdef double best = -INFINITY, second = -INFINITY
        if self.n_problems == 1:
            return fabs(scores[0])
        for c in range(self.n_problems):
            if scores[c] > best:
                best, second = scores[c], best
            elif scores[c] > second:
                second = scores[c]
        return best - second


cdef class AutoActive(Active):
    """Select the nearest of the first ``n_close`` candidates within the margin.

    The margin is widened by half of delta, the largest violation after the last REPROCESS. Early
    in training nearly all candidates lie within it, and samples are taken in random order.
    """
    cdef Py_ssize_t n_close, n_found
    cdef double margin

    def __init__(self, pool_size=100, *, n_close=5, **options):
        super().__init__(pool_size, **options)
        self.n_close = n_close

    cdef int begin(self, Py_ssize_t n_problems, double delta) except -1:
        self.margin, self.n_found = 1.0 + 0.5 * fmax(delta, 0.0), 0
        return Active.begin(self, n_problems, delta)

    cdef Py_ssize_t n_next(self, Py_ssize_t n_done, Py_ssize_t n) noexcept nogil:
        if self.margin == INFINITY:
            return 1
        return min(self.n_close if n_done == 0 else FEW, n - n_done)

    cdef bint look(self, Py_ssize_t candidate, const double *scores,
                   int32_t label) noexcept nogil:
        Active.look(self, candidate, scores, label)
        self.n_found += self.key(scores, label) < self.margin
        # Until two classes have been seen (delta is infinite), take the first candidate.
        return self.n_found >= self.n_close or self.margin == INFINITY


# ------------------------------------------------------------------------------ early stopping

cdef bint have_two_classes(list problems):
    """Return whether each problem has support vectors of both classes."""
    cdef Problem problem
    cdef Py_ssize_t s
    cdef bint positive, negative
    for problem in problems:
        positive = negative = False
        for s in range(problem.members.n):
            positive |= problem.members.alpha[s] > 0.0
            negative |= problem.members.alpha[s] < 0.0
            if positive and negative:
                break
        else:
            return False
    return True


cdef class Stopping:
    cdef void begin(self) noexcept nogil:
        pass

    cdef void look(self, double margin, int32_t label) noexcept nogil:
        pass

    cdef bint is_over(self, list problems, const double *scores):
        raise NotImplementedError(f"{type(self).__name__}.is_over")

    cdef int commit(self, list problems, int64_t row_id, int8_t origin) except -1:
        return 0

    def history(self):
        """Return the state, an array of int64."""
        return np.zeros(0, dtype=np.int64)

    def restore(self, history):
        """Restore a result of ``history``; None: the initial state."""


cdef class MarginExhausted(Stopping):
    """Stop when the last ``n_rows`` samples were outside the margin, in all problems.

    Outside: \\|f(x)\\| is at least the largest \\|f(x_s)\\| of a free support vector. Without a
    free support vector there is no margin.
    """
    cdef int64_t n_rows, n_outside, now

    def __init__(self, Py_ssize_t n_rows):
        self.n_rows, self.n_outside = n_rows, 0

    cdef bint is_over(self, list problems, const double *scores):
        self.now = self.n_outside + 1 if is_outside(problems, scores) else 0
        return self.now >= self.n_rows

    cdef int commit(self, list problems, int64_t row_id, int8_t origin) except -1:
        self.n_outside = self.now
        return 0

    def history(self):
        return np.array([self.n_outside], dtype=np.int64)

    def restore(self, history):
        self.n_outside = 0 if history is None else history[0]


cdef bint is_outside(list problems, const double *scores):
    """Return whether a sample with these decision values is outside all margins."""
    cdef Py_ssize_t c, s
    cdef Problem problem
    cdef double margin
    for c in range(len(problems)):
        problem = problems[c]
        margin = -1.0
        for s in range(problem.members.n):
            if problem.members.up[s] and problem.members.down[s]:
                margin = fmax(margin, fabs(
                    problem.members.target[s] - problem.members.g[s] + problem.b))
        if margin < 0.0 or fabs(scores[c]) < margin:
            return False
    return True


cdef class SupportStable(Stopping):
    """Stop when the number of support vectors is nearly constant.

    Criterion: over the last ``n_rows`` samples it grew by less than ``share * n_rows``, summed
    over all problems.
    """
    cdef Py_ssize_t n_rows, n_seen
    cdef double share
    cdef int64_t now
    cdef object counts_array            # ring buffer: count before sample t, at t % n_rows
    cdef int64_t *counts

    def __init__(self, Py_ssize_t n_rows, double share):
        self.n_rows, self.share = n_rows, share
        self.restore(None)

    cdef bint is_over(self, list problems, const double *scores):
        cdef Problem problem
        cdef Py_ssize_t s
        self.now = 0
        for problem in problems:
            for s in range(problem.members.n):
                self.now += problem.members.alpha[s] != 0.0
        if self.n_seen < self.n_rows:
            return False
        return self.now - self.counts[self.n_seen % self.n_rows] < self.share * self.n_rows

    cdef int commit(self, list problems, int64_t row_id, int8_t origin) except -1:
        cdef Py_ssize_t t = self.n_seen % self.n_rows
        if t >= len(self.counts_array):
            self.set_counts(with_room(self.counts_array, self.n_rows))
        self.counts[t] = self.now
        self.n_seen += 1
        return 0

    def history(self):
        n = min(self.n_seen, self.n_rows)
        return np.array([self.counts[t % self.n_rows]
                         for t in range(self.n_seen - n, self.n_seen)], dtype=np.int64)

    def restore(self, history):
        history = np.zeros(0, np.int64) if history is None else np.array(history, np.int64)
        self.n_seen = len(history)
        self.set_counts(with_room(history, self.n_rows))

    cdef set_counts(self, counts):
        self.counts_array, self.counts = counts, <int64_t *>address(counts)


cdef with_room(counts, Py_ssize_t n_rows):
    """Return the counts of the first samples with room for others, at most ``n_rows``."""
    n = min(n_rows, max(64, 2 * len(counts)))
    return np.concatenate([counts, np.zeros((n - len(counts), *counts.shape[1:]), np.int64)])


cdef class FewErrors(Stopping):
    """Stop when few samples become support vectors, and few of the others are misclassified.

    Criterion: less than ``share * n_rows`` of the last ``n_rows`` samples became support vectors
    (in any problem), and of the candidates drawn for them at most the share ``error`` of each
    class was misclassified.
    """
    cdef Py_ssize_t n_rows, n_seen, n_classes
    cdef double share, error
    # For each sample: the number of candidates of each class, and of those misclassified, and
    # whether it became a support vector. A ring buffer, sample t at t % n_rows; its sum; the next.
    cdef int64_t[:, ::1] counts
    cdef int64_t[::1] total, now

    def __init__(self, Py_ssize_t n_rows, double share, double error, Py_ssize_t n_classes):
        self.n_rows, self.share, self.error, self.n_classes = n_rows, share, error, n_classes
        self.now = np.zeros(2 * n_classes + 1, dtype=np.int64)
        self.restore(None)

    cdef void begin(self) noexcept nogil:
        self.now[:] = 0

    cdef void look(self, double margin, int32_t label) noexcept nogil:
        self.now[label] += 1
        self.now[self.n_classes + label] += margin < 0.0

    cdef bint is_over(self, list problems, const double *scores):
        cdef Py_ssize_t c, n = self.n_classes
        if self.n_seen < self.n_rows or self.total[2 * n] >= self.share * self.n_rows:
            return False
        for c in range(n):
            if self.total[n + c] > self.error * self.total[c]:
                return False
        return True

    cdef int commit(self, list problems, int64_t row_id, int8_t origin) except -1:
        cdef Py_ssize_t k, t = self.n_seen % self.n_rows
        if t >= self.counts.shape[0]:
            self.counts = with_room(np.asarray(self.counts), self.n_rows)
        self.now[2 * self.n_classes] = any(
            [problem.members.alpha_of(row_id, origin) != 0.0 for problem in problems])
        for k in range(self.now.shape[0]):
            self.total[k] += self.now[k] - self.counts[t, k]
            self.counts[t, k] = self.now[k]
        self.n_seen += 1
        return 0

    def history(self):
        last = np.arange(max(0, self.n_seen - self.n_rows), self.n_seen) % self.n_rows
        return np.asarray(self.counts)[last]

    def restore(self, history):
        if history is None:
            history = np.zeros((0, 2 * self.n_classes + 1), dtype=np.int64)
        self.n_seen = len(history)
        self.counts = with_room(np.array(history, np.int64), self.n_rows)
        self.total = history.sum(axis=0)
