/* Update rules of the linear learners: from the numbers of a row to the step it teaches.
 *
 * A rule sees scalars only: the label (or target) y = -1 or 1, the decision value p = w.x, the
 * variance v = x'S x of the row (|x|^2 where there is no covariance S), the weight of the row and
 * the margin it is to have (demand). A kernel model can use the same rules, with v = K(x, x).
 *
 * What the rules have in common, and where they differ, is a table (RULE_TABLE); the formulas are
 * one function for each family. The weight of a row multiplies C, never the finished step.
 */
#ifndef SOSVM_RULES_H
#define SOSVM_RULES_H

#include <math.h>

/* A call would pass the step through memory. */
#if defined(__GNUC__) || defined(__clang__)
#define RULE_INLINE static inline __attribute__((always_inline))
#else
#define RULE_INLINE static inline
#endif

/* Whose formulas a rule uses. */
typedef enum {
    RULE_PASSIVE_AGGRESSIVE,
    RULE_PERCEPTRON,
    RULE_SECOND_ORDER_PERCEPTRON,
    RULE_CONFIDENCE_WEIGHTED,
    RULE_AROW
} rule_family;

/* How the problem of a rule counts what a row still lacks after the step: it may lack nothing,
 * C times it, C times its square. */
typedef enum { RULE_HARD, RULE_SOFT, RULE_SQUARED } rule_slack;

typedef struct {
    const char *name;
    rule_family family;
    rule_slack slack;
    int needs_covariance; /* its steps are along S x, and shrink S */
    int is_regression;    /* y is a number, the loss max(0, |y - p| - epsilon) */
    int on_mistakes;      /* a row on its side teaches nothing, whatever its margin */
} rule_traits;

/* Another rule is another line, and a function where its family is new. */
static const rule_traits RULE_TABLE[] = {
    /* PA-I; PA with C = inf */
    {"hinge", RULE_PASSIVE_AGGRESSIVE, RULE_SOFT, 0, 0, 0},
    /* PA-II */
    {"squared_hinge", RULE_PASSIVE_AGGRESSIVE, RULE_SQUARED, 0, 0, 0},
    /* CPA, prediction-based */
    {"prediction", RULE_PASSIVE_AGGRESSIVE, RULE_SOFT, 0, 0, 1},
    /* PA-I and PA-II for regression */
    {"insensitive", RULE_PASSIVE_AGGRESSIVE, RULE_SOFT, 0, 1, 0},
    {"squared_insensitive", RULE_PASSIVE_AGGRESSIVE, RULE_SQUARED, 0, 1, 0},
    /* perceptron, also with uneven margins */
    {"perceptron", RULE_PERCEPTRON, RULE_HARD, 0, 0, 0},
    /* second-order perceptron */
    {"second_order", RULE_SECOND_ORDER_PERCEPTRON, RULE_HARD, 1, 0, 1},
    /* CW, SCW-I, SCW-II */
    {"confidence", RULE_CONFIDENCE_WEIGHTED, RULE_HARD, 1, 0, 0},
    {"soft_confidence", RULE_CONFIDENCE_WEIGHTED, RULE_SOFT, 1, 0, 0},
    {"squared_confidence", RULE_CONFIDENCE_WEIGHTED, RULE_SQUARED, 1, 0, 0},
    /* AROW */
    {"arow", RULE_AROW, RULE_SQUARED, 1, 0, 0},
};
enum { N_RULES = sizeof RULE_TABLE / sizeof *RULE_TABLE };

typedef struct {
    rule_traits traits;
    double C;
    double phi;     /* inverse normal distribution at eta */
    double r;       /* AROW */
    double epsilon; /* regression */
    double largest; /* number that the weights can be multiplied with */
    double reach;   /* of along^2 v, the squared length of a step */
} rule_numbers;

/* w += along * S x (S = 1 without a covariance), S -= shrink * S x x' S */
typedef struct {
    double along;
    double shrink;
    double loss;
    int taken;
} rule_step;

RULE_INLINE rule_step rule_no_step(double loss) {
    const rule_step step = {0.0, 0.0, loss, 0};
    return step;
}

/* Steps that would lead beyond the numbers of the weights are not made: those of rows of tiny
 * numbers, and of hard margins that have become hopeless. */
RULE_INLINE rule_step rule_take(const rule_numbers *rule, double along, double shrink,
                                double variance, double loss) {
    const rule_step step = {along, shrink, loss, 1};
    const int fits = fabs(along) <= rule->largest && shrink <= rule->largest &&
                     along * variance * along <= rule->reach;
    return fits ? step : rule_no_step(loss);
}

/* ------------------------------------------------------------------ first order ----------- */

/* Passive-aggressive (Crammer, Dekel, Keshet, Shalev-Shwartz and Singer 2006).
 *
 *     PA:     min_u 1/2 |u - w|^2              such that  loss(u) = 0
 *     PA-I:   min_u 1/2 |u - w|^2 + C xi       such that  loss(u) <= xi, xi >= 0
 *     PA-II:  min_u 1/2 |u - w|^2 + C xi^2     such that  loss(u) <= xi
 *
 * with loss(u) = max(0, demand - y u.x), or max(0, |y - u.x| - epsilon), y the target. Solved by
 * u = w + tau y x (regression: the sign of y - p for y), where tau is
 *
 *     PA: loss / |x|^2     PA-I: min(C, loss / |x|^2)     PA-II: loss / (|x|^2 + 1 / (2 C))
 *
 * Cost-sensitive (Lu, Zhao, Wu and others 2016; Crammer and others 2006, section 8): the same with
 * a demand that says what the mistake costs. Prediction-based, a step is made on mistakes only. */
RULE_INLINE rule_step rule_passive_aggressive(const rule_numbers *rule, double y, double p,
                                              double variance, double C, double demand) {
    double loss, tau;
    if (rule->traits.is_regression) {
        loss = fabs(y - p) - rule->epsilon;
        y = y > p ? 1.0 : -1.0;
    } else {
        loss = demand - y * p;
    }
    if (!(loss > 0.0)) return rule_no_step(0.0);
    if (rule->traits.on_mistakes && y * p > 0.0) return rule_no_step(0.0);
    if (!(variance > 0.0)) return rule_no_step(loss);
    if (rule->traits.slack == RULE_SQUARED) {
        tau = loss / (variance + 0.5 / C);
    } else {
        tau = loss / variance;
        tau = tau < C ? tau : C;
    }
    return rule_take(rule, y * tau, 0.0, variance, loss);
}

/* Perceptron (Rosenblatt 1958); with uneven margins (Li, Zaragoza, Herbrich, Shawe-Taylor and
 * Kandola 2002): w + y x where y w.x <= demand. A gradient step of length 1 on
 * max(0, demand - y w.x). Where the margin is met exactly, it is made, too: by the first row,
 * w = 0. */
RULE_INLINE rule_step rule_perceptron(const rule_numbers *rule, double y, double p,
                                      double variance, double weight, double demand) {
    const double loss = demand - y * p;
    if (loss < 0.0) return rule_no_step(0.0);
    if (!(variance > 0.0)) return rule_no_step(loss);
    return rule_take(rule, y * weight, 0.0, variance, loss);
}

/* Without a covariance. Every pass over dense rows comes here for every row. */
RULE_INLINE rule_step rule_first_order(const rule_numbers *rule, double y, double p,
                                       double variance, double weight, double demand) {
    if (rule->traits.family == RULE_PERCEPTRON)
        return rule_perceptron(rule, y, p, variance, weight, demand);
    return rule_passive_aggressive(rule, y, p, variance, rule->C * weight, demand);
}

/* ------------------------------------------------------------------ second order ---------- */

/* Second-order perceptron (Cesa-Bianchi, Conconi and Gentile 2005): w = A^-1 sum y x over the
 * mistakes, A = a 1 + sum x x' = S^-1, by recursion. That w is the ridge regression
 *
 *     min_w sum over mistakes (y - w.x)^2 + a |w|^2                                            */
static inline rule_step rule_second_order_perceptron(const rule_numbers *rule, double y, double p,
                                                     double v, double weight, double loss) {
    double b;
    if (y * p > 0.0) return rule_no_step(loss);
    b = weight / (1.0 + weight * v);
    return rule_take(rule, (y - p) * b, b, v, loss);
}

/* AROW (Crammer, Kulesza and Dredze 2009).
 *
 *     min_{u, T} KL(N(u, T) | N(w, S)) + (max(0, 1 - y u.x)^2 + x'T x) / (2 r)
 *
 * solved by u = w + y loss b S x, T = S - b S x x' S, b = 1 / (v + r). */
static inline rule_step rule_arow(const rule_numbers *rule, double y, double v, double weight,
                                  double loss) {
    double b;
    if (loss == 0.0) return rule_no_step(loss);
    b = 1.0 / (v + rule->r / weight);
    return rule_take(rule, y * loss * b, b, v, loss);
}

/* The step of CW, (-m psi + root) / (v zeta), without its cancellation where m > 0. */
static inline double rule_hard_confidence(double phi, double m, double v) {
    const double square = phi * phi, psi = 1.0 + 0.5 * square, zeta = 1.0 + square;
    const double root = sqrt(0.25 * m * m * square * square + v * square * zeta);
    if (m > 0.0) return (v * square - m * m) / (v * (m * psi + root));
    return (root - m * psi) / (v * zeta);
}

/* That of SCW-II, likewise. */
static inline double rule_squared_confidence(double phi, double C, double m, double v) {
    const double square = phi * phi, n = v + 0.5 / C;
    const double b = m * (2.0 * n + square * v);
    const double root = phi * sqrt(square * m * m * v * v + 4.0 * n * v * (n + v * square));
    if (m > 0.0) return 2.0 * (v * square - m * m) / (b + root);
    return (root - b) / (2.0 * (n * n + n * v * square));
}

/* How much a step of CW or SCW takes from the covariance: a phi / (sqrt(u) + z), z = a v phi,
 * sqrt(u) = (sqrt(z^2 + 4 v) - z) / 2, again without its cancellation. */
static inline double rule_confidence_shrink(double phi, double a, double v) {
    const double z = a * v * phi;
    return z == 0.0 ? 0.0 : a * phi / (2.0 * v / (z + sqrt(z * z + 4.0 * v)) + z);
}

/* Confidence-weighted (Crammer, Dredze and Pereira 2008), soft (Wang, Zhao and Hoi 2012).
 *
 *     CW:      min_{u, T} KL(N(u, T) | N(w, S))           such that  lack(u, T) = 0
 *     SCW-I:   min_{u, T} KL(N(u, T) | N(w, S)) + C lack(u, T)
 *     SCW-II:  min_{u, T} KL(N(u, T) | N(w, S)) + C lack(u, T)^2
 *
 * with lack(u, T) = max(0, phi sqrt(x'T x) - y u.x): the row is to be on its side with probability
 * eta, phi = Phi^-1(eta). Solved by u = w + a y S x, T = S - shrink S x x' S. */
static inline rule_step rule_confidence_weighted(const rule_numbers *rule, double y, double p,
                                                 double v, double C, double loss) {
    const double m = y * p;
    double a;
    if (rule->traits.slack == RULE_SQUARED) {
        a = rule_squared_confidence(rule->phi, C, m, v);
    } else {
        a = rule_hard_confidence(rule->phi, m, v);
        if (rule->traits.slack == RULE_SOFT && a > C) a = C;
    }
    if (!(a > 0.0)) return rule_no_step(loss);
    return rule_take(rule, y * a, rule_confidence_shrink(rule->phi, a, v), v, loss);
}

/* ------------------------------------------------------------------ all of them ----------- */

/* Whether a row of the margin m = y p can teach: if not, x'S x need not be computed. S starts as
 * the unit matrix and only shrinks, so x'S x <= |x|^2 for CW and its like. */
static inline int rule_may_step(const rule_numbers *rule, double m, double demand,
                                double squared_norm) {
    switch (rule->traits.family) {
        case RULE_SECOND_ORDER_PERCEPTRON:
            return m <= 0.0;
        case RULE_AROW:
            return m < 1.0;
        case RULE_CONFIDENCE_WEIGHTED:
            return m <= 0.0 || !(m >= rule->phi * sqrt(squared_norm));
        default:
            return m <= demand;
    }
}

/* What a row of the margin m costs that makes no step. With a covariance the loss only tells how
 * far the passes have come. */
static inline double rule_idle_loss(const rule_numbers *rule, double m) {
    return rule->traits.needs_covariance && m < 1.0 ? 1.0 - m : 0.0;
}

/* The step for a row; demand is the margin it is to have, 1 for most rules. */
static inline rule_step rule_step_of(const rule_numbers *rule, double y, double p, double variance,
                                     double weight, double demand) {
    double loss;
    if (!rule->traits.needs_covariance)
        return rule_first_order(rule, y, p, variance, weight, demand);
    loss = rule_idle_loss(rule, y * p);
    if (!(variance > 0.0)) return rule_no_step(loss);
    switch (rule->traits.family) {
        case RULE_SECOND_ORDER_PERCEPTRON:
            return rule_second_order_perceptron(rule, y, p, variance, weight, loss);
        case RULE_AROW:
            return rule_arow(rule, y, variance, weight, loss);
        default:
            return rule_confidence_weighted(rule, y, p, variance, rule->C * weight, loss);
    }
}

#endif
