"""ColumnKernel: sums and products of kernels on groups of columns."""

from numbers import Integral, Real

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import check_array

from .._feature_space import Kernel
from .._sample_arrays import with_valid_indices

# Kernels of a group: whether they have gamma, and whether their features must not be negative.
_KERNELS = {
    "linear": (False, False),
    "rbf": (True, False),
    "laplacian": (True, False),
    "chi2": (True, True),
    "intersection": (False, True),
    "tanimoto": (False, False),
    "cosine": (False, False),
    "overlap": (False, False),
}
# Kernels whose values are not bounded by 1.
_UNBOUNDED = ("linear", "intersection")


class ColumnKernel(BaseEstimator):
    r"""Sum or product of kernels, each on a group of columns, for tables of mixed types.

    .. math::

        K(x, z) = \sum_t K_t(x_{S_t}, z_{S_t})
        \quad\text{or}\quad
        K(x, z) = \prod_t K_t(x_{S_t}, z_{S_t})

    with the groups of columns :math:`S_t`. Category codes need no one-hot encoding: the kernel
    "overlap" is the fraction of columns in which two samples have equal codes. A sum or product of
    positive definite kernels is positive definite [1]_.

    To be passed as ``kernel=`` of the kernel models of this package, which compute it in compiled
    code; with a single group it is a kernel on some of the columns. It can also be called as a
    function of two matrices of samples, for example by ``SVC``.

    Parameters
    ----------
    terms : list of tuples
        Tuples ``(kernel, columns)`` or ``(kernel, columns, gamma)``.

        - kernel: "linear", "rbf", "laplacian", "chi2", "intersection", "tanimoto", "cosine" or
          "overlap", see :ref:`kernels`.
        - columns: indices of the columns of the group, as an int, a slice or a list of int. Groups
          may overlap.
        - gamma: coefficient of "rbf", "laplacian" and "chi2"; by default 1 divided by the number
          of columns in the group, which suits standardized columns.
    combine : {"sum", "product"}, default="sum"
        How the kernels are combined. With a product, samples are similar only if they are similar
        in all groups.

    See Also
    --------
    LASVC : A model that takes the kernel.

    Notes
    -----
    ``gamma``, ``degree`` and ``coef0`` of the model are not used. A fitted model keeps a copy of
    the kernel. Columns in no group do not affect it.

    References
    ----------
    .. [1] Shawe-Taylor and Cristianini, *Kernel Methods for Pattern Analysis*, Cambridge
       University Press, 2004, proposition 3.22.

    Examples
    --------
    Two measurements and a category:

    >>> from sklearn_online_svm import LASVC, ColumnKernel
    >>> X = [[1.1, 0.3, 0], [0.9, 0.2, 2], [1.0, 0.1, 0], [0.2, 0.9, 1]]
    >>> kernel = ColumnKernel([("rbf", [0, 1], 0.5), ("overlap", [2])])
    >>> kernel(X[:1], X).round(2)
    array([[2.  , 0.98, 1.98, 0.56]])
    >>> model = LASVC(kernel=kernel, random_state=0).fit(X, [1, 0, 1, 0])
    >>> model.predict([[1.0, 0.2, 0]])
    array([1])
    """

    def __init__(self, terms, combine="sum"):
        self.terms = terms
        self.combine = combine

    def __call__(self, X, Y=None):
        """Return the kernel matrix of two sets of samples.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples_X, n_features)
            Samples.
        Y : {array-like, sparse matrix} of shape (n_samples_Y, n_features), default=None
            Other samples; None: X.

        Returns
        -------
        K : ndarray of shape (n_samples_X, n_samples_Y)
            Kernel values.

        Raises
        ------
        ValueError
            If a parameter is invalid, or has no meaning for the features of X.
        """
        X = _indexable(X, "X")
        Y = X if Y is None else _indexable(Y, "Y")
        if X.shape[1] != Y.shape[1]:
            raise ValueError(f"X has {X.shape[1]} features, and Y has {Y.shape[1]}.")
        matrix = None
        for kernel, columns, gamma in self._groups(X.shape[1]):
            A, B = (Z[:, columns].astype(np.float64) for Z in (X, Y))
            values = Kernel(kernel, gamma)(A, B)
            if matrix is None:
                matrix = values
            elif self.combine == "product":
                matrix *= values
            else:
                matrix += values
        return matrix

    def _groups(self, n_features):
        """Return the kernel, an array of the columns, and gamma of each group."""
        if not isinstance(self.combine, str) or self.combine not in ("sum", "product"):
            raise ValueError(
                "The 'combine' parameter of ColumnKernel must be 'sum' or 'product'. Got "
                f"{self.combine!r} instead."
            )
        if not isinstance(self.terms, (list, tuple)) or not len(self.terms):
            raise ValueError(
                "The 'terms' parameter of ColumnKernel must be a list of tuples (kernel, columns) "
                f"or (kernel, columns, gamma), at least one. Got {self.terms!r} instead."
            )
        return [_group(term, n_features) for term in self.terms]

    def _plain_values(self):
        """Return what the checksum of a stored model includes."""
        return [self.terms, self.combine]

    def _nonnegative_columns(self, n_features):
        """Return the columns of kernels whose features must not be negative."""
        return np.concatenate(
            [[]]
            + [columns for kernel, columns, _ in self._groups(n_features) if _KERNELS[kernel][1]]
        ).astype(np.intp)

    @property
    def _has_categories(self):
        """Whether there is a kernel of categories."""
        return any(kernel == "overlap" for kernel, *_ in self.terms)

    @property
    def _n_unbounded(self):
        """Number of kernels with values above 1."""
        return sum(kernel in _UNBOUNDED for kernel, *_ in self.terms)


def _group(term, n_features):
    """Return the kernel, columns and gamma of a tuple in ``terms``."""
    if not isinstance(term, (list, tuple)) or len(term) not in (2, 3):
        raise ValueError(
            "Each of the terms of ColumnKernel must be a tuple (kernel, columns) or (kernel, "
            f"columns, gamma). Got {term!r}."
        )
    kernel, columns, gamma = term if len(term) == 3 else (*term, None)
    if not isinstance(kernel, str) or kernel not in _KERNELS:
        raise ValueError(
            f"The kernel of a term of ColumnKernel must be one of {sorted(_KERNELS)}. Got "
            f"{kernel!r}."
        )
    if gamma is not None and not _KERNELS[kernel][0]:
        raise ValueError(f"The kernel {kernel!r} has no gamma. Got {term!r}.")
    columns = _indices(columns, n_features)
    if gamma is None:
        gamma = 1.0 / len(columns)
    elif isinstance(gamma, bool) or not (isinstance(gamma, Real) and 0 <= gamma < np.inf):
        raise ValueError(
            f"gamma of a term of ColumnKernel must be a finite number that is not negative. Got "
            f"{gamma!r} for {kernel!r}."
        )
    return kernel, columns, float(gamma)


def _indices(columns, n_features):
    """Return the columns of a group as an array of indices."""
    if isinstance(columns, slice):
        indices = np.arange(n_features)[columns]
    elif isinstance(columns, Integral) and not isinstance(columns, bool):
        indices = np.array([columns])
    else:
        indices = np.asarray(columns)
        if indices.ndim != 1 or indices.size and indices.dtype.kind not in "iu":
            raise ValueError(
                "Columns of ColumnKernel must be indices: an int, a slice or a list of int. Got "
                f"{columns!r}."
            )
    if not indices.size:
        raise ValueError(f"Each term of ColumnKernel needs columns. Got {columns!r}.")
    outside = indices[(indices < 0) | (indices >= n_features)]
    if outside.size:
        raise ValueError(
            f"ColumnKernel has the column {outside[0]}, but X has {n_features} features; columns "
            "are counted from 0."
        )
    if len(np.unique(indices)) < len(indices):
        raise ValueError(f"A group of ColumnKernel has a column twice: {columns!r}.")
    return indices.astype(np.intp)


def _indexable(X, name):
    """Return samples as an array or CSR matrix; values of any type, which are checked later."""
    options = {"accept_sparse": "csr", "dtype": None, "ensure_all_finite": False}
    return check_array(with_valid_indices(X, name), **options, input_name=name)
