"""The stream of an engine: training on samples, block by block.

The next block is *loaded*. It is *scored*: its kernel values against the store and against itself
are computed at once. Its samples are *visited*: each problem processes them one by one, using
these values. Threads share the kernel values, then the problems or, of a single problem, the loops
over its slots (``threads/team.h``). At the end of the block the samples added by
some problem are written into the store, all at once, and unreferenced vectors release their slots.

Pairs of classes have larger blocks, of which each pair takes up to ``SIMD_BLOCK`` of its samples
at a time. With a sample selection each block has one sample: candidates are loaded and scored, and
the selected one remains.

Signals are checked between blocks, where the engine is consistent. An exception of a kernel
function in Python, or an interrupt in a block that takes long, takes the problems back to the
beginning of the block.
"""
cimport cython
from cpython.ref cimport PyObject
from libc.math cimport INFINITY, fmax
from libc.stdint cimport int32_t, int64_t
from libc.string cimport memcpy

from ...guard cimport Guard, Halt
from ...interrupts cimport check_interrupts
from ...simd.primitives cimport SIMD_BLOCK
from ...threads.slices cimport dot
from ...threads.team cimport Team
from ..vectors.block cimport SampleBlock, Samples, Visits, check_type
from .problem cimport Problem
from .selection cimport Selection
from .slots cimport Slots, WorkSpace
from ..vectors.support_set cimport Example

import numpy as np

# Blocks of pairs: samples that a pair has on average, with which little time is spent on the block
# itself; and limits of the visits, of the array elements accessed by them, and of kernel values.
# Signals are checked after a block: mostly 4 to 100 ms.
cdef enum:
    OF_PAIR = 48
    MOST_VISITS = 1 << 15
    MOST_WORK = 1 << 22
    MOST_VALUES = 1 << 22

# Times in ns: of a slot when a sample is visited, and of a block from which on threads help.
cdef double VISIT_TIME = 2.0
cdef double WORTH_CALLING = 2e5

# From this many remaining samples on, the first block can be taken back, too.
cdef enum:
    MANY = 1024


cdef void visit_problem(void *stream, Py_ssize_t k, Py_ssize_t n) noexcept nogil:
    with gil:
        (<Stream>stream).visit_active(k)


cdef void attend(void *stream) noexcept nogil:
    with gil:
        (<Stream>stream).attend_to_signals()


@cython.final
cdef class Stream:
    def __init__(self, Slots slots, Guard guard, Halt halt):
        self.slots, self.store, self.problems = slots, slots.store, slots.problems
        self.guard, self.halt = guard, halt
        self.block = SampleBlock(self.store, self.largest_size())
        self.team = Team()

    cdef Py_ssize_t n_classes(self) except -1:
        """Return the number of classes of which the problems are the pairs."""
        cdef Problem last = self.problems[len(self.problems) - 1]
        return last.codes.negative + 1

    cdef Py_ssize_t largest_size(self) except -1:
        """Return the size of the largest block: a pair has a small part of its samples."""
        if not self.slots.copied:
            return SIMD_BLOCK
        n = self.n_classes()
        return max(SIMD_BLOCK, min(OF_PAIR * n // 2, MOST_VISITS // (n - 1)))

    cdef Py_ssize_t next_size(self) except -1:
        """Return the size of the next block, smaller if the pairs have many members."""
        cdef Problem problem
        cdef Py_ssize_t n_members = 1
        if not self.slots.copied:
            return SIMD_BLOCK
        for problem in self.problems:
            n_members += problem.members.n
        # A sample is in 2 / n_classes of the pairs.
        most = min(MOST_WORK * self.n_classes() // (2 * n_members),
                   MOST_VALUES // (self.store.n_slots + 1))
        return max(SIMD_BLOCK, min(self.block.size, most))

    cdef int learn(self, X, const int64_t[::1] order, Samples given, executor, Py_ssize_t begin,
                   progress) except -1:
        """Process the samples ``X[order]``; the parameters are those of ``Engine.learn``."""
        check_type(self.store, X)
        self.given = given
        self.n_processed = begin
        self.is_slow = self.is_slow or order.shape[0] - begin >= MANY
        self.team.open(executor)
        try:
            return self.learn_blocks(X, order, executor, progress)
        finally:
            self.team.close()

    cdef int learn_blocks(self, X, const int64_t[::1] order, executor, progress) except -1:
        """Process the samples from ``n_processed`` on, block by block."""
        cdef Py_ssize_t n_visited, at = self.n_processed, n = order.shape[0], end = n
        cdef bint chooses = self.selection is not None
        cdef int64_t[::1] left = order.base if chooses else None      # error if it is read-only
        if chooses:
            n = min(n, self.selection.most)
        while True:
            if self.follower is not None:
                X, end = self.follower.follow(self.problems, at)
                n = end
            if at >= n:
                return 0
            if chooses:
                if not self.choose(X, left[at:end], at):
                    return 0
            else:
                self.load(X, &order[at], min(self.next_size(), n - at))
                self.call_helpers()
                self.score()
            self.begin_visits(executor)
            # For a single sample, threads for the problems do not pay.
            n_visited = self.visit_all(None if chooses else executor)
            if chooses:
                self.commit(&left[at])
            at += n_visited
            # Count before signals are checked: an interrupt must not lose processed samples.
            self.n_processed = at
            if progress is not None:
                progress(at)
            check_interrupts()
            if self.interrupt is not None:
                error, self.interrupt = self.interrupt, None
                raise error
            self.guard.yield_to_readers()

    # -------------------------------------------------------------------------- load

    cdef int load(self, X, const int64_t *rows, Py_ssize_t n) except -1:
        """Load the next samples."""
        self.list_rows(self.block, rows, n)
        return self.block.load(X)

    cdef void list_rows(self, SampleBlock block, const int64_t *rows, Py_ssize_t n) noexcept:
        """List the samples to visit, and those to load: samples in the support set need not be."""
        cdef Py_ssize_t r, n_loaded = 0
        cdef Visits *visits = &block.visits
        cdef Problem only = self.problems[0] if len(self.problems) == 1 else None
        cdef Samples given = self.given
        visits.n, block.n_new = n, given.n_new
        for r in range(n):
            visits.row[r] = rows[r]
            visits.row_id[r] = given.row_ids[rows[r]]
            visits.cost[r] = given.cost[rows[r]]
            visits.place[r] = -1
            if visits.cost[r] > 0.0 and not (
                    only is not None
                    and only.members.knows(visits.row_id[r], rows[r] < given.n_new)):
                block.rows[n_loaded] = rows[r]
                block.labels[n_loaded] = given.labels[rows[r]]
                visits.place[r] = <int32_t>n_loaded
                n_loaded += 1
        block.n = n_loaded

    cdef int call_helpers(self) except -1:
        """Let the threads of the team help with a block for which this is worthwhile."""
        cdef Problem problem
        cdef double n_visited = 0.0, n_computed = self.store.n_slots
        if self.team.size == 1:
            return 0
        for problem in self.problems:
            n_visited += problem.members.n
        if self.slots.copied:
            n_visited *= 2.0 / self.n_classes()     # a sample is in so many of the pairs
        if self.block.n * (VISIT_TIME * n_visited + self.store.cost * n_computed) > WORTH_CALLING:
            self.team.call_helpers()
        return 0

    # -------------------------------------------------------------------------- score

    cdef int score(self) except -1:
        """Compute the kernel values of the block, for all problems."""
        self.score_values()
        if self.block.n:
            self.block.score_themselves()
            self.n_evaluations += self.block.n * self.block.n
        return 0

    cdef int score_values(self) except -1:
        """Compute the kernel values against the store."""
        self.block.score_values(self.team)
        self.n_evaluations += self.block.n * self.store.n_slots
        return self.store.raise_errors()

    cdef object kernel_values(self, X, const int64_t[::1] rows, executor):
        """Return kernel values of samples of X against the store, (len(rows), n_slots)."""
        cdef float[:, ::1] values = np.empty((rows.shape[0], self.store.n_slots), dtype=np.float32)
        check_type(self.store, X)
        self.team.open(executor)
        try:
            self.fill_in_values(X, rows, values)
        finally:
            self.team.close()
        return np.asarray(values)

    cdef int fill_in_values(self, X, const int64_t[::1] rows, float[:, ::1] values) except -1:
        cdef Py_ssize_t at, r, size, n_slots = self.store.n_slots
        for at in range(0, rows.shape[0], SIMD_BLOCK):
            size = min(SIMD_BLOCK, rows.shape[0] - at)
            self.block.n = size
            for r in range(size):
                self.block.rows[r] = rows[at + r]
            self.block.load(X)
            self.call_helpers()
            self.score_values()
            for r in range(size if n_slots else 0):
                memcpy(&values[at + r, 0], self.block.scored.values + r * self.block.scored.ld,
                       n_slots * sizeof(float))
            check_interrupts()
        return 0

    # -------------------------------------------------------------------------- choose

    cdef bint choose(self, X, int64_t[::1] left, Py_ssize_t n_processed) except -1:
        """Select the next sample, as a block of its own, scored; return False to stop."""
        cdef Selection selection = self.selection
        cdef Py_ssize_t k, size = 0, first = 0
        cdef Py_ssize_t n = selection.draw(n_processed, left.shape[0])
        cdef int64_t rows[SIMD_BLOCK]
        cdef bint found = False
        selection.begin(len(self.problems), self.delta())
        while first < n and not found:
            size = selection.n_next(first, n)
            for k in range(size):
                rows[k] = left[selection.drawn[first + k]]
            self.list_rows(self.block, rows, size)
            self.block.load(X)
            self.score_values()
            found = self.show_candidates(first)
            first += size
        if selection.is_over(self.problems):
            return False
        k = selection.best - (first - size)
        if k < 0:
            # A candidate of an earlier block: load it again.
            rows[0] = left[selection.drawn[selection.best]]
            self.list_rows(self.block, rows, 1)
            self.block.load(X)
            self.score_values()
            k = 0
        self.block.keep_only(X, k)
        return True

    cdef int commit(self, int64_t *left) except -1:
        """Conclude the selection of the sample of the block, which has been processed."""
        cdef Samples given = self.given
        cdef int64_t row = self.block.visits.row[0]
        self.selection.commit(
            left, self.problems, given.row_ids[row],
            given.origin if given.origins is None else given.origins[row])
        return 0

    cdef double delta(self):
        """Return the largest violation of a problem after its last REPROCESS.

        It is infinite until a problem has seen two classes.
        """
        cdef Problem problem
        cdef double delta = -INFINITY
        for problem in self.problems:
            if problem.both_seen:
                delta = fmax(delta, problem.delta)
        return delta if delta > -INFINITY else INFINITY

    cdef bint show_candidates(self, Py_ssize_t first) except -1:
        """Pass the samples of the block, candidates from ``first`` on, to the selection.

        Returns whether the remaining candidates can be skipped.
        """
        cdef Py_ssize_t r, c, n_problems = len(self.problems), n = self.block.visits.n
        cdef Problem problem
        cdef const float *k
        cdef double[:, ::1] scores = np.full((n, n_problems), INFINITY)
        for c in range(n_problems):
            problem = self.problems[c]
            problem.begin_block(&self.block.scored, self.block.n)
            for r in range(n):
                # Members of the support set have no kernel values: their score remains infinite.
                if self.block.visits.place[r] >= 0:
                    k = problem.matrix.block_row(self.block.visits.place[r])
                    scores[r, c] = problem.b + dot(
                        problem.team, k, problem.members.alpha, problem.members.n)
        for r in range(n):
            if self.selection.look(first + r, &scores[r, 0],
                                   self.given.labels[self.block.visits.row[r]]):
                return True
        return False

    # -------------------------------------------------------------------------- visit

    cdef int begin_visits(self, executor) except -1:
        """Allocate memory for all that visits write."""
        self.slots.divide_memory()
        self.count_samples()
        for c in self.active:
            self.begin_block(self.problems[c], self.block.n)
        self.slots.make_room()
        if self.slots.counted:
            self.slots.reserve_work_spaces(executor)
        if self.block.n:
            self.store.make_room(self.block.block)
        return 0

    cdef int count_samples(self) except -1:
        """Count the samples of each class, and list the problems that have samples."""
        cdef Problem problem = self.problems[0]
        cdef Py_ssize_t c, r
        self.active = list(range(len(self.problems)))
        if not self.slots.copied:
            return 0
        self.counts = np.zeros(self.n_classes(), dtype=np.intp)
        for r in range(self.block.n):
            self.counts[self.block.labels[r]] += 1
        if problem.eviction is not None:        # a window slides in any case
            return 0
        self.active = []
        for c in range(len(self.problems)):
            problem = self.problems[c]
            if self.n_of_pair(problem):
                self.active.append(c)
        return 0

    cdef int begin_block(self, Problem problem, Py_ssize_t n) except -1:
        """Allocate memory for what a problem may do with the block of ``n`` samples."""
        if self.slots.copied:
            n = self.n_of_pair(problem)
        return problem.begin_block(&self.block.scored, n)

    cdef Py_ssize_t n_of_pair(self, Problem problem) noexcept:
        """Return the number of samples of the block that belong to a pair."""
        return self.counts[problem.codes.positive] + self.counts[problem.codes.negative]

    cdef Py_ssize_t visit_all(self, executor) except -1:
        """Process the samples of the block; return how many were processed."""
        cdef Py_ssize_t r = self.block.visits.n, n_active
        cdef Problem only = self.problems[0]
        cdef bint done = False
        # A kernel function in Python may fail at any time; a slow block may be interrupted.
        saved = None
        if self.is_slow or self.store.cost == INFINITY:
            saved = self.slots.saved()
        self.can_stop, self.is_slow, self.stopped = saved is not None, False, False
        self.error = self.interrupt = None
        n_active = len(self.active)
        try:
            if len(self.problems) == 1:
                with nogil:
                    r = self.visit_in_order(only, 0)
            elif executor is None:
                for c in self.active:
                    self.visit_one(c)
            else:
                self.order_by_cost()
                self.call_helpers()         # again: the block may have taken long to prepare
                with nogil:
                    self.team.run(visit_problem, <PyObject *>self, n_active, attend)
                if self.error is not None:
                    raise self.error
            self.store.raise_errors(r)
            if self.stopped:
                check_interrupts()
                error, self.interrupt = self.interrupt, None
                raise KeyboardInterrupt() if error is None else error
            done = True
        finally:
            self.halt.now, self.error = False, None
            if not done and saved is not None:
                self.slots.take_back(saved)
            self.slots.write(self.block)
        return r

    cdef int order_by_cost(self) except -1:
        """Move the problems that may take longest to the front."""
        cdef Problem problem
        cdef Py_ssize_t k
        cdef double[::1] cost = np.empty(len(self.active))
        for k in range(cost.shape[0]):
            problem = self.problems[self.active[k]]
            cost[k] = problem.members.n
            if self.slots.copied:
                cost[k] *= self.n_of_pair(problem)
        order = np.argsort(np.negative(cost), kind="stable")
        self.active = [self.active[k] for k in order]
        return 0

    cdef void visit_active(self, Py_ssize_t k) noexcept:
        """Process all samples in one of the active problems, and keep an exception."""
        try:
            self.visit_one(self.active[k])
        except BaseException as error:
            # An exception of a kernel function in one thread leaves others without values, which
            # they report as MemoryError: the cause is raised.
            if self.error is None or isinstance(self.error, MemoryError):
                self.error = error
            if not isinstance(error, Exception):
                self.halt.now = True

    cdef void attend_to_signals(self) noexcept:
        """Run signal handlers while other threads work, which an interrupt stops."""
        try:
            check_interrupts()
        except BaseException as interrupt:
            self.interrupt, self.halt.now = interrupt, True

    def visit_one(self, Py_ssize_t c):
        """Process all samples in one problem."""
        cdef Py_ssize_t r
        cdef Problem problem = self.problems[c]
        cdef WorkSpace space = self.slots.borrow()
        try:
            problem.matrix.use(space.computer)
            with nogil:
                r = self.visit_in_order(problem, c)
            problem.matrix.raise_errors(r)
        finally:
            problem.matrix.release_vectors()
            self.slots.give_back(space)

    cdef Py_ssize_t visit_in_order(self, Problem problem, Py_ssize_t c) except -2 nogil:
        """Process the visits of the block in one problem; return their number.

        -1 if out of memory. Fewer than all, if a sample has been evicted within the block, so that
        its kernel values are missing, or if a signal ends the block, which ``visit_all`` then
        takes back.
        """
        cdef const Visits *visits = &self.block.visits
        cdef Example row
        cdef Py_ssize_t r
        cdef int code
        for r in range(visits.n):
            if (visits.place[r] < 0 and visits.cost[r] > 0.0
                    and not problem.members.knows(
                        visits.row_id[r], visits.row[r] < self.given.n_new)):
                return r  # in the support set when the block began, evicted since: new block
            code = 0
            if self.given.belongs(visits.row[r], problem.codes):
                self.given.describe(&row, visits.row[r], c, problem.codes)
                row.place = visits.place[r]
                problem.reprocess_left = problem.max_reprocess
                code = problem.process_sample(&row)
            elif problem.eviction is None:
                continue
            while code > 0:
                code = problem.reprocess_as_needed()
                if code > 0 and self.stops():
                    return r
            if code == 0 and problem.eviction is not None:
                code = problem.evict_excess()
            if code < 0:
                return -1
        return visits.n

    cdef bint stops(self) noexcept nogil:
        """Check signals during a sample that takes long; return whether to end the block."""
        self.is_slow = True
        if not self.can_stop or self.stopped:
            return self.stopped
        with gil:
            try:
                check_interrupts()
            except BaseException as interrupt:
                self.interrupt = interrupt
            # Or the thread that attends to signals has found one.
            self.stopped = self.halt.now or self.interrupt is not None
        return self.stopped

    # -------------------------------------------------------------------------- warm start

    cdef int seed(self, X, const int64_t[::1] rows, Samples given, problems, members,
                  alpha) except -1:
        """Add some of the samples ``X[rows]`` to problems, see ``Engine.seed_members``."""
        cdef Py_ssize_t at, r, c, size, first = 0, last
        cdef Problem problem
        cdef Example row
        blocks = members // self.block.size
        order = np.argsort(blocks, kind="stable")       # by problem within a block
        cdef const int64_t[::1] problem_of = problems[order]
        cdef const int64_t[::1] member_of = members[order]
        cdef const double[::1] alpha_of = np.ascontiguousarray(alpha, dtype=np.float64)[order]
        ends = np.cumsum(np.bincount(blocks, minlength=1 + rows.shape[0] // self.block.size))
        for at in range(0, rows.shape[0], self.block.size):
            size = min(self.block.size, rows.shape[0] - at)
            self.block.n = self.block.visits.n = size
            self.block.n_new = given.n_new
            for r in range(size):
                self.block.rows[r] = self.block.visits.row[r] = rows[at + r]
                self.block.visits.place[r] = <int32_t>r
                self.block.labels[r] = given.labels[rows[at + r]]
            self.block.load(X)
            self.block.score_themselves()
            self.slots.make_room()
            self.store.make_room(self.block.block)
            self.count_samples()
            last = ends[at // self.block.size]
            for c in np.unique(problem_of[first:last]).tolist():
                self.begin_block(self.problems[c], size)
            if self.slots.counted:
                self.slots.reserve_work_spaces(None)
            for first in range(first, last):
                c, r = problem_of[first], member_of[first] - at
                problem = self.problems[c]
                given.describe(&row, rows[at + r], c, problem.codes)
                row.place, row.region = r, -1   # seen by no admission rule: not counted
                problem.seed(&row, alpha_of[first])
            first = last
            self.slots.write(self.block)
        return 0
