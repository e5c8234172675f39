/* Kernel blocks for one element type (REAL) at one SIMD level. Included by leaves_level.h. */

/* base^degree, by squaring: degrees beyond those that the loop of map() takes. */
static REAL TYPED(high_power)(REAL base, int degree) {
    REAL power = (REAL)1;
    for (; degree > 0; degree >>= 1) {
        if (degree & 1) power *= base;
        base *= base;
    }
    return power;
}

/* Dot product -> kernel value, for n values (a multiple of the tile) that share one vector:
 * norm is its squared norm, norms those of the others. The linear kernel of rows taken relative to
 * an offset m, (x - m).(z - m), wants x.m - m.m / 2 in their place. */
static void TYPED(map)(const leaves_map *map, const REAL *LEAVES_RESTRICT dots,
                       float *LEAVES_RESTRICT out, ptrdiff_t n, REAL norm,
                       const REAL *LEAVES_RESTRICT norms) {
    const REAL gamma = (REAL)map->gamma, coef0 = (REAL)map->coef0, minus = -gamma;
    ptrdiff_t i;
    int e;
    switch (map->kind) {
        case LEAVES_LINEAR:
            for (i = 0; i < n; i++) out[i] = (float)dots[i];
            break;
        case LEAVES_CENTRED:
            for (i = 0; i < n; i++) out[i] = (float)(dots[i] - (norm + norms[i]));
            break;
        case LEAVES_POLY:
            if (map->degree > LEAVES_LOW_DEGREE) {
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
        case LEAVES_RBF:
            for (i = 0; i < n; i++) {
                REAL square = S_FMA((REAL)-2, dots[i], norm + norms[i]);
                square = square > (REAL)0 ? square : (REAL)0;
                out[i] = (float)EXP(minus * square);
            }
            break;
        default: /* tanh(z) = 1 - 2 / (exp(2 z) + 1) */
            for (i = 0; i < n; i++) {
                const REAL z = S_FMA(gamma, dots[i], coef0);
                out[i] = (float)((REAL)1 - (REAL)2 / (EXP((REAL)2 * z) + (REAL)1));
            }
    }
}

/* ------------------------------------------------------------------ dense ----------------- */

/* R fresh rows by V vectors of slots, held in registers over all features. R and V are
 * compile-time constants at every call, so the loops over them unroll. */
LEAVES_INLINE void TYPED(micro)(const REAL *rows, ptrdiff_t n_features, const REAL *const *slots,
                                REAL *out, ptrdiff_t ld, const int R, const int V) {
    VEC acc[24];
    ptrdiff_t k;
    int r, v;
    LEAVES_UNROLL
    for (r = 0; r < R; r++) {
        LEAVES_UNROLL
        for (v = 0; v < V; v++) acc[r * V + v] = V_SET((REAL)0);
    }
    for (k = 0; k < n_features; k++) {
        VEC column[6];
        LEAVES_UNROLL
        for (v = 0; v < V; v++) column[v] = V_LOAD(slots[v] + k * LEAVES_TILE);
        LEAVES_UNROLL
        for (r = 0; r < R; r++) {
            const VEC x = V_SET(rows[r * n_features + k]);
            LEAVES_UNROLL
            for (v = 0; v < V; v++) acc[r * V + v] = V_FMA(x, column[v], acc[r * V + v]);
        }
    }
    LEAVES_UNROLL
    for (r = 0; r < R; r++) {
        LEAVES_UNROLL
        for (v = 0; v < V; v++) V_STORE(out + r * ld + v * VL, acc[r * V + v]);
    }
}

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

/* Slots done at once: their dot products stay in the first-level cache until mapped. */
#define WIDE 192
#define NARROW 48

/* The first fresh row against the slots of some tiles: out[t * 16 + lane]. */
static void TYPED(dense_tiles)(const leaves_map *map, const leaves_rows *fresh, const REAL *tiles,
                               const REAL *norms, const int32_t *wanted, ptrdiff_t n_wanted,
                               float *out) {
    REAL dots[WIDE];
    const REAL *slots[WIDE / VL];
    const REAL *x = (const REAL *)fresh->rows;
    const REAL norm = *(const REAL *)fresh->norms;
    const ptrdiff_t d = fresh->n_features;
    ptrdiff_t start, t, q;
    for (start = 0; start < n_wanted; start += WIDE / LEAVES_TILE) {
        const ptrdiff_t n =
            n_wanted - start < WIDE / LEAVES_TILE ? n_wanted - start : WIDE / LEAVES_TILE;
        const ptrdiff_t groups = n * LEAVES_TILE / VL;
        for (q = 0; q < groups; q++)
            slots[q] = tiles + (ptrdiff_t)wanted[start + q * VL / LEAVES_TILE] * LEAVES_TILE * d +
                       q * VL % LEAVES_TILE;
        for (q = 0; q + 6 <= groups; q += 6)
            TYPED(micro)(x, d, slots + q, dots + q * VL, WIDE, 1, 6);
        for (; q < groups; q++) TYPED(micro)(x, d, slots + q, dots + q * VL, WIDE, 1, 1);
        for (t = 0; t < n; t++)
            TYPED(map)(map, dots + t * LEAVES_TILE, out + (start + t) * LEAVES_TILE, LEAVES_TILE,
                       norm, norms + (ptrdiff_t)wanted[start + t] * LEAVES_TILE);
    }
}

static void TYPED(dense_block)(const leaves_map *map, const leaves_rows *fresh, const REAL *tiles,
                               const REAL *norms, ptrdiff_t first, ptrdiff_t last, float *out,
                               ptrdiff_t ld) {
    REAL dots[LEAVES_BLOCK * NARROW];
    const REAL *rows = (const REAL *)fresh->rows;
    const REAL *row_norms = (const REAL *)fresh->norms;
    const ptrdiff_t d = fresh->n_features, n_rows = fresh->n_rows;
    /* Few rows: more slots at once, as many chains of additions are then in flight. */
    const ptrdiff_t chunk = n_rows < MICRO_ROWS ? WIDE : NARROW;
    ptrdiff_t start, r;
    for (start = first; start < last; start += chunk) {
        const ptrdiff_t size = start + chunk < last ? chunk : last - start;
        const ptrdiff_t groups = size / VL;
        const REAL *slots[WIDE / VL];
        ptrdiff_t q;
        for (q = 0; q < groups; q++) {
            const ptrdiff_t slot = start + q * VL;
            slots[q] = tiles + (slot / LEAVES_TILE) * LEAVES_TILE * d + slot % LEAVES_TILE;
        }
        for (r = 0; r + MICRO_ROWS <= n_rows; r += MICRO_ROWS) {
            const REAL *x = rows + r * d;
            REAL *to = dots + r * chunk;
            for (q = 0; q + MICRO_VECTORS <= groups; q += MICRO_VECTORS)
                TYPED(micro)(x, d, slots + q, to + q * VL, chunk, MICRO_ROWS, MICRO_VECTORS);
            for (; q < groups; q++)
                TYPED(micro)(x, d, slots + q, to + q * VL, chunk, MICRO_ROWS, 1);
        }
        for (; r < n_rows; r++) {
            const REAL *x = rows + r * d;
            REAL *to = dots + r * chunk;
            for (q = 0; q + 6 <= groups; q += 6)
                TYPED(micro)(x, d, slots + q, to + q * VL, chunk, 1, 6);
            for (; q < groups; q++) TYPED(micro)(x, d, slots + q, to + q * VL, chunk, 1, 1);
        }
        for (r = 0; r < n_rows; r++)
            TYPED(map)(map, dots + r * chunk, out + r * ld + start, size, row_norms[r],
                       norms + start);
    }
}

static void TYPED(dense_norms)(const REAL *LEAVES_RESTRICT rows, ptrdiff_t n_rows, ptrdiff_t d,
                               REAL *LEAVES_RESTRICT norms) {
    ptrdiff_t r = 0, k;
    int q;
    /* Eight rows at a time: each sum is one chain, eight chains hide its latency. */
    for (; r + 8 <= n_rows; r += 8) {
        REAL sums[8] = {0};
        const REAL *x = rows + r * d;
        for (k = 0; k < d; k++) {
            LEAVES_UNROLL
            for (q = 0; q < 8; q++) sums[q] = S_FMA(x[q * d + k], x[q * d + k], sums[q]);
        }
        for (q = 0; q < 8; q++) norms[r + q] = sums[q];
    }
    for (; r < n_rows; r++) {
        REAL sum = 0;
        const REAL *x = rows + r * d;
        for (k = 0; k < d; k++) sum = S_FMA(x[k], x[k], sum);
        norms[r] = sum;
    }
}

#undef WIDE
#undef NARROW
#undef MICRO_ROWS
#undef MICRO_VECTORS

/* ------------------------------------------------------------------ sparse ---------------- */

/* One stored vector by V vectors of fresh rows: each nonzero serves all of them. */
LEAVES_INLINE void TYPED(sparse_micro)(const REAL *panel, const int32_t *place, ptrdiff_t lanes,
                                       const int32_t *columns, const REAL *values, ptrdiff_t n,
                                       REAL *out, const int V) {
    VEC acc[4];
    ptrdiff_t k;
    int v;
    LEAVES_UNROLL
    for (v = 0; v < V; v++) acc[v] = V_SET((REAL)0);
    for (k = 0; k < n; k++) {
        const REAL *x = panel + (ptrdiff_t)place[columns[k]] * lanes;
        const VEC value = V_SET(values[k]);
        LEAVES_UNROLL
        for (v = 0; v < V; v++) acc[v] = V_FMA(value, V_LOAD(x + v * VL), acc[v]);
    }
    LEAVES_UNROLL
    for (v = 0; v < V; v++) V_STORE(out + v * VL, acc[v]);
}

/* The first fresh row against the slots of some tiles (those from `first` on when `wanted` is
 * NULL): vectors would carry one value each, so there is one chain of sums per slot. Stored
 * lengths are multiples of four: a short loop of constant length does not mispredict. */
static void TYPED(sparse_tiles)(const leaves_map *map, const leaves_panel *fresh,
                                const leaves_csr *stored, const REAL *norms, const int32_t *wanted,
                                ptrdiff_t first, ptrdiff_t n_wanted, float *out) {
    const REAL *panel = (const REAL *)fresh->panel;
    const int32_t *place = fresh->place;
    const REAL norm = *(const REAL *)fresh->norms;
    const ptrdiff_t lanes = fresh->lanes;
    REAL dots[LEAVES_TILE];
    ptrdiff_t t, k;
    int q;
    for (t = 0; t < n_wanted; t++) {
        const ptrdiff_t slot = (wanted ? wanted[t] : first + t) * LEAVES_TILE;
        for (q = 0; q < LEAVES_TILE; q++) {
            const int32_t *columns = stored->indices + stored->start[slot + q];
            const REAL *x = (const REAL *)stored->values + stored->start[slot + q];
            const ptrdiff_t n = stored->length[slot + q];
            REAL sum = (REAL)0;
            for (k = 0; k < n; k += 4) {
                sum = S_FMA(x[k], panel[place[columns[k]] * lanes], sum);
                sum = S_FMA(x[k + 1], panel[place[columns[k + 1]] * lanes], sum);
                sum = S_FMA(x[k + 2], panel[place[columns[k + 2]] * lanes], sum);
                sum = S_FMA(x[k + 3], panel[place[columns[k + 3]] * lanes], sum);
            }
            dots[q] = sum;
        }
        TYPED(map)(map, dots, out + t * LEAVES_TILE, LEAVES_TILE, norm, norms + slot);
    }
}

static void TYPED(sparse_block)(const leaves_map *map, const leaves_panel *fresh,
                                const leaves_csr *stored, const REAL *norms, ptrdiff_t first,
                                ptrdiff_t last, float *out, ptrdiff_t ld) {
    REAL dots[LEAVES_BLOCK];
    float values[LEAVES_TILE * LEAVES_BLOCK];
    const REAL *panel = (const REAL *)fresh->panel;
    const ptrdiff_t lanes = fresh->lanes;
    ptrdiff_t start, r, l;
    int q;
    if (fresh->n_rows == 1) {
        TYPED(sparse_tiles)(map, fresh, stored, norms, NULL, first / LEAVES_TILE,
                            (last - first) / LEAVES_TILE, out + first);
        return;
    }
    for (start = first; start < last; start += LEAVES_TILE) {
        for (q = 0; q < LEAVES_TILE; q++) {
            const ptrdiff_t slot = start + q;
            const int32_t *columns = stored->indices + stored->start[slot];
            const REAL *x = (const REAL *)stored->values + stored->start[slot];
            const ptrdiff_t n = stored->length[slot];
            for (l = 0; l + 4 * VL <= lanes; l += 4 * VL)
                TYPED(sparse_micro)(panel + l, fresh->place, lanes, columns, x, n, dots + l, 4);
            for (; l < lanes; l += VL)
                TYPED(sparse_micro)(panel + l, fresh->place, lanes, columns, x, n, dots + l, 1);
            TYPED(map)(map, dots, values + q * LEAVES_BLOCK, lanes, norms[slot],
                       (const REAL *)fresh->norms);
        }
        for (r = 0; r < fresh->n_rows; r++)
            for (q = 0; q < LEAVES_TILE; q++)
                out[r * ld + start + q] = values[q * LEAVES_BLOCK + r];
    }
}

static REAL TYPED(sparse_norm)(const REAL *values, ptrdiff_t n) {
    REAL sum = 0;
    ptrdiff_t k;
    for (k = 0; k < n; k++) sum = S_FMA(values[k], values[k], sum);
    return sum;
}
