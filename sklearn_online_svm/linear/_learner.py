"""What every linear model does: validation, passes, stopping, weights as attributes, pickling."""

import math
import time
import warnings
from contextlib import contextmanager
from numbers import Integral, Real

import numpy as np
from scipy import sparse
from sklearn.base import ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import assert_all_finite, check_is_fitted

from .._base import (
    check_rows,
    check_weights,
    draw_seed,
    plain_rows,
    refuse_not_finite,
)
from .._contract import Change, Learner
from .._core.linear.passes import NOT_FINITE, first_not_finite
from .._core.linear.rows import Lessons, is_canonical, shuffled
from .._persistent import stored_classes, stored_features
from ._state import LinearState, arrays_of

# Constraints of parameters that several learners have.
INTERCEPT_SCALING = [StrOptions({"auto"}), Interval(Real, 0.0, 1e100, closed="right")]
AVERAGE = ["boolean", Interval(Integral, 0, None, closed="left")]


def average_from(average):
    """Rows before the first that counts for the average; None: no average.

    ``average=n`` begins with row n, as in scikit-learn.
    """
    if average is True:
        return 0
    return int(average) - 1 if average else None


def intercept_scalings(value):
    """Return the constant feature of dense and of sparse rows."""
    if value == "auto":
        return 1.0, 0.1
    return float(value), float(value)


class LinearLearner(Learner):
    """A linear model with the parameters of passes over the rows.

    A subclass defines ``_method``, the :class:`Method` of its parameters, and how targets are read
    (``_read_targets``).
    """

    _learnt = "_state"
    _state_kind = LinearState
    _tunable = ("early_stopping",)

    _parameter_constraints: dict = {
        "fit_intercept": ["boolean"],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0.0, None, closed="left"), None],
        "early_stopping": ["boolean"],
        "validation_fraction": [Interval(Real, 0.0, 1.0, closed="neither")],
        "n_iter_no_change": [Interval(Integral, 1, None, closed="left")],
        "shuffle": ["boolean"],
        "verbose": ["verbose"],
        "random_state": ["random_state"],
        "warm_start": ["boolean"],
    }

    # ---------------------------------------------------------------------------- learning

    def _fit_or_restore(self, X, y, sample_weight, coef_init, intercept_init):
        """Fit; an error leaves the model as it was, an interrupt keeps what has been learnt."""
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

    def _partial_fit_or_restore(self, *arguments):
        """Learn a chunk; an error leaves the model as it was.

        So does an interrupt before anything was learnt.
        """
        with self._guard:
            self._learn_next(type(self)._begin_partial_fit, *arguments)
        return self

    def _was_interrupted(self, error):
        return not isinstance(error, Exception) and self._state.moved["n_rows"]

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
                f"intercept_init={intercept_init!r} is of no use with fit_intercept=False."
            )
        state.put(
            _initial(coef_init, "coef_init", state.shape),
            _initial(intercept_init, "intercept_init", state.shape[:1]),
        )
        return state

    def _make_passes(self, X, targets, weights):
        """Pass over the rows until the loss, or the score of rows held out, gains no more."""
        state = self._state
        random = check_random_state(self.random_state)
        rows, held_out = self._split(targets, weights, random)
        n_learnt = X.shape[0] if rows is None else len(rows)
        best, without_gain = (-np.inf if self.early_stopping else np.inf), 0
        for n_pass in range(1, self.max_iter + 1):
            start = time.perf_counter()
            self.n_iter_ = n_pass
            order = rows
            if self.shuffle:
                order = shuffled(n_learnt, draw_seed(random))
                if rows is not None:
                    order = rows[order]
            state.loop.reset_loss()
            self._go_through(X, targets, weights, order)
            if self.early_stopping:
                value = self._score_of(X, targets, weights, held_out)
                gained = value >= best + (self.tol or 0.0)
                best = max(best, value)
            else:
                value = state.loop.loss
                gained = value <= best - (self.tol or 0.0) * n_learnt
                best = min(best, value)
            if self.verbose:
                print(
                    f"[{type(self).__name__}] pass {n_pass}: {state.loop.n_updates:,} updates, "
                    f"{'score' if self.early_stopping else 'loss'} {value:.6g}, "
                    f"{time.perf_counter() - start:.3f} s"
                )
            without_gain = 0 if gained else without_gain + 1
            if self.tol is not None and without_gain >= self.n_iter_no_change:
                break
        else:
            if self.tol is not None and self.max_iter > 1:
                warnings.warn(
                    f"{type(self).__name__} was still improving after max_iter={self.max_iter} "
                    "passes. Increase max_iter, or set tol=None for a fixed number of passes.",
                    ConvergenceWarning,
                    stacklevel=4,
                )

    def _go_through(self, X, targets, weights, order):
        """One pass; a row that is no number ends it with the error of scikit-learn."""
        end, position = self._state.learn(Lessons(self._state.rows(X), targets, weights, order))
        if end == NOT_FINITE:
            refuse_row(self, X, position if order is None else order[position])

    def _split(self, targets, weights, random):
        """Rows to learn from (None: all), and rows held out for early stopping."""
        if not self.early_stopping:
            return None, None
        # Rows of weight 0 are as if they were not there: they could judge nothing.
        there = np.arange(len(targets)) if weights is None else np.flatnonzero(weights)
        splitter = self._splitter(test_size=self.validation_fraction, random_state=random)
        rows, held_out = next(splitter.split(np.zeros((len(there), 1)), targets[there]))
        if not len(rows) or not len(held_out):
            raise ValueError(
                f"Splitting {len(there)} rows with validation_fraction="
                f"{self.validation_fraction} leaves {len(rows)} rows to learn from and "
                f"{len(held_out)} to validate on; both are needed for early_stopping=True."
            )
        if not self.shuffle:
            rows = np.sort(rows)
        return there[rows].astype(np.int64), there[held_out]

    def _learn_chunk(self, X, targets, weights):
        """Learn a chunk in its order; an error takes back what was learnt from it."""
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
        end, position = state.learn(Lessons(rows, targets, weights), meanwhile=meanwhile)
        if end == NOT_FINITE:
            state.restore(copied)
            refuse_row(self, X, position)

    def _stream_parameters(self):
        """Check the parameters of a stream; returns those that are new, or None."""
        if "_state" not in self.__dict__:
            self._validate_params()
            new = None
        else:
            new = self._new_parameters()
        if self.early_stopping:
            raise ValueError(
                "early_stopping should be False with partial_fit: a chunk of a stream is learnt "
                "whole, once, and no rows are held out."
            )
        return new

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
        """Decision values; rows are checked by what comes out."""
        state = self.__dict__.get("_state")
        if state is None:
            check_is_fitted(self)
        if state.thin is not None or not plain_rows(self, X, state.dtype, accept_sparse=True):
            # Where no weight is, NaN would not be met.
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
        """Weights of the features, those that predict."""
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
        """Weight of the feature 1 of each problem; zeros without ``fit_intercept``."""
        check_is_fitted(self)
        return self._state.look(self._guard)[1]

    @intercept_.setter
    def intercept_(self, values):
        with self._changing() as state:
            state.put(intercept=_initial(values, "intercept_", state.shape[:1]))

    @property
    def t_(self):
        """1 + the number of rows learnt from since ``fit`` began, in all passes."""
        check_is_fitted(self)
        return 1.0 + self._state.moved["n_rows"]

    @property
    def n_updates_(self):
        """Number of rows that changed the weights since ``fit`` began, in all passes."""
        check_is_fitted(self)
        return self._state.moved["n_updates"]

    def sparsify(self):
        """Keep the weights as a sparse matrix, to save memory where most are zero.

        Predictions go on as before; ``partial_fit`` makes the weights dense again.

        Returns
        -------
        self : object
            The same model.

        Raises
        ------
        NotFittedError
            If nothing has been learnt yet.
        """
        with self._changing() as state:
            state.sparsify()
        return self

    def densify(self):
        """Keep the weights as an array again, as at first.

        Returns
        -------
        self : object
            The same model.

        Raises
        ------
        NotFittedError
            If nothing has been learnt yet.
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
        n_features = stored_features(state)
        n_classes = len(stored_classes(state)) if isinstance(self, ClassifierMixin) else None
        learnt = self._state_kind.from_state(state.part("_state"), n_features, n_classes)
        return {**super()._rebuilt(state), "_state": learnt}


def _size(rows):
    return rows.nbytes if isinstance(rows, np.ndarray) else rows[0].nbytes + rows[1].nbytes


def canonical(X):
    """CSR rows with ascending columns and no duplicates; dense rows as they are."""
    if isinstance(X, np.ndarray):
        return X
    if X.indices.dtype != np.int32:
        X.check_format(full_check=True)
    _, indices, indptr = arrays_of(X)
    if indptr[-1] > len(X.data) or not is_canonical(indices, indptr, X.shape[1]):
        X.check_format(full_check=True)  # of a broken matrix
        X = X.copy()
        X.sum_duplicates()
    return X


def refuse_row(estimator, X, row):
    """Say why a row cannot be learnt from."""
    name = type(estimator).__name__
    values = X[row] if isinstance(X, np.ndarray) else X[row].data
    assert_all_finite(values, input_name="X", estimator_name=name)
    remedy = "scale the features"
    if getattr(estimator, "a", 1.0) < 1.0:
        remedy += f", or choose a larger a than {estimator.a!r}"
    raise ValueError(
        f"Row {row} of X has a squared norm that is too large for {X.dtype}; {remedy}."
    )


def _initial(values, name, shape):
    if values is None:
        return None
    values = np.asarray(values, dtype=np.float64)
    if values.shape != shape and (1, *values.shape) != shape and (*values.shape, 1) != shape:
        raise ValueError(f"{name} must have shape {shape}, got {values.shape}.")
    if not np.isfinite(values).all():
        raise ValueError(f"{name} must be finite.")
    return values.reshape(shape)
