/* Print a digest of the results of each primitive at each SIMD level of this machine.
 *
 *     cc -O3 -ffp-contract=off -I .../_core/simd -I .../_core/linear primitive_bits.c -lm
 *
 * Lines "level primitive digest". The digests of a primitive are equal at all levels that round a
 * product and a sum once, on any architecture. Inputs are computed without rounding.
 */
#include <stdio.h>
#include <stdlib.h>

#include "primitives_levels.h"

enum { MOST = 1100, FEATURES = 70, ROWS = 21, SLOTS = 64, CLASSES = 37 };

static const ptrdiff_t LENGTHS[] = {0,  1,  2,  3,  4,  5,  6,  7,  8,   9,   10,  11,  12,
                                    13, 14, 15, 16, 17, 18, 19, 20, 21,  22,  23,  24,  25,
                                    26, 27, 28, 29, 30, 31, 32, 33, 34,  35,  39,  40,  41,
                                    47, 48, 49, 63, 64, 65, 70, 99, 511, 512, 513, 1029};
enum { N_LENGTHS = sizeof LENGTHS / sizeof *LENGTHS };

static uint64_t seed, digest;

/* Uniform in [-1, 1), with all digits of a double. */
static double number(void) {
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    return (double)((int64_t)(seed >> 11) - (1ll << 52)) / (double)(1ll << 52);
}

static void add_bytes(const void *data, size_t n) {
    const unsigned char *bytes = (const unsigned char *)data;
    size_t i;
    for (i = 0; i < n; i++) digest = (digest ^ bytes[i]) * 1099511628211ull;
}

static void add_double(double x) {
    add_bytes(&x, sizeof x);
}

static void begin(void) {
    seed = 1;
    digest = 14695981039346656037ull;
}

static void end(const simd_table *t, const char *name, const char *kind) {
    printf("%s %s%s %016llx\n", t->name, name, kind, (unsigned long long)digest);
}

static void numbers(void *out, ptrdiff_t n, int is_double) {
    ptrdiff_t i;
    for (i = 0; i < n; i++) {
        if (is_double)
            ((double *)out)[i] = number();
        else
            ((float *)out)[i] = (float)number();
    }
}

/* ------------------------------------------------------------------ exp, solver, covariance */

static float kernel_i[MOST], kernel_j[MOST], diagonal[MOST], bound[MOST];
static double g[MOST], a[MOST];
static int8_t up[MOST], down[MOST], y[MOST];

static void add_extremes(const simd_extremes *e) {
    add_double(e->g_max);
    add_double(e->g_min);
    add_bytes(&e->i_max, sizeof e->i_max);
    add_bytes(&e->j_min, sizeof e->j_min);
}

static void solver(const simd_table *t, const char *name) {
    int k, i;
    begin();
    for (k = 0; k < N_LENGTHS; k++) {
        const ptrdiff_t n = LENGTHS[k];
        simd_extremes e;
        simd_moments m;
        ptrdiff_t found;
        float gain;
        numbers(kernel_i, n, 0);
        numbers(kernel_j, n, 0);
        numbers(diagonal, n, 0);
        numbers(bound, n, 0);
        numbers(g, n, 1);
        numbers(a, n, 1);
        for (i = 0; i < n; i++) {
            diagonal[i] = 2.0f + fabsf(diagonal[i]);
            up[i] = number() < 0.5 ? -1 : 0;
            down[i] = number() < 0.5 ? -1 : 0;
            y[i] = number() < 0.0 ? -1 : 1;
            if (number() < -0.8) bound[i] = 0.0f;
        }
        if (!strcmp(name, "exp_f32")) {
            for (i = 0; i < n; i++) kernel_i[i] *= 100.0f;
            t->exp_f32(kernel_i, kernel_j, n);
            add_bytes(kernel_j, (size_t)n * 4);
        } else if (!strcmp(name, "exp_f64")) {
            for (i = 0; i < n; i++) g[i] *= 800.0;
            t->exp_f64(g, a, n);
        } else if (!strcmp(name, "dot")) {
            add_double(t->dot(kernel_i, a, n));
        } else if (!strcmp(name, "axpy")) {
            t->axpy(0.3, kernel_i, g, n);
        } else if (!strcmp(name, "update")) {
            t->update(g, kernel_i, kernel_j, 0.3, up, down, n, &e);
            add_extremes(&e);
        } else if (!strcmp(name, "update_one")) {
            add_double(t->update_one(g, kernel_i, 0.3, up, down, bound, n, &e));
            add_extremes(&e);
        } else if (!strcmp(name, "update_two")) {
            add_double(t->update_two(g, kernel_i, 0.3, kernel_j, 0.7, up, down, bound, n, &e));
            add_extremes(&e);
            add_double(t->update_two(g, kernel_i, 0.3, kernel_j, 0.7, up, down, NULL, n, &e));
        } else if (!strcmp(name, "partner")) {
            found = t->partner(g, kernel_i, diagonal, 1.0, 1.7f, down, n, &gain);
            add_bytes(&found, sizeof found);
        } else if (!strcmp(name, "companion")) {
            found = t->companion(g, kernel_i, diagonal, 0.3, 1.7f, up, down, n, &gain);
            add_bytes(&found, sizeof found);
        } else if (!strcmp(name, "moments")) {
            t->moments(g, a, bound, y, n, &m);
            add_double(m.h);
            add_double(m.h_squared);
            add_double(m.alpha_g);
        } else if (n <= 70) { /* covariance */
            static double S[70 * 70];
            numbers(S, n * n, 1);
            add_double(t->covariance_times(S, g, a, n));
            t->covariance_shrink(0.3, a, S, n);
            add_bytes(S, (size_t)(n * n) * 8);
        }
        add_bytes(g, (size_t)n * 8);
        add_bytes(a, (size_t)n * 8);
    }
    end(t, name, "");
}

/* ------------------------------------------------------------------ linear models --------- */

static double x_[MOST * 4], w_[MOST * CLASSES], s_[MOST * CLASSES];

/* Samples with 8 of 10 features; as in the engine, whole vectors follow w and s. */
static void linear(const simd_table *t, int is_double) {
    const simd_linear *loops = is_double ? t->linear_f64 : t->linear_f32;
    const char *kind = is_double ? "_f64" : "_f32";
    const size_t size = is_double ? 8 : 4;
    static int32_t columns[MOST], labels[ROWS];
    static int64_t starts[ROWS + 1], order[ROWS];
    static double values[ROWS * FEATURES], bias;
    double out[CLASSES], betas[CLASSES], scales[CLASSES];
    simd_products p;
    int k, i, r;
    for (r = 0; r < CLASSES; r++) scales[r] = 1.0 + r / 64.0, betas[r] = r / 4096.0;
    begin();
    for (k = 0; k < N_LENGTHS; k++) {
        const ptrdiff_t n = LENGTHS[k];
        memset(w_, 0, sizeof w_);
        memset(s_, 0, sizeof s_);
        for (i = 0; i < n; i++) columns[i] = (int32_t)(i + i / 4);
        numbers(x_, n, is_double);
        numbers(w_, 2 * n, is_double);
        numbers(s_, 2 * n, is_double);
        add_double(loops->squared_norm(x_, n));
        for (r = 0; r < 4; r++) {
            loops->products(x_, r & 1 ? columns : NULL, n, w_, r & 2 ? s_ : NULL, &p);
            add_double(p.margin);
            add_double(p.squared_norm);
            add_double(p.variance);
        }
        for (r = 0; r < 4; r++)
            loops->add(0.3, 0.01, x_, r & 1 ? columns : NULL, n, w_, r & 2 ? s_ : NULL, 1);
        loops->multiply(0.3, w_, n);
        add_bytes(w_, (size_t)(2 * n) * size);
        add_bytes(s_, (size_t)(2 * n) * size);
    }
    end(t, "one", kind);
    begin();
    for (k = 0; k < N_LENGTHS; k++) {
        const ptrdiff_t n = LENGTHS[k] < FEATURES ? LENGTHS[k] : FEATURES;
        for (r = 1; r <= CLASSES; r += 3) {
            memset(w_, 0, sizeof w_);
            numbers(x_, n, is_double);
            numbers(w_, (2 * n + 4) * r, is_double);
            numbers(s_, (2 * n + 4) * r, is_double);
            loops->margins(x_, NULL, n, w_, n + 1, r, out);
            add_bytes(out, (size_t)r * 8);
            loops->margins(x_, columns, n, w_, 0, r, out);
            add_bytes(out, (size_t)r * 8);
            loops->variances(x_, columns, n, s_, r, out);
            add_bytes(out, (size_t)r * 8);
            loops->add_all(out, betas, x_, columns, n, w_, NULL, r);
            loops->add_all(out, betas, x_, columns, n, w_, s_, r);
            add_bytes(w_, (size_t)((2 * n + 4) * r) * size);
            add_bytes(s_, (size_t)((2 * n + 4) * r) * size);
            loops->distances(x_, w_, scales, r, n, out);
            add_bytes(out, (size_t)r * 8);
        }
    }
    end(t, "classes", kind);
    for (r = 0; r < N_RULES; r++) {
        const rule_traits traits = RULE_TABLE[r];
        rule_parameters rule = {traits, 0.3, 1.0, 1.0, 0.1, 1e100, 1e100};
        if (traits.needs_covariance || traits.is_regression) continue;
        begin();
        numbers(values, ROWS * FEATURES, is_double);
        for (i = 0; i < ROWS; i++) {
            starts[i] = i * FEATURES;
            order[i] = (i * 5) % ROWS;
            labels[i] = number() < 0.0 ? -1 : 1;
        }
        starts[ROWS] = ROWS * FEATURES;
        for (i = 0; i < ROWS * FEATURES && i < MOST; i++) columns[i] = (int32_t)(i % FEATURES);
        for (i = 0; i < 8; i++) {
            const int is_sparse = i & 2;
            const ptrdiff_t n_rows = is_sparse ? 15 : ROWS;
            double scale = 1.0;
            simd_totals totals = {0.0, 0};
            simd_pass pass = {values,
                              is_sparse ? columns : NULL,
                              is_sparse ? starts : NULL,
                              FEATURES,
                              n_rows,
                              NULL,
                              labels,
                              NULL,
                              &rule,
                              {1.0, 1.0},
                              w_,
                              &bias,
                              1.0,
                              i & 4 ? s_ : NULL,
                              0.25,
                              0.9,
                              1e-3,
                              &scale};
            if (i & 1 && !is_sparse) pass.order = order;
            memset(w_, 0, sizeof w_);
            memset(s_, 0, sizeof s_);
            numbers(s_, FEATURES, is_double);
            bias = 0.0;
            loops->train(&pass, 0, n_rows, &totals);
            add_bytes(w_, FEATURES * size);
            add_double(bias);
            add_double(totals.loss);
        }
        printf("%s train_%s%s %016llx\n", t->name, traits.name, kind, (unsigned long long)digest);
    }
}

/* ------------------------------------------------------------------ kernel values --------- */

static double rows_[SLOTS * FEATURES], tiles_[SLOTS * FEATURES], row_norms[SLOTS], norms[SLOTS];
static float block[ROWS * SLOTS];

static void tiled(void *to, const void *from, ptrdiff_t d, size_t size) {
    ptrdiff_t s, k;
    for (s = 0; s < SLOTS; s++)
        for (k = 0; k < d; k++)
            memcpy((char *)to + ((s / SIMD_TILE * d + k) * SIMD_TILE + s % SIMD_TILE) * size,
                   (const char *)from + (s * d + k) * size, size);
}

static void pairs(const simd_table *t, int term, int is_double) {
    static const char *const TERMS[] = {"_product", "_common", "_harmonic", "_equal"};
    const simd_pairs *loops = (is_double ? t->pairs_f64 : t->pairs_f32)[term];
    const size_t size = is_double ? 8 : 4;
    static const int32_t wanted[] = {3, 0, 2, 1};
    static double stored[SLOTS * FEATURES], panel[(FEATURES + 1) * 2 * SIMD_TILE];
    static int32_t indices[SLOTS * FEATURES], length[SLOTS], place[FEATURES];
    static int32_t row_indices[ROWS * FEATURES], row_length[ROWS];
    static int64_t start[SLOTS], row_start[ROWS];
    const ptrdiff_t dimensions[] = {1, 3, 16, 35, 68};
    char name[40];
    int kind, k;
    ptrdiff_t i, r;
    snprintf(name, sizeof name, "kernel%s%s", TERMS[term], is_double ? "_f64" : "_f32");
    begin();
    for (k = 0; k < 5; k++) {
        const ptrdiff_t d = dimensions[k], lanes = 2 * SIMD_TILE;
        const simd_rows fresh = {rows_, row_norms, ROWS, d}, one = {rows_, row_norms, 1, d};
        const simd_csr of_rows = {row_indices, rows_, row_start, row_length};
        const simd_panel fresh_panel = {of_rows, indices, d, panel, place, row_norms, lanes, ROWS};
        const simd_panel one_panel = {of_rows, indices, 0, panel, place, row_norms, lanes, 1};
        const simd_csr csr = {indices, stored, start, length};
        numbers(rows_, ROWS * d, is_double);
        numbers(stored, SLOTS * d, is_double);
        for (i = 0; i < SLOTS * d; i++) /* harmonic needs nonnegative numbers */
            if (is_double)
                stored[i] = fabs(stored[i]);
            else
                ((float *)stored)[i] = fabsf(((float *)stored)[i]);
        for (i = 0; i < ROWS * d; i++)
            if (is_double)
                rows_[i] = term == SIMD_HARMONIC ? fabs(rows_[i]) : rows_[i];
            else
                ((float *)rows_)[i] =
                    term == SIMD_HARMONIC ? fabsf(((float *)rows_)[i]) : ((float *)rows_)[i];
        tiled(tiles_, stored, d, size);
        loops->dense_norms(rows_, ROWS, d, row_norms);
        loops->dense_norms(stored, SLOTS, d, norms);
        add_bytes(row_norms, ROWS * size);
        add_bytes(norms, SLOTS * size);
        memset(panel, 0, sizeof panel);
        for (i = 0; i < d; i++) {
            place[i] = (int32_t)i + 1;
            for (r = 0; r < ROWS; r++)
                memcpy((char *)panel + ((i + 1) * lanes + r) * size,
                       (char *)rows_ + (r * d + i) * size, size);
        }
        for (i = 0; i < SLOTS; i++) { /* lengths must be multiples of four */
            start[i] = i * d;
            length[i] = (int32_t)(d / 4 * 4);
            for (r = 0; r < d; r++) indices[i * d + r] = (int32_t)r;
        }
        for (i = 0; i < ROWS; i++) {
            row_start[i] = i * d, row_length[i] = (int32_t)d;
            for (r = 0; r < d; r++) row_indices[i * d + r] = (int32_t)r;
        }
        for (kind = SIMD_LINEAR; kind <= SIMD_OVERLAP + 1; kind++) { /* the last: far vectors */
            simd_map map = {kind, 3, 0.37, 0.11, INFINITY};
            if (kind == SIMD_CENTRED && !is_double) continue;
            if (kind > SIMD_OVERLAP) map.kind = SIMD_RBF, map.far = 1.0;
            if (kind > SIMD_OVERLAP && term != SIMD_PRODUCT && term != SIMD_HARMONIC) continue;
            loops->dense_block(&map, &fresh, tiles_, norms, 0, SLOTS, block, SLOTS);
            add_bytes(block, sizeof block);
            loops->dense_block(&map, &one, tiles_, norms, 0, SLOTS, block, SLOTS);
            loops->dense_tiles(&map, &one, tiles_, norms, wanted, 4, block + SLOTS);
            map.degree = 18;
            if (term != SIMD_EQUAL) {
                loops->sparse_block(&map, &fresh_panel, &csr, norms, 0, SLOTS, block, SLOTS);
                loops->sparse_tiles(&map, &one_panel, &csr, norms, wanted, 0, 4, block);
            }
            add_bytes(block, sizeof block);
        }
        loops->sparse_norm(stored, d, norms);
        add_bytes(norms, size);
    }
    end(t, name, "");
}

int main(void) {
    static const char *const SOLVER[] = {"exp_f32",   "exp_f64",    "dot",        "axpy",
                                         "update",    "update_one", "update_two", "partner",
                                         "companion", "moments",    "covariance"};
    const simd_table *tables[SIMD_MAX_LEVELS];
    const int n = simd_available(tables);
    int i, k;
    for (i = 0; i < n; i++) {
        for (k = 0; k < (int)(sizeof SOLVER / sizeof *SOLVER); k++) solver(tables[i], SOLVER[k]);
        for (k = 0; k < 2; k++) linear(tables[i], k);
        for (k = 0; k < 2 * SIMD_N_TERMS; k++) pairs(tables[i], k / 2, k % 2);
    }
    return 0;
}
