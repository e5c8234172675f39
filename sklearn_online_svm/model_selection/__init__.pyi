# Written by `make stubs`.

from abc import ABCMeta
from collections.abc import Callable
from typing import Any, Literal, Self

from numpy.random import RandomState
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, MetaEstimatorMixin
from sklearn.model_selection._search import BaseSearchCV

__all__ = ["ProgressiveSearch"]

class ProgressiveSearch(BaseSearchCV, MetaEstimatorMixin, BaseEstimator, metaclass=ABCMeta):
    best_estimator_: Any
    best_params_: dict[Any, Any]
    best_score_: float
    best_index_: int
    cost_: float
    cv_results_: dict[Any, Any]
    edges_: dict[Any, Any]
    n_remaining_candidates_: int
    @property
    def classes_(self) -> NDArray[Any]: ...
    @property
    def n_features_in_(self) -> int: ...
    feature_names_in_: NDArray[Any]
    scorer_: Any
    multimetric_: bool
    estimator: Any
    param_grid: dict[Any, Any] | list[Any]
    scoring: str | Callable[..., Any] | list[Any] | tuple[Any, ...] | dict[Any, Any] | None
    n_candidates: int | Literal["exhaust"]
    max_cost: float
    min_seconds: float
    min_resources: int | Literal["auto"]
    max_resources: int | Literal["auto"]
    cv: Any
    refit: str | Literal[True]
    select: Literal["best", "one-se"]
    min_candidates: int
    n_challengers: int
    error_score: Literal["raise"] | float
    shuffle: bool
    n_jobs: int | None
    random_state: int | RandomState | None
    verbose: int | bool
    def __init__(
        self,
        estimator: Any,
        param_grid: dict[Any, Any] | list[Any],
        *,
        scoring: str
        | Callable[..., Any]
        | list[Any]
        | tuple[Any, ...]
        | dict[Any, Any]
        | None = ...,
        n_candidates: int | Literal["exhaust"] = ...,
        max_cost: float = ...,
        min_seconds: float = ...,
        min_resources: int | Literal["auto"] = ...,
        max_resources: int | Literal["auto"] = ...,
        cv: Any = ...,
        refit: str | Literal[True] = ...,
        select: Literal["best", "one-se"] = ...,
        min_candidates: int = ...,
        n_challengers: int = ...,
        error_score: Literal["raise"] | float = ...,
        shuffle: bool = ...,
        n_jobs: int | None = ...,
        random_state: int | RandomState | None = ...,
        verbose: int | bool = ...,
    ) -> None: ...
    def fit(self, X: ArrayLike, y: ArrayLike | None = ..., **params: Any) -> Self: ...
    def get_metadata_routing(self) -> Any: ...
    def partial_fit(
        self,
        X: ArrayLike,
        y: ArrayLike | None = ...,
        classes: ArrayLike | None = ...,
        **params: Any,
    ) -> Self: ...
    def resume(self, X: ArrayLike | None = ..., y: ArrayLike | None = ...) -> Self: ...
    def set_params(
        self,
        *,
        estimator: Any = ...,
        param_grid: dict[Any, Any] | list[Any] = ...,
        scoring: str
        | Callable[..., Any]
        | list[Any]
        | tuple[Any, ...]
        | dict[Any, Any]
        | None = ...,
        n_candidates: int | Literal["exhaust"] = ...,
        max_cost: float = ...,
        min_seconds: float = ...,
        min_resources: int | Literal["auto"] = ...,
        max_resources: int | Literal["auto"] = ...,
        cv: Any = ...,
        refit: str | Literal[True] = ...,
        select: Literal["best", "one-se"] = ...,
        min_candidates: int = ...,
        n_challengers: int = ...,
        error_score: Literal["raise"] | float = ...,
        shuffle: bool = ...,
        n_jobs: int | None = ...,
        random_state: int | RandomState | None = ...,
        verbose: int | bool = ...,
        **params: Any,
    ) -> Self: ...
    def set_partial_fit_request(self, *, classes: bool | str | None = ...) -> Self: ...
