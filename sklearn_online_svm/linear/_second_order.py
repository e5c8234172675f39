"""Base class of the classifiers with a covariance of the weights."""

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from .._sklearn_compat import StrOptions
from .._validation import check_finite_output, check_samples
from ._classifier import LinearClassifier


class SecondOrder(LinearClassifier):
    """Base class of classifiers that keep a covariance of their weights."""

    _parameter_constraints: dict = {
        **LinearClassifier._parameter_constraints,
        "covariance": [StrOptions({"diag", "full"})],
    }
    _fixed_params = ("fit_intercept", "covariance")

    @property
    def covariance_(self):
        """Variances or covariance matrices of the weights; the intercept comes last."""
        view = self._view()
        check_is_fitted(view)
        covariance, *intercept_variances = view._state.covariance(self._guard)
        if covariance.ndim == 3 or not view._state.update_spec.fit_intercept:
            return covariance
        return np.column_stack([covariance, *intercept_variances])

    def decision_variance(self, X):
        r"""Compute the variance of the decision function, :math:`x^\top \Sigma x`.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The samples.

        Returns
        -------
        variance : ndarray of shape (n_samples,) or (n_samples, n_classes)
            Variances, in the shape of :meth:`decision_function`.

        Raises
        ------
        NotFittedError
            If the model is not fitted.
        ValueError
            If the input is invalid, or a variance overflows.
        """
        view = self._view()
        check_is_fitted(view)
        X = check_samples(view, X, reset=False)
        intercept = view._state.update_spec.fit_intercept
        return _variances(X, intercept, *view._state.covariance(self._guard))


def _variances(X, intercept, covariance, intercept_variances=None):
    if covariance.ndim == 2:
        squares = X.multiply(X).tocsr() if sparse.issparse(X) else X * X
        variances = squares @ covariance.T.astype(np.float64)
        if intercept:
            variances = variances + intercept_variances
    else:
        d = X.shape[1]
        variances = np.empty((X.shape[0], len(covariance)))
        for c, S in enumerate(covariance):
            product = X @ S[:d, :d]
            if sparse.issparse(X):
                variances[:, c] = X.multiply(product).sum(axis=1).ravel()
            else:
                variances[:, c] = np.einsum("ij,ij->i", X, product)
            if intercept:
                variances[:, c] += 2.0 * (X @ S[:d, d]) + S[d, d]
    check_finite_output(variances, f"beyond the range of {variances.dtype}")
    return variances[:, 0] if variances.shape[1] == 1 else variances
