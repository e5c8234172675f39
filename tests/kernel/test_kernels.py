"""Compiled kernels of estimators: against functions, invalid features, tables of mixed types."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.metrics import pairwise
from sklearn.model_selection import GridSearchCV
from sklearn.svm import SVC

from sklearn_online_svm import (
    LASVC,
    LASVR,
    ActiveLASVC,
    ColumnKernel,
    KernelAROWClassifier,
    KernelPassiveAggressiveClassifier,
    KernelPerceptronClassifier,
    LabelEfficientClassifier,
    OneClassLASVM,
    RampSVC,
    VirtualLASVC,
)
from sklearn_online_svm.cells import CellClassifier
from sklearn_online_svm.datasets import make_waveform
from sklearn_online_svm.export import save_libsvm
from tests.support.cases import in_turn
from tests.support.engine import kernel_values
from tests.support.internals import Kernel, dtype_of, spec_of

ESTIMATORS = [
    LASVC,
    ActiveLASVC,
    VirtualLASVC,
    RampSVC,
    KernelPassiveAggressiveClassifier,
    KernelPerceptronClassifier,
    KernelAROWClassifier,
]
STREAMS = [estimator for estimator in ESTIMATORS if hasattr(estimator, "partial_fit")]
GAMMA = 0.1


def tanimoto(A, B):
    """The formula of Ralaivola et al. for bits: shared bits by bits in either sample."""
    A, B = (np.asarray(Z, dtype=bool) for Z in (A, B))
    either = (A[:, None] | B[None]).sum(axis=2)
    return np.where(either > 0, (A[:, None] & B[None]).sum(axis=2) / np.maximum(either, 1), 1.0)


def intersection(A, B):
    return np.minimum(A[:, None], B[None]).sum(axis=2, dtype=float)


FUNCTIONS = {
    "laplacian": lambda A, B: pairwise.laplacian_kernel(A, B, GAMMA),
    "chi2": lambda A, B: pairwise.chi2_kernel(A, B, GAMMA),
    "cosine": pairwise.cosine_similarity,
    "intersection": intersection,
    "tanimoto": tanimoto,
}
with_kernels = pytest.mark.parametrize("kernel", FUNCTIONS)
with_layouts = pytest.mark.parametrize("layout", [np.asarray, csr_matrix])
with_dtypes = pytest.mark.parametrize("dtype", [np.float32, np.float64])


def samples(kernel, n=250, n_features=15, seed=0):
    """Return samples with zeros, bits for tanimoto, and labels with some noise."""
    rng = np.random.default_rng(seed)
    X = np.maximum(rng.normal(size=(n, n_features)), 0.0)
    if kernel == "tanimoto":
        X = (X > 0.3).astype(float)
    elif kernel in ("laplacian", "cosine"):
        X *= rng.choice([-1.0, 1.0], n_features)
    y = np.where(X @ rng.normal(size=n_features) + 0.3 * rng.normal(size=n) > 0, "yes", "no")
    return X, y


# -- one kernel for all features --------------------------------------------------------


@with_kernels
@with_layouts
@with_dtypes
def test_compiled_kernel_equals_the_function_at_the_optimum(kernel, layout, dtype):
    X, y = samples(kernel)
    X = X.astype(dtype)
    options = dict(gamma=GAMMA, C=2.0, tol=1e-5, max_iter=-1, random_state=0)
    model = LASVC(kernel=kernel, **options).fit(layout(X[:150]), y[:150])
    function = LASVC(kernel=FUNCTIONS[kernel], **options).fit(X[:150], y[:150])
    svc = SVC(kernel=FUNCTIONS[kernel], C=2.0, tol=1e-5).fit(X[:150].astype(float), y[:150])
    found = model.decision_function(layout(X))
    assert_allclose(found, function.decision_function(X), atol=1e-4)
    assert_allclose(found, svc.decision_function(X.astype(float)), atol=1e-4)
    vectors = model.support_vectors_
    assert_array_equal(vectors if layout is np.asarray else vectors.toarray(), X[model.support_])


@with_kernels
@with_layouts
def test_values_in_python_equal_those_of_the_function(kernel, layout):
    X, _ = samples(kernel, 70)
    X[5] = 0.0
    found = Kernel(kernel, GAMMA)(layout(X), layout(X[:20]))
    assert_allclose(found, FUNCTIONS[kernel](X, X[:20]), atol=1e-12)
    diagonal = Kernel(kernel, GAMMA).diagonal(layout(X))
    assert_allclose(diagonal, FUNCTIONS[kernel](X, X).diagonal(), atol=1e-12)


def test_tanimoto_of_counts():
    X = np.array([[1.0, 2.0, 0.0], [0.0, 1.0, 3.0], [-1.0, 0.5, 0.0], [0.0, 0.0, 0.0]])
    dots = X @ X.T
    squares = dots.diagonal()
    expected = dots / np.maximum(squares[:, None] + squares - dots, 1e-300)
    expected[3, 3] = 1.0
    assert_allclose(Kernel("tanimoto")(X, X), expected)
    model = LASVC(kernel="tanimoto", random_state=0).fit(X, [0, 1, 0, 1])
    assert_allclose(kernel_values(spec_of(model).store(), X, X), expected, rtol=1e-7)


@pytest.mark.parametrize("kernel", ["laplacian", "chi2"])
def test_scale_uses_the_standard_deviation(kernel):
    X, y = samples(kernel)
    model = LASVC(kernel=kernel, random_state=0).fit(X, y)
    assert_allclose(model.gamma_, 1 / (X.shape[1] * X.std()))
    scaled = LASVC(kernel=kernel, random_state=0).fit(8 * X, y)
    assert_allclose(scaled.decision_function(8 * X), model.decision_function(X))
    assert LASVC(kernel=kernel, gamma="auto").fit(X, y).gamma_ == 1 / X.shape[1]


@pytest.mark.parametrize(
    ("kernel", "factor"),
    [("laplacian", 1e6), ("chi2", 1e6), ("cosine", 1e-21), ("tanimoto", 1e-21)],
)
def test_features_out_of_range_of_single_precision(kernel, factor):
    X, y = samples(kernel)
    options = dict(kernel=kernel, gamma=GAMMA, random_state=0)
    assert dtype_of(LASVC(**options).fit(X.astype(np.float32), y)) == np.float32
    single = (factor * X).astype(np.float32)
    model = LASVC(**options).fit(single, y)
    assert dtype_of(model) == np.float64
    expected = LASVC(**options).fit(single.astype(float), y)
    assert_array_equal(model.decision_function(single), expected.decision_function(single))


@pytest.mark.parametrize("kernel", ["chi2", "intersection"])
@with_layouts
def test_negative_features_are_rejected(kernel, layout):
    X, y = samples(kernel)
    X, negative = layout(X), layout(np.where(np.arange(15) == 4, -0.5, X))
    message = f"Negative values in data passed to {{}} with kernel='{kernel}'"
    for estimator in ESTIMATORS:
        model = estimator(kernel=kernel, random_state=0)
        with pytest.raises(ValueError, match=message.format(estimator.__name__)):
            model.fit(negative, y)
        assert model.__sklearn_tags__().input_tags.positive_only
        scores = model.fit(X, y).decision_function(X)
        if estimator in STREAMS:
            with pytest.raises(ValueError, match=message.format(estimator.__name__)):
                model.partial_fit(negative[:3], y[:3])
            with pytest.raises(ValueError, match=message.format(estimator.__name__)):
                clone(model).partial_fit(negative, y, classes=["no", "yes"])
        with pytest.raises(ValueError, match=message.format(estimator.__name__)):
            model.predict(negative[:3])
        assert_array_equal(model.decision_function(X), scores)


@pytest.mark.slow
@with_kernels
def test_compress_leave_one_out_and_paths(kernel):
    X, y = samples(kernel, 120)
    options = dict(kernel=kernel, gamma=GAMMA, max_iter=-1, tol=1e-5, random_state=0)
    model = LASVC(**options).fit(X, y)
    function = LASVC(**{**options, "kernel": FUNCTIONS[kernel]}).fit(X, y)
    small, other = (m.compress(max_support_vectors=25) for m in (model, function))
    assert set(map(bytes, small.support_vectors_)) <= set(map(bytes, X))
    # Rounding decides between vectors that are nearly as good; the standard deviation of the
    # ratio is 0.03.
    assert_allclose(small.rkhs_distance_, other.rkhs_distance_, rtol=0.2, atol=1e-3)
    expected = small.dual_coef_[0] @ FUNCTIONS[kernel](small.support_vectors_, X)
    assert_allclose(small.decision_function(X), expected + small.intercept_, atol=1e-4)
    assert_array_equal(model.leave_one_out_errors(X, y), function.leave_one_out_errors(X, y))
    path = LASVC(**options).fit_path(X, y, Cs=[0.1, 1.0])
    assert_allclose(path[-1].decision_function(X), model.decision_function(X), atol=1e-3)
    assert len(model.suspect_labels(X, y)) == len(function.suspect_labels(X, y))


@with_kernels
def test_formats_without_the_kernel_refuse_it(kernel, tmp_path):
    X, y = samples(kernel)
    model = LASVC(kernel=kernel, random_state=0).fit(X, y)
    with pytest.raises(ValueError, match=f"cannot store a model with kernel='{kernel}'"):
        save_libsvm(model, tmp_path / "model")
    with pytest.raises(ValueError, match=f"budget_policy='merging'.*got kernel='{kernel}'"):
        KernelPerceptronClassifier(
            kernel=kernel, max_support_vectors=5, budget_policy="merging"
        ).fit(X, y)


def test_onnx_refuses_the_kernel():
    onnx = pytest.importorskip("sklearn_online_svm.onnx")
    X, y = samples("tanimoto")
    for kernel in ("tanimoto", ColumnKernel([("overlap", [0])])):
        model = LASVC(kernel=kernel, random_state=0).fit(X, y)
        with pytest.raises(ValueError, match="with kernel=.* cannot be converted to ONNX"):
            onnx._check(model)


# -- tables of mixed types --------------------------------------------------------------

TERMS = [("rbf", [0, 1, 2, 3], 0.3), ("laplacian", slice(2, 6)), ("overlap", [8, 9, 10])]


def table(n=200, seed=0):
    """Return four groups of columns: numbers, nonnegative numbers, codes, and a row number."""
    rng = np.random.default_rng(seed)
    X = np.empty((n, 12))
    X[:, :4] = rng.normal(size=(n, 4))
    X[:, 4:8] = np.maximum(rng.normal(size=(n, 4)), 0.0)
    X[:, 8:11] = rng.integers(0, 4, (n, 3))
    X[:, 11] = np.arange(n)
    return X, (X[:, 0] + (X[:, 8] == X[:, 9]) > 0.5).astype(int)


def numpy_values(X, combine):
    values = [
        pairwise.rbf_kernel(X[:, :4], gamma=0.3),
        pairwise.laplacian_kernel(X[:, 2:6], gamma=0.25),
        (X[:, None, 8:11] == X[None, :, 8:11]).mean(axis=2),
    ]
    return values[0] * values[1] * values[2] if combine == "product" else sum(values)


@pytest.mark.parametrize(
    "combine, layout, dtype",
    in_turn(["sum", "product"] * 2, [np.asarray, csr_matrix], [np.float32, np.float64]),
)
def test_column_kernel(combine, layout, dtype):
    X, y = table()
    kernel, expected = ColumnKernel(TERMS, combine), numpy_values(X, combine)
    assert_allclose(kernel(layout(X)), expected, atol=1e-12)
    Z = layout(X.astype(dtype))
    model = LASVC(kernel=kernel, max_iter=-1, tol=1e-5, random_state=0).fit(Z, y)
    assert_allclose(kernel_values(spec_of(model).store(), Z, Z), expected, rtol=2e-6)
    svc = SVC(kernel="precomputed", tol=1e-5).fit(expected, y)
    assert_allclose(model.decision_function(Z), svc.decision_function(expected), atol=1e-4)
    vectors = model.support_vectors_
    vectors = vectors if layout is np.asarray else vectors.toarray()
    assert_array_equal(vectors, X.astype(dtype)[model.support_])


def test_column_kernel_with_small_cache_threads_and_classes():
    X, y = table(700)
    y = y + 2 * (X[:, 10] == 1)
    options = dict(kernel=ColumnKernel(TERMS, "product"), random_state=0, C=10.0)
    expected = LASVC(**options).fit(X, y)
    for other in (dict(cache_size=0.01), dict(n_jobs=2)):
        model = LASVC(**options, **other).fit(X, y)
        assert_array_equal(model.decision_function(X), expected.decision_function(X))
    scores = []
    for rest in (X[300:], csr_matrix(X[300:])):
        model = LASVC(**options).partial_fit(X[:300], y[:300], classes=[0, 1, 2, 3])
        scores.append(model.partial_fit(rest, y[300:]).decision_function(X))
    assert_array_equal(*scores)


def test_column_kernel_is_a_parameter_object():
    X, y = table()
    kernel = ColumnKernel(TERMS)
    assert repr(clone(kernel)) == repr(kernel)
    assert "('overlap', [8, 9, 10])" in repr(kernel)
    assert pickle.loads(pickle.dumps(kernel)).get_params() == kernel.get_params()
    search = GridSearchCV(
        LASVC(kernel=kernel, random_state=0), {"kernel__combine": ["sum", "product"]}, cv=2
    )
    search.fit(X, y)
    assert search.best_params_["kernel__combine"] in ("sum", "product")

    model = LASVC(kernel=kernel, random_state=0).fit(X, y)
    scores = model.decision_function(X)
    kernel.set_params(combine="product")
    assert_array_equal(model.decision_function(X), scores)
    assert_array_equal(pickle.loads(pickle.dumps(model)).decision_function(X), scores)
    assert_allclose(model.compress(tolerance=1e-3).decision_function(X), scores, atol=0.01)


@pytest.mark.parametrize(
    ("terms", "message"),
    [
        ([], r"'terms' parameter of ColumnKernel must be a list .* Got \[\]"),
        ("rbf", "'terms' parameter of ColumnKernel must be a list .* Got 'rbf'"),
        ([("rbf",)], r"must be a tuple .* Got \('rbf',\)"),
        ([("poly", [0])], "must be one of .* Got 'poly'"),
        ([("rbf", [0], -1.0)], "gamma of a term .* Got -1.0 for 'rbf'"),
        ([("rbf", [0], "scale")], "gamma of a term .* Got 'scale' for 'rbf'"),
        ([("overlap", [0], 1.0)], "'overlap' has no gamma"),
        ([("rbf", [])], r"needs columns. Got \[\]"),
        ([("rbf", ["age"])], r"must be indices: .* Got \['age'\]"),
        ([("rbf", [True, False])], "must be indices"),
        ([("rbf", [0, 12])], "has the column 12, but X has 12 features"),
        ([("rbf", [-1])], "has the column -1"),
        ([("rbf", [1, 1])], r"has a column twice: \[1, 1\]"),
    ],
)
def test_invalid_terms(terms, message):
    X, y = table()
    for model in (LASVC(), KernelPerceptronClassifier()):
        model.set_params(kernel=ColumnKernel(terms))
        with pytest.raises(ValueError, match=message):
            model.fit(X, y)
        with pytest.raises(ValueError, match=message):
            model.partial_fit(X, y, classes=[0, 1])
    with pytest.raises(ValueError, match=message):
        ColumnKernel(terms)(X)


def test_invalid_combinations():
    X, y = table()
    with pytest.raises(ValueError, match="'combine' parameter .* Got 'mean' instead"):
        LASVC(kernel=ColumnKernel(TERMS, "mean")).fit(X, y)
    with pytest.raises(ValueError, match="Negative values in data passed to LASVC"):
        LASVC(kernel=ColumnKernel([("chi2", [3, 4])])).fit(X, y)
    model = LASVC(kernel=ColumnKernel([("chi2", [4, 5])])).fit(X, y)
    with pytest.raises(ValueError, match="Negative values in data passed to LASVC"):
        model.predict(-X[:2])
    with pytest.raises(ValueError, match="codes of no category; got kernel=ColumnKernel"):
        VirtualLASVC(kernel=ColumnKernel(TERMS)).fit(X, y)
    large = np.full((2, 12), 1e30)
    model = LASVC(kernel=ColumnKernel([("linear", [0]), ("overlap", [8])]), random_state=0)
    model.partial_fit(X, y, classes=[0, 1])
    scores = model.decision_function(X)
    with pytest.raises(ValueError, match="not finite"):
        model.partial_fit(large, [0, 1])
    assert_array_equal(model.decision_function(X), scores)


def test_virtual_samples_with_a_column_kernel():
    X, y = make_waveform(200, random_state=0)
    kernel = ColumnKernel([("rbf", slice(0, 10)), ("laplacian", slice(10, 21))])
    model = VirtualLASVC(kernel=kernel, random_state=0).fit(X, y == y[0])
    assert model.n_virtual_points_ > 0
    assert model.score(X, y == y[0]) > 0.8


# -- strings -------------------------------------------------------------------------------------

WORDS = ["ab", "cd", "ef", "gh"]


def shared_letters(A, B):
    return np.array([[len(set(a) & set(b)) for b in B.ravel()] for a in A.ravel()], dtype=float)


def looked_up(A, B):
    """Return kernel values of the words with these indices."""
    words = np.array(WORDS)
    return shared_letters(*(words[C.astype(int).ravel()] for C in (A, B)))


STRING_MODELS = {
    "LASVC": lambda kernel: LASVC(kernel=kernel),
    "LASVR": lambda kernel: LASVR(kernel=kernel),
    "RampSVC": lambda kernel: RampSVC(kernel=kernel),
    "OneClassLASVM": lambda kernel: OneClassLASVM(kernel=kernel),
    "AROW": lambda kernel: KernelAROWClassifier(kernel=kernel),
    "perceptron": lambda kernel: KernelPerceptronClassifier(kernel=kernel),
    "cells": lambda kernel: CellClassifier(LASVC(kernel=kernel), cell_size=10),
    "label-efficient": lambda kernel: LabelEfficientClassifier(LASVC(kernel=kernel)),
}


@pytest.mark.parametrize(
    "samples",
    [
        WORDS,
        np.array(WORDS),
        np.array(WORDS, dtype=object)[:, None],
        np.array(WORDS, dtype="S2")[:, None],
        [["ab", 1.0], ["cd", 2.0], ["ef", 3.0], ["gh", 4.0]],
    ],
    ids=["list", "1d", "object", "bytes", "mixed"],
)
@pytest.mark.parametrize("name", sorted(STRING_MODELS))
def test_strings_with_a_callable_kernel(name, samples):
    """The error says how a kernel of strings is used."""
    model = STRING_MODELS[name](shared_letters)
    match = (
        "could not convert string to float: .*kernel='precomputed' and .* indices of the strings"
    )
    with pytest.raises(ValueError, match=match):
        model.fit(samples, [0, 1, 0, 1])
    model = STRING_MODELS[name](looked_up).fit(np.arange(4)[:, None], [0, 1, 0, 1])
    assert np.isfinite(model.predict([[0], [3]])).all()
    with pytest.raises(ValueError, match=match):
        model.predict(samples)


def test_strings_with_another_kernel():
    with pytest.raises(ValueError, match="string to float: 'ab'. The samples in X must be"):
        LASVC().fit([[word] for word in WORDS], [0, 1, 0, 1])
