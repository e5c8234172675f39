"""Fits whose bits are recorded: ``python -m tests.support.recorded_fits`` prints a digest of each.

The bits are the same at each SIMD level but "unfused", with each BLAS and on each architecture.
A change of the engine that is meant to keep models as they are keeps them. One that is not has
reasons, and records them anew:

    python -m tests.support.recorded_fits > tests/support/recorded_fits.json
"""

import hashlib
import json
import sys
import warnings
from functools import partial

import numpy as np
from scipy.sparse import csr_matrix

from sklearn_online_svm import (
    LASVC,
    LASVR,
    ActiveLASVC,
    AROWClassifier,
    CostSensitivePassiveAggressiveClassifier,
    KernelPassiveAggressiveClassifier,
    KernelPerceptronClassifier,
    LabelEfficientClassifier,
    LocalOnlineClassifier,
    OneClassLASVM,
    PassiveAggressiveClassifier,
    PassiveAggressiveRegressor,
    RampSVC,
    SCWClassifier,
    SecondOrderPerceptronClassifier,
    VirtualLASVC,
)

# One epoch, and one problem for each class, if these parameters are not given.
svc = partial(LASVC, max_iter=1, multi_class="ovr")
svr, one_class = (partial(kind, max_iter=1) for kind in (LASVR, OneClassLASVM))

LEARNT_BY_KERNEL = (
    *("support_", "dual_coef_", "intercept_", "offset_", "n_support_", "n_iter_"),
    *("gamma_", "coef_"),
)
LEARNT = (
    *("coef_", "intercept_", "covariance_", "n_iter_", "queried_"),
    *("common_coef_", "local_coef_", "prototypes_"),
)


def blobs(n_rows, n_classes, seed=0):
    """Samples whose numbers are exact in single precision."""
    random = np.random.RandomState(seed)
    y = random.randint(0, n_classes, n_rows)
    X = random.randint(-64, 65, (n_rows, 6)) / 32.0
    X[np.arange(n_rows), y] += 1.5
    X[random.uniform(size=X.shape) < 0.2] = 0.0
    return X, y


def clouds(n_rows, n_features, n_classes, seed=0):
    """Samples with all digits, and weights; no function of the C library is used."""
    random = np.random.RandomState(seed)
    y = random.randint(0, n_classes, n_rows)
    X = random.uniform(-1, 1, (n_rows, n_features)) + random.uniform(-1, 1, (n_rows, n_features))
    X[np.arange(n_rows), y] += 0.9
    return X, y, random.uniform(0.5, 2.0, n_rows)


def streamed(model, X, y, *sizes):
    """Learn in chunks; the sizes are repeated."""
    first, k = 0, 0
    while first < len(y):
        chunk = slice(first, first + sizes[k % len(sizes)])
        model.partial_fit(X[chunk], y[chunk], classes=np.unique(y))
        first, k = chunk.stop, k + 1
    return model


def fits():
    """Yield name and fitted model."""
    X, y = blobs(700, 2)
    X4, y4 = blobs(700, 4, seed=1)
    S, S4 = csr_matrix(X), csr_matrix(X4)
    rbf = dict(gamma=0.25, random_state=0)
    yield "lasvm", svc(C=3.0, **rbf).fit(X, y)
    yield "lasvm, 4 classes, csr", svc(C=10.0, cache_size=0.2, **rbf).fit(S4, y4)
    yield "lasvm, exact", svc(C=10.0, max_iter=-1, tol=1e-6, **rbf).fit(X4, y4)
    yield "lasvm, stream", streamed(svc(C=30.0, finishing=False, **rbf), X4, y4, 1, 7, 90)
    yield (
        "lasvm, poly, float32",
        svc(kernel="poly", gamma=0.25, coef0=1.0, random_state=0).fit(X.astype(np.float32), y),
    )
    yield "lasvm-g", svc(algorithm="lasvm-g", C=10.0, max_iter=2, **rbf).fit(X4, y4)
    yield "lasvm-nc", svc(algorithm="lasvm-nc", C=10.0, **rbf).fit(X, y)
    yield "lasvm-i", streamed(svc(algorithm="lasvm-i", finishing=False, **rbf), S, y, 40)
    yield "lasvm-full", svc(algorithm="lasvm-full", kernel="linear", random_state=0).fit(X, y)
    yield "ramp", RampSVC(C=10.0, multi_class="ovr", **rbf).fit(X4, y4)
    yield (
        "ramp, no intercept",
        RampSVC(C=3.0, fit_intercept=False, init_size=0.3, ramp_s=0.0, **rbf).fit(S, y),
    )
    pairs = dict(multi_class="ovo", **rbf)
    yield "pairs", svc(C=10.0, cache_size=0.2, **pairs).fit(S4, y4)
    yield "pairs, exact", svc(C=10.0, max_iter=-1, tol=1e-6, **pairs).fit(X4, y4)
    yield "pairs, stream", streamed(svc(C=30.0, finishing=False, **pairs), X4, y4, 1, 7, 90)
    yield (
        "pairs, lasvm-nc, float32",
        svc(algorithm="lasvm-nc", C=10.0, **pairs).fit(X4.astype(np.float32), y4),
    )
    yield "pairs, ramp", RampSVC(C=10.0, **pairs).fit(X4, y4)
    yield "pa", PassiveAggressiveClassifier(C=0.1, random_state=0).fit(X4, y4)
    yield (
        "pa, crammer_singer, csr, average",
        PassiveAggressiveClassifier(
            C=0.1, multi_class="crammer_singer", average=True, random_state=0
        ).fit(S4, y4),
    )
    yield "arow, full", streamed(AROWClassifier(covariance="full"), X4, y4, 50)
    yield "second order perceptron", SecondOrderPerceptronClassifier(random_state=0).fit(X, y)
    yield (
        "costs",
        CostSensitivePassiveAggressiveClassifier(pos_label=1, random_state=0).fit(S, y),
    )
    yield "labels", streamed(LabelEfficientClassifier(random_state=0), X4, y4, 100)
    yield from fits_with_defaults()


def fits_with_defaults():
    """Yield name and fitted model, of samples with all digits and mostly default parameters."""
    X, y, weights = clouds(500, 17, 2)
    X5, y5, weights5 = clouds(500, 37, 5, seed=1)
    target = X[:, 0] * X[:, 1] + y
    far, X32 = X + 1000.0, X5.astype(np.float32)
    seeded = dict(random_state=0)
    yield "defaults", svc(**seeded).fit(X, y)
    yield "defaults, balanced, 5 classes", svc(class_weight="balanced", **seeded).fit(X5, y5)
    yield "defaults, weights", svc(**seeded).fit(X, y, sample_weight=weights)
    yield "defaults, float32", svc(**seeded).fit(X32, y5)
    yield "defaults, float32, csr", svc(**seeded).fit(csr_matrix(X32), y5)
    for kernel in ("linear", "poly", "sigmoid", "laplacian", "tanimoto", "cosine"):
        yield f"defaults, {kernel}", svc(kernel=kernel, **seeded).fit(X, y)
    for kernel in ("chi2", "intersection"):
        yield f"defaults, {kernel}", svc(kernel=kernel, **seeded).fit(np.abs(X), y)
    yield "linear, far from 0", svc(kernel="linear", **seeded).fit(far, y)
    yield "lasvm-g, defaults", svc(algorithm="lasvm-g", **seeded).fit(X5, y5)
    yield "regression", svr(**seeded).fit(X, target)
    yield "one class", one_class(**seeded).fit(X)
    yield "active", ActiveLASVC(max_iter=1, max_labels=120, **seeded).fit(X, y)
    yield "auto", LASVC(**seeded).fit(X, y)
    rest = dict(multi_class="ovr", **seeded)
    yield "auto, balanced, 5 classes", LASVC(class_weight="balanced", **rest).fit(X5, y5)
    yield "auto, pairs", LASVC(**seeded).fit(X5, y5)
    yield "auto, pairs, linear", LASVC(kernel="linear", **seeded).fit(X5, y5)
    yield "auto, lasvm-g", LASVC(algorithm="lasvm-g", **rest).fit(X5, y5)
    yield "auto, regression", LASVR(**seeded).fit(X, target)
    yield "auto, one class", OneClassLASVM(**seeded).fit(X)
    yield "auto, active", ActiveLASVC(max_labels=120, **seeded).fit(X, y)
    yield "virtual", VirtualLASVC(**seeded).fit(X[y5 != 1], y[y5 != 1])
    yield "kernel pa", KernelPassiveAggressiveClassifier(**seeded).fit(X5, y5)
    yield "kernel perceptron", KernelPerceptronClassifier(**seeded).fit(X5, y5)
    for name, data in (("", X5), (", float32", X32), (", csr", csr_matrix(X5))):
        yield f"pa, weights{name}", PassiveAggressiveClassifier(**seeded).fit(data, y5, weights5)
        yield f"arow{name}", AROWClassifier(**seeded).fit(data, y5)
        yield f"local{name}", LocalOnlineClassifier(4, **seeded).fit(data, y5)
    yield "scw, full", SCWClassifier(covariance="full", **seeded).fit(X, y)
    yield "pa, regression", PassiveAggressiveRegressor(**seeded).fit(X, target)


def digest(model):
    """Return a digest of a model."""
    found = hashlib.sha256()
    for name in LEARNT_BY_KERNEL if hasattr(model, "dual_coef_") else LEARNT:
        value = getattr(model, name, None)
        if value is not None:
            array = np.asarray(value.toarray() if hasattr(value, "toarray") else value)
            found.update(f"{name}{array.shape}{array.dtype}".encode() + array.tobytes())
    return found.hexdigest()[:16]


def main():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        json.dump({name: digest(model) for name, model in fits()}, sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
