"""Training of models that make one update per sample: plans, fit, partial_fit, queried labels.

An estimator has one hook, ``_plan``, which returns an :class:`UpdatePlan`. Training is functions
of a draft of the estimator, its plan, its state and samples. The plan names the class of the
state: ``LinearState``, the arrays of a linear model, or ``ExpansionState``, a kernel expansion. It
has the update loop (``loop``) that changes it, and

- ``validated`` returns validated samples and targets;
- ``begun`` returns a state for ``fit`` or a first chunk, and the samples in its dtype;
- ``continued`` prepares it for a later chunk, and for changed parameters, if any;
- ``expect`` prepares it for samples that are visited in several calls of ``train``;
- ``train`` and ``train_chunk`` run the update loop;
- ``extended`` returns a state with functions for new classes.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from numbers import Integral, Real
from types import SimpleNamespace

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import r2_score
from sklearn.model_selection import ShuffleSplit, StratifiedShuffleSplit
from sklearn.utils import check_array, check_random_state
from sklearn.utils.validation import check_is_fitted

from . import _limits
from ._class_codes import balanced_weights, class_factors, class_order_after
from ._core.linear.rows import Dataset, shuffled
from ._core.linear.update_loop import NOT_FINITE
from ._estimator import (
    Estimator,
    extend_classes,
    has_new_classes,
    is_current,
    params_getter,
    params_of,
)
from ._pairs import codes_of
from ._sample_arrays import check_norms, raise_sample_error
from ._sklearn_compat import CallbackSupportMixin, Interval, StrOptions
from ._tasks import epoch, n_blocks, reporting, sample_tasks, unguarded
from ._threads import warn
from ._transactions import Transaction
from ._validation import (
    check_given_weights,
    check_labels,
    classes_of_stream,
    draw_seed,
    encode_labels,
    refuse_large_targets,
    require_two_classes,
    unique_labels_and_codes,
)

# -------------------------------------------------------------------------------- targets


class OnlineClassTargets:
    """How a classifier treats its targets: codes and weights of classes."""

    constraints: dict = {
        "class_weight": [StrOptions({"balanced"}), dict, None],
    }
    splitter = StratifiedShuffleSplit

    @staticmethod
    def of_fit(draft, plan, X, y, weights):
        """Set the classes of ``fit``; return class codes, and weights or None where all are 1."""
        vars(draft).pop("_class_order", None)
        draft.classes_, codes = unique_labels_and_codes(y)
        n_classes = len(draft.classes_)
        if weights is not None:
            n_classes = np.count_nonzero(np.bincount(codes, weights=weights))
        require_two_classes(n_classes, "" if weights is None else " with positive sample weight")
        if plan.params.class_weight is None:
            return codes, weights
        if isinstance(plan.params.class_weight, str):
            factors = balanced_weights(codes, len(draft.classes_), weights)
        else:
            factors = class_weights(plan.params.class_weight, draft.classes_)
        return codes, factors[codes] if weights is None else factors[codes] * weights

    @staticmethod
    def of_chunk(estimator, plan, X, y, classes, weights):
        """Return codes, weights and class order of a chunk; set the classes of the first one."""
        if "_state" not in vars(estimator):
            estimator.classes_ = classes_of_stream(classes)
            if y.dtype.kind not in "biuU":
                check_labels(y)
        known = estimator.classes_
        codes = encode_labels(y, known, extendable=True)
        if plan.params.class_weight is not None:
            factors = class_weights(plan.params.class_weight, known)
            weights = factors[codes] if weights is None else factors[codes] * weights
        params = vars(plan.params)
        if params.get("replay_size", 0) and params.get("average") != "mean":
            return codes, weights, None  # a stream may be sorted by class
        order = vars(estimator).get("_class_order")
        return codes, weights, class_order_after(plan.name, len(known), order, codes)

    @staticmethod
    def score(scores, codes, weights):
        """Return the accuracy, from decision values."""
        return float(np.average(codes_of(scores) == codes, weights=weights))

    @staticmethod
    def loss(scores, codes):
        """Return the mean hinge loss over samples and functions, each at most 2."""
        margins = -scores
        if scores.shape[1] == 1:
            margins[codes == 1] *= -1.0
        else:
            margins[np.arange(len(codes)), codes] *= -1.0
        return np.clip(1.0 - margins, 0.0, 2.0).mean()


def class_weights(class_weight, classes):
    """Return the weight of each class in a stream, or None where all are 1."""
    if class_weight is None:
        return None
    if class_weight == "balanced":
        raise ValueError(
            "class_weight='balanced' is not supported for partial_fit: the class counts of a "
            "stream are not known. Use a dict of weights."
        )
    return class_factors(class_weight, classes)


class OnlineValueTargets:
    """How a regressor treats its targets."""

    splitter = ShuffleSplit

    @staticmethod
    def of_fit(draft, plan, X, y, weights):
        """Return the targets as float64, and weights or None."""
        targets = y
        if y.dtype.kind in "biuf":
            targets = np.ascontiguousarray(y, dtype=np.float64)
        if targets.dtype != np.float64 or not np.isfinite(targets).all():
            targets = check_array(
                y, ensure_2d=False, dtype=np.float64, order="C", input_name="y", estimator=draft
            )
        refuse_large_targets(targets, X.dtype)
        return targets, weights

    @staticmethod
    def of_chunk(estimator, plan, X, y, classes, weights):
        """Return targets and weights of a chunk; there is no class order."""
        return *OnlineValueTargets.of_fit(estimator, plan, X, y, weights), None

    @staticmethod
    def score(scores, targets, weights):
        """Return R^2, from predictions."""
        return r2_score(targets, scores[:, 0], sample_weight=weights)


# -------------------------------------------------------------------------------- plans


@dataclass(frozen=True)
class UpdateSpec:
    """Parameters of the update loop, derived from those of an estimator; plain values."""

    rule: dict
    target_margins: dict = field(default_factory=dict)
    fit_intercept: bool = True
    # Value of the constant feature of the intercept, for dense and for sparse samples.
    intercept_scaling: tuple = (1.0, 1.0)
    covariance: str | None = None
    start_variance: float = 1.0
    crammer_singer: bool = False
    # Number of samples before averaging begins; None: no average.
    average_from: int | None = None
    # Parameters of local models: n_prototypes, n_neighbors, lam; None: a single hyperplane.
    local: dict | None = None
    # The result of ``rules_of``; None: no advice.
    advice: dict | None = None

    @property
    def derived(self):
        """Whether the weights that predict are computed from the stored ones."""
        return self.average_from is not None or self.advice is not None


@dataclass(frozen=True)
class Schema:
    """What is known of the data: classes (None: regression), number and names of the features."""

    classes: np.ndarray | None
    # Number of functions: one for two classes, otherwise one per class.
    n_problems: int
    n_features: int
    feature_names: np.ndarray | None


def schema_of(estimator):
    """Return the schema of the data that an estimator is trained on."""
    classes, names = map(vars(estimator).get, ("classes_", "feature_names_in_"))
    n_problems = 1 if classes is None or len(classes) == 2 else len(classes)
    return Schema(classes, n_problems, estimator.n_features_in_, names)


@dataclass(frozen=True)
class UpdatePlan:
    """How an estimator is trained."""

    name: str  # name of the estimator, for messages
    params: SimpleNamespace  # a copy of all parameters
    values: tuple | None  # the parameters when the plan was made; None if they may change in place
    update_spec: UpdateSpec  # the update
    state: type  # class of the state
    # How targets are encoded, :class:`OnlineClassTargets` or :class:`OnlineValueTargets`.
    targets: type = OnlineClassTargets
    # Function of the plan and a :class:`Schema`, which returns the :class:`UpdateSpec` with what
    # depends on classes or features.
    complete: Callable | None = None
    # Returns the :class:`ExpansionSpec` of a kernel model, given what the samples determine.
    expansion: Callable | None = None
    fewest: int = 1  # fewest samples of a chunk
    # Function of the state, which warns of a model that does not learn any more.
    check: Callable | None = None

    def spec_for(self, schema):
        """Return the specification of the updates for these data."""
        return self.update_spec if self.complete is None else self.complete(self, schema)


def plan_of(estimator, update_spec, state, **options):
    """Return the plan of an estimator; ``options``: other fields of :class:`UpdatePlan`."""
    values = params_getter(type(estimator))(estimator)
    if {dict, list, tuple, np.ndarray}.intersection(map(type, values)):
        values = None
    params = params_of(estimator, early_stopping=False)
    return UpdatePlan(type(estimator).__name__, params, values, update_spec, state, **options)


class OnlineLearner(CallbackSupportMixin, Estimator):
    """Base class of models that make one update per sample, in epochs or along a stream.

    A subclass has ``_plan``, which returns the :class:`UpdatePlan` of its parameters. What is
    updated is ``_state``; ``classes_`` and ``n_iter_`` are attributes of their own.
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

    @property
    def t_(self):
        """1 + the number of samples processed since ``fit`` started, over all epochs."""
        return 1.0 + _count(self, "n_rows")

    @property
    def n_updates_(self):
        """Number of samples that changed the weights since ``fit`` started, over all epochs."""
        return _count(self, "n_updates")


def _count(model, name):
    # One number, without the guard: another thread may be training.
    check_is_fitted(model)
    state = model._state
    return state.counters[name] if state.loop is None else getattr(state.loop, name)


# -------------------------------------------------------------------------------- fit

# max_iter="auto": the k-th epoch is useful if it increases the number of correct predictions by
# more than this number of standard errors, or reduces the loss by more than TRIAL_GAIN / k^2,
# which is rare with texts. Samples are held out of at most this number of epochs.
TRIAL_ERRORS, TRIAL_GAIN, TRIAL_EPOCHS = 2.0, 0.8, 4


def fit(estimator, X, y, sample_weight, initial=(None, None)):
    """Fit the estimator; after an error it is unchanged, after an interrupt it keeps its updates.

    An interrupt before the first sample leaves it unchanged, too. ``initial``: ``coef_init`` and
    ``intercept_init`` of a linear model.
    """
    estimator._validate_params()
    with (
        estimator._guard,
        reporting(estimator, "fit", X, y, sample_weight, n_epochs(estimator.max_iter)),
        Transaction(estimator) as change,
    ):
        draft, former = change.draft, vars(estimator).get("_state")
        plan = draft._plan()
        X, y = plan.state.validated(draft, plan, None, X, y)
        weights = check_given_weights(sample_weight, X, allow_all_zero=False)
        targets, row_weights = plan.targets.of_fit(draft, plan, X, y, weights)
        X, state = plan.state.begun(plan, schema_of(draft), X, weights, (former, *initial))
        draft._state, draft._fitted_params = state, draft._current_params()
        most = n_epochs(plan.params.max_iter)
        state.expect(X, again=most > 1)
        try:
            is_improving = run_epochs(draft, plan, X, targets, row_weights)
            if plan.check is not None:
                plan.check(state)
            if is_improving and plan.params.tol is not None:
                warn(
                    f"{plan.name} was still improving after max_iter={most} epochs. "
                    "Increase max_iter, or set tol=None for a fixed number of epochs.",
                    ConvergenceWarning,
                )
        except BaseException as error:
            change.keep = not isinstance(error, Exception) and state.loop.n_rows > 0
            raise
        finally:
            state.expect(None)
    return estimator


def n_epochs(max_iter):
    """Return the maximum number of epochs of ``fit``."""
    return _limits.MAX_EPOCHS if max_iter == "auto" else max_iter


def run_epochs(draft, plan, X, targets, weights):
    """Run epochs until the loss or the validation score stops improving.

    As in scikit-learn, an improvement is ``tol`` in the mean loss per sample or in the score. With
    ``max_iter="auto"``, some samples are left out first (:class:`Trial`).
    Returns whether it was still improving in the last of several epochs.
    """
    params, state = plan.params, draft._state
    samples, random = state.samples(X), check_random_state(params.random_state)
    used = validation = trial = None
    if params.early_stopping:
        used, validation = split(plan, targets, weights, random)
    n_train = X.shape[0] if validation is None else len(used)
    if params.max_iter == "auto" and validation is None and params.tol is not None:
        trial = Trial.of(n_train, params.shuffle, random)
        used = None if trial is None else trial.used
    least = (params.tol or 0.0) * (1 if params.early_stopping else n_train)
    best, n_without, is_over = -np.inf, 0, False

    def train(order):
        n = X.shape[0] if order is None else len(order)
        state.loop.reset_loss()
        with epoch(draft, n, order=order) as report:
            draft.n_iter_ = n_iter
            dataset = Dataset(samples, targets, weights, order, X)
            end, position = state.train(dataset, progress=report)
            if end == NOT_FINITE:
                raise_sample_error(draft, X, position if order is None else order[position])
        return -state.loop.loss * (n_train / n)

    for n_iter in range(1, n_epochs(params.max_iter) + 1):
        start = time.perf_counter()
        order = used
        if params.shuffle:
            order = shuffled(X.shape[0] if used is None else len(used), draw_seed(random))
            if used is not None:
                order = used[order]
        gain = train(order)
        if params.early_stopping:
            scores = draft._decision_values(X[validation])
            some_weights = None if weights is None else weights[validation]
            gain = plan.targets.score(scores, targets[validation], some_weights)
        if params.verbose:
            name, value = ("validation score", gain) if params.early_stopping else ("loss", -gain)
            print(
                f"-- Epoch {n_iter}: {state.loop.n_updates:,} updates, {name} {value:.6g}, "
                f"{time.perf_counter() - start:.3f} s"
            )
        n_without = 0 if gain >= best + least else n_without + 1
        best = max(best, gain)
        is_over = params.tol is not None and n_without >= params.n_iter_no_change
        if trial is not None:
            trial.judge(n_iter, draft, plan, X, targets)
            is_over = is_over or trial.ends_training
            if is_over or trial.is_over:
                train(trial.left_out)
                used = trial = None
        if is_over:
            return False
    if trial is not None:
        train(trial.left_out)
    return params.max_iter != 1


class Trial:
    """Samples held out of the first epochs of ``max_iter="auto"``, to detect overfitting.

    The model memorizes if its loss is much smaller for samples that it was trained on. Training
    then ends with the first epoch that improves neither the predictions for the held-out samples
    nor their loss enough. The trial ends with the first epoch after which the model does not
    memorize, or with the fourth one.
    """

    def __init__(self, used, left_out):
        self.used, self.left_out = used, left_out
        self.is_over = self.ends_training = False
        self._correct = self._loss = None  # of the samples left out

    @classmethod
    def of(cls, n, shuffle, random):
        """Return the trial of a fit with so many samples, or None if they are too few."""
        if n < _limits.LEAST_FOR_TRIAL:
            return None
        order = shuffled(n, draw_seed(random)) if shuffle else np.arange(n)
        return cls(*np.split(order, [-min(n // 10, _limits.MOST_LEFT_OUT)]))

    def judge(self, n_iter, draft, plan, X, targets):
        """Set ``is_over`` and ``ends_training`` after an epoch."""
        before, loss_before, codes = self._correct, self._loss, targets[self.left_out]
        scores = draft._decision_values(X[self.left_out])
        self._correct, self._loss = codes_of(scores) == codes, plan.targets.loss(scores, codes)
        if n_iter == 1:
            return
        known = self.used[: len(codes)]
        known_loss = plan.targets.loss(draft._decision_values(X[known]), targets[known])
        memorizes = known_loss < _limits.TRIAL_SHARE * self._loss
        gained = np.count_nonzero(self._correct) - np.count_nonzero(before)
        changed = np.count_nonzero(self._correct != before)
        is_better = gained > TRIAL_ERRORS * np.sqrt(changed)
        is_better |= loss_before - self._loss > TRIAL_GAIN / n_iter**2 * loss_before
        self.ends_training = memorizes and not is_better
        self.is_over = self.ends_training or not memorizes or n_iter == TRIAL_EPOCHS


def split(plan, targets, weights, random):
    """Return the indices of training and validation samples, for early stopping."""
    # Samples of weight 0 are excluded: they do not contribute to the score.
    used = np.arange(len(targets)) if weights is None else np.flatnonzero(weights)
    fraction = plan.params.validation_fraction
    splitter = plan.targets.splitter(test_size=fraction, random_state=random)
    train, validation = next(splitter.split(np.zeros((len(used), 1)), targets[used]))
    if not len(train) or not len(validation):
        raise ValueError(
            f"Splitting {len(used)} samples with validation_fraction={fraction} gives "
            f"{len(train)} training samples and {len(validation)} validation samples; "
            "early_stopping=True needs both."
        )
    if not plan.params.shuffle:
        train = np.sort(train)
    return used[train].astype(np.int64), used[validation]


# -------------------------------------------------------------------------------- partial_fit


def partial_fit(estimator, X, y, classes, sample_weight):
    """Train on the next chunk of a stream; an error leaves the estimator unchanged.

    The first chunk, and one with new classes, are processed by a draft, which is dropped after an
    interrupt before the first sample. Other chunks are trained without one, as making a draft
    takes as long as training on a sample: the state is changed only after all checks, and remains
    consistent if training is interrupted.
    """
    with estimator._guard, reporting(estimator, "partial_fit", X, y, sample_weight, n_blocks):
        is_fitted = "_state" in vars(estimator)
        if is_fitted and (classes is None or not has_new_classes(estimator, classes)):
            train_on_chunk(estimator, *begin_chunk(estimator, X, y, classes, sample_weight))
            return estimator
        with Transaction(estimator) as change:
            draft = change.draft
            if is_fitted:
                add_classes(draft, classes)
            chunk = begin_chunk(draft, X, y, classes, sample_weight)
            try:
                train_on_chunk(draft, *chunk)
            except BaseException as error:
                # The update loop of a draft is new.
                is_trained = draft._state.loop.position > 0
                change.keep = not isinstance(error, Exception) and is_trained
                raise
    return estimator


def begin_chunk(estimator, X, y, classes, sample_weight):
    """Validate a chunk and changed parameters, then prepare the state for it.

    Returns the plan, samples, targets, weights, and the value of ``_class_order`` after the chunk.
    """
    state = vars(estimator).get("_state")
    plan, new = next_plan(estimator, state)
    X, y = plan.state.validated(estimator, plan, state, X, y, plan.fewest)
    weights = check_given_weights(sample_weight, X, allow_all_zero=True)
    chunk = plan.targets.of_chunk(estimator, plan, X, y, classes, weights)
    return plan, use_plan(estimator, state, plan, new, X, weights), *chunk


def next_plan(estimator, state):
    """Return the plan of a chunk, and the watched parameters if they have changed, or None."""
    if state is not None and is_current(state.plan, estimator):
        return state.plan, None
    new = estimator._validate_params() if state is None else estimator._changed_params()
    plan = estimator._plan()
    if plan.params.early_stopping:
        raise ValueError(
            "early_stopping should be False with partial_fit, which trains on all samples of a "
            "chunk in one epoch and sets none aside for validation."
        )
    return plan, new


def use_plan(estimator, state, plan, new, X, weights=None):
    """Begin the state, or prepare it for samples and a changed plan; return the samples."""
    if state is None:
        X, state = plan.state.begun(plan, schema_of(estimator), X, weights)
        estimator._state, estimator.n_iter_ = state, 1
        estimator._fitted_params = estimator._current_params()
    else:
        # Invalid parameters raise an error here, before the state is changed.
        spec = None if new is None else plan.spec_for(schema_of(estimator))
        state.continued(estimator, X, spec)
        if new is not None:
            estimator._fitted_params = new
    state.plan = plan
    return X


def train_on_chunk(estimator, plan, X, targets, weights, class_order):
    """Train on the samples of a validated chunk, in order."""
    state = estimator._state
    n_before = state.loop.n_rows
    # A callable kernel may raise an error.
    saved = None if plan.expansion is None else state.saved()
    try:
        with sample_tasks(estimator, X.shape[0]) as report:
            invalid = state.train_chunk(X, targets, weights, report)
            if invalid >= 0:
                raise_sample_error(estimator, X, invalid)
    except Exception:
        if saved is not None:
            estimator._state = saved
        raise
    if class_order is not None:
        estimator._class_order = class_order
    if plan.check is not None:
        # Only each time the number of samples has doubled, as the whole state is read.
        n_bits = [(1 + n).bit_length() for n in (n_before, state.loop.n_rows)]
        if n_bits[0] < n_bits[1]:
            plan.check(state)


def add_classes(self, classes):
    """Add functions for new classes to a fitted model, which must be a draft."""
    places = extend_classes(self, classes)
    plan, _ = next_plan(self, self._state)
    self._state = self._state.extended(plan, schema_of(self), places)


# -------------------------------------------------------------------------------- queried labels


def query_adapter(model):
    """Return the factory of the compiled query loop, or None if it cannot be used."""
    if "_state" not in vars(model):
        model._validate_params()
    # The loop computes margins with the current weights, not with their averages.
    return None if getattr(model, "average", False) else partial(QueryAdapter, model)


class QueryAdapter:
    """Training of a classifier on samples whose labels are queried within its update loop.

    An estimator that supports this has a method ``_query_adapter``, which validates its parameters
    and returns a factory ``(X, classes) -> QueryAdapter``; or None if the margins in the loop
    differ from its ``decision_function``. Other estimators are trained sample by sample.
    """

    def __init__(self, model, X, classes):
        first = "_state" not in vars(model)
        if first:
            model.n_features_in_ = X.shape[1]
        elif X.shape[1] != model.n_features_in_:
            raise ValueError(
                f"X has {X.shape[1]} features, but {type(model).__name__} is expecting "
                f"{model.n_features_in_} features as input."
            )
        model.classes_ = classes_of_stream(classes, None if first else model.classes_)
        with model._guard:
            state = vars(model).get("_state")
            use_plan(model, state, *next_plan(model, state), X)
            self.state = model._state
            self.state.expect(X, again=True)
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
        return class_weights(self.model.class_weight, self.model.classes_)

    def learn(self, codes, weights, order, purchases, progress=None):
        """Continue from ``position`` until all samples are processed or a label is missing.

        Negative ``codes`` are unknown labels. Return ``DONE``, or the reason why the loop stopped.
        """
        model, state = self.model, self.state
        # The guard is released while the oracle is called, so other threads can predict.
        with model._guard:
            if model._state is not state:
                raise RuntimeError(f"{model!r} was fitted again while the oracle was called.")
            # The oracle may have changed parameters, or trained the model on other samples.
            use_plan(model, state, *next_plan(model, state), self.X)
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
