"""Declarations of ``primitives.h``, which documents them."""
from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t

from ..linear.rules cimport rule_parameters

cdef extern from "primitives.h" nogil:
    enum:
        SIMD_TILE
        SIMD_GROUP
        SIMD_WINDOW
        SIMD_BLOCK
        SIMD_STRETCH
        SIMD_PREFETCH_DISTANCE
        SIMD_LINEAR
        SIMD_POLY
        SIMD_RBF
        SIMD_SIGMOID
        SIMD_CENTRED
        SIMD_TANIMOTO
        SIMD_COSINE
        SIMD_OVERLAP
        SIMD_PRODUCT
        SIMD_COMMON
        SIMD_HARMONIC
        SIMD_EQUAL
        SIMD_N_TERMS

    double SIMD_CURVATURE

    ctypedef struct simd_map:
        int kind
        int degree
        double gamma
        double coef0
        double far

    ctypedef struct simd_extremes:
        double g_max
        double g_min
        ptrdiff_t i_max
        ptrdiff_t j_min

    ctypedef struct simd_moments:
        double h
        double h_squared
        double alpha_g

    ctypedef struct simd_csr:
        const int32_t *indices
        const void *values
        const int64_t *start
        const int32_t *length

    ctypedef struct simd_panel:
        simd_csr csr
        const int32_t *columns
        ptrdiff_t n_columns
        const void *panel
        const int32_t *place
        const void *norms
        ptrdiff_t lanes
        ptrdiff_t n_rows

    ctypedef struct simd_rows:
        const void *rows
        const void *norms
        ptrdiff_t n_rows
        ptrdiff_t n_features

    ctypedef struct simd_products:
        double margin
        double squared_norm
        double variance

    ctypedef struct simd_pass:
        const void *values
        const int32_t *columns
        const int64_t *starts
        ptrdiff_t n_features
        ptrdiff_t n_samples
        const int64_t *order
        const int32_t *labels
        const double *weights
        const rule_parameters *rule
        double target_margins[2]
        void *w
        double *bias
        double constant
        const void *advice
        double advice_bias
        double decay
        double min_scale
        double *scale

    ctypedef struct simd_totals:
        double loss
        int64_t n_updates

    ctypedef struct simd_linear:
        double (*squared_norm)(const void *, ptrdiff_t) noexcept nogil
        void (*products)(const void *, const int32_t *, ptrdiff_t, const void *, const void *,
                         simd_products *) noexcept nogil
        void (*margins)(const void *, const int32_t *, ptrdiff_t, const void *, ptrdiff_t,
                        ptrdiff_t, double *) noexcept nogil
        void (*variances)(const void *, const int32_t *, ptrdiff_t, const void *, ptrdiff_t,
                          double *) noexcept nogil
        void (*add)(double, double, const void *, const int32_t *, ptrdiff_t, void *, void *,
                    ptrdiff_t) noexcept nogil
        void (*add_all)(const double *, const double *, const void *, const int32_t *, ptrdiff_t,
                        void *, void *, ptrdiff_t) noexcept nogil
        void (*multiply)(double, void *, ptrdiff_t) noexcept nogil
        ptrdiff_t (*train)(const simd_pass *, ptrdiff_t, ptrdiff_t, simd_totals *) noexcept nogil
        void (*distances)(const void *, const void *, const double *, ptrdiff_t, ptrdiff_t,
                          double *) noexcept nogil

    void simd_prefetch(const void *data, ptrdiff_t n_bytes)

    ctypedef struct simd_pairs:
        void (*dense_block)(const simd_map *, const simd_rows *, const void *, const void *,
                            ptrdiff_t, ptrdiff_t, float *, ptrdiff_t) noexcept nogil
        void (*dense_tiles)(const simd_map *, const simd_rows *, const void *, const void *,
                            const int32_t *, ptrdiff_t, float *) noexcept nogil
        void (*dense_norms)(const void *, ptrdiff_t, ptrdiff_t, void *) noexcept nogil
        void (*sparse_block)(const simd_map *, const simd_panel *, const simd_csr *,
                             const void *, ptrdiff_t, ptrdiff_t, float *,
                             ptrdiff_t) noexcept nogil
        void (*sparse_tiles)(const simd_map *, const simd_panel *, const simd_csr *,
                             const void *, const int32_t *, ptrdiff_t, ptrdiff_t,
                             float *) noexcept nogil
        void (*sparse_norm)(const void *, ptrdiff_t, void *) noexcept nogil

    ctypedef struct simd_manhattan:
        void (*distances)(const void *, ptrdiff_t, ptrdiff_t, const void *, ptrdiff_t, ptrdiff_t,
                          void *, ptrdiff_t) noexcept nogil
        void (*sums)(const void *, ptrdiff_t, ptrdiff_t, const void *, ptrdiff_t, ptrdiff_t,
                     const void *, ptrdiff_t, void *, double *) noexcept nogil

    ctypedef struct simd_table:
        const char *name
        const simd_pairs *const *pairs_f32
        const simd_pairs *const *pairs_f64
        void (*exp_f32)(const float *, float *, ptrdiff_t) noexcept nogil
        void (*exp_f64)(const double *, double *, ptrdiff_t) noexcept nogil
        double (*dot)(const float *, const double *, ptrdiff_t) noexcept nogil
        void (*gather)(const float *, const int32_t *, const uint8_t *, ptrdiff_t,
                       float *) noexcept nogil
        void (*transpose)(const float *, ptrdiff_t, ptrdiff_t, ptrdiff_t, float *) noexcept nogil
        void (*functions)(const float *, const int32_t *, const double *, ptrdiff_t, ptrdiff_t,
                          double *) noexcept nogil
        void (*functions_of_block)(const float *, ptrdiff_t, const int32_t *, const double *,
                                   ptrdiff_t, ptrdiff_t, ptrdiff_t, double *) noexcept nogil
        void (*axpy)(double, const float *, double *, ptrdiff_t) noexcept nogil
        void (*update)(double *, const float *, const float *, double, const int8_t *,
                       const int8_t *, ptrdiff_t, simd_extremes *) noexcept nogil
        ptrdiff_t (*partner)(const double *, const float *, const float *, double, float,
                             const int8_t *, ptrdiff_t, float *) noexcept nogil
        double (*update_one)(double *, const float *, double, const int8_t *, const int8_t *,
                             const float *, ptrdiff_t, simd_extremes *) noexcept nogil
        double (*update_two)(double *, const float *, double, const float *, double,
                             const int8_t *, const int8_t *, const float *, ptrdiff_t,
                             simd_extremes *) noexcept nogil
        ptrdiff_t (*companion)(const double *, const float *, const float *, double, float,
                               const int8_t *, const int8_t *, ptrdiff_t,
                               float *) noexcept nogil
        void (*moments)(const double *, const double *, const float *, const int8_t *,
                        ptrdiff_t, simd_moments *) noexcept nogil
        double (*covariance_times)(const double *, const double *, double *,
                                   ptrdiff_t) noexcept nogil
        void (*covariance_shrink)(double, const double *, double *, ptrdiff_t) noexcept nogil
        const simd_linear *linear_f32
        const simd_linear *linear_f64
        const simd_manhattan *manhattan_f32
        const simd_manhattan *manhattan_f64

# Return the table of the SIMD level in use, selected when the module is imported.
cdef const simd_table *table() noexcept nogil
