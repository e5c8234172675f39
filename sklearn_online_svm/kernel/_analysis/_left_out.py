"""Decision values of samples that are left out of training.

The value of a support vector without itself is estimated by its span (``_span.py``), as if the
other vectors at a bound stayed there. For those whose value changes most, the problem is solved
without the sample, starting from the solution, up to a limit of work.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..._core.kernel.vectors.support_set import DATA
from .._diagnosis import most_steps
from ._span import replacement_shifts

# Tolerance of a problem without a sample by default, in multiples of ``tol``.
LOOSE = 10.0
# Upper limit of the tolerance, unless 10 * tol is larger: a tenth of the margin. With more, the
# values without a sample are nearly those of the model that was trained with it.
MOST_TOLERANCE = 0.1
# Maximum number of samples outside of the support set that take part, those closest to violating.
MOST_OUTSIDE = 5000
# Cost of setting up the problem without one sample, in steps of the solver.
STEPS_TO_BEGIN = 50


@dataclass(frozen=True)
class Training:
    """Training data and settings of the solutions."""

    spec: object  # EngineSpec
    targets: object  # Targets
    X: object  # ndarray or CSR matrix, (n_samples, n_features)
    # Class codes of shape (n_samples,), or values of shape (n_samples, n_outputs).
    encoded: np.ndarray
    weights: np.ndarray  # sample weights, (n_samples,)
    # Whether the solutions are optimal, so that a sample that violates its condition and is not a
    # support vector had weight 0. Otherwise it may become one.
    is_optimal: bool
    # Tolerance of problems without a sample, in multiples of ``tol``.
    loose: float = LOOSE

    @property
    def tolerance(self):
        """Tolerance of problems without a sample."""
        tol = self.spec.solver.tol
        return min(self.loose * tol, max(MOST_TOLERANCE, LOOSE * tol))

    @cached_property
    def codes(self):
        """Class code of each sample; in regression all samples are one class."""
        return self.encoded if self.encoded.ndim == 1 else np.zeros(len(self.encoded), np.intp)


def without_each(training, solutions, scores, left_out=True, work=0.0):
    """Return estimated decision values of samples, each without the sample.

    ``solutions``: one for each problem. ``left_out``: mask of the samples whose value changes.
    ``work``: maximum number of array elements accessed by the solver. 0: spans only.
    """
    estimates, chosen, outside = scores.copy(), [], []
    losses = training.targets.losses(training.encoded, scores)
    for c, solution in enumerate(solutions):
        rows = np.flatnonzero((solution.alpha != 0.0) & left_out)
        # NaN for samples that do not belong to a pair.
        is_other = (solution.alpha == 0.0) & (training.weights > 0.0) & ~np.isnan(losses[:, c])
        limit = LOOSE * training.spec.solver.tol if training.is_optimal else np.inf
        others = np.flatnonzero(is_other & (losses[:, c] <= limit))
        joining = others[losses[others, c] > 0.0]
        shifts = replacement_shifts(solution, rows, joining)
        estimates[:, c] -= shifts
        # Without the only sample of a class there may be no value.
        chosen.append(by_shift(training, rows[np.isfinite(shifts[rows])], np.abs(shifts)))
        closest = np.argsort(-losses[others, c], kind="stable")[:MOST_OUTSIDE]
        outside.append(others[closest])
    if work and any(map(len, chosen)):
        engine = engine_over(training, solutions, scores, outside, costs(training, solutions))
        solve_without(engine, chosen, scores, estimates, work)
    return estimates


def by_shift(training, rows, shifts):
    """Return the rows, the largest shift of each class first, one of each class in turn."""
    codes, ranks = training.codes[rows], np.empty(len(rows), dtype=np.intp)
    order = np.lexsort((-shifts[rows], codes))
    by_class = codes[order]
    ranks[order] = np.arange(len(rows)) - np.searchsorted(by_class, by_class)
    return rows[np.argsort(ranks, kind="stable")]


# ------------------------------------------------------------------------------ solutions


def solve_without(engine, chosen, scores, estimates, work):
    """Replace the estimates of chosen samples of each problem by those of solutions without them.

    The first ones are replaced, until the limit of work is reached; None: as many steps as fits.
    """
    if work is None:
        engine.allow(most_steps(engine) * max(map(len, chosen)))
    else:
        n_most = max(problem.members.n_members for problem in engine.problems)
        engine.allow(int(work / (2 * n_most * len(chosen))))
    engine.finish()
    for c, (problem, rows) in enumerate(zip(engine.problems, chosen, strict=True)):
        members, place_of = problem.view(), np.empty(len(scores), dtype=np.int64)
        place_of[members.row_id] = np.arange(len(members.slots))
        before = members.target - (members.g + members.ridge * members.alpha) + members.b
        places = place_of[rows]
        changes = engine.values_without(c, members.slots[places], STEPS_TO_BEGIN) - before[places]
        solved = ~np.isnan(changes)
        estimates[rows[solved], c] = (scores[rows, c] + changes)[solved]


def engine_over(training, solutions, scores, outside, cost):
    """Return an engine with the solutions and the samples ``outside`` of each; costs as given."""
    spec, targets, encoded = training.spec, training.targets, training.encoded
    terms = targets.linear_terms(encoded)
    alpha, g = np.array([solution.alpha for solution in solutions]), np.full(terms.shape, np.nan)
    for c, (solution, others) in enumerate(zip(solutions, outside, strict=True)):
        used = np.concatenate([solution.support, others])
        g[c, used] = (terms[c] - scores[:, c] + solution.b - solution.ridge * alpha[c])[used]
    rows = np.flatnonzero(~np.isnan(g).all(axis=0))
    given = targets.samples(encoded, cost, np.arange(len(encoded)), DATA)
    engine = spec.build(training.X)
    keeps = {"evicts": False} if spec.solver.has_bias else {"max_non_sv": -1}
    for problem in engine.problems:
        problem.configure(**spec.options() | keeps | {"tol": training.tolerance})
    engine.seed(training.X, rows, given, alpha[:, rows].copy(), g[:, rows].copy())
    return engine


def costs(training, solutions):
    """Return the largest abs(alpha) of each sample.

    For a sample that is not in the support set it is the largest one of its class, times its
    weight.
    """
    sizes = [np.maximum(-solution.lower, solution.upper) for solution in solutions]
    known = np.max(sizes, axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        # With a squared loss there is no bound, but a ridge.
        squared = 0.5 / np.max([solution.ridge for solution in solutions], axis=0)
        known = np.where(np.isfinite(squared), squared, known)
        of_weight_1 = np.where(training.weights > 0.0, known / training.weights, 0.0)
    found = known.copy()
    for code in np.unique(training.codes):
        rows = np.flatnonzero(training.codes == code)
        unknown = rows[(known[rows] == 0.0) & (training.weights[rows] > 0.0)]
        found[unknown] = of_weight_1[rows].max() * training.weights[unknown]
    return found
