"""What the kernel classifiers that solve a problem share with SVC: parameters, classes."""

import functools
import inspect
from numbers import Real

from sklearn.utils.validation import check_is_fitted

from .._pairs import PairValues
from .._sklearn_compat import Interval, StrOptions
from ._kernel_machine import KernelMachine
from ._model import KernelClassifier
from ._targets import ClassTargets

PROBABILITIES = (
    "use decision_function, or CalibratedClassifierCV(estimator, ensemble=False) for probabilities"
)

# Parameters of SVC without a counterpart: the values that change nothing here, which are accepted
# and dropped, and the alternative to others.
KEYWORDS = {
    "probability": ((False, "deprecated"), PROBABILITIES),
    "decision_function_shape": (
        ("ovr",),
        "decision_function has one column for each class, as with 'ovr'; for 'ovo' use "
        "OneVsOneClassifier(estimator)",
    ),
    # SVC breaks ties between votes of pairs; here there are no votes.
    "break_ties": (
        (False,),
        "predict uses the largest decision value, as with break_ties=True",
    ),
}


# Parameters of classifiers that may solve a problem for each pair of classes.
MULTICLASS_CONSTRAINTS = {
    "multi_class": [StrOptions({"ovo", "ovr"})],
    "decision_function_shape": [StrOptions({"ovo", "ovr"})],
    "break_ties": ["boolean"],
}


def without_svc_defaults(params, own):
    """Return parameters without those of SVC whose values change nothing here.

    ``own`` are the parameters that exist here. Of these only ``"deprecated"`` is left out, the
    default of a parameter that SVC is about to remove.
    """
    return {
        name: value
        for name, value in params.items()
        if name not in KEYWORDS
        or not _is_one_of(value, ("deprecated",) if name in own else KEYWORDS[name][0])
    }


def _is_one_of(value, accepted):
    return isinstance(value, bool | str) and value in accepted


def without_keywords_of_svc(init):
    """Decorate ``__init__`` to accept SVC's defaults of parameters that do not exist here.

    Other values raise a TypeError that names the alternative. The signature, from which
    scikit-learn reads the parameters, remains that of ``init``.
    """
    own = inspect.signature(init).parameters

    @functools.wraps(init)
    def checked_init(self, *args, **kwargs):
        kwargs = without_svc_defaults(kwargs, own)
        for name in (KEYWORDS.keys() & kwargs.keys()) - own.keys():
            raise TypeError(
                f"{type(self).__name__} got an unexpected keyword argument {name!r}: "
                f"{KEYWORDS[name][1]}."
            )
        init(self, *args, **kwargs)

    return checked_init


class PairwiseClassifier(KernelClassifier):
    """Kernel classifier that may have a problem for each pair of classes.

    It also has ``_targets``, the :class:`ClassTargets`, once ``_state_attribute`` exists.
    """

    # Values where a subclass does not have these parameters.
    multi_class = "ovr"
    decision_function_shape = "ovr"
    break_ties = False

    # ---------------------------------------------------------------------------- predictions

    def decision_function(self, X):
        r"""Evaluate the decision function, :math:`f(x) = \sum_i \alpha_i K(x_i, x) + b`.

        Samples are processed in blocks: besides the result, memory does not grow with their
        number.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples. For a precomputed kernel, their kernel values with the samples of ``fit``, of
            shape (n_samples, n_samples_fit).

        Returns
        -------
        scores : ndarray of shape (n_samples,), (n_samples, n_classes) or \
                (n_samples, n_classes * (n_classes - 1) / 2)
            Decision function values. Two classes: positive for ``classes_[1]``. More than two: a
            column for each class or, in one-vs-one models with ``decision_function_shape="ovo"``,
            for each pair, in the order (0, 1), (0, 2), ... of ``classes_``, positive for the
            first class.

        Raises
        ------
        NotFittedError
            If the estimator is not fitted.
        ValueError
            If the input is invalid, or a decision function value overflows.
        """
        view = self._view()
        return view._shaped(view._decision_values(X))

    @property
    def _is_one_vs_one(self):
        """Whether there is a problem for each pair of classes; False before training."""
        return self._state_attribute in self.__dict__ and self._targets.one_vs_one

    def _pair_values(self, X):
        """Return the decision values of pairs, whatever ``decision_function_shape``."""
        view = self._view()
        return PairValues(view._decision_values(X), len(view.classes_), view.break_ties)

    def predict(self, X):
        """Predict class labels for samples in X.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples. For a precomputed kernel, their kernel values with the samples of ``fit``, of
            shape (n_samples, n_samples_fit).

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Predicted class labels.

        Raises
        ------
        NotFittedError
            If the estimator is not fitted.
        ValueError
            If the input is invalid, a decision function value overflows, or ``break_ties=True``
            with ``decision_function_shape="ovo"``.
        """
        view = self._view()
        check_is_fitted(view)
        view._breaks_ties()  # an error comes before those of X
        return view.classes_[view._predicted(view._decision_values(X))]

    def _shaped(self, scores):
        """Return decision values (n_samples, n_problems) in the form of decision_function."""
        if self._targets.one_vs_one and self.decision_function_shape == "ovr":
            return self._targets.of_classes(scores)
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def _predicted(self, scores):
        """Return the class codes that predict returns, given decision values of all problems."""
        if self._breaks_ties():
            return self._targets.of_classes(scores).argmax(axis=1)
        return self._targets.predicted(scores)

    def _margins(self, scores, codes):
        if self._targets.one_vs_one:
            return PairValues(scores, len(self._targets.classes)).smallest(codes)
        return super()._margins(scores, codes)

    def _breaks_ties(self):
        """Return whether sums of decision values break ties of votes."""
        if not self.break_ties or self.multi_class != "ovo":
            return False
        if self.decision_function_shape == "ovo":
            raise ValueError(
                "break_ties must be False when decision_function_shape is 'ovo', got "
                f"break_ties={self.break_ties!r}."
            )
        return self._targets.one_vs_one


class MachineClassifier(PairwiseClassifier, KernelMachine):
    """Support vector classifier: a binary problem, or one for each class or pair of classes."""

    _parameter_constraints: dict = {
        "C": [Interval(Real, 0.0, None, closed="right")],
        **KernelMachine._parameter_constraints,
        "ramp_s": [Interval(Real, None, 1.0, closed="neither")],
    }

    _kind_of_targets = ClassTargets

    def set_params(self, **params):
        """Set the parameters of this estimator.

        Parameters of ``SVC`` that do not exist here are ignored if they have the default of
        ``SVC``, so that ``set_params(**SVC().get_params())`` works.

        Parameters
        ----------
        **params : dict
            Estimator parameters.

        Returns
        -------
        self : object
            Estimator instance.

        Raises
        ------
        ValueError
            If a parameter does not exist.
        """
        own = self._get_param_names()
        return super().set_params(**without_svc_defaults(params, own))

    @property
    def _suspect_margin(self):
        # The ramp loss is constant for smaller margins.
        return self.ramp_s

    # ---------------------------------------------------------------------------- classes

    @property
    def classes_(self):
        """Class labels."""
        return self._learned.classes

    @property
    def class_weight_(self):
        """Multiplier of C for each class."""
        return self._learned.factors
