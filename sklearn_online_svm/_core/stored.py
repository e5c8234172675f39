"""Validation of stored models: used by all ``restore`` methods.

A pickle may be truncated, come from another version, or have been modified. The loops of the
engine use indices and counts without checks, so everything is validated first: sizes, types and
ranges here, field by field; relations between fields where they are read. Values that are possible
in a model are accepted.
"""

import numpy as np
from scipy.sparse import csr_matrix

# Limit of counts of samples, steps and kernel values; sums of a few of them fit in 64 bits.
LARGEST_COUNT = 2**60
LARGEST_NUMBER = np.finfo(np.float64).max
_FLOATS = (np.dtype(np.float32), np.dtype(np.float64))
_INTEGERS = (np.dtype(np.int32), np.dtype(np.int64))
SMALLEST_NUMBER = np.finfo(np.float64).smallest_subnormal


class Stored:
    """Fields of a stored state, each validated when it is read.

    Parameters
    ----------
    fields : dict
    path : str, default=""
        Path of the state in the model, for error messages.
    """

    def __init__(self, fields, path=""):
        self.path = path
        if not isinstance(fields, dict):
            self._refuse_self(f"must be a dict, got {_short(fields)}")
        self._fields = fields
        self._read = set()

    @classmethod
    def of(cls, state):
        """Return ``state`` if it is a Stored, else a Stored of the dict."""
        return state if isinstance(state, cls) else cls(state)

    def refuse(self, name, problem):
        """Raise an error for field ``name``."""
        raise ValueError(f"The stored model is damaged: {self._path_of(name)} {problem}.")

    def require(self, holds, name, problem):
        """Raise an error for field ``name`` unless ``holds``."""
        if not holds:
            self.refuse(name, problem)

    def has(self, name):
        return name in self._fields

    def __iter__(self):
        return iter(self._fields)

    def value(self, name):
        """Return a field without validation."""
        if name not in self._fields:
            self.refuse(name, "is missing")
        self._read.add(name)
        return self._fields[name]

    def end(self):
        """Raise an error for fields that have not been read."""
        for name in self._fields:
            if name not in self._read:
                self.refuse(name, "is none of the fields known to this version")

    def expect_format(self, known):
        """Raise an error for a missing or unknown format."""
        found = self.value("format")
        if type(found) is not int or found != known:
            raise ValueError(
                f"The stored model has an unknown format: {self._path_of('format')} is "
                f"{_short(found)}, this version reads {known}."
            )

    # ------------------------------------------------------------------------ nested states

    def part(self, name):
        """Return a nested state."""
        return Stored(self.value(name), self._path_of(name))

    def parts(self, name, n):
        """Return a list of ``n`` nested states."""
        parts = self.items(name, n)
        return [Stored(part, f"{self._path_of(name)}[{i}]") for i, part in enumerate(parts)]

    # ------------------------------------------------------------------------ plain values

    def items(self, name, n=None, kind=list):
        """Return a list (or tuple) without arrays, of length ``n`` if given."""
        value = self.value(name)
        if (
            type(value) is not kind
            or n not in (None, len(value))
            or any(isinstance(item, np.ndarray) for item in value)
        ):
            length = "" if n is None else f" of length {n}"
            self.refuse(name, f"must be a {kind.__name__}{length}, got {_short(value)}")
        return value

    def integer(self, name, low=0, high=LARGEST_COUNT):
        """Return an integer in [low, high]."""
        value = self.value(name)
        if (
            type(value) is not int
            and not isinstance(value, np.integer)
            or not (low <= value <= high)
        ):
            self.refuse(name, f"must be an integer in [{low}, {high}], got {_short(value)}")
        return int(value)

    def integers(self, name, n):
        """Return a tuple of ``n`` integers."""
        value = self.value(name)
        if not (
            isinstance(value, tuple | list)
            and len(value) == n
            and all(isinstance(v, int | np.integer) for v in value)
        ):
            self.refuse(name, f"must be {n} integers, got {_short(value)}")
        return tuple(int(v) for v in value)

    def number(self, name, low=-np.inf, high=np.inf, *, finite=True):
        """Return a number in [low, high]; it may be infinite only if ``finite=False``."""
        value = self.value(name)
        if (
            isinstance(value, bool | np.bool_)
            or not isinstance(value, int | float | np.integer | np.floating)
            or not low <= value <= high
            or (not abs(value) <= LARGEST_NUMBER and (finite or isinstance(value, int)))
        ):
            kind = "finite number" if finite else "number"
            self.refuse(name, f"must be a {kind} in [{low}, {high}], got {_short(value)}")
        return float(value)

    def flag(self, name):
        """Return a boolean."""
        value = self.value(name)
        if not isinstance(value, bool | np.bool_):
            self.refuse(name, f"must be True or False, got {_short(value)}")
        return bool(value)

    def choice(self, name, options):
        """Return a string (or None) among ``options``."""
        value = self.value(name)
        if not (value is None or isinstance(value, str)) or value not in options:
            self.refuse(name, f"must be one of {[*options]}, got {_short(value)}")
        return value

    # ------------------------------------------------------------------------ arrays

    def array(self, name, dtype, shape, *, finite=False, low=None, high=None):
        """Return an array of the given dtype and shape; None stands for any length.

        The array itself is returned, even if it is read-only; it is copied only if its memory
        layout differs from what the engine needs, as after unpickling on a machine with another
        byte order. ``low`` and ``high`` are inclusive.
        """
        array, dtype = self.value(name), np.dtype(dtype)
        if (
            not isinstance(array, np.ndarray)
            or array.dtype.newbyteorder("=") != dtype
            or array.ndim != len(shape)
            or any(n is not None and n != m for n, m in zip(shape, array.shape, strict=True))
        ):
            wanted = tuple("any" if n is None else n for n in shape)
            self.refuse(name, f"must be a {dtype} array of shape {wanted}, got {_short(array)}")
        array = np.asarray(array)  # memory map to plain array
        if not (array.flags.c_contiguous and array.flags.aligned) or array.dtype != dtype:
            array = np.require(array, dtype, ["C", "A"])
        if finite and not _all_finite(array):
            self.refuse(name, "must be finite")
        if array.size:
            self.require(low is None or array.min() >= low, name, f"must be >= {low}")
            self.require(high is None or array.max() <= high, name, f"must be <= {high}")
        return array

    def csr_matrix(self, name, shape):
        """Return a CSR matrix of finite floats, from its arrays."""
        parts = self.part(name)
        kinds = [getattr(parts.value(part), "dtype", None) for part in ("data", "indptr")]
        self.require(kinds[0] in _FLOATS and kinds[1] in _INTEGERS, name, "must hold floats")
        starts = parts.array("indptr", kinds[1], (shape[0] + 1,), low=0)
        nnz = int(starts[-1])
        parts.require(
            starts[0] == 0 and (np.diff(starts) >= 0).all(), "indptr", "must rise from 0"
        )
        data = parts.array("data", kinds[0], (nnz,), finite=True)
        indices = parts.array("indices", kinds[1], (nnz,), low=0, high=shape[1] - 1)
        parts.end()
        return csr_matrix((data, indices, starts), shape=shape)

    def _path_of(self, name):
        return f"{self.path}.{name}" if self.path else name

    def _refuse_self(self, problem):
        raise ValueError(f"The stored model is damaged: {self.path or 'it'} {problem}.")


def _all_finite(array):
    """Return whether all numbers are finite; in most cases the sum suffices, which is faster."""
    with np.errstate(over="ignore", invalid="ignore"):
        return bool(np.isfinite(array.sum()) or np.isfinite(array).all())


def _short(value):
    """Return a short description of a value."""
    if isinstance(value, np.ndarray):
        return f"{value.dtype} of shape {value.shape}"
    if isinstance(value, (list, tuple, dict)):
        return f"a {type(value).__name__} of length {len(value)}"
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
