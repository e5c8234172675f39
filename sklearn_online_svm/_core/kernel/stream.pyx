"""A stream of rows through the problems of one model.

A row's way has three stretches. The next block of rows is *loaded*; it is *scored*, which is to
compute its kernel values against the store and against itself at once (in threads, where there are
several); its rows are *visited*: each problem learns them one by one from those values (the
problems side by side in threads; those that a single problem leaves idle score the next block). At
the end of the block the rows that some problem kept are written into the store, all at once, and
vectors that none refers to any more give up their slot. A selection makes blocks of one row: it
has candidates loaded and scored, and the one it chooses stays.
Between blocks, and inside ``finish`` every few milliseconds, signals are looked at: the model is
consistent then, and a KeyboardInterrupt leaves it so.
"""
cimport cython
from libc.math cimport INFINITY, fmax
from libc.stdint cimport int32_t, int64_t
from libc.string cimport memcpy

from ..guard cimport share
from ..simd.leaves cimport LEAVES_BLOCK, table
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


# Into how many times the number of threads the problems are divided that learn a block.
cdef enum:
    SHARES = 4


@cython.final
cdef class DualLoop(Finishing):
    """The whole engine: it learns from streams."""
    # Which row is next, or None: as they come, a block at a time.
    cdef public Selection selection
    # Told of each row that has been chosen and learnt; it may add others to those that are left,
    # which it returns, with their number. None: nobody.
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
        """Online iterations over ``X[order]``.

        ``n_learnt`` counts them, block by block, whatever ends the call.

        Parameters
        ----------
        X : ndarray or csr_matrix
            As the store takes it.
        order : ndarray of int64
            Rows in the order of visiting. A ``selection`` makes that order: the rows learnt come
            to stand in front, others may be left.
        given : Rows
        executor : Executor, optional
            Threads to share the work.
        begin : int, default=0
            How many rows of ``order`` have been learnt before.
        progress : callable, optional
            Called with ``n_learnt`` after each block, for those who look meanwhile.
        """
        cdef Py_ssize_t n_visited, at = begin, n = order.shape[0], end = n
        cdef bint chosen, chooses = self.selection is not None
        cdef int64_t[::1] left = order.base if chooses else None      # refused if it is read-only
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
                    self.load(X, &order[at], 1 if chooses else min(LEAVES_BLOCK, n - at))
                    self.score(executor)
                if self.looks_ahead(executor):
                    self.load_ahead(X, order, at + self.fresh.visits.n)
                chosen = chooses and self.midst is None
                self.begin_visits(executor)
                # Problems side by side are not worth a thread for one row.
                n_visited = self.visit_rows(None if chooses else executor)
                if chosen:
                    self.selection.commit(&left[at])
                at += n_visited
            finally:
                self.ahead.stop(False)
                self.busy = False
            # First the count, then the signals: an interrupt must not lose rows just learnt.
            self.n_learnt = at
            if progress is not None:
                progress(at)
            self.raise_interrupts()
            self.guard.give_way()

    def check(self, X):
        """Refuse rows that ``learn`` would refuse, before it has learnt from those above."""
        self.fresh.check(X)

    # -------------------------------------------------------------------------- load

    cdef int load(self, X, const int64_t *rows, Py_ssize_t n) except -1:
        """Take the next rows, or those of the block in the midst of which an interrupt came."""
        cdef const int32_t[::1] places = None
        if self.given.vectors is not None and not self.shares:
            raise ValueError("the engine has not been told that rows share vectors")
        if self.midst is not None:
            places = places_of(self.midst, self.shares)
            self.midst.require(places.shape[0] <= n, "block", f"must be of {n} rows at most")
            n = places.shape[0]
        self.list_rows(self.fresh, rows, n, places)
        return self.fresh.load(X)

    cdef int list_rows(self, FreshRows fresh, const int64_t *rows, Py_ssize_t n,
                       const int32_t[::1] places) except -1:
        """Note which rows are to be visited, and which of them need kernel values: a member does
        not. A block gone on with has its rows in the ``places`` where they were."""
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
        """Compute kernel values, for all problems."""
        self.score_values(executor)
        if self.fresh.n:
            self.fresh.score_themselves()
            self.n_evaluations += self.fresh.n * self.fresh.n
        return self.raise_interrupts()

    cdef int score_values(self, executor) except -1:
        """Those against the store."""
        self.fresh.score_values(executor, self.halt)
        self.n_evaluations += self.fresh.n * self.store.n_slots
        # Ctrl-C within a Python kernel: nothing of the block has been learnt yet.
        return self.raise_interrupts()

    def kernel_values(self, X, const int64_t[::1] rows, executor=None):
        """(len(rows), n_slots) kernel values of rows of X with the vectors of the store, in single
        precision."""
        cdef Py_ssize_t at, r, size, n_slots = self.store.n_slots
        cdef float[:, ::1] values = np.empty((rows.shape[0], n_slots), dtype=np.float32)
        check_type(self.store, X)
        self.begin_call()
        for at in range(0, rows.shape[0], LEAVES_BLOCK):
            size = min(LEAVES_BLOCK, rows.shape[0] - at)
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
        """Count kernel values that another engine has computed for this one."""
        self.n_evaluations += n_evaluations

    # -------------------------------------------------------------------------- choose

    cdef bint choose(self, X, int64_t[::1] left, executor) except -1:
        """Make the row that is learnt next a block of its own, scored; False: stop."""
        cdef Selection selection = self.selection
        cdef Py_ssize_t k, size = 0, first = 0, n = selection.draw(left.shape[0])
        cdef int64_t rows[LEAVES_BLOCK]
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
            # Of a block before the last.
            rows[0] = left[selection.drawn[selection.best]]
            self.list_rows(self.fresh, rows, 1, None)
            self.fresh.load(X)
            self.score_values(executor)
            k = 0
        self.fresh.keep_only(X, k)
        return True

    cdef double delta(self):
        """Largest violation that REPROCESS has left in a problem; infinite while none has seen two
        classes."""
        cdef Problem problem
        cdef double delta = -INFINITY
        for problem in self.problems:
            if problem.both_seen:
                delta = fmax(delta, problem.delta)
        return delta if delta > -INFINITY else INFINITY

    cdef bint look_at_candidates(self, Py_ssize_t first) except -1:
        """Show the rows of the block, candidates ``first`` and so on, to the selection; whether it
        has seen enough."""
        cdef Py_ssize_t r, c, n_problems = len(self.problems), n = self.fresh.visits.n
        cdef Problem problem
        cdef const float *k
        cdef double[:, ::1] scores = np.full((n, n_problems), INFINITY)
        for c in range(n_problems):
            problem = self.problems[c]
            problem.begin_block(&self.fresh.scored, self.fresh.n)
            for r in range(n):
                # Members have no values: they come last.
                if self.fresh.visits.place[r] >= 0:
                    k = problem.block_row(self.fresh.visits.place[r])
                    scores[r, c] = problem.b + table().dot(
                        k, problem.members.alpha, problem.members.n)
        for r in range(n):
            if self.selection.look(first + r, &scores[r, 0],
                                   self.given.labels[self.fresh.visits.row[r]]):
                return True
        return False

    # -------------------------------------------------------------------------- look ahead

    cdef bint looks_ahead(self, executor):
        """Whether a thread has time for the next block. Several problems keep all of them busy,
        and one with a Python kernel would wait for the GIL."""
        return (executor is not None and len(self.problems) == 1 and self.selection is None
                and self.store.cost < INFINITY)

    cdef int load_ahead(self, X, const int64_t[::1] order, Py_ssize_t begin) except -1:
        """Take the rows behind those of this block."""
        cdef Py_ssize_t n = min(LEAVES_BLOCK, order.shape[0] - begin)
        if n <= 0 or self.midst is not None:
            return 0
        self.list_rows(self.ahead.fresh, &order[begin], n, None)
        try:
            self.ahead.fresh.load(X)
        except (ValueError, MemoryError):
            return 0            # raised when it is their turn
        self.ahead.begin = begin
        return 0

    cdef bint take_ahead(self, Py_ssize_t at) except -1:
        """Go on with the rows that were loaded and scored ahead, if they are those at ``at``."""
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
        """Make ready what visits will write, and let the threads look ahead."""
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
        """Learn from the rows, from the first on; returns from how many."""
        cdef Py_ssize_t r = self.fresh.visits.n
        cdef Problem only = self.problems[0]
        cdef bint failed = True
        # What Python code makes of the kernel may fail at any time.
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
                # Some more than there are threads: they are not equally long.
                n_shares = min(len(self.problems), SHARES * executor._max_workers)
                share([(self.visit_all, c, n_shares) for c in range(n_shares)],
                      executor, self.halt)
            self.raise_errors(r)
            failed = False
        except KeyboardInterrupt as interrupt:
            if self.store.cut:
                raise
            # Of ``share``: the threads have come to their end.
            self.interrupt, failed = interrupt, False
        finally:
            if failed and saved is not None:
                self.take_back(saved)
            if self.interrupt is not None and not failed and not self.store.cut:
                self.suspend(np.array(
                    [self.fresh.visits.place[q] for q in range(self.fresh.visits.n)],
                    dtype=np.int32))
            # The store stays as it is until it has been read.
            self.ahead.stop(not failed)
            # Also after an interrupt: rows kept refer to the block until they are stored.
            self.write_store()
        if before is not None:
            after = [census(problem) for problem in self.problems]
            self.listener([events_between(old, new) for old, new in zip(before, after)])
        return r

    def visit_all(self, Py_ssize_t first, Py_ssize_t step):
        """All rows, in the problems ``first``, ``first + step`` and so on."""
        cdef Py_ssize_t r, c
        cdef Problem problem
        for c in range(first, len(self.problems), step):
            problem = self.problems[c]
            with nogil:
                r = self.visit_in_order(problem, c)
            self.raise_errors(r)

    cdef Py_ssize_t visit_in_order(self, Problem problem, Py_ssize_t c) except -2 nogil:
        """Returns the rows learnt, or -1 when memory is short."""
        cdef Py_ssize_t r
        for r in range(problem.at, self.fresh.visits.n):
            problem.at = r          # for those who go on after an interrupt
            if not problem.improving and self.needs_values(problem, r):
                return r            # was a member when the block began, is none now: a new block
            if self.visit(problem, c, r) < 0:
                return -1
        problem.at = self.fresh.visits.n
        return self.fresh.visits.n

    cdef bint needs_values(self, Problem problem, Py_ssize_t r) noexcept nogil:
        """Whether a row has none, since it was a member, and is none any more."""
        return (self.fresh.visits.place[r] < 0 and self.fresh.visits.cost[r] > 0.0
                and not problem.knows(self.fresh.visits.row_id[r]))

    cdef int visit(self, Problem problem, Py_ssize_t c, Py_ssize_t r) except -2 nogil:
        """One row, in one problem. -1 when memory is short."""
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
        if code == 0 and problem.budget is not None and problem.shed() < 0:
            return -1
        return code

    cdef void attend(self, Problem problem) noexcept nogil:
        """A row takes long: look at signals. The block is brought to its end in a hurry, so that
        what has been learnt is counted; then the loop raises."""
        with gil:
            try:
                self.raise_interrupts()
            except BaseException as interrupt:
                self.interrupt = interrupt
            if (self.halt.now or self.interrupt is not None) and not problem.hurry:
                problem.suspend()
                problem.hurry = True

    # -------------------------------------------------------------------------- warm start

    def seed(self, X, const int64_t[::1] rows, Rows given, const double[:, ::1] alpha, g=None):
        """Make ``X[rows]`` members with the given alpha (n_problems, len(rows)), those of each
        problem where it is not 0; alpha must lie in the boxes (``moved``), and g is computed.

        With ``g``, of the same shape, it is taken as it is, and members are those of which it is
        known: not nan."""
        cdef Py_ssize_t at, r, c, slot, size
        cdef Problem problem
        cdef Example row
        cdef bint[:, ::1] enters = np.ascontiguousarray(
            np.asarray(alpha) != 0.0 if g is None else ~np.isnan(g), dtype=np.intc)
        for at in range(0, rows.shape[0], LEAVES_BLOCK):
            size = min(LEAVES_BLOCK, rows.shape[0] - at)
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
                    row.region = -1         # not met by this engine: counted nowhere
                    slot = problem.seed(&row, alpha[c, at + r])
                    self.raise_errors(slot)
            self.write_store()
        if g is None:
            self.refresh()
            return
        for c in range(len(self.problems)):
            # Slots are given in this order.
            known = g[c][np.asarray(enters[c]) != 0]
            self.set_gradients(self.problems[c], self.problems[c].slots(), known)
