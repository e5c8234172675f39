"""Many support vectors: ``finish`` optimizes over one working set after the other."""

from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.sparse import csr_matrix
from sklearn.metrics.pairwise import rbf_kernel

from sklearn_online_svm import LASVC, LASVR, OneClassLASVM
from tests.support.cases import in_turn
from tests.support.limits import set_limits
from tests.support.timed_interrupts import (  # noqa: F401
    assert_same,
    check_interrupts,
    ctrl_c,
    frequent_checks,
    noise,
)

SIZE = 20
gaussian = partial(rbf_kernel, gamma=0.1)


@pytest.fixture
def small_working_sets(monkeypatch):
    """Use working sets of a few samples."""
    set_limits(monkeypatch, WORKING_SET_SIZE=SIZE)


CASES = {
    "two classes": (LASVC, dict(C=10.0), 2),
    "three classes": (LASVC, dict(C=10.0), 3),
    "two threads": (LASVC, dict(C=10.0, n_jobs=2), 3),
    "no bias": (LASVC, dict(C=10.0, algorithm="lasvm-g"), 3),
    "callable": (LASVC, dict(C=10.0, kernel=gaussian), 3),
    "precomputed": (LASVC, dict(C=10.0, kernel="precomputed"), 3),
    "no cache": (LASVC, dict(C=10.0, cache_size=1e-3), 3),
    "regression": (LASVR, dict(C=3.0, epsilon=0.1), 1),
    "squared loss": (LASVR, dict(C=3.0, epsilon=0.1, loss="squared_epsilon_insensitive"), 1),
    "two outputs": (LASVR, dict(C=3.0, epsilon=0.1), 0),
    "one class": (OneClassLASVM, dict(nu=0.4), None),
}


def data(n_classes, n=400):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 5))
    if n_classes is None:
        return X, None
    if n_classes < 2:
        y = np.column_stack([np.sin(X[:, 0]) + X[:, 1], X[:, 2] ** 2])
        y += 0.3 * rng.normal(size=y.shape)
        return X, y if n_classes == 0 else y[:, 0]
    return X, (X[:, 0] + rng.normal(size=n) > 0).astype(int) + (n_classes - 2) * (X[:, 1] > 0.5)


def solved(kind, params, X, y):
    given = dict(tol=1e-5, max_iter=-1) | ({"gamma": 0.1} if "kernel" not in params else {})
    if kind is not OneClassLASVM:
        given["random_state"] = 0
    return kind(**given | params).fit(X, y)


def decisions(model, X):
    return model.predict(X) if isinstance(model, LASVR) else model.decision_function(X)


@pytest.mark.sampled
@pytest.mark.parametrize("case, layout", in_turn(CASES, [np.asarray, csr_matrix]))
def test_optimum_is_that_of_steps_on_all_slots(case, layout, monkeypatch):
    kind, params, n_classes = CASES[case]
    X, y = data(n_classes)
    X = gaussian(X, X) if case == "precomputed" else layout(X)
    expected = solved(kind, params, X, y)
    set_limits(monkeypatch, WORKING_SET_SIZE=SIZE)
    model = solved(kind, params, X, y)
    assert model.n_kernel_evaluations_ != expected.n_kernel_evaluations_
    assert_allclose(model.dual_objective_, expected.dual_objective_, rtol=1e-6)
    scale = np.abs(decisions(expected, X)).max()
    assert_allclose(decisions(model, X), decisions(expected, X), atol=1e-3 * scale)


def test_threads_that_share_the_slots_do_not_change_the_model(small_working_sets):
    X, y = noise(4000, 2)
    params = dict(C=10.0, gamma=0.1, tol=0.3, max_iter=1, random_state=0)
    models = [LASVC(n_jobs=n_jobs, **params).fit(X, y) for n_jobs in (1, 2)]
    assert len(models[0].support_) > 2048  # as many as a thread updates at a time
    assert_same(*models, X)


@pytest.mark.slow
def test_interrupts_of_threads(small_working_sets, ctrl_c, frequent_checks):  # noqa: F811
    X, y = noise(400, 3)
    params = dict(C=10.0, gamma=0.05, tol=1e-4, algorithm="lasvm-g", max_iter=3, n_jobs=2)
    check_interrupts(LASVC(random_state=0, **params), [("fit", X, y)], X)
