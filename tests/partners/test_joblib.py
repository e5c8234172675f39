"""Searches and one-vs-rest in the backends of joblib; tests/distributed has the one of dask."""

import joblib
import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.multiclass import OneVsRestClassifier

from sklearn_online_svm import LASVC, AROWClassifier, RampSVC
from tests.support.samples import three_classes

MODELS = [
    (LASVC(random_state=0), "C"),
    (RampSVC(random_state=0), "C"),
    (AROWClassifier(max_iter=5, tol=None, random_state=0), "r"),
]


@pytest.mark.parametrize(
    "model, parameter, backend",
    [(*case, how) for case, how in zip(MODELS, ["loky", "threading", "multiprocessing"])],
    ids=lambda value: type(value).__name__,
)
def test_backends_give_the_results_of_one_process(model, parameter, backend):
    X, y = three_classes(200)
    search = GridSearchCV(model, {parameter: [0.1, 1.0]}, cv=2)
    expected = clone(search).fit(X, y).cv_results_["mean_test_score"]
    one_vs_rest = OneVsRestClassifier(model).fit(X, y).decision_function(X)
    with joblib.parallel_config(backend=backend, n_jobs=2):
        found = clone(search).fit(X, y).cv_results_["mean_test_score"]
        parallel = OneVsRestClassifier(model).fit(X, y).decision_function(X)
    assert_array_equal(found, expected)
    assert_array_equal(parallel, one_vs_rest)
    assert np.min(expected) > 0.6
