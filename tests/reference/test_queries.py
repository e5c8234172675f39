"""The oracle has to be right first: random numbers and the twins of the query rules."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.reference.queries import (
    AllQuery,
    MarginQuery,
    RandomQuery,
    SplitMix64,
    confidence_of,
)


def test_splitmix64_gives_the_known_numbers():
    random = SplitMix64(0)
    known = [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F]
    assert [random.next() for _ in range(3)] == known
    random = SplitMix64(0)
    assert [random.uniform() for _ in range(3)] == [(k >> 11) / 2**53 for k in known]
    random = SplitMix64(2**64 - 1)
    u = np.array([random.uniform() for _ in range(20000)])
    assert (u >= 0).all() and (u < 1).all()
    assert abs(u.mean() - 0.5) < 4 / np.sqrt(12 * len(u))
    assert abs(np.corrcoef(u[1:], u[:-1])[0, 1]) < 4 / np.sqrt(len(u))


def test_all_and_random():
    query = AllQuery()
    assert query.probability(3.0) == 1.0 and query.asks(1.0)
    query = RandomQuery(0.3, seed=5)
    asked = [query.asks(query.probability(c)) for c in np.linspace(-9, 9, 20000)]
    assert abs(np.mean(asked) - 0.3) < 4 * np.sqrt(0.21 / 20000)
    twin = SplitMix64(5)
    assert asked == [twin.uniform() < 0.3 for _ in range(20000)]


def test_confidence():
    assert confidence_of([-2.5]) == -2.5
    assert confidence_of([1.0, 4.0, 3.5]) == 0.5
    assert confidence_of([4.0, 4.0, 3.5]) == 0.0


def test_probabilities():
    assert MarginQuery(2.0).probability(-3.0) == 2 / 5
    assert MarginQuery(2.0, offset=1.0).probability(3.0) == 2 / 6
    assert MarginQuery(2.0).probability(0.0) == 1.0
    assert MarginQuery(0.0).probability(0.0) == 1.0
    assert MarginQuery(0.0).probability(1.0) == 0.0
    query = MarginQuery(2.0, schedule="adaptive")
    for t in range(1, 5):
        assert query.probability(1.0) == 2 / t / (2 / t + 1)
        query.update(0.5, False)
    query = MarginQuery(2.0, schedule="mistakes")
    assert_allclose(query.probability(1.0, norm=3.0), 18 / 19)
    query.update(0.5, asked=True, updated=False, norm=3.0)
    assert_allclose(query.probability(1.0, norm=1.0), 2 / 3)
    query.update(0.5, asked=True, updated=True, norm=3.0)
    d = 18 * np.sqrt(2)
    assert_allclose(query.probability(1.0, norm=1.0), d / (d + 1))
    query = MarginQuery(2.0, confidence="second-order")
    # r = 4 / (1 + 1) = 2.
    assert_allclose(query.probability(-4.0, variance=1.0), 2 / (2 + 2 + 4))


def run_query(query, confidences):
    """Probabilities, answers and log delta at each row."""
    probabilities, asked, log_deltas = [], [], []
    for c in confidences:
        p = query.probability(c)
        probabilities.append(p)
        log_deltas.append(np.log(query.delta))
        asked.append(query.asks(p))
        query.update(p, asked[-1])
    return np.array(probabilities), np.array(asked), np.array(log_deltas)


@pytest.mark.parametrize("rate", [None, 0.1])
def test_the_share_asked_is_the_mean_probability(rate):
    confidences = np.random.default_rng(0).normal(size=10000)
    probabilities, asked, _ = run_query(MarginQuery(0.2, rate=rate, seed=1), confidences)
    deviation = np.sqrt(np.sum(probabilities * (1 - probabilities))) / len(asked)
    assert abs(asked.mean() - probabilities.mean()) < 3 * deviation
    # Within bins, too.
    for low, high in [(0.0, 0.05), (0.05, 0.2), (0.2, 0.6), (0.6, 1.0)]:
        inside = (probabilities > low) & (probabilities <= high)
        p = probabilities[inside]
        assert abs(asked[inside].mean() - p.mean()) < 4 * np.sqrt(np.sum(p * (1 - p))) / len(p)


def margins(kind, n, seed):
    rng = np.random.default_rng(seed)
    t, N = np.arange(n) / n, np.abs(rng.normal(size=n))
    return {
        "level": N,
        "small": 1e-3 * N,
        "rising": N * 10 ** (4 * t - 2),
        "falling": N * 10 ** (2 - 4 * t),
        "waves": N * 10 ** (2 * np.sin(4 * np.pi * t)),
        "broad": np.exp(2 * rng.normal(size=n)),
        "clear": np.abs(rng.normal(3, 1, size=n)),
        "changing": np.where(t < 0.5, N, np.abs(rng.normal(5, 0.5, size=n))),
        "equal": np.ones(n),
    }[kind]


KINDS = ["level", "small", "rising", "falling", "waves", "broad", "clear", "changing", "equal"]


@pytest.mark.parametrize("rate", [0.02, 0.1, 0.5])
@pytest.mark.parametrize("kind", KINDS)
def test_steering_keeps_the_rate(kind, rate):
    for n, seed in [(2000, 0), (2000, 1), (8000, 2)]:
        query = MarginQuery(rate=rate, seed=seed)
        confidences = margins(kind, n, seed)
        probabilities, asked, log_deltas = run_query(query, confidences)
        assert abs(asked.mean() - rate) < 0.003 + 0.05 * rate
    # delta does not jump about (the waves themselves move it), and it is the margins that decide.
    parts = np.split(log_deltas, 20)[4:]
    time = np.arange(len(parts[0]))
    residuals = [part - np.polyval(np.polyfit(time, part, 2), time) for part in parts]
    assert np.sqrt(np.mean(np.square(residuals))) < 0.5
    assert np.corrcoef(np.log(confidences + 1e-12), probabilities)[0, 1] < -0.2 or kind == "equal"


def test_steering_survives_confidences_of_zero():
    rng = np.random.default_rng(3)
    confidences = np.abs(rng.normal(size=6000))
    confidences[:500] = 0.0
    confidences[1000:1500][rng.random(500) < 0.3] = 0.0
    probabilities, asked, log_deltas = run_query(MarginQuery(rate=0.1, seed=0), confidences)
    assert (probabilities[:500] == 1).all() and asked[:500].all()
    assert np.isfinite(log_deltas).all()
    # What was asked too much is forgotten, not paid back to the end.
    assert abs(asked[3000:].mean() - 0.1) < 0.008
    for n_rows in (0, 1, 100):
        query = MarginQuery(rate=0.1)
        run_query(query, np.zeros(n_rows))
        assert 0 < query.probability(1.0) < 1


def test_the_steering_starts_at_delta():
    for rate in (0.01, 0.5, 0.9):
        assert_allclose(MarginQuery(0.3, rate=rate).delta, 0.3)
    with pytest.raises(ValueError, match="rate"):
        MarginQuery(rate=1.0)
