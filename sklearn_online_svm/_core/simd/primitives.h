/* Leaves of the engine: the loops in which all the time is spent.
 *
 * Here are the declarations. Every loop is written once (simd_level.h, simd_real.h,
 * simd_linear.h) and compiled for each SIMD level the compiler knows (simd_levels.h, which
 * primitives.pyx alone includes); one table of functions is chosen at run time.
 *
 * Promise kept by the kernel loops: the value for a pair (a, b) is
 *     round_to_float32(map(sum over ascending k of a[k] * b[k]))
 * with one accumulator per pair and the same rounding on every path. A pair therefore gets the
 * same bits in a block, alone, recomputed, with its arguments swapped, dense or sparse
 * (an absent feature adds an exact zero). Chunked and whole streams then follow one path.
 */
#ifndef SOSVM_LEAVES_H
#define SOSVM_LEAVES_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "rules.h"

/* Slots of one tile of the dense store: tile[k * SIMD_TILE + lane]. */
#define SIMD_TILE 16
/* Rows that a pass in random order asks for ahead of time. */
#define SIMD_AHEAD 8
/* Largest number of fresh rows in one block. */
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

#if SIMD_HAS_VECTORS && (defined(__x86_64__) || defined(__amd64__))
#define SIMD_X86 1
#include <immintrin.h>
#else
#define SIMD_X86 0
#endif

/* Asks for n_bytes of memory, 4096 at most, ahead of time. (Inlined by force: a compiler takes a
 * function that only prefetches for one without effect, and drops its calls.) */
SIMD_INLINE void simd_fetch(const void *data, ptrdiff_t n_bytes) {
    ptrdiff_t k;
    for (k = 0; k < n_bytes && k < 4096; k += 64) SIMD_PREFETCH((const char *)data + k);
}

enum {
    SIMD_LINEAR = 0,
    SIMD_POLY = 1,
    SIMD_RBF = 2,
    SIMD_SIGMOID = 3,
    SIMD_CENTRED = 4 /* linear, relative to an offset */
};

/* Powers up to this one are products of so many factors. */
#define SIMD_LOW_DEGREE 16

/* Values gathered together, and the stretch of a row that they may come from. */
#define SIMD_GROUP 16
#define SIMD_WINDOW 64

/* What turns a dot product into a kernel value. */
typedef struct {
    int kind;
    int degree;
    double gamma;
    double coef0;
} simd_map;

/* Extremes of g over the slots that may still go up, or down; index -1 and -inf / +inf over
 * nothing. */
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
 * ascending, filled up with zeros to a length that is a multiple of four. */
typedef struct {
    const int32_t *indices;
    const void *values;
    const int64_t *start;
    const int32_t *length;
} simd_csr;

/* Fresh sparse rows, transposed: panel[place[column] * lanes + row]; place 0 is a row of zeros
 * for the columns that no fresh row has. */
typedef struct {
    const void *panel;
    const int32_t *place;
    const void *norms;
    ptrdiff_t lanes;
    ptrdiff_t n_rows;
} simd_panel;

/* Fresh dense rows, contiguous. */
typedef struct {
    const void *rows;
    const void *norms;
    ptrdiff_t n_rows;
    ptrdiff_t n_features;
} simd_rows;

/* What a linear learner sees of a row: w.x, |x|^2 and, with a diagonal covariance s,
 * sum_k s[k] x[k]^2. */
typedef struct {
    double margin;
    double squared_norm;
    double variance;
} simd_look;

/* A pass over rows with two classes and one weight vector. Dense rows lie one after the other,
 * those of a CSR matrix have columns and starts; order may be NULL, and so may weights and bias.
 */
typedef struct {
    const void *values;
    const int32_t *columns;
    const int64_t *starts;
    ptrdiff_t n_features;
    ptrdiff_t n_rows;
    const int64_t *order;
    const int32_t *labels;
    const double *weights;
    const rule_numbers *rule;
    double negative; /* margins that rows of the two classes are to have */
    double positive;
    void *w;
    double *bias;
    double constant; /* square of the feature that the bias is the weight of */
    /* Advice r, NULL without: the weights are r + scale w then. Each row first takes them nearer
     * to r, scale *= keep; a scale below `least` is multiplied into w. */
    const void *advice;
    double advice_bias;
    double keep;
    double least;
    double *scale;
} simd_pass;

typedef struct {
    double loss;
    int64_t n_updates;
} simd_tally;

/* Loops of the linear learners for one element type, which the void pointers hide. Sparse rows
 * are n values and their columns. The weights of several classes lie one after the other for
 * dense rows (w[c * apart + k]), and side by side for sparse ones (w[k * n_classes + c]). Behind
 * weights and variances there is room for a whole vector. */
typedef struct {
    /* sum x[k]^2 */
    double (*squared_norm)(const void *x, ptrdiff_t n);
    void (*look_dense)(const void *x, const void *w, ptrdiff_t n, simd_look *look);
    void (*look_dense_diagonal)(const void *x, const void *w, const void *s, ptrdiff_t n,
                                simd_look *look);
    void (*margins_dense)(const void *x, const void *w, ptrdiff_t apart, ptrdiff_t n_classes,
                          ptrdiff_t n, double *margins);
    /* w += step * x */
    void (*add_dense)(double step, const void *x, void *w, ptrdiff_t n);
    /* w *= factor */
    void (*multiply)(double factor, void *w, ptrdiff_t n);
    /* w += step * s x, s -= shrink * (s x)^2 */
    void (*add_dense_diagonal)(double step, double shrink, const void *x, void *w, void *s,
                               ptrdiff_t n);
    void (*look_sparse)(const void *x, const int32_t *columns, ptrdiff_t n, const void *w,
                        simd_look *look);
    void (*look_sparse_diagonal)(const void *x, const int32_t *columns, ptrdiff_t n, const void *w,
                                 const void *s, simd_look *look);
    void (*margins_sparse)(const void *x, const int32_t *columns, ptrdiff_t n, const void *w,
                           ptrdiff_t n_classes, double *margins);
    void (*variances_sparse)(const void *x, const int32_t *columns, ptrdiff_t n, const void *s,
                             ptrdiff_t n_classes, double *variances);
    /* One class; `apart` elements from one feature to the next. */
    void (*add_sparse)(double step, const void *x, const int32_t *columns, ptrdiff_t n, void *w,
                       ptrdiff_t apart);
    /* All classes, a step for each. */
    void (*add_sparse_all)(const double *steps, const void *x, const int32_t *columns, ptrdiff_t n,
                           void *w, ptrdiff_t n_classes);
    void (*add_sparse_diagonal)(double step, double shrink, const void *x, const int32_t *columns,
                                ptrdiff_t n, void *w, void *s, ptrdiff_t apart);
    void (*add_sparse_diagonal_all)(const double *steps, const double *shrinks, const void *x,
                                    const int32_t *columns, ptrdiff_t n, void *w, void *s,
                                    ptrdiff_t n_classes);
    /* Rows from start to stop through a rule of first order; returns how far it came: a row whose
     * squared norm is no finite number ends it. */
    ptrdiff_t (*run)(const simd_pass *rows, ptrdiff_t start, ptrdiff_t stop, simd_tally *tally);
    /* Squared distances |x - scales[k] c[k]|^2 of n_centres vectors, one after the other. */
    void (*distances_dense)(const void *x, const void *c, const double *scales,
                            ptrdiff_t n_centres, ptrdiff_t n, double *distances);
} simd_linear;

typedef struct {
    const char *name;
    /* out[r * ld + s] = K(row r, slot s) for s in [first, last), both multiples of the tile. */
    void (*dense_block_f32)(const simd_map *map, const simd_rows *fresh, const float *tiles,
                            const float *norms, ptrdiff_t first, ptrdiff_t last, float *out,
                            ptrdiff_t ld);
    void (*dense_block_f64)(const simd_map *map, const simd_rows *fresh, const double *tiles,
                            const double *norms, ptrdiff_t first, ptrdiff_t last, float *out,
                            ptrdiff_t ld);
    void (*sparse_block_f32)(const simd_map *map, const simd_panel *fresh, const simd_csr *stored,
                             const float *norms, ptrdiff_t first, ptrdiff_t last, float *out,
                             ptrdiff_t ld);
    void (*sparse_block_f64)(const simd_map *map, const simd_panel *fresh, const simd_csr *stored,
                             const double *norms, ptrdiff_t first, ptrdiff_t last, float *out,
                             ptrdiff_t ld);
    /* The first fresh row against the slots of the wanted tiles: out[t * tile + lane]. (Sparse:
     * of the n_wanted tiles from first on when wanted is NULL.) */
    void (*dense_tiles_f32)(const simd_map *map, const simd_rows *fresh, const float *tiles,
                            const float *norms, const int32_t *wanted, ptrdiff_t n_wanted,
                            float *out);
    void (*dense_tiles_f64)(const simd_map *map, const simd_rows *fresh, const double *tiles,
                            const double *norms, const int32_t *wanted, ptrdiff_t n_wanted,
                            float *out);
    void (*sparse_tiles_f32)(const simd_map *map, const simd_panel *fresh, const simd_csr *stored,
                             const float *norms, const int32_t *wanted, ptrdiff_t first,
                             ptrdiff_t n_wanted, float *out);
    void (*sparse_tiles_f64)(const simd_map *map, const simd_panel *fresh, const simd_csr *stored,
                             const double *norms, const int32_t *wanted, ptrdiff_t first,
                             ptrdiff_t n_wanted, float *out);
    /* norms[r] = sum over ascending k of x[k]^2, rounded as the dot products are. */
    void (*dense_norms_f32)(const float *rows, ptrdiff_t n_rows, ptrdiff_t n_features,
                            float *norms);
    void (*dense_norms_f64)(const double *rows, ptrdiff_t n_rows, ptrdiff_t n_features,
                            double *norms);
    float (*sparse_norm_f32)(const float *values, ptrdiff_t n);
    double (*sparse_norm_f64)(const double *values, ptrdiff_t n);
    void (*exp_f32)(const float *x, float *out, ptrdiff_t n);
    void (*exp_f64)(const double *x, double *out, ptrdiff_t n);
    /* sum_s k[s] a[s] */
    double (*dot)(const float *k, const double *a, ptrdiff_t n);
    /* out[s] = row[base[s / G] + offset[s]] for n_groups groups of G = SIMD_GROUP; offsets are
     * below SIMD_WINDOW, and row has so many values from each base on. */
    void (*gather)(const float *row, const int32_t *base, const uint8_t *offset,
                   ptrdiff_t n_groups, float *out);
    /* g[s] += step * k[s] */
    void (*axpy)(double step, const float *k, double *g, ptrdiff_t n);
    /* g[s] -= step * (ki[s] - kj[s]) and, in the same pass, the extremes of the new g.
     * step = 0 with ki = kj is a plain scan. */
    void (*update)(double *g, const float *ki, const float *kj, double step, const int8_t *up,
                   const int8_t *down, ptrdiff_t n, simd_extremes *extremes);
    /* argmax over slots that may go down with g < g_i of (g_i - g)^2 / curvature: the partner of
     * i that promises most (second order, Fan, Chen and Lin 2005); -1 over nothing. */
    ptrdiff_t (*partner)(const double *g, const float *ki, const float *diag, double g_i,
                         float k_ii, const int8_t *down, ptrdiff_t n);
    /* Without a bias, one coordinate at a time: g[s] -= step * k[s] and, in the same pass, the
     * extremes of the new g and sum_s max(0, bound[s] g[s]), what the losses add to the gap. */
    double (*update_one)(double *g, const float *k, double step, const int8_t *up,
                         const int8_t *down, const float *bound, ptrdiff_t n,
                         simd_extremes *extremes);
    /* The same with g[s] -= step_i * ki[s] + step_j * kj[s]; bound may be NULL, the sum is 0
     * then. */
    double (*update_two)(double *g, const float *ki, double step_i, const float *kj, double step_j,
                         const int8_t *up, const int8_t *down, const float *bound, ptrdiff_t n,
                         simd_extremes *extremes);
    /* argmax over slots that may follow of r^2 / d, r = g[s] - step_i ki[s] their gradient after
     * a step on i, d = diag[s] - ki[s]^2 / k_ii: with whom a step on two coordinates gains most
     * (Steinwart, Hush and Scovel 2011); -1 over nothing. */
    ptrdiff_t (*companion)(const double *g, const float *ki, const float *diag, double step_i,
                           float k_ii, const int8_t *up, const int8_t *down, ptrdiff_t n);
    /* Over the slots whose bound is not 0. */
    void (*moments)(const double *g, const double *alpha, const float *bound, const int8_t *y,
                    ptrdiff_t n, simd_moments *moments);
    /* Full covariance S, n x n and symmetric: u = S x over the columns where x is not 0, and
     * x'u; and S -= shrink * u u'. */
    double (*covariance_times)(const double *covariance, const double *x, double *u, ptrdiff_t n);
    void (*covariance_shrink)(double shrink, const double *u, double *covariance, ptrdiff_t n);
    /* Linear learners on float32 and on float64 rows. */
    const simd_linear *linear_f32;
    const simd_linear *linear_f64;
} simd_table;

/* Smallest curvature of a step: a kernel need not be positive definite. */
#define SIMD_CURVATURE 1e-12

#endif
