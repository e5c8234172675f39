"""Metrics, thresholds, evaluation on streams, and displays."""

from ._adaptive_threshold import AdaptiveThreshold
from ._classification_result import ProgressiveClassificationResult
from ._conformal import AdaptiveConformalInference
from ._metrics import (
    geometric_mean_score,
    geometric_mean_scorer,
    misclassification_cost,
    misclassification_cost_scorer,
    precision_recall_breakeven_score,
    precision_recall_breakeven_scorer,
    sensitivity_specificity_score,
    sensitivity_specificity_scorer,
)
from ._progressive import progressive_validation
from ._regression_result import ProgressiveRegressionResult
from ._search_display import ProgressiveSearchDisplay
from ._threshold_display import ThresholdDisplay
from ._thresholds import ThresholdChoice, select_threshold

__all__ = [
    "AdaptiveConformalInference",
    "AdaptiveThreshold",
    "ProgressiveRegressionResult",
    "ProgressiveSearchDisplay",
    "ProgressiveClassificationResult",
    "ThresholdChoice",
    "ThresholdDisplay",
    "geometric_mean_score",
    "geometric_mean_scorer",
    "misclassification_cost",
    "misclassification_cost_scorer",
    "precision_recall_breakeven_score",
    "precision_recall_breakeven_scorer",
    "progressive_validation",
    "select_threshold",
    "sensitivity_specificity_score",
    "sensitivity_specificity_scorer",
]
