# Written by `make stubs`.

from collections.abc import Callable
from os import PathLike
from typing import Any

from numpy.typing import ArrayLike

from sklearn_online_svm.partitioned import CellClassifier as CellClassifier
from sklearn_online_svm.partitioned import CellRegressor as CellRegressor

__all__ = ["fit_cells", "fit_linear", "predict", "read_partitions"]

def fit_cells(
    model: CellClassifier | CellRegressor, X: Any, y: Any = ..., *, sample_weight: Any = ...
) -> CellClassifier | CellRegressor: ...
def fit_linear(
    estimator: Any,
    X: Any,
    y: Any = ...,
    *,
    sample_weight: Any = ...,
    epochs: int = ...,
    classes: ArrayLike | None = ...,
) -> Any: ...
def predict(model: Any, X: Any, *, method: str = ...) -> Any: ...
def read_partitions(
    reader: Callable[..., Any], paths: list[str] | list[PathLike[str]], **options: Any
) -> list[Any]: ...
