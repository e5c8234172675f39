# Written by `make stubs`.

from collections.abc import Callable
from typing import Any, Literal, Self

from numpy.random import RandomState
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import sparray, spmatrix
from sklearn.base import BaseEstimator, ClassifierMixin, ClusterMixin, MetaEstimatorMixin

__all__ = [
    "ABSTAIN",
    "AllQuery",
    "EntityResolver",
    "MarginSampling",
    "LabelEfficientClassifier",
    "MarginQuery",
    "RandomQuery",
    "margin_sampling",
    "small_pool_size",
]

ABSTAIN: Any

class AllQuery(BaseEstimator):
    def get_params(self, deep: bool = ...) -> dict[str, Any]: ...
    def probabilities(
        self, scores: ArrayLike, norms: ArrayLike | None = ..., variances: ArrayLike | None = ...
    ) -> NDArray[Any]: ...
    def query(
        self, scores: ArrayLike, norms: ArrayLike | None = ..., variances: ArrayLike | None = ...
    ) -> NDArray[Any]: ...
    def set_params(self) -> Self: ...
    def update(
        self,
        scores: ArrayLike,
        queried: ArrayLike,
        updated: ArrayLike | None = ...,
        norms: ArrayLike | None = ...,
        variances: ArrayLike | None = ...,
    ) -> Self: ...
    @property
    def n_queries_(self) -> Any: ...

class EntityResolver(ClusterMixin, BaseEstimator):
    estimator_: Any
    similarities: list[Any] | tuple[Any, ...]
    blocking: Callable[..., Any] | None
    estimator: Any
    clusterer: Any
    def __init__(
        self,
        similarities: list[Any] | tuple[Any, ...],
        *,
        blocking: Callable[..., Any] | None = ...,
        estimator: Any = ...,
        clusterer: Any = ...,
    ) -> None: ...
    def candidate_pairs(self, records: Any) -> NDArray[Any]: ...
    def fit(self, records: Any, y: ArrayLike, pairs: ArrayLike | None = ...) -> Self: ...
    def fit_predict(
        self, records: Any, y: ArrayLike, pairs: ArrayLike | None = ...
    ) -> NDArray[Any]: ...
    def get_params(self, deep: bool = ...) -> dict[str, Any]: ...
    def pair_distances(self, records: Any, pairs: ArrayLike | None = ...) -> NDArray[Any]: ...
    def pair_similarities(self, records: Any, pairs: ArrayLike | None = ...) -> NDArray[Any]: ...
    def partial_fit(self, records: Any, y: ArrayLike, pairs: ArrayLike | None = ...) -> Self: ...
    def predict(self, records: Any) -> NDArray[Any]: ...
    def set_fit_request(
        self, *, pairs: bool | str | None = ..., records: bool | str | None = ...
    ) -> Self: ...
    def set_params(
        self,
        *,
        similarities: list[Any] | tuple[Any, ...] = ...,
        blocking: Callable[..., Any] | None = ...,
        estimator: Any = ...,
        clusterer: Any = ...,
        **params: Any,
    ) -> Self: ...
    def set_partial_fit_request(
        self, *, pairs: bool | str | None = ..., records: bool | str | None = ...
    ) -> Self: ...
    def set_predict_request(self, *, records: bool | str | None = ...) -> Self: ...

class MarginSampling(BaseEstimator):
    n_queries_: int
    pool_size: int | Literal["all"]
    diversity: float
    random_tie_break: bool
    random_state: int | RandomState | None
    def __init__(
        self,
        pool_size: int | Literal["all"] = ...,
        *,
        diversity: float = ...,
        random_tie_break: bool = ...,
        random_state: int | RandomState | None = ...,
    ) -> None: ...
    def get_params(self, deep: bool = ...) -> dict[str, Any]: ...
    def query(
        self,
        classifier: Any,
        X_pool: ArrayLike | spmatrix | sparray,
        batch_size: int = ...,
        *,
        candidates: ArrayLike | None = ...,
        return_utilities: bool = ...,
    ) -> Any: ...
    def set_params(
        self,
        *,
        pool_size: int | Literal["all"] = ...,
        diversity: float = ...,
        random_tie_break: bool = ...,
        random_state: int | RandomState | None = ...,
    ) -> Self: ...

class LabelEfficientClassifier(MetaEstimatorMixin, ClassifierMixin, BaseEstimator):
    classes_: NDArray[Any]
    estimator_: Any
    query_strategy_: Any
    @property
    def n_queries_(self) -> int: ...
    @property
    def queried_(self) -> NDArray[Any]: ...
    @property
    def queried_labels_(self) -> NDArray[Any]: ...
    @property
    def n_abstained_(self) -> int: ...
    @property
    def abstained_(self) -> NDArray[Any]: ...
    @property
    def online_predictions_(self) -> NDArray[Any]: ...
    n_iter_: int
    n_features_in_: int
    estimator: Any
    query_strategy: Any
    max_iter: int
    shuffle: bool
    max_labels: float | None
    random_state: int | RandomState | None
    def __init__(
        self,
        estimator: Any = ...,
        query_strategy: Any = ...,
        *,
        max_iter: int = ...,
        shuffle: bool = ...,
        max_labels: float | None = ...,
        random_state: int | RandomState | None = ...,
    ) -> None: ...
    def decision_function(self, X: ArrayLike | spmatrix | sparray) -> NDArray[Any]: ...
    def fit(
        self,
        X: ArrayLike | spmatrix | sparray,
        y: ArrayLike | None = ...,
        sample_weight: ArrayLike | None = ...,
        *,
        oracle: Callable[..., Any] | None = ...,
        classes: ArrayLike | None = ...,
    ) -> Self: ...
    def get_params(self, deep: bool = ...) -> dict[str, Any]: ...
    def partial_fit(
        self,
        X: ArrayLike | spmatrix | sparray,
        y: ArrayLike | None = ...,
        classes: ArrayLike | None = ...,
        sample_weight: ArrayLike | None = ...,
        *,
        oracle: Callable[..., Any] | None = ...,
    ) -> Self: ...
    def predict(self, X: ArrayLike | spmatrix | sparray) -> NDArray[Any]: ...
    def predict_proba(self, X: ArrayLike | spmatrix | sparray) -> NDArray[Any]: ...
    def score(
        self,
        X: ArrayLike | spmatrix | sparray,
        y: ArrayLike,
        sample_weight: ArrayLike | None = ...,
    ) -> float: ...
    def set_fit_request(
        self,
        *,
        classes: bool | str | None = ...,
        oracle: bool | str | None = ...,
        sample_weight: bool | str | None = ...,
    ) -> Self: ...
    def set_params(
        self,
        *,
        estimator: Any = ...,
        query_strategy: Any = ...,
        max_iter: int = ...,
        shuffle: bool = ...,
        max_labels: float | None = ...,
        random_state: int | RandomState | None = ...,
        **params: Any,
    ) -> Self: ...
    def set_partial_fit_request(
        self,
        *,
        classes: bool | str | None = ...,
        oracle: bool | str | None = ...,
        sample_weight: bool | str | None = ...,
    ) -> Self: ...
    def set_score_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...
    def suspect_labels(
        self,
        X: ArrayLike | spmatrix | sparray,
        y: ArrayLike,
        *,
        n_suspects: int | None = ...,
        return_margins: bool = ...,
    ) -> tuple[NDArray[Any], NDArray[Any]]: ...

class MarginQuery(BaseEstimator):
    @property
    def n_queries_(self) -> int: ...
    @property
    def delta_(self) -> float: ...
    delta: float
    offset: float
    schedule: Literal["adaptive", "constant", "mistakes"]
    rate: float | None
    confidence: Literal["margin", "second-order"]
    random_state: int | RandomState | None
    def __init__(
        self,
        delta: float = ...,
        *,
        offset: float = ...,
        schedule: Literal["adaptive", "constant", "mistakes"] = ...,
        rate: float | None = ...,
        confidence: Literal["margin", "second-order"] = ...,
        random_state: int | RandomState | None = ...,
    ) -> None: ...
    def get_params(self, deep: bool = ...) -> dict[str, Any]: ...
    def probabilities(
        self, scores: ArrayLike, norms: ArrayLike | None = ..., variances: ArrayLike | None = ...
    ) -> NDArray[Any]: ...
    def query(
        self, scores: ArrayLike, norms: ArrayLike | None = ..., variances: ArrayLike | None = ...
    ) -> NDArray[Any]: ...
    def set_params(
        self,
        *,
        delta: float = ...,
        offset: float = ...,
        schedule: Literal["adaptive", "constant", "mistakes"] = ...,
        rate: float | None = ...,
        confidence: Literal["margin", "second-order"] = ...,
        random_state: int | RandomState | None = ...,
    ) -> Self: ...
    def update(
        self,
        scores: ArrayLike,
        queried: ArrayLike,
        updated: ArrayLike | None = ...,
        norms: ArrayLike | None = ...,
        variances: ArrayLike | None = ...,
    ) -> Self: ...

class RandomQuery(BaseEstimator):
    rate: float
    random_state: int | RandomState | None
    def __init__(
        self, rate: float = ..., *, random_state: int | RandomState | None = ...
    ) -> None: ...
    def get_params(self, deep: bool = ...) -> dict[str, Any]: ...
    def probabilities(
        self, scores: ArrayLike, norms: ArrayLike | None = ..., variances: ArrayLike | None = ...
    ) -> NDArray[Any]: ...
    def query(
        self, scores: ArrayLike, norms: ArrayLike | None = ..., variances: ArrayLike | None = ...
    ) -> NDArray[Any]: ...
    def set_params(
        self, *, rate: float = ..., random_state: int | RandomState | None = ...
    ) -> Self: ...
    def update(
        self,
        scores: ArrayLike,
        queried: ArrayLike,
        updated: ArrayLike | None = ...,
        norms: ArrayLike | None = ...,
        variances: ArrayLike | None = ...,
    ) -> Self: ...
    @property
    def n_queries_(self) -> Any: ...

def margin_sampling(
    classifier: Any,
    X_pool: ArrayLike | spmatrix | sparray,
    n_instances: int = ...,
    random_tie_break: bool = ...,
    pool_size: int | Literal["all"] = ...,
    random_state: int | RandomState | None = ...,
    *,
    diversity: float = ...,
) -> tuple[NDArray[Any], NDArray[Any]]: ...
def small_pool_size(p: float = ..., eta: float = ...) -> int: ...
