"""Kernel models with one update per sample: invalid input, Ctrl-C, attributes."""

import json
import os
import re

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from sklearn_online_svm import KernelPassiveAggressiveClassifier
from tests.support import programs
from tests.support.kernel_updates import (
    assert_same,
    pa,
    rows,
    single,
    taught,
)
from tests.support.samples import LAYOUTS
from tests.support.unharmed import UnharmedModel


class Unharmed(UnharmedModel):
    attributes = (
        *("classes_", "support_", "support_vectors_", "dual_coef_", "n_support_", "gamma_"),
        *("n_features_in_", "n_samples_seen_", "n_updates_", "t_", "n_iter_"),
        "n_kernel_evaluations_",
    )


def unharmed(layout="dense", dtype=np.float64, model=None):
    X, y = rows(100, 3, dtype=dtype)
    model = pa(random_state=0) if model is None else model
    return Unharmed(lambda: clone(model), LAYOUTS[layout](X), y)


# -- invalid input ----------------------------------------------------------------------


@pytest.mark.parametrize("layout", LAYOUTS)
def test_kernel_values_that_overflow_are_rejected(layout):
    model = pa(kernel="poly", gamma=1.0, degree=5, random_state=0)
    both = unharmed(layout, model=model)
    X = both.X.toarray() if layout == "csr" else both.X.copy()
    X[80] = 1e9
    match = "Kernel values of row 80 of X are not finite"
    both.refuses(ValueError, match, LAYOUTS[layout](X), methods=["partial_fit"])
    with pytest.raises(ValueError, match="Kernel values of row"):
        both.model.fit(LAYOUTS[layout](X), both.y)
    both.check()


def test_reentrant_kernel_function_is_rejected():
    X, y = rows(50)
    calls = []

    def kernel(A, B):
        if calls:
            calls.pop()(A)
        return single(A, B)

    model = pa(kernel=kernel).partial_fit(X, y, [0, 1])
    for call in (model.decision_function, lambda A: model.partial_fit(A, y[: len(A)])):
        calls.append(call)
        with pytest.raises(RuntimeError, match="called by its own kernel function"):
            model.partial_fit(X, y)
    assert_same(model, pa(kernel=single).partial_fit(X, y, [0, 1]), X=X)


def test_convergence_warning_while_the_loss_decreases():
    X, y = rows(100, noise=0.0)
    with pytest.warns(ConvergenceWarning, match="was still improving after max_iter=2 epochs"):
        pa(max_iter=2).fit(X, y)
    model = pa(max_iter=100).fit(X, y)
    assert 2 < model.n_iter_ < 100


def test_verbose(capsys):
    X, y = rows(60)
    pa(max_iter=3, tol=None, verbose=1).fit(X, y)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 3
    assert re.match(r"-- Epoch 1: \d+ updates, loss", lines[0])


# -- Ctrl-C -----------------------------------------------------------------------------

# Fits noise, which takes many seconds; prints a line at the start, and a report of the outcome.
PROGRAM = """
import json, signal, sys, time
import numpy as np
from sklearn.base import clone
from sklearn_online_svm import KernelPassiveAggressiveClassifier

signal.signal(signal.SIGINT, signal.default_int_handler)
method, n, params = sys.argv[1], int(sys.argv[2]), json.loads(sys.argv[3])
rng = np.random.default_rng(0)
X, y = rng.normal(size=(n, 20)), rng.integers(0, 3, n)
model = KernelPassiveAggressiveClassifier(gamma=0.05, tol=None, shuffle=False, **params)
first_call = dict(classes=[0, 1, 2])
print("begins", flush=True)
try:
    if method == "fit":
        model.set_params(max_iter=10**6).fit(X, y)
    else:
        model.partial_fit(X, y, **first_call)
except KeyboardInterrupt:
    report = {"back": time.monotonic()}
else:
    sys.exit("was not interrupted")

def same(other):
    names = ("support_", "dual_coef_", "support_vectors_")
    return all(np.array_equal(getattr(model, name), getattr(other, name)) for name in names)

n_rows, n_visits = model.n_samples_seen_, model.t_ - 1
report["rows"] = n_rows
part = slice(n_rows, n_rows + 200)
if method == "partial_fit":
    other = clone(model).partial_fit(X[:n_rows], y[:n_rows], **first_call)
    report["same"] = same(other)
    other.partial_fit(X[part], y[part])
    model.partial_fit(X[part], y[part])
    report["goes on"] = same(other)
else:
    report["same"] = bool(np.isfinite(model.decision_function(X[:100])).all())
    model.partial_fit(X[:200], y[:200])
    report["goes on"] = model.t_ == n_visits + 201
report["refit"] = model.set_params(max_iter=1).fit(X[:99], y[:99]).t_ == 100
print(json.dumps(report))
"""


@pytest.mark.skipif(os.name == "nt", reason="os.kill cannot interrupt on Windows")
@pytest.mark.parametrize(
    "method, n, params",
    [
        pytest.param("partial_fit", 300_000, {}, marks=pytest.mark.slow),
        pytest.param(
            "partial_fit", 500_000, dict(max_support_vectors=1000), marks=pytest.mark.slow
        ),
        ("fit", 2000, dict(max_support_vectors=300)),
    ],
    ids=str,
)
def test_ctrl_c_returns_soon_and_training_can_continue(method, n, params):
    arguments = method, str(n), json.dumps(params)
    report, delay = programs.interrupted(PROGRAM, *arguments, after=0.7)
    print(f"back after {delay:.3f} s: {report}")
    # Signals are checked every few milliseconds, but a busy machine may suspend the process.
    assert 0 <= delay < 5.0
    assert report["rows"] > 100
    assert report["same"] and report["goes on"] and report["refit"]


def test_ctrl_c_in_a_kernel_function():
    X, y = rows(300)
    calls = [0]

    def kernel(A, B):
        calls[0] += 1
        if calls[0] == 5:
            raise KeyboardInterrupt
        return single(A, B)

    model = pa(kernel=kernel)
    with pytest.raises(KeyboardInterrupt):
        model.partial_fit(X, y, [0, 1])
    n_rows = int(model.t_) - 1
    assert 0 < n_rows < 300
    assert_same(model, taught(pa(kernel=single), X[:n_rows], y[:n_rows]), X=X)


# -- attributes -------------------------------------------------------------------------


def test_attributes_are_those_of_svc():
    X, y = rows(200, 3)
    model = KernelPassiveAggressiveClassifier(gamma=0.3, random_state=0).fit(X, y)
    n = len(model.support_)
    assert model.dual_coef_.shape == (3, n)
    assert_array_equal(model.support_vectors_, X[model.support_])
    assert_array_equal(np.repeat(model.classes_, model.n_support_), y[model.support_])
    assert_array_equal(model.intercept_, np.zeros(3))
    with pytest.raises(AttributeError, match="only available when using a linear kernel"):
        model.coef_  # noqa: B018
    sparse = clone(model).fit(csr_matrix(X), y)
    assert_array_equal(sparse.support_vectors_.toarray(), model.support_vectors_)
    linear = clone(model).set_params(kernel="linear").fit(X, y)
    assert_allclose(linear.coef_, linear.dual_coef_ @ linear.support_vectors_, rtol=1e-12)
    threaded = clone(model).set_params(n_jobs=2).fit(X, y)
    many = np.tile(X, (5, 1))
    assert_array_equal(threaded.decision_function(many), model.decision_function(many))
    suspects = model.suspect_labels(X, y, n_suspects=5)
    assert len(suspects) == 5
