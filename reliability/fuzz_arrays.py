"""Samples in every form of an array or sparse matrix, valid and damaged, for every method."""

import copy
import ctypes
import inspect
import mmap
import sys
from functools import cache, partial

import joblib
import numpy as np
from scipy import sparse
from sklearn.metrics.pairwise import linear_kernel, rbf_kernel

from sklearn_online_svm import LASVC, Advice, AROWClassifier, ColumnKernel
from sklearn_online_svm.active import MarginSampling, margin_sampling
from sklearn_online_svm.evaluation import AdaptiveConformalInference, progressive_validation
from sklearn_online_svm.readers import fit_stream, read_arrays
from tests.support.trainable import MODELS, samples_of, seeded, state_of

from .isolated import records

PROMISE = (
    "Every method gives the same result as for a contiguous float64 copy of its samples, or "
    "raises ValueError or TypeError; it reads nothing outside of an array."
)
N = 60
# A model with so many features does not fit into the memory.
HUGE = "huge shape"


def campaign(quick):
    yield from records("fuzz_arrays", quick)


# -- forms of samples ----------------------------------------------------------------------------
# Each function takes a float64 array and a random generator and returns the samples in another
# form, and the equal array or canonical CSR matrix; only the
# samples if they are invalid.

VALID, DAMAGED = {}, {}


def valid(function):
    VALID[function.__name__] = function


def damaged(function):
    DAMAGED[function.__name__] = function


def dense(name):
    def add(function):
        VALID[name] = lambda X, rng: ((found := function(X)), np.array(found, np.float64))

    return add


for kind in (bool, *"bBhHiIlLeg", ">f8", ">i4", ">f4", object, "S8", "U8"):
    VALID[f"dense {np.dtype(kind)}"] = lambda X, rng, kind=kind: (
        (found := np.round(X).astype(int).astype(kind)),
        np.array(found, np.float64),
    )
dense("fortran")(np.asfortranarray)
dense("strided")(lambda X: np.repeat(np.repeat(X, 2, axis=0), 3, axis=1)[::2, ::3])
dense("negative strides")(lambda X: X[::-1, ::-1].copy()[::-1, ::-1])
dense("broadcast rows")(lambda X: np.broadcast_to(X[:1], X.shape))
dense("broadcast columns")(lambda X: np.broadcast_to(X[:, :1], X.shape))
dense("list")(lambda X: X.tolist())
dense("masked")(lambda X: np.ma.array(X))
dense("overlapping")(lambda X: np.lib.stride_tricks.as_strided(X.copy(), X.shape, (8, 8)))


@dense("misaligned")
def misaligned(X):
    found = np.zeros(X.nbytes + 1, np.uint8)[1:].view(np.float64).reshape(X.shape)
    found[:] = X
    return found


def guarded(array):
    """Return a copy that ends with a page of memory, before one that must not be accessed."""
    if sys.platform != "linux":
        return array.copy()
    size = array.nbytes + -array.nbytes % mmap.PAGESIZE
    memory = mmap.mmap(-1, size + mmap.PAGESIZE)
    behind = ctypes.addressof(ctypes.c_char.from_buffer(memory)) + size
    no_access = 0
    assert not ctypes.CDLL(None).mprotect(
        ctypes.c_void_p(behind), ctypes.c_size_t(mmap.PAGESIZE), no_access
    )
    found = np.frombuffer(memory, array.dtype, array.size, size - array.nbytes)
    found = found.reshape(array.shape)
    found[...] = array
    return found


dense("guarded")(guarded)


@valid
def guarded_csr(X, rng):
    found = csr(X)
    for name in ("data", "indices", "indptr"):
        setattr(found, name, guarded(getattr(found, name)))
    return found, csr(X)


@dense("read-only")
def read_only(X):
    found = X.copy()
    found.flags.writeable = False
    return found


@dense("field of a structure")
def field(X):
    found = np.zeros(X.shape, [("a", "i1"), ("x", "f8")])
    found["x"] = X
    return found["x"]


DAMAGED |= {
    "dense complex": lambda X, rng: X + 0j,
    "dense structure": lambda X, rng: np.zeros(len(X), [("a", "i1"), ("x", "f8")]),
    "dense of strings": lambda X, rng: np.full(X.shape, "a", object),
    "dense of None": lambda X, rng: np.full(X.shape, None, object),
    "dense of lists": lambda X, rng: np.array([[[1.0, 2.0]] * 4 + [None]] * 2, object)[:, :4],
    "dense nan": lambda X, rng: np.where(X.max() == X, np.nan, X),
    "dense inf": lambda X, rng: np.where(X.max() == X, np.inf, X),
    "dense too large": lambda X, rng: np.where(X.max() == X, np.longdouble("1e4000"), X),
    "dense 0-d": lambda X, rng: np.array(1.0),
    "dense 1-d": lambda X, rng: X[0],
    "dense 3-d": lambda X, rng: X[:, :, np.newaxis],
    "dense no columns": lambda X, rng: X[:, :0],
    "dense matrix": lambda X, rng: np.asmatrix(X),
    "ragged": lambda X, rng: [row[: 1 + i % 2].tolist() for i, row in enumerate(X)],
    "text": lambda X, rng: "abc",
}


def csr(X, index=np.int32, kind=sparse.csr_matrix):
    found = kind(X)
    found.indices, found.indptr = found.indices.astype(index), found.indptr.astype(index)
    return found


for kind in ("csr", "csc", "coo", "lil", "dok", "dia", "bsr"):
    for form in ("matrix", "array"):
        make = getattr(sparse, f"{kind}_{form}")
        VALID[f"{kind}_{form}"] = lambda X, rng, make=make: (make(X), csr(X))
for kind in (bool, *"bBhHiIlL", "g", ">f8", ">i4"):
    VALID[f"csr of {np.dtype(kind)}"] = lambda X, rng, kind=kind: (
        with_data(X, (found := csr(np.round(X))).data.astype(kind), found),
        csr(with_data(X, found.data.astype(kind).astype(np.float64), found)),
    )


def with_data(X, data, of):
    """A CSR matrix with these arrays, whatever they are."""
    found = csr(X)
    found.data, found.indices, found.indptr = data, of.indices, of.indptr
    return found


@valid
def int64_indices(X, rng):
    return csr(X, np.int64), csr(X)


@valid
def csc_int64_indices(X, rng):
    return csr(X, np.int64, sparse.csc_matrix), csr(X)


@valid
def mixed_indices(X, rng):
    found = csr(X)
    found.indices = found.indices.astype(np.int64)
    return found, csr(X)


@valid
def mixed_indptr(X, rng):
    found = csr(X)
    found.indptr = found.indptr.astype(np.int64)
    return found, csr(X)


def shuffled(X, rng, times=1):
    """Rows with columns in random order; each value is a sum of ``times`` halves."""
    rows, columns = np.nonzero(X)
    rows, columns = np.tile(rows, times), np.tile(columns, times)
    order = rng.permutation(len(rows))
    order = order[np.argsort(rows[order], kind="stable")]
    rows, columns = rows[order], columns[order]
    indptr = np.searchsorted(rows, np.arange(len(X) + 1))
    return sparse.csr_matrix((X[rows, columns] / times, columns, indptr), X.shape)


@valid
def unsorted(X, rng):
    return shuffled(X, rng), csr(X)


@valid
def duplicates(X, rng):
    return shuffled(X, rng, 2), csr(X)


@valid
def duplicates_int64(X, rng):
    return csr_of(shuffled(X, rng, 4), np.int64), csr(X)


def csr_of(found, index):
    found.indices, found.indptr = found.indices.astype(index), found.indptr.astype(index)
    return found


@valid
def explicit_zeros(X, rng):
    rows = np.arange(X.size + 1)[:: X.shape[1]]
    return (
        sparse.csr_matrix((X.ravel(), np.tile(np.arange(X.shape[1]), len(X)), rows), X.shape),
        csr(X),
    )


@valid
def empty_rows(X, rng):
    X = np.where(rng.random((len(X), 1)) < 0.5, X, 0.0)
    return csr(X), csr(X)


@valid
def no_values(X, rng):
    return sparse.csr_matrix(X.shape), csr(0.0 * X)


@valid
def spare_capacity(X, rng):
    found = csr(X)
    found.data = np.append(found.data, np.full(5, np.pi))
    found.indices = np.append(found.indices, np.full(5, 2**31 - 1, np.int32))
    return found, csr(X)


@valid
def read_only_parts(X, rng):
    found = csr(X)
    for array in (found.data, found.indices, found.indptr):
        array.flags.writeable = False
    return found, csr(X)


@valid
def read_only_unsorted(X, rng):
    found = shuffled(X, rng)
    for array in (found.data, found.indices, found.indptr):
        array.flags.writeable = False
    return found, csr(X)


def of_parts(name, change):
    def make(X, rng):
        found = csr(X)
        setattr(found, name, change(getattr(found, name)))
        return found, csr(X)

    return make


def shifted(array):
    found = np.zeros(array.nbytes + 1, np.uint8)[1:].view(array.dtype)
    found[:] = array
    return found


for name in ("data", "indices", "indptr"):
    VALID[f"{name} strided"] = of_parts(name, lambda a: np.repeat(a, 2)[::2])
    VALID[f"{name} negative stride"] = of_parts(name, lambda a: a[::-1].copy()[::-1])
    VALID[f"{name} misaligned"] = of_parts(name, shifted)
    VALID[f"{name} big-endian"] = of_parts(name, lambda a: a.astype(a.dtype.newbyteorder(">")))
for kind in ("u1", "i2", "u4", "u8"):
    for name in ("indices", "indptr"):
        VALID[f"{name} {kind}"] = of_parts(name, lambda a, kind=kind: a.astype(kind))


def changed(name, change, kind=sparse.csr_matrix, index=np.int32):
    def make(X, rng):
        found = csr(X, index, kind)
        setattr(found, name, change(getattr(found, name).copy(), rng, X.shape[1]))
        return found

    return make


def put(at, value):
    """Replace one of the numbers, at a place or at random."""

    def change(array, rng, n_features):
        place = rng.integers(len(array)) if at is None else at
        array[place] = value(array, n_features) if callable(value) else value
        return array

    return change


INDPTR = {
    "indptr[0] 1": put(0, 1),
    "indptr[0] negative": put(0, -3),
    "indptr[0] large": put(0, 2**30),
    "last indptr + 1": put(-1, lambda a, n: a[-1] + 1),
    "last indptr large": put(-1, 2**30),
    "last indptr 0": put(-1, 0),
    "last indptr negative": put(-1, -1),
    "indptr decreasing": put(2, lambda a, n: a[3] + 1),
    "indptr negative inside": put(2, -5),
    "indptr large inside": put(2, 2**30),
    "indptr shorter": lambda a, rng, n: a[:-2],
    "indptr longer": lambda a, rng, n: np.append(a, a[-1:]),
    "indptr empty": lambda a, rng, n: a[:0],
    "indptr 2-d": lambda a, rng, n: a[:, np.newaxis],
    "indptr of floats": lambda a, rng, n: a + 0.5,
}
INDICES = {
    "index n_features": put(None, lambda a, n: max(n, 60)),
    "index large": put(None, 2**31 - 1),
    "first index large": put(0, 2**31 - 1),
    "last index large": put(-1, 2**31 - 1),
    "index -1": put(None, -1),
    "index least": put(None, -(2**31)),
    "indices random": lambda a, rng, n: rng.integers(-(2**31), 2**31, len(a)).astype(a.dtype),
    "indices shorter": lambda a, rng, n: a[:-3],
    "indices empty": lambda a, rng, n: a[:0],
    "indices 2-d": lambda a, rng, n: a[:, np.newaxis],
    "indices of floats": lambda a, rng, n: a + 0.5,
}
DATA = {
    "data shorter": lambda a, rng, n: a[:-3],
    "data empty": lambda a, rng, n: a[:0],
    "data 2-d": lambda a, rng, n: a[:, np.newaxis],
    "data nan": put(None, np.nan),
    "data inf": put(None, np.inf),
    "data complex": lambda a, rng, n: a + 1j,
    "data of strings": lambda a, rng, n: np.full(len(a), "a"),
    "data of objects": lambda a, rng, n: np.full(len(a), None),
}
WIDE = {
    "indptr 2^40": put(-1, 2**40),
    "indptr 2^62 inside": put(2, 2**62),
    "indptr -2^62 inside": put(2, -(2**62)),
    "indptr decreasing": put(2, lambda a, n: a[3] + 1),
    "indptr 2^32 + last": put(-1, lambda a, n: a[-1] + 2**32),
}
for kind in ("csr", "csc"):
    for form in ("matrix", "array"):
        make = getattr(sparse, f"{kind}_{form}")
        for name, changes in (("indptr", INDPTR), ("indices", INDICES), ("data", DATA)):
            for change, function in changes.items():
                DAMAGED[f"{kind}_{form} {change}"] = changed(name, function, make)
    for change, function in WIDE.items():
        DAMAGED[f"{kind} int64 {change}"] = changed(
            "indptr", function, getattr(sparse, f"{kind}_matrix"), np.int64
        )
    for value in (2**31, 2**32, 2**32 + 1, 2**62, -(2**40)):
        DAMAGED[f"{kind} int64 index {value}"] = changed(
            "indices", put(None, value), getattr(sparse, f"{kind}_matrix"), np.int64
        )


def coo(X, rng, **changes):
    found = sparse.coo_matrix(X)
    for name, (at, value) in changes.items():
        getattr(found, name)[at] = value
    return found


DAMAGED |= {
    f"coo {name} {value}": partial(lambda X, rng, name, value: coo(X, rng, **{name: (3, value)}),
                                   name=name, value=value)
    for name in ("row", "col")
    for value in (-1, 60, 2**30, -(2**31))
}  # fmt: skip


@damaged
def lil_index(X, rng):
    found = sparse.lil_matrix(X)
    found.rows[3] = [10**6]
    found.data[3] = [1.0]
    return found


@damaged
def bsr_index(X, rng):
    found = sparse.bsr_matrix(X, blocksize=(2, 1))
    found.indices[3] = 2**30
    return found


@damaged
def bsr_indptr(X, rng):
    found = sparse.bsr_matrix(X, blocksize=(2, 1))
    found.indptr[-1] = 2**30
    return found


def huge(n_features):
    def make(X, rng):
        found = csr(X, np.int64)
        return sparse.csr_matrix((found.data, found.indices, found.indptr), (len(X), n_features))

    return make


DAMAGED |= {f"{HUGE} {n}": huge(n) for n in (2**31, 2**32 + 4, 2**40, 2**62)}


def stale(X, rng):
    """Unsorted columns or duplicates, although the matrix says that there are none."""
    found = shuffled(X, rng, 2)
    found.has_sorted_indices = found.has_canonical_format = True
    return found


FREE = {
    # Refused by estimators only.
    "dense dates": lambda X, rng: np.round(X).astype(int).astype("M8[s]"),
    "dense times": lambda X, rng: np.round(X).astype(int).astype("m8[s]"),
    "stale flags": stale,
    f"{HUGE} {2**31 - 1}": huge(2**31 - 1),
    "dense one column": lambda X, rng: X[:, :1],
    "dense more columns": lambda X, rng: np.hstack([X, X]),
    "nothing": lambda X, rng: None,
}


# -- calls ---------------------------------------------------------------------------------------

# They are called in other ways, or take no samples in the form of those of fit.
OMITTED = ("inverse_transform", "partial_fit", "fit", "fit_predict", "fit_transform", "resume")
CHANGING = ("compress",)


@cache
def base(name):
    X, y = samples_of(name if name in MODELS else "lasvm", N)
    if "precomputed" in name:
        X = np.round(rbf_kernel(X), 3)
    return np.ascontiguousarray(X, np.float64), y


@cache
def fitted(name):
    X, y = base(name)
    return seeded(name).fit(X, y)


def methods(name):
    """The methods of a fitted model that take samples.

    Those that an OnlinePipeline inherits pass the samples to transformers of scikit-learn, which
    do not check indices.
    """
    if "pipeline" in name:
        return
    model = fitted(name)
    for method in dir(type(model)):
        if method.startswith("_") or method in OMITTED or not hasattr(model, method):
            continue
        function = getattr(model, method)
        if callable(function) and "X" in inspect.signature(function).parameters:
            yield method


@cache
def begun(name):
    """A model that has been trained on a chunk."""
    X, y = base(name)
    return seeded(name).partial_fit(X, y, *classes_of(name, "partial_fit"))


def classes_of(name, way):
    """The argument ``classes`` of a call, if there is one."""
    if "classes" in inspect.signature(getattr(MODELS[name], way)).parameters:
        return (np.unique(base(name)[1]),)
    return ()


# Sums of other values, or in another order.
REORDERED = (
    *("unsorted", "read_only_unsorted", "duplicates", "duplicates_int64"),
    *("bsr_matrix", "bsr_array", "explicit_zeros"),
)
FITS = ("fit", "partial_fit", "continued")


def ways(name):
    if name in CALLS:
        yield "functions"
        return
    yield from FITS if hasattr(MODELS[name], "partial_fit") else FITS[:1]
    yield from methods(name)


def result(name, X, way):
    """Return the result of a method, or the predictions of a model trained by it."""
    probe, y = base(name)
    if name in CALLS:
        return CALLS[name](X)
    if way == "continued":
        model = copy.deepcopy(begun(name))
        try:
            return outputs(model.partial_fit(X, y), probe)
        except (ValueError, TypeError, MemoryError):
            same = state_of(outputs(model, probe)) == state_of(outputs(begun(name), probe))
            assert same, "a refused call has changed the model"
            raise
    if way in FITS:
        classes = classes_of(name, way) if way == "partial_fit" else ()
        return outputs(getattr(seeded(name), way)(X, y, *classes), probe)
    model = copy.deepcopy(fitted(name)) if way in CHANGING else fitted(name)
    known = {"y": y, "Cs": [0.1, 1.0], "max_support_vectors": 9}
    parameters = inspect.signature(getattr(model, way)).parameters
    found = getattr(model, way)(X=X, **{key: known[key] for key in known if key in parameters})
    if way == "fit_path":
        return np.array([outputs(each, probe) for each in found.models])
    return outputs(found, probe) if way in CHANGING else found


def outputs(model, X):
    return getattr(model, "decision_function", model.predict)(X)


def outcome(name, X, way):
    """Return the result, or the error."""
    try:
        return result(name, X, way)
    except (ValueError, TypeError) as error:
        return error


WANTED = {}


def wanted(name, X, way):
    """The same, for an array or CSR matrix in the usual form."""
    key = (name, way, joblib.hash(X))
    if key not in WANTED:
        WANTED[key] = outcome(name, X, way)
    return WANTED[key]


def are_errors(*results):
    return all(isinstance(each, Exception) for each in results)


def of_model(name, way, form, seed):
    """Check a call with the samples of a model in one form; return what is wrong."""
    X, rng = base(name)[0], np.random.default_rng(seed)
    try:
        if form in VALID:
            value, usual = VALID[form](X, rng)
            found, expected = outcome(name, value, way), wanted(name, usual, way)
            same = are_errors(found, expected) or state_of(found) == state_of(expected)
            # scikit-learn's scaler computes in these types.
            same |= "pipeline" in name and form in ("dense float16", "dense >f4")
            if not same and form in REORDERED and not isinstance(found, Exception):
                same = np.allclose(found, expected, rtol=1e-9, atol=1e-9)
            return None if same else f"{str(found):.120} is not {str(expected):.120}"
        found = outcome(name, FORMS[form](X, rng), way)
    except MemoryError:
        if form.startswith(HUGE):
            return None
        raise
    return "was accepted" if form in DAMAGED and not are_errors(found) else None


def columns(X, Y=None):
    return ColumnKernel([("laplacian", [0, 1]), ("linear", slice(2, 4))])(X, Y)


def fits(**params):
    return lambda X: outputs(LASVC(random_state=0, **params).fit(X, base("")[1]), X)


def queried(X):
    return MarginSampling(random_state=0).query(fitted("lasvm"), X, 3)


def validated(X):
    model, y = AROWClassifier(), base("")[1]
    return progressive_validation(model, X, y, classes=[10, 20, 30], return_predictions=True)[1]


def read(X):
    chunks = read_arrays(X, base("")[1], chunk_size=25)
    return fit_stream(AROWClassifier(), chunks, classes=[10, 20, 30]).coef_


def in_sets(X):
    return AdaptiveConformalInference().predict_set(fitted("arow"), X)


# Functions and methods of objects that are no estimators, and kernels of other compiled loops.
CALLS = {
    "ColumnKernel": columns,
    "ColumnKernel, Y": lambda X: columns(base("")[0], X),
    "Advice": lambda X: Advice(X, np.zeros(N), 10).D.toarray(),
    "Advice.contains": lambda X: Advice(np.eye(4), np.ones(4), 10).contains(X),
    "margin_sampling": lambda X: margin_sampling(fitted("lasvm"), X, 3, random_state=0),
    "margin_sampling, diversity": lambda X: margin_sampling(
        fitted("lasvm"), X, 3, pool_size=None, diversity=0.5
    ),
    "MarginSampling": queried,
    "progressive_validation": validated,
    "fit_stream": read,
    "AdaptiveConformalInference": in_sets,
    "precomputed": fits(kernel="precomputed"),
    "function": fits(kernel=linear_kernel),
    "linear": fits(kernel="linear", finishing=False),
    "laplacian": fits(kernel="laplacian", gamma=0.3),
    "tanimoto": fits(kernel="tanimoto"),
    "cosine": fits(kernel="cosine"),
    "columns": fits(kernel=ColumnKernel([("overlap", [0]), ("rbf", slice(1, 4))])),
}
FORMS = {**VALID, **DAMAGED, **FREE}


# These failed once: SciPy or scikit-learn read outside of arrays, or raised an IndexError.
KEPT = [
    *(("pa", "continued", form) for form in ("guarded", "guarded_csr", "overlapping")),
    *(("lasvm", "fit", f"{kind} last indptr 0") for kind in ("csr_matrix", "csc_matrix")),
    *(("pa", "decision_function", f"csr_matrix {change}") for change in INDICES),
    *(("pipeline", way, "csr_matrix index large") for way in FITS),
    *(("pipeline", "fit", form) for form in ("duplicates", "indices u8", "data negative stride")),
    ("pipeline", "fit", "mixed_indptr"),
    *(("local, scw", "decision_function", form) for form in ("duplicates", "duplicates_int64")),
    *(("search", way, "csc_matrix index large") for way in FITS),
    *(("lasvm", "fit", "coo row 60"), ("lasvm", "fit", "lil_index")),
    *(("ColumnKernel", "functions", form) for form in ("coo_matrix", "bsr_array", "dense 1-d")),
    *(("ColumnKernel", "functions", form) for form in ("spare_capacity", "dense complex")),
    ("ColumnKernel, Y", "functions", "dense one column"),
    *(("Advice", "functions", form) for form in ("csr of >f8", "dense complex")),
    *(("Advice.contains", "functions", form) for form in ("dense nan", "dense complex")),
    *(("fit_stream", "functions", form) for form in ("coo_matrix", "csr of >f8", "bsr_index")),
    ("margin_sampling, diversity", "functions", "csc_matrix index large"),
    ("progressive_validation", "functions", "csc_matrix index large"),
]


def cases(quick):
    every = [*KEPT]
    for i, name in enumerate([*MODELS, *CALLS]):
        for j, way in enumerate(ways(name)):
            for k, form in enumerate(FORMS):
                if (7 * i + 3 * j + k) % (331 if quick else 13) == 0:
                    every.append((name, way, form))
    for seed, (name, way, form) in enumerate(every):
        yield way, f"{name}, {way}, {form}", partial(of_model, name, way, form, seed)
