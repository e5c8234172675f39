"""CellRegressor: regressor with one model per cell."""

from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_is_fitted

from .._sklearn_compat import HasMethods, available_if
from .._validation import check_samples
from ..kernel import LASVR
from ._cells import _CellEstimator, _fit, _has_partial_fit, _train, with_cell_docs


@with_cell_docs
class CellRegressor(RegressorMixin, _CellEstimator):
    r"""Regressor that divides the feature space into cells and fits a model in each.

    Training and predictions are as in :class:`CellClassifier`. Read more in the :ref:`user guide
    <cells>`.

    Parameters
    ----------
    estimator : regressor, default=None
        The model of a cell; each cell has a clone. None: :class:`~sklearn_online_svm.LASVR`.
    cell_size : int, default=4000
        Largest number of training samples of a cell. More samples per cell are more accurate and
        take more time.
    overlap : float, default=0.2
        Share of the samples, those closest to a cut, that both sides are trained on. Between the
        two sides predictions change gradually. 0: none, and predictions jump from cell to cell.
    $seeds_and_threads

    Attributes
    ----------
    estimators_ : list of estimators
        Fitted model of each cell.
    $cells

    See Also
    --------
    CellClassifier : The same for classification.
    sklearn_online_svm.LASVR : One model for all samples.

    Notes
    -----
    $warning

    Examples
    --------
    >>> from sklearn.datasets import make_friedman1
    >>> from sklearn_online_svm import LASVR
    >>> from sklearn_online_svm.cells import CellRegressor
    >>> X, y = make_friedman1(6000, noise=1.0, random_state=0)
    >>> model = CellRegressor(LASVR(C=10, epsilon=0.5), cell_size=2000, random_state=0)
    >>> model.fit(X[:5000], y[:5000]).n_cells_
    4
    >>> bool(model.score(X[5000:], y[5000:]) > 0.9)
    True
    """

    _parameter_constraints: dict = {
        "estimator": [HasMethods(["fit", "predict"]), None],
        **_CellEstimator._parameter_constraints,
    }

    _default = LASVR

    def fit(self, X, y, sample_weight=None, **params):
        """Divide the samples into cells and fit a model in each.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Training samples.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Target values.
        $passed_weights
        $fit_alias

        $fitted_self

        Raises
        ------
        ValueError
            If the input is invalid.
        """
        return self._fit_checked(X, y, sample_weight, params)

    def _validated(self, X, y, reset):
        return check_samples(self, X, y, reset=reset, multi_output=True)

    def _fit_part(self, X, y, weights):
        self.n_features_in_, self._output_shape = X.shape[1], y.shape[1:]
        return self._fit_cells(X, y, weights, _fit)

    @available_if(_has_partial_fit)
    def partial_fit(self, X, y, sample_weight=None, **params):
        """Train on a chunk of samples, in the given order.

        As :meth:`CellClassifier.partial_fit`.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Training samples.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Target values.
        $passed_weights
        $partial_fit_alias

        $fitted_self

        Raises
        ------
        ValueError
            If the input is invalid; the model is then unchanged.
        """
        return self._partial_fit_cells(X, y, None, sample_weight, params)

    def _check_chunk(self, X, y, classes, first):
        X, y = self._validated(X, y, reset=first)
        if first:
            self._output_shape = y.shape[1:]
        elif y.shape[1:] != self._output_shape:
            raise ValueError(
                f"y has the shape {y.shape}; the targets of the samples before had the shape "
                f"{('n_samples', *self._output_shape)}."
            )
        return X, y

    def _prepared(self, model):
        """Return a model that ``_train`` accepts."""
        return model

    def _train(self, model, X, y, weights, classes):
        return _train(model, X, y, weights)

    def predict(self, X):
        """Predict target values.

        $samples

        Returns
        -------
        values : ndarray of shape (n_samples,) or (n_samples, n_outputs)
            Weighted mean of the predictions of the cells.

        $errors
        """
        check_is_fitted(self)
        return self._blended(X, self._output_shape, lambda model, X: model.predict(X))
