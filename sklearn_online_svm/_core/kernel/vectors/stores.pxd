"""Vector stores, and kernel values of blocks of samples against them.

A *store* owns vectors in slots. A *block* holds up to ``SIMD_BLOCK`` samples prepared for kernel
values. ``values`` computes block x slots, ``gram`` block x block; both round to float32. A block
that has been enlarged holds more samples, for ``select`` and ``put`` only.

``reserve`` and ``load`` need the GIL and may raise. Methods marked nogil do not raise and use no
Python objects, except that the stores of Python kernels acquire the GIL themselves and keep an
exception in ``error``, to be raised by the caller.
"""
from libc.stdint cimport int32_t, int64_t

from ...simd.primitives cimport SIMD_BLOCK, simd_map, simd_pairs, simd_panel, simd_rows

ctypedef fused real:
    float
    double


cdef object row_array(const int64_t *rows, Py_ssize_t n)
cdef int fit(void **buffer, Py_ssize_t *capacity, Py_ssize_t n_bytes) noexcept nogil


cdef class Lease:
    cdef Py_ssize_t n_views


cdef class Block:
    cdef readonly Py_ssize_t n_rows
    cdef Py_ssize_t itemsize
    cdef Py_ssize_t n_features
    cdef void *norms              # one per sample, of the dtype of the data
    # Dense: the samples, and work space for the same samples as tiles.
    cdef void *rows
    cdef Py_ssize_t rows_capacity
    cdef void *tiles
    cdef Py_ssize_t tiles_capacity
    # Sparse: the samples as CSR, and transposed into a panel.
    cdef int32_t *indices
    cdef void *data
    cdef Py_ssize_t nnz
    cdef Py_ssize_t nnz_capacity
    cdef int64_t *start
    cdef int32_t *length
    cdef void *panel
    cdef Py_ssize_t panel_capacity
    cdef int32_t *place
    cdef int32_t *touched
    cdef Py_ssize_t n_touched
    cdef bint is_sorted            # whether `touched` ascends
    cdef Py_ssize_t lanes
    # Kernels on columns: the samples of the parts.
    cdef Block part
    cdef Block rest
    # Python kernels: the samples as passed to the kernel function; precomputed: their ids.
    cdef object X
    cdef const char *rows_in_X
    cdef object ids
    cdef int64_t *own_ids

    cdef simd_rows as_rows(self) noexcept nogil
    cdef simd_panel as_panel(self) noexcept nogil
    cdef int enlarge(self, Py_ssize_t n) except -1


cdef class Store:
    cdef readonly Py_ssize_t n_features
    cdef public Py_ssize_t n_slots       # slots in use or free; those above were never used
    cdef readonly Py_ssize_t capacity
    cdef readonly object dtype
    cdef object error                    # exception of a Python kernel, to be raised by the loop
    cdef bint failed                     # whether `error` is set; readable without the GIL
    cdef simd_map map
    cdef const simd_pairs *loops
    cdef readonly object offset  # of the linear kernel: subtracted from all samples, or None
    cdef const double *offset_values
    cdef double half_square              # of the offset
    cdef bint is_double
    cdef bint owned                      # whether the arrays are writable and not shared
    cdef Lease lease                     # counts the views of the arrays
    cdef bint is_view
    cdef double cost                     # approximate time of a single kernel value, in ns
    cdef readonly object norms_array
    cdef void *norms

    cdef int lend(self, Store view) noexcept
    cdef Store view(self)
    cdef Store empty(self)
    cdef int detach(self) except -1
    cdef int unshare(self) except -1
    cdef int make_room(self, Block block) except -1
    cdef double vector_bytes(self) noexcept
    cdef int raise_errors(self, Py_ssize_t code=*) except -1
    cdef Block new_block(self)
    cdef int reserve(self, Py_ssize_t n_slots) except -1
    cdef int load(self, Block block, object X, const int64_t *rows, Py_ssize_t n) except -1
    cdef int load_slots(self, Block block, const int32_t *slots, Py_ssize_t n) noexcept nogil
    cdef int reserve_block(self, Block block, Block source) except -1
    cdef int select(self, Block block, Block source, const int32_t *rows,
                    Py_ssize_t n) noexcept nogil
    cdef void values(self, Block block, Py_ssize_t first, Py_ssize_t last, float *out,
                     Py_ssize_t ld) noexcept nogil
    cdef void values_of_tiles(self, Block block, const int32_t *tiles, Py_ssize_t n,
                              float *out) noexcept nogil
    cdef int gram(self, Block block, float *out, Py_ssize_t ld) noexcept nogil
    # For Python kernels: compute values, load vectors; both may raise.
    cdef object python_values(self, Block block, Py_ssize_t first, Py_ssize_t last)
    cdef int take_slots(self, Block block, list slots) except -1
    cdef int put(self, Py_ssize_t slot, Block block, Py_ssize_t row) except -1
    cdef bint holds_norm(self, double norm) noexcept nogil
    cdef double norm_of(self, Block block, Py_ssize_t r) noexcept nogil


cdef bint holds_values(const simd_map *map, double norm) noexcept nogil
