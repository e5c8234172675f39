"""Query rules: step by step beside their twins, and what they promise to those who use them."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.utils import check_random_state

from sklearn_online_svm._core.linear.queries import ALL, AT_RANDOM, BY_MARGIN, SelectiveSampler
from sklearn_online_svm.active import AllQuery, MarginQuery, RandomQuery
from tests.reference import queries

SCHEDULES = ["constant", "adaptive", "mistakes"]
CONFIDENCES = ["margin", "second-order"]
# Everything that a rule by margin may be told.
BY_MARGINS = [
    dict(delta=delta, offset=offset, schedule=schedule, rate=rate, confidence=confidence)
    for delta, offset in ((0.7, 0.0), (4.0, 0.3))
    for schedule in SCHEDULES
    for rate in (None, 0.1, 0.6)
    for confidence in CONFIDENCES
]
RULES = [
    AllQuery(),
    RandomQuery(0.3, random_state=1),
    *(MarginQuery(**params, random_state=2) for params in BY_MARGINS),
]
MARGIN_RULES = RULES[2:]
for_every_rule = pytest.mark.parametrize("rule", RULES, ids=str)
close = dict(rtol=1e-12, atol=1e-15)


class Rows:
    """What a rule is told about rows: some are certain, some have no confidence at all."""

    def __init__(self, n=200, seed=0, n_classes=2):
        rng = np.random.default_rng(seed)
        self.n = n
        self.scores = rng.normal(size=n if n_classes == 2 else (n, n_classes))
        self.scores *= 10 ** rng.uniform(-2, 1, n).reshape((n,) + (1,) * (self.scores.ndim - 1))
        self.scores[::17] = 0.0
        self.norms = rng.uniform(0.1, 3.0, n)
        self.variances = rng.uniform(0.0, 2.0, n)
        self.updated = rng.random(n) < 0.5

    def told(self, rows=slice(None)):
        return self.scores[rows], self.norms[rows], self.variances[rows]

    def confidences(self):
        return [queries.confidence_of(np.atleast_1d(score)) for score in self.scores]


def seed_of(rule):
    random = check_random_state(rule.random_state)
    return int(random.randint(0, 2**63 - 1, dtype=np.int64))


def twin_of(rule):
    params = rule.get_params()
    if isinstance(rule, AllQuery):
        return queries.AllQuery()
    del params["random_state"]
    kind = queries.RandomQuery if isinstance(rule, RandomQuery) else queries.MarginQuery
    return kind(seed=seed_of(rule), **params)


def state_of(rule):
    return rule._query_context().state()


def run_twin(twin, rows):
    """(probabilities, asked, deltas), each before the row is left behind."""
    probabilities, asked, deltas = [], [], []
    for i, confidence in enumerate(rows.confidences()):
        p = twin.probability(confidence, rows.norms[i], rows.variances[i])
        asked.append(twin.asks(p))
        probabilities.append(p)
        deltas.append(getattr(twin, "delta", None))
        twin.update(p, asked[-1], bool(asked[-1] and rows.updated[i]), rows.norms[i])
    return probabilities, asked, deltas


def run_rule(rule, rows, chunk=1, told=Rows.told):
    """The same of a rule, in chunks (which must not contain updates that would matter)."""
    probabilities, asked = [], []
    for start in range(0, rows.n, chunk):
        here = slice(start, start + chunk)
        numbers = told(rows, here)
        probabilities.append(rule.probabilities(*numbers)[0])
        queried = rule.query(*numbers)
        scores, *numbers = numbers
        rule.update(scores, queried, queried & rows.updated[here], *numbers)
        asked.extend(queried)
    return probabilities, asked


# -- beside the twin ----------------------------------------------------------------------


@for_every_rule
@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_each_row(rule, n_classes):
    rule, rows = clone(rule), Rows(n_classes=n_classes)
    twin = twin_of(rule)
    wanted, its_answers, deltas = run_twin(twin, rows)
    probabilities, asked = run_rule(rule, rows)
    assert_allclose(probabilities, wanted, **close)
    assert asked == its_answers
    assert rule.n_queries_ == sum(asked) > 5
    if isinstance(rule, MarginQuery):
        state = state_of(rule)
        assert state["n_rows"] == twin.n_rows == rows.n
        assert state["n_updates"] == twin.n_updates > 2
        assert state["random"] == twin.random.state
        # Rules that need no norms are not told them.
        largest = twin.largest_norm if rule.schedule == "mistakes" else 0.0
        assert_allclose(state["largest_norm"], largest**2)
        if rule.rate is not None:
            numbers = [twin.log_half, twin.n_scaled, twin.credit, twin.trend]
            own = [state[name] for name in ("log_half", "n_scaled", "credit", "trend")]
            assert_allclose(own, numbers, rtol=1e-10, atol=1e-12)
            assert np.ptp(np.log(deltas)) > 0.5


@pytest.mark.parametrize("rule", MARGIN_RULES, ids=str)
def test_delta_is_that_of_the_next_row(rule):
    rule, rows = clone(rule), Rows(60)
    twin = twin_of(rule)
    _, _, deltas = run_twin(twin, rows)
    for i in range(rows.n):
        here = slice(i, i + 1)
        wanted = deltas[i] / (i + 1) if rule.schedule == "adaptive" else deltas[i]
        if rule.schedule == "mistakes":
            state = state_of(rule)
            wanted *= state["largest_norm"] * np.sqrt(1 + state["n_updates"])
        assert_allclose(rule.delta_, wanted, rtol=1e-10)
        scores, norms, variances = rows.told(here)
        queried = rule.query(scores, norms, variances)
        rule.update(scores, queried, queried & rows.updated[here], norms, variances)


@pytest.mark.parametrize("seed", [0, 1, 2**63, 2**64 - 1])
def test_the_generator_is_splitmix64(seed):
    asker, twin = SelectiveSampler(AT_RANDOM, seed=seed, rate=0.5), queries.SplitMix64(seed)
    zeros = np.zeros(300)
    drawn = [twin.uniform() < 0.5 for _ in range(300)]
    assert asker.would_ask(zeros, zeros, zeros).tolist() == drawn
    for rate in (0.0, 1.0):
        asker = SelectiveSampler(AT_RANDOM, seed=seed, rate=rate)
        assert (asker.would_ask(zeros, zeros, zeros) == rate).all()


@pytest.mark.parametrize("bound", ["credit", "trend"])
def test_steering_is_bounded(bound):
    """Rows that are asked about, come what may, and rows that are never asked about."""
    for scores, sign in ((np.zeros(20_000), -1), (np.full(20_000, 1e300), 1)):
        rule = MarginQuery(rate=0.1, random_state=0)
        twin = twin_of(rule)
        queried = rule.query(scores)
        rule.update(scores, queried)
        for score, asked in zip(scores, queried):
            twin.update(twin.probability(score), asked)
        kappa = 0.25 * 0.9
        assert_allclose(state_of(rule)[bound], getattr(twin, bound))
        if sign < 0:
            most = {"credit": 4.0 / kappa, "trend": 4.0}[bound]
            assert_allclose(state_of(rule)[bound], -most)
        assert 0 < rule.probabilities([1.0])[0] < 1 or sign > 0
        assert np.isfinite(list(state_of(rule).values())).all()


def test_asker_of_all_draws_nothing():
    asker, zeros = SelectiveSampler(ALL, seed=7), np.zeros(5)
    assert asker.would_ask(zeros, zeros, zeros).all()
    asker.move(zeros, np.ones(5, np.uint8), np.zeros(5, np.uint8), zeros, zeros)
    assert asker.state()["random"] == 7
    assert asker.n_asked == 5
    assert not asker.wants_norm and not asker.second_order


# -- what is asked for one row -----------------------------------------------------------------


def test_probabilities_by_hand():
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
    assert_allclose(p(-4.0, None, [1.0], delta=2.0, confidence="second-order"), 2 / (2 + 2 + 4))
    assert_array_equal(RandomQuery(0.3).probabilities([0.0, 9.0]), [0.3, 0.3])
    assert_array_equal(AllQuery().probabilities([0.0, 9.0]), [1.0, 1.0])


def test_the_first_schedules_by_hand():
    rule = MarginQuery(6.0, schedule="adaptive")
    for t in range(1, 5):
        assert_allclose(rule.probabilities([1.0]), 6 / t / (6 / t + 1))
        rule.update([0.5], [t % 2 == 0])
    rule = MarginQuery(2.0, schedule="mistakes")
    rule.update([0.5], [True], [False], [3.0])
    assert_allclose(rule.probabilities([1.0], [1.0]), 2 / 3)
    rule.update([0.5], [True], [True], [3.0])
    d = 2 * 9 * np.sqrt(2)
    assert_allclose(rule.probabilities([1.0], [1.0]), d / (d + 1))
    rule.update([0.5], [True], norms=[5.0])  # None: the row changed nothing
    assert_allclose(rule.probabilities([1.0], [1.0]), d / (d + 1))


@pytest.mark.parametrize("rule", [MarginQuery(0.5, random_state=0), RandomQuery(random_state=0)])
def test_confidence_is_the_gap_between_the_two_best(rule):
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(50, 4))
    best = np.sort(scores, axis=1)
    gaps = best[:, -1] - best[:, -2]
    wanted = clone(rule).probabilities(gaps)
    assert_allclose(clone(rule).probabilities(scores), wanted, **close)
    assert_allclose(clone(rule).probabilities(-gaps), wanted, **close)
    assert_allclose(clone(rule).probabilities(gaps[:, None]), wanted, **close)
    assert_array_equal(clone(rule).query(scores.tolist()), clone(rule).query(gaps))


# -- query looks, update moves -------------------------------------------------------------------


@for_every_rule
def test_query_moves_nothing_and_update_does(rule):
    rule, rows = clone(rule), Rows(50)
    before = state_of(rule)
    first = rule.query(*rows.told())
    assert first.dtype == bool and first.shape == (50,)
    assert_array_equal(rule.query(*rows.told()), first)
    rule.probabilities(*rows.told())
    assert state_of(rule) == before
    scores, norms, variances = rows.told()
    assert rule.update(scores, first, first & rows.updated, norms, variances) is rule
    after = state_of(rule)
    assert after["n_rows"] == 50 and after["n_asked"] == first.sum() == rule.n_queries_
    if not isinstance(rule, AllQuery):
        assert after["random"] != before["random"]
        if getattr(rule, "schedule", "") != "mistakes":  # nearly all of these are asked about
            assert (rule.query(*rows.told()) != first).any()


@for_every_rule
@pytest.mark.parametrize("chunk", [7, 50, 200])
def test_chunks_are_asked_about_as_single_rows_are(rule, chunk):
    """But for updates within a chunk, which a rule that counts them cannot foresee."""
    rows = Rows()
    if getattr(rule, "schedule", "") == "mistakes":
        rows.updated[:] = False
    single, together = clone(rule), clone(rule)
    _, asked = run_rule(single, rows)
    _, asked_together = run_rule(together, rows, chunk)
    assert asked_together == asked
    assert state_of(together) == state_of(single)


@for_every_rule
def test_update_moves_in_chunks_as_by_single_rows(rule):
    """Also where rows changed the model, and where other rows were asked about than wanted."""
    rows, asked = Rows(), np.random.default_rng(3).random(200) < 0.4
    states = []
    for chunk in (1, 7, 200):
        moved = clone(rule)
        for start in range(0, rows.n, chunk):
            here = slice(start, start + chunk)
            scores, norms, variances = rows.told(here)
            moved.update(scores, asked[here], asked[here] & rows.updated[here], norms, variances)
        states.append(state_of(moved))
    assert states[0] == states[1] == states[2]
    assert states[0]["n_asked"] == asked.sum()
    assert states[0]["n_updates"] == (asked & rows.updated).sum()


def test_a_rule_that_counts_updates_asks_more_after_them():
    rows = Rows(400)
    counting, idle = (MarginQuery(0.05, schedule="mistakes", random_state=0) for _ in range(2))
    asked = run_rule(counting, rows)[1]
    rows.updated[:] = False
    assert sum(asked) > sum(run_rule(idle, rows)[1]) + 20


# -- how many are asked about --------------------------------------------------------------------


@pytest.mark.parametrize(
    "rule",
    [
        *(RandomQuery(rate, random_state=0) for rate in (0.02, 0.5)),
        *(MarginQuery(delta, random_state=1) for delta in (0.05, 1.0)),
        MarginQuery(1.0, offset=2.0, random_state=2),
        MarginQuery(3000.0, schedule="adaptive", random_state=3),
        MarginQuery(0.3, schedule="mistakes", random_state=4),
        MarginQuery(0.1, confidence="second-order", random_state=5),
        MarginQuery(rate=0.1, random_state=6),
    ],
    ids=str,
)
def test_the_share_asked_about_is_the_mean_probability(rule):
    """In all, and among rows of like probability."""
    n = 20_000
    rows = Rows(n, seed=1)
    p, asked = (np.array(values) for values in run_rule(clone(rule), rows))
    for low, high in [(0.0, 1.0), (0.0, 0.05), (0.05, 0.2), (0.2, 0.6), (0.6, 0.999)]:
        inside = (p > low) & (p <= high)
        deviation = np.sqrt(np.sum(p[inside] * (1 - p[inside])))
        assert abs(asked[inside].sum() - p[inside].sum()) <= 3.5 * deviation
    assert 100 < asked.sum() < n - 100
    assert asked[p == 1.0].all()


@pytest.mark.parametrize("rate", [0.02, 0.1, 0.5, 0.9])
@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e6])
def test_the_rate_is_kept_whatever_the_scale(rate, schedule, scale):
    rng = np.random.default_rng(5)
    scores, norms = scale * rng.normal(size=4000), np.ones(4000)
    rule = MarginQuery(rate=rate, schedule=schedule, random_state=0)
    queried = rule.query(scores, norms)
    rule.update(scores, queried, norms=norms)
    assert abs(rule.n_queries_ - 4000 * rate) < 20 + 0.05 * 4000 * rate
    # It is the rows of small confidence that are asked about.
    confidence, queried = np.abs(scores[500:]), queried[500:]
    assert confidence[queried].mean() < 0.8 * confidence[~queried].mean()


def test_seeds():
    rows = Rows(300)
    answers = [
        MarginQuery(random_state=seed).query(*rows.told()) for seed in (0, 0, 1, None, None)
    ]
    assert_array_equal(answers[0], answers[1])
    assert all((answers[0] != other).any() for other in answers[2:])
    assert (answers[3] != answers[4]).any()
    # A generator that is shared gives one seed after the other.
    shared = np.random.RandomState(3)
    one, other = (RandomQuery(0.5, random_state=shared).query(np.zeros(99)) for _ in range(2))
    assert (one != other).any()


# -- as estimators -------------------------------------------------------------------------------


@for_every_rule
def test_pickles_go_on_where_they_were(rule):
    rows = Rows()
    whole, rule = clone(rule), clone(rule)
    asked = run_rule(whole, rows)[1]
    first, second = (Rows.__new__(Rows) for _ in range(2))
    for part, here in ((first, slice(0, 90)), (second, slice(90, None))):
        part.__dict__.update({k: v[here] for k, v in vars(rows).items() if k != "n"})
        part.n = len(part.scores)
    before = run_rule(rule, first)[1]
    state = rule.__getstate__()
    assert type(state["_asker"]) is dict  # plain numbers
    again = pickle.loads(pickle.dumps(rule))
    assert state_of(again) == state_of(rule)
    after = run_rule(again, second)[1]
    assert before + after == asked
    assert state_of(again) == state_of(whole) != state_of(rule)
    # One that was never used has no state yet.
    assert_array_equal(
        pickle.loads(pickle.dumps(clone(rule))).query(*rows.told()),
        clone(rule).query(*rows.told()),
    )


@for_every_rule
def test_clones_start_again(rule):
    rule, rows = clone(rule), Rows()
    fresh = state_of(rule)
    run_rule(rule, rows)
    copy = clone(rule)
    assert copy.get_params() == rule.get_params()
    assert state_of(copy) == fresh != state_of(rule)


@for_every_rule
def test_state_of_an_asker_can_be_restored(rule):
    rule, rows = clone(rule), Rows(60)
    asker = rule._query_context()
    numbers = [np.abs(rows.scores), rows.norms**2, rows.variances]
    answers, state = asker.would_ask(*numbers), asker.state()
    asker.move(numbers[0], answers.view(np.uint8), answers.view(np.uint8), *numbers[1:])
    assert asker.state() != state
    asker.restore(state)
    assert asker.state() == state
    assert_array_equal(asker.would_ask(*numbers), answers)
    assert (
        SelectiveSampler(BY_MARGIN, seed=1).state() == SelectiveSampler(BY_MARGIN, seed=1).state()
    )


# -- errors --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "rule",
    [
        *(RandomQuery(rate) for rate in (-0.1, 1.1, np.nan, "all")),
        *(MarginQuery(delta) for delta in (0.0, -1.0, np.nan, None)),
        *(MarginQuery(rate=rate) for rate in (0.0, 1.0, np.nan)),
        *(MarginQuery(schedule="often"), MarginQuery(confidence="third-order")),
        *(MarginQuery(offset=-1.0), MarginQuery(random_state="lucky")),
    ],
    ids=str,
)
def test_parameters_are_checked_at_first_use(rule):
    for use in (
        lambda: rule.query([0.0]),
        lambda: rule.probabilities([0.0]),
        lambda: rule.update([0.0], [True]),
        lambda: rule.n_queries_,
    ):
        with pytest.raises(ValueError, match="parameter of (Random|Margin)Query must be"):
            use()


def test_norms_and_variances_are_wanted_by_those_who_use_them():
    counting = MarginQuery(schedule="mistakes")
    second_order = MarginQuery(confidence="second-order")
    for use in ("query", "probabilities"):
        with pytest.raises(ValueError, match="norms must be given for schedule='mistakes'"):
            getattr(counting, use)([1.0])
        with pytest.raises(ValueError, match="variances must be given for confidence='second"):
            getattr(second_order, use)([1.0], norms=[1.0])
    with pytest.raises(ValueError, match="norms must be given"):
        counting.update([1.0], [True])
    # All others do not look at them.
    for rule in (AllQuery(), RandomQuery(), MarginQuery(), MarginQuery(rate=0.1)):
        assert rule.query([0.0], norms="none", variances="none").shape == (1,)


def test_lengths_must_agree():
    rule = MarginQuery(schedule="mistakes", confidence="second-order", random_state=0)
    good = dict(norms=[1.0, 1.0], variances=[0.0, 0.0])
    rule.query([1.0, 2.0], **good)
    before = state_of(rule)
    for name in good:
        with pytest.raises(ValueError, match=rf"{name} must have shape \(2,\), got \(3,\)"):
            rule.query([1.0, 2.0], **{**good, name: [1.0, 1.0, 1.0]})
    with pytest.raises(ValueError, match=r"queried must have shape \(2,\), got \(1,\)"):
        rule.update([1.0, 2.0], [True], **good)
    with pytest.raises(ValueError, match=r"updated must have shape \(2,\), got \(2, 1\)"):
        rule.update([1.0, 2.0], [True, False], [[True], [False]], **good)
    assert state_of(rule) == before
