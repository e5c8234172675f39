"""What a call that broke off leaves to its repetition: nothing is paid for twice."""

from hashlib import blake2b
from numbers import Integral

import numpy as np
from sklearn.utils import check_random_state

from .._base import generator_from
from ._oracle import UNKNOWN

# Bytes that are hashed at a time.
_PIECE = 2**20


class Unfinished:
    """Answers of the oracle about certain rows, and how far the call got.

    Parameters
    ----------
    answers : Answers
        Of the call that broke off.
    n_done : int
        Rows of a stream that are done with; 0 after ``fit``, which begins anew.
    chance : Chance or None
        What ``fit`` drew its random numbers from.
    """

    def __init__(self, answers, n_done, chance):
        self.rows = fingerprint(answers.X)
        self.classes = answers.classes
        self.codes = np.where(answers.by_oracle, answers.codes, UNKNOWN).astype(np.int32)
        self.n_done = n_done
        self.chance = chance

    def as_dict(self):
        """Plain values, for pickles."""
        chance = None if self.chance is None else self.chance.as_dict()
        return {**vars(self), "chance": chance}

    @classmethod
    def from_state(cls, state):
        """Rebuild a result of ``as_dict``."""
        self = cls.__new__(cls)
        vars(self).update(state)
        if self.chance is not None:
            self.chance = Chance.from_state(self.chance)
        return self

    def is_about(self, X):
        """Whether these are the rows, by their content."""
        return len(self.codes) == X.shape[0] and self.rows == fingerprint(X)


class Chance:
    """Where random numbers begin, so that a repetition visits the rows in the same order.

    With ``random_state=None`` or a generator, a second ``fit`` would draw others, ask about other
    rows, and leave answers that are paid for unused.
    """

    def __init__(self, random_state, former=None):
        self.given = random_state
        self.generator = check_random_state(random_state)
        if (
            former is not None
            and former.given is random_state
            and not isinstance(random_state, Integral)
        ):
            self.generator = generator_from(former.start)
        self.start = self.generator.get_state(legacy=False)

    def as_dict(self):
        """Return what a repetition needs, for pickles."""
        return {"given": self.given, "start": self.start}

    @classmethod
    def from_state(cls, state):
        """Rebuild a result of ``as_dict``."""
        self = cls.__new__(cls)
        # ``given`` is compared by identity, which pickles keep.
        vars(self).update(state)
        return self


def fingerprint(X):
    """Digest of the rows: layout, type, shape and values."""
    dense = isinstance(X, np.ndarray)
    digest = blake2b(f"{X.shape}{dense}".encode(), digest_size=16)
    for part in (X,) if dense else (X.data, X.indices, X.indptr):
        digest.update(part.dtype.str.encode())
        step = max(1, _PIECE // max(1, part[:1].nbytes))
        for start in range(0, len(part), step):
            digest.update(np.ascontiguousarray(part[start : start + step]))
    return digest.hexdigest()
