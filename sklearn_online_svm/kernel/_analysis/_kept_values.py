"""Decision values of the samples that a model keeps, each without the sample.

Maps from decision values to probabilities, and intervals, are fitted to values of samples that the
model has not been trained on. Cross-validation computes them with further models; here they follow
from the solution: a sample that is not a support vector does not change it, and the value of a
support vector without itself is given by its span (``_span.py``). With the ramp loss this holds
for the same outliers.
"""

from dataclasses import dataclass
from numbers import Real

import numpy as np
from scipy import sparse

from ... import _limits
from ..._class_codes import signs
from ..._sklearn_compat import Interval, validate_parameter_constraints
from ..._threads import blas_threads
from .._kept_samples import stack
from ._left_out import Training, without_each
from ._solution_view import KernelValues, SolutionView
from ._span import even_part

# Replaces the first of ``_limits.N_MAP_VALUES`` with several decision functions: the map of more
# classes has two parameters for each, and in one-vs-one five for each pair.
N_LEFT_OUT_OF_SEVERAL = 3000
# So many values of each class are always allowed.
MIN_OF_CLASS = 100
# Change of a leave-one-out value by the jitter of the kernel matrix, relative to the mean of
# K(x, x): the jitter adds itself to a squared span, which is multiplied by alpha.
MAX_SHIFT = 5e-4


@dataclass(frozen=True)
class KeptValues:
    """Samples without which decision values are known."""

    rows: object  # ndarray or CSR matrix, (n_samples, n_features)
    encoded: np.ndarray  # class codes, or target values, (n_samples,) or (n_samples, n_outputs)
    weights: np.ndarray  # positive weights, (n_samples,)
    # Decision values, and those without each sample, (n_samples, n_problems).
    decisions: np.ndarray
    scores: np.ndarray

    def where(self, mask):
        """Return some of the samples."""
        return KeptValues(*(part[mask] for part in vars(self).values()))


def fitted_to_kept(machine, finishing, n_jobs, fit):
    """Return the solution that predictions use, and ``fit(KeptValues)`` of the same state.

    ``fit`` is called once for each state. Its values do not depend on former predictions.
    """
    samples, spec, targets = machine.kept, machine.spec, machine.targets
    solution = machine.solution(finishing, n_jobs)
    known = solution.kept.get("fitted")
    if known is not None and known[0] is samples and known[1] == (solution.n_changes, finishing):
        return solution, known[2]
    with machine.reading(finishing, n_jobs, anew=True) as engine:
        # Another thread may have trained the model since the samples above were read.
        samples, optimal = machine.kept, engine.current_solution()
        key = optimal.n_changes, finishing
        vectors, has_bias = optimal.vectors(), spec.solver.has_bias
        problems = [
            SolutionView.of(problem, "index", engine.store.n_slots, has_bias, None)
            for problem in engine.problems
        ]
    with blas_threads(1):  # for the same bits with any number of threads
        fitted = fit(kept_values(spec, targets, optimal, problems, vectors, samples))
    optimal.kept["fitted"] = samples, key, fitted
    # If another thread has trained the model meanwhile, the first solution is of a former state.
    return optimal if solution.n_changes != optimal.n_changes else solution, fitted


def kept_values(spec, targets, solution, problems, vectors, samples):
    """Return the :class:`KeptValues` of a solution.

    ``vectors`` are its support vectors, ``problems`` views over the slots of the store. Values of
    classes are those of spans. In regression, after ``fit`` and with few support vectors, problems
    are also solved without the samples of the largest shifts, as spans can be too large: they made
    intervals wider by up to a tenth.
    """
    slots = solution.support
    encoded, weights, others = samples.of_solution(solution.row_ids)
    X, other_encoded, other_weights = others
    n_left_out, n_others = _limits.N_MAP_VALUES
    if len(problems) > 1 or encoded.ndim == 2:
        n_left_out, n_others = N_LEFT_OUT_OF_SEVERAL, _limits.N_OTHERS
    weights = thinned(weights, encoded, n_left_out)
    other_weights = thinned(other_weights, other_encoded, n_others)
    used = other_weights > 0.0
    X, other_encoded, other_weights = X[used], other_encoded[used], other_weights[used]
    X = sparse.csr_matrix(X) if sparse.issparse(vectors) else X
    rows = stack([vectors, X.astype(vectors.dtype, copy=False)])
    encoded = np.concatenate([encoded, other_encoded])
    weights = np.concatenate([weights, other_weights])
    is_counted = weights > 0.0
    counted = np.flatnonzero(is_counted)
    decisions = np.zeros((len(weights), len(problems)))
    decisions[counted] = decided(solution, problems, slots, encoded, rows, counted)
    is_of_fit = encoded.ndim == 2 and samples.begin == samples.end
    work = _limits.INTERVALS_WORK if is_of_fit and is_counted[: len(slots)].all() else 0.0
    largest = max(np.abs(problem.alpha).max(initial=10.0) for problem in problems)
    kernel = KernelValues(spec, rows, single=True, jitter=MAX_SHIFT / largest)
    problems = [problem.on(slots, len(other_weights), kernel) for problem in problems]
    training = Training(spec, targets, rows, encoded, weights, is_optimal=False)
    scores = without_each(training, problems, decisions, is_counted, work)
    return KeptValues(rows, encoded, weights, decisions, scores).where(counted)


def thinned(weights, encoded, n_most):
    """Return weights of which at most ``n_most`` are positive, with the same sum for each class.

    Each class has the same part of them at most, at even intervals, so that all samples of a rare
    class are left. Samples with values as targets are one class.
    """
    weights, codes = weights.copy(), encoded
    if encoded.ndim == 2:
        codes = np.zeros(len(encoded), dtype=np.intp)
    n_classes = codes.max(initial=0) + 1
    for code in range(n_classes):
        positive = np.flatnonzero((codes == code) & (weights > 0.0))
        kept = even_part(positive, max(n_most // n_classes, MIN_OF_CLASS))
        factor = weights[positive].sum() / weights[kept].sum() if len(kept) else 0.0
        thin = factor * weights[kept]
        weights[positive] = 0.0
        weights[kept] = thin
    return weights


def decided(solution, problems, slots, encoded, rows, counted):
    """Return decision values of the counted rows, the first ``len(slots)`` being the support."""
    scores = np.empty((len(counted), len(problems)))
    n_known = 0
    if len(problems) == 1 and encoded.ndim == 1:
        (problem,) = problems  # those of support vectors follow from their gradients
        support = counted[counted < len(slots)]
        n_known = len(support)
        scores[:n_known, 0] = signs(encoded[support], 0, 1) - problem.g[slots[support]] + problem.b
    part = np.empty((len(counted) - n_known, len(problems)))
    solution.decide(rows[counted[n_known:]], part)
    scores[n_known:] = part
    return scores


def check_confidence_level(confidence_level, finishing, caller):
    """Raise ValueError unless there are sets or intervals of this level."""
    allowed = {"confidence_level": [Interval(Real, 0, 1, closed="neither")]}
    given = {"confidence_level": confidence_level}
    validate_parameter_constraints(allowed, given, caller)
    if not finishing:
        raise ValueError(
            f"{caller} requires finishing=True, got finishing={finishing!r}: leave-one-out "
            "values follow from a solution that is optimized over the support set. Set it with "
            "set_params(finishing=True)."
        )


class ConformalQuantiles:
    """Bounds of the score of a new sample, from scores of exchangeable ones.

    ``scores`` (n_samples,). ``weights`` (n_samples,): positive weights. The weight of the new
    sample is their mean.
    """

    def __init__(self, scores, weights):
        order = np.argsort(scores, kind="stable")
        self.scores, self.sums = scores[order], np.cumsum(weights[order])

    def at(self, confidence_level):
        """Return the smallest score that bounds this fraction of the samples and a new one."""
        n = len(self.sums)
        if not n:
            return np.inf
        # 11 * 0.9 / 11 is less than 0.9.
        wanted = confidence_level * self.sums[-1] * (1.0 + 1.0 / n) * (1.0 - 1e-9)
        k = np.searchsorted(self.sums, wanted)
        return self.scores[k] if k < n else np.inf
