"""Bases of the kernel models with one update per sample (perceptron, passive-aggressive, AROW)."""

import warnings
from numbers import Integral

import numpy as np
from scipy import sparse
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from .._core.linear.rows import Dataset
from .._estimator import Transaction
from .._online import OnlineClassifier, OnlineLearner
from .._sklearn_compat import Interval, Options, StrOptions
from .._tasks import reporting, sample_tasks
from .._validation import (
    can_skip_validation,
    check_labels,
    check_samples,
    check_weights,
    class_order_after,
    classes_of_stream,
    encode_labels,
)
from ._engine import choose_layout
from ._expansion import POLICIES, ExpansionSpec, ExpansionState
from ._model import MIN_FIRST_CHUNK, KernelClassifier, KernelModel, can_take_new_samples
from ._new_classes import extended_expansion


class KernelUpdates(KernelModel, OnlineLearner):
    """Base of kernel models that make one update per sample.

    A subclass defines ``_update_spec``, which returns the :class:`UpdateSpec` of its parameters,
    ``_expansion_options``, which returns fields of :class:`ExpansionSpec`, and
    ``_encode_chunk``, which returns class codes or targets of the arguments X, y and ``classes``
    of ``partial_fit``. :class:`OnlineClassifier` or :class:`OnlineRegressor` defines the rest.
    """

    _fixed_params = (*KernelModel._fixed_params, "max_support_vectors")

    _parameter_constraints: dict = {
        **KernelModel._parameter_constraints,
        **OnlineLearner._parameter_constraints,
    }

    # ---------------------------------------------------------------------------- training

    def _fit(self, X, y, sample_weight):
        """Fit; after an error the model is unchanged, after an interrupt it keeps its updates."""
        self._validate_params()
        with (
            self._guard,
            reporting(self, "fit", X, y, sample_weight, self.max_iter),
            Transaction(self) as change,
        ):
            draft = change.draft
            X, targets, weights = draft._begin_fit(X, y, sample_weight)
            state = draft._state
            state.expect_samples(X.shape[0], again=self.max_iter > 1)
            state.attach(X)
            try:
                draft._run_epochs(X, targets, weights)
            except BaseException as error:
                change.keep = not isinstance(error, Exception)
                raise
            finally:
                state.attach(None)
                state.expect_samples(0, again=False)
        return self

    def _begin_fit(self, X, y, sample_weight):
        accept_sparse = False if self._is_precomputed() else "csr"
        X, y = check_samples(self, X, y, reset=True, accept_sparse=accept_sparse)
        if self._is_precomputed() and X.shape[0] != X.shape[1]:
            raise ValueError(
                "Precomputed matrix must be a square matrix. "
                f"Input is a {X.shape[0]}x{X.shape[1]} matrix."
            )
        weights = None
        if sample_weight is not None:
            weights = check_weights(sample_weight, X, allow_all_zero=False)
        self.__dict__.pop("_class_order", None)
        targets = self._encode_targets(X, y, weights)
        row_weights = self._sample_weights(targets, weights)
        return self._first_state(X, weights), targets, row_weights

    def _begin_partial_fit(self, X, y, classes, sample_weight):
        first = "_state" not in self.__dict__
        new = self._stream_parameters()
        dtype = None if first else self._dtype
        if not first and y is not None and can_skip_validation(self, X, dtype):
            y = np.asarray(y)
            if y.shape != (X.shape[0],):
                X, y = check_samples(self, X, y, reset=False, dtype=dtype)
        else:
            X, y = check_samples(self, X, y, reset=first, dtype=dtype)
        targets = self._encode_chunk(X, y, classes)
        weights = None
        if sample_weight is not None:
            weights = check_weights(sample_weight, X, allow_all_zero=True)
        row_weights = self._sample_weights(targets, weights, stream=True)
        if first:
            self._warn_if_few(X)
            X = self._first_state(X, weights)
        self._state.check(X)
        if not first:
            self._prepare_state(X, new)
        self.__dict__.setdefault("n_iter_", 1)
        return X, targets, row_weights

    def _warn_if_few(self, X):
        if self._uses_gamma_scale() and X.shape[0] < MIN_FIRST_CHUNK:
            warnings.warn(
                f"gamma='scale' is fixed by the first chunk, which has only {X.shape[0]} "
                "samples; give gamma a number, or begin with a larger chunk.",
                UserWarning,
                stacklevel=6,
            )

    def _train_on_chunk(self, X, targets, weights):
        """Train on a chunk in order; undo the whole chunk if a callable kernel raises an error."""
        state = self._state
        saved = state.saved()
        state.expect_samples(X.shape[0], again=False)
        try:
            with sample_tasks(self, X.shape[0]) as report:
                dataset = Dataset(state.samples(X), targets, weights, None, X)
                state.train(dataset, progress=report)
        except BaseException as error:
            if saved is not None and isinstance(error, Exception):
                self._state = saved
            else:
                state.expansion.expect_no_more(state.loop.position)
            raise

    def _prepare_state(self, X, new):
        """Create the state for the first samples, or apply new parameters to it."""
        if "_state" not in self.__dict__:
            self._warn_if_few(X)
            self._first_state(X, None)
        elif new is not None:
            self._state.set_update_spec(self._update_spec())
            self._apply_params(new)

    def _first_state(self, X, weights):
        """Set the kernel and create an empty state; return X in the dtype it requires."""
        options = self._expansion_options()
        if weights is None or not weights.any():
            weights = np.ones(X.shape[0])
        X = self._fix_gamma(X, weights)
        spec = ExpansionSpec(
            n_features=X.shape[1],
            n_problems=self._n_problems(),
            dtype=X.dtype.name,
            layout=choose_layout(X, self.kernel),
            kernel=self._kernel_of_spec(),
            degree=int(self.degree),
            gamma=self.gamma_,
            coef0=float(self.coef0),
            **options,
        )
        self._sparse = sparse.issparse(X)
        self._state = ExpansionState(spec, self._update_spec())
        self._fitted_params = self._current_params()
        return X

    # ---------------------------------------------------------------------------- the solution

    def _solution(self):
        return self._state.solution()

    @property
    def _spec(self):
        return self._state.spec

    @property
    def _dtype(self):
        return self._state.dtype

    @property
    def n_samples_seen_(self):
        """Number of samples seen since ``fit`` was last called, each counted once."""
        check_is_fitted(self)
        return self._state.expansion.n_seen

    @property
    def n_kernel_evaluations_(self):
        """Number of kernel values computed for training."""
        check_is_fitted(self)
        return self._state.expansion.n_evaluations

    # ---------------------------------------------------------------------------- conventions

    def _counts_of_state(self):
        return self._state.expansion.n_kept, self._state.expansion.n_evaluations

    def _packed(self, state):
        return {"_state": state["_state"].as_dict()}

    def _rebuilt(self, state):
        """Return the fitted attributes of a stored model that predictions require."""
        return {"_state": ExpansionState.from_state(state["_state"])}


class KernelUpdateClassifier(OnlineClassifier, KernelClassifier, KernelUpdates):
    """Base of kernel classifiers that make one update per sample."""

    _adjustable_params = ("class_weight",)

    _parameter_constraints: dict = {
        **KernelUpdates._parameter_constraints,
        **OnlineClassifier._parameter_constraints,
    }

    def fit(self, X, y, sample_weight=None):
        """Fit the model: reset it and run up to ``max_iter`` epochs.

        Interruptible: Ctrl-C leaves a usable model. Invalid input leaves a fitted model unchanged.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features) \
                or (n_samples, n_samples)
            Training samples, or the kernel matrix if ``kernel="precomputed"``.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Per-sample weights; see Notes for their effect. Samples of weight 0 are ignored.

        Returns
        -------
        self : object
            Fitted estimator.

        Raises
        ------
        ValueError
            If the input is invalid, or fewer than two classes have positive weight.
        """
        return self._fit(X, y, sample_weight)

    @available_if(can_take_new_samples)
    def partial_fit(self, X, y, classes=None, sample_weight=None):
        """Continue training with new samples, one after the other.

        Every sample is treated as new: to run several epochs over the same samples use
        ``fit(max_iter=...)``. The model does not depend on how a stream is divided into chunks.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples, in the order of the stream. Shuffle them if they are sorted.
        y : array-like of shape (n_samples,)
            Class labels. A chunk may contain a single class.
        classes : array-like of shape (n_classes,), default=None
            All classes that can occur. Must be passed in the first call; optional afterwards. A
            later call with additional classes adds them to the model, see :ref:`new_classes`.
        sample_weight : array-like of shape (n_samples,), default=None
            Per-sample weights; see Notes for their effect. Samples of weight 0 are ignored.

        Returns
        -------
        self : object
            Fitted estimator.

        Raises
        ------
        ValueError
            If the input is invalid, or a label is not among the classes. The model is left
            unchanged, also if a callable kernel raises an error within a chunk.
        """
        return self._partial_fit_in_transaction(X, y, classes, sample_weight)

    def _encode_chunk(self, X, y, classes):
        if "_state" not in self.__dict__:
            self.classes_ = classes_of_stream(classes)
        if y.dtype.kind not in "biuU":
            check_labels(y)
        return encode_labels(y, self.classes_, extendable=True)

    def _train_on_chunk(self, X, codes, weights):
        order = class_order_after(self, codes)
        super()._train_on_chunk(X, codes, weights)
        self._class_order = order

    def _extend(self, places):
        """Add functions for new classes, whose negative samples are the support vectors."""
        factors = self._class_factors(None, None, stream=True)
        self._state = extended_expansion(
            self._state, places, len(self.classes_), None if factors is None else factors[places]
        )


class FirstOrderKernelUpdates(KernelUpdates):
    """Base of kernel models whose update adds one support vector."""

    _fixed_params = (*KernelUpdates._fixed_params, "budget_policy", "average")

    # Budget policies and averages that need class labels are added by the classifiers.
    _parameter_constraints: dict = {
        **KernelUpdates._parameter_constraints,
        "max_support_vectors": [Interval(Integral, 1, None, closed="left"), None],
        "budget_policy": [StrOptions({*POLICIES} - {"margin"})],
        "average": [StrOptions({"mean"}), Options(bool, {False})],
    }

    def _expansion_options(self):
        if self.max_support_vectors is not None:
            self._refuse_contradictions()
        return dict(
            budget=None if self.max_support_vectors is None else int(self.max_support_vectors),
            policy=self.budget_policy,
            average=self.average or None,
        )

    def _refuse_contradictions(self):
        """Raise ValueError for parameters that cannot be combined with a budget."""
        kernel = self.kernel
        if self.budget_policy == "merging" and not (isinstance(kernel, str) and kernel == "rbf"):
            raise ValueError(
                "budget_policy='merging' replaces two support vectors by a point between them, "
                f"which only kernel='rbf' allows; got kernel={kernel!r}. Use "
                "budget_policy='projection'."
            )
        if self.budget_policy == "projection" and isinstance(kernel, str) and kernel == "sigmoid":
            raise ValueError(
                "budget_policy='projection' needs a positive definite kernel, which "
                "kernel='sigmoid' is not. Use budget_policy='smallest'."
            )
        if self.average == "vote":
            raise ValueError(
                "average='vote' needs all support vectors, but max_support_vectors="
                f"{self.max_support_vectors} removes some of them. Use average='mean'."
            )


class FirstOrderKernelClassifier(KernelUpdateClassifier, FirstOrderKernelUpdates):
    """Base of kernel classifiers whose update adds one support vector."""

    # In the order in which stored models have their values.
    _fixed_params = (*KernelUpdates._fixed_params, "multi_class", "budget_policy", "average")

    _parameter_constraints: dict = {
        **FirstOrderKernelUpdates._parameter_constraints,
        **KernelUpdateClassifier._parameter_constraints,
        "multi_class": [StrOptions({"ovr", "crammer_singer"})],
        "budget_policy": [StrOptions({*POLICIES})],
        "average": [StrOptions({"mean", "vote"}), Options(bool, {False})],
    }

    def _expansion_options(self):
        return super()._expansion_options() | {"joint": self.multi_class == "crammer_singer"}
