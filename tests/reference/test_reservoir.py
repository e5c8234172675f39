"""The reservoir of replay, step by step against its twin in plain Python."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from tests.reference import reservoir as reference
from tests.support.internals import Reservoir


def random_stream(seed):
    """Return class codes or targets, costs, size and number of classes (None: regression)."""
    rng = np.random.default_rng(seed)
    n_classes = None if rng.random() < 0.4 else int(rng.integers(1, 9))
    size, n = int(rng.integers(1, 61)), int(rng.integers(1, 700))
    bursts = rng.integers(0, n_classes or 20, n)
    learned = np.repeat(bursts, rng.integers(1, rng.choice([2, 60, 300]), n))[:n]
    if n_classes is None:
        learned = learned + rng.choice([0.0, 0.3]) * rng.normal(size=n)  # or few different ones
    cost = rng.choice([0.0, 0.5, 1.0, 3.0], n, p=[0.1, 0.2, 0.5, 0.2])
    return rng, learned, cost, size, n_classes


def check_same(ours, twin):
    """Compare all that a reservoir has."""
    assert (ours.n_seen, ours.n_replays) == (twin.n_seen, twin.n_replays)
    samples, classes = ours.samples, ours.classes
    assert ours.n == len(samples) <= ours.size
    for c, of in enumerate(twin.classes):
        mine = np.sort(samples[samples["code"] == c], order="key")
        assert mine["key"].tolist() == sorted(of.samples)
        expected = [of.samples[h] for h in sorted(of.samples)]
        found = mine[["row_id", "value", "cost"]].tolist()
        assert found == expected
        assert classes["stored"][c] == len(expected)
    for name in ("count", "total", "shortfall"):
        expected = [getattr(of, name) for of in twin.classes]
        assert_allclose(classes[name], expected, rtol=1e-12, atol=1e-10, err_msg=name)
    for name in ("limit", "cursor"):
        assert classes[name].tolist() == [getattr(of, name) for of in twin.classes], name
    if ours.has_ranges:
        assert_array_equal(classes["edge"], [*twin.edges, np.inf])


def check_visits(ours, twin, learned, first, cost):
    """Let both take in a chunk, and compare their visits; apply the places to ``rows``."""
    order, replays, places, sources = ours.visit(learned, first, cost)
    n = len(cost)
    found = [
        ("new", r) if r < n else ("again", replays[r - n][1], replays[r - n][3])
        for r in order.tolist()
    ]
    expected = twin.visit(learned.tolist(), first, cost)
    assert [visit[:2] for visit in found] == [visit[:2] for visit in expected]
    costs, expected_costs = ([v[2] for v in visits if len(v) > 2] for visits in (found, expected))
    assert_allclose(costs, expected_costs, rtol=1e-12)
    return replays, places, sources


@pytest.mark.parametrize(
    "seed", [*range(40), *(pytest.param(s, marks=pytest.mark.slow) for s in range(40, 800))]
)
def test_twin(seed):
    rng, learned, cost, size, n_classes = random_stream(seed)
    learned = learned.astype(np.float64 if n_classes is None else np.int32)
    ours, twin = Reservoir(size, n_classes), reference.Reservoir(size, n_classes)
    rows, first = {}, 1000 * seed  # number of the sample at each place
    while first < 1000 * seed + len(cost):
        begin = first - 1000 * seed
        chunk = slice(begin, begin + int(rng.choice([1, 7, 64, 200])))
        before = rows.copy()
        replays, places, sources = check_visits(ours, twin, learned[chunk], first, cost[chunk])
        for place, row_id, source, _, code in replays:
            assert row_id == (rows[place] if source < 0 else first + source)
            if n_classes is not None:
                assert code == learned[row_id - 1000 * seed]
        rows.update(zip(places.tolist(), (first + sources).tolist(), strict=True))
        assert [rows[place] for place in range(ours.n)] == ours.samples["row_id"].tolist()
        check_same(ours, twin)
        if rng.random() < 0.25:  # a call that fails, or is interrupted before its end
            ours.take_back()
            twin.take_back()
            rows = before
            check_same(ours, twin)
            continue
        if rng.random() < 0.2:
            ours = Reservoir.from_state(ours.state())
        first += len(cost[chunk])


def test_fewer_places_than_classes():
    """Regression test: the place of a sample was read before the first one."""
    for size in (1, 2, 5):
        reservoir = Reservoir(size, 8)
        codes = np.tile(np.arange(8, dtype=np.int32), 20)
        reservoir.visit(codes, 0, np.ones(len(codes)))
        assert len(np.unique(reservoir.samples["code"])) == reservoir.n == size


def test_recoded():
    rng = np.random.default_rng(0)
    codes, cost = np.sort(rng.integers(0, 3, 300)).astype(np.int32), np.ones(300)
    ours, twin = Reservoir(40, 3), reference.Reservoir(40, 3)
    check_visits(ours, twin, codes, 0, cost)
    places = np.array([3, 0, 2])
    ours, former = ours.recoded(places, 5), twin.classes
    twin.classes = [reference.Class() for _ in range(5)]
    for c, place in enumerate(places):
        twin.classes[place] = former[c]
    check_same(ours, twin)
    new = rng.choice([1, 4, 0], 200).astype(np.int32)
    check_visits(ours, twin, new, 300, np.ones(200))
    check_same(ours, twin)


def test_any_size_can_be_asked_for():
    """Regression test: memory for all places was allocated, and written to, at once."""
    reservoir = Reservoir(2**40, 2)
    reservoir.visit(np.zeros(10, np.int32), 0, np.ones(10))
    assert reservoir.n == 10
