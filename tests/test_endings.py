"""Learning comes to an end: passes that change nothing are the last ones."""

import pytest
from numpy.testing import assert_array_equal
from sklearn.datasets import load_digits

from sklearn_online_svm import LASVC
from sklearn_online_svm.datasets import make_banana_like
from tests.samples import ALGORITHMS, two_classes

with_algorithms = pytest.mark.parametrize("algorithm", ALGORITHMS)


def assert_same_solution(one, other):
    assert_array_equal(one.support_, other.support_)
    assert_array_equal(one.dual_coef_, other.dual_coef_)
    assert_array_equal(one.intercept_, other.intercept_)


# -- passes --------------------------------------------------------------------------------


@with_algorithms
def test_a_pass_that_changes_nothing_is_the_last_one(algorithm):
    X, y = load_digits(return_X_y=True)
    model = LASVC(algorithm=algorithm, max_iter=1000, random_state=0).fit(X, y)
    assert 1 < model.n_iter_ < 20
    exact = LASVC(algorithm=algorithm, max_iter=-1, random_state=0).fit(X, y)
    assert model.n_iter_ == exact.n_iter_
    assert_same_solution(model, exact)
    assert model.kkt_violation_ == exact.kkt_violation_ <= 1e-3


@pytest.mark.parametrize("C", [1.0, 1000.0])
def test_max_iter_makes_the_first_passes_of_as_many_as_it_takes(C):
    X, y = make_banana_like(800, random_state=0)
    params = dict(C=C, gamma=1.0, random_state=0)
    exact = LASVC(max_iter=-1, **params).fit(X, y)
    assert 2 < exact.n_iter_ < 10
    gaps = []
    for k in range(1, exact.n_iter_ + 2):
        model = LASVC(max_iter=k, **params).fit(X, y)
        assert model.n_iter_ == min(k, exact.n_iter_)
        gaps.append(exact.dual_objective_[0] - model.dual_objective_[0])
    # The last pass of all changes nothing.
    assert gaps[0] > gaps[-1] == gaps[-2] == 0
    assert_same_solution(model, exact)


@with_algorithms
def test_online_passes_alone_end_when_nothing_changes(algorithm):
    X, y = two_classes(300)
    params = dict(algorithm=algorithm, gamma=0.3, finishing=False, random_state=0)
    model = LASVC(max_iter=1000, **params).fit(X, y)
    assert 1 < model.n_iter_ < 100
    assert_same_solution(model, LASVC(max_iter=model.n_iter_, **params).fit(X, y))
    assert_same_solution(model, LASVC(max_iter=model.n_iter_ - 1, **params).fit(X, y))
