/* Wide vectors for one element type at one SIMD level: SUMS lanes in GROUP vectors, the same
 * number at each level. Sums over features or slots are accumulated in them, so that their
 * rounding does not depend on the width of the vectors. Included by primitives_level.h.
 */
#define GROUP (SUMS / VL)

/* Indices are constants, so that the vectors are in registers. */
#if defined(LEVEL_AVX512)
#define EACH(operation) operation(0)
#elif defined(LEVEL_AVX2)
#define EACH(operation) operation(0) operation(1)
#elif HAS_VECTORS
#define EACH(operation) operation(0) operation(1) operation(2) operation(3)
#else
#define EACH(operation)                        \
    {                                          \
        int each;                              \
        for (each = 0; each < GROUP; each++) { \
            operation(each)                    \
        }                                      \
    }
#endif

#define WVEC TYPED(wide)
typedef struct {
    VEC part[GROUP];
} WVEC;

#define W_SET(value) TYPED(w_set)(value)
SIMD_INLINE WVEC TYPED(w_set)(REAL value) {
    WVEC a;
#define SET(r) a.part[r] = V_SET(value);
    EACH(SET)
#undef SET
    return a;
}

#define W_LOAD(p) TYPED(w_load)(p)
SIMD_INLINE WVEC TYPED(w_load)(const REAL *p) {
    WVEC a;
#define LOAD(r) a.part[r] = V_LOAD(p + r * VL);
    EACH(LOAD)
#undef LOAD
    return a;
}

#define W_STORE(p, a) TYPED(w_store)(p, a)
SIMD_INLINE void TYPED(w_store)(REAL *p, WVEC a) {
#define STORE(r) V_STORE(p + r * VL, a.part[r]);
    EACH(STORE)
#undef STORE
}

/* The first n lanes, 0 < n < SUMS; the others are 0. */
#define W_LOAD_PART(p, n) TYPED(w_load_part)(p, n)
SIMD_INLINE WVEC TYPED(w_load_part)(const REAL *p, ptrdiff_t n) {
    WVEC a;
#define LOAD(r)                                                         \
    a.part[r] = (r + 1) * VL <= n ? V_LOAD(p + r * VL)                  \
                : r * VL < n      ? V_LOAD_PART(p + r * VL, n - r * VL) \
                                  : V_SET((REAL)0);
    EACH(LOAD)
#undef LOAD
    return a;
}

#define W_MUL(a, b) TYPED(w_mul)(a, b)
SIMD_INLINE WVEC TYPED(w_mul)(WVEC a, WVEC b) {
#define MULTIPLY(r) a.part[r] = V_MUL(a.part[r], b.part[r]);
    EACH(MULTIPLY)
#undef MULTIPLY
    return a;
}

#define W_ADD(a, b) TYPED(w_add)(a, b)
SIMD_INLINE WVEC TYPED(w_add)(WVEC a, WVEC b) {
#define ADD(r) a.part[r] = V_ADD(a.part[r], b.part[r]);
    EACH(ADD)
#undef ADD
    return a;
}

#define W_FMA(a, b, c) TYPED(w_fma)(a, b, c)
SIMD_INLINE WVEC TYPED(w_fma)(WVEC a, WVEC b, WVEC c) {
#define FMA(r) c.part[r] = V_FMA(a.part[r], b.part[r], c.part[r]);
    EACH(FMA)
#undef FMA
    return c;
}

/* The sum of the lanes: halves are added until one value is left. */
#define W_SUM(a) ((double)TYPED(w_sum)(a))
SIMD_INLINE REAL TYPED(w_sum)(WVEC a) {
#if GROUP == 1
    return V_SUM(a.part[0]);
#elif GROUP == 2
    return V_SUM(V_ADD(a.part[0], a.part[1]));
#elif GROUP == 4
    return V_SUM(V_ADD(V_ADD(a.part[0], a.part[2]), V_ADD(a.part[1], a.part[3])));
#else
    int n, r;
    for (n = GROUP / 2; n > 0; n /= 2)
        for (r = 0; r < n; r++) a.part[r] = V_ADD(a.part[r], a.part[r + n]);
    return V_SUM(a.part[0]);
#endif
}

/* Doubles from floats. */
#define W_WIDEN(p) TYPED(w_widen)(p)
#define W_WIDEN_PART(p, n) TYPED(w_widen_part)(p, n)
#if SUMS == 8
SIMD_INLINE WVEC TYPED(w_widen)(const float *p) {
    WVEC a;
#define WIDEN(r) a.part[r] = V_WIDEN(p + r * VL);
    EACH(WIDEN)
#undef WIDEN
    return a;
}

SIMD_INLINE WVEC TYPED(w_widen_part)(const float *p, ptrdiff_t n) {
    WVEC a;
#define WIDEN(r)                                                         \
    a.part[r] = (r + 1) * VL <= n ? V_WIDEN(p + r * VL)                  \
                : r * VL < n      ? V_WIDEN_PART(p + r * VL, n - r * VL) \
                                  : V_SET((REAL)0);
    EACH(WIDEN)
#undef WIDEN
    return a;
}
#endif
