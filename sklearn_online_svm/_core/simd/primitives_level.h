/* The primitives of one SIMD level. Included by primitives_levels.h once per level, with LEVEL
 * set; no guard.
 */
#include "primitives_vectors.h"

/* ------------------------------------------------------------------ exp ------------------- */

/* exp(x) = 2^n p(r), n = round(x / ln 2), |r| <= ln(2)/2, p a Taylor polynomial; no libm call, so
 * the loops around it vectorize. Adding 1.5 * 2^23 (2^52) rounds to nearest and leaves n in the
 * low bits. Relative error below 3e-7 (float) and 5e-16 (double); 0 below -87.3 (-708), where
 * the result would be subnormal, inf above 88 (709); NaN passes through. */
SIMD_INLINE float SIMD_NAME(exp_float)(float x) {
    const float magic = 12582912.0f;
    float z = F_FMA(x, 1.44269504088896341f, magic);
    float n = z - magic;
    float r = F_FMA(n, -0.693359375f, x);
    float p, scale;
    uint32_t bits;
    r = F_FMA(n, 2.12194440e-4f, r);
    p = 1.0f / 5040.0f;
    p = F_FMA(p, r, 1.0f / 720.0f);
    p = F_FMA(p, r, 1.0f / 120.0f);
    p = F_FMA(p, r, 1.0f / 24.0f);
    p = F_FMA(p, r, 1.0f / 6.0f);
    p = F_FMA(p, r, 0.5f);
    p = F_FMA(p, r, 1.0f);
    p = F_FMA(p, r, 1.0f);
    memcpy(&bits, &z, 4);
    bits = (bits << 23) + 0x3f800000u;
    memcpy(&scale, &bits, 4);
    p *= scale;
    p = x < -87.3f ? 0.0f : p;
    p = x > 88.0f ? INFINITY : p;
    return p;
}

SIMD_INLINE double SIMD_NAME(exp_double)(double x) {
    const double magic = 6755399441055744.0;
    double z = D_FMA(x, 1.4426950408889634074, magic);
    double n = z - magic;
    double r = D_FMA(n, -6.93145751953125e-1, x);
    double p, scale;
    uint64_t bits;
    r = D_FMA(n, -1.42860682030941723212e-6, r);
    p = 1.0 / 6227020800.0;
    p = D_FMA(p, r, 1.0 / 479001600.0);
    p = D_FMA(p, r, 1.0 / 39916800.0);
    p = D_FMA(p, r, 1.0 / 3628800.0);
    p = D_FMA(p, r, 1.0 / 362880.0);
    p = D_FMA(p, r, 1.0 / 40320.0);
    p = D_FMA(p, r, 1.0 / 5040.0);
    p = D_FMA(p, r, 1.0 / 720.0);
    p = D_FMA(p, r, 1.0 / 120.0);
    p = D_FMA(p, r, 1.0 / 24.0);
    p = D_FMA(p, r, 1.0 / 6.0);
    p = D_FMA(p, r, 0.5);
    p = D_FMA(p, r, 1.0);
    p = D_FMA(p, r, 1.0);
    memcpy(&bits, &z, 8);
    bits = (bits << 52) + 0x3ff0000000000000ull;
    memcpy(&scale, &bits, 8);
    p *= scale;
    p = x < -708.0 ? 0.0 : p;
    p = x > 709.0 ? INFINITY : p;
    return p;
}

/* ------------------------------------------------------------------ by element type ------ */

#define V_TYPE VF
#define VEC vf
#define VL FL
#define SUMS 16
#define REAL float
#define EPSILON 1.1920929e-7f
#define S_FMA F_FMA
#define EXP SIMD_NAME(exp_float)
#define SQRT sqrtf
#define SMALLEST FLT_MIN
#define TYPED(name) SIMD_CAT(name##_f32, LEVEL)
#include "primitives_wide.h"

#include "primitives_linear.h"
#include "primitives_real.h"
#undef V_TYPE
#undef VEC
#undef VL
#undef SUMS
#undef GROUP
#undef EACH
#undef WVEC
#undef W_SET
#undef W_LOAD
#undef W_LOAD_PART
#undef W_MUL
#undef W_ADD
#undef W_FMA
#undef W_SUM
#undef REAL
#undef EPSILON
#undef S_FMA
#undef EXP
#undef SQRT
#undef SMALLEST
#undef TYPED

#if DL == 1 && HAS_VECTORS
#define V_TYPE VW
#define VEC vw
#define VL 2
#else
#define V_TYPE VD
#define VEC vd
#define VL DL
#endif
#define SUMS 8
#define REAL double
#define EPSILON 2.220446049250313e-16
#define S_FMA D_FMA
#define EXP SIMD_NAME(exp_double)
#define SQRT sqrt
#define SMALLEST DBL_MIN
#define TYPED(name) SIMD_CAT(name##_f64, LEVEL)
#include "primitives_wide.h"

#include "primitives_linear.h"
#include "primitives_real.h"
#include "primitives_solver.h"
#undef V_TYPE
#undef VEC
#undef VL
#undef SUMS
#undef GROUP
#undef EACH
#undef WVEC
#undef W_SET
#undef W_LOAD
#undef W_LOAD_PART
#undef W_MUL
#undef W_ADD
#undef W_FMA
#undef W_SUM
#undef W_WIDEN
#undef W_WIDEN_PART
#undef REAL
#undef EPSILON
#undef S_FMA
#undef EXP
#undef SQRT
#undef SMALLEST
#undef TYPED

/* ------------------------------------------------------------------ full covariance ------- */

/* The sum over the columns j of S with x[j] != 0, four at a time; S is symmetric, so its columns
 * are its rows. */
static double SIMD_NAME(covariance_times)(const double *covariance, const double *x, double *u,
                                          ptrdiff_t n) {
    double sum = 0.0;
    ptrdiff_t j = 0, k;
    for (k = 0; k < n; k++) u[k] = 0.0;
    while (j < n) {
        const double *row[4];
        double factor[4];
        int found = 0, l;
        for (; j < n && found < 4; j++)
            if (x[j] != 0.0) {
                row[found] = covariance + j * n;
                factor[found++] = x[j];
            }
        if (!found) break;
        for (l = found; l < 4; l++) {
            row[l] = row[0];
            factor[l] = 0.0;
        }
        {
            const vd f0 = VD_SET(factor[0]), f1 = VD_SET(factor[1]);
            const vd f2 = VD_SET(factor[2]), f3 = VD_SET(factor[3]);
            for (k = 0; k + DL <= n; k += DL) {
                vd a = VD_FMA(f0, VD_LOAD(row[0] + k), VD_LOAD(u + k));
                vd b = VD_MUL(f1, VD_LOAD(row[1] + k));
                a = VD_FMA(f2, VD_LOAD(row[2] + k), a);
                b = VD_FMA(f3, VD_LOAD(row[3] + k), b);
                VD_STORE(u + k, VD_ADD(a, b));
            }
            for (; k < n; k++) {
                const double a = D_FMA(factor[0], row[0][k], u[k]), b = factor[1] * row[1][k];
                u[k] = D_FMA(factor[2], row[2][k], a) + D_FMA(factor[3], row[3][k], b);
            }
        }
    }
    for (k = 0; k < n; k++) sum = D_FMA(x[k], u[k], sum);
    return sum;
}

static void SIMD_NAME(covariance_shrink)(double beta, const double *u, double *covariance,
                                         ptrdiff_t n) {
    ptrdiff_t j, k;
    for (j = 0; j < n; j++) {
        /* (beta * u[j]) * u[k] would not be symmetric to the last bit. */
        const vd a = VD_SET(u[j]), b = VD_SET(-beta);
        double *row = covariance + j * n;
        if (u[j] == 0.0) continue;
        for (k = 0; k + DL <= n; k += DL)
            VD_STORE(row + k, VD_FMA(b, VD_MUL(a, VD_LOAD(u + k)), VD_LOAD(row + k)));
        for (; k < n; k++) row[k] = D_FMA(-beta, u[j] * u[k], row[k]);
    }
}

static void SIMD_NAME(exp_f32)(const float *SIMD_RESTRICT x, float *SIMD_RESTRICT out,
                               ptrdiff_t n) {
    ptrdiff_t i;
    for (i = 0; i < n; i++) out[i] = SIMD_NAME(exp_float)(x[i]);
}

static void SIMD_NAME(exp_f64)(const double *SIMD_RESTRICT x, double *SIMD_RESTRICT out,
                               ptrdiff_t n) {
    ptrdiff_t i;
    for (i = 0; i < n; i++) out[i] = SIMD_NAME(exp_double)(x[i]);
}

static const simd_table SIMD_NAME(simd) = {
    SIMD_STRING(LEVEL),
    SIMD_CAT(pairs_f32, LEVEL),
    SIMD_CAT(pairs_f64, LEVEL),
    SIMD_NAME(exp_f32),
    SIMD_NAME(exp_f64),
    SIMD_NAME(dot),
    SIMD_NAME(gather),
    SIMD_NAME(transpose),
    SIMD_NAME(functions),
    SIMD_NAME(functions_of_block),
    SIMD_NAME(axpy),
    SIMD_NAME(update),
    SIMD_NAME(partner),
    SIMD_NAME(update_one),
    SIMD_NAME(update_two),
    SIMD_NAME(companion),
    SIMD_NAME(moments),
    SIMD_NAME(covariance_times),
    SIMD_NAME(covariance_shrink),
    &SIMD_CAT(linear_f32, LEVEL),
    &SIMD_CAT(linear_f64, LEVEL),
    &SIMD_CAT(manhattan_f32, LEVEL),
    &SIMD_CAT(manhattan_f64, LEVEL),
};

#undef HAS_VECTORS
#undef UNROLL
#undef FL
#undef DL
#undef VF_LOAD
#undef VF_STORE
#undef VF_SET
#undef VF_FMA
#undef VD_LOAD
#undef VD_STORE
#undef VD_SET
#undef VD_FMA
#undef VW_FMA
#undef VD_WIDEN
#undef VD_WIDEN_PART
#undef F_FMA
#undef D_FMA
#undef VD_ANY_EQUAL
#undef VD_POSITIVE
#undef VD_IF_NOT_ZERO
#undef VD_ABS
#undef VD_WIDEN_BYTES
#undef VD_MAX_IF
#undef VD_MIN_IF
#undef VF_MUL
#undef VD_MUL
#undef VF_ADD
#undef VF_MAX
#undef VD_MAX
#undef VF_MIN
#undef VD_MIN
#undef VF_ABS
#undef VF_EQUAL
#undef VD_EQUAL
#undef VD_ADD
#undef VF_SUM
#undef VD_SUM
#undef VF_LOAD_PART
#undef VD_LOAD_PART
#undef VF_STORE_PART
#undef VD_STORE_PART
#undef VF_PART
#undef VD_PART
#undef VI_SET
#undef VF_GREATER
#undef VF_SELECT
#undef VI_SELECT
