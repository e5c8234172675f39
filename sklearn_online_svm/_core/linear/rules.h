/* Update rules of the online linear models.
 *
 * Problem: after each sample (x, y) an online learner moves its weights w, and its covariance S if
 * it has one, to the solution of a small optimization problem: stay close to w (and S), but
 * classify or predict the sample with a margin. The problems are stated above each rule. All
 * solutions have the form
 *
 *     w <- w + alpha S x,    S <- S - beta S x x'S    (S = 1 without a covariance),
 *
 * so that a rule computes only the scalars alpha and beta.
 *
 * Contract: a rule receives scalars of the sample, not its features: the label y = -1 or 1 (or the
 * target of a regression), the decision value p = w.x, the variance v = x'S x (|x|^2 without a
 * covariance), the sample weight and the target margin (1 for most rules). The sample weight
 * multiplies C, never alpha. The rules hold for kernel models, too, with v = K(x, x).
 *
 * RULE_TABLE lists the rules with their properties; there is one function for each family.
 */
#ifndef SOSVM_RULES_H
#define SOSVM_RULES_H

#include <math.h>

/* Without inlining, a step would be passed through memory. */
#if defined(__GNUC__) || defined(__clang__)
#define RULE_INLINE static inline __attribute__((always_inline))
#else
#define RULE_INLINE static inline
#endif

typedef enum {
    RULE_PASSIVE_AGGRESSIVE,
    RULE_PERCEPTRON,
    RULE_SECOND_ORDER_PERCEPTRON,
    RULE_CONFIDENCE_WEIGHTED,
    RULE_AROW
} rule_family;

/* Slack xi in the problem of a rule: none, C xi, or C xi^2. */
typedef enum { RULE_HARD, RULE_SOFT, RULE_SQUARED } rule_slack;

typedef struct {
    const char *name;
    rule_family family;
    rule_slack slack;
    int needs_covariance;
    int is_regression; /* y is a target, the loss max(0, |y - p| - epsilon) */
    int mistakes_only; /* no step if sign(p) = y, whatever the margin */
} rule_traits;

static const rule_traits RULE_TABLE[] = {
    /* PA-I; PA with C = inf */
    {"hinge", RULE_PASSIVE_AGGRESSIVE, RULE_SOFT, 0, 0, 0},
    /* PA-II */
    {"squared_hinge", RULE_PASSIVE_AGGRESSIVE, RULE_SQUARED, 0, 0, 0},
    /* prediction-based CPA */
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
    double phi;             /* of CW and SCW: Phi^-1(eta), Phi the normal distribution function */
    double r;               /* of AROW */
    double epsilon;         /* of regression */
    double max_coefficient; /* of |alpha| and beta */
    double max_length;      /* of alpha^2 v, the squared length of a step */
} rule_parameters;

typedef struct {
    double alpha;
    double beta;
    double loss;
    int taken;
} rule_step;

RULE_INLINE rule_step rule_no_step(double loss) {
    const rule_step step = {0.0, 0.0, loss, 0};
    return step;
}

/* Steps that would overflow are not made: they occur on samples with tiny norms, and with hard
 * margins on data that are not separable. */
RULE_INLINE rule_step rule_make_step(const rule_parameters *rule, double alpha, double beta,
                                     double v, double loss) {
    const rule_step step = {alpha, beta, loss, 1};
    const int is_finite = fabs(alpha) <= rule->max_coefficient && beta <= rule->max_coefficient &&
                          alpha * v * alpha <= rule->max_length;
    return is_finite ? step : rule_no_step(loss);
}

/* ------------------------------------------------------------------ without covariance ---- */

/* Passive-aggressive (Crammer, Dekel, Keshet, Shalev-Shwartz and Singer 2006, sections 3 and 5).
 *
 *     PA:     min_u 1/2 |u - w|^2              such that  loss(u) = 0
 *     PA-I:   min_u 1/2 |u - w|^2 + C xi       such that  loss(u) <= xi, xi >= 0
 *     PA-II:  min_u 1/2 |u - w|^2 + C xi^2     such that  loss(u) <= xi
 *
 * with loss(u) = max(0, target margin - y u.x), or max(0, |y - u.x| - epsilon) in regression.
 * Solution: u = w + tau y x (in regression sign(y - p) instead of y),
 *
 *     PA: tau = loss / |x|^2
 *     PA-I: tau = min(C, loss / |x|^2)
 *     PA-II: tau = loss / (|x|^2 + 1 / (2 C))
 *
 * Cost-sensitive PA (Crammer et al. 2006, section 8; Lu, Zhao, Wu et al. 2016): the target margin
 * depends on the cost of the mistake. Prediction-based: no step on correct predictions. */
RULE_INLINE rule_step rule_passive_aggressive(const rule_parameters *rule, double y, double p,
                                              double v, double C, double target_margin) {
    double loss, tau;
    if (rule->traits.is_regression) {
        loss = fabs(y - p) - rule->epsilon;
        y = y > p ? 1.0 : -1.0;
    } else {
        loss = target_margin - y * p;
    }
    if (!(loss > 0.0)) return rule_no_step(0.0);
    if (rule->traits.mistakes_only && y * p > 0.0) return rule_no_step(0.0);
    if (!(v > 0.0)) return rule_no_step(loss);
    if (rule->traits.slack == RULE_SQUARED) {
        tau = loss / (v + 0.5 / C);
    } else {
        tau = loss / v;
        tau = tau < C ? tau : C;
    }
    return rule_make_step(rule, y * tau, 0.0, v, loss);
}

/* Perceptron (Rosenblatt 1958), with uneven margins (Li, Zaragoza, Herbrich, Shawe-Taylor and
 * Kandola 2002): w + y x if y w.x <= target margin; a gradient step of length 1 on
 * max(0, target margin - y w.x). A step is also made at equality, where the first sample is. */
RULE_INLINE rule_step rule_perceptron(const rule_parameters *rule, double y, double p, double v,
                                      double weight, double target_margin) {
    const double loss = target_margin - y * p;
    if (loss < 0.0) return rule_no_step(0.0);
    if (!(v > 0.0)) return rule_no_step(loss);
    return rule_make_step(rule, y * weight, 0.0, v, loss);
}

RULE_INLINE rule_step rule_first_order(const rule_parameters *rule, double y, double p, double v,
                                       double weight, double target_margin) {
    if (rule->traits.family == RULE_PERCEPTRON)
        return rule_perceptron(rule, y, p, v, weight, target_margin);
    return rule_passive_aggressive(rule, y, p, v, rule->C * weight, target_margin);
}

/* ------------------------------------------------------------------ with covariance ------- */

/* Second-order perceptron (Cesa-Bianchi, Conconi and Gentile 2005): the weights are the ridge
 * regression over the mistakes so far,
 *
 *     min_w sum over mistakes (y - w.x)^2 + a |w|^2,
 *
 * that is w = S sum y x with S^-1 = a 1 + sum x x', computed recursively. */
static inline rule_step rule_second_order_perceptron(const rule_parameters *rule, double y,
                                                     double p, double v, double weight,
                                                     double loss) {
    double beta;
    if (y * p > 0.0) return rule_no_step(loss);
    beta = weight / (1.0 + weight * v);
    return rule_make_step(rule, (y - p) * beta, beta, v, loss);
}

/* AROW (Crammer, Kulesza and Dredze 2009, section 3).
 *
 *     min_{u, T} KL(N(u, T) | N(w, S)) + (max(0, 1 - y u.x)^2 + x'T x) / (2 r)
 *
 * Solution: u = w + y loss beta S x, T = S - beta S x x'S, beta = 1 / (v + r). */
static inline rule_step rule_arow(const rule_parameters *rule, double y, double v, double weight,
                                  double loss) {
    double beta;
    if (loss == 0.0) return rule_no_step(loss);
    beta = 1.0 / (v + rule->r / weight);
    return rule_make_step(rule, y * loss * beta, beta, v, loss);
}

/* alpha of CW, (-m psi + root) / (v zeta), rearranged to avoid cancellation if m > 0. */
static inline double rule_hard_confidence(double phi, double m, double v) {
    const double square = phi * phi, psi = 1.0 + 0.5 * square, zeta = 1.0 + square;
    const double root = sqrt(0.25 * m * m * square * square + v * square * zeta);
    if (m > 0.0) return (v * square - m * m) / (v * (m * psi + root));
    return (root - m * psi) / (v * zeta);
}

/* alpha of SCW-II, rearranged likewise. */
static inline double rule_squared_confidence(double phi, double C, double m, double v) {
    const double square = phi * phi, n = v + 0.5 / C;
    const double b = m * (2.0 * n + square * v);
    const double root = phi * sqrt(square * m * m * v * v + 4.0 * n * v * (n + v * square));
    if (m > 0.0) return 2.0 * (v * square - m * m) / (b + root);
    return (root - b) / (2.0 * (n * n + n * v * square));
}

/* beta of CW and SCW, alpha phi / (sqrt(u) + z) with z = alpha v phi and
 * sqrt(u) = (sqrt(z^2 + 4 v) - z) / 2, rearranged likewise. */
static inline double rule_confidence_beta(double phi, double alpha, double v) {
    const double z = alpha * v * phi;
    return z == 0.0 ? 0.0 : alpha * phi / (2.0 * v / (z + sqrt(z * z + 4.0 * v)) + z);
}

/* Confidence-weighted (Crammer, Dredze and Pereira 2008) and soft confidence-weighted learning
 * (Wang, Zhao and Hoi 2012).
 *
 *     CW:      min_{u, T} KL(N(u, T) | N(w, S))               such that  loss(u, T) = 0
 *     SCW-I:   min_{u, T} KL(N(u, T) | N(w, S)) + C loss(u, T)
 *     SCW-II:  min_{u, T} KL(N(u, T) | N(w, S)) + C loss(u, T)^2
 *
 * with loss(u, T) = max(0, phi sqrt(x'T x) - y u.x), phi = Phi^-1(eta): it is 0 if weights drawn
 * from N(u, T) classify the sample correctly with probability eta or more.
 * Solution: u = w + alpha y S x, T = S - beta S x x'S. */
static inline rule_step rule_confidence_weighted(const rule_parameters *rule, double y, double p,
                                                 double v, double C, double loss) {
    const double m = y * p;
    double alpha;
    if (rule->traits.slack == RULE_SQUARED) {
        alpha = rule_squared_confidence(rule->phi, C, m, v);
    } else {
        alpha = rule_hard_confidence(rule->phi, m, v);
        if (rule->traits.slack == RULE_SOFT && alpha > C) alpha = C;
    }
    if (!(alpha > 0.0)) return rule_no_step(loss);
    return rule_make_step(rule, y * alpha, rule_confidence_beta(rule->phi, alpha, v), v, loss);
}

/* ------------------------------------------------------------------ any rule -------------- */

/* Whether a sample with margin m = y p can cause a step; if not, x'S x need not be computed. For
 * CW and SCW, S starts as the identity and only shrinks, so x'S x <= |x|^2. */
static inline int rule_may_step(const rule_parameters *rule, double m, double target_margin,
                                double squared_norm) {
    switch (rule->traits.family) {
        case RULE_SECOND_ORDER_PERCEPTRON:
            return m <= 0.0;
        case RULE_AROW:
            return m < 1.0;
        case RULE_CONFIDENCE_WEIGHTED:
            return m <= 0.0 || !(m >= rule->phi * sqrt(squared_norm));
        default:
            return m <= target_margin;
    }
}

/* Loss reported for a sample with margin m on which no step is made. With a covariance, the loss
 * is used only to monitor convergence. */
static inline double rule_loss_without_step(const rule_parameters *rule, double m) {
    return rule->traits.needs_covariance && m < 1.0 ? 1.0 - m : 0.0;
}

static inline rule_step rule_step_of(const rule_parameters *rule, double y, double p, double v,
                                     double weight, double target_margin) {
    double loss;
    if (!rule->traits.needs_covariance)
        return rule_first_order(rule, y, p, v, weight, target_margin);
    loss = rule_loss_without_step(rule, y * p);
    if (!(v > 0.0)) return rule_no_step(loss);
    switch (rule->traits.family) {
        case RULE_SECOND_ORDER_PERCEPTRON:
            return rule_second_order_perceptron(rule, y, p, v, weight, loss);
        case RULE_AROW:
            return rule_arow(rule, y, v, weight, loss);
        default:
            return rule_confidence_weighted(rule, y, p, v, rule->C * weight, loss);
    }
}

#endif
