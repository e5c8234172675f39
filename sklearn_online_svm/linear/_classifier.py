"""Base class of the linear classifiers."""

from sklearn.base import ClassifierMixin

from .. import _suspects
from .._online import ClassTargets, query_adapter
from ._model import LinearModel


class LinearClassifier(ClassifierMixin, LinearModel):
    """Base class of linear classifiers; a subclass defines ``_update_spec``."""

    _parameter_constraints: dict = {
        **LinearModel._parameter_constraints,
        **ClassTargets.constraints,
    }
    _adjustable_params = (*LinearModel._adjustable_params, "class_weight")
    _targets = ClassTargets()
    _query_adapter = query_adapter
    _suspect_margin = -1.0
    suspect_labels = _suspects.suspect_labels

    def fit(self, X, y, sample_weight=None, *, coef_init=None, intercept_init=None):
        """Fit the model from scratch, in up to ``max_iter`` epochs.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Training data. float32 and float64 arrays are used without conversion.
        y : array-like of shape (n_samples,)
            Target class labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Sample weights; see Notes for their effect. Samples of weight 0 are skipped.
        coef_init : array-like of shape (n_problems, n_features), default=None
            The initial coefficients; n_problems is 1 for two classes, else the number of classes.
        intercept_init : array-like of shape (n_problems,), default=None
            The initial intercepts.

        Returns
        -------
        self : object
            Fitted estimator.

        Raises
        ------
        ValueError
            If the input is invalid or has fewer than two classes. The model is then unchanged.
        """
        return self._fit(X, y, sample_weight, coef_init, intercept_init)

    def partial_fit(self, X, y, classes=None, sample_weight=None):
        """Update the model with new samples, in their order, in one epoch.

        The resulting model does not depend on how a stream is split into chunks. The samples are
        not shuffled.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Training data, in the order of the stream.
        y : array-like of shape (n_samples,)
            Target class labels; a chunk may contain a single class.
        classes : array-like of shape (n_classes,), default=None
            All classes of the stream. Required in the first call, optional in later ones; a later
            call with additional classes adds them to the model, see :ref:`new_classes`.
        sample_weight : array-like of shape (n_samples,), default=None
            Sample weights; see Notes for their effect. Samples of weight 0 are skipped.

        Returns
        -------
        self : object
            The updated estimator.

        Raises
        ------
        ValueError
            If the input is invalid, or a label is not in ``classes``. The model is then unchanged.
        """
        return self._partial_fit(X, y, classes, sample_weight)

    def _extend(self, places):
        """Add constant functions for new classes."""
        self._stream_parameters()
        self._state = self._state.extended(self._update_spec(), places, len(self.classes_))

    def _positive_is_first(self, *, alike):
        """Return whether the positive class is the first of two classes.

        ``pos_label=None`` means 1 (or True), as in scikit-learn's binary metrics. With ``alike``
        the classes are treated equally, and the positive class need not be known.
        """
        if len(self.classes_) > 2:
            return False
        known = self.classes_.tolist()
        pos_label = 1 if self.pos_label is None else self.pos_label
        if pos_label in known:
            return known.index(pos_label) == 0
        if self.pos_label is not None:
            raise ValueError(f"pos_label={pos_label!r} is not one of the classes {known}.")
        if not alike:
            raise ValueError(
                f"pos_label=None means 1, which is not one of the classes {known}. Set "
                f"pos_label of {type(self).__name__} to the positive class."
            )
        return False

    def decision_function(self, X):
        """Compute the decision function of each sample.

        Its values are signed distances to the hyperplane, times the norm of the weights.

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
            If the input is invalid, or a decision value overflows.
        """
        scores = self._view()._decision_values(X)
        return scores[:, 0] if scores.shape[1] == 1 else scores

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
            If the input is invalid, or a decision value overflows.
        """
        view = self._view()
        codes = self._targets.codes_of(view._decision_values(X))
        return view.classes_[codes]
