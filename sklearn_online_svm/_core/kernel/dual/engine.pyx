"""The engine of a kernel model: problems over one vector store.

``learn`` trains on samples (see ``stream.pyx``), ``finish`` optimizes over the support set (see
``finisher.pyx``), ``solution`` returns the solution that predictions use. ``state`` returns the
complete state of an engine, except cached kernel rows, which can be recomputed.

SIGINT is raised between two blocks of samples, or every few milliseconds within ``finish``. After
an interrupt the model is usable, and ``checkpoint`` is the state from which training continues as
if it had not been interrupted. What else can be interrupted says what is left then.
"""
cimport cython
from libc.stdint cimport int64_t

from ...guard cimport Guard, Halt
from ...interrupts import DeferredInterrupts
from ...threads.team cimport Team
from ..vectors.block cimport OTHERS, Samples
from .flat_states import flattened, split
from .finisher cimport Finisher
from .problem cimport Problem
from .slots cimport Slots
from .solution cimport Solution, written_down
from ..vectors.stores cimport Store
from .stream cimport Stream

import numpy as np

# What is known of a sample in the store.
SAMPLE = np.dtype([("slot", np.int64), ("row_id", np.int64), ("origin", np.int8),
                   ("cost", np.float64), ("born", np.int64), ("label", np.int32)])


@cython.final
cdef class Engine:
    """Problems over one store.

    ``problems``: one (binary), one per class, or one per pair of classes.
    ``row_bytes``: total size of the kernel caches of several problems; ignored for a single one.
    ``classes``: codes of the positive and the negative class of each problem, -1 for all other
        classes. Default: class 1 and others in a single problem, else one class and the others in
        each.
    """
    def __init__(self, Store store, list problems, Py_ssize_t row_bytes=0, classes=None):
        cdef Halt halt = Halt()
        if classes is None:
            codes = range(len(problems)) if len(problems) > 1 else [1]
            classes = [(code, OTHERS) for code in codes]
        for problem, of_problem in zip(problems, classes, strict=True):
            problem.classes = of_problem
        self.store = store
        self.problems = problems
        self.kept = {}
        self.guard = Guard()
        self.slots = Slots(store, problems)
        self.stream = Stream(self.slots, self.guard, halt)
        # If there are several problems, one thread works on each.
        team = self.stream.team if len(problems) == 1 else Team()
        for problem in problems:
            (<Problem>problem).share_loops(team)
        self.finisher = Finisher(self.slots, halt)
        self.set_cache_size(row_bytes)

    def set_cache_size(self, Py_ssize_t row_bytes):
        """Set the size of the kernel caches of several problems."""
        self.slots.set_cache_size(row_bytes)

    # -------------------------------------------------------------------------- state

    def state(self):
        """Return copies of all arrays from which ``restore`` rebuilds the engine."""
        return {
            "store": self.store.state(),
            "n_slots": self.store.n_slots,
            "problems": flattened(self.slots.saved()),
            "n_evaluations": self.stream.n_evaluations + self.finisher.n_evaluations,
            "n_processed": self.stream.n_processed,
            **self.slots.state(),
        }

    def restore(self, state):
        """Restore a result of ``state()``; vectors are copied before they are changed."""
        self.store.restore(state["store"], state["n_slots"])
        self.stream.n_evaluations, self.finisher.n_evaluations = state["n_evaluations"], 0
        self.stream.n_processed = state["n_processed"]
        self.slots.take_back(split(state["problems"]))
        self.slots.restore(state)
        self.touched()

    def read_state(self):
        """Return the part of the state that predictions may change."""
        return flattened([problem.read_state() for problem in self.problems])

    def restore_read_state(self, state):
        """Restore a result of ``read_state``."""
        for problem, of_problem in zip(self.problems, split(state), strict=True):
            problem.restore_read_state(of_problem)

    def stored_samples(self):
        """Return what is known of the samples in the store, in the order of their slots.

        A structured array with the fields ``slot``, ``row_id``, ``origin``, ``cost``, ``label``
        (class code) and ``born``, the number of samples that had been processed before (0 without
        a window).
        """
        cdef Problem problem
        samples = np.zeros(self.store.n_slots, dtype=SAMPLE)
        samples["slot"] = -1
        samples["label"] = self.slots.labels[:self.store.n_slots]
        for problem in self.problems:
            m = problem.view()
            at = m.index
            samples["slot"][at], samples["row_id"][at] = at, m.row_id
            samples["origin"][at] = m.origin
            samples["cost"][at] = np.maximum(m.upper, -m.lower)
            if problem.eviction is not None:
                samples["born"][at] = problem.eviction.arrivals(problem.members.n)[m.slots]
        return samples[samples["slot"] >= 0]

    def begin_from(self, Engine former, places, begun):
        """Continue an engine of fewer classes in this empty one, which then is independent of it.

        Problems of former classes do not change. Two former classes have a single function f; here
        it is that of the second one, and -f that of the first one, or of their pair.

        ``former``: Engine.
        ``places`` (n_former_classes,): indices of the former classes among all classes.
        ``begun``: given the classes of a new problem, it returns an engine whose problem was
            trained on those samples in the store of ``former`` that belong to it, and these
            samples, a part of ``former.stored_samples()``.

        May be interrupted by ``begun``: this engine is then incomplete, ``former`` unchanged.
        """
        cdef Problem problem, first = former.problems[0]
        cdef Engine one
        cdef bint single = len(former.problems) == 1
        cdef int64_t n_evaluations = former.stream.n_evaluations + former.finisher.n_evaluations
        cdef dict known = {}
        cdef set counted = set()
        for problem in former.problems:
            classes = places.tolist() + [OTHERS]        # OTHERS, -1, is the last index
            positive, negative = problem.classes
            known[classes[positive], classes[negative]] = problem
        if single:
            low, high = places.tolist()
            known = dict.fromkeys([(low, OTHERS), (high, OTHERS), (low, high)], first)
        self.store.restore(former.store.state(), former.store.n_slots)
        for problem in self.problems:
            if problem.classes in known:
                problem.restore(known[problem.classes].state())
                if single and problem.codes.positive == places[0]:
                    problem.mirror()
                continue
            one, samples = begun(*problem.classes)
            problem.begin_with(one.problems[0], samples, first.eviction)
            if one not in counted:
                counted.add(one)
                n_evaluations += one.n_kernel_evaluations
        self.slots.begin_from(former.slots, places)
        self.stream.n_evaluations = n_evaluations
        self.stream.n_processed = former.stream.n_processed

    def touched(self):
        """Discard the solution after arrays of a problem were changed from outside."""
        self.slots.solution = None

    @property
    def n_vectors(self):
        """Number of slots of the store."""
        return self.store.n_slots

    @property
    def n_problems_of_sample(self):
        """Number of problems that a sample belongs to."""
        cdef Problem last = self.problems[len(self.problems) - 1]
        return len(self.problems) if last.codes.negative == OTHERS else last.codes.negative

    # -------------------------------------------------------------------------- training

    @property
    def n_processed(self):
        """Number of samples processed since ``begin_pass``: ``begin`` of a call that resumes."""
        return self.stream.n_processed

    def begin_pass(self, known=None, order=None):
        """Begin an epoch. ``known``: per problem an int32 array (slot of each sample), or None.

        For pairs of classes, ``order`` is the position of each sample of X in an order by class,
        and the begin of each class in it; an array of ``known`` has the samples of its pair.
        """
        self.stream.n_processed = 0
        self.track(known, order)
        for problem in self.problems:
            problem.begin_pass()

    def track(self, known=None, order=None):
        """Keep track of the slots of samples of X; parameters as in ``begin_pass``."""
        cdef Problem problem
        for c, problem in enumerate(self.problems):
            if known is None or order is None:
                problem.members.track(None if known is None else known[c])
                continue
            places, begins = order
            ranges = [range(begins[code], begins[code + 1]) for code in problem.classes]
            problem.members.track(known[c], places, *ranges)
        self.slots.track(0 if known is None else len(known[0] if order is None else order[0]))

    def check(self, X):
        """Raise the errors that ``learn`` would raise for samples of X, before any is used."""
        self.stream.block.check(X)

    def learn(self, X, const int64_t[::1] order, Samples given, executor=None,
              Py_ssize_t begin=0, progress=None):
        """Run online iterations over the samples ``X[order]``.

        ``n_processed`` is the number of samples processed, updated after each block. May be
        interrupted: the engine is as after ``n_processed`` samples, and can continue.

        ``X``: in the format of the store.
        ``order`` (int64): samples in the order of visiting. A ``selection`` changes it: the
            samples processed are moved to the front, others may remain.
        ``given``: Samples.
        ``executor``: threads for parallel work.
        ``begin``: number of samples of ``order`` processed before.
        ``progress``: called with ``n_processed`` after each block.
        """
        self.busy, self.checkpoint = True, None
        try:
            with DeferredInterrupts():
                self.stream.learn(X, order, given, executor, begin, progress)
        finally:
            self.busy = False

    def seed(self, X, const int64_t[::1] rows, Samples given, const double[:, ::1] alpha, g=None):
        """Add the samples ``X[rows]`` with the given alpha (n_problems, len(rows)).

        For each problem those with alpha != 0 are added. alpha must lie in the boxes (see
        ``moved``), and g is computed. If ``g``, of the same shape, is given (as in ``place``), it
        is not computed, and samples with g not NaN are added. May be interrupted, without ``g``:
        members may be left without g.
        """
        enters = np.asarray(alpha) != 0.0 if g is None else ~np.isnan(g)
        problems, members = np.nonzero(enters)
        self.seed_members(X, rows, given, problems, members, np.asarray(alpha)[enters],
                          None if g is None else np.asarray(g)[enters])

    def seed_members(self, X, const int64_t[::1] rows, Samples given, problems, members, alpha,
                     g=None):
        """Add the k-th member, row ``members[k]`` of ``X[rows]``, to problem ``problems[k]``.

        The members are sorted by problem, then by row; ``alpha`` and ``g`` as in ``seed``.
        """
        self.stream.seed(X, rows, given, problems, members, alpha)
        if g is None:
            self.refresh()
            return
        ends = np.searchsorted(problems, np.arange(len(self.problems) + 1)).tolist()
        for c, problem in enumerate(self.problems):
            if ends[c] < ends[c + 1]:
                # Slots were assigned in this order.
                self.finisher.set_lower_gradients(
                    problem, problem.slots(), g[ends[c]:ends[c + 1]])
        self.touched()

    def kernel_values(self, X, const int64_t[::1] rows, executor=None):
        """Return kernel values of samples of X against the store, in float32.

        The shape is (len(rows), n_slots). May be interrupted: nothing changes.
        """
        return self.stream.kernel_values(X, rows, executor)

    def conclude(self, int64_t n_evaluations):
        """Make optimal solutions that were added by ``seed`` those of ``finish``, without steps.

        ``n_evaluations``: number of kernel values computed for them. May be interrupted as
        ``finish``.
        """
        self.stream.n_evaluations += n_evaluations
        self.allow(0)
        self.finish()

    def count_work_of(self, Engine former):
        """Count also the work of an engine that this one replaces."""
        self.stream.n_evaluations += former.n_kernel_evaluations
        for problem, replaced in zip(self.problems, former.problems):
            problem.count_work_of(replaced)

    # -------------------------------------------------------------------------- support set

    def finish(self, executor=None, progress=None, double share=1.0):
        """Optimize each problem over its support set, to its tolerance.

        After ``restore``, an optimization that was interrupted is continued. ``progress()`` is
        called several times per second. At most ``share`` of the steps left are made. May be
        interrupted: the steps made are kept; after an error the former state is restored.
        """
        cdef Problem problem
        self.checkpoint = None
        for problem in self.problems:
            self.finisher.begin_alone(problem)
        self.finisher.progress, self.finisher.share = progress, share
        try:
            with DeferredInterrupts():
                self.change(self.finish_all, executor)
        finally:
            self.finisher.progress, self.finisher.share = None, 1.0

    def finish_all(self, executor):
        cdef Problem problem
        self.discard_optimized()
        try:
            self.finisher.finish(self.problems, executor)
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt):
                self.checkpoint = self.state()
                self.end_interrupted()
                for problem in self.problems:
                    problem.refresh()
            raise
        finally:
            for problem in self.problems:
                problem.finishing = False
        self.finisher.end_finish()

    def end_interrupted(self):
        """Recompute every g after an interrupt; further ones do not leave it incomplete."""
        while True:
            try:
                self.finisher.end_finish()
                return
            except KeyboardInterrupt:
                pass                # it continues where it was

    def change(self, operation, *arguments):
        """Run an operation on the problems; after an error take the problems back."""
        self.slots.make_room()
        saved, done = self.slots.saved(), False
        self.busy = True
        try:
            operation(*arguments)
            done = True
        except BaseException as error:
            done = isinstance(error, KeyboardInterrupt)
            raise
        finally:
            self.busy = False
            if not done:
                self.slots.take_back(saved)
            # Vectors of evicted members are released.
            self.slots.write(self.stream.block)

    def remove(self, Py_ssize_t c, slots):
        """Remove the members of problem ``c`` in ``slots``, whatever their alpha.

        The remaining alphas are changed to meet the constraints, and g is updated, so that
        training can continue. After an error the former state is restored.
        """
        self.change(self.finisher.remove, self.problems[c], slots)

    def values_without(self, Py_ssize_t c, slots, int64_t steps_to_begin):
        """Return the decision values of members of problem ``c``, each at the optimum without it.

        NaN for all members after the limit of steps is reached; each solve counts
        ``steps_to_begin`` extra steps. The solution does not change. The problem must not evict
        members. May be interrupted: a member may be left out, so discard the engine.
        """
        with DeferredInterrupts():
            return self.finisher.values_without(self.problems[c], slots, steps_to_begin)

    def refresh(self):
        """Recompute every g from alpha, which removes accumulated rounding errors.

        May be interrupted: g of some problems is recomputed.
        """
        self.finisher.refresh()
        self.touched()

    def recompute(self):
        """Recompute K(x, x) and g, for a support set that comes from another kernel.

        May be interrupted: some are still those of the other kernel.
        """
        self.finisher.recompute()
        self.touched()

    def moved(self, Samples given, rows, alpha):
        """Return ``alpha`` (n_problems, len(rows)) moved into the boxes of the samples."""
        return np.array([
            problem.moved(mine, *given.boxes(c, problem.classes, rows))
            for c, (problem, mine) in enumerate(zip(self.problems, alpha))
        ]).reshape(len(self.problems), len(rows))

    def rebox(self, Samples given):
        """Set the boxes of the support set to those of ``given``; move alpha and update g.

        All members must be samples of X. May be interrupted: the optimized solution is discarded.
        """
        self.discard_optimized()
        self.finisher.rebox(given)
        self.touched()

    def place(self, Samples given, alpha, g):
        """Set boxes, alpha and g of the support set; g is not computed.

        The boxes are those of ``given``. alpha, within them, and g are given per problem, over all
        slots; in regression g is that of the lower side of the tube, for any alpha. All members
        must be samples of X.
        """
        self.discard_optimized()
        self.finisher.place(given, alpha, g)
        self.touched()

    def violations(self, Samples given, const double[:, ::1] scores):
        """Return the (n_problems, n_rows) violation of each given sample of X, at its alpha.

        ``scores`` (n_rows, n_problems) are the decision values. NaN: the sample does not belong to
        the problem.
        """
        return self.finisher.violations(given, scores)

    # -------------------------------------------------------------------------- predictions

    @property
    def is_optimized(self):
        """Whether the solution used for predictions is optimal."""
        return all(problem.is_optimized for problem in self.problems)

    @property
    def is_finished(self):
        """Whether ``finish`` has made the online solution optimal."""
        return all(problem.is_solved for problem in self.problems)

    def discard_optimized(self):
        """Discard the optimized solutions: predictions use the online solution."""
        for problem in self.problems:
            problem.discard_optimized()

    def prepare(self, bint optimized, int64_t steps, executor=None):
        """Prepare the solution used for predictions; the caller holds the guard.

        ``optimized``: optimize over the support set, with at most ``steps`` steps. May be
        interrupted: there is no optimized solution, and nothing else has changed.
        """
        cdef Problem problem
        cdef list left = []
        if not optimized:
            self.discard_optimized()
        elif not self.is_optimized:
            # A training call may be suspended, waiting for this one: its limits are restored.
            for problem in self.problems:
                left.append((problem.steps_left, problem.steps_kept, problem.steps_after,
                             problem.cut_short))
            self.allow(steps)
            busy, self.busy = self.busy, True
            try:
                with DeferredInterrupts():
                    self.finisher.optimize(executor)
            finally:
                self.busy = busy
                for problem, limits in zip(self.problems, left):
                    (problem.steps_left, problem.steps_kept, problem.steps_after,
                     problem.cut_short) = limits

    def cached_solution(self, bint optimized):
        """Return the solution used for predictions, or None if it has to be computed."""
        cdef Solution solution = self.slots.solution
        if self.busy and self.guard.is_mine():
            self.guard.refuse()
        return solution if solution is not None and solution.optimized == optimized else None

    def solution(self, bint optimized, int64_t steps, executor=None):
        """Return the solution used for predictions, computed if necessary.

        May be interrupted as ``prepare``.
        """
        solution = self.cached_solution(optimized)
        if solution is not None:
            return solution
        if self.guard.is_mine():
            return self.compute_solution(optimized, steps, executor)
        with self.guard.reading():
            return self.compute_solution(optimized, steps, executor)

    cdef Solution compute_solution(self, bint optimized, int64_t steps, executor):
        """Compute the solution used for predictions; the caller holds the guard."""
        cdef Solution solution = self.slots.solution
        if solution is None or solution.optimized != optimized:
            self.prepare(optimized, steps, executor)
            solution = self.current_solution()
            solution.optimized = optimized
            self.slots.solution = solution
        return solution

    cpdef Solution current_solution(self):
        """Return the current solution: the optimized one if up to date, else the online one."""
        cdef Solution solution = written_down(self.store, self.slots, self.problems)
        solution.kept, solution.n_changes = self.kept, self.n_changes
        return solution

    # -------------------------------------------------------------------------- limits and counts

    def allow(self, steps):
        """Limit the steps of each problem until the next ``allow``."""
        for problem in self.problems:
            problem.allow(steps)

    @property
    def out_of_steps(self):
        """Whether a problem has reached the limit of steps."""
        return any(problem.steps_left <= 0 for problem in self.problems)

    @property
    def out_of_share(self):
        """Whether a problem has reached the limit of steps of the last ``finish``."""
        cdef Problem problem
        for problem in self.problems:
            if problem.steps_left <= problem.steps_after:
                return True
        return False

    @property
    def cut_short(self):
        """Whether REPROCESS reached a limit of steps."""
        cdef Problem problem
        for problem in self.problems:
            if problem.cut_short:
                return True
        return False

    @property
    def n_changes(self):
        return sum(problem.n_changes for problem in self.problems)

    @property
    def n_kernel_evaluations(self):
        """Number of kernel values computed, including values computed again."""
        return (self.stream.n_evaluations + self.finisher.n_evaluations
                + sum(problem.n_evaluations for problem in self.problems))

    @property
    def n_operations(self):
        """Number of array elements accessed by solver steps."""
        return sum(problem.n_operations for problem in self.problems)

    def violation_met(self):
        """Return the largest violation of the epoch, each found when the sample was visited."""
        return max(problem.violation_met for problem in self.problems)

    def violation_left(self):
        """Return the largest violation over all samples; exact if the epoch changed nothing."""
        return max(problem.violation_left for problem in self.problems)
