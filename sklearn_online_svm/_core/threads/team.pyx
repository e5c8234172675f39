"""Threads that share the loops of one call; the contract is in the ``.pxd``."""
cimport cython
from libc.stdlib cimport calloc, free

from joblib import cpu_count

from ..guard import act_for, this_thread


@cython.final
cdef class Team:
    def __cinit__(self):
        self.size = self.n_members = 1
        self.shared = <team *>calloc(1, sizeof(team))
        if self.shared == NULL:
            raise MemoryError()

    def __dealloc__(self):
        free(self.shared)

    cdef int open(self, executor) except -1:
        """Use the threads of an executor (None: none), as far as there are cores for them."""
        if executor is None:
            return 0
        size = min(executor._max_workers, cpu_count(), TEAM_MOST)
        self.is_serving = [False] * size
        team_open(self.shared)
        self.executor, self.size = executor, size
        # Helpers of a larger team may not have left yet.
        self.n_members = max(size, self.n_members)
        return 0

    cdef int call_helpers(self) except -1:
        """Let threads wait for loops; those that wait for long leave again."""
        cdef int m
        for m in range(1, self.size):
            if not self.is_serving[m]:
                self.is_serving[m] = True       # before it can leave again
                self.executor.submit(
                    act_for, this_thread(), self.serve, (m, self.is_serving))
        return 0

    def serve(self, int member, is_serving):
        with nogil:
            team_serve(self.shared, member)
        is_serving[member] = False

    cdef void close(self) noexcept:
        """Send the helpers away."""
        self.size, self.executor = 1, None
        team_close(self.shared)

    cdef void run(self, team_task task, void *context, Py_ssize_t n_parts,
                  team_attend attend=NULL) noexcept nogil:
        """Call ``task(context, part, n_parts)`` for all parts, in any order and thread.

        ``attend(context)`` is called now and then while this thread waits for others.
        """
        cdef Py_ssize_t part
        if self.size > 1 and n_parts > 1:
            team_run(self.shared, self.size, self.n_members, task, context, n_parts, attend)
            return
        for part in range(n_parts):
            task(context, part, n_parts)
