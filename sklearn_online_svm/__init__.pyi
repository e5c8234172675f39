# Written by `make stubs`.

from abc import ABCMeta
from typing import Any, Self

from imblearn.over_sampling.base import BaseOverSampler
from numpy.random import RandomState
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.exceptions import InconsistentVersionWarning

from sklearn_online_svm.active import LabelEfficientClassifier as LabelEfficientClassifier
from sklearn_online_svm.kernel import LASVC as LASVC
from sklearn_online_svm.kernel import LASVR as LASVR
from sklearn_online_svm.kernel import ActiveLASVC as ActiveLASVC
from sklearn_online_svm.kernel import ColumnKernel as ColumnKernel
from sklearn_online_svm.kernel import CompressedClassifier as CompressedClassifier
from sklearn_online_svm.kernel import KernelAROWClassifier as KernelAROWClassifier
from sklearn_online_svm.kernel import (
    KernelPassiveAggressiveClassifier as KernelPassiveAggressiveClassifier,
)
from sklearn_online_svm.kernel import (
    KernelPassiveAggressiveRegressor as KernelPassiveAggressiveRegressor,
)
from sklearn_online_svm.kernel import KernelPerceptronClassifier as KernelPerceptronClassifier
from sklearn_online_svm.kernel import OneClassLASVM as OneClassLASVM
from sklearn_online_svm.kernel import RampSVC as RampSVC
from sklearn_online_svm.kernel import VirtualLASVC as VirtualLASVC
from sklearn_online_svm.linear import Advice as Advice
from sklearn_online_svm.linear import (
    AdvicePassiveAggressiveClassifier as AdvicePassiveAggressiveClassifier,
)
from sklearn_online_svm.linear import AROWClassifier as AROWClassifier
from sklearn_online_svm.linear import ConfidenceWeightedClassifier as ConfidenceWeightedClassifier
from sklearn_online_svm.linear import (
    CostSensitivePassiveAggressiveClassifier as CostSensitivePassiveAggressiveClassifier,
)
from sklearn_online_svm.linear import LocalOnlineClassifier as LocalOnlineClassifier
from sklearn_online_svm.linear import PassiveAggressiveClassifier as PassiveAggressiveClassifier
from sklearn_online_svm.linear import PassiveAggressiveRegressor as PassiveAggressiveRegressor
from sklearn_online_svm.linear import PerceptronClassifier as PerceptronClassifier
from sklearn_online_svm.linear import ScaledAdviceClassifier as ScaledAdviceClassifier
from sklearn_online_svm.linear import SCWClassifier as SCWClassifier
from sklearn_online_svm.linear import (
    SecondOrderPerceptronClassifier as SecondOrderPerceptronClassifier,
)

__all__ = [
    "__version__",
    "InconsistentPackageWarning",
    "show_versions",
    "LabelEfficientClassifier",
    "LASVC",
    "LASVR",
    "ActiveLASVC",
    "ColumnKernel",
    "CompressedClassifier",
    "KernelAROWClassifier",
    "KernelPassiveAggressiveClassifier",
    "KernelPassiveAggressiveRegressor",
    "KernelPerceptronClassifier",
    "OneClassLASVM",
    "RampSVC",
    "VirtualLASVC",
    "AROWClassifier",
    "Advice",
    "AdvicePassiveAggressiveClassifier",
    "ConfidenceWeightedClassifier",
    "CostSensitivePassiveAggressiveClassifier",
    "LocalOnlineClassifier",
    "PassiveAggressiveClassifier",
    "PassiveAggressiveRegressor",
    "PerceptronClassifier",
    "SCWClassifier",
    "ScaledAdviceClassifier",
    "SecondOrderPerceptronClassifier",
]

__version__: str

class InconsistentPackageWarning(InconsistentVersionWarning):
    def __init__(
        self, *, package: str, current_version: str, original_version: str, **of_sklearn: Any
    ) -> None: ...

def show_versions() -> None: ...

class VirtualSampler(BaseOverSampler, BaseEstimator, metaclass=ABCMeta):
    sampling_strategy_: dict[Any, Any]
    estimator_: Any
    ends_: NDArray[Any]
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    sampling_strategy: Any
    n_neighbors: int
    n_virtual: int | None
    estimator: Any
    random_state: int | RandomState | None
    def __init__(
        self,
        sampling_strategy: Any = ...,
        *,
        n_neighbors: int = ...,
        n_virtual: int | None = ...,
        estimator: Any = ...,
        random_state: int | RandomState | None = ...,
    ) -> None: ...
    def fit_resample(self, X: Any, y: ArrayLike, **params: Any) -> tuple[Any, ArrayLike]: ...
    def get_params(self, deep: bool = ...) -> dict[str, Any]: ...
    def set_params(
        self,
        *,
        sampling_strategy: Any = ...,
        n_neighbors: int = ...,
        n_virtual: int | None = ...,
        estimator: Any = ...,
        random_state: int | RandomState | None = ...,
        **params: Any,
    ) -> Self: ...
