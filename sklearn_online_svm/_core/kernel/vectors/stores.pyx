"""Vector stores, and kernel values of blocks of samples against them.

This file has what all stores share. The storage formats have their own files: ``dense_store.pyx``,
``sparse_store.pyx``, and ``python_stores.pyx`` for kernels implemented in Python.
"""

cimport cython
from libc.float cimport DBL_MAX, FLT_MAX
from libc.math cimport INFINITY, fabs, pow
from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport calloc, free, realloc

from ...memory cimport address, grown, grown_buffer, round_up
from ...simd.primitives cimport (
    SIMD_BLOCK, SIMD_CENTRED, SIMD_COMMON, SIMD_COSINE, SIMD_EQUAL, SIMD_HARMONIC, SIMD_LINEAR,
    SIMD_OVERLAP, SIMD_POLY, SIMD_PRODUCT, SIMD_RBF, SIMD_SIGMOID, SIMD_TANIMOTO,
    SIMD_TILE, simd_map, simd_panel, simd_rows, table,
)

import numpy as np

BLOCK = SIMD_BLOCK
# Kernels by name: the map and the term of the sums, see primitives_real.h.
KINDS = {
    "linear": (SIMD_LINEAR, SIMD_PRODUCT),
    "poly": (SIMD_POLY, SIMD_PRODUCT),
    "rbf": (SIMD_RBF, SIMD_PRODUCT),
    "sigmoid": (SIMD_SIGMOID, SIMD_PRODUCT),
    "laplacian": (SIMD_RBF, SIMD_COMMON),
    "chi2": (SIMD_RBF, SIMD_HARMONIC),
    "intersection": (SIMD_LINEAR, SIMD_COMMON),
    "tanimoto": (SIMD_TANIMOTO, SIMD_PRODUCT),
    "cosine": (SIMD_COSINE, SIMD_PRODUCT),
    "overlap": (SIMD_OVERLAP, SIMD_EQUAL),
}
# Largest gamma |x|^2 (for chi2, gamma times the sum of features) at which distances are computed
# from products (primitives_real.h). Their rounding errors, a few 2^-53 gamma |x|^2 in double, are
# then a small part of those of kernel values rounded to float32, up to 2^-25.
FAR = 2.0**22
# The same in single precision, with errors of about 2^-22 gamma |x|^2. If the first samples are
# beyond, they are converted to double.
FAR_IN_SINGLE = 1000.0


cdef object row_array(const int64_t *rows, Py_ssize_t n):
    """Return ``rows`` as an array."""
    cdef Py_ssize_t r
    return np.array([rows[r] for r in range(n)], dtype=np.int64)


cdef int fit(void **buffer, Py_ssize_t *capacity, Py_ssize_t n_bytes) noexcept nogil:
    """Grow ``buffer`` to ``n_bytes``, keeping its content; return -1 if out of memory."""
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
    """Number of views that read the present arrays of a store."""


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
        free(self.own_ids)

    cdef int enlarge(self, Py_ssize_t n) except -1:
        """Allocate memory for ``n`` samples, before the block is used."""
        self.norms = grown_buffer(self.norms, n * self.itemsize)
        self.own_ids = <int64_t *>grown_buffer(self.own_ids, n * sizeof(int64_t))
        if self.start != NULL:
            self.start = <int64_t *>grown_buffer(self.start, n * sizeof(int64_t))
            self.length = <int32_t *>grown_buffer(self.length, n * sizeof(int32_t))
        if self.part is not None:
            self.part.enlarge(n)
        if self.rest is not None:
            self.rest.enlarge(n)
        return 0

    cdef simd_rows as_rows(self) noexcept nogil:
        cdef simd_rows fresh
        fresh.rows = self.rows
        fresh.norms = self.norms
        fresh.n_rows = self.n_rows
        fresh.n_features = self.n_features
        return fresh

    cdef simd_panel as_panel(self) noexcept nogil:
        cdef simd_panel fresh
        fresh.csr.indices = self.indices
        fresh.csr.values = self.data
        fresh.csr.start = self.start
        fresh.csr.length = self.length
        fresh.columns = self.touched
        fresh.n_columns = self.n_touched if self.is_sorted else 0
        fresh.panel = self.panel
        fresh.place = self.place
        fresh.norms = self.norms
        fresh.lanes = self.lanes
        fresh.n_rows = self.n_rows
        return fresh


# ------------------------------------------------------------------------------ the contract

cdef class Store:
    """Base class of all stores; the contract is in ``stores.pxd``."""

    def __init__(self, Py_ssize_t n_features, dtype, str kernel="rbf", double gamma=1.0,
                 double coef0=0.0, int degree=3, offset=None):
        cdef double far = FAR if np.dtype(dtype) == np.float64 else FAR_IN_SINGLE
        cdef int term
        self.n_features = n_features
        self.dtype = np.dtype(dtype)
        self.is_double = self.dtype == np.float64
        self.cost = INFINITY               # a call to Python costs more than any memory access
        self.map.kind, term = KINDS[kernel]
        self.loops = table().pairs_f64[term] if self.is_double else table().pairs_f32[term]
        self.map.far = far / gamma if kernel in ("rbf", "chi2") else INFINITY
        self.map.gamma = gamma
        self.map.coef0 = coef0
        self.map.degree = degree
        if offset is not None:
            # K(x, z) = (x - m).(z - m) = x.z - (x.m - m.m / 2) - (z.m - m.m / 2), in doubles.
            if kernel != "linear" or not self.is_double:
                raise ValueError("An offset requires the linear kernel and float64 data.")
            self.map.kind = SIMD_CENTRED
            self.offset = np.ascontiguousarray(offset, dtype=np.float64)
            if self.offset.shape != (n_features,):
                raise ValueError(
                    f"the offset must have shape {(n_features,)}, got {self.offset.shape}")
            self.offset_values = <const double *>address(self.offset)
            # Sums of NumPy, unlike products of BLAS, have the same bits on every processor.
            self.half_square = 0.5 * float(np.square(self.offset).sum())
        self.norms_array = np.zeros(0, dtype=self.dtype)
        self.lease = Lease()

    cdef int lend(self, Store view) noexcept:
        """Make ``view``, an empty store of this class, a view of the present vectors."""
        view.n_features, view.n_slots, view.capacity = self.n_features, self.n_slots, self.capacity
        view.dtype, view.is_double = self.dtype, self.is_double
        view.map, view.loops, view.cost = self.map, self.loops, self.cost
        view.offset, view.offset_values = self.offset, self.offset_values
        view.half_square = self.half_square
        view.norms_array, view.norms = self.norms_array, self.norms
        view.lease, view.is_view = self.lease, True
        view.lease.n_views += 1
        return 0

    def __dealloc__(self):
        # None if the garbage collector has cleared it: then the arrays count as in use.
        if self.is_view and self.lease is not None:
            self.lease.n_views -= 1

    cdef Store view(self):
        """Return a read-only view of the present vectors, with its own error state."""
        cdef Store view = type(self).__new__(type(self))
        self.lend(view)
        return view

    cdef Store empty(self):
        """Return an empty store with the same kernel."""
        cdef Store store = self.view()
        store.n_slots = 0
        store.restore(store.state(), 0)
        store.detach()
        return store

    cdef int detach(self) except -1:
        """Make a view a store of its own, after its arrays have been replaced."""
        lease = Lease()
        self.lease.n_views -= 1
        self.lease, self.is_view = lease, False
        return 0

    cdef int unshare(self) except -1:
        """Replace the arrays by copies that have no readers."""
        self.owned = False
        self.resize(self.capacity)
        self.owned = True
        self.lease = Lease()
        return 0

    cdef int make_room(self, Block block) except -1:
        """Allocate memory for what ``put`` writes, except slots, so that it cannot fail."""
        return 0

    cdef double vector_bytes(self) noexcept:
        """Return the average size of a vector in bytes."""
        return <double>self.n_features * self.dtype.itemsize

    cdef int raise_errors(self, Py_ssize_t code=0) except -1:
        """Raise the exception of a Python kernel, or a MemoryError for a negative ``code``."""
        if self.failed:
            error, self.error, self.failed = self.error, None, False
            raise error
        if code < 0:
            raise MemoryError("Out of memory for kernel rows. Try a smaller cache_size.")
        return 0

    cdef Block new_block(self):
        cdef Block block = Block.__new__(Block)
        block.itemsize = self.dtype.itemsize
        block.n_features = self.n_features
        block.norms = calloc(SIMD_BLOCK, block.itemsize)
        block.own_ids = <int64_t *>calloc(SIMD_BLOCK, sizeof(int64_t))
        if block.norms == NULL or block.own_ids == NULL:
            raise MemoryError()
        return block

    cdef int reserve(self, Py_ssize_t n_slots) except -1:
        """Allocate at least ``n_slots`` slots in writable memory."""
        cdef Py_ssize_t capacity = self.capacity
        if n_slots <= capacity and self.owned:
            return 0
        if n_slots > capacity:
            capacity += max(capacity // 4, SIMD_BLOCK)
            capacity = round_up(max(n_slots, capacity), SIMD_TILE)
        self.resize(capacity)
        self.capacity = capacity
        self.owned = True
        return 0

    def resize(self, Py_ssize_t capacity):
        """Copy the arrays to ``capacity`` slots; if that fails, nothing has changed."""
        norms_array = grown(self.norms_array, capacity)
        self.norms = address(norms_array)
        self.norms_array = norms_array

    cdef int load(self, Block block, object X, const int64_t *rows, Py_ssize_t n) except -1:
        raise NotImplementedError

    cdef int load_slots(self, Block block, const int32_t *slots, Py_ssize_t n) noexcept nogil:
        return -1

    cdef int reserve_block(self, Block block, Block source) except -1:
        """Allocate memory so that ``select`` and ``gram`` of any samples of ``source`` succeed."""
        return 0

    cdef int select(self, Block block, Block source, const int32_t *rows,
                    Py_ssize_t n) noexcept nogil:
        """Load some samples of another block; return -1 if out of memory."""
        return -1

    cdef void values(self, Block block, Py_ssize_t first, Py_ssize_t last, float *out,
                     Py_ssize_t ld) noexcept nogil:
        pass

    cdef void values_of_tiles(self, Block block, const int32_t *tiles, Py_ssize_t n,
                              float *out) noexcept nogil:
        """Compute the first sample of the block against some tiles, 16 values each."""
        cdef Py_ssize_t t
        for t in range(n):
            # `values` writes to the position of the slot.
            self.values(block, tiles[t] * SIMD_TILE, (tiles[t] + 1) * SIMD_TILE,
                        out + (t - tiles[t]) * SIMD_TILE, 0)

    cdef int gram(self, Block block, float *out, Py_ssize_t ld) noexcept nogil:
        return -1

    cdef object python_values(self, Block block, Py_ssize_t first, Py_ssize_t last):
        raise NotImplementedError

    cdef int take_slots(self, Block block, list slots) except -1:
        raise NotImplementedError

    cdef int put(self, Py_ssize_t slot, Block block, Py_ssize_t row) except -1:
        raise NotImplementedError

    cdef double norm_of(self, Block block, Py_ssize_t r) noexcept nogil:
        """Return the squared norm of a sample of the block; 0 if the store does not need it."""
        if self.offset_values != NULL:
            return 0.0
        return (<double *>block.norms)[r] if self.is_double else (<float *>block.norms)[r]

    cdef bint holds_norm(self, double norm) noexcept nogil:
        """Return whether sums of such squared norms, and so inner products, are finite."""
        return norm <= 0.25 * (DBL_MAX if self.is_double else FLT_MAX)

    def vectors(self, slots):
        """Return the vectors in ``slots``, as an array or a CSR matrix."""
        raise NotImplementedError

    def state(self):
        """Return the arrays from which ``restore`` rebuilds the store."""
        return {"norms": self.norms_array[:round_up(self.n_slots, SIMD_TILE)].copy()}

    def restore(self, state, Py_ssize_t n_slots):
        """Use the arrays of ``state``; they are copied before the first write."""
        self.take_arrays(state)
        self.norms_array = state["norms"]
        self.norms = address(self.norms_array)
        self.capacity = round_up(n_slots, SIMD_TILE)
        self.n_slots = n_slots
        self.owned = False

    def take_arrays(self, state):
        """Use the arrays of the subclass for ``restore``."""
        raise NotImplementedError


def filled(Store store, X, some=None):
    """Fill the empty ``store`` with the samples of X, or some of them; return it."""
    cdef Block block = store.new_block()
    cdef const int64_t[::1] rows = np.arange(X.shape[0]) if some is None else some
    cdef Py_ssize_t at, r, size, n = rows.shape[0]
    store.reserve(n)
    for at in range(0, n, SIMD_BLOCK):
        size = min(SIMD_BLOCK, n - at)
        store.load(block, X, &rows[at], size)
        store.make_room(block)
        for r in range(size):
            store.put(at + r, block, r)
    return store


# ------------------------------------------------------------------------------ kernel values

cdef bint holds_values(const simd_map *map, double norm) noexcept nogil:
    """Return whether kernel values of samples up to this squared norm are finite in float32."""
    if map.kind == SIMD_LINEAR:
        return norm <= FLT_MAX
    if map.kind == SIMD_POLY:
        return pow(map.gamma * norm + fabs(map.coef0), map.degree) <= FLT_MAX
    return True
