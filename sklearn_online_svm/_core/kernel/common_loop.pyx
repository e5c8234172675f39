"""Several models that learn the same rows, over one store; the contract is in the ``.pxd``.

The problems of k models are problems over one store, as those of k classes are: a block of rows is
loaded and scored once, and each problem visits it, with the costs that its model has for the rows.
What a problem does depends on its own members and their order, never on who else refers to a
vector, so its alpha, b and members are to the last bit what they would be alone.
"""
cimport cython
from cpython.ref cimport PyObject

from .fresh_rows cimport FreshRows
from .problem cimport Problem
from .solution cimport Solution
from .stores cimport Store

import numpy as np

from ..stored import Stored
from .engine import FORMAT
from .stores import empty_like, filled

cdef extern from *:
    """
    static inline Py_ssize_t n_references(PyObject *object) { return Py_REFCNT(object); }
    """
    Py_ssize_t n_references(PyObject *)


@cython.final
cdef class Tenant(Finishing):
    def __init__(self, CommonLoop loop, list problems, Py_ssize_t row_bytes):
        # Not that of Engine: the slots are there already.
        self.store, self.slots = loop.store, loop.slots
        self.guard, self.halt = loop.guard, loop.halt
        self.problems, self.several = problems, len(problems) > 1
        self.kept = {}
        self.fresh = FreshRows(loop.store)
        self.loop, self.row_bytes = loop, row_bytes
        self.n_before = loop.n_evaluations

    def share_rows(self, Py_ssize_t row_bytes):
        if row_bytes != self.row_bytes:
            self.row_bytes = row_bytes
            self.loop.share_rows(self.loop.row_bytes())

    @property
    def n_kernel_evaluations(self):
        """Those made for this model, whoever else had use for them."""
        return DualLoop.n_kernel_evaluations.__get__(self) + (
            self.loop.n_evaluations - self.n_before)

    def state(self):
        if self.home is not None:
            return self.home.state()
        parts = [problem.state() for problem in self.problems]
        places = [np.where(part["alive"] != 0, part["index"], -1) for part in parts]
        slots = places[0] if not self.several else np.unique(
            np.concatenate([place[place >= 0] for place in places]))
        references = np.zeros(len(slots), dtype=np.int32)
        for part, place in zip(parts, places):
            if not self.several:
                # The slots of the only problem are those of its store.
                part["index"] = np.arange(len(slots), dtype=np.int32)
                break
            part["index"] = np.where(place >= 0, np.searchsorted(slots, place), -1).astype(
                np.int32)
            np.add.at(references, part["index"][place >= 0], 1)
        labels = np.zeros(len(slots), dtype=np.int32)
        labels[slots >= 0] = self.slots.labels[slots[slots >= 0]]
        return {
            "format": FORMAT,
            "store": filled(empty_like(self.store), self.vectors(slots)).state(),
            "n_slots": len(slots),
            "problems": parts,
            "n_evaluations": self.n_evaluations + self.loop.n_evaluations - self.n_before,
            "references": references,
            "slot_labels": labels,
            "free_slots": np.zeros(0, dtype=np.int64),
        }

    def vectors(self, slots):
        """Vectors of the store, zeros where a slot is -1."""
        kept = self.store.vectors(slots[slots >= 0])
        if len(kept.shape) == 2 and isinstance(kept, np.ndarray):
            rows = np.zeros((len(slots), self.store.n_features), dtype=self.store.dtype)
            rows[slots >= 0] = kept
            return rows
        lengths = np.zeros(len(slots), dtype=kept.indptr.dtype)
        lengths[slots >= 0] = np.diff(kept.indptr)
        indptr = np.concatenate([[0], np.cumsum(lengths)]).astype(kept.indptr.dtype)
        return type(kept)((kept.data, kept.indices, indptr),
                          shape=(len(slots), self.store.n_features))

    cdef Solution renew(self, bint settling, int64_t steps, executor):
        if self.home is not None:
            return self.home.show(settling, steps, executor)
        return Finishing.renew(self, settling, steps, executor)

    def prepare(self, bint settling, int64_t steps, executor=None):
        # Of one that has gone its numbers stay as they are.
        if self.home is None:
            Finishing.prepare(self, settling, steps, executor)

    def move_to(self, Finishing home):
        """Leave the loop: ``home`` has what ``state`` gave."""
        if self.home is None:
            self.loop.let_go(self)
            self.home = home


@cython.final
cdef class CommonLoop(DualLoop):
    """The problems of several models.

    Parameters
    ----------
    store : Store
        With the vectors of ``states``.
    models : list of list of Problem
        For each model, problems that do not have their slots in common with the store.
    states : list of dict
        What ``state`` of the engine of each model gave; ``index`` says where in ``store`` a vector
        is.
    labels : ndarray of int32
        Class of each vector.
    row_bytes : list of int
        Memory for the kernel rows of each model.
    """
    def __init__(self, Store store, list models, list states, labels, list row_bytes):
        cdef Problem problem
        cdef Tenant tenant
        self.n_each = len(models[0])
        super().__init__(store, [problem for problems in models for problem in problems],
                         sum(row_bytes))
        self.tenants = [Tenant(self, problems, n) for problems, n in zip(models, row_bytes)]
        for tenant, state in zip(self.tenants, states):
            tenant.n_evaluations = state["n_evaluations"]
            for problem, part in zip(tenant.problems, state["problems"]):
                problem.restore(Stored(part))
            self.n_gone -= sum(problem.n_evaluations for problem in tenant.problems)
        self.slots.count(labels)

    @property
    def n_kernel_evaluations(self):
        """Kernel values computed since the models have come together."""
        return self.n_gone + DualLoop.n_kernel_evaluations.__get__(self)

    def row_bytes(self):
        return sum([(<Tenant>tenant).row_bytes for tenant in self.tenants])

    def let_go(self, Tenant tenant):
        """Give up the problems of a model, and the vectors that no other keeps."""
        cdef Problem problem
        cdef Py_ssize_t s
        for problem in tenant.problems:
            self.begin_alone(problem)
        self.slots.make_room()
        # Makes no objects until all is done.
        for problem in tenant.problems:
            for s in range(problem.members.n):
                if problem.members.alive[s]:
                    problem.released[problem.n_released] = problem.members.index[s]
                    problem.n_released += 1
        self.write_store()
        self.tenants.remove(tenant)
        for problem in tenant.problems:
            self.problems.remove(problem)
            self.n_gone += problem.n_evaluations

    def prepare_each(self, list tenants, list settling, list steps, executor=None):
        """``prepare`` of some tenants, side by side."""
        cdef Tenant tenant
        cdef Problem problem
        cdef list todo = [], left = []
        for tenant, settles, most in zip(tenants, settling, steps):
            if not settles:
                tenant.unsettle()
                continue
            for problem in tenant.problems:
                if not problem.is_settled:
                    todo.append(problem)
                    left.append((problem.steps_left, problem.steps_kept, problem.cut_short))
                    problem.allow(most)
        try:
            self.settle_those(todo, executor)
        finally:
            for problem, limits in zip(todo, left):
                problem.steps_left, problem.steps_kept, problem.cut_short = limits

    # -------------------------------------------------------------------------- the loop

    cdef int class_of(self, Py_ssize_t c) noexcept nogil:
        return <int>(c % self.n_each) if self.n_each > 1 else 1

    cdef bint looks_ahead(self, executor):
        return False

    cdef void attend(self, Problem problem) noexcept nogil:
        """Note a signal: the block is brought to its regular end, so that all models have learnt
        the same rows as if none had come."""
        with gil:
            try:
                self.raise_interrupts()
            except BaseException as interrupt:
                self.interrupt = interrupt

    cdef int suspend(self, block) except -1:
        # Nothing has been cut short.
        return 0

    # -------------------------------------------------------------------------- the store

    cdef bint is_read(self):
        cdef Py_ssize_t n_known = 1          # that in the store
        cdef Tenant tenant
        for tenant in self.tenants:
            if tenant.solution is not None and tenant.solution.store.lease is self.store.lease:
                if n_references(<PyObject *>tenant.solution) > 1:
                    return True
                n_known += 1
        return n_references(<PyObject *>self.store.lease) > n_known

    cdef int write_store(self) except -1:
        cdef Tenant tenant
        DualLoop.write_store(self)
        for tenant in self.tenants:
            tenant.solution = None
        return 0
