"""Solutions of an engine, and engines started from a solution."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.utils.multiclass import _ovr_decision_function

from sklearn_online_svm import LASVC
from sklearn_online_svm._core.kernel.dual.pairs import votes_and_sums
from sklearn_online_svm._core.kernel.vectors.block import Samples
from tests.support.engine import make_loop, make_store

N, N_PROBLEMS, C = 120, 3, 2.0


@pytest.fixture(params=["lasvm", "lasvm-g"])
def learnt(request):
    """Samples, labels, an engine of three problems trained on them, and an empty engine."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N, 4))
    labels = rng.integers(0, N_PROBLEMS, N).astype(np.int32)
    given = Samples(labels, np.full(N, C), np.arange(N))

    def empty():
        return make_loop(make_store(X), N_PROBLEMS, algorithm=request.param, gap_floor=1e-3)

    engine = empty()
    engine.learn(X, rng.permutation(N), given)
    engine.finish()
    return X, labels, given, engine, empty()


def test_solution_gives_the_decision_values(learnt):
    X, labels, _, engine, _ = learnt
    solution = engine.current_solution()
    assert_array_equal(solution.vectors(), X[solution.row_ids])
    assert_array_equal(solution.labels, labels[solution.row_ids])
    order = np.lexsort((solution.row_ids, solution.labels))
    assert_array_equal(order, np.arange(len(order)))
    assert not solution.beyond_ramp.any()
    decided = np.empty((N, N_PROBLEMS))
    solution.decide(X, decided)
    K = rbf_kernel(X, solution.vectors(), gamma=0.5)
    assert_allclose(decided, K @ solution.alpha.T + solution.bias, atol=1e-5)


def test_solution_is_not_changed_by_training(learnt):
    X, labels, given, engine, _ = learnt
    solution = engine.current_solution()
    before = solution.vectors(), solution.alpha, solution.bias.copy()
    engine.learn(X + 3, np.arange(N), Samples(labels, np.full(N, C), N + np.arange(N)))
    engine.finish()
    for one, other in zip(
        before, (solution.vectors(), solution.alpha, solution.bias), strict=True
    ):
        assert_array_equal(one, other)


def test_solution_is_a_start_for_another_engine(learnt):
    X, _, given, engine, other = learnt
    solution = engine.current_solution()
    alpha = other.moved(given, solution.row_ids, solution.alpha)
    assert_allclose(alpha, solution.alpha, rtol=1e-9)
    other.seed(X, solution.row_ids, given, alpha)
    assert_array_equal(other.current_solution().row_ids, solution.row_ids)
    assert_allclose(other.current_solution().alpha, alpha, rtol=1e-14)
    changes = other.n_changes
    other.finish()
    assert other.n_changes == changes
    for c in range(N_PROBLEMS):
        assert_allclose(other.problems[c].objective, engine.problems[c].objective, rtol=1e-6)


def test_violations_are_those_of_the_optimality_conditions(learnt):
    X, labels, given, engine, _ = learnt
    scores = np.empty((N, N_PROBLEMS))
    engine.solution(False, 0).decide(X, scores)
    violations = engine.violations(given, scores)
    solution = engine.current_solution()
    for c, problem in enumerate(engine.problems):
        y = np.where(labels == c, 1.0, -1.0)
        alpha = np.zeros(N)
        alpha[solution.row_ids] = solution.alpha[c]
        g = y - (scores[:, c] - problem.b)
        extremes = problem.members.extremes
        has_bias = type(problem).__name__ == "Lasvm"
        high, low = (extremes["g_max"], extremes["g_min"]) if has_bias else (0.0, 0.0)
        rises = alpha < np.maximum(0, y * C)
        falls = alpha > np.minimum(0, y * C)
        expected = np.maximum(np.where(rises, g - low, 0), np.where(falls, high - g, 0))
        assert_allclose(violations[c], np.maximum(expected, 0), atol=1e-12)


def test_solution_is_moved_into_new_bounds(learnt):
    X, labels, _, engine, _ = learnt
    smaller = Samples(labels, np.full(N, C / 4), np.arange(N))
    engine.rebox(smaller)
    for problem in engine.problems:
        slots = problem.slots()
        members = problem.members
        assert (members["lower"][slots] <= members["alpha"][slots]).all()
        assert (members["alpha"][slots] <= members["upper"][slots]).all()
        assert np.abs(members["lower"] + members["upper"])[slots].max() == C / 4
        K = rbf_kernel(X[members["row_id"][slots]], gamma=0.5)
        g = members["target"][slots] - K @ members["alpha"][slots]
        assert_allclose(members["g"][slots], g, atol=1e-5)


def test_unknown_samples_are_rejected(learnt):
    _, _, given, engine, _ = learnt
    with pytest.raises(IndexError, match=f"below {N}, got {N}"):
        engine.moved(given, [N], np.ones((N_PROBLEMS, 1)))


# -- pairs of classes -------------------------------------------------------------------

# Number of samples of each class: few and many classes, some with one sample, more than one
# stretch of slots.
CLASSES = {
    "few": [40, 1, 60],
    "many": [3, 1, 5, 2] * 10,
    "stretches": [900, 2, 1, 1500],
}


@pytest.fixture(params=CLASSES)
def of_pairs(request):
    """A model of pairs of classes that is trained on noise, and other samples."""
    rng = np.random.default_rng(0)
    y = rng.permutation(np.repeat(np.arange(len(CLASSES[request.param])), CLASSES[request.param]))
    X = rng.normal(size=(len(y), 5))
    model = LASVC(multi_class="ovo", decision_function_shape="ovo", max_iter=1, random_state=0)
    return model.set_params(gamma=0.5).fit(X, y), rng.normal(size=(150, 5))


def test_values_of_pairs_are_those_of_their_coefficients(of_pairs):
    model, X = of_pairs
    K = rbf_kernel(X, model.support_vectors_, gamma=0.5)
    ends = np.cumsum(model.n_support_)
    of_class = [slice(end - n, end) for n, end in zip(model.n_support_, ends, strict=True)]
    values, c = model.decision_function(X), 0
    for a in range(len(ends)):
        for b in range(a + 1, len(ends)):
            first, second = of_class[a], of_class[b]
            expected = K[:, first] @ model.dual_coef_[b - 1, first]
            expected += K[:, second] @ model.dual_coef_[a, second] + model.intercept_[c]
            assert_allclose(values[:, c], expected, atol=1e-5)
            c += 1


def test_values_of_pairs_do_not_depend_on_the_other_samples(of_pairs):
    """Some numbers of samples are processed one by one, others together."""
    model, X = of_pairs
    values = model.decision_function(X)
    for n in (1, 2, 7, 8, 9, 20, 31, 32, 33, 63, 65, 149):
        for first in (0, 1):
            assert_array_equal(
                model.decision_function(X[first : first + n]), values[first : first + n]
            )


def test_a_class_may_have_no_support_vectors():
    """A linear model after some of its vectors have lost their coefficients."""
    X = np.array([[0.0], [4.0], [9.0]])
    model = LASVC(multi_class="ovo", max_iter=1, random_state=0, decision_function_shape="ovo")
    model.fit(X, [0, 1, 2], sample_weight=[1.0, 1.0, 0.0])
    assert 0 in model.n_support_
    assert_array_equal(model.decision_function(X)[:, 1:], np.tile(model.intercept_[1:], (3, 1)))


@pytest.mark.parametrize("n_classes", [3, 4, 11])
def test_votes_and_sums_are_those_of_scikit_learn(n_classes):
    rng = np.random.default_rng(n_classes)
    scores = rng.normal(size=(50, n_classes * (n_classes - 1) // 2))
    scores[rng.random(scores.shape) < 0.2] = 0.0
    for zero_is_first, is_second in ((True, scores < 0), (False, scores <= 0)):
        votes, sums = votes_and_sums(scores, n_classes, zero_is_first)
        expected = _ovr_decision_function(is_second, -scores, n_classes)
        assert_allclose(votes + sums / (3 * (np.abs(sums) + 1)), expected, rtol=1e-13)
        assert_array_equal(votes.sum(axis=1), scores.shape[1])
