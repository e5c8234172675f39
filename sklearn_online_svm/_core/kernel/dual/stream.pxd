"""The stream of an engine: training on samples, block by block."""
from libc.stdint cimport int32_t, int64_t

from ...guard cimport Guard, Halt
from ...threads.team cimport Team
from ..vectors.block cimport SampleBlock, Samples
from .problem cimport Problem
from .selection cimport Selection
from .slots cimport Slots
from ..vectors.stores cimport Store


cdef class Stream:
    cdef Slots slots
    cdef Store store
    cdef list problems
    cdef Guard guard
    cdef Halt halt
    cdef SampleBlock block
    cdef list active                # the problems that have samples in the block, by number
    cdef Py_ssize_t[::1] counts     # of pairs: number of samples of the block in each class
    cdef Team team                  # threads that share the work on a block
    cdef Samples given
    # Order of the samples, or None: the given order, in blocks.
    cdef public Selection selection
    # Called after each selected sample; it may add samples to the remaining ones, and returns them
    # with their number. Or None.
    cdef public object follower
    cdef Py_ssize_t n_processed        # position in ``order``, in a resumed call, too
    # is_slow: save the state before the next block; can_stop: it was saved, so that an interrupt
    # may end this block; stopped: one has.
    cdef bint is_slow, can_stop, stopped
    cdef object interrupt           # raised by a signal handler within a block
    cdef object error               # of a problem, in any thread
    cdef int64_t n_evaluations      # in blocks; problems count what they compute themselves

    cdef Py_ssize_t n_classes(self) except -1
    cdef Py_ssize_t largest_size(self) except -1
    cdef Py_ssize_t next_size(self) except -1
    cdef int learn(self, X, const int64_t[::1] order, Samples given, executor, Py_ssize_t begin,
                   progress) except -1
    cdef int learn_blocks(self, X, const int64_t[::1] order, executor, progress) except -1
    cdef int load(self, X, const int64_t *rows, Py_ssize_t n) except -1
    cdef void list_rows(self, SampleBlock block, const int64_t *rows, Py_ssize_t n) noexcept
    cdef int score(self) except -1
    cdef int score_values(self) except -1
    cdef int fill_in_values(self, X, const int64_t[::1] rows, float[:, ::1] values) except -1
    cdef object kernel_values(self, X, const int64_t[::1] rows, executor)
    cdef bint choose(self, X, int64_t[::1] left, Py_ssize_t n_processed) except -1
    cdef int commit(self, int64_t *left) except -1
    cdef double delta(self)
    cdef bint show_candidates(self, Py_ssize_t first) except -1
    cdef int call_helpers(self) except -1
    cdef int begin_visits(self, executor) except -1
    cdef int count_samples(self) except -1
    cdef Py_ssize_t n_of_pair(self, Problem problem) noexcept
    cdef int order_by_cost(self) except -1
    cdef int begin_block(self, Problem problem, Py_ssize_t n) except -1
    cdef void visit_active(self, Py_ssize_t k) noexcept
    cdef void attend_to_signals(self) noexcept
    cdef Py_ssize_t visit_all(self, executor) except -1
    cdef Py_ssize_t visit_in_order(self, Problem problem, Py_ssize_t c) except -2 nogil
    cdef bint stops(self) noexcept nogil
    cdef int seed(self, X, const int64_t[::1] rows, Samples given, problems, members,
                  alpha) except -1
