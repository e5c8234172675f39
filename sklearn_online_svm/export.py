"""Formats in which fitted models are stored and exchanged."""

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.utils.validation import check_is_fitted

from . import active, kernel, linear, model_selection

__all__ = ["save_libsvm", "trusted_types"]

_KERNELS = {"linear": "linear", "poly": "polynomial", "rbf": "rbf", "sigmoid": "sigmoid"}


def trusted_types():
    """Return the names of all classes of this package, for ``skops.io.load``.

    skops loads a model only if every type in the file is trusted. With these names it loads any
    estimator of this package; do so only with files from a source that you trust.

    Returns
    -------
    names : list of str
        Values for the parameter ``trusted`` of ``skops.io.load`` and ``skops.io.loads``.

    Examples
    --------
    >>> from sklearn_online_svm.export import trusted_types
    >>> "sklearn_online_svm.kernel._lasvc.LASVC" in trusted_types()
    True
    """
    kinds = [
        getattr(module, name)
        for module in (kernel, linear, active, model_selection)
        for name in module.__all__
    ]
    return sorted(f"{c.__module__}.{c.__qualname__}" for c in kinds if isinstance(c, type))


def save_libsvm(model, path):
    """Store a kernel classifier for two classes as a model file of LIBSVM.

    ``svm-predict``, and the libraries that read such files, then give the same predictions.
    Numbers are written with all digits.

    Parameters
    ----------
    model : estimator
        Fitted kernel classifier with a linear, polynomial, rbf or sigmoid kernel and two classes,
        labelled by integers. With more classes the format requires one-vs-one models, and the
        models of this package are one-vs-rest.
    path : str or path-like
        File to write.

    Raises
    ------
    NotFittedError
        If the model is not fitted.
    ValueError
        If the model has more than two classes, labels other than integers, another kernel, or no
        single kernel expansion (``average="vote"``).

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from sklearn_online_svm import LASVC
    >>> from sklearn_online_svm.datasets import make_banana_like
    >>> from sklearn_online_svm.export import save_libsvm
    >>> X, y = make_banana_like(200, random_state=0)
    >>> model = LASVC(gamma=1.0, random_state=0).fit(X, y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "banana.model"
    ...     save_libsvm(model, path)
    ...     print("".join(path.read_text().splitlines(keepends=True)[:3]), end="")
    svm_type c_svc
    kernel_type rbf
    gamma 1.0
    """
    check_is_fitted(model)
    name = type(model).__name__
    if not hasattr(model, "support_vectors_") or getattr(model, "average", None) == "vote":
        raise ValueError(f"{name} is not a single kernel expansion: LIBSVM has no such model.")
    if not isinstance(model.kernel, str) or model.kernel not in _KERNELS:
        raise ValueError(f"LIBSVM cannot store a model with kernel={model.kernel!r}.")
    labels = model.classes_
    if len(labels) != 2 or labels.dtype.kind not in "iu":
        raise ValueError(
            "A model file of LIBSVM requires two classes that are integers, got "
            f"{labels.tolist()[:5]}."
        )
    vectors = csr_matrix(model.support_vectors_)
    coef = model.dual_coef_.ravel()
    # The first label is that of positive decision values, and its support vectors come first.
    order = np.argsort(coef < 0, kind="stable")
    n_positive = np.count_nonzero(coef >= 0)
    lines = ["svm_type c_svc", f"kernel_type {_KERNELS[model.kernel]}"]
    if model.kernel == "poly":
        lines.append(f"degree {model.degree}")
    if model.kernel != "linear":
        lines.append(f"gamma {float(model.gamma_)!r}")
    if model.kernel in ("poly", "sigmoid"):
        lines.append(f"coef0 {float(model.coef0)!r}")
    lines += [
        "nr_class 2",
        f"total_sv {len(coef)}",
        f"rho {-float(model.intercept_[0])!r}",
        f"label {labels[1]} {labels[0]}",
        f"nr_sv {n_positive} {len(coef) - n_positive}",
        "SV",
    ]
    for i in order:
        row = slice(vectors.indptr[i], vectors.indptr[i + 1])
        pairs = zip(vectors.indices[row].tolist(), vectors.data[row].tolist(), strict=True)
        terms = [f"{index + 1}:{value!r}" for index, value in sorted(pairs)]
        lines.append(" ".join([repr(float(coef[i])), *terms]))
    with open(path, "w", encoding="ascii") as file:
        file.write("\n".join(lines) + "\n")
