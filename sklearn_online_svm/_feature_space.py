"""The kernel of a classifier, and angles between samples in its feature space."""

import numpy as np
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.metrics.pairwise import linear_kernel, manhattan_distances, pairwise_kernels
from sklearn.pipeline import Pipeline
from sklearn.utils import check_array
from sklearn.utils.extmath import row_norms, safe_sparse_dot

from ._core.kernel.vectors import stores

# Number of samples in a block of K(x, x): a kernel is always called with two sets of samples.
_BLOCK = 64


def split_model(model):
    """Return a list of the transformers and the final classifier of a fitted model.

    The model may be a pipeline, a search or another meta-estimator that contains the classifier.
    """
    transformers = []
    while True:
        if isinstance(model, Pipeline):
            transformers += [step for _, step in model.steps[:-1] if hasattr(step, "transform")]
            model = model.steps[-1][1]
        elif hasattr(model, "best_estimator_"):
            model = model.best_estimator_
        elif hasattr(model, "estimator_"):
            if hasattr(model, "transform"):  # feature selection
                transformers.append(model)
            model = model.estimator_
        else:
            return transformers, model


def tanimoto(A, B):
    """Return x.z / (|x|^2 + |z|^2 - x.z), or 1 if both samples are 0."""
    dots = linear_kernel(A, B, dense_output=True)
    either = row_norms(A, squared=True)[:, None] + row_norms(B, squared=True) - dots
    return np.divide(dots, either, out=np.ones_like(dots), where=either > 0)


def intersection(A, B):
    """Return the sum of min(x, z) over nonnegative features."""
    sums = [np.asarray(Z.sum(axis=1)).ravel() for Z in (A, B)]
    return 0.5 * (sums[0][:, None] + sums[1] - manhattan_distances(A, B))


def overlap(A, B):
    """Return the fraction of features that are equal."""
    A, B = (Z.toarray() if sparse.issparse(Z) else Z for Z in (A, B))
    return sum(np.equal.outer(A[:, k], B[:, k]) for k in range(A.shape[1])) / A.shape[1]


def rbf(A, B, gamma):
    """Return exp(-gamma |x - z|^2), also of samples far from the origin.

    As rbf_kernel of scikit-learn, whose validation takes most of the time for few samples.
    """
    gamma = 1.0 / A.shape[1] if gamma is None else gamma
    A, B = (Z.astype(np.float64, copy=False) for Z in (A, B))
    a, b = (row_norms(Z, squared=True) for Z in (A, B))
    if gamma * max(a.max(initial=0.0), b.max(initial=0.0)) <= stores.FAR:
        squares = a[:, None] + b - 2.0 * safe_sparse_dot(A, B.T, dense_output=True)
    else:
        squares = squared_distances(A, B)
    return np.exp(-gamma * np.maximum(squares, 0.0))


def squared_distances(A, B):
    """Return |x - z|^2, computed from differences."""
    if not (sparse.issparse(A) or sparse.issparse(B)):
        return cdist(A, B, "sqeuclidean")
    squares = np.empty((A.shape[0], B.shape[0]))
    B = sparse.csr_matrix(B, dtype=np.float64)
    for row, x in zip(squares, sparse.csr_matrix(A, dtype=np.float64), strict=True):
        ends = np.arange(B.shape[0] + 1) * x.nnz
        repeated = np.tile(x.data, B.shape[0]), np.tile(x.indices, B.shape[0]), ends
        row[:] = np.ravel((B - sparse.csr_matrix(repeated, B.shape)).power(2).sum(axis=1))
    return squares


# Kernels that scikit-learn does not have.
_FUNCTIONS = {"tanimoto": tanimoto, "intersection": intersection, "overlap": overlap}

# Kernels with K(x, x) = 1.
_UNIT_DIAGONAL = ("rbf", "laplacian", "chi2", "tanimoto", "overlap")


class Kernel:
    """Kernel function of two sets of samples that returns a dense float64 array.

    The kernel is one of SVC or of this package except "precomputed", or a function. ``gamma`` is
    a number.
    """

    def __init__(self, kernel="linear", gamma=None, degree=3, coef0=0.0):
        self.kernel = kernel
        self._parameters = dict(gamma=gamma, degree=degree, coef0=coef0)

    @classmethod
    def from_classifier(cls, classifier, purpose, or_else=""):
        """Return the kernel of a fitted classifier, the linear one for a linear model.

        Error messages start with ``purpose``, which needs the kernel, and end with ``or_else``, an
        alternative.
        """
        name = type(classifier).__name__
        # Parameters of this package's models may have been set since they were fitted.
        fitted = getattr(getattr(classifier, "_fitted", None), "spec", None)
        if fitted is not None and fitted.layout != "precomputed":
            return cls.of(fitted)
        kernel = getattr(classifier, "kernel", None)
        if kernel is None:
            if not hasattr(classifier, "coef_"):
                raise ValueError(
                    f"{purpose} needs the feature space of the classifier, but {name} has "
                    "neither a kernel nor coef_. Use a support vector machine or a linear model"
                    f"{or_else}."
                )
            return cls()
        if isinstance(kernel, str) and kernel == "precomputed":
            raise ValueError(
                f"{purpose} needs kernel values of any samples, but with kernel='precomputed' "
                f"{name} has only those with the samples of fit. Pass the kernel as "
                f"a function{or_else}."
            )
        # The value of "scale" and "auto": gamma_ in this package, _gamma in scikit-learn.
        gamma = getattr(classifier, "gamma_", getattr(classifier, "_gamma", None))
        if gamma is None:
            gamma = getattr(classifier, "gamma", None)
        if isinstance(gamma, str) and not callable(kernel) and kernel != "linear":
            raise ValueError(
                f"{purpose} needs the kernel of {name}, which has no attribute with the value of "
                f"gamma={gamma!r}. Pass gamma as a number{or_else}."
            )
        degree, coef0 = getattr(classifier, "degree", 3), getattr(classifier, "coef0", 0.0)
        return cls(kernel, gamma, degree, coef0)

    @classmethod
    def of(cls, spec):
        """Return the kernel of the specification of a fitted model of this package."""
        return cls(spec.kernel, spec.gamma, spec.degree, spec.coef0)

    @property
    def preserves_distance_order(self):
        """Whether distances in feature space have the same order as distances in X."""
        return isinstance(self.kernel, str) and self.kernel in ("linear", "rbf")

    def in_double(self, rows):
        """Return samples in double precision; for a function, in the dtype of the data."""
        return rows if callable(self.kernel) else rows.astype(np.float64, copy=False)

    def __call__(self, A, B):
        if callable(self.kernel):
            values = self.kernel(A, B)
        elif self.kernel == "rbf":
            values = rbf(A, B, self._parameters["gamma"])
        elif self.kernel in _FUNCTIONS:
            values = _FUNCTIONS[self.kernel](A, B)
        else:
            if self.kernel == "chi2":  # for dense samples only
                A, B = (Z.toarray() if sparse.issparse(Z) else Z for Z in (A, B))
            values = pairwise_kernels(
                A, B, metric=self.kernel, filter_params=True, **self._parameters
            )
        if sparse.issparse(values):
            values = values.toarray()
        return np.asarray(values, dtype=np.float64)

    def diagonal(self, rows):
        """Return K(x, x) of each sample."""
        n = rows.shape[0]
        if isinstance(self.kernel, str) and self.kernel in _UNIT_DIAGONAL:
            return np.ones(n)
        blocks = (rows[start : start + _BLOCK] for start in range(0, n, _BLOCK))
        return np.concatenate([self(block, block).diagonal() for block in blocks])


class KernelCosines:
    """Cosines of angles between samples in the feature space of a classifier.

    If K(x, x) is 0 (or negative, for an invalid kernel), the cosine is 0.
    """

    def __init__(self, model, rows):
        transformers, classifier = split_model(model)
        self._kernel = Kernel.from_classifier(classifier, "diversity", ", or use diversity=0")
        for transformer in transformers:
            rows = transformer.transform(rows)
        self._rows = check_array(rows, accept_sparse="csr", dtype=[np.float64, np.float32])
        self._squares = self._kernel.diagonal(self._rows)

    def cosines(self, i):
        """Return |cos| of the angle between each sample and sample i."""
        values = np.abs(self._kernel(self._rows, self._rows[i : i + 1])[:, 0])
        squares = self._squares * self._squares[i]
        defined = (self._squares > 0) & (squares > 0)
        cosines = np.zeros(len(values))
        cosines[defined] = values[defined] / np.sqrt(squares[defined])
        return cosines
