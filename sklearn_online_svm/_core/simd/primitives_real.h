/* Kernel values for one element type (REAL) at one SIMD level. Included by primitives_level.h.
 *
 * Problem: K(x, z) for a block of samples x and the stored vectors z, with the contract of
 * primitives.h. All kernels are functions (map) of the dot product x.z and of the squared norms:
 *     linear x.z, poly (gamma x.z + coef0)^degree, sigmoid tanh(gamma x.z + coef0),
 *     rbf exp(-gamma |x - z|^2) with |x - z|^2 = |x|^2 + |z|^2 - 2 x.z,
 *     tanimoto x.z / (|x|^2 + |z|^2 - x.z), cosine x.z / (|x| |z|).
 * The dot product is a sum over features of a term t(x, z), and |x|^2 the same sum for x and x:
 *     product   x z
 *     common    the common part of x and z: min(|x|, |z|) if they have the same sign, else 0.
 *               The map of rbf is then the Laplacian kernel, that of linear the histogram
 *               intersection
 *     harmonic  2 x z / (x + z) of nonnegative x and z. The map of rbf is then the chi2 kernel,
 *               because sum (x - z)^2 / (x + z) = sum x + sum z - 2 sum 2 x z / (x + z)
 *     equal     1 if x = z, else 0; for dense vectors only, since t(0, 0) is not 0. The map of
 *               overlap divides it by the number of features
 * Far from the origin, the distances of rbf and chi2 would lose digits by cancellation. They are
 * then sums of other terms:
 *     difference  (x - z)^2
 *     quotient    (x - z)^2 / (x + z) of nonnegative x and z.
 * That of the Laplacian kernel loses no more than the rounding of x and z has lost.
 * Each t(x, z) is symmetric to the last bit. The first three terms are 0 if x or z is.
 * Stored dense vectors are in tiles of SIMD_TILE slots, feature by feature, so that one vector
 * register holds the same feature of several slots. Of sparse samples the block is transposed.
 */

/* base^degree by squaring, for degrees above SIMD_LOW_DEGREE. */
static REAL TYPED(high_power)(REAL base, int degree) {
    REAL power = (REAL)1;
    for (; degree > 0; degree >>= 1) {
        if (degree & 1) power *= base;
        base *= base;
    }
    return power;
}

/* Kernel values from n dot products (a multiple of the tile) of one vector with others; norm and
 * norms are the squared norms. SIMD_CENTRED is the linear kernel relative to an offset m,
 * (x - m).(z - m), with x.m - m.m / 2 instead of squared norms. */
static void TYPED(map)(const simd_map *map, const REAL *SIMD_RESTRICT dots,
                       float *SIMD_RESTRICT out, ptrdiff_t n, REAL norm,
                       const REAL *SIMD_RESTRICT norms) {
    const REAL gamma = (REAL)map->gamma, coef0 = (REAL)map->coef0, minus = -gamma;
    ptrdiff_t i;
    int e;
    switch (map->kind) {
        case SIMD_LINEAR:
            for (i = 0; i < n; i++) out[i] = (float)dots[i];
            break;
        case SIMD_CENTRED:
            for (i = 0; i < n; i++) out[i] = (float)(dots[i] - (norm + norms[i]));
            break;
        case SIMD_POLY:
            if (map->degree > SIMD_LOW_DEGREE) {
                for (i = 0; i < n; i++)
                    out[i] = (float)TYPED(high_power)(S_FMA(gamma, dots[i], coef0), map->degree);
                break;
            }
            for (i = 0; i < n; i++) {
                const REAL base = S_FMA(gamma, dots[i], coef0);
                REAL power = (REAL)1;
                for (e = 0; e < map->degree; e++) power *= base;
                out[i] = (float)power;
            }
            break;
        case SIMD_RBF:
            for (i = 0; i < n; i++) {
                REAL square = S_FMA((REAL)-2, dots[i], norm + norms[i]);
                square = square > (REAL)0 ? square : (REAL)0;
                out[i] = (float)EXP(minus * square);
            }
            break;
        case SIMD_TANIMOTO:
            for (i = 0; i < n; i++) {
                const REAL either = norm + norms[i] - dots[i];
                out[i] = (float)(either > (REAL)0 ? dots[i] / either : (REAL)1);
            }
            break;
        case SIMD_COSINE: /* roots of norms: their product might not be in range */
            for (i = 0; i < n; i++) {
                const REAL size = SQRT(norm) * SQRT(norms[i]);
                out[i] = (float)(size > (REAL)0 ? dots[i] / size : (REAL)0);
            }
            break;
        case SIMD_OVERLAP:
            for (i = 0; i < n; i++) out[i] = (float)(dots[i] / norm);
            break;
        default: /* tanh(z) = 1 - 2 / (exp(2 z) + 1) */
            for (i = 0; i < n; i++) {
                const REAL z = S_FMA(gamma, dots[i], coef0);
                out[i] = (float)((REAL)1 - (REAL)2 / (EXP((REAL)2 * z) + (REAL)1));
            }
    }
}

/* The same from n squared distances, for vectors far from the origin only. */
static void TYPED(map_of_distances)(const simd_map *map, const REAL *SIMD_RESTRICT distances,
                                    float *SIMD_RESTRICT out, ptrdiff_t n, REAL norm,
                                    const REAL *SIMD_RESTRICT norms) {
    const REAL minus = (REAL)-map->gamma, far = (REAL)map->far;
    ptrdiff_t i;
    for (i = 0; i < n; i++) {
        const float value = (float)EXP(minus * distances[i]);
        out[i] = norm > far || norms[i] > far ? value : out[i];
    }
}

/* Number of vectors so far from the origin that values are computed from differences. */
static ptrdiff_t TYPED(count_far)(const simd_map *map, const REAL *norms, ptrdiff_t n) {
    const REAL far = (REAL)map->far;
    ptrdiff_t i, found = 0;
    for (i = 0; i < n; i++) found += norms[i] > far;
    return found;
}

/* Their number in some tiles. */
static ptrdiff_t TYPED(count_far_in)(const simd_map *map, const REAL *norms, const int32_t *tiles,
                                     ptrdiff_t n_tiles) {
    ptrdiff_t t, found = 0;
    for (t = 0; t < n_tiles; t++)
        found += TYPED(count_far)(map, norms + (ptrdiff_t)tiles[t] * SIMD_TILE, SIMD_TILE);
    return found;
}

/* ------------------------------------------------------------------ terms ----------------- */

SIMD_INLINE VEC TYPED(v_common)(VEC x, VEC z, VEC sum) {
    const VEC zero = V_SET((REAL)0);
    return V_ADD(sum, V_ABS(V_MIN(V_MAX(x, V_MIN(z, zero)), V_MAX(z, zero))));
}

SIMD_INLINE REAL TYPED(s_common)(REAL x, REAL z, REAL sum) {
    const REAL low = z<(REAL)0 ? z : (REAL)0, high = z>(REAL) 0 ? z : (REAL)0;
    x = x > low ? x : low;
    x = x < high ? x : high;
    return sum + (x < (REAL)0 ? -x : x);
}

/* The common part for x >= 0, with half of the operations: max(z, 0) is computed once for several
 * x. The Laplacian kernel does not depend on the origin, so samples can be moved there. */
SIMD_INLINE VEC TYPED(v_positive)(VEC x, VEC z, VEC sum) {
    return V_ADD(sum, V_MIN(x, V_MAX(z, V_SET((REAL)0))));
}

SIMD_INLINE REAL TYPED(s_positive)(REAL x, REAL z, REAL sum) {
    z = z > (REAL)0 ? z : (REAL)0;
    return sum + (x < z ? x : z);
}

static int TYPED(are_nonnegative)(const REAL *x, ptrdiff_t n) {
    ptrdiff_t i;
    int found = 0;
    for (i = 0; i < n; i++) found |= !(x[i] >= (REAL)0);
    return !found;
}

/* min(2 x, 2 z) max(x, z) / (x + z): for x = z the exact value x, as in the norms. */
SIMD_INLINE VEC TYPED(v_harmonic)(VEC x, VEC z, VEC sum) {
    const VEC low = V_MIN(x, z), both = V_MAX(V_ADD(x, z), V_SET(SMALLEST));
    return V_FMA(V_ADD(low, low), V_DIV(V_MAX(x, z), both), sum);
}

SIMD_INLINE REAL TYPED(s_harmonic)(REAL x, REAL z, REAL sum) {
    const REAL low = x < z ? x : z, high = x < z ? z : x;
    const REAL both = x + z > SMALLEST ? x + z : SMALLEST;
    return S_FMA(low + low, high / both, sum);
}

SIMD_INLINE VEC TYPED(v_difference)(VEC x, VEC z, VEC sum) {
    const VEC difference = V_SUBTRACT(x, z);
    return V_FMA(difference, difference, sum);
}

SIMD_INLINE REAL TYPED(s_difference)(REAL x, REAL z, REAL sum) {
    return S_FMA(x - z, x - z, sum);
}

SIMD_INLINE VEC TYPED(v_quotient)(VEC x, VEC z, VEC sum) {
    const VEC difference = V_SUBTRACT(x, z), both = V_MAX(V_ADD(x, z), V_SET(SMALLEST));
    return V_FMA(difference, V_DIV(difference, both), sum);
}

SIMD_INLINE REAL TYPED(s_quotient)(REAL x, REAL z, REAL sum) {
    const REAL both = x + z > SMALLEST ? x + z : SMALLEST;
    return S_FMA(x - z, (x - z) / both, sum);
}

/* ------------------------------------------------------------------ pairs ----------------- */

#if defined(LEVEL_AVX512)
#define MICRO_ROWS 8
#define MICRO_VECTORS 3
#elif defined(LEVEL_AVX2)
#define MICRO_ROWS 4
#define MICRO_VECTORS 3
#else
#define MICRO_ROWS 4
#define MICRO_VECTORS 2
#endif

/* Slots per pass: their dot products stay in the first-level cache until they are mapped. */
#define WIDE 192
#define NARROW 48

#define DIFFERENCES
#define V_TERM(x, z, sum) TYPED(v_difference)(x, z, sum)
#define S_TERM(x, z, sum) TYPED(s_difference)(x, z, sum)
#define PAIRS(name) TYPED(name##_difference)
#include "primitives_pairs.h"

#define V_TERM(x, z, sum) TYPED(v_quotient)(x, z, sum)
#define S_TERM(x, z, sum) TYPED(s_quotient)(x, z, sum)
#define PAIRS(name) TYPED(name##_quotient)
#include "primitives_pairs.h"
#undef DIFFERENCES

#define V_TERM(x, z, sum) V_FMA(x, z, sum)
#define S_TERM(x, z, sum) S_FMA(x, z, sum)
#define PAIRS(name) TYPED(name##_product)
#define FAR_PAIRS(name) TYPED(name##_difference)
#include "primitives_pairs.h"
#undef FAR_PAIRS

#define DENSE_ONLY
#define V_TERM(x, z, sum) TYPED(v_positive)(x, z, sum)
#define S_TERM(x, z, sum) TYPED(s_positive)(x, z, sum)
#define PAIRS(name) TYPED(name##_positive)
#include "primitives_pairs.h"
#undef DENSE_ONLY

#define NONNEGATIVE_PAIRS(name) TYPED(name##_positive)
#define V_TERM(x, z, sum) TYPED(v_common)(x, z, sum)
#define S_TERM(x, z, sum) TYPED(s_common)(x, z, sum)
#define PAIRS(name) TYPED(name##_common)
#include "primitives_pairs.h"
#undef NONNEGATIVE_PAIRS

#define V_TERM(x, z, sum) TYPED(v_harmonic)(x, z, sum)
#define S_TERM(x, z, sum) TYPED(s_harmonic)(x, z, sum)
#define PAIRS(name) TYPED(name##_harmonic)
#define FAR_PAIRS(name) TYPED(name##_quotient)
#include "primitives_pairs.h"
#undef FAR_PAIRS

#define V_TERM(x, z, sum) V_ADD(sum, V_EQUAL(x, z))
#define S_TERM(x, z, sum) ((sum) + (REAL)((x) == (z)))
#define PAIRS(name) TYPED(name##_equal)
#include "primitives_pairs.h"

static const simd_pairs *const TYPED(pairs)[SIMD_N_TERMS] = {
    &TYPED(pairs_product),
    &TYPED(pairs_common),
    &TYPED(pairs_harmonic),
    &TYPED(pairs_equal),
};

#include "primitives_manhattan.h"

#undef WIDE
#undef NARROW
#undef MICRO_ROWS
#undef MICRO_VECTORS
