"""Base of LASVC and RampSVC: classes, class weights, names of SVC."""

from numbers import Real

from .._sklearn_compat import Interval
from ._kernel_machine import KernelMachine
from ._model import KernelClassifier
from ._svc_names import without_svc_defaults
from ._targets import ClassTargets


class MachineClassifier(KernelClassifier, KernelMachine):
    """Support vector classifier: one binary problem, or one for each class."""

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
        return self._targets.classes

    @property
    def class_weight_(self):
        """Multiplier of C for each class."""
        return self._targets.factors
