"""A kernel expansion over a dictionary of vectors, trained with a full covariance in its span.

Problem: represent samples by their coordinates ``z`` in an orthonormal basis of the span of the
dictionary, and make the steps of ``FullWeights`` (``linear/weights.pyx``) on them:

    w <- w + alpha S z,    S <- S - beta S z z'S .

The basis is that of Gram-Schmidt: with K = L L' over the dictionary, ``z = M k``, where M is the
inverse of L and k the kernel values of the sample. A new vector appends a coordinate and leaves
the others unchanged, so w and S of the old coordinates stay valid; the new ones have weight 0 and
variance 1. Before each step the model is moved towards its initial state,

    w <- sqrt(decay) w,    S <- decay S + (1 - decay) I .
"""
from libc.stdint cimport int32_t

from .expansion cimport KernelExpansion


cdef class DictionaryExpansion(KernelExpansion):
    cdef readonly Py_ssize_t most       # largest number of vectors
    cdef double threshold               # least distance from the span, as share of K(x, x)
    cdef double decay
    cdef Py_ssize_t n_absent            # number of classes without a vector
    cdef Py_ssize_t capacity            # number of vectors for which there is room
    # The first `n_slots` rows and columns of these arrays are in use.
    cdef double *M                      # (capacity, capacity), lower triangle
    cdef double *S                      # (n_problems, capacity, capacity), lower triangle
    cdef double *weights                # (n_problems, capacity)
    cdef object basis_array
    cdef object covariance_array
    cdef object weights_array
    # Of the block: its coordinates, the stored S times them, and the changes of S to be subtracted
    # from the stored S at its end, as columns. S is faded (S stored - changes) + (1 - faded) I,
    # and w is sqrt(faded) times the stored weights.
    cdef double faded
    cdef object buffer_arrays
    cdef double *Z                      # (SIMD_BLOCK, capacity)
    cdef double *V                      # (n_problems, SIMD_BLOCK, capacity)
    cdef double *U                      # (n_problems, SIMD_BLOCK, capacity)
    cdef double *products               # (SIMD_BLOCK,) work space
    cdef int *n_pending                 # (n_problems,)
    cdef Py_ssize_t n_at_begin          # number of slots at the beginning of the block
    # Of the current sample: its coordinates, its squared distance from the span, and whether it is
    # to join the dictionary with its first step.
    cdef double *z
    cdef double *v                      # (n_problems, capacity), S z
    cdef double distance
    cdef bint joins
    cdef Py_ssize_t place               # its number in the block

    cdef reserve(self, Py_ssize_t capacity)
    cdef bint has_room_for(self, int32_t label) noexcept nogil
    cdef Py_ssize_t count(self, int32_t label) noexcept nogil
    cdef void extend(self) noexcept nogil
    cdef void apply_changes(self) noexcept nogil
