# Written by `make stubs`.

from typing import Any, Self

from numpy.random import RandomState
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import sparray, spmatrix
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin

__all__ = ["OnlineCalibratedClassifier"]

class OnlineCalibratedClassifier(MetaEstimatorMixin, ClassifierMixin, BaseEstimator):
    classes_: NDArray[Any]
    estimator_: Any
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    @property
    def n_samples_seen_(self) -> int: ...
    estimator: Any
    window_size: int
    random_state: int | RandomState | None
    def __init__(
        self,
        estimator: Any = ...,
        *,
        window_size: int = ...,
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
    def predict_log_proba(self, X: ArrayLike | spmatrix | sparray) -> NDArray[Any]: ...
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
        window_size: int = ...,
        random_state: int | RandomState | None = ...,
        **params: Any,
    ) -> Self: ...
    def set_partial_fit_request(
        self, *, classes: bool | str | None = ..., sample_weight: bool | str | None = ...
    ) -> Self: ...
    def set_score_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...
