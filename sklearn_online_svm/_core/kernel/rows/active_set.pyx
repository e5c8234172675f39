"""The active slots of a problem during ``finish``; the contract is in the ``.pxd``."""
from cpython.ref cimport PyObject
from libc.stdint cimport int8_t, int32_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy, memset

cimport cython

from ...memory cimport round_up
from ...simd.primitives cimport SIMD_TILE
from ...threads.slices cimport gather, update
from ...threads.team cimport Team
from ..vectors.support_set cimport SupportSet

import numpy as np


cdef inline bint _may_move(double g, int8_t up, int8_t down, double low,
                           double high) noexcept nogil:
    return (up != 0 and g > low) or (down != 0 and g < high)


cdef void compact_rows(void *context, Py_ssize_t part, Py_ssize_t n_parts) noexcept nogil:
    """Keep only the values of the remaining slots in the rows."""
    cdef Py_ssize_t s = part, q, m = (<ActiveSet>context).m
    cdef const int32_t *kept = (<ActiveSet>context).kept
    cdef float *row
    while s < m:
        row = (<ActiveSet>context).rows[s]
        if row != NULL:
            for q in range(m):
                row[q] = row[kept[q]]
        s += n_parts


@cython.final
cdef class ActiveSet:
    def __cinit__(self, Py_ssize_t max_bytes):
        self.max_bytes = max_bytes

    def __dealloc__(self):
        self.forget()

    cdef Front front(self, SupportSet members) noexcept nogil:
        cdef Front front
        if self.shrunk:
            front.n, front.slots, front.g, front.diag = self.m, self.slots, self.g, self.diag
            front.up, front.down, front.extremes = self.up, self.down, &self.extremes
        else:
            front.n, front.slots, front.g, front.diag = members.n, NULL, members.g, members.diag
            front.up, front.down, front.extremes = members.up, members.down, &members.extremes
        return front

    cdef int shrink(self, Team team, SupportSet members, double low,
                    double high) noexcept nogil:
        """Remove slots at a bound that are expected to stay there; return -1 if out of memory.

        A slot that can only increase remains active if g > low, one that can only decrease if g <
        high.
        """
        cdef Front front = self.front(members)
        cdef Py_ssize_t s, kept = 0, n = front.n
        cdef double *g = front.g
        for s in range(n):
            kept += _may_move(g[s], front.up[s], front.down[s], low, high)
        # Rows over the active slots are copies of those in the kernel cache. If they were more
        # than half as long, they would take more from the cache than they save in each step.
        if kept > (n - n // 8 if self.shrunk else n // 2) or kept < 2:
            return 0                             # not worth moving memory
        if not self.shrunk and self.begin(members) < 0:
            return -1
        kept = 0
        for s in range(n):
            if _may_move(g[s], front.up[s], front.down[s], low, high):
                self.slots[kept] = self.slots[s] if self.shrunk else <int32_t>s
                self.g[kept] = g[s]
                self.diag[kept] = front.diag[s]
                self.up[kept] = front.up[s]
                self.down[kept] = front.down[s]
                self.rows[kept] = self.rows[s] if self.shrunk else NULL
                if self.rows[kept] != NULL and kept != s:
                    self.rows[s] = NULL
                # The former positions of the remaining slots, for the rows below.
                if self.shrunk:
                    self.kept[kept] = <int32_t>s
                kept += 1
            elif self.shrunk and self.rows[s] != NULL:
                free(self.rows[s])
                self.rows[s] = NULL
        if self.shrunk:
            self.m = kept
            team.run(compact_rows, <PyObject *>self, team.size)
        self.m = kept
        self.n_rows = 0
        for s in range(kept):
            self.n_rows += self.rows[s] != NULL
        self.shrunk = True
        memset(self.rows + kept, 0, (n - kept) * sizeof(float *))
        update(team, self.g, self.diag, self.diag, 0.0, self.up, self.down, self.m,
               &self.extremes)
        return 0

    cdef int begin(self, SupportSet members) noexcept nogil:
        cdef Py_ssize_t n = members.n
        self.forget()
        self.slots = <int32_t *>malloc(n * sizeof(int32_t))
        self.kept = <int32_t *>malloc(n * sizeof(int32_t))
        self.g = <double *>malloc(n * sizeof(double))
        self.diag = <float *>malloc(n * sizeof(float))
        self.up = <int8_t *>malloc(n)
        self.down = <int8_t *>malloc(n)
        self.rows = <float **>calloc(n, sizeof(float *))
        self.old_alpha = <double *>malloc(n * sizeof(double))
        if (self.slots == NULL or self.kept == NULL or self.g == NULL or self.diag == NULL
                or self.up == NULL or self.down == NULL or self.rows == NULL
                or self.old_alpha == NULL):
            self.forget()
            return -1
        memcpy(self.old_alpha, members.alpha, n * sizeof(double))
        self.m = n
        return 0

    def state(self, Py_ssize_t n):
        """Return the arrays that ``restore`` takes, without kernel rows; ``n``: all slots."""
        e = self.extremes
        return {
            "active_slots": np.array(<int32_t[:self.m]>self.slots),
            "active_g": np.array(<double[:self.m]>self.g),
            "active_old_alpha": np.array(<double[:n]>self.old_alpha),
            "active_extremes": np.array([e.g_max, e.g_min]),
            "active_extreme_slots": np.array([e.i_max, e.j_min], dtype=np.int64),
            "active_working_set": np.array([self.chosen, self.goal]),
        }

    cdef int choose(self, Team team, SupportSet members, slots, double goal) except -1:
        """Make ``slots`` (int32) the working set."""
        self.take(members, slots)
        memcpy(self.old_alpha, members.alpha, members.n * sizeof(double))
        self.chosen, self.goal, self.former = True, goal, slots
        update(team, self.g, self.diag, self.diag, 0.0, self.up, self.down, self.m,
               &self.extremes)
        return 0

    cdef int restore(self, SupportSet members, state) except -1:
        """Restore a result of ``state``; diag and the flags are taken from ``members``."""
        cdef Py_ssize_t q
        cdef const double[::1] g = state["active_g"]
        cdef const double[::1] old_alpha = state["active_old_alpha"]
        ends, extremes = state["active_extreme_slots"], state["active_extremes"]
        self.take(members, state["active_slots"])
        memcpy(self.old_alpha, &old_alpha[0], members.n * sizeof(double))
        for q in range(self.m):
            self.g[q] = g[q]
        self.chosen, self.goal = state["active_working_set"]
        self.extremes.g_max, self.extremes.g_min = extremes
        self.extremes.i_max, self.extremes.j_min = ends[0], ends[1]
        return 0

    cdef int take(self, SupportSet members, slots) except -1:
        """Make ``slots`` the active ones, with the values of ``members``."""
        cdef const int32_t[::1] taken = slots
        cdef Py_ssize_t q
        if self.begin(members) < 0:
            raise MemoryError()
        self.m = taken.shape[0]
        for q in range(self.m):
            self.slots[q], self.g[q] = taken[q], members.g[taken[q]]
            self.diag[q] = members.diag[taken[q]]
            self.up[q], self.down[q] = members.up[taken[q]], members.down[taken[q]]
        self.shrunk = True
        return 0

    cdef const float *row(self, Py_ssize_t q) noexcept nogil:
        """Return the row of the q-th slot over the active slots; NULL: not cached."""
        return self.rows[q]

    cdef const float *keep_row(self, Team team, Py_ssize_t q, const float *row,
                               Py_ssize_t pinned) noexcept nogil:
        """Cache the row of the q-th slot, given over all slots; return NULL if out of memory."""
        cdef Py_ssize_t other
        if (self.n_rows + 1) * self.m * <Py_ssize_t>sizeof(float) > self.max_bytes:
            # Rare, so all rows are dropped; each costs a copy from the kernel cache again.
            for other in range(self.m):
                if other != pinned and self.rows[other] != NULL:
                    free(self.rows[other])
                    self.rows[other] = NULL
            self.n_rows = 1 if pinned >= 0 else 0
        self.rows[q] = <float *>malloc(round_up(self.m, SIMD_TILE) * sizeof(float))
        if self.rows[q] == NULL:
            return NULL
        self.n_rows += 1
        gather(team, self.rows[q], row, self.slots, self.m)
        return self.rows[q]

    cdef void write_back(self, SupportSet members) noexcept nogil:
        """Copy g of the active slots into the support set."""
        cdef Py_ssize_t q
        for q in range(self.m):
            members.g[self.slots[q]] = self.g[q]

    cdef void forget(self) noexcept nogil:
        cdef Py_ssize_t q
        if self.rows != NULL:
            for q in range(self.m):
                free(self.rows[q])
        free(self.slots)
        free(self.kept)
        free(self.g)
        free(self.diag)
        free(self.up)
        free(self.down)
        free(self.rows)
        free(self.old_alpha)
        self.slots = self.kept = NULL
        self.g = self.old_alpha = NULL
        self.diag = NULL
        self.up = self.down = NULL
        self.rows = NULL
        self.m = self.n_rows = 0
        self.shrunk = self.chosen = False
