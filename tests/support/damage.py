"""Damaged states of fitted models, tried in a process of their own.

``python -m tests.support.damage FIRST LAST SEED`` loads and uses the cases FIRST to LAST - 1 and
prints two lines for each: its number and what is damaged, before it is tried, and how it went. A
crash or a hang ends the process in between; `try_cases` starts another one behind it. What is
tried depends on the seed and the number of the case only.
"""

import contextlib
import copy
import json
import os
import re
import signal
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError

from tests.support import ROOT

# Processor time for a case; it ends the process where the system has such clocks.
SECONDS = 2.0
# Beyond what the interpreter has: a count believed would be met here.
BYTES = 2 << 30


# ---------------------------------------------------------------------------- models


def rbf(A, B):
    A, B = (M.toarray() if sparse.issparse(M) else M for M in (A, B))
    return np.exp(-0.5 * ((A[:, None] - B[None]) ** 2).sum(axis=2))


def models():
    """Fitted models, each with rows to go on with: name -> (model, X, y)."""
    import sklearn_online_svm as package
    from sklearn_online_svm import active

    random = np.random.RandomState(0)

    def blobs(n_rows, n_classes, noise=0.15):
        y = np.arange(n_rows) % n_classes
        X = np.array([[-1.0, 0], [1, 0], [0, 1.5]])[y] + random.normal(size=(n_rows, 2))
        X = np.column_stack([X, random.normal(size=(n_rows, 3)) * 0.3])
        flips = random.uniform(size=n_rows) < noise
        y[flips] = (y[flips] + 1) % n_classes
        return X, y

    X, y = blobs(360, 2)
    X3, y3 = blobs(120, 3)
    S, S3 = (sparse.csr_matrix(np.where(abs(M) > 0.4, M, 0)) for M in (X, X3))
    names = np.array(["a", "b"])

    def learnt(model, X, y, start=-30):
        """All but the last rows have been learnt."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.partial_fit(X[:start], y[:start], np.unique(y))
        return model, X[start:], y[start:]

    def fitted(model, X, y):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return model.fit(X, y), X[:30], y[:30]

    LASVC, Ramp = package.LASVC, package.RampSVC
    PA, Costs = (
        package.PassiveAggressiveClassifier,
        (package.CostSensitivePassiveAggressiveClassifier),
    )
    label_efficient = package.LabelEfficientClassifier
    rules = [
        package.Advice.from_rules({0: (">=", 1)}, range(5), 1),
        package.Advice.from_rules({0: ("<=", -1), 2: (-1, 1)}, range(5), 0),
    ]
    rule = active.MarginQuery(rate=0.3, random_state=0)
    rule.update(X[:50, 0], rule.query(X[:50, 0]))
    at_random = active.RandomQuery(0.3, random_state=0)
    at_random.update(X[:50, 0], at_random.query(X[:50, 0]))
    return {
        "lasvm": learnt(LASVC(gamma=0.5), X[:150], y[:150]),
        "lasvm, budget": learnt(LASVC(gamma=0.5, max_support_vectors=30, window_size=90), X3, y3),
        "lasvm, settled": _settled(*learnt(LASVC(gamma=0.5, C=30), X3, y3)),
        "lasvm, far": learnt(LASVC(kernel="linear"), X3 + 1e4, y3),
        "lasvm, far, sparse": learnt(LASVC(kernel="linear"), sparse.csr_matrix(X3 + 1e4), y3),
        "lasvm-g, settled": _settled(*learnt(LASVC(algorithm="lasvm-g", gamma=0.5), X, y)),
        "lasvm, names": fitted(LASVC(gamma=0.5, C=3), X[:100], names[y[:100]]),
        "lasvm, 3 classes": learnt(LASVC(gamma=0.5), X3, y3),
        "lasvm, sparse": learnt(LASVC(kernel="linear"), S[:150], y[:150]),
        "lasvm, sparse, 3 classes, float32": learnt(LASVC(gamma=0.5), S3.astype(np.float32), y3),
        "lasvm, poly, float32": learnt(
            LASVC(kernel="poly", gamma=0.5, coef0=1.0), X3.astype(np.float32), y3
        ),
        "lasvm, fit, weights": fitted(LASVC(class_weight="online_balanced"), X[:100], y[:100]),
        "lasvm, callable": learnt(LASVC(kernel=rbf), X[:80], y[:80]),
        "lasvm, callable, sparse": learnt(LASVC(kernel=rbf), S3[:80], y3[:80]),
        "lasvm, precomputed": fitted(LASVC(kernel="precomputed"), rbf(X[:60], X[:60]), y[:60]),
        "lasvm-g": learnt(LASVC(algorithm="lasvm-g", gamma=0.5), X, y),
        "lasvm-nc": learnt(LASVC(algorithm="lasvm-nc", gamma=0.5), X3, y3),
        "lasvm-i": learnt(LASVC(algorithm="lasvm-i", gamma=0.5), S, y),
        "virtual": learnt(package.VirtualLASVC(gamma=0.5, random_state=0), X, y),
        "virtual, sparse": learnt(package.VirtualLASVC(gamma=0.5, random_state=0), S3, y3),
        "kernel pa, margin": learnt(
            package.KernelPassiveAggressiveClassifier(
                gamma=0.5, max_support_vectors=20, budget_policy="margin"
            ),
            X3,
            y3,
        ),
        "kernel pa, merging": learnt(
            package.KernelPassiveAggressiveClassifier(
                gamma=0.5, max_support_vectors=20, budget_policy="merging"
            ),
            X3,
            y3,
        ),
        "kernel pa, projection": learnt(
            package.KernelPassiveAggressiveClassifier(gamma=0.5, max_support_vectors=20), S, y
        ),
        "kernel pa, sparse, oldest": learnt(
            package.KernelPassiveAggressiveClassifier(
                gamma=0.5, max_support_vectors=20, budget_policy="oldest"
            ),
            S,
            y,
        ),
        "kernel perceptron, mean": learnt(
            package.KernelPerceptronClassifier(gamma=0.5, average="mean", margin=0.1), X, y
        ),
        "kernel perceptron, vote": learnt(
            package.KernelPerceptronClassifier(gamma=0.5, average="vote"), X3, y3
        ),
        "kernel perceptron, callable": learnt(
            package.KernelPerceptronClassifier(kernel=rbf), X3[:80], y3[:80]
        ),
        "ramp": fitted(Ramp(gamma=0.5), X[:100], y[:100]),
        "ramp, 3 classes": fitted(Ramp(fit_intercept=False, gamma=0.5), X3[:60], y3[:60]),
        "lasvm, cut": _cut(LASVC(kernel=CutKernel(), C=5.0, random_state=0), X, y, 4),
        "lasvm, 3 classes, cut": _cut(
            LASVC(kernel=CutKernel(), C=5.0, max_iter=3, random_state=0), X3, y3, 4
        ),
        "lasvm-g, chunk, cut": _cut(
            LASVC(kernel=CutKernel(), algorithm="lasvm-g", cache_size=1e-2), X3, y3, 4, "chunk"
        ),
        "ramp, 3 classes, cut": _cut(
            Ramp(kernel=CutKernel(), ramp_s=0.0, cache_size=1e-2, random_state=0), X3, y3, 12
        ),
        "pa": learnt(PA(), X, y),
        "pa, sparse, 3 classes": learnt(PA(C=0.1), S3, y3),
        "pa, average": learnt(PA(average=True), X3.astype(np.float32), y3),
        "pa, crammer_singer": learnt(PA(multi_class="crammer_singer"), X3, y3),
        "pa, thin": _thin(*learnt(PA(), X, y)),
        "pa regressor": fitted(package.PassiveAggressiveRegressor(), X[:90], X[:90, 1]),
        "perceptron": learnt(package.PerceptronClassifier(average=True), S, y),
        "second order perceptron": learnt(package.SecondOrderPerceptronClassifier(), X3, y3),
        "cw": learnt(package.ConfidenceWeightedClassifier(), X, y),
        "scw, full": learnt(package.SCWClassifier(covariance="full"), X, y),
        "arow": learnt(package.AROWClassifier(), S3, y3),
        "advice, scaled": learnt(
            package.ScaledAdviceClassifier(package.AdvicePassiveAggressiveClassifier(rules)), X, y
        ),
        "local": learnt(package.LocalOnlineClassifier(5, n_neighbors=2), X, y),
        "local, sparse, 3 classes, average": learnt(
            package.LocalOnlineClassifier(5, average=True), S3.astype(np.float32), y3
        ),
        "local, scw": learnt(package.LocalOnlineClassifier(5, variant="scw"), X3, y3),
        "advice": learnt(package.AdvicePassiveAggressiveClassifier(rules), X, y),
        "advice, refined, 3 classes": learnt(
            package.AdvicePassiveAggressiveClassifier(rules, refine=True), S3, y3
        ),
        "costs": learnt(Costs(pos_label=1), X, y),
        "costs of pairs": learnt(Costs(rule="max_loss", multi_class="crammer_singer"), X3, y3),
        "labels": learnt(label_efficient(), X, y),
        "labels, names, 3 classes": learnt(
            label_efficient(package.AROWClassifier(), active.MarginQuery(rate=0.3)),
            S3,
            np.array(["a", "b", "c"])[y3],
        ),
        "labels, lasvc": learnt(
            label_efficient(LASVC(gamma=0.5), active.RandomQuery(0.5)), X3, y3, start=-5
        ),
        "labels, interrupted": _interrupted(label_efficient(), X, y),
        "rule": (rule, X[50:80], None),
        "random rule": (at_random, X[50:80], None),
    }


def _thin(model, X, y):
    return model.sparsify(), X, y


def _settled(model, X, y):
    """With the solution that decisions come from."""
    model.predict(X)
    return model.partial_fit(X[:2], y[:2]), X[2:], y[2:]


class CutKernel:
    """A kernel in whose n-th call Ctrl-C is pressed."""

    def __init__(self):
        self.calls_left = -1

    def __call__(self, A, B):
        self.calls_left -= 1
        if self.calls_left == 0:
            raise KeyboardInterrupt
        return rbf(A, B)


def _cut(model, X, y, n_calls, what="fit"):
    """Interrupted in the midst of a call."""
    model.kernel.calls_left = n_calls
    try:
        if what == "fit":
            model.fit(X, y)
        else:
            model.partial_fit(X, y, np.unique(y))
    except KeyboardInterrupt:
        return model, X, y
    raise AssertionError("was not interrupted")


def _interrupted(model, X, y):
    """After an oracle that gave up."""

    def oracle(i):
        if i > 60:
            raise RuntimeError("No more answers.")
        return y[i]

    with contextlib.suppress(RuntimeError):
        model.partial_fit(X[:90], classes=np.unique(y), oracle=oracle)
    return model, X[:90], y[:90]


def use(model, X, y):
    """Everything a user might do with a model that has been loaded."""
    if y is None:
        scores = X[:, 0].copy()
        model.update(scores, model.query(scores))
        return model.probabilities(scores)
    if not hasattr(model, "classes_") or getattr(model, "kernel", None) == "precomputed":
        model.predict(X)
        return None
    if getattr(model, "interrupted_", False):
        assert np.isin(model.predict(X), model.classes_).all()
        model.resume(X, y)
        return None
    # Other labels than before are as good.
    y = model.classes_[np.searchsorted(np.unique(y), y)]
    for _ in range(2):
        assert np.isin(model.predict(X), model.classes_).all()
        assert len(model.decision_function(X)) == X.shape[0]
        if hasattr(model, "partial_fit"):
            model.partial_fit(X, y)
        if hasattr(model, "finish"):
            model.finish()
    for name in (
        "support_vectors_",
        "dual_coef_",
        "n_support_",
        "support_",
        "coef_",
        "t_",
        "duality_gap_",
        "covariance_",
        "queried_",
        "online_predictions_",
    ):
        with contextlib.suppress(AttributeError):
            getattr(model, name)
    # Where vectors went wrong a kernel function may give anything.
    return None if callable(getattr(model, "kernel", None)) else copy.deepcopy(model)


# ---------------------------------------------------------------------------- damage


def places(state, skip=()):
    """Paths to everything in nested dicts, lists and estimators, with what lies there."""
    items = state.items() if isinstance(state, dict) else enumerate(state)
    for key, value in items:
        if key in skip:
            continue
        yield (key,), value
        inner = inside(value)
        if inner is not None:
            for path, what in places(inner, of_estimator(value)):
                yield (key, *path), what


def inside(value):
    if isinstance(value, dict | list):
        return value
    if type(value).__module__.startswith(("sklearn_online_svm", "scipy.sparse")):
        return value.__dict__ if sparse.issparse(value) else value.__getstate__()
    return None


def of_estimator(value):
    """Parameters are checked where they are used; anyone may set them."""
    return value.get_params(deep=False) if isinstance(value, BaseEstimator) else ()


def damaged(state, path, damage):
    """Copy of a state with ``damage`` done to what lies at ``path``."""
    if isinstance(state, dict | list):
        copied = copy.copy(state)
        if len(path) > 1:
            copied[path[0]] = damaged(state[path[0]], path[1:], damage)
            return copied
        value = damage(copy.deepcopy(state[path[0]]))
        if value is _GONE:
            del copied[path[0]]
        else:
            copied[path[0]] = value
        return copied
    # An object: one that is loaded from a damaged state.
    inner = damaged(dict(inside(state)), path, damage)
    return loaded(type(state), inner)


def loaded(kind, state):
    new = kind.__new__(kind)
    if hasattr(new, "__setstate__"):
        new.__setstate__(state)
    else:
        new.__dict__.update(state)
    return new


_GONE = object()
_INTEGERS = [-1, 0, 1, 2, 7, -64, 65, 2**15, 2**31 - 1, 2**31, 2**40, 2**63, 2**70, -(2**63)]
_FLOATS = [np.nan, np.inf, -np.inf, -1.0, 0.0, 1e-300, 1e300, 1e30, -1e30]
_OTHERS = [None, "x", [], {}, 1.5, -3, True, np.zeros(0), np.zeros((2, 2)), np.float64(2.0)]


def damage_for(value, random):
    """A name, and a function that damages such a value."""

    def draw(options):
        return options[random.randint(len(options))]

    if random.uniform() < 0.12:
        other = draw([_GONE, *_OTHERS])
        return f"= {'gone' if other is _GONE else other!r}", lambda _: other
    if isinstance(value, np.ndarray):
        kinds = [_shorter, _longer, _retyped, _reshaped]
        if value.size:
            kinds += [_flipped, _flipped, _changed, _changed, _changed, _reversed]
        kind = draw(kinds)
        seed = random.randint(2**31)
        return f"{kind.__name__} {seed}", lambda a: kind(a, np.random.RandomState(seed))
    if isinstance(value, bool | np.bool_):
        return "not", lambda v: not v
    if isinstance(value, int | np.integer):
        new = draw([*_INTEGERS, int(value) + 1, int(value) - 1])
        return f"= {new}", lambda _: new
    if isinstance(value, float | np.floating):
        new = draw([*_FLOATS, -float(value)])
        return f"= {new}", lambda _: new
    if isinstance(value, str):
        new = draw(
            [
                "",
                "x",
                "rbf",
                "linear",
                "poly",
                "dense",
                "sparse",
                "float32",
                "float64",
                "lasvm",
                "lasvm-g",
                "full",
                "diag",
                "hinge",
                "arow",
                "object",
                "int8",
            ]
        )
        return f"= {new!r}", lambda _: new
    if isinstance(value, list) and value:
        new = draw([value[:-1], [*value, value[-1]], []])
        return f"of length {len(new)}", lambda _: new
    return "= None", lambda _: None


def _shorter(a, random):
    return a[: random.choice([0, len(a) // 2, max(0, len(a) - 1)])] if a.ndim else a[None][:0]


def _longer(a, random):
    return np.resize(a, (len(a) + random.randint(1, 70), *a.shape[1:])) if a.ndim else a[None]


def _retyped(a, random):
    kinds = (np.int8, np.int32, np.int64, np.uint64, np.float32, np.float64, np.complex128)
    kinds = [*(kinds if a.dtype.kind in "biufc" else ()), object, "U3"]
    kinds = [kind for kind in kinds if a.dtype != kind]
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return a.astype(kinds[random.randint(len(kinds))])


def _reshaped(a, random):
    return [a[None], a.ravel(), a[..., None], a.T.copy()][random.randint(4)]


def _reversed(a, random):
    return a[::-1]  # strides below 0, too


def _flipped(a, random):
    if a.dtype == object:
        return a[:0]
    a = np.array(a)
    view = a.reshape(-1).view(np.uint8)
    view[random.randint(len(view))] ^= 1 << random.randint(8)
    return a


def _changed(a, random):
    a = np.array(a)
    options = {"f": [*_FLOATS, 3.0], "i": _INTEGERS, "u": [0, 1, 2, 255]}.get(a.dtype.kind)
    if options is None:
        return a[:0]
    n = random.choice([1, 1, 1, a.size])
    new = options[random.randint(len(options))]
    if a.dtype.kind == "i":
        new = max(np.iinfo(a.dtype).min, min(new, np.iinfo(a.dtype).max))
    a.reshape(-1)[random.choice(a.size, n, replace=False)] = new
    return a


# ---------------------------------------------------------------------------- trying


class Cases:
    """The damaged states, by number."""

    def __init__(self, seed):
        self.seed = seed
        self.models = list(models().items())
        self.states, self.places, self.arrays = [], [], []
        for _, (model, _, _) in self.models:
            state = model.__getstate__()
            skip = set(of_estimator(model)) | {"estimator", "query_strategy"}
            self.states.append(state)
            self.places.append(list(places(state, skip)))
            self.arrays.append([at for at in self.places[-1] if isinstance(at[1], np.ndarray)])

    def __call__(self, number):
        """What is damaged, and a function that loads and uses it."""
        random = np.random.RandomState([self.seed, number])
        which = number % len(self.models)
        name, (model, X, y) = self.models[which]
        # Arrays, where the engine follows what it reads, come more often than names.
        lists = self.places[which], self.arrays[which]
        chosen = lists[1] if lists[1] and random.uniform() < 0.5 else lists[0]
        path, value = chosen[random.randint(len(chosen))]
        how, damage = damage_for(value, random)
        field = ".".join(str(part) for part in path)

        def attempt():
            try:
                loaded_model = loaded(type(model), damaged(dict(self.states[which]), path, damage))
            except ValueError as error:
                return "refused", str(error)
            try:
                use(loaded_model, X, y)
            except NotFittedError:
                return "works", "not fitted"
            except ValueError as error:
                # Wrong numbers may be so large as to give no decision, or lead where no model
                # goes; numbers among objects are no labels to scikit-learn.
                said = "not finite|too large|beyond the range|Unknown label type"
                if re.search(f"{said}|damaged: .* must be (a finite|finite|[<>]=)", str(error)):
                    return "works", str(error)
                if getattr(loaded_model, "interrupted_", False):
                    return "refused", str(error)
                raise
            return "works", ""

        return f"{name}: {field} {how}", attempt


def run(first, last, seed):
    cases = Cases(seed)
    with contextlib.suppress(ImportError):
        import resource

        used = int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
        resource.setrlimit(resource.RLIMIT_AS, (used + BYTES, used + BYTES))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    for number in range(first, last):
        what, attempt = cases(number)
        print(json.dumps([number, what]), flush=True)
        if hasattr(signal, "setitimer"):
            signal.setitimer(signal.ITIMER_PROF, SECONDS)
        try:
            outcome = attempt()
        except (Exception, SystemError) as error:
            outcome = "raises", f"{type(error).__name__}: {error}"
        if hasattr(signal, "setitimer"):
            signal.setitimer(signal.ITIMER_PROF, 0)
        print(json.dumps(outcome), flush=True)


def try_cases(first, last, seed, n_deaths=None):
    """Outcome of each case: (number, what, outcome, message).

    Outcomes are "works", "refused" (by a ValueError when it was loaded), "raises", "hangs" and
    "crashes"; after ``n_deaths`` of the last two no more is tried.
    """
    outcomes = []
    while first < last and (n_deaths is None or n_deaths > 0):
        child = subprocess.Popen(
            [sys.executable, "-m", "tests.support.damage", str(first), str(last), str(seed)],
            stdout=subprocess.PIPE,
            cwd=ROOT,
            text=True,
        )
        current = None
        with child:
            for line in child.stdout:
                read = json.loads(line)
                if current is None:
                    current = read
                else:
                    outcomes.append((*current, *read))
                    current = None
        if current is None:
            assert child.returncode == 0, f"the process ended with {child.returncode}, {first}"
            break
        hung = child.returncode == -getattr(signal, "SIGPROF", 0)
        outcomes.append((*current, "hangs" if hung else "crashes", str(child.returncode)))
        first = current[0] + 1
        n_deaths = None if n_deaths is None else n_deaths - 1
    return outcomes


if __name__ == "__main__":
    run(*(int(argument) for argument in sys.argv[1:4]))
