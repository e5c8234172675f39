"""Pickles of models that contain models, and that several threads may use at once."""

import copy

# Key of the memo of ``copy.deepcopy`` while a snapshot is made: other keys are numbers.
_OF_SNAPSHOT = "snapshot"


class Snapshots:
    """Base class of models whose state is a snapshot: ``partial_fit`` changes parts in place.

    pickle reads the state after ``__getstate__`` has released the guard. Models within a snapshot
    are not copied again, so that parts that several of them share are still shared.
    """

    def __deepcopy__(self, memo):
        other = memo[id(self)] = type(self).__new__(type(self))
        with self._guard:
            other.__dict__.update(copy.deepcopy(self.__dict__, memo))
        if _OF_SNAPSHOT in memo:
            other._is_in_snapshot = True
        return other

    def __getstate__(self):
        if "_is_in_snapshot" not in self.__dict__:
            with self._guard:
                return copy.deepcopy(super().__getstate__(), {_OF_SNAPSHOT: True})
        state = dict(super().__getstate__())
        del state["_is_in_snapshot"]
        return state
