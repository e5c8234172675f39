"""Budgets on support vectors: never exceeded, and the right vectors are removed."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone

from tests.support.internals import expansion_budgets, update_state
from tests.support.kernel_updates import (
    BUDGETS,
    JOINT,
    MODELS,
    POLICIES,
    assert_same,
    pa,
    perceptron,
    rows,
    single,
    taught,
)
from tests.support.samples import LAYOUTS

with_budgets = pytest.mark.parametrize("name", BUDGETS)
with_classes = pytest.mark.parametrize("n_classes", [2, 3])


def expansion_of(model):
    return update_state(model).expansion


@settings(deadline=None, max_examples=40)
@given(
    st.sampled_from(POLICIES),
    st.integers(1, 12),
    st.sampled_from([2, 3, 5]),
    st.booleans(),
    st.integers(0, 10**6),
)
def test_budget_is_never_exceeded_and_margins_are_current(policy, most, n_classes, joint, seed):
    X, y = rows(60, n_classes, seed)
    model = pa(max_support_vectors=most, budget_policy=policy, **(JOINT if joint else {}))
    for i in range(len(X)):
        model.partial_fit(X[i : i + 1], y[i : i + 1], range(n_classes))
        expansion = expansion_of(model)
        assert len(model.support_) == expansion.n_kept <= most
        # Slots are used again.
        assert expansion.n_slots <= most + 1
        assert expansion.store.n_slots <= most + 1
        if policy == "margin":
            kept = expansion.margins_kept()
            kept = np.sort(kept[~np.isnan(kept)])
            vectors = model.support_vectors_
            wanted = model.dual_coef_ @ single(vectors, vectors)
            assert_allclose(kept, np.sort(wanted.ravel()), rtol=1e-9, atol=1e-12)


@with_budgets
def test_unreached_budget_does_not_change_the_model(name):
    X, y = rows(80, 3)
    model = clone(BUDGETS[name]).set_params(max_support_vectors=80)
    unlimited = clone(model).set_params(max_support_vectors=None)
    assert_same(taught(model, X, y), taught(unlimited, X, y), X=X)


@pytest.mark.sampled
@with_classes
@pytest.mark.parametrize("name", ["pa", "pa-joint", "perceptron-margin"])
@pytest.mark.parametrize("policy", ["margin", "merging"])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_uncached_kernel_rows_are_computed(name, n_classes, policy, layout):
    X, y = rows(200, n_classes)
    X = LAYOUTS[layout](X)
    model = clone(MODELS[name]).set_params(max_support_vectors=25, budget_policy=policy)
    kept = [taught(model, X, y, size) for size in (9, 200)]
    before = expansion_budgets._py_keep_matrices_up_to(10)
    try:
        computed = [taught(model, X, y, size) for size in (1, 9, 200)]
    finally:
        expansion_budgets._py_keep_matrices_up_to(before)
    assert_same(*kept, *computed, X=X)
    assert computed[1].n_kernel_evaluations_ > kept[0].n_kernel_evaluations_


def test_vector_of_the_largest_margin_is_removed():
    # Margins of 1, 2 and 3 without their own contribution: the last is largest.
    X, y = np.array([[0.0], [5.0], [10.0], [10.1]]), np.array([0, 1, 1, 1])
    margin = perceptron(margin=5.0, gamma=1.0, max_support_vectors=3, budget_policy="margin")
    margin.partial_fit(X, y, [0, 1])
    assert_array_equal(np.sort(margin.support_), [0, 1, 3])  # samples 2 and 3 support each other


@pytest.mark.parametrize("make", [pa, perceptron])
def test_vote_rejects_a_budget(make):
    X, y = rows(50)
    model = make(average="vote", max_support_vectors=5)
    for learn in (model.fit, lambda X, y: model.partial_fit(X, y, [0, 1])):
        with pytest.raises(ValueError, match="average='vote' needs all support vectors.*=5"):
            learn(X, y)
    assert not hasattr(model, "classes_")


@with_classes
def test_mean_is_over_the_remaining_support_vectors(n_classes):
    """The mean of the coefficients that they had after each sample, by definition."""
    X, y = rows(60, n_classes, seed=1)
    last = pa(max_support_vectors=8, budget_policy="margin")
    mean = clone(last).set_params(average="mean")
    total = np.zeros((n_classes if n_classes > 2 else 1, len(X)))
    for i in range(len(X)):
        for model in (last, mean):
            model.partial_fit(X[i : i + 1], y[i : i + 1], range(n_classes))
        total[:, last.support_] += last.dual_coef_
        assert_array_equal(np.sort(mean.support_), np.sort(last.support_))
        wanted = total[:, mean.support_] / (i + 1)
        assert_allclose(mean.dual_coef_, wanted, rtol=1e-12, atol=1e-14)
    assert mean.n_updates_ == last.n_updates_ > 20


def test_removed_sample_may_be_added_again_in_a_later_epoch():
    X, y = rows(60, noise=0.3)
    model = pa(max_support_vectors=10, budget_policy="margin", max_iter=4, tol=None).fit(X, y)
    assert len(np.unique(model.support_)) == 10
    assert model.n_updates_ > 60


def test_memory_is_constant_with_a_budget():
    X, y = rows(3000, n_features=10)
    model = pa(max_support_vectors=30).partial_fit(X[:200], y[:200], [0, 1])
    before = expansion_of(model).store.capacity
    model.partial_fit(X[200:], y[200:])
    assert expansion_of(model).store.capacity == before
    assert len(model.support_vectors_) == 30


# -- projection and merging -------------------------------------------------------------


def squared_length(coef, X):
    """Squared norm of functions in kernel space, summed over the problems."""
    return np.einsum("ci,cj,ij", coef, coef, single(X, X))


def function_of(model):
    return model.dual_coef_, model.support_vectors_


def squared_distance(one, other):
    coef = np.hstack([one[0], -other[0]])
    return squared_length(coef, np.vstack([one[1], other[1]]))


@settings(deadline=None, max_examples=25)
@given(
    st.sampled_from(["projection", "merging"]),
    st.integers(2, 15),
    st.sampled_from([2, 3]),
    st.integers(0, 10**6),
)
def test_projection_and_merging_lose_less_than_removal(policy, most, n_classes, seed):
    """Compares the loss at the first excess vector with that of the best plain removal."""
    X, y = rows(60, n_classes, seed)
    free = pa()
    kept = pa(max_support_vectors=most, budget_policy=policy)
    for i in range(len(X)):
        for model in (free, kept):
            model.partial_fit(X[i : i + 1], y[i : i + 1], range(n_classes))
        if len(free.support_) > most:
            break
    else:
        return
    lost = squared_distance(function_of(free), function_of(kept))
    smallest = (free.dual_coef_**2).sum(axis=0).min()
    assert lost <= smallest * (1 + 1e-5) + 1e-6


def test_merged_vectors_minimize_the_loss():
    """Compares with a fine grid on the segments from the smallest vector to all others."""
    for seed in range(8):
        X, y = rows(40, 3, seed)
        free, kept = pa(C=0.3 + 0.1 * seed), pa(C=0.3 + 0.1 * seed)
        kept.set_params(max_support_vectors=10, budget_policy="merging")
        for i in range(len(X)):
            for model in (free, kept):
                model.partial_fit(X[i : i + 1], y[i : i + 1], range(3))
            if len(free.support_) > 10:
                break
        coef, vectors = function_of(free)
        order = np.argsort(free.support_)
        coef, vectors = coef[:, order], vectors[order]
        m = int(np.argmin((coef**2).sum(axis=0)))
        best = np.inf
        for n in set(range(len(vectors))) - {m}:
            for h in np.linspace(0, 1, 101):
                z = h * vectors[m] + (1 - h) * vectors[n]
                pair = coef[:, [m, n]]
                a = pair @ single(vectors[[m, n]], z[None])
                best = min(best, squared_length(pair, vectors[[m, n]]) - (a**2).sum())
        lost = squared_distance(function_of(free), function_of(kept))
        assert lost <= best * (1 + 1e-4) + 2e-6


@pytest.mark.parametrize("most", [15, 16, 32])
def test_inverse_is_recomputed_and_does_not_drift(most):
    X, y = rows(600, 3)
    model = taught(pa(max_support_vectors=most, budget_policy="projection", C=5.0), X, y, 50)
    assert model.n_updates_ > 10 * 16
    state = expansion_of(model).state()
    alive = np.setdiff1d(np.arange(state["n_slots"]), state["free"])
    vectors = expansion_of(model).store.vectors(alive)
    K = single(vectors, vectors)
    wanted = np.linalg.inv(K + 1e-5 * np.diag(np.diag(K)))
    found = state["budget"]["inverse"][np.ix_(alive, alive)]
    assert_allclose(found, wanted, rtol=1e-6, atol=1e-6 * np.abs(wanted).max())
    assert 0 < state["budget"]["n_left"] < 4 * most


def test_kernel_values_of_merged_vectors_are_counted():
    X, y = rows(100)
    model = taught(pa(max_support_vectors=10, budget_policy="merging"), X[:50], y[:50])
    counted = []
    for i in range(50, 100):
        before, of_sample = model.n_kernel_evaluations_, 1 + len(model.support_)
        model.partial_fit(X[i : i + 1], y[i : i + 1])
        counted.append(model.n_kernel_evaluations_ - before - of_sample)
    assert min(counted) >= 0
    assert np.count_nonzero(np.greater(counted, 10)) > 20


@pytest.mark.parametrize("average", [False, "mean"])
def test_projection_is_lossless_with_a_budget_above_the_dimension(average):
    """With a linear kernel and 3 features, a budget of 4 loses nothing, in the mean neither."""
    X, y = rows(300, n_features=3)
    params = dict(kernel="linear", C=0.1, shuffle=False, average=average)
    free = pa(**params).fit(X, y)
    kept = pa(**params, max_support_vectors=4, budget_policy="projection").fit(X, y)
    assert len(kept.support_) <= 4
    assert_allclose(kept.coef_, free.coef_, rtol=0.02, atol=0.02)


@pytest.mark.parametrize(
    "params, match",
    [
        (dict(budget_policy="merging", kernel="linear"), "merging.*only kernel='rbf' allows"),
        (dict(budget_policy="merging", kernel=single), "merging.*only kernel='rbf' allows"),
        (dict(budget_policy="projection", kernel="sigmoid"), "positive definite.*policy='margin'"),
    ],
    ids=["linear", "function", "sigmoid"],
)
def test_policies_incompatible_with_the_kernel_are_rejected(params, match):
    X, y = rows(30)
    with pytest.raises(ValueError, match=match):
        pa(max_support_vectors=5, **params).fit(X, y)
    # Without a budget the policy is not used.
    pa(**params).fit(X, y)


def test_margin_allows_the_sigmoid_kernel():
    X, y = rows(60, 3)
    model = pa(kernel="sigmoid", max_support_vectors=9, budget_policy="margin").fit(X, y)
    assert len(model.support_) == 9
    assert np.isfinite(model.decision_function(X)).all()


def test_merged_vector_of_a_later_epoch_is_not_a_sample():
    X, y = rows(60, 3, noise=0.3)
    model = pa(max_support_vectors=12, budget_policy="merging", max_iter=4, tol=None).fit(X, y)
    numbers = model.support_
    assert (numbers == -1).any()
    known = numbers[numbers >= 0]
    assert len(np.unique(known)) == len(known)
    assert_array_equal(model.support_vectors_[numbers >= 0], X[known])
    assert len(model.support_) == 12
