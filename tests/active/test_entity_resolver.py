"""EntityResolver: distances and clusters against plain twins, invariants, contract, errors."""

import math
import pickle
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone, is_clusterer
from sklearn.cluster import DBSCAN, HDBSCAN, AgglomerativeClustering
from sklearn.exceptions import NotFittedError
from sklearn.metrics import adjusted_rand_score
from sklearn.model_selection import GridSearchCV, GroupKFold
from sklearn.svm import SVC

from sklearn_online_svm import LASVC
from sklearn_online_svm.active import EntityResolver, MarginSampling


def place(a, b):
    return math.exp(-abs(a["place"] - b["place"]))


def color(a, b):
    return a["color"] == b["color"]


def size(a, b):
    return 1 / (1 + abs(a["size"] - b["size"]))


def block(record):
    return record["block"]


def made(n_entities=12, seed=0):
    """Three records of each entity, with noise; return them and the entities."""
    rng = np.random.default_rng(seed)
    records, entities = [], []
    for entity in range(n_entities):
        truth = dict(block="ab"[entity % 2], color=int(rng.integers(3)), size=int(rng.integers(9)))
        center = rng.uniform(0, 20)
        for _ in range(3):
            records.append(truth | {"place": float(center + rng.normal(0, 0.4))})
            entities.append(entity)
    order = rng.permutation(len(records))
    return [records[i] for i in order], np.array(entities)[order]


RECORDS, ENTITIES = made()
SVM = LASVC(C=10, gamma=0.5, random_state=0)
MODEL = EntityResolver([place, color, size], blocking=block, estimator=SVM)
FITTED = clone(MODEL).fit(RECORDS, ENTITIES)
PAIRS = FITTED.candidate_pairs(RECORDS)
SAME = ENTITIES[PAIRS[:, 0]] == ENTITIES[PAIRS[:, 1]]


def partition(labels, order=None):
    """The clusters as sets of records; record i of the labels is ``order[i]``."""
    order = range(len(labels)) if order is None else order
    return {frozenset(o for o, b in zip(order, labels) if a == b) for a in set(labels)}


# ---------------------------------------------------------------------------- twins


def plain_distances(model, records):
    """Distance of each pair within blocks, by the definition of the decision function."""
    svm, found = model.estimator_, {}
    for i, j in combinations(range(len(records)), 2):
        a, b = records[i], records[j]
        if model.blocking(a) == model.blocking(b):
            x = np.array([float(similarity(a, b)) for similarity in model.similarities])
            kernel = [math.exp(-svm.gamma * np.sum((x - v) ** 2)) for v in svm.support_vectors_]
            found[i, j] = 1 / (1 + math.exp(np.dot(svm.dual_coef_[0], kernel) + svm.intercept_[0]))
    return found


def average_linkage(distances, n_records, threshold):
    """Clusters merged in the order of their mean distances, up to a threshold."""
    clusters = [[i] for i in range(n_records)]

    def mean(pair):
        a, b = (clusters[k] for k in pair)
        return np.mean([distances.get((min(i, j), max(i, j)), np.inf) for i in a for j in b])

    while True:
        a, b = closest = min(combinations(range(len(clusters)), 2), key=mean)
        if mean(closest) >= threshold:
            return {frozenset(cluster) for cluster in clusters}
        clusters[a] += clusters.pop(b)


def test_distances_and_clusters_by_definition():
    records, _ = made(seed=1)
    expected = plain_distances(FITTED, records)
    pairs = FITTED.candidate_pairs(records)
    assert {tuple(pair) for pair in pairs} == set(expected)
    distances = FITTED.pair_distances(records)
    assert_allclose(distances, [expected[tuple(pair)] for pair in pairs], atol=1e-6)
    assert_array_equal(FITTED.pair_distances(records, pairs[::-2]), distances[::-2])
    found = FITTED.predict(records)
    assert partition(found) == average_linkage(expected, len(records), 0.5)
    _, first = np.unique(found, return_index=True)
    assert_array_equal(found[np.sort(first)], np.arange(len(first)))
    assert adjusted_rand_score(made(seed=1)[1], found) > 0.6


# ---------------------------------------------------------------------------- invariants

any_records = st.lists(
    st.fixed_dictionaries(
        {
            "block": st.sampled_from("abc"),
            "place": st.floats(0, 5),
            "color": st.integers(0, 1),
            "size": st.integers(0, 2),
        }
    ),
    min_size=1,
    max_size=12,
)


@settings(deadline=None, max_examples=60)
@given(any_records, st.randoms(use_true_random=False))
def test_clusters_do_not_depend_on_order_and_stay_within_blocks(records, random):
    labels = FITTED.predict(records)
    assert all(len({records[i]["block"] for i in cluster}) == 1 for cluster in partition(labels))
    order = list(range(len(records)))
    random.shuffle(order)
    assert partition(FITTED.predict([records[i] for i in order]), order) == partition(labels)
    # Each block has the clusters that it has alone.
    for key in "abc":
        here = [i for i, record in enumerate(records) if record["block"] == key]
        if here:
            alone = FITTED.predict([records[i] for i in here])
            assert partition(alone, here) == partition(labels[here], here)


@settings(deadline=None, max_examples=20)
@given(st.permutations(range(3)))
def test_order_of_similarities_does_not_matter(order):
    other = clone(MODEL).set_params(similarities=[MODEL.similarities[k] for k in order])
    other.fit(RECORDS, ENTITIES)
    assert_array_equal(
        other.pair_similarities(RECORDS), FITTED.pair_similarities(RECORDS)[:, order]
    )
    assert_allclose(other.pair_distances(RECORDS), FITTED.pair_distances(RECORDS), atol=1e-6)


@settings(deadline=None, max_examples=30)
@given(any_records)
def test_identical_records_have_the_smallest_distance_and_distances_are_symmetric(records):
    n = len(records)
    pairs = np.array([(i, j) for i in range(n) for j in range(n)])
    distances = FITTED.pair_distances(records, pairs).reshape(n, n)
    assert_allclose(distances, distances.T, rtol=1e-12)
    assert np.all((distances > 0) & (distances < 1))
    assert np.ptp(distances.diagonal()) < 1e-12


# ---------------------------------------------------------------------------- training


def test_entities_are_labels_of_all_pairs_within_blocks():
    by_pairs = clone(MODEL).fit(RECORDS, SAME, PAIRS)
    by_hand = clone(SVM).fit(FITTED.pair_similarities(RECORDS), SAME.astype(int))
    for model in (by_pairs.estimator_, by_hand):
        assert_array_equal(model.dual_coef_, FITTED.estimator_.dual_coef_)
    expected = clone(MODEL).fit(RECORDS, ENTITIES).predict(RECORDS)
    assert_array_equal(clone(MODEL).fit_predict(RECORDS, ENTITIES), expected)
    assert_array_equal(clone(MODEL).fit_predict(RECORDS, SAME, PAIRS), expected)
    # Whatever the entities are called.
    named = clone(MODEL).fit(RECORDS, [f"entity {e}" for e in ENTITIES])
    assert_array_equal(named.predict(RECORDS), expected)


def test_partial_fit_updates_the_classifier():
    model, svm = clone(MODEL), clone(SVM)
    X = FITTED.pair_similarities(RECORDS)
    for chunk in np.array_split(np.random.default_rng(0).permutation(len(PAIRS)), 5):
        model.partial_fit(RECORDS, SAME[chunk], PAIRS[chunk])
        svm.partial_fit(X[chunk], SAME[chunk].astype(int), classes=[0, 1])
    assert_array_equal(model.estimator_.decision_function(X), svm.decision_function(X))
    others, entities = made(seed=2)
    before = model.estimator_.n_samples_seen_
    model.partial_fit(others, entities)
    assert model.estimator_.n_samples_seen_ == before + len(model.candidate_pairs(others))
    # A refused call changes nothing.
    expected = pickle.dumps(model.estimator_.dual_coef_)
    with pytest.raises(ValueError, match="y must be"):
        model.partial_fit(RECORDS, [2], [[0, 1]])
    assert pickle.dumps(model.estimator_.dual_coef_) == expected
    # fit starts from scratch.
    assert_array_equal(
        model.fit(RECORDS, ENTITIES).estimator_.dual_coef_, FITTED.estimator_.dual_coef_
    )


def test_active_learning_needs_few_labels():
    X = FITTED.pair_similarities(RECORDS)
    first = np.concatenate([np.flatnonzero(c == SAME)[:2] for c in (True, False)])
    model = clone(MODEL).partial_fit(RECORDS, SAME[first], PAIRS[first])
    strategy = MarginSampling(random_state=0)
    n_queries = 60
    for _ in range(n_queries):
        chosen = strategy.query(model.estimator_, X)
        model.partial_fit(RECORDS, SAME[chosen], PAIRS[chosen])
    assert n_queries < 0.25 * len(PAIRS)
    assert adjusted_rand_score(ENTITIES, model.predict(RECORDS)) > 0.9


# ---------------------------------------------------------------------------- contract


def test_kinds_of_records():
    expected = FITTED.predict(RECORDS)
    frame = pd.DataFrame(RECORDS, index=range(100, 100 + len(RECORDS)))
    assert_array_equal(FITTED.predict(frame), expected)
    assert_array_equal(clone(MODEL).fit(frame, ENTITIES).predict(frame), expected)

    def near(a, b):
        return math.exp(-abs(a[0] - b[0]))

    numbers = np.array([[0.0], [0.1], [5.0], [5.1], [9.0]])
    for records in (numbers, [tuple(row) for row in numbers]):
        model = EntityResolver([near], estimator=LASVC(C=10, gamma=1.0))
        assert_array_equal(model.fit_predict(records, [3, 3, 1, 1, 2]), [0, 0, 1, 1, 2])


@pytest.mark.parametrize(
    "clusterer",
    [
        DBSCAN(eps=0.3, min_samples=2, metric="precomputed"),
        HDBSCAN(min_cluster_size=2, metric="precomputed", copy=True),
        AgglomerativeClustering(
            n_clusters=None, distance_threshold=0.5, linkage="average", metric="precomputed"
        ),
    ],
    ids=lambda clusterer: type(clusterer).__name__,
)
def test_clusterers(clusterer):
    lonely = {"block": "c", "place": 0.0, "color": 0, "size": 0}
    labels = (
        clone(FITTED)
        .set_params(clusterer=clusterer)
        .fit(RECORDS, ENTITIES)
        .predict([*RECORDS, lonely])
    )
    assert adjusted_rand_score(ENTITIES, labels[:-1]) > 0.5
    assert labels[-1] == labels.max() > labels[:-1].max()
    assert not hasattr(clusterer, "labels_")


def test_noise_records_are_entities_of_their_own():
    strict = DBSCAN(eps=1e-9, min_samples=2, metric="precomputed")
    labels = clone(MODEL).set_params(clusterer=strict).fit(RECORDS, ENTITIES).predict(RECORDS)
    assert_array_equal(labels, np.arange(len(RECORDS)))
    assert_array_equal(FITTED.predict([]), [])
    assert_array_equal(FITTED.predict(RECORDS[:1]), [0])


def test_scikit_learn_conventions():
    assert is_clusterer(MODEL)
    assert MODEL.get_params()["estimator__C"] == 10
    assert not hasattr(clone(FITTED), "estimator_")
    stored = pickle.loads(pickle.dumps(FITTED))
    assert_array_equal(stored.predict(RECORDS), FITTED.predict(RECORDS))
    frozen = pickle.dumps(SVM)
    clone(MODEL).set_params(estimator=SVM).fit(RECORDS, ENTITIES)
    assert pickle.dumps(SVM) == frozen
    svc = EntityResolver([place], estimator=SVC())
    assert not hasattr(svc, "partial_fit")
    assert svc.fit(RECORDS, ENTITIES).predict(RECORDS).shape == ENTITIES.shape
    assert isinstance(EntityResolver([place]).fit(RECORDS, ENTITIES).estimator_, LASVC)


def test_search_over_parameters_of_the_clusterer():
    parts = [made(seed=seed) for seed in range(4)]
    records = [record | {"part": p} for p, (part, _) in enumerate(parts) for record in part]
    entities = np.concatenate([100 * p + truth for p, (_, truth) in enumerate(parts)])
    model = clone(MODEL).set_params(clusterer=DBSCAN(min_samples=2, metric="precomputed"))
    # The score of the optimum does not depend on the path to it: a single pass gives 0.77 to 0.89.
    model.set_params(estimator__max_iter=-1, estimator__tol=1e-5)
    model.set_params(blocking=lambda record: (record["part"], record["block"]))
    search = GridSearchCV(
        model,
        {"clusterer__eps": [1e-9, 0.27], "estimator__C": [1, 10]},
        scoring="adjusted_rand_score",
        cv=GroupKFold(4),
        error_score="raise",
    )
    search.fit(records, entities, groups=np.repeat(range(4), 36))
    assert search.best_params_["clusterer__eps"] == 0.27
    assert search.best_score_ > 0.8
    assert len(search.predict(records)) == len(records)


# ---------------------------------------------------------------------------- errors


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"similarities": []}, r"similarities must be functions of two records; got \[\]"),
        ({"similarities": ["place"]}, r"must be functions of two records; got \['place'\]"),
        ({"similarities": place}, "'similarities' parameter of EntityResolver must be"),
        ({"blocking": "block"}, "'blocking' parameter of EntityResolver must be"),
        ({"estimator": DBSCAN()}, "'estimator' parameter of EntityResolver must be"),
        ({"clusterer": SVC()}, "'clusterer' parameter of EntityResolver must be"),
        (
            {"similarities": [place, lambda a, b: math.nan]},
            r"similarities\[1\] must return a finite number; got nan for records \d+ and \d+",
        ),
        (
            {"similarities": [place, lambda a, b: None]},
            r"similarities\[1\] must return a finite number",
        ),
    ],
)
def test_bad_parameters(parameters, message):
    with pytest.raises(ValueError, match=message):
        clone(MODEL).set_params(**parameters).fit(RECORDS, ENTITIES)


@pytest.mark.parametrize(
    ("y", "pairs", "message"),
    [
        (ENTITIES[1:], None, r"y must have shape \(36,\); got \(35,\)"),
        ([1], PAIRS[:2], r"y must have shape \(2,\); got \(1,\)"),
        ([0, 2], PAIRS[:2], "y must be 1 .* or 0 for each pair; got .*2"),
        ([0, 1], [[0, 1, 2]] * 2, r"pairs must be an array of int of shape \(n_pairs, 2\)"),
        ([0, 1], [[0.0, 1.0]] * 2, "got an array of float64"),
        ([0, 1], [[0, 1], [0, 36]], "pairs must be indices between 0 and 35; got 0 to 36"),
        ([0, 1], [[0, 1], [-1, 2]], "got -1 to 2"),
    ],
)
def test_bad_labels_and_pairs(y, pairs, message):
    with pytest.raises(ValueError, match=message):
        clone(MODEL).fit(RECORDS, y, pairs)


def test_a_clusterer_must_accept_distances():
    model = clone(MODEL).set_params(clusterer=DBSCAN()).fit(RECORDS, ENTITIES)
    with pytest.raises(ValueError, match=r"must have metric='precomputed'; got DBSCAN\(\)"):
        model.predict(RECORDS)


@pytest.mark.parametrize("method", ["predict", "pair_distances"])
def test_not_fitted(method):
    with pytest.raises(NotFittedError):
        getattr(clone(MODEL), method)(RECORDS)
    assert len(clone(MODEL).pair_similarities(RECORDS)) == len(PAIRS)
