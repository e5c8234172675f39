/* Kernel values for one element type (REAL) at one SIMD level. Included by primitives_level.h.
 *
 * Problem: K(x, z) for a block of samples x and the stored vectors z, with the contract of
 * primitives.h. All kernels are functions (map) of the dot product x.z and of the squared norms:
 *     linear x.z, poly (gamma x.z + coef0)^degree, sigmoid tanh(gamma x.z + coef0),
 *     rbf exp(-gamma |x - z|^2) with |x - z|^2 = |x|^2 + |z|^2 - 2 x.z.
 * Stored dense vectors are in tiles of SIMD_TILE slots, feature by feature, so that one vector
 * register holds the same feature of several slots. Of sparse samples the block is transposed.
 */

/* base^degree by squaring, for degrees above SIMD_LOW_DEGREE. */
static REAL TYPED(high_power)(REAL base, int degree) {
    REAL power = (REAL)1;
    for (; degree > 0; degree >>= 1) {
        if (degree & 1) power *= base;
        base *= base;
    }
    return power;
}

/* Kernel values from n dot products (a multiple of the tile) of one vector with others; norm and
 * norms are the squared norms. SIMD_CENTRED is the linear kernel relative to an offset m,
 * (x - m).(z - m), with x.m - m.m / 2 instead of squared norms. */
static void TYPED(map)(const simd_map *map, const REAL *SIMD_RESTRICT dots,
                       float *SIMD_RESTRICT out, ptrdiff_t n, REAL norm,
                       const REAL *SIMD_RESTRICT norms) {
    const REAL gamma = (REAL)map->gamma, coef0 = (REAL)map->coef0, minus = -gamma;
    ptrdiff_t i;
    int e;
    switch (map->kind) {
        case SIMD_LINEAR:
            for (i = 0; i < n; i++) out[i] = (float)dots[i];
            break;
        case SIMD_CENTRED:
            for (i = 0; i < n; i++) out[i] = (float)(dots[i] - (norm + norms[i]));
            break;
        case SIMD_POLY:
            if (map->degree > SIMD_LOW_DEGREE) {
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
        case SIMD_RBF:
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

/* Dot products of R samples with V vectors of slots, accumulated in registers over all features.
 * R and V are constants of each call, so the loops over them are unrolled. */
SIMD_INLINE void TYPED(micro)(const REAL *rows, ptrdiff_t n_features, const REAL *const *slots,
                              REAL *out, ptrdiff_t ld, const int R, const int V) {
    VEC acc[24];
    ptrdiff_t k;
    int r, v;
    SIMD_UNROLL
    for (r = 0; r < R; r++) {
        SIMD_UNROLL
        for (v = 0; v < V; v++) acc[r * V + v] = V_SET((REAL)0);
    }
    for (k = 0; k < n_features; k++) {
        VEC column[6];
        SIMD_UNROLL
        for (v = 0; v < V; v++) column[v] = V_LOAD(slots[v] + k * SIMD_TILE);
        SIMD_UNROLL
        for (r = 0; r < R; r++) {
            const VEC x = V_SET(rows[r * n_features + k]);
            SIMD_UNROLL
            for (v = 0; v < V; v++) acc[r * V + v] = V_FMA(x, column[v], acc[r * V + v]);
        }
    }
    SIMD_UNROLL
    for (r = 0; r < R; r++) {
        SIMD_UNROLL
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

/* Slots per pass: their dot products stay in the first-level cache until they are mapped. */
#define WIDE 192
#define NARROW 48

static void TYPED(dense_tiles)(const simd_map *map, const simd_rows *fresh, const REAL *tiles,
                               const REAL *norms, const int32_t *wanted, ptrdiff_t n_wanted,
                               float *out) {
    REAL dots[WIDE];
    const REAL *slots[WIDE / VL];
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
            TYPED(micro)(x, d, slots + q, dots + q * VL, WIDE, 1, 6);
        for (; q < groups; q++) TYPED(micro)(x, d, slots + q, dots + q * VL, WIDE, 1, 1);
        for (t = 0; t < n; t++)
            TYPED(map)(map, dots + t * SIMD_TILE, out + (start + t) * SIMD_TILE, SIMD_TILE, norm,
                       norms + (ptrdiff_t)wanted[start + t] * SIMD_TILE);
    }
}

static void TYPED(dense_block)(const simd_map *map, const simd_rows *fresh, const REAL *tiles,
                               const REAL *norms, ptrdiff_t first, ptrdiff_t last, float *out,
                               ptrdiff_t ld) {
    REAL dots[SIMD_BLOCK * NARROW];
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

static void TYPED(dense_norms)(const REAL *SIMD_RESTRICT rows, ptrdiff_t n_rows, ptrdiff_t d,
                               REAL *SIMD_RESTRICT norms) {
    ptrdiff_t r = 0, k;
    int q;
    /* Eight samples at a time, because one sum must be accumulated in order. */
    for (; r + 8 <= n_rows; r += 8) {
        REAL sums[8] = {0};
        const REAL *x = rows + r * d;
        for (k = 0; k < d; k++) {
            SIMD_UNROLL
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

/* Dot products of one stored vector with V vectors of samples: each nonzero serves all of them. */
SIMD_INLINE void TYPED(sparse_micro)(const REAL *panel, const int32_t *place, ptrdiff_t lanes,
                                     const int32_t *columns, const REAL *values, ptrdiff_t n,
                                     REAL *out, const int V) {
    VEC acc[4];
    ptrdiff_t k;
    int v;
    SIMD_UNROLL
    for (v = 0; v < V; v++) acc[v] = V_SET((REAL)0);
    for (k = 0; k < n; k++) {
        const REAL *x = panel + (ptrdiff_t)place[columns[k]] * lanes;
        const VEC value = V_SET(values[k]);
        SIMD_UNROLL
        for (v = 0; v < V; v++) acc[v] = V_FMA(value, V_LOAD(x + v * VL), acc[v]);
    }
    SIMD_UNROLL
    for (v = 0; v < V; v++) V_STORE(out + v * VL, acc[v]);
}

/* Scalar, since there is one sample. Stored lengths are multiples of four, so that the loop is
 * unrolled without a remainder. */
static void TYPED(sparse_tiles)(const simd_map *map, const simd_panel *fresh,
                                const simd_csr *stored, const REAL *norms, const int32_t *wanted,
                                ptrdiff_t first, ptrdiff_t n_wanted, float *out) {
    const REAL *panel = (const REAL *)fresh->panel;
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
                sum = S_FMA(x[k], panel[place[columns[k]] * lanes], sum);
                sum = S_FMA(x[k + 1], panel[place[columns[k + 1]] * lanes], sum);
                sum = S_FMA(x[k + 2], panel[place[columns[k + 2]] * lanes], sum);
                sum = S_FMA(x[k + 3], panel[place[columns[k + 3]] * lanes], sum);
            }
            dots[q] = sum;
        }
        TYPED(map)(map, dots, out + t * SIMD_TILE, SIMD_TILE, norm, norms + slot);
    }
}

static void TYPED(sparse_block)(const simd_map *map, const simd_panel *fresh,
                                const simd_csr *stored, const REAL *norms, ptrdiff_t first,
                                ptrdiff_t last, float *out, ptrdiff_t ld) {
    REAL dots[SIMD_BLOCK];
    float values[SIMD_TILE * SIMD_BLOCK];
    const REAL *panel = (const REAL *)fresh->panel;
    const ptrdiff_t lanes = fresh->lanes;
    ptrdiff_t start, r, l;
    int q;
    if (fresh->n_rows == 1) {
        TYPED(sparse_tiles)(map, fresh, stored, norms, NULL, first / SIMD_TILE,
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
                TYPED(sparse_micro)(panel + l, fresh->place, lanes, columns, x, n, dots + l, 4);
            for (; l < lanes; l += VL)
                TYPED(sparse_micro)(panel + l, fresh->place, lanes, columns, x, n, dots + l, 1);
            TYPED(map)(map, dots, values + q * SIMD_BLOCK, lanes, norms[slot],
                       (const REAL *)fresh->norms);
        }
        for (r = 0; r < fresh->n_rows; r++)
            for (q = 0; q < SIMD_TILE; q++) out[r * ld + start + q] = values[q * SIMD_BLOCK + r];
    }
}

static REAL TYPED(sparse_norm)(const REAL *values, ptrdiff_t n) {
    REAL sum = 0;
    ptrdiff_t k;
    for (k = 0; k < n; k++) sum = S_FMA(values[k], values[k], sum);
    return sum;
}
