/* Loops over pairs of a sample x and a stored vector z, for one term of the sums over features,
 * one element type and one SIMD level. Included by primitives_real.h once per term, with
 *     V_TERM(x, z, sum), S_TERM(x, z, sum)   sum + t(x, z), of vectors and of scalars
 *     PAIRS(name)                            name of a function
 * which it undefines. The sums are called dots, as t is an inner product of features: the exact
 * one for t(x, z) = x z.
 *
 * NONNEGATIVE_PAIRS(name), if defined, is the same function for dense samples without negative
 * features; it is of a term with DENSE_ONLY, of which there are no other functions.
 *
 * With DIFFERENCES they are distances, and the functions write only the values of pairs with a
 * vector far from the origin. FAR_PAIRS(name), if defined, is such a function, which that of
 * another term calls at its end. ARE_WANTED tells whether there are values to be computed, of
 * n_rows samples of which n_far are far, with vectors of which n_far_stored are.
 */
#ifdef DIFFERENCES
#define MAP TYPED(map_of_distances)
#define ARE_WANTED(n_far, n_rows, n_far_stored) ((n_far) > 0 || (n_far_stored) > 0)
#else
#define MAP TYPED(map)
#define ARE_WANTED(n_far, n_rows, n_far_stored) ((n_far) < (n_rows))
#endif
#ifdef FAR_PAIRS
#define ADD_FAR(name, ...) \
    if (map->far < INFINITY) FAR_PAIRS(name)(__VA_ARGS__)
#else
#define ADD_FAR(name, ...) ((void)0)
#endif
#ifdef NONNEGATIVE_PAIRS
#define IF_NONNEGATIVE(name, ...)                                                               \
    if (TYPED(are_nonnegative)((const REAL *)fresh->rows, fresh->n_rows * fresh->n_features)) { \
        NONNEGATIVE_PAIRS(name)(__VA_ARGS__);                                                   \
        return;                                                                                 \
    }
#else
#define IF_NONNEGATIVE(name, ...)
#endif

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
    const ptrdiff_t d = fresh->n_features, n_far = TYPED(count_far)(map, &norm, 1);
    ptrdiff_t start, t, q;
    IF_NONNEGATIVE(dense_tiles, map, fresh, stored, their_norms, wanted, n_wanted, out)
    for (start = 0; start < n_wanted; start += WIDE / SIMD_TILE) {
        const ptrdiff_t n =
            n_wanted - start < WIDE / SIMD_TILE ? n_wanted - start : WIDE / SIMD_TILE;
        const ptrdiff_t groups = n * SIMD_TILE / VL;
        if (!ARE_WANTED(n_far, 1, TYPED(count_far_in)(map, norms, wanted + start, n))) continue;
        for (q = 0; q < groups; q++)
            slots[q] = tiles + (ptrdiff_t)wanted[start + q * VL / SIMD_TILE] * SIMD_TILE * d +
                       q * VL % SIMD_TILE;
        for (q = 0; q + 6 <= groups; q += 6)
            PAIRS(micro)(x, d, slots + q, dots + q * VL, WIDE, 1, 6);
        for (; q < groups; q++) PAIRS(micro)(x, d, slots + q, dots + q * VL, WIDE, 1, 1);
        for (t = 0; t < n; t++)
            MAP(map, dots + t * SIMD_TILE, out + (start + t) * SIMD_TILE, SIMD_TILE, norm,
                norms + (ptrdiff_t)wanted[start + t] * SIMD_TILE);
    }
    ADD_FAR(dense_tiles, map, fresh, stored, their_norms, wanted, n_wanted, out);
}

static void PAIRS(dense_block)(const simd_map *map, const simd_rows *fresh, const void *stored,
                               const void *their_norms, ptrdiff_t first, ptrdiff_t last,
                               float *out, ptrdiff_t ld) {
    REAL dots[SIMD_BLOCK * NARROW];
    const REAL *tiles = (const REAL *)stored, *norms = (const REAL *)their_norms;
    const REAL *rows = (const REAL *)fresh->rows;
    const REAL *row_norms = (const REAL *)fresh->norms;
    const ptrdiff_t d = fresh->n_features, n_rows = fresh->n_rows;
    const ptrdiff_t n_far = TYPED(count_far)(map, row_norms, n_rows);
    /* With few samples, more slots per pass keep as many additions in flight. */
    const ptrdiff_t chunk = n_rows < MICRO_ROWS ? WIDE : NARROW;
    ptrdiff_t start, r;
    IF_NONNEGATIVE(dense_block, map, fresh, stored, their_norms, first, last, out, ld)
    for (start = first; start < last; start += chunk) {
        const ptrdiff_t size = start + chunk < last ? chunk : last - start;
        const ptrdiff_t groups = size / VL;
        const REAL *slots[WIDE / VL];
        ptrdiff_t q;
        if (!ARE_WANTED(n_far, n_rows, TYPED(count_far)(map, norms + start, size))) continue;
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
            MAP(map, dots + r * chunk, out + r * ld + start, size, row_norms[r], norms + start);
    }
    ADD_FAR(dense_block, map, fresh, stored, their_norms, first, last, out, ld);
}

#if !defined(DIFFERENCES) && !defined(DENSE_ONLY)

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

#endif

/* ------------------------------------------------------------------ sparse ---------------- */

#if defined(DIFFERENCES)

/* Sum for a sample and a stored vector, over the columns of both in ascending order, as for dense
 * vectors. Zeros with which they are padded add nothing. */
static REAL PAIRS(merged)(const simd_csr *fresh, ptrdiff_t row, const int32_t *their_columns,
                          const REAL *z, ptrdiff_t their_n) {
    const int32_t *columns = fresh->indices + fresh->start[row];
    const REAL *x = (const REAL *)fresh->values + fresh->start[row];
    const ptrdiff_t n = fresh->length[row];
    ptrdiff_t i = 0, j = 0;
    REAL sum = 0;
    while (i < n || j < their_n) {
        const int32_t column = i < n ? columns[i] : INT32_MAX;
        const int32_t their_column = j < their_n ? their_columns[j] : INT32_MAX;
        const int in_x = column <= their_column, in_z = their_column <= column;
        sum = S_TERM(in_x ? x[i] : (REAL)0, in_z ? z[j] : (REAL)0, sum);
        i += in_x;
        j += in_z;
    }
    return sum;
}

/* The same for one stored vector and V vectors of samples. */
SIMD_INLINE void PAIRS(sparse_micro)(const simd_panel *fresh, ptrdiff_t lane,
                                     const int32_t *columns, const REAL *z, ptrdiff_t n, REAL *out,
                                     const int V) {
    const REAL *panel = (const REAL *)fresh->panel + lane;
    VEC acc[4];
    ptrdiff_t i = 0, j = 0;
    int v;
    UNROLL
    for (v = 0; v < V; v++) acc[v] = V_SET((REAL)0);
    while (i < fresh->n_columns || j < n) {
        const int32_t column = i < fresh->n_columns ? fresh->columns[i] : INT32_MAX;
        const int32_t their_column = j < n ? columns[j] : INT32_MAX;
        const int in_x = column <= their_column, in_z = their_column <= column;
        const REAL *x = panel + (in_x ? (ptrdiff_t)fresh->place[column] : 0) * fresh->lanes;
        const VEC value = V_SET(in_z ? z[j] : (REAL)0);
        UNROLL
        for (v = 0; v < V; v++) acc[v] = V_TERM(value, V_LOAD(x + v * VL), acc[v]);
        i += in_x;
        j += in_z;
    }
    UNROLL
    for (v = 0; v < V; v++) V_STORE(out + v * VL, acc[v]);
}

/* Values of the first samples of a block with the slots of a tile. */
static void PAIRS(sparse_tile)(const simd_map *map, const simd_panel *fresh, ptrdiff_t n_rows,
                               const simd_csr *stored, const REAL *norms, ptrdiff_t slot,
                               float *out, ptrdiff_t ld) {
    const REAL *row_norms = (const REAL *)fresh->norms;
    const ptrdiff_t n_far = TYPED(count_far)(map, row_norms, n_rows);
    REAL sums[SIMD_TILE * SIMD_BLOCK], dots[SIMD_TILE];
    ptrdiff_t l, r;
    int q;
    if (!ARE_WANTED(n_far, n_rows, TYPED(count_far)(map, norms + slot, SIMD_TILE))) return;
    for (q = 0; q < SIMD_TILE; q++) {
        const int32_t *columns = stored->indices + stored->start[slot + q];
        const REAL *z = (const REAL *)stored->values + stored->start[slot + q];
        const ptrdiff_t n = stored->length[slot + q];
        REAL *to = sums + q * SIMD_BLOCK;
        for (r = 0; r < n_rows && fresh->n_columns == 0; r++)
            to[r] = PAIRS(merged)(&fresh->csr, r, columns, z, n);
        for (l = 0; l < n_rows && l + 4 * VL <= fresh->lanes && fresh->n_columns > 0; l += 4 * VL)
            PAIRS(sparse_micro)(fresh, l, columns, z, n, to + l, 4);
        for (; l < n_rows && fresh->n_columns > 0; l += VL)
            PAIRS(sparse_micro)(fresh, l, columns, z, n, to + l, 1);
    }
    for (r = 0; r < n_rows; r++) {
        for (q = 0; q < SIMD_TILE; q++) dots[q] = sums[q * SIMD_BLOCK + r];
        MAP(map, dots, out + r * ld, SIMD_TILE, row_norms[r], norms + slot);
    }
}

static void PAIRS(sparse_tiles)(const simd_map *map, const simd_panel *fresh,
                                const simd_csr *stored, const void *norms, const int32_t *wanted,
                                ptrdiff_t first, ptrdiff_t n_wanted, float *out) {
    ptrdiff_t t;
    for (t = 0; t < n_wanted; t++)
        PAIRS(sparse_tile)(map, fresh, 1, stored, (const REAL *)norms,
                           (wanted ? wanted[t] : first + t) * SIMD_TILE, out + t * SIMD_TILE, 0);
}

static void PAIRS(sparse_block)(const simd_map *map, const simd_panel *fresh,
                                const simd_csr *stored, const void *norms, ptrdiff_t first,
                                ptrdiff_t last, float *out, ptrdiff_t ld) {
    ptrdiff_t slot;
    for (slot = first; slot < last; slot += SIMD_TILE)
        PAIRS(sparse_tile)(map, fresh, fresh->n_rows, stored, (const REAL *)norms, slot,
                           out + slot, ld);
}

#elif !defined(DENSE_ONLY)

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
    const ptrdiff_t lanes = fresh->lanes, n_far = TYPED(count_far)(map, &norm, 1);
    REAL dots[SIMD_TILE];
    ptrdiff_t t, k;
    int q;
    for (t = 0; t < n_wanted && ARE_WANTED(n_far, 1, 0); t++) {
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
        MAP(map, dots, out + t * SIMD_TILE, SIMD_TILE, norm, norms + slot);
    }
    ADD_FAR(sparse_tiles, map, fresh, stored, their_norms, wanted, first, n_wanted, out);
}

static void PAIRS(sparse_block)(const simd_map *map, const simd_panel *fresh,
                                const simd_csr *stored, const void *their_norms, ptrdiff_t first,
                                ptrdiff_t last, float *out, ptrdiff_t ld) {
    REAL dots[SIMD_BLOCK];
    float values[SIMD_TILE * SIMD_BLOCK];
    const REAL *panel = (const REAL *)fresh->panel, *norms = (const REAL *)their_norms;
    const REAL *row_norms = (const REAL *)fresh->norms;
    const ptrdiff_t lanes = fresh->lanes, n_rows = fresh->n_rows;
    const ptrdiff_t n_far = TYPED(count_far)(map, row_norms, n_rows);
    ptrdiff_t start, r, l;
    int q;
    if (n_rows == 1) {
        PAIRS(sparse_tiles)(map, fresh, stored, norms, NULL, first / SIMD_TILE,
                            (last - first) / SIMD_TILE, out + first);
        return;
    }
    for (start = first; start < last && ARE_WANTED(n_far, n_rows, 0); start += SIMD_TILE) {
        for (q = 0; q < SIMD_TILE; q++) {
            const ptrdiff_t slot = start + q;
            const int32_t *columns = stored->indices + stored->start[slot];
            const REAL *x = (const REAL *)stored->values + stored->start[slot];
            const ptrdiff_t n = stored->length[slot];
            for (l = 0; l + 4 * VL <= lanes; l += 4 * VL)
                PAIRS(sparse_micro)(panel + l, fresh->place, lanes, columns, x, n, dots + l, 4);
            for (; l < lanes; l += VL)
                PAIRS(sparse_micro)(panel + l, fresh->place, lanes, columns, x, n, dots + l, 1);
            MAP(map, dots, values + q * SIMD_BLOCK, lanes, norms[slot], row_norms);
        }
        for (r = 0; r < n_rows; r++)
            for (q = 0; q < SIMD_TILE; q++) out[r * ld + start + q] = values[q * SIMD_BLOCK + r];
    }
    ADD_FAR(sparse_block, map, fresh, stored, their_norms, first, last, out, ld);
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

#endif

#undef MAP
#undef ARE_WANTED
#undef ADD_FAR
#undef IF_NONNEGATIVE
#undef V_TERM
#undef S_TERM
#undef PAIRS
