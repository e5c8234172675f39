"""Private names of scikit-learn that this package uses; no other module imports any.

They may change between releases without notice, so their uses can be checked in one place.
"""

from sklearn.base import _fit_context
from sklearn.metrics._scorer import _check_multimetric_scoring, _PassthroughScorer
from sklearn.model_selection._search import BaseSearchCV
from sklearn.utils import _safe_indexing
from sklearn.utils._param_validation import (
    HasMethods,
    Interval,
    Options,
    RealNotInt,
    StrOptions,
    validate_parameter_constraints,
    validate_params,
)
from sklearn.utils.validation import _check_method_params, _check_sample_weight, _num_samples

__all__ = [
    "BaseSearchCV",
    "HasMethods",
    "Interval",
    "Options",
    "RealNotInt",
    "StrOptions",
    "_PassthroughScorer",
    "_check_method_params",
    "_check_multimetric_scoring",
    "_check_sample_weight",
    "_fit_context",
    "_num_samples",
    "_safe_indexing",
    "validate_parameter_constraints",
    "validate_params",
]
