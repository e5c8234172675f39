/* The loops of primitives.h for each SIMD level, and the choice among them. */
#ifndef SOSVM_LEAVES_LEVELS_H
#define SOSVM_LEAVES_LEVELS_H

#include "primitives.h"

#define SIMD_CAT2(a, b) a##_##b
#define SIMD_CAT(a, b) SIMD_CAT2(a, b)

#define LEVEL portable
#define LEVEL_PORTABLE 1
#include "primitives_level.h"
#undef LEVEL_PORTABLE
#undef LEVEL

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

/* Levels this machine can run, best first; returns their number (at most 3). */
static int simd_available(const simd_table **tables) {
    int n = 0;
#if SIMD_X86
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
        tables[n++] = &simd_avx512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) tables[n++] = &simd_avx2;
#endif
    tables[n++] = &simd_portable;
    return n;
}

#endif
