/* Random calls of each primitive at each SIMD level of this machine, compared with plain loops.
 *
 * Arrays have exactly the length that the contract of primitives.h demands, and end with their
 * memory, so that the address sanitizer reports any access behind them. In an exact case, numbers
 * are multiples of 1/8 whose sums are not rounded, and results equal those of the plain loops. In
 * the other cases they are any bits of floating-point numbers, and the levels must agree.
 *
 * With libFuzzer a case is read from its bytes; with -DPLAIN_DRIVER and two numbers, the cases
 * FIRST ... LAST - 1 are random.
 */
#include <stdio.h>
#include <stdlib.h>
#ifdef PLAIN_DRIVER
#include <sys/mman.h>
#endif

#include "primitives.h"
#ifdef ONLY_PORTABLE /* compiled in a third of the time */
#undef SIMD_X86
#define SIMD_X86 0
#undef SIMD_FAST_FMA
#define SIMD_FAST_FMA 1
#endif
#include "primitives_levels.h"

enum { N_CALLS = 24, MOST_ARRAYS = 64, MOST_RESULTS = 1 << 21 };

static const char *const CALLS[N_CALLS] = {"exp_f32",
                                           "exp_f64",
                                           "dot",
                                           "gather",
                                           "transpose",
                                           "functions",
                                           "functions_of_block",
                                           "axpy",
                                           "update",
                                           "update_one",
                                           "update_two",
                                           "partner",
                                           "companion",
                                           "moments",
                                           "covariance_times",
                                           "covariance_shrink",
                                           "linear products",
                                           "linear classes",
                                           "linear add",
                                           "linear train",
                                           "dense kernel",
                                           "dense tiles",
                                           "sparse kernel",
                                           "norms"};
static long n_cases[N_CALLS];

/* ------------------------------------------------------------------ bytes of a case ------ */

static const uint8_t *input;
static size_t n_input;
static uint64_t seed;
static int exact;

static uint32_t byte(void) {
    if (n_input == 0) return 0;
    n_input--;
    return *input++;
}

static uint64_t next(void) {
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    return seed >> 16;
}

/* A multiple of 1/8 in [-2, 2], often 0; or any bits, half of them moderate. */
static double number(int is_double) {
    const uint64_t r = next();
    if (exact || r & 1) return r & 6 ? ((double)((r >> 8) % 33) - 16.0) / 8.0 : 0.0;
    if (r & 2) {
        uint64_t bits = next() << 32 ^ next();
        if (is_double) {
            double x;
            memcpy(&x, &bits, 8);
            return x;
        } else {
            float x;
            uint32_t half = (uint32_t)bits;
            memcpy(&x, &half, 4);
            return (double)x;
        }
    }
    return ((double)(int64_t)(next() << 16) / 9.2e18) * (r & 4 ? 1.0 : 1e3);
}

static ptrdiff_t length(void) {
    const uint32_t b = byte();
    return b < 160 ? b % 48 : b < 250 ? b : 480 + byte();
}

/* ------------------------------------------------------------------ arrays --------------- */

static void *arrays[MOST_ARRAYS];
static int n_arrays;

/* Memory that ends with the array; its alignment is that of an element. */
#ifdef PLAIN_DRIVER
/* Behind it is a page that must not be accessed. */
enum { PAGE = 4096, MOST_BYTES = 1 << 22 };

static void *array(ptrdiff_t n, size_t size) {
    const size_t n_bytes = (size_t)n * size;
    if (!arrays[n_arrays]) {
        char *memory = (char *)mmap(NULL, MOST_BYTES + PAGE, PROT_READ | PROT_WRITE,
                                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (memory == MAP_FAILED || mprotect(memory + MOST_BYTES, PAGE, PROT_NONE)) exit(3);
        arrays[n_arrays] = memory + MOST_BYTES;
    }
    if (n_bytes > MOST_BYTES) exit(4);
    next();
    return memset((char *)arrays[n_arrays++] - n_bytes, 0, n_bytes);
}

static void free_arrays(void) {
    n_arrays = 0;
}
#else
static void *array(ptrdiff_t n, size_t size) {
    const size_t shift = size * (next() % 16);
    char *memory = (char *)malloc((size_t)n * size + shift + !n);
    arrays[n_arrays++] = memory;
    memset(memory, 0, (size_t)n * size + shift + !n);
    return memory + shift;
}

static void free_arrays(void) {
    while (n_arrays > 0) free(arrays[--n_arrays]);
}
#endif

static void *numbers(ptrdiff_t n, int is_double) {
    ptrdiff_t i;
    void *out = array(n, is_double ? 8 : 4);
    for (i = 0; i < n; i++) {
        if (is_double)
            ((double *)out)[i] = number(1);
        else
            ((float *)out)[i] = (float)number(0);
    }
    return out;
}

static void nonnegative(void *values, ptrdiff_t n, int is_double) {
    ptrdiff_t i;
    for (i = 0; i < n; i++) {
        if (is_double)
            ((double *)values)[i] = fabs(((double *)values)[i]);
        else
            ((float *)values)[i] = fabsf(((float *)values)[i]);
    }
}

static void *copied(const void *values, ptrdiff_t n, size_t size) {
    void *copy = array(n, size);
    if (n) memcpy(copy, values, (size_t)n * size);
    return copy;
}

static double at(const void *values, ptrdiff_t i, int is_double) {
    return is_double ? ((const double *)values)[i] : (double)((const float *)values)[i];
}

static int8_t *mask(ptrdiff_t n) {
    int8_t *out = (int8_t *)array(n, 1);
    const uint32_t kind = byte() % 4;
    ptrdiff_t i;
    for (i = 0; i < n; i++)
        out[i] = kind == 0 || (kind > 1 && next() % (kind * kind * kind) == 0) ? -1 : 0;
    return out;
}

static int32_t *indices(ptrdiff_t n, ptrdiff_t below) {
    int32_t *out = (int32_t *)array(n, 4);
    ptrdiff_t i;
    for (i = 0; i < n; i++) out[i] = (int32_t)(next() % (uint64_t)below);
    return out;
}

/* Strictly ascending. */
static int32_t *columns_of(ptrdiff_t n, ptrdiff_t *n_features) {
    int32_t *out = (int32_t *)array(n, 4), last = -1;
    ptrdiff_t i;
    for (i = 0; i < n; i++) out[i] = last = last + 1 + (int32_t)(next() % 3);
    *n_features = last + 1;
    return out;
}

/* ------------------------------------------------------------------ results -------------- */

static double *results, *expected;
static ptrdiff_t n_results, n_expected;
static int has_expected;
static double tolerance;
static char details[200]; /* of the case */

static void emit(double x) {
    results[n_results++] = x;
}

static void emit_all(const void *values, ptrdiff_t n, int is_double) {
    ptrdiff_t i;
    for (i = 0; i < n; i++) emit(at(values, i, is_double));
}

static void expect(double x) {
    expected[n_expected++] = x;
}

/* ------------------------------------------------------------------ calls ---------------- */

static void of_solver(const simd_table *t, int call, int first) {
    const ptrdiff_t n = length();
    const int with_bound = byte() % 4 != 0;
    const float *ki = (const float *)numbers(n, 0), *kj = (const float *)numbers(n, 0);
    float *bound = (float *)numbers(n, 0), *diagonal = (float *)numbers(n, 0), gain = 0.0f;
    double *g = (double *)numbers(n, 1), *alpha = (double *)numbers(n, 1);
    const int8_t *up = mask(n), *down = mask(n);
    const double one = number(1), two = number(1);
    int8_t *y = (int8_t *)array(n, 1);
    simd_extremes e = {0.0, 0.0, -1, -1};
    simd_moments m = {0.0, 0.0, 0.0};
    double *before, loss = 0.0, h = 0.0, hh = 0.0, ag = 0.0;
    ptrdiff_t i, found = -1;
    for (i = 0; i < n; i++) {
        y[i] = next() & 1 ? 1 : -1;
        if (isnan(bound[i])) bound[i] = 1.0f;
        /* A free slot has no gradient; others have one. */
        if (call == 13 && bound[i] != 0.0f && !exact && !isfinite(g[i])) g[i] = 1.0;
    }
    before = (double *)copied(g, n, 8);
    if (call == 2) {
        emit(t->dot(ki, g, n));
        for (i = 0; i < n; i++) loss += (double)ki[i] * g[i];
        if (first) expect(loss);
        return;
    }
    if (call == 7) {
        t->axpy(one, ki, g, n);
        for (i = 0; first && i < n; i++) expect(before[i] + one * (double)ki[i]);
        emit_all(g, n, 1);
        return;
    }
    if (call == 11 || call == 12) {
        const float k_ii = (float)fabs(number(0));
        float best = 0.0f;
        found = call == 11 ? t->partner(g, ki, diagonal, one, k_ii, down, n, &gain)
                           : t->companion(g, ki, diagonal, one, k_ii, up, down, n, &gain);
        emit((double)found);
        emit((double)gain);
        if (!first) return;
        /* The gain, to rounding, is that of the slot; no slot has a larger one. */
        for (i = 0; i < n; i++) {
            const float inverse = 1.0f / (k_ii > 1e-12f ? k_ii : 1e-12f);
            const float r = (float)(call == 11 ? one - g[i] : g[i] - one * (double)ki[i]);
            float c = call == 11 ? k_ii + diagonal[i] - 2.0f * ki[i]
                                 : diagonal[i] - ki[i] * ki[i] * inverse;
            const float least = call == 11 ? 1e-12f : 1e-6f;
            const int open = call == 11 ? down[i] && r > 0.0f : r > 0.0f ? up[i] : down[i];
            float of_slot;
            c = c > least ? c : least;
            of_slot = open ? r * r / c : 0.0f;
            if (of_slot > best) best = of_slot;
        }
        has_expected = 0; /* the index may be that of an equal gain */
        if (exact && fabsf(best - gain) > 1e-4f * best) expect((double)best), has_expected = 2;
        return;
    }
    if (call == 13) {
        t->moments(g, alpha, bound, y, n, &m);
        emit(m.h);
        emit(m.h_squared);
        emit(m.alpha_g);
        for (i = 0; i < n; i++) {
            const double of_slot = fabs((double)bound[i]) * y[i] * g[i];
            if (bound[i] == 0.0f) continue;
            h += of_slot;
            hh += of_slot * of_slot;
            ag += alpha[i] * g[i];
        }
        if (first) expect(h), expect(hh), expect(ag);
        return;
    }
    /* Kernel values and gradients are finite, those of free slots included. */
    for (i = 0; i < n; i++)
        if (!(fabs((double)ki[i]) + fabs((double)kj[i]) < 1e30 && fabs(g[i]) < 1e300)) return;
    if (!(fabs(one) + fabs(two) < 1e30)) return;
    if (call == 8) t->update(g, ki, kj, one, up, down, n, &e);
    if (call == 9) loss = t->update_one(g, ki, one, up, down, bound, n, &e);
    if (call == 10)
        loss = t->update_two(g, ki, one, kj, two, up, down, with_bound ? bound : NULL, n, &e);
    emit(loss);
    emit(e.g_max);
    emit(e.g_min);
    emit((double)e.i_max);
    emit((double)e.j_min);
    emit_all(g, n, 1);
    if (first) {
        double sum = 0.0, g_max = -INFINITY, g_min = INFINITY;
        ptrdiff_t i_max = -1, j_min = -1;
        for (i = 0; i < n; i++) {
            double *v = before + i;
            if (call == 8) *v -= one * ((double)ki[i] - (double)kj[i]);
            if (call != 8) *v -= one * (double)ki[i];
            if (call == 10) *v -= two * (double)kj[i];
            if (up[i] && *v > g_max) g_max = *v, i_max = i;
            if (down[i] && *v < g_min) g_min = *v, j_min = i;
            if (call != 8 && (call == 9 || with_bound) && (double)bound[i] * *v > 0.0)
                sum += (double)bound[i] * *v;
        }
        expect(sum), expect(g_max), expect(g_min), expect((double)i_max), expect((double)j_min);
        for (i = 0; i < n; i++) expect(before[i]);
    }
}

static void of_exp(const simd_table *t, int is_double, int first) {
    const ptrdiff_t n = length();
    void *x = numbers(n, is_double), *out = array(n, is_double ? 8 : 4);
    ptrdiff_t i;
    if (is_double)
        t->exp_f64((double *)x, (double *)out, n);
    else
        t->exp_f32((float *)x, (float *)out, n);
    emit_all(out, n, is_double);
    tolerance = is_double ? 1e-15 : 1e-6;
    for (i = 0; first && i < n; i++) expect(exp(at(x, i, is_double)));
}

static void of_gather(const simd_table *t, int call, int first) {
    ptrdiff_t i, r;
    if (call == 3) {
        const ptrdiff_t n = byte() % 24, size = SIMD_WINDOW + byte();
        const float *row = (const float *)numbers(size, 0);
        const int32_t *base = indices(n, size - SIMD_WINDOW + 1);
        uint8_t *offset = (uint8_t *)array(n * SIMD_GROUP, 1);
        float *out = (float *)array(n * SIMD_GROUP, 4);
        for (i = 0; i < n * SIMD_GROUP; i++) offset[i] = (uint8_t)(next() % SIMD_WINDOW);
        t->gather(row, base, offset, n, out);
        emit_all(out, n * SIMD_GROUP, 0);
        for (i = 0; first && i < n * SIMD_GROUP; i++)
            expect((double)row[base[i / SIMD_GROUP] + offset[i]]);
    } else {
        const ptrdiff_t lanes = byte() % 8 * 4, n = byte() % 16 * 4, ld = n + byte() % 7;
        const float *rows = (const float *)numbers(lanes ? (lanes - 1) * ld + n : 0, 0);
        float *out = (float *)array(lanes * n, 4);
        t->transpose(rows, ld, lanes, n, out);
        emit_all(out, lanes * n, 0);
        for (i = 0; first && i < n; i++)
            for (r = 0; r < lanes; r++) expect((double)rows[r * ld + i]);
    }
}

static void of_functions(const simd_table *t, int call, int first) {
    const ptrdiff_t n = length(), width = 8 + byte() % 9 * 8, n_stored = 1 + byte();
    const int is_block = call == 6;
    const ptrdiff_t lanes = is_block ? byte() % 13 * 8 : 1;
    const ptrdiff_t n_functions = is_block ? byte() % (width + 1) : width;
    const float *k = (const float *)numbers(n_stored * lanes, 0);
    const int32_t *places = indices(n, n_stored);
    const double *coef = (const double *)numbers(n * width, 1);
    double *sums = (double *)numbers(n_functions * lanes, 1), *plain;
    ptrdiff_t f, v, r;
    if (!exact) /* coefficients are finite */
        for (v = 0; v < n * width; v++)
            if (!isfinite(coef[v])) ((double *)coef)[v] = 0.0;
    plain = (double *)copied(sums, n_functions * lanes, 8);
    if (is_block)
        t->functions_of_block(k, lanes, places, coef, n, width, n_functions, sums);
    else
        t->functions(k, places, coef, n, width, sums);
    emit_all(sums, n_functions * lanes, 1);
    if (!first) return;
    for (f = 0; f < n_functions; f++)
        for (v = 0; v < n; v++)
            for (r = 0; r < lanes; r++)
                plain[f * lanes + r] += coef[v * width + f] * (double)k[places[v] * lanes + r];
    for (f = 0; f < n_functions * lanes; f++) expect(plain[f]);
}

static void of_covariance(const simd_table *t, int call, int first) {
    const ptrdiff_t n = byte() % 50;
    double *S = (double *)numbers(n * n, 1), *x = (double *)numbers(n, 1);
    double *u = (double *)numbers(n, 1), product = 0.0, beta = number(1);
    ptrdiff_t i, j;
    for (i = 0; i < n; i++)
        for (j = 0; j < i; j++) S[i * n + j] = S[j * n + i];
    if (call == 14) {
        emit(t->covariance_times(S, x, u, n));
        emit_all(u, n, 1);
        for (i = 0; first && i < n; i++)
            for (j = 0; j < n; j++) product += x[i] * S[i * n + j] * x[j];
        if (first) expect(product);
        for (i = 0; first && i < n; i++) {
            double sum = 0.0;
            for (j = 0; j < n; j++) sum += S[i * n + j] * x[j];
            expect(sum);
        }
    } else {
        for (i = 0; first && i < n; i++)
            for (j = 0; j < n; j++) expect(S[i * n + j] - beta * u[i] * u[j]);
        t->covariance_shrink(beta, u, S, n);
        emit_all(S, n * n, 1);
    }
}

/* Of weights and variances of any size there is a whole vector behind their end. */
static void *weights(ptrdiff_t n, int is_double) {
    return numbers(n + 16, is_double);
}

static void of_linear(const simd_table *t, int call, int first) {
    const int is_double = byte() & 1, is_sparse = byte() & 1, has_s = byte() & 1;
    const simd_linear *loops = is_double ? t->linear_f64 : t->linear_f32;
    const ptrdiff_t n = length(), n_classes = 1 + byte() % 20;
    ptrdiff_t n_features = n, k, c;
    const int32_t *columns = is_sparse ? columns_of(n, &n_features) : NULL;
    void *x = numbers(n, is_double);
#define FEATURE(k) (is_sparse ? columns[k] : (k))
#define X(k) at(x, k, is_double)
    if (call == 16) {
        void *w = weights(n_features, is_double),
             *s = has_s ? weights(n_features, is_double) : NULL;
        simd_products p;
        double margin = 0.0, norm = 0.0, variance = 0.0;
        emit(loops->squared_norm(x, n));
        loops->products(x, columns, n, w, s, &p);
        emit(p.margin);
        emit(p.squared_norm);
        emit(p.variance);
        for (k = 0; k < n; k++) {
            margin += X(k) * at(w, FEATURE(k), is_double);
            norm += X(k) * X(k);
            if (has_s) variance += X(k) * at(s, FEATURE(k), is_double) * X(k);
        }
        if (first) expect(norm), expect(margin), expect(norm), expect(variance);
    } else if (call == 17) {
        void *w = weights(n_features * n_classes, is_double);
        double *out = (double *)array(n_classes, 8), *more = (double *)array(n_classes, 8);
        double *scales = (double *)numbers(n_classes, 1);
        loops->margins(x, columns, n, w, n_features, n_classes, out);
        emit_all(out, n_classes, 1);
        if (is_sparse) loops->variances(x, columns, n, w, n_classes, more);
        if (!is_sparse) loops->distances(x, w, scales, n_classes, n, more);
        emit_all(more, n_classes, 1);
        for (c = 0; first && c < 2 * n_classes; c++) {
            double sum = 0.0;
            for (k = 0; k < n; k++) {
                const ptrdiff_t i = c % n_classes;
                const double v =
                    at(w, is_sparse ? FEATURE(k) * n_classes + i : i * n + k, is_double);
                const double d = X(k) - scales[i] * v;
                sum += c < n_classes ? X(k) * v : is_sparse ? X(k) * v * X(k) : d * d;
            }
            expect(sum);
        }
    } else { /* add, to one class or to all */
        const ptrdiff_t stride = is_sparse ? n_classes : 1;
        const ptrdiff_t size = n_features * stride;
        void *w = weights(size, is_double), *s = has_s ? weights(size, is_double) : NULL;
        double *alphas = (double *)numbers(n_classes, 1), *betas = (double *)numbers(n_classes, 1);
        const int all = is_sparse && byte() & 1;
        const int only_one = !all;
        for (c = 0; c < n_classes; c++) /* products of four small numbers are exact */
            if (exact) alphas[c] = (double)(next() % 3), betas[c] = (double)(next() % 2);
        for (k = 0; k < size && first; k++) {
            double of_w = at(w, k, is_double);
            ptrdiff_t j, feature = k / stride, i = k % stride;
            for (j = 0; j < n; j++)
                if (FEATURE(j) == feature && (all || i == 0))
                    of_w += alphas[i] * X(j) * (has_s ? at(s, k, is_double) : 1.0);
            expect(of_w);
        }
        for (k = 0; k < size && first && has_s; k++) {
            double of_s = at(s, k, is_double);
            ptrdiff_t j, feature = k / stride, i = k % stride;
            for (j = 0; j < n; j++)
                if (FEATURE(j) == feature && (all || i == 0)) {
                    const double factor = 1.0 - betas[i] * of_s * X(j) * X(j);
                    of_s *= fmax(factor, is_double ? DBL_EPSILON : (double)FLT_EPSILON);
                }
            expect(of_s);
        }
        if (only_one) loops->add(alphas[0], betas[0], x, columns, n, w, s, stride);
        if (all) loops->add_all(alphas, betas, x, columns, n, w, s, n_classes);
        emit_all(w, size, is_double);
        if (has_s) emit_all(s, size, is_double);
    }
#undef FEATURE
#undef X
}

static void of_train(const simd_table *t) {
    const int is_double = byte() & 1, is_sparse = byte() & 1, has_order = byte() & 1;
    const simd_linear *loops = is_double ? t->linear_f64 : t->linear_f32;
    const ptrdiff_t n_rows = byte() % 30, n_features = 1 + byte() % 60;
    const ptrdiff_t n_used = has_order ? byte() % 40 * (n_rows > 0) : n_rows;
    const int with_advice = byte() & 1, with_weights = byte() & 1, with_bias = byte() & 1;
    rule_traits traits;
    rule_parameters rule = {{0}, 0.3, 1.0, 1.0, 0.1, 1e100, 1e100};
    int32_t *columns = NULL, *labels = (int32_t *)array(n_rows, 4);
    int64_t *starts = NULL, *order = NULL;
    void *values, *w, *advice;
    double bias = 0.0, scale = 1.0, *sample_weights = (double *)array(n_rows, 8);
    simd_totals totals = {0.0, 0};
    ptrdiff_t i, j, used = 0;
    do traits = RULE_TABLE[next() % N_RULES];
    while (traits.needs_covariance || traits.is_regression);
    rule.traits = traits;
    if (is_sparse) {
        starts = (int64_t *)array(n_rows + 1, 8);
        for (i = 0; i < n_rows; i++)
            starts[i + 1] = starts[i] + (int64_t)(next() % (n_features + 1));
        used = (ptrdiff_t)starts[n_rows];
        columns = (int32_t *)array(used, 4);
        for (i = 0; i < n_rows; i++)
            for (j = (ptrdiff_t)starts[i]; j < starts[i + 1]; j++)
                columns[j] = (int32_t)(j - starts[i]);
    }
    values = numbers(is_sparse ? used : n_rows * n_features, is_double);
    for (i = 0; i < n_rows; i++) {
        labels[i] = next() & 1 ? 1 : -1;
        sample_weights[i] = (double)(next() % 4);
    }
    if (has_order) {
        order = (int64_t *)array(n_used, 8);
        for (i = 0; i < n_used; i++) order[i] = (int64_t)(next() % (uint64_t)n_rows);
    }
    w = array(n_features + 16, is_double ? 8 : 4);
    advice = with_advice ? weights(n_features, is_double) : NULL;
    {
        simd_pass pass = {values, columns,    starts, n_features,
                          n_used, order,      labels, with_weights ? sample_weights : NULL,
                          &rule,  {1.0, 1.0}, w,      with_bias ? &bias : NULL,
                          1.0,    advice,     0.25,   0.9,
                          1e-3,   &scale};
        emit((double)loops->train(&pass, 0, n_used, &totals));
    }
    emit_all(w, n_features, is_double);
    emit(bias);
    emit(scale);
    emit(totals.loss);
    emit((double)totals.n_updates);
    has_expected = 0;
}

/* ------------------------------------------------------------------ kernel values -------- */

static double term_of(int term, double x, double z) {
    if (term == SIMD_PRODUCT) return x * z;
    if (term == SIMD_EQUAL) return x == z;
    if (term == SIMD_HARMONIC) return x + z > 0.0 ? 2.0 * x * z / (x + z) : 0.0;
    return x * z > 0.0 ? fmin(fabs(x), fabs(z)) : 0.0;
}

static double mapped(const simd_map *map, double dot, double a, double b) {
    const double square = a + b - 2.0 * dot;
    double power = 1.0;
    int e;
    switch (map->kind) {
        case SIMD_LINEAR:
            return dot;
        case SIMD_CENTRED:
            return dot - (a + b);
        case SIMD_POLY:
            for (e = 0; e < map->degree; e++) power *= map->gamma * dot + map->coef0;
            return power;
        case SIMD_RBF:
            return exp(-map->gamma * (square > 0.0 ? square : 0.0));
        case SIMD_TANIMOTO:
            return a + b - dot > 0.0 ? dot / (a + b - dot) : 1.0;
        case SIMD_COSINE:
            return a > 0.0 && b > 0.0 ? dot / (sqrt(a) * sqrt(b)) : 0.0;
        case SIMD_OVERLAP:
            return dot / a;
        default:
            return tanh(map->gamma * dot + map->coef0);
    }
}

static void of_kernel(const simd_table *t, int call, int first) {
    const int term = (int)byte() % SIMD_N_TERMS, is_double = byte() & 1;
    const int is_sparse = call == 22;
    const simd_pairs *loops = (is_double ? t->pairs_f64 : t->pairs_f32)[term];
    const size_t size = is_double ? 8 : 4;
    const ptrdiff_t n_rows = 1 + byte() % SIMD_BLOCK, d = 1 + byte() % 90;
    const ptrdiff_t n_tiles = 1 + byte() % 14, n_slots = n_tiles * SIMD_TILE;
    const ptrdiff_t first_tile = byte() % n_tiles;
    const ptrdiff_t stop = (first_tile + 1 + byte() % (n_tiles - first_tile)) * SIMD_TILE;
    const ptrdiff_t start = first_tile * SIMD_TILE, ld = n_slots + byte() % 3;
    simd_map map = {(int)byte() % (SIMD_OVERLAP + 1), (int)byte() % 30, 0.25, 0.5, INFINITY};
    void *rows = numbers(n_rows * d, is_double), *stored = numbers(n_slots * d, is_double);
    /* Of a sparse block there is a norm for each lane. */
    void *row_norms = array((n_rows + SIMD_TILE - 1) / SIMD_TILE * SIMD_TILE, size),
         *norms = array(n_slots, size);
    float *block = (float *)array((n_rows - 1) * ld + n_slots, 4);
    const int one_row = call == 21;
    ptrdiff_t i, k, r, s;
    if (map.kind == SIMD_CENTRED && !is_double) map.kind = SIMD_LINEAR;
    if (map.kind == SIMD_OVERLAP && is_sparse) map.kind = SIMD_RBF; /* for dense vectors only */
    if (map.kind == SIMD_RBF && (term == SIMD_PRODUCT || term == SIMD_HARMONIC) && byte() & 1)
        map.far = 3.0; /* computed from differences */
    if (term == SIMD_HARMONIC) {
        nonnegative(rows, n_rows * d, is_double);
        nonnegative(stored, n_slots * d, is_double);
    }
    snprintf(details, sizeof details,
             "term %d, double %d, rows %td, d %td, map %d of degree %d: ", term, is_double, n_rows,
             d, map.kind, map.degree);
    if (term == SIMD_EQUAL && is_sparse) return; /* for dense vectors only */
    loops->dense_norms(rows, n_rows, d, row_norms);
    loops->dense_norms(stored, n_slots, d, norms);
    if (call == 23) {
        double *alone = (double *)array(1, 8);
        emit_all(row_norms, n_rows, is_double);
        for (r = 0; r < n_rows; r++) {
            loops->sparse_norm((char *)rows + r * d * (ptrdiff_t)size, d, alone);
            emit(at(alone, 0, is_double));
        }
        for (i = 0; first && i < 2 * n_rows; i++) {
            double sum = 0.0;
            for (k = 0; k < d; k++) {
                const double x = at(rows, i % n_rows * d + k, is_double);
                sum += term_of(term, x, x);
            }
            expect(sum);
        }
        return;
    }
    if (!is_sparse) {
        char *tiles = (char *)array(n_slots * d, size);
        const simd_rows fresh = {rows, row_norms, n_rows, d};
        for (s = 0; s < n_slots; s++)
            for (k = 0; k < d; k++)
                memcpy(tiles +
                           ((s / SIMD_TILE * d + k) * SIMD_TILE + s % SIMD_TILE) * (ptrdiff_t)size,
                       (char *)stored + (s * d + k) * (ptrdiff_t)size, size);
        if (one_row) {
            const ptrdiff_t n_wanted = byte() % 40;
            const int32_t *wanted = indices(n_wanted, n_tiles);
            float *out = (float *)array(n_wanted * SIMD_TILE, 4);
            loops->dense_tiles(&map, &fresh, tiles, norms, wanted, n_wanted, out);
            emit_all(out, n_wanted * SIMD_TILE, 0);
            /* The same bits as in a block. */
            loops->dense_block(&map, &fresh, tiles, norms, 0, n_slots, block, ld);
            for (i = 0; first && i < n_wanted * SIMD_TILE; i++)
                expect((double)block[wanted[i / SIMD_TILE] * SIMD_TILE + i % SIMD_TILE]);
            return;
        }
        loops->dense_block(&map, &fresh, tiles, norms, start, stop, block, ld);
    } else {
        const ptrdiff_t lanes = (n_rows + SIMD_TILE - 1) / SIMD_TILE * SIMD_TILE;
        char *panel = (char *)array((d + 1) * lanes, size);
        int32_t *place = (int32_t *)array(d, 4), *columns, *lengths = (int32_t *)array(n_slots, 4);
        int64_t *begins = (int64_t *)array(n_slots, 8), end = 0;
        /* The samples as CSR, with zeros. */
        int32_t *of_rows = (int32_t *)array(n_rows * d, 4);
        int32_t *row_lengths = (int32_t *)array(n_rows, 4);
        int64_t *row_begins = (int64_t *)array(n_rows, 8);
        const ptrdiff_t n_columns = byte() & 1 ? d : 0;
        char *values;
        for (s = 0; s < n_slots; s++) {
            begins[s] = end;
            lengths[s] = (int32_t)(next() % 5 == 0 ? 0 : (d + 3) / 4 * 4);
            end += lengths[s];
        }
        columns = (int32_t *)array((ptrdiff_t)end, 4);
        values = (char *)array((ptrdiff_t)end, size);
        for (r = 0; r < n_rows; r++) {
            row_begins[r] = r * d, row_lengths[r] = (int32_t)d;
            for (k = 0; k < d; k++) of_rows[r * d + k] = (int32_t)k;
        }
        for (k = 0; k < d; k++) {
            place[k] = (int32_t)k + 1;
            for (r = 0; r < n_rows; r++)
                memcpy(panel + ((k + 1) * lanes + r) * (ptrdiff_t)size,
                       (char *)rows + (r * d + k) * (ptrdiff_t)size, size);
        }
        for (s = 0; s < n_slots; s++) {
            for (k = 0; k < lengths[s] && k < d; k++) {
                columns[begins[s] + k] = (int32_t)k;
                memcpy(values + (begins[s] + k) * (ptrdiff_t)size,
                       (char *)stored + (s * d + k) * (ptrdiff_t)size, size);
            }
            for (; k < lengths[s]; k++) columns[begins[s] + k] = (int32_t)d - 1; /* zeros */
            if (lengths[s] == 0) {
                memset((char *)stored + s * d * (ptrdiff_t)size, 0, (size_t)d * size);
                memset((char *)norms + s * (ptrdiff_t)size, 0, size);
            }
        }
        {
            const simd_panel fresh = {{of_rows, rows, row_begins, row_lengths},
                                      of_rows,
                                      n_columns,
                                      panel,
                                      place,
                                      row_norms,
                                      lanes,
                                      n_rows};
            const simd_csr csr = {columns, values, begins, lengths};
            loops->sparse_block(&map, &fresh, &csr, norms, start, stop, block, ld);
            if (!exact) has_expected = 0;
        }
    }
    for (r = 0; r < n_rows; r++)
        for (s = start; s < stop; s++) {
            emit((double)block[r * ld + s]);
            if (first) {
                double dot = 0.0;
                for (k = 0; k < d; k++)
                    dot += term_of(term, at(rows, r * d + k, is_double),
                                   at(stored, s * d + k, is_double));
                expect((double)(float)mapped(&map, dot, at(row_norms, r, is_double),
                                             at(norms, s, is_double)));
            }
        }
    tolerance = 1e-3; /* powers and exponentials of rounded sums of fractions */
}

/* ------------------------------------------------------------------ comparison ----------- */

static int equal(double a, double b) {
    return memcmp(&a, &b, 8) == 0 || (isnan(a) && isnan(b));
}

static int close_to(double a, double b) {
    return a == b || (isnan(a) && isnan(b)) || fabs(a - b) <= tolerance * (1.0 + fabs(b)) ||
           (fabs(b) > 1e30 && tolerance > 0.0);
}

static int failed(const char *level, int call, ptrdiff_t i, double a, double b) {
    fprintf(stderr, "%s", details);
    fprintf(stderr, "mismatch: %s, level %s, %s, result %td: %.17g instead of %.17g\n",
            CALLS[call], level, exact ? "exact" : "any numbers", i, a, b);
    return 1;
}

/* Run a case at each level; return whether a result is wrong. */
static int run(const uint8_t *data, size_t size) {
    const simd_table *tables[SIMD_MAX_LEVELS];
    const int n_levels = simd_available(tables);
    static double *reference;
    ptrdiff_t n_reference = 0, i;
    int call, level, wrong = 0;
    if (!results) {
        results = (double *)malloc(MOST_RESULTS * 8);
        expected = (double *)malloc(MOST_RESULTS * 8);
        reference = (double *)malloc(MOST_RESULTS * 8);
    }
    if (size < 6) return 0;
    call = data[0] % N_CALLS;
    n_cases[call]++;
    for (level = 0; level < n_levels && !wrong; level++) {
        const simd_table *t = tables[level];
        const int first = level == 0, is_unfused = !strcmp(t->name, "unfused");
        input = data + 2;
        n_input = size - 2;
        exact = data[1] & 1;
        details[0] = 0;
        seed = 1 + byte() + 256 * byte() + 65536 * byte() + ((uint64_t)byte() << 24);
        n_results = 0;
        tolerance = 0.0;
        if (first) n_expected = 0, has_expected = 1;
        if (call < 2)
            of_exp(t, call, first);
        else if (call == 3 || call == 4)
            of_gather(t, call, first);
        else if (call == 5 || call == 6)
            of_functions(t, call, first);
        else if (call < 14)
            of_solver(t, call, first);
        else if (call < 16)
            of_covariance(t, call, first);
        else if (call == 19)
            of_train(t);
        else if (call < 19)
            of_linear(t, call, first);
        else
            of_kernel(t, call, first);
        if (first) {
            n_reference = n_results;
            memcpy(reference, results, (size_t)n_results * 8);
            if (has_expected == 2) wrong = failed(t->name, call, 0, results[1], expected[0]);
            if (has_expected == 1 && n_expected != n_results)
                wrong = failed(t->name, call, -1, (double)n_results, (double)n_expected);
            for (i = 0; exact && has_expected == 1 && i < n_results && !wrong; i++)
                if (!close_to(results[i], expected[i]))
                    wrong = failed(t->name, call, i, results[i], expected[i]);
        } else if (!is_unfused) {
            for (i = 0; i < n_reference && !wrong; i++)
                if (!equal(results[i], reference[i]))
                    wrong = failed(t->name, call, i, results[i], reference[i]);
        }
        free_arrays();
    }
    return wrong;
}

static void report(void) {
    int i;
    for (i = 0; i < N_CALLS; i++) printf("cases %ld %s\n", n_cases[i], CALLS[i]);
    fflush(stdout);
}

#ifdef PLAIN_DRIVER
/* Wrong cases are counted; the bytes of a case depend on its number alone. */
int main(int argc, char **argv) {
    const long first = argc > 1 ? atol(argv[1]) : 0, last = argc > 2 ? atol(argv[2]) : 1000;
    long number_of_case;
    for (number_of_case = first; number_of_case < last; number_of_case++) {
        uint8_t data[48];
        uint64_t state = (uint64_t)number_of_case * 0x9E3779B97F4A7C15ull + 1;
        size_t i;
        for (i = 0; i < sizeof data; i++) {
            state = state * 6364136223846793005ull + 1442695040888963407ull;
            data[i] = (uint8_t)(state >> 40);
        }
        data[0] = (uint8_t)(number_of_case % N_CALLS);
        if (run(data, sizeof data)) fprintf(stderr, "wrong: case %ld\n", number_of_case);
    }
    report();
    return 0;
}
#else
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static int reports;
    if (!reports) reports = !atexit(report);
    if (run(data, size)) abort();
    return 0;
}
#endif
