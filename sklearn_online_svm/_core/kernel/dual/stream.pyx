"""The stream of an engine: training on samples, block by block.

The next block is *loaded*. It is *scored*: its kernel values against the store and against itself
are computed at once (in threads, if there are several). Its samples are *visited*: each problem
processes them one by one, using these values (several problems in parallel threads; with a single
problem the other threads prefetch the next block). At the end of the block the samples added by
some problem are written into the store, all at once, and unreferenced vectors release their slots.
With a sample selection each block has one sample: candidates are loaded and scored, and the
selected one remains.

Signals are checked between blocks, where the engine is consistent. An exception of a kernel
function in Python, or an interrupt in a block that takes long, takes the problems back to the
beginning of the block.
"""
cimport cython
from libc.math cimport INFINITY, fmax
from libc.stdint cimport int8_t, int32_t, int64_t
from libc.string cimport memcpy

from ...guard cimport Guard, Halt, share
from ...interrupts cimport check_interrupts
from ...simd.primitives cimport SIMD_BLOCK, table
from ..vectors.block cimport PairBlock, SampleBlock, Samples, Visits, check_type
from ..vectors.prefetch cimport Prefetch
from .problem cimport Problem
from .selection cimport Selection
from .slots cimport Slots, WorkSpace
from ..vectors.support_set cimport Example

import numpy as np

# Time of a kernel value, in ns, from which on computing all of them in blocks takes less time than
# computing rows on demand: of one problem, and of several, which share rows. On sets of 300 to
# 4900 samples with 2 to 800 features.
cdef double COSTLY, COSTLY_SHARED
COSTLY, COSTLY_SHARED = 15.0, 4.0

# Number of groups of problems per thread, for problems that run in parallel.
cdef enum:
    SHARES = 4

# From this many remaining samples on, the first block can be taken back, too.
cdef enum:
    MANY = 1024


@cython.final
cdef class Stream:
    def __init__(self, Slots slots, Guard guard, Halt halt):
        self.slots, self.store, self.problems = slots, slots.store, slots.problems
        self.guard, self.halt = guard, halt
        self.block = SampleBlock(self.store)
        self.prefetch = Prefetch(self.store)

    cdef int learn(self, X, const int64_t[::1] order, Samples given, executor, Py_ssize_t begin,
                   progress) except -1:
        """Process the samples ``X[order]``; the parameters are those of ``Engine.learn``."""
        cdef Py_ssize_t n_visited, at = begin, n = order.shape[0], end = n
        cdef bint chooses = self.selection is not None
        cdef int64_t[::1] left = order.base if chooses else None      # error if it is read-only
        check_type(self.store, X)
        self.given = given
        self.n_processed = at
        self.prefetch.begin = -1
        self.is_slow = self.is_slow or n - at >= MANY
        if chooses:
            n = min(n, self.selection.most)
        while True:
            if self.follower is not None:
                X, end = self.follower.follow(self.problems, at)
                n = end
            if at >= n:
                return 0
            try:
                if chooses:
                    if not self.choose(X, left[at:end], at, executor):
                        return 0
                elif not self.take_prefetched(at):
                    self.load(X, &order[at], min(SIMD_BLOCK, n - at))
                    self.score(executor)
                if self.prefetches(executor):
                    self.load_next(X, order, at + self.block.visits.n)
                self.begin_visits(executor)
                # For a single sample, threads for the problems do not pay.
                n_visited = self.visit_all(None if chooses else executor)
                if chooses:
                    self.selection.commit(&left[at])
                at += n_visited
            finally:
                self.prefetch.stop(False)
            # Count before signals are checked: an interrupt must not lose processed samples.
            self.n_processed = at
            if progress is not None:
                progress(at)
            check_interrupts()
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
        visits.n = n
        for r in range(n):
            visits.row[r] = rows[r]
            visits.row_id[r] = given.row_ids[rows[r]]
            visits.cost[r] = given.cost[rows[r]]
            visits.place[r] = -1
            if visits.cost[r] > 0.0 and not (
                    only is not None and only.members.knows(visits.row_id[r])):
                block.rows[n_loaded] = rows[r]
                block.labels[n_loaded] = given.labels[rows[r]]
                visits.place[r] = <int32_t>n_loaded
                n_loaded += 1
        block.n = n_loaded

    # -------------------------------------------------------------------------- score

    cdef int score(self, executor) except -1:
        """Compute the kernel values of the block, for all problems.

        Problems with copies of their vectors compute those against the vectors themselves.
        """
        if not self.slots.copied:
            self.score_values(executor)
        if self.block.n:
            self.block.score_themselves()
            self.n_evaluations += self.block.n * self.block.n
        return 0

    cdef int score_values(self, executor) except -1:
        """Compute the kernel values against the store."""
        self.block.score_values(executor, self.halt)
        self.n_evaluations += self.block.n * self.store.n_slots
        return self.store.raise_errors()

    cdef object kernel_values(self, X, const int64_t[::1] rows, executor):
        """Return kernel values of samples of X against the store, (len(rows), n_slots)."""
        cdef Py_ssize_t at, r, size, n_slots = self.store.n_slots
        cdef float[:, ::1] values = np.empty((rows.shape[0], n_slots), dtype=np.float32)
        check_type(self.store, X)
        for at in range(0, rows.shape[0], SIMD_BLOCK):
            size = min(SIMD_BLOCK, rows.shape[0] - at)
            self.block.n = size
            for r in range(size):
                self.block.rows[r] = rows[at + r]
            self.block.load(X)
            self.score_values(executor)
            for r in range(size if n_slots else 0):
                memcpy(&values[at + r, 0], self.block.scored.values + r * self.block.scored.ld,
                       n_slots * sizeof(float))
            check_interrupts()
        return np.asarray(values)

    # -------------------------------------------------------------------------- choose

    cdef bint choose(self, X, int64_t[::1] left, Py_ssize_t n_processed, executor) except -1:
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
            self.score_values(executor)
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
            self.score_values(executor)
            k = 0
        self.block.keep_only(X, k)
        return True

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
                    scores[r, c] = problem.b + table().dot(
                        k, problem.members.alpha, problem.members.n)
        for r in range(n):
            if self.selection.look(first + r, &scores[r, 0],
                                   self.given.labels[self.block.visits.row[r]]):
                return True
        return False

    # -------------------------------------------------------------------------- prefetch

    cdef bint prefetches(self, executor):
        """Return whether to prefetch the next block.

        Several problems keep all threads busy, and a Python kernel needs the GIL.
        """
        return (executor is not None and len(self.problems) == 1 and self.selection is None
                and self.store.cost < INFINITY)

    cdef int load_next(self, X, const int64_t[::1] order, Py_ssize_t begin) except -1:
        """Load the samples after those of this block."""
        cdef Py_ssize_t n = min(SIMD_BLOCK, order.shape[0] - begin)
        if n <= 0:
            return 0
        self.list_rows(self.prefetch.fresh, &order[begin], n)
        try:
            self.prefetch.fresh.load(X)
        except (ValueError, MemoryError):
            return 0            # raised when the block is processed
        self.prefetch.begin = begin
        return 0

    cdef bint take_prefetched(self, Py_ssize_t at) except -1:
        """Use the prefetched block, if it is the one at position ``at``; return whether it is."""
        cdef Prefetch prefetch = self.prefetch
        if prefetch.begin < 0 or prefetch.begin != at:
            return False
        prefetch.begin = -1
        prefetch.fill_in(self.slots.written, self.slots.n_written)
        self.block, prefetch.fresh = prefetch.fresh, self.block
        self.n_evaluations += self.block.n * (self.store.n_slots + self.block.n)
        return True

    # -------------------------------------------------------------------------- visit

    cdef int begin_visits(self, executor) except -1:
        """Allocate memory for all that visits write, and start prefetching."""
        self.slots.divide_memory()
        self.active = self.with_samples()
        for c in self.active:
            (<Problem>self.problems[c]).begin_block(&self.block.scored, self.block.n)
        self.slots.make_room()
        if self.slots.counted:
            self.slots.reserve_work_spaces(self.block, executor)
        if self.block.n:
            self.store.make_room(self.block.block)
        if self.prefetch.begin >= 0:
            self.prefetch.start(executor)
        return 0

    cdef list with_samples(self):
        """Return the numbers of the problems that have samples in the block."""
        cdef Problem problem = self.problems[0]
        cdef Py_ssize_t c, r
        cdef list active = []
        if not self.slots.copied or problem.window is not None:     # a window slides in any case
            return list(range(len(self.problems)))
        problem = self.problems[len(self.problems) - 1]             # of the last pair
        cdef int8_t[::1] present = np.zeros(problem.codes.negative + 1, dtype=np.int8)
        for r in range(self.block.n):
            present[self.block.labels[r]] = 1
        for c in range(len(self.problems)):
            problem = self.problems[c]
            if present[problem.codes.positive] or present[problem.codes.negative]:
                active.append(c)
        return active

    cdef Py_ssize_t visit_all(self, executor) except -1:
        """Process the samples of the block; return how many were processed."""
        cdef Py_ssize_t r = self.block.visits.n
        cdef Problem only = self.problems[0]
        cdef bint done = False
        # A kernel function in Python may fail at any time; a slow block may be interrupted.
        saved = None
        if self.is_slow or self.store.cost == INFINITY:
            saved = self.slots.saved()
        self.can_stop, self.is_slow, self.stopped = saved is not None, False, False
        try:
            if len(self.problems) == 1:
                with nogil:
                    r = self.visit_in_order(only, 0, self.block.visits.place)
            elif executor is None:
                self.visit_every(0, 1)
            else:
                # More groups than threads, as problems take different times.
                n_shares = min(len(self.active), SHARES * executor._max_workers)
                share([(self.visit_every, c, n_shares) for c in range(n_shares)],
                      executor, self.halt)
            self.store.raise_errors(r)
            if self.stopped:
                check_interrupts()
                error, self.interrupt = self.interrupt, None
                raise KeyboardInterrupt() if error is None else error
            done = True
        finally:
            if not done and saved is not None:
                self.slots.take_back(saved)
            # Prefetching threads read the store: wait for them before it changes.
            self.prefetch.stop(done)
            self.slots.write(self.block)
        return r

    def visit_every(self, Py_ssize_t first, Py_ssize_t step):
        """Process all samples in the active problems ``first``, ``first + step``, ..."""
        cdef Py_ssize_t r = 0, c, k
        cdef Problem problem
        cdef const int32_t *place = self.block.visits.place
        cdef WorkSpace space = self.slots.borrow()
        cdef PairBlock part = space.part
        try:
            for k in range(first, len(self.active), step):
                c = self.active[k]
                problem = self.problems[c]
                problem.matrix.use(space.computer)
                if part is not None:
                    with nogil:
                        r = part.select(self.block, self.given, problem.codes)
                        if part.n:
                            part.score(self.block, problem.matrix.store)
                    self.store.raise_errors(r)
                    if not part.n and problem.window is None:
                        continue
                    problem.matrix.block, place = part.scored, part.place
                    problem.matrix.n_evaluations += part.n * problem.matrix.store.n_slots
                with nogil:
                    r = self.visit_in_order(problem, c, place)
                self.store.raise_errors(r)
                if part is not None:
                    problem.matrix.copy_added(part)
        finally:
            self.slots.work_spaces.append(space)

    cdef Py_ssize_t visit_in_order(self, Problem problem, Py_ssize_t c,
                                   const int32_t *place) except -2 nogil:
        """Process the samples of the block in one problem; return how many, -1 if out of memory.

        ``place`` is the number of each in the block of the problem.

        Fewer than all, if a sample has been evicted within the block, so that its kernel values
        are missing, or if a signal ends the block, which ``visit_all`` then takes back.
        """
        cdef const Visits *visits = &self.block.visits
        cdef Example row
        cdef Py_ssize_t r
        cdef int code
        for r in range(visits.n):
            if (visits.place[r] < 0 and visits.cost[r] > 0.0
                    and not problem.members.knows(visits.row_id[r])):
                return r  # in the support set when the block began, evicted since: new block
            code = 0
            if self.given.belongs(visits.row[r], problem.codes):
                self.given.describe(&row, visits.row[r], c, problem.codes)
                row.place = place[r]
                problem.reprocess_left = problem.max_reprocess
                code = problem.process_sample(&row)
            elif problem.window is None:
                continue
            while code > 0:
                code = problem.reprocess_as_needed()
                if code > 0 and self.stops():
                    return r
            if code == 0 and problem.window is not None:
                code = problem.slide_window()
            if code == 0 or code == 1:
                code = problem.enforce_budget()
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
            # The handler of ``share`` has recorded an interrupt if it has set ``halt``.
            self.stopped = self.halt.now or self.interrupt is not None
        return self.stopped

    # -------------------------------------------------------------------------- warm start

    cdef int seed(self, X, const int64_t[::1] rows, Samples given, const double[:, ::1] alpha,
                  const int[:, ::1] enters, bint scores, executor) except -1:
        """Add the samples ``X[rows]`` with their alpha to the problems that they enter.

        ``scores`` as in ``Engine.seed``.
        """
        cdef Py_ssize_t at, r, c, slot, size
        cdef Problem problem = self.problems[0]
        cdef double costly = COSTLY if problem.matrix.identity else COSTLY_SHARED
        cdef PairBlock part = None
        cdef const int32_t *place
        cdef bint scored
        cdef Example row
        if self.slots.copied:
            part = (<WorkSpace>self.slots.work_spaces[0]).part
        for at in range(0, rows.shape[0], SIMD_BLOCK):
            size = min(SIMD_BLOCK, rows.shape[0] - at)
            self.block.n = size
            for r in range(size):
                self.block.rows[r] = rows[at + r]
                self.block.labels[r] = given.labels[rows[at + r]]
            self.block.load(X)
            scored = scores and self.store.cost >= costly   # known after the first block
            if scored:
                self.score(executor)
                check_interrupts()
                self.slots.cache_all_rows()
            else:
                self.block.score_themselves()
            self.slots.make_room()
            self.store.make_room(self.block.block)
            active = np.flatnonzero(np.any(enters[:, at:at + size], axis=1)).tolist()
            for c in active:
                (<Problem>self.problems[c]).begin_block(&self.block.scored, size)
            if part is not None:
                self.slots.reserve_work_spaces(self.block, None)
            self.block.visits.n = size
            for c in active:
                problem = self.problems[c]
                for r in range(size):
                    self.block.visits.row[r] = rows[at + r]
                    self.block.visits.place[r] = <int32_t>r if enters[c, at + r] else -1
                place = self.block.visits.place
                if part is not None:
                    self.store.raise_errors(part.select(self.block, given, problem.codes))
                    if scored and part.n:
                        part.score(self.block, problem.matrix.store)
                        problem.matrix.n_evaluations += part.n * problem.matrix.store.n_slots
                    else:
                        part.copy_gram(self.block)
                    problem.matrix.block, place = part.scored, part.place
                for r in range(size):
                    if place[r] < 0:
                        continue
                    given.describe(&row, rows[at + r], c, problem.codes)
                    row.place = place[r]
                    row.region = -1         # seen by no admission rule: not counted
                    if scored and problem.matrix.identity:
                        problem.both_seen = True
                        slot = problem.add(&row, problem.matrix.block_row(place[r]), 0.0)
                    else:
                        slot = problem.seed(&row, alpha[c, at + r])
                    self.store.raise_errors(slot)
                if part is not None:
                    problem.matrix.copy_added(part)
            self.slots.write(self.block)
        return 0
