"""Optima of small sets, which are solved at once; the engine is built when training continues."""

import copy
import pickle
import sys
import threading
import time
import tracemalloc

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone, is_classifier

from sklearn_online_svm import LASVC, LASVR, OneClassLASVM
from sklearn_online_svm.callback import TimeLimit
from tests.support.internals import (
    check_signals,
    engine_of,
    is_without_engine,
    note_built_engines,
    precision,
    report_each_round,
    trained_of,
)
from tests.support.interrupts import InterruptAtCheck, some_checks
from tests.support.random_batches import product, random_batch
from tests.support.samples import three_classes, two_classes

RBF = dict(gamma=0.3, C=5.0, random_state=0)
MODELS = {
    "two classes": LASVC(**RBF),
    "pairs": LASVC(multi_class="ovo", **RBF),
    "rest": LASVC(multi_class="ovr", **RBF),
    "lasvm-g": LASVC(algorithm="lasvm-g", **RBF),
    "lasvm-full, pairs": LASVC(algorithm="lasvm-full", multi_class="ovo", **RBF),
    "linear, pairs": LASVC(kernel="linear", multi_class="ovo", C=0.5, random_state=0),
    "function": LASVC(kernel=product, C=0.5, random_state=0),
    "probabilities": LASVC(probability=True, **RBF),
    "regression": LASVR(epsilon=0.1, **RBF),
    "regression, two outputs": LASVR(epsilon=0.0, **RBF),
    "regression, lasvm-g": LASVR(epsilon=0.2, algorithm="lasvm-g", **RBF),
    "bounds": LASVC(C=1e-3, gamma=0.3, random_state=0),
    "regression, bounds": LASVR(C=1e-3, gamma=0.3, epsilon=0.0, random_state=0),
    "one class": OneClassLASVM(nu=0.2, gamma=0.3, random_state=0),
    "one class, nu=1": OneClassLASVM(nu=1.0, gamma=0.3, random_state=0),
}
with_models = pytest.mark.parametrize("name", MODELS)
SEEDS = range(0, 1000, 17)


def data(name, n=150):
    X, y = two_classes(n) if name == "two classes" else three_classes(n)
    if "regression" in name:
        y = np.sin(X[:, 0]) + 0.1 * np.arange(n) % 3
        y = np.column_stack([y, -X[:, 1]]) if "two outputs" in name else y
    return X, y


def fitted(name):
    X, y = data(name)
    return clone(MODELS[name]).fit(X, y), X, y


def seen_of(model, X):
    """Return what a model predicts, and its solution."""
    method = model.decision_function if hasattr(model, "decision_function") else model.predict
    names = "dual_coef_", "intercept_", "support_", "support_vectors_", "n_support_"
    return [model.predict(X), method(X), *(getattr(model, name) for name in names)]


def assert_seen(found, expected):
    for one, other in zip(found, expected, strict=True):
        assert_array_equal(one, other)


# -- the optimum --------------------------------------------------------------------------


def check_optima(seeds):
    """Check the conditions of the optimum; nearly all problems are to be solved."""
    problems, faults = [random_batch(seed) for seed in seeds], []
    for problem in problems:
        faults += [(problem.seed, problem.kind, fault) for fault in problem.faults()]
    assert not faults
    assert sum(not problem.is_solved for problem in problems) <= 1 + len(problems) // 50


def test_optimality_in_double_precision():
    check_optima(SEEDS)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(10))
def test_optimality_of_many_problems_in_double_precision(part):
    check_optima(range(100 * part, 100 * part + 100))


def test_the_conditions_are_strict():
    """They find a bias or a pair of coefficients that differ a little."""
    n, n_biases, n_pairs = 0, 0, 0
    for seed in SEEDS:
        problem = random_batch(seed)
        model, is_solved = problem.fitted()
        for dual, alpha, b in problem.duals(model):
            free = np.flatnonzero(dual.free(alpha))
            if not is_solved or len(free) < 2 or not dual.has_bias or problem.kind == "one class":
                continue
            n, i, j = n + 1, free[0], free[-1]
            n_biases += any(dual.faults(alpha, b + 0.02, model.tol))
            curvature = dual.K[i, i] + dual.K[j, j] - 2.0 * dual.K[i, j]
            by = 0.05 / max(curvature, 0.1)
            alpha[i], alpha[j] = alpha[i] + by, alpha[j] - by
            n_pairs += any(dual.faults(alpha, b, model.tol))
    assert n > 15
    assert min(n_biases, n_pairs) > 0.6 * n


def test_layouts_and_precisions_have_the_same_optimum():
    """The values of these kernels are exact in single precision."""
    n = 0
    for seed in range(40):
        problem = random_batch(seed)
        if not problem.exact:
            continue
        n, solutions = n + 1, []
        for given in ("", "csr", " float32", "csr float32"):
            problem.given = given
            model, _ = problem.fitted()
            solutions.append((model.support_, model.dual_coef_, model.intercept_))
        for solution in solutions[1:]:
            assert_seen(solution, solutions[0])
    assert n > 5


@with_models
def test_single_precision_has_nearly_the_same_optimum(name):
    model, X, y = fitted(name)
    other = clone(model).fit(X.astype(np.float32), y)
    found, expected = (seen_of(each, X)[1] for each in (other, model))
    assert_allclose(found, expected, atol=0.01 * max(1.0, np.abs(expected).max()))


@pytest.mark.parametrize("n_jobs", [2, 3])
@with_models
def test_threads_do_not_change_the_optimum(name, n_jobs):
    model, X, y = fitted(name)
    other = clone(model).set_params(n_jobs=n_jobs).fit(X, y)
    assert_seen(seen_of(other, X), seen_of(model, X))


@pytest.mark.sampled
@pytest.mark.parametrize("n_jobs", [(1, 2), (3, 1)])
@with_models
def test_an_interrupted_optimum_is_resumed_by_other_threads(name, n_jobs, monkeypatch):
    model, X, y = fitted(name)
    check_signals(monkeypatch, 2e3)
    first, second = n_jobs
    whole = InterruptAtCheck((), clone(model).set_params(n_jobs=first).fit, X, y)
    n_interrupted = 0
    for number in some_checks(whole.places, 4):
        other = clone(model).set_params(n_jobs=first)
        if InterruptAtCheck((number,), other.fit, X, y).raised and hasattr(other, "interrupted_"):
            n_interrupted += 1
            seen = seen_of(other, X)
            other = pickle.loads(pickle.dumps(other))
            assert_seen(seen_of(other, X), seen)
            other.set_params(n_jobs=second).resume(X, y)
            assert_seen(seen_of(other, X), seen_of(model, X))
    assert n_interrupted > (0 if "nu=1" in name else 1)


# -- the engine ---------------------------------------------------------------------------

READS = {
    "predict": lambda model, X, y: model.predict(X),
    "decision_function": lambda model, X, y: seen_of(model, X),
    "score": lambda model, X, y: model.score(X, y) if hasattr(model, "score") else None,
    "pickle": lambda model, X, y: pickle.loads(pickle.dumps(model)).predict(X),
    "deepcopy": lambda model, X, y: copy.deepcopy(model).predict(X),
    "clone": lambda model, X, y: clone(model),
    "repr": lambda model, X, y: repr(model),
    "objective": lambda model, X, y: (model.dual_objective_, model.duality_gap_),
    "counts": lambda model, X, y: (
        model.n_kernel_evaluations_,
        model.kkt_violation_,
        model.n_iter_,
    ),
}
BUILDS = {
    "finish": lambda model, X, y: model.finish(),
    "partial_fit": lambda model, X, y: model.partial_fit(X[:3], y[:3]),
    "leave_one_out": lambda model, X, y: model.leave_one_out_errors(X, y),
    "leave_one_out_estimate_": lambda model, X, y: model.leave_one_out_estimate_,
}
# Calls after which the model has the same solution as before.
UNCHANGED = [name for name in BUILDS if name != "partial_fit"]


@with_models
def test_reading_builds_no_engine(name, monkeypatch):
    built = note_built_engines(monkeypatch)
    model, X, y = fitted(name)
    for read in READS.values():
        read(model, X, y)
        assert is_without_engine(model)
    assert not built


@pytest.mark.sampled
@pytest.mark.parametrize("deed", UNCHANGED)
@with_models
def test_the_engine_has_the_bits_of_the_optimum(name, deed):
    model, X, y = fitted(name)
    if not hasattr(model, deed):
        return
    expected, numbers = seen_of(model, X), (model.dual_objective_, model.duality_gap_)
    BUILDS[deed](model, X, y)
    assert_seen(seen_of(model, X), expected)
    for found, number in zip((model.dual_objective_, model.duality_gap_), numbers, strict=True):
        assert_allclose(found, number, rtol=1e-9, atol=1e-9)
    if deed == "finish":
        assert not is_without_engine(model)
        again = pickle.loads(pickle.dumps(model))
        assert_seen(seen_of(again, X), expected)


@pytest.mark.sampled
@pytest.mark.parametrize("seed", [18, 33, 183, 209, 243, 258, 293, *SEEDS[:20]])
def test_the_engine_of_a_random_problem_has_the_bits_of_the_optimum(seed):
    """In regression, gradients of the engine are rounded when a member is turned."""
    problem = random_batch(seed)
    model, is_solved = problem.fitted()
    X = problem.samples()
    expected = [as_array(part) for part in seen_of(model, X)]
    assert engine_of(model).n_problems_of_sample > 0
    assert_seen([as_array(part) for part in seen_of(model, X)], expected)
    if is_solved:
        model.finish()
        for part, value in zip(seen_of(model, X), expected, strict=True):
            assert_allclose(as_array(part), value, rtol=1e-10, atol=1e-12)


def as_array(part):
    return part.toarray() if hasattr(part, "toarray") else part


@with_models
def test_a_copy_continues_alone(name):
    model, X, y = fitted(name)
    expected, other = seen_of(model, X), copy.deepcopy(model)
    other.partial_fit(X[:50] + 0.1, y[:50])
    assert is_without_engine(model)
    assert not is_without_engine(other)
    assert_seen(seen_of(model, X), expected)
    assert not np.array_equal(seen_of(other, X)[1], expected[1])


# With the C of "bounds", a class of few samples is not predicted.
@pytest.mark.parametrize(
    "name", [name for name in MODELS if is_classifier(MODELS[name]) and name != "bounds"]
)
def test_new_classes_after_an_optimum(name):
    model, X, y = fitted(name)
    expected, former = seen_of(model, X), model.classes_
    label = "zzz" if y.dtype.kind == "U" else 99
    for other in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        far, labels = X[:20] + 8.0, np.full(20, label)
        other.partial_fit(far, labels, classes=[*former, label])
        assert_array_equal(other.classes_, [*former, label])
        assert (other.predict(far) == label).mean() > 0.8
        assert (other.predict(X) == expected[0]).mean() > 0.9
    assert_seen(seen_of(model, X), expected)


@pytest.mark.parametrize("name", ["two classes", "pairs", "lasvm-g", "regression", "one class"])
def test_threads_build_one_engine(name, monkeypatch):
    model, X, y = fitted(name)
    expected, errors, seen = seen_of(model, X), [], []
    built = note_built_engines(monkeypatch)
    interval, barrier = sys.getswitchinterval(), threading.Barrier(6)

    def work(k):
        try:
            barrier.wait()
            if k % 3 == 0:
                seen.append(seen_of(model, X))
            elif k % 3 == 1:
                model.finish()
            else:
                READS["objective"](model, X, y)
                getattr(model, "leave_one_out_estimate_", None)
        except BaseException as error:  # noqa: BLE001
            errors.append(error)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(6)]
    sys.setswitchinterval(1e-5)
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert not errors
    assert len(built) == 1
    for each in [*seen, seen_of(model, X)]:
        assert_seen(each, expected)


# -- many classes, and interrupts -----------------------------------------------------------


@pytest.mark.parametrize("n_classes, size, limit", [(100, 3, 4e6), (40, 10, 1.5e6)])
def test_memory_of_many_classes(n_classes, size, limit):
    """Arrays of pairs in Python would take as many times the number of pairs."""
    rng = np.random.default_rng(0)
    y = np.tile(np.arange(n_classes), size)
    X = rng.normal(size=(n_classes, 16))[y] + 0.3 * rng.normal(size=(len(y), 16))
    clone(MODELS["pairs"]).fit(X[: 2 * n_classes], y[: 2 * n_classes])
    tracemalloc.start()
    model = clone(MODELS["pairs"]).fit(X, y)
    model.predict(X[:5])
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < limit
    assert (
        len(pickle.dumps(model)) < 8 * n_classes * len(y) + 2 * X.nbytes + 150 * n_classes**2 / 2
    )


class StopAt:
    """A callback that stops the fit at its n-th task."""

    def __init__(self, n):
        self.n = n

    def setup(self, estimator, context):
        pass

    def on_fit_task_begin(self, estimator, context, **kwargs):
        pass

    def on_fit_task_end(self, estimator, context, **kwargs):
        self.n -= 1
        return self.n < 0

    def teardown(self, estimator, context):
        pass


@pytest.mark.sampled
@with_models
def test_callbacks_that_stop_leave_a_usable_model(name, monkeypatch):
    X, y = data(name)
    check_signals(monkeypatch, 3e3)
    report_each_round(monkeypatch)
    n_interrupted = 0
    for n in (0, 1, 2, 4, 8, 16):
        model = clone(MODELS[name]).set_callbacks(StopAt(n)).fit(X, y)
        n_interrupted += model.interrupted_
        seen = seen_of(model.set_callbacks(), X)
        assert all(np.isfinite(part).all() for part in seen if part.dtype.kind == "f")
        assert_seen(seen_of(pickle.loads(pickle.dumps(model)), X), seen)
        READS["objective"](model, X, y)
        other = copy.deepcopy(model).finish()
        assert not other.interrupted_
        other.partial_fit(X[:10], y[:10])
        assert np.isfinite(seen_of(other, X)[1]).all()
        if model.interrupted_:
            model.resume(X, y)
        assert_seen(seen_of(model, X), seen_of(fitted(name)[0], X))
    assert n_interrupted >= (0 if "nu=1" in name else 1)


@pytest.mark.parametrize("kind", ["two classes", "pairs", "regression", "one class"])
def test_time_limits_hold(kind):
    """3000 samples of noise, which take seconds."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(3000, 20)), rng.integers(0, 2 if kind == "two classes" else 3, 3000)
    model = clone(MODELS[kind]).set_params(gamma=0.01, tol=1e-9)
    model.set_params(**({"nu": 0.5} if kind == "one class" else {"C": 1e4}))
    model.set_callbacks(TimeLimit(0.3))
    start = time.process_time()
    model.fit(X, y)
    # Processor time, as other programs may run. It includes that of the kernel values.
    assert time.process_time() - start < 0.3 + 0.2
    assert model.interrupted_ or kind == "one class"  # which is solved soon
    assert np.isfinite(model.predict(X[:100]).astype(float)).all()


@pytest.mark.parametrize("kernel, shift", [("rbf", 0.0), ("linear", 1e5)])
@pytest.mark.parametrize("multi_class", ["ovo", "ovr"])
def test_precision_is_that_of_the_engine(multi_class, kernel, shift):
    """The largest uncertainty and spread of several problems; with a shift, of the origin."""
    X, y = three_classes(150)
    params = RBF | dict(kernel=kernel, multi_class=multi_class)
    model = LASVC(**params).fit(X + shift, y)
    assert is_without_engine(model)
    found = precision(trained_of(model))
    assert_allclose(precision(engine_of(model)), found, rtol=1e-9)
    assert found[0] > (1e-4 if shift else 0.0)
