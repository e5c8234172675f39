"""Base classes of all estimators: atomic updates, parameter changes and pickling.

A training call changes a model completely or not at all (``Transaction``). A parameter changed
between two calls either takes effect or raises an error with its name.
"""

import copy
from operator import attrgetter
from signal import SIGINT, getsignal, signal
from threading import current_thread, main_thread

import numpy as np
from sklearn.base import BaseEstimator

from ._base import class_order_among, classes_of_stream
from ._core.guard import Guarded
from ._persistent import Persistent
from ._sklearn_compat import CallbackSupportMixin

__all__ = [
    "Transaction",
    "StatefulEstimator",
    "IncrementalEstimator",
    "PostponedInterrupts",
    "UnavailableAttribute",
    "raise_fixed_param",
    "with_classes",
]


class Transaction:
    """Context for changing a draft of a model that replaces the model at the end.

    Until then, other threads read the unchanged model. After an error the draft is discarded
    unless ``keep`` has been set, for interrupts that leave a usable draft. The caller holds the
    guard of the model.
    """

    __slots__ = ("before", "draft", "keep", "model")

    def __init__(self, model):
        self.model = model
        self.keep = False

    def __enter__(self):
        self.before = self.model.__dict__
        self.draft = self.model._draft()
        return self

    def __exit__(self, kind, error, traceback):
        if error is None or self.keep:
            self.model._take(self.draft)

    def undo(self):
        """Restore the attributes that the model had before."""
        self.model.__dict__ = self.before


class PostponedInterrupts:
    """Context in which SIGINT (Ctrl-C) is recorded, to be raised at its end.

    SIGINT is not raised if the block raises another exception. Within another such context it is
    recorded there. In threads other than the main thread, or if SIGINT has no Python handler, the
    context has no effect.
    """

    __slots__ = ("handler", "received")

    def __enter__(self):
        handler, self.received = getsignal(SIGINT), []
        has_effect = callable(handler) and current_thread() is main_thread()
        self.handler = handler if has_effect else None
        self.record()
        return self

    def __exit__(self, kind, error, traceback):
        if self.handler is not None:
            signal(SIGINT, self.handler)
            if kind is None:
                self.check()

    def record(self):
        """Record SIGINT from here on."""
        if self.handler is not None:
            signal(SIGINT, lambda *arguments: self.received.append(arguments))

    def check(self):
        """Raise SIGINT if it has been recorded."""
        if self.received:
            self.handler(*self.received.pop())

    def raised(self):
        """Return the context of a part of the block in which SIGINT is raised at once."""
        return RaisedInterrupts(self)


class RaisedInterrupts:
    """Context within ``PostponedInterrupts`` in which SIGINT is raised at once."""

    __slots__ = ("outer",)

    def __init__(self, outer):
        self.outer = outer

    def __enter__(self):
        self.outer.check()
        if self.outer.handler is not None:
            signal(SIGINT, self.outer.handler)

    def __exit__(self, kind, error, traceback):
        self.outer.record()


class StatefulEstimator(Persistent, BaseEstimator):
    """Base class of estimators whose parameters may change between two training calls.

    A subclass sets ``_state_attribute``, the name of an attribute that exists after the first
    call, ``_fixed_params``, the parameters that cannot change, and ``_adjustable_params``, the
    parameters that the next call applies in ``_apply_params``. Other parameters affect ``fit``
    only or are read on use.
    """

    _fixed_params = ()
    _adjustable_params = ()

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        watched = (*cls._fixed_params, *cls._adjustable_params)
        if len(watched) > 1:
            cls._tracked_values = staticmethod(attrgetter(*watched))

    @staticmethod
    def _tracked_values(model):
        return ()

    def _current_params(self):
        """Return the values of the fixed and the tunable parameters."""
        return self._tracked_values(self)

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

    def _apply_params(self, present):
        """Apply the values that ``_changed_params`` returned."""
        self._fitted_params = present


class IncrementalEstimator(CallbackSupportMixin, StatefulEstimator, Guarded):
    """Base class of estimators with a guard against concurrent training, and with callbacks."""

    def _train_on_next_chunk(self, begin, X, y, classes, sample_weight):
        """Train on a chunk; ``begin`` validates it, and returns arguments of ``_train_on_chunk``.

        The first chunk, and one with new classes, are processed by a draft. Other chunks are
        trained without a draft, which takes as long as a sample: ``begin`` changes the model only
        after all checks, and the engine remains consistent if it is interrupted.
        """
        is_fitted = self._state_attribute in self.__dict__
        if is_fitted and not self._has_new_classes(classes):
            return self._train_on_chunk(*begin(self, X, y, classes, sample_weight))
        with Transaction(self) as change:
            draft = change.draft
            if is_fitted:
                draft._add_classes(classes)
            chunk = begin(draft, X, y, classes, sample_weight)
            try:
                return draft._train_on_chunk(*chunk)
            except BaseException as error:
                change.keep = draft._was_interrupted(error)
                raise

    def _has_new_classes(self, classes):
        """Return whether the argument ``classes`` has new ones; raise an error if some lack."""
        known = self.__dict__.get("classes_")
        if classes is None or known is None:
            return False
        return len(classes_of_stream(classes, known, extendable=True)) > len(known)

    def _add_classes(self, classes):
        """Add new classes to a fitted model, which must be a draft.

        A subclass defines ``_extend``, which is called with the indices of the former classes
        among all classes; ``classes_`` has all of them.
        """
        former = self.classes_
        self.classes_ = classes_of_stream(classes, former, extendable=True)
        places = np.searchsorted(self.classes_, former)
        if "_class_order" in self.__dict__:
            self._class_order = class_order_among(self._class_order, places, len(self.classes_))
        self._extend(places)

    def __sklearn_is_fitted__(self):
        return self._state_attribute in self.__dict__

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def __getstate__(self):
        with self._guard:  # parameters and state must be consistent
            return super().__getstate__()

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


def raise_fixed_param(name, old, new):
    """Raise an error for a changed parameter that is fixed."""
    raise ValueError(
        f"{name} cannot change once the model has been fitted: it was {old!r} and is now {new!r}. "
        "Restore it, or call fit to start again."
    )


class UnavailableAttribute:
    """Attribute that raises an error with advice on what to use instead."""

    def __init__(self, advice):
        self.advice = advice

    def __set_name__(self, owner, name):
        self.name = name

    def __get__(self, instance, owner):
        raise AttributeError(f"{owner.__name__} has no {self.name}: {self.advice}.")
