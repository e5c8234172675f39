"""Dropping members of the support set, and problems with missing methods."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.svm import SVC

from sklearn_online_svm._core.kernel.dual.engine import Engine
from sklearn_online_svm._core.kernel.dual.problem import Problem
from sklearn_online_svm._core.kernel.vectors.block import Samples
from tests.support.engine import Learner, kernel_values, make_loop, make_store
from tests.support.samples import three_classes as three_names
from tests.support.samples import two_classes

ALGORITHMS = ["lasvm", "lasvm-g"]


def three_classes(n):
    X, y = three_names(n)
    return X, np.unique(y, return_inverse=True)[1].astype(np.int32)


def learnt(X, labels, n_problems, order, **params):
    loop = make_loop(make_store(X), n_problems, **params)
    labels = labels.astype(np.int32)
    loop.learn(X, order, Samples(labels, np.full(len(labels), 5.0), np.arange(len(labels))))
    return loop


def support_vectors(problem):
    slots = problem.slots()
    return set(problem.members["row_id"][slots][problem.members["alpha"][slots] != 0.0])


# -- dropped members ------------------------------------------------------------------------------


def gradients(learner, K):
    members = learner.problem.members
    alpha = learner.over_rows("alpha")
    rows = learner.members()
    return members["g"][learner.alive()], (2.0 * learner.labels - 1.0 - K @ alpha)[rows]


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_support_vector_can_be_dropped(algorithm):
    X, y = two_classes(150)
    signs = np.where(y == "yes", 1, -1)
    learner = Learner(X, signs, 5.0, algorithm=algorithm).learn(np.arange(150))
    K = kernel_values(make_store(X), X, X).astype(float)
    for _ in range(10):
        alpha = np.abs(learner.problem.members["alpha"])
        slot = int(alpha.argmax())
        row = learner.problem.members["row_id"][slot]
        n_members = learner.problem.members.n_members
        learner.loop.remove(0, [slot])
        assert row not in learner.members()
        assert learner.problem.members.n_members == n_members - 1
        kept, expected = gradients(learner, K)
        assert_allclose(kept, expected, rtol=0, atol=1e-5)
        if algorithm == "lasvm":
            assert abs(learner.over_rows("alpha").sum()) < 1e-12
        m = learner.problem.members
        assert ((m["lower"] <= m["alpha"]) & (m["alpha"] <= m["upper"])).all()
    # Training can continue.
    learner.begin_pass()
    learner.learn(np.arange(150)).loop.finish()
    kept, expected = gradients(learner, K)
    assert_allclose(kept, expected, rtol=0, atol=1e-5)


def test_finish_after_dropping_equals_svc_on_the_rest():
    X, y = two_classes(150)
    signs = np.where(y == "yes", 1, -1)
    learner = Learner(X, signs, 5.0, tol=1e-6).learn(np.arange(150))
    slots = learner.alive()[::3]
    learner.loop.remove(0, slots)
    learner.loop.finish()
    rows = learner.members()
    svc = SVC(C=5.0, kernel="precomputed", tol=1e-6)
    K = kernel_values(make_store(X), X, X).astype(float)
    svc.fit(K[np.ix_(rows, rows)], signs[rows])
    assert_allclose(learner.decide(), svc.decision_function(K[:, rows]), atol=1e-3)


def test_members_of_several_problems_can_be_dropped():
    X, labels = three_classes(200)
    loop = learnt(X, labels, 3, np.arange(200))
    former = loop.state()
    problem = loop.problems[1]
    others = [p.state() for p in (loop.problems[0], loop.problems[2])]
    loop.remove(1, problem.slots())
    assert problem.members.n_members == 0
    for state, other in zip(others, (loop.problems[0], loop.problems[2]), strict=True):
        for name, value in other.state().items():
            assert_array_equal(value, state[name], err_msg=name)
    # The state is one that is taken back: references and free slots are right.
    make_loop(make_store(X), 3).restore(loop.state())
    again = make_loop(make_store(X), 3)
    again.restore(former)
    assert again.problems[1].members.n_members > 0


# -- problems without a method -------------------------------------------------------------------


def test_missing_method_of_a_problem_raises_not_implemented():
    X, labels = three_classes(20)
    rows = Samples((labels % 2).astype(np.int32), np.full(20, 1.0), np.arange(20))

    def bare_loop():
        store = make_store(X)
        options = dict(tol=1e-3, shrinking=True, cache_bytes=1 << 20)
        return Engine(store, [Problem(store, True, **options)])

    with pytest.raises(NotImplementedError, match=r"Problem\.process_sample"):
        bare_loop().learn(X, np.arange(20), rows)
    with pytest.raises(NotImplementedError, match=r"Problem\.refresh"):
        bare_loop().seed(X, np.arange(3), rows, np.ones((1, 3)))
    with pytest.raises(NotImplementedError, match=r"Problem\.violation_by"):
        bare_loop().violations(rows, np.zeros((20, 1)))
    with ThreadPoolExecutor(2) as executor, pytest.raises(NotImplementedError):
        bare_loop().learn(X, np.arange(20), rows, executor)


# -- solutions and kernel values ------------------------------------------------------------------


def test_a_solution_is_computed_once():
    X, y = three_classes(100)
    loop = learnt(X, y, 3, np.arange(100))
    solution = loop.solution(False, 0)
    assert loop.solution(False, 0) is solution
    loop.touched()
    assert loop.solution(False, 0) is not solution


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_mirrored_problem_has_the_negative_decision_function(algorithm):
    X, y = two_classes(100)
    learner = Learner(X, np.where(y == "yes", 1, -1), 5.0, algorithm=algorithm)
    scores = learner.learn(np.arange(100)).decide()
    assert algorithm != "lasvm" or learner.problem.b != 0.0
    learner.problem.mirror()
    learner.loop.touched()
    assert_array_equal(learner.decide(), -scores)


def test_kernel_values_of_rows():
    X, y = two_classes(300)
    learner = Learner(X, np.where(y == "yes", 1, -1), 5.0).learn(np.arange(100))
    rows = np.arange(299, -1, -1)
    values = learner.loop.kernel_values(X, rows)
    assert_array_equal(
        values[:, learner.alive()], kernel_values(make_store(X), X[rows], X[learner.members()])
    )
