"""Base class of the linear models: training, weights as attributes, pickling."""

import math
from contextlib import contextmanager
from numbers import Integral, Real

import numpy as np
from scipy import sparse
from sklearn.utils.validation import assert_all_finite, check_is_fitted

from .._estimator import Transaction
from .._online import OnlineLearner
from .._sample_arrays import canonical_csr, raise_sample_error
from .._sklearn_compat import Interval, StrOptions
from .._tasks import n_blocks, reporting, sample_tasks
from .._validation import check_finite_output, check_samples, check_weights, matches_fitted_format
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


def store_parameters(arguments):
    """Set the arguments of ``__init__``, given as its ``locals()``, as attributes."""
    vars(arguments.pop("self")).update(arguments)


class LinearModel(OnlineLearner):
    """Base class of linear models.

    A subclass defines ``_update_spec``, which returns the :class:`UpdateSpec` of its parameters;
    ``_encode_targets``, ``_sample_weights`` and ``_n_problems`` for the targets of ``fit``;
    ``_validate_chunk`` for the arguments of ``partial_fit``; and ``_validation_score``.
    """

    _state_class = LinearState
    _adjustable_params = ("early_stopping",)

    _parameter_constraints: dict = {
        **OnlineLearner._parameter_constraints,
        "fit_intercept": ["boolean"],
        "early_stopping": ["boolean"],
        "validation_fraction": [Interval(Real, 0.0, 1.0, closed="neither")],
        "warm_start": ["boolean"],
    }

    # ---------------------------------------------------------------------------- training

    def _fit(self, X, y, sample_weight, coef_init, intercept_init):
        """Fit; after an error the model is unchanged, after an interrupt it keeps its updates."""
        with (
            self._guard,
            reporting(self, "fit", X, y, sample_weight, self.max_iter),
            Transaction(self) as change,
        ):
            draft = change.draft
            X, y = check_samples(draft, X, y, reset=True, deep=False)
            X = canonical_csr(X)
            weights = None
            if sample_weight is not None:
                weights = check_weights(sample_weight, X, allow_all_zero=False)
            draft.__dict__.pop("_class_order", None)
            targets = draft._encode_targets(X, y, weights)
            weights = draft._sample_weights(targets, weights)
            state = draft._new_state(X)
            if self.warm_start and "_state" in self.__dict__:
                state.copy_from(self._state)
            if intercept_init is not None and not self.fit_intercept:
                raise ValueError(
                    f"intercept_init={intercept_init!r} cannot be used with fit_intercept=False."
                )
            state.set_weights(
                _initial(coef_init, "coef_init", state.shape),
                _initial(intercept_init, "intercept_init", state.shape[:1]),
            )
            try:
                draft._run_epochs(X, targets, weights)
            except BaseException as error:
                change.keep = not isinstance(error, Exception)
                raise
        return self

    def _partial_fit(self, X, y, classes, sample_weight):
        """Update the model with a chunk; an error leaves it unchanged.

        The first chunk, and one with new classes, are processed by a draft of the model. Other
        chunks need none: the model is changed only after all arguments have been validated, and
        the state restores itself.
        """
        with self._guard, reporting(self, "partial_fit", X, y, sample_weight, n_blocks):
            fitted = "_state" in self.__dict__
            if fitted and not self._has_new_classes(classes):
                self._train_chunk(X, y, classes, sample_weight)
                return self
            with Transaction(self) as change:
                draft = change.draft
                try:
                    if fitted:
                        draft._add_classes(classes)
                    draft._train_chunk(X, y, classes, sample_weight)
                except BaseException as error:
                    change.keep = draft._was_interrupted(error) and not (
                        fitted and draft.t_ == self.t_
                    )
                    raise
        return self

    def _train_chunk(self, X, y, classes, sample_weight):
        changed = self._stream_parameters()
        self._train_on_chunk(changed, *self._validate_chunk(X, y, classes, sample_weight))

    def _train_on_chunk(self, changed, X, targets, weights):
        """Apply changed parameters, and train on a validated chunk."""
        state = self._prepare_state(X, changed)
        with sample_tasks(self, X.shape[0]) as report:
            invalid = state.train_chunk(X, targets, weights, report)
            if invalid >= 0:
                raise_sample_error(self, X, invalid)

    def _stream_parameters(self):
        """Validate the parameters for partial_fit; return the changed values, or None."""
        changed = None
        if "_state" in self.__dict__:
            changed = self._changed_params()
        else:
            self._validate_params()
        if self.early_stopping:
            raise ValueError(
                "early_stopping should be False with partial_fit, which trains on all samples of "
                "a chunk in one epoch and sets none aside for validation."
            )
        return changed

    def _prepare_state(self, X, changed):
        """Return the state, ready for these samples and for the changed parameters, if any."""
        state = self.__dict__.get("_state")
        if state is None:
            self.n_iter_ = 1
            return self._new_state(X)
        is_sparse = not isinstance(X, np.ndarray)
        # Invalid parameters raise an error here, before the state is changed.
        spec = None if changed is None else self._update_spec()
        if state.sparse_coef is not None:
            state.densify()
        if changed is not None:
            state.set_update_spec(spec)
            self._apply_params(changed)
        if state.sparse != is_sparse:
            state.set_layout(is_sparse)
        return state

    def _new_state(self, X):
        self._state = self._state_class(
            self._update_spec(), self._n_problems(), X.shape[1], X.dtype, sparse.issparse(X)
        )
        self._fitted_params = self._current_params()
        return self._state

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

    # ---------------------------------------------------------------------------- conventions

    def _packed(self, state):
        return {"_state": state["_state"].as_dict()}

    def _rebuilt(self, state):
        """Return the fitted attributes of a stored model that predictions rely on."""
        return {"_state": self._state_class.from_state(state["_state"])}


def _initial(values, name, shape):
    if values is None:
        return None
    values = np.asarray(values, dtype=np.float64)
    if values.shape != shape and (1, *values.shape) != shape and (*values.shape, 1) != shape:
        raise ValueError(f"{name} must have shape {shape}, got {values.shape}.")
    if not np.isfinite(values).all():
        raise ValueError(f"{name} must be finite.")
    return values.reshape(shape)
