"""SIGINT itself: it ends long calls soon, in compiled loops, in threads and in functions."""

import os
import pickle
import signal
import threading
import time
from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_array_equal, assert_equal
from scipy.sparse import csr_matrix
from scipy.spatial.distance import cdist
from sklearn.base import clone, is_classifier, is_regressor

from sklearn_online_svm import (
    LASVC,
    LASVR,
    LabelEfficientClassifier,
    LocalOnlineClassifier,
    OneClassLASVM,
    PassiveAggressiveClassifier,
    PassiveAggressiveRegressor,
    RampSVC,
)
from sklearn_online_svm.active import MarginQuery
from tests.interrupts.test_estimators import ADVICE, FULL, KERNEL_PA
from tests.support.internals import has_engine, training_state
from tests.support.interrupts import Interrupt, check_count, check_gradients, values_of
from tests.support.programs import in_fork
from tests.support.samples import three_classes

pytestmark = pytest.mark.skipif(os.name == "nt", reason="os.kill cannot interrupt on Windows")

# Seconds. Promised is half a second on a machine that has nothing else to do; a loop without
# checks for signals would go on for longer, or for ever.
LIMIT = 5.0


def product(A, B):
    return np.exp(-0.05 * cdist(A, B, "sqeuclidean"))


def delay_of(model, method="fit", shape=(40_000, 40), n_classes=2, after=0.4, layout=np.asarray):
    """Interrupt a call that takes many seconds; return the time until the exception.

    The model must be consistent, and learn from labels that contradict what it has learned.
    """
    rng = np.random.default_rng(0)
    X, n = layout(rng.normal(size=shape)), shape[0]
    y = rng.normal(size=n) if is_regressor(model) else rng.integers(0, n_classes, n)
    given = {"classes": np.arange(n_classes)} if is_classifier(model) else {}
    if method in ("finish", "decision_function"):
        model.partial_fit(X[:4000], y[:4000], **given)
    if method == "sample":
        params = model.get_params()
        model.set_params(C=1e4, tol=1e-3, delta_max=None, algorithm="lasvm").fit(X, y)
        model.set_params(**params)
    call = {
        "fit": lambda: model.fit(X, y),
        "partial_fit": lambda: model.partial_fit(X, y, **given),
        "finish": lambda: model.finish(),
        "sample": lambda: model.fit(X, y, np.full(n, 1e10)),
        "decision_function": lambda: model.decision_function(np.tile(X, (20, 1))),
    }[method]
    signal.signal(signal.SIGINT, signal.default_int_handler)
    sent = []

    def send():
        sent.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    threading.Timer(after, send).start()
    try:
        call()
    except KeyboardInterrupt:
        delay = time.monotonic() - sent[0]
    if method == "sample":  # its block is taken back
        assert model.n_samples_seen_ == 0
        model.set_params(C=10.0, tol=1e-3, delta_max=None, warm_start=False)
    if hasattr(model, "t_") or hasattr(model, "queried_"):
        check_count(model, (X, y), given)
    if has_engine(model):
        check_gradients(pickle.loads(pickle.dumps(model)))
    if hasattr(model, "finishing"):  # optimizing for predictions would take as long
        model.set_params(finishing=False)
    former = values_of(model, X[:500])
    others = -y if is_regressor(model) else (y + 1) % n_classes
    learn = model.fit if method == "sample" else getattr(model, "partial_fit", model.fit)
    learn(X[:500], others[:500])
    assert (values_of(model, X[:500]) != former).any()
    return delay


HARD = dict(tol=1e-12, C=1e4, gamma=0.003)  # finishing takes far longer than the test waits
RBF = dict(gamma=0.05, C=10.0, random_state=0)
ENDLESS = dict(random_state=0, tol=None, shuffle=False, max_iter=10**9)
# From a solution far away, the steps after the first sample do not end.
SAMPLE = dict(tol=1e-12, C=1e-6, gamma=0.003, warm_start=True, finishing=False, random_state=0)
EPOCHS, WIDE = dict(shape=(500, 50), n_classes=3), dict(shape=(16_000, 500), n_classes=3)
MANY, STREAM = dict(shape=(100_000, 20), n_classes=3, after=0.7), dict(method="partial_fit")
LONG_CALLS = [
    (LASVC(**RBF), {}),
    (LASVC(**RBF), dict(after=6.0)),
    (LASVC(max_iter=-1, **RBF), {}),
    (LASVC(kernel=product, random_state=0), {}),
    (LASVC(n_jobs=2, cache_size=1, **RBF), dict(n_classes=5)),
    (LASVC(n_jobs=2, algorithm="lasvm-nc", multi_class="ovr", **RBF), dict(n_classes=5)),
    (LASVC(**RBF), STREAM),
    (LASVC(n_jobs=2, algorithm="lasvm-full", **RBF), dict(n_classes=5, **STREAM)),
    (LASVC(algorithm="lasvm-g", **RBF), STREAM),
    (LASVC(n_jobs=2, **HARD), dict(method="finish")),  # threads share the steps
    (LASVC(n_jobs=2, shrinking=False, cache_size=1, **HARD), dict(method="finish", n_classes=5)),
    (LASVC(n_jobs=2, **RBF), dict(method="decision_function")),
    (LASVC(delta_max=1e-12, **SAMPLE), dict(method="sample", shape=(8000, 40), after=2.0)),
    (LASVC(algorithm="lasvm-g", **SAMPLE), dict(method="sample", shape=(8000, 40), after=2.0)),
    (RampSVC(**RBF), {}),
    (RampSVC(**RBF), dict(after=6.0)),
    (RampSVC(n_jobs=2, fit_intercept=False, **HARD), dict(n_classes=5)),
    (PassiveAggressiveClassifier(average=True, **ENDLESS), dict(layout=csr_matrix, **EPOCHS)),
    (PassiveAggressiveClassifier(), dict(shape=(60_000, 100), n_classes=4000, **STREAM)),
    (PassiveAggressiveRegressor(**ENDLESS), dict(shape=(2000, 20))),
    (FULL, WIDE | STREAM),
    (LabelEfficientClassifier(FULL, MarginQuery(5.0, random_state=0)), WIDE | STREAM),
    (LocalOnlineClassifier(2, **ENDLESS), dict(layout=csr_matrix, **EPOCHS)),
    (LocalOnlineClassifier(3000), dict(shape=(60_000, 100), **STREAM)),
    (ADVICE, dict(shape=(60_000, 60), **STREAM)),
    (KERNEL_PA(gamma=0.05), MANY | STREAM),
    (KERNEL_PA(gamma=0.05, max_support_vectors=1000), MANY | STREAM),
    (KERNEL_PA(gamma=0.05, **ENDLESS), EPOCHS),
]


@pytest.mark.parametrize(
    "model, options",
    [LONG_CALLS[-1], *(pytest.param(*call, marks=pytest.mark.slow) for call in LONG_CALLS[:-1])],
    ids=lambda value: value.get("method") if isinstance(value, dict) else type(value).__name__,
)
def test_long_calls_end_soon(model, options):
    delay = in_fork(partial(delay_of, model, **options))
    assert isinstance(delay, float) and 0 <= delay < LIMIT, (model, options, delay)


SEED = dict(random_state=0)
KINDS = [LASVC(**SEED), LASVC(max_iter=3, **SEED), LASVC(n_jobs=2, **SEED), LASVR(**SEED)]


@pytest.mark.parametrize("model", [*KINDS, OneClassLASVM(), RampSVC(**SEED)], ids=str)
def test_kernel_functions_end_at_once(model):
    X, y = three_classes(120)
    calls, went_on, at = [], [], 0

    def kernel(A, B):
        calls.append(None)
        if len(calls) == at:
            signal.raise_signal(signal.SIGINT)
            went_on.append(None)
        return product(A, B)

    model = clone(model).set_params(kernel=kernel)
    whole = clone(model).fit(X, y)
    n_calls, expected = len(calls), values_of(whole, X)
    for at in np.unique(np.linspace(1, n_calls, 10).astype(int)):
        calls.clear()
        stopped = clone(model)
        assert Interrupt(0, stopped.fit, X, y).raised
        assert not went_on and len(calls) == at
        if getattr(stopped, "interrupted_", False):
            assert_array_equal(values_of(stopped.resume(X, y), X), expected)
            assert_equal(training_state(stopped), training_state(whole))
