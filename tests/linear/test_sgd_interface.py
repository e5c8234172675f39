"""Parts of the interface of SGDClassifier, for the classifiers here."""

import joblib
import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse
from sklearn.linear_model import SGDClassifier

from tests.support import ROOT
from tests.support.linear_models import (
    assert_same,
    once,
    samples_of,
    with_both,
    with_classifiers,
)

FORMATS = {
    "list": lambda X: X.tolist(),
    "fortran": np.asfortranarray,
    "strided": lambda X: np.repeat(X, 2, axis=1)[:, ::2],
    "csc": sparse.csc_matrix,
    "triplets": sparse.coo_matrix,
    "csr_array": sparse.csr_array,
    "64-bit indices": lambda X: _with_long_indices(sparse.csr_matrix(X)),
}


def _with_long_indices(X):
    X.indices, X.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    return X


@pytest.mark.parametrize("keyword", SGDClassifier().get_params())
def test_every_parameter_of_sgd_classifier_is_on_the_page(keyword):
    page = (ROOT / "doc" / "migrating_from_sgd.rst").read_text()
    section = page.split("\nParameters\n", 1)[1].split("\nMethods and attributes\n", 1)[0]
    assert f"``{keyword}``" in section


@pytest.mark.sampled
@with_both
@with_classifiers
@pytest.mark.parametrize("form", FORMATS)
def test_input_formats(name, problem, form):
    """The model is that of C-contiguous or of CSR samples."""
    X, y = samples_of(problem)
    same = FORMATS[form](X)
    expected = once(name).fit(sparse.csr_matrix(X) if sparse.issparse(same) else X, y)
    found = once(name).fit(same, y.tolist())
    assert_same(found, expected)
    assert_array_equal(found.predict(same), expected.predict(X))


@with_both
@with_classifiers
def test_initial_weights_of_0_are_none(name, problem):
    X, y = samples_of(problem)
    K = 1 if problem == "binary" else 3
    begun = once(name).fit(X, y, coef_init=np.zeros((K, 4)), intercept_init=np.zeros(K))
    assert_same(begun, once(name).fit(X, y))


@with_classifiers
def test_no_probabilities(name):
    """As SGDClassifier with the hinge loss."""
    model = once(name).fit(*samples_of("binary"))
    assert not hasattr(model, "predict_proba")
    assert not hasattr(model, "predict_log_proba")


@pytest.mark.parametrize("name", ["pa", "perceptron"])
@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_n_jobs_has_no_effect(name, backend):
    X, y = samples_of("multiclass", "csr")
    with joblib.parallel_backend(backend):
        found = once(name, n_jobs=2).fit(X, y)
    assert_same(found, once(name).fit(X, y))
