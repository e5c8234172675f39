"""Formats in which fitted models are stored and exchanged."""

import os
from importlib import import_module
from pkgutil import walk_packages

from sklearn.base import BaseEstimator
from skops import io as skops_io

from ._atomic_dump import atomic_file
from ._libsvm_files import load_libsvm, save_libsvm

__all__ = ["load_libsvm", "load_model", "save_libsvm", "save_model", "trusted_types"]

# Types of fitted attributes that are not public, and that skops does not trust, by module.
_STATE_TYPES = {
    f"{__package__}.kernel._metric._columns": ("Columns",),
    f"{__package__}.cells._cells": ("_SingleClass",),
    f"{__package__}.cells._stream": ("CellStream", "StoredSamples"),
    f"{__package__}.cells._tree": ("CellTree",),
    "scipy.sparse._csr": ("csr_array", "csr_matrix"),
    "sklearn.compose._column_transformer": ("make_column_selector",),
    "numpy": ("dtype", "number"),  # of imputers; loading one makes an empty array
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
    attributes, the CSR matrices of SciPy and NumPy's dtype. skops itself trusts the types of
    scikit-learn and other types of NumPy. If a parameter has another type, such as a kernel
    function, loading raises an error with its name.

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
        left_out = (f"{__package__}.callback", f"{__package__}.onnx")
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
    :func:`load_model`, or by ``skops.io.load`` with :func:`trusted_types`.

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
    reason, content = None, None
    if not isinstance(model, BaseEstimator):
        reason = "it is not an estimator"
    else:
        try:
            content = skops_io.dumps(model)
        except Exception as error:  # skops has no common class of errors
            if isinstance(error.__context__, KeyboardInterrupt):  # zipfile cannot be closed then
                raise error.__context__ from None
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
    created.

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

    Notes
    -----
    A checksum detects damage, but it is not a signature: a file that was written with the intent
    to do harm may have the right checksum, and indices that compiled code does not check. Load
    only files from a source that you trust.
    """
    path = os.fspath(path)
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
