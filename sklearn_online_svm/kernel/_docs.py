"""Descriptions of parameters and attributes that several kernel models have in common."""

from .._estimator import filled_docs


def with_shared_docs(cls):
    """Replace placeholders such as ``$kernel`` in the docstring of a class."""
    return filled_docs(cls, _SHARED)


_SHARED = {
    "degree": """degree : int, default=3
    Degree of the polynomial kernel function ("poly"). Ignored by all other kernels.""",
    "coef0": """coef0 : float, default=0.0
    Independent term in the kernel function. Only significant in "poly" and "sigmoid".""",
    "gamma_in_use": """gamma_ : float
    Value of gamma in use.""",
    "features": """n_features_in_ : int
    Number of features seen during fit.
feature_names_in_ : ndarray of shape (n_features,)
    Names of the features seen during fit. Defined only when X has string column names.""",
    "epochs": """max_iter : int, default=1
    Maximum number of passes over the training data (epochs) in ``fit``. ``partial_fit``
    always runs one.
tol : float or None, default=1e-3
    Stopping criterion of ``fit``. If it is not None, training stops when the average loss of
    an epoch is greater than best_loss - tol for ``n_iter_no_change`` consecutive epochs. None:
    run ``max_iter`` epochs.
n_iter_no_change : int, default=5
    Number of epochs without improvement to wait before ``fit`` stops.
shuffle : bool, default=True
    Whether ``fit`` shuffles the samples before each epoch. ``partial_fit`` never shuffles.
verbose : int, default=0
    Verbosity. 1 prints a line per epoch.
n_jobs : int or None, default=None
    Number of threads for predictions. Training uses one thread.""",
    "class_weight": """class_weight : dict, "balanced" or None, default=None
    Weights associated with classes; the weight of a sample is that of its class times its
    ``sample_weight``. Classes that are not in the dict have weight one. ``"balanced"``
    (``fit`` only) uses weights inversely proportional to class frequencies,
    ``n_samples / (n_classes * n_c)``, with sample weights counted as frequencies. See Notes
    for the effect of weights.""",
    "counts": """n_iter_ : int
    Number of epochs run by ``fit``; 1 after ``partial_fit``.
n_samples_seen_ : int
    Number of samples seen since ``fit`` was last called, each counted once.
t_ : float
    1 + the number of training samples processed since ``fit`` was last called, counted in
    every epoch.
n_updates_ : int
    Number of updates since ``fit`` was last called, in all epochs.""",
    "kernel_evaluations": """n_kernel_evaluations_ : int
    Number of kernel values computed for training.""",
    "kernel": """kernel : str, ColumnKernel or callable, default="rbf"
    Kernel type to be used in the algorithm: ``"linear"``, ``"poly"``, ``"rbf"``,
    ``"sigmoid"``, ``"laplacian"``, ``"chi2"``, ``"intersection"``, ``"tanimoto"`` or
    ``"cosine"``, see :ref:`kernels`; a :class:`ColumnKernel` for columns of different types;
    ``"precomputed"``; or a callable. A callable takes two matrices of samples, dense or
    sparse, and returns the matrix of kernel values; it is called once per block of samples.
    With ``"precomputed"``, X is the kernel matrix: square in ``fit``, test samples by training
    samples in ``predict``; ``partial_fit`` is then not available, because the samples
    themselves are unknown.""",
    "gamma": """gamma : {"scale", "auto"} or float, default="scale"
    Kernel coefficient for "rbf", "poly", "sigmoid", "laplacian" and "chi2". ``"scale"`` uses
    ``1 / (n_features * X.var())``, or ``X.std()`` in place of ``X.var()`` for "laplacian" and
    "chi2", with the variance weighted by ``sample_weight`` (1.0 if the variance is 0);
    ``"auto"`` uses ``1 / n_features``. In ``partial_fit``, gamma is computed from the first
    chunk and then kept.""",
    "cache_size": """cache_size : float, default=500
    Size of the kernel cache (in MB). A cache that is too small increases the training time,
    but does not change the result; with more than 16 000 support vectors it may, within
    ``tol``.""",
}
