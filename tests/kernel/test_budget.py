"""LASVC with a budget on support vectors."""

import pickle
import warnings
from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.sparse import csr_matrix

from sklearn_online_svm import LASVC
from tests.support.robust import assert_same_model
from tests.support.samples import ALGORITHMS, three_classes, two_classes

PARAMS = dict(C=3.0, gamma=0.1, random_state=0)
POLICIES = ["merging", "oldest"]


def n_kept(model):
    return [problem.members.n_members for problem in model._engine.problems]


@pytest.fixture
def watched(monkeypatch):
    """Record the support set size after each block of samples of each model."""
    counts = []
    original = LASVC._train_on_chunk

    def learn_chunk(self, *args):
        result = original(self, *args)
        counts.append(max(n_kept(self)))
        return result

    monkeypatch.setattr(LASVC, "_train_on_chunk", learn_chunk)
    return counts


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("samples", [two_classes, three_classes])
def test_budget_holds_after_every_sample_of_a_stream(samples, algorithm, policy, watched):
    X, y = samples(300)
    model = LASVC(algorithm=algorithm, max_support_vectors=20, budget_policy=policy, **PARAMS)
    for row in range(300):
        model.partial_fit(X[[row]], y[[row]], np.unique(y))
    assert max(watched) == 20
    assert len(model.support_) <= 20 * (1 if samples is two_classes else 3)
    assert model.score(X, y) > 0.65
    model.finish()
    assert max(n_kept(model)) <= 20


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("samples", [two_classes, three_classes])
def test_budget_model_is_independent_of_chunks_threads_caches_and_pickles(
    samples, algorithm, policy
):
    X, y = samples(250)
    params = dict(PARAMS, algorithm=algorithm, max_support_vectors=25, window_size=150)
    make = partial(LASVC, budget_policy=policy, **params)
    whole = make().partial_fit(X, y, np.unique(y))
    others = [
        make(n_jobs=3).partial_fit(X, y, np.unique(y)),
        make(cache_size=1e-3).partial_fit(X, y, np.unique(y)),
        make().partial_fit(csr_matrix(X), y, np.unique(y)),
    ]
    for size in (1, 7):
        model = make()
        for first in range(0, 250, size):
            rows = slice(first, first + size)
            model.partial_fit(X[rows], y[rows], np.unique(y))
            if first % 35 == 0:
                model = pickle.loads(pickle.dumps(model))
        others.append(model)
    for other in others:
        assert_same_model(other, whole)


def test_budget_with_float32_samples():
    """Rounding may change which vector is removed, and all later ones."""
    X, y = two_classes(400)
    double = LASVC(max_support_vectors=40, **PARAMS).fit(X, y)
    single = LASVC(max_support_vectors=40, **PARAMS).fit(X.astype(np.float32), y)
    assert abs(single.score(X.astype(np.float32), y) - double.score(X, y)) < 0.05


def test_unreached_budget_does_not_change_the_model():
    X, y = two_classes(300)
    plain = LASVC(**PARAMS).fit(X, y)
    assert_same_model(LASVC(max_support_vectors=300, window_size=300, **PARAMS).fit(X, y), plain)


def test_merged_vectors_may_exceed_C():
    """Only merged vectors may have an alpha larger than C."""
    X, y = two_classes(500)
    model = LASVC(max_support_vectors=20, **PARAMS).fit(X, y)
    plain = LASVC(max_support_vectors=20, budget_policy="oldest", **PARAMS).fit(X, y)
    assert np.abs(model.dual_coef_).max() > 2 * PARAMS["C"]
    assert np.abs(plain.dual_coef_).max() <= PARAMS["C"]
    assert abs(model.dual_coef_.sum()) < 1e-9
    assert model.score(X, y) > plain.score(X, y)


def test_distant_vectors_are_not_merged():
    """If no two vectors are similar, merging removes the oldest one."""
    X, y = two_classes(300)
    params = dict(PARAMS, gamma=50.0, max_support_vectors=30)
    assert_same_model(LASVC(**params).fit(X, y), LASVC(budget_policy="oldest", **params).fit(X, y))


@pytest.mark.parametrize("is_stream", [True, False])
def test_lost_support_vectors_are_reported(is_stream):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 20))
    y = rng.integers(2, size=600)

    def trained(X, **params):
        model = LASVC(max_support_vectors=50, gamma=0.05, random_state=0, **params)
        if not is_stream:
            return model.fit(X, y)
        model.partial_fit(X[:300], y[:300], classes=[0, 1])
        return pickle.loads(pickle.dumps(model)).partial_fit(X[300:], y[300:])

    with pytest.warns(UserWarning, match="max_support_vectors=50: .* only 0 of .* merged"):
        trained(X)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        trained(X, budget_policy="oldest")
        trained(X[:, :1])  # neighbors are close


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_window_size_bounds_the_age_of_support_vectors(algorithm):
    X, y = three_classes(300)
    model = LASVC(algorithm=algorithm, window_size=60, **PARAMS)
    for first in range(0, 300, 20):
        model.partial_fit(X[first : first + 20], y[first : first + 20], [10, 20, 30])
        assert model.support_.min() >= first + 20 - 60
    assert len(model.support_) > 20


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_window_size_follows_concept_drift(algorithm):
    """The class labels are swapped halfway."""
    X, y = two_classes(1200, noise=0.1)
    y = np.where(np.arange(1200) < 600, y == "yes", y != "yes")
    remembers = LASVC(algorithm=algorithm, **PARAMS)
    forgets = LASVC(algorithm=algorithm, window_size=200, **PARAMS)
    for first in range(0, 1200, 100):
        rows = slice(first, first + 100)
        for model in (remembers, forgets):
            model.partial_fit(X[rows], y[rows], [False, True])
    assert remembers.support_.min() < 600 < 1000 <= forgets.support_.min()
    assert forgets.score(X[1000:], y[1000:]) > 0.85 > 0.5 > forgets.score(X[:600], y[:600])


def test_precomputed_and_callable_kernels():
    X, y = two_classes(200)

    def rbf(A, B):
        return np.exp(-0.1 * ((A[:, None] - B[None]) ** 2).sum(axis=2))

    params = dict(PARAMS, max_support_vectors=25)
    model = LASVC(**params).fit(X, y)
    for other in (
        LASVC(**{**params, "kernel": rbf}).fit(X, y),
        LASVC(**{**params, "kernel": "precomputed"}).fit(rbf(X, X), y),
    ):
        assert n_kept(other) == n_kept(model) == [25]
        assert np.mean(other.support_ == model.support_) > 0.9


def test_budget_may_be_changed_during_training():
    X, y = two_classes(400)
    model = LASVC(**PARAMS).partial_fit(X[:200], y[:200], np.unique(y))
    assert n_kept(model)[0] > 50
    before = model.decision_function(X)
    model.set_params(max_support_vectors=30)
    assert_array_equal(model.decision_function(X), before)
    model.partial_fit(X[200:], y[200:])
    assert n_kept(model) == [30]
    model.set_params(max_support_vectors=None).partial_fit(X[:100], y[:100])
    assert n_kept(model)[0] > 30


def test_snapshot_respects_budget_and_leaves_model_unchanged():
    X, y = two_classes(300)
    watched, alone = (LASVC(max_support_vectors=20, **PARAMS) for _ in range(2))
    for first in range(0, 300, 50):
        rows = slice(first, first + 50)
        for model in (watched, alone):
            model.partial_fit(X[rows], y[rows], np.unique(y))
        shot = watched.snapshot()
        assert n_kept(shot)[0] <= 20
        shot.partial_fit(X[:30], y[:30])
    assert_same_model(watched, alone)


def test_merging_with_hard_margin():
    X, y = two_classes(300, noise=0.0)
    model = LASVC(C=np.inf, gamma=0.5, max_support_vectors=30, random_state=0).fit(X, y)
    assert n_kept(model)[0] <= 30 and model.score(X, y) > 0.75


@pytest.mark.parametrize(
    ("params", "message"),
    [
        (dict(max_support_vectors=9, max_iter=2), "max_iter=1 .* got max_iter=2"),
        (dict(window_size=9, max_iter=-1), "max_iter=1 .* got max_iter=-1"),
        (dict(window_size=9, warm_start=True), "warm_start=False, got .*warm_start=True"),
    ],
)
def test_errors_name_the_parameter(params, message):
    X, y = two_classes(60)
    model = LASVC(**PARAMS).fit(X, y)
    before = model.decision_function(X)
    with pytest.raises(ValueError, match=message):
        model.set_params(**params).fit(X, y)
    model.set_params(**LASVC(**PARAMS).get_params())
    assert_array_equal(model.decision_function(X), before)
