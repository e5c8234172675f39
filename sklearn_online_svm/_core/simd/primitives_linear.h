/* Loops of the one-pass linear learners for one element type (REAL) at one SIMD level. Included
 * by simd_level.h.
 *
 * The element type hides behind void pointers, so that the update loop is written once. Sums have
 * several accumulators: two rows of the same numbers give the same bits, whatever is beside them,
 * but a sparse row and its dense copy differ by rounding.
 *
 * The last, incomplete vector of a dense row is filled up with zeros; weights and variances have
 * room for a whole vector behind their end. Masked stores of weights, which the next row loads
 * again at once, would cost more than all the rest.
 */

/* ------------------------------------------------------------------ dense ----------------- */

/* margin = w.x, squared_norm = |x|^2 and, with variances s, variance = sum s x^2: in one pass. */
SIMD_INLINE void TYPED(look_at)(const REAL *x, const REAL *w, const REAL *s, ptrdiff_t n,
                                simd_look *look, const int diagonal) {
    const VEC zero = V_SET((REAL)0);
    VEC m0 = zero, m1 = zero, n0 = zero, n1 = zero, v0 = zero, v1 = zero;
    ptrdiff_t k = 0;
    for (; k + 2 * VL <= n; k += 2 * VL) {
        const VEC a = V_LOAD(x + k), b = V_LOAD(x + k + VL);
        m0 = V_FMA(a, V_LOAD(w + k), m0);
        m1 = V_FMA(b, V_LOAD(w + k + VL), m1);
        n0 = V_FMA(a, a, n0);
        n1 = V_FMA(b, b, n1);
        if (diagonal) {
            v0 = V_FMA(V_MUL(a, V_LOAD(s + k)), a, v0);
            v1 = V_FMA(V_MUL(b, V_LOAD(s + k + VL)), b, v1);
        }
    }
    if (k + VL <= n) {
        const VEC a = V_LOAD(x + k);
        m0 = V_FMA(a, V_LOAD(w + k), m0);
        n0 = V_FMA(a, a, n0);
        if (diagonal) v0 = V_FMA(V_MUL(a, V_LOAD(s + k)), a, v0);
        k += VL;
    }
    if (k < n) {
        const VEC a = V_LOAD_PART(x + k, n - k);
        m1 = V_FMA(a, V_LOAD(w + k), m1);
        n1 = V_FMA(a, a, n1);
        if (diagonal) v1 = V_FMA(V_MUL(a, V_LOAD(s + k)), a, v1);
    }
    look->margin = (double)V_SUM(V_ADD(m0, m1));
    look->squared_norm = (double)V_SUM(V_ADD(n0, n1));
    if (diagonal) look->variance = (double)V_SUM(V_ADD(v0, v1));
}

static double TYPED(squared_norm)(const void *x_, ptrdiff_t n) {
    const REAL *x = (const REAL *)x_;
    VEC n0 = V_SET((REAL)0), n1 = n0;
    ptrdiff_t k = 0;
    for (; k + 2 * VL <= n; k += 2 * VL) {
        const VEC a = V_LOAD(x + k), b = V_LOAD(x + k + VL);
        n0 = V_FMA(a, a, n0);
        n1 = V_FMA(b, b, n1);
    }
    if (k + VL <= n) {
        const VEC a = V_LOAD(x + k);
        n0 = V_FMA(a, a, n0);
        k += VL;
    }
    if (k < n) {
        const VEC a = V_LOAD_PART(x + k, n - k);
        n1 = V_FMA(a, a, n1);
    }
    return (double)V_SUM(V_ADD(n0, n1));
}

static void TYPED(look_dense)(const void *x, const void *w, ptrdiff_t n, simd_look *look) {
    TYPED(look_at)((const REAL *)x, (const REAL *)w, NULL, n, look, 0);
}

static void TYPED(look_dense_diagonal)(const void *x, const void *w, const void *s, ptrdiff_t n,
                                       simd_look *look) {
    TYPED(look_at)((const REAL *)x, (const REAL *)w, (const REAL *)s, n, look, 1);
}

/* R weight vectors, `apart` elements apart, against one row held in registers. */
SIMD_INLINE void TYPED(margins_of)(const REAL *x, const REAL *w, ptrdiff_t apart, ptrdiff_t n,
                                   double *margins, const int R) {
    VEC m[4];
    ptrdiff_t k = 0;
    int r;
    SIMD_UNROLL
    for (r = 0; r < R; r++) m[r] = V_SET((REAL)0);
    for (; k + VL <= n; k += VL) {
        const VEC a = V_LOAD(x + k);
        SIMD_UNROLL
        for (r = 0; r < R; r++) m[r] = V_FMA(a, V_LOAD(w + r * apart + k), m[r]);
    }
    if (k < n) {
        const VEC a = V_LOAD_PART(x + k, n - k);
        SIMD_UNROLL
        for (r = 0; r < R; r++) m[r] = V_FMA(a, V_LOAD(w + r * apart + k), m[r]);
    }
    SIMD_UNROLL
    for (r = 0; r < R; r++) margins[r] = (double)V_SUM(m[r]);
}

static void TYPED(margins_dense)(const void *x_, const void *w_, ptrdiff_t apart,
                                 ptrdiff_t n_classes, ptrdiff_t n, double *margins) {
    const REAL *x = (const REAL *)x_, *w = (const REAL *)w_;
    ptrdiff_t c = 0;
    for (; c + 4 <= n_classes; c += 4)
        TYPED(margins_of)(x, w + c * apart, apart, n, margins + c, 4);
    for (; c < n_classes; c++) TYPED(margins_of)(x, w + c * apart, apart, n, margins + c, 1);
}

/* |x - scales[r] c[r]|^2 of R centres. Of differences, not of norms and products: rows far from
 * the origin would lose their digits in the cancellation. */
SIMD_INLINE void TYPED(distances_of)(const REAL *x, const REAL *c, const double *scales,
                                     ptrdiff_t n, double *distances, const int R) {
    VEC sum[4], less[4];
    ptrdiff_t k = 0;
    int r;
    SIMD_UNROLL
    for (r = 0; r < R; r++) {
        sum[r] = V_SET((REAL)0);
        less[r] = V_SET((REAL)-scales[r]);
    }
    for (; k + VL <= n; k += VL) {
        const VEC a = V_LOAD(x + k);
        SIMD_UNROLL
        for (r = 0; r < R; r++) {
            const VEC apart = V_FMA(less[r], V_LOAD(c + r * n + k), a);
            sum[r] = V_FMA(apart, apart, sum[r]);
        }
    }
    if (k < n) {
        const VEC a = V_LOAD_PART(x + k, n - k);
        SIMD_UNROLL
        for (r = 0; r < R; r++) {
            const VEC apart = V_FMA(less[r], V_LOAD_PART(c + r * n + k, n - k), a);
            sum[r] = V_FMA(apart, apart, sum[r]);
        }
    }
    SIMD_UNROLL
    for (r = 0; r < R; r++) distances[r] = (double)V_SUM(sum[r]);
}

static void TYPED(distances_dense)(const void *x_, const void *c_, const double *scales,
                                   ptrdiff_t n_centres, ptrdiff_t n, double *distances) {
    const REAL *x = (const REAL *)x_, *c = (const REAL *)c_;
    ptrdiff_t k = 0;
    for (; k + 4 <= n_centres; k += 4)
        TYPED(distances_of)(x, c + k * n, scales + k, n, distances + k, 4);
    switch (n_centres - k) {
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

/* w += step * x */
static void TYPED(add_dense)(double step, const void *x_, void *w_, ptrdiff_t n) {
    const REAL *x = (const REAL *)x_;
    REAL *w = (REAL *)w_;
    const VEC a = V_SET((REAL)step);
    ptrdiff_t k = 0;
    for (; k + VL <= n; k += VL) V_STORE(w + k, V_FMA(a, V_LOAD(x + k), V_LOAD(w + k)));
    if (k < n) V_STORE(w + k, V_FMA(a, V_LOAD_PART(x + k, n - k), V_LOAD(w + k)));
}

/* w *= factor */
static void TYPED(multiply)(double factor, void *w_, ptrdiff_t n) {
    REAL *w = (REAL *)w_;
    const VEC a = V_SET((REAL)factor);
    ptrdiff_t k = 0;
    for (; k + VL <= n; k += VL) V_STORE(w + k, V_MUL(a, V_LOAD(w + k)));
    for (; k < n; k++) w[k] *= (REAL)factor;
}

/* w += step * s x, s -= shrink * (s x)^2. The factor of s is at least EPSILON: where one feature
 * makes up x'S x, rounding would make it 0 or less. */
static void TYPED(add_dense_diagonal)(double step, double shrink, const void *x_, void *w_,
                                      void *s_, ptrdiff_t n) {
    const REAL *x = (const REAL *)x_;
    REAL *w = (REAL *)w_, *s = (REAL *)s_;
    const VEC a = V_SET((REAL)step), b = V_SET((REAL)-shrink);
    const VEC one = V_SET((REAL)1), least = V_SET(EPSILON);
    ptrdiff_t k = 0;
    for (; k + VL <= n; k += VL) {
        const VEC at = V_LOAD(x + k), old = V_LOAD(s + k), u = V_MUL(old, at);
        V_STORE(w + k, V_FMA(a, u, V_LOAD(w + k)));
        V_STORE(s + k, V_MUL(old, V_MAX(V_FMA(V_MUL(b, u), at, one), least)));
    }
    if (k < n) {
        const VEC at = V_LOAD_PART(x + k, n - k), old = V_LOAD(s + k), u = V_MUL(old, at);
        V_STORE(w + k, V_FMA(a, u, V_LOAD(w + k)));
        V_STORE(s + k, V_MUL(old, V_MAX(V_FMA(V_MUL(b, u), at, one), least)));
    }
}

/* ------------------------------------------------------------------ sparse ---------------- */

/* One weight vector. Scalar: gathers cost as much as single loads; four chains of sums. */
SIMD_INLINE void TYPED(look_at_sparse)(const REAL *x, const int32_t *columns, ptrdiff_t n,
                                       const REAL *w, const REAL *s, simd_look *look,
                                       const int diagonal) {
    REAL m[4] = {0}, q[4] = {0}, v[4] = {0};
    ptrdiff_t k = 0;
    int l;
    for (; k + 4 <= n; k += 4) {
        SIMD_UNROLL
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
    look->margin = (double)((m[0] + m[1]) + (m[2] + m[3]));
    look->squared_norm = (double)((q[0] + q[1]) + (q[2] + q[3]));
    if (diagonal) look->variance = (double)((v[0] + v[1]) + (v[2] + v[3]));
}

static void TYPED(look_sparse)(const void *x, const int32_t *columns, ptrdiff_t n, const void *w,
                               simd_look *look) {
    TYPED(look_at_sparse)((const REAL *)x, columns, n, (const REAL *)w, NULL, look, 0);
}

static void TYPED(look_sparse_diagonal)(const void *x, const int32_t *columns, ptrdiff_t n,
                                        const void *w, const void *s, simd_look *look) {
    TYPED(look_at_sparse)((const REAL *)x, columns, n, (const REAL *)w, (const REAL *)s, look, 1);
}

/* V whole vectors of classes and `rest` more: the weights of one feature lie side by side, so
 * that a nonzero serves all classes. With variances s: sums of s x^2 instead. */
SIMD_INLINE void TYPED(lanes_sparse)(const REAL *x, const int32_t *columns, ptrdiff_t n,
                                     const REAL *w, ptrdiff_t apart, ptrdiff_t rest, double *sums,
                                     const int V, const int squared) {
    VEC acc[5];
    REAL lanes[VL];
    ptrdiff_t k, l;
    int v;
    SIMD_UNROLL
    for (v = 0; v <= V; v++) acc[v] = V_SET((REAL)0);
    for (k = 0; k < n; k++) {
        const REAL *at = w + (ptrdiff_t)columns[k] * apart;
        const VEC a = V_SET(squared ? x[k] * x[k] : x[k]);
        /* Which feature comes is not to be guessed from the one before. */
        if (k + 6 < n) {
            const REAL *next = w + (ptrdiff_t)columns[k + 6] * apart;
            SIMD_PREFETCH(next);
            if (V > 1) SIMD_PREFETCH(next + 2 * VL - 1);
        }
        SIMD_UNROLL
        for (v = 0; v < V; v++) acc[v] = V_FMA(a, V_LOAD(at + v * VL), acc[v]);
        if (rest) acc[V] = V_FMA(a, V_LOAD_PART(at + V * VL, rest), acc[V]);
    }
    SIMD_UNROLL
    for (v = 0; v <= V; v++) {
        const ptrdiff_t m = v < V ? VL : rest;
        V_STORE(lanes, acc[v]);
        for (l = 0; l < m; l++) sums[v * VL + l] = (double)lanes[l];
    }
}

SIMD_INLINE void TYPED(all_lanes)(const REAL *x, const int32_t *columns, ptrdiff_t n,
                                  const REAL *w, ptrdiff_t n_classes, double *sums,
                                  const int squared) {
    ptrdiff_t c = 0;
    for (; c + 4 * VL <= n_classes; c += 4 * VL)
        TYPED(lanes_sparse)(x, columns, n, w + c, n_classes, 0, sums + c, 4, squared);
    if (c < n_classes) {
        const ptrdiff_t rest = (n_classes - c) % VL;
        switch ((n_classes - c) / VL) {
            case 0:
                TYPED(lanes_sparse)(x, columns, n, w + c, n_classes, rest, sums + c, 0, squared);
                break;
            case 1:
                TYPED(lanes_sparse)(x, columns, n, w + c, n_classes, rest, sums + c, 1, squared);
                break;
            case 2:
                TYPED(lanes_sparse)(x, columns, n, w + c, n_classes, rest, sums + c, 2, squared);
                break;
            default:
                TYPED(lanes_sparse)(x, columns, n, w + c, n_classes, rest, sums + c, 3, squared);
        }
    }
}

/* sums[c] = sum_j x[j] w[j * n_classes + c] */
static void TYPED(margins_sparse)(const void *x, const int32_t *columns, ptrdiff_t n,
                                  const void *w, ptrdiff_t n_classes, double *sums) {
    TYPED(all_lanes)((const REAL *)x, columns, n, (const REAL *)w, n_classes, sums, 0);
}

/* sums[c] = sum_j x[j]^2 s[j * n_classes + c] */
static void TYPED(variances_sparse)(const void *x, const int32_t *columns, ptrdiff_t n,
                                    const void *s, ptrdiff_t n_classes, double *sums) {
    TYPED(all_lanes)((const REAL *)x, columns, n, (const REAL *)s, n_classes, sums, 1);
}

/* w[apart * column] += step * x */
static void TYPED(add_sparse)(double step, const void *x_, const int32_t *columns, ptrdiff_t n,
                              void *w_, ptrdiff_t apart) {
    const REAL *x = (const REAL *)x_, a = (REAL)step;
    REAL *w = (REAL *)w_;
    ptrdiff_t k;
    for (k = 0; k < n; k++) {
        REAL *at = w + (ptrdiff_t)columns[k] * apart;
        *at = S_FMA(a, x[k], *at);
    }
}

/* For all classes side by side: w[column, c] += steps[c] * x */
static void TYPED(add_sparse_all)(const double *steps, const void *x_, const int32_t *columns,
                                  ptrdiff_t n, void *w_, ptrdiff_t n_classes) {
    const REAL *x = (const REAL *)x_;
    REAL *w = (REAL *)w_, lanes[4 * VL];
    ptrdiff_t c, k, l;
    for (c = 0; c < n_classes; c += 4 * VL) {
        const ptrdiff_t m = n_classes - c < 4 * VL ? n_classes - c : 4 * VL;
        const ptrdiff_t whole = m / VL * VL, rest = m - whole;
        for (l = 0; l < m; l++) lanes[l] = (REAL)steps[c + l];
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

/* w += step * s x, s -= shrink * (s x)^2 at the columns of the row, `apart` elements apart */
static void TYPED(add_sparse_diagonal)(double step, double shrink, const void *x_,
                                       const int32_t *columns, ptrdiff_t n, void *w_, void *s_,
                                       ptrdiff_t apart) {
    const REAL *x = (const REAL *)x_, a = (REAL)step, b = (REAL)-shrink;
    REAL *w = (REAL *)w_, *s = (REAL *)s_;
    ptrdiff_t k;
    for (k = 0; k < n; k++) {
        const ptrdiff_t at = (ptrdiff_t)columns[k] * apart;
        const REAL old = s[at], u = old * x[k], factor = S_FMA(b * u, x[k], (REAL)1);
        w[at] = S_FMA(a, u, w[at]);
        s[at] = old * (factor > EPSILON ? factor : EPSILON);
    }
}

/* For all classes side by side, a step and a shrink for each. */
static void TYPED(add_sparse_diagonal_all)(const double *steps, const double *shrinks,
                                           const void *x_, const int32_t *columns, ptrdiff_t n,
                                           void *w_, void *s_, ptrdiff_t n_classes) {
    const REAL *x = (const REAL *)x_;
    REAL *w = (REAL *)w_, *s = (REAL *)s_, along[4 * VL], shrink[4 * VL];
    const VEC one = V_SET((REAL)1), least = V_SET(EPSILON);
    ptrdiff_t c, k, l;
    for (c = 0; c < n_classes; c += 4 * VL) {
        const ptrdiff_t m = n_classes - c < 4 * VL ? n_classes - c : 4 * VL;
        const ptrdiff_t whole = m / VL * VL, rest = m - whole;
        for (l = 0; l < 4 * VL; l++) {
            along[l] = l < m ? (REAL)steps[c + l] : (REAL)0;
            shrink[l] = l < m ? (REAL)-shrinks[c + l] : (REAL)0;
        }
        for (k = 0; k < n; k++) {
            const ptrdiff_t at = (ptrdiff_t)columns[k] * n_classes + c;
            const VEC value = V_SET(x[k]);
            for (l = 0; l < whole; l += VL) {
                const VEC old = V_LOAD(s + at + l), u = V_MUL(old, value);
                const VEC factor = V_FMA(V_MUL(V_LOAD(shrink + l), u), value, one);
                V_STORE(w + at + l, V_FMA(V_LOAD(along + l), u, V_LOAD(w + at + l)));
                V_STORE(s + at + l, V_MUL(old, V_MAX(factor, least)));
            }
            if (rest) {
                const VEC old = V_LOAD_PART(s + at + whole, rest), u = V_MUL(old, value);
                const VEC factor = V_FMA(V_MUL(V_LOAD(shrink + whole), u), value, one);
                const VEC moved = V_LOAD_PART(w + at + whole, rest);
                V_STORE_PART(w + at + whole, V_FMA(V_LOAD(along + whole), u, moved), rest);
                V_STORE_PART(s + at + whole, V_MUL(old, V_MAX(factor, least)), rest);
            }
        }
    }
}

/* ------------------------------------------------------------------ a pass ---------------- */

SIMD_INLINE void TYPED(fetch)(const simd_pass *rows, ptrdiff_t i) {
    const ptrdiff_t start = rows->starts ? rows->starts[i] : i * rows->n_features;
    const ptrdiff_t n = rows->starts ? rows->starts[i + 1] - start : rows->n_features;
    SIMD_PREFETCH(rows->labels + i);
    simd_fetch((const REAL *)rows->values + start, n * (ptrdiff_t)sizeof(REAL));
    if (rows->starts) simd_fetch(rows->columns + start, n * 4);
}

SIMD_INLINE ptrdiff_t TYPED(run_through)(const simd_pass *rows, ptrdiff_t at, ptrdiff_t stop,
                                         simd_tally *tally, const int sparse, const int ordered,
                                         const int advised) {
    const rule_numbers rule = *rows->rule;
    const ptrdiff_t d = rows->n_features;
    const double constant = rows->bias ? rows->constant : 0.0;
    const int64_t *order = rows->order;
    const int32_t *labels = rows->labels;
    const double *weights = rows->weights, demands[2] = {rows->negative, rows->positive};
    REAL *w = (REAL *)rows->w;
    const REAL *advice = (const REAL *)rows->advice;
    double bias = rows->bias ? *rows->bias : 0.0, loss = tally->loss;
    double scale = advised ? *rows->scale : 1.0;
    int64_t n_updates = tally->n_updates;
    for (; at < stop; at++) {
        const ptrdiff_t i = ordered ? order[at] : at;
        const double weight = weights ? weights[i] : 1.0;
        const int32_t *columns = NULL;
        const REAL *x;
        ptrdiff_t n = d;
        simd_look look, advised_look;
        double margin;
        rule_step step;
        int positive;
        if (ordered && at + SIMD_AHEAD < rows->n_rows) TYPED(fetch)(rows, order[at + SIMD_AHEAD]);
        if (weight == 0.0) continue;
        if (sparse) {
            x = (const REAL *)rows->values + rows->starts[i];
            columns = rows->columns + rows->starts[i];
            n = rows->starts[i + 1] - rows->starts[i];
            TYPED(look_at_sparse)(x, columns, n, w, NULL, &look, 0);
            if (advised) TYPED(look_at_sparse)(x, columns, n, advice, NULL, &advised_look, 0);
        } else {
            x = (const REAL *)rows->values + i * d;
            TYPED(look_at)(x, w, NULL, d, &look, 0);
            if (advised) TYPED(look_at)(x, advice, NULL, d, &advised_look, 0);
        }
        if (!isfinite(look.squared_norm)) break;
        margin = look.margin + bias;
        if (advised) {
            scale *= rows->keep;
            margin = advised_look.margin + rows->advice_bias + scale * margin;
            if (scale < rows->least) {
                TYPED(multiply)(scale, w, d);
                bias *= scale;
                scale = 1.0;
            }
        }
        positive = labels[i] == 1;
        step = rule_first_order(&rule, positive ? 1.0 : -1.0, margin, look.squared_norm + constant,
                                weight, positive ? demands[1] : demands[0]);
        loss += step.loss;
        if (!step.taken) continue;
        n_updates++;
        if (advised) step.along /= scale;
        bias += constant * step.along;
        if (sparse)
            TYPED(add_sparse)(step.along, x, columns, n, w, 1);
        else
            TYPED(add_dense)(step.along, x, w, d);
    }
    if (rows->bias) *rows->bias = bias;
    if (advised) *rows->scale = scale;
    tally->loss = loss;
    tally->n_updates = n_updates;
    return at;
}

static ptrdiff_t TYPED(run)(const simd_pass *rows, ptrdiff_t start, ptrdiff_t stop,
                            simd_tally *tally) {
    if (rows->advice) {
        if (rows->starts)
            return rows->order ? TYPED(run_through)(rows, start, stop, tally, 1, 1, 1)
                               : TYPED(run_through)(rows, start, stop, tally, 1, 0, 1);
        return rows->order ? TYPED(run_through)(rows, start, stop, tally, 0, 1, 1)
                           : TYPED(run_through)(rows, start, stop, tally, 0, 0, 1);
    }
    if (rows->starts)
        return rows->order ? TYPED(run_through)(rows, start, stop, tally, 1, 1, 0)
                           : TYPED(run_through)(rows, start, stop, tally, 1, 0, 0);
    return rows->order ? TYPED(run_through)(rows, start, stop, tally, 0, 1, 0)
                       : TYPED(run_through)(rows, start, stop, tally, 0, 0, 0);
}

static const simd_linear TYPED(linear) = {
    TYPED(squared_norm),
    TYPED(look_dense),
    TYPED(look_dense_diagonal),
    TYPED(margins_dense),
    TYPED(add_dense),
    TYPED(multiply),
    TYPED(add_dense_diagonal),
    TYPED(look_sparse),
    TYPED(look_sparse_diagonal),
    TYPED(margins_sparse),
    TYPED(variances_sparse),
    TYPED(add_sparse),
    TYPED(add_sparse_all),
    TYPED(add_sparse_diagonal),
    TYPED(add_sparse_diagonal_all),
    TYPED(run),
    TYPED(distances_dense),
};
