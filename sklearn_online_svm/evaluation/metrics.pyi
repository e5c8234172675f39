# Written by `make stubs`.

from typing import Any

from numpy.typing import ArrayLike

__all__ = [
    "geometric_mean_score",
    "geometric_mean_scorer",
    "misclassification_cost",
    "misclassification_cost_scorer",
    "precision_recall_breakeven_score",
    "precision_recall_breakeven_scorer",
    "sensitivity_specificity_score",
    "sensitivity_specificity_scorer",
]

def geometric_mean_score(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    labels: ArrayLike | None = ...,
    sample_weight: ArrayLike | None = ...,
) -> float: ...

geometric_mean_scorer: Any

def misclassification_cost(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    cost_p: float | None = ...,
    cost_n: float | None = ...,
    pos_label: float | bool | str = ...,
    normalize: bool = ...,
    sample_weight: ArrayLike | None = ...,
) -> float: ...

misclassification_cost_scorer: Any

def precision_recall_breakeven_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    pos_label: float | bool | str = ...,
    sample_weight: ArrayLike | None = ...,
) -> float: ...

precision_recall_breakeven_scorer: Any

def sensitivity_specificity_score(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    eta_p: float = ...,
    pos_label: float | bool | str = ...,
    sample_weight: ArrayLike | None = ...,
) -> float: ...

sensitivity_specificity_scorer: Any
