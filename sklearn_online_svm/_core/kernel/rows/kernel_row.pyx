"""Computation of kernel rows of stored vectors; the contract is in the ``.pxd``."""
from libc.stdint cimport int32_t
from libc.stdlib cimport free, realloc
from libc.string cimport memset

from ...memory cimport grown_buffer, round_up
from ...simd.primitives cimport SIMD_TILE
from ...threads.slices cimport share_values, share_values_of_tiles
from ...threads.team cimport Team
from ..vectors.dense_store cimport DenseStore
from ..vectors.stores cimport Store


cdef class RowComputer:
    def __init__(self, Store store):
        self.store, self.team = store, Team()
        self.scratch = store.new_block()

    def __dealloc__(self):
        free(self.wide)
        free(self.several)
        free(self.gathered)
        free(self.missing)
        free(self.tiles)
        free(self.tile_place)

    cdef int reserve(self) except -1:
        """Allocate as many slots as the store, and memory for a dense vector."""
        cdef Py_ssize_t n = self.store.capacity
        cdef int32_t first = 0
        if (self.scratch.rows == NULL and self.store.n_slots and isinstance(self.store, DenseStore)
                and self.store.load_slots(self.scratch, &first, 1) < 0):
            raise MemoryError()
        if n <= self.capacity:
            return 0
        self.wide = <float *>grown_buffer(self.wide, n * sizeof(float))
        self.missing = <int32_t *>grown_buffer(self.missing, n * sizeof(int32_t))
        self.tiles = <int32_t *>grown_buffer(self.tiles, n // SIMD_TILE * sizeof(int32_t))
        self.tile_place = <int32_t *>grown_buffer(self.tile_place,
                                                  n // SIMD_TILE * sizeof(int32_t))
        memset(self.tile_place, 0xff, n // SIMD_TILE * sizeof(int32_t))
        self.capacity = n
        return 0

    cdef int reserve_gathered(self, Py_ssize_t n) except -1:
        """Allocate ``gathered`` for problems of up to ``n`` slots."""
        if n > self.n_gathered:
            self.n_gathered = round_up(n + n // 4, SIMD_TILE)
            self.gathered = <float *>grown_buffer(
                self.gathered, self.n_gathered * sizeof(float))
        return 0

    cdef Py_ssize_t whole(self, int32_t slot, float *row) noexcept nogil:
        """Compute the row of ``slot`` over the store."""
        if self.store.load_slots(self.scratch, &slot, 1) < 0:
            return -1
        share_values(self.team, self.store, self.scratch,
                     round_up(self.store.n_slots, SIMD_TILE), row, 0)
        return -1 if self.store.failed else self.store.n_slots

    cdef Py_ssize_t together(self, const int32_t *slots, Py_ssize_t n) noexcept nogil:
        """Compute the rows of up to TOGETHER slots into ``several``, ``capacity`` apart."""
        cdef Py_ssize_t n_bytes = TOGETHER * self.capacity * sizeof(float)
        cdef void *moved
        if self.several_bytes < n_bytes:
            moved = realloc(self.several, n_bytes)
            if moved == NULL:
                return -1
            self.several, self.several_bytes = <float *>moved, n_bytes
        if self.store.load_slots(self.scratch, slots, n) < 0:
            return -1
        share_values(self.team, self.store, self.scratch,
                     round_up(self.store.n_slots, SIMD_TILE), self.several, self.capacity)
        return -1 if self.store.failed else n * self.store.n_slots

    cdef Py_ssize_t some(self, int32_t slot, Py_ssize_t n_missing, float *row) noexcept nogil:
        """Compute the values of a row for the slots in ``missing``, tile by tile."""
        cdef int32_t tile
        cdef Py_ssize_t p, n_tiles = 0
        if self.store.load_slots(self.scratch, &slot, 1) < 0:
            return -1
        for p in range(n_missing):
            tile = self.missing[p] // SIMD_TILE
            if self.tile_place[tile] < 0:
                self.tile_place[tile] = <int32_t>n_tiles
                self.tiles[n_tiles] = tile
                n_tiles += 1
        share_values_of_tiles(self.team, self.store, self.scratch, self.tiles, n_tiles, self.wide)
        for p in range(n_missing):
            row[self.missing[p]] = self.wide[
                self.tile_place[self.missing[p] // SIMD_TILE] * SIMD_TILE
                + self.missing[p] % SIMD_TILE]
        for p in range(n_tiles):
            self.tile_place[self.tiles[p]] = -1
        return -1 if self.store.failed else n_tiles * SIMD_TILE
