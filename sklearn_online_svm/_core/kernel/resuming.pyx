"""An engine that goes on where an interrupt has ended a call; the contract is in the ``.pxd``.

In the midst of a block, or of finishing, ``state`` does not say all: ``running`` adds the rest. An
interrupt there is noted, both are copied, and the call is brought to an end that leaves a model
which can be used; ``resume`` takes the copies.
"""
from .engine cimport Engine
from .problem cimport Problem

import numpy as np


cdef class Resuming(Engine):
    def begin_pass(self, known):
        """``known``: one int32 array per problem (slot of each row id, or -1), or None."""
        self.n_learnt = 0
        for c, problem in enumerate(self.problems):
            problem.begin_pass(None if known is None else known[c])

    cdef void begin_call(self):
        """Forget what has become of the last one."""
        self.interrupt = self.suspended = self.store.interrupt = None
        self.store.cut = False

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

    cdef int resume_midst(self) except -1:
        """Bring the problems back to where they were; the block has been begun."""
        if self.midst is not None:
            for problem, mine in zip(self.problems,
                                     self.midst.parts("problems", len(self.problems))):
                (<Problem>problem).resume_midst(mine)
        return 0
