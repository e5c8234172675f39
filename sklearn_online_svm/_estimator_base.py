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
    """Context in which a draft of a model is changed, taken over in one step at the end.

    Others see the model as it was until then. An error leaves it as it was, unless ``keep`` has
    been set: an interrupt may end learning where what has been learnt can be used. The caller
    holds the guard of the model.
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
        """Take back what has been taken over."""
        self.model.__dict__ = self.before


class Continued(Persistent, BaseEstimator):
    """Base of what goes on between calls, and of whose parameters some may change meanwhile.

    A subclass names in ``_learnt`` the attribute that it has once it has begun, and sorts its
    parameters: what has been learnt cannot go on with others (``_fixed``); another value is taken
    up by the next call (``_tunable``), where ``_take_up`` knows how. All others are of ``fit``
    alone, or are read where they are used.
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
        """Values of the parameters that learning goes on with, the fixed ones first."""
        return self._watched(self)

    def _new_parameters(self):
        """Return these values, or None where they are what they were.

        Refused are values that are invalid, and others of parameters that are fixed.
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
        """Go on with other values of parameters, those that ``_new_parameters`` gave."""
        self._learnt_with = present


class Learner(Continued, Guarded):
    """Base of estimators that learn."""

    # ---------------------------------------------------------------------------- learning

    def _learn_next(self, begin, *arguments):
        """Learn a chunk, which ``begin`` validates for a model and returns for ``_learn_chunk``.

        The first one is learnt by a draft. For others ``begin`` changes nothing before nothing can
        go wrong any more, and the engine is sound however learning ends: a draft, which costs as
        much as a row, is not needed.
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

    # ---------------------------------------------------------------------------- conventions

    def __sklearn_is_fitted__(self):
        return self._learnt in self.__dict__

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def __getstate__(self):
        with self._guard:  # attributes and what has been learnt must fit together
            return super().__getstate__()

    def __copy__(self):
        # The arrays of the state are those in use: a shallow copy would share them.
        return copy.deepcopy(self)


def refuse_change(name, old, new):
    """Raise the error that names a parameter which cannot change."""
    raise ValueError(
        f"{name} cannot change once something has been learnt: it was {old!r} and is now {new!r}. "
        "Set it back, or call fit to begin anew."
    )


class NotOffered:
    """A name that others have and that is missing here: the error says what to use."""

    def __init__(self, advice):
        self.advice = advice

    def __set_name__(self, owner, name):
        self.name = name

    def __get__(self, instance, owner):
        raise AttributeError(f"{owner.__name__} has no {self.name}: {self.advice}.")
