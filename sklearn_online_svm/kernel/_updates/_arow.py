"""KernelAROWClassifier: AROW with a kernel."""

from functools import partial
from numbers import Integral, Real

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..._estimator import store_parameters
from ..._feature_space import Kernel
from ..._sklearn_compat import Interval, available_if
from ..._updates import UpdateSpec, plan_of
from ..._validation import check_samples
from .._docs import with_shared_docs
from .._plan import is_precomputed
from ._base import KernelUpdateClassifier
from ._expansion import ExpansionSpec, ExpansionState

# Number of samples whose variances are computed at a time.
_BLOCK = 1024


@with_shared_docs
class KernelAROWClassifier(KernelUpdateClassifier):
    r"""Classifier with adaptive regularization of weights (AROW) and a kernel.

    Kernel version of :class:`AROWClassifier` with a full covariance, for streams of any length.
    A dictionary of at most ``max_support_vectors`` samples spans a space of functions; the
    coefficients of all of them, and their covariance, are updated with each sample of positive
    loss. So samples that come after the dictionary is complete still improve the model, without
    becoming support vectors. Read more in the :ref:`user guide <kernel_arow>`.

    Parameters
    ----------
    r : float, default=0.1
        Regularization parameter, the variance of the noise relative to K(x, x). With a larger
        value the steps are shorter and the variances shrink more slowly.
    forgetting_factor : float, default=0.99999
        Factor in [0.001, 1] by which the model approaches its initial state before each sample, so
        that it follows concept drift: the weight of a sample is halved after
        :math:`\log 2 / (1 - \lambda)` samples, with the default 69 000. 1.0 weights all samples
        equally; with drift such a model becomes unable to change.
    kernel : str, ColumnKernel or callable, default="rbf"
        Kernel type to be used in the algorithm: ``"linear"``, ``"poly"``, ``"rbf"``,
        ``"laplacian"``, ``"chi2"``, ``"intersection"``, ``"tanimoto"`` or ``"cosine"``, see
        :ref:`kernels`; a :class:`ColumnKernel` for columns of different types; ``"precomputed"``;
        or a callable, which must be positive definite. A callable takes two matrices of samples,
        dense or sparse, and returns the matrix of kernel values; it is called once per block of
        samples. With ``"precomputed"``, X is the kernel matrix: square in ``fit``, test samples by
        training samples in ``predict``; ``partial_fit`` is then not available, because the samples
        themselves are unknown.
    $degree
    gamma : {"scale", "auto"} or float, default="scale"
        Kernel coefficient for "rbf", "poly", "laplacian" and "chi2". ``"scale"`` uses ``1 /
        (n_features * X.var())``, or ``X.std()`` in place of ``X.var()`` for "laplacian" and
        "chi2", with the variance weighted by ``sample_weight`` (1.0 if the variance is 0);
        ``"auto"`` uses ``1 / n_features``. In ``partial_fit``, gamma is computed from the first
        chunk and then kept.
    coef0 : float, default=0.0
        Independent term in the kernel function. Only significant in "poly".
    max_support_vectors : int, default=500
        Maximum size B of the dictionary. Memory and time per sample are proportional to B squared
        (for each class, if there are more than two).
    $replay_size
    $epochs
    $class_weight

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    support_ : ndarray of shape (n_SV,)
        Indices of the samples of the dictionary: positions in X, or in the stream after
        ``partial_fit``.
    support_vectors_ : {ndarray, csr_matrix} of shape (n_SV, n_features)
        The dictionary, grouped by class.
    n_support_ : ndarray of shape (n_classes,), dtype=int32
        Number of samples of each class in the dictionary.
    dual_coef_ : ndarray of shape (1, n_SV) or (n_classes, n_SV)
        Coefficients of the dictionary in the decision function.
    $no_intercept
    $counts

    See Also
    --------
    AROWClassifier : Linear version.
    KernelPassiveAggressiveClassifier : First-order updates; each becomes a support vector.
    LASVC : Revisits its support vectors and converges to the solution of ``SVC``.
    sklearn.kernel_approximation.Nystroem : Coordinates for a dictionary drawn in advance.

    Notes
    -----
    **Dictionary** [2]_. A sample with a positive loss joins the dictionary as long as this is not
    full, unless it is nearly a combination of the samples in it: its squared distance from their
    span, :math:`\delta = K(x, x) - \lVert z \rVert^2`, must be larger than
    :math:`10^{-4} K(x, x)`. Here :math:`z = L^{-1} k` are the coordinates of the sample in an
    orthonormal basis of the span, :math:`k` its kernel values with the dictionary, and
    :math:`L L^\top` the Cholesky decomposition of the kernel matrix of the dictionary. A new
    sample appends a coordinate, :math:`\sqrt\delta`, and does not change the others. As the stream
    may be sorted by class, each class keeps its share of the dictionary, B divided by the number
    of classes, until a sample of it has joined.

    **Update** [1]_. With :math:`f(x) = w^\top z`, the margin :math:`m = y f(x)`, and
    :math:`\beta = 1 / (z^\top \Sigma z + \delta + r)`, a sample with :math:`m < 1` leads to

    .. math::

        w \leftarrow w + \beta (1 - m)\, y \Sigma z, \qquad
        \Sigma \leftarrow \Sigma - \beta\, \Sigma z z^\top \Sigma .

    Before each sample, also one without an update, the model approaches its initial state by the
    factor :math:`\lambda` [3]_:

    .. math::

        w \leftarrow \sqrt\lambda\, w, \qquad
        \Sigma \leftarrow \lambda \Sigma + (1 - \lambda) I .

    Initially :math:`w = 0`, and :math:`\Sigma` is the identity, also for new coordinates. The part
    of a sample outside of the span counts as noise of variance :math:`\delta`. With the squared
    loss instead of the hinge loss this would be kernel recursive least squares [2]_.

    **More than two classes.** Each class is trained against the rest. The classes share the
    dictionary.

    **Weights.** A sample of weight u is processed with :math:`r / u` in place of r. Samples that
    are visited again (``replay_size``) stand for all samples of their class: their weight is
    multiplied by the number of these for each stored one.

    $note_on_intercept

    **Chunks.** The model depends on how a stream is divided into chunks by rounding errors only.

    References
    ----------
    .. [1] K. Crammer, A. Kulesza, M. Dredze: Adaptive regularization of weight vectors. NIPS 2009;
       Machine Learning 91, 2013.
    .. [2] Y. Engel, S. Mannor, R. Meir: The kernel recursive least-squares algorithm. IEEE
       Transactions on Signal Processing 52, 2004.
    .. [3] S. Van Vaerenbergh, M. Lázaro-Gredilla, I. Santamaría: Kernel recursive least-squares
       tracker for time-varying regression. IEEE Transactions on Neural Networks and Learning
       Systems 23, 2012.

    Examples
    --------
    >>> from sklearn_online_svm import KernelAROWClassifier
    >>> from sklearn_online_svm.datasets import make_banana_like
    >>> X, y = make_banana_like(5000, random_state=0)
    >>> model = KernelAROWClassifier(gamma=1.0, max_support_vectors=50)
    >>> for start in range(0, 4000, 100):
    ...     chunk = slice(start, start + 100)
    ...     model = model.partial_fit(X[chunk], y[chunk], classes=[-1, 1])
    >>> bool(model.score(X[4000:], y[4000:]) > 0.88)
    True
    >>> int(model.n_support_.sum())
    50
    """

    _parameter_constraints: dict = {
        **KernelUpdateClassifier._parameter_constraints,
        "r": [Interval(Real, 0.0, None, closed="neither")],
        # Its power of 64, the size of a block, must not underflow.
        "forgetting_factor": [Interval(Real, 1e-3, 1.0, closed="both")],
        "max_support_vectors": [Interval(Integral, 1, None, closed="left")],
    }
    _fixed_params = (*KernelUpdateClassifier._fixed_params, "forgetting_factor")
    _adjustable_params = (*KernelUpdateClassifier._adjustable_params, "r")

    def __init__(
        self,
        *,
        r=0.1,
        forgetting_factor=0.99999,
        kernel="rbf",
        degree=3,
        gamma="scale",
        coef0=0.0,
        max_support_vectors=500,
        replay_size=2000,
        max_iter=1,
        tol=1e-3,
        n_iter_no_change=5,
        shuffle=True,
        verbose=0,
        n_jobs=None,
        random_state=None,
        class_weight=None,
    ):
        store_parameters(locals())

    @available_if(lambda self: not is_precomputed(self.kernel))
    def decision_variance(self, X):
        r"""Compute the variance of the decision function, :math:`z^\top \Sigma z + \delta`.

        It is at most K(x, x), which it approaches far from the training samples.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The samples.

        Returns
        -------
        variance : ndarray of shape (n_samples,) or (n_samples, n_classes)
            Variances, in the shape of :meth:`decision_function`.

        Raises
        ------
        NotFittedError
            If the model is not fitted.
        ValueError
            If the input is invalid.
        """
        check_is_fitted(self)
        X = check_samples(self, X, reset=False, dtype=self._state.dtype)
        kernel = Kernel.of(self._state.spec)
        expansion = self._state.expansion
        with expansion.guard.reading():
            vectors, basis, covariance = expansion.vectors, expansion.basis, expansion.covariance
        variance = np.empty((X.shape[0], len(covariance)))
        for first in range(0, X.shape[0], _BLOCK):
            rows = slice(first, first + _BLOCK)
            distance = kernel.diagonal(X[rows])
            Z = np.zeros((len(distance), 0))
            if len(basis):  # no sample joins the dictionary if all are zero
                Z = kernel(X[rows], vectors) @ basis.T
            distance = np.maximum(0.0, distance - np.sum(Z * Z, axis=1))
            for c, S in enumerate(covariance):
                variance[rows, c] = np.maximum(0.0, np.sum((Z @ S) * Z, axis=1)) + distance
        return variance[:, 0] if variance.shape[1] == 1 else variance

    def _plan(self):
        if isinstance(self.kernel, str) and self.kernel == "sigmoid":
            raise ValueError(
                "KernelAROWClassifier needs a positive definite kernel, which kernel='sigmoid' is "
                "not. Use kernel='rbf', or KernelPassiveAggressiveClassifier."
            )
        spec = UpdateSpec(rule={"name": "arow", "r": float(self.r)}, fit_intercept=False)
        expansion = partial(
            ExpansionSpec,
            budget=int(self.max_support_vectors),
            policy="dictionary",
            decay=float(self.forgetting_factor),
        )
        return plan_of(self, spec, ExpansionState, expansion=expansion)
