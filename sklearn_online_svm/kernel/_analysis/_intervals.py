"""Prediction intervals of LASVR, from residuals of samples that are left out.

Half the width at x is q s(x). The scale s(x) follows the size of the residuals near x and near
the predicted value; q is a quantile of |r_i| / s_i(x_i), with s_i the scale without sample i.
"""

from dataclasses import dataclass

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ... import _limits
from ..._feature_space import Kernel
from ..._sklearn_compat import available_if
from ..._validation import check_samples
from .._kernel_estimator import decision_values
from ._compression import CompressedState
from ._kept_values import ConformalQuantiles, check_confidence_level, fitted_to_kept
from ._span import even_part

# Number of ranges of the predicted value in which the scale has a slope of its own. There are none
# if the variance of f_i(x_i) - f(x_i) is more than this part of that of f_i(x_i): with a small C,
# for example, f_i(x_i) shows mostly on which side of f the target is.
N_RANGES, MOST_SHIFTED = 8, 1.0 / 3.0
# The logarithm of the scale is fitted to log(|r| + FLOOR mean(|r|)).
FLOOR = 0.1
# Penalties among which the leave-one-out error selects; the last one leaves a constant.
PENALTIES = (*np.logspace(-1.0, 4.0, 11), np.inf)


@dataclass(frozen=True)
class LocalScale:
    """Size of the residuals of one output, as a function of x and of the predicted value.

    Its logarithm is a sum of kernel functions of some samples (the basis), a constant, and a
    function of the prediction that is linear between knots and constant beyond them.
    """

    coef: np.ndarray  # (n_basis,)
    constant: float
    knots: np.ndarray  # (n_ranges + 1,)
    slopes: np.ndarray  # (n_ranges,)
    limits: tuple  # limits of the logarithm, those of the samples that it was fitted to

    def __call__(self, sums, predictions):
        """Return the scale of samples, given their sums of kernel functions and the constant."""
        logs = sums + ramps(predictions, self.knots) @ self.slopes
        return np.exp(np.clip(logs, *self.limits))


def ramps(values, knots):
    """Return for each range between two knots a function that rises from 0 to 1 within it."""
    return np.clip((values[:, None] - knots[:-1]) / np.diff(knots), 0.0, 1.0)


def knots_of(predictions, decisions):
    """Return the limits of the ranges, given f_i(x_i) and f(x_i); without ranges, a single one."""
    knots = np.unique(np.quantile(predictions, np.linspace(0.0, 1.0, N_RANGES + 1)))
    is_steady = np.var(predictions - decisions) <= MOST_SHIFTED * np.var(predictions)
    return knots if is_steady else knots[:1]


def fitted_scale(kernel_values, predictions, sizes, weights, basis, knots):
    """Return the :class:`LocalScale` of one output, and the scale of each sample without it.

    Kernel ridge regression of the logarithm of the sizes over the basis. Its residuals without
    each sample follow from the solution [1]_, and select the penalty.

    ``kernel_values`` (n_samples, n_basis): kernel values of all samples with those of the basis.
    ``predictions``, ``sizes``, ``weights`` (n_samples,): predicted values, absolute residuals,
        positive weights.
    ``basis`` (int): indices of the samples of the basis.
    ``knots`` (n_ranges + 1,): limits of the ranges of the prediction.

    References
    ----------
    .. [1] C. E. Rasmussen, C. K. I. Williams: Gaussian processes for machine learning. MIT Press,
       2006, section 5.4.2.
    """
    floor = FLOOR * np.average(sizes, weights=weights)
    if not floor > 0.0:  # all residuals are 0
        return LocalScale(np.zeros(len(basis)), 0.0, np.zeros(1), np.zeros(0), (0.0, 0.0)), 1.0
    gram, rises = kernel_values[basis], ramps(predictions[basis], knots)
    # Some kernels that are not positive definite have negative values of K(x, x).
    unit = np.abs(np.diagonal(gram)).mean() or 1.0
    roots = np.sqrt(weights[basis] / weights[basis].mean())
    values, vectors = np.linalg.eigh((gram / unit + rises @ rises.T) * np.outer(roots, roots))
    values = np.maximum(values, 0.0)
    logs = np.log(sizes[basis] + floor)
    mean = np.average(logs, weights=weights[basis])
    target = roots * (logs - mean)
    parts = vectors.T @ target
    smallest, best, residuals = np.inf, np.inf, target
    for penalty in PENALTIES:
        shrunk = values / (values + penalty)
        left_out = (target - vectors @ (shrunk * parts)) / (1.0 - vectors**2 @ shrunk)
        if left_out @ left_out < smallest:
            smallest, best, residuals = left_out @ left_out, penalty, left_out
    dual = roots * (vectors @ (parts / (values + best)))
    without = mean + (target - residuals) / roots
    limits = without.min(), without.max()
    scale = LocalScale(dual / unit, mean, knots, rises.T @ dual, limits)
    scales = scale(kernel_values @ scale.coef + scale.constant, predictions)
    scales[basis] = np.exp(without)
    return scale, scales


@dataclass(frozen=True)
class Intervals:
    """Half widths of the prediction intervals of a model."""

    sums: CompressedState  # the sum of kernel functions and the constant of each scale
    scales: list  # one for each output
    quantiles: list  # quantiles of the residuals divided by their scale

    def half_widths(self, X, predictions, level, n_jobs):
        """Return half of the width of each interval, of shape (n_samples, n_outputs)."""
        sums = decision_values(self.sums.spec, self.sums.shown, X, n_jobs)
        columns = zip(self.quantiles, self.scales, sums.T, predictions.T, strict=True)
        return np.column_stack([q.at(level) * scale(*given) for q, scale, *given in columns])


def fitted_intervals(machine, finishing, n_jobs):
    """Return the solution and its :class:`Intervals`."""

    def fit(values):
        values = values.where(np.isfinite(values.scores).all(axis=1))
        kernel, basis = (
            Kernel.of(machine.spec),
            even_part(np.arange(len(values.weights)), _limits.N_SCALE),
        )
        rows = values.rows[basis]
        kernel_values = kernel(kernel.in_double(values.rows), kernel.in_double(rows))
        sizes, scales, quantiles = np.abs(values.encoded - values.scores), [], []
        columns = zip(sizes.T, values.scores.T, values.decisions.T, strict=True)
        for size, predictions, decisions in columns:
            knots = knots_of(predictions, decisions)
            given = kernel_values, predictions, size, values.weights, basis, knots
            scale, without = fitted_scale(*given)
            scales.append(scale)
            ratios, weights = size / without, values.weights
            if len(ratios) == 1:  # there is no model without the only sample
                ratios, weights = ratios[:0], weights[:0]
            quantiles.append(ConformalQuantiles(ratios, weights))
        coef = np.array([scale.coef for scale in scales])
        constants = np.array([scale.constant for scale in scales])
        sums = CompressedState.of_vectors(machine.spec, rows, coef, constants)
        return Intervals(sums, scales, quantiles)

    return fitted_to_kept(machine, finishing, n_jobs, fit)


def _offers_intervals(model):
    if not model.intervals:
        raise AttributeError(
            f"{type(model).__name__} has predict_interval with intervals=True, set before it is "
            "fitted."
        )
    return True


def fitted_intervals_of(self):
    """Return the solution of the model and its :class:`Intervals`."""
    fitted = self._fitted.fitted_to_kept(self.finishing, self.n_jobs)
    if fitted is None:
        raise ValueError(
            "intervals=True was set after training, so the model has no samples to estimate "
            "intervals from. Call fit or partial_fit."
        )
    return fitted


@available_if(_offers_intervals)
def predict_interval(self, X, confidence_level=0.9):
    r"""Predict intervals that contain the target of a sample with a given frequency.

    The first call after training is slow: it computes the leave-one-out residuals and the local
    scale.

    Parameters
    ----------
    X : {array-like, sparse matrix} of shape (n_samples, n_features)
        Samples.
    confidence_level : float, default=0.9
        Desired fraction of intervals that contain the target, in the interval (0, 1).

    Returns
    -------
    intervals : ndarray of shape (n_samples, 2) or (n_samples, n_outputs, 2)
        Lower and upper ends, in units of ``y``. Infinite with fewer than
        ``confidence_level / (1 - confidence_level)`` samples, such as 9 for a level of 0.9.

    Raises
    ------
    NotFittedError
        If the estimator is not fitted.
    ValueError
        If the input is invalid, ``confidence_level`` is not in (0, 1), ``finishing=False``, or
        ``intervals=True`` was set after training.

    See Also
    --------
    leave_one_out_predict : Predictions for the training samples, each without the sample.
    sklearn_online_svm.evaluation.AdaptiveConformalInference : Intervals in a stream, under concept
        drift.

    Notes
    -----
    The interval is :math:`f(x) \pm q \, s(x)`. With :math:`f_i` for the model without
    sample i, and the residuals :math:`r_i = y_i - f_i(x_i)` of n samples, :math:`s(x)` is an
    estimate of their size near x, and q is the :math:`\lceil (n + 1) \cdot \gamma \rceil`-th
    smallest of :math:`|r_i| / s_i(x_i)`, where :math:`s_i` is the estimate without sample i: the
    jackknife [1]_ with a local scale [2]_; :math:`\gamma` is ``confidence_level``. A single width
    for all x would be too large where there is little noise and too small elsewhere.

    :math:`\log s(x)` is fitted to :math:`\log(|r_i| + 0.1 \, \overline{|r|})` by kernel ridge
    regression with the kernel of the model and a piecewise linear function of :math:`f(x)` (not if
    C is so small that :math:`f_i(x_i)` depends mostly on the target of the sample), over
    at most 500 samples; the penalty is the one with the smallest leave-one-out error. The scale is
    limited to the values that it has on these samples.

    :math:`f_i(x_i)` is estimated by spans, as in :meth:`leave_one_out_predict`. After ``fit``,
    with up to 3000 support vectors, the problem is solved again without each of the support
    vectors with the largest shifts, until a limit of operations (about 0.3 seconds) is reached.

    The coverage holds on average over new samples of the same distribution, drawn in proportion to
    the sample weights. It is approximate, because leave-one-out values are estimates. It is too
    low if samples are repeated or come in groups of similar ones, and before an interrupted
    ``fit`` has been resumed.

    References
    ----------
    .. [1] R. F. Barber, E. J. Candes, A. Ramdas, R. J. Tibshirani: Predictive inference with the
       jackknife+. The Annals of Statistics 49, 2021.
    .. [2] H. Papadopoulos, A. Gammerman, V. Vovk: Normalized nonconformity measures for regression
       conformal prediction. AIA, 2008.

    Examples
    --------
    The noise grows with the first feature, and so do the widths:

    >>> import numpy as np
    >>> from sklearn_online_svm import LASVR
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(size=(2000, 2))
    >>> y = np.sin(6 * X[:, 1]) + 0.5 * X[:, 0] * rng.normal(size=2000)
    >>> model = LASVR(C=10, intervals=True).fit(X[:1000], y[:1000])
    >>> lower, upper = model.predict_interval(X[1000:], confidence_level=0.9).T
    >>> covered = (lower <= y[1000:]) & (y[1000:] <= upper)
    >>> bool(0.87 < covered.mean() < 0.93)
    True
    >>> width, is_noisy = upper - lower, X[1000:, 0] > 0.5
    >>> bool(width[is_noisy].mean() > 1.5 * width[~is_noisy].mean())
    True
    """
    check_confidence_level(confidence_level, self.finishing, "predict_interval")
    view = self._view()
    check_is_fitted(view)
    machine, (solution, intervals) = view._fitted, view._fitted_intervals()
    X = check_samples(view, X, reset=False, dtype=machine.dtype, accept_sparse="csr")
    values = decision_values(machine.spec, solution, X, view.n_jobs)
    half = intervals.half_widths(X, values, confidence_level, view.n_jobs)
    ends = np.stack([values - half, values + half], axis=-1)
    return ends[:, 0] if machine.targets.is_flat else ends
