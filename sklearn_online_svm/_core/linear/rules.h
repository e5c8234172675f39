/* Update rules of the linear learners: from the numbers of a row to the step it teaches.
 *
 * A rule sees scalars only: the label (or target) y, the decision value p = w.x, quad (|x|^2, or
 * x'S x where there is a covariance S), the weight of the row and the margin it is to have. A
 * kernel model can use the same rules, with quad = K(x, x).
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

typedef enum {
    RULE_HINGE,         /* PA-I; PA with C = inf */
    RULE_SQUARED_HINGE, /* PA-II */
    RULE_PREDICTION,    /* cost-sensitive PA on mistakes only */
    RULE_INSENSITIVE,   /* regression */
    RULE_SQUARED_INSENSITIVE,
    RULE_PERCEPTRON,
    /* From here on there is a covariance. */
    RULE_SECOND_ORDER,       /* second-order perceptron */
    RULE_CONFIDENCE,         /* CW */
    RULE_SOFT_CONFIDENCE,    /* SCW-I */
    RULE_SQUARED_CONFIDENCE, /* SCW-II */
    RULE_AROW
} rule_kind;

typedef struct {
    rule_kind kind;
    double C;
    double phi;     /* inverse normal distribution at eta */
    double r;       /* AROW */
    double epsilon; /* regression */
    double largest; /* number that the weights can be multiplied with */
    double reach;   /* of along^2 quad, the squared length of a step */
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
RULE_INLINE rule_step rule_take(const rule_numbers *rule, double along, double shrink, double quad,
                                double loss) {
    const rule_step step = {along, shrink, loss, 1};
    const int fits = fabs(along) <= rule->largest && shrink <= rule->largest &&
                     along * quad * along <= rule->reach;
    return fits ? step : rule_no_step(loss);
}

/* The step of CW, (-m psi + root) / (v zeta), without its cancellation where m > 0. */
static inline double rule_hard_confidence(double phi, double m, double v) {
    const double square = phi * phi, psi = 1.0 + 0.5 * square, zeta = 1.0 + square;
    const double root = sqrt(0.25 * m * m * square * square + v * square * zeta);
    if (m > 0.0) return (v * square - m * m) / (v * (m * psi + root));
    return (root - m * psi) / (v * zeta);
}

/* How much a step of CW or SCW takes from the covariance: a phi / (sqrt(u) + z), z = a v phi,
 * sqrt(u) = (sqrt(z^2 + 4 v) - z) / 2, again without its cancellation. */
static inline double rule_confidence_shrink(double phi, double a, double v) {
    const double z = a * v * phi;
    return z == 0.0 ? 0.0 : a * phi / (2.0 * v / (z + sqrt(z * z + 4.0 * v)) + z);
}

/* Whether a row of the margin m = y p can teach: if not, x'S x need not be computed. S starts as
 * the unit matrix and only shrinks, so x'S x <= norm for CW and its like. */
static inline int rule_may_step(const rule_numbers *rule, double m, double demand, double norm) {
    switch (rule->kind) {
        case RULE_SECOND_ORDER:
            return m <= 0.0;
        case RULE_AROW:
            return m < 1.0;
        case RULE_CONFIDENCE:
        case RULE_SOFT_CONFIDENCE:
        case RULE_SQUARED_CONFIDENCE:
            return m <= 0.0 || !(m >= rule->phi * sqrt(norm));
        default:
            return m <= demand;
    }
}

static rule_step rule_second_order(const rule_numbers *rule, double y, double p, double v,
                                   double weight) {
    /* The loss only tells how far the passes have come. */
    const double m = y * p, loss = m < 1.0 ? 1.0 - m : 0.0;
    const double square = rule->phi * rule->phi, C = rule->C * weight;
    double a, b, n, root;
    if (!(v > 0.0)) return rule_no_step(loss);
    switch (rule->kind) {
        case RULE_SECOND_ORDER:
            if (m > 0.0) return rule_no_step(loss);
            b = weight / (1.0 + weight * v);
            return rule_take(rule, (y - p) * b, b, v, loss);
        case RULE_AROW:
            if (loss == 0.0) return rule_no_step(loss);
            b = 1.0 / (v + rule->r / weight);
            return rule_take(rule, y * loss * b, b, v, loss);
        case RULE_SQUARED_CONFIDENCE:
            n = v + 0.5 / C;
            b = m * (2.0 * n + square * v);
            root = rule->phi * sqrt(square * m * m * v * v + 4.0 * n * v * (n + v * square));
            if (m > 0.0)
                a = 2.0 * (v * square - m * m) / (b + root);
            else
                a = (root - b) / (2.0 * (n * n + n * v * square));
            break;
        default:
            a = rule_hard_confidence(rule->phi, m, v);
            if (rule->kind == RULE_SOFT_CONFIDENCE && a > C) a = C;
    }
    if (!(a > 0.0)) return rule_no_step(loss);
    return rule_take(rule, y * a, rule_confidence_shrink(rule->phi, a, v), v, loss);
}

/* The step for a row; demand is the margin it is to have, 1 for most rules. */
RULE_INLINE rule_step rule_step_of(const rule_numbers *rule, double y, double p, double quad,
                                   double weight, double demand) {
    const double C = rule->C * weight;
    double loss, size;
    if (rule->kind >= RULE_SECOND_ORDER) return rule_second_order(rule, y, p, quad, weight);
    if (rule->kind == RULE_INSENSITIVE || rule->kind == RULE_SQUARED_INSENSITIVE) {
        loss = fabs(y - p) - rule->epsilon;
        y = y > p ? 1.0 : -1.0;
    } else {
        loss = demand - y * p;
    }
    if (rule->kind == RULE_PERCEPTRON) {
        if (loss < 0.0) return rule_no_step(0.0);
        if (quad == 0.0) return rule_no_step(loss);
        return rule_take(rule, y * weight, 0.0, quad, loss);
    }
    if (!(loss > 0.0) || (rule->kind == RULE_PREDICTION && y * p > 0.0)) return rule_no_step(0.0);
    if (quad == 0.0) return rule_no_step(loss);
    if (rule->kind == RULE_SQUARED_HINGE || rule->kind == RULE_SQUARED_INSENSITIVE) {
        size = loss / (quad + 0.5 / C);
    } else {
        size = loss / quad;
        size = size < C ? size : C;
    }
    return rule_take(rule, y * size, 0.0, quad, loss);
}

#endif
