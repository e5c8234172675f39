"""The warning of features among which the kernel sees a single one."""

import warnings

import numpy as np
import pytest
from scipy.sparse import csr_array, csr_matrix
from sklearn.base import clone, is_classifier
from sklearn.datasets import load_wine
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.preprocessing import OneHotEncoder, QuantileTransformer, StandardScaler

from sklearn_online_svm import LASVC, LASVR, KernelPerceptronClassifier
from sklearn_online_svm.cells import CellClassifier
from sklearn_online_svm.model_selection import ProgressiveSearch
from tests.support.samples import LAYOUTS
from tests.support.trainable import MODELS

WINE, CLASSES = load_wine(return_X_y=True)
LAYOUTS = LAYOUTS | {"csr_array": csr_array}
with_layouts = pytest.mark.parametrize("layout", LAYOUTS)


def reports(method, X, *arguments, action="always", **options):
    """Return the warnings of a call."""
    with warnings.catch_warnings(record=True) as record:
        warnings.simplefilter(action)
        method(X, *arguments, **options)
    return [warning for warning in record if "Scale the features" in str(warning.message)]


@pytest.mark.parametrize("name", [n for n, m in MODELS.items() if hasattr(m, "gamma")])
def test_features_in_different_units_are_reported(name):
    model = clone(MODELS[name])
    found = reports(model.fit, WINE, CLASSES)
    assert len(found) == 1
    assert "Feature 12 has more than 99% of the total variance of X" in str(found[0].message)
    assert found[0].filename == __file__
    assert not reports(clone(model).fit, StandardScaler().fit_transform(WINE), CLASSES)
    if hasattr(model, "partial_fit"):
        stream, options = clone(model), {"classes": [0, 1, 2]} if is_classifier(model) else {}
        assert len(reports(stream.partial_fit, WINE, CLASSES, **options)) == 1
        assert not reports(stream.partial_fit, WINE, CLASSES)


@pytest.mark.parametrize("model", [LASVC(), LASVR(), KernelPerceptronClassifier()], ids=str)
@pytest.mark.parametrize("method", ["fit", "partial_fit"])
def test_a_column_of_a_data_frame_is_named(model, method):
    frame = load_wine(as_frame=True).data
    options = {"classes": [0, 1, 2]} if is_classifier(model) and method == "partial_fit" else {}
    found = reports(getattr(clone(model), method), frame, CLASSES, **options)
    assert "The feature 'proline' has more than 99% of" in str(found[0].message)


@with_layouts
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_kernels_of_distances_report(layout, dtype):
    X, far = LAYOUTS[layout](WINE.astype(dtype)), WINE * np.append(np.ones(12), 100.0)
    assert reports(LASVC().fit, X, CLASSES)
    assert reports(LASVC(gamma=1e-6).fit, X, CLASSES)
    # Its exponent is proportional to X: the other features still count.
    assert not reports(LASVC(kernel="laplacian").fit, X, CLASSES)
    assert reports(LASVC(kernel="laplacian").fit, LAYOUTS[layout](far.astype(dtype)), CLASSES)
    for kernel in ("linear", "poly", "cosine"):
        assert not reports(LASVC(kernel=kernel, C=1e-9).fit, X, CLASSES)


def one_hot(rng):
    return OneHotEncoder(sparse_output=False).fit_transform(rng.geometric(0.5, (300, 3)))


SAMPLES = {
    "one-hot": one_hot,
    "a rare category": lambda rng: (rng.random((300, 2)) < [0.5, 0.01]).astype(float),
    "tf-idf": lambda rng: TfidfTransformer().fit_transform(
        csr_matrix(rng.poisson(3.0 / np.arange(1, 301) ** 1.5, (300, 300)))
    ),
    "constant columns": lambda rng: np.c_[1e4 * rng.normal(size=300), np.ones((300, 2))],
    "one feature": lambda rng: 1e4 * rng.normal(size=(300, 1)),
    "equal samples": lambda rng: np.ones((300, 3)),
    "ranks": lambda rng: QuantileTransformer(n_quantiles=100).fit_transform(
        10.0 ** rng.normal(size=(300, 3)) * [1.0, 1e3, 1e6]
    ),
    "heavy tails": lambda rng: rng.standard_t(2.0, size=(300, 6)),
    "few samples": lambda rng: rng.normal(size=(29, 2)) * [1.0, 1e4],
    "other samples without weight": lambda rng: rng.normal(size=(300, 2)),
    "huge": lambda rng: 1e150 * rng.normal(size=(300, 2)),
}


@pytest.mark.parametrize("kernel", ["rbf", "laplacian"])
@pytest.mark.parametrize("name", SAMPLES)
def test_no_false_alarms(name, kernel):
    X = SAMPLES[name](np.random.default_rng(0))
    y, weights = np.arange(X.shape[0]) % 2, np.ones(X.shape[0])
    if "without weight" in name:
        X[100:, 0] *= 1e6
        weights[100:] = 0.0
    assert not reports(LASVC(kernel=kernel, gamma=1.0).fit, X, y, weights)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_models_of_an_ensemble_report_once(n_jobs):
    search = ProgressiveSearch(LASVC(), {"C": [0.1, 1.0, 10.0]}, cv=2, n_jobs=n_jobs)
    assert len(reports(search.fit, WINE, CLASSES)) == 1
    X, y = (np.repeat(values, 4, axis=0) for values in (WINE, CLASSES))
    cells = CellClassifier(LASVC(), cell_size=200, random_state=0)
    X = X * [*[1e-3] * 12, 1.0] + np.random.default_rng(0).normal(size=X.shape)
    assert len(reports(cells.fit, X, y)) == 1
    assert cells.n_cells_ > 1
    cells.set_params(n_jobs=n_jobs)
    assert len(reports(clone(cells).partial_fit, X, y, classes=[0, 1, 2])) == 1
