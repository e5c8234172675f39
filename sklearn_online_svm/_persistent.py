"""What all stored models have: versions, a format, classes, features."""

import warnings

import numpy as np
import sklearn
from sklearn.exceptions import InconsistentVersionWarning

from ._base import check_integers, generator_from
from ._core.stored import Stored
from ._version import __version__

__all__ = [
    "InconsistentPackageWarning",
    "Persistent",
    "in_ascending_order",
    "stored_classes",
    "stored_features",
    "stored_generator",
]

# Where a stored model has its versions: of this package, and of scikit-learn.
_VERSIONS = ("_package_version", "_sklearn_version")
# Of NumPy, those that a RandomState may have.
_GENERATORS = ("MT19937", "PCG64", "PCG64DXSM", "Philox", "SFC64")
# What is said of models stored before they knew their version.
_BEFORE_VERSIONS = "of unknown version"


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
    """Mixin of estimators: a stored model knows its format, and the versions that stored it.

    A subclass names in ``_learnt`` the attribute it has once there is something to store beside
    parameters. ``_packed`` gives what is stored in place of attributes that are no plain values,
    numbers, strings and arrays; ``_rebuilt`` reads that again, a :class:`Stored`, and returns
    attributes. scikit-learn stores its version with its own estimators only. The mixin stands
    before ``BaseEstimator``.
    """

    # Of what is stored; another number for each change of its fields.
    _format = 2

    def _validate_params(self):
        super()._validate_params()
        check_integers(self)

    def __getstate__(self):
        state = dict(super().__getstate__())
        state.update(zip(_VERSIONS, (__version__, sklearn.__version__), strict=True))
        if self._learnt in state:
            state.update(self._packed(state), format=self._format)
        return state

    def __setstate__(self, state):
        state = dict(state)
        original, original_sklearn = (
            version if isinstance(version, str) else _BEFORE_VERSIONS
            for version in (state.pop(name, None) for name in _VERSIONS)
        )
        if self._learnt in state:
            stored = Stored(state)
            stored.expect_format(self._format)
            state.update(self._rebuilt(stored))
            del state["format"]
        super().__setstate__(state)
        of_packages = [("sklearn-online-svm", __version__, original)]
        if original != _BEFORE_VERSIONS:
            of_packages.append(("scikit-learn", sklearn.__version__, original_sklearn))
        for package, current, stored in of_packages:
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
                    stacklevel=2,
                )


def in_ascending_order(classes):
    """Whether something is an array of two or more classes, each above the one before."""
    if not isinstance(classes, np.ndarray) or classes.ndim != 1 or len(classes) < 2:
        return False
    if classes.dtype.kind == "c":
        return False
    try:
        classes.tolist()
    except (ValueError, SystemError):  # of broken strings
        return False
    try:
        return bool(np.asarray(classes[:-1] < classes[1:]).all())
    except (TypeError, ValueError):  # of mixed types
        return False


def stored_classes(state):
    """Return the classes of a stored model."""
    classes = state.value("classes_")
    state.require(
        in_ascending_order(classes),
        "classes_",
        "must be an array of two or more classes in ascending order",
    )
    return classes


def stored_features(state):
    """Return the number of features of a stored model; their names, if any, have to fit."""
    n_features = state.integer("n_features_in_", 1, 2**31 - 1)
    if state.has("feature_names_in_"):
        names = state.array("feature_names_in_", object, (n_features,))
        state.require(
            all(isinstance(name, str) for name in names), "feature_names_in_", "must be strings"
        )
    return n_features


def stored_generator(state, name):
    """Return what ``get_state(legacy=False)`` of a RandomState gave."""
    generator = state.part(name)
    kind = generator.choice("bit_generator", _GENERATORS)
    if kind == "MT19937":
        # NumPy follows the place in the key without looking.
        key = generator.part("state")
        key.array("key", np.uint32, (624,))
        key.integer("pos", 0, 624)
    try:
        generator_from(state.value(name))
    except (LookupError, OverflowError, TypeError, ValueError):
        state.refuse(name, f"must be the state of a generator, {kind}")
    return state.value(name)
