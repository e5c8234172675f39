"""Ctrl-C in every estimator, before a line of the package: nothing learned is lost or repeated."""

import copy
import os
import signal
from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.sparse import csr_matrix
from sklearn.base import clone, is_classifier
from sklearn.linear_model import SGDClassifier
from sklearn.multiclass import OneVsRestClassifier
from sklearn.preprocessing import StandardScaler

from sklearn_online_svm import (
    LASVC,
    Advice,
    AdvicePassiveAggressiveClassifier,
    AROWClassifier,
    KernelPassiveAggressiveClassifier,
    LabelEfficientClassifier,
    LocalOnlineClassifier,
    PassiveAggressiveClassifier,
)
from sklearn_online_svm.active import MarginQuery, RandomQuery
from sklearn_online_svm.calibration import OnlineCalibratedClassifier
from sklearn_online_svm.cells import CellClassifier
from sklearn_online_svm.pipeline import make_online_pipeline
from tests.support.cases import in_turn
from tests.support.internals import PostponedInterrupts, has_engine
from tests.support.interrupts import (
    Interrupt,
    InterruptAtCheck,
    check_count,
    completed,
    interruptible_rbf,
    n_lines,
    some_checks,
    values_of,
)
from tests.support.trainable import (
    FITTED_AT_ONCE,
    STREAMS,
    n_samples_seen,
    samples_of,
    seeded,
    state_of,
)

pytestmark = pytest.mark.skipif(
    os.name == "nt", reason="signals are not raised at once on Windows"
)

AROW, LASVM = AROWClassifier(random_state=0), LASVC(C=2.0, gamma=0.3, random_state=0)
FINAL = {
    "lasvm-nc": LASVC(algorithm="lasvm-nc", random_state=0),
    "kernel pa": KernelPassiveAggressiveClassifier(random_state=0),
    "sgd": SGDClassifier(random_state=0),
    "one-vs-rest": OneVsRestClassifier(AROW),
    "calibrated": OnlineCalibratedClassifier(LASVM, random_state=0),
    "cells": CellClassifier(AROW, cell_size=30, random_state=0),
    "labels": LabelEfficientClassifier(AROW, RandomQuery(0.4, random_state=0), random_state=0),
}
PIPELINES = {
    f"pipeline, {name}": make_online_pipeline(
        StandardScaler(with_mean=False), final, freeze_after=30
    )
    for name, final in FINAL.items()
}
# Interrupted before each line; the others at some.
EACH_LINE = ("pa", "kernel pa", "lasvm, 2 classes")


def data_of(name, n=120):
    """Return an unfitted estimator, samples, targets and the arguments of the first chunk."""
    X, y = samples_of("lasvm" if name in PIPELINES else name, n)
    model = clone(PIPELINES[name]) if name in PIPELINES else seeded(name)
    return model, X, y, {"classes": np.unique(y)} if is_classifier(model) else {}


def interrupts(name, before, method, *data, **given):
    """Yield the number of a line, a copy of the model interrupted before it, and the call."""
    total = n_lines(getattr(copy.deepcopy(before), method), *data, **given)
    # Also in the last lines, where samples that have been learned are counted.
    some = {1, 2, *np.linspace(1, total, 5).astype(int), *range(max(1, total - 36), total + 1, 6)}
    is_each = name in EACH_LINE and method == "partial_fit"
    for n in range(1, total + 1) if is_each else sorted(some):
        model = copy.deepcopy(before)
        call = Interrupt(n, getattr(model, method), *data, **given)
        # scikit-learn calls the estimator of OneVsRestClassifier in threads
        assert call.raised or "one-vs-rest" in name or n > total - 36
        yield n, model, call


LAYOUTS = [(csr_matrix, np.asarray), (np.asarray, csr_matrix)]


@pytest.mark.sampled
@pytest.mark.parametrize(
    "name, n_before, layouts", in_turn([*STREAMS, *PIPELINES], [0, 20, 40], LAYOUTS)
)
def test_partial_fit(name, n_before, layouts):
    """In the first chunk, in one with another layout, and in one that freezes transformers."""
    former, later = layouts
    before, X, y, given = data_of(name)
    if n_before:
        before.partial_fit(former(X[:n_before]), y[:n_before], **given)
    chunk = later(X[n_before:][:40]), y[n_before:][:40]
    following = later(X[80:]), y[80:]
    whole = copy.deepcopy(before).partial_fit(*chunk, **given)
    expected, n_seen = values_of(whole, X), n_samples_seen(whole)
    afterwards = values_of(whole.partial_fit(*following), X)
    for n, model, call in interrupts(name, before, "partial_fit", *chunk, **given):
        if call.raised:
            model = completed(model, before, "partial_fit", chunk, call.notes, given)
        assert n_samples_seen(model) == n_seen, n
        assert_array_equal(values_of(model, X), expected, err_msg=f"line {n}")
        model.partial_fit(*following)
        assert_array_equal(values_of(model, X), afterwards, err_msg=f"line {n}")


@pytest.mark.sampled
@pytest.mark.parametrize(
    "name, is_fitted", in_turn([*STREAMS, *PIPELINES, *FITTED_AT_ONCE], [False, True])
)
def test_fit(name, is_fitted):
    """With other features and labels than before: the model is the former or the new one."""
    before, X, y, given = data_of(name, 80)
    counts = hasattr(type(before), "t_")
    if counts:
        before.set_params(shuffle=False, tol=None, max_iter=3)
    other = X[:, :3], y + 1
    if is_fitted:
        before.fit(*other)
    former, state = values_of(before, other[0]), state_of(before)
    expected = values_of(copy.deepcopy(before).fit(X, y), X)
    n_resumed = 0
    for n, model, call in interrupts(name, before, "fit", X, y):
        if getattr(model, "n_features_in_", 3) == 3:
            assert state_of(model) == state or "_interrupted" in vars(model)
            assert_array_equal(values_of(model, other[0]), former)
        else:
            assert values_of(model, X) is not None
            if counts:
                check_count(model, (X, y), given)
        if call.raised:
            n_resumed += getattr(model, "interrupted_", False)
            model = completed(model, before, "fit", (X, y), call.notes, given)
        assert_array_equal(values_of(model, X), expected, err_msg=f"line {n}")
        assert_array_equal(values_of(model.fit(X, y), X), expected, err_msg=f"line {n}")
    assert n_resumed or not has_engine(model[-1] if "pipeline" in name else model)


# Long enough for several checks of the compiled loops: estimator, and the shape of the samples.
POINTS = np.random.default_rng(0).normal(size=(40, 60))
KNOWLEDGE = [Advice(POINTS, POINTS[:, 0] + 1, 1)]
ADVICE = AdvicePassiveAggressiveClassifier(KNOWLEDGE, advice_weight=0.1, refine=20)
FULL, KERNEL_PA = AROWClassifier(covariance="full"), KernelPassiveAggressiveClassifier
LOOPS = {
    "arow": (FULL, (40, 400)),
    "advice": (ADVICE, (120, 60)),
    "kernel pa": (KERNEL_PA(gamma=0.05), (200, 20)),
    "kernel pa, function": (KERNEL_PA(kernel=interruptible_rbf), (200, 20)),
    "local": (LocalOnlineClassifier(n_prototypes=3000), (200, 200)),
    "pa": (PassiveAggressiveClassifier(average=True), (60, 100)),
    "kernel pa, budget": (KERNEL_PA(gamma=0.05, max_support_vectors=50), (200, 20)),
    "labels": (LabelEfficientClassifier(FULL, MarginQuery(5.0, random_state=0)), (120, 500)),
}


@pytest.mark.sampled
@pytest.mark.parametrize(
    "name, method",
    [*((name, "partial_fit") for name in LOOPS), *((name, "fit") for name in [*LOOPS][:5])],
)
def test_update_loops(name, method):
    """They end between two samples."""
    before, shape = LOOPS[name]
    rng, classes = np.random.default_rng(0), np.arange(4000 if name == "pa" else 3)
    X, y = rng.normal(size=shape), rng.integers(0, 2 if name == "advice" else 3, shape[0])
    given = {"classes": classes[: 2 if name == "advice" else None]}
    if method == "fit":
        before = clone(before).set_params(shuffle=False, tol=None, max_iter=3)
    call = partial(InterruptAtCheck, X=X, y=y, **(given if method == "partial_fit" else {}))
    whole = clone(before)
    places = call((), getattr(whole, method)).places
    n_kept = 0
    for k in some_checks(places, 3):
        model = clone(before)
        assert call((k,), getattr(model, method)).raised
        if n_samples_seen(model):
            n_kept += 1
            check_count(model, (X, y), given)
        model = completed(model, before, method, (X, y), "", given)
        assert_array_equal(values_of(model, X), values_of(whole, X))
    assert n_kept


INVALID = {
    "nan in the last sample": lambda X, y: (np.r_[X[:-1], [[np.nan, 0, 0, 0]]], y),
    "length": lambda X, y: (X, y[:-1]),
    "labels": lambda X, y: (X, np.linspace(0, 1, len(y))),
}


@pytest.mark.parametrize(
    "name, n_before, invalid",
    in_turn([*PIPELINES, "pipeline", "calibrated", "cells", "labels"] * 3, [0, 20, 40], INVALID),
)
def test_errors_leave_the_model_unchanged(name, n_before, invalid):
    model, X, y, given = data_of(name)
    if n_before:
        model.partial_fit(X[:n_before], y[:n_before], **given)
    state = state_of(model)
    for method, more in (("fit", {}), ("partial_fit", given)):
        with pytest.raises(ValueError):
            getattr(model, method)(*INVALID[invalid](X[40:80], y[40:80]), **more)
        assert state_of(model) == state


def test_a_second_interrupt_does_not_end_the_code_that_handles_the_first():
    """Regression test: it was raised there, before trained samples had been counted."""
    is_handled = False

    def work():
        nonlocal is_handled
        with PostponedInterrupts() as interrupts:
            try:
                with interrupts.raised():
                    signal.raise_signal(signal.SIGINT)
            except KeyboardInterrupt:
                signal.raise_signal(signal.SIGINT)
                is_handled = True
                raise

    assert Interrupt(0, work).raised  # with the default handler of SIGINT
    assert is_handled
