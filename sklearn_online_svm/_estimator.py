"""Base classes of all estimators: atomic updates, changed parameters, pickles.

A training call changes a model completely or not at all (``Transaction``; later chunks of a stream
are trained on without one, see ``kernel/_training.py``). A parameter changed
between two calls either takes effect or raises an error with its name. Pickles have versions, a
format number and a checksum.
"""

import copy
import inspect
import warnings
import zlib
from contextlib import suppress
from functools import cache, partial
from operator import attrgetter
from types import FunctionType, SimpleNamespace

import numpy as np
import sklearn
from sklearn.base import BaseEstimator, clone
from sklearn.exceptions import InconsistentVersionWarning

from ._class_codes import class_order_among
from ._core.guard import Guarded
from ._validation import check_params, classes_of_stream
from ._version import __version__

# Versions in a pickle: of this package, and of scikit-learn.
_VERSIONS = ("_package_version", "_sklearn_version")
# Version reported for a pickle without versions.
_UNKNOWN = "of unknown version"
# Attributes of a call of ``fit`` that reports its tasks to callbacks.
OF_CALL = ("_tasks", "_callback_fit_ctx", "_skl_callbacks_to_teardown", "_parent_callback_ctx")
# Types of parameters that cannot change in place.
_CONSTANT = {bool, int, float, str, type(None)}
# Number of the format of pickles, increased when their fields change.
_FORMAT = 6


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


def _renamed(function, cls):
    """Return a copy of a method of a base class, as a method of ``cls``."""
    renamed = FunctionType(
        function.__code__,
        function.__globals__,
        function.__name__,
        function.__defaults__,
        function.__closure__,
    )
    for name in ("__doc__", "__kwdefaults__", "__annotations__"):
        setattr(renamed, name, getattr(function, name))
    renamed.__qualname__ = f"{cls.__qualname__}.{function.__name__}"
    renamed.__module__ = cls.__module__
    return renamed


class Estimator(BaseEstimator, Guarded):
    """Base class of all estimators: parameters that change between calls, copies, pickles.

    Threads that train or read an estimator at the same time hold its guard.

    A subclass sets ``_state_attribute``, the name of an attribute that exists after the first
    call, ``_fixed_params``, the parameters that cannot change, and ``_adjustable_params``, the
    parameters that the next call applies if they have changed; ``_fitted_params`` are those of the
    last call. Other parameters affect ``fit`` only or are read on use.

    Pickles have versions, a format number and a checksum. A subclass names the attributes that are
    not plain values, numbers, strings and arrays in ``_stored_as``: they are stored by their
    method ``as_dict``, and restored by ``from_dict`` of the given class. None: estimators, of
    which a copy is stored, as they change in place.
    """

    _fixed_params = ()
    _adjustable_params = ()

    def __init_subclass__(cls, **options):
        """Copy inherited training methods, so that tracebacks and TypeErrors name this class."""
        super().__init_subclass__(**options)
        for name in ("fit", "partial_fit"):
            method = inspect.getattr_static(cls, name, None)
            if name not in vars(cls) and isinstance(method, FunctionType):
                setattr(cls, name, _renamed(method, cls))
            elif name not in vars(cls) and hasattr(method, "for_class"):
                setattr(cls, name, method.for_class(partial(_renamed, cls=cls)))

    def _current_params(self):
        """Return the fixed and the adjustable parameters, as :func:`compared`."""
        names = *self._fixed_params, *self._adjustable_params
        return tuple(map(compared, map(partial(getattr, self), names)))

    def _params_in_use(self):
        """Return these values, by name, as the last call used them; before the first, as given."""
        values = self._fitted_params if self.__sklearn_is_fitted__() else self._current_params()
        return dict(zip((*self._fixed_params, *self._adjustable_params), values, strict=True))

    def _changed_params(self):
        """Return these values if one has changed since the last call, otherwise None.

        An invalid value or a changed fixed parameter raises an error.
        """
        present, known = self._current_params(), self._fitted_params
        if present == known:
            return None
        self._validate_params()
        for name, old, new in zip(self._fixed_params, known, present, strict=False):
            if new is not old and (callable(new) or callable(old) or new != old):
                raise_fixed_param(name, old, new)
        return present

    # ---------------------------------------------------------------------------- conventions

    def __sklearn_is_fitted__(self):
        return self._state_attribute in self.__dict__

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def __copy__(self):
        if self._guard.is_mine():
            # scikit-learn copies the model that it passes to callbacks, and sets the attributes
            # that ``_attributes_of_copy`` has returned.
            return type(self)(**self.get_params(deep=False))
        # A shallow copy would share the arrays of the state.
        return copy.deepcopy(self)

    def _attributes_of_copy(self):
        """Return the attributes of a copy during training, between two blocks of samples."""
        return vars(self._copy_without_callbacks())

    def _copy_without_callbacks(self):
        draft = self._draft()  # its guard is free
        draft.__dict__.pop("_skl_callbacks", None)
        return copy.deepcopy(draft)

    # ---------------------------------------------------------------------------- pickles

    @classmethod
    def _get_param_names(cls):
        return list(param_names(cls))  # scikit-learn inspects the signature in each call

    def _validate_params(self):
        values = {name: getattr(self, name) for name in param_names(type(self))}
        for name, default in _valid_defaults(type(self)).items():
            if values[name] is default:
                del values[name]
        check_params(type(self), values)

    def __getstate__(self):
        with self._guard:  # parameters and state must be consistent
            state = dict(super().__getstate__())
            for name in OF_CALL:
                state.pop(name, None)
            state.update(zip(_VERSIONS, (__version__, sklearn.__version__), strict=True))
            if self._state_attribute in state:
                for name in self._stored_as.keys() & state.keys():
                    value, kind = state[name], self._stored_as[name]
                    state[name] = copy.deepcopy(value) if kind is None else value.as_dict()
                state["format"] = _FORMAT
                state["checksum"] = _checksum(self, state)
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
            if state.pop("checksum", None) != _checksum(self, state):
                raise ValueError(
                    f"The stored {type(self).__name__} is damaged: its checksum differs from its "
                    "content. Load another copy, or fit it again."
                )
            state = _native(state)
            for name in self._stored_as.keys() & state.keys():
                if (kind := self._stored_as[name]) is not None:
                    state[name] = kind.from_dict(state[name])
        super().__setstate__(state)
        _warn_of_versions(self, *versions)


def compared(value):
    """Return a parameter in the form in which it is compared, unaffected by changes in place.

    An estimator becomes a dict of its parameters and, with the key "", the name of its class.
    """
    if type(value) in _CONSTANT:
        return value
    if isinstance(value, BaseEstimator):
        kind = type(value)
        values = {name: compared(getattr(value, name)) for name in param_names(kind)}
        return values | {"": f"{kind.__module__}.{kind.__qualname__}"}
    if isinstance(value, dict):
        return {name: compared(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [compared(item) for item in value]
    return value.tolist() if isinstance(value, np.ndarray) else value


def params_of(estimator, **more):
    """Return all parameters of an estimator, and values of those that it does not have."""
    kind = type(estimator)
    values = zip(_own_and_inherited(kind), params_getter(kind)(estimator), strict=True)
    return SimpleNamespace(**more | dict(values))


def is_current(plan, estimator):
    """Return whether the parameters of an estimator are those of a plan, which may be None.

    ``plan.values`` are those when it was made, or None if they may change in place.
    """
    try:
        return plan is not None and plan.values == params_getter(type(estimator))(estimator)
    except ValueError:  # one is an array now
        return False


@cache
def param_names(kind):
    """Return the names of the parameters of a class of estimators."""
    return tuple(BaseEstimator._get_param_names.__func__(kind))


@cache
def _valid_defaults(kind):
    """Return the default of each parameter that need not be validated: a valid constant."""
    defaults = {}
    for name, parameter in inspect.signature(kind.__init__).parameters.items():
        if type(parameter.default) in _CONSTANT:
            with suppress(ValueError):
                check_params(kind, {name: parameter.default})
                defaults[name] = parameter.default
    return defaults


@cache
def _own_and_inherited(kind):
    # A subclass may set parameters of its base that it does not have.
    bases = [base for base in kind.__mro__ if issubclass(base, BaseEstimator)]
    return tuple(dict.fromkeys(name for base in bases for name in param_names(base)))


@cache
def params_getter(kind):
    """Return a function that returns the values of all parameters of an estimator, as a tuple."""
    return attrgetter(*_own_and_inherited(kind))


def _checksum(estimator, state):
    """Return a checksum of the fitted attributes."""
    other = {"format", "checksum", "_skl_callbacks", *_VERSIONS, *estimator._get_param_names()}
    return _crc({name: value for name, value in state.items() if name not in other}, 0)


def _warn_of_versions(estimator, original, original_sklearn):
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
                    estimator_name=type(estimator).__name__,
                    current_sklearn_version=sklearn.__version__,
                    original_sklearn_version=original_sklearn,
                ),
                stacklevel=4,
            )


def store_parameters(arguments):
    """Set the arguments of ``__init__``, given as its ``locals()``, as attributes."""
    vars(arguments.pop("self")).update(arguments)


def seeded(estimator, random):
    """Return the estimator with a seed for each ``random_state`` of its parts that is None."""
    unseeded = {
        name: random.randint(np.iinfo(np.int32).max)
        for name, value in sorted(estimator.get_params().items())
        if value is None and name.rpartition("__")[2] == "random_state"
    }
    estimator.set_params(**unseeded)
    return estimator  # set_params of a FrozenEstimator returns None


def extend_classes(estimator, classes):
    """Set ``classes_`` of a draft; return the indices of the former classes among them."""
    former = estimator.classes_
    estimator.classes_ = classes_of_stream(classes, former, extendable=True)
    places = np.searchsorted(estimator.classes_, former)
    if "_class_order" in vars(estimator):
        order = class_order_among(estimator._class_order, places, len(estimator.classes_))
        estimator._class_order = order
    return places


def ignore_class_order(estimator):
    """Disable the warning of a sorted stream in an estimator of this package."""
    if isinstance(estimator, Estimator):
        estimator._class_order = np.zeros(0, dtype=np.int64)


def has_new_classes(model, classes):
    """Return whether the argument ``classes`` has new ones; raise an error if some lack."""
    known = getattr(model, "classes_", None)
    if classes is None or known is None:
        return False
    return len(classes_of_stream(classes, known, extendable=True)) > len(known)


def with_classes(estimator, classes):
    """Return a copy of an estimator to which new classes have been added, if it is fitted."""
    if not hasattr(estimator, "_add_classes"):
        raise ValueError(
            f"classes={classes.tolist()} has new classes, but they cannot be added to "
            f"{type(estimator).__name__}, only to estimators of sklearn_online_svm. Pass all "
            "classes in the first call."
        )
    extended = copy.deepcopy(estimator)
    if extended.__sklearn_is_fitted__():
        extended._add_classes(classes)
    return extended


def update_parts(estimator, present, defaults):
    """Set the changed parameters of the fitted parts of an estimator: of ``part_`` for ``part``.

    ``present``: what ``_changed_params`` has returned. ``defaults``: class of each part for the
    parameter None.
    """
    names = *estimator._fixed_params, *estimator._adjustable_params
    values = {name: pair for name, *pair in zip(names, estimator._fitted_params, present)}
    changes = []
    for name, default in defaults.items():
        given = default() if getattr(estimator, name) is None else getattr(estimator, name)
        old, new = (compared(default()) if value is None else value for value in values[name])
        if old == new:
            continue
        if not isinstance(new, dict) or old.keys() != new.keys() or old[""] != new[""]:
            raise_fixed_param(name, old, new)
        changed = {part: getattr(given, part) for part in new if new[part] != old[part]}
        if name == "query_strategy" and "random_state" in changed:  # its seed has been drawn
            raise_fixed_param(f"{name}__random_state", old["random_state"], new["random_state"])
        changes.append((getattr(estimator, f"{name}_"), changed))
    for fitted, changed in changes:
        fitted.set_params(**clone(changed, safe=False))
        if hasattr(fitted, "_fitted_params"):
            fitted._changed_params()
        elif hasattr(fitted, "_parameter_constraints"):
            fitted._validate_params()
    estimator._fitted_params = present


def raise_fixed_param(name, old, new):
    """Raise an error for a changed parameter that is fixed."""
    old, new = (each.get("", each) if isinstance(each, dict) else each for each in (old, new))
    raise ValueError(
        f"{name} cannot change once the model has been fitted: it was {old!r} and is now {new!r}. "
        "Restore it, or call fit to start again."
    )
