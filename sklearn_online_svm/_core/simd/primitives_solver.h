/* Loops of the dual solvers at one SIMD level: passes over the gradient g of all slots, one for
 * each step. Included by primitives_level.h.
 *
 * A step on coordinate i of the dual changes g by a multiple of row i of the kernel matrix. The
 * next coordinates are selected by the extremes of the new g (the maximal
 * violating pair, Keerthi et al. 2001), found in the same pass, or by second-order information
 * (best_gain).
 */

static double SIMD_NAME(dot)(const float *SIMD_RESTRICT k, const double *SIMD_RESTRICT a,
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

static void SIMD_NAME(axpy)(double step, const float *SIMD_RESTRICT k, double *SIMD_RESTRICT g,
                            ptrdiff_t n) {
    ptrdiff_t i = 0;
    const vd s = VD_SET(step);
    for (; i + DL <= n; i += DL) VD_STORE(g + i, VD_FMA(s, VD_WIDEN(k + i), VD_LOAD(g + i)));
    for (; i < n; i++) g[i] = D_FMA(step, (double)k[i], g[i]);
}

/* Extremes are computed by stretches of this many slots; only in the stretch that contains the
 * extreme its slot is searched. */
#define STRETCH 512

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

SIMD_INLINE double SIMD_NAME(move)(double *SIMD_RESTRICT g, const float *ki, double step_i,
                                   const float *kj, double step_j, const int8_t *up,
                                   const int8_t *down, const float *bound, ptrdiff_t n,
                                   simd_extremes *extremes, const int way, const int with_loss) {
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
                /* A free slot has bound 0 and an arbitrary g: a product that is NaN counts 0. */
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
    extremes->i_max = at_max < 0 ? -1 : SIMD_NAME(find)(g, up, g_max, at_max, n);
    extremes->j_min = at_min < 0 ? -1 : SIMD_NAME(find)(g, down, g_min, at_min, n);
    VD_STORE(lanes, total);
    for (l = 0; l < DL; l++) sum += lanes[l];
    return sum;
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

static void SIMD_NAME(moments)(const double *SIMD_RESTRICT g, const double *SIMD_RESTRICT alpha,
                               const float *SIMD_RESTRICT bound, const int8_t *SIMD_RESTRICT y,
                               ptrdiff_t n, simd_moments *moments) {
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

/* Second-order selection of the second coordinate: `companion` of primitives.h if `single`, else
 * `partner`. In float32, because only the step needs to be exact, not the selection. */
SIMD_INLINE ptrdiff_t SIMD_NAME(best_gain)(const double *SIMD_RESTRICT g,
                                           const float *SIMD_RESTRICT ki,
                                           const float *SIMD_RESTRICT diag, double first,
                                           float k_ii, const int8_t *SIMD_RESTRICT up,
                                           const int8_t *SIMD_RESTRICT down, ptrdiff_t n,
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
        /* Maximum of each lane and its slot. */
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

static ptrdiff_t SIMD_NAME(partner)(const double *g, const float *ki, const float *diag,
                                    double g_i, float k_ii, const int8_t *down, ptrdiff_t n) {
    return SIMD_NAME(best_gain)(g, ki, diag, g_i, k_ii, down, down, n, 0);
}

static ptrdiff_t SIMD_NAME(companion)(const double *g, const float *ki, const float *diag,
                                      double step_i, float k_ii, const int8_t *up,
                                      const int8_t *down, ptrdiff_t n) {
    return SIMD_NAME(best_gain)(g, ki, diag, step_i, k_ii, up, down, n, 1);
}

#undef STRETCH
