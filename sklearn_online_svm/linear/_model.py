"""Base classes of the linear models: samples, weights as attributes, predictions."""

import math
from contextlib import contextmanager
from numbers import Integral, Real

import numpy as np
from scipy import sparse
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import assert_all_finite, check_is_fitted

from .. import _suspects, _updates
from .._estimator import params_of
from .._pairs import ClassScores, codes_of
from .._sample_arrays import canonical_csr
from .._sklearn_compat import Interval, StrOptions
from .._updates import OnlineClassTargets, OnlineLearner, UpdateSpec
from .._validation import check_finite_output, check_samples, matches_fitted_format
from ._docs import with_shared_docs
from ._state import LinearState, checked_weights

# Constraints of parameters that several estimators share.
INTERCEPT_SCALING = [StrOptions({"auto"}), Interval(Real, 0.0, 1e100, closed="right")]
AVERAGE = ["boolean", Interval(Integral, 0, None, closed="left")]

# Constant feature for dense and for sparse samples with intercept_scaling="auto". With 0.1 the
# intercept changes by 0.1^2 of the step, as in scikit-learn (SPARSE_INTERCEPT_DECAY = 0.01).
AUTO_SCALING = 1.0, 0.1


def linear_spec(estimator, rule, **others):
    """Return the specification of the updates by a rule, from the parameters of a linear model.

    ``others``: fields that do not follow from these.
    """
    params = params_of(
        estimator, intercept_scaling=1.0, covariance=None, multi_class="ovr", average=False
    )
    scaling = params.intercept_scaling
    fields = dict(
        fit_intercept=bool(params.fit_intercept),
        intercept_scaling=AUTO_SCALING if scaling == "auto" else (float(scaling),) * 2,
        covariance=params.covariance,
        crammer_singer=params.multi_class == "crammer_singer",
        # ``average=n`` begins with sample n, as in scikit-learn.
        average_from=int(params.average) - 1 if params.average else None,
    )
    return UpdateSpec(rule, **fields | others)


def positive_is_first(plan, classes, *, alike):
    """Return whether the positive class is the first of two classes.

    ``pos_label=None`` means 1 (or True), as in scikit-learn's binary metrics. With ``alike``
    the classes are treated equally, and the positive class need not be known.
    """
    if len(classes) > 2:
        return False
    known, given = classes.tolist(), plan.params.pos_label
    pos_label = 1 if given is None else given
    if pos_label in known:
        return known.index(pos_label) == 0
    if given is not None:
        raise ValueError(f"pos_label={pos_label!r} is not one of the classes {known}.")
    if not alike:
        raise ValueError(
            f"pos_label=None means 1, which is not one of the classes {known}. Set "
            f"pos_label of {plan.name} to the positive class."
        )
    return False


@with_shared_docs
class LinearModel(OnlineLearner):
    """Base class of linear models."""

    _stored_as = {"_state": LinearState}
    _adjustable_params = ("early_stopping",)

    _parameter_constraints: dict = {
        **OnlineLearner._parameter_constraints,
        "fit_intercept": ["boolean"],
        "early_stopping": ["boolean"],
        "validation_fraction": [Interval(Real, 0.0, 1.0, closed="neither")],
        "warm_start": ["boolean"],
    }

    # ---------------------------------------------------------------------------- predicting

    def _decision_values(self, X):
        """Return decision values; invalid samples are detected in the results."""
        state = self.__dict__.get("_state")
        if state is None:
            check_is_fitted(self)
        if state.sparse_coef is not None or not matches_fitted_format(
            self, X, state.dtype, accept_sparse=True
        ):
            # NaN in a feature without a stored weight would not show in the result.
            X = check_samples(self, X, reset=False, deep=state.sparse_coef is not None)
        if sparse.issparse(X):
            X = canonical_csr(X)  # norms of samples would be wrong with duplicates
        scores = state.scores(X, self._guard)
        # Cheaper than isfinite of each: inf - inf is nan.
        if not math.isfinite(scores.sum()):
            assert_all_finite(
                X.data if sparse.issparse(X) else X,
                input_name="X",
                estimator_name=type(self).__name__,
            )
            check_finite_output(scores, f"beyond the range of {scores.dtype}")
        return scores

    # ---------------------------------------------------------------------------- the solution

    @property
    def coef_(self):
        """Weights of the features, as used for prediction."""
        check_is_fitted(self)
        return self._state.weights(self._guard)[0]

    @coef_.setter
    def coef_(self, values):
        with self._changing() as state:
            if state.sparse_coef is not None:
                state.densify()
            values = values.toarray() if sparse.issparse(values) else values
            state.set_weights(coef=checked_weights(values, "coef_", state.shape))

    @property
    def intercept_(self):
        """Intercept of each problem; zeros without ``fit_intercept``."""
        check_is_fitted(self)
        return self._state.weights(self._guard)[1]

    @intercept_.setter
    def intercept_(self, values):
        with self._changing() as state:
            state.set_weights(intercept=checked_weights(values, "intercept_", state.shape[:1]))

    def sparsify(self):
        """Convert the weights to a sparse matrix, which saves memory if most are zero.

        Predictions do not change; ``partial_fit`` converts the weights back to an array.

        Returns
        -------
        self : object
            The same estimator.

        $not_fitted
        """
        with self._changing() as state:
            if state.sparse_coef is None:
                state.sparsify()
        return self

    def densify(self):
        """Convert the weights back to a dense array.

        Returns
        -------
        self : object
            The same estimator.

        $not_fitted
        """
        with self._changing() as state:
            if state.sparse_coef is not None:
                state.densify()
        return self

    @contextmanager
    def _changing(self):
        with self._guard:
            check_is_fitted(self)
            yield self._state


@with_shared_docs
class LinearClassifier(ClassifierMixin, LinearModel):
    """Base class of linear classifiers."""

    _parameter_constraints: dict = {
        **LinearModel._parameter_constraints,
        **OnlineClassTargets.constraints,
    }
    _adjustable_params = (*LinearModel._adjustable_params, "class_weight")
    _query_adapter = _updates.query_adapter
    _add_classes = _updates.add_classes
    suspect_labels = _suspects.suspect_labels

    def _class_scores(self, scores):
        return ClassScores(scores, len(self.classes_))

    def fit(self, X, y, sample_weight=None, *, coef_init=None, intercept_init=None):
        """Fit the model from scratch, in up to ``max_iter`` epochs.

        $fit_of_classes
        coef_init : array-like of shape (n_problems, n_features), default=None
            The initial coefficients; n_problems is 1 for two classes, else the number of classes.
        intercept_init : array-like of shape (n_problems,), default=None
            The initial intercepts.

        $fitted_classes
        """
        return _updates.fit(self, X, y, sample_weight, (coef_init, intercept_init))

    def partial_fit(self, X, y, classes=None, sample_weight=None):
        """Update the model with new samples, in their order, in one epoch.

        The resulting model does not depend on how a stream is split into chunks. The samples are
        not shuffled.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Training data, in the order of the stream.
        y : array-like of shape (n_samples,)
            Target class labels; a chunk may contain a single class.
        classes : array-like of shape (n_classes,), default=None
            All classes of the stream. Required in the first call, optional in later ones; a later
            call with additional classes adds them to the model, see :ref:`new_classes`.
        sample_weight : array-like of shape (n_samples,), default=None
            Sample weights; see Notes for their effect.
            Samples of weight 0 cause no update; averages count them, as in scikit-learn.

        Returns
        -------
        self : object
            The updated estimator.

        Raises
        ------
        ValueError
            If the input is invalid, or a label is not in ``classes``. The model is then unchanged.
        """
        return _updates.partial_fit(self, X, y, classes, sample_weight)

    def decision_function(self, X):
        """Compute the decision function of each sample.

        Its values are signed distances to the hyperplane, times the norm of the weights.

        $samples

        Returns
        -------
        scores : ndarray of shape (n_samples,) or (n_samples, n_classes)
            With two classes, a value above 0 means ``classes_[1]``. With more, one column per
            class.

        $not_fitted
        ValueError
            If the input is invalid, or a decision value overflows.
        """
        scores = self._view()._decision_values(X)
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def predict(self, X):
        """Predict the class label of each sample.

        $samples

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Predicted class labels.

        $not_fitted
        ValueError
            If the input is invalid, or a decision value overflows.
        """
        view = self._view()
        codes = codes_of(view._decision_values(X))
        return view.classes_[codes]


@with_shared_docs
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

        $samples

        Returns
        -------
        variance : ndarray of shape (n_samples,) or (n_samples, n_classes)
            Variances, in the shape of :meth:`decision_function`.

        $not_fitted
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
        # Rounding errors of large samples can make S indefinite.
        np.maximum(variances, 0.0, out=variances)
    check_finite_output(variances, f"beyond the range of {variances.dtype}")
    return variances[:, 0] if variances.shape[1] == 1 else variances
