"""Online learners that make one update step per sample: epochs, targets, queried labels."""

import time
import warnings
from functools import partial
from numbers import Integral, Real

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_array, check_random_state
from sklearn.utils.validation import check_is_fitted

from ._core.linear.rows import Dataset, shuffled
from ._core.linear.update_loop import NOT_FINITE
from ._estimator import IncrementalEstimator
from ._sample_arrays import check_norms, raise_sample_error
from ._sklearn_compat import Interval, StrOptions
from ._tasks import epoch, n_blocks, reporting, unguarded
from ._validation import (
    balanced_weights,
    class_factors,
    classes_of_stream,
    draw_seed,
    refuse_large_targets,
    unique_labels_and_codes,
)


class OnlineLearner(IncrementalEstimator):
    """Base class of online learners that run epochs over the samples.

    A subclass sets ``_state``, which has ``train`` and the update loop (``loop``), and defines
    ``_begin_partial_fit`` and ``_train_on_chunk`` if it uses ``_partial_fit_in_transaction``.
    """

    _state_attribute = "_state"

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

    # ---------------------------------------------------------------------------- training

    def _partial_fit_in_transaction(self, X, y, classes, sample_weight):
        """Update the model with a chunk; an error leaves it unchanged.

        An interrupt before the first update also leaves it unchanged.
        """
        with self._guard, reporting(self, "partial_fit", X, y, sample_weight, n_blocks):
            begin = type(self)._begin_partial_fit
            self._train_on_next_chunk(begin, X, y, classes, sample_weight)
        return self

    def _was_interrupted(self, error):
        """Return whether an interrupt ended training after at least one sample."""
        if isinstance(error, Exception) or "_state" not in self.__dict__:
            return False
        return self._state.counters["n_rows"] > 0

    def _run_epochs(self, X, targets, weights):
        """Run epochs until the loss or the validation score stops improving."""
        state = self._state
        samples = state.samples(X)
        random = check_random_state(self.random_state)
        train, validation = self._split(targets, weights, random)
        n_train = X.shape[0] if train is None else len(train)
        criterion = _Improvement(self.tol, n_train, self.n_iter_no_change, self.early_stopping)
        for n_iter in range(1, self.max_iter + 1):
            start = time.perf_counter()
            order = train
            if self.shuffle:
                order = shuffled(n_train, draw_seed(random))
                if train is not None:
                    order = train[order]
            state.loop.reset_loss()
            with epoch(self, n_train, order=order) as report:
                self.n_iter_ = n_iter
                dataset = Dataset(samples, targets, weights, order, X)
                end, position = state.train(dataset, progress=report)
                if end == NOT_FINITE:
                    raise_sample_error(self, X, position if order is None else order[position])
            value = state.loop.loss
            if self.early_stopping:
                value = self._validation_score(X, targets, weights, validation)
            if self.verbose:
                print(
                    f"-- Epoch {n_iter}: {state.loop.n_updates:,} updates, "
                    f"{'validation score' if self.early_stopping else 'loss'} {value:.6g}, "
                    f"{time.perf_counter() - start:.3f} s"
                )
            if criterion.has_stopped(value):
                break
        else:
            if self.tol is not None and self.max_iter > 1:
                warnings.warn(
                    f"{type(self).__name__} was still improving after max_iter={self.max_iter} "
                    "epochs. Increase max_iter, or set tol=None for a fixed number of epochs.",
                    ConvergenceWarning,
                    stacklevel=4,
                )

    def _split(self, targets, weights, random):
        """Return indices of training (None: all) and validation samples for early stopping."""
        if not self.early_stopping:
            return None, None
        # Samples of weight 0 are excluded: they do not contribute to the score.
        used = np.arange(len(targets)) if weights is None else np.flatnonzero(weights)
        splitter = self._splitter(test_size=self.validation_fraction, random_state=random)
        train, validation = next(splitter.split(np.zeros((len(used), 1)), targets[used]))
        if not len(train) or not len(validation):
            raise ValueError(
                f"Splitting {len(used)} samples with validation_fraction="
                f"{self.validation_fraction} gives {len(train)} training samples and "
                f"{len(validation)} validation samples; early_stopping=True needs both."
            )
        if not self.shuffle:
            train = np.sort(train)
        return used[train].astype(np.int64), used[validation]

    def _stream_parameters(self):
        """Validate the parameters for partial_fit; return the changed values, or None."""
        if "_state" in self.__dict__:
            return self._changed_params()
        self._validate_params()
        return None

    # ---------------------------------------------------------------------------- counts

    @property
    def t_(self):
        """1 + the number of samples processed since ``fit`` started, over all epochs."""
        check_is_fitted(self)
        return 1.0 + self._state.counters["n_rows"]

    @property
    def n_updates_(self):
        """Number of samples that changed the weights since ``fit`` started, over all epochs."""
        check_is_fitted(self)
        return self._state.counters["n_updates"]


class _Improvement:
    """Stopping criterion: ``patience`` consecutive epochs without an improvement.

    As in scikit-learn, an improvement is ``tol`` in the mean loss per sample or, with
    ``maximize``, in the validation score.
    """

    def __init__(self, tol, n_samples, patience, maximize):
        self.sign = 1.0 if maximize else -1.0
        self.stops = tol is not None
        self.least = (tol or 0.0) * (1 if maximize else n_samples)
        self.patience = patience
        self.best, self.n_without = -np.inf, 0

    def has_stopped(self, value):
        """Record the loss or score of an epoch; return whether training should stop."""
        value = self.sign * value
        self.n_without = 0 if value >= self.best + self.least else self.n_without + 1
        self.best = max(self.best, value)
        return self.stops and self.n_without >= self.patience


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

    def _encode_targets(self, X, y, weights):
        """Return the class codes of the labels of ``fit``."""
        self.classes_, codes = unique_labels_and_codes(y)
        n_classes = len(self.classes_)
        if weights is not None:
            n_classes = np.count_nonzero(np.bincount(codes, weights=weights))
        if n_classes < 2:
            raise ValueError(
                "The number of classes has to be greater than one; got "
                f"{n_classes} class{'' if weights is None else ' with positive sample weight'}"
            )
        return codes

    def _sample_weights(self, codes, weights, stream=False):
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


class OnlineRegressor(RegressorMixin):
    """Mixin for passive-aggressive regression: targets and the update rule."""

    _parameter_constraints: dict = {
        "C": [Interval(Real, 0.0, None, closed="right")],
        "loss": [StrOptions({"epsilon_insensitive", "squared_epsilon_insensitive"})],
        "epsilon": [Interval(Real, 0.0, None, closed="left")],
    }
    _adjustable_params = ("C", "loss", "epsilon")

    def _update_rule(self):
        return {
            "name": self.loss.replace("epsilon_", ""),
            "C": float(self.C),
            "epsilon": float(self.epsilon),
        }

    def _encode_targets(self, X, y, weights):
        """Return the targets as float64; y is an array."""
        targets = y
        if y.dtype.kind in "biuf":
            targets = np.ascontiguousarray(y, dtype=np.float64)
        if targets.dtype != np.float64 or not np.isfinite(targets).all():
            targets = check_array(
                y, ensure_2d=False, dtype=np.float64, order="C", input_name="y", estimator=self
            )
        refuse_large_targets(targets, X.dtype)
        return targets

    def _sample_weights(self, targets, weights, stream=False):
        return weights

    def _n_problems(self):
        return 1


class QueryAdapter:
    """Training of a classifier on samples whose labels are queried within its update loop.

    An estimator that supports this has a method ``_query_adapter``, which validates its parameters
    and returns a factory ``(X, classes) -> QueryAdapter``; or None if the margins in the loop
    differ from its ``decision_function``. Other estimators are trained sample by sample.

    Parameters
    ----------
    model : OnlineLearner
    X : {ndarray, csr_matrix} of shape (n_samples, n_features)
        Samples validated by ``check_samples``.
    classes : ndarray of shape (n_classes,)
    """

    def __init__(self, model, X, classes):
        first = "_state" not in model.__dict__
        if first:
            model.n_features_in_ = X.shape[1]
        elif X.shape[1] != model.n_features_in_:
            raise ValueError(
                f"X has {X.shape[1]} features, but {type(model).__name__} is expecting "
                f"{model.n_features_in_} features as input."
            )
        model.classes_ = classes_of_stream(classes, None if first else model.classes_)
        model.__dict__.setdefault("n_iter_", 1)
        with model._guard:
            model._prepare_state(X, model._stream_parameters())
            self.state = model._state
            self.state.expect_samples(X.shape[0], again=True)
        with np.errstate(over="ignore"):  # the loop refuses samples that overflow
            X = X.astype(self.state.dtype, copy=False)
        self.model, self.X = model, X
        self.samples, self.feature_map = self.state.samples(X), self.state.feature_map
        # Before the first sample is learned: a chunk is refused as a whole.
        check_norms(model, X, np.finfo(X.dtype).max)
        # Number of samples processed in this epoch.
        self.position = 0

    @property
    def class_weights(self):
        """Weight of each class, or None where all are 1."""
        return self.model._class_factors(None, None, stream=True)

    def learn(self, codes, weights, order, purchases, progress=None):
        """Continue from ``position`` until all samples are processed or a label is missing.

        Parameters
        ----------
        codes : ndarray of int32
            Class code of each sample, negative if the label is unknown.
        weights : ndarray of float64 or None
        order : ndarray of int64 or None
        purchases : LabelQueries
            The query strategy, and the record of the queried labels.
        progress : callable, default=None
            Called with the number of samples processed.

        Returns
        -------
        end : int
            ``DONE``, or the reason why the loop stopped before the last sample.
        """
        model, state = self.model, self.state
        # The guard is released while the oracle is called, so other threads can predict.
        with model._guard:
            if model._state is not state:
                raise RuntimeError(f"{model!r} was fitted again while the oracle was called.")
            # The oracle may have changed parameters, or trained the model on other samples.
            model._prepare_state(self.X, model._stream_parameters())
            if state.feature_map is not self.feature_map:
                self.samples, self.feature_map = state.samples(self.X), state.feature_map
            dataset = Dataset(self.samples, codes, weights, order, self.X)
            # An interrupt before the first sample leaves the position unchanged.
            state.loop.position = start = self.position
            progress = unguarded(progress, model._guard)
            try:
                end, self.position = state.train(dataset, start, purchases, progress=progress)
            except BaseException:
                self.position = state.loop.position
                raise
            finally:
                state.publish()
        if end == NOT_FINITE:
            i = self.position if order is None else int(order[self.position])
            raise_sample_error(model, self.X, i)
        return end
