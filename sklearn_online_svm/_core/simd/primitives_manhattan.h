/* Manhattan distances, and the sums of absolute differences in each feature that their derivatives
 * with respect to the widths of the features need, for one element type at one SIMD level.
 * Included by primitives_real.h.
 *
 * Samples x are rows, others z are in tiles: z[k] of slot s is
 * tiles[(s / SIMD_TILE * n_features + k) * SIMD_TILE + s % SIMD_TILE]. Each distance is summed
 * over ascending features, and each lane of the sums over ascending samples.
 */

SIMD_INLINE void TYPED(distance_micro)(const REAL *rows, ptrdiff_t d, const REAL *const *slots,
                                       REAL *out, ptrdiff_t ld, const int R, const int V) {
    VEC sum[24];
    ptrdiff_t k;
    int r, v;
    UNROLL
    for (r = 0; r < R * V; r++) sum[r] = V_SET((REAL)0);
    for (k = 0; k < d; k++) {
        VEC z[3];
        UNROLL
        for (v = 0; v < V; v++) z[v] = V_LOAD(slots[v] + k * SIMD_TILE);
        UNROLL
        for (r = 0; r < R; r++) {
            const VEC x = V_SET(rows[r * d + k]);
            UNROLL
            for (v = 0; v < V; v++)
                sum[r * V + v] = V_ADD(sum[r * V + v], V_ABS(V_SUBTRACT(x, z[v])));
        }
    }
    UNROLL
    for (r = 0; r < R; r++) {
        UNROLL
        for (v = 0; v < V; v++) V_STORE(out + r * ld + v * VL, sum[r * V + v]);
    }
}

static void TYPED(manhattan_distances)(const void *samples, ptrdiff_t n_rows, ptrdiff_t d,
                                       const void *others, ptrdiff_t first, ptrdiff_t last,
                                       void *distances, ptrdiff_t ld) {
    const REAL *rows = (const REAL *)samples, *tiles = (const REAL *)others;
    REAL *out = (REAL *)distances;
    ptrdiff_t start, r, q;
    for (start = first; start < last; start += NARROW) {
        const ptrdiff_t groups = (start + NARROW < last ? NARROW : last - start) / VL;
        const REAL *slots[NARROW / VL];
        for (q = 0; q < groups; q++) {
            const ptrdiff_t slot = start + q * VL;
            slots[q] = tiles + slot / SIMD_TILE * SIMD_TILE * d + slot % SIMD_TILE;
        }
        for (r = 0; r < n_rows;) {
            const REAL *x = rows + r * d;
            REAL *to = out + r * ld + start;
            q = 0;
            if (r + MICRO_ROWS > n_rows) {
                for (; q < groups; q++)
                    TYPED(distance_micro)(x, d, slots + q, to + q * VL, ld, 1, 1);
                r++;
                continue;
            }
            for (; q + MICRO_VECTORS <= groups; q += MICRO_VECTORS)
                TYPED(distance_micro)(x, d, slots + q, to + q * VL, ld, MICRO_ROWS, MICRO_VECTORS);
            for (; q < groups; q++)
                TYPED(distance_micro)(x, d, slots + q, to + q * VL, ld, MICRO_ROWS, 1);
            r += MICRO_ROWS;
        }
    }
}

/* lanes[k * SIMD_TILE + lane] += sum over R samples of w |x[k] - z[k]| */
SIMD_INLINE void TYPED(difference_micro)(const REAL *rows, ptrdiff_t d, const REAL *tile,
                                         const REAL *weights, ptrdiff_t ld, REAL *lanes,
                                         const int R) {
    VEC w[8];
    ptrdiff_t k;
    int r;
    UNROLL
    for (r = 0; r < R; r++) w[r] = V_LOAD(weights + r * ld);
    for (k = 0; k < d; k++) {
        const VEC z = V_LOAD(tile + k * SIMD_TILE);
        VEC sum = V_LOAD(lanes + k * SIMD_TILE);
        UNROLL
        for (r = 0; r < R; r++)
            sum = V_FMA(w[r], V_ABS(V_SUBTRACT(V_SET(rows[r * d + k]), z)), sum);
        V_STORE(lanes + k * SIMD_TILE, sum);
    }
}

static void TYPED(manhattan_sums)(const void *samples, ptrdiff_t n_rows, ptrdiff_t d,
                                  const void *others, ptrdiff_t first, ptrdiff_t last,
                                  const void *their_weights, ptrdiff_t ld, void *scratch,
                                  double *sums) {
    const REAL *rows = (const REAL *)samples, *weights = (const REAL *)their_weights;
    REAL *lanes = (REAL *)scratch;
    ptrdiff_t slot, r, k;
    int q;
    for (slot = first; slot < last; slot += SIMD_TILE) {
        const REAL *tile = (const REAL *)others + slot * d;
        for (k = 0; k < d * SIMD_TILE; k++) lanes[k] = (REAL)0;
        for (r = 0; r + 8 <= n_rows; r += 8)
            for (q = 0; q < SIMD_TILE; q += VL)
                TYPED(difference_micro)(rows + r * d, d, tile + q, weights + r * ld + slot + q, ld,
                                        lanes + q, 8);
        for (; r < n_rows; r++)
            for (q = 0; q < SIMD_TILE; q += VL)
                TYPED(difference_micro)(rows + r * d, d, tile + q, weights + r * ld + slot + q, ld,
                                        lanes + q, 1);
        for (k = 0; k < d; k++)
            for (q = 0; q < SIMD_TILE; q++) sums[k] += (double)lanes[k * SIMD_TILE + q];
    }
}

static const simd_manhattan TYPED(manhattan) = {
    TYPED(manhattan_distances),
    TYPED(manhattan_sums),
};
