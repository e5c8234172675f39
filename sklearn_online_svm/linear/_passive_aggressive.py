"""Passive-aggressive classification and regression."""

from numbers import Real

import numpy as np
from scipy import sparse
from sklearn.base import RegressorMixin
from sklearn.metrics import r2_score
from sklearn.model_selection import ShuffleSplit
from sklearn.utils._param_validation import Interval, StrOptions

from .._base import check_rows, check_weights
from ._classifier import LinearClassifier
from ._learner import AVERAGE, LinearLearner, average_from, canonical
from ._state import Method


class PassiveAggressiveClassifier(LinearClassifier):
    """TODO"""

    _parameter_constraints: dict = {
        **LinearClassifier._parameter_constraints,
        "C": [Interval(Real, 0.0, None, closed="neither")],
        "loss": [StrOptions({"hinge", "squared_hinge"})],
        "average": AVERAGE,
        "multi_class": [StrOptions({"ovr", "crammer_singer"})],
    }
    _fixed = ("fit_intercept", "average", "multi_class")
    _tunable = ("C", "loss")

    def __init__(
        self,
        *,
        C=1.0,
        loss="hinge",
        average=False,
        multi_class="ovr",
        fit_intercept=True,
        max_iter=1000,
        tol=1e-3,
        early_stopping=False,
        validation_fraction=0.1,
        n_iter_no_change=5,
        shuffle=True,
        verbose=0,
        n_jobs=None,
        random_state=None,
        warm_start=False,
        class_weight=None,
    ):
        super().__init__(
            fit_intercept=fit_intercept,
            max_iter=max_iter,
            tol=tol,
            early_stopping=early_stopping,
            validation_fraction=validation_fraction,
            n_iter_no_change=n_iter_no_change,
            shuffle=shuffle,
            verbose=verbose,
            n_jobs=n_jobs,
            random_state=random_state,
            warm_start=warm_start,
            class_weight=class_weight,
        )
        self.C = C
        self.loss = loss
        self.average = average
        self.multi_class = multi_class

    def _method(self):
        return Method(
            rule={"name": self.loss, "C": float(self.C)},
            fit_intercept=bool(self.fit_intercept),
            crammer_singer=self.multi_class == "crammer_singer",
            average_from=average_from(self.average),
        )


class PassiveAggressiveRegressor(RegressorMixin, LinearLearner):
    """TODO"""

    _parameter_constraints: dict = {
        **LinearLearner._parameter_constraints,
        "C": [Interval(Real, 0.0, None, closed="neither")],
        "loss": [StrOptions({"epsilon_insensitive", "squared_epsilon_insensitive"})],
        "epsilon": [Interval(Real, 0.0, None, closed="left")],
        "average": AVERAGE,
    }
    _fixed = ("fit_intercept", "average")
    _tunable = ("C", "loss", "epsilon")
    _splitter = ShuffleSplit

    def __init__(
        self,
        *,
        C=1.0,
        loss="epsilon_insensitive",
        epsilon=0.1,
        average=False,
        fit_intercept=True,
        max_iter=1000,
        tol=1e-3,
        early_stopping=False,
        validation_fraction=0.1,
        n_iter_no_change=5,
        shuffle=True,
        verbose=0,
        random_state=None,
        warm_start=False,
    ):
        self.C = C
        self.loss = loss
        self.epsilon = epsilon
        self.average = average
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.shuffle = shuffle
        self.verbose = verbose
        self.random_state = random_state
        self.warm_start = warm_start

    def fit(self, X, y, sample_weight=None, *, coef_init=None, intercept_init=None):
        """Forget what was learnt, and learn in up to ``max_iter`` passes.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows; float32 and float64 are learnt from as they are.
        y : array-like of shape (n_samples,)
            Targets.
        sample_weight : array-like of shape (n_samples,), default=None
            Factors of C per row. Rows of weight 0 are passed over.
        coef_init : array-like of shape (n_features,), default=None
            Weights to start from.
        intercept_init : float or array-like of shape (1,), default=None
            Intercept to start from.

        Returns
        -------
        self : object

        Raises
        ------
        ValueError
            If the input is invalid. The model is then what it was before.
        """
        self._validate_params()
        return self._fit_or_restore(X, y, sample_weight, coef_init, intercept_init)

    def partial_fit(self, X, y, sample_weight=None):
        """Learn from new rows, one after the other; learning goes on where it stopped.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows, in the order of the stream.
        y : array-like of shape (n_samples,)
            Targets.
        sample_weight : array-like of shape (n_samples,), default=None
            Factors of C per row. Rows of weight 0 are passed over.

        Returns
        -------
        self : object

        Raises
        ------
        ValueError
            If the input is invalid. What has been learnt stays as it was.
        """
        before = self.__dict__.copy()
        first = "_state" not in before
        try:
            if first:
                self._validate_params()
            dtype = None if first else self._state.dtype
            X, y = check_rows(self, X, y, reset=first, deep=False, dtype=dtype)
            X = canonical(X)
            weights = None
            if sample_weight is not None:
                weights = check_weights(sample_weight, X, allow_all_zero=True)
            self.n_iter_ = 1
            self._continue(X)
            self._learn_chunk(X, self._read_targets(y, weights), weights)
        except Exception:
            self.__dict__.clear()
            self.__dict__.update(before)
            raise
        return self

    def predict(self, X):
        """Target of each row.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)

        Returns
        -------
        y : ndarray of shape (n_samples,)
        """
        return self._decide(X)[:, 0]

    @property
    def coef_(self):
        """Weights of the features."""
        coef = super().coef_
        return coef if sparse.issparse(coef) else coef[0]

    @coef_.setter
    def coef_(self, values):
        LinearLearner.coef_.fset(self, values)

    def _method(self):
        return Method(
            rule={
                "name": self.loss.replace("epsilon_", ""),
                "C": float(self.C),
                "epsilon": float(self.epsilon),
            },
            fit_intercept=bool(self.fit_intercept),
            average_from=average_from(self.average),
        )

    def _read_targets(self, y, weights):
        return np.ascontiguousarray(y, dtype=np.float64)

    def _row_weights(self, targets, weights):
        return weights

    def _n_problems(self):
        return 1

    def _score_of(self, X, targets, weights, rows):
        """R2 on rows held out."""
        of_rows = None if weights is None else weights[rows]
        return r2_score(targets[rows], self._decide(X[rows])[:, 0], sample_weight=of_rows)
