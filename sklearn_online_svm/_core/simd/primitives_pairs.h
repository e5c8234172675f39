/* Loops over pairs of a sample x and a stored vector z, for one term of the sums over features,
 * one element type and one SIMD level. Included by primitives_real.h once per term, with V_TERM(x,
 * z, sum), S_TERM(x, z, sum)   sum + t(x, z), of vectors and of scalars PAIRS(name) name of a
 * function which it undefines. The sums are called dots, as t is an inner product of features: the
 * exact one for t(x, z) = x z.
 */

/* ------------------------------------------------------------------ dense ----------------- */

/* Sums for R samples and V vectors of slots, accumulated in registers over all features.
 * R and V are constants of each call, so the loops over them are unrolled. */
SIMD_INLINE void PAIRS(micro)(const REAL *rows, ptrdiff_t n_features, const REAL *const *slots,
                              REAL *out, ptrdiff_t ld, const int R, const int V) {
    VEC acc[24];
    ptrdiff_t k;
    int r, v;
    UNROLL
    for (r = 0; r < R; r++) {
        UNROLL
        for (v = 0; v < V; v++) acc[r * V + v] = V_SET((REAL)0);
    }
    for (k = 0; k < n_features; k++) {
        VEC column[6];
        UNROLL
        for (v = 0; v < V; v++) column[v] = V_LOAD(slots[v] + k * SIMD_TILE);
        UNROLL
        for (r = 0; r < R; r++) {
            const VEC x = V_SET(rows[r * n_features + k]);
            UNROLL
            for (v = 0; v < V; v++) acc[r * V + v] = V_TERM(x, column[v], acc[r * V + v]);
        }
    }
    UNROLL
    for (r = 0; r < R; r++) {
        UNROLL
        for (v = 0; v < V; v++) V_STORE(out + r * ld + v * VL, acc[r * V + v]);
    }
}

static void PAIRS(dense_tiles)(const simd_map *map, const simd_rows *fresh, const void *stored,
                               const void *their_norms, const int32_t *wanted, ptrdiff_t n_wanted,
                               float *out) {
    REAL dots[WIDE];
    const REAL *slots[WIDE / VL];
    const REAL *tiles = (const REAL *)stored, *norms = (const REAL *)their_norms;
    const REAL *x = (const REAL *)fresh->rows;
    const REAL norm = *(const REAL *)fresh->norms;
    const ptrdiff_t d = fresh->n_features;
    ptrdiff_t start, t, q;
    for (start = 0; start < n_wanted; start += WIDE / SIMD_TILE) {
        const ptrdiff_t n =
            n_wanted - start < WIDE / SIMD_TILE ? n_wanted - start : WIDE / SIMD_TILE;
        const ptrdiff_t groups = n * SIMD_TILE / VL;
        for (q = 0; q < groups; q++)
            slots[q] = tiles + (ptrdiff_t)wanted[start + q * VL / SIMD_TILE] * SIMD_TILE * d +
                       q * VL % SIMD_TILE;
        for (q = 0; q + 6 <= groups; q += 6)
            PAIRS(micro)(x, d, slots + q, dots + q * VL, WIDE, 1, 6);
        for (; q < groups; q++) PAIRS(micro)(x, d, slots + q, dots + q * VL, WIDE, 1, 1);
        for (t = 0; t < n; t++)
            TYPED(map)(map, dots + t * SIMD_TILE, out + (start + t) * SIMD_TILE, SIMD_TILE, norm,
                       norms + (ptrdiff_t)wanted[start + t] * SIMD_TILE);
    }
}

static void PAIRS(dense_block)(const simd_map *map, const simd_rows *fresh, const void *stored,
                               const void *their_norms, ptrdiff_t first, ptrdiff_t last,
                               float *out, ptrdiff_t ld) {
    REAL dots[SIMD_BLOCK * NARROW];
    const REAL *tiles = (const REAL *)stored, *norms = (const REAL *)their_norms;
    const REAL *rows = (const REAL *)fresh->rows;
    const REAL *row_norms = (const REAL *)fresh->norms;
    const ptrdiff_t d = fresh->n_features, n_rows = fresh->n_rows;
    /* With few samples, more slots per pass keep as many additions in flight. */
    const ptrdiff_t chunk = n_rows < MICRO_ROWS ? WIDE : NARROW;
    ptrdiff_t start, r;
    for (start = first; start < last; start += chunk) {
        const ptrdiff_t size = start + chunk < last ? chunk : last - start;
        const ptrdiff_t groups = size / VL;
        const REAL *slots[WIDE / VL];
        ptrdiff_t q;
        for (q = 0; q < groups; q++) {
            const ptrdiff_t slot = start + q * VL;
            slots[q] = tiles + (slot / SIMD_TILE) * SIMD_TILE * d + slot % SIMD_TILE;
        }
        for (r = 0; r + MICRO_ROWS <= n_rows; r += MICRO_ROWS) {
            const REAL *x = rows + r * d;
            REAL *to = dots + r * chunk;
            for (q = 0; q + MICRO_VECTORS <= groups; q += MICRO_VECTORS)
                PAIRS(micro)(x, d, slots + q, to + q * VL, chunk, MICRO_ROWS, MICRO_VECTORS);
            for (; q < groups; q++)
                PAIRS(micro)(x, d, slots + q, to + q * VL, chunk, MICRO_ROWS, 1);
        }
        for (; r < n_rows; r++) {
            const REAL *x = rows + r * d;
            REAL *to = dots + r * chunk;
            for (q = 0; q + 6 <= groups; q += 6)
                PAIRS(micro)(x, d, slots + q, to + q * VL, chunk, 1, 6);
            for (; q < groups; q++) PAIRS(micro)(x, d, slots + q, to + q * VL, chunk, 1, 1);
        }
        for (r = 0; r < n_rows; r++)
            TYPED(map)(map, dots + r * chunk, out + r * ld + start, size, row_norms[r],
                       norms + start);
    }
}

static void PAIRS(dense_norms)(const void *samples, ptrdiff_t n_rows, ptrdiff_t d, void *out) {
    const REAL *SIMD_RESTRICT rows = (const REAL *)samples;
    REAL *SIMD_RESTRICT norms = (REAL *)out;
    ptrdiff_t r = 0, k;
    int q;
    /* Eight samples at a time, because one sum must be accumulated in order. */
    for (; r + 8 <= n_rows; r += 8) {
        REAL sums[8] = {0};
        const REAL *x = rows + r * d;
        for (k = 0; k < d; k++) {
            UNROLL
            for (q = 0; q < 8; q++) sums[q] = S_TERM(x[q * d + k], x[q * d + k], sums[q]);
        }
        for (q = 0; q < 8; q++) norms[r + q] = sums[q];
    }
    for (; r < n_rows; r++) {
        REAL sum = 0;
        const REAL *x = rows + r * d;
        for (k = 0; k < d; k++) sum = S_TERM(x[k], x[k], sum);
        norms[r] = sum;
    }
}

/* ------------------------------------------------------------------ sparse ---------------- */

/* Sums for one stored vector and V vectors of samples: each nonzero serves all of them. */
SIMD_INLINE void PAIRS(sparse_micro)(const REAL *panel, const int32_t *place, ptrdiff_t lanes,
                                     const int32_t *columns, const REAL *values, ptrdiff_t n,
                                     REAL *out, const int V) {
    VEC acc[4];
    ptrdiff_t k;
    int v;
    UNROLL
    for (v = 0; v < V; v++) acc[v] = V_SET((REAL)0);
    for (k = 0; k < n; k++) {
        const REAL *x = panel + (ptrdiff_t)place[columns[k]] * lanes;
        const VEC value = V_SET(values[k]);
        UNROLL
        for (v = 0; v < V; v++) acc[v] = V_TERM(value, V_LOAD(x + v * VL), acc[v]);
    }
    UNROLL
    for (v = 0; v < V; v++) V_STORE(out + v * VL, acc[v]);
}

/* Scalar, since there is one sample. Stored lengths are multiples of four, so that the loop is
 * unrolled without a remainder. */
static void PAIRS(sparse_tiles)(const simd_map *map, const simd_panel *fresh,
                                const simd_csr *stored, const void *their_norms,
                                const int32_t *wanted, ptrdiff_t first, ptrdiff_t n_wanted,
                                float *out) {
    const REAL *panel = (const REAL *)fresh->panel, *norms = (const REAL *)their_norms;
    const int32_t *place = fresh->place;
    const REAL norm = *(const REAL *)fresh->norms;
    const ptrdiff_t lanes = fresh->lanes;
    REAL dots[SIMD_TILE];
    ptrdiff_t t, k;
    int q;
    for (t = 0; t < n_wanted; t++) {
        const ptrdiff_t slot = (wanted ? wanted[t] : first + t) * SIMD_TILE;
        for (q = 0; q < SIMD_TILE; q++) {
            const int32_t *columns = stored->indices + stored->start[slot + q];
            const REAL *x = (const REAL *)stored->values + stored->start[slot + q];
            const ptrdiff_t n = stored->length[slot + q];
            REAL sum = (REAL)0;
            for (k = 0; k < n; k += 4) {
                sum = S_TERM(x[k], panel[place[columns[k]] * lanes], sum);
                sum = S_TERM(x[k + 1], panel[place[columns[k + 1]] * lanes], sum);
                sum = S_TERM(x[k + 2], panel[place[columns[k + 2]] * lanes], sum);
                sum = S_TERM(x[k + 3], panel[place[columns[k + 3]] * lanes], sum);
            }
            dots[q] = sum;
        }
        TYPED(map)(map, dots, out + t * SIMD_TILE, SIMD_TILE, norm, norms + slot);
    }
}

static void PAIRS(sparse_block)(const simd_map *map, const simd_panel *fresh,
                                const simd_csr *stored, const void *their_norms, ptrdiff_t first,
                                ptrdiff_t last, float *out, ptrdiff_t ld) {
    REAL dots[SIMD_BLOCK];
    float values[SIMD_TILE * SIMD_BLOCK];
    const REAL *panel = (const REAL *)fresh->panel, *norms = (const REAL *)their_norms;
    const ptrdiff_t lanes = fresh->lanes;
    ptrdiff_t start, r, l;
    int q;
    if (fresh->n_rows == 1) {
        PAIRS(sparse_tiles)(map, fresh, stored, norms, NULL, first / SIMD_TILE,
                            (last - first) / SIMD_TILE, out + first);
        return;
    }
    for (start = first; start < last; start += SIMD_TILE) {
        for (q = 0; q < SIMD_TILE; q++) {
            const ptrdiff_t slot = start + q;
            const int32_t *columns = stored->indices + stored->start[slot];
            const REAL *x = (const REAL *)stored->values + stored->start[slot];
            const ptrdiff_t n = stored->length[slot];
            for (l = 0; l + 4 * VL <= lanes; l += 4 * VL)
                PAIRS(sparse_micro)(panel + l, fresh->place, lanes, columns, x, n, dots + l, 4);
            for (; l < lanes; l += VL)
                PAIRS(sparse_micro)(panel + l, fresh->place, lanes, columns, x, n, dots + l, 1);
            TYPED(map)(map, dots, values + q * SIMD_BLOCK, lanes, norms[slot],
                       (const REAL *)fresh->norms);
        }
        for (r = 0; r < fresh->n_rows; r++)
            for (q = 0; q < SIMD_TILE; q++) out[r * ld + start + q] = values[q * SIMD_BLOCK + r];
    }
}

static void PAIRS(sparse_norm)(const void *values, ptrdiff_t n, void *norm) {
    const REAL *x = (const REAL *)values;
    REAL sum = 0;
    ptrdiff_t k;
    for (k = 0; k < n; k++) sum = S_TERM(x[k], x[k], sum);
    *(REAL *)norm = sum;
}

static const simd_pairs PAIRS(pairs) = {
    PAIRS(dense_block),  PAIRS(dense_tiles),  PAIRS(dense_norms),
    PAIRS(sparse_block), PAIRS(sparse_tiles), PAIRS(sparse_norm),
};

#undef V_TERM
#undef S_TERM
#undef PAIRS
