"""Kernel models with one update per sample: invalid input, attributes."""

import re

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from sklearn_online_svm import KernelPassiveAggressiveClassifier
from tests.support.kernel_updates import (
    assert_same,
    pa,
    rows,
    single,
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
