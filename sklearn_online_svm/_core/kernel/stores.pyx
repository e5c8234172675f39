"""Stores of vectors, and kernel values of blocks of fresh rows against them.

One class per way of holding vectors:

- ``DenseStore`` keeps tiles of 16 slots, ``tile[k, lane]``: a vector register holds one feature of
  16 stored vectors, and a fresh row is broadcast against it. Nothing has to be packed per block.
- ``SparseStore`` keeps CSR rows in a heap. The fresh block is transposed and densified over the
  columns that occur in it, so that each stored nonzero serves the whole block.

Kernels that live in Python have their stores in ``python_stores.pyx``.
"""

cimport cython
from cpython.exc cimport PyErr_CheckSignals
from libc.float cimport DBL_MAX, FLT_MAX
from libc.math cimport INFINITY, fabs, pow
from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport calloc, free, realloc
from libc.string cimport memcpy, memset

from ..memory cimport address, grown, round_up
from ..simd.leaves cimport (
    LEAVES_BLOCK, LEAVES_CENTRED, LEAVES_LINEAR, LEAVES_POLY, LEAVES_RBF, LEAVES_SIGMOID,
    LEAVES_TILE, leaves_csr, leaves_panel, leaves_rows, table,
)

import numpy as np
from scipy.sparse import csr_matrix

BLOCK = LEAVES_BLOCK
LINEAR = LEAVES_LINEAR
POLY = LEAVES_POLY
RBF = LEAVES_RBF
SIGMOID = LEAVES_SIGMOID

# What sums of squares may differ by where machines round differently, and of what differences of
# doubles have lost.
cdef double ROUNDING = 1e-3
cdef double CANCELLED = 1e-9

# Stored lengths are multiples of this; see leaves_csr.
cdef enum:
    UNROLLED = 4

ctypedef fused real:
    float
    double


cdef object row_array(const int64_t *rows, Py_ssize_t n):
    """``rows`` as an array."""
    cdef Py_ssize_t r
    return np.array([rows[r] for r in range(n)], dtype=np.int64)


cdef int _fit(void **buffer, Py_ssize_t *capacity, Py_ssize_t n_bytes) noexcept nogil:
    """Make ``buffer`` hold ``n_bytes``; -1 when memory is short. Contents are kept."""
    cdef void *moved
    if n_bytes <= capacity[0]:
        return 0
    moved = realloc(buffer[0], n_bytes)
    if moved == NULL:
        return -1
    buffer[0] = moved
    capacity[0] = n_bytes
    return 0


@cython.final
cdef class Lease:
    """Goes with the arrays of a store and is held by all its views: who else holds it reads."""


cdef class Block:
    def __dealloc__(self):
        free(self.norms)
        free(self.rows)
        free(self.tiles)
        free(self.indices)
        free(self.data)
        free(self.start)
        free(self.length)
        free(self.panel)
        free(self.place)
        free(self.touched)

    cdef leaves_rows as_rows(self) noexcept nogil:
        cdef leaves_rows fresh
        fresh.rows = self.rows
        fresh.norms = self.norms
        fresh.n_rows = self.n_rows
        fresh.n_features = self.n_features
        return fresh

    cdef leaves_panel as_panel(self) noexcept nogil:
        cdef leaves_panel fresh
        fresh.panel = self.panel
        fresh.place = self.place
        fresh.norms = self.norms
        fresh.lanes = self.lanes
        fresh.n_rows = self.n_rows
        return fresh


# ------------------------------------------------------------------------------ the contract

cdef class Store:
    """Contract of all stores; see ``stores.pxd``."""

    def __init__(self, Py_ssize_t n_features, dtype, int kind=LEAVES_RBF, double gamma=1.0,
                 double coef0=0.0, int degree=3, offset=None):
        self.n_features = n_features
        self.dtype = np.dtype(dtype)
        self.is_double = self.dtype == np.float64
        self.cost = INFINITY               # a call to Python costs more than any memory
        self.map.kind = kind
        self.map.gamma = gamma
        self.map.coef0 = coef0
        self.map.degree = degree
        if offset is not None:
            # K(x, z) = (x - m).(z - m) = x.z - (x.m - m.m / 2) - (z.m - m.m / 2), in doubles.
            if kind != LEAVES_LINEAR or not self.is_double:
                raise ValueError("only the linear kernel of float64 rows has an offset")
            self.map.kind = LEAVES_CENTRED
            self.offset = np.ascontiguousarray(offset, dtype=np.float64)
            if self.offset.shape != (n_features,):
                raise ValueError(
                    f"the offset must have shape {(n_features,)}, got {self.offset.shape}")
            self.offset_values = <const double *>address(self.offset)
            self.half_square = 0.5 * float(self.offset @ self.offset)
        self.norms_array = np.zeros(0, dtype=self.dtype)
        self.lease = Lease()

    cdef int lend(self, Store view) noexcept:
        """Make ``view``, an empty store of this class, one of the vectors as they are now."""
        view.n_features, view.n_slots, view.capacity = self.n_features, self.n_slots, self.capacity
        view.dtype, view.is_double = self.dtype, self.is_double
        view.map, view.cost = self.map, self.cost
        view.offset, view.offset_values = self.offset, self.offset_values
        view.half_square = self.half_square
        view.norms_array, view.norms = self.norms_array, self.norms
        view.lease = self.lease
        return 0

    cdef Store view(self):
        """The vectors as they are now, to read from; errors of its own."""
        cdef Store view = type(self).__new__(type(self))
        self.lend(view)
        return view

    cdef int unshare(self) except -1:
        """Copy the vectors to where nobody reads them."""
        self.owned = False
        self.resize(self.capacity)
        self.owned = True
        self.lease = Lease()
        return 0

    cdef int make_room(self, Block block) except -1:
        """Make room for what ``put`` writes of the block, slots apart: it cannot fail then."""
        return 0

    cdef int raise_error(self) except -1:
        """Raise what a Python kernel raised."""
        if self.failed:
            error, self.error, self.failed = self.error, None, False
            self.interrupt = None           # this is what ends the call
            self.raised = None if isinstance(error, Exception) else error
            raise error
        return 0

    cdef int raise_interrupt(self) except -1:
        """Raise Ctrl-C, seen earlier in a Python kernel, or now."""
        if self.interrupt is not None:
            interrupt, self.interrupt = self.interrupt, None
            raise interrupt
        PyErr_CheckSignals()
        return 0

    cdef Block new_block(self):
        cdef Block block = Block.__new__(Block)
        block.itemsize = self.dtype.itemsize
        block.n_features = self.n_features
        block.norms = calloc(LEAVES_BLOCK, block.itemsize)
        if block.norms == NULL:
            raise MemoryError()
        return block

    cdef int reserve(self, Py_ssize_t n_slots) except -1:
        """Room for ``n_slots``, in memory that may be written."""
        cdef Py_ssize_t capacity = self.capacity
        if n_slots <= capacity and self.owned:
            return 0
        if n_slots > capacity:
            capacity = round_up(max(n_slots, capacity + capacity // 4), LEAVES_TILE)
        self.resize(capacity)
        self.capacity = capacity
        self.owned = True
        return 0

    def resize(self, Py_ssize_t capacity):
        """Copy the arrays; all that may fail comes before the first of them is replaced."""
        norms_array = grown(self.norms_array, capacity)
        self.norms = address(norms_array)
        self.norms_array = norms_array

    cdef int load(self, Block block, object X, const int64_t *rows, Py_ssize_t n) except -1:
        raise NotImplementedError

    cdef int load_slots(self, Block block, const int32_t *slots, Py_ssize_t n) noexcept nogil:
        return -1

    cdef void values(self, Block block, Py_ssize_t first, Py_ssize_t last, float *out,
                     Py_ssize_t ld) noexcept nogil:
        pass

    cdef void values_of_tiles(self, Block block, const int32_t *tiles, Py_ssize_t n,
                              float *out) noexcept nogil:
        """The block's first row against the slots of some tiles, 16 values for each."""
        cdef Py_ssize_t t
        for t in range(n):
            # `values` writes to the place of the slot.
            self.values(block, tiles[t] * LEAVES_TILE, (tiles[t] + 1) * LEAVES_TILE,
                        out + (t - tiles[t]) * LEAVES_TILE, 0)

    cdef int gram(self, Block block, float *out, Py_ssize_t ld) noexcept nogil:
        return -1

    cdef object python_values(self, Block block, Py_ssize_t first, Py_ssize_t last):
        raise NotImplementedError

    cdef int take_slots(self, Block block, list slots) except -1:
        raise NotImplementedError

    cdef int put(self, Py_ssize_t slot, Block block, Py_ssize_t row) except -1:
        raise NotImplementedError

    def fill(self, X):
        """Put the rows of X into the slots 0, 1, ... of an empty store, which is returned."""
        cdef Block block = self.new_block()
        cdef int64_t rows[LEAVES_BLOCK]
        cdef Py_ssize_t at, r, size, n = X.shape[0]
        self.reserve(n)
        for at in range(0, n, LEAVES_BLOCK):
            size = min(LEAVES_BLOCK, n - at)
            for r in range(size):
                rows[r] = at + r
            self.load(block, X, rows, size)
            self.make_room(block)
            for r in range(size):
                self.put(at + r, block, r)
        return self

    cdef double norm_of(self, Block block, Py_ssize_t r) noexcept nogil:
        """Squared norm of a row of the block; 0 where the store has no need of it."""
        if self.offset_values != NULL:
            return 0.0
        return (<double *>block.norms)[r] if self.is_double else (<float *>block.norms)[r]

    cdef bint holds_norm(self, double norm) noexcept nogil:
        """Whether sums of such squared norms, and so products of rows, are finite."""
        return norm <= 0.25 * (DBL_MAX if self.is_double else FLT_MAX)

    cdef bint holds_values(self, double norm) noexcept nogil:
        """Whether kernel values between rows of at most this squared norm are finite floats."""
        if self.map.kind == LEAVES_LINEAR:
            return norm <= FLT_MAX
        if self.map.kind == LEAVES_POLY:
            return pow(self.map.gamma * norm + fabs(self.map.coef0), self.map.degree) <= FLT_MAX
        return True

    def vectors(self, slots):
        """Rows stored in ``slots``, as an array or a CSR matrix of the data's type."""
        raise NotImplementedError

    def state(self):
        """Arrays from which ``restore`` rebuilds the store."""
        return {"norms": self.norms_array[:round_up(self.n_slots, LEAVES_TILE)].copy()}

    def restore(self, state, Py_ssize_t n_slots):
        """Take the arrays of ``state``, a :class:`Stored`, as they are; they are copied before
        the first write. All are checked before any is taken."""
        cdef Py_ssize_t capacity = round_up(n_slots, LEAVES_TILE)
        norms = state.array("norms", self.dtype, (capacity,), finite=True)
        expected = self.take_arrays(state, n_slots, capacity)
        # Another machine may have rounded otherwise. NaN and infinity in a vector show here, too.
        room = ROUNDING * (abs(expected) + self.half_square)
        state.require((abs(norms - expected) <= room).all(), "norms",
                      "must be the squared norms of the vectors (their products with the offset, "
                      "where there is one), and these finite")
        state.end()
        self.norms_array = norms
        self.norms = address(norms)
        self.capacity = capacity
        self.n_slots = n_slots
        self.owned = False

    def take_arrays(self, state, Py_ssize_t n_slots, Py_ssize_t capacity):
        """The part of ``restore`` that is the class's own; returns what the norms should be."""
        raise NotImplementedError

    cdef bint is_own_value(self, Py_ssize_t slot, float value) noexcept nogil:
        """Whether ``value`` may be K(x, x) of a stored vector; a Python function is not asked."""
        cdef double norm, square, expected, size
        if self.cost == INFINITY:
            return True
        if self.map.kind == LEAVES_SIGMOID:
            return fabs(value) <= 1.0
        if self.map.kind == LEAVES_RBF:
            return fabs(value - 1.0) <= ROUNDING
        norm = ((<double *>self.norms)[slot] if self.is_double
                else (<float *>self.norms)[slot])
        if self.map.kind == LEAVES_CENTRED:
            square = self.square_of(slot)
            expected = square - 2.0 * norm
            return fabs(value - expected) <= ROUNDING * expected + CANCELLED * square
        if self.map.kind == LEAVES_POLY:
            expected = pow(self.map.gamma * norm + self.map.coef0, self.map.degree)
            size = pow(self.map.gamma * norm + fabs(self.map.coef0), self.map.degree)
            # Each factor is rounded.
            return fabs(value - expected) <= (ROUNDING + 1e-6 * self.map.degree) * size
        return fabs(value - norm) <= ROUNDING * norm

    cdef double square_of(self, Py_ssize_t slot) noexcept nogil:
        """Squared norm of a stored vector of doubles."""
        return 0.0


# ------------------------------------------------------------------------------ dense

cdef void _from_tiles(const real *tiles, Py_ssize_t slot, Py_ssize_t d, real *row) noexcept nogil:
    cdef const real *lane = tiles + slot // LEAVES_TILE * LEAVES_TILE * d + slot % LEAVES_TILE
    cdef Py_ssize_t k
    for k in range(d):
        row[k] = lane[k * LEAVES_TILE]


cdef void _to_tiles(real *tiles, Py_ssize_t slot, Py_ssize_t d, const real *row) noexcept nogil:
    cdef real *lane = tiles + slot // LEAVES_TILE * LEAVES_TILE * d + slot % LEAVES_TILE
    cdef Py_ssize_t k
    for k in range(d):
        lane[k * LEAVES_TILE] = row[k]


cdef void _tile_sums(const real *tiles, Py_ssize_t n_tiles, Py_ssize_t d, const double *offset,
                     real *sums) noexcept nogil:
    """Squared norms of the vectors; with an offset their products with it."""
    cdef real here[LEAVES_TILE]
    cdef Py_ssize_t t, k, lane
    for t in range(n_tiles):
        for lane in range(LEAVES_TILE):
            here[lane] = 0
        for k in range(d):
            if offset == NULL:
                for lane in range(LEAVES_TILE):
                    here[lane] += tiles[lane] * tiles[lane]
            else:
                for lane in range(LEAVES_TILE):
                    here[lane] += tiles[lane] * <real>offset[k]
            tiles += LEAVES_TILE
        for lane in range(LEAVES_TILE):
            sums[t * LEAVES_TILE + lane] = here[lane]


@cython.final
cdef class DenseStore(Store):
    def __init__(self, Py_ssize_t n_features, dtype, **kernel):
        super().__init__(n_features, dtype, **kernel)
        # Read from memory: 16 features of one vector lie 64 bytes apart.
        self.cost = 0.4 + 0.06 * n_features
        self.tiles_array = np.zeros((0, n_features, LEAVES_TILE), dtype=self.dtype)

    cdef int lend(self, Store view) noexcept:
        cdef DenseStore other = <DenseStore>view
        Store.lend(self, view)
        other.tiles_array, other.tiles = self.tiles_array, self.tiles
        return 0

    def resize(self, Py_ssize_t capacity):
        tiles_array = grown(self.tiles_array, capacity // LEAVES_TILE)
        cdef void *tiles = address(tiles_array)
        Store.resize(self, capacity)
        self.tiles_array, self.tiles = tiles_array, tiles

    cdef int load(self, Block block, object X, const int64_t *rows, Py_ssize_t n) except -1:
        """``X`` is a C-contiguous array or a CSR matrix, of the store's type."""
        cdef Py_ssize_t r, width = self.n_features * block.itemsize
        cdef const char *source
        cdef bint gathered = not isinstance(X, np.ndarray)
        if gathered:
            X = X[row_array(rows, n)].toarray()
        source = <const char *>address(X)
        if _fit(&block.rows, &block.rows_capacity, n * width):
            raise MemoryError()
        block.n_rows = n
        with nogil:
            for r in range(n):
                memcpy(<char *>block.rows + r * width,
                       source + (r if gathered else rows[r]) * width, width)
            self.norm(block)
        return 0

    cdef void norm(self, Block block) noexcept nogil:
        cdef Py_ssize_t d = self.n_features, r, k
        cdef const double *row
        cdef double sum
        if self.offset_values != NULL:
            for r in range(block.n_rows):
                row = <const double *>block.rows + r * d
                sum = 0.0
                for k in range(d):
                    sum += row[k] * self.offset_values[k]
                (<double *>block.norms)[r] = sum - self.half_square
        elif self.is_double:
            table().dense_norms_f64(<double *>block.rows, block.n_rows, self.n_features,
                                    <double *>block.norms)
        else:
            table().dense_norms_f32(<float *>block.rows, block.n_rows, self.n_features,
                                    <float *>block.norms)

    cdef int load_slots(self, Block block, const int32_t *slots, Py_ssize_t n) noexcept nogil:
        cdef Py_ssize_t d = self.n_features, r
        if _fit(&block.rows, &block.rows_capacity, n * d * block.itemsize):
            return -1
        block.n_rows = n
        for r in range(n):
            if self.is_double:
                _from_tiles(<double *>self.tiles, slots[r], d, <double *>block.rows + r * d)
                (<double *>block.norms)[r] = (<double *>self.norms)[slots[r]]
            else:
                _from_tiles(<float *>self.tiles, slots[r], d, <float *>block.rows + r * d)
                (<float *>block.norms)[r] = (<float *>self.norms)[slots[r]]
        return 0

    cdef void values(self, Block block, Py_ssize_t first, Py_ssize_t last, float *out,
                     Py_ssize_t ld) noexcept nogil:
        cdef leaves_rows fresh = block.as_rows()
        if self.is_double:
            table().dense_block_f64(&self.map, &fresh, <double *>self.tiles,
                                    <double *>self.norms, first, last, out, ld)
        else:
            table().dense_block_f32(&self.map, &fresh, <float *>self.tiles,
                                    <float *>self.norms, first, last, out, ld)

    cdef void values_of_tiles(self, Block block, const int32_t *tiles, Py_ssize_t n,
                              float *out) noexcept nogil:
        cdef leaves_rows fresh = block.as_rows()
        if self.is_double:
            table().dense_tiles_f64(&self.map, &fresh, <double *>self.tiles,
                                    <double *>self.norms, tiles, n, out)
        else:
            table().dense_tiles_f32(&self.map, &fresh, <float *>self.tiles,
                                    <float *>self.norms, tiles, n, out)

    cdef int gram(self, Block block, float *out, Py_ssize_t ld) noexcept nogil:
        """The block against its own rows, laid out as tiles."""
        cdef Py_ssize_t d = self.n_features, r, width = round_up(block.n_rows, LEAVES_TILE)
        cdef leaves_rows fresh = block.as_rows()
        if _fit(&block.tiles, &block.tiles_capacity, width * d * block.itemsize):
            return -1
        for r in range(width):
            # The last tile is filled up with copies of the last row; nobody reads their values.
            if self.is_double:
                _to_tiles(<double *>block.tiles, r, d,
                          <double *>block.rows + min(r, block.n_rows - 1) * d)
            else:
                _to_tiles(<float *>block.tiles, r, d,
                          <float *>block.rows + min(r, block.n_rows - 1) * d)
        if self.is_double:
            table().dense_block_f64(&self.map, &fresh, <double *>block.tiles,
                                    <double *>block.norms, 0, width, out, ld)
        else:
            table().dense_block_f32(&self.map, &fresh, <float *>block.tiles,
                                    <float *>block.norms, 0, width, out, ld)
        return 0

    cdef int put(self, Py_ssize_t slot, Block block, Py_ssize_t row) except -1:
        cdef Py_ssize_t d = self.n_features
        if self.is_double:
            _to_tiles(<double *>self.tiles, slot, d, <double *>block.rows + row * d)
            (<double *>self.norms)[slot] = (<double *>block.norms)[row]
        else:
            _to_tiles(<float *>self.tiles, slot, d, <float *>block.rows + row * d)
            (<float *>self.norms)[slot] = (<float *>block.norms)[row]
        self.n_slots = max(self.n_slots, slot + 1)
        return 0

    def vectors(self, slots):
        slots = np.asarray(slots, dtype=np.intp)
        return np.ascontiguousarray(
            self.tiles_array[slots // LEAVES_TILE, :, slots % LEAVES_TILE])

    def state(self):
        state = Store.state(self)
        last = round_up(self.n_slots, LEAVES_TILE)
        state["tiles"] = self.tiles_array[:last // LEAVES_TILE].copy()
        return state

    def take_arrays(self, state, Py_ssize_t n_slots, Py_ssize_t capacity):
        shape = capacity // LEAVES_TILE, self.n_features, LEAVES_TILE
        self.tiles_array = state.array("tiles", self.dtype, shape)
        self.tiles = address(self.tiles_array)
        norms = np.empty(capacity, dtype=self.dtype)
        cdef void *out = address(norms)
        cdef Py_ssize_t n_tiles = capacity // LEAVES_TILE
        if self.is_double:
            _tile_sums(<double *>self.tiles, n_tiles, self.n_features, self.offset_values,
                       <double *>out)
        else:
            _tile_sums(<float *>self.tiles, n_tiles, self.n_features, NULL, <float *>out)
        if self.offset_values != NULL:
            # What was never used is 0, and has 0 for a norm.
            norms[:n_slots] -= self.half_square
        return norms

    cdef double square_of(self, Py_ssize_t slot) noexcept nogil:
        cdef const double *lane = (<double *>self.tiles + slot % LEAVES_TILE
                                   + slot // LEAVES_TILE * LEAVES_TILE * self.n_features)
        cdef double sum = 0.0
        cdef Py_ssize_t k
        for k in range(self.n_features):
            sum += lane[k * LEAVES_TILE] * lane[k * LEAVES_TILE]
        return sum


# ------------------------------------------------------------------------------ sparse

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
        # Zeros that fill up a row lie on its last value.
        if data[k] != 0:
            panel[place[indices[k]] * lanes + row] = data[k]


cdef bint _rises(const int32_t *indices, const real *data, Py_ssize_t n) noexcept nogil:
    """Whether the columns of a stored vector rise, but for the zeros that fill it up."""
    cdef Py_ssize_t k, last = n
    cdef int n_level = 0
    while last > max(1, n - UNROLLED + 1) and data[last - 1] == 0 and (
            indices[last - 1] == indices[last - 2]):
        last -= 1
    for k in range(1, last):
        n_level += indices[k] <= indices[k - 1]
    return n_level == 0


cdef Py_ssize_t _compress(const real *row, Py_ssize_t d, int32_t *indices,
                          real *data) noexcept nogil:
    """Write the nonzeros of a row, filled up with zeros; returns their number."""
    cdef Py_ssize_t k, n = 0
    for k in range(d):
        # Without a branch: whether a value is zero cannot be foretold.
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
        block.start = <int64_t *>calloc(LEAVES_BLOCK, sizeof(int64_t))
        block.length = <int32_t *>calloc(LEAVES_BLOCK, sizeof(int32_t))
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
        """``X`` is a CSR matrix with sorted, unique indices, or an array, of the store's type."""
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
                memcpy(<char *>block.data + nnz * block.itemsize,
                       source + begin * block.itemsize, size * block.itemsize)
                for k in range(size):
                    block.indices[nnz + k] = (indices32[begin + k] if indices32 is not None
                                              else <int32_t>indices64[begin + k])
                block.start[r] = nnz
                block.length[r] = <int32_t>round_up(size, UNROLLED)
                # Filled up with zeros in the last column of the row.
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
        """Rows of an array, mostly zeros, as CSR rows."""
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
        elif self.is_double:
            (<double *>block.norms)[r] = table().sparse_norm_f64(
                <double *>block.data + block.start[r], block.length[r])
        else:
            (<float *>block.norms)[r] = table().sparse_norm_f32(
                <float *>block.data + block.start[r], block.length[r])

    cdef int spread(self, Block block) noexcept nogil:
        """Transpose the block's rows into its panel, over the columns that occur in them."""
        cdef Py_ssize_t k, r
        cdef int32_t column
        for k in range(block.n_touched):
            block.place[block.touched[k]] = 0
        block.n_touched = 0
        for k in range(block.nnz):
            column = block.indices[k]
            if block.place[column] == 0:
                block.touched[block.n_touched] = column
                block.n_touched += 1
                block.place[column] = <int32_t>block.n_touched
        block.lanes = round_up(block.n_rows, LEAVES_TILE)
        k = (block.n_touched + 1) * block.lanes * block.itemsize
        if _fit(&block.panel, &block.panel_capacity, k):
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

    cdef int load_slots(self, Block block, const int32_t *slots, Py_ssize_t n) noexcept nogil:
        cdef Py_ssize_t r, nnz = 0, width = block.itemsize
        for r in range(n):
            nnz += self.length[slots[r]]
        if self.room(block, nnz) < 0:
            return -1
        block.n_rows = n
        nnz = 0
        for r in range(n):
            block.start[r] = nnz
            block.length[r] = self.length[slots[r]]
            memcpy(block.indices + nnz, self.indices + self.start[slots[r]],
                   block.length[r] * sizeof(int32_t))
            memcpy(<char *>block.data + nnz * width,
                   <char *>self.data + self.start[slots[r]] * width, block.length[r] * width)
            memcpy(<char *>block.norms + r * width, <char *>self.norms + slots[r] * width, width)
            nnz += block.length[r]
        block.nnz = nnz
        return self.spread(block)

    cdef leaves_csr as_csr(self) noexcept nogil:
        cdef leaves_csr stored
        stored.indices = self.indices
        stored.values = self.data
        stored.start = self.start
        stored.length = self.length
        return stored

    cdef void values(self, Block block, Py_ssize_t first, Py_ssize_t last, float *out,
                     Py_ssize_t ld) noexcept nogil:
        cdef leaves_panel fresh = block.as_panel()
        cdef leaves_csr stored = self.as_csr()
        if self.is_double:
            table().sparse_block_f64(&self.map, &fresh, &stored, <double *>self.norms, first,
                                     last, out, ld)
        else:
            table().sparse_block_f32(&self.map, &fresh, &stored, <float *>self.norms, first,
                                     last, out, ld)

    cdef void values_of_tiles(self, Block block, const int32_t *tiles, Py_ssize_t n,
                              float *out) noexcept nogil:
        cdef leaves_panel fresh = block.as_panel()
        cdef leaves_csr stored = self.as_csr()
        if self.is_double:
            table().sparse_tiles_f64(&self.map, &fresh, &stored, <double *>self.norms, tiles, 0,
                                     n, out)
        else:
            table().sparse_tiles_f32(&self.map, &fresh, &stored, <float *>self.norms, tiles, 0,
                                     n, out)

    cdef int gram(self, Block block, float *out, Py_ssize_t ld) noexcept nogil:
        cdef leaves_panel fresh = block.as_panel()
        cdef leaves_csr stored
        cdef Py_ssize_t r, last = round_up(block.n_rows, LEAVES_TILE)
        for r in range(block.n_rows, last):
            block.start[r] = 0
            block.length[r] = 0
        stored.indices = block.indices
        stored.values = block.data
        stored.start = block.start
        stored.length = block.length
        if self.is_double:
            table().sparse_block_f64(&self.map, &fresh, &stored, <double *>block.norms, 0, last,
                                     out, ld)
        else:
            table().sparse_block_f32(&self.map, &fresh, &stored, <float *>block.norms, 0, last,
                                     out, ld)
        return 0

    cdef int put(self, Py_ssize_t slot, Block block, Py_ssize_t row) except -1:
        cdef Py_ssize_t n = block.length[row], width = block.itemsize
        if n <= self.length[slot]:
            pass                       # fits where the slot's former vector lay
        else:
            self.start[slot] = self.heap_used
            self.heap_used += n
        self.length[slot] = <int32_t>n
        if self.cost != INFINITY:
            self.cost = 1.0 + 0.6 * self.heap_used / (self.n_slots + 1)
        memcpy(self.indices + self.start[slot], block.indices + block.start[row],
               n * sizeof(int32_t))
        memcpy(<char *>self.data + self.start[slot] * width,
               <char *>block.data + block.start[row] * width, n * width)
        memcpy(<char *>self.norms + slot * width, <char *>block.norms + row * width, width)
        self.n_slots = max(self.n_slots, slot + 1)
        return 0

    cdef int make_room(self, Block block) except -1:
        if self.heap_used + block.nnz > self.heap_capacity:
            self.collect(block.nnz)
        return 0

    cdef int collect(self, Py_ssize_t wanted) except -1:
        """Close the gaps in the heap; grow it when less than a third would be free."""
        cdef Py_ssize_t live = 0, used = 0, slot, n, width = self.dtype.itemsize
        for slot in range(self.n_slots):
            live += self.length[slot]
        cdef Py_ssize_t capacity = max(self.heap_capacity, (live + wanted) * 3 // 2, 1024)
        # Into new arrays: the old ones may be read, and are all there is should memory be short.
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
        last = round_up(self.n_slots, LEAVES_TILE)
        state.update(indices=self.indices_array[:self.heap_used].copy(),
                     data=self.data_array[:self.heap_used].copy(),
                     start=self.start_array[:last].copy(), length=self.length_array[:last].copy())
        return state

    def take_arrays(self, state, Py_ssize_t n_slots, Py_ssize_t capacity):
        start = state.array("start", np.int64, (capacity,), low=0)
        length = state.array("length", np.int32, (capacity,), low=0)
        indices = state.array("indices", np.int32, (None,))
        cdef Py_ssize_t used = indices.shape[0], s
        data = state.array("data", self.dtype, (used,))
        state.require(not (length % UNROLLED).any(), "length",
                      f"must hold multiples of {UNROLLED}")
        state.require(length.sum(dtype=np.int64) <= used, "length",
                      f"must add up to {used} values at most")
        state.require((start <= used - length).all(), "start",
                      f"must leave room for the vectors within {used} values")
        self.indices_array, self.data_array = indices, data
        self.start_array, self.length_array = start, length
        self.indices = <int32_t *>address(indices)
        self.data = address(data)
        self.start = <int64_t *>address(start)
        self.length = <int32_t *>address(length)
        self.heap_used = self.heap_capacity = used
        norms = np.empty(capacity, dtype=self.dtype)
        s = self.take_norms(address(norms), capacity)
        state.require(s == capacity, "indices",
                      f"must rise in each vector, from 0 to {self.n_features - 1} at most; that "
                      f"of slot {s} breaks this")
        if self.offset_values != NULL:
            norms[:n_slots] -= self.half_square
        return norms

    cdef Py_ssize_t take_norms(self, void *out, Py_ssize_t n_slots) noexcept nogil:
        """Norms of the vectors (with an offset their products with it), up to the first whose
        columns cannot be right; returns its slot."""
        cdef Py_ssize_t s, k, n
        cdef const int32_t *indices
        cdef const double *values
        cdef double sum
        cdef bint rises
        for s in range(n_slots):
            n, indices = self.length[s], self.indices + self.start[s]
            if self.is_double:
                rises = _rises(indices, <double *>self.data + self.start[s], n)
            else:
                rises = _rises(indices, <float *>self.data + self.start[s], n)
            if n and not (rises and indices[0] >= 0 and indices[n - 1] < self.n_features):
                return s
            if self.offset_values != NULL:
                values, sum = <double *>self.data + self.start[s], 0.0
                for k in range(n):
                    sum += values[k] * self.offset_values[indices[k]]
                (<double *>out)[s] = sum
            elif self.is_double:
                (<double *>out)[s] = self.square_of(s)
            else:
                (<float *>out)[s] = table().sparse_norm_f32(<float *>self.data + self.start[s], n)
        return n_slots

    cdef double square_of(self, Py_ssize_t slot) noexcept nogil:
        return table().sparse_norm_f64(<double *>self.data + self.start[slot], self.length[slot])
