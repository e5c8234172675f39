"""Classification with advice on scaled samples."""

from sklearn.base import ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.preprocessing import StandardScaler
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from .._base import check_samples
from .._estimator_base import IncrementalEstimator, Transaction, raise_fixed_param
from .._sklearn_compat import HasMethods
from .._tasks import propagating, reporting
from ._advice_rules import check_features
from ._advice_taking import AdvicePassiveAggressiveClassifier


class ScaledAdviceClassifier(MetaEstimatorMixin, ClassifierMixin, IncrementalEstimator):
    """Meta-estimator that scales samples and advice together.

    The rules are in the units of X. A scaler is fitted on the samples in ``fit`` and transforms
    both the samples and the rules for the classifier. So the meta-estimator can be used in a
    parameter search or in cross-validation, where the scale differs between splits.

    Parameters
    ----------
    estimator : classifier with a parameter ``advice``, default=None
        Classifier to train on scaled samples; its ``advice`` is in the units of X. If None,
        ``AdvicePassiveAggressiveClassifier()``.
    scaler : StandardScaler, MinMaxScaler, MaxAbsScaler or RobustScaler, default=None
        Scaler for samples and rules. If None, ``StandardScaler()``. Sparse samples need a scaler
        that maps 0 to 0, such as ``MaxAbsScaler()``.

    Attributes
    ----------
    estimator_ : estimator
        The fitted classifier; its weights and its advice are in scaled units.
    scaler_ : transformer
        The fitted scaler.
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    advice_violation_ : ndarray of shape (n_advice,)
        Violation of each rule by the model, in scaled units.
    n_features_in_ : int
        Number of features seen during ``fit``.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of features seen during ``fit``. Defined only when X has feature names that are all
        strings.

    See Also
    --------
    AdvicePassiveAggressiveClassifier : The default classifier.
    Advice.transformed_by : Transform a single rule with a fitted scaler.

    Notes
    -----
    In a stream the scaler is fitted on the first chunk only. Use a first chunk of at least a few
    dozen samples, or pass a scaler that is already fitted and frozen with ``FrozenEstimator`` of
    :mod:`sklearn.frozen`. With a frozen scaler the first chunk may have no samples, which gives
    the model of the rules alone.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from sklearn.model_selection import GridSearchCV
    >>> from sklearn_online_svm import (
    ...     Advice, AdvicePassiveAggressiveClassifier, ScaledAdviceClassifier,
    ... )
    >>> X, y = make_classification(200, 5, n_informative=1, n_redundant=0, n_clusters_per_class=1,
    ...                            shuffle=False, random_state=0)
    >>> X = 100 + 20 * X
    >>> advice = [
    ...     Advice.from_rules({0: (">=", 110)}, range(5), 1),
    ...     Advice.from_rules({0: ("<=", 90)}, range(5), 0),
    ... ]
    >>> model = ScaledAdviceClassifier(AdvicePassiveAggressiveClassifier(advice, random_state=0))
    >>> search = GridSearchCV(model, {"estimator__advice_weight": [0.001, 0.1]}).fit(X, y)
    >>> bool(search.score(X, y) > 0.8)
    True
    """

    _parameter_constraints: dict = {
        "estimator": [HasMethods(["partial_fit", "decision_function", "explain_advice"]), None],
        "scaler": [HasMethods(["fit", "transform"]), None],
    }
    _state_attribute = "estimator_"
    _fixed_params = ("scaler",)
    _adjustable_params = ("estimator",)

    def __init__(self, estimator=None, scaler=None):
        self.estimator = estimator
        self.scaler = scaler

    def fit(self, X, y, sample_weight=None):
        """Fit the scaler and the classifier from scratch.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The samples.
        y : array-like of shape (n_samples,)
            Target class labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Sample weights, passed to the classifier.

        Returns
        -------
        self : object
            Fitted estimator.

        Raises
        ------
        ValueError
            If the input is invalid. The model is then unchanged.
        """
        self._validate_params()
        with (
            self._guard,
            reporting(self, "fit", X, y, sample_weight, 1),
            Transaction(self) as change,
        ):
            draft = change.draft
            X = draft._begin(X)
            try:
                with propagating(draft, draft.estimator_, "fit-estimator"):
                    draft.estimator_.fit(X, y, sample_weight)
            except BaseException as error:
                change.keep = draft._was_interrupted(error)
                raise
        return self

    def partial_fit(self, X, y, classes=None, sample_weight=None):
        """Update the classifier with new samples; the first call also fits the scaler.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Training data, in the order of the stream.
        y : array-like of shape (n_samples,)
            Target class labels; a chunk may contain a single class.
        classes : array-like of shape (n_classes,), default=None
            All classes of the stream. Required in the first call, optional in later ones.
        sample_weight : array-like of shape (n_samples,), default=None
            Sample weights, passed to the classifier.

        Returns
        -------
        self : object
            The updated estimator.

        Raises
        ------
        TypeError
            If a parameter of ``estimator`` has been set to a value of a wrong type.
        ValueError
            If the input or a parameter is invalid, or a label is not in ``classes``. The model is
            then unchanged.
        """
        with self._guard, reporting(self, "partial_fit", X, y, sample_weight, 1):
            self._train_on_next_chunk(type(self)._begin_partial_fit, X, y, classes, sample_weight)
        return self

    def _begin(self, X):
        """Create the scaler and the classifier; return the scaled samples."""
        X = check_samples(self, X, reset=True, min_samples=0)
        self.scaler_ = clone(self._given("scaler")).fit(X, None)
        self.estimator_ = clone(self._given("estimator"))
        self._fitted_params = self._current_params()
        self.estimator_.set_params(advice=self._scaled_advice(self.estimator_.advice))
        return self._scaled(X)

    def _begin_partial_fit(self, X, y, classes, sample_weight):
        if "estimator_" not in self.__dict__:
            self._validate_params()
            return self._begin(X), y, classes, sample_weight, None
        new = self._changed_params()
        X = check_samples(self, X, reset=False, min_samples=0)
        return self._scaled(X), y, classes, sample_weight, new

    def _add_classes(self, classes):
        self.estimator_._add_classes(classes)  # raises an error

    def _scaled(self, X):
        # Scalers refuse a chunk without samples, which the classifier accepts.
        return self.scaler_.transform(X) if X.shape[0] else X

    def _train_on_chunk(self, X, y, classes, sample_weight, new):
        estimator, known = self.estimator_, self._fitted_params
        given = estimator.get_params(deep=False) if new is not None else {}
        try:
            if new is not None:
                self._apply_params(new)
            with propagating(self, estimator, "partial-fit-estimator"):
                estimator.partial_fit(X, y, classes, sample_weight)
        except Exception:  # the classifier has refused its parameters, or the chunk
            estimator.set_params(**given)
            self._fitted_params = known
            raise

    def _was_interrupted(self, error):
        fitted = self.estimator_.__sklearn_is_fitted__()
        return not isinstance(error, Exception) and fitted

    def _given(self, name):
        default = {"estimator": AdvicePassiveAggressiveClassifier, "scaler": StandardScaler}
        given = getattr(self, name)
        return default[name]() if given is None else given

    def _scaled_advice(self, advice):
        names = getattr(self, "feature_names_in_", None)
        pieces = [*(advice or ())]
        for i, piece in enumerate(pieces):
            check_features(piece, i, self.n_features_in_, names)
        # A FrozenEstimator only wraps the scaler.
        scaler = getattr(self.scaler_, "estimator", self.scaler_)
        return [piece.transformed_by(scaler) for piece in pieces]

    # ---------------------------------------------------------------------------- parameters

    def _current_params(self):
        estimator = self._given("estimator")
        values = estimator.get_params(deep=False)
        # A copy, because the user may change the list in place.
        values["advice"] = tuple(values["advice"] or ())
        return self.scaler, {"": type(estimator).__name__, **values}

    def _apply_params(self, present):
        """Pass changed parameters to the classifier, which accepts or refuses them."""
        known, new = self._fitted_params[1], present[1]
        if known[""] != new[""]:
            raise_fixed_param("estimator", known[""], new[""])
        changed = {name: new[name] for name in new if new[name] != known[name]}
        if "advice" in changed:
            changed["advice"] = self._scaled_advice(changed["advice"])
        self.estimator_.set_params(**clone(changed, safe=False))
        super()._apply_params(present)

    # ---------------------------------------------------------------------------- predicting

    def _of_scaled(self, X):
        """Return the classifier and the scaled samples."""
        view = self._view()
        check_is_fitted(view)
        return view.estimator_, view.scaler_.transform(check_samples(view, X, reset=False))

    def decision_function(self, X):
        """Compute the decision function of the classifier.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The samples.

        Returns
        -------
        scores : ndarray of shape (n_samples,) or (n_samples, n_classes)
            With two classes, a value above 0 means ``classes_[1]``. With more, one column per
            class.

        Raises
        ------
        NotFittedError
            If the model is not fitted.
        ValueError
            If the input is invalid.
        """
        estimator, X = self._of_scaled(X)
        return estimator.decision_function(X)

    def predict(self, X):
        """Predict the class label of each sample.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The samples.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Predicted class labels.

        Raises
        ------
        NotFittedError
            If the model is not fitted.
        ValueError
            If the input is invalid.
        """
        estimator, X = self._of_scaled(X)
        return estimator.predict(X)

    def explain_advice(self, X=None):
        """Report whether the model follows each rule, and by how much it violates it.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), default=None
            Samples. The reports count those in each region, and those among them for which the
            model predicts another label than the advice.

        Returns
        -------
        reports : list of AdviceReport
            One report for each piece of advice. Rules keep their names in the original units;
            changes of weights refer to scaled features.

        Raises
        ------
        NotFittedError
            If the model is not fitted.
        ValueError
            If X is invalid.
        """
        if X is None:
            check_is_fitted(self)
            return self.estimator_.explain_advice()
        estimator, X = self._of_scaled(X)
        return estimator.explain_advice(X)

    @property
    def classes_(self):
        """Class labels."""
        check_is_fitted(self)
        return self.estimator_.classes_

    @property
    def advice_violation_(self):
        """Violation of each rule by the model, in scaled units."""
        check_is_fitted(self)
        return self.estimator_.advice_violation_

    # ---------------------------------------------------------------------------- conventions

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = get_tags(self._given("scaler")).input_tags.sparse
        return tags

    def _packed(self, state):
        # The scaler and the classifier are pickled by their own methods.
        return {}
