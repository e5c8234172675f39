"""Model files: JSON and arrays in a zip archive, without pickles."""

import json
import os
import zipfile
from contextlib import contextmanager

import numpy as np
import sklearn

from ._atomic_dump import atomic_file
from ._plain_values import ContentError, Decoder, Encoder, class_name
from ._version import __version__

__all__ = ["load_model", "read_header", "save_model"]

# Number of the format of model files, increased when their fields change.
_FORMAT = 1
_DOCUMENT = "model.json"
# Fields of the document besides the format, which is checked first.
_FIELDS = ("sklearn_online_svm", "sklearn", "class", "model")


def save_model(model, path):
    """Store an estimator in a file without pickles.

    The file contains numbers, strings and arrays, and names of classes. Loading it runs no code
    from the file, unlike a pickle or a joblib file. The cache of a pipeline (``memory``) is not
    stored.

    Read more in the :ref:`user guide <model_files>`.

    Parameters
    ----------
    model : estimator
        An estimator of this package, fitted or not, or a pipeline of scikit-learn transformers
        that ends in one.
    path : str or path-like
        File to write, by convention with the extension ``.npz``. An existing file is replaced
        atomically.

    Raises
    ------
    ValueError
        If the estimator or one of its attributes cannot be stored: a function, such as a callable
        kernel, callbacks, a data frame, or an object of a class that is not listed in the guide.
        An existing file is left unchanged.

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
    >>> path = os.path.join(tempfile.mkdtemp(), "banana.npz")
    >>> save_model(LASVC(gamma=1.0, random_state=0).fit(X[:200], y[:200]), path)
    >>> model = load_model(path)
    >>> model = model.partial_fit(X[200:], y[200:])
    >>> model.n_samples_seen_
    400
    """
    encoder, reason = Encoder(), None
    try:
        code = encoder.encode(model, "")
    except TypeError as error:
        reason = str(error)
    if reason is None and class_name(type(model)) is None:
        reason = "it is not an estimator"
    if reason is not None:
        raise ValueError(
            f"{type(model).__name__} cannot be stored in {os.fspath(path)}: {reason}. Model files "
            "contain numbers, strings, arrays, estimators of sklearn_online_svm, and some of "
            "scikit-learn. Store it with joblib."
        )
    header = {
        "format": _FORMAT,
        "sklearn_online_svm": __version__,
        "sklearn": sklearn.__version__,
        "class": type(model).__name__,
    }
    document = json.dumps({**header, "model": code}, allow_nan=False)
    with (
        atomic_file(path) as file,
        zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive,
    ):
        # Members opened by name have no time: equal models give equal files.
        with archive.open(_DOCUMENT, "w") as member:
            member.write(document.encode())
        for k, array in enumerate(encoder.arrays):
            with archive.open(f"{k}.npy", "w", force_zip64=True) as member:
                np.lib.format.write_array(member, array, allow_pickle=False)


def load_model(path):
    """Load an estimator that :func:`save_model` has stored.

    It predicts and continues training exactly like the stored estimator. Only instances of classes
    in a fixed list are created: those of this package, and transformers of scikit-learn. The
    parameter ``memory`` of pipelines is None.

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
        If the file is not a model file, is damaged or incomplete, has been written by a later
        version in a newer format, or contains an object of another class. No other error is raised
        for the content of a file. The message has the path and the reason.
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
    with _reading(path) as archive:
        model = Decoder(lambda k: _array(archive, k)).decode(_document(archive)["model"])
        if class_name(type(model)) is None:
            raise ContentError(f"it contains {model!r:.60}, which is not an estimator")
        return model


def read_header(path):
    """Return the format, the versions and the class of a model file."""
    with _reading(path) as archive:
        document = _document(archive)
        del document["model"]
        return document


@contextmanager
def _reading(path):
    """Yield the archive of a model file; errors get its path."""
    path = os.fspath(path)
    with open(path, "rb") as file:
        try:
            with zipfile.ZipFile(file) as archive:
                yield archive
        except ContentError as error:
            reason = str(error).rstrip(".")
        except Warning:  # a filter turns warnings into errors
            raise
        except Exception as error:  # whatever wrong bytes and values cause
            reason = f"it is damaged, incomplete, or not a model file ({error!r:.200})"
        else:
            return
    raise ValueError(f"{path} cannot be loaded: {reason}.")


def _document(archive):
    """Return the document of a model file in the format of this version."""
    if _DOCUMENT not in archive.namelist():
        raise ContentError(f"it is not a model file, as it has no {_DOCUMENT}")
    document = json.loads(archive.read(_DOCUMENT))
    if not isinstance(document, dict) or type(document.get("format")) is not int:
        raise ContentError("it is not a model file, as it has no format number")
    if document["format"] != _FORMAT:
        raise ContentError(
            f"it has the format {document['format']} of sklearn-online-svm "
            f"{document.get('sklearn_online_svm')!s:.20}, and version {__version__} reads format "
            f"{_FORMAT}. Load it with the version that stored it"
        )
    missing = [name for name in _FIELDS if name not in document]
    if missing:
        raise ContentError(f"it is damaged: {_DOCUMENT} has no {missing[0]!r}")
    return document


def _array(archive, number):
    with archive.open(f"{number}.npy") as member:
        array = np.lib.format.read_array(member, allow_pickle=False)
        if member.read(1):  # at the end, the checksum of the archive is compared
            raise ContentError(f"it is damaged: {number}.npy is longer than its array")
        return array
