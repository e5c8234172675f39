"""Errors and Ctrl-C in estimators that train other estimators: nothing learned so far is lost."""

import copy
import os
import pickle
import signal

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import SGDClassifier
from sklearn.multiclass import OneVsRestClassifier
from sklearn.preprocessing import StandardScaler

from sklearn_online_svm import (
    LASVC,
    AROWClassifier,
    KernelPassiveAggressiveClassifier,
    LabelEfficientClassifier,
)
from sklearn_online_svm.active import MarginQuery, RandomQuery
from sklearn_online_svm.calibration import OnlineCalibratedClassifier
from sklearn_online_svm.datasets import make_banana_like
from sklearn_online_svm.partitioned import CellClassifier
from sklearn_online_svm.pipeline import OnlinePipeline, make_online_pipeline
from tests.support.cases import in_turn
from tests.support.internals import ExpansionState, LinearState, PostponedInterrupts
from tests.support.interrupts import Interrupt, n_lines

pytestmark = pytest.mark.skipif(
    os.name == "nt", reason="signals are not raised at once on Windows"
)

CLASSES = [-1, 1]
X, Y = make_banana_like(600, random_state=0)
X = X * [1, 100] + [5, 0]
SAMPLES = X[:120], Y[:120]

# Number of lines, chosen at random, at which a call is interrupted.
N_INTERRUPTS = 4


def pipeline_of(final):
    return lambda: make_online_pipeline(StandardScaler(), final, freeze_after="auto")


def frozen_pipeline_of(final):
    return lambda: make_online_pipeline(StandardScaler(), final, freeze_after=150)


AROW, LASVM = AROWClassifier(random_state=0), LASVC(random_state=0)
SMALL = LASVC(gamma=0.01, cache_size=1, random_state=0)
QUERIES = {"query_strategy": RandomQuery(0.2, random_state=0), "random_state": 0}

PIPELINES = {
    "linear": pipeline_of(AROW),
    "kernel": frozen_pipeline_of(LASVM),
    "kernel, selection": frozen_pipeline_of(LASVC(algorithm="lasvm-nc", random_state=0)),
    "kernel updates": frozen_pipeline_of(KernelPassiveAggressiveClassifier(random_state=0)),
    "scikit-learn": pipeline_of(SGDClassifier(random_state=0)),
    "wrapped by scikit-learn": pipeline_of(OneVsRestClassifier(AROW)),
    "calibrated": frozen_pipeline_of(OnlineCalibratedClassifier(LASVM, random_state=0)),
    "cells": frozen_pipeline_of(CellClassifier(SMALL, cell_size=60, random_state=0)),
    "labels": pipeline_of(LabelEfficientClassifier(AROW, **QUERIES)),
}
OTHERS = {
    "calibrated": lambda: OnlineCalibratedClassifier(AROW, random_state=0),
    "calibrated, kernel": lambda: OnlineCalibratedClassifier(LASVM, random_state=0),
    "labels": lambda: LabelEfficientClassifier(AROW, MarginQuery(random_state=0), random_state=0),
    "labels, kernel": lambda: LabelEfficientClassifier(LASVC(gamma=0.01), **QUERIES),
    "cells": lambda: CellClassifier(SMALL, cell_size=60, random_state=0),
}
MODELS = {
    **{f"pipeline, {name}": make for name, make in PIPELINES.items()},
    **OTHERS,
}
of_all_models = pytest.mark.parametrize("name", MODELS)


def trained(name, n_samples):
    """Return a model trained on the first samples of the stream."""
    model = MODELS[name]()
    for first in range(0, n_samples, 60):
        model.partial_fit(X[first : first + 60], Y[first : first + 60], classes=CLASSES)
    return model


def decisions(model):
    """Return the decision values, or None if the model is not fitted."""
    try:
        return copy.deepcopy(model).decision_function(X[-100:])
    except NotFittedError:
        return None


def are_equal(former, latter):
    return np.array_equal(former, latter) if latter is not None else former is None


def some_lines(function, *args):
    """Return numbers of lines of the package that the call executes, but not the last one.

    In the last line, which returns the model, the call is complete.
    """
    total = n_lines(function, *args)
    chosen = np.random.default_rng(0).integers(1, total, N_INTERRUPTS)
    return sorted({1, 2, *chosen.tolist(), *range(total - 4, total)} & {*range(1, total)})


# -------------------------------------------------------------------------------------- errors

INVALID = {
    "nan in the last sample": (np.r_[X[:119], [[np.nan, 0]]], Y[:120]),
    "length": (X[:120], Y[:119]),
    "labels": (X[:120], np.linspace(0, 1, 120)),
}


@pytest.mark.sampled
@pytest.mark.parametrize("name, n_before, invalid", in_turn([*MODELS] * 3, [0, 120, 240], INVALID))
def test_errors_leave_the_model_unchanged(name, n_before, invalid):
    model, other = trained(name, n_before), trained(name, n_before)
    before = decisions(other)
    for method, args in (("fit", ()), ("partial_fit", (CLASSES,))):
        with pytest.raises(ValueError):
            getattr(model, method)(*INVALID[invalid], *args)
        assert are_equal(decisions(model), before)
    for each in (model, other):
        each.partial_fit(*SAMPLES, CLASSES)
    assert_array_equal(decisions(model), decisions(other))
    assert_array_equal(decisions(model.fit(*SAMPLES)), decisions(other.fit(*SAMPLES)))


# ---------------------------------------------------------------------------------- interrupts


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


@pytest.mark.parametrize(
    "model",
    [AROW, KernelPassiveAggressiveClassifier(), LabelEfficientClassifier(random_state=0)],
)
def test_an_interrupt_of_fit_before_the_first_sample_keeps_the_former_model(model, monkeypatch):
    """Regression test: a model that had not been trained took its place."""

    def interrupt(*args, **kwargs):
        raise KeyboardInterrupt

    model = clone(model).fit(*SAMPLES)
    expected = decisions(model)
    for state in (LinearState, ExpansionState):
        monkeypatch.setattr(state, "train", interrupt)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X[200:300], Y[200:300])
    assert_array_equal(decisions(model), expected)


def n_trained(model):
    return getattr(model, "n_samples_seen_", 0)


def continued(model, before, X, y):
    """Continue an interrupted ``partial_fit`` as the documentation says."""
    if getattr(model, "interrupted_", False):
        return pickle.loads(pickle.dumps(model)).resume(X, y)
    if isinstance(model, OnlinePipeline):
        assert are_equal(decisions(model), decisions(before))
    if isinstance(model, OnlinePipeline | LabelEfficientClassifier):
        return model.partial_fit(X, y, CLASSES)
    n = n_trained(model) - n_trained(before)
    return model.partial_fit(X[n:], y[n:], CLASSES) if n < len(y) else model


@pytest.mark.sampled
@pytest.mark.parametrize("name, n_before", in_turn([*MODELS, "cells"], [0, 120, 240]))
def test_an_interrupted_partial_fit_can_be_continued(name, n_before):
    """In the first chunk, in a chunk in which transformers are frozen, and after it."""
    before = trained(name, n_before)
    chunk, following = (X[n_before:][:100], Y[n_before:][:100]), (X[400:450], Y[400:450])
    reference = copy.deepcopy(before).partial_fit(*chunk, CLASSES)
    expected = decisions(reference.partial_fit(*following))
    for n in some_lines(copy.deepcopy(before).partial_fit, *chunk, CLASSES):
        model = copy.deepcopy(before)
        assert Interrupt(n, model.partial_fit, *chunk, CLASSES).raised
        model = continued(model, before, *chunk).partial_fit(*following)
        assert_array_equal(decisions(model), expected, err_msg=f"line {n}")


@pytest.mark.sampled
@pytest.mark.parametrize("name, is_fitted", in_turn(MODELS, [False, True]))
def test_an_interrupted_fit_leaves_a_usable_model(name, is_fitted):
    before = MODELS[name]()
    if is_fitted:
        before.fit(X[200:300], Y[200:300])
    expected, former = decisions(copy.deepcopy(before).fit(*SAMPLES)), decisions(before)
    n_resumed = 0
    for n in some_lines(copy.deepcopy(before).fit, *SAMPLES):
        model = copy.deepcopy(before)
        raised = Interrupt(n, model.fit, *SAMPLES).raised
        assert raised or "scikit-learn" in name  # which calls the code of the package in threads
        if raised and getattr(model, "interrupted_", False):
            n_resumed += 1
            resumed = pickle.loads(pickle.dumps(model)).resume(*SAMPLES)
            assert_array_equal(decisions(resumed), expected, err_msg=f"line {n}")
        elif raised and isinstance(model, OnlinePipeline):
            assert are_equal(decisions(model), former)
        assert_array_equal(decisions(model.fit(*SAMPLES)), expected, err_msg=f"line {n}")
    assert n_resumed > 0 or name not in ("pipeline, kernel", "pipeline, kernel, selection")
