"""Base class of the linear models: training, weights as attributes, pickling."""

import math
from contextlib import contextmanager
from numbers import Integral, Real

import numpy as np
from scipy import sparse
from sklearn.utils.validation import assert_all_finite, check_is_fitted

from .._online import OnlineLearner
from .._sample_arrays import canonical_csr
from .._sklearn_compat import Interval, StrOptions
from .._validation import check_finite_output, check_samples, matches_fitted_format
from ._state import LinearState

# Constraints of parameters that several estimators share.
INTERCEPT_SCALING = [StrOptions({"auto"}), Interval(Real, 0.0, 1e100, closed="right")]
AVERAGE = ["boolean", Interval(Integral, 0, None, closed="left")]

# Constant feature for dense and for sparse samples with intercept_scaling="auto". With 0.1 the
# intercept changes by 0.1^2 of the step, as in scikit-learn (SPARSE_INTERCEPT_DECAY = 0.01).
AUTO_SCALING = 1.0, 0.1


def average_from(average):
    """Return the number of samples before averaging begins; None without averaging.

    ``average=n`` begins with sample n, as in scikit-learn.
    """
    if average is True:
        return 0
    return int(average) - 1 if average else None


def intercept_scalings(value):
    """Return the values of the constant feature for dense and for sparse samples."""
    if value == "auto":
        return AUTO_SCALING
    return float(value), float(value)


class LinearModel(OnlineLearner):
    """Base class of linear models; a subclass defines ``_targets`` and ``_update_spec``."""

    _state_class = LinearState
    _adjustable_params = ("early_stopping",)
    # Smallest number of samples that ``partial_fit`` accepts.
    _min_samples = 1

    _parameter_constraints: dict = {
        **OnlineLearner._parameter_constraints,
        "fit_intercept": ["boolean"],
        "early_stopping": ["boolean"],
        "validation_fraction": [Interval(Real, 0.0, 1.0, closed="neither")],
        "warm_start": ["boolean"],
    }

    # ---------------------------------------------------------------------------- training

    def _check_samples(self, X, y, *, in_stream):
        """Return validated samples and targets; values that are not finite are found later."""
        state = self.__dict__.get("_state") if in_stream else None
        # scikit-learn's validation takes longer than training on a small chunk.
        if (
            state is None
            or not matches_fitted_format(self, X, state.dtype, accept_sparse=True)
            or type(y) is not np.ndarray
            or y.shape != X.shape[:1]
        ):
            X, y = check_samples(
                self,
                X,
                y,
                reset=state is None,
                deep=False,
                dtype=None if state is None else state.dtype,
                min_samples=self._min_samples if in_stream else 1,
            )
        return (X if isinstance(X, np.ndarray) else canonical_csr(X)), y

    def _new_state(self, X, weights, coef_init=None, intercept_init=None):
        former = self.__dict__.get("_state") if self.warm_start else None
        state = self._state = self._state_class(
            self._update_spec(),
            self._targets.n_problems(self),
            X.shape[1],
            X.dtype,
            sparse.issparse(X),
        )
        self._fitted_params = self._current_params()
        if former is not None:
            state.copy_from(former)
        if intercept_init is not None and not self.fit_intercept:
            raise ValueError(
                f"intercept_init={intercept_init!r} cannot be used with fit_intercept=False."
            )
        state.set_weights(
            _initial(coef_init, "coef_init", state.shape),
            _initial(intercept_init, "intercept_init", state.shape[:1]),
        )
        return X

    def _continue_state(self, X, changed):
        state, is_sparse = self._state, not isinstance(X, np.ndarray)
        # Invalid parameters raise an error here, before the state is changed.
        spec = None if changed is None else self._update_spec()
        if state.sparse_coef is not None:
            state.densify()
        if changed is not None:
            state.set_update_spec(spec)
            self._apply_params(changed)
        if state.sparse != is_sparse:
            state.set_layout(is_sparse)

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
        scores = self._scores(X)
        # Cheaper than isfinite of each: inf - inf is nan.
        if not math.isfinite(scores.sum()):
            assert_all_finite(
                X.data if sparse.issparse(X) else X,
                input_name="X",
                estimator_name=type(self).__name__,
            )
            check_finite_output(scores, f"beyond the range of {scores.dtype}")
        return scores

    def _scores(self, X):
        """Return ``X w + b``."""
        coef, intercept = self._state.weights(self._guard)
        scores = X @ coef.T
        if sparse.issparse(scores):
            scores = scores.toarray()
        return scores + intercept

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
            state.set_weights(coef=_initial(values, "coef_", state.shape))

    @property
    def intercept_(self):
        """Intercept of each problem; zeros without ``fit_intercept``."""
        check_is_fitted(self)
        return self._state.weights(self._guard)[1]

    @intercept_.setter
    def intercept_(self, values):
        with self._changing() as state:
            state.set_weights(intercept=_initial(values, "intercept_", state.shape[:1]))

    def sparsify(self):
        """Convert the weights to a sparse matrix, which saves memory if most are zero.

        Predictions do not change; ``partial_fit`` converts the weights back to an array.

        Returns
        -------
        self : object
            The same estimator.

        Raises
        ------
        NotFittedError
            If the model is not fitted.
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

        Raises
        ------
        NotFittedError
            If the model is not fitted.
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


def _initial(values, name, shape):
    if values is None:
        return None
    values = np.asarray(values, dtype=np.float64)
    if values.shape != shape and (1, *values.shape) != shape and (*values.shape, 1) != shape:
        raise ValueError(f"{name} must have shape {shape}, got {values.shape}.")
    if not np.isfinite(values).all():
        raise ValueError(f"{name} must be finite.")
    return values.reshape(shape)
