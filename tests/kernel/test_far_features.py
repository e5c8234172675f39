"""Distances of rbf and chi2 kernels do not depend on how far the features are from 0."""

import pickle
import warnings
from functools import partial
from importlib import import_module

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import issparse
from scipy.spatial.distance import cdist
from sklearn.base import is_classifier

from sklearn_online_svm import (
    LASVC,
    LASVR,
    CompressedClassifier,
    KernelAROWClassifier,
    KernelPassiveAggressiveClassifier,
    OneClassLASVM,
    RampSVC,
    VirtualSampler,
)
from sklearn_online_svm.export import load_libsvm, save_libsvm
from tests.support.cases import in_turn
from tests.support.internals import Kernel
from tests.support.samples import LAYOUTS
from tests.support.trainable import MODELS, STREAMS, samples_of, seeded

# Exact with the features of `on_a_grid`, of which all products are exact. Those of the moved
# features are not.
OFFSET = 2.0**40
GAMMA = 1 / 6


def has_rbf_kernel(name):
    return any(key.split("__")[-1] == "gamma" for key in seeded(name).get_params())


# Samples between others, random projections and scaled features are rounded.
ROUNDED = ("virtual", "kernel pa, merging", "cells", "pipeline", "compressed")
FAR_STREAMS, FAR_FITS = (
    [name for name in names if has_rbf_kernel(name) and not name.startswith(ROUNDED)]
    for names in (STREAMS, MODELS)
)


def on_a_grid(name):
    X, y = samples_of(name)
    return np.round(4 * X) / 4, y


def values_of(model, X):
    method = "decision_function" if hasattr(model, "decision_function") else "predict"
    return getattr(model, method)(X)


def streamed(model, X, y, sizes):
    options = {"classes": np.unique(y)} if is_classifier(model) else {}
    first = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for size in sizes:
            model.partial_fit(X[first : first + size], y[first : first + size], **options)
            first += size
    return model


def interaction(n=600, offset=0.0, seed=0):
    rng = np.random.default_rng(seed)
    Z = rng.normal(size=(n, 6))
    return Z + offset, (Z[:, 0] * Z[:, 1] + 0.3 * rng.normal(size=n) > 0).astype(int)


def as_array(X):
    return X.toarray() if issparse(X) else X


def expected_values(model, X):
    """Decision values by differences, in double precision."""
    K = np.exp(-GAMMA * cdist(X, as_array(model.support_vectors_), "sqeuclidean"))
    return K @ as_array(model.dual_coef_).ravel() + model.intercept_


# -- every estimator ----------------------------------------------------------------------


@pytest.mark.sampled
@pytest.mark.parametrize("name, layout", in_turn(FAR_STREAMS, LAYOUTS))
@pytest.mark.parametrize("sizes", [(1, 39, 40, 40), (60, 60)], ids=str)
def test_a_stream_of_moved_samples_gives_the_same_model(name, layout, sizes):
    (X, y), layout = on_a_grid(name), LAYOUTS[layout]
    near = streamed(seeded(name), layout(X), y, sizes)
    far = streamed(seeded(name), layout(X + OFFSET), y, sizes)
    expected = values_of(near, layout(X))
    assert_array_equal(values_of(far, layout(X + OFFSET)), expected)
    restored = pickle.loads(pickle.dumps(far))
    assert_array_equal(values_of(restored, layout(X + OFFSET)), expected)


@pytest.mark.parametrize("name, layout", in_turn(FAR_FITS, LAYOUTS))
def test_a_fit_of_moved_samples_gives_the_same_model(name, layout):
    (X, y), layout = on_a_grid(name), LAYOUTS[layout]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        near, far = (seeded(name).fit(layout(Z), y) for Z in (X, X + OFFSET))
    assert_array_equal(values_of(far, layout(X + OFFSET)), values_of(near, layout(X)))


# -- decision values ----------------------------------------------------------------------

BINARY = {
    "lasvm": partial(LASVC, random_state=0),
    "lasvm, stream": LASVC,
    "lasvm-g": partial(LASVC, algorithm="lasvm-g", random_state=0),
    "ramp": partial(RampSVC, random_state=0),
    "kernel pa": partial(KernelPassiveAggressiveClassifier, random_state=0),
    "lasvr": partial(LASVR, random_state=0),
    "one class": partial(OneClassLASVM, random_state=0),
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", BINARY)
def test_errors_do_not_grow_with_the_offset(name, layout):
    errors = []
    for offset in (0.0, 1e5, 1e7):
        X, y = interaction(offset=offset)
        model = BINARY[name](gamma=GAMMA)
        if name == "lasvm, stream":
            model = streamed(model, LAYOUTS[layout](X), y, (1, 299, 300))
        else:
            model.fit(LAYOUTS[layout](X), y)
        values = values_of(model, LAYOUTS[layout](X))
        errors.append(np.abs(values - expected_values(model, X)).max())
        assert_array_equal(np.isin(as_array(model.support_vectors_), X), True)
    assert max(errors[1:]) <= 2 * errors[0]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_mean_that_moves(layout, dtype):
    """The first samples are near 0, the later ones are not."""
    offset = 1e4 if dtype == np.float32 else 1e7
    (X, y), (later, y_later) = interaction(), interaction(offset=offset, seed=1)
    later = later.astype(dtype).astype(np.float64)
    model = LASVC(gamma=GAMMA).partial_fit(LAYOUTS[layout](X.astype(dtype)), y, [0, 1])
    model.partial_fit(LAYOUTS[layout](later.astype(dtype)), y_later)
    assert as_array(model.support_vectors_).dtype == dtype
    for samples, labels in ((X, y), (later, y_later)):
        values = model.decision_function(LAYOUTS[layout](samples.astype(dtype)))
        assert_allclose(values, expected_values(model, samples), rtol=0, atol=1e-4)
        assert np.mean((values > 0) == labels) > 0.8


@pytest.mark.parametrize("layout", LAYOUTS)
def test_single_features_far_from_zero(layout):
    """A large column beside one of few nonzeros."""
    Z, y = interaction()
    Z[np.random.default_rng(2).random(Z.shape) < 0.5] = 0.0
    X = Z + [1e8, 0, 0, 1e8, 0, 0]
    model = LASVC(gamma=GAMMA, random_state=0).fit(LAYOUTS[layout](X), y)
    values = model.decision_function(LAYOUTS[layout](X))
    assert_allclose(values, expected_values(model, X), rtol=0, atol=1e-5)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_chi2_far_from_zero(layout):
    X, y = interaction(offset=1e6)
    model = LASVC(kernel="chi2", gamma=1e6 * GAMMA, random_state=0).fit(LAYOUTS[layout](X), y)
    S = as_array(model.support_vectors_)
    distances = ((X[:, None] - S) ** 2 / (X[:, None] + S)).sum(axis=2)
    values = np.exp(-1e6 * GAMMA * distances) @ as_array(model.dual_coef_).ravel()
    found = model.decision_function(LAYOUTS[layout](X)) - model.intercept_
    assert_allclose(found, values, rtol=0, atol=2e-5)


# -- gamma, and what is computed in Python ------------------------------------------------


@pytest.mark.parametrize("layout", LAYOUTS)
def test_gamma_scale_of_features_far_from_zero(layout):
    X, y = interaction(offset=1e8)
    model = LASVC().fit(LAYOUTS[layout](X), y)
    assert_allclose(model.gamma_, 1 / (6 * X.var()), rtol=1e-6)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_kernel_values_in_python(layout):
    X, _ = interaction(60)
    X[::2, 0] = 0.0
    X[:, 1:] += 1e7
    expected = np.exp(-GAMMA * cdist(X, X[:20], "sqeuclidean"))
    for gamma in (GAMMA, None):
        values = Kernel("rbf", gamma)(LAYOUTS[layout](X), LAYOUTS[layout](X[:20]))
        assert_allclose(values, expected, rtol=1e-12)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_analysis_far_from_zero(layout):
    """Leave-one-out values, a compressed model, and variances."""
    found = {}
    for offset in (0.0, 2.0**22):
        X, y = interaction(120)
        X = np.round(X * 2**10) / 2**10
        rows = LAYOUTS[layout](X + offset)
        model = LASVC(C=10.0, gamma=GAMMA, tol=1e-6, random_state=0).fit(rows, y)
        compressed = CompressedClassifier(model, max_support_vectors=40).fit(rows, y)
        arow = KernelAROWClassifier(gamma=GAMMA, max_support_vectors=30).partial_fit(
            rows, y, [0, 1]
        )
        found[offset] = [
            model.leave_one_out_decision_function(rows, y),
            compressed.decision_function(rows),
            arow.decision_variance(rows),
        ]
    for near, far, atol in zip(*found.values(), (1e-4, 0.1, 1e-4), strict=True):
        assert_allclose(far, near, rtol=0, atol=atol)


def test_virtual_samples_far_from_zero():
    X, y = interaction(300)
    y = (X[:, 0] > 1.0).astype(int)
    near, far = (
        VirtualSampler(estimator=LASVC(gamma=GAMMA), random_state=0).fit_resample(Z, y)[0]
        for Z in (X, X + 1e6)
    )
    assert_allclose(far - 1e6, near, rtol=0, atol=1e-6)


# -- exported models ----------------------------------------------------------------------


def test_files_hold_the_features_of_the_user(tmp_path):
    X, y = interaction(offset=1e7)
    model = LASVC(C=10.0, gamma=GAMMA, random_state=0).fit(X, y)
    save_libsvm(model, tmp_path / "model")
    loaded = load_libsvm(tmp_path / "model", n_features=6)
    assert_array_equal(
        np.sort(as_array(loaded.support_vectors_), axis=0), np.sort(model.support_vectors_, axis=0)
    )
    assert_allclose(loaded.decision_function(X), model.decision_function(X), rtol=0, atol=1e-2)


def test_onnx_graphs_far_from_zero():
    skl2onnx, onnxruntime = map(pytest.importorskip, ("skl2onnx", "onnxruntime"))
    import_module("sklearn_online_svm.onnx")
    X, y = interaction(offset=1e7)
    model = LASVC(C=10.0, gamma=GAMMA, random_state=0).fit(X, y)
    graph = skl2onnx.to_onnx(model, X[:1]).SerializeToString()
    session = onnxruntime.InferenceSession(graph, providers=["CPUExecutionProvider"])
    scores = session.run(None, {session.get_inputs()[0].name: X})[1]
    assert_allclose(scores.ravel(), model.decision_function(X), rtol=0, atol=1e-4)
