"""Formats in which fitted models are stored and exchanged."""

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.utils.validation import check_is_fitted

from . import active, calibration, kernel, linear, model_selection, pipeline

__all__ = ["load_libsvm", "save_libsvm", "trusted_types"]

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
        for module in (kernel, linear, active, calibration, model_selection, pipeline)
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


def load_libsvm(path, n_features=None, C=None):
    """Read a model file of LIBSVM as a ``LASVC`` that can be trained further.

    The model starts with the support vectors and coefficients of the file, so its predictions are
    those of LIBSVM to within the tolerance ``tol`` of both. ``partial_fit`` continues from there.
    If all coefficients equal C, the bias is not unique, and may differ from that of the file.

    Parameters
    ----------
    path : str or path-like
        A classification model (``c_svc``) for two classes.
    n_features : int, default=None
        Number of features. None: the largest index in the file.
    C : float, default=None
        Regularization parameter with which the model was trained; the file does not contain it.
        None: the largest coefficient, which is C if any sample is on the wrong side of its margin.

    Returns
    -------
    model : LASVC
        Fitted model; ``n_samples_seen_`` is the number of its support vectors.

    Raises
    ------
    ValueError
        If the file is not a classification model for two classes with a linear, polynomial, rbf or
        sigmoid kernel, or `n_features` or `C` is too small for it.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from sklearn_online_svm import LASVC
    >>> from sklearn_online_svm.datasets import make_banana_like
    >>> from sklearn_online_svm.export import load_libsvm, save_libsvm
    >>> X, y = make_banana_like(400, random_state=0)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "banana.model"
    ...     save_libsvm(LASVC(gamma=1.0, random_state=0).fit(X[:200], y[:200]), path)
    ...     model = load_libsvm(path)
    >>> model = model.partial_fit(X[200:], y[200:])
    >>> bool(model.score(X, y) > 0.88)
    True
    """
    fields, coef, terms = _read_libsvm(path)
    if fields.get("svm_type") != "c_svc" or fields.get("nr_class") != "2":
        raise ValueError(
            f"{path} is not a classification model for two classes: svm_type is "
            f"{fields.get('svm_type')!r} and nr_class {fields.get('nr_class')!r}."
        )
    kernels = {theirs: name for name, theirs in _KERNELS.items()}
    if fields.get("kernel_type") not in kernels:
        raise ValueError(f"{path} has the unknown kernel_type {fields.get('kernel_type')!r}.")
    least = max((index for row in terms for index, _ in row), default=1)
    n_features = least if n_features is None else n_features
    if n_features < least:
        raise ValueError(f"n_features={n_features}, but {path} has values of feature {least}.")
    largest = np.abs(coef).max()
    if C is not None and largest > C:
        raise ValueError(f"C={C}, but {path} has a coefficient of {largest}.")
    X = np.zeros((len(coef), n_features))
    for x, row in zip(X, terms, strict=True):
        for index, value in row:
            x[index - 1] = value
    positive, negative = map(int, fields["label"].split())
    model = kernel.LASVC(
        C=float(largest if C is None else C),
        kernel=kernels[fields["kernel_type"]],
        degree=int(fields.get("degree", 3)),
        gamma=float(fields.get("gamma", 1.0)),
        coef0=float(fields.get("coef0", 0.0)),
    )
    # The file is sorted by class; a stream is not.
    order = np.random.default_rng(0).permutation(len(coef))
    X, coef = X[order], coef[order]
    y, alpha = np.where(coef > 0, positive, negative), coef * np.sign(positive - negative)
    return model._start_from(X, y, np.sort([positive, negative]), alpha)


def _read_libsvm(path):
    """Return the fields of the header, the coefficients, and (index, value) of each vector."""
    with open(path, encoding="ascii") as file:
        head, mark, body = file.read().partition("\nSV\n")
    if not mark:
        raise ValueError(f"{path} is not a model file of LIBSVM: it has no line 'SV'.")
    fields = dict(line.split(" ", 1) for line in head.splitlines())
    rows = [line.split() for line in body.splitlines()]
    pairs = [[term.split(":") for term in row[1:]] for row in rows]
    terms = [[(int(index), float(value)) for index, value in row] for row in pairs]
    return fields, np.array([float(row[0]) for row in rows]), terms
