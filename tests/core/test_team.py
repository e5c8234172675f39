"""Threads that share the loops of one problem."""

import os
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from sklearn_online_svm import LASVC, LASVR, OneClassLASVM
from sklearn_online_svm._core.kernel.vectors.block import Samples
from sklearn_online_svm._core.threads import team
from tests.support.engine import make_loop, make_store, wide_samples
from tests.support.limits import set_limits

ROOT = Path(__file__).parents[2]
COMPILER = next(filter(None, map(shutil.which, ("gcc", "clang"))), None)

N = 700
# So many support vectors that the passes over them are shared.
MANY = 6000
# So many that three threads have a part.
SHARED_BY_THREE = 4608


@pytest.fixture(autouse=True)
def four_cores(monkeypatch):
    """Teams of more threads than there are cores."""
    monkeypatch.setattr(team, "cpu_count", lambda: 4)


class CountingExecutor(ThreadPoolExecutor):
    """Counts how often helpers are called."""

    n_called = 0

    def submit(self, function, *arguments):
        self.n_called += getattr(function, "__name__", "") == "act_for"
        return super().submit(function, *arguments)


@pytest.mark.skipif(COMPILER is None, reason="there is no gcc or clang")
@pytest.mark.parametrize("flags", [[], ["-fsanitize=thread", "-g"]], ids=["plain", "sanitized"])
def test_each_part_runs_once(flags, tmp_path):
    program, threads = tmp_path / "stress", ROOT / "sklearn_online_svm/_core/threads"
    source = ROOT / "tests/support/team_stress.c"
    command = [COMPILER, "-O2", "-pthread", *flags, "-I", threads, source, "-o", program]
    compiled = subprocess.run(command, capture_output=True, text=True)
    if flags and compiled.returncode:
        pytest.skip("the compiler has no thread sanitizer")
    assert compiled.returncode == 0, compiled.stderr
    done = subprocess.run([program], capture_output=True, text=True, timeout=120)
    if "unexpected memory mapping" in done.stderr:
        pytest.skip("the thread sanitizer does not run on this system")
    assert done.returncode == 0, done.stdout + done.stderr
    if len(os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else [0]) > 1:
        assert int(done.stdout) > 0, "no part was run by a helper"


# -- the same bits with any number of threads -----------------------------------------------


def samples(layout="dense"):
    """Return wide samples and noisy labels."""
    X = wide_samples(N, layout)
    noise = 0.02 * np.random.default_rng(1).normal(size=N)
    return X, np.where(wide_samples(N)[:, 0] + noise > 0, 1, -1)


def noisy_samples(n=MANY):
    """Return samples most of which become support vectors."""
    rng = np.random.default_rng(2)
    X = rng.uniform(-1, 1, size=(n, 3))
    return X, np.where(X[:, 0] * X[:, 1] + rng.normal(size=n) > 0, 1, -1)


def trained_state(X, y, n_threads, *, finish=False, **solver):
    layout = "dense" if isinstance(X, np.ndarray) else "sparse"
    loop = make_loop(make_store(X, layout=layout, gamma=0.3), **solver)
    n = X.shape[0]
    given = Samples((y > 0).astype(np.int32), np.full(n, 5.0), np.arange(n))
    order = np.random.default_rng(1).permutation(n)
    with CountingExecutor(n_threads) as executor:
        loop.learn(X, order, given, executor if n_threads > 1 else None)
        if finish:
            loop.finish(executor if n_threads > 1 else None)
    return loop.problems[0].state() | {"n": loop.n_kernel_evaluations}, executor.n_called


def assert_same_states(X, y, **options):
    alone, n_called = trained_state(X, y, 1, **options)
    assert n_called == 0
    for n_threads in (2, 3):
        state, n_called = trained_state(X, y, n_threads, **options)
        assert n_called >= n_threads - 1
        for name, value in alone.items():
            assert_array_equal(state[name], value, err_msg=name)


@pytest.mark.parametrize("algorithm", ["lasvm", "lasvm-g", "lasvm-i"])
@pytest.mark.parametrize("layout", ["dense", "sparse"])
def test_wide_samples(layout, algorithm):
    """Mostly kernel values are shared."""
    assert_same_states(*samples(layout), algorithm=algorithm)


@pytest.mark.parametrize("algorithm", ["lasvm", "lasvm-g"])
def test_many_support_vectors(algorithm):
    """Passes over the gradient are shared, online and in ``finish``."""
    assert_same_states(*noisy_samples(), algorithm=algorithm, finish=True)


@pytest.mark.parametrize("algorithm", ["lasvm", "lasvm-g"])
def test_ties(algorithm):
    """Many samples are equal, and so are their gradients and gains, in all parts."""
    _, y = noisy_samples()
    X = np.random.default_rng(3).integers(0, 4, size=(MANY, 3)).astype(float)
    assert_same_states(X, y, algorithm=algorithm, finish=True)


def test_ties_of_both_sides_of_the_tube():
    rng = np.random.default_rng(3)
    X = rng.integers(0, 4, size=(MANY, 3)).astype(float)
    y = rng.integers(-2, 3, size=MANY).astype(float)
    params = dict(C=1.0, gamma=0.3, epsilon=0.05, random_state=0)
    one, three = (LASVR(**params, n_jobs=n_jobs).fit(X, y) for n_jobs in (1, 3))
    assert len(one.support_) >= SHARED_BY_THREE
    assert_array_equal(one.dual_coef_, three.dual_coef_)


def test_small_problems_are_not_shared():
    X = np.random.default_rng(0).normal(size=(N, 3))
    y = np.sign(X[:, 0])
    assert trained_state(X, y, 2, finish=True)[1] == 0


def fitted_arrays(model):
    return {
        name: value
        for name, value in vars(model).items()
        if name.endswith("_") and isinstance(value, np.ndarray)
    } | {"dual_coef_": model.dual_coef_, "support_": model.support_}


MODELS = {
    "classes": lambda **p: LASVC(C=1.0, gamma=1.0, random_state=0, **p),
    "to the optimum": lambda **p: LASVC(C=1.0, gamma=1.0, max_iter=-1, random_state=0, **p),
    "small cache": lambda **p: LASVC(C=1.0, gamma=1.0, cache_size=20, random_state=0, **p),
    "gap-driven": lambda **p: LASVC(C=1.0, gamma=1.0, algorithm="lasvm-g", random_state=0, **p),
    "regression": lambda **p: LASVR(C=1.0, gamma=1.0, epsilon=0.2, random_state=0, **p),
    "squared loss": lambda **p: LASVR(
        C=1.0, gamma=1.0, epsilon=0.9, loss="squared_epsilon_insensitive", random_state=0, **p
    ),
    "one class": lambda **p: OneClassLASVM(nu=0.9, gamma=1.0, random_state=0, **p),
}


REGRESSION = ("regression", "squared loss")


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.* samples are support vectors")
@pytest.mark.parametrize("kind", MODELS)
def test_models(kind):
    X, y = noisy_samples()
    one, three = (
        MODELS[kind](n_jobs=n_jobs).fit(X, y + 0.5 * X[:, 2] * (kind in REGRESSION))
        for n_jobs in (1, 3)
    )
    assert len(one.support_) >= SHARED_BY_THREE, "too few support vectors to be shared"
    assert fitted_arrays(one).keys() == fitted_arrays(three).keys()
    for name, value in fitted_arrays(one).items():
        assert_array_equal(fitted_arrays(three)[name], value, err_msg=name)


def test_working_sets(monkeypatch):
    """``finish`` over more support vectors than a working set has."""
    set_limits(monkeypatch, WORKING_SET_SIZE=1500)
    assert_same_states(*noisy_samples(), finish=True)


def test_further_epochs():
    """Members of the support set are not loaded; some are evicted before their turn."""
    X, y = samples()
    params = dict(C=5, gamma=0.3, max_iter=3, random_state=0)
    one, two = (LASVC(**params, n_jobs=n_jobs).fit(X, y) for n_jobs in (1, 2))
    assert_array_equal(one.decision_function(X), two.decision_function(X))
    assert one.n_iter_ == two.n_iter_ > 1


@pytest.mark.parametrize("data", [samples, noisy_samples])
def test_chunks_of_a_stream(data):
    """With predictions in between, from an optimized copy of the solution."""
    X, y = data()
    models, seen = [], []
    for n_jobs in (1, 2):
        model = LASVC(C=5, gamma=0.3, n_jobs=n_jobs)
        for first in range(0, len(y), len(y) // 3):
            chunk = slice(first, first + len(y) // 3)
            model.partial_fit(X[chunk], y[chunk], classes=[-1, 1])
            seen.append(model.decision_function(X[:50]))
        models.append(model)
    assert_array_equal(*(model.dual_coef_ for model in models))
    assert_array_equal(seen[: len(seen) // 2], seen[len(seen) // 2 :])


@pytest.mark.parametrize("bad", [N - 1, N // 2, 64])
def test_samples_before_an_invalid_one_are_used(bad):
    X, y = samples()
    X[bad] = 1e25
    loop = make_loop(make_store(X, gamma=0.3))
    given = Samples((y > 0).astype(np.int32), np.full(N, 5.0), np.arange(N))
    with ThreadPoolExecutor(2) as executor, pytest.raises(ValueError, match=f"Row {bad} of X"):
        loop.learn(X, np.arange(N), given, executor)
    assert loop.n_processed == bad // 64 * 64
    X[bad] = 0
    with ThreadPoolExecutor(2) as executor:
        loop.learn(X, np.arange(N), given, executor, loop.n_processed)
    whole = make_loop(make_store(X, gamma=0.3))
    whole.learn(X, np.arange(N), given)
    assert_array_equal(loop.problems[0].members["alpha"], whole.problems[0].members["alpha"])
