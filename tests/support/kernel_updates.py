"""Kernel models with one update per sample: references, samples and exact comparisons."""

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.base import clone

from sklearn_online_svm import KernelPassiveAggressiveClassifier, KernelPerceptronClassifier
from tests.reference import linear
from tests.reference.kernel_updates import KernelTwin

GAMMA = 0.3
JOINT = dict(multi_class="crammer_singer")
POLICIES = ("margin", "projection", "merging")


def pa(**params):
    return KernelPassiveAggressiveClassifier(**{"C": 0.7, "gamma": GAMMA, **params})


def perceptron(**params):
    return KernelPerceptronClassifier(**{"gamma": GAMMA, **params})


MODELS = {
    "pa": pa(),
    "pa-hard": pa(C=np.inf),
    "pa2": pa(loss="squared_hinge"),
    "pa-joint": pa(**JOINT),
    "pa2-joint": pa(loss="squared_hinge", **JOINT),
    "pa-mean": pa(average="mean"),
    "pa2-mean-joint": pa(loss="squared_hinge", average="mean", **JOINT),
    "pa-vote": pa(average="vote"),
    "pa-vote-joint": pa(average="vote", **JOINT),
    "perceptron": perceptron(),
    "perceptron-margin": perceptron(margin=0.4),
    "perceptron-joint": perceptron(margin=0.2, **JOINT),
    "perceptron-mean": perceptron(average="mean"),
    "perceptron-mean-joint": perceptron(average="mean", **JOINT),
    "perceptron-vote": perceptron(average="vote"),
    "perceptron-vote-joint": perceptron(average="vote", margin=0.1, **JOINT),
}
BUDGETS = {
    f"{name}, {policy}": clone(MODELS[name]).set_params(
        max_support_vectors=9, budget_policy=policy
    )
    for policy in POLICIES
    for name in ("pa", "pa-joint", "pa-mean", "perceptron-margin", "perceptron-mean")
}


def single(A, B):
    """The rbf kernel, rounded as the engine does."""
    A, B = (M.toarray() if sparse.issparse(M) else M for M in (A, B))
    return np.exp(-GAMMA * cdist(A, B, "sqeuclidean")).astype(np.float32).astype(np.float64)


def rows(n=100, n_classes=2, seed=0, *, n_features=4, dtype=np.float64, noise=0.1):
    """Clouds that overlap, with zeros among the features; labels 0, 1, ..."""
    rng = np.random.default_rng([seed, n_classes])
    labels = rng.integers(n_classes, size=n)
    X = rng.normal(size=(n, n_features)) + 1.5 * rng.normal(size=(n_classes, n_features))[labels]
    X[rng.random(X.shape) < 0.3] = 0.0
    wrong = rng.random(n) < noise
    labels[wrong] = rng.integers(n_classes, size=wrong.sum())
    return X.astype(dtype), labels


def twin_of(model, n_classes, kernel=single):
    p = model.get_params()
    if isinstance(model, KernelPerceptronClassifier):
        rule = linear.Perceptron(p["margin"], p["margin"])
    else:
        rule = linear.PassiveAggressive(p["C"], p["loss"])
    return KernelTwin(
        kernel,
        n_classes,
        rule,
        p["multi_class"],
        p["max_support_vectors"],
        p["budget_policy"],
        GAMMA,
    )


def solution_of(model):
    """Numbers of the vectors and their coefficients, by number."""
    order = np.argsort(model.support_, kind="stable")
    return model.support_[order], model.dual_coef_[:, order]


def solution_of_twin(twin, model):
    numbers = np.array([-1 if v.row is None else v.row for v in twin.vectors])
    order = np.argsort(numbers, kind="stable")
    coef = twin.mean_coef if model.average == "mean" else twin.coef
    # A vector whose coefficients add up to 0 is none to the model.
    order = order[(coef != 0).any(axis=0)[order]]
    return numbers[order], coef[:, order]


def assert_same_solution(model, twin, **tolerance):
    if twin.policy == "merging" and twin.most is not None:
        # Merged vectors are no rows: where they lie is found by search.
        tolerance = dict(rtol=1e-4, atol=1e-5)
    ours, theirs = solution_of(model), solution_of_twin(twin, model)
    assert_array_equal(ours[0], theirs[0])
    known = ours[0] >= 0
    assert_allclose(ours[1][:, known], theirs[1][:, known], **tolerance)
    if not known.all():
        vectors = model.support_vectors_
        vectors = vectors.toarray() if sparse.issparse(vectors) else vectors
        coef = twin.mean_coef if model.average == "mean" else twin.coef
        values = coef @ twin.kernel(twin.X, vectors)
        assert_allclose(model.dual_coef_ @ twin.kernel(vectors, vectors), values, **tolerance)


def state_of(model):
    """Return the public state of a model."""
    vectors = model.support_vectors_
    vectors = vectors.toarray() if sparse.issparse(vectors) else vectors
    return model.support_, vectors, model.dual_coef_, model.n_updates_, model.t_


def assert_same(*models, X=None):
    first = state_of(models[0])
    for model in models[1:]:
        for one, other in zip(first, state_of(model), strict=True):
            assert_array_equal(other, one)
        if X is not None:
            assert_array_equal(model.decision_function(X), models[0].decision_function(X))


def taught(model, X, y, chunk=None, classes=None, weights=None):
    """Return a clone trained by `partial_fit`."""
    model, n = clone(model), X.shape[0]
    classes = np.unique(y) if classes is None else classes
    for start in range(0, n, chunk or n):
        part = slice(start, start + (chunk or n))
        more = {} if weights is None else {"sample_weight": weights[part]}
        model.partial_fit(X[part], y[part], classes, **more)
    return model
