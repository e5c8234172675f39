"""Each step of a one-vs-one stream, its invariants, and special cases."""

import pickle
from functools import partial
from itertools import combinations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from sklearn_online_svm import LASVC, RampSVC
from tests.reference.gap_driven import ReferenceGapDriven
from tests.reference.lasvm import ForkedTwin
from tests.reference.one_vs_one import ReferenceOneVsOne, class_values, predicted
from tests.support.engine import kernel_values
from tests.support.internals import engine_of, spec_of
from tests.support.robust import Busy
from tests.support.samples import ALGORITHMS, GAP_DRIVEN, LAYOUTS, three_classes, two_classes

pairwise = partial(LASVC, multi_class="ovo")
quickly = settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.too_slow])


def clouds(n, n_classes, seed=0, n_features=3):
    """Return overlapping clouds of unequal size, class codes and weights, all different."""
    rng = np.random.default_rng(seed)
    codes = rng.choice(n_classes, n, p=rng.dirichlet(np.full(n_classes, 5.0)))
    codes[:n_classes] = np.arange(n_classes)
    centres = 1.5 * rng.normal(size=(n_classes, n_features))
    X = centres[codes] + rng.normal(size=(n, n_features))
    return X, codes, rng.uniform(0.5, 2.0, n)


# -- the reference, step by step ---------------------------------------------------------------


def members_of(problem):
    """Return the samples in the support set of a pair, and their alpha."""
    slots = problem.slots()
    return problem.members["row_id"][slots], problem.members["alpha"][slots]


def agrees(twin, problem):
    rows, alpha = members_of(problem)
    expected = twin.alpha[rows]
    return sorted(rows) == sorted(twin.S) and np.allclose(alpha, expected, rtol=1e-9, atol=1e-11)


def learn_as(reference, k, problems):
    """Continue the twins of a row; of several ways to resolve a tie take that of the engine."""
    for i in reference.pairs_of(k):
        twin, problem = reference.twins[i], problems[i]
        if isinstance(twin, ForkedTwin):
            twin = next(way for way in twin.ways_to_learn(k) if agrees(way, problem))
            reference.twins[i] = twin
        else:
            twin.learn(k)
            assert agrees(twin, problem)
        assert_allclose(problem.b, getattr(twin, "b", 0.0), atol=1e-9)


@pytest.mark.sampled
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("n_classes", [3, 5])
@pytest.mark.parametrize("algorithm", ["lasvm", "lasvm-g", "lasvm-nc"])
def test_every_sample_takes_the_steps_of_the_reference(algorithm, n_classes, layout):
    X, codes, weights = clouds(90, n_classes)
    samples, cost, small = LAYOUTS[layout](X), 2.0 * weights, dict(ramp_start=20, max_non_sv=10)
    model = Busy(
        C=2.0,
        gamma=0.3,
        finishing=False,
        algorithm=algorithm,
        multi_class="ovo",
        decision_function_shape="ovo",
    )

    def make(y):
        if algorithm == "lasvm":
            return ForkedTwin(K, y, cost)
        return ReferenceGapDriven(
            K, y, cost, 2.0, algorithm, clean_interval=25, single_steps=10, **small
        )

    reference = None
    for k in range(len(codes)):
        rows = slice(k, k + 1)
        model.partial_fit(samples[rows], codes[rows], np.arange(n_classes), weights[rows])
        if reference is None:
            K = kernel_values(spec_of(model).store(), samples, samples).astype(np.float64)
            reference = ReferenceOneVsOne(codes, n_classes, make)
        learn_as(reference, k, engine_of(model).problems)
        if k % 10 == 9:
            compare(model, reference, X, n_classes)
    assert all(np.count_nonzero(twin.alpha) > 5 for twin in reference.twins)
    if algorithm != "lasvm-nc":  # its problem is not convex
        model.finish()
        reference.finish()
        atol = 3.0 * model.tol
        assert_allclose(model.decision_function(X), reference.decision_function(), atol=atol)


def compare(model, reference, X, n_classes):
    """Compare decision values of both shapes and predictions."""
    values = reference.decision_function()
    assert_allclose(model.decision_function(X), values, rtol=1e-9, atol=1e-9)
    assert_array_equal(model.predict(X), predicted(values, n_classes))
    model.decision_function_shape = "ovr"
    expected = class_values(values, n_classes)
    assert_allclose(model.decision_function(X), expected, rtol=1e-9, atol=1e-9)
    model.break_ties = True
    assert_array_equal(model.predict(X), expected.argmax(axis=1))
    model.set_params(decision_function_shape="ovo", break_ties=False)


# -- invariants --------------------------------------------------------------------------------


@st.composite
def problems(draw):
    """Return samples, codes, costs, sizes of chunks, and parameters."""
    n, n_classes = draw(st.integers(6, 40)), draw(st.integers(3, 6))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    codes = rng.integers(0, n_classes, n)
    codes[:2] = [0, 1]
    X = rng.normal(size=(n, 3)) + draw(st.floats(0, 2)) * np.eye(n_classes, 3)[codes]
    if draw(st.booleans()):  # duplicates, some of which have other labels
        X = X[rng.integers(0, n, n)]
    if draw(st.booleans()):
        X = np.round(X)
    weights = rng.choice([0.0, 0.5, 1.0, 2.0], n)
    sizes = draw(st.sampled_from([[1], [3, 1, 7], [n]]))
    params = dict(
        C=10.0 ** draw(st.floats(-2, 2)),
        algorithm=draw(st.sampled_from(["lasvm", "lasvm", *GAP_DRIVEN])),
        kernel=draw(st.sampled_from(["linear", "rbf"])),
        finishing=draw(st.booleans()),
        window_size=draw(st.sampled_from([None, None, 8])),
        gamma=0.5,
    )
    return X, codes, weights, n_classes, sizes, params


@quickly
@given(problems())
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_a_pair_has_samples_of_its_classes_within_their_boxes(problem):
    X, codes, weights, n_classes, sizes, params = problem
    model, first, k = pairwise(decision_function_shape="ovo", **params), 0, 0
    while first < len(codes):
        rows = slice(first, first + sizes[k % len(sizes)])
        model.partial_fit(X[rows], codes[rows], np.arange(n_classes), weights[rows])
        first, k = rows.stop, k + 1
        check_pairs(model, codes, params["C"] * weights)
        values = model.decision_function(X)
        assert_array_equal(model.predict(X), predicted(values, n_classes))


def check_pairs(model, codes, cost):
    pairs = list(combinations(range(len(model.classes_)), 2))
    coefficients, support = model.dual_coef_, model.support_
    assert_array_equal(np.sort(codes[support]), codes[support])  # grouped by class
    for (a, b), problem in zip(pairs, engine_of(model).problems, strict=True):
        rows, alpha = members_of(problem)
        slots, members = problem.slots(), problem.members
        assert np.isin(codes[rows], [a, b]).all()
        assert len(np.unique(rows)) == len(rows)
        sign = np.where(codes[rows] == a, 1.0, -1.0)
        assert_array_equal(members["upper"][slots] - members["lower"][slots], cost[rows])
        if model.algorithm != "lasvm-nc":
            assert_array_equal(sign * alpha >= 0.0, True)
            assert_array_equal(sign * alpha <= cost[rows], True)
        # The attribute has a coefficient for each sample of the pair.
        of_pair = np.where(codes[support] == a, coefficients[b - 1], 0.0)
        of_pair = np.where(codes[support] == b, coefficients[a], of_pair)
        if model.algorithm == "lasvm":
            assert abs(of_pair.sum()) <= 1e-12 * (1.0 + np.abs(of_pair).sum())
        assert not np.setdiff1d(support[of_pair != 0.0], rows).size


# -- special cases -----------------------------------------------------------------------------


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_two_classes_are_the_binary_problem_to_the_last_bit(algorithm, layout):
    X, y = two_classes(200)
    weights = np.random.default_rng(0).uniform(0.5, 2.0, 200)
    params = dict(C=3.0, gamma=0.3, algorithm=algorithm, random_state=0)
    samples, models = LAYOUTS[layout](X), (pairwise(**params), LASVC(**params))
    for train in ("fit", "stream", "epochs"):
        for model in models:
            if train == "stream":
                for first in range(0, 200, 30):
                    rows = slice(first, first + 30)
                    model.partial_fit(samples[rows], y[rows], ["no", "yes"], weights[rows])
            else:
                model.set_params(max_iter=1 if train == "fit" else 3).fit(samples, y, weights)
        same_bits(*models, X)
    one, other = (RampSVC(multi_class=kind, random_state=0).fit(X, y) for kind in ("ovo", "ovr"))
    same_bits(one, other, X)


def same_bits(one, other, X):
    names = ("support_", "dual_coef_", "intercept_", "n_support_", "classes_")
    for name in (*names, "support_vectors_"):
        ours, theirs = (getattr(model, name) for model in (one, other))
        ours, theirs = (
            each if isinstance(each, np.ndarray) else each.toarray() for each in (ours, theirs)
        )
        assert_array_equal(ours, theirs, err_msg=name)
        assert ours.dtype == theirs.dtype and ours.shape == theirs.shape
    assert_array_equal(one.decision_function(X), other.decision_function(X))
    assert_array_equal(one.predict(X), other.predict(X))


@pytest.mark.filterwarnings("ignore:The stream is sorted by class")
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_stream_of_one_class_at_a_time(algorithm):
    """A pair begins when both of its classes have been seen; others predict as before."""
    X, y = three_classes()
    model = pairwise(gamma=0.3, algorithm=algorithm, decision_function_shape="ovo")
    for k, label in enumerate((20, 10, 30)):
        rows = y == label
        model.partial_fit(X[rows], y[rows], classes=[10, 20, 30])
        model = pickle.loads(pickle.dumps(model))
        seen = (20, 10, 30)[: k + 1]
        predictions = model.predict(X[np.isin(y, seen)])
        if k:
            assert np.mean(predictions == y[np.isin(y, seen)]) > 0.5
    assert set(model.predict(X)) == {10, 20, 30}
