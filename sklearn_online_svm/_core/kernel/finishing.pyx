"""Optimization over the support set: ``finish``, and the optimized solution for predictions.

The contract is in the ``.pxd``.
"""
from libc.stdint cimport int32_t, int64_t

from ..guard cimport share
from ..memory cimport round_up
from ..simd.primitives cimport SIMD_BLOCK, SIMD_TILE, table
from .members cimport Example
from .problem cimport Problem
from .resuming cimport Resuming
from .given_rows cimport Rows
from .solution cimport Solution, written_down

import numpy as np


cdef class Finishing(Resuming):
    # -------------------------------------------------------------------------- finish

    def finish(self, executor=None):
        """Optimize each problem over its support set, to its tolerance.

        After an interrupt the steps made are kept; after an error the former state is restored.
        """
        self.begin_call()
        for problem in self.problems:
            self.begin_alone(problem)
        self.resume_midst()
        self.slots.make_room()
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
                # Vectors of evicted members are released.
                self.write_store()
        self.n_done += 1

    cdef int make_whole(self) except -1:
        """Recompute every g after shrinking.

        After an interrupt the problem counts as solved, so that predictions do not continue the
        optimization.
        """
        cdef Problem problem
        for problem in self.problems:
            self.raise_errors(problem.unshrink())
            problem.solved_at = problem.n_changes
        return 0

    def settle(self, executor=None):
        """Compute the optimized solution, for predictions.

        The online solution does not change. After an interrupt or an error there is no optimized
        solution, and nothing else has changed.
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
                code = problem.balance(-problem.settled.residual)
                problem.settled.residual = 0.0
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
            # Creates no objects, so that restoring the online solution cannot fail.
            for k in range(len(todo)):
                problem = todo[k]
                if problem.settling:
                    problem.n_changes = changes[k]
                    problem.end_settling(done, former[k])
            self.busy = False

    @property
    def is_settled(self):
        """Whether the solution used for predictions is optimal."""
        return all(problem.is_settled for problem in self.problems)

    def unsettle(self):
        """Discard the optimized solutions: predictions use the online solution."""
        for problem in self.problems:
            problem.unsettle()

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
        """Recompute every g from alpha, which removes accumulated rounding errors."""
        for problem in self.problems:
            slots = problem.slots()
            self.set_gradients(problem, slots,
                               self.gradients(problem, slots, problem.members["alpha"][slots]))
        self.n_done += 1

    def recompute(self):
        """Recompute K(x, x) and g, for a support set that comes from another kernel."""
        cdef Problem problem
        cdef Py_ssize_t first, size, r
        cdef const int32_t[::1] index
        cdef const int64_t[::1] slots
        cdef int code
        for problem in self.problems:
            self.begin_alone(problem)
            slots = problem.slots()
            index = problem.members["index"][slots]
            for first in range(0, slots.shape[0], SIMD_BLOCK):
                size = min(SIMD_BLOCK, slots.shape[0] - first)
                self.fresh.load_slots(&index[first], size)
                with nogil:
                    code = self.store.gram(self.fresh.block, self.fresh.gram, SIMD_BLOCK)
                self.raise_errors(code)
                for r in range(size):
                    problem.members.diag[slots[first + r]] = self.fresh.gram[r * SIMD_BLOCK + r]
        self.refresh()

    def drop(self, Py_ssize_t c, slots):
        """Remove the members of problem ``c`` in ``slots``, whatever their alpha.

        The remaining alphas are changed to meet the constraints, and g is updated, so that
        training can continue. After an error the former state is restored.
        """
        cdef Problem problem = self.problems[c]
        cdef Py_ssize_t slot
        cdef double total = 0.0
        self.begin_call()
        self.begin_alone(problem)
        self.slots.make_room()
        saved, done = self.saved(), False
        try:
            for slot in slots:
                total -= problem.members.alpha[slot]
                self.raise_errors(problem.drop(slot))
            problem.refresh()
            self.raise_errors(problem.balance(total))
            problem.refresh()
            done = True
        finally:
            if not done:
                self.take_back(saved)
            self.write_store()
        self.n_done += 1

    # -------------------------------------------------------------------------- changing boxes

    def moved(self, Rows given, rows, alpha):
        """Return ``alpha`` (n_problems, len(rows)) moved into the boxes of the samples."""
        return np.array([
            problem.moved(mine, *given.boxes(c, self.class_of(c), rows))
            for c, (problem, mine) in enumerate(zip(self.problems, alpha))
        ]).reshape(len(self.problems), len(rows))

    def rebox(self, Rows given):
        """Set the boxes of the support set to those of ``given``; move alpha and update g.

        All members must be samples of X. An interrupt or an error leaves the state unchanged.
        """
        cdef Problem problem
        self.unsettle()
        todo = []
        for c, problem in enumerate(self.problems):
            slots = problem.slots()
            boxes = given.boxes(c, self.class_of(c), problem.members["row_id"][slots])
            alpha = problem.moved(problem.members["alpha"][slots], *boxes)
            todo.append((slots, *boxes, alpha, self.gradients(problem, slots, alpha)))
        for problem, (slots, lower, upper, alpha, g) in zip(self.problems, todo):
            problem.members.rebox(slots, lower, upper, alpha)
            self.set_gradients(problem, slots, g)
        self.solution = None
        self.n_done += 1

    def place(self, Rows given, alpha, g):
        """Set boxes, alpha and g of the support set; g is not computed.

        The boxes are those of ``given``. alpha, within them, and g are given per problem, over all
        slots. All members must be samples of X.
        """
        cdef Problem problem
        self.unsettle()
        for c, problem in enumerate(self.problems):
            slots = problem.slots()
            boxes = given.boxes(c, self.class_of(c), problem.members["row_id"][slots])
            problem.members.rebox(slots, *boxes, alpha[c][slots])
            self.set_gradients(problem, slots, g[c][slots])
        self.solution = None
        self.n_done += 1

    def violations(self, Rows given, const double[:, ::1] scores):
        """Return the (n_problems, n_rows) violation of each sample of X, at its alpha.

        ``scores`` (n_rows, n_problems) are the decision values.
        """
        cdef Problem problem
        cdef Example row
        cdef Py_ssize_t c, r, n_rows = scores.shape[0]
        cdef double[::1] alpha
        cdef double[:, ::1] violation = np.zeros((len(self.problems), n_rows))
        cdef double g
        for c in range(len(self.problems)):
            problem = self.problems[c]
            slots = problem.slots()
            alpha = np.zeros(n_rows)
            np.asarray(alpha)[problem.members["row_id"][slots]] = problem.members["alpha"][slots]
            for r in range(n_rows):
                given.describe(&row, r, c, self.class_of(c))
                g = row.target - (scores[r, c] - problem.b)
                violation[c, r] = problem.violation_by(
                    g, alpha[r] < row.upper, alpha[r] > row.lower)
        return np.asarray(violation)

    def set_gradients(self, Problem problem, slots, g):
        if len(slots):
            self.begin_alone(problem)
            problem.members["g"][slots] = g
            problem.refresh()
            self.solution = None            # b may have changed

    def gradients(self, Problem problem, slots, alpha):
        """Compute g of the members in ``slots`` for the given ``alpha``."""
        cdef Py_ssize_t first, size, r, ld = round_up(self.store.n_slots, SIMD_TILE)
        cdef double[::1] coef = np.zeros(ld)
        cdef double[::1] g = np.zeros(len(slots))
        cdef const int32_t[::1] index = problem.members["index"][slots]
        cdef const double[::1] target = problem.members["target"][slots]
        cdef float[::1] values = np.zeros(SIMD_BLOCK * ld + 1, dtype=np.float32)
        np.add.at(np.asarray(coef), np.asarray(index), alpha)
        for first in range(0, len(slots), SIMD_BLOCK):
            size = min(SIMD_BLOCK, len(slots) - first)
            self.fresh.load_slots(&index[first], size)
            with nogil:
                self.store.values(self.fresh.block, 0, ld, &values[0], ld)
                for r in range(size):
                    g[first + r] = target[first + r] - table().dot(
                        &values[r * ld], &coef[0], ld)
            self.raise_errors(0)
            self.n_evaluations += size * self.store.n_slots
            self.raise_interrupts()
        return np.asarray(g)

    # -------------------------------------------------------------------------- predictions

    def prepare(self, bint settling, int64_t steps, executor=None):
        """Prepare the solution used for predictions; the caller holds the guard.

        ``settling``: optimize over the support set, with at most ``steps`` steps.
        """
        cdef Problem problem
        cdef list left = []
        if not settling:
            self.unsettle()
        elif not self.is_settled:
            # A training call may be suspended, waiting for this one: its limits are restored.
            for problem in self.problems:
                left.append((problem.steps_left, problem.steps_kept, problem.cut_short))
            self.allow(steps)
            try:
                self.settle(executor)
            finally:
                for problem, limits in zip(self.problems, left):
                    problem.steps_left, problem.steps_kept, problem.cut_short = limits

    def shown(self, bint settling):
        """Return the solution used for predictions, or None if it has to be computed."""
        cdef Solution solution = self.solution
        if self.busy and self.guard.is_mine():
            self.guard.refuse()
        return solution if solution is not None and solution.settling == settling else None

    def show(self, bint settling, int64_t steps, executor=None):
        """Return the solution used for predictions, computed if necessary."""
        solution = self.shown(settling)
        if solution is not None:
            return solution
        if self.guard.is_mine():
            return self.renew(settling, steps, executor)
        with self.guard.reading():
            return self.renew(settling, steps, executor)

    cdef Solution renew(self, bint settling, int64_t steps, executor):
        """Compute the solution used for predictions; the caller holds the guard."""
        cdef Solution solution = self.solution
        if solution is None or solution.settling != settling:
            self.prepare(settling, steps, executor)
            solution = self.present()
            solution.settling = settling
            self.solution = solution
        return solution

    cpdef Solution present(self):
        """Return the current solution: the optimized one if up to date, else the online one."""
        cdef Solution solution = written_down(self.store, self.slots, self.problems)
        solution.kept, solution.n_changes = self.kept, self.n_changes
        return solution
