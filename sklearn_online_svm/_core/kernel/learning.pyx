"""A problem trained sample by sample: limits on its steps, its state, and checkpoints."""
from libc.stdint cimport INT64_MAX, int64_t

from ..memory cimport address
from ..simd.primitives cimport SIMD_BLOCK, simd_extremes
from .active_set cimport ActiveSet
from .budget cimport Budget
from .fresh_rows cimport Fresh
from .kernel_rows cimport KernelRows
from .members cimport Example
from .membership cimport Membership
from .stores cimport Store, is_own_value

import numpy as np

from ..stored import LARGEST_COUNT, LARGEST_NUMBER, Stored


cdef class Learning(Membership):
    def __init__(self, Store store, bint identity, **options):
        super().__init__(store, identity)
        self.solved_at = -1
        self.patience = WORK_LIMIT
        self.configure(**options)
        self.allow(INT64_MAX)

    def configure(self, *, double tol, bint shrinking, Py_ssize_t cache_bytes,
                  int64_t row_limit=INT64_MAX, budget=None):
        """Set options that may change during training; subclasses have further ones.

        Evicting rows from the kernel cache costs time only.
        """
        if tol != self.tol:
            self.solved_at = self.settled.at = -1
        self.tol = self.tau = tol
        self.shrinking = shrinking
        self.row_limit = row_limit
        self.set_budget(budget)
        if self.rows is None or cache_bytes != self.cache_bytes:
            # A quarter of the cache is for the rows of `finish` over the active slots.
            active = ActiveSet(cache_bytes // 4)
            self.rows = KernelRows(cache_bytes - cache_bytes // 4)
            self.active = active
            self.cache_bytes = cache_bytes

    def set_budget(self, limits):
        """Set the limits on the support set: the parameters of :class:`Budget`, or None."""
        if limits is None:
            self.budget = None
        elif self.budget is not None:
            self.budget.configure(**limits)
        else:
            self.budget = Budget(**limits)
            self.budget.reserve(self.members.capacity)

    cdef void take_memory(self, Py_ssize_t n_bytes) noexcept:
        """Change the size of the kernel cache, between blocks, as the shared cache has grown."""
        self.active.max_bytes = n_bytes // 4
        self.rows.limit(n_bytes - n_bytes // 4)

    def allow(self, int64_t steps):
        """Set the limit of steps for this call; half of them are reserved for finish."""
        self.steps_left = steps
        self.steps_kept = steps // 2
        self.cut_short = False

    cdef bint may_reprocess(self) noexcept nogil:
        """Count one step of REPROCESS; returns False if a limit is reached.

        For indefinite kernels, or if the optimal alpha is very large, REPROCESS would not end in
        reasonable time.
        """
        if self.row_steps <= 0 or self.steps_left <= self.steps_kept:
            self.cut_short = True
            return False
        self.row_steps -= 1
        self.steps_left -= 1
        return True

    def keep_lacks(self, array):
        """Store the hinge residuals of the samples of X in ``array`` (float64) from now on."""
        self.hinge_residual, self.n_hinge_residuals = <double *>address(array), len(array)
        self.hinge_residual_array = array

    cdef void note_hinge_residual(self, const Example *row, double residual) noexcept nogil:
        """Store the hinge residual of a sample; ``residual`` is its target minus f(x)."""
        if row.row_id < self.n_hinge_residuals:
            self.hinge_residual[row.row_id] = row.y * residual

    cdef int learn(self, Example *row) except -2 nogil:
        """Process one sample, up to the first call of ``improve``.

        Returns 1 if ``improve`` is to be called, 0 if not, -1 if out of memory.
        """
        with gil:
            raise NotImplementedError(f"{type(self).__name__}.learn")

    cdef int improve(self) except -2 nogil:
        """Run REPROCESS as often as required.

        Returns 1 if it is to be called again, 0 if not, -1 if out of memory.
        """
        with gil:
            raise NotImplementedError(f"{type(self).__name__}.improve")

    cdef int begin_block(self, Fresh *fresh, Py_ssize_t n_rows) except -1:
        self.stop_requested = self.improving = self.finishing = self.is_finished = False
        self.at = 0
        self.suspended = None
        return self.begin_rows(fresh, n_rows)

    cdef Py_ssize_t seed(self, const Example *row, double alpha) noexcept nogil:
        """Add a sample of the block with ``alpha``; g is to be computed afterwards."""
        cdef Py_ssize_t slot = self.enter(row, 0.0)
        self.members.move(slot, alpha)
        self.both_seen = True
        return slot

    # -------------------------------------------------------------------------- state

    def state(self):
        """Return the arrays that ``restore`` takes, without the kernel cache."""
        state = self.members.state()
        state["scalars"] = np.array([self.b, self.delta, self.tau, self.both_seen])
        state["counters"] = np.array(
            [self.n_evaluations, self.n_operations, self.n_changes, self.solved_at],
            dtype=np.int64)
        if self.settled.live:
            state.update(self.settled.state(self.members.n))
            self.blank(state["settled_g"])
        self.blank(state["g"])
        if self.budget is not None:
            state.update(self.budget.state(self.members.n))
        return state

    cdef int blank(self, double[::1] g) except -1:
        """Write 0 for free slots, where g is undefined, to make states deterministic."""
        cdef Py_ssize_t s
        for s in range(self.members.n):
            if not self.members.alive[s]:
                g[s] = 0.0
        return 0

    def restore(self, state, bint same_kernel=True, Py_ssize_t n_loaded=0):
        """Restore a result of ``state``, wrapped in a :class:`Stored`; the store comes first.

        Without ``same_kernel`` the state was computed with another kernel, and kernel values are
        to be recomputed. Within a block of ``n_loaded`` samples some members are not yet in the
        store.
        """
        cdef Py_ssize_t s
        scalars = state.array("scalars", np.float64, (4,))
        counters = state.array("counters", np.int64, (4,), low=-1, high=LARGEST_COUNT)
        state.require(np.isfinite(scalars[0]), "scalars", "must begin with a finite bias")
        state.require(not np.isnan(scalars[1]), "scalars", "must not be nan")
        state.require(self.tol <= scalars[2] <= LARGEST_NUMBER, "scalars",
                      f"must have a tolerance of at least {self.tol} in the third place")
        state.require(scalars[3] == 0.0 or scalars[3] == 1.0, "scalars", "must end with 0 or 1")
        state.require((counters[:3] >= 0).all(), "counters", "must be >= 0, except the last")
        self.members.restore(state, self.store.n_slots, self.identity, n_loaded)
        for s in range(self.members.n if same_kernel else 0):
            if (self.members.alive[s] and self.members.index[s] >= 0
                    and not is_own_value(
                        self.store, self.members.index[s], self.members.diag[s])):
                state.refuse("diag", "must hold the kernel values of the vectors with themselves; "
                                     f"slot {s} violates this")
        self.b, self.delta, self.tau = (float(v) for v in scalars[:3])
        self.both_seen = scalars[3] == 1.0
        self.n_evaluations, self.n_operations, self.n_changes, self.solved_at = (
            int(c) for c in counters)
        self.settled.restore(state, self.members, self.tol)
        if self.budget is not None:
            self.budget.restore(state, self.members.n)

    cdef int take_back(self, dict state) except -1:
        """Return to a result of ``state``; the kernel cache is cleared."""
        self.rows.clear()
        self.active.forget()
        self.n_pending = self.n_released = 0
        self.restore(Stored(state), True, SIMD_BLOCK)
        return 0

    # -------------------------------------------------------------------------- checkpoints

    def met(self):
        """Return values of the epoch and of the current sample that ``state`` leaves out."""
        return [], []

    def meet(self, numbers, counts):
        """Restore from the result of ``met``."""

    def running(self):
        """Return what ``state`` leaves out, as arrays.

        With both, training continues as if it had not been stopped, also within a block or within
        finish. The kernel cache is not included.
        """
        e = self.members.extremes
        met, counts = self.met()
        running = {
            "met": np.array(met, dtype=np.float64),
            "counts": np.array(counts, dtype=np.int64),
            "extremes": np.array([e.g_max, e.g_min]),
            "extreme_slots": np.array([e.i_max, e.j_min], dtype=np.int64),
            "place": np.array([self.at, self.improving, self.finishing, self.is_finished,
                               self.steps_to_shrink], dtype=np.int64),
            "steps": np.array([self.steps_left, self.steps_kept, self.row_steps, self.cut_short],
                              dtype=np.int64),
            "pending": np.array([self.pending[p] for p in range(self.n_pending)], dtype=np.int32),
            "released": np.array([self.released[p] for p in range(self.n_released)],
                                 dtype=np.int32),
        }
        if self.active.shrunk:
            running["active"] = self.active.state(self.members.n)
        return running

    cdef int suspend(self) except -1:
        """Keep a copy of the complete state, before the block or finish is ended early."""
        state = {name: np.array(array) for name, array in self.state().items()}
        self.suspended = {"state": state, "running": self.running()}
        return 0

    def resume(self, running):
        """Restore a result of ``running``, except the position within a block or within finish.

        ``running`` is wrapped in a :class:`Stored`. Returns whether it was taken within finish.
        """
        cdef simd_extremes *e = &self.members.extremes
        slots = running.array("extreme_slots", np.int64, (2,), low=-1, high=self.members.n - 1)
        extremes = running.array("extremes", np.float64, (2,))
        steps = running.array("steps", np.int64, (4,), low=-LARGEST_COUNT)
        met, counts = self.met()
        met = running.array("met", np.float64, (len(met),))
        counts = running.array("counts", np.int64, (len(counts),), low=0, high=LARGEST_COUNT)
        e.i_max, e.j_min = slots
        e.g_max, e.g_min = extremes
        self.steps_left, self.steps_kept, self.row_steps = steps[:3]
        self.cut_short = bool(steps[3])
        self.meet(met, counts)
        return bool(running.array("place", np.int64, (5,))[2])

    cdef int resume_midst(self, running) except -1:
        """Restore the position within a block or within finish, which has been begun anew."""
        cdef Py_ssize_t p, n = self.members.n
        pending = running.array("pending", np.int32, (None,), low=0, high=n - 1)
        released = running.array("released", np.int32, (None,), low=0, high=self.store.n_slots - 1)
        place = running.array("place", np.int64, (5,))
        running.require(0 <= place[0] <= SIMD_BLOCK, "place",
                        f"must begin with a number in [0, {SIMD_BLOCK}]")
        # A sample enters once and a stored vector is released once: the lists have room for that.
        running.require(len(pending) <= place[0] + bool(place[1]), "pending",
                        "must hold only samples up to the current one")
        n -= np.count_nonzero((self.members["alive"] != 0) & (self.members["index"] >= 0))
        running.require(len(released) <= n, "released", f"must hold at most {n} slots")
        if running.has("active"):
            self.active.restore(self.members, running.part("active"))
        self.at, self.steps_to_shrink = place[0], place[4]
        self.improving, self.finishing, self.is_finished = (bool(flag) for flag in place[1:4])
        self.n_pending, self.n_released = len(pending), len(released)
        for p in range(self.n_pending):
            self.pending[p] = pending[p]
        for p in range(self.n_released):
            self.released[p] = released[p]
        return 0
