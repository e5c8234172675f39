"""Random calls of every public estimator, each of which has to come to an end.

``python -m tests.support.fuzz NAME:SEED ...`` runs calls in this process and prints, for each, a
line before it begins and one with what became of it. They are read from outside: a call that never
returns, or that ends the process, cannot report itself.

The values of parameters are drawn from ``_parameter_constraints``, each with a generator of its
own: a new parameter does not change the others, so that a seed keeps its meaning.
"""

import contextlib
import faulthandler
import inspect
import io
import json
import os
import re
import sys
import time
import traceback
import warnings
from functools import cache
from numbers import Integral
from zlib import crc32

import numpy as np
from scipy.sparse import csr_matrix, issparse
from sklearn.base import is_classifier, is_outlier_detector, is_regressor
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.preprocessing import MaxAbsScaler, StandardScaler
from sklearn.utils._param_validation import (
    HasMethods,
    Interval,
    InvalidParameterError,
    Options,
    make_constraint,
)

from sklearn_online_svm import LASVC, Advice
from sklearn_online_svm.active import AllQuery, MarginQuery, RandomQuery
from tests.support.docstrings import public_objects

try:
    import resource
except ImportError:  # Windows
    resource = None

MAX_SAMPLES = 200
# Seconds of processor time of a call: without a warning, and in any case.
SLOW, LIMIT = 10.0, 60
# Work that the user asks for in so many words; others end when there is nothing left to do.
LARGEST = {"max_iter": 1000, "n_virtual": 20, "max_resources": 200}
# If not even the kernel values of 200 samples fit into the cache, each step computes two rows, by
# a Python function if the kernel is one: as documented, this takes more time.
LEAST = {"cache_size": 1.0}
OF_NONNEGATIVE = ("chi2", "intersection", "tanimoto")
PREDICTIONS = (
    *("predict", "decision_function", "predict_proba", "decision_variance", "score_samples"),
)


def trained():
    """The public classes that are trained, by name."""
    classes = [kind for kind in public_objects().values() if inspect.isclass(kind)]
    ways = ("fit", "fit_resample")
    return {kind.__name__: kind for kind in classes if any(hasattr(kind, way) for way in ways)}


TRAINED = trained()


def examples():
    """Estimators that another one may contain: dict from the class to an estimator."""
    others = {"ProgressiveSearch": (LASVC(), {"C": [1.0]})}
    left_out = ("EntityResolver", "OnlinePipeline", "VirtualSampler", "OneClassLASVM")
    return {
        kind: kind(*others.get(name, ())) for name, kind in TRAINED.items() if name not in left_out
    }


EXAMPLES = examples()


@cache
def signature_of(kind):
    return inspect.signature(kind).parameters


def is_trained(model):
    return True


def is_simple(model):
    return "estimator" not in model.get_params(deep=False)


# -- kernels -------------------------------------------------------------------------------------


def asymmetric(A, B):
    return np.sin(A[:, :1] + 2 * B[:, :1].T) + A[:, -1:]


def negative(A, B):
    return -rbf_kernel(A, B)


def constant(A, B):
    return np.full((len(A), len(B)), 1.0)


def huge(A, B):
    return 1e30 * rbf_kernel(A, B, gamma=1e-3)


def tiny(A, B):
    return 1e-200 * rbf_kernel(A, B, gamma=1.0)


CALLABLES = (asymmetric, negative, constant, huge, tiny)


def kernel_matrix(rng, n):
    """A precomputed kernel, which need not be one."""
    K = rng.normal(size=(n, n)) * 10.0 ** rng.integers(-3, 4)
    way = rng.choice(["random", "symmetric", "definite", "low rank", "zero"])
    if way == "symmetric":
        K = K + K.T
    elif way == "definite":
        K = K @ K.T
    elif way == "low rank":
        K = K[:, :1] @ K[:, :1].T
    elif way == "zero":
        K[:] = 0.0
    return K


# -- data ----------------------------------------------------------------------------------------


def samples(rng, codes):
    """Samples that are easy, hard, or without sense."""
    n = len(codes)
    kind = rng.choice(
        ["clouds", "noise", "duplicates", "equal", "integers", "scales", "line", "one-hot"],
        p=[0.3, 0.15, 0.1, 0.05, 0.1, 0.1, 0.1, 0.1],
    )
    n_features = int(rng.choice([1, 2, 5, 20, MAX_SAMPLES], p=[0.1, 0.35, 0.3, 0.15, 0.1]))
    X = rng.normal(size=(n, n_features))
    if kind == "clouds":
        X += 2.0 * rng.normal(size=(codes.max() + 1, n_features))[codes]
    elif kind == "duplicates":
        X = X[np.arange(n) % max(2, n // 4)]
    elif kind == "equal":
        X[:] = X[0]
    elif kind == "integers":
        X = rng.integers(0, 3, size=X.shape).astype(float)
    elif kind == "scales":
        X *= 10.0 ** rng.uniform(-4, 4, size=n_features)
        X[:, 0] = 1.0
    elif kind == "line":
        X[:] = np.sort(X[:, :1], axis=0)
    elif kind == "one-hot":
        X = np.eye(n_features)[rng.integers(0, n_features, n)]
    X = X + rng.choice([0.0, 0.0, 0.0, 10.0, 1000.0, 1e8])
    if rng.random() < 0.1:
        # Close to the smallest and the largest floats, or to those of a single product.
        size = rng.choice([1e-300, 1e-160, 1e-100, 1e-20, 1e20, 1e100, 1e150, 1.7e308])
        X *= size / max(1.0, np.abs(X).max())
    way = rng.choice(["float64", "float32", "csr", "csr32", "F"], p=[0.6, 0.1, 0.15, 0.05, 0.1])
    if "32" in way and np.abs(X).max() < 1e38:
        X = X.astype(np.float32)
    if "csr" in way:
        X = csr_matrix(X)
    return f"{kind} {way}", np.asfortranarray(X) if way == "F" else X


def class_codes(rng):
    n = int(rng.choice([2, 4, 20, 60, MAX_SAMPLES], p=[0.02, 0.1, 0.2, 0.36, 0.32]))
    n_classes = min(int(rng.choice([2, 2, 2, 3, 10, 30])), n)
    codes = np.arange(n) % n_classes
    if rng.random() < 0.2:  # all classes but one are rare
        codes[n_classes:] = 0
    return rng.permutation(codes)


def labels_of(rng, codes):
    way = rng.choice(["int", "str", "float"], p=[0.7, 0.2, 0.1])
    if way == "int":
        return codes
    return np.array([f"class {code}" for code in codes]) if way == "str" else codes - 1.0


def values_of(rng, codes, X):
    """Targets of a regression."""
    n = len(codes)
    way = rng.choice(
        ["smooth", "noise", "constant", "integers", "zero"], p=[0.5, 0.2, 0.1, 0.1, 0.1]
    )
    y = {
        "smooth": codes + 0.1 * rng.normal(size=n),
        "noise": rng.normal(size=n),
        "constant": np.full(n, rng.normal()),
        "integers": codes.astype(float),
        "zero": np.zeros(n),
    }[way]
    return y * rng.choice([1.0, 1.0, 1.0, 1e3, 1e6, 1e6, 1e20, 1e150, 1e-100])


def weights_of(rng, n):
    if rng.random() < 0.7:
        return None
    weights = 10.0 ** rng.uniform(-3, rng.choice([1, 10]), size=n)
    weights[rng.random(n) < 0.1] = 0.0
    if rng.random() < 0.1:
        weights *= rng.choice([1e-300, 1e-100, 1e100, 1e290])
    return weights


# -- parameters ----------------------------------------------------------------------------------


# Estimators that suit another one, as its documentation says.
INNER = {
    "CellRegressor": is_regressor,
    "CellClassifier": is_classifier,
    "VirtualSampler": lambda model: is_classifier(model) and hasattr(type(model), "support_"),
}


class Parameters:
    """Draws the parameters of an estimator, and those of the estimators that it contains."""

    def __init__(self, seed, codes, labels, n_features):
        self.seed, self.codes, self.labels = seed, codes, labels
        self.n_features = n_features

    def rng(self, path):
        return np.random.default_rng([self.seed, crc32(path.encode())])

    def estimator(self, kind, path="", depth=0):
        """Return an estimator of a class."""
        signature = signature_of(kind)
        path = f"{path}{kind.__name__}."
        params = {
            name: self.value(name, signature[name].default, allowed, f"{path}{name}.", depth)
            for name, allowed in kind._parameter_constraints.items()
            if name in signature and (allowed != "no_validation" or hasattr(self, f"_{name}"))
        }
        if kind.__name__ == "CompressedClassifier" and (params["tolerance"] is None) == (
            params["max_support_vectors"] is None
        ):
            params |= dict(tolerance=None, max_support_vectors=int(self.rng(path).integers(1, 30)))
        if kind.__name__ == "ProgressiveSearch":
            params |= self.of_search(params["estimator"], path)
        return kind(**params)

    def value(self, name, default, constraints, path, depth):
        rng = self.rng(path)
        if name == "random_state":
            return int(rng.integers(100))
        is_required = default is inspect.Parameter.empty
        # Most combinations of many extreme values are refused, or train nothing.
        if not is_required and rng.random() < 0.6:
            return default
        if hasattr(self, f"_{name}"):
            return getattr(self, f"_{name}")(rng, path, depth)
        ways = [draw for each in constraints if (draw := self.way(name, each, path, depth))]
        return ways[rng.integers(len(ways))](rng) if ways else default

    def way(self, name, constraint, path, depth):
        """Return a function that draws a value that meets a constraint; None if there is none."""
        constraint = make_constraint(constraint)
        kind = type(constraint).__name__
        if isinstance(constraint, Interval):
            draw = number if constraint.type is not Integral else integer
            return lambda rng: draw(rng, constraint, LEAST.get(name), LARGEST.get(name))
        if isinstance(constraint, Options):
            options = sorted(constraint.options, key=repr)
            return lambda rng: options[rng.integers(len(options))]
        if kind == "_Booleans":
            return lambda rng: bool(rng.random() < 0.5)
        if kind == "_NoneConstraint":
            return lambda rng: None
        if kind == "_VerboseHelper":
            return lambda rng: int(rng.integers(3))
        if kind == "_Callables" and name == "kernel":
            return lambda rng: CALLABLES[rng.integers(len(CALLABLES))]
        if kind == "_CVObjects":
            return lambda rng: int(rng.integers(2, 4))
        if name == "estimator":
            suits = INNER.get(path.split(".")[-3], is_trained)
            return lambda rng: self.inner(rng, constraint, suits, path, depth)
        if name == "class_weight" and constraint.type is dict:
            return self.class_weight
        return None

    def inner(self, rng, constraint, suits, path, depth):
        """Return an estimator that meets a constraint."""
        kinds = [
            kind
            for kind, example in EXAMPLES.items()
            if constraint.is_satisfied_by(example)
            and suits(example)
            and (depth < 1 or is_simple(example))
        ]
        return self.estimator(kinds[rng.integers(len(kinds))], path, depth + 1)

    def class_weight(self, rng):
        some = [label for label in np.unique(self.labels).tolist() if rng.random() < 0.5]
        low, high = ((-3, 3), (-3, 12), (-300, 300))[rng.integers(3)]
        return {label: float(10.0 ** rng.uniform(low, high)) for label in some}

    def of_search(self, estimator, path):
        """Return a metric that fits the estimator, and values of one or two parameters."""
        rng = self.rng(f"{path}grid")
        metrics = ["accuracy", "f1_macro", "balanced_accuracy", "roc_auc", None]
        if is_regressor(estimator):
            metrics = ["r2", "neg_max_error", "neg_mean_squared_error", None]
        elif hasattr(estimator, "predict_proba"):
            metrics.append("neg_log_loss")
        params = estimator.get_params(deep=False)
        known = {
            name: constraints
            for name, constraints in type(estimator)._parameter_constraints.items()
            if name in params
            and constraints != "no_validation"
            and name not in ("advice", "steps")
        }
        names = rng.choice(sorted(known), size=int(rng.integers(1, 3)), replace=False)
        grid = {
            str(name): [
                self.value(name, params[name], known[name], f"{path}{name}{k}.", 1)
                for k in range(3)
            ]
            for name in names
        }
        return {"param_grid": grid, "scoring": metrics[rng.integers(len(metrics))]}

    # The following parameters have types that their constraints do not tell.

    def _n_jobs(self, rng, path, depth):
        return (None, 1, 2, -1)[rng.integers(4)]

    def _cell_size(self, rng, path, depth):
        # With cells of two samples there are several times as many models as samples, which take
        # some milliseconds each.
        return (10, 20, 100, 10**6)[rng.integers(4)]

    def _pos_label(self, rng, path, depth):
        return np.unique(self.labels)[-1]

    _minority_class = _pos_label

    def _costs(self, rng, path, depth):
        n = len(np.unique(self.labels))
        if rng.random() < 0.5:
            return self.class_weight(rng)
        return (1.0 - np.eye(n)) * rng.uniform(0, 5, (n, n))

    def _advice(self, rng, path, depth):
        label = self.labels[0]
        rules = {int(rng.integers(self.n_features)): (">=", float(rng.normal()))}
        return [Advice.from_conditions(rules, range(self.n_features), label)]

    def _query_strategy(self, rng, path, depth):
        kinds = (AllQuery, RandomQuery, MarginQuery)
        return self.estimator(kinds[rng.integers(3)], path, depth + 1)

    def _sampling_strategy(self, rng, path, depth):
        options = ("auto", "minority", "all", "not minority", 1.0, 0.7)
        return options[rng.integers(len(options))]

    def _refit(self, rng, path, depth):
        return True

    def _max_cost(self, rng, path, depth):
        return float(rng.choice([1e-3, 1.0, 25.0, np.inf]))

    def _error_score(self, rng, path, depth):
        return ("raise", np.nan, 0.0)[rng.integers(3)]

    def _steps(self, rng, path, depth):
        scaler = (StandardScaler(with_mean=False), MaxAbsScaler())[rng.integers(2)]
        model = self.inner(rng, HasMethods("partial_fit"), is_trained, path, depth)
        return [("scale", scaler), ("model", model)]

    def _similarities(self, rng, path, depth):
        return [_closeness, _same_first][: rng.integers(1, 3)]


def _closeness(a, b):
    return float(np.exp(-np.abs(a - b).max()))


def _same_first(a, b):
    return float(a[0] == b[0])


def number(rng, interval, least, largest):
    """A float of an interval: near 1, far from it, or at its ends."""
    ends = [end for end in (interval.left, interval.right) if end is not None]
    while True:
        way = rng.choice(
            ["near", "far", "extreme", "end", "between"], p=[0.35, 0.2, 0.15, 0.15, 0.15]
        )
        if way == "end" and ends:
            end = float(ends[rng.integers(len(ends))])
            value = end if end in interval else np.nextafter(end, 1.0)
        elif way == "between" and len(ends) == 2:
            value = rng.uniform(max(ends[0], -1e300), min(ends[1], 1e300))
        else:
            low, high = {"near": (-3, 3), "far": (-12, 8)}.get(way, (-300, 300))
            value = 10.0 ** rng.uniform(low, high)
            if interval.left is None or interval.left < 0:
                value *= rng.choice([-1.0, 1.0])
        if float(value) in interval:
            return float(value) if least is None else max(least, float(value))


SIZES = (0, 0, 1, 1, 2, 5, 20, 100, 1000, 10**6, 2**31 - 1, 2**62, 10**20)


def integer(rng, interval, least, largest):
    """An integer of an interval: its ends, or one that is small or huge."""
    first = 0 if interval.left is None else int(interval.left)
    while True:
        value = first + SIZES[rng.integers(len(SIZES))]
        if value in interval and (largest is None or value <= largest):
            return value


# -- calls ---------------------------------------------------------------------------------------


class Call:
    """The call of an estimator with a seed."""

    def __init__(self, name, seed):
        self.kind = TRAINED[name]
        rng = np.random.default_rng([seed, crc32(b"data")])
        codes = class_codes(rng)
        if name == "EntityResolver":
            codes = codes[:20]
        labels = labels_of(rng, codes)
        self.about, X = samples(rng, codes)
        self.weights = weights_of(rng, len(codes))
        draw = Parameters(seed, codes, labels, X.shape[1])
        self.model = draw.estimator(self.kind)
        kernels = [
            value
            for key, value in self.model.get_params().items()
            if key.split("__")[-1] == "kernel"
        ]
        if any(map(callable, kernels)):
            X = X.toarray() if issparse(X) else X
        if any(kernel in OF_NONNEGATIVE for kernel in kernels if isinstance(kernel, str)):
            X = abs(X) if rng.random() < 0.8 else X
        self.is_precomputed = "precomputed" in [k for k in kernels if isinstance(k, str)]
        if self.is_precomputed:
            X = kernel_matrix(rng, len(codes))
        if name == "EntityResolver":
            X = list(X.toarray() if issparse(X) else X)
        self.X = X
        self.y = labels
        if is_regressor(self.model):
            self.y = values_of(rng, codes, X)
        self.chunk = None
        if hasattr(self.model, "partial_fit") and not self.is_precomputed:
            self.chunk = (None, None, 7, 50)[rng.integers(4)]
        self.is_finished = bool(rng.random() < 0.5)

    def __str__(self):
        shape = (len(self.X),) if isinstance(self.X, list) else self.X.shape
        model = repr_of(self.model)
        chunk = f"chunks of {self.chunk}" if self.chunk else "fit"
        weighted = "" if self.weights is None else ", weighted"
        n_classes = len(np.unique(self.y))
        return f"{model}, {chunk}{weighted}, {self.about} {shape}, {n_classes} values of y"

    def run(self):
        """Train the estimator and check its predictions."""
        model, X, y = self.model, self.X, self.y
        if self.kind.__name__ == "EntityResolver":
            model.fit(X, y)
            found = model.predict(X)
            assert found.shape == (len(X),), found.shape
            return
        if hasattr(model, "fit_resample"):
            found, labels = model.fit_resample(X, y)
            check_finite("fit_resample", found.data if issparse(found) else found)
            assert found.shape[0] == len(labels), (found.shape, len(labels))
            return
        takes_weights = "sample_weight" in inspect.signature(model.fit).parameters
        weights = self.weights if takes_weights else None
        if self.chunk is None:
            model.fit(X, y, **({} if weights is None else {"sample_weight": weights}))
        else:
            for first in range(0, X.shape[0], self.chunk):
                chunk = slice(first, first + self.chunk)
                options = {} if weights is None else {"sample_weight": weights[chunk]}
                if is_classifier(model):
                    options["classes"] = np.unique(y)
                model.partial_fit(X[chunk], y[chunk], **options)
            if self.is_finished and hasattr(model, "finish"):
                model.finish()
        with named("predictions"):
            check_predictions(model, X, y)


def check_predictions(model, X, y):
    """Assert that predictions are finite, with the right shape, and that labels are known."""
    n = X.shape[0]
    for method in PREDICTIONS:
        if not hasattr(model, method):
            continue
        found = getattr(model, method)(X)
        assert len(found) == n, (method, found.shape)
        if method == "predict" and is_classifier(model):
            assert found.shape == (n,), (method, found.shape)
            assert np.isin(found, np.unique(y)).all(), "labels"
            continue
        check_finite(method, found)
        if method == "predict":
            assert found.shape == (n,), (method, found.shape)
            assert not is_outlier_detector(model) or np.isin(found, [-1, 1]).all(), "labels"
        if is_classifier(model) and method in ("predict_proba", "decision_function"):
            k = len(model.classes_)
            shapes = [(n, k)]
            if method == "decision_function":
                shapes = [(n,)] if k == 2 else [(n, k), (n, k * (k - 1) // 2)]
            assert found.shape in shapes, (method, found.shape)
        if method == "predict_proba":
            assert (found >= 0).all() and np.allclose(found.sum(axis=1), 1.0), "probabilities"
        if method == "decision_variance":
            assert (found >= 0).all(), "negative variances"


def check_finite(method, values):
    assert np.isfinite(values).all(), f"{method} is not finite"


@contextlib.contextmanager
def named(part):
    try:
        yield
    except ValueError as error:
        error.args = (f"{part}: {error}",)
        raise


def repr_of(model):
    """Return the estimator with all parameters that are not the default."""
    return re.sub(r"\s+", " ", model.__repr__(N_CHAR_MAX=10_000))


def call_of(case):
    name, seed = case.split(":")
    return Call(name, int(seed))


def run(case):
    """Make a call; print what became of it, and the processor time it took."""
    call = call_of(case)
    print(json.dumps({"case": case}), file=sys.__stdout__, flush=True)
    limit_processor_time()
    start = time.process_time()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            try:
                call.run()
                outcome = "result"
            except Exception as error:
                where = traceback.extract_tb(error.__traceback__)[-1]
                place = f"{os.path.basename(where.filename)}:{where.lineno}"
                outcome = f"{type(error).__name__} in {place}: {error}"
                # Others, such as LinAlgError, are derived from ValueError. A model that queries no
                # label cannot be trained.
                if type(error) in (ValueError, InvalidParameterError) or "No label" in str(error):
                    outcome = f"ValueError: {error}"
    seconds = time.process_time() - start
    said = sorted({f"{w.category.__name__}: {w.message}" for w in caught})
    warned = any(issubclass(w.category, ConvergenceWarning) for w in caught)
    report = dict(outcome=outcome, warned=warned, seconds=seconds, warnings=said)
    print(json.dumps(report), file=sys.__stdout__, flush=True)


def limit_processor_time():
    """End this process if its next call takes more than LIMIT seconds."""
    if resource is not None:
        spent = int(time.process_time()) + 1
        hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
        resource.setrlimit(resource.RLIMIT_CPU, (spent + LIMIT, hard))


if __name__ == "__main__":
    faulthandler.enable()
    if resource is not None:
        import signal

        faulthandler.register(signal.SIGXCPU, all_threads=True, chain=True)
    for case in sys.argv[1:]:
        run(case)
