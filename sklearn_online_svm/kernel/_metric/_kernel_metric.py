"""KernelMetric: widths of the features of a table, learned for a kernel."""

from numbers import Real

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import check_array, check_consistent_length, check_random_state
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import (
    assert_all_finite,
    check_is_fitted,
    column_or_1d,
    validate_data,
)

from ..._estimator import store_parameters
from ..._sklearn_compat import (
    Interval,
    StrOptions,
    _check_feature_names_in,
    _check_sample_weight,
    _fit_context,
    _safe_indexing,
)
from ..._threads import warn
from ..._validation import check_labels, plain_labels
from ._check import is_better
from ._columns import Columns
from ._descent import descend
from ._forms import LaplacianWidths, RBFMap, RBFWidths, apply

# Samples from which scores and widths are learned.
_N_SAMPLES = 10_000
# With fewer samples no widths are learned.
_MIN_SAMPLES = 300
# More integers than this, and than a tenth of the samples, are hardly classes.
_MAX_CLASSES = 100
# Beginnings of the names of types of categorical columns, in pandas and polars.
_CATEGORICAL = ("categorical", "category", "enum", "str")


class KernelMetric(TransformerMixin, BaseEstimator):
    r"""Metric learning for a table: scale its features for a kernel.

    Numeric columns are replaced by normal scores of their ranks, and categorical ones are one-hot
    encoded. Each column then has a width :math:`\theta_j`, an inverse length scale, with which the
    transformed samples have the kernel

    .. math::

        K(x, z) = \exp\Bigl(-\sum_j \theta_j |x_j - z_j|\Bigr)
        \quad\text{or}\quad
        K(x, z) = \exp\Bigl(-\sum_j \theta_j (x_j - z_j)^2\Bigr).

    The widths minimize the squared error of kernel ridge regression on samples that it was not
    trained on. They are used only if support vector machines then have a lower error than with
    equal widths, by 1.5 standard errors.

    The output is for a model with the same ``kernel`` and ``gamma=1``. Read more in the
    :ref:`user guide <tables>`.

    Parameters
    ----------
    form : {"widths", "map"}, default="widths"
        "widths" learns a width for each column. "map" learns a linear transformation of the
        scores, with ``kernel="rbf"`` only, for targets that depend on linear combinations of
        features.
    kernel : {"laplacian", "rbf"}, default="laplacian"
        Kernel that the output is for.
    ranks : bool, default=True
        Whether numeric columns are replaced by normal scores of their ranks, so that neither the
        scale of a column nor outliers matter. If False they are standardized.
    shrinkage : float, default=3.0
        Strength of the regularization towards equal widths, at least 0; it is divided by the
        number of samples. With ``np.inf`` all widths are equal, and only scores and categories
        are learned.
    categorical_features : "from_dtype", array-like or None, default="from_dtype"
        All categorical columns: a mask, indices, or names; None: there are none. "from_dtype"
        means the columns of a dataframe that have categories or text. Missing values are one more
        category. From 256 categories on, infrequent ones are grouped.
    target_type : {"auto", "continuous", "multiclass"}, default="auto"
        Whether ``y`` has numbers or classes. With "auto", floats that are not integers are
        continuous, and other values are classes.
    random_state : int, RandomState instance or None, default=None
        Controls which samples are drawn, 10 000 at most. Pass an int for reproducible output.

    Attributes
    ----------
    widths_ : ndarray of shape (n_features_out,)
        Width of each output feature, in the order of ``get_feature_names_out``; those of one
        categorical column are equal. With ``form="map"``, squared lengths of the columns of
        ``components_``.
    components_ : ndarray of shape (n_features_out, n_features_out)
        Matrix that scores are multiplied by. Only with ``form="map"``.
    feature_importances_ : ndarray of shape (n_features,)
        Share of each column in the mean distance of two samples (with "rbf", the squared one).
        With ``form="map"``, as if the columns were uncorrelated.
    is_learned_ : bool
        Whether learned widths are used. Otherwise all are equal, and importances say nothing about
        ``y``.
    history_ : ndarray of shape (30,)
        Squared error at each step, relative to the variance. Empty if nothing was learned: with
        ``shrinkage=np.inf``, fewer than 300 samples, or constant data.
    n_features_in_ : int
        Number of columns seen during ``fit``.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the columns, if all are strings.

    See Also
    --------
    LASVC : Classifier for the output, as ``LASVC(kernel="laplacian", gamma=1.0, C=8.0)``.
    LASVR : Regressor for the output.
    ColumnKernel : Sum or product of kernels on groups of columns.
    sklearn.neighbors.NeighborhoodComponentsAnalysis : Metric learning for nearest neighbors.

    Notes
    -----
    Each of 30 steps draws two disjoint sets of 512 samples [1]_. Beyond 10 000 samples, ``fit``
    takes longer only for the validation of the samples, and for their categories. With fewer than
    300 samples all widths are equal, and a warning says so.

    Values beyond those of the samples of ``fit`` have the scores of the ends. After an error or
    Ctrl-C in ``fit`` the transformer is as before. Results may differ in the last bits between
    BLAS libraries.

    References
    ----------
    .. [1] Owhadi and Yoo, *Kernel Flows: from learning kernels from data into the abyss*, Journal
       of Computational Physics 389, 2019.

    Examples
    --------
    Two of ten features are relevant:

    >>> import numpy as np
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn_online_svm import LASVC, KernelMetric
    >>> X = np.random.RandomState(0).normal(size=(1000, 10))
    >>> y = X[:, 0] * X[:, 1] > 0
    >>> model = make_pipeline(
    ...     KernelMetric(random_state=0), LASVC(kernel="laplacian", gamma=1.0, C=8.0)
    ... ).fit(X[:500], y[:500])
    >>> np.flatnonzero(model[0].feature_importances_ > 0.1)
    array([0, 1])
    >>> model.score(X[500:], y[500:]) > 0.9
    True
    """

    # Samples that an OnlinePipeline fits it on.
    _n_warm_up_samples = 5000
    _parameter_constraints = {
        "form": [StrOptions({"widths", "map"})],
        "kernel": [StrOptions({"laplacian", "rbf"})],
        "ranks": ["boolean"],
        "shrinkage": [Interval(Real, 0, None, closed="both")],
        "categorical_features": [StrOptions({"from_dtype"}), "array-like", None],
        "target_type": [StrOptions({"auto", "continuous", "multiclass"})],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        form="widths",
        *,
        kernel="laplacian",
        ranks=True,
        shrinkage=3.0,
        categorical_features="from_dtype",
        target_type="auto",
        random_state=None,
    ):
        store_parameters(locals())

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y=None, sample_weight=None):
        """Learn scores and widths.

        Parameters
        ----------
        X : array-like or dataframe of shape (n_samples, n_features)
            Training samples.
        y : array-like of shape (n_samples,), default=None
            Target values; required.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the samples, not negative. Samples are drawn in proportion to them.

        Returns
        -------
        self : object
            The fitted transformer.

        Raises
        ------
        ValueError
            If a parameter or the data are invalid, a number is missing, or the columns named by
            ``categorical_features`` do not exist.
        """
        before = vars(self).copy()
        try:
            self._learn(X, y, sample_weight)
        except BaseException:
            vars(self).clear()
            vars(self).update(before)
            raise
        return self

    def _learn(self, X, y, sample_weight):
        if self.form == "map" and self.kernel != "rbf":
            raise ValueError(f"form='map' requires kernel='rbf'. Got kernel={self.kernel!r}.")
        # y=None raises the error of scikit-learn for a required target.
        X = self._table(X, None if y is None else "no_validation", reset=True)
        is_numeric = self.target_type == "continuous"
        y = plain_labels(np.asarray(y))
        if y.dtype == object and not is_numeric:
            check_labels(y)
        y = column_or_1d(y, dtype=np.float64 if is_numeric else None, warn=True)
        assert_all_finite(y, input_name="y")
        check_consistent_length(X, y)
        weights = _check_sample_weight(sample_weight, X, ensure_non_negative=True)
        columns = Columns(X, self, self._categorical_columns(X))
        random = check_random_state(self.random_state)
        pool = random.permutation(np.flatnonzero(weights))[:_N_SAMPLES]
        y, weights = y[pool], weights[pool]
        if columns.one_hot is None:
            F = columns.features(X, self)[pool]
        else:  # one-hot columns of all samples might need much memory
            F = columns.features(_safe_indexing(X, pool), self)
        targets, y, is_regression = self._targets(y, weights)
        Z = columns.fit_scores(F, weights, self.ranks).astype(np.float32, copy=False)

        form = self._form(columns.inputs)
        differences = form.mean_differences(Z, weights)
        equal = form.start(differences)
        parameters, is_learned, history = equal, False, np.empty(0)
        can_learn = np.isfinite(self.shrinkage) and np.ptp(targets) > 0.0 and differences.any()
        if can_learn and len(pool) < _MIN_SAMPLES:
            warn(
                f"KernelMetric learns widths from {_MIN_SAMPLES} samples on and was given "
                f"{len(pool)}, so all features have equal widths. With shrinkage=np.inf this "
                "warning is not issued."
            )
        elif can_learn:
            learned, history = descend(form, equal, Z, targets, weights, self.shrinkage, random)
            samples = [apply(form.factors(p), Z) for p in (learned, equal)]
            is_learned = is_better(*samples, y, weights, self.kernel, is_regression, random)
            parameters = learned if is_learned else equal

        self._columns, self._factors = columns, form.factors(parameters)
        self.widths_ = form.widths(parameters)
        self.is_learned_ = is_learned
        self.history_ = history
        shares = np.bincount(columns.inputs, differences * self.widths_)
        self.feature_importances_ = shares / (shares.sum() or 1.0)

    def transform(self, X):
        """Return the scores of samples, scaled or transformed linearly.

        Parameters
        ----------
        X : array-like or dataframe of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        Z : ndarray of shape (n_samples, n_features_out)
            Samples for a model with ``gamma=1``: numeric columns, then those of categories. A
            category that was not seen during ``fit`` is encoded as zeros, or as the infrequent
            category if the column has one.

        Raises
        ------
        NotFittedError
            If ``fit`` has not been called.
        ValueError
            If a number is missing, or the columns differ from those in ``fit``.
        """
        check_is_fitted(self)
        X = self._table(X, reset=False)
        return apply(self._factors, self._columns.scores(self._columns.features(X, self)))

    @property
    def components_(self):
        """Matrix that scores are multiplied by."""
        check_is_fitted(self)
        if self._factors.ndim == 1:
            raise AttributeError("KernelMetric has components_ only with form='map'.")
        return self._factors

    def get_feature_names_out(self, input_features=None):
        """Return the names of the output features.

        Parameters
        ----------
        input_features : array-like of str, default=None
            Names of the columns; None: those seen during ``fit``, or x0, x1 and so on.

        Returns
        -------
        names : ndarray of shape (n_features_out,)
            Names of columns, and of categories as by
            :class:`sklearn.preprocessing.OneHotEncoder`; with ``form="map"`` numbered.

        Raises
        ------
        NotFittedError
            If ``fit`` has not been called.
        ValueError
            If ``input_features`` are not the names seen during ``fit``.
        """
        check_is_fitted(self)
        names = _check_feature_names_in(self, input_features)
        if self._factors.ndim == 2:
            return np.array([f"kernelmetric{j}" for j in range(len(self._factors))], dtype=object)
        return self._columns.names(names)

    def __sklearn_is_fitted__(self):
        return hasattr(self, "widths_")

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def _form(self, groups):
        if self.form == "map":
            return RBFMap()
        return (LaplacianWidths if self.kernel == "laplacian" else RBFWidths)(groups)

    def _table(self, X, y="no_validation", *, reset):
        """Check the shape and the names of columns; their values are converted later."""
        if hasattr(X, "columns"):
            validate_data(self, X, y, reset=reset, skip_check_array=True)
            # Without samples or columns this raises an error; values are not read.
            check_array(np.broadcast_to(0.0, X.shape), estimator=self, ensure_all_finite=False)
            return X
        return validate_data(self, X, y, reset=reset, dtype=None, ensure_all_finite=False)

    def _categorical_columns(self, X):
        """Return the indices of the categorical columns."""
        named, n = self.categorical_features, self.n_features_in_
        if named is None:
            return np.empty(0, dtype=np.intp)
        if isinstance(named, str):
            kinds = getattr(X, "dtypes", ())
            return np.flatnonzero([_is_categorical(X, j, kind) for j, kind in enumerate(kinds)])
        named = np.asarray(named)
        if named.dtype.kind == "b" and named.shape == (n,):
            return np.flatnonzero(named)
        names = list(getattr(self, "feature_names_in_", []))
        places = [names.index(name) if name in names else name for name in named.ravel().tolist()]
        if named.ndim != 1 or named.dtype.kind == "b" or not set(places) <= set(range(n)):
            raise ValueError(
                f"categorical_features must be a mask, indices or names of the {n} columns of X. "
                f"Got {self.categorical_features!r}."
            )
        return np.unique(np.array(places, dtype=np.intp))

    def _targets(self, y, weights):
        """Return targets as columns, targets or codes of classes, and whether they are numbers."""
        kind = type_of_target(y) if self.target_type == "auto" else self.target_type
        if kind == "continuous":
            y = y.astype(np.float64) - np.average(y, weights=weights)
            y /= np.sqrt(np.average(y**2, weights=weights)) or 1.0
            return y[:, np.newaxis], y, True
        check_classification_targets(y)
        classes, codes = np.unique(y, return_inverse=True)
        if kind != self.target_type and len(classes) > max(_MAX_CLASSES, len(y) // 10):
            raise ValueError(
                f"y has {len(classes)} different values, which target_type='auto' takes for "
                "classes. Set target_type='continuous' for regression, else 'multiclass'."
            )
        targets = 2.0 * np.eye(len(classes))[codes] - 1.0
        return targets[:, 1:] if len(classes) == 2 else targets, codes, False


def _is_categorical(X, column, kind):
    """Return whether a column of a frame has categories or text."""
    kind = str(kind).lower()
    if kind != "object":
        return kind.startswith(_CATEGORICAL)
    try:
        np.asarray(_safe_indexing(X, column, axis=1), dtype=np.float64)
    except (TypeError, ValueError):
        return True
    return False
