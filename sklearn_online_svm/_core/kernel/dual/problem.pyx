"""One binary problem: support set, kernel matrix, and steps until it is solved.

    max  D = sum_i (alpha_i t_i + beta_i) - 1/2 sum_ij alpha_i alpha_j K_ij
    s.t. lower_i <= alpha_i <= upper_i,  and sum_i alpha_i = 0 with a bias (nu n: one class),

over the samples i of the support set, with signed alpha; every box contains 0. In classification
the targets t are the labels y. The gradient is g_i = t_i - sum_j alpha_j K_ij, so f(x_i) = t_i -
g_i + b. beta_i is C_i for a sample on the flat part of a ramp loss, else 0.

In regression, t_i = y_i - epsilon sign(alpha_i): the loss has two sides, and a member is on one of
them at a time (see ``support_set.pxd``). At alpha = 0 both sides are considered, and a step that
ends there turns the member, so that another can go on. With the squared loss, D has the further
term -1/2 sum_i alpha_i^2 / (2 C_i), and no upper bound.

A subclass is a solver: it defines which samples are added and which steps are made.
"""
from libc.math cimport INFINITY, NAN, fabs, fmax, fmin, log, sqrt
from libc.stdint cimport INT64_MAX, int32_t, int64_t

from ...memory cimport address, grown_buffer
from ...simd.primitives cimport simd_extremes, table
from ...threads.slices cimport dot
from ...threads.team cimport Team
from ..rows.active_set cimport Front
from ..vectors.block cimport BlockValues
from .eviction cimport Eviction
from ..rows.kernel_matrix cimport KernelMatrix
from .optimized_solution cimport OptimizedSolution
from ..vectors.stores cimport Store
from ..vectors.support_set cimport Example, SupportSet, other_g, tube_tolerance, turn_to_alpha

import numpy as np

cdef double EPSILON = np.finfo(np.float64).eps

# The optimized solution of a stream has up to this multiple of tol as its tolerance: the effect on
# predictions is small, and updating it from sample to sample takes a third of the time. Where the
# standard deviation of the decision values is less than 1, the multiple is smaller, down to 1.
cdef double LOOSE = 10.0

# Array elements accessed by ``finish`` between two checks for signals: about 20 ms.
WORK_LIMIT = 5e7


class MemberView:
    """Arrays over the members of a problem, in the order of ``slots``, and the bias ``b``.

    The arrays have the names of those of the support set: alpha, g, target, y, lower, upper,
    ridge, diag, up, down, row_id, origin, index. Each is copied when it is first used.
    """
    def __init__(self, members, slots, b, changed=None):
        self.slots, self.b, self._members, self._changed = slots, b, members, changed or {}

    def __getattr__(self, name):
        array = self._changed[name] if name in self._changed else self._members[name]
        values = array[self.slots]
        setattr(self, name, values)
        return values

    @property
    def lower_g(self):
        """g, in regression that of the lower side of the tube."""
        return self._members.to_lower_side(self.y, self.g)

    @property
    def decisions(self):
        """Decision values, without the bias."""
        return self.target - self.ridge * self.alpha - self.g


cdef class Problem:
    def __init__(self, Store store, bint identity, bint copies=False, **options):
        self.members = SupportSet()
        self.matrix = KernelMatrix(store, self.members, identity, copies)
        self.optimized = OptimizedSolution()
        self.share_loops(Team())
        self.solved_at = self.chosen_at = -1
        self.work_limit = WORK_LIMIT
        self.configure(**options)
        self.allow(INT64_MAX)

    cdef int share_loops(self, Team team) except -1:
        """Let the threads of a team share the loops over the slots."""
        self.team = team
        return self.matrix.share_loops(team)

    def configure(self, *, double tol, bint shrinking, Py_ssize_t cache_bytes,
                  int64_t max_reprocess=INT64_MAX, window_size=None, epsilon=None,
                  Py_ssize_t budget=0):
        """Set options that may change during training; subclasses have further ones."""
        if tol != self.tol:
            self.solved_at = self.optimized.at = -1
        self.tol = self.tau = tol
        self.shrinking = shrinking
        self.max_reprocess = max_reprocess
        self.members.set_tube(epsilon)
        if window_size is None and budget == 0:
            self.eviction = None
        else:
            self.eviction = self.eviction or Eviction()
            self.eviction.limit(window_size, budget)
            self.eviction.reserve(self.members.capacity)
        if cache_bytes != self.cache_bytes or self.matrix.rows is None:
            self.matrix.resize(cache_bytes)
            self.cache_bytes = cache_bytes

    def allow(self, int64_t steps):
        """Set the limit of steps for this call; half of them are reserved for finish."""
        self.steps_left = steps
        self.steps_kept = steps // 2
        self.steps_after = 0
        self.cut_short = False

    cdef bint may_reprocess(self) noexcept nogil:
        """Count one step of REPROCESS; returns False if a limit is reached.

        For indefinite kernels, or if the optimal alpha is very large, REPROCESS would not end in
        reasonable time.
        """
        if self.reprocess_left <= 0 or self.steps_left <= self.steps_kept:
            self.cut_short = True
            return False
        self.reprocess_left -= 1
        self.steps_left -= 1
        return True

    @property
    def classes(self):
        """Codes of the positive and the negative class, -1: all others."""
        return self.codes.positive, self.codes.negative

    @classes.setter
    def classes(self, classes):
        self.codes.positive, self.codes.negative = classes

    def begin_pass(self):
        """Begin an epoch: reset what ``violation_met`` and ``violation_left`` are based on."""

    def slots(self):
        """Return the slots of the support set."""
        return np.flatnonzero(self.members["alive"])

    @property
    def n_evaluations(self):
        """Number of kernel values computed outside of blocks."""
        return self.matrix.n_evaluations

    def keep_residuals(self, array):
        """Store the residuals of the samples of X in ``array`` (float64) from now on."""
        self.residual, self.n_residuals = <double *>address(array), len(array)
        self.residual_array = array

    cdef void record_residual(self, const Example *row, double residual) noexcept nogil:
        """Store the residual of a sample: its target, in regression the lower one, minus f(x)."""
        if row.row_id < self.n_residuals:
            self.residual[row.row_id] = residual

    # -------------------------------------------------------------------------- samples

    cdef int begin_block(self, BlockValues *block, Py_ssize_t n_rows) except -1:
        """Allocate memory for all samples of a block, so that processing them cannot fail."""
        self.members.reserve(self.members.n + n_rows)
        self.optimized.reserve(self.members.capacity)
        if self.eviction is not None:
            self.eviction.reserve(self.members.capacity)
        return self.matrix.begin_block(block, n_rows)

    cdef int process_sample(self, Example *row) except -2 nogil:
        """PROCESS one sample.

        Returns 1 if ``reprocess_as_needed`` is to be called, 0 if not, -1 if out of memory.
        """
        with gil:
            raise NotImplementedError(f"{type(self).__name__}.process_sample")

    cdef int reprocess_as_needed(self) except -2 nogil:
        """REPROCESS as often as required.

        Returns after about ``work_limit`` accessed array elements: 1 if it is to be called again,
        0 if not, -1 if out of memory.
        """
        with gil:
            raise NotImplementedError(f"{type(self).__name__}.reprocess_as_needed")

    cdef Py_ssize_t add_uncached(self, const Example *row, double g) noexcept nogil:
        """Add a sample of the block to the support set; the caller provides its kernel row."""
        cdef Py_ssize_t slot = self.members.next_slot(), r = row.place
        cdef const BlockValues *block = &self.matrix.block
        cdef float diag = <float>(block.gram[r * block.gram_ld + r] + row.ridge)
        self.members.add(slot, row, g, diag, <int32_t>(-r - 1))
        if self.eviction is not None:
            self.eviction.add(slot)
        self.matrix.add(slot)
        return slot

    cdef Py_ssize_t add(self, const Example *row, float *k, double g) noexcept nogil:
        """Add a sample of the block to the support set, with kernel row ``k``.

        Returns its slot, or -1 if out of memory.
        """
        cdef Py_ssize_t slot
        if self.optimized.live:
            self.optimized.add(
                self.members.next_slot(), row,
                row.target - dot(self.team, k, self.optimized.alpha, self.members.n))
            # After that many additions, optimizing from the online solution is as fast.
            if 2 * self.optimized.n_added > self.members.n:
                self.optimized.discard()
        slot = self.add_uncached(row, g)
        k[slot] = self.members.diag[slot]
        return slot if self.matrix.cache(slot, k) == 0 else -1

    cdef void seed(self, const Example *row, double alpha) noexcept nogil:
        """Add a sample of the block with ``alpha``; g is to be computed afterwards."""
        cdef Example turned = row[0]
        cdef Py_ssize_t slot
        turn_to_alpha(self.members, &turned, alpha)
        slot = self.add_uncached(&turned, 0.0)
        self.members.move(slot, alpha)
        self.both_seen = True

    cdef int remove(self, Py_ssize_t slot) noexcept nogil:
        """Subtract a member from the solution and evict it; return -1 if out of memory.

        The caller restores the constraint and derived values with ``rebalance``.
        """
        cdef double alpha = self.members.alpha[slot]
        cdef const float *k
        if alpha != 0.0:
            k = self.matrix.row(slot, -1)
            if k == NULL:
                return -1
            table().axpy(alpha, k, self.members.g, self.members.n)
            self.members.move(slot, -alpha)
        self.total -= alpha
        self.n_changes += 1
        self.evict_slot(slot)
        return 0

    cdef int rebalance(self) noexcept nogil:
        """Restore the constraint and derived values after ``remove``; -1 if out of memory."""
        cdef int code = 0
        self.refresh()
        if self.total != 0.0:
            code = self.balance()
            self.refresh()
        return code

    cdef void evict_slot(self, Py_ssize_t slot) noexcept nogil:
        """Evict a member; its alpha is 0."""
        cdef const float *row
        if self.optimized.live and self.optimized.alpha[slot] != 0.0:
            row = self.matrix.row(slot, -1)
            if row == NULL:
                self.optimized.discard()
            else:
                self.optimized.remove(slot, row, self.members.n)
        self.matrix.remove(slot)
        self.members.remove(slot)

    cdef int evict_excess(self) noexcept nogil:
        """Evict the members beyond the limits, after a sample; return -1 if out of memory."""
        cdef int64_t n_changes = self.n_changes
        cdef int code = 0
        cdef Py_ssize_t slot
        self.eviction.now += 1
        slot = self.eviction.outdated(self.members)
        while slot >= 0 and code == 0:
            code = self.remove(slot)
            slot = self.eviction.outdated(self.members)
        # Also if memory ran out midway: evicted members are gone.
        if self.n_changes != n_changes and self.rebalance() < 0:
            return -1
        slot = self.eviction.least(self.members)
        while slot >= 0 and code == 0:
            code = self.evict_least(slot)
            slot = self.eviction.least(self.members)
        return code

    cdef int evict_least(self, Py_ssize_t least) noexcept nogil:
        """Evict a member, that of smallest \\|alpha\\|; return -1 if out of memory."""
        return -1 if self.remove(least) < 0 else self.rebalance()

    # -------------------------------------------------------------------------- two sides

    cdef void turn_if_crossed(self, Front *front, Py_ssize_t q, double before) noexcept nogil:
        """Turn a slot of the front if its alpha has become 0; to be called before g is updated."""
        cdef Py_ssize_t slot = q if front.slots == NULL else front.slots[q]
        cdef double change = self.members.turn_if_crossed(slot, before)
        if front.slots != NULL:
            if change != 0.0:
                front.g[q] += change
            front.up[q], front.down[q] = self.members.up[slot], self.members.down[slot]

    cdef bint turn_zeros(self) except -1 nogil:
        """Turn the members at alpha = 0 that violate on their other side; return whether any did.

        If none violates with the present sides, two may violate with each other on their other
        sides: then these count in the extremes, too.
        """
        if not self.members.two_sided:
            return False
        if self.turn_violating():
            return True
        self.members.extremes = self.members.ends(self.team)
        return self.turn_violating()

    cdef bint turn_violating(self) except -1 nogil:
        """Turn the members at alpha = 0 whose other side violates with the extremes of g."""
        cdef Py_ssize_t p, s
        cdef bint turned = False, rises
        cdef double g
        for p in range(self.members.n_zeros):
            s = self.members.zeros[p]
            rises = self.members.y[s] < 0
            g = other_g(self.members, s)
            if self.violation_by(g, rises, not rises) > self.tau:
                self.members.turn(s)
                turned = True
        self.members.scan()
        return turned

    # -------------------------------------------------------------------------- conditions

    cdef int finish_step(self, Front *front) except -2 nogil:
        """Make a step on the front, which has a violation.

        Returns 1 if alpha changed, 0 if the step was lost in rounding, -1 if out of memory.
        """
        with gil:
            raise NotImplementedError(f"{type(self).__name__}.finish_step")

    cdef double violation_of(self, const simd_extremes *e) except? -1.0 nogil:
        """Return the violation that corresponds to the extremes of g."""
        with gil:
            raise NotImplementedError(f"{type(self).__name__}.violation_of")

    cdef double violation_by(self, double g, bint rises, bint falls) except? -1.0 nogil:
        """Return the violation of a sample with gradient g, with respect to the support set.

        ``rises``, ``falls``: its alpha may increase, may decrease.
        """
        with gil:
            raise NotImplementedError(f"{type(self).__name__}.violation_by")

    cdef double low_of(self, const simd_extremes *e) noexcept nogil:
        """Return g up to which a slot that can only increase is removed by shrinking."""
        return -INFINITY

    cdef double high_of(self, const simd_extremes *e) noexcept nogil:
        """Return g from which a slot that can only decrease is removed by shrinking."""
        return INFINITY

    cdef int evict_at_optimum(self) noexcept nogil:
        """Evict members that are not needed at the optimum; return -1 if out of memory."""
        return 0

    cdef int refresh(self) except -2 nogil:
        """Recompute the extremes of g and all values that follow from g."""
        with gil:
            raise NotImplementedError(f"{type(self).__name__}.refresh")

    cdef int balance(self) noexcept nogil:
        """Restore the equality constraint, where there is one; return -1 if out of memory.

        ``total`` becomes 0, or what cannot be moved.
        """
        self.total = 0.0
        return 0

    cdef double scale(self) noexcept nogil:
        """Return the factor of alpha and b in the decision function."""
        return 1.0

    cdef double unit(self) noexcept nogil:
        """Return the difference of g that is 1 in the units of tol."""
        return 1.0

    def moved(self, alpha, lower, upper):
        """Return ``alpha`` moved into the boxes and to where the equality constraint holds."""
        return np.clip(alpha, lower, upper)

    # -------------------------------------------------------------------------- finish

    cdef double final_tolerance(self) noexcept nogil:
        """Return the tolerance tau of ``finish``.

        It is tol, but at least the rounding error of g, which no step can correct. For the
        optimized solution of a stream it is tol times LOOSE, less where decision values spread
        little, and in regression at most epsilon / 4.
        """
        cdef double total = 1.0, tol = self.tol, f, mean = 0.0, square = 0.0
        cdef Py_ssize_t s
        for s in range(self.members.n):
            total += fabs(self.members.alpha[s]) * fabs(self.members.diag[s])
            if self.members.alive[s]:
                f = self.members.target[s] - self.members.g[s]
                mean += f / self.members.n_members
                square += f * f / self.members.n_members
        if self.optimizing:
            tol *= fmin(LOOSE, fmax(1.0, LOOSE * sqrt(fmax(0.0, square - mean * mean))))
            tol = fmin(tol, fmax(self.tol, tube_tolerance(self.members)))
        return fmax(tol, 4.0 * EPSILON * total)

    cdef double alpha_of(self, const Front *front, Py_ssize_t q) noexcept nogil:
        """Return the alpha of the q-th slot of the front."""
        return self.members.alpha[q if front.slots == NULL else front.slots[q]]

    cdef bint move(self, Front *front, Py_ssize_t q, double by) noexcept nogil:
        """Add ``by`` to the alpha of the q-th slot of the front; returns whether alpha changed."""
        cdef Py_ssize_t slot = q if front.slots == NULL else front.slots[q]
        cdef double before = self.members.alpha[slot]
        self.members.move(slot, by)
        front.up[q], front.down[q] = self.members.up[slot], self.members.down[slot]
        return self.members.alpha[slot] != before

    # -------------------------------------------------------------------------- optimized solution

    @property
    def is_solved(self):
        """Whether the online solution is optimal over the support set."""
        return not self.both_seen or self.solved_at == self.n_changes

    @property
    def is_optimized(self):
        """Whether the online or the optimized solution is optimal over the support set."""
        return self.is_solved or self.optimized.at == self.n_changes

    cdef int begin_optimizing(self) except -1:
        """Put the optimized solution in place of the online one, for ``finish``."""
        if not self.optimized.live:
            self.optimized.begin(self.members)
        self.optimized.swap(self.members)
        self.optimizing = True
        self.exchange()
        self.members.mark()
        return 0

    cdef int end_optimizing(self, bint done, OptimizedSolution former) except -1:
        """Put the online solution back.

        ``former`` is the optimized solution before ``begin_optimizing``, restored if not ``done``.
        """
        self.matrix.active.forget()
        self.finishing = False
        self.exchange()
        self.optimized.swap(self.members)
        self.optimizing = False
        if done:
            self.optimized.at, self.optimized.n_added = self.n_changes, 0
        else:
            self.optimized = former
        return 0

    cdef void exchange(self) noexcept nogil:
        """Exchange the scalars of the online solution with those in ``optimized``."""
        cdef double *other = self.optimized.numbers
        self.b, other[0] = other[0], self.b
        self.delta, other[1] = other[1], self.delta
        self.tau, other[2] = other[2], self.tau

    def discard_optimized(self):
        """Discard the optimized solution."""
        self.optimized.discard()

    def count_work_of(self, Problem former):
        """Count also the work of a problem that this one replaces."""
        cdef bint is_solved = self.solved_at == self.n_changes
        self.n_operations += former.n_operations
        self.n_changes += former.n_changes
        if is_solved:
            self.solved_at = self.n_changes

    def read_state(self):
        """Return the part of the state that predictions may change."""
        state = {"n_operations": np.array([self.n_operations])}
        if self.optimized.live:
            state.update(self.optimized.state(self.members.n))
        return state

    def restore_read_state(self, state):
        """Restore a result of ``read_state``."""
        self.n_operations = int(state["n_operations"][0])
        self.optimized.restore(state, self.members)

    cdef bint shows_optimized(self) noexcept nogil:
        """Return whether predictions use the optimized solution."""
        return self.optimized.at == self.n_changes

    def view(self, bint used=False):
        """Return the members as arrays (see ``MemberView``).

        ``used``: those of the solution used for predictions, else of the online one.
        """
        if not (used and self.shows_optimized()):
            return MemberView(self.members, self.slots(), self.b)
        n, lower, upper = self.members.n, self.members["lower"], self.members["upper"]
        changed = {name: self.optimized[name][:n] for name in ("alpha", "g", "target", "y")}
        turned = self.members["y"] != changed["y"]
        changed["lower"] = np.where(turned, -upper, lower)
        changed["upper"] = np.where(turned, -lower, upper)
        return MemberView(self.members, self.slots(), self.optimized.b, changed)

    # -------------------------------------------------------------------------- state

    def state(self):
        """Return copies of all arrays and numbers, without cached kernel rows.

        Training continues from it as if it had not been stopped, also within ``finish``.
        """
        e = self.members.extremes
        state = self.members.state()
        state["scalars"] = np.array([self.b, self.delta, self.tau, e.g_max, e.g_min])
        state["counters"] = np.array(
            [self.n_evaluations, self.n_operations, self.n_changes, self.solved_at,
             self.both_seen, e.i_max, e.j_min], dtype=np.int64)
        state["total"] = np.array([self.total])
        if self.finishing and not self.is_finished and self.chosen_at >= 0:
            state["chosen_at"] = np.array([self.chosen_at])
            state["former"] = self.matrix.active.former
        # Numbers of steps, and how far the present call has come.
        state["limits"] = np.array(
            [self.steps_left, self.steps_kept, self.cut_short, self.finishing, self.is_finished,
             self.steps_to_shrink, self.steps_after], dtype=np.int64)
        if self.optimized.live:
            state.update(self.optimized.state(self.members.n))
            self.blank(state["optimized_g"])
        self.blank(state["g"])
        if self.eviction is not None:
            state.update(self.eviction.state(self.eviction.arrivals(self.members.n)))
        # Within finish, evicted members are in the store until it is written.
        state["released"] = np.array(
            [self.matrix.released[p] for p in range(self.matrix.n_released)
             if self.matrix.copies or not self.matrix.identity], dtype=np.int32)
        if self.matrix.active.shrunk:
            state.update(self.matrix.active.state(self.members.n))
        return state

    cdef int blank(self, double[::1] g) except -1:
        """Write 0 for free slots, where g is undefined, to make states deterministic."""
        cdef Py_ssize_t s
        for s in range(self.members.n):
            if not self.members.alive[s]:
                g[s] = 0.0
        return 0

    def restore(self, state):
        """Restore a result of ``state``; the store comes first."""
        cdef simd_extremes *e = &self.members.extremes
        self.members.restore(state)
        self.b, self.delta, self.tau, e.g_max, e.g_min = (float(v) for v in state["scalars"])
        (self.matrix.n_evaluations, self.n_operations, self.n_changes, self.solved_at,
         both_seen, e.i_max, e.j_min) = (int(c) for c in state["counters"])
        (self.steps_left, self.steps_kept, cut_short, finishing, is_finished,
         self.steps_to_shrink, self.steps_after) = (int(c) for c in state["limits"])
        self.both_seen, self.cut_short = both_seen, cut_short
        self.total = float(state["total"][0])
        self.finishing, self.is_finished = finishing, is_finished
        self.matrix.clear()
        # When changes are taken back for want of memory, it is large enough.
        if self.members.n > self.matrix.capacity:
            self.matrix.released = <int32_t *>grown_buffer(
                self.matrix.released, self.members.n * sizeof(int32_t))
        for slot in state["released"]:
            self.matrix.released[self.matrix.n_released] = slot
            self.matrix.n_released += 1
        self.chosen_at = -1
        if "chosen_at" in state:
            self.chosen_at = state["chosen_at"][0]
            self.matrix.active.former = state["former"].copy()
        self.optimized.restore(state, self.members)
        if self.eviction is not None:
            self.eviction.restore(state)
        if "active_slots" in state:
            self.matrix.active.restore(self.members, state)

    def set_bias(self, double b):
        """Set the bias of the online solution."""
        self.b = b

    # -------------------------------------------------------------------------- new classes

    def mirror(self):
        """Exchange the two classes: f becomes -f."""
        self.members.mirror()
        self.optimized.mirror()
        self.b, self.total = 0.0 - self.b, 0.0 - self.total

    def begin_with(self, Problem trained, samples, Eviction eviction):
        """Begin as a copy of another problem, which was trained on ``samples``.

        ``trained``: without limits. Identifiers of its members are positions in ``samples``.
        ``samples``: a result of ``Engine.stored_samples``.
        ``eviction``: that of another problem of the stream, or None.
        """
        state, slots = trained.state(), trained.slots()
        stored = samples[state["row_id"][slots]]
        for name, field in (("index", "slot"), ("row_id", "row_id"), ("origin", "origin")):
            state[name][slots] = stored[field]
        if eviction is not None:
            born = np.zeros(len(state["alpha"]), dtype=np.int64)
            born[slots] = stored["born"]
            state |= eviction.state(born)
        self.restore(state)
        self.matrix.n_evaluations = 0           # counted by the engine

    # -------------------------------------------------------------------------- convergence

    @property
    def violation_met(self):
        """Largest violation found since ``begin_pass``, or left in the support set."""
        raise NotImplementedError

    @property
    def finish_distance(self):
        """log(violation / tau) at the latest steps of finish: 0 if finished, NaN if not begun."""
        if not self.finishing:
            return NAN
        return 0.0 if self.is_finished else fmax(0.0, log(self.step_violation / self.tau))

    @property
    def violation_left(self):
        """Largest violation over all samples; exact if the epoch changed nothing."""
        return self.violation_met

    @property
    def squared_norm(self):
        """\\|w\\|^2 = alpha' K alpha."""
        m = self.view(used=True)
        return float(m.alpha @ (m.target - m.ridge * m.alpha - m.g))

    @property
    def objective(self):
        """Dual objective, sum (alpha target + beta) - 1/2 alpha' K alpha.

        beta is the size of a box on the other side of 0 than y, else 0.
        """
        m = self.view(used=True)
        bound = m.lower + m.upper
        shifted = np.where(bound * m.y < 0, np.abs(bound), 0.0)
        return float((0.5 * (m.alpha @ (m.target + m.g)) + shifted.sum()) * self.scale()**2)

    @property
    def gap(self):
        """Duality gap over the support set, with g - b in place of g if there is a bias."""
        m = self.view(used=True)
        residual = m.g - m.b
        if not self.members.two_sided:
            room = np.where(residual > 0, m.upper, m.lower) - m.alpha
            return float((room * residual)[residual != 0].sum() * self.scale()**2)
        # What f lacks to the side of the member; the loss may be on the other one.
        slack, cost = m.y * (residual + m.ridge * m.alpha), m.upper - m.lower
        loss = self.members.losses(slack)
        squared = m.ridge > 0.0
        primal, outside = np.zeros(len(loss)), (loss > 0.0) & ~squared
        primal[outside] = cost[outside] * loss[outside]     # cost may be infinite
        ridge = m.ridge[squared]
        primal[squared] = loss[squared]**2 / (2.0 * ridge) + 0.5 * ridge * m.alpha[squared]**2
        return float((primal - np.abs(m.alpha) * slack).sum())
