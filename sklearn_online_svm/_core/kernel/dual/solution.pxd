"""The solution of all problems, for predictions, warm starts and exports."""
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
    cdef readonly object coef       # (n_problems, n_slots): alpha over the slots of the store
    cdef readonly object bias       # (n_problems,)
    cdef object row_id_of_slot
    cdef object label_of_slot
    cdef object places              # slots of the support vectors, computed on request
    cdef double *coef_at
    cdef double *b
    cdef Py_ssize_t n_problems
    cdef Py_ssize_t n_slots         # in whole tiles


cdef Solution written_down(Store store, Slots slots, list problems)
cdef Solution solution_of(Store store, coef, bias, row_ids, labels)
