"""The kernels of the package as functions, as they are written for SVC."""

from functools import partial

import numpy as np
from scipy.sparse import issparse
from sklearn.metrics.pairwise import (
    chi2_kernel,
    cosine_similarity,
    laplacian_kernel,
    manhattan_distances,
)


def intersection(X, Z):
    """Return the sums of the smaller values, for nonnegative features."""
    return 0.5 * (X.sum(axis=1)[:, None] + Z.sum(axis=1) - manhattan_distances(X, Z))


def tanimoto(X, Z):
    """Return Tanimoto similarities of dense or sparse samples."""
    products = X @ Z.T
    if issparse(products):
        products = products.toarray()
        squares = [np.asarray(A.multiply(A).sum(axis=1)).ravel() for A in (X, Z)]
    else:
        squares = [np.einsum("ij,ij->i", A, A) for A in (X, Z)]
    return products / (squares[0][:, None] + squares[1] - products)


FUNCTIONS = {
    "laplacian": laplacian_kernel,
    "chi2": chi2_kernel,
    "intersection": intersection,
    "tanimoto": tanimoto,
    "cosine": partial(cosine_similarity, dense_output=True),
}
# Kernels with the parameter gamma.
WITH_GAMMA = ("laplacian", "chi2")
