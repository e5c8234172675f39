"""Base of kernel classifiers: decision function, classes, compression."""

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from .. import _suspects
from .._pairs import ClassScores, PairValues
from ._docs import with_shared_docs
from ._kernel_estimator import KernelEstimator


@with_shared_docs
class KernelClassifier(ClassifierMixin, KernelEstimator):
    """Base of kernel classifiers; a subclass has ``classes_``."""

    suspect_labels = _suspects.suspect_labels

    # Values where a subclass does not have these parameters.
    multi_class = "ovr"
    decision_function_shape = "ovr"
    break_ties = False

    # ---------------------------------------------------------------------------- predictions

    def decision_function(self, X):
        r"""Evaluate the decision function, :math:`f(x) = \sum_i \alpha_i K(x_i, x) + b`.

        Samples are processed in blocks: besides the result, memory does not grow with their
        number.

        $kernel_samples

        Returns
        -------
        scores : ndarray of shape (n_samples,) or (n_samples, n_columns)
            Decision function values. Two classes: positive for ``classes_[1]``. More than two: a
            column for each class or, in one-vs-one models with ``decision_function_shape="ovo"``,
            for each of the n_classes * (n_classes - 1) / 2 pairs, in the order (0, 1), (0, 2),
            ... of ``classes_``, positive for the first class.

        $value_errors
        """
        view = self._view()
        scores = view._decision_values(X)
        return view._class_scores(scores).shaped()

    def predict(self, X):
        """Predict class labels for samples in X.

        $kernel_samples

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Predicted class labels.

        $not_fitted
        ValueError
            If the input is invalid, a decision function value overflows, or ``break_ties=True``
            with ``decision_function_shape="ovo"``.
        """
        view = self._view()
        if view.break_ties:
            check_is_fitted(view)
            view._refuse_ties()
        scores = view._decision_values(X)
        return view.classes_[view._class_scores(scores).predicted()]

    # ---------------------------------------------------------------------------- classes

    @property
    def _is_one_vs_one(self):
        """Whether there is a problem for each pair of classes; False before training."""
        return self._state_attribute in vars(self) and self._fitted.spec.one_vs_one

    def _pair_values(self, X):
        """Return the decision values of pairs, whatever ``decision_function_shape``."""
        view = self._view()
        return PairValues(view._decision_values(X), len(view.classes_), view.break_ties)

    def _class_scores(self, scores):
        """Return decision values of all problems as :class:`ClassScores`."""
        one_vs_one, shape = self._fitted.spec.one_vs_one, self.decision_function_shape
        return ClassScores(scores, len(self.classes_), one_vs_one, shape, self.break_ties)

    def _predicted(self, scores):
        """Return the codes of the predicted classes, given decision values of all problems."""
        self._refuse_ties()
        return self._class_scores(scores).predicted()

    def _refuse_ties(self):
        """Raise ValueError if ties of votes are to be broken by values of pairs."""
        if self.break_ties and {self.multi_class, self.decision_function_shape} == {"ovo"}:
            raise ValueError(
                "break_ties must be False when decision_function_shape is 'ovo', got "
                f"break_ties={self.break_ties!r}."
            )

    # ---------------------------------------------------------------------------- compression

    def compress(self, *, max_support_vectors=None, tolerance=None, X=None):
        """Return a model with fewer support vectors and nearly the same decision function.

        The result can only predict, and this model is not changed. A model in the course of a
        stream is compressed as it predicts at that moment. Exactly one of ``max_support_vectors``
        and ``tolerance`` must be given.

        Parameters
        ----------
        max_support_vectors : int, default=None
            Maximum number of support vectors.
        tolerance : float, default=None
            Largest difference of decision values at the support vectors of this model (the margin
            is 1); with ``multi_class="ovo"``, of the decision values of the pairs.
        X : {array-like, sparse matrix} of shape (n_samples, n_features), default=None
            Samples at which the difference of decision values is measured, as
            ``sample_difference_``.

        Returns
        -------
        model : CompressedClassifier
            Fitted model; ``max_difference_`` and ``rkhs_distance_`` tell how close it is.

        $not_fitted
        ValueError
            If not exactly one of the two numbers is given, a number or X is invalid, or the model
            cannot be compressed: with a precomputed kernel the support vectors are not known, a
            sigmoid kernel is not positive definite, and with ``average="vote"`` there is no single
            decision function.

        See Also
        --------
        CompressedClassifier : The result, and the method.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn_online_svm import LASVC
        >>> from sklearn_online_svm.datasets import make_banana_like
        >>> X, y = make_banana_like(1000, random_state=0)
        >>> model = LASVC(gamma=1.0, random_state=0).fit(X, y)
        >>> small = model.compress(max_support_vectors=20)
        >>> small.support_vectors_.shape[0]
        20
        >>> bool(np.mean(small.predict(X) == model.predict(X)) > 0.97)
        True
        """
        return self._compressed_class._of(self, max_support_vectors, tolerance, X)

    def _solution_and_map(self):
        """Return the solution that predictions use, and its map to probabilities or None."""
        if not getattr(self, "probability", True):
            return self._solution(), None
        return self._fitted.solution_and_map(getattr(self, "finishing", False), self.n_jobs)

    # ---------------------------------------------------------------------------- the solution

    @property
    def n_support_(self):
        """Number of support vectors for each class."""
        view = self._view()
        labels = view._solution().labels
        return np.bincount(labels, minlength=len(view.classes_)).astype(np.int32)
