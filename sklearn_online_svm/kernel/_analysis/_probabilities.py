"""Class probabilities and prediction sets of LASVC and RampSVC.

Both are fitted to decision values of kept samples, each without the sample (``_kept_values.py``).
"""

from functools import partial

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..._sklearn_compat import available_if
from ..._threads import warn
from ...calibration._maps import CouplingMap, MultinomialMap, SplineMap
from ._kept_values import ConformalQuantiles, check_confidence_level, fitted_to_kept

# With fewer values of a class no map can be fitted: its only value, if any, is that of a model
# without this class.
FEWEST_VALUES = 2
# The alternative of estimators without probabilities.
PROBABILITIES = (
    "use decision_function, or CalibratedClassifierCV(estimator, ensemble=False) for probabilities"
)


def fitted_map(machine, finishing, n_jobs):
    """Return the solution, its map to probabilities and the quantiles of prediction sets."""
    return fitted_to_kept(machine, finishing, n_jobs, partial(_fitted_to, machine.targets))


def _fitted_to(targets, values):
    values = _without_lost_classes(targets, values)
    scores, codes, weights = values.scores, values.encoded, values.weights
    if targets.one_vs_one:
        fitted = CouplingMap().fit(scores, codes, weights)
    elif scores.shape[1] == 1:
        fitted = SplineMap().fit(scores[:, 0], codes, weights)
    else:
        fitted = MultinomialMap().fit(scores, codes, weights)
    log_proba = log_probabilities(fitted, scores)
    own = log_proba[np.arange(len(codes)), codes]
    return fitted, ConformalQuantiles(-own, weights)


def log_probabilities(fitted, scores):
    """Return log-probabilities of shape (n_samples, n_classes)."""
    return fitted.log_proba(scores[:, 0] if scores.shape[1] == 1 else scores)


def _without_lost_classes(targets, values):
    """Return the values without those of samples without which a class has no support vector."""
    present = np.unique(values.encoded)
    values = values.where(np.isfinite(values.scores).all(axis=1))
    n_values = np.bincount(values.encoded, minlength=len(targets.classes))[present]
    if (n_values < FEWEST_VALUES).any():
        labels = targets.classes[present[n_values < FEWEST_VALUES]].tolist()
        warn(
            f"Probabilities of the classes {labels} are not reliable: fewer than {FEWEST_VALUES} "
            "leave-one-out values are known for each of them, because a model trained without the "
            "only sample of a class does not know it. Train on more samples of these classes."
        )
    return values


def _offers_probabilities(model):
    if not model.probability:
        raise AttributeError(
            f"{type(model).__name__} has predict_proba, predict_log_proba and predict_set with "
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
    return _log_probabilities_and_quantiles(self, X)[0]


def _log_probabilities_and_quantiles(model, X):
    """Return log-probabilities of samples, and the quantiles of prediction sets."""
    view = model._view()
    check_is_fitted(view)
    fitted = view._fitted.fitted_to_kept(getattr(view, "finishing", False), view.n_jobs)
    if fitted is None:
        raise ValueError(
            "probability=True was set after training, so the model has no samples to estimate "
            "probabilities from. Call fit or partial_fit."
        )
    solution, (probability_map, quantiles) = fitted
    return log_probabilities(probability_map, view._decision_values(X, solution)), quantiles


@available_if(_offers_probabilities)
def predict_set(self, X, confidence_level=0.9):
    r"""Predict sets that contain the true class with a given frequency.

    Parameters
    ----------
    X : {array-like, sparse matrix} of shape (n_samples, n_features)
        Samples.
    confidence_level : float, default=0.9
        Desired fraction of sets that contain the class, in the interval (0, 1).

    Returns
    -------
    sets : ndarray of shape (n_samples, n_classes), dtype=bool
        Whether each class of ``classes_`` is in the set.

    Raises
    ------
    NotFittedError
        If the estimator is not fitted.
    ValueError
        If the input is invalid, ``confidence_level`` is not in (0, 1), ``finishing=False``, or
        ``probability=True`` was set after training.

    See Also
    --------
    predict_proba : Probabilities of the classes.
    sklearn_online_svm.evaluation.AdaptiveConformalInference : Sets in a stream, under concept
        drift.

    Notes
    -----
    A set contains all classes with a probability of at least :math:`e^{-q}`, where q
    is a quantile of :math:`-\log p_{y_i}(x_i)` over the stored samples (see ``probability``), with
    leave-one-out probabilities: with n samples, the :math:`\lceil (n + 1) \gamma \rceil`-th
    smallest value, where :math:`\gamma` is ``confidence_level``, or infinity if there is none
    [1]_. The coverage holds on average over new samples of the same distribution, drawn in
    proportion to the sample weights; for a rare class it may be much lower. It is approximate,
    because leave-one-out values are estimates, and because the map to probabilities is fitted to
    the same values: with 20 classes and 300 samples it was up to 0.05 too low. If the accuracy is
    higher than ``confidence_level``, some sets are empty.

    References
    ----------
    .. [1] M. Sadinle, J. Lei, L. Wasserman: Least ambiguous set-valued classifiers with bounded
       error levels. JASA 114, 2019.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_online_svm import LASVC
    >>> from sklearn_online_svm.datasets import make_waveform
    >>> X, y = make_waveform(2000, random_state=0)
    >>> model = LASVC(probability=True, random_state=0).fit(X[:1000], y[:1000])
    >>> sets = model.predict_set(X[1000:], confidence_level=0.95)
    >>> own = sets[np.arange(1000), (y[1000:] == model.classes_[1]).astype(int)]
    >>> bool(0.92 < own.mean() < 0.98)
    True
    """
    check_confidence_level(confidence_level, getattr(self, "finishing", True), "predict_set")
    log_proba, quantiles = _log_probabilities_and_quantiles(self, X)
    return -log_proba <= quantiles.at(confidence_level)
