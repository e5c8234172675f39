"""What models with a covariance of their weights have in common."""

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from .._base import check_rows, refuse_not_finite
from ._classifier import LinearClassifier


class SecondOrder(LinearClassifier):
    """A classifier that keeps a covariance of its weights."""

    @property
    def covariance_(self):
        """Variances, or covariances, of the weights; those of the intercepts come last."""
        check_is_fitted(self)
        arrays = self._state.arrays
        if self._state.method.covariance == "full":
            return arrays["covariance"]
        if not self._state.method.fit_intercept:
            return arrays["variances"]
        return np.column_stack([arrays["variances"], arrays["intercept_variances"]])

    def decision_variance(self, X):
        r"""How unsure the model is of its decisions: :math:`x^\top \Sigma x`.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)

        Returns
        -------
        variance : ndarray of shape (n_samples,) or (n_samples, n_classes)
            In the shape of :meth:`decision_function`.
        """
        check_is_fitted(self)
        X = check_rows(self, X, reset=False)
        state = self._state
        arrays, intercept = state.arrays, state.method.fit_intercept
        if state.method.covariance == "diag":
            squares = X.multiply(X).tocsr() if sparse.issparse(X) else X * X
            variances = squares @ arrays["variances"].T.astype(np.float64)
            if intercept:
                variances = variances + arrays["intercept_variances"]
        else:
            d = state.shape[1]
            variances = np.empty((X.shape[0], state.shape[0]))
            for c, S in enumerate(arrays["covariance"]):
                product = X @ S[:d, :d]
                if sparse.issparse(X):
                    variances[:, c] = X.multiply(product).sum(axis=1).ravel()
                else:
                    variances[:, c] = np.einsum("ij,ij->i", X, product)
                if intercept:
                    variances[:, c] += 2.0 * (X @ S[:d, d]) + S[d, d]
        refuse_not_finite(variances, f"beyond the range of {variances.dtype}")
        return variances[:, 0] if variances.shape[1] == 1 else variances
