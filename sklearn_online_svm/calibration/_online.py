"""OnlineCalibratedClassifier: class probabilities from test-then-train decision values."""

from numbers import Integral

import numpy as np
from sklearn.base import ClassifierMixin, clone
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from .._docs import with_shared_docs
from .._estimator import (
    Estimator,
    extend_classes,
    has_new_classes,
    store_parameters,
    update_parts,
    with_classes,
)
from .._metadata import WeightRouter
from .._pairs import among_more_classes, compares_pairs, pair_values
from .._sklearn_compat import CallbackSupportMixin, HasMethods, Interval
from .._tasks import StopTraining, check_stop, propagating, reporting
from .._threads import warn
from .._transactions import PostponedInterrupts, Transaction
from .._validation import (
    check_given_weights,
    check_labels,
    check_samples,
    classes_of_stream,
    encode_labels,
    require_two_classes,
)
from ..linear import AROWClassifier
from ._maps import CouplingMap, MultinomialMap, SplineMap

# Number of samples that are scored before the model is trained on them; the map is fitted again
# after so many. Blocks at the beginning are smaller, as the model changes quickly.
BLOCK, FIRST_BLOCK = 100, 30


class ScoreWindow:
    """Decision values of the last samples of a stream, each from before it was trained on.

    An object does not change. ``n_seen``: number of samples so far. ``of_pairs``: whether scores
    are those of pairs of classes.
    """

    def __init__(self, n_seen, scores, codes, weights, of_pairs=False):
        self.n_seen, self.scores, self.codes, self.weights = n_seen, scores, codes, weights
        self.of_pairs = of_pairs
        # Position and size of the samples of the last map, and the map.
        self._known = None

    @classmethod
    def empty(cls, n_problems, of_pairs=False):
        """Return a window without samples."""
        arrays = np.zeros((0, n_problems)), np.zeros(0, dtype=np.intp), np.zeros(0)
        return cls(0, *arrays, of_pairs)

    def n_left(self):
        """Return the number of samples until the end of the block."""
        if self.n_seen >= BLOCK:
            return BLOCK - self.n_seen % BLOCK
        end = FIRST_BLOCK
        while end <= self.n_seen:
            end *= 2
        return min(end, BLOCK) - self.n_seen

    def extended(self, scores, codes, weights, size):
        """Return the window after further samples; at least the last ``size`` are kept."""
        keep = slice(-(size + BLOCK), None)
        arrays = (
            np.concatenate(pair)[keep]
            for pair in ((self.scores, scores), (self.codes, codes), (self.weights, weights))
        )
        window = ScoreWindow(self.n_seen + len(codes), *arrays, self.of_pairs)
        window._known = self._known
        return window

    def among(self, places, n_classes, start, scale):
        """Return the window for more classes; ``places`` are those of the former classes.

        The scores of new classes are ``start``. The score f of two classes becomes -f and f, times
        ``scale``.
        """
        former = self.scores
        if len(places) > former.shape[1]:
            former = former * np.array([-scale, scale])
        scores = np.full((len(former), n_classes), start)
        scores[:, places] = former
        return ScoreWindow(self.n_seen, scores, places[self.codes], self.weights)

    def among_pairs(self, places, n_classes):
        """Return the window for the pairs of more classes; ``places`` are the former classes."""
        # The score of two classes is positive for the second one.
        former = self.scores if self.of_pairs else -self.scores
        scores = among_more_classes(former, places, n_classes)
        return ScoreWindow(self.n_seen, scores, places[self.codes], self.weights, True)

    def as_dict(self):
        """Return arrays and numbers, for pickling."""
        return {name: value for name, value in vars(self).items() if name != "_known"}

    @classmethod
    def from_dict(cls, state):
        """Rebuild a result of ``as_dict``."""
        return cls(**state)

    def map_of(self, size):
        """Return the map of the last ``size`` samples up to the last whole block."""
        n_open = self.n_seen % BLOCK if self.n_seen >= BLOCK else 0
        key = self.n_seen - n_open, size
        if self._known is None or self._known[0] != key:
            self._known = key, self._fitted_map(len(self.codes) - n_open, size)
        return self._known[1]

    def _fitted_map(self, end, size):
        rows = np.arange(max(0, end - size), end)
        rows = rows[self.weights[rows] > 0.0]
        data = self.scores[rows], self.codes[rows], self.weights[rows]
        if not data[0].any():
            warn(
                "predict_proba returns the same probabilities for every X, because the model has "
                f"been trained on {self.n_seen} samples and the first {FIRST_BLOCK} are not used "
                "for calibration. Train on more samples."
            )
        if self.of_pairs:
            return CouplingMap().fit(*data)
        if self.scores.shape[1] > 1:
            return MultinomialMap().fit(*data)
        scores = data[0][:, 0]
        typical = np.average(np.abs(scores), weights=data[2]) if len(rows) else 0.0
        return SplineMap(typical or 1.0).fit(scores, *data[1:])


@with_shared_docs
class OnlineCalibratedClassifier(WeightRouter, ClassifierMixin, CallbackSupportMixin, Estimator):
    """Class probabilities for an online classifier, without further models.

    Each sample is scored before the base estimator is trained on it (test-then-train). A monotone
    map from the decision values of the last samples to probabilities is fitted by maximum
    likelihood, and follows the stream. Those of one-vs-one models, the default of ``LASVC``, are
    the values of the pairs of classes, whatever ``decision_function_shape``. The base estimator is
    trained as it would be alone.

    Read more in the :ref:`user guide <probabilities_of_streams>`.

    Parameters
    ----------
    estimator : classifier with ``partial_fit`` and ``decision_function``, default=None
        The base estimator. If None, :class:`~sklearn_online_svm.AROWClassifier` is used.
    window_size : int, default=4000
        Number of samples that the map is fitted to, the last ones of the stream.
    random_state : int, RandomState instance or None, default=None
        Seed of the order in which ``fit`` visits the samples.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    estimator_ : classifier
        Fitted base estimator.
    $features
    n_samples_seen_ : int
        Number of samples that the model has been trained on.

    See Also
    --------
    sklearn_online_svm.LASVC : Has probabilities of its own, with ``probability=True``.
    sklearn.calibration.CalibratedClassifierCV : Calibration by cross-validation.

    Notes
    -----
    Samples are scored in blocks of at most 100 (the first ones in smaller blocks), with the model
    before the block or, if a chunk begins within a block, before the chunk. So probabilities
    depend a little on how a stream is divided into chunks; the base estimator does not. The first
    30 samples have the score 0. The map is fitted again after each 100 samples, when
    probabilities are computed.

    Ctrl-C in ``partial_fit`` takes effect at the end of a block. The model has then been trained
    on ``n_samples_seen_`` samples, and can be used and trained further. ``fit`` is undone.

    Examples
    --------
    >>> from sklearn_online_svm import AROWClassifier
    >>> from sklearn_online_svm.calibration import OnlineCalibratedClassifier
    >>> from sklearn_online_svm.datasets import make_waveform
    >>> X, y = make_waveform(3000, random_state=0)
    >>> model = OnlineCalibratedClassifier(AROWClassifier())
    >>> for first in range(0, 2000, 500):
    ...     chunk = slice(first, first + 500)
    ...     model = model.partial_fit(X[chunk], y[chunk], classes=[-1, 1])
    >>> model.predict_proba(X[2000:]).shape
    (1000, 2)
    """

    _parameter_constraints: dict = {
        "estimator": [HasMethods(["partial_fit", "decision_function"]), None],
        "window_size": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
    }

    _default = AROWClassifier
    _trained_by = {"fit": "partial_fit", "partial_fit": "partial_fit"}
    _state_attribute = "_window"
    _stored_as = {"_window": ScoreWindow, "estimator_": None}
    _adjustable_params = ("estimator", "window_size")

    def __init__(self, estimator=None, *, window_size=4000, random_state=None):
        store_parameters(locals())

    # ---------------------------------------------------------------------------- training

    def fit(self, X, y, sample_weight=None, **params):
        """Reset the model and train it on the samples, once, in random order.

        $labeled_samples
        sample_weight : array-like of shape (n_samples,), default=None
            Per-sample weights, used to fit the map. They are also passed to the base estimator;
            with metadata routing enabled, only if it requests them.
        $partial_fit_alias

        $fitted_self

        Raises
        ------
        ValueError
            If the input is invalid or has a single class. The model is left unchanged.
        """
        routed = self._routed_weights("fit", sample_weight, params)
        with self._guard, reporting(self, "fit", X, y, sample_weight), Transaction(self) as change:
            draft = change.draft
            draft._validate_params()
            for name in ("_window", "estimator_"):
                draft.__dict__.pop(name, None)
            X, y = check_samples(draft, X, y, reset=True)
            check_labels(y)
            draft.classes_ = np.unique(y)
            weights = check_given_weights(sample_weight, X, allow_all_zero=False)
            n_present = np.count_nonzero(np.bincount(np.searchsorted(draft.classes_, y), weights))
            require_two_classes(n_present, " with positive sample weight.")
            order = check_random_state(draft.random_state).permutation(len(y))
            draft._initialize()
            try:
                routed = check_given_weights(routed, X, allow_all_zero=True)
                draft._train(X, y, weights, routed, order)
            except StopTraining:
                change.keep = True
                raise
        return self

    def partial_fit(self, X, y, classes=None, sample_weight=None, **params):
        """Continue training with a chunk of samples, in the given order.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples, in the order of the stream.
        y : array-like of shape (n_samples,)
            Class labels.
        classes : array-like of shape (n_classes,), default=None
            All classes of the stream. Must be passed in the first call; optional afterwards. A
            later call with additional classes adds them to the base estimator, if it is one of
            this package, and to the map; see :ref:`new_classes`.
        sample_weight : array-like of shape (n_samples,), default=None
            Per-sample weights, used to fit the map. They are also passed to the base estimator;
            with metadata routing enabled, only if it requests them.
        $partial_fit_alias

        $fitted_self

        Raises
        ------
        ValueError
            If the input is invalid, or a label is not among the classes. The model is left
            unchanged. If the base estimator refuses a sample, as one whose norm overflows, it has
            been trained on the blocks of samples before it (at most 100 samples each).
        """
        given = classes, sample_weight, self._routed_weights("partial_fit", sample_weight, params)
        with self._guard, reporting(self, "partial_fit", X, y, sample_weight):
            is_fitted = "_window" in vars(self)
            if is_fitted and not has_new_classes(self, classes):
                self._train_on_chunk(*self._begin_chunk(X, y, *given))
                return self
            with Transaction(self) as change:
                draft = change.draft
                if is_fitted:
                    draft._add_classes(classes)
                chunk = draft._begin_chunk(X, y, *given)
                try:
                    draft._train_on_chunk(*chunk)
                except KeyboardInterrupt:
                    change.keep = draft._window.n_seen > 0
                    raise
        return self

    def _begin_chunk(self, X, y, classes, sample_weight, routed):
        first, new = "_window" not in self.__dict__, None
        if first:
            self._validate_params()
        else:
            new = self._changed_params()
        known = classes_of_stream(classes) if first else self.classes_
        X, y = check_samples(self, X, y, reset=first)
        check_labels(y)
        encode_labels(y, known, extendable=True)
        weights = (
            check_given_weights(given, X, allow_all_zero=True) for given in (sample_weight, routed)
        )
        if first:
            self.classes_ = known
            self._initialize()
        return X, y, *weights, new

    def _add_classes(self, classes):
        """Add classes to a draft, its base estimator, and their scores to the window.

        Former samples are negative samples of a new class, whose target is -1; in a joint problem,
        and without an intercept, its function is 0.
        """
        places = extend_classes(self, classes)
        self.estimator_ = estimator = with_classes(self.estimator_, self.classes_)
        if compares_pairs(estimator):
            self._window = self._window.among_pairs(places, len(self.classes_))
            return
        joint = getattr(estimator, "multi_class", None) == "crammer_singer"
        start = 0.0 if joint or not getattr(estimator, "fit_intercept", True) else -1.0
        self._window = self._window.among(places, len(self.classes_), start, 0.5 if joint else 1.0)

    def _train_on_chunk(self, X, y, weights, routed, new):
        order = np.arange(len(y))
        if new is None:
            self._train(X, y, weights, routed, order)
            return
        window, params = self._window, self._fitted_params
        given = self.estimator_.get_params(deep=False)
        try:
            update_parts(self, new, {"estimator": AROWClassifier})
            self._train(X, y, weights, routed, order)
        except Exception:
            if self._window is window:  # the base estimator may have refused its parameters
                self.estimator_.set_params(**given)
                self._fitted_params = params
            raise

    def _initialize(self):
        """Create the base estimator."""
        self.estimator_ = self._default() if self.estimator is None else clone(self.estimator)
        self._window = ScoreWindow.empty(1 if len(self.classes_) == 2 else len(self.classes_))
        self._fitted_params = self._current_params()

    def _train(self, X, y, weights, routed, order):
        """Score and train on blocks of samples; an error keeps the blocks before it.

        ``weights`` are those of the map, ``routed`` those of the base estimator; None for none.
        Ctrl-C takes effect between two blocks, where the window has the samples of the estimator.
        """
        codes, done = encode_labels(y, self.classes_), 0
        while done < len(order):
            check_stop(self)
            window = self._window
            rows = order[done : done + window.n_left()]
            block = X[rows]
            scores = None
            if window.n_seen:
                scores = _scores(self.estimator_, block).reshape(len(rows), -1)
            given = {} if routed is None else {"sample_weight": routed[rows]}
            with (
                PostponedInterrupts(),
                propagating(self, self.estimator_, "partial-fit-estimator"),
            ):
                self.estimator_.partial_fit(block, y[rows], classes=self.classes_, **given)
                if scores is None:
                    if compares_pairs(self.estimator_):
                        n = len(self.classes_)
                        window = ScoreWindow.empty(n * (n - 1) // 2, of_pairs=True)
                    scores = np.zeros((len(rows), window.scores.shape[1]))
                counted = np.ones(len(rows)) if weights is None else weights[rows]
                self._window = window.extended(scores, codes[rows], counted, self.window_size)
            done += len(rows)

    # ---------------------------------------------------------------------------- predictions

    @property
    def n_samples_seen_(self):
        """Number of samples that the model has been trained on."""
        check_is_fitted(self)
        return self._window.n_seen

    def decision_function(self, X):
        """Compute the decision function of the base estimator.

        $samples

        Returns
        -------
        scores : ndarray of shape (n_samples,) or (n_samples, n_classes)
            Decision values.

        $errors
        """
        view, X = self._checked(X)
        return view.estimator_.decision_function(X)

    def predict(self, X):
        """Predict class labels for samples in X, as the base estimator does.

        $samples

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Predicted class labels.

        $errors
        """
        view, X = self._checked(X)
        return view.estimator_.predict(X)

    def predict_proba(self, X):
        """Estimate class probabilities for samples in X.

        $samples

        $probabilities

        $errors
        """
        return np.exp(self.predict_log_proba(X))

    def predict_log_proba(self, X):
        """Estimate logarithms of class probabilities for samples in X.

        $samples

        $log_probabilities

        $errors
        """
        view, X = self._checked(X)
        scores = _scores(view.estimator_, X)
        return view._window.map_of(view._fitted_params[1]).log_proba(scores)

    def _checked(self, X):
        """Return the model as it is now and validated samples."""
        view = self._view()
        check_is_fitted(view)
        return view, check_samples(view, X, reset=False)


def _scores(estimator, X):
    """Return the decision values that the map is a function of."""
    pairs = pair_values(estimator, X)
    return estimator.decision_function(X) if pairs is None else pairs.values
