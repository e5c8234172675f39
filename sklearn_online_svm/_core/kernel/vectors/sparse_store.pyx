"""Sparse vectors: CSR rows in a heap.

The block is transposed and densified over the columns that occur in it, so that each stored
nonzero is used for the whole block.
"""
from libc.math cimport INFINITY
from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport calloc, qsort, realloc
from libc.string cimport memcpy, memset

from ...memory cimport address, grown, round_up
from ...simd.primitives cimport SIMD_BLOCK, SIMD_TILE, simd_csr, simd_panel
from .stores cimport Block, Store, fit, real

import numpy as np
from scipy.sparse import csr_matrix

# Stored lengths are multiples of this; see simd_csr.
cdef enum:
    UNROLLED = 4


cdef inline void _copy(void *to, const void *source, size_t n) noexcept nogil:
    if n:   # C has no copy from or to a null pointer, not even of no bytes
        memcpy(to, source, n)


cdef int _ascending(const void *a, const void *b) noexcept nogil:
    cdef int32_t first = (<const int32_t *>a)[0], second = (<const int32_t *>b)[0]
    return (first > second) - (first < second)


cdef int _csr_lengths(const int32_t[::1] indptr32, const int64_t[::1] indptr64,
                      const int64_t *rows, Py_ssize_t n, int64_t *start,
                      int32_t *length) noexcept nogil:
    cdef Py_ssize_t r
    for r in range(n):
        if indptr32 is not None:
            start[r] = indptr32[rows[r]]
            length[r] = <int32_t>(indptr32[rows[r] + 1] - indptr32[rows[r]])
        else:
            start[r] = indptr64[rows[r]]
            length[r] = <int32_t>(indptr64[rows[r] + 1] - indptr64[rows[r]])
    return 0


cdef void _scatter(real *panel, const int32_t *place, Py_ssize_t lanes, Py_ssize_t row,
                   const int32_t *indices, const real *data, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t k
    for k in range(n):
        # Padding zeros have the column of the last value, and must not overwrite it.
        if data[k] != 0:
            panel[place[indices[k]] * lanes + row] = data[k]


cdef Py_ssize_t _compress(const real *row, Py_ssize_t d, int32_t *indices,
                          real *data) noexcept nogil:
    """Write the nonzeros of a dense row, padded with zeros; return their number."""
    cdef Py_ssize_t k, n = 0
    for k in range(d):
        # Branch-free: whether a value is zero is unpredictable.
        indices[n] = <int32_t>k
        data[n] = row[k]
        n += row[k] != 0
    while n % UNROLLED:
        indices[n] = indices[n - 1] if n else 0
        data[n] = 0
        n += 1
    return n


cdef class SparseStore(Store):
    def __init__(self, Py_ssize_t n_features, dtype, **kernel):
        super().__init__(n_features, dtype, **kernel)
        self.cost = 1.0
        self.indices_array = np.zeros(0, dtype=np.int32)
        self.data_array = np.zeros(0, dtype=self.dtype)
        self.start_array = np.zeros(0, dtype=np.int64)
        self.length_array = np.zeros(0, dtype=np.int32)

    cdef Block new_block(self):
        cdef Block block = Store.new_block(self)
        block.start = <int64_t *>calloc(SIMD_BLOCK, sizeof(int64_t))
        block.length = <int32_t *>calloc(SIMD_BLOCK, sizeof(int32_t))
        block.place = <int32_t *>calloc(self.n_features, sizeof(int32_t))
        if block.start == NULL or block.length == NULL or block.place == NULL:
            raise MemoryError()
        return block

    cdef int lend(self, Store view) noexcept:
        cdef SparseStore other = <SparseStore>view
        Store.lend(self, view)
        other.indices_array, other.indices = self.indices_array, self.indices
        other.data_array, other.data = self.data_array, self.data
        other.start_array, other.start = self.start_array, self.start
        other.length_array, other.length = self.length_array, self.length
        other.heap_used, other.heap_capacity = self.heap_used, self.heap_capacity
        return 0

    def resize(self, Py_ssize_t capacity):
        start_array = grown(self.start_array, capacity)
        length_array = grown(self.length_array, capacity)
        indices_array, data_array = self.indices_array, self.data_array
        if not self.owned:
            indices_array = grown(indices_array, self.heap_capacity)
            data_array = grown(data_array, self.heap_capacity)
        cdef void *start = address(start_array)
        cdef void *length = address(length_array)
        cdef void *indices = address(indices_array)
        cdef void *data = address(data_array)
        Store.resize(self, capacity)
        self.start_array, self.start = start_array, <int64_t *>start
        self.length_array, self.length = length_array, <int32_t *>length
        self.indices_array, self.indices = indices_array, <int32_t *>indices
        self.data_array, self.data = data_array, data

    cdef int load(self, Block block, object X, const int64_t *rows, Py_ssize_t n) except -1:
        """Load samples of ``X``, CSR with sorted, unique indices, or an array; same dtype."""
        if isinstance(X, np.ndarray):
            return self.load_array(block, X, rows, n)
        cdef Py_ssize_t r, k, size, nnz = 0
        cdef const int32_t[::1] indptr32 = None, indices32 = None
        cdef const int64_t[::1] indptr64 = None, indices64 = None
        cdef const char *source = <const char *>address(X.data)
        cdef int64_t begin
        if X.indptr.dtype == np.int32:
            indptr32 = X.indptr
        else:
            indptr64 = X.indptr
        if X.indices.dtype == np.int32:
            indices32 = X.indices
        else:
            indices64 = X.indices
        _csr_lengths(indptr32, indptr64, rows, n, block.start, block.length)
        for r in range(n):
            nnz += round_up(block.length[r], UNROLLED)
        if self.room(block, nnz) < 0:
            raise MemoryError()
        block.n_rows = n
        nnz = 0
        with nogil:
            for r in range(n):
                begin = block.start[r]
                size = block.length[r]
                _copy(<char *>block.data + nnz * block.itemsize,
                      source + begin * block.itemsize, size * block.itemsize)
                for k in range(size):
                    block.indices[nnz + k] = (indices32[begin + k] if indices32 is not None
                                              else <int32_t>indices64[begin + k])
                block.start[r] = nnz
                block.length[r] = <int32_t>round_up(size, UNROLLED)
                # Pad with zeros in the last column of the row.
                for k in range(size, block.length[r]):
                    block.indices[nnz + k] = block.indices[nnz + size - 1]
                    memset(<char *>block.data + (nnz + k) * block.itemsize, 0, block.itemsize)
                nnz += block.length[r]
            block.nnz = nnz
            for r in range(n):
                self.norm(block, r)
            r = self.spread(block)
        if r < 0:
            raise MemoryError()
        return 0

    cdef int load_array(self, Block block, object X, const int64_t *rows, Py_ssize_t n) except -1:
        """Load samples of an array, mostly zeros, as CSR rows."""
        cdef Py_ssize_t d = self.n_features, r, nnz = 0
        cdef const void *source = address(X)
        if self.room(block, n * round_up(d, UNROLLED)) < 0:
            raise MemoryError()
        block.n_rows = n
        with nogil:
            for r in range(n):
                block.start[r] = nnz
                if self.is_double:
                    nnz += _compress(<const double *>source + rows[r] * d, d,
                                     block.indices + nnz, <double *>block.data + nnz)
                else:
                    nnz += _compress(<const float *>source + rows[r] * d, d,
                                     block.indices + nnz, <float *>block.data + nnz)
                block.length[r] = <int32_t>(nnz - block.start[r])
                self.norm(block, r)
            block.nnz = nnz
            r = self.spread(block)
        if r < 0:
            raise MemoryError()
        return 0

    cdef int room(self, Block block, Py_ssize_t nnz) noexcept nogil:
        cdef void *moved
        if nnz <= block.nnz_capacity:
            return 0
        moved = realloc(block.indices, nnz * sizeof(int32_t))
        if moved == NULL:
            return -1
        block.indices = <int32_t *>moved
        moved = realloc(block.data, nnz * block.itemsize)
        if moved == NULL:
            return -1
        block.data = moved
        moved = realloc(block.touched, nnz * sizeof(int32_t))
        if moved == NULL:
            return -1
        block.touched = <int32_t *>moved
        block.nnz_capacity = nnz
        return 0

    cdef void norm(self, Block block, Py_ssize_t r) noexcept nogil:
        cdef const double *row = <const double *>block.data + block.start[r]
        cdef const int32_t *columns = block.indices + block.start[r]
        cdef double sum = 0.0
        cdef Py_ssize_t k
        if self.offset_values != NULL:
            for k in range(block.length[r]):
                sum += row[k] * self.offset_values[columns[k]]
            (<double *>block.norms)[r] = sum - self.half_square
        else:
            self.loops.sparse_norm(<char *>block.data + block.start[r] * block.itemsize,
                                   block.length[r], <char *>block.norms + r * block.itemsize)

    cdef int spread(self, Block block) noexcept nogil:
        """Transpose the block into its panel, over the columns that occur in it.

        A block of more samples has none: kernel values are computed of parts of it.
        """
        cdef Py_ssize_t k, r
        cdef int32_t column
        if block.n_rows > SIMD_BLOCK:
            return 0
        for k in range(block.n_touched):
            block.place[block.touched[k]] = 0
        block.n_touched = 0
        for k in range(block.nnz):
            column = block.indices[k]
            if block.place[column] == 0:
                block.touched[block.n_touched] = column
                block.n_touched += 1
                block.place[column] = <int32_t>block.n_touched
        block.is_sorted = self.has_far(block)
        if block.is_sorted:
            qsort(block.touched, block.n_touched, sizeof(int32_t), _ascending)
        block.lanes = round_up(block.n_rows, SIMD_TILE)
        k = (block.n_touched + 1) * block.lanes * block.itemsize
        if fit(&block.panel, &block.panel_capacity, k):
            return -1
        memset(block.panel, 0, k)
        for r in range(block.n_rows):
            if self.is_double:
                _scatter(<double *>block.panel, block.place, block.lanes, r,
                         block.indices + block.start[r],
                         <double *>block.data + block.start[r], block.length[r])
            else:
                _scatter(<float *>block.panel, block.place, block.lanes, r,
                         block.indices + block.start[r],
                         <float *>block.data + block.start[r], block.length[r])
        return 0

    cdef bint has_far(self, Block block) noexcept nogil:
        """Return whether distances of a sample are computed from differences."""
        cdef Py_ssize_t r
        for r in range(block.n_rows):
            if self.norm_of(block, r) > self.map.far:
                return True
        return False

    cdef int load_slots(self, Block block, const int32_t *slots, Py_ssize_t n) noexcept nogil:
        return self.load_rows(block, self.indices, self.data, self.start, self.length, self.norms,
                              slots, n)

    cdef int reserve_block(self, Block block, Block source) except -1:
        cdef Py_ssize_t n_columns = 1 + min(self.n_features, source.nnz)
        if self.room(block, source.nnz) < 0 or fit(
                &block.panel, &block.panel_capacity, n_columns * SIMD_BLOCK * block.itemsize):
            raise MemoryError()
        return 0

    cdef int select(self, Block block, Block source, const int32_t *rows,
                    Py_ssize_t n) noexcept nogil:
        return self.load_rows(block, source.indices, source.data, source.start, source.length,
                              source.norms, rows, n)

    cdef int load_rows(self, Block block, const int32_t *indices, const void *data,
                       const int64_t *start, const int32_t *length, const void *norms,
                       const int32_t *rows, Py_ssize_t n) noexcept nogil:
        """Load rows of CSR arrays whose lengths are padded; return -1 if out of memory."""
        cdef Py_ssize_t r, nnz = 0, width = block.itemsize
        for r in range(n):
            nnz += length[rows[r]]
        if self.room(block, nnz) < 0:
            return -1
        block.n_rows = n
        nnz = 0
        for r in range(n):
            block.start[r] = nnz
            block.length[r] = length[rows[r]]
            _copy(block.indices + nnz, indices + start[rows[r]],
                  block.length[r] * sizeof(int32_t))
            _copy(<char *>block.data + nnz * width,
                  <const char *>data + start[rows[r]] * width, block.length[r] * width)
            memcpy(<char *>block.norms + r * width, <const char *>norms + rows[r] * width, width)
            nnz += block.length[r]
        block.nnz = nnz
        return self.spread(block)

    cdef simd_csr as_csr(self) noexcept nogil:
        cdef simd_csr stored
        stored.indices = self.indices
        stored.values = self.data
        stored.start = self.start
        stored.length = self.length
        return stored

    cdef void values(self, Block block, Py_ssize_t first, Py_ssize_t last, float *out,
                     Py_ssize_t ld) noexcept nogil:
        cdef simd_panel fresh = block.as_panel()
        cdef simd_csr stored = self.as_csr()
        self.loops.sparse_block(&self.map, &fresh, &stored, self.norms, first, last, out, ld)

    cdef void values_of_tiles(self, Block block, const int32_t *tiles, Py_ssize_t n,
                              float *out) noexcept nogil:
        cdef simd_panel fresh = block.as_panel()
        cdef simd_csr stored = self.as_csr()
        self.loops.sparse_tiles(&self.map, &fresh, &stored, self.norms, tiles, 0, n, out)

    cdef int gram(self, Block block, float *out, Py_ssize_t ld) noexcept nogil:
        cdef simd_panel fresh = block.as_panel()
        cdef simd_csr stored
        cdef Py_ssize_t r, last = round_up(block.n_rows, SIMD_TILE)
        for r in range(block.n_rows, last):
            block.start[r] = 0
            block.length[r] = 0
        stored.indices = block.indices
        stored.values = block.data
        stored.start = block.start
        stored.length = block.length
        self.loops.sparse_block(&self.map, &fresh, &stored, block.norms, 0, last, out, ld)
        return 0

    cdef int put(self, Py_ssize_t slot, Block block, Py_ssize_t row) except -1:
        cdef Py_ssize_t n = block.length[row], width = block.itemsize
        if n <= self.length[slot]:
            pass                       # reuses the memory of the slot's former vector
        else:
            self.start[slot] = self.heap_used
            self.heap_used += n
        self.length[slot] = <int32_t>n
        if self.cost != INFINITY:
            self.cost = 1.0 + 0.6 * self.heap_used / (self.n_slots + 1)
        _copy(self.indices + self.start[slot], block.indices + block.start[row],
              n * sizeof(int32_t))
        _copy(<char *>self.data + self.start[slot] * width,
              <char *>block.data + block.start[row] * width, n * width)
        memcpy(<char *>self.norms + slot * width, <char *>block.norms + row * width, width)
        self.n_slots = max(self.n_slots, slot + 1)
        return 0

    cdef int make_room(self, Block block) except -1:
        if self.heap_used + block.nnz > self.heap_capacity:
            self.collect(block.nnz)
        return 0

    cdef double vector_bytes(self) noexcept:
        # A later value may differ, which only changes how many copies of vectors are kept.
        return <double>self.heap_used / (self.n_slots + 1) * (4 + self.dtype.itemsize)

    cdef int collect(self, Py_ssize_t wanted) except -1:
        """Compact the heap; grow it if less than a third would be free."""
        cdef Py_ssize_t live = 0, used = 0, slot, n, width = self.dtype.itemsize
        for slot in range(self.n_slots):
            live += self.length[slot]
        cdef Py_ssize_t capacity = max(self.heap_capacity, (live + wanted) * 3 // 2, 1024)
        # Into new arrays: the old ones may have readers, and remain valid if memory is short.
        indices_array, data_array = np.zeros(capacity, np.int32), np.zeros(capacity, self.dtype)
        start_array = grown(self.start_array, self.capacity)
        cdef int32_t *indices = <int32_t *>address(indices_array)
        cdef char *data = <char *>address(data_array)
        cdef int64_t *start = <int64_t *>address(start_array)
        for slot in range(self.n_slots):
            n = self.length[slot]
            memcpy(indices + used, self.indices + self.start[slot], n * sizeof(int32_t))
            memcpy(data + used * width, <char *>self.data + self.start[slot] * width, n * width)
            start[slot] = used
            used += n
        self.indices_array, self.data_array = indices_array, data_array
        self.start_array = start_array
        self.indices, self.data, self.start = indices, data, start
        self.heap_used, self.heap_capacity = used, capacity
        return 0

    def vectors(self, slots):
        slots = np.asarray(slots, dtype=np.intp)
        lengths = self.length_array[slots].astype(np.int64)
        ends = np.cumsum(lengths)
        indptr = np.concatenate([[0], ends])
        take = np.repeat(self.start_array[slots] - (ends - lengths), lengths)
        take += np.arange(len(take))
        vectors = csr_matrix((self.data_array[take], self.indices_array[take], indptr),
                             shape=(len(slots), self.n_features))
        vectors.eliminate_zeros()
        return vectors

    def state(self):
        state = Store.state(self)
        last = round_up(self.n_slots, SIMD_TILE)
        used = self.heap_used if self.n_slots else 0        # 0: see `empty`
        state.update(indices=self.indices_array[:used].copy(), data=self.data_array[:used].copy(),
                     start=self.start_array[:last].copy(), length=self.length_array[:last].copy())
        return state

    def take_arrays(self, state):
        self.indices_array, self.data_array = state["indices"], state["data"]
        self.start_array, self.length_array = state["start"], state["length"]
        self.indices = <int32_t *>address(self.indices_array)
        self.data = address(self.data_array)
        self.start = <int64_t *>address(self.start_array)
        self.length = <int32_t *>address(self.length_array)
        self.heap_used = self.heap_capacity = len(self.indices_array)
