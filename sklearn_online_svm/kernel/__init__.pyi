# Written by `make stubs`.

from collections.abc import Callable
from typing import Any, Literal, Self

from numpy.random import RandomState
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_matrix, sparray, spmatrix
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, RegressorMixin

__all__ = [
    "LASVC",
    "LASVR",
    "ActiveLASVC",
    "ColumnKernel",
    "CompressedClassifier",
    "KernelPassiveAggressiveClassifier",
    "KernelPassiveAggressiveRegressor",
    "KernelAROWClassifier",
    "KernelPerceptronClassifier",
    "OneClassLASVM",
    "RampSVC",
    "SolutionPath",
    "VirtualLASVC",
]

class LASVC(ClassifierMixin, BaseEstimator):
    classes_: NDArray[Any]
    class_weight_: NDArray[Any]
    @property
    def coef_(self) -> NDArray[Any]: ...
    @property
    def dual_coef_(self) -> NDArray[Any]: ...
    @property
    def dual_objective_(self) -> NDArray[Any]: ...
    @property
    def duality_gap_(self) -> NDArray[Any]: ...
    gamma_: float
    @property
    def intercept_(self) -> NDArray[Any]: ...
    @property
    def interrupted_(self) -> bool: ...
    kkt_violation_: float
    @property
    def leave_one_out_estimate_(self) -> float: ...
    @property
    def n_admitted_(self) -> NDArray[Any]: ...
    @property
    def n_cleaned_(self) -> NDArray[Any]: ...
    @property
    def n_skipped_(self) -> NDArray[Any]: ...
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    n_iter_: int
    @property
    def n_kernel_evaluations_(self) -> int: ...
    n_labels_used_: int
    n_samples_seen_: int
    @property
    def n_support_(self) -> NDArray[Any]: ...
    @property
    def support_(self) -> NDArray[Any]: ...
    @property
    def support_vectors_(self) -> NDArray[Any] | csr_matrix: ...
    C: float
    kernel: (
        Literal[
            "chi2",
            "cosine",
            "intersection",
            "laplacian",
            "linear",
            "poly",
            "precomputed",
            "rbf",
            "sigmoid",
            "tanimoto",
        ]
        | Callable[..., Any]
    )
    degree: int
    gamma: Literal["auto", "scale"] | float
    coef0: float
    algorithm: Literal["lasvm", "lasvm-full", "lasvm-g", "lasvm-i", "lasvm-nc"]
    max_iter: Literal["auto"] | int
    delta_max: float | None
    finishing: bool
    shrinking: bool
    tol: float
    ramp_s: float
    window_size: int | None
    probability: bool
    cache_size: float
    class_weight: Literal["balanced", "online_balanced"] | dict[Any, Any] | None
    shuffle: bool
    n_jobs: int | None
    random_state: int | RandomState | None
    verbose: int | bool
    warm_start: bool
    def __init__(
        self,
        C: float = ...,
        *,
        kernel: Literal[
            "chi2",
            "cosine",
            "intersection",
            "laplacian",
            "linear",
            "poly",
            "precomputed",
            "rbf",
            "sigmoid",
            "tanimoto",
        ]
        | Callable[..., Any] = ...,
        degree: int = ...,
        gamma: Literal["auto", "scale"] | float = ...,
        coef0: float = ...,
        algorithm: Literal["lasvm", "lasvm-full", "lasvm-g", "lasvm-i", "lasvm-nc"] = ...,
        max_iter: Literal["auto"] | int = ...,
        delta_max: float | None = ...,
        finishing: bool = ...,
        shrinking: bool = ...,
        tol: float = ...,
        ramp_s: float = ...,
        window_size: int | None = ...,
        probability: bool = ...,
        cache_size: float = ...,
        class_weight: Literal["balanced", "online_balanced"] | dict[Any, Any] | None = ...,
        shuffle: bool = ...,
        n_jobs: int | None = ...,
        random_state: int | RandomState | None = ...,
        verbose: int | bool = ...,
        warm_start: bool = ...,
    ) -> None: ...
    def compress(
        self,
        *,
        max_support_vectors: int | None = ...,
        tolerance: float | None = ...,
        X: ArrayLike | spmatrix | sparray | None = ...,
    ) -> CompressedClassifier: ...
    def decision_function(self, X: ArrayLike | spmatrix | sparray) -> NDArray[Any]: ...
    def finish(self) -> Self: ...
    def fit(
        self,
        X: ArrayLike | spmatrix | sparray,
        y: ArrayLike,
        sample_weight: ArrayLike | None = ...,
    ) -> Self: ...
    def fit_path(
        self,
        X: ArrayLike | spmatrix | sparray,
        y: ArrayLike,
        Cs: ArrayLike,
        sample_weight: ArrayLike | None = ...,
    ) -> SolutionPath: ...
    def get_params(self, deep: bool = ...) -> dict[str, Any]: ...
    def leave_one_out(
        self,
        X: ArrayLike | spmatrix | sparray,
        y: ArrayLike,
        sample_weight: ArrayLike | None = ...,
        *,
        method: Literal["exact", "span", "xi-alpha"] = ...,
    ) -> NDArray[Any]: ...
    def leave_one_out_decision_function(
        self, X: ArrayLike | spmatrix | sparray, y: ArrayLike
    ) -> NDArray[Any]: ...
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
    def resume(
        self,
        X: ArrayLike | spmatrix | sparray | None = ...,
        y: ArrayLike | None = ...,
        sample_weight: ArrayLike | None = ...,
    ) -> Self: ...
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
        C: float = ...,
        kernel: Literal[
            "chi2",
            "cosine",
            "intersection",
            "laplacian",
            "linear",
            "poly",
            "precomputed",
            "rbf",
            "sigmoid",
            "tanimoto",
        ]
        | Callable[..., Any] = ...,
        degree: int = ...,
        gamma: Literal["auto", "scale"] | float = ...,
        coef0: float = ...,
        algorithm: Literal["lasvm", "lasvm-full", "lasvm-g", "lasvm-i", "lasvm-nc"] = ...,
        max_iter: Literal["auto"] | int = ...,
        delta_max: float | None = ...,
        finishing: bool = ...,
        shrinking: bool = ...,
        tol: float = ...,
        ramp_s: float = ...,
        window_size: int | None = ...,
        probability: bool = ...,
        cache_size: float = ...,
        class_weight: Literal["balanced", "online_balanced"] | dict[Any, Any] | None = ...,
        shuffle: bool = ...,
        n_jobs: int | None = ...,
        random_state: int | RandomState | None = ...,
        verbose: int | bool = ...,
        warm_start: bool = ...,
    ) -> Self: ...
    def set_partial_fit_request(
        self, *, classes: bool | str | None = ..., sample_weight: bool | str | None = ...
    ) -> Self: ...
    def set_score_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...
    def snapshot(self) -> Any: ...
    def suspect_labels(
        self,
        X: ArrayLike | spmatrix | sparray,
        y: ArrayLike,
        *,
        n_suspects: int | None = ...,
        return_margins: bool = ...,
    ) -> Any: ...

class LASVR(RegressorMixin, BaseEstimator):
    @property
    def coef_(self) -> NDArray[Any]: ...
    @property
    def dual_coef_(self) -> NDArray[Any]: ...
    @property
    def dual_objective_(self) -> NDArray[Any]: ...
    @property
    def duality_gap_(self) -> NDArray[Any]: ...
    epsilon_: float
    gamma_: float
    @property
    def intercept_(self) -> NDArray[Any]: ...
    @property
    def interrupted_(self) -> bool: ...
    kkt_violation_: float
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    n_iter_: int
    @property
    def n_kernel_evaluations_(self) -> int: ...
    n_labels_used_: int
    n_outputs_: int
    n_samples_seen_: int
    @property
    def n_support_(self) -> NDArray[Any]: ...
    @property
    def support_(self) -> NDArray[Any]: ...
    @property
    def support_vectors_(self) -> NDArray[Any] | csr_matrix: ...
    C: float
    epsilon: float | Literal["auto"]
    loss: Literal["epsilon_insensitive", "squared_epsilon_insensitive"]
    kernel: (
        Literal[
            "chi2",
            "cosine",
            "intersection",
            "laplacian",
            "linear",
            "poly",
            "precomputed",
            "rbf",
            "sigmoid",
            "tanimoto",
        ]
        | Callable[..., Any]
    )
    degree: int
    gamma: Literal["auto", "scale"] | float
    coef0: float
    algorithm: Literal["lasvm", "lasvm-g"]
    max_iter: Literal["auto"] | int
    finishing: bool
    shrinking: bool
    tol: float
    max_support_vectors: int | None
    window_size: int | None
    cache_size: float
    shuffle: bool
    n_jobs: int | None
    random_state: int | RandomState | None
    verbose: int | bool
    def __init__(
        self,
        C: float = ...,
        *,
        epsilon: float | Literal["auto"] = ...,
        loss: Literal["epsilon_insensitive", "squared_epsilon_insensitive"] = ...,
        kernel: Literal[
            "chi2",
            "cosine",
            "intersection",
            "laplacian",
            "linear",
            "poly",
            "precomputed",
            "rbf",
            "sigmoid",
            "tanimoto",
        ]
        | Callable[..., Any] = ...,
        degree: int = ...,
        gamma: Literal["auto", "scale"] | float = ...,
        coef0: float = ...,
        algorithm: Literal["lasvm", "lasvm-g"] = ...,
        max_iter: Literal["auto"] | int = ...,
        finishing: bool = ...,
        shrinking: bool = ...,
        tol: float = ...,
        max_support_vectors: int | None = ...,
        window_size: int | None = ...,
        cache_size: float = ...,
        shuffle: bool = ...,
        n_jobs: int | None = ...,
        random_state: int | RandomState | None = ...,
        verbose: int | bool = ...,
    ) -> None: ...
    def finish(self) -> Self: ...
    def fit(
        self,
        X: ArrayLike | spmatrix | sparray,
        y: ArrayLike,
        sample_weight: ArrayLike | None = ...,
    ) -> Self: ...
    def fit_path(
        self,
        X: ArrayLike | spmatrix | sparray,
        y: ArrayLike,
        Cs: ArrayLike,
        sample_weight: ArrayLike | None = ...,
    ) -> SolutionPath: ...
    def get_params(self, deep: bool = ...) -> dict[str, Any]: ...
    def leave_one_out_predict(
        self, X: ArrayLike | spmatrix | sparray, y: ArrayLike
    ) -> NDArray[Any]: ...
    def partial_fit(
        self,
        X: ArrayLike | spmatrix | sparray,
        y: ArrayLike,
        sample_weight: ArrayLike | None = ...,
    ) -> Self: ...
    def predict(self, X: ArrayLike | spmatrix | sparray) -> NDArray[Any]: ...
    def resume(
        self,
        X: ArrayLike | spmatrix | sparray | None = ...,
        y: ArrayLike | None = ...,
        sample_weight: ArrayLike | None = ...,
    ) -> Self: ...
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
        C: float = ...,
        epsilon: float | Literal["auto"] = ...,
        loss: Literal["epsilon_insensitive", "squared_epsilon_insensitive"] = ...,
        kernel: Literal[
            "chi2",
            "cosine",
            "intersection",
            "laplacian",
            "linear",
            "poly",
            "precomputed",
            "rbf",
            "sigmoid",
            "tanimoto",
        ]
        | Callable[..., Any] = ...,
        degree: int = ...,
        gamma: Literal["auto", "scale"] | float = ...,
        coef0: float = ...,
        algorithm: Literal["lasvm", "lasvm-g"] = ...,
        max_iter: Literal["auto"] | int = ...,
        finishing: bool = ...,
        shrinking: bool = ...,
        tol: float = ...,
        max_support_vectors: int | None = ...,
        window_size: int | None = ...,
        cache_size: float = ...,
        shuffle: bool = ...,
        n_jobs: int | None = ...,
        random_state: int | RandomState | None = ...,
        verbose: int | bool = ...,
    ) -> Self: ...
    def set_partial_fit_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...
    def set_score_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...
    def snapshot(self) -> Any: ...

class ActiveLASVC(LASVC):
    n_labels_used_: int
    @property
    def stopped_early_(self) -> bool: ...
    C: float
    selection: Literal["active", "autoactive", "gradient", "random"]
    pool_size: int | Literal["all"]
    n_init: int
    max_labels: int | None
    stopping: Literal["margin", "n_support"] | None
    stopping_window: int | None
    kernel: (
        Literal[
            "chi2",
            "cosine",
            "intersection",
            "laplacian",
            "linear",
            "poly",
            "precomputed",
            "rbf",
            "sigmoid",
            "tanimoto",
        ]
        | Callable[..., Any]
    )
    degree: int
    gamma: Literal["auto", "scale"] | float
    coef0: float
    algorithm: Literal["lasvm", "lasvm-full", "lasvm-g", "lasvm-i", "lasvm-nc"]
    max_iter: Literal["auto"] | int
    delta_max: float | None
    finishing: bool
    shrinking: bool
    tol: float
    ramp_s: float
    window_size: int | None
    cache_size: float
    class_weight: Literal["balanced"] | dict[Any, Any] | None
    shuffle: bool
    n_jobs: int | None
    random_state: int | RandomState | None
    verbose: int | bool
    warm_start: bool
    def __init__(
        self,
        C: float = ...,
        *,
        selection: Literal["active", "autoactive", "gradient", "random"] = ...,
        pool_size: int | Literal["all"] = ...,
        n_init: int = ...,
        max_labels: int | None = ...,
        stopping: Literal["margin", "n_support"] | None = ...,
        stopping_window: int | None = ...,
        kernel: Literal[
            "chi2",
            "cosine",
            "intersection",
            "laplacian",
            "linear",
            "poly",
            "precomputed",
            "rbf",
            "sigmoid",
            "tanimoto",
        ]
        | Callable[..., Any] = ...,
        degree: int = ...,
        gamma: Literal["auto", "scale"] | float = ...,
        coef0: float = ...,
        algorithm: Literal["lasvm", "lasvm-full", "lasvm-g", "lasvm-i", "lasvm-nc"] = ...,
        max_iter: Literal["auto"] | int = ...,
        delta_max: float | None = ...,
        finishing: bool = ...,
        shrinking: bool = ...,
        tol: float = ...,
        ramp_s: float = ...,
        window_size: int | None = ...,
        cache_size: float = ...,
        class_weight: Literal["balanced"] | dict[Any, Any] | None = ...,
        shuffle: bool = ...,
        n_jobs: int | None = ...,
        random_state: int | RandomState | None = ...,
        verbose: int | bool = ...,
        warm_start: bool = ...,
    ) -> None: ...
    def get_params(self, deep: bool = ...) -> dict[str, Any]: ...
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
        C: float = ...,
        selection: Literal["active", "autoactive", "gradient", "random"] = ...,
        pool_size: int | Literal["all"] = ...,
        n_init: int = ...,
        max_labels: int | None = ...,
        stopping: Literal["margin", "n_support"] | None = ...,
        stopping_window: int | None = ...,
        kernel: Literal[
            "chi2",
            "cosine",
            "intersection",
            "laplacian",
            "linear",
            "poly",
            "precomputed",
            "rbf",
            "sigmoid",
            "tanimoto",
        ]
        | Callable[..., Any] = ...,
        degree: int = ...,
        gamma: Literal["auto", "scale"] | float = ...,
        coef0: float = ...,
        algorithm: Literal["lasvm", "lasvm-full", "lasvm-g", "lasvm-i", "lasvm-nc"] = ...,
        max_iter: Literal["auto"] | int = ...,
        delta_max: float | None = ...,
        finishing: bool = ...,
        shrinking: bool = ...,
        tol: float = ...,
        ramp_s: float = ...,
        window_size: int | None = ...,
        cache_size: float = ...,
        class_weight: Literal["balanced"] | dict[Any, Any] | None = ...,
        shuffle: bool = ...,
        n_jobs: int | None = ...,
        random_state: int | RandomState | None = ...,
        verbose: int | bool = ...,
        warm_start: bool = ...,
    ) -> Self: ...
    def set_partial_fit_request(
        self, *, classes: bool | str | None = ..., sample_weight: bool | str | None = ...
    ) -> Self: ...
    def set_score_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...

class ColumnKernel(BaseEstimator):
    terms: list[Any]
    combine: Literal["sum", "product"]
    def __init__(self, terms: list[Any], combine: Literal["sum", "product"] = ...) -> None: ...
    def __call__(self, X: Any, Y: Any = ...) -> Any: ...
    def get_params(self, deep: bool = ...) -> dict[str, Any]: ...
    def set_params(
        self, *, terms: list[Any] = ..., combine: Literal["sum", "product"] = ...
    ) -> Self: ...

class CompressedClassifier(MetaEstimatorMixin, ClassifierMixin, BaseEstimator):
    classes_: NDArray[Any]
    @property
    def support_vectors_(self) -> NDArray[Any] | csr_matrix: ...
    @property
    def support_(self) -> NDArray[Any]: ...
    @property
    def n_support_(self) -> NDArray[Any]: ...
    @property
    def dual_coef_(self) -> NDArray[Any]: ...
    @property
    def intercept_(self) -> NDArray[Any]: ...
    @property
    def coef_(self) -> NDArray[Any]: ...
    gamma_: float
    n_support_vectors_before_: int
    max_difference_: float
    rkhs_distance_: NDArray[Any]
    sample_difference_: float
    n_samples_seen_: int
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    estimator: Any
    max_support_vectors: int | None
    tolerance: float | None
    def __init__(
        self,
        estimator: Any = ...,
        *,
        max_support_vectors: int | None = ...,
        tolerance: float | None = ...,
    ) -> None: ...
    def compress(
        self,
        *,
        max_support_vectors: int | None = ...,
        tolerance: float | None = ...,
        X: ArrayLike | spmatrix | sparray | None = ...,
    ) -> CompressedClassifier: ...
    def decision_function(self, X: ArrayLike | spmatrix | sparray) -> NDArray[Any]: ...
    def fit(
        self,
        X: ArrayLike | spmatrix | sparray,
        y: ArrayLike,
        sample_weight: ArrayLike | None = ...,
    ) -> Self: ...
    def get_params(self, deep: bool = ...) -> dict[str, Any]: ...
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
        max_support_vectors: int | None = ...,
        tolerance: float | None = ...,
        **params: Any,
    ) -> Self: ...
    def set_score_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...
    def suspect_labels(
        self,
        X: ArrayLike | spmatrix | sparray,
        y: ArrayLike,
        *,
        n_suspects: int | None = ...,
        return_margins: bool = ...,
    ) -> Any: ...
    @property
    def coef0(self) -> Any: ...
    @property
    def degree(self) -> Any: ...
    @property
    def kernel(self) -> Any: ...
    @property
    def n_jobs(self) -> Any: ...

class KernelPassiveAggressiveClassifier(ClassifierMixin, BaseEstimator):
    classes_: NDArray[Any]
    @property
    def support_(self) -> NDArray[Any]: ...
    @property
    def support_vectors_(self) -> NDArray[Any] | csr_matrix: ...
    @property
    def n_support_(self) -> NDArray[Any]: ...
    @property
    def dual_coef_(self) -> NDArray[Any]: ...
    @property
    def intercept_(self) -> NDArray[Any]: ...
    @property
    def coef_(self) -> NDArray[Any]: ...
    gamma_: float
    n_iter_: int
    @property
    def n_samples_seen_(self) -> int: ...
    @property
    def t_(self) -> float: ...
    @property
    def n_updates_(self) -> int: ...
    @property
    def n_kernel_evaluations_(self) -> int: ...
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    C: float
    loss: Literal["hinge", "squared_hinge"]
    average: Literal["mean", "vote"] | Literal[False]
    kernel: (
        Literal[
            "chi2",
            "cosine",
            "intersection",
            "laplacian",
            "linear",
            "poly",
            "precomputed",
            "rbf",
            "sigmoid",
            "tanimoto",
        ]
        | Callable[..., Any]
    )
    degree: int
    gamma: Literal["auto", "scale"] | float
    coef0: float
    max_support_vectors: int | None
    budget_policy: Literal["margin", "merging", "projection", "smallest"]
    multi_class: Literal["crammer_singer", "ovr"]
    max_iter: int
    tol: float | None
    n_iter_no_change: int
    shuffle: bool
    verbose: int | bool
    n_jobs: int | None
    random_state: int | RandomState | None
    class_weight: Literal["balanced"] | dict[Any, Any] | None
    def __init__(
        self,
        *,
        C: float = ...,
        loss: Literal["hinge", "squared_hinge"] = ...,
        average: Literal["mean", "vote"] | Literal[False] = ...,
        kernel: Literal[
            "chi2",
            "cosine",
            "intersection",
            "laplacian",
            "linear",
            "poly",
            "precomputed",
            "rbf",
            "sigmoid",
            "tanimoto",
        ]
        | Callable[..., Any] = ...,
        degree: int = ...,
        gamma: Literal["auto", "scale"] | float = ...,
        coef0: float = ...,
        max_support_vectors: int | None = ...,
        budget_policy: Literal["margin", "merging", "projection", "smallest"] = ...,
        multi_class: Literal["crammer_singer", "ovr"] = ...,
        max_iter: int = ...,
        tol: float | None = ...,
        n_iter_no_change: int = ...,
        shuffle: bool = ...,
        verbose: int | bool = ...,
        n_jobs: int | None = ...,
        random_state: int | RandomState | None = ...,
        class_weight: Literal["balanced"] | dict[Any, Any] | None = ...,
    ) -> None: ...
    def compress(
        self,
        *,
        max_support_vectors: int | None = ...,
        tolerance: float | None = ...,
        X: ArrayLike | spmatrix | sparray | None = ...,
    ) -> CompressedClassifier: ...
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
        C: float = ...,
        loss: Literal["hinge", "squared_hinge"] = ...,
        average: Literal["mean", "vote"] | Literal[False] = ...,
        kernel: Literal[
            "chi2",
            "cosine",
            "intersection",
            "laplacian",
            "linear",
            "poly",
            "precomputed",
            "rbf",
            "sigmoid",
            "tanimoto",
        ]
        | Callable[..., Any] = ...,
        degree: int = ...,
        gamma: Literal["auto", "scale"] | float = ...,
        coef0: float = ...,
        max_support_vectors: int | None = ...,
        budget_policy: Literal["margin", "merging", "projection", "smallest"] = ...,
        multi_class: Literal["crammer_singer", "ovr"] = ...,
        max_iter: int = ...,
        tol: float | None = ...,
        n_iter_no_change: int = ...,
        shuffle: bool = ...,
        verbose: int | bool = ...,
        n_jobs: int | None = ...,
        random_state: int | RandomState | None = ...,
        class_weight: Literal["balanced"] | dict[Any, Any] | None = ...,
    ) -> Self: ...
    def set_partial_fit_request(
        self, *, classes: bool | str | None = ..., sample_weight: bool | str | None = ...
    ) -> Self: ...
    def set_score_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...
    def suspect_labels(
        self,
        X: ArrayLike | spmatrix | sparray,
        y: ArrayLike,
        *,
        n_suspects: int | None = ...,
        return_margins: bool = ...,
    ) -> Any: ...

class KernelPassiveAggressiveRegressor(RegressorMixin, BaseEstimator):
    @property
    def support_(self) -> NDArray[Any]: ...
    @property
    def support_vectors_(self) -> NDArray[Any] | csr_matrix: ...
    @property
    def n_support_(self) -> NDArray[Any]: ...
    @property
    def dual_coef_(self) -> NDArray[Any]: ...
    @property
    def intercept_(self) -> NDArray[Any]: ...
    @property
    def coef_(self) -> NDArray[Any]: ...
    gamma_: float
    n_iter_: int
    @property
    def n_samples_seen_(self) -> int: ...
    @property
    def t_(self) -> float: ...
    @property
    def n_updates_(self) -> int: ...
    @property
    def n_kernel_evaluations_(self) -> int: ...
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    C: float
    loss: Literal["epsilon_insensitive", "squared_epsilon_insensitive"]
    epsilon: float
    average: Literal["mean"] | Literal[False]
    kernel: (
        Literal[
            "chi2",
            "cosine",
            "intersection",
            "laplacian",
            "linear",
            "poly",
            "precomputed",
            "rbf",
            "sigmoid",
            "tanimoto",
        ]
        | Callable[..., Any]
    )
    degree: int
    gamma: Literal["auto", "scale"] | float
    coef0: float
    max_support_vectors: int | None
    budget_policy: Literal["merging", "projection", "smallest"]
    max_iter: int
    tol: float | None
    n_iter_no_change: int
    shuffle: bool
    verbose: int | bool
    n_jobs: int | None
    random_state: int | RandomState | None
    def __init__(
        self,
        *,
        C: float = ...,
        loss: Literal["epsilon_insensitive", "squared_epsilon_insensitive"] = ...,
        epsilon: float = ...,
        average: Literal["mean"] | Literal[False] = ...,
        kernel: Literal[
            "chi2",
            "cosine",
            "intersection",
            "laplacian",
            "linear",
            "poly",
            "precomputed",
            "rbf",
            "sigmoid",
            "tanimoto",
        ]
        | Callable[..., Any] = ...,
        degree: int = ...,
        gamma: Literal["auto", "scale"] | float = ...,
        coef0: float = ...,
        max_support_vectors: int | None = ...,
        budget_policy: Literal["merging", "projection", "smallest"] = ...,
        max_iter: int = ...,
        tol: float | None = ...,
        n_iter_no_change: int = ...,
        shuffle: bool = ...,
        verbose: int | bool = ...,
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
        C: float = ...,
        loss: Literal["epsilon_insensitive", "squared_epsilon_insensitive"] = ...,
        epsilon: float = ...,
        average: Literal["mean"] | Literal[False] = ...,
        kernel: Literal[
            "chi2",
            "cosine",
            "intersection",
            "laplacian",
            "linear",
            "poly",
            "precomputed",
            "rbf",
            "sigmoid",
            "tanimoto",
        ]
        | Callable[..., Any] = ...,
        degree: int = ...,
        gamma: Literal["auto", "scale"] | float = ...,
        coef0: float = ...,
        max_support_vectors: int | None = ...,
        budget_policy: Literal["merging", "projection", "smallest"] = ...,
        max_iter: int = ...,
        tol: float | None = ...,
        n_iter_no_change: int = ...,
        shuffle: bool = ...,
        verbose: int | bool = ...,
        n_jobs: int | None = ...,
        random_state: int | RandomState | None = ...,
    ) -> Self: ...
    def set_partial_fit_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...
    def set_score_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...

class KernelAROWClassifier(ClassifierMixin, BaseEstimator):
    classes_: NDArray[Any]
    @property
    def support_(self) -> NDArray[Any]: ...
    @property
    def support_vectors_(self) -> NDArray[Any] | csr_matrix: ...
    @property
    def n_support_(self) -> NDArray[Any]: ...
    @property
    def dual_coef_(self) -> NDArray[Any]: ...
    @property
    def intercept_(self) -> NDArray[Any]: ...
    @property
    def coef_(self) -> NDArray[Any]: ...
    gamma_: float
    n_iter_: int
    @property
    def n_samples_seen_(self) -> int: ...
    @property
    def t_(self) -> float: ...
    @property
    def n_updates_(self) -> int: ...
    @property
    def n_kernel_evaluations_(self) -> int: ...
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    r: float
    forgetting_factor: float
    kernel: (
        Literal[
            "chi2",
            "cosine",
            "intersection",
            "laplacian",
            "linear",
            "poly",
            "precomputed",
            "rbf",
            "sigmoid",
            "tanimoto",
        ]
        | Callable[..., Any]
    )
    degree: int
    gamma: Literal["auto", "scale"] | float
    coef0: float
    max_support_vectors: int
    max_iter: int
    tol: float | None
    n_iter_no_change: int
    shuffle: bool
    verbose: int | bool
    n_jobs: int | None
    random_state: int | RandomState | None
    class_weight: Literal["balanced"] | dict[Any, Any] | None
    def __init__(
        self,
        *,
        r: float = ...,
        forgetting_factor: float = ...,
        kernel: Literal[
            "chi2",
            "cosine",
            "intersection",
            "laplacian",
            "linear",
            "poly",
            "precomputed",
            "rbf",
            "sigmoid",
            "tanimoto",
        ]
        | Callable[..., Any] = ...,
        degree: int = ...,
        gamma: Literal["auto", "scale"] | float = ...,
        coef0: float = ...,
        max_support_vectors: int = ...,
        max_iter: int = ...,
        tol: float | None = ...,
        n_iter_no_change: int = ...,
        shuffle: bool = ...,
        verbose: int | bool = ...,
        n_jobs: int | None = ...,
        random_state: int | RandomState | None = ...,
        class_weight: Literal["balanced"] | dict[Any, Any] | None = ...,
    ) -> None: ...
    def compress(
        self,
        *,
        max_support_vectors: int | None = ...,
        tolerance: float | None = ...,
        X: ArrayLike | spmatrix | sparray | None = ...,
    ) -> CompressedClassifier: ...
    def decision_function(self, X: ArrayLike | spmatrix | sparray) -> NDArray[Any]: ...
    def decision_variance(self, X: ArrayLike | spmatrix | sparray) -> NDArray[Any]: ...
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
        r: float = ...,
        forgetting_factor: float = ...,
        kernel: Literal[
            "chi2",
            "cosine",
            "intersection",
            "laplacian",
            "linear",
            "poly",
            "precomputed",
            "rbf",
            "sigmoid",
            "tanimoto",
        ]
        | Callable[..., Any] = ...,
        degree: int = ...,
        gamma: Literal["auto", "scale"] | float = ...,
        coef0: float = ...,
        max_support_vectors: int = ...,
        max_iter: int = ...,
        tol: float | None = ...,
        n_iter_no_change: int = ...,
        shuffle: bool = ...,
        verbose: int | bool = ...,
        n_jobs: int | None = ...,
        random_state: int | RandomState | None = ...,
        class_weight: Literal["balanced"] | dict[Any, Any] | None = ...,
    ) -> Self: ...
    def set_partial_fit_request(
        self, *, classes: bool | str | None = ..., sample_weight: bool | str | None = ...
    ) -> Self: ...
    def set_score_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...
    def suspect_labels(
        self,
        X: ArrayLike | spmatrix | sparray,
        y: ArrayLike,
        *,
        n_suspects: int | None = ...,
        return_margins: bool = ...,
    ) -> Any: ...

class KernelPerceptronClassifier(ClassifierMixin, BaseEstimator):
    classes_: NDArray[Any]
    @property
    def support_(self) -> NDArray[Any]: ...
    @property
    def support_vectors_(self) -> NDArray[Any] | csr_matrix: ...
    @property
    def n_support_(self) -> NDArray[Any]: ...
    @property
    def dual_coef_(self) -> NDArray[Any]: ...
    @property
    def intercept_(self) -> NDArray[Any]: ...
    @property
    def coef_(self) -> NDArray[Any]: ...
    gamma_: float
    n_iter_: int
    @property
    def n_samples_seen_(self) -> int: ...
    @property
    def t_(self) -> float: ...
    @property
    def n_updates_(self) -> int: ...
    @property
    def n_kernel_evaluations_(self) -> int: ...
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    margin: float
    average: Literal["mean", "vote"] | Literal[False]
    kernel: (
        Literal[
            "chi2",
            "cosine",
            "intersection",
            "laplacian",
            "linear",
            "poly",
            "precomputed",
            "rbf",
            "sigmoid",
            "tanimoto",
        ]
        | Callable[..., Any]
    )
    degree: int
    gamma: Literal["auto", "scale"] | float
    coef0: float
    max_support_vectors: int | None
    budget_policy: Literal["margin", "merging", "projection", "smallest"]
    multi_class: Literal["crammer_singer", "ovr"]
    max_iter: int
    tol: float | None
    n_iter_no_change: int
    shuffle: bool
    verbose: int | bool
    n_jobs: int | None
    random_state: int | RandomState | None
    class_weight: Literal["balanced"] | dict[Any, Any] | None
    def __init__(
        self,
        *,
        margin: float = ...,
        average: Literal["mean", "vote"] | Literal[False] = ...,
        kernel: Literal[
            "chi2",
            "cosine",
            "intersection",
            "laplacian",
            "linear",
            "poly",
            "precomputed",
            "rbf",
            "sigmoid",
            "tanimoto",
        ]
        | Callable[..., Any] = ...,
        degree: int = ...,
        gamma: Literal["auto", "scale"] | float = ...,
        coef0: float = ...,
        max_support_vectors: int | None = ...,
        budget_policy: Literal["margin", "merging", "projection", "smallest"] = ...,
        multi_class: Literal["crammer_singer", "ovr"] = ...,
        max_iter: int = ...,
        tol: float | None = ...,
        n_iter_no_change: int = ...,
        shuffle: bool = ...,
        verbose: int | bool = ...,
        n_jobs: int | None = ...,
        random_state: int | RandomState | None = ...,
        class_weight: Literal["balanced"] | dict[Any, Any] | None = ...,
    ) -> None: ...
    def compress(
        self,
        *,
        max_support_vectors: int | None = ...,
        tolerance: float | None = ...,
        X: ArrayLike | spmatrix | sparray | None = ...,
    ) -> CompressedClassifier: ...
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
        margin: float = ...,
        average: Literal["mean", "vote"] | Literal[False] = ...,
        kernel: Literal[
            "chi2",
            "cosine",
            "intersection",
            "laplacian",
            "linear",
            "poly",
            "precomputed",
            "rbf",
            "sigmoid",
            "tanimoto",
        ]
        | Callable[..., Any] = ...,
        degree: int = ...,
        gamma: Literal["auto", "scale"] | float = ...,
        coef0: float = ...,
        max_support_vectors: int | None = ...,
        budget_policy: Literal["margin", "merging", "projection", "smallest"] = ...,
        multi_class: Literal["crammer_singer", "ovr"] = ...,
        max_iter: int = ...,
        tol: float | None = ...,
        n_iter_no_change: int = ...,
        shuffle: bool = ...,
        verbose: int | bool = ...,
        n_jobs: int | None = ...,
        random_state: int | RandomState | None = ...,
        class_weight: Literal["balanced"] | dict[Any, Any] | None = ...,
    ) -> Self: ...
    def set_partial_fit_request(
        self, *, classes: bool | str | None = ..., sample_weight: bool | str | None = ...
    ) -> Self: ...
    def set_score_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...
    def suspect_labels(
        self,
        X: ArrayLike | spmatrix | sparray,
        y: ArrayLike,
        *,
        n_suspects: int | None = ...,
        return_margins: bool = ...,
    ) -> Any: ...

class OneClassLASVM(BaseEstimator):
    @property
    def coef_(self) -> NDArray[Any]: ...
    @property
    def dual_coef_(self) -> NDArray[Any]: ...
    @property
    def dual_objective_(self) -> NDArray[Any]: ...
    @property
    def duality_gap_(self) -> NDArray[Any]: ...
    gamma_: float
    @property
    def intercept_(self) -> NDArray[Any]: ...
    @property
    def interrupted_(self) -> bool: ...
    kkt_violation_: float
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    n_iter_: int
    @property
    def n_kernel_evaluations_(self) -> int: ...
    n_labels_used_: int
    n_samples_seen_: int
    @property
    def n_support_(self) -> NDArray[Any]: ...
    @property
    def offset_(self) -> float: ...
    @property
    def support_(self) -> NDArray[Any]: ...
    @property
    def support_vectors_(self) -> NDArray[Any] | csr_matrix: ...
    nu: float
    kernel: (
        Literal[
            "chi2",
            "cosine",
            "intersection",
            "laplacian",
            "linear",
            "poly",
            "precomputed",
            "rbf",
            "sigmoid",
            "tanimoto",
        ]
        | Callable[..., Any]
    )
    degree: int
    gamma: Literal["auto", "scale"] | float
    coef0: float
    max_iter: Literal["auto"] | int
    finishing: bool
    shrinking: bool
    tol: float
    max_support_vectors: int | None
    window_size: int | None
    cache_size: float
    shuffle: bool
    n_jobs: int | None
    random_state: int | RandomState | None
    verbose: int | bool
    def __init__(
        self,
        nu: float = ...,
        *,
        kernel: Literal[
            "chi2",
            "cosine",
            "intersection",
            "laplacian",
            "linear",
            "poly",
            "precomputed",
            "rbf",
            "sigmoid",
            "tanimoto",
        ]
        | Callable[..., Any] = ...,
        degree: int = ...,
        gamma: Literal["auto", "scale"] | float = ...,
        coef0: float = ...,
        max_iter: Literal["auto"] | int = ...,
        finishing: bool = ...,
        shrinking: bool = ...,
        tol: float = ...,
        max_support_vectors: int | None = ...,
        window_size: int | None = ...,
        cache_size: float = ...,
        shuffle: bool = ...,
        n_jobs: int | None = ...,
        random_state: int | RandomState | None = ...,
        verbose: int | bool = ...,
    ) -> None: ...
    def decision_function(self, X: ArrayLike | spmatrix | sparray) -> NDArray[Any]: ...
    def finish(self) -> Self: ...
    def fit(
        self,
        X: ArrayLike | spmatrix | sparray,
        y: Any = ...,
        sample_weight: ArrayLike | None = ...,
    ) -> Self: ...
    def get_params(self, deep: bool = ...) -> dict[str, Any]: ...
    def partial_fit(
        self,
        X: ArrayLike | spmatrix | sparray,
        y: Any = ...,
        sample_weight: ArrayLike | None = ...,
    ) -> Self: ...
    def predict(self, X: ArrayLike | spmatrix | sparray) -> NDArray[Any]: ...
    def resume(
        self,
        X: ArrayLike | spmatrix | sparray | None = ...,
        y: ArrayLike | None = ...,
        sample_weight: ArrayLike | None = ...,
    ) -> Self: ...
    def score_samples(self, X: ArrayLike | spmatrix | sparray) -> NDArray[Any]: ...
    def set_fit_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...
    def set_params(
        self,
        *,
        nu: float = ...,
        kernel: Literal[
            "chi2",
            "cosine",
            "intersection",
            "laplacian",
            "linear",
            "poly",
            "precomputed",
            "rbf",
            "sigmoid",
            "tanimoto",
        ]
        | Callable[..., Any] = ...,
        degree: int = ...,
        gamma: Literal["auto", "scale"] | float = ...,
        coef0: float = ...,
        max_iter: Literal["auto"] | int = ...,
        finishing: bool = ...,
        shrinking: bool = ...,
        tol: float = ...,
        max_support_vectors: int | None = ...,
        window_size: int | None = ...,
        cache_size: float = ...,
        shuffle: bool = ...,
        n_jobs: int | None = ...,
        random_state: int | RandomState | None = ...,
        verbose: int | bool = ...,
    ) -> Self: ...
    def set_partial_fit_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...
    def snapshot(self) -> Any: ...

class RampSVC(ClassifierMixin, BaseEstimator):
    classes_: NDArray[Any]
    class_weight_: NDArray[Any]
    @property
    def coef_(self) -> NDArray[Any]: ...
    @property
    def dual_coef_(self) -> NDArray[Any]: ...
    @property
    def dual_objective_(self) -> NDArray[Any]: ...
    @property
    def duality_gap_(self) -> NDArray[Any]: ...
    gamma_: float
    @property
    def intercept_(self) -> NDArray[Any]: ...
    @property
    def interrupted_(self) -> bool: ...
    kkt_violation_: float
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    n_iter_: int
    @property
    def n_kernel_evaluations_(self) -> int: ...
    n_samples_seen_: int
    @property
    def n_support_(self) -> NDArray[Any]: ...
    objective_history_: NDArray[Any]
    @property
    def support_(self) -> NDArray[Any]: ...
    @property
    def support_vectors_(self) -> NDArray[Any] | csr_matrix: ...
    C: float
    kernel: (
        Literal[
            "chi2",
            "cosine",
            "intersection",
            "laplacian",
            "linear",
            "poly",
            "precomputed",
            "rbf",
            "sigmoid",
            "tanimoto",
        ]
        | Callable[..., Any]
    )
    degree: int
    gamma: Literal["auto", "scale"] | float
    coef0: float
    ramp_s: float
    fit_intercept: bool
    init_size: float | None
    max_iter: int
    shrinking: bool
    tol: float
    probability: bool
    cache_size: float
    class_weight: Literal["balanced"] | dict[Any, Any] | None
    n_jobs: int | None
    random_state: int | RandomState | None
    verbose: int | bool
    def __init__(
        self,
        C: float = ...,
        *,
        kernel: Literal[
            "chi2",
            "cosine",
            "intersection",
            "laplacian",
            "linear",
            "poly",
            "precomputed",
            "rbf",
            "sigmoid",
            "tanimoto",
        ]
        | Callable[..., Any] = ...,
        degree: int = ...,
        gamma: Literal["auto", "scale"] | float = ...,
        coef0: float = ...,
        ramp_s: float = ...,
        fit_intercept: bool = ...,
        init_size: float | None = ...,
        max_iter: int = ...,
        shrinking: bool = ...,
        tol: float = ...,
        probability: bool = ...,
        cache_size: float = ...,
        class_weight: Literal["balanced"] | dict[Any, Any] | None = ...,
        n_jobs: int | None = ...,
        random_state: int | RandomState | None = ...,
        verbose: int | bool = ...,
    ) -> None: ...
    def compress(
        self,
        *,
        max_support_vectors: int | None = ...,
        tolerance: float | None = ...,
        X: ArrayLike | spmatrix | sparray | None = ...,
    ) -> CompressedClassifier: ...
    def decision_function(self, X: ArrayLike | spmatrix | sparray) -> NDArray[Any]: ...
    def fit(
        self,
        X: ArrayLike | spmatrix | sparray,
        y: ArrayLike,
        sample_weight: ArrayLike | None = ...,
    ) -> Self: ...
    def get_params(self, deep: bool = ...) -> dict[str, Any]: ...
    def predict(self, X: ArrayLike | spmatrix | sparray) -> NDArray[Any]: ...
    def predict_log_proba(self, X: ArrayLike | spmatrix | sparray) -> NDArray[Any]: ...
    def predict_proba(self, X: ArrayLike | spmatrix | sparray) -> NDArray[Any]: ...
    def resume(
        self,
        X: ArrayLike | spmatrix | sparray,
        y: ArrayLike,
        sample_weight: ArrayLike | None = ...,
    ) -> Self: ...
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
        C: float = ...,
        kernel: Literal[
            "chi2",
            "cosine",
            "intersection",
            "laplacian",
            "linear",
            "poly",
            "precomputed",
            "rbf",
            "sigmoid",
            "tanimoto",
        ]
        | Callable[..., Any] = ...,
        degree: int = ...,
        gamma: Literal["auto", "scale"] | float = ...,
        coef0: float = ...,
        ramp_s: float = ...,
        fit_intercept: bool = ...,
        init_size: float | None = ...,
        max_iter: int = ...,
        shrinking: bool = ...,
        tol: float = ...,
        probability: bool = ...,
        cache_size: float = ...,
        class_weight: Literal["balanced"] | dict[Any, Any] | None = ...,
        n_jobs: int | None = ...,
        random_state: int | RandomState | None = ...,
        verbose: int | bool = ...,
    ) -> Self: ...
    def set_score_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...
    def suspect_labels(
        self,
        X: ArrayLike | spmatrix | sparray,
        y: ArrayLike,
        *,
        n_suspects: int | None = ...,
        return_margins: bool = ...,
    ) -> Any: ...

class SolutionPath:
    models: list[LASVC | LASVR]
    Cs: NDArray[Any]
    dual_objective: NDArray[Any]
    n_support: NDArray[Any]
    kkt_violation: NDArray[Any]
    n_kernel_evaluations: int
    def __init__(
        self, models: list[LASVC | LASVR], kkt_violation: ArrayLike, n_kernel_evaluations: int
    ) -> None: ...
    def __len__(self) -> int: ...
    def __getitem__(self, k: Any) -> Any: ...
    def scores(
        self,
        X: ArrayLike | spmatrix | sparray,
        y: ArrayLike,
        sample_weight: ArrayLike | None = ...,
    ) -> NDArray[Any]: ...

class VirtualLASVC(ActiveLASVC):
    @property
    def minority_class_(self) -> Any: ...
    n_virtual_points_: int
    @property
    def virtual_ratio_(self) -> float: ...
    @property
    def virtual_support_vectors_(self) -> NDArray[Any] | csr_matrix: ...
    @property
    def support_(self) -> NDArray[Any]: ...
    n_labels_used_: int
    C: float
    kernel: (
        Literal[
            "chi2",
            "cosine",
            "intersection",
            "laplacian",
            "linear",
            "poly",
            "precomputed",
            "rbf",
            "sigmoid",
            "tanimoto",
        ]
        | Callable[..., Any]
    )
    degree: int
    gamma: Literal["auto", "scale"] | float
    coef0: float
    algorithm: Literal["lasvm", "lasvm-full", "lasvm-g", "lasvm-i", "lasvm-nc"]
    minority_class: Any
    n_neighbors: int
    n_virtual: int
    pool_size: int | Literal["all"]
    n_init: int
    max_labels: int | None
    stopping: Literal["margin", "n_support"] | None
    stopping_window: int | None
    delta_max: float | None
    finishing: bool
    shrinking: bool
    tol: float
    ramp_s: float
    cache_size: float
    class_weight: Literal["balanced"] | dict[Any, Any] | None
    shuffle: bool
    n_jobs: int | None
    random_state: int | RandomState | None
    verbose: int | bool
    def __init__(
        self,
        C: float = ...,
        *,
        kernel: Literal[
            "chi2",
            "cosine",
            "intersection",
            "laplacian",
            "linear",
            "poly",
            "precomputed",
            "rbf",
            "sigmoid",
            "tanimoto",
        ]
        | Callable[..., Any] = ...,
        degree: int = ...,
        gamma: Literal["auto", "scale"] | float = ...,
        coef0: float = ...,
        algorithm: Literal["lasvm", "lasvm-full", "lasvm-g", "lasvm-i", "lasvm-nc"] = ...,
        minority_class: Any = ...,
        n_neighbors: int = ...,
        n_virtual: int = ...,
        pool_size: int | Literal["all"] = ...,
        n_init: int = ...,
        max_labels: int | None = ...,
        stopping: Literal["margin", "n_support"] | None = ...,
        stopping_window: int | None = ...,
        delta_max: float | None = ...,
        finishing: bool = ...,
        shrinking: bool = ...,
        tol: float = ...,
        ramp_s: float = ...,
        cache_size: float = ...,
        class_weight: Literal["balanced"] | dict[Any, Any] | None = ...,
        shuffle: bool = ...,
        n_jobs: int | None = ...,
        random_state: int | RandomState | None = ...,
        verbose: int | bool = ...,
    ) -> None: ...
    def get_params(self, deep: bool = ...) -> dict[str, Any]: ...
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
        C: float = ...,
        kernel: Literal[
            "chi2",
            "cosine",
            "intersection",
            "laplacian",
            "linear",
            "poly",
            "precomputed",
            "rbf",
            "sigmoid",
            "tanimoto",
        ]
        | Callable[..., Any] = ...,
        degree: int = ...,
        gamma: Literal["auto", "scale"] | float = ...,
        coef0: float = ...,
        algorithm: Literal["lasvm", "lasvm-full", "lasvm-g", "lasvm-i", "lasvm-nc"] = ...,
        minority_class: Any = ...,
        n_neighbors: int = ...,
        n_virtual: int = ...,
        pool_size: int | Literal["all"] = ...,
        n_init: int = ...,
        max_labels: int | None = ...,
        stopping: Literal["margin", "n_support"] | None = ...,
        stopping_window: int | None = ...,
        delta_max: float | None = ...,
        finishing: bool = ...,
        shrinking: bool = ...,
        tol: float = ...,
        ramp_s: float = ...,
        cache_size: float = ...,
        class_weight: Literal["balanced"] | dict[Any, Any] | None = ...,
        shuffle: bool = ...,
        n_jobs: int | None = ...,
        random_state: int | RandomState | None = ...,
        verbose: int | bool = ...,
        **params: Any,
    ) -> Self: ...
    def set_partial_fit_request(
        self, *, classes: bool | str | None = ..., sample_weight: bool | str | None = ...
    ) -> Self: ...
    def set_score_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...
