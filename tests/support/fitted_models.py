"""Fitted models of every class and in every kind of state.

``fitted(name)`` returns a model that was trained on the first samples of a stream, and the samples
that follow. It is built once: tests that change it copy it before.
"""

import contextlib
from functools import cache

import numpy as np
from scipy import sparse
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.impute import SimpleImputer
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from sklearn_online_svm import (
    LASVC,
    LASVR,
    Advice,
    AdvicePassiveAggressiveClassifier,
    CompressedClassifier,
    KernelAROWClassifier,
    KernelPassiveAggressiveClassifier,
    KernelPerceptronClassifier,
    LabelEfficientClassifier,
    OneClassLASVM,
    PassiveAggressiveClassifier,
    RampSVC,
)
from sklearn_online_svm.active import MarginQuery, MarginSampling
from sklearn_online_svm.calibration import OnlineCalibratedClassifier
from sklearn_online_svm.cells import CellClassifier, CellRegressor
from sklearn_online_svm.pipeline import make_online_pipeline
from tests.support.cases import in_turn
from tests.support.samples import LAYOUTS
from tests.support.stored_models import (
    ADAPTIVE,
    X_FIRST,
    X_LATER,
    Y_FIRST,
    Y_LATER,
    estimators,
    response,
    train,
)
from tests.support.trainable import FITTED_AT_ONCE, MODELS, samples_of, seeded, with_seeds

N, N_FIRST = 120, 80
X, Y = samples_of("lasvm", N)
S = sparse.csr_matrix(X)
NAMES = np.array(["c", "a", "b"])[Y // 10 - 1]
SORTED = np.argsort(Y, kind="stable")


def rbf(A, B):
    """Compute values of a Gaussian kernel, as a function of the user does."""
    A, B = (M.toarray() if sparse.issparse(M) else M for M in (A, B))
    return np.exp(-0.5 * ((A[:, None] - B[None]) ** 2).sum(axis=2))


class CutKernel:
    """Kernel function that raises an error in its n-th call from now on."""

    error = KeyboardInterrupt

    def __init__(self):
        self.calls_left = 0

    def __repr__(self):
        return "CutKernel()"

    def __call__(self, A, B):
        self.calls_left -= 1
        if self.calls_left == 0:
            self.cut()
        return rbf(A, B)

    def cut(self):
        raise self.error


# ------------------------------------------------------------------------------- the table


def halves(model, X, y, method="partial_fit"):
    """Train a model on the first samples and predict; return it and the other samples."""
    with_seeds(model)
    classes = {"classes": np.unique(y)} if is_classifier(model) and method != "fit" else {}
    getattr(model, method)(X[:N_FIRST], y[:N_FIRST], **classes)
    responses(model, X)  # the solution for predictions is a part of the state
    return model, X[N_FIRST:], y[N_FIRST:]


def of_table(name):
    """Train a model of ``trainable.MODELS`` on samples of one of the layouts and types."""
    samples, y = samples_of(name, N)
    layout, dtype = FORMS[name]
    method = "fit" if name in FITTED_AT_ONCE else "partial_fit"
    return halves(seeded(name), LAYOUTS[layout](samples.astype(dtype)), y, method)


def of_class(path):
    """Train an estimator of a public class, also those without predictions, by ``fit``."""
    model = estimators()[path]
    train(model, X_FIRST, Y_FIRST, "fit")
    return model, X_LATER, Y_LATER


def with_sparse_weights():
    """Train a linear model and convert its weights."""
    model, *rest = halves(PassiveAggressiveClassifier(), X, Y)
    return model.sparsify(), *rest


def after_a_failure():
    """Train with an oracle that fails."""

    def oracle(i):
        if i > 60:
            raise RuntimeError("No more answers.")
        return Y[i]

    model = LabelEfficientClassifier(shuffle=False, random_state=np.random.RandomState(0))
    with contextlib.suppress(RuntimeError):
        model.fit(X, oracle=oracle, classes=np.unique(Y))
    return model, X, Y


def after_a_draw():
    """Draw the candidates of a query from the pool."""
    model = MarginSampling(10, random_state=0)
    response(model, X_FIRST)
    return model, X_LATER, Y_LATER


RULES = [
    Advice.from_conditions({0: (">=", 1)}, range(4), 10),
    Advice.from_conditions({0: ("<=", -1), 2: (-1, 1)}, range(4), 20),
]
BUDGET = dict(gamma=0.3, max_support_vectors=15)
# In states that the models of the table do not have.
SPECIAL = {
    "callable": lambda: halves(LASVC(kernel=rbf), X, Y),
    "callable, sparse": lambda: halves(LASVC(kernel=rbf, multi_class="ovr"), S, Y),
    "callable, updates": lambda: halves(KernelPerceptronClassifier(kernel=rbf), X, Y),
    "precomputed": lambda: halves(LASVC(kernel="precomputed"), rbf(X, X[:N_FIRST]), Y, "fit"),
    "far": lambda: halves(LASVC(kernel="linear", multi_class="ovr"), X + 1e4, Y),
    "far, sparse": lambda: halves(LASVC(kernel="linear"), sparse.csr_matrix(X + 1e4), Y),
    "names, class weights": lambda: halves(LASVC(class_weight="online_balanced"), X, NAMES),
    "optimum": lambda: halves(LASVC(gamma=0.3), X, Y, "fit"),
    "optimum, one class": lambda: halves(OneClassLASVM(nu=0.2, gamma=0.3), S, Y, "fit"),
    "several outputs": lambda: halves(LASVR(gamma=0.5, C=10.0), S, X[:, :2], "fit"),
    "pairs, joint": lambda: halves(
        LASVC(gamma=0.3, probability=True, replay_size=40), S[SORTED], Y[SORTED]
    ),
    "updates, replayed": lambda: halves(
        KernelPassiveAggressiveClassifier(**BUDGET, replay_size=40), S[SORTED], Y[SORTED]
    ),
    "covariance, replayed": lambda: halves(
        KernelAROWClassifier(**BUDGET, replay_size=40), X[SORTED], Y[SORTED]
    ),
    "compressed, ovr": lambda: halves(
        CompressedClassifier(LASVC(gamma=0.3, multi_class="ovr"), tolerance=0.1), S, Y, "fit"
    ),
    "refined advice": lambda: halves(AdvicePassiveAggressiveClassifier(RULES, refine=2), S, Y),
    "cells of one class": lambda: halves(
        CellClassifier(LASVC(), cell_size=30), sparse.csr_array(X), np.where(X[:, 0] > 3, "a", "b")
    ),
    "cells, several outputs": lambda: halves(
        CellRegressor(LASVR(), cell_size=30), S, X[:, :2], "fit"
    ),
    "calibrated advice": lambda: halves(
        OnlineCalibratedClassifier(AdvicePassiveAggressiveClassifier(RULES)), S, Y, "fit"
    ),
    "labels, advice": lambda: halves(
        LabelEfficientClassifier(AdvicePassiveAggressiveClassifier(RULES), MarginQuery()),
        *(sparse.csr_array(X), Y),
    ),
    "pipeline of advice": lambda: halves(
        make_online_pipeline(StandardScaler(), AdvicePassiveAggressiveClassifier(RULES)), X, Y
    ),
    "pipeline of cells": lambda: halves(
        make_online_pipeline(StandardScaler(), CellClassifier(cell_size=30)), X, Y
    ),
    "pipeline of categories": lambda: halves(
        make_online_pipeline(OneHotEncoder(handle_unknown="ignore"), LASVC()), X.round(), Y
    ),
    "pipeline of missing values": lambda: halves(
        make_online_pipeline(SimpleImputer(), LASVC()), X, Y, "fit"
    ),
    "sparse weights": with_sparse_weights,
    "failed oracle": after_a_failure,
    "draws from a pool": after_a_draw,
}
# Estimators, and calls of the kernel function in which their training is interrupted.
CUT = {
    "cut: at once": (LASVC(), "fit", 1),
    "cut: epochs, ovr": (LASVC(max_iter=3, multi_class="ovr"), "fit", 4),
    "cut: epochs, pairs": (LASVC(max_iter=3), "fit", 400),
    "cut: chunk, gap-driven": (LASVC(algorithm="lasvm-g"), "partial_fit", 4),
    "cut: ramp, ovr": (RampSVC(ramp_s=0.0, multi_class="ovr"), "fit", 12),
    "cut: ramp, pairs": (RampSVC(ramp_s=0.0), "fit", 900),
    "cut: regression": (LASVR(max_iter=2), "fit", 40),
    "cut: budget": (LASVR(max_support_vectors=20), "fit", 2),
    "cut: window": (OneClassLASVM(nu=0.2, window_size=60), "partial_fit", 3),
}


def cut(name, n_calls=None):
    """Return a model interrupted in the n-th call of its kernel function, and its samples.

    With ``n_calls=0`` it is not interrupted.
    """
    model, method, usual = CUT[name]
    model = clone(model).set_params(kernel=CutKernel(), cache_size=1e-2, random_state=0)
    model.kernel.calls_left = usual if n_calls is None else n_calls
    classes = [np.unique(Y)] if is_classifier(model) and method != "fit" else []
    with contextlib.suppress(KeyboardInterrupt):
        getattr(model, method)(X, Y, *classes)
    return model, X, Y


FORMS = {name: form for name, *form in in_turn(MODELS, LAYOUTS, (np.float64, np.float32))}
TABLES = {
    **dict.fromkeys(MODELS, of_table),
    **dict.fromkeys(estimators(), of_class),
    **dict.fromkeys(SPECIAL, lambda name: SPECIAL[name]()),
    **dict.fromkeys(CUT, cut),
}


def new(name):
    """Return a model and the samples that follow."""
    return TABLES[name](name)


fitted = cache(new)


# ------------------------------------------------------------------------------- use

RESPONSES = (
    *("predict", "decision_function", "predict_proba"),
    *("score_samples", "transform", "decision_variance"),
)
OF_OPTIMIZED = ("predict_interval", "predict_set")


def responses(model, X):
    """Return what a model computes for samples: a list of arrays."""
    if isinstance(model, ADAPTIVE) or not hasattr(model, "fit"):
        return [response(model, X)]
    methods = RESPONSES + (OF_OPTIMIZED if getattr(model, "finishing", False) else ())
    found = [getattr(model, method)(X) for method in methods if hasattr(model, method)]
    return [values.toarray() if sparse.issparse(values) else values for values in found]


def proceed(model, X, y):
    """Resume the interrupted training of a model, or continue its stream."""
    if getattr(model, "interrupted_", False):
        model.resume(X, y)
    elif is_regressor(model):
        model.partial_fit(X, y)
    else:
        train(model, X, y)
