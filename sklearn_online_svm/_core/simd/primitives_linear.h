/* Loops of the linear models for one element type (REAL) at one SIMD level. Included by
 * primitives_level.h.
 *
 * Problem: for one sample after the other, compute the margin w.x, the squared norm |x|^2 and,
 * with a diagonal covariance S, the variance x'S x; then update w += alpha S x and S -= beta
 * diag(S x x'S), with alpha and beta of rules.h. Without a covariance S is the identity.
 *
 * The contract is in primitives.h. The last, incomplete vector of a dense sample is padded with
 * zeros, and weights and variances have room for a whole vector behind their end: masked stores of
 * weights, which the next sample loads at once, would cost more than the rest of the loop.
 */

/* ------------------------------------------------------------------ dense samples -------- */

/* Sums in one wide vector, or in two, which hide the latency of the additions, and
 * the margin if w is given. */
SIMD_INLINE void TYPED(sums_dense)(const REAL *x, const REAL *w, const REAL *s, ptrdiff_t n,
                                   simd_products *products, const int diagonal, const int two,
                                   const int with_margin) {
    const WVEC zero = W_SET((REAL)0);
    WVEC m0 = zero, m1 = zero, n0 = zero, n1 = zero, v0 = zero, v1 = zero;
    ptrdiff_t k = 0;
#define ADD(r, at, x_at, m, n, v)                                                \
    {                                                                            \
        const VEC a = x_at;                                                      \
        if (with_margin) m.part[r] = V_FMA(a, V_LOAD(w + at), m.part[r]);        \
        n.part[r] = V_FMA(a, a, n.part[r]);                                      \
        if (diagonal) v.part[r] = V_FMA(V_MUL(a, V_LOAD(s + at)), a, v.part[r]); \
    }
#define FIRST(r) ADD(r, k + r * VL, V_LOAD(x + k + r * VL), m0, n0, v0)
#define SECOND(r) ADD(r, k + SUMS + r * VL, V_LOAD(x + k + SUMS + r * VL), m1, n1, v1)
#define REST(r)                                                \
    if (k + (r + 1) * VL <= n)                                 \
        ADD(r, k + r * VL, V_LOAD(x + k + r * VL), m1, n1, v1) \
    else if (k + r * VL < n)                                   \
    ADD(r, k + r * VL, V_LOAD_PART(x + k + r * VL, n - k - r * VL), m1, n1, v1)
#define ONLY(r) ADD(r, k + r * VL, V_LOAD(x + k + r * VL), m1, n1, v1)
#define LAST(r)                                                     \
    if (k + VL > n) {                                               \
        if (k < n) ADD(r, k, V_LOAD_PART(x + k, n - k), m1, n1, v1) \
        goto last;                                                  \
    }                                                               \
    ADD(r, k, V_LOAD(x + k), m1, n1, v1)                            \
    k += VL;
    if (two) {
        for (; k + 2 * SUMS <= n; k += 2 * SUMS) {
            EACH(FIRST)
            EACH(SECOND)
        }
        if (k + SUMS <= n) {
            EACH(FIRST)
            k += SUMS;
        }
        EACH(REST)
    } else {
        for (; k + SUMS <= n; k += SUMS) {
            EACH(ONLY)
        }
        EACH(LAST)
    last:;
    }
#undef ADD
#undef FIRST
#undef SECOND
#undef REST
#undef ONLY
#undef LAST
    products->margin = W_SUM(two ? W_ADD(m0, m1) : m1);
    products->squared_norm = W_SUM(two ? W_ADD(n0, n1) : n1);
    products->variance = diagonal ? W_SUM(two ? W_ADD(v0, v1) : v1) : 0.0;
}

SIMD_INLINE void TYPED(products_dense)(const REAL *x, const REAL *w, const REAL *s, ptrdiff_t n,
                                       simd_products *products, const int diagonal,
                                       const int with_margin) {
    if (n > 3 * SUMS)
        TYPED(sums_dense)(x, w, s, n, products, diagonal, 1, with_margin);
    else
        TYPED(sums_dense)(x, w, s, n, products, diagonal, 0, with_margin);
}

static double TYPED(squared_norm)(const void *x, ptrdiff_t n) {
    simd_products products;
    TYPED(products_dense)((const REAL *)x, NULL, NULL, n, &products, 0, 0);
    return products.squared_norm;
}

/* Margins of R weight vectors that are `stride` elements apart. */
SIMD_INLINE void TYPED(margins_of)(const REAL *x, const REAL *w, ptrdiff_t stride, ptrdiff_t n,
                                   double *margins, const int R) {
    WVEC m[4];
    ptrdiff_t k = 0;
    int r;
    UNROLL
    for (r = 0; r < R; r++) m[r] = W_SET((REAL)0);
    for (; k + SUMS <= n; k += SUMS) {
        const WVEC a = W_LOAD(x + k);
        UNROLL
        for (r = 0; r < R; r++) m[r] = W_FMA(a, W_LOAD(w + r * stride + k), m[r]);
    }
    if (k < n) {
        const WVEC a = W_LOAD_PART(x + k, n - k);
        UNROLL
        for (r = 0; r < R; r++) m[r] = W_FMA(a, W_LOAD(w + r * stride + k), m[r]);
    }
    UNROLL
    for (r = 0; r < R; r++) margins[r] = W_SUM(m[r]);
}

static void TYPED(margins_dense)(const REAL *x, const REAL *w, ptrdiff_t stride,
                                 ptrdiff_t n_classes, ptrdiff_t n, double *margins) {
    ptrdiff_t c = 0;
    for (; c + 4 <= n_classes; c += 4)
        TYPED(margins_of)(x, w + c * stride, stride, n, margins + c, 4);
    for (; c < n_classes; c++) TYPED(margins_of)(x, w + c * stride, stride, n, margins + c, 1);
}

/* |x - scales[r] c[r]|^2 of R centers. Computed from differences: with norms and products,
 * samples far from the origin would lose digits by cancellation. */
SIMD_INLINE void TYPED(distances_of)(const REAL *x, const REAL *c, const double *scales,
                                     ptrdiff_t n, double *distances, const int R) {
    WVEC sum[4], minus_scale[4];
    ptrdiff_t k = 0;
    int r;
    UNROLL
    for (r = 0; r < R; r++) {
        sum[r] = W_SET((REAL)0);
        minus_scale[r] = W_SET((REAL)-scales[r]);
    }
    for (; k + SUMS <= n; k += SUMS) {
        const WVEC a = W_LOAD(x + k);
        UNROLL
        for (r = 0; r < R; r++) {
            const WVEC difference = W_FMA(minus_scale[r], W_LOAD(c + r * n + k), a);
            sum[r] = W_FMA(difference, difference, sum[r]);
        }
    }
    if (k < n) {
        const WVEC a = W_LOAD_PART(x + k, n - k);
        UNROLL
        for (r = 0; r < R; r++) {
            const WVEC c_r = W_LOAD_PART(c + r * n + k, n - k);
            const WVEC difference = W_FMA(minus_scale[r], c_r, a);
            sum[r] = W_FMA(difference, difference, sum[r]);
        }
    }
    UNROLL
    for (r = 0; r < R; r++) distances[r] = W_SUM(sum[r]);
}

static void TYPED(distances)(const void *x_, const void *c_, const double *scales,
                             ptrdiff_t n_centers, ptrdiff_t n, double *distances) {
    const REAL *x = (const REAL *)x_, *c = (const REAL *)c_;
    ptrdiff_t k = 0;
    for (; k + 4 <= n_centers; k += 4)
        TYPED(distances_of)(x, c + k * n, scales + k, n, distances + k, 4);
    switch (n_centers - k) {
        case 3:
            TYPED(distances_of)(x, c + k * n, scales + k, n, distances + k, 3);
            break;
        case 2:
            TYPED(distances_of)(x, c + k * n, scales + k, n, distances + k, 2);
            break;
        case 1:
            TYPED(distances_of)(x, c + k * n, scales + k, n, distances + k, 1);
    }
}

static void TYPED(add_dense)(double alpha, const REAL *x, REAL *w, ptrdiff_t n) {
    const VEC a = V_SET((REAL)alpha);
    ptrdiff_t k = 0;
    for (; k + VL <= n; k += VL) V_STORE(w + k, V_FMA(a, V_LOAD(x + k), V_LOAD(w + k)));
    if (k < n) V_STORE(w + k, V_FMA(a, V_LOAD_PART(x + k, n - k), V_LOAD(w + k)));
}

static void TYPED(multiply)(double factor, void *w_, ptrdiff_t n) {
    REAL *w = (REAL *)w_;
    const VEC a = V_SET((REAL)factor);
    ptrdiff_t k = 0;
    for (; k + VL <= n; k += VL) V_STORE(w + k, V_MUL(a, V_LOAD(w + k)));
    for (; k < n; k++) w[k] *= (REAL)factor;
}

/* With variances. Each is multiplied by at least EPSILON: if one feature accounts for all of x'S
 * x, rounding would make its factor 0 or negative. */
static void TYPED(add_dense_diagonal)(double alpha, double beta, const REAL *x, REAL *w, REAL *s,
                                      ptrdiff_t n) {
    const VEC a = V_SET((REAL)alpha), b = V_SET((REAL)-beta);
    const VEC one = V_SET((REAL)1), min_factor = V_SET(EPSILON);
    ptrdiff_t k = 0;
    for (; k + VL <= n; k += VL) {
        const VEC at = V_LOAD(x + k), old = V_LOAD(s + k), u = V_MUL(old, at);
        V_STORE(w + k, V_FMA(a, u, V_LOAD(w + k)));
        V_STORE(s + k, V_MUL(old, V_MAX(V_FMA(V_MUL(b, u), at, one), min_factor)));
    }
    if (k < n) {
        const VEC at = V_LOAD_PART(x + k, n - k), old = V_LOAD(s + k), u = V_MUL(old, at);
        V_STORE(w + k, V_FMA(a, u, V_LOAD(w + k)));
        V_STORE(s + k, V_MUL(old, V_MAX(V_FMA(V_MUL(b, u), at, one), min_factor)));
    }
}

/* ------------------------------------------------------------------ sparse samples ------- */

/* Scalar, since gathers cost as much as single loads; four accumulators hide their latency. */
SIMD_INLINE void TYPED(products_sparse)(const REAL *x, const int32_t *columns, ptrdiff_t n,
                                        const REAL *w, const REAL *s, simd_products *products,
                                        const int diagonal) {
    REAL m[4] = {0}, q[4] = {0}, v[4] = {0};
    ptrdiff_t k = 0;
    int l;
    for (; k + 4 <= n; k += 4) {
        UNROLL
        for (l = 0; l < 4; l++) {
            const REAL a = x[k + l];
            m[l] = S_FMA(a, w[columns[k + l]], m[l]);
            q[l] = S_FMA(a, a, q[l]);
            if (diagonal) v[l] = S_FMA(a * s[columns[k + l]], a, v[l]);
        }
    }
    for (; k < n; k++) {
        const REAL a = x[k];
        m[0] = S_FMA(a, w[columns[k]], m[0]);
        q[0] = S_FMA(a, a, q[0]);
        if (diagonal) v[0] = S_FMA(a * s[columns[k]], a, v[0]);
    }
    products->margin = (double)((m[0] + m[1]) + (m[2] + m[3]));
    products->squared_norm = (double)((q[0] + q[1]) + (q[2] + q[3]));
    products->variance = diagonal ? (double)((v[0] + v[1]) + (v[2] + v[3])) : 0.0;
}

/* Sums for V whole vectors of classes and `rest` more: each nonzero serves all of them. Margins,
 * or variances if `squared`. */
SIMD_INLINE void TYPED(sums_of_lanes)(const REAL *x, const int32_t *columns, ptrdiff_t n,
                                      const REAL *w, ptrdiff_t stride, ptrdiff_t rest,
                                      double *sums, const int V, const int squared) {
    VEC acc[5];
    REAL lanes[VL];
    ptrdiff_t k, l;
    int v;
    UNROLL
    for (v = 0; v <= V; v++) acc[v] = V_SET((REAL)0);
    for (k = 0; k < n; k++) {
        const REAL *at = w + (ptrdiff_t)columns[k] * stride;
        const VEC a = V_SET(squared ? x[k] * x[k] : x[k]);
        /* The hardware prefetcher cannot predict the next feature. */
        if (k + 6 < n) {
            const REAL *next = w + (ptrdiff_t)columns[k + 6] * stride;
            SIMD_PREFETCH(next);
            if (V > 1) SIMD_PREFETCH(next + 2 * VL - 1);
        }
        UNROLL
        for (v = 0; v < V; v++) acc[v] = V_FMA(a, V_LOAD(at + v * VL), acc[v]);
        if (rest) acc[V] = V_FMA(a, V_LOAD_PART(at + V * VL, rest), acc[V]);
    }
    UNROLL
    for (v = 0; v <= V; v++) {
        const ptrdiff_t m = v < V ? VL : rest;
        V_STORE(lanes, acc[v]);
        for (l = 0; l < m; l++) sums[v * VL + l] = (double)lanes[l];
    }
}

SIMD_INLINE void TYPED(sums_sparse)(const REAL *x, const int32_t *columns, ptrdiff_t n,
                                    const REAL *w, ptrdiff_t n_classes, double *sums,
                                    const int squared) {
    ptrdiff_t c = 0;
    for (; c + 4 * VL <= n_classes; c += 4 * VL)
        TYPED(sums_of_lanes)(x, columns, n, w + c, n_classes, 0, sums + c, 4, squared);
    if (c < n_classes) {
        const ptrdiff_t rest = (n_classes - c) % VL;
        switch ((n_classes - c) / VL) {
            case 0:
                TYPED(sums_of_lanes)(x, columns, n, w + c, n_classes, rest, sums + c, 0, squared);
                break;
            case 1:
                TYPED(sums_of_lanes)(x, columns, n, w + c, n_classes, rest, sums + c, 1, squared);
                break;
            case 2:
                TYPED(sums_of_lanes)(x, columns, n, w + c, n_classes, rest, sums + c, 2, squared);
                break;
            default:
                TYPED(sums_of_lanes)(x, columns, n, w + c, n_classes, rest, sums + c, 3, squared);
        }
    }
}

static void TYPED(add_sparse)(double alpha, const REAL *x, const int32_t *columns, ptrdiff_t n,
                              REAL *w, ptrdiff_t stride) {
    const REAL a = (REAL)alpha;
    ptrdiff_t k;
    for (k = 0; k < n; k++) {
        REAL *at = w + (ptrdiff_t)columns[k] * stride;
        *at = S_FMA(a, x[k], *at);
    }
}

static void TYPED(add_sparse_all)(const double *alphas, const REAL *x, const int32_t *columns,
                                  ptrdiff_t n, REAL *w, ptrdiff_t n_classes) {
    REAL lanes[4 * VL];
    ptrdiff_t c, k, l;
    for (c = 0; c < n_classes; c += 4 * VL) {
        const ptrdiff_t m = n_classes - c < 4 * VL ? n_classes - c : 4 * VL;
        const ptrdiff_t whole = m / VL * VL, rest = m - whole;
        for (l = 0; l < m; l++) lanes[l] = (REAL)alphas[c + l];
        for (k = 0; k < n; k++) {
            REAL *at = w + (ptrdiff_t)columns[k] * n_classes + c;
            const VEC a = V_SET(x[k]);
            for (l = 0; l < whole; l += VL)
                V_STORE(at + l, V_FMA(a, V_LOAD(lanes + l), V_LOAD(at + l)));
            if (rest) {
                const VEC old = V_LOAD_PART(at + whole, rest);
                V_STORE_PART(at + whole, V_FMA(a, V_LOAD_PART(lanes + whole, rest), old), rest);
            }
        }
    }
}

static void TYPED(add_sparse_diagonal)(double alpha, double beta, const REAL *x,
                                       const int32_t *columns, ptrdiff_t n, REAL *w, REAL *s,
                                       ptrdiff_t stride) {
    const REAL a = (REAL)alpha, b = (REAL)-beta;
    ptrdiff_t k;
    for (k = 0; k < n; k++) {
        const ptrdiff_t at = (ptrdiff_t)columns[k] * stride;
        const REAL old = s[at], u = old * x[k], factor = S_FMA(b * u, x[k], (REAL)1);
        w[at] = S_FMA(a, u, w[at]);
        s[at] = old * (factor > EPSILON ? factor : EPSILON);
    }
}

static void TYPED(add_sparse_diagonal_all)(const double *alphas, const double *betas,
                                           const REAL *x, const int32_t *columns, ptrdiff_t n,
                                           REAL *w, REAL *s, ptrdiff_t n_classes) {
    REAL alpha[4 * VL], minus_beta[4 * VL];
    const VEC one = V_SET((REAL)1), min_factor = V_SET(EPSILON);
    ptrdiff_t c, k, l;
    for (c = 0; c < n_classes; c += 4 * VL) {
        const ptrdiff_t m = n_classes - c < 4 * VL ? n_classes - c : 4 * VL;
        const ptrdiff_t whole = m / VL * VL, rest = m - whole;
        for (l = 0; l < 4 * VL; l++) {
            alpha[l] = l < m ? (REAL)alphas[c + l] : (REAL)0;
            minus_beta[l] = l < m ? (REAL)-betas[c + l] : (REAL)0;
        }
        for (k = 0; k < n; k++) {
            const ptrdiff_t at = (ptrdiff_t)columns[k] * n_classes + c;
            const VEC value = V_SET(x[k]);
            for (l = 0; l < whole; l += VL) {
                const VEC old = V_LOAD(s + at + l), u = V_MUL(old, value);
                const VEC factor = V_FMA(V_MUL(V_LOAD(minus_beta + l), u), value, one);
                V_STORE(w + at + l, V_FMA(V_LOAD(alpha + l), u, V_LOAD(w + at + l)));
                V_STORE(s + at + l, V_MUL(old, V_MAX(factor, min_factor)));
            }
            if (rest) {
                const VEC old = V_LOAD_PART(s + at + whole, rest), u = V_MUL(old, value);
                const VEC factor = V_FMA(V_MUL(V_LOAD(minus_beta + whole), u), value, one);
                const VEC moved = V_LOAD_PART(w + at + whole, rest);
                V_STORE_PART(w + at + whole, V_FMA(V_LOAD(alpha + whole), u, moved), rest);
                V_STORE_PART(s + at + whole, V_MUL(old, V_MAX(factor, min_factor)), rest);
            }
        }
    }
}

/* ------------------------------------------------------------------ either kind ---------- */

static void TYPED(products)(const void *x_, const int32_t *columns, ptrdiff_t n, const void *w_,
                            const void *s_, simd_products *products) {
    const REAL *x = (const REAL *)x_, *w = (const REAL *)w_, *s = (const REAL *)s_;
    if (columns)
        s ? TYPED(products_sparse)(x, columns, n, w, s, products, 1)
          : TYPED(products_sparse)(x, columns, n, w, s, products, 0);
    else
        s ? TYPED(products_dense)(x, w, s, n, products, 1, 1)
          : TYPED(products_dense)(x, w, s, n, products, 0, 1);
}

static void TYPED(margins)(const void *x_, const int32_t *columns, ptrdiff_t n, const void *w_,
                           ptrdiff_t class_stride, ptrdiff_t n_classes, double *margins) {
    const REAL *x = (const REAL *)x_, *w = (const REAL *)w_;
    if (columns)
        TYPED(sums_sparse)(x, columns, n, w, n_classes, margins, 0);
    else
        TYPED(margins_dense)(x, w, class_stride, n_classes, n, margins);
}

static void TYPED(variances)(const void *x, const int32_t *columns, ptrdiff_t n, const void *s,
                             ptrdiff_t n_classes, double *variances) {
    TYPED(sums_sparse)((const REAL *)x, columns, n, (const REAL *)s, n_classes, variances, 1);
}

static void TYPED(add)(double alpha, double beta, const void *x_, const int32_t *columns,
                       ptrdiff_t n, void *w_, void *s_, ptrdiff_t feature_stride) {
    const REAL *x = (const REAL *)x_;
    REAL *w = (REAL *)w_, *s = (REAL *)s_;
    if (columns)
        s ? TYPED(add_sparse_diagonal)(alpha, beta, x, columns, n, w, s, feature_stride)
          : TYPED(add_sparse)(alpha, x, columns, n, w, feature_stride);
    else
        s ? TYPED(add_dense_diagonal)(alpha, beta, x, w, s, n) : TYPED(add_dense)(alpha, x, w, n);
}

static void TYPED(add_all)(const double *alphas, const double *betas, const void *x_,
                           const int32_t *columns, ptrdiff_t n, void *w_, void *s_,
                           ptrdiff_t n_classes) {
    const REAL *x = (const REAL *)x_;
    REAL *w = (REAL *)w_, *s = (REAL *)s_;
    if (s)
        TYPED(add_sparse_diagonal_all)(alphas, betas, x, columns, n, w, s, n_classes);
    else
        TYPED(add_sparse_all)(alphas, x, columns, n, w, n_classes);
}

/* ------------------------------------------------------------------ a pass ---------------- */

SIMD_INLINE void TYPED(prefetch)(const simd_pass *pass, ptrdiff_t i) {
    const ptrdiff_t start = pass->starts ? pass->starts[i] : i * pass->n_features;
    const ptrdiff_t n = pass->starts ? pass->starts[i + 1] - start : pass->n_features;
    SIMD_PREFETCH(pass->labels + i);
    simd_prefetch((const REAL *)pass->values + start, n * (ptrdiff_t)sizeof(REAL));
    if (pass->starts) simd_prefetch(pass->columns + start, n * 4);
}

SIMD_INLINE ptrdiff_t TYPED(train_on)(const simd_pass *pass, ptrdiff_t at, ptrdiff_t stop,
                                      simd_totals *totals, const int sparse, const int ordered,
                                      const int advised) {
    const rule_parameters rule = *pass->rule;
    const ptrdiff_t d = pass->n_features;
    const double constant = pass->bias ? pass->constant : 0.0;
    const int64_t *order = pass->order;
    const int32_t *labels = pass->labels;
    const double *weights = pass->weights;
    const double target_margins[2] = {pass->target_margins[0], pass->target_margins[1]};
    REAL *w = (REAL *)pass->w;
    const REAL *advice = (const REAL *)pass->advice;
    double bias = pass->bias ? *pass->bias : 0.0, loss = totals->loss;
    double scale = advised ? *pass->scale : 1.0;
    int64_t n_updates = totals->n_updates;
    for (; at < stop; at++) {
        const ptrdiff_t i = ordered ? order[at] : at;
        const double weight = weights ? weights[i] : 1.0;
        const int32_t *columns = NULL;
        const REAL *x;
        ptrdiff_t n = d;
        simd_products products, advice_products;
        double margin;
        rule_step step;
        int positive;
        if (ordered && at + SIMD_PREFETCH_DISTANCE < pass->n_samples)
            TYPED(prefetch)(pass, order[at + SIMD_PREFETCH_DISTANCE]);
        if (weight == 0.0) continue;
        if (sparse) {
            x = (const REAL *)pass->values + pass->starts[i];
            columns = pass->columns + pass->starts[i];
            n = pass->starts[i + 1] - pass->starts[i];
            TYPED(products_sparse)(x, columns, n, w, NULL, &products, 0);
            if (advised) TYPED(products_sparse)(x, columns, n, advice, NULL, &advice_products, 0);
        } else {
            x = (const REAL *)pass->values + i * d;
            TYPED(products_dense)(x, w, NULL, d, &products, 0, 1);
            if (advised) TYPED(products_dense)(x, advice, NULL, d, &advice_products, 0, 1);
        }
        if (!isfinite(products.squared_norm)) break;
        margin = products.margin + bias;
        if (advised) {
            scale *= pass->decay;
            margin = advice_products.margin + pass->advice_bias + scale * margin;
            if (scale < pass->min_scale) {
                TYPED(multiply)(scale, w, d);
                bias *= scale;
                scale = 1.0;
            }
        }
        positive = labels[i] == 1;
        step =
            rule_first_order(&rule, positive ? 1.0 : -1.0, margin,
                             products.squared_norm + constant, weight, target_margins[positive]);
        loss += step.loss;
        if (!step.taken) continue;
        n_updates++;
        if (advised) step.alpha /= scale;
        bias += constant * step.alpha;
        if (sparse)
            TYPED(add_sparse)(step.alpha, x, columns, n, w, 1);
        else
            TYPED(add_dense)(step.alpha, x, w, d);
    }
    if (pass->bias) *pass->bias = bias;
    if (advised) *pass->scale = scale;
    totals->loss = loss;
    totals->n_updates = n_updates;
    return at;
}

/* The flags are constants of each call, so that each becomes a loop without branches on them. */
static ptrdiff_t TYPED(train)(const simd_pass *pass, ptrdiff_t start, ptrdiff_t stop,
                              simd_totals *totals) {
    switch ((pass->advice ? 4 : 0) + (pass->starts ? 2 : 0) + (pass->order ? 1 : 0)) {
        case 0:
            return TYPED(train_on)(pass, start, stop, totals, 0, 0, 0);
        case 1:
            return TYPED(train_on)(pass, start, stop, totals, 0, 1, 0);
        case 2:
            return TYPED(train_on)(pass, start, stop, totals, 1, 0, 0);
        case 3:
            return TYPED(train_on)(pass, start, stop, totals, 1, 1, 0);
        case 4:
            return TYPED(train_on)(pass, start, stop, totals, 0, 0, 1);
        case 5:
            return TYPED(train_on)(pass, start, stop, totals, 0, 1, 1);
        case 6:
            return TYPED(train_on)(pass, start, stop, totals, 1, 0, 1);
        default:
            return TYPED(train_on)(pass, start, stop, totals, 1, 1, 1);
    }
}

static const simd_linear TYPED(linear) = {
    TYPED(squared_norm), TYPED(products), TYPED(margins), TYPED(variances), TYPED(add),
    TYPED(add_all),      TYPED(multiply), TYPED(train),   TYPED(distances),
};
