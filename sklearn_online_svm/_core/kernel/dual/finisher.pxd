"""Optimization over the support set: ``finish``, and the optimized solution for predictions."""
from libc.stdint cimport int64_t

from ...guard cimport Halt
from ...threads.team cimport Team
from ..vectors.block cimport SampleBlock, Samples
from .problem cimport Problem
from .slots cimport Slots
from ..vectors.stores cimport Store


cdef class Finisher:
    cdef Slots slots
    cdef Store store
    cdef list problems
    cdef Halt halt
    cdef Team team                  # threads that share the loops of a single problem
    cdef SampleBlock block          # work space for kernel values of stored vectors
    cdef int64_t n_evaluations
    cdef object progress            # called several times per second during ``finish``, or None
    cdef double share               # of the steps left that ``finish`` may make
    # Size of a working set; working sets are used from twice as many slots.
    cdef Py_ssize_t working_set_size

    cdef int begin_alone(self, Problem problem) except -1
    cdef int finish(self, list problems, executor) except -1
    cdef int finish_together(self, Problem problem, executor) except -1
    cdef int begin_finish(self, Problem problem) except -1
    cdef int make_steps(self, Problem problem) except -2 nogil
    cdef bint needs_working_set(self, Problem problem, double violation) noexcept nogil
    cdef int choose_working_set(self, Problem problem) except -1
    cdef int end_finish(self) except -1
    cdef int unshrink(self, Problem problem) except -1
    cdef int move_block(self, Problem problem, slots) except -1
    cdef int optimize(self, executor) except -1
    cdef object values_without(self, Problem problem, slots, int64_t steps_to_begin)
    cdef int leave_out(self, Problem problem, Py_ssize_t slot) except -1
    cdef int refresh(self) except -1
    cdef int set_gradients(self, Problem problem, slots, g) except -1
    cdef int set_lower_gradients(self, Problem problem, slots, g) except -1
    cdef int recompute(self) except -1
    cdef int recompute_diagonal(self, Problem problem) except -1
    cdef object gradients(self, Problem problem, slots, alpha)
    cdef int rebox(self, Samples given) except -1
    cdef int place(self, Samples given, alpha, g) except -1
    cdef object violations(self, Samples given, const double[:, ::1] scores)
