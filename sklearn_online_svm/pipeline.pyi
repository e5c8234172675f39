# Written by `make stubs`.

from abc import ABCMeta
from typing import Any, Literal, Self

from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.pipeline import Pipeline

__all__ = ["OnlinePipeline", "make_online_pipeline"]

class OnlinePipeline(Pipeline, BaseEstimator, metaclass=ABCMeta):
    @property
    def named_steps(self) -> Any: ...
    @property
    def frozen_(self) -> bool: ...
    @property
    def interrupted_(self) -> bool: ...
    @property
    def classes_(self) -> NDArray[Any]: ...
    @property
    def n_features_in_(self) -> int: ...
    @property
    def feature_names_in_(self) -> NDArray[Any]: ...
    steps: list[Any]
    freeze_after: int | Literal["auto"] | None
    transform_input: list[Any] | None
    memory: Any
    verbose: bool
    def __init__(
        self,
        steps: list[Any],
        *,
        freeze_after: int | Literal["auto"] | None = ...,
        transform_input: list[Any] | None = ...,
        memory: Any = ...,
        verbose: bool = ...,
    ) -> None: ...
    def fit(self, X: Any, y: Any = ..., **params: Any) -> Self: ...
    def fit_predict(self, X: Any, y: Any = ..., **params: Any) -> NDArray[Any]: ...
    def fit_transform(self, X: Any, y: Any = ..., **params: Any) -> NDArray[Any]: ...
    def get_metadata_routing(self) -> Any: ...
    def partial_fit(
        self,
        X: Any,
        y: Any = ...,
        classes: ArrayLike | None = ...,
        sample_weight: ArrayLike | None = ...,
    ) -> Self: ...
    def resume(self, X: Any, y: Any = ..., sample_weight: ArrayLike | None = ...) -> Self: ...
    def set_params(
        self,
        *,
        steps: list[Any] = ...,
        freeze_after: int | Literal["auto"] | None = ...,
        transform_input: list[Any] | None = ...,
        memory: Any = ...,
        verbose: bool = ...,
        **params: Any,
    ) -> Self: ...
    def set_partial_fit_request(
        self, *, classes: bool | str | None = ..., sample_weight: bool | str | None = ...
    ) -> Self: ...
    def set_score_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...

def make_online_pipeline(
    *steps: Any,
    freeze_after: int | Literal["auto"] | None = ...,
    transform_input: list[str] | None = ...,
    memory: Any = ...,
    verbose: bool = ...,
) -> OnlinePipeline: ...
