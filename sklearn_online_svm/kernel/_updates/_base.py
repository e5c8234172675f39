"""Base of kernel classifiers with one update per sample (perceptron, passive-aggressive, AROW)."""

from functools import partial
from numbers import Integral

from sklearn.utils.validation import check_is_fitted

from ... import _updates
from ..._sklearn_compat import Interval, Options, StrOptions, available_if
from ..._updates import OnlineClassTargets, OnlineLearner, UpdateSpec, plan_of
from .._classifier import KernelClassifier
from .._docs import with_shared_docs
from .._kernel_estimator import can_take_new_samples
from ._expansion import POLICIES, ExpansionSpec, ExpansionState


@with_shared_docs
class KernelUpdateClassifier(KernelClassifier, OnlineLearner):
    """Base of kernel classifiers that make one update per sample."""

    _stored_as = {"_state": ExpansionState}
    _query_adapter = _updates.query_adapter
    _add_classes = _updates.add_classes
    _fixed_params = (*KernelClassifier._fixed_params, "max_support_vectors")
    _adjustable_params = ("class_weight", "replay_size")

    _parameter_constraints: dict = {
        **KernelClassifier._parameter_constraints,
        **OnlineLearner._parameter_constraints,
        **OnlineClassTargets.constraints,
        "replay_size": [Interval(Integral, 0, None, closed="left")],
    }

    def fit(self, X, y, sample_weight=None):
        """Fit the model: reset it and run up to ``max_iter`` epochs.

        Interruptible: Ctrl-C leaves a usable model. Invalid input leaves a fitted model unchanged.

        Parameters
        ----------
        $training_samples
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
        return _updates.fit(self, X, y, sample_weight)

    @available_if(can_take_new_samples)
    def partial_fit(self, X, y, classes=None, sample_weight=None):
        """Continue training with new samples, one after the other.

        Every sample is treated as new: to run several epochs over the same samples use
        ``fit(max_iter=...)``. The model does not depend on how a stream is divided into chunks.

        Parameters
        ----------
        $stream_samples
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
        return _updates.partial_fit(self, X, y, classes, sample_weight)

    # ---------------------------------------------------------------------------- the solution

    @property
    def n_kernel_evaluations_(self):
        """Number of kernel values computed for training."""
        check_is_fitted(self)
        return self._state.expansion.n_evaluations

    def _counts_of_state(self):
        """Return the numbers of vectors and kernel values, for callbacks of training."""
        return self._state.expansion.n_kept, self._state.expansion.n_evaluations


# ------------------------------------------------------------------------- first-order models

# Parameters of models whose update adds one support vector, in the order of stored models.
FIRST_ORDER_PARAMS = ("multi_class", "budget_policy", "average")

FIRST_ORDER_CONSTRAINTS = {
    "max_support_vectors": [Interval(Integral, 1, None, closed="left"), None],
    "multi_class": [StrOptions({"ovr", "crammer_singer"})],
    "budget_policy": [StrOptions({*POLICIES})],
    "average": [StrOptions({"mean", "vote"}), Options(bool, {False})],
}


def first_order_plan(params, rule, margins=None):
    """Return the plan for such parameters (of an estimator): each update adds one vector."""
    if params.max_support_vectors is not None:
        _refuse_contradictions(params)
    is_joint = params.multi_class == "crammer_singer"
    spec = UpdateSpec(rule, margins or {}, fit_intercept=False, crammer_singer=is_joint)
    expansion = partial(
        ExpansionSpec,
        budget=None if params.max_support_vectors is None else int(params.max_support_vectors),
        policy=params.budget_policy,
        average=params.average or None,
        joint=is_joint,
    )
    return plan_of(params, spec, ExpansionState, expansion=expansion)


def _refuse_contradictions(params):
    """Raise ValueError for parameters that cannot be combined with a budget."""
    kernel = params.kernel
    if params.budget_policy == "merging" and not (isinstance(kernel, str) and kernel == "rbf"):
        raise ValueError(
            "budget_policy='merging' replaces two support vectors by a point between them, "
            f"which only kernel='rbf' allows; got kernel={kernel!r}. Use "
            "budget_policy='projection'."
        )
    if params.budget_policy == "projection" and isinstance(kernel, str) and kernel == "sigmoid":
        raise ValueError(
            "budget_policy='projection' needs a positive definite kernel, which "
            "kernel='sigmoid' is not. Use budget_policy='margin'."
        )
    if params.average == "vote":
        raise ValueError(
            "average='vote' needs all support vectors, but max_support_vectors="
            f"{params.max_support_vectors} removes some of them. Use average='mean'."
        )
