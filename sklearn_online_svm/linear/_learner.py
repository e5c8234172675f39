"""Base class of the linear models: validation, chunks, weights as attributes, pickling."""

import math
from contextlib import contextmanager
from numbers import Integral, Real

import numpy as np
from scipy import sparse
from sklearn.utils.validation import assert_all_finite, check_is_fitted

from .._base import check_rows, check_weights, plain_rows, refuse_not_finite
from .._core.linear.rows import Dataset
from .._core.linear.update_loop import NOT_FINITE, first_not_finite
from .._estimator_base import Change
from .._online_base import OnlineLearner
from .._rows import canonical, refuse_row
from .._sklearn_compat import Interval, StrOptions
from ._state import LinearState

# Constraints of parameters that several estimators share.
INTERCEPT_SCALING = [StrOptions({"auto"}), Interval(Real, 0.0, 1e100, closed="right")]
AVERAGE = ["boolean", Interval(Integral, 0, None, closed="left")]


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
        return 1.0, 0.1
    return float(value), float(value)


class LinearLearner(OnlineLearner):
    """A linear model with the parameters of passes over the rows.

    A subclass defines ``_method``, the :class:`Method` of its parameters, and how targets are read
    (``_read_targets``).
    """

    _state_kind = LinearState
    _tunable = ("early_stopping",)

    _parameter_constraints: dict = {
        **OnlineLearner._parameter_constraints,
        "fit_intercept": ["boolean"],
        "early_stopping": ["boolean"],
        "validation_fraction": [Interval(Real, 0.0, 1.0, closed="neither")],
        "warm_start": ["boolean"],
    }

    # ---------------------------------------------------------------------------- learning

    def _fit_or_restore(self, X, y, sample_weight, coef_init, intercept_init):
        """Fit; after an error the model is unchanged, after an interrupt it keeps its updates."""
        with self._guard, Change(self) as change:
            draft = change.draft
            X, targets, weights = draft._begin_fit(X, y, sample_weight)
            draft._state = draft._first_state(X, self.__dict__, coef_init, intercept_init)
            draft._learnt_with = draft._present_parameters()
            try:
                draft._make_passes(X, targets, weights)
            except BaseException as error:
                change.keep = not isinstance(error, Exception)
                raise
        return self

    def _begin_fit(self, X, y, sample_weight):
        X, y = check_rows(self, X, y, reset=True, deep=False)
        X = canonical(X)
        weights = None
        if sample_weight is not None:
            weights = check_weights(sample_weight, X, allow_all_zero=False)
        targets = self._read_targets(y, weights)
        return X, targets, self._row_weights(targets, weights)

    def _first_state(self, X, before, coef_init, intercept_init):
        former = before.get("_state") if self.warm_start else None
        state = self._state_kind(
            self._method(), self._n_problems(), X.shape[1], X.dtype, sparse.issparse(X)
        )
        if former is not None:
            state.go_on_from(former)
        if intercept_init is not None and not self.fit_intercept:
            raise ValueError(
                f"intercept_init={intercept_init!r} cannot be used with fit_intercept=False."
            )
        state.put(
            _initial(coef_init, "coef_init", state.shape),
            _initial(intercept_init, "intercept_init", state.shape[:1]),
        )
        return state

    def _learn_chunk(self, X, targets, weights):
        """Train on a chunk in its order; after an error the chunk has no effect."""
        state = self._state
        rows = state.rows(X)
        copied = None
        if _size(rows) <= state.nbytes:
            row = first_not_finite(rows, state.loop.weights)
            if row >= 0:
                refuse_row(self, X, row)
        else:
            copied = state.copy()
        meanwhile = None if copied is None else state.on_shelf(copied[0])
        end, position = state.learn(Dataset(rows, targets, weights), meanwhile=meanwhile)
        if end == NOT_FINITE:
            state.restore(copied)
            refuse_row(self, X, position)

    def _continue(self, X, new):
        """Prepare the state for a chunk: the first one, or one of another kind."""
        state = self.__dict__.get("_state")
        if state is None:
            self._state = self._state_kind(
                self._method(), self._n_problems(), X.shape[1], X.dtype, sparse.issparse(X)
            )
            self._learnt_with = self._present_parameters()
            return
        method = None if new is None else self._method()
        state.densify()
        if new is not None:
            state.use(method)
            self._take_up(new)
        state.expect(sparse.issparse(X))

    # ---------------------------------------------------------------------------- predicting

    def _decide(self, X):
        """Return decision values; invalid samples are detected in the results."""
        state = self.__dict__.get("_state")
        if state is None:
            check_is_fitted(self)
        if state.thin is not None or not plain_rows(self, X, state.dtype, accept_sparse=True):
            # NaN in a feature without a stored weight would not show in the result.
            X = check_rows(self, X, reset=False, deep=state.thin is not None)
        scores = self._scores(X)
        # Cheaper than isfinite of each: inf - inf is nan.
        if not math.isfinite(scores.sum()):
            assert_all_finite(
                X.data if sparse.issparse(X) else X,
                input_name="X",
                estimator_name=type(self).__name__,
            )
            refuse_not_finite(scores, f"beyond the range of {scores.dtype}")
        return scores

    def _scores(self, X):
        """``X w + b``."""
        coef, intercept = self._state.look(self._guard)
        scores = X @ coef.T
        if sparse.issparse(scores):
            scores = scores.toarray()
        return scores + intercept

    # ---------------------------------------------------------------------------- the solution

    @property
    def coef_(self):
        """Weights of the features, as used for prediction."""
        check_is_fitted(self)
        return self._state.look(self._guard)[0]

    @coef_.setter
    def coef_(self, values):
        with self._changing() as state:
            state.densify()
            values = values.toarray() if sparse.issparse(values) else values
            state.put(coef=_initial(values, "coef_", state.shape))

    @property
    def intercept_(self):
        """Intercept of each problem; zeros without ``fit_intercept``."""
        check_is_fitted(self)
        return self._state.look(self._guard)[1]

    @intercept_.setter
    def intercept_(self, values):
        with self._changing() as state:
            state.put(intercept=_initial(values, "intercept_", state.shape[:1]))

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
        return {"_state": self._state_kind.from_state(state["_state"])}


def _size(rows):
    return rows.nbytes if isinstance(rows, np.ndarray) else rows[0].nbytes + rows[1].nbytes


def _initial(values, name, shape):
    if values is None:
        return None
    values = np.asarray(values, dtype=np.float64)
    if values.shape != shape and (1, *values.shape) != shape and (*values.shape, 1) != shape:
        raise ValueError(f"{name} must have shape {shape}, got {values.shape}.")
    if not np.isfinite(values).all():
        raise ValueError(f"{name} must be finite.")
    return values.reshape(shape)
