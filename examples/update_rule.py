"""An online linear classifier whose update rule is a function in Python.

Samples, intercept, weights and classes are treated as by the compiled linear models of
``sklearn_online_svm``; ``doc/extending.rst`` shows how to use it.
"""

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_consistent_length, check_random_state, column_or_1d
from sklearn.utils.multiclass import unique_labels
from sklearn.utils.validation import check_is_fitted, validate_data


class UpdateRuleClassifier(ClassifierMixin, BaseEstimator):
    """Linear classifier with one update per sample; several classes are one-vs-rest problems.

    Parameters
    ----------
    rule : callable
        ``rule(margin, curvature, C)`` returns the scalars a and b of the update

            w <- w + a y S x,    S <- S - b S x x'S.

        The margin is y w.x, where y is -1 or 1, and the curvature is x'S x.
    C : float, default=1.0
        Parameter of the rule, which gets its product with the sample weight.
    covariance : {"diag", "full"}, default=None
        The covariance S, which starts as the identity. "diag" keeps only its diagonal. If None,
        S is always the identity, and b is not used.
    intercept_scaling : float, default=1.0
        Value of the constant feature whose weight is the intercept; 0: no intercept.
    max_iter : int, default=1
        Number of epochs of ``fit``, each in a new random order.
    random_state : int, RandomState instance or None, default=None
        Controls the order of the samples in ``fit``.
    """

    def __init__(
        self,
        rule,
        *,
        C=1.0,
        covariance=None,
        intercept_scaling=1.0,
        max_iter=1,
        random_state=None,
    ):
        self.rule = rule
        self.C = C
        self.covariance = covariance
        self.intercept_scaling = intercept_scaling
        self.max_iter = max_iter
        self.random_state = random_state

    def fit(self, X, y, sample_weight=None):
        """Reset the model and run ``max_iter`` epochs."""
        X, y, weights = self._validated(X, y, sample_weight, reset=True)
        self._reset(unique_labels(y))
        random = check_random_state(self.random_state)
        for _ in range(self.max_iter):
            self._run(X, y, weights, random.permutation(len(y)))
        self.n_iter_ = self.max_iter
        return self

    def partial_fit(self, X, y, classes=None, sample_weight=None):
        """Update the model with each sample, in the given order."""
        is_first = not hasattr(self, "classes_")
        X, y, weights = self._validated(X, y, sample_weight, reset=is_first)
        if is_first:
            self._reset(np.unique(classes))
        if not np.isin(y, self.classes_).all():
            raise ValueError("y has a class that is not in classes_.")
        self._run(X, y, weights, range(len(y)))
        return self

    def decision_function(self, X):
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False)
        scores = X @ self.coef_.T + self.intercept_
        return scores[:, 0] if len(self.coef_) == 1 else scores

    def predict(self, X):
        scores = self.decision_function(X)
        codes = (scores > 0).astype(int) if scores.ndim == 1 else scores.argmax(axis=1)
        return self.classes_[codes]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _validated(self, X, y, sample_weight, reset):
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=np.float64, reset=reset)
        weights = np.ones(len(y)) if sample_weight is None else column_or_1d(sample_weight)
        check_consistent_length(X, weights)
        return X, y, weights

    def _reset(self, classes):
        if len(classes) < 2:
            raise ValueError("Got one class. Pass all classes to the first call of partial_fit.")
        self.classes_, self.n_updates_ = classes, 0
        self._positive = classes[1:] if len(classes) == 2 else classes
        self._weights = np.zeros((len(self._positive), self.n_features_in_ + 1))
        self.covariance_ = None
        if self.covariance == "diag":
            self.covariance_ = np.ones_like(self._weights)
        elif self.covariance == "full":
            self.covariance_ = np.stack([np.eye(self.n_features_in_ + 1)] * len(self._positive))

    def _run(self, X, y, weights, order):
        constant = np.full((len(y), 1), self.intercept_scaling)
        X = sparse.hstack([sparse.csr_matrix(X), sparse.csr_matrix(constant)], format="csr")
        X.sum_duplicates()
        for i in order:
            if weights[i] == 0:
                continue
            nonzero = slice(X.indptr[i], X.indptr[i + 1])
            features, x = X.indices[nonzero], X.data[nonzero]
            if self.covariance == "full":
                features, x = slice(None), X[i : i + 1].toarray()[0]
            is_update = False
            for k, label in enumerate(self._positive):
                sign = 1.0 if y[i] == label else -1.0
                is_update |= self._update(k, features, x, sign, self.C * weights[i])
            self.n_updates_ += is_update
        self.coef_ = self._weights[:, :-1].copy()
        self.intercept_ = self.intercept_scaling * self._weights[:, -1]

    def _update(self, k, features, x, y, C):
        """Update problem k with a sample; return whether its weights have changed."""
        w, Sx = self._weights[k], x
        if self.covariance == "diag":
            Sx = self.covariance_[k, features] * x
        elif self.covariance == "full":
            Sx = self.covariance_[k] @ x
        curvature = Sx @ x
        if not curvature > 0:
            return False
        a, b = self.rule(y * (w[features] @ x), curvature, C)
        w[features] += a * y * Sx
        if self.covariance == "diag":
            self.covariance_[k, features] -= b * Sx**2
        elif self.covariance == "full":
            self.covariance_[k] -= b * np.outer(Sx, Sx)
        return a != 0
