/* The vectors of one SIMD level: vf (FL floats) and vd (DL doubles), and their operations VF_* and
 * VD_*. Included by primitives_level.h, which undefines the operations at its end. A sum over
 * lanes adds halves until one value is left.
 *
 * At the levels without intrinsics vd is one double, because the loops with masks of bytes would
 * not gain from two. The other loops in double use vw there, two doubles.
 */
#define vf SIMD_NAME(simd_vf)
#define vd SIMD_NAME(simd_vd)

/* Calls of fma() cost so much that vectors and unrolled loops would not help. */
#if SIMD_HAS_VECTORS && (SIMD_FAST_FMA || !defined(LEVEL_PORTABLE))
#define HAS_VECTORS 1
#define UNROLL SIMD_UNROLL
#else
#define HAS_VECTORS 0
#define UNROLL
#endif

#if defined(LEVEL_AVX512) || defined(LEVEL_AVX2)
SIMD_INLINE float SIMD_NAME(sum_f)(__m256 a) {
    __m128 s = _mm_add_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
    s = _mm_add_ps(s, _mm_movehl_ps(s, s));
    return _mm_cvtss_f32(_mm_add_ss(s, _mm_movehdup_ps(s)));
}
SIMD_INLINE double SIMD_NAME(sum_d)(__m256d a) {
    const __m128d s = _mm_add_pd(_mm256_castpd256_pd128(a), _mm256_extractf128_pd(a, 1));
    return _mm_cvtsd_f64(_mm_add_sd(s, _mm_unpackhi_pd(s, s)));
}
#endif

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
#define VD_WIDEN_PART(p, n) _mm512_cvtps_pd(_mm256_maskz_loadu_ps(VD_PART(n), p))
#define VF_MUL(a, b) _mm512_mul_ps(a, b)
#define VD_MUL(a, b) _mm512_mul_pd(a, b)
#define VF_MAX(a, b) _mm512_max_ps(a, b)
#define VD_MAX(a, b) _mm512_max_pd(a, b)
#define VF_MIN(a, b) _mm512_min_ps(a, b)
#define VD_MIN(a, b) _mm512_min_pd(a, b)
#define VF_ADD(a, b) _mm512_add_ps(a, b)
#define VD_ADD(a, b) _mm512_add_pd(a, b)
#define VF_SUM(a) \
    SIMD_NAME(sum_f)(_mm256_add_ps(_mm512_castps512_ps256(a), _mm512_extractf32x8_ps(a, 1)))
#define VD_SUM(a) \
    SIMD_NAME(sum_d)(_mm256_add_pd(_mm512_castpd512_pd256(a), _mm512_extractf64x4_pd(a, 1)))
/* The first n lanes, n < FL or DL; the others are 0. */
#define VF_PART(n) ((__mmask16)((1u << (n)) - 1u))
#define VD_PART(n) ((__mmask8)((1u << (n)) - 1u))
#define VF_LOAD_PART(p, n) _mm512_maskz_loadu_ps(VF_PART(n), p)
#define VD_LOAD_PART(p, n) _mm512_maskz_loadu_pd(VD_PART(n), p)
#define VF_STORE_PART(p, v, n) _mm512_mask_storeu_ps(p, VF_PART(n), v)
#define VD_STORE_PART(p, v, n) _mm512_mask_storeu_pd(p, VD_PART(n), v)
/* Whether a == b in a lane whose byte is set. */
#define VD_ANY_EQUAL(a, b, bytes) \
    (_mm512_mask_cmp_pd_mask(VD_BYTE_MASK(bytes), a, b, _CMP_EQ_OQ) != 0)
/* max(a, 0), or 0 where a is NaN. */
#define VD_POSITIVE(a) _mm512_max_pd(a, _mm512_setzero_pd())
#define VD_IF_NOT_ZERO(test, a) \
    _mm512_maskz_mov_pd(_mm512_cmp_pd_mask(test, _mm512_setzero_pd(), _CMP_NEQ_OQ), a)
#define VF_ABS(a) _mm512_abs_ps(a)
#define VD_ABS(a) _mm512_abs_pd(a)
/* 1 where a == b, else 0. */
#define VF_EQUAL(a, b) \
    _mm512_maskz_mov_ps(_mm512_cmp_ps_mask(a, b, _CMP_EQ_OQ), _mm512_set1_ps(1.0f))
#define VD_EQUAL(a, b) \
    _mm512_maskz_mov_pd(_mm512_cmp_pd_mask(a, b, _CMP_EQ_OQ), _mm512_set1_pd(1.0))
#define VD_WIDEN_BYTES(p) \
    _mm512_cvtepi64_pd(_mm512_cvtepi8_epi64(_mm_loadl_epi64((const __m128i *)(p))))
#define F_FMA(a, b, c) __builtin_fmaf(a, b, c)
#define D_FMA(a, b, c) __builtin_fma(a, b, c)
/* max(best, g) where the byte is set, best elsewhere. */
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
#define VD_WIDEN_PART(p, n) _mm256_cvtps_pd(_mm_maskload_ps(p, _mm256_castsi256_si128(VF_PART(n))))
#define VF_MUL(a, b) _mm256_mul_ps(a, b)
#define VD_MUL(a, b) _mm256_mul_pd(a, b)
#define VF_MAX(a, b) _mm256_max_ps(a, b)
#define VD_MAX(a, b) _mm256_max_pd(a, b)
#define VF_MIN(a, b) _mm256_min_ps(a, b)
#define VD_MIN(a, b) _mm256_min_pd(a, b)
#define VF_ADD(a, b) _mm256_add_ps(a, b)
#define VD_ADD(a, b) _mm256_add_pd(a, b)
#define VF_SUM(a) SIMD_NAME(sum_f)(a)
#define VD_SUM(a) SIMD_NAME(sum_d)(a)
static const int32_t SIMD_NAME(part)[16] = {-1, -1, -1, -1, -1, -1, -1, -1,
                                            0,  0,  0,  0,  0,  0,  0,  0};
#define VF_PART(n) _mm256_loadu_si256((const __m256i *)(SIMD_NAME(part) + 8 - (n)))
#define VD_PART(n) _mm256_loadu_si256((const __m256i *)(SIMD_NAME(part) + 8 - 2 * (n)))
#define VF_LOAD_PART(p, n) _mm256_maskload_ps(p, VF_PART(n))
#define VD_LOAD_PART(p, n) _mm256_maskload_pd(p, VD_PART(n))
#define VF_STORE_PART(p, v, n) _mm256_maskstore_ps(p, VF_PART(n), v)
#define VD_STORE_PART(p, v, n) _mm256_maskstore_pd(p, VD_PART(n), v)
#define VD_ANY_EQUAL(a, b, bytes) \
    (_mm256_movemask_pd(          \
         _mm256_and_pd(_mm256_cmp_pd(a, b, _CMP_EQ_OQ), SIMD_NAME(byte_mask)(bytes))) != 0)
#define VD_POSITIVE(a) _mm256_max_pd(a, _mm256_setzero_pd())
#define VD_IF_NOT_ZERO(test, a) \
    _mm256_and_pd(_mm256_cmp_pd(test, _mm256_setzero_pd(), _CMP_NEQ_OQ), a)
#define VF_ABS(a) _mm256_andnot_ps(_mm256_set1_ps(-0.0f), a)
#define VD_ABS(a) _mm256_andnot_pd(_mm256_set1_pd(-0.0), a)
#define VF_EQUAL(a, b) _mm256_and_ps(_mm256_cmp_ps(a, b, _CMP_EQ_OQ), _mm256_set1_ps(1.0f))
#define VD_EQUAL(a, b) _mm256_and_pd(_mm256_cmp_pd(a, b, _CMP_EQ_OQ), _mm256_set1_pd(1.0))
SIMD_INLINE __m256d SIMD_NAME(widen_bytes)(const int8_t *bytes) {
    int32_t four;
    memcpy(&four, bytes, 4);
    return _mm256_cvtepi32_pd(_mm_cvtepi8_epi32(_mm_cvtsi32_si128(four)));
}
#define VD_WIDEN_BYTES(p) SIMD_NAME(widen_bytes)(p)
#define F_FMA(a, b, c) __builtin_fmaf(a, b, c)
#define D_FMA(a, b, c) __builtin_fma(a, b, c)
SIMD_INLINE __m256d SIMD_NAME(byte_mask)(const int8_t *bytes) {
    int32_t four;
    memcpy(&four, bytes, 4);
    return _mm256_castsi256_pd(_mm256_cvtepi8_epi64(_mm_cvtsi32_si128(four)));
}
#define VD_MAX_IF(best, g, bytes) \
    _mm256_max_pd(best, _mm256_blendv_pd(best, g, SIMD_NAME(byte_mask)(bytes)))
#define VD_MIN_IF(best, g, bytes) \
    _mm256_min_pd(best, _mm256_blendv_pd(best, g, SIMD_NAME(byte_mask)(bytes)))

#else

#if defined(LEVEL_UNFUSED)
#define F_FMA(a, b, c) ((a) * (b) + (c))
#define D_FMA(a, b, c) ((a) * (b) + (c))
#else
#define F_FMA(a, b, c) fmaf(a, b, c)
#define D_FMA(a, b, c) fma(a, b, c)
#endif

#if HAS_VECTORS
/* 16-byte vectors: SSE2 on x86-64, NEON on arm64. */
typedef float vf __attribute__((vector_size(16), aligned(4), may_alias));
typedef double vw __attribute__((vector_size(16), aligned(8), may_alias));
#define FL 4
#define VF_LOAD(p) (*(const vf *)(p))
#define VF_STORE(p, v) (*(vf *)(p) = (v))
#define VF_SET(x) ((vf){(x), (x), (x), (x)})
#define VW_LOAD(p) (*(const vw *)(p))
#define VW_STORE(p, v) (*(vw *)(p) = (v))
#define VW_SET(x) ((vw){(x), (x)})
#if defined(LEVEL_UNFUSED)
#define VF_FMA(a, b, c) ((a) * (b) + (c))
#define VW_FMA(a, b, c) ((a) * (b) + (c))
#elif defined(__aarch64__)
#define VF_FMA(a, b, c) ((vf)vfmaq_f32((float32x4_t)(c), (float32x4_t)(a), (float32x4_t)(b)))
#define VW_FMA(a, b, c) ((vw)vfmaq_f64((float64x2_t)(c), (float64x2_t)(a), (float64x2_t)(b)))
#else
#define VF_FMA(a, b, c)                                                 \
    ((vf){F_FMA((a)[0], (b)[0], (c)[0]), F_FMA((a)[1], (b)[1], (c)[1]), \
          F_FMA((a)[2], (b)[2], (c)[2]), F_FMA((a)[3], (b)[3], (c)[3])})
#define VW_FMA(a, b, c) ((vw){D_FMA((a)[0], (b)[0], (c)[0]), D_FMA((a)[1], (b)[1], (c)[1])})
#endif
#define VW_ADD(a, b) ((a) + (b))
#define VW_MUL(a, b) ((a) * (b))
#define VW_MAX(a, b) ((vw){(a)[0] > (b)[0] ? (a)[0] : (b)[0], (a)[1] > (b)[1] ? (a)[1] : (b)[1]})
#define VW_MIN(a, b) ((vw){(a)[0] < (b)[0] ? (a)[0] : (b)[0], (a)[1] < (b)[1] ? (a)[1] : (b)[1]})
#define VW_ABS(a) ((vw){fabs((a)[0]), fabs((a)[1])})
#define VW_EQUAL(a, b) ((vw){(a)[0] == (b)[0], (a)[1] == (b)[1]})
#define VW_SUM(v) ((v)[0] + (v)[1])
#define VW_LOAD_PART(p, n) ((void)(n), (vw){*(p), 0.0})
#define VW_WIDEN(p) ((vw){(p)[0], (p)[1]})
#define VW_WIDEN_PART(p, n) VW_LOAD_PART(p, n)
#define VW_STORE_PART(p, v, n) ((void)(n), *(p) = (v)[0])
#else
typedef float vf;
#define FL 1
#define VF_LOAD(p) (*(p))
#define VF_STORE(p, v) (*(p) = (v))
#define VF_SET(x) (x)
#define VF_FMA(a, b, c) F_FMA(a, b, c)
#endif
typedef double vd;
#define DL 1
#define VD_LOAD(p) (*(p))
#define VD_STORE(p, v) (*(p) = (v))
#define VD_SET(x) (x)
#define VD_FMA(a, b, c) D_FMA(a, b, c)
#define VD_WIDEN(p) ((double)*(p))
#define VD_WIDEN_PART(p, n) ((void)(n), (double)*(p))
#define VF_MUL(a, b) ((a) * (b))
#define VD_MUL(a, b) ((a) * (b))
#define VF_ADD(a, b) ((a) + (b))
#define VD_ADD(a, b) ((a) + (b))
#define VD_MAX(a, b) ((a) > (b) ? (a) : (b))
#define VD_MIN(a, b) ((a) < (b) ? (a) : (b))
#define VD_EQUAL(a, b) ((double)((a) == (b)))
#define VD_SUM(a) (a)
#define VD_LOAD_PART(p, n) ((void)(n), *(p))
#define VD_STORE_PART(p, v, n) ((void)(n), *(p) = (v))
#if HAS_VECTORS
SIMD_INLINE vf SIMD_NAME(max_f)(vf a, vf b) {
    int i;
    for (i = 0; i < FL; i++) a[i] = a[i] > b[i] ? a[i] : b[i];
    return a;
}
SIMD_INLINE vf SIMD_NAME(min_f)(vf a, vf b) {
    int i;
    for (i = 0; i < FL; i++) a[i] = a[i] < b[i] ? a[i] : b[i];
    return a;
}
#define VF_MAX(a, b) SIMD_NAME(max_f)(a, b)
#define VF_MIN(a, b) SIMD_NAME(min_f)(a, b)
#define VF_ABS(a) ((vf){fabsf((a)[0]), fabsf((a)[1]), fabsf((a)[2]), fabsf((a)[3])})
#define VF_EQUAL(a, b) \
    ((vf){(a)[0] == (b)[0], (a)[1] == (b)[1], (a)[2] == (b)[2], (a)[3] == (b)[3]})
SIMD_INLINE float SIMD_NAME(sum_f)(vf a) {
    return (a[0] + a[2]) + (a[1] + a[3]);
}
SIMD_INLINE vf SIMD_NAME(load_f)(const float *p, ptrdiff_t n) {
    return (vf){p[0], n > 1 ? p[1] : 0.0f, n > 2 ? p[2] : 0.0f, 0.0f};
}
SIMD_INLINE void SIMD_NAME(store_f)(float *p, vf a, ptrdiff_t n) {
    ptrdiff_t i;
    for (i = 0; i < n; i++) p[i] = a[i];
}
#define VF_SUM(a) SIMD_NAME(sum_f)(a)
#define VF_LOAD_PART(p, n) SIMD_NAME(load_f)(p, n)
#define VF_STORE_PART(p, v, n) SIMD_NAME(store_f)(p, v, n)
#else
#define VF_MAX(a, b) ((a) > (b) ? (a) : (b))
#define VF_MIN(a, b) ((a) < (b) ? (a) : (b))
#define VF_ABS(a) fabsf(a)
#define VF_EQUAL(a, b) ((float)((a) == (b)))
#define VF_SUM(a) (a)
#define VF_LOAD_PART(p, n) ((void)(n), *(p))
#define VF_STORE_PART(p, v, n) ((void)(n), *(p) = (v))
#endif
#define VD_ANY_EQUAL(a, b, bytes) (*(bytes) && (a) == (b))
#define VD_POSITIVE(a) ((a) > 0.0 ? (a) : 0.0)
#define VD_IF_NOT_ZERO(test, a) ((test) != 0.0 ? (a) : 0.0)
#define VD_ABS(a) fabs(a)
#define VD_WIDEN_BYTES(p) ((double)*(p))
/* The byte, 0 or -1, widened to a mask of bits: no branch to mispredict. */
SIMD_INLINE double SIMD_NAME(select)(double g, double other, int8_t open) {
    const int64_t mask = open;
    int64_t a, b;
    memcpy(&a, &g, 8);
    memcpy(&b, &other, 8);
    a = (a & mask) | (b & ~mask);
    memcpy(&g, &a, 8);
    return g;
}
SIMD_INLINE double SIMD_NAME(max_if)(double best, double g, int8_t open) {
    const double candidate = SIMD_NAME(select)(g, -INFINITY, open);
    return candidate > best ? candidate : best;
}
SIMD_INLINE double SIMD_NAME(min_if)(double best, double g, int8_t open) {
    const double candidate = SIMD_NAME(select)(g, INFINITY, open);
    return candidate < best ? candidate : best;
}
#define VD_MAX_IF(best, g, bytes) SIMD_NAME(max_if)(best, g, *(bytes))
#define VD_MIN_IF(best, g, bytes) SIMD_NAME(min_if)(best, g, *(bytes))

#endif

#define vi SIMD_NAME(simd_vi)
#if HAS_VECTORS
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
