"""Prediction sets and intervals on streams, by adaptive conformal inference."""

from numbers import Integral, Real

import numpy as np
from sklearn.base import is_regressor
from sklearn.utils import check_array, check_consistent_length, column_or_1d

from .._docs import with_shared_docs
from .._estimator import Estimator, store_parameters
from .._pairs import class_values
from .._sklearn_compat import Interval
from .._validation import encode_labels
from ._adaptive_quantile import follow, threshold_of


def conformity_scores(estimator, X):
    """Return how well each class conforms to each sample, (n_samples, n_classes).

    These are probabilities, or the difference between the decision value of a class and the
    largest one of the other classes.
    """
    if hasattr(estimator, "predict_proba"):
        method, scores = "predict_proba", estimator.predict_proba(X)
    elif hasattr(estimator, "decision_function"):
        method, scores = "decision_function", class_values(estimator, X)
    else:
        raise ValueError(
            "estimator must have predict_proba or decision_function, got "
            f"{type(estimator).__name__}."
        )
    scores = np.asarray(scores, dtype=np.float64)
    if not np.isfinite(scores).all():
        raise ValueError(f"{method} of {type(estimator).__name__} returned nan or infinity.")
    if method == "predict_proba":
        return scores
    if scores.ndim == 1:
        return 2.0 * np.column_stack([-scores, scores])
    best = scores.argmax(axis=1)[:, None]
    others = np.repeat(np.take_along_axis(scores, best, axis=1), scores.shape[1], axis=1)
    np.put_along_axis(others, best, np.partition(scores, -2, axis=1)[:, -2:-1], axis=1)
    return scores - others


def is_a_regressor(estimator):
    """Return whether this is a regressor; a classifier may lack the tags of scikit-learn."""
    return not hasattr(estimator, "classes_") and is_regressor(estimator)


def middles_and_units(regressor, X):
    """Return predictions, and the unit in which the residual of each sample is measured.

    It is half the width of an interval with a coverage of 0.5, if the regressor has intervals.
    """
    name = type(regressor).__name__
    if not is_a_regressor(regressor):
        raise ValueError(f"estimator must be a regressor, got {name}; use predict_set.")
    middles = np.asarray(regressor.predict(X), dtype=np.float64)
    if middles.ndim == 2 and middles.shape[1] == 1:
        middles = middles[:, 0]
    if middles.ndim != 1:
        raise ValueError(
            f"{name} predicts {middles.shape[1]} outputs; use an object for each output, with a "
            "model of one output."
        )
    if not np.isfinite(middles).all():
        raise ValueError(f"predict of {name} returned nan or infinity.")
    if not hasattr(regressor, "predict_interval"):
        return middles, np.ones(len(middles))
    half = 0.5 * np.diff(regressor.predict_interval(X, confidence_level=0.5), axis=-1).ravel()
    return middles, np.where(np.isfinite(half) & (half > 0.0), half, 1.0)


def _around(middles, units, thresholds):
    """Return the intervals in which scores of targets are at least the thresholds."""
    half = -thresholds * units
    return np.column_stack([middles - half, middles + half])


@with_shared_docs
class AdaptiveConformalInference(Estimator):
    r"""Prediction sets that contain the true class with a given frequency, on any stream.

    For a regressor, the sets are intervals; see :meth:`predict_interval`.

    A prediction set contains the classes whose scores reach a threshold, a quantile of the scores
    of the true classes of recent samples. After each label, the next sets become larger if the
    label was not in its set, and slightly smaller if it was [1]_. The coverage, the fraction of
    labels that are in their sets, converges to ``confidence_level`` without any assumption about
    the stream: also under concept drift, with dependent samples, and for inaccurate models, whose
    sets are larger.

    Pass an object to :func:`progressive_validation` (of classifiers) to evaluate coverage and size
    of the sets, or use it together with a model: call :meth:`update` before the model is trained
    on a chunk, and :meth:`predict_set` or :meth:`predict_interval` for new samples.

    Read more in the :ref:`user guide <prediction_sets>`.

    Parameters
    ----------
    confidence_level : float, default=0.9
        Desired fraction of sets that contain the true class; :math:`1 - \alpha` in [1]_.
    step_size : float, default=0.005
        Step size of the update of the miscoverage level ``alpha_`` after each sample,
        :math:`\gamma` in [1]_. With larger values the sets adapt faster to a drift, and their
        sizes vary more. With 0 the sets are those of split conformal prediction on the last
        ``window_size`` samples, without a guarantee under drift.
    window_size : int, default=1000
        Number of recent samples whose scores determine the threshold.

    Attributes
    ----------
    alpha_ : float
        Miscoverage level of the next set, :math:`\alpha_t`. A set contains all classes if it is
        less than 1 / (n + 1), with n scores in the window, and none if it is 1 or greater.
    n_samples_seen_ : int
        Number of samples passed to ``update``.

    See Also
    --------
    progressive_validation : Evaluate a classifier and its prediction sets on a stream.

    Notes
    -----
    **Update.** With :math:`\mathrm{err}_t = 1` if the label of sample t is not in its set, else 0,

    .. math:: \alpha_{t+1} = \alpha_t + \gamma (\alpha - \mathrm{err}_t), \qquad
              \alpha_1 = \alpha = 1 - \text{confidence\_level}.

    The set of a sample contains the classes with a score of at least the k-th smallest among the
    scores of the true classes of the last n samples, :math:`k = \lfloor (n + 1) \alpha_t \rfloor`;
    all classes if :math:`k < 1`, as before the first label, and none if :math:`k > n`. Within a
    chunk, :math:`\alpha_t` changes after each sample, but the model does not.

    **Guarantee** (proposition 4.1 of [1]_). A set of all classes always contains the label, and an
    empty set never does, so :math:`-\gamma \le \alpha_t \le 1 + \gamma`. Therefore, with
    :math:`\gamma > 0`, for every T and every sequence of samples, labels and models

    .. math:: \left| \frac{1}{T} \sum_{t=1}^T \mathrm{err}_t - \alpha \right| \le
              \frac{\max(\alpha_1, 1 - \alpha_1) + \gamma}{\gamma T}.

    This holds for the stream as a whole, but not for each class or each part of the stream.

    **Scores** are probabilities if the estimator has ``predict_proba``. Otherwise the score of a
    class is its decision value minus the largest one of the other classes. In one-vs-one models,
    the default of ``LASVC``, these are the values of ``decision_function_shape="ovr"``, that is,
    mostly votes; ``probability=True`` gives smaller sets. Classes with equal scores are either all
    in a set or all not in it.

    **Intervals.** The score of a target y is :math:`-|y - f(x)| / h(x)`, where h(x) is half the
    width of the interval of the regressor with a coverage of 0.5 if it has ``predict_interval``
    (``LASVR(intervals=True)``), and 1 otherwise. So the interval is :math:`f(x) \pm q_t h(x)`,
    with :math:`-q_t` the threshold.

    References
    ----------
    .. [1] I. Gibbs, E. Candes: Adaptive conformal inference under distribution shift. NeurIPS
       2021.

    Examples
    --------
    >>> from sklearn_online_svm import LASVC
    >>> from sklearn_online_svm.datasets import make_banana_like
    >>> from sklearn_online_svm.evaluation import (
    ...     AdaptiveConformalInference,
    ...     progressive_validation,
    ... )
    >>> X, y = make_banana_like(3000, noise=0.5, random_state=0)
    >>> sets = AdaptiveConformalInference(confidence_level=0.95)
    >>> result = progressive_validation(LASVC(), X, y, prediction_sets=sets)
    >>> float(result.coverage()[-1].round(2))
    0.95

    Continue with the model and its sets:

    >>> model, sets = result.estimator, result.prediction_sets
    >>> X_new, y_new = make_banana_like(5, noise=0.5, random_state=1)
    >>> sets.predict_set(model, X_new).shape
    (5, 2)
    >>> sets.update(model, X_new, y_new).shape
    (5, 2)
    >>> model = model.partial_fit(X_new, y_new)
    """

    _parameter_constraints: dict = {
        "confidence_level": [Interval(Real, 0, 1, closed="neither")],
        "step_size": [Interval(Real, 0, None, closed="left")],
        "window_size": [Interval(Integral, 1, None, closed="left")],
    }

    _state_attribute = "alpha_"
    _stored_as: dict = {}

    def __init__(self, *, confidence_level=0.9, step_size=0.005, window_size=1000):
        store_parameters(locals())

    def predict_set(self, estimator, X):
        """Return the prediction sets of samples, as they would be for the next sample.

        Parameters
        ----------
        estimator : classifier with ``predict_proba`` or ``decision_function``
            The fitted model.
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        sets : ndarray of shape (n_samples, n_classes), dtype=bool
            Whether each class of ``estimator.classes_`` is in the set.

        $argument_not_fitted
        ValueError
            If a parameter is invalid, or `estimator` has neither ``predict_proba`` nor
            ``decision_function`` or returns values that are not finite.
        """
        self._validate_params()
        alpha, recent, _ = self._state("classifiers")
        return conformity_scores(estimator, X) >= threshold_of(np.sort(recent), alpha)

    def predict_interval(self, estimator, X):
        """Return the prediction intervals of samples, as they would be for the next sample.

        Parameters
        ----------
        estimator : regressor
            The fitted model, of one output.
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        intervals : ndarray of shape (n_samples, 2)
            Lower and upper ends. Infinite before there are enough samples for the confidence
            level. If ``alpha_`` is 1 or greater, the interval is empty: its ends are inf and -inf.

        $argument_not_fitted
        ValueError
            If a parameter is invalid, the object has been used with classifiers, or `estimator` is
            no regressor, has several outputs or returns values that are not finite.
        """
        self._validate_params()
        alpha, recent, _ = self._state("regressors")
        return _around(*middles_and_units(estimator, X), threshold_of(np.sort(recent), alpha))

    def update(self, estimator, X, y):
        """Return the prediction sets of samples, one after the other, and adapt to their labels.

        Parameters
        ----------
        estimator : classifier with ``predict_proba`` or ``decision_function``, or regressor
            The fitted model, before it is trained on these samples.
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The next samples of the stream.
        y : array-like of shape (n_samples,)
            Their labels or target values.

        Returns
        -------
        sets : ndarray of shape (n_samples, n_classes), dtype=bool, or (n_samples, 2)
            Whether each class of ``estimator.classes_`` is in the set of a sample; for a
            regressor, the ends of the interval. They depend on the labels of the preceding
            samples, but not on that of the sample or later ones.

        $argument_not_fitted
        ValueError
            If a parameter is invalid, X and `y` differ in length, a label is not among
            ``estimator.classes_``, or `estimator` has neither ``predict_proba`` nor
            ``decision_function`` or returns values that are not finite. The state is left
            unchanged.
        """
        self._validate_params()
        y = column_or_1d(y)
        check_consistent_length(X, y)
        if is_a_regressor(estimator):
            y = check_array(y, ensure_2d=False, dtype=np.float64, input_name="y")
            middles, units = middles_and_units(estimator, X)
            own = -np.abs(y - middles) / units
            return _around(middles, units, self._follow(own, "regressors"))
        scores = conformity_scores(estimator, X)
        if not hasattr(estimator, "classes_"):
            name = type(estimator).__name__
            raise ValueError(f"estimator must be a classifier or a regressor, got {name}.")
        own = scores[np.arange(len(y)), encode_labels(y, np.asarray(estimator.classes_))]
        return scores >= self._follow(own, "classifiers")[:, None]

    def _follow(self, own, kind):
        """Return the threshold of each sample, and adapt to the scores of the true targets."""
        alpha, recent, n_seen = self._state(kind)
        thresholds, alpha, recent = follow(
            recent,
            own.tolist(),
            alpha,
            target=1.0 - self.confidence_level,
            step_size=self.step_size,
            window_size=self.window_size,
        )
        state = dict(alpha_=alpha, n_samples_seen_=n_seen + len(own), _recent=recent, _kind=kind)
        self.__dict__.update(state)
        return thresholds[:-1]

    def _state(self, kind):
        """Return the miscoverage level, the scores of the last samples, and n_samples_seen_."""
        if self._state_attribute not in self.__dict__:
            return 1.0 - self.confidence_level, np.zeros(0), 0
        if kind != self._kind:
            raise ValueError(f"The scores are those of {self._kind}; use a new object for {kind}.")
        return self.alpha_, self._recent[-self.window_size :], self.n_samples_seen_
