"""Linear classifiers: labels and their weights, on top of what every linear model does."""

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.model_selection import StratifiedShuffleSplit

from .._base import (
    check_labels,
    check_rows,
    check_weights,
    classes_of_stream,
    encode_labels,
    plain_rows,
)
from .._rows import canonical
from .._stepwise import StepwiseLabels
from .._suspects import SuspectLabels
from ._learner import LinearLearner


class LinearClassifier(StepwiseLabels, SuspectLabels, ClassifierMixin, LinearLearner):
    """A linear classifier; see :class:`LinearLearner` for what a subclass defines."""

    _parameter_constraints: dict = {
        **LinearLearner._parameter_constraints,
        **StepwiseLabels._parameter_constraints,
    }
    _tunable = (*LinearLearner._tunable, "class_weight")
    _splitter = StratifiedShuffleSplit

    def __init__(
        self,
        *,
        fit_intercept,
        max_iter,
        tol,
        early_stopping,
        validation_fraction,
        n_iter_no_change,
        shuffle,
        verbose,
        n_jobs,
        random_state,
        warm_start,
        class_weight,
    ):
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.shuffle = shuffle
        self.verbose = verbose
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.warm_start = warm_start
        self.class_weight = class_weight

    def fit(self, X, y, sample_weight=None, *, coef_init=None, intercept_init=None):
        """Forget what was learnt, and learn in up to ``max_iter`` passes.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows; float32 and float64 are learnt from as they are.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows; see Notes for what a weight means. Rows of weight 0 are passed
            over.
        coef_init : array-like of shape (n_problems, n_features), default=None
            Weights to start from; n_problems is 1 for two classes, else the number of classes.
        intercept_init : array-like of shape (n_problems,), default=None
            Intercepts to start from.

        Returns
        -------
        self : object
            The fitted model.

        Raises
        ------
        ValueError
            If the input is invalid or has fewer than two classes. The model is then what it was
            before.
        """
        self._validate_params()
        return self._fit_or_restore(X, y, sample_weight, coef_init, intercept_init)

    def partial_fit(self, X, y, classes=None, sample_weight=None):
        """Learn from new rows, one after the other; learning goes on where it stopped.

        Chunks of any size give the same model. The rows are not shuffled.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows, in the order of the stream.
        y : array-like of shape (n_samples,)
            Class labels; a chunk may hold a single class.
        classes : array-like of shape (n_classes,), default=None
            All classes of the stream; needed in the first call, optional later.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows; see Notes. Rows of weight 0 are passed over.

        Returns
        -------
        self : object
            The model that has learnt these rows, too.

        Raises
        ------
        ValueError
            If the input is invalid, or a label is none of the classes. What has been learnt stays
            as it was.
        """
        with self._guard:
            state = self.__dict__.get("_state")
            if (
                state is not None
                and classes is None
                and sample_weight is None
                and plain_rows(self, X, state.dtype, accept_sparse=True)
                and type(y) is np.ndarray
                and y.shape == X.shape[:1]
            ):
                new, weights = self._stream_parameters(), None
                X = canonical(X)
                codes = encode_labels(y, self.classes_)
                if self.class_weight is not None:
                    weights = self._row_weights(codes, None, stream=True)
                self._continue(X, new)
                self._learn_chunk(X, codes, weights)
                return self
        return self._partial_fit_or_restore(X, y, classes, sample_weight)

    def _begin_partial_fit(self, X, y, classes, sample_weight):
        first = "_state" not in self.__dict__
        new = self._stream_parameters()
        self.classes_ = classes_of_stream(classes, None if first else self.classes_)
        X, y = check_rows(
            self, X, y, reset=first, deep=False, dtype=None if first else self._state.dtype
        )
        X = canonical(X)
        if y.dtype.kind not in "biuU":
            check_labels(y)
        codes = encode_labels(y, self.classes_)
        weights = None
        if sample_weight is not None:
            weights = check_weights(sample_weight, X, allow_all_zero=True)
        self.__dict__.setdefault("n_iter_", 1)
        weights = self._row_weights(codes, weights, stream=True)
        self._continue(X, new)
        return X, codes, weights

    def _positive_is_first(self, *, alike):
        """Whether the positive one of two classes is the first; `alike`: it does not matter.

        ``pos_label=None`` is 1, or True, as for scikit-learn's measures of two classes.
        """
        if len(self.classes_) > 2:
            return False
        known = self.classes_.tolist()
        pos_label = 1 if self.pos_label is None else self.pos_label
        if pos_label in known:
            return known.index(pos_label) == 0
        if self.pos_label is not None:
            raise ValueError(f"pos_label={pos_label!r} is none of the classes {known}.")
        if not alike:
            raise ValueError(
                f"pos_label=None stands for 1, which is none of the classes {known}. Name the "
                f"positive one in pos_label of {type(self).__name__}."
            )
        return False

    def _score_of(self, X, codes, weights, rows):
        """Accuracy on rows held out."""
        right = self._codes_of(self._decide(X[rows])) == codes[rows]
        return float(np.average(right, weights=None if weights is None else weights[rows]))

    def decision_function(self, X):
        """Signed distance to the boundary, times the length of the weights.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        scores : ndarray of shape (n_samples,) or (n_samples, n_classes)
            Two classes: positive for ``classes_[1]``. More: one column per class.

        Raises
        ------
        NotFittedError
            If nothing has been learnt yet.
        ValueError
            If the input is invalid, or a decision value is beyond the range of numbers.
        """
        scores = self._view()._decide(X)
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def predict(self, X):
        """Class of each row.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Labels out of ``classes_``.

        Raises
        ------
        NotFittedError
            If nothing has been learnt yet.
        ValueError
            If the input is invalid, or a decision value is beyond the range of numbers.
        """
        view = self._view()
        codes = self._codes_of(view._decide(X))
        return view.classes_[codes]

    def _codes_of(self, scores):
        if scores.shape[1] == 1:
            return (scores[:, 0] > 0).astype(np.intp)
        return scores.argmax(axis=1)
