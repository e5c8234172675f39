/* Loops of the dual solvers at one SIMD level: passes over the gradient g of all slots, one for
 * each step. Included by primitives_level.h.
 *
 * A step on coordinate i of the dual changes g by a multiple of row i of the kernel matrix. The
 * next coordinates are selected by the extremes of the new g (the maximal
 * violating pair, Keerthi et al. 2001), found in the same pass, or by second-order information
 * (best_gain).
 */

/* Four wide sums hide the latency of the additions. */
static double SIMD_NAME(dot)(const float *SIMD_RESTRICT k, const double *SIMD_RESTRICT a,
                             ptrdiff_t n) {
    WVEC s0 = W_SET(0.0), s1 = s0, s2 = s0, s3 = s0;
    ptrdiff_t i = 0;
    for (; i + 4 * SUMS <= n; i += 4 * SUMS) {
        s0 = W_FMA(W_WIDEN(k + i), W_LOAD(a + i), s0);
        s1 = W_FMA(W_WIDEN(k + i + SUMS), W_LOAD(a + i + SUMS), s1);
        s2 = W_FMA(W_WIDEN(k + i + 2 * SUMS), W_LOAD(a + i + 2 * SUMS), s2);
        s3 = W_FMA(W_WIDEN(k + i + 3 * SUMS), W_LOAD(a + i + 3 * SUMS), s3);
    }
    if (i + SUMS <= n) {
        s0 = W_FMA(W_WIDEN(k + i), W_LOAD(a + i), s0);
        i += SUMS;
    }
    if (i + SUMS <= n) {
        s1 = W_FMA(W_WIDEN(k + i), W_LOAD(a + i), s1);
        i += SUMS;
    }
    if (i + SUMS <= n) {
        s2 = W_FMA(W_WIDEN(k + i), W_LOAD(a + i), s2);
        i += SUMS;
    }
    if (i < n) s3 = W_FMA(W_WIDEN_PART(k + i, n - i), W_LOAD_PART(a + i, n - i), s3);
    return W_SUM(W_ADD(W_ADD(s0, s2), W_ADD(s1, s3)));
}

static void SIMD_NAME(gather)(const float *SIMD_RESTRICT row, const int32_t *base,
                              const uint8_t *offset, ptrdiff_t n_groups,
                              float *SIMD_RESTRICT out) {
    ptrdiff_t group;
    for (group = 0; group < n_groups; group++) {
        const float *window = row + base[group];
#if defined(LEVEL_AVX512)
        const __m512i at = _mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)offset));
        const vf low = _mm512_permutex2var_ps(VF_LOAD(window), at, VF_LOAD(window + 16));
        const vf high = _mm512_permutex2var_ps(VF_LOAD(window + 32), at, VF_LOAD(window + 48));
        const __mmask16 is_high = _mm512_test_epi32_mask(at, _mm512_set1_epi32(32));
        VF_STORE(out, _mm512_mask_blend_ps(is_high, low, high));
#else
        int l;
        for (l = 0; l < SIMD_GROUP; l++) out[l] = window[offset[l]];
#endif
        offset += SIMD_GROUP;
        out += SIMD_GROUP;
    }
}

static void SIMD_NAME(transpose)(const float *SIMD_RESTRICT rows, ptrdiff_t ld, ptrdiff_t lanes,
                                 ptrdiff_t n, float *SIMD_RESTRICT out) {
    ptrdiff_t s, r;
    int i;
    for (s = 0; s < n; s += 4)
        for (r = 0; r < lanes; r += 4) {
            const float *from = rows + r * ld + s;
            float *to = out + s * lanes + r;
#if SIMD_X86
            __m128 square[4];
            for (i = 0; i < 4; i++) square[i] = _mm_loadu_ps(from + i * ld);
            _MM_TRANSPOSE4_PS(square[0], square[1], square[2], square[3]);
            for (i = 0; i < 4; i++) _mm_storeu_ps(to + i * lanes, square[i]);
#else
            int j;
            for (i = 0; i < 4; i++)
                for (j = 0; j < 4; j++) to[i * lanes + j] = from[j * ld + i];
#endif
        }
}

/* `functions` for `parts` wide vectors of functions. */
SIMD_INLINE void SIMD_NAME(functions_part)(const float *SIMD_RESTRICT k, const int32_t *places,
                                           const double *SIMD_RESTRICT coef, ptrdiff_t n,
                                           ptrdiff_t width, double *SIMD_RESTRICT sums,
                                           const int parts) {
    WVEC s[4];
    ptrdiff_t v;
    int p;
    UNROLL
    for (p = 0; p < parts; p++) s[p] = W_LOAD(sums + p * SUMS);
    for (v = 0; v < n; v++) {
        const WVEC value = W_SET((double)k[places[v]]);
        UNROLL
        for (p = 0; p < parts; p++) s[p] = W_FMA(W_LOAD(coef + v * width + p * SUMS), value, s[p]);
    }
    UNROLL
    for (p = 0; p < parts; p++) W_STORE(sums + p * SUMS, s[p]);
}

static void SIMD_NAME(functions)(const float *k, const int32_t *places, const double *coef,
                                 ptrdiff_t n, ptrdiff_t width, double *sums) {
    ptrdiff_t f = 0;
    for (; f + 4 * SUMS <= width; f += 4 * SUMS)
        SIMD_NAME(functions_part)(k, places, coef + f, n, width, sums + f, 4);
    if (f + 2 * SUMS <= width) {
        SIMD_NAME(functions_part)(k, places, coef + f, n, width, sums + f, 2);
        f += 2 * SUMS;
    }
    if (f < width) SIMD_NAME(functions_part)(k, places, coef + f, n, width, sums + f, 1);
}

/* Wide sums that are in registers together. */
#if defined(LEVEL_AVX512)
#define BLOCK_PARTS 8
#elif defined(LEVEL_AVX2)
#define BLOCK_PARTS 4
#else
#define BLOCK_PARTS 2
#endif

/* `functions_of_block` for one function, the listed vectors and `parts` wide sums. */
SIMD_INLINE void SIMD_NAME(samples_part)(const float *SIMD_RESTRICT k, ptrdiff_t lanes,
                                         const int32_t *places, const double *coef,
                                         ptrdiff_t width, const int32_t *listed, ptrdiff_t n,
                                         double *SIMD_RESTRICT sums, const int parts) {
    WVEC s[BLOCK_PARTS];
    ptrdiff_t i;
    int p;
    UNROLL
    for (p = 0; p < parts; p++) s[p] = W_LOAD(sums + p * SUMS);
    for (i = 0; i < n; i++) {
        const WVEC a = W_SET(coef[listed[i] * width]);
        const float *values = k + places[listed[i]] * lanes;
        UNROLL
        for (p = 0; p < parts; p++) s[p] = W_FMA(a, W_WIDEN(values + p * SUMS), s[p]);
    }
    UNROLL
    for (p = 0; p < parts; p++) W_STORE(sums + p * SUMS, s[p]);
}

/* Vectors whose coefficients are examined together. */
#define LISTED 512

static void SIMD_NAME(functions_of_block)(const float *k, ptrdiff_t lanes, const int32_t *places,
                                          const double *coef, ptrdiff_t n, ptrdiff_t width,
                                          ptrdiff_t n_functions, double *sums) {
    int32_t listed[LISTED]; /* with a coefficient that is not 0 */
    ptrdiff_t f, v, r, n_listed;
    for (; n > 0; n -= LISTED, places += LISTED, coef += LISTED * width) {
        const ptrdiff_t size = n < LISTED ? n : LISTED;
        for (f = 0; f < n_functions; f++) {
            n_listed = 0;
            for (v = 0; v < size; v++) {
                listed[n_listed] = (int32_t)v;
                n_listed += coef[v * width + f] != 0.0;
            }
            r = 0;
#define SAMPLES(parts)                                                                   \
    for (; n_listed > 0 && r + parts * SUMS <= lanes; r += parts * SUMS)                 \
        SIMD_NAME(samples_part)(k + r, lanes, places, coef + f, width, listed, n_listed, \
                                sums + f * lanes + r, parts);
#if BLOCK_PARTS >= 8
            SAMPLES(8)
#endif
#if BLOCK_PARTS >= 4
            SAMPLES(4)
            SAMPLES(3)
#endif
            SAMPLES(2)
            SAMPLES(1)
#undef SAMPLES
        }
    }
}

#undef LISTED
#undef BLOCK_PARTS

static void SIMD_NAME(axpy)(double step, const float *SIMD_RESTRICT k, double *SIMD_RESTRICT g,
                            ptrdiff_t n) {
    ptrdiff_t i = 0;
    const vd s = VD_SET(step);
    for (; i + DL <= n; i += DL) VD_STORE(g + i, VD_FMA(s, VD_WIDEN(k + i), VD_LOAD(g + i)));
    for (; i < n; i++) g[i] = D_FMA(step, (double)k[i], g[i]);
}

/* Extremes are computed by stretches of SIMD_STRETCH slots; only in the stretch that contains the
 * extreme its slot is searched. */
#define STRETCH SIMD_STRETCH

/* The sum of SUMS partial sums: halves are added until one is left. */
SIMD_INLINE double SIMD_NAME(tree)(double *sums) {
    int l, n;
    for (n = SUMS / 2; n > 0; n /= 2)
        for (l = 0; l < n; l++) sums[l] += sums[l + n];
    return sums[0];
}

/* Steps on g. A constant of each call, so that each becomes a separate loop. */
#define MOVE_PAIR 0 /* g -= step_i (ki - kj) */
#define MOVE_ONE 1  /* g -= step_i ki */
#define MOVE_TWO 2  /* g -= step_i ki + step_j kj */

/* First slot from `start` on that is open and has this gradient; it exists. */
SIMD_INLINE ptrdiff_t SIMD_NAME(find)(const double *g, const int8_t *open, double wanted,
                                      ptrdiff_t start, ptrdiff_t n) {
    const vd value = VD_SET(wanted);
    while (start + DL <= n && !VD_ANY_EQUAL(VD_LOAD(g + start), value, open + start)) start += DL;
    while (!(open[start] && g[start] == wanted)) start++;
    return start;
}

/* A step on the slots of one vector, the extremes and the losses so far. */
SIMD_INLINE void SIMD_NAME(move_vector)(double *g, const float *ki, vd back_i, const float *kj,
                                        vd back_j, const int8_t *up, const int8_t *down,
                                        const float *bound, ptrdiff_t i, vd *high, vd *low,
                                        vd *losses, const int way, const int with_loss) {
    vd v = VD_LOAD(g + i);
    if (way == MOVE_PAIR)
        v = VD_FMA(back_i, VD_WIDEN(ki + i) - VD_WIDEN(kj + i), v);
    else
        v = VD_FMA(back_i, VD_WIDEN(ki + i), v);
    if (way == MOVE_TWO) v = VD_FMA(back_j, VD_WIDEN(kj + i), v);
    VD_STORE(g + i, v);
    *high = VD_MAX_IF(*high, v, up + i);
    *low = VD_MIN_IF(*low, v, down + i);
    /* A free slot has bound 0 and an arbitrary g: a product that is NaN counts 0. */
    if (with_loss) *losses = *losses + VD_POSITIVE(VD_WIDEN(bound + i) * v);
}

SIMD_INLINE double SIMD_NAME(move)(double *SIMD_RESTRICT g, const float *ki, double step_i,
                                   const float *kj, double step_j, const int8_t *up,
                                   const int8_t *down, const float *bound, ptrdiff_t n,
                                   simd_extremes *extremes, const int way, const int with_loss) {
    double g_max = -INFINITY, g_min = INFINITY;
    ptrdiff_t at_max = -1, at_min = -1, start, i;
    const vd back_i = VD_SET(-step_i), back_j = VD_SET(-step_j);
    vd losses[SUMS / DL];
    double lanes[2 * DL], sums[SUMS], last_losses[SUMS] = {0.0};
    int l;
    UNROLL
    for (l = 0; l < SUMS / DL; l++) losses[l] = VD_SET(0.0);
    for (start = 0; start < n; start += STRETCH) {
        const ptrdiff_t stop = start + STRETCH < n ? start + STRETCH : n;
        vd high = VD_SET(-INFINITY), low = VD_SET(INFINITY);
        double stretch_max = -INFINITY, stretch_min = INFINITY;
        for (i = start; i + SUMS <= stop; i += SUMS) {
            UNROLL
            for (l = 0; l < SUMS / DL; l++)
                SIMD_NAME(move_vector)(g, ki, back_i, kj, back_j, up, down, bound, i + l * DL,
                                       &high, &low, losses + l, way, with_loss);
        }
        if (DL > 1 && i + DL <= stop) {
            SIMD_NAME(move_vector)(g, ki, back_i, kj, back_j, up, down, bound, i, &high, &low,
                                   losses, way, with_loss);
            i += DL;
        }
        for (; i < stop; i++) {
            if (way == MOVE_PAIR)
                g[i] = D_FMA(-step_i, (double)ki[i] - (double)kj[i], g[i]);
            else
                g[i] = D_FMA(-step_i, (double)ki[i], g[i]);
            if (way == MOVE_TWO) g[i] = D_FMA(-step_j, (double)kj[i], g[i]);
            if (up[i] && g[i] > stretch_max) stretch_max = g[i];
            if (down[i] && g[i] < stretch_min) stretch_min = g[i];
            if (with_loss && (double)bound[i] * g[i] > 0.0)
                last_losses[i % SUMS] = (double)bound[i] * g[i];
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
    extremes->i_max = at_max < 0 ? -1 : SIMD_NAME(find)(g, up, g_max, at_max, n);
    extremes->j_min = at_min < 0 ? -1 : SIMD_NAME(find)(g, down, g_min, at_min, n);
    /* Of zeros with different signs, that of the slot. */
    extremes->g_max = at_max < 0 ? g_max : g[extremes->i_max];
    extremes->g_min = at_min < 0 ? g_min : g[extremes->j_min];
    if (!with_loss) return 0.0;
    UNROLL
    for (l = 0; l < SUMS / DL; l++) VD_STORE(sums + l * DL, losses[l]);
    for (l = 0; l < SUMS; l++) sums[l] += last_losses[l];
    return SIMD_NAME(tree)(sums);
}

static void SIMD_NAME(update)(double *g, const float *ki, const float *kj, double step,
                              const int8_t *up, const int8_t *down, ptrdiff_t n,
                              simd_extremes *extremes) {
    SIMD_NAME(move)(g, ki, step, kj, step, up, down, NULL, n, extremes, MOVE_PAIR, 0);
}

static double SIMD_NAME(update_one)(double *g, const float *k, double step, const int8_t *up,
                                    const int8_t *down, const float *bound, ptrdiff_t n,
                                    simd_extremes *extremes) {
    return SIMD_NAME(move)(g, k, step, NULL, 0.0, up, down, bound, n, extremes, MOVE_ONE, 1);
}

static double SIMD_NAME(update_two)(double *g, const float *ki, double step_i, const float *kj,
                                    double step_j, const int8_t *up, const int8_t *down,
                                    const float *bound, ptrdiff_t n, simd_extremes *extremes) {
    if (bound == NULL)
        return SIMD_NAME(move)(g, ki, step_i, kj, step_j, up, down, bound, n, extremes, MOVE_TWO,
                               0);
    return SIMD_NAME(move)(g, ki, step_i, kj, step_j, up, down, bound, n, extremes, MOVE_TWO, 1);
}

#undef MOVE_PAIR
#undef MOVE_ONE
#undef MOVE_TWO

SIMD_INLINE void SIMD_NAME(moments_vector)(const double *g, const double *alpha,
                                           const float *bound, const int8_t *y, vd *h_sum,
                                           vd *h_squared, vd *alpha_g) {
    const vd limit = VD_WIDEN(bound);
    const vd gradient = VD_IF_NOT_ZERO(limit, VD_LOAD(g));
    const vd size = VD_ABS(limit);
    const vd h = size * VD_WIDEN_BYTES(y) * gradient;
    *h_sum = *h_sum + h;
    *h_squared = VD_FMA(h, h, *h_squared);
    *alpha_g = VD_FMA(VD_LOAD(alpha), gradient, *alpha_g);
}

static void SIMD_NAME(moments)(const double *SIMD_RESTRICT g, const double *SIMD_RESTRICT alpha,
                               const float *SIMD_RESTRICT bound, const int8_t *SIMD_RESTRICT y,
                               ptrdiff_t n, simd_moments *moments) {
    vd acc[3][SUMS / DL];
    double sums[3][SUMS];
    ptrdiff_t i = 0, s;
    int l;
    UNROLL
    for (l = 0; l < SUMS / DL; l++) acc[0][l] = acc[1][l] = acc[2][l] = VD_SET(0.0);
    for (; i + SUMS <= n; i += SUMS) {
        UNROLL
        for (l = 0; l < SUMS / DL; l++) {
            s = i + l * DL;
            SIMD_NAME(moments_vector)(g + s, alpha + s, bound + s, y + s, &acc[0][l], &acc[1][l],
                                      &acc[2][l]);
        }
    }
    if (DL > 1 && i + DL <= n) {
        SIMD_NAME(moments_vector)(g + i, alpha + i, bound + i, y + i, acc[0], acc[1], acc[2]);
        i += DL;
    }
    UNROLL
    for (l = 0; l < SUMS / DL; l++) {
        VD_STORE(sums[0] + l * DL, acc[0][l]);
        VD_STORE(sums[1] + l * DL, acc[1][l]);
        VD_STORE(sums[2] + l * DL, acc[2][l]);
    }
    for (; i < n; i++) {
        const double h = fabs((double)bound[i]) * y[i] * g[i];
        if (bound[i] == 0.0f) continue;
        sums[0][i % SUMS] += h;
        sums[1][i % SUMS] = D_FMA(h, h, sums[1][i % SUMS]);
        sums[2][i % SUMS] = D_FMA(alpha[i], g[i], sums[2][i % SUMS]);
    }
    moments->h = SIMD_NAME(tree)(sums[0]);
    moments->h_squared = SIMD_NAME(tree)(sums[1]);
    moments->alpha_g = SIMD_NAME(tree)(sums[2]);
}

/* Second-order selection of the second coordinate, and its gain: `companion` of primitives.h if
 * `single`, else `partner`. In float32, because only the step needs to be exact, not the
 * selection. */
SIMD_INLINE ptrdiff_t SIMD_NAME(best_gain)(const double *SIMD_RESTRICT g,
                                           const float *SIMD_RESTRICT ki,
                                           const float *SIMD_RESTRICT diag, double first,
                                           float k_ii, const int8_t *SIMD_RESTRICT up,
                                           const int8_t *SIMD_RESTRICT down, ptrdiff_t n,
                                           float *gain, const int single) {
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
                const float left = (float)D_FMA(-first, (double)ki[start + i], g[start + i]);
                float curvature = F_FMA(-ki[start + i], ki[start + i] * inverse, diag[start + i]);
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
        /* Maximum of each lane and its slot. */
        for (i = 0; i < size; i += FL) {
            const vf here = VF_LOAD(gains + i);
            const vi better = VF_GREATER(here, high);
            high = VF_SELECT(better, here, high);
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
    *gain = winner;
    return found;
}

static ptrdiff_t SIMD_NAME(partner)(const double *g, const float *ki, const float *diag,
                                    double g_i, float k_ii, const int8_t *down, ptrdiff_t n,
                                    float *gain) {
    return SIMD_NAME(best_gain)(g, ki, diag, g_i, k_ii, down, down, n, gain, 0);
}

static ptrdiff_t SIMD_NAME(companion)(const double *g, const float *ki, const float *diag,
                                      double step_i, float k_ii, const int8_t *up,
                                      const int8_t *down, ptrdiff_t n, float *gain) {
    return SIMD_NAME(best_gain)(g, ki, diag, step_i, k_ii, up, down, n, gain, 1);
}

#undef STRETCH
