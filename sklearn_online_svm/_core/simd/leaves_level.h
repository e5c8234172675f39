/* One SIMD level of the leaves. Included by leaves_levels.h once per level with LEVEL set; no
 * guard.
 *
 * A level defines two vector types, vf (FL floats) and vd (DL doubles), and the few operations
 * below; everything else is written in terms of them.
 */
#define LEAF(name) LEAVES_CAT(name, LEVEL)
#define vf LEAF(leaves_vf)
#define vd LEAF(leaves_vd)

#if defined(LEVEL_AVX512)

typedef __m512 vf;
typedef __m512d vd;
#define FL 16
#define DL 8
#define VF_LOAD(p) _mm512_loadu_ps(p)
#define VF_STORE(p, v) _mm512_storeu_ps(p, v)
#define VF_SET(x) _mm512_set1_ps(x)
#define VF_FMA(a, b, c) _mm512_fmadd_ps(a, b, c)
#define VD_LOAD(p) _mm512_loadu_pd(p)
#define VD_STORE(p, v) _mm512_storeu_pd(p, v)
#define VD_SET(x) _mm512_set1_pd(x)
#define VD_FMA(a, b, c) _mm512_fmadd_pd(a, b, c)
#define VD_WIDEN(p) _mm512_cvtps_pd(_mm256_loadu_ps(p))
#define VF_MUL(a, b) _mm512_mul_ps(a, b)
#define VD_MUL(a, b) _mm512_mul_pd(a, b)
#define VF_MAX(a, b) _mm512_max_ps(a, b)
#define VD_MAX(a, b) _mm512_max_pd(a, b)
#define VF_ADD(a, b) _mm512_add_ps(a, b)
#define VD_ADD(a, b) _mm512_add_pd(a, b)
#define VF_SUM(a) _mm512_reduce_add_ps(a)
#define VD_SUM(a) _mm512_reduce_add_pd(a)
/* The first n lanes, fewer than all; the others are 0. */
#define VF_PART(n) ((__mmask16)((1u << (n)) - 1u))
#define VD_PART(n) ((__mmask8)((1u << (n)) - 1u))
#define VF_LOAD_PART(p, n) _mm512_maskz_loadu_ps(VF_PART(n), p)
#define VD_LOAD_PART(p, n) _mm512_maskz_loadu_pd(VD_PART(n), p)
#define VF_STORE_PART(p, v, n) _mm512_mask_storeu_ps(p, VF_PART(n), v)
#define VD_STORE_PART(p, v, n) _mm512_mask_storeu_pd(p, VD_PART(n), v)
/* Whether a == b somewhere where the byte is set. */
#define VD_ANY_EQUAL(a, b, bytes) \
    (_mm512_mask_cmp_pd_mask(VD_BYTE_MASK(bytes), a, b, _CMP_EQ_OQ) != 0)
/* max(a, 0), and 0 where a is NaN. */
#define VD_POSITIVE(a) _mm512_max_pd(a, _mm512_setzero_pd())
#define VD_IF_NOT_ZERO(test, a) \
    _mm512_maskz_mov_pd(_mm512_cmp_pd_mask(test, _mm512_setzero_pd(), _CMP_NEQ_OQ), a)
#define VD_ABS(a) _mm512_abs_pd(a)
#define VD_WIDEN_BYTES(p) \
    _mm512_cvtepi64_pd(_mm512_cvtepi8_epi64(_mm_loadl_epi64((const __m128i *)(p))))
#define F_FMA(a, b, c) __builtin_fmaf(a, b, c)
#define D_FMA(a, b, c) __builtin_fma(a, b, c)
/* Larger of best and g where the byte is set. */
#define VD_BYTE_MASK(bytes) ((__mmask8)_mm_movepi8_mask(_mm_loadl_epi64((const __m128i *)(bytes))))
#define VD_MAX_IF(best, g, bytes) _mm512_mask_max_pd(best, VD_BYTE_MASK(bytes), best, g)
#define VD_MIN_IF(best, g, bytes) _mm512_mask_min_pd(best, VD_BYTE_MASK(bytes), best, g)

#elif defined(LEVEL_AVX2)

typedef __m256 vf;
typedef __m256d vd;
#define FL 8
#define DL 4
#define VF_LOAD(p) _mm256_loadu_ps(p)
#define VF_STORE(p, v) _mm256_storeu_ps(p, v)
#define VF_SET(x) _mm256_set1_ps(x)
#define VF_FMA(a, b, c) _mm256_fmadd_ps(a, b, c)
#define VD_LOAD(p) _mm256_loadu_pd(p)
#define VD_STORE(p, v) _mm256_storeu_pd(p, v)
#define VD_SET(x) _mm256_set1_pd(x)
#define VD_FMA(a, b, c) _mm256_fmadd_pd(a, b, c)
#define VD_WIDEN(p) _mm256_cvtps_pd(_mm_loadu_ps(p))
#define VF_MUL(a, b) _mm256_mul_ps(a, b)
#define VD_MUL(a, b) _mm256_mul_pd(a, b)
#define VF_MAX(a, b) _mm256_max_ps(a, b)
#define VD_MAX(a, b) _mm256_max_pd(a, b)
#define VF_ADD(a, b) _mm256_add_ps(a, b)
#define VD_ADD(a, b) _mm256_add_pd(a, b)
LEAVES_INLINE float LEAF(sum_f)(__m256 a) {
    __m128 s = _mm_add_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
    s = _mm_add_ps(s, _mm_movehl_ps(s, s));
    return _mm_cvtss_f32(_mm_add_ss(s, _mm_movehdup_ps(s)));
}
LEAVES_INLINE double LEAF(sum_d)(__m256d a) {
    const __m128d s = _mm_add_pd(_mm256_castpd256_pd128(a), _mm256_extractf128_pd(a, 1));
    return _mm_cvtsd_f64(_mm_add_sd(s, _mm_unpackhi_pd(s, s)));
}
#define VF_SUM(a) LEAF(sum_f)(a)
#define VD_SUM(a) LEAF(sum_d)(a)
static const int32_t LEAF(part)[16] = {-1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0};
#define VF_PART(n) _mm256_loadu_si256((const __m256i *)(LEAF(part) + 8 - (n)))
#define VD_PART(n) _mm256_loadu_si256((const __m256i *)(LEAF(part) + 8 - 2 * (n)))
#define VF_LOAD_PART(p, n) _mm256_maskload_ps(p, VF_PART(n))
#define VD_LOAD_PART(p, n) _mm256_maskload_pd(p, VD_PART(n))
#define VF_STORE_PART(p, v, n) _mm256_maskstore_ps(p, VF_PART(n), v)
#define VD_STORE_PART(p, v, n) _mm256_maskstore_pd(p, VD_PART(n), v)
#define VD_ANY_EQUAL(a, b, bytes) \
    (_mm256_movemask_pd(          \
         _mm256_and_pd(_mm256_cmp_pd(a, b, _CMP_EQ_OQ), LEAF(byte_mask)(bytes))) != 0)
#define VD_POSITIVE(a) _mm256_max_pd(a, _mm256_setzero_pd())
#define VD_IF_NOT_ZERO(test, a) \
    _mm256_and_pd(_mm256_cmp_pd(test, _mm256_setzero_pd(), _CMP_NEQ_OQ), a)
#define VD_ABS(a) _mm256_andnot_pd(_mm256_set1_pd(-0.0), a)
LEAVES_INLINE __m256d LEAF(widen_bytes)(const int8_t *bytes) {
    int32_t four;
    memcpy(&four, bytes, 4);
    return _mm256_cvtepi32_pd(_mm_cvtepi8_epi32(_mm_cvtsi32_si128(four)));
}
#define VD_WIDEN_BYTES(p) LEAF(widen_bytes)(p)
#define F_FMA(a, b, c) __builtin_fmaf(a, b, c)
#define D_FMA(a, b, c) __builtin_fma(a, b, c)
LEAVES_INLINE __m256d LEAF(byte_mask)(const int8_t *bytes) {
    int32_t four;
    memcpy(&four, bytes, 4);
    return _mm256_castsi256_pd(_mm256_cvtepi8_epi64(_mm_cvtsi32_si128(four)));
}
#define VD_MAX_IF(best, g, bytes) \
    _mm256_max_pd(best, _mm256_blendv_pd(best, g, LEAF(byte_mask)(bytes)))
#define VD_MIN_IF(best, g, bytes) \
    _mm256_min_pd(best, _mm256_blendv_pd(best, g, LEAF(byte_mask)(bytes)))

#else

#if LEAVES_HAS_VECTORS
/* 16-byte vectors: SSE2 on x86-64, NEON on arm64. */
typedef float vf __attribute__((vector_size(16), aligned(4), may_alias));
typedef double LEAF(leaves_wide) __attribute__((vector_size(16), aligned(8), may_alias));
#define FL 4
#define VF_LOAD(p) (*(const vf *)(p))
#define VF_STORE(p, v) (*(vf *)(p) = (v))
#define VF_SET(x) ((vf){(x), (x), (x), (x)})
#else
typedef float vf;
#define FL 1
#define VF_LOAD(p) (*(p))
#define VF_STORE(p, v) (*(p) = (v))
#define VF_SET(x) (x)
#endif
typedef double vd;
#define DL 1
#define VF_FMA(a, b, c) ((a) * (b) + (c))
#define VD_LOAD(p) (*(p))
#define VD_STORE(p, v) (*(p) = (v))
#define VD_SET(x) (x)
#define VD_FMA(a, b, c) ((a) * (b) + (c))
#define VD_WIDEN(p) ((double)*(p))
#define VF_MUL(a, b) ((a) * (b))
#define VD_MUL(a, b) ((a) * (b))
#define VF_ADD(a, b) ((a) + (b))
#define VD_ADD(a, b) ((a) + (b))
#define VD_MAX(a, b) ((a) > (b) ? (a) : (b))
#define VD_SUM(a) (a)
#define VD_LOAD_PART(p, n) ((void)(n), *(p))
#define VD_STORE_PART(p, v, n) ((void)(n), *(p) = (v))
#if LEAVES_HAS_VECTORS
LEAVES_INLINE vf LEAF(max_f)(vf a, vf b) {
    int i;
    for (i = 0; i < FL; i++) a[i] = a[i] > b[i] ? a[i] : b[i];
    return a;
}
#define VF_MAX(a, b) LEAF(max_f)(a, b)
LEAVES_INLINE float LEAF(sum_f)(vf a) {
    return (a[0] + a[1]) + (a[2] + a[3]);
}
LEAVES_INLINE vf LEAF(load_f)(const float *p, ptrdiff_t n) {
    return (vf){p[0], n > 1 ? p[1] : 0.0f, n > 2 ? p[2] : 0.0f, 0.0f};
}
LEAVES_INLINE void LEAF(store_f)(float *p, vf a, ptrdiff_t n) {
    ptrdiff_t i;
    for (i = 0; i < n; i++) p[i] = a[i];
}
#define VF_SUM(a) LEAF(sum_f)(a)
#define VF_LOAD_PART(p, n) LEAF(load_f)(p, n)
#define VF_STORE_PART(p, v, n) LEAF(store_f)(p, v, n)
#else
#define VF_MAX(a, b) ((a) > (b) ? (a) : (b))
#define VF_SUM(a) (a)
#define VF_LOAD_PART(p, n) ((void)(n), *(p))
#define VF_STORE_PART(p, v, n) ((void)(n), *(p) = (v))
#endif
#define VD_ANY_EQUAL(a, b, bytes) (*(bytes) && (a) == (b))
#define VD_POSITIVE(a) ((a) > 0.0 ? (a) : 0.0)
#define VD_IF_NOT_ZERO(test, a) ((test) != 0.0 ? (a) : 0.0)
#define VD_ABS(a) fabs(a)
#define VD_WIDEN_BYTES(p) ((double)*(p))
#define F_FMA(a, b, c) ((a) * (b) + (c))
#define D_FMA(a, b, c) ((a) * (b) + (c))
/* The byte, 0 or -1, widened to a mask of bits: no branch to mispredict. */
LEAVES_INLINE double LEAF(select)(double g, double other, int8_t open) {
    const int64_t mask = open;
    int64_t a, b;
    memcpy(&a, &g, 8);
    memcpy(&b, &other, 8);
    a = (a & mask) | (b & ~mask);
    memcpy(&g, &a, 8);
    return g;
}
LEAVES_INLINE double LEAF(max_if)(double best, double g, int8_t open) {
    const double candidate = LEAF(select)(g, -INFINITY, open);
    return candidate > best ? candidate : best;
}
LEAVES_INLINE double LEAF(min_if)(double best, double g, int8_t open) {
    const double candidate = LEAF(select)(g, INFINITY, open);
    return candidate < best ? candidate : best;
}
#define VD_MAX_IF(best, g, bytes) LEAF(max_if)(best, g, *(bytes))
#define VD_MIN_IF(best, g, bytes) LEAF(min_if)(best, g, *(bytes))

#endif

#define vi LEAF(leaves_vi)
#if LEAVES_HAS_VECTORS
typedef int32_t vi __attribute__((vector_size(4 * FL)));
#define VI_SET(x) ((vi){0} + (x))
#define VF_GREATER(a, b) ((vi)((a) > (b)))
#define VF_SELECT(mask, a, b) ((vf)(((vi)(a) & (mask)) | ((vi)(b) & ~(mask))))
#define VI_SELECT(mask, a, b) (((a) & (mask)) | ((b) & ~(mask)))
#else
typedef int32_t vi;
#define VI_SET(x) (x)
#define VF_GREATER(a, b) ((a) > (b))
#define VF_SELECT(mask, a, b) ((mask) ? (a) : (b))
#define VI_SELECT(mask, a, b) ((mask) ? (a) : (b))
#endif

/* ------------------------------------------------------------------ exp ------------------- */

/* exp(x) = 2^n p(r), n = round(x / ln 2), |r| <= ln(2)/2, p a Taylor polynomial; no libm call, so
 * the loops around it vectorise. Adding 1.5 * 2^23 (2^52) rounds to nearest and leaves n in the
 * low bits. Relative error below 3e-7 (float) and 5e-16 (double); 0 below -87.3 (-708), where
 * the result would be subnormal, inf above 88 (709); NaN passes through. */
LEAVES_INLINE float LEAF(exp_float)(float x) {
    const float magic = 12582912.0f;
    float z = x * 1.44269504088896341f + magic;
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

LEAVES_INLINE double LEAF(exp_double)(double x) {
    const double magic = 6755399441055744.0;
    double z = x * 1.4426950408889634074 + magic;
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

/* ------------------------------------------------------------------ kernel blocks --------- */

#define REAL float
#define VEC vf
#define VL FL
#define V_LOAD VF_LOAD
#define V_STORE VF_STORE
#define V_SET VF_SET
#define V_FMA VF_FMA
#define V_ADD VF_ADD
#define V_MAX VF_MAX
#define EPSILON 1.1920929e-7f
#define V_MUL VF_MUL
#define V_SUM VF_SUM
#define V_LOAD_PART VF_LOAD_PART
#define V_STORE_PART VF_STORE_PART
#define S_FMA F_FMA
#define EXP LEAF(exp_float)
#define TYPED(name) LEAVES_CAT(name##_f32, LEVEL)
#include "leaves_linear.h"
#include "leaves_real.h"
#undef REAL
#undef V_ADD
#undef V_MAX
#undef EPSILON
#undef V_MUL
#undef V_SUM
#undef V_LOAD_PART
#undef V_STORE_PART
#undef VEC
#undef VL
#undef V_LOAD
#undef V_STORE
#undef V_SET
#undef V_FMA
#undef S_FMA
#undef EXP
#undef TYPED

#define REAL double
#if defined(LEVEL_PORTABLE) && LEAVES_HAS_VECTORS
#define VEC LEAF(leaves_wide)
#define VL 2
#define V_LOAD(p) (*(const VEC *)(p))
#define V_STORE(p, v) (*(VEC *)(p) = (v))
#define V_SET(x) ((VEC){(x), (x)})
#define V_SUM(v) ((v)[0] + (v)[1])
#define V_MAX(a, b) ((VEC){(a)[0] > (b)[0] ? (a)[0] : (b)[0], (a)[1] > (b)[1] ? (a)[1] : (b)[1]})
#define V_LOAD_PART(p, n) ((void)(n), (VEC){*(p), 0.0})
#define V_STORE_PART(p, v, n) ((void)(n), *(p) = (v)[0])
#else
#define VEC vd
#define VL DL
#define V_LOAD VD_LOAD
#define V_STORE VD_STORE
#define V_SET VD_SET
#define V_SUM VD_SUM
#define V_MAX VD_MAX
#define V_LOAD_PART VD_LOAD_PART
#define V_STORE_PART VD_STORE_PART
#endif
#define V_FMA VD_FMA
#define V_ADD VD_ADD
#define EPSILON 2.220446049250313e-16
#define V_MUL VD_MUL
#define S_FMA D_FMA
#define EXP LEAF(exp_double)
#define TYPED(name) LEAVES_CAT(name##_f64, LEVEL)
#include "leaves_linear.h"
#include "leaves_real.h"
#undef REAL
#undef V_ADD
#undef V_MAX
#undef EPSILON
#undef V_MUL
#undef V_SUM
#undef V_LOAD_PART
#undef V_STORE_PART
#undef VEC
#undef VL
#undef V_LOAD
#undef V_STORE
#undef V_SET
#undef V_FMA
#undef S_FMA
#undef EXP
#undef TYPED

/* ------------------------------------------------------------------ one pass per step ----- */

static double LEAF(dot)(const float *LEAVES_RESTRICT k, const double *LEAVES_RESTRICT a,
                        ptrdiff_t n) {
    /* Four accumulators hide the latency of the additions. */
    vd s0 = VD_SET(0.0), s1 = VD_SET(0.0), s2 = VD_SET(0.0), s3 = VD_SET(0.0);
    double lanes[4 * DL], sum = 0.0;
    ptrdiff_t i = 0;
    int l;
    for (; i + 4 * DL <= n; i += 4 * DL) {
        s0 = VD_FMA(VD_WIDEN(k + i), VD_LOAD(a + i), s0);
        s1 = VD_FMA(VD_WIDEN(k + i + DL), VD_LOAD(a + i + DL), s1);
        s2 = VD_FMA(VD_WIDEN(k + i + 2 * DL), VD_LOAD(a + i + 2 * DL), s2);
        s3 = VD_FMA(VD_WIDEN(k + i + 3 * DL), VD_LOAD(a + i + 3 * DL), s3);
    }
    VD_STORE(lanes, s0);
    VD_STORE(lanes + DL, s1);
    VD_STORE(lanes + 2 * DL, s2);
    VD_STORE(lanes + 3 * DL, s3);
    for (l = 0; l < 4 * DL; l++) sum += lanes[l];
    for (; i < n; i++) sum += (double)k[i] * a[i];
    return sum;
}

static void LEAF(axpy)(double step, const float *LEAVES_RESTRICT k, double *LEAVES_RESTRICT g,
                       ptrdiff_t n) {
    ptrdiff_t i = 0;
    const vd s = VD_SET(step);
    for (; i + DL <= n; i += DL) VD_STORE(g + i, VD_FMA(s, VD_WIDEN(k + i), VD_LOAD(g + i)));
    for (; i < n; i++) g[i] = D_FMA(step, (double)k[i], g[i]);
}

/* Slots whose extremes are kept apart; the winner is then searched in one such stretch. */
#define STRETCH 512

/* The ways to move g; a constant at every call, so that each becomes a loop of its own. */
#define MOVE_PAIR 0 /* g -= step_i (ki - kj) */
#define MOVE_ONE 1  /* g -= step_i ki */
#define MOVE_TWO 2  /* g -= step_i ki + step_j kj */

/* The first slot from `start` on that is open and has this gradient; there is one. */
LEAVES_INLINE ptrdiff_t LEAF(find)(const double *g, const int8_t *open, double wanted,
                                   ptrdiff_t start, ptrdiff_t n) {
    const vd value = VD_SET(wanted);
    while (start + DL <= n && !VD_ANY_EQUAL(VD_LOAD(g + start), value, open + start)) start += DL;
    while (!(open[start] && g[start] == wanted)) start++;
    return start;
}

LEAVES_INLINE double LEAF(move)(double *LEAVES_RESTRICT g, const float *ki, double step_i,
                                const float *kj, double step_j, const int8_t *up,
                                const int8_t *down, const float *bound, ptrdiff_t n,
                                leaves_extremes *extremes, const int way, const int with_loss) {
    double g_max = -INFINITY, g_min = INFINITY, sum = 0.0;
    ptrdiff_t at_max = -1, at_min = -1, start, i;
    const vd back_i = VD_SET(-step_i), back_j = VD_SET(-step_j);
    vd total = VD_SET(0.0);
    double lanes[2 * DL];
    int l;
    for (start = 0; start < n; start += STRETCH) {
        const ptrdiff_t stop = start + STRETCH < n ? start + STRETCH : n;
        vd high = VD_SET(-INFINITY), low = VD_SET(INFINITY);
        double stretch_max = -INFINITY, stretch_min = INFINITY;
        i = start;
        for (; i + DL <= stop; i += DL) {
            vd v = VD_LOAD(g + i);
            if (way == MOVE_PAIR)
                v = VD_FMA(back_i, VD_WIDEN(ki + i) - VD_WIDEN(kj + i), v);
            else
                v = VD_FMA(back_i, VD_WIDEN(ki + i), v);
            if (way == MOVE_TWO) v = VD_FMA(back_j, VD_WIDEN(kj + i), v);
            VD_STORE(g + i, v);
            high = VD_MAX_IF(high, v, up + i);
            low = VD_MIN_IF(low, v, down + i);
            if (with_loss) {
                /* A free slot has bound 0 and any g: where the product is NaN it counts 0. */
                const vd loss = VD_WIDEN(bound + i) * v;
                total = total + VD_POSITIVE(loss);
            }
        }
        for (; i < stop; i++) {
            if (way == MOVE_PAIR)
                g[i] = D_FMA(-step_i, (double)ki[i] - (double)kj[i], g[i]);
            else
                g[i] = D_FMA(-step_i, (double)ki[i], g[i]);
            if (way == MOVE_TWO) g[i] = D_FMA(-step_j, (double)kj[i], g[i]);
            if (up[i] && g[i] > stretch_max) stretch_max = g[i];
            if (down[i] && g[i] < stretch_min) stretch_min = g[i];
            if (with_loss && (double)bound[i] * g[i] > 0.0) sum += (double)bound[i] * g[i];
        }
        VD_STORE(lanes, high);
        VD_STORE(lanes + DL, low);
        for (l = 0; l < DL; l++) {
            if (lanes[l] > stretch_max) stretch_max = lanes[l];
            if (lanes[DL + l] < stretch_min) stretch_min = lanes[DL + l];
        }
        if (stretch_max > g_max) g_max = stretch_max, at_max = start;
        if (stretch_min < g_min) g_min = stretch_min, at_min = start;
    }
    extremes->g_max = g_max;
    extremes->g_min = g_min;
    extremes->i_max = at_max < 0 ? -1 : LEAF(find)(g, up, g_max, at_max, n);
    extremes->j_min = at_min < 0 ? -1 : LEAF(find)(g, down, g_min, at_min, n);
    VD_STORE(lanes, total);
    for (l = 0; l < DL; l++) sum += lanes[l];
    return sum;
}

static void LEAF(update)(double *g, const float *ki, const float *kj, double step,
                         const int8_t *up, const int8_t *down, ptrdiff_t n,
                         leaves_extremes *extremes) {
    LEAF(move)(g, ki, step, kj, step, up, down, NULL, n, extremes, MOVE_PAIR, 0);
}

static double LEAF(update_one)(double *g, const float *k, double step, const int8_t *up,
                               const int8_t *down, const float *bound, ptrdiff_t n,
                               leaves_extremes *extremes) {
    return LEAF(move)(g, k, step, NULL, 0.0, up, down, bound, n, extremes, MOVE_ONE, 1);
}

static double LEAF(update_two)(double *g, const float *ki, double step_i, const float *kj,
                               double step_j, const int8_t *up, const int8_t *down,
                               const float *bound, ptrdiff_t n, leaves_extremes *extremes) {
    if (bound == NULL)
        return LEAF(move)(g, ki, step_i, kj, step_j, up, down, bound, n, extremes, MOVE_TWO, 0);
    return LEAF(move)(g, ki, step_i, kj, step_j, up, down, bound, n, extremes, MOVE_TWO, 1);
}

#undef MOVE_PAIR
#undef MOVE_ONE
#undef MOVE_TWO

static void LEAF(moments)(const double *LEAVES_RESTRICT g, const double *LEAVES_RESTRICT alpha,
                          const float *LEAVES_RESTRICT bound, const int8_t *LEAVES_RESTRICT y,
                          ptrdiff_t n, leaves_moments *moments) {
    vd h_sum = VD_SET(0.0), h_squared = VD_SET(0.0), alpha_g = VD_SET(0.0);
    double lanes[3 * DL];
    ptrdiff_t i = 0;
    int l;
    moments->h = moments->h_squared = moments->alpha_g = 0.0;
    for (; i + DL <= n; i += DL) {
        const vd limit = VD_WIDEN(bound + i);
        const vd gradient = VD_IF_NOT_ZERO(limit, VD_LOAD(g + i));
        const vd size = VD_ABS(limit);
        const vd h = size * VD_WIDEN_BYTES(y + i) * gradient;
        h_sum = h_sum + h;
        h_squared = VD_FMA(h, h, h_squared);
        alpha_g = VD_FMA(VD_LOAD(alpha + i), gradient, alpha_g);
    }
    VD_STORE(lanes, h_sum);
    VD_STORE(lanes + DL, h_squared);
    VD_STORE(lanes + 2 * DL, alpha_g);
    for (l = 0; l < DL; l++) {
        moments->h += lanes[l];
        moments->h_squared += lanes[DL + l];
        moments->alpha_g += lanes[2 * DL + l];
    }
    for (; i < n; i++) {
        const double h = bound[i] != 0.0f ? fabs((double)bound[i]) * y[i] * g[i] : 0.0;
        moments->h += h;
        moments->h_squared += h * h;
        if (bound[i] != 0.0f) moments->alpha_g += alpha[i] * g[i];
    }
}

/* Both choices of the second coordinate. In float32: the choice need not be exact, only the step
 * it leads to. `single`: without a bias, see `companion` in leaves.h. */
LEAVES_INLINE ptrdiff_t LEAF(best_gain)(const double *LEAVES_RESTRICT g,
                                        const float *LEAVES_RESTRICT ki,
                                        const float *LEAVES_RESTRICT diag, double first,
                                        float k_ii, const int8_t *LEAVES_RESTRICT up,
                                        const int8_t *LEAVES_RESTRICT down, ptrdiff_t n,
                                        const int single) {
    float gains[STRETCH], best[FL], winner = 0.0f;
    int32_t at[FL];
    vf high = VF_SET(0.0f);
    vi at_high = VI_SET(-1);
    const float inverse = 1.0f / (k_ii > 1e-12f ? k_ii : 1e-12f);
    ptrdiff_t start, i, found = -1;
    int l;
    for (start = 0; start < n; start += STRETCH) {
        const ptrdiff_t size = start + STRETCH < n ? STRETCH : n - start;
        for (i = 0; i < size; i++) {
            if (single) {
                const float left = (float)(g[start + i] - first * ki[start + i]);
                float curvature = diag[start + i] - ki[start + i] * ki[start + i] * inverse;
                const float can_rise = up[start + i] ? 1.0f : 0.0f;
                const float can_fall = down[start + i] ? 1.0f : 0.0f;
                curvature = curvature > 1e-6f ? curvature : 1e-6f;
                gains[i] = (left > 0.0f ? can_rise : can_fall) * left * left / curvature;
            } else {
                const float gap = (float)(first - g[start + i]);
                float curvature = k_ii + diag[start + i] - 2.0f * ki[start + i];
                const float open = down[start + i] ? 1.0f : 0.0f;
                curvature = curvature > 1e-12f ? curvature : 1e-12f;
                gains[i] = gap > 0.0f ? open * gap * gap / curvature : 0.0f;
            }
        }
        for (i = size; i % FL; i++) gains[i] = 0.0f;
        /* The best of every lane and where it was met. */
        for (i = 0; i < size; i += FL) {
            const vf gain = VF_LOAD(gains + i);
            const vi better = VF_GREATER(gain, high);
            high = VF_SELECT(better, gain, high);
            at_high = VI_SELECT(better, VI_SET((int32_t)(start + i)), at_high);
        }
    }
    VF_STORE(best, high);
    memcpy(at, &at_high, sizeof(at));
    for (l = 0; l < FL; l++)
        if (best[l] > winner || (best[l] == winner && at[l] >= 0 && at[l] + l < found)) {
            winner = best[l];
            found = at[l] + l;
        }
    return found;
}

static ptrdiff_t LEAF(partner)(const double *g, const float *ki, const float *diag, double g_i,
                               float k_ii, const int8_t *down, ptrdiff_t n) {
    return LEAF(best_gain)(g, ki, diag, g_i, k_ii, down, down, n, 0);
}

static ptrdiff_t LEAF(companion)(const double *g, const float *ki, const float *diag,
                                 double step_i, float k_ii, const int8_t *up, const int8_t *down,
                                 ptrdiff_t n) {
    return LEAF(best_gain)(g, ki, diag, step_i, k_ii, up, down, n, 1);
}

#undef STRETCH

/* ------------------------------------------------------------------ full covariance ------- */

/* Sums of four rows at a time, rows of zeros left out: S is symmetric, so that its rows are its
 * columns. */
static double LEAF(covariance_times)(const double *covariance, const double *x, double *u,
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
            for (; k < n; k++)
                for (l = 0; l < 4; l++) u[k] = D_FMA(factor[l], row[l][k], u[k]);
        }
    }
    for (k = 0; k < n; k++) sum = D_FMA(x[k], u[k], sum);
    return sum;
}

static void LEAF(covariance_shrink)(double shrink, const double *u, double *covariance,
                                    ptrdiff_t n) {
    ptrdiff_t j, k;
    for (j = 0; j < n; j++) {
        /* (shrink * u[j]) * u[k] would not be symmetric to the last bit. */
        const vd a = VD_SET(u[j]), b = VD_SET(-shrink);
        double *row = covariance + j * n;
        if (u[j] == 0.0) continue;
        for (k = 0; k + DL <= n; k += DL)
            VD_STORE(row + k, VD_FMA(b, VD_MUL(a, VD_LOAD(u + k)), VD_LOAD(row + k)));
        for (; k < n; k++) row[k] = D_FMA(-shrink, u[j] * u[k], row[k]);
    }
}

static void LEAF(exp_f32)(const float *LEAVES_RESTRICT x, float *LEAVES_RESTRICT out,
                          ptrdiff_t n) {
    ptrdiff_t i;
    for (i = 0; i < n; i++) out[i] = LEAF(exp_float)(x[i]);
}

static void LEAF(exp_f64)(const double *LEAVES_RESTRICT x, double *LEAVES_RESTRICT out,
                          ptrdiff_t n) {
    ptrdiff_t i;
    for (i = 0; i < n; i++) out[i] = LEAF(exp_double)(x[i]);
}

#define LEVEL_STRING2(x) #x
#define LEVEL_STRING(x) LEVEL_STRING2(x)
static const leaves_table LEAF(leaves) = {
    LEVEL_STRING(LEVEL),
    LEAVES_CAT(dense_block_f32, LEVEL),
    LEAVES_CAT(dense_block_f64, LEVEL),
    LEAVES_CAT(sparse_block_f32, LEVEL),
    LEAVES_CAT(sparse_block_f64, LEVEL),
    LEAVES_CAT(dense_tiles_f32, LEVEL),
    LEAVES_CAT(dense_tiles_f64, LEVEL),
    LEAVES_CAT(sparse_tiles_f32, LEVEL),
    LEAVES_CAT(sparse_tiles_f64, LEVEL),
    LEAVES_CAT(dense_norms_f32, LEVEL),
    LEAVES_CAT(dense_norms_f64, LEVEL),
    LEAVES_CAT(sparse_norm_f32, LEVEL),
    LEAVES_CAT(sparse_norm_f64, LEVEL),
    LEAF(exp_f32),
    LEAF(exp_f64),
    LEAF(dot),
    LEAF(axpy),
    LEAF(update),
    LEAF(partner),
    LEAF(update_one),
    LEAF(update_two),
    LEAF(companion),
    LEAF(moments),
    LEAF(covariance_times),
    LEAF(covariance_shrink),
    &LEAVES_CAT(linear_f32, LEVEL),
    &LEAVES_CAT(linear_f64, LEVEL),
};

#undef LEVEL_STRING
#undef LEVEL_STRING2
#undef vf
#undef vd
#undef vi
#undef VI_SET
#undef VF_GREATER
#undef VF_SELECT
#undef VI_SELECT
#undef LEAF
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
#undef VD_WIDEN
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
#undef VD_ADD
#undef VF_SUM
#undef VD_SUM
#undef VF_LOAD_PART
#undef VD_LOAD_PART
#undef VF_STORE_PART
#undef VD_STORE_PART
#undef VF_PART
#undef VD_PART
