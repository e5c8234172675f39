/* The loops of primitives.h for each SIMD level, and the levels that this machine supports. */
#ifndef SOSVM_PRIMITIVES_LEVELS_H
#define SOSVM_PRIMITIVES_LEVELS_H

#include "primitives.h"

#define SIMD_CAT2(a, b) a##_##b
#define SIMD_CAT(a, b) SIMD_CAT2(a, b)
#define SIMD_NAME(name) SIMD_CAT(name, LEVEL)
#define SIMD_STRING2(x) #x
#define SIMD_STRING(x) SIMD_STRING2(x)

/* Operations of the loops for one element type: V_TYPE is VF (float), VD or VW (double), see
 * primitives_vectors.h. */
#define V_NAME2(type, operation) type##_##operation
#define V_NAME(type, operation) V_NAME2(type, operation)
#define V_LOAD(p) V_NAME(V_TYPE, LOAD)(p)
#define V_STORE(p, v) V_NAME(V_TYPE, STORE)(p, v)
#define V_SET(x) V_NAME(V_TYPE, SET)(x)
#define V_FMA(a, b, c) V_NAME(V_TYPE, FMA)(a, b, c)
#define V_ADD(a, b) V_NAME(V_TYPE, ADD)(a, b)
#define V_MUL(a, b) V_NAME(V_TYPE, MUL)(a, b)
#define V_MAX(a, b) V_NAME(V_TYPE, MAX)(a, b)
#define V_MIN(a, b) V_NAME(V_TYPE, MIN)(a, b)
#define V_ABS(a) V_NAME(V_TYPE, ABS)(a)
#define V_EQUAL(a, b) V_NAME(V_TYPE, EQUAL)(a, b)
#define V_DIV(a, b) ((a) / (b))
#define V_SUBTRACT(a, b) ((a) - (b))
#define V_SUM(a) V_NAME(V_TYPE, SUM)(a)
#define V_LOAD_PART(p, n) V_NAME(V_TYPE, LOAD_PART)(p, n)
#define V_WIDEN(p) V_NAME(V_TYPE, WIDEN)(p)
#define V_WIDEN_PART(p, n) V_NAME(V_TYPE, WIDEN_PART)(p, n)
#define V_STORE_PART(p, v, n) V_NAME(V_TYPE, STORE_PART)(p, v, n)

#define LEVEL portable
#define LEVEL_PORTABLE 1
#include "primitives_level.h"
#undef LEVEL_PORTABLE
#undef LEVEL

#if !SIMD_FAST_FMA
#define LEVEL unfused
#define LEVEL_UNFUSED 1
#include "primitives_level.h"
#undef LEVEL_UNFUSED
#undef LEVEL
#endif

#if SIMD_X86

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,fma")
#endif
#define LEVEL avx2
#define LEVEL_AVX2 1
#include "primitives_level.h"
#undef LEVEL_AVX2
#undef LEVEL
#if defined(__clang__)
#pragma clang attribute pop
#pragma clang attribute push( \
    __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma"))), apply_to = function)
#else
#pragma GCC pop_options
#pragma GCC push_options
#pragma GCC target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,prefer-vector-width=512")
#endif
#define LEVEL avx512
#define LEVEL_AVX512 1
#include "primitives_level.h"
#undef LEVEL_AVX512
#undef LEVEL
#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

#endif /* SIMD_X86 */

#define SIMD_MAX_LEVELS 4

/* Write the tables of the levels that this machine supports, best first; return their number. */
static int simd_available(const simd_table **tables) {
    int n = 0;
#if SIMD_X86
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
        tables[n++] = &simd_avx512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) tables[n++] = &simd_avx2;
#endif
#if !SIMD_FAST_FMA
    tables[n++] = &simd_unfused;
#endif
    tables[n++] = &simd_portable;
    return n;
}

#endif
