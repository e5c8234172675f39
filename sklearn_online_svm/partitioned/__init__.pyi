# Written by `make stubs`.

from typing import Any, Self

from numpy.random import RandomState
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import sparray, spmatrix
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, RegressorMixin

__all__ = ["CellClassifier", "CellRegressor"]

class CellClassifier(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):
    classes_: NDArray[Any]
    estimators_: list[Any]
    cell_sizes_: NDArray[Any]
    @property
    def n_cells_(self) -> int: ...
    tree_: Any
    n_samples_seen_: int
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    estimator: Any
    cell_size: int
    overlap: float
    n_jobs: int | None
    random_state: int | RandomState | None
    def __init__(
        self,
        estimator: Any = ...,
        *,
        cell_size: int = ...,
        overlap: float = ...,
        n_jobs: int | None = ...,
        random_state: int | RandomState | None = ...,
    ) -> None: ...
    def decision_function(self, X: ArrayLike | spmatrix | sparray) -> NDArray[Any]: ...
    def fit(
        self,
        X: ArrayLike | spmatrix | sparray,
        y: ArrayLike,
        sample_weight: ArrayLike | None = ...,
    ) -> Self: ...
    def get_params(self, deep: bool = ...) -> dict[str, Any]: ...
    def partial_fit(
        self,
        X: ArrayLike | spmatrix | sparray,
        y: ArrayLike,
        classes: ArrayLike | None = ...,
        sample_weight: ArrayLike | None = ...,
    ) -> Self: ...
    def predict(self, X: ArrayLike | spmatrix | sparray) -> NDArray[Any]: ...
    def predict_proba(self, X: ArrayLike | spmatrix | sparray) -> NDArray[Any]: ...
    def score(
        self,
        X: ArrayLike | spmatrix | sparray,
        y: ArrayLike,
        sample_weight: ArrayLike | None = ...,
    ) -> float: ...
    def set_fit_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...
    def set_params(
        self,
        *,
        estimator: Any = ...,
        cell_size: int = ...,
        overlap: float = ...,
        n_jobs: int | None = ...,
        random_state: int | RandomState | None = ...,
        **params: Any,
    ) -> Self: ...
    def set_partial_fit_request(
        self, *, classes: bool | str | None = ..., sample_weight: bool | str | None = ...
    ) -> Self: ...
    def set_score_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...

class CellRegressor(RegressorMixin, MetaEstimatorMixin, BaseEstimator):
    estimators_: list[Any]
    cell_sizes_: NDArray[Any]
    @property
    def n_cells_(self) -> int: ...
    tree_: Any
    n_samples_seen_: int
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    estimator: Any
    cell_size: int
    overlap: float
    n_jobs: int | None
    random_state: int | RandomState | None
    def __init__(
        self,
        estimator: Any = ...,
        *,
        cell_size: int = ...,
        overlap: float = ...,
        n_jobs: int | None = ...,
        random_state: int | RandomState | None = ...,
    ) -> None: ...
    def fit(
        self,
        X: ArrayLike | spmatrix | sparray,
        y: ArrayLike,
        sample_weight: ArrayLike | None = ...,
    ) -> Self: ...
    def get_params(self, deep: bool = ...) -> dict[str, Any]: ...
    def partial_fit(
        self,
        X: ArrayLike | spmatrix | sparray,
        y: ArrayLike,
        sample_weight: ArrayLike | None = ...,
    ) -> Self: ...
    def predict(self, X: ArrayLike | spmatrix | sparray) -> NDArray[Any]: ...
    def score(
        self,
        X: ArrayLike | spmatrix | sparray,
        y: ArrayLike,
        sample_weight: ArrayLike | None = ...,
    ) -> float: ...
    def set_fit_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...
    def set_params(
        self,
        *,
        estimator: Any = ...,
        cell_size: int = ...,
        overlap: float = ...,
        n_jobs: int | None = ...,
        random_state: int | RandomState | None = ...,
        **params: Any,
    ) -> Self: ...
    def set_partial_fit_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...
    def set_score_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...
