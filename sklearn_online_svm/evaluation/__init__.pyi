# Written by `make stubs`.

from typing import Any, Literal, Self

from numpy.typing import ArrayLike, NDArray
from scipy.sparse import sparray, spmatrix
from sklearn.base import BaseEstimator

from sklearn_online_svm.evaluation.metrics import geometric_mean_score as geometric_mean_score
from sklearn_online_svm.evaluation.metrics import misclassification_cost as misclassification_cost
from sklearn_online_svm.evaluation.metrics import (
    precision_recall_breakeven_score as precision_recall_breakeven_score,
)
from sklearn_online_svm.evaluation.metrics import (
    sensitivity_specificity_score as sensitivity_specificity_score,
)
from sklearn_online_svm.kernel import SolutionPath as SolutionPath
from sklearn_online_svm.model_selection import ProgressiveSearch as ProgressiveSearch

__all__ = [
    "AdaptiveConformalInference",
    "ProgressiveRegressionResult",
    "ProgressiveSearchDisplay",
    "ProgressiveValidationDisplay",
    "ProgressiveValidationResult",
    "SolutionPathDisplay",
    "geometric_mean_score",
    "geometric_mean_scorer",
    "misclassification_cost",
    "misclassification_cost_scorer",
    "precision_recall_breakeven_score",
    "precision_recall_breakeven_scorer",
    "progressive_validation",
    "sensitivity_specificity_score",
    "sensitivity_specificity_scorer",
]

class AdaptiveConformalInference(BaseEstimator):
    alpha_: float
    n_samples_seen_: int
    confidence_level: float
    step_size: float
    window_size: int
    def __init__(
        self, *, confidence_level: float = ..., step_size: float = ..., window_size: int = ...
    ) -> None: ...
    def get_params(self, deep: bool = ...) -> dict[str, Any]: ...
    def predict_set(self, estimator: Any, X: ArrayLike | spmatrix | sparray) -> NDArray[Any]: ...
    def set_params(
        self, *, confidence_level: float = ..., step_size: float = ..., window_size: int = ...
    ) -> Self: ...
    def update(
        self, estimator: Any, X: ArrayLike | spmatrix | sparray, y: ArrayLike
    ) -> NDArray[Any]: ...

class ProgressiveRegressionResult:
    estimator: Any
    n_samples: NDArray[Any]
    @property
    def n_scored(self) -> NDArray[Any]: ...
    n_unpredicted: int
    n_support: NDArray[Any] | None
    @property
    def seconds(self) -> NDArray[Any]: ...
    fit_seconds: NDArray[Any]
    predict_seconds: NDArray[Any]
    chunk_statistics: NDArray[Any]
    predictions: NDArray[Any] | None
    drift_alarms: NDArray[Any] | None
    window: int | None
    def __init__(
        self,
        *,
        estimator: Any,
        n_samples: Any,
        n_support: Any,
        fit_seconds: Any,
        predict_seconds: Any,
        n_unpredicted: Any,
        predictions: Any,
        drift_alarms: Any,
        window: Any = ...,
        chunk_statistics: Any,
    ) -> None: ...
    def mean_absolute_error(self) -> NDArray[Any]: ...
    def mean_squared_error(self) -> NDArray[Any]: ...
    def r2(self) -> NDArray[Any]: ...
    def rolling(self, window: int) -> Self: ...
    def root_mean_squared_error(self) -> NDArray[Any]: ...
    def to_frame(self) -> Any: ...

class ProgressiveSearchDisplay:
    lines_: dict[Any, Any]
    image_: Any
    scatter_: Any
    markers_: dict[Any, Any]
    ax_: NDArray[Any]
    figure_: Any
    def __init__(
        self,
        *,
        cv_results: dict[Any, Any],
        best_index: int,
        metric: str = ...,
        score_name: str | None = ...,
    ) -> None: ...
    @classmethod
    def from_estimator(
        cls,
        search: ProgressiveSearch,
        *,
        ax: Any = ...,
        param_x: str | None = ...,
        param_y: str | None = ...,
        name: str | None = ...,
    ) -> ProgressiveSearchDisplay: ...
    def plot(
        self,
        ax: Any = ...,
        *,
        param_x: str | None = ...,
        param_y: str | None = ...,
        name: str | None = ...,
    ) -> ProgressiveSearchDisplay: ...

class ProgressiveValidationDisplay:
    line_: Any
    target_line_: Any
    alarm_lines_: list[Any]
    ax_: Any
    figure_: Any
    def __init__(
        self,
        *,
        result: ProgressiveValidationResult | ProgressiveRegressionResult,
        name: str | None = ...,
    ) -> None: ...
    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: ArrayLike | None = ...,
        *,
        chunk_size: int = ...,
        classes: ArrayLike | None = ...,
        prediction_sets: AdaptiveConformalInference | None = ...,
        name: str | None = ...,
        ax: Any = ...,
        **kwargs: Any,
    ) -> ProgressiveValidationDisplay: ...
    @classmethod
    def from_result(
        cls,
        result: ProgressiveValidationResult | ProgressiveRegressionResult,
        *,
        name: str | None = ...,
        ax: Any = ...,
        **kwargs: Any,
    ) -> ProgressiveValidationDisplay: ...
    def plot(
        self,
        ax: Any = ...,
        *,
        name: str | None = ...,
        metric: str | None = ...,
        metric_params: dict[Any, Any] | None = ...,
        against: Literal["n_samples", "n_queries", "seconds"] = ...,
        **kwargs: Any,
    ) -> ProgressiveValidationDisplay: ...

class ProgressiveValidationResult:
    estimator: Any
    classes: NDArray[Any]
    n_samples: NDArray[Any]
    @property
    def n_scored(self) -> NDArray[Any]: ...
    n_unpredicted: int
    @property
    def mistakes(self) -> NDArray[Any]: ...
    n_queries: NDArray[Any]
    n_support: NDArray[Any] | None
    @property
    def seconds(self) -> NDArray[Any]: ...
    fit_seconds: NDArray[Any]
    predict_seconds: NDArray[Any]
    true_counts: NDArray[Any]
    predicted_counts: NDArray[Any]
    correct_counts: NDArray[Any]
    confusion_matrix: NDArray[Any]
    predictions: NDArray[Any] | None
    prediction_sets: AdaptiveConformalInference | None
    n_sets: NDArray[Any]
    n_covered: NDArray[Any]
    set_sizes: NDArray[Any]
    drift_alarms: NDArray[Any] | None
    window: int | None
    def __init__(
        self,
        *,
        estimator: Any,
        n_samples: Any,
        n_support: Any,
        fit_seconds: Any,
        predict_seconds: Any,
        n_unpredicted: Any,
        predictions: Any,
        drift_alarms: Any,
        window: Any = ...,
        classes: Any,
        n_queries: Any,
        true_counts: Any,
        predicted_counts: Any,
        correct_counts: Any,
        confusion_matrix: Any,
        prediction_sets: Any,
        n_sets: Any,
        n_covered: Any,
        set_sizes: Any,
    ) -> None: ...
    def accuracy(self) -> NDArray[Any]: ...
    def cost(
        self,
        *,
        cost_p: float | None = ...,
        cost_n: float | None = ...,
        pos_label: float | bool | str = ...,
        normalize: bool = ...,
    ) -> NDArray[Any]: ...
    def coverage(self) -> NDArray[Any]: ...
    def f1(self, *, pos_label: float | bool | str | None = ...) -> NDArray[Any]: ...
    def geometric_mean(self, *, labels: ArrayLike | None = ...) -> NDArray[Any]: ...
    def rolling(self, window: int) -> Self: ...
    def sensitivity_specificity(
        self, *, eta_p: float = ..., pos_label: float | bool | str = ...
    ) -> NDArray[Any]: ...
    def set_size(self) -> NDArray[Any]: ...
    def to_frame(self, *, pos_label: float | bool | str | None = ...) -> Any: ...

class SolutionPathDisplay:
    lines_: dict[Any, Any]
    ax_: NDArray[Any]
    figure_: Any
    def __init__(
        self,
        *,
        Cs: NDArray[Any],
        n_support: NDArray[Any],
        dual_objective: NDArray[Any],
        scores: NDArray[Any] | None = ...,
        train_scores: NDArray[Any] | None = ...,
        score_name: str = ...,
    ) -> None: ...
    @classmethod
    def from_path(
        cls,
        path: SolutionPath,
        X: ArrayLike | spmatrix | sparray | None = ...,
        y: ArrayLike | None = ...,
        *,
        X_train: ArrayLike | spmatrix | sparray | None = ...,
        y_train: ArrayLike | None = ...,
        ax: ArrayLike | None = ...,
        name: str | None = ...,
        **kwargs: Any,
    ) -> SolutionPathDisplay: ...
    def plot(
        self, ax: ArrayLike | None = ..., *, name: str | None = ..., **kwargs: Any
    ) -> SolutionPathDisplay: ...

geometric_mean_scorer: Any
misclassification_cost_scorer: Any
precision_recall_breakeven_scorer: Any

def progressive_validation(
    estimator: Any,
    X: Any,
    y: ArrayLike | None = ...,
    *,
    chunk_size: int = ...,
    classes: ArrayLike | None = ...,
    prediction_sets: AdaptiveConformalInference | None = ...,
    in_place: bool = ...,
    return_predictions: bool = ...,
    drift_detector: Any = ...,
    retrain_window: int | None = ...,
) -> Any: ...

sensitivity_specificity_scorer: Any
