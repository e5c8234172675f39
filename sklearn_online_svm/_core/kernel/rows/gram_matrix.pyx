"""Kernel values of some samples with each other, in one matrix of single precision.

The matrix is symmetric bit for bit, and its values do not depend on the other samples, nor on the
number of threads.
"""
cimport cython
from cpython.ref cimport PyObject
from libc.math cimport INFINITY
from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport free
from libc.string cimport memcpy, memset

from ...interrupts cimport check_interrupts
from ...memory cimport round_up
from ...simd.primitives cimport SIMD_BLOCK, SIMD_TILE, table
from ...threads.team cimport Team
from ..vectors.block cimport check_gram, check_norms, check_type
from ..vectors.stores cimport Block, Store

cdef extern from "row_pool.h" nogil:
    float *pool_allocate(size_t)

# Blocks of rows between two checks for signals: some milliseconds.
cdef enum:
    BLOCKS_AT_ONCE = 8
# Columns that are mirrored at a time.
cdef enum:
    COLUMNS = 256


# Blocks of rows, from the diagonal on.
cdef struct Rows:
    float *values
    Py_ssize_t ld
    Py_ssize_t n
    Py_ssize_t first_block
    PyObject *store
    PyObject **blocks       # of each part


cdef void compute_rows(void *context, Py_ssize_t part, Py_ssize_t n_parts) noexcept nogil:
    """Compute a block of rows right of the diagonal block, and copy it below the diagonal."""
    cdef Rows *rows = <Rows *>context
    cdef Py_ssize_t at = (rows.first_block + part) * SIMD_BLOCK, c, width
    cdef Py_ssize_t beyond = at + SIMD_BLOCK, first = beyond
    cdef float *values = rows.values + at * rows.ld
    cdef float turned[SIMD_BLOCK * COLUMNS]
    if beyond >= rows.n:
        return
    (<Store>rows.store).values(<Block>rows.blocks[part], beyond, round_up(rows.n, SIMD_TILE),
                               values, rows.ld)
    for c in range(SIMD_BLOCK):
        memset(values + c * rows.ld + rows.n, 0, (rows.ld - rows.n) * sizeof(float))
    while first < rows.n:
        width = min(COLUMNS, rows.n - first)
        # In whole groups of four: rows are longer than n.
        table().transpose(values + first, rows.ld, SIMD_BLOCK, round_up(width, 4), turned)
        for c in range(width):
            memcpy(rows.values + (first + c) * rows.ld + at, turned + c * SIMD_BLOCK,
                   SIMD_BLOCK * sizeof(float))
        first += COLUMNS


@cython.final
cdef class GramMatrix:
    def __init__(self, Py_ssize_t n):
        cdef Py_ssize_t n_bytes
        self.n = n
        # Rows whose distance is a power of 2 would share few lines of the CPU cache.
        self.ld = (round_up(n, SIMD_TILE) // SIMD_TILE | 1) * SIMD_TILE
        n_bytes = max(1, n * self.ld * <Py_ssize_t>sizeof(float))
        self.values = pool_allocate(n_bytes)
        if self.values == NULL:
            raise MemoryError(f"Out of memory for {n_bytes} bytes of kernel values.")

    def __dealloc__(self):
        free(self.values)

    cdef int fill(self, Store store, X, const int64_t[::1] rows, Team team) except -1:
        """Compute the values of the samples ``X[rows]``; ``store`` is an empty one."""
        cdef list loaded = [store.new_block() for _ in range(BLOCKS_AT_ONCE)]
        cdef PyObject *blocks[BLOCKS_AT_ONCE]
        cdef int32_t slots[SIMD_BLOCK]
        cdef Py_ssize_t b, k, r, n_blocks = (self.n + SIMD_BLOCK - 1) // SIMD_BLOCK, size, first
        cdef Rows part
        check_type(store, X)
        if self.n == 0:
            return 0
        if store.cost == INFINITY:
            return self.ask_function(store, X, rows)
        self.load(store, X, rows)
        part.values, part.ld, part.n = self.values, self.ld, self.n
        part.store, part.blocks = <PyObject *>store, blocks
        for b in range(0, n_blocks - 1, BLOCKS_AT_ONCE):
            size = min(BLOCKS_AT_ONCE, n_blocks - 1 - b)
            for k in range(size):
                blocks[k] = <PyObject *>loaded[k]
                first = (b + k) * SIMD_BLOCK
                for r in range(SIMD_BLOCK):
                    slots[r] = <int32_t>(first + r)
                store.raise_errors(store.load_slots(<Block>loaded[k], slots, SIMD_BLOCK))
            if team.size > 1:
                team.call_helpers()
            part.first_block = b
            with nogil:
                team.run(compute_rows, &part, size)
            check_interrupts()
        self.n_evaluations = self.n * (self.n + 1) // 2
        return 0

    cdef int load(self, Store store, X, const int64_t[::1] rows) except -1:
        """Put the samples into the store, and compute the blocks on the diagonal."""
        cdef Block block = store.new_block()
        cdef float gram[SIMD_BLOCK * SIMD_BLOCK]
        cdef Py_ssize_t at, r, size
        cdef int code
        store.reserve(self.n)
        for at in range(0, self.n, SIMD_BLOCK):
            size = min(SIMD_BLOCK, self.n - at)
            store.load(block, X, &rows[at], size)
            check_norms(store, block, &rows[at])
            with nogil:
                code = store.gram(block, gram, SIMD_BLOCK)
            store.raise_errors(code)
            check_gram(store, block, gram, SIMD_BLOCK, &rows[at])
            store.make_room(block)
            for r in range(size):
                # Loops read whole tiles.
                memset(self.values + (at + r) * self.ld + self.n, 0,
                       (self.ld - self.n) * sizeof(float))
                memcpy(self.values + (at + r) * self.ld + at, gram + r * SIMD_BLOCK,
                       size * sizeof(float))
                store.put(at + r, block, r)
        return 0

    cdef int ask_function(self, Store store, X, const int64_t[::1] rows) except -1:
        """Get all values from a function in Python, or from a matrix, in one call."""
        cdef Block block = store.new_block()
        cdef Py_ssize_t r
        block.enlarge(self.n)
        store.reserve(self.n)
        store.load(block, X, &rows[0], self.n)
        store.make_room(block)
        for r in range(self.n):
            store.put(r, block, r)
        store.values(block, 0, self.n, self.values, self.ld)
        for r in range(self.n):
            memset(self.values + r * self.ld + self.n, 0, (self.ld - self.n) * sizeof(float))
        store.raise_errors()
        self.n_evaluations = self.n * self.n
        return 0
