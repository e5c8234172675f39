"""Measures of performance: what the papers report; and how a model does along a stream."""

from ._display import ProgressiveValidationDisplay
from ._path_display import SolutionPathDisplay
from ._progressive import ProgressiveValidationResult, progressive_validation
from ._search_display import ProgressiveSearchDisplay
from .metrics import (
    gmean_score,
    gmean_scorer,
    misclassification_cost,
    misclassification_cost_scorer,
    prbep_score,
    prbep_scorer,
    weighted_sum_score,
    weighted_sum_scorer,
)

__all__ = [
    "ProgressiveSearchDisplay",
    "ProgressiveValidationDisplay",
    "ProgressiveValidationResult",
    "SolutionPathDisplay",
    "gmean_score",
    "gmean_scorer",
    "misclassification_cost",
    "misclassification_cost_scorer",
    "prbep_score",
    "prbep_scorer",
    "progressive_validation",
    "weighted_sum_score",
    "weighted_sum_scorer",
]
