"""Pickles of estimators: versions, a format number and a checksum."""

import warnings
import zlib

import numpy as np
import sklearn
from sklearn.exceptions import InconsistentVersionWarning

from ._base import check_integers
from ._version import __version__

__all__ = ["InconsistentPackageWarning", "Persistent"]

# Versions in a pickle: of this package, and of scikit-learn.
_VERSIONS = ("_package_version", "_sklearn_version")
# Version reported for a pickle without versions.
_UNKNOWN = "of unknown version"
# Attributes of a call of ``fit`` that reports its tasks to callbacks.
_OF_CALL = ("_tasks", "_callback_fit_ctx", "_skl_callbacks_to_teardown", "_parent_callback_ctx")
# Number of the format of pickles, increased when their fields change.
_FORMAT = 3


class InconsistentPackageWarning(InconsistentVersionWarning):
    """Warning that a model was stored by another version of this package or of scikit-learn.

    Parameters
    ----------
    package : str
        Name of the package whose version differs.
    current_version : str
        Version in use.
    original_version : str
        Version that the model was stored by.
    **of_sklearn : dict
        Parameters of :class:`sklearn.exceptions.InconsistentVersionWarning`.
    """

    def __init__(self, *, package, current_version, original_version, **of_sklearn):
        super().__init__(**of_sklearn)
        self.package = package
        self.current_version = current_version
        self.original_version = original_version

    def __str__(self):
        return (
            f"{self.estimator_name} was stored with {self.package} {self.original_version} and is "
            f"loaded with {self.package} {self.current_version}. It may fail, or give other "
            "results; fit it again with this version, or use the one it was stored with."
        )


class Persistent:
    """Mixin of estimators: their pickles have versions, a format number and a checksum.

    A subclass names in ``_state_attribute`` an attribute of fitted models. ``_packed`` returns
    what is stored in place of attributes that are not plain values, numbers, strings and arrays;
    ``_rebuilt`` returns these attributes again. The mixin stands before ``BaseEstimator``.
    """

    def _validate_params(self):
        super()._validate_params()
        check_integers(self)

    def __getstate__(self):
        state = dict(super().__getstate__())
        for name in _OF_CALL:
            state.pop(name, None)
        state.update(zip(_VERSIONS, (__version__, sklearn.__version__), strict=True))
        if self._state_attribute in state:
            state.update(self._packed(state), format=_FORMAT)
            state["checksum"] = self._checksum(state)
        return state

    def __setstate__(self, state):
        state = dict(state)
        versions = [state.pop(name, _UNKNOWN) for name in _VERSIONS]
        if self._state_attribute in state or "checksum" in state:
            found = state.pop("format", None)
            if found != _FORMAT:
                raise ValueError(
                    f"The stored {type(self).__name__} has the format {found!r}, and this version "
                    f"reads format {_FORMAT}. Load it with the version that stored it "
                    f"({versions[0]}), or fit it again."
                )
            if state.pop("checksum", None) != self._checksum(state):
                raise ValueError(
                    f"The stored {type(self).__name__} is damaged: its checksum differs from its "
                    "content. Load another copy, or fit it again."
                )
            state = _native(state)
            state.update(self._rebuilt(state))
        super().__setstate__(state)
        self._warn_of_versions(*versions)

    def _packed(self, state):
        return {}

    def _rebuilt(self, state):
        return {}

    def _checksum(self, state):
        """Return a checksum of the fitted attributes."""
        other = {"format", "checksum", "_skl_callbacks", *_VERSIONS, *self._get_param_names()}
        return _crc({name: value for name, value in state.items() if name not in other}, 0)

    def _warn_of_versions(self, original, original_sklearn):
        pairs = [("sklearn-online-svm", __version__, original)]
        if original != _UNKNOWN:
            pairs.append(("scikit-learn", sklearn.__version__, original_sklearn))
        for package, current, stored in pairs:
            if stored != current:
                warnings.warn(
                    InconsistentPackageWarning(
                        package=package,
                        current_version=current,
                        original_version=stored,
                        estimator_name=type(self).__name__,
                        current_sklearn_version=sklearn.__version__,
                        original_sklearn_version=original_sklearn,
                    ),
                    stacklevel=3,
                )


def _crc(value, crc):
    """Continue the CRC-32 ``crc`` with nested plain values and arrays; ignore other objects.

    An object with a method ``_plain_values`` counts as what it returns.
    """
    if hasattr(value, "_plain_values"):
        value = value._plain_values()
    if isinstance(value, np.ndarray) and value.dtype.kind not in ("O", "T"):
        crc = zlib.crc32(f"{value.dtype.str[1:]}{value.shape}".encode(), crc)
        # In little-endian order, so that the checksum is the same on every machine.
        array = np.ascontiguousarray(value, value.dtype.newbyteorder("<"))
        return zlib.crc32(array.reshape(-1).view(np.uint8), crc)
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, dict):
        value = [
            item for pair in sorted(value.items(), key=lambda pair: str(pair[0])) for item in pair
        ]
    if isinstance(value, (list, tuple)):
        for item in value:
            crc = _crc(item, crc)
        value = f"{len(value)} items"
    if value is None or isinstance(value, (bool, int, float, str, bytes, slice)):
        crc = zlib.crc32(repr(value).encode(), crc)
    return crc


def _native(value):
    """Return nested values with plain arrays in the byte order and alignment of this machine."""
    if isinstance(value, dict):
        return {name: _native(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_native(item) for item in value]
    if isinstance(value, np.ndarray) and value.dtype.kind in "biuf":
        return np.require(np.asarray(value), value.dtype.newbyteorder("="), ["C", "A"])
    return value
