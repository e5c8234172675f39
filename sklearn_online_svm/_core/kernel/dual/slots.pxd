"""Slots of the store: the vector in each, and the number of problems that refer to it."""
from libc.stdint cimport int32_t, int64_t

from ...simd.primitives cimport SIMD_BLOCK
from ..vectors.block cimport SampleBlock
from .problem cimport Problem
from ..rows.kernel_matrix cimport CopiesMemory
from ..rows.kernel_row cimport RowComputer
from ..rows.shared_kernel_cache cimport SharedKernelCache
from ..vectors.stores cimport Store


# What a thread needs to work on a problem.
cdef class WorkSpace:
    cdef RowComputer computer


cdef class Slots:
    cdef Store store
    cdef list problems
    cdef bint counted               # whether references are counted: slots of problems differ
    cdef bint copied                # whether problems have copies of their vectors
    cdef SharedKernelCache rows     # shared kernel cache, of problems without copies, or None
    cdef CopiesMemory memory
    cdef list work_spaces           # of threads; None: in use
    cdef double max_bytes           # total size of the kernel caches of problems with copies
    cdef double planned             # sum of squared numbers of members when it was divided
    # Per slot: the number of references and the class of the vector; list of free slots.
    cdef object references
    cdef object free
    cdef object labels
    cdef Py_ssize_t n_free
    # The solution at the end of the last block, or None: to be computed on request.
    cdef object solution
    # Allocated length of the arrays.
    cdef Py_ssize_t capacity
    cdef int32_t *references_at
    cdef int32_t *free_at
    cdef int32_t *labels_at
    # If references are counted: the identifier of the sample in each slot, or -1, and whether all
    # are noted; during epochs over X the slot of each sample.
    cdef object slot_of_row
    cdef object row_of_slot
    cdef bint is_noted
    cdef int32_t *slot_of_row_at
    cdef int64_t *row_of_slot_at
    cdef Py_ssize_t n_rows

    cdef int begin_from(self, Slots former, places) except -1
    cdef int set_cache_size(self, Py_ssize_t max_bytes) except -1
    cdef void divide_memory(self) noexcept
    cdef int make_room(self) except -1
    cdef int reserve_work_spaces(self, executor) except -1
    cdef WorkSpace borrow(self)
    cdef list saved(self)
    cdef int take_back(self, list saved) except -1
    cdef int write(self, SampleBlock fresh) except -1
    cdef int write_block(self, SampleBlock fresh) except -1
    cdef int write_those_of(self, Problem problem, SampleBlock fresh) except -1
    cdef int32_t take(self) noexcept
    cdef int track(self, Py_ssize_t n_rows) except -1
    cdef int32_t stored_before(self, int64_t row_id) noexcept
    cdef int32_t slot_of_repeated(self, int64_t row_id) except -2
    cdef int note_all(self) except -1
    cdef void note(self, int32_t slot, int64_t row_id) noexcept
    cdef int give_back(self, WorkSpace space) except -1
