"""One binary problem of an engine, and what the solvers define.

The stream calls ``begin_block``, then for each sample ``process_sample``, followed by
``reprocess_as_needed`` until it returns 0, and ``evict_excess``. The optimization over the support
set (``finisher.pyx``) calls ``finish_step`` until no violation is left.

Methods that solvers override. ``-``: the default; without one it raises NotImplementedError.
``OneClass`` is a ``Lasvm``; ``=``: as that.

===================  ============  =============  =================  ============  ================
method               called by     default        Lasvm              OneClass      GapDriven
===================  ============  =============  =================  ============  ================
configure            EngineSpec    common ones    + its options      + nu          + its options
begin_pass           Engine        nothing        resets violation   =             as Lasvm
begin_block          Stream        allocates      -                  -             + for CLEAN
process_sample       Stream        none           adds violators     + nu to sum   admits, steps
reprocess_as_needed  Stream        none           until delta_max    =             until gap; CLEAN
evict_excess         Stream        by eviction    + if a class left  -             -
evict_least          evict_excess  remove         -                  merges two    -
finish_step          Finisher      none           moves a pair       =             moves one or two
violation_of         Finisher      none           g_max - g_min      =             largest of g, -g
violation_by         Finisher      none           to the extremes    =             g or -g
low_of, high_of      Finisher      no shrinking   g_min, g_max       =             -+ violation
evict_at_optimum     Finisher      nothing        sets b, evicts     inner bias    CLEAN
final_tolerance      Finisher      tol, rounding  -                  tol * unit    -
refresh              all, after g  none           extremes, b        =             extremes, gap
balance              rebalance     total = 0      moves alpha        leaves rest   -
scale                solutions     1              -                  1 / total     -
unit                 violations    1              -                  nu n below 1  -
exchange             Finisher      b, delta, tau  -                  -             + sums of gap
moved                Engine        clips alpha    + sum is 0         =             -
mirror               Engine        changes signs  + extremes         =             -
violation_met        Engine        none           found, delta       =             as Lasvm
violation_left       Engine        as met         + low, high        =             -
state, restore       Engine        all arrays     + its numbers      + its own     + its numbers
===================  ============  =============  =================  ============  ================
"""
from libc.stdint cimport int64_t

from ...simd.primitives cimport simd_extremes
from ...threads.team cimport Team
from ..rows.active_set cimport Front
from ..vectors.block cimport BlockValues, ClassCodes
from .eviction cimport Eviction
from ..rows.kernel_matrix cimport KernelMatrix
from .optimized_solution cimport OptimizedSolution
from ..vectors.support_set cimport Example, SupportSet


cdef class Problem:
    cdef readonly SupportSet members
    cdef readonly KernelMatrix matrix
    cdef Team team                   # threads that share its loops
    cdef readonly Eviction eviction  # limits of the support set, or None
    cdef readonly OptimizedSolution optimized   # the solution used for predictions in a stream
    cdef ClassCodes codes            # the classes that it separates
    cdef Py_ssize_t cache_bytes
    cdef double tol
    cdef bint shrinking
    cdef readonly double b
    cdef readonly double delta       # largest violation in the support set
    cdef readonly bint both_seen     # steps are possible: samples of both classes were seen
    cdef readonly double tau         # tol, or the rounding error of g if that is larger
    cdef bint optimizing    # the support set holds the optimized solution, not the online one
    cdef int64_t solved_at           # n_changes when the online solution was optimized
    # Array elements accessed by solver steps: a machine-independent measure of cost.
    cdef readonly int64_t n_operations
    cdef readonly int64_t n_changes  # an epoch that leaves it unchanged has converged
    # Remaining steps of REPROCESS and finish. REPROCESS leaves `steps_kept` of them, and makes at
    # most `max_reprocess` per sample.
    cdef readonly int64_t steps_left
    cdef int64_t steps_after         # steps that finish leaves for later calls
    cdef int64_t steps_kept
    cdef int64_t max_reprocess
    cdef double total                # sum of alpha minus its required value
    cdef int64_t reprocess_left
    cdef readonly bint cut_short     # REPROCESS has reached a limit since `allow`
    cdef public double work_limit    # array elements accessed between checks for signals
    cdef bint finishing              # an optimization has begun
    cdef bint is_finished            # and it has ended
    # Mean violation of the steps of the latest call of finish; NaN if it made none.
    cdef double step_violation
    cdef Py_ssize_t steps_to_shrink
    cdef int64_t chosen_at          # n_changes when the working set was chosen
    # For each sample of X, target minus f(x) at its last visit; in regression the lower target.
    cdef double *residual
    cdef Py_ssize_t n_residuals
    cdef object residual_array

    # Defined by solvers, see the table.
    cdef int process_sample(self, Example *row) except -2 nogil
    cdef int reprocess_as_needed(self) except -2 nogil
    cdef int finish_step(self, Front *front) except -2 nogil
    cdef double violation_of(self, const simd_extremes *e) except? -1.0 nogil
    cdef double violation_by(self, double g, bint rises, bint falls) except? -1.0 nogil
    cdef double low_of(self, const simd_extremes *e) noexcept nogil
    cdef double high_of(self, const simd_extremes *e) noexcept nogil
    cdef int evict_at_optimum(self) noexcept nogil
    cdef double final_tolerance(self) noexcept nogil
    cdef int refresh(self) except -2 nogil
    cdef int balance(self) noexcept nogil
    cdef int evict_excess(self) noexcept nogil
    cdef int evict_least(self, Py_ssize_t least) noexcept nogil
    cdef double scale(self) noexcept nogil
    cdef double unit(self) noexcept nogil
    cdef void exchange(self) noexcept nogil

    # Samples and members.
    cdef bint may_reprocess(self) noexcept nogil
    cdef void record_residual(self, const Example *row, double residual) noexcept nogil
    cdef int begin_block(self, BlockValues *block, Py_ssize_t n_rows) except -1
    cdef int share_loops(self, Team team) except -1
    cdef Py_ssize_t add_uncached(self, const Example *row, double g) noexcept nogil
    cdef Py_ssize_t add(self, const Example *row, float *k, double g) noexcept nogil
    cdef void seed(self, const Example *row, double alpha) noexcept nogil
    cdef int remove(self, Py_ssize_t slot) noexcept nogil
    cdef int rebalance(self) noexcept nogil
    cdef void evict_slot(self, Py_ssize_t slot) noexcept nogil

    # Members with two sides.
    cdef void turn_if_crossed(self, Front *front, Py_ssize_t q, double before) noexcept nogil
    cdef bint turn_zeros(self) except -1 nogil
    cdef bint turn_violating(self) except -1 nogil

    # finish, and the optimized solution.
    cdef double alpha_of(self, const Front *front, Py_ssize_t q) noexcept nogil
    cdef bint move(self, Front *front, Py_ssize_t q, double by) noexcept nogil
    cdef int begin_optimizing(self) except -1
    cdef int end_optimizing(self, bint done, OptimizedSolution former) except -1
    cdef bint shows_optimized(self) noexcept nogil
    cdef int blank(self, double[::1] g) except -1
