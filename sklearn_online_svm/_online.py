"""Models that make one update per sample: epochs, streams, targets, queried labels."""

import time
from functools import partial
from numbers import Integral, Real

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import r2_score
from sklearn.model_selection import ShuffleSplit, StratifiedShuffleSplit
from sklearn.utils import check_array, check_random_state
from sklearn.utils.validation import check_is_fitted

from ._core.linear.rows import Dataset, shuffled
from ._core.linear.update_loop import NOT_FINITE
from ._estimator import Estimator, Transaction, train_on_next_chunk
from ._sample_arrays import check_norms, raise_sample_error
from ._sklearn_compat import CallbackSupportMixin, Interval, StrOptions
from ._tasks import epoch, n_blocks, reporting, sample_tasks, unguarded
from ._validation import (
    balanced_weights,
    check_labels,
    check_weights,
    class_factors,
    class_order_after,
    classes_of_stream,
    draw_seed,
    encode_labels,
    refuse_large_targets,
    unique_labels_and_codes,
    warn,
)


class OnlineLearner(CallbackSupportMixin, Estimator):
    """Base class of models that make one update per sample, in epochs or along a stream.

    What is updated is ``_state``, of the class in ``_stored_as``: the arrays of a linear model or
    a kernel expansion, with the update loop (``loop``) that changes them. A subclass sets this and
    ``_targets`` (:class:`OnlineClassTargets` or :class:`OnlineValueTargets`), and defines

    - ``_update_spec``, which returns the :class:`UpdateSpec` of its parameters;
    - ``_check_samples``, which returns validated samples and their targets;
    - ``_new_state``, which sets the state for the samples of ``fit`` or of a first chunk, and
      returns them in the dtype of the state;
    - ``_continue_state``, which prepares it for a later chunk, and for changed parameters, if any.
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

    # ---------------------------------------------------------------------------- fit

    def _fit(self, X, y, sample_weight, *initial):
        """Fit; after an error the model is unchanged, after an interrupt it keeps its updates.

        An interrupt before the first sample leaves the model unchanged, too.
        """
        self._validate_params()
        with (
            self._guard,
            reporting(self, "fit", X, y, sample_weight, self.max_iter),
            Transaction(self) as change,
        ):
            draft = change.draft
            X, y = draft._check_samples(X, y, in_stream=False)
            weights = None
            if sample_weight is not None:
                weights = check_weights(sample_weight, X, allow_all_zero=False)
            targets, row_weights = draft._targets.begin_fit(draft, X, y, weights)
            X = draft._new_state(X, weights, *initial)
            try:
                if draft._run_epochs(X, targets, row_weights) and self.tol is not None:
                    warn(
                        f"{type(self).__name__} was still improving after max_iter="
                        f"{self.max_iter} epochs. Increase max_iter, or set tol=None for a fixed "
                        "number of epochs.",
                        ConvergenceWarning,
                    )
            except BaseException as error:
                change.keep = not isinstance(error, Exception) and draft.t_ > 1
                raise
        return self

    def _run_epochs(self, X, targets, weights):
        """Run epochs until the loss or the validation score stops improving.

        Returns whether it was still improving in the last of several epochs.
        """
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
                value = self._targets.score(
                    self._decision_values(X[validation]),
                    targets[validation],
                    None if weights is None else weights[validation],
                )
            if self.verbose:
                print(
                    f"-- Epoch {n_iter}: {state.loop.n_updates:,} updates, "
                    f"{'validation score' if self.early_stopping else 'loss'} {value:.6g}, "
                    f"{time.perf_counter() - start:.3f} s"
                )
            if criterion.has_stopped(value):
                return False
        return self.max_iter > 1

    def _split(self, targets, weights, random):
        """Return indices of training (None: all) and validation samples for early stopping."""
        if not self.early_stopping:
            return None, None
        # Samples of weight 0 are excluded: they do not contribute to the score.
        used = np.arange(len(targets)) if weights is None else np.flatnonzero(weights)
        splitter = self._targets.splitter(test_size=self.validation_fraction, random_state=random)
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

    # ---------------------------------------------------------------------------- streams

    def _partial_fit(self, X, y, classes, sample_weight):
        """Update the model with a chunk; an error leaves it unchanged.

        So does an interrupt before the first update of a chunk that needs a draft.
        """
        with self._guard, reporting(self, "partial_fit", X, y, sample_weight, n_blocks):
            train_on_next_chunk(self, X, y, classes, sample_weight)
        return self

    def _begin_chunk(self, X, y, classes, sample_weight):
        """Validate a chunk and changed parameters, then prepare the state for it.

        Returns samples, targets, weights and the value of ``_class_order`` after the chunk.
        """
        first, changed = "_state" not in self.__dict__, self._stream_parameters()
        X, y = self._check_samples(X, y, in_stream=True)
        weights = None
        if sample_weight is not None:
            weights = check_weights(sample_weight, X, allow_all_zero=True)
        chunk = self._targets.begin_chunk(self, X, y, classes, weights)
        if first:
            X = self._begin_stream(X, weights)
        else:
            self._continue_state(X, changed)
        return X, *chunk

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

    def _begin_stream(self, X, weights):
        """Set the state for a first chunk; return its samples in the dtype of the state."""
        self.n_iter_ = 1
        return self._new_state(X, weights)

    def _train_on_chunk(self, X, targets, weights, class_order):
        """Train on the samples of a validated chunk, in order."""
        with sample_tasks(self, X.shape[0]) as report:
            invalid = self._state.train_chunk(X, targets, weights, report)
            if invalid >= 0:
                raise_sample_error(self, X, invalid)
        if class_order is not None:
            self._class_order = class_order

    def _was_interrupted(self, error):
        """Return whether an interrupt ended training after at least one sample of the chunk.

        For a draft, whose update loop is new.
        """
        return not isinstance(error, Exception) and self._state.loop.position > 0

    # ---------------------------------------------------------------------------- counts

    @property
    def t_(self):
        """1 + the number of samples processed since ``fit`` started, over all epochs."""
        check_is_fitted(self)
        return 1.0 + self._count("n_rows")

    @property
    def n_updates_(self):
        """Number of samples that changed the weights since ``fit`` started, over all epochs."""
        check_is_fitted(self)
        return self._count("n_updates")

    def _count(self, name):
        # One number, without the guard: another thread may be training.
        state = self._state
        return state.counters[name] if state.loop is None else getattr(state.loop, name)


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


class OnlineClassTargets:
    """How a classifier treats its targets: codes and weights of classes. It has no state."""

    one_vs_one = False
    constraints: dict = {
        "n_jobs": [Integral, None],
        "class_weight": [StrOptions({"balanced"}), dict, None],
    }
    splitter = StratifiedShuffleSplit

    def begin_fit(self, model, X, y, weights):
        """Set the classes of ``fit``; return class codes, and weights or None where all are 1."""
        model.__dict__.pop("_class_order", None)
        model.classes_, codes = unique_labels_and_codes(y)
        n_classes = len(model.classes_)
        if weights is not None:
            n_classes = np.count_nonzero(np.bincount(codes, weights=weights))
        if n_classes < 2:
            raise ValueError(
                "The number of classes has to be greater than one; got "
                f"{n_classes} class{'' if weights is None else ' with positive sample weight'}"
            )
        if isinstance(model.class_weight, str):
            factors = balanced_weights(codes, len(model.classes_), weights)
        else:
            factors = self.factors(model)
        return codes, _times(factors, codes, weights)

    def begin_chunk(self, model, X, y, classes, weights):
        """Return codes, weights and class order of a chunk; set the classes of the first one."""
        if "_state" not in model.__dict__:
            model.classes_ = classes_of_stream(classes)
            if y.dtype.kind not in "biuU":
                check_labels(y)
        codes = encode_labels(y, model.classes_, extendable=True)
        if model.class_weight is not None:
            weights = _times(self.factors(model), codes, weights)
        name, order = type(model).__name__, vars(model).get("_class_order")
        return codes, weights, class_order_after(name, len(model.classes_), order, codes)

    def factors(self, model):
        """Return the weight of each class in a stream, or None where all are 1."""
        if model.class_weight == "balanced":
            raise ValueError(
                "class_weight='balanced' is not supported for partial_fit: the class counts of a "
                "stream are not known. Use a dict of weights."
            )
        if model.class_weight is None:
            return None
        return class_factors(model.class_weight, model.classes_)

    def n_problems(self, model):
        """Return the number of functions: one for two classes, otherwise one per class."""
        return 1 if len(model.classes_) == 2 else len(model.classes_)

    def codes_of(self, scores):
        """Return the codes of the predicted classes, from decision values."""
        if scores.shape[1] == 1:
            return (scores[:, 0] > 0).astype(np.intp)
        return scores.argmax(axis=1)

    def score(self, scores, codes, weights):
        """Return the accuracy, from decision values."""
        return float(np.average(self.codes_of(scores) == codes, weights=weights))


def _times(factors, codes, weights):
    """Return class weight times sample weight; None where all are 1."""
    if factors is None:
        return weights
    return factors[codes] if weights is None else factors[codes] * weights


class OnlineValueTargets:
    """How a regressor treats its targets. It has no state."""

    splitter = ShuffleSplit

    def begin_fit(self, model, X, y, weights):
        """Return the targets of ``fit`` as float64, and weights or None."""
        return self._as_doubles(model, X, y), weights

    def begin_chunk(self, model, X, y, classes, weights):
        """Return targets and weights of a chunk; there is no class order."""
        return self._as_doubles(model, X, y), weights, None

    def n_problems(self, model):
        """Return the number of functions."""
        return 1

    def score(self, scores, targets, weights):
        """Return R^2, from predictions."""
        return r2_score(targets, scores[:, 0], sample_weight=weights)

    @staticmethod
    def _as_doubles(model, X, y):
        targets = y
        if y.dtype.kind in "biuf":
            targets = np.ascontiguousarray(y, dtype=np.float64)
        if targets.dtype != np.float64 or not np.isfinite(targets).all():
            targets = check_array(
                y, ensure_2d=False, dtype=np.float64, order="C", input_name="y", estimator=model
            )
        refuse_large_targets(targets, X.dtype)
        return targets


def query_adapter(model):
    """Return the factory of the compiled query loop, or None if it cannot be used."""
    if "_state" not in model.__dict__:
        model._validate_params()
    # The loop computes margins with the current weights, not with their averages.
    return None if getattr(model, "average", False) else partial(QueryAdapter, model)


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
        with model._guard:
            changed = model._stream_parameters()
            if first:
                model._begin_stream(X, None)
            else:
                model._continue_state(X, changed)
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
        return self.model._targets.factors(self.model)

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
            model._continue_state(self.X, model._stream_parameters())
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
