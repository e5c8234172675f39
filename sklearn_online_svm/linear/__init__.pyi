# Written by `make stubs`.

from typing import Any, Literal, Self

from numpy.random import RandomState
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_matrix, sparray, spmatrix
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, RegressorMixin

__all__ = [
    "AROWClassifier",
    "Advice",
    "AdvicePassiveAggressiveClassifier",
    "AdviceReport",
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

class AROWClassifier(ClassifierMixin, BaseEstimator):
    classes_: NDArray[Any]
    @property
    def coef_(self) -> NDArray[Any]: ...
    @property
    def intercept_(self) -> NDArray[Any]: ...
    @property
    def covariance_(self) -> NDArray[Any]: ...
    n_iter_: int
    @property
    def t_(self) -> float: ...
    @property
    def n_updates_(self) -> int: ...
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    r: float
    covariance: Literal["diag", "full"]
    fit_intercept: bool
    max_iter: int
    tol: float | None
    early_stopping: bool
    validation_fraction: float
    n_iter_no_change: int
    shuffle: bool
    verbose: int | bool
    n_jobs: int | None
    random_state: int | RandomState | None
    warm_start: bool
    class_weight: Literal["balanced"] | dict[Any, Any] | None
    def __init__(
        self,
        *,
        r: float = ...,
        covariance: Literal["diag", "full"] = ...,
        fit_intercept: bool = ...,
        max_iter: int = ...,
        tol: float | None = ...,
        early_stopping: bool = ...,
        validation_fraction: float = ...,
        n_iter_no_change: int = ...,
        shuffle: bool = ...,
        verbose: int | bool = ...,
        n_jobs: int | None = ...,
        random_state: int | RandomState | None = ...,
        warm_start: bool = ...,
        class_weight: Literal["balanced"] | dict[Any, Any] | None = ...,
    ) -> None: ...
    def decision_function(self, X: ArrayLike | spmatrix | sparray) -> NDArray[Any]: ...
    def decision_variance(self, X: ArrayLike | spmatrix | sparray) -> NDArray[Any]: ...
    def densify(self) -> Self: ...
    def fit(
        self,
        X: ArrayLike | spmatrix | sparray,
        y: ArrayLike,
        sample_weight: ArrayLike | None = ...,
        *,
        coef_init: ArrayLike | None = ...,
        intercept_init: ArrayLike | None = ...,
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
    def set_fit_request(
        self,
        *,
        coef_init: bool | str | None = ...,
        intercept_init: bool | str | None = ...,
        sample_weight: bool | str | None = ...,
    ) -> Self: ...
    def set_params(
        self,
        *,
        r: float = ...,
        covariance: Literal["diag", "full"] = ...,
        fit_intercept: bool = ...,
        max_iter: int = ...,
        tol: float | None = ...,
        early_stopping: bool = ...,
        validation_fraction: float = ...,
        n_iter_no_change: int = ...,
        shuffle: bool = ...,
        verbose: int | bool = ...,
        n_jobs: int | None = ...,
        random_state: int | RandomState | None = ...,
        warm_start: bool = ...,
        class_weight: Literal["balanced"] | dict[Any, Any] | None = ...,
    ) -> Self: ...
    def set_partial_fit_request(
        self, *, classes: bool | str | None = ..., sample_weight: bool | str | None = ...
    ) -> Self: ...
    def set_score_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...
    def sparsify(self) -> Self: ...
    def suspect_labels(
        self,
        X: ArrayLike | spmatrix | sparray,
        y: ArrayLike,
        *,
        n_suspects: int | None = ...,
        return_margins: bool = ...,
    ) -> Any: ...

class Advice:
    D: csr_matrix
    d: NDArray[Any]
    label: Any
    feature_names: tuple[str, ...] | None
    name: str
    def __init__(
        self,
        D: ArrayLike | spmatrix | sparray,
        d: ArrayLike,
        label: Any,
        *,
        feature_names: ArrayLike | None = ...,
        name: str | None = ...,
    ) -> None: ...
    def contains(self, X: ArrayLike | spmatrix | sparray) -> NDArray[Any]: ...
    @classmethod
    def from_rules(
        cls, rules: dict[Any, Any], feature_names: ArrayLike, label: Any, *, name: str | None = ...
    ) -> Advice: ...
    @classmethod
    def from_tree(
        cls,
        tree: Any,
        feature_names: ArrayLike | None = ...,
        *,
        min_purity: float = ...,
        min_samples: int = ...,
    ) -> list[Advice]: ...
    def overlaps(self, other: Advice) -> bool: ...
    def transformed_by(self, scaler: Any) -> Advice: ...

class AdvicePassiveAggressiveClassifier(ClassifierMixin, BaseEstimator):
    classes_: NDArray[Any]
    @property
    def coef_(self) -> NDArray[Any]: ...
    @property
    def intercept_(self) -> NDArray[Any]: ...
    @property
    def advice_violation_(self) -> NDArray[Any]: ...
    n_iter_: int
    @property
    def t_(self) -> float: ...
    @property
    def n_updates_(self) -> int: ...
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    advice: list[Any] | tuple[Any, ...] | None
    C: float
    advice_weight: float
    initial_weights: Literal["advice", "zero"]
    refine: bool | int
    fit_intercept: bool
    max_iter: int
    tol: float | None
    early_stopping: bool
    validation_fraction: float
    n_iter_no_change: int
    shuffle: bool
    verbose: int | bool
    n_jobs: int | None
    random_state: int | RandomState | None
    warm_start: bool
    class_weight: Literal["balanced"] | dict[Any, Any] | None
    def __init__(
        self,
        advice: list[Any] | tuple[Any, ...] | None = ...,
        *,
        C: float = ...,
        advice_weight: float = ...,
        initial_weights: Literal["advice", "zero"] = ...,
        refine: bool | int = ...,
        fit_intercept: bool = ...,
        max_iter: int = ...,
        tol: float | None = ...,
        early_stopping: bool = ...,
        validation_fraction: float = ...,
        n_iter_no_change: int = ...,
        shuffle: bool = ...,
        verbose: int | bool = ...,
        n_jobs: int | None = ...,
        random_state: int | RandomState | None = ...,
        warm_start: bool = ...,
        class_weight: Literal["balanced"] | dict[Any, Any] | None = ...,
    ) -> None: ...
    def decision_function(self, X: ArrayLike | spmatrix | sparray) -> NDArray[Any]: ...
    def densify(self) -> Self: ...
    def explain_advice(
        self, X: ArrayLike | spmatrix | sparray | None = ...
    ) -> list[AdviceReport]: ...
    def fit(
        self,
        X: ArrayLike | spmatrix | sparray,
        y: ArrayLike,
        sample_weight: ArrayLike | None = ...,
        *,
        coef_init: ArrayLike | None = ...,
        intercept_init: ArrayLike | None = ...,
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
    def set_fit_request(
        self,
        *,
        coef_init: bool | str | None = ...,
        intercept_init: bool | str | None = ...,
        sample_weight: bool | str | None = ...,
    ) -> Self: ...
    def set_params(
        self,
        *,
        advice: list[Any] | tuple[Any, ...] | None = ...,
        C: float = ...,
        advice_weight: float = ...,
        initial_weights: Literal["advice", "zero"] = ...,
        refine: bool | int = ...,
        fit_intercept: bool = ...,
        max_iter: int = ...,
        tol: float | None = ...,
        early_stopping: bool = ...,
        validation_fraction: float = ...,
        n_iter_no_change: int = ...,
        shuffle: bool = ...,
        verbose: int | bool = ...,
        n_jobs: int | None = ...,
        random_state: int | RandomState | None = ...,
        warm_start: bool = ...,
        class_weight: Literal["balanced"] | dict[Any, Any] | None = ...,
    ) -> Self: ...
    def set_partial_fit_request(
        self, *, classes: bool | str | None = ..., sample_weight: bool | str | None = ...
    ) -> Self: ...
    def set_score_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...
    def sparsify(self) -> Self: ...
    def suspect_labels(
        self,
        X: ArrayLike | spmatrix | sparray,
        y: ArrayLike,
        *,
        n_suspects: int | None = ...,
        return_margins: bool = ...,
    ) -> Any: ...

class AdviceReport:
    advice: Advice
    violation: float
    coef_change: dict[str, float]
    intercept_change: float
    against: Any
    n_samples: int | None
    n_contradicted: int | None
    def __init__(
        self,
        advice: Any,
        violation: Any,
        coef_change: Any,
        intercept_change: Any,
        against: Any = ...,
        n_samples: Any = ...,
        n_contradicted: Any = ...,
    ) -> None: ...

class ConfidenceWeightedClassifier(ClassifierMixin, BaseEstimator):
    classes_: NDArray[Any]
    @property
    def coef_(self) -> NDArray[Any]: ...
    @property
    def intercept_(self) -> NDArray[Any]: ...
    @property
    def covariance_(self) -> NDArray[Any]: ...
    n_iter_: int
    @property
    def t_(self) -> float: ...
    @property
    def n_updates_(self) -> int: ...
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    eta: float
    covariance: Literal["diag", "full"]
    fit_intercept: bool
    max_iter: int
    tol: float | None
    early_stopping: bool
    validation_fraction: float
    n_iter_no_change: int
    shuffle: bool
    verbose: int | bool
    n_jobs: int | None
    random_state: int | RandomState | None
    warm_start: bool
    class_weight: Literal["balanced"] | dict[Any, Any] | None
    def __init__(
        self,
        *,
        eta: float = ...,
        covariance: Literal["diag", "full"] = ...,
        fit_intercept: bool = ...,
        max_iter: int = ...,
        tol: float | None = ...,
        early_stopping: bool = ...,
        validation_fraction: float = ...,
        n_iter_no_change: int = ...,
        shuffle: bool = ...,
        verbose: int | bool = ...,
        n_jobs: int | None = ...,
        random_state: int | RandomState | None = ...,
        warm_start: bool = ...,
        class_weight: Literal["balanced"] | dict[Any, Any] | None = ...,
    ) -> None: ...
    def decision_function(self, X: ArrayLike | spmatrix | sparray) -> NDArray[Any]: ...
    def decision_variance(self, X: ArrayLike | spmatrix | sparray) -> NDArray[Any]: ...
    def densify(self) -> Self: ...
    def fit(
        self,
        X: ArrayLike | spmatrix | sparray,
        y: ArrayLike,
        sample_weight: ArrayLike | None = ...,
        *,
        coef_init: ArrayLike | None = ...,
        intercept_init: ArrayLike | None = ...,
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
    def set_fit_request(
        self,
        *,
        coef_init: bool | str | None = ...,
        intercept_init: bool | str | None = ...,
        sample_weight: bool | str | None = ...,
    ) -> Self: ...
    def set_params(
        self,
        *,
        eta: float = ...,
        covariance: Literal["diag", "full"] = ...,
        fit_intercept: bool = ...,
        max_iter: int = ...,
        tol: float | None = ...,
        early_stopping: bool = ...,
        validation_fraction: float = ...,
        n_iter_no_change: int = ...,
        shuffle: bool = ...,
        verbose: int | bool = ...,
        n_jobs: int | None = ...,
        random_state: int | RandomState | None = ...,
        warm_start: bool = ...,
        class_weight: Literal["balanced"] | dict[Any, Any] | None = ...,
    ) -> Self: ...
    def set_partial_fit_request(
        self, *, classes: bool | str | None = ..., sample_weight: bool | str | None = ...
    ) -> Self: ...
    def set_score_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...
    def sparsify(self) -> Self: ...
    def suspect_labels(
        self,
        X: ArrayLike | spmatrix | sparray,
        y: ArrayLike,
        *,
        n_suspects: int | None = ...,
        return_margins: bool = ...,
    ) -> Any: ...

class CostSensitivePassiveAggressiveClassifier(ClassifierMixin, BaseEstimator):
    classes_: NDArray[Any]
    @property
    def coef_(self) -> NDArray[Any]: ...
    @property
    def intercept_(self) -> NDArray[Any]: ...
    n_iter_: int
    @property
    def t_(self) -> float: ...
    @property
    def n_updates_(self) -> int: ...
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    C: float | None
    objective: Literal["cost", "sum"]
    rule: Literal["cost-sensitive", "max_loss", "prediction"]
    rho: float | ArrayLike | None
    eta_p: float
    cost_p: float | None
    cost_n: float | None
    pos_label: Any
    average: bool | int
    multi_class: Literal["crammer_singer", "ovr"]
    fit_intercept: bool
    intercept_scaling: Literal["auto"] | float
    max_iter: int
    tol: float | None
    early_stopping: bool
    validation_fraction: float
    n_iter_no_change: int
    shuffle: bool
    verbose: int | bool
    n_jobs: int | None
    random_state: int | RandomState | None
    warm_start: bool
    class_weight: Literal["balanced"] | dict[Any, Any] | None
    def __init__(
        self,
        *,
        C: float | None = ...,
        objective: Literal["cost", "sum"] = ...,
        rule: Literal["cost-sensitive", "max_loss", "prediction"] = ...,
        rho: float | ArrayLike | None = ...,
        eta_p: float = ...,
        cost_p: float | None = ...,
        cost_n: float | None = ...,
        pos_label: Any = ...,
        average: bool | int = ...,
        multi_class: Literal["crammer_singer", "ovr"] = ...,
        fit_intercept: bool = ...,
        intercept_scaling: Literal["auto"] | float = ...,
        max_iter: int = ...,
        tol: float | None = ...,
        early_stopping: bool = ...,
        validation_fraction: float = ...,
        n_iter_no_change: int = ...,
        shuffle: bool = ...,
        verbose: int | bool = ...,
        n_jobs: int | None = ...,
        random_state: int | RandomState | None = ...,
        warm_start: bool = ...,
        class_weight: Literal["balanced"] | dict[Any, Any] | None = ...,
    ) -> None: ...
    def decision_function(self, X: ArrayLike | spmatrix | sparray) -> NDArray[Any]: ...
    def densify(self) -> Self: ...
    def fit(
        self,
        X: ArrayLike | spmatrix | sparray,
        y: ArrayLike,
        sample_weight: ArrayLike | None = ...,
        *,
        coef_init: ArrayLike | None = ...,
        intercept_init: ArrayLike | None = ...,
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
    def set_fit_request(
        self,
        *,
        coef_init: bool | str | None = ...,
        intercept_init: bool | str | None = ...,
        sample_weight: bool | str | None = ...,
    ) -> Self: ...
    def set_params(
        self,
        *,
        C: float | None = ...,
        objective: Literal["cost", "sum"] = ...,
        rule: Literal["cost-sensitive", "max_loss", "prediction"] = ...,
        rho: float | ArrayLike | None = ...,
        eta_p: float = ...,
        cost_p: float | None = ...,
        cost_n: float | None = ...,
        pos_label: Any = ...,
        average: bool | int = ...,
        multi_class: Literal["crammer_singer", "ovr"] = ...,
        fit_intercept: bool = ...,
        intercept_scaling: Literal["auto"] | float = ...,
        max_iter: int = ...,
        tol: float | None = ...,
        early_stopping: bool = ...,
        validation_fraction: float = ...,
        n_iter_no_change: int = ...,
        shuffle: bool = ...,
        verbose: int | bool = ...,
        n_jobs: int | None = ...,
        random_state: int | RandomState | None = ...,
        warm_start: bool = ...,
        class_weight: Literal["balanced"] | dict[Any, Any] | None = ...,
        **params: Any,
    ) -> Self: ...
    def set_partial_fit_request(
        self, *, classes: bool | str | None = ..., sample_weight: bool | str | None = ...
    ) -> Self: ...
    def set_score_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...
    def sparsify(self) -> Self: ...
    def suspect_labels(
        self,
        X: ArrayLike | spmatrix | sparray,
        y: ArrayLike,
        *,
        n_suspects: int | None = ...,
        return_margins: bool = ...,
    ) -> Any: ...

class LocalOnlineClassifier(ClassifierMixin, BaseEstimator):
    classes_: NDArray[Any]
    @property
    def prototypes_(self) -> NDArray[Any]: ...
    @property
    def prototype_counts_(self) -> NDArray[Any]: ...
    @property
    def common_coef_(self) -> NDArray[Any]: ...
    @property
    def common_intercept_(self) -> NDArray[Any]: ...
    @property
    def local_coef_(self) -> NDArray[Any]: ...
    @property
    def local_intercept_(self) -> NDArray[Any]: ...
    n_iter_: int
    @property
    def t_(self) -> float: ...
    @property
    def n_updates_(self) -> int: ...
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    n_prototypes: int
    C: float
    lam: float
    loss: Literal["hinge", "squared_hinge"]
    n_neighbors: int
    variant: Literal["pa", "scw"]
    eta: float
    multi_class: Literal["crammer_singer", "ovr"]
    average: bool | int
    fit_intercept: bool
    max_iter: int
    tol: float | None
    early_stopping: bool
    validation_fraction: float
    n_iter_no_change: int
    shuffle: bool
    verbose: int | bool
    n_jobs: int | None
    random_state: int | RandomState | None
    warm_start: bool
    class_weight: Literal["balanced"] | dict[Any, Any] | None
    def __init__(
        self,
        n_prototypes: int = ...,
        *,
        C: float = ...,
        lam: float = ...,
        loss: Literal["hinge", "squared_hinge"] = ...,
        n_neighbors: int = ...,
        variant: Literal["pa", "scw"] = ...,
        eta: float = ...,
        multi_class: Literal["crammer_singer", "ovr"] = ...,
        average: bool | int = ...,
        fit_intercept: bool = ...,
        max_iter: int = ...,
        tol: float | None = ...,
        early_stopping: bool = ...,
        validation_fraction: float = ...,
        n_iter_no_change: int = ...,
        shuffle: bool = ...,
        verbose: int | bool = ...,
        n_jobs: int | None = ...,
        random_state: int | RandomState | None = ...,
        warm_start: bool = ...,
        class_weight: Literal["balanced"] | dict[Any, Any] | None = ...,
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
        n_prototypes: int = ...,
        C: float = ...,
        lam: float = ...,
        loss: Literal["hinge", "squared_hinge"] = ...,
        n_neighbors: int = ...,
        variant: Literal["pa", "scw"] = ...,
        eta: float = ...,
        multi_class: Literal["crammer_singer", "ovr"] = ...,
        average: bool | int = ...,
        fit_intercept: bool = ...,
        max_iter: int = ...,
        tol: float | None = ...,
        early_stopping: bool = ...,
        validation_fraction: float = ...,
        n_iter_no_change: int = ...,
        shuffle: bool = ...,
        verbose: int | bool = ...,
        n_jobs: int | None = ...,
        random_state: int | RandomState | None = ...,
        warm_start: bool = ...,
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

class PassiveAggressiveClassifier(ClassifierMixin, BaseEstimator):
    classes_: NDArray[Any]
    @property
    def coef_(self) -> NDArray[Any]: ...
    @property
    def intercept_(self) -> NDArray[Any]: ...
    n_iter_: int
    @property
    def t_(self) -> float: ...
    @property
    def n_updates_(self) -> int: ...
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    C: float
    loss: Literal["hinge", "squared_hinge"]
    average: bool | int
    multi_class: Literal["crammer_singer", "ovr"]
    fit_intercept: bool
    intercept_scaling: Literal["auto"] | float
    max_iter: int
    tol: float | None
    early_stopping: bool
    validation_fraction: float
    n_iter_no_change: int
    shuffle: bool
    verbose: int | bool
    n_jobs: int | None
    random_state: int | RandomState | None
    warm_start: bool
    class_weight: Literal["balanced"] | dict[Any, Any] | None
    def __init__(
        self,
        *,
        C: float = ...,
        loss: Literal["hinge", "squared_hinge"] = ...,
        average: bool | int = ...,
        multi_class: Literal["crammer_singer", "ovr"] = ...,
        fit_intercept: bool = ...,
        intercept_scaling: Literal["auto"] | float = ...,
        max_iter: int = ...,
        tol: float | None = ...,
        early_stopping: bool = ...,
        validation_fraction: float = ...,
        n_iter_no_change: int = ...,
        shuffle: bool = ...,
        verbose: int | bool = ...,
        n_jobs: int | None = ...,
        random_state: int | RandomState | None = ...,
        warm_start: bool = ...,
        class_weight: Literal["balanced"] | dict[Any, Any] | None = ...,
    ) -> None: ...
    def decision_function(self, X: ArrayLike | spmatrix | sparray) -> NDArray[Any]: ...
    def densify(self) -> Self: ...
    def fit(
        self,
        X: ArrayLike | spmatrix | sparray,
        y: ArrayLike,
        sample_weight: ArrayLike | None = ...,
        *,
        coef_init: ArrayLike | None = ...,
        intercept_init: ArrayLike | None = ...,
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
    def set_fit_request(
        self,
        *,
        coef_init: bool | str | None = ...,
        intercept_init: bool | str | None = ...,
        sample_weight: bool | str | None = ...,
    ) -> Self: ...
    def set_params(
        self,
        *,
        C: float = ...,
        loss: Literal["hinge", "squared_hinge"] = ...,
        average: bool | int = ...,
        multi_class: Literal["crammer_singer", "ovr"] = ...,
        fit_intercept: bool = ...,
        intercept_scaling: Literal["auto"] | float = ...,
        max_iter: int = ...,
        tol: float | None = ...,
        early_stopping: bool = ...,
        validation_fraction: float = ...,
        n_iter_no_change: int = ...,
        shuffle: bool = ...,
        verbose: int | bool = ...,
        n_jobs: int | None = ...,
        random_state: int | RandomState | None = ...,
        warm_start: bool = ...,
        class_weight: Literal["balanced"] | dict[Any, Any] | None = ...,
    ) -> Self: ...
    def set_partial_fit_request(
        self, *, classes: bool | str | None = ..., sample_weight: bool | str | None = ...
    ) -> Self: ...
    def set_score_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...
    def sparsify(self) -> Self: ...
    def suspect_labels(
        self,
        X: ArrayLike | spmatrix | sparray,
        y: ArrayLike,
        *,
        n_suspects: int | None = ...,
        return_margins: bool = ...,
    ) -> Any: ...

class PassiveAggressiveRegressor(RegressorMixin, BaseEstimator):
    @property
    def coef_(self) -> NDArray[Any]: ...
    @property
    def intercept_(self) -> NDArray[Any]: ...
    n_iter_: int
    @property
    def t_(self) -> float: ...
    @property
    def n_updates_(self) -> int: ...
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    C: float
    loss: Literal["epsilon_insensitive", "squared_epsilon_insensitive"]
    epsilon: float
    average: bool | int
    fit_intercept: bool
    intercept_scaling: Literal["auto"] | float
    max_iter: int
    tol: float | None
    early_stopping: bool
    validation_fraction: float
    n_iter_no_change: int
    shuffle: bool
    verbose: int | bool
    random_state: int | RandomState | None
    warm_start: bool
    def __init__(
        self,
        *,
        C: float = ...,
        loss: Literal["epsilon_insensitive", "squared_epsilon_insensitive"] = ...,
        epsilon: float = ...,
        average: bool | int = ...,
        fit_intercept: bool = ...,
        intercept_scaling: Literal["auto"] | float = ...,
        max_iter: int = ...,
        tol: float | None = ...,
        early_stopping: bool = ...,
        validation_fraction: float = ...,
        n_iter_no_change: int = ...,
        shuffle: bool = ...,
        verbose: int | bool = ...,
        random_state: int | RandomState | None = ...,
        warm_start: bool = ...,
    ) -> None: ...
    def densify(self) -> Self: ...
    def fit(
        self,
        X: ArrayLike | spmatrix | sparray,
        y: ArrayLike,
        sample_weight: ArrayLike | None = ...,
        *,
        coef_init: ArrayLike | None = ...,
        intercept_init: float | ArrayLike | None = ...,
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
    def set_fit_request(
        self,
        *,
        coef_init: bool | str | None = ...,
        intercept_init: bool | str | None = ...,
        sample_weight: bool | str | None = ...,
    ) -> Self: ...
    def set_params(
        self,
        *,
        C: float = ...,
        loss: Literal["epsilon_insensitive", "squared_epsilon_insensitive"] = ...,
        epsilon: float = ...,
        average: bool | int = ...,
        fit_intercept: bool = ...,
        intercept_scaling: Literal["auto"] | float = ...,
        max_iter: int = ...,
        tol: float | None = ...,
        early_stopping: bool = ...,
        validation_fraction: float = ...,
        n_iter_no_change: int = ...,
        shuffle: bool = ...,
        verbose: int | bool = ...,
        random_state: int | RandomState | None = ...,
        warm_start: bool = ...,
    ) -> Self: ...
    def set_partial_fit_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...
    def set_score_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...
    def sparsify(self) -> Self: ...

class PerceptronClassifier(ClassifierMixin, BaseEstimator):
    classes_: NDArray[Any]
    @property
    def coef_(self) -> NDArray[Any]: ...
    @property
    def intercept_(self) -> NDArray[Any]: ...
    n_iter_: int
    @property
    def t_(self) -> float: ...
    @property
    def n_updates_(self) -> int: ...
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    positive_margin: float
    negative_margin: float
    pos_label: Any
    average: bool | int
    multi_class: Literal["crammer_singer", "ovr"]
    fit_intercept: bool
    intercept_scaling: Literal["auto"] | float
    max_iter: int
    tol: float | None
    early_stopping: bool
    validation_fraction: float
    n_iter_no_change: int
    shuffle: bool
    verbose: int | bool
    n_jobs: int | None
    random_state: int | RandomState | None
    warm_start: bool
    class_weight: Literal["balanced"] | dict[Any, Any] | None
    def __init__(
        self,
        *,
        positive_margin: float = ...,
        negative_margin: float = ...,
        pos_label: Any = ...,
        average: bool | int = ...,
        multi_class: Literal["crammer_singer", "ovr"] = ...,
        fit_intercept: bool = ...,
        intercept_scaling: Literal["auto"] | float = ...,
        max_iter: int = ...,
        tol: float | None = ...,
        early_stopping: bool = ...,
        validation_fraction: float = ...,
        n_iter_no_change: int = ...,
        shuffle: bool = ...,
        verbose: int | bool = ...,
        n_jobs: int | None = ...,
        random_state: int | RandomState | None = ...,
        warm_start: bool = ...,
        class_weight: Literal["balanced"] | dict[Any, Any] | None = ...,
    ) -> None: ...
    def decision_function(self, X: ArrayLike | spmatrix | sparray) -> NDArray[Any]: ...
    def densify(self) -> Self: ...
    def fit(
        self,
        X: ArrayLike | spmatrix | sparray,
        y: ArrayLike,
        sample_weight: ArrayLike | None = ...,
        *,
        coef_init: ArrayLike | None = ...,
        intercept_init: ArrayLike | None = ...,
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
    def set_fit_request(
        self,
        *,
        coef_init: bool | str | None = ...,
        intercept_init: bool | str | None = ...,
        sample_weight: bool | str | None = ...,
    ) -> Self: ...
    def set_params(
        self,
        *,
        positive_margin: float = ...,
        negative_margin: float = ...,
        pos_label: Any = ...,
        average: bool | int = ...,
        multi_class: Literal["crammer_singer", "ovr"] = ...,
        fit_intercept: bool = ...,
        intercept_scaling: Literal["auto"] | float = ...,
        max_iter: int = ...,
        tol: float | None = ...,
        early_stopping: bool = ...,
        validation_fraction: float = ...,
        n_iter_no_change: int = ...,
        shuffle: bool = ...,
        verbose: int | bool = ...,
        n_jobs: int | None = ...,
        random_state: int | RandomState | None = ...,
        warm_start: bool = ...,
        class_weight: Literal["balanced"] | dict[Any, Any] | None = ...,
        **params: Any,
    ) -> Self: ...
    def set_partial_fit_request(
        self, *, classes: bool | str | None = ..., sample_weight: bool | str | None = ...
    ) -> Self: ...
    def set_score_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...
    def sparsify(self) -> Self: ...
    def suspect_labels(
        self,
        X: ArrayLike | spmatrix | sparray,
        y: ArrayLike,
        *,
        n_suspects: int | None = ...,
        return_margins: bool = ...,
    ) -> Any: ...

class SCWClassifier(ClassifierMixin, BaseEstimator):
    classes_: NDArray[Any]
    @property
    def coef_(self) -> NDArray[Any]: ...
    @property
    def intercept_(self) -> NDArray[Any]: ...
    @property
    def covariance_(self) -> NDArray[Any]: ...
    n_iter_: int
    @property
    def t_(self) -> float: ...
    @property
    def n_updates_(self) -> int: ...
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    C: float
    eta: float
    loss: Literal["hinge", "squared_hinge"]
    covariance: Literal["diag", "full"]
    fit_intercept: bool
    max_iter: int
    tol: float | None
    early_stopping: bool
    validation_fraction: float
    n_iter_no_change: int
    shuffle: bool
    verbose: int | bool
    n_jobs: int | None
    random_state: int | RandomState | None
    warm_start: bool
    class_weight: Literal["balanced"] | dict[Any, Any] | None
    def __init__(
        self,
        *,
        C: float = ...,
        eta: float = ...,
        loss: Literal["hinge", "squared_hinge"] = ...,
        covariance: Literal["diag", "full"] = ...,
        fit_intercept: bool = ...,
        max_iter: int = ...,
        tol: float | None = ...,
        early_stopping: bool = ...,
        validation_fraction: float = ...,
        n_iter_no_change: int = ...,
        shuffle: bool = ...,
        verbose: int | bool = ...,
        n_jobs: int | None = ...,
        random_state: int | RandomState | None = ...,
        warm_start: bool = ...,
        class_weight: Literal["balanced"] | dict[Any, Any] | None = ...,
    ) -> None: ...
    def decision_function(self, X: ArrayLike | spmatrix | sparray) -> NDArray[Any]: ...
    def decision_variance(self, X: ArrayLike | spmatrix | sparray) -> NDArray[Any]: ...
    def densify(self) -> Self: ...
    def fit(
        self,
        X: ArrayLike | spmatrix | sparray,
        y: ArrayLike,
        sample_weight: ArrayLike | None = ...,
        *,
        coef_init: ArrayLike | None = ...,
        intercept_init: ArrayLike | None = ...,
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
    def set_fit_request(
        self,
        *,
        coef_init: bool | str | None = ...,
        intercept_init: bool | str | None = ...,
        sample_weight: bool | str | None = ...,
    ) -> Self: ...
    def set_params(
        self,
        *,
        C: float = ...,
        eta: float = ...,
        loss: Literal["hinge", "squared_hinge"] = ...,
        covariance: Literal["diag", "full"] = ...,
        fit_intercept: bool = ...,
        max_iter: int = ...,
        tol: float | None = ...,
        early_stopping: bool = ...,
        validation_fraction: float = ...,
        n_iter_no_change: int = ...,
        shuffle: bool = ...,
        verbose: int | bool = ...,
        n_jobs: int | None = ...,
        random_state: int | RandomState | None = ...,
        warm_start: bool = ...,
        class_weight: Literal["balanced"] | dict[Any, Any] | None = ...,
    ) -> Self: ...
    def set_partial_fit_request(
        self, *, classes: bool | str | None = ..., sample_weight: bool | str | None = ...
    ) -> Self: ...
    def set_score_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...
    def sparsify(self) -> Self: ...
    def suspect_labels(
        self,
        X: ArrayLike | spmatrix | sparray,
        y: ArrayLike,
        *,
        n_suspects: int | None = ...,
        return_margins: bool = ...,
    ) -> Any: ...

class ScaledAdviceClassifier(MetaEstimatorMixin, ClassifierMixin, BaseEstimator):
    estimator_: Any
    scaler_: Any
    @property
    def classes_(self) -> NDArray[Any]: ...
    @property
    def advice_violation_(self) -> NDArray[Any]: ...
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    estimator: Any
    scaler: Any
    def __init__(self, estimator: Any = ..., scaler: Any = ...) -> None: ...
    def decision_function(self, X: ArrayLike | spmatrix | sparray) -> NDArray[Any]: ...
    def explain_advice(
        self, X: ArrayLike | spmatrix | sparray | None = ...
    ) -> list[AdviceReport]: ...
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
    def set_params(self, *, estimator: Any = ..., scaler: Any = ..., **params: Any) -> Self: ...
    def set_partial_fit_request(
        self, *, classes: bool | str | None = ..., sample_weight: bool | str | None = ...
    ) -> Self: ...
    def set_score_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...

class SecondOrderPerceptronClassifier(ClassifierMixin, BaseEstimator):
    classes_: NDArray[Any]
    @property
    def coef_(self) -> NDArray[Any]: ...
    @property
    def intercept_(self) -> NDArray[Any]: ...
    @property
    def covariance_(self) -> NDArray[Any]: ...
    n_iter_: int
    @property
    def t_(self) -> float: ...
    @property
    def n_updates_(self) -> int: ...
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    a: float
    covariance: Literal["diag", "full"]
    fit_intercept: bool
    max_iter: int
    tol: float | None
    early_stopping: bool
    validation_fraction: float
    n_iter_no_change: int
    shuffle: bool
    verbose: int | bool
    n_jobs: int | None
    random_state: int | RandomState | None
    warm_start: bool
    class_weight: Literal["balanced"] | dict[Any, Any] | None
    def __init__(
        self,
        *,
        a: float = ...,
        covariance: Literal["diag", "full"] = ...,
        fit_intercept: bool = ...,
        max_iter: int = ...,
        tol: float | None = ...,
        early_stopping: bool = ...,
        validation_fraction: float = ...,
        n_iter_no_change: int = ...,
        shuffle: bool = ...,
        verbose: int | bool = ...,
        n_jobs: int | None = ...,
        random_state: int | RandomState | None = ...,
        warm_start: bool = ...,
        class_weight: Literal["balanced"] | dict[Any, Any] | None = ...,
    ) -> None: ...
    def decision_function(self, X: ArrayLike | spmatrix | sparray) -> NDArray[Any]: ...
    def decision_variance(self, X: ArrayLike | spmatrix | sparray) -> NDArray[Any]: ...
    def densify(self) -> Self: ...
    def fit(
        self,
        X: ArrayLike | spmatrix | sparray,
        y: ArrayLike,
        sample_weight: ArrayLike | None = ...,
        *,
        coef_init: ArrayLike | None = ...,
        intercept_init: ArrayLike | None = ...,
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
    def set_fit_request(
        self,
        *,
        coef_init: bool | str | None = ...,
        intercept_init: bool | str | None = ...,
        sample_weight: bool | str | None = ...,
    ) -> Self: ...
    def set_params(
        self,
        *,
        a: float = ...,
        covariance: Literal["diag", "full"] = ...,
        fit_intercept: bool = ...,
        max_iter: int = ...,
        tol: float | None = ...,
        early_stopping: bool = ...,
        validation_fraction: float = ...,
        n_iter_no_change: int = ...,
        shuffle: bool = ...,
        verbose: int | bool = ...,
        n_jobs: int | None = ...,
        random_state: int | RandomState | None = ...,
        warm_start: bool = ...,
        class_weight: Literal["balanced"] | dict[Any, Any] | None = ...,
    ) -> Self: ...
    def set_partial_fit_request(
        self, *, classes: bool | str | None = ..., sample_weight: bool | str | None = ...
    ) -> Self: ...
    def set_score_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...
    def sparsify(self) -> Self: ...
    def suspect_labels(
        self,
        X: ArrayLike | spmatrix | sparray,
        y: ArrayLike,
        *,
        n_suspects: int | None = ...,
        return_margins: bool = ...,
    ) -> Any: ...
