"""The main loop of the engine: training on a stream of samples.

Samples are processed in blocks, in three phases. The next block is *loaded*. It is *scored*: its
kernel values against the store and against itself are computed at once (in threads, if there are
several). Its samples are *visited*: each problem processes them one by one, using these values
(several problems in parallel threads; with a single problem the other threads prefetch the next
block). At the end of the block the samples added by some problem are written into the store, all
at once, and unreferenced vectors release their slots. With a sample selection each block has one
sample: candidates are loaded and scored, and the selected one remains.

Signals are checked between blocks, and inside ``finish`` every few milliseconds. The model is
consistent at these points, so a KeyboardInterrupt leaves a usable model.
"""
cimport cython
from libc.math cimport INFINITY, fmax
from libc.stdint cimport int32_t, int64_t
from libc.string cimport memcpy

from ..guard cimport share
from ..simd.primitives cimport SIMD_BLOCK, table
from .ahead cimport Ahead
from .engine cimport places_of
from .finishing cimport Finishing
from .fresh_rows cimport FreshRows, Visits, check_type
from .given_rows cimport Rows
from .members cimport Example
from .problem cimport Problem
from .selection cimport Selection
from .stores cimport Store

import numpy as np

from .events import census, events_between


# Number of groups of problems per thread, for problems that run in parallel.
cdef enum:
    SHARES = 4


@cython.final
cdef class DualLoop(Finishing):
    """The complete engine: training on streams of samples."""
    # Order of the samples, or None: the given order, in blocks.
    cdef public Selection selection
    # Called after each selected sample; it may add samples to the remaining ones, and returns them
    # with their number. Or None.
    cdef public object follower
    # Called with the Events of each problem after each block, or None.
    cdef public object listener
    cdef Ahead ahead
    cdef Rows given

    def __init__(self, Store store, list problems, Py_ssize_t row_bytes=0, *, bint shares=False):
        super().__init__(store, problems, row_bytes, shares=shares)
        self.ahead = Ahead(store)

    def learn(self, X, const int64_t[::1] order, Rows given, executor=None, Py_ssize_t begin=0,
              progress=None):
        """Run online iterations over the samples ``X[order]``.

        ``n_learnt`` is the number of samples processed, updated after each block.

        Parameters
        ----------
        X : ndarray or csr_matrix
            In the format of the store.
        order : ndarray of int64
            Samples in the order of visiting. A ``selection`` changes it: the samples processed
            are moved to the front, others may remain.
        given : Rows
        executor : Executor, optional
            Threads for parallel work.
        begin : int, default=0
            Number of samples of ``order`` processed before.
        progress : callable, optional
            Called with ``n_learnt`` after each block.
        """
        cdef Py_ssize_t n_visited, at = begin, n = order.shape[0], end = n
        cdef bint chosen, chooses = self.selection is not None
        cdef int64_t[::1] left = order.base if chooses else None      # error if it is read-only
        check_type(self.store, X)
        self.given = given
        self.n_learnt = at
        self.begin_call()
        self.ahead.begin = -1
        if chooses:
            n = min(n, self.selection.most)
        while True:
            if self.follower is not None:
                X, end = self.follower.follow(self.problems, at)
                n = end
            if at >= n:
                break
            self.busy = True
            try:
                if chooses and self.midst is None:
                    if not self.choose(X, left[at:end], executor):
                        break
                elif not self.take_ahead(at):
                    self.load(X, &order[at], 1 if chooses else min(SIMD_BLOCK, n - at))
                    self.score(executor)
                if self.looks_ahead(executor):
                    self.load_ahead(X, order, at + self.fresh.visits.n)
                chosen = chooses and self.midst is None
                self.begin_visits(executor)
                # For a single sample, threads for the problems do not pay.
                n_visited = self.visit_rows(None if chooses else executor)
                if chosen:
                    self.selection.commit(&left[at])
                at += n_visited
            finally:
                self.ahead.stop(False)
                self.busy = False
            # Count before signals are checked: an interrupt must not lose processed samples.
            self.n_learnt = at
            if progress is not None:
                progress(at)
            self.raise_interrupts()
            self.guard.give_way()

    def check(self, X):
        """Raise the errors that ``learn`` would raise for samples of X, before any is used."""
        self.fresh.check(X)

    # -------------------------------------------------------------------------- load

    cdef int load(self, X, const int64_t *rows, Py_ssize_t n) except -1:
        """Load the next samples, or those of the block in which an interrupt occurred."""
        cdef const int32_t[::1] places = None
        if self.given.vectors is not None and not self.shares:
            raise ValueError("the engine has not been told that rows share vectors")
        if self.midst is not None:
            places = places_of(self.midst, self.shares)
            self.midst.require(places.shape[0] <= n, "block", f"must hold at most {n} samples")
            n = places.shape[0]
        self.list_rows(self.fresh, rows, n, places)
        return self.fresh.load(X)

    cdef int list_rows(self, FreshRows fresh, const int64_t *rows, Py_ssize_t n,
                       const int32_t[::1] places) except -1:
        """List the samples to visit, and load only those that need kernel values.

        A sample that is in the support set needs none. In a resumed block the samples have their
        former ``places``.
        """
        cdef Py_ssize_t r, n_loaded = 0
        cdef Visits *visits = &fresh.visits
        cdef Problem only = self.problems[0] if len(self.problems) == 1 else None
        cdef Rows given = self.given
        cdef int64_t vector
        visits.n = n
        for r in range(n):
            visits.row[r] = rows[r]
            visits.row_id[r] = given.row_ids[rows[r]]
            visits.cost[r] = given.cost[rows[r]]
            visits.place[r] = -1
            if places[r] >= 0 if places is not None else visits.cost[r] > 0.0 and not (
                    only is not None and only.knows(visits.row_id[r])):
                vector = given.place(rows[r])
                if not (self.shares and n_loaded and fresh.rows[n_loaded - 1] == vector):
                    fresh.rows[n_loaded] = vector
                    fresh.labels[n_loaded] = given.labels[rows[r]]
                    n_loaded += 1
                visits.place[r] = <int32_t>n_loaded - 1
        fresh.n = n_loaded
        return 0

    # -------------------------------------------------------------------------- score

    cdef int score(self, executor) except -1:
        """Compute the kernel values of the block, for all problems."""
        self.score_values(executor)
        if self.fresh.n:
            self.fresh.score_themselves()
            self.n_evaluations += self.fresh.n * self.fresh.n
        return self.raise_interrupts()

    cdef int score_values(self, executor) except -1:
        """Compute the kernel values against the store."""
        self.fresh.score_values(executor, self.halt)
        self.n_evaluations += self.fresh.n * self.store.n_slots
        # After an interrupt in a Python kernel, no sample of the block has been processed yet.
        return self.raise_interrupts()

    def kernel_values(self, X, const int64_t[::1] rows, executor=None):
        """Return kernel values of samples of X against the store, in float32.

        The shape is (len(rows), n_slots).
        """
        cdef Py_ssize_t at, r, size, n_slots = self.store.n_slots
        cdef float[:, ::1] values = np.empty((rows.shape[0], n_slots), dtype=np.float32)
        check_type(self.store, X)
        self.begin_call()
        for at in range(0, rows.shape[0], SIMD_BLOCK):
            size = min(SIMD_BLOCK, rows.shape[0] - at)
            self.fresh.n = size
            for r in range(size):
                self.fresh.rows[r] = rows[at + r]
            self.fresh.load(X)
            self.score_values(executor)
            for r in range(size if n_slots else 0):
                memcpy(&values[at + r, 0], self.fresh.scored.values + r * self.fresh.scored.ld,
                       n_slots * sizeof(float))
        return np.asarray(values)

    def count(self, int64_t n_evaluations):
        """Count kernel values that another engine computed for this one."""
        self.n_evaluations += n_evaluations

    # -------------------------------------------------------------------------- choose

    cdef bint choose(self, X, int64_t[::1] left, executor) except -1:
        """Select the next sample, as a block of its own, scored; return False to stop."""
        cdef Selection selection = self.selection
        cdef Py_ssize_t k, size = 0, first = 0, n = selection.draw(left.shape[0])
        cdef int64_t rows[SIMD_BLOCK]
        cdef bint found = False
        selection.begin(len(self.problems), self.delta())
        while first < n and not found:
            size = selection.n_next(first, n)
            for k in range(size):
                rows[k] = left[selection.drawn[first + k]]
            self.list_rows(self.fresh, rows, size, None)
            self.fresh.load(X)
            self.score_values(executor)
            found = self.look_at_candidates(first)
            first += size
        if selection.is_over(self.problems):
            return False
        k = selection.best - (first - size)
        if k < 0:
            # A candidate of an earlier block: load it again.
            rows[0] = left[selection.drawn[selection.best]]
            self.list_rows(self.fresh, rows, 1, None)
            self.fresh.load(X)
            self.score_values(executor)
            k = 0
        self.fresh.keep_only(X, k)
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

    cdef bint look_at_candidates(self, Py_ssize_t first) except -1:
        """Pass the samples of the block, candidates from ``first`` on, to the selection.

        Returns whether the remaining candidates can be skipped.
        """
        cdef Py_ssize_t r, c, n_problems = len(self.problems), n = self.fresh.visits.n
        cdef Problem problem
        cdef const float *k
        cdef double[:, ::1] scores = np.full((n, n_problems), INFINITY)
        for c in range(n_problems):
            problem = self.problems[c]
            problem.begin_block(&self.fresh.scored, self.fresh.n)
            for r in range(n):
                # Members have no kernel values: they are considered last.
                if self.fresh.visits.place[r] >= 0:
                    k = problem.block_row(self.fresh.visits.place[r])
                    scores[r, c] = problem.b + table().dot(
                        k, problem.members.alpha, problem.members.n)
        for r in range(n):
            if self.selection.look(first + r, &scores[r, 0],
                                   self.given.labels[self.fresh.visits.row[r]]):
                return True
        return False

    # -------------------------------------------------------------------------- prefetch

    cdef bint looks_ahead(self, executor):
        """Return whether to prefetch the next block.

        Several problems keep all threads busy, and a Python kernel needs the GIL.
        """
        return (executor is not None and len(self.problems) == 1 and self.selection is None
                and self.store.cost < INFINITY)

    cdef int load_ahead(self, X, const int64_t[::1] order, Py_ssize_t begin) except -1:
        """Load the samples after those of this block."""
        cdef Py_ssize_t n = min(SIMD_BLOCK, order.shape[0] - begin)
        if n <= 0 or self.midst is not None:
            return 0
        self.list_rows(self.ahead.fresh, &order[begin], n, None)
        try:
            self.ahead.fresh.load(X)
        except (ValueError, MemoryError):
            return 0            # raised when the block is processed
        self.ahead.begin = begin
        return 0

    cdef bint take_ahead(self, Py_ssize_t at) except -1:
        """Use the prefetched block, if it is the one at position ``at``; return whether it is."""
        cdef Ahead ahead = self.ahead
        if ahead.begin < 0 or ahead.begin != at:
            return False
        ahead.begin = -1
        ahead.fill_in(self.slots.written, self.slots.n_written)
        self.fresh, ahead.fresh = ahead.fresh, self.fresh
        self.n_evaluations += self.fresh.n * (self.store.n_slots + self.fresh.n)
        return True

    # -------------------------------------------------------------------------- visit

    cdef int begin_visits(self, executor) except -1:
        """Allocate memory for all that visits write, and start prefetching."""
        self.slots.divide_memory()
        for problem in self.problems:
            (<Problem>problem).begin_block(&self.fresh.scored,
                                           self.fresh.visits.n if self.shares else self.fresh.n)
        self.resume_midst()
        self.slots.make_room()
        if self.fresh.n:
            self.store.make_room(self.fresh.block)
        if self.ahead.begin >= 0:
            self.ahead.start(executor)
        return 0

    cdef Py_ssize_t visit_rows(self, executor) except -1:
        """Process the samples of the block; return how many were processed."""
        cdef Py_ssize_t r = self.fresh.visits.n
        cdef Problem only = self.problems[0]
        cdef bint failed = True
        # A kernel function in Python may fail at any time.
        saved = self.saved() if self.guard.held and self.store.cost == INFINITY else None
        before = None if self.listener is None else [census(p) for p in self.problems]
        self.midst = None
        try:
            if len(self.problems) == 1:
                with nogil:
                    r = self.visit_in_order(only, 0)
            elif executor is None:
                self.visit_all(0, 1)
            else:
                # More groups than threads, as problems take different times.
                n_shares = min(len(self.problems), SHARES * executor._max_workers)
                share([(self.visit_all, c, n_shares) for c in range(n_shares)],
                      executor, self.halt)
            self.raise_errors(r)
            failed = False
        except KeyboardInterrupt as interrupt:
            if self.store.cut:
                raise
            # Raised by ``share``, after the threads have ended.
            self.interrupt, failed = interrupt, False
        finally:
            if failed and saved is not None:
                self.take_back(saved)
            if self.interrupt is not None and not failed and not self.store.cut:
                self.suspend(np.array(
                    [self.fresh.visits.place[q] for q in range(self.fresh.visits.n)],
                    dtype=np.int32))
            # Prefetching threads read the store: wait for them before it changes.
            self.ahead.stop(not failed)
            # Also after an interrupt: added samples refer to the block until they are stored.
            self.write_store()
        if before is not None:
            after = [census(problem) for problem in self.problems]
            self.listener([events_between(old, new) for old, new in zip(before, after)])
        return r

    def visit_all(self, Py_ssize_t first, Py_ssize_t step):
        """Process all samples in the problems ``first``, ``first + step``, ..."""
        cdef Py_ssize_t r, c
        cdef Problem problem
        for c in range(first, len(self.problems), step):
            problem = self.problems[c]
            with nogil:
                r = self.visit_in_order(problem, c)
            self.raise_errors(r)

    cdef Py_ssize_t visit_in_order(self, Problem problem, Py_ssize_t c) except -2 nogil:
        """Process the samples in one problem; return how many, or -1 if out of memory."""
        cdef Py_ssize_t r
        for r in range(problem.at, self.fresh.visits.n):
            problem.at = r          # for a checkpoint
            if not problem.improving and self.needs_values(problem, r):
                return r  # in the support set when the block began, evicted since: new block
            if self.visit(problem, c, r) < 0:
                return -1
        problem.at = self.fresh.visits.n
        return self.fresh.visits.n

    cdef bint needs_values(self, Problem problem, Py_ssize_t r) noexcept nogil:
        """Return whether a sample was not scored, as it was a member, and is no longer one."""
        return (self.fresh.visits.place[r] < 0 and self.fresh.visits.cost[r] > 0.0
                and not problem.knows(self.fresh.visits.row_id[r]))

    cdef int visit(self, Problem problem, Py_ssize_t c, Py_ssize_t r) except -2 nogil:
        """Process one sample in one problem; return -1 if out of memory."""
        cdef const Visits *visits = &self.fresh.visits
        cdef Example row
        cdef int code
        self.given.describe(&row, visits.row[r], c, self.class_of(c))
        row.place = visits.place[r]
        if not problem.improving:
            problem.row_steps = problem.row_limit
        code = 1 if problem.improving else problem.learn(&row)
        while code > 0:
            code = problem.improve()
            problem.improving = code > 0
            if code > 0:
                self.attend(problem)
        if code == 0 and problem.budget is not None and problem.enforce_budget() < 0:
            return -1
        return code

    cdef void attend(self, Problem problem) noexcept nogil:
        """Check signals during a sample that takes long.

        After an interrupt the block is ended early, so that processed samples are counted; then
        the loop raises.
        """
        with gil:
            try:
                self.raise_interrupts()
            except BaseException as interrupt:
                self.interrupt = interrupt
            if (self.halt.now or self.interrupt is not None) and not problem.stop_requested:
                problem.suspend()
                problem.stop_requested = True

    # -------------------------------------------------------------------------- warm start

    def seed(self, X, const int64_t[::1] rows, Rows given, const double[:, ::1] alpha, g=None):
        """Add the samples ``X[rows]`` with the given alpha (n_problems, len(rows)).

        For each problem those with alpha != 0 are added. alpha must lie in the boxes (see
        ``moved``), and g is computed. If ``g``, of the same shape, is given, it is used as it is,
        and samples with g not NaN are added.
        """
        cdef Py_ssize_t at, r, c, slot, size
        cdef Problem problem
        cdef Example row
        cdef bint[:, ::1] enters = np.ascontiguousarray(
            np.asarray(alpha) != 0.0 if g is None else ~np.isnan(g), dtype=np.intc)
        for at in range(0, rows.shape[0], SIMD_BLOCK):
            size = min(SIMD_BLOCK, rows.shape[0] - at)
            self.fresh.n = size
            for r in range(size):
                self.fresh.rows[r] = given.place(rows[at + r])
                self.fresh.labels[r] = given.labels[rows[at + r]]
            self.fresh.load(X)
            self.fresh.score_themselves()
            self.slots.make_room()
            self.store.make_room(self.fresh.block)
            for c in range(len(self.problems)):
                problem = self.problems[c]
                problem.begin_block(&self.fresh.scored, size)
                for r in range(size):
                    if not enters[c, at + r]:
                        continue
                    given.describe(&row, rows[at + r], c, self.class_of(c))
                    row.place = r
                    row.region = -1         # seen by no admission rule: not counted
                    slot = problem.seed(&row, alpha[c, at + r])
                    self.raise_errors(slot)
            self.write_store()
        if g is None:
            self.refresh()
            return
        for c in range(len(self.problems)):
            # Slots were assigned in this order.
            known = g[c][np.asarray(enters[c]) != 0]
            self.set_gradients(self.problems[c], self.problems[c].slots(), known)
