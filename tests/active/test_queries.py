"""Query strategies for streams: each step against a reference, rates, copies and errors."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.utils import check_random_state

from sklearn_online_svm.active import AllQuery, MarginQuery, RandomQuery
from tests.reference import queries
from tests.support.cases import together
from tests.support.internals import AT_RANDOM, SelectiveSampler

SCHEDULES = ["constant", "adaptive", "mistakes"]
CONFIDENCES = ["margin", "second_order", "standardized"]
# All combinations of the parameters of MarginQuery.
BY_MARGINS = [
    dict(delta=delta, offset=offset, schedule=schedule, rate=rate, confidence=confidence)
    for delta, offset in ((0.7, 0.0), (4.0, 0.3), (0.7, -0.003))
    for schedule in SCHEDULES
    for rate in (None, 0.1, 0.6)
    for confidence in CONFIDENCES
]
STRATEGIES = [
    AllQuery(),
    RandomQuery(0.3, random_state=1),
    *(MarginQuery(**params, random_state=2) for params in BY_MARGINS),
]
MARGIN_STRATEGIES = STRATEGIES[2:]
with_strategies = pytest.mark.parametrize("strategy", STRATEGIES, ids=str)
close = dict(rtol=1e-12, atol=1e-15)


class Samples:
    """Arguments of ``query`` for n samples; every 17th decision value is 0."""

    def __init__(self, n=200, seed=0, n_classes=2):
        rng = np.random.default_rng(seed)
        self.n = n
        self.scores = rng.normal(size=n if n_classes == 2 else (n, n_classes))
        self.scores *= 10 ** rng.uniform(-2, 1, n).reshape((n,) + (1,) * (self.scores.ndim - 1))
        self.scores[::17] = 0.0
        self.norms = rng.uniform(0.1, 3.0, n)
        self.variances = rng.uniform(0.0, 2.0, n)
        self.updated = rng.random(n) < 0.5

    def arguments(self, samples=slice(None)):
        return self.scores[samples], self.norms[samples], self.variances[samples]

    def confidences(self):
        return [queries.confidence_of(np.atleast_1d(score)) for score in self.scores]


def seed_of(strategy):
    random = check_random_state(strategy.random_state)
    return int(random.randint(0, 2**63 - 1, dtype=np.int64))


def twin_of(strategy):
    params = strategy.get_params()
    if isinstance(strategy, AllQuery):
        return queries.AllQuery()
    del params["random_state"]
    kind = queries.RandomQuery if isinstance(strategy, RandomQuery) else queries.MarginQuery
    return kind(seed=seed_of(strategy), **params)


def state_of(strategy):
    return strategy._query_context().as_dict()


def run_twin(twin, samples):
    """Return probabilities, queries and deltas of the reference, sample by sample."""
    probabilities, queried, deltas = [], [], []
    for i, confidence in enumerate(samples.confidences()):
        p = twin.probability(confidence, samples.norms[i], samples.variances[i])
        queried.append(twin.asks(p))
        probabilities.append(p)
        deltas.append(getattr(twin, "delta", None))
        twin.update(p, queried[-1], bool(queried[-1] and samples.updated[i]), samples.norms[i])
    return probabilities, queried, deltas


def run_strategy(strategy, samples, chunk=1):
    """Return probabilities and queries of a strategy that is updated after each chunk."""
    probabilities, queried = [], []
    for start in range(0, samples.n, chunk):
        here = slice(start, start + chunk)
        scores, norms, variances = samples.arguments(here)
        probabilities.append(strategy.probabilities(scores, norms, variances)[0])
        chosen = strategy.query(scores, norms, variances)
        strategy.update(scores, chosen, chosen & samples.updated[here], norms, variances)
        queried.extend(chosen)
    return probabilities, queried


# -- reference -------------------------------------------------------------------------


@pytest.mark.sampled
@with_strategies
@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_each_sample_equals_the_reference(strategy, n_classes):
    strategy, samples = clone(strategy), Samples(n_classes=n_classes)
    twin = twin_of(strategy)
    expected, expected_queries, deltas = run_twin(twin, samples)
    probabilities, queried = run_strategy(strategy, samples)
    assert_allclose(probabilities, expected, **close)
    assert queried == expected_queries
    assert strategy.n_queries_ == sum(queried) > 5
    if isinstance(strategy, MarginQuery):
        state = state_of(strategy)
        assert state["n_rows"] == twin.n_rows == samples.n
        assert state["n_updates"] == twin.n_updates > 2
        assert state["random"] == twin.random.state
        # Other schedules do not use norms.
        largest = twin.largest_norm if strategy.schedule == "mistakes" else 0.0
        assert_allclose(state["largest_squared_norm"], largest**2)
        if strategy.rate is not None:
            numbers = [twin.log_half, twin.n_scaled, twin.credit, twin.trend]
            own = [state[name] for name in ("log_half", "n_scaled", "credit", "trend")]
            assert_allclose(own, numbers, rtol=1e-10, atol=1e-12)
            assert np.ptp(np.log(deltas)) > 0.5


@pytest.mark.parametrize("strategy", MARGIN_STRATEGIES, ids=str)
def test_delta_is_that_of_the_next_sample(strategy):
    strategy, samples = clone(strategy), Samples(60)
    twin = twin_of(strategy)
    _, _, deltas = run_twin(twin, samples)
    for i in range(samples.n):
        here = slice(i, i + 1)
        expected = deltas[i] / (i + 1) if strategy.schedule == "adaptive" else deltas[i]
        if strategy.schedule == "mistakes":
            state = state_of(strategy)
            expected *= state["largest_squared_norm"] * np.sqrt(1 + state["n_updates"])
        assert_allclose(strategy.delta_, expected, rtol=1e-10)
        scores, norms, variances = samples.arguments(here)
        queried = strategy.query(scores, norms, variances)
        strategy.update(scores, queried, queried & samples.updated[here], norms, variances)


def test_splitmix64_gives_the_published_numbers():
    random = queries.SplitMix64(0)
    published = [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F]
    assert [random.next() for _ in range(3)] == published


@pytest.mark.parametrize("seed", [0, 1, 2**63, 2**64 - 1])
def test_generator_is_splitmix64(seed):
    asker, twin = SelectiveSampler(AT_RANDOM, seed=seed, rate=0.5), queries.SplitMix64(seed)
    zeros = np.zeros(300)
    drawn = [twin.uniform() < 0.5 for _ in range(300)]
    assert asker.would_ask(zeros, zeros, zeros).tolist() == drawn
    for rate in (0.0, 1.0):
        asker = SelectiveSampler(AT_RANDOM, seed=seed, rate=rate)
        assert (asker.would_ask(zeros, zeros, zeros) == rate).all()


# -- single samples ------------------------------------------------------------


def test_probabilities_of_single_samples():
    def p(score, norms=None, variances=None, **params):
        return MarginQuery(**params).probabilities([score], norms, variances)[0]

    assert p(-3.0, delta=2.0) == 2 / 5
    assert p(3.0, delta=2.0, offset=1.0) == 2 / 6
    assert p(0.0, delta=2.0) == 1.0
    assert p(3.0, delta=2.0, schedule="adaptive") == 2 / 5
    assert_allclose(p(1.0, [3.0], delta=2.0, schedule="mistakes"), 18 / 19)
    # The norm is 0, and with it delta.
    assert p(1.0, [0.0], schedule="mistakes") == 0.0
    assert p(0.0, [0.0], schedule="mistakes") == 1.0
    # r = 4 / (1 + 1) = 2.
    assert_allclose(p(-4.0, None, [1.0], delta=2.0, confidence="second_order"), 2 / (2 + 2 + 4))
    # 4 / sqrt(4) = 2.
    assert_allclose(p(-4.0, None, [4.0], delta=2.0, confidence="standardized"), 2 / (2 + 2))
    # A confidence of at most -offset is queried.
    assert p(-4.0, None, [4.0], offset=-2.0, confidence="standardized") == 1.0
    assert p(0.5, offset=-0.5) == 1.0
    assert_allclose(p(1.5, delta=2.0, offset=-0.5), 2 / (2 + 1))
    # Without a variance, only p = 0 leaves a doubt.
    assert p(1e-300, None, [0.0], confidence="standardized") == 0.0
    assert p(0.0, None, [0.0], confidence="standardized") == 1.0
    assert_array_equal(RandomQuery(0.3).probabilities([0.0, 9.0]), [0.3, 0.3])
    assert_array_equal(AllQuery().probabilities([0.0, 9.0]), [1.0, 1.0])


def test_schedules_after_updates():
    strategy = MarginQuery(6.0, schedule="adaptive")
    for t in range(1, 5):
        assert_allclose(strategy.probabilities([1.0]), 6 / t / (6 / t + 1))
        strategy.update([0.5], [t % 2 == 0])
    strategy = MarginQuery(2.0, schedule="mistakes")
    strategy.update([0.5], [True], [False], [3.0])
    assert_allclose(strategy.probabilities([1.0], [1.0]), 2 / 3)
    strategy.update([0.5], [True], [True], [3.0])
    d = 2 * 9 * np.sqrt(2)
    assert_allclose(strategy.probabilities([1.0], [1.0]), d / (d + 1))
    strategy.update([0.5], [True], norms=[5.0])  # updated=None: the model did not change
    assert_allclose(strategy.probabilities([1.0], [1.0]), d / (d + 1))


@pytest.mark.parametrize(
    "strategy", [MarginQuery(0.5, random_state=0), RandomQuery(random_state=0)]
)
def test_confidence_is_the_gap_between_the_two_largest_scores(strategy):
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(50, 4))
    best = np.sort(scores, axis=1)
    gaps = best[:, -1] - best[:, -2]
    expected = clone(strategy).probabilities(gaps)
    assert_allclose(clone(strategy).probabilities(scores), expected, **close)
    assert_allclose(clone(strategy).probabilities(-gaps), expected, **close)
    assert_allclose(clone(strategy).probabilities(gaps[:, None]), expected, **close)
    assert_array_equal(clone(strategy).query(scores.tolist()), clone(strategy).query(gaps))


# -- query and update ---------------------------------------------------------------


@with_strategies
def test_only_update_changes_the_state(strategy):
    strategy, samples = clone(strategy), Samples(50)
    before = state_of(strategy)
    first = strategy.query(*samples.arguments())
    assert first.dtype == bool and first.shape == (50,)
    assert_array_equal(strategy.query(*samples.arguments()), first)
    strategy.probabilities(*samples.arguments())
    assert state_of(strategy) == before
    scores, norms, variances = samples.arguments()
    assert strategy.update(scores, first, first & samples.updated, norms, variances) is strategy
    after = state_of(strategy)
    assert after["n_rows"] == 50 and after["n_asked"] == first.sum() == strategy.n_queries_
    if not isinstance(strategy, AllQuery):
        assert after["random"] != before["random"]
        if getattr(strategy, "schedule", "") != "mistakes":  # which queries nearly all of them
            assert (strategy.query(*samples.arguments()) != first).any()


@pytest.mark.sampled
@with_strategies
@pytest.mark.parametrize("chunk", [7, 50, 200])
def test_queries_are_independent_of_the_chunk_size(strategy, chunk):
    """Except for schedule="mistakes", if samples of the chunk change the model."""
    samples = Samples()
    if getattr(strategy, "schedule", "") == "mistakes":
        samples.updated[:] = False
    single, together = clone(strategy), clone(strategy)
    _, queried = run_strategy(single, samples)
    _, queried_in_chunks = run_strategy(together, samples, chunk)
    assert queried_in_chunks == queried
    assert state_of(together) == state_of(single)


@with_strategies
def test_updates_are_independent_of_the_chunk_size(strategy):
    """Also if the queries differ from those that the strategy selected."""
    samples, queried = Samples(), np.random.default_rng(3).random(200) < 0.4
    states = []
    for chunk in (1, 7, 200):
        moved = clone(strategy)
        for start in range(0, samples.n, chunk):
            here = slice(start, start + chunk)
            scores, norms, variances = samples.arguments(here)
            moved.update(
                scores, queried[here], queried[here] & samples.updated[here], norms, variances
            )
        states.append(state_of(moved))
    assert states[0] == states[1] == states[2]
    assert states[0]["n_asked"] == queried.sum()
    assert states[0]["n_updates"] == (queried & samples.updated).sum()


# -- number of queries ----------------------------------------------------------------


@pytest.mark.sampled
@pytest.mark.parametrize(
    "strategy",
    [
        *(RandomQuery(rate, random_state=0) for rate in (0.02, 0.5)),
        *(MarginQuery(delta, random_state=1) for delta in (0.05, 1.0)),
        MarginQuery(1.0, offset=2.0, random_state=2),
        MarginQuery(3000.0, schedule="adaptive", random_state=3),
        MarginQuery(0.3, schedule="mistakes", random_state=4),
        MarginQuery(0.1, confidence="second_order", random_state=5),
        MarginQuery(rate=0.1, random_state=6),
    ],
    ids=str,
)
def test_queried_fraction_is_the_mean_probability(strategy):
    """Over all samples, and over samples with similar probabilities."""
    n = 20_000
    samples = Samples(n, seed=1)
    p, queried = (np.array(values) for values in run_strategy(clone(strategy), samples))
    for low, high in [(0.0, 1.0), (0.0, 0.05), (0.05, 0.2), (0.2, 0.6), (0.6, 0.999)]:
        inside = (p > low) & (p <= high)
        deviation = np.sqrt(np.sum(p[inside] * (1 - p[inside])))
        assert abs(queried[inside].sum() - p[inside].sum()) <= 3.5 * deviation
    assert 100 < queried.sum() < n - 100
    assert queried[p == 1.0].all()


MARGINS = {
    "level": lambda t, c: c,
    "small": lambda t, c: 1e-6 * c,
    "large": lambda t, c: 1e6 * c,
    "rising": lambda t, c: c * 10 ** (4 * t - 2),
    "falling": lambda t, c: c * 10 ** (2 - 4 * t),
    "waves": lambda t, c: c * 10 ** (2 * np.sin(4 * np.pi * t)),
    "broad": lambda t, c: np.exp(5 * c),
    "drift": lambda t, c: np.where(t < 0.5, c, 5 + 0.3 * c),
    "equal": lambda t, c: np.ones(len(t)),
}


@pytest.mark.parametrize("margins", MARGINS)
@together(rate=[0.02, 0.1, 0.5, 0.9], schedule=SCHEDULES)
def test_rate_is_reached_for_any_margins(margins, schedule, rate):
    n = 8000
    scores = MARGINS[margins](np.arange(n) / n, np.abs(np.random.default_rng(5).normal(size=n)))
    strategy, norms = MarginQuery(rate=rate, schedule=schedule, random_state=0), np.ones(n)
    queried = strategy.query(scores, norms)
    strategy.update(scores, queried, norms=norms)
    assert abs(strategy.n_queries_ / n - rate) < 0.005 + 0.05 * rate
    if margins in ("level", "small", "large"):  # samples with small margins are queried
        assert scores[500:][queried[500:]].mean() < 0.8 * scores[500:][~queried[500:]].mean()


@pytest.mark.parametrize("bound", ["credit", "trend"])
def test_controller_is_bounded(bound):
    """Samples with margin 0 are always queried, samples with a huge margin never."""
    for scores in (np.zeros(20_000), np.full(20_000, 1e300)):
        strategy = MarginQuery(rate=0.1, random_state=0)
        twin = twin_of(strategy)
        queried = strategy.query(scores)
        strategy.update(scores, queried)
        for score, is_query in zip(scores, queried):
            twin.update(twin.probability(score), is_query)
        state = state_of(strategy)
        assert_allclose(state[bound], getattr(twin, bound))
        assert np.isfinite(list(state.values())).all()
        if scores[0] == 0:
            limit = 4.0 / (0.25 * 0.9) if bound == "credit" else 4.0
            assert_allclose(state[bound], -limit)
            assert 0 < strategy.probabilities([1.0])[0] < 1


def test_rate_is_reached_after_samples_with_margin_zero():
    rng = np.random.default_rng(3)
    scores = np.abs(rng.normal(size=6000))
    scores[:500] = 0.0
    scores[1000:1500][rng.random(500) < 0.3] = 0.0
    strategy = MarginQuery(rate=0.1, random_state=0)
    queried = strategy.query(scores)
    assert queried[:500].all()
    # The excess is not compensated until the end of the stream.
    assert abs(queried[3000:].mean() - 0.1) < 0.008


def test_random_state():
    samples = Samples(300)
    answers = [
        MarginQuery(random_state=seed).query(*samples.arguments())
        for seed in (0, 0, 1, None, None)
    ]
    assert_array_equal(answers[0], answers[1])
    assert all((answers[0] != other).any() for other in answers[2:])
    assert (answers[3] != answers[4]).any()
    # A shared generator gives different seeds.
    shared = np.random.RandomState(3)
    one, other = (RandomQuery(0.5, random_state=shared).query(np.zeros(99)) for _ in range(2))
    assert (one != other).any()


# -- errors ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "strategy",
    [
        *(RandomQuery(rate) for rate in (-0.1, 1.1, np.nan, "all")),
        *(MarginQuery(delta) for delta in (0.0, -1.0, np.nan, None)),
        *(MarginQuery(rate=rate) for rate in (0.0, 1.0, np.nan)),
        *(MarginQuery(schedule="often"), MarginQuery(confidence="third-order")),
        *(MarginQuery(offset=offset) for offset in (np.nan, np.inf, -np.inf, None)),
        MarginQuery(random_state="lucky"),
    ],
    ids=str,
)
def test_parameters_are_checked_at_first_use(strategy):
    for use in (
        lambda: strategy.query([0.0]),
        lambda: strategy.probabilities([0.0]),
        lambda: strategy.update([0.0], [True]),
        lambda: strategy.n_queries_,
    ):
        with pytest.raises(ValueError, match="parameter of (Random|Margin)Query must be"):
            use()


def test_norms_and_variances_are_required_only_if_used():
    counting = MarginQuery(schedule="mistakes")
    second_order = MarginQuery(confidence="second_order")
    for use in ("query", "probabilities"):
        with pytest.raises(ValueError, match="norms must be given for schedule='mistakes'"):
            getattr(counting, use)([1.0])
        with pytest.raises(ValueError, match="variances must be given for confidence='second"):
            getattr(second_order, use)([1.0], norms=[1.0])
        with pytest.raises(ValueError, match="variances must be given for confidence='standard"):
            getattr(MarginQuery(confidence="standardized"), use)([1.0])
    with pytest.raises(ValueError, match="norms must be given"):
        counting.update([1.0], [True])
    # Other strategies ignore them.
    for strategy in (AllQuery(), RandomQuery(), MarginQuery(), MarginQuery(rate=0.1)):
        assert strategy.query([0.0], norms="none", variances="none").shape == (1,)


def test_lengths_must_agree():
    strategy = MarginQuery(schedule="mistakes", confidence="second_order", random_state=0)
    good = dict(norms=[1.0, 1.0], variances=[0.0, 0.0])
    strategy.query([1.0, 2.0], **good)
    before = state_of(strategy)
    for name in good:
        with pytest.raises(ValueError, match=rf"{name} must have shape \(2,\), got \(3,\)"):
            strategy.query([1.0, 2.0], **{**good, name: [1.0, 1.0, 1.0]})
    with pytest.raises(ValueError, match=r"queried must have shape \(2,\), got \(1,\)"):
        strategy.update([1.0, 2.0], [True], **good)
    with pytest.raises(ValueError, match=r"updated must have shape \(2,\), got \(2, 1\)"):
        strategy.update([1.0, 2.0], [True, False], [[True], [False]], **good)
    assert state_of(strategy) == before
