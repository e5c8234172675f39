"""Thresholds of decision values for a recall, a precision, an alarm rate or costs."""

from dataclasses import dataclass
from numbers import Integral, Real

import numpy as np
from scipy.stats import betabinom
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import FixedThresholdClassifier
from sklearn.utils import assert_all_finite, column_or_1d, indexable

from .._docs import with_shared_docs
from .._sklearn_compat import HasMethods, Interval, validated
from ._adaptive_quantile import ROUNDING
from ._cuts import Cuts, cost_of, interval_of, limits, rates_at, share_of
from ._left_out_scores import left_out_scores
from ._positive_class import (
    POS_LABEL,
    TARGETS,
    are_positive,
    class_costs,
    class_pair,
    classes_of,
    fitted_pair,
    is_detector,
    predicted,
    refuse_other_kinds,
    scores_of,
    the_target,
)

_UNKNOWN = np.nan, (np.nan, np.nan)


@with_shared_docs
@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ThresholdChoice:
    """A threshold, and the rates that are expected on new samples.

    Returned by :func:`select_threshold`. Rates are computed from out-of-sample scores. The
    interval of a rate contains the rate of the model on new samples with the probability
    ``confidence_level``; for scores that are not of held-out samples this is an approximation.
    Rates that need labels are nan without labels.

    Attributes
    ----------
    threshold : float
        A sample is predicted to be positive if its score is at least the threshold, as in
        :class:`~sklearn.model_selection.FixedThresholdClassifier`. Infinite if the costs are
        smallest without positive predictions.
    pos_label : int, float, bool or str
        The positive class; -1 for outlier detectors.
    response_method : {"decision_function", "predict_proba"}
        Method of the estimator that returns the scores. For the first of two classes, and for
        outlier detectors, the score is the decision value with the opposite sign.
    origin : {"leave-one-out", "cross-validation", "held-out samples"}
        Origin of the scores.
    recall : float
        Share of positive samples that are predicted to be positive.
    recall_interval : tuple of float
        Its lower and upper limit.
    precision : float
        Share of positive predictions that are correct.
    precision_interval : tuple of float
        Its limits.
    alarm_rate : float
        Share of samples that are predicted to be positive.
    alarm_rate_interval : tuple of float
        Its limits.
    cost : float
        Mean cost of a sample; nan without costs.
    cost_interval : tuple of float
        Its limits.
    confidence_level : float
        Level of the intervals.
    scores : ndarray of shape (n_samples,)
        The out-of-sample scores, larger for the positive class.
    labels : ndarray of shape (n_samples,), dtype=bool, or None
        Whether each sample is positive; None without labels.

    See Also
    --------
    select_threshold : Select a threshold.
    ThresholdDisplay : Plot the rates against the threshold.
    """

    threshold: float
    pos_label: object
    response_method: str
    origin: str
    recall: float
    recall_interval: tuple
    precision: float
    precision_interval: tuple
    alarm_rate: float
    alarm_rate_interval: tuple
    cost: float
    cost_interval: tuple
    confidence_level: float
    scores: np.ndarray
    labels: np.ndarray | None

    def __repr__(self):
        parts = [f"threshold={self.threshold:.4g}"]
        for name in ("recall", "precision", "alarm_rate", "cost"):
            value, (low, high) = getattr(self, name), getattr(self, f"{name}_interval")
            if not np.isnan(value):
                parts.append(f"{name}={value:.3g} [{low:.3g}, {high:.3g}]")
        return f"{type(self).__name__}({', '.join(parts)}, origin={self.origin!r})"

    def classifier(self, estimator):
        """Return a classifier that predicts with the threshold.

        Parameters
        ----------
        estimator : classifier
            The fitted model. It is not copied.

        Returns
        -------
        classifier : FixedThresholdClassifier
            A :class:`~sklearn.model_selection.FixedThresholdClassifier` with the fitted model in a
            :class:`~sklearn.frozen.FrozenEstimator`. It requires no ``fit``.

        $argument_not_fitted
        ValueError
            If `estimator` is no classifier, or does not have the two classes.
        """
        if is_detector(estimator):
            raise ValueError(
                f"estimator must be a classifier, got {estimator!r}. For outlier detectors, use "
                "predict."
            )
        fitted_pair(estimator, self.pos_label)
        return FixedThresholdClassifier(
            FrozenEstimator(estimator),
            threshold=self.threshold,
            response_method=self.response_method,
            pos_label=self.pos_label,
        )

    def predict(self, estimator, X):
        """Predict with the threshold.

        Parameters
        ----------
        estimator : classifier or outlier detector
            The fitted model.
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Classes; -1 for outliers and 1 for inliers.

        $argument_not_fitted
        ValueError
            If X is invalid, or `estimator` is no classifier or outlier detector, or does not have
            the two classes.
        """
        pair = fitted_pair(estimator, self.pos_label)
        return predicted(scores_of(estimator, X, pair), self.threshold, pair)

    def alarms_interval(self, n_samples):
        """Return an interval of the number of alarms among new samples.

        Parameters
        ----------
        n_samples : int
            Number of new samples, such as those of a day.

        Returns
        -------
        low, high : int
            The number is within these limits with the probability ``confidence_level``, for random
            samples: quantiles of a beta-binomial distribution. With cross-validation, the limits
            are extended like those of the alarm rate.

        Raises
        ------
        ValueError
            If `n_samples` is negative or no integer.
        """
        if not isinstance(n_samples, Integral) or n_samples < 0:
            raise ValueError(f"n_samples must be an integer >= 0, got {n_samples!r}.")
        tail, n = 0.5 * (1.0 - self.confidence_level), len(self.scores)
        count = int(np.sum(self.scores >= self.threshold))
        low = betabinom.ppf(tail, n_samples, count, n - count + 1) if count else 0
        high = betabinom.isf(tail, n_samples, count + 1, n - count) if count < n else n_samples
        ends = limits(count, n, self.confidence_level)
        below, above = n_samples * (np.array(self.alarm_rate_interval) - ends)
        return max(0, int(np.floor(low + below))), min(n_samples, int(np.ceil(high + above)))


@validated(
    estimator=[HasMethods("fit")],
    X=["array-like", "sparse matrix"],
    y=["array-like", None],
    **TARGETS,
    guarantee=["boolean"],
    confidence_level=[Interval(Real, 0, 1, closed="neither")],
    cv=["cv_object"],
    pos_label=POS_LABEL,
)
def select_threshold(
    estimator,
    X,
    y=None,
    *,
    recall=None,
    precision=None,
    alarm_rate=None,
    costs=None,
    guarantee=False,
    confidence_level=0.95,
    cv=None,
    pos_label=None,
):
    r"""Select the threshold of a model for a recall, a precision, an alarm rate or costs.

    Give one of the four targets. The score of each sample is computed by a model that was trained
    without the sample, because scores of training samples are biased in favour of their own class.
    The result has the rates that are expected on new samples, with intervals.

    Read more in the :ref:`user guide <thresholds>`.

    Parameters
    ----------
    estimator : classifier or outlier detector
        The model, with ``decision_function`` or ``predict_proba``.

        - ``LASVC`` or ``ActiveLASVC`` fitted on X and `y` without weights: leave-one-out decision
          values are used, if available. If the model was fitted on other samples, a warning is
          issued, and clones are trained.
        - :class:`~sklearn.frozen.FrozenEstimator`: the model is applied to X, which are held-out
          samples; if it contains one of these models, fitted on X and `y`: as above.
        - Otherwise, clones are trained in cross-validation. The threshold is for a model that is
          fitted on X and `y`.
    X : {array-like, sparse matrix} of shape (n_samples, n_features)
        Samples.
    y : array-like of shape (n_samples,), default=None
        Labels of two classes; for outlier detectors -1 (outliers) and 1. May be None with
        `alarm_rate` and an outlier detector or a frozen model.
    recall : float, default=None
        Minimum recall. The largest threshold with at least this recall is selected.
    precision : float, default=None
        Minimum precision, the share of positive predictions that are correct. The smallest
        threshold with at least this precision is selected.
    alarm_rate : float, default=None
        Maximum share of samples that are predicted to be positive. The smallest threshold whose
        alarm rate does not exceed it is selected.
    costs : dict of label to float, default=None
        Cost of a misclassified sample of each class. The threshold with the smallest total cost is
        selected.
    guarantee : bool, default=False
        Whether the target is reached with the probability `confidence_level`, over the draw of the
        samples. If False, it is reached in expectation. Not available for `costs`.
    confidence_level : float, default=0.95
        Level of the intervals and of the guarantee.
    cv : int, cross-validation generator or iterable, default=None
        Cross-validation splitting strategy, with at least 3 folds whose test sets are a partition
        of the samples. `groups` are not supported: pass the splits instead. None: leave-one-out
        values if available, otherwise 10 folds, stratified if there are labels, and not shuffled.
    pos_label : int, float, bool or str, default=None
        The positive class. By default 1, if labels are 0 and 1 or -1 and 1; -1 for outlier
        detectors.

    Returns
    -------
    choice : ThresholdChoice
        The threshold, and the rates expected on new samples.

    Raises
    ------
    NotFittedError
        If the model in a :class:`~sklearn.frozen.FrozenEstimator` is not fitted.
    ValueError
        If not exactly one target is given, a parameter is invalid, there are not two classes,
        `y` does not contain both or is None where it is needed, or no threshold reaches the
        target.

    Warns
    -----
    UserWarning
        If an ``LASVC`` or ``ActiveLASVC`` was fitted on other samples than X and `y`.

    See Also
    --------
    sklearn.model_selection.TunedThresholdClassifierCV : Maximize a metric.
    sklearn.model_selection.FixedThresholdClassifier : A classifier with the threshold.
    AdaptiveThreshold : Thresholds on streams.
    ThresholdDisplay : Plot the rates against the threshold.

    Notes
    -----
    **Recall and alarm rate.** The threshold that is the k-th largest of n scores of positive
    samples has a recall with the distribution

    .. math:: \text{recall} \sim \mathrm{Beta}(k, n + 1 - k), \qquad
              \mathrm{E}\, \text{recall} = k / (n + 1),

    for any continuous distribution of scores that do not depend on the training of the model
    (held-out samples) [1]_. The smallest k with :math:`k / (n + 1)` of at least the target is
    used; with ``guarantee=True`` the smallest one whose quantile of order
    :math:`1 - \text{confidence\_level}` is at least the target. A recall of r thus requires
    :math:`r / (1 - r)` positive samples: 19 for 0.95. The same holds for the alarm rate and all n
    samples.

    **Leave-one-out and cross-validation.** The distribution, the guarantee and the intervals are
    then approximations, because the scores depend on the same samples as the model. They are
    inaccurate with few positive samples whose class overlaps strongly with the other one: the
    recall on new samples is larger than expected, and its interval contains it less often. If
    decision values differ little, a smaller ``tol`` gives more accurate leave-one-out values.

    **Precision.** The largest number of alarms a, h of them correct, with :math:`h / (a + 1)` of
    at least the target. With ``guarantee=True``, the lower Clopper-Pearson limit must reach it.
    It is computed for a geometric grid of numbers of alarms (ratio 1.25), with the Bonferroni
    correction [2]_.

    **Intervals** are those of Clopper and Pearson [3]_; for the cost those of both rates of errors
    combined. With `costs` the threshold is the best of many, so the intervals have the level
    (1 + `confidence_level`) / 2. Precision, alarm rate and cost depend on how frequent the classes
    are: their intervals hold for new samples with the same share of positive samples as in X.

    **Trend of folds.** The folds are scored by models that were trained on fewer samples, so
    their rates differ systematically from those of the model. The scores are computed once more
    with two folds. The interval is extended on one side by the difference, extrapolated to all
    samples: multiplied by :math:`1 / (\sqrt{k - 1} - 1)` for k folds. The threshold itself is not
    corrected.

    References
    ----------
    .. [1] S. S. Wilks: Determination of sample sizes for setting tolerance limits. Annals of
       Mathematical Statistics 12, 1941.
    .. [2] A. N. Angelopoulos, S. Bates, E. J. Candes, M. I. Jordan, L. Lei: Learn then test:
       calibrating predictive algorithms to achieve risk control. Annals of Applied Statistics 19,
       2025.
    .. [3] C. J. Clopper, E. S. Pearson: The use of confidence or fiducial limits illustrated in
       the case of the binomial. Biometrika 26, 1934.

    Examples
    --------
    >>> from sklearn_online_svm import LASVC
    >>> from sklearn_online_svm.datasets import make_waveform
    >>> from sklearn_online_svm.evaluation import select_threshold
    >>> X, y = make_waveform(1100, imbalance_ratio=10, random_state=0)
    >>> model = LASVC(gamma=0.01).fit(X, y)
    >>> choice = select_threshold(model, X, y, recall=0.9)
    >>> choice.origin
    'leave-one-out'
    >>> choice.recall >= 0.9, choice.recall_interval[0] > 0.8
    (True, True)
    >>> classifier = choice.classifier(model)  # a FixedThresholdClassifier
    >>> bool((classifier.predict(X) == choice.predict(model, X)).all())
    True
    """
    target, value = the_target(
        {"recall": recall, "precision": precision, "alarm_rate": alarm_rate, "costs": costs}
    )
    if guarantee and target == "costs":
        raise ValueError("guarantee=True is not available for costs: they have no target.")
    X, y, pair = check_samples(estimator, X, y, target, pos_label)
    if target == "costs":
        value = class_costs(costs, pair.tolist())
    left_out = left_out_scores(estimator, X, y, pair, cv)
    labels = None if y is None else y == pair[1]
    return choose(left_out, labels, pair, target, value, guarantee, confidence_level)


def choose(left_out, labels, pair, target, value, guarantee, level):
    """Return the :class:`ThresholdChoice` for a target; ``value`` may be a pair of costs."""
    scores = left_out.scores
    is_positive = np.zeros(len(scores), bool) if labels is None else labels
    cuts = Cuts.of(scores, is_positive)
    if target == "costs":
        threshold = cuts.cheapest(*value)
    else:
        threshold, best = cuts.reaching(target, value, level if guarantee else None)
        if threshold == np.inf:
            raise ValueError(unreachable(target, value, best, cuts, level if guarantee else None))
    prices = value if target == "costs" else None
    # The best of all thresholds looks better than it is: half of the error is for its selection.
    level_of_intervals = level if prices is None else 0.5 * (1.0 + level)
    found = expected(threshold, left_out, is_positive, level_of_intervals, prices)
    if labels is None:
        found.update(recall=_UNKNOWN, precision=_UNKNOWN)
    return ThresholdChoice(
        threshold=threshold,
        pos_label=pair.tolist()[1],
        response_method=left_out.method,
        origin=left_out.origin,
        confidence_level=level,
        scores=scores,
        labels=labels,
        **{name: value for name, (value, _) in found.items()},
        **{f"{name}_interval": interval for name, (_, interval) in found.items()},
    )


def unreachable(target, value, best, cuts, level):
    """Return the message for a target that no threshold reaches; ``level`` is for a guarantee."""
    condition = "" if level is None else f" with guarantee=True and confidence_level={level}"
    if target == "recall":
        # The expected recall of n of n positive samples is n / (n + 1), its limit error^(1 / n).
        needed = value / (1 - value) if level is None else np.log(1 - level) / np.log(value)
        return (
            f"recall={value}{condition} requires at least {int(np.ceil(needed - ROUNDING))} "
            f"positive samples, got {cuts.n_positive}. Pass more samples or a lower recall."
        )
    extreme, change = ("smallest", "larger") if target == "alarm_rate" else ("largest", "lower")
    return (
        f"{target}={value}{condition} cannot be reached: the {extreme} value with these "
        f"{cuts.n_samples} samples is {best:.3g}. Pass more samples or a {change} {target}."
    )


def expected(threshold, left_out, labels, level, prices):
    """Return the value and the interval of each rate at a threshold, and of the cost."""
    rates, halved = rates_at(threshold, left_out.scores, labels), {}
    if left_out.halves is not None:
        halved = rates_at(threshold, left_out.halves, labels)
    values = {name: share_of(rate) for name, rate in rates.items()}
    intervals = {
        name: interval_of(rate, halved.get(name), left_out.n_folds, level)
        for name, rate in rates.items()
    }
    found = {
        name: (values[name], intervals[name]) for name in ("recall", "precision", "alarm_rate")
    }
    found["cost"] = _UNKNOWN
    if prices is not None:
        weights = prices[0] * np.mean(~labels), prices[1] * np.mean(labels)
        found["cost"] = cost_of(values, intervals, weights)
    return found


def check_samples(estimator, X, y, target, pos_label):
    """Return samples, labels, and the negative and the positive class."""
    refuse_other_kinds(estimator)
    detector, is_frozen = is_detector(estimator), isinstance(estimator, FrozenEstimator)
    if y is None and (target != "alarm_rate" or not (detector or is_frozen)):
        raise ValueError(
            "y=None requires alarm_rate and an outlier detector or a FrozenEstimator, got "
            f"{target} and {estimator!r}."
        )
    X, y = indexable(X, y)
    if y is not None:
        y = column_or_1d(y)
        assert_all_finite(y, input_name="y")
    classes = classes_of(estimator) if detector or is_frozen else np.unique(y)
    pair = class_pair(classes, pos_label, detector)
    if y is not None and len(set(are_positive(y, pair, detector).tolist())) == 1:
        raise ValueError(
            f"y must contain both classes, {np.sort(pair).tolist()}, got only {y[:1].tolist()}."
        )
    return X, y, pair
