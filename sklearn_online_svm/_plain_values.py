"""Nested values as JSON and arrays, for model files.

JSON has null, booleans, integers, finite floats, strings and lists. Everything else is an object
with a tag: ``{"dict": ...}``, ``{"tuple": ...}``, ``{"array": ...}`` and so on. Instances are
those of the classes in ``CLASSES``; only these are imported and created when a file is read.
"""

import math
import sys
from importlib import import_module

import numpy as np
from scipy import sparse

from ._persistent import Persistent

__all__ = ["CLASSES", "ContentError", "Decoder", "Encoder", "class_name"]

_PACKAGE = __package__
# Classes that model files may contain, by the module that offers them.
CLASSES = {
    f"{_PACKAGE}.kernel": (
        *("LASVC", "LASVR", "ActiveLASVC", "ColumnKernel", "CompressedClassifier"),
        *("KernelAROWClassifier", "KernelPassiveAggressiveClassifier"),
        *("KernelPassiveAggressiveRegressor", "KernelPerceptronClassifier", "OneClassLASVM"),
        *("RampSVC", "VirtualLASVC"),
    ),
    f"{_PACKAGE}.linear": (
        *("Advice", "AdvicePassiveAggressiveClassifier", "AROWClassifier"),
        *("ConfidenceWeightedClassifier", "CostSensitivePassiveAggressiveClassifier"),
        *("LocalOnlineClassifier", "PassiveAggressiveClassifier", "PassiveAggressiveRegressor"),
        *("PerceptronClassifier", "SCWClassifier", "ScaledAdviceClassifier"),
        "SecondOrderPerceptronClassifier",
    ),
    f"{_PACKAGE}.active": (
        *("AllQuery", "LabelEfficientClassifier", "MarginQuery", "MarginSampling", "RandomQuery"),
    ),
    f"{_PACKAGE}.asreview": ("OnlineSVM",),
    f"{_PACKAGE}.calibration": ("OnlineCalibratedClassifier",),
    f"{_PACKAGE}.evaluation": ("AdaptiveConformalInference",),
    f"{_PACKAGE}.partitioned": ("CellClassifier", "CellRegressor"),
    f"{_PACKAGE}.partitioned._cells": ("_SingleClass",),
    f"{_PACKAGE}.partitioned._stream": ("CellStream", "StoredSamples"),
    f"{_PACKAGE}.partitioned._tree": ("CellTree",),
    f"{_PACKAGE}.pipeline": ("OnlinePipeline",),
    "sklearn.pipeline": ("FeatureUnion", "Pipeline"),
    "sklearn.compose": ("ColumnTransformer",),
    "sklearn.decomposition": ("IncrementalPCA", "PCA", "TruncatedSVD"),
    "sklearn.feature_extraction.text": ("HashingVectorizer", "TfidfTransformer"),
    "sklearn.impute": ("SimpleImputer",),
    "sklearn.kernel_approximation": ("Nystroem", "RBFSampler"),
    "sklearn.preprocessing": (
        *("LabelBinarizer", "LabelEncoder", "MaxAbsScaler", "MinMaxScaler", "Normalizer"),
        *("OneHotEncoder", "OrdinalEncoder", "PolynomialFeatures", "PowerTransformer"),
        *("QuantileTransformer", "RobustScaler", "StandardScaler"),
    ),
}
_BIT_GENERATORS = ("MT19937", "PCG64", "PCG64DXSM", "Philox", "SFC64")
_SPARSE = ("csr_matrix", "csc_matrix", "csr_array", "csc_array")
_PLAIN = (type(None), bool, int, str)
# Types that are parameters, such as dtype=float.
_PYTHON_TYPES = (bool, float, int, object, str)


class ContentError(ValueError):
    """Error in a file whose message is a complete explanation for the user."""


def class_name(kind):
    """Return the name under which a class is stored, or None if it is not in ``CLASSES``."""
    for module, names in CLASSES.items():
        for name in names:
            # A class whose module has not been imported cannot be ``kind``.
            if getattr(sys.modules.get(module), name, None) is kind:
                return f"{module}.{name}"
    return None


def _class_of(name):
    """Return the class with this name; import only modules in ``CLASSES``."""
    module, _, short = name.rpartition(".")
    if short not in CLASSES.get(module, ()):
        raise ContentError(
            f"it contains an object of class {name!r:.80}, which this version does not create"
        )
    return getattr(import_module(module), short)


class Encoder:
    """Convert nested values to JSON, and collect their arrays.

    Attributes
    ----------
    arrays : list of ndarray
        The arrays; ``{"array": k}`` refers to number k.
    """

    def __init__(self):
        self.arrays = []
        self._known = {}  # what is stored once, however often it occurs: id -> (object, code)
        self._n_objects = 0

    def encode(self, value, where):
        """Return the code of a value; ``where`` is its place in the model, for messages."""
        kind = type(value)
        if kind in _PLAIN or (kind is float and math.isfinite(value)):
            return value
        if kind is list:
            return self._items(value, where)
        if id(value) in self._known:
            return self._known[id(value)][1]
        if kind is float:
            return {"float": repr(value)}
        if kind is tuple:
            return {"tuple": self._items(value, where)}
        if kind is dict:
            return self._dict(value, where)
        if kind is slice:
            parts = [value.start, value.stop, value.step]
            return {"slice": self._items(parts, where)}
        if isinstance(value, np.generic):
            return {"scalar": self._stored(np.asarray(value), where)}
        if kind in (np.ndarray, np.memmap):
            return self._array(value, where)
        if isinstance(value, np.dtype) and not value.hasobject and value.names is None:
            return {"dtype": value.str}
        if isinstance(value, type) and issubclass(value, np.generic):
            return {"numpy_type": value.__name__}
        if any(value is each for each in _PYTHON_TYPES):
            return {"python_type": value.__name__}
        if isinstance(value, type) and class_name(value) is not None:
            return {"class": class_name(value)}
        return self._instance(value, where)

    def _items(self, values, where):
        return [self.encode(value, f"{where}[{k}]") for k, value in enumerate(values)]

    def _dict(self, values, where):
        if all(type(key) is str for key in values):
            return {
                "dict": {
                    key: self.encode(item, f"{where}[{key!r}]") for key, item in values.items()
                }
            }
        pairs = [[key, values[key]] for key in values]
        return {"items": [self._items(pair, f"{where}[{pair[0]!r}]") for pair in pairs]}

    def _array(self, value, where):
        if value.dtype.kind in ("O", "T"):  # T: StringDType
            items = [self.encode(item, where) for item in value.ravel().tolist()]
            code = {"objects": items, "shape": list(value.shape), "dtype": value.dtype.kind}
        else:
            code = {"array": self._stored(value, where)}
        self._known[id(value)] = value, code
        return code

    def _stored(self, array, where):
        if array.dtype.hasobject:
            raise _unsupported(array, where)
        self.arrays.append(array)
        return len(self.arrays) - 1

    def _instance(self, value, where):
        """Return the code of an object with a state, and refer to it from then on."""
        if sparse.issparse(value) and type(value).__name__ in _SPARSE:
            name, state = type(value).__name__, _parts_of_sparse(value)
        elif isinstance(value, np.random.RandomState):
            name, state = "RandomState", value.get_state(legacy=False)
        elif isinstance(value, np.random.Generator):
            name, state = "Generator", value.bit_generator.state
        else:
            name = class_name(type(value))
            state = None if name is None else value.__getstate__()
        if not isinstance(state, dict):
            raise _unsupported(value, where)
        number = self._n_objects
        self._n_objects += 1
        state = _without_cache(state)
        # The state is held, too: the identity of a deleted object would be used again.
        self._known[id(value)] = (value, state), {"object": number}
        prefix = f"{where}." if where else ""
        code = {key: self.encode(item, prefix + str(key)) for key, item in state.items()}
        return {"object": number, "class": name, "state": code}


def _without_cache(state):
    """Return the state of a pipeline without ``memory``: a file names no folder to read."""
    return {**state, "memory": None} if "memory" in state else state


def _parts_of_sparse(value):
    names = ("data", "indices", "indptr", "shape")
    return {name: getattr(value, name) for name in names}


def _unsupported(value, where):
    if where.startswith("_skl_callbacks"):
        return TypeError("it has callbacks: remove them with set_callbacks()")
    kind = f"{type(value).__module__}.{type(value).__qualname__}"
    return TypeError(f"{where or 'the model'} is {value!r:.60}, of type {kind}")


class Decoder:
    """Convert JSON and arrays to the nested values.

    Parameters
    ----------
    read_array : callable
        ``read_array(k)`` returns the array with number k.
    """

    def __init__(self, read_array):
        self._read_array = read_array
        self._arrays, self._objects = {}, {}
        self._by_tag = {
            "array": self._array,
            "class": _class_of,
            "dict": lambda items: {key: self.decode(item) for key, item in items.items()},
            "dtype": np.dtype,
            "float": float,
            "items": lambda pairs: dict(self.decode(pair) for pair in pairs),
            "numpy_type": _numpy_type,
            "python_type": {kind.__name__: kind for kind in _PYTHON_TYPES}.__getitem__,
            "object": self._instance,
            "objects": self._object_array,
            "scalar": lambda number: self._read_array(number)[()],
            "slice": lambda parts: slice(*self.decode(parts)),
            "tuple": lambda items: tuple(self.decode(items)),
        }

    def decode(self, code):
        """Return the value of a code."""
        if isinstance(code, list):
            return [self.decode(item) for item in code]
        if not isinstance(code, dict):
            return code
        tag, *_ = code
        return self._by_tag[tag](*code.values())

    def _array(self, number):
        if number not in self._arrays:
            self._arrays[number] = self._read_array(number)
        return self._arrays[number]

    def _object_array(self, items, shape, kind):
        dtype = np.dtypes.StringDType() if kind == "T" else object
        array = np.empty(len(items), dtype)
        for k, item in enumerate(items):
            array[k] = self.decode(item)
        return array.reshape(shape)

    def _instance(self, number, name=None, state=None):
        if name is None:
            return self._objects[number]
        is_ours = name not in (*_SPARSE, "RandomState", "Generator")
        if is_ours:
            kind = _class_of(name)
            # Known before its attributes, which may refer to it.
            value = self._objects[number] = kind.__new__(kind)
        attributes = {key: self.decode(item) for key, item in state.items()}
        if not is_ours:
            value = self._objects[number] = _created(name, attributes)
        elif isinstance(value, Persistent):
            try:
                value.__setstate__(attributes)
            except ValueError as error:  # another format, or damage
                raise ContentError(str(error)) from None
        elif hasattr(value, "__setstate__"):
            value.__setstate__(_without_cache(attributes))
        else:
            vars(value).update(attributes)
        return value


def _created(name, state):
    """Return a sparse matrix or a random number generator."""
    if name in _SPARSE:
        parts = (state["data"], state["indices"], state["indptr"])
        matrix = getattr(sparse, name)(parts, shape=state["shape"])
        matrix.check_format(full_check=True)  # compiled code relies on the indices
        return matrix
    if state["bit_generator"] not in _BIT_GENERATORS:
        raise ValueError(f"unknown bit generator {state['bit_generator']!r}")
    generator = getattr(np.random, name)(getattr(np.random, state["bit_generator"])(0))
    if name == "RandomState":
        generator.set_state(state)
    else:
        generator.bit_generator.state = state
    return generator


def _numpy_type(name):
    kind = np.dtype(name).type
    if kind.__name__ != name:
        raise ValueError(f"{name!r} is not a type of NumPy")
    return kind
