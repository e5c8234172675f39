"""Checkpoints: continue where a call was interrupted; the contract is in the ``.pxd``.

Within a block, or within finish, ``state`` is not complete: ``running`` adds the rest. After an
interrupt there, both are copied, and the call is ended early such that the model is usable;
``resume`` takes the copies.
"""
from .engine cimport Engine
from .problem cimport Problem

import numpy as np


cdef class Resuming(Engine):
    def begin_pass(self, known):
        """Begin an epoch. ``known``: per problem an int32 array (slot of each sample), or None."""
        self.n_learnt = 0
        for c, problem in enumerate(self.problems):
            problem.begin_pass(None if known is None else known[c])

    cdef void begin_call(self):
        """Clear interrupts and the checkpoint of the last call."""
        self.interrupt = self.suspended = self.store.interrupt = None
        self.store.cut = False

    def running(self):
        """Return what ``state`` leaves out and ``resume`` takes."""
        return {
            "n_done": self.n_done,
            "n_learnt": self.n_learnt,
            "problems": [problem.running() for problem in self.problems],
        }

    cdef int suspend(self, block) except -1:
        """Keep a checkpoint, before an interrupted block or finish is ended early.

        ``block``: place of each sample of the block, or None.
        """
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
        """Continue from a checkpoint, with the next call of ``learn`` or ``finish``.

        ``running``, a :class:`Stored`, comes from ``running``. ``restore`` and ``begin_pass`` must
        be called before. While ``midst`` is not None, no other call is allowed.
        """
        self.n_done = running.integer("n_done")
        self.n_learnt = running.integer("n_learnt")
        finishing = [problem.resume(mine) for problem, mine in zip(
            self.problems, running.parts("problems", len(self.problems)))]
        if running.has("block") or any(finishing):
            self.midst = running

    cdef int resume_midst(self) except -1:
        """Restore the positions within the block, which has been begun."""
        if self.midst is not None:
            for problem, mine in zip(self.problems,
                                     self.midst.parts("problems", len(self.problems))):
                (<Problem>problem).resume_midst(mine)
        return 0
