"""State of an interrupted call, so that its repetition queries no label twice."""

from hashlib import blake2b
from numbers import Integral
from types import SimpleNamespace

import numpy as np
from sklearn.utils import check_random_state

from .._validation import restore_generator
from ._query_loop import UNKNOWN

# Number of bytes hashed at a time.
_BLOCK_BYTES = 2**20


class InterruptedCall:
    """Answers of the oracle in an interrupted call, and the number of processed samples.

    ``n_done``: number of samples processed by ``partial_fit``; 0 for ``fit``, which starts again.
    ``chance``: random state at the start of ``fit``, or None.
    """

    def __init__(self, chunk, n_done, chance):
        self.rows = fingerprint(chunk.X)
        self.classes = chunk.classes
        self.codes = np.where(chunk.by_oracle, chunk.codes, UNKNOWN).astype(np.int32)
        self.n_done = n_done
        self.chance = chance

    def as_dict(self):
        """Plain values, for pickles."""
        if self.chance is None:
            return vars(self).copy()
        return vars(self) | {"chance": {"given": self.chance.given, "start": self.chance.start}}

    @classmethod
    def from_dict(cls, state):
        """Rebuild a result of ``as_dict``."""
        self = cls.__new__(cls)
        vars(self).update(state)
        if self.chance is not None:
            # ``given`` is compared by identity, which pickles preserve.
            self.chance = SimpleNamespace(**self.chance)
        return self

    def matches(self, X):
        """Return whether X has the samples of this call, by their values."""
        return len(self.codes) == X.shape[0] and self.rows == fingerprint(X)


class InitialRandomState:
    """Random state at the start of ``fit``, so that a repetition queries the same samples.

    With ``random_state=None`` or a generator a second call would otherwise draw other numbers, and
    answers of the oracle would remain unused. ``previous``: that of the interrupted call, or None.
    """

    def __init__(self, random_state, previous=None):
        self.given = random_state
        self.generator = check_random_state(random_state)
        if (
            previous is not None
            and previous.given is random_state
            and not isinstance(random_state, Integral)
        ):
            self.generator = restore_generator(previous.start)
        self.start = self.generator.get_state(legacy=False)


def fingerprint(X):
    """Return a digest of the samples: layout, dtype, shape and values."""
    dense = isinstance(X, np.ndarray)
    digest = blake2b(f"{X.shape}{dense}".encode(), digest_size=16)
    for part in (X,) if dense else (X.data, X.indices, X.indptr):
        digest.update(part.dtype.str.encode())
        step = max(1, _BLOCK_BYTES // max(1, part[:1].nbytes))
        for start in range(0, len(part), step):
            digest.update(np.ascontiguousarray(part[start : start + step]))
    return digest.hexdigest()
