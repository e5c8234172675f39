"""Random small problems of all kinds, and what their optimum must satisfy in double precision."""

import warnings
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.svm import SVC, SVR, OneClassSVM

from sklearn_online_svm import LASVC, LASVR, OneClassLASVM
from tests.support.duals import Dual

KINDS = ("two classes", "pairs", "rest", "regression", "one class")
KERNELS = ("linear", "rbf", "poly", "laplacian", "chi2", "precomputed", "function")
EPS = 2.0**-24
# Steps of LIBSVM; problems on which it needs more are not compared.
MOST_STEPS = 50_000


def product(A, B):
    """A kernel that is a function; its values are exact for whole numbers."""
    A, B = (Z.toarray() if hasattr(Z, "toarray") else Z for Z in (A, B))
    return (1.0 + np.asarray(A, dtype=float) @ np.asarray(B, dtype=float).T) ** 2


@dataclass
class RandomBatch:
    """A problem that ``fit`` solves at once.

    Parameters
    ----------
    X, y, weights : ndarray
        Samples in double precision, and targets or None.
    exact : bool
        Whether kernel values are whole numbers, which single precision represents.
    """

    seed: int
    kind: str
    X: np.ndarray
    y: np.ndarray | None
    weights: np.ndarray | None
    params: dict
    exact: bool
    given: str
    is_solved: bool = True

    def samples(self):
        """Return the samples in their layout and precision."""
        X = self.X.astype(np.float32) if "float32" in self.given else self.X
        if self.params["kernel"] == "precomputed":
            return self.K()
        return csr_matrix(X) if "csr" in self.given else X

    def K(self):
        """Return kernel values in double precision."""
        X, kernel = self.X, self.params["kernel"]
        if kernel == "precomputed":
            return pairwise_kernels(X, metric="rbf", gamma=0.2)
        if callable(kernel):
            return product(X, X)
        options = {name: self.params[name] for name in ("gamma",) if kernel != "linear"}
        if kernel == "poly":
            options |= dict(degree=self.params["degree"], coef0=self.params["coef0"])
        return pairwise_kernels(X, metric=kernel, **options)

    def rounding(self, K):
        """Return the largest errors of the kernel values in single precision."""
        if self.exact:
            return np.zeros_like(K)
        sizes = np.sqrt(np.outer(K.diagonal(), K.diagonal()))
        return 4.0 * EPS * np.maximum(np.abs(K), sizes)

    def fitted(self, **options):
        """Return a model, and whether it has converged."""
        model = {"regression": LASVR, "one class": OneClassLASVM}.get(self.kind, LASVC)
        model = model(random_state=0, **self.params, **options)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            model.fit(self.samples(), self.y, self.weights)
        return model, not any(issubclass(w.category, ConvergenceWarning) for w in caught)

    def duals(self, model):
        """Yield (dual, alpha, b) of each problem; alpha without the samples of weight 0."""
        n, K = len(self.X), self.K()
        weights = np.ones(n) if self.weights is None else self.weights
        rounding, coef = self.rounding(K), np.zeros((len(model.dual_coef_), n))
        coef[:, model.support_] = model.dual_coef_
        if self.kind == "one class":
            size, zeros = model.nu * weights.sum(), np.zeros(n)
            dual = Dual(K, zeros, zeros, weights, total=size, rounding=rounding)
            yield dual, size * coef[0], size * model.intercept_[0]
            return
        with np.errstate(invalid="ignore"):
            cost = np.where(weights > 0.0, model.C * weights, 0.0)
        cost = np.minimum(cost, 1e9 * max(1.0, np.abs(coef).max()))  # C=inf
        has_bias = getattr(model, "algorithm", "lasvm") == "lasvm"
        if self.kind == "regression":
            for alpha, y, b in zip(coef, self.y.reshape(n, -1).T, model.intercept_, strict=True):
                options = dict(has_bias=has_bias, rounding=rounding)
                yield Dual(K, y, -cost, cost, model.epsilon, **options), alpha, b
            return
        codes = np.searchsorted(model.classes_, self.y)
        for k, (target, alpha) in enumerate(self.parts(model, codes, coef)):
            rows = target != 0.0
            part = np.ix_(rows, rows)
            lower, upper = (np.where(s * target > 0.0, s * cost, 0.0) for s in (-1.0, 1.0))
            options = dict(has_bias=has_bias, rounding=rounding[part])
            assert not alpha[~rows].any()
            dual = Dual(K[part], target[rows], lower[rows], upper[rows], **options)
            yield dual, alpha[rows], model.intercept_[k]

    def parts(self, model, codes, coef):
        """Yield the labels of each problem, 0 for other samples, and alpha."""
        n_classes = len(model.classes_)
        if n_classes == 2:
            yield np.where(codes == 1, 1.0, -1.0), coef[0]
        elif self.kind == "rest":
            for c in range(n_classes):
                yield np.where(codes == c, 1.0, -1.0), coef[c]
        else:
            for a in range(n_classes):
                for b in range(a + 1, n_classes):
                    alpha = np.where(codes == a, coef[b - 1], 0.0)
                    alpha[codes == b] = coef[a, codes == b]
                    yield np.where(codes == a, 1.0, np.where(codes == b, -1.0, 0.0)), alpha

    def peer(self):
        """Return the model of scikit-learn, or None if there is none or it does not converge."""
        no_bias = self.params.get("algorithm", "lasvm") != "lasvm"
        if self.kind not in ("two classes", "regression", "one class") or no_bias:
            return None
        if self.weights is not None or (self.y is not None and self.y.ndim == 2):
            return None
        options = {"C": self.params["C"]} if "C" in self.params else {"nu": self.params["nu"]}
        if options.get("C") == np.inf:
            return None
        if self.kind == "regression":
            options["epsilon"] = self.params["epsilon"]
        peer = {"regression": SVR, "one class": OneClassSVM}.get(self.kind, SVC)
        peer = peer(kernel="precomputed", tol=1e-6, max_iter=MOST_STEPS, **options)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                peer.fit(self.K(), self.y)
            except ValueError:  # nu=1: no bias
                return None
        return None if caught else peer

    def faults(self):
        """Yield what is wrong with the solution."""
        model, self.is_solved = self.fitted()
        solutions, peer = [*self.duals(model)], self.peer() if self.is_solved else None
        for k, (dual, alpha, b) in enumerate(solutions):
            tol = model.tol if self.is_solved else np.inf
            if self.kind == "one class":
                tol *= min(1.0, dual.total)
            # Gradients in double precision are rounded, too.
            tol += 1e-14 * (1.0 + np.abs(dual.target).max() + np.abs(dual.K) @ np.abs(alpha)).max()
            margin = 2.0 * tol + 8.0 * EPS * abs(b) if self.kind == "one class" else 0.0
            for fault in dual.faults(alpha, b, tol, margin):
                yield f"problem {k}: {fault}"
            if peer is not None:
                other = np.zeros(len(alpha))
                other[peer.support_] = peer.dual_coef_[0]
                other_tol = max(1e-6, dual.violation(other))
                limit = dual.difference(alpha, other, tol, other_tol)[0]
                ours, theirs = dual.objective(alpha), dual.objective(other)
                limit += 1e-10 * (
                    1.0 + abs(theirs) + np.abs(alpha) @ np.abs(dual.K) @ np.abs(alpha)
                )
                if abs(ours - theirs) > limit:
                    yield f"objective {ours:.9g} instead of {theirs:.9g} within {limit:.3g}"


def random_batch(seed):
    """Return a problem drawn from a seed; kinds and kernels alternate."""
    rng = np.random.default_rng([seed, 68])
    kind, kernel = KINDS[seed % len(KINDS)], KERNELS[seed // len(KINDS) % len(KERNELS)]
    n = int(rng.choice([rng.integers(2, 9), rng.integers(9, 60), rng.integers(60, 201)]))
    n_classes = 2 if kind == "two classes" else int(rng.integers(3, 9))
    if kind in ("pairs", "rest"):
        n = max(n, n_classes)
    d, exact = int(rng.choice([1, 2, 5, 20])), kernel in ("linear", "poly", "function")
    exact = exact and rng.random() < 0.7
    X = rng.normal(size=(n, d))
    X = np.round(2.0 * X) if exact or rng.random() < 0.2 else X
    if rng.random() < 0.3:  # constant columns
        X = np.column_stack([X, np.full((n, 2), 3.0)])
    if rng.random() < 0.3:  # duplicates
        X = X[rng.integers(0, max(1, n // 2), n)]
    is_classifier = kind not in ("regression", "one class")
    codes = np.r_[np.arange(n_classes), rng.integers(0, rng.integers(1, n_classes + 1), n)][:n]
    # Unbounded kernels and large C, as in LIBSVM, need too many steps.
    is_bounded = kernel not in ("linear", "poly", "function")
    C, separable = float(10.0 ** rng.uniform(-3, 6 if is_bounded else 1)), False
    if is_classifier and rng.random() < 0.15:  # a hard margin, of classes in different halves
        C, separable = np.inf, True
    if is_classifier:
        codes = rng.permutation(codes)
        shift = 40.0 if separable else float(rng.choice([0.0, 1.0]))
        X[:, 0] += shift * codes
        if separable:
            X = np.column_stack([X, shift * (codes[:, None] == np.arange(n_classes))])
    if kernel == "chi2":
        X = np.abs(X) / (20.0 if separable else 1.0)
    if separable and kernel in ("linear", "poly", "function", "chi2"):
        X /= 8.0
    exact = exact and not separable
    gamma = 1.0 if exact else float(10.0 ** rng.uniform(-1.5, 0.5) / X.shape[1])
    params = dict(kernel=product if kernel == "function" else kernel, gamma=gamma)
    if kernel == "poly":
        params |= dict(degree=2, coef0=1.0)
    y, weights = None, None
    if is_classifier:
        y = 10 * codes
        params |= dict(C=C, multi_class="ovr" if kind == "rest" else "ovo")
        if rng.random() < 0.15 and C < 1e3:
            params["algorithm"] = "lasvm-g"
    elif kind == "regression":
        y = np.sin(X @ rng.normal(size=X.shape[1])) + rng.choice([0.0, 0.3]) * rng.normal(size=n)
        if rng.random() < 0.3:
            y = np.column_stack([y, np.round(2.0 * y), np.full(n, 2.0)])
        params |= dict(C=C, epsilon=float(rng.choice([0.0, 0.01, 0.1, 5.0])))
    else:
        params["nu"] = float(rng.choice([0.01, rng.uniform(0.01, 1.0), 1.0]))
    if rng.random() < 0.4 and not separable:
        weights = np.where(rng.random(n) < 0.3, 0.0, 10.0 ** rng.uniform(-3, 6, n))
        if not is_bounded:
            weights = np.minimum(weights, 10.0)
        some = [np.flatnonzero(codes == c)[0] for c in np.unique(codes)] if is_classifier else [0]
        weights[some] = 1.0
    params["tol"] = float(rng.choice([1e-3, 1e-4]))
    params["shrinking"] = bool(rng.random() < 0.7)
    given = "" if exact and rng.random() < 0.5 else str(rng.choice(["", "csr"]))
    if exact and rng.random() < 0.3:
        given += " float32"  # with kernel values that are exact
    if kernel == "precomputed":
        given = ""
    return RandomBatch(seed, kind, X, y, weights, params, exact, given)
