"""What the kernel classifiers that solve a problem share with SVC: parameters, classes."""

import functools
import inspect
from numbers import Real

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


class MachineClassifier(KernelClassifier, KernelMachine):
    """Support vector classifier: one binary problem, or one for each class."""

    _parameter_constraints: dict = {
        "C": [Interval(Real, 0.0, None, closed="right")],
        **KernelMachine._parameter_constraints,
        "ramp_s": [Interval(Real, None, 1.0, closed="neither")],
    }

    _kind_of_targets = ClassTargets

    # Values where a subclass does not have these parameters.
    multi_class = "ovr"
    decision_function_shape = "ovr"
    break_ties = False

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
            column for each class, or, with ``decision_function_shape="ovo"``, for each pair.

        Raises
        ------
        NotFittedError
            If the estimator is not fitted.
        ValueError
            If the input is invalid, or a decision function value overflows.
        """
        view = self._view()
        scores = view._decide(X)
        if view._spec.one_vs_one and view.decision_function_shape == "ovr":
            return view._targets.of_classes(scores)
        return scores

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
        targets = view._learned
        breaks_ties = view.break_ties and targets.multi_class == "ovo"
        if breaks_ties and view.decision_function_shape == "ovo":
            raise ValueError(
                "break_ties must be False when decision_function_shape is 'ovo', got "
                f"break_ties={view.break_ties!r}."
            )
        scores = view._decide(X)
        scores = scores[:, None] if scores.ndim == 1 else scores
        if breaks_ties and targets.one_vs_one:
            return view.classes_[targets.of_classes(scores).argmax(axis=1)]
        return view.classes_[targets.predicted(scores)]

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
