"""MarginSampling: selected samples, random draws, types of pools, state."""

import copy
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse, stats
from sklearn.base import clone
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

from sklearn_online_svm import LASVC
from sklearn_online_svm.active import MarginSampling, margin_sampling
from tests.support.pools import (
    FIRST,
    POOL,
    POOL3,
    SVM,
    SVM3,
    Learner,
    Plane,
    X,
    Y,
    gaps,
)

# ---------------------------------------------------------------------------- selection


@pytest.mark.parametrize(
    ("p", "pool_size", "batch_size"), [(0.05, 59, 1), (0.2, 11, 1), (0.02, 60, 1), (0.05, 59, 3)]
)
def test_small_pool_contains_a_top_sample(p, pool_size, batch_size):
    n_trials, n_rows = 2000, 5000
    rng = np.random.default_rng(0)
    pool = rng.normal(size=(n_rows, 2))
    best = np.abs(pool[:, 0]) <= np.quantile(np.abs(pool[:, 0]), p)
    strategy = MarginSampling(pool_size, random_state=1)
    found = sum(
        bool(best[strategy.query(Plane(), pool, batch_size)].all()) for _ in range(n_trials)
    )
    # Fewer are found with a probability of 0.001 if the promise holds.
    exact = 1 - (1 - p) ** pool_size
    assert found >= stats.binom(n_trials, exact).ppf(0.001)
    if batch_size == 1:  # and not more often than expected
        assert found <= stats.binom(n_trials, exact + 0.01).ppf(0.999)


@pytest.mark.parametrize(("model", "pool"), [(SVM, POOL), (SVM3, POOL3)], ids=["two", "three"])
def test_pool_size_all_selects_the_smallest_margin(model, pool):
    strategy = MarginSampling("all")
    assert strategy.query(model, pool).tolist() == [gaps(model, pool).argmin()]
    batch = strategy.query(model, pool, 25)
    assert_array_equal(batch, np.argsort(gaps(model, pool), kind="stable")[:25])
    assert batch.dtype == np.intp


def test_pool_size_larger_than_the_pool():
    strategy = MarginSampling(10**30)
    with pytest.raises(ValueError, match=r"'pool_size' .* must be below 2\*\*63"):
        strategy.query(SVM, POOL)
    for pool_size in (len(POOL), 10**18):
        assert (
            strategy.set_params(pool_size=pool_size).query(SVM, POOL) == gaps(SVM, POOL).argmin()
        )


def test_closest_drawn_samples_are_selected():
    strategy = MarginSampling(20, random_state=3)
    for batch_size in (1, 4):
        chosen, utilities = strategy.query(SVM, POOL, batch_size, return_utilities=True)
        assert utilities.shape == (batch_size, len(POOL))
        drawn = np.flatnonzero(~np.isnan(utilities[0]))
        assert len(drawn) == 20 * batch_size
        expected = drawn[np.argsort(gaps(SVM, POOL[drawn]), kind="stable")[:batch_size]]
        assert_array_equal(chosen, expected)
        for k in range(batch_size):
            assert np.nanargmax(utilities[k]) == chosen[k]
            assert np.isnan(utilities[k, chosen[:k]]).all()
            left = np.setdiff1d(drawn, chosen[:k])
            assert_allclose(utilities[k, left], -gaps(SVM, POOL[left]))


@pytest.mark.parametrize("kind", [np.int8, np.int64])
def test_numpy_integers(kind):
    for pool_size, batch_size in ((100, 3), (kind(100), 3), (100, kind(3))):
        strategy = MarginSampling(pool_size, random_state=0)
        _, utilities = strategy.query(SVM, POOL, batch_size, return_utilities=True)
        assert (~np.isnan(utilities[0])).sum() == 300
        assert type(strategy.n_queries_) is int


def test_samples_of_a_batch_are_distinct():
    strategy = MarginSampling(2, random_state=0)
    for diversity in (0.0, 0.5, 1.0):
        strategy.set_params(diversity=diversity)
        batch = strategy.query(SVM, POOL, len(POOL))
        assert sorted(batch) == list(range(len(POOL)))


def test_pool_size_one_is_random_sampling():
    strategy = MarginSampling(1, random_state=0)
    counts = np.bincount([strategy.query(SVM, POOL[:8])[0] for _ in range(4000)], minlength=8)
    assert stats.chisquare(counts).pvalue > 1e-3


# ---------------------------------------------------------------------------- ties


def test_ties():
    pool = np.zeros((500, 2))
    assert MarginSampling("all").query(Plane(), pool, 3).tolist() == [0, 1, 2]
    at_random = MarginSampling("all", random_tie_break=True, random_state=0)
    batches = np.array([at_random.query(Plane(), pool, 3) for _ in range(300)])
    assert stats.chisquare(np.histogram(batches, bins=5, range=(0, 500))[0]).pvalue > 1e-3
    assert all(len(set(batch)) == 3 for batch in batches.tolist())
    few = MarginSampling(50, random_state=0)
    chosen = [few.query(Plane(), pool)[0] for _ in range(300)]
    assert stats.chisquare(np.histogram(chosen, bins=5, range=(0, 500))[0]).pvalue > 1e-3


def test_random_tie_break_selects_the_closest():
    strategy = MarginSampling("all", random_tie_break=True, random_state=0)
    assert_array_equal(strategy.query(SVM, POOL, 9), MarginSampling("all").query(SVM, POOL, 9))


# ---------------------------------------------------------------------------- evaluated samples


def test_only_drawn_samples_are_evaluated():
    model = Plane()
    pool = np.random.default_rng(0).normal(size=(1000, 2))
    chosen = MarginSampling(13, random_state=5).query(model, pool)
    (asked,) = model.asked
    assert asked.shape == (13, 2)
    drawn = np.flatnonzero((pool[:, None] == asked).all(axis=2).any(axis=1))
    assert len(drawn) == 13 and chosen[0] in drawn
    # Other samples have no influence.
    others = np.setdiff1d(np.arange(1000), drawn)
    pool[others] = np.nan
    assert_array_equal(MarginSampling(13, random_state=5).query(model, pool), chosen)


@pytest.mark.parametrize("batch_size", [1, 4])
def test_kernel_is_evaluated_for_drawn_samples_only(batch_size):
    seen = []

    def kernel(A, B):
        seen.append((len(A), len(B)))
        return A @ B.T

    model = SVC(kernel=kernel).fit(X[FIRST], Y[FIRST])
    seen.clear()
    MarginSampling(30, diversity=0.5, random_state=0).query(model, POOL, batch_size)
    n = 30 * batch_size
    of_decisions = 200 * n
    blocks = sum(a * b for a, b in seen) - of_decisions
    assert blocks == (0 if batch_size == 1 else (batch_size - 1) * n + 64**2 + (n - 64) ** 2)


def test_candidates():
    pool = POOL.copy()
    allowed = np.arange(0, len(pool), 3)
    mask = np.zeros(len(pool), dtype=bool)
    mask[allowed] = True
    pool[~mask] = np.nan
    best = allowed[gaps(SVM, pool[allowed]).argmin()]
    strategy = MarginSampling("all")
    assert strategy.query(SVM, pool, candidates=mask).tolist() == [best]
    for given in (allowed, allowed[::-1].tolist(), np.append(allowed, allowed[:5]), mask.tolist()):
        few = MarginSampling(7, random_state=2).query(SVM, pool, 4, candidates=mask)
        assert set(few) <= set(allowed)
        other = MarginSampling(7, random_state=2).query(SVM, pool, 4, candidates=given)
        assert_array_equal(other, few)
    chosen, utilities = strategy.query(SVM, pool, candidates=mask, return_utilities=True)
    assert_array_equal(np.isnan(utilities[0]), ~mask)


@pytest.mark.parametrize(
    ("candidates", "message"),
    [
        ([], "There are no candidates; at least one is required"),
        (np.zeros(len(POOL), dtype=bool), "There are no candidates"),
        ([3, 4], "batch_size=3 is more than the 2 candidates"),
        ([-1, 4, 5], f"between 0 and {len(POOL) - 1}"),
        ([3, 4, len(POOL)], f"got 3 to {len(POOL)}"),
        (np.arange(len(POOL)) % 2, "Pass a mask as booleans"),
        ([True, False, True], f"mask of length 3, but X_pool has {len(POOL)} samples"),
        ([0.5, 1.0, 2.0], "indices or a mask"),
        ([[1, 2, 3]], "indices or a mask"),
    ],
)
def test_invalid_candidates(candidates, message):
    with pytest.raises(ValueError, match=message):
        MarginSampling().query(SVM, POOL, 3, candidates=candidates)


# ---------------------------------------------------------------------------- types of pools


def sparse_samples(kind):
    rows = X.copy()
    rows[np.abs(rows) < 0.5] = 0.0
    return getattr(sparse, kind)(rows)


KINDS = ["csr_array", "csr_matrix", "csc_array", "coo_matrix", "lil_array", "bsr_array"]


@pytest.mark.parametrize("pool_size", [20, "all"])
@pytest.mark.parametrize("diversity", [0.0, 0.6])
def test_types_of_pools(pool_size, diversity):
    pd = pytest.importorskip("pandas")
    rows = sparse_samples("csr_array").toarray()
    model = LASVC(C=10.0, gamma=0.3, random_state=0).fit(rows[FIRST], Y[FIRST])
    frame = pd.DataFrame(rows, columns=list("abcd"), index=np.arange(600)[::-1] * 7)
    named = LASVC(C=10.0, gamma=0.3, random_state=0).fit(frame[FIRST], Y[FIRST])

    def ask(model, pool):
        strategy = MarginSampling(pool_size, diversity=diversity, random_state=4)
        return strategy.query(model, pool, 5).tolist()

    chosen = ask(model, rows)
    assert len(set(chosen)) == 5
    assert ask(named, frame) == ask(model, rows.tolist()) == chosen
    assert ask(model, np.asfortranarray(rows)) == chosen
    for kind in KINDS:
        assert ask(model, sparse_samples(kind)) == chosen


def test_memory_mapped_pool(tmp_path):
    np.save(tmp_path / "pool.npy", POOL)
    pool = np.load(tmp_path / "pool.npy", mmap_mode="r")
    strategy = MarginSampling(random_state=0)
    assert_array_equal(strategy.query(SVM, pool, 3), clone(strategy).query(SVM, POOL, 3))


def test_texts():
    texts = [f"good {'fine ' * (i % 7)}word{i}" for i in range(60)]
    texts += [f"bad {'poor ' * (i % 5)}word{i}" for i in range(60)]
    y = np.repeat([0, 1], 60)
    model = make_pipeline(TfidfVectorizer(), LASVC(C=10.0, gamma=1.0)).fit(texts[::2], y[::2])
    strategy = MarginSampling("all", diversity=0.5)
    assert strategy.query(model, texts) == np.abs(model.decision_function(texts)).argmin()
    batch = strategy.query(model, texts, 5)
    assert_array_equal(strategy.query(model, np.array(texts, dtype=object), 5), batch)
    assert_array_equal(strategy.query(model, np.array(texts), 5), batch)


# ---------------------------------------------------------------------------- random_state


def test_random_state():
    strategy, twin = (MarginSampling(10, random_state=7) for _ in range(2))
    answers = [strategy.query(SVM, POOL, 2).tolist() for _ in range(10)]
    assert [twin.query(SVM, POOL, 2).tolist() for _ in range(10)] == answers
    assert len({tuple(answer) for answer in answers}) == 10  # each query draws anew
    assert clone(strategy).query(SVM, POOL, 2).tolist() == answers[0]
    assert MarginSampling(10, random_state=8).query(SVM, POOL, 2).tolist() != answers[0]
    assert strategy.n_queries_ == 20


def test_failed_query_is_repeated_with_the_same_draw():
    pool = np.where(np.arange(len(POOL))[:, None] % 50 == 0, np.nan, POOL)
    strategy = MarginSampling(200, random_state=0)
    for _ in range(2):
        with pytest.raises(ValueError, match="in sample 50"):
            strategy.query(SVM, pool)
    assert strategy.n_queries_ == 0
    assert_array_equal(strategy.query(SVM, POOL), clone(strategy).query(SVM, POOL))


@pytest.mark.parametrize(
    ("old", "name", "new"),
    [(5, "pool_size", "all"), (5, "diversity", 0.9), ("all", "random_tie_break", True)],
)
def test_changed_parameters_take_effect(old, name, new):
    pool = np.repeat(POOL, 2, axis=0)
    strategy = MarginSampling(old, random_state=0)
    strategy.query(SVM, pool, 9)
    unchanged = copy.deepcopy(strategy).query(SVM, pool, 9)
    assert strategy.set_params(**{name: new}).query(SVM, pool, 9).tolist() != unchanged.tolist()


def test_changed_random_state_is_rejected():
    strategy = MarginSampling(5, random_state=0)
    strategy.query(SVM, POOL)
    with pytest.raises(ValueError, match="random_state cannot change"):
        strategy.set_params(random_state=1).query(SVM, POOL)


def test_threads():
    strategy = MarginSampling(5, random_state=0)
    alone = [tuple(clone(strategy).query(SVM, POOL)) for _ in range(1)]
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda _: tuple(strategy.query(SVM, POOL)), range(40)))
    twin = MarginSampling(5, random_state=0)
    assert sorted(answers) == sorted(tuple(twin.query(SVM, POOL)) for _ in range(40))
    assert alone[0] in answers
    assert strategy.n_queries_ == 40


# ---------------------------------------------------------------------------- margin_sampling


@pytest.mark.parametrize("diversity", [0.0, 0.5])
@pytest.mark.parametrize("pool_size", [10, "all"])
@pytest.mark.parametrize("n", [1, 5])
def test_function_equals_the_class(n, pool_size, diversity):
    pool = POOL.round(1)
    for ties in (False, True):
        params = dict(random_tie_break=ties, random_state=3, diversity=diversity)
        strategy = MarginSampling(pool_size, **params)
        chosen, utilities = strategy.query(SVM, pool, n, return_utilities=True)
        answer = margin_sampling(SVM, pool, n, pool_size=pool_size, **params)
        assert type(answer) is tuple
        indices, metrics = answer
        assert_array_equal(indices, chosen)
        assert_array_equal(metrics, -utilities[np.arange(n), chosen])
        if not diversity:
            assert_allclose(metrics, gaps(SVM, pool[chosen]))


def test_function_with_arguments_of_modal():
    """ActiveLearner calls ``query_strategy(learner, X_pool, *args, **kwargs)``."""
    best = np.argsort(gaps(SVM, POOL))[:2]
    indices, metrics = margin_sampling(Learner(SVM), POOL, 2, False, "all")
    assert_array_equal(indices, best)
    assert_allclose(metrics, gaps(SVM, POOL[best]))
    random = np.random.RandomState(0)
    drawn = {margin_sampling(SVM, POOL, random_state=random)[0][0] for _ in range(20)}
    assert len(drawn) > 3
    (first, _), (second, _) = (margin_sampling(SVM, POOL, random_state=0) for _ in range(2))
    assert first == second


def test_in_modal():
    models = pytest.importorskip("modAL.models", reason="modAL is not installed")
    learner = models.ActiveLearner(estimator=SVM, query_strategy=margin_sampling)
    best = np.argsort(gaps(SVM, POOL))[:2]
    indices, rows, metrics = learner.query(
        POOL, n_instances=2, pool_size="all", return_metrics=True
    )
    assert_array_equal(indices, best)
    assert_array_equal(rows, POOL[best])
    assert_allclose(metrics, gaps(SVM, POOL[best]))


def test_in_scikit_activeml():
    reason = "scikit-activeml is not installed"
    classifier = pytest.importorskip("skactiveml.classifier", reason=reason)
    model = classifier.SklearnClassifier(
        LASVC(C=10.0, gamma=0.3, random_state=0), classes=["no", "yes"]
    )
    labels = Y[FIRST].astype(object)
    labels[::3] = None
    model = clone(model).set_params(missing_label=None).fit(X[FIRST], labels)
    best = gaps(model.estimator_, POOL).argmin()
    assert MarginSampling("all").query(model, POOL).tolist() == [best]
    assert len(MarginSampling(diversity=0.5).query(model, POOL, 3)) == 3
