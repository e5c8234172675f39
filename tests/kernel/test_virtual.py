"""VirtualLASVC: active selection from a pool to which points of the minority are added."""

import pickle
import re
from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_matrix
from sklearn.datasets import make_classification
from sklearn.metrics.pairwise import rbf_kernel

from sklearn_online_svm import ActiveLASVC, VirtualLASVC
from tests.reference.lasvm import ForkedTwin
from tests.reference.selection import Chooser
from tests.support.engine import kernel_values, make_loop, make_store
from tests.support.internals import (
    DATA,
    Active,
    Kernel,
    VirtualPoints,
    VirtualPool,
    engine_of,
    support_arrays,
)

GAMMA = 0.3
PARAMS = dict(C=5.0, gamma=0.1, random_state=0)


def imbalanced(n=400, n_classes=2, seed=0):
    weights = [0.9] if n_classes == 2 else [0.1, 0.6]
    return make_classification(
        n, 6, n_informative=4, n_classes=n_classes, weights=weights, flip_y=0.03, random_state=seed
    )


def minority_rows(y, label=None):
    labels, counts = np.unique(y, return_counts=True)
    return y == (labels[counts.argmin()] if label is None else label)


# -- the reference ----------------------------------------------------------------------


def plain_point(X, rows, row, n_neighbors, n_virtual, random):
    """Return points between a sample and one of its nearest neighbours, by the definition."""
    others = np.array([r for r in rows if r != row])
    distances = 2 - 2 * np.exp(-GAMMA * ((X[others] - X[row]) ** 2).sum(axis=1))
    nearest = others[np.argsort(distances, kind="stable")[:n_neighbors]]
    chosen = random.randint(len(nearest), size=n_virtual)
    share = random.uniform(size=n_virtual)[:, None]
    return share * X[row] + (1 - share) * X[nearest[chosen]]


@pytest.mark.parametrize("n_virtual", [0, 1, 3])
@pytest.mark.parametrize("layout", ["dense", "sparse"])
def test_each_step_equals_the_reference(layout, n_virtual):
    """Compares selected samples, generated points and alpha after each sample."""
    X, y = imbalanced(120)
    n, codes = len(y), y.astype(np.int32)
    minority = int(y.mean() < 0.5)
    rows = np.flatnonzero(codes == minority)
    costs = np.random.default_rng(0).uniform(1.8, 2.2, n)
    given = csr_matrix(X) if layout == "sparse" else X
    generator = VirtualPoints(given[rows], Kernel("rbf", GAMMA), 5)
    options = dict(minority=minority, problem=0, n_virtual=n_virtual, max_labels=None)
    start = dict(order=np.arange(n), points=given[:0], costs=np.zeros(0), n_done=0, first_id=0) | {
        "random": np.random.RandomState(7).get_state(legacy=False)
    }
    pool = VirtualPool(given, codes, costs, np.arange(n), DATA, generator, start, **options)
    loop = make_loop(make_store(X, gamma=GAMMA, layout=layout), tol=1e-3)
    loop.stream.follower, loop.stream.selection = pool, Active(20)
    loop.stream.selection.restore(99)
    states = []
    problem = loop.problems[0]

    def note(_):
        slots = problem.slots()
        members = problem.members
        virtual = n + members["row_id"][slots]
        named = np.where(members["origin"][slots] == DATA, members["row_id"][slots], virtual)
        states.append(dict(zip(named.tolist(), members["alpha"][slots].tolist(), strict=True)))

    loop.learn(pool.samples.X, pool.order, pool.given, None, 0, note)

    n_all = n + pool.n_points
    everything = pool.samples.X[:n_all]
    everything = everything.toarray() if layout == "sparse" else everything
    K = kernel_values(make_store(X, gamma=GAMMA), everything, everything).astype(np.float64)
    sign = np.where(np.append(codes, np.full(pool.n_points, minority)) == 1, 1.0, -1.0)
    twin = ForkedTwin(K, sign, pool.cost[:n_all])
    chooser, random = Chooser("active", 20, 99), np.random.RandomState(7)
    left, n_points, parents = list(range(n)), 0, []
    for t, state in enumerate(states):
        place = place_of(chooser, left, twin)
        row = left[place]
        assert row == pool.order[t], t
        left[0], left[place] = left[place], left[0]
        left.pop(0)
        twin = followed(twin, row, state)
        if row in rows and twin.alpha[row] != 0:
            points = plain_point(X, rows, row, 5, n_virtual, random)
            made = n + n_points + np.arange(n_virtual)
            assert_allclose(everything[made], points, rtol=1e-6, atol=1e-9)
            assert_array_equal(pool.cost[made], costs[row])
            left += made.tolist()
            n_points += n_virtual
            parents.append(row)
    assert not left and n_points == pool.n_points and len(states) == n_all
    assert len(parents) > 5 and (n_points > 5) == (n_virtual > 0)


def place_of(chooser, left, twin):
    decide = lambda row: twin.alpha @ twin.K[:, row] + twin.b  # noqa: E731
    return chooser.choose(left, decide, np.zeros(len(twin.alpha), int), twin.delta)


def followed(twin, row, state):
    """Return the reference after the sample, with the tie resolved as in the engine."""
    for way in twin.ways_to_learn(row):
        if set(way.S) == set(state) and np.allclose(
            way.alpha[way.S], [state[s] for s in way.S], atol=1e-7
        ):
            return way
    raise AssertionError(f"no way to learn row {row} leads there")


# -- special cases ----------------------------------------------------------------------


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("algorithm", ["lasvm", "lasvm-g", "lasvm-i"])
def test_without_virtual_points_it_equals_active_selection(n_classes, algorithm):
    X, y = imbalanced(n_classes=n_classes)
    params = dict(PARAMS, algorithm=algorithm, pool_size=59)
    plain = ActiveLASVC(max_iter=1, **params).fit(X, y)
    model = VirtualLASVC(n_virtual=0, **params).fit(X, y)
    assert_array_equal(model.support_, plain.support_)
    assert_array_equal(model.dual_coef_, plain.dual_coef_)
    assert model.n_virtual_points_ == 0 == model.virtual_ratio_
    assert len(model.virtual_support_vectors_) == 0


@pytest.mark.parametrize("n_classes", [2, 3])
def test_virtual_points_lie_between_minority_samples(n_classes):
    X, y = imbalanced(n_classes=n_classes)
    model = VirtualLASVC(**PARAMS).fit(X, y)
    few = X[minority_rows(y)]
    points = model.virtual_support_vectors_
    assert len(points) == (model.support_ == -1).sum() > 3
    for point in points:
        # On a segment, the distances to its ends add up to its length.
        from_rows = np.linalg.norm(few - point, axis=1)
        between = from_rows[:, None] + from_rows
        lengths = np.linalg.norm(few[:, None] - few, axis=2)
        np.fill_diagonal(lengths, -1)
        assert np.isclose(between, lengths, atol=1e-9).any()
    assert model.virtual_ratio_ == len(points) / model.n_virtual_points_
    # They belong to the minority class.
    labels = np.repeat(model.classes_, model.n_support_)
    assert (labels[model.support_ == -1] == model.minority_class_).all()
    assert model.minority_class_ == y[minority_rows(y)][0]


@pytest.mark.sampled
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("kernel", ["rbf", "linear", "poly", "function"])
def test_model_is_independent_of_layout_and_threads(kernel, n_classes):
    X, y = imbalanced(300, n_classes)
    X[np.abs(X) < 0.5] = 0
    function = partial(rbf_kernel, gamma=0.1)
    params = dict(PARAMS, kernel=function if kernel == "function" else kernel, max_labels=120)
    model = VirtualLASVC(**params).fit(X, y)
    assert model.n_virtual_points_ > 0 and model.n_labels_used_ == 120
    threads = VirtualLASVC(n_jobs=3, **params).fit(X, y)
    assert_array_equal(threads.dual_coef_, model.dual_coef_)
    sparse = VirtualLASVC(**params).fit(csr_matrix(X), y)
    assert_array_equal(sparse.support_, model.support_)
    assert_array_equal(sparse.dual_coef_, model.dual_coef_)
    made, others = sparse.virtual_support_vectors_, model.virtual_support_vectors_
    assert_array_equal(made.toarray(), others)


# -- streams ----------------------------------------------------------------------------


@pytest.mark.parametrize("sparse", [False, True])
def test_identifiers_and_counts_of_a_stream(sparse):
    X, y = imbalanced(600)
    X = csr_matrix(X) if sparse else X
    y = np.array(["many", "few"])[y]
    model = VirtualLASVC(**PARAMS, max_labels=60)
    for k in range(4):
        rows = slice(150 * k, 150 * (k + 1))
        model = pickle.loads(pickle.dumps(model.partial_fit(X[rows], y[rows], ["few", "many"])))
        assert model.n_labels_used_ == 60 * (k + 1)
        assert model.n_samples_seen_ == 150 * (k + 1)
    assert model.n_virtual_points_ > 10
    assert model.minority_class_ == "few"
    assert model.support_.max() < 600 and (model.support_ >= -1).all()
    # Virtual points of several chunks have different identifiers.
    members, slots = support_arrays(model), engine_of(model).problems[0].slots()
    named = set(zip(members["origin"][slots], members["row_id"][slots], strict=True))
    assert len(named) == len(slots)


def test_neighbours_include_earlier_support_vectors():
    """A single minority sample of a chunk has neighbours among earlier support vectors."""
    X, y = imbalanced(300)
    few = np.flatnonzero(minority_rows(y))
    model = VirtualLASVC(**PARAMS).partial_fit(X, y, [0, 1])
    made = model.n_virtual_points_
    rows = np.append(np.flatnonzero(~minority_rows(y))[:20], few[0])
    X = X[rows].copy()
    X[-1] = X[0] + 0.01  # among the other class, to become a support vector
    model.partial_fit(X, y[rows])
    assert model.n_virtual_points_ == made + 1
    alone = VirtualLASVC(**PARAMS).partial_fit(X, y[rows], [0, 1])
    assert alone.n_virtual_points_ == 0  # no neighbour


def test_minority_class():
    X, y = imbalanced()
    many = int(y.mean() > 0.5)
    model = VirtualLASVC(minority_class=many, **PARAMS).fit(X, y)
    assert model.minority_class_ == many and model.n_virtual_points_ > 0
    labels = np.repeat(model.classes_, model.n_support_)
    assert (labels[model.support_ == -1] == many).all()
    for label in (7, [], (1, 2), {}):
        match = rf"minority_class={re.escape(repr(label))} is not among the classes \[0, 1\]"
        with pytest.raises(ValueError, match=match):
            VirtualLASVC(minority_class=label).fit(X, y)
    before = model.decision_function(X)
    with pytest.raises(ValueError, match="minority_class=7"):
        model.set_params(minority_class=7).partial_fit(X[:5], y[:5])
    assert_array_equal(model.decision_function(X), before)


def test_virtual_points_have_the_weight_of_their_parent():
    X, y = imbalanced()
    weight = np.random.default_rng(0).uniform(0.5, 2.0, len(y))
    model = VirtualLASVC(**PARAMS, class_weight={0: 1.0, 1: 3.0}).fit(X, y, sample_weight=weight)
    members = support_arrays(model)
    slots = engine_of(model).problems[0].slots()
    virtual = slots[members["origin"][slots] != DATA]
    bounds = members["upper"][virtual] - members["lower"][virtual]
    possible = PARAMS["C"] * 3.0 * weight[y == 1]
    assert len(bounds) > 3 and np.isclose(bounds[:, None], possible).any(axis=1).all()


def test_precomputed_kernels_are_rejected():
    X, y = imbalanced(60)
    with pytest.raises(ValueError, match="between two samples, but with kernel=.precomputed. X"):
        VirtualLASVC(kernel="precomputed").fit(X @ X.T, y)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_dense_and_sparse_chunks_of_a_stream(n_classes):
    X, y = imbalanced(n_classes=n_classes)
    expected = VirtualLASVC(**PARAMS)
    found = {"dense first": VirtualLASVC(**PARAMS), "sparse first": VirtualLASVC(**PARAMS)}
    for k, first in enumerate(range(0, len(y), 50)):
        chunk, classes = slice(first, first + 50), np.unique(y)
        expected.partial_fit(X[chunk], y[chunk], classes)
        for name, model in found.items():
            is_sparse = (k % 2 == 0) == (name == "sparse first")
            rows = csr_matrix(X[chunk]) if is_sparse else X[chunk]
            model.partial_fit(rows, y[chunk], classes)
    assert expected.n_virtual_points_ > 0
    for model in found.values():
        assert model.n_virtual_points_ == expected.n_virtual_points_
        assert_allclose(
            model.decision_function(X), expected.decision_function(X), rtol=0, atol=1e-4
        )
