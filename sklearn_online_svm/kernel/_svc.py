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
