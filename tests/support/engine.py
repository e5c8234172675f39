"""Engines without an estimator, and their kernel values."""

import numpy as np
from scipy.sparse import csr_matrix

from sklearn_online_svm._core.kernel.dual.engine import Engine
from sklearn_online_svm._core.kernel.vectors.block import Samples
from sklearn_online_svm._core.kernel.vectors.dense_store import DenseStore
from sklearn_online_svm._core.kernel.vectors.sparse_store import SparseStore
from sklearn_online_svm.kernel._spec import GapDrivenSpec, LasvmSpec, OneClassSpec


def make_store(X, kernel="rbf", *, layout="dense", gamma=0.5, coef0=0.0, degree=3):
    store = {"dense": DenseStore, "sparse": SparseStore}[layout]
    return store(X.shape[1], X.dtype, kernel=kernel, gamma=gamma, coef0=coef0, degree=degree)


def solver_spec(algorithm="lasvm", gap_floor=1.0, **options):
    """Return the specification of a solver; ``gap_floor`` is ignored by those with a bias."""
    if algorithm != "lasvm":
        return GapDrivenSpec(algorithm=algorithm, gap_floor=gap_floor, **options)
    return OneClassSpec(**options) if "nu" in options else LasvmSpec(**options)


def make_loop(store, n_problems=1, *, cache_bytes=500 << 20, **solver):
    spec = solver_spec(**solver)
    options = spec.options(n_problems, n_problems, cache_bytes)
    problems = [spec.kind(store, n_problems == 1, **options) for _ in range(n_problems)]
    return Engine(store, problems, cache_bytes)


def wide_samples(n, layout="dense"):
    """Return samples with so many features that a block is worth a thread."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 3000)).astype(np.float32) / 50
    if layout == "sparse":
        X[rng.random(X.shape) < 0.9] = 0
        return csr_matrix(X)
    return X


class Learner:
    """An engine for one binary problem and the rows it learns from, one or many at a time."""

    def __init__(self, X, y, cost, store=None, *, reserve=0, **params):
        self.X = X
        self.labels = (np.asarray(y) > 0).astype(np.int32)
        self.cost = np.full(len(y), cost, dtype=float) if np.isscalar(cost) else cost
        self.row_ids = np.arange(len(y))
        self.loop = make_loop(make_store(X) if store is None else store, **params)
        self.problem = self.loop.problems[0]
        if reserve:
            self.problem.reserve = reserve

    def learn(self, rows, shifted=None, **kwargs):
        rows = np.atleast_1d(np.asarray(rows, dtype=np.int64))
        given = Samples(self.labels, self.cost, self.row_ids, shifted)
        self.loop.learn(self.X, rows, given, **kwargs)
        return self

    def begin_pass(self):
        """A pass over rows of which some may be members already."""
        known = np.full(len(self.labels), -1, dtype=np.int32)
        alive = self.alive()
        known[self.problem.members["row_id"][alive]] = alive
        self.loop.begin_pass([known])

    def alive(self):
        """Slots of the members."""
        return np.flatnonzero(self.problem.members["alive"])

    def members(self):
        """Row numbers of the members, in order of their slots."""
        return self.problem.members["row_id"][self.alive()]

    def over_rows(self, name, fill=0.0):
        """Array ``name`` of the support set over the rows, ``fill`` for rows that are not kept."""
        values = np.full(len(self.labels), fill)
        values[self.members()] = self.problem.members[name][self.alive()]
        return values

    def decide(self, X=None):
        X = self.X if X is None else X
        out = np.empty((X.shape[0], 1))
        self.loop.solution(False, 0).decide(X, out)
        return out[:, 0]


def expansion(store, X, alpha=None):
    """A learner that holds the rows of X in slots 0, 1, ..., with the given alpha and b = 0."""
    n = X.shape[0]
    learner = Learner(X, np.ones(n), np.inf, store)
    given = Samples(learner.labels, learner.cost, learner.row_ids)
    learner.loop.seed(X, learner.row_ids, given, np.ones((1, n)))
    learner.loop.restore(learner.loop.state())
    learner.problem.set_bias(0.0)
    if alpha is not None:
        learner.problem.members["alpha"][:] = alpha
        learner.loop.touched()
    return learner


def kernel_values(store, X, stored):
    """(n, m) float32 kernel values of the rows of X against stored rows, as the engine has them.

    With a single alpha of 1 the decision value is the kernel value, without any rounding.
    """
    learner = expansion(store, stored, alpha=0.0)
    alpha = learner.problem.members["alpha"]
    K = np.empty((X.shape[0], stored.shape[0]))
    for s in range(stored.shape[0]):
        alpha[s] = 1.0
        learner.loop.touched()
        K[:, s] = learner.decide(X)
        alpha[s] = 0.0
    assert np.array_equal(K, K.astype(np.float32), equal_nan=True)
    return K.astype(np.float32)
