"""Base classes of online learners that make one update step per sample."""

import time
import warnings
from functools import partial
from numbers import Integral, Real

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from ._base import balanced_weights, class_factors, draw_seed, label_codes
from ._core.linear.rows import Dataset, shuffled
from ._core.linear.update_loop import NOT_FINITE
from ._estimator_base import Learner
from ._query_adapter import QueryAdapter
from ._rows import refuse_row
from ._sklearn_compat import Interval, StrOptions


class OnlineLearner(Learner):
    """Base class of online learners with epochs over the samples.

    A subclass sets ``_state``, which has the update loop (``loop``) and ``learn``, and defines
    ``_begin_partial_fit`` and ``_learn_chunk``.
    """

    _learnt = "_state"

    _parameter_constraints: dict = {
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0.0, None, closed="left"), None],
        "n_iter_no_change": [Interval(Integral, 1, None, closed="left")],
        "shuffle": ["boolean"],
        "verbose": ["verbose"],
        "random_state": ["random_state"],
    }

    # Default for subclasses without this parameter.
    early_stopping = False

    # ---------------------------------------------------------------------------- learning

    def _partial_fit_or_restore(self, *arguments):
        """Update the model with a chunk; an error leaves it unchanged.

        An interrupt before the first update also leaves it unchanged.
        """
        with self._guard:
            self._learn_next(type(self)._begin_partial_fit, *arguments)
        return self

    def _was_interrupted(self, error):
        return not isinstance(error, Exception) and self._state.moved["n_rows"]

    def _make_passes(self, X, targets, weights):
        """Run epochs until the loss or the validation score stops improving."""
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
        """Run one epoch; raise scikit-learn's error for a sample with NaN or infinity."""
        rows = self._state.rows(X)
        end, position = self._state.learn(Dataset(rows, targets, weights, order, X))
        if end == NOT_FINITE:
            refuse_row(self, X, position if order is None else order[position])

    def _split(self, targets, weights, random):
        """Return indices of training (None: all) and validation samples for early stopping."""
        if not self.early_stopping:
            return None, None
        # Samples of weight 0 are excluded: they do not contribute to the score.
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

    def _stream_parameters(self):
        """Validate the parameters for partial_fit; return the changed values, or None."""
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

    # ---------------------------------------------------------------------------- counts

    @property
    def t_(self):
        """1 + the number of samples processed since ``fit`` started, over all epochs."""
        check_is_fitted(self)
        return 1.0 + self._state.moved["n_rows"]

    @property
    def n_updates_(self):
        """Number of samples that changed the weights since ``fit`` started, over all epochs."""
        check_is_fitted(self)
        return self._state.moved["n_updates"]


class OnlineClassifier:
    """Mixin for online classifiers: class codes, class weights and label queries."""

    _parameter_constraints: dict = {
        "n_jobs": [Integral, None],
        "class_weight": [StrOptions({"balanced"}), dict, None],
    }

    def _query_adapter(self):
        """Return the factory of the compiled query loop, or None if it cannot be used."""
        if "_state" not in self.__dict__:
            self._validate_params()
        # The loop computes margins with the current weights, not with their averages.
        return None if getattr(self, "average", False) else partial(QueryAdapter, self)

    def _read_targets(self, y, weights):
        """Return the class codes of the labels of ``fit``."""
        self.classes_, codes = label_codes(y)
        n_classes = len(self.classes_)
        if weights is not None:
            n_classes = np.count_nonzero(np.bincount(codes, weights=weights))
        if n_classes < 2:
            raise ValueError(
                "The number of classes has to be greater than one; got "
                f"{n_classes} class{'' if weights is None else ' with positive sample weight'}"
            )
        return codes

    def _row_weights(self, codes, weights, stream=False):
        """Class weight times sample weight, or None where all are 1."""
        factors = self._class_factors(codes, weights, stream)
        if factors is None:
            return weights
        return factors[codes] if weights is None else factors[codes] * weights

    def _class_factors(self, codes, weights, stream):
        """Weight of each class, or None where all are 1."""
        if self.class_weight is None:
            return None
        if self.class_weight == "balanced":
            if stream:
                raise ValueError(
                    "class_weight='balanced' is not supported for partial_fit: the class counts "
                    "of a stream are not known. Use a dict of weights."
                )
            return balanced_weights(codes, len(self.classes_), weights)
        return class_factors(self.class_weight, self.classes_)

    def _n_problems(self):
        return 1 if len(self.classes_) == 2 else len(self.classes_)
