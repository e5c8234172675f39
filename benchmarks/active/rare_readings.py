"""Readings of VIRTUAL other than Algorithm 5.1, for the comparison on money-fx.

The thesis' numbers of virtual samples do not follow from one virtual sample for each support
vector; these are other ways in which they might have been made.
"""

from unittest import mock

from sklearn_online_svm._core.kernel.support_set import VIRTUAL
from sklearn_online_svm.kernel import _virtual, _virtual_pool
from sklearn_online_svm.kernel._virtual_points import VirtualPoints
from sklearn_online_svm.kernel._virtual_pool import VirtualPool

from .rare_sets import SETS
from .rare_tasks import Virtual, judged

# Samples between two rounds of `Repeated`, and virtual samples for which memory is reserved.
EVERY, CAPACITY = 500, 6


class OwnNeighbors(VirtualPoints):
    """A sample is the last of its own neighbours."""

    def neighbors(self, rows):
        found = super().neighbors(rows)
        found[:, -1] = rows
        return found


class Copies(VirtualPoints):
    """A sample is its only neighbour: virtual samples are copies."""

    def neighbors(self, rows):
        found = super().neighbors(rows)
        found[:] = rows.reshape(-1, 1)
        return found


class Single(VirtualPool):
    """One virtual sample at a time; ``n_virtual`` only reserves memory."""

    def __init__(self, *given, **options):
        super().__init__(*given, **options)
        self.n_virtual, self.made_from = 1, []

    def is_vector(self, problems, row_id, origin):
        return bool(problems[self.problem].members.alpha_of(row_id, origin))

    def add(self, i):
        if self.n < len(self.order):
            self.__dict__.update(self._add_points_of(i))

    def _add_points_of(self, i):
        self.made_from.append(i)
        return super()._add_points_of(i)


class Again(Single):
    """A sample makes another virtual sample when one of its own becomes a support vector."""

    def follow(self, problems, n_processed):
        for place in range(self.n_done, n_processed):
            super().follow(problems, place + 1)
            j = int(self.order[place]) - self.n_samples
            if j >= 0 and self.is_vector(problems, self.first_id + j, VIRTUAL):
                self.add(self.made_from[j])
        return self.samples.X, self.n


class Repeated(Single):
    """After every 500 samples each support vector of the minority makes another one."""

    def follow(self, problems, n_processed):
        due = n_processed // EVERY > self.n_done // EVERY
        super().follow(problems, n_processed)
        for i in self.parents if due else ():
            if self.is_vector(problems, self.row_ids[i], self.origin):
                self.add(i)
        return self.samples.X, self.n


class Reading(Virtual):
    """VIRTUAL with other parameters, neighbours or pool."""

    def __init__(self, work, seed, *, points=VirtualPoints, pool=VirtualPool, **options):
        super().__init__("n_support", work, seed)
        self.points, self.pool, self.options = points, pool, options

    def fit(self, X, y):
        self.shared |= self.options
        with (
            mock.patch.object(_virtual, "VirtualPoints", self.points),
            mock.patch.object(_virtual_pool, "VirtualPool", self.pool),
        ):
            super().fit(X, y)


READINGS = {
    "none": dict(n_virtual=0),
    "printed": {},
    "without a stop": dict(stopping=None),
    "700 samples": dict(stopping=None, max_labels=700),
    "not finished": dict(finishing=False),
    "two each": dict(n_virtual=2),
    "three each": dict(n_virtual=3),
    "1 neighbour": dict(n_neighbors=1),
    "20 neighbours": dict(n_neighbors=20),
    "C = 0.5": dict(C=0.5),
    "C = 2": dict(C=2),
    "own neighbour": dict(points=OwnNeighbors),
    "own neighbour, two each": dict(points=OwnNeighbors, n_virtual=2),
    "copies": dict(points=Copies),
    "again": dict(pool=Again, n_virtual=CAPACITY),
    "repeated": dict(pool=Repeated, n_virtual=CAPACITY),
}


def read_virtual(job):
    """All readings on one split."""
    work = SETS[job.workload]
    split = work.load(job.seed, job.quick)
    return {
        "rivals": {
            name: judged(Reading(work, job.seed, **options), split)
            for name, options in READINGS.items()
        }
    }


TASKS = {task.__name__: task for task in (read_virtual,)}
