"""Fitted models of every kind, and calls of a loaded model."""

import contextlib
import copy
import warnings

import numpy as np
from scipy import sparse


def rbf(A, B):
    A, B = (M.toarray() if sparse.issparse(M) else M for M in (A, B))
    return np.exp(-0.5 * ((A[:, None] - B[None]) ** 2).sum(axis=2))


def models():
    """Fitted models, each with samples to continue with: name -> (model, X, y)."""
    import sklearn_online_svm as package
    from sklearn_online_svm import active

    random = np.random.RandomState(0)

    def blobs(n_rows, n_classes, noise=0.15):
        y = np.arange(n_rows) % n_classes
        X = np.array([[-1.0, 0], [1, 0], [0, 1.5]])[y] + random.normal(size=(n_rows, 2))
        X = np.column_stack([X, random.normal(size=(n_rows, 3)) * 0.3])
        flips = random.uniform(size=n_rows) < noise
        y[flips] = (y[flips] + 1) % n_classes
        return X, y

    X, y = blobs(360, 2)
    X3, y3 = blobs(120, 3)
    S, S3 = (sparse.csr_matrix(np.where(abs(M) > 0.4, M, 0)) for M in (X, X3))
    names = np.array(["a", "b"])

    def learnt(model, X, y, start=-30):
        """Train on all but the last samples."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.partial_fit(X[:start], y[:start], np.unique(y))
        return model, X[start:], y[start:]

    def fitted(model, X, y):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return model.fit(X, y), X[:30], y[:30]

    LASVC, Ramp = package.LASVC, package.RampSVC
    PA, Costs = (
        package.PassiveAggressiveClassifier,
        (package.CostSensitivePassiveAggressiveClassifier),
    )
    label_efficient = package.LabelEfficientClassifier
    rules = [
        package.Advice.from_rules({0: (">=", 1)}, range(5), 1),
        package.Advice.from_rules({0: ("<=", -1), 2: (-1, 1)}, range(5), 0),
    ]
    rule = active.MarginQuery(rate=0.3, random_state=0)
    rule.update(X[:50, 0], rule.query(X[:50, 0]))
    at_random = active.RandomQuery(0.3, random_state=0)
    at_random.update(X[:50, 0], at_random.query(X[:50, 0]))
    by_class = np.argsort(y3, kind="stable")
    return {
        "lasvm, sorted": learnt(LASVC(gamma=0.5, replay_size=40), X3[by_class], y3[by_class]),
        "lasvm, pairs, joint, sparse": _predicting(
            *learnt(
                LASVC(gamma=0.5, multi_class="ovo", probability=True, replay_size=40),
                S3[by_class],
                y3[by_class],
                start=-5,
            )
        ),
        "lasvm-g, joint": _predicting(
            *learnt(
                LASVC(gamma=0.5, algorithm="lasvm-g", replay_size=40),
                *(X3[by_class], y3[by_class]),
                start=-5,
            )
        ),
        "lasvm": learnt(LASVC(gamma=0.5), X[:150], y[:150]),
        "lasvm, probabilities": learnt(LASVC(gamma=0.5, probability=True), X3, y3),
        "lasvr, intervals": fitted(
            package.LASVR(gamma=0.5, intervals=True, random_state=0), X3, y3 + X3[:, 0]
        ),
        "lasvm, probabilities, sparse": learnt(
            LASVC(gamma=0.5, probability=True, multi_class="ovr").fit(S3[:60], y3[:60]),
            S3[60:],
            y3[60:],
        ),
        "online calibrated": learnt(
            package.calibration.OnlineCalibratedClassifier(package.AROWClassifier()), X3, y3
        ),
        "lasvm, window": learnt(LASVC(gamma=0.5, multi_class="ovr", window_size=90), X3, y3),
        "lasvm, pairs, window": learnt(
            LASVC(gamma=0.5, multi_class="ovo", window_size=90), S3, y3
        ),
        "lasvm, predicting": _predicting(
            *learnt(LASVC(gamma=0.5, C=30, multi_class="ovr"), X3, y3)
        ),
        "lasvm, far": learnt(LASVC(kernel="linear", multi_class="ovr"), X3 + 1e4, y3),
        "lasvm, far, sparse": learnt(LASVC(kernel="linear"), sparse.csr_matrix(X3 + 1e4), y3),
        "lasvm-g, predicting": _predicting(*learnt(LASVC(algorithm="lasvm-g", gamma=0.5), X, y)),
        "lasvm, names": fitted(LASVC(gamma=0.5, C=3), X[:100], names[y[:100]]),
        "lasvm, 3 classes": learnt(LASVC(gamma=0.5, multi_class="ovr"), X3, y3),
        "lasvm, pairs": _predicting(*learnt(LASVC(gamma=0.5, multi_class="ovo"), X3, y3)),
        "lasvm, pairs, sparse, float32": learnt(
            LASVC(kernel="linear", multi_class="ovo"), S3.astype(np.float32), y3
        ),
        "lasvm, sparse": learnt(LASVC(kernel="linear"), S[:150], y[:150]),
        "lasvm, sparse, 3 classes, float32": learnt(
            LASVC(gamma=0.5, multi_class="ovr"), S3.astype(np.float32), y3
        ),
        "lasvm, poly, float32": learnt(
            LASVC(kernel="poly", gamma=0.5, coef0=1.0), X3.astype(np.float32), y3
        ),
        "lasvm, fit, weights": fitted(LASVC(class_weight="online_balanced"), X[:100], y[:100]),
        "lasvm, callable": learnt(LASVC(kernel=rbf), X[:80], y[:80]),
        "lasvm, callable, sparse": learnt(LASVC(kernel=rbf, multi_class="ovr"), S3[:80], y3[:80]),
        "lasvm, precomputed": fitted(LASVC(kernel="precomputed"), rbf(X[:60], X[:60]), y[:60]),
        "lasvm-g": learnt(LASVC(algorithm="lasvm-g", gamma=0.5), X, y),
        "lasvm-nc": learnt(LASVC(algorithm="lasvm-nc", gamma=0.5, multi_class="ovr"), X3, y3),
        "lasvm-i": learnt(LASVC(algorithm="lasvm-i", gamma=0.5), S, y),
        "active": learnt(package.ActiveLASVC(gamma=0.5, random_state=0), X, y),
        "virtual": learnt(package.VirtualLASVC(gamma=0.5, random_state=0), X, y),
        "virtual, sparse": learnt(package.VirtualLASVC(gamma=0.5, random_state=0), S3, y3),
        "kernel pa, margin": learnt(
            package.KernelPassiveAggressiveClassifier(
                gamma=0.5, max_support_vectors=20, budget_policy="margin"
            ),
            X3,
            y3,
        ),
        "kernel pa, merging": learnt(
            package.KernelPassiveAggressiveClassifier(
                gamma=0.5, max_support_vectors=20, budget_policy="merging"
            ),
            X3,
            y3,
        ),
        "kernel pa, projection": learnt(
            package.KernelPassiveAggressiveClassifier(gamma=0.5, max_support_vectors=20), S, y
        ),
        "kernel pa, mean": learnt(
            package.KernelPassiveAggressiveClassifier(
                gamma=0.5, average="mean", max_support_vectors=20
            ),
            X3,
            y3,
        ),
        "lasvr": fitted(package.LASVR(gamma=0.5, C=10.0, random_state=0), S[:90], X[:90, :2]),
        "lasvr, squared": fitted(
            package.LASVR(gamma=0.5, loss="squared_epsilon_insensitive", max_support_vectors=30),
            X[:90],
            X[:90, 1],
        ),
        "one class": fitted(package.OneClassLASVM(nu=0.2, gamma=0.5), X[:90], y[:90]),
        "one class, window": fitted(
            package.OneClassLASVM(nu=0.2, gamma=0.5, window_size=50), S[:90], y[:90]
        ),
        "kernel perceptron, mean": learnt(
            package.KernelPerceptronClassifier(gamma=0.5, average="mean", margin=0.1), X, y
        ),
        "kernel arow": learnt(
            package.KernelAROWClassifier(gamma=0.5, max_support_vectors=20), X3, y3
        ),
        "kernel perceptron, vote": learnt(
            package.KernelPerceptronClassifier(gamma=0.5, average="vote"), X3, y3
        ),
        "kernel perceptron, callable": learnt(
            package.KernelPerceptronClassifier(kernel=rbf), X3[:80], y3[:80]
        ),
        "compressed": fitted(
            package.CompressedClassifier(LASVC(gamma=0.5), tolerance=0.1), X[:100], y[:100]
        ),
        "compressed, pairs": fitted(
            package.CompressedClassifier(LASVC(gamma=0.5, multi_class="ovo"), tolerance=0.1),
            X3,
            y3,
        ),
        "compressed, probabilities, sparse, 3 classes": fitted(
            package.CompressedClassifier(
                LASVC(gamma=0.5, probability=True, multi_class="ovr"), max_support_vectors=20
            ),
            S3,
            y3,
        ),
        "ramp": fitted(Ramp(gamma=0.5), X[:100], y[:100]),
        "ramp, 3 classes": fitted(
            Ramp(fit_intercept=False, gamma=0.5, multi_class="ovr"), X3[:60], y3[:60]
        ),
        "ramp, pairs": fitted(Ramp(gamma=0.5, multi_class="ovo"), X3[:60], y3[:60]),
        "lasvm, pairs, cut": _cut(
            LASVC(kernel=CutKernel(), C=5.0, max_iter=3, multi_class="ovo", random_state=0),
            *(X3, y3, 4),
        ),
        "ramp, pairs, sparse": fitted(Ramp(multi_class="ovo", gamma=0.5), S3[:60], y3[:60]),
        "lasvm, cut": _cut(LASVC(kernel=CutKernel(), C=5.0, max_iter=2, random_state=0), X, y, 4),
        "lasvm, at once, cut": _cut(LASVC(kernel=CutKernel(), C=5.0), X, y, 1),
        "lasvm, 3 classes, cut": _cut(
            LASVC(kernel=CutKernel(), C=5.0, max_iter=3, multi_class="ovr", random_state=0),
            X3,
            y3,
            4,
        ),
        "lasvm-g, chunk, cut": _cut(
            LASVC(kernel=CutKernel(), algorithm="lasvm-g", cache_size=1e-2), X3, y3, 4, "chunk"
        ),
        "ramp, 3 classes, cut": _cut(
            Ramp(kernel=CutKernel(), ramp_s=0.0, cache_size=1e-2, random_state=0), X3, y3, 12
        ),
        "pa": learnt(PA(), X, y),
        "pa, sparse, 3 classes": learnt(PA(C=0.1), S3, y3),
        "pa, average": learnt(PA(average=True), X3.astype(np.float32), y3),
        "pa, crammer_singer": learnt(PA(multi_class="crammer_singer"), X3, y3),
        "pa, thin": _thin(*learnt(PA(), X, y)),
        "pa regressor": fitted(package.PassiveAggressiveRegressor(), X[:90], X[:90, 1]),
        "perceptron": learnt(package.PerceptronClassifier(average=True), S, y),
        "second order perceptron": learnt(package.SecondOrderPerceptronClassifier(), X3, y3),
        "cw": learnt(package.ConfidenceWeightedClassifier(), X, y),
        "scw, full": learnt(package.SCWClassifier(covariance="full"), X, y),
        "arow": learnt(package.AROWClassifier(), S3, y3),
        "local": learnt(package.LocalOnlineClassifier(5, n_neighbors=2), X, y),
        "local, sparse, 3 classes, average": learnt(
            package.LocalOnlineClassifier(5, average=True), S3.astype(np.float32), y3
        ),
        "local, scw": learnt(package.LocalOnlineClassifier(5, variant="scw"), X3, y3),
        "advice": learnt(package.AdvicePassiveAggressiveClassifier(rules), X, y),
        "advice, refined, 3 classes": learnt(
            package.AdvicePassiveAggressiveClassifier(rules, refine=2), S3, y3
        ),
        "costs": learnt(Costs(pos_label=1), X, y),
        "costs of pairs": learnt(Costs(rule="max_loss", multi_class="crammer_singer"), X3, y3),
        "labels": learnt(label_efficient(), X, y),
        "labels, names, 3 classes": learnt(
            label_efficient(package.AROWClassifier(), active.MarginQuery(rate=0.3)),
            S3,
            np.array(["a", "b", "c"])[y3],
        ),
        "labels, lasvc": learnt(
            label_efficient(LASVC(gamma=0.5), active.RandomQuery(0.5)), X3, y3, start=-5
        ),
        "labels, interrupted": _interrupted(label_efficient(), X, y),
        "rule": (rule, X[50:80], None),
        "random rule": (at_random, X[50:80], None),
    }


def _thin(model, X, y):
    return model.sparsify(), X, y


def _predicting(model, X, y):
    """Compute the optimized solution used for predictions."""
    model.predict(X)
    return model.partial_fit(X[:2], y[:2]), X[2:], y[2:]


class CutKernel:
    """Kernel function that raises KeyboardInterrupt in its n-th call."""

    def __init__(self):
        self.calls_left = -1

    def __call__(self, A, B):
        self.calls_left -= 1
        if self.calls_left == 0:
            raise KeyboardInterrupt
        return rbf(A, B)


def _cut(model, X, y, n_calls, what="fit"):
    """Interrupt a call."""
    model.kernel.calls_left = n_calls
    try:
        if what == "fit":
            model.fit(X, y)
        else:
            model.partial_fit(X, y, np.unique(y))
    except KeyboardInterrupt:
        return model, X, y
    raise AssertionError("was not interrupted")


def _interrupted(model, X, y):
    """Train with an oracle that fails."""

    def oracle(i):
        if i > 60:
            raise RuntimeError("No more answers.")
        return y[i]

    with contextlib.suppress(RuntimeError):
        model.partial_fit(X[:90], classes=np.unique(y), oracle=oracle)
    return model, X[:90], y[:90]


def use(model, X, y):
    """Predict, continue training and read the attributes of a model."""
    if y is None:
        scores = X[:, 0].copy()
        model.update(scores, model.query(scores))
        return model.probabilities(scores)
    if not hasattr(model, "classes_") or getattr(model, "kernel", None) == "precomputed":
        model.predict(X)
        return None
    if getattr(model, "interrupted_", False):
        assert np.isin(model.predict(X), model.classes_).all()
        model.resume(X, y)
        return None
    y = model.classes_[np.searchsorted(np.unique(y), y)]
    for _ in range(2):
        assert np.isin(model.predict(X), model.classes_).all()
        assert len(model.decision_function(X)) == X.shape[0]
        if hasattr(model, "partial_fit"):
            model.partial_fit(X, y)
        if hasattr(model, "finish"):
            model.finish()
    for name in (
        "support_vectors_",
        "dual_coef_",
        "n_support_",
        "support_",
        "coef_",
        "t_",
        "duality_gap_",
        "covariance_",
        "queried_",
        "online_predictions_",
    ):
        with contextlib.suppress(AttributeError):
            getattr(model, name)
    return copy.deepcopy(model)
