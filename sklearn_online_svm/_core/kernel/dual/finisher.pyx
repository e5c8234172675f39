"""Optimization over the support set: ``finish``, and the optimized solution for predictions."""
cimport cython
from cpython.ref cimport PyObject
from libc.math cimport INFINITY, NAN, fmax
from libc.stdint cimport int32_t, int64_t
from libc.string cimport memcpy

from ...guard cimport Halt, share
from ...interrupts cimport check_interrupts
from ...memory cimport round_up
from ...simd.primitives cimport SIMD_BLOCK, SIMD_TILE, simd_extremes, table
from ...threads.slices cimport axpy, n_parts_of, share_values
from ...threads.team cimport Team
from ..vectors.block cimport BlockValues, SampleBlock, Samples
from ..rows.active_set cimport Front
from ..rows.kernel_matrix cimport KernelMatrix
from .problem cimport Problem
from .slots cimport Slots, WorkSpace
from ..vectors.stores cimport Block, Store
from ..vectors.support_set cimport Example, SupportSet, falling_g, turn_to_alpha

from ..rows.working_set import most_violating
from .... import _limits

import numpy as np

# Minimum number of steps of ``finish``, if so many are left.
cdef int64_t MIN_STEPS = 50_000
# Part of the violation that is left when the optimization over a working set ends.
cdef double WORKING_SET_PRECISION = 0.1

# Slots whose kernel values are computed at a time, for a block: they remain in the L2 cache.
cdef enum:
    STRIPE = 2048


# Changes of alpha, which change g.
cdef struct Moves:
    Py_ssize_t n
    const int64_t *slots
    const int32_t *places   # in the store
    const float *diag
    const double *alpha
    const double *old_alpha
    PyObject *store
    PyObject *block         # the vectors
    float *values           # work space of each part
    double *change          # of g, by slot of the store
    Py_ssize_t n_slots


cdef inline bint has_steps(Problem problem) noexcept nogil:
    """Return whether ``finish`` may make another step."""
    return problem.steps_left > problem.steps_after


cdef void move_stripes(void *context, Py_ssize_t part, Py_ssize_t n_parts) noexcept nogil:
    cdef Moves *m = <Moves *>context
    cdef float *values = m.values + part * SIMD_BLOCK * STRIPE
    cdef Py_ssize_t start = part * STRIPE, size, r
    while start < m.n_slots:
        size = min(STRIPE, m.n_slots - start)
        (<Store>m.store).values(<Block>m.block, start, start + size, values - start, STRIPE)
        for r in range(m.n):
            # The ridge of a squared loss is part of the diagonal.
            if start <= m.places[r] < start + size:
                values[r * STRIPE + m.places[r] - start] = m.diag[m.slots[r]]
            table().axpy(m.old_alpha[m.slots[r]] - m.alpha[m.slots[r]], values + r * STRIPE,
                         m.change + start, size)
        start += n_parts * STRIPE


@cython.final
cdef class Finisher:
    def __init__(self, Slots slots, Halt halt):
        self.slots, self.store, self.problems = slots, slots.store, slots.problems
        self.halt, self.share, self.team = halt, 1.0, Team()
        self.working_set_size = _limits.WORKING_SET_SIZE
        self.block = SampleBlock(self.store)

    cdef int begin_alone(self, Problem problem) except -1:
        """Begin an empty block, to fit lengths and buffers to the support set."""
        cdef BlockValues values
        values.values, values.gram, values.ld, values.gram_ld = NULL, NULL, 0, 0
        self.slots.divide_memory()
        return problem.begin_block(&values, 0)

    # -------------------------------------------------------------------------- finish

    cdef int finish(self, list problems, executor) except -1:
        """Optimize problems over their support sets, from where they are."""
        if self.slots.counted:
            self.slots.reserve_work_spaces(executor)
        if len(problems) == 1:
            return self.finish_together(problems[0], executor)
        if executor is None:
            try:
                for problem in problems:
                    self.finish_problem(problem)
            finally:
                self.halt.now = False
            return 0
        sizes = [-(<Problem>problem).members.n for problem in problems]
        calls = [(self.finish_problem, problems[k]) for k in np.argsort(sizes, kind="stable")]
        while True:
            share(calls, executor, self.halt)
            # A signal has ended the threads early.
            check_interrupts()
            if all([(<Problem>problem).is_finished for problem in problems]):
                return 0

    cdef int finish_together(self, Problem problem, executor) except -1:
        """Optimize one problem, in which all threads share the loops."""
        cdef Team former = problem.team
        problem.share_loops(self.team)
        self.team.open(executor)
        try:
            self.finish_problem(problem)
        finally:
            self.team.close()
            problem.share_loops(former)
            self.halt.now = False
        return 0

    def finish_problem(self, Problem problem):
        """Optimize one problem, checking signals now and then."""
        cdef int code = 0
        if not problem.finishing:
            self.begin_finish(problem)
        cdef WorkSpace space = None
        if self.slots.counted:
            space = self.slots.borrow()
            problem.matrix.use(space.computer)
        try:
            problem.matrix.load_working_set()       # of an interrupted call
            while not problem.is_finished and not self.halt.now:
                if n_parts_of(problem.team, problem.members.n) > 1:
                    problem.team.call_helpers()
                with nogil:
                    code = self.make_steps(problem)
                problem.is_finished = code == 1
                problem.matrix.raise_errors(code)
                if code == 2:
                    self.unshrink(problem)
                    self.choose_working_set(problem)
                check_interrupts()
                if self.progress is not None:
                    try:
                        self.progress()
                    except BaseException:
                        self.halt.now = True        # a callback stops all threads
                        raise
        finally:
            problem.matrix.unload_working_set()
            problem.matrix.release_vectors()
            if space is not None:
                self.slots.give_back(space)

    cdef int begin_finish(self, Problem problem) except -1:
        """Set the tolerance tau, and the limit of steps to a share of those left."""
        cdef int64_t steps_after = <int64_t>((1.0 - self.share) * problem.steps_left)
        problem.tau = problem.final_tolerance()
        problem.steps_to_shrink = min(problem.members.n, 1000)
        problem.steps_after = max(0, min(steps_after, problem.steps_left - MIN_STEPS))
        problem.chosen_at = -1
        problem.finishing, problem.is_finished = True, False
        problem.step_violation = NAN
        return 0

    cdef int make_steps(self, Problem problem) except -2 nogil:
        """Make steps until the violation is at most tau.

        The steps are made on a shrinking set of active slots; if there are many slots, on one
        working set after the other.

        Returns after about ``work_limit`` accessed array elements: 1 if solved, 0 if not yet, -1
        if out of memory, and 2 if the active slots are solved: ``unshrink`` must recompute g of
        the others, and ``choose_working_set`` choose the next ones. Where it returns does not
        change the steps. Between calls the problem may be shrunk.
        """
        cdef Front front
        cdef int moved
        cdef double violation, goal, total = 0.0
        cdef int64_t n_steps = 0, n_turned = -1
        if not problem.both_seen:
            return 1
        problem.matrix.work = 0.0
        while problem.matrix.work < problem.work_limit:
            front = problem.matrix.active.front(problem.members)
            violation = problem.violation_of(front.extremes)
            moved = 0
            if self.needs_working_set(problem, violation):
                return 2
            goal = problem.matrix.active.goal if problem.matrix.active.chosen else problem.tau
            if violation > goal and has_steps(problem):
                moved = problem.finish_step(&front)
                if moved < 0:
                    return -1
                problem.steps_left -= 1
            if not moved:
                # Solved, or to the precision of doubles, or the limit of steps is reached.
                if not problem.matrix.active.shrunk:
                    # At the precision of doubles, only after other steps: it may change nothing.
                    if (violation <= problem.tau or n_steps > n_turned) and problem.turn_zeros():
                        n_turned = n_steps
                        continue
                    return -1 if problem.evict_at_optimum() < 0 else 1
                return 2
            total += violation
            n_steps += 1
            problem.step_violation = total / n_steps
            problem.n_changes += 1
            problem.matrix.work += 2.0 * front.n + 100.0
            problem.n_operations += 2 * front.n
            problem.steps_to_shrink -= 1
            if (problem.shrinking and problem.steps_to_shrink <= 0
                    and not problem.matrix.active.chosen):
                problem.steps_to_shrink = min(front.n, 1000)
                if problem.matrix.active.shrink(
                        problem.team, problem.members, problem.low_of(front.extremes),
                        problem.high_of(front.extremes)) < 0:
                    return -1
        return 0

    cdef bint needs_working_set(self, Problem problem, double violation) noexcept nogil:
        """Return whether a working set is to be chosen.

        If no step could be made on the latest one, steps are made on all slots.
        """
        return (problem.members.n >= 2 * self.working_set_size
                and not problem.matrix.active.shrunk and violation > problem.tau
                and has_steps(problem) and problem.chosen_at != problem.n_changes)

    cdef int choose_working_set(self, Problem problem) except -1:
        """Make the most violating slots the active ones, unless no working set is needed."""
        cdef SupportSet m = problem.members
        cdef simd_extremes e = m.extremes
        cdef double violation = problem.violation_of(&e)
        if not self.needs_working_set(problem, violation):
            return 0
        former = np.zeros(0, dtype=np.int32)
        if problem.chosen_at >= 0:
            former = problem.matrix.active.former
        slots = most_violating(
            m["g"], m["up"] != 0, m["down"] != 0, problem.low_of(&e), problem.high_of(&e), former,
            min(self.working_set_size, problem.matrix.working_set_limit()))
        problem.matrix.active.choose(
            problem.team, m, slots, fmax(problem.tau, WORKING_SET_PRECISION * violation))
        problem.matrix.load_working_set()
        problem.chosen_at = problem.n_changes
        return 0

    cdef int unshrink(self, Problem problem) except -1:
        """Recompute g of the slots that are not active, checking signals between blocks.

        g of the active slots is current. The others change by the alphas changed since they were
        removed, in the order of the slots. An interrupted call can be repeated.
        """
        cdef:
            SupportSet members = problem.members
            KernelMatrix matrix = problem.matrix
            Store store
            SampleBlock block
            Py_ssize_t first, s, n_uncached, ld
            double *old_alpha = matrix.active.old_alpha
            float *row
            const float *shared
            float[::1] values
            int32_t[::1] index
        if not matrix.active.shrunk:
            return 0
        matrix.use(matrix.computer)
        matrix.load_vectors()
        store, index = matrix.store, np.empty(SIMD_BLOCK, dtype=np.int32)
        block, ld = SampleBlock(store), round_up(store.n_slots, SIMD_TILE)
        if not matrix.active.chosen:
            values = np.empty(SIMD_BLOCK * ld, dtype=np.float32)
        changed = np.flatnonzero(
            members["alpha"] != np.asarray(<double[:members.n]>old_alpha)).tolist()
        for first in range(0, len(changed), SIMD_BLOCK):
            slots = changed[first:first + SIMD_BLOCK]
            if matrix.active.chosen:
                self.move_block(problem, np.array(slots))
                check_interrupts()
                continue
            uncached = [s for s in slots
                        if matrix.rows.rows[s].values == NULL and not matrix.has_shared(s)]
            for n_uncached, s in enumerate(uncached):
                index[n_uncached] = matrix.place(s)
            if uncached:
                block.load_slots(&index[0], len(uncached))
                with nogil:
                    share_values(problem.team, store, block.block, ld, &values[0], ld)
                store.raise_errors(0)
                self.n_evaluations += len(uncached) * store.n_slots
            n_uncached = 0
            for s in slots:
                if n_uncached < len(uncached) and s == uncached[n_uncached]:
                    row = matrix.gathered_row(&values[n_uncached * ld])
                    row[s] = members.diag[s]
                    n_uncached += 1
                elif matrix.rows.rows[s].values == NULL and matrix.has_shared(s):
                    shared = matrix.shared_row(s)
                    row = matrix.gathered_row(<float *>shared)
                    row[s] = members.diag[s]
                    matrix.give_back(s, shared)
                else:
                    row = <float *>matrix.row(s, -1)
                    if row == NULL:
                        self.store.raise_errors(-1)
                axpy(problem.team, old_alpha[s] - members.alpha[s], row, members.g, members.n)
                # After an interrupt, or an error of a kernel function, it must not be repeated.
                old_alpha[s] = members.alpha[s]
            check_interrupts()
        matrix.active.write_back(members)
        matrix.active.forget()
        problem.refresh()
        return 0

    cdef int move_block(self, Problem problem, slots) except -1:
        """Change g by the changes of alpha in up to ``SIMD_BLOCK`` slots, without cached rows."""
        cdef:
            SupportSet members = problem.members
            Store store = problem.matrix.store
            SampleBlock block = SampleBlock(store)
            double *old_alpha = problem.matrix.active.old_alpha
            const int64_t[::1] moved = slots
            const int32_t[::1] index = problem.matrix.places(slots)
            double[::1] change = np.zeros(round_up(store.n_slots, SIMD_TILE))
            Py_ssize_t n = moved.shape[0], n_parts, r, s
            float[:, ::1] values
            Moves moves
        block.load_slots(&index[0], n)
        moves.n, moves.slots, moves.places, moves.diag = n, &moved[0], &index[0], members.diag
        moves.alpha, moves.old_alpha = members.alpha, old_alpha
        moves.store, moves.block = <PyObject *>store, <PyObject *>block.block
        moves.change, moves.n_slots = &change[0], change.shape[0]
        n_parts = 1 if store.cost == INFINITY else problem.team.size
        values = np.empty((n_parts, SIMD_BLOCK * STRIPE), dtype=np.float32)
        moves.values = &values[0, 0]
        with nogil:
            problem.team.run(move_stripes, &moves, n_parts)
        store.raise_errors(0)
        self.n_evaluations += n * store.n_slots
        for s in range(members.n):
            if members.alive[s]:
                members.g[s] += change[problem.matrix.place(s)]
        for r in range(n):
            old_alpha[moved[r]] = members.alpha[moved[r]]
        return 0

    cdef int end_finish(self) except -1:
        """Recompute every g after shrinking.

        After an interrupt the problem counts as solved, so that predictions do not continue the
        optimization.
        """
        cdef Problem problem
        for problem in self.problems:
            self.unshrink(problem)
            problem.solved_at = problem.n_changes
        return 0

    cdef int optimize(self, executor) except -1:
        """Compute the optimized solution, for predictions.

        The online solution does not change. After an interrupt or an error there is no optimized
        solution, and nothing else has changed.
        """
        cdef Problem problem
        cdef int code
        cdef list todo = [problem for problem in self.problems if not problem.is_optimized]
        cdef list counts = [(problem.n_changes, problem.n_operations) for problem in todo]
        cdef list former = []
        cdef double online
        cdef Py_ssize_t k
        cdef bint done = False
        for problem in todo:
            self.begin_alone(problem)
            former.append(problem.optimized.copy())
        try:
            for problem in todo:
                problem.begin_optimizing()
                problem.matrix.use(problem.matrix.computer)
                problem.refresh()
                if problem.optimized.residual != 0.0:
                    online, problem.total = problem.total, -problem.optimized.residual
                    code = problem.balance()
                    problem.optimized.residual, problem.total = -problem.total, online
                    self.store.raise_errors(code)
                    problem.refresh()
            self.finish(todo, executor)
            for problem in todo:
                self.unshrink(problem)
            done = True
        finally:
            # Creates no objects, so that restoring the online solution cannot fail.
            for k in range(len(todo)):
                problem = todo[k]
                if problem.optimizing:
                    problem.n_changes = counts[k][0]
                    if not done:
                        problem.n_operations = counts[k][1]
                    problem.end_optimizing(done, former[k])
        return 0

    def remove(self, Problem problem, slots):
        """Remove members; change the remaining alphas to meet the constraints, and update g."""
        cdef Py_ssize_t slot
        self.begin_alone(problem)
        for slot in slots:
            self.store.raise_errors(problem.remove(slot))
        self.store.raise_errors(problem.rebalance())

    cdef object values_without(self, Problem problem, slots, int64_t steps_to_begin):
        """Return the decision values of members, each at the optimum without it."""
        cdef SupportSet members = problem.members
        cdef Py_ssize_t slot, k
        values, saved = np.full(len(slots), np.nan), members.state()
        for k, slot in enumerate(slots):
            problem.steps_left -= steps_to_begin
            self.leave_out(problem, slot)
            self.finish_together(problem, None)
            self.unshrink(problem)
            problem.finishing = False
            if problem.steps_left > 0:
                values[k] = members.target[slot] - members.g[slot] + problem.b
            members.restore(saved)
            problem.refresh()
            if problem.steps_left <= 0:
                break
        return values

    cdef int leave_out(self, Problem problem, Py_ssize_t slot) except -1:
        """Set alpha and the box of a member to 0; change other alphas to meet the constraint."""
        cdef SupportSet members = problem.members
        cdef double alpha = members.alpha[slot]
        cdef const float *row
        self.begin_alone(problem)
        row = problem.matrix.row(slot, -1)
        if row == NULL:
            self.store.raise_errors(-1)
        axpy(problem.team, alpha, row, members.g, members.n)
        members.move(slot, -alpha)
        members.remove_zero(slot)           # it has no room on the other side of a tube either
        members.lower[slot] = members.upper[slot] = members.bound[slot] = 0.0
        members.up[slot] = members.down[slot] = 0
        problem.total -= alpha
        problem.n_changes += 1
        return self.store.raise_errors(problem.rebalance())

    # -------------------------------------------------------------------------- gradients

    cdef int refresh(self) except -1:
        """Recompute every g from alpha."""
        for problem in self.problems:
            slots = problem.slots()
            self.set_gradients(problem, slots,
                               self.gradients(problem, slots, problem.members["alpha"][slots]))
        return 0

    cdef int set_gradients(self, Problem problem, slots, g) except -1:
        if len(slots):
            self.begin_alone(problem)
            problem.members["g"][slots] = g
            problem.refresh()
        return 0

    cdef int set_lower_gradients(self, Problem problem, slots, g) except -1:
        """Set g, given for the target of the lower side of the tube in regression."""
        return self.set_gradients(problem, slots, problem.members.from_lower_side(slots, g))

    cdef int recompute(self) except -1:
        """Recompute K(x, x) and g, for a support set that comes from another kernel."""
        for problem in self.problems:
            self.recompute_diagonal(problem)
        return self.refresh()

    cdef int recompute_diagonal(self, Problem problem) except -1:
        """Recompute K(x, x), and add the ridge."""
        cdef Py_ssize_t first, size, r
        cdef const int32_t[::1] index
        cdef const int64_t[::1] slots = problem.slots()
        cdef int code
        self.begin_alone(problem)
        index = problem.members["index"][np.asarray(slots)]
        for first in range(0, slots.shape[0], SIMD_BLOCK):
            size = min(SIMD_BLOCK, slots.shape[0] - first)
            self.block.load_slots(&index[first], size)
            with nogil:
                code = self.store.gram(self.block.block, self.block.gram, SIMD_BLOCK)
            self.store.raise_errors(code)
            for r in range(size):
                problem.members.diag[slots[first + r]] = <float>(
                    self.block.gram[r * SIMD_BLOCK + r]
                    + problem.members.ridge[slots[first + r]])
        return 0

    cdef object gradients(self, Problem problem, slots, alpha):
        """Compute g of the members in ``slots`` for the given ``alpha``."""
        cdef Py_ssize_t first, size, r, s, f, ld
        cdef KernelMatrix matrix = problem.matrix
        cdef Store store
        cdef const float *shared
        cdef double[::1] coef
        cdef double[::1] products = np.zeros(len(slots))
        cdef int32_t[::1] index, free = self.slots.free
        cdef float[::1] values
        self.begin_alone(problem)       # the cache has as many slots as the store
        matrix.load_vectors()
        store = matrix.store
        ld = round_up(store.n_slots, SIMD_TILE)
        coef, values = np.zeros(ld), np.zeros(SIMD_BLOCK * ld + 1, dtype=np.float32)
        np.add.at(np.asarray(coef), matrix.places(slots), alpha)
        uncached = []
        for r, s in enumerate(slots):
            if not matrix.has_shared(s):
                uncached.append(r)
                continue
            shared = matrix.shared_row(s)
            memcpy(&values[0], shared, store.n_slots * sizeof(float))
            matrix.give_back(s, shared)
            for f in range(self.slots.n_free):
                values[free[f]] = 0.0       # undefined in cached rows
            # The order of the sum depends on the length.
            products[r] = table().dot(&values[0], &coef[0], ld)
        for first in range(0, len(uncached), SIMD_BLOCK):
            places = uncached[first:first + SIMD_BLOCK]
            size = len(places)
            index = matrix.places(slots[places])
            store.raise_errors(store.load_slots(self.block.block, &index[0], size))
            with nogil:
                share_values(problem.team, store, self.block.block, ld, &values[0], ld)
            for r in range(size):
                products[places[r]] = table().dot(&values[r * ld], &coef[0], ld)
            store.raise_errors(0)
            self.n_evaluations += size * store.n_slots
            check_interrupts()
        matrix.release_vectors()
        target = problem.members["target"][slots] - problem.members["ridge"][slots] * alpha
        return target - np.asarray(products)

    # -------------------------------------------------------------------------- boxes

    cdef int rebox(self, Samples given) except -1:
        """Set the boxes of the support set to those of ``given``; move alpha and update g."""
        cdef Problem problem
        todo = []
        for c, problem in enumerate(self.problems):
            slots = problem.slots()
            boxes = given.boxes(c, problem.classes, problem.members["row_id"][slots])
            alpha = problem.moved(problem.members["alpha"][slots], *boxes)
            todo.append((slots, *boxes, alpha, self.gradients(problem, slots, alpha)))
        for problem, (slots, lower, upper, alpha, g) in zip(self.problems, todo):
            problem.members.rebox(slots, lower, upper, alpha)
            self.set_gradients(problem, slots, g)
        return 0

    cdef int place(self, Samples given, alpha, g) except -1:
        """Set the boxes of the support set to those of ``given``, and alpha and g per problem."""
        cdef Problem problem
        for c, problem in enumerate(self.problems):
            slots = problem.slots()
            row_ids = problem.members["row_id"][slots]
            boxes = given.boxes(c, problem.classes, row_ids)
            problem.members.turn_to(slots, alpha[c][slots])
            problem.members.rebox(slots, *boxes, alpha[c][slots])
            if given.squared:
                problem.members["ridge"][slots] = given.ridges(row_ids)
                self.recompute_diagonal(problem)
            self.set_lower_gradients(problem, slots, g[c][slots])
        return 0

    cdef object violations(self, Samples given, const double[:, ::1] scores):
        """Return the (n_problems, n_rows) violation of each given sample of X, at its alpha.

        ``scores`` (n_rows, n_problems) are the decision values. NaN: the sample does not belong to
        the problem.
        """
        cdef Problem problem
        cdef Example row
        cdef Py_ssize_t c, r, n_rows = scores.shape[0]
        cdef double[::1] alpha
        cdef object ids = np.asarray(given.row_ids)
        cdef double[:, ::1] violation = np.zeros((len(self.problems), n_rows))
        cdef double g
        for c in range(len(self.problems)):
            problem = self.problems[c]
            m = problem.view()
            of_member = np.zeros(1 + max(ids.max(initial=-1), m.row_id.max(initial=-1)))
            of_member[m.row_id] = m.alpha
            alpha = of_member[ids]
            for r in range(n_rows):
                if not given.belongs(r, problem.codes):
                    violation[c, r] = NAN
                    continue
                given.describe(&row, r, c, problem.codes)
                turn_to_alpha(problem.members, &row, alpha[r])
                g = (row.target - row.ridge * alpha[r]
                     - (scores[r, c] / problem.scale() - problem.b))
                violation[c, r] = problem.violation_by(
                    g, alpha[r] < row.upper, alpha[r] > row.lower)
                if alpha[r] == 0.0:
                    violation[c, r] = max(violation[c, r], problem.violation_by(
                        falling_g(problem.members, &row, g), False, row.upper > 0.0))
        units = [(<Problem>problem).unit() or 1.0 for problem in self.problems]
        return np.asarray(violation) / np.array(units)[:, np.newaxis]
