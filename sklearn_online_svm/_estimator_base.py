"""Base classes of all estimators: atomic updates, parameter changes and pickling.

A training call changes a model completely or not at all (``Change``). A parameter changed between
two calls either takes effect or raises an error with its name. Pickles carry a format number.
"""

import copy
from operator import attrgetter

from sklearn.base import BaseEstimator

from ._core.guard import Guarded
from ._persistent import Persistent

__all__ = ["Change", "Continued", "Learner", "NotOffered", "refuse_change"]


class Change:
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


class Continued(Persistent, BaseEstimator):
    """Base class of estimators whose parameters may change between two training calls.

    A subclass sets ``_learnt``, the name of an attribute that exists after the first call,
    ``_fixed``, the parameters that cannot change, and ``_tunable``, the parameters that the next
    call applies in ``_take_up``. Other parameters affect ``fit`` only or are read on use.
    """

    _fixed = ()
    _tunable = ()

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        watched = (*cls._fixed, *cls._tunable)
        if len(watched) > 1:
            cls._watched = staticmethod(attrgetter(*watched))

    @staticmethod
    def _watched(model):
        return ()

    def _present_parameters(self):
        """Return the values of the fixed and the tunable parameters."""
        return self._watched(self)

    def _new_parameters(self):
        """Return these values if one has changed since the last call, otherwise None.

        An invalid value or a changed fixed parameter raises an error.
        """
        present, known = self._present_parameters(), self._learnt_with
        if present == known:
            return None
        self._validate_params()
        for name, old, new in zip(self._fixed, known, present, strict=False):
            if new is not old and (callable(new) or callable(old) or new != old):
                refuse_change(name, old, new)
        return present

    def _take_up(self, present):
        """Apply the values that ``_new_parameters`` returned."""
        self._learnt_with = present


class Learner(Continued, Guarded):
    """Base class of estimators with a guard against concurrent training."""

    def _learn_next(self, begin, *arguments):
        """Train on a chunk: ``begin`` validates it and returns the arguments of ``_learn_chunk``.

        The first chunk is processed by a draft. Later chunks need no draft, which would take as
        long as a sample: ``begin`` changes the model only after all checks, and the engine remains
        consistent if it is interrupted.
        """
        if self._learnt in self.__dict__:
            return self._learn_chunk(*begin(self, *arguments))
        with Change(self) as change:
            draft = change.draft
            chunk = begin(draft, *arguments)
            try:
                return draft._learn_chunk(*chunk)
            except BaseException as error:
                change.keep = draft._was_interrupted(error)
                raise

    def __sklearn_is_fitted__(self):
        return self._learnt in self.__dict__

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def __getstate__(self):
        with self._guard:  # parameters and state must be consistent
            return super().__getstate__()

    def __copy__(self):
        # A shallow copy would share the arrays of the state.
        return copy.deepcopy(self)


def refuse_change(name, old, new):
    """Raise an error for a changed parameter that is fixed."""
    raise ValueError(
        f"{name} cannot change once the model has been fitted: it was {old!r} and is now {new!r}. "
        "Restore it, or call fit to start again."
    )


class NotOffered:
    """Attribute that raises an error with advice on what to use instead."""

    def __init__(self, advice):
        self.advice = advice

    def __set_name__(self, owner, name):
        self.name = name

    def __get__(self, instance, owner):
        raise AttributeError(f"{owner.__name__} has no {self.name}: {self.advice}.")
