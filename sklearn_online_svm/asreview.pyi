# Written by `make stubs`.

from typing import Any, Self

from numpy.random import RandomState
from numpy.typing import ArrayLike
from scipy.sparse import sparray, spmatrix

from sklearn_online_svm.linear import PassiveAggressiveClassifier as PassiveAggressiveClassifier

__all__ = ["OnlineSVM"]

class OnlineSVM(PassiveAggressiveClassifier):
    C: float
    max_iter: int
    random_state: int | RandomState | None
    def __init__(
        self, *, C: float = ..., max_iter: int = ..., random_state: int | RandomState | None = ...
    ) -> None: ...
    def get_params(self, deep: bool = ...) -> dict[str, Any]: ...
    def score(
        self,
        X: ArrayLike | spmatrix | sparray,
        y: ArrayLike,
        sample_weight: ArrayLike | None = ...,
    ) -> float: ...
    def set_fit_request(
        self,
        *,
        coef_init: bool | str | None = ...,
        intercept_init: bool | str | None = ...,
        sample_weight: bool | str | None = ...,
    ) -> Self: ...
    def set_params(
        self, *, C: float = ..., max_iter: int = ..., random_state: int | RandomState | None = ...
    ) -> Self: ...
    def set_partial_fit_request(
        self, *, classes: bool | str | None = ..., sample_weight: bool | str | None = ...
    ) -> Self: ...
    def set_score_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...
