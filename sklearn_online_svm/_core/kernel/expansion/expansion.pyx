"""Kernel expansions updated by the update loop; the contract is in the ``.pxd``.

``look`` computes the margins of a sample from the kernel values of its block. The values against
vectors added within the block are first put into their slots, so that sums run over the slots in
one order for any block size. ``follow`` adds the steps made on a sample to its coefficients.
"""
import time

from cpython.ref cimport PyObject
from libc.float cimport DBL_MAX
from libc.stdint cimport int8_t, int32_t, int64_t
from libc.string cimport memcpy

from ...guard cimport Guard
from ...linear.rows cimport Dataset, Row
from ...linear.weights cimport Weights
from ...interrupts cimport check_interrupts
from ...memory cimport address, grown, round_up
from ...simd.primitives cimport SIMD_BLOCK, SIMD_TILE, table
from ...threads.team cimport Team
from ..vectors.block cimport SampleBlock
from ..dual.solution cimport Solution, solution_of
from ..vectors.stores cimport Store
from ..dual.votes cimport Votes

import numpy as np
from scipy.sparse import csr_matrix


# Version of what ``state`` returns; to be incremented when its fields change.
_FORMAT = 1

cdef extern from *:
    """
    static inline Py_ssize_t n_references(PyObject *object) { return Py_REFCNT(object); }
    """
    Py_ssize_t n_references(PyObject *)


cdef class Budget:
    """A limit on the number of vectors; subclasses choose the vector to remove."""

    def __init__(self, Py_ssize_t most, Py_ssize_t n_problems):
        self.most = most

    cdef int prepare(self, KernelExpansion expansion) except -1:
        return 0

    cdef void moved(self, KernelExpansion expansion, int32_t slot, const float *k,
                    bint entered) noexcept nogil:
        pass

    cdef int32_t choose(self, KernelExpansion expansion) noexcept nogil:
        return -1

    cdef bint give_up(self, KernelExpansion expansion, int32_t slot) noexcept nogil:
        return True

    def state(self, n_slots):
        """Return copies of what is not derived from the expansion."""
        return {}

    def restore(self, state):
        """Restore a result of ``state``."""


cdef class KernelExpansion(Weights):
    """Kernel expansions, initially 0.

    ``store``: empty.
    ``averaged``: whether to keep the sums from which averages are computed.
    ``votes``: stores every step, for the majority vote of all past functions.
    """

    def __init__(self, Store store, Py_ssize_t n_problems, Budget budget=None,
                 bint averaged=False, Votes votes=None):
        self.store, self.budget, self.votes = store, budget, votes
        self.limited, self.voted = budget is not None, votes is not None
        self.averaged = averaged
        self.guard, self.block, self.kept = Guard(), SampleBlock(store), {}
        self.team = Team()
        self.n_problems, self.n_features = n_problems, store.n_features
        self.follows, self.n_vectors = True, n_problems
        self.single = store.dtype == np.float32
        self.itemsize = store.dtype.itemsize
        self.start_variance, self.largest_squared_norm = 1.0, DBL_MAX
        self.buffers = np.zeros(n_problems)
        self.margins = <double *>address(self.buffers)
        self.step_array = np.zeros(n_problems)
        self.along = <double *>address(self.step_array)
        self.size = SIMD_BLOCK
        self.lone = store.new_block()
        self.coef_array = np.zeros((n_problems, 0))
        self.sums_array = np.zeros((n_problems, 0))
        self.diag_array = np.zeros(0, dtype=np.float32)
        self.labels_array = np.zeros(0, dtype=np.int32)
        self.ids_array = np.zeros(0, dtype=np.int64)
        self.since_array = np.zeros(0, dtype=np.int64)
        self.alive_array = np.zeros(0, dtype=np.int8)
        self.free_array = np.zeros(0, dtype=np.int32)
        self.pending_array = np.zeros(0, dtype=np.int32)

    def expect(self, n_rows, again=False, slots=None):
        """Announce ``n_rows`` new samples; identifiers continue those of earlier ones.

        With ``again`` samples may occur several times; those with a slot are recognized.
        ``slots``: int32 array of the slots that samples already have.
        """
        if again and n_rows:
            slots = np.full(n_rows, -1, dtype=np.int32)
        self.slots_of_rows = slots
        self.slot_of_row = <int32_t *>address(slots) if slots is not None else NULL
        self.replayed_array, self.replayed, self.n_new = None, NULL, n_rows
        self.first_id = self.n_seen
        self.n_seen += n_rows

    def expect_replayed(self, const int64_t[::1] ids):
        """Announce samples that are visited again, by identifier.

        Their rows follow those of the new samples. In the order, each comes after a new one.
        """
        self.replayed_array, self.replayed = ids, &ids[0]

    def expect_no_more(self, n_seen):
        """Correct the number of samples that have been announced to those that have come."""
        self.n_seen = n_seen

    def check(self, X):
        """Raise an error if kernel values are not finite, before any sample is used."""
        self.block.check(X)

    # -------------------------------------------------------------------------- a block

    cdef Py_ssize_t begin(self, Dataset dataset, Py_ssize_t position, Py_ssize_t stop) except -1:
        """Load the next block of samples and compute its kernel values."""
        cdef SampleBlock block = self.block
        cdef Py_ssize_t r, n = min(self.size, stop - position)
        if n <= 0:
            return stop
        if self.replayed != NULL:
            n = self.with_replays(dataset, position, n)
        for r in range(n):
            block.rows[r] = dataset.order[position + r] if dataset.order != NULL else position + r
        block.n = n
        self.busy = True
        try:
            block.load(dataset.source)
            block.score_values(self.team)
            self.store.raise_errors()
            block.score_themselves()
            check_interrupts()
            self.make_room()
            self.store.make_room(block.block)
            if self.limited:
                self.budget.prepare(self)
                if self.n_kept > self.budget.most:      # memory ran out when it was to be removed
                    self.solution = None
                    self.shrink()
                    self.raise_error()
        except BaseException:
            self.busy = False
            raise
        self.n_evaluations += n * (self.store.n_slots + n)
        self.source, self.row_labels = dataset.source, dataset.labels
        self.first, self.n_here, self.n_steps_before = position, 0, self.n_steps
        return position + n

    cdef int end(self, Py_ssize_t position) except -1:
        """Write added vectors into the store; for other threads it changes in one step."""
        cdef Py_ssize_t p, used = position - self.first
        cdef int32_t q, slot
        if not self.busy:
            return 0
        # Averages and votes also change with samples on which no step is made.
        if self.n_steps != self.n_steps_before or self.averaged or self.voted:
            self.unshare()
            self.solution = None
        for p in range(self.n_here):
            q = self.entered[p]
            slot = self.slot_of[q]
            if slot >= 0:
                self.store.put(slot, self.block.block, q)
                self.pending[slot] = -1
        self.n_here, self.source = 0, None
        # The block was left early, as a label is queried: load fewer samples, to avoid computing
        # unused values repeatedly.
        self.size = max(1, used) if used < self.block.n else min(SIMD_BLOCK, 2 * self.size)
        self.busy = False
        self.raise_error()
        check_interrupts()
        self.guard.yield_to_readers()
        return 0

    cdef int make_room(self) except -1:
        """Allocate memory for all samples of a block, so that adding them cannot fail."""
        cdef Py_ssize_t old = self.ld, ld = self.n_slots + SIMD_BLOCK
        cdef list arrays
        if self.voted:
            self.votes.reserve(SIMD_BLOCK * self.n_problems)
        if ld <= self.ld:
            return 0
        ld = round_up(max(ld, old + old // 4), SIMD_TILE)
        coef = grown(np.zeros((0, ld)), self.n_problems)
        sums = grown(np.zeros((0, ld)), self.n_problems if self.averaged else 0)
        coef[:, :old] = self.coef_array[:, :old]
        sums[:, :old] = self.sums_array[:len(sums), :old]
        arrays = [grown(array, ld) for array in (
            self.diag_array, self.labels_array, self.ids_array, self.since_array,
            self.alive_array, self.free_array, self.pending_array)]
        arrays[6][old:] = -1
        row = grown(np.zeros(0, np.float32), ld)
        self.coef, self.sums = <double *>address(coef), <double *>address(sums)
        self.diag = <float *>address(arrays[0])
        self.labels = <int32_t *>address(arrays[1])
        self.ids, self.since = <int64_t *>address(arrays[2]), <int64_t *>address(arrays[3])
        self.alive, self.free = <int8_t *>address(arrays[4]), <int32_t *>address(arrays[5])
        self.pending, self.row = <int32_t *>address(arrays[6]), <float *>address(row)
        self.coef_array, self.sums_array, self.row_array = coef, sums, row
        (self.diag_array, self.labels_array, self.ids_array, self.since_array,
         self.alive_array, self.free_array, self.pending_array) = arrays
        self.ld = ld
        return 0

    # -------------------------------------------------------------------------- a sample

    cdef float *values_of(self, Py_ssize_t r) noexcept nogil:
        """Return the kernel values of a sample of the block against the slots."""
        return self.block.scored.values + r * self.block.scored.ld

    cdef void look(self, const Row *row) noexcept nogil:
        cdef Py_ssize_t c, p, r = row.at - self.first
        cdef float *k = self.values_of(r)
        cdef const float *gram = self.block.scored.gram + r * self.block.scored.gram_ld
        cdef int32_t slot
        for p in range(self.n_here):
            slot = self.slot_of[self.entered[p]]
            if slot >= 0:
                k[slot] = gram[self.entered[p]]
        for c in range(self.n_problems):
            self.margins[c] = table().dot(k, self.coef + c * self.ld, self.n_slots)
        self.squared_norm = self.extended_squared_norm = gram[r]

    cdef double variance_of(self, const Row *row, Py_ssize_t c) noexcept nogil:
        return self.squared_norm

    cdef void step(self, const Row *row, Py_ssize_t c, double along, double shrink) noexcept nogil:
        self.along[c] = along
        self.stepped = True

    cdef void steps(self, const Row *row, const double *along, const double *shrink,
                    Py_ssize_t n_taken) noexcept nogil:
        memcpy(self.along, along, self.n_problems * sizeof(double))
        self.stepped = True

    cdef void follow(self, const Row *row) noexcept nogil:
        """Add the steps made on the sample to its coefficients; enforce the budget."""
        cdef Py_ssize_t c, r = row.at - self.first
        cdef int32_t slot
        cdef bint enters
        if not self.stepped:
            return
        self.stepped = False
        slot = self.known(r)
        enters = slot < 0
        if enters:
            slot = self.enter(r)
        for c in range(self.n_problems):
            if self.along[c] == 0.0:
                continue
            self.coef[c * self.ld + slot] += self.along[c]
            if self.averaged:
                self.sums[c * self.ld + slot] += self.along[c] * self.lag
            if self.voted:
                self.votes.record(slot, <int32_t>c, self.along[c], <int64_t>self.lag)
        self.n_steps += 1
        if self.limited:
            self.budget.moved(self, slot, self.values_of(r), enters)
            if self.n_kept > self.budget.most:
                self.shrink()
        for c in range(self.n_problems):
            self.along[c] = 0.0

    cdef void shrink(self) noexcept nogil:
        """Remove a vector; without memory it is removed before the next block."""
        cdef int32_t leaver = self.budget.choose(self)
        if self.budget.give_up(self, leaver):
            self.leave(leaver)

    cdef int raise_error(self) except -1:
        """Raise the error of code that cannot raise, once."""
        cdef int code = self.code
        self.code = 0
        self.store.raise_errors(code)
        return 0

    cdef Py_ssize_t with_replays(self, Dataset dataset, Py_ssize_t position,
                                 Py_ssize_t n) noexcept nogil:
        """Return a size of the block for which no replay is left between it and a new sample.

        An interrupt after the block then loses none.
        """
        if position + n < dataset.n and dataset.order[position + n] >= self.n_new:
            return n + 1 if n < SIMD_BLOCK else n - 1
        return n

    cdef int64_t id_of(self, int64_t row) noexcept nogil:
        """Return the identifier of a sample of this call."""
        if self.replayed != NULL and row >= self.n_new:
            return self.replayed[row - self.n_new]
        return self.first_id + row

    cdef int32_t known(self, Py_ssize_t r) noexcept nogil:
        """Return the slot that a sample of the block has had since an earlier visit, or -1."""
        cdef int64_t row = self.block.rows[r], sample
        cdef int32_t s
        if self.slot_of_row != NULL:
            return self.slot_of_row[row]
        if self.replayed != NULL and row >= self.n_new:
            sample = self.id_of(row)
            for s in range(<int32_t>self.n_slots):
                if self.ids[s] == sample and self.alive[s]:
                    return s
        return -1

    cdef int32_t enter(self, Py_ssize_t r) noexcept nogil:
        """Assign a slot to a sample of the block."""
        cdef int32_t slot
        cdef int64_t row = self.block.rows[r]
        if self.n_free:
            self.n_free -= 1
            slot = self.free[self.n_free]
        else:
            slot = <int32_t>self.n_slots
            self.n_slots += 1
        self.n_kept += 1
        self.alive[slot] = 1
        self.ids[slot] = self.id_of(row)
        self.labels[slot] = self.row_labels[row]
        self.since[slot] = self.n_entered
        self.n_entered += 1
        self.diag[slot] = <float>self.squared_norm
        self.values_of(r)[slot] = <float>self.squared_norm
        self.pending[slot] = <int32_t>r
        self.slot_of[r] = slot
        self.entered[self.n_here] = <int32_t>r
        self.n_here += 1
        if self.slot_of_row != NULL:
            self.slot_of_row[row] = slot
        return slot

    cdef void leave(self, int32_t slot) noexcept nogil:
        """Release a slot."""
        cdef Py_ssize_t c
        cdef int64_t row = self.ids[slot] - self.first_id
        for c in range(self.n_problems):
            self.coef[c * self.ld + slot] = 0.0
            if self.averaged:
                self.sums[c * self.ld + slot] = 0.0
        if self.slot_of_row != NULL and row >= 0:
            self.slot_of_row[row] = -1
        if self.pending[slot] >= 0:
            self.slot_of[self.pending[slot]] = -1
            self.pending[slot] = -1
        self.alive[slot] = 0
        self.free[self.n_free] = slot
        self.n_free += 1
        self.n_kept -= 1

    cdef const float *kernel_row(self, int32_t slot) noexcept nogil:
        """Return the kernel values of a stored vector against all slots, computed or copied."""
        cdef Py_ssize_t p, n = round_up(self.store.n_slots, SIMD_TILE)
        cdef int32_t q, here = self.pending[slot]
        if here >= 0:
            memcpy(self.row, self.values_of(here), self.n_slots * sizeof(float))
        elif self.store.load_slots(self.lone, &slot, 1) < 0:
            self.code = -1
            return self.row
        else:
            self.store.values(self.lone, 0, n, self.row, 0)
            self.n_evaluations += n
        for p in range(self.n_here):
            q = self.entered[p]
            if self.slot_of[q] >= 0:
                # The value is in the row of the later of the two samples.
                self.row[self.slot_of[q]] = (
                    self.values_of(q)[slot] if here < 0
                    else self.block.gram[max(q, here) * SIMD_BLOCK + min(q, here)])
        return self.row

    # -------------------------------------------------------------------------- for budgets

    cdef double size_of(self, Py_ssize_t slot) noexcept nogil:
        cdef Py_ssize_t c
        cdef double a, size = 0.0
        for c in range(self.n_problems):
            a = self.coef[c * self.ld + slot]
            size += a * a
        return size * self.diag[slot]

    cdef void unite(self, Py_ssize_t c, int32_t slot, int32_t partner, double first,
                    double second) noexcept nogil:
        cdef double *coef = self.coef + c * self.ld
        cdef double *sums = self.sums + c * self.ld
        coef[partner] = first * coef[slot] + second * coef[partner]
        if self.averaged:
            sums[partner] = first * sums[slot] + second * sums[partner]

    cdef bint merge(self, int32_t slot, int32_t partner, double h) noexcept nogil:
        with gil:
            try:
                self.replace(slot, partner, h)
                return True
            except BaseException:
                self.code = -1              # raised as a MemoryError by `end`
                return False

    cdef int replace(self, int32_t slot, int32_t partner, double h) except -1:
        """Carry out ``merge``; whatever may fail comes before the first change."""
        cdef Py_ssize_t p, r, tile = partner // SIMD_TILE * SIMD_TILE
        cdef Py_ssize_t last, ld = self.block.scored.ld
        cdef float *values = self.block.scored.values
        cdef int32_t q
        cdef int64_t row = self.ids[partner] - self.first_id, first = 0
        one, other = self.vector_in(slot), self.vector_in(partner)
        if not (isinstance(one, np.ndarray) and isinstance(other, np.ndarray)):
            one, other = csr_matrix(one), csr_matrix(other)
        vector = (one * h + other * (1.0 - h)).astype(self.store.dtype)
        self.store.load(self.lone, vector, &first, 1)
        self.unshare()
        self.store.make_room(self.lone)
        if self.slot_of_row != NULL and row >= 0:
            self.slot_of_row[row] = -1
        if self.pending[partner] >= 0:
            self.slot_of[self.pending[partner]] = -1
            self.pending[partner] = -1
        if self.size_of(slot) > self.size_of(partner):
            self.labels[partner] = self.labels[slot]
        self.ids[partner] = -1
        self.since[partner] = self.n_entered
        self.n_entered += 1
        self.solution = None
        self.store.put(partner, self.lone, 0)
        last = round_up(self.store.n_slots, SIMD_TILE)
        self.store.values(self.lone, 0, last, self.row, 0)
        self.n_evaluations += last + SIMD_TILE * self.block.n
        # The samples of the block need values against it. They are computed for its tile, which
        # may also hold slots of vectors added in this block.
        self.store.values(self.block.block, tile, tile + SIMD_TILE, values, ld)
        for p in range(self.n_here):
            q = self.entered[p]
            slot = self.slot_of[q]
            if slot < 0:
                continue
            if slot // SIMD_TILE == partner // SIMD_TILE:
                for r in range(self.block.n):
                    values[r * ld + slot] = self.block.gram[r * SIMD_BLOCK + q]
            self.row[slot] = values[q * ld + partner]
        self.diag[partner] = self.row[partner]
        return 0

    cdef object vector_in(self, int32_t slot):
        """Return the vector in a slot, as an array or a CSR matrix of one row."""
        if self.pending[slot] >= 0:
            r = self.block.rows[self.pending[slot]]
            return self.source[r:r + 1]
        return self.store.vectors([slot])

    # -------------------------------------------------------------------------- predictions

    cdef bint is_read(self):
        """Return whether a prediction reads the vectors in place."""
        cdef Py_ssize_t n_known = 1          # the reference in the store
        if self.solution is not None and self.solution.store.lease is self.store.lease:
            if n_references(<PyObject *>self.solution) > 1:
                return True
            n_known = 2
        return n_references(<PyObject *>self.store.lease) > n_known

    cdef int unshare(self) except -1:
        """Leave the vectors to their readers, and continue with copies."""
        while self.is_read():
            try:
                self.store.unshare()
            except MemoryError:
                time.sleep(0.001)       # no memory for a copy: wait for the readers
        return 0

    def shown(self):
        """Return the solution used for predictions, or None if it has to be computed."""
        if self.busy and self.guard.is_mine():
            self.guard.refuse()
        return self.solution

    def show(self, n_rows):
        """Return the solution used for predictions, computed if necessary.

        The caller holds the guard; averages are over ``n_rows`` samples.
        """
        cdef Solution solution = self.solution
        cdef Py_ssize_t n = round_up(self.store.n_slots, SIMD_TILE)
        if solution is not None:
            return solution
        coef = np.zeros((self.n_problems, n))
        # Slots above were never written: their vectors were removed within the block.
        n = min(self.store.n_slots, self.n_slots)
        coef[:, :n] = self.coef_array[:, :n]
        if self.averaged and n_rows:
            coef[:, :n] -= self.sums_array[:, :n] / n_rows
        solution = solution_of(self.store, coef, np.zeros(self.n_problems),
                               self.ids_array[:n], self.labels_array[:n])
        solution.kept, solution.n_changes = self.kept, self.n_steps
        if self.voted:
            solution.votes = self.votes.shown(n_rows)
        self.solution = solution
        return solution

    def margins_kept(self):
        """Return the decision values that the budget maintains, for tests.

        Shape (n_problems, n_slots), NaN for free slots.
        """
        values = np.array(self.budget.state(self.n_slots)["f"])
        values[:, self.alive_array[:self.n_slots] == 0] = np.nan
        return values

    # -------------------------------------------------------------------------- state

    def state(self):
        """Return copies of all arrays from which ``restore`` rebuilds the expansion."""
        n = self.n_slots
        state = {
            "store": self.store.state(),
            "n_stored": self.store.n_slots,
            "n_slots": n,
            "coef": self.coef_array[:, :n].copy(),
            "diag": self.diag_array[:n].copy(),
            "labels": self.labels_array[:n].copy(),
            "ids": self.ids_array[:n].copy(),
            "since": self.since_array[:n].copy(),
            "free": self.free_array[:self.n_free].copy(),
            "n_entered": self.n_entered,
            "n_steps": self.n_steps,
            "n_evaluations": self.n_evaluations,
            "n_seen": self.n_seen,
        }
        if self.averaged:
            state["sums"] = self.sums_array[:, :n].copy()
        if self.limited:
            state["budget"] = self.budget.state(n)
        if self.voted:
            state["votes"] = self.votes.state()
        return state

    def restore(self, state):
        """Restore a result of ``state()`` into an empty expansion."""
        cdef Py_ssize_t n = state["n_slots"]
        self.n_seen, self.n_entered = state["n_seen"], state["n_entered"]
        self.n_steps, self.n_evaluations = state["n_steps"], state["n_evaluations"]
        free = state["free"]
        self.n_slots, self.n_free, self.n_kept = n, len(free), n - len(free)
        self.store.restore(state["store"], state["n_stored"])
        self.make_room()
        self.coef_array[:, :n] = state["coef"]
        if self.averaged:
            self.sums_array[:, :n] = state["sums"]
        for array, name in ((self.diag_array, "diag"), (self.labels_array, "labels"),
                            (self.ids_array, "ids"), (self.since_array, "since")):
            array[:n] = state[name]
        self.free_array[:len(free)] = free
        self.alive_array[:n] = 1
        self.alive_array[free] = 0
        if self.limited:
            self.budget.restore(state["budget"])
        if self.voted:
            self.votes.restore(state["votes"])
        self.solution = None
