"""Estimator checks of scikit-learn for all estimators."""

import inspect

import numpy as np
import pytest
from scipy.sparse import issparse
from sklearn.base import is_classifier
from sklearn.preprocessing import MaxAbsScaler, StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from sklearn_online_svm import (
    LASVC,
    LASVR,
    ActiveLASVC,
    AdvicePassiveAggressiveClassifier,
    AROWClassifier,
    CompressedClassifier,
    ConfidenceWeightedClassifier,
    CostSensitivePassiveAggressiveClassifier,
    KernelAROWClassifier,
    KernelMetric,
    KernelPassiveAggressiveClassifier,
    KernelPerceptronClassifier,
    LabelEfficientClassifier,
    LocalOnlineClassifier,
    OneClassLASVM,
    PassiveAggressiveClassifier,
    PassiveAggressiveRegressor,
    PerceptronClassifier,
    RampSVC,
    SCWClassifier,
    SecondOrderPerceptronClassifier,
    VirtualLASVC,
)
from sklearn_online_svm.active import AllQuery, MarginQuery
from sklearn_online_svm.calibration import OnlineCalibratedClassifier
from sklearn_online_svm.cells import CellClassifier, CellRegressor
from sklearn_online_svm.model_selection import ProgressiveSearch
from sklearn_online_svm.pipeline import OnlinePipeline, make_online_pipeline
from tests.support.internals import most_passes
from tests.support.samples import GAP_DRIVEN

WEIGHTS_IN_ONE_PASS = (
    "one epoch depends on the order of the samples; samples of weight 0 and repeated samples "
    "change it; weights are equivalent to repetition at the optimum"
)

WEIGHTS_UP_TO_TOL = (
    "repeated samples are visited in another order, and the optimum is exact up to tol; see the "
    "estimator with a smaller tol"
)

WEIGHTS_OF_STEPS = (
    "a weight multiplies C, or the step; a repeated sample is used for two updates of different "
    "models, and changes the random order"
)

NO_WEIGHTS = "a hard constraint distinguishes only zero and nonzero weights"


EMPTY_REGIONS = "50 samples in 20 regions: some regions contain no sample of the heavy class"

NO_INTERCEPT = "without a bias, a linear kernel cannot predict one class for all samples"

NO_POSITIVE_CLASS = "uneven margins require pos_label for string labels"

SINGLE_PASS = "a budget is for a single epoch; the check runs up to a thousand"

LARGEST_DECISION = (
    "predict follows the decision function, which the check compares with predict_proba"
)

OF_PROBABILITIES = (
    "check_classifiers_train",
    "check_classifiers_train(readonly_memmap=True)",
    "check_classifiers_train(readonly_memmap=True,X_dtype=float32)",
)

AMONG_PARAMS = "sample_weight is one of **params, where the check does not expect it"
STEPS_OF_A_PIPELINE = "fit changes the steps, as that of Pipeline does"

NOT_IN_A_STREAM = "class_weight='balanced' is not supported by partial_fit"


WEIGHTS_OF_A_WINDOW = "the weights of samples that leave the window are not stored"

NO_MATRIX = "the check makes no kernel matrix for outlier detectors"


def expected_failed_checks(estimator):
    failures = {}
    if isinstance(estimator, (KernelMetric, ProgressiveSearch)):
        return failures
    if isinstance(estimator, OnlinePipeline):
        changed = ("check_estimators_overwrite_params", "check_dont_overwrite_parameters")
        failures = dict.fromkeys(changed, STEPS_OF_A_PIPELINE)
        return failures | {"check_classifiers_one_label_sample_weights": AMONG_PARAMS}
    weights = {
        "check_sample_weight_equivalence_on_dense_data",
        "check_sample_weight_equivalence_on_sparse_data",
    }
    if isinstance(estimator, LINEAR):
        failures |= dict.fromkeys(weights, WEIGHTS_OF_STEPS)
        if isinstance(estimator, ConfidenceWeightedClassifier):
            failures["check_class_weight_classifiers"] = NO_WEIGHTS
        if getattr(estimator, "n_prototypes", 0) > 3:
            failures["check_class_weight_classifiers"] = EMPTY_REGIONS
        if getattr(estimator, "positive_margin", 0.0) != 0.0:
            failures["check_classifiers_classes"] = NO_POSITIVE_CLASS
        return failures
    if isinstance(estimator, (CompressedClassifier, CellClassifier, CellRegressor)):
        return failures | dict.fromkeys(weights, WEIGHTS_IN_ONE_PASS)
    if isinstance(estimator, OnlineCalibratedClassifier):
        failures |= dict.fromkeys(weights, WEIGHTS_OF_STEPS)
        return failures | dict.fromkeys(OF_PROBABILITIES, LARGEST_DECISION)
    if isinstance(estimator, KERNEL_UPDATES):
        failures |= dict.fromkeys(weights, WEIGHTS_OF_STEPS)
        if estimator.kernel == "precomputed" and is_classifier(estimator):
            failures["check_class_weight_classifiers"] = NO_INTERCEPT
        return failures
    if isinstance(estimator, RampSVC):
        if estimator.tol > EXACT["tol"]:
            failures |= dict.fromkeys(weights, WEIGHTS_UP_TO_TOL)
        return failures
    if most_passes(estimator) == 1:
        failures |= dict.fromkeys(weights, WEIGHTS_IN_ONE_PASS)
    elif estimator.tol > EXACT["tol"]:
        failures |= dict.fromkeys(weights, WEIGHTS_UP_TO_TOL)
    if isinstance(estimator, OneClassLASVM):
        if estimator.kernel == "precomputed":
            checks = ("check_outliers_train", "check_outliers_fit_predict")
            failures |= dict.fromkeys(checks, NO_MATRIX)
        if getattr(estimator, "window_size", None) is not None:
            checks = ("check_sample_weights_list", "check_sample_weights_not_overwritten")
            failures |= dict.fromkeys(checks, WEIGHTS_OF_A_WINDOW)
    if getattr(estimator, "window_size", None) is not None and is_classifier(estimator):
        failures["check_class_weight_classifiers"] = SINGLE_PASS
    if getattr(estimator, "probability", False):
        failures |= dict.fromkeys(OF_PROBABILITIES, LARGEST_DECISION)
    if getattr(estimator, "class_weight", None) == "balanced":
        failures |= {
            "check_estimators_partial_fit_n_features": NOT_IN_A_STREAM,
            "check_fit_score_takes_y": NOT_IN_A_STREAM,
            "check_n_features_in_after_fitting": NOT_IN_A_STREAM,
        }
    return failures


class RbfFunction:
    """Kernel function with a constant repr, for the ids of parallel tests.

    Each value is computed independently of other samples; with a matrix product, tol=1e-12 could
    not be reached.
    """

    def __call__(self, A, B):
        A, B = (M.toarray() if issparse(M) else M for M in (A, B))
        return np.exp(-0.1 * ((A[:, None] - B[None]) ** 2).sum(axis=2))

    def __repr__(self):
        return "rbf"


EXACT = dict(max_iter=-1, tol=1e-12)

# Kernels of low rank are not positive definite after rounding to single precision: tol=1e-12 then
# takes millions of steps, as it does with SVC.
ESTIMATORS = [
    KernelMetric(random_state=0),
    LASVC(),
    LASVC(probability=True),
    LASVC(kernel="precomputed"),
    ActiveLASVC(),
    LASVC(window_size=50, break_ties=True),
    LASVC(**EXACT),
    LASVC(algorithm="lasvm-g", **EXACT),
    LASVC(algorithm="lasvm-nc", ramp_s=0.0, class_weight="online_balanced", n_jobs=2),
    VirtualLASVC(),
    LASVR(),
    LASVR(kernel="precomputed"),
    LASVR(intervals=True),
    LASVR(**EXACT),
    OneClassLASVM(nu=0.2),
    OneClassLASVM(nu=0.2, kernel="precomputed"),
    OneClassLASVM(nu=0.2, **EXACT),
    # Checks set random_state of the outer estimator only.
    CompressedClassifier(LASVC(random_state=0), tolerance=0.1),
    OnlineCalibratedClassifier(),
    CellClassifier(),
    CellRegressor(),
    RampSVC(),
    RampSVC(tol=1e-12),
    RampSVC(kernel="precomputed"),
]

LINEAR = (
    AdvicePassiveAggressiveClassifier,
    AROWClassifier,
    ConfidenceWeightedClassifier,
    CostSensitivePassiveAggressiveClassifier,
    LabelEfficientClassifier,
    LocalOnlineClassifier,
    PassiveAggressiveClassifier,
    PassiveAggressiveRegressor,
    PerceptronClassifier,
    SCWClassifier,
    SecondOrderPerceptronClassifier,
)

KERNEL_UPDATES = (
    KernelAROWClassifier,
    KernelPassiveAggressiveClassifier,
    KernelPerceptronClassifier,
)

ESTIMATORS += [
    *(kind() for kind in KERNEL_UPDATES),
    KernelPassiveAggressiveClassifier(kernel="precomputed"),
    KernelPassiveAggressiveClassifier(max_support_vectors=40, budget_policy="merging", max_iter=3),
    *(kind() for kind in LINEAR),
    LabelEfficientClassifier(AROWClassifier(), MarginQuery(rate=0.5)),
    ProgressiveSearch(LASVC(), {"C": [0.1, 1.0, 10.0]}),
    make_online_pipeline(MaxAbsScaler(), LASVC(random_state=0)),
]

# Other values of parameters: most of their code is that of the estimators above.
VARIANTS = [
    LASVC(class_weight="online_balanced", delta_max=0.1),
    LASVC(multi_class="ovr"),
    LASVR(window_size=50),
    OneClassLASVM(nu=0.2, window_size=50),
    PassiveAggressiveClassifier(loss="squared_hinge", multi_class="crammer_singer", average=True),
    PerceptronClassifier(positive_margin=0.5, negative_margin=0.1, average=True),
    AROWClassifier(covariance="full", r=0.1),
    CostSensitivePassiveAggressiveClassifier(rule="prediction", multi_class="crammer_singer"),
    make_online_pipeline(StandardScaler(), AROWClassifier(random_state=0)),
    KernelMetric("map", kernel="rbf", ranks=False, random_state=0),
    ProgressiveSearch(LASVC(), {"C": [0.1, 1.0]}, cv=3, max_cost=np.inf),
    LASVC(**EXACT, class_weight="balanced"),
    LASVC(kernel="linear", multi_class="ovr"),
    LASVC(kernel="poly", multi_class="ovr"),
    LASVC(kernel="sigmoid", multi_class="ovr"),
    ActiveLASVC(selection="autoactive", stopping="margin"),
    LASVC(max_iter=1),
    LASVC(tol=1e-12),
    LASVC(**EXACT, kernel=RbfFunction()),
    LASVC(**EXACT, multi_class="ovr"),
    LASVC(**EXACT, break_ties=True),
    *(LASVC(algorithm=algorithm) for algorithm in GAP_DRIVEN),
    LASVR(epsilon="auto", loss="squared_epsilon_insensitive"),
    LASVR(algorithm="lasvm-g"),
    LASVR(max_support_vectors=40),
    LASVR(tol=1e-12),
    OneClassLASVM(nu=0.5, max_support_vectors=10),
    CompressedClassifier(KernelPerceptronClassifier(random_state=0), max_support_vectors=10),
    RampSVC(tol=1e-12, ramp_s=0.0, n_jobs=2),
    RampSVC(tol=1e-12, kernel=RbfFunction(), class_weight="balanced"),
    RampSVC(tol=1e-12, multi_class="ovr"),
    RampSVC(kernel="linear"),
    KernelPassiveAggressiveClassifier(loss="squared_hinge", multi_class="crammer_singer"),
    KernelAROWClassifier(max_support_vectors=10, max_iter=3),
    KernelPerceptronClassifier(average="vote", max_iter=5),
    PassiveAggressiveRegressor(loss="squared_epsilon_insensitive", average=True),
    PerceptronClassifier(multi_class="crammer_singer"),
    SecondOrderPerceptronClassifier(covariance="diag"),
    ConfidenceWeightedClassifier(covariance="full"),
    SCWClassifier(covariance="full", loss="squared_hinge"),
    LocalOnlineClassifier(variant="scw", multi_class="ovr"),
    LabelEfficientClassifier(query_strategy=AllQuery(), max_iter=3),
    ProgressiveSearch(PassiveAggressiveRegressor(random_state=0), {"C": [0.1, 1.0]}),
    ActiveLASVC(selection="random", stopping="n_support", max_labels=40),
    LASVC(probability=True, algorithm="lasvm-g"),
    LASVC(window_size=50, algorithm="lasvm-g"),
    LASVC(**EXACT, n_jobs=2),
    LASVC(multi_class="ovr", max_iter=1),
    LASVC(multi_class="ovr", kernel="precomputed"),
    LASVC(multi_class="ovr", algorithm="lasvm-nc"),
    *(LASVC(algorithm=algorithm, **EXACT) for algorithm in GAP_DRIVEN if algorithm != "lasvm-g"),
    LASVC(algorithm="lasvm-g", **EXACT, class_weight="balanced"),
    CompressedClassifier(LASVC(kernel=RbfFunction(), random_state=0), max_support_vectors=10),
    OnlineCalibratedClassifier(LASVC(), window_size=50),
    CellClassifier(LASVC(random_state=0), cell_size=20, random_state=0),
    CellRegressor(LASVR(random_state=0), cell_size=20, random_state=0),
    RampSVC(tol=1e-12, fit_intercept=False),
    RampSVC(tol=1e-12, init_size=0.5),
    KernelPassiveAggressiveClassifier(average="mean"),
    KernelPerceptronClassifier(average="mean", margin=0.1),
    KernelPerceptronClassifier(max_support_vectors=40),
    PassiveAggressiveClassifier(max_iter=1, tol=None, average=20),
    LocalOnlineClassifier(3, loss="squared_hinge", n_neighbors=2, average=True),
    CostSensitivePassiveAggressiveClassifier(rule="max_loss"),
    ProgressiveSearch(LASVC(), {"C": [0.1, 1.0, 10.0]}, cv=0.4, select="one_se"),
]

# scikit-learn 1.8 or newer: an expected failure that passes is an error.
STRICT = (
    {"xfail_strict": True}
    if "xfail_strict" in inspect.signature(parametrize_with_checks).parameters
    else {}
)


@pytest.mark.filterwarnings("ignore:gamma='scale' is fixed by the first chunk")
@parametrize_with_checks(ESTIMATORS, expected_failed_checks=expected_failed_checks, **STRICT)
def test_scikit_learn(estimator, check):
    check(estimator)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:gamma='scale' is fixed by the first chunk")
@parametrize_with_checks(VARIANTS, expected_failed_checks=expected_failed_checks, **STRICT)
def test_scikit_learn_with_other_parameters(estimator, check):
    check(estimator)


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda model: type(model).__name__)
def test_attributes_of_models_that_are_not_fitted(estimator):
    """`NotFittedError`, or an error that names the attribute, not a private one."""
    names = [k for k in dir(type(estimator)) if k.endswith("_") and not k.startswith("_")]
    for name in names:
        with pytest.raises(AttributeError, match=f"is not fitted yet|{name}"):
            getattr(estimator, name)


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda model: type(model).__name__)
def test_labels_are_counted_where_they_are_limited(estimator):
    """Other estimators use the labels of all samples, or have no labels."""
    counts = {"n_labels_used_", "n_queries_"} & set(dir(type(estimator)))
    assert len(counts) == ("max_labels" in estimator.get_params(deep=False))
