"""CellClassifier: classifier with one model per cell."""

from functools import partial

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from .._class_codes import class_order_after, class_order_among
from .._estimator import ignore_class_order, with_classes
from .._pairs import PairValues, among_more_classes, compares_pairs, pair_values
from .._sklearn_compat import HasMethods, available_if
from .._validation import (
    check_labels,
    check_samples,
    classes_of_stream,
    encode_labels,
    require_two_classes,
)
from ..kernel import LASVC
from ._cells import (
    _CellEstimator,
    _fit_classifier,
    _has_partial_fit,
    _SingleClass,
    _train,
    with_cell_docs,
)


def _replays(estimator):
    """Return whether there is an LASVC with replay; in cells, other models replay too little."""
    parts = (estimator, *estimator.get_params().values())
    return any(isinstance(part, LASVC) and part._plan().replay_size for part in parts)


@with_cell_docs
class CellClassifier(ClassifierMixin, _CellEstimator):
    r"""Classifier that divides the feature space into cells and fits a model in each.

    The training time of a kernel support vector machine grows faster than the number of samples,
    and its prediction time is proportional to the number of support vectors. Because the size of a
    cell is bounded, training time is proportional to the number of samples, up to a logarithmic
    factor for dividing them, and a prediction uses the models of one or a few cells only.

    Read more in the :ref:`user guide <cells>`.

    Parameters
    ----------
    estimator : classifier with ``decision_function``, default=None
        The model of a cell; each cell has a clone. None: :class:`~sklearn_online_svm.LASVC`. With
        a search, such as :class:`~sklearn_online_svm.model_selection.ProgressiveSearch`, each cell
        has parameters of its own.
    cell_size : int, default=4000
        Maximum number of training samples of a cell. Larger cells give a more accurate model and
        take more time. Cells of equal samples, and cells of ``fit`` that ``partial_fit``
        continues, can have more.
    overlap : float, default=0.2
        Fraction of the samples of a node, those closest to its cut, on which the models of both
        sides are trained. Between the two sides predictions change gradually. The fraction is
        smaller for larger nodes; see Notes. With 0, cells do not overlap.
    $seeds_and_threads

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    estimators_ : list of estimators
        Fitted model of each cell. A cell whose samples all have the same class has a constant
        predictor instead, with the attribute ``classes_`` but without parameters.
    $cells

    See Also
    --------
    CellRegressor : The same for regression.
    sklearn_online_svm.LASVC : One model for all samples.
    sklearn.kernel_approximation.Nystroem : Approximate feature map, for a linear model.

    Notes
    -----
    **Partition.** A node of more than ``cell_size`` samples is divided at the median of the
    projections of its samples to their first principal direction. Cells are therefore compact, and
    all have about the same size. The share s = overlap (cell_size / n)^(1/4) of the n samples of a
    node, those between the quantiles (1 - s) / 2 and (1 + s) / 2, belongs to both sides; the
    weights of the two predictions change linearly between them. With the default overlap, all
    cells have at most 3.4 times as many samples together as there are. The scale of the features
    matters, as for the kernel.

    **Predictions.** ``decision_function`` is the weighted mean of the values of the cells. A class
    without samples in a cell has the value -1 there, and the only class of a cell has the value 1,
    as for samples on the margin of a support vector machine. With one-vs-one models, the default
    of ``LASVC``, it is the mean value of each pair of classes, from which a column for each class
    is computed as with ``decision_function_shape="ovr"``.

    $warning

    Examples
    --------
    >>> from sklearn_online_svm import LASVC
    >>> from sklearn_online_svm.datasets import make_banana_like
    >>> from sklearn_online_svm.cells import CellClassifier
    >>> X, y = make_banana_like(6000, random_state=0)
    >>> model = CellClassifier(LASVC(random_state=0), cell_size=1000, random_state=0)
    >>> model.fit(X[:5000], y[:5000]).n_cells_
    8
    >>> bool(model.score(X[5000:], y[5000:]) > 0.85)
    True
    """

    _parameter_constraints: dict = {
        "estimator": [HasMethods(["fit", "decision_function"]), None],
        **_CellEstimator._parameter_constraints,
    }

    _default = LASVC

    def fit(self, X, y, sample_weight=None, **params):
        """Divide the samples into cells and fit a model in each.

        $labeled_samples
        $passed_weights
        $fit_alias

        $fitted_self

        Raises
        ------
        ValueError
            If the input is invalid or has a single class.

        Warns
        -----
        UserWarning
            If cells are probably less accurate than one model.
        """
        return self._fit_checked(X, y, sample_weight, params)

    def _validated(self, X, y, reset):
        X, y = check_samples(self, X, y, reset=reset)
        check_labels(y)
        return X, y

    def _fit_part(self, X, y, weights):
        self.n_features_in_, self.classes_ = X.shape[1], np.unique(y)
        require_two_classes(len(self.classes_), ".")
        fit = partial(_fit_classifier, classes=self.classes_)
        return self._fit_cells(X, y, weights, fit)

    @available_if(_has_partial_fit)
    def partial_fit(self, X, y, classes=None, sample_weight=None, **params):
        """Train on a chunk of samples, in the given order.

        Needs an estimator with ``partial_fit``. Also continues a model trained with :meth:`fit`.

        $labeled_samples
        classes : array-like of shape (n_classes,), default=None
            All classes of the stream. Must be provided at the first call to partial_fit and can be
            omitted in subsequent calls, and after :meth:`fit`. A later call with additional
            classes adds them to the models of the cells that get samples, which must be
            estimators of this package; see :ref:`new_classes`.
        $passed_weights
        $partial_fit_alias

        $fitted_self

        Raises
        ------
        ValueError
            If the input is invalid; the model is then unchanged.

        Notes
        -----
        A cell of more than ``cell_size`` samples is divided in two. The models of both sides are
        new clones of ``estimator``, trained on the samples of their side; all samples are stored
        for this purpose. The cells of :meth:`fit` have no stored samples: such a cell is divided
        after ``cell_size`` more samples, and both models continue from copies of the one that
        :meth:`fit` has trained.

        Ctrl-C takes effect after at most ``cell_size`` samples. The model has then been trained on
        ``n_samples_seen_`` samples, and can be used and trained further.
        """
        return self._partial_fit_cells(X, y, classes, sample_weight, params)

    def _check_chunk(self, X, y, classes, first):
        known = None if first else self.classes_
        classes = classes_of_stream(classes, known, extendable=True)
        if not first and len(classes) > len(known):
            with_classes(self._base_estimator(), classes)  # raises an error if it cannot add them
        X, y = self._validated(X, y, reset=first)
        codes = encode_labels(y, classes, extendable=True)
        order = vars(self).get("_class_order")
        if _replays(self._base_estimator()):
            order = np.empty(0, dtype=np.int64)  # do not warn
        if not first and len(classes) > len(known):
            order = class_order_among(order, np.searchsorted(classes, known), len(classes))
        self._class_order = class_order_after(type(self).__name__, len(classes), order, codes)
        self.classes_ = classes
        return X, y

    def _prepared(self, model):
        if isinstance(model, _SingleClass):
            return model.started(self.classes_)
        if not np.array_equal(getattr(model, "classes_", self.classes_), self.classes_):
            return with_classes(model, self.classes_)
        return model

    def _train(self, model, X, y, weights, classes):
        ignore_class_order(model)  # the samples of all cells are watched
        return _train(model, X, y, weights, classes=classes)

    def decision_function(self, X):
        """Compute the decision function.

        $samples

        Returns
        -------
        decision : ndarray of shape (n_samples,) or (n_samples, n_classes)
            For two classes, positive values mean ``classes_[1]``; otherwise one column per class.

        $errors
        """
        check_is_fitted(self)
        if len(self.classes_) == 2:
            return self._blended(X, (), self._decision_of_two)
        if self._is_one_vs_one:
            return self._pair_values(X).of_classes()
        return self._blended(X, (len(self.classes_),), self._decision_by_class)

    @property
    def _is_one_vs_one(self):
        """Whether the models of cells compare pairs of classes."""
        models = self._view().__dict__.get("estimators_", ())
        return any(compares_pairs(model) for model in models)

    def _pair_values(self, X):
        """Return the weighted mean of the values of pairs."""
        n = len(self.classes_)
        values = self._blended(X, (n * (n - 1) // 2,), self._pairs_of_cell)
        return PairValues(values, n, break_ties=True)

    def _pairs_of_cell(self, model, X):
        n, pairs = len(model.classes_), pair_values(model, X)
        if pairs is not None:
            values = pairs.values
        elif n == 1:
            values = np.zeros((X.shape[0], 0))
        elif n == 2:
            values = -model.decision_function(X)[:, np.newaxis]
        else:  # a search has chosen one-vs-rest
            first, second = np.triu_indices(n, 1)
            scores = model.decision_function(X)
            values = 0.5 * (scores[:, first] - scores[:, second])
        places = np.searchsorted(self.classes_, model.classes_)
        return among_more_classes(values, places, len(self.classes_))

    def _decision_of_two(self, model, X):
        values = model.decision_function(X)
        return values if model.classes_[-1] == self.classes_[1] else -values

    def _decision_by_class(self, model, X):
        values = model.decision_function(X)
        if len(model.classes_) == 2:
            values = np.column_stack([-values, values])
        return self._among_all_classes(model, values, -1.0)

    def _among_all_classes(self, model, values, absent):
        """Return columns of the classes of a cell among those of all classes."""
        columns = np.searchsorted(self.classes_, model.classes_)
        found = np.full((len(values), len(self.classes_)), absent)
        found[:, columns] = values.reshape(len(values), -1)
        return found

    def predict(self, X):
        """Predict class labels.

        $samples

        Returns
        -------
        labels : ndarray of shape (n_samples,)
            Predicted labels.

        $errors
        """
        decision = self.decision_function(X)
        codes = decision.argmax(axis=1) if decision.ndim > 1 else (decision > 0).astype(np.intp)
        return self.classes_[codes]

    @available_if(lambda self: bool(self._base_estimator().predict_proba))
    def predict_proba(self, X):
        """Predict class probabilities; needs an estimator with ``predict_proba``.

        $samples

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes)
            Weighted mean of the probabilities of the cells. A class without samples in a cell has
            the probability 0 there.

        $errors
        """
        check_is_fitted(self)
        return self._blended(
            X,
            (len(self.classes_),),
            lambda model, X: self._among_all_classes(model, model.predict_proba(X), 0.0),
        )
