"""The solution of all problems, for predictions, warm starts and exports."""
from .pairs cimport ByClass
from .slots cimport Slots
from ..vectors.stores cimport Store
from .votes cimport Votes


cdef class Solution:
    cdef Store store                # a view of the vectors
    cdef bint optimized             # whether an optimized solution was requested
    # shared with the engine: values that the caller derives from solutions
    cdef readonly dict kept
    cdef public object linear       # for the caller: weights and biases of a linear kernel
    cdef readonly Votes votes       # used for predictions in place of the coefficients, or None
    cdef readonly object n_changes  # of the engine
    # alpha over the slots of the store, (n_problems, n_slots). In one-vs-one (n_classes - 1,
    # n_slots), as in dual_coef_ of SVC: row r of the vectors of class a belongs to the pair
    # (r, a) if r < a, else to (a, r + 1).
    cdef readonly object coef
    cdef readonly object bias       # (n_problems,)
    cdef readonly object row_id_of_slot
    cdef readonly object label_of_slot
    cdef object places              # slots of the support vectors, computed on request
    cdef double *coef_at
    cdef double *b
    cdef Py_ssize_t n_problems
    cdef Py_ssize_t n_slots         # in whole tiles
    # (n_problems, 2): codes of the positive and the negative class, -1: all others.
    cdef readonly object classes
    cdef readonly bint one_vs_one
    cdef readonly ByClass by_class  # one-vs-one: the support vectors by class, on request


cdef Solution written_down(Store store, Slots slots, list problems)
cdef Solution solution_of(Store store, coef, bias, row_ids, labels, classes=*)
