"""The dual loop: a stream of rows through the problems of one model.

A row travels like this. The next ``BLOCK`` rows are loaded and their kernel values against the
store computed at once (in threads, where there are several); each problem then learns the rows one
by one from those values (the problems side by side in threads); at the end of the block the rows
that some problem kept are written into the store, and vectors that none refers to any more give up
their slot. Between blocks, and inside ``finish`` every few milliseconds, signals are looked at:
the model is consistent then, and a KeyboardInterrupt leaves it so.

Predictions take a ``Solution``, and nobody writes to one that is in use: other threads may predict
while one learns. The store is written at the end of a block, all at once; it is copied before
where somebody still reads.
"""
cimport cython
from cpython.ref cimport PyObject
from libc.math cimport INFINITY, isfinite
from libc.stdint cimport int8_t, int32_t, int64_t

from ..memory cimport address, grown, round_up
from .stores cimport Block, Store, holds_values
from ..guard cimport Guard, Halt, share
from ..simd.leaves cimport LEAVES_BLOCK, LEAVES_TILE, table
from .problem cimport Fresh, Problem
from .members cimport OF_DATA, Example

import time

import numpy as np

from ..stored import Stored

# Of what ``state`` gives; another number for each change of its fields.
_FORMAT = 4


cdef extern from *:
    """
    static Py_ssize_t n_references(PyObject *object) { return Py_REFCNT(object); }
    """
    Py_ssize_t n_references(PyObject *)


# Slots whose kernel values are made and used at once when predicting: they stay in the cache.
cdef Py_ssize_t STRETCH = 2048
# Multiplications below which a block is not worth sharing between threads.
cdef double WORTH_SHARING = 2e7


# The rows of a block as the problems visit them.
cdef struct Visit:
    Py_ssize_t n
    Py_ssize_t row[LEAVES_BLOCK]    # place in X
    int32_t place[LEAVES_BLOCK]     # number among the rows loaded, -1: needs no kernel values
    int32_t label[LEAVES_BLOCK]
    double cost[LEAVES_BLOCK]
    int64_t row_id[LEAVES_BLOCK]


# The arrays that ``learn`` was given.
cdef struct Rows:
    const int32_t *labels
    const double *cost
    const int64_t *row_ids
    const int8_t *shifted           # (n_problems, n_rows) flags, or NULL
    Py_ssize_t n_rows


@cython.final
cdef class Solution:
    """A complete state of the problems, as predictions take it."""
    cdef Store store                # a view of the vectors
    cdef bint settling              # whether it was asked for an optimum
    cdef public object weights      # of a linear kernel, for the caller
    cdef object coef_array          # (n_problems, n_slots): alpha over the slots of the store
    cdef object b_array
    cdef double *coef
    cdef double *b
    cdef Py_ssize_t n_problems
    cdef Py_ssize_t n_slots         # in whole tiles


@cython.final
cdef class DualLoop:
    """Problems over one store.

    Parameters
    ----------
    store : Store
    problems : list of Problem
        One (binary), or one per class.
    """
    cdef readonly Store store
    cdef readonly list problems
    cdef readonly Guard guard       # to be held by those who change a loop that others may read
    # The state at the end of the last block, or None: to be made when it is wanted.
    cdef Solution solution
    cdef bint busy                  # in the midst of something, whoever holds the guard
    cdef readonly int64_t n_evaluations
    # Kept for the caller, who knows when they are out of date: weights of a linear kernel.
    cdef public object weights
    cdef Block fresh
    # Kernel values of the block against the store, and against itself.
    cdef float *values
    cdef object values_array
    cdef Py_ssize_t values_capacity
    cdef float gram[LEAVES_BLOCK * LEAVES_BLOCK]
    # Store slots: number of problems that refer to each, and those free (several problems only).
    cdef object references
    cdef object free_slots_array
    cdef Py_ssize_t n_free_slots
    # Class of the vector in each store slot, and of each row of the block.
    cdef object slot_labels_array
    cdef Py_ssize_t n_slots_known
    cdef int32_t *references_address
    cdef int32_t *free_slots_address
    cdef int32_t *slot_labels_address
    cdef int32_t[LEAVES_BLOCK] fresh_labels
    cdef Visit visit
    cdef const int8_t *shifted
    cdef Py_ssize_t shifted_stride
    cdef Halt halt
    cdef object interrupt           # what a signal raised in the midst of a block
    # Where it is, for a program that an interrupt may end at any time.
    cdef readonly Py_ssize_t n_learnt   # rows of the last call of ``learn``, in their order
    cdef readonly int64_t n_done        # calls of finish, refresh and rebox that came to their end
    cdef readonly dict suspended        # what ``suspend`` kept when the last call was interrupted
    cdef readonly object midst          # what ``resume`` was given, until it is gone on with
    cdef readonly bint cut              # the last call was ended where none can go on

    def __init__(self, Store store, list problems):
        self.store = store
        self.problems = problems
        self.guard = Guard()
        self.busy = False
        self.halt = Halt()
        self.fresh = store.new_block()
        self.references = np.zeros(0, dtype=np.int32)
        self.free_slots_array = np.zeros(0, dtype=np.int32)
        self.slot_labels_array = np.zeros(0, dtype=np.int32)

    @property
    def slot_labels(self):
        """Class code of the vector in each slot of the store."""
        return self.slot_labels_array[:self.store.n_slots]

    # -------------------------------------------------------------------------- state

    def state(self):
        """Arrays, copies all of them, from which ``restore`` rebuilds everything but the kernel
        rows."""
        return {
            "format": _FORMAT,
            "store": self.store.state(),
            "n_slots": self.store.n_slots,
            "problems": [problem.state() for problem in self.problems],
            "references": self.references[:self.store.n_slots].copy(),
            "slot_labels": self.slot_labels.copy(),
            "free_slots": self.free_slots_array[:self.n_free_slots].astype(np.int64),
            "n_evaluations": self.n_evaluations,
        }

    def restore(self, state, bint same_kernel=True, running=None):
        """Take what ``state()`` gave, or a :class:`Stored` of it. A loop whose state is refused
        is of no use; one with values of another kernel (``same_kernel=False``) wants to
        ``recompute``; one that was interrupted, which ``running`` tells of, to ``resume``."""
        cdef Problem problem
        cdef int32_t[::1] uses
        cdef Py_ssize_t n_loaded = 0
        state = Stored.of(state)
        if running is not None and running.has("block"):
            n_loaded = np.count_nonzero(self.places_of(running) >= 0)
        state.expect_format(_FORMAT)
        n_slots = state.integer("n_slots", 0, 2**31 - LEAVES_TILE)
        self.store.restore(state.part("store"), n_slots)
        labels = state.array("slot_labels", np.int32, (n_slots,), low=0,
                             high=max(1, len(self.problems) - 1))
        references = state.array("references", np.int32, (n_slots,))
        free_slots = state.array("free_slots", np.int64, (None,))
        self.n_evaluations = state.integer("n_evaluations")
        expected = np.zeros(n_slots, dtype=np.int32)
        uses = expected
        for c, part in enumerate(state.parts("problems", len(self.problems))):
            problem = self.problems[c]
            problem.restore(part, same_kernel, n_loaded)
            part.end()
            self.check_vectors(part, problem, 1 if problem.identity else c, labels, uses)
        state.end()
        if running is not None:
            # Let go in the running block: counted until it is over.
            for part in running.parts("problems", len(self.problems)):
                released = part.array("released", np.int32, (None,), low=0, high=n_slots - 1)
                np.add.at(expected, released, 1)
        unused = np.flatnonzero(expected == 0)
        if len(self.problems) == 1:
            expected, unused = np.zeros_like(references), []    # neither is kept for one problem
        state.require(np.array_equal(references, expected), "references",
                      "must count the problems that keep each vector")
        state.require(np.array_equal(np.sort(free_slots), unused), "free_slots",
                      "must be the slots that no problem refers to")
        self.references = np.array(references)
        self.slot_labels_array = np.array(labels)
        self.free_slots_array = free_slots.astype(np.int32)
        self.n_free_slots = len(free_slots)
        self.n_slots_known = 0
        self.solution = None

    cdef int check_vectors(self, state, Problem problem, int32_t positive,
                           const int32_t[::1] labels, int32_t[::1] uses) except -1:
        """Refuse a problem that keeps a vector twice, or for the wrong class; count in ``uses``
        those it keeps."""
        cdef Py_ssize_t s, slot
        cdef int8_t y
        seen = np.zeros(labels.shape[0], dtype=np.int8)
        cdef int8_t[::1] kept = seen
        for s in range(problem.members.n):
            slot = problem.members.index[s]
            if problem.members.row_id[s] < 0 or slot < 0:
                continue
            y = 1 if labels[slot] == positive else -1
            if problem.members.y[s] != y:
                state.refuse("y", f"must be 1 for the vectors of the class, else -1; slot {s} "
                                  "breaks that")
            if kept[slot]:
                state.refuse("index", f"must name no slot twice, and names {slot}")
            kept[slot] = 1
            uses[slot] += 1
        return 0

    # -------------------------------------------------------------------------- interrupts

    def running(self):
        """Numbers and arrays that ``state`` leaves out and ``resume`` takes."""
        return {
            "n_done": self.n_done,
            "n_learnt": self.n_learnt,
            "problems": [problem.running() for problem in self.problems],
        }

    cdef int suspend(self, block) except -1:
        """An interrupt has come, and the block or finishing is going to be ended so that the model
        can be used: keep what is, to go on from there. ``block``: places of its rows, or None."""
        cdef Problem problem
        for problem in self.problems:
            if problem.suspended is None:
                problem.suspend()
        self.suspended = {
            "state": {
                **self.state(),
                "store": {name: np.array(value) if isinstance(value, np.ndarray) else value
                          for name, value in self.store.state().items()},
                "references": self.references[:self.store.n_slots].copy(),
                "slot_labels": self.slot_labels.copy(),
                "problems": [(<Problem>p).suspended["state"] for p in self.problems],
            },
            "running": {
                "n_done": self.n_done,
                "n_learnt": self.n_learnt,
                "problems": [(<Problem>p).suspended["running"] for p in self.problems],
            },
        }
        if block is not None:
            self.suspended["running"]["block"] = block
        return 0

    def resume(self, running):
        """Go on, with the next call of ``learn`` or ``finish``, where ``running``, now a
        :class:`Stored`, was taken. ``restore`` comes first, then ``begin_pass``.

        While ``midst`` is not None, nothing else can be done."""
        self.n_done = running.integer("n_done")
        self.n_learnt = running.integer("n_learnt")
        finishing = [problem.resume(mine) for problem, mine in zip(
            self.problems, running.parts("problems", len(self.problems)))]
        if running.has("block") or any(finishing):
            self.midst = running

    cdef places_of(self, running):
        """The rows of the block that was interrupted: which of them had been loaded, as what."""
        places = running.array("block", np.int32, (None,), low=-1)
        loaded = places[places >= 0]
        running.require(len(places) <= LEAVES_BLOCK and (loaded == np.arange(len(loaded))).all(),
                        "block", f"must number up to {LEAVES_BLOCK} rows")
        return places

    cdef int resume_midst(self) except -1:
        """Bring the problems back to where they were; the block has been begun."""
        if self.midst is not None:
            for problem, mine in zip(self.problems,
                                     self.midst.parts("problems", len(self.problems))):
                (<Problem>problem).resume_midst(mine)
        return 0

    # -------------------------------------------------------------------------- learning

    def learn(self, X, const int64_t[::1] rows, const int32_t[::1] labels,
              const double[::1] cost, const int64_t[::1] row_ids, executor=None,
              const int8_t[:, ::1] shifted=None, Py_ssize_t begin=0, progress=None):
        """Online iterations over ``X[rows]``, in that order.

        ``n_learnt`` counts them, block by block, whatever ends the call.

        Parameters
        ----------
        X : ndarray or csr_matrix
            As the store takes it.
        rows : ndarray of int64
            Order of visiting.
        labels : ndarray of int32
            Class of each row of X; problem c takes class c for +1 (a single problem: class 1).
        cost : ndarray of float64
            Upper bound of each row's \\|alpha\\|; a row of cost 0 is skipped.
        row_ids : ndarray of int64
            Lasting number of each row of X.
        executor : Executor, optional
            Threads to share the work.
        shifted : ndarray of int8 of shape (n_problems, n_rows of X), optional
            Where it is not 0 the box lies on the other side of 0: that of a ramp loss beyond its
            ramp.
        begin : int, default=0
            How many of ``rows`` have been learnt before.
        progress : callable, optional
            Called with ``n_learnt`` after each block, for those who look meanwhile.
        """
        cdef Py_ssize_t at = begin, n = rows.shape[0], size
        cdef Rows given
        self.check_type(X)
        given.labels, given.cost, given.row_ids = &labels[0], &cost[0], &row_ids[0]
        given.shifted = NULL
        if shifted is not None:
            given.shifted = &shifted[0, 0]
        given.n_rows = labels.shape[0]
        self.n_learnt = at
        self.begin_call()
        while at < n:
            size = min(LEAVES_BLOCK, n - at)
            self.busy = True
            try:
                at += self.learn_block(X, &rows[at], size, &given, executor)
            finally:
                self.busy = False
            # First the count, then the signals: an interrupt must not lose rows just learnt.
            self.n_learnt = at
            if progress is not None:
                progress(at)
            self.raise_interrupts()
            self.guard.give_way()

    cdef Py_ssize_t learn_block(self, X, const int64_t *rows, Py_ssize_t n, const Rows *given,
                                executor) except -1:
        """Learn from the first of the ``n`` rows; returns how many."""
        cdef Py_ssize_t r, ld, capacity, n_loaded = 0
        cdef int64_t loaded[LEAVES_BLOCK]
        cdef Problem only = self.problems[0] if len(self.problems) == 1 else None
        cdef Fresh fresh
        cdef Visit visit
        cdef const int32_t[::1] places = None
        if self.midst is not None:
            places = self.places_of(self.midst)
            self.midst.require(places.shape[0] <= n, "block", f"must be of {n} rows at most")
            n = places.shape[0]
        visit.n = n
        # A row that is a member already needs no kernel values.
        for r in range(n):
            visit.row[r] = rows[r]
            visit.row_id[r] = given.row_ids[rows[r]]
            visit.label[r] = given.labels[rows[r]]
            visit.cost[r] = given.cost[rows[r]]
            visit.place[r] = -1
            # A block gone on with is loaded as it was when it began.
            if places[r] >= 0 if places is not None else visit.cost[r] > 0.0 and not (
                    only is not None and only.knows(visit.row_id[r])):
                visit.place[r] = <int32_t>n_loaded
                loaded[n_loaded] = rows[r]
                self.fresh_labels[n_loaded] = visit.label[r]
                n_loaded += 1
        self.store.reserve(self.store.n_slots + n_loaded)
        ld = round_up(self.store.n_slots + n_loaded, LEAVES_TILE) + LEAVES_TILE
        if self.values_capacity < LEAVES_BLOCK * ld:
            capacity = LEAVES_BLOCK * (ld + ld // 4)
            values = grown(np.zeros(0, np.float32), capacity)
            self.values = <float *>address(values)
            self.values_array, self.values_capacity = values, capacity
        fresh.values, fresh.ld = self.values, ld
        fresh.gram, fresh.gram_ld = self.gram, LEAVES_BLOCK
        if n_loaded:
            self.store.load(self.fresh, X, loaded, n_loaded)
            self.check_norms(self.fresh, loaded)
            self.compute(ld, executor)
            self.check_diagonal(loaded)
        # Ctrl-C within a Python kernel: nothing of the block has been learnt yet.
        self.raise_interrupts()
        for problem in self.problems:
            (<Problem>problem).begin_block(&fresh, n_loaded)
        self.resume_midst()
        self.make_room()
        if n_loaded:
            self.store.make_room(self.fresh)
        # What Python code makes of the kernel may fail at any time.
        saved = self.saved() if self.guard.held and self.store.cost == INFINITY else None
        self.midst = None
        self.visit = visit
        self.shifted, self.shifted_stride = given.shifted, given.n_rows
        r = n
        failed = True
        try:
            if only is not None:
                with nogil:
                    r = self.learn_rows(only, 1)
            elif executor is None:
                for c, problem in enumerate(self.problems):
                    self.learn_problem(problem, c)
            else:
                share([(self.learn_problem, problem, c)
                       for c, problem in enumerate(self.problems)], executor, self.halt)
            self.raise_errors(r)
            failed = False
        except KeyboardInterrupt as interrupt:
            if self.cut:
                raise
            # Of ``share``: the threads have come to their end.
            self.interrupt, failed = interrupt, False
        finally:
            if failed and saved is not None:
                self.take_back(saved)
            if self.interrupt is not None and not failed:
                self.suspend(np.array([visit.place[q] for q in range(n)], dtype=np.int32))
            # Also after an interrupt: rows kept refer to the block until they are stored.
            self.write_store()
        return r

    def learn_problem(self, Problem problem, int c):
        cdef Py_ssize_t r
        with nogil:
            r = self.learn_rows(problem, c)
        self.raise_errors(r)

    cdef Py_ssize_t learn_rows(self, Problem problem, int c) noexcept nogil:
        """Returns the rows learnt, or -1 when memory is short."""
        cdef const Visit *visit = &self.visit
        cdef const int8_t *shifted = NULL
        cdef Example row
        cdef Py_ssize_t r
        cdef int code
        cdef bint rises
        if self.shifted != NULL:
            shifted = self.shifted + (0 if problem.identity else c) * self.shifted_stride
        for r in range(problem.at, visit.n):
            problem.at = r          # for those who go on after an interrupt
            row.row_id, row.place = visit.row_id[r], visit.place[r]
            if (row.place < 0 and visit.cost[r] > 0.0 and not problem.knows(row.row_id)
                    and not problem.improving):
                return r            # was a member when the block began, is none now: a new block
            row.target = row.y = 1 if visit.label[r] == c else -1
            row.origin = OF_DATA
            rises = (row.y > 0) != (shifted != NULL and shifted[visit.row[r]] != 0)
            row.lower = 0.0 if rises else -visit.cost[r]
            row.upper = visit.cost[r] if rises else 0.0
            row.region = 0
            if not problem.improving:
                problem.row_steps = problem.row_limit
            code = 1 if problem.improving else problem.learn(&row)
            while code > 0:
                code = problem.improve()
                problem.improving = code > 0
                if code > 0:
                    self.attend(problem)
            if code < 0:
                return -1
        problem.at = visit.n
        return visit.n

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

    cdef int check_type(self, X) except -1:
        """The engine reads memory as it is: a wrong type must not get this far."""
        if X.dtype != self.store.dtype or X.shape[1] != self.store.n_features or (
                isinstance(X, np.ndarray) and not X.flags.c_contiguous):
            raise ValueError(
                f"the engine takes contiguous rows of {self.store.n_features} {self.store.dtype} "
                f"values, got shape {X.shape} of {X.dtype}")
        return 0

    cdef void begin_call(self):
        """Forget what has become of the last one."""
        self.interrupt = self.suspended = self.store.interrupt = None
        self.cut = False

    cdef int raise_interrupts(self) except -1:
        """Ctrl-C: seen earlier, in a Python kernel, or now. The engine is whole here."""
        if self.interrupt is not None:
            interrupt, self.interrupt, self.store.interrupt = self.interrupt, None, None
            raise interrupt
        self.store.raise_interrupt()
        return 0

    cdef int raise_errors(self, Py_ssize_t code) except -1:
        if self.store.failed:
            self.interrupt, self.cut = None, True
        self.store.raise_error()
        if code < 0:
            raise MemoryError("no memory left for kernel rows; a smaller cache_size may help")
        return 0

    cdef int compute(self, Py_ssize_t ld, executor) except -1:
        """Kernel values of the loaded rows against the store and against each other."""
        cdef Py_ssize_t last = round_up(self.store.n_slots, LEAVES_TILE)
        cdef Py_ssize_t n = self.fresh.n_rows, part
        cdef int code
        if executor is None or <double>n * last * self.store.n_features < WORTH_SHARING:
            with nogil:
                self.store.values(self.fresh, 0, last, self.values, ld)
        else:
            part = round_up(last // executor._max_workers + 1, LEAVES_TILE)
            share([(self.compute_part, first, min(first + part, last), ld)
                   for first in range(0, last, part)], executor, self.halt)
        with nogil:
            code = self.store.gram(self.fresh, self.gram, LEAVES_BLOCK)
        self.n_evaluations += n * (self.store.n_slots + n)
        self.raise_errors(code)
        return 0

    cdef int check_norms(self, Block block, const int64_t *rows) except -1:
        """Refuse rows so long that their products are no numbers."""
        cdef Py_ssize_t r
        for r in range(block.n_rows):
            if not self.store.holds_norm(self.store.norm_of(block, r)):
                raise ValueError(
                    f"Row {rows[r]} of X has a squared norm that is too large for "
                    f"{self.store.dtype}; scale the features.")
        return 0

    cdef int check_diagonal(self, const int64_t *rows) except -1:
        """Refuse rows whose kernel values, which are floats, may not be finite: those with
        themselves bound the others."""
        cdef Py_ssize_t r
        for r in range(self.fresh.n_rows):
            if not (isfinite(self.gram[r * LEAVES_BLOCK + r])
                    and holds_values(&self.store.map, self.store.norm_of(self.fresh, r))):
                raise ValueError(
                    f"Kernel values of row {rows[r]} of X are not finite in single precision; "
                    "scaling the features, or other kernel parameters, may help.")
        return 0

    def check(self, X):
        """Refuse rows that ``learn`` would refuse, before it has learnt from those above."""
        cdef Py_ssize_t at, r, n = X.shape[0], size
        cdef int64_t rows[LEAVES_BLOCK]
        cdef double largest, norm
        self.check_type(X)
        if self.store.cost == INFINITY:
            return                      # a Python function is not called twice
        values = X if isinstance(X, np.ndarray) else X.data
        largest = max(float(values.max(initial=0)), -float(values.min(initial=0)))
        norm = largest * largest * self.store.n_features
        if self.store.holds_norm(norm) and holds_values(&self.store.map, norm):
            return
        for at in range(0, n, LEAVES_BLOCK):
            size = min(LEAVES_BLOCK, n - at)
            for r in range(size):
                rows[r] = at + r
            self.store.load(self.fresh, X, rows, size)
            self.check_norms(self.fresh, rows)
            with nogil:
                r = self.store.gram(self.fresh, self.gram, LEAVES_BLOCK)
            self.raise_errors(r)
            self.check_diagonal(rows)

    def compute_part(self, Py_ssize_t first, Py_ssize_t last, Py_ssize_t ld):
        with nogil:
            self.store.values(self.fresh, first, last, self.values, ld)

    # -------------------------------------------------------------------------- what is seen

    def prepare(self, bint settling, int64_t steps, executor=None):
        """Make the solution that decisions come from, by whoever holds the guard.

        ``settling``: it is the optimum over the members, found in at most so many steps."""
        cdef Problem problem
        cdef list left = []
        if not settling:
            self.unsettle()
        elif not self.is_settled:
            # Someone who learns may only have given way.
            for problem in self.problems:
                left.append((problem.steps_left, problem.steps_kept, problem.cut_short))
            self.allow(steps)
            try:
                self.settle(executor)
            finally:
                for problem, limits in zip(self.problems, left):
                    problem.steps_left, problem.steps_kept, problem.cut_short = limits

    def shown(self, bint settling):
        """The solution that decisions come from, if there is one, or None."""
        cdef Solution solution = self.solution
        if self.busy and self.guard.is_mine():
            self.guard.refuse()
        return solution if solution is not None and solution.settling == settling else None

    def show(self, bint settling, int64_t steps, executor=None):
        """The same, made where there is none."""
        solution = self.shown(settling)
        if solution is not None:
            return solution
        if self.guard.is_mine():
            return self.renew(settling, steps, executor)
        with self.guard.reading():
            return self.renew(settling, steps, executor)

    cdef Solution renew(self, bint settling, int64_t steps, executor):
        """Write the solution down, if it still has to be done, by whoever holds the guard."""
        cdef Solution solution = self.solution
        if solution is None or solution.settling != settling:
            self.prepare(settling, steps, executor)
            solution = self.blank()
            solution.settling = settling
            self.write_down(solution)
            self.solution = solution
        return solution

    cdef Solution blank(self):
        """Room for a solution."""
        cdef Solution solution = Solution.__new__(Solution)
        solution.n_problems = len(self.problems)
        solution.n_slots = round_up(self.store.n_slots, LEAVES_TILE)
        solution.store = self.store.view()
        solution.coef_array = np.zeros((solution.n_problems, solution.n_slots))
        solution.b_array = np.zeros(solution.n_problems)
        solution.coef = <double *>address(solution.coef_array)
        solution.b = <double *>address(solution.b_array)
        return solution

    cdef void write_down(self, Solution solution):
        """Fill in the state as it is."""
        cdef Problem problem
        cdef const int32_t *index
        cdef const int64_t *row_id
        cdef const double *alpha
        cdef double *coef = solution.coef
        cdef Py_ssize_t c, s
        for c in range(solution.n_problems):
            problem = self.problems[c]
            index, row_id = problem.members.index, problem.members.row_id
            alpha, solution.b[c] = problem.members.alpha, problem.b
            if problem.shows_settled():
                alpha, solution.b[c] = problem.settled.alpha, problem.settled.numbers[0]
            for s in range(problem.members.n):
                if row_id[s] >= 0:
                    coef[index[s]] = alpha[s]
            coef += solution.n_slots

    def was_interrupted(self, error):
        """Whether learning was ended from outside, not by what it met itself."""
        return isinstance(error, KeyboardInterrupt) or (
            not isinstance(error, Exception) and error is not self.store.raised)

    cdef saved(self):
        """All that learning changes, to come back to with ``take_back``."""
        return [problem.state() for problem in self.problems]

    cdef int take_back(self, list saved) except -1:
        """Back to ``saved``; kernel rows are computed again."""
        cdef Problem problem
        for problem, state in zip(self.problems, saved):
            problem.take_back(state)
        return 0

    # -------------------------------------------------------------------------- the store

    cdef int make_room(self) except -1:
        """Make room for all that ``write_store`` may write: then it cannot fail."""
        cdef Py_ssize_t capacity = self.store.capacity
        cdef void *at_references
        cdef void *at_free
        if self.n_slots_known < capacity:
            references = grown(self.references, capacity)
            free_slots = grown(self.free_slots_array, capacity)
            slot_labels = grown(self.slot_labels_array, capacity)
            # All addresses before the first is taken: each may fail.
            at_references, at_free = address(references), address(free_slots)
            self.slot_labels_address = <int32_t *>address(slot_labels)
            self.references_address = <int32_t *>at_references
            self.free_slots_address = <int32_t *>at_free
            self.references, self.free_slots_array = references, free_slots
            self.slot_labels_array = slot_labels
            self.n_slots_known = capacity
        return 0

    cdef bint is_read(self):
        """Whether a prediction is at work on the vectors where they lie."""
        cdef Py_ssize_t n_known = 1          # that in the store
        if self.solution is not None and self.solution.store.lease is self.store.lease:
            if n_references(<PyObject *>self.solution) > 1:
                return True
            n_known = 2
        return n_references(<PyObject *>self.store.lease) > n_known

    cdef int write_store(self) except -1:
        """Write rows kept in this block into the store, and give up vectors nobody refers to: in
        one step, as other threads see it."""
        cdef Problem problem
        cdef Py_ssize_t p, slot, row
        cdef int32_t index
        cdef int32_t *references
        cdef int32_t *slot_labels
        cdef int32_t stored[LEAVES_BLOCK]
        while self.is_read():
            try:
                self.store.unshare()
            except MemoryError:
                time.sleep(0.001)       # no copy then: wait until they have read
        self.solution = None
        references, slot_labels = self.references_address, self.slot_labels_address
        if len(self.problems) == 1:
            problem = self.problems[0]
            for p in range(problem.n_pending):
                slot = problem.pending[p]
                index = problem.members.index[slot]
                if index < 0:
                    self.store.put(slot, self.fresh, -index - 1)
                    slot_labels[slot] = self.fresh_labels[-index - 1]
                    problem.members.index[slot] = <int32_t>slot
            problem.n_pending = 0
            self.store.n_slots = problem.members.n
            return 0
        for p in range(LEAVES_BLOCK):
            stored[p] = -1
        for problem in self.problems:
            for p in range(problem.n_released):
                index = problem.released[p]
                references[index] -= 1
                if references[index] == 0:
                    self.free_slots_address[self.n_free_slots] = index
                    self.n_free_slots += 1
            problem.n_released = 0
        for problem in self.problems:
            for p in range(problem.n_pending):
                slot = problem.pending[p]
                index = problem.members.index[slot]
                # A slot filled, freed and filled again in one block is listed twice.
                if index >= 0 or problem.members.row_id[slot] < 0:
                    continue
                row = -index - 1
                if stored[row] < 0:
                    stored[row] = self.stored_before(problem.members.row_id[slot])
                if stored[row] < 0:
                    stored[row] = self.take_slot()
                    self.store.put(stored[row], self.fresh, row)
                    slot_labels[stored[row]] = self.fresh_labels[row]
                references[stored[row]] += 1
                problem.members.index[slot] = stored[row]
            problem.n_pending = 0
        return 0

    cdef int32_t take_slot(self):
        """A slot of the store that is free."""
        if self.n_free_slots == 0:
            return <int32_t>self.store.n_slots
        self.n_free_slots -= 1
        return self.free_slots_address[self.n_free_slots]

    cdef int32_t stored_before(self, int64_t row_id):
        """Store slot of a row that another problem has kept since an earlier pass, or -1."""
        cdef Problem problem
        cdef int32_t index
        for problem in self.problems:
            if problem.knows(row_id):
                index = problem.members.index[problem.slot_of_row[row_id]]
                if index >= 0:
                    return index
        return -1

    # -------------------------------------------------------------------------- finishing

    def finish(self, executor=None):
        """Solve each problem over its members to its tolerance.

        An interrupt keeps the steps made; after an error all is as it was before."""
        self.begin_call()
        for problem in self.problems:
            self.begin_alone(problem)
        self.resume_midst()
        self.make_room()
        saved = self.saved()
        self.midst = None
        self.busy, whole = True, False
        try:
            self.unsettle()
            if executor is None or len(self.problems) == 1:
                for problem in self.problems:
                    self.finish_problem(problem)
            else:
                share([(self.finish_problem, problem) for problem in self.problems],
                      executor, self.halt)
            whole = True
        except BaseException as error:
            whole = self.was_interrupted(error)
            if whole and not self.cut:
                self.suspend(None)
            raise
        finally:
            try:
                if whole:
                    whole = False
                    self.make_whole()
                    whole = True
            finally:
                self.busy = False
                if not whole:
                    self.take_back(saved)
                for problem in self.problems:
                    (<Problem>problem).finishing = False
                # Released vectors are given up.
                self.write_store()
        self.n_done += 1

    cdef int make_whole(self) except -1:
        """Bring every g up to date. Who breaks off wants no more than what has been reached:
        decisions do not go on."""
        cdef Problem problem
        for problem in self.problems:
            self.raise_errors(problem.unshrink())
            problem.solved_at = problem.n_changes
        return 0

    def settle(self, executor=None):
        """Find the optimum over the members on the side, for decisions.

        The solution of the stream stays as it is. An interrupt or an error leaves no optimum
        behind, and nothing else changed.
        """
        cdef Problem problem
        cdef int code
        cdef list todo = [problem for problem in self.problems if not problem.is_settled]
        cdef list changes = [problem.n_changes for problem in todo]
        cdef list former = []
        cdef Py_ssize_t k
        cdef bint done = False
        for problem in todo:
            self.begin_alone(problem)
            former.append(problem.settled.copy())
        self.busy = True
        try:
            for problem in todo:
                problem.begin_settling()
                problem.refresh()
                code = problem.balance()
                self.raise_errors(code)
                problem.refresh()
            if executor is None or len(todo) == 1:
                for problem in todo:
                    self.finish_problem(problem)
            elif todo:
                share([(self.finish_problem, problem) for problem in todo], executor, self.halt)
            for problem in todo:
                self.raise_errors(problem.unshrink())
            done = True
        finally:
            # Makes no objects: what is lent to the members must come back.
            for k in range(len(todo)):
                problem = todo[k]
                if problem.settling:
                    problem.n_changes = changes[k]
                    problem.end_settling(done, former[k])
            self.busy = False

    @property
    def is_settled(self):
        """Whether decisions come from an optimum."""
        return all(problem.is_settled for problem in self.problems)

    def unsettle(self):
        """Let decisions come from the solution of the stream."""
        for problem in self.problems:
            problem.unsettle()

    cdef int begin_alone(self, Problem problem) except -1:
        """A block without rows: lengths and buffers fit the members as they are."""
        cdef Fresh fresh
        fresh.values, fresh.gram, fresh.ld, fresh.gram_ld = NULL, NULL, 0, 0
        return problem.begin_block(&fresh, 0)

    def finish_problem(self, Problem problem):
        cdef int code = 0
        if not problem.finishing:
            problem.begin_finish()
            problem.finishing = True
        while not problem.is_finished and not self.halt.now:
            with nogil:
                code = problem.finish(problem.patience)
            problem.is_finished = code > 0
            self.raise_errors(code)
            self.raise_interrupts()

    def refresh(self):
        """Compute every g anew from alpha: what long runs of steps have rounded is mended."""
        for problem in self.problems:
            slots = problem.slots()
            self.set_gradients(problem, slots,
                               self.gradients(problem, slots, problem.members["alpha"][slots]))
        self.n_done += 1

    def recompute(self):
        """``refresh`` for members that come from another kernel: with their K(x, x), too."""
        cdef Problem problem
        cdef Py_ssize_t first, size, r
        cdef const int32_t[::1] index
        cdef const int64_t[::1] slots
        cdef int code
        for problem in self.problems:
            self.begin_alone(problem)
            slots = problem.slots()
            index = problem.members["index"][slots]
            for first in range(0, slots.shape[0], LEAVES_BLOCK):
                size = min(LEAVES_BLOCK, slots.shape[0] - first)
                with nogil:
                    code = self.store.load_slots(self.fresh, &index[first], size)
                    if code == 0:
                        code = self.store.gram(self.fresh, self.gram, LEAVES_BLOCK)
                self.raise_errors(code)
                for r in range(size):
                    problem.members.diag[slots[first + r]] = self.gram[r * LEAVES_BLOCK + r]
        self.refresh()

    def rebox(self, boxes):
        """New boxes for the members of each problem: (lower, upper, alpha) in the order of its
        ``slots()``, alpha inside the boxes. All or nothing, whenever an interrupt comes."""
        cdef Problem problem
        self.unsettle()
        slots = [problem.slots() for problem in self.problems]
        g = [self.gradients(problem, mine, box[2])
             for problem, mine, box in zip(self.problems, slots, boxes)]
        for c in range(len(self.problems)):
            problem = self.problems[c]
            problem.members.rebox(slots[c], *boxes[c])
            self.set_gradients(problem, slots[c], g[c])
        self.solution = None
        self.n_done += 1

    def set_gradients(self, Problem problem, slots, g):
        if len(slots):
            self.begin_alone(problem)
            problem.members["g"][slots] = g
            problem.refresh()
            self.solution = None            # b may be another

    def gradients(self, Problem problem, slots, alpha):
        """g of the members in ``slots``, were this their alpha."""
        cdef Py_ssize_t first, size, r, ld = round_up(self.store.n_slots, LEAVES_TILE)
        cdef double[::1] coef = np.zeros(ld)
        cdef double[::1] g = np.zeros(len(slots))
        cdef const int32_t[::1] index = problem.members["index"][slots]
        cdef const double[::1] target = problem.members["target"][slots]
        cdef float[::1] values = np.zeros(LEAVES_BLOCK * ld + 1, dtype=np.float32)
        cdef int code
        np.asarray(coef)[np.asarray(index)] = alpha
        for first in range(0, len(slots), LEAVES_BLOCK):
            size = min(LEAVES_BLOCK, len(slots) - first)
            with nogil:
                code = self.store.load_slots(self.fresh, &index[first], size)
                if code == 0:
                    self.store.values(self.fresh, 0, ld, &values[0], ld)
                    for r in range(size):
                        g[first + r] = target[first + r] - table().dot(&values[r * ld], &coef[0],
                                                                       ld)
            self.raise_errors(code)
            self.n_evaluations += size * self.store.n_slots
            self.raise_interrupts()
        return np.asarray(g)

    # -------------------------------------------------------------------------- passes

    def allow(self, steps):
        """Steps of each problem until the next ``allow``; without it there is no end to them."""
        for problem in self.problems:
            problem.allow(steps)

    @property
    def out_of_steps(self):
        """Whether a problem has none left."""
        return any(problem.steps_left <= 0 for problem in self.problems)

    @property
    def cut_short(self):
        """Whether REPROCESS had to leave off before it was content."""
        cdef Problem problem
        for problem in self.problems:
            if problem.cut_short:
                return True
        return False

    def begin_pass(self, known):
        """``known``: one int32 array per problem (slot of each row id, or -1), or None."""
        self.n_learnt = 0
        for c, problem in enumerate(self.problems):
            problem.begin_pass(None if known is None else known[c])

    @property
    def n_changes(self):
        return sum(problem.n_changes for problem in self.problems)

    @property
    def n_kernel_evaluations(self):
        """Kernel values computed so far, those of dropped rows included."""
        return self.n_evaluations + sum(problem.n_evaluations for problem in self.problems)

    def violation_met(self):
        """Largest violation met during the pass, when each row was visited."""
        return max(problem.violation_met for problem in self.problems)

    def violation_left(self):
        """Largest violation over all rows; exact when the pass changed nothing."""
        return max(problem.violation_left for problem in self.problems)

    # -------------------------------------------------------------------------- predicting

    def touched(self):
        """The arrays of a problem have been changed from outside: note it."""
        self.solution = None

    def coefficients(self):
        """(n_problems, n_slots) array: alpha of each problem over the slots of the store."""
        coef = np.zeros((len(self.problems), round_up(self.store.n_slots, LEAVES_TILE)))
        for c, problem in enumerate(self.problems):
            alive = problem.members["row_id"] >= 0
            coef[c, problem.members["index"][alive]] = problem.solution()[0][alive]
        return coef

    def biases(self):
        """The bias of each problem."""
        return np.array([problem.solution()[2] for problem in self.problems])

    def decide(self, X, Solution solution, double[:, ::1] out, executor=None):
        """out[i, c] = sum_s alpha_cs K(x_s, x_i) + b_c, in blocks of bounded memory.

        May be called while another thread learns."""
        cdef Py_ssize_t n = out.shape[0], part
        cdef Store store = solution.store.view()
        halt = Halt()
        self.check_type(X)
        if executor is None or n < 4 * LEAVES_BLOCK:
            self.decide_part(X, solution, store, halt, out, 0, n)
            return
        part = LEAVES_BLOCK * (1 + n // (8 * LEAVES_BLOCK * executor._max_workers))
        share([(self.decide_part, X, solution, store, halt, out, first, min(first + part, n))
               for first in range(0, n, part)], executor, halt)

    def decide_part(self, X, Solution solution, Store store, Halt halt, double[:, ::1] out,
                    Py_ssize_t begin, Py_ssize_t end):
        cdef Py_ssize_t at, r, c, first, stretch, size, width, n_slots = solution.n_slots
        cdef int64_t rows[LEAVES_BLOCK]
        cdef Block fresh = store.new_block()
        cdef Py_ssize_t ld = min(n_slots, STRETCH)
        cdef float[::1] values = np.zeros(LEAVES_BLOCK * ld + 1, dtype=np.float32)
        for at in range(begin, end, LEAVES_BLOCK):
            if halt.now:
                return
            size = min(LEAVES_BLOCK, end - at)
            for r in range(size):
                rows[r] = at + r
            store.load(fresh, X, rows, size)
            self.check_norms(fresh, rows)
            with nogil:
                for r in range(size):
                    for c in range(solution.n_problems):
                        out[at + r, c] = solution.b[c]
                for stretch in range((n_slots + STRETCH - 1) // STRETCH):
                    first = stretch * STRETCH
                    width = min(STRETCH, n_slots - first)
                    # Values land at their slot's place: shift the base so that the stretch
                    # begins the buffer.
                    store.values(fresh, first, first + width, &values[0] - first, ld)
                    for r in range(size):
                        for c in range(solution.n_problems):
                            out[at + r, c] += table().dot(
                                &values[r * ld], solution.coef + c * n_slots + first,
                                width)
            store.raise_error()
            store.raise_interrupt()

    # -------------------------------------------------------------------------- warm start

    def seed(self, X, const int64_t[::1] rows, const int32_t[::1] labels,
             const double[:, ::1] alpha, const double[::1] cost, const int64_t[::1] row_ids):
        """Make ``X[rows]`` members with the given alpha (n_problems, len(rows)), all problems
        alike; alpha must lie in the boxes, which are on its side of 0. g is computed."""
        cdef Py_ssize_t at, r, c, slot, size
        cdef Problem problem
        cdef Example row
        cdef Fresh fresh
        fresh.values, fresh.ld = NULL, 0
        fresh.gram, fresh.gram_ld = self.gram, LEAVES_BLOCK
        for at in range(0, rows.shape[0], LEAVES_BLOCK):
            size = min(LEAVES_BLOCK, rows.shape[0] - at)
            self.store.reserve(self.store.n_slots + size)
            self.store.load(self.fresh, X, &rows[at], size)
            self.check_norms(self.fresh, &rows[at])
            for r in range(size):
                self.fresh_labels[r] = labels[rows[at + r]]
            with nogil:
                self.store.gram(self.fresh, self.gram, LEAVES_BLOCK)
            self.raise_errors(0)
            self.check_diagonal(&rows[at])
            self.make_room()
            self.store.make_room(self.fresh)
            for c in range(len(self.problems)):
                problem = self.problems[c]
                problem.begin_block(&fresh, size)
                for r in range(size):
                    if alpha[c, at + r] == 0.0:
                        continue
                    row.place, row.row_id = r, row_ids[rows[at + r]]
                    row.y = 1 if labels[rows[at + r]] == (1 if problem.identity else c) else -1
                    row.target, row.origin = row.y, OF_DATA
                    row.region = -1         # not met by this engine: counted nowhere
                    row.lower = -cost[rows[at + r]] if alpha[c, at + r] < 0.0 else 0.0
                    row.upper = cost[rows[at + r]] if alpha[c, at + r] > 0.0 else 0.0
                    slot = problem.seed(&row, alpha[c, at + r])
                    self.raise_errors(slot)
            self.write_store()
        self.refresh()
