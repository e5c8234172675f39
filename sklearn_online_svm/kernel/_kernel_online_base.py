"""Base of kernel classifiers with one update per sample (perceptron, passive-aggressive, AROW)."""

from numbers import Integral

import numpy as np
from scipy import sparse
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from .._estimator import add_classes
from .._online import OnlineClassTargets, OnlineLearner, query_adapter
from .._sklearn_compat import Interval, Options, StrOptions
from .._validation import can_skip_validation, check_samples
from ._classifier import KernelClassifier
from ._expansion import POLICIES, ExpansionSpec, ExpansionState
from ._first_samples import (
    choose_layout,
    fixed_values,
    refuse_other_than_square,
    warn_of_small_chunk,
)
from ._kernel_estimator import can_take_new_samples
from ._new_classes import extended_expansion
from ._plan import is_precomputed


class KernelUpdateClassifier(KernelClassifier, OnlineLearner):
    """Base of kernel classifiers that make one update per sample.

    A subclass defines ``_update_spec``, which :class:`OnlineLearner` requires, and
    ``_expansion_options``, which returns fields of :class:`ExpansionSpec`.
    """

    _stored_as = {"_state": ExpansionState}
    _targets = OnlineClassTargets()
    _query_adapter = query_adapter
    _add_classes = add_classes
    _fixed_params = (*KernelClassifier._fixed_params, "max_support_vectors")
    _adjustable_params = ("class_weight",)

    _parameter_constraints: dict = {
        **KernelClassifier._parameter_constraints,
        **OnlineLearner._parameter_constraints,
        **OnlineClassTargets.constraints,
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
        return self._partial_fit(X, y, classes, sample_weight)

    # ---------------------------------------------------------------------------- training

    def _run_epochs(self, X, targets, weights):
        state = self._state
        state.expect_samples(X.shape[0], again=self.max_iter > 1)
        state.attach(X)
        try:
            return super()._run_epochs(X, targets, weights)
        finally:
            state.attach(None)
            state.expect_samples(0, again=False)

    def _train_on_chunk(self, *chunk):
        """Train on a chunk in order; undo the whole chunk if a callable kernel raises an error."""
        saved = self._state.saved()
        try:
            super()._train_on_chunk(*chunk)
        except Exception:
            if saved is not None:
                self._state = saved
            raise

    def _check_samples(self, X, y, *, in_stream):
        is_later = in_stream and "_state" in self.__dict__
        dtype, is_checked = self._state.dtype if is_later else None, False
        if is_later and y is not None and can_skip_validation(self, X, dtype):
            y = np.asarray(y)
            is_checked = y.shape == (X.shape[0],)
        if not is_checked:
            accept_sparse = False if is_precomputed(self.kernel) else "csr"
            X, y = check_samples(
                self, X, y, reset=not is_later, dtype=dtype, accept_sparse=accept_sparse
            )
        if is_precomputed(self.kernel):
            refuse_other_than_square(X)
        if is_later:
            self._state.check(X)
        return X, y

    def _begin_stream(self, X, weights):
        warn_of_small_chunk(self, X)
        X = super()._begin_stream(X, weights)
        self._state.check(X)
        return X

    def _new_state(self, X, weights):
        options = self._expansion_options()
        if weights is None or not weights.any():
            weights = np.ones(X.shape[0])
        kernel, gamma, X = fixed_values(self, X, weights)
        spec = ExpansionSpec(
            n_features=X.shape[1],
            n_problems=self._targets.n_problems(self),
            dtype=X.dtype.name,
            layout=choose_layout(X, self.kernel),
            kernel=kernel,
            degree=int(self.degree),
            gamma=gamma,
            coef0=float(self.coef0),
            **options,
        )
        self._state = ExpansionState(spec, self._update_spec(), sparse.issparse(X))
        self._fitted_params = self._current_params()
        return X

    def _continue_state(self, X, changed):
        if changed is not None:
            self._state.set_update_spec(self._update_spec())
            self._fitted_params = changed

    def _extend(self, places):
        """Add functions for new classes, whose negative samples are the support vectors."""
        factors = self._targets.factors(self)
        self._state = extended_expansion(
            self._state, places, len(self.classes_), None if factors is None else factors[places]
        )

    # ---------------------------------------------------------------------------- the solution

    @property
    def n_kernel_evaluations_(self):
        """Number of kernel values computed for training."""
        check_is_fitted(self)
        return self._state.expansion.n_evaluations

    def _counts_of_state(self):
        return self._state.expansion.n_kept, self._state.expansion.n_evaluations

    def _training_counts(self):
        """Return the numbers of samples, vectors and kernel values, for callbacks of training."""
        return self._tasks.n_samples, *self._tasks.trained._counts_of_state()


# ------------------------------------------------------------------------- first-order models

# Parameters of models whose update adds one support vector, in the order of stored models.
FIRST_ORDER_PARAMS = ("multi_class", "budget_policy", "average")

FIRST_ORDER_CONSTRAINTS = {
    "max_support_vectors": [Interval(Integral, 1, None, closed="left"), None],
    "multi_class": [StrOptions({"ovr", "crammer_singer"})],
    "budget_policy": [StrOptions({*POLICIES})],
    "average": [StrOptions({"mean", "vote"}), Options(bool, {False})],
}


def first_order_options(model):
    """Return the options of the expansion of a model whose update adds one support vector."""
    if model.max_support_vectors is not None:
        _refuse_contradictions(model)
    return dict(
        budget=None if model.max_support_vectors is None else int(model.max_support_vectors),
        policy=model.budget_policy,
        average=model.average or None,
        joint=model.multi_class == "crammer_singer",
    )


def _refuse_contradictions(model):
    """Raise ValueError for parameters that cannot be combined with a budget."""
    kernel = model.kernel
    if model.budget_policy == "merging" and not (isinstance(kernel, str) and kernel == "rbf"):
        raise ValueError(
            "budget_policy='merging' replaces two support vectors by a point between them, "
            f"which only kernel='rbf' allows; got kernel={kernel!r}. Use "
            "budget_policy='projection'."
        )
    if model.budget_policy == "projection" and isinstance(kernel, str) and kernel == "sigmoid":
        raise ValueError(
            "budget_policy='projection' needs a positive definite kernel, which "
            "kernel='sigmoid' is not. Use budget_policy='margin'."
        )
    if model.average == "vote":
        raise ValueError(
            "average='vote' needs all support vectors, but max_support_vectors="
            f"{model.max_support_vectors} removes some of them. Use average='mean'."
        )
