"""Threads that share the loops of one call."""
cdef extern from "team.h" nogil:
    enum:
        TEAM_MOST
    ctypedef void (*team_task)(
        void *context, Py_ssize_t part, Py_ssize_t n_parts) noexcept nogil
    ctypedef void (*team_attend)(void *context) noexcept nogil
    ctypedef struct team:
        pass
    Py_ssize_t team_next(Py_ssize_t *counter)       # counter++, by several threads
    void team_open(team *)
    void team_close(team *)
    void team_run(team *, int size, int n_members, team_task task, void *context,
                  Py_ssize_t n_parts, team_attend attend)
    void team_serve(team *, int member)


cdef class Team:
    """The threads of an executor that help the calling thread with its loops.

    Outside of ``open`` and ``close`` the calling thread is alone. Parts of a loop must not raise.
    """
    cdef team *shared
    cdef readonly int size          # number of threads that take part, with the calling one
    cdef int n_members              # the largest size so far
    cdef object executor
    cdef list is_serving            # whether each helper waits for loops, or will do so

    cdef int open(self, executor) except -1
    cdef int call_helpers(self) except -1
    cdef void close(self) noexcept
    cdef void run(self, team_task task, void *context, Py_ssize_t n_parts,
                  team_attend attend=*) noexcept nogil
