"""The space in which a classifier draws its hyperplane, and angles between rows there."""

from functools import partial

import numpy as np
from scipy import sparse
from sklearn.metrics.pairwise import linear_kernel, pairwise_kernels
from sklearn.pipeline import Pipeline
from sklearn.utils import check_array

# Kernel values K(x, x) come from blocks of so many rows: whatever the kernel, it is called with
# two sets of rows.
_BLOCK = 64


def taken_apart(model):
    """Return what rows pass through before they are scored, and who scores them.

    Parameters
    ----------
    model : fitted classifier
        Also a pipeline, a search, or another model around one.

    Returns
    -------
    transformers : list
    classifier : classifier
    """
    transformers = []
    while True:
        if isinstance(model, Pipeline):
            transformers += [step for _, step in model.steps[:-1] if hasattr(step, "transform")]
            model = model.steps[-1][1]
        elif hasattr(model, "best_estimator_"):
            model = model.best_estimator_
        elif hasattr(model, "estimator_"):
            if hasattr(model, "transform"):  # it selects features
                transformers.append(model)
            model = model.estimator_
        else:
            return transformers, model


class Angles:
    """Cosines between rows in the kernel space of a classifier; of a linear one, plain cosines.

    Where K(x, x) is 0 (or, with kernels that are none, negative) there is no angle: the cosine
    counts as 0.

    Parameters
    ----------
    model : fitted classifier
    rows : {array-like, sparse matrix} of shape (n_samples, n_features)
    """

    def __init__(self, model, rows):
        transformers, classifier = taken_apart(model)
        self._kernel = kernel_of(classifier)
        for transformer in transformers:
            rows = transformer.transform(rows)
        self._rows = check_array(rows, accept_sparse="csr", dtype=[np.float64, np.float32])
        self._squares = self._diagonal()

    def cosines(self, i):
        """|cos| of the angle of each row with row i."""
        values = np.abs(self._values(self._rows, self._rows[i : i + 1])[:, 0])
        squares = self._squares * self._squares[i]
        known = (self._squares > 0) & (squares > 0)
        cosines = np.zeros(len(values))
        cosines[known] = values[known] / np.sqrt(squares[known])
        return cosines

    def _diagonal(self):
        n = self._rows.shape[0]
        blocks = (self._rows[start : start + _BLOCK] for start in range(0, n, _BLOCK))
        return np.concatenate([self._values(block, block).diagonal() for block in blocks])

    def _values(self, A, B):
        values = self._kernel(A, B)
        if sparse.issparse(values):
            values = values.toarray()
        return np.asarray(values, dtype=np.float64)


def kernel_of(classifier):
    """Return the kernel of a fitted classifier as a function of two sets of rows."""
    name = type(classifier).__name__
    kernel = getattr(classifier, "kernel", None)
    if kernel is None:
        if not hasattr(classifier, "coef_"):
            raise ValueError(
                "diversity needs the angles between rows in the space of the classifier, but "
                f"{name} has neither a kernel nor coef_. Use diversity=0, or a support vector "
                "machine or a linear model."
            )
        return linear_kernel
    if callable(kernel):
        return kernel
    if kernel == "precomputed":
        raise ValueError(
            "diversity needs kernel values between rows of X_pool, but with kernel='precomputed' "
            f"{name} is given only those with the rows of fit. Use diversity=0, or give the "
            "kernel as a function."
        )
    # What "scale" and "auto" came to: in models of this package gamma_, in scikit-learn's _gamma.
    gamma = getattr(classifier, "gamma_", getattr(classifier, "_gamma", None))
    if gamma is None:
        gamma = getattr(classifier, "gamma", None)
    if isinstance(gamma, str) and kernel != "linear":
        raise ValueError(
            f"diversity needs the kernel of {name}, which does not tell what gamma={gamma!r} came "
            "to. Give gamma a number, or use diversity=0."
        )
    return partial(
        pairwise_kernels,
        metric=kernel,
        filter_params=True,
        gamma=gamma,
        degree=getattr(classifier, "degree", 3),
        coef0=getattr(classifier, "coef0", 0.0),
    )
