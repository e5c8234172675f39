"""Measures of performance: what the papers report."""

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
    "gmean_score",
    "gmean_scorer",
    "misclassification_cost",
    "misclassification_cost_scorer",
    "prbep_score",
    "prbep_scorer",
    "weighted_sum_score",
    "weighted_sum_scorer",
]
