"""Class probabilities of LASVC and RampSVC, from decision values of samples that are left out.

A map from decision values to probabilities is fitted to values of samples that the model has not
been trained on. Cross-validation computes them with further models; here they follow from the
solution: a sample that is not a support vector does not change it, and the value of a support
vector without itself is given by its span (``_span.py``). With the ramp loss this holds for the
same outliers.
"""

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from ... import _limits
from ..._sklearn_compat import available_if
from ..._validation import signs, warn
from ...calibration._maps import CouplingMap, MultinomialMap, SplineMap
from .._kept_samples import stack
from ._left_out import Training, without_each
from ._solution_view import KernelValues, SolutionView
from ._span import even_part

# As the first of ``_limits.N_MAP_VALUES``, for the map of more classes, which has two parameters
# for each, and in one-vs-one five for each pair.
N_LEFT_OUT_MULTICLASS = 3000
# So many values of each class are always allowed, for either map.
MIN_OF_CLASS = 100
# With fewer values of a class no map can be fitted: its only value, if any, is that of a model
# without this class.
FEWEST_VALUES = 2
# Change of a leave-one-out value by the jitter of the kernel matrix, relative to the mean of
# K(x, x): the jitter adds itself to a squared span, which is multiplied by alpha.
MAX_SHIFT = 5e-4

# The alternative of estimators without probabilities.
PROBABILITIES = (
    "use decision_function, or CalibratedClassifierCV(estimator, ensemble=False) for probabilities"
)


def thinned(weights, codes, n_most):
    """Return weights of which at most ``n_most`` are positive, with the same sum for each class.

    Each class has the same part of them at most, at even intervals, so that all samples of a rare
    class are left.
    """
    weights = weights.copy()
    n_classes = codes.max(initial=0) + 1
    for code in range(n_classes):
        positive = np.flatnonzero((codes == code) & (weights > 0.0))
        kept = even_part(positive, max(n_most // n_classes, MIN_OF_CLASS))
        factor = weights[positive].sum() / weights[kept].sum() if len(kept) else 0.0
        thin = factor * weights[kept]
        weights[positive] = 0.0
        weights[kept] = thin
    return weights


def decided(solution, problems, slots, codes, rows, counted):
    """Return decision values of the counted rows, the first ``len(slots)`` being the support."""
    scores = np.empty((len(counted), len(problems)))
    n_known = 0
    if len(problems) == 1:  # those of support vectors follow from their gradients
        (problem,) = problems
        support = counted[counted < len(slots)]
        n_known = len(support)
        scores[:n_known, 0] = signs(codes[support], 0, 1) - problem.g[slots[support]] + problem.b
    part = np.empty((len(counted) - n_known, len(problems)))
    solution.decide(rows[counted[n_known:]], part)
    scores[n_known:] = part
    return scores


def fitted_map(machine, finishing, n_jobs):
    """Return the map from decision values to probabilities.

    It belongs to a solution that does not depend on former predictions.
    """
    samples, spec, targets = machine.kept, machine.spec, machine.targets
    solution = machine.solution(finishing, n_jobs)
    known = solution.kept.get("probabilities")
    if known is not None and known[0] is samples and known[1] == (solution.n_changes, finishing):
        return known[2]
    with machine.reading(finishing, n_jobs, anew=True) as engine:
        solution = engine.current_solution()
        key = solution.n_changes, finishing
        vectors, has_bias = solution.vectors(), spec.solver.has_bias
        problems = [
            SolutionView.of(problem, "index", engine.store.n_slots, has_bias, None)
            for problem in engine.problems
        ]
    scores, codes, weights = left_out_values(spec, targets, solution, problems, vectors, samples)
    if targets.one_vs_one:
        fitted = CouplingMap().fit(scores, codes, weights)
    elif len(problems) == 1:
        fitted = SplineMap().fit(scores[:, 0], codes, weights)
    else:
        fitted = MultinomialMap().fit(scores, codes, weights)
    solution.kept["probabilities"] = samples, key, fitted
    return fitted


def left_out_values(spec, targets, solution, problems, vectors, samples):
    """Return decision values of samples without each of them, class codes and weights.

    ``vectors`` are the support vectors of the solution, ``problems`` views over the slots of the
    store.
    """
    slots, row_ids, codes = solution.support, solution.row_ids, solution.labels
    weights, (X, other_codes, other_weights) = samples.of_solution(row_ids)
    n_left_out, n_others = _limits.N_MAP_VALUES
    if len(problems) > 1:
        n_left_out, n_others = N_LEFT_OUT_MULTICLASS, _limits.N_OTHERS
    weights = thinned(weights, codes, n_left_out)
    other_weights = thinned(other_weights, other_codes, n_others)
    used = other_weights > 0.0
    X, other_codes, other_weights = X[used], other_codes[used], other_weights[used]
    X = sparse.csr_matrix(X) if sparse.issparse(vectors) else X
    rows = stack([vectors, X.astype(vectors.dtype, copy=False)])
    codes = np.concatenate([codes, other_codes])
    weights = np.concatenate([weights, other_weights])
    is_counted = weights > 0.0
    counted = np.flatnonzero(is_counted)
    scores = np.zeros((len(codes), len(problems)))
    scores[counted] = decided(solution, problems, slots, codes, rows, counted)
    largest = max(np.abs(problem.alpha).max(initial=10.0) for problem in problems)
    kernel = KernelValues(spec, rows, single=True, jitter=MAX_SHIFT / largest)
    problems = [problem.on(slots, len(other_codes), kernel) for problem in problems]
    training = Training(spec, targets, rows, codes, weights, is_optimal=False)
    scores = without_each(training, problems, scores, is_counted)
    # A sample without which a class has no support vector has no value.
    present = np.unique(codes[counted])
    counted = counted[np.isfinite(scores[counted]).all(axis=1)]
    n_values = np.bincount(codes[counted], minlength=len(targets.classes))[present]
    if (n_values < FEWEST_VALUES).any():
        labels = targets.classes[present[n_values < FEWEST_VALUES]].tolist()
        warn(
            f"Probabilities of the classes {labels} are not reliable: fewer than {FEWEST_VALUES} "
            "leave-one-out values are known for each of them, because a model trained without the "
            "only sample of a class does not know it. Train on more samples of these classes."
        )
    return scores[counted], codes[counted], weights[counted]


def _offers_probabilities(model):
    if not model.probability:
        raise AttributeError(
            f"{type(model).__name__} has predict_proba and predict_log_proba with "
            f"probability=True, set before it is fitted. Otherwise {PROBABILITIES}."
        )
    return True


# The methods of LASVC and RampSVC, which replace the placeholders in their docstrings.


@available_if(_offers_probabilities)
def predict_proba(self, X):
    """Estimate class probabilities for samples in X.

    The first call after training fits the map from decision values to probabilities (see
    ``probability``).

    $samples

    $probabilities

    $probability_errors

    Notes
    -----
    ``predict`` returns the class with the most votes; with ``multi_class="ovr"``, the class
    with the largest decision value; with two classes, that of the sign. This is not always
    the class with the largest probability.

    In one-vs-one models each pair has a map from its decision value to the probability of the
    first class among the two. Class probabilities follow by pairwise coupling [1]_, and are
    fitted to the samples of all classes.

    References
    ----------
    .. [1] T.-F. Wu, C.-J. Lin, R. C. Weng: Probability estimates for multi-class
       classification by pairwise coupling. JMLR 5, 2004.

    Examples
    --------
    >>> from sklearn_online_svm import LASVC
    >>> from sklearn_online_svm.datasets import make_banana_like
    >>> X, y = make_banana_like(400, random_state=0)
    >>> model = LASVC(probability=True, random_state=0).fit(X[:200], y[:200])
    >>> model.predict_proba(X[200:]).shape
    (200, 2)
    """
    return np.exp(self.predict_log_proba(X))


@available_if(_offers_probabilities)
def predict_log_proba(self, X):
    """Estimate logarithms of class probabilities for samples in X.

    $samples

    $log_probabilities

    $probability_errors
    """
    view = self._view()
    check_is_fitted(view)
    fitted = view._probability_map()
    if fitted is None:
        raise ValueError(
            "probability=True was set after training, so the model has no samples to estimate "
            "probabilities from. Call fit or partial_fit."
        )
    scores = view._decision_values(X)
    return fitted.log_proba(scores[:, 0] if scores.shape[1] == 1 else scores)
