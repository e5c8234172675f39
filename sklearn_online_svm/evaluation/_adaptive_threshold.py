"""Thresholds of decision values on streams."""

from numbers import Integral, Real

import numpy as np
from sklearn.utils import check_consistent_length, column_or_1d

from .._docs import with_shared_docs
from .._estimator import Estimator, store_parameters
from .._sklearn_compat import Interval
from ._adaptive_quantile import follow
from ._cuts import Cuts
from ._positive_class import (
    POS_LABEL,
    TARGETS,
    are_positive,
    class_costs,
    fitted_pair,
    is_detector,
    predicted,
    scores_of,
    the_target,
)


@with_shared_docs
class AdaptiveThreshold(Estimator):
    r"""Threshold for a recall, a precision, an alarm rate or costs, on any stream.

    The threshold follows the scores of recent samples, each of them computed before the model was
    trained on the sample (test-then-train), and thus also concept drift. For a recall or an alarm
    rate, it also moves after each error, so that the long-run frequency converges to the target
    without any assumption about the stream [1]_. If the target value is changed later, its level
    approaches the new value by steps of `step_size`.

    Use it together with a model: call :meth:`update` before the model is trained on a chunk, and
    :meth:`predict` for new samples. Give one of the four targets.

    Read more in the :ref:`user guide <thresholds-stream>`.

    Parameters
    ----------
    recall : float, default=None
        Share of positive samples that are predicted to be positive.
    precision : float, default=None
        Minimum share of alarms that are correct, in the window. The smallest threshold with at
        least this precision is used.
    alarm_rate : float, default=None
        Share of samples that are predicted to be positive. Requires no labels.
    costs : dict of label to float, default=None
        Cost of a misclassified sample of each class. The threshold with the smallest total cost in
        the window is used.
    step_size : float, default=0.005
        Step size of the update of ``alpha_`` after each sample, :math:`\gamma` in [1]_; only for
        `recall` and `alarm_rate`. With larger values the threshold adapts faster to a drift, and
        varies more. With 0 it is a quantile of the window, without a guarantee.
    window_size : int, default=1000
        Number of recent scores that determine the threshold: of positive samples with `recall`,
        else of all samples.
    pos_label : int, float, bool or str, default=None
        The positive class. By default 1, if the classes are 0 and 1 or -1 and 1; -1, the outliers,
        for outlier detectors.

    Attributes
    ----------
    threshold_ : float
        A sample is predicted to be positive if its score is at least the threshold. The score is
        the decision value, for the first of two classes and for outlier detectors with the
        opposite sign; or the probability, without ``decision_function``. May be infinite.
    alpha_ : float or None
        Level of the quantile, :math:`\alpha_t`; None with `precision` or `costs`.
    n_samples_seen_ : int
        Number of samples passed to ``update``.

    See Also
    --------
    select_threshold : Select the threshold of a model with a fixed training set.
    AdaptiveConformalInference : Prediction sets on streams.

    Notes
    -----
    **Recall and alarm rate.** An error is a positive sample below the threshold, or an alarm. With
    :math:`\mathrm{err}_t = 1` for an error and 0 otherwise, and :math:`\alpha` of 1 - `recall` or
    `alarm_rate`,

    .. math:: \alpha_{t+1} = \alpha_t + \gamma (\alpha - \mathrm{err}_t), \qquad
              \alpha_1 = \alpha.

    With n scores in the window and :math:`k = \lfloor (n + 1) \alpha_t \rfloor`, the threshold is
    the k-th smallest score of a positive sample, or lies above the k-th largest score of all
    samples. It is infinite if there is none: at first, all samples are predicted to be positive
    with `recall`, and none with `alarm_rate`. As in :class:`AdaptiveConformalInference`, for T
    samples (with `recall`, positive samples) and every sequence of samples, labels and models,

    .. math:: \left| \frac{1}{T} \sum_{t=1}^T \mathrm{err}_t - \alpha \right| \le
              \frac{\max(\alpha_1, 1 - \alpha_1) + \gamma}{\gamma T}.

    **Precision and costs.** The threshold is selected from the window, as in
    :func:`select_threshold`, without a guarantee. No sample is predicted to be positive until the
    window contains enough correct alarms (for costs: until positive predictions reduce the cost
    of the samples in the window).

    The labels that :meth:`update` returns do not depend on how a stream is divided into chunks,
    other than by the model, which does not change within a chunk.

    References
    ----------
    .. [1] I. Gibbs, E. Candes: Adaptive conformal inference under distribution shift. NeurIPS
       2021.

    Examples
    --------
    At most 5 % of the samples of a stream:

    >>> import numpy as np
    >>> from sklearn_online_svm import AROWClassifier
    >>> from sklearn_online_svm.datasets import make_waveform
    >>> from sklearn_online_svm.evaluation import AdaptiveThreshold
    >>> X, y = make_waveform(3000, imbalance_ratio=10, random_state=0)
    >>> model = AROWClassifier().partial_fit(X[:100], y[:100], classes=[-1, 1])
    >>> threshold = AdaptiveThreshold(alarm_rate=0.05)
    >>> alarms = 0
    >>> for first in range(100, 3000, 100):
    ...     chunk = slice(first, first + 100)
    ...     alarms += np.sum(threshold.update(model, X[chunk], y[chunk]) == 1)
    ...     model = model.partial_fit(X[chunk], y[chunk])
    >>> float(round(alarms / 2900, 2))
    0.05
    """

    _parameter_constraints: dict = {
        **TARGETS,
        "step_size": [Interval(Real, 0, None, closed="left")],
        "window_size": [Interval(Integral, 1, None, closed="left")],
        "pos_label": POS_LABEL,
    }

    _state_attribute = "threshold_"
    _stored_as: dict = {}

    def __init__(
        self,
        *,
        recall=None,
        precision=None,
        alarm_rate=None,
        costs=None,
        step_size=0.005,
        window_size=1000,
        pos_label=None,
    ):
        store_parameters(locals())

    def predict(self, estimator, X):
        """Predict with the present threshold.

        Before the first :meth:`update` no sample is positive; with `recall`, all are.

        Parameters
        ----------
        estimator : classifier or outlier detector
            The fitted model, with ``decision_function`` or ``predict_proba``.
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Classes; -1 for outliers and 1 for inliers.

        $argument_not_fitted
        ValueError
            If a parameter is invalid, or `estimator` is no classifier or outlier detector, does
            not have the two classes of earlier calls, or returns scores that are not finite.
        """
        target, _ = self._target()
        pair = self._pair(estimator)
        start = -np.inf if target == "recall" else np.inf
        threshold = self.__dict__.get("threshold_", start)
        return predicted(scores_of(estimator, X, pair), threshold, pair)

    def update(self, estimator, X, y=None):
        """Predict samples, one after the other, and adapt the threshold after each of them.

        Parameters
        ----------
        estimator : classifier or outlier detector
            The fitted model, before it is trained on these samples.
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The next samples of the stream.
        y : array-like of shape (n_samples,), default=None
            Their labels; ignored with `alarm_rate`.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Classes; -1 for outliers and 1 for inliers. The prediction of a sample depends on the
            preceding samples, but not on its own label or later ones.

        $argument_not_fitted
        ValueError
            If a parameter is invalid, the target is another one than in earlier calls, X and `y`
            differ in length, `y` is None or contains other labels, or `estimator` is no classifier
            or outlier detector, does not have the two classes of earlier calls, or returns scores
            that are not finite. The state is left unchanged.
        """
        target, value = self._target()
        pair = self._pair(estimator)
        scores = scores_of(estimator, X, pair)
        labels = np.zeros(len(scores), bool)
        if target != "alarm_rate":
            if y is None:
                raise ValueError(f"y=None is only valid with alarm_rate, got {target}={value}.")
            y = column_or_1d(y)
            check_consistent_length(scores, y)
            labels = are_positive(y, pair, is_detector(estimator))
        if target in ("recall", "alarm_rate"):
            thresholds, alpha, recent = self._quantiles(target, scores, labels)
        else:
            prices = class_costs(value, pair.tolist()) if target == "costs" else None
            thresholds, recent = self._best_of_window(target, scores, labels, prices)
            alpha = None
        self.__dict__.update(
            threshold_=float(thresholds[-1]),
            alpha_=alpha,
            n_samples_seen_=self.__dict__.get("n_samples_seen_", 0) + len(scores),
            _used_target=target,
            _used_pair=pair.tolist(),
            _recent=recent,
        )
        return predicted(scores, thresholds[:-1], pair)

    def _target(self):
        """Return the name and the value of the target."""
        self._validate_params()
        target, value = the_target({name: getattr(self, name) for name in TARGETS})
        used = self.__dict__.get("_used_target", target)
        if target != used:
            raise ValueError(
                f"The target must remain {used}, got {target}. Use a new AdaptiveThreshold."
            )
        return target, value

    def _pair(self, estimator):
        """Return the negative and the positive class."""
        pair = fitted_pair(estimator, self.pos_label)
        used = self.__dict__.get("_used_pair", pair.tolist())
        if pair.tolist() != used:
            raise ValueError(
                f"The negative and the positive class must remain {used}, got {pair.tolist()}. "
                "Use a new AdaptiveThreshold."
            )
        return pair

    def _quantiles(self, target, scores, labels):
        """Return the threshold of each sample and the next one, the level, and recent scores."""
        share = 1.0 - self.recall if target == "recall" else self.alarm_rate
        # An alarm is an error, and the opposite score is then below the quantile.
        values = scores[labels] if target == "recall" else -scores
        thresholds, alpha, recent = follow(
            self.__dict__.get("_recent", np.zeros(0))[-self.window_size :],
            values.tolist(),
            self.__dict__.get("alpha_", share),
            target=share,
            step_size=self.step_size,
            window_size=self.window_size,
        )
        if target == "recall":
            n_positive = np.append(0, np.cumsum(labels))
            return thresholds[n_positive], alpha, recent
        return np.nextafter(-thresholds, np.inf), alpha, recent

    def _best_of_window(self, target, scores, labels, prices):
        """Return the threshold of each sample and the next one, and recent scores and labels."""
        recent = self.__dict__.get("_recent", np.zeros((0, 2)))[-self.window_size :]
        recent, n_before = np.vstack([recent, np.column_stack([scores, labels])]), len(recent)
        thresholds = np.empty(len(scores) + 1)
        for i in range(len(thresholds)):
            window = recent[max(0, n_before + i - self.window_size) : n_before + i]
            cuts = Cuts.of(window[:, 0], window[:, 1].astype(np.intp))
            if target == "costs":
                thresholds[i] = cuts.cheapest(*prices)
            else:
                thresholds[i], _ = cuts.reaching("precision", self.precision)
        return thresholds, recent[-self.window_size :]
