"""Estimators of every kind with ``partial_fit``."""

from sklearn_online_svm import (
    LASVC,
    LASVR,
    ActiveLASVC,
    Advice,
    AdvicePassiveAggressiveClassifier,
    AROWClassifier,
    ConfidenceWeightedClassifier,
    CostSensitivePassiveAggressiveClassifier,
    KernelAROWClassifier,
    KernelPassiveAggressiveClassifier,
    KernelPerceptronClassifier,
    LabelEfficientClassifier,
    LocalOnlineClassifier,
    OneClassLASVM,
    PassiveAggressiveClassifier,
    PassiveAggressiveRegressor,
    PerceptronClassifier,
    SCWClassifier,
    SecondOrderPerceptronClassifier,
    VirtualLASVC,
)
from sklearn_online_svm.active import MarginQuery, RandomQuery
from sklearn_online_svm.cells import CellClassifier, CellRegressor
from tests.support.robust import Busy
from tests.support.samples import ALGORITHMS, GAP_DRIVEN
from tests.support.selective_sampling import Wrapped

ADVICE = [Advice.from_conditions({0: (">=", 1)}, range(4), 10)]
# The default of intercept_scaling depends on the layout.
FIRST_ORDER = dict(intercept_scaling=1.0)
# With finishing=True, decision values depend within tol on when they were computed before.
KERNEL = dict(gamma=0.3, finishing=False)

MODELS = {
    "lasvm": LASVC(multi_class="ovr", C=2.0, **KERNEL),
    **{name: Busy(multi_class="ovr", C=2.0, algorithm=name, **KERNEL) for name in GAP_DRIVEN},
    **{f"{name}, 2 classes": Busy(C=2.0, algorithm=name, **KERNEL) for name in ALGORITHMS},
    "lasvm, probabilities": LASVC(C=2.0, probability=True, **KERNEL),
    "lasvm, window": LASVC(multi_class="ovr", window_size=60, **KERNEL),
    "lasvm, pairs": LASVC(multi_class="ovo", C=2.0, **KERNEL),
    "lasvm-g, pairs": Busy(multi_class="ovo", C=2.0, algorithm="lasvm-g", **KERNEL),
    "lasvm, pairs, window": LASVC(multi_class="ovo", window_size=60, **KERNEL),
    "lasvm-i, pairs": Busy(multi_class="ovo", C=2.0, algorithm="lasvm-i", **KERNEL),
    "active": ActiveLASVC(random_state=0, **KERNEL),
    "virtual": VirtualLASVC(random_state=0, **KERNEL),
    "kernel pa": KernelPassiveAggressiveClassifier(gamma=0.3),
    "kernel pa, budget": KernelPassiveAggressiveClassifier(gamma=0.3, max_support_vectors=15),
    "kernel pa, merging, 2 classes": KernelPassiveAggressiveClassifier(
        gamma=0.3, max_support_vectors=15, budget_policy="merging"
    ),
    "kernel pa, joint, margin": KernelPassiveAggressiveClassifier(
        gamma=0.3, multi_class="crammer_singer", max_support_vectors=15, budget_policy="margin"
    ),
    "kernel pa, mean": KernelPassiveAggressiveClassifier(
        gamma=0.3, average="mean", max_support_vectors=15
    ),
    "kernel arow": KernelAROWClassifier(gamma=0.3, max_support_vectors=15),
    "lasvr": LASVR(C=10.0, **KERNEL),
    "lasvr, intervals": LASVR(C=10.0, intervals=True, **KERNEL),
    "lasvr, squared": LASVR(C=10.0, **KERNEL, loss="squared_epsilon_insensitive"),
    "lasvr, lasvm-g": LASVR(C=10.0, algorithm="lasvm-g", **KERNEL),
    "lasvr, window": LASVR(C=10.0, **KERNEL, window_size=40),
    "lasvr, budget": LASVR(C=10.0, **KERNEL, max_support_vectors=20),
    "one class": OneClassLASVM(nu=0.2, **KERNEL),
    "one class, window": OneClassLASVM(nu=0.2, **KERNEL, window_size=40),
    "one class, budget": OneClassLASVM(nu=0.5, **KERNEL, max_support_vectors=15),
    "kernel perceptron": KernelPerceptronClassifier(gamma=0.3, average="mean"),
    "kernel perceptron, vote": KernelPerceptronClassifier(gamma=0.3, average="vote"),
    "pa": PassiveAggressiveClassifier(**FIRST_ORDER),
    "pa, average": PassiveAggressiveClassifier(average=True, **FIRST_ORDER),
    "pa, joint": PassiveAggressiveClassifier(multi_class="crammer_singer", **FIRST_ORDER),
    "regressor": PassiveAggressiveRegressor(average=20, **FIRST_ORDER),
    "perceptron": PerceptronClassifier(**FIRST_ORDER),
    "cost": CostSensitivePassiveAggressiveClassifier(average=False, **FIRST_ORDER),
    "sop": SecondOrderPerceptronClassifier(),
    "cw": ConfidenceWeightedClassifier(),
    "scw": SCWClassifier(),
    "arow": AROWClassifier(),
    "arow, full": AROWClassifier(covariance="full"),
    "local": LocalOnlineClassifier(5),
    "local, scw": LocalOnlineClassifier(5, variant="scw"),
    "advice": AdvicePassiveAggressiveClassifier(ADVICE),
    "labels": LabelEfficientClassifier(
        PassiveAggressiveClassifier(**FIRST_ORDER), MarginQuery(random_state=0)
    ),
    "labels, Python loop": LabelEfficientClassifier(
        Wrapped(SCWClassifier()), MarginQuery(delta=20.0, schedule="adaptive", random_state=0)
    ),
    "labels, mistakes": LabelEfficientClassifier(
        PerceptronClassifier(**FIRST_ORDER), MarginQuery(0.01, schedule="mistakes", random_state=0)
    ),
    "labels, rate": LabelEfficientClassifier(
        AROWClassifier(), MarginQuery(rate=0.4, random_state=0)
    ),
    "labels, lasvm": LabelEfficientClassifier(
        LASVC(**KERNEL), RandomQuery(rate=0.4, random_state=0)
    ),
    "cells": CellClassifier(LASVC(C=2.0, **KERNEL), cell_size=30, random_state=0),
    "cells, 2 classes": CellClassifier(
        AROWClassifier(covariance="full", shuffle=False), cell_size=30, random_state=0
    ),
    "cells, regressor": CellRegressor(LASVR(C=10.0, **KERNEL), cell_size=30, random_state=0),
}
# Samples are selected within a chunk, and the scaler is fitted on the first one.
DEPEND_ON_CHUNKS = ("active", "virtual", "scaled advice")
# Averages, votes, prototypes, window_size and cell_size take every sample into account.
COUNT_ALL_SAMPLES = (
    *("pa, average", "regressor", "kernel perceptron", "kernel perceptron, vote"),
    *("kernel pa, mean", "local", "local, scw", "lasvm, window", "lasvm, pairs, window"),
    *("lasvr, window", "one class", "one class, window", "one class, budget"),
    *("cells", "cells, 2 classes", "cells, regressor"),
)
