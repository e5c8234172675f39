"""Update rules: from the numbers of a row to the step it teaches.

A rule sees scalars only: the label (or target) ``y``, the decision value ``p = w.x``, ``quad``
(``|x|^2``, or ``x'S x`` where there is a covariance S), the weight of the row and the margin it is
to have. A kernel model can use the same rules, with ``quad = K(x, x)``.
"""
from libc.math cimport INFINITY, fabs, isfinite, sqrt

cdef enum RuleKind:
    HINGE                   # PA-I; PA with C = inf
    SQUARED_HINGE           # PA-II
    INSENSITIVE             # regression
    SQUARED_INSENSITIVE
    PREDICTION              # cost-sensitive PA on mistakes only
    PERCEPTRON
    SECOND_ORDER            # second-order perceptron
    CONFIDENCE              # CW
    SOFT_CONFIDENCE         # SCW-I
    SQUARED_CONFIDENCE      # SCW-II
    AROW


cdef struct Rule:
    RuleKind kind
    double C
    double phi              # inverse normal distribution at eta
    double r                # AROW
    double epsilon          # regression


# w += along * S x (S = 1 without a covariance), S -= shrink * S x x' S
cdef struct Step:
    double along
    double shrink
    double loss
    bint taken


cdef inline Step _no_step(double loss) noexcept nogil:
    cdef Step step
    step.along = 0.0
    step.shrink = 0.0
    step.loss = loss
    step.taken = False
    return step


cdef inline Step _step(double along, double shrink, double loss) noexcept nogil:
    cdef Step step
    # A row of tiny numbers: its step is no number.
    if not (isfinite(along) and isfinite(shrink)):
        return _no_step(loss)
    step.along = along
    step.shrink = shrink
    step.loss = loss
    step.taken = True
    return step


cdef inline double _hard_confidence(double phi, double m, double v) noexcept nogil:
    """The step of CW, ``(-m psi + root) / (v zeta)``, without its cancellation where m > 0."""
    cdef double psi = 1.0 + 0.5 * phi * phi
    cdef double zeta = 1.0 + phi * phi
    cdef double root = sqrt(0.25 * m * m * phi * phi * phi * phi + v * phi * phi * zeta)
    if m > 0.0:
        return (v * phi * phi - m * m) / (v * (m * psi + root))
    return (root - m * psi) / (v * zeta)


cdef inline double _shrink(double phi, double a, double v) noexcept nogil:
    """How much a step of CW or SCW takes from the covariance: ``a phi / (sqrt(u) + v a phi)``.

    ``sqrt(u) = (sqrt(z^2 + 4 v) - z) / 2``, ``z = a v phi``, again without its cancellation.
    """
    cdef double z = a * v * phi
    if z == 0.0:
        return 0.0
    return a * phi / (2.0 * v / (z + sqrt(z * z + 4.0 * v)) + z)


cdef inline bint may_step(const Rule *rule, double m, double demand, double norm) noexcept nogil:
    """Whether a row of the margin ``m = y p`` can teach: False spares computing x'S x.

    S starts as the unit matrix and only shrinks, so ``x'S x <= norm`` for CW and its like.
    """
    if rule.kind == SECOND_ORDER:
        return m <= 0.0
    if rule.kind == AROW:
        return m < 1.0
    if rule.kind in (CONFIDENCE, SOFT_CONFIDENCE, SQUARED_CONFIDENCE):
        return not m >= rule.phi * sqrt(norm) or m <= 0.0
    return m < demand or (rule.kind == PERCEPTRON and m == demand)


cdef inline Step step_of(const Rule *rule, double y, double p, double quad, double weight,
                         double demand) noexcept nogil:
    """The step for a row; `demand` is the margin it is to have, 1 for most rules."""
    cdef double m = y * p
    cdef double C = rule.C * weight
    cdef double loss, a, n, v, b, root

    if rule.kind == HINGE or rule.kind == SQUARED_HINGE or rule.kind == PREDICTION:
        loss = demand - m
        if not loss > 0.0 or (rule.kind == PREDICTION and m > 0.0):
            return _no_step(0.0)
        if quad == 0.0:
            return _no_step(loss)
        if rule.kind == SQUARED_HINGE:
            return _step(y * (loss / (quad + 0.5 / C)), 0.0, loss)
        a = loss / quad
        return _step(y * (a if a < C else C), 0.0, loss)

    if rule.kind == INSENSITIVE or rule.kind == SQUARED_INSENSITIVE:
        loss = fabs(y - p) - rule.epsilon
        if not loss > 0.0:
            return _no_step(0.0)
        if quad == 0.0:
            return _no_step(loss)
        if rule.kind == SQUARED_INSENSITIVE:
            a = loss / (quad + 0.5 / C)
        else:
            a = loss / quad
            a = a if a < C else C
        return _step(a if y > p else -a, 0.0, loss)

    if rule.kind == PERCEPTRON:
        loss = demand - m
        if loss < 0.0:
            return _no_step(0.0)
        if quad == 0.0:
            return _no_step(loss)
        return _step(y * weight, 0.0, loss)

    # The second-order rules: their loss only tells how far the passes have come.
    v = quad
    loss = 1.0 - m if m < 1.0 else 0.0
    if v <= 0.0:
        return _no_step(loss)

    if rule.kind == SECOND_ORDER:
        if m > 0.0:
            return _no_step(loss)
        b = weight / (1.0 + weight * v)
        return _step((y - p) * b, b, loss)

    if rule.kind == AROW:
        if loss == 0.0:
            return _no_step(loss)
        b = 1.0 / (v + rule.r / weight)
        return _step(y * loss * b, b, loss)

    if rule.kind == SQUARED_CONFIDENCE:
        n = v + 0.5 / C
        root = rule.phi * sqrt(rule.phi * rule.phi * m * m * v * v
                               + 4.0 * n * v * (n + v * rule.phi * rule.phi))
        b = m * (2.0 * n + rule.phi * rule.phi * v)
        if m > 0.0:
            a = 2.0 * (v * rule.phi * rule.phi - m * m) / (b + root)
        else:
            a = (root - b) / (2.0 * (n * n + n * v * rule.phi * rule.phi))
    else:
        a = _hard_confidence(rule.phi, m, v)
        if rule.kind == SOFT_CONFIDENCE and a > C:
            a = C
    if not a > 0.0:
        return _no_step(loss)
    return _step(y * a, _shrink(rule.phi, a, v), loss)
