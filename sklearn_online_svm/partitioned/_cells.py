"""One model per cell of a partition of the feature space."""

import copy
from numbers import Integral, Real

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, RegressorMixin, clone
from sklearn.utils import check_random_state, get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from .._base import (
    check_labels,
    check_samples,
    check_weights,
    classes_of_stream,
    encode_labels,
    thread_pool,
)
from .._estimator_base import with_classes
from .._sklearn_compat import HasMethods, Interval
from ..kernel import LASVC, LASVR
from ._stream import CellStream, postponed_interrupts
from ._tree import CellTree

# Most samples that are kept of a cell whose samples have the same class, for partial_fit.
_N_KEPT = 200


class _SingleClass:
    """Model of a cell whose samples have the same class.

    A few samples are kept for ``partial_fit``, which trains the estimator on them first.
    """

    def __init__(self, label, estimator, X, weights):
        self.classes_ = np.array([label])
        some = slice(None, None, -(-X.shape[0] // _N_KEPT))
        self._estimator, self._X = estimator, X[some].copy()
        self._weights = None if weights is None else weights[some].copy()

    def decision_function(self, X):
        return np.ones(X.shape[0])

    def predict_proba(self, X):
        return np.ones((X.shape[0], 1))

    def started(self, classes):
        """Return a model of all classes that is trained on the samples kept."""
        y = np.repeat(self.classes_, self._X.shape[0])
        return _train(clone(self._estimator), self._X, y, self._weights, classes=classes)


def _fit_classifier(estimator, X, y, weights):
    weighted = slice(None) if weights is None else weights > 0.0
    present = np.unique(y[weighted])
    if len(present) > 1:
        return _fit(estimator, X, y, weights)
    return _SingleClass(
        present[0], estimator, X[weighted], None if weights is None else weights[weighted]
    )


def _fit(estimator, X, y, weights):
    return estimator.fit(X, y) if weights is None else estimator.fit(X, y, sample_weight=weights)


def _train(estimator, X, y, weights, **options):
    if weights is not None:
        options["sample_weight"] = weights
    return estimator.partial_fit(X, y, **options)


def _seeded(estimator, random):
    """Return the estimator with a seed for each ``random_state`` that is None."""
    unseeded = sorted(
        name
        for name, value in estimator.get_params().items()
        if name.endswith("random_state") and value is None
    )
    return estimator.set_params(**{name: random.randint(2**31 - 1) for name in unseeded})


def _has_partial_fit(model):
    return hasattr(model._base_estimator(), "partial_fit")


class _CellEstimator(MetaEstimatorMixin, BaseEstimator):
    """Base class: the tree, training by cells, and blended predictions."""

    _parameter_constraints: dict = {
        "cell_size": [Interval(Integral, 2, None, closed="left")],
        "overlap": [Interval(Real, 0, 0.5, closed="both")],
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
    }

    def __init__(
        self, estimator=None, *, cell_size=4000, overlap=0.2, n_jobs=None, random_state=None
    ):
        self.estimator = estimator
        self.cell_size = cell_size
        self.overlap = overlap
        self.n_jobs = n_jobs
        self.random_state = random_state

    @property
    def n_cells_(self):
        """Number of cells."""
        return len(self.estimators_)

    def _base_estimator(self):
        return self._default() if self.estimator is None else self.estimator

    def _fit_cells(self, X, y, weights, fit):
        random = check_random_state(self.random_state)
        tree, cells = CellTree.grow(X, self.cell_size, self.overlap, random)
        self.estimators_ = Parallel(n_jobs=self.n_jobs, prefer="threads")(
            delayed(fit)(
                self._new_model(random),
                X[rows],
                y[rows],
                None if weights is None else weights[rows],
            )
            for rows in cells
        )
        self.tree_ = tree
        self.cell_sizes_ = np.array([len(rows) for rows in cells])
        for name in ("_stream", "n_samples_seen_"):
            self.__dict__.pop(name, None)
        return self

    def _partial_fit_cells(self, X, y, classes, sample_weight):
        """Train on a chunk; an error before the first trained sample changes nothing."""
        self._validate_params()
        before = self.__dict__.copy()
        try:
            X, y = self._check_chunk(X, y, classes, first=not hasattr(self, "tree_"))
            weights = None
            if sample_weight is not None:
                weights = check_weights(sample_weight, X, allow_all_zero=True)
            self._train_on_chunk(X, y, weights)
        except BaseException:
            if self.__dict__.get("n_samples_seen_") == before.get("n_samples_seen_"):
                self.__dict__ = before
            raise
        return self

    def _train_on_chunk(self, X, y, weights):
        n, first = X.shape[0], 0
        stream = self.__dict__.get("_stream") or self._new_stream(X.shape[1])
        n_seen = self.__dict__.get("n_samples_seen_", 0)
        with thread_pool(self.n_jobs, n) as threads:
            run = map if threads is None else threads.map
            while first < n:
                # A cell is divided a few times per piece; the rest of the piece is then assigned
                # to cells again.
                piece = slice(first, first + self.cell_size)
                part = X[piece], y[piece], None if weights is None else weights[piece]
                with postponed_interrupts():
                    first += stream.learn(*part, self, run)
                    self._stream, self.tree_, self.estimators_ = stream, stream.tree, stream.models
                    self.cell_sizes_, self.n_samples_seen_ = stream.sizes, n_seen + first

    def _new_stream(self, n_features):
        """Return the stream that begins with the cells of ``fit``, or with a single one."""
        random = check_random_state(self.random_state)
        if hasattr(self, "tree_"):
            tree, models = copy.deepcopy(self.tree_), list(self.estimators_)
            return CellStream(tree, models, self.cell_sizes_.copy(), random)
        tree = CellTree.single(n_features)
        return CellStream(tree, [self._new_model(random)], np.zeros(1, dtype=np.int64), random)

    # Models of cells.

    def _new_model(self, random):
        return _seeded(clone(self._base_estimator()), random)

    def _prepared(self, model):
        """Return a model that ``_train`` accepts."""
        return model

    def _train(self, model, X, y, weights):
        return _train(model, X, y, weights)

    def _blended(self, X, shape, values_of):
        """Return ``values_of(model, samples)``, averaged over the cells of each sample."""
        X = check_samples(self, X, reset=False)
        values = np.zeros((X.shape[0], *shape))
        for cell, rows, weights in self.tree_.parts(X):
            found = values_of(self.estimators_[cell], X[rows])
            values[rows] += weights.reshape(-1, *[1] * len(shape)) * found
        return values

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        base = get_tags(self._base_estimator())
        tags.input_tags.sparse = base.input_tags.sparse
        tags.target_tags.multi_output = base.target_tags.multi_output
        return tags


def _has_probabilities(model):
    return hasattr(model._base_estimator(), "predict_proba")


class CellClassifier(ClassifierMixin, _CellEstimator):
    r"""Classifier that divides the feature space into cells and fits a model in each.

    The training time of a kernel support vector machine grows faster than the number of samples,
    and the time of a prediction with the number of support vectors. With cells of bounded size the
    time of training is proportional to the number of samples, up to the logarithm for dividing
    them, and that of a prediction is the time of one cell or of a few.

    Read more in the :ref:`user guide <cells>`.

    Parameters
    ----------
    estimator : classifier with ``decision_function``, default=None
        The model of a cell; each cell has a clone. None: :class:`~sklearn_online_svm.LASVC`. With
        a search, such as :class:`~sklearn_online_svm.model_selection.ProgressiveSearch`, each cell
        has parameters of its own.
    cell_size : int, default=4000
        Largest number of training samples of a cell. More samples per cell are more accurate and
        take more time.
    overlap : float, default=0.2
        Share of the samples, those closest to a cut, that both sides are trained on. Between the
        two sides predictions change gradually. 0: none.
    n_jobs : int, default=None
        Number of threads that fit cells. None means 1 unless in a ``joblib.parallel_config``
        context, -1 all cores.
    random_state : int, RandomState instance or None, default=None
        Seed of the samples from which the cuts are computed, and of each model whose
        ``random_state`` is None.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    estimators_ : list of estimators
        Fitted model of each cell. In a cell whose samples have the same class, it is an object
        with the attribute ``classes_`` only.
    cell_sizes_ : ndarray of shape (n_cells,)
        Number of training samples of each cell.
    n_cells_ : int
        Number of cells.
    tree_ : CellTree
        The partition.
    n_samples_seen_ : int
        Number of samples of all calls of ``partial_fit``. Defined only after such a call.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the features seen during fit. Defined only when X has string column names.

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
    as for samples on the margin of a support vector machine.

    References
    ----------
    .. [1] P. Thomann, I. Steinwart, I. Blaschzyk, M. Meister: Spatial decompositions for large
       scale SVMs. AISTATS 2017.

    Examples
    --------
    >>> from sklearn_online_svm import LASVC
    >>> from sklearn_online_svm.datasets import make_banana_like
    >>> from sklearn_online_svm.partitioned import CellClassifier
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

    def fit(self, X, y, sample_weight=None):
        """Divide the samples into cells and fit a model in each.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Training samples.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Per-sample weights, passed to the models of the cells.

        Returns
        -------
        self : object
            Fitted estimator.

        Raises
        ------
        ValueError
            If the input is invalid or has a single class.
        """
        self._validate_params()
        X, y = check_samples(self, X, y, reset=True)
        check_labels(y)
        weights = None
        if sample_weight is not None:
            weights = check_weights(sample_weight, X, allow_all_zero=False)
        classes = np.unique(y)
        if len(classes) < 2:
            raise ValueError("The number of classes has to be greater than one; got 1 class.")
        self.classes_ = classes
        return self._fit_cells(X, y, weights, _fit_classifier)

    @available_if(_has_partial_fit)
    def partial_fit(self, X, y, classes=None, sample_weight=None):
        """Train on a chunk of samples, in the given order.

        Needs an estimator with ``partial_fit``. Also continues a model trained with :meth:`fit`.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Training samples.
        y : array-like of shape (n_samples,)
            Class labels.
        classes : array-like of shape (n_classes,), default=None
            All classes of the stream. Must be provided at the first call to partial_fit and can be
            omitted in subsequent calls, and after :meth:`fit`.
        sample_weight : array-like of shape (n_samples,), default=None
            Per-sample weights, passed to the models of the cells.

        Returns
        -------
        self : object
            The updated estimator.

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
        return self._partial_fit_cells(X, y, classes, sample_weight)

    def _check_chunk(self, X, y, classes, first):
        classes = classes_of_stream(classes, None if first else self.classes_)
        X, y = check_samples(self, X, y, reset=first)
        check_labels(y)
        encode_labels(y, classes)
        self.classes_ = classes
        return X, y

    def _prepared(self, model):
        if isinstance(model, _SingleClass):
            return model.started(self.classes_)
        if not np.array_equal(getattr(model, "classes_", self.classes_), self.classes_):
            return with_classes(model, self.classes_)
        return model

    def _train(self, model, X, y, weights):
        return _train(model, X, y, weights, classes=self.classes_)

    def decision_function(self, X):
        """Compute the decision function.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        decision : ndarray of shape (n_samples,) or (n_samples, n_classes)
            For two classes, positive values mean ``classes_[1]``; otherwise one column per class.

        Raises
        ------
        NotFittedError
            If the model has not been fitted.
        ValueError
            If X is invalid.
        """
        check_is_fitted(self)
        if len(self.classes_) == 2:
            return self._blended(X, (), self._decision_of_two)
        return self._blended(X, (len(self.classes_),), self._decision_by_class)

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

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
            Predicted labels.

        Raises
        ------
        NotFittedError
            If the model has not been fitted.
        ValueError
            If X is invalid.
        """
        decision = self.decision_function(X)
        codes = decision.argmax(axis=1) if decision.ndim > 1 else (decision > 0).astype(np.intp)
        return self.classes_[codes]

    @available_if(_has_probabilities)
    def predict_proba(self, X):
        """Predict class probabilities; needs an estimator with ``predict_proba``.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes)
            Weighted mean of the probabilities of the cells. A class without samples in a cell has
            the probability 0 there.

        Raises
        ------
        NotFittedError
            If the model has not been fitted.
        ValueError
            If X is invalid.
        """
        check_is_fitted(self)
        return self._blended(
            X,
            (len(self.classes_),),
            lambda model, X: self._among_all_classes(model, model.predict_proba(X), 0.0),
        )


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
    n_jobs : int, default=None
        Number of threads that fit cells. None means 1 unless in a ``joblib.parallel_config``
        context, -1 all cores.
    random_state : int, RandomState instance or None, default=None
        Seed of the samples from which the cuts are computed, and of each model whose
        ``random_state`` is None.

    Attributes
    ----------
    estimators_ : list of estimators
        Fitted model of each cell.
    cell_sizes_ : ndarray of shape (n_cells,)
        Number of training samples of each cell.
    n_cells_ : int
        Number of cells.
    tree_ : CellTree
        The partition.
    n_samples_seen_ : int
        Number of samples of all calls of ``partial_fit``. Defined only after such a call.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the features seen during fit. Defined only when X has string column names.

    See Also
    --------
    CellClassifier : The same for classification.
    sklearn_online_svm.LASVR : One model for all samples.

    References
    ----------
    .. [1] P. Thomann, I. Steinwart, I. Blaschzyk, M. Meister: Spatial decompositions for large
       scale SVMs. AISTATS 2017.

    Examples
    --------
    >>> from sklearn.datasets import make_friedman1
    >>> from sklearn_online_svm import LASVR
    >>> from sklearn_online_svm.partitioned import CellRegressor
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

    def fit(self, X, y, sample_weight=None):
        """Divide the samples into cells and fit a model in each.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Training samples.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Target values.
        sample_weight : array-like of shape (n_samples,), default=None
            Per-sample weights, passed to the models of the cells.

        Returns
        -------
        self : object
            Fitted estimator.

        Raises
        ------
        ValueError
            If the input is invalid.
        """
        self._validate_params()
        X, y = check_samples(self, X, y, reset=True, multi_output=True)
        weights = None
        if sample_weight is not None:
            weights = check_weights(sample_weight, X, allow_all_zero=False)
        self._output_shape = y.shape[1:]
        return self._fit_cells(X, y, weights, _fit)

    @available_if(_has_partial_fit)
    def partial_fit(self, X, y, sample_weight=None):
        """Train on a chunk of samples, in the given order.

        As :meth:`CellClassifier.partial_fit`.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Training samples.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Target values.
        sample_weight : array-like of shape (n_samples,), default=None
            Per-sample weights, passed to the models of the cells.

        Returns
        -------
        self : object
            The updated estimator.

        Raises
        ------
        ValueError
            If the input is invalid; the model is then unchanged.
        """
        return self._partial_fit_cells(X, y, None, sample_weight)

    def _check_chunk(self, X, y, classes, first):
        X, y = check_samples(self, X, y, reset=first, multi_output=True)
        if first:
            self._output_shape = y.shape[1:]
        elif y.shape[1:] != self._output_shape:
            raise ValueError(
                f"y has the shape {y.shape}; the targets of the samples before had the shape "
                f"{('n_samples', *self._output_shape)}."
            )
        return X, y

    def predict(self, X):
        """Predict target values.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        values : ndarray of shape (n_samples,) or (n_samples, n_outputs)
            Weighted mean of the predictions of the cells.

        Raises
        ------
        NotFittedError
            If the model has not been fitted.
        ValueError
            If X is invalid.
        """
        check_is_fitted(self)
        return self._blended(X, self._output_shape, lambda model, X: model.predict(X))
