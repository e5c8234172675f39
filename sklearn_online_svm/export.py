"""Formats in which fitted models are stored and exchanged."""

import os
from importlib import import_module
from itertools import pairwise
from numbers import Integral, Real
from pkgutil import walk_packages

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.base import BaseEstimator, is_classifier
from sklearn.utils.validation import check_is_fitted

from . import kernel
from ._atomic_dump import atomic_file
from ._optional import import_optional
from ._sklearn_compat import Interval, validate_params
from .kernel._training import start_from

__all__ = ["load_libsvm", "load_model", "save_libsvm", "save_model", "trusted_types"]

_KERNELS = {"linear": "linear", "poly": "polynomial", "rbf": "rbf", "sigmoid": "sigmoid"}
# Types of fitted attributes that are not public, and that skops does not trust, by module.
_STATE_TYPES = {
    f"{__package__}.partitioned._cells": ("_SingleClass",),
    f"{__package__}.partitioned._stream": ("CellStream", "StoredSamples"),
    f"{__package__}.partitioned._tree": ("CellTree",),
    "scipy.sparse._csr": ("csr_array", "csr_matrix"),
}


def trusted_types():
    """Return the names of all types of fitted estimators, for ``skops.io.load``.

    skops loads a model only if every type in the file is trusted. With these names it loads any
    estimator of this package except :class:`~sklearn_online_svm.model_selection.ProgressiveSearch`
    (store its ``best_estimator_``); do so only with files from a source that you trust.

    Returns
    -------
    names : list of str
        Values for the parameter ``trusted`` of ``skops.io.load`` and ``skops.io.loads``.

    Notes
    -----
    The list has the public classes of the package except callbacks, the classes of their fitted
    attributes, and the CSR matrices of SciPy. skops itself trusts the types of scikit-learn and
    NumPy. If a parameter has another type, such as a kernel function, loading raises an error with
    its name.

    Examples
    --------
    >>> from sklearn_online_svm.export import trusted_types
    >>> "sklearn_online_svm.kernel._lasvc.LASVC" in trusted_types()
    True
    """
    package = import_module(__package__)
    modules = [package]
    for found in walk_packages(package.__path__, f"{__package__}."):
        # Callbacks may write files. Importing onnx would register converters; it has no classes.
        left_out = (f"{__package__}.callbacks", f"{__package__}.onnx")
        if "._" not in found.name and found.name not in left_out:
            modules.append(import_module(found.name))
    offered = [getattr(module, name) for module in modules for name in module.__all__]
    names = {f"{c.__module__}.{c.__qualname__}" for c in offered if isinstance(c, type)}
    names.add(f"{__package__}.kernel._virtual_sampler.VirtualSampler")  # needs another package
    names |= {f"{module}.{name}" for module, of in _STATE_TYPES.items() for name in of}
    return sorted(names)


def save_model(model, path):
    """Store an estimator in a file of skops, without pickles.

    Loading it runs no code from the file, unlike a pickle or a joblib file. It can be loaded by
    :func:`load_model`, or by ``skops.io.load`` with :func:`trusted_types`. Needs skops:
    ``pip install skops``.

    Read more in the :ref:`user guide <model_files>`.

    Parameters
    ----------
    model : estimator
        An estimator of this package, fitted or not, or a pipeline of scikit-learn transformers
        that ends in one.
    path : str or path-like
        File to write, by convention with the extension ``.skops``. An existing file is replaced
        atomically.

    Raises
    ------
    ImportError
        If skops is not installed.
    ValueError
        If the estimator contains an object that :func:`load_model` would refuse, such as a
        callable kernel, callbacks, or a transformer of another package. An existing file is left
        unchanged.

    See Also
    --------
    load_model : Load the file.

    Examples
    --------
    >>> import os, tempfile
    >>> from sklearn_online_svm import LASVC
    >>> from sklearn_online_svm.datasets import make_banana_like
    >>> from sklearn_online_svm.export import load_model, save_model
    >>> X, y = make_banana_like(400, random_state=0)
    >>> path = os.path.join(tempfile.mkdtemp(), "banana.skops")
    >>> save_model(LASVC(gamma=1.0, random_state=0).fit(X[:200], y[:200]), path)
    >>> model = load_model(path)
    >>> model = model.partial_fit(X[200:], y[200:])
    >>> model.n_samples_seen_
    400
    """
    skops_io = import_optional("skops.io", "save_model")
    reason, content = None, None
    if not isinstance(model, BaseEstimator):
        reason = "it is not an estimator"
    else:
        try:
            content = skops_io.dumps(model)
        except Exception as error:  # skops has no common class of errors
            reason = str(error)
        else:
            known = trusted_types()
            unknown = [n for n in skops_io.get_untrusted_types(data=content) if n not in known]
            if unknown:
                reason = f"load_model would refuse the types {', '.join(unknown)}"
    if reason is not None:
        raise ValueError(
            f"{type(model).__name__} cannot be stored in {os.fspath(path)}: {reason}. Store it "
            "with joblib."
        )
    with atomic_file(path) as file:
        file.write(content)


def load_model(path):
    """Load an estimator that :func:`save_model` has stored.

    It predicts and continues training exactly like the stored estimator. Only objects of the types
    in :func:`trusted_types`, and of those of scikit-learn and NumPy that skops trusts, are
    created. Needs skops: ``pip install skops``.

    Read more in the :ref:`user guide <model_files>`.

    Parameters
    ----------
    path : str or path-like
        File to read.

    Returns
    -------
    model : estimator
        The estimator.

    Raises
    ------
    ImportError
        If skops is not installed.
    ValueError
        If the file is not a model file, is damaged or incomplete, or contains an object of another
        type. No other error is raised for the content of a file. The message has the path and the
        reason.
    OSError
        If the file cannot be read.

    Warns
    -----
    InconsistentPackageWarning
        If the file has been written by another version of this package or of scikit-learn.

    See Also
    --------
    save_model : Store an estimator; with an example.
    """
    skops_io, path = import_optional("skops.io", "load_model"), os.fspath(path)
    with open(path, "rb") as file:
        content = file.read()
    try:
        model = skops_io.loads(content, trusted=trusted_types())
        reason = None if isinstance(model, BaseEstimator) else "it contains no estimator"
    except (MemoryError, Warning):  # a filter may turn warnings into errors
        raise
    except Exception as error:  # whatever wrong bytes and values cause
        reason = f"{error or type(error).__name__}".rstrip(".")
    if reason is not None:
        raise ValueError(f"{path} cannot be loaded: {reason}.")
    return model


def save_libsvm(model, path, *, label=None):
    """Store a kernel classifier as a model file of LIBSVM.

    ``svm-predict``, and the libraries that read such files, then give the same predictions.
    Numbers are written with all digits.

    Parameters
    ----------
    model : estimator
        Fitted kernel classifier with a linear, polynomial, rbf or sigmoid kernel.
    path : str or path-like
        File to write.
    label : label, default=None
        None: store a model for two classes, labelled by integers. A class of the model: store the
        problem of this class against all others. Its labels in the file are 1 and -1, and its
        decision values are those of this class. With more than two classes the format requires
        one-vs-one models, and the models of this package are one-vs-rest, so one file is written
        for each class.

    Raises
    ------
    NotFittedError
        If the model is not fitted.
    ValueError
        If `label` is None and the model has more than two classes or labels other than integers,
        or is not a class of the model; if the model is not a classifier, has another kernel, or no
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
    if not is_classifier(model):
        raise ValueError(f"save_libsvm stores classifiers, and {name} is none.")
    if not isinstance(model.kernel, str) or model.kernel not in _KERNELS:
        raise ValueError(f"LIBSVM cannot store a model with kernel={model.kernel!r}.")
    coef, bias, labels = _problem_of(model, label)
    members = np.flatnonzero(coef)
    coef, vectors = coef[members], csr_matrix(model.support_vectors_)[members]
    # The first label is that of positive decision values, and its support vectors come first.
    order = np.argsort(coef < 0, kind="stable")
    n_positive = np.count_nonzero(coef > 0)
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
        f"rho {-float(bias)!r}",
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


def _problem_of(model, label):
    """Return coefficients, bias and (negative, positive) labels of a binary problem."""
    classes = model.classes_
    if label is None:
        if len(classes) != 2 or classes.dtype.kind not in "iu":
            raise ValueError(
                "A model file of LIBSVM requires two classes that are integers, got "
                f"{classes.tolist()[:5]}. Write one file for each class, with label=."
            )
        return model.dual_coef_[0], model.intercept_[0], classes
    if label not in (labels := classes.tolist()):
        raise ValueError(f"label={label!r} is not a class of the model: {labels[:5]}.")
    at = labels.index(label)
    # Decision values for two classes are those of the second one.
    problem, sign = (0, 2 * at - 1) if len(labels) == 2 else (at, 1)
    return sign * model.dual_coef_[problem], sign * model.intercept_[problem], (-1, 1)


@validate_params(
    {
        "n_features": [Interval(Integral, 1, 2**31 - 1, closed="both"), None],
        "C": [Interval(Real, 0.0, None, closed="right"), None],
    },
    prefer_skip_nested_validation=True,
)
def load_libsvm(path, n_features=None, C=None):
    """Read a model file of LIBSVM as a ``LASVC`` that can be trained further.

    The model starts with the support vectors and coefficients of the file, so its predictions are
    those of LIBSVM to within the tolerance ``tol`` of both. ``partial_fit`` continues from there.
    If all coefficients equal C, the bias is not unique, and may differ from that of the file.
    Parameters of LIBSVM's probabilities in the file (``probA``, ``probB``) are not used.

    Parameters
    ----------
    path : str or path-like
        A classification model (``c_svc``) for two classes.
    n_features : int, default=None
        Number of features. None: the largest index in the file. If fewer than a quarter of the
        values are given, the model stores its support vectors as a CSR matrix.
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
        sigmoid kernel; if it is damaged, or its coefficients do not sum to 0, as those of a model
        with a bias do; if `n_features` or `C` is too small for it.

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
    least = max((index for row in terms for index, _ in row), default=1)
    n_features = least if n_features is None else n_features
    if n_features < least:
        raise ValueError(f"n_features={n_features}, but {path} has values of feature {least}.")
    largest = np.abs(coef).max()
    if C is not None and largest > C:
        raise ValueError(f"C={C}, but {path} has a coefficient of {largest}.")
    X = _stacked(terms, n_features)
    positive, negative = fields["label"]
    model = kernel.LASVC(
        C=float(largest if C is None else C),
        kernel=fields["kernel_type"],
        degree=fields.get("degree", 3),
        gamma=fields.get("gamma", 1.0),
        coef0=fields.get("coef0", 0.0),
    )
    # The file is sorted by class; a stream is not.
    order = np.random.default_rng(0).permutation(len(coef))
    X, coef = X[order], coef[order]
    y, alpha = np.where(coef > 0, positive, negative), coef * np.sign(positive - negative)
    return start_from(model, X, y, np.sort([positive, negative]), alpha)


def _stacked(terms, n_features):
    """Return the samples as a CSR matrix, or as an array if few values are zero."""
    indptr = np.cumsum([0, *map(len, terms)])
    indices = [index - 1 for row in terms for index, _ in row]
    data = [value for row in terms for _, value in row]
    X = csr_matrix((data, indices, indptr), shape=(len(terms), n_features), dtype=np.float64)
    return X.toarray() if 4 * X.nnz >= len(terms) * n_features else X


def _read_libsvm(path):
    """Return the fields of the header, the coefficients, and (index, value) of each vector."""
    # Other characters are errors in their line.
    with open(path, encoding="ascii", errors="replace") as file:
        lines = file.read().splitlines()
    if "SV" not in lines:
        raise ValueError(f"{path} is not a model file of LIBSVM: it has no line 'SV'.")
    start = lines.index("SV") + 1
    text = dict(line.partition(" ")[::2] for line in lines[: start - 1])
    if text.get("svm_type") != "c_svc" or text.get("nr_class") != "2":
        raise ValueError(
            f"{path} is not a classification model (c_svc) for two classes: svm_type is "
            f"{text.get('svm_type')!r} and nr_class {text.get('nr_class')!r}."
        )
    kernels = {theirs: ours for ours, theirs in _KERNELS.items()}
    if text.get("kernel_type") not in kernels:
        raise ValueError(
            f"{path} has kernel_type {text.get('kernel_type')!r}; "
            f"only {', '.join(kernels)} can be read."
        )
    fields = {"kernel_type": kernels[text["kernel_type"]]}
    for name, read in _FIELDS.items():
        try:
            if name in text or name in ("label", "total_sv"):
                fields[name] = read(text[name])
        except (KeyError, ValueError):
            raise ValueError(f"{path} has no valid {name}: {text.get(name)!r}.") from None
    coef, terms = [], []
    for number, line in enumerate(lines[start:], start + 1):
        try:
            first, *pairs = line.split()
            coef.append(_finite(first))
            row = [pair.split(":") for pair in pairs]
            terms.append([(_index(index), _finite(value)) for index, value in row])
            if any(a >= b for (a, _), (b, _) in pairwise(terms[-1])):
                raise ValueError
        except ValueError:
            raise ValueError(
                f"{path}, line {number}, is not a coefficient with a support vector: {line!r:.80}."
            ) from None
    if len(coef) != fields["total_sv"] or not coef:
        raise ValueError(
            f"{path} has {len(coef)} support vectors and total_sv {fields['total_sv']}."
        )
    coef = np.array(coef)
    if abs(coef.sum()) > 1e-6 * np.abs(coef).sum():
        raise ValueError(
            f"The coefficients in {path} sum to {coef.sum():.3g}, not to 0: it is not the model "
            "of a support vector machine with a bias."
        )
    return fields, coef, terms


def _finite(text):
    value = float(text)
    if not np.isfinite(value):
        raise ValueError
    return value


def _index(text):
    index = int(text)
    if not 1 <= index < 2**31:
        raise ValueError
    return index


def _labels(text):
    positive, negative = map(int, text.split())
    if max(abs(positive), abs(negative)) >= 2**63:
        raise ValueError
    return positive, negative


_FIELDS = {
    "label": _labels,
    "total_sv": int,
    "degree": int,
    "gamma": _finite,
    "coef0": _finite,
}
