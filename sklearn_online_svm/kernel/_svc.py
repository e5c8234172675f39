"""What the kernel classifiers that solve a problem share with SVC: parameters, classes."""

import functools
import inspect
from numbers import Real

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

    @property
    def _is_one_vs_one(self):
        """Whether there is a problem for each pair of classes; False before training."""
        return self._state_attribute in self.__dict__ and self._targets.one_vs_one

    def _pair_values(self, X):
        """Return the decision values of pairs, whatever ``decision_function_shape``."""
        view = self._view()
        return PairValues(view._decision_values(X), len(view.classes_), view.break_ties)

    def _shaped(self, scores):
        if self._targets.one_vs_one and self.decision_function_shape == "ovr":
            return PairValues(scores, len(self._targets.classes)).of_classes()
        return super()._shaped(scores)

    def _check_ties(self):
        self._breaks_ties()

    def _predicted(self, scores):
        if not self._targets.one_vs_one:
            return super()._predicted(scores)
        return PairValues(scores, len(self._targets.classes), self._breaks_ties()).predicted()

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
