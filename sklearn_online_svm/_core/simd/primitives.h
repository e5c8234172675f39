/* SIMD primitives: the inner loops of the engine.
 *
 * Problem: almost all of the training time goes into four kinds of loops, which compilers do not
 * vectorize without reordering sums:
 *   - blocks of kernel values K(x, z) between samples and stored vectors (primitives_real.h);
 *   - passes over the gradient of the dual problem, one for each step (primitives_solver.h);
 *   - the margin, the norm and the update of a linear model (primitives_linear.h);
 *   - products with a full covariance matrix (primitives_level.h).
 *
 * This file declares them. Each loop is written once, in the vector operations of
 * primitives_vectors.h, and compiled for each SIMD level that the compiler supports
 * (primitives_levels.h, included by primitives.pyx only). One table of functions is selected at
 * run time.
 *
 * Contract of the kernel loops: the value for a pair (a, b) is
 *     round_to_float32(map(sum over ascending k of t(a[k], b[k])))
 * where t is the product or another term, with one accumulator per pair and the same rounding on
 * every path. In rbf and chi2 kernels the norms of the pair decide which term it is. A pair
 * therefore has the same bits in a block, alone, recomputed, with its arguments swapped, dense or
 * sparse (an absent feature adds an exact zero), so that the model does not depend on how a stream
 * is divided into chunks. Loops of linear models have several accumulators: the same sample has
 * the same bits in any chunk, but dense and sparse sums differ by rounding.
 *
 * Contract of all loops: the results have the same bits at each level, on any architecture. A sum
 * has a fixed number of partial sums (primitives_wide.h), and their halves are added until one is
 * left. A product and a sum are rounded once, or twice, as written: the compiler must not contract
 * them (-ffp-contract=off). The exception is the level "unfused", for processors without an
 * instruction that rounds them once; there fma() is a slow call.
 */
#ifndef SOSVM_PRIMITIVES_H
#define SOSVM_PRIMITIVES_H

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "rules.h"

/* Slots in one tile of the dense store: tile[k * SIMD_TILE + lane]. */
#define SIMD_TILE 16
/* Samples between the one in use and the one that an epoch in random order prefetches. */
#define SIMD_PREFETCH_DISTANCE 8
/* Slots among which extremes are found faster: parts of a pass are multiples. */
#define SIMD_STRETCH 512
/* Maximum number of samples in one block. */
#define SIMD_BLOCK 64

#if defined(__GNUC__) || defined(__clang__)
#define SIMD_INLINE static inline __attribute__((always_inline))
#define SIMD_UNROLL _Pragma("GCC unroll 16")
#define SIMD_RESTRICT __restrict__
#define SIMD_HAS_VECTORS 1
#define SIMD_PREFETCH(address) __builtin_prefetch(address)
#else
#define SIMD_INLINE static inline
#define SIMD_UNROLL
#define SIMD_RESTRICT
#define SIMD_HAS_VECTORS 0
#define SIMD_PREFETCH(address) ((void)0)
#endif

/* Whether fma() is one instruction of every processor of this architecture. Where it is not, it is
 * a call of the C library, slow unless that finds the instruction. */
#if defined(__aarch64__) || (defined(__FP_FAST_FMA) && defined(__FP_FAST_FMAF))
#define SIMD_FAST_FMA 1
#else
#define SIMD_FAST_FMA 0
#endif

#if SIMD_HAS_VECTORS && defined(__aarch64__)
#include <arm_neon.h>
#endif

#if SIMD_HAS_VECTORS && (defined(__x86_64__) || defined(__amd64__))
#define SIMD_X86 1
#include <immintrin.h>
#else
#define SIMD_X86 0
#endif

/* Prefetch n_bytes of memory, 4096 at most. Always inlined: compilers drop calls of a function
 * that only prefetches, because it has no side effects. */
SIMD_INLINE void simd_prefetch(const void *data, ptrdiff_t n_bytes) {
    ptrdiff_t k;
    for (k = 0; k < n_bytes && k < 4096; k += 64) SIMD_PREFETCH((const char *)data + k);
}

enum {
    SIMD_LINEAR = 0,
    SIMD_POLY = 1,
    SIMD_RBF = 2,
    SIMD_SIGMOID = 3,
    SIMD_CENTRED = 4, /* linear, relative to an offset */
    SIMD_TANIMOTO = 5,
    SIMD_COSINE = 6,
    SIMD_OVERLAP = 7
};

/* Terms of the sums over features; primitives_real.h defines them. */
enum { SIMD_PRODUCT = 0, SIMD_COMMON = 1, SIMD_HARMONIC = 2, SIMD_EQUAL = 3, SIMD_N_TERMS = 4 };

/* Largest degree of a polynomial kernel that is computed by repeated multiplication. */
#define SIMD_LOW_DEGREE 16

/* Number of values gathered together, and the size of the window that contains them. */
#define SIMD_GROUP 16
#define SIMD_WINDOW 64

/* Kernel function of a dot product. If the squared norm of a vector (with the term harmonic, the
 * sum of its features) is above `far`, its distances from others are computed from differences;
 * infinite for kernels other than rbf and chi2. */
typedef struct {
    int kind;
    int degree;
    double gamma;
    double coef0;
    double far;
} simd_map;

/* Maximum of g over the slots whose coefficient may increase, minimum over those whose
 * coefficient may decrease; index -1 and -inf / +inf if there are none. */
typedef struct {
    double g_max;
    double g_min;
    ptrdiff_t i_max;
    ptrdiff_t j_min;
} simd_extremes;

/* Sums over slots: h and h^2 for h = |bound| y g, and alpha g. */
typedef struct {
    double h;
    double h_squared;
    double alpha_g;
} simd_moments;

/* Stored sparse vectors: slot s holds values[start[s] : start[s] + length[s]], columns
 * ascending, padded with zeros to a length that is a multiple of four. */
typedef struct {
    const int32_t *indices;
    const void *values;
    const int64_t *start;
    const int32_t *length;
} simd_csr;

/* A block of sparse samples, transposed: panel[place[column] * lanes + sample]; place 0 holds
 * zeros, for columns without a nonzero in the block. lanes is a multiple of the tile, and there
 * are as many norms. csr has the same samples, and columns those of all samples, ascending; there
 * are 0 unless a sample is far from the origin. */
typedef struct {
    simd_csr csr;
    const int32_t *columns;
    ptrdiff_t n_columns;
    const void *panel;
    const int32_t *place;
    const void *norms;
    ptrdiff_t lanes;
    ptrdiff_t n_rows;
} simd_panel;

/* A block of dense samples, contiguous. */
typedef struct {
    const void *rows;
    const void *norms;
    ptrdiff_t n_rows;
    ptrdiff_t n_features;
} simd_rows;

/* Products of a sample x with the weights w of a linear model: w.x, |x|^2 and, with a diagonal
 * covariance S, x'S x (else 0). */
typedef struct {
    double margin;
    double squared_norm;
    double variance;
} simd_products;

/* Samples, update rule and weights of one pass of a binary linear model without covariance. Dense
 * samples are contiguous, CSR samples have columns and starts; order, weights and bias may be
 * NULL. */
typedef struct {
    const void *values;
    const int32_t *columns;
    const int64_t *starts;
    ptrdiff_t n_features;
    ptrdiff_t n_samples;
    const int64_t *order;
    const int32_t *labels;
    const double *weights;
    const rule_parameters *rule;
    double target_margins[2]; /* of the negative and of the positive class */
    void *w;
    double *bias;
    double constant; /* square of the constant feature whose weight is the bias */
    /* Advice r, or NULL. With advice the model is r + scale w; each sample first shrinks it
     * towards r, scale *= decay. A scale below min_scale is multiplied into w. */
    const void *advice;
    double advice_bias;
    double decay;
    double min_scale;
    double *scale;
} simd_pass;

typedef struct {
    double loss;
    int64_t n_updates;
} simd_totals;

/* Loops of the linear models for one element type (void pointers: the update loop is written
 * once). A sample has n values x; columns are the features of a sparse sample, NULL for a dense
 * one. Of several classes, the weights of one class are contiguous for dense samples
 * (w[c * class_stride + k]), the weights of one feature for sparse samples
 * (w[k * n_classes + c]). Variances s have the layout of w. Behind weights and variances there
 * must be room for a whole vector. */
typedef struct {
    double (*squared_norm)(const void *x, ptrdiff_t n);
    /* One class; s may be NULL. */
    void (*products)(const void *x, const int32_t *columns, ptrdiff_t n, const void *w,
                     const void *s, simd_products *products);
    /* w_c.x of each class; class_stride is used only for dense samples. */
    void (*margins)(const void *x, const int32_t *columns, ptrdiff_t n, const void *w,
                    ptrdiff_t class_stride, ptrdiff_t n_classes, double *margins);
    /* x'S_c x of each class, for a sparse sample. */
    void (*variances)(const void *x, const int32_t *columns, ptrdiff_t n, const void *s,
                      ptrdiff_t n_classes, double *variances);
    /* One class: w += alpha * S x, S -= beta * diag(S x x'S), or w += alpha * x if s is NULL.
     * feature_stride is used only for sparse samples. */
    void (*add)(double alpha, double beta, const void *x, const int32_t *columns, ptrdiff_t n,
                void *w, void *s, ptrdiff_t feature_stride);
    /* The same for all classes of a sparse sample, with an alpha and a beta for each. */
    void (*add_all)(const double *alphas, const double *betas, const void *x,
                    const int32_t *columns, ptrdiff_t n, void *w, void *s, ptrdiff_t n_classes);
    /* w *= factor */
    void (*multiply)(double factor, void *w, ptrdiff_t n);
    /* Train on the samples from start to stop. Return the position after the last one, less than
     * stop if the squared norm of a sample is not finite. */
    ptrdiff_t (*train)(const simd_pass *pass, ptrdiff_t start, ptrdiff_t stop,
                       simd_totals *totals);
    /* Squared distances |x - scales[k] c[k]|^2 of a dense sample from n_centers contiguous
     * vectors. */
    void (*distances)(const void *x, const void *c, const double *scales, ptrdiff_t n_centers,
                      ptrdiff_t n, double *distances);
} simd_linear;

/* Loops of the kernels with one term, for one element type: tiles, norms, samples and values are
 * of that type. */
typedef struct {
    /* out[r * ld + s] = K(sample r, slot s) for s in [first, last), multiples of the tile. */
    void (*dense_block)(const simd_map *map, const simd_rows *fresh, const void *tiles,
                        const void *norms, ptrdiff_t first, ptrdiff_t last, float *out,
                        ptrdiff_t ld);
    /* Kernel values of the first sample of a block with the slots of the wanted tiles:
     * out[t * tile + lane]. */
    void (*dense_tiles)(const simd_map *map, const simd_rows *fresh, const void *tiles,
                        const void *norms, const int32_t *wanted, ptrdiff_t n_wanted, float *out);
    /* norms[r] = the sum for sample r and itself, rounded like those of pairs. */
    void (*dense_norms)(const void *rows, ptrdiff_t n_rows, ptrdiff_t n_features, void *norms);
    void (*sparse_block)(const simd_map *map, const simd_panel *fresh, const simd_csr *stored,
                         const void *norms, ptrdiff_t first, ptrdiff_t last, float *out,
                         ptrdiff_t ld);
    /* Of n_wanted tiles from `first` on if wanted is NULL. */
    void (*sparse_tiles)(const simd_map *map, const simd_panel *fresh, const simd_csr *stored,
                         const void *norms, const int32_t *wanted, ptrdiff_t first,
                         ptrdiff_t n_wanted, float *out);
    void (*sparse_norm)(const void *values, ptrdiff_t n, void *norm);
} simd_pairs;

/* Manhattan distances of n_rows samples from others in tiles, for one element type; first and last
 * are multiples of the tile. */
typedef struct {
    /* out[r * ld + s] = sum_k |x_r[k] - z_s[k]| for s in [first, last) */
    void (*distances)(const void *rows, ptrdiff_t n_rows, ptrdiff_t n_features, const void *tiles,
                      ptrdiff_t first, ptrdiff_t last, void *out, ptrdiff_t ld);
    /* sums[k] += sum_rs weights[r * ld + s] |x_r[k] - z_s[k]|; scratch has a tile of values. */
    void (*sums)(const void *rows, ptrdiff_t n_rows, ptrdiff_t n_features, const void *tiles,
                 ptrdiff_t first, ptrdiff_t last, const void *weights, ptrdiff_t ld, void *scratch,
                 double *sums);
} simd_manhattan;

typedef struct {
    const char *name;
    /* Kernel values of float32 and of float64 samples, by the term of the sums. */
    const simd_pairs *const *pairs_f32;
    const simd_pairs *const *pairs_f64;
    void (*exp_f32)(const float *x, float *out, ptrdiff_t n);
    void (*exp_f64)(const double *x, double *out, ptrdiff_t n);
    /* sum_s k[s] a[s] */
    double (*dot)(const float *k, const double *a, ptrdiff_t n);
    /* out[s] = row[base[s / G] + offset[s]] for n_groups groups of G = SIMD_GROUP; offsets are
     * below SIMD_WINDOW, and row has SIMD_WINDOW values from each base on. */
    void (*gather)(const float *row, const int32_t *base, const uint8_t *offset,
                   ptrdiff_t n_groups, float *out);
    /* out[s * lanes + r] = rows[r * ld + s] for r below lanes, and n slots s; both are multiples
     * of 4. */
    void (*transpose)(const float *rows, ptrdiff_t ld, ptrdiff_t lanes, ptrdiff_t n, float *out);
    /* Sums of several functions over the same n vectors, for one sample:
     *     sums[f] += sum over ascending v of coef[v * width + f] k[places[v]].
     * width is a multiple of 8. */
    void (*functions)(const float *k, const int32_t *places, const double *coef, ptrdiff_t n,
                      ptrdiff_t width, double *sums);
    /* The same for a block of samples, transposed (lanes is a multiple of 8), and the first
     * n_functions functions:
     *     sums[f * lanes + r] += the sum of coef[v * width + f] k[places[v] * lanes + r].
     * Coefficients that are 0 are skipped. */
    void (*functions_of_block)(const float *k, ptrdiff_t lanes, const int32_t *places,
                               const double *coef, ptrdiff_t n, ptrdiff_t width,
                               ptrdiff_t n_functions, double *sums);
    /* g[s] += step * k[s] */
    void (*axpy)(double step, const float *k, double *g, ptrdiff_t n);
    /* g[s] -= step * (ki[s] - kj[s]) and, in the same pass, the extremes of the new g.
     * step = 0 and ki = kj only find the extremes. */
    void (*update)(double *g, const float *ki, const float *kj, double step, const int8_t *up,
                   const int8_t *down, ptrdiff_t n, simd_extremes *extremes);
    /* Second-order working set selection (Fan, Chen and Lin 2005): argmax of
     * (g_i - g[s])^2 / curvature, the gain, over the slots that may decrease and have g[s] < g_i;
     * -1 if there are none. */
    ptrdiff_t (*partner)(const double *g, const float *ki, const float *diag, double g_i,
                         float k_ii, const int8_t *down, ptrdiff_t n, float *gain);
    /* Step on one coordinate of the dual without a bias: g[s] -= step * k[s] and, in the same
     * pass, the extremes of the new g and sum_s max(0, bound[s] g[s]), the losses in the duality
     * gap. */
    double (*update_one)(double *g, const float *k, double step, const int8_t *up,
                         const int8_t *down, const float *bound, ptrdiff_t n,
                         simd_extremes *extremes);
    /* The same with g[s] -= step_i * ki[s] + step_j * kj[s]; if bound is NULL the sum is 0. */
    double (*update_two)(double *g, const float *ki, double step_i, const float *kj, double step_j,
                         const int8_t *up, const int8_t *down, const float *bound, ptrdiff_t n,
                         simd_extremes *extremes);
    /* Second coordinate of a two-dimensional step (Steinwart, Hush and Scovel 2011): argmax over
     * the slots that may move of r^2 / d, the gain, where r = g[s] - step_i ki[s] is the
     * gradient after the step on i and d = diag[s] - ki[s]^2 / k_ii; -1 if there are none. */
    ptrdiff_t (*companion)(const double *g, const float *ki, const float *diag, double step_i,
                           float k_ii, const int8_t *up, const int8_t *down, ptrdiff_t n,
                           float *gain);
    /* Sums over the slots whose bound is not 0. */
    void (*moments)(const double *g, const double *alpha, const float *bound, const int8_t *y,
                    ptrdiff_t n, simd_moments *moments);
    /* Full covariance S, n x n and symmetric: u = S x (zeros of x are skipped), return x'u; and
     * S -= beta * u u'. */
    double (*covariance_times)(const double *covariance, const double *x, double *u, ptrdiff_t n);
    void (*covariance_shrink)(double beta, const double *u, double *covariance, ptrdiff_t n);
    /* Linear models on float32 and on float64 samples. */
    const simd_linear *linear_f32;
    const simd_linear *linear_f64;
    const simd_manhattan *manhattan_f32;
    const simd_manhattan *manhattan_f64;
} simd_table;

/* Lower bound of the curvature of a step: a kernel need not be positive definite. */
#define SIMD_CURVATURE 1e-12

#endif
