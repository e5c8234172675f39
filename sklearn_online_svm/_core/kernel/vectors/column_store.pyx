"""Sums and products of kernels on groups of columns; the contract is that of ``stores.pxd``.

Each group of columns has a store of its own, with the kernel of the group. A ``ColumnStore``
consists of the first group and a ``ColumnStore`` of the others. Values of the groups are rounded
to float32 before they are combined, in the same order on every path.
"""
cimport cython
from libc.stdint cimport int32_t, int64_t

from ...memory cimport round_up
from ...simd.primitives cimport SIMD_BLOCK, SIMD_TILE
from .stores cimport Block, Lease, Store, row_array

import numpy as np
from scipy import sparse

# Slots whose kernel values are combined at a time.
cdef enum:
    STRIPE = 96


cdef void _combine(float *out, Py_ssize_t ld, const float *other, Py_ssize_t other_ld,
                   Py_ssize_t n_rows, Py_ssize_t n, bint is_product) noexcept nogil:
    cdef Py_ssize_t r, s
    for r in range(n_rows):
        if is_product:
            for s in range(n):
                out[r * ld + s] *= other[r * other_ld + s]
        else:
            for s in range(n):
                out[r * ld + s] += other[r * other_ld + s]


@cython.final
cdef class ColumnStore(Store):
    cdef Store part              # of the first group
    cdef ColumnStore rest        # of the other groups; None if there are none
    cdef bint is_product
    cdef bint combines           # whether the kernel has further groups
    cdef readonly object columns  # of the first group
    cdef readonly object new      # those of them that are in no earlier group, as positions

    def __init__(self, Py_ssize_t n_features, dtype, groups, Py_ssize_t n_kernels,
                 bint is_product, int n_unbounded, known=()):
        """Create an empty store.

        ``groups`` is a list of pairs of an empty store and its columns, of which the first
        ``n_kernels`` are part of the kernel and the others only keep their columns.
        ``n_unbounded`` of the kernels are as large as a squared norm. The columns ``known`` are in
        earlier groups.
        """
        # K(x, x) is at most of the order of this power of the largest squared norm of a group.
        super().__init__(n_features, dtype, kernel="poly", coef0=0.0,
                         degree=n_unbounded if is_product else min(n_unbounded, 1))
        self.part, self.columns = groups[0]
        self.is_product, self.combines = is_product, n_kernels > 1
        self.new = np.flatnonzero(~np.isin(self.columns, known))
        if len(groups) > 1:
            self.rest = ColumnStore(n_features, dtype, groups[1:], n_kernels - 1, is_product,
                                    n_unbounded, np.union1d(known, self.columns))
        self.update_cost()

    cdef int update_cost(self) except -1:
        self.cost = self.part.cost + (self.rest.cost if self.combines else 0.0)
        return 0

    cdef Store view(self):
        cdef ColumnStore view = <ColumnStore>Store.view(self)
        view.part = self.part.view()
        view.rest = None if self.rest is None else self.rest.view()
        view.is_product, view.combines = self.is_product, self.combines
        view.columns, view.new = self.columns, self.new
        return view

    cdef int unshare(self) except -1:
        self.part.unshare()
        if self.rest is not None:
            self.rest.unshare()
        self.lease = Lease()
        return 0

    cdef int reserve(self, Py_ssize_t n_slots) except -1:
        self.part.reserve(n_slots)
        if self.rest is not None:
            self.rest.reserve(n_slots)
        self.capacity = self.part.capacity      # the same in all groups
        return 0

    cdef Block new_block(self):
        cdef Block block = Store.new_block(self)
        block.part = self.part.new_block()
        block.rest = None if self.rest is None else self.rest.new_block()
        return block

    cdef int load(self, Block block, object X, const int64_t *rows, Py_ssize_t n) except -1:
        """Load samples of ``X``, an array or a CSR matrix of the store's dtype."""
        return self.load_all(block, X[row_array(rows, n)], n)

    cdef int load_all(self, Block block, object X, Py_ssize_t n) except -1:
        cdef Py_ssize_t r
        block.n_rows = n
        for r in range(n):
            block.own_ids[r] = r
        group = X[:, self.columns]
        if isinstance(group, np.ndarray):
            group = np.ascontiguousarray(group)
        else:
            group.sort_indices()
        self.part.load(block.part, group, block.own_ids, n)
        if self.rest is not None:
            self.rest.load_all(block.rest, X, n)
        return 0

    cdef int make_room(self, Block block) except -1:
        self.part.make_room(block.part)
        if self.rest is not None:
            self.rest.make_room(block.rest)
        return 0

    cdef double vector_bytes(self) noexcept:
        return self.part.vector_bytes() + (0.0 if self.rest is None else self.rest.vector_bytes())

    cdef int reserve_block(self, Block block, Block source) except -1:
        self.part.reserve_block(block.part, source.part)
        if self.rest is not None:
            self.rest.reserve_block(block.rest, source.rest)
        return 0

    cdef int load_slots(self, Block block, const int32_t *slots, Py_ssize_t n) noexcept nogil:
        block.n_rows = n
        if self.part.load_slots(block.part, slots, n) < 0:
            return -1
        return 0 if self.rest is None else self.rest.load_slots(block.rest, slots, n)

    cdef int select(self, Block block, Block source, const int32_t *rows,
                    Py_ssize_t n) noexcept nogil:
        block.n_rows = n
        if self.part.select(block.part, source.part, rows, n) < 0:
            return -1
        return 0 if self.rest is None else self.rest.select(block.rest, source.rest, rows, n)

    cdef int detach(self) except -1:
        Store.detach(self)
        self.part.detach()
        return 0 if self.rest is None else self.rest.detach()

    cdef void values(self, Block block, Py_ssize_t first, Py_ssize_t last, float *out,
                     Py_ssize_t ld) noexcept nogil:
        cdef float others[SIMD_BLOCK * STRIPE]
        cdef Py_ssize_t start = first, stop
        self.part.values(block.part, first, last, out, ld)
        while self.combines and start < last:
            stop = min(start + STRIPE, last)
            self.rest.values(block.rest, start, stop, others - start, STRIPE)
            _combine(out + start, ld, others, STRIPE, block.n_rows, stop - start, self.is_product)
            start = stop

    cdef int gram(self, Block block, float *out, Py_ssize_t ld) noexcept nogil:
        cdef float others[SIMD_BLOCK * SIMD_BLOCK]
        if self.part.gram(block.part, out, ld) < 0:
            return -1
        if self.combines:
            if self.rest.gram(block.rest, others, SIMD_BLOCK) < 0:
                return -1
            _combine(out, ld, others, SIMD_BLOCK, block.n_rows, block.n_rows, self.is_product)
        return 0

    cdef int put(self, Py_ssize_t slot, Block block, Py_ssize_t row) except -1:
        self.part.put(slot, block.part, row)
        if self.rest is not None:
            self.rest.put(slot, block.rest, row)
        self.n_slots = max(self.n_slots, slot + 1)
        return self.update_cost()

    cdef double norm_of(self, Block block, Py_ssize_t r) noexcept nogil:
        """Return the largest squared norm of the groups."""
        cdef double norm = self.part.norm_of(block.part, r)
        return max(norm, self.rest.norm_of(block.rest, r)) if self.combines else norm

    def groups(self):
        """Return this store and those of the other groups."""
        return [self, *([] if self.rest is None else self.rest.groups())]

    def vectors_of_group(self, slots):
        """Return the vectors in the columns that are in no earlier group."""
        return self.part.vectors(slots)[:, self.new]

    def vectors(self, slots):
        groups = self.groups()
        columns = np.concatenate([group.columns[group.new] for group in groups])
        parts = [group.vectors_of_group(slots) for group in groups]
        if all(isinstance(part, np.ndarray) for part in parts):
            return np.ascontiguousarray(np.hstack(parts)[:, np.argsort(columns)])
        return sparse.hstack(parts, format="csr")[:, np.argsort(columns)].sorted_indices()

    def state_of_group(self, Py_ssize_t n_slots):
        self.part.n_slots = n_slots
        return self.part.state()

    def state(self):
        return {"groups": [group.state_of_group(self.n_slots) for group in self.groups()]}

    def restore(self, state, Py_ssize_t n_slots):
        self.restore_groups(state["groups"], n_slots)

    def restore_groups(self, states, Py_ssize_t n_slots):
        self.part.restore(states[0], n_slots)
        self.capacity, self.n_slots = round_up(n_slots, SIMD_TILE), n_slots
        if self.rest is not None:
            self.rest.restore_groups(states[1:], n_slots)
        self.update_cost()
