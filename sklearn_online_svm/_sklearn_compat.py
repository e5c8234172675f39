"""Private names of scikit-learn that this package uses; no other module imports any.

They may change between releases without notice, so their uses can be checked in one place.
"""

# ruff: noqa: F401 - other modules import these names from here

from contextlib import nullcontext

from sklearn.base import _fit_context
from sklearn.frozen import FrozenEstimator
from sklearn.metrics._scorer import _check_multimetric_scoring, _PassthroughScorer
from sklearn.model_selection._search import BaseSearchCV
from sklearn.utils import _safe_indexing
from sklearn.utils._available_if import _AvailableIfDescriptor
from sklearn.utils._param_validation import HasMethods as _HasMethods
from sklearn.utils._param_validation import (
    Interval,
    InvalidParameterError,
    Options,
    RealNotInt,
    StrOptions,
    validate_parameter_constraints,
    validate_params,
)
from sklearn.utils.metadata_routing import _raise_for_params
from sklearn.utils.validation import (
    _check_feature_names_in,
    _check_method_params,
    _check_sample_weight,
    _num_samples,
)

try:
    from sklearn.callback import CallbackSupportMixin
    from sklearn.callback._callback_support import callback_management_context
except ImportError:  # scikit-learn < 1.9
    callback_management_context = nullcontext

    class CallbackSupportMixin:
        """Base class in place of the one of scikit-learn 1.9; it adds nothing."""


class HasMethods(_HasMethods):
    """Constraint of an object with methods, as in scikit-learn, that classes do not satisfy.

    A ``FrozenEstimator`` does not either if ``partial_fit`` is required: it would be trained.
    """

    def is_satisfied_by(self, val):
        is_trained = isinstance(val, FrozenEstimator) and "partial_fit" in self.methods
        return not isinstance(val, type) and not is_trained and super().is_satisfied_by(val)

    def __str__(self):
        return super().__str__().replace("an object", "an object (not a class)")


def validated(*, skip_nested=True, **constraints):
    """Return a decorator that validates parameters of a function, as ``validate_params``.

    ``skip_nested``: whether estimators within the call skip validation; False if an estimator
    comes from the user. Parameters without a constraint are not validated.
    """
    return validate_params(constraints, prefer_skip_nested_validation=skip_nested)


class _AvailableIf(_AvailableIfDescriptor):
    """Descriptor like that of ``available_if``, whose error also states the reason."""

    def for_class(self, renamed):
        """Return a descriptor of the renamed method."""
        return type(self)(renamed(self.fn), self.check, self.attribute_name)

    def _check(self, obj, owner):
        try:
            super()._check(obj, owner)
        except AttributeError as error:
            if not isinstance(error.__cause__, AttributeError):
                raise
            # Many programs show the last line only.
            raise AttributeError(f"{error}. {error.__cause__}") from error.__cause__


def available_if(check):
    """Return a decorator for methods that exist if ``check(self)`` is true, as in scikit-learn."""
    return lambda method: _AvailableIf(method, check, attribute_name=method.__name__)
